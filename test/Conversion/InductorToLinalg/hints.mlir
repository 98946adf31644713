// Hints of the program are tile hints of what computes the tensor, with their names, and loops on the card.

// RUN: spyre-translate --import-inductor %S/../../../examples/inductor/scores.json -o %t.0
// RUN: spyre-opt %t.0 --inductor-schedule --convert-inductor-to-linalg -o %t
// RUN: FileCheck %s --input-file %t
// RUN: spyre-opt %t --spyre-import-linalg | FileCheck %s --check-prefix=SPYRE
// RUN: spyre-run %t --on card --compare %t --random-seed 1 --tolerance 1e-4 --stats 2>&1 | FileCheck %s --check-prefix=LOOPS
// RUN: spyre-opt %t --spyre-import-linalg=host=true --remarks-filter=spyre-outline-device -o /dev/null 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: spyre-opt %s --convert-inductor-to-linalg | FileCheck %s --check-prefix=PARTS
// RUN: spyre-opt %s --convert-inductor-to-linalg --remarks-filter=convert-inductor-to-linalg --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The product is in no scope; all of the softmax is in one.
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-NOT: spyre.tile
// CHECK: linalg.yield
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]{{.*}} attrs = {spyre.dims = ["rows"], spyre.tile = [#spyre.tile_hint<0 : "rows" by 4>]}
// CHECK: linalg.generic {{.*}} attrs = {spyre.dims = ["rows", "_untracked_128"], spyre.tile = [#spyre.tile_hint<0 : "rows" by 4>]}

// SPYRE: spyre.max {{.*}} tile [0: "rows" by 4]
// SPYRE: spyre.exp {{.*}} tile [0: "rows" by 4]
// SPYRE: spyre.sum {{.*}} tile [0: "rows" by 4]
// SPYRE: spyre.realdiv {{.*}} tile [0: "rows" by 4]

// The softmax alone: the card has no product of f32. Its rows are copied, and each of five operations reads a tile.
// LOOPS: executions: 96 in 16 iterations of loops
// LOOPS: result 0: 0 of 8192 elements differ
// HOST: Reason="'batchmatmul' computes in SEN169_FP16, but tensor 0 is IEEE_FP32", Remark="'spyre.batchmatmul' stays on the host"
// HOST-NOT: StaysOnHost

// A product has hints as well; a dimension that is reduced, or that is no single loop, has none.
// REMARK: HintWithoutLoop {{.*}} Dimension=columns, Reason="the result of the operation has another extent there"
// PARTS-LABEL: func.func @parts
// PARTS: linalg.generic {{.*}} attrs = {spyre.dims = ["rows", "columns"], spyre.tile = [#spyre.tile_hint<0 : "columns" by 8>, #spyre.tile_hint<1 : "rows" by 2>]}
// PARTS: linalg.generic {{.*}} attrs = {spyre.dims = ["rows"], spyre.tile = [#spyre.tile_hint<1 : "rows" by 2>]}
!t = tensor<8x16xf32, #inductor.layout<fixed, [16, 1]>>
!w = tensor<16x16xf32, #inductor.layout<fixed, [16, 1]>>
!m = tensor<8x1xf32, #inductor.layout<fixed, [1, 8]>>
inductor.graph @parts {
  %x = inductor.input "x" : !t
  %w = inductor.input "w" : !w
  %a = inductor.extern "op0" as "buf0" "ExternKernelOut" "aten.mm.out"(%x, %w) {kernel = "extern_kernels.mm", hints = [{dims = {columns = 8, rows = 2}, positions = {columns = 1, rows = 0}, shape = [8, 16]}]} : (!t, !w) -> !t
  %m = inductor.reduction "op1" as "buf1" sum [8, 1] over [16] from f32 {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %a at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : !t -> f32
    inductor.store %v at affine_map<(d0, d1) -> (d0, 0)>(%i, %j) : f32
  } {hints = [{dims = {columns = 8, rows = 2}, positions = {columns = 1, rows = 0}, shape = [8, 16]}]} : !m
  inductor.return %m : !m
}

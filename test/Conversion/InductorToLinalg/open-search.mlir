// A search along a dimension beside one that is left open: it has two results, of which no attribute says the names. Sizes that are
// outputs are computed as well.

// RUN: spyre-opt %s --convert-inductor-to-linalg="sizes=s0=64:256" -o %t
// RUN: FileCheck %s --input-file %t
// RUN: spyre-opt %s --convert-inductor-to-linalg="sizes=s0=128" -o %t.fixed
// RUN: spyre-run %t --entry search --size s0=128 --random-seed 1 --integers 3 --compare %t.fixed --compare-entry search | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t --entry search --size s0=192 --on=card --random-seed 2 --integers 3 --compare %t --compare-entry search 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %t --entry sizes --size s0=192 --random-seed 1 | FileCheck %s --check-prefix=SIZES
// RUN: spyre-opt %s --convert-inductor-to-linalg="sizes=s0=128" --remarks-filter=convert-inductor-to-linalg --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// SAME: result 0: 0 of 128 elements differ
// CARD: result 0: 0 of 192 elements differ
// SIZES: result 0: tensor<i64> [384]
// REMARK: HintWithoutLoop{{.*}}Dimension=rows{{.*}}it computes several values at once, whose dimensions have no names

#rows = #inductor.layout<fixed, [32, 1], size = [s0, 32]>
#places = #inductor.layout<fixed, [1], size = [s0]>

// CHECK-LABEL: func.func @search(
// CHECK:         linalg.generic {{.*}} attrs = {spyre.tile = [#spyre.tile_hint<0 : "s0" by 64>]}
// CHECK:         -> (tensor<?xf32>, tensor<?xi64>)
inductor.graph @search symbols [#inductor.sym<"s0", hint = 64>] {
  %x = inductor.input "x" : tensor<?x32xf32, #rows>
  %y = inductor.reduction "op0" as "buf0" argmax [s0] over [32] from f32 {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<?x32xf32, #rows> -> f32
    inductor.store %v at affine_map<(d0, d1) -> (d0)>(%i, %j) : f32
  } {hints = [{dims = {rows = 2}, positions = {rows = 0}, shape = ["s0"]}]} : tensor<?xi64, #places>
  inductor.return %y : tensor<?xi64, #places>
}

// CHECK-LABEL: func.func @sizes(
// CHECK:         tensor.dim
// CHECK:         tensor.from_elements
inductor.graph @sizes symbols [#inductor.sym<"s0", hint = 64>] {
  %x = inductor.input "x" : tensor<?x32xf32, #rows>
  inductor.return %x outputs [affine_map<()[s0] -> (s0 * 2)>, #inductor.operand<0>] : tensor<?x32xf32, #rows>
}

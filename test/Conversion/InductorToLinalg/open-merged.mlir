// A size that is left open, which the graph merges with another dimension for a product: the loops are over each of them, and one
// bundle serves every size. The product of the graph is summed in f32, and the card has products of 16 bits alone.

// RUN: spyre-opt %s --convert-inductor-to-linalg="sizes=s0=16:48" -o %t
// RUN: FileCheck %s --input-file %t
// RUN: spyre-opt %s --convert-inductor-to-linalg="sizes=s0=32" -o %t.fixed
// RUN: spyre-run %t --entry merged --size s0=32 --random-seed 2 --compare %t.fixed --compare-entry merged | FileCheck %s --check-prefix=SAME
// RUN: spyre-opt %t --spyre-import-linalg=float=dl16 -o %t.spyre
// RUN: FileCheck %s --input-file %t.spyre --check-prefix=SPYRE
// RUN: spyre-run %t.spyre --entry merged --size s0=32 --random-seed 2 --compare %t.fixed --compare-entry merged --tolerance 3e-4 | FileCheck %s --check-prefix=SAME
// SAME: result 0: 0 of 2048 elements differ
// RUN: spyre-run %t.spyre --entry merged --size s0=16 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %t.spyre --entry merged --size s0=48 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// CARD: a bundle, same results on the simulated card

#cube = #inductor.layout<fixed, [256, 64, 1], size = [s0, 4, 64]>
#merged = #inductor.layout<fixed, [64, 1], size = [4 * s0, 64]>
#weights = #inductor.layout<fixed, [16, 1]>
#product = #inductor.layout<fixed, [16, 1], size = [4 * s0, 16]>
#result = #inductor.layout<fixed, [64, 16, 1], size = [s0, 4, 16]>
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// CHECK-LABEL: func.func @merged(
// CHECK-NOT:     collapse_shape
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
// CHECK:         -> tensor<?x4x16xf16>
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<?x4x16xf16>)
// The size is one of a batch, along which the weights repeat.
// SPYRE:         spyre.batchmatmul %{{.*}}, %{{.*}} tile [0: "s0" by 16] {{.*}}(tensor<?x4x64xf16>, tensor<1x64x16xf16>) -> tensor<?x4x16xf16>
inductor.graph @merged symbols [#inductor.sym<"s0", hint = 8, min = 2>] {
  %x = inductor.input "x" : tensor<?x4x64xf16, #cube>
  %w = inductor.input "w" : tensor<64x16xf16, #weights>
  %v = inductor.view %x : tensor<?x4x64xf16, #cube> -> tensor<?x64xf16, #merged>
  %p = inductor.extern "op0" as "buf0" "ExternKernelOut" "aten.mm.out"(%v, %w) {constant_args = [], kernel = "extern_kernels.mm", kwargs = {}, origin = "mm", origins = ["mm"]} : (tensor<?x64xf16, #merged>, tensor<64x16xf16, #weights>) -> tensor<?x16xf16, #product>
  %y = inductor.pointwise "op1" as "buf1" [s0, 4, 16] {
  ^bb0(%i: index, %j: index, %k: index):
    %a = inductor.load %p at affine_map<(d0, d1, d2) -> (d0 * 4 + d1, d2)>(%i, %j, %k) : tensor<?x16xf16, #product> -> f32
    %n = arith.negf %a : f32
    inductor.store %n at #all(%i, %j, %k) : f32
  } : tensor<?x4x16xf16, #result>
  inductor.return %y outputs [#inductor.operand<0>] : tensor<?x4x16xf16, #result>
}

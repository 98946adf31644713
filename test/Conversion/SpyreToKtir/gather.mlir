// RUN: spyre-opt %s --convert-spyre-to-ktir --mlir-print-local-scope | FileCheck %s

// The rows that indices choose are a load of an indirect access tile. Indices are in sticks of 32.

#ints = #spyre.layout<(d0) -> (d0 floordiv 32, d0 mod 32)>
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-LABEL: func.func @rows
// CHECK: %[[TABLE:.*]] = ktdp.construct_memory_view %arg1, sizes: [2, 96, 64], strides: [6144, 64, 1]
// CHECK: %[[INDICES:.*]] = ktdp.construct_memory_view %arg0, sizes: [2, 32], strides: [32, 1]
// CHECK: ktdp.construct_indirect_access_tile intermediate_variables(%[[C:.*]], %[[I:.*]], %[[J:.*]], %[[E:.*]]) %[[TABLE]][(%[[C]]), ind(%[[INDICES]][%[[I]], %[[J]]]), (%[[E]])]
// CHECK: ktdp.load {{.*}} -> tensor<2x2x32x64xf16>
// CHECK: linalg.transpose {{.*}} permutation = [1, 2, 0, 3]
// CHECK: tensor.collapse_shape %{{.*}} into tensor<64x128xf16>
func.func @rows(%i: tensor<64xi32, #ints> {spyre.place = #spyre.place<arg 0>}, %t: tensor<96x128xf16, #stick> {spyre.place = #spyre.place<arg 1>}) -> tensor<64x128xf16, #stick> {
  %y = spyre.gather %i, %t dim 0 split [1, 1] place arg 2 : (tensor<64xi32, #ints>, tensor<96x128xf16, #stick>) -> tensor<64x128xf16, #stick>
  return %y : tensor<64x128xf16, #stick>
}

// Dimensions of one element, on sticks and beside them: bundles compute what the programs do.

// RUN: split-file %s %t
// RUN: spyre-run %t/reduced.mlir --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s
// RUN: spyre-run %t/to_one.mlir --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s
// RUN: spyre-run %t/two_sticks.mlir --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s
// RUN: spyre-run %t/columns.mlir --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s
// CHECK: a bundle, same results on the simulated card

//--- reduced.mlir
// The padding of the stick is not added up.
func.func @f(%a: tensor<1xf16>) -> tensor<1xf16> {
  %r = spyre.sum %a dims [0] keepdim : (tensor<1xf16>) -> tensor<1xf16>
  return %r : tensor<1xf16>
}

//--- to_one.mlir
#vector = #spyre.layout<(d0) -> (d0 floordiv 64, d0 mod 64)>
func.func @f(%a: tensor<3xf16, #vector>) -> tensor<1xf16, #vector> {
  %r = spyre.sum %a dims [0] keepdim : (tensor<3xf16, #vector>) -> tensor<1xf16, #vector>
  return %r : tensor<1xf16, #vector>
}

//--- two_sticks.mlir
// Different dimensions of one element on the sticks of the operands.
#last = #spyre.layout<(d0, d1, d2) -> (d1, d2 floordiv 64, d0, d2 mod 64)>
#middle = #spyre.layout<(d0, d1, d2) -> (d2, d1 floordiv 64, d0, d1 mod 64)>
func.func @f(%a: tensor<64x1x1xf16, #last>, %b: tensor<64x1x1xf16, #middle>) -> tensor<64x1x1xf16> {
  %r = spyre.add %a, %b : (tensor<64x1x1xf16, #last>, tensor<64x1x1xf16, #middle>) -> tensor<64x1x1xf16>
  return %r : tensor<64x1x1xf16>
}

//--- columns.mlir
// One column of a product.
func.func @f(%a: tensor<6x65xf16>, %b: tensor<65x1xf16>) -> tensor<6x1xf16> {
  %r = spyre.batchmatmul %a, %b : (tensor<6x65xf16>, tensor<65x1xf16>) -> tensor<6x1xf16>
  return %r : tensor<6x1xf16>
}

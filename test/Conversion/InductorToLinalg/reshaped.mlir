// A buffer that is read through a view of its whole memory, where the loops are no quotients and remainders of its dimensions: the loop
// nest reads the elements in another shape, in place of picking them out one by one.

// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t
// RUN: FileCheck %s --input-file %t
// RUN: spyre-run %t --entry whole --random-seed 1 --compare %t --compare-entry whole_by_hand | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t --entry part --random-seed 1 --compare %t --compare-entry part_by_hand | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t --entry windows --random-seed 1 --compare %t --compare-entry windows_by_hand | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t --entry product --random-seed 1 --compare %t --compare-entry product_by_hand --tolerance 1e-6 | FileCheck %s --check-prefix=SAME
// SAME: result 0: 0 of {{[0-9]+}} elements differ
// RUN: spyre-run %t --entry whole --random-seed 1 --float=dl16 --on card --stats 2>&1 | FileCheck %s --check-prefix=CARD
// CARD: 100.0 % of the work is the device's

#rows = #inductor.layout<fixed, [10, 1], size = [6, 10]>
#line = #inductor.layout<fixed, [1], size = [60]>
#turned = #inductor.layout<fixed, [6, 1], size = [10, 6]>
#square = #inductor.layout<fixed, [7, 1], size = [7, 7]>
#few = #inductor.layout<fixed, [7, 1], size = [5, 7]>
#columns = #inductor.layout<fixed, [6, 1], size = [6, 6]>
#wide = #inductor.layout<fixed, [12, 1], size = [10, 12]>
#all = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @whole(
// CHECK:         %[[LINE:.+]] = tensor.collapse_shape %arg0 {{\[\[}}0, 1]] : tensor<6x10xf16> into tensor<60xf16>
// CHECK:         %[[READ:.+]] = tensor.expand_shape %[[LINE]] {{\[\[}}0, 1]] output_shape [10, 6]
// CHECK:         linalg.generic {{.*}} ins(%[[READ]] : tensor<10x6xf16>)
// CHECK-NOT:     tensor.extract
inductor.graph @whole {
  %x = inductor.input "x" : tensor<6x10xf16, #rows>
  %y = inductor.pointwise "op0" as "buf0" [10, 6] {
  ^bb0(%i: index, %j: index):
    %a = inductor.load %x at affine_map<(d0, d1) -> (d0 * 6 + d1)>(%i, %j) view #line : tensor<6x10xf16, #rows> -> f32
    %n = arith.negf %a : f32
    inductor.store %n at #all(%i, %j) : f32
  } : tensor<10x6xf16, #turned>
  inductor.return %y outputs [#inductor.operand<0>] : tensor<10x6xf16, #turned>
}

// From the twentieth element on.
// CHECK-LABEL: func.func @part(
// CHECK:         %[[LINE:.+]] = tensor.collapse_shape %arg0
// CHECK:         %[[PART:.+]] = tensor.extract_slice %[[LINE]][20] [35] [1]
// CHECK:         tensor.expand_shape %[[PART]] {{\[\[}}0, 1]] output_shape [5, 7]
inductor.graph @part {
  %x = inductor.input "x" : tensor<6x10xf16, #rows>
  %y = inductor.pointwise "op0" as "buf0" [5, 7] {
  ^bb0(%i: index, %j: index):
    %a = inductor.load %x at affine_map<(d0, d1) -> (d0 * 7 + d1 + 20)>(%i, %j) view #line : tensor<6x10xf16, #rows> -> f32
    %n = arith.negf %a : f32
    inductor.store %n at #all(%i, %j) : f32
  } : tensor<5x7xf16, #few>
  inductor.return %y outputs [#inductor.operand<0>] : tensor<5x7xf16, #few>
}

// Windows of six elements, each four behind the one before: elements are read several times.
// CHECK-LABEL: func.func @windows(
// CHECK:         %[[LINE:.+]] = tensor.collapse_shape %arg0
// CHECK:         %[[PART:.+]] = tensor.extract_slice %[[LINE]][0] [26] [1]
// CHECK:         linalg.generic {{.*}} ins(%[[PART]] : tensor<26xf16>)
inductor.graph @windows {
  %x = inductor.input "x" : tensor<6x10xf16, #rows>
  %y = inductor.pointwise "op0" as "buf0" [6, 6] {
  ^bb0(%i: index, %j: index):
    %a = inductor.load %x at affine_map<(d0, d1) -> (d0 * 4 + d1)>(%i, %j) view #line : tensor<6x10xf16, #rows> -> f32
    %n = arith.negf %a : f32
    inductor.store %n at #all(%i, %j) : f32
  } : tensor<6x6xf16, #columns>
  inductor.return %y outputs [#inductor.operand<0>] : tensor<6x6xf16, #columns>
}

// An operand of a product as well.
// CHECK-LABEL: func.func @product(
// CHECK:         tensor.expand_shape {{.*}} output_shape [10, 6]
inductor.graph @product {
  %x = inductor.input "x" : tensor<6x10xf16, #rows>
  %w = inductor.input "w" : tensor<6x12xf16, #inductor.layout<fixed, [12, 1]>>
  %v = inductor.view %x : tensor<6x10xf16, #rows> -> tensor<10x6xf16, #turned>
  %p = inductor.extern "op0" as "buf0" "ExternKernelOut" "aten.mm.out"(%v, %w) {constant_args = [], kernel = "extern_kernels.mm", kwargs = {}, origin = "mm", origins = ["mm"]} : (tensor<10x6xf16, #turned>, tensor<6x12xf16, #inductor.layout<fixed, [12, 1]>>) -> tensor<10x12xf16, #wide>
  inductor.return %p outputs [#inductor.operand<0>] : tensor<10x12xf16, #wide>
}

// The same, where the places are computed in the memory of the buffer.
func.func @whole_by_hand(%x: tensor<6x10xf16>) -> tensor<10x6xf16> {
  %y = tensor.generate {
  ^bb0(%i: index, %j: index):
    %r = affine.apply affine_map<(d0, d1) -> ((d0 * 6 + d1) floordiv 10)>(%i, %j)
    %c = affine.apply affine_map<(d0, d1) -> ((d0 * 6 + d1) mod 10)>(%i, %j)
    %a = tensor.extract %x[%r, %c] : tensor<6x10xf16>
    %n = arith.negf %a : f16
    tensor.yield %n : f16
  } : tensor<10x6xf16>
  return %y : tensor<10x6xf16>
}

func.func @part_by_hand(%x: tensor<6x10xf16>) -> tensor<5x7xf16> {
  %y = tensor.generate {
  ^bb0(%i: index, %j: index):
    %r = affine.apply affine_map<(d0, d1) -> ((d0 * 7 + d1 + 20) floordiv 10)>(%i, %j)
    %c = affine.apply affine_map<(d0, d1) -> ((d0 * 7 + d1 + 20) mod 10)>(%i, %j)
    %a = tensor.extract %x[%r, %c] : tensor<6x10xf16>
    %n = arith.negf %a : f16
    tensor.yield %n : f16
  } : tensor<5x7xf16>
  return %y : tensor<5x7xf16>
}

func.func @windows_by_hand(%x: tensor<6x10xf16>) -> tensor<6x6xf16> {
  %y = tensor.generate {
  ^bb0(%i: index, %j: index):
    %r = affine.apply affine_map<(d0, d1) -> ((d0 * 4 + d1) floordiv 10)>(%i, %j)
    %c = affine.apply affine_map<(d0, d1) -> ((d0 * 4 + d1) mod 10)>(%i, %j)
    %a = tensor.extract %x[%r, %c] : tensor<6x10xf16>
    %n = arith.negf %a : f16
    tensor.yield %n : f16
  } : tensor<6x6xf16>
  return %y : tensor<6x6xf16>
}

func.func @product_by_hand(%x: tensor<6x10xf16>, %w: tensor<6x12xf16>) -> tensor<10x12xf16> {
  %v = tensor.generate {
  ^bb0(%i: index, %j: index):
    %r = affine.apply affine_map<(d0, d1) -> ((d0 * 6 + d1) floordiv 10)>(%i, %j)
    %c = affine.apply affine_map<(d0, d1) -> ((d0 * 6 + d1) mod 10)>(%i, %j)
    %a = tensor.extract %x[%r, %c] : tensor<6x10xf16>
    tensor.yield %a : f16
  } : tensor<10x6xf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<10x12xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<10x12xf32>) -> tensor<10x12xf32>
  %s = linalg.matmul ins(%v, %w : tensor<10x6xf16>, tensor<6x12xf16>) outs(%f : tensor<10x12xf32>) -> tensor<10x12xf32>
  %p = arith.truncf %s : tensor<10x12xf32> to tensor<10x12xf16>
  return %p : tensor<10x12xf16>
}

// A layer norm of 16 bits that is computed in 32. Its rows end inside of a stick, and a cast leaves the elements of sticks in an order of
// its own: the statistics need the rows side by side on the sticks, so that the OpFuncs of a layer norm are not used.

// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t.mlir
// RUN: spyre-opt %t.mlir '--spyre-import-linalg=host=true float=exact' -o %t.device.mlir
// RUN: FileCheck %s --input-file %t.device.mlir
// RUN: spyre-run %t.mlir --on=card --float=exact --random-seed 1 --compare %t.mlir --tolerance 5e-3 | FileCheck %s --check-prefix=SAME
// CHECK: spyre.dl16tofp32
// CHECK-NOT: spyre.layernormnorm
// SAME: result 0: 0 of 768 elements differ

// Rows of whole sticks have it, in that order of elements; the card runs it, and no part stays on the host.
// RUN: sed -e 's/96/128/g' %s | spyre-opt --convert-inductor-to-linalg -o %t.whole.mlir
// RUN: spyre-opt %t.whole.mlir '--spyre-import-linalg=host=true float=exact' | FileCheck %s --check-prefix=WHOLE
// RUN: spyre-run %t.whole.mlir --on=card --float=exact --random-seed 1 --compare %t.whole.mlir --tolerance 5e-3 2>&1 | FileCheck %s --check-prefix=CARD --implicit-check-not=warning
// CARD: result 0: 0 of 1024 elements differ
// WHOLE: spyre.exx2 {{.*}} : (tensor<8x128xf32>) -> tensor<8x2xf32>
// WHOLE: spyre.layernormnorm

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0, 0)>
#c = affine_map<(d0, d1) -> (d1)>
!h = tensor<8x96xf16, #inductor.layout<fixed, [96, 1]>>
!r = tensor<8x1xf32, #inductor.layout<fixed, [1, 1]>>
!w = tensor<96xf16, #inductor.layout<fixed, [1]>>
inductor.graph @f {
  %x = inductor.input "x" : !h
  %w = inductor.input "w" : !w
  %b = inductor.input "b" : !w
  %mean = inductor.reduction "op0" as "buf0" sum [8, 1] over [96] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !h -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : !r
  %var = inductor.reduction "op1" as "buf1" sum [8, 1] over [96] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !h -> f32
    %1 = inductor.load %mean at #row(%i, %j) : !r -> f32
    %n = arith.constant 96.0 : f32
    %2 = arith.divf %1, %n : f32
    %3 = arith.subf %0, %2 : f32
    %4 = arith.mulf %3, %3 : f32
    inductor.store %4 at #row(%i, %j) : f32
  } : !r
  %y = inductor.pointwise "op2" as "buf2" [8, 96] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !h -> f32
    %1 = inductor.load %mean at #row(%i, %j) : !r -> f32
    %n = arith.constant 96.0 : f32
    %2 = arith.divf %1, %n : f32
    %3 = arith.subf %0, %2 : f32
    %4 = inductor.load %var at #row(%i, %j) : !r -> f32
    %5 = arith.divf %4, %n : f32
    %e = arith.constant 1.0e-5 : f32
    %6 = arith.addf %5, %e : f32
    %7 = math.rsqrt %6 : f32
    %8 = arith.mulf %3, %7 : f32
    %9 = inductor.load %w at #c(%i, %j) : !w -> f32
    %10 = arith.mulf %8, %9 : f32
    %11 = inductor.load %b at #c(%i, %j) : !w -> f32
    %12 = arith.addf %10, %11 : f32
    inductor.store %12 at #id(%i, %j) : f32
  } : !h
  inductor.return %y outputs [#inductor.operand<0>] : !h
}

// RUN: spyre-opt %s --spyre-work-division | FileCheck %s

// How many cores each dimension gets, with the 32 cores of the default target.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#transposed = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#sparse = #spyre.layout<(d0, d1) -> (d1, 0, d0, 0)>
#f32 = #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32)>

// The larger dimension first, the stick dimension counted in sticks: 16 rows are less than 32 sticks.
// CHECK-LABEL: func.func @larger_first
// CHECK:       spyre.exp %arg0 split [32, 1]
// CHECK:       spyre.exp %arg1 split [1, 32]
// CHECK:       spyre.exp %arg2 split [8, 4]
func.func @larger_first(%a: tensor<512x1024xf16, #stick>, %b: tensor<16x2048xf16, #stick>, %c: tensor<8x256xf16, #stick>) -> (tensor<512x1024xf16, #stick>, tensor<16x2048xf16, #stick>, tensor<8x256xf16, #stick>) {
  %0 = spyre.exp %a : tensor<512x1024xf16, #stick>
  %1 = spyre.exp %b : tensor<16x2048xf16, #stick>
  %2 = spyre.exp %c : tensor<8x256xf16, #stick>
  return %0, %1, %2 : tensor<512x1024xf16, #stick>, tensor<16x2048xf16, #stick>, tensor<8x256xf16, #stick>
}

// Largest divisors, not largest numbers: 7 of 32 cores leave 4, and 6 sticks divide by 3.
// CHECK-LABEL: func.func @divisors
// CHECK:       spyre.exp %arg0 split [7, 3]
// CHECK:       spyre.exp %arg1 split [1, 1]
func.func @divisors(%a: tensor<7x384xf16, #stick>, %b: tensor<37x64xf16, #stick>) -> (tensor<7x384xf16, #stick>, tensor<37x64xf16, #stick>) {
  %0 = spyre.exp %a : tensor<7x384xf16, #stick>
  %1 = spyre.exp %b : tensor<37x64xf16, #stick>
  return %0, %1 : tensor<7x384xf16, #stick>, tensor<37x64xf16, #stick>
}

// The stick is where the layout says, and holds as many elements as the type allows: 64 rows are one stick.
// CHECK-LABEL: func.func @sticks_follow_the_layout
// CHECK:       spyre.exp %arg0 split [1, 4] : tensor<64x4xf16
// CHECK:       spyre.exp %arg1 split [4, 4] : tensor<4x128xf32
// CHECK:       spyre.exp %arg2 split [32, 1] : tensor<64x1xf16
func.func @sticks_follow_the_layout(%a: tensor<64x4xf16, #transposed>, %b: tensor<4x128xf32, #f32>, %c: tensor<64x1xf16, #sparse>) -> (tensor<64x4xf16, #transposed>, tensor<4x128xf32, #f32>, tensor<64x1xf16, #sparse>) {
  %0 = spyre.exp %a : tensor<64x4xf16, #transposed>
  %1 = spyre.exp %b : tensor<4x128xf32, #f32>
  %2 = spyre.exp %c : tensor<64x1xf16, #sparse>
  return %0, %1, %2 : tensor<64x4xf16, #transposed>, tensor<4x128xf32, #f32>, tensor<64x1xf16, #sparse>
}

// Both sides of a restickify count: both dimensions go by sticks, 2 and 4 of them.
// CHECK-LABEL: func.func @sticks_of_every_tensor
// CHECK:       spyre.restickify %arg0 split [2, 4]
func.func @sticks_of_every_tensor(%a: tensor<128x256xf16, #stick>) -> tensor<128x256xf16, #transposed> {
  %0 = spyre.restickify %a : (tensor<128x256xf16, #stick>) -> tensor<128x256xf16, #transposed>
  return %0 : tensor<128x256xf16, #transposed>
}

// A dimension that ends in a partly filled stick is not split: the parts would be unequal.
// CHECK-LABEL: func.func @partly_filled_stick
// CHECK:       spyre.exp %arg0 split [2, 1]
func.func @partly_filled_stick(%a: tensor<2x1000xf16, #stick>) -> tensor<2x1000xf16, #stick> {
  %0 = spyre.exp %a : tensor<2x1000xf16, #stick>
  return %0 : tensor<2x1000xf16, #stick>
}

// Reduction dimensions follow the result's and are not split, however large.
// CHECK-LABEL: func.func @reductions
// CHECK:       spyre.sum %arg0 dims [0] split [8, 1] : (tensor<4096x512xf16>) -> tensor<512xf16>
// CHECK:       spyre.max %arg0 dims [1] keepdim split [32, 1, 1]
// CHECK:       spyre.batchmatmul %arg1, %arg2 split [16, 2, 1]
func.func @reductions(%a: tensor<4096x512xf16>, %l: tensor<16x4096xf16>, %r: tensor<4096x128xf16>) -> (tensor<512xf16>, tensor<4096x1xf16>, tensor<16x128xf16>) {
  %0 = spyre.sum %a dims [0] : (tensor<4096x512xf16>) -> tensor<512xf16>
  %1 = spyre.max %a dims [1] keepdim : (tensor<4096x512xf16>) -> tensor<4096x1xf16>
  %2 = spyre.batchmatmul %l, %r : (tensor<16x4096xf16>, tensor<4096x128xf16>) -> tensor<16x128xf16>
  return %0, %1, %2 : tensor<512xf16>, tensor<4096x1xf16>, tensor<16x128xf16>
}

// Operations in loops are divided by the extents of their tiles.
// CHECK-LABEL: func.func @in_a_loop
// CHECK:       scf.for
// CHECK:         spyre.exp %{{.+}} split [16, 2]
func.func @in_a_loop(%a: tensor<64x128xf16>) -> tensor<64x128xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %init = spyre.empty : tensor<64x128xf16>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %init) -> tensor<64x128xf16> {
    %at = affine.apply affine_map<(d0) -> (d0 * 16)>(%i)
    %w = tensor.extract_slice %a[%at, 0] [16, 128] [1, 1] : tensor<64x128xf16> to tensor<16x128xf16>
    %y = spyre.exp %w : tensor<16x128xf16>
    %n = tensor.insert_slice %y into %acc[%at, 0] [16, 128] [1, 1] : tensor<16x128xf16> into tensor<64x128xf16>
    scf.yield %n : tensor<64x128xf16>
  }
  return %r : tensor<64x128xf16>
}

// A split that is already there stays, and a scalar has nothing to split.
// CHECK-LABEL: func.func @left_alone
// CHECK:       spyre.exp %arg0 split [4, 2]
// CHECK:       spyre.exp %arg1 split [] : tensor<f16>
func.func @left_alone(%a: tensor<64x128xf16>, %s: tensor<f16>) -> (tensor<64x128xf16>, tensor<f16>) {
  %0 = spyre.exp %a split [4, 2] : tensor<64x128xf16>
  %1 = spyre.exp %s : tensor<f16>
  return %0, %1 : tensor<64x128xf16>, tensor<f16>
}

// What takes coordinates from a tensor runs on one core, and what reads its result on many.
// CHECK-LABEL: func.func @gather
// CHECK:       spyre.gather %arg0, %arg1 dim 0 split [1, 1]
// CHECK:       spyre.exp %{{.+}} split [32, 1]
func.func @gather(%i: tensor<64xi32>, %t: tensor<128x256xf16, #stick>) -> tensor<64x256xf16, #stick> {
  %0 = spyre.gather %i, %t dim 0 : (tensor<64xi32>, tensor<128x256xf16, #stick>) -> tensor<64x256xf16, #stick>
  %1 = spyre.exp %0 : tensor<64x256xf16, #stick>
  return %1 : tensor<64x256xf16, #stick>
}

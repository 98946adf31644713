// Programs of tinyspec of which the card takes a part, or nothing: the rest runs on the host, with the reason.

// RUN: spyre-opt %s --convert-uop-to-linalg -o %t.mlir
// RUN: spyre-run %t.mlir --entry rank --on=card --random-seed 1 --compare %t.mlir --compare-entry rank 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: spyre-run %t.mlir --entry padded --on=card --random-seed 1 --compare %t.mlir --compare-entry padded 2>&1 | FileCheck %s --check-prefix=PADDED
// RUN: spyre-run %t.mlir --entry wide --on=card --random-seed 1 --special-values --compare %t.mlir --compare-entry wide --stats 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: spyre-run %t.mlir --entry view --on=card --random-seed 1 --integers 8 --compare %t.mlir --compare-entry view 2>&1 | FileCheck %s --check-prefix=VIEW

// A convolution of two images, in seven dimensions, of which one has one element; and rows of f32 that end inside a stick.
// RANK: warning: @rank_device_0 stays on the host: {{.*}}op 'max' {{.*}}elements of 32 bits (IEEE_FP32) cannot be masked
// RANK: result 0: 0 of 24 elements differ
func.func @rank(%x: tensor<2x1x2x2x3x2x2xf32>, %y: tensor<2x1x2x2x3x2x2xf32>) -> tensor<2x1x2x2x3x1x1xf32> {
  %0 = uop.max %x, %y : tensor<2x1x2x2x3x2x2xf32>
  %1 = uop.reduce max %0 axes [5, 6] : tensor<2x1x2x2x3x2x2xf32>
  return %1 : tensor<2x1x2x2x3x1x1xf32>
}

// A truth value of 32 bits.
// PADDED: warning: @padded_device_0 stays on the host:
// PADDED: result 0: 0 of 35 elements differ
func.func @padded(%x: tensor<33xf32>, %y: tensor<33xf32>) -> tensor<35xi1> {
  %0 = uop.cmplt %x, %y : tensor<33xf32>
  %1 = uop.pad %0 at [1] to [35] : tensor<33xi1>
  return %1 : tensor<35xi1>
}

// Integers beyond the 32 bits of device memory.
// WIDE: 0.0 % of the work is the device's
// WIDE: result 0: 0 of 64 elements differ
// WIDE: result 1: 0 of 64 elements differ
// WIDE: result 2: 0 of 1 elements differ
// WIDE: result 3: 0 of 64 elements differ
func.func @wide(%x: tensor<64xi64>, %y: tensor<64xi64>) -> (tensor<64xi1>, tensor<64xi64>, tensor<1xi64>, tensor<64xi32>) {
  %0 = uop.cmplt %x, %y : tensor<64xi64>
  %1 = uop.where %0, %x, %y : tensor<64xi64>
  %2 = uop.reduce max %1 axes [0] : tensor<64xi64>
  %3 = uop.cast %y : tensor<64xi64> to tensor<64xi32>
  return %0, %1, %2, %3 : tensor<64xi1>, tensor<64xi64>, tensor<1xi64>, tensor<64xi32>
}

// Columns that a reshape cuts into rows.
// VIEW: result 0: 0 of 24 elements differ
// VIEW: result 1: 0 of 72 elements differ
func.func @view(%x: tensor<4x6xf16>) -> (tensor<8x3xf16>, tensor<6x12xf16>) {
  %0 = uop.permute %x [1, 0] : tensor<4x6xf16>
  %1 = uop.reshape %0 to [8, 3] : tensor<6x4xf16>
  %2 = uop.add %1, %1 : tensor<8x3xf16>
  %3 = uop.reshape %2 to [1, 24] : tensor<8x3xf16>
  %4 = uop.expand %3 to [3, 24] : tensor<1x24xf16>
  %5 = uop.reshape %4 to [6, 12] : tensor<3x24xf16>
  %6 = uop.max %5, %5 : tensor<6x12xf16>
  return %2, %6 : tensor<8x3xf16>, tensor<6x12xf16>
}

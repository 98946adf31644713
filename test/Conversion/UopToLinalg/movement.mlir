// Movements, run. The numbers are NumPy's.

// RUN: spyre-opt %s --convert-uop-to-linalg -o %t
// RUN: FileCheck %s --check-prefix=IR --input-file %t
// RUN: spyre-run %t --entry prefix_sum | FileCheck %s --check-prefix=PREFIX
// RUN: spyre-run %t --entry depth | FileCheck %s --check-prefix=DEPTH
// RUN: spyre-run %t --entry tiled | FileCheck %s --check-prefix=TILED
// RUN: spyre-run %t --entry windows | FileCheck %s --check-prefix=WINDOWS
// RUN: spyre-run %t --entry around | FileCheck %s --check-prefix=AROUND
// RUN: spyre-run %t --entry masked | FileCheck %s --check-prefix=MASKED
// RUN: spyre-run %t --entry stacked | FileCheck %s --check-prefix=STACKED
// RUN: spyre-run %t --entry bits | FileCheck %s --check-prefix=BITS

// The windows of the specification are a sum of two loops over the padded numbers, without a quotient.
// IR: affine_map<(d0, d1) -> (d0 + d1)>
// IR-LABEL: func.func @prefix_sum
// IR: tensor.pad {{.*}} low[3] high[0]
// IR-NOT: arith.select
// PREFIX{LITERAL}: result 0: tensor<4xi32> [1, 3, 6, 10]
func.func @prefix_sum() -> tensor<4xi32> {
  %x = uop.const dense<[1, 2, 3, 4]> : tensor<4xi32>
  %0 = uop.pad %x at [3] to [7] : tensor<4xi32>
  %1 = uop.reshape %0 to [1, 7] : tensor<7xi32>
  %2 = uop.expand %1 to [5, 7] : tensor<1x7xi32>
  %3 = uop.reshape %2 to [35] : tensor<5x7xi32>
  %4 = uop.shrink %3 at [0] to [32] : tensor<35xi32>
  %5 = uop.reshape %4 to [4, 8] : tensor<32xi32>
  %6 = uop.shrink %5 at [0, 0] to [4, 4] : tensor<4x8xi32>
  %7 = uop.reduce add %6 axes [1] : tensor<4x4xi32>
  %8 = uop.reshape %7 to [4] : tensor<4x1xi32>
  return %8 : tensor<4xi32>
}

// Loops are cut into digits.
// IR-LABEL: func.func @depth
// IR: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel"]
// DEPTH{LITERAL}: result 0: tensor<3x4xi32> [0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11]
func.func @depth() -> tensor<3x4xi32> {
  %x = uop.const dense<[[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]> : tensor<2x6xi32>
  %0 = uop.reshape %x to [2, 3, 2] : tensor<2x6xi32>
  %1 = uop.permute %0 [1, 0, 2] : tensor<2x3x2xi32>
  %2 = uop.reshape %1 to [3, 4] : tensor<3x2x2xi32>
  return %2 : tensor<3x4xi32>
}

// What is repeated is a broadcast: no map has a remainder.
// IR-LABEL: func.func @tiled
// IR: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel"]
// IR-NOT: mod
// TILED{LITERAL}: result 0: tensor<4x6xi32> [1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6, 1, 2, 3, 1, ...]
func.func @tiled() -> tensor<4x6xi32> {
  %x = uop.const dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %0 = uop.reshape %x to [1, 2, 1, 3] : tensor<2x3xi32>
  %1 = uop.expand %0 to [2, 2, 2, 3] : tensor<1x2x1x3xi32>
  %2 = uop.reshape %1 to [4, 6] : tensor<2x2x2x3xi32>
  return %2 : tensor<4x6xi32>
}

// Windows of two at a distance of two, as pooling makes them: copies of a line of four, of which every fifth element begins a row. A
// remainder of a sum that stays below its divisor is the sum.
// IR-LABEL: func.func @windows
// IR-NOT: mod
// WINDOWS{LITERAL}: result 0: tensor<2x2xi32> [1, 3, 2, 4]
func.func @windows() -> tensor<2x2xi32> {
  %x = uop.const dense<[1, 2, 3, 4]> : tensor<4xi32>
  %0 = uop.reshape %x to [1, 4] : tensor<4xi32>
  %1 = uop.expand %0 to [3, 4] : tensor<1x4xi32>
  %2 = uop.reshape %1 to [12] : tensor<3x4xi32>
  %3 = uop.shrink %2 at [0] to [10] : tensor<12xi32>
  %4 = uop.reshape %3 to [2, 5] : tensor<10xi32>
  %5 = uop.shrink %4 at [0, 0] to [2, 4] : tensor<2x5xi32>
  %6 = uop.reshape %5 to [2, 2, 2] : tensor<2x4xi32>
  %7 = uop.shrink %6 at [0, 0, 0] to [2, 2, 1] : tensor<2x2x2xi32>
  %8 = uop.reshape %7 to [2, 2] : tensor<2x2x1xi32>
  return %8 : tensor<2x2xi32>
}

// A maximum over padding is that of 0.
// AROUND{LITERAL}: result 0: tensor<2x5xf32> [0.0, -3.0, -2.0, -1.0, 0.0, 0.0, -6.0, -5.0, -4.0, 0.0]
// AROUND{LITERAL}: result 1: tensor<2x1xf32> [0.0, 0.0]
func.func @around() -> (tensor<2x5xf32>, tensor<2x1xf32>) {
  %x = uop.const dense<[[-1.0, -2.0, -3.0], [-4.0, -5.0, -6.0]]> : tensor<2x3xf32>
  %0 = uop.flip %x [false, true] : tensor<2x3xf32>
  %1 = uop.pad %0 at [0, 1] to [2, 5] : tensor<2x3xf32>
  %2 = uop.reduce max %1 axes [1] : tensor<2x5xf32>
  return %1, %2 : tensor<2x5xf32>, tensor<2x1xf32>
}

// A bound that is none of the tensor's.
// IR-LABEL: func.func @masked
// IR: arith.select
// MASKED{LITERAL}: result 0: tensor<3x2xi32> [0, 0, 1, 2, 3, 4]
func.func @masked() -> tensor<3x2xi32> {
  %x = uop.const dense<[1, 2, 3, 4]> : tensor<4xi32>
  %0 = uop.reshape %x to [2, 2] : tensor<4xi32>
  %1 = uop.pad %0 at [1, 0] to [3, 2] : tensor<2x2xi32>
  return %1 : tensor<3x2xi32>
}

// STACKED{LITERAL}: result 0: tensor<2x3xi32> [1, 2, 3, 3, 2, 1]
func.func @stacked() -> tensor<2x3xi32> {
  %x = uop.const dense<[1, 2, 3]> : tensor<3xi32>
  %0 = uop.flip %x [true] : tensor<3xi32>
  %1 = uop.stack %x, %0 : tensor<3xi32>, tensor<3xi32>
  return %1 : tensor<2x3xi32>
}

// The first element is the low part.
// BITS{LITERAL}: result 0: tensor<1xi32> [67305985]
// BITS{LITERAL}: result 1: tensor<4xi8> [0, 0, -128, 63]
func.func @bits() -> (tensor<1xui32>, tensor<4xui8>) {
  %x = uop.const dense<[1, 2, 3, 4]> : tensor<4xui8>
  %0 = uop.bitcast %x to ui32 : tensor<4xui8>
  %y = uop.const dense<1.0> : tensor<1xf32>
  %1 = uop.bitcast %y to ui8 : tensor<1xf32>
  return %0, %1 : tensor<1xui32>, tensor<4xui8>
}

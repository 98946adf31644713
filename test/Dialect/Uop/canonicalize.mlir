// RUN: spyre-opt %s --canonicalize | FileCheck %s

// Movements of movements are one, what moves nothing is gone, and integers are computed.

// CHECK-LABEL: func.func @two_are_one
func.func @two_are_one(%x: tensor<2x3x4xf32>) -> (tensor<4x2x3xf32>, tensor<2x3x4xf32>, tensor<24xf32>, tensor<1x1x1xf32>) {
  // CHECK: %[[P:.*]] = uop.permute %arg0 [2, 0, 1] : tensor<2x3x4xf32>
  %0 = uop.permute %x [1, 2, 0] : tensor<2x3x4xf32>
  %1 = uop.permute %0 [1, 2, 0] : tensor<3x4x2xf32>
  // CHECK: %[[F:.*]] = uop.flip %arg0 [true, false, true] : tensor<2x3x4xf32>
  %2 = uop.flip %x [true, true, false] : tensor<2x3x4xf32>
  %3 = uop.flip %2 [false, true, true] : tensor<2x3x4xf32>
  // CHECK: %[[R:.*]] = uop.reshape %arg0 to [24] : tensor<2x3x4xf32>
  %4 = uop.reshape %x to [6, 4] : tensor<2x3x4xf32>
  %5 = uop.reshape %4 to [24] : tensor<6x4xf32>
  // CHECK: %[[S:.*]] = uop.shrink %arg0 at [1, 2, 1] to [1, 1, 1] : tensor<2x3x4xf32>
  %6 = uop.shrink %x at [0, 1, 1] to [2, 2, 2] : tensor<2x3x4xf32>
  %7 = uop.shrink %6 at [1, 1, 0] to [1, 1, 1] : tensor<2x2x2xf32>
  // CHECK: return %[[P]], %[[F]], %[[R]], %[[S]]
  return %1, %3, %5, %7 : tensor<4x2x3xf32>, tensor<2x3x4xf32>, tensor<24xf32>, tensor<1x1x1xf32>
}

// CHECK-LABEL: func.func @nothing
func.func @nothing(%x: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %0 = uop.permute %x [0, 1] : tensor<2x1xf32>
  %1 = uop.flip %0 [false, true] : tensor<2x1xf32>
  %2 = uop.reshape %1 to [2, 1] : tensor<2x1xf32>
  %3 = uop.expand %2 to [2, 1] : tensor<2x1xf32>
  %4 = uop.pad %3 at [0, 0] to [2, 1] : tensor<2x1xf32>
  %5 = uop.shrink %4 at [0, 0] to [2, 1] : tensor<2x1xf32>
  %6 = uop.contiguous %5 : tensor<2x1xf32>
  %7 = uop.contiguous_backward %6 : tensor<2x1xf32>
  %8 = uop.detach %7 : tensor<2x1xf32>
  %9 = uop.cast %8 : tensor<2x1xf32> to tensor<2x1xf32>
  %10 = uop.bitcast %9 to f32 : tensor<2x1xf32>
  // CHECK-NEXT: return %arg0
  return %10 : tensor<2x1xf32>
}

// CHECK-LABEL: func.func @padding
func.func @padding(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<3xf32>) {
  // CHECK: %[[P:.*]] = uop.pad
  %0 = uop.pad %x at [2] to [8] : tensor<4xf32>
  // Inside.
  // CHECK: %[[I:.*]] = uop.shrink %arg0 at [1] to [2] : tensor<4xf32>
  %1 = uop.shrink %0 at [3] to [2] : tensor<8xf32>
  // A zero is read.
  // CHECK: %[[O:.*]] = uop.shrink %[[P]] at [1] to [3] : tensor<8xf32>
  %2 = uop.shrink %0 at [1] to [3] : tensor<8xf32>
  // CHECK: return %[[I]], %[[O]]
  return %1, %2 : tensor<2xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @constants
func.func @constants() -> (tensor<2x3xf32>, tensor<4xi8>, tensor<1xi8>, tensor<1xi8>, tensor<1xi1>) {
  // CHECK-DAG: %[[F:.*]] = uop.const dense<2.500000e+00> : tensor<2x3xf32>
  // CHECK-DAG: %[[I:.*]] = uop.const dense<-56> : tensor<4xi8>
  // CHECK-DAG: %[[A:.*]] = uop.const dense<44> : tensor<1xi8>
  // CHECK-DAG: %[[M:.*]] = uop.const dense<81> : tensor<1xi8>
  // CHECK-DAG: %[[T:.*]] = uop.const dense<true> : tensor<1xi1>
  %0 = uop.const dense<2.5> : tensor<f32>
  %1 = uop.reshape %0 to [1, 1] : tensor<f32>
  %2 = uop.expand %1 to [3, 2] : tensor<1x1xf32>
  %3 = uop.permute %2 [1, 0] : tensor<3x2xf32>
  %4 = uop.const dense<100> : tensor<4xi8>
  %5 = uop.add %4, %4 : tensor<4xi8>
  // 3 * 100
  %6 = uop.const dense<100> : tensor<3xi8>
  %7 = uop.reduce add %6 axes [0] : tensor<3xi8>
  %8 = uop.const dense<3> : tensor<4xi8>
  %9 = uop.reduce mul %8 axes [0] : tensor<4xi8>
  // Truth values are not counted.
  %10 = uop.const dense<true> : tensor<2xi1>
  %11 = uop.reduce add %10 axes [0] : tensor<2xi1>
  // CHECK: return %[[F]], %[[I]], %[[A]], %[[M]], %[[T]]
  return %3, %5, %7, %9, %11 : tensor<2x3xf32>, tensor<4xi8>, tensor<1xi8>, tensor<1xi8>, tensor<1xi1>
}

// CHECK-LABEL: func.func @reductions
func.func @reductions(%x: tensor<1x4xi32>, %f: tensor<1x4xf32>, %e: tensor<0x4xf32>) -> (tensor<1x1xi32>, tensor<1x4xi32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) {
  // CHECK-DAG: %[[E:.*]] = uop.const dense<1.000000e+00> : tensor<1x4xf32>
  // CHECK-DAG: %[[I:.*]] = uop.reduce max %arg0 axes [1] : tensor<1x4xi32>
  %0 = uop.reduce max %x axes [0, 1] : tensor<1x4xi32>
  %1 = uop.reduce add %x axes [0] : tensor<1x4xi32>
  // -0.0 is added to 0, and a maximum skips NaN.
  // CHECK-DAG: %[[A:.*]] = uop.reduce add %arg1 axes [0] : tensor<1x4xf32>
  %2 = uop.reduce add %f axes [0] : tensor<1x4xf32>
  %3 = uop.reduce mul %f axes [0] : tensor<1x4xf32>
  %4 = uop.reduce mul %e axes [0] : tensor<0x4xf32>
  // CHECK: return %[[I]], %arg0, %[[A]], %arg1, %[[E]]
  return %0, %1, %2, %3, %4 : tensor<1x1xi32>, tensor<1x4xi32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>
}

// CHECK-LABEL: func.func @identities
func.func @identities(%x: tensor<4xi32>, %b: tensor<4xi1>, %f: tensor<4xf32>) -> (tensor<4xi32>, tensor<4xi1>, tensor<4xf32>, tensor<4xi32>) {
  %zero = uop.const dense<0> : tensor<4xi32>
  %one = uop.const dense<1> : tensor<4xi32>
  %0 = uop.add %zero, %x : tensor<4xi32>
  %1 = uop.mul %0, %one : tensor<4xi32>
  %2 = uop.not %b : tensor<4xi1>
  %3 = uop.not %2 : tensor<4xi1>
  %true = uop.const dense<true> : tensor<4xi1>
  // -0.0 + 0.0 is 0.0.
  // CHECK-DAG: %[[F:.*]] = uop.add %arg2
  %fzero = uop.const dense<0.0> : tensor<4xf32>
  %4 = uop.add %f, %fzero : tensor<4xf32>
  %5 = uop.where %true, %x, %zero : tensor<4xi32>
  // CHECK: return %arg0, %arg1, %[[F]], %arg0
  return %1, %3, %4, %5 : tensor<4xi32>, tensor<4xi1>, tensor<4xf32>, tensor<4xi32>
}

// Zeros inside of padding, elements of a constant, and constants that are alike.
// CHECK-LABEL: func.func @constants_elsewhere
func.func @constants_elsewhere(%x: tensor<4xf32>, %i: tensor<3xi32>) -> (tensor<6xi8>, tensor<6xf32>, tensor<6xf32>, tensor<4xf32>, tensor<3x2xi32>, tensor<2x3xi32>, tensor<2x3xi32>) {
  // CHECK-DAG: %[[Z:.*]] = uop.const dense<0> : tensor<6xi8>
  %0 = uop.const dense<0> : tensor<2xi8>
  %1 = uop.pad %0 at [1] to [6] : tensor<2xi8>
  // CHECK-DAG: %[[F:.*]] = uop.const dense<0.000000e+00> : tensor<6xf32>
  %2 = uop.const dense<0.0> : tensor<2xf32>
  %3 = uop.pad %2 at [1] to [6] : tensor<2xf32>
  // Padding has no sign.
  // CHECK-DAG: %[[N:.*]] = uop.pad %{{.*}} at [1] to [6] : tensor<2xf32>
  %4 = uop.const dense<-0.0> : tensor<2xf32>
  %5 = uop.pad %4 at [1] to [6] : tensor<2xf32>
  %6 = uop.index %x : tensor<4xf32>
  // CHECK-DAG: %[[P:.*]] = uop.const dense<7> : tensor<3x2xi32>
  %7 = uop.const dense<7> : tensor<5x2xi32>
  %8 = uop.index %7[%i] : tensor<5x2xi32>[tensor<3xi32>]
  // CHECK-DAG: %[[S:.*]] = uop.const dense<7> : tensor<2x3xi32>
  %9 = uop.const dense<7> : tensor<3xi32>
  %10 = uop.stack %9, %9 : tensor<3xi32>, tensor<3xi32>
  // CHECK-DAG: %[[D:.*]] = uop.stack
  %11 = uop.const dense<8> : tensor<3xi32>
  %12 = uop.stack %9, %11 : tensor<3xi32>, tensor<3xi32>
  // CHECK: return %[[Z]], %[[F]], %[[N]], %arg0, %[[P]], %[[S]], %[[D]]
  return %1, %3, %5, %6, %8, %10, %12 : tensor<6xi8>, tensor<6xf32>, tensor<6xf32>, tensor<4xf32>, tensor<3x2xi32>, tensor<2x3xi32>, tensor<2x3xi32>
}

// A float of 32 bits becomes an i64 by an operation of the device where the program bounds it, so that 32 bits hold the integer. The
// card has no arithmetic of integers, so the host runs that operation, and the device what bounds the float.

// RUN: spyre-opt %s --spyre-import-linalg=host=true | FileCheck %s
// RUN: spyre-opt %s --spyre-import-linalg=host=true --remarks-filter=convert-linalg-to-spyre --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: spyre-opt %s --spyre-import-linalg=host=true --remarks-filter=spyre-outline-device -o /dev/null 2>&1 | FileCheck %s --check-prefix=OUTLINE
// RUN: spyre-run %s --entry clamped --input %S/Inputs/spread.npy --on=card --compare %s --compare-entry clamped 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry chosen --input %S/Inputs/spread.npy --on=card --compare %s --compare-entry chosen 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry image --input %S/Inputs/spread.npy --on=card --compare %s --compare-entry image 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry two_to_31 --input %S/Inputs/spread.npy --on=card --compare %s --compare-entry two_to_31 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry one_side --input %S/Inputs/spread.npy --on=card --compare %s --compare-entry one_side 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry other_side --input %S/Inputs/spread.npy --on=card --compare %s --compare-entry other_side 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry before --input %S/Inputs/spread.npy --on=card --compare %s --compare-entry before 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: result 0: 0 of 512 elements differ

#all = affine_map<(d0, d1) -> (d0, d1)>

// Between two numbers.
// CHECK-LABEL: func.func @clamped(
// CHECK:         %[[BOUNDED:.+]] = call @clamped_device_0
// CHECK:         spyre.fptosi %[[BOUNDED]]
// OUTLINE: Function=clamped | Reason="'sub' computes in SEN169_FP16 or IEEE_FP32, but tensor 0 is IEEE_INT32", Remark="'spyre.fptosi' stays on the host"
func.func @clamped(%x: tensor<8x64xf32>) -> tensor<8x64xi64> {
  %low = arith.constant -100.0 : f32
  %high = arith.constant 1.0e+09 : f32
  %0 = tensor.empty() : tensor<8x64xi64>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x64xf32>) outs(%0 : tensor<8x64xi64>) {
  ^bb0(%in: f32, %out: i64):
    %a = arith.maximumf %in, %low : f32
    %b = arith.minimumf %a, %high : f32
    %f = math.floor %b : f32
    %r = arith.fptosi %f : f32 to i64
    linalg.yield %r : i64
  } -> tensor<8x64xi64>
  return %y : tensor<8x64xi64>
}

// Chosen by comparisons, as torch-mlir prints a clamp.
// CHECK-LABEL: func.func @chosen(
// CHECK:         %[[BOUNDED:.+]] = call @chosen_device_0
// CHECK:         spyre.fptosi %[[BOUNDED]]
// OUTLINE: Function=chosen | Reason="'sub' computes in SEN169_FP16 or IEEE_FP32, but tensor 0 is IEEE_INT32", Remark="'spyre.fptosi' stays on the host"
func.func @chosen(%x: tensor<8x64xf32>) -> tensor<8x64xi64> {
  %low = arith.constant -100.0 : f32
  %high = arith.constant 1.0e+09 : f32
  %0 = tensor.empty() : tensor<8x64xi64>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x64xf32>) outs(%0 : tensor<8x64xi64>) {
  ^bb0(%in: f32, %out: i64):
    %below = arith.cmpf ult, %in, %low : f32
    %a = arith.select %below, %low, %in : f32
    %above = arith.cmpf olt, %high, %a : f32
    %b = arith.select %above, %high, %a : f32
    %r = arith.fptosi %b : f32 to i64
    linalg.yield %r : i64
  } -> tensor<8x64xi64>
  return %y : tensor<8x64xi64>
}

// The hyperbolic tangent is at most 1.
// CHECK-LABEL: func.func @image(
// CHECK:         spyre.fptosi
// OUTLINE: Function=image | Reason="'tanh' computes in SEN169_FP16, but tensor 0 is IEEE_FP32", Remark="'spyre.tanh' stays on the host"
// OUTLINE: Function=image | {{.*}} Remark="'spyre.fptosi' stays on the host"
func.func @image(%x: tensor<8x64xf32>) -> tensor<8x64xi64> {
  %factor = arith.constant 1.0e+06 : f32
  %0 = tensor.empty() : tensor<8x64xi64>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x64xf32>) outs(%0 : tensor<8x64xi64>) {
  ^bb0(%in: f32, %out: i64):
    %t = math.tanh %in : f32
    %a = arith.mulf %t, %factor : f32
    %r = arith.fptosi %a : f32 to i64
    linalg.yield %r : i64
  } -> tensor<8x64xi64>
  return %y : tensor<8x64xi64>
}

// The largest integer of 32 bits is 2^31 as a float.
// CHECK-LABEL: func.func @two_to_31(
// CHECK:         arith.fptosi
// REMARK: Function=two_to_31 | Reason="integers have 32 bits in device memory, and f32 that is converted to i64 may be in [-1e2, 2.147483648e9] here; bound it by constants from -2147483648 to 2147483520"
func.func @two_to_31(%x: tensor<8x64xf32>) -> tensor<8x64xi64> {
  %low = arith.constant -100.0 : f32
  %high = arith.constant 2147483647.0 : f32
  %0 = tensor.empty() : tensor<8x64xi64>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x64xf32>) outs(%0 : tensor<8x64xi64>) {
  ^bb0(%in: f32, %out: i64):
    %a = arith.maximumf %in, %low : f32
    %b = arith.minimumf %a, %high : f32
    %r = arith.fptosi %b : f32 to i64
    linalg.yield %r : i64
  } -> tensor<8x64xi64>
  return %y : tensor<8x64xi64>
}

// Bounded on one side, for integers of 32 bits.
// CHECK-LABEL: func.func @one_side(
// CHECK:         arith.fptosi
// REMARK: Function=one_side
func.func @one_side(%x: tensor<8x64xf32>) -> tensor<8x64xi64> {
  %high = arith.constant 1.0e+09 : f32
  %0 = tensor.empty() : tensor<8x64xi64>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x64xf32>) outs(%0 : tensor<8x64xi64>) {
  ^bb0(%in: f32, %out: i64):
    %b = arith.minimumf %in, %high : f32
    %least = arith.constant -9.0e+18 : f32
    %a = arith.maximumf %b, %least : f32
    %r = arith.fptosi %a : f32 to i64
    linalg.yield %r : i64
  } -> tensor<8x64xi64>
  return %y : tensor<8x64xi64>
}

// A choice bounds the side that is compared, and a larger number is one.
// CHECK-LABEL: func.func @other_side(
// CHECK:         arith.fptosi
func.func @other_side(%x: tensor<8x64xf32>) -> tensor<8x64xi64> {
  %low = arith.constant 5.0 : f32
  %most = arith.constant 1.0e+10 : f32
  %0 = tensor.empty() : tensor<8x64xi64>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x64xf32>) outs(%0 : tensor<8x64xi64>) {
  ^bb0(%in: f32, %out: i64):
    %below = arith.cmpf olt, %in, %low : f32
    %a = arith.select %below, %in, %low : f32
    %c = arith.maximumf %a, %most : f32
    %r = arith.fptosi %c : f32 to i64
    linalg.yield %r : i64
  } -> tensor<8x64xi64>
  return %y : tensor<8x64xi64>
}

// The bound is another operation's, and moves with the elements.
// CHECK-LABEL: func.func @before(
// CHECK:         spyre.permute
// CHECK:         spyre.fptosi
// OUTLINE: Function=before | {{.*}} Remark="'spyre.fptosi' stays on the host"
func.func @before(%x: tensor<8x64xf32>) -> tensor<64x8xi64> {
  %low = arith.constant -100.0 : f32
  %high = arith.constant 100.0 : f32
  %0 = tensor.empty() : tensor<8x64xf32>
  %c = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x64xf32>) outs(%0 : tensor<8x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.maximumf %in, %low : f32
    %b = arith.minimumf %a, %high : f32
    linalg.yield %b : f32
  } -> tensor<8x64xf32>
  %1 = tensor.empty() : tensor<64x8xi64>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, #all], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<8x64xf32>) outs(%1 : tensor<64x8xi64>) {
  ^bb0(%in: f32, %out: i64):
    %r = arith.fptosi %in : f32 to i64
    linalg.yield %r : i64
  } -> tensor<64x8xi64>
  return %y : tensor<64x8xi64>
}

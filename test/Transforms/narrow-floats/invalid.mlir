// RUN: not spyre-opt %s --spyre-narrow-floats 2>&1 | FileCheck %s
// RUN: not spyre-opt %s --spyre-narrow-floats=to=fp8 2>&1 | FileCheck %s --check-prefix=FORMAT
// FORMAT: error: spyre-narrow-floats: no format is called 'fp8'; the only format is dl16

// CHECK: invalid.mlir:[[@LINE+2]]:8: error: spyre-narrow-floats: the bits of an f32 are read or made
func.func @bits(%x: tensor<8xf32>) -> tensor<8xi32> {
  %0 = arith.bitcast %x : tensor<8xf32> to tensor<8xi32>
  return %0 : tensor<8xi32>
}

// CHECK: invalid.mlir:[[@LINE+2]]:8: error: spyre-narrow-floats: a cast between bf16 and f32 cannot be narrowed, since f32 would have 16 bits
func.func @bf16(%x: tensor<8xbf16>) -> tensor<8xf32> {
  %0 = arith.extf %x : tensor<8xbf16> to tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func private @g(tensor<8xf32>) -> tensor<8xf32>

// CHECK: invalid.mlir:[[@LINE+2]]:8: error: spyre-narrow-floats: a call with f32; run --inline first
func.func @call(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @g(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK: invalid.mlir:[[@LINE+2]]:8: error: spyre-narrow-floats: buffers; run it before bufferization
func.func @buffers(%m: memref<8xf32>, %i: index) -> f32 {
  %0 = memref.load %m[%i] : memref<8xf32>
  return %0 : f32
}

// CHECK: invalid.mlir:[[@LINE+2]]:8: error: spyre-narrow-floats: the bits of an f32 are read or made
func.func @device_bits(%x: tensor<32xf32>) -> tensor<32xi32> {
  %0 = spyre.bitcast %x : (tensor<32xf32>) -> tensor<32xi32>
  return %0 : tensor<32xi32>
}

// CHECK: invalid.mlir:[[@LINE+2]]:8: error: spyre-narrow-floats: a conversion of the dialect between integers and floats is one of f32; write arith.sitofp or arith.fptosi in a structured operation instead
func.func @device_conversion(%x: tensor<32xi32>) -> tensor<32xf32> {
  %0 = spyre.sitofp %x : (tensor<32xi32>) -> tensor<32xf32>
  return %0 : tensor<32xf32>
}

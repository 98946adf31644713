// Programs that do not run, with the place where they do not.

// RUN: not spyre-run %s 2>&1 | FileCheck %s --check-prefix=WHICH
// WHICH: error: the module has several functions, @dynamic, @index, @no_meaning, @outside; choose an entry
// RUN: not spyre-run %s --entry nothing 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: error: the module has no function @nothing with a body; it has @dynamic, @index, @no_meaning, @outside, @too_far
// RUN: not spyre-run %s --entry declared 2>&1 | FileCheck %s --check-prefix=DECLARED
// DECLARED: error: the module has no function @declared with a body
// RUN: not spyre-run %s --random-seed 0 --largest 0.3 2>&1 | FileCheck %s --check-prefix=LARGEST
// LARGEST: error: invalid value '0.3' for '--largest <X>': expected a power of two from 2^-15 to 2^15, such as 0.25

// RUN: not spyre-run %s --entry dynamic --random-seed 0 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: invalid.mlir:[[#@LINE+1]]:{{.*}}: error: argument 0 of the function: dimension 0 of tensor<?xf16> has a dynamic extent
func.func @dynamic(%a: tensor<?xf16>) {
  return
}

// RUN: not spyre-run %s --entry index --random-seed 0 2>&1 | FileCheck %s --check-prefix=INDEX
// INDEX: invalid.mlir:[[#@LINE+1]]:{{.*}}: error: argument 1 of the function: index is not a ranked tensor
func.func @index(%a: tensor<4xf16>, %b: index) {
  return
}

// RUN: not spyre-run %s --entry no_meaning --random-seed 0 2>&1 | FileCheck %s --check-prefix=MEANING
func.func @no_meaning(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  // MEANING: invalid.mlir:[[#@LINE+1]]:{{.*}}: error: convert-spyre-to-linalg: 'spyre.qfp8ch' has no definition on values
  %0 = spyre.qfp8ch %x : (tensor<8x64xf16>) -> tensor<8x64xf8E4M3FN>
  return %x : tensor<8x64xf16>
}

// RUN: not spyre-run %s --entry outside --random-seed 0 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: invalid.mlir:[[#@LINE+1]]:{{.*}}: error: a function without a body is not compiled for the CPU
func.func private @declared(tensor<4xf16>)
func.func @outside(%x: tensor<4xf16>) {
  call @declared(%x) : (tensor<4xf16>) -> ()
  return
}

// The first offset that leaves the tensor, where it is.
// RUN: not spyre-run %s --entry too_far 2>&1 | FileCheck %s --check-prefix=FAR
func.func private @too_far() -> tensor<2xf16> {
  %c3 = arith.constant 3 : index
  %a = spyre.fill dense<1.0> : tensor<4xf16>
  // FAR: error: {{.*}}invalid.mlir:[[#@LINE+1]]:{{[0-9]+}}: offset 3 is outside of the tensor; it may be from 0 to 2
  %0 = tensor.extract_slice %a[%c3] [2] [1] : tensor<4xf16> to tensor<2xf16>
  return %0 : tensor<2xf16>
}

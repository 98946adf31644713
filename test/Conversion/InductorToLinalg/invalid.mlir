// What is not converted, with the reason.

// RUN: spyre-opt %s --convert-inductor-to-linalg --split-input-file --verify-diagnostics

!t = tensor<4xf32, #inductor.layout<fixed, [1]>>
inductor.graph @kernel {
  %x = inductor.input "x" : !t
  // expected-error @+1 {{convert-inductor-to-linalg: the kernel 'aten.fft_fft.default' (FallbackKernel) is not converted}}
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.fft_fft.default"(%x) : (!t) -> !t
  inductor.return %y : !t
}

// -----

!t = tensor<?xf32, #inductor.layout<fixed, [1], size = [s0]>>
// expected-error @+1 {{convert-inductor-to-linalg: no size is given for 's77', and it has no largest size; sizes=s77=N gives it one, sizes=s77=G:MAX leaves it open, as a multiple of G up to MAX, and sizes=hint gives all those that the graph was traced with}}
inductor.graph @size symbols [#inductor.sym<"s77", hint = 12>] {
  %x = inductor.input "x" : !t
  inductor.return %x : !t
}

// -----

!t = tensor<4xf32, #inductor.layout<fixed, [1]>>
inductor.graph @function {
  %x = inductor.input "x" : !t
  %y = inductor.pointwise "op0" as "buf0" [4] {
  ^bb0(%i: index):
    %v = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : !t -> f32
    // expected-error @+1 {{convert-inductor-to-linalg: 'bessel_j0' is not converted}}
    %w = inductor.apply "bessel_j0"(%v) : (f32) -> f32
    inductor.store %w at affine_map<(d0) -> (d0)>(%i) : f32
  } : !t
  inductor.return %y : !t
}

// -----

!t = tensor<4xf32, #inductor.layout<fixed, [1]>>
inductor.graph @outside {
  %x = inductor.input "x" : !t
  %y = inductor.pointwise "op0" as "buf0" [4] {
  ^bb0(%i: index):
    // expected-error @+1 {{convert-inductor-to-linalg: reads from 1 to 4 of a dimension of extent 4}}
    %v = inductor.load %x at affine_map<(d0) -> (d0 + 1)>(%i) : !t -> f32
    inductor.store %v at affine_map<(d0) -> (d0)>(%i) : f32
  } : !t
  inductor.return %y : !t
}

// -----

!t = tensor<4xf32, #inductor.layout<fixed, [1]>>
inductor.graph @twice {
  %x = inductor.input "x" : !t
  // expected-error @+1 {{convert-inductor-to-linalg: it does not store every element}}
  %y = inductor.pointwise "op0" as "buf0" [4] {
  ^bb0(%i: index):
    %v = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : !t -> f32
    inductor.store %v at affine_map<(d0) -> (d0 floordiv 2)>(%i) : f32
  } : !t
  inductor.return %y : !t
}

// -----

!a = tensor<2x3xf32, #inductor.layout<fixed, [3, 1]>>
inductor.graph @product {
  %a = inductor.input "a" : !a
  // expected-error @+1 {{convert-inductor-to-linalg: a product of [2, 3] and [2, 3]}}
  %y = inductor.extern "op0" as "buf0" "ExternKernelOut" "aten.mm.out"(%a, %a) : (!a, !a) -> !a
  inductor.return %y : !a
}

// -----

!t = tensor<4xf32, #inductor.layout<fixed, [1]>>
inductor.graph @maximum {
  %x = inductor.input "x" : !t
  // expected-error @+1 {{convert-inductor-to-linalg: a scatter of f32 in the mode 'atomic_max' is not converted}}
  %y = inductor.scatter "op0" as "buf0" [4] into %x mode "atomic_max" {
  ^bb0(%i: index):
    %v = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : !t -> f32
    inductor.store %v at affine_map<(d0) -> (d0)>(%i) : f32
  } : !t -> !t
  inductor.return %y : !t
}

// -----

!t = tensor<4xf32, #inductor.layout<fixed, [1]>>
inductor.graph @constant {
  // expected-error @+1 {{convert-inductor-to-linalg: the file does not have the elements of this constant}}
  %c = inductor.constant "c" : !t
  inductor.return %c : !t
}

// -----

// The load is in a masked block.
!u = tensor<4xui8, #inductor.layout<fixed, [1]>>
inductor.graph @sorted {
  %x = inductor.input "x" : !u
  // expected-error @+1 {{convert-inductor-to-linalg: of u8 it is not converted}}
  %y = inductor.sort "op0" as "buf0" [4] over [4] output 0 stable {
  ^bb0(%i: index):
    %yes = arith.constant true
    %v = inductor.masked %yes else 0 : i8 {
      %w = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : !u -> i8
      inductor.yield %w : i8
    } : i8
    inductor.store %v at affine_map<(d0) -> (d0)>(%i) : i8
  } : !u
  inductor.return %y : !u
}

// -----

!u = tensor<4xui8, #inductor.layout<fixed, [1]>>
inductor.graph @not_numbers {
  %x = inductor.input "x" : !u
  %y = inductor.pointwise "op0" as "buf0" [4] {
  ^bb0(%i: index):
    %v = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : !u -> i8
    // expected-error @+1 {{convert-inductor-to-linalg: 'unsigned' is no list of numbers of operands}}
    %w = inductor.apply "abs"(%v) {unsigned = "all"} : (i8) -> i8
    inductor.store %w at affine_map<(d0) -> (d0)>(%i) : i8
  } : !u
  inductor.return %y : !u
}

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
// expected-error @+1 {{convert-inductor-to-linalg: no size is given for 's77', and it has no largest size; sizes=s77=N gives it one, sizes=s77=G:MAX leaves it open, as a multiple of G up to MAX, and sizes=hint gives all sizes the values that the graph was traced with}}
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
    // expected-error @+1 {{convert-inductor-to-linalg: reads 1 to 4 of dimension 0, which has extent 4}}
    %v = inductor.load %x at affine_map<(d0) -> (d0 + 1)>(%i) : !t -> f32
    inductor.store %v at affine_map<(d0) -> (d0)>(%i) : f32
  } : !t
  inductor.return %y : !t
}

// -----

!t = tensor<4xf32, #inductor.layout<fixed, [1]>>
inductor.graph @twice {
  %x = inductor.input "x" : !t
  // expected-error @+1 {{convert-inductor-to-linalg: it does not store every element of dimension 0, which has extent 4}}
  %y = inductor.pointwise "op0" as "buf0" [4] {
  ^bb0(%i: index):
    %v = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : !t -> f32
    inductor.store %v at affine_map<(d0) -> (d0 floordiv 2)>(%i) : f32
  } : !t
  inductor.return %y : !t
}

// -----

!t = tensor<4xf32, #inductor.layout<fixed, [1]>>
inductor.graph @repeated {
  %x = inductor.input "x" : !t
  // expected-error @+1 {{convert-inductor-to-linalg: it stores elements several times, in the iterations of loop 1}}
  %y = inductor.pointwise "op0" as "buf0" [4, 2] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : !t -> f32
    inductor.store %v at affine_map<(d0) -> (d0)>(%i) : f32
  } : !t
  inductor.return %y : !t
}

// -----

!t = tensor<4xf32, #inductor.layout<fixed, [1]>>
!d = tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
inductor.graph @diagonal {
  %x = inductor.input "x" : !t
  // expected-error @+1 {{convert-inductor-to-linalg: it does not store every element, because several dimensions are along one loop}}
  %y = inductor.pointwise "op0" as "buf0" [4] {
  ^bb0(%i: index):
    %v = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : !t -> f32
    inductor.store %v at affine_map<(d0) -> (d0, d0)>(%i) : f32
  } : !d
  inductor.return %y : !d
}

// -----

!a = tensor<2x3xf32, #inductor.layout<fixed, [3, 1]>>
inductor.graph @product {
  %a = inductor.input "a" : !a
  // expected-error @+1 {{convert-inductor-to-linalg: operands of extents [2, 3] and [2, 3] have no matrix product}}
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
  // expected-error @+1 {{convert-inductor-to-linalg: the file does not have the elements of this constant: without freezing (torch._inductor.config.freezing) parameters are inputs}}
  %c = inductor.constant "c" : !t
  inductor.return %c : !t
}

// -----

// The load is in a masked block.
!u = tensor<4xui8, #inductor.layout<fixed, [1]>>
inductor.graph @sorted {
  %x = inductor.input "x" : !u
  // expected-error @+1 {{convert-inductor-to-linalg: the kernel is not converted for elements of u8}}
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

// -----

// Heads of queries that are no multiple of those of keys.
!q = tensor<1x3x2x2xf32, #inductor.layout<fixed, [12, 4, 2, 1]>>
!k = tensor<1x2x3x2xf32, #inductor.layout<fixed, [12, 6, 2, 1]>>
inductor.graph @heads {
  %q = inductor.input "q" : !q
  %k = inductor.input "k" : !k
  %v = inductor.input "v" : !k
  // expected-error @+1 {{convert-inductor-to-linalg: queries of extents [1, 3, 2, 2] cannot be combined with keys and values of [1, 2, 3, 2] and [1, 2, 3, 2]}}
  %r = inductor.extern "op0" as "buf0" "FallbackKernel" "aten._scaled_dot_product_flash_attention_for_cpu.default"(%q, %k, %v) {call = {args = [#inductor.operand<0>, #inductor.operand<1>, #inductor.operand<2>], kwargs = {}}, kwargs = {}} : (!q, !k, !k) -> !inductor.results
  %o = inductor.multi_output "op1" as "buf1" %r [["tuple", 0]] : !inductor.results -> !q
  inductor.return %o : !q
}

// -----

// A mask that has more columns than there are keys.
!q = tensor<1x2x2x2xf32, #inductor.layout<fixed, [8, 4, 2, 1]>>
!k = tensor<1x1x3x2xf32, #inductor.layout<fixed, [6, 6, 2, 1]>>
!m = tensor<2x4xf32, #inductor.layout<fixed, [4, 1]>>
inductor.graph @wide {
  %q = inductor.input "q" : !q
  %k = inductor.input "k" : !k
  %v = inductor.input "v" : !k
  %m = inductor.input "m" : !m
  // expected-error @+1 {{convert-inductor-to-linalg: a mask of extents [2, 4] cannot be broadcast to scores of [1, 2, 2, 3]}}
  %r = inductor.extern "op0" as "buf0" "FallbackKernel" "aten._scaled_dot_product_flash_attention_for_cpu.default"(%q, %k, %v, %m) {call = {args = [#inductor.operand<0>, #inductor.operand<1>, #inductor.operand<2>], kwargs = {attn_mask = #inductor.operand<3>, scale = 1.0}}, kwargs = {attn_mask = #inductor.operand<3>, scale = 1.0}} : (!q, !k, !k, !m) -> !inductor.results
  %o = inductor.multi_output "op1" as "buf1" %r [["tuple", 0]] : !inductor.results -> !q
  inductor.return %o : !q
}

// -----

!t = tensor<4xf32, #inductor.layout<fixed, [1]>>
!i = tensor<4xi64, #inductor.layout<fixed, [1]>>
inductor.graph @wider {
  %x = inductor.input "x" : !t
  %y = inductor.view %x : !t -> !i
  // expected-error @+1 {{convert-inductor-to-linalg: it reads elements of f32 as i64, which has another width}}
  inductor.return %y : !i
}

// -----

!t = tensor<2x3xf32, #inductor.layout<fixed, [3, 1]>>
!w = tensor<2x5xf32, #inductor.layout<fixed, [5, 1]>>
inductor.graph @parts {
  %x = inductor.input "x" : !t
  // expected-error @+1 {{convert-inductor-to-linalg: a part of extents [2, 3] does not fit at position 3 of the result, of extents [2, 5]}}
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.cat.default"(%x, %x) {call = {args = [[#inductor.operand<0>, #inductor.operand<1>], 1], kwargs = {}}} : (!t, !t) -> !w
  inductor.return %y : !w
}

// -----

!t = tensor<2x3xf32, #inductor.layout<fixed, [3, 1]>>
!w = tensor<2x6xf32, #inductor.layout<fixed, [6, 1]>>
inductor.graph @along_no_dimension {
  %x = inductor.input "x" : !t
  // expected-error @+1 {{convert-inductor-to-linalg: a tensor of rank 2 has no dimension 7 to put parts together}}
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.cat.default"(%x, %x) {call = {args = [[#inductor.operand<0>, #inductor.operand<1>], 7], kwargs = {}}} : (!t, !t) -> !w
  inductor.return %y : !w
}

// -----

!t = tensor<3x2xf32, #inductor.layout<fixed, [2, 1]>>
!i = tensor<3x2xi64, #inductor.layout<fixed, [2, 1]>>
inductor.graph @scattered_along_no_dimension {
  %a = inductor.input "a" : !t
  %n = inductor.input "n" : !i
  // expected-error @+1 {{convert-inductor-to-linalg: a tensor of rank 2 has no dimension -3 to scatter along}}
  %y = inductor.extern "op0" as "buf0" "ScatterFallback" "aten.scatter_reduce_.two"(%a, %n, %a) mutates [0] {constant_args = [-3], kwargs = {reduce = "sum", include_self = true}} : (!t, !i, !t) -> !t
  inductor.return %y : !t
}

// -----

!g = tensor<1x2x3x3xf32, #inductor.layout<fixed, [18, 9, 3, 1]>>
!x = tensor<1x1x4x4xf32, #inductor.layout<fixed, [16, 16, 4, 1]>>
!w = tensor<2x1x2x2xf32, #inductor.layout<fixed, [4, 4, 2, 1]>>
inductor.graph @transposed_gradients {
  %g = inductor.input "g" : !g
  %x = inductor.input "x" : !x
  %w = inductor.input "w" : !w
  // expected-error @+1 {{convert-inductor-to-linalg: a transposed convolution, and its gradients, are not converted}}
  %r = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.convolution_backward.default"(%g, %x, %w) {call = {args = [#inductor.operand<0>, #inductor.operand<1>, #inductor.operand<2>, [0], [1, 1], [0, 0], [1, 1], true, [0, 0], 1, [true, true, false]], kwargs = {}}} : (!g, !x, !w) -> !inductor.results
  %y = inductor.multi_output "op1" as "buf1" %r [["tuple", 0]] : !inductor.results -> !x
  inductor.return %y : !x
}

// -----

!g = tensor<1x2x3x3xf32, #inductor.layout<fixed, [18, 9, 3, 1]>>
!x = tensor<1x1x4x4xf32, #inductor.layout<fixed, [16, 16, 4, 1]>>
!w = tensor<2x1x2x2xf32, #inductor.layout<fixed, [4, 4, 2, 1]>>
inductor.graph @gradient_of_another_convolution {
  %g = inductor.input "g" : !g
  %x = inductor.input "x" : !x
  %w = inductor.input "w" : !w
  // expected-error @+1 {{convert-inductor-to-linalg: a gradient of extents [1, 2, 3, 3] does not fit the convolution of an image of [1, 1, 4, 4] with a kernel of [2, 1, 2, 2]}}
  %r = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.convolution_backward.default"(%g, %x, %w) {call = {args = [#inductor.operand<0>, #inductor.operand<1>, #inductor.operand<2>, [0], [2, 2], [0, 0], [1, 1], false, [0, 0], 1, [true, true, false]], kwargs = {}}} : (!g, !x, !w) -> !inductor.results
  %y = inductor.multi_output "op1" as "buf1" %r [["tuple", 0]] : !inductor.results -> !x
  inductor.return %y : !x
}

// -----

!x = tensor<1x1x4x4xf32, #inductor.layout<fixed, [16, 16, 4, 1]>>
!w = tensor<2x1x2x2xf32, #inductor.layout<fixed, [4, 4, 2, 1]>>
inductor.graph @stride {
  %x = inductor.input "x" : !x
  %w = inductor.input "w" : !w
  // expected-error @+1 {{convert-inductor-to-linalg: 'stride' is 0, less than 1}}
  %y = inductor.extern "op0" as "buf0" "ExternKernelAlloc" "aten.convolution.default"(%x, %w) {kwargs = {stride = [1, 0], padding = [0, 0], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 1 : i64, bias = unit}} : (!x, !w) -> !x
  inductor.return %y : !x
}

// -----

!a = tensor<4x3xf32, #inductor.layout<fixed, [3, 1]>>
!b = tensor<2x3x2xf32, #inductor.layout<fixed, [6, 2, 1]>>
!n = tensor<3xi32, #inductor.layout<fixed, [1]>>
!y = tensor<4x2xf32, #inductor.layout<fixed, [2, 1]>>
inductor.graph @groups {
  %a = inductor.input "a" : !a
  %b = inductor.input "b" : !b
  %n = inductor.input "n" : !n
  // expected-error @+1 {{convert-inductor-to-linalg: 2 groups have ends of tensor<3xi32>, not an integer for each}}
  %y = inductor.extern "op0" as "buf0" "ExternKernelAlloc" "aten._grouped_mm.default"(%a, %b, %n) {kwargs = {out_dtype = unit}} : (!a, !b, !n) -> !y
  inductor.return %y : !y
}

// -----

!a = tensor<2x2xf8E4M3FN, #inductor.layout<fixed, [2, 1]>>
inductor.graph @product_of_bytes {
  %a = inductor.input "a" : !a
  // expected-error @+1 {{convert-inductor-to-linalg: the kernel is not converted for elements of f8E4M3FN}}
  %y = inductor.extern "op0" as "buf0" "ExternKernelOut" "aten.mm.out"(%a, %a) : (!a, !a) -> !a
  inductor.return %y : !a
}

// -----

!t = tensor<4xf32, #inductor.layout<fixed, [1]>>
inductor.graph @loop {
  %x = inductor.input "x" : !t
  // expected-error @+1 {{convert-inductor-to-linalg: the kernel '' (WhileLoop) is not converted: the graphs that an operation of control flow runs are not in the file}}
  %r = inductor.extern "op0" as "buf0" "WhileLoop" (%x) : (!t) -> !inductor.results
  %y = inductor.multi_output "op1" as "buf1" %r [["list", 0]] : !inductor.results -> !t
  inductor.return %y : !t
}

// -----

!t = tensor<4xi64, #inductor.layout<fixed, [1]>>
inductor.graph @permutation {
  // expected-error @+1 {{convert-inductor-to-linalg: the kernel 'aten.randperm.default' (FallbackKernel) is not converted: random numbers of a kernel of PyTorch are not those of seeds that the graph has}}
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.randperm.default"() {call = {args = [4], kwargs = {}}} : () -> !t
  inductor.return %y : !t
}

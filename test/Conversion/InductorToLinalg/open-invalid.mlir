// What cannot be left open is an error where it comes from.

// RUN: spyre-opt %s --split-input-file --verify-diagnostics --convert-inductor-to-linalg="sizes=s0=64:512,s7=64:100,s8=1:8,s33=1"

#l = #inductor.layout<fixed, [1], size = [s0]>
// expected-error @below {{no size is given for 's9', and it has no largest size; sizes=s9=N gives it one, sizes=s9=G:MAX leaves it open, as a multiple of G up to MAX, and sizes=hint gives all sizes the values that the graph was traced with}}
inductor.graph @unbounded symbols [#inductor.sym<"s9", hint = 9, min = 2>] {
  %x = inductor.input "x" : tensor<?xf32, #l>
  inductor.return %x outputs [#inductor.operand<0>] : tensor<?xf32, #l>
}

// -----

#l = #inductor.layout<fixed, [1], size = [s0]>
// expected-error @below {{no size is given for 's9', and its range 3 to 100 does not end with a multiple of 3;}}
inductor.graph @uneven symbols [#inductor.sym<"s9", hint = 9, min = 3, max = 100>] {
  %x = inductor.input "x" : tensor<?xf32, #l>
  inductor.return %x outputs [#inductor.operand<0>] : tensor<?xf32, #l>
}

// -----

#l = #inductor.layout<fixed, [1], size = [s0]>
// expected-error @below {{'64:100' is no size of 's7'; sizes=s7=N gives it a number, and sizes=s7=G:MAX leaves it open, as a multiple of G up to MAX, which is one itself}}
inductor.graph @no_size symbols [#inductor.sym<"s7", hint = 9>] {
  %x = inductor.input "x" : tensor<?xf32, #l>
  inductor.return %x outputs [#inductor.operand<0>] : tensor<?xf32, #l>
}

// -----

#l = #inductor.layout<fixed, [8, 1], size = [s0, 8]>
#m = #inductor.layout<fixed, [1], size = [s0 * 8]>
inductor.graph @merged symbols [#inductor.sym<"s0", hint = 64>] {
  %x = inductor.input "x" : tensor<?x8xf32, #l>
  // expected-error @below {{the extent of dimension 0 is 8*s0, which is no open size but computed from one; sizes=s0=N chooses it now}}
  %y = inductor.pointwise "op0" as "buf0" [s0 * 8] {
  ^bb0(%i: index):
    %v = inductor.load %x at affine_map<(d0) -> (d0 floordiv 8, d0 mod 8)>(%i) : tensor<?x8xf32, #l> -> f32
    inductor.store %v at affine_map<(d0) -> (d0)>(%i) : f32
  } : tensor<?xf32, #m>
  inductor.return %y outputs [#inductor.operand<0>] : tensor<?xf32, #m>
}

// -----

#l = #inductor.layout<fixed, [1], size = [32]>
// expected-error @below {{no tensor that the graph is given has 's0' for an extent, so it cannot be dynamic; sizes=s0=N chooses it now}}
inductor.graph @unused symbols [#inductor.sym<"s0", hint = 64>] {
  %x = inductor.input "x" : tensor<32xf32, #l>
  inductor.return %x outputs [#inductor.operand<0>] : tensor<32xf32, #l>
}

// -----

#l = #inductor.layout<fixed, [1], size = [s0]>
// expected-error @below {{'1' admits the size 1 of 's33', but PyTorch compiled this graph for sizes of at least 2}}
inductor.graph @below symbols [#inductor.sym<"s33", hint = 8, min = 2>] {
  %x = inductor.input "x" : tensor<?xf32, #l>
  inductor.return %x outputs [#inductor.operand<0>] : tensor<?xf32, #l>
}

// -----

#l = #inductor.layout<fixed, [1], size = [s0]>
#m = #inductor.layout<fixed, [1], size = [s0 - 1]>
inductor.graph @cut symbols [#inductor.sym<"s0", hint = 64>] {
  %x = inductor.input "x" : tensor<?xf32, #l>
  // expected-error @below {{the extent of a loop is s0 - 1, which is no open size but computed from one; sizes=s0=N chooses it now}}
  %y = inductor.pointwise "op0" as "buf0" [s0 - 1] {
  ^bb0(%i: index):
    %v = inductor.load %x at affine_map<(d0) -> (d0 + 1)>(%i) : tensor<?xf32, #l> -> f32
    inductor.store %v at affine_map<(d0) -> (d0)>(%i) : f32
  } : tensor<?xf32, #m>
  inductor.return %y outputs [#inductor.operand<0>] : tensor<?xf32, #m>
}

// -----

#l = #inductor.layout<fixed, [8, 1], size = [s0, 8]>
#m = #inductor.layout<fixed, [1], size = [s0 * 8]>
inductor.graph @given_merged symbols [#inductor.sym<"s0", hint = 64>] {
  // expected-error @below {{the extent of dimension 0 is 8*s0, which is no open size but computed from one; sizes=s0=N chooses it now}}
  %x = inductor.input "x" : tensor<?xf32, #m>
  %y = inductor.input "y" : tensor<?x8xf32, #l>
  inductor.return %y outputs [#inductor.operand<0>] : tensor<?x8xf32, #l>
}

// -----

#a = #inductor.layout<fixed, [1], size = [s0]>
#b = #inductor.layout<fixed, [1], size = [s1]>
inductor.graph @unordered symbols [#inductor.sym<"s0", hint = 64>, #inductor.sym<"s9", hint = 9, min = 2, max = 512>] {
  %x = inductor.input "x" : tensor<?xf32, #a>
  %z = inductor.input "z" : tensor<?xf32, #b>
  %y = inductor.pointwise "op0" as "buf0" [s1] {
  ^bb0(%i: index):
    // expected-error @below {{reads 0 to s1 - 1 of dimension 0, which has extent s0}}
    %v = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : tensor<?xf32, #a> -> f32
    inductor.store %v at affine_map<(d0) -> (d0)>(%i) : f32
  } : tensor<?xf32, #b>
  inductor.return %y outputs [#inductor.operand<0>] : tensor<?xf32, #b>
}

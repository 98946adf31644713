// RUN: spyre-opt %s --spyre-propagate-layouts --split-input-file --verify-diagnostics

// What the pass refuses for its form: extents, types, control flow, and odd lists of candidates.

// expected-error @+1 {{spyre-propagate-layouts: argument 0: tensor<?x256xf16> has a dynamic extent in dimension 0}}
func.func @dynamic_extent(%a: tensor<?x256xf16>) {
  %0 = spyre.exp %a : tensor<?x256xf16>
  return
}

// -----

func.func @dynamic_result(%a: tensor<128x256xf16>) {
  // expected-error @+1 {{spyre-propagate-layouts: tensor<?x256xf16> has a dynamic extent in dimension 0}}
  %0 = spyre.exp %a : (tensor<128x256xf16>) -> tensor<?x256xf16>
  return
}

// -----

// expected-error @+1 {{spyre-propagate-layouts: argument 0: tensor<0x256xf16>: d0 has extent 0: an empty tensor has no place in device memory}}
func.func @no_elements(%a: tensor<0x256xf16>) {
  %0 = spyre.exp %a : tensor<0x256xf16>
  return
}

// -----

// expected-error @+1 {{spyre-propagate-layouts: argument 0: tensor<1152921504606846976x2xf16>: device size [1, 1152921504606846976, 64] is more than 2^64 - 1 bytes}}
func.func @too_large(%a: tensor<1152921504606846976x2xf16>) {
  %0 = spyre.exp %a : tensor<1152921504606846976x2xf16>
  return
}

// -----

// expected-error @+1 {{spyre-propagate-layouts: argument 0: tensor<64xf16, "hello"> has an encoding that is not a #spyre.layout}}
func.func @foreign_encoding(%a: tensor<64xf16, "hello">, %b: tensor<64xf16>) {
  %0 = spyre.exp %b : tensor<64xf16>
  return
}

// -----

func.func @foreign_encoding_of_result(%b: tensor<64xf16>) {
  // expected-error @+1 {{spyre-propagate-layouts: tensor<64xf16, 5 : i32> has an encoding that is not a #spyre.layout}}
  %0 = spyre.exp %b : (tensor<64xf16>) -> tensor<64xf16, 5 : i32>
  return
}

// -----

func.func @strides(%a: tensor<128x256xf16>) {
  // expected-error @+1 {{spyre-propagate-layouts: the slice needs static sizes and strides of 1; a step is a window too}}
  %0 = tensor.extract_slice %a[0, 0] [64, 256] [2, 1] : tensor<128x256xf16> to tensor<64x256xf16>
  %1 = spyre.exp %0 : tensor<64x256xf16>
  return
}

// -----

func.func @dropped_dimension(%a: tensor<128x256xf16>) {
  // expected-error @+1 {{spyre-propagate-layouts: the window of rank 2 is taken as a tensor of rank 1, which has no layout: keep the dimensions of extent 1, and change the rank with tensor.collapse_shape or tensor.expand_shape}}
  %0 = tensor.extract_slice %a[0, 0] [1, 256] [1, 1] : tensor<128x256xf16> to tensor<256xf16>
  %1 = spyre.exp %0 : tensor<256xf16>
  return
}

// -----

func.func @inserted_dimension(%a: tensor<256xf16>, %b: tensor<128x256xf16>) {
  %0 = spyre.exp %a : tensor<256xf16>
  // expected-error @+1 {{spyre-propagate-layouts: the window of rank 2 is taken as a tensor of rank 1, which has no layout: keep the dimensions of extent 1, and change the rank with tensor.collapse_shape or tensor.expand_shape}}
  %1 = tensor.insert_slice %0 into %b[0, 0] [1, 256] [1, 1] : tensor<256xf16> into tensor<128x256xf16>
  return
}

// -----

// expected-note @+1 {{the function is here}}
func.func @blocks(%a: tensor<64xf16>, %c: i1) {
  cf.cond_br %c, ^a, ^b
^a:
  // expected-error @+1 {{spyre-propagate-layouts: operation is in a function of several blocks, but a bundle has no branches}}
  %0 = spyre.exp %a : tensor<64xf16>
  cf.br ^b
^b:
  return
}

// -----

func.func @region(%a: tensor<64xf16>, %c: i1) {
  // expected-note @+1 {{the region is here}}
  scf.if %c {
    // expected-error @+1 {{spyre-propagate-layouts: operation is in a region that is not the body of a loop, but a bundle has no branches}}
    %0 = spyre.exp %a : tensor<64xf16>
  }
  return
}

// -----

func.func @region_with_result(%a: tensor<64xf16>, %c: i1) {
  %0 = spyre.exp %a : tensor<64xf16>
  // expected-error @+1 {{spyre-propagate-layouts: scf.if has a tensor as result, but no rule for layouts}}
  %1 = scf.if %c -> tensor<64xf16> {
    scf.yield %0 : tensor<64xf16>
  } else {
    scf.yield %a : tensor<64xf16>
  }
  return
}

// -----

// The type of a callee does not change with the layout of what it is called with.
func.func private @callee(tensor<64xf16>)
func.func @call(%a: tensor<64xf16>) {
  // expected-note @+1 {{operand #0 is defined here}}
  %0 = spyre.exp %a : tensor<64xf16>
  // expected-error @+1 {{spyre-propagate-layouts: operand #0 has no layout, but the called function takes the type without a change; give both the same layout}}
  call @callee(%0) : (tensor<64xf16>) -> ()
  return
}

// -----

func.func @from_unranked(%a: tensor<*xf16>, %b: tensor<64xf16>) {
  // expected-error @+1 {{spyre-propagate-layouts: tensor.cast does not change layouts; spyre.restickify does, and nothing else}}
  %0 = tensor.cast %a : tensor<*xf16> to tensor<64xf16>
  %1 = spyre.add %0, %b : tensor<64xf16>
  return
}

// -----

// A loop has no candidates of its own.
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
func.func @candidates_of_a_loop(%a: tensor<64x64xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{spyre-propagate-layouts: a loop has the layouts of its initial values, so spyre.layout_candidates belongs on that}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %a) -> tensor<64x64xf16> {
    %0 = spyre.exp %acc : tensor<64x64xf16>
    scf.yield %0 : tensor<64x64xf16>
  } {spyre.layout_candidates = [#cols]}
  return
}

// -----

// The only candidate is in an arrangement that the operand is not in.
#staggered = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), arrangement = dl16_to_fp32>
// expected-note @+1 {{operand #0 is defined here}}
func.func @impossible_candidate(%a: tensor<64x64xf16>) {
  // expected-error @+1 {{spyre-propagate-layouts: operand #0 is in the arrangement STANDARD along its stick, but the result is in DL16_TO_FP32; only operands that are broadcast along the stick go with another one. Cast the staggered one back, or the other one in the same way}}
  %0 = spyre.exp %a {spyre.layout_candidates = [#staggered]} : tensor<64x64xf16>
  return
}

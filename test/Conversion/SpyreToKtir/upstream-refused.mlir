// RUN: spyre-opt %s --convert-spyre-to-ktir=flavour=upstream --split-input-file --verify-diagnostics

// One program for each label of docs/Ktir.md, with the operation, the reason and the way out. A unit test compares the
// labels here with the table.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<256x256xf16, #stick>
func.func @matmul(%a: !t {spyre.place = #spyre.place<arg 0>}, %b: !t {spyre.place = #spyre.place<arg 1>}) -> !t {
  // expected-error @+1 {{convert-spyre-to-ktir: [ktir-upstream: matmul] 'spyre.batchmatmul' is a product; `flavour=portable` has products of matrices}}
  %y = spyre.batchmatmul %a, %b split [4, 1, 1] place arg 2 : (!t, !t) -> !t
  return %y : !t
}

// -----

#ints = #spyre.layout<(d0) -> (d0 floordiv 32, d0 mod 32)>
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
func.func @gather(%i: tensor<64xi32, #ints> {spyre.place = #spyre.place<arg 0>}, %t: tensor<96x128xf16, #stick> {spyre.place = #spyre.place<arg 1>}) -> tensor<64x128xf16, #stick> {
  // expected-error @+1 {{[ktir-upstream: gather] an indirect access tile is not scheduled}}
  %y = spyre.gather %i, %t dim 0 split [1, 1] place arg 2 : (tensor<64xi32, #ints>, tensor<96x128xf16, #stick>) -> tensor<64x128xf16, #stick>
  return %y : tensor<64x128xf16, #stick>
}

// -----

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#sparse = #spyre.layout<(d0, d1) -> (d1, 0, d0, 0)>
!t = tensor<64x256xf16, #stick>
!s = tensor<64x1xf16, #sparse>
func.func @operation(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !s {
  // expected-error @+1 {{[ktir-upstream: operation] 'spyre.mean' has no recipe; `flavour=portable` has more operations; a mean is a sum times a number}}
  %y = spyre.mean %a dims [1] keepdim split [4, 1, 1] place arg 1 : (!t) -> !s
  return %y : !s
}

// -----

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<?x256xf16, #stick>
func.func @symbolic_extent(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  // expected-error @+1 {{[ktir-upstream: symbolic-extent] dimension 0 of the iteration space has a dynamic extent}}
  %y = spyre.exp %a split [1, 1] place arg 1 : !t
  return %y : !t
}

// -----

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x256xf16, #stick>
func.func @symbolic_trip(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %init = spyre.empty place arg 1 : !t
  // expected-error @+1 {{[ktir-upstream: symbolic-trip] the loop does not count from 0 to a constant in constant steps}}
  %r = scf.for %i = %c1 to %c2 step %c1 iter_args(%acc = %init) -> (!t) {
    %y = spyre.exp %a split [1, 1] place arg 1 : !t
    scf.yield %y : !t
  }
  return %r : !t
}

// -----

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#ieee = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), format = IEEE_FP16>
!t = tensor<64x256xf16, #stick>
func.func @mixed_formats(%a: !t {spyre.place = #spyre.place<arg 0>}, %b: tensor<64x256xf16, #ieee> {spyre.place = #spyre.place<arg 1>}) -> !t {
  // expected-error @+1 {{[ktir-upstream: mixed-formats] the tensors are of f16 as SEN169_FP16 and of f16 as IEEE_FP16}}
  %y = spyre.add %a, %b split [1, 1] place arg 2 : (!t, tensor<64x256xf16, #ieee>) -> !t
  return %y : !t
}

// -----

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32)>
!t = tensor<64x256xf32, #stick>
func.func @element_type(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  // expected-error @+1 {{[ktir-upstream: element-type] 'spyre.gelufwd' is of f16, and the tensors are of f32}}
  %y = spyre.gelufwd %a split [1, 1] place arg 1 : !t
  return %y : !t
}

// -----

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32), arrangement = dl16_to_fp32>
!t = tensor<64x256xf32, #stick>
func.func @staggered(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  // expected-error @+1 {{[ktir-upstream: staggered] the elements of the sticks of}}
  %y = spyre.exp %a split [1, 1] place arg 1 : !t
  return %y : !t
}

// -----

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x256xf16, #stick>
func.func @in_place(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %x = spyre.exp %a split [1, 1] place pool 0 : !t
  // expected-error @+1 {{[ktir-upstream: in-place] the result is in pool 0, over operand #0; give the result a place of its own}}
  %y = spyre.sqrt %x split [1, 1] place pool 0 : !t
  %z = spyre.exp %y split [1, 1] place arg 1 : !t
  return %z : !t
}

// -----

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x256xf16, #stick>
func.func @mixed_division(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  // expected-note @+1 {{the other operation is here}}
  %y = spyre.exp %a split [4, 1] place pool 0 : !t
  // expected-error @+1 {{[ktir-upstream: mixed-division] 1 cores share the operation, and 4 share another one of the kernel}}
  %z = spyre.sqrt %y split [1, 1] place arg 1 : !t
  return %z : !t
}

// -----

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x256xf16, #stick>
!r = tensor<1x256xf16, #stick>
func.func @divided_reduction(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !r {
  // expected-error @+1 {{[ktir-upstream: divided-reduction] 4 cores share dimension 2, which is reduced, and no operation combines their parts}}
  %y = spyre.sum %a dims [0] keepdim split [1, 1, 4] place arg 1 : (!t) -> !r
  return %y : !r
}

// -----

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x256xf16, #stick>
func.func @loop_carried(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  // expected-note @+1 {{the value is defined here}}
  %init = spyre.empty place lx 0 : !t
  // expected-error @+1 {{[ktir-upstream: loop-carried] the loop carries a value in scratchpads; plan with}}
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %init) -> (!t) {
    %y = spyre.exp %a split [1, 1] place lx 0 : !t
    scf.yield %y : !t
  }
  %z = spyre.exp %r split [1, 1] place arg 1 : !t
  return %z : !t
}

// -----

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x256xf16, #stick>
func.func @lx(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  // expected-note @+2 {{the value is defined here}}
  // expected-error @+1 {{[ktir-upstream: lx] a value is in lx 0; plan with}}
  %y = spyre.exp %a split [4, 1] place lx 0 : !t
  %z = spyre.sqrt %y split [4, 1] place arg 1 : !t
  return %z : !t
}

// -----

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x256xf16, #stick>
func.func @exchange(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %y = spyre.exp %a split [4, 1] place pool 0 : !t
  // expected-error @+1 {{[ktir-upstream: exchange] a core reads or writes device memory that another one writes}}
  %z = spyre.sqrt %y split [1, 4] place arg 1 : !t
  return %z : !t
}

// -----

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#sparse = #spyre.layout<(d0, d1) -> (d1, 0, d0, 0)>
!t = tensor<64x100xf16, #stick>
!s = tensor<64x1xf16, #sparse>
func.func @partial_stick(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !s {
  // expected-error @+1 {{[ktir-upstream: partial-stick] rows of 100 elements end inside of a stick of 64}}
  %y = spyre.sum %a dims [1] keepdim split [4, 1, 1] place arg 1 : (!t) -> !s
  return %y : !s
}

// -----

// Each iteration moves by a row group and a half.

#split = #spyre.layout<(d0, d1) -> (d0 floordiv 16, d1 floordiv 64, d0 mod 16, d1 mod 64)>
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x64xf16, #split>
!w = tensor<8x64xf16, #split>
!y = tensor<24x64xf16, #stick>
func.func @window(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !y {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %init = spyre.empty place arg 1 : !y
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %init) -> (!y) {
    %from = affine.apply affine_map<(d0) -> (d0 * 24)>(%i)
    %to = affine.apply affine_map<(d0) -> (d0 * 8)>(%i)
    %w = tensor.extract_slice %a[%from, 0] [8, 64] [1, 1] : !t to !w
    // expected-error @+1 {{[ktir-upstream: window] a window has the positions up to 24 of a device dimension of 16; tile other dimensions}}
    %y = spyre.exp %w split [1, 1] place window : (!w) -> tensor<8x64xf16, #stick>
    %n = tensor.insert_slice %y into %acc[%to, 0] [8, 64] [1, 1] : tensor<8x64xf16, #stick> into !y
    scf.yield %n : !y
  }
  return %r : !y
}

// -----

#outer = #spyre.layout<(d0, d1, d2) -> (d0, d2 floordiv 64, d1, d2 mod 64)>
#inner = #spyre.layout<(d0, d1, d2) -> (d1, d2 floordiv 64, d0, d2 mod 64)>
!t = tensor<4x16x128xf16, #outer>
!u = tensor<4x16x128xf16, #inner>
func.func @layout(%a: !t {spyre.place = #spyre.place<arg 0>}, %b: !u {spyre.place = #spyre.place<arg 1>}) -> !t {
  // expected-error @+1 {{[ktir-upstream: layout] operand #1 has other device dimensions than the result, or another order; give both one layout}}
  %y = spyre.add %a, %b split [1, 1, 1] place arg 2 : (!t, !u) -> !t
  return %y : !t
}

// -----

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32)>
!t = tensor<64x64xi32, #stick>
!r = tensor<1x64xi32, #stick>
func.func @broadcast(%a: !t {spyre.place = #spyre.place<arg 0>}, %b: !r {spyre.place = #spyre.place<arg 1>}) -> !t {
  // expected-error @+1 {{[ktir-upstream: broadcast] an operand is smaller than the result, and the scheduler has no difference of integers}}
  %y = spyre.sub %a, %b split [1, 1] place arg 2 : (!t, !r) -> !t
  return %y : !t
}

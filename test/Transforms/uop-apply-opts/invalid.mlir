// RUN: spyre-opt %s --uop-apply-opts --split-input-file --verify-diagnostics

// Optimisations that are not legal, and those without a meaning on the card. crates/spyre-uop/tests/opts.rs has all rules.

#all = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>

func.func @u38(%x: tensor<8x128xf16>) -> tensor<8x128xf16> {
  // expected-error @+1 {{uop-apply-opts: optimisation 1: [U38] there is no axis 3 of 3}}
  %0 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"],
      uop.opts = [#uop.split<0 by 2 to loop top>, #uop.split<3 by 2 to loop top>]} ins(%x : tensor<8x128xf16>) outs(%x : tensor<8x128xf16>) {
  ^bb0(%a: f16, %o: f16):
    linalg.yield %a : f16
  } -> tensor<8x128xf16>
  return %0 : tensor<8x128xf16>
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>

func.func @u39(%x: tensor<8x128xf16>) -> tensor<8x128xf16> {
  // expected-error @+1 {{optimisation 0: [U39] 3 does not divide the 8 positions of axis r0; pad it to a multiple first}}
  %0 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"],
      uop.opts = [#uop.split<0 by 3 to loop top>]} ins(%x : tensor<8x128xf16>) outs(%x : tensor<8x128xf16>) {
  ^bb0(%a: f16, %o: f16):
    linalg.yield %a : f16
  } -> tensor<8x128xf16>
  return %0 : tensor<8x128xf16>
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>

func.func @u40(%x: tensor<8x128xf16>, %y: tensor<8xf16>) -> tensor<8xf16> {
  // expected-error @+1 {{optimisation 0: [U40] THREAD is not split from REDUCE, but from GLOBAL or LOOP}}
  %0 = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"],
      uop.opts = [#uop.split<1 by 2 to thread top>]} ins(%x : tensor<8x128xf16>) outs(%y : tensor<8xf16>) {
  ^bb0(%a: f16, %o: f16):
    %s = arith.addf %o, %a : f16
    linalg.yield %s : f16
  } -> tensor<8xf16>
  return %0 : tensor<8xf16>
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>

// exp(0) is 1, so that positions of 0 would count.
func.func @u41(%x: tensor<8x100xf16>, %y: tensor<8xf16>) -> tensor<8xf16> {
  // expected-error @+1 {{optimisation 0: [U41] REDUCE axis r1 is not padded: its reduction is Add, of terms that are not 0 where elements are 0}}
  %0 = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"],
      uop.opts = [#uop.padto<1 to 64>]} ins(%x : tensor<8x100xf16>) outs(%y : tensor<8xf16>) {
  ^bb0(%a: f16, %o: f16):
    %e = math.exp %a : f16
    %s = arith.addf %o, %e : f16
    linalg.yield %s : f16
  } -> tensor<8xf16>
  return %0 : tensor<8xf16>
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>

// The other factor may be infinite, and an infinity times 0 is no number.
func.func @u41_factor(%x: tensor<8x100xf16>, %z: tensor<8xf16>, %y: tensor<8xf16>) -> tensor<8xf16> {
  // expected-error @+1 {{of terms that are not 0 where elements are 0}}
  %0 = linalg.generic {indexing_maps = [#all, #rows, #rows], iterator_types = ["parallel", "reduction"],
      uop.opts = [#uop.padto<1 to 64>]} ins(%x, %z : tensor<8x100xf16>, tensor<8xf16>) outs(%y : tensor<8xf16>) {
  ^bb0(%a: f16, %b: f16, %o: f16):
    %e = arith.mulf %a, %b : f16
    %s = arith.addf %o, %e : f16
    linalg.yield %s : f16
  } -> tensor<8xf16>
  return %0 : tensor<8xf16>
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>

func.func @u42(%x: tensor<8x128xf16>) -> tensor<8x128xf16> {
  // expected-error @+1 {{optimisation 1: [U42] LOOP axis r0 and THREAD axis r2 cannot be swapped; only two LOOP axes or two GLOBAL axes can}}
  %0 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"],
      uop.opts = [#uop.split<0 by 2 to thread top>, #uop.swap<0 with 2>]} ins(%x : tensor<8x128xf16>) outs(%x : tensor<8x128xf16>) {
  ^bb0(%a: f16, %o: f16):
    linalg.yield %a : f16
  } -> tensor<8x128xf16>
  return %0 : tensor<8x128xf16>
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>

func.func @u43(%x: tensor<8x128xf16>, %y: tensor<8xf16>) -> tensor<8xf16> {
  // expected-error @+1 {{optimisation 1: [U43] a tensor core comes first, before every other optimisation}}
  %0 = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"],
      uop.opts = [#uop.split<0 by 2 to loop top>, #uop.tc<0 core 0 opt 0 mode 1>]} ins(%x : tensor<8x128xf16>) outs(%y : tensor<8xf16>) {
  ^bb0(%a: f16, %o: f16):
    %s = arith.addf %o, %a : f16
    linalg.yield %s : f16
  } -> tensor<8xf16>
  return %0 : tensor<8xf16>
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>

func.func @u44_local(%x: tensor<8x128xf16>) -> tensor<8x128xf16> {
  // expected-error @+1 {{optimisation 0: [U44] LOCAL is a dimension of threads that share memory; a core of the card has no threads}}
  %0 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"],
      uop.opts = [#uop.split<0 by 2 to local inner>]} ins(%x : tensor<8x128xf16>) outs(%x : tensor<8x128xf16>) {
  ^bb0(%a: f16, %o: f16):
    linalg.yield %a : f16
  } -> tensor<8x128xf16>
  return %0 : tensor<8x128xf16>
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>

// Of 32 bits, a stick has 32.
func.func @u44_stick(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  // expected-error @+1 {{optimisation 0: [U44] a stick has 32 elements of the result, not 64}}
  %0 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"],
      uop.opts = [#uop.split<1 by 64 to upcast inner>]} ins(%x : tensor<8x128xf32>) outs(%x : tensor<8x128xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8x128xf32>
  return %0 : tensor<8x128xf32>
}

// -----

func.func @position(%y: tensor<100xi32>) -> tensor<100xi32> {
  // expected-error @+1 {{the body has 'linalg.index', and after the loop there are no positions to read or to count}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"], uop.opts = [#uop.padto<0 to 64>]} outs(%y : tensor<100xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %s = arith.index_cast %i : index to i32
    linalg.yield %s : i32
  } -> tensor<100xi32>
  return %0 : tensor<100xi32>
}

// -----

func.func @window(%x: tensor<102xf16>, %w: tensor<3xf16>, %y: tensor<100xf16>) -> tensor<100xf16> {
  // expected-error @+1 {{tensor<102xf16> moves along loop d0 with other loops, so that it has no positions after the end of that loop}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 + d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>],
      iterator_types = ["parallel", "reduction"], uop.opts = [#uop.padto<0 to 64>]} ins(%x, %w : tensor<102xf16>, tensor<3xf16>) outs(%y : tensor<100xf16>) {
  ^bb0(%a: f16, %b: f16, %o: f16):
    %s = arith.addf %o, %a : f16
    linalg.yield %s : f16
  } -> tensor<100xf16>
  return %0 : tensor<100xf16>
}

// -----

func.func @named(%x: tensor<8x128xf16>, %y: tensor<8x128xf16>) -> tensor<8x128xf16> {
  // expected-error @+1 {{'linalg.exp' is no linalg.generic; run --spyre-generalize-named-ops first}}
  %0 = linalg.exp {uop.opts = [#uop.split<0 by 2 to loop top>]} ins(%x : tensor<8x128xf16>) outs(%y : tensor<8x128xf16>) -> tensor<8x128xf16>
  return %0 : tensor<8x128xf16>
}

// -----

func.func @not_converted(%x: tensor<8x128xf16>) -> tensor<8x128xf16> {
  // expected-error @+1 {{optimisations are of loops; run --convert-uop-to-linalg first}}
  %0 = uop.neg %x {uop.opts = [#uop.split<0 by 2 to loop top>]} : tensor<8x128xf16>
  return %0 : tensor<8x128xf16>
}

// RUN: spyre-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// One module per constraint of sdscbundle.op_spec, its attributes and the discardable attributes.

//===----------------------------------------------------------------------===//
// sdscbundle.op_spec
//===----------------------------------------------------------------------===//

// SO1: coordinates over the iteration space.
// expected-error @+1 {{tensor #1 has coordinates over 2 dimensions, but the iteration space has 1}}
sdscbundle.op_spec @s "exp" space [<"c0" = 4 over 1>] args [<in arg 0 SEN169_FP16 [1, 64], (d0) -> (0, 0)>, <out arg 0 SEN169_FP16 [1, 64], (d0, d1) -> (0, 0)>]

// -----

// SO2: at least one tensor.
// expected-error @+1 {{has no tensors}}
sdscbundle.op_spec @s "exp" space [] args []

// -----

// SO2: outputs follow inputs.
// expected-error @+1 {{tensor #1 is an input after an output}}
sdscbundle.op_spec @s "exp" space [] args [<out arg 0 SEN169_FP16 [1, 64], () -> (0, 0)>, <in arg 0 SEN169_FP16 [1, 64], () -> (0, 0)>]

// -----

// SO2: at least one output.
// expected-error @+1 {{has no output}}
sdscbundle.op_spec @s "exp" space [] args [<in arg 0 SEN169_FP16 [1, 64], () -> (0, 0)>]

// -----

// SO3: one entry per loop.
// expected-error @+1 {{tensor #2 advances over 2 loops, but another tensor over 1}}
sdscbundle.op_spec @s "add" space [] args [<in arg 0 SEN169_FP16 [1, 64], () -> (0, 0), advance = [64]>, <in arg 0 SEN169_FP16 [1, 64], () -> (0, 0)>, <out arg 0 SEN169_FP16 [1, 64], () -> (0, 0), advance = [64, 0]>]

// -----

// SO3: one entry per loop that is stated.
// expected-error @+1 {{tensor #0 advances over 1 loops, but the operation runs in 2}}
sdscbundle.op_spec @s "add" space [] loops [2, 4] args [<out arg 0 SEN169_FP16 [1, 64], () -> (0, 0), advance = [64]>]

// -----

// SO7: trip counts are positive.
// expected-error @+1 {{loop 1 must have a positive trip count, got 0}}
sdscbundle.op_spec @s "add" space [] loops [2, 0] args [<out arg 0 SEN169_FP16 [1, 64], () -> (0, 0)>]

// -----

// SO4: distinct symbols.
// expected-error @+1 {{names iteration symbol "c0" twice}}
sdscbundle.op_spec @s "exp" space [<"c0" = 4 over 1>, <"c0" = 8 over 1>] args [<out arg 0 SEN169_FP16 [1, 64], (d0, d1) -> (0, 0)>]

// -----

// SO5: constants are numbers.
// expected-error @+1 {{constant "eps" is not a number}}
sdscbundle.op_spec @s "layernormscale" space [] args [<out arg 0 SEN169_FP16 [1, 64], () -> (0, 0)>] constants <"eps" = "small">

// -----

// SO3: one entry per level.
// expected-error @+1 {{tensor #0 advances over 2 loops, but the levels are 1}}
sdscbundle.op_spec @s "add" space [] loops [2, 4] levels [<1>] args [<out arg 0 SEN169_FP16 [1, 64], () -> (0, 0), advance = [64, 0]>]

// -----

// SO8: in order of the loops.
// expected-error @+1 {{has a level of loop 0 after one of loop 1}}
sdscbundle.op_spec @s "add" space [] levels [<1>, <0>] args [<out arg 0 SEN169_FP16 [1, 64], () -> (0, 0)>]

// -----

// SO8: of loops that are there.
// expected-error @+1 {{has a level of loop 2, but runs in 2 loops}}
sdscbundle.op_spec @s "add" space [] loops [2, 4] levels [<2>] args [<out arg 0 SEN169_FP16 [1, 64], () -> (0, 0)>]

// -----

// SO8: of dimensions that are there.
// expected-error @+1 {{has a level of "c1", which is no iteration symbol}}
sdscbundle.op_spec @s "add" space [<"c0" = 4 over 1>] levels [<0 : "c1">] args [<out arg 0 SEN169_FP16 [1, 64], (d0) -> (0, 0)>]

// -----

// SO9: one size, one set of bounds.
// expected-error @+1 {{runtime size "s0" is at most 512 and a multiple of 64 in "c0", but at most 512 and a multiple of 32 in "c1"}}
sdscbundle.op_spec @s "add" space [<"c0" = "s0" max 512 granularity 64 over 1>, <"c1" = "s0" max 512 granularity 32 over 1>] args [<out arg 0 SEN169_FP16 [1, 64], (d0, d1) -> (0, 0)>]

// -----

// SO10: distinct names.
// expected-error @+1 {{has two tensors named "x"}}
sdscbundle.op_spec @s "add" space [] args [<in arg 0 SEN169_FP16 [1, 64], () -> (0, 0), name = "x">, <out arg 0 SEN169_FP16 [1, 64], () -> (0, 0), name = "x">]

// -----

// SO10: names of tensors.
// expected-error @+1 {{tensor #0 takes coordinates from "y", which is not the name of an input}}
sdscbundle.op_spec @s "add" space [] args [<in arg 0 SEN169_FP16 [1, 64], ()[s0] -> (s0, 0), name = "x", indirect = ["y"]>, <out arg 0 SEN169_FP16 [1, 64], () -> (0, 0)>]

// -----

// SO10: of inputs.
// expected-error @+1 {{tensor #0 takes coordinates from "y", which is not the name of an input}}
sdscbundle.op_spec @s "add" space [] args [<in arg 0 SEN169_FP16 [1, 64], ()[s0] -> (s0, 0), indirect = ["y"]>, <out arg 0 SEN169_FP16 [1, 64], () -> (0, 0), name = "y">]

// -----

// SO11: owners along the iteration space.
// expected-error @+1 {{tensor #0 has owners in 1 dimensions, but the iteration space has 0}}
sdscbundle.op_spec @s "add" space [] args [<out arg 0 SEN169_FP16 [1, 64], () -> (0, 0), owners = <[4], (d0) -> (d0)>>]

// -----

// SO13: slices of dimensions that are there.
// expected-error @+1 {{has core slices of "c1", which is no iteration symbol}}
sdscbundle.op_spec @s "neg" space [<"c0" = 4 over 1>] core_slices <["c1"], (d0) -> (d0)> args [<out arg 0 SEN169_FP16 [1, 64], (d0) -> (0, 0)>]

// -----

// SO13: of all that are divided.
// expected-error @+1 {{has no core slices of "c1", which is divided into 2}}
sdscbundle.op_spec @s "neg" space [<"c0" = 4 over 1>, <"c1" = 4 over 2>] core_slices <["c0"], (d0) -> (0)> args [<out arg 0 SEN169_FP16 [1, 64], (d0, d1) -> (0, 0)>]

// -----

// SO14: at least one core.
// expected-error @+1 {{has no cores in 'completed_cores'; leave it out if all cores have the source}}
sdscbundle.op_spec @s "identity" space [] completed_cores [] args [<out lx 0 SEN169_FP16 [1, 64], () -> (0, 0)>]

// -----

// SO14: each once.
// expected-error @+1 {{names completed core 3 twice}}
sdscbundle.op_spec @s "identity" space [] completed_cores [3, 1, 3] args [<out lx 0 SEN169_FP16 [1, 64], () -> (0, 0)>]

// -----

// SO14: not negative.
// expected-error @+1 {{completed cores must be in [0, 2147483647], got -1}}
sdscbundle.op_spec @s "identity" space [] completed_cores [-1] args [<out lx 0 SEN169_FP16 [1, 64], () -> (0, 0)>]

// -----

// SO14: below 2^31.
// expected-error @+1 {{completed cores must be in [0, 2147483647], got 2147483648}}
sdscbundle.op_spec @s "identity" space [] completed_cores [2147483648] args [<out lx 0 SEN169_FP16 [1, 64], () -> (0, 0)>]

// -----

// SO12: what JSON can say.
// expected-error @+1 {{'info' must be unit, a boolean, a 64-bit integer, a finite f64, a string, or an array or record of such values, got #sdscbundle.record<"a" = [1 : i32]>}}
sdscbundle.op_spec @s "add" space [] args [<out arg 0 SEN169_FP16 [1, 64], () -> (0, 0)>] info <"a" = [1 : i32]>

// -----

// SO12: no infinity.
// expected-error @+1 {{'debug_handle' must be unit, a boolean, a 64-bit integer, a finite f64}}
sdscbundle.op_spec @s "add" space [] args [<out arg 0 SEN169_FP16 [1, 64], () -> (0, 0)>] debug_handle 0x7FF0000000000000 : f64

// -----

// SO12: no dictionary, which has no order.
// expected-error @+1 {{'debug_handle' must be unit, a boolean}}
sdscbundle.op_spec @s "add" space [] args [<out arg 0 SEN169_FP16 [1, 64], () -> (0, 0)>] debug_handle {a = 1}

// -----

// SO6: an OpFunc.
// expected-error @+1 {{has no OpFunc}}
sdscbundle.op_spec @s "" space [] args [<out arg 0 SEN169_FP16 [1, 64], () -> (0, 0)>]

// -----

// SO6: a name.
// expected-error @+1 {{has no name}}
"sdscbundle.op_spec"() <{sym_name = "", op_func = "exp", space = [], args = [#sdscbundle.tensor_arg<out arg 0 SEN169_FP16 [1, 64], () -> (0, 0)>]}> : () -> ()

// -----

// Two of one name in one symbol table.
// expected-note @+1 {{see existing symbol definition here}}
sdscbundle.op_spec @s "exp" space [] args [<out arg 0 SEN169_FP16 [1, 64], () -> (0, 0)>]
// expected-error @+1 {{redefinition of symbol named 's'}}
sdscbundle.op_spec @s "exp" space [] args [<out arg 0 SEN169_FP16 [1, 64], () -> (0, 0)>]

// -----

// A visibility that is none.
// expected-error @+1 {{visibility expected to be one of}}
"sdscbundle.op_spec"() <{sym_name = "s", sym_visibility = "secret", op_func = "exp", space = [], args = [#sdscbundle.tensor_arg<out arg 0 SEN169_FP16 [1, 64], () -> (0, 0)>]}> : () -> ()

// -----

// Entries of another kind.
// expected-error @+1 {{attribute 'space' failed to satisfy constraint: iteration space}}
"sdscbundle.op_spec"() <{sym_name = "s", op_func = "exp", space = [4], args = []}> : () -> ()

// -----

// expected-error @+1 {{attribute 'args' failed to satisfy constraint: tensors, inputs first}}
"sdscbundle.op_spec"() <{sym_name = "s", op_func = "exp", space = [], args = ["x"]}> : () -> ()

// -----

// expected-error @+1 {{requires attribute 'op_func'}}
"sdscbundle.op_spec"() <{sym_name = "s", space = [], args = []}> : () -> ()

// -----

// S8: an extent of 1 on the stick leaves no room for another dimension.
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// expected-note @+1 {{operand #0 of type}}
func.func @s8_extent_one(%a: tensor<128x1xf16, #cols>, %b: tensor<1x128xf16, #rows>) {
  // expected-error @+1 {{operand #0 must have one element in each stick, because K, its dimension 1, has extent 1; dimension 0 is on the stick}}
  %0 = spyre.batchmatmul %a, %b : (tensor<128x1xf16, #cols>, tensor<1x128xf16, #rows>) -> tensor<128x128xf16, #rows>
  return
}

// -----

// S20: a permutation.
func.func @s20_permutation(%a: tensor<64x128xf16>) {
  // expected-error @+1 {{permutation [0, 0] must name each of the 2 dimensions of the input once}}
  %0 = spyre.permute %a [0, 0] : tensor<64x128xf16> to tensor<64x64xf16>
  return
}

// -----

// S20: of all dimensions.
func.func @s20_rank(%a: tensor<64x128xf16>) {
  // expected-error @+1 {{permutation [0] must name each of the 2 dimensions of the input once}}
  %0 = spyre.permute %a [0] : tensor<64x128xf16> to tensor<64xf16>
  return
}

// -----

// S20: the shape.
// expected-note @+1 {{operand #0 of type 'tensor<64x128xf16>' comes from here}}
func.func @s20_shape(%a: tensor<64x128xf16>) {
  // expected-error @+1 {{result has type 'tensor<64x128xf16>', but the permuted input has shape [128, 64] of 'f16'}}
  %0 = spyre.permute %a [1, 0] : tensor<64x128xf16> to tensor<64x128xf16>
  return
}

// -----

// S20: the layout.
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// expected-note @+1 {{operand #0 of type}}
func.func @s20_layout(%a: tensor<64x128xf16, #rows>) {
  // expected-error @+1 {{result has layout #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>, but a permutation moves nothing: its layout is #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>}}
  %0 = spyre.permute %a [1, 0] : tensor<64x128xf16, #rows> to tensor<128x64xf16, #rows>
  return
}

// -----

// S20: from nothing.
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// expected-note @+1 {{operand #0 of type}}
func.func @s20_no_layout(%a: tensor<64x128xf16>) {
  // expected-error @+1 {{but the input has none}}
  %0 = spyre.permute %a [1, 0] : tensor<64x128xf16> to tensor<128x64xf16, #rows>
  return
}

// -----

// S21: sticks of one size.
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32)>
#bools = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// expected-note @+1 {{operand #0 of type}}
func.func @s21_elements(%a: tensor<64x128xf32, #rows>) {
  // expected-error @+1 {{result has 64 elements in a stick, but operand #0 has 32}}
  %0 = spyre.equal %a, %a : (tensor<64x128xf32, #rows>, tensor<64x128xf32, #rows>) -> tensor<64x128xi1, #bools>
  return
}

// -----

// S21: one arrangement.
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32)>
#staggered = #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32), arrangement = dl16_to_fp32>
// expected-note @+2 {{operand #0 of type}}
// expected-note @+1 {{operand #1 of type}}
func.func @s21_arrangement(%a: tensor<64x128xf32, #rows>, %b: tensor<64x128xf32, #staggered>) {
  // expected-error @+1 {{operand #1 has the arrangement dl16_to_fp32 on its stick, but operand #0 has standard}}
  %0 = spyre.add %a, %b : (tensor<64x128xf32, #rows>, tensor<64x128xf32, #staggered>) -> tensor<64x128xf32, #rows>
  return
}

// -----

// S22: the last dimension.
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#pair = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), arrangement = exx2>
// expected-note @+1 {{operand #0 of type}}
func.func @s22_exx2(%a: tensor<128x256xf16, #cols>) {
  // expected-error @+1 {{operand #0 must have its last dimension, 1, on the stick}}
  %0 = spyre.exx2 %a : (tensor<128x256xf16, #cols>) -> tensor<128x2xf16, #pair>
  return
}

// -----

// SD12: of an OpSpec.
// expected-error @+1 {{name "\FF" is not UTF-8}}
sdscbundle.op_spec @"\FF" "add" space [] args [<out arg 0 SEN169_FP16 [1, 64], () -> (0, 0)>]

// -----

//===----------------------------------------------------------------------===//
// #sdscbundle.iter_dim
//===----------------------------------------------------------------------===//

// SI1: a positive extent.
// expected-error @+1 {{extent and slices must be positive, got 0 over 1}}
"test.op"() {a = #sdscbundle.iter_dim<"c0" = 0 over 1>} : () -> ()

// -----

// SI1: positive slices, though -4 is a multiple of -2.
// expected-error @+1 {{extent and slices must be positive, got -4 over -2}}
"test.op"() {a = #sdscbundle.iter_dim<"c0" = -4 over -2>} : () -> ()

// -----

// SI1: below 2^31.
// expected-error @+1 {{slices must be at most 2147483647, got 2147483648}}
"test.op"() {a = #sdscbundle.iter_dim<"c0" = 2147483648 over 2147483648>} : () -> ()

// -----

// SI2: a symbol.
// expected-error @+1 {{iteration dimension has no symbol}}
"test.op"() {a = #sdscbundle.iter_dim<"" = 4 over 2>} : () -> ()

// -----

// SI3: a name.
// expected-error @+1 {{runtime size of "c0" has no name}}
"test.op"() {a = #sdscbundle.iter_dim<"c0" = "" max 4 granularity 2 over 2>} : () -> ()

// -----

// SI3: a granularity.
// expected-error @+1 {{granularity must be positive for a runtime size and absent for another, got 0}}
"test.op"() {a = #sdscbundle.iter_dim<"c0" = "s0" max 4 granularity 0 over 2>} : () -> ()

// -----

// expected-error @+1 {{expected 'granularity'}}
"test.op"() {a = #sdscbundle.iter_dim<"c0" = "s0" max 4 over 2>} : () -> ()

// -----

//===----------------------------------------------------------------------===//
// #sdscbundle.level, #sdscbundle.ownership, #sdscbundle.record, #sdscbundle.size
//===----------------------------------------------------------------------===//

// SV1: a loop.
// expected-error @+1 {{loop of a level must be in [0, 2147483647], got -1}}
"test.op"() {a = #sdscbundle.level<-1>} : () -> ()

// -----

// SV1: a name.
// expected-error @+1 {{level names no dimension}}
"test.op"() {a = #sdscbundle.level<0 : "">} : () -> ()

// -----

// SV1: tiles.
// expected-error @+1 {{tiles of a level must be positive, got 0}}
"test.op"() {a = #sdscbundle.level<0 of 0>} : () -> ()

// -----

// SW1: the core alone.
// expected-error @+1 {{slices must be functions of the core alone, got affine_map<(d0, d1) -> (d0)>}}
"test.op"() {a = #sdscbundle.ownership<[4], (d0, d1) -> (d0)>} : () -> ()

// -----

// SW1: one number of slices each.
// expected-error @+1 {{ownership has 2 numbers of slices, but 1 functions of the core}}
"test.op"() {a = #sdscbundle.ownership<[4, 4], (d0) -> (d0)>} : () -> ()

// -----

// SW1: positive.
// expected-error @+1 {{slices must be positive, got 0}}
"test.op"() {a = #sdscbundle.ownership<[0], (d0) -> (d0)>} : () -> ()

// -----

// SW2: some core.
// expected-error @+1 {{owners must be among 1 to 2147483647 cores, got 0}}
"test.op"() {a = #sdscbundle.ownership<[4], (d0) -> (d0) among 0>} : () -> ()

// -----

// SW2: below 2^31.
// expected-error @+1 {{owners must be among 1 to 2147483647 cores, got 2147483648}}
"test.op"() {a = #sdscbundle.ownership<[4], (d0) -> (d0) among 2147483648>} : () -> ()

// -----

// SC1: the core alone.
// expected-error @+1 {{slices must be functions of the core alone, got affine_map<(d0)[s0] -> (d0 + s0)>}}
"test.op"() {a = #sdscbundle.core_slices<["c0"], (d0)[s0] -> (d0 + s0)>} : () -> ()

// -----

// SC1: also of no dimension.
// expected-error @+1 {{slices must be functions of the core alone, got affine_map<() -> ()>}}
"test.op"() {a = #sdscbundle.core_slices<[], () -> ()>} : () -> ()

// -----

// SC1: a symbol each.
// expected-error @+1 {{core_slices has 2 iteration symbols, but 1 functions of the core}}
"test.op"() {a = #sdscbundle.core_slices<["c0", "c1"], (d0) -> (d0)>} : () -> ()

// -----

// SC2: distinct.
// expected-error @+1 {{core_slices names "c0" twice}}
"test.op"() {a = #sdscbundle.core_slices<["c0", "c0"], (d0) -> (d0, 0)>} : () -> ()

// -----

// SC2: not empty.
// expected-error @+1 {{core_slices has an empty iteration symbol}}
"test.op"() {a = #sdscbundle.core_slices<[""], (d0) -> (d0)>} : () -> ()

// -----

// SR1: distinct names.
// expected-error @+1 {{record names "a" twice}}
"test.op"() {a = #sdscbundle.record<"a" = 1, "a" = 2>} : () -> ()

// -----

// SZ1: a name.
// expected-error @+1 {{runtime size has no name}}
"test.op"() {a = #sdscbundle.size<"">} : () -> ()

// -----

// SZ1: a place.
// expected-error @+1 {{argument and dimension of runtime size "s0" must be in [0, 2147483647], got -1}}
"test.op"() {a = #sdscbundle.size<"s0" in 0 dim -1>} : () -> ()

// -----

//===----------------------------------------------------------------------===//
// #sdscbundle.tensor_arg
//===----------------------------------------------------------------------===//

// SA1: one entry per coordinate.
// expected-error @+1 {{device size has 3 entries, but the coordinates 2; at least one each}}
"test.op"() {a = #sdscbundle.tensor_arg<in arg 0 SEN169_FP16 [8, 1, 64], (d0) -> (d0, 0)>} : () -> ()

// -----

// SA1: at least one.
// expected-error @+1 {{device size has 0 entries, but the coordinates 0; at least one each}}
"test.op"() {a = #sdscbundle.tensor_arg<in arg 0 SEN169_FP16 [], () -> ()>} : () -> ()

// -----

// SA1: positive.
// expected-error @+1 {{device size must be positive, got 0 in entry 1}}
"test.op"() {a = #sdscbundle.tensor_arg<in arg 0 SEN169_FP16 [8, 0], (d0) -> (d0, 0)>} : () -> ()

// -----

// SA2: not a window.
// expected-error @+1 {{a tensor of an op_spec has a place of its own, not 'window'}}
"test.op"() {a = #sdscbundle.tensor_arg<in window 0 SEN169_FP16 [64], (d0) -> (d0)>} : () -> ()

// -----

// SA2: a place, so SP1 holds.
// expected-error @+1 {{'arg' must not be negative, got -1}}
"test.op"() {a = #sdscbundle.tensor_arg<in arg -1 SEN169_FP16 [64], (d0) -> (d0)>} : () -> ()

// -----

// SA2: also in memory.
// expected-error @+1 {{'lx' must not be negative, got -128}}
"test.op"() {a = #sdscbundle.tensor_arg<out lx -128 SEN169_FP16 [64], (d0) -> (d0)>} : () -> ()

// -----

// SA2: below 2^31.
// expected-error @+1 {{'arg' must be at most 2147483647, got 2147483648}}
"test.op"() {a = #sdscbundle.tensor_arg<in arg 2147483648 SEN169_FP16 [64], (d0) -> (d0)>} : () -> ()

// -----

// SA3: the scratchpad does not advance.
// expected-error @+1 {{a tensor in lx does not advance}}
"test.op"() {a = #sdscbundle.tensor_arg<in lx 0 SEN169_FP16 [64], (d0) -> (d0), advance = [0]>} : () -> ()

// -----

// SA4: not negative.
// expected-error @+1 {{offset must not be negative, got -128}}
"test.op"() {a = #sdscbundle.tensor_arg<in arg 0 SEN169_FP16 [64], (d0) -> (d0), offset = -128>} : () -> ()

// -----

// SA5: a tensor for each symbol.
// expected-error @+1 {{coordinates have 1 symbols, but 'indirect' has 0 names of tensors: affine_map<(d0)[s0] -> (d0 + s0)>}}
"test.op"() {a = #sdscbundle.tensor_arg<in arg 0 SEN169_FP16 [64], (d0)[s0] -> (d0 + s0)>} : () -> ()

// -----

// SA6: 63 bits.
// expected-error @+1 {{a buffer of device size [72057594037927936, 64] does not end within 2^63 - 1 bytes}}
"test.op"() {a = #sdscbundle.tensor_arg<in arg 0 SEN169_FP16 [72057594037927936, 64], (d0) -> (0, d0)>} : () -> ()

// -----

// SA6: from its place.
// expected-error @+1 {{a buffer of device size [64] does not end within 2^63 - 1 bytes}}
"test.op"() {a = #sdscbundle.tensor_arg<in pool 9223372036854775680 SEN169_FP16 [64], (d0) -> (d0)>} : () -> ()

// -----

// SA6: with its offset.
// expected-error @+1 {{a buffer of device size [64] does not end within 2^63 - 1 bytes}}
"test.op"() {a = #sdscbundle.tensor_arg<in arg 0 SEN169_FP16 [64], (d0) -> (d0), offset = 9223372036854775680>} : () -> ()

// -----

// SA7: a name.
// expected-error @+1 {{tensor has an empty name}}
"test.op"() {a = #sdscbundle.tensor_arg<in arg 0 SEN169_FP16 [64], (d0) -> (d0), name = "">} : () -> ()

// -----

// SA7: of the tensor with the coordinates, too.
// expected-error @+1 {{'indirect' has an empty name}}
"test.op"() {a = #sdscbundle.tensor_arg<in arg 0 SEN169_FP16 [64], (d0)[s0] -> (s0), indirect = [""]>} : () -> ()

// -----

// expected-error @+1 {{unknown arrangement 'odd'}}
"test.op"() {a = #sdscbundle.tensor_arg<in arg 0 SEN169_FP16 [64], (d0) -> (d0), arrangement = odd>} : () -> ()

// -----

// expected-error @+1 {{expected 'in'}}
"test.op"() {a = #sdscbundle.tensor_arg<inout arg 0 SEN169_FP16 [64], (d0) -> (d0)>} : () -> ()

// -----

// expected-error @+1 {{unknown place 'hbm'}}
"test.op"() {a = #sdscbundle.tensor_arg<in hbm 0 SEN169_FP16 [64], (d0) -> (d0)>} : () -> ()

// -----

// expected-error @+1 {{unknown device format 'FP16'}}
"test.op"() {a = #sdscbundle.tensor_arg<in arg 0 FP16 [64], (d0) -> (d0)>} : () -> ()

// -----

// expected-error @+1 {{expected 'advance', 'offset', 'arrangement', 'name', 'indirect', 'owners', 'separate_parts' or 'kernel_local', each once, got 'offset'}}
"test.op"() {a = #sdscbundle.tensor_arg<in arg 0 SEN169_FP16 [64], (d0) -> (d0), offset = 0, offset = 128>} : () -> ()

// -----

// SA8: the scratchpad has parts of their own.
// expected-error @+1 {{'separate_parts' is for device memory: in lx each core's part is a tensor of its own anyway}}
"test.op"() {a = #sdscbundle.tensor_arg<in lx 0 SEN169_FP16 [64], (d0) -> (d0), separate_parts>} : () -> ()

// -----

// expected-error @+1 {{'separate_parts' or 'kernel_local', each once, got 'kernel_local'}}
"test.op"() {a = #sdscbundle.tensor_arg<in lx 0 SEN169_FP16 [64], (d0) -> (d0), kernel_local, kernel_local>} : () -> ()

// -----

// A flag has no value.
// expected-error @+1 {{expected '>'}}
"test.op"() {a = #sdscbundle.tensor_arg<in lx 0 SEN169_FP16 [64], (d0) -> (d0), kernel_local = true>} : () -> ()

// -----

//===----------------------------------------------------------------------===//
// Discardable attributes
//===----------------------------------------------------------------------===//

// SD6: a size.
// expected-error @+1 {{'sdscbundle.size' of argument 0 must be a #sdscbundle.size, got "s0"}}
func.func private @sd6_kind(index {sdscbundle.size = "s0"})

// -----

// SD7: on an execution.
// expected-error @+1 {{'sdscbundle.op_spec' must be the symbol of an OpSpec on an sdscbundle.sdsc_execute, got @sdsc_0}}
"test.op"() {sdscbundle.op_spec = @sdsc_0} : () -> ()

// -----

// SD7: a symbol.
func.func @sd7_kind() {
  // expected-error @+1 {{'sdscbundle.op_spec' must be the symbol of an OpSpec on an sdscbundle.sdsc_execute, got "sdsc_0"}}
  sdscbundle.sdsc_execute () {sdsc_filename = "sdsc_0.json", symbol_ids = [], sdscbundle.op_spec = "sdsc_0"}
  return
}

// -----

// SB22: no others.
// expected-error @+1 {{has no attribute 'sdscbundle.name' of the sdscbundle dialect on argument 1 (known: sdscbundle.op_spec on an sdscbundle.sdsc_execute; sdscbundle.size on function arguments)}}
func.func private @sb22_argument(index, index {sdscbundle.name = "x"})

// -----

// SB22: none on results.
// expected-error @+1 {{has no attribute 'sdscbundle.size' of the sdscbundle dialect on result 1 (known: sdscbundle.op_spec on an sdscbundle.sdsc_execute; sdscbundle.size on function arguments)}}
func.func private @sb22_result() -> (index, index {sdscbundle.size = #sdscbundle.size<"s0">})

// -----

// SB22: nor elsewhere.
// expected-error @+1 {{has no attribute 'sdscbundle.size' of the sdscbundle dialect (known: sdscbundle.op_spec on an sdscbundle.sdsc_execute; sdscbundle.size on function arguments)}}
module attributes {sdscbundle.size = #sdscbundle.size<"s0">} {}

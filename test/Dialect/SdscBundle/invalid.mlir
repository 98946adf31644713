// RUN: spyre-opt %s --split-input-file --verify-diagnostics

// One module per constraint, named after it (`sbN_...`).

//===----------------------------------------------------------------------===//
// !sdscbundle.input_arg
//===----------------------------------------------------------------------===//

// SB1: the underlying type is index.
// expected-error @+1 {{underlying type must be 'index', but is 'f32'}}
func.func private @sb1_element_type(!sdscbundle.input_arg<f32>)

// -----

// SB2: granularity is positive.
// expected-error @+1 {{granularity must be positive, but is 0}}
func.func private @sb2_granularity_zero(!sdscbundle.input_arg<index, granularity=0>)

// -----

// SB2
// expected-error @+1 {{granularity must be positive, but is -64}}
func.func private @sb2_granularity_negative(!sdscbundle.input_arg<index, granularity=-64>)

// -----

// SB3: max_value is positive.
// expected-error @+1 {{max_value must be positive, but is 0}}
func.func private @sb3_max_value_zero(!sdscbundle.input_arg<index, max_value=0>)

// -----

// SB4: max_value is a multiple of granularity.
// expected-error @+1 {{max_value 500 is not a multiple of granularity 64}}
func.func private @sb4_not_a_multiple(!sdscbundle.input_arg<index, granularity=64, max_value=500>)

// -----

// SB4: in the other order as well.
// expected-error @+1 {{max_value 32 is not a multiple of granularity 64}}
func.func private @sb4_below_granularity(!sdscbundle.input_arg<index, max_value=32, granularity=64>)

// -----

// expected-error @+1 {{'granularity' is given twice}}
func.func private @syntax_bound_twice(!sdscbundle.input_arg<index, granularity=64, granularity=64>)

// -----

// expected-error @+1 {{expected 'granularity' or 'max_value'}}
func.func private @syntax_unknown_bound(!sdscbundle.input_arg<index, min_value=64>)

// -----

//===----------------------------------------------------------------------===//
// sdscbundle.input_arg_extract
//===----------------------------------------------------------------------===//

// SB5: the field is known.
func.func @sb5_unknown_keyword(%arg: !sdscbundle.input_arg<index>) {
  // expected-error @+1 {{expected 'value', 'granularity' or 'max_value'}}
  %0 = sdscbundle.input_arg_extract size from %arg : !sdscbundle.input_arg<index> -> index
  return
}

// -----

// SB5, in generic form.
func.func @sb5_unknown_field(%arg: !sdscbundle.input_arg<index>) {
  // expected-error @+1 {{attribute 'field' failed to satisfy constraint: string attribute that is "value", "granularity" or "max_value"}}
  %0 = "sdscbundle.input_arg_extract"(%arg) <{field = "size"}> : (!sdscbundle.input_arg<index>) -> index
  return
}

// -----

// SB5: the field is there.
func.func @sb5_no_field(%arg: !sdscbundle.input_arg<index>) {
  // expected-error @+1 {{requires attribute 'field'}}
  %0 = "sdscbundle.input_arg_extract"(%arg) : (!sdscbundle.input_arg<index>) -> index
  return
}

// -----

// SB6: the type has the field.
func.func @sb6_no_granularity(%arg: !sdscbundle.input_arg<index, max_value=512>) {
  // expected-error @+1 {{extracts granularity, which '!sdscbundle.input_arg<index, max_value=512>' does not have}}
  %0 = sdscbundle.input_arg_extract granularity from %arg : !sdscbundle.input_arg<index, max_value=512> -> index
  return
}

// -----

// SB6
func.func @sb6_no_max_value(%arg: !sdscbundle.input_arg<index, granularity=64>) {
  // expected-error @+1 {{extracts max_value, which '!sdscbundle.input_arg<index, granularity=64>' does not have}}
  %0 = sdscbundle.input_arg_extract max_value from %arg : !sdscbundle.input_arg<index, granularity=64> -> index
  return
}

// -----

// SB7: the input is a parameter, not a result.
func.func @sb7_result() {
  // expected-note @+1 {{defined here}}
  %arg = builtin.unrealized_conversion_cast to !sdscbundle.input_arg<index>
  // expected-error @+1 {{input must be a parameter of a 'func.func', but is a result of 'builtin.unrealized_conversion_cast'}}
  %0 = sdscbundle.input_arg_extract value from %arg : !sdscbundle.input_arg<index> -> index
  return
}

// -----

// SB7: the input is not the argument of another block.
func.func @sb7_block_argument(%arg: !sdscbundle.input_arg<index>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{argument is here}}
  %0 = scf.for %i = %c0 to %c1 step %c1 iter_args(%it = %arg) -> !sdscbundle.input_arg<index> {
    // expected-error @+1 {{input must be a parameter of a 'func.func', but is argument #1 of another block}}
    %1 = sdscbundle.input_arg_extract value from %it : !sdscbundle.input_arg<index> -> index
    scf.yield %it : !sdscbundle.input_arg<index>
  }
  return
}

// -----

//===----------------------------------------------------------------------===//
// sdscbundle.device_mem_allocate
//===----------------------------------------------------------------------===//

// SB8: the size is positive.
func.func @sb8_zero() {
  // expected-error @+1 {{size must be positive, but is 0 bytes}}
  %0 = sdscbundle.device_mem_allocate 0 bytes : index
  return
}

// -----

// SB8
func.func @sb8_negative() {
  // expected-error @+1 {{size must be positive, but is -128 bytes}}
  %0 = sdscbundle.device_mem_allocate -128 bytes : index
  return
}

// -----

// SB8: the size is at most the limit; @largest_allocation in ops.mlir is at it.
func.func @sb8_too_large() {
  // expected-error @+1 {{size must be at most 15032385536 bytes, but is 15032385537 bytes}}
  %0 = sdscbundle.device_mem_allocate 15032385537 bytes : index
  return
}

// -----

// SB9: not in a loop.
func.func @sb9_loop() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{but is inside this 'scf.for'}}
  scf.for %i = %c0 to %c1 step %c1 {
    // expected-error @+1 {{must be in the entry block of a 'func.func'}}
    %0 = sdscbundle.device_mem_allocate 128 bytes : index
  }
  return
}

// -----

// SB9: not in a later block.
// expected-note @+1 {{but is inside this 'func.func'}}
func.func @sb9_second_block() {
  return
^bb1:
  // expected-error @+1 {{must be in the entry block of a 'func.func'}}
  %0 = sdscbundle.device_mem_allocate 128 bytes : index
  return
}

// -----

// SB9: not outside a function.
// expected-note @below {{but is inside this 'builtin.module'}}
module {
  // expected-error @+1 {{must be in the entry block of a 'func.func'}}
  %0 = sdscbundle.device_mem_allocate 128 bytes : index
}

// -----

// SB10: the total is at most the limit; @full_memory in ops.mlir is at it.
func.func @sb10_total() {
  // expected-note @+1 {{first allocation is here}}
  %0 = sdscbundle.device_mem_allocate 8589934592 bytes : index
  %1 = sdscbundle.device_mem_allocate 6442450944 bytes : index
  // expected-error @+1 {{raises the total to 15032385664 bytes; at most 15032385536 are available}}
  %2 = sdscbundle.device_mem_allocate 128 bytes : index
  return
}

// -----

//===----------------------------------------------------------------------===//
// sdscbundle.sdsc_execute
//===----------------------------------------------------------------------===//

// SB11: the file is JSON.
func.func @sb11_suffix() {
  // expected-error @+1 {{sdsc_filename must be the name of a '.json' file, but is "sdsc_0.txt"}}
  sdscbundle.sdsc_execute () {sdsc_filename = "sdsc_0.txt"}
  return
}

// -----

// SB11: the name is UTF-8.
func.func @sb11_text() {
  // expected-error @+1 {{sdsc_filename must be UTF-8, but is "\FF.json"}}
  sdscbundle.sdsc_execute () {sdsc_filename = "\FF.json"}
  return
}

// -----

// SB11: the name is not empty.
func.func @sb11_empty() {
  // expected-error @+1 {{sdsc_filename must be the name of a '.json' file, but is ""}}
  sdscbundle.sdsc_execute () {sdsc_filename = ""}
  return
}

// -----

// SB11: the stem is not empty.
func.func @sb11_empty_stem() {
  // expected-error @+1 {{sdsc_filename must be the name of a '.json' file, but is ".json"}}
  sdscbundle.sdsc_execute () {sdsc_filename = ".json"}
  return
}

// -----

// SB11: the file is in the directory of the bundle.
func.func @sb11_slash() {
  // expected-error @+1 {{sdsc_filename must not have path separators or control characters, but is "../sdsc_0.json"}}
  sdscbundle.sdsc_execute () {sdsc_filename = "../sdsc_0.json"}
  return
}

// -----

// SB11
func.func @sb11_backslash() {
  // expected-error @+1 {{sdsc_filename must not have path separators or control characters, but is "a\\sdsc_0.json"}}
  sdscbundle.sdsc_execute () {sdsc_filename = "a\\sdsc_0.json"}
  return
}

// -----

// SB11
func.func @sb11_control_character() {
  // expected-error @+1 {{sdsc_filename must not have path separators or control characters, but is "sdsc\0A0.json"}}
  sdscbundle.sdsc_execute () {sdsc_filename = "sdsc\n0.json"}
  return
}

// -----

// SB11: the name is there.
func.func @sb11_absent() {
  // expected-error @+1 {{requires attribute 'sdsc_filename'}}
  "sdscbundle.sdsc_execute"() : () -> ()
  return
}

// -----

// SB12: as many operands as ids.
func.func @sb12_too_few_ids() {
  %c1024 = arith.constant 1024 : index
  // expected-error @+1 {{has 2 operands but 1 symbol_ids}}
  sdscbundle.sdsc_execute (%c1024, %c1024) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1]}
  return
}

// -----

// SB12
func.func @sb12_too_many_ids() {
  // expected-error @+1 {{has 0 operands but 1 symbol_ids}}
  sdscbundle.sdsc_execute () {sdsc_filename = "sdsc_0.json", symbol_ids = [-1]}
  return
}

// -----

// SB12: no operands without ids.
func.func @sb12_no_ids() {
  %c1024 = arith.constant 1024 : index
  // expected-error @+1 {{has 1 operands but no symbol_ids}}
  sdscbundle.sdsc_execute (%c1024) {sdsc_filename = "sdsc_0.json"}
  return
}

// -----

// SB13: ids are negative.
func.func @sb13_zero() {
  %c1024 = arith.constant 1024 : index
  // expected-error @+1 {{symbol_ids must be negative, but #1 is 0}}
  sdscbundle.sdsc_execute (%c1024, %c1024) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1, 0]}
  return
}

// -----

// SB13: ids are 64-bit integers.
func.func @sb13_width() {
  %c1024 = arith.constant 1024 : index
  // expected-error @+1 {{attribute 'symbol_ids' failed to satisfy constraint: 64-bit integer array attribute}}
  sdscbundle.sdsc_execute (%c1024) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1 : i32]}
  return
}

// -----

// SB14: ids are distinct.
func.func @sb14_duplicate() {
  %c1024 = arith.constant 1024 : index
  // expected-error @+1 {{symbol_ids must be distinct, but #0 and #2 are both -1}}
  sdscbundle.sdsc_execute (%c1024, %c1024, %c1024) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1, -2, -1]}
  return
}

// -----

// SB15: not outside a function.
// expected-note @below {{but is inside this 'builtin.module'}}
module {
  // expected-error @+1 {{must be in the entry block of a 'func.func', with only 'scf.for' operations between}}
  sdscbundle.sdsc_execute () {sdsc_filename = "sdsc_0.json"}
}

// -----

// SB15: not conditional.
func.func @sb15_if(%arg: index) {
  %c0 = arith.constant 0 : index
  %cond = arith.cmpi eq, %arg, %c0 : index
  // expected-note @+1 {{but is inside this 'scf.if'}}
  scf.if %cond {
    // expected-error @+1 {{must be in the entry block of a 'func.func', with only 'scf.for' operations between}}
    sdscbundle.sdsc_execute () {sdsc_filename = "sdsc_0.json"}
  }
  return
}

// -----

// SB15: also below a loop, and after an execution that is well placed.
func.func @sb15_if_in_loop(%arg: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cond = arith.cmpi eq, %arg, %c0 : index
  sdscbundle.sdsc_execute () {sdsc_filename = "sdsc_0.json"}
  // expected-note @+1 {{but is inside this 'scf.if'}}
  scf.if %cond {
    scf.for %i = %c0 to %c1 step %c1 {
      // expected-error @+1 {{must be in the entry block of a 'func.func', with only 'scf.for' operations between}}
      sdscbundle.sdsc_execute () {sdsc_filename = "sdsc_0.json"}
    }
  }
  return
}

// -----

// SB15: not in a later block.
// expected-note @+1 {{but is inside this 'func.func'}}
func.func @sb15_second_block() {
  sdscbundle.sdsc_execute () {sdsc_filename = "sdsc_0.json"}
  return
^bb1:
  // expected-error @+1 {{must be in the entry block of a 'func.func', with only 'scf.for' operations between}}
  sdscbundle.sdsc_execute () {sdsc_filename = "sdsc_0.json"}
  return
}

// -----

// SB16: loops carry no values.
func.func @sb16_iter_args() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{loop is here}}
  %0 = scf.for %i = %c0 to %c1 step %c1 iter_args(%addr = %c0) -> index {
    // expected-error @+1 {{is in a loop that carries 1 values; loops of a bundle carry none}}
    sdscbundle.sdsc_execute (%addr) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1]}
    scf.yield %addr : index
  }
  return
}

// -----

// SB16: outer loops neither, and not behind an execution.
func.func @sb16_outer_loop() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sdscbundle.sdsc_execute () {sdsc_filename = "sdsc_0.json"}
  // expected-note @+1 {{loop is here}}
  %0:2 = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %c0, %b = %c1) -> (index, index) {
    scf.for %j = %c0 to %c1 step %c1 {
      // expected-error @+1 {{is in a loop that carries 2 values; loops of a bundle carry none}}
      sdscbundle.sdsc_execute () {sdsc_filename = "sdsc_1.json"}
    }
    scf.yield %a, %b : index, index
  }
  return
}

// -----

// SB17: an upper bound is not computed.
func.func @sb17_upper_bound(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  // expected-note @+1 {{upper bound is defined here}}
  %tiles = arith.ceildivsi %n, %c64 : index
  // expected-note @+1 {{loop is here}}
  scf.for %i = %c0 to %tiles step %c1 {
    // expected-error @+1 {{is in a loop whose upper bound is neither a constant nor a parameter of the bundle}}
    sdscbundle.sdsc_execute () {sdsc_filename = "sdsc_0.json"}
  }
  return
}

// -----

// SB17: a lower bound is not the induction variable of another loop.
func.func @sb17_lower_bound() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-note @+1 {{lower bound is defined here}}
  scf.for %i = %c0 to %c8 step %c1 {
    // expected-note @+1 {{loop is here}}
    scf.for %j = %i to %c8 step %c1 {
      // expected-error @+1 {{is in a loop whose lower bound is neither a constant nor a parameter of the bundle}}
      sdscbundle.sdsc_execute () {sdsc_filename = "sdsc_0.json"}
    }
  }
  return
}

// -----

// SB17: a step is not computed.
func.func @sb17_step(%n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  // expected-note @+1 {{step is defined here}}
  %step = arith.addi %n, %n : index
  // expected-note @+1 {{loop is here}}
  scf.for %i = %c0 to %c8 step %step {
    // expected-error @+1 {{is in a loop whose step is neither a constant nor a parameter of the bundle}}
    sdscbundle.sdsc_execute () {sdsc_filename = "sdsc_0.json"}
  }
  return
}

// -----

// SB18: no results.
// expected-note @+1 {{function is here}}
func.func @sb18_result() -> index {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{is in a function with 1 results; a bundle returns nothing}}
  sdscbundle.sdsc_execute () {sdsc_filename = "sdsc_0.json"}
  return %c0 : index
}

// -----

// SB19: parameters are sizes or addresses.
// expected-note @+1 {{function is here}}
func.func @sb19_parameter(%arg0: index, %arg1: memref<64xf16>) {
  // expected-error @+1 {{is in a function whose parameter #1 has type 'memref<64xf16>'; parameters of a bundle are 'index' or '!sdscbundle.input_arg'}}
  sdscbundle.sdsc_execute () {sdsc_filename = "sdsc_0.json"}
  return
}

// -----

// SB20: two files, two values.
func.func @sb20_two_files() {
  %c1024 = arith.constant 1024 : index
  %c2048 = arith.constant 2048 : index
  // expected-note @+1 {{other execution is here}}
  sdscbundle.sdsc_execute (%c1024) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1]}
  // expected-error @+1 {{binds symbol -1 of "sdsc_1.json" to another value than an execution of "sdsc_0.json"}}
  sdscbundle.sdsc_execute (%c2048) {sdsc_filename = "sdsc_1.json", symbol_ids = [-1]}
  return
}

// -----

// SB20: the conflict may be with an execution that is not the first.
func.func @sb20_new_value_after_new_file() {
  %c1024 = arith.constant 1024 : index
  %c2048 = arith.constant 2048 : index
  sdscbundle.sdsc_execute (%c1024) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1]}
  // expected-note @+1 {{other execution is here}}
  sdscbundle.sdsc_execute (%c1024) {sdsc_filename = "sdsc_1.json", symbol_ids = [-1]}
  // expected-error @+1 {{binds symbol -1 of "sdsc_0.json" to another value than an execution of "sdsc_1.json"}}
  sdscbundle.sdsc_execute (%c2048) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1]}
  return
}

// -----

// SB20: the same the other way round, and across loops.
func.func @sb20_new_file_after_new_value() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  sdscbundle.sdsc_execute (%c1024) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1]}
  scf.for %i = %c0 to %c1 step %c1 {
    // expected-note @+1 {{other execution is here}}
    sdscbundle.sdsc_execute (%i) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1]}
  }
  scf.for %i = %c0 to %c1 step %c1 {
    // expected-error @+1 {{binds symbol -1 of "sdsc_1.json" to another value than an execution of "sdsc_0.json"}}
    sdscbundle.sdsc_execute (%c1024) {sdsc_filename = "sdsc_1.json", symbol_ids = [-1]}
  }
  return
}

// -----

// SB21: one file, one set of symbols.
func.func @sb21_other_id() {
  %c1024 = arith.constant 1024 : index
  // expected-note @+1 {{other execution is here}}
  sdscbundle.sdsc_execute (%c1024) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1]}
  // expected-error @+1 {{binds symbol -2, unlike another execution of "sdsc_0.json"}}
  sdscbundle.sdsc_execute (%c1024) {sdsc_filename = "sdsc_0.json", symbol_ids = [-2]}
  return
}

// -----

// SB21
func.func @sb21_missing_id() {
  %c1024 = arith.constant 1024 : index
  // expected-note @+1 {{other execution is here}}
  sdscbundle.sdsc_execute (%c1024) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1]}
  // expected-error @+1 {{does not bind symbol -1, unlike another execution of "sdsc_0.json"}}
  sdscbundle.sdsc_execute () {sdsc_filename = "sdsc_0.json"}
  return
}

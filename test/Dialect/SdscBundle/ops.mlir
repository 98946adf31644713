// RUN: spyre-opt %s | FileCheck %s
// RUN: spyre-opt %s --mlir-print-op-generic | spyre-opt | FileCheck %s

// Everything that is accepted, and how it prints. The limits named here are
// those whose other side is in invalid.mlir.

// CHECK-LABEL: func.func private @input_arg_types(
// CHECK-SAME: !sdscbundle.input_arg<index>,
// CHECK-SAME: !sdscbundle.input_arg<index, granularity=64>,
// CHECK-SAME: !sdscbundle.input_arg<index, max_value=500>,
// CHECK-SAME: !sdscbundle.input_arg<index, granularity=64, max_value=64>,
// CHECK-SAME: !sdscbundle.input_arg<index, granularity=1, max_value=9223372036854775807>)
func.func private @input_arg_types(
    !sdscbundle.input_arg<index>,
    !sdscbundle.input_arg<index, granularity=64>,
    !sdscbundle.input_arg<index, max_value = 500>,
    // Any order, any spacing.
    !sdscbundle.input_arg<index , max_value = 64,granularity= 64 >,
    !sdscbundle.input_arg<index, granularity=1, max_value=9223372036854775807>)

// CHECK-LABEL: func.func @extract(
// CHECK-SAME: %[[ARG:.*]]: !sdscbundle.input_arg<index, granularity=64, max_value=512>)
func.func @extract(%arg: !sdscbundle.input_arg<index, granularity=64, max_value=512>) {
  // CHECK: %value = sdscbundle.input_arg_extract value from %[[ARG]] : !sdscbundle.input_arg<index, granularity=64, max_value=512> -> index
  %0 = sdscbundle.input_arg_extract value from %arg : !sdscbundle.input_arg<index, granularity=64, max_value=512> -> index
  // CHECK: %granularity = sdscbundle.input_arg_extract granularity from %[[ARG]]
  %1 = sdscbundle.input_arg_extract granularity from %arg : !sdscbundle.input_arg<index, granularity=64, max_value=512> -> index
  // CHECK: %max_value = sdscbundle.input_arg_extract max_value from %[[ARG]]
  %2 = sdscbundle.input_arg_extract max_value from %arg
      : !sdscbundle.input_arg<index, granularity=64, max_value=512> -> index
  // CHECK: sdscbundle.input_arg_extract value from %[[ARG]] {note = "kept"} :
  %3 = sdscbundle.input_arg_extract value from %arg {note = "kept"} : !sdscbundle.input_arg<index, granularity=64, max_value=512> -> index
  return
}

// CHECK-LABEL: func.func @extract_in_loop
func.func @extract_in_loop(%arg: !sdscbundle.input_arg<index>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
    // CHECK: %value = sdscbundle.input_arg_extract value
    %0 = sdscbundle.input_arg_extract value from %arg : !sdscbundle.input_arg<index> -> index
    sdscbundle.sdsc_execute (%0) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1]}
  }
  return
}

// SB8 at its limit.
// CHECK-LABEL: func.func @largest_allocation
func.func @largest_allocation() {
  // CHECK: %pool = sdscbundle.device_mem_allocate 15032385536 bytes : index
  %0 = sdscbundle.device_mem_allocate 15032385536 bytes : index
  return
}

// SB10 at its limit; it is per function.
// CHECK-LABEL: func.func @full_memory
func.func @full_memory() {
  // CHECK: %pool = sdscbundle.device_mem_allocate 8589934592 bytes : index
  %0 = sdscbundle.device_mem_allocate 0x200000000 bytes : index
  // CHECK: sdscbundle.device_mem_allocate 6442450944 bytes {note = "kept"} : index
  %1 = sdscbundle.device_mem_allocate 6442450944 bytes {note = "kept"} : index
  return
}

// CHECK-LABEL: func.func @execute_without_symbols
func.func @execute_without_symbols() {
  // CHECK-NEXT: sdscbundle.sdsc_execute () {sdsc_filename = "sdscMax.json"}
  sdscbundle.sdsc_execute () {sdsc_filename="sdscMax.json"}
  // CHECK-NEXT: sdscbundle.sdsc_execute () {sdsc_filename = "sdsc-1.2.json", symbol_ids = []}
  sdscbundle.sdsc_execute () {sdsc_filename="sdsc-1.2.json", "symbol_ids"=[]}
  // Absent and empty ids are the same symbols (SB21).
  // CHECK-NEXT: sdscbundle.sdsc_execute () {sdsc_filename = "sdscMax.json", symbol_ids = []}
  sdscbundle.sdsc_execute () {sdsc_filename="sdscMax.json", symbol_ids=[]}
  // CHECK-NEXT: sdscbundle.sdsc_execute () {note = "kept", sdsc_filename = "sdscMax.json"}
  sdscbundle.sdsc_execute () {sdsc_filename="sdscMax.json", note="kept"}
  return
}

// Quoted or not, on one line or several, with and without spaces.
// CHECK-LABEL: func.func @execute_spellings
func.func @execute_spellings() {
  // CHECK: %[[A:.*]] = arith.constant 1024 : index
  %a = arith.constant 1024 : index
  // CHECK: %[[B:.*]] = arith.constant 2048 : index
  %b = arith.constant 2048 : index
  // CHECK-COUNT-4: sdscbundle.sdsc_execute (%[[A]], %[[B]]) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1, -2]}
  sdscbundle.sdsc_execute (%a, %b) {sdsc_filename="sdsc_0.json", "symbol_ids"=[-1, -2]}
  sdscbundle.sdsc_execute (%a, %b) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1, -2]}
  sdscbundle.sdsc_execute(%a,%b){"symbol_ids"=[-1,-2],"sdsc_filename"="sdsc_0.json"}
  sdscbundle.sdsc_execute (%a, // the input
                           %b) // the output
      {
        sdsc_filename = "sdsc_0.json",
        symbol_ids = [-1,
                      -2]
      }
  return
}

// An id may be the smallest integer, and ids need not be in order.
// More than eight operands or ids are on lines of eight.
// CHECK-LABEL: func.func @execute_on_lines
func.func @execute_on_lines() {
  // CHECK: %[[C:.*]] = arith.constant
  %c = arith.constant 1024 : index
  // CHECK:      sdscbundle.sdsc_execute (
  // CHECK-NEXT:   %[[C]], %[[C]], %[[C]], %[[C]], %[[C]], %[[C]], %[[C]], %[[C]],
  // CHECK-NEXT:   %[[C]]) {note = "kept", sdsc_filename = "sdsc_0.json", symbol_ids = [
  // CHECK-NEXT:   -1, -2, -3, -4, -5, -6, -7, -8,
  // CHECK-NEXT:   -9]}
  sdscbundle.sdsc_execute (%c, %c, %c, %c, %c, %c, %c, %c, %c)
      {sdsc_filename = "sdsc_0.json", symbol_ids = [-1, -2, -3, -4, -5, -6, -7, -8, -9], note = "kept"}
  return
}

// CHECK-LABEL: func.func @execute_ids
func.func @execute_ids() {
  %a = arith.constant 1024 : index
  // CHECK: symbol_ids = [-7, -9223372036854775808, -1]
  sdscbundle.sdsc_execute (%a, %a, %a) {sdsc_filename = "sdsc_0.json", symbol_ids = [-7, -9223372036854775808, -1]}
  return
}

// SB20: one file may bind its symbols anew each time it runs.
// CHECK-LABEL: func.func @one_file_many_values
func.func @one_file_many_values() {
  %a = arith.constant 1024 : index
  %b = arith.constant 2048 : index
  // CHECK-COUNT-3: sdscbundle.sdsc_execute
  sdscbundle.sdsc_execute (%a, %b) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1, -2]}
  sdscbundle.sdsc_execute (%b, %a) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1, -2]}
  // SB21: the order of the ids may differ.
  sdscbundle.sdsc_execute (%a, %b) {sdsc_filename = "sdsc_0.json", symbol_ids = [-2, -1]}
  return
}

// SB20: files may share a symbol that has one value. Equal constants are one.
// CHECK-LABEL: func.func @many_files_one_value
func.func @many_files_one_value(%size: index) {
  %a = arith.constant 1024 : index
  %b = arith.constant 1024 : index
  // CHECK-COUNT-4: sdscbundle.sdsc_execute
  sdscbundle.sdsc_execute (%size, %a) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1, -2]}
  sdscbundle.sdsc_execute (%size, %b) {sdsc_filename = "sdsc_1.json", symbol_ids = [-1, -2]}
  sdscbundle.sdsc_execute (%a, %size) {sdsc_filename = "sdsc_0.json", symbol_ids = [-2, -1]}
  sdscbundle.sdsc_execute (%size) {sdsc_filename = "sdsc_2.json", symbol_ids = [-1]}
  return
}

// Symbols belong to a function: the next one starts anew.
// CHECK-LABEL: func.func @other_function
func.func @other_function(%size: index) {
  // CHECK: sdscbundle.sdsc_execute
  sdscbundle.sdsc_execute (%size) {sdsc_filename = "sdsc_3.json", symbol_ids = [-2]}
  return
}

#rows = affine_map<(d0, d1)[s0] -> (s0 + 65536 * d0 + 2097152 * d1)>
#cols = affine_map<(d0)[s0] -> (s0 + 128 * d0)>

// A whole bundle: two nested loops, a loop up to a size known at launch, bounds
// from constants, from parameters and from what is known about these.
// CHECK-LABEL: func.func @bundle(
func.func @bundle(%x: !sdscbundle.input_arg<index>,
                  %n: !sdscbundle.input_arg<index, granularity=64, max_value=512>,
                  %m: index) {
  // CHECK: %[[POOL:.*]] = sdscbundle.device_mem_allocate 524288 bytes : index
  %pool = sdscbundle.device_mem_allocate 524288 bytes : index
  // CHECK: %[[X:.*]] = sdscbundle.input_arg_extract value
  %base = sdscbundle.input_arg_extract value from %x : !sdscbundle.input_arg<index> -> index
  // CHECK: %[[N:.*]] = sdscbundle.input_arg_extract value
  %size = sdscbundle.input_arg_extract value from %n : !sdscbundle.input_arg<index, granularity=64, max_value=512> -> index
  // CHECK: %[[G:.*]] = sdscbundle.input_arg_extract granularity
  %tile = sdscbundle.input_arg_extract granularity from %n : !sdscbundle.input_arg<index, granularity=64, max_value=512> -> index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c262144 = arith.constant 262144 : index
  %second = arith.addi %pool, %c262144 : index
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
  scf.for %i = %c0 to %c2 step %c1 {
    // CHECK: scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step
    scf.for %j = %c0 to %m step %c1 {
      // CHECK: %[[SRC:.*]] = affine.apply #{{.*}}(%[[I]], %[[J]])[%[[X]]]
      %src = affine.apply #rows(%i, %j)[%base]
      // CHECK: sdscbundle.sdsc_execute (%[[SRC]], %[[POOL]]) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1, -2]}
      sdscbundle.sdsc_execute (%src, %pool) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1, -2]}
    }
    // CHECK: sdscbundle.sdsc_execute () {sdsc_filename = "sdsc_1.json", symbol_ids = []}
    sdscbundle.sdsc_execute () {sdsc_filename = "sdsc_1.json", symbol_ids = []}
  }
  // CHECK: scf.for %[[K:.*]] = %{{.*}} to %[[N]] step %[[G]] {
  scf.for %k = %c0 to %size step %tile {
    // CHECK: %[[DST:.*]] = affine.apply #{{.*}}(%[[K]])
    %dst = affine.apply #cols(%k)[%second]
    // CHECK: sdscbundle.sdsc_execute (%[[N]], %[[DST]]) {sdsc_filename = "sdsc_2.json", symbol_ids = [-3, -4]}
    sdscbundle.sdsc_execute (%size, %dst) {sdsc_filename = "sdsc_2.json", symbol_ids = [-3, -4]}
  }
  return
}

// Loops without executions are not judged.
// CHECK-LABEL: func.func @other_loops
func.func @other_loops(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %bound = arith.divui %n, %c2 : index
  %0 = scf.for %i = %c0 to %bound step %c2 iter_args(%sum = %c0) -> index {
    %1 = arith.addi %sum, %i : index
    scf.yield %1 : index
  }
  return %0 : index
}

// A bundle function that does not do what its OpSpecs say is refused where it differs. It is read as text, so that
// locations are lines and columns.

// RUN: spyre-opt %s --spyre-pipeline -o %t.mlir
// RUN: spyre-translate --spyre-to-bundle %t.mlir -o %t.good
// RUN: spyre-translate --verify-bundle %t.good

// An edit that changes nothing is accepted: the ones below are refused for what they change.
// RUN: sed 's/%%c2_2/%%renamed/' %t.mlir | spyre-translate --spyre-to-bundle -o %t.same && diff -r %t.good %t.same

// The start of core 1.
// RUN: sed 's/%%c2048 = arith.constant 2048/%%c2048 = arith.constant 4096/' %t.mlir > %t.1.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.1.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=CONSTANT
// CONSTANT: 1.mlir:[[#]]:9: error: operand 1, symbol -2, is parameter 0 + 4096 + 4096 * loop 0 + 16384 * loop 1, but the OpSpec of 'sdsc_0.json' needs parameter 0 + 2048 + 4096 * loop 0 + 16384 * loop 1

// Steps of the loops, and which loop.
// RUN: sed 's/d0 \* 4096 + s0/d0 * 2048 + s0/' %t.mlir > %t.2.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.2.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=STEP
// STEP: 2.mlir:[[#]]:9: error: operand 0, symbol -1, is parameter 0 + 0 + 2048 * loop 0 + 16384 * loop 1, but
// RUN: sed 's/%%6 = affine.apply \(#map[0-9]*\)(%%arg3, %%arg4)/%%6 = affine.apply \1(%%arg4, %%arg3)/' %t.mlir > %t.3.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.3.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=LOOPS
// LOOPS: error: operand 0, symbol -1, is parameter 0 + 0 + 16384 * loop 0 + 4096 * loop 1, but
// RUN: sed 's/d0 \* 4096 + s0/d0 mod 2 + s0/' %t.mlir > %t.4.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.4.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=AFFINE
// AFFINE: error: operand 0 is not a base plus steps of the loops

// Operands and symbols.
// RUN: sed 's/(%%6, %%7, %%8, %%9) {sdsc_filename = "sdsc_0/(%%7, %%6, %%8, %%9) {sdsc_filename = "sdsc_0/' %t.mlir > %t.5.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.5.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=SWAPPED
// SWAPPED: error: operand 0, symbol -1, is parameter 0 + 2048 {{.*}} needs parameter 0 + 0
// RUN: sed 's/(%%6, %%7, %%8, %%9) {sdsc_filename = "sdsc_2/(%%8, %%7, %%6, %%9) {sdsc_filename = "sdsc_2/' %t.mlir > %t.6.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.6.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=BASE
// BASE: 6.mlir:[[#]]:7: error: operand 0, symbol -9, is parameter 2 + 0 + 16384 * loop 2, but the OpSpec of 'sdsc_2.json' needs pool + 0 + 16384 * loop 2
// RUN: sed 's/= \[-1, -2,/= [-1, -99,/' %t.mlir > %t.7.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.7.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=SYMBOL
// SYMBOL: error: operand 1 has symbol id -99, but the OpSpec has -2 there
// RUN: sed 's/(%%6, %%7, %%8, %%9) {sdsc_filename = "sdsc_0.json", symbol_ids = \[-1, -2, -3, -4\]/(%%6, %%7, %%8) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1, -2, -3]/' %t.mlir > %t.8.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.8.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=FEWER
// FEWER: error: binds 3 symbols, but the OpSpec of 'sdsc_0.json' has 4

// Other trip counts than the OpSpec states, more or fewer. Where it states none,
// more iterations leave the tensor.
// RUN: sed 's/%%c2_2 = arith.constant 2/%%c2_2 = arith.constant 1/' %t.mlir > %t.9.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.9.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=TRIPS
// TRIPS: 9.mlir:[[#]]:9: error: runs in loops of [2, 1] iterations, but its OpSpec is for loops of [2, 2]
// TRIPS: 9.mlir:[[#]]:3: note: the OpSpec is here
// RUN: sed -e 's/%%c2_2 = arith.constant 2/%%c2_2 = arith.constant 3/' -e 's/ loops \[[0-9, ]*\]//' %t.mlir > %t.9.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.9.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=BOUND
// BOUND: 9.mlir:[[#]]:9: error: visits elements 0 to 24575 of tensor #0 of its OpSpec, which has 16384
// BOUND: 9.mlir:[[#]]:3: note: the OpSpec is here
// RUN: sed 's/scf.for %%arg4 = %%c0 to %%c2_2 step %%c1/scf.for %%arg4 = %%c0 to %%c2_2 step %%c2/' %t.mlir > %t.10.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.10.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: 10.mlir:[[#]]:7: error: loop of a bundle must count from 0 by 1 to a positive constant, got 0 to 2 by 2
// RUN: sed 's/scf.for %%arg4 = %%c0 to %%c2_2 step %%c1/scf.for %%arg4 = %%c0 to %%value step %%c1/' %t.mlir > %t.11.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.11.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=RUNTIME
// RUNTIME: error: loop of a bundle must count from 0 by 1 to a positive constant, got 0 to ? by 1
// RUN: sed -e 's/advance = \[2048, 8192\]/advance = [2048]/g' -e 's/ loops \[[0-9, ]*\]//' %t.mlir > %t.12.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.12.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=LEVELS
// LEVELS: error: runs in 2 loops, but tensor #0 of its OpSpec advances along 1

// Files.
// RUN: sed 's/"sdsc_0.json"/"sdsc_7.json"/' %t.mlir > %t.13.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.13.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=NOSPEC
// NOSPEC: 13.mlir:[[#]]:9: error: runs 'sdsc_7.json', but the module has no sdscbundle.op_spec @sdsc_7 to write it from
// RUN: sed 's/"sdsc_0.json"/"X"/; s/"sdsc_1.json"/"sdsc_0.json"/; s/"X"/"sdsc_1.json"/' %t.mlir > %t.14.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.14.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: 14.mlir:[[#]]:9: error: runs 'sdsc_1.json', but is operation 0 of the bundle, whose file is sdsc_0.json
// NUMBER: 14.mlir:[[#]]:3: note: the OpSpec is here
// RUN: sed '/"sdsc_2.json"/d' %t.mlir > %t.15.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.15.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=UNUSED
// UNUSED: 15.mlir:[[#]]:3: error: the bundle does not run OpSpec @sdsc_2
// RUN: sed '/op_spec @sdsc_1/,/>\]/d' %t.mlir > %t.16.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.16.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=REMOVED
// REMOVED: 16.mlir:[[#]]:9: error: runs 'sdsc_1.json', but the module has no sdscbundle.op_spec @sdsc_1
// RUN: (sed '/func.func/,$d' %t.mlir; echo '}') > %t.17.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.17.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=NOFUNCTION
// NOFUNCTION: 17.mlir:[[#]]:3: error: module has OpSpecs, but no function @sdsc_bundle that runs them

// Parameters and the pool.
// RUN: sed 's/(%%arg0: /(%%more: !sdscbundle.input_arg<index>, %%arg0: /' %t.mlir > %t.18.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.18.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=PARAMS
// PARAMS: 18.mlir:[[#]]:3: error: bundle function has 4 parameters, but its OpSpecs need 3
// RUN: sed '/%%arg0/s/<index>/<index, granularity=64, max_value=512>/' %t.mlir > %t.19.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.19.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: 19.mlir:[[#]]:3: error: parameter 0 of the bundle has type {{.*}}granularity{{.*}}, but its OpSpecs need !sdscbundle.input_arg<index>
// RUN: sed 's/allocate 32768/allocate 32640/' %t.mlir > %t.20.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.20.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=POOL
// POOL: 20.mlir:[[#]]:3: error: bundle function has a pool of 32640 bytes, but its OpSpecs need 32768
// A pool may be larger than the tensors in it.
// RUN: sed 's/allocate 32768/allocate 65536/' %t.mlir | spyre-translate --spyre-to-bundle -o %t.larger
// RUN: grep -q 'device_mem_allocate 65536 bytes' %t.larger/bundle.mlir
// RUN: sed 's/(%%arg0: !sdscbundle.input_arg<index>/& {sdscbundle.size = #sdscbundle.size<"s0">}/' %t.mlir > %t.28.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.28.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: 28.mlir:[[#]]:3: error: parameter 0 of the bundle is the runtime size 's0' of operations, but its OpSpecs need no runtime size

// OpSpecs.
// RUN: sed 's/"c0" = 64 over 2/"c0" = 64 over 4/' %t.mlir > %t.21.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.21.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=CORES
// CORES: 21.mlir:[[#]]:7: error: {{.*}}work is divided over 4 cores, but at most 2 are available
// RUN: sed 's/"c0" = 64 over 2/"c0" = 64 over 1/' %t.mlir > %t.27.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.27.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=ONECORE
// ONECORE: 27.mlir:[[#]]:7: error: binds 4 symbols, but the OpSpec of 'sdsc_2.json' has 2
// RUN: sed 's/"c0" = 64 over 2/"c0" = 96 over 2/' %t.mlir > %t.22.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.22.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=EXTENT
// EXTENT: error: visits elements 0 to 18431 of tensor #0 of its OpSpec, which has 16384
// RUN: sed '/op_spec @sdsc_0/,/>\]/s/\(out lx.*\)>\]$/\1, advance = [2048, 8192]>]/' %t.mlir > %t.23.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.23.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=LX
// LX: 23.mlir:[[#]]:[[#]]: error: custom op 'sdscbundle.op_spec' a tensor in lx does not advance
// A name that neither the table nor the reference compiler has is refused, and written where that is asked for: the table may be old.
// RUN: sed 's/"exp"/"fastexp2"/' %t.mlir > %t.24.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.24.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not spyre-translate --spyre-to-bundle --verify-written %t.24.mlir -o %t.unknown 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: grep -q '"opFuncName": "fastexp2"' %t.unknown/sdsc_2.json
// UNKNOWN: 24.mlir:[[#]]:3: warning: 'fastexp2' is not an OpFunc that the backend is known to have
// UNKNOWN: error: 'fastexp2' is not in the table of OpFuncs of SuperDSC-Bundle 1.0.0, and the reference compiler does not write it; write it as OpFuncs of the table [K70]

// Which OpSpec runs where.
// RUN: sed 's/{sdsc_filename = "sdsc_1.json"/{sdscbundle.op_spec = @sdsc_0, sdsc_filename = "sdsc_1.json"/' %t.mlir > %t.29.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.29.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=USES
// USES: 29.mlir:[[#]]:3: error: the bundle does not run OpSpec @sdsc_1
// RUN: sed 's/{sdsc_filename = "sdsc_1.json"/{sdscbundle.op_spec = @none, sdsc_filename = "sdsc_1.json"/' %t.mlir > %t.30.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.30.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: 30.mlir:[[#]]:9: error: runs 'sdsc_1.json', but the module has no sdscbundle.op_spec @none to write it from

// Other operations.
// RUN: sed 's/%%c1 = arith.constant 1 : index/&\n%%square = arith.muli %%c1, %%c1 : index/' %t.mlir > %t.25.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.25.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: 25.mlir:[[#]]:11: error: arith.muli has no form in a bundle
// RUN: (sed '/^}/d' %t.mlir; echo 'func.func @more(%%x: tensor<64x64xf16>) -> tensor<64x64xf16> {'; \
// RUN:   echo '%%y = spyre.exp %%x : tensor<64x64xf16>'; echo 'return %%y : tensor<64x64xf16> } }') > %t.26.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.26.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=SECOND
// SECOND: 26.mlir:[[#]]:6: error: is not part of the bundle that the module already holds
// SECOND: 26.mlir:[[#]]:3: note: the bundle is here

// None of them has written anything.
// RUN: test ! -e %t.bad

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x256xf16, #stick>

module attributes {spyre.target = #spyre.target<cores = 2>} {
  func.func @f(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]}) -> !t {
    %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 2] : !t
    %z = spyre.mul %y, %b tile [0: "A" in 2, 1: "B" in 2] : !t
    %w = spyre.exp %z tile [1: "B" in 2] : !t
    return %w : !t
  }
}

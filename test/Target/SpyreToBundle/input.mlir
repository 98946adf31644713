// Input that cannot be translated: an error at its place, exit code 1, and nothing is written.

// RUN: not spyre-translate --spyre-to-bundle %t.missing.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: cannot open input file '{{.*}}.missing.mlir': No such file or directory
// RUN: not spyre-translate --spyre-to-bundle %S -o %t.bad 2>&1 | FileCheck %s --check-prefix=DIRECTORY
// DIRECTORY: error: cannot open input file '{{.*}}': Is a directory
// RUN: sed '/spyre.neg/,$d' %s > %t.half.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.half.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=HALF
// HALF: half.mlir:[[#]]:[[#]]: error:
// RUN: spyre-opt %s --emit-bytecode | head -c 200 | not spyre-translate --spyre-to-bundle -o %t.bad 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: error: {{.+}}

// Nothing to translate.
// RUN: not spyre-translate --spyre-to-bundle /dev/null -o %t.bad 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: echo 'func.func @f() { return }' | not spyre-translate --spyre-to-bundle -o %t.bad 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: module has neither a function @sdsc_bundle nor a function of device operations
// RUN: echo 'func.func private @sdsc_bundle()' | not spyre-translate --spyre-to-bundle -o %t.bad 2>&1 | FileCheck %s --check-prefix=DECLARED
// DECLARED: <stdin>:1:1: error: bundle function must have one block
// RUN: sed 's/@f/@sdsc_bundle/' %s > %t.name.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.name.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: name.mlir:[[#]]:8: error: spyre.neg has no form in a bundle

// What the passes refuse.
// RUN: sed 's/spyre.neg %%a/spyre.neg %%a tile [0: "A" in 7] place pool 0/' %s > %t.tile.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.tile.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=TILE
// TILE: tile.mlir:[[#]]:8: error: coarse-tile: operation already has a place

// RUN: test ! -e %t.bad

// The command line: exit code 2.
// RUN: spyre-translate %s -o %t.bad 2> %t.err || test $? -eq 2
// RUN: FileCheck %s --check-prefix=WHICH < %t.err
// WHICH: no translation is given. The commands are bundle, verify, prove, verify-ktir, import, export,
// RUN: spyre-translate --spyre-to-bundle %s 2> %t.err || test $? -eq 2
// RUN: FileCheck %s --check-prefix=WHERE < %t.err
// WHERE: --output <PATH>
// RUN: spyre-translate --spyre-to-bundle "$(printf 'odd\377')" -o %t.bad 2> %t.err || test $? -eq 2
// RUN: FileCheck %s --check-prefix=UTF8 < %t.err
// UTF8: error: invalid UTF-8
// RUN: spyre-translate --help | FileCheck %s --check-prefix=HELP
// HELP: -o, --output <PATH>
// HELP-NEXT: appears complete or not at all
// HELP: {{^}}Bundles:
// HELP-NEXT: --spyre-to-bundle
// HELP: {{^}}Trees of OpSpecs:
// HELP-NEXT: --import-opspec{{$}}
// HELP: --export-opspec-py{{$}}
// HELP: {{^}}Layouts:
// HELP-NEXT: --explain-layout <SHAPE>

!t = tensor<64x256xf16>

func.func @f(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.neg %a : !t
  return %y : !t
}

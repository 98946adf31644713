// Graphs of front ends run as the functions of linalg that they become: in their dialects, and in JSON.

// RUN: split-file %s %t
// RUN: spyre-run %t/graph.mlir --random-seed 1 --integers 4 2>&1 | FileCheck %s --check-prefix=TRACED
// RUN: spyre-run %t/graph.mlir --size s77=2 --random-seed 1 --integers 4 --save-inputs %t/in --output %t/two.npy
// RUN: spyre-run %t/graph.mlir --input %t/in/input_0.npy --expect %t/two.npy | FileCheck %s --check-prefix=SHAPE
// RUN: spyre-run %t/graph.mlir --on=card --compare %t/graph.mlir --size s77=3 --random-seed 1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %t/uop.mlir --on=card --compare %t/uop.mlir --random-seed 1 | FileCheck %s --check-prefix=UOP
// RUN: spyre-run %S/../../uop-programs/binary.json --on=card --compare %S/../../uop-programs/binary.json --random-seed 1 \
// RUN:   | FileCheck %s --check-prefix=JSON
// RUN: spyre-run %S/../../Target/Inductor/Inputs/float8.json --random-seed 1 | FileCheck %s --check-prefix=INDUCTOR
// A pipe has its text once.
// RUN: bash -c 'spyre-run <(cat %t/uop.mlir) --compare %t/uop.mlir --random-seed 1' | FileCheck %s --check-prefix=UOP
// RUN: not spyre-run %t/graph.mlir --size s78=2 --random-seed 1 2>&1 | FileCheck %s --check-prefix=SYMBOL
// RUN: not spyre-run %t/other.json 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not spyre-opt %S/../../uop-programs/binary.json 2>&1 | FileCheck %s --check-prefix=OPT
// RUN: not spyre-translate --spyre-to-bundle %S/../../uop-programs/binary.json -o %t/bundle 2>&1 | FileCheck %s --check-prefix=OPT
// RUN: not spyre-opt < %S/../../uop-programs/binary.json 2>&1 | FileCheck %s --check-prefix=STDIN
// RUN: spyre-opt %t/graph.mlir --convert-spyre-to-sdscbundle -o /dev/null 2>&1 | FileCheck %s --check-prefix=BUNDLE
// RUN: cat %t/graph.mlir | not spyre-run - --compare - 2>&1 | FileCheck %s --check-prefix=INPUT

// The size that the graph was traced with, one from the command line, and one from the shape of an input.
// TRACED: result 0: tensor<4xf32> [
// SHAPE: result 0: 0 of 2 elements differ
// CARD: result 0: 0 of 3 elements differ
// UOP: result 0: 0 of 64 elements differ
// JSON: result 0: 0 of
// INDUCTOR: result 0: tensor<
// SYMBOL: error: @graph has no dimension "s78" whose extent could be chosen: give the extent of "s77"
// FORMAT: other.json: error: the format of the program is 'chart', not 'inductor-loop-ir' or 'uop-graph-1'
// OPT: error: {{.*}}binary.json: this is JSON, and no module
// STDIN: error: <stdin>: this is JSON, and no module
// STDIN: note: spyre-translate --import makes a module of a program in JSON, and spyre-run FILE runs it
// OPT: note: {{.*}}binary.json is a program in JSON, and no module. To run it: spyre-run {{.*}}binary.json. To make a module of it: spyre-translate --import {{.*}}binary.json
// BUNDLE: graph.mlir:4:1: warning: convert-spyre-to-sdscbundle: the module has no device operations, so there is no bundle; --convert-inductor-to-linalg converts graphs
// INPUT: error: standard input is one program; --compare needs the other one in a file

//--- graph.mlir
#l = #inductor.layout<fixed, [1], size = [s0]>
#row = affine_map<(d0) -> (d0)>

inductor.graph @graph symbols [#inductor.sym<"s77", hint = 4, min = 2>] {
  %x = inductor.input "x" : tensor<?xf32, #l>
  %y = inductor.pointwise "op0" as "y" [s0] {
  ^bb0(%i: index):
    %0 = inductor.load %x at #row(%i) : tensor<?xf32, #l> -> f32
    %1 = arith.addf %0, %0 : f32
    inductor.store %1 at #row(%i) : f32
  } : tensor<?xf32, #l>
  inductor.return %y : tensor<?xf32, #l>
}

//--- uop.mlir
func.func @f(%x: tensor<64xf16>) -> tensor<64xf16> {
  %0 = uop.mul %x, %x : tensor<64xf16>
  return %0 : tensor<64xf16>
}

//--- other.json
{"format": "chart"}

// Graphs of PyTorch Inductor are no functions yet.

// RUN: not spyre-run %s 2>&1 | FileCheck %s --check-prefix=RUN-GRAPH
// RUN: spyre-opt %s --convert-spyre-to-sdscbundle -o /dev/null 2>&1 | FileCheck %s --check-prefix=BUNDLE
// RUN: cat %s | not spyre-run - --compare - 2>&1 | FileCheck %s --check-prefix=INPUT

// RUN-GRAPH: error: the module has graphs of PyTorch Inductor and no function; spyre-opt --convert-inductor-to-linalg makes functions of them
// BUNDLE: graphs.mlir:[[#@LINE+4]]:1: warning: convert-spyre-to-sdscbundle: the module has no device operations, so there is no bundle; --convert-inductor-to-linalg makes
// INPUT: error: standard input is one program; --compare needs the other one in a file

#l = #inductor.layout<fixed, [1]>
inductor.graph @graph {
  %x = inductor.input "x" : tensor<4xf32, #l>
  inductor.return %x : tensor<4xf32, #l>
}

// Standard input and output.

// RUN: spyre-opt < %s | FileCheck %s
// RUN: cat %s | spyre-opt - -o - | FileCheck %s
// CHECK: func.func private @f0()

// A reader that stops early ends the tool without a message, as it does with other tools.
// RUN: seq -f 'func.func private @g%%g()' 20000 > %t.mlir
// RUN: { spyre-opt %t.mlir 2> %t.err | head -n 1 > %t.head; } || true
// RUN: FileCheck %s --check-prefix=HEAD < %t.head
// RUN: test ! -s %t.err
// HEAD: module {

// A full disk is an error.
// RUN: not spyre-opt %s > /dev/full 2> %t.full
// RUN: FileCheck %s --check-prefix=FULL < %t.full
// RUN: not spyre-opt --spyre-pass-docs > /dev/full 2> %t.docs
// RUN: FileCheck %s --check-prefix=FULL < %t.docs
// FULL: No space left on device

func.func private @f0()

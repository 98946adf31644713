// RUN: spyre-opt %s --spyre-propagate-layouts --spyre-optimize-restickify --spyre-insert-restickify > %t.flags
// RUN: FileCheck %s < %t.flags
// RUN: spyre-opt %s --pass-pipeline='builtin.module(func.func(spyre-propagate-layouts,spyre-optimize-restickify{width=200 report=false},spyre-insert-restickify))' \
// RUN:   | diff %t.flags -
// RUN: spyre-opt %s --pass-pipeline='builtin.module(func.func(spyre-optimize-restickify,spyre-insert-restickify))' | diff %t.flags -
// RUN: spyre-opt %s --spyre-propagate-layouts | spyre-opt --spyre-optimize-restickify | spyre-opt --spyre-insert-restickify \
// RUN:   | diff %t.flags -
// RUN: spyre-opt %s --spyre-propagate-layouts --emit-bytecode | spyre-opt --spyre-optimize-restickify --emit-bytecode \
// RUN:   | spyre-opt --spyre-insert-restickify | diff %t.flags -
// RUN: spyre-opt %s --mlir-disable-threading --spyre-optimize-restickify --spyre-insert-restickify | diff %t.flags -
// RUN: %{mlir-opt} --load-dialect-plugin=%{plugin} --load-pass-plugin=%{plugin} %s \
// RUN:   --pass-pipeline='builtin.module(func.func(spyre-pad-matmul,spyre-propagate-layouts,spyre-optimize-restickify,spyre-insert-restickify))' \
// RUN:   | diff %t.flags -

// By flags, by a textual pipeline, one pass at a time through text and bytecode, without threads and in stock mlir-opt: the
// same program.

!t = tensor<512x512xf16>

// CHECK-LABEL: func.func @f(
// CHECK: spyre.add
// CHECK-NEXT: spyre.restickify %arg2
// CHECK-NEXT: spyre.add
func.func @f(%a: !t, %b: !t, %x: !t) -> !t {
  %at = spyre.permute %a [1, 0] : !t to !t
  %bt = spyre.permute %b [1, 0] : !t to !t
  %0 = spyre.add %at, %bt : !t
  %1 = spyre.add %0, %x : !t
  return %1 : !t
}

// CHECK-LABEL: func.func @g(
// CHECK: spyre.restickify
// CHECK: spyre.batchmatmul
func.func @g(%a: !t, %b: !t, %n: index) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = spyre.fill dense<0.0> : !t
  %at = spyre.permute %a [1, 0] : !t to !t
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> !t {
    %0 = spyre.batchmatmul %at, %acc : !t
    %1 = spyre.add %0, %b : !t
    scf.yield %1 : !t
  }
  return %r : !t
}

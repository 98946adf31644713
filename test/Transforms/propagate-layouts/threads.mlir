// RUN: not spyre-opt %s --spyre-propagate-layouts 2>&1 | FileCheck %s
// RUN: not spyre-opt %s --spyre-propagate-layouts 2>&1 | FileCheck %s
// RUN: not spyre-opt %s --spyre-propagate-layouts 2>&1 | FileCheck %s
// RUN: not spyre-opt %s --spyre-propagate-layouts 2>&1 | FileCheck %s
// RUN: not spyre-opt %s --spyre-propagate-layouts 2>&1 | FileCheck %s
// RUN: not spyre-opt %s --spyre-optimize-restickify 2>&1 | FileCheck %s
// RUN: not spyre-opt %s --spyre-optimize-restickify 2>&1 | FileCheck %s
// RUN: not spyre-opt %s --spyre-optimize-restickify 2>&1 | FileCheck %s
// RUN: not spyre-opt %s --spyre-insert-restickify 2>&1 | FileCheck %s
// RUN: not spyre-opt %s --spyre-insert-restickify 2>&1 | FileCheck %s
// RUN: not spyre-opt %s --spyre-insert-restickify 2>&1 | FileCheck %s

// Functions are handled in parallel, and none gets the errors of another one. Several runs, because it is a matter of luck:
// a pass that prints operations verifies the whole module, and swallows what is reported meanwhile.

// CHECK: error: spyre-{{.*}}: argument 0: element type f64 has no format in device memory

func.func @a(%a: tensor<128x256xf16>) {
  %0 = spyre.exp %a : tensor<128x256xf16>
  return
}

func.func @b(%a: tensor<128x256xf16>) {
  %0 = spyre.exp %a : tensor<128x256xf16>
  return
}

func.func @c(%a: tensor<128x256xf64>, %b: tensor<64xf16>) {
  %0 = spyre.exp %b : tensor<64xf16>
  return
}

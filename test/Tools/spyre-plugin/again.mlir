// A tool that has the dialects already says so and does not abort.

// RUN: not spyre-opt %s --load-dialect-plugin=%{plugin} 2>&1 | FileCheck %s --check-prefix=DIALECTS
// DIALECTS: error: the plugin spyre-mlir cannot add its dialects: this tool has a dialect 'spyre' already; run it without the plugin
// RUN: not spyre-opt %s --load-pass-plugin=%{plugin} 2>&1 | FileCheck %s --check-prefix=PASSES
// PASSES: error: the plugin spyre-mlir cannot add its passes: this tool has a pass 'spyre-{{[a-z-]+}}' already; run it without the plugin

func.func @f() {
  return
}

// What has no plan.

// RUN: not spyre-translate %s --emit-plan-json 2>&1 | FileCheck %s
// CHECK: invalid.mlir:{{.*}}error: {{.*}}

// RUN: not spyre-translate --emit-plan-html %s --emit-plan-json 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: the argument '--emit-plan-html' cannot be used with

func.func private @f(tensor<4xf16>) -> tensor<4xf16>

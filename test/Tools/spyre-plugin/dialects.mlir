// Both dialects in stock mlir-opt: parsed, verified, printed, and read from the bytecode of spyre-opt.

// RUN: spyre-opt %s -o %t.text
// RUN: %{mlir-opt} --load-dialect-plugin=%{plugin} %s | diff %t.text -
// RUN: FileCheck %s < %t.text
// RUN: %{mlir-opt} --load-dialect-plugin=%{plugin} --verify-roundtrip %s -o /dev/null

// RUN: spyre-opt %s --emit-bytecode -o %t.bc
// RUN: %{mlir-opt} --load-dialect-plugin=%{plugin} %t.bc | diff %t.text -
// RUN: %{mlir-opt} --load-dialect-plugin=%{plugin} --emit-bytecode %s | spyre-opt | diff %t.text -

// RUN: %{mlir-opt} --load-dialect-plugin=%{plugin} --show-dialects | FileCheck %s --check-prefix=SHOW
// SHOW: {{[ ,]}}sdscbundle,{{.*}},spyre,

// Verifiers come with the dialects.
// RUN: sed 's/granularity=64/granularity=48/' %s > %t.bad.mlir
// RUN: not %{mlir-opt} --load-dialect-plugin=%{plugin} %t.bad.mlir 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: error: max_value 512 is not a multiple of granularity 48

// Without the plugin neither dialect is known.
// RUN: not %{mlir-opt} %t.bc 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: {{.*}}unregistered dialect

// CHECK: spyre.add %{{.*}} tile [0: "A" in 2, 1: "B" in 4]
// CHECK: sdscbundle.input_arg_extract granularity from %{{.*}} : !sdscbundle.input_arg<index, granularity=64, max_value=512> -> index

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<1024x4096xf16, #stick>

func.func @add_mul(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]}, %c: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 4] : !t
  %z = spyre.mul %y, %c tile [0: "A" in 2, 1: "B" in 4] : !t
  return %z : !t
}

func.func @argument(%a: !sdscbundle.input_arg<index, granularity=64, max_value=512>) -> index {
  %0 = sdscbundle.input_arg_extract granularity from %a : !sdscbundle.input_arg<index, granularity=64, max_value=512> -> index
  return %0 : index
}

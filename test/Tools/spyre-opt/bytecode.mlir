// Both dialects, before and after tiling, go through bytecode unchanged.

// RUN: spyre-opt %s -o %t.text
// RUN: spyre-opt %s --emit-bytecode -o %t.bc
// RUN: spyre-opt %t.bc | diff %t.text -

// RUN: spyre-opt %s --coarse-tile -o %t.tiled
// RUN: spyre-opt %t.bc --coarse-tile --emit-bytecode | spyre-opt | diff %t.tiled -
// RUN: FileCheck %s < %t.tiled

// It is bytecode, and it names both dialects.
// RUN: head -c 4 %t.bc | grep -q 'ML'
// RUN: grep -qa sdscbundle %t.bc && grep -qa spyre %t.bc

// CHECK: scf.for
// CHECK: sdscbundle.input_arg_extract

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

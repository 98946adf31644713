// The sticks of a row side by side: a tile of 512 rows is 512 * 64 sticks away,
// a tile of 1024 columns 16 sticks.

// RUN: spyre-opt %s --spyre-pipeline | FileCheck %s

#rows = #spyre.layout<(d0, d1) -> (d0, d1 floordiv 64, d1 mod 64)>
!t = tensor<1024x4096xf16, #rows>

func.func @add_mul(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]},
                   %c: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 4] : !t
  %z = spyre.mul %y, %c tile [0: "A" in 2, 1: "B" in 4] : !t
  return %z : !t
}

// CHECK: #[[ROWS:.*]] = affine_map<(d0, d1) -> (d0, d1 floordiv 64, d1 mod 64)>
// CHECK-NEXT: affine_map<(d0, d1)[s0] -> (d0 * 4194304 + s0 + d1 * 2048)>
// CHECK-NOT: affine_map
// CHECK: sdscbundle.op_spec @sdsc_0 "add"
// CHECK-NEXT: <in arg 0 SEN169_FP16 [1024, 64, 64], #[[ROWS]], advance = [2097152, 1024]

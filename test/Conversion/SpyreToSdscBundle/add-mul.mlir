// The canonical program, from tensors to a bundle: one loop nest, two executes,
// y in the scratchpad and no symbol for it.

// RUN: spyre-opt %s --spyre-pipeline | FileCheck %s
// RUN: spyre-opt %s --spyre-pipeline --verify-roundtrip -o /dev/null

// The passes one by one give the same module.
// RUN: spyre-opt %s --coarse-tile | spyre-opt --spyre-work-division \
// RUN:   | spyre-opt --spyre-scratchpad-planning | spyre-opt --convert-spyre-to-sdscbundle > %t.single
// RUN: spyre-opt %s --spyre-pipeline > %t.whole
// RUN: diff %t.single %t.whole

// The names of the bundle's text are in the locations.
// RUN: spyre-opt %s --spyre-pipeline --mlir-use-nameloc-as-prefix | FileCheck %s --check-prefix=NAMES

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<1024x4096xf16, #stick>

func.func @add_mul(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]},
                   %c: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 4] : !t
  %z = spyre.mul %y, %c tile [0: "A" in 2, 1: "B" in 4] : !t
  return %z : !t
}

// The byte steps are those of the device layout: 512 rows of a stick, and 16
// columns of sticks of 1024 rows.
// CHECK: #[[STICK:.*]] = affine_map<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-NEXT: #[[MAP:.*]] = affine_map<(d0, d1)[s0] -> (d0 * 65536 + s0 + d1 * 2097152)>
// CHECK-NOT: affine_map
// CHECK-NOT: func.func @add_mul

// CHECK: sdscbundle.op_spec @sdsc_0 "add" space [<"c0" = 512 over 32>, <"c1" = 1024 over 1>] loops [2, 4] args
// CHECK-NEXT: <in arg 0 SEN169_FP16 [64, 1024, 64], #[[STICK]], advance = [32768, 1048576]>
// CHECK-NEXT: <in arg 1 SEN169_FP16 [64, 1024, 64], #[[STICK]], advance = [32768, 1048576]>
// CHECK-NEXT: <out lx 0 SEN169_FP16 [16, 512, 64], #[[STICK]]>]
// CHECK: sdscbundle.op_spec @sdsc_1 "mul"
// CHECK-NEXT: <in lx 0 SEN169_FP16 [16, 512, 64]
// CHECK-NEXT: <in arg 2 SEN169_FP16 [64, 1024, 64]
// The result is written into the full tensor, so it has its device size.
// CHECK-NEXT: <out arg 3 SEN169_FP16 [64, 1024, 64]
// CHECK-SAME: advance = [32768, 1048576]>]

// CHECK: func.func @sdsc_bundle(%[[A:.*]]: !sdscbundle.input_arg<index>, %{{.*}}, %{{.*}}, %{{.*}}: !sdscbundle.input_arg<index>) {
// CHECK: %[[BASE:.*]] = sdscbundle.input_arg_extract value from %[[A]]
// Core 1 starts 16 rows later.
// CHECK: %[[STEP:.*]] = arith.constant 2048 : index
// CHECK: %[[CORE1:.*]] = arith.addi %[[BASE]], %[[STEP]] : index
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %c2 step
// CHECK-NEXT: scf.for %[[J:.*]] = %{{.*}} to %c4 step
// CHECK-NEXT: affine.apply #[[MAP]](%[[I]], %[[J]])[%[[BASE]]]
// CHECK-NEXT: affine.apply #[[MAP]](%[[I]], %[[J]])[%[[CORE1]]]
// CHECK: sdscbundle.sdsc_execute
// CHECK: sdsc_filename = "sdsc_0.json"
// CHECK-SAME: symbol_ids = [
// CHECK-NEXT: -1, -2,
// CHECK: -64]}
// CHECK: sdscbundle.sdsc_execute
// CHECK: sdsc_filename = "sdsc_1.json"
// CHECK-SAME: symbol_ids = [
// CHECK-NEXT: -65,
// CHECK: -128]}
// CHECK-NOT: sdscbundle.sdsc_execute
// CHECK: return

// NAMES: func.func @sdsc_bundle(%arg_0_base_addr:
// NAMES: %arg_0 = sdscbundle.input_arg_extract
// NAMES: %arg_0_core_2048 = arith.addi %arg_0, %arg_0_core_offset_2048
// NAMES: scf.for %i_0 =
// NAMES: %addr_0 = affine.apply

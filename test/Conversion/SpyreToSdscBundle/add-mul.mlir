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
// CHECK: sdscbundle.sdsc_execute ({{$}}
// CHECK-NEXT: {{^ +(%[0-9a-z_]+, ){7}%[0-9a-z_]+,$}}
// CHECK-NEXT: {{^ +(%[0-9a-z_]+, ){7}%[0-9a-z_]+,$}}
// CHECK-NEXT: {{^ +(%[0-9a-z_]+, ){7}%[0-9a-z_]+,$}}
// CHECK-NEXT: {{^ +(%[0-9a-z_]+, ){7}%[0-9a-z_]+,$}}
// CHECK-NEXT: {{^ +(%[0-9a-z_]+, ){7}%[0-9a-z_]+,$}}
// CHECK-NEXT: {{^ +(%[0-9a-z_]+, ){7}%[0-9a-z_]+,$}}
// CHECK-NEXT: {{^ +(%[0-9a-z_]+, ){7}%[0-9a-z_]+,$}}
// CHECK-NEXT: {{^ +(%[0-9a-z_]+, ){7}%[0-9a-z_]+\)}} {sdsc_filename = "sdsc_0.json", symbol_ids = [
// CHECK-NEXT: -1, -2, -3, -4, -5, -6, -7, -8,
// CHECK-NEXT: -9, -10, -11, -12, -13, -14, -15, -16,
// CHECK-NEXT: -17, -18, -19, -20, -21, -22, -23, -24,
// CHECK-NEXT: -25, -26, -27, -28, -29, -30, -31, -32,
// CHECK-NEXT: -33, -34, -35, -36, -37, -38, -39, -40,
// CHECK-NEXT: -41, -42, -43, -44, -45, -46, -47, -48,
// CHECK-NEXT: -49, -50, -51, -52, -53, -54, -55, -56,
// CHECK-NEXT: -57, -58, -59, -60, -61, -62, -63, -64]}
// CHECK: sdscbundle.sdsc_execute ({{$}}
// CHECK-NEXT: {{^ +(%[0-9a-z_]+, ){7}%[0-9a-z_]+,$}}
// CHECK-NEXT: {{^ +(%[0-9a-z_]+, ){7}%[0-9a-z_]+,$}}
// CHECK-NEXT: {{^ +(%[0-9a-z_]+, ){7}%[0-9a-z_]+,$}}
// CHECK-NEXT: {{^ +(%[0-9a-z_]+, ){7}%[0-9a-z_]+,$}}
// CHECK-NEXT: {{^ +(%[0-9a-z_]+, ){7}%[0-9a-z_]+,$}}
// CHECK-NEXT: {{^ +(%[0-9a-z_]+, ){7}%[0-9a-z_]+,$}}
// CHECK-NEXT: {{^ +(%[0-9a-z_]+, ){7}%[0-9a-z_]+,$}}
// CHECK-NEXT: {{^ +(%[0-9a-z_]+, ){7}%[0-9a-z_]+\)}} {sdsc_filename = "sdsc_1.json", symbol_ids = [
// CHECK-NEXT: -65, -66, -67, -68, -69, -70, -71, -72,
// CHECK-NEXT: -73, -74, -75, -76, -77, -78, -79, -80,
// CHECK-NEXT: -81, -82, -83, -84, -85, -86, -87, -88,
// CHECK-NEXT: -89, -90, -91, -92, -93, -94, -95, -96,
// CHECK-NEXT: -97, -98, -99, -100, -101, -102, -103, -104,
// CHECK-NEXT: -105, -106, -107, -108, -109, -110, -111, -112,
// CHECK-NEXT: -113, -114, -115, -116, -117, -118, -119, -120,
// CHECK-NEXT: -121, -122, -123, -124, -125, -126, -127, -128]}
// CHECK-NOT: sdscbundle.sdsc_execute
// CHECK: return

// NAMES: func.func @sdsc_bundle(%arg_0_base_addr:
// NAMES: %arg_0 = sdscbundle.input_arg_extract
// NAMES: %arg_0_core_2048 = arith.addi %arg_0, %arg_0_core_offset_2048
// NAMES: scf.for %i_0 =
// NAMES: %addr_0 = affine.apply

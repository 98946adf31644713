// A dynamic dimension is a parameter of the bundle, and bounds its loops.

// RUN: spyre-opt %s --spyre-pipeline | FileCheck %s
// RUN: spyre-translate --spyre-to-bundle %s -o %t.out --launch-params %t.json
// RUN: FileCheck %s --input-file %t.out/bundle.mlir --check-prefix=FILE
// RUN: FileCheck %s --input-file %t.json --check-prefix=LAUNCH
// RUN: spyre-translate --verify-bundle %t.out
// RUN: not spyre-translate --spyre-to-bundle --address-mode=concrete %s -o %t.concrete 2>&1 | FileCheck %s --check-prefix=CONCRETE

// Addresses are those of the largest tensor; the induction variable counts elements.
// CHECK: #[[$STICK:.*]] = affine_map<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK: #[[$MAP:.*]] = affine_map<(d0)[s0] -> (d0 * 128 + s0)>
// CHECK: sdscbundle.op_spec @sdsc_0 "add" space [<"c0" = 64 over 1>, <"c1" = 256 over 1>] loops [8]
// CHECK-NEXT: <in arg 0 SEN169_FP16 [4, 512, 64], #[[$STICK]], advance = [4096]
// CHECK-NEXT: <in arg 1
// CHECK-NEXT: <out lx 0 SEN169_FP16 [4, 64, 64]
// CHECK: func.func @sdsc_bundle(%{{.*}}, %[[S:.*]]: !sdscbundle.input_arg<index, granularity=64, max_value=512> {sdscbundle.size = #sdscbundle.size<"S" in 0 dim 0>})
// CHECK: %[[VALUE:.*]] = sdscbundle.input_arg_extract value from %[[S]]
// CHECK: scf.for %[[I:.*]] = %c0 to %[[VALUE]] step %c64 {
// CHECK: affine.apply #[[$MAP]](%[[I]])

// FILE: #map_0 = affine_map<(d0)[s0] -> (s0 + 128*d0)>
// FILE: %dim_S_base: !sdscbundle.input_arg<index, granularity=64, max_value=512>)
// FILE: %dim_S = sdscbundle.input_arg_extract value from %dim_S_base
// FILE: scf.for %i_0 = %c0 to %dim_S step %step_0 {

// LAUNCH: "loop_dimension"

// CONCRETE: error: loop count `floor(S/64)` is not a fixed number, so the loop cannot be unrolled

module attributes {spyre.target = #spyre.target<cores = 1>} {
func.func @rows(%a: tensor<?x256xf16> {spyre.dims = ["S", "D"]}, %b: tensor<?x256xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x256xf16>
    attributes {spyre.dim_sizes = {D = 256, S = #spyre.dynamic<granularity = 64, max = 512>}} {
  %y = spyre.add %a, %b tile [0: "S" by 64] : tensor<?x256xf16>
  %z = spyre.mul %y, %b tile [0: "S" by 64] : tensor<?x256xf16>
  return %z : tensor<?x256xf16>
}
}

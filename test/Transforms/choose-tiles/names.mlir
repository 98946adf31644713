// RUN: spyre-opt %s --spyre-choose-tiles | FileCheck %s
// RUN: spyre-opt %s --spyre-choose-tiles --spyre-propagate-named-dims -o /dev/null
// RUN: spyre-opt %s --spyre-choose-tiles --coarse-tile | FileCheck %s --check-prefix=TILED

// Names in chosen hints: those that are there if they mean one dimension, else new ones beside them.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<512x256xf16, #stick>

module attributes {spyre.target = #spyre.target<cores = 2, lx_bytes = 65536, lx_reserved_bytes = 0, lx_backend_percent = 0>} {

// CHECK-LABEL: func.func @used(
// CHECK: spyre.exp %{{.*}} tile [10000: "S" in 2] : tensor
// CHECK: spyre.neg %{{.*}} tile [10000: "S" in 2] : tensor
func.func @used(%x: !t {spyre.dims = ["S", "E"]}) -> !t {
  %a = spyre.exp %x : !t
  %b = spyre.neg %a : !t
  return %b : !t
}

// The operations call the rows differently. The function declares its names, so it declares the new one too. "auto0" is
// taken.
// CHECK-LABEL: func.func @differ(
// CHECK-SAME: spyre.dim_sizes = {E = 256 : i64, S = 512 : i64, T = 512 : i64, auto0 = 256 : i64, auto1 = 512 : i64}
// CHECK: spyre.exp %{{.*}} tile [10000: "auto1" in 8] {spyre.dims = {{\[\[}}"S", "auto1"], "auto0"]}
// CHECK: spyre.exp %{{.*}} tile [10000: "auto1" in 8] {spyre.dims = {{\[\[}}"T", "auto1"], "E"]}
// CHECK: spyre.add %{{.*}} tile [10000: "auto1" in 8] {spyre.dims = {{\[\[}}"S", "T", "auto1"], ["auto0", "E"]]}
// CHECK: spyre.mul %{{.*}} tile [10000: "auto1" in 8] {spyre.dims = {{\[\[}}"S", "T", "auto1"], ["auto0", "E"]]}
// TILED-LABEL: func.func @differ(
// TILED-COUNT-1: scf.for
// TILED-NOT: scf.for
// TILED-COUNT-4: tensor<64x256xf16
// TILED-LABEL: func.func @
func.func @differ(%x: !t {spyre.dims = ["S", "auto0"]}, %y: !t {spyre.dims = ["T", "E"]}) -> (!t, !t)
    attributes {spyre.dim_sizes = {S = 512, T = 512, E = 256, auto0 = 256}} {
  %a = spyre.exp %x : !t
  %b = spyre.exp %y : !t
  %c = spyre.add %a, %b : !t
  %d = spyre.mul %c, %a : !t
  return %d, %b : !t, !t
}

// A merged name would cut more than it says. What is expected of the names still holds.
// CHECK-LABEL: func.func @merged(
// CHECK: spyre.exp %{{.*}} tile [10000: "auto0" in 2] {spyre.dims = {{\[\[}}#spyre.merged<"H" of 8, "D" of 64>, "auto0"], "E"]}
// CHECK: spyre.neg %{{.*}} tile [10000: "auto0" in 2] {spyre.dims = {{\[\[}}#spyre.merged<"H" of 8, "D" of 64>, "auto0"], "E"], spyre.expected_dims = [#spyre.merged<"H" of 8, "D" of 64>, "E"]}
func.func @merged(%x: !t {spyre.dims = [#spyre.merged<"H" of 8, "D" of 64>, "E"]}) -> !t {
  %a = spyre.exp %x : !t
  %b = spyre.neg %a {spyre.expected_dims = [#spyre.merged<"H" of 8, "D" of 64>, "E"]} : !t
  return %b : !t
}

}

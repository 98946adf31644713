// RUN: spyre-opt %s --spyre-choose-tiles | FileCheck %s
// RUN: spyre-opt %s --spyre-choose-tiles --coarse-tile --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATISTICS

// Tiles with which the fewest bytes go through device memory. A tensor is 256 KiB; two scratchpads have 64 KiB each.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#sparse = #spyre.layout<(d0, d1) -> (0, d0, 0)>
!t = tensor<512x256xf16, #stick>
!column = tensor<512x1xf16, #sparse>
!half = tensor<256x256xf16, #stick>
!w = tensor<256x1024xf16, #stick>
!wide = tensor<512x1024xf16, #stick>

// Everything that is chosen can be tiled: a group for each that says so.
// STATISTICS:     (S)  8 groups

module attributes {spyre.target = #spyre.target<cores = 2, lx_bytes = 65536, lx_reserved_bytes = 0, lx_backend_percent = 0>} {

// Two values at a time have to fit, so each core has a quarter of its half of both.
// CHECK-LABEL: func.func @chain(
// CHECK: spyre.exp %{{.*}} tile [10000: "auto0" in 4] {spyre.dims = ["auto0", "_untracked_256"]}
// CHECK: spyre.neg %{{.*}} tile [10000: "auto0" in 4] {spyre.dims = ["auto0", "_untracked_256"]}
// CHECK: spyre.add %{{.*}} tile [10000: "auto0" in 4] {spyre.dims = ["auto0", "_untracked_256"]}
func.func @chain(%x: !t) -> !t {
  %a = spyre.exp %x : !t
  %b = spyre.neg %a : !t
  %c = spyre.add %a, %b : !t
  return %c : !t
}

// Half of the rows: two values are just what the scratchpads hold.
// CHECK-LABEL: func.func @fits(
// CHECK-NOT: tile
func.func @fits(%x: !half) -> !half {
  %a = spyre.exp %x : !half
  %b = spyre.neg %a : !half
  return %b : !half
}

// The columns are reduced, so rows are cut. Their maxima and sums are in the scratchpads as well.
// CHECK-LABEL: func.func @softmax(
// CHECK: spyre.max %{{.*}} dims [1] keepdim tile [10000: "S" in 8] :
// CHECK: spyre.sub %{{.*}} tile [10000: "S" in 8] :
// CHECK: spyre.exp %{{.*}} tile [10000: "S" in 8] :
// CHECK: spyre.sum %{{.*}} dims [1] keepdim tile [10000: "S" in 8] :
// CHECK: spyre.realdiv %{{.*}} tile [10000: "S" in 8] :
func.func @softmax(%x: !t {spyre.dims = ["S", "E"]}) -> !t {
  %m = spyre.max %x dims [1] keepdim : (!t) -> !column
  %d = spyre.sub %x, %m : (!t, !column) -> !t
  %e = spyre.exp %d : !t
  %s = spyre.sum %e dims [1] keepdim : (!t) -> !column
  %p = spyre.realdiv %e, %s : (!t, !column) -> !t
  return %p : !t
}

// The right operand would be read again for every tile of rows, by both cores. The elementwise operations around the
// product are groups of their own: with it, more would be read than is saved.
// CHECK-LABEL: func.func @product(
// CHECK: spyre.exp %{{.*}} tile [10000: "auto0" in 2]
// CHECK: spyre.neg %{{.*}} tile [10000: "auto0" in 2]
// CHECK: spyre.batchmatmul %{{[^ ]*}}, %{{[^ ]*}} :
// CHECK: spyre.abs %{{.*}} tile [10001: "auto1" in 8]
// CHECK: spyre.add %{{.*}} tile [10001: "auto1" in 8]
func.func @product(%x: !t, %w: !w, %z: !wide) -> !wide {
  %a = spyre.exp %x : !t
  %b = spyre.neg %a : !t
  %y = spyre.batchmatmul %b, %w : (!t, !w) -> !wide
  %c = spyre.abs %y : !wide
  %d = spyre.add %c, %z : !wide
  return %d : !wide
}

// What goes through a view ends a group.
// CHECK-LABEL: func.func @view(
// CHECK: spyre.exp %{{.*}} tile [10000: "auto0" in 2]
// CHECK: spyre.neg %{{.*}} tile [10000: "auto0" in 2]
// CHECK: spyre.permute
// CHECK: spyre.permute
// CHECK: spyre.abs %{{.*}} tile [10001: "auto1" in 2]
// CHECK: spyre.exp %{{.*}} tile [10001: "auto1" in 2]
func.func @view(%x: !t) -> !t {
  %a = spyre.exp %x : !t
  %b = spyre.neg %a : !t
  %p = spyre.permute %b [1, 0] : !t to tensor<256x512xf16, #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>>
  %q = spyre.permute %p [1, 0] : tensor<256x512xf16, #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>> to !t
  %c = spyre.abs %q : !t
  %d = spyre.exp %c : !t
  return %d : !t
}

// With hints or a split, operations are left alone, and end a group.
// CHECK-LABEL: func.func @left_alone(
// CHECK: spyre.exp %{{.*}} tile [12001: "S" in 2] :
// CHECK: spyre.neg %{{.*}} tile [12001: "S" in 2] :
// CHECK: spyre.abs %{{.*}} tile [12000: "E" in 4] :
// CHECK: spyre.exp %{{[^ ]*}} split [2, 1] :
// CHECK: spyre.neg %{{[^ ]*}} :
func.func @left_alone(%x: !t {spyre.dims = ["S", "E"]}) -> !t {
  %a = spyre.exp %x : !t
  %b = spyre.neg %a : !t
  %c = spyre.abs %b tile [12000: "E" in 4] : !t
  %d = spyre.exp %c split [2, 1] : !t
  %e = spyre.neg %d : !t
  return %e : !t
}

}

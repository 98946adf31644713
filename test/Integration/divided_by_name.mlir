// Cores for dimensions by name: rows and columns of the tiles, and rows and columns of a product. The bundle computes what
// the program computes, on as many cores.

// RUN: spyre-opt %s --spyre-pipeline | FileCheck %s
// RUN: spyre-run %s --check-pipeline='builtin.module(spyre-pipeline)' --random-seed 1 --integers 3 2>&1 | FileCheck %s --check-prefix=CHECKED
// RUN: rm -rf %t.bundle && spyre-translate --spyre-to-bundle %s -o %t.bundle
// RUN: spyre-run %s --bundle %t.bundle --compare %s --random-seed 2 --integers 3 | FileCheck %s --check-prefix=CARD

// CHECKED-NOT: DIFFER
// CHECKED: a bundle, same results on the simulated card

// 16 rows of tiles on 8 cores of 2, 4 sticks on 2 of 2; the product has 32 rows on 16 cores and 2 sticks on 2.
// CARD: result 0: 0 of 4096 elements differ

// CHECK:      sdscbundle.op_spec @{{.*}} "add"
// CHECK-SAME:   space [<"c0" = 16 over 8>, <"c1" = 256 over 2>]
// CHECK:      sdscbundle.op_spec @{{.*}} "batchmatmul"
// CHECK-SAME:   space [<"c0" = 32 over 16>, <"c1" = 128 over 2>, <"c2" = 256 over 1>]
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
func.func @f(%a: tensor<32x256xf16, #stick> {spyre.dims = ["M", "K"]}, %b: tensor<32x256xf16, #stick> {spyre.dims = ["M", "K"]},
             %w: tensor<256x128xf16, #stick> {spyre.dims = ["K", "N"]}) -> tensor<32x128xf16, #stick>
    attributes {spyre.tile_scopes = [#spyre.tile_scope<"M" in 2, "M" over 8, "K" over 2, ops 0 to 0>]} {
  %x = spyre.add %a, %b : tensor<32x256xf16, #stick>
  %y = spyre.batchmatmul %x, %w divide ["M" over 16, "N" over 2]
    : (tensor<32x256xf16, #stick>, tensor<256x128xf16, #stick>) -> tensor<32x128xf16, #stick>
  return %y : tensor<32x128xf16, #stick>
}

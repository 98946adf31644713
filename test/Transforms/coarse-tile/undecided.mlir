// RUN: spyre-opt %s --coarse-tile | FileCheck %s
// RUN: spyre-opt %s --coarse-tile --spyre-optimize-restickify --spyre-insert-restickify | FileCheck %s --check-prefix=CHOSEN

// Between the passes that choose layouts, candidates go into the loops with their operations, but for the padding of the
// whole tensor; what names say of the whole does not.

#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#padded = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [8, 512, 64]>
!t = tensor<256x512xf16>

// CHECK-LABEL: func.func @f(
// CHECK:         scf.for
// CHECK:           spyre.exp %{{[a-z_0-9]+}} {spyre.layout_candidates = [#layout, #layout1]} :
// CHECK:           spyre.neg %{{[a-z_0-9]+}} : tensor<128x512xf16>
// CHECK:           spyre.abs %{{[a-z_0-9]+}} {spyre.layout_candidates = [#layout]} :
// CHOSEN-LABEL: func.func @f(
// CHOSEN:         scf.for
// CHOSEN:           spyre.exp {{.*}} tensor<128x512xf16, #layout>
// CHOSEN:           spyre.neg {{.*}} tensor<128x512xf16, #layout>
func.func @f(%a: tensor<256x512xf16, #rows> {spyre.dims = [#spyre.merged<"A" of 2, "C" of 128>, "B"]}) -> !t {
  %x = spyre.exp %a tile [0: "A" in 2] {spyre.dims = [#spyre.merged<"A" of 2, "C" of 128>, "B"], spyre.layout_candidates = [#rows, #cols]} : (tensor<256x512xf16, #rows>) -> !t
  %y = spyre.neg %x tile [0: "A" in 2] {spyre.layout_candidates = [#padded]} : !t
  %z = spyre.abs %y tile [0: "A" in 2] {spyre.expected_dims = [#spyre.merged<"A" of 2, "C" of 128>, "B"], spyre.layout_candidates = [#padded, #rows]} : !t
  return %z : !t
}

// RUN: spyre-opt %s --spyre-propagate-layouts --spyre-optimize-restickify --spyre-insert-restickify --coarse-tile | FileCheck %s

// Names go through a permutation, and a restickify that was inserted for an operation of a group is in the group: one nest.
// The permuted argument is read in windows where it lies.

// CHECK-DAG: #[[$ROWS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$COLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>

// CHECK-LABEL: func.func @f
// CHECK:         %[[T:.*]] = spyre.permute %{{.*}} [1, 0]
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             %[[Y:.*]] = spyre.exp %{{.*}} : tensor<128x256xf16, #[[$ROWS]]>
// CHECK:             %[[C:.*]] = spyre.restickify %[[Y]] : (tensor<128x256xf16, #[[$ROWS]]>) -> tensor<128x256xf16, #[[$COLS]]>
// CHECK:             %[[W:.*]] = tensor.extract_slice %[[T]][%{{.*}}, %{{.*}}] [128, 256] [1, 1]
// CHECK:             spyre.add %[[W]], %[[C]] : tensor<128x256xf16, #[[$COLS]]>
// CHECK:             tensor.insert_slice
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @f(%a: tensor<512x256xf16> {spyre.dims = ["B", "A"]}, %x: tensor<256x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<256x512xf16> {
  %t = spyre.permute %a [1, 0] : tensor<512x256xf16> to tensor<256x512xf16>
  %y = spyre.exp %x tile [0: "A" in 2, 1: "B" in 2] : tensor<256x512xf16>
  %z = spyre.add %t, %y tile [0: "A" in 2, 1: "B" in 2] : tensor<256x512xf16>
  return %z : tensor<256x512xf16>
}

// RUN: spyre-opt %s --split-input-file --spyre-pipeline --verify-diagnostics | FileCheck %s

// Views are followed to the buffer: an operand has the address and the device size of what was viewed, and coordinates
// in the iteration space of its reader.

#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
!a = tensor<128x256xf16, #rows>
!t = tensor<256x128xf16, #cols>

// CHECK: #[[COLUMNS:.*]] = affine_map<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// CHECK-LABEL: sdscbundle.op_spec @sdsc_0 "add"
// CHECK-NEXT:    <in arg 0 SEN169_FP16 [4, 128, 64], #[[COLUMNS]]>
// CHECK-NEXT:    <in arg 1 SEN169_FP16 [4, 128, 64], #[[COLUMNS]]>
// CHECK-NOT:   sdscbundle.op_spec
func.func @permute(%a: !a, %x: !t) -> !t {
  %t = spyre.permute %a [1, 0] : !a to !t
  %y = spyre.add %t, %x : !t
  return %y : !t
}

// -----

// The window is 2 sticks of columns and 5 rows into the buffer; its permutation moves the offsets with the dimensions.

#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
!a = tensor<128x256xf16, #rows>
!w = tensor<64x128xf16, #rows>
!t = tensor<128x64xf16, #cols>

// CHECK: #[[WINDOW:.*]] = affine_map<(d0, d1) -> (d0 floordiv 64 + 2, d1 + 5, d0 mod 64)>
// CHECK-LABEL: sdscbundle.op_spec @sdsc_0 "neg"
// CHECK-NEXT:    <in arg 0 SEN169_FP16 [4, 128, 64], #[[WINDOW]]>
func.func @permuted_window(%a: !a) -> !t {
  %w = tensor.extract_slice %a[5, 128] [64, 128] [1, 1] : !a to !w
  %t = spyre.permute %w [1, 0] : !w to !t
  %y = spyre.neg %t : !t
  return %y : !t
}

// -----

// Tiles of a permuted tensor. 64 columns of the result are 64 rows of the argument, 128 bytes each; 128 rows of the
// result are two sticks of columns, of 128 rows each.

#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
!a = tensor<128x256xf16, #rows>
!t = tensor<256x128xf16, #cols>

// CHECK: #[[COLUMNS:.*]] = affine_map<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// CHECK-NEXT: affine_map<(d0, d1)[s0] -> (d0 * 8192 + s0 + d1 * 32768)>
// CHECK-NOT: affine_map<
// CHECK-LABEL: sdscbundle.op_spec @sdsc_0 "add"
// CHECK-NEXT:    <in arg 0 SEN169_FP16 [4, 128, 64], #[[COLUMNS]], advance = [4096, 16384]
func.func @permuted_tiles(%a: !a {spyre.dims = ["A", "B"]}, %x: !t) -> !t {
  %t = spyre.permute %a [1, 0] : !a to !t
  %y = spyre.add %t, %x tile [0: "A" in 2, 1: "B" in 2] : !t
  return %y : !t
}

// -----

// A reshape that nests: three device dimensions become four.

#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#nest = #spyre.layout<(d0, d1, d2) -> (d2 floordiv 64, d0, d1, d2 mod 64)>
!a = tensor<24x128xf16, #rows>
!e = tensor<4x6x128xf16, #nest>

// CHECK: #[[STICK:.*]] = affine_map<(d0, d1, d2) -> (d2 floordiv 64, d0, d1, d2 mod 64)>
// CHECK-LABEL: sdscbundle.op_spec @sdsc_0 "abs"
// CHECK-NEXT:    <in arg 0 SEN169_FP16 [2, 4, 6, 64], #[[STICK]]>
func.func @expand(%a: !a) -> !e {
  %e = tensor.expand_shape %a [[0, 1], [2]] output_shape [4, 6, 128] : !a into !e
  %y = spyre.abs %e : !e
  return %y : !e
}

// -----

// Rows 0, 2, 4, 6, 1 ... of the argument follow each other: a dimension with two strides. The layouts are in the types, so
// there is no other.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#e = #spyre.layout<(d0, d1, d2) -> (d2 floordiv 64, d0, d1, d2 mod 64)>
#p = #spyre.layout<(d0, d1, d2) -> (d2 floordiv 64, d1, d0, d2 mod 64)>
#c = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0 mod 4, d0 floordiv 4, d1 mod 64)>
!a = tensor<8x128xf16, #stick>
!e = tensor<4x2x128xf16, #e>
!p = tensor<2x4x128xf16, #p>
!c = tensor<8x128xf16, #c>
func.func @two_strides(%a: !a) -> !a {
  %e = tensor.expand_shape %a [[0, 1], [2]] output_shape [4, 2, 128] : !a into !e
  %p = spyre.permute %e [1, 0, 2] : !e to !p
  // expected-note @below {{the tensor is defined here}}
  %c = tensor.collapse_shape %p [[0, 1], [2]] : !p into !c
  // expected-error @below {{dimension 0 runs along 2 device dimensions of the layout (d0, d1) -> (d1 floordiv 64, d0 mod 4, d0 floordiv 4, d1 mod 64)}}
  %y = spyre.neg %c : (!c) -> !a
  return %y : !a
}

// -----

// 40 rows become 40 columns: a stick of 64, of which 24 would be what the layout has room for behind them.

#padded = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [2, 64, 64]>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
func.func @ragged_padding(%a: tensor<40x128xf16, #padded>) -> tensor<40x128xf16, #cols> {
  // expected-error @below {{tensor #0 is 40 of 64 elements there}}
  %y = spyre.restickify %a : (tensor<40x128xf16, #padded>) -> tensor<40x128xf16, #cols>
  return %y : tensor<40x128xf16, #cols>
}

// -----

// K of 100 is two sticks of the left operand, and so 128 rows of the right one. The 28 that are missing are zeros: kernel
// argument 3, which is a constant. It and the right operand are copied into the pool. The left operand is an argument, with
// anything after K (K18): a selection writes zeros there. Its truth values, argument 2, are whole sticks of which 100 are true.

// CHECK: #[[BEHIND:.*]] = affine_map<(d0, d1) -> (d1 floordiv 64, d0 + 100, d1 mod 64)>
// CHECK: sdscbundle.op_spec @sdsc_0 "identity"
// CHECK-NEXT: <in arg 1 {{.*}}[2, 100, 64]
// CHECK-NEXT: <out pool 0 {{.*}}[2, 128, 64]
// CHECK-NEXT: sdscbundle.op_spec @sdsc_1 "identity"
// CHECK-NEXT: <in arg 3 {{.*}}[2, 28, 64]
// CHECK-NEXT: <out pool 0 {{.*}}[2, 128, 64], #[[BEHIND]]>
// CHECK-NEXT: sdscbundle.op_spec @sdsc_2 "where3" space [<"c0" = 64 over 8>, <"c1" = 100 over 1>]
// CHECK-NEXT: <in arg 2 {{.*}}[1, 2, 64]
// CHECK-NEXT: <in arg 0 {{.*}}[2, 64, 64]
// CHECK-NEXT: <in arg 4 {{.*}}[1, 1, 64]
// CHECK-NEXT: <out lx 0 {{.*}}[2, 64, 64]
// CHECK-NEXT: sdscbundle.op_spec @sdsc_3 "batchmatmul"
// CHECK-NEXT: <in lx 0 {{.*}}[2, 64, 64]
// CHECK-NEXT: <in pool 0 {{.*}}[2, 128, 64]
// CHECK-NEXT: <out arg 5
// CHECK:      func.func @sdsc_bundle(
// CHECK-SAME: %arg2: !sdscbundle.input_arg<index> {spyre.constant = dense<"0xFFFFFFFFFFFFFFFFFFFFFFFF0F000000"> : tensor<1x128xi1
// CHECK-SAME: %arg3: !sdscbundle.input_arg<index> {spyre.constant = dense<0.000000e+00> : tensor<28x128xf16
// CHECK-SAME: %arg4: !sdscbundle.input_arg<index> {spyre.constant = dense<0.000000e+00> : tensor<1x1xf16

!lhs = tensor<64x100xf16>
!rhs = tensor<100x128xf16>
!t = tensor<64x128xf16>
func.func @ragged_k(%a: !lhs, %b: !rhs) -> !t {
  %y = spyre.batchmatmul %a, %b : (!lhs, !rhs) -> !t
  return %y : !t
}

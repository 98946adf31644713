// Three dimensions, three loops, a stick that is not contiguous with its row.

// RUN: cat %s %S/Inputs/compare.mlir | spyre-opt --coarse-tile --convert-spyre-to-linalg=poison --spyre-lower-to-llvm \
// RUN:   | mlir-runner -e main --entry-point-result=void --shared-libs=%{runner-libs} | FileCheck %s
// RUN: cat %s %S/Inputs/compare.mlir | spyre-opt --coarse-tile | FileCheck %s --check-prefix=TILED

#stick = #spyre.layout<(d0, d1, d2) -> (d1, d2 floordiv 64, d0, d2 mod 64)>
!t = tensor<2x4x128xf16, #stick>

// TILED-LABEL: func.func @f(
// TILED-COUNT-3: scf.for
// TILED:         spyre.mul
// TILED-SAME:      tensor<1x2x64xf16
func.func @f(%a: !t {spyre.dims = ["A", "B", "C"]}, %b: !t {spyre.dims = ["A", "B", "C"]}) -> !t {
  %y = spyre.add %a, %b tile [0: "C" in 2, 1: "A" in 2, 2: "B" in 2] : !t
  %z = spyre.mul %y, %a tile [0: "C" in 2, 1: "A" in 2, 2: "B" in 2] : !t
  return %z : !t
}

func.func @f_ref(%a: !t, %b: !t) -> !t {
  %y = spyre.add %a, %b : !t
  %z = spyre.mul %y, %a : !t
  return %z : !t
}

func.func @main() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %in1 = call @input_f16(%c8, %c128, %c1) : (index, index, index) -> tensor<?x?xf16>
  %in2 = call @input_f16(%c8, %c128, %c2) : (index, index, index) -> tensor<?x?xf16>
  %flat1 = tensor.cast %in1 : tensor<?x?xf16> to tensor<8x128xf16>
  %deep1 = tensor.expand_shape %flat1 [[0, 1], [2]] output_shape [2, 4, 128]
    : tensor<8x128xf16> into tensor<2x4x128xf16>
  %arg1 = tensor.cast %deep1 : tensor<2x4x128xf16> to !t
  %flat2 = tensor.cast %in2 : tensor<?x?xf16> to tensor<8x128xf16>
  %deep2 = tensor.expand_shape %flat2 [[0, 1], [2]] output_shape [2, 4, 128]
    : tensor<8x128xf16> into tensor<2x4x128xf16>
  %arg2 = tensor.cast %deep2 : tensor<2x4x128xf16> to !t
  %got = call @f(%arg1, %arg2) : (!t, !t) -> !t
  %want = call @f_ref(%arg1, %arg2) : (!t, !t) -> !t
  %got_plain = tensor.cast %got : !t to tensor<2x4x128xf16>
  %got_flat = tensor.collapse_shape %got_plain [[0, 1], [2]] : tensor<2x4x128xf16> into tensor<8x128xf16>
  %got_0 = tensor.cast %got_flat : tensor<8x128xf16> to tensor<?x?xf16>
  %want_plain = tensor.cast %want : !t to tensor<2x4x128xf16>
  %want_flat = tensor.collapse_shape %want_plain [[0, 1], [2]] : tensor<2x4x128xf16> into tensor<8x128xf16>
  %want_0 = tensor.cast %want_flat : tensor<8x128xf16> to tensor<?x?xf16>
  call @report_f16(%got_0, %want_0) : (tensor<?x?xf16>, tensor<?x?xf16>) -> ()
  // CHECK: mismatches: 0{{$}}
  // CHECK-NE!tT: checksum: 4198374{{$}}
  return
}

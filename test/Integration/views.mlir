// Permutations, reshapes and windows compute the same without layouts, with the layouts and the changes of layout that
// the passes choose, in tiles, and planned. The other side of the comparison is index arithmetic.

// RUN: cat %s %S/Inputs/compare.mlir | spyre-opt --convert-spyre-to-linalg=poison --spyre-lower-to-llvm \
// RUN:   | mlir-runner -e main --entry-point-result=void --shared-libs=%{runner-libs} | FileCheck %s
// RUN: cat %s %S/Inputs/compare.mlir | spyre-opt --spyre-propagate-layouts --spyre-optimize-restickify \
// RUN:   --spyre-insert-restickify --convert-spyre-to-linalg=poison --spyre-lower-to-llvm \
// RUN:   | mlir-runner -e main --entry-point-result=void --shared-libs=%{runner-libs} | FileCheck %s
// RUN: cat %s %S/Inputs/compare.mlir | spyre-opt --spyre-propagate-layouts --spyre-optimize-restickify \
// RUN:   --spyre-insert-restickify --coarse-tile --convert-spyre-to-linalg=poison --spyre-lower-to-llvm \
// RUN:   | mlir-runner -e main --entry-point-result=void --shared-libs=%{runner-libs} | FileCheck %s
// RUN: cat %s %S/Inputs/compare.mlir | spyre-opt --spyre-propagate-layouts --spyre-optimize-restickify \
// RUN:   --spyre-insert-restickify --coarse-tile --spyre-work-division --spyre-scratchpad-planning \
// RUN:   --convert-spyre-to-linalg=poison --spyre-lower-to-llvm \
// RUN:   | mlir-runner -e main --entry-point-result=void --shared-libs=%{runner-libs} | FileCheck %s
// RUN: cat %s %S/Inputs/compare.mlir | spyre-opt --spyre-propagate-layouts --spyre-optimize-restickify \
// RUN:   --spyre-insert-restickify --coarse-tile | FileCheck %s --check-prefix=TILED

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!a = tensor<128x256xf16, #stick>
!x = tensor<256x128xf16, #stick>
!r = tensor<64x64xf16, #stick>
!t = tensor<256x128xf16>
!w = tensor<64x64xf16>
!e = tensor<4x16x64xf16>
!p = tensor<16x4x64xf16>

// TILED-LABEL: func.func @f(
// TILED:         scf.for
// TILED:           scf.for
// TILED:             spyre.restickify {{.*}}tensor<128x64xf16
// TILED:             spyre.add
// TILED:             spyre.mul
func.func @f(%a: !a {spyre.dims = ["A", "B"]}, %x: !x {spyre.dims = ["B", "A"]}) -> !r {
  %t = spyre.permute %a [1, 0] : !a to !t
  %y = spyre.add %t, %x tile [0: "B" in 2, 1: "A" in 2] : (!t, !x) -> !t
  %z = spyre.mul %y, %x tile [0: "B" in 2, 1: "A" in 2] : (!t, !x) -> !t
  %w = tensor.extract_slice %z[3, 64] [64, 64] [1, 1] : !t to !w
  %n = spyre.neg %w : !w
  %e = tensor.expand_shape %n [[0, 1], [2]] output_shape [4, 16, 64] : !w into !e
  %p = spyre.permute %e [1, 0, 2] : !e to !p
  %c = tensor.collapse_shape %p [[0, 1], [2]] : !p into !w
  %r = spyre.copy %c : (!w) -> !r
  return %r : !r
}

func.func @f_ref(%a: !a, %x: !x) -> tensor<?x?xf16> {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %r = tensor.generate %c64, %c64 {
  ^bb0(%i: index, %j: index):
    %outer = arith.remui %i, %c4 : index
    %inner = arith.divui %i, %c4 : index
    %scaled = arith.muli %outer, %c16 : index
    %small = arith.addi %scaled, %inner : index
    %row = arith.addi %small, %c3 : index
    %column = arith.addi %j, %c64 : index
    %va = tensor.extract %a[%column, %row] : !a
    %vx = tensor.extract %x[%row, %column] : !x
    %sum = arith.addf %va, %vx : f16
    %product = arith.mulf %sum, %vx : f16
    %negative = arith.negf %product : f16
    tensor.yield %negative : f16
  } : tensor<?x?xf16>
  return %r : tensor<?x?xf16>
}

func.func @main() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %in1 = call @input_f16(%c128, %c256, %c1) : (index, index, index) -> tensor<?x?xf16>
  %in2 = call @input_f16(%c256, %c128, %c2) : (index, index, index) -> tensor<?x?xf16>
  %arg1 = tensor.cast %in1 : tensor<?x?xf16> to !a
  %arg2 = tensor.cast %in2 : tensor<?x?xf16> to !x
  %got = call @f(%arg1, %arg2) : (!a, !x) -> !r
  %want = call @f_ref(%arg1, %arg2) : (!a, !x) -> tensor<?x?xf16>
  %got_0 = tensor.cast %got : !r to tensor<?x?xf16>
  call @report_f16(%got_0, %want) : (tensor<?x?xf16>, tensor<?x?xf16>) -> ()
  // CHECK: mismatches: 0{{$}}
  // CHECK-NEXT: checksum: -119417731{{$}}
  return
}

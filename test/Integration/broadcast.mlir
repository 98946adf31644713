// Operands that lack a tiled dimension, or have extent 1 there, are read in the right windows.

// RUN: cat %s %S/Inputs/compare.mlir | spyre-opt --coarse-tile --convert-spyre-to-linalg=poison --spyre-lower-to-llvm \
// RUN:   | mlir-runner -e main --entry-point-result=void --shared-libs=%{runner-libs} | FileCheck %s
// RUN: cat %s %S/Inputs/compare.mlir | spyre-opt --coarse-tile | FileCheck %s --check-prefix=TILED

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<8x256xf16, #stick>
!row = tensor<1x256xf16, #stick>
!column = tensor<8x1xf16, #stick>

// TILED-LABEL: func.func @f(
// TILED:         scf.for
// TILED:           scf.for
// TILED-DAG:         tensor.extract_slice {{.*}}[0, %{{.*}}] [1, 64]
// TILED-DAG:         tensor.extract_slice {{.*}}[%{{.*}}, 0] [2, 1]
func.func @f(%a: !t {spyre.dims = ["A", "B"]}, %b: !row {spyre.dims = ["R", "B"]},
             %c: !column {spyre.dims = ["A", "C"]}) -> !t {
  %y = spyre.mul %a, %b tile [0: "A" in 4, 1: "B" in 4] : (!t, !row) -> !t
  %z = spyre.add %y, %c tile [0: "A" in 4, 1: "B" in 4] : (!t, !column) -> !t
  return %z : !t
}

func.func @f_ref(%a: !t, %b: !row, %c: !column) -> !t {
  %y = spyre.mul %a, %b : (!t, !row) -> !t
  %z = spyre.add %y, %c : (!t, !column) -> !t
  return %z : !t
}

func.func @main() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c256 = arith.constant 256 : index
  %in1 = call @input_f16(%c8, %c256, %c1) : (index, index, index) -> tensor<?x?xf16>
  %in2 = call @input_f16(%c1, %c256, %c2) : (index, index, index) -> tensor<?x?xf16>
  %in3 = call @input_f16(%c8, %c1, %c3) : (index, index, index) -> tensor<?x?xf16>
  %arg1 = tensor.cast %in1 : tensor<?x?xf16> to !t
  %arg2 = tensor.cast %in2 : tensor<?x?xf16> to !row
  %arg3 = tensor.cast %in3 : tensor<?x?xf16> to !column
  %got = call @f(%arg1, %arg2, %arg3) : (!t, !row, !column) -> !t
  %want = call @f_ref(%arg1, %arg2, %arg3) : (!t, !row, !column) -> !t
  %got_0 = tensor.cast %got : !t to tensor<?x?xf16>
  %want_0 = tensor.cast %want : !t to tensor<?x?xf16>
  call @report_f16(%got_0, %want_0) : (tensor<?x?xf16>, tensor<?x?xf16>) -> ()
  // CHECK: mismatches: 0{{$}}
  // CHECK-NEXT: checksum: 3570191{{$}}
  return
}

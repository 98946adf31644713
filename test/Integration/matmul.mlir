// A matrix product with a bias, tiled over rows and columns of the result.

// RUN: cat %s %S/Inputs/compare.mlir | spyre-opt --coarse-tile --convert-spyre-to-linalg=poison --spyre-lower-to-llvm \
// RUN:   | mlir-runner -e main --entry-point-result=void --shared-libs=%{runner-libs} | FileCheck %s
// RUN: cat %s %S/Inputs/compare.mlir | spyre-opt --coarse-tile | FileCheck %s --check-prefix=TILED

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!lhs = tensor<16x64xf16, #stick>
!rhs = tensor<64x128xf16, #stick>
!bias = tensor<1x128xf16, #stick>
!t = tensor<16x128xf16, #stick>

// TILED-LABEL: func.func @f(
// TILED-COUNT-2: scf.for
// TILED:         spyre.batchmatmul
// TILED-SAME:      (tensor<4x64xf16, {{.*}}>, tensor<64x64xf16, {{.*}}>) -> tensor<4x64xf16
func.func @f(%a: !lhs {spyre.dims = ["M", "K"]}, %b: !rhs {spyre.dims = ["K", "N"]},
             %c: !bias {spyre.dims = ["R", "N"]}) -> !t {
  %y = spyre.batchmatmul %a, %b tile [0: "M" in 4, 1: "N" in 2] : (!lhs, !rhs) -> !t
  %z = spyre.add %y, %c tile [0: "M" in 4, 1: "N" in 2] : (!t, !bias) -> !t
  return %z : !t
}

func.func @f_ref(%a: !lhs, %b: !rhs, %c: !bias) -> !t {
  %y = spyre.batchmatmul %a, %b : (!lhs, !rhs) -> !t
  %z = spyre.add %y, %c : (!t, !bias) -> !t
  return %z : !t
}

func.func @main() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %in1 = call @input_f16(%c16, %c64, %c1) : (index, index, index) -> tensor<?x?xf16>
  %in2 = call @input_f16(%c64, %c128, %c2) : (index, index, index) -> tensor<?x?xf16>
  %in3 = call @input_f16(%c1, %c128, %c3) : (index, index, index) -> tensor<?x?xf16>
  %arg1 = tensor.cast %in1 : tensor<?x?xf16> to !lhs
  %arg2 = tensor.cast %in2 : tensor<?x?xf16> to !rhs
  %arg3 = tensor.cast %in3 : tensor<?x?xf16> to !bias
  %got = call @f(%arg1, %arg2, %arg3) : (!lhs, !rhs, !bias) -> !t
  %want = call @f_ref(%arg1, %arg2, %arg3) : (!lhs, !rhs, !bias) -> !t
  %got_0 = tensor.cast %got : !t to tensor<?x?xf16>
  %want_0 = tensor.cast %want : !t to tensor<?x?xf16>
  call @report_f16(%got_0, %want_0) : (tensor<?x?xf16>, tensor<?x?xf16>) -> ()
  // CHECK: mismatches: 0{{$}}
  // CHECK-NEXT: checksum: 205978{{$}}
  return
}

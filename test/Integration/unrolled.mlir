// The unrolled form of a tiled program computes what the untiled program computes.

// RUN: cat %s %S/Inputs/compare.mlir | spyre-opt --coarse-tile --spyre-unroll-loops --convert-spyre-to-linalg=poison --spyre-lower-to-llvm \
// RUN:   | mlir-runner -e main --entry-point-result=void --shared-libs=%{runner-libs} | FileCheck %s
// RUN: cat %s %S/Inputs/compare.mlir | spyre-opt --coarse-tile --spyre-unroll-loops | FileCheck %s --check-prefix=UNROLLED

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<8x256xf16, #stick>

// UNROLLED-LABEL:     func.func @f(
// UNROLLED-NOT:         scf.for
// UNROLLED-COUNT-8:     spyre.mul {{.*}}tensor<4x64xf16
// UNROLLED-NOT:         spyre.mul
func.func @f(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]},
             %c: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 4] : !t
  %z = spyre.mul %y, %c tile [0: "A" in 2, 1: "B" in 4] : !t
  return %z : !t
}

// UNROLLED-LABEL:     func.func @f_ref(
func.func @f_ref(%a: !t, %b: !t, %c: !t) -> !t {
  %y = spyre.add %a, %b : !t
  %z = spyre.mul %y, %c : !t
  return %z : !t
}

func.func @main() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c256 = arith.constant 256 : index
  %in1 = call @input_f16(%c8, %c256, %c1) : (index, index, index) -> tensor<?x?xf16>
  %in2 = call @input_f16(%c8, %c256, %c2) : (index, index, index) -> tensor<?x?xf16>
  %in3 = call @input_f16(%c8, %c256, %c3) : (index, index, index) -> tensor<?x?xf16>
  %arg1 = tensor.cast %in1 : tensor<?x?xf16> to !t
  %arg2 = tensor.cast %in2 : tensor<?x?xf16> to !t
  %arg3 = tensor.cast %in3 : tensor<?x?xf16> to !t
  %got = call @f(%arg1, %arg2, %arg3) : (!t, !t, !t) -> !t
  %want = call @f_ref(%arg1, %arg2, %arg3) : (!t, !t, !t) -> !t
  %got_0 = tensor.cast %got : !t to tensor<?x?xf16>
  %want_0 = tensor.cast %want : !t to tensor<?x?xf16>
  call @report_f16(%got_0, %want_0) : (tensor<?x?xf16>, tensor<?x?xf16>) -> ()
  // CHECK: mismatches: 0{{$}}
  // CHECK-NEXT: checksum: -14713906{{$}}
  return
}

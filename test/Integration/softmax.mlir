// Softmax over columns, tiled over rows: reductions in a loop, no element off by a bit.

// RUN: cat %s %S/Inputs/compare.mlir | spyre-opt --coarse-tile --convert-spyre-to-linalg=poison --spyre-lower-to-llvm \
// RUN:   | mlir-runner -e main --entry-point-result=void --shared-libs=%{runner-libs} | FileCheck %s
// RUN: cat %s %S/Inputs/compare.mlir | spyre-opt --coarse-tile | FileCheck %s --check-prefix=TILED

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#sparse = #spyre.layout<(d0, d1) -> (0, d0, 0)>
!t = tensor<8x256xf16, #stick>
!column = tensor<8x1xf16, #sparse>

// TILED-LABEL: func.func @f(
// TILED:         scf.for
// TILED:           spyre.max {{.*}} dims [1] keepdim
// TILED-SAME:        tensor<4x256xf16
// TILED:           spyre.realdiv
func.func @f(%x: !t {spyre.dims = ["A", "B"]}) -> !t {
  %m = spyre.max %x dims [1] keepdim tile [0: "A" in 2] : (!t) -> !column
  %d = spyre.sub %x, %m tile [0: "A" in 2] : (!t, !column) -> !t
  %e = spyre.exp %d tile [0: "A" in 2] : !t
  %s = spyre.sum %e dims [1] keepdim tile [0: "A" in 2] : (!t) -> !column
  %p = spyre.realdiv %e, %s tile [0: "A" in 2] : (!t, !column) -> !t
  // So that the checksum sees something.
  %k = spyre.fill dense<16384.0> : !t
  %q = spyre.mul %p, %k : !t
  return %q : !t
}

func.func @f_ref(%x: !t) -> !t {
  %m = spyre.max %x dims [1] keepdim : (!t) -> !column
  %d = spyre.sub %x, %m : (!t, !column) -> !t
  %e = spyre.exp %d : !t
  %s = spyre.sum %e dims [1] keepdim : (!t) -> !column
  %p = spyre.realdiv %e, %s : (!t, !column) -> !t
  %k = spyre.fill dense<16384.0> : !t
  %q = spyre.mul %p, %k : !t
  return %q : !t
}

func.func @main() {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c256 = arith.constant 256 : index
  %in1 = call @input_f16(%c8, %c256, %c1) : (index, index, index) -> tensor<?x?xf16>
  %arg1 = tensor.cast %in1 : tensor<?x?xf16> to !t
  %got = call @f(%arg1) : (!t) -> !t
  %want = call @f_ref(%arg1) : (!t) -> !t
  %got_0 = tensor.cast %got : !t to tensor<?x?xf16>
  %want_0 = tensor.cast %want : !t to tensor<?x?xf16>
  call @report_f16(%got_0, %want_0) : (tensor<?x?xf16>, tensor<?x?xf16>) -> ()
  // CHECK: mismatches: 0{{$}}
  // CHECK-NEXT: checksum: 133623699{{$}}
  return
}

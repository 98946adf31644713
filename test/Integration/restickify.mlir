// A change of layout in a loop changes no value.

// RUN: cat %s %S/Inputs/compare.mlir | spyre-opt --coarse-tile --convert-spyre-to-linalg=poison --spyre-lower-to-llvm \
// RUN:   | mlir-runner -e main --entry-point-result=void --shared-libs=%{runner-libs} | FileCheck %s
// RUN: cat %s %S/Inputs/compare.mlir | spyre-opt --coarse-tile | FileCheck %s --check-prefix=TILED

#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#columns = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
!t = tensor<128x128xf16, #rows>
!u = tensor<128x128xf16, #columns>

// TILED-LABEL: func.func @f(
// TILED:         scf.for
// TILED:           spyre.restickify
// TILED-SAME:        tensor<64x128xf16
func.func @f(%a: !t {spyre.dims = ["A", "B"]}, %b: !u {spyre.dims = ["A", "B"]}) -> !u {
  %x = spyre.add %a, %a tile [0: "A" in 2] : !t
  %y = spyre.restickify %x tile [0: "A" in 2] : (!t) -> !u
  %z = spyre.mul %y, %b tile [0: "A" in 2] : !u
  return %z : !u
}

func.func @f_ref(%a: !t, %b: !u) -> !u {
  %x = spyre.add %a, %a : !t
  %y = spyre.restickify %x : (!t) -> !u
  %z = spyre.mul %y, %b : !u
  return %z : !u
}

func.func @main() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c128 = arith.constant 128 : index
  %in1 = call @input_f16(%c128, %c128, %c1) : (index, index, index) -> tensor<?x?xf16>
  %in2 = call @input_f16(%c128, %c128, %c2) : (index, index, index) -> tensor<?x?xf16>
  %arg1 = tensor.cast %in1 : tensor<?x?xf16> to !t
  %arg2 = tensor.cast %in2 : tensor<?x?xf16> to !u
  %got = call @f(%arg1, %arg2) : (!t, !u) -> !u
  %want = call @f_ref(%arg1, %arg2) : (!t, !u) -> !u
  %got_0 = tensor.cast %got : !u to tensor<?x?xf16>
  %want_0 = tensor.cast %want : !u to tensor<?x?xf16>
  call @report_f16(%got_0, %want_0) : (tensor<?x?xf16>, tensor<?x?xf16>) -> ()
  // CHECK: mismatches: 0{{$}}
  // CHECK-NEXT: checksum: -1610710928{{$}}
  return
}

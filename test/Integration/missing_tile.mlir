// The comparison of these tests finds a tile that nobody wrote: the loop stops one tile early, so two rows
// of 256 elements are still what `spyre.empty` was filled with.

// RUN: cat %s %S/Inputs/compare.mlir | spyre-opt --convert-spyre-to-linalg=poison --spyre-lower-to-llvm \
// RUN:   | mlir-runner -e main --entry-point-result=void --shared-libs=%{runner-libs} | FileCheck %s

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<8x256xf16, #stick>
!tile = tensor<2x256xf16, #stick>

func.func @f(%a: !t, %b: !t) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %init = spyre.empty : !t
  %z = scf.for %i = %c0 to %c3 step %c1 iter_args(%full = %init) -> (!t) {
    %row = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)
    %ta = tensor.extract_slice %a[%row, 0] [2, 256] [1, 1] : !t to !tile
    %tb = tensor.extract_slice %b[%row, 0] [2, 256] [1, 1] : !t to !tile
    %tz = spyre.add %ta, %tb : !tile
    %next = tensor.insert_slice %tz into %full[%row, 0] [2, 256] [1, 1] : !tile into !t
    scf.yield %next : !t
  }
  return %z : !t
}

func.func @f_ref(%a: !t, %b: !t) -> !t {
  %z = spyre.add %a, %b : !t
  return %z : !t
}

func.func @main() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c256 = arith.constant 256 : index
  %in1 = call @input_f16(%c8, %c256, %c1) : (index, index, index) -> tensor<?x?xf16>
  %in2 = call @input_f16(%c8, %c256, %c2) : (index, index, index) -> tensor<?x?xf16>
  %arg1 = tensor.cast %in1 : tensor<?x?xf16> to !t
  %arg2 = tensor.cast %in2 : tensor<?x?xf16> to !t
  %got = call @f(%arg1, %arg2) : (!t, !t) -> !t
  %want = call @f_ref(%arg1, %arg2) : (!t, !t) -> !t
  %got_0 = tensor.cast %got : !t to tensor<?x?xf16>
  %want_0 = tensor.cast %want : !t to tensor<?x?xf16>
  call @report_f16(%got_0, %want_0) : (tensor<?x?xf16>, tensor<?x?xf16>) -> ()
  // CHECK: mismatches: 512{{$}}
  // CHECK-NEXT: checksum: 6147{{$}}
  return
}

// Zeros beyond K change no bit of a matrix product. The other side of the comparison is a matrix product of upstream.

// RUN: cat %s %S/Inputs/compare.mlir | spyre-opt --convert-spyre-to-linalg=poison --spyre-lower-to-llvm \
// RUN:   | mlir-runner -e main --entry-point-result=void --shared-libs=%{runner-libs} | FileCheck %s
// RUN: cat %s %S/Inputs/compare.mlir | spyre-opt --spyre-pad-matmul --convert-spyre-to-linalg=poison \
// RUN:   --spyre-lower-to-llvm \
// RUN:   | mlir-runner -e main --entry-point-result=void --shared-libs=%{runner-libs} | FileCheck %s
// RUN: cat %s %S/Inputs/compare.mlir | spyre-opt --spyre-pad-matmul --spyre-propagate-layouts \
// RUN:   --spyre-optimize-restickify --spyre-insert-restickify --convert-spyre-to-linalg=poison --spyre-lower-to-llvm \
// RUN:   | mlir-runner -e main --entry-point-result=void --shared-libs=%{runner-libs} | FileCheck %s
// RUN: cat %s %S/Inputs/compare.mlir | spyre-opt --spyre-pad-matmul | FileCheck %s --check-prefix=PADDED

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!lhs = tensor<5x100xf16, #stick>
!rhs = tensor<100x70xf16, #stick>
!t = tensor<5x70xf16, #stick>

// PADDED-LABEL: func.func @f(
// PADDED:         spyre.fill dense<0.0{{.*}}> : tensor<28x70xf16
// PADDED:         tensor.insert_slice
// PADDED:         tensor.insert_slice
// PADDED-COUNT-2: spyre.batchmatmul {{.*}} (tensor<5x100xf16, {{.*}}>, tensor<128x70xf16, {{.*}}>)
func.func @f(%a: !lhs, %b: !rhs) -> !t {
  %y = spyre.batchmatmul %a, %b : (!lhs, !rhs) -> !t
  %n = spyre.neg %a : !lhs
  %z = spyre.batchmatmul %n, %b : (!lhs, !rhs) -> !t
  %d = spyre.sub %y, %z : !t
  return %d : !t
}

func.func @f_ref(%a: !lhs, %b: !rhs) -> tensor<?x?xf16> {
  %zero = arith.constant dense<0.0> : tensor<5x70xf32>
  %plain_a = tensor.cast %a : !lhs to tensor<?x?xf16>
  %plain_b = tensor.cast %b : !rhs to tensor<?x?xf16>
  %wide_a = arith.extf %plain_a : tensor<?x?xf16> to tensor<?x?xf32>
  %wide_b = arith.extf %plain_b : tensor<?x?xf16> to tensor<?x?xf32>
  %static_a = tensor.cast %wide_a : tensor<?x?xf32> to tensor<5x100xf32>
  %static_b = tensor.cast %wide_b : tensor<?x?xf32> to tensor<100x70xf32>
  %y = linalg.matmul ins(%static_a, %static_b : tensor<5x100xf32>, tensor<100x70xf32>)
         outs(%zero : tensor<5x70xf32>) -> tensor<5x70xf32>
  %d = arith.addf %y, %y : tensor<5x70xf32>
  %narrow = arith.truncf %d : tensor<5x70xf32> to tensor<5x70xf16>
  %r = tensor.cast %narrow : tensor<5x70xf16> to tensor<?x?xf16>
  return %r : tensor<?x?xf16>
}

func.func @main() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %c70 = arith.constant 70 : index
  %c100 = arith.constant 100 : index
  %in1 = call @input_f16(%c5, %c100, %c1) : (index, index, index) -> tensor<?x?xf16>
  %in2 = call @input_f16(%c100, %c70, %c2) : (index, index, index) -> tensor<?x?xf16>
  %arg1 = tensor.cast %in1 : tensor<?x?xf16> to !lhs
  %arg2 = tensor.cast %in2 : tensor<?x?xf16> to !rhs
  %got = call @f(%arg1, %arg2) : (!lhs, !rhs) -> !t
  %want = call @f_ref(%arg1, %arg2) : (!lhs, !rhs) -> tensor<?x?xf16>
  %got_0 = tensor.cast %got : !t to tensor<?x?xf16>
  call @report_f16(%got_0, %want) : (tensor<?x?xf16>, tensor<?x?xf16>) -> ()
  // CHECK: mismatches: 0{{$}}
  // CHECK-NEXT: checksum: -52838{{$}}
  return
}

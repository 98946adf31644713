// RUN: spyre-opt %s --canonicalize | FileCheck %s --check-prefix=CAST
// RUN: spyre-opt %s --canonicalize --spyre-fold-padding-casts | FileCheck %s --implicit-check-not=tensor.cast
// RUN: spyre-opt %s --spyre-pipeline --mlir-print-local-scope | FileCheck %s --check-prefix=BUNDLE

// Offsets that are constant make canonicalization cast windows of padded tensors. The casts are folded into the slice, and
// out of the insertion.

#s = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#p = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [2, 128, 64]>
!t = tensor<64x128xf16, #s>
!p = tensor<64x128xf16, #p>
!h = tensor<32x128xf16, #s>
// CAST: tensor.cast
// CHECK-LABEL: func.func @f
// CHECK: tensor.extract_slice %{{.*}}[32, 0] [32, 128] [1, 1] : tensor<64x128xf16, #[[P:.*]]> to tensor<32x128xf16, #[[S:.*]]>
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[32, 0] [32, 128] [1, 1] : tensor<32x128xf16, #[[S]]> into tensor<64x128xf16, #[[P]]>
// BUNDLE: "exp"
// BUNDLE-NEXT: <in arg 0 SEN169_FP16 [2, 128, 64], affine_map<(d0, d1) -> (d1 floordiv 64, d0 + 32, d1 mod 64)>
func.func @f(%a: !p) -> !p {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = spyre.empty : !p
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%acc = %e) -> (!p) {
    %row = affine.apply affine_map<(d0) -> (d0 * 32 + 32)>(%i)
    %ta = tensor.extract_slice %a[%row, 0] [32, 128] [1, 1] : !p to !h
    %0 = spyre.exp %ta : !h
    %n = tensor.insert_slice %0 into %acc[%row, 0] [32, 128] [1, 1] : !h into !p
    scf.yield %n : !p
  }
  return %r : !p
}

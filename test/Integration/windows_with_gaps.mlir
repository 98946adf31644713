// Windows that are shorter than the step between them. The last one ends inside of the tensor, though a whole step would not.

// RUN: spyre-run %s --entry=steps --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry=offsets --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry=written --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// CHECK: a bundle, same results on the simulated card

module {
func.func @steps(%a: tensor<256x128xf16>) -> tensor<50x128xf16> {
  %c0 = arith.constant 0 : index
  %c100 = arith.constant 100 : index
  %c256 = arith.constant 256 : index
  %z = spyre.fill dense<0.0> : tensor<50x128xf16>
  %r = scf.for %i = %c0 to %c256 step %c100 iter_args(%acc = %z) -> (tensor<50x128xf16>) {
    %t = tensor.extract_slice %a[%i, 0] [50, 128] [1, 1] : tensor<256x128xf16> to tensor<50x128xf16>
    %x = spyre.add %acc, %t : tensor<50x128xf16>
    scf.yield %x : tensor<50x128xf16>
  }
  return %r : tensor<50x128xf16>
}

func.func @offsets(%a: tensor<256x128xf16>) -> tensor<32x128xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %z = spyre.fill dense<0.0> : tensor<32x128xf16>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %z) -> (tensor<32x128xf16>) {
    %o = affine.apply affine_map<(d0) -> (d0 * 96)>(%i)
    %t = tensor.extract_slice %a[%o, 0] [32, 128] [1, 1] : tensor<256x128xf16> to tensor<32x128xf16>
    %x = spyre.add %acc, %t : tensor<32x128xf16>
    scf.yield %x : tensor<32x128xf16>
  }
  return %r : tensor<32x128xf16>
}

func.func @written(%a: tensor<256x128xf16>) -> tensor<256x128xf16> {
  %c0 = arith.constant 0 : index
  %c100 = arith.constant 100 : index
  %c256 = arith.constant 256 : index
  %r = scf.for %i = %c0 to %c256 step %c100 iter_args(%out = %a) -> (tensor<256x128xf16>) {
    %t = tensor.extract_slice %out[%i, 0] [50, 128] [1, 1] : tensor<256x128xf16> to tensor<50x128xf16>
    %x = spyre.abs %t : tensor<50x128xf16>
    %o = tensor.insert_slice %x into %out[%i, 0] [50, 128] [1, 1] : tensor<50x128xf16> into tensor<256x128xf16>
    scf.yield %o : tensor<256x128xf16>
  }
  return %r : tensor<256x128xf16>
}
}

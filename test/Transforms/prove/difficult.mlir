// The elements of a gather by 64 positions of no pattern are too difficult to name, and they are equal to those of the
// second gather. So the result is undecided, not refuted: the element that it has may be another name of the one before.

// RUN: spyre-opt %s --spyre-prove=before=%s -o /dev/null 2>&1 | FileCheck %s

//  CHECK-NOT: error:
//      CHECK: remark: spyre-prove: P2: 'gather' is not decided: the element of the program before is not determined
//      CHECK: remark: spyre-prove: P2: result 0 is not decided: the element of the program before is not determined
//      CHECK: 0 refuted

func.func public @f(%t0: tensor<7x128xi32>, %i: tensor<65xi32> {spyre.constant = dense<[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 5, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<65xi32>}) -> tensor<65x128xi32> {
  %t = spyre.bitcast %t0 : (tensor<7x128xi32>) -> tensor<7x128xf32>
  %a = tensor.extract_slice %i[0] [64] [1] : tensor<65xi32> to tensor<64xi32>
  %g1 = spyre.gather %a, %t dim 0 : (tensor<64xi32>, tensor<7x128xf32>) -> tensor<64x128xf32>
  %e = spyre.empty : tensor<65x128xf32>
  %x = tensor.insert_slice %g1 into %e[0, 0] [64, 128] [1, 1] : tensor<64x128xf32> into tensor<65x128xf32>
  %s = tensor.extract_slice %i[64] [1] [1] : tensor<65xi32> to tensor<1xi32>
  %c = spyre.copy %s : (tensor<1xi32>) -> tensor<2xi32>
  %g2 = spyre.gather %c, %t dim 0 : (tensor<2xi32>, tensor<7x128xf32>) -> tensor<2x128xf32>
  %r = tensor.extract_slice %g2[0, 0] [1, 128] [1, 1] : tensor<2x128xf32> to tensor<1x128xf32>
  %y = tensor.insert_slice %r into %x[64, 0] [1, 128] [1, 1] : tensor<1x128xf32> into tensor<65x128xf32>
  %b = spyre.bitcast %y : (tensor<65x128xf32>) -> tensor<65x128xi32>
  return %b : tensor<65x128xi32>
}

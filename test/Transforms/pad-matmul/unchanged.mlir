// RUN: spyre-opt %s > %t.input
// RUN: spyre-opt %s --spyre-pad-matmul | diff %t.input -

// Whole sticks of K, operands that are padded already, planned products, and extents that are not known.

#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>

func.func @whole(%a: tensor<100x256xf16>, %b: tensor<256x200xf16>, %c: tensor<4x100x32xf32>, %d: tensor<4x32x200xf32>) {
  %0 = spyre.batchmatmul %a, %b : (tensor<100x256xf16>, tensor<256x200xf16>) -> tensor<100x200xf16>
  %1 = spyre.batchmatmul %c, %d : (tensor<4x100x32xf32>, tensor<4x32x200xf32>) -> tensor<4x100x200xf32>
  return
}

func.func @padded(%a: tensor<100x300xf16, #rows>, %b: tensor<320x200xf16, #rows>) {
  %0 = spyre.batchmatmul %a, %b : (tensor<100x300xf16, #rows>, tensor<320x200xf16, #rows>) -> tensor<100x200xf16, #rows>
  return
}

func.func @planned(%a: tensor<100x300xf16, #rows>, %b: tensor<300x200xf16, #rows>) {
  %0 = spyre.batchmatmul %a, %b place lx 0 : (tensor<100x300xf16, #rows>, tensor<300x200xf16, #rows>) -> tensor<100x200xf16, #rows>
  return
}

func.func @dynamic(%a: tensor<100x?xf16>, %b: tensor<?x200xf16>, %c: tensor<?x300xf16>, %d: tensor<300x200xf16>) {
  %0 = spyre.batchmatmul %a, %b : (tensor<100x?xf16>, tensor<?x200xf16>) -> tensor<100x200xf16>
  %1 = spyre.batchmatmul %c, %d : (tensor<?x300xf16>, tensor<300x200xf16>) -> tensor<?x200xf16>
  return
}

func.func @nothing(%a: tensor<100x300xf16>) {
  %0 = spyre.exp %a : tensor<100x300xf16>
  return
}

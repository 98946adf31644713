// RUN: spyre-opt %s > %t.input
// RUN: spyre-opt %s --spyre-propagate-layouts | diff %t.input -
// RUN: spyre-opt %s --spyre-optimize-restickify | diff %t.input -
// RUN: spyre-opt %s --spyre-insert-restickify | diff %t.input -
// RUN: spyre-opt %s --spyre-pad-matmul | diff %t.input -

// What has nothing to decide comes out as it went in: programs in which every value has a layout, planned ones, and functions
// without device operations.

#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
!rows = tensor<128x256xf16, #rows>
!cols = tensor<128x256xf16, #cols>
!back = tensor<256x128xf16, #cols>

func.func private @declared(tensor<64x128xf16>) -> tensor<64x128xf16>

func.func @nothing() {
  return
}

func.func @host(%a: tensor<64x128xf16>, %n: index, %p: i1, %u: tensor<*xf64>) -> tensor<?x128xf16> {
  cf.cond_br %p, ^call, ^end
^call:
  %c = func.call @declared(%a) : (tensor<64x128xf16>) -> tensor<64x128xf16>
  cf.br ^end
^end:
  %d = tensor.empty(%n) : tensor<?x128xf16>
  return %d : tensor<?x128xf16>
}

func.func @decided(%a: !rows, %b: !cols, %n: index) -> !rows {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = spyre.restickify %b : (!cols) -> !rows
  %1 = spyre.add %a, %0 : !rows
  %2 = spyre.permute %1 [1, 0] : !rows to !back
  %3 = spyre.exp %2 : !back
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %1) -> !rows {
    %w = tensor.extract_slice %acc[0, 64] [128, 64] [1, 1] : !rows to tensor<128x64xf16, #rows>
    %v = spyre.exp %w : tensor<128x64xf16, #rows>
    %n1 = tensor.insert_slice %v into %acc[0, 64] [128, 64] [1, 1] : tensor<128x64xf16, #rows> into !rows
    scf.yield %n1 : !rows
  }
  return %r : !rows
}

func.func @planned(%a: tensor<64x128xf16>) -> tensor<64x128xf16> {
  %0 = spyre.exp %a split [2, 1] place pool 1024 : tensor<64x128xf16>
  %1 = spyre.neg %0 split [2, 1] place arg 1 : tensor<64x128xf16>
  return %1 : tensor<64x128xf16>
}

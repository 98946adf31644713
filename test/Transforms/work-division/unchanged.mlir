// RUN: spyre-opt %s > %t.input
// RUN: spyre-opt %s --spyre-work-division > %t.output
// RUN: diff %t.input %t.output

// Functions without device operations, and those that are divided already, come out as they went in.

func.func private @declared(tensor<64x128xf16>) -> tensor<64x128xf16>

func.func @host(%a: tensor<64x128xf16>, %n: index, %p: i1) -> tensor<?x128xf16> {
  cf.cond_br %p, ^call, ^end
^call:
  %c = func.call @declared(%a) : (tensor<64x128xf16>) -> tensor<64x128xf16>
  cf.br ^end
^end:
  %d = tensor.empty(%n) : tensor<?x128xf16>
  return %d : tensor<?x128xf16>
}

func.func @divided(%a: tensor<64x128xf16>) -> tensor<64x128xf16> {
  %0 = spyre.exp %a split [2, 1] : tensor<64x128xf16>
  return %0 : tensor<64x128xf16>
}

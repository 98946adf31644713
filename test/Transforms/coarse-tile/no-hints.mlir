// RUN: spyre-opt %s > %t.input
// RUN: spyre-opt %s --coarse-tile > %t.output
// RUN: diff %t.input %t.output

// A program without hints comes out as it went in, whatever else is in it.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<256x512xf16, #stick>

func.func private @declared(!t) -> !t

func.func @host(%a: !t {spyre.dims = ["A", "B"]}, %p: i1) -> !t {
  cf.cond_br %p, ^then, ^end(%a : !t)
^then:
  %y = spyre.exp %a : !t
  cf.br ^end(%y : !t)
^end(%r: !t):
  return %r : !t
}

func.func @kernel(%a: !t {spyre.dims = ["A", "B"]}, %p: i1) -> (!t, tensor<?x512xf16>) {
  %lb = arith.constant 0 : index
  %ub = arith.constant 4 : index
  %y = spyre.exp %a split [8, 4] place pool 0 : !t
  %s = spyre.sum %y dims [1] keepdim : (!t) -> tensor<256x1xf16>
  %n = arith.constant 2 : index
  %d = tensor.empty(%n) : tensor<?x512xf16>
  %u = spyre.exp %d : tensor<?x512xf16>
  %r = scf.if %p -> !t {
    %z = spyre.neg %y : !t
    scf.yield %z : !t
  } else {
    scf.yield %y : !t
  }
  %c = func.call @declared(%r) : (!t) -> !t
  return %c, %u : !t, tensor<?x512xf16>
}

// RUN: spyre-opt %s -o %t.before.mlir
// RUN: spyre-opt %s --spyre-choose-tiles 2>&1 | diff %t.before.mlir -

// Programs in which nothing is chosen stay as they are, and nothing is said.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<512x256xf16, #stick>

module attributes {spyre.target = #spyre.target<cores = 2, lx_bytes = 65536, lx_reserved_bytes = 0, lx_backend_percent = 0>} {

// One operation has nothing between it and others.
func.func @one(%x: !t) -> !t {
  %a = spyre.exp %x : !t
  return %a : !t
}

// Both values are used by others, so they are in device memory with tiles as well; nobody reads the first one again.
func.func @results(%x: !t) -> (!t, !t) {
  %a = spyre.exp %x : !t
  %b = spyre.neg %x : !t
  return %a, %b : !t, !t
}

// Operations in loops are left alone.
func.func @loop(%x: !t) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%v = %x) -> (!t) {
    %a = spyre.exp %v : !t
    %b = spyre.neg %a : !t
    scf.yield %b : !t
  }
  return %r : !t
}

// 1021 is a prime, 64 columns are one stick, and tiles of a row are too many.
func.func @prime(%x: tensor<1021x64xf16>) -> tensor<1021x64xf16> {
  %a = spyre.exp %x : tensor<1021x64xf16>
  %b = spyre.neg %a : tensor<1021x64xf16>
  return %b : tensor<1021x64xf16>
}

func.func private @declared(!t) -> !t

func.func @dynamic(%x: tensor<?x256xf16>) -> tensor<?x256xf16> {
  %a = spyre.exp %x : tensor<?x256xf16>
  %b = spyre.neg %a : tensor<?x256xf16>
  return %b : tensor<?x256xf16>
}

}

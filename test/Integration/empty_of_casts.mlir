// A tensor of which windows are written is laid out as what is written into it, also in the arrangements that casts and exx2 leave: no
// operation changes an arrangement, so there is no copy that could.

// RUN: spyre-run %s --entry in_a_loop --random-seed 1 --largest 1 --on=card --compare %s --compare-entry in_a_loop --tolerance 1e-2 --stats 2>&1 | FileCheck %s --implicit-check-not=warning
// RUN: spyre-run %s --entry two_windows --random-seed 2 --largest 1 --on=card --compare %s --compare-entry two_windows --tolerance 1e-2 --stats 2>&1 | FileCheck %s --implicit-check-not=warning
// RUN: spyre-run %s --entry columns --random-seed 3 --largest 1 --on=card --compare %s --compare-entry columns --tolerance 1e-2 --stats 2>&1 | FileCheck %s --implicit-check-not=warning
// RUN: spyre-run %s --entry pairs --random-seed 4 --largest 1 --on=card --compare %s --compare-entry pairs --tolerance 2e-2 --stats 2>&1 | FileCheck %s --implicit-check-not=warning
// RUN: spyre-opt %s --spyre-propagate-layouts --spyre-optimize-restickify --spyre-insert-restickify | FileCheck %s --check-prefix=LAYOUTS
// CHECK: host: 0 elements
// CHECK: result 0: 0 of

// LAYOUTS-DAG: #[[CAST:.*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32), arrangement = dl16_to_fp32>
// LAYOUTS-DAG: #[[PAIR:.*]] = #spyre.layout<{{.*}}arrangement = exx2>
// LAYOUTS-LABEL: func.func @in_a_loop(
// LAYOUTS:         spyre.empty : tensor<64x128xf32, #[[CAST]]>
func.func @in_a_loop(%x: tensor<64x128xf16>) -> tensor<64x128xf16> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c32 = arith.constant 32 : index
  %e = spyre.empty : tensor<64x128xf32>
  %r = scf.for %i = %c0 to %c64 step %c32 iter_args(%acc = %e) -> (tensor<64x128xf32>) {
    %s = tensor.extract_slice %x[%i, 0] [32, 128] [1, 1] : tensor<64x128xf16> to tensor<32x128xf16>
    %w = spyre.dl16tofp32 %s : (tensor<32x128xf16>) -> tensor<32x128xf32>
    %n = tensor.insert_slice %w into %acc[%i, 0] [32, 128] [1, 1] : tensor<32x128xf32> into tensor<64x128xf32>
    scf.yield %n : tensor<64x128xf32>
  }
  %q = spyre.exp %r : tensor<64x128xf32>
  %o = spyre.fp32todl16 %q : (tensor<64x128xf32>) -> tensor<64x128xf16>
  return %o : tensor<64x128xf16>
}

func.func @two_windows(%x: tensor<64x128xf16>, %y: tensor<64x128xf16>) -> tensor<128x128xf16> {
  %e = spyre.empty : tensor<128x128xf32>
  %w = spyre.dl16tofp32 %x : (tensor<64x128xf16>) -> tensor<64x128xf32>
  %v = spyre.dl16tofp32 %y : (tensor<64x128xf16>) -> tensor<64x128xf32>
  %n = tensor.insert_slice %w into %e[0, 0] [64, 128] [1, 1] : tensor<64x128xf32> into tensor<128x128xf32>
  %m = tensor.insert_slice %v into %n[64, 0] [64, 128] [1, 1] : tensor<64x128xf32> into tensor<128x128xf32>
  %q = spyre.exp %m : tensor<128x128xf32>
  %o = spyre.fp32todl16 %q : (tensor<128x128xf32>) -> tensor<128x128xf16>
  return %o : tensor<128x128xf16>
}

// Along the stick, in the pairs of sticks that hold the elements of one of 16 bits.
func.func @columns(%x: tensor<32x64xf16>, %y: tensor<32x128xf16>) -> tensor<32x192xf16> {
  %e = spyre.empty : tensor<32x192xf32>
  %w = spyre.dl16tofp32 %x : (tensor<32x64xf16>) -> tensor<32x64xf32>
  %v = spyre.dl16tofp32 %y : (tensor<32x128xf16>) -> tensor<32x128xf32>
  %n = tensor.insert_slice %w into %e[0, 0] [32, 64] [1, 1] : tensor<32x64xf32> into tensor<32x192xf32>
  %m = tensor.insert_slice %v into %n[0, 64] [32, 128] [1, 1] : tensor<32x128xf32> into tensor<32x192xf32>
  %q = spyre.exp %m : tensor<32x192xf32>
  %o = spyre.fp32todl16 %q : (tensor<32x192xf32>) -> tensor<32x192xf16>
  return %o : tensor<32x192xf16>
}

// LAYOUTS-LABEL: func.func @pairs(
// LAYOUTS:         spyre.empty : tensor<64x2xf16, #[[PAIR]]>
func.func @pairs(%x: tensor<64x128xf16>, %w: tensor<1x128xf16>, %b: tensor<1x128xf16>) -> tensor<64x128xf16> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c32 = arith.constant 32 : index
  %e = spyre.empty : tensor<64x2xf16>
  %r = scf.for %i = %c0 to %c64 step %c32 iter_args(%acc = %e) -> (tensor<64x2xf16>) {
    %s = tensor.extract_slice %x[%i, 0] [32, 128] [1, 1] : tensor<64x128xf16> to tensor<32x128xf16>
    %m = spyre.exx2 %s : (tensor<32x128xf16>) -> tensor<32x2xf16>
    %n = tensor.insert_slice %m into %acc[%i, 0] [32, 2] [1, 1] : tensor<32x2xf16> into tensor<64x2xf16>
    scf.yield %n : tensor<64x2xf16>
  }
  %s = spyre.layernormscale %r eps 1.0e-5 : (tensor<64x2xf16>) -> tensor<64x1xf16>
  %y = spyre.layernormnorm %x, %r, %s, %w, %b
    : (tensor<64x128xf16>, tensor<64x2xf16>, tensor<64x1xf16>, tensor<1x128xf16>, tensor<1x128xf16>) -> tensor<64x128xf16>
  return %y : tensor<64x128xf16>
}

// RUN: spyre-opt %s --spyre-copy-joined-parts | FileCheck %s
// RUN: spyre-opt %s --spyre-copy-joined-parts=host=true | FileCheck %s --check-prefix=HOST
// RUN: spyre-opt %s --spyre-copy-joined-parts | FileCheck %s --check-prefix=TILES

// Parts that no operation makes are copied, and so is the whole, which no operation reads.

// CHECK-LABEL: func.func @joined(
// CHECK:         %[[EMPTY:.+]] = spyre.empty
// CHECK:         %[[MADE:.+]] = spyre.exp
// CHECK:         %[[FIRST:.+]] = tensor.insert_slice %[[MADE]] into %[[EMPTY]]
// CHECK:         %[[COPY:.+]] = spyre.copy %arg1
// CHECK:         %[[BOTH:.+]] = tensor.insert_slice %[[COPY]] into %[[FIRST]]
// CHECK:         %[[WHOLE:.+]] = spyre.copy %[[BOTH]]
// CHECK:         return %[[WHOLE]]
// Functions that are not of the device are the host's.
// HOST-LABEL:  func.func @joined(
// HOST-NOT:      spyre.copy
// HOST:          return
func.func @joined(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]}, %b: tensor<?x64xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x128xf16>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %c0 = arith.constant 0 : index
  %s = tensor.dim %a, %c0 : tensor<?x64xf16>
  %e = spyre.empty(%s) : tensor<?x128xf16>
  %x = spyre.exp %a : tensor<?x64xf16>
  %0 = tensor.insert_slice %x into %e[0, 0] [%s, 64] [1, 1] : tensor<?x64xf16> into tensor<?x128xf16>
  %1 = tensor.insert_slice %b into %0[0, 64] [%s, 64] [1, 1] : tensor<?x64xf16> into tensor<?x128xf16>
  return %1 : tensor<?x128xf16>
}

// What repeats along the dimension is made of a part that has it.
// CHECK-LABEL: func.func @filled(
// CHECK:         %[[ONE:.+]] = spyre.fill dense<1.000000e+00> : tensor<1x64xf16>
// CHECK:         %[[ANY:.+]] = spyre.equal
// CHECK:         %[[ONES:.+]] = spyre.where3 %[[ANY]], %[[ONE]], %[[ONE]] : (tensor<?x1xi1>, tensor<1x64xf16>, tensor<1x64xf16>) -> tensor<?x64xf16>
// CHECK:         tensor.insert_slice %[[ONES]]
// CHECK-NOT:     (tensor<1x64xf16>) -> tensor<?x64xf16>
func.func @filled(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x128xf16>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %c0 = arith.constant 0 : index
  %s = tensor.dim %a, %c0 : tensor<?x64xf16>
  %e = spyre.empty(%s) : tensor<?x128xf16>
  %x = spyre.exp %a : tensor<?x64xf16>
  %f = spyre.fill dense<1.0> : tensor<1x64xf16>
  %r = spyre.copy %f {spyre.dims = ["S", "_untracked_64"]} : (tensor<1x64xf16>) -> tensor<?x64xf16>
  %0 = tensor.insert_slice %x into %e[0, 0] [%s, 64] [1, 1] : tensor<?x64xf16> into tensor<?x128xf16>
  %1 = tensor.insert_slice %r into %0[0, 64] [%s, 64] [1, 1] : tensor<?x64xf16> into tensor<?x128xf16>
  %y = spyre.neg %1 : tensor<?x128xf16>
  return %y : tensor<?x128xf16>
}

// A tile is put where it belongs: nothing is copied.
// TILES-LABEL: func.func @tiles(
// TILES-NOT:     spyre.copy
// TILES:         return
func.func @tiles(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x64xf16>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %s = tensor.dim %a, %c0 : tensor<?x64xf16>
  %e = spyre.empty(%s) : tensor<?x64xf16>
  %z = scf.for %i = %c0 to %s step %c64 iter_args(%acc = %e) -> (tensor<?x64xf16>) {
    %t = tensor.extract_slice %a[%i, 0] [64, 64] [1, 1] : tensor<?x64xf16> to tensor<64x64xf16>
    %n = spyre.neg %t : tensor<64x64xf16>
    %next = tensor.insert_slice %n into %acc[%i, 0] [64, 64] [1, 1] : tensor<64x64xf16> into tensor<?x64xf16>
    scf.yield %next : tensor<?x64xf16>
  }
  return %z : tensor<?x64xf16>
}

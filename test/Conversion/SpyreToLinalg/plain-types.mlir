// RUN: spyre-opt %s --convert-spyre-to-linalg | FileCheck %s
// RUN: spyre-opt %s --convert-spyre-to-linalg | %{mlir-opt} -o /dev/null

// Nothing of our dialect is left: stock mlir-opt reads the result.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<8x256xf16, #stick>
!tile = tensor<4x256xf16, #stick>

// CHECK-NOT: spyre
// CHECK:     module {
module attributes {spyre.target = #spyre.target<cores = 8>} {

// CHECK: func.func private @declared(tensor<8x256xf16>, index) -> (tensor<8x256xf16>, i32)
func.func private @declared(!t, index) -> (!t, i32)

// Attributes of other dialects stay.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME:      %[[A:.+]]: tensor<8x256xf16> {other.name = 1 : i32}) -> (tensor<8x256xf16> {other.name = 2 : i32}, tensor<?x64xf16>)
// CHECK:         %[[E:.+]] = tensor.empty() : tensor<8x256xf16>
// CHECK:         scf.for {{.*}} iter_args(%[[FULL:.+]] = %[[E]]) -> (tensor<8x256xf16>)
// CHECK:           %[[ROW:.+]] = affine.apply
// CHECK:           tensor.extract_slice %[[A]][%[[ROW]], 0] [4, 256] [1, 1] : tensor<8x256xf16> to tensor<4x256xf16>
// CHECK:           tensor.insert_slice %{{.+}} into %[[FULL]][%[[ROW]], 0] [4, 256] [1, 1] : tensor<4x256xf16> into tensor<8x256xf16>
// CHECK:           scf.yield %{{.+}} : tensor<8x256xf16>
func.func @loop(%a: !t {spyre.dims = ["A", "B"], spyre.place = #spyre.place<arg 0>, other.name = 1 : i32})
    -> (!t {spyre.place = #spyre.place<arg 1>, other.name = 2 : i32}, tensor<?x64xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %init = spyre.empty place arg 1 : !t
  %y = scf.for %i = %c0 to %c2 step %c1 iter_args(%full = %init) -> (!t) {
    %row = affine.apply affine_map<(d0) -> (d0 * 4)>(%i)
    %ta = tensor.extract_slice %a[%row, 0] [4, 256] [1, 1] : !t to !tile
    %ty = spyre.neg %ta split [4, 2] place window : !tile
    %next = tensor.insert_slice %ty into %full[%row, 0] [4, 256] [1, 1] : !tile into !t
    scf.yield %next : !t
  }
  // A dynamic extent is none of our business where no device operation is.
  %d = tensor.empty(%c2) : tensor<?x64xf16, #stick>
  %plain = tensor.cast %d : tensor<?x64xf16, #stick> to tensor<?x64xf16>
  return %y, %plain : !t, tensor<?x64xf16>
}

// Constants that have no layout stay what they are.
// CHECK-LABEL: func.func @constants(
// CHECK:         arith.constant dense<[1, 2]> : tensor<2xi32>
// CHECK:         arith.constant dense_resource<blob> : tensor<1xi32>
func.func @constants() -> (tensor<2xi32>, tensor<1xi32>) {
  %a = arith.constant dense<[1, 2]> : tensor<2xi32>
  %b = arith.constant dense_resource<blob> : tensor<1xi32>
  return %a, %b : tensor<2xi32>, tensor<1xi32>
}

// CHECK-LABEL: func.func @blocks(
// CHECK:         arith.constant dense<2.000000e+00> : tensor<8x256xf16>
// CHECK:         cf.br ^[[NEXT:.+]](%{{.+}} : tensor<8x256xf16>)
// CHECK:       ^[[NEXT]](%[[X:.+]]: tensor<8x256xf16>):
// CHECK:         call @declared(%[[X]], %{{.+}}) : (tensor<8x256xf16>, index) -> (tensor<8x256xf16>, i32)
func.func @blocks() -> !t {
  %n = arith.constant 3 : index
  %two = arith.constant dense<2.0> : !t
  cf.br ^next(%two : !t)
^next(%x: !t):
  %y:2 = call @declared(%x, %n) : (!t, index) -> (!t, i32)
  return %y#0 : !t
}
}

{-#
  dialect_resources: {
    builtin: { blob: "0x0400000001000000" }
  }
#-}

// RUN: spyre-opt %s --spyre-unroll-loops --canonicalize --split-input-file | FileCheck %s

// Two levels: offsets become constants, and each iteration writes into what the one before has written.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<128x256xf16, #stick>
!tile = tensor<64x128xf16, #stick>

// CHECK-LABEL: func.func @nest
// CHECK-SAME:    (%[[A:.*]]: tensor<128x256xf16, #{{.*}}>)
// CHECK-NOT:     scf.for
// CHECK:         %[[E:.*]] = spyre.empty
// CHECK:         %[[A0:.*]] = tensor.extract_slice %[[A]][0, 0] [64, 128] [1, 1]
// CHECK:         %[[Y0:.*]] = spyre.exp %[[A0]]
// CHECK:         %[[R0:.*]] = tensor.insert_slice %[[Y0]] into %[[E]][0, 0]
// CHECK:         %[[A1:.*]] = tensor.extract_slice %[[A]][0, 128] [64, 128] [1, 1]
// CHECK:         %[[Y1:.*]] = spyre.exp %[[A1]]
// CHECK:         %[[R1:.*]] = tensor.insert_slice %[[Y1]] into %[[R0]][0, 128]
// CHECK:         tensor.extract_slice %[[A]][64, 0] [64, 128] [1, 1]
// CHECK:         %[[R2:.*]] = tensor.insert_slice %{{.*}} into %[[R1]][64, 0]
// CHECK:         tensor.extract_slice %[[A]][64, 128] [64, 128] [1, 1]
// CHECK:         %[[R3:.*]] = tensor.insert_slice %{{.*}} into %[[R2]][64, 128]
// CHECK-NOT:     spyre.exp
// CHECK:         return %[[R3]]
func.func @nest(%a: !t) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %e = spyre.empty : !t
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%outer = %e) -> (!t) {
    %s = scf.for %j = %c0 to %c2 step %c1 iter_args(%inner = %outer) -> (!t) {
      %row = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
      %col = affine.apply affine_map<(d0) -> (d0 * 128)>(%j)
      %x = tensor.extract_slice %a[%row, %col] [64, 128] [1, 1] : !t to !tile
      %y = spyre.exp %x : !tile
      %n = tensor.insert_slice %y into %inner[%row, %col] [64, 128] [1, 1] : !tile into !t
      scf.yield %n : !t
    }
    scf.yield %s : !t
  }
  return %r : !t
}

// -----

// A loop that does not start at 0, one that does not step by 1, and one that never runs.

// CHECK-LABEL: func.func @bounds
// CHECK-SAME:    (%[[A:.*]]: tensor<256x64xf16>)
// CHECK:         tensor.extract_slice %[[A]][64, 0]
// CHECK:         tensor.extract_slice %[[A]][192, 0]
// CHECK-NOT:     tensor.extract_slice
// CHECK:         return
func.func @bounds(%a: tensor<256x64xf16>) -> tensor<64x64xf16> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %first = spyre.empty : tensor<64x64xf16>
  %r = scf.for %i = %c64 to %c256 step %c128 iter_args(%so_far = %first) -> (tensor<64x64xf16>) {
    %x = tensor.extract_slice %a[%i, 0] [64, 64] [1, 1] : tensor<256x64xf16> to tensor<64x64xf16>
    %y = spyre.add %x, %so_far : tensor<64x64xf16>
    scf.yield %y : tensor<64x64xf16>
  }
  %s = scf.for %i = %c64 to %c0 step %c128 iter_args(%so_far = %r) -> (tensor<64x64xf16>) {
    %y = spyre.exp %so_far : tensor<64x64xf16>
    scf.yield %y : tensor<64x64xf16>
  }
  return %s : tensor<64x64xf16>
}

// -----

// CHECK-LABEL: func.func @no_loop
// CHECK-NEXT:    spyre.exp
// CHECK-NEXT:    return
func.func @no_loop(%a: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %y = spyre.exp %a : tensor<64x64xf16>
  return %y : tensor<64x64xf16>
}

// Device operations become functions of the device, as few as the turns of host and device allow.

// RUN: spyre-opt %s --spyre-outline-device --canonicalize | FileCheck %s
// RUN: spyre-run %s --entry turns --random-seed 1 --on=card --compare %s --compare-entry turns 2>/dev/null | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry loop --random-seed 1 --on=card --stats --compare %s --compare-entry loop 2>&1 | FileCheck %s --check-prefix=LOOP
// RUN: spyre-run %s --entry shared --random-seed 1 --on=card --stats --compare %s --compare-entry shared 2>&1 | FileCheck %s --check-prefix=SHARED

// SAME: result 0: 0 of 512 elements differ
// SAME-NEXT: result 1: 0 of 512 elements differ

#id = affine_map<(d0, d1) -> (d0, d1)>

// The first and the third operation are one turn, though the host's stands between them.
// CHECK-LABEL: func.func @turns(
// CHECK-SAME:      %[[X:.+]]: tensor<8x64xf16> {spyre.dims = ["A", "B"]}) -> (tensor<8x64xf16>, tensor<8x64xf16>) attributes {spyre.host} {
// CHECK:         %[[HOST:.+]] = linalg.generic
// CHECK:         %[[FIRST:.+]]:2 = call @turns_device_0(%[[X]], %[[HOST]])
// CHECK:         return %[[FIRST]]#0, %[[FIRST]]#1
func.func @turns(%x: tensor<8x64xf16> {spyre.dims = ["A", "B"]}) -> (tensor<8x64xf16>, tensor<8x64xf16>) {
  %one = spyre.fill dense<1.0> : tensor<1x1xf16>
  %0 = spyre.exp %x : tensor<8x64xf16>
  %e = tensor.empty() : tensor<8x64xf16>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x64xf16>) outs(%e : tensor<8x64xf16>) {
  ^bb0(%in: f16, %out: f16):
    %bits = arith.fptosi %in : f16 to i32
    %one_bit = arith.constant 1 : i32
    %odd = arith.ori %bits, %one_bit : i32
    %r = arith.sitofp %odd : i32 to f16
    linalg.yield %r : f16
  } -> tensor<8x64xf16>
  %2 = spyre.add %0, %one : (tensor<8x64xf16>, tensor<1x1xf16>) -> tensor<8x64xf16>
  %3 = spyre.mul %2, %1 : tensor<8x64xf16>
  %4 = spyre.neg %3 : tensor<8x64xf16>
  return %2, %4 : tensor<8x64xf16>, tensor<8x64xf16>
}

// A counted loop in which the host computes nothing is the device's, whole.
// CHECK-LABEL: func.func @loop(
// CHECK-NOT:     scf.for
// CHECK:         %[[Y:.+]] = call @loop_device_0(%{{.+}}) : (tensor<4x64xf16>) -> tensor<4x64xf16>
// CHECK-NEXT:    return %[[Y]]
// LOOP-COUNT-1: @loop_device_0{{$}}
// LOOP: in 3 iterations of loops
// LOOP-NOT: @loop_device_0{{$}}
// LOOP: result 0: 0 of 256 elements differ
func.func @loop(%x: tensor<4x64xf16>) -> tensor<4x64xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<4x64xf16> {
    %0 = spyre.tanh %a : tensor<4x64xf16>
    %1 = spyre.add %0, %a : tensor<4x64xf16>
    scf.yield %1 : tensor<4x64xf16>
  }
  return %y : tensor<4x64xf16>
}

// Of a loop in which the host computes as well, the device's part becomes a function that runs in each iteration.
// CHECK-LABEL: func.func @shared(
// CHECK:         scf.for
// CHECK:           %[[HOST:.+]] = linalg.generic
// CHECK:           %[[Y:.+]] = func.call @shared_device_0(%[[HOST]]) : (tensor<4x64xf16>) -> tensor<4x64xf16>
// CHECK-NEXT:      scf.yield %[[Y]]
// SHARED-COUNT-3: @shared_device_0{{$}}
// SHARED: result 0: 0 of 256 elements differ
func.func @shared(%x: tensor<4x64xf16>) -> tensor<4x64xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<4x64xf16>
  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<4x64xf16> {
    %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<4x64xf16>) outs(%e : tensor<4x64xf16>) {
    ^bb0(%in: f16, %out: f16):
      %bits = arith.fptosi %in : f16 to i32
      %one_bit = arith.constant 1 : i32
      %odd = arith.ori %bits, %one_bit : i32
      %r = arith.sitofp %odd : i32 to f16
      linalg.yield %r : f16
    } -> tensor<4x64xf16>
    %0 = spyre.tanh %h : tensor<4x64xf16>
    %1 = spyre.add %0, %h : tensor<4x64xf16>
    %2 = spyre.mul %1, %0 : tensor<4x64xf16>
    scf.yield %2 : tensor<4x64xf16>
  }
  return %y : tensor<4x64xf16>
}

// Handing a row over to the device and back is as much as adding to it: it stays.
// CHECK-LABEL: func.func @small(
// CHECK-NOT:     call
// CHECK:         spyre.add
// CHECK:         return
func.func @small(%x: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %0 = math.absf %x : tensor<64xf32>
  %1 = spyre.add %0, %0 : tensor<64xf32>
  %2 = math.absf %1 : tensor<64xf32>
  return %2 : tensor<64xf32>
}

// A tensor that is put together of parts is not handed over before it has all of them.
// RUN: spyre-run %s --entry pad --random-seed 1 --on=card --compare %s --compare-entry pad 2>/dev/null | FileCheck %s --check-prefix=PAD
// PAD: result 0: 0 of 640 elements differ
// CHECK-LABEL: func.func @pad(
// CHECK:         %[[E:.+]] = call @pad_device_0(%{{.+}}) : (tensor<8x64xf32>) -> tensor<8x64xf32>
// CHECK:         %[[R:.+]] = linalg.generic
// CHECK:         call @pad_device_1(%[[R]]) : (tensor<8x64xf32>) -> tensor<10x64xf32>
func.func @pad(%x: tensor<8x64xf32>) -> tensor<10x64xf32> {
  %0 = spyre.exp %x : tensor<8x64xf32>
  %1 = spyre.add %0, %x : tensor<8x64xf32>
  %e = tensor.empty() : tensor<8x64xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %bits = arith.fptosi %in : f32 to i32
    %one_bit = arith.constant 1 : i32
    %odd = arith.ori %bits, %one_bit : i32
    %r = arith.sitofp %odd : i32 to f32
    linalg.yield %r : f32
  } -> tensor<8x64xf32>
  %empty = spyre.empty : tensor<10x64xf32>
  %rows = spyre.fill dense<1.0> : tensor<2x64xf32>
  %3 = tensor.insert_slice %rows into %empty[0, 0] [2, 64] [1, 1] : tensor<2x64xf32> into tensor<10x64xf32>
  %4 = tensor.insert_slice %2 into %3[2, 0] [8, 64] [1, 1] : tensor<8x64xf32> into tensor<10x64xf32>
  return %4 : tensor<10x64xf32>
}

// CHECK-LABEL: func.func private @turns_device_0(
// CHECK-SAME:      %{{.+}}: tensor<8x64xf16> {spyre.dims = ["A", "B"]}, %{{.+}}: tensor<8x64xf16>) -> (tensor<8x64xf16>, tensor<8x64xf16>) attributes {spyre.device} {
// CHECK-DAG:     spyre.exp
// CHECK-DAG:     spyre.fill dense<1.000000e+00>
// CHECK:         spyre.add
// CHECK:         spyre.mul
// CHECK:         spyre.neg

// CHECK-LABEL: func.func private @loop_device_0(
// CHECK:         spyre.tanh

// CHECK-LABEL: func.func private @pad_device_1(
// CHECK-SAME:      %[[R:.+]]: tensor<8x64xf32>)
// CHECK:         %[[ROWS:.+]] = tensor.insert_slice %{{.+}} into %{{.+}}[0, 0] [2, 64]
// CHECK:         tensor.insert_slice %[[R]] into %[[ROWS]][2, 0] [8, 64]

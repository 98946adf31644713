// Loops that count become scf.for from 0 in steps of 1, and offsets that are linear become affine.apply.

// RUN: spyre-opt %s --spyre-uplift-loops --canonicalize --cse | FileCheck %s
// RUN: spyre-run %s --entry while --random-seed 1 --check-pipeline='builtin.module(func.func(spyre-uplift-loops))' | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry bounds --random-seed 1 --check-pipeline='builtin.module(func.func(spyre-uplift-loops))' | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry nested --random-seed 1 --check-pipeline='builtin.module(func.func(spyre-uplift-loops))' | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry beside --random-seed 1 --check-pipeline='builtin.module(func.func(spyre-uplift-loops))' | FileCheck %s --check-prefix=SAME
// SAME: same results

#scalar = affine_map<() -> ()>

// CHECK: #[[WHILE:.+]] = affine_map<(d0) -> (d0 * 2)>
// CHECK-NEXT: #[[BACK:.+]] = affine_map<(d0) -> (d0 * -2 + 6)>
// CHECK-NEXT: #[[TWO:.+]] = affine_map<(d0, d1) -> (d0 * 4 + d1)>
// CHECK-NEXT: #[[BESIDE:.+]] = affine_map<(d0) -> (d0 * 3 + 1)>

// A while loop with a counter that is a tensor, and an offset that is clamped to its tensor.
// CHECK-LABEL: func.func @while(
// CHECK:         scf.for %[[I:[a-z0-9]+]] = %c0 to %c4 step %c1
// CHECK-SAME:      -> (tensor<2xf32>)
// CHECK-NEXT:      %[[AT:.+]] = affine.apply #[[WHILE]](%[[I]])
// CHECK-NEXT:      tensor.extract_slice %{{.+}}[%[[AT]]] [2] [1]
func.func @while(%x: tensor<8xf32>) -> tensor<2xf32> {
  %zero = arith.constant dense<0> : tensor<i32>
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %four = arith.constant 4 : i32
  %eight = arith.constant 8 : i32
  %none = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %init = arith.constant dense<0.0> : tensor<2xf32>
  %0:2 = scf.while (%i = %zero, %sum = %init) : (tensor<i32>, tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>) {
    %e = tensor.empty() : tensor<i1>
    %less = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%e : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %r = arith.cmpi slt, %in, %four : i32
      linalg.yield %r : i1
    } -> tensor<i1>
    %go = tensor.extract %less[] : tensor<i1>
    scf.condition(%go) %i, %sum : tensor<i32>, tensor<2xf32>
  } do {
  ^bb0(%i: tensor<i32>, %sum: tensor<2xf32>):
    %number = tensor.extract %i[] : tensor<i32>
    %offset = arith.muli %number, %two : i32
    %behind = arith.cmpi slt, %offset, %none : i32
    %back = arith.addi %offset, %eight : i32
    %chosen = arith.select %behind, %back, %offset : i32
    %index = arith.index_cast %chosen : i32 to index
    %low = arith.maxsi %index, %c0 : index
    %high = arith.minsi %low, %c6 : index
    %part = tensor.extract_slice %x[%high] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %next = linalg.sub ins(%part, %sum : tensor<2xf32>, tensor<2xf32>) outs(%init : tensor<2xf32>) -> tensor<2xf32>
    %e = tensor.empty() : tensor<i32>
    %more = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%e : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %r = arith.addi %in, %one : i32
      linalg.yield %r : i32
    } -> tensor<i32>
    scf.yield %more, %next : tensor<i32>, tensor<2xf32>
  }
  return %0#1 : tensor<2xf32>
}

// Bounds other than 0 and 1, of 32 bits; windows that move backwards.
// CHECK-LABEL: func.func @bounds(
// CHECK:         scf.for %[[I:[a-z0-9]+]] = %c0 to %c4 step %c1 iter_args
// CHECK-NEXT:      %[[AT:.+]] = affine.apply #[[BACK]](%[[I]])
// CHECK-NEXT:      tensor.extract_slice %{{.+}}[%[[AT]]] [2] [1]
func.func @bounds(%x: tensor<8xf32>) -> tensor<2xf32> {
  %from = arith.constant 2 : i32
  %to = arith.constant 9 : i32
  %by = arith.constant 2 : i32
  %eight = arith.constant 8 : i32
  %init = arith.constant dense<0.0> : tensor<2xf32>
  %0 = scf.for %i = %from to %to step %by iter_args(%sum = %init) -> tensor<2xf32> : i32 {
    %offset = arith.subi %eight, %i : i32
    %index = arith.index_cast %offset : i32 to index
    %part = tensor.extract_slice %x[%index] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %next = linalg.sub ins(%part, %sum : tensor<2xf32>, tensor<2xf32>) outs(%init : tensor<2xf32>) -> tensor<2xf32>
    scf.yield %next : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @nested(
// CHECK:         scf.for %[[I:[a-z0-9]+]] =
// CHECK:           scf.for %[[J:[a-z0-9]+]] =
// CHECK-NEXT:        %[[AT:.+]] = affine.apply #[[TWO]](%[[I]], %[[J]])
// CHECK-NEXT:        tensor.extract_slice %{{.+}}[%[[AT]]] [1] [1]
func.func @nested(%x: tensor<8xf32>) -> tensor<1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %init = arith.constant dense<0.0> : tensor<1xf32>
  %0 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %init) -> tensor<1xf32> {
    %1 = scf.for %j = %c0 to %c4 step %c1 iter_args(%b = %a) -> tensor<1xf32> {
      %rows = arith.muli %i, %c4 : index
      %offset = arith.addi %rows, %j : index
      %part = tensor.extract_slice %x[%offset] [1] [1] : tensor<8xf32> to tensor<1xf32>
      %next = linalg.sub ins(%part, %b : tensor<1xf32>, tensor<1xf32>) outs(%init : tensor<1xf32>) -> tensor<1xf32>
      scf.yield %next : tensor<1xf32>
    }
    scf.yield %1 : tensor<1xf32>
  }
  return %0 : tensor<1xf32>
}

// What else counts is computed from the number of the iteration, behind the loop as well.
// CHECK-LABEL: func.func @beside(
// CHECK:         %[[END:.+]] = arith.constant dense<10> : tensor<i32>
// CHECK:         scf.for %[[I:[a-z0-9]+]] = {{.*}} -> (tensor<2xf32>)
// CHECK-NEXT:      %[[AT:.+]] = affine.apply #[[BESIDE]](%[[I]])
// CHECK-NEXT:      tensor.extract_slice %{{.+}}[%[[AT]]] [2] [1]
// CHECK:         return %{{.+}}, %[[END]]
func.func @beside(%x: tensor<9xf32>) -> (tensor<2xf32>, tensor<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %init = arith.constant dense<0.0> : tensor<2xf32>
  %0:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%sum = %init, %at = %one) -> (tensor<2xf32>, i32) {
    %index = arith.index_cast %at : i32 to index
    %part = tensor.extract_slice %x[%index] [2] [1] : tensor<9xf32> to tensor<2xf32>
    %next = linalg.sub ins(%part, %sum : tensor<2xf32>, tensor<2xf32>) outs(%init : tensor<2xf32>) -> tensor<2xf32>
    %then = arith.addi %three, %at : i32
    scf.yield %next, %then : tensor<2xf32>, i32
  }
  %end = tensor.from_elements %0#1 : tensor<i32>
  return %0#0, %end : tensor<2xf32>, tensor<i32>
}

// Numbers that are no linear function: 8 bits hold 50 and 100, and no 150; and remainders, which nobody computes.
// CHECK-LABEL: func.func @wraps(
// CHECK:         scf.for %[[I:[a-z0-9]+]] =
// CHECK:           arith.muli %{{.+}}, %c50_i8
// CHECK:           %[[AT:.+]] = arith.minsi
// CHECK:           tensor.extract_slice %{{.+}}[%[[AT]]] [2] [1]
// CHECK:           %[[REST:.+]] = arith.remui %[[I]], %c4
// CHECK:           tensor.extract_slice %{{.+}}[%[[REST]]] [2] [1]
func.func @wraps(%x: tensor<8xf32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %fifty = arith.constant 50 : i8
  %init = arith.constant dense<0.0> : tensor<2xf32>
  %0 = scf.for %i = %c0 to %c6 step %c1 iter_args(%sum = %init) -> tensor<2xf32> {
    %small = arith.index_cast %i : index to i8
    %many = arith.muli %small, %fifty : i8
    %wide = arith.index_cast %many : i8 to index
    %low = arith.maxsi %wide, %c0 : index
    %at = arith.minsi %low, %c6 : index
    %part = tensor.extract_slice %x[%at] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %rest = arith.remui %i, %c4 : index
    %other = tensor.extract_slice %x[%rest] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %both = linalg.add ins(%part, %other : tensor<2xf32>, tensor<2xf32>) outs(%init : tensor<2xf32>) -> tensor<2xf32>
    %next = linalg.sub ins(%both, %sum : tensor<2xf32>, tensor<2xf32>) outs(%init : tensor<2xf32>) -> tensor<2xf32>
    scf.yield %next : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @unknown(
// CHECK:         scf.for %[[I:[a-z0-9]+]] = %c2 to %{{[a-z0-9]+}} step %c1
// CHECK:           %[[AT:.+]] = arith.muli %[[I]], %c2
// CHECK:           tensor.extract_slice %{{.+}}[%[[AT]]] [2] [1]
func.func @unknown(%x: tensor<8xf32>, %n: index) -> tensor<2xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %init = arith.constant dense<0.0> : tensor<2xf32>
  %0 = scf.for %i = %c2 to %n step %c1 iter_args(%sum = %init) -> tensor<2xf32> {
    %offset = arith.muli %i, %c2 : index
    %part = tensor.extract_slice %x[%offset] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %next = linalg.sub ins(%part, %sum : tensor<2xf32>, tensor<2xf32>) outs(%init : tensor<2xf32>) -> tensor<2xf32>
    scf.yield %next : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}

// More iterations than are computed: 200 by 200.
// CHECK-LABEL: func.func @many(
// CHECK-NOT:     affine.apply
// CHECK:         return
func.func @many(%x: tensor<8xf32>) -> tensor<1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c200 = arith.constant 200 : index
  %init = arith.constant dense<0.0> : tensor<1xf32>
  %0 = scf.for %i = %c0 to %c200 step %c1 iter_args(%a = %init) -> tensor<1xf32> {
    %1 = scf.for %j = %c0 to %c200 step %c1 iter_args(%b = %a) -> tensor<1xf32> {
      %sum = arith.addi %i, %j : index
      %offset = arith.andi %sum, %c7 : index
      %part = tensor.extract_slice %x[%offset] [1] [1] : tensor<8xf32> to tensor<1xf32>
      %next = linalg.sub ins(%part, %b : tensor<1xf32>, tensor<1xf32>) outs(%init : tensor<1xf32>) -> tensor<1xf32>
      scf.yield %next : tensor<1xf32>
    }
    scf.yield %1 : tensor<1xf32>
  }
  return %0 : tensor<1xf32>
}

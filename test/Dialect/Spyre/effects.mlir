// RUN: spyre-opt %s --cse | FileCheck %s --check-prefix=CSE
// RUN: spyre-opt %s --canonicalize | FileCheck %s --check-prefix=DCE
// RUN: spyre-opt %s --loop-invariant-code-motion | FileCheck %s --check-prefix=LICM
// RUN: spyre-opt %s --symbol-dce | FileCheck %s --check-prefix=SYMBOL

// An operation on values is pure. Once its result has a place, it writes that
// place: it may be neither merged, nor removed, nor moved out of a loop. Each
// class of operation is here once.

//===----------------------------------------------------------------------===//
// Equal operations
//===----------------------------------------------------------------------===//

// A view has no place, so it is always pure.
// CSE-LABEL: func.func @views(
// DCE-LABEL: func.func @views(
// LICM-LABEL: func.func @views(
func.func @views(%x: tensor<64x128xf16>, %n: index) -> (tensor<128x64xf16>, tensor<128x64xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CSE: %[[P:.*]] = spyre.permute %{{.*}} [1, 0]
  // CSE-NOT: spyre.permute %arg0 [1, 0]
  // CSE: return %[[P]], %[[P]]
  %0 = spyre.permute %x [1, 0] : tensor<64x128xf16> to tensor<128x64xf16>
  %1 = spyre.permute %x [1, 0] : tensor<64x128xf16> to tensor<128x64xf16>
  // DCE-COUNT-2: spyre.permute %arg0 [1, 0]
  // DCE-NOT: spyre.permute
  // DCE: return
  // LICM-COUNT-4: spyre.permute
  // LICM-NEXT: scf.for
  // LICM-NEXT: }
  %2 = spyre.permute %0 [1, 0] : tensor<128x64xf16> to tensor<64x128xf16>
  scf.for %i = %c0 to %n step %c1 {
    %3 = spyre.permute %1 [1, 0] : tensor<128x64xf16> to tensor<64x128xf16>
  }
  return %0, %1 : tensor<128x64xf16>, tensor<128x64xf16>
}

// CSE-LABEL: func.func @merge_values(
func.func @merge_values(%x: tensor<64x64xf16>, %c: tensor<64x64xi1>) {
  // CSE-NEXT: %[[U:.*]] = spyre.exp
  // CSE-NEXT: %[[B:.*]] = spyre.add
  // CSE-NEXT: %[[C:.*]] = spyre.equal
  // CSE-NEXT: %[[W:.*]] = spyre.where3
  // CSE-NEXT: %[[N:.*]] = spyre.dl16tofp32
  // CSE-NEXT: %[[R:.*]] = spyre.sum
  // CSE-NEXT: %[[K:.*]] = spyre.topkvalue
  // CSE-NEXT: %[[M:.*]] = spyre.batchmatmul
  // CSE-NEXT: %[[F:.*]] = spyre.fill
  // CSE-NEXT: call @use(%[[U]], %[[U]], %[[B]], %[[B]], %[[C]], %[[C]], %[[W]], %[[W]], %[[N]], %[[N]], %[[R]], %[[R]], %[[K]], %[[K]], %[[M]], %[[M]], %[[F]], %[[F]])
  %u0 = spyre.exp %x : tensor<64x64xf16>
  %u1 = spyre.exp %x : tensor<64x64xf16>
  %b0 = spyre.add %x, %x : tensor<64x64xf16>
  %b1 = spyre.add %x, %x : tensor<64x64xf16>
  %c0 = spyre.equal %x, %x : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xi1>
  %c1 = spyre.equal %x, %x : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xi1>
  %w0 = spyre.where3 %c, %x, %b0 : (tensor<64x64xi1>, tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  %w1 = spyre.where3 %c, %x, %b0 : (tensor<64x64xi1>, tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  %n0 = spyre.dl16tofp32 %x : (tensor<64x64xf16>) -> tensor<64x64xf32>
  %n1 = spyre.dl16tofp32 %x : (tensor<64x64xf16>) -> tensor<64x64xf32>
  %r0 = spyre.sum %x dims [0] : (tensor<64x64xf16>) -> tensor<64xf16>
  %r1 = spyre.sum %x dims [0] : (tensor<64x64xf16>) -> tensor<64xf16>
  %k0 = spyre.topkvalue %x dim 1 k 64 : tensor<64x64xf16>
  %k1 = spyre.topkvalue %x dim 1 k 64 : tensor<64x64xf16>
  %m0 = spyre.batchmatmul %x, %x : tensor<64x64xf16>
  %m1 = spyre.batchmatmul %x, %x : tensor<64x64xf16>
  %f0 = spyre.fill dense<1.0> : tensor<64x64xf16>
  %f1 = spyre.fill dense<1.0> : tensor<64x64xf16>
  func.call @use(%u0, %u1, %b0, %b1, %c0, %c1, %w0, %w1, %n0, %n1, %r0, %r1, %k0, %k1, %m0, %m1, %f0, %f1)
    : (tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xi1>, tensor<64x64xi1>,
       tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64xf16>, tensor<64xf16>,
       tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>) -> ()
  return
}
func.func private @use(
  tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xi1>, tensor<64x64xi1>,
  tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64xf16>, tensor<64xf16>,
  tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>)

// Hints are part of the request: operations that differ in them stay two.
// CSE-LABEL: func.func @keep_other_hints(
func.func @keep_other_hints(%x: tensor<64x64xf16>) -> (tensor<64x64xf16>, tensor<64x64xf16>) {
  // CSE-NEXT: spyre.exp {{.*}} tile [0: "A" in 2]
  // CSE-NEXT: spyre.exp {{.*}} tile [0: "A" in 4]
  %0 = spyre.exp %x tile [0: "A" in 2] : tensor<64x64xf16>
  %1 = spyre.exp %x tile [0: "A" in 4] : tensor<64x64xf16>
  return %0, %1 : tensor<64x64xf16>, tensor<64x64xf16>
}

// Two writes of one place are two writes, and two allocations are two tensors.
// CSE-LABEL: func.func @keep_writes_and_allocations(
func.func @keep_writes_and_allocations(%x: tensor<64x64xf16>)
    -> (tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>) {
  // CSE-COUNT-2: spyre.exp {{.*}} place lx 0
  // CSE-COUNT-2: spyre.empty
  %0 = spyre.exp %x place lx 0 : tensor<64x64xf16>
  %1 = spyre.exp %x place lx 0 : tensor<64x64xf16>
  %2 = spyre.empty : tensor<64x64xf16>
  %3 = spyre.empty : tensor<64x64xf16>
  return %0, %1, %2, %3 : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>
}

//===----------------------------------------------------------------------===//
// Unused operations
//===----------------------------------------------------------------------===//

// DCE-LABEL: func.func @remove_unused_values(
func.func @remove_unused_values(%x: tensor<64x64xf16>, %c: tensor<64x64xi1>) {
  // DCE-NEXT: return
  %0 = spyre.exp %x : tensor<64x64xf16>
  %1 = spyre.add %x, %x tile [0: "A" in 2] : tensor<64x64xf16>
  %2 = spyre.equal %x, %x split [2, 1] : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xi1>
  %3 = spyre.where3 %c, %x, %0 : (tensor<64x64xi1>, tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  %4 = spyre.dl16tofp32 %x : (tensor<64x64xf16>) -> tensor<64x64xf32>
  %5 = spyre.sum %x dims [0] : (tensor<64x64xf16>) -> tensor<64xf16>
  %6 = spyre.topkvalue %x dim 1 k 64 : tensor<64x64xf16>
  %7 = spyre.batchmatmul %x, %x : tensor<64x64xf16>
  %8 = spyre.fill dense<1.0> : tensor<64x64xf16>
  %9 = spyre.copy %x : tensor<64x64xf16>
  // An allocation that nobody uses.
  %10 = spyre.empty : tensor<64x64xf16>
  %11 = spyre.empty place pool 0 : tensor<64x64xf16>
  return
}

// DCE-LABEL: func.func @keep_unused_writes(
func.func @keep_unused_writes(%x: tensor<64x64xf16>, %c: tensor<64x64xi1>) {
  // DCE-NEXT: spyre.exp
  // DCE-NEXT: spyre.add
  // DCE-NEXT: spyre.equal
  // DCE-NEXT: spyre.where3
  // DCE-NEXT: spyre.dl16tofp32
  // DCE-NEXT: spyre.sum
  // DCE-NEXT: spyre.topkvalue
  // DCE-NEXT: spyre.batchmatmul
  // DCE-NEXT: spyre.copy
  // DCE-NEXT: return
  %0 = spyre.exp %x place lx 0 : tensor<64x64xf16>
  %1 = spyre.add %x, %x place pool 0 : tensor<64x64xf16>
  %2 = spyre.equal %x, %x place arg 1 : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xi1>
  %3 = spyre.where3 %c, %x, %0 place window : (tensor<64x64xi1>, tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  %4 = spyre.dl16tofp32 %x place lx 0 : (tensor<64x64xf16>) -> tensor<64x64xf32>
  %5 = spyre.sum %x dims [0] place lx 0 : (tensor<64x64xf16>) -> tensor<64xf16>
  %6 = spyre.topkvalue %x dim 1 k 64 place lx 0 : tensor<64x64xf16>
  %7 = spyre.batchmatmul %x, %x place lx 0 : tensor<64x64xf16>
  %8 = spyre.copy %x place lx 0 : tensor<64x64xf16>
  return
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

// LICM-LABEL: func.func @hoist_values(
// LICM-SAME: %[[X:.*]]: tensor
func.func @hoist_values(%x: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // LICM: spyre.exp %[[X]]
  // LICM-NEXT: spyre.batchmatmul
  // LICM-NEXT: scf.for
  // LICM-NEXT: spyre.add
  // LICM-NEXT: scf.yield
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %x) -> tensor<64x64xf16> {
    %0 = spyre.exp %x : tensor<64x64xf16>
    %1 = spyre.batchmatmul %0, %x : tensor<64x64xf16>
    %2 = spyre.add %1, %acc : tensor<64x64xf16>
    scf.yield %2 : tensor<64x64xf16>
  }
  return %r : tensor<64x64xf16>
}

// LICM-LABEL: func.func @keep_writes_in_loops(
func.func @keep_writes_in_loops(%x: tensor<64x64xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // LICM: scf.for
  // LICM-NEXT: spyre.exp {{.*}} place lx 0
  // LICM-NEXT: spyre.batchmatmul {{.*}} place pool 0
  // LICM-NEXT: spyre.empty
  // LICM-NEXT: func.call @touch
  scf.for %i = %c0 to %c4 step %c1 {
    %0 = spyre.exp %x place lx 0 : tensor<64x64xf16>
    %1 = spyre.batchmatmul %0, %x place pool 0 : tensor<64x64xf16>
    %2 = spyre.empty : tensor<64x64xf16>
    func.call @touch(%1, %2) : (tensor<64x64xf16>, tensor<64x64xf16>) -> ()
  }
  return
}
func.func private @touch(tensor<64x64xf16>, tensor<64x64xf16>)

//===----------------------------------------------------------------------===//
// OpSpecs
//===----------------------------------------------------------------------===//

// A bundle names an OpSpec by its file name, which is no use of the symbol. So
// it is public unless somebody says that it may go.
// SYMBOL: sdscbundle.op_spec @sdsc_0
// SYMBOL-NOT: sdscbundle.op_spec
sdscbundle.op_spec @sdsc_0 "exp" space [] args [<out arg 0 SEN169_FP16 [1, 64], () -> (0, 0)>]
sdscbundle.op_spec "private" @unused "exp" space [] args [<out arg 0 SEN169_FP16 [1, 64], () -> (0, 0)>]

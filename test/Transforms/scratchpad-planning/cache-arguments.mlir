// RUN: spyre-opt %s --spyre-scratchpad-planning=cache-arguments=true --spyre-verify-plan | FileCheck %s
// RUN: spyre-run %s --entry twice --check-pipeline='builtin.module(func.func(spyre-scratchpad-planning{cache-arguments=true}),convert-spyre-to-sdscbundle)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry in_a_loop --check-pipeline='builtin.module(func.func(spyre-scratchpad-planning{cache-arguments=true}),convert-spyre-to-sdscbundle)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry window --check-pipeline='builtin.module(func.func(spyre-scratchpad-planning{cache-arguments=true}),convert-spyre-to-sdscbundle)' | FileCheck %s --check-prefix=CARD

// CARD: a bundle, same results on the simulated card

// Arguments that are read more than once are copied into the scratchpad, where there is room.

!t = tensor<64x64xf16>
!x = tensor<256x64xf16>
module attributes {spyre.target = #spyre.target<cores = 2, lx_bytes = 8192, lx_reserved_bytes = 0, lx_backend_percent = 0>} {

// CHECK-LABEL: func.func @twice
// CHECK-NEXT:  %[[C:.+]] = spyre.copy %arg0 split [2, 1] place lx
// CHECK-NEXT:  %[[E:.+]] = spyre.exp %[[C]]
// CHECK-NEXT:  spyre.add %[[E]], %[[C]]
func.func @twice(%a: !t) -> !t {
  %0 = spyre.exp %a split [2, 1] : !t
  %1 = spyre.add %0, %a split [2, 1] : !t
  return %1 : !t
}

// CHECK-LABEL: func.func @once
// CHECK-NOT:   spyre.copy
func.func @once(%a: !t) -> !t {
  %0 = spyre.exp %a split [2, 1] : !t
  return %0 : !t
}

// Read in every iteration, copied once. The window changes in each.
// CHECK-LABEL: func.func @in_a_loop
// CHECK:       %[[C:.+]] = spyre.copy %arg0 split [2, 1] place lx
// CHECK:       scf.for
// CHECK-NOT:   spyre.copy
// CHECK:       spyre.add %{{.+}}, %[[C]]
func.func @in_a_loop(%a: !t, %x: !x) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %full = spyre.empty : !x
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %full) -> !x {
    %at = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %w = tensor.extract_slice %x[%at, 0] [64, 64] [1, 1] : !x to !t
    %s = spyre.add %w, %a split [2, 1] : !t
    %m = tensor.insert_slice %s into %acc[%at, 0] [64, 64] [1, 1] : !t into !x
    scf.yield %m : !x
  }
  return %r : !x
}

// CHECK-LABEL: func.func @window
// CHECK:       scf.for
// CHECK:       %[[W:.+]] = tensor.extract_slice %arg0
// CHECK-NEXT:  %[[C:.+]] = spyre.copy %[[W]] split [2, 1] place lx
// CHECK-NEXT:  %[[E:.+]] = spyre.exp %[[C]]
// CHECK-NEXT:  spyre.add %[[C]], %[[E]] split [2, 1] place window
func.func @window(%x: !x) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %full = spyre.empty : !x
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %full) -> !x {
    %at = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %w = tensor.extract_slice %x[%at, 0] [64, 64] [1, 1] : !x to !t
    %e = spyre.exp %w split [2, 1] : !t
    %s = spyre.add %w, %e split [2, 1] : !t
    %m = tensor.insert_slice %s into %acc[%at, 0] [64, 64] [1, 1] : !t into !x
    scf.yield %m : !x
  }
  return %r : !x
}

// Readers that cut it in different ways, and one that has no room, read device memory.
// CHECK-LABEL: func.func @apart
// CHECK-NOT:   spyre.copy
func.func @apart(%a: !t) -> (!t, !t) {
  %0 = spyre.exp %a split [2, 1] : !t
  %1 = spyre.neg %a split [1, 1] : !t
  return %0, %1 : !t, !t
}

// CHECK-LABEL: func.func @too_large
// CHECK-NOT:   spyre.copy
func.func @too_large(%x: !x) -> (!x, !x) {
  %0 = spyre.exp %x split [2, 1] : !x
  %1 = spyre.neg %x split [2, 1] : !x
  return %0, %1 : !x, !x
}
}

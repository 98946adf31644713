// RUN: spyre-opt %s --spyre-scratchpad-planning | FileCheck %s

// Addresses in the scratchpad follow the lives of the values. Everything here is 256 x 512 x 2 bytes over 32 cores:
// 8192 bytes for each.

!t = tensor<256x512xf16>

// A value lives from the operation that makes it to the last that reads it, and both count: an operation never writes
// over what it reads. After that the address is free.
// CHECK-LABEL: func.func @reused_after_the_last_use
// CHECK-SAME:    (%arg0: tensor<256x512xf16> {spyre.place = #spyre.place<arg 0>})
// CHECK:       %[[Y0:.+]] = spyre.exp %arg0 split [32, 1] place lx 0
// CHECK-NEXT:  %[[Y1:.+]] = spyre.neg %[[Y0]] split [32, 1] place lx 8192
// CHECK-NEXT:  %[[Y2:.+]] = spyre.abs %[[Y1]] split [32, 1] place lx 0
// CHECK-NEXT:  spyre.sqrt %[[Y2]] split [32, 1] place arg 1
func.func @reused_after_the_last_use(%a: !t) -> !t {
  %0 = spyre.exp %a split [32, 1] : !t
  %1 = spyre.neg %0 split [32, 1] : !t
  %2 = spyre.abs %1 split [32, 1] : !t
  %3 = spyre.sqrt %2 split [32, 1] : !t
  return %3 : !t
}

// A value that is read again later keeps its address to itself.
// CHECK-LABEL: func.func @kept_until_the_last_use
// CHECK:       %[[Y0:.+]] = spyre.exp %arg0 split [32, 1] place lx 16384
// CHECK-NEXT:  %[[Y1:.+]] = spyre.neg %[[Y0]] split [32, 1] place lx 0
// CHECK-NEXT:  %[[Y2:.+]] = spyre.abs %[[Y1]] split [32, 1] place lx 8192
// CHECK-NEXT:  %[[Y3:.+]] = spyre.sqrt %[[Y2]] split [32, 1] place lx 0
// CHECK-NEXT:  spyre.add %[[Y3]], %[[Y0]] split [32, 1] place arg 1
func.func @kept_until_the_last_use(%a: !t) -> !t {
  %0 = spyre.exp %a split [32, 1] : !t
  %1 = spyre.neg %0 split [32, 1] : !t
  %2 = spyre.abs %1 split [32, 1] : !t
  %3 = spyre.sqrt %2 split [32, 1] : !t
  %4 = spyre.add %3, %0 split [32, 1] : !t
  return %4 : !t
}

// A value that lives across a loop keeps its address from those in the loop, which have 2048 bytes.
// CHECK-LABEL: func.func @across_a_loop
// CHECK:       %[[Y:.+]] = spyre.exp %arg0 split [32, 1] place lx 2048
// CHECK:       scf.for
// CHECK:         %[[Z:.+]] = spyre.neg %{{.+}} split [32, 1] place lx 0
// CHECK:         spyre.abs %[[Z]] split [32, 1] place window
// CHECK:       spyre.sqrt %[[Y]] split [32, 1] place arg 2
func.func @across_a_loop(%a: !t) -> (!t, !t) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = spyre.exp %a split [32, 1] : !t
  %init = spyre.empty : !t
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %init) -> !t {
    %at = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %w = tensor.extract_slice %a[%at, 0] [64, 512] [1, 1] : !t to tensor<64x512xf16>
    %y = spyre.neg %w split [32, 1] : tensor<64x512xf16>
    %z = spyre.abs %y split [32, 1] : tensor<64x512xf16>
    %n = tensor.insert_slice %z into %acc[%at, 0] [64, 512] [1, 1] : tensor<64x512xf16> into !t
    scf.yield %n : !t
  }
  %1 = spyre.sqrt %0 split [32, 1] : !t
  return %r, %1 : !t, !t
}

// A value that a loop reads is needed until the loop ends: the next iteration reads it again. It is in the pool, since
// it is read in slices, and what is made in the loop after it must not be put over it.
// CHECK-LABEL: func.func @read_in_every_iteration
// CHECK:       %[[Y:.+]] = spyre.exp %arg0 split [32, 1] place pool 131072 :
// CHECK:       scf.for
// CHECK:         tensor.extract_slice %[[Y]]
// CHECK:         spyre.neg %{{.+}} place pool 0 : tensor<64x512xf16>
// CHECK:         spyre.abs %{{.+}} place pool 65536 : tensor<64x512xf16>
func.func @read_in_every_iteration(%a: !t) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = spyre.exp %a split [32, 1] : !t
  %init = spyre.empty : !t
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %init) -> !t {
    %at = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %w = tensor.extract_slice %0[%at, 0] [64, 512] [1, 1] : !t to tensor<64x512xf16>
    %y = spyre.neg %w split [32, 1] : tensor<64x512xf16>
    %m = spyre.abs %y split [16, 2] : tensor<64x512xf16>
    %z = spyre.sqrt %m split [32, 1] : tensor<64x512xf16>
    %n = tensor.insert_slice %z into %acc[%at, 0] [64, 512] [1, 1] : tensor<64x512xf16> into !t
    scf.yield %n : !t
  }
  return %r : !t
}

// A value that goes through an operation the pass does not know lives as long as its results.
// CHECK-LABEL: func.func @through_a_cast
// CHECK:       spyre.exp %arg0 split [32, 1] place pool 262144 :
// CHECK:       spyre.neg %arg0 split [32, 1] place pool 0 :
func.func @through_a_cast(%a: !t) -> (!t, !t) {
  %0 = spyre.exp %a split [32, 1] : !t
  %d = tensor.cast %0 : !t to tensor<?x512xf16>
  %e = tensor.cast %d : tensor<?x512xf16> to !t
  %1 = spyre.neg %a split [32, 1] : !t
  %2 = spyre.abs %1 split [16, 2] : !t
  %3 = spyre.sqrt %e split [32, 1] : !t
  return %2, %3 : !t, !t
}

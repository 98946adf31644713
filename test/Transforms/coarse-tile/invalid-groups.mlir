// RUN: not spyre-opt %s --coarse-tile="groups=@f:0" 2>&1 | FileCheck %s --check-prefix=SYNTAX
// RUN: not spyre-opt %s --coarse-tile="groups=@f:0:0" 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not spyre-opt %s --coarse-tile="groups=@f:1-0:2" 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not spyre-opt %s --coarse-tile="groups=@f:0-18446744073709551615:2" 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not spyre-opt %s --coarse-tile="groups=@f:0-1:2,@f:1:2" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not spyre-opt %s --coarse-tile="groups=@f:0:2@5" 2>&1 | FileCheck %s --check-prefix=DIMENSION
// RUN: not spyre-opt %s --coarse-tile="groups=@g:0-1:2" 2>&1 | FileCheck %s --check-prefix=EFFECTS
// RUN: not spyre-opt %s --coarse-tile="groups=@h:0-1:2" 2>&1 | FileCheck %s --check-prefix=USED
// RUN: not spyre-opt %s --coarse-tile="groups=@f:3-4:2" 2>&1 | FileCheck %s --check-prefix=BLOCK

// What explicit groups are refused for.

// SYNTAX: error: coarse-tile: cannot read group '@f:0': expected ':' between operations and counts
// COUNT: error: coarse-tile: cannot read group '@f:0:0': a count must be positive
// RANGE: error: coarse-tile: cannot read group '@f:1-0:2': the last operation 0 is before the first, 1
// MISSING: error: coarse-tile: group names operations 0 to 18446744073709551615, but the function has 5 device operations
// TWICE: error: coarse-tile: operation 1 is in two groups
// DIMENSION: error: coarse-tile: no operation of the group has a dimension 5 of more than one element
// EFFECTS: error: coarse-tile: operation 1 cannot be in a group with the operations before it: an operation with effects between them needs a value of the group
// EFFECTS: note: the operation with effects is here
// EFFECTS-NEXT: scf.if
// EFFECTS: note: the value is computed here
// EFFECTS-NEXT: spyre.exp
// USED: error: coarse-tile: operation 1 cannot be in a group with the operations before it: it needs a value that an operation between them computes from a value of the group
// USED: note: the value that it needs is defined here
// USED-NEXT: tensor.collapse_shape
// USED: note: the value of the group is computed here
// USED-NEXT: spyre.exp
// BLOCK: error: coarse-tile: operation 4 cannot be in a group with the operations before it: it is in another block
// BLOCK: note: the operation before is here

!t = tensor<256x512xf16>

func.func @f(%a: !t) -> (!t, tensor<512xf16>, !t) {
  %lb = arith.constant 0 : index
  %ub = arith.constant 4 : index
  %step = arith.constant 1 : index
  %y = spyre.exp %a : !t
  %z = spyre.neg %y : !t
  %s = spyre.sum %z dims [0] : (!t) -> tensor<512xf16>
  %init = spyre.empty : !t
  %r = scf.for %i = %lb to %ub step %step iter_args(%acc = %init) -> !t {
    %at = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %w = tensor.extract_slice %z[%at, 0] [64, 512] [1, 1] : !t to tensor<64x512xf16>
    %v = spyre.neg %w : tensor<64x512xf16>
    %n = tensor.insert_slice %v into %acc[%at, 0] [64, 512] [1, 1] : tensor<64x512xf16> into !t
    scf.yield %n : !t
  }
  %q = spyre.abs %r : !t
  return %y, %s, %q : !t, tensor<512xf16>, !t
}

func.func private @show(!t)
func.func @g(%a: !t, %p: i1) -> !t {
  %y = spyre.exp %a : !t
  scf.if %p {
    func.call @show(%y) : (!t) -> ()
  }
  %z = spyre.neg %y : !t
  return %z : !t
}

func.func @h(%a: !t) -> !t {
  %y = spyre.exp %a : !t
  %e = tensor.expand_shape %y [[0, 1], [2]] output_shape [256, 1, 512] : !t into tensor<256x1x512xf16>
  %c = tensor.collapse_shape %e [[0, 1], [2]] : tensor<256x1x512xf16> into !t
  %z = spyre.neg %c : !t
  return %z : !t
}

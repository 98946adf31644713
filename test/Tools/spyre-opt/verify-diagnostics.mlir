// RUN: spyre-opt %s --split-input-file --verify-diagnostics --coarse-tile="groups=0-1:3@2"

// An expectation that nothing meets fails the run, so the line above can fail.
// RUN: sed 's/a dimension 2/a dimension 3/' %s > %t
// RUN: not spyre-opt %t --split-input-file --verify-diagnostics --coarse-tile="groups=0-1:3@2" 2>&1 | FileCheck %s
// CHECK: error: expected error "coarse-tile: no operation of the group has a dimension 3" was not produced

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<1024x4096xf16, #stick>

func.func @add_mul(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]}, %c: !t {spyre.dims = ["A", "B"]}) -> !t {
  // expected-error @below {{coarse-tile: no operation of the group has a dimension 2}}
  %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 4] : !t
  %z = spyre.mul %y, %c tile [0: "A" in 2, 1: "B" in 4] : !t
  return %z : !t
}

// -----

// The next chunk is parsed and verified on its own.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
func.func @types(%a: tensor<64x64xf16, #stick>, %b: tensor<64x128xf16, #stick>) {
  // expected-note @above {{prior use here}}
  // expected-error @below {{use of value '%b' expects different type than prior uses}}
  %y = spyre.add %a, %b : tensor<64x64xf16, #stick>
  return
}

// -----

func.func private @sdscbundle_type(
  // expected-error @below {{granularity must be positive, but is 0}}
  !sdscbundle.input_arg<index, granularity=0>)

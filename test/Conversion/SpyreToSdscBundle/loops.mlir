// RUN: spyre-opt %s --split-input-file --spyre-pipeline | FileCheck %s

// An operation advances only along the loops that move its tensors: the outer
// loop moves rows, the inner one columns.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<256x512xf16, #stick>
!row = tensor<1x512xf16, #stick>

// CHECK-DAG: #[[STICK:.*]] = affine_map<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (0, d1 floordiv 64, d1 mod 64)>
// CHECK-DAG: #[[BOTH:.*]] = affine_map<(d0, d1)[s0] -> (d0 * 16384 + s0 + d1 * 131072)>
// CHECK-DAG: #[[INNER:.*]] = affine_map<(d0)[s0] -> (d0 * 512 + s0)>
// CHECK: sdscbundle.op_spec @sdsc_0 "mul"
// CHECK-NEXT: <in arg 0 SEN169_FP16 [8, 256, 64], #[[STICK]], advance = [8192, 65536]>
// The row does not move with the outer loop, and is read at position 0 of the rows.
// CHECK-NEXT: <in arg 1 SEN169_FP16 [1, 8, 64], #[[ROW]], advance = [0, 256]>
// CHECK: scf.for %[[I:.*]] =
// CHECK: scf.for %[[J:.*]] =
// CHECK: affine.apply #[[BOTH]](%[[I]], %[[J]])
// CHECK: affine.apply #[[INNER]](%[[J]])
module attributes {spyre.target = #spyre.target<cores = 1>} {
  func.func @scale(%x: !t {spyre.dims = ["A", "B"]}, %r: !row {spyre.dims = ["one", "B"]}) -> !t {
    %y = spyre.mul %x, %r tile [0: "A" in 2, 1: "B" in 2] : (!t, !row) -> !t
    return %y : !t
  }
}

// -----

// Two groups in a row and an operation outside any loop.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<256x512xf16, #stick>

// CHECK: sdscbundle.op_spec @sdsc_0 "exp"
// CHECK: sdscbundle.op_spec @sdsc_1 "neg"
// CHECK: sdscbundle.op_spec @sdsc_2 "sqrt"
// CHECK: scf.for
// CHECK: sdsc_filename = "sdsc_0.json"
// CHECK: }
// CHECK: sdsc_filename = "sdsc_1.json"
// CHECK: scf.for
// CHECK: sdsc_filename = "sdsc_2.json"
// CHECK: }
module attributes {spyre.target = #spyre.target<cores = 2>} {
  func.func @three(%x: !t {spyre.dims = ["A", "B"]}) -> !t {
    %a = spyre.exp %x tile [0: "A" in 4] : !t
    %b = spyre.neg %a : !t
    %c = spyre.sqrt %b tile [1: "A" in 2] : !t
    return %c : !t
  }
}

// -----

// A value between two loops is a full tensor in the pool, which the bundle
// allocates: 256 * 512 * 2 bytes.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<256x512xf16, #stick>

// CHECK: sdscbundle.op_spec @sdsc_0 "exp"
// CHECK-NEXT: <in arg 0
// CHECK-NEXT: <out pool 0 SEN169_FP16 [8, 256, 64], {{.*}} advance = [4096]>
// CHECK: sdscbundle.op_spec @sdsc_1 "sqrt"
// CHECK-NEXT: <in pool 0 SEN169_FP16 [8, 256, 64], {{.*}} advance = [8192]>
// CHECK: %[[POOL:.*]] = sdscbundle.device_mem_allocate 262144 bytes
module attributes {spyre.target = #spyre.target<cores = 1>} {
  func.func @two(%x: !t {spyre.dims = ["A", "B"]}) -> !t {
    %a = spyre.exp %x tile [0: "A" in 4] : !t
    %c = spyre.sqrt %a tile [1: "A" in 2] : !t
    return %c : !t
  }
}

// -----

// A loop that never runs has no files, and the files after it are numbered as
// if it were not there.

// CHECK-NOT: "neg"
// CHECK: sdscbundle.op_spec @sdsc_0 "exp"
// CHECK-NOT: sdscbundle.op_spec
// CHECK: func.func @sdsc_bundle
// CHECK-NOT: scf.for
module attributes {spyre.target = #spyre.target<cores = 1>} {
  func.func @never(%x: tensor<64x64xf16>) -> tensor<64x64xf16> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %e = spyre.empty : tensor<64x64xf16>
    %r = scf.for %i = %c0 to %c0 step %c1 iter_args(%acc = %e) -> (tensor<64x64xf16>) {
      %w = tensor.extract_slice %x[%i, 0] [1, 64] [1, 1] : tensor<64x64xf16> to tensor<1x64xf16>
      %n = spyre.neg %w : tensor<1x64xf16>
      %next = tensor.insert_slice %n into %acc[%i, 0] [1, 64] [1, 1] : tensor<1x64xf16> into tensor<64x64xf16>
      scf.yield %next : tensor<64x64xf16>
    }
    %y = spyre.exp %r : tensor<64x64xf16>
    return %y : tensor<64x64xf16>
  }
}

// RUN: spyre-opt %s --verify-roundtrip | FileCheck %s
// RUN: spyre-opt %s --emit-bytecode | spyre-opt | FileCheck %s
// RUN: spyre-opt %s --mlir-print-op-generic | spyre-opt | FileCheck %s
// RUN: spyre-opt %s --mlir-print-local-scope | spyre-opt | FileCheck %s

// Every operation and attribute, too.
// RUN: spyre-opt %S/ops.mlir --verify-roundtrip | FileCheck %S/ops.mlir
// RUN: spyre-opt %S/ops.mlir --emit-bytecode | spyre-opt | FileCheck %S/ops.mlir
// RUN: spyre-opt %S/ops.mlir --mlir-print-local-scope | spyre-opt | FileCheck %S/ops.mlir
// RUN: spyre-opt %S/attributes.mlir --allow-unregistered-dialect --verify-roundtrip | FileCheck %S/attributes.mlir
// RUN: spyre-opt %S/attributes.mlir --allow-unregistered-dialect --emit-bytecode \
// RUN:   | spyre-opt --allow-unregistered-dialect | FileCheck %S/attributes.mlir

// A program before tiling, one after it with windows, and one that is planned.

// CHECK-DAG: #[[$STICK:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$TARGET:target[0-9]*]] = #spyre.target<cores = 8>
// CHECK-DAG: #[[$MAP:map[0-9]*]] = affine_map<(d0) -> (d0 * 512)>
#rows = affine_map<(d0) -> (d0 * 512)>
!full = tensor<1024x4096xf16, #stick>
!tile = tensor<512x4096xf16, #stick>

// CHECK: module attributes {spyre.target = #[[$TARGET]]}
module attributes {spyre.target = #spyre.target<cores = 8>} {
  // CHECK-LABEL: func.func @hinted(
  // CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<1024x4096xf16, #[[$STICK]]> {spyre.dims = ["A", "B"]}
  func.func @hinted(%a: !full {spyre.dims = ["A", "B"]}, %b: !full {spyre.dims = ["A", "B"]}) -> !full {
    // CHECK-NEXT: %[[Y:.*]] = spyre.add %[[A]], %{{.*}} tile [0: "A" in 2, 1: "B" in 4] : tensor<1024x4096xf16, #[[$STICK]]>
    %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 4] : !full
    // CHECK-NEXT: spyre.exp %[[Y]] tile [0: "A" in 2, 1: "B" in 4] : tensor<1024x4096xf16, #[[$STICK]]>
    %z = spyre.exp %y tile [0: "A" in 2, 1: "B" in 4] : !full
    return %z : !full
  }

  // CHECK-LABEL: func.func @tiled(
  func.func @tiled(%a: !full, %b: !full) -> !full {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    // CHECK: %[[Z:.*]] = spyre.empty : tensor<1024x4096xf16, #[[$STICK]]>
    %z = spyre.empty : !full
    %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %z) -> !full {
      %row = affine.apply #rows(%i)
      // CHECK: tensor.extract_slice %{{.*}} : tensor<1024x4096xf16, #[[$STICK]]> to tensor<512x4096xf16, #[[$STICK]]>
      %ta = tensor.extract_slice %a[%row, 0] [512, 4096] [1, 1] : !full to !tile
      %tb = tensor.extract_slice %b[%row, 0] [512, 4096] [1, 1] : !full to !tile
      // CHECK: spyre.add %{{.*}}, %{{.*}} : tensor<512x4096xf16, #[[$STICK]]>
      %y = spyre.add %ta, %tb : !tile
      %t = spyre.exp %y : !tile
      // CHECK: tensor.insert_slice %{{.*}} : tensor<512x4096xf16, #[[$STICK]]> into tensor<1024x4096xf16, #[[$STICK]]>
      %next = tensor.insert_slice %t into %acc[%row, 0] [512, 4096] [1, 1] : !tile into !full
      scf.yield %next : !full
    }
    return %r : !full
  }

  // CHECK-LABEL: func.func @planned(
  // CHECK-SAME: {spyre.place = #spyre.place<arg 0>}
  func.func @planned(%a: !full {spyre.place = #spyre.place<arg 0>}) -> (!full {spyre.place = #spyre.place<arg 1>}) {
    // CHECK-NEXT: %[[Y:.*]] = spyre.add %{{.*}}, %{{.*}} split [8, 1] place lx 0 : tensor<1024x4096xf16, #[[$STICK]]>
    %y = spyre.add %a, %a split [8, 1] place lx 0 : !full
    // CHECK-NEXT: spyre.exp %[[Y]] split [8, 1] place arg 1 : tensor<1024x4096xf16, #[[$STICK]]>
    %z = spyre.exp %y split [8, 1] place arg 1 : !full
    return %z : !full
  }

  // CHECK: sdscbundle.op_spec @sdsc_0 "exp" space [<"c0" = 1024 over 8>, <"c1" = 4096 over 1>] args [
  // CHECK-NEXT: <in lx 0 SEN169_FP16 [64, 1024, 64], {{.*}}>,
  // CHECK-NEXT: <out arg 1 SEN169_FP16 [64, 1024, 64], {{.*}}>]
  sdscbundle.op_spec @sdsc_0 "exp" space [<"c0" = 1024 over 8>, <"c1" = 4096 over 1>] args [
    <in lx 0 SEN169_FP16 [64, 1024, 64], (d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>,
    <out arg 1 SEN169_FP16 [64, 1024, 64], (d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>]
}

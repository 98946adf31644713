// Programs of TOSA, by stock mlir-opt: the card computes all floats of each, products and erf in 16 bits, and the host the integers. A
// search finds integers, so the card finds floats and the host casts them.

// RUN: %{mlir-opt} %s --pass-pipeline='builtin.module(func.func(tosa-optional-decompositions,tosa-infer-shapes,tosa-make-broadcastable,tosa-to-linalg-named,tosa-to-linalg,tosa-to-arith{include-apply-rescale=true},tosa-to-tensor),canonicalize,cse)' -o %t.mlir
// RUN: spyre-run %t.mlir --entry conv --on=card --float=dl16 --compare %t.mlir --compare-entry conv --random-seed 1 --integers 1 --stats 2>&1 | FileCheck %s
// RUN: spyre-run %t.mlir --entry pool --on=card --compare %t.mlir --compare-entry pool --random-seed 2 --tolerance 1e-4 --stats 2>&1 | FileCheck %s
// RUN: spyre-run %t.mlir --entry att --on=card --float=dl16 --compare %t.mlir --compare-entry att --random-seed 3 --largest 0.25 --tolerance 2e-3 --stats 2>&1 | FileCheck %s
// RUN: spyre-run %t.mlir --entry misc --on=card --float=dl16 --compare %t.mlir --compare-entry misc --random-seed 4 --tolerance 2e-3 --stats 2>&1 | FileCheck %s
// RUN: spyre-run %t.mlir --entry search_down --on=card --compare %t.mlir --compare-entry search_down --random-seed 4 --stats 2>&1 | FileCheck %s --check-prefix=PART
// RUN: spyre-run %t.mlir --entry search --on=card --float=dl16 --compare %t.mlir --compare-entry search --random-seed 4 --stats 2>&1 | FileCheck %s --check-prefix=CAST
// RUN: spyre-run %t.mlir --entry search --on=card --compare %t.mlir --compare-entry search --random-seed 4 --stats 2>&1 | FileCheck %s --check-prefix=ALONG
// RUN: spyre-run %t.mlir --entry dw --on=card --compare %t.mlir --compare-entry dw --random-seed 5 --stats 2>&1 | FileCheck %s --check-prefix=INTEGERS
// RUN: spyre-run %t.mlir --entry quant --on=card --compare %t.mlir --compare-entry quant --random-seed 6 --stats 2>&1 | FileCheck %s --check-prefix=INTEGERS
// CHECK: host: 0 elements
// CHECK: result 0: 0 of {{[0-9]+}} elements differ
// CHECK-NOT: {{ [1-9][0-9]* of [0-9]+ elements differ}}
// PART: device: @search_down_device_0, {{[1-9][0-9]*}} elements
// PART: host: 32 elements
// PART: result 0: 0 of 32 elements differ
// The host makes the cast of the positions, since it reads no order but the standard one.
// CAST-NOT: warning
// CAST: device: @search_device_0, {{[1-9][0-9]*}} elements
// CAST: result 0: 0 of 8 elements differ
// A search has another dimension than the searched one on the stick, and no operation moves 32 bits to another stick.
// ALONG: warning: @search_device_0 stays on the host: {{.+}}'ReStickifyOpHBM' computes in SEN169_FP16, but tensor 0 is IEEE_FP32
// ALONG: 0.0 % of the work is the device's
// ALONG: result 0: 0 of 8 elements differ
// RUN: spyre-opt %t.mlir --spyre-import-linalg=host=true --remarks-filter=spyre-outline-device -o /dev/null 2>&1 | FileCheck %s --check-prefix=HOST
// HOST: Function=conv | Reason="'batchmatmul' computes in SEN169_FP16, but tensor 0 is IEEE_FP32"
// HOST-NOT: Function=pool
// HOST: Function=att | Reason="'batchmatmul' computes in SEN169_FP16, but tensor 0 is IEEE_FP32"
// HOST: Function=misc | Reason="'tanh' computes in SEN169_FP16, but tensor 0 is IEEE_FP32", Remark="'spyre.erf' stays on the host"
// HOST: Function=search | Reason="'sub' computes in SEN169_FP16 or IEEE_FP32, but tensor 0 is IEEE_INT32", Remark="'spyre.fptosi' stays on the host"
// HOST: Function=dw | Reason="'sub' computes in SEN169_FP16 or IEEE_FP32, but tensor 0 is IEEE_INT32"
// HOST: Function=quant | Reason="'sub' computes in SEN169_FP16 or IEEE_FP32, but tensor 0 is IEEE_INT32"
// INTEGERS: 0.0 % of the work is the device's
// INTEGERS: result 0: 0 of {{512|1024}} elements differ
// INTEGERS-NOT: {{ [1-9][0-9]* of [0-9]+ elements differ}}

func.func @conv(%x: tensor<1x16x16x8xf32>, %w: tensor<16x3x3x8xf32>, %b: tensor<16xf32>) -> tensor<1x16x16x16xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x16x16x8xf32>, tensor<16x3x3x8xf32>, tensor<16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x16x16x16xf32>
  %1 = tosa.clamp %0 {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x16x16x16xf32>) -> tensor<1x16x16x16xf32>
  return %1 : tensor<1x16x16x16xf32>
}

func.func @pool(%x: tensor<1x16x16x8xf32>) -> (tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>) {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.max_pool2d %x {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x16x16x8xf32>) -> tensor<1x8x8x8xf32>
  %1 = tosa.avg_pool2d %x, %z, %z {acc_type = f32, kernel = array<i64: 3, 3>, pad = array<i64: 1, 0, 1, 0>, stride = array<i64: 2, 2>} : (tensor<1x16x16x8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x8xf32>
  return %0, %1 : tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>
}

func.func @att(%q: tensor<4x32x64xf32>, %k: tensor<4x32x64xf32>, %v: tensor<4x32x64xf32>) -> tensor<4x32x64xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %kt = tosa.transpose %k {perms = array<i32: 0, 2, 1>} : (tensor<4x32x64xf32>) -> tensor<4x64x32xf32>
  %s = tosa.matmul %q, %kt, %z, %z : (tensor<4x32x64xf32>, tensor<4x64x32xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4x32x32xf32>
  %m = tosa.reduce_max %s {axis = 2 : i32} : (tensor<4x32x32xf32>) -> tensor<4x32x1xf32>
  %d = tosa.sub %s, %m : (tensor<4x32x32xf32>, tensor<4x32x1xf32>) -> tensor<4x32x32xf32>
  %e = tosa.exp %d : (tensor<4x32x32xf32>) -> tensor<4x32x32xf32>
  %r = tosa.reduce_sum %e {axis = 2 : i32} : (tensor<4x32x32xf32>) -> tensor<4x32x1xf32>
  %i = tosa.reciprocal %r : (tensor<4x32x1xf32>) -> tensor<4x32x1xf32>
  %sh = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %p = tosa.mul %e, %i, %sh : (tensor<4x32x32xf32>, tensor<4x32x1xf32>, tensor<1xi8>) -> tensor<4x32x32xf32>
  %o = tosa.matmul %p, %v, %z, %z : (tensor<4x32x32xf32>, tensor<4x32x64xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4x32x64xf32>
  return %o : tensor<4x32x64xf32>
}

func.func @misc(%x: tensor<8x32xf32>, %y: tensor<8x32xf32>, %i: tensor<1x6xi32>) -> (tensor<16x32xf32>, tensor<1x6x32xf32>, tensor<8x32xf32>, tensor<10x34xf32>, tensor<16x64xf32>, tensor<8x32xf32>) {
  %0 = tosa.concat %x, %y {axis = 0 : i32} : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<16x32xf32>
  %s = tosa.const_shape {values = dense<[1, 8, 32]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %r = tosa.reshape %x, %s : (tensor<8x32xf32>, !tosa.shape<3>) -> tensor<1x8x32xf32>
  %2 = tosa.gather %r, %i : (tensor<1x8x32xf32>, tensor<1x6xi32>) -> tensor<1x6x32xf32>
  %3 = tosa.reverse %y {axis = 1 : i32} : (tensor<8x32xf32>) -> tensor<8x32xf32>
  %ps = tosa.const_shape {values = dense<[1, 1, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %pc = "tosa.const"() <{values = dense<2.5> : tensor<1xf32>}> : () -> tensor<1xf32>
  %4 = tosa.pad %x, %ps, %pc : (tensor<8x32xf32>, !tosa.shape<4>, tensor<1xf32>) -> tensor<10x34xf32>
  %ts = tosa.const_shape {values = dense<[2, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %5 = tosa.tile %y, %ts : (tensor<8x32xf32>, !tosa.shape<2>) -> tensor<16x64xf32>
  %g = tosa.greater %x, %y : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xi1>
  %sg = tosa.sigmoid %x : (tensor<8x32xf32>) -> tensor<8x32xf32>
  %er = tosa.erf %y : (tensor<8x32xf32>) -> tensor<8x32xf32>
  %6 = tosa.select %g, %sg, %er : (tensor<8x32xi1>, tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  return %0, %2, %3, %4, %5, %6 : tensor<16x32xf32>, tensor<1x6x32xf32>, tensor<8x32xf32>, tensor<10x34xf32>, tensor<16x64xf32>, tensor<8x32xf32>
}

// Along the rows, which lie on the stick.
func.func @search(%x: tensor<8x32xf32>) -> tensor<8xi32> {
  %0 = tosa.argmax %x {axis = 1 : i32} : (tensor<8x32xf32>) -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// Down the columns.
func.func @search_down(%x: tensor<8x32xf32>) -> tensor<32xi32> {
  %0 = tosa.argmax %x {axis = 0 : i32} : (tensor<8x32xf32>) -> tensor<32xi32>
  return %0 : tensor<32xi32>
}

func.func @dw(%x: tensor<1x10x10x4xi8>, %w: tensor<3x3x4x2xi8>, %b: tensor<8xi32>) -> (tensor<1x8x8x8xi32>, tensor<1x10x10x4xi8>, tensor<1x5x5x4xi8>) {
  %xz = "tosa.const"() <{values = dense<1> : tensor<1xi8>}> : () -> tensor<1xi8>
  %wz = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.depthwise_conv2d %x, %w, %b, %xz, %wz {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x10x10x4xi8>, tensor<3x3x4x2xi8>, tensor<8xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x8x8x8xi32>
  %1 = tosa.clamp %x {min_val = -10 : i8, max_val = 100 : i8} : (tensor<1x10x10x4xi8>) -> tensor<1x10x10x4xi8>
  %2 = tosa.max_pool2d %x {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x10x10x4xi8>) -> tensor<1x5x5x4xi8>
  return %0, %1, %2 : tensor<1x8x8x8xi32>, tensor<1x10x10x4xi8>, tensor<1x5x5x4xi8>
}

func.func @quant(%x: tensor<1x8x8x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>) -> tensor<1x8x8x16xi8> {
  %xz = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %wz = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.conv2d %x, %w, %b, %xz, %wz {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x8x8x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x8x8x16xi32>
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<36> : tensor<1xi8>}> : () -> tensor<1xi8>
  %iz = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %oz = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %1 = tosa.rescale %0, %m, %s, %iz, %oz {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x8x8x16xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x8x8x16xi8>
  return %1 : tensor<1x8x8x16xi8>
}

// RUN: spyre-opt %s | spyre-opt | FileCheck %s
// RUN: spyre-opt %s --emit-bytecode | spyre-opt | FileCheck %s

// The assembly of all operations and types, as the published dialect has it.

// CHECK-LABEL: func.func @integers(
// CHECK-SAME: %[[A:.*]]: i32, %[[B:.*]]: i32, %[[C:.*]]: i64
func.func @integers(%a: i32, %b: i32, %c: i64) -> (i32, i32, i32, i64) {
  // CHECK: spyreop.addi32toi32 %[[A]], %[[B]]{{$}}
  %0 = spyreop.addi32toi32 %a, %b
  // CHECK: spyreop.muli32toi32 %[[A]], %[[B]]{{$}}
  %1 = spyreop.muli32toi32 %a, %b
  // CHECK: spyreop.idx32toaddr %[[A]] base %[[B]] stride %[[A]]{{$}}
  %2 = spyreop.idx32toaddr %a base %b stride %a
  // CHECK: spyreop.addi64toi64 %[[C]], %[[C]]{{$}}
  %3 = spyreop.addi64toi64 %c, %c
  return %0, %1, %2, %3 : i32, i32, i32, i64
}

// CHECK-LABEL: func.func @floats(
// CHECK-SAME: %[[X:.*]]: f16, %[[Y:.*]]: f32, %[[Z:.*]]: !spyreop.df16)
func.func @floats(%x: f16, %y: f32, %z: !spyreop.df16) -> !spyreop.df16 {
  // CHECK: spyreop.exp %[[Y]] : f32
  %0 = spyreop.exp %y : f32
  // CHECK: spyreop.gelu %[[X]] : f16
  %1 = spyreop.gelu %x : f16
  // CHECK: spyreop.reciprocal %[[X]] : f16
  %2 = spyreop.reciprocal %x : f16
  // CHECK: spyreop.rsqrt %[[Y]] : f32
  %3 = spyreop.rsqrt %y : f32
  // CHECK: spyreop.sigmoid %[[X]] : f16
  %4 = spyreop.sigmoid %x : f16
  // CHECK: spyreop.silu %[[X]] : f16
  %5 = spyreop.silu %x : f16
  // CHECK: spyreop.softplus %[[X]] beta 5.000000e-01 threshold 2.000000e+00 : f16
  %6 = spyreop.softplus %x beta 0.5 threshold 2.0 : f16
  // CHECK: spyreop.realdiv %[[Z]], %[[Z]] : !spyreop.df16
  %7 = spyreop.realdiv %z, %z : !spyreop.df16
  // CHECK: spyreop.sqrt %[[Z]] : !spyreop.df16
  %8 = spyreop.sqrt %z : !spyreop.df16
  return %8 : !spyreop.df16
}

// CHECK-LABEL: func.func @moments(
// CHECK-SAME: %[[X:.*]]: f16, %[[Y:.*]]: f32, %[[Z:.*]]: !spyreop.df16)
func.func @moments(%x: f16, %y: f32, %z: !spyreop.df16) -> f16 {
  // CHECK: %[[PAIR:.*]] = spyreop.exx2_fused %[[X]] : f16 -> !spyreop.fp16_fused
  %0 = spyreop.exx2_fused %x : f16 -> !spyreop.fp16_fused
  // CHECK: spyreop.layernormscale_fused %[[PAIR]] {eps = {{.*}} : f32} : !spyreop.fp16_fused -> f16
  %1 = spyreop.layernormscale_fused %0 {eps = 1.000000e-05 : f32} : !spyreop.fp16_fused -> f16
  // CHECK: spyreop.exx2_fused %[[Y]] : f32 -> !spyreop.fp32_fused
  %2 = spyreop.exx2_fused %y : f32 -> !spyreop.fp32_fused
  // CHECK: spyreop.exx2_fused %[[Z]] : !spyreop.df16 -> !spyreop.df16_fused
  %3 = spyreop.exx2_fused %z : !spyreop.df16 -> !spyreop.df16_fused
  // CHECK: %[[M:.*]], %[[S:.*]] = spyreop.exx2 %[[X]] : f16
  %4, %5 = spyreop.exx2 %x : f16
  // CHECK: spyreop.layernormscale %[[M]] squares %[[S]] : f16
  %6 = spyreop.layernormscale %4 squares %5 : f16
  // CHECK: spyreop.layernormnorm %[[X]] squares %[[M]] scale %{{.*}} weight %[[X]] bias %[[X]] : f16
  %7 = spyreop.layernormnorm %x squares %4 scale %6 weight %x bias %x : f16
  return %7 : f16
}

// A pair is an element of views and tensors.
// CHECK-LABEL: func.func @pairs(%arg0: memref<48x64x!spyreop.fp16_fused>) -> tensor<48x64x!spyreop.fp16_fused>
func.func @pairs(%m: memref<48x64x!spyreop.fp16_fused>) -> tensor<48x64x!spyreop.fp16_fused> {
  %0 = tensor.empty() : tensor<48x64x!spyreop.fp16_fused>
  return %0 : tensor<48x64x!spyreop.fp16_fused>
}

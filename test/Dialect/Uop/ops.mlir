// Everything that is accepted, and how it prints.

// RUN: spyre-opt %s | FileCheck %s
// RUN: spyre-opt %s --mlir-print-op-generic | spyre-opt | FileCheck %s
// RUN: spyre-opt %s --emit-bytecode | spyre-opt | FileCheck %s

// CHECK-LABEL: func.func @sources
func.func @sources() {
  // CHECK: uop.const dense<2> : tensor<i32>
  %0 = uop.const dense<2> : tensor<i32>
  // CHECK: uop.const dense<[1, 255]> : tensor<2xui8>
  %1 = uop.const dense<[1, 255]> : tensor<2xui8>
  // CHECK: uop.const dense<true> : tensor<i1>
  %2 = uop.const dense<true> : tensor<i1>
  // CHECK: uop.const dense<3> : tensor<index>
  %3 = uop.const dense<3> : tensor<index>
  // CHECK: uop.buffer 3 local : tensor<4x4xf32>
  %4 = uop.buffer 3 local : tensor<4x4xf32>
  // CHECK: uop.buffer 4 global on ["d0", "d1"] : tensor<4xbf16>
  %5 = uop.buffer 4 global on ["d0", "d1"] : tensor<4xbf16>
  // CHECK: uop.buffer 5 reg on "d0" : tensor<4xf64>
  %6 = uop.buffer 5 reg on "d0" : tensor<4xf64>
  // CHECK: uop.variable "n" from 1 to 16 : tensor<index>
  %7 = uop.variable "n" from 1 to 16 : tensor<index>
  // CHECK: uop.variable 2 : tensor<ui8>
  %8 = uop.variable 2 : tensor<ui8>
  return
}

// CHECK-LABEL: func.func @movement
func.func @movement(%x: tensor<2x3xf16>, %s: tensor<f32>, %b: tensor<2x8xui8>, %i: tensor<i32>, %v: tensor<5xui64>) {
  // CHECK: %[[P:.*]] = uop.permute %{{.*}} [1, 0] : tensor<2x3xf16>
  %0 = uop.permute %x [1, 0] : tensor<2x3xf16>
  // CHECK: uop.flip %[[P]] [true, false] : tensor<3x2xf16>
  %1 = uop.flip %0 [true, false] : tensor<3x2xf16>
  // CHECK: %[[R:.*]] = uop.reshape %{{.*}} to [1, 6] : tensor<2x3xf16>
  %2 = uop.reshape %x to [1, 6] : tensor<2x3xf16>
  // CHECK: %[[E:.*]] = uop.expand %[[R]] to [4, 6] : tensor<1x6xf16>
  %3 = uop.expand %2 to [4, 6] : tensor<1x6xf16>
  // CHECK: %[[O:.*]] = uop.pad %[[E]] at [1, 0] to [6, 7] : tensor<4x6xf16>
  %4 = uop.pad %3 at [1, 0] to [6, 7] : tensor<4x6xf16>
  // CHECK: uop.shrink %[[O]] at [2, 1] to [3, 0] : tensor<6x7xf16>
  %5 = uop.shrink %4 at [2, 1] to [3, 0] : tensor<6x7xf16>
  // CHECK: uop.reshape %{{.*}} to [] : tensor<f32>
  %6 = uop.reshape %s to [] : tensor<f32>
  // CHECK: uop.permute %{{.*}} [] : tensor<f32>
  %7 = uop.permute %s [] : tensor<f32>
  // CHECK: %[[I:.*]] = uop.index %{{.*}}[%{{.*}}, %{{.*}}] : tensor<2x3xf16>[tensor<i32>, tensor<5xui64>]
  %8 = uop.index %x[%i, %v] : tensor<2x3xf16>[tensor<i32>, tensor<5xui64>]
  // CHECK: uop.index %{{.*}} : tensor<2x3xf16>{{$}}
  %whole = uop.index %x : tensor<2x3xf16>
  // CHECK: %[[S:.*]] = uop.stack %[[I]], %[[I]] : tensor<5xf16>, tensor<5xf16>
  %9 = uop.stack %8, %8 : tensor<5xf16>, tensor<5xf16>
  // CHECK: uop.bitcast %[[S]] to i16 : tensor<2x5xf16>
  %10 = uop.bitcast %9 to i16 : tensor<2x5xf16>
  // CHECK: %[[W:.*]] = uop.bitcast %{{.*}} to f32 : tensor<2x8xui8>
  %11 = uop.bitcast %b to f32 : tensor<2x8xui8>
  // CHECK: uop.permute %[[W]] [0, 1] : tensor<2x2xf32>
  %12 = uop.permute %11 [0, 1] : tensor<2x2xf32>
  // CHECK: uop.bitcast %{{.*}} to ui32 : tensor<f32>
  %13 = uop.bitcast %s to ui32 : tensor<f32>
  return
}

// CHECK-LABEL: func.func @reductions
func.func @reductions(%x: tensor<4x0x8xbf16>) {
  // CHECK: %[[A:.*]] = uop.reduce add %{{.*}} axes [0, 2] : tensor<4x0x8xbf16>
  %0 = uop.reduce add %x axes [0, 2] : tensor<4x0x8xbf16>
  // CHECK: uop.reduce max %[[A]] axes [1] : tensor<1x0x1xbf16>
  %1 = uop.reduce max %0 axes [1] : tensor<1x0x1xbf16>
  // CHECK: %[[I:.*]] = uop.range 0 to 16 reduce : tensor<index>
  %i = uop.range 0 to 16 reduce : tensor<index>
  // CHECK: uop.reduce mul %[[I]] axes [] over %[[I]] : tensor<index> in : tensor<index>
  %2 = uop.reduce mul %i axes [] over %i : tensor<index> in : tensor<index>
  return
}

// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%f: tensor<4xf32>, %i: tensor<4xi8>, %b: tensor<4xi1>, %u: tensor<4xui64>) {
  // CHECK: uop.recip %{{.*}} : tensor<4xf32>
  %0 = uop.recip %f : tensor<4xf32>
  // CHECK: uop.trunc
  %1 = uop.trunc %f : tensor<4xf32>
  // CHECK: uop.neg %{{.*}} : tensor<4xi8>
  %2 = uop.neg %i : tensor<4xi8>
  // CHECK: uop.not %{{.*}} : tensor<4xi1>
  %3 = uop.not %b : tensor<4xi1>
  // CHECK: uop.exp2
  %4 = uop.exp2 %f : tensor<4xf32>
  // CHECK: uop.log2
  %5 = uop.log2 %f : tensor<4xf32>
  // CHECK: uop.sin
  %6 = uop.sin %f : tensor<4xf32>
  // CHECK: uop.sqrt
  %7 = uop.sqrt %f : tensor<4xf32>
  // CHECK: uop.add %{{.*}}, %{{.*}} : tensor<4xi1>
  %8 = uop.add %b, %b : tensor<4xi1>
  // CHECK: uop.mul
  %9 = uop.mul %f, %f : tensor<4xf32>
  // CHECK: uop.max
  %10 = uop.max %i, %i : tensor<4xi8>
  // CHECK: uop.idiv
  %11 = uop.idiv %i, %i : tensor<4xi8>
  // CHECK: uop.mod
  %12 = uop.mod %i, %i : tensor<4xi8>
  // CHECK: uop.cdiv
  %13 = uop.cdiv %i, %i : tensor<4xi8>
  // CHECK: uop.cmod
  %14 = uop.cmod %i, %i : tensor<4xi8>
  // CHECK: uop.sub
  %15 = uop.sub %u, %u : tensor<4xui64>
  // CHECK: uop.div
  %16 = uop.div %f, %f : tensor<4xf32>
  // CHECK: uop.pow
  %17 = uop.pow %f, %f : tensor<4xf32>
  // CHECK: uop.xor
  %18 = uop.xor %b, %b : tensor<4xi1>
  // CHECK: uop.or
  %19 = uop.or %i, %i : tensor<4xi8>
  // CHECK: uop.and
  %20 = uop.and %i, %i : tensor<4xi8>
  // CHECK: uop.shl
  %21 = uop.shl %i, %i : tensor<4xi8>
  // CHECK: uop.shr
  %22 = uop.shr %u, %u : tensor<4xui64>
  // CHECK: uop.threefry %{{.*}}, %{{.*}} : tensor<4xui64>
  %23 = uop.threefry %u, %u : tensor<4xui64>
  // CHECK: uop.cmplt %{{.*}}, %{{.*}} : tensor<4xf32>
  %24 = uop.cmplt %f, %f : tensor<4xf32>
  // CHECK: uop.cmpne
  %25 = uop.cmpne %f, %f : tensor<4xf32>
  // CHECK: uop.cmpeq
  %26 = uop.cmpeq %b, %b : tensor<4xi1>
  // CHECK: uop.cmpgt
  %27 = uop.cmpgt %f, %f : tensor<4xf32>
  // CHECK: uop.cmpge
  %28 = uop.cmpge %f, %f : tensor<4xf32>
  // CHECK: uop.cmple
  %29 = uop.cmple %f, %f : tensor<4xf32>
  // CHECK: uop.where %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xf32>
  %30 = uop.where %24, %f, %f : tensor<4xf32>
  // CHECK: uop.mulacc %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xi8>
  %31 = uop.mulacc %i, %i, %i : tensor<4xi8>
  // CHECK: uop.cast %{{.*}} : tensor<4xf32> to tensor<4xui8>
  %32 = uop.cast %f : tensor<4xf32> to tensor<4xui8>
  return
}

// CHECK-LABEL: func.func @devices
func.func @devices(%x: tensor<4x6xf32>) {
  // CHECK: uop.contiguous %{{.*}} : tensor<4x6xf32>
  %0 = uop.contiguous %x : tensor<4x6xf32>
  // CHECK: uop.contiguous_backward
  %1 = uop.contiguous_backward %x : tensor<4x6xf32>
  // CHECK: uop.detach
  %2 = uop.detach %x : tensor<4x6xf32>
  // CHECK: %[[C:.*]] = uop.copy %{{.*}} to ["d0", "d1"] : tensor<4x6xf32>
  %3 = uop.copy %x to ["d0", "d1"] : tensor<4x6xf32>
  // CHECK: uop.copy %{{.*}} to "d0" : tensor<4x6xf32>
  %4 = uop.copy %x to "d0" : tensor<4x6xf32>
  // CHECK: uop.replicated %[[C]] axis 0 : tensor<4x6xf32>
  %5 = uop.replicated %3 axis 0 : tensor<4x6xf32>
  return
}

// CHECK-LABEL: func.func @memory
// CHECK-SAME: -> !uop.effect
func.func @memory(%x: tensor<4xf32>, %y: tensor<4xf32>, %gate: tensor<4xi1>) -> !uop.effect {
  // CHECK: uop.load %{{.*}} : tensor<4xf32>
  %0 = uop.load %x : tensor<4xf32>
  // CHECK: uop.load %{{.*}} if %{{.*}} : tensor<4xi1> else %{{.*}} : tensor<4xf32> into local on "d0" : tensor<4xf32>
  %1 = uop.load %x if %gate : tensor<4xi1> else %y : tensor<4xf32> into local on "d0" : tensor<4xf32>
  // CHECK: %[[E:.*]] = uop.store %{{.*}} into %{{.*}} : tensor<4xf32>
  %2 = uop.store %1 into %x : tensor<4xf32>
  // CHECK: %[[F:.*]] = uop.store %{{.*}} into %{{.*}} if %{{.*}} : tensor<4xi1> in : tensor<4xf32>
  %3 = uop.store %0 into %x if %gate : tensor<4xi1> in : tensor<4xf32>
  // CHECK: uop.after %{{.*}}, %[[E]], %[[F]] : tensor<4xf32>, !uop.effect, !uop.effect
  %4 = uop.after %x, %2, %3 : tensor<4xf32>, !uop.effect, !uop.effect
  // CHECK: %[[I:.*]] = uop.range 1 to 16 loop : tensor<index>
  %i = uop.range 1 to 16 loop : tensor<index>
  // CHECK: uop.after %{{.*}}, %[[I]] : tensor<4xf32>, tensor<index>
  %5 = uop.after %4, %i : tensor<4xf32>, tensor<index>
  // CHECK: %[[G:.*]] = uop.group %[[E]], %[[F]]
  %6 = uop.group %2, %3
  // CHECK: %[[N:.*]] = uop.end %[[G]], %[[I]] : tensor<index>
  %7 = uop.end %6, %i : tensor<index>
  // CHECK: %[[L:.*]] = uop.linear %[[N]]
  %8 = uop.linear %7
  // CHECK: uop.sink nothing
  %none = uop.sink nothing
  // CHECK: uop.sink %[[L]]
  %9 = uop.sink %8
  return %9 : !uop.effect
}

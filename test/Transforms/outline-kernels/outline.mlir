// Structured operations on buffers become calls, and those that differ in their operands only call one function.

// RUN: spyre-opt %s --spyre-outline-kernels --split-input-file | FileCheck %s
// RUN: spyre-opt %s --spyre-outline-kernels --split-input-file --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: (S) 5 calls   - Structured operations that became calls
// COUNT: (S) 4 kernels - Functions that they call

// The function of the module has the name already.
// CHECK-LABEL: func.func @kernel_0(
// CHECK-SAME: %[[A:.*]]: memref<4x8xf32>)
func.func @kernel_0(%a: memref<4x8xf32>) -> memref<4x8xf32> {
  %one = arith.constant 1.0 : f32
  %b = memref.alloc() : memref<4x8xf32>
  %c = memref.alloc() : memref<4x8xf32>
  // CHECK: %[[B:.*]] = memref.alloc()
  // CHECK: %[[C:.*]] = memref.alloc()
  // CHECK-NOT: linalg.generic
  // CHECK: call @kernel_1(%[[A]], %[[B]])
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]} ins(%a : memref<4x8xf32>) outs(%b : memref<4x8xf32>) {
  ^bb0(%x: f32, %out: f32):
    %0 = arith.addf %x, %one : f32
    linalg.yield %0 : f32
  }
  // CHECK: call @kernel_1(%[[B]], %[[C]])
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]} ins(%b : memref<4x8xf32>) outs(%c : memref<4x8xf32>) {
  ^bb0(%x: f32, %out: f32):
    %0 = arith.addf %x, %one : f32
    linalg.yield %0 : f32
  }
  // In its own place: one argument, and nothing is known to be apart from another view of the same allocation.
  // CHECK: %[[HALF:.*]] = memref.subview
  // CHECK: %[[OTHER:.*]] = memref.subview
  // CHECK: call @kernel_2(%[[OTHER]], %[[HALF]])
  %half = memref.subview %c[0, 0] [4, 4] [1, 1] : memref<4x8xf32> to memref<4x4xf32, strided<[8, 1]>>
  %other = memref.subview %c[0, 4] [4, 4] [1, 1] : memref<4x8xf32> to memref<4x4xf32, strided<[8, 1], offset: 4>>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]} ins(%other : memref<4x4xf32, strided<[8, 1], offset: 4>>)
      outs(%half : memref<4x4xf32, strided<[8, 1]>>) {
  ^bb0(%x: f32, %out: f32):
    %0 = arith.addf %x, %out : f32
    linalg.yield %0 : f32
  }
  return %c : memref<4x8xf32>
}

// What the first kernel writes is an allocation in both calls: its pointer is the ninth of the LLVM function, after the seven
// arguments of the first buffer. What it reads is one in the second call only, and the calls still share a function.
// CHECK: func.func private @kernel_1(%{{.*}}: memref<4x8xf32>, %{{.*}}: memref<4x8xf32>) attributes {distinct_arguments = array<i32: 8>, llvm.linkage = #llvm.linkage<internal>}
// CHECK-NEXT: arith.constant 1.0
// CHECK-NEXT: linalg.generic
// CHECK: func.func private @kernel_2({{.*}}) attributes {distinct_arguments = array<i32>, llvm.linkage = #llvm.linkage<internal>}

// -----

// Operations that may end a run have functions of their own, and one operation alone stays.
// CHECK-LABEL: func.func @divide(
// CHECK: call @kernel_0(
// CHECK: call @kernel_1(
// CHECK-COUNT-2: arith.divsi
func.func @divide(%a: memref<4xi32>, %b: memref<4xi32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%a : memref<4xi32>) outs(%b : memref<4xi32>) {
  ^bb0(%x: i32, %out: i32):
    %0 = arith.divsi %x, %out : i32
    linalg.yield %0 : i32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%a : memref<4xi32>) outs(%b : memref<4xi32>) {
  ^bb0(%x: i32, %out: i32):
    %0 = arith.divsi %x, %out : i32
    linalg.yield %0 : i32
  }
  return
}

// -----

// CHECK-LABEL: func.func @alone(
// CHECK: linalg.fill
func.func @alone(%a: memref<4xf32>, %x: f32) {
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  return
}

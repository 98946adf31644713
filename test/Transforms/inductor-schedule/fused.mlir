// Graphs with kernels are scheduled already: passes that decide about operations say so.

// RUN: not spyre-opt %s --inductor-decide-layout 2>&1 | FileCheck %s
// RUN: not spyre-opt %s --inductor-realize 2>&1 | FileCheck %s
// RUN: not spyre-opt %s --inductor-split-reductions 2>&1 | FileCheck %s
// RUN: not spyre-opt %s --inductor-simplify-loops 2>&1 | FileCheck %s
// RUN: not spyre-opt %s --inductor-deps 2>&1 | FileCheck %s
// RUN: not spyre-opt %s --inductor-toposort 2>&1 | FileCheck %s
// RUN: not spyre-opt %s --inductor-dce 2>&1 | FileCheck %s
// RUN: not spyre-opt %s --inductor-fuse=policy=cpp 2>&1 | FileCheck %s

#id = affine_map<(d0) -> (d0)>
!t = tensor<4xf32, #inductor.layout<fixed, [1]>>

inductor.graph @f {
  %x = inductor.input "x" : !t
  // CHECK: fused.mlir:[[#@LINE+1]]:8: error: this operation is a kernel already; the pass takes graphs before scheduling
  %k = inductor.kernel "op0" {
    %a = inductor.pointwise "op0" as "buf0" [4] {
    ^bb0(%i: index):
      %0 = inductor.load %x at #id(%i) : !t -> f32
      inductor.store %0 at #id(%i) : f32
    } : !t
    inductor.yield %a : !t
  } : !t
  inductor.return %k : !t
}

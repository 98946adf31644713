// RUN: spyre-run %s --random-seed 1 --largest 2 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s

// A loop over tiles, which the planner chooses here, goes on from tiles of a tensor that is filled in part. Each was copied as a whole,
// and read what nobody has written; it is made of tiles of the parts now.

// CHECK: a bundle, same results on the simulated card
// CHECK-NOT: different

module attributes {spyre.target = #spyre.target<cores = 1>} {
  func.func @f(
    %v2: tensor<10x768x1xf16>,
    %v4: tensor<10x768x2xf16>,
    %v5: tensor<10x768x1xf16>) -> (tensor<10x768x3xf16>) {
    %v0 = spyre.fill dense<-1.0> : tensor<10x4x192x1xf16>
    %v1 = tensor.collapse_shape %v0 [[0], [1, 2], [3]] : tensor<10x4x192x1xf16> into tensor<10x768x1xf16>
    %v3 = spyre.add %v1, %v2 : (tensor<10x768x1xf16>, tensor<10x768x1xf16>) -> tensor<10x768x1xf16>
    %v6_e = spyre.empty : tensor<10x768x3xf16>
    %v6_1 = tensor.insert_slice %v4 into %v6_e[0, 0, 1] [10, 768, 2] [1, 1, 1] : tensor<10x768x2xf16> into tensor<10x768x3xf16>
    %v6_x = tensor.insert_slice %v3 into %v6_1[0, 0, 0] [10, 768, 1] [1, 1, 1] : tensor<10x768x1xf16> into tensor<10x768x3xf16>
    %v6_y = tensor.insert_slice %v5 into %v6_1[0, 0, 0] [10, 768, 1] [1, 1, 1] : tensor<10x768x1xf16> into tensor<10x768x3xf16>
    %v6 = spyre.maximum %v6_x, %v6_y : tensor<10x768x3xf16>
    return %v6 : tensor<10x768x3xf16>
  }
}

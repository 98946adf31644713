// Devices in upstream's dialect of sharding, whose own passes make programs of one device of these.

// RUN: spyre-opt %s --convert-uop-to-linalg=shard=true --split-input-file --verify-diagnostics -o %t
// RUN: FileCheck %s < %t
// RUN: %{mlir-opt} %t --split-input-file --pass-pipeline='builtin.module(func.func(sharding-propagation,shard-partition,canonicalize))' | FileCheck %s --check-prefix=ONE

// CHECK:       shard.grid @devices(shape = 4)
// CHECK-LABEL: func.func @allgather(
// CHECK-SAME:    %[[X:.+]]: tensor<32xf32>)
// CHECK:         %[[PARTS:.+]] = shard.sharding @devices split_axes = {{\[\[}}0]]
// CHECK:         shard.shard %[[X]] to %[[PARTS]] : tensor<32xf32>
// CHECK:         %[[SUM:.+]] = linalg.generic
// CHECK:         %[[ALL:.+]] = shard.sharding @devices split_axes = {{\[\[}}]]
// CHECK:         shard.shard %[[SUM]] to %[[ALL]] annotate_for_users : tensor<32xf32>
// ONE-LABEL:   func.func @allgather(
// ONE-SAME:      tensor<8xf32>) -> tensor<32xf32>
// ONE:           %[[SUM:.+]] = linalg.generic
// ONE:           -> tensor<8xf32>
// ONE:           shard.all_gather %[[SUM]] on @devices grid_axes = [0] gather_axis = 0 : tensor<8xf32> -> tensor<32xf32>
func.func @allgather(%x: tensor<32xf32> {uop.device = ["d0", "d1", "d2", "d3"], uop.slot = 0 : i64}) -> tensor<32xf32> {
  %0 = uop.add %x, %x : tensor<32xf32>
  %1 = uop.reshape %0 to [1, 32] : tensor<32xf32>
  %2 = uop.expand %1 to [4, 32] : tensor<1x32xf32>
  %3 = uop.copy %2 to ["d0", "d1", "d2", "d3"] : tensor<4x32xf32>
  %4 = uop.replicated %3 axis 0 : tensor<4x32xf32>
  return %4 : tensor<32xf32>
}

// A value of one device outside of the grid, of which each gets a part.
// CHECK-LABEL: func.func @scatter(
// CHECK-NOT:     split_axes = {{\[\[}}]]
// CHECK:         return
// ONE-LABEL:   func.func @scatter(
// ONE-NOT:       tensor<32xf32>
// ONE:           return
func.func @scatter(%x: tensor<32xf32> {uop.device = "h", uop.slot = 0 : i64}) -> tensor<32xf32> {
  %0 = uop.copy %x to ["d0", "d1", "d2", "d3"] : tensor<32xf32>
  %1 = uop.mul %0, %0 : tensor<32xf32>
  return %1 : tensor<32xf32>
}

// -----

func.func @gather(%x: tensor<32xf32> {uop.device = ["d0", "d1"], uop.slot = 0 : i64}) -> tensor<32xf32> {
  // expected-error @+1 {{'shard' can describe tensors that all devices of a grid hold or share, but no copy to 'd0' alone}}
  %0 = uop.copy %x to "d0" : tensor<32xf32>
  return %0 : tensor<32xf32>
}

// -----

func.func @two(%x: tensor<32xf32> {uop.device = ["d0", "d1"], uop.slot = 0 : i64}) -> tensor<32xf32> {
  // expected-error @+1 {{'shard' has one grid, but the program has a second tuple of devices}}
  %0 = uop.copy %x to ["d2", "d3"] : tensor<32xf32>
  return %0 : tensor<32xf32>
}

// -----

func.func @conflict(%x: tensor<4xf32> {uop.device = "d0"}, %y: tensor<4xf32> {uop.device = "d1"}) -> tensor<4xf32> {
  // expected-error @+1 {{[U35]}}
  %0 = uop.add %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A scalar has no axis, and the dialect no sharding without one.
// CHECK-LABEL: func.func @scalar(
// CHECK:         shard.shard
// CHECK:         return %{{.+}} : tensor<f32>
func.func @scalar(%x: tensor<4xf32> {uop.device = ["d0", "d1"], uop.slot = 0 : i64}) -> tensor<f32> {
  %0 = uop.reduce add %x axes [0] : tensor<4xf32>
  %1 = uop.reshape %0 to [] : tensor<1xf32>
  return %1 : tensor<f32>
}

// The collectives on four devices. A tuple shares a value along an axis; without an axis, all devices have the whole value.

// One device to all.
func.func @broadcast(%x: tensor<8xf32> {uop.device = "h", uop.slot = 0 : i64}) -> tensor<8xf32> attributes {uop.devices = ["d0", "d1", "d2", "d3"]} {
  %0 = uop.reshape %x to [1, 8] : tensor<8xf32>
  %1 = uop.expand %0 to [4, 8] : tensor<1x8xf32>
  %2 = uop.copy %1 to ["d0", "d1", "d2", "d3"] : tensor<4x8xf32>
  %3 = uop.replicated %2 axis 0 : tensor<4x8xf32>
  return %3 : tensor<8xf32>
}

// A part of one device to each.
func.func @scatter(%x: tensor<32xf32> {uop.device = "h", uop.slot = 0 : i64}) -> tensor<32xf32> attributes {uop.devices = ["d0", "d1", "d2", "d3"]} {
  %0 = uop.copy %x to ["d0", "d1", "d2", "d3"] : tensor<32xf32>
  return %0 : tensor<32xf32>
}

// All parts to the first device.
func.func @gather(%x: tensor<32xf32> {uop.device = ["d0", "d1", "d2", "d3"], uop.slot = 0 : i64}) -> tensor<32xf32> attributes {uop.devices = ["d0", "d1", "d2", "d3"]} {
  %0 = uop.copy %x to "d0" : tensor<32xf32>
  return %0 : tensor<32xf32>
}

// The sum of all parts on the first device.
func.func @reduce(%x: tensor<32xf32> {uop.device = ["d0", "d1", "d2", "d3"], uop.slot = 0 : i64}) -> tensor<8xf32> attributes {uop.devices = ["d0", "d1", "d2", "d3"]} {
  %0 = uop.copy %x to "d0" : tensor<32xf32>
  %1 = uop.reshape %0 to [4, 8] : tensor<32xf32>
  %2 = uop.reduce add %1 axes [0] : tensor<4x8xf32>
  %3 = uop.reshape %2 to [8] : tensor<1x8xf32>
  return %3 : tensor<8xf32>
}

// All parts to every device.
func.func @allgather(%x: tensor<32xf32> {uop.device = ["d0", "d1", "d2", "d3"], uop.slot = 0 : i64}) -> tensor<32xf32> attributes {uop.devices = ["d0", "d1", "d2", "d3"]} {
  %0 = uop.reshape %x to [1, 32] : tensor<32xf32>
  %1 = uop.expand %0 to [4, 32] : tensor<1x32xf32>
  %2 = uop.copy %1 to ["d0", "d1", "d2", "d3"] : tensor<4x32xf32>
  %3 = uop.replicated %2 axis 0 : tensor<4x32xf32>
  return %3 : tensor<32xf32>
}

// The sum of all parts, a part of it on each device.
func.func @reduce_scatter(%x: tensor<32xf32> {uop.device = ["d0", "d1", "d2", "d3"], uop.slot = 0 : i64}) -> tensor<8xf32> attributes {uop.devices = ["d0", "d1", "d2", "d3"]} {
  %0 = uop.reshape %x to [4, 4, 2] : tensor<32xf32>
  %1 = uop.permute %0 [1, 0, 2] : tensor<4x4x2xf32>
  %2 = uop.copy %1 to ["d0", "d1", "d2", "d3"] : tensor<4x4x2xf32>
  %3 = uop.reduce add %2 axes [1] : tensor<4x4x2xf32>
  %4 = uop.reshape %3 to [8] : tensor<4x1x2xf32>
  return %4 : tensor<8xf32>
}

// The sum of all parts on every device.
func.func @allreduce(%x: tensor<32xf32> {uop.device = ["d0", "d1", "d2", "d3"], uop.slot = 0 : i64}) -> tensor<8xf32> attributes {uop.devices = ["d0", "d1", "d2", "d3"]} {
  %0 = uop.reshape %x to [4, 4, 2] : tensor<32xf32>
  %1 = uop.permute %0 [1, 0, 2] : tensor<4x4x2xf32>
  %2 = uop.copy %1 to ["d0", "d1", "d2", "d3"] : tensor<4x4x2xf32>
  %3 = uop.reduce add %2 axes [1] : tensor<4x4x2xf32>
  %4 = uop.reshape %3 to [8] : tensor<4x1x2xf32>
  %5 = uop.reshape %4 to [1, 8] : tensor<8xf32>
  %6 = uop.expand %5 to [4, 8] : tensor<1x8xf32>
  %7 = uop.copy %6 to ["d0", "d1", "d2", "d3"] : tensor<4x8xf32>
  %8 = uop.replicated %7 axis 0 : tensor<4x8xf32>
  return %8 : tensor<8xf32>
}

// The numbers from 0. The converted program has no sum.
func.func @arange() -> tensor<64xi32> {
  // The prefix sums of ones, minus one.
  %0 = uop.const dense<1> : tensor<i32>
  %1 = uop.reshape %0 to [1] : tensor<i32>
  %2 = uop.expand %1 to [64] : tensor<1xi32>
  %3 = uop.pad %2 at [63] to [127] : tensor<64xi32>
  %4 = uop.reshape %3 to [1, 127] : tensor<127xi32>
  %5 = uop.expand %4 to [65, 127] : tensor<1x127xi32>
  %6 = uop.reshape %5 to [8255] : tensor<65x127xi32>
  %7 = uop.shrink %6 at [0] to [8192] : tensor<8255xi32>
  %8 = uop.reshape %7 to [64, 128] : tensor<8192xi32>
  %9 = uop.shrink %8 at [0, 0] to [64, 64] : tensor<64x128xi32>
  %10 = uop.reduce add %9 axes [1] : tensor<64x64xi32>
  %11 = uop.reshape %10 to [64] : tensor<64x1xi32>
  %12 = uop.const dense<-1> : tensor<i32>
  %13 = uop.reshape %12 to [1] : tensor<i32>
  %14 = uop.expand %13 to [64] : tensor<1xi32>
  %15 = uop.add %11, %14 : tensor<64xi32>
  return %15 : tensor<64xi32>
}

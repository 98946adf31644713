// Rows of a table: a sum over all rows, each multiplied by 1 for the selected row and by 0 for the others.
// The converted program reads the row.
func.func @gather(%table: tensor<128x64xf32>, %index: tensor<32xi32>) -> tensor<32x64xf32> {
  // The prefix sums of ones, minus one.
  %0 = uop.const dense<1> : tensor<i32>
  %1 = uop.reshape %0 to [1] : tensor<i32>
  %2 = uop.expand %1 to [128] : tensor<1xi32>
  %3 = uop.pad %2 at [127] to [255] : tensor<128xi32>
  %4 = uop.reshape %3 to [1, 255] : tensor<255xi32>
  %5 = uop.expand %4 to [129, 255] : tensor<1x255xi32>
  %6 = uop.reshape %5 to [32895] : tensor<129x255xi32>
  %7 = uop.shrink %6 at [0] to [32768] : tensor<32895xi32>
  %8 = uop.reshape %7 to [128, 256] : tensor<32768xi32>
  %9 = uop.shrink %8 at [0, 0] to [128, 128] : tensor<128x256xi32>
  %10 = uop.reduce add %9 axes [1] : tensor<128x128xi32>
  %11 = uop.reshape %10 to [128] : tensor<128x1xi32>
  %12 = uop.const dense<-1> : tensor<i32>
  %13 = uop.reshape %12 to [1] : tensor<i32>
  %14 = uop.expand %13 to [128] : tensor<1xi32>
  %15 = uop.add %11, %14 : tensor<128xi32>
  %16 = uop.reshape %15 to [128, 1, 1] : tensor<128xi32>
  %17 = uop.expand %16 to [128, 32, 64] : tensor<128x1x1xi32>
  %18 = uop.reshape %index to [1, 32, 1] : tensor<32xi32>
  %19 = uop.expand %18 to [128, 32, 64] : tensor<1x32x1xi32>
  %20 = uop.cmpeq %17, %19 : tensor<128x32x64xi32>
  %21 = uop.cast %20 : tensor<128x32x64xi1> to tensor<128x32x64xf32>
  %22 = uop.reshape %table to [128, 1, 64] : tensor<128x64xf32>
  %23 = uop.expand %22 to [128, 32, 64] : tensor<128x1x64xf32>
  %24 = uop.mul %23, %21 : tensor<128x32x64xf32>
  %25 = uop.reduce add %24 axes [0] : tensor<128x32x64xf32>
  %26 = uop.reshape %25 to [32, 64] : tensor<1x32x64xf32>
  return %26 : tensor<32x64xf32>
}

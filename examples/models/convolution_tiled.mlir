// convolution.mlir in tiles. The rows of the image are visited 8 at a time: their points are whole sticks.

!image = tensor<16x32x32xf16>     // channels, height, width
!padded = tensor<16x34x34xf16>
!flat = tensor<16x1024xf16>       // channels, points
!columns = tensor<144x1024xf16>   // 9 windows of 16 channels, points
!w = tensor<32x144xf16>
!b = tensor<32x1xf16>
!flat_y = tensor<32x1024xf16>
!y = tensor<32x32x32xf16>

func.func @convolution(
    %image: !image {spyre.dims = ["C", "Y", "X"]},
    %w: !w {spyre.dims = ["O", "K"]},
    %b: !b {spyre.dims = ["O", "U"]}) -> !y attributes {spyre.tile_scopes = [
    #spyre.tile_scope<"Y" in 4, ops 0 to 2>]} {
  %zero = spyre.fill dense<0.0> : !padded
  %padded = tensor.insert_slice %image into %zero[0, 1, 1] [16, 32, 32] [1, 1, 1] : !image into !padded
  %columns = spyre.empty {spyre.dims = ["K", #spyre.merged<"Y" of 32, "X" of 32>]} : !columns
  %w00 = tensor.extract_slice %padded[0, 0, 0] [16, 32, 32] [1, 1, 1] : !padded to !image
  %f00 = tensor.collapse_shape %w00 [[0], [1, 2]] : !image into !flat
  %c00 = tensor.insert_slice %f00 into %columns[0, 0] [16, 1024] [1, 1] : !flat into !columns
  %w01 = tensor.extract_slice %padded[0, 0, 1] [16, 32, 32] [1, 1, 1] : !padded to !image
  %f01 = tensor.collapse_shape %w01 [[0], [1, 2]] : !image into !flat
  %c01 = tensor.insert_slice %f01 into %c00[16, 0] [16, 1024] [1, 1] : !flat into !columns
  %w02 = tensor.extract_slice %padded[0, 0, 2] [16, 32, 32] [1, 1, 1] : !padded to !image
  %f02 = tensor.collapse_shape %w02 [[0], [1, 2]] : !image into !flat
  %c02 = tensor.insert_slice %f02 into %c01[32, 0] [16, 1024] [1, 1] : !flat into !columns
  %w10 = tensor.extract_slice %padded[0, 1, 0] [16, 32, 32] [1, 1, 1] : !padded to !image
  %f10 = tensor.collapse_shape %w10 [[0], [1, 2]] : !image into !flat
  %c10 = tensor.insert_slice %f10 into %c02[48, 0] [16, 1024] [1, 1] : !flat into !columns
  %w11 = tensor.extract_slice %padded[0, 1, 1] [16, 32, 32] [1, 1, 1] : !padded to !image
  %f11 = tensor.collapse_shape %w11 [[0], [1, 2]] : !image into !flat
  %c11 = tensor.insert_slice %f11 into %c10[64, 0] [16, 1024] [1, 1] : !flat into !columns
  %w12 = tensor.extract_slice %padded[0, 1, 2] [16, 32, 32] [1, 1, 1] : !padded to !image
  %f12 = tensor.collapse_shape %w12 [[0], [1, 2]] : !image into !flat
  %c12 = tensor.insert_slice %f12 into %c11[80, 0] [16, 1024] [1, 1] : !flat into !columns
  %w20 = tensor.extract_slice %padded[0, 2, 0] [16, 32, 32] [1, 1, 1] : !padded to !image
  %f20 = tensor.collapse_shape %w20 [[0], [1, 2]] : !image into !flat
  %c20 = tensor.insert_slice %f20 into %c12[96, 0] [16, 1024] [1, 1] : !flat into !columns
  %w21 = tensor.extract_slice %padded[0, 2, 1] [16, 32, 32] [1, 1, 1] : !padded to !image
  %f21 = tensor.collapse_shape %w21 [[0], [1, 2]] : !image into !flat
  %c21 = tensor.insert_slice %f21 into %c20[112, 0] [16, 1024] [1, 1] : !flat into !columns
  %w22 = tensor.extract_slice %padded[0, 2, 2] [16, 32, 32] [1, 1, 1] : !padded to !image
  %f22 = tensor.collapse_shape %w22 [[0], [1, 2]] : !image into !flat
  %c22 = tensor.insert_slice %f22 into %c21[128, 0] [16, 1024] [1, 1] : !flat into !columns
  %y0 = spyre.batchmatmul %w, %c22 : (!w, !columns) -> !flat_y
  %y1 = spyre.add %y0, %b : (!flat_y, !b) -> !flat_y
  %y2 = spyre.relufwd %y1 : !flat_y
  %y = tensor.expand_shape %y2 [[0], [1, 2]] output_shape [32, 32, 32] : !flat_y into !y
  return %y : !y
}

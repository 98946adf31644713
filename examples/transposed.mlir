func.func @transposed(%a: tensor<256x512xf16>, %b: tensor<256x512xf16>, %x: tensor<512x256xf16>) -> tensor<512x256xf16> {
  %at = spyre.permute %a [1, 0] : tensor<256x512xf16> to tensor<512x256xf16>
  %bt = spyre.permute %b [1, 0] : tensor<256x512xf16> to tensor<512x256xf16>
  %s = spyre.add %at, %bt : tensor<512x256xf16>
  %y = spyre.add %s, %x : tensor<512x256xf16>
  return %y : tensor<512x256xf16>
}

// greedy_token.mlir in tiles. The tokens are visited 32 at a time, the vocabulary in 5 tiles of whole sticks. The search
// follows the loop over the vocabulary: dimensions of the logits and of their sticks differ.

!ids = tensor<64xi32>
!table = tensor<8000x256xf16>    // vocabulary, hidden
!transposed = tensor<256x8000xf16>
!x = tensor<64x256xf16>          // tokens, hidden
!last = tensor<1x256xf16>
!number = tensor<1x1xf16>
!one = tensor<1xf16>
!norm = tensor<256xf16>
!logits = tensor<1x8000xf16>
!line = tensor<8000xf16>
!sticks = tensor<125x64xf16>     // stick, place in it
!places = tensor<1x64xf16>

func.func @greedy_token(
    %ids: !ids {spyre.dims = ["S"]},
    %table: !table {spyre.dims = ["V", "E"]},
    %positions: !x {spyre.dims = ["S", "E"]},
    %norm: !norm {spyre.dims = ["E"]}) -> (!logits, !places, !places) attributes {spyre.tile_scopes = [
    #spyre.tile_scope<"S" in 2, ops 0 to 1>,
    #spyre.tile_scope<"V" in 5, ops 8 to 8>]} {
  %x0 = spyre.gather %ids, %table dim 0 : (!ids, !table) -> !x
  %x = spyre.add %x0, %positions : !x
  %last = tensor.extract_slice %x[63, 0] [1, 256] [1, 1] : !x to !last
  %x2 = spyre.mul %last, %last : !last
  %ms = spyre.mean %x2 dims [1] keepdim : (!last) -> !number
  %eps = spyre.fill dense<1.0e-5> : !one
  %mse = spyre.add %ms, %eps : (!number, !one) -> !number
  %rms = spyre.rsqrt %mse : !number
  %xr = spyre.mul %last, %rms : (!last, !number) -> !last
  %h = spyre.mul %xr, %norm : (!last, !norm) -> !last
  %transposed = spyre.permute %table [1, 0] : !table to !transposed
  %logits = spyre.batchmatmul %h, %transposed : (!last, !transposed) -> !logits
  %line = tensor.collapse_shape %logits [[0, 1]] : !logits into !line
  %sticks = tensor.expand_shape %line [[0, 1]] output_shape [125, 64] : !line into !sticks
  %most = spyre.topkvalue %sticks dim 0 k 1 : (!sticks) -> !places
  %stick = spyre.topkindex %sticks dim 0 k 1 : (!sticks) -> !places
  return %logits, %most, %stick : !logits, !places, !places
}

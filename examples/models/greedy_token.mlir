// The two ends of a language model: embeddings of 64 tokens out of 8,000, RMSNorm, the logits of the last token, with
// the same table, and the token with the largest one.
//
// The card returns positions as floats in the format of the searched values, and f16 cannot represent 8,000 of them. So
// the logits are searched as 125 sticks of 64: for each position in a stick, the largest logit and its stick. The host
// selects the largest of these 64: the token is 64 times its stick, plus its position.

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

func.func @greedy_token(%ids: !ids, %table: !table, %positions: !x, %norm: !norm) -> (!logits, !places, !places) {
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

// The two ends of a language model: embeddings of 64 tokens out of 8,000, RMSNorm, the logits of the last token, with
// the same table, and the token with the largest one.

!ids = tensor<64xi32>
!table = tensor<8000x256xf16>    // vocabulary, hidden
!transposed = tensor<256x8000xf16>
!x = tensor<64x256xf16>          // tokens, hidden
!last = tensor<1x256xf16>
!number = tensor<1x1xf16>
!one = tensor<1xf16>
!norm = tensor<256xf16>
!logits = tensor<1x8000xf16>
!token = tensor<1x1xi32>

func.func @greedy_token(%ids: !ids, %table: !table, %positions: !x, %norm: !norm) -> (!logits, !token) {
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
  %token = spyre.topkindex %logits dim 1 k 1 : (!logits) -> !token
  return %logits, %token : !logits, !token
}

// attention_heads_96.mlir in tiles. The scores and the softmax are computed for 2 heads and 64 tokens at a time.
// Tokens are called S, tokens of keys and values T.

!x = tensor<128x384xf16>    // tokens, hidden
!w = tensor<384x384xf16>
!b = tensor<384xf16>
!shd = tensor<128x4x96xf16> // tokens, heads, head
!hsd = tensor<4x128x96xf16>
!hds = tensor<4x96x128xf16>
!scores = tensor<4x128x128xf16>
!row = tensor<4x128x1xf16>
!one = tensor<1xf16>

func.func @attention(
    %x: !x {spyre.dims = ["S", "E"]},
    %wq: !w {spyre.dims = ["E", #spyre.merged<"H" of 4, "D" of 96>]},
    %bq: !b {spyre.dims = [#spyre.merged<"H" of 4, "D" of 96>]},
    %wk: !w {spyre.dims = ["E", #spyre.merged<"H" of 4, "D" of 96>]},
    %bk: !b {spyre.dims = [#spyre.merged<"H" of 4, "D" of 96>]},
    %wv: !w {spyre.dims = ["E", #spyre.merged<"H" of 4, "D" of 96>]},
    %bv: !b {spyre.dims = [#spyre.merged<"H" of 4, "D" of 96>]},
    %wo: !w {spyre.dims = [#spyre.merged<"H" of 4, "D" of 96>, "E"]},
    %bo: !b {spyre.dims = ["E"]}) -> !x attributes {spyre.tile_scopes = [
    #spyre.tile_scope<"S" in 4, ops 0 to 5>,
    #spyre.tile_scope<"H" in 2, "S" in 2, ops 6 to 13>,
    #spyre.tile_scope<"S" in 4, ops 14 to 15>]} {
  %q0 = spyre.batchmatmul %x, %wq : (!x, !w) -> !x
  %q1 = spyre.add %q0, %bq : (!x, !b) -> !x
  %k0 = spyre.batchmatmul %x, %wk : (!x, !w) -> !x
  %k1 = spyre.add %k0, %bk : (!x, !b) -> !x
  %v0 = spyre.batchmatmul %x, %wv : (!x, !w) -> !x
  %v1 = spyre.add %v0, %bv : (!x, !b) -> !x
  %q2 = tensor.expand_shape %q1 [[0], [1, 2]] output_shape [128, 4, 96] : !x into !shd
  %k2 = tensor.expand_shape %k1 [[0], [1, 2]] output_shape [128, 4, 96] : !x into !shd
  %v2 = tensor.expand_shape %v1 [[0], [1, 2]] output_shape [128, 4, 96] : !x into !shd
  %q = spyre.permute %q2 [1, 0, 2] : !shd to !hsd
  %k = spyre.permute %k2 [1, 2, 0] {spyre.dims = ["H", "D", "T"]} : !shd to !hds
  %v = spyre.permute %v2 [1, 0, 2] {spyre.dims = ["H", "T", "D"]} : !shd to !hsd

  %s0 = spyre.batchmatmul %q, %k : (!hsd, !hds) -> !scores
  %scale = spyre.fill dense<0.1020620726> : !one
  %s = spyre.mul %s0, %scale : (!scores, !one) -> !scores
  %max = spyre.max %s dims [2] keepdim : (!scores) -> !row
  %diff = spyre.sub %s, %max : (!scores, !row) -> !scores
  %e = spyre.exp %diff : !scores
  %sum = spyre.sum %e dims [2] keepdim : (!scores) -> !row
  %p = spyre.realdiv %e, %sum : (!scores, !row) -> !scores
  %o0 = spyre.batchmatmul %p, %v : (!scores, !hsd) -> !hsd

  %o1 = spyre.permute %o0 [1, 0, 2] : !hsd to !shd
  %o2 = tensor.collapse_shape %o1 [[0], [1, 2]] : !shd into !x
  %o3 = spyre.batchmatmul %o2, %wo : (!x, !w) -> !x
  %y = spyre.add %o3, %bo : (!x, !b) -> !x
  return %y : !x
}

// bert.mlir in tiles. Attention is computed for 3 heads at a time, all else for 32 tokens. Tokens are called S, tokens
// of keys and values T.

!x = tensor<128x768xf16>         // tokens, hidden
!column = tensor<128x1xf16>      // one number for each token
!pair = tensor<128x2xf16>        // the mean of each token and the mean of squares
!one = tensor<1xf16>
!b = tensor<768xf16>
!wqkv = tensor<768x2304xf16>
!bqkv = tensor<2304xf16>
!qkv = tensor<128x2304xf16>
!w = tensor<768x768xf16>
!wup = tensor<768x3072xf16>
!bup = tensor<3072xf16>
!wdown = tensor<3072x768xf16>
!mlp = tensor<128x3072xf16>
!mask = tensor<128xf16>
!shd = tensor<128x12x64xf16>     // tokens, heads, head
!hsd = tensor<12x128x64xf16>
!hds = tensor<12x64x128xf16>
!scores = tensor<12x128x128xf16>
!row = tensor<12x128x1xf16>

func.func @bert(
    %x: !x {spyre.dims = ["S", "E"]},
    %wqkv: !wqkv {spyre.dims = ["E", #spyre.merged<"P" of 3, "H" of 12, "D" of 64>]},
    %bqkv: !bqkv {spyre.dims = [#spyre.merged<"P" of 3, "H" of 12, "D" of 64>]},
    %mask: !mask {spyre.dims = ["T"]},
    %wo: !w {spyre.dims = [#spyre.merged<"H" of 12, "D" of 64>, "E"]},
    %bo: !b {spyre.dims = ["E"]},
    %g1: !b {spyre.dims = ["E"]},
    %b1: !b {spyre.dims = ["E"]},
    %wup: !wup {spyre.dims = ["E", "F"]},
    %bup: !bup {spyre.dims = ["F"]},
    %wdown: !wdown {spyre.dims = ["F", "E"]},
    %bdown: !b {spyre.dims = ["E"]},
    %g2: !b {spyre.dims = ["E"]},
    %b2: !b {spyre.dims = ["E"]}) -> !x attributes {spyre.tile_scopes = [
    #spyre.tile_scope<"S" in 4, ops 0 to 1>,
    #spyre.tile_scope<"H" in 4, ops 2 to 10>,
    #spyre.tile_scope<"S" in 4, ops 11 to 25>]} {

  // One product for queries, keys and values, cut in three.
  %qkv0 = spyre.batchmatmul %x, %wqkv : (!x, !wqkv) -> !qkv
  %qkv = spyre.add %qkv0, %bqkv : (!qkv, !bqkv) -> !qkv
  %q0 = tensor.extract_slice %qkv[0, 0] [128, 768] [1, 1] : !qkv to !x
  %k0 = tensor.extract_slice %qkv[0, 768] [128, 768] [1, 1] : !qkv to !x
  %v0 = tensor.extract_slice %qkv[0, 1536] [128, 768] [1, 1] : !qkv to !x
  %q1 = tensor.expand_shape %q0 [[0], [1, 2]] output_shape [128, 12, 64] : !x into !shd
  %k1 = tensor.expand_shape %k0 [[0], [1, 2]] output_shape [128, 12, 64] : !x into !shd
  %v1 = tensor.expand_shape %v0 [[0], [1, 2]] output_shape [128, 12, 64] : !x into !shd
  %q = spyre.permute %q1 [1, 0, 2] : !shd to !hsd
  %k2 = spyre.permute %k1 [1, 0, 2] : !shd to !hsd
  %v = spyre.permute %v1 [1, 0, 2] {spyre.dims = ["H", "T", "D"]} : !shd to !hsd
  %k = spyre.permute %k2 [0, 2, 1] {spyre.dims = ["H", "D", "T"]} : !hsd to !hds

  // Attention.
  %s0 = spyre.batchmatmul %q, %k : (!hsd, !hds) -> !scores
  %scale = spyre.fill dense<0.125> : !one
  %s1 = spyre.mul %s0, %scale : (!scores, !one) -> !scores
  %s = spyre.add %s1, %mask : (!scores, !mask) -> !scores
  %max = spyre.max %s dims [2] keepdim : (!scores) -> !row
  %diff = spyre.sub %s, %max : (!scores, !row) -> !scores
  %e = spyre.exp %diff : !scores
  %sum = spyre.sum %e dims [2] keepdim : (!scores) -> !row
  %p = spyre.realdiv %e, %sum : (!scores, !row) -> !scores
  %o0 = spyre.batchmatmul %p, %v : (!scores, !hsd) -> !hsd
  %o1 = spyre.permute %o0 [1, 0, 2] : !hsd to !shd
  %o2 = tensor.collapse_shape %o1 [[0], [1, 2]] : !shd into !x
  %o3 = spyre.batchmatmul %o2, %wo : (!x, !w) -> !x
  %o = spyre.add %o3, %bo : (!x, !b) -> !x

  // Sum and layer norm.
  %y = spyre.add %x, %o : !x
  %pair1 = spyre.exx2 %y : (!x) -> !pair
  %r1 = spyre.layernormscale %pair1 eps 1.0e-5 : (!pair) -> !column
  %h = spyre.layernormnorm %y, %pair1, %r1, %g1, %b1 : (!x, !pair, !column, !b, !b) -> !x

  // MLP.
  %u0 = spyre.batchmatmul %h, %wup : (!x, !wup) -> !mlp
  %u = spyre.add %u0, %bup : (!mlp, !bup) -> !mlp
  %a = spyre.gelufwd %u : !mlp
  %d0 = spyre.batchmatmul %a, %wdown : (!mlp, !wdown) -> !x
  %d = spyre.add %d0, %bdown : (!x, !b) -> !x

  // Sum and layer norm.
  %z = spyre.add %h, %d : !x
  %pair2 = spyre.exx2 %z : (!x) -> !pair
  %r2 = spyre.layernormscale %pair2 eps 1.0e-5 : (!pair) -> !column
  %out = spyre.layernormnorm %z, %pair2, %r2, %g2, %b2 : (!x, !pair, !column, !b, !b) -> !x
  return %out : !x
}

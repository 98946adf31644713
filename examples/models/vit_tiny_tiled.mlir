// vit_tiny.mlir in tiles. Attention is computed for one head at a time, all else for 50 tokens: the last tile has 47.
// Tokens are called S, tokens of keys and values T.

!x = tensor<197x192xf16>         // tokens, hidden
!column = tensor<197x1xf16>      // one number for each token
!pair = tensor<197x2xf16>        // the mean of each token and the mean of squares
!one = tensor<1xf16>
!b = tensor<192xf16>
!wqkv = tensor<192x576xf16>
!bqkv = tensor<576xf16>
!qkv = tensor<197x576xf16>
!s3hd = tensor<197x3x3x64xf16>   // tokens, one of queries, keys and values, heads, head
!t3hsd = tensor<3x3x197x64xf16>
!w = tensor<192x192xf16>
!wup = tensor<192x768xf16>
!bup = tensor<768xf16>
!wdown = tensor<768x192xf16>
!mlp = tensor<197x768xf16>
!shd = tensor<197x3x64xf16>      // tokens, heads, head
!hsd = tensor<3x197x64xf16>
!hds = tensor<3x64x197xf16>
!scores = tensor<3x197x197xf16>
!row = tensor<3x197x1xf16>

func.func @vit(
    %x: !x {spyre.dims = ["S", "E"]},
    %g1: !b {spyre.dims = ["E"]},
    %b1: !b {spyre.dims = ["E"]},
    %wqkv: !wqkv {spyre.dims = ["E", #spyre.merged<"P" of 3, "H" of 3, "D" of 64>]},
    %bqkv: !bqkv {spyre.dims = [#spyre.merged<"P" of 3, "H" of 3, "D" of 64>]},
    %wo: !w {spyre.dims = [#spyre.merged<"H" of 3, "D" of 64>, "E"]},
    %bo: !b {spyre.dims = ["E"]},
    %g2: !b {spyre.dims = ["E"]},
    %b2: !b {spyre.dims = ["E"]},
    %wup: !wup {spyre.dims = ["E", "F"]},
    %bup: !bup {spyre.dims = ["F"]},
    %wdown: !wdown {spyre.dims = ["F", "E"]},
    %bdown: !b {spyre.dims = ["E"]}) -> !x attributes {spyre.tile_scopes = [
    #spyre.tile_scope<"S" in 4, ops 0 to 4>,
    #spyre.tile_scope<"H" in 3, ops 5 to 12>,
    #spyre.tile_scope<"S" in 4, ops 13 to 24>]} {
  // Layer norm.
  %pair1 = spyre.exx2 %x : (!x) -> !pair
  %r1 = spyre.layernormscale %pair1 eps 1.0e-5 : (!pair) -> !column
  %h = spyre.layernormnorm %x, %pair1, %r1, %g1, %b1 : (!x, !pair, !column, !b, !b) -> !x

  // One product, reshaped to (tokens, 3, heads, head) and permuted to (3, heads, tokens, head).
  %qkv0 = spyre.batchmatmul %h, %wqkv : (!x, !wqkv) -> !qkv
  %qkv1 = spyre.add %qkv0, %bqkv : (!qkv, !bqkv) -> !qkv
  %qkv2 = tensor.expand_shape %qkv1 [[0], [1, 2, 3]] output_shape [197, 3, 3, 64] : !qkv into !s3hd
  %qkv = spyre.permute %qkv2 [1, 2, 0, 3] : !s3hd to !t3hsd
  %q = tensor.extract_slice %qkv[0, 0, 0, 0] [1, 3, 197, 64] [1, 1, 1, 1] : !t3hsd to !hsd
  %k0 = tensor.extract_slice %qkv[1, 0, 0, 0] [1, 3, 197, 64] [1, 1, 1, 1] : !t3hsd to !hsd
  %v = tensor.extract_slice %qkv[2, 0, 0, 0] [1, 3, 197, 64] [1, 1, 1, 1] {spyre.dims = ["H", "T", "D"]}
    : !t3hsd to !hsd
  %k = spyre.permute %k0 [0, 2, 1] {spyre.dims = ["H", "D", "T"]} : !hsd to !hds

  // Attention.
  %scale = spyre.fill dense<0.125> : !one
  %qs = spyre.mul %q, %scale : (!hsd, !one) -> !hsd
  %s = spyre.batchmatmul %qs, %k : (!hsd, !hds) -> !scores
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
  %y = spyre.add %x, %o : !x

  // Layer norm and MLP.
  %pair2 = spyre.exx2 %y : (!x) -> !pair
  %r2 = spyre.layernormscale %pair2 eps 1.0e-5 : (!pair) -> !column
  %yn = spyre.layernormnorm %y, %pair2, %r2, %g2, %b2 : (!x, !pair, !column, !b, !b) -> !x
  %u0 = spyre.batchmatmul %yn, %wup : (!x, !wup) -> !mlp
  %u = spyre.add %u0, %bup : (!mlp, !bup) -> !mlp
  %a = spyre.gelufwd %u : !mlp
  %d0 = spyre.batchmatmul %a, %wdown : (!mlp, !wdown) -> !x
  %d = spyre.add %d0, %bdown : (!x, !b) -> !x
  %z = spyre.add %y, %d : !x
  return %z : !x
}

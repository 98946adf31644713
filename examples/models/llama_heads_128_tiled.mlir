// llama_heads_128.mlir in tiles. Rotary embedding and attention are computed for one head of keys and values, and the
// 4 heads that share it, at a time, all else for 32 tokens. Tokens are called S, tokens of keys and values T.

!x = tensor<128x1024xf16>    // tokens, hidden
!column = tensor<128x1xf16>  // one number for each token
!one = tensor<1xf16>
!norm = tensor<1024xf16>
!wq = tensor<1024x1024xf16>
!wkv = tensor<1024x256xf16>
!kv = tensor<128x256xf16>
!up = tensor<1024x2816xf16>
!down = tensor<2816x1024xf16>
!mlp = tensor<128x2816xf16>
!table = tensor<128x128xf16> // tokens, head
!mask = tensor<128x128xf16>
!shd = tensor<128x8x128xf16> // tokens, heads, head
!hsd = tensor<8x128x128xf16>
!half = tensor<8x128x64xf16>
!skd = tensor<128x2x128xf16> // tokens, heads of keys and values, head
!ksd = tensor<2x128x128xf16>
!khalf = tensor<2x128x64xf16>
!kds = tensor<2x128x128xf16>
!q = tensor<2x4x128x128xf16> // heads of keys and values, heads that share one, tokens, head
!k = tensor<2x1x128x128xf16>
!v = tensor<2x1x128x128xf16>
!scores = tensor<2x4x128x128xf16>
!row = tensor<2x4x128x1xf16>

func.func @llama(
    %x: !x {spyre.dims = ["S", "E"]},
    %norm1: !norm {spyre.dims = ["E"]},
    %wq: !wq {spyre.dims = ["E", #spyre.merged<"K" of 2, "G" of 4, "D" of 128>]},
    %wk: !wkv {spyre.dims = ["E", #spyre.merged<"K" of 2, "D" of 128>]},
    %wv: !wkv {spyre.dims = ["E", #spyre.merged<"K" of 2, "D" of 128>]},
    %wo: !wq {spyre.dims = [#spyre.merged<"K" of 2, "G" of 4, "D" of 128>, "E"]},
    %cos: !table {spyre.dims = ["S", "D"]},
    %sin: !table {spyre.dims = ["S", "D"]},
    %mask: !mask {spyre.dims = ["S", "T"]},
    %norm2: !norm {spyre.dims = ["E"]},
    %wgate: !up {spyre.dims = ["E", "F"]},
    %wup: !up {spyre.dims = ["E", "F"]},
    %wdown: !down {spyre.dims = ["F", "E"]}) -> !x attributes {spyre.tile_scopes = [
    #spyre.tile_scope<"S" in 4, ops 0 to 8>,
    #spyre.tile_scope<"K" in 2, ops 9 to 25>,
    #spyre.tile_scope<"S" in 4, ops 26 to 39>]} {
  %eps = spyre.fill dense<1.0e-5> : !one

  // RMSNorm.
  %x2 = spyre.mul %x, %x : !x
  %ms = spyre.mean %x2 dims [1] keepdim : (!x) -> !column
  %mse = spyre.add %ms, %eps : (!column, !one) -> !column
  %rms = spyre.rsqrt %mse : !column
  %xr = spyre.mul %x, %rms : (!x, !column) -> !x
  %h = spyre.mul %xr, %norm1 : (!x, !norm) -> !x

  // Queries, keys and values, by heads.
  %q0 = spyre.batchmatmul %h, %wq : (!x, !wq) -> !x
  %k0 = spyre.batchmatmul %h, %wk : (!x, !wkv) -> !kv
  %v0 = spyre.batchmatmul %h, %wv : (!x, !wkv) -> !kv
  %q1 = tensor.expand_shape %q0 [[0], [1, 2]] output_shape [128, 8, 128] : !x into !shd
  %k1 = tensor.expand_shape %k0 [[0], [1, 2]] output_shape [128, 2, 128] : !kv into !skd
  %v1 = tensor.expand_shape %v0 [[0], [1, 2]] output_shape [128, 2, 128] : !kv into !skd
  %q2 = spyre.permute %q1 [1, 0, 2] : !shd to !hsd
  %k2 = spyre.permute %k1 [1, 0, 2] : !skd to !ksd
  %v2 = spyre.permute %v1 [1, 0, 2] {spyre.dims = ["K", "T", "D"]} : !skd to !ksd

  // Rotary embedding: x * cos + (-x[D/2:], x[:D/2]) * sin.
  %qlow = tensor.extract_slice %q2[0, 0, 0] [8, 128, 64] [1, 1, 1] : !hsd to !half
  %qhigh = tensor.extract_slice %q2[0, 0, 64] [8, 128, 64] [1, 1, 1] : !hsd to !half
  %qneg = spyre.neg %qhigh : !half
  %qe = spyre.empty {spyre.dims = [#spyre.merged<"K" of 2, "G" of 4>, "S", "D"]} : !hsd
  %qr0 = tensor.insert_slice %qneg into %qe[0, 0, 0] [8, 128, 64] [1, 1, 1] : !half into !hsd
  %qr = tensor.insert_slice %qlow into %qr0[0, 0, 64] [8, 128, 64] [1, 1, 1] : !half into !hsd
  %qc = spyre.mul %q2, %cos : (!hsd, !table) -> !hsd
  %qs = spyre.mul %qr, %sin : (!hsd, !table) -> !hsd
  %q3 = spyre.add %qc, %qs : !hsd
  %klow = tensor.extract_slice %k2[0, 0, 0] [2, 128, 64] [1, 1, 1] : !ksd to !khalf
  %khigh = tensor.extract_slice %k2[0, 0, 64] [2, 128, 64] [1, 1, 1] : !ksd to !khalf
  %kneg = spyre.neg %khigh : !khalf
  %ke = spyre.empty {spyre.dims = ["K", "S", "D"]} : !ksd
  %kr0 = tensor.insert_slice %kneg into %ke[0, 0, 0] [2, 128, 64] [1, 1, 1] : !khalf into !ksd
  %kr = tensor.insert_slice %klow into %kr0[0, 0, 64] [2, 128, 64] [1, 1, 1] : !khalf into !ksd
  %kc = spyre.mul %k2, %cos : (!ksd, !table) -> !ksd
  %ks = spyre.mul %kr, %sin : (!ksd, !table) -> !ksd
  %k3 = spyre.add %kc, %ks : !ksd

  // Attention. 4 heads of queries share one of keys and values, which broadcasts.
  %q4 = tensor.expand_shape %q3 [[0, 1], [2], [3]] output_shape [2, 4, 128, 128] : !hsd into !q
  %k4 = spyre.permute %k3 [0, 2, 1] {spyre.dims = ["K", "D", "T"]} : !ksd to !kds
  %k5 = tensor.expand_shape %k4 [[0, 1], [2], [3]] output_shape [2, 1, 128, 128] : !kds into !k
  %v3 = tensor.expand_shape %v2 [[0, 1], [2], [3]] output_shape [2, 1, 128, 128] : !ksd into !v
  %s0 = spyre.batchmatmul %q4, %k5 : (!q, !k) -> !scores
  %scale = spyre.fill dense<0.08838834764> : !one
  %s1 = spyre.mul %s0, %scale : (!scores, !one) -> !scores
  %s = spyre.add %s1, %mask : (!scores, !mask) -> !scores
  %max = spyre.max %s dims [3] keepdim : (!scores) -> !row
  %diff = spyre.sub %s, %max : (!scores, !row) -> !scores
  %e = spyre.exp %diff : !scores
  %sum = spyre.sum %e dims [3] keepdim : (!scores) -> !row
  %p = spyre.realdiv %e, %sum : (!scores, !row) -> !scores
  %o0 = spyre.batchmatmul %p, %v3 : (!scores, !v) -> !q
  %o1 = tensor.collapse_shape %o0 [[0, 1], [2], [3]] : !q into !hsd
  %o2 = spyre.permute %o1 [1, 0, 2] : !hsd to !shd
  %o3 = tensor.collapse_shape %o2 [[0], [1, 2]] : !shd into !x
  %o = spyre.batchmatmul %o3, %wo : (!x, !wq) -> !x
  %y = spyre.add %x, %o : !x

  // RMSNorm and MLP.
  %y2 = spyre.mul %y, %y : !x
  %yms = spyre.mean %y2 dims [1] keepdim : (!x) -> !column
  %ymse = spyre.add %yms, %eps : (!column, !one) -> !column
  %yrms = spyre.rsqrt %ymse : !column
  %yr = spyre.mul %y, %yrms : (!x, !column) -> !x
  %yn = spyre.mul %yr, %norm2 : (!x, !norm) -> !x
  %gate = spyre.batchmatmul %yn, %wgate : (!x, !up) -> !mlp
  %act = spyre.silu %gate : !mlp
  %upper = spyre.batchmatmul %yn, %wup : (!x, !up) -> !mlp
  %hidden = spyre.mul %act, %upper : !mlp
  %lower = spyre.batchmatmul %hidden, %wdown : (!mlp, !down) -> !x
  %z = spyre.add %y, %lower : !x
  return %z : !x
}

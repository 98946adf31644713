// A layer of BERT-base: 128 tokens, hidden size 768, one product for queries, keys and values, 12 heads of 64, a mask,
// an MLP of 3,072 with GELU, and layer norm behind each half.

!x = tensor<128x768xf16>         // tokens, hidden
!column = tensor<128x1xf16>      // one number for each token
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

func.func @bert(%x: !x, %wqkv: !wqkv, %bqkv: !bqkv, %mask: !mask, %wo: !w, %bo: !b, %g1: !b, %b1: !b,
    %wup: !wup, %bup: !bup, %wdown: !wdown, %bdown: !b, %g2: !b, %b2: !b) -> !x {
  %eps = spyre.fill dense<1.0e-5> : !one

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
  %v = spyre.permute %v1 [1, 0, 2] : !shd to !hsd
  %k = spyre.permute %k2 [0, 2, 1] : !hsd to !hds

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
  %m1 = spyre.mean %y dims [1] keepdim : (!x) -> !column
  %c1 = spyre.sub %y, %m1 : (!x, !column) -> !x
  %sq1 = spyre.mul %c1, %c1 : !x
  %var1 = spyre.mean %sq1 dims [1] keepdim : (!x) -> !column
  %ve1 = spyre.add %var1, %eps : (!column, !one) -> !column
  %r1 = spyre.rsqrt %ve1 : !column
  %n1 = spyre.mul %c1, %r1 : (!x, !column) -> !x
  %ng1 = spyre.mul %n1, %g1 : (!x, !b) -> !x
  %h = spyre.add %ng1, %b1 : (!x, !b) -> !x

  // MLP.
  %u0 = spyre.batchmatmul %h, %wup : (!x, !wup) -> !mlp
  %u = spyre.add %u0, %bup : (!mlp, !bup) -> !mlp
  %a = spyre.gelufwd %u : !mlp
  %d0 = spyre.batchmatmul %a, %wdown : (!mlp, !wdown) -> !x
  %d = spyre.add %d0, %bdown : (!x, !b) -> !x

  // Sum and layer norm.
  %z = spyre.add %h, %d : !x
  %m2 = spyre.mean %z dims [1] keepdim : (!x) -> !column
  %c2 = spyre.sub %z, %m2 : (!x, !column) -> !x
  %sq2 = spyre.mul %c2, %c2 : !x
  %var2 = spyre.mean %sq2 dims [1] keepdim : (!x) -> !column
  %ve2 = spyre.add %var2, %eps : (!column, !one) -> !column
  %r2 = spyre.rsqrt %ve2 : !column
  %n2 = spyre.mul %c2, %r2 : (!x, !column) -> !x
  %ng2 = spyre.mul %n2, %g2 : (!x, !b) -> !x
  %out = spyre.add %ng2, %b2 : (!x, !b) -> !x
  return %out : !x
}

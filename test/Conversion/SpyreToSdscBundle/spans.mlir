// RUN: spyre-opt %s --split-input-file --spyre-pipeline --verify-diagnostics -o /dev/null

// A core addresses what lies within the span limit of the target.

#l = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
func.func @product(%a: tensor<8192x32768xf16, #l>, %b: tensor<32768x4096xf16, #l>) -> tensor<8192x4096xf16, #l> {
  // expected-error @+1 {{each core spans 536870912 bytes of tensor #0, and can address 268431360; tile a dimension that is outermost in its layout (--spyre-choose-tiles=goal=span, or a 'tile' hint), 'split' it over cores, or choose a layout with another dimension outermost}}
  %r = spyre.batchmatmul %a, %b : (tensor<8192x32768xf16, #l>, tensor<32768x4096xf16, #l>) -> tensor<8192x4096xf16, #l>
  return %r : tensor<8192x4096xf16, #l>
}

// -----

// In tiles of K it is within the limit. A tile is part of the whole: its strides stay.
#l = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
func.func @tiled(%a: tensor<8192x32768xf16, #l> {spyre.dims = ["M", "K"]}, %b: tensor<32768x4096xf16, #l> {spyre.dims = ["K", "N"]})
    -> tensor<8192x4096xf16, #l> {
  %r = spyre.batchmatmul %a, %b tile [0: "K" in 4] : (tensor<8192x32768xf16, #l>, tensor<32768x4096xf16, #l>) -> tensor<8192x4096xf16, #l>
  return %r : tensor<8192x4096xf16, #l>
}

// -----

// The cores share the outermost dimension. Written by hand, they do not.
#rows = #spyre.layout<(d0, d1) -> (d0, d1 floordiv 64, d1 mod 64)>
module attributes {spyre.target = #spyre.target<span_limit_bytes = 8192>} {
  func.func @divided(%a: tensor<64x1024xf16, #rows>) -> tensor<64x1024xf16, #rows> {
    %0 = spyre.exp %a : tensor<64x1024xf16, #rows>
    // expected-error @+1 {{each core spans 65536 bytes of tensor #0, and can address 8192}}
    %1 = spyre.neg %a split [2, 16] : tensor<64x1024xf16, #rows>
    %2 = spyre.add %0, %1 split [32, 1] : tensor<64x1024xf16, #rows>
    return %2 : tensor<64x1024xf16, #rows>
  }
}

// -----

// The rows are more, but the sticks are outermost: work division takes those first where the limit asks for it.
#cols = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
module attributes {spyre.target = #spyre.target<span_limit_bytes = 16384>} {
  func.func @by_sticks(%a: tensor<64x512xf16, #cols>) -> tensor<64x512xf16, #cols> {
    %0 = spyre.exp %a : tensor<64x512xf16, #cols>
    return %0 : tensor<64x512xf16, #cols>
  }
}

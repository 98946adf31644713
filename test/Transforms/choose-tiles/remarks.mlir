// RUN: spyre-opt %s --spyre-choose-tiles --remarks-filter=spyre-choose-tiles --mlir-disable-threading -o %t.loud.mlir 2>&1 | FileCheck %s
// RUN: spyre-opt %s --spyre-choose-tiles --remarks-filter-missed=spyre-choose-tiles --mlir-disable-threading -o /dev/null 2>&1 | FileCheck %s --check-prefix=MISSED --implicit-check-not="[Passed]" --implicit-check-not="[Analysis]"
// RUN: spyre-opt %s --spyre-choose-tiles=goal=span --remarks-filter=spyre-choose-tiles --mlir-disable-threading -o /dev/null 2>&1 | FileCheck %s --check-prefix=SPAN

// Nothing but the warning is said to nobody, and what is said changes nothing.
// RUN: spyre-opt %s --spyre-choose-tiles -o %t.quiet.mlir 2> /dev/null
// RUN: diff %t.quiet.mlir %t.loud.mlir

// What was chosen, what that saves, and why nothing was chosen.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<512x256xf16, #stick>
!h = tensor<256x256xf16, #stick>

module attributes {spyre.target = #spyre.target<cores = 2, lx_bytes = 65536, lx_reserved_bytes = 0, lx_backend_percent = 0, span_limit_bytes = 262144>} {

// 256 KiB are read and written, and 256 KiB in between written and read.
// CHECK:      remark: [Passed] ChosenForTraffic | Category:spyre-choose-tiles | Function=chain | Combinations=29, MoreRuns=2, Operation=spyre.exp, Operations=2, Reason="fewer bytes go through device memory", Saves=524288, Tiles="10000: "S" in 2"
// CHECK-NEXT: spyre.exp %x
// CHECK:      remark: [Analysis] Traffic | {{.*}} Function=chain | Combinations=29, Groups=1, LookedAt=1, Tiled=524288, Untiled=1048576, WorkedOut=2
func.func @chain(%x: !t {spyre.dims = ["S", "E"]}) -> !t {
  %a = spyre.exp %x : !t
  %b = spyre.neg %a : !t
  return %b : !t
}

// CHECK:  remark: [Analysis] Traffic | {{.*}} Function=fits | Combinations=0, Groups=0, LookedAt=1, Tiled=262144, Untiled=262144, WorkedOut=0
// CHECK:  remark: [Missed] NothingChosen | {{.*}} Function=fits | Reason="no value between the operations would go through device memory that tiles could keep from it"
// MISSED: remark: [Missed] NothingChosen | {{.*}} Function=fits
func.func @fits(%x: !h) -> !h {
  %a = spyre.exp %x : !h
  %b = spyre.neg %a : !h
  return %b : !h
}

// Nothing is left to choose.
// CHECK:  remark: [Missed] NothingChosen | {{.*}} Function=hinted | Reason="no operations can be tiled: they have hints, a split, or no dimension that could be cut"
// MISSED: remark: [Missed] NothingChosen | {{.*}} Function=hinted
func.func @hinted(%x: !t {spyre.dims = ["S", "E"]}) -> !t {
  %a = spyre.exp %x tile [0: "S" in 2] : !t
  %b = spyre.neg %a split [2, 1] : !t
  return %b : !t
}

// The right operand is larger than what is between the operations, and read again for each tile of rows; with tiles of
// columns, the left one is.
// CHECK:  remark: [Missed] NothingChosen | {{.*}} Function=product | Reason="none of 6 combinations of tiles keeps spans within the limit and moves fewer bytes than 401408 without tiles, a stick per core for each run of an operation included"
// MISSED: remark: [Missed] NothingChosen | {{.*}} Function=product
func.func @product(%x: tensor<64x1024xf16, #stick>, %w: tensor<1024x64xf16, #stick>) -> tensor<64x64xf16, #stick> {
  %y = spyre.batchmatmul %x, %w : (tensor<64x1024xf16, #stick>, tensor<1024x64xf16, #stick>) -> tensor<64x64xf16, #stick>
  return %y : tensor<64x64xf16, #stick>
}

// 2053 is a prime.
// CHECK: remark: [Failure] SpanTooLarge | {{.*}} Function=prime | Operation=spyre.exp, Reason="operand #0 spans 262784 bytes in memory, but a core reaches 262144; no tiles make it less"
// CHECK: warning: spyre-choose-tiles: operand #0 spans 262784 bytes
// SPAN: remark: [Failure] SpanTooLarge | {{.*}} Function=prime
func.func @prime(%x: tensor<2053x64xf16>) -> tensor<2053x64xf16> {
  %a = spyre.exp %x : tensor<2053x64xf16>
  return %a : tensor<2053x64xf16>
}

// SPAN:      remark: [Passed] ChosenForSpan | Category:spyre-choose-tiles | Function=wide | Limit=262144, Operation=spyre.add, Operations=2, Reason="a core would reach further than the target's span limit", Span=393216, Tensor="operand #0", TileSpan=196608, Tiles="10000: "S" in 2"
// SPAN-NEXT: spyre.add %x, %x
func.func @wide(%x: tensor<3072x64xf16, #stick> {spyre.dims = ["S", "E"]}) -> tensor<3072x64xf16, #stick> {
  %a = spyre.add %x, %x : tensor<3072x64xf16, #stick>
  %b = spyre.neg %a : tensor<3072x64xf16, #stick>
  return %b : tensor<3072x64xf16, #stick>
}

}

// RUN: not spyre-opt %s --split-input-file --coarse-tile --remarks-filter=coarse-tile 2>&1 | FileCheck %s

// What is refused or ignored is a remark too, beside the error or the warning.

// CHECK: remark: [Failure] Refused | Category:coarse-tile | Function=refused | Reason="coarse-tile: operation already has a place; --coarse-tile comes before --spyre-scratchpad-planning"
// CHECK-NEXT: spyre.exp
// CHECK: error: coarse-tile: operation already has a place; --coarse-tile comes before --spyre-scratchpad-planning
func.func @refused(%a: tensor<256x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<256x512xf16> {
  %y = spyre.exp %a tile [0: "A" in 2] place pool 0 : tensor<256x512xf16>
  return %y : tensor<256x512xf16>
}

// -----

// CHECK: remark: [Missed] HintIgnored | Category:coarse-tile | Function=ignored | Dimension=C, Reason="no operation of the group has a dimension of this name with more than one element", Scope=0, Suggestion="look at the names with --spyre-propagate-named-dims; spyre.dims names those of an argument or a result"
// CHECK-NEXT: spyre.exp
// CHECK: warning: {{.*}} hint scope 0 is ignored
func.func @ignored(%a: tensor<256x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<256x512xf16> {
  %y = spyre.exp %a tile [0: "C" in 2] : tensor<256x512xf16>
  return %y : tensor<256x512xf16>
}

// -----

// CHECK: remark: [Failure] Refused | Category:coarse-tile | Function=disagree | Reason="coarse-tile: scope 0 asks for "A" in 4 tiles here, but for "A" in 2 at the start of the group", Suggestion="another scope id for one of them makes two groups"
// CHECK-NEXT: spyre.neg
func.func @disagree(%a: tensor<256x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<256x512xf16> {
  %y = spyre.exp %a tile [0: "A" in 2] : tensor<256x512xf16>
  %z = spyre.neg %y tile [0: "A" in 4] : tensor<256x512xf16>
  return %z : tensor<256x512xf16>
}

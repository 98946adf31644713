// RUN: spyre-opt %s --coarse-tile --remarks-filter=coarse-tile -o /dev/null 2>&1 | FileCheck %s
// RUN: spyre-opt %s --coarse-tile --remarks-filter=coarse-tile --mlir-disable-threading --remark-format=yaml --remarks-output-file=%t.yaml -o /dev/null
// RUN: FileCheck %s --check-prefix=YAML --input-file %t.yaml
// RUN: spyre-opt %s --coarse-tile --remarks-filter-missed=coarse-tile -o /dev/null 2>&1 | FileCheck %s --check-prefix=MISSED --implicit-check-not="[Passed]" --implicit-check-not="[Analysis]"

// Where a scope goes on in a second nest is said unasked, and nothing else. What is said changes nothing.
// RUN: spyre-opt %s --coarse-tile -o %t.quiet.mlir 2> %t.unasked
// RUN: FileCheck %s --input-file %t.unasked --check-prefix=UNASKED --implicit-check-not="remark:"
// RUN: spyre-opt %s --coarse-tile --remarks-filter-passed=canonicalize -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNASKED --implicit-check-not="remark:"
// RUN: spyre-opt %s --coarse-tile --remarks-filter=coarse-tile -o %t.loud.mlir 2> /dev/null
// RUN: diff %t.quiet.mlir %t.loud.mlir

// What is tiled and why, and where each value goes.

!t = tensor<256x512xf16>
!v = tensor<512xf16>

// CHECK:      remark: [Passed] Tiled | Category:coarse-tile | Function=values | Iterations=8, Last={{.*}}remarks.mlir:[[#@LINE+30]]:8, Loops=2, Operations=3, Reason="3 operations in a row with hint scopes 0, 1", Tiles="dimension "A" in 2 tiles, dimension "B" in 4 tiles"
// CHECK-NEXT: spyre.exp %a
// CHECK:      remark: [Analysis] OperandWindow | {{.*}} From="argument 0", Operation=spyre.exp, Place="window of the full tensor", Reason="it is made outside of the loops, and they cut its dimensions", Tensor="operand 0", Tile=128x128, Whole=256x512
// CHECK:      remark: [Analysis] ValueInside | {{.*}} Operation=spyre.exp, Place="tile, inside the loops only", Reason="all its uses are in the group", Tensor=result, Tile=128x128, Whole=256x512
// CHECK:      remark: [Analysis] OperandTile | {{.*}} From=spyre.exp, Operation=spyre.mul, Place="tile, from spyre.exp"
// CHECK:      remark: [Analysis] OperandWhole | {{.*}} From="argument 1", Operation=spyre.mul, Place="the whole tensor, in every iteration", Reason="no loop cuts a dimension of it", Tensor="operand 1", Tile=1x1, Whole=1x1
// CHECK:      remark: [Analysis] ValueFull | {{.*}} Operation=spyre.mul, Place="tile, and inserted into the full tensor", Reason="it has 2 uses outside of the loops, first by spyre.neg at {{.*}}remarks.mlir:[[#@LINE+23]]:8", Tensor=result
// CHECK:      remark: [Analysis] ValueFull | {{.*}} Operation=spyre.add, Place="inserted into the full tensor", Reason="it has a use outside of the loops by func.return
// CHECK:      remark: [Analysis] MovedBehind | {{.*}} Operation=spyre.neg, Reason="it is between operations of a group, needs a value of it, and nothing of the group needs it"
// CHECK-NEXT: spyre.neg

// YAML:      --- !Passed
// YAML-NEXT: Pass:            coarse-tile
// YAML-NEXT: Name:            Tiled
// YAML-NEXT: DebugLoc:        { File: '{{.*}}remarks.mlir',{{[[:space:]]+}}Line: [[#@LINE+13]], Column: 8 }
// YAML-NEXT: Function:        values
// YAML-NEXT: Args:
// YAML-NEXT:   - Operations:      '3'
// YAML-NEXT:   - Loops:           '2'
// YAML-NEXT:   - Iterations:      '8'
// YAML-NEXT:   - Tiles:           'dimension "A" in 2 tiles, dimension "B" in 4 tiles'
// YAML-NEXT:   - Last: {{[[:space:]]*}}'{{.*}}remarks.mlir:[[#@LINE+9]]:8'
// YAML-NEXT:   - Reason:          3 operations in a row with hint scopes 0, 1
// YAML-NEXT: ...
// YAML:      --- !Missed
// YAML:      Name:            StaysOutside
func.func @values(%a: !t {spyre.dims = ["A", "B"]}, %one: tensor<1x1xf16>) -> (!t, !t, !t) {
  %y = spyre.exp %a tile [0: "A" in 2, 1: "B" in 4] : !t
  %m = spyre.mul %y, %one tile [0: "A" in 2, 1: "B" in 4] : (!t, tensor<1x1xf16>) -> !t
  %u = spyre.neg %m : !t
  %z = spyre.add %y, %m tile [0: "A" in 2, 1: "B" in 4] : !t
  return %z, %m, %u : !t, !t, !t
}

// What is not tiled, or in vain.

// MISSED:      remark: [Missed] StaysOutside | {{.*}} Function=lacking | Operation=spyre.neg, Reason="it has none of the dimensions that the loops of its group cut"
// MISSED-NEXT: spyre.neg
// MISSED:      remark: [Missed] Repeated | {{.*}} Function=lacking | Operation=spyre.exp, Reason="it lacks dimension "A", so every iteration of that loop computes the same again", Suggestion="give it hints of the scopes whose dimensions it has; then it is a group of its own"
// MISSED-NEXT: spyre.exp %v
func.func @lacking(%a: !t {spyre.dims = ["A", "B"]}, %v: !v {spyre.dims = ["B"]}, %c: tensor<1xf16>) -> !t {
  %n = spyre.neg %c tile [0: "A" in 2, 1: "B" in 4] : tensor<1xf16>
  %e = spyre.exp %v tile [0: "A" in 2, 1: "B" in 4] : !v
  %y = spyre.mul %a, %e tile [0: "A" in 2, 1: "B" in 4] : (!t, !v) -> !t
  %z = spyre.mul %y, %n tile [0: "A" in 2, 1: "B" in 4] : (!t, tensor<1xf16>) -> !t
  return %z : !t
}

// A scope in two nests: both ends, and the value between them.

// UNASKED:     remark: coarse-tile: scope 3 goes on in a second nest of loops: spyre.add at {{.*}} needs the value of spyre.abs at {{.*}}, which needs the value of spyre.exp at {{.*}} in the first nest; give the operation between them the same hints, if it can have them
// UNASKED:     note: the first nest ends here
// MISSED:      remark: [Missed] ScopeSplit | {{.*}} Function=needed | Before="spyre.exp at {{.*}}remarks.mlir:[[#@LINE+4]]:8", Operation=spyre.add, Reason="spyre.add at {{.*}}remarks.mlir:[[#@LINE+7]]:8 needs the value of spyre.abs at {{.*}}remarks.mlir:[[#@LINE+6]]:8, which needs the value of spyre.exp at {{.*}}remarks.mlir:[[#@LINE+4]]:8 in the first nest", Scope=3, Suggestion="give the operation between them the same hints, if it can have them"
// MISSED-NEXT: spyre.add
func.func @needed(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
  // The first nest.
  %y = spyre.exp %a tile [3: "A" in 2] : !t
  %u = spyre.neg %y : !t
  %w = spyre.abs %u : !t
  %z = spyre.add %y, %w tile [3: "A" in 2] : !t
  return %z : !t
}

// UNASKED:     remark: coarse-tile: scope 0 goes on in a second nest of loops: func.call at
// UNASKED:     note: the first nest ends here
// MISSED:      remark: [Missed] ScopeSplit | {{.*}} Function=effects | {{.*}} Reason="func.call at {{.*}} between them has effects and needs the value of spyre.exp at {{.*}} in the first nest", Scope=0, Suggestion="move the operation with effects after the last operation of the scope"
// MISSED-NEXT: spyre.neg
func.func private @show(!t)
func.func @effects(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.exp %a tile [0: "A" in 2] : !t
  call @show(%y) : (!t) -> ()
  %z = spyre.neg %y tile [0: "A" in 2] : !t
  return %z : !t
}

// UNASKED:     remark: coarse-tile: scope 0 goes on in a second nest of loops: spyre.neg at {{.*}} between them has other hint scopes
// UNASKED:     note: the first nest ends here
// MISSED:      remark: [Missed] ScopeSplit | {{.*}} Function=scopes | {{.*}} Reason="spyre.neg at {{.*}} between them has other hint scopes", Scope=0
// MISSED-NEXT: spyre.abs
func.func @scopes(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.exp %a tile [0: "A" in 2] : !t
  %z = spyre.neg %y tile [1: "B" in 2] : !t
  %w = spyre.abs %z tile [0: "A" in 2] : !t
  return %w : !t
}

// UNASKED:     remark: coarse-tile: scope 0 goes on in a second nest of loops: the operations are in different blocks
// UNASKED:     note: the first nest ends here
// MISSED:      remark: [Missed] ScopeSplit | {{.*}} Function=blocks | {{.*}} Reason="the operations are in different blocks", Scope=0
// MISSED-NEXT: spyre.neg
func.func @blocks(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
  %lb = arith.constant 0 : index
  %ub = arith.constant 4 : index
  %step = arith.constant 1 : index
  %r = scf.for %i = %lb to %ub step %step iter_args(%acc = %a) -> !t {
    %n = spyre.exp %acc tile [0: "A" in 2] : !t
    scf.yield %n : !t
  }
  %z = spyre.neg %r tile [0: "A" in 2] : !t
  return %z : !t
}

// A name that others were merged with.
// CHECK:      remark: [Analysis] MergedDimension | {{.*}} Function=merged | Dimension=H, Operation=spyre.neg, Reason="it is merged into dimension 0 of the operation, which is cut into as many tiles instead"
// CHECK-NEXT: spyre.neg
func.func @merged(%a: tensor<1024xf16> {spyre.dims = [#spyre.merged<"H" of 4, "D" of 256>]}) -> tensor<1024xf16> {
  %y = spyre.neg %a tile [0: "H" in 2] : tensor<1024xf16>
  return %y : tensor<1024xf16>
}

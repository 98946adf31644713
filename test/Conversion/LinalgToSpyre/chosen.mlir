// Elements that are no view of their tensor: positions and indices choose them.

// RUN: spyre-opt %s --spyre-import-linalg | FileCheck %s
// RUN: spyre-run %s --entry rev --random-seed 1 --tolerance 1e-2 --on=card --stats --compare %s --compare-entry rev 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry diag --random-seed 1 --tolerance 1e-2 --on=card --stats --compare %s --compare-entry diag 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry windows --random-seed 1 --tolerance 1e-2 --on=card --stats --compare %s --compare-entry windows 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry trace --random-seed 1 --tolerance 1e-2 --on=card --stats --compare %s --compare-entry trace 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry tables --input %S/Inputs/cube.npy --input %S/Inputs/rows.npy --input %S/Inputs/pairs.npy --input %S/Inputs/columns.npy --on=card --stats --compare %s --compare-entry tables 2>&1 | FileCheck %s --check-prefixes=COLLAPSED,SAME
// RUN: spyre-run %s --entry apart --input %S/Inputs/cube.npy --input %S/Inputs/rows.npy --input %S/Inputs/columns.npy --on=card --stats --compare %s --compare-entry apart 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry batched --random-seed 1 --on=card --stats --compare %s --compare-entry batched 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry integers --input %S/Inputs/words.npy --input %S/Inputs/eight.npy --on=card --stats --compare %s --compare-entry integers 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry truths --input %S/Inputs/truths.npy --input %S/Inputs/eight.npy --on=card --stats --compare %s --compare-entry truths 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry scattered --random-seed 3 --on=card --stats --compare %s --compare-entry scattered 2>&1 | FileCheck %s --check-prefixes=TRUTH,SAME
// RUN: spyre-run %s --entry scattered_floats --random-seed 3 --on=card --stats --compare %s --compare-entry scattered_floats 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-opt %s --spyre-import-linalg=host=true --remarks-filter=spyre-outline-device --mlir-disable-threading -o /dev/null 2>&1 | FileCheck %s --check-prefix=HOST
// CARD: host: 0 elements
// CARD: result 0: 0 of {{[0-9]+}} elements differ
// The host flattens indices that it computes in several dimensions, since the card changes sticks of 16 bits only.
// COLLAPSED-NOT: warning
// COLLAPSED: device: @tables_device_0, {{[1-9][0-9]*}} elements
// The host chooses integers by truth values, whose cast to 32 bits stays with it.
// TRUTH-NOT: warning
// TRUTH: device: @scattered_device_0, {{[1-9][0-9]*}} elements
// SAME: result 0: 0 of {{[0-9]+}} elements differ

// The card reads indices, but has no arithmetic of integers, so the host computes indices of several dimensions.
// HOST-COUNT-4: Function=tables | Reason="'{{mul|add}}' computes in SEN169_FP16 or IEEE_FP32, but tensor 0 is IEEE_INT32"
// HOST:         Function=batched | Reason="'add' computes in SEN169_FP16 or IEEE_FP32, but tensor 0 is IEEE_INT32"
// HOST:         Function=scattered | Reason="'where3' computes in SEN169_FP16 or IEEE_FP32, but tensor 0 is IEEE_INT32"
// HOST-NOT:     StaysOnHost

#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0)>
#pair = affine_map<(d0, d1, d2) -> (d0, d1)>
#mid = affine_map<(d0, d1, d2) -> (d1)>

// Backwards: positions choose. They are constants, and each dimension is chosen from on its own.
// CHECK-LABEL: @rev(
// CHECK-SAME:    tensor<4xi32> {spyre.constant = dense<[3, 2, 1, 0]> : tensor<4xi32>}
// CHECK-COUNT-2: spyre.gather
// CHECK-NOT:     spyre.gather
// CHECK:         return
func.func @rev(%x: tensor<4x96xf16>) -> tensor<4x96xf16> {
  %0 = tensor.empty() : tensor<4x96xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (-d0 + 3, -d1 + 95)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x96xf16>) outs(%0 : tensor<4x96xf16>) {
  ^bb0(%in: f16, %out: f16):
    %e = math.absf %in : f16
    linalg.yield %e : f16
  } -> tensor<4x96xf16>
  return %y : tensor<4x96xf16>
}

// Two dimensions that move together are one to choose from.
// CHECK-LABEL: @diag(
// CHECK-SAME:    {spyre.constant = dense<[0, 9, 18, 27, 36, 45, 54, 63]> : tensor<8xi32>}
// CHECK:         %[[FLAT:.+]] = tensor.collapse_shape %arg0 {{.*}} into tensor<64xf16>
// CHECK:         spyre.gather %{{.+}}, %[[FLAT]] dim 0 : (tensor<8xi32>, tensor<64xf16>) -> tensor<8xf16>
func.func @diag(%x: tensor<8x8xf16>) -> tensor<8xf16> {
  %0 = tensor.empty() : tensor<8xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0, d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<8x8xf16>) outs(%0 : tensor<8xf16>) {
  ^bb0(%in: f16, %out: f16):
    %e = math.absf %in : f16
    linalg.yield %e : f16
  } -> tensor<8xf16>
  return %y : tensor<8xf16>
}

// Windows, each with all of its elements.
// CHECK-LABEL: @windows(
// CHECK:         spyre.gather {{.*}} dim 0 : (tensor<64x7xi32>, tensor<70xf16>) -> tensor<64x7xf16>
func.func @windows(%x: tensor<70xf16>) -> tensor<64x7xf16> {
  %0 = tensor.empty() : tensor<64x7xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 + d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<70xf16>) outs(%0 : tensor<64x7xf16>) {
  ^bb0(%in: f16, %out: f16):
    %e = math.absf %in : f16
    linalg.yield %e : f16
  } -> tensor<64x7xf16>
  return %y : tensor<64x7xf16>
}

// CHECK-LABEL: @trace(
// CHECK:         spyre.gather {{.*}} dim 0 : (tensor<8xi32>, tensor<64x64xf16>) -> tensor<8x64xf16>
// CHECK:         spyre.sum
func.func @trace(%x: tensor<8x8x64xf16>) -> tensor<64xf16> {
  %z = arith.constant 0.0 : f16
  %0 = tensor.empty() : tensor<64xf16>
  %1 = linalg.fill ins(%z : f16) outs(%0 : tensor<64xf16>) -> tensor<64xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d1, d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x8x64xf16>) outs(%1 : tensor<64xf16>) {
  ^bb0(%in: f16, %out: f16):
    %e = arith.addf %in, %out : f16
    linalg.yield %e : f16
  } -> tensor<64xf16>
  return %y : tensor<64xf16>
}

// Indices along other loops are chosen by one behind the other, of the part that is read. Those that move together are one.
// CHECK-LABEL: @tables(
// CHECK:         %[[PART:.+]] = tensor.extract_slice %arg0[0, 2, 0, 0] [5, 1, 7, 64] [1, 1, 1, 1]
// CHECK:         spyre.gather %arg{{[13]}}, {{.*}} dim
// CHECK:         spyre.gather %arg{{[13]}}, {{.*}} dim
// CHECK:         spyre.gather {{.*}} dim 0 : (tensor<4x3xi32>, tensor<210x64xf16>) -> tensor<4x3x64xf16>
func.func @tables(%x: tensor<5x6x7x64xf16>, %i: tensor<4xi32>, %j: tensor<4x3xi32>, %k: tensor<3xi32>) -> (tensor<4x3x64xf16>, tensor<4x3x64xf16>) {
  %0 = tensor.empty() : tensor<4x3x64xf16>
  %y = linalg.generic {indexing_maps = [#row, #mid, #all], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%i, %k : tensor<4xi32>, tensor<3xi32>) outs(%0 : tensor<4x3x64xf16>) {
  ^bb0(%a: i32, %b: i32, %out: f16):
    %c2 = arith.constant 2 : index
    %d = linalg.index 2 : index
    %r = arith.index_cast %a : i32 to index
    %s = arith.index_cast %b : i32 to index
    %e = tensor.extract %x[%r, %c2, %s, %d] : tensor<5x6x7x64xf16>
    linalg.yield %e : f16
  } -> tensor<4x3x64xf16>
  %z = linalg.generic {indexing_maps = [#row, #pair, #mid, #all], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%i, %j, %k : tensor<4xi32>, tensor<4x3xi32>, tensor<3xi32>) outs(%0 : tensor<4x3x64xf16>) {
  ^bb0(%a: i32, %b: i32, %c: i32, %out: f16):
    %d = linalg.index 2 : index
    %r = arith.index_cast %a : i32 to index
    %s = arith.index_cast %b : i32 to index
    %t = arith.index_cast %c : i32 to index
    %e = tensor.extract %x[%r, %s, %t, %d] : tensor<5x6x7x64xf16>
    linalg.yield %e : f16
  } -> tensor<4x3x64xf16>
  return %y, %z : tensor<4x3x64xf16>, tensor<4x3x64xf16>
}

// Indices along other loops alone are read as they are.
// CHECK-LABEL: @apart(
// CHECK-COUNT-2: spyre.gather
// CHECK-NOT:     spyre.gather
// CHECK:         return
func.func @apart(%x: tensor<5x6x7x64xf16>, %i: tensor<4xi32>, %k: tensor<3xi32>) -> tensor<4x3x64xf16> {
  %0 = tensor.empty() : tensor<4x3x64xf16>
  %y = linalg.generic {indexing_maps = [#row, #mid, #all], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%i, %k : tensor<4xi32>, tensor<3xi32>) outs(%0 : tensor<4x3x64xf16>) {
  ^bb0(%a: i32, %b: i32, %out: f16):
    %c2 = arith.constant 2 : index
    %d = linalg.index 2 : index
    %r = arith.index_cast %a : i32 to index
    %s = arith.index_cast %b : i32 to index
    %e = tensor.extract %x[%r, %c2, %s, %d] : tensor<5x6x7x64xf16>
    linalg.yield %e : f16
  } -> tensor<4x3x64xf16>
  return %y : tensor<4x3x64xf16>
}

// Each row has indices of its own.
// CHECK-LABEL: @batched(
// CHECK-SAME:    {spyre.constant = dense<[0, 3]> : tensor<2xi32>}
// CHECK:         %[[AT:.+]] = spyre.add
// CHECK:         spyre.gather %[[AT]], {{.*}} dim 0 : (tensor<2x3xi32>, tensor<6xf16>) -> tensor<2x3xf16>
func.func @batched(%x: tensor<2x3xf16>) -> tensor<2x3xf16> {
  %at = arith.constant dense<[[2, 0, 0], [0, 2, 1]]> : tensor<2x3xi32>
  %0 = tensor.empty() : tensor<2x3xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%at : tensor<2x3xi32>) outs(%0 : tensor<2x3xf16>) {
  ^bb0(%in: i32, %out: f16):
    %i = linalg.index 0 : index
    %j = arith.index_cast %in : i32 to index
    %e = tensor.extract %x[%i, %j] : tensor<2x3xf16>
    linalg.yield %e : f16
  } -> tensor<2x3xf16>
  return %y : tensor<2x3xf16>
}

// The device gathers floats. Integers of 32 bits, and 64 that are an input, move by their bits.
// CHECK-LABEL: @integers(
// CHECK:         %[[BITS:.+]] = spyre.bitcast %{{.+}} : (tensor<8x64xi32>) -> tensor<8x64xf32>
// CHECK:         %[[ROWS:.+]] = spyre.gather %{{.+}}, %[[BITS]] dim 0
// CHECK:         spyre.bitcast %[[ROWS]] : (tensor<8x64xf32>) -> tensor<8x64xi32>
func.func @integers(%table: tensor<8x64xi32>, %at: tensor<8xi32>) -> tensor<8x64xi32> {
  %0 = tensor.empty() : tensor<8x64xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%at : tensor<8xi32>) outs(%0 : tensor<8x64xi32>) {
  ^bb0(%in: i32, %out: i32):
    %i = arith.index_cast %in : i32 to index
    %j = linalg.index 1 : index
    %e = tensor.extract %table[%i, %j] : tensor<8x64xi32>
    linalg.yield %e : i32
  } -> tensor<8x64xi32>
  return %y : tensor<8x64xi32>
}

// Truth values move as 0 and 1.
// CHECK-LABEL: @truths(
func.func @truths(%table: tensor<8x64xi1>, %at: tensor<8xi32>) -> tensor<8x64xi1> {
  %0 = tensor.empty() : tensor<8x64xi1>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%at : tensor<8xi32>) outs(%0 : tensor<8x64xi1>) {
  ^bb0(%in: i32, %out: i1):
    %i = arith.index_cast %in : i32 to index
    %j = linalg.index 1 : index
    %e = tensor.extract %table[%i, %j] : tensor<8x64xi1>
    linalg.yield %e : i1
  } -> tensor<8x64xi1>
  return %y : tensor<8x64xi1>
}

// A scatter reads the slice of each position, so integers are written as well.
// CHECK-LABEL: @scattered(
func.func @scattered(%rows: tensor<3x64xi64>, %table: tensor<24x64xi64>) -> tensor<24x64xi64> {
  %at = arith.constant dense<[[5], [0], [23]]> : tensor<3x1xi64>
  %0 = tensor.scatter %rows into %table[%at] scatter_dims([0]) unique : (tensor<3x64xi64>, tensor<24x64xi64>, tensor<3x1xi64>) -> tensor<24x64xi64>
  return %0 : tensor<24x64xi64>
}

// Floats that a scatter writes are chosen by the card.
// CHECK-LABEL: @scattered_floats(
// CHECK:         spyre.gather
// CHECK:         spyre.where3
func.func @scattered_floats(%rows: tensor<3x64xf16>, %table: tensor<24x64xf16>) -> tensor<24x64xf16> {
  %at = arith.constant dense<[[5], [0], [23]]> : tensor<3x1xi64>
  %0 = tensor.scatter %rows into %table[%at] scatter_dims([0]) unique : (tensor<3x64xf16>, tensor<24x64xf16>, tensor<3x1xi64>) -> tensor<24x64xf16>
  return %0 : tensor<24x64xf16>
}

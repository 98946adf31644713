// An index is 64 bits wide, whatever it was cast from: its sums and comparisons are those of the host.

// RUN: spyre-opt %s --spyre-import-linalg=host=true | FileCheck %s
// RUN: spyre-run %s --entry squares --input %S/Inputs/words.npy --on=card --compare %s --compare-entry squares | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry sums --input %S/Inputs/words.npy --input %S/Inputs/words.npy --on=card --compare %s --compare-entry sums | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry mixed --input %S/Inputs/words.npy --input %S/Inputs/million.npy --on=card --compare %s --compare-entry mixed | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry no_sign --input %S/Inputs/words.npy --on=card --compare %s --compare-entry no_sign | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry truth --input %S/Inputs/words.npy --on=card --compare %s --compare-entry truth | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry far --input %S/Inputs/million.npy --on=card --compare %s --compare-entry far | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry behind --input %S/Inputs/table.npy --input %S/Inputs/beyond.npy --on=card --compare %s --compare-entry behind | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry address --random-seed 1 --on=card --stats --compare %s --compare-entry address 2>&1 | FileCheck %s --check-prefix=COLLAPSED
// RUN: spyre-run %s --entry from_floats --input %S/Inputs/table.npy --input %S/Inputs/fractions.npy --on=card --stats --compare %s --compare-entry from_floats 2>&1 | FileCheck %s --check-prefix=COLLAPSED
// RUN: spyre-run %s --entry elements_from_floats --random-seed 1 --largest 1 --on=card --stats --compare %s --compare-entry elements_from_floats 2>&1 | FileCheck %s --check-prefix=CARD
// SAME: result 0: 0 of {{512|1024}} elements differ
// RUN: spyre-opt %s --spyre-import-linalg=host=true --remarks-filter=spyre-outline-device -o /dev/null 2>&1 | FileCheck %s --check-prefix=HOST
// The host flattens the indices that it computed, since the card changes sticks of 16 bits only.
// COLLAPSED-NOT: warning
// COLLAPSED: device: @{{address|from_floats}}_device_0, 1024 elements
// COLLAPSED: result 0: 0 of 1024 elements differ
// The host makes the cast to 32 bits, since it reads no order but the standard one.
// CARD-NOT: warning
// CARD: device: @elements_from_floats_device_0, {{[1-9][0-9]*}} elements
// CARD: host: {{[1-9][0-9]*}} elements
// CARD: result 0: 0 of 16 elements differ

#row = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @squares(
// CHECK:         %[[WIDE:.+]] = spyre.bitcast %{{.+}} : (tensor<8x64xi32>) -> tensor<8x64xi64>
// CHECK:         spyre.mul %[[WIDE]], %[[WIDE]] : tensor<8x64xi64>
func.func @squares(%a: tensor<8x64xi32>) -> tensor<8x64xf32> {
  %0 = tensor.empty() : tensor<8x64xf32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<8x64xi32>) outs(%0 : tensor<8x64xf32>) {
  ^bb0(%in: i32, %out: f32):
    %i = arith.index_cast %in : i32 to index
    %square = arith.muli %i, %i : index
    %wide = arith.index_cast %square : index to i64
    %r = arith.sitofp %wide : i64 to f32
    linalg.yield %r : f32
  } -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// Positions are indices as well.
func.func @sums(%a: tensor<8x64xi32>, %b: tensor<8x64xi32>) -> tensor<8x64xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %0 = tensor.empty() : tensor<8x64xf32>
  %y = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<8x64xi32>, tensor<8x64xi32>) outs(%0 : tensor<8x64xf32>) {
  ^bb0(%in: i32, %in2: i32, %out: f32):
    %at = linalg.index 1 : index
    %i = arith.index_cast %in : i32 to index
    %j = arith.index_cast %in2 : i32 to index
    %moved = arith.addi %i, %at : index
    %sum = arith.addi %moved, %j : index
    %behind = arith.cmpi slt, %sum, %zero : index
    %r = arith.select %behind, %one, %two : f32
    linalg.yield %r : f32
  } -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// Indices that were integers of 32 and of 64 bits.
func.func @mixed(%a: tensor<8x64xi32>, %b: tensor<8x64xi64>) -> tensor<8x64xi32> {
  %0 = tensor.empty() : tensor<8x64xi32>
  %y = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<8x64xi32>, tensor<8x64xi64>) outs(%0 : tensor<8x64xi32>) {
  ^bb0(%in: i32, %in2: i64, %out: i32):
    %i = arith.index_cast %in : i32 to index
    %j = arith.index_cast %in2 : i64 to index
    %most = arith.maxsi %i, %j : index
    %r = arith.index_cast %most : index to i32
    linalg.yield %r : i32
  } -> tensor<8x64xi32>
  return %y : tensor<8x64xi32>
}

// The device has no integers without a sign to make one of 64 bits.
// CHECK-LABEL: func.func @no_sign(
// CHECK:         arith.index_castui
func.func @no_sign(%a: tensor<8x64xi32>) -> tensor<8x64xf32> {
  %five = arith.constant 5 : index
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %0 = tensor.empty() : tensor<8x64xf32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<8x64xi32>) outs(%0 : tensor<8x64xf32>) {
  ^bb0(%in: i32, %out: f32):
    %i = arith.index_castui %in : i32 to index
    %more = arith.cmpi sgt, %i, %five : index
    %r = arith.select %more, %one, %two : f32
    linalg.yield %r : f32
  } -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// The one bit of a truth value is its sign.
func.func @truth(%a: tensor<8x64xi32>) -> tensor<8x64xi64> {
  %zero = arith.constant 0 : i32
  %ten = arith.constant 10 : index
  %0 = tensor.empty() : tensor<8x64xi64>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<8x64xi32>) outs(%0 : tensor<8x64xi64>) {
  ^bb0(%in: i32, %out: i64):
    %c = arith.cmpi slt, %in, %zero : i32
    %signed = arith.index_cast %c : i1 to index
    %plain = arith.index_castui %c : i1 to index
    %tens = arith.muli %plain, %ten : index
    %sum = arith.addi %tens, %signed : index
    %r = arith.index_cast %sum : index to i64
    linalg.yield %r : i64
  } -> tensor<8x64xi64>
  return %y : tensor<8x64xi64>
}

// Positions that 32 bits do not hold.
func.func @far(%a: tensor<8x64xi64>) -> tensor<8x64xf32> {
  %big = arith.constant 3000000000 : index
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %0 = tensor.empty() : tensor<8x64xf32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<8x64xi64>) outs(%0 : tensor<8x64xf32>) {
  ^bb0(%in: i64, %out: f32):
    %at = linalg.index 1 : index
    %moved = arith.muli %at, %big : index
    %wide = arith.index_cast %moved : index to i64
    %less = arith.cmpi slt, %wide, %in : i64
    %r = arith.select %less, %one, %two : f32
    linalg.yield %r : f32
  } -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// A sum that is bounded behind it, as a slice at a computed position is.
func.func @behind(%table: tensor<32x64xf16>, %rows: tensor<16xi32>) -> tensor<16x64xf16> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %last = arith.constant 31 : index
  %0 = tensor.empty() : tensor<16x64xf16>
  %y = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]} ins(%rows : tensor<16xi32>) outs(%0 : tensor<16x64xf16>) {
  ^bb0(%in: i32, %out: f16):
    %i = arith.index_cast %in : i32 to index
    %next = arith.addi %i, %one : index
    %most = arith.minsi %next, %last : index
    %row = arith.maxsi %most, %zero : index
    %j = linalg.index 1 : index
    %e = tensor.extract %table[%row, %j] : tensor<32x64xf16>
    linalg.yield %e : f16
  } -> tensor<16x64xf16>
  return %y : tensor<16x64xf16>
}

// Sums and products that only say where a table is read have 32 bits, and are operations of the device without a bound. The card has
// no arithmetic of integers, so the host computes them; the card reads the table.
// CHECK-LABEL: func.func @address(
// CHECK:         %[[ROWS:.+]] = spyre.add {{.+}}tensor<16x1xi32>
// CHECK:         %[[VIEW:.+]] = tensor.collapse_shape %[[ROWS]]
// CHECK:         call @address_device_0(%[[VIEW]]
// CHECK-LABEL: func.func private @address_device_0(
// CHECK-NOT:     spyre.add
// CHECK:         spyre.gather
// HOST: Function=address | Reason="'add' computes in SEN169_FP16 or IEEE_FP32, but tensor 0 is IEEE_INT32", Remark="'spyre.add' stays on the host"
// HOST: Function=from_floats | Reason="'sub' computes in SEN169_FP16 or IEEE_FP32, but tensor 0 is IEEE_INT32", Remark="'spyre.fptosi' stays on the host"
func.func @address(%table: tensor<32x64xf16>, %rows: tensor<16xi32>) -> tensor<16x64xf16> {
  %extent = arith.constant 32 : index
  %ten = arith.constant 10 : index
  %0 = tensor.empty() : tensor<16x64xf16>
  %y = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]} ins(%rows : tensor<16xi32>) outs(%0 : tensor<16x64xf16>) {
  ^bb0(%in: i32, %out: f16):
    %i = arith.index_cast %in : i32 to index
    %row = arith.addi %i, %ten : index
    %within = arith.cmpi slt, %row, %extent : index
    cf.assert %within, "a row of the table"
    %j = linalg.index 1 : index
    %e = tensor.extract %table[%row, %j] : tensor<32x64xf16>
    linalg.yield %e : f16
  } -> tensor<16x64xf16>
  return %y : tensor<16x64xf16>
}

// Rows that were floats of 16 bits: the host casts and rounds them, and the card reads the table.
func.func @from_floats(%table: tensor<32x64xf16>, %x: tensor<16xf16>) -> tensor<16x64xf16> {
  %0 = tensor.empty() : tensor<16x64xf16>
  %y = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<16xf16>) outs(%0 : tensor<16x64xf16>) {
  ^bb0(%in: f16, %out: f16):
    %n = arith.fptosi %in : f16 to i64
    %i = arith.index_cast %n : i64 to index
    %j = linalg.index 1 : index
    %e = tensor.extract %table[%i, %j] : tensor<32x64xf16>
    linalg.yield %e : f16
  } -> tensor<16x64xf16>
  return %y : tensor<16x64xf16>
}

// One index for each element: to hand over 16 indices is as much work as to read 16 elements, so the host does that.
// CHECK-LABEL: func.func private @elements_from_floats_device_0(
// CHECK:         spyre.mul
// CHECK-NOT:     spyre.gather
func.func @elements_from_floats(%table: tensor<64xf16>, %x: tensor<16xf16>) -> tensor<16xf16> {
  %last = arith.constant 63.0 : f16
  %0 = tensor.empty() : tensor<16xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<16xf16>) outs(%0 : tensor<16xf16>) {
  ^bb0(%in: f16, %out: f16):
    %size = math.absf %in : f16
    %at = arith.mulf %size, %last : f16
    %n = arith.fptosi %at : f16 to i64
    %i = arith.index_cast %n : i64 to index
    %e = tensor.extract %table[%i] : tensor<64xf16>
    linalg.yield %e : f16
  } -> tensor<16xf16>
  return %y : tensor<16xf16>
}

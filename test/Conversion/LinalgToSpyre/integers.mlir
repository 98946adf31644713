// Integers of 64 bits have 32 in device memory: what may not fit stays on the host. What fits moves on the card, as the indices of a
// gather; the host computes with it, because the card has no arithmetic of integers.

// RUN: spyre-opt %s --spyre-import-linalg=host=true | FileCheck %s
// RUN: spyre-opt %s --spyre-import-linalg=host=true --remarks-filter=spyre-outline-device --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: spyre-run %s --entry embedding --input %S/Inputs/table.npy --input %S/Inputs/wide.npy --on=card --stats --compare %s --compare-entry embedding 2>&1 | FileCheck %s --check-prefix=FITS
// RUN: spyre-run %s --entry padding --random-seed 1 --on=card --stats --compare %s --compare-entry padding 2>&1 | FileCheck %s --check-prefix=FITS
// RUN: spyre-run %s --entry squares --random-seed 2 --on=card --stats --compare %s --compare-entry squares 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: spyre-run %s --entry far --random-seed 3 --on=card --stats --compare %s --compare-entry far 2>&1 | FileCheck %s --check-prefix=PART
// RUN: spyre-run %s --entry table --random-seed 4 --on=card --stats --compare %s --compare-entry table 2>&1 | FileCheck %s --check-prefix=PART
// RUN: spyre-run %s --entry bounded --random-seed 5 --on=card --stats --compare %s --compare-entry bounded 2>&1 | FileCheck %s --check-prefix=HOST3
// RUN: spyre-run %s --entry behind --random-seed 6 --on=card --stats --compare %s --compare-entry behind 2>&1 | FileCheck %s --check-prefix=HOST3
// RUN: spyre-run %s --entry wide_floats --input %S/Inputs/million.npy --on=card --stats --compare %s --compare-entry wide_floats 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: spyre-run %s --entry unsigned --input %S/Inputs/million.npy --input %S/Inputs/thousands.npy --on=card --stats --compare %s --compare-entry unsigned 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: spyre-run %s --entry extremes --input %S/Inputs/words.npy --on=card --stats --compare %s --compare-entry extremes 2>&1 | FileCheck %s --check-prefix=HOST3
// RUN: spyre-run %s --entry chosen --input %S/Inputs/million.npy --input %S/Inputs/eight.npy --on=card --stats --compare %s --compare-entry chosen 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: host: {{[1-9][0-9]*}} elements
// WIDE: result 0: 0 of 512 elements differ
// FITS: device: @{{embedding|padding}}_device_0,
// FITS: result 0: 0 of {{[0-9]+}} elements differ
// HOST: host: 512 elements
// HOST: result 0: 0 of 512 elements differ
// PART: host: {{512|16}} elements
// PART: result 0: 0 of 512 elements differ
// HOST3: 0.0 % of the work is the device's
// HOST3: result 0: 0 of 512 elements differ

#line = affine_map<(d0) -> (d0)>
#row = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>

// An embedding by indices of 64 bits, which count from the end where they are negative.
// CHECK-LABEL: func.func @embedding(
// CHECK-NOT:     linalg
// CHECK:         %[[BEHIND:.+]] = spyre.lesserthan
// CHECK:         %[[AT:.+]] = spyre.where3 %[[BEHIND]]
// CHECK:         call @embedding_device_0({{.*}}%[[AT]]
// REMARK: Function=embedding | Reason="'lesserthan' computes in SEN169_FP16 or IEEE_FP32, but tensor 0 is IEEE_INT32"
// REMARK: Function=embedding | Reason="'add' computes in
// REMARK: Function=embedding | Reason="'where3' computes in
func.func @embedding(%table: tensor<32x64xf16>, %at: tensor<16xi64>) -> tensor<16x64xf16> {
  %zero = arith.constant 0 : i64
  %rows = arith.constant 32 : i64
  %0 = tensor.empty() : tensor<16xi64>
  %1 = linalg.generic {indexing_maps = [#line, #line], iterator_types = ["parallel"]} ins(%at : tensor<16xi64>) outs(%0 : tensor<16xi64>) {
  ^bb0(%in: i64, %out: i64):
    %behind = arith.cmpi slt, %in, %zero : i64
    %sum = arith.addi %in, %rows : i64
    %r = arith.select %behind, %sum, %in : i64
    linalg.yield %r : i64
  } -> tensor<16xi64>
  %2 = tensor.empty() : tensor<16x64xf16>
  %y = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<16xi64>) outs(%2 : tensor<16x64xf16>) {
  ^bb0(%in: i64, %out: f16):
    %i = arith.index_cast %in : i64 to index
    %j = linalg.index 1 : index
    %e = tensor.extract %table[%i, %j] : tensor<32x64xf16>
    linalg.yield %e : f16
  } -> tensor<16x64xf16>
  return %y : tensor<16x64xf16>
}

// A mask of integers as numbers, as the padding of a sentence is given. A cast to 16 bits would leave them in another order than
// the elements that they are added to.
// CHECK-LABEL: func.func @padding(
// CHECK-NOT:     linalg
// CHECK:         spyre.sitofp
// CHECK:         call @padding_device_0
// REMARK: Function=padding | Reason="'minimum' computes in SEN169_FP16 or IEEE_FP32, but tensor 0 is IEEE_INT32"
// REMARK: Function=padding | Reason="'mul' computes in {{.+}} Remark="'spyre.sitofp' stays on the host"
func.func @padding(%mask: tensor<8x64xi64>, %x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %one = arith.constant 1.0 : f32
  %far = arith.constant -10000.0 : f32
  %few = arith.constant 1 : i64
  %0 = tensor.empty() : tensor<8x64xf32>
  %y = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%mask, %x : tensor<8x64xi64>, tensor<8x64xf32>) outs(%0 : tensor<8x64xf32>) {
  ^bb0(%m: i64, %in: f32, %out: f32):
    %small = arith.minsi %m, %few : i64
    %f = arith.sitofp %small : i64 to f32
    %hidden = arith.subf %one, %f : f32
    %low = arith.mulf %hidden, %far : f32
    %r = arith.addf %in, %low : f32
    linalg.yield %r : f32
  } -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// REMARK: integers.mlir:[[#@LINE+7]]:{{[0-9]+}}: remark: [Missed] StaysOnHost | {{.*}} Function=squares | Reason="an i64 is 32 bits wide on the card, and elements of the result may be in
// CHECK-LABEL: func.func @squares(
// CHECK:         %[[SQUARE:.+]] = spyre.mul %arg0, %arg0 : tensor<8x64xi64>
// CHECK:         return
func.func @squares(%a: tensor<8x64xi64>) -> tensor<8x64xi64> {
  %0 = tensor.empty() : tensor<8x64xi64>
  // The square of 32 bits has 64.
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<8x64xi64>) outs(%0 : tensor<8x64xi64>) {
  ^bb0(%in: i64, %out: i64):
    %r = arith.muli %in, %in : i64
    linalg.yield %r : i64
  } -> tensor<8x64xi64>
  return %y : tensor<8x64xi64>
}

// A number that does not fit is compared on the host: its low 32 bits are another one. What follows is the device's.
// CHECK-LABEL: func.func @far(
// CHECK-DAG:     spyre.fill dense<3000000000> : tensor<1x1xi64>
// CHECK:         spyre.lesserthan
// CHECK:         call @far_device_
// REMARK: Function=far | Reason="an i64 is 32 bits wide on the card, and elements of the result may be in [3000000000, 3000000000]
// REMARK: Function=far | Reason="an i64 is 32 bits wide on the card, and elements that are read may be in [3000000000, 3000000000]"
func.func @far(%a: tensor<8x64xi64>, %x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %far = arith.constant 3000000000 : i64
  %0 = tensor.empty() : tensor<8x64xf16>
  %y = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%a, %x : tensor<8x64xi64>, tensor<8x64xf16>) outs(%0 : tensor<8x64xf16>) {
  ^bb0(%in: i64, %v: f16, %out: f16):
    %c = arith.cmpi slt, %in, %far : i64
    %n = arith.negf %v : f16
    %r = arith.select %c, %n, %v : f16
    linalg.yield %r : f16
  } -> tensor<8x64xf16>
  return %y : tensor<8x64xf16>
}

// The same with a table of numbers.
// CHECK-LABEL: func.func @table(
// CHECK:         spyre.lesserthan
// CHECK:         call @table_device_
// REMARK: Function=table | Reason="an i64 is 32 bits wide on the card, and elements of the result may be in [0, 4294967295]
func.func @table(%a: tensor<8x2xi64>, %x: tensor<8x2x32xf16>) -> tensor<8x2x32xf16> {
  %t = arith.constant dense<[0, 4294967295]> : tensor<2xi64>
  %0 = tensor.empty() : tensor<8x2x32xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a, %t, %x : tensor<8x2xi64>, tensor<2xi64>, tensor<8x2x32xf16>) outs(%0 : tensor<8x2x32xf16>) {
  ^bb0(%in: i64, %far: i64, %v: f16, %out: f16):
    %c = arith.cmpi slt, %in, %far : i64
    %n = arith.negf %v : f16
    %r = arith.select %c, %n, %v : f16
    linalg.yield %r : f16
  } -> tensor<8x2x32xf16>
  return %y : tensor<8x2x32xf16>
}

// What bounds a number reads it: all of it is the host's.
// CHECK-LABEL: func.func @bounded(
// CHECK-NOT:     call
// CHECK:         return
func.func @bounded(%a: tensor<8x64xi64>) -> tensor<8x64xi64> {
  %most = arith.constant 100 : i64
  %0 = tensor.empty() : tensor<8x64xi64>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<8x64xi64>) outs(%0 : tensor<8x64xi64>) {
  ^bb0(%in: i64, %out: i64):
    %s = arith.muli %in, %in : i64
    %r = arith.minsi %s, %most : i64
    linalg.yield %r : i64
  } -> tensor<8x64xi64>
  return %y : tensor<8x64xi64>
}

// An extent from whose end no index of 32 bits counts.
// CHECK-LABEL: func.func @behind(
// CHECK-NOT:     call
// CHECK:         return
func.func @behind(%a: tensor<8x64xi64>) -> tensor<8x64xi64> {
  %zero = arith.constant 0 : i64
  %n = arith.constant 8589934592 : i64
  %0 = tensor.empty() : tensor<8x64xi64>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<8x64xi64>) outs(%0 : tensor<8x64xi64>) {
  ^bb0(%in: i64, %out: i64):
    %c = arith.cmpi slt, %in, %zero : i64
    %s = arith.addi %in, %n : i64
    %r = arith.select %c, %s, %in : i64
    linalg.yield %r : i64
  } -> tensor<8x64xi64>
  return %y : tensor<8x64xi64>
}

// A float of an integer that 32 bits do not hold is that of the whole integer, on the host.
// CHECK-LABEL: func.func @wide_floats(
// CHECK:         spyre.sitofp %{{.+}} : (tensor<8x64xi64>) -> tensor<8x64xf32>
func.func @wide_floats(%a: tensor<8x64xi64>) -> tensor<8x64xf32> {
  %0 = tensor.empty() : tensor<8x64xf32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<8x64xi64>) outs(%0 : tensor<8x64xf32>) {
  ^bb0(%in: i64, %out: f32):
    %square = arith.muli %in, %in : i64
    %sum = arith.addi %square, %in : i64
    %r = arith.sitofp %sum : i64 to f32
    linalg.yield %r : f32
  } -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// Without a sign, integers of 64 bits are compared whole as well.
// CHECK-LABEL: func.func @unsigned(
// CHECK-NOT:     spyre.bitcast
// CHECK:         return
func.func @unsigned(%a: tensor<8x64xi64>, %b: tensor<8x64xi64>) -> tensor<8x64xf32> {
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %0 = tensor.empty() : tensor<8x64xf32>
  %y = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<8x64xi64>, tensor<8x64xi64>) outs(%0 : tensor<8x64xf32>) {
  ^bb0(%in: i64, %in2: i64, %out: f32):
    %square = arith.muli %in, %in : i64
    %second = arith.muli %in2, %in2 : i64
    %third = arith.muli %second, %in2 : i64
    %less = arith.cmpi ult, %square, %third : i64
    %most = arith.cmpi uge, %in2, %in : i64
    %x = arith.select %less, %one, %two : f32
    %y = arith.select %most, %two, %one : f32
    %twice = arith.mulf %x, %two : f32
    %r = arith.addf %twice, %y : f32
    linalg.yield %r : f32
  } -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// A table of integers that the program computes is read whole, by the host.
// CHECK-LABEL: func.func @chosen(
// CHECK:         tensor.extract
func.func @chosen(%a: tensor<8x64xi64>, %at: tensor<8xi32>) -> tensor<8x64xi64> {
  %0 = tensor.empty() : tensor<8x64xi64>
  %square = linalg.mul ins(%a, %a : tensor<8x64xi64>, tensor<8x64xi64>) outs(%0 : tensor<8x64xi64>) -> tensor<8x64xi64>
  %y = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]} ins(%at : tensor<8xi32>) outs(%0 : tensor<8x64xi64>) {
  ^bb0(%in: i32, %out: i64):
    %i = arith.index_cast %in : i32 to index
    %j = linalg.index 1 : index
    %e = tensor.extract %square[%i, %j] : tensor<8x64xi64>
    linalg.yield %e : i64
  } -> tensor<8x64xi64>
  return %y : tensor<8x64xi64>
}

// The larger and the smaller of two words without a sign: a negative one is larger.
func.func @extremes(%a: tensor<8x64xi32>) -> tensor<8x64xi32> {
  %mark = arith.constant 1000000 : i32
  %0 = tensor.empty() : tensor<8x64xi32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<8x64xi32>) outs(%0 : tensor<8x64xi32>) {
  ^bb0(%in: i32, %out: i32):
    %most = arith.maxui %in, %mark : i32
    %least = arith.minui %in, %mark : i32
    %r = arith.subi %most, %least : i32
    linalg.yield %r : i32
  } -> tensor<8x64xi32>
  return %y : tensor<8x64xi32>
}

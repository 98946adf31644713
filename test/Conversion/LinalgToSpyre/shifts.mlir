// Shifts of integers of 32 bits by constants: products, and quotients of floats that are corrected. The
// card has the floats, and the host the integers.

// RUN: spyre-opt %s --spyre-import-linalg | FileCheck %s
// RUN: spyre-run %s --entry low --input %S/Inputs/words.npy --on=card --stats --compare %s --compare-entry low 2>&1 | FileCheck %s --check-prefixes=PART,ALL
// RUN: spyre-run %s --entry high --input %S/Inputs/words.npy --on=card --stats --compare %s --compare-entry high 2>&1 | FileCheck %s --check-prefixes=PART,ALL
// RUN: spyre-run %s --entry low --random-seed 1 --on=card --stats --compare %s --compare-entry low 2>&1 | FileCheck %s --check-prefixes=PART,ALL
// RUN: spyre-run %s --entry edges --random-seed 2 --on=card --stats --compare %s --compare-entry edges 2>&1 | FileCheck %s --check-prefix=EDGES
// RUN: spyre-opt %s --spyre-import-linalg=host=true --remarks-filter=spyre-outline-device -o /dev/null 2>&1 | FileCheck %s --check-prefix=HOST
// HOST: Function=low | Reason="'mul' computes in SEN169_FP16 or IEEE_FP32, but tensor 0 is IEEE_INT32", Remark="'spyre.sitofp' stays on the host"
// HOST: Function=low | Reason="'sub' computes in SEN169_FP16 or IEEE_FP32, but tensor 0 is IEEE_INT32", Remark="'spyre.fptosi' stays on the host"
// PART: device: @{{low|high}}_device_0,
// PART: result 0: 0 of 512 elements differ
// ALL: result 1: 0 of 512 elements differ
// ALL: result 2: 0 of 512 elements differ
// ALL: result 3: 0 of 512 elements differ
// EDGES: 0.0 % of the work is the device's
// EDGES: result 0: 0 of 16 elements differ
// EDGES: result 1: 0 of 16 elements differ
// EDGES: result 2: 0 of 16 elements differ
// EDGES: result 3: 0 of 16 elements differ

#all = affine_map<(d0, d1) -> (d0, d1)>
#line = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @low(
// CHECK:         spyre.sitofp
// CHECK:         spyre.floor
// CHECK:         spyre.fptosi
func.func @low(%x: tensor<8x64xi32>) -> (tensor<8x64xi32>, tensor<8x64xi32>, tensor<8x64xi32>, tensor<8x64xi32>) {
  %0 = tensor.empty() : tensor<8x64xi32>
  %y:4 = linalg.generic {indexing_maps = [#all, #all, #all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x64xi32>) outs(%0, %0, %0, %0 : tensor<8x64xi32>, tensor<8x64xi32>, tensor<8x64xi32>, tensor<8x64xi32>) {
  ^bb0(%in: i32, %o0: i32, %o1: i32, %o2: i32, %o3: i32):
    %one = arith.constant 1 : i32
    %six = arith.constant 6 : i32
    %seven = arith.constant 7 : i32
    %a = arith.shrsi %in, %one : i32
    %b = arith.shrsi %in, %six : i32
    %c = arith.shrsi %in, %seven : i32
    %d = arith.shrui %in, %one : i32
    linalg.yield %a, %b, %c, %d : i32, i32, i32, i32
  } -> (tensor<8x64xi32>, tensor<8x64xi32>, tensor<8x64xi32>, tensor<8x64xi32>)
  return %y#0, %y#1, %y#2, %y#3 : tensor<8x64xi32>, tensor<8x64xi32>, tensor<8x64xi32>, tensor<8x64xi32>
}

func.func @high(%x: tensor<8x64xi32>) -> (tensor<8x64xi32>, tensor<8x64xi32>, tensor<8x64xi32>, tensor<8x64xi32>) {
  %0 = tensor.empty() : tensor<8x64xi32>
  %y:4 = linalg.generic {indexing_maps = [#all, #all, #all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x64xi32>) outs(%0, %0, %0, %0 : tensor<8x64xi32>, tensor<8x64xi32>, tensor<8x64xi32>, tensor<8x64xi32>) {
  ^bb0(%in: i32, %o0: i32, %o1: i32, %o2: i32, %o3: i32):
    %n23 = arith.constant 23 : i32
    %n24 = arith.constant 24 : i32
    %n31 = arith.constant 31 : i32
    %a = arith.shrsi %in, %n23 : i32
    %b = arith.shrui %in, %n24 : i32
    %c = arith.shrsi %in, %n31 : i32
    %d = arith.shli %in, %n31 : i32
    linalg.yield %a, %b, %c, %d : i32, i32, i32, i32
  } -> (tensor<8x64xi32>, tensor<8x64xi32>, tensor<8x64xi32>, tensor<8x64xi32>)
  return %y#0, %y#1, %y#2, %y#3 : tensor<8x64xi32>, tensor<8x64xi32>, tensor<8x64xi32>, tensor<8x64xi32>
}

// Where the nearest float is on the other side of a multiple. What is added is 0, which no pass here knows.
func.func @edges(%zeros: tensor<16xi32>) -> (tensor<16xi32>, tensor<16xi32>, tensor<16xi32>, tensor<16xi32>) {
  %x = arith.constant dense<[2147483647, -2147483648, 2147483584, 2147483583, -2147483585, 16777217, -16777217, 33554431, 67108863, 134217727, -134217729, 1073741823, -1, 0, 1, 16777215]> : tensor<16xi32>
  %0 = tensor.empty() : tensor<16xi32>
  %y:4 = linalg.generic {indexing_maps = [#line, #line, #line, #line, #line, #line], iterator_types = ["parallel"]} ins(%x, %zeros : tensor<16xi32>, tensor<16xi32>) outs(%0, %0, %0, %0 : tensor<16xi32>, tensor<16xi32>, tensor<16xi32>, tensor<16xi32>) {
  ^bb0(%in: i32, %any: i32, %o0: i32, %o1: i32, %o2: i32, %o3: i32):
    %zero = arith.constant 0 : i32
    %n3 = arith.constant 3 : i32
    %n23 = arith.constant 23 : i32
    %n24 = arith.constant 24 : i32
    %n31 = arith.constant 31 : i32
    %low = arith.minsi %any, %zero : i32
    %none = arith.maxsi %low, %zero : i32
    %own = arith.addi %in, %none : i32
    %a = arith.shrsi %own, %n3 : i32
    %b = arith.shrsi %own, %n23 : i32
    %c = arith.shrsi %own, %n24 : i32
    %d = arith.shrsi %own, %n31 : i32
    linalg.yield %a, %b, %c, %d : i32, i32, i32, i32
  } -> (tensor<16xi32>, tensor<16xi32>, tensor<16xi32>, tensor<16xi32>)
  return %y#0, %y#1, %y#2, %y#3 : tensor<16xi32>, tensor<16xi32>, tensor<16xi32>, tensor<16xi32>
}

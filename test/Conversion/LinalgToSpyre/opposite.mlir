// The opposite of a truth value has the format of what was compared, which the constant beside it does not have.

// RUN: spyre-opt %s --spyre-import-linalg | FileCheck %s
// RUN: spyre-run %s --random-seed 3 --on card --compare %s --stats 2>&1 | FileCheck %s --check-prefix=CARD

#map = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func @exclusive
// CHECK:         %[[LESS:.*]] = spyre.lesserthan %arg0, %arg1
// CHECK:         %[[ONE:.*]] = spyre.where3 %[[LESS]]
// CHECK:         spyre.equal %[[ONE]]
// CHECK-NOT:     spyre.notequal {{.*}} : (tensor<8xi1>
// CARD: 100.0 % of the work is the device's
// CARD: result 0: 0 of 8 elements differ
func.func @exclusive(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %true = arith.constant true
    %zero = arith.constant 0.0 : f32
    %less = arith.cmpf olt, %x, %y : f32
    %not = arith.cmpi ne, %less, %true : i1
    %again = arith.xori %less, %true : i1
    %same = arith.cmpi eq, %not, %again : i1
    %below = arith.cmpf olt, %x, %zero : f32
    %low = arith.andi %below, %same : i1
    %both = arith.andi %not, %low : i1
    %first = arith.select %both, %x, %y : f32
    %second = arith.select %less, %first, %zero : f32
    %sum = arith.addf %first, %second : f32
    linalg.yield %sum : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// Upstream's integer range analysis knows what elements of the dialect can be: what is always one number becomes it.

// RUN: spyre-opt %s --int-range-optimizations --canonicalize | FileCheck %s
// RUN: spyre-opt %s --int-range-optimizations --convert-uop-to-linalg -o %t
// RUN: spyre-opt %s --convert-uop-to-linalg -o %t.plain
// RUN: spyre-run %t --entry wraps --random-seed 1 --compare %t.plain --compare-entry wraps | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t --entry signs --random-seed 3 --compare %t.plain --compare-entry signs | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t --entry called --random-seed 4 --compare %t.plain --compare-entry called | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t --entry bounds --random-seed 2 --compare %t.plain --compare-entry bounds | FileCheck %s --check-prefix=SAME
// SAME-NOT: {{result [0-9]+: [1-9][0-9]* of}}
// SAME: result 0: 0 of {{[0-9]+}} elements differ

// A remainder is below its divisor, and padding is in it. What is read at positions and reshaped is what it was.
// CHECK-LABEL: func.func @bounds(
// CHECK-DAG:     %[[TRUE:.+]] = uop.const dense<true> : tensor<8xi1>
// CHECK-DAG:     %[[ZERO:.+]] = uop.const dense<0> : tensor<8xi32>
// CHECK:         return %[[TRUE]], %[[ZERO]]
func.func @bounds(%x: tensor<2x3xi32>) -> (tensor<8xi1>, tensor<8xi32>) {
  %n = uop.const dense<7> : tensor<2x3xi32>
  %r = uop.mod %x, %n : tensor<2x3xi32>
  %p = uop.pad %r at [0, 1] to [2, 4] : tensor<2x3xi32>
  %f = uop.reshape %p to [8] : tensor<2x4xi32>
  %seven = uop.const dense<7> : tensor<8xi32>
  %less = uop.cmplt %f, %seven : tensor<8xi32>
  %q = uop.idiv %f, %seven : tensor<8xi32>
  return %less, %q : tensor<8xi1>, tensor<8xi32>
}

// A sum that may wrap is anything, so it is not above its first operand. One that cannot is.
// CHECK-LABEL: func.func @wraps(
// CHECK:         %[[SUM:.+]] = uop.add
// CHECK:         %[[ABOVE:.+]] = uop.cmpgt %{{.+}}, %{{.+}} : tensor<4xi32>
// CHECK:         return %[[ABOVE]], %{{.+}} : tensor<4xi1>, tensor<4xi1>
func.func @wraps(%x: tensor<4xi32>, %y: tensor<4xi8>) -> (tensor<4xi1>, tensor<4xi1>) {
  %least = uop.const dense<2147483600> : tensor<4xi32>
  %large = uop.max %x, %least : tensor<4xi32>
  %more = uop.const dense<100> : tensor<4xi32>
  %sum = uop.add %large, %more : tensor<4xi32>
  %above = uop.cmpgt %sum, %least : tensor<4xi32>
  %wide = uop.cast %y : tensor<4xi8> to tensor<4xi32>
  %sum_of_small = uop.add %wide, %more : tensor<4xi32>
  %low = uop.const dense<-29> : tensor<4xi32>
  %always = uop.cmpgt %sum_of_small, %low : tensor<4xi32>
  return %above, %always : tensor<4xi1>, tensor<4xi1>
}

// Integers without a sign have their own order. A conversion that does not fit may be anything: 200 is -56.
// CHECK-LABEL: func.func @signs(
// CHECK-DAG:     %[[TRUE:.+]] = uop.const dense<true> : tensor<4xi1>
// CHECK-DAG:     %[[WRAPPED:.+]] = uop.cast %{{.+}} : tensor<4xui8> to tensor<4xi8>
// CHECK:         %[[BELOW:.+]] = uop.cmplt %[[WRAPPED]]
// CHECK:         return %[[TRUE]], %[[BELOW]]
func.func @signs(%x: tensor<4xui8>) -> (tensor<4xi1>, tensor<4xi1>) {
  %zero = uop.const dense<0> : tensor<4xui8>
  %is = uop.cmpge %x, %zero : tensor<4xui8>
  %large = uop.const dense<200> : tensor<4xui8>
  %c = uop.max %large, %large : tensor<4xui8>
  %i = uop.cast %c : tensor<4xui8> to tensor<4xi8>
  %positive = uop.const dense<0> : tensor<4xi8>
  %below = uop.cmplt %i, %positive : tensor<4xi8>
  return %is, %below : tensor<4xi1>, tensor<4xi1>
}

// Nothing is known of floats, and a choice is one of both.
// CHECK-LABEL: func.func @floats(
// CHECK:         uop.cmplt %{{.+}}, %{{.+}} : tensor<4xf32>
// CHECK:         uop.where
// CHECK-NOT:     uop.cmpne
// CHECK:         return
func.func @floats(%x: tensor<4xf32>) -> (tensor<4xi32>, tensor<4xi1>) {
  %y = uop.const dense<1.0> : tensor<4xf32>
  %p = uop.cmplt %x, %y : tensor<4xf32>
  %a = uop.const dense<3> : tensor<4xi32>
  %b = uop.const dense<5> : tensor<4xi32>
  %c = uop.where %p, %a, %b : tensor<4xi32>
  %zero = uop.const dense<0> : tensor<4xi32>
  %differs = uop.cmpne %c, %zero : tensor<4xi32>
  return %c, %differs : tensor<4xi32>, tensor<4xi1>
}

// An argument that is one number in all calls is a constant of upstream's, which a program may have.
// CHECK-LABEL: func.func private @scaled(
// CHECK:         %[[THREE:.+]] = arith.constant dense<3> : tensor<4xi32>
// CHECK:         uop.mul %{{.+}}, %[[THREE]]
func.func private @scaled(%x: tensor<4xi32>, %n: tensor<4xi32>) -> tensor<4xi32> {
  %0 = uop.mul %x, %n : tensor<4xi32>
  return %0 : tensor<4xi32>
}

func.func @called(%x: tensor<4xi32>) -> tensor<4xi32> {
  %n = uop.const dense<3> : tensor<4xi32>
  %0 = call @scaled(%x, %n) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// Comparisons of integers, and what takes them to floats and back, become arithmetic on integers and their bits.

// RUN: spyre-opt %s --spyre-decompose | FileCheck %s
// RUN: spyre-run %s --entry compared --random-seed 1 --on=card --compare %s --compare-entry compared 2>/dev/null | FileCheck %s --check-prefix=SIX
// RUN: spyre-run %s --entry compared --random-seed 2 --special-values --on=card --compare %s --compare-entry compared 2>/dev/null | FileCheck %s --check-prefix=SIX
// RUN: spyre-run %s --entry floats --random-seed 3 --special-values --on=card --compare %s --compare-entry floats 2>/dev/null | FileCheck %s --check-prefix=ONE
// RUN: spyre-run %s --entry integers --random-seed 4 --largest 32768 --on=card --compare %s --compare-entry integers 2>/dev/null | FileCheck %s --check-prefix=ONE
// RUN: spyre-run %s --entry wide --random-seed 5 --on=card --compare %s --compare-entry wide 2>/dev/null | FileCheck %s --check-prefix=ONE
// SIX-COUNT-6: 0 of 512 elements differ
// ONE: 0 of 512 elements differ

// The difference may wrap: it is 0 only where the two are equal. The bits of 1.0 are 1065353216.
// CHECK-LABEL: func.func @compared(
// CHECK-NOT:     spyre.{{[a-z]+}} %{{.+}} : (tensor<8x64xi32>, tensor<8x64xi32>) -> tensor<8x64xi1>
// CHECK:         spyre.fill dense<1065353216>
// CHECK:         spyre.bitcast %{{.+}} : (tensor<8x64xi32>) -> tensor<8x64xf32>
// CHECK:         spyre.equal %{{.+}} : (tensor<8x64xf32>, tensor<1x1xf32>) -> tensor<8x64xi1>
// CHECK:         spyre.notequal
func.func @compared(%a: tensor<8x64xi32>, %b: tensor<8x64xi32>) -> (tensor<8x64xi32>, tensor<8x64xi32>, tensor<8x64xi32>, tensor<8x64xi32>, tensor<8x64xi32>, tensor<8x64xi32>) {
  %0 = spyre.equal %a, %b : (tensor<8x64xi32>, tensor<8x64xi32>) -> tensor<8x64xi1>
  %1 = spyre.notequal %a, %b : (tensor<8x64xi32>, tensor<8x64xi32>) -> tensor<8x64xi1>
  %2 = spyre.lesserthan %a, %b : (tensor<8x64xi32>, tensor<8x64xi32>) -> tensor<8x64xi1>
  %3 = spyre.lesserequal %a, %b : (tensor<8x64xi32>, tensor<8x64xi32>) -> tensor<8x64xi1>
  %4 = spyre.greaterthan %a, %b : (tensor<8x64xi32>, tensor<8x64xi32>) -> tensor<8x64xi1>
  %5 = spyre.greaterequal %a, %b : (tensor<8x64xi32>, tensor<8x64xi32>) -> tensor<8x64xi1>
  %one = spyre.fill dense<1> : tensor<8x64xi32>
  %two = spyre.fill dense<2> : tensor<8x64xi32>
  %6 = spyre.where3 %0, %one, %two : (tensor<8x64xi1>, tensor<8x64xi32>, tensor<8x64xi32>) -> tensor<8x64xi32>
  %7 = spyre.where3 %1, %one, %two : (tensor<8x64xi1>, tensor<8x64xi32>, tensor<8x64xi32>) -> tensor<8x64xi32>
  %8 = spyre.where3 %2, %one, %two : (tensor<8x64xi1>, tensor<8x64xi32>, tensor<8x64xi32>) -> tensor<8x64xi32>
  %9 = spyre.where3 %3, %one, %two : (tensor<8x64xi1>, tensor<8x64xi32>, tensor<8x64xi32>) -> tensor<8x64xi32>
  %10 = spyre.where3 %4, %one, %two : (tensor<8x64xi1>, tensor<8x64xi32>, tensor<8x64xi32>) -> tensor<8x64xi32>
  %11 = spyre.where3 %5, %one, %two : (tensor<8x64xi1>, tensor<8x64xi32>, tensor<8x64xi32>) -> tensor<8x64xi32>
  return %6, %7, %8, %9, %10, %11 : tensor<8x64xi32>, tensor<8x64xi32>, tensor<8x64xi32>, tensor<8x64xi32>, tensor<8x64xi32>, tensor<8x64xi32>
}

// All integers of 32 bits, rounded once.
// CHECK-LABEL: func.func @floats(
// CHECK-NOT:     spyre.sitofp
// CHECK-COUNT-2: spyre.bitcast %{{.+}} : (tensor<8x64xi32>) -> tensor<8x64xf32>
// CHECK:         spyre.add %{{.+}} : tensor<8x64xf32>
func.func @floats(%a: tensor<8x64xi32>) -> tensor<8x64xf32> {
  %0 = spyre.sitofp %a : (tensor<8x64xi32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// CHECK-LABEL: func.func @integers(
// CHECK-NOT:     spyre.fptosi
// CHECK-COUNT-2: spyre.bitcast %{{.+}} : (tensor<8x64xf32>) -> tensor<8x64xi32>
// CHECK:         spyre.add %{{.+}} : tensor<8x64xi32>
func.func @integers(%x: tensor<8x64xf32>) -> tensor<8x64xi32> {
  %k = spyre.fill dense<60000.0> : tensor<1x1xf32>
  %0 = spyre.mul %x, %k : (tensor<8x64xf32>, tensor<1x1xf32>) -> tensor<8x64xf32>
  %1 = spyre.fptosi %0 : (tensor<8x64xf32>) -> tensor<8x64xi32>
  return %1 : tensor<8x64xi32>
}

// Integers of 64 bits have 32 in device memory.
// CHECK-LABEL: func.func @wide(
// CHECK:         spyre.bitcast %arg0 : (tensor<8x64xi64>) -> tensor<8x64xi32>
func.func @wide(%a: tensor<8x64xi64>) -> tensor<8x64xi64> {
  %zero = spyre.fill dense<0> : tensor<1x1xi64>
  %0 = spyre.lesserthan %a, %zero : (tensor<8x64xi64>, tensor<1x1xi64>) -> tensor<8x64xi1>
  %1 = spyre.where3 %0, %zero, %a : (tensor<8x64xi1>, tensor<1x1xi64>, tensor<8x64xi64>) -> tensor<8x64xi64>
  return %1 : tensor<8x64xi64>
}

// A comparison has hints, and so have the operations in its place.
// CHECK-LABEL: func.func @tiled(
// CHECK:         spyre.sub {{.*}} tile [0: "A" in 2]
// CHECK:         spyre.notequal {{.*}} tile [0: "A" in 2]
func.func @tiled(%a: tensor<8x64xi32> {spyre.dims = ["A", "B"]}, %b: tensor<8x64xi32>) -> tensor<8x64xi1> {
  %0 = spyre.lesserthan %a, %b tile [0: "A" in 2] : (tensor<8x64xi32>, tensor<8x64xi32>) -> tensor<8x64xi1>
  return %0 : tensor<8x64xi1>
}

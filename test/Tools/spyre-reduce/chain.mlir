// A function without the operation is erased, and an operand takes the place of each result in a chain.

// RUN: spyre-reduce %s --reduction-tree='traversal-mode=0 test=%S/Inputs/has-exp.sh' -o %t.mlir
// RUN: spyre-opt %t.mlir | FileCheck %s

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<128x128xf16, #stick>

// CHECK: func.func @chain(%[[A:.*]]: tensor<{{.*}}>, %{{.*}}: tensor<{{.*}}>)
// CHECK-NEXT: %[[EXP:.*]] = spyre.exp %[[A]]
// CHECK-NEXT: return %[[EXP]]
// CHECK-NOT: func.func
func.func @chain(%a: !t, %b: !t) -> !t {
  %0 = spyre.add %a, %b : !t
  %1 = spyre.mul %0, %b : !t
  %2 = spyre.exp %1 : !t
  %3 = spyre.add %2, %a : !t
  %4 = spyre.mul %3, %0 : !t
  return %4 : !t
}

func.func @other(%a: !t, %b: !t) -> !t {
  %0 = spyre.add %a, %b : !t
  return %0 : !t
}

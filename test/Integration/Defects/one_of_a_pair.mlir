// A cast leaves the elements of a stick in two, in an order that no document says. So the last tile, of one column, runs over both
// sticks: the element is in one of them, and what follows reads both. It ran over the first one alone.

// RUN: spyre-opt %s --spyre-pipeline --mlir-print-local-scope 2>/dev/null | FileCheck %s
// RUN: spyre-run %s --entry f --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' 2>/dev/null | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER

// CHECK:      op_spec {{.*}} "sub" {{.*}} = 64 over 1>] args [
// CHECK-NEXT: (d1 floordiv 32, d0, d1 mod 32)
// CHECK:      op_spec {{.*}} "sub" {{.*}} = 64 over 1>] args [
// CHECK-NEXT: (d1 floordiv 32 + 2, d0, d1 mod 32)
// CHECK-NOT: "sub"
// CARD: a bundle, same results on the simulated card

module attributes {spyre.target = #spyre.target<cores = 1>} {
  func.func @f(%a: tensor<32x65xf16> {spyre.dims = ["A", "B"]}, %b: tensor<32x2xf16>) -> (tensor<32x65xf16>, tensor<32x65xf16>) {
    %neg = spyre.neg %a : tensor<32x65xf16>
    %in = tensor.insert_slice %b into %neg[0, 34] [32, 2] [1, 1] : tensor<32x2xf16> into tensor<32x65xf16>
    %wide = spyre.dl16tofp32 %neg : (tensor<32x65xf16>) -> tensor<32x65xf32>
    %sub = spyre.sub %wide, %wide tile [1: "B" by 64] : tensor<32x65xf32>
    %abs = spyre.abs %sub : tensor<32x65xf32>
    %narrow = spyre.fp32todl16 %abs : (tensor<32x65xf32>) -> tensor<32x65xf16>
    return %in, %narrow : tensor<32x65xf16>, tensor<32x65xf16>
  }
}

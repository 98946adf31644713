// RUN: spyre-opt %s --spyre-plan | FileCheck %s
// RUN: spyre-opt %s --spyre-plan --remarks-filter=spyre-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARKS
// RUN: spyre-run %s --check-pipeline='builtin.module(spyre-pipeline{plan=true})' | FileCheck %s --check-prefix=CARD

// Where a function has loops of its own, tilings of all operations are tried one by one.

// CARD: same results
// CARD-NOT: different

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<512x256xf16, #stick>

module attributes {spyre.target = #spyre.target<cores = 2, lx_bytes = 65536, lx_reserved_bytes = 0, lx_backend_percent = 0>} {

// REMARKS: [Passed] Chosen | {{.*}}Function=f | {{.*}}Plan="tiles with broadcasts counted once, copies of arguments
// CHECK-LABEL: func.func @f(
// CHECK: scf.for
// CHECK: spyre.exp %{{.*}} tile [10000: "S" in 4]
// CHECK: spyre.neg %{{.*}} tile [10000: "S" in 4]
// CHECK: spyre.add %{{.*}} tile [10000: "S" in 4]
func.func @f(%x: !t {spyre.dims = ["S", "E"]}) -> !t {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %l = scf.for %i = %zero to %two step %one iter_args(%t = %x) -> (!t) {
    %n = spyre.neg %t : !t
    scf.yield %n : !t
  }
  %a = spyre.exp %l : !t
  %b = spyre.neg %a : !t
  %c = spyre.add %a, %b : !t
  return %c : !t
}
}

// Results that nobody can see are an error; a reader that has gone is not.

// RUN: not spyre-run %s > /dev/full 2> %t.1 && FileCheck %s --input-file=%t.1
// RUN: not spyre-run %s --compare %s > /dev/full 2> %t.2 && FileCheck %s --input-file=%t.2
// RUN: not spyre-run %s --passes cse > /dev/full 2> %t.3 && FileCheck %s --input-file=%t.3
// CHECK: error: standard output: No space left on device
// RUN: { spyre-run %s 2> %t.4; echo $? > %t.5; } | true
// RUN: count 0 < %t.4

func.func @f() -> tensor<2xi64> {
  %0 = spyre.fill dense<3> : tensor<2xi64>
  return %0 : tensor<2xi64>
}

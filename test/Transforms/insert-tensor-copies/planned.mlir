// RUN: spyre-opt %s --spyre-insert-tensor-copies | FileCheck %s

!t = tensor<64x64xf16>

// What has places is planned with the copies that it needs.
// CHECK-LABEL: func.func @planned(
// CHECK-NOT: spyre.copy
// CHECK: return
func.func @planned(%x: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %y = spyre.exp %x place arg 1 : !t
  return %y : !t
}

// PyTorch's order, and what is dead.

// RUN: spyre-opt %s --inductor-toposort | FileCheck %s
// RUN: spyre-opt %s --inductor-dce | FileCheck %s --check-prefix=DCE

!t = tensor<4xf32, #inductor.layout<fixed, [1]>>

// What the text has in order stays so.
// CHECK-LABEL: inductor.graph @order
// CHECK: inductor.extern "op0" as "buf2"
// CHECK: inductor.extern "op1" as "buf10"
// CHECK: inductor.extern "op2"
// CHECK: inductor.extern "op3"
inductor.graph @order {
  %x = inductor.input "x" : !t
  %a = inductor.extern "op0" as "buf2" "ExternKernelOut" "aten.f.default"(%x) : (!t) -> !t
  %b = inductor.extern "op1" as "buf10" "ExternKernelOut" "aten.f.default"(%x) : (!t) -> !t
  %c = inductor.extern "op2" as "buf3" "ExternKernelOut" "aten.g.default"(%a, %b) : (!t, !t) -> !t
  %d = inductor.extern "op3" as "buf4" "ExternKernelOut" "aten.f.default"(%c) : (!t) -> !t
  inductor.return %d : !t
}

// DCE-LABEL: inductor.graph @dead
inductor.graph @dead {
  %x = inductor.input "x" : !t
  // DCE: inductor.extern "op0"
  %both = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.sort.default"(%x) : (!t) -> !inductor.results
  // DCE-NOT: "op1"
  %0 = inductor.multi_output "op1" as "buf1" %both [["tuple", 0]] : !inductor.results -> !t
  // DCE: inductor.multi_output "op2"
  %1 = inductor.multi_output "op2" as "buf2" %both [["tuple", 1]] : !inductor.results -> !t
  // Two that only use each other go, and the view between them.
  // DCE-NOT: "op3"
  // DCE-NOT: inductor.view
  // DCE-NOT: "op4"
  %2 = inductor.extern "op3" as "buf3" "ExternKernelOut" "aten.f.default"(%x) : (!t) -> !t
  %v = inductor.view %2 : !t -> tensor<2x2xf32, #inductor.layout<fixed, [2, 1]>>
  %3 = inductor.extern "op4" as "buf4" "ExternKernelOut" "aten.g.default"(%v) : (tensor<2x2xf32, #inductor.layout<fixed, [2, 1]>>) -> !t
  // A check stays.
  // DCE: inductor.extern "op5"
  %4 = inductor.extern "op5" as "buf5" "AssertScalar"(%x) : (!t) -> !t
  inductor.return %1 : !t
}

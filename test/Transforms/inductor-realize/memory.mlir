// Who needs the memory of an expression: kernels from outside, concatenations, views, outputs, and what is overwritten.

// RUN: spyre-opt %s --inductor-realize -o %t.1
// RUN: FileCheck %s --input-file %t.1
// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t.0
// RUN: spyre-opt %t.1 --convert-inductor-to-linalg -o %t
// RUN: spyre-run %t --entry kernel --random-seed 1 --compare %t.0
// RUN: spyre-run %t --entry late --random-seed 1 --compare %t.0
// RUN: spyre-run %t --entry kernel_and_reader --random-seed 1 --compare %t.0
// RUN: spyre-run %t --entry concatenation --random-seed 1 --compare %t.0
// RUN: spyre-run %t --entry view --random-seed 1 --compare %t.0
// RUN: spyre-run %t --entry output_and_reader --random-seed 1 --compare %t.0
// RUN: spyre-run %t --entry constant --random-seed 1 --compare %t.0
// RUN: spyre-run %t --entry overwritten --random-seed 1 --compare %t.0
// RUN: spyre-opt %s --inductor-realize --remarks-filter=inductor-realize --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#id = affine_map<(d0, d1) -> (d0, d1)>
!t = tensor<8x8xf32, #inductor.layout<flexible, [8, 1]>>
!f = tensor<8x8xf32, #inductor.layout<fixed, [8, 1]>>

// REMARK: Realized{{.*}}Function=kernel | {{.*}}Reason="'op1' reads its memory"
// CHECK-LABEL: inductor.graph @kernel
// CHECK: %[[E:.*]] = inductor.pointwise "op0"
// CHECK: inductor.extern "op1" {{.*}}(%[[E]], %x)
inductor.graph @kernel {
  %x = inductor.input "x" : !f
  %e = inductor.pointwise "op0" as "buf0" [8, 8] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !f -> f32
    %1 = arith.negf %0 : f32
    inductor.store %1 at #id(%i, %j) : f32
  } : !t
  %m = inductor.extern "op1" as "buf1" "ExternKernelOut" "aten.mm.out"(%e, %x) {constant_args = [], kernel = "extern_kernels.mm", kwargs = {}} : (!t, !f) -> !f
  inductor.return %m : !f
}

// Who comes before the kernel computes the expression; who comes behind it reads the buffer, which is made for the kernel.
// Outputs come last.
// CHECK-LABEL: inductor.graph @late
// CHECK: %[[E:.*]] = inductor.pointwise "op0"
// CHECK: inductor.extern "op2" {{.*}}(%[[E]], %x)
// CHECK: inductor.pointwise "op1"
// CHECK: arith.negf
// CHECK: math.absf
// CHECK: inductor.pointwise "op3"
// CHECK: inductor.load %[[E]]
// CHECK-NOT: arith.negf
// CHECK: inductor.return
inductor.graph @late {
  %x = inductor.input "x" : !f
  %e = inductor.pointwise "op0" as "buf0" [8, 8] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !f -> f32
    %1 = arith.negf %0 : f32
    inductor.store %1 at #id(%i, %j) : f32
  } : !t
  %a = inductor.pointwise "op1" as "buf1" [8, 8] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %e at #id(%i, %j) : !t -> f32
    %1 = math.absf %0 : f32
    inductor.store %1 at #id(%i, %j) : f32
  } : !t
  %m = inductor.extern "op2" as "buf2" "ExternKernelOut" "aten.mm.out"(%e, %x) {constant_args = [], kernel = "extern_kernels.mm", kwargs = {}} : (!t, !f) -> !f
  %b = inductor.pointwise "op3" as "buf3" [8, 8] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %e at #id(%i, %j) : !t -> f32
    %1 = math.floor %0 : f32
    inductor.store %1 at #id(%i, %j) : f32
  } : !t
  inductor.return %a, %m, %b outputs [#inductor.operand<0>, #inductor.operand<1>, #inductor.operand<2>] : !t, !f, !t
}

// With two loads it is a buffer for all of them, at once.
// REMARK: Realized{{.*}}Function=kernel_and_reader | {{.*}}Reason="a kernel from outside and others read it, and it has 2 loads at places that are no numbers, more than 1"
// CHECK-LABEL: inductor.graph @kernel_and_reader
// CHECK: %[[E:.*]] = inductor.pointwise "op0"
// CHECK: inductor.pointwise "op1"
// CHECK: inductor.load %[[E]]
inductor.graph @kernel_and_reader {
  %x = inductor.input "x" : !f
  %y = inductor.input "y" : !f
  %e = inductor.pointwise "op0" as "buf0" [8, 8] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !f -> f32
    %1 = inductor.load %y at #id(%i, %j) : !f -> f32
    %2 = arith.addf %0, %1 : f32
    inductor.store %2 at #id(%i, %j) : f32
  } : !t
  %a = inductor.pointwise "op1" as "buf1" [8, 8] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %e at #id(%i, %j) : !t -> f32
    %1 = math.absf %0 : f32
    inductor.store %1 at #id(%i, %j) : f32
  } : !t
  %m = inductor.extern "op2" as "buf2" "ExternKernelOut" "aten.mm.out"(%e, %x) {constant_args = [], kernel = "extern_kernels.mm", kwargs = {}} : (!t, !f) -> !f
  inductor.return %a, %m outputs [#inductor.operand<0>, #inductor.operand<1>] : !t, !f
}

// REMARK: Realized{{.*}}Function=concatenation | {{.*}}Reason="it is a part of a concatenation"
// REMARK: Realized{{.*}}Function=concatenation | {{.*}}Reason="'op2' reads its memory"
// CHECK-LABEL: inductor.graph @concatenation
// CHECK: inductor.pointwise "op0"
// CHECK: inductor.pointwise "op1"
// CHECK: inductor.concat "op2"
!p = tensor<8x8xf32, #inductor.layout<non_owning, [8, 1]>>
!c = tensor<16x8xf32, #inductor.layout<fixed, [8, 1]>>
inductor.graph @concatenation {
  %x = inductor.input "x" : !f
  %a = inductor.pointwise "op0" as "buf0" [8, 8] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !f -> f32
    %1 = math.absf %0 : f32
    inductor.store %1 at #id(%i, %j) : f32
  } : !p
  %b = inductor.pointwise "op1" as "buf1" [8, 8] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !f -> f32
    %1 = math.floor %0 : f32
    inductor.store %1 at #id(%i, %j) : f32
  } : !t
  %c = inductor.concat "op2" as "buf2" %a, %b : (!p, !t) -> !c
  inductor.return %c : !c
}

// CHECK-LABEL: inductor.graph @view
// CHECK: %[[E:.*]] = inductor.pointwise "op0"
// CHECK: inductor.view %[[E]]
// CHECK: %[[F:.*]] = inductor.pointwise "op2"
// CHECK: inductor.pointwise "op3"
// CHECK: inductor.load %[[F]] at {{.*}} view
!s = tensor<4x8xf32, #inductor.layout<fixed, [16, 1]>>
inductor.graph @view {
  %x = inductor.input "x" : !f
  %e = inductor.pointwise "op0" as "buf0" [8, 8] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !f -> f32
    %1 = math.absf %0 : f32
    inductor.store %1 at #id(%i, %j) : f32
  } : !f
  %v = inductor.view %e : !f -> !s
  %a = inductor.pointwise "op1" as "buf1" [4, 8] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %v at #id(%i, %j) : !s -> f32
    %1 = arith.negf %0 : f32
    inductor.store %1 at #id(%i, %j) : f32
  } : tensor<4x8xf32, #inductor.layout<fixed, [8, 1]>>
  %f = inductor.pointwise "op2" as "buf2" [8, 8] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !f -> f32
    %1 = math.floor %0 : f32
    inductor.store %1 at #id(%i, %j) : f32
  } : !f
  %b = inductor.pointwise "op3" as "buf3" [64] {
  ^bb0(%i: index):
    %0 = inductor.load %f at affine_map<(d0) -> (d0)>(%i) view <fixed, [1], size = [64]> : !f -> f32
    %1 = arith.negf %0 : f32
    inductor.store %1 at affine_map<(d0) -> (d0)>(%i) : f32
  } : tensor<64xf32, #inductor.layout<fixed, [1]>>
  inductor.return %a, %b outputs [#inductor.operand<0>, #inductor.operand<1>] : tensor<4x8xf32, #inductor.layout<fixed, [8, 1]>>, tensor<64xf32, #inductor.layout<fixed, [1]>>
}

// REMARK: Realized{{.*}}Function=output_and_reader | {{.*}}Reason="it is an output, and others read it"
// CHECK-LABEL: inductor.graph @output_and_reader
// CHECK: %[[E:.*]] = inductor.pointwise "op0"
// CHECK: inductor.pointwise "op1"
// CHECK: inductor.load %[[E]]
inductor.graph @output_and_reader {
  %x = inductor.input "x" : !f
  %e = inductor.pointwise "op0" as "buf0" [8, 8] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !f -> f32
    %1 = math.absf %0 : f32
    inductor.store %1 at #id(%i, %j) : f32
  } : !t
  %a = inductor.pointwise "op1" as "buf1" [8, 8] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %e at #id(%i, %j) : !t -> f32
    %1 = math.floor %0 : f32
    inductor.store %1 at #id(%i, %j) : f32
  } : !t
  inductor.return %e, %a outputs [#inductor.operand<0>, #inductor.operand<1>] : !t, !t
}

// What loads nothing is computed for the output alone, at the end, and by its readers.
// REMARK: Realized{{.*}}Function=constant | {{.*}}Reason="it is an output"
// CHECK-LABEL: inductor.graph @constant
// CHECK: inductor.pointwise "op0"
// CHECK: inductor.pointwise "op1"
// CHECK: inductor.index_expr
// CHECK-NEXT: inductor.to_dtype
// CHECK-NEXT: inductor.load %x
inductor.graph @constant {
  %x = inductor.input "x" : !f
  %e = inductor.pointwise "op0" as "buf0" [8, 8] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.index_expr affine_map<(d0, d1) -> (d0 * 8 + d1)>(%i, %j) : i64
    %1 = inductor.to_dtype %0 from i64 to f32 : i64 -> f32
    inductor.store %1 at #id(%i, %j) : f32
  } : !t
  %a = inductor.pointwise "op1" as "buf1" [8, 8] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %e at affine_map<(d0, d1) -> (d1, d0)>(%i, %j) : !t -> f32
    %1 = inductor.load %x at #id(%i, %j) : !f -> f32
    %2 = arith.addf %0, %1 : f32
    inductor.store %2 at #id(%i, %j) : f32
  } : !t
  inductor.return %e, %a outputs [#inductor.operand<0>, #inductor.operand<1>] : !t, !t
}

// What reads an input is computed before the input is overwritten.
// REMARK: Realized{{.*}}Function=overwritten | {{.*}}Reason="'op1' overwrites what it reads"
// REMARK: Realized{{.*}}Function=overwritten | {{.*}}Reason="it is written into another buffer"
// CHECK-LABEL: inductor.graph @overwritten
// CHECK: %[[E:.*]] = inductor.pointwise "op0"
// CHECK: inductor.pointwise "op1" {{.*}} into %x
// CHECK: inductor.load %[[E]]
// CHECK: inductor.pointwise "op2"
// CHECK: inductor.load %[[E]]
inductor.graph @overwritten {
  %x = inductor.input "x" : !f
  %e = inductor.pointwise "op0" as "buf0" [8, 8] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at affine_map<(d0, d1) -> (d1, d0)>(%i, %j) : !f -> f32
    %1 = math.absf %0 : f32
    inductor.store %1 at #id(%i, %j) : f32
  } : !t
  %w = inductor.pointwise "op1" as "buf1" [8, 8] into %x : !f {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %e at #id(%i, %j) : !t -> f32
    %1 = math.floor %0 : f32
    inductor.store %1 at #id(%i, %j) : f32
  } : !f
  %a = inductor.pointwise "op2" as "buf2" [8, 8] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %e at #id(%i, %j) : !t -> f32
    %1 = arith.negf %0 : f32
    inductor.store %1 at #id(%i, %j) : f32
  } : !t
  inductor.return %a, %w outputs [#inductor.operand<0>] mutated ["x"] : !t, !f
}

// Kernels as PyTorch makes them. The numbers stay.

// RUN: spyre-opt %s --inductor-fuse=policy=cpp | FileCheck %s --check-prefix=CPP
// RUN: spyre-opt %s --inductor-fuse=policy=simd | FileCheck %s --check-prefix=SIMD
// RUN: spyre-opt %s --inductor-fuse=policy=cpp --remarks-filter=inductor-fuse --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t.0
// RUN: spyre-opt %s --inductor-fuse=policy=cpp --convert-inductor-to-linalg -o %t.1
// RUN: spyre-opt %s --inductor-fuse=policy=simd --convert-inductor-to-linalg -o %t.2
// RUN: spyre-run %t.1 --entry rows --random-seed 1 --compare %t.0
// RUN: spyre-run %t.2 --entry rows --random-seed 1 --compare %t.0
// RUN: spyre-run %t.1 --entry columns --random-seed 1 --compare %t.0
// RUN: spyre-run %t.2 --entry columns --random-seed 1 --compare %t.0
// RUN: spyre-run %t.1 --entry apart --random-seed 1 --compare %t.0
// RUN: not spyre-opt %s --inductor-fuse=policy=tpu 2>&1 | FileCheck %s --check-prefix=POLICY

// POLICY: error: there is no policy 'tpu'; there are cpp, simd and spyre

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0, 0)>
#column = affine_map<(d0, d1) -> (0, d0)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
#first = affine_map<(d0, d1) -> (0, d1)>
!t = tensor<10x384xf32, #inductor.layout<fixed, [384, 1]>>
!m = tensor<10x1xf32, #inductor.layout<fixed, [1, 10]>>
!c = tensor<1x384xf32, #inductor.layout<fixed, [384, 1]>>

// A softmax along rows. In C++, three nests share the loop over rows; in Triton, all iterations are those of the reductions.
// CPP-LABEL: inductor.graph @rows
// CPP: %[[K:.*]] = inductor.kernel "op0_op1_op2_op3" outer 1 of [1, 2, 1] {
// CPP-COUNT-4: inductor.{{pointwise|reduction}}
// CPP: inductor.yield
// CPP: inductor.return %[[K]]
// SIMD-LABEL: inductor.graph @rows
// SIMD: inductor.kernel "op0_op1_op2_op3" {
// REMARK: remark: [Passed] Fused {{.*}} Function=rows | First=op1, Round=0, Score="2, unlike, 15360 bytes, 1 apart", Second=op2
// REMARK: remark: [Missed] NotFused {{.*}} Function=rows | First=op1, Reason="intermediate nodes between node1 & node2", Round=0, Second=op3
// REMARK: remark: [Passed] Fused {{.*}} Function=rows | First=op0, Round=1, Score="2, alike, 15400 bytes, 2 apart", Second=op1_op2
inductor.graph @rows {
  %x = inductor.input "x" : !t
  %max = inductor.reduction "op0" as "buf0" max [10, 1] over [384] from f32 {
  ^bb0(%i: index, %r: index):
    %v = inductor.load %x at #id(%i, %r) : !t -> f32
    inductor.store %v at #row(%i, %r) : f32
  } : !m
  %exp = inductor.pointwise "op1" as "buf1" [10, 384] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !t -> f32
    %1 = inductor.load %max at #row(%i, %j) : !m -> f32
    %2 = arith.subf %0, %1 : f32
    %3 = math.exp %2 : f32
    inductor.store %3 at #id(%i, %j) : f32
  } : !t
  %sum = inductor.reduction "op2" as "buf2" sum [10, 1] over [384] from f32 {
  ^bb0(%i: index, %r: index):
    %v = inductor.load %exp at #id(%i, %r) : !t -> f32
    inductor.store %v at #row(%i, %r) : f32
  } : !m
  %y = inductor.pointwise "op3" as "buf3" [10, 384] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %exp at #id(%i, %j) : !t -> f32
    %1 = inductor.load %sum at #row(%i, %j) : !m -> f32
    %2 = arith.divf %0, %1 : f32
    inductor.store %2 at #id(%i, %j) : f32
  } : !t
  inductor.return %y : !t
}

// Along columns, C++ has no loop that all could share: the loops of reductions are the other way around.
// CPP-LABEL: inductor.graph @columns
// CPP-NOT: inductor.kernel
// CPP: inductor.reduction "op0" as "buf0" max [1, 384] over [10] from f32 {
// CPP-LABEL: inductor.graph @apart
// SIMD-LABEL: inductor.graph @columns
// SIMD: inductor.reduction "op0"
// SIMD: inductor.pointwise "op1"
// SIMD-NOT: inductor.kernel
// SIMD-LABEL: inductor.graph @apart
inductor.graph @columns {
  %x = inductor.input "x" : !t
  %max = inductor.reduction "op0" as "buf0" max [1, 384] over [10] from f32 {
  ^bb0(%j: index, %r: index):
    %v = inductor.load %x at #swap(%j, %r) : !t -> f32
    inductor.store %v at #column(%j, %r) : f32
  } : !c
  %y = inductor.pointwise "op1" as "buf1" [10, 384] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !t -> f32
    %1 = inductor.load %max at #first(%i, %j) : !c -> f32
    %2 = arith.subf %0, %1 : f32
    inductor.store %2 at #id(%i, %j) : f32
  } : !t
  inductor.return %y : !t
}

// A kernel from outside between two nests keeps them apart, and so does nothing to share.
// CPP: inductor.pointwise "op0"
// CPP: inductor.extern "op1"
// CPP: inductor.pointwise "op2"
// CPP-NOT: inductor.kernel
// REMARK: Function=apart | First=op0, Reason="no shared data", Round=0, Second=op3
// REMARK: Function=apart | First=op0, Reason="intermediate nodes between node1 & node2", Round=0, Second=op2
inductor.graph @apart {
  %x = inductor.input "x" : tensor<8x8xf32, #inductor.layout<fixed, [8, 1]>>
  %a = inductor.pointwise "op0" as "buf0" [8, 8] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : tensor<8x8xf32, #inductor.layout<fixed, [8, 1]>> -> f32
    %1 = arith.addf %0, %0 : f32
    inductor.store %1 at #id(%i, %j) : f32
  } : tensor<8x8xf32, #inductor.layout<fixed, [8, 1]>>
  %b = inductor.extern "op1" as "buf1" "ExternKernelOut" "aten.mm.out"(%a, %x) {kernel = "extern_kernels.mm"} : (tensor<8x8xf32, #inductor.layout<fixed, [8, 1]>>, tensor<8x8xf32, #inductor.layout<fixed, [8, 1]>>) -> tensor<8x8xf32, #inductor.layout<fixed, [8, 1]>>
  %c = inductor.pointwise "op2" as "buf2" [8, 8] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %a at #id(%i, %j) : tensor<8x8xf32, #inductor.layout<fixed, [8, 1]>> -> f32
    %1 = inductor.load %b at #id(%i, %j) : tensor<8x8xf32, #inductor.layout<fixed, [8, 1]>> -> f32
    %2 = arith.addf %0, %1 : f32
    inductor.store %2 at #id(%i, %j) : f32
  } : tensor<8x8xf32, #inductor.layout<fixed, [8, 1]>>
  %d = inductor.pointwise "op3" as "buf3" [8, 8] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at affine_map<(d0, d1) -> (d0, 7 - d1)>(%i, %j) : tensor<8x8xf32, #inductor.layout<fixed, [8, 1]>> -> f32
    inductor.store %0 at #id(%i, %j) : f32
  } : tensor<8x8xf32, #inductor.layout<fixed, [8, 1]>>
  inductor.return %c, %d outputs [#inductor.operand<0>, #inductor.operand<1>] : tensor<8x8xf32, #inductor.layout<fixed, [8, 1]>>, tensor<8x8xf32, #inductor.layout<fixed, [8, 1]>>
}

// The numbers of parts that PyTorch has for 108 processors. The four programs are those of which its numbers are known.

// RUN: spyre-opt %s --inductor-split-reductions=processors=108 | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>

// (10, 384000).sum(1)
// CHECK-LABEL: inductor.graph @inner
// CHECK: inductor.reduction "op0_part" as "buf0_part" sum [10, 47] over [8171] from f32
// CHECK: inductor.index_expr #[[NUMBER:map[0-9]*]]
// CHECK: arith.constant 384000 : i64
// CHECK: inductor.reduction "op0" as "buf0" sum [10] over [47] from f32
inductor.graph @inner {
  %x = inductor.input "x" : tensor<10x384000xf32, #inductor.layout<fixed, [384000, 1]>>
  %y = inductor.reduction "op0" as "buf0" sum [10] over [384000] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : tensor<10x384000xf32, #inductor.layout<fixed, [384000, 1]>> -> f32
    inductor.store %0 at affine_map<(d0, d1) -> (d0)>(%i, %j) : f32
  } : tensor<10xf32, #inductor.layout<fixed, [1]>>
  inductor.return %y : tensor<10xf32, #inductor.layout<fixed, [1]>>
}

// (10, 384000, 5).sum(1)
// CHECK-LABEL: inductor.graph @outer
// CHECK: inductor.reduction "op0_part" as "buf0_part" sum [10, 5, 800] over [480] from f32
// CHECK-NOT: inductor.masked
// CHECK: inductor.reduction "op0" as "buf0" sum [10, 5] over [800] from f32
inductor.graph @outer {
  %x = inductor.input "x" : tensor<10x384000x5xf32, #inductor.layout<fixed, [1920000, 5, 1]>>
  %y = inductor.reduction "op0" as "buf0" sum [10, 5] over [384000] from f32 {
  ^bb0(%i: index, %k: index, %j: index):
    %0 = inductor.load %x at affine_map<(d0, d1, d2) -> (d0, d2, d1)>(%i, %k, %j) : tensor<10x384000x5xf32, #inductor.layout<fixed, [1920000, 5, 1]>> -> f32
    inductor.store %0 at affine_map<(d0, d1, d2) -> (d0, d1)>(%i, %k, %j) : f32
  } : tensor<10x5xf32, #inductor.layout<fixed, [5, 1]>>
  inductor.return %y : tensor<10x5xf32, #inductor.layout<fixed, [5, 1]>>
}

// (10, 384000, 5).sum(2)
// CHECK-LABEL: inductor.graph @unrolled
// CHECK: inductor.pointwise "op0" as "buf0" [10, 384000]
// CHECK-COUNT-5: inductor.load
// CHECK-NOT: inductor.load
inductor.graph @unrolled {
  %x = inductor.input "x" : tensor<10x384000x5xf32, #inductor.layout<fixed, [1920000, 5, 1]>>
  %y = inductor.reduction "op0" as "buf0" sum [10, 384000] over [5] from f32 {
  ^bb0(%i: index, %j: index, %k: index):
    %0 = inductor.load %x at affine_map<(d0, d1, d2) -> (d0, d1, d2)>(%i, %j, %k) : tensor<10x384000x5xf32, #inductor.layout<fixed, [1920000, 5, 1]>> -> f32
    inductor.store %0 at affine_map<(d0, d1, d2) -> (d0, d1)>(%i, %j, %k) : f32
  } : tensor<10x384000xf32, #inductor.layout<fixed, [384000, 1]>>
  inductor.return %y : tensor<10x384000xf32, #inductor.layout<fixed, [384000, 1]>>
}

// The sum of 1000003 elements.
// CHECK-LABEL: inductor.graph @all
// CHECK: inductor.reduction "op0_part" as "buf0_part" sum [123] over [8131] from f32
// CHECK: inductor.reduction "op0" as "buf0" sum [] over [123] from f32
inductor.graph @all {
  %x = inductor.input "x" : tensor<1000003xf32, #inductor.layout<fixed, [1]>>
  %y = inductor.reduction "op0" as "buf0" sum [] over [1000003] from f32 {
  ^bb0(%i: index):
    %0 = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : tensor<1000003xf32, #inductor.layout<fixed, [1]>> -> f32
    inductor.store %0 at affine_map<(d0) -> ()>(%i) : f32
  } : tensor<f32, #inductor.layout<fixed, []>>
  inductor.return %y : tensor<f32, #inductor.layout<fixed, []>>
}

// RUN: spyre-opt %s --spyre-pad-matmul | FileCheck %s --check-prefix=PADDED
// RUN: spyre-opt %s --spyre-pad-matmul --spyre-propagate-layouts --spyre-optimize-restickify --spyre-insert-restickify \
// RUN:   | FileCheck %s --implicit-check-not=layout_candidates

// The padded operand has the layout of the operand, without explicit padding. If the operand has none yet, the padded one gets
// its layout like any other value.

// PADDED-DAG: #[[$ROWS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// PADDED-DAG: #[[$ROW_MAJOR:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0, d1 floordiv 64, d1 mod 64)>
// PADDED-DAG: #[[$EXPLICIT:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [4, 384, 64]>
// CHECK-DAG: #[[$ROWS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$COLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#row_major = #spyre.layout<(d0, d1) -> (d0, d1 floordiv 64, d1 mod 64)>
#explicit = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [4, 384, 64]>
!a = tensor<100x300xf16, #rows>
!c = tensor<100x200xf16, #rows>

// PADDED-LABEL: func.func @given(
// PADDED: spyre.empty : tensor<320x200xf16, #[[$ROWS]]>
// PADDED: spyre.fill dense<0.000000e+00> : tensor<20x200xf16, #[[$ROWS]]>
// PADDED: tensor.insert_slice {{.*}} : tensor<300x200xf16, #[[$ROWS]]> into tensor<320x200xf16, #[[$ROWS]]>
// PADDED: tensor.insert_slice {{.*}} : tensor<20x200xf16, #[[$ROWS]]> into tensor<320x200xf16, #[[$ROWS]]>
// PADDED: spyre.empty : tensor<320x200xf16, #[[$ROW_MAJOR]]>
// PADDED: spyre.fill dense<0.000000e+00> : tensor<20x200xf16, #[[$ROW_MAJOR]]>
// PADDED: tensor.insert_slice {{.*}} : tensor<300x200xf16, #[[$ROW_MAJOR]]> into tensor<320x200xf16, #[[$ROW_MAJOR]]>
// PADDED: tensor.insert_slice {{.*}} : tensor<20x200xf16, #[[$ROW_MAJOR]]> into tensor<320x200xf16, #[[$ROW_MAJOR]]>
// PADDED: spyre.empty : tensor<320x200xf16, #[[$ROWS]]>
// PADDED: spyre.fill dense<0.000000e+00> : tensor<20x200xf16, #[[$ROWS]]>
// PADDED: tensor.insert_slice {{.*}} : tensor<300x200xf16, #[[$EXPLICIT]]> into tensor<320x200xf16, #[[$ROWS]]>
// PADDED: tensor.insert_slice {{.*}} : tensor<20x200xf16, #[[$ROWS]]> into tensor<320x200xf16, #[[$ROWS]]>
// CHECK-LABEL: func.func @given(
// CHECK-NOT: spyre.restickify
func.func @given(%a: !a, %b: tensor<300x200xf16, #rows>, %m: tensor<300x200xf16, #row_major>, %p: tensor<300x200xf16, #explicit>) {
  %0 = spyre.batchmatmul %a, %b : (!a, tensor<300x200xf16, #rows>) -> !c
  %1 = spyre.batchmatmul %a, %m : (!a, tensor<300x200xf16, #row_major>) -> !c
  %2 = spyre.batchmatmul %a, %p : (!a, tensor<300x200xf16, #explicit>) -> !c
  return
}

// A transposed right operand is restickified before it is padded: the zeros need no copy.
// CHECK-LABEL: func.func @transposed(
// CHECK: %[[T:.*]] = spyre.permute %{{.*}} : tensor<200x300xf16, #[[$ROWS]]> to tensor<300x200xf16, #[[$COLS]]>
// CHECK: %[[E:.*]] = spyre.empty : tensor<320x200xf16, #[[$ROWS]]>
// CHECK: %[[Z:.*]] = spyre.fill dense<0.000000e+00> : tensor<20x200xf16, #[[$ROWS]]>
// CHECK: %[[C:.*]] = spyre.restickify %[[T]] : (tensor<300x200xf16, #[[$COLS]]>) -> tensor<300x200xf16, #[[$ROWS]]>
// CHECK: %[[Q:.*]] = tensor.insert_slice %[[C]] into %[[E]][0, 0] [300, 200] [1, 1] : tensor<300x200xf16, #[[$ROWS]]> into tensor<320x200xf16, #[[$ROWS]]>
// CHECK: %[[P:.*]] = tensor.insert_slice %[[Z]] into %[[Q]][300, 0] [20, 200] [1, 1] : tensor<20x200xf16, #[[$ROWS]]> into tensor<320x200xf16, #[[$ROWS]]>
// CHECK: spyre.batchmatmul %{{.*}}, %[[P]] : (tensor<100x300xf16, #[[$ROWS]]>, tensor<320x200xf16, #[[$ROWS]]>) -> tensor<100x200xf16, #[[$ROWS]]>
func.func @transposed(%a: tensor<100x300xf16>, %b: tensor<200x300xf16>) -> tensor<100x200xf16> {
  %t = spyre.permute %b [1, 0] : tensor<200x300xf16> to tensor<300x200xf16>
  %0 = spyre.batchmatmul %a, %t : (tensor<100x300xf16>, tensor<300x200xf16>) -> tensor<100x200xf16>
  return %0 : tensor<100x200xf16>
}

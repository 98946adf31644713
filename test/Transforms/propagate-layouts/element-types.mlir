// RUN: spyre-opt %s --spyre-propagate-layouts | FileCheck %s

// Elements in a stick, by element type: 128 bytes of what the device stores (middle-end specification, section 2.1).

// CHECK-DAG: #[[$BY32:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32)>
// CHECK-DAG: #[[$BY64:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$BY128:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 128, d0, d1 mod 128)>
// CHECK-DAG: #[[$COLS32:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 32, d1, d0 mod 32)>
// CHECK-DAG: #[[$COLS64:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// CHECK-DAG: #[[$COLS128:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 128, d1, d0 mod 128)>

// CHECK-LABEL: func.func @f16(
func.func @f16(%a: tensor<256x256xf16>) {
  // CHECK: spyre.permute {{.*}}candidates = [#[[$COLS64]]]
  %t = spyre.permute %a [1, 0] : tensor<256x256xf16> to tensor<256x256xf16>
  // CHECK: spyre.add {{.*}}candidates = [#[[$BY64]], #[[$COLS64]]]
  %0 = spyre.add %a, %t : tensor<256x256xf16>
  return
}

// CHECK-LABEL: func.func @bf16(
func.func @bf16(%a: tensor<256x256xbf16>) {
  // CHECK: spyre.permute {{.*}}candidates = [#[[$COLS64]]]
  %t = spyre.permute %a [1, 0] : tensor<256x256xbf16> to tensor<256x256xbf16>
  // CHECK: spyre.add {{.*}}candidates = [#[[$BY64]], #[[$COLS64]]]
  %0 = spyre.add %a, %t : tensor<256x256xbf16>
  return
}

// A restickify computes in 16 bits alone (K4, K35), so the operands of the types below have the same dimension on the stick;
// element-types-refused.mlir has operands that differ. The pass does not ask whether the card computes in a type.
// CHECK-LABEL: func.func @f32(
func.func @f32(%a: tensor<256x256xf32>) {
  // CHECK: spyre.permute {{.*}}candidates = [#[[$COLS32]]]
  %t = spyre.permute %a [1, 0] : tensor<256x256xf32> to tensor<256x256xf32>
  // CHECK: spyre.add {{.*}}candidates = [#[[$COLS32]]]
  %0 = spyre.add %t, %t : tensor<256x256xf32>
  // CHECK: spyre.add {{.*}}candidates = [#[[$BY32]]]
  %1 = spyre.add %a, %a : tensor<256x256xf32>
  return
}

// CHECK-LABEL: func.func @i32(
func.func @i32(%a: tensor<256x256xi32>) {
  // CHECK: spyre.permute {{.*}}candidates = [#[[$COLS32]]]
  %t = spyre.permute %a [1, 0] : tensor<256x256xi32> to tensor<256x256xi32>
  // CHECK: spyre.add {{.*}}candidates = [#[[$COLS32]]]
  %0 = spyre.add %t, %t : tensor<256x256xi32>
  // CHECK: spyre.add {{.*}}candidates = [#[[$BY32]]]
  %1 = spyre.add %a, %a : tensor<256x256xi32>
  return
}

// 64 bits on the host, 32 on the device.
// CHECK-LABEL: func.func @i64(
func.func @i64(%a: tensor<256x256xi64>) {
  // CHECK: spyre.permute {{.*}}candidates = [#[[$COLS32]]]
  %t = spyre.permute %a [1, 0] : tensor<256x256xi64> to tensor<256x256xi64>
  // CHECK: spyre.add {{.*}}candidates = [#[[$COLS32]]]
  %0 = spyre.add %t, %t : tensor<256x256xi64>
  // CHECK: spyre.add {{.*}}candidates = [#[[$BY32]]]
  %1 = spyre.add %a, %a : tensor<256x256xi64>
  return
}

// CHECK-LABEL: func.func @i8(
func.func @i8(%a: tensor<256x256xi8>) {
  // CHECK: spyre.permute {{.*}}candidates = [#[[$COLS128]]]
  %t = spyre.permute %a [1, 0] : tensor<256x256xi8> to tensor<256x256xi8>
  // CHECK: spyre.add {{.*}}candidates = [#[[$COLS128]]]
  %0 = spyre.add %t, %t : tensor<256x256xi8>
  // CHECK: spyre.add {{.*}}candidates = [#[[$BY128]]]
  %1 = spyre.add %a, %a : tensor<256x256xi8>
  return
}

// CHECK-LABEL: func.func @fp8(
func.func @fp8(%a: tensor<256x256xf8E4M3FN>, %b: tensor<256x256xf8E5M2>) {
  // CHECK: spyre.permute {{.*}}candidates = [#[[$COLS128]]]
  %t = spyre.permute %a [1, 0] : tensor<256x256xf8E4M3FN> to tensor<256x256xf8E4M3FN>
  // CHECK: spyre.add {{.*}}candidates = [#[[$COLS128]]]
  %0 = spyre.add %t, %t : tensor<256x256xf8E4M3FN>
  // CHECK: spyre.add {{.*}}candidates = [#[[$BY128]]]
  %1 = spyre.add %a, %a : tensor<256x256xf8E4M3FN>
  // CHECK: spyre.exp {{.*}}candidates = [#[[$BY128]]]
  %2 = spyre.exp %b : tensor<256x256xf8E5M2>
  return
}

// The product of 8-bit numbers is of 16 bits. Its operands may be in the arrangements that quantization leaves.
// CHECK-LABEL: func.func @batchmatmulfp8(
func.func @batchmatmulfp8(%a: tensor<256x256xf16>, %b: tensor<256x256xf8E4M3FN>) {
  %q = spyre.qfp8ch %a {quantized} : (tensor<256x256xf16>) -> tensor<256x256xf8E4M3FN, #spyre.layout<(d0, d1) -> (d1 floordiv 128, d0, d1 mod 128), arrangement = qfp8ch>>
  // CHECK: spyre.batchmatmulfp8 {{.*}}candidates = [#[[$BY64]]]
  %0 = spyre.batchmatmulfp8 %q, %b : (tensor<256x256xf8E4M3FN, #spyre.layout<(d0, d1) -> (d1 floordiv 128, d0, d1 mod 128), arrangement = qfp8ch>>, tensor<256x256xf8E4M3FN>) -> tensor<256x256xf16>
  return
}

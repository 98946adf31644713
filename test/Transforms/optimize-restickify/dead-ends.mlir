// RUN: spyre-opt %s --spyre-optimize-restickify=report=true --split-input-file --verify-diagnostics -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: not spyre-opt %s --spyre-insert-restickify --split-input-file > %t.inserted.mlir
// RUN: FileCheck %s --check-prefix=INSERTED < %t.inserted.mlir

// Operations that each fit, but not together. What is staggered cannot be restickified, so its readers have to agree.

#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#wide = #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32), arrangement = dl16_to_fp32>
#wide_cols = #spyre.layout<(d0, d1) -> (d0 floordiv 32, d1, d0 mod 32), arrangement = dl16_to_fp32>
!w = tensor<128x256xf32>
!h = tensor<128x256xf16>

func.func @no_way(%a: tensor<128x256xf16, #rows>, %b: tensor<128x256xf16, #cols>) {
  %0 = spyre.add %a, %b : (tensor<128x256xf16, #rows>, tensor<128x256xf16, #cols>) -> !h
  // expected-note @+1 {{operand #0 is defined here}}
  %1 = spyre.dl16tofp32 %0 : (!h) -> !w
  %2 = spyre.exp %1 : (!w) -> tensor<128x256xf32, #wide>
  // expected-error @+1 {{spyre-optimize-restickify: operand #0 has layouts, but none that is compatible with the result and with the earlier operations; another layout of a result, or a spyre.restickify of the source of operand #0, would help}}
  %3 = spyre.exp %1 : (!w) -> tensor<128x256xf32, #wide_cols>
  return
}

// -----

// Only the second layout of the sum gets through, and choosing for each operation alone takes the first.
// --spyre-insert-restickify finds it, too.
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#wide_cols = #spyre.layout<(d0, d1) -> (d0 floordiv 32, d1, d0 mod 32), arrangement = dl16_to_fp32>
!w = tensor<128x256xf32>
!h = tensor<128x256xf16>

// CHECK: #[[$COLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// CHECK: func.func @one_way(
// CHECK: spyre.add {{.*}}candidates = [#[[$COLS]]]
// INSERTED: #[[$COLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// INSERTED: func.func @one_way(
// INSERTED: spyre.add {{.*}} : tensor<128x256xf16, #[[$COLS]]>
// expected-remark @+1 {{spyre-optimize-restickify: 1 copy of 32768 elements together, proven to be the cheapest; choosing for each operation alone finds none}}
func.func @one_way(%a: tensor<128x256xf16, #rows>, %b: tensor<128x256xf16, #cols>) {
  %0 = spyre.add %a, %b : (tensor<128x256xf16, #rows>, tensor<128x256xf16, #cols>) -> !h
  %1 = spyre.dl16tofp32 %0 : (!h) -> !w
  %2 = spyre.exp %1 : (!w) -> tensor<128x256xf32, #wide_cols>
  return
}

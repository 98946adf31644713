// RUN: spyre-opt %s | FileCheck %s
// RUN: spyre-opt %s --mlir-print-op-generic | spyre-opt | FileCheck %s

// Every operation, and how it prints. The attributes alone are in
// attributes.mlir; what is refused is in invalid.mlir.

// CHECK-DAG: #[[$STICK:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$COLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// CHECK-DAG: #[[$IMAGE:layout[0-9]*]] = #spyre.layout<(d0, d1, d2, d3) -> (d1, d2, d3 floordiv 64, d0, d3 mod 64)>
#image = #spyre.layout<(d0, d1, d2, d3) -> (d1, d2, d3 floordiv 64, d0, d3 mod 64)>
// CHECK-DAG: #[[$SPARSE:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1, d0, 0)>
#sparse = #spyre.layout<(d0, d1) -> (d1, d0, 0)>
// CHECK-DAG: #[[$PADDED:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [8, 1024, 64]>
#padded = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [8, 1024, 64]>
// CHECK-DAG: #[[$PADDED_COLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64), size = [8, 1024, 64]>

//===----------------------------------------------------------------------===//
// What every device operation carries
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @plan(
func.func @plan(%x: tensor<512x512xf16, #stick>) {
  // CHECK: spyre.exp %{{.*}} : tensor<512x512xf16, #[[$STICK]]>
  %0 = spyre.exp %x : tensor<512x512xf16, #stick>
  // CHECK: spyre.exp %{{.*}} tile [0: "A" in 2] : tensor
  %1 = spyre.exp %x tile [0: "A" in 2] : tensor<512x512xf16, #stick>
  // CHECK: spyre.exp %{{.*}} tile [0: "A" in 2, 7: "B \22quoted\22" in 4] : tensor
  %2 = spyre.exp %x tile [0 : "A" in 2, 7 : "B \"quoted\"" in 4] : tensor<512x512xf16, #stick>
  // CHECK: spyre.exp %{{.*}} divide ["A" over 32, "B \22quoted\22" over 9223372036854775807] : tensor
  %10 = spyre.exp %x divide ["A" over 32, "B \"quoted\"" over 9223372036854775807] : tensor<512x512xf16, #stick>
  // CHECK: spyre.add %{{.*}}, %{{.*}} tile [1: "A" in 2] divide ["A" over 8] place lx 0 {note = "kept"} : tensor
  %11 = spyre.add %x, %x tile [1: "A" in 2] divide ["A" over 8] place lx 0 {note = "kept"} : tensor<512x512xf16, #stick>
  // 512 rows, and 8 sticks in a row (S5).
  // CHECK: spyre.exp %{{.*}} split [32, 8] : tensor
  %3 = spyre.exp %x split [32, 8] : tensor<512x512xf16, #stick>
  // CHECK: spyre.exp %{{.*}} place lx 128 : tensor
  %4 = spyre.exp %x place lx 128 : tensor<512x512xf16, #stick>
  // CHECK: spyre.exp %{{.*}} place pool 0 : tensor
  %5 = spyre.exp %x place pool 0 : tensor<512x512xf16, #stick>
  // CHECK: spyre.exp %{{.*}} place arg 3 : tensor
  %6 = spyre.exp %x place arg 3 : tensor<512x512xf16, #stick>
  // CHECK: spyre.exp %{{.*}} place window : tensor
  %7 = spyre.exp %x place window : tensor<512x512xf16, #stick>
  // CHECK: spyre.exp %{{.*}} tile [1: "A" in 2] place lx 0 {note = "kept"} : tensor
  %8 = spyre.exp %x tile [1: "A" in 2] place lx 0 {note = "kept"} : tensor<512x512xf16, #stick>
  // CHECK: spyre.add %{{.*}}, %{{.*}} tile [1: "A" in 2] split [1, 1] place window {note = "kept"} : tensor
  %9 = spyre.add %x, %x tile [1: "A" in 2] split [1, 1] place window {note = "kept"} : tensor<512x512xf16, #stick>
  return
}

// A split of a dynamic extent cannot be checked; rank 0 has nothing to split.
// CHECK-LABEL: func.func @plan_limits(
func.func @plan_limits(%x: tensor<?x100xf16, #stick>, %s: tensor<f16>, %k: tensor<64x100xf16, #stick>, %n: tensor<100x64xf16, #stick>) {
  // 100 columns are 2 sticks.
  // CHECK: split [7, 2]
  %0 = spyre.exp %x split [7, 2] : tensor<?x100xf16, #stick>
  // CHECK: spyre.exp %{{.*}} split [] : tensor<f16>
  %1 = spyre.exp %s split [] : tensor<f16>
  // The extent 100 of K is 2 sticks of lhs.
  // CHECK: spyre.batchmatmul %{{.*}}, %{{.*}} split [64, 1, 2]
  %2 = spyre.batchmatmul %k, %n split [64, 1, 2]
    : (tensor<64x100xf16, #stick>, tensor<100x64xf16, #stick>) -> tensor<64x64xf16, #stick>
  return
}

//===----------------------------------------------------------------------===//
// Pointwise, one operand
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @unary(
func.func @unary(%x: tensor<8x64xf16>, %y: tensor<8x64xf32>) {
  // CHECK: spyre.abs %{{.*}} : tensor<8x64xf16>
  %0 = spyre.abs %x : tensor<8x64xf16>
  // CHECK: spyre.exp %{{.*}} : tensor<8x64xf16>
  %1 = spyre.exp %x : tensor<8x64xf16>
  // CHECK: spyre.floor %{{.*}} : tensor<8x64xf32>
  %2 = spyre.floor %y : tensor<8x64xf32>
  // CHECK: spyre.gelufwd %{{.*}} : tensor<8x64xf16>
  %3 = spyre.gelufwd %x : tensor<8x64xf16>
  // CHECK: spyre.log %{{.*}} : tensor<8x64xf16>
  %4 = spyre.log %x : tensor<8x64xf16>
  // CHECK: spyre.neg %{{.*}} : tensor<8x64xf16>
  %5 = spyre.neg %x : tensor<8x64xf16>
  // CHECK: spyre.reciprocal %{{.*}} : tensor<8x64xf16>
  %6 = spyre.reciprocal %x : tensor<8x64xf16>
  // CHECK: spyre.relufwd %{{.*}} : tensor<8x64xf16>
  %7 = spyre.relufwd %x : tensor<8x64xf16>
  // CHECK: spyre.rsqrt %{{.*}} : tensor<8x64xf16>
  %8 = spyre.rsqrt %x : tensor<8x64xf16>
  // CHECK: spyre.sigmoid %{{.*}} : tensor<8x64xf16>
  %9 = spyre.sigmoid %x : tensor<8x64xf16>
  // CHECK: spyre.silu %{{.*}} : tensor<8x64xf16>
  %10 = spyre.silu %x : tensor<8x64xf16>
  // CHECK: spyre.sqrt %{{.*}} : tensor<8x64xf16>
  %11 = spyre.sqrt %x : tensor<8x64xf16>
  // CHECK: spyre.tanh %{{.*}} : tensor<8x64xf16>
  %12 = spyre.tanh %x : tensor<8x64xf16>
  // CHECK: spyre.mish %{{.*}} : tensor<8x64xf16>
  %13 = spyre.mish %x : tensor<8x64xf16>
  // CHECK: spyre.relu6fwd %{{.*}} : tensor<8x64xf16>
  %14 = spyre.relu6fwd %x : tensor<8x64xf16>
  // CHECK: spyre.fastexp %{{.*}} : tensor<8x64xf16>
  %15 = spyre.fastexp %x : tensor<8x64xf16>
  // CHECK: spyre.fastsigmoid %{{.*}} tile [0: "A" in 2] split [8, 1] place lx 0 : tensor<8x64xf16>
  %16 = spyre.fastsigmoid %x tile [0: "A" in 2] split [8, 1] place lx 0 : tensor<8x64xf16>
  return
}

// CHECK-LABEL: func.func @unary_with_constants(
func.func @unary_with_constants(%x: tensor<8x64xf16>) {
  // CHECK: spyre.clip %{{.*}} min -1.500000e+00 max 2.250000e+00 : tensor<8x64xf16>
  %0 = spyre.clip %x min -1.5 max 2.25 : tensor<8x64xf16>
  // S12 at its limits: one point, and no limit at all.
  // CHECK: spyre.clip %{{.*}} min 1.000000e+00 max 1.000000e+00 : tensor<8x64xf16>
  %1 = spyre.clip %x min 1.0 max 1.0 : tensor<8x64xf16>
  // CHECK: spyre.clip %{{.*}} min 0xFFF0000000000000 max 0x7FF0000000000000 : tensor<8x64xf16>
  %2 = spyre.clip %x min 0xFFF0000000000000 max 0x7FF0000000000000 : tensor<8x64xf16>
  // CHECK: spyre.clip %{{.*}} min 0.000000e+00 max 6.000000e+00 tile [0: "A" in 2] split [8, 1] place lx 0 {note} : tensor<8x64xf16>
  %3 = spyre.clip %x min 0.0 max 6.0 tile [0: "A" in 2] split [8, 1] place lx 0 {note} : tensor<8x64xf16>
  // CHECK: spyre.softplus %{{.*}} beta 5.000000e-01 threshold 2.000000e+01 : tensor<8x64xf16>
  %4 = spyre.softplus %x beta 0.5 threshold 20.0 : tensor<8x64xf16>
  // CHECK: spyre.softplus %{{.*}} beta 1.000000e+00 threshold -1.000000e+00 tile [0: "A" in 2] split [8, 1] place lx 0 {note} : tensor<8x64xf16>
  %5 = spyre.softplus %x beta 1.0 threshold -1.0 tile [0: "A" in 2] split [8, 1] place lx 0 {note} : tensor<8x64xf16>
  return
}

// CHECK-LABEL: func.func @layer_norm(
func.func @layer_norm(%x: tensor<8x64xf16>, %p: tensor<2xf16>, %s: tensor<1x1xf16>, %w: tensor<64xf16>, %d: tensor<?x64xf16>) {
  // CHECK: spyre.exx2 %{{.*}} : (tensor<8x64xf16>) -> tensor<8x2xf16>
  %0 = spyre.exx2 %x : (tensor<8x64xf16>) -> tensor<8x2xf16>
  // CHECK: spyre.exx2 %{{.*}} tile [0: "A" in 2] split [8, 1] place lx 0 {note} : (tensor<8x64xf16>) -> tensor<8x2xf16>
  %1 = spyre.exx2 %x tile [0: "A" in 2] split [8, 1] place lx 0 {note} : (tensor<8x64xf16>) -> tensor<8x2xf16>
  // CHECK: spyre.exx2 %{{.*}} : (tensor<?x64xf16>) -> tensor<?x2xf16>
  %2 = spyre.exx2 %d : (tensor<?x64xf16>) -> tensor<?x2xf16>
  // One row.
  // CHECK: spyre.exx2 %{{.*}} : (tensor<64xf16>) -> tensor<2xf16>
  %3 = spyre.exx2 %w : (tensor<64xf16>) -> tensor<2xf16>
  // CHECK: spyre.layernormscale %{{.*}} eps 1.000000e-05 : (tensor<8x2xf16>) -> tensor<8x1xf16>
  %4 = spyre.layernormscale %0 eps 1.0e-5 : (tensor<8x2xf16>) -> tensor<8x1xf16>
  // CHECK: spyre.layernormscale %{{.*}} eps 0.000000e+00 tile [0: "A" in 2] split [8, 1] place lx 0 {note} : (tensor<8x2xf16>) -> tensor<8x1xf16>
  %5 = spyre.layernormscale %0 eps 0.0 tile [0: "A" in 2] split [8, 1] place lx 0 {note} : (tensor<8x2xf16>) -> tensor<8x1xf16>
  // CHECK: spyre.layernormnorm %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<8x64xf16>, tensor<8x2xf16>, tensor<8x1xf16>, tensor<64xf16>, tensor<64xf16>) -> tensor<8x64xf16>
  %6 = spyre.layernormnorm %x, %0, %4, %w, %w
    : (tensor<8x64xf16>, tensor<8x2xf16>, tensor<8x1xf16>, tensor<64xf16>, tensor<64xf16>) -> tensor<8x64xf16>
  // Statistics of one row for all.
  // CHECK: spyre.layernormnorm %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} tile [0: "A" in 2] split [8, 1] place lx 0 : (tensor<8x64xf16>, tensor<2xf16>, tensor<1x1xf16>, tensor<8x64xf16>, tensor<64xf16>) -> tensor<8x64xf16>
  %7 = spyre.layernormnorm %x, %p, %s, %x, %w tile [0: "A" in 2] split [8, 1] place lx 0
    : (tensor<8x64xf16>, tensor<2xf16>, tensor<1x1xf16>, tensor<8x64xf16>, tensor<64xf16>) -> tensor<8x64xf16>
  return
}

// The operand may repeat along a dimension of the result (S1).
// CHECK-LABEL: func.func @unary_broadcast(
func.func @unary_broadcast(%x: tensor<1x64xf16>, %s: tensor<f16>) {
  // CHECK: spyre.exp %{{.*}} : (tensor<1x64xf16>) -> tensor<1x64xf16, #[[$STICK]]>
  %0 = spyre.exp %x : (tensor<1x64xf16>) -> tensor<1x64xf16, #stick>
  // CHECK: spyre.exp %{{.*}} : (tensor<f16>) -> tensor<1x1xf16>
  %1 = spyre.exp %s : (tensor<f16>) -> tensor<1x1xf16>
  return
}

// CHECK-LABEL: func.func @casts(
func.func @casts(%a: tensor<8x64xf16>, %b: tensor<8x64xbf16>, %c: tensor<8x64xf32>, %d: tensor<8x64xf8E4M3FN>, %e: tensor<8x64xf8E5M2>) {
  // CHECK: spyre.dl16tofp32 %{{.*}} : (tensor<8x64xf16>) -> tensor<8x64xf32>
  %0 = spyre.dl16tofp32 %a : (tensor<8x64xf16>) -> tensor<8x64xf32>
  // CHECK: spyre.dl16tofp32 %{{.*}} tile [0: "A" in 2] split [8, 1] place lx 0 : (tensor<8x64xbf16>) -> tensor<8x64xf32>
  %1 = spyre.dl16tofp32 %b tile [0: "A" in 2] split [8, 1] place lx 0 : (tensor<8x64xbf16>) -> tensor<8x64xf32>
  // CHECK: spyre.fp32todl16 %{{.*}} : (tensor<8x64xf32>) -> tensor<8x64xf16>
  %2 = spyre.fp32todl16 %c : (tensor<8x64xf32>) -> tensor<8x64xf16>
  // CHECK: spyre.fp32todl16 %{{.*}} : (tensor<8x64xf32>) -> tensor<8x64xbf16>
  %3 = spyre.fp32todl16 %c : (tensor<8x64xf32>) -> tensor<8x64xbf16>
  // CHECK: spyre.fp8todl16 %{{.*}} : (tensor<8x64xf8E4M3FN>) -> tensor<8x64xf16>
  %4 = spyre.fp8todl16 %d : (tensor<8x64xf8E4M3FN>) -> tensor<8x64xf16>
  // CHECK: spyre.fp8todl16 %{{.*}} : (tensor<8x64xf8E5M2>) -> tensor<8x64xbf16>
  %5 = spyre.fp8todl16 %e : (tensor<8x64xf8E5M2>) -> tensor<8x64xbf16>
  // CHECK: spyre.qfp8ch %{{.*}} : (tensor<8x64xf16>) -> tensor<8x64xf8E4M3FN>
  %6 = spyre.qfp8ch %a : (tensor<8x64xf16>) -> tensor<8x64xf8E4M3FN>
  // CHECK: spyre.qfp8wt %{{.*}} : (tensor<8x64xf16>) -> tensor<8x64xf8E5M2>
  %7 = spyre.qfp8wt %a : (tensor<8x64xf16>) -> tensor<8x64xf8E5M2>
  return
}

//===----------------------------------------------------------------------===//
// Pointwise, several operands
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @binary(
func.func @binary(%a: tensor<8x64xf16>, %b: tensor<8x64xf16>, %i: tensor<8x64xi64>, %j: tensor<8x64xi8>) {
  // CHECK: spyre.add %{{.*}}, %{{.*}} : tensor<8x64xf16>
  %0 = spyre.add %a, %b : tensor<8x64xf16>
  // CHECK: spyre.sub %{{.*}}, %{{.*}} : tensor<8x64xf16>
  %1 = spyre.sub %a, %b : tensor<8x64xf16>
  // CHECK: spyre.mul %{{.*}}, %{{.*}} : tensor<8x64xi64>
  %2 = spyre.mul %i, %i : tensor<8x64xi64>
  // CHECK: spyre.realdiv %{{.*}}, %{{.*}} : tensor<8x64xf16>
  %3 = spyre.realdiv %a, %b : tensor<8x64xf16>
  // CHECK: spyre.maximum %{{.*}}, %{{.*}} : tensor<8x64xi8>
  %4 = spyre.maximum %j, %j : tensor<8x64xi8>
  // CHECK: spyre.minimum %{{.*}}, %{{.*}} : tensor<8x64xf16>
  %5 = spyre.minimum %a, %b : tensor<8x64xf16>
  // CHECK: spyre.revsub %{{.*}}, %{{.*}} tile [0: "A" in 2] split [8, 1] place lx 0 : tensor<8x64xf16>
  %6 = spyre.revsub %a, %b tile [0: "A" in 2] split [8, 1] place lx 0 : tensor<8x64xf16>
  // CHECK: spyre.biasadd %{{.*}}, %{{.*}} : tensor<8x64xf16>
  %7 = spyre.biasadd %a, %b : tensor<8x64xf16>
  return
}

// S1: aligned at the last dimension, extents 1 and missing dimensions repeat.
// CHECK-LABEL: func.func @broadcast(
func.func @broadcast(%a: tensor<4x8x64xf16>, %row: tensor<64xf16>, %col: tensor<8x1xf16>, %s: tensor<f16>, %d: tensor<?x64xf16>) {
  // CHECK: spyre.add %{{.*}}, %{{.*}} : (tensor<4x8x64xf16>, tensor<64xf16>) -> tensor<4x8x64xf16>
  %0 = spyre.add %a, %row : (tensor<4x8x64xf16>, tensor<64xf16>) -> tensor<4x8x64xf16>
  // CHECK: spyre.add %{{.*}}, %{{.*}} : (tensor<8x1xf16>, tensor<4x8x64xf16>) -> tensor<4x8x64xf16>
  %1 = spyre.add %col, %a : (tensor<8x1xf16>, tensor<4x8x64xf16>) -> tensor<4x8x64xf16>
  // CHECK: spyre.add %{{.*}}, %{{.*}} : (tensor<8x1xf16>, tensor<64xf16>) -> tensor<8x64xf16>
  %2 = spyre.add %col, %row : (tensor<8x1xf16>, tensor<64xf16>) -> tensor<8x64xf16>
  // CHECK: spyre.biasadd %{{.*}}, %{{.*}} : (tensor<4x8x64xf16>, tensor<64xf16>) -> tensor<4x8x64xf16>
  %5 = spyre.biasadd %a, %row : (tensor<4x8x64xf16>, tensor<64xf16>) -> tensor<4x8x64xf16>
  // CHECK: spyre.add %{{.*}}, %{{.*}} : (tensor<f16>, tensor<8x1xf16>) -> tensor<8x1xf16>
  %3 = spyre.add %s, %col : (tensor<f16>, tensor<8x1xf16>) -> tensor<8x1xf16>
  // A dynamic extent agrees with every extent.
  // CHECK: spyre.add %{{.*}}, %{{.*}} : (tensor<?x64xf16>, tensor<64xf16>) -> tensor<8x64xf16>
  %4 = spyre.add %d, %row : (tensor<?x64xf16>, tensor<64xf16>) -> tensor<8x64xf16>
  return
}

// S3 and S4: sticks agree; a tensor that the stick dimension does not index, or
// whose extent is 1 there, may have any layout.
// CHECK-LABEL: func.func @sticks(
func.func @sticks(%a: tensor<64x128xf16, #stick>, %col: tensor<64x1xf16, #sparse>, %ones: tensor<64x1xf16, #stick>,
                  %row: tensor<1x128xf16, #stick>, %bare: tensor<64x128xf16>, %one: tensor<1x1xf16, #cols>) {
  // CHECK: (tensor<64x128xf16, #[[$STICK]]>, tensor<64x1xf16, #[[$SPARSE]]>) -> tensor<64x128xf16, #[[$STICK]]>
  %0 = spyre.sub %a, %col : (tensor<64x128xf16, #stick>, tensor<64x1xf16, #sparse>) -> tensor<64x128xf16, #stick>
  %1 = spyre.sub %a, %ones : (tensor<64x128xf16, #stick>, tensor<64x1xf16, #stick>) -> tensor<64x128xf16, #stick>
  %2 = spyre.sub %a, %row : (tensor<64x128xf16, #stick>, tensor<1x128xf16, #stick>) -> tensor<64x128xf16, #stick>
  %3 = spyre.sub %a, %bare : (tensor<64x128xf16, #stick>, tensor<64x128xf16>) -> tensor<64x128xf16, #stick>
  %4 = spyre.sub %a, %one : (tensor<64x128xf16, #stick>, tensor<1x1xf16, #cols>) -> tensor<64x128xf16, #stick>
  // No stick at all: one element in each.
  %5 = spyre.add %col, %col : tensor<64x1xf16, #sparse>
  return
}

// CHECK-LABEL: func.func @compare(
func.func @compare(%a: tensor<8x64xf16>, %b: tensor<8x64xf16>, %i: tensor<8x64xi1>, %r: tensor<64xf16>) {
  // CHECK: spyre.equal %{{.*}}, %{{.*}} : (tensor<8x64xf16>, tensor<8x64xf16>) -> tensor<8x64xi1>
  %0 = spyre.equal %a, %b : (tensor<8x64xf16>, tensor<8x64xf16>) -> tensor<8x64xi1>
  // Bools compare as well, all of one type.
  // CHECK: spyre.notequal %{{.*}}, %{{.*}} : tensor<8x64xi1>
  %1 = spyre.notequal %i, %i : tensor<8x64xi1>
  // CHECK: spyre.greaterthan %{{.*}}, %{{.*}} : (tensor<8x64xf16>, tensor<8x64xf16>) -> tensor<8x64xi1>
  %2 = spyre.greaterthan %a, %b : (tensor<8x64xf16>, tensor<8x64xf16>) -> tensor<8x64xi1>
  // CHECK: spyre.greaterequal %{{.*}}, %{{.*}} : (tensor<8x64xf16>, tensor<64xf16>) -> tensor<8x64xi1>
  %3 = spyre.greaterequal %a, %r : (tensor<8x64xf16>, tensor<64xf16>) -> tensor<8x64xi1>
  // CHECK: spyre.lesserthan %{{.*}}, %{{.*}} : (tensor<8x64xf16>, tensor<8x64xf16>) -> tensor<8x64xi1>
  %4 = spyre.lesserthan %a, %b : (tensor<8x64xf16>, tensor<8x64xf16>) -> tensor<8x64xi1>
  // CHECK: spyre.lesserequal %{{.*}}, %{{.*}} tile [0: "A" in 2] split [4, 1] place pool 128 : (tensor<8x64xf16>, tensor<8x64xf16>) -> tensor<8x64xi1>
  %5 = spyre.lesserequal %a, %b tile [0: "A" in 2] split [4, 1] place pool 128 : (tensor<8x64xf16>, tensor<8x64xf16>) -> tensor<8x64xi1>
  return
}

// CHECK-LABEL: func.func @many_operands(
func.func @many_operands(%c: tensor<8x64xi1>, %x: tensor<8x64xf16>, %i: tensor<i32>, %w: tensor<64xf16>) {
  // CHECK: spyre.where3 %{{.*}}, %{{.*}}, %{{.*}} : (tensor<8x64xi1>, tensor<8x64xf16>, tensor<64xf16>) -> tensor<8x64xf16>
  %0 = spyre.where3 %c, %x, %w : (tensor<8x64xi1>, tensor<8x64xf16>, tensor<64xf16>) -> tensor<8x64xf16>
  // CHECK: spyre.where3 %{{.*}}, %{{.*}}, %{{.*}} tile [0: "A" in 2] split [8, 1] place lx 0 : tensor<8x64xi1>
  %1 = spyre.where3 %c, %c, %c tile [0: "A" in 2] split [8, 1] place lx 0 : tensor<8x64xi1>
  // CHECK: spyre.where3 %{{.*}}, %{{.*}}, %{{.*}} : (tensor<8x64xi1>, tensor<i32>, tensor<i32>) -> tensor<8x64xi32>
  %2 = spyre.where3 %c, %i, %i : (tensor<8x64xi1>, tensor<i32>, tensor<i32>) -> tensor<8x64xi32>
  return
}

//===----------------------------------------------------------------------===//
// Data movement
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @movement(
func.func @movement(%x: tensor<256x512xf16, #stick>, %i: tensor<8x64xi1>, %d: tensor<?x64xi8>) {
  // CHECK: spyre.copy %{{.*}} : tensor<256x512xf16, #[[$STICK]]>
  %0 = spyre.copy %x : tensor<256x512xf16, #stick>
  // S13: padding may change.
  // CHECK: spyre.copy %{{.*}} place lx 0 : (tensor<256x512xf16, #[[$STICK]]>) -> tensor<256x512xf16, #[[$PADDED]]>
  %1 = spyre.copy %x place lx 0 : (tensor<256x512xf16, #stick>) -> tensor<256x512xf16, #padded>
  // CHECK: spyre.copy %{{.*}} tile [0: "A" in 2] split [8, 1] : tensor<8x64xi1>
  %2 = spyre.copy %i tile [0: "A" in 2] split [8, 1] : tensor<8x64xi1>
  // S43: cores get other slices.
  // CHECK: spyre.copy %{{.*}} from [0] by [8] to [1, -1] by [4, 2] split [1, 4] place lx 0 : tensor<256x512xf16, #[[$STICK]]>
  %7 = spyre.copy %x from [0] by [8] to [1, -1] by [4, 2] split [1, 4] place lx 0 : tensor<256x512xf16, #stick>
  // CHECK: spyre.copy %{{.*}} : (tensor<?x64xi8>) -> tensor<8x64xi8>
  %3 = spyre.copy %d : (tensor<?x64xi8>) -> tensor<8x64xi8>
  // CHECK: spyre.restickify %{{.*}} : (tensor<256x512xf16, #[[$STICK]]>) -> tensor<256x512xf16, #[[$COLS]]>
  %4 = spyre.restickify %x : (tensor<256x512xf16, #stick>) -> tensor<256x512xf16, #cols>
  // CHECK: spyre.restickify %{{.*}} tile [0: "A" in 2] split [4, 8] place pool 0 : (tensor<256x512xf16, #[[$STICK]]>) -> tensor<256x512xf16, #[[$COLS]]>
  %5 = spyre.restickify %x tile [0: "A" in 2] split [4, 8] place pool 0 : (tensor<256x512xf16, #stick>) -> tensor<256x512xf16, #cols>
  // CHECK: spyre.restickify %{{.*}} : (tensor<256x512xf16, #[[$STICK]]>) -> tensor<256x512xf16, #[[$SPARSE]]>
  %6 = spyre.restickify %x : (tensor<256x512xf16, #stick>) -> tensor<256x512xf16, #sparse>
  return
}

// CHECK-LABEL: func.func @permute(
func.func @permute(%x: tensor<256x512xf16, #stick>, %p: tensor<100x200xf16, #padded>, %c: tensor<4x8x64xf16>, %s: tensor<f16>,
                   %b: tensor<8x64xi1>, %d: tensor<?x64xi8>) {
  // CHECK: spyre.permute %{{.*}} [1, 0] : tensor<256x512xf16, #[[$STICK]]> to tensor<512x256xf16, #[[$COLS]]>
  %0 = spyre.permute %x [1, 0] : tensor<256x512xf16, #stick> to tensor<512x256xf16, #cols>
  // CHECK: spyre.permute %{{.*}} [0, 1] : tensor<256x512xf16, #[[$STICK]]> to tensor<256x512xf16, #[[$STICK]]>
  %1 = spyre.permute %x [0, 1] : tensor<256x512xf16, #stick> to tensor<256x512xf16, #stick>
  // Padding goes along (S20).
  // CHECK: spyre.permute %{{.*}} [1, 0] : tensor<100x200xf16, #[[$PADDED]]> to tensor<200x100xf16, #[[$PADDED_COLS]]>
  %2 = spyre.permute %p [1, 0] : tensor<100x200xf16, #padded>
    to tensor<200x100xf16, #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64), size = [8, 1024, 64]>>
  // The layout of the result may be open.
  // CHECK: spyre.permute %{{.*}} [1, 0] : tensor<256x512xf16, #[[$STICK]]> to tensor<512x256xf16>
  %3 = spyre.permute %x [1, 0] : tensor<256x512xf16, #stick> to tensor<512x256xf16>
  // Dimension i of the result is dimension permutation[i] of the input.
  // CHECK: spyre.permute %{{.*}} [2, 0, 1] {note = "kept"} : tensor<4x8x64xf16> to tensor<64x4x8xf16>
  %4 = spyre.permute %c [2, 0, 1] {note = "kept"} : tensor<4x8x64xf16> to tensor<64x4x8xf16>
  // CHECK: spyre.permute %{{.*}} [] : tensor<f16> to tensor<f16>
  %5 = spyre.permute %s [] : tensor<f16> to tensor<f16>
  // CHECK: spyre.permute %{{.*}} [1, 0] : tensor<8x64xi1> to tensor<64x8xi1>
  %6 = spyre.permute %b [1, 0] : tensor<8x64xi1> to tensor<64x8xi1>
  // CHECK: spyre.permute %{{.*}} [1, 0] : tensor<?x64xi8> to tensor<64x?xi8>
  %7 = spyre.permute %d [1, 0] : tensor<?x64xi8> to tensor<64x?xi8>
  return
}

// CHECK-LABEL: func.func @creation(
func.func @creation() {
  // CHECK: spyre.empty : tensor<1024x4096xf16, #[[$STICK]]>
  %0 = spyre.empty : tensor<1024x4096xf16, #stick>
  // CHECK: spyre.empty place pool 8192 : tensor<i1>
  %1 = spyre.empty place pool 8192 : tensor<i1>
  // CHECK: spyre.empty place arg 2 {note} : tensor<8xi64>
  %2 = spyre.empty place arg 2 {note} : tensor<8xi64>
  // CHECK: spyre.fill dense<1.000000e+00> : tensor<1024x4096xf16, #[[$STICK]]>
  %3 = spyre.fill dense<1.0> : tensor<1024x4096xf16, #stick>
  // CHECK: spyre.fill dense<true> : tensor<8x64xi1>
  %4 = spyre.fill dense<true> : tensor<8x64xi1>
  // CHECK: spyre.fill dense<-3> : tensor<i64> {note}
  %5 = spyre.fill dense<-3> : tensor<i64> {note}
  // CHECK: spyre.fill dense<0xFC00> : tensor<4xf16>
  %6 = spyre.fill dense<0xFC00> : tensor<4xf16>
  return
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @reduction(
func.func @reduction(%x: tensor<128x512xf16>, %y: tensor<2x3x4xf32>, %d: tensor<?x512xf16>) {
  // CHECK: spyre.sum %{{.*}} dims [1] keepdim : (tensor<128x512xf16>) -> tensor<128x1xf16>
  %0 = spyre.sum %x dims [1] keepdim : (tensor<128x512xf16>) -> tensor<128x1xf16>
  // CHECK: spyre.sum %{{.*}} dims [0] : (tensor<128x512xf16>) -> tensor<512xf16>
  %1 = spyre.sum %x dims [0] : (tensor<128x512xf16>) -> tensor<512xf16>
  // CHECK: spyre.sum %{{.*}} dims [0, 1] : (tensor<128x512xf16>) -> tensor<f16>
  %2 = spyre.sum %x dims [0, 1] : (tensor<128x512xf16>) -> tensor<f16>
  // CHECK: spyre.prod %{{.*}} dims [0, 2] keepdim : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>
  %3 = spyre.prod %y dims [0, 2] keepdim : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>
  // The iteration space is the result, then the reduced dimensions.
  // CHECK: spyre.max %{{.*}} dims [0, 2] tile [0: "B" in 3] split [3, 2, 4] place lx 0 {note} : (tensor<2x3x4xf32>) -> tensor<3xf32>
  %4 = spyre.max %y dims [0, 2] tile [0: "B" in 3] split [3, 2, 4] place lx 0 {note} : (tensor<2x3x4xf32>) -> tensor<3xf32>
  // CHECK: spyre.min %{{.*}} dims [0, 2] keepdim tile [0: "B" in 3] split [1, 3, 1, 2, 4] place lx 0 {note} : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>
  %5 = spyre.min %y dims [0, 2] keepdim tile [0: "B" in 3] split [1, 3, 1, 2, 4] place lx 0 {note} : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>
  // CHECK: spyre.absmax %{{.*}} dims [0, 2] tile [0: "B" in 3] split [3, 2, 1] : (tensor<2x3x4xf32>) -> tensor<3xf32>
  %absmax = spyre.absmax %y dims [0, 2] tile [0: "B" in 3] split [3, 2, 1] : (tensor<2x3x4xf32>) -> tensor<3xf32>
  // CHECK: spyre.quantscalepertokenfp8 %{{.*}} dims [2] keepdim min 0.000000e+00 max 4.480000e+02 factor 2.500000e-01 tile [0: "B" in 3] split [1, 3, 1, 1] : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  %scale = spyre.quantscalepertokenfp8 %y dims [2] keepdim min 0.0 max 448.0 factor 0.25 tile [0: "B" in 3] split [1, 3, 1, 1] : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  // CHECK: spyre.mean %{{.*}} dims [0] : (tensor<?x512xf16>) -> tensor<512xf16>
  %6 = spyre.mean %d dims [0] : (tensor<?x512xf16>) -> tensor<512xf16>
  return
}

// Over the stick the result is sparse; over another dimension it keeps the stick.
// CHECK-LABEL: func.func @reduction_sticks(
func.func @reduction_sticks(%x: tensor<128x512xf16, #stick>) {
  // CHECK: spyre.sum %{{.*}} dims [1] keepdim : (tensor<128x512xf16, #[[$STICK]]>) -> tensor<128x1xf16, #[[$SPARSE]]>
  %0 = spyre.sum %x dims [1] keepdim : (tensor<128x512xf16, #stick>) -> tensor<128x1xf16, #sparse>
  // CHECK: spyre.sum %{{.*}} dims [0] keepdim : (tensor<128x512xf16, #[[$STICK]]>) -> tensor<1x512xf16, #[[$STICK]]>
  %1 = spyre.sum %x dims [0] keepdim : (tensor<128x512xf16, #stick>) -> tensor<1x512xf16, #stick>
  // The reduced dimension in whole sticks: 8 of them.
  // CHECK: spyre.sum %{{.*}} dims [1] keepdim split [4, 1, 8]
  %2 = spyre.sum %x dims [1] keepdim split [4, 1, 8] : (tensor<128x512xf16, #stick>) -> tensor<128x1xf16, #sparse>
  return
}

// CHECK-LABEL: func.func @topk(
func.func @topk(%x: tensor<64x256xf16, #stick>, %y: tensor<64x?xf32>, %z: tensor<64x256xf16, #sparse>, %w: tensor<1025x256xf16, #stick>) {
  // CHECK: spyre.topkvalue %{{.*}} dim 0 k 4 : (tensor<64x256xf16, #[[$STICK]]>) -> tensor<4x256xf16, #[[$STICK]]>
  %0 = spyre.topkvalue %x dim 0 k 4 : (tensor<64x256xf16, #stick>) -> tensor<4x256xf16, #stick>
  // One element in each stick: the searched dimension may be the last one.
  // CHECK: spyre.topkvalue %{{.*}} dim 1 k 1 : (tensor<64x256xf16, #[[$SPARSE]]>) -> tensor<64x1xf16, #[[$SPARSE]]>
  %1 = spyre.topkvalue %z dim 1 k 1 : (tensor<64x256xf16, #sparse>) -> tensor<64x1xf16, #sparse>
  // S16 at its limit.
  // CHECK: spyre.topkvalue %{{.*}} dim 0 k 64 : tensor<64x256xf16, #[[$STICK]]>
  %2 = spyre.topkvalue %x dim 0 k 64 : tensor<64x256xf16, #stick>
  // S33 at its limit: the largest position is 1024.
  // CHECK: spyre.topkindex %{{.*}} dim 0 k 1 : (tensor<1025x256xf16, #[[$STICK]]>) -> tensor<1x256xf16, #[[$STICK]]>
  %5 = spyre.topkindex %w dim 0 k 1 : (tensor<1025x256xf16, #stick>) -> tensor<1x256xf16, #stick>
  // CHECK: spyre.topkindex %{{.*}} dim 1 k 3 : (tensor<64x?xf32>) -> tensor<64x3xi64>
  %3 = spyre.topkindex %y dim 1 k 3 : (tensor<64x?xf32>) -> tensor<64x3xi64>
  // CHECK: spyre.topkindex %{{.*}} dim 1 k 4 tile [0: "A" in 2] split [4, 2, 1] place pool 0 {note} : (tensor<64x256xf16, #[[$SPARSE]]>) -> tensor<64x4xi32>
  %4 = spyre.topkindex %z dim 1 k 4 tile [0: "A" in 2] split [4, 2, 1] place pool 0 {note} : (tensor<64x256xf16, #sparse>) -> tensor<64x4xi32>
  return
}

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @gather(
func.func @gather(%i: tensor<64xi32>, %ids: tensor<4x33xi32>, %t: tensor<1000x256xf16, #stick>, %h: tensor<8x100x64xf32>,
                  %v: tensor<100xbf16>, %d: tensor<?xi32>) {
  // CHECK: spyre.gather %{{.*}}, %{{.*}} dim 0 : (tensor<64xi32>, tensor<1000x256xf16, #[[$STICK]]>) -> tensor<64x256xf16, #[[$STICK]]>
  %0 = spyre.gather %i, %t dim 0 : (tensor<64xi32>, tensor<1000x256xf16, #stick>) -> tensor<64x256xf16, #stick>
  // CHECK: spyre.gather %{{.*}}, %{{.*}} dim 1 tile [0: "A" in 2] {note} : (tensor<4x33xi32>, tensor<8x100x64xf32>) -> tensor<8x4x33x64xf32>
  %1 = spyre.gather %ids, %h dim 1 tile [0: "A" in 2] {note} : (tensor<4x33xi32>, tensor<8x100x64xf32>) -> tensor<8x4x33x64xf32>
  // S27: one core.
  // CHECK: spyre.gather %{{.*}}, %{{.*}} dim 2 split [1, 1, 1] place pool 0 : (tensor<64xi32>, tensor<8x100x64xf32>) -> tensor<8x100x64xf32>
  %2 = spyre.gather %i, %h dim 2 split [1, 1, 1] place pool 0 : (tensor<64xi32>, tensor<8x100x64xf32>) -> tensor<8x100x64xf32>
  // CHECK: spyre.gather %{{.*}}, %{{.*}} dim 0 : (tensor<64xi32>, tensor<100xbf16>) -> tensor<64xbf16>
  %3 = spyre.gather %i, %v dim 0 : (tensor<64xi32>, tensor<100xbf16>) -> tensor<64xbf16>
  // S25: a dynamic extent agrees with every extent.
  // CHECK: spyre.gather %{{.*}}, %{{.*}} dim 1 : (tensor<?xi32>, tensor<8x100x64xf32>) -> tensor<8x?x64xf32>
  %4 = spyre.gather %d, %h dim 1 : (tensor<?xi32>, tensor<8x100x64xf32>) -> tensor<8x?x64xf32>
  return
}

// S26 accepts indices on any of their dimensions, also in a window of one.
// CHECK-LABEL: func.func @gather_layouts(
func.func @gather_layouts(%i: tensor<64x1xi32, #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32)>>,
                          %c: tensor<64x9xi32, #spyre.layout<(d0, d1) -> (d0 floordiv 32, d1, d0 mod 32)>>,
                          %t: tensor<100x8xf16, #sparse>) {
  // CHECK: spyre.gather
  %0 = spyre.gather %i, %t dim 0
    : (tensor<64x1xi32, #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32)>>, tensor<100x8xf16, #sparse>)
    -> tensor<64x1x8xf16, #spyre.layout<(d0, d1, d2) -> (d1, d2, d0, 0)>>
  // CHECK: spyre.gather
  %1 = spyre.gather %c, %t dim 0
    : (tensor<64x9xi32, #spyre.layout<(d0, d1) -> (d0 floordiv 32, d1, d0 mod 32)>>, tensor<100x8xf16, #sparse>)
    -> tensor<64x9x8xf16, #spyre.layout<(d0, d1, d2) -> (d1, d2, d0, 0)>>
  return
}

//===----------------------------------------------------------------------===//
// Matrix multiplication
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @matmul(
func.func @matmul(%a: tensor<128x256xf16, #stick>, %b: tensor<256x512xf16, #stick>, %ba: tensor<3x1x128x256xf16>,
                  %bb: tensor<5x256x512xf16>, %d: tensor<?x128x?xf16>, %e: tensor<4x256x512xf16>, %v: tensor<256x1xf16, #sparse>,
                  %fa: tensor<128x256xf8E4M3FN>, %fb: tensor<256x512xf8E4M3FN>, %s: tensor<64x64xf16>,
                  %ia: tensor<128x256xi8>, %ib: tensor<256x512xi8>) {
  // CHECK: spyre.batchmatmul %{{.*}}, %{{.*}} : (tensor<128x256xf16, #[[$STICK]]>, tensor<256x512xf16, #[[$STICK]]>) -> tensor<128x512xf16, #[[$STICK]]>
  %0 = spyre.batchmatmul %a, %b : (tensor<128x256xf16, #stick>, tensor<256x512xf16, #stick>) -> tensor<128x512xf16, #stick>
  // Batch dimensions broadcast.
  // CHECK: -> tensor<3x5x128x512xf16>
  %1 = spyre.batchmatmul %ba, %bb : (tensor<3x1x128x256xf16>, tensor<5x256x512xf16>) -> tensor<3x5x128x512xf16>
  // CHECK: (tensor<?x128x?xf16>, tensor<4x256x512xf16>) -> tensor<4x128x512xf16>
  %2 = spyre.batchmatmul %d, %e : (tensor<?x128x?xf16>, tensor<4x256x512xf16>) -> tensor<4x128x512xf16>
  // An N of 1 is on no stick.
  // CHECK: (tensor<128x256xf16, #[[$STICK]]>, tensor<256x1xf16, #[[$SPARSE]]>) -> tensor<128x1xf16, #[[$SPARSE]]>
  %3 = spyre.batchmatmul %a, %v : (tensor<128x256xf16, #stick>, tensor<256x1xf16, #sparse>) -> tensor<128x1xf16, #sparse>
  // CHECK: spyre.batchmatmul %{{.*}}, %{{.*}} tile [0: "M" in 2, 1: "K" in 4] split [4, 8, 1] place lx 0 {note} : tensor<64x64xf16>
  %4 = spyre.batchmatmul %s, %s tile [0: "M" in 2, 1: "K" in 4] split [4, 8, 1] place lx 0 {note} : tensor<64x64xf16>
  // CHECK: spyre.batchmatmulfp8 %{{.*}}, %{{.*}} : (tensor<128x256xf8E4M3FN>, tensor<256x512xf8E4M3FN>) -> tensor<128x512xf16>
  %5 = spyre.batchmatmulfp8 %fa, %fb : (tensor<128x256xf8E4M3FN>, tensor<256x512xf8E4M3FN>) -> tensor<128x512xf16>
  // CHECK: spyre.batchmatmulint8 %{{.*}}, %{{.*}} split [4, 8, 1] : (tensor<128x256xi8>, tensor<256x512xi8>) -> tensor<128x512xbf16>
  %6 = spyre.batchmatmulint8 %ia, %ib split [4, 8, 1] : (tensor<128x256xi8>, tensor<256x512xi8>) -> tensor<128x512xbf16>
  return
}

// What is chosen at run time.
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[N:.*]]: index
func.func @dynamic(%n: index) attributes {spyre.dim_sizes = {S = #spyre.dynamic<granularity = 64, max = 512>}} {
  // CHECK: %[[S:.*]] = spyre.dim_size "S"
  %0 = spyre.dim_size "S"
  // CHECK: spyre.dim_size "S" {note}
  %1 = spyre.dim_size "S" {note}
  // CHECK: spyre.empty(%[[S]]) : tensor<?x64xf16>
  %2 = spyre.empty(%0) : tensor<?x64xf16>
  // CHECK: spyre.empty(%[[S]], %[[N]]) {note} : tensor<?x8x?xi32>
  %3 = spyre.empty(%0, %n) {note} : tensor<?x8x?xi32>
  return
}

//===----------------------------------------------------------------------===//
// Without an OpFunc
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @decomposed(
func.func @decomposed(%a: tensor<8x64xf16, #stick>, %b: tensor<?x64xbf16>, %c: tensor<8x64xf32>, %r: tensor<64xf32>) {
  // CHECK: spyre.sin %{{.*}} : tensor<8x64xf16, #[[$STICK]]>
  %0 = spyre.sin %a : tensor<8x64xf16, #stick>
  // CHECK: spyre.cos %{{.*}} : tensor<?x64xbf16>
  %1 = spyre.cos %b : tensor<?x64xbf16>
  // CHECK: spyre.atan %{{.*}} {note} : tensor<8x64xf32>
  %2 = spyre.atan %c {note} : tensor<8x64xf32>
  // CHECK: spyre.ceil
  %3 = spyre.ceil %c : tensor<8x64xf32>
  // CHECK: spyre.erf
  %4 = spyre.erf %c : tensor<8x64xf32>
  // CHECK: spyre.exp2
  %5 = spyre.exp2 %c : tensor<8x64xf32>
  // CHECK: spyre.expm1
  %6 = spyre.expm1 %c : tensor<8x64xf32>
  // CHECK: spyre.log1p
  %7 = spyre.log1p %c : tensor<8x64xf32>
  // CHECK: spyre.log2
  %8 = spyre.log2 %c : tensor<8x64xf32>
  // CHECK: spyre.round
  %9 = spyre.round %c : tensor<8x64xf32>
  // CHECK: spyre.pow %{{.*}}, %{{.*}} : tensor<8x64xf32>
  %10 = spyre.pow %c, %c : tensor<8x64xf32>
  // S28
  // CHECK: spyre.pow %{{.*}}, %{{.*}} : (tensor<8x64xf32>, tensor<64xf32>) -> tensor<8x64xf32>
  %11 = spyre.pow %c, %r : (tensor<8x64xf32>, tensor<64xf32>) -> tensor<8x64xf32>
  // CHECK: spyre.tan %{{.*}} : tensor<8x64xf32>
  %12 = spyre.tan %c : tensor<8x64xf32>
  // CHECK: spyre.asin %{{.*}} : tensor<8x64xf32>
  %13 = spyre.asin %c : tensor<8x64xf32>
  // CHECK: spyre.acos %{{.*}} : tensor<8x64xf32>
  %14 = spyre.acos %c : tensor<8x64xf32>
  // CHECK: spyre.sinh %{{.*}} : tensor<8x64xf32>
  %15 = spyre.sinh %c : tensor<8x64xf32>
  // CHECK: spyre.cosh %{{.*}} : tensor<8x64xf32>
  %16 = spyre.cosh %c : tensor<8x64xf32>
  // CHECK: spyre.asinh %{{.*}} : tensor<8x64xf32>
  %17 = spyre.asinh %c : tensor<8x64xf32>
  // CHECK: spyre.acosh %{{.*}} : tensor<8x64xf32>
  %18 = spyre.acosh %c : tensor<8x64xf32>
  // CHECK: spyre.atanh %{{.*}} : tensor<8x64xf32>
  %19 = spyre.atanh %c : tensor<8x64xf32>
  // CHECK: spyre.cbrt %{{.*}} : tensor<8x64xf32>
  %20 = spyre.cbrt %c : tensor<8x64xf32>
  // CHECK: spyre.trunc %{{.*}} : tensor<8x64xf32>
  %21 = spyre.trunc %c : tensor<8x64xf32>
  // CHECK: spyre.roundaway %{{.*}} : tensor<8x64xf32>
  %22 = spyre.roundaway %c : tensor<8x64xf32>
  // S28
  // CHECK: spyre.atan2 %{{.*}}, %{{.*}} : (tensor<8x64xf32>, tensor<64xf32>) -> tensor<8x64xf32>
  %30 = spyre.atan2 %c, %r : (tensor<8x64xf32>, tensor<64xf32>) -> tensor<8x64xf32>
  // CHECK: spyre.copysign %{{.*}}, %{{.*}} : tensor<8x64xf32>
  %31 = spyre.copysign %c, %c : tensor<8x64xf32>
  // CHECK: spyre.fmod %{{.*}}, %{{.*}} : (tensor<8x64xf32>, tensor<64xf32>) -> tensor<8x64xf32>
  %remainder = spyre.fmod %c, %r : (tensor<8x64xf32>, tensor<64xf32>) -> tensor<8x64xf32>
  // CHECK: %[[I:.+]] = spyre.fptosi %{{.*}} : (tensor<8x64xf32>) -> tensor<8x64xi32>
  %32 = spyre.fptosi %c : (tensor<8x64xf32>) -> tensor<8x64xi32>
  // CHECK: spyre.sitofp %[[I]] : (tensor<8x64xi32>) -> tensor<8x64xf32>
  %33 = spyre.sitofp %32 : (tensor<8x64xi32>) -> tensor<8x64xf32>
  // CHECK: %[[W:.+]] = spyre.bitcast %[[I]] : (tensor<8x64xi32>) -> tensor<8x64xi64>
  %34 = spyre.bitcast %32 : (tensor<8x64xi32>) -> tensor<8x64xi64>
  // CHECK: spyre.sitofp %[[W]] : (tensor<8x64xi64>) -> tensor<8x64xf32>
  %36 = spyre.sitofp %34 : (tensor<8x64xi64>) -> tensor<8x64xf32>
  // CHECK: spyre.bitcast %[[W]] : (tensor<8x64xi64>) -> tensor<8x64xf32>
  %35 = spyre.bitcast %34 : (tensor<8x64xi64>) -> tensor<8x64xf32>
  return
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @convolutions(
func.func @convolutions(%x: tensor<2x9x7x64xf16>, %w: tensor<3x3x64x80xf16>, %l: tensor<2x9x7x64xf16, #image>,
                        %lw: tensor<3x3x64x80xf16, #image>, %any: tensor<?x9x7x64xf16>, %row: tensor<1x3x64x80xf16>) {
  // CHECK: spyre.conv2d %{{.*}}, %{{.*}} : (tensor<2x9x7x64xf16>, tensor<3x3x64x80xf16>) -> tensor<2x7x5x80xf16>
  %0 = spyre.conv2d %x, %w : (tensor<2x9x7x64xf16>, tensor<3x3x64x80xf16>) -> tensor<2x7x5x80xf16>
  // S29: strides and dilations.
  // CHECK: spyre.conv2d %{{.*}}, %{{.*}} strides [2, 2] dilations [3, 1] : (tensor<2x9x7x64xf16>, tensor<3x3x64x80xf16>) -> tensor<2x2x3x80xf32>
  %1 = spyre.conv2d %x, %w strides [2, 2] dilations [3, 1] : (tensor<2x9x7x64xf16>, tensor<3x3x64x80xf16>) -> tensor<2x2x3x80xf32>
  // S29: the batch may be dynamic.
  // CHECK: spyre.conv2d %{{.*}}, %{{.*}} : (tensor<?x9x7x64xf16>, tensor<3x3x64x80xf16>) -> tensor<?x7x5x80xf16>
  %2 = spyre.conv2d %any, %w : (tensor<?x9x7x64xf16>, tensor<3x3x64x80xf16>) -> tensor<?x7x5x80xf16>
  // S30: a window in one dimension.
  // CHECK: spyre.conv2d %{{.*}}, %{{.*}} strides [1, 2] : (tensor<2x9x7x64xf16>, tensor<1x3x64x80xf16>) -> tensor<2x9x3x80xf16>
  %3 = spyre.conv2d %x, %row strides [1, 2] : (tensor<2x9x7x64xf16>, tensor<1x3x64x80xf16>) -> tensor<2x9x3x80xf16>
  // S31 and S32
  // CHECK: spyre.conv2d %{{.*}}, %{{.*}} tile [0: "n" in 2] split [2, 7, 5, 1, 1, 1, 1] place lx 0 : (tensor<2x9x7x64xf16, #[[$IMAGE]]>
  %4 = spyre.conv2d %l, %lw tile [0: "n" in 2] split [2, 7, 5, 1, 1, 1, 1] place lx 0
      : (tensor<2x9x7x64xf16, #image>, tensor<3x3x64x80xf16, #image>) -> tensor<2x7x5x80xf16, #image>
  return
}

// CHECK-LABEL: func.func @pools
func.func @pools(%x: tensor<2x8x6x80xf16>, %l: tensor<2x8x6x80xf16, #image>, %any: tensor<?x8x6x80xf32>) {
  // CHECK: spyre.maxpoolfwd %{{.*}} window [2, 2] strides [2, 2] : (tensor<2x8x6x80xf16>) -> tensor<2x4x3x80xf16>
  %0 = spyre.maxpoolfwd %x window [2, 2] strides [2, 2] : (tensor<2x8x6x80xf16>) -> tensor<2x4x3x80xf16>
  // S29: strides are 1 unless they are there.
  // CHECK: spyre.avgpoolfwd %{{.*}} window [3, 2] : (tensor<2x8x6x80xf16>) -> tensor<2x6x5x80xf16>
  %1 = spyre.avgpoolfwd %x window [3, 2] : (tensor<2x8x6x80xf16>) -> tensor<2x6x5x80xf16>
  // S29: the batch may be dynamic.
  // CHECK: spyre.maxpoolfwd %{{.*}} window [2, 2] strides [3, 4] : (tensor<?x8x6x80xf32>) -> tensor<?x3x2x80xf32>
  %2 = spyre.maxpoolfwd %any window [2, 2] strides [3, 4] : (tensor<?x8x6x80xf32>) -> tensor<?x3x2x80xf32>
  // S22 and S32: windows that follow each other may be divided.
  // CHECK: spyre.avgpoolfwd %{{.*}} window [2, 2] strides [2, 1] tile [0: "n" in 2] split [2, 4, 1, 2, 1, 1] place lx 0 : (tensor<2x8x6x80xf16, #[[$IMAGE]]>
  %3 = spyre.avgpoolfwd %l window [2, 2] strides [2, 1] tile [0: "n" in 2] split [2, 4, 1, 2, 1, 1] place lx 0
      : (tensor<2x8x6x80xf16, #image>) -> tensor<2x4x5x80xf16, #image>
  return
}

// CHECK-LABEL: func.func @depthwise
func.func @depthwise(%x: tensor<2x9x7x80xf16>, %w: tensor<3x3x80xf16>, %row: tensor<1x3x80xf16>,
                     %any: tensor<?x9x7x80xf16>, %l: tensor<2x9x7x80xf16, #image>) {
  // CHECK: spyre.depthwiseconv2dnative %{{.*}}, %{{.*}} : (tensor<2x9x7x80xf16>, tensor<3x3x80xf16>) -> tensor<2x7x5x80xf16>
  %0 = spyre.depthwiseconv2dnative %x, %w : (tensor<2x9x7x80xf16>, tensor<3x3x80xf16>) -> tensor<2x7x5x80xf16>
  // S29: strides and dilations.
  // CHECK: spyre.depthwiseconv2dnative %{{.*}}, %{{.*}} strides [2, 2] dilations [3, 1] : (tensor<?x9x7x80xf16>, tensor<3x3x80xf16>) -> tensor<?x2x3x80xf16>
  %1 = spyre.depthwiseconv2dnative %any, %w strides [2, 2] dilations [3, 1] : (tensor<?x9x7x80xf16>, tensor<3x3x80xf16>) -> tensor<?x2x3x80xf16>
  // S30: a window in one dimension.
  // CHECK: spyre.depthwiseconv2dnative %{{.*}}, %{{.*}} strides [1, 2] : (tensor<2x9x7x80xf16>, tensor<1x3x80xf16>) -> tensor<2x9x3x80xf16>
  %2 = spyre.depthwiseconv2dnative %x, %row strides [1, 2] : (tensor<2x9x7x80xf16>, tensor<1x3x80xf16>) -> tensor<2x9x3x80xf16>
  // S22 and S32
  // CHECK: spyre.depthwiseconv2dnative %{{.*}}, %{{.*}} split [2, 7, 5, 2, 1, 1] : (tensor<2x9x7x80xf16, #[[$IMAGE]]>
  %3 = spyre.depthwiseconv2dnative %l, %w split [2, 7, 5, 2, 1, 1] : (tensor<2x9x7x80xf16, #image>, tensor<3x3x80xf16>) -> tensor<2x7x5x80xf16, #image>
  return
}

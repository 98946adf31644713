// A quantized layer, as ONNX's QLinearMatMul and a gather of 8 bits are printed: zero points and scales are arguments. All of
// it is computed in 32 bits: sums of products of integers on the host, since the card has no arithmetic of integers, and what scales and
// rounds them on the card.

// RUN: spyre-opt %s --spyre-import-linalg=host=true | FileCheck %s
// RUN: spyre-run %s --entry matmul --on=card --compare %s --compare-entry matmul --random-seed 1 --stats 2>&1 | FileCheck %s --check-prefix=PART
// RUN: spyre-run %s --entry table --on=card --compare %s --compare-entry table --random-seed 2 --stats 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry half_scales --on=card --compare %s --compare-entry half_scales --random-seed 1 --stats 2>&1 | FileCheck %s --check-prefix=SCALE
// CARD: host: 0 elements
// PART: device: @matmul_device_0, {{[1-9][0-9]*}} elements
// PART: result 0: 0 of 2048 elements differ
// CARD: result 0: 0 of 2048 elements differ

#all = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @matmul(
// CHECK:         arith.extsi %arg0 : tensor<32x48xi8> to tensor<32x48xi32>
// CHECK-NOT:     linalg
// CHECK:         spyre.mul %{{.+}}, %{{.+}} : (tensor<32x1x48xi32>, tensor<1x64x48xi32>) -> tensor<32x64x48xi32>
// CHECK-NOT:     linalg
// CHECK:         %[[F:.+]] = call @matmul_device_0(
// CHECK-NEXT:    %[[R:.+]] = spyre.fptosi %[[F]]
// CHECK-NEXT:    arith.trunci %[[R]] : tensor<32x64xi32> to tensor<32x64xi8>
// CHECK-LABEL: func.func private @matmul_device_0(
// CHECK-NOT:     linalg
// CHECK-NOT:     f64
// CHECK:         spyre.mul %{{.+}}, %{{.+}} : {{.*}}tensor<1x1xf32>
// CHECK:         spyre.round
// CHECK:         spyre.clip
func.func @matmul(%a: tensor<32x48xi8>, %as: tensor<1xf32>, %az: tensor<1xi8>, %b: tensor<48x64xi8>, %bs: tensor<1xf32>, %bz: tensor<1xi8>, %yz: tensor<1xi8>) -> tensor<32x64xi8> {
  %zero = arith.constant 0 : i32
  %low = arith.constant -128.0 : f32
  %high = arith.constant 127.0 : f32
  %c0 = arith.constant 0 : index
  %0 = tensor.extract %az[%c0] : tensor<1xi8>
  %1 = tensor.extract %bz[%c0] : tensor<1xi8>
  %2 = tensor.extract %yz[%c0] : tensor<1xi8>
  %3 = tensor.extract %as[%c0] : tensor<1xf32>
  %4 = tensor.extract %bs[%c0] : tensor<1xf32>
  %5 = arith.extsi %0 : i8 to i64
  %6 = arith.trunci %5 : i64 to i32
  %7 = arith.extsi %1 : i8 to i32
  %8 = arith.extf %3 : f32 to f64
  %9 = arith.extf %4 : f32 to f64
  %scale = arith.mulf %8, %9 : f64
  %e = tensor.empty() : tensor<32x64xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<32x64xi32>) -> tensor<32x64xi32>
  %m = linalg.quantized_matmul ins(%a, %b, %6, %7 : tensor<32x48xi8>, tensor<48x64xi8>, i32, i32) outs(%f : tensor<32x64xi32>) -> tensor<32x64xi32>
  %y = tensor.empty() : tensor<32x64xi8>
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%m : tensor<32x64xi32>) outs(%y : tensor<32x64xi8>) {
  ^bb0(%in: i32, %out: i8):
    %s = arith.truncf %scale : f64 to f32
    %g = arith.sitofp %in : i32 to f32
    %h = arith.mulf %g, %s : f32
    %i = math.roundeven %h : f32
    %z = arith.sitofp %2 : i8 to f32
    %j = arith.addf %i, %z : f32
    %k = arith.maximumf %j, %low : f32
    %l = arith.minimumf %k, %high : f32
    %n = arith.fptosi %l : f32 to i8
    linalg.yield %n : i8
  } -> tensor<32x64xi8>
  return %r : tensor<32x64xi8>
}

// A product of scales of 16 bits: casts of one element have room for whole sticks of both widths.
// SCALE: 100.0 % of the work is the device's
// SCALE: result 0: 0 of 2048 elements differ
func.func @half_scales(%x: tensor<32x64xf32>, %as: tensor<1xf16>, %bs: tensor<1xf16>) -> tensor<32x64xf32> {
  %c0 = arith.constant 0 : index
  %0 = tensor.extract %as[%c0] : tensor<1xf16>
  %1 = tensor.extract %bs[%c0] : tensor<1xf16>
  %2 = arith.extf %0 : f16 to f64
  %3 = arith.extf %1 : f16 to f64
  %wide = arith.mulf %2, %3 : f64
  %e = tensor.empty() : tensor<32x64xf32>
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %scale = arith.truncf %wide : f64 to f32
    %m = arith.mulf %in, %scale : f32
    linalg.yield %m : f32
  } -> tensor<32x64xf32>
  return %r : tensor<32x64xf32>
}

// CHECK-LABEL: func.func private @table_device_0(
// CHECK:         spyre.gather
func.func @table(%t: tensor<16x64xi8>) -> tensor<32x64xi8> {
  %rows = arith.constant dense<[0, 3, 5, 7, 9, 11, 13, 15, 14, 12, 10, 8, 6, 4, 2, 1, 0, 3, 5, 7, 9, 11, 13, 15, 14, 12, 10, 8, 6, 4, 2, 1]> : tensor<32xi32>
  %e = tensor.empty() : tensor<32x64xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, #all], iterator_types = ["parallel", "parallel"]} ins(%rows : tensor<32xi32>) outs(%e : tensor<32x64xi8>) {
  ^bb0(%in: i32, %out: i8):
    %row = arith.index_cast %in : i32 to index
    %column = linalg.index 1 : index
    %x = tensor.extract %t[%row, %column] : tensor<16x64xi8>
    linalg.yield %x : i8
  } -> tensor<32x64xi8>
  return %r : tensor<32x64xi8>
}

// What is computed in f32 is computed in 16 bits; arguments and results stay.

// RUN: spyre-opt %s --spyre-narrow-floats | FileCheck %s
// RUN: spyre-run %s --entry f --on=card --float=dl16 --compare %s --compare-entry f --random-seed 1 --tolerance 1e-2 --stats 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-opt %s '--spyre-import-linalg=float=dl16' | FileCheck %s --check-prefix=DEVICE
// RUN: spyre-run %s --entry variance --on=card --float=dl16 --compare %s --compare-entry variance --random-seed 2 --tolerance 1e-2 --stats 2>&1 | FileCheck %s --check-prefix=VARIANCE
// VARIANCE: host: 0 elements
// VARIANCE: result 0: 0 of 4 elements differ
// CARD: host: 0 elements
// CARD: result 0: 0 of 4096 elements differ

// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<32x128xf32>) -> tensor<32x128xf32>
// CHECK-DAG:     %[[XN:.+]] = arith.truncf %[[X]] : tensor<32x128xf32> to tensor<32x128xf16>
// CHECK-NOT:     f32
// CHECK:         arith.constant 1.500000e+00 : f16
// CHECK:         arith.constant dense<{{.*}}> : tensor<128xf16>
// CHECK:         linalg.generic
// CHECK:         ^bb0(%{{.+}}: f16, %{{.+}}: f16, %{{.+}}: f16):
// CHECK:           math.tanh %{{.+}} : f16
// CHECK:           linalg.yield %{{.+}} : f16
// CHECK:         %[[Y:.+]] = arith.extf %{{.+}} : tensor<32x128xf16> to tensor<32x128xf32>
// CHECK:         return %[[Y]]
// DEVICE-LABEL: func.func @f(
// DEVICE:         spyre.fp32todl16 %arg0
// DEVICE:         spyre.tanh %{{.+}} : tensor<32x128xf16>
// DEVICE:         spyre.dl16tofp32
func.func @f(%x: tensor<32x128xf32>) -> tensor<32x128xf32> {
  %c = arith.constant 1.5 : f32
  %w = arith.constant dense<0.25> : tensor<128xf32>
  %0 = tensor.empty() : tensor<32x128xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %w : tensor<32x128xf32>, tensor<128xf32>) outs(%0 : tensor<32x128xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %2 = arith.mulf %a, %b : f32
    %3 = arith.addf %2, %c : f32
    %4 = math.tanh %3 : f32
    linalg.yield %4 : f32
  } -> tensor<32x128xf32>
  return %1 : tensor<32x128xf32>
}

// Casts between the two go away, and constants stay finite.
// CHECK-LABEL: func.func @casts(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<8xf16>
// CHECK-NOT:     arith.extf
// CHECK-NOT:     arith.truncf
// CHECK-DAG:     arith.constant dense<[-6.550400e+04, 0x7C00, 9.997550e-02, 6.550400e+04, 1.000000e+00, 2.000000e+00, 3.000000e+00, 0x7E00]> : tensor<8xf16>
// CHECK:         linalg.max ins(%[[X]], %{{.+}} : tensor<8xf16>, tensor<8xf16>)
func.func @casts(%x: tensor<8xf16>) -> tensor<8xf16> {
  %c = arith.constant dense<[-3.4e38, 0x7F800000, 0.1, 1.0e9, 1.0, 2.0, 3.0, 0x7FC00000]> : tensor<8xf32>
  %0 = arith.extf %x : tensor<8xf16> to tensor<8xf32>
  %1 = tensor.empty() : tensor<8xf32>
  %2 = linalg.max ins(%0, %c : tensor<8xf32>, tensor<8xf32>) outs(%1 : tensor<8xf32>) -> tensor<8xf32>
  %3 = arith.truncf %2 : tensor<8xf32> to tensor<8xf16>
  return %3 : tensor<8xf16>
}

// What is computed in f64 is computed in f32, of which the card has some.
// CHECK-LABEL: func.func @variance(
// CHECK-NOT:     f64
// CHECK:         arith.constant 1.280000e+02 : f32
// CHECK:         %[[WIDE:.+]] = arith.extf %{{.+}} : f16 to f32
// CHECK:         arith.addf %{{.+}} : f32
// CHECK:         arith.divf %{{.+}} : f32
// CHECK:         arith.truncf %{{.+}} : f32 to f16
// CHECK-NOT:     f64
// CHECK:         return
func.func @variance(%x: tensor<4x128xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f64
  %count = arith.constant 128.0 : f64
  %0 = tensor.empty() : tensor<4xf64>
  %1 = linalg.fill ins(%zero : f64) outs(%0 : tensor<4xf64>) -> tensor<4xf64>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x128xf32>) outs(%1 : tensor<4xf64>) {
  ^bb0(%in: f32, %out: f64):
    %wide = arith.extf %in : f32 to f64
    %square = arith.mulf %wide, %wide : f64
    %sum = arith.addf %out, %square : f64
    linalg.yield %sum : f64
  } -> tensor<4xf64>
  %3 = tensor.empty() : tensor<4xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%2 : tensor<4xf64>) outs(%3 : tensor<4xf32>) {
  ^bb0(%in: f64, %out: f32):
    %mean = arith.divf %in, %count : f64
    %narrow = arith.truncf %mean : f64 to f32
    linalg.yield %narrow : f32
  } -> tensor<4xf32>
  return %4 : tensor<4xf32>
}

// RUN: spyre-opt %s --spyre-specialize-dynamic-dims=sizes=S=192,T=64 | FileCheck %s
// RUN: spyre-opt %s --coarse-tile --spyre-specialize-dynamic-dims=sizes=S=192,T=64 | FileCheck %s --check-prefix=TILED

// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %{{.*}}: tensor<192x256xf16> {spyre.dims = ["S", "D"]}) -> tensor<192x256xf16>
// CHECK-SAME: spyre.dim_sizes = {D = 256 : i64, S = 192 : i64}
// CHECK: spyre.add %{{.*}} : tensor<192x256xf16>
// TILED-LABEL: func.func @rows(
// TILED: spyre.empty : tensor<192x256xf16>
// TILED: scf.for %{{.*}} = %c0 to %c192 step %c64 iter_args(%{{.*}}) -> (tensor<192x256xf16>)
// TILED: tensor.extract_slice %{{.*}} : tensor<192x256xf16> to tensor<64x256xf16>
func.func @rows(%a: tensor<?x256xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x256xf16>
    attributes {spyre.dim_sizes = {D = 256, S = #spyre.dynamic<granularity = 64, max = 512>}} {
  %y = spyre.add %a, %a tile [0: "S" by 64] : tensor<?x256xf16>
  return %y : tensor<?x256xf16>
}

// Each function has its own.
// CHECK-LABEL: func.func @other(
// CHECK-SAME: tensor<64x8xf16>
func.func @other(%a: tensor<?x8xf16> {spyre.dims = ["T", "D"]}) -> tensor<?x8xf16>
    attributes {spyre.dim_sizes = {D = 8, T = #spyre.dynamic<granularity = 2, max = 64>}} {
  %y = spyre.exp %a tile [0: "T" by 2] : tensor<?x8xf16>
  return %y : tensor<?x8xf16>
}

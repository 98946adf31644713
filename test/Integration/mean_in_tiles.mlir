// RUN: rm -rf %t && mkdir %t
// RUN: spyre-opt %s --coarse-tile -o %t/tiled.mlir 2> %t/warnings
// RUN: FileCheck %s --check-prefix=TILED --input-file=%t/tiled.mlir
// RUN: FileCheck %s --check-prefix=WARNING --input-file=%t/warnings
// RUN: spyre-run %t/tiled.mlir | FileCheck %s --check-prefix=VALUES
// RUN: spyre-run %s | FileCheck %s --check-prefix=VALUES
// RUN: spyre-translate --spyre-to-bundle %s -o %t/bundle 2> /dev/null
// RUN: spyre-run %s --bundle %t/bundle | FileCheck %s --check-prefix=VALUES
// RUN: spyre-opt %s --coarse-tile --remarks-filter=coarse-tile -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The sum of 8,192 sixteens is beyond f16, and their mean is 16 in tiles as well. Parts of the mean of 96 elements are sums: a warning
// says up to which mean there are such.

// WARNING: warning: coarse-tile: the parts of this mean are sums, which exceed f16 if the mean is above 682.3; with tiles of equal size, and powers of two for the size and for the number of tiles, the parts are means
// WARNING-NOT: warning

// REMARK: Reassociated

// VALUES: 16{{(\.0)?}}{{[^0-9]}}
// VALUES: 16{{(\.0)?}}{{[^0-9]}}
// VALUES: 2{{(\.0)?}}{{[^0-9]}}

// TILED: spyre.mean
// TILED: spyre.fill dense<2.500000e-01>
func.func @f() -> (tensor<2x1xf16>, tensor<2x1xf16>, tensor<64xf16>) {
  %x = spyre.fill dense<16.0> : tensor<2x8192xf16> {spyre.dims = ["R", "C"]}
  %y = spyre.abs %x tile [0: "C" in 4] {spyre.dims = ["R", "C"]} : tensor<2x8192xf16>
  %m = spyre.mean %y dims [1] keepdim tile [0: "C" in 4] : (tensor<2x8192xf16>) -> tensor<2x1xf16>
  %s = spyre.mean %x dims [1] keepdim : (tensor<2x8192xf16>) -> tensor<2x1xf16>
  %z = spyre.fill dense<2.0> : tensor<96x64xf16> {spyre.dims = ["S", "D"]}
  %r = spyre.mean %z dims [0] tile [1: "S" in 3] : (tensor<96x64xf16>) -> tensor<64xf16>
  return %m, %s, %r : tensor<2x1xf16>, tensor<2x1xf16>, tensor<64xf16>
}

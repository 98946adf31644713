// The sticks of a row side by side: the other maps, and the columns are innermost.

// RUN: spyre-translate --spyre-to-bundle %s -o %t
// RUN: spyre-translate --verify-bundle %t
// RUN: FileCheck %s --check-prefix=BUNDLE --input-file=%t/bundle.mlir
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t/sdsc_1.json

#rows = #spyre.layout<(d0, d1) -> (d0, d1 floordiv 64, d1 mod 64)>
!t = tensor<1024x4096xf16, #rows>

func.func @add_mul(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]},
                   %c: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 4] : !t
  %z = spyre.mul %y, %c tile [0: "A" in 2, 1: "B" in 4] : !t
  return %z : !t
}

// BUNDLE:     #map_0 = affine_map<(d0, d1)[s0] -> (s0 + 4194304*d0 + 2048*d1)>
// BUNDLE-NOT: #map_1
// 16 rows of 4096 elements of 2 bytes.
// BUNDLE:     %arg_0_core_131072 = arith.addi %arg_0, %arg_0_core_offset_131072 : index

// JSON:      "1_mul": {
// JSON:      "layoutDimOrder_": [
// JSON-NEXT: "out",
// JSON-NEXT: "mb"
// JSON:      "name_": "allocate-Tensor1_hbm"
// JSON:      "backGapCore_": {
// JSON-NEXT: "out": {
// JSON-NEXT: "-1": "3072"
// JSON:      "mb": {
// JSON-NEXT: "-1": "512"

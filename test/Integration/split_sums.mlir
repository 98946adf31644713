// RUN: rm -rf %t && mkdir %t
// RUN: spyre-opt %s --spyre-pipeline="bundle=false plan=false" --spyre-verify-plan -o %t/planned.mlir
// RUN: FileCheck %s --input-file=%t/planned.mlir
// RUN: spyre-opt %s --spyre-pipeline=plan=false | spyre-translate --spyre-to-bundle - -o %t/bundle
// RUN: spyre-translate --verify-bundle %t/bundle
// RUN: FileCheck %s --check-prefix=CORES --input-file=%t/bundle/sdsc_0.json
// RUN: spyre-run %s --bundle %t/bundle --compare %s --integers 3 --random-seed 5 --max-ulps 0 | FileCheck %s --check-prefix=SAME

// Cores that share a reduced dimension make parts of a result, which the card combines. Nobody has the result in the scratchpad then,
// and of a product the parts of one sum are on neighbouring cores.

// SAME-COUNT-6: result {{[0-9]}}: 0 of {{[0-9]+}} elements differ

// CORES: "coreIdToWkSlice_"
// CORES: "1": {
// CORES-NEXT: "in": 1,
// CORES-NEXT: "mb": 0,

module attributes {spyre.target = #spyre.target<cores = 8>} {
func.func @f(%a: tensor<64x512xf16>, %b: tensor<512x128xf16>) -> (tensor<64x128xf16>, tensor<64xf16>, tensor<512xf16>, tensor<64xf16>, tensor<64x128xf16>, tensor<64x128xf16>) {
  // CHECK: spyre.batchmatmul {{.*}} split [2, 1, 4] place arg
  %c = spyre.batchmatmul %a, %b split [2, 1, 4] : (tensor<64x512xf16>, tensor<512x128xf16>) -> tensor<64x128xf16>
  %d = spyre.max %a dims [1] split [2, 4] : (tensor<64x512xf16>) -> tensor<64xf16>
  %e = spyre.mean %a dims [0] split [1, 8] : (tensor<64x512xf16>) -> tensor<512xf16>
  // The sum has half of a row of each of four groups of rows.
  // CHECK: %[[N:.*]] = spyre.neg {{.*}} split [4, 2] place lx
  %n = spyre.neg %c split [4, 2] : tensor<64x128xf16>
  // CHECK: spyre.sum %[[N]] dims [1] split [4, 2] place arg
  %g = spyre.sum %n dims [1] split [4, 2] : (tensor<64x128xf16>) -> tensor<64xf16>
  // Core 0 reads all of this, and has a part of the sum.
  // CHECK: spyre.batchmatmul {{.*}} split [1, 1, 4] place pool
  %h = spyre.batchmatmul %a, %b split [1, 1, 4] : (tensor<64x512xf16>, tensor<512x128xf16>) -> tensor<64x128xf16>
  %i = spyre.neg %h split [1, 1] : tensor<64x128xf16>
  // The core that makes a part of this is not the one that sums it up.
  // CHECK: %[[J:.*]] = spyre.neg {{.*}} split [2, 4] place pool
  // CHECK: spyre.batchmatmul %[[J]], {{.*}} split [2, 1, 4] place arg
  %j = spyre.neg %a split [2, 4] : tensor<64x512xf16>
  %k = spyre.batchmatmul %j, %b split [2, 1, 4] : (tensor<64x512xf16>, tensor<512x128xf16>) -> tensor<64x128xf16>
  return %c, %d, %e, %g, %i, %k : tensor<64x128xf16>, tensor<64xf16>, tensor<512xf16>, tensor<64xf16>, tensor<64x128xf16>, tensor<64x128xf16>
}
}

// RUN: rm -rf %t && mkdir %t
// RUN: spyre-opt %s --spyre-pipeline="bundle=false plan=false relayouts=true" -o %t/planned.mlir
// RUN: FileCheck %s --input-file=%t/planned.mlir
// RUN: spyre-translate bundle %t/planned.mlir -o %t/bundle
// RUN: spyre-translate prove %t/bundle %t/planned.mlir 2>&1 | FileCheck %s --check-prefix=PROVED
// RUN: sed -e 's/to \[1, 0\] by \[4, 2\]/to [0, 1] by [2, 4]/' %t/planned.mlir > %t/other.mlir
// RUN: not spyre-translate prove %t/bundle %t/other.mlir 2>&1 | FileCheck %s --check-prefix=OTHER

// A relayout gives cores the slices that their reader has: columns are the fastest digit of a core here, and rows the
// other one. The files of the reader address the slices of these cores.

// CHECK: spyre.copy %{{.*}} from [0] by [8] to [1, 0] by [4, 2] split [2, 4] place lx
// CHECK-NEXT: spyre.max %{{.*}} split [1, 4, 2] place arg

// PROVED-NOT: error
// PROVED: 0 refuted

// OTHER: error: prove: P5: sdsc_2.json tensor 0: scheduleTree_/0/startAddressCoreCorelet_/data_/[1, 0, 0] gives byte
module attributes {spyre.target = #spyre.target<cores = 8>} {
  func.func @f(%a: tensor<32x512xf16>, %b: tensor<32x512xf16>) -> tensor<1x512xf16> {
    %larger = spyre.maximum %a, %b : (tensor<32x512xf16>, tensor<32x512xf16>) -> tensor<32x512xf16>
    %max = spyre.max %larger dims [0] keepdim split [1, 4, 2] : (tensor<32x512xf16>) -> tensor<1x512xf16>
    return %max : tensor<1x512xf16>
  }
}

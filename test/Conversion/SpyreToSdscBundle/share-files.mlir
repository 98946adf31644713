// RUN: spyre-opt %s --pass-pipeline='builtin.module(convert-spyre-to-sdscbundle{share-files})' | FileCheck %s
// RUN: spyre-opt %s --pass-pipeline='builtin.module(convert-spyre-to-sdscbundle{share-files})' | spyre-translate --spyre-to-bundle --verify-written -o %t
// RUN: ls %t | FileCheck %s --check-prefix=FILES

// The same operation on the same arguments, twice: one file. Each execution says which OpSpec it runs.

// CHECK-COUNT-4: sdscbundle.op_spec
// CHECK:     sdsc_execute {{.*}}sdsc_filename = "sdsc_0.json"
// CHECK:     sdsc_execute {{.*}}sdsc_filename = "sdsc_1.json"
// CHECK:     sdsc_execute {{.*}}sdsc_filename = "sdsc_0.json"
// CHECK:     sdsc_execute {{.*}}sdsc_filename = "sdsc_2.json"

// FILES:      bundle.mlir
// FILES-NEXT: sdsc_0.json
// FILES-NEXT: sdsc_1.json
// FILES-NEXT: sdsc_2.json
// FILES-NOT:  {{.}}
func.func @f(%a: tensor<128x64xf16> {spyre.place = #spyre.place<arg 0>}) -> (tensor<128x64xf16>, tensor<128x64xf16>) {
  %x = spyre.exp %a split [1, 1] place lx 0 : tensor<128x64xf16>
  %r = spyre.neg %x split [1, 1] place arg 1 : tensor<128x64xf16>
  %y = spyre.exp %a split [1, 1] place lx 0 : tensor<128x64xf16>
  %s = spyre.neg %y split [1, 1] place arg 2 : tensor<128x64xf16>
  return %r, %s : tensor<128x64xf16>, tensor<128x64xf16>
}

// Floats of 8 bits go in and out with their names.

// RUN: spyre-translate --import-inductor %S/Inputs/float8.json -o %t
// RUN: FileCheck %s --input-file %t
// RUN: spyre-translate --export-inductor %t | FileCheck %s --check-prefix=JSON

// CHECK: inductor.input "arg0_1" : tensor<4xf8E5M2
// CHECK: inductor.load {{.*}} -> f32
// CHECK-NEXT: inductor.to_dtype {{.*}} from f8E5M2 to f32 compute : f32 -> f32
// CHECK-NEXT: inductor.to_dtype {{.*}} from f32 to f8E4M3FN compute : f32 -> f32
// CHECK: tensor<4xf8E4M3FN

// JSON-DAG: "dtype":"f8E5M2"
// JSON-DAG: "dtype":"f8E4M3FN"

// A remark says in which element types an operation is computed, and added up.

// RUN: spyre-opt %s --spyre-generalize-named-ops --convert-linalg-to-spyre --remarks-filter=convert-linalg-to-spyre --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR --input-file %t.mlir

#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#columns = affine_map<(d0, d1, d2) -> (d2, d1)>
#both = affine_map<(d0, d1, d2) -> (d0, d1)>
#all = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>

// The mark of the remark is gone.
// IR-NOT: index
// IR:     spyre.batchmatmul
func.func @f(%a: tensor<64x128xf16>, %b: tensor<128x64xf16>) -> (tensor<64x64xf16>, tensor<64x64xf32>, tensor<64x128xf16>, tensor<128x64xf16>) {
  %zero = arith.constant 0.0 : f16
  %wide = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<64x64xf16>
  %1 = linalg.fill ins(%zero : f16) outs(%0 : tensor<64x64xf16>) -> tensor<64x64xf16>
  %2 = tensor.empty() : tensor<64x64xf32>
  %3 = linalg.fill ins(%wide : f32) outs(%2 : tensor<64x64xf32>) -> tensor<64x64xf32>
  // CHECK: precision.mlir:[[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] Precision | {{.*}} AddedUpIn=f32, ComputedIn=f16, ProgramAddsUpIn=f16, Remark="computed in f16, added up in f32; the program adds up in f16"
  %4 = linalg.generic {indexing_maps = [#rows, #columns, #both], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x128xf16>, tensor<128x64xf16>) outs(%1 : tensor<64x64xf16>) {
  ^bb0(%x: f16, %y: f16, %out: f16):
    %p = arith.mulf %x, %y : f16
    %s = arith.addf %out, %p : f16
    linalg.yield %s : f16
  } -> tensor<64x64xf16>
  // CHECK: precision.mlir:[[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] Precision | {{.*}} AddedUpIn=f32, ComputedIn=f32, ProgramAddsUpIn=f32, Remark="computed in f32, added up in f32; the program adds up in f32"
  %5 = linalg.generic {indexing_maps = [#rows, #columns, #both], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x128xf16>, tensor<128x64xf16>) outs(%3 : tensor<64x64xf32>) {
  ^bb0(%x: f16, %y: f16, %out: f32):
    %xw = arith.extf %x : f16 to f32
    %yw = arith.extf %y : f16 to f32
    %p = arith.mulf %xw, %yw : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  } -> tensor<64x64xf32>
  %6 = tensor.empty() : tensor<64x128xf16>
  // CHECK: precision.mlir:[[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] Precision | {{.*}} ComputedIn="f32, f16", Remark="computed in f32 and f16"
  %7 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<64x128xf16>) outs(%6 : tensor<64x128xf16>) {
  ^bb0(%x: f16, %out: f16):
    %xw = arith.extf %x : f16 to f32
    %e = math.exp %xw : f32
    %n = arith.truncf %e : f32 to f16
    linalg.yield %n : f16
  } -> tensor<64x128xf16>
  %8 = tensor.empty() : tensor<128x64xf16>
  // CHECK-NOT: remark
  %9 = linalg.generic {indexing_maps = [#turned, #all], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<64x128xf16>) outs(%8 : tensor<128x64xf16>) {
  ^bb0(%x: f16, %out: f16):
    linalg.yield %x : f16
  } -> tensor<128x64xf16>
  return %4, %5, %7, %9 : tensor<64x64xf16>, tensor<64x64xf32>, tensor<64x128xf16>, tensor<128x64xf16>
}

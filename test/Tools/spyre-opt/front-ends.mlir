// Programs that are not linalg on tensors yet, or not device operations yet, are told what is in between.

// RUN: split-file %s %t
// RUN: not spyre-opt %t/stablehlo.mlir 2>&1 | FileCheck %s --check-prefix=STABLEHLO
// RUN: not spyre-run %t/torch.mlir --random-seed 1 2>&1 | FileCheck %s --check-prefix=TORCH
// RUN: spyre-opt %t/linalg.mlir --spyre-pipeline 2>&1 | FileCheck %s --check-prefix=LINALG
// RUN: not spyre-translate --spyre-to-bundle %t/linalg.mlir -o %t/bundle 2>&1 | FileCheck %s --check-prefixes=LINALG,TRANSLATE
// RUN: spyre-opt %t/nothing.mlir --spyre-pipeline 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not spyre-opt %t/neither.mlir 2>&1 | FileCheck %s --check-prefix=NEITHER

// STABLEHLO: stablehlo.mlir:2:8: error: Dialect `stablehlo' not found
// STABLEHLO: note: {{.*}}stablehlo.mlir has operations of 'stablehlo', and spyre-mlir reads linalg on tensors.
// STABLEHLO-SAME: python -m spyre_mlir.convert stablehlo {{.*}}stablehlo.mlir -o linalg.mlir

// TORCH: note: {{.*}} has operations of 'torch'
// TORCH-SAME: iree-opt --torch-onnx-to-torch-backend-pipeline --torch-backend-to-linalg-on-tensors-backend-pipeline

// LINALG: linalg.mlir:3:8: warning: convert-spyre-to-sdscbundle: the module has no device operations, so there is no bundle; --spyre-import-linalg converts linalg on tensors to them
// TRANSLATE: error: module has neither a function @sdsc_bundle nor a function of device operations

// NOTHING: nothing.mlir:0:0: warning: convert-spyre-to-sdscbundle: the module has no device operations, so there is no bundle{{$}}

// NEITHER-NOT: note: {{.*}}linalg on tensors

//--- stablehlo.mlir
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- nothing.mlir
func.func @f(%a: index) -> index {
  return %a : index
}

//--- torch.mlir
func.func @f(%a: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> {
  return %a : !torch.vtensor<[4],f32>
}

//--- linalg.mlir
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tensor.empty() : tensor<4xf32>
  %1 = linalg.exp ins(%a : tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

//--- neither.mlir
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nothing.add %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

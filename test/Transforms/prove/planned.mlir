// RUN: rm -rf %t && mkdir %t && spyre-opt %s --spyre-pipeline='bundle=false' -o %t/planned.mlir
// RUN: spyre-opt %t/planned.mlir --spyre-prove=before=%s -o /dev/null 2>&1 | FileCheck %s
// RUN: spyre-opt %s --spyre-pipeline='bundle=false prove=true' -o %t/proved.mlir 2>&1 | FileCheck %s --check-prefix=CHAIN
// RUN: diff %t/planned.mlir %t/proved.mlir
// RUN: spyre-opt %t/planned.mlir --spyre-prove='before=%s claims=P3' -o /dev/null 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: spyre-opt %{root}/examples/plans/transformer_block.mlir --spyre-pipeline=bundle=false -o %t/block.mlir
// RUN: spyre-opt %t/block.mlir --spyre-prove='before=%{root}/examples/plans/transformer_block.mlir unknown=error' -o /dev/null 2>&1 | FileCheck %s --check-prefix=BLOCK
// RUN: spyre-opt %{root}/examples/plans/flash_hand.mlir --spyre-pipeline=bundle=false -o %t/flash.mlir
// RUN: spyre-opt %t/flash.mlir --spyre-prove='before=%{root}/examples/plans/flash_hand.mlir unknown=error' -o /dev/null 2>&1 | FileCheck %s --check-prefix=FLASH

// A planned program computes what the program before all passes computes, and its places are right. With `prove=true`
// the passes between are proved one by one, and the last pass has the claims about the plan.

//      CHECK: remark: spyre-prove: assumes (docs/Proofs.md): A1
//      CHECK: (P1 {{[1-9][0-9]*}}, P2 {{[1-9][0-9]*}}, P3 {{[1-9][0-9]*}}, P4 {{[1-9][0-9]*}}): {{[1-9][0-9]*}} proved, 0 refuted, 0 not decided
//      CHAIN: (P1 {{[1-9][0-9]*}}, P3 {{[1-9][0-9]*}}, P4 {{[1-9][0-9]*}}): {{[1-9][0-9]*}} proved, 0 refuted, 0 not decided
//  CHAIN-NOT: spyre-prove
//      ORDER: claims (P3 {{[1-9][0-9]*}}): {{[1-9][0-9]*}} proved
//      BLOCK: 31 operations, {{.*}} 0 refuted, 0 not decided
//      FLASH: 19 operations, {{.*}} 0 refuted, 0 not decided

func.func @softmax(%x: tensor<512x1024xf16> {spyre.dims = ["S", "T"]}) -> tensor<512x1024xf16> {
  %0 = spyre.max %x dims [1] keepdim : (tensor<512x1024xf16>) -> tensor<512x1xf16>
  %1 = spyre.sub %x, %0 : (tensor<512x1024xf16>, tensor<512x1xf16>) -> tensor<512x1024xf16>
  %2 = spyre.exp %1 : tensor<512x1024xf16>
  %3 = spyre.sum %2 dims [1] keepdim : (tensor<512x1024xf16>) -> tensor<512x1xf16>
  %4 = spyre.realdiv %2, %3 : (tensor<512x1024xf16>, tensor<512x1xf16>) -> tensor<512x1024xf16>
  return %4 : tensor<512x1024xf16>
}

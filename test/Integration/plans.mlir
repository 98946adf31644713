// The suite of examples/plans in a sixteenth of its rows and columns, on a card with small scratchpads: planned by default, verified, and run.

// RUN: for graph in attn_llama both_norms decode diamonds flash_hand gates gelu_mlp late_division layernorm layers logits matmul_chain \
// RUN:   norm_product norm_rows pointwise20 prompt residuals softmax swiglu_mlp transformer_block; do \
// RUN:   (echo 'module attributes {spyre.target = #spyre.target<cores = 4, lx_bytes = 32768, lx_reserved_bytes = 0, lx_backend_percent = 0>} {'; \
// RUN:    sed -e 's/2048/128/g; s/509/61/g; s/4096/256/g; s/1024/128/g; s/11008/384/g; s/32000/640/g; s/512/64/g; s/<32x/<4x/g; s/\[32, /[4, /g; s/<16x/<2x/g; s/x16x/x2x/g; s/, 16, 64\]/, 2, 64]/; s/constant 4 : index/constant 2 : index/' \
// RUN:      %{root}/examples/plans/$graph.mlir; echo '}') > %t.$graph.mlir && \
// RUN:   spyre-opt %t.$graph.mlir --spyre-pipeline=bundle=false -o %t.$graph.planned.mlir && \
// RUN:   spyre-opt %t.$graph.planned.mlir --spyre-verify-plan -o %t.verified.mlir && \
// RUN:   spyre-translate --spyre-to-bundle %t.$graph.mlir -o %t.$graph && \
// RUN:   spyre-run %t.$graph.mlir --bundle %t.$graph --compare %t.$graph.mlir --random-seed 1 --largest 0.25 --tolerance 2e-2 --poison || exit 1; \
// RUN:   done | FileCheck %s
// CHECK-COUNT-22: result {{[01]}}: 0 of {{[0-9]+}} elements differ
// CHECK-NOT: result

// Some of them are in tiles, have copies of arguments, and have divisions that were chosen together.
// RUN: FileCheck %s --check-prefix=TILED < %t.diamonds.planned.mlir
// TILED: scf.for
// RUN: FileCheck %s --check-prefix=COPIED < %t.softmax.planned.mlir
// COPIED: spyre.copy {{.*}} place lx
// RUN: FileCheck %s --check-prefix=DIVIDED < %t.norm_rows.planned.mlir
// DIVIDED: spyre.sub {{.*}} split [1, 4] place lx
// RUN: FileCheck %s --check-prefix=PARTS < %t.prompt.planned.mlir
// PARTS: spyre.silu {{.*}} split [4, 1] place lx {{[0-9]+}} : tensor<{{[0-9]+}}x384xf16
// PARTS: spyre.silu {{.*}} : tensor<{{[0-9]+}}x384xf16

// What follows K in the last stick of a product's left operand is cleared where it may be NaN (K18).

// RUN: spyre-opt %s --spyre-pad-matmul --spyre-propagate-layouts --spyre-insert-restickify --spyre-clear-tails | FileCheck %s
// RUN: spyre-opt %s --spyre-pad-matmul --spyre-propagate-layouts --spyre-insert-restickify --spyre-clear-tails --remarks-filter=spyre-clear-tails -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: spyre-opt %s --spyre-set-target='target={contract="r3"}' --spyre-pad-matmul --spyre-propagate-layouts --spyre-insert-restickify --spyre-clear-tails | FileCheck %s --check-prefix=RECORDED --implicit-check-not=spyre.where3
// RUN: spyre-run %s --entry argument --random-seed 1 --largest 0.25 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry window --random-seed 1 --largest 0.25 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry logarithm --random-seed 1 --largest 0.25 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry exponential --random-seed 1 --largest 0.25 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry softmax --random-seed 1 --largest 0.25 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry long_exponential --random-seed 1 --largest 0.25 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry two_products --random-seed 1 --largest 0.25 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// CARD: a bundle, same results on the simulated card

// A recorded revision was taken to mask the tail.
// RECORDED:     spyre.batchmatmul

// 300 times true, then 20 times false; the window of it ends where K does.
// REMARK: Function=argument | Reason="unwritten memory has the bytes of an earlier value", Remark="zeros are written after K of the left operand"
// CHECK-LABEL: func.func @argument(
// CHECK-SAME:    %[[A:[^ :]+]]: tensor<100x300xf16
// CHECK-SAME:    %[[UP_TO_K:[^ :]+]]: tensor<1x320xi1, #{{[a-z0-9]+}}> {spyre.constant = dense<"0x{{F+}}0F0000">
// CHECK-DAG:     %[[TRUE:.*]] = tensor.extract_slice %[[UP_TO_K]][0, 0] [1, 300] [1, 1]
// CHECK-DAG:     %[[ZERO:.*]] = spyre.fill dense<0.000000e+00> : tensor<1x1xf16
// CHECK:         %[[CLEARED:.*]] = spyre.where3 %[[TRUE]], %[[A]], %[[ZERO]]
// CHECK:         spyre.batchmatmul %[[CLEARED]]
func.func @argument(%a: tensor<100x300xf16>, %b: tensor<300x200xf16>) -> tensor<100x200xf16> {
  %c = spyre.batchmatmul %a, %b : (tensor<100x300xf16>, tensor<300x200xf16>) -> tensor<100x200xf16>
  return %c : tensor<100x200xf16>
}

// Whole sticks have no tail.
// CHECK-LABEL: func.func @whole_sticks(
// CHECK-NOT:     spyre.where3
// CHECK:         spyre.batchmatmul %arg0
func.func @whole_sticks(%a: tensor<100x128xf16>, %b: tensor<128x200xf16>) -> tensor<100x200xf16> {
  %c = spyre.batchmatmul %a, %b : (tensor<100x128xf16>, tensor<128x200xf16>) -> tensor<100x200xf16>
  return %c : tensor<100x200xf16>
}

// After a window are other elements, which no operation has cleared.
// REMARK: Function=window | Reason="it is a window, and other elements of its tensor follow"
// CHECK-LABEL: func.func @window(
// CHECK:         %[[WINDOW:.*]] = tensor.extract_slice %{{.+}}[0, 64] [96, 100] [1, 1]
// CHECK:         %[[CLEARED:.*]] = spyre.where3 %{{.+}}, %[[WINDOW]], %{{.+}}
// CHECK:         spyre.batchmatmul %[[CLEARED]]
func.func @window(%a: tensor<96x256xf16>, %b: tensor<100x64xf16>) -> tensor<96x64xf16> {
  %e = spyre.neg %a : tensor<96x256xf16>
  %w = tensor.extract_slice %e[0, 64] [96, 100] [1, 1] : tensor<96x256xf16> to tensor<96x100xf16>
  %c = spyre.batchmatmul %w, %b : (tensor<96x100xf16>, tensor<100x64xf16>) -> tensor<96x64xf16>
  return %c : tensor<96x64xf16>
}

// The logarithm of a negative number is NaN.
// REMARK: Function=logarithm |
// CHECK-LABEL: func.func @logarithm(
// CHECK:         %[[LOG:.*]] = spyre.log
// CHECK:         %[[CLEARED:.*]] = spyre.where3 %{{.+}}, %[[LOG]], %{{.+}}
// CHECK:         spyre.batchmatmul %[[CLEARED]]
func.func @logarithm(%a: tensor<64x100xf16>, %b: tensor<100x64xf16>) -> tensor<64x64xf16> {
  %l = spyre.log %a : tensor<64x100xf16>
  %c = spyre.batchmatmul %l, %b : (tensor<64x100xf16>, tensor<100x64xf16>) -> tensor<64x64xf16>
  return %c : tensor<64x64xf16>
}

// A masked exponential of one stick leaves numbers.
// REMARK-NOT: Function=exponential
// CHECK-LABEL: func.func @exponential(
// CHECK:         %[[EXP:.*]] = spyre.exp
// CHECK-NOT:     spyre.where3
// CHECK:         spyre.batchmatmul %[[EXP]]
func.func @exponential(%a: tensor<64x40xf16>, %b: tensor<40x64xf16>) -> tensor<64x64xf16> {
  %e = spyre.exp %a : tensor<64x40xf16>
  %c = spyre.batchmatmul %e, %b : (tensor<64x40xf16>, tensor<40x64xf16>) -> tensor<64x64xf16>
  return %c : tensor<64x64xf16>
}

// And so does what is computed of it.
// REMARK-NOT: Function=softmax
// CHECK-LABEL: func.func @softmax(
// CHECK-NOT:     spyre.where3
// CHECK:         %[[P:.*]] = spyre.realdiv
// CHECK-NOT:     spyre.where3
// CHECK:         spyre.batchmatmul %[[P]]
func.func @softmax(%x: tensor<64x40xf16>, %b: tensor<40x64xf16>) -> tensor<64x64xf16> {
  %m = spyre.max %x dims [1] keepdim : (tensor<64x40xf16>) -> tensor<64x1xf16>
  %d = spyre.sub %x, %m : (tensor<64x40xf16>, tensor<64x1xf16>) -> tensor<64x40xf16>
  %e = spyre.exp %d : tensor<64x40xf16>
  %s = spyre.sum %e dims [1] keepdim : (tensor<64x40xf16>) -> tensor<64x1xf16>
  %p = spyre.realdiv %e, %s : (tensor<64x40xf16>, tensor<64x1xf16>) -> tensor<64x40xf16>
  %c = spyre.batchmatmul %p, %b : (tensor<64x40xf16>, tensor<40x64xf16>) -> tensor<64x64xf16>
  return %c : tensor<64x64xf16>
}

// Rows of more sticks are not masked (K14).
// REMARK: Function=long_exponential |
// CHECK-LABEL: func.func @long_exponential(
// CHECK:         %[[EXP:.*]] = spyre.exp
// CHECK:         %[[CLEARED:.*]] = spyre.where3 %{{.+}}, %[[EXP]], %{{.+}}
// CHECK:         spyre.batchmatmul %[[CLEARED]]
func.func @long_exponential(%a: tensor<64x100xf16>, %b: tensor<100x64xf16>) -> tensor<64x64xf16> {
  %e = spyre.exp %a : tensor<64x100xf16>
  %c = spyre.batchmatmul %e, %b : (tensor<64x100xf16>, tensor<100x64xf16>) -> tensor<64x64xf16>
  return %c : tensor<64x64xf16>
}

// Two products of one left operand share the selection.
// REMARK-COUNT-2: Function=two_products |
// REMARK-NOT:     TailCleared
// CHECK-LABEL: func.func @two_products(
// CHECK:         %[[CLEARED:.*]] = spyre.where3 %{{.+}}, %arg0, %{{.+}}
// CHECK-NOT:     spyre.where3
// CHECK:         spyre.batchmatmul %[[CLEARED]]
// CHECK-NOT:     spyre.where3
// CHECK:         spyre.batchmatmul %[[CLEARED]]
func.func @two_products(%a: tensor<64x100xf16>, %b: tensor<100x64xf16>, %d: tensor<100x128xf16>) -> (tensor<64x64xf16>, tensor<64x128xf16>) {
  %c = spyre.batchmatmul %a, %b : (tensor<64x100xf16>, tensor<100x64xf16>) -> tensor<64x64xf16>
  %e = spyre.batchmatmul %a, %d : (tensor<64x100xf16>, tensor<100x128xf16>) -> tensor<64x128xf16>
  return %c, %e : tensor<64x64xf16>, tensor<64x128xf16>
}

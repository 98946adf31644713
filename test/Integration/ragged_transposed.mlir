// A tile of a transposed operand changes its layout, and no descriptor says where the rows of the last, shorter tile are in the
// tensor, nor those of a whole tile that less than a stick follows: planning copies them first.

// RUN: spyre-run %s --entry=scores --random-seed 1 --integers 2 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry=made_inside --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry=written --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// CHECK: spyre-scratchpad-planning{{{[^}]*}}})): same results
// CHECK: a bundle, same results on the simulated card

// RUN: spyre-opt %s --spyre-propagate-layouts --spyre-optimize-restickify --spyre-insert-restickify --coarse-tile --spyre-work-division --spyre-scratchpad-planning | FileCheck %s --check-prefix=PLANNED

#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#columns = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>

module attributes {spyre.target = #spyre.target<cores = 4>} {
// PLANNED-LABEL: func.func @scores(
// PLANNED:         scf.for
// PLANNED:           %[[TILE:.+]] = tensor.extract_slice
// PLANNED-NEXT:      spyre.restickify %[[TILE]]
// PLANNED:         %[[REST:.+]] = tensor.extract_slice
// PLANNED-NEXT:    %[[OWN:.+]] = spyre.copy %[[REST]]
// PLANNED-NEXT:    spyre.restickify %[[OWN]]
func.func @scores(%q: tensor<64x64xf16> {spyre.dims = ["S", "D"]}, %k: tensor<160x64xf16> {spyre.dims = ["T", "D"]}) -> tensor<64x160xf16> {
  %kt = spyre.permute %k [1, 0] : tensor<160x64xf16> to tensor<64x160xf16>
  %s = spyre.batchmatmul %q, %kt tile [0: "T" by 64] : (tensor<64x64xf16>, tensor<64x160xf16>) -> tensor<64x160xf16>
  %e = spyre.abs %s tile [0: "T" by 64] : tensor<64x160xf16>
  return %e : tensor<64x160xf16>
}

// What is made in the loop, is a result, and changes its layout there: it cannot be read where the result is.
// PLANNED-LABEL: func.func @made_inside(
// PLANNED:         %[[MADE:.+]] = spyre.neg {{.*}} place pool
// PLANNED:         spyre.restickify %[[MADE]]
func.func @made_inside(%a: tensor<96x64xf16, #rows> {spyre.dims = ["A", "B"]}) -> (tensor<96x64xf16, #rows>, tensor<96x64xf16, #columns>) {
  %0 = spyre.neg %a tile [0: "A" by 64] : tensor<96x64xf16, #rows>
  %1 = spyre.restickify %0 tile [0: "A" by 64] : (tensor<96x64xf16, #rows>) -> tensor<96x64xf16, #columns>
  return %0, %1 : tensor<96x64xf16, #rows>, tensor<96x64xf16, #columns>
}

// The other way round: what has another layout cannot be written where the result is.
// PLANNED-LABEL: func.func @written(
// PLANNED:           %[[MOVED:.+]] = spyre.restickify {{.*}} place pool
// PLANNED-NEXT:      %[[OUT:.+]] = spyre.copy %[[MOVED]] {{.*}} place window
// PLANNED-NEXT:      tensor.insert_slice %[[OUT]]
func.func @written(%a: tensor<96x64xf16, #columns> {spyre.dims = ["A", "B"]}) -> tensor<96x64xf16, #rows> {
  %0 = spyre.restickify %a tile [0: "A" by 64] : (tensor<96x64xf16, #columns>) -> tensor<96x64xf16, #rows>
  return %0 : tensor<96x64xf16, #rows>
}
}

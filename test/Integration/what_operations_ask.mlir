// What casts, searches, gathers and loops ask of layouts and of planning. Each program runs on the CPU before and after every pass, and
// as a bundle on the simulated card, where casts leave an order of the card's own.

// RUN: spyre-opt %s --spyre-simplify-views --spyre-propagate-layouts --spyre-optimize-restickify --spyre-insert-restickify | FileCheck %s
// RUN: spyre-run %s --entry three_of_a_stick --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' --max-ulps 4 | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry masked_in_order --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' --max-ulps 4 | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry stick_for_readers --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' --max-ulps 4 | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry one_row --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' --max-ulps 4 | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry tiles_with_room --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' --max-ulps 4 | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry searched_beside --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' --max-ulps 4 | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry positions_beside --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' --max-ulps 4 | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry table_of_parts --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' --max-ulps 4 | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry unequal_distances --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' --max-ulps 4 | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry cast_behind_insertion --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' --max-ulps 4 | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry read_behind --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline{lx=false})' --max-ulps 4 | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER

// CARD: a bundle, same results on the simulated card

// CHECK-DAG: #[[$PAIR:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32), size = [2, 6, 32], arrangement = dl16_to_fp32>

// A cast leaves three elements somewhere in two sticks: what is computed on them runs over both.
// CHECK-LABEL: func.func @three_of_a_stick(
// CHECK: spyre.add {{.*}}tensor<6x3xf32, #[[$PAIR]]>
func.func @three_of_a_stick(%a: tensor<6x3xf16>, %s: tensor<6x1xf32>) -> tensor<6x3xf16> {
  %0 = spyre.dl16tofp32 %a : (tensor<6x3xf16>) -> tensor<6x3xf32>
  %1 = spyre.add %0, %s : (tensor<6x3xf32>, tensor<6x1xf32>) -> tensor<6x3xf32>
  %2 = spyre.fp32todl16 %1 : (tensor<6x3xf32>) -> tensor<6x3xf16>
  return %2 : tensor<6x3xf16>
}

// `exp` masks what is behind the end of a dimension, by position: nothing is masked in the order of a cast.
// CHECK-LABEL: func.func @masked_in_order(
// An argument has no room for whole sticks of 16 bits, so it is copied.
// CHECK: spyre.copy {{.*}} -> tensor<5x80xf32, #[[$ROOM:layout[0-9]*]]>
// CHECK: spyre.fp32todl16
func.func @masked_in_order(%a: tensor<5x80xf32>) -> tensor<5x80xf32> {
  %0 = spyre.fp32todl16 %a : (tensor<5x80xf32>) -> tensor<5x80xf16>
  %1 = spyre.exp %0 : (tensor<5x80xf16>) -> tensor<5x80xf16>
  %2 = spyre.dl16tofp32 %1 : (tensor<5x80xf16>) -> tensor<5x80xf32>
  return %2 : tensor<5x80xf32>
}

// Behind a cast nothing changes the layout, so the column comes onto the stick before.
// CHECK-LABEL: func.func @stick_for_readers(
// CHECK: spyre.restickify
// CHECK: spyre.dl16tofp32
func.func @stick_for_readers(%a: tensor<8x96xf16>, %c: tensor<96x1xf32>) -> tensor<96x8xf16> {
  %0 = spyre.permute %a [1, 0] : tensor<8x96xf16> to tensor<96x8xf16>
  %1 = spyre.dl16tofp32 %0 : (tensor<96x8xf16>) -> tensor<96x8xf32>
  %2 = spyre.add %1, %c : (tensor<96x8xf32>, tensor<96x1xf32>) -> tensor<96x8xf32>
  %3 = spyre.fp32todl16 %2 : (tensor<96x8xf32>) -> tensor<96x8xf16>
  return %3 : tensor<96x8xf16>
}

// One row of a longer tensor.
// CHECK-LABEL: func.func @one_row(
// CHECK: spyre.dl16tofp32
func.func @one_row(%a: tensor<14x100xf16>) -> tensor<100xf16> {
  %0 = tensor.extract_slice %a[12, 0] [1, 100] [1, 1] : tensor<14x100xf16> to tensor<100xf16>
  %1 = spyre.dl16tofp32 %0 : (tensor<100xf16>) -> tensor<100xf32>
  %2 = spyre.mul %1, %1 : tensor<100xf32>
  %3 = spyre.fp32todl16 %2 : (tensor<100xf32>) -> tensor<100xf16>
  return %3 : tensor<100xf16>
}

// Tiles of a cast have room for whole sticks of 16 bits, the last one too.
// CHECK-LABEL: func.func @tiles_with_room(
// CHECK: spyre.fp32todl16
func.func @tiles_with_room(%a: tensor<4x80xf32> {spyre.dims = ["A", "B"]}) -> tensor<4x80xf32> {
  %0 = spyre.fp32todl16 %a tile [0: "B" by 64] : (tensor<4x80xf32>) -> tensor<4x80xf16>
  %1 = spyre.neg %0 tile [0: "B" by 64] : tensor<4x80xf16>
  %2 = spyre.dl16tofp32 %1 tile [0: "B" by 64] : (tensor<4x80xf16>) -> tensor<4x80xf32>
  return %2 : tensor<4x80xf32>
}

// A search finds all that is in a stick: 80 elements are searched beside it.
// CHECK-LABEL: func.func @searched_beside(
// CHECK: spyre.restickify
// CHECK: spyre.topkvalue
func.func @searched_beside(%a: tensor<6x80xf16>) -> (tensor<6x5xf16>, tensor<6x5xf16>) {
  %0 = spyre.topkvalue %a dim 1 k 5 : (tensor<6x80xf16>) -> tensor<6x5xf16>
  %1 = spyre.topkindex %a dim 1 k 5 : (tensor<6x80xf16>) -> tensor<6x5xf16>
  return %0, %1 : tensor<6x5xf16>, tensor<6x5xf16>
}

// Positions are numbers of the format of the input, in the sticks that it has.
// CHECK-LABEL: func.func @positions_beside(
// CHECK: spyre.topkindex {{.*}} -> tensor<3x2x80xf16, #{{.*}}>
func.func @positions_beside(%a: tensor<8x2x80xf16>) -> tensor<3x2x80xf16> {
  %0 = spyre.topkindex %a dim 0 k 3 : (tensor<8x2x80xf16>) -> tensor<3x2x80xf16>
  return %0 : tensor<3x2x80xf16>
}

// A table has the layout of the result, and its own coordinate for what indices choose from.
// CHECK-LABEL: func.func @table_of_parts(
// CHECK: spyre.copy
// CHECK: spyre.gather
func.func @table_of_parts(%t: tensor<128xf16>, %i: tensor<3xi32>) -> tensor<3x64xf16> {
  %0 = tensor.expand_shape %t [[0, 1]] output_shape [2, 64] : tensor<128xf16> into tensor<2x64xf16>
  %1 = spyre.gather %i, %0 dim 0 : (tensor<3xi32>, tensor<2x64xf16>) -> tensor<3x64xf16>
  return %1 : tensor<3x64xf16>
}

// A loop moves windows by equal distances, which those of three in blocks of six are not.
// CHECK-LABEL: func.func @unequal_distances(
// CHECK: spyre.copy
func.func @unequal_distances(%a: tensor<2x6x24xf16>) -> tensor<12x24xf16> {
  %0 = tensor.collapse_shape %a [[0, 1], [2]] : tensor<2x6x24xf16> into tensor<12x24xf16>
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c12 = arith.constant 12 : index
  %e = spyre.empty : tensor<12x24xf16>
  %r = scf.for %i = %c0 to %c12 step %c3 iter_args(%s = %e) -> (tensor<12x24xf16>) {
    %w = tensor.extract_slice %0[%i, 0] [3, 24] [1, 1] : tensor<12x24xf16> to tensor<3x24xf16>
    %n = spyre.neg %w : tensor<3x24xf16>
    %t = tensor.insert_slice %n into %s[%i, 0] [3, 24] [1, 1] : tensor<3x24xf16> into tensor<12x24xf16>
    scf.yield %t : tensor<12x24xf16>
  }
  return %r : tensor<12x24xf16>
}

// A value in a window of a tensor is read behind the last use of that tensor, which lives as long.
// CHECK-LABEL: func.func @read_behind(
// CHECK: spyre.neg
func.func @read_behind(%a: tensor<4x5x80x4xf16>, %b: tensor<2x5x80x4xf16>, %c: tensor<4x5x1x4xf16>) -> (tensor<2x5x80x4xf16>, tensor<4x5x80x4xf16>) {
  %0 = tensor.insert_slice %c into %a[0, 0, 55, 0] [4, 5, 1, 4] [1, 1, 1, 1] : tensor<4x5x1x4xf16> into tensor<4x5x80x4xf16>
  %1 = spyre.neg %b : tensor<2x5x80x4xf16>
  %2 = tensor.insert_slice %1 into %0[1, 0, 0, 0] [2, 5, 80, 4] [1, 1, 1, 1] : tensor<2x5x80x4xf16> into tensor<4x5x80x4xf16>
  %3 = spyre.abs %2 : tensor<4x5x80x4xf16>
  %4 = spyre.clip %3 min -1.0 max 1.0 : (tensor<4x5x80x4xf16>) -> tensor<4x5x80x4xf16>
  %5 = spyre.add %4, %4 : tensor<4x5x80x4xf16>
  return %1, %5 : tensor<2x5x80x4xf16>, tensor<4x5x80x4xf16>
}

// The window ends inside a stick, so another dimension is there, but never one of one element. What the cast leaves has an order of
// its own, so it is cast back before the host reads it.
// CHECK-LABEL: func.func @cast_behind_insertion(
// CHECK: tensor.insert_slice
// CHECK: spyre.dl16tofp32
// CHECK: spyre.fp32todl16
func.func @cast_behind_insertion(%to: tensor<8x3x1x256xf16>, %tile: tensor<8x3x1x238xf16>) -> tensor<8x3x1x256xf16> {
  %0 = tensor.insert_slice %tile into %to[0, 0, 0, 0] [8, 3, 1, 238] [1, 1, 1, 1] : tensor<8x3x1x238xf16> into tensor<8x3x1x256xf16>
  %1 = spyre.dl16tofp32 %0 : (tensor<8x3x1x256xf16>) -> tensor<8x3x1x256xf32>
  %2 = spyre.mul %1, %1 : tensor<8x3x1x256xf32>
  %3 = spyre.fp32todl16 %2 : (tensor<8x3x1x256xf32>) -> tensor<8x3x1x256xf16>
  return %3 : tensor<8x3x1x256xf16>
}

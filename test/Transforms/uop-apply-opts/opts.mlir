// Optimisations of tinyspec become tiles, cores and padding of structured operations, and the loops compute the same.

// RUN: spyre-opt %s --uop-apply-opts | FileCheck %s
// RUN: spyre-opt %s --uop-apply-opts --spyre-import-linalg | FileCheck %s --check-prefix=DEVICE
// RUN: spyre-opt %s --uop-apply-opts --spyre-import-linalg --spyre-assign-dim-hints --coarse-tile | FileCheck %s --check-prefix=LOOPS
// RUN: spyre-run %s --entry table --random-seed 1 --passes=uop-apply-opts,spyre-import-linalg,spyre-pipeline 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry swapped --random-seed 1 --passes=uop-apply-opts,spyre-import-linalg,spyre-pipeline 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry padded --random-seed 1 --passes=uop-apply-opts,spyre-import-linalg,spyre-pipeline 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry product --random-seed 1 --integers 3 --passes=uop-apply-opts,spyre-import-linalg,spyre-pipeline 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry largest --random-seed 1 --special-values --passes=uop-apply-opts,spyre-import-linalg,spyre-pipeline 2>/dev/null | FileCheck %s --check-prefix=CARD
// CARD: a bundle, same results on the simulated card

#all = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>

// The worked table: [1024, 4096], [512, 4096, 2], [512, 1024, 2, 4]. Cores divide what is left of the rows, and the stick is there.
// CHECK-LABEL: func.func @table(
// CHECK:         linalg.generic
// CHECK-SAME:      spyre.divide = [#spyre.divide_hint<"d0" over 32>]
// CHECK-SAME:      spyre.tile = [#spyre.tile_hint<0 : "d0" in 2>, #spyre.tile_hint<1 : "d1" in 4>]
// CHECK-SAME:      uop.axes = [#uop.axis<16 loop of 0 step 1>, #uop.axis<16 loop of 1 step 64>, #uop.axis<2 loop of 0 step 512>,
// CHECK-SAME:        #uop.axis<4 loop of 1 step 1024>, #uop.axis<32 thread of 0 step 16>, #uop.axis<64 upcast of 1 step 1>]
// CHECK-NOT:     uop.opts
// DEVICE-LABEL: func.func @table(
// DEVICE:         spyre.add {{.*}} tile [0: "dim0" in 2, 1: "dim1" in 4] divide ["dim0" over 32]
// LOOPS-LABEL: func.func @table(
// LOOPS:         scf.for {{.*}} to %c2
// LOOPS:           scf.for {{.*}} to %c4
// LOOPS:             spyre.add {{.*}} split [32, 1] {{.*}}512x1024xf16
// LOOPS-NOT:         scf.for
// LOOPS:         return
func.func @table(%x: tensor<1024x4096xf16>, %y: tensor<1024x4096xf16>) -> tensor<1024x4096xf16> {
  %e = tensor.empty() : tensor<1024x4096xf16>
  %0 = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<1024x4096xf16>, tensor<1024x4096xf16>) outs(%e : tensor<1024x4096xf16>)
      attrs = {uop.opts = [#uop.split<0 by 2 to loop top>, #uop.split<1 by 4 to loop top>, #uop.split<0 by 32 to thread top>,
                           #uop.split<1 by 64 to upcast inner>]} {
  ^bb0(%a: f16, %b: f16, %o: f16):
    %s = arith.addf %a, %b : f16
    linalg.yield %s : f16
  } -> tensor<1024x4096xf16>
  return %0 : tensor<1024x4096xf16>
}

// Two operations with equal splits are one nest, and a swap puts the columns outside.
// CHECK-LABEL: func.func @swapped(
// CHECK-COUNT-2: spyre.tile = [#spyre.tile_hint<0 : "d1" in 4>, #spyre.tile_hint<1 : "d0" in 2>]
// LOOPS-LABEL: func.func @swapped(
// LOOPS:         scf.for {{.*}} to %c4
// LOOPS:           scf.for {{.*}} to %c2
// LOOPS:             spyre.add {{.*}}32x64xf16
// LOOPS:             spyre.mul {{.*}}32x64xf16
// LOOPS-NOT:         scf.for
// LOOPS:         return
func.func @swapped(%x: tensor<64x256xf16>, %y: tensor<64x256xf16>) -> tensor<64x256xf16> {
  %e = tensor.empty() : tensor<64x256xf16>
  %0 = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"],
      uop.opts = [#uop.split<0 by 2 to loop top>, #uop.split<1 by 4 to loop top>, #uop.swap<2 with 3>]}
      ins(%x, %y : tensor<64x256xf16>, tensor<64x256xf16>) outs(%e : tensor<64x256xf16>) {
  ^bb0(%a: f16, %b: f16, %o: f16):
    %s = arith.addf %a, %b : f16
    linalg.yield %s : f16
  } -> tensor<64x256xf16>
  %1 = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"],
      uop.opts = [#uop.split<0 by 2 to loop top>, #uop.split<1 by 4 to loop top>, #uop.swap<2 with 3>]}
      ins(%0, %y : tensor<64x256xf16>, tensor<64x256xf16>) outs(%e : tensor<64x256xf16>) {
  ^bb0(%a: f16, %b: f16, %o: f16):
    %s = arith.mulf %a, %b : f16
    linalg.yield %s : f16
  } -> tensor<64x256xf16>
  return %1 : tensor<64x256xf16>
}

// 50 rows are 52 with the padding, which 4 divides.
// CHECK-LABEL: func.func @padded(
// CHECK:         tensor.pad %{{.*}} low[0, 0] high[2, 0]
// CHECK:         %[[R:.*]] = linalg.generic {{.*}}spyre.tile = [#spyre.tile_hint<0 : "d0" in 4>]{{.*}}#uop.axis<13 loop of 0 step 1>
// CHECK:         tensor.extract_slice %[[R]][0, 0] [50, 128] [1, 1]
// LOOPS-LABEL: func.func @padded(
// LOOPS:         scf.for {{.*}} to %c4
// LOOPS:           spyre.exp {{.*}}13x128xf16
// LOOPS:         return
func.func @padded(%x: tensor<50x128xf16>) -> tensor<50x128xf16> {
  %e = tensor.empty() : tensor<50x128xf16>
  %0 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"],
      uop.opts = [#uop.padto<0 to 4>, #uop.split<0 by 4 to loop top>]}
      ins(%x : tensor<50x128xf16>) outs(%e : tensor<50x128xf16>) {
  ^bb0(%a: f16, %o: f16):
    %s = math.exp %a : f16
    linalg.yield %s : f16
  } -> tensor<50x128xf16>
  return %0 : tensor<50x128xf16>
}

// A sum of products of zeros is 0: 100 terms are 128, in 2 parts.
// CHECK-LABEL: func.func @product(
// CHECK:         tensor.pad %{{.*}} low[0, 0] high[0, 28]
// CHECK:         tensor.pad %{{.*}} low[0, 0] high[28, 0]
// CHECK:         linalg.generic {{.*}}#spyre.tile_hint<0 : "d2" in 2>{{.*}}#uop.axis<64 reduce of 2 step 1>, #uop.axis<2 reduce of 2 step 64>]
// CHECK-NOT:     tensor.extract_slice
// CHECK:         return
// LOOPS-LABEL: func.func @product(
// LOOPS:         scf.for {{.*}} to %c2
// LOOPS:           spyre.batchmatmul {{.*}} : tensor<64x64xf16>
// LOOPS:         return
func.func @product(%x: tensor<64x100xf16>, %y: tensor<100x64xf16>) -> tensor<64x64xf16> {
  %c = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<64x64xf16>
  %f = linalg.fill ins(%c : f16) outs(%e : tensor<64x64xf16>) -> tensor<64x64xf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel", "reduction"], uop.opts = [#uop.padto<2 to 64>, #uop.split<2 by 2 to reduce top>]}
      ins(%x, %y : tensor<64x100xf16>, tensor<100x64xf16>) outs(%f : tensor<64x64xf16>) {
  ^bb0(%a: f16, %b: f16, %o: f16):
    %p = arith.mulf %a, %b : f16
    %s = arith.addf %o, %p : f16
    linalg.yield %s : f16
  } -> tensor<64x64xf16>
  return %0 : tensor<64x64xf16>
}

// A maximum is padded with the negative infinity.
// CHECK-LABEL: func.func @largest(
// CHECK:         %[[LEAST:.*]] = arith.constant 0xFC00 : f16
// CHECK:         tensor.pad %{{.*}} low[0, 0] high[0, 28]
// CHECK:           tensor.yield %[[LEAST]]
func.func @largest(%x: tensor<64x100xf16>) -> tensor<64xf16> {
  %c = arith.constant 0xFC00 : f16
  %e = tensor.empty() : tensor<64xf16>
  %f = linalg.fill ins(%c : f16) outs(%e : tensor<64xf16>) -> tensor<64xf16>
  %0 = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"],
      uop.opts = [#uop.padto<1 to 64>]} ins(%x : tensor<64x100xf16>) outs(%f : tensor<64xf16>) {
  ^bb0(%a: f16, %o: f16):
    %s = arith.maxnumf %o, %a : f16
    linalg.yield %s : f16
  } -> tensor<64xf16>
  return %0 : tensor<64xf16>
}

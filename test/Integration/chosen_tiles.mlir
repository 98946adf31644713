// Tiles that --spyre-choose-tiles chooses: the same results in every bit, and the bytes through device memory that it says.

// RUN: spyre-opt %s --spyre-pad-matmul --spyre-propagate-layouts --spyre-optimize-restickify --spyre-insert-restickify -o %t.laid-out.mlir
// RUN: spyre-opt %t.laid-out.mlir --spyre-choose-tiles --remarks-filter=spyre-choose-tiles --mlir-disable-threading -o %t.chosen.mlir 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: spyre-opt %t.chosen.mlir --coarse-tile | FileCheck %s --check-prefix=TILED
// SAID: [Passed] ChosenForTraffic | {{.*}} Function=chain | {{.*}} Tiles="10000: "S" in 4"
// SAID: [Analysis] Traffic | {{.*}} Function=chain | {{.*}} Tiled=786432, Untiled=2097152,
// SAID: [Passed] ChosenForTraffic | {{.*}} Function=attention | {{.*}} Operations=5, {{.*}} Tiles="10000: "auto0" in 16"
// SAID: [Analysis] Traffic | {{.*}} Function=attention | {{.*}} Tiled=3276800, Untiled=5898240,
// TILED-LABEL: func.func @chain(
// TILED: scf.for
// TILED-LABEL: func.func @attention(
// TILED: spyre.batchmatmul {{.*}}tensor<512x512xf16
// TILED: scf.for
// TILED: spyre.max {{.*}}tensor<32x512xf16

// The bundles without and with them. Bytes read and written are together what was said.
// RUN: rm -rf %t.0 %t.1 %t.2 %t.3
// RUN: spyre-opt %t.laid-out.mlir --symbol-privatize=exclude=chain --symbol-dce -o %t.chain.mlir
// RUN: spyre-opt %t.chosen.mlir --symbol-privatize=exclude=chain --symbol-dce -o %t.chain.chosen.mlir
// RUN: spyre-opt %t.chain.mlir --spyre-pipeline=plan=false | spyre-translate --spyre-to-bundle -o %t.0
// RUN: spyre-run %t.chain.mlir --bundle %t.0 --compare %t.chain.mlir --random-seed 1 --special-values --stats 2>&1 | FileCheck %s --check-prefix=CHAIN
// RUN: spyre-translate --spyre-to-bundle %t.chain.chosen.mlir -o %t.1
// RUN: spyre-run %t.chain.mlir --bundle %t.1 --compare %t.chain.mlir --random-seed 1 --special-values --stats 2>&1 | FileCheck %s --check-prefix=CHAIN-CHOSEN
// CHAIN-DAG: HBM: 1310720 bytes read, 786432 bytes written
// CHAIN-DAG: result 0: 0 of 131072 elements differ
// CHAIN-CHOSEN-DAG: HBM: 524288 bytes read, 262144 bytes written
// CHAIN-CHOSEN-DAG: LX peak: 32768 bytes
// CHAIN-CHOSEN-DAG: result 0: 0 of 131072 elements differ

// RUN: spyre-opt %t.laid-out.mlir --symbol-privatize=exclude=attention --symbol-dce -o %t.attention.mlir
// RUN: spyre-opt %t.chosen.mlir --symbol-privatize=exclude=attention --symbol-dce -o %t.attention.chosen.mlir
// RUN: spyre-opt %t.attention.mlir --spyre-pipeline=plan=false | spyre-translate --spyre-to-bundle -o %t.2
// RUN: spyre-run %t.attention.mlir --bundle %t.2 --compare %t.attention.mlir --random-seed 1 --stats 2>&1 | FileCheck %s --check-prefix=ATTENTION
// RUN: spyre-translate --spyre-to-bundle %t.attention.chosen.mlir -o %t.3
// RUN: spyre-run %t.attention.mlir --bundle %t.3 --compare %t.attention.mlir --random-seed 1 --stats 2>&1 | FileCheck %s --check-prefix=ATTENTION-CHOSEN
// ATTENTION-DAG: HBM: 3735552 bytes read, 2162688 bytes written
// ATTENTION-DAG: result 0: 0 of 32768 elements differ
// ATTENTION-CHOSEN-DAG: HBM: 2162688 bytes read, 1114112 bytes written
// ATTENTION-CHOSEN-DAG: result 0: 0 of 32768 elements differ

// In front of the pipeline, at every level.
// RUN: spyre-opt %s --symbol-privatize=exclude=chain --symbol-dce -o %t.plain.mlir
// RUN: spyre-run %t.plain.mlir --check-pipeline='builtin.module(func.func(spyre-choose-tiles),spyre-pipeline)' --random-seed 2 --special-values 2>&1 | FileCheck %s --check-prefix=CHECKED
// CHECKED-NOT: DIFFER
// CHECKED: builtin.module(convert-spyre-to-sdscbundle{share-files=false}): a bundle, same results on the simulated card

// For spans alone, with a limit of 32 KiB.
// RUN: sed 's/lx_bytes = 32768/lx_bytes = 32768, span_limit_bytes = 32768/' %t.chain.mlir | spyre-opt --spyre-choose-tiles=goal=span -o %t.span.mlir
// RUN: FileCheck %s --check-prefix=SPAN --input-file %t.span.mlir
// SPAN-COUNT-3: tile [10000: "E" in 4, 10001: "S" in 2]
// RUN: spyre-opt %t.span.mlir --coarse-tile -o %t.span.tiled.mlir
// RUN: spyre-run %t.chain.mlir --compare %t.span.tiled.mlir --random-seed 3 --special-values --poison | FileCheck %s --check-prefix=SAME
// SAME: result 0: 0 of 131072 elements differ

module attributes {spyre.target = #spyre.target<cores = 4, lx_bytes = 32768, lx_reserved_bytes = 0, lx_backend_percent = 0>} {

func.func @chain(%x: tensor<512x256xf16> {spyre.dims = ["S", "E"]}, %y: tensor<512x256xf16>) -> tensor<512x256xf16> {
  %a = spyre.add %x, %y : tensor<512x256xf16>
  %b = spyre.exp %a : tensor<512x256xf16>
  %c = spyre.mul %a, %b : tensor<512x256xf16>
  return %c : tensor<512x256xf16>
}

func.func @attention(%q: tensor<512x64xf16>, %k: tensor<64x512xf16>, %v: tensor<512x64xf16>) -> tensor<512x64xf16> {
  %s = spyre.batchmatmul %q, %k : (tensor<512x64xf16>, tensor<64x512xf16>) -> tensor<512x512xf16>
  %m = spyre.max %s dims [1] keepdim : (tensor<512x512xf16>) -> tensor<512x1xf16>
  %d = spyre.sub %s, %m : (tensor<512x512xf16>, tensor<512x1xf16>) -> tensor<512x512xf16>
  %e = spyre.exp %d : tensor<512x512xf16>
  %z = spyre.sum %e dims [1] keepdim : (tensor<512x512xf16>) -> tensor<512x1xf16>
  %p = spyre.realdiv %e, %z : (tensor<512x512xf16>, tensor<512x1xf16>) -> tensor<512x512xf16>
  %o = spyre.batchmatmul %p, %v : (tensor<512x512xf16>, tensor<512x64xf16>) -> tensor<512x64xf16>
  return %o : tensor<512x64xf16>
}

}

// Options of the pipeline: without tiling, without the scratchpad, for another machine. The results stay.

// RUN: spyre-opt %s --spyre-pipeline | FileCheck %s --check-prefixes=BOTH,LX
// BOTH-DAG: scf.for
// LX-DAG: out lx 0
// RUN: spyre-opt %s --spyre-pipeline=coarse-tile=false | FileCheck %s --check-prefix=FLAT
// FLAT-NOT: scf.for
// FLAT: func.func @sdsc_bundle
// FLAT-NOT: scf.for
// RUN: spyre-opt %s --spyre-pipeline=lx=false | FileCheck %s --check-prefixes=BOTH,NOLX --implicit-check-not='out lx'
// NOLX-DAG: out pool 0

// A machine without a scratchpad, from the command line or from the module.
// RUN: spyre-opt %s '--spyre-pipeline=target={cores = 4, lx_bytes = 0}' | FileCheck %s --check-prefixes=BOTH,NOLX,FOUR --implicit-check-not='out lx'
// FOUR-DAG: over 4>
// RUN: spyre-opt %s --spyre-set-target=target=cores=4,lx_bytes=0 | spyre-opt --spyre-pipeline | FileCheck %s --check-prefixes=BOTH,NOLX,FOUR --implicit-check-not='out lx'

// RUN: spyre-run %s --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline{lx=false})' | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// RUN: spyre-run %s --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline{coarse-tile=false})' | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// RUN: spyre-run %s --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline{target={cores=4,lx_bytes=0}})' | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// SAME: convert-spyre-to-sdscbundle{{.*}}: a bundle, same results on the simulated card

// RUN: not spyre-opt %s --spyre-pipeline=tile=false 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: no such option tile
// RUN: spyre-opt --help | FileCheck %s --check-prefix=HELP
// HELP: --spyre-pipeline
// HELP: --coarse-tile
// HELP: --lx
// HELP: --target

func.func @f(%a: tensor<256x256xf16> {spyre.dims = ["A", "B"]}, %b: tensor<256x256xf16> {spyre.dims = ["A", "B"]})
    -> tensor<256x256xf16> attributes {spyre.tile_scopes = [#spyre.tile_scope<"A" in 2>]} {
  %0 = spyre.add %a, %b : tensor<256x256xf16>
  %1 = spyre.exp %0 : tensor<256x256xf16>
  return %1 : tensor<256x256xf16>
}

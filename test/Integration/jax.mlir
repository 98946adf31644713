// Models of JAX (examples/jax/models.py), as linalg with names and hints by hand. Each runs wholly on the simulated card, computes
// what upstream's lowering computes on the CPU, and "distinct" are the bytes of device memory that it moves with its hints and without,
// with what both cores read in one execution counted once.

// CARD: host: 0 elements

// RUN: sed 's/{spyre.tile_scopes = .*{$/{spyre.tile_scopes = []} {/' %{root}/examples/jax/mlp.mlir > %t.mlp.mlir
// RUN: FileCheck %s --check-prefix=UNHINTED --input-file %t.mlp.mlir
// RUN: spyre-run %t.mlp.mlir --on=card --compare %{root}/examples/jax/mlp.mlir --random-seed 1 --largest 0.25 --tolerance 3e-2 --stats 2>&1 | FileCheck %s --check-prefixes=CARD,MLP-WHOLE
// RUN: spyre-run %{root}/examples/jax/mlp.mlir --on=card --compare %t.mlp.mlir --random-seed 1 --largest 0.25 --tolerance 3e-2 --stats 2>&1 | FileCheck %s --check-prefixes=CARD,MLP-TILED
// MLP-WHOLE: in 0 iterations of loops
// MLP-WHOLE: HBM distinct: 1049344 bytes read, 917504 bytes written
// MLP-WHOLE: result 0: 0 of 65536 elements differ
// MLP-TILED: in {{[1-9][0-9]*}} iterations of loops
// MLP-TILED: HBM distinct: 658432 bytes read, 131072 bytes written
// MLP-TILED: result 0: 0 of 65536 elements differ

// RUN: sed 's/{spyre.tile_scopes = .*{$/{spyre.tile_scopes = []} {/' %{root}/examples/jax/attention.mlir > %t.attention.mlir
// RUN: FileCheck %s --check-prefix=UNHINTED --input-file %t.attention.mlir
// RUN: spyre-run %t.attention.mlir --on=card --compare %{root}/examples/jax/attention.mlir --random-seed 1 --largest 0.25 --tolerance 3e-2 --stats 2>&1 | FileCheck %s --check-prefixes=CARD,ATTENTION-WHOLE
// RUN: spyre-run %{root}/examples/jax/attention.mlir --on=card --compare %t.attention.mlir --random-seed 1 --largest 0.25 --tolerance 3e-2 --stats 2>&1 | FileCheck %s --check-prefixes=CARD,ATTENTION-TILED
// ATTENTION-WHOLE: in 0 iterations of loops
// ATTENTION-WHOLE: HBM distinct: 426240 bytes read, 262144 bytes written
// ATTENTION-WHOLE: result 0: 0 of 32768 elements differ
// ATTENTION-TILED: in {{[1-9][0-9]*}} iterations of loops
// ATTENTION-TILED: HBM distinct: 426496 bytes read, 131072 bytes written
// ATTENTION-TILED: result 0: 0 of 32768 elements differ

// RUN: sed 's/{spyre.tile_scopes = .*{$/{spyre.tile_scopes = []} {/' %{root}/examples/jax/decoder.mlir > %t.decoder.mlir
// RUN: FileCheck %s --check-prefix=UNHINTED --input-file %t.decoder.mlir
// RUN: spyre-run %t.decoder.mlir --on=card --compare %{root}/examples/jax/decoder.mlir --random-seed 1 --largest 0.25 --tolerance 3e-2 --stats 2>&1 | FileCheck %s --check-prefixes=CARD,DECODER-WHOLE
// RUN: spyre-run %{root}/examples/jax/decoder.mlir --on=card --compare %t.decoder.mlir --random-seed 1 --largest 0.25 --tolerance 3e-2 --stats 2>&1 | FileCheck %s --check-prefixes=CARD,DECODER-TILED
// DECODER-WHOLE: in 0 iterations of loops
// DECODER-WHOLE: HBM distinct: 3376640 bytes read, 1376256 bytes written
// DECODER-WHOLE: result 0: 0 of 32768 elements differ
// DECODER-TILED: in {{[1-9][0-9]*}} iterations of loops
// DECODER-TILED: HBM distinct: 4221952 bytes read, 1171456 bytes written
// DECODER-TILED: result 0: 0 of 32768 elements differ

// RUN: sed 's/{spyre.tile_scopes = .*{$/{spyre.tile_scopes = []} {/' %{root}/examples/jax/encoder.mlir > %t.encoder.mlir
// RUN: FileCheck %s --check-prefix=UNHINTED --input-file %t.encoder.mlir
// RUN: spyre-run %t.encoder.mlir --on=card --compare %{root}/examples/jax/encoder.mlir --random-seed 1 --largest 0.25 --tolerance 3e-2 --stats 2>&1 | FileCheck %s --check-prefixes=CARD,ENCODER-WHOLE
// RUN: spyre-run %{root}/examples/jax/encoder.mlir --on=card --compare %t.encoder.mlir --random-seed 1 --largest 0.25 --tolerance 3e-2 --stats 2>&1 | FileCheck %s --check-prefixes=CARD,ENCODER-TILED
// ENCODER-WHOLE: in 0 iterations of loops
// ENCODER-WHOLE: HBM distinct: 1838720 bytes read, 655360 bytes written
// ENCODER-WHOLE: result 0: 0 of 32768 elements differ
// ENCODER-TILED: in {{[1-9][0-9]*}} iterations of loops
// ENCODER-TILED: HBM distinct: 2301184 bytes read, 262144 bytes written
// ENCODER-TILED: result 0: 0 of 32768 elements differ

// RUN: sed 's/{spyre.tile_scopes = .*{$/{spyre.tile_scopes = []} {/' %{root}/examples/jax/convnet.mlir > %t.convnet.mlir
// RUN: FileCheck %s --check-prefix=UNHINTED --input-file %t.convnet.mlir
// RUN: spyre-run %t.convnet.mlir --on=card --compare %{root}/examples/jax/convnet.mlir --random-seed 1 --largest 0.25 --tolerance 3e-2 --stats 2>&1 | FileCheck %s --check-prefixes=CARD,CONVNET-WHOLE
// RUN: spyre-run %{root}/examples/jax/convnet.mlir --on=card --compare %t.convnet.mlir --random-seed 1 --largest 0.25 --tolerance 3e-2 --stats 2>&1 | FileCheck %s --check-prefixes=CARD,CONVNET-TILED
// CONVNET-WHOLE: in 0 iterations of loops
// CONVNET-WHOLE: HBM distinct: 2473856 bytes read, 1700096 bytes written
// CONVNET-WHOLE: result 0: 0 of 128 elements differ
// CONVNET-TILED: in {{[1-9][0-9]*}} iterations of loops
// CONVNET-TILED: HBM distinct: 2601984 bytes read, 1815040 bytes written
// CONVNET-TILED: result 0: 0 of 128 elements differ

// UNHINTED-NOT: #spyre.tile

// The bundle of a model and what launches it.
// RUN: spyre-opt --spyre-import-linalg=host=true %{root}/examples/jax/encoder.mlir -o %t.outlined.mlir
// RUN: rm -rf %t.bundle && spyre-translate --spyre-to-bundle %t.outlined.mlir -o %t.bundle
// RUN: FileCheck %s --check-prefix=LAUNCH --input-file %t.bundle/launch.json
// RUN: spyre-translate --verify-bundle %t.bundle/encoder_device_0
// LAUNCH: encoder_device_0

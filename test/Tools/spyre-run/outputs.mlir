// The results of a run are written together: where one file cannot be written, none is.

// RUN: rm -rf %t && mkdir %t
// RUN: not spyre-run %s --random-seed 1 -o %t/a.npy -o %t/missing/b.npy 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: {{.*}}missing/b.npy: No such file or directory
// RUN: ls -A %t | count 0
// RUN: spyre-run %s --random-seed 1 -o %t/a.npy -o %t/b.npy && ls %t/a.npy %t/b.npy

// So is the memory of a bundle's arguments, and the files are counted before the run.
// RUN: spyre-translate bundle %s -o %t/bundle && rm %t/*.npy
// RUN: not spyre-run --bundle %t/bundle --random-seed 1 -o %t/a.npy -o %t/missing/b.bin 2>&1 | FileCheck %s --check-prefix=BUNDLE
// BUNDLE: error: {{.*}}missing/b.bin: No such file or directory
// RUN: not ls %t/a.npy
// RUN: not spyre-run --bundle %t/bundle --random-seed 1 -o %t/a.npy --stats 2>&1 | FileCheck %s --check-prefix=COUNT --implicit-check-not=executions
// COUNT: error: the bundle writes 2 kernel arguments, [1, 2], but there are 1 --output files

func.func @f(%a: tensor<64x64xf16>) -> (tensor<64x64xf16>, tensor<64x64xf16>) {
  %x = spyre.exp %a : tensor<64x64xf16>
  %y = spyre.neg %a : tensor<64x64xf16>
  return %x, %y : tensor<64x64xf16>, tensor<64x64xf16>
}

// The files of a bundle are files: a pipe waits for a writer, and a device never ends.

// RUN: rm -rf %t && spyre-translate --spyre-to-bundle %s -o %t/bundle
// RUN: mv %t/bundle/sdsc_0.json %t/real.json && mkfifo %t/bundle/sdsc_0.json
// RUN: not timeout 20 spyre-run %s --bundle %t/bundle --random-seed 1 2>&1 | FileCheck %s --check-prefix=PIPE
// PIPE: error: {{.*}}sdsc_0.json: is not a file
// RUN: rm %t/bundle/sdsc_0.json && ln -s /dev/zero %t/bundle/sdsc_0.json
// RUN: not timeout 20 spyre-run %s --bundle %t/bundle --random-seed 1 2>&1 | FileCheck %s --check-prefix=PIPE
// A link to a file is as good as the file.
// RUN: rm %t/bundle/sdsc_0.json && ln -s %t/real.json %t/bundle/sdsc_0.json
// RUN: spyre-run %s --bundle %t/bundle --random-seed 1 | FileCheck %s
// CHECK: result 0: tensor<64x64xf16>

// Inputs, too.
// RUN: mkfifo %t/input.npy
// RUN: not timeout 20 spyre-run %s --input %t/input.npy 2>&1 | FileCheck %s --check-prefix=INPUT
// INPUT: error: {{.*}}input.npy: is not a file

!t = tensor<64x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>

func.func @f(%a: !t) -> !t {
  %0 = spyre.abs %a : !t
  return %0 : !t
}

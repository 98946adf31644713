// RUN: not spyre-opt %s --spyre-prove --split-input-file -o /dev/null 2>&1 | FileCheck %s

// Plans with a fault each: the witness is at the operation that reads, with a note at the one that has overwritten.
// 2048 bytes of scratchpad on each of 2 cores; a tensor of 16 x 64 takes 1024 of them.

!t = tensor<16x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>
module attributes {spyre.target = #spyre.target<cores = 2, lx_bytes = 2048, lx_reserved_bytes = 0, lx_backend_percent = 0>} {
// CHECK: [[#@LINE+4]]:8: error: spyre-prove: P3:
func.func @written_over(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %0 = spyre.exp %a split [2, 1] place lx 0 : !t
  %1 = spyre.neg %a split [2, 1] place lx 128 : !t
  %2 = spyre.add %0, %1 split [2, 1] place arg 1 : !t
  return %2 : !t
}
}

// -----

!t = tensor<16x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>
module attributes {spyre.target = #spyre.target<cores = 2, lx_bytes = 2048, lx_reserved_bytes = 0, lx_backend_percent = 0>} {
// CHECK: [[#@LINE+2]]:8: error: spyre-prove: P4:
func.func @beyond(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %0 = spyre.exp %a split [2, 1] place lx 1152 : !t
  %1 = spyre.neg %0 split [2, 1] place arg 1 : !t
  return %1 : !t
}
}

// -----

!t = tensor<16x128xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>
// CHECK: [[#@LINE+3]]:8: error: spyre-prove: P4: {{.*}}core
func.func @other_slices(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %0 = spyre.exp %a split [2, 1] place lx 0 : !t
  %1 = spyre.neg %0 split [1, 2] place arg 1 : !t
  return %1 : !t
}

// RUN: not spyre-opt %s --spyre-prove --split-input-file -o /dev/null 2>&1 | FileCheck %s

// An argument is the caller's, also after the last time that the function reads it.

!t = tensor<16x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>
// CHECK: [[#@LINE+3]]:8: error: spyre-prove: P4: result 0: the operation writes bytes 0 to 2048 of argument 0, which the caller keeps: no result of the function has its place
// CHECK: [[#@LINE+1]]:1: note: the argument is here
func.func @overwritten(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %0 = spyre.exp %a split [2, 1] place arg 0 : !t
  %1 = spyre.neg %0 split [2, 1] place arg 1 : !t
  return %1 : !t
}

// -----

!t = tensor<16x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>
// An intermediate may be in the place of a result.
// CHECK: 2 operations, {{.*}} 0 refuted, 0 not decided
func.func @in_the_result(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %0 = spyre.exp %a split [2, 1] place arg 1 : !t
  %1 = spyre.neg %0 split [2, 1] place arg 1 : !t
  return %1 : !t
}

// -----

!t = tensor<16x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>
func.func @no_such_result(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  // CHECK: [[#@LINE+1]]:8: error: spyre-prove: P4: place arg 2: the function has 1 arguments and 1 results, which are numbered from 0
  %0 = spyre.exp %a split [2, 1] place arg 2 : !t
  return %0 : !t
}

// -----

!t = tensor<16x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>
// CHECK: [[#@LINE+1]]:1: error: spyre-prove: P4: place arg 2147483647: the function has 1 arguments and 1 results, which are numbered from 0
func.func @no_such_argument(%a: !t {spyre.place = #spyre.place<arg 2147483647>}) -> !t {
  %0 = spyre.exp %a split [2, 1] place arg 1 : !t
  return %0 : !t
}

// RUN: sed -e '/%n = /d' -e 's/^  %w = \(.*\)/  %w = \1\n  %n = spyre.neg %a split [4, 1] place arg 2 : tensor<4x64xf16, #layout>/' %s > %t.later.mlir
// RUN: spyre-opt %s --spyre-prove -o /dev/null 2>&1 | FileCheck %s
// RUN: not spyre-opt %t.later.mlir --spyre-prove -o /dev/null 2>&1 | FileCheck %s --check-prefix=LATER

// A window is written in a tensor after the tensor is: in the other order, the tensor takes its place.

// CHECK: remark: spyre-prove: {{.*}} 0 refuted, 0 not decided
// LATER: error: spyre-prove: P3: {{.*}}'neg' writes the whole tensor after the window of 'exp' in it, which is lost
// LATER: note: the tensor is computed here

#layout = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
func.func @f(%a: tensor<4x64xf16, #layout> {spyre.place = #spyre.place<arg 0>}, %b: tensor<2x64xf16, #layout> {spyre.place = #spyre.place<arg 1>}) -> tensor<4x64xf16, #layout> {
  %n = spyre.neg %a split [4, 1] place arg 2 : tensor<4x64xf16, #layout>
  %w = spyre.exp %b split [2, 1] place window : tensor<2x64xf16, #layout>
  %r = tensor.insert_slice %w into %n[0, 0] [2, 64] [1, 1] : tensor<2x64xf16, #layout> into tensor<4x64xf16, #layout>
  return %r : tensor<4x64xf16, #layout>
}

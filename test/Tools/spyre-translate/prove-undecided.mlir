// RUN: rm -rf %t && spyre-translate bundle %s -o %t
// RUN: spyre-translate prove %t %s 2> %t.txt || test $? -eq 2
// RUN: FileCheck %s --input-file %t.txt

// The arrangement of the moments of a row is not modelled: the exit status is 2, and not that of a proof.

// CHECK: [[#@LINE+4]]:8: remark: prove: P5: sdsc_0.json is not decided: the arrangement of elements of the moments of a row is not modelled
// CHECK: 0 refuted, {{[1-9][0-9]*}} not decided

func.func @moments(%x: tensor<128x256xf16>) -> tensor<128x1xf16> {
  %e = spyre.exx2 %x : (tensor<128x256xf16>) -> tensor<128x2xf16>
  %s = spyre.layernormscale %e eps 1.0e-5 : (tensor<128x2xf16>) -> tensor<128x1xf16>
  return %s : tensor<128x1xf16>
}

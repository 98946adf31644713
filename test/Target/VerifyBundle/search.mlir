// A search for one element, of rows with one element in each stick: the dimension on the stick has no extent, and what counts its
// sticks has factor 1 all the same (K57). The tool has no warning about what it has written.

// RUN: spyre-translate --spyre-to-bundle %s -o %t
// RUN: not grep '"factor_": 0' %t/sdsc_0.json
// RUN: spyre-translate --verify-bundle %t 2>&1 | FileCheck %s
// CHECK-NOT: VB67
// CHECK: 1 file, 1 operation, 0 loops, 2 parameters, 0 warnings

// Factor 0 is an error.
// RUN: sed -i '/"factor_": 1,/{N;/elem_arr_1/s/"factor_": 1/"factor_": 0/}' %t/sdsc_0.json
// RUN: not spyre-translate --verify-bundle %t 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: {{.*}}K57

#one_each = #spyre.layout<(d0, d1) -> (d1, 0, d0, 0)>
func.func @search(%a: tensor<48x256xf16, #one_each>) -> tensor<48x1xf16, #one_each> {
  %0 = spyre.topkvalue %a dim 1 k 1 : (tensor<48x256xf16, #one_each>) -> tensor<48x1xf16, #one_each>
  return %0 : tensor<48x1xf16, #one_each>
}

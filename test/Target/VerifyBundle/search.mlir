// A search for one element: the dimension on the stick of its result has one element, and the format has 0 for the number of
// its sticks (section 5). That is no warning about what the tool itself has written.

// RUN: spyre-translate --spyre-to-bundle %s -o %t
// RUN: grep -q '"factor_": 0' %t/sdsc_0.json
// RUN: spyre-translate --verify-bundle %t 2>&1 | FileCheck %s
// CHECK-NOT: VB67
// CHECK: 1 file, 1 operation, 0 loops, 2 parameters, 0 warnings

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#column = #spyre.layout<(d0, d1) -> (0, d0, 0)>
func.func @search(%a: tensor<48x256xf16, #stick>) -> tensor<48x1xf16, #column> {
  %0 = spyre.topkvalue %a dim 1 k 1 : (tensor<48x256xf16, #stick>) -> tensor<48x1xf16, #column>
  return %0 : tensor<48x1xf16, #column>
}

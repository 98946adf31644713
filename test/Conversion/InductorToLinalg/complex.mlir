// Kernels of complex numbers, by their parts. The numbers are those of NumPy.

// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t
// RUN: FileCheck %s --check-prefix=IR --input-file %t
// RUN: spyre-run %t --entry mul | FileCheck %s --check-prefix=MUL
// RUN: spyre-run %t --entry difference | FileCheck %s --check-prefix=DIFFERENCE
// RUN: spyre-run %t --entry div | FileCheck %s --check-prefix=DIV
// RUN: spyre-run %t --entry abs | FileCheck %s --check-prefix=ABS
// RUN: spyre-run %t --entry conj | FileCheck %s --check-prefix=CONJ
// RUN: spyre-run %t --entry mm | FileCheck %s --check-prefix=MM
// RUN: spyre-run %t --entry half | FileCheck %s --check-prefix=HALF
// RUN: spyre-run %t --entry planes | FileCheck %s --check-prefix=PLANES
// RUN: spyre-run %t --entry back | FileCheck %s --check-prefix=BACK
// RUN: spyre-run %t --entry real | FileCheck %s --check-prefix=REAL
// RUN: spyre-run %t --entry parts | FileCheck %s --check-prefix=PARTS
// RUN: spyre-run %t --entry mul --on=card | FileCheck %s --check-prefix=MUL
// RUN: spyre-run %t --entry difference --on=card | FileCheck %s --check-prefix=DIFFERENCE
// RUN: spyre-run %t --entry div --on=card | FileCheck %s --check-prefix=DIV
// RUN: spyre-run %t --entry abs --on=card | FileCheck %s --check-prefix=ABS
// RUN: spyre-run %t --entry conj --on=card | FileCheck %s --check-prefix=CONJ
// RUN: spyre-run %t --entry mm --on=card | FileCheck %s --check-prefix=MM
// RUN: spyre-run %t --entry half --on=card | FileCheck %s --check-prefix=HALF
// RUN: spyre-run %t --entry planes --on=card | FileCheck %s --check-prefix=PLANES
// RUN: spyre-run %t --entry back --on=card | FileCheck %s --check-prefix=BACK
// RUN: spyre-run %t --entry real --on=card | FileCheck %s --check-prefix=REAL
// RUN: spyre-run %t --entry parts --on=card | FileCheck %s --check-prefix=PARTS

// The parts of a product are two operations, which go into one tensor; the elements of a transform are multiplied with numbers of tables.
// IR-LABEL: func.func @mul
// IR-COUNT-2: linalg.generic
// IR-COUNT-2: tensor.insert_slice
// IR-LABEL: func.func @half
// IR: arith.remui
// IR: tensor.extract

// A product, along whose rows one operand repeats.
// MUL{LITERAL}: result 0: tensor<2x3x2xf32> [1.5, -1.75, -2.75, -2.5, 7.0, 1.0, -3.25, -4.0, -2.0, 0.5, -1.0, 0.75]
inductor.graph @mul {
  %a = inductor.constant "a" value dense<[[[1.0, 0.5], [1.5, -1.0], [-2.0, 2.0]], [[1.5, -2.0], [0.0, -1.0], [0.0, -0.5]]]> : tensor<2x3x2xf32> : tensor<2x3x2xf32, #inductor.layout<fixed, [6, 2, 1]>>
  %b = inductor.constant "b" value dense<[[[0.5, -2.0], [-0.5, -2.0], [-1.5, -2.0]]]> : tensor<1x3x2xf32> : tensor<1x3x2xf32, #inductor.layout<fixed, [6, 2, 1]>>
  %ca = inductor.extern "op1" as "ca" "FallbackKernel" "aten.view_as_complex.default"(%a) {constant_args = [], kwargs = {}} : (tensor<2x3x2xf32, #inductor.layout<fixed, [6, 2, 1]>>) -> tensor<2x3xcomplex<f32>, #inductor.layout<fixed, [3, 1]>>
  %cb = inductor.extern "op2" as "cb" "FallbackKernel" "aten.view_as_complex.default"(%b) {constant_args = [], kwargs = {}} : (tensor<1x3x2xf32, #inductor.layout<fixed, [6, 2, 1]>>) -> tensor<1x3xcomplex<f32>, #inductor.layout<fixed, [3, 1]>>
  %y = inductor.extern "op3" as "y" "FallbackKernel" "aten.mul.Tensor"(%ca, %cb) {constant_args = [], kwargs = {}} : (tensor<2x3xcomplex<f32>, #inductor.layout<fixed, [3, 1]>>, tensor<1x3xcomplex<f32>, #inductor.layout<fixed, [3, 1]>>) -> tensor<2x3xcomplex<f32>, #inductor.layout<fixed, [3, 1]>>
  %z = inductor.extern "op4" as "z" "FallbackKernel" "aten.view_as_real.default"(%y) {constant_args = [], kwargs = {}} : (tensor<2x3xcomplex<f32>, #inductor.layout<fixed, [3, 1]>>) -> tensor<2x3x2xf32, #inductor.layout<fixed, [6, 2, 1]>>
  inductor.return %z : tensor<2x3x2xf32, #inductor.layout<fixed, [6, 2, 1]>>
}

// A difference with a factor.
// DIFFERENCE{LITERAL}: result 0: tensor<2x3x2xf32> [0.0, 4.5, 2.5, 3.0, 1.0, 6.0, 0.5, 2.0, 1.0, 3.0, 3.0, 3.5]
inductor.graph @difference {
  %a = inductor.constant "a" value dense<[[[1.0, 0.5], [1.5, -1.0], [-2.0, 2.0]], [[1.5, -2.0], [0.0, -1.0], [0.0, -0.5]]]> : tensor<2x3x2xf32> : tensor<2x3x2xf32, #inductor.layout<fixed, [6, 2, 1]>>
  %b = inductor.constant "b" value dense<[[[0.5, -2.0], [-0.5, -2.0], [-1.5, -2.0]]]> : tensor<1x3x2xf32> : tensor<1x3x2xf32, #inductor.layout<fixed, [6, 2, 1]>>
  %ca = inductor.extern "op5" as "ca" "FallbackKernel" "aten.view_as_complex.default"(%a) {constant_args = [], kwargs = {}} : (tensor<2x3x2xf32, #inductor.layout<fixed, [6, 2, 1]>>) -> tensor<2x3xcomplex<f32>, #inductor.layout<fixed, [3, 1]>>
  %cb = inductor.extern "op6" as "cb" "FallbackKernel" "aten.view_as_complex.default"(%b) {constant_args = [], kwargs = {}} : (tensor<1x3x2xf32, #inductor.layout<fixed, [6, 2, 1]>>) -> tensor<1x3xcomplex<f32>, #inductor.layout<fixed, [3, 1]>>
  %y = inductor.extern "op7" as "y" "FallbackKernel" "aten.sub.Tensor"(%ca, %cb) {constant_args = [], kwargs = {alpha = 2}} : (tensor<2x3xcomplex<f32>, #inductor.layout<fixed, [3, 1]>>, tensor<1x3xcomplex<f32>, #inductor.layout<fixed, [3, 1]>>) -> tensor<2x3xcomplex<f32>, #inductor.layout<fixed, [3, 1]>>
  %z = inductor.extern "op8" as "z" "FallbackKernel" "aten.view_as_real.default"(%y) {constant_args = [], kwargs = {}} : (tensor<2x3xcomplex<f32>, #inductor.layout<fixed, [3, 1]>>) -> tensor<2x3x2xf32, #inductor.layout<fixed, [6, 2, 1]>>
  inductor.return %z : tensor<2x3x2xf32, #inductor.layout<fixed, [6, 2, 1]>>
}

// A quotient.
// DIV{LITERAL}: result 0: tensor<4x2xf32> [-0.5, 2.5, 6.0, 2.0, -8.0, 12.0, -0.5, 0.5]
inductor.graph @div {
  %a = inductor.constant "a" value dense<[[-6.0, 4.0], [8.0, -4.0], [-6.0, -4.0], [2.0, -2.0]]> : tensor<4x2xf32> : tensor<4x2xf32, #inductor.layout<fixed, [2, 1]>>
  %b = inductor.constant "b" value dense<[[2.0, 2.0], [1.0, -1.0], [0.0, 0.5], [-4.0, 0.0]]> : tensor<4x2xf32> : tensor<4x2xf32, #inductor.layout<fixed, [2, 1]>>
  %ca = inductor.extern "op9" as "ca" "FallbackKernel" "aten.view_as_complex.default"(%a) {constant_args = [], kwargs = {}} : (tensor<4x2xf32, #inductor.layout<fixed, [2, 1]>>) -> tensor<4xcomplex<f32>, #inductor.layout<fixed, [1]>>
  %cb = inductor.extern "op10" as "cb" "FallbackKernel" "aten.view_as_complex.default"(%b) {constant_args = [], kwargs = {}} : (tensor<4x2xf32, #inductor.layout<fixed, [2, 1]>>) -> tensor<4xcomplex<f32>, #inductor.layout<fixed, [1]>>
  %y = inductor.extern "op11" as "y" "FallbackKernel" "aten.div.Tensor"(%ca, %cb) {constant_args = [], kwargs = {}} : (tensor<4xcomplex<f32>, #inductor.layout<fixed, [1]>>, tensor<4xcomplex<f32>, #inductor.layout<fixed, [1]>>) -> tensor<4xcomplex<f32>, #inductor.layout<fixed, [1]>>
  %z = inductor.extern "op12" as "z" "FallbackKernel" "aten.view_as_real.default"(%y) {constant_args = [], kwargs = {}} : (tensor<4xcomplex<f32>, #inductor.layout<fixed, [1]>>) -> tensor<4x2xf32, #inductor.layout<fixed, [2, 1]>>
  inductor.return %z : tensor<4x2xf32, #inductor.layout<fixed, [2, 1]>>
}

// Magnitudes: of a number with an infinite part, infinite.
// ABS{LITERAL}: result 0: tensor<6xf32> [5.0, 0.0, inf, NaN, 10.0, inf]
inductor.graph @abs {
  %a = inductor.constant "a" value dense<[[3.0, 4.0], [0.0, 0.0], [0x7F800000, 0x7FC00000], [0x7FC00000, 1.0], [-8.0, 6.0], [1.0, 0xFF800000]]> : tensor<6x2xf32> : tensor<6x2xf32, #inductor.layout<fixed, [2, 1]>>
  %ca = inductor.extern "op13" as "ca" "FallbackKernel" "aten.view_as_complex.default"(%a) {constant_args = [], kwargs = {}} : (tensor<6x2xf32, #inductor.layout<fixed, [2, 1]>>) -> tensor<6xcomplex<f32>, #inductor.layout<fixed, [1]>>
  %y = inductor.extern "op14" as "y" "FallbackKernel" "aten.abs.default"(%ca) {constant_args = [], kwargs = {}} : (tensor<6xcomplex<f32>, #inductor.layout<fixed, [1]>>) -> tensor<6xf32, #inductor.layout<fixed, [1]>>
  inductor.return %y : tensor<6xf32, #inductor.layout<fixed, [1]>>
}

// Conjugates.
// CONJ{LITERAL}: result 0: tensor<2x3x2xf32> [1.0, -0.5, 1.5, 1.0, -2.0, -2.0, 1.5, 2.0, 0.0, 1.0, 0.0, 0.5]
inductor.graph @conj {
  %a = inductor.constant "a" value dense<[[[1.0, 0.5], [1.5, -1.0], [-2.0, 2.0]], [[1.5, -2.0], [0.0, -1.0], [0.0, -0.5]]]> : tensor<2x3x2xf32> : tensor<2x3x2xf32, #inductor.layout<fixed, [6, 2, 1]>>
  %ca = inductor.extern "op15" as "ca" "FallbackKernel" "aten.view_as_complex.default"(%a) {constant_args = [], kwargs = {}} : (tensor<2x3x2xf32, #inductor.layout<fixed, [6, 2, 1]>>) -> tensor<2x3xcomplex<f32>, #inductor.layout<fixed, [3, 1]>>
  %y = inductor.extern "op16" as "y" "FallbackKernel" "aten._conj.default"(%ca) {constant_args = [], kwargs = {}} : (tensor<2x3xcomplex<f32>, #inductor.layout<fixed, [3, 1]>>) -> tensor<2x3xcomplex<f32>, #inductor.layout<fixed, [3, 1]>>
  %z = inductor.extern "op17" as "z" "FallbackKernel" "aten.view_as_real.default"(%y) {constant_args = [], kwargs = {}} : (tensor<2x3xcomplex<f32>, #inductor.layout<fixed, [3, 1]>>) -> tensor<2x3x2xf32, #inductor.layout<fixed, [6, 2, 1]>>
  inductor.return %z : tensor<2x3x2xf32, #inductor.layout<fixed, [6, 2, 1]>>
}

// A product of matrices.
// MM{LITERAL}: result 0: tensor<2x2x2xf32> [-0.75, -2.5, 5.25, -4.75, 8.25, -1.0, -4.75, 0.75]
inductor.graph @mm {
  %a = inductor.constant "a" value dense<[[[-1.0, -1.5], [2.0, -0.5], [-1.5, 0.5]], [[2.0, 0.0], [1.5, 0.5], [1.5, 1.0]]]> : tensor<2x3x2xf32> : tensor<2x3x2xf32, #inductor.layout<fixed, [6, 2, 1]>>
  %b = inductor.constant "b" value dense<[[[0.5, -0.5], [-2.0, 1.5]], [[2.0, -1.5], [0.5, -2.0]], [[2.0, -0.5], [-1.0, 1.0]]]> : tensor<3x2x2xf32> : tensor<3x2x2xf32, #inductor.layout<fixed, [4, 2, 1]>>
  %ca = inductor.extern "op18" as "ca" "FallbackKernel" "aten.view_as_complex.default"(%a) {constant_args = [], kwargs = {}} : (tensor<2x3x2xf32, #inductor.layout<fixed, [6, 2, 1]>>) -> tensor<2x3xcomplex<f32>, #inductor.layout<fixed, [3, 1]>>
  %cb = inductor.extern "op19" as "cb" "FallbackKernel" "aten.view_as_complex.default"(%b) {constant_args = [], kwargs = {}} : (tensor<3x2x2xf32, #inductor.layout<fixed, [4, 2, 1]>>) -> tensor<3x2xcomplex<f32>, #inductor.layout<fixed, [2, 1]>>
  %y = inductor.extern "op20" as "y" "FallbackKernel" "aten.mm.default"(%ca, %cb) {constant_args = [], kwargs = {}} : (tensor<2x3xcomplex<f32>, #inductor.layout<fixed, [3, 1]>>, tensor<3x2xcomplex<f32>, #inductor.layout<fixed, [2, 1]>>) -> tensor<2x2xcomplex<f32>, #inductor.layout<fixed, [2, 1]>>
  %z = inductor.extern "op21" as "z" "FallbackKernel" "aten.view_as_real.default"(%y) {constant_args = [], kwargs = {}} : (tensor<2x2xcomplex<f32>, #inductor.layout<fixed, [2, 1]>>) -> tensor<2x2x2xf32, #inductor.layout<fixed, [4, 2, 1]>>
  inductor.return %z : tensor<2x2x2xf32, #inductor.layout<fixed, [4, 2, 1]>>
}

// Half of the spectrum of rows of real numbers.
// HALF{LITERAL}: result 0: tensor<2x3x2xf32> [-1.5, 0.0, -1.0, -2.5, -2.5, 0.0, 5.0, 0.0, -1.5, -0.5, -2.0, 0.0]
inductor.graph @half {
  %a = inductor.constant "a" value dense<[[-1.5, 1.5, -0.5, -1.0], [0.0, 2.0, 1.5, 1.5]]> : tensor<2x4xf32> : tensor<2x4xf32, #inductor.layout<fixed, [4, 1]>>
  %y = inductor.extern "op22" as "y" "FallbackKernel" "aten._fft_r2c.default"(%a) {constant_args = [], kwargs = {}, call = {args = [#inductor.operand<0>, [1], 0, true], kwargs = {}}} : (tensor<2x4xf32, #inductor.layout<fixed, [4, 1]>>) -> tensor<2x3xcomplex<f32>, #inductor.layout<fixed, [3, 1]>>
  %z = inductor.extern "op23" as "z" "FallbackKernel" "aten.view_as_real.default"(%y) {constant_args = [], kwargs = {}} : (tensor<2x3xcomplex<f32>, #inductor.layout<fixed, [3, 1]>>) -> tensor<2x3x2xf32, #inductor.layout<fixed, [6, 2, 1]>>
  inductor.return %z : tensor<2x3x2xf32, #inductor.layout<fixed, [6, 2, 1]>>
}

// A transform of real planes, along both dimensions, scaled.
// PLANES{LITERAL}: result 0: tensor<2x3x2xf32> [-0.4375, 0.0, 0.0625, 0.625, 0.3125, 0.0, 0.3125, 0.0, -0.6875, 0.125, 0.0625, 0.0]
inductor.graph @planes {
  %a = inductor.constant "a" value dense<[[-1.0, -2.0, 1.5, 1.0], [1.0, -2.0, -2.0, 0.0]]> : tensor<2x4xf32> : tensor<2x4xf32, #inductor.layout<fixed, [4, 1]>>
  %y = inductor.extern "op24" as "y" "FallbackKernel" "aten._fft_r2c.default"(%a) {constant_args = [], kwargs = {}, call = {args = [#inductor.operand<0>, [0, 1], 2, true], kwargs = {}}} : (tensor<2x4xf32, #inductor.layout<fixed, [4, 1]>>) -> tensor<2x3xcomplex<f32>, #inductor.layout<fixed, [3, 1]>>
  %z = inductor.extern "op25" as "z" "FallbackKernel" "aten.view_as_real.default"(%y) {constant_args = [], kwargs = {}} : (tensor<2x3xcomplex<f32>, #inductor.layout<fixed, [3, 1]>>) -> tensor<2x3x2xf32, #inductor.layout<fixed, [6, 2, 1]>>
  inductor.return %z : tensor<2x3x2xf32, #inductor.layout<fixed, [6, 2, 1]>>
}

// A transform back, of a spectrum of 4 elements, scaled by the root of their number.
// BACK{LITERAL}: result 0: tensor<4x2xf32> [0.25, 0.25, -2.0, -1.0, -0.75, -0.25, 0.5, -2.0]
inductor.graph @back {
  %a = inductor.constant "a" value dense<[[-1.0, -1.5], [1.0, 1.5], [0.5, 1.5], [0.0, -1.0]]> : tensor<4x2xf32> : tensor<4x2xf32, #inductor.layout<fixed, [2, 1]>>
  %ca = inductor.extern "op26" as "ca" "FallbackKernel" "aten.view_as_complex.default"(%a) {constant_args = [], kwargs = {}} : (tensor<4x2xf32, #inductor.layout<fixed, [2, 1]>>) -> tensor<4xcomplex<f32>, #inductor.layout<fixed, [1]>>
  %y = inductor.extern "op27" as "y" "FallbackKernel" "aten._fft_c2c.default"(%ca) {constant_args = [], kwargs = {}, call = {args = [#inductor.operand<0>, [0], 1, false], kwargs = {}}} : (tensor<4xcomplex<f32>, #inductor.layout<fixed, [1]>>) -> tensor<4xcomplex<f32>, #inductor.layout<fixed, [1]>>
  %z = inductor.extern "op28" as "z" "FallbackKernel" "aten.view_as_real.default"(%y) {constant_args = [], kwargs = {}} : (tensor<4xcomplex<f32>, #inductor.layout<fixed, [1]>>) -> tensor<4x2xf32, #inductor.layout<fixed, [2, 1]>>
  inductor.return %z : tensor<4x2xf32, #inductor.layout<fixed, [2, 1]>>
}

// Real numbers of half a spectrum. The imaginary parts of the first and the middle element are not read.
// REAL{LITERAL}: result 0: tensor<2x4xf32> [0.125, -1.375, 0.625, 0.125, -0.625, 0.625, -0.625, -0.875]
inductor.graph @real {
  %a = inductor.constant "a" value dense<[[[-0.5, -1.0], [-0.5, 1.5], [2.0, -1.5]], [[-1.5, -1.0], [0.0, -1.5], [-1.0, -1.5]]]> : tensor<2x3x2xf32> : tensor<2x3x2xf32, #inductor.layout<fixed, [6, 2, 1]>>
  %ca = inductor.extern "op29" as "ca" "FallbackKernel" "aten.view_as_complex.default"(%a) {constant_args = [], kwargs = {}} : (tensor<2x3x2xf32, #inductor.layout<fixed, [6, 2, 1]>>) -> tensor<2x3xcomplex<f32>, #inductor.layout<fixed, [3, 1]>>
  %y = inductor.extern "op30" as "y" "FallbackKernel" "aten._fft_c2r.default"(%ca) {constant_args = [], kwargs = {}, call = {args = [#inductor.operand<0>, [-1], 2, 4], kwargs = {}}} : (tensor<2x3xcomplex<f32>, #inductor.layout<fixed, [3, 1]>>) -> tensor<2x4xf32, #inductor.layout<fixed, [4, 1]>>
  inductor.return %y : tensor<2x4xf32, #inductor.layout<fixed, [4, 1]>>
}

// A view as twice as many real numbers, and parts of a transposed view.
// PARTS{LITERAL}: result 0: tensor<3x4xf32> [2.0, 1.0, 3.0, -4.0, 3.0, -2.0, 0.0, -2.0, -4.0, 4.0, 0.0, -1.0]
inductor.graph @parts {
  %a = inductor.constant "a" value dense<[[[1.0, 0.5], [1.5, -1.0], [-2.0, 2.0]], [[1.5, -2.0], [0.0, -1.0], [0.0, -0.5]]]> : tensor<2x3x2xf32> : tensor<2x3x2xf32, #inductor.layout<fixed, [6, 2, 1]>>
  %ca = inductor.extern "op31" as "ca" "FallbackKernel" "aten.view_as_complex.default"(%a) {constant_args = [], kwargs = {}} : (tensor<2x3x2xf32, #inductor.layout<fixed, [6, 2, 1]>>) -> tensor<2x3xcomplex<f32>, #inductor.layout<fixed, [3, 1]>>
  %t = inductor.view %ca : tensor<2x3xcomplex<f32>, #inductor.layout<fixed, [3, 1]>> -> tensor<3x2xcomplex<f32>, #inductor.layout<fixed, [1, 3]>>
  %y = inductor.extern "op90" as "y" "FallbackKernel" "aten.mul.Tensor"(%t) {constant_args = [2.0], kwargs = {}, call = {args = [#inductor.operand<0>, 2.0], kwargs = {}}} : (tensor<3x2xcomplex<f32>, #inductor.layout<fixed, [1, 3]>>) -> tensor<3x2xcomplex<f32>, #inductor.layout<fixed, [2, 1]>>
  %z = inductor.extern "op32" as "z" "FallbackKernel" "aten.view.dtype"(%y) {constant_args = [], kwargs = {}} : (tensor<3x2xcomplex<f32>, #inductor.layout<fixed, [2, 1]>>) -> tensor<3x4xf32, #inductor.layout<fixed, [4, 1]>>
  inductor.return %z : tensor<3x4xf32, #inductor.layout<fixed, [4, 1]>>
}

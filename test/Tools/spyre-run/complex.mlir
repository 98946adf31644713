// Complex numbers inside of a program, by MLIR's own expansion. They stay on the host, and no argument or result has their type. The
// numbers are those of NumPy.

// RUN: spyre-run %s --entry parts | FileCheck %s
// RUN: spyre-run %s --entry parts --on=card | FileCheck %s
// RUN: not spyre-run %s --entry argument --random-seed 1 2>&1 | FileCheck %s --check-prefix=ARGUMENT

// CHECK{LITERAL}: result 0: tensor<4xf32> [-1.0, 1.4, -5.4, 0.3]
// CHECK{LITERAL}: result 1: tensor<4xf32> [1.0, 0.2, 7.8, -0.1]
func.func @parts() -> (tensor<4xf32>, tensor<4xf32>) {
  %a = arith.constant dense<[1.0, 2.0, 3.0, -0.5]> : tensor<4xf32>
  %b = arith.constant dense<[(1.0, 2.0), (0.5, -1.0), (3.0, 4.0), (0.0, 1.0)]> : tensor<4xcomplex<f32>>
  %k = complex.constant [2.0 : f32, -1.0 : f32] : complex<f32>
  %numbers = tensor.empty() : tensor<4xcomplex<f32>>
  %z = linalg.map ins(%a, %b : tensor<4xf32>, tensor<4xcomplex<f32>>) outs(%numbers : tensor<4xcomplex<f32>>) (%x: f32, %y: complex<f32>, %o: complex<f32>) {
    %w = complex.create %x, %x : complex<f32>
    %p = complex.mul %w, %y : complex<f32>
    %q = complex.div %p, %k : complex<f32>
    linalg.yield %q : complex<f32>
  }
  %parts = tensor.empty() : tensor<4xf32>
  %real = linalg.map ins(%z : tensor<4xcomplex<f32>>) outs(%parts : tensor<4xf32>) (%x: complex<f32>, %o: f32) {
    %part = complex.re %x : complex<f32>
    linalg.yield %part : f32
  }
  %imaginary = linalg.map ins(%z : tensor<4xcomplex<f32>>) outs(%parts : tensor<4xf32>) (%x: complex<f32>, %o: f32) {
    %part = complex.im %x : complex<f32>
    linalg.yield %part : f32
  }
  return %real, %imaginary : tensor<4xf32>, tensor<4xf32>
}

// ARGUMENT: complex.mlir:[[@LINE+1]]:1: error: argument 0 of the function: complex<f32> is not one of the element types {{.*}}; the parts of complex numbers go in and out as a last dimension of extent 2
func.func @argument(%a: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  return %a : tensor<4xcomplex<f32>>
}

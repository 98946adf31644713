// Arguments and results in files: what is written is read, and gives the same results.

// RUN: rm -rf %t && mkdir %t
// RUN: spyre-run %s --entry all --random-seed 5 --special-values --save-inputs %t/in -o %t/0.npy -o %t/1.npy -o %t/2.npy -o %t/3.npy -o %t/4.npy -o %t/5.npy -o %t/6.npy | count 0
// RUN: spyre-run %s --entry all -i %t/in/input_0.npy -i %t/in/input_1.npy -i %t/in/input_2.npy -i %t/in/input_3.npy -i %t/in/input_4.npy -i %t/in/input_5.npy -i %t/in/input_6.npy -o %t/a.npy -o %t/b.npy -o %t/c.npy -o %t/d.npy -o %t/e.npy -o %t/f.npy -o %t/g.npy
// RUN: cmp %t/0.npy %t/a.npy && cmp %t/1.npy %t/b.npy && cmp %t/2.npy %t/c.npy && cmp %t/3.npy %t/d.npy
// RUN: cmp %t/4.npy %t/e.npy && cmp %t/5.npy %t/f.npy && cmp %t/6.npy %t/g.npy
// The function returns its arguments.
// RUN: cmp %t/0.npy %t/in/input_0.npy && cmp %t/1.npy %t/in/input_1.npy && cmp %t/6.npy %t/in/input_6.npy

// bf16 also from float32, which has more bits.
// RUN: spyre-run %s --entry brain --input %t/2.npy | FileCheck %s --check-prefix=BRAIN
// RUN: spyre-run %s --entry single --input %t/2.npy | FileCheck %s --check-prefix=BRAIN
// BRAIN: result 0: tensor<2x3xi1> [{{.*}}]

// Results are printed without --output.
// RUN: spyre-run %s --entry constants | FileCheck %s --check-prefix=PRINT
//      PRINT: result 0: tensor<2x2xf16> [1.5, -0.0, NaN, inf]
// PRINT-NEXT: result 1: tensor<i64> [-3]
// PRINT-NEXT: result 2: tensor<20xi1> [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, ...]

// RUN: not spyre-run %s --entry all --input %t/0.npy 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: @all takes 7 inputs, got 1; give one --input for each, or --random-seed: (tensor<f16>, tensor<5xbf16>,
// RUN: not spyre-run %s --entry single --input %t/1.npy 2>&1 | FileCheck %s --check-prefix=ELEMENT
// ELEMENT: error: {{.*}}1.npy: has elements of type '<u2', but f32 are needed, as float32
// RUN: not spyre-run %s --entry shape --input %t/2.npy 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: error: {{.*}}2.npy: has shape [2, 3], but [3, 2] is needed
// RUN: not spyre-run %s --entry single --input %t/missing.npy 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: {{.*}}missing.npy: No such file or directory
// RUN: not spyre-run %s --entry single --input %s 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: error: {{.*}}files.mlir:
// RUN: not spyre-run %s --entry single --random-seed 0 -o %t/x.npy -o %t/y.npy 2>&1 | FileCheck %s --check-prefix=OUTPUTS
// OUTPUTS: error: @single has 1 results, but there are 2 --output files
// RUN: not spyre-run %s --entry single --random-seed 0 -o %t/missing/x.npy 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: error: {{.*}}x.npy: No such file or directory
// RUN: not ls %t/x.npy

func.func @all(%a: tensor<f16>, %b: tensor<5xbf16>, %c: tensor<2x3xf32>, %d: tensor<2x1x3xi8>, %e: tensor<1x2x3x1xi32>,
               %f: tensor<1x1x2x2x1xi64>, %g: tensor<2x1x3x1x1x7xi1>)
    -> (tensor<f16>, tensor<5xbf16>, tensor<2x3xf32>, tensor<2x1x3xi8>, tensor<1x2x3x1xi32>, tensor<1x1x2x2x1xi64>,
        tensor<2x1x3x1x1x7xi1>) {
  return %a, %b, %c, %d, %e, %f, %g : tensor<f16>, tensor<5xbf16>, tensor<2x3xf32>, tensor<2x1x3xi8>, tensor<1x2x3x1xi32>,
                                      tensor<1x1x2x2x1xi64>, tensor<2x1x3x1x1x7xi1>
}

func.func @brain(%a: tensor<2x3xbf16>) -> tensor<2x3xi1> {
  %0 = spyre.equal %a, %a : (tensor<2x3xbf16>, tensor<2x3xbf16>) -> tensor<2x3xi1>
  return %0 : tensor<2x3xi1>
}

func.func @single(%a: tensor<2x3xf32>) -> tensor<2x3xi1> {
  %0 = spyre.equal %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  return %0 : tensor<2x3xi1>
}

func.func @shape(%a: tensor<3x2xf32>) -> tensor<3x2xf32> {
  return %a : tensor<3x2xf32>
}

func.func @constants() -> (tensor<2x2xf16>, tensor<i64>, tensor<20xi1>) {
  %0 = arith.constant dense<[[1.5, -0.0], [0x7E00, 0x7C00]]> : tensor<2x2xf16>
  %1 = arith.constant dense<-3> : tensor<i64>
  %2 = arith.constant dense<true> : tensor<20xi1>
  return %0, %1, %2 : tensor<2x2xf16>, tensor<i64>, tensor<20xi1>
}

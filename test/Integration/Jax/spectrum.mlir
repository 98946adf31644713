// A Fourier transform is products with cosines and sines. The values are JAX's: `lambda x: jnp.abs(jnp.fft.rfft(x))`.
// Made with jax 0.12.0.1 and iree-base-compiler 3.13.0, by `python python/tests/record.py spectrum`.

// RUN: spyre-run %s --input %S/Inputs/spectrum_in_0.npy --expect %S/Inputs/spectrum_out_0.npy --tolerance 1e-5 | FileCheck %s
// RUN: spyre-run %s --input %S/Inputs/spectrum_in_0.npy --expect %S/Inputs/spectrum_out_0.npy --tolerance 1e-5 --on=card | FileCheck %s
// CHECK: result 0: 0 of 8 elements differ

#map = affine_map<(d0, d1) -> (d0, d1)>
module @jit__lambda {
  func.func public @main(%arg0: tensor<2x7xf32>) -> tensor<2x4xf32> {
    %cst = arith.constant 0x7F800000 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant 3.77789319E+22 : f32
    %cst_2 = arith.constant 2.64697796E-23 : f32
    %cst_3 = arith.constant 2.44140625E-4 : f32
    %cst_4 = arith.constant 9.22337203E+18 : f32
    %cst_5 = arith.constant 0.000000e+00 : f32
    %cst_6 = arith.constant 0.897597908 : f32
    %c7_i64 = arith.constant 7 : i64
    %0 = tensor.empty() : tensor<7x4xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<7x4xi64>) {
    ^bb0(%out: i64):
      %72 = linalg.index 0 : index
      %73 = arith.index_cast %72 : index to i64
      linalg.yield %73 : i64
    } -> tensor<7x4xi64>
    %2 = tensor.empty() : tensor<7x4xi64>
    %3 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%2 : tensor<7x4xi64>) {
    ^bb0(%out: i64):
      %72 = linalg.index 1 : index
      %73 = arith.index_cast %72 : index to i64
      linalg.yield %73 : i64
    } -> tensor<7x4xi64>
    %4 = tensor.empty() : tensor<7x4xi64>
    %5 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%1, %3 : tensor<7x4xi64>, tensor<7x4xi64>) outs(%4 : tensor<7x4xi64>) {
    ^bb0(%in: i64, %in_7: i64, %out: i64):
      %72 = arith.muli %in, %in_7 : i64
      linalg.yield %72 : i64
    } -> tensor<7x4xi64>
    %6 = tensor.empty() : tensor<7x4xi64>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<7x4xi64>) outs(%6 : tensor<7x4xi64>) {
    ^bb0(%in: i64, %out: i64):
      %72 = arith.remsi %in, %c7_i64 : i64
      linalg.yield %72 : i64
    } -> tensor<7x4xi64>
    %8 = tensor.empty() : tensor<7x4xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<7x4xi64>) outs(%8 : tensor<7x4xf32>) {
    ^bb0(%in: i64, %out: f32):
      %72 = arith.sitofp %in : i64 to f32
      linalg.yield %72 : f32
    } -> tensor<7x4xf32>
    %10 = tensor.empty() : tensor<7x4xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<7x4xf32>) outs(%10 : tensor<7x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %72 = arith.mulf %in, %cst_6 : f32
      linalg.yield %72 : f32
    } -> tensor<7x4xf32>
    %12 = tensor.empty() : tensor<7x4xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<7x4xf32>) outs(%12 : tensor<7x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %72 = math.cos %in : f32
      linalg.yield %72 : f32
    } -> tensor<7x4xf32>
    %14 = tensor.empty() : tensor<7x4xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<7x4xf32>) outs(%14 : tensor<7x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %72 = math.sin %in : f32
      linalg.yield %72 : f32
    } -> tensor<7x4xf32>
    %16 = tensor.empty() : tensor<2x4xf32>
    %17 = linalg.fill ins(%cst_5 : f32) outs(%16 : tensor<2x4xf32>) -> tensor<2x4xf32>
    %18 = linalg.matmul ins(%arg0, %13 : tensor<2x7xf32>, tensor<7x4xf32>) outs(%17 : tensor<2x4xf32>) -> tensor<2x4xf32>
    %19 = tensor.empty() : tensor<2x4xf32>
    %20 = linalg.fill ins(%cst_5 : f32) outs(%19 : tensor<2x4xf32>) -> tensor<2x4xf32>
    %21 = linalg.matmul ins(%arg0, %15 : tensor<2x7xf32>, tensor<7x4xf32>) outs(%20 : tensor<2x4xf32>) -> tensor<2x4xf32>
    %22 = tensor.empty() : tensor<2x4xf32>
    %23 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%21 : tensor<2x4xf32>) outs(%22 : tensor<2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %72 = arith.negf %in : f32
      linalg.yield %72 : f32
    } -> tensor<2x4xf32>
    %24 = tensor.empty() : tensor<2x4xf32>
    %25 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%18 : tensor<2x4xf32>) outs(%24 : tensor<2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %72 = math.absf %in : f32
      linalg.yield %72 : f32
    } -> tensor<2x4xf32>
    %26 = tensor.empty() : tensor<2x4xf32>
    %27 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%23 : tensor<2x4xf32>) outs(%26 : tensor<2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %72 = math.absf %in : f32
      linalg.yield %72 : f32
    } -> tensor<2x4xf32>
    %28 = tensor.empty() : tensor<2x4xf32>
    %29 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%25, %27 : tensor<2x4xf32>, tensor<2x4xf32>) outs(%28 : tensor<2x4xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %72 = arith.maximumf %in, %in_7 : f32
      linalg.yield %72 : f32
    } -> tensor<2x4xf32>
    %30 = tensor.empty() : tensor<2x4xi1>
    %31 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%29 : tensor<2x4xf32>) outs(%30 : tensor<2x4xi1>) {
    ^bb0(%in: f32, %out: i1):
      %72 = arith.cmpf oge, %in, %cst_4 : f32
      linalg.yield %72 : i1
    } -> tensor<2x4xi1>
    %32 = tensor.empty() : tensor<2x4xi1>
    %33 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%29 : tensor<2x4xf32>) outs(%32 : tensor<2x4xi1>) {
    ^bb0(%in: f32, %out: i1):
      %72 = arith.cmpf ole, %in, %cst_3 : f32
      linalg.yield %72 : i1
    } -> tensor<2x4xi1>
    %34 = tensor.empty() : tensor<2x4xf32>
    %35 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%18 : tensor<2x4xf32>) outs(%34 : tensor<2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %72 = arith.mulf %in, %cst_2 : f32
      linalg.yield %72 : f32
    } -> tensor<2x4xf32>
    %36 = tensor.empty() : tensor<2x4xf32>
    %37 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%18 : tensor<2x4xf32>) outs(%36 : tensor<2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %72 = arith.mulf %in, %cst_1 : f32
      linalg.yield %72 : f32
    } -> tensor<2x4xf32>
    %38 = tensor.empty() : tensor<2x4xf32>
    %39 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%33, %37, %18 : tensor<2x4xi1>, tensor<2x4xf32>, tensor<2x4xf32>) outs(%38 : tensor<2x4xf32>) {
    ^bb0(%in: i1, %in_7: f32, %in_8: f32, %out: f32):
      %72 = arith.select %in, %in_7, %in_8 : f32
      linalg.yield %72 : f32
    } -> tensor<2x4xf32>
    %40 = tensor.empty() : tensor<2x4xf32>
    %41 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%31, %35, %39 : tensor<2x4xi1>, tensor<2x4xf32>, tensor<2x4xf32>) outs(%40 : tensor<2x4xf32>) {
    ^bb0(%in: i1, %in_7: f32, %in_8: f32, %out: f32):
      %72 = arith.select %in, %in_7, %in_8 : f32
      linalg.yield %72 : f32
    } -> tensor<2x4xf32>
    %42 = tensor.empty() : tensor<2x4xf32>
    %43 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%23 : tensor<2x4xf32>) outs(%42 : tensor<2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %72 = arith.mulf %in, %cst_2 : f32
      linalg.yield %72 : f32
    } -> tensor<2x4xf32>
    %44 = tensor.empty() : tensor<2x4xf32>
    %45 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%23 : tensor<2x4xf32>) outs(%44 : tensor<2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %72 = arith.mulf %in, %cst_1 : f32
      linalg.yield %72 : f32
    } -> tensor<2x4xf32>
    %46 = tensor.empty() : tensor<2x4xf32>
    %47 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%33, %45, %23 : tensor<2x4xi1>, tensor<2x4xf32>, tensor<2x4xf32>) outs(%46 : tensor<2x4xf32>) {
    ^bb0(%in: i1, %in_7: f32, %in_8: f32, %out: f32):
      %72 = arith.select %in, %in_7, %in_8 : f32
      linalg.yield %72 : f32
    } -> tensor<2x4xf32>
    %48 = tensor.empty() : tensor<2x4xf32>
    %49 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%31, %43, %47 : tensor<2x4xi1>, tensor<2x4xf32>, tensor<2x4xf32>) outs(%48 : tensor<2x4xf32>) {
    ^bb0(%in: i1, %in_7: f32, %in_8: f32, %out: f32):
      %72 = arith.select %in, %in_7, %in_8 : f32
      linalg.yield %72 : f32
    } -> tensor<2x4xf32>
    %50 = tensor.empty() : tensor<2x4xf32>
    %51 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%33 : tensor<2x4xi1>) outs(%50 : tensor<2x4xf32>) {
    ^bb0(%in: i1, %out: f32):
      %72 = arith.select %in, %cst_2, %cst_0 : f32
      linalg.yield %72 : f32
    } -> tensor<2x4xf32>
    %52 = tensor.empty() : tensor<2x4xf32>
    %53 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%31, %51 : tensor<2x4xi1>, tensor<2x4xf32>) outs(%52 : tensor<2x4xf32>) {
    ^bb0(%in: i1, %in_7: f32, %out: f32):
      %72 = arith.select %in, %cst_1, %in_7 : f32
      linalg.yield %72 : f32
    } -> tensor<2x4xf32>
    %54 = tensor.empty() : tensor<2x4xf32>
    %55 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%41 : tensor<2x4xf32>) outs(%54 : tensor<2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %72 = arith.mulf %in, %in : f32
      linalg.yield %72 : f32
    } -> tensor<2x4xf32>
    %56 = tensor.empty() : tensor<2x4xf32>
    %57 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%49 : tensor<2x4xf32>) outs(%56 : tensor<2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %72 = arith.mulf %in, %in : f32
      linalg.yield %72 : f32
    } -> tensor<2x4xf32>
    %58 = tensor.empty() : tensor<2x4xf32>
    %59 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%55, %57 : tensor<2x4xf32>, tensor<2x4xf32>) outs(%58 : tensor<2x4xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %72 = arith.addf %in, %in_7 : f32
      linalg.yield %72 : f32
    } -> tensor<2x4xf32>
    %60 = tensor.empty() : tensor<2x4xf32>
    %61 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%59 : tensor<2x4xf32>) outs(%60 : tensor<2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %72 = math.sqrt %in : f32
      linalg.yield %72 : f32
    } -> tensor<2x4xf32>
    %62 = tensor.empty() : tensor<2x4xf32>
    %63 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%61, %53 : tensor<2x4xf32>, tensor<2x4xf32>) outs(%62 : tensor<2x4xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %72 = arith.mulf %in, %in_7 : f32
      linalg.yield %72 : f32
    } -> tensor<2x4xf32>
    %64 = tensor.empty() : tensor<2x4xi1>
    %65 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%25 : tensor<2x4xf32>) outs(%64 : tensor<2x4xi1>) {
    ^bb0(%in: f32, %out: i1):
      %72 = arith.cmpf oeq, %in, %cst : f32
      linalg.yield %72 : i1
    } -> tensor<2x4xi1>
    %66 = tensor.empty() : tensor<2x4xi1>
    %67 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%27 : tensor<2x4xf32>) outs(%66 : tensor<2x4xi1>) {
    ^bb0(%in: f32, %out: i1):
      %72 = arith.cmpf oeq, %in, %cst : f32
      linalg.yield %72 : i1
    } -> tensor<2x4xi1>
    %68 = tensor.empty() : tensor<2x4xi1>
    %69 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%65, %67 : tensor<2x4xi1>, tensor<2x4xi1>) outs(%68 : tensor<2x4xi1>) {
    ^bb0(%in: i1, %in_7: i1, %out: i1):
      %72 = arith.ori %in, %in_7 : i1
      linalg.yield %72 : i1
    } -> tensor<2x4xi1>
    %70 = tensor.empty() : tensor<2x4xf32>
    %71 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%69, %63 : tensor<2x4xi1>, tensor<2x4xf32>) outs(%70 : tensor<2x4xf32>) {
    ^bb0(%in: i1, %in_7: f32, %out: f32):
      %72 = arith.select %in, %cst, %in_7 : f32
      linalg.yield %72 : f32
    } -> tensor<2x4xf32>
    return %71 : tensor<2x4xf32>
  }
}


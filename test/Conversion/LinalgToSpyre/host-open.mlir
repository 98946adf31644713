// A program of which a part runs on the host, with a dynamic extent: it is split once, and the bundles of its
// functions of the device serve every extent.

// RUN: spyre-opt %s --spyre-import-linalg=host=true -o %t.split
// RUN: FileCheck %s --input-file %t.split
// RUN: spyre-run %t.split --entry two --size S=64 --random-seed 1 --on=card --compare %s --compare-entry two --tolerance 1e-2 --stats 2>&1 | FileCheck %s --check-prefix=CARD --implicit-check-not="not for all"
// RUN: spyre-run %t.split --entry two --size S=256 --random-seed 1 --on=card --compare %s --compare-entry two --tolerance 1e-2 --stats 2>&1 | FileCheck %s --check-prefix=CARD --implicit-check-not="not for all"
// RUN: spyre-run %s --entry two --size S=128 --random-seed 1 --on=card --compare %s --compare-entry two --tolerance 1e-2 --stats 2>&1 | FileCheck %s --check-prefix=CARD --implicit-check-not="not for all"
// CARD: device: @two_device_0
// CARD: device: @two_device_1
// CARD: 66.7 % of the work is the device's
// CARD: result 0: 0 of {{16384|32768|65536}} elements differ

// Positions are a constant of the host, which is no argument. The host compares them: the card has no comparison of integers.
// RUN: spyre-run %t.split --entry ranks --size S=64 --random-seed 2 --on=card --compare %s --compare-entry ranks --tolerance 1e-2 --stats 2>&1 | FileCheck %s --check-prefix=RANKS --implicit-check-not="not for all"
// RUN: spyre-run %t.split --entry ranks --size S=192 --random-seed 2 --on=card --compare %s --compare-entry ranks --tolerance 1e-2 --stats 2>&1 | FileCheck %s --check-prefix=RANKS --implicit-check-not="not for all"
// RANKS: device: @ranks_device_0
// RANKS: result 0: 0 of {{[0-9]+}} elements differ

// The host computes with the extent.
// RUN: spyre-run %t.split --entry mean --size S=64 --random-seed 3 --on=card --compare %s --compare-entry mean --tolerance 1e-2 --stats 2>&1 | FileCheck %s --check-prefix=MEAN --implicit-check-not="not for all"
// RUN: spyre-run %t.split --entry mean --size S=256 --random-seed 3 --on=card --compare %s --compare-entry mean --tolerance 1e-2 --stats 2>&1 | FileCheck %s --check-prefix=MEAN --implicit-check-not="not for all"
// MEAN: device: @mean_device_0
// MEAN: result 0: 0 of 256 elements differ

// A loop of the host goes over the rows.
// RUN: spyre-run %t.split --entry rows --size S=64 --random-seed 5 --on=card --compare %s --compare-entry rows --tolerance 1e-2 --stats 2>&1 | FileCheck %s --check-prefix=ROWS --implicit-check-not="not for all"
// RUN: spyre-run %t.split --entry rows --size S=192 --random-seed 5 --on=card --compare %s --compare-entry rows --tolerance 1e-2 --stats 2>&1 | FileCheck %s --check-prefix=ROWS --implicit-check-not="not for all"
// ROWS: device: @rows_device_0
// ROWS: result 0: 0 of 256 elements differ

// A body counts with positions along the dimension that it reduces.
// RUN: spyre-run %t.split --entry first_rows --size S=64 --random-seed 4 --on=card --compare %s --compare-entry first_rows --tolerance 1e-2 --stats 2>&1 | FileCheck %s --check-prefix=FIRST --implicit-check-not="not for all"
// RUN: spyre-run %t.split --entry first_rows --size S=256 --random-seed 4 --on=card --compare %s --compare-entry first_rows --tolerance 1e-2 --stats 2>&1 | FileCheck %s --check-prefix=FIRST --implicit-check-not="not for all"
// FIRST: device: @first_rows_device_0
// FIRST: result 0: 0 of 256 elements differ

#all = affine_map<(d0, d1) -> (d0, d1)>
#columns = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func.func @two(
// CHECK-SAME:    spyre.host
// CHECK:         %[[A:.+]] = call @two_device_0(%arg0, %arg1) {res_attrs = [{spyre.dims = ["S", "_untracked_256"]}]} : (tensor<?x256xf16>, tensor<?x256xf16>) -> tensor<?x256xf16>
// CHECK:         linalg.generic {{.*}} ins(%[[A]] : tensor<?x256xf16>)
// CHECK:         call @two_device_1
func.func @two(%a: tensor<?x256xf16> {spyre.dims = ["S", "D"]}, %b: tensor<?x256xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x256xf16> attributes {spyre.dim_sizes = {D = 256, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %c0 = arith.constant 0 : index
  %s = tensor.dim %a, %c0 : tensor<?x256xf16>
  %e = tensor.empty(%s) : tensor<?x256xf16>
  %0 = linalg.add ins(%a, %b : tensor<?x256xf16>, tensor<?x256xf16>) outs(%e : tensor<?x256xf16>) -> tensor<?x256xf16>
  %1 = linalg.exp ins(%0 : tensor<?x256xf16>) outs(%e : tensor<?x256xf16>) -> tensor<?x256xf16>
  %ed = tensor.empty(%s) : tensor<?x256xf64>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<?x256xf16>) outs(%ed : tensor<?x256xf64>) {
  ^bb0(%x: f16, %o: f64):
    %y = arith.extf %x : f16 to f64
    %z = math.erf %y : f64
    linalg.yield %z : f64
  } -> tensor<?x256xf64>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<?x256xf64>) outs(%e : tensor<?x256xf16>) {
  ^bb0(%x: f64, %o: f16):
    %y = arith.truncf %x : f64 to f16
    linalg.yield %y : f16
  } -> tensor<?x256xf16>
  %4 = linalg.mul ins(%3, %a : tensor<?x256xf16>, tensor<?x256xf16>) outs(%e : tensor<?x256xf16>) -> tensor<?x256xf16>
  %5 = linalg.sub ins(%4, %b : tensor<?x256xf16>, tensor<?x256xf16>) outs(%e : tensor<?x256xf16>) -> tensor<?x256xf16>
  return %5 : tensor<?x256xf16>
}

// CHECK-LABEL: func.func @ranks(
// CHECK-SAME:    %arg0: tensor<?x64xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x64xf16>
// CHECK:         %[[ALL:.+]] = arith.constant dense<{{.*}}> : tensor<256xi32>
// CHECK:         %[[AT:.+]] = tensor.extract_slice %[[ALL]][0] [%{{.+}}] [1]
// CHECK:         %[[ROW:.+]] = tensor.expand_shape %[[AT]]
// CHECK:         %[[SEEN:.+]] = spyre.lesserequal %[[ROW]]
// CHECK:         call @ranks_device_0(%[[SEEN]], %arg0)
func.func @ranks(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x64xf16> attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %c0 = arith.constant 0 : index
  %s = tensor.dim %a, %c0 : tensor<?x64xf16>
  %e = tensor.empty(%s) : tensor<?x64xf16>
  %low = arith.constant 100 : i32
  %zero = arith.constant 0.0 : f16
  %0 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<?x64xf16>) outs(%e : tensor<?x64xf16>) {
  ^bb0(%x: f16, %o: f16):
    %i = linalg.index 0 : index
    %p = arith.index_cast %i : index to i32
    %c = arith.cmpi sle, %p, %low : i32
    %y = arith.select %c, %x, %zero : f16
    linalg.yield %y : f16
  } -> tensor<?x64xf16>
  %1 = linalg.exp ins(%0 : tensor<?x64xf16>) outs(%e : tensor<?x64xf16>) -> tensor<?x64xf16>
  %ed = tensor.empty(%s) : tensor<?x64xf64>
  %2 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<?x64xf16>) outs(%ed : tensor<?x64xf64>) {
  ^bb0(%x: f16, %o: f64):
    %y = arith.extf %x : f16 to f64
    %z = math.erf %y : f64
    linalg.yield %z : f64
  } -> tensor<?x64xf64>
  %3 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<?x64xf64>) outs(%e : tensor<?x64xf16>) {
  ^bb0(%x: f64, %o: f16):
    %y = arith.truncf %x : f64 to f16
    linalg.yield %y : f16
  } -> tensor<?x64xf16>
  return %3 : tensor<?x64xf16>
}

// CHECK-LABEL: func.func @mean(
// CHECK:         %[[S:.+]] = tensor.dim %arg0
// CHECK:         arith.index_cast %[[S]] : index to i32
// CHECK:         call @mean_device_0(%arg0) : (tensor<?x256xf16>) -> tensor<256xf16>
func.func @mean(%a: tensor<?x256xf16> {spyre.dims = ["S", "D"]}) -> tensor<256xf16> attributes {spyre.dim_sizes = {D = 256, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %c0 = arith.constant 0 : index
  %s = tensor.dim %a, %c0 : tensor<?x256xf16>
  %n = arith.index_cast %s : index to i32
  %count = arith.sitofp %n : i32 to f16
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<256xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<256xf16>) -> tensor<256xf16>
  %0 = linalg.generic {indexing_maps = [#columns, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<?x256xf16>) outs(%f : tensor<256xf16>) {
  ^bb0(%x: f16, %o: f16):
    %y = arith.addf %o, %x : f16
    linalg.yield %y : f16
  } -> tensor<256xf16>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%0 : tensor<256xf16>) outs(%e : tensor<256xf16>) {
  ^bb0(%x: f16, %o: f16):
    %y = arith.divf %x, %count : f16
    linalg.yield %y : f16
  } -> tensor<256xf16>
  return %1 : tensor<256xf16>
}

func.func @rows(%a: tensor<?x256xf16> {spyre.dims = ["S", "D"]}) -> tensor<256xf64> attributes {spyre.dim_sizes = {D = 256, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tensor.dim %a, %c0 : tensor<?x256xf16>
  %e = tensor.empty(%s) : tensor<?x256xf16>
  %0 = linalg.exp ins(%a : tensor<?x256xf16>) outs(%e : tensor<?x256xf16>) -> tensor<?x256xf16>
  %1 = linalg.add ins(%0, %a : tensor<?x256xf16>, tensor<?x256xf16>) outs(%e : tensor<?x256xf16>) -> tensor<?x256xf16>
  %zero = arith.constant 0.0 : f64
  %er = tensor.empty() : tensor<256xf64>
  %first = linalg.fill ins(%zero : f64) outs(%er : tensor<256xf64>) -> tensor<256xf64>
  %r = scf.for %i = %c0 to %s step %c1 iter_args(%sum = %first) -> tensor<256xf64> {
    %row = tensor.extract_slice %1[%i, 0] [1, 256] [1, 1] : tensor<?x256xf16> to tensor<256xf16>
    %next = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%row : tensor<256xf16>) outs(%sum : tensor<256xf64>) {
    ^bb0(%x: f16, %o: f64):
      %y = arith.extf %x : f16 to f64
      %z = arith.addf %o, %y : f64
      linalg.yield %z : f64
    } -> tensor<256xf64>
    scf.yield %next : tensor<256xf64>
  }
  return %r : tensor<256xf64>
}

func.func @first_rows(%a: tensor<?x256xf16> {spyre.dims = ["S", "D"]}) -> tensor<256xf16> attributes {spyre.dim_sizes = {D = 256, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %low = arith.constant -1.0e+3 : f16
  %last = arith.constant 20 : i32
  %e = tensor.empty() : tensor<256xf16>
  %f = linalg.fill ins(%low : f16) outs(%e : tensor<256xf16>) -> tensor<256xf16>
  %0 = linalg.generic {indexing_maps = [#columns, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<?x256xf16>) outs(%f : tensor<256xf16>) {
  ^bb0(%x: f16, %o: f16):
    %i = linalg.index 1 : index
    %p = arith.index_cast %i : index to i32
    %c = arith.cmpi sle, %p, %last : i32
    %m = arith.select %c, %x, %low : f16
    %y = arith.maximumf %o, %m : f16
    linalg.yield %y : f16
  } -> tensor<256xf16>
  return %0 : tensor<256xf16>
}

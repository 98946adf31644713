// Integers of 8 and 16 bits are computed with in 32; arguments and results stay. They become operations of the device, which the host
// runs: the card has no arithmetic of integers.

// RUN: spyre-opt %s --spyre-widen-integers | FileCheck %s
// RUN: spyre-run %s --entry f --on=card --compare %s --compare-entry f --random-seed 1 --stats 2>&1 | FileCheck %s --check-prefix=INTEGERS
// RUN: spyre-run %s --entry wraps --on=card --compare %s --compare-entry wraps --random-seed 2 --stats 2>&1 | FileCheck %s --check-prefix=INTEGERS
// RUN: spyre-run %s --entry unsigned --on=card --compare %s --compare-entry unsigned --random-seed 3 --stats 2>&1 | FileCheck %s --check-prefix=INTEGERS
// RUN: spyre-run %s --entry halves --on=card --compare %s --compare-entry halves --random-seed 4 --stats 2>&1 | FileCheck %s --check-prefix=INTEGERS
// RUN: spyre-run %s --entry kept --on=card --compare %s --compare-entry kept --random-seed 5 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry moved --on=card --compare %s --compare-entry moved --random-seed 6 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: spyre-opt %s --spyre-import-linalg=host=true --remarks-filter=spyre-outline-device -o /dev/null 2>&1 | FileCheck %s --check-prefix=HOST
// HOST: Category:spyre-outline-device | Function=f | Reason="'mul' computes in SEN169_FP16 or IEEE_FP32, but tensor 0 is IEEE_INT32", Remark="'spyre.sitofp' stays on the host"
// INTEGERS: 0.0 % of the work is the device's
// INTEGERS: result 0: 0 of 4096 elements differ
// SAME: result 0: 0 of 4096 elements differ

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<32x128xi8>) -> tensor<32x128xi8>
// CHECK:         %[[W:.+]] = arith.extsi %[[X]] : tensor<32x128xi8> to tensor<32x128xi32>
// CHECK-DAG:     arith.constant 3 : i32
// CHECK-DAG:     tensor.empty() : tensor<32x128xi32>
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%[[W]] : tensor<32x128xi32>)
// CHECK:         ^bb0(%[[IN:.+]]: i32, %{{.+}}: i32):
// CHECK-NEXT:      %[[F:.+]] = arith.sitofp %[[IN]] : i32 to f32
// CHECK:           %[[I:.+]] = arith.fptosi %{{.+}} : f32 to i32
// CHECK-NEXT:      %[[M:.+]] = arith.minsi %[[I]], %{{.+}} : i32
// CHECK-NEXT:      linalg.yield %[[M]] : i32
// CHECK:         %[[R:.+]] = arith.trunci %{{.+}} : tensor<32x128xi32> to tensor<32x128xi8>
// CHECK-NEXT:    return %[[R]]
func.func @f(%x: tensor<32x128xi8>) -> tensor<32x128xi8> {
  %three = arith.constant 3 : i8
  %half = arith.constant 0.5 : f32
  %0 = tensor.empty() : tensor<32x128xi8>
  %1 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<32x128xi8>) outs(%0 : tensor<32x128xi8>) {
  ^bb0(%in: i8, %out: i8):
    %f = arith.sitofp %in : i8 to f32
    %h = arith.mulf %f, %half : f32
    %i = arith.fptosi %h : f32 to i8
    %m = arith.minsi %i, %three : i8
    linalg.yield %m : i8
  } -> tensor<32x128xi8>
  return %1 : tensor<32x128xi8>
}

// A sum may leave the range: two shifts bring it back, but for one that is only returned. Flags go: they hold for 8 bits.
// CHECK-LABEL: func.func @wraps(
// CHECK:         %[[ROW:.+]] = arith.constant dense<{{.*}}> : tensor<128xi32>
// CHECK:         linalg.generic
// CHECK:           %[[S:.+]] = arith.addi %{{.+}}, %{{.+}} : i32
// CHECK-NEXT:      %[[BITS:.+]] = arith.constant 24 : i32
// CHECK-NEXT:      %[[UP:.+]] = arith.shli %[[S]], %[[BITS]] : i32
// CHECK-NEXT:      %[[DOWN:.+]] = arith.shrsi %[[UP]], %[[BITS]] : i32
// CHECK-NEXT:      %[[C:.+]] = arith.cmpi slt, %[[DOWN]], %{{.+}} : i32
// CHECK:           %[[P:.+]] = arith.muli %{{.+}}, %{{.+}} : i32
// CHECK-NEXT:      linalg.yield %[[P]] : i32
func.func @wraps(%x: tensor<32x128xi8>) -> tensor<32x128xi8> {
  %row = arith.constant dense<"0x00FF7F8001FE10F0000102030405060708090A0B0C0D0E0F808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9F00FF7F8001FE10F0000102030405060708090A0B0C0D0E0F808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9F202122232425262728292A2B2C2D2E2F"> : tensor<128xi8>
  %0 = tensor.empty() : tensor<32x128xi8>
  %1 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %row : tensor<32x128xi8>, tensor<128xi8>) outs(%0 : tensor<32x128xi8>) {
  ^bb0(%in: i8, %r: i8, %out: i8):
    %s = arith.addi %in, %r overflow<nuw> : i8
    %c = arith.cmpi slt, %s, %r : i8
    %d = arith.select %c, %s, %in : i8
    %p = arith.muli %d, %r : i8
    linalg.yield %p : i8
  } -> tensor<32x128xi8>
  return %1 : tensor<32x128xi8>
}

// What is read without a sign loses the copies of it.
// CHECK-LABEL: func.func @unsigned(
// CHECK:           %[[UP:.+]] = arith.shli %[[IN:.+]], %[[BITS:.+]] : i32
// CHECK-NEXT:      %[[CLEAR:.+]] = arith.shrui %[[UP]], %[[BITS]] : i32
// CHECK-NEXT:      arith.sitofp %[[CLEAR]] : i32 to f32
// CHECK:           arith.maxui %[[IN]], %{{.+}} : i32
// CHECK-NOT:       i8
// CHECK:           linalg.yield
func.func @unsigned(%x: tensor<32x128xi8>) -> tensor<32x128xf32> {
  %c = arith.constant 100 : i8
  %0 = tensor.empty() : tensor<32x128xf32>
  %1 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<32x128xi8>) outs(%0 : tensor<32x128xf32>) {
  ^bb0(%in: i8, %out: f32):
    %f = arith.uitofp %in : i8 to f32
    %m = arith.maxui %in, %c : i8
    %w = arith.extui %m : i8 to i32
    %g = arith.sitofp %w : i32 to f32
    %h = arith.addf %f, %g : f32
    linalg.yield %h : f32
  } -> tensor<32x128xf32>
  return %1 : tensor<32x128xf32>
}

// 16 bits, of which 8 are kept, and 64 of those.
// CHECK-LABEL: func.func @halves(
// CHECK:         arith.extsi %{{.+}} : tensor<32x128xi16> to tensor<32x128xi32>
// CHECK-NOT:     i16
// CHECK:         linalg.yield
func.func @halves(%x: tensor<32x128xi16>) -> tensor<32x128xi32> {
  %0 = tensor.empty() : tensor<32x128xi32>
  %1 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<32x128xi16>) outs(%0 : tensor<32x128xi32>) {
  ^bb0(%in: i16, %out: i32):
    %n = arith.trunci %in : i16 to i8
    %w = arith.extsi %n : i8 to i64
    %t = arith.trunci %w : i64 to i32
    %u = arith.extui %in : i16 to i32
    %s = arith.subi %u, %t : i32
    linalg.yield %s : i32
  } -> tensor<32x128xi32>
  return %1 : tensor<32x128xi32>
}

// What has a meaning in 8 bits alone stays in them, between casts; the host computes it.
// CHECK-LABEL: func.func @kept(
// CHECK:         arith.trunci %{{.+}} : i32 to i8
// CHECK-NEXT:    math.ctlz %{{.+}} : i8
// CHECK-NEXT:    arith.extsi %{{.+}} : i8 to i32
func.func @kept(%x: tensor<32x128xi8>) -> tensor<32x128xi8> {
  %0 = tensor.empty() : tensor<32x128xi8>
  %1 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<32x128xi8>) outs(%0 : tensor<32x128xi8>) {
  ^bb0(%in: i8, %out: i8):
    %z = math.ctlz %in : i8
    %s = arith.subi %in, %z : i8
    linalg.yield %s : i8
  } -> tensor<32x128xi8>
  return %1 : tensor<32x128xi8>
}

// A function that moves them stays as it is.
// CHECK-LABEL: func.func @moved(
// CHECK-NOT:     i32
// CHECK:         return
func.func @moved(%x: tensor<32x128xi8>) -> tensor<32x128xi8> {
  %0 = tensor.empty() : tensor<32x128xi8>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, -d1 + 127)>, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<32x128xi8>) outs(%0 : tensor<32x128xi8>) {
  ^bb0(%in: i8, %out: i8):
    linalg.yield %in : i8
  } -> tensor<32x128xi8>
  return %1 : tensor<32x128xi8>
}

// No constant of the bits to shift by has extents that are not known.
// CHECK-LABEL: func.func @open(
// CHECK:         arith.addi %{{.+}}, %{{.+}} : tensor<?xi8>
// CHECK-NEXT:    %[[W:.+]] = arith.extsi %{{.+}} : tensor<?xi8> to tensor<?xi32>
// CHECK:         arith.muli %{{.+}}, %{{.+}} : tensor<?xi8>
// CHECK:         %[[R:.+]] = arith.trunci %{{.+}} : tensor<?xi32> to tensor<?xi8>
// CHECK-NEXT:    return %[[R]]
func.func @open(%x: tensor<?xi8>) -> tensor<?xi8> {
  %0 = arith.addi %x, %x : tensor<?xi8>
  %1 = arith.muli %0, %x : tensor<?xi8>
  return %1 : tensor<?xi8>
}

// What has a sign of its own is no arithmetic of arith.
// CHECK-LABEL: func.func @signed(
// CHECK-NOT:     i32
// CHECK:         return
func.func @signed(%x: tensor<4xsi8>, %i: index) -> si8 {
  %0 = tensor.extract %x[%i] : tensor<4xsi8>
  return %0 : si8
}

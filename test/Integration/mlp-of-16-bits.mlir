// The MLP of a transformer as PyTorch Inductor prints it in f16: what is stored in 16 bits is computed in f32. On the card, it is
// computed in 16 bits.

// RUN: spyre-opt %s --spyre-import-linalg=host=true | FileCheck %s
// RUN: spyre-run %s --on=card --compare %s --random-seed 1 --largest 0.25 --tolerance 1e-2 --stats 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-opt %s '--spyre-import-linalg=host=true float=exact' | FileCheck %s --check-prefix=EXACT

// The operations are those of examples/plans/gelu_mlp.mlir, so that its plan is the one of this program.
// CHECK-LABEL: func.func private @mlp_device_0(
// CHECK-NEXT:    spyre.batchmatmul {{.*}} -> tensor<64x256xf16>
// CHECK-NEXT:    tensor.expand_shape
// CHECK-NEXT:    spyre.add
// CHECK-NEXT:    spyre.gelufwd
// CHECK-NEXT:    spyre.batchmatmul {{.*}} -> tensor<64x128xf16>
// CHECK-NEXT:    tensor.expand_shape
// CHECK-NEXT:    spyre.add
// CHECK-NEXT:    return
// CARD: 100.0 % of the work is the device's
// CARD: result 0: 0 of 8192 elements differ
// EXACT: spyre.add {{.*}} -> tensor<64x256xf32>

#mk = affine_map<(d0, d1, d2) -> (d0, d2)>
#kn = affine_map<(d0, d1, d2) -> (d2, d1)>
#mn = affine_map<(d0, d1, d2) -> (d0, d1)>
#all = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
func.func @mlp(%x: tensor<64x128xf16>, %w1: tensor<128x256xf16>, %b1: tensor<256xf16>, %w2: tensor<256x128xf16>, %b2: tensor<128xf16>) -> tensor<64x128xf16> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %root = arith.constant 0.70710678118654757 : f32
  %e0 = tensor.empty() : tensor<64x256xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<64x256xf32>) -> tensor<64x256xf32>
  %p0 = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w1 : tensor<64x128xf16>, tensor<128x256xf16>) outs(%f0 : tensor<64x256xf32>) {
  ^bb0(%a: f16, %b: f16, %o: f32):
    %wa = arith.extf %a : f16 to f32
    %wb = arith.extf %b : f16 to f32
    %m = arith.mulf %wa, %wb : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<64x256xf32>
  %e1 = tensor.empty() : tensor<64x256xf16>
  %h = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%p0, %b1 : tensor<64x256xf32>, tensor<256xf16>) outs(%e1 : tensor<64x256xf16>) {
  ^bb0(%a: f32, %b: f16, %o: f16):
    %wb = arith.extf %b : f16 to f32
    %s = arith.addf %a, %wb : f32
    %t = arith.truncf %s : f32 to f16
    linalg.yield %t : f16
  } -> tensor<64x256xf16>
  %g = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%h : tensor<64x256xf16>) outs(%e1 : tensor<64x256xf16>) {
  ^bb0(%a: f16, %o: f16):
    %w = arith.extf %a : f16 to f32
    %p = arith.mulf %w, %half : f32
    %q = arith.mulf %w, %root : f32
    %r = math.erf %q : f32
    %s = arith.addf %r, %one : f32
    %t = arith.mulf %p, %s : f32
    %u = arith.truncf %t : f32 to f16
    linalg.yield %u : f16
  } -> tensor<64x256xf16>
  %e2 = tensor.empty() : tensor<64x128xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<64x128xf32>) -> tensor<64x128xf32>
  %p2 = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} ins(%g, %w2 : tensor<64x256xf16>, tensor<256x128xf16>) outs(%f2 : tensor<64x128xf32>) {
  ^bb0(%a: f16, %b: f16, %o: f32):
    %wa = arith.extf %a : f16 to f32
    %wb = arith.extf %b : f16 to f32
    %m = arith.mulf %wa, %wb : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<64x128xf32>
  %e3 = tensor.empty() : tensor<64x128xf16>
  %y = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%p2, %b2 : tensor<64x128xf32>, tensor<128xf16>) outs(%e3 : tensor<64x128xf16>) {
  ^bb0(%a: f32, %b: f16, %o: f16):
    %wb = arith.extf %b : f16 to f32
    %s = arith.addf %a, %wb : f32
    %t = arith.truncf %s : f32 to f16
    linalg.yield %t : f16
  } -> tensor<64x128xf16>
  return %y : tensor<64x128xf16>
}

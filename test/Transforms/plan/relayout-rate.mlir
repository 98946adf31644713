// RUN: spyre-opt %s --spyre-set-target='target={rates=<relayout_ps=6400>}' --spyre-plan=relayouts=true | FileCheck %s
// RUN: spyre-opt %s --spyre-set-target='target={rates=<relayout_ps=6400000>}' --spyre-plan=relayouts=true | FileCheck %s --check-prefix=SLOW

// The rate of relayouts is a field of the target. A card whose cores exchange sticks a thousand times slower gets no relayouts.

// CHECK: func.func @f({{.*}} attributes {{.*}}spyre.plan = #spyre.plan<{{.*}}relayouts = true
// SLOW: func.func @f(
// SLOW-NOT: relayouts = true
func.func @f(%a: tensor<64x512xf16>) -> tensor<64x512xf16> attributes {spyre.tile_scopes = []} {
  %0 = spyre.exp %a split [8, 1] : tensor<64x512xf16>
  %1 = spyre.neg %0 split [1, 8] : tensor<64x512xf16>
  return %1 : tensor<64x512xf16>
}

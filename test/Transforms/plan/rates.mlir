// RUN: rm -rf %t && mkdir %t
// RUN: spyre-opt %s --spyre-pipeline=bundle=false -o %t/card.mlir && spyre-translate --emit-plan-json %t/card.mlir | FileCheck %s --check-prefix=PLAN
// RUN: spyre-opt %s --spyre-set-target='target={cores=2,rates=<bytes_per_us=102400,elements_per_us=192000,execution_ps=0>}' --spyre-pipeline=bundle=false -o %t/other.mlir
// RUN: spyre-translate --emit-plan-json %t/other.mlir | FileCheck %s --check-prefix=OTHER
// RUN: spyre-translate --spyre-to-bundle %t/card.mlir -o %t/card && spyre-run %t/card.mlir --bundle %t/card --random-seed 1 --stats 2>&1 | FileCheck %s --check-prefix=RAN
// RUN: spyre-translate --spyre-to-bundle %t/other.mlir -o %t/other && spyre-run %t/other.mlir --bundle %t/other --random-seed 1 --stats 2>&1 | FileCheck %s --check-prefix=RAN-OTHER

// The target says how fast it is, and plans and the simulated card count by it. Two cores compute 192,000 elements, and 1,536,000 bytes
// move: 2 us, 7.5 us and 0.02 us for the execution; with half of the bandwidth and twice the lanes 1 us and 15 us.

// PLAN: "picoseconds": 9520000
// PLAN: "compute_picoseconds": 2000000
// PLAN: "memory_picoseconds": 7500000
// RAN: modelled time: 9.520 us
// OTHER: "picoseconds": 16000000
// OTHER: "compute_picoseconds": 1000000
// OTHER: "memory_picoseconds": 15000000
// RAN-OTHER: modelled time: 16.000 us

module attributes {spyre.target = #spyre.target<cores = 2>} {
func.func @f(%x: tensor<6000x64xf16>) -> tensor<6000x64xf16> {
  %y = spyre.neg %x : tensor<6000x64xf16>
  return %y : tensor<6000x64xf16>
}
}

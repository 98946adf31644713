// Every program of examples/uop computes what an independent program of upstream's operations does: on the CPU, and on the
// simulated card, which computes all of it but for integers. Sums of integers are exact, of small ones in 16 bits as well; other results
// may round in the last places. The card has products, roots and transposes of 16 bits alone.

// RUN: spyre-opt %S/../../examples/uop/arange.mlir --convert-uop-to-linalg -o %t.arange.mlir
// RUN: spyre-run %t.arange.mlir --random-seed 1 --largest 1 --tolerance 1e-5 --compare %S/Inputs/uop-examples.mlir --compare-entry arange
// RUN: spyre-run %t.arange.mlir --random-seed 1 --largest 1 --tolerance 1e-5 --compare %S/Inputs/uop-examples.mlir --compare-entry arange --on=card --stats 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: spyre-opt %S/../../examples/uop/gemm.mlir --convert-uop-to-linalg -o %t.gemm.mlir
// RUN: spyre-run %t.gemm.mlir --random-seed 1 --integers 40 --compare %S/Inputs/uop-examples.mlir --compare-entry gemm
// RUN: spyre-run %t.gemm.mlir --random-seed 1 --integers 1 --compare %S/Inputs/uop-examples.mlir --compare-entry gemm --on=card --float=dl16 --stats 2>&1 | FileCheck %s
// RUN: spyre-opt %S/../../examples/uop/gather.mlir --convert-uop-to-linalg -o %t.gather.mlir
// RUN: spyre-run %t.gather.mlir --random-seed 1 --integers 40 --compare %S/Inputs/uop-examples.mlir --compare-entry gather
// RUN: spyre-run %t.gather.mlir --random-seed 1 --integers 1 --compare %S/Inputs/uop-examples.mlir --compare-entry gather --on=card --float=dl16 --stats 2>&1 | FileCheck %s --check-prefix=GATHERS
// RUN: spyre-opt %S/../../examples/uop/scatter_add.mlir --convert-uop-to-linalg -o %t.scatter_add.mlir
// RUN: spyre-run %t.scatter_add.mlir --random-seed 1 --integers 40 --compare %S/Inputs/uop-examples.mlir --compare-entry scatter_add
// RUN: spyre-run %t.scatter_add.mlir --random-seed 1 --integers 1 --compare %S/Inputs/uop-examples.mlir --compare-entry scatter_add --on=card --float=dl16 --stats 2>&1 | FileCheck %s --check-prefix=PART
// RUN: spyre-opt %S/../../examples/uop/prefix_sum.mlir --convert-uop-to-linalg -o %t.prefix_sum.mlir
// RUN: spyre-run %t.prefix_sum.mlir --random-seed 1 --integers 40 --compare %S/Inputs/uop-examples.mlir --compare-entry prefix_sum
// RUN: spyre-run %t.prefix_sum.mlir --random-seed 1 --integers 1 --compare %S/Inputs/uop-examples.mlir --compare-entry prefix_sum --on=card --float=dl16 --stats 2>&1 | FileCheck %s
// RUN: spyre-opt %S/../../examples/uop/softmax.mlir --convert-uop-to-linalg -o %t.softmax.mlir
// RUN: spyre-run %t.softmax.mlir --random-seed 1 --largest 1 --tolerance 1e-5 --compare %S/Inputs/uop-examples.mlir --compare-entry softmax
// RUN: spyre-run %t.softmax.mlir --random-seed 1 --largest 1 --tolerance 1e-5 --compare %S/Inputs/uop-examples.mlir --compare-entry softmax --on=card --stats 2>&1 | FileCheck %s
// RUN: spyre-opt %S/../../examples/uop/layer_norm.mlir --convert-uop-to-linalg -o %t.layer_norm.mlir
// RUN: spyre-run %t.layer_norm.mlir --random-seed 1 --largest 1 --tolerance 1e-5 --compare %S/Inputs/uop-examples.mlir --compare-entry layer_norm
// RUN: spyre-run %t.layer_norm.mlir --random-seed 1 --largest 1 --tolerance 5e-4 --compare %S/Inputs/uop-examples.mlir --compare-entry layer_norm --on=card --float=dl16 --stats 2>&1 | FileCheck %s
// RUN: spyre-opt %S/../../examples/uop/attention.mlir --convert-uop-to-linalg -o %t.attention.mlir
// RUN: spyre-run %t.attention.mlir --random-seed 1 --largest 1 --tolerance 1e-5 --compare %S/Inputs/uop-examples.mlir --compare-entry attention
// RUN: spyre-run %t.attention.mlir --random-seed 1 --largest 1 --tolerance 5e-4 --compare %S/Inputs/uop-examples.mlir --compare-entry attention --on=card --float=dl16 --stats 2>&1 | FileCheck %s
// CHECK: device: @{{.*}} elements
// CHECK: host: 0 elements
// CHECK: result 0: 0 of {{[0-9]+}} elements differ
// The host compares the indices of these with bounds and with each other.
// GATHERS-NOT: warning
// GATHERS: device: @gather_device_{{[0-9]}}, {{[1-9][0-9]*}} elements
// GATHERS: result 0: 0 of {{[0-9]+}} elements differ
// PART: device: @scatter_add_device_0, {{[1-9][0-9]*}} elements
// PART: host: {{[1-9][0-9]*}} elements
// PART: result 0: 0 of {{[0-9]+}} elements differ
// Positions are a constant.
// NOTHING-NOT: device:
// NOTHING: result 0: 0 of 64 elements differ

// The collectives, which have one value on all devices here.
// RUN: spyre-opt %S/../../examples/uop/collectives.mlir --convert-uop-to-linalg -o %t.collectives.mlir
// RUN: spyre-run %t.collectives.mlir --entry broadcast --random-seed 1 --integers 40 --compare %S/Inputs/uop-examples.mlir --compare-entry broadcast
// RUN: spyre-run %t.collectives.mlir --entry scatter --random-seed 1 --integers 40 --compare %S/Inputs/uop-examples.mlir --compare-entry scatter
// RUN: spyre-run %t.collectives.mlir --entry gather --random-seed 1 --integers 40 --compare %S/Inputs/uop-examples.mlir --compare-entry gather_parts
// RUN: spyre-run %t.collectives.mlir --entry reduce --random-seed 1 --integers 40 --compare %S/Inputs/uop-examples.mlir --compare-entry sum_of_parts
// RUN: spyre-run %t.collectives.mlir --entry allgather --random-seed 1 --integers 40 --compare %S/Inputs/uop-examples.mlir --compare-entry allgather
// RUN: spyre-run %t.collectives.mlir --entry reduce_scatter --random-seed 1 --integers 40 --compare %S/Inputs/uop-examples.mlir --compare-entry sum_of_parts
// RUN: spyre-run %t.collectives.mlir --entry allreduce --random-seed 1 --integers 40 --compare %S/Inputs/uop-examples.mlir --compare-entry sum_of_parts

// Where the results are, by the lines of their operations.
// RUN: spyre-opt %S/../../examples/uop/collectives.mlir --uop-print-properties -o %t.same.mlir 2>&1 | FileCheck %s --check-prefix=PLACES
// PLACES: collectives.mlir:8:8: remark: on d0, d1, d2, d3; in GLOBAL
// PLACES: collectives.mlir:14:8: remark: on d0, d1, d2, d3; shared along axis 0; in GLOBAL
// PLACES: collectives.mlir:20:8: remark: on d0; in GLOBAL
// PLACES: collectives.mlir:29:8: remark: on d0; in GLOBAL
// PLACES: collectives.mlir:38:8: remark: on d0, d1, d2, d3; in GLOBAL
// PLACES: collectives.mlir:48:8: remark: on d0, d1, d2, d3; shared along axis 0; in GLOBAL
// PLACES: collectives.mlir:62:8: remark: on d0, d1, d2, d3; in GLOBAL

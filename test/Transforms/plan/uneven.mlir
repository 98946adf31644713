// RUN: spyre-opt %s --spyre-plan | FileCheck %s
// RUN: spyre-opt %s --spyre-plan --remarks-filter=spyre-plan --mlir-disable-threading -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARKS
// RUN: spyre-opt %s --spyre-plan --coarse-tile --spyre-work-division | FileCheck %s --check-prefix=PARTS
// RUN: spyre-run %s --entry rows --check-pipeline='builtin.module(spyre-pipeline{plan=true})' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry without_names --check-pipeline='builtin.module(spyre-pipeline{plan=true})' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry sticks --check-pipeline='builtin.module(spyre-pipeline{plan=true})' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry product --largest 0.25 --tolerance 2e-2 --check-pipeline='builtin.module(spyre-pipeline{plan=true})' | FileCheck %s --check-prefix=CARD

// Extents that eight cores do not divide: a part that they divide, and the rest.

// CARD: same results
// CARD-NOT: different

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<509x704xf16, #stick>
!s = tensor<13x2752xf16, #stick>
!w = tensor<704x192xf16, #stick>
!p = tensor<509x192xf16, #stick>

module attributes {spyre.target = #spyre.target<cores = 8>} {

// 509 rows are a prime number of rows, and 704 columns are 11 sticks. One core would do all of it.
// REMARKS: [Passed] Chosen | {{.*}}Function=rows | {{.*}}Plan="A everywhere in parts of 504 and a rest,
// CHECK-LABEL: func.func @rows(
// CHECK: spyre.silu %{{.*}} tile [10000: "A" by 504]
// CHECK: spyre.mul %{{.*}} tile [10000: "A" by 504]
// PARTS-LABEL: func.func @rows(
// PARTS: spyre.silu %{{.*}} split [8, 1] : tensor<504x704xf16,
// PARTS: spyre.mul %{{.*}} split [8, 1] : tensor<504x704xf16,
// PARTS: spyre.silu %{{.*}} split [5, 1] : tensor<5x704xf16,
// PARTS: spyre.mul %{{.*}} split [5, 1] : tensor<5x704xf16,
func.func @rows(%g: !t {spyre.dims = ["A", "B"]}, %u: !t {spyre.dims = ["A", "B"]}) -> !t {
  %s = spyre.silu %g : !t
  %r = spyre.mul %s, %u : !t
  return %r : !t
}

// Arguments without names get some: one for the rows of both.
// CHECK-LABEL: func.func @without_names(
// CHECK-SAME: %{{[^:]*}}: tensor<509x704xf16, #{{.*}}> {spyre.dims = ["dim0", "dim1"]}, %{{[^:]*}}: tensor<509x704xf16, #{{.*}}> {spyre.dims = ["dim0", "dim1"]}
// CHECK: spyre.silu %{{.*}} tile [10000: "dim0" by 504]
// CHECK: spyre.mul %{{.*}} tile [10000: "dim0" by 504]
func.func @without_names(%g: !t, %u: !t) -> !t {
  %s = spyre.silu %g : !t
  %r = spyre.mul %s, %u : !t
  return %r : !t
}

// 13 rows and 43 sticks would fall to one core.
// REMARKS: [Passed] Chosen | {{.*}}Function=sticks | {{.*}}Plan="B everywhere in parts of 2560 and a rest,
// CHECK-LABEL: func.func @sticks(
// PARTS-LABEL: func.func @sticks(
// PARTS: spyre.silu %{{.*}} split [1, 8] : tensor<13x2560xf16,
// PARTS: spyre.mul %{{.*}} split [1, 8] : tensor<13x2560xf16,
// PARTS: spyre.silu %{{.*}} split [1, 3] : tensor<13x192xf16,
func.func @sticks(%g: !s {spyre.dims = ["A", "B"]}, %u: !s {spyre.dims = ["A", "B"]}) -> !s {
  %s = spyre.silu %g : !s
  %r = spyre.mul %s, %u : !s
  return %r : !s
}

// Two parts of the rows of a product would read its weights twice, which is more than a tenth of all bytes.
// REMARKS: [Missed] NotChosen | {{.*}}Function=product | CompulsoryBytes=1182464, DistinctBytes=1452800, {{.*}}Plan="A everywhere in parts of 504 and a rest,
// CHECK-LABEL: func.func @product(
// CHECK-NOT: tile
// CHECK: return
func.func @product(%x: !t {spyre.dims = ["A", "B"]}, %w: !w {spyre.dims = ["B", "C"]}) -> !p {
  %y = spyre.batchmatmul %x, %w : (!t, !w) -> !p
  %r = spyre.relufwd %y : !p
  return %r : !p
}
}

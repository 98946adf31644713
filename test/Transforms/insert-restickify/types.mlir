// RUN: spyre-opt %s --spyre-insert-restickify | FileCheck %s --implicit-check-not=layout_candidates
// RUN: spyre-opt %s --spyre-insert-restickify -o %t.once
// RUN: spyre-opt %t.once --spyre-insert-restickify | diff %t.once -
// RUN: spyre-opt %t.once --spyre-propagate-layouts --spyre-optimize-restickify --spyre-insert-restickify | diff %t.once -
// RUN: spyre-opt %s --spyre-propagate-layouts --spyre-insert-restickify | diff %t.once -
// RUN: spyre-opt %s --spyre-insert-restickify --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT

// Every value gets a type with its layout: arguments, results, what loops carry, constants and the function itself. The lists
// of candidates are gone. A second time there is nothing to do, and --spyre-propagate-layouts before changes nothing.

// CHECK-DAG: #[[$ROWS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$COLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
!t = tensor<512x512xf16>

// CHECK-LABEL: func.func @all(
// CHECK-SAME: %{{.*}}: tensor<512x512xf16, #[[$ROWS]]> {spyre.dims = ["A", "B"]}, %{{.*}}: index) -> (tensor<512x512xf16, #[[$COLS]]>, tensor<512x512xf16, #[[$ROWS]]>, index) {
func.func @all(%a: !t {spyre.dims = ["A", "B"]}, %n: index) -> (!t, !t, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: spyre.permute %{{.*}} [1, 0] : tensor<512x512xf16, #[[$ROWS]]> to tensor<512x512xf16, #[[$COLS]]>
  %t = spyre.permute %a [1, 0] {spyre.layout_candidates = [#cols]} : !t to !t
  // CHECK: spyre.fill dense<1.000000e+00> : tensor<512x512xf16, #[[$ROWS]]>
  %one = spyre.fill dense<1.0> : !t {spyre.layout_candidates = [#rows]}
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<512x512xf16, #[[$ROWS]]>) {
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %one) -> !t {
    // CHECK: tensor.extract_slice {{.*}} : tensor<512x512xf16, #[[$ROWS]]> to tensor<512x64xf16, #[[$ROWS]]>
    %w = tensor.extract_slice %acc[0, 64] [512, 64] [1, 1] : !t to tensor<512x64xf16>
    // CHECK: spyre.exp %{{.*}} : tensor<512x64xf16, #[[$ROWS]]>
    %e = spyre.exp %w : tensor<512x64xf16>
    // CHECK: tensor.insert_slice {{.*}} : tensor<512x64xf16, #[[$ROWS]]> into tensor<512x512xf16, #[[$ROWS]]>
    %s = tensor.insert_slice %e into %acc[0, 64] [512, 64] [1, 1] : tensor<512x64xf16> into !t
    // CHECK: scf.yield %{{.*}} : tensor<512x512xf16, #[[$ROWS]]>
    scf.yield %s : !t
  }
  return %t, %r, %n : !t, !t, index
}

// An argument that a loop carries, one that is inserted into, and one that a pinned operation reads a copy of.
// CHECK-LABEL: func.func @tied(
// CHECK-SAME: %{{.*}}: tensor<512x512xf16, #[[$ROWS]]>, %{{.*}}: tensor<512x512xf16, #[[$ROWS]]>, %{{.*}}: tensor<512x512xf16, #[[$ROWS]]>
func.func @tied(%a: !t, %b: !t, %c: !t, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for {{.*}} -> (tensor<512x512xf16, #[[$ROWS]]>) {
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %a) -> !t {
    %e = spyre.exp %acc : !t
    scf.yield %e : !t
  }
  // CHECK: tensor.insert_slice {{.*}} into tensor<512x512xf16, #[[$ROWS]]>
  %w = tensor.extract_slice %c[0, 64] [512, 64] [1, 1] : !t to tensor<512x64xf16>
  %s = tensor.insert_slice %w into %b[0, 0] [512, 64] [1, 1] : tensor<512x64xf16> into !t
  // CHECK: %[[C:.*]] = spyre.restickify %{{.*}} : (tensor<512x512xf16, #[[$ROWS]]>) -> tensor<512x512xf16, #[[$COLS]]>
  // CHECK: spyre.exp %[[C]] : tensor<512x512xf16, #[[$COLS]]>
  %p = spyre.exp %c : (!t) -> tensor<512x512xf16, #cols>
  return
}

// COUNT: spyre-insert-restickify
// COUNT-NEXT: (S) 1 restickifies - Copies that were inserted
// COUNT-NEXT: (S) {{[0-9]+}} values - Values that got a layout

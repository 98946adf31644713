// RUN: spyre-opt %s --spyre-optimize-restickify="width=1 report=true" --spyre-insert-restickify -o %t.narrow.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NARROW
// RUN: FileCheck %s --check-prefix=COPIES --implicit-check-not=spyre.restickify < %t.narrow.mlir
// RUN: spyre-opt %s --spyre-optimize-restickify="report=true" -o /dev/null 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: spyre-opt %s --spyre-optimize-restickify="width=9223372036854775807 report=true" -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WIDE
// RUN: not spyre-opt %s --spyre-optimize-restickify=width=0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not spyre-opt %s --spyre-optimize-restickify=width=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not spyre-opt %s --spyre-optimize-restickify=width=many 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not spyre-opt %s --spyre-optimize-restickify=breadth=1 2>&1 | FileCheck %s --check-prefix=NAME

// The width of the search. However narrow, the result is a program, and never worse than choosing for each operation alone;
// what it is not proven to be, it does not say.

// NARROW: remark: spyre-optimize-restickify: 4 copies of 1048576 elements together, at least 262144 elements are needed; choosing for each operation alone: 1048576 elements
// WIDE: remark: spyre-optimize-restickify: 2 copies of 524288 elements together, proven to be the cheapest; choosing for each operation alone: 1048576 elements
// ZERO: error: spyre-optimize-restickify: width must be positive, got 0
// NEGATIVE: error: spyre-optimize-restickify: width must be positive, got -1
// TEXT: 'many' value invalid
// NAME: no such option breadth

// COPIES-COUNT-4: spyre.restickify

!t = tensor<512x512xf16>
func.func @f(%a0: !t, %a1: !t, %a2: !t, %a3: !t) {
  %t0 = spyre.permute %a0 [1, 0] : !t to !t
  %t1 = spyre.permute %a1 [1, 0] : !t to !t
  %t2 = spyre.permute %a2 [1, 0] : !t to !t
  %t3 = spyre.permute %a3 [1, 0] : !t to !t
  %v0 = spyre.add %t3, %t0 : !t
  %v1 = spyre.add %v0, %v0 : !t
  %v2 = spyre.add %t1, %v1 : !t
  %v3 = spyre.add %t0, %t1 : !t
  %v4 = spyre.add %v2, %t0 : !t
  %v5 = spyre.add %t0, %v4 : !t
  %p5 = spyre.permute %v5 [1, 0] : !t to !t
  %v6 = spyre.add %v3, %t0 : !t
  %p6 = spyre.permute %v6 [1, 0] : !t to !t
  %v7 = spyre.add %v2, %t1 : !t
  %p7 = spyre.permute %v7 [1, 0] : !t to !t
  %v8 = spyre.add %a0, %v6 : !t
  %v9 = spyre.add %v0, %v2 : !t
  %v10 = spyre.add %p5, %v1 : !t
  %v11 = spyre.add %v9, %v10 : !t
  %p11 = spyre.permute %v11 [1, 0] : !t to !t
  %v12 = spyre.add %v3, %v0 : !t
  %v13 = spyre.add %p11, %v5 : !t
  return
}

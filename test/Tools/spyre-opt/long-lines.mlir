// An error on a line of thousands of characters shows the part around its place, and a long note its two ends.

// RUN: python3 -c 'print("func.func @f(%%x: tensor<4xf16> {spyre.text = \"" + 6000 * "a" + "\"}) { %%0 = spyre.foo %%x : tensor<4xf16> } " + 6000 * " ")' > %t.mlir
// RUN: not spyre-opt < %t.mlir 2> %t.opt
// RUN: FileCheck %s --input-file=%t.opt
// RUN: test $(wc -L < %t.opt) -eq 120
// RUN: not spyre-translate --spyre-to-bundle -o %t.bundle < %t.mlir 2> %t.translate
// RUN: diff %t.opt %t.translate
// RUN: not spyre-run --random-seed 1 - < %t.mlir 2> %t.run
// RUN: diff %t.opt %t.run
// CHECK: <stdin>:1:{{[0-9]+}}: error: custom op 'spyre.foo' is unknown
// CHECK-NEXT: {{^[.][.][.]a+}}"}) { %0 = spyre.foo %x : tensor<4xf16> } {{ *[.][.][.]$}}
// CHECK-NEXT: {{^ *[\^]$}}

// RUN: python3 -c 'print("func.func @g(%%x: tensor<4xf16>) -> tensor<4xf16> { %%0 = \"spyre.exp\"(%%x) {spyre.text = \"" + 6000 * "a" + "\"} : (tensor<4xf16>) -> tensor<8xf16> return %%x : tensor<4xf16> }")' > %t.note.mlir
// RUN: not spyre-opt < %t.note.mlir 2>&1 | FileCheck %s --check-prefix=NOTE
// NOTE: note: see current operation: {{.*}}aaa ... ({{[0-9]+}} bytes) ... aaa

// Columns are characters, of any number of bytes: dots replace whole ones, and the caret is below the operation.
// RUN: python3 -X utf8 -c 'print("func.func @f(%%x: tensor<4xf16> {spyre.text = \"" + 6000 * "\u00e9" + "\"}) { %%0 = spyre.foo %%x : tensor<4xf16> } // " + 6000 * "\u20ac")' > %t.wide.mlir
// RUN: not spyre-opt < %t.wide.mlir 2> %t.wide
// RUN: FileCheck %s --input-file=%t.wide --check-prefix=WIDE
// WIDE: <stdin>:1:{{[0-9]+}}: error: custom op 'spyre.foo' is unknown
// WIDE-NEXT: {{^[.][.][.](é)+}}"}) { %0 = spyre.foo %x : tensor<4xf16> } // {{(€)+[.][.][.]$}}
// WIDE-NEXT: {{^ *[\^]$}}
// RUN: python3 -X utf8 -c 'import sys; _, line, caret = open(sys.argv[1]).read().splitlines(); assert len(line) == 120 and line.index("spyre.foo") == caret.index("^"), caret' %t.wide

// The line of a long note is short: the caret is after the same tab, and counts characters.
// RUN: python3 -X utf8 -c 'print("func.func @g(%%x: tensor<4xf16>) {\n\t%%y = spyre.exp %%x {t = \"\u00e9\u00e9\"} : tensor<4xf16> %%z = \"spyre.exp\"(%%x)\n {t = \"" + 6000 * "a" + "\"} : (tensor<4xf16>) -> tensor<8xf16> return }")' > %t.tab.mlir
// RUN: not spyre-opt < %t.tab.mlir 2> %t.tab
// RUN: FileCheck %s --input-file=%t.tab --check-prefix=TAB --match-full-lines --strict-whitespace
//      TAB:<stdin>:2:{{[0-9]+}}: note: see current operation: {{.*}}
// TAB-NEXT:	%y = spyre.exp %x {t = "éé"} : tensor<4xf16> %z = "spyre.exp"(%x)
// TAB-NEXT:	                                                  ^

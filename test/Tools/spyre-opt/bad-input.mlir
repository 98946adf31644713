// Input that cannot be read: exit code 1 and a message. `not` does not accept a crash.

// RUN: not spyre-opt %t.missing.mlir 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: cannot open input file '{{.*}}.missing.mlir': No such file or directory

// RUN: not spyre-opt %S 2>&1 | FileCheck %s --check-prefix=DIRECTORY
// DIRECTORY: cannot open input file '{{.*}}': Is a directory

// RUN: not spyre-opt %s -o %t.missing/out.mlir 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: No such file or directory

// RUN: sed '/^  %y/,$d' %s > %t.half.mlir
// RUN: not spyre-opt %t.half.mlir 2>&1 | FileCheck %s --check-prefix=HALF
// HALF: half.mlir:[[#]]:[[#]]: error: {{.*}}

// Every proper prefix of bytecode is refused.
// RUN: spyre-opt %s --emit-bytecode -o %t.bc
// RUN: for size in 4 10 40 100 200 400; do head -c $size %t.bc > %t.cut.bc; not spyre-opt %t.cut.bc || exit 1; done 2>&1 | FileCheck %s --check-prefix=CUT
// CUT-COUNT-6: error: {{.+}}

// RUN: printf '\0\377\376garbage' > %t.garbage && not spyre-opt %t.garbage 2>&1 | FileCheck %s --check-prefix=GARBAGE
// GARBAGE: error: {{.+}}

// RUN: sed 's/#spyre.layout</#spyre.lay</' %s > %t.attribute.mlir
// RUN: not spyre-opt %t.attribute.mlir 2>&1 | FileCheck %s --check-prefix=ATTRIBUTE
// ATTRIBUTE: error: unknown attribute `lay` in dialect `spyre`

// RUN: sed 's/spyre.add/spyre.addd/' %s > %t.operation.mlir
// RUN: not spyre-opt %t.operation.mlir 2>&1 | FileCheck %s --check-prefix=OPERATION
// OPERATION: error: custom op 'spyre.addd' is unknown

// RUN: sed 's/#spyre.layout</#sprye.layout</' %s > %t.dialect.mlir
// RUN: not spyre-opt %t.dialect.mlir 2>&1 | FileCheck %s --check-prefix=DIALECT
// DIALECT: error: {{.*}}created with unregistered dialect

// RUN: sed 's/d1 floordiv 64/d2 floordiv 64/' %s > %t.map.mlir
// RUN: not spyre-opt %t.map.mlir 2>&1 | FileCheck %s --check-prefix=MAP
// MAP: error: use of undeclared identifier

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<1024x4096xf16, #stick>

func.func @add_mul(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]}, %c: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 4] : !t
  %z = spyre.mul %y, %c tile [0: "A" in 2, 1: "B" in 4] : !t
  return %z : !t
}

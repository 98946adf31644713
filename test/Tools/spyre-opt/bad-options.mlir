// Options that cannot be: exit code 1 and a message that names them. `not` does not accept a crash.

// RUN: not spyre-opt %s --no-such-pass 2>&1 | FileCheck %s --check-prefix=FLAG
// FLAG: Unknown command line argument '--no-such-pass'

// RUN: not spyre-opt %s --pass-pipeline='builtin.module(func.func(no-such-pass))' 2>&1 | FileCheck %s --check-prefix=PASS
// PASS: 'no-such-pass' does not refer to a registered pass or pass pipeline

// RUN: not spyre-opt %s --coarse-tile="tiles=3" 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not spyre-opt %s --pass-pipeline='builtin.module(func.func(coarse-tile{tiles=3}))' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: no such option tiles

// RUN: not spyre-opt %s --coarse-tile="groups" 2>&1 | FileCheck %s --check-prefix=NO-VALUE
// NO-VALUE: for the --groups option: requires a value!

// RUN: not spyre-opt %s --pass-pipeline='builtin.module(coarse-tile)' 2>&1 | FileCheck %s --check-prefix=ANCHOR
// ANCHOR: Can't add pass 'coarse-tile' restricted to 'func.func' on a PassManager intended to run on 'builtin.module'

// RUN: not spyre-opt %s --pass-pipeline='builtin.module(func.func(coarse-tile)' 2>&1 | FileCheck %s --check-prefix=SYNTAX
// SYNTAX: MLIR Textual PassPipeline Parser{{.*}}error: encountered unbalanced parentheses while parsing pipeline

// What only the pass can judge is an error at the function or at the operation.
// RUN: not spyre-opt %s --coarse-tile="groups=x" 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: bad-options.mlir:[[#@LINE+11]]:1: error: coarse-tile: cannot read group 'x': expected ':' between operations and counts

// RUN: not spyre-opt %s --coarse-tile="groups=0-1:3@2" 2>&1 | FileCheck %s --check-prefix=DIMENSION
// DIMENSION: bad-options.mlir:[[#@LINE+9]]:8: error: coarse-tile: no operation of the group has a dimension 2 of more than one element

// No output beside the message.
// RUN: not spyre-opt %s --coarse-tile="groups=x" -o %t && test ! -e %t

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<1024x4096xf16, #stick>

func.func @add_mul(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]}, %c: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 4] : !t
  %z = spyre.mul %y, %c tile [0: "A" in 2, 1: "B" in 4] : !t
  return %z : !t
}

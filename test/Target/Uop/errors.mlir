// What is no program is refused with its place in the file, or at its operation.

// RUN: sed 's/"uop-graph-1"/"uops"/' %S/Inputs/scores.json | not spyre-translate --import-uop - 2>&1 | FileCheck %s --check-prefix=FORMAT
// FORMAT: <stdin>: error: at format: expected "uop-graph-1", got "uops"

// RUN: sed 's/"op":"Sub"/"op":"Wmma"/' %S/Inputs/scores.json | not spyre-translate --import-uop - 2>&1 | FileCheck %s --check-prefix=SCOPE
// SCOPE: <stdin>: error: at nodes[3].op: Wmma is an operation of generated code, and no part of a program

// RUN: sed 's/"axes":\[1\]/"axes":[2]/' %S/Inputs/scores.json | not spyre-translate --import-uop - 2>&1 | FileCheck %s --check-prefix=RULE
// RULE: <stdin>: error: at nodes[1]: [U17] the axes [2] are not ascending axes of a tensor of rank 2

// RUN: sed 's/"node":19/"node":20/' %S/Inputs/scores.json | not spyre-translate --import-uop - 2>&1 | FileCheck %s --check-prefix=RESULT
// RESULT: <stdin>: error: at outputs[1].node: there is no node 20

// RUN: sed 's/"node":9/"node":8/; s/"node": 9/"node": 8/' %S/../../uop-programs/unwritten.json | not spyre-translate --import-uop - 2>&1 | FileCheck %s --check-prefix=EFFECT
// EFFECT: <stdin>: error: at outputs[{{[0-9]+}}].node: an output is a tensor, and node 8 is an effect

// RUN: not spyre-translate --import-uop %S/Inputs/nothing.json 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: {{.*}}nothing.json: No such file or directory

// RUN: not spyre-translate --export-uop %s 2>&1 | FileCheck %s --check-prefix=FOREIGN
// FOREIGN: errors.mlir:[[@LINE+3]]:{{.*}} error: 'arith.negf' is no operation of a tensor program

func.func @foreign(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.negf %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

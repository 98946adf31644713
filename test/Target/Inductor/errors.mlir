// What is no graph is refused with its place in the file.

// RUN: sed 's/"inductor-loop-ir"/"loops"/' %S/Inputs/kernels.json | not spyre-translate --import-inductor - 2>&1 | FileCheck %s --check-prefix=FORMAT
// FORMAT: <stdin>: error: at format: expected "inductor-loop-ir", got "loops"

// RUN: sed 's/"version":1/"version":7/' %S/Inputs/kernels.json | not spyre-translate --import-inductor - 2>&1 | FileCheck %s --check-prefix=VERSION
// VERSION: error: at version: expected 1, got 7

// RUN: sed 's/"stride":\[5,1\]/"stride":[5,"row"]/' %S/Inputs/kernels.json | not spyre-translate --import-inductor - 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: at inputs[1].layout.stride: 'row' is no loop, no indirect index and no symbol here

// RUN: sed 's/"dtype":"f32"/"dtype":"u16"/' %S/Inputs/kernels.json | not spyre-translate --import-inductor - 2>&1 | FileCheck %s --check-prefix=DTYPE
// DTYPE: error: at inputs[0].layout.dtype: 'u16' is no element type; there are f64, f32, f16, bf16, f8E4M3FN, f8E5M2, i64, i32, i16, i8, u8, bool, complex<f64> and complex<f32>

// RUN: sed 's/"dtype":"f32"/"dtype":"complex<f32>"/' %S/Inputs/kernels.json | not spyre-translate --import-inductor - 2>&1 | FileCheck %s --check-prefix=COMPLEX
// COMPLEX: error: at ops[0].body.blocks.body[0].buffer: a loop nest does not compute with complex numbers; torch.view_as_real gives their parts as a dimension of real numbers

// RUN: sed 's/"stride":\[5,1\]/"stride":[5,true]/' %S/Inputs/kernels.json | not spyre-translate --import-inductor - 2>&1 | FileCheck %s --check-prefix=JSON
// JSON: error: at inputs[1].layout.stride[1]: invalid type: boolean `true`, expected an integer, a name, or a list

// RUN: sed 's/"buffer":"buf2","index"/"buffer":"buf9","index"/' %S/Inputs/kernels.json | not spyre-translate --import-inductor - 2>&1 | FileCheck %s --check-prefix=BUFFER
// BUFFER: error: at ops[4].body.blocks.body[0].buffer: 'buf9' is no input, constant or earlier buffer

// RUN: sed 's/"args":\["%%load","%%constant"\]/"args":["%%load","%%nothing"]/' %S/Inputs/kernels.json | not spyre-translate --import-inductor - 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: error: at ops[0].body.blocks.body[2].args: "%nothing" is no earlier value

// RUN: head -c 4000 %S/Inputs/kernels.json | not spyre-translate --import-inductor - 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: error: at {{.*}}: EOF while parsing

// RUN: not spyre-translate --import-inductor %S/Inputs/load-of-a-size.json 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: error: at ops[0].body.blocks.body[0].index.at.s: 's' is no tensor

// RUN: sed 's/"ops":/"ops":[],"ops":/' %S/Inputs/kernels.json | not spyre-translate --import-inductor - 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: at .: duplicate field `ops`

// RUN: not spyre-translate --import-inductor %t.missing.json 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: {{.*}}missing.json: No such file or directory

// RUN: not spyre-translate --export-inductor %s 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: the module has no inductor.graph, or several

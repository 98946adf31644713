// Graphs that PyTorch 2.12 has exported come back as they were: text of the module, its bytecode, and its generic form in between.

// RUN: spyre-translate --import-inductor %S/Inputs/block.json -o %t.block.mlir
// RUN: spyre-translate --export-inductor %t.block.mlir | diff - %S/Inputs/block.json
// RUN: spyre-opt %t.block.mlir --emit-bytecode | spyre-translate --export-inductor | diff - %S/Inputs/block.json
// RUN: spyre-opt %t.block.mlir --mlir-print-op-generic | spyre-translate --export-inductor | diff - %S/Inputs/block.json
// RUN: spyre-translate --import-inductor %S/Inputs/dynamic.json | spyre-translate --export-inductor | diff - %S/Inputs/dynamic.json
// RUN: cat %S/Inputs/kernels.json | spyre-translate --import-inductor - | spyre-translate --export-inductor | diff - %S/Inputs/kernels.json
// RUN: spyre-translate --import-inductor %S/Inputs/borders.json -o %t.borders.mlir
// RUN: spyre-opt %t.borders.mlir | spyre-translate --export-inductor | diff - %S/Inputs/borders.json
// RUN: sed '0,/"kind":"tensor","layout":{[^}]*}/s//&,"source":"layers.0.weight"/' %S/Inputs/block.json > %t.named.json
// RUN: spyre-translate --import-inductor %t.named.json -o %t.named.mlir
// RUN: spyre-translate --export-inductor %t.named.mlir | diff - %t.named.json
// RUN: FileCheck %s --check-prefix=NAMED < %t.named.mlir
// NAMED: inductor.input "arg0_1" {source = "layers.0.weight"} : tensor<
// RUN: FileCheck %s < %t.block.mlir
// RUN: FileCheck %s --check-prefix=BORDERS < %t.borders.mlir
// RUN: spyre-translate --import-inductor %S/Inputs/dynamic.json | FileCheck %s --check-prefix=DYNAMIC
// RUN: spyre-translate --import-inductor %S/Inputs/kernels.json | FileCheck %s --check-prefix=KERNELS

// A product, and what is padded, in one buffer.
// CHECK:       inductor.graph @graph0 attributes {
// CHECK-SAME:    device = "cpu"
// CHECK:         %[[X:.*]] = inductor.input "arg0_1"
// CHECK:         inductor.extern {{.*}} "ExternKernelOut" "aten.mm.out"({{.*}}) {{.*}}kernel = "extern_kernels.mm"
// CHECK:         inductor.reduction {{.*}} max [64, 1] over [128] from f32 hint "INNER"
// CHECK:           inductor.load {{.*}} at #{{.*}}(%i0, %i1) : tensor<64x128xf32, #{{.*}}> -> f32
// CHECK:           inductor.store {{.*}} at #{{.*}}(%i0, %i1) : f32
// CHECK:         } {hints = [{dims = {rows = 4 : i64}, nodes = ["amax"], positions = {rows = 0 : i64}, shape = [64, 128]}]
// CHECK:           inductor.masked %{{.*}} else 5.000000e-01 : f32 {
// CHECK:             inductor.load
// CHECK:             inductor.yield
// CHECK:         inductor.concat {{.*}} -> tensor<64x144xf32
// CHECK:         inductor.reduction {{.*}} argmax [64] over [128] from f32

// DYNAMIC:     inductor.graph @graph0 symbols [#inductor.sym<"s{{[0-9]+}}", hint = {{[0-9]+}}, min = 2>
// DYNAMIC:       inductor.input {{.*}} size [s3] : index
// DYNAMIC:         math.erf
// DYNAMIC:         inductor.indirect %{{.*}} below [s0] check wrap : i64
// DYNAMIC:       } {{.*}} : tensor<?x?x?xf32, #{{.*}}>

// KERNELS:       inductor.extern {{.*}} "FallbackKernel" "aten.topk.default"({{.*}} -> !inductor.results
// KERNELS-NEXT:  inductor.multi_output {{.*}} {{\[}}["tuple", 0]]
// KERNELS:       inductor.to_dtype %{{.*}} from f32 to bf16 compute : f32 -> f32
// KERNELS:       inductor.apply "relu"
// KERNELS:       inductor.pointwise {{.*}} into %arg0_1
// KERNELS:       inductor.return {{.*}} mutated ["arg0_1"]

// Paddings that reflect and repeat, a rotation, an average at borders, positions of a one: functions that no affine map has.
// BORDERS:     inductor.apply "device_assert_async"(%{{.*}}) {message = "one_hot: Class values must be non-negative."} : (i1) -> i1
// BORDERS:     inductor.index_apply "abs" #{{.*}}(%i0, %i1, %i2)
// BORDERS:     inductor.check_bounds #{{.*}}(%i0, %i1, %i2) below [8]
// BORDERS:     %[[LOW:.*]] = inductor.index_apply "max" #{{.*}}(%i0, %i1, %i2)
// BORDERS:     %[[HIGH:.*]] = inductor.index_apply "min" #{{.*}}(%i0, %i1, %i2, %[[LOW]])
// BORDERS:     inductor.load %{{.*}} at #{{.*}}%[[HIGH]]
// BORDERS:     inductor.index_apply "mul"
// BORDERS:     inductor.apply "truediv"(%{{.*}}, %{{.*}}) : (f32, i32) -> f32

// Programs come back as they were: the text of the module, its bytecode, and its generic form in between. What a file has besides
// the program is left out, and nodes are numbered anew.

// RUN: spyre-translate --import-uop %S/Inputs/scores.json -o %t.mlir
// RUN: spyre-translate --export-uop %t.mlir -o %t.json
// RUN: FileCheck %s --input-file %t.mlir
// RUN: FileCheck %s --check-prefix=JSON --input-file %t.json
// RUN: spyre-opt %t.mlir --emit-bytecode | spyre-translate --export-uop | diff - %t.json
// RUN: spyre-opt %t.mlir --mlir-print-op-generic | spyre-translate --export-uop | diff - %t.json
// RUN: spyre-translate --import-uop %t.json | spyre-translate --export-uop | diff - %t.json
// RUN: cat %S/Inputs/effects.json | spyre-translate --import-uop - | FileCheck %s --check-prefix=EFFECTS
// RUN: spyre-translate --import-uop %S/Inputs/effects.json | spyre-translate --export-uop | spyre-translate --import-uop - | FileCheck %s --check-prefix=EFFECTS

// Buffers are arguments in the order of their numbers, and a body is a function.
// CHECK:      func.func @main(%[[B:.*]]: tensor<4xui8> {uop.slot = 0 : i64}, %[[X:.*]]: tensor<2x3xf32> {uop.slot = 1 : i64}) -> (tensor<2x3xf32>, tensor<1xui32>)
// CHECK-SAME: uop.category = "example", uop.description = "a function of two results, called on scaled rows", uop.name = "scores"
// CHECK:        %[[S:.*]] = uop.mul %[[X]], %{{.*}} : tensor<2x3xf32>
// CHECK:        %[[C:.*]]:2 = call @body0(%[[S]]) : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x1xf32>)
// CHECK:        %[[F:.*]] = uop.flip %[[B]] [true] : tensor<4xui8>
// CHECK:        %[[W:.*]] = uop.bitcast %[[F]] to ui32 : tensor<4xui8>
// CHECK:        return %[[C]]#0, %[[W]]
// CHECK:      func.func private @body0(%[[P:.*]]: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x1xf32>)
// CHECK:        uop.reduce max %[[P]] axes [1] : tensor<2x3xf32>

// JSON:      "name": "scores"
// JSON:      {"id":0,"op":"Buffer","dtype":"u8","shape":[4],"src":[],"arg":{"slot":0
// JSON:      {"id":[[P:[0-9]+]],"op":"Param","dtype":"f32","shape":[2,3],"src":[],"arg":{"slot":0}}
// JSON:      {"id":[[M:[0-9]+]],"op":"Reduce","dtype":"f32","shape":[2,1],"src":[[[P]]],"arg":{"op":"Max","axes":[1]}}
// JSON:      {"id":[[T:[0-9]+]],"op":"Tuple","dtype":"void","shape":null,"src":[{{[0-9]+}},[[M]]],"arg":{}}
// JSON:      {"id":[[F:[0-9]+]],"op":"Function","dtype":"void","shape":null,"src":[[[T]],{{[0-9]+}}],"arg":{}}
// JSON:      {"id":[[G:[0-9]+]],"op":"GetTuple","dtype":"f32","shape":[2,3],"src":[[[F]]],"arg":{"index":0}}
// JSON:      {"id":[[R:[0-9]+]],"op":"Tuple","dtype":"void","shape":null,"src":[[[G]],{{[0-9]+}}],"arg":{}}
// JSON:      "result": [[R]]

// EFFECTS:      func.func @main(%[[A:.*]]: tensor<4xi32> {uop.device = "d0", uop.slot = 0 : i64}, %[[GATE:.*]]: tensor<4xi1> {uop.slot = 1 : i64}) -> !uop.effect
// EFFECTS:        %[[B:.*]] = uop.buffer 7 local on ["d0", "d1"] : tensor<4xi32>
// EFFECTS:        uop.const dense<[1, 255, 0, 128]> : tensor<4xui8>
// EFFECTS:        %[[L:.*]] = uop.load %[[A]] if %[[GATE]] : tensor<4xi1> else %{{.*}} : tensor<4xi32> into reg on "d0" : tensor<4xi32>
// EFFECTS:        uop.load %[[A]] : tensor<4xi32>
// EFFECTS:        uop.mulacc
// EFFECTS:        %[[E:.*]] = uop.store %{{.*}} into %[[B]] : tensor<4xi32>
// EFFECTS:        %[[F:.*]] = uop.store %{{.*}} into %[[B]] if %[[GATE]] : tensor<4xi1> in : tensor<4xi32>
// EFFECTS:        %[[ORDER:.*]] = uop.linear %[[E]], %[[F]]
// EFFECTS:        uop.after %[[B]], %[[ORDER]] : tensor<4xi32>, !uop.effect
// EFFECTS:        %[[I:.*]] = uop.range 2 to 4 group_reduce : tensor<index>
// EFFECTS:        uop.reduce mul %{{.*}} axes [] over %[[I]] : tensor<index> in : tensor<i32>
// EFFECTS:        uop.variable "n" from 1 to 9 : tensor<index>
// EFFECTS:        uop.end %{{.*}}, %{{.*}} : tensor<index>
// EFFECTS:        uop.group
// EFFECTS:        %[[SINK:.*]] = uop.sink
// EFFECTS:        return %[[SINK]] : !uop.effect

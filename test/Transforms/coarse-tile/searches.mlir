// Searches for one element, cut along the dimension that they search: the element so far and its position are carried.

// RUN: spyre-opt %s --coarse-tile -o %t.tiled.mlir
// RUN: FileCheck %s --input-file %t.tiled.mlir
// RUN: spyre-run %s --entry along_the_stick --compare %t.tiled.mlir --random-seed 1 --poison --special-values
// RUN: spyre-run %s --entry along_the_stick --compare %t.tiled.mlir --random-seed 2 --poison --integers 1
// RUN: spyre-run %s --entry across_the_stick --compare %t.tiled.mlir --random-seed 3 --poison --special-values
// RUN: spyre-run %s --entry across_the_stick --compare %t.tiled.mlir --random-seed 4 --poison --integers 1
// RUN: spyre-run %s --entry in_two_levels --compare %t.tiled.mlir --random-seed 5 --poison --special-values
// RUN: spyre-run %s --entry in_two_levels --compare %t.tiled.mlir --random-seed 6 --poison --integers 1
// RUN: spyre-run %s --entry smallest --compare %t.tiled.mlir --random-seed 7 --poison --special-values
// RUN: spyre-run %s --entry smallest --compare %t.tiled.mlir --random-seed 8 --poison --integers 1
// RUN: spyre-run %s --entry position_first --compare %t.tiled.mlir --random-seed 9 --poison --special-values
// RUN: spyre-run %s --entry position_first --compare %t.tiled.mlir --random-seed 10 --poison --integers 1
// RUN: spyre-run %s --entry elements_alone --compare %t.tiled.mlir --random-seed 11 --poison --special-values
// RUN: spyre-run %s --entry position_in_the_middle --compare %t.tiled.mlir --random-seed 12 --poison --integers 1

// RUN: spyre-opt %s --coarse-tile --remarks-filter=coarse-tile -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: ValueAccumulated | Category:coarse-tile | Function=along_the_stick{{.*}}put together with the element so far{{.*}}Reason="a loop cuts the dimension that it searches"
// REMARK: ValueAccumulated | Category:coarse-tile | Function=along_the_stick{{.*}}put together with the position so far

// That it is the first of equal elements matters: keeping the element so far only where it is larger is seen.
// RUN: sed 's/spyre.greaterequal/spyre.greaterthan/' %t.tiled.mlir > %t.last.mlir
// RUN: not spyre-run %s --entry along_the_stick --compare %t.last.mlir --random-seed 2 --poison --integers 1 | FileCheck %s --check-prefix=DIFFERENT
// So does NaN.
// RUN: sed 's/spyre.notequal/spyre.lesserthan/' %t.tiled.mlir > %t.nan.mlir
// RUN: not spyre-run %s --entry along_the_stick --compare %t.nan.mlir --random-seed 1 --poison --special-values | FileCheck %s --check-prefix=DIFFERENT
// DIFFERENT: result {{.}}: {{[1-9]}}

// The position comes from the element that topkvalue carries. It counts from the start of the next tile, so every tile
// subtracts its extent.
// CHECK-LABEL: func.func @along_the_stick(
// CHECK:         %[[ROWS:.+]]:2 = scf.for
// CHECK-DAG:       %[[LOWEST:.+]] = spyre.fill dense<0xFC00> : tensor<32x1xf16>
// CHECK-DAG:       %[[FIRST:.+]] = spyre.fill dense<0> : tensor<32x1xi32>
// CHECK:           %[[FOUND:.+]]:2 = scf.for %{{.+}} = %{{.+}} to %c3 step %{{.+}} iter_args(%[[BEST:.+]] = %[[LOWEST]], %[[AT:.+]] = %[[FIRST]])
// CHECK:             %[[TILE:.+]] = tensor.extract_slice %arg0{{.*}} [32, 128] [1, 1]
// CHECK:             %[[VALUE:.+]] = spyre.topkvalue %[[TILE]] dim 1 k 1 : (tensor<32x128xf16>) -> tensor<32x1xf16>
// CHECK-NEXT:        %[[KEEP:.+]] = spyre.greaterequal %[[BEST]], %[[VALUE]]
// CHECK-NEXT:        %[[NAN:.+]] = spyre.notequal %[[BEST]], %[[BEST]]
// CHECK-NEXT:        %[[LARGER:.+]] = spyre.where3 %[[KEEP]], %[[BEST]], %[[VALUE]]
// CHECK-NEXT:        %[[NEXT:.+]] = spyre.where3 %[[NAN]], %[[BEST]], %[[LARGER]]
// CHECK-NEXT:        %[[INDEX:.+]] = spyre.topkindex %[[TILE]] dim 1 k 1 : (tensor<32x128xf16>) -> tensor<32x1xi32>
// CHECK-NEXT:        %[[PLACE:.+]] = spyre.where3 %[[KEEP]], %[[AT]], %[[INDEX]]
// CHECK-NEXT:        %[[CHOSEN:.+]] = spyre.where3 %[[NAN]], %[[AT]], %[[PLACE]]
// CHECK-NEXT:        %[[EXTENT:.+]] = spyre.fill dense<128> : tensor<32x1xi32>
// CHECK-NEXT:        %[[MOVED:.+]] = spyre.sub %[[CHOSEN]], %[[EXTENT]]
// CHECK-NEXT:        scf.yield %[[NEXT]], %[[MOVED]]
// CHECK:           %[[WHOLE:.+]] = spyre.fill dense<448> : tensor<32x1xi32>
// CHECK:           spyre.add %{{.+}}, %[[WHOLE]] : tensor<32x1xi32>
func.func @along_the_stick(%x: tensor<64x448xf16> {spyre.dims = ["A", "B"]}) -> (tensor<64x1xf16>, tensor<64x1xi32>) {
  %v = spyre.topkvalue %x dim 1 k 1 tile [0: "A" in 2, 1: "B" by 128] : (tensor<64x448xf16>) -> tensor<64x1xf16>
  %i = spyre.topkindex %x dim 1 k 1 tile [0: "A" in 2, 1: "B" by 128] : (tensor<64x448xf16>) -> tensor<64x1xi32>
  return %v, %i : tensor<64x1xf16>, tensor<64x1xi32>
}

// Without a topkvalue, the element is carried all the same. 16-bit truth values have sticks of 64 and positions of 32, so a
// search among two elements says which is first. The last tile, which is shorter, needs no element behind it.
// CHECK-LABEL: func.func @across_the_stick(
// CHECK:         %[[FOUND:.+]]:2 = scf.for %{{.+}} iter_args(%[[AT:.+]] = %{{.+}}, %[[BEST:.+]] = %{{.+}}) -> (tensor<1x256xi32>, tensor<1x256xf16>) {
// CHECK:           %[[INDEX:.+]] = spyre.topkindex %{{.+}} dim 0 k 1 : (tensor<9x256xf16>) -> tensor<1x256xi32>
// CHECK:           %[[VALUE:.+]] = spyre.topkvalue %{{.+}} dim 0 k 1 : (tensor<9x256xf16>) -> tensor<1x256xf16>
// CHECK:           %[[ONE:.+]] = tensor.insert_slice %[[BEST]] into %{{.+}}[0, 0] [1, 256] [1, 1] : tensor<1x256xf16> into tensor<2x256xf16>
// CHECK:           %[[BOTH:.+]] = tensor.insert_slice %[[VALUE]] into %[[ONE]][1, 0] [1, 256] [1, 1]
// CHECK:           %[[WHICH:.+]] = spyre.topkindex %[[BOTH]] dim 0 k 1 : (tensor<2x256xf16>) -> tensor<1x256xi32>
// CHECK:           %[[NEXT:.+]] = spyre.topkvalue %[[BOTH]] dim 0 k 1 : (tensor<2x256xf16>) -> tensor<1x256xf16>
// CHECK:           %[[DISTANCE:.+]] = spyre.sub %[[INDEX]], %[[AT]]
// CHECK:           %[[MOVE:.+]] = spyre.mul %[[DISTANCE]], %[[WHICH]]
// CHECK:           spyre.add %[[AT]], %[[MOVE]]
// CHECK:           scf.yield %{{.+}}, %[[NEXT]]
// CHECK:         }
// CHECK:         spyre.topkindex %{{.+}} dim 0 k 1 : (tensor<8x256xf16>) -> tensor<1x256xi32>
// CHECK:         spyre.topkindex %{{.+}} dim 0 k 1 : (tensor<2x256xf16>) -> tensor<1x256xi32>
// CHECK-NOT:     spyre.topkvalue %{{.+}} dim 0 k 1 : (tensor<2x256xf16>)
// CHECK:         return
func.func @across_the_stick(%x: tensor<35x256xf16> {spyre.dims = ["A", "B"]}) -> tensor<1x256xi32> {
  %i = spyre.topkindex %x dim 0 k 1 tile [0: "A" in 4] : (tensor<35x256xf16>) -> tensor<1x256xi32>
  return %i : tensor<1x256xi32>
}

// Cut twice, with another dimension between, and neither divides.
// CHECK-LABEL: func.func @in_two_levels(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             spyre.topkindex %{{.+}} dim 0 k 1 : (tensor<4x96xf32>) -> tensor<1x96xi32>
func.func @in_two_levels(%x: tensor<29x200xf32> {spyre.dims = ["A", "B"]}) -> (tensor<1x200xi32>, tensor<1x200xf32>) {
  %v = spyre.topkvalue %x dim 0 k 1 tile [0: "A" by 10, 1: "B" in 3, 2: "A" in 3] : (tensor<29x200xf32>) -> tensor<1x200xf32>
  %i = spyre.topkindex %x dim 0 k 1 tile [0: "A" by 10, 1: "B" in 3, 2: "A" in 3] : (tensor<29x200xf32>) -> tensor<1x200xi32>
  return %i, %v : tensor<1x200xi32>, tensor<1x200xf32>
}

// The smallest is the largest of what is negated, which happens to each tile.
// CHECK-LABEL: func.func @smallest(
// CHECK:         scf.for
// CHECK:           %[[MINUS:.+]] = spyre.neg %{{.+}} : tensor<24x64xbf16>
// CHECK:           spyre.topkindex %[[MINUS]] dim 1 k 1 : (tensor<24x64xbf16>) -> tensor<24x1xi64>
func.func @smallest(%x: tensor<24x192xbf16> {spyre.dims = ["A", "B"]}) -> tensor<24x1xi64> {
  %n = spyre.neg %x tile [0: "B" in 3] : tensor<24x192xbf16>
  %i = spyre.topkindex %n dim 1 k 1 tile [0: "B" in 3] : (tensor<24x192xbf16>) -> tensor<24x1xi64>
  return %i : tensor<24x1xi64>
}

// A topkvalue behind has its own element; what reads the result is behind the loop.
// CHECK-LABEL: func.func @position_first(
// CHECK:         scf.for {{.*}} -> (tensor<24x1xi32>, tensor<24x1xf16>, tensor<24x1xf16>)
// CHECK:         }
// CHECK:         spyre.exp %{{.+}} : tensor<24x1xf16>
func.func @position_first(%x: tensor<24x192xf16> {spyre.dims = ["A", "B"]}) -> (tensor<24x1xi32>, tensor<24x1xf16>) {
  %i = spyre.topkindex %x dim 1 k 1 tile [0: "B" in 3] : (tensor<24x192xf16>) -> tensor<24x1xi32>
  %v = spyre.topkvalue %x dim 1 k 1 tile [0: "B" in 3] : (tensor<24x192xf16>) -> tensor<24x1xf16>
  %e = spyre.exp %v tile [0: "B" in 3] : tensor<24x1xf16>
  return %i, %e : tensor<24x1xi32>, tensor<24x1xf16>
}

// Elements without positions: there is nothing to say which came first.
// CHECK-LABEL: func.func @elements_alone(
// CHECK:         scf.for
// CHECK-NOT:       spyre.topkindex
// CHECK:           spyre.topkvalue %{{.+}} dim 0 k 1 : (tensor<2x128xf16>) -> tensor<1x128xf16>
// CHECK-NOT:       spyre.topkindex
// CHECK:         return
func.func @elements_alone(%x: tensor<64x128xf16> {spyre.dims = ["A", "B"]}) -> tensor<1x128xf16> {
  %n = spyre.neg %x tile [0: "A" in 2] : tensor<64x128xf16>
  %v = spyre.topkvalue %n dim 0 k 1 tile [0: "A" in 2] : (tensor<64x128xf16>) -> tensor<1x128xf16>
  return %v : tensor<1x128xf16>
}

// The body of the last tile has a loop of its own, which passes the element on as it is.
// CHECK-LABEL: func.func @position_in_the_middle(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             spyre.topkindex %{{.+}} dim 1 k 1 : (tensor<1x6x64xf32>)
// CHECK:         scf.for %{{.+}} iter_args(%{{.+}} = %{{.+}}, %[[BEST:.+]] = %{{.+}}) -> (tensor<2x1x64xi32>, tensor<2x1x64xf32>) {
// CHECK:           spyre.topkindex %{{.+}} dim 1 k 1 : (tensor<1x4x64xf32>)
// CHECK:           scf.yield %{{.+}}, %[[BEST]]
func.func @position_in_the_middle(%x: tensor<2x16x64xf32> {spyre.dims = ["A", "B", "C"]}) -> tensor<2x1x64xi32> {
  %n = spyre.neg %x tile [0: "B" by 6, 1: "A" in 2] : tensor<2x16x64xf32>
  %i = spyre.topkindex %n dim 1 k 1 tile [0: "B" by 6, 1: "A" in 2] : (tensor<2x16x64xf32>) -> tensor<2x1x64xi32>
  return %i : tensor<2x1x64xi32>
}

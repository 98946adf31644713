// RUN: spyre-opt %s --convert-spyre-to-linalg | FileCheck %s

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#row = #spyre.layout<(d0) -> (d0 floordiv 64, d0 mod 64)>

// CHECK-DAG: #[[ID:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[COLUMN:.+]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-DAG: #[[ROW:.+]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[SCALAR:.+]] = affine_map<(d0, d1) -> ()>
// CHECK-DAG: #[[NONE:.+]] = affine_map<() -> ()>

// CHECK-LABEL: func.func @widened(
// CHECK-SAME:      %[[A:.+]]: tensor<8x256xf16>, %[[B:.+]]: tensor<256xf16>) -> tensor<8x256xf16>
// CHECK:         %[[INTO:.+]] = tensor.empty() : tensor<8x256xf16>
// CHECK:         %[[Y:.+]] = linalg.generic {indexing_maps = [#[[ID]], #[[ROW]], #[[ID]]], iterator_types = ["parallel", "parallel"]}
// CHECK-SAME:        ins(%[[A]], %[[B]] : tensor<8x256xf16>, tensor<256xf16>) outs(%[[INTO]] : tensor<8x256xf16>)
// CHECK-NEXT:    ^bb0(%[[X:.+]]: f16, %[[Z:.+]]: f16, %{{.+}}: f16):
// CHECK-NEXT:      %[[XW:.+]] = arith.extf %[[X]] : f16 to f32
// CHECK-NEXT:      %[[ZW:.+]] = arith.extf %[[Z]] : f16 to f32
// CHECK-NEXT:      %[[D:.+]] = arith.subf %[[XW]], %[[ZW]] : f32
// CHECK-NEXT:      %[[R:.+]] = arith.truncf %[[D]] : f32 to f16
// CHECK-NEXT:      linalg.yield %[[R]] : f16
// CHECK:         return %[[Y]] : tensor<8x256xf16>
func.func @widened(%a: tensor<8x256xf16, #stick>, %b: tensor<256xf16, #row>) -> tensor<8x256xf16, #stick> {
  %y = spyre.sub %a, %b split [8, 4] place lx 0
    : (tensor<8x256xf16, #stick>, tensor<256xf16, #row>) -> tensor<8x256xf16, #stick>
  return %y : tensor<8x256xf16, #stick>
}

// CHECK-LABEL: func.func @f32_as_it_is(
// CHECK-NOT:     arith.extf
// CHECK-NOT:     arith.truncf
// CHECK:         arith.divf
// CHECK:         return
func.func @f32_as_it_is(%a: tensor<8x256xf32>, %b: tensor<8x1xf32>) -> tensor<8x256xf32> {
  %y = spyre.realdiv %a, %b : (tensor<8x256xf32>, tensor<8x1xf32>) -> tensor<8x256xf32>
  return %y : tensor<8x256xf32>
}

// CHECK-LABEL: func.func @broadcasts(
// CHECK:         linalg.generic {indexing_maps = [#[[COLUMN]], #[[SCALAR]], #[[ID]], #[[ID]]]
// CHECK-NEXT:    ^bb0(%[[C:.+]]: i1, %[[X:.+]]: bf16, %[[Y:.+]]: bf16, %{{.+}}: bf16):
// CHECK-NEXT:      %[[S:.+]] = arith.select %[[C]], %[[X]], %[[Y]] : bf16
// CHECK-NEXT:      linalg.yield %[[S]] : bf16
func.func @broadcasts(%c: tensor<8x1xi1>, %a: tensor<bf16>, %b: tensor<8x256xbf16>) -> tensor<8x256xbf16> {
  %y = spyre.where3 %c, %a, %b : (tensor<8x1xi1>, tensor<bf16>, tensor<8x256xbf16>) -> tensor<8x256xbf16>
  return %y : tensor<8x256xbf16>
}

// CHECK-LABEL: func.func @rank_0(
// CHECK:         linalg.generic {indexing_maps = [#[[NONE]], #[[NONE]], #[[NONE]]], iterator_types = []}
func.func @rank_0(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %y = spyre.add %a, %b : tensor<f32>
  return %y : tensor<f32>
}

// The operand of a comparison is widened, its result is not rounded.
// CHECK-LABEL: func.func @compares(
// CHECK:         arith.extf
// CHECK:         arith.extf
// CHECK-NEXT:    %[[F:.+]] = arith.cmpf une, %{{.+}}, %{{.+}} : f32
// CHECK-NEXT:    linalg.yield %[[F]] : i1
// CHECK:         %[[I:.+]] = arith.cmpi sle, %{{.+}}, %{{.+}} : i32
// CHECK-NEXT:    linalg.yield %[[I]] : i1
// CHECK:         arith.extui %{{.+}} : i1 to i32
// CHECK:         arith.extui %{{.+}} : i1 to i32
// CHECK-NEXT:    arith.cmpi sgt, %{{.+}}, %{{.+}} : i32
func.func @compares(%a: tensor<8xf16>, %b: tensor<8xi32>) -> tensor<8xi1> {
  %f = spyre.notequal %a, %a : (tensor<8xf16>, tensor<8xf16>) -> tensor<8xi1>
  %i = spyre.lesserequal %b, %b : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
  %y = spyre.greaterthan %f, %i : (tensor<8xi1>, tensor<8xi1>) -> tensor<8xi1>
  return %y : tensor<8xi1>
}

// CHECK-LABEL: func.func @integers(
// CHECK:         arith.muli %{{.+}}, %{{.+}} : i64
func.func @integers(%a: tensor<8xi64>) -> tensor<8xi64> {
  %y = spyre.mul %a, %a : tensor<8xi64>
  return %y : tensor<8xi64>
}

// Attributes of the operation are constants of the body, rounded to f32.
// CHECK-LABEL: func.func @parameters(
// CHECK:         %[[MIN:.+]] = arith.constant -1.500000e+00 : f32
// CHECK:         %[[LOW:.+]] = arith.maximumf %{{.+}}, %[[MIN]] : f32
// CHECK:         %[[MAX:.+]] = arith.constant 1.000000e-01 : f32
// CHECK:         arith.minimumf %[[LOW]], %[[MAX]] : f32
func.func @parameters(%a: tensor<8xf32>) -> tensor<8xf32> {
  %y = spyre.clip %a min -1.5 max 0.1 : tensor<8xf32>
  return %y : tensor<8xf32>
}

// CHECK-LABEL: func.func @casts(
// CHECK:         %[[W:.+]] = arith.extf %{{.+}} : bf16 to f32
// CHECK-NEXT:    linalg.yield %[[W]] : f32
// CHECK:         %[[N:.+]] = arith.truncf %{{.+}} : f32 to f16
// CHECK-NEXT:    linalg.yield %[[N]] : f16
func.func @casts(%a: tensor<8xbf16>) -> tensor<8xf16> {
  %w = spyre.dl16tofp32 %a : (tensor<8xbf16>) -> tensor<8xf32>
  %y = spyre.fp32todl16 %w : (tensor<8xf32>) -> tensor<8xf16>
  return %y : tensor<8xf16>
}

// What moves values is nothing, on elements of any type.
// CHECK-LABEL: func.func @identity(
// CHECK-SAME:      %[[A:.+]]: tensor<64x64xf16>, %[[B:.+]]: tensor<8xf8E4M3FN>)
// CHECK-NEXT:    return %[[A]], %[[B]]
func.func @identity(%a: tensor<64x64xf16, #stick>, %b: tensor<8xf8E4M3FN>)
    -> (tensor<64x64xf16, #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>>, tensor<8xf8E4M3FN>) {
  %c = spyre.copy %a place lx 0 : tensor<64x64xf16, #stick>
  %r = spyre.restickify %c
    : (tensor<64x64xf16, #stick>) -> tensor<64x64xf16, #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>>
  %d = spyre.copy %b : tensor<8xf8E4M3FN>
  return %r, %d : tensor<64x64xf16, #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>>, tensor<8xf8E4M3FN>
}

// CHECK-LABEL: func.func @fill(
// CHECK-NEXT:    %[[C:.+]] = arith.constant dense<1.500000e+00> : tensor<8x256xf16>
// CHECK-NEXT:    return %[[C]]
func.func @fill() -> tensor<8x256xf16, #stick> {
  %y = spyre.fill dense<1.5> : tensor<8x256xf16, #stick>
  return %y : tensor<8x256xf16, #stick>
}

// Operations without an OpFunc are those of math.
// CHECK-LABEL: func.func @decomposed(
// CHECK:         %[[W:.+]] = arith.extf
// CHECK-NEXT:    %[[S:.+]] = math.sin %[[W]] : f32
// CHECK-NEXT:    arith.truncf %[[S]]
// CHECK:         math.cos
// CHECK:         math.atan
// CHECK:         math.erf
// CHECK:         math.exp2
// CHECK:         math.expm1
// CHECK:         math.log2
// CHECK:         math.log1p
// CHECK:         math.ceil
// CHECK:         math.roundeven
// CHECK:         linalg.generic {indexing_maps = [#[[ID]], #[[ROW]], #[[ID]]]
// CHECK:         math.powf
func.func @decomposed(%a: tensor<8x256xf16, #stick>, %b: tensor<256xf16, #row>) -> tensor<8x256xf16, #stick> {
  %0 = spyre.sin %a : tensor<8x256xf16, #stick>
  %1 = spyre.cos %0 : tensor<8x256xf16, #stick>
  %2 = spyre.atan %1 : tensor<8x256xf16, #stick>
  %3 = spyre.erf %2 : tensor<8x256xf16, #stick>
  %4 = spyre.exp2 %3 : tensor<8x256xf16, #stick>
  %5 = spyre.expm1 %4 : tensor<8x256xf16, #stick>
  %6 = spyre.log2 %5 : tensor<8x256xf16, #stick>
  %7 = spyre.log1p %6 : tensor<8x256xf16, #stick>
  %8 = spyre.ceil %7 : tensor<8x256xf16, #stick>
  %9 = spyre.round %8 : tensor<8x256xf16, #stick>
  %10 = spyre.pow %9, %b : (tensor<8x256xf16, #stick>, tensor<256xf16, #row>) -> tensor<8x256xf16, #stick>
  return %10 : tensor<8x256xf16, #stick>
}

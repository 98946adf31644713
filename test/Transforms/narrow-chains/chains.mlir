// Operations on f32 between casts from 16 bits and to 16 bits become operations on 16 bits, as a whole or not at all.

// RUN: spyre-opt %s --spyre-narrow-chains --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @softmax(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<16x128xf16>) -> tensor<16x128xf16> attributes {spyre.narrowed}
// CHECK-NEXT:    %[[M:.+]] = spyre.max %[[X]] dims [1] keepdim : (tensor<16x128xf16>) -> tensor<16x1xf16>
// CHECK-NEXT:    %[[D:.+]] = spyre.sub %[[X]], %[[M]]
// CHECK-NEXT:    %[[E:.+]] = spyre.exp %[[D]] : tensor<16x128xf16>
// CHECK-NEXT:    %[[S:.+]] = spyre.sum %[[E]] dims [1] keepdim : (tensor<16x128xf16>) -> tensor<16x1xf16>
// CHECK-NEXT:    %[[Y:.+]] = spyre.realdiv %[[E]], %[[S]]
// CHECK-NEXT:    return %[[Y]] : tensor<16x128xf16>
func.func @softmax(%x: tensor<16x128xf16>) -> tensor<16x128xf16> {
  %0 = spyre.dl16tofp32 %x : (tensor<16x128xf16>) -> tensor<16x128xf32>
  %1 = spyre.max %0 dims [1] keepdim : (tensor<16x128xf32>) -> tensor<16x1xf32>
  %2 = spyre.sub %0, %1 : (tensor<16x128xf32>, tensor<16x1xf32>) -> tensor<16x128xf32>
  %3 = spyre.exp %2 : tensor<16x128xf32>
  %4 = spyre.sum %3 dims [1] keepdim : (tensor<16x128xf32>) -> tensor<16x1xf32>
  %5 = spyre.realdiv %3, %4 : (tensor<16x128xf32>, tensor<16x1xf32>) -> tensor<16x128xf32>
  %6 = spyre.fp32todl16 %5 : (tensor<16x128xf32>) -> tensor<16x128xf16>
  return %6 : tensor<16x128xf16>
}

// -----

// A product of 16 bits is added up in more, whatever it is returned in. A constant that others read stays for them.
// CHECK-LABEL: func.func @product(
// CHECK-DAG:     %[[NARROW:.+]] = spyre.fill dense<5.000000e-01> : tensor<1x1xbf16>
// CHECK-DAG:     %[[WIDE:.+]] = spyre.fill dense<5.000000e-01> : tensor<1x1xf32>
// CHECK-DAG:     %[[P:.+]] = spyre.batchmatmul %{{.+}} : (tensor<64x128xbf16>, tensor<128x64xbf16>) -> tensor<64x64xbf16>
// CHECK-DAG:     %[[H:.+]] = spyre.mul %[[P]], %[[NARROW]] : (tensor<64x64xbf16>, tensor<1x1xbf16>) -> tensor<64x64xbf16>
// CHECK-DAG:     %[[W:.+]] = spyre.mul %arg2, %[[WIDE]]
// CHECK:         return %[[H]], %[[W]]
func.func @product(%a: tensor<64x128xbf16>, %b: tensor<128x64xbf16>, %c: tensor<64x64xf32>) -> (tensor<64x64xbf16>, tensor<64x64xf32>) {
  %half = spyre.fill dense<0.5> : tensor<1x1xf32>
  %0 = spyre.batchmatmul %a, %b : (tensor<64x128xbf16>, tensor<128x64xbf16>) -> tensor<64x64xf32>
  %1 = spyre.mul %0, %half : (tensor<64x64xf32>, tensor<1x1xf32>) -> tensor<64x64xf32>
  %2 = spyre.fp32todl16 %1 : (tensor<64x64xf32>) -> tensor<64x64xbf16>
  %3 = spyre.mul %c, %half : (tensor<64x64xf32>, tensor<1x1xf32>) -> tensor<64x64xf32>
  return %2, %3 : tensor<64x64xbf16>, tensor<64x64xf32>
}

// -----

// What one operation computes is rounded once, as before: its range is that of f16.
// CHECK-LABEL: func.func @one_operation(
// CHECK-NOT:     spyre.narrowed
// CHECK:         spyre.mul %{{.+}} : (tensor<64xf16>, tensor<1xf16>) -> tensor<64xf16>
func.func @one_operation(%x: tensor<64xf16>) -> tensor<64xf16> {
  %half = spyre.fill dense<0.5> : tensor<1xf32>
  %0 = spyre.dl16tofp32 %x : (tensor<64xf16>) -> tensor<64xf32>
  %1 = spyre.mul %0, %half : (tensor<64xf32>, tensor<1xf32>) -> tensor<64xf32>
  %2 = spyre.fp32todl16 %1 : (tensor<64xf32>) -> tensor<64xf16>
  return %2 : tensor<64xf16>
}

// -----

// What is compared in 16 bits chooses among numbers of 16 bits.
// CHECK-LABEL: func.func @chosen(
// CHECK-NOT:     f32
// CHECK:         spyre.greaterthan %{{.+}} : (tensor<64xf16>, tensor<1xf16>) -> tensor<64xi1>
// CHECK:         spyre.where3
// CHECK-NOT:     f32
func.func @chosen(%x: tensor<64xf16>) -> tensor<64xf16> {
  %zero = spyre.fill dense<0.0> : tensor<1xf32>
  %0 = spyre.dl16tofp32 %x : (tensor<64xf16>) -> tensor<64xf32>
  %1 = spyre.greaterthan %0, %zero : (tensor<64xf32>, tensor<1xf32>) -> tensor<64xi1>
  %2 = spyre.exp %0 : tensor<64xf32>
  %3 = spyre.where3 %1, %2, %0 : (tensor<64xi1>, tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %4 = spyre.fp32todl16 %3 : (tensor<64xf32>) -> tensor<64xf16>
  return %4 : tensor<64xf16>
}

// -----

// These stay as they are: what is returned in f32, what reads an argument of f32, integers, a function of a large operand's last bits, a
// constant that 16 bits do not have, and what becomes another type of 16 bits.
// CHECK-LABEL: func.func @returned(
// CHECK:         spyre.exp %{{.+}} : tensor<64xf32>
func.func @returned(%x: tensor<64xf16>) -> (tensor<64xf16>, tensor<64xf32>) {
  %0 = spyre.dl16tofp32 %x : (tensor<64xf16>) -> tensor<64xf32>
  %1 = spyre.exp %0 : tensor<64xf32>
  %2 = spyre.fp32todl16 %1 : (tensor<64xf32>) -> tensor<64xf16>
  return %2, %1 : tensor<64xf16>, tensor<64xf32>
}

// -----

// CHECK-LABEL: func.func @argument(
// CHECK:         spyre.add %{{.+}} : tensor<64xf32>
func.func @argument(%x: tensor<64xf16>, %y: tensor<64xf32>) -> tensor<64xf16> {
  %0 = spyre.dl16tofp32 %x : (tensor<64xf16>) -> tensor<64xf32>
  %1 = spyre.add %0, %y : tensor<64xf32>
  %2 = spyre.fp32todl16 %1 : (tensor<64xf32>) -> tensor<64xf16>
  return %2 : tensor<64xf16>
}

// -----

// CHECK-LABEL: func.func @positions(
// CHECK:         spyre.mul %{{.+}} : tensor<64xf32>
func.func @positions(%x: tensor<64xf16>, %i: tensor<64xi32>) -> tensor<64xf16> {
  %0 = spyre.dl16tofp32 %x : (tensor<64xf16>) -> tensor<64xf32>
  %1 = spyre.sitofp %i : (tensor<64xi32>) -> tensor<64xf32>
  %2 = spyre.mul %0, %1 : tensor<64xf32>
  %3 = spyre.fp32todl16 %2 : (tensor<64xf32>) -> tensor<64xf16>
  return %3 : tensor<64xf16>
}

// -----

// CHECK-LABEL: func.func @angle(
// CHECK:         spyre.sin %{{.+}} : tensor<64xf32>
func.func @angle(%x: tensor<64xf16>) -> tensor<64xf16> {
  %third = spyre.fill dense<0.333333343> : tensor<1xf32>
  %0 = spyre.dl16tofp32 %x : (tensor<64xf16>) -> tensor<64xf32>
  %1 = spyre.mul %0, %third : (tensor<64xf32>, tensor<1xf32>) -> tensor<64xf32>
  %2 = spyre.sin %1 : tensor<64xf32>
  %3 = spyre.fp32todl16 %2 : (tensor<64xf32>) -> tensor<64xf16>
  return %3 : tensor<64xf16>
}

// -----

// CHECK-LABEL: func.func @large(
// CHECK:         spyre.fill dense<1.000000e+06> : tensor<1xf32>
// CHECK:         spyre.add %{{.+}} -> tensor<64xf32>
func.func @large(%x: tensor<64xf16>) -> tensor<64xf16> {
  %million = spyre.fill dense<1.0e6> : tensor<1xf32>
  %0 = spyre.dl16tofp32 %x : (tensor<64xf16>) -> tensor<64xf32>
  %1 = spyre.add %0, %million : (tensor<64xf32>, tensor<1xf32>) -> tensor<64xf32>
  %2 = spyre.sub %1, %million : (tensor<64xf32>, tensor<1xf32>) -> tensor<64xf32>
  %3 = spyre.fp32todl16 %2 : (tensor<64xf32>) -> tensor<64xf16>
  return %3 : tensor<64xf16>
}

// -----

// CHECK-LABEL: func.func @two_types(
// CHECK:         spyre.exp %{{.+}} : tensor<64xf32>
func.func @two_types(%x: tensor<64xf16>) -> tensor<64xbf16> {
  %0 = spyre.dl16tofp32 %x : (tensor<64xf16>) -> tensor<64xf32>
  %1 = spyre.exp %0 : tensor<64xf32>
  %2 = spyre.fp32todl16 %1 : (tensor<64xf32>) -> tensor<64xbf16>
  return %2 : tensor<64xbf16>
}

// -----

// A layout of the program's own stays where it is: without the casts, the result would have another type.
// CHECK-LABEL: func.func @given_layout(
// CHECK:         spyre.dl16tofp32
// CHECK:         spyre.fp32todl16
#given = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
func.func @given_layout(%x: tensor<64x8xf16, #given>) -> tensor<64x8xf16> {
  %0 = spyre.dl16tofp32 %x : (tensor<64x8xf16, #given>) -> tensor<64x8xf32>
  %1 = spyre.fp32todl16 %0 : (tensor<64x8xf32>) -> tensor<64x8xf16>
  return %1 : tensor<64x8xf16>
}

// -----

// The card's format has no 1e-12, and a factor that is another number changes the result.
// CHECK-LABEL: func.func @tiny_factor(
// CHECK:         spyre.fill dense<9.99999996E-13> : tensor<1xf32>
// CHECK:         spyre.mul %{{.+}} -> tensor<64xf32>
func.func @tiny_factor(%x: tensor<64xbf16>) -> tensor<64xbf16> {
  %tiny = spyre.fill dense<1.0e-12> : tensor<1xf32>
  %large = spyre.fill dense<1.0e+9> : tensor<1xf32>
  %0 = spyre.dl16tofp32 %x : (tensor<64xbf16>) -> tensor<64xf32>
  %1 = spyre.mul %0, %tiny : (tensor<64xf32>, tensor<1xf32>) -> tensor<64xf32>
  %2 = spyre.mul %1, %large : (tensor<64xf32>, tensor<1xf32>) -> tensor<64xf32>
  %3 = spyre.fp32todl16 %2 : (tensor<64xf32>) -> tensor<64xbf16>
  return %3 : tensor<64xbf16>
}

// -----

// An epsilon that is added is the smallest number that the card has, 2^-31 + 2^-38.
// CHECK-LABEL: func.func @epsilon(
// CHECK:         spyre.fill dense<4.692990e-10> : tensor<1xbf16>
// CHECK:         spyre.add %{{.+}} -> tensor<64xbf16>
func.func @epsilon(%x: tensor<64xbf16>) -> tensor<64xbf16> {
  %tiny = spyre.fill dense<1.0e-12> : tensor<1xf32>
  %0 = spyre.dl16tofp32 %x : (tensor<64xbf16>) -> tensor<64xf32>
  %1 = spyre.add %0, %tiny : (tensor<64xf32>, tensor<1xf32>) -> tensor<64xf32>
  %2 = spyre.exp %1 : tensor<64xf32>
  %3 = spyre.fp32todl16 %2 : (tensor<64xf32>) -> tensor<64xbf16>
  return %3 : tensor<64xbf16>
}

// -----

// A number divided by the larger one of itself and 1e-12 may be as large as 1e12.
// CHECK-LABEL: func.func @least_divisor(
// CHECK:         spyre.maximum %{{.+}} -> tensor<64xf32>
func.func @least_divisor(%x: tensor<64xbf16>) -> tensor<64xbf16> {
  %tiny = spyre.fill dense<1.0e-12> : tensor<1xf32>
  %0 = spyre.dl16tofp32 %x : (tensor<64xbf16>) -> tensor<64xf32>
  %1 = spyre.maximum %0, %tiny : (tensor<64xf32>, tensor<1xf32>) -> tensor<64xf32>
  %2 = spyre.realdiv %0, %1 : tensor<64xf32>
  %3 = spyre.fp32todl16 %2 : (tensor<64xf32>) -> tensor<64xbf16>
  return %3 : tensor<64xbf16>
}

// -----

// CHECK-LABEL: func.func @beyond_the_card(
// CHECK:         spyre.fill dense<9.99999995E+11> : tensor<1xf32>
// CHECK:         spyre.add %{{.+}} -> tensor<64xf32>
func.func @beyond_the_card(%x: tensor<64xbf16>) -> tensor<64xbf16> {
  %large = spyre.fill dense<1.0e+12> : tensor<1xf32>
  %0 = spyre.dl16tofp32 %x : (tensor<64xbf16>) -> tensor<64xf32>
  %1 = spyre.add %0, %large : (tensor<64xf32>, tensor<1xf32>) -> tensor<64xf32>
  %2 = spyre.sub %1, %large : (tensor<64xf32>, tensor<1xf32>) -> tensor<64xf32>
  %3 = spyre.fp32todl16 %2 : (tensor<64xf32>) -> tensor<64xbf16>
  return %3 : tensor<64xbf16>
}

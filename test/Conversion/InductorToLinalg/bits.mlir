// Functions of the bits of numbers, run. The numbers are those of PyTorch 2.15.

// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t
// RUN: spyre-run %t --entry frexp | FileCheck %s --check-prefix=FREXP
// RUN: spyre-run %t --entry frexp_of_f64 | FileCheck %s --check-prefix=FREXP_OF_F64
// RUN: spyre-run %t --entry nextafter | FileCheck %s --check-prefix=NEXTAFTER
// RUN: spyre-run %t --entry div_rn | FileCheck %s --check-prefix=DIV_RN
// RUN: spyre-run %t --entry sign | FileCheck %s --check-prefix=SIGN
// RUN: spyre-run %t --entry sign_of_u8 | FileCheck %s --check-prefix=SIGN_OF_U8
// RUN: spyre-run %t --entry bits_of_f32 | FileCheck %s --check-prefix=BITS_OF_F32
// RUN: spyre-run %t --entry bits_of_f16 | FileCheck %s --check-prefix=BITS_OF_F16
// RUN: spyre-run %t --entry f16_of_bits | FileCheck %s --check-prefix=F16_OF_BITS
// RUN: spyre-run %t --entry narrow | FileCheck %s --check-prefix=NARROW

// Mantissas and exponents: also those of a subnormal number. Zeros, infinities and NaN have the exponent 0.
// FREXP{LITERAL}: result 0: tensor<8xf32> [0.0, -0.75, 0.75, inf, NaN, 0.5, -0.54444885, 0.99999994]
// FREXP-NEXT{LITERAL}: result 1: tensor<8xi32> [0, 0, 3, 0, 0, -148, -132, 128]
inductor.graph @frexp {
  %x0 = inductor.constant "x0" value dense<[0.0, -0.75, 6.0, 0x7F800000, 0x7FC00000, 0x00000001, -1.0e-40, 0x7F7FFFFF]> : tensor<8xf32> : tensor<8xf32, #inductor.layout<fixed, [1]>>
  %y0 = inductor.pointwise "op0" as "buf0" [8] {
  ^bb0(%i: index):
    %v0 = inductor.load %x0 at affine_map<(d0) -> (d0)>(%i) : tensor<8xf32, #inductor.layout<fixed, [1]>> -> f32
    %m = inductor.apply "frexp"(%v0) : (f32) -> f32
    inductor.store %m at affine_map<(d0) -> (d0)>(%i) : f32
  } : tensor<8xf32, #inductor.layout<fixed, [1]>>
  %y1 = inductor.pointwise "op1" as "buf1" [8] {
  ^bb0(%i: index):
    %v0 = inductor.load %x0 at affine_map<(d0) -> (d0)>(%i) : tensor<8xf32, #inductor.layout<fixed, [1]>> -> f32
    %e = inductor.apply "frexp"(%v0) : (f32) -> i32
    inductor.store %e at affine_map<(d0) -> (d0)>(%i) : i32
  } : tensor<8xi32, #inductor.layout<fixed, [1]>>
  inductor.return %y0, %y1 : tensor<8xf32, #inductor.layout<fixed, [1]>>, tensor<8xi32, #inductor.layout<fixed, [1]>>
}

// The same of doubles.
// FREXP_OF_F64{LITERAL}: result 0: tensor<5xf64> [0.0, -0.75, 0.75, inf, 0.5]
// FREXP_OF_F64-NEXT{LITERAL}: result 1: tensor<5xi32> [0, 0, 3, 0, -1073]
inductor.graph @frexp_of_f64 {
  %x0 = inductor.constant "x0" value dense<[0.0, -0.75, 6.0, 0x7FF0000000000000, 0x0000000000000001]> : tensor<5xf64> : tensor<5xf64, #inductor.layout<fixed, [1]>>
  %y0 = inductor.pointwise "op0" as "buf0" [5] {
  ^bb0(%i: index):
    %v0 = inductor.load %x0 at affine_map<(d0) -> (d0)>(%i) : tensor<5xf64, #inductor.layout<fixed, [1]>> -> f64
    %m = inductor.apply "frexp"(%v0) : (f64) -> f64
    inductor.store %m at affine_map<(d0) -> (d0)>(%i) : f64
  } : tensor<5xf64, #inductor.layout<fixed, [1]>>
  %y1 = inductor.pointwise "op1" as "buf1" [5] {
  ^bb0(%i: index):
    %v0 = inductor.load %x0 at affine_map<(d0) -> (d0)>(%i) : tensor<5xf64, #inductor.layout<fixed, [1]>> -> f64
    %e = inductor.apply "frexp"(%v0) : (f64) -> i32
    inductor.store %e at affine_map<(d0) -> (d0)>(%i) : i32
  } : tensor<5xi32, #inductor.layout<fixed, [1]>>
  inductor.return %y0, %y1 : tensor<5xf64, #inductor.layout<fixed, [1]>>, tensor<5xi32, #inductor.layout<fixed, [1]>>
}

// The next floats.
// NEXTAFTER{LITERAL}: result 0: tensor<8xf32> [1.0000001, 0.99999994, -1e-45, 1e-45, inf, NaN, 2.0, -0.99999994]
inductor.graph @nextafter {
  %x0 = inductor.constant "x0" value dense<[1.0, 1.0, 0.0, -0.0, 0x7F7FFFFF, 0x7FC00000, 2.0, -1.0]> : tensor<8xf32> : tensor<8xf32, #inductor.layout<fixed, [1]>>
  %x1 = inductor.constant "x1" value dense<[2.0, 0.0, -1.0, 1.0, 0x7F800000, 1.0, 2.0, 0.0]> : tensor<8xf32> : tensor<8xf32, #inductor.layout<fixed, [1]>>
  %y0 = inductor.pointwise "op0" as "buf0" [8] {
  ^bb0(%i: index):
    %v0 = inductor.load %x0 at affine_map<(d0) -> (d0)>(%i) : tensor<8xf32, #inductor.layout<fixed, [1]>> -> f32
    %v1 = inductor.load %x1 at affine_map<(d0) -> (d0)>(%i) : tensor<8xf32, #inductor.layout<fixed, [1]>> -> f32
    %r = inductor.apply "nextafter"(%v0, %v1) : (f32, f32) -> f32
    inductor.store %r at affine_map<(d0) -> (d0)>(%i) : f32
  } : tensor<8xf32, #inductor.layout<fixed, [1]>>
  inductor.return %y0 : tensor<8xf32, #inductor.layout<fixed, [1]>>
}

// A quotient that is rounded once.
// DIV_RN{LITERAL}: result 0: tensor<4xf32> [0.33333334, -inf, NaN, -0.25]
inductor.graph @div_rn {
  %x0 = inductor.constant "x0" value dense<[1.0, -1.0, 0.0, 1.0]> : tensor<4xf32> : tensor<4xf32, #inductor.layout<fixed, [1]>>
  %x1 = inductor.constant "x1" value dense<[3.0, 0.0, 0.0, -4.0]> : tensor<4xf32> : tensor<4xf32, #inductor.layout<fixed, [1]>>
  %y0 = inductor.pointwise "op0" as "buf0" [4] {
  ^bb0(%i: index):
    %v0 = inductor.load %x0 at affine_map<(d0) -> (d0)>(%i) : tensor<4xf32, #inductor.layout<fixed, [1]>> -> f32
    %v1 = inductor.load %x1 at affine_map<(d0) -> (d0)>(%i) : tensor<4xf32, #inductor.layout<fixed, [1]>> -> f32
    %r = inductor.apply "div_rn"(%v0, %v1) : (f32, f32) -> f32
    inductor.store %r at affine_map<(d0) -> (d0)>(%i) : f32
  } : tensor<4xf32, #inductor.layout<fixed, [1]>>
  inductor.return %y0 : tensor<4xf32, #inductor.layout<fixed, [1]>>
}

// Signs of integers.
// SIGN{LITERAL}: result 0: tensor<4xi64> [1, 0, -1, -1]
inductor.graph @sign {
  %x0 = inductor.constant "x0" value dense<[5, 0, -7, -9223372036854775808]> : tensor<4xi64> : tensor<4xi64, #inductor.layout<fixed, [1]>>
  %y0 = inductor.pointwise "op0" as "buf0" [4] {
  ^bb0(%i: index):
    %v0 = inductor.load %x0 at affine_map<(d0) -> (d0)>(%i) : tensor<4xi64, #inductor.layout<fixed, [1]>> -> i64
    %r = inductor.apply "sign"(%v0) : (i64) -> i64
    inductor.store %r at affine_map<(d0) -> (d0)>(%i) : i64
  } : tensor<4xi64, #inductor.layout<fixed, [1]>>
  inductor.return %y0 : tensor<4xi64, #inductor.layout<fixed, [1]>>
}

// An integer without a sign is not negative.
// SIGN_OF_U8{LITERAL}: result 0: tensor<3xi8> [1, 0, 1]
inductor.graph @sign_of_u8 {
  %x0 = inductor.constant "x0" value dense<[5, 0, 200]> : tensor<3xui8> : tensor<3xui8, #inductor.layout<fixed, [1]>>
  %y0 = inductor.pointwise "op0" as "buf0" [3] {
  ^bb0(%i: index):
    %v0 = inductor.load %x0 at affine_map<(d0) -> (d0)>(%i) : tensor<3xui8, #inductor.layout<fixed, [1]>> -> i8
    %r = inductor.apply "sign"(%v0) {unsigned = array<i64: 0>} : (i8) -> i8
    inductor.store %r at affine_map<(d0) -> (d0)>(%i) : i8
  } : tensor<3xui8, #inductor.layout<fixed, [1]>>
  inductor.return %y0 : tensor<3xui8, #inductor.layout<fixed, [1]>>
}

// The bits of floats.
// BITS_OF_F32{LITERAL}: result 0: tensor<3xi32> [1065353216, -1073741824, 2143289344]
inductor.graph @bits_of_f32 {
  %x0 = inductor.constant "x0" value dense<[1.0, -2.0, 0x7FC00000]> : tensor<3xf32> : tensor<3xf32, #inductor.layout<fixed, [1]>>
  %y0 = inductor.pointwise "op0" as "buf0" [3] {
  ^bb0(%i: index):
    %v0 = inductor.load %x0 at affine_map<(d0) -> (d0)>(%i) : tensor<3xf32, #inductor.layout<fixed, [1]>> -> f32
    %r = inductor.apply "to_dtype_bitcast"(%v0) {source = f32, dtype = i32} : (f32) -> i32
    inductor.store %r at affine_map<(d0) -> (d0)>(%i) : i32
  } : tensor<3xi32, #inductor.layout<fixed, [1]>>
  inductor.return %y0 : tensor<3xi32, #inductor.layout<fixed, [1]>>
}

// A register of f32 holds a number of 16 bits.
// BITS_OF_F16{LITERAL}: result 0: tensor<3xi16> [15360, -16384, 32256]
inductor.graph @bits_of_f16 {
  %x0 = inductor.constant "x0" value dense<[1.0, -2.0, 0x7E00]> : tensor<3xf16> : tensor<3xf16, #inductor.layout<fixed, [1]>>
  %y0 = inductor.pointwise "op0" as "buf0" [3] {
  ^bb0(%i: index):
    %v0 = inductor.load %x0 at affine_map<(d0) -> (d0)>(%i) : tensor<3xf16, #inductor.layout<fixed, [1]>> -> f32
    %r = inductor.apply "to_dtype_bitcast"(%v0) {source = f16, dtype = i16} : (f32) -> i16
    inductor.store %r at affine_map<(d0) -> (d0)>(%i) : i16
  } : tensor<3xi16, #inductor.layout<fixed, [1]>>
  inductor.return %y0 : tensor<3xi16, #inductor.layout<fixed, [1]>>
}

// The other way.
// F16_OF_BITS{LITERAL}: result 0: tensor<3xf32> [1.0, -2.0, 5.9604645e-8]
inductor.graph @f16_of_bits {
  %x0 = inductor.constant "x0" value dense<[15360, -16384, 1]> : tensor<3xi16> : tensor<3xi16, #inductor.layout<fixed, [1]>>
  %y0 = inductor.pointwise "op0" as "buf0" [3] {
  ^bb0(%i: index):
    %v0 = inductor.load %x0 at affine_map<(d0) -> (d0)>(%i) : tensor<3xi16, #inductor.layout<fixed, [1]>> -> i16
    %r = inductor.apply "to_dtype_bitcast"(%v0) {source = i16, dtype = f16} : (i16) -> f32
    inductor.store %r at affine_map<(d0) -> (d0)>(%i) : f32
  } : tensor<3xf32, #inductor.layout<fixed, [1]>>
  inductor.return %y0 : tensor<3xf32, #inductor.layout<fixed, [1]>>
}

// Floats outside of the range of narrow integers: the low bits of an integer of 32 bits, or of 64 where there is no sign.
// NARROW{LITERAL}: result 0: tensor<8xi8> [44, -1, 0, 0, 127, -128, -128, -96]
// NARROW-NEXT{LITERAL}: result 1: tensor<8xi8> [44, -1, 0, 0, 127, -128, -128, -96]
// NARROW-NEXT{LITERAL}: result 2: tensor<8xi16> [300, -1, 0, 0, 127, -128, 128, -31072]
inductor.graph @narrow {
  %x0 = inductor.constant "x0" value dense<[300.75, -1.5, 1.0e10, 0x7FC00000, 127.5, -128.25, 128.0, 100000.0]> : tensor<8xf32> : tensor<8xf32, #inductor.layout<fixed, [1]>>
  %y0 = inductor.pointwise "op0" as "buf0" [8] {
  ^bb0(%i: index):
    %v0 = inductor.load %x0 at affine_map<(d0) -> (d0)>(%i) : tensor<8xf32, #inductor.layout<fixed, [1]>> -> f32
    %r = inductor.to_dtype %v0 from f32 to i8 : f32 -> i8
    inductor.store %r at affine_map<(d0) -> (d0)>(%i) : i8
  } : tensor<8xi8, #inductor.layout<fixed, [1]>>
  %y1 = inductor.pointwise "op1" as "buf1" [8] {
  ^bb0(%i: index):
    %v0 = inductor.load %x0 at affine_map<(d0) -> (d0)>(%i) : tensor<8xf32, #inductor.layout<fixed, [1]>> -> f32
    %r = inductor.to_dtype %v0 from f32 to ui8 : f32 -> i8
    inductor.store %r at affine_map<(d0) -> (d0)>(%i) : i8
  } : tensor<8xui8, #inductor.layout<fixed, [1]>>
  %y2 = inductor.pointwise "op2" as "buf2" [8] {
  ^bb0(%i: index):
    %v0 = inductor.load %x0 at affine_map<(d0) -> (d0)>(%i) : tensor<8xf32, #inductor.layout<fixed, [1]>> -> f32
    %r = inductor.to_dtype %v0 from f32 to i16 : f32 -> i16
    inductor.store %r at affine_map<(d0) -> (d0)>(%i) : i16
  } : tensor<8xi16, #inductor.layout<fixed, [1]>>
  inductor.return %y0, %y1, %y2 : tensor<8xi8, #inductor.layout<fixed, [1]>>, tensor<8xui8, #inductor.layout<fixed, [1]>>, tensor<8xi16, #inductor.layout<fixed, [1]>>
}

// Floats of 8 bits are bytes of tensors. Numbers in bodies are `f32`, rounded to the nearest float of 8 bits, of two the even one.
//
// All bytes are read as numbers, and numbers between each two of them are made bytes: the one half way, and those next to it.

// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t
// RUN: FileCheck %s --check-prefix=IR --input-file %t
// RUN: spyre-run %t --entry read_e4m3 --compare %t --compare-entry read_e4m3_expected --max-ulps 0
// RUN: spyre-run %t --entry read_e5m2 --compare %t --compare-entry read_e5m2_expected --max-ulps 0
// RUN: spyre-run %t --entry write_e4m3 --compare %t --compare-entry write_e4m3_expected --max-ulps 0
// RUN: spyre-run %t --entry write_e5m2 --compare %t --compare-entry write_e5m2_expected --max-ulps 0
// RUN: spyre-run %t --entry saturated | FileCheck %s --check-prefix=SATURATED
// RUN: spyre-run %t --entry before | FileCheck %s --check-prefix=BEFORE
// RUN: spyre-run %t --entry unknown | FileCheck %s --check-prefix=SATURATED
// RUN: spyre-run %t --entry infinite | FileCheck %s --check-prefix=INFINITE
// RUN: spyre-run %t --entry rounded | FileCheck %s --check-prefix=ROUNDED
// RUN: spyre-run %t --entry moved | FileCheck %s --check-prefix=MOVED
// RUN: spyre-opt %s --convert-inductor-to-linalg=torch=2.12 -o %t.before
// RUN: spyre-run %t.before --entry saturated | FileCheck %s --check-prefix=BEFORE
// RUN: spyre-opt %s --convert-inductor-to-linalg=torch=2.13 -o %t.after
// RUN: spyre-run %t.after --entry before | FileCheck %s --check-prefix=SATURATED
// RUN: not spyre-opt %s --convert-inductor-to-linalg=torch=new 2>&1 | FileCheck %s --check-prefix=RELEASE

// RELEASE: convert-inductor-to-linalg: torch=new is no release of PyTorch, such as 2.15

// IR-LABEL: func.func @argument
// IR-SAME: (%{{.*}}: tensor<4xi8>) -> tensor<4xi8>
inductor.graph @argument {
  %x = inductor.input "x" : tensor<4xf8E5M2, #inductor.layout<fixed, [1]>>
  %y = inductor.pointwise "op0" as "buf0" [4] {
  ^bb0(%i: index):
    %v = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : tensor<4xf8E5M2, #inductor.layout<fixed, [1]>> -> f32
    %w = arith.addf %v, %v : f32
    inductor.store %w at affine_map<(d0) -> (d0)>(%i) : f32
  } : tensor<4xf8E5M2, #inductor.layout<fixed, [1]>>
  inductor.return %y : tensor<4xf8E5M2, #inductor.layout<fixed, [1]>>
}

// The numbers of all bytes, in multiples of the smallest one.
inductor.graph @read_e4m3 {
  %y = inductor.pointwise "op0" as "buf0" [256] {
  ^bb0(%i: index):
    %n = inductor.index_expr affine_map<(d0) -> (d0)>(%i) : i64
    %b = inductor.to_dtype %n from i64 to i8 : i64 -> i8
    %v = inductor.apply "to_dtype_bitcast"(%b) {source = i8, dtype = f8E4M3FN} : (i8) -> f32
    %s = arith.constant 512.0 : f32
    %w = arith.mulf %v, %s : f32
    inductor.store %w at affine_map<(d0) -> (d0)>(%i) : f32
  } : tensor<256xf32, #inductor.layout<fixed, [1]>>
  inductor.return %y : tensor<256xf32, #inductor.layout<fixed, [1]>>
}
inductor.graph @read_e4m3_expected {
  %e0 = inductor.constant "e0" value dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 18.0, 20.0, 22.0, 24.0, 26.0, 28.0, 30.0, 32.0, 36.0, 40.0, 44.0, 48.0, 52.0, 56.0, 60.0, 64.0, 72.0, 80.0, 88.0, 96.0, 104.0, 112.0, 120.0, 128.0, 144.0, 160.0, 176.0, 192.0, 208.0, 224.0, 240.0, 256.0, 288.0, 320.0, 352.0, 384.0, 416.0, 448.0, 480.0, 512.0, 576.0, 640.0, 704.0, 768.0, 832.0, 896.0, 960.0, 1024.0, 1152.0, 1280.0, 1408.0, 1536.0, 1664.0, 1792.0, 1920.0, 2048.0, 2304.0, 2560.0, 2816.0, 3072.0, 3328.0, 3584.0, 3840.0, 4096.0, 4608.0, 5120.0, 5632.0, 6144.0, 6656.0, 7168.0, 7680.0, 8192.0, 9216.0, 10240.0, 11264.0, 12288.0, 13312.0, 14336.0, 15360.0, 16384.0, 18432.0, 20480.0, 22528.0, 24576.0, 26624.0, 28672.0, 30720.0, 32768.0, 36864.0, 40960.0, 45056.0, 49152.0, 53248.0, 57344.0, 61440.0, 65536.0, 73728.0, 81920.0, 90112.0, 98304.0, 106496.0, 114688.0, 122880.0, 131072.0, 147456.0, 163840.0, 180224.0, 196608.0, 212992.0, 229376.0, 0x7FC00000, -0.0, -1.0, -2.0, -3.0, -4.0, -5.0, -6.0, -7.0, -8.0, -9.0, -10.0, -11.0, -12.0, -13.0, -14.0, -15.0, -16.0, -18.0, -20.0, -22.0, -24.0, -26.0, -28.0, -30.0, -32.0, -36.0, -40.0, -44.0, -48.0, -52.0, -56.0, -60.0, -64.0, -72.0, -80.0, -88.0, -96.0, -104.0, -112.0, -120.0, -128.0, -144.0, -160.0, -176.0, -192.0, -208.0, -224.0, -240.0, -256.0, -288.0, -320.0, -352.0, -384.0, -416.0, -448.0, -480.0, -512.0, -576.0, -640.0, -704.0, -768.0, -832.0, -896.0, -960.0, -1024.0, -1152.0, -1280.0, -1408.0, -1536.0, -1664.0, -1792.0, -1920.0, -2048.0, -2304.0, -2560.0, -2816.0, -3072.0, -3328.0, -3584.0, -3840.0, -4096.0, -4608.0, -5120.0, -5632.0, -6144.0, -6656.0, -7168.0, -7680.0, -8192.0, -9216.0, -10240.0, -11264.0, -12288.0, -13312.0, -14336.0, -15360.0, -16384.0, -18432.0, -20480.0, -22528.0, -24576.0, -26624.0, -28672.0, -30720.0, -32768.0, -36864.0, -40960.0, -45056.0, -49152.0, -53248.0, -57344.0, -61440.0, -65536.0, -73728.0, -81920.0, -90112.0, -98304.0, -106496.0, -114688.0, -122880.0, -131072.0, -147456.0, -163840.0, -180224.0, -196608.0, -212992.0, -229376.0, 0x7FC00000]> : tensor<256xf32> : tensor<256xf32, #inductor.layout<fixed, [1]>>
  inductor.return %e0 : tensor<256xf32, #inductor.layout<fixed, [1]>>
}

// Numbers below, at and above the middle of each two, negative.
inductor.graph @write_e4m3 {
  %x = inductor.constant "x" value dense<[0xBA7FFFFF, 0xBA800000, 0xBA800001, 0xBB3FFFFF, 0xBB400000, 0xBB400001, 0xBB9FFFFF, 0xBBA00000, 0xBBA00001, 0xBBDFFFFF, 0xBBE00000, 0xBBE00001, 0xBC0FFFFF, 0xBC100000, 0xBC100001, 0xBC2FFFFF, 0xBC300000, 0xBC300001, 0xBC4FFFFF, 0xBC500000, 0xBC500001, 0xBC6FFFFF, 0xBC700000, 0xBC700001, 0xBC87FFFF, 0xBC880000, 0xBC880001, 0xBC97FFFF, 0xBC980000, 0xBC980001, 0xBCA7FFFF, 0xBCA80000, 0xBCA80001, 0xBCB7FFFF, 0xBCB80000, 0xBCB80001, 0xBCC7FFFF, 0xBCC80000, 0xBCC80001, 0xBCD7FFFF, 0xBCD80000, 0xBCD80001, 0xBCE7FFFF, 0xBCE80000, 0xBCE80001, 0xBCF7FFFF, 0xBCF80000, 0xBCF80001, 0xBD07FFFF, 0xBD080000, 0xBD080001, 0xBD17FFFF, 0xBD180000, 0xBD180001, 0xBD27FFFF, 0xBD280000, 0xBD280001, 0xBD37FFFF, 0xBD380000, 0xBD380001, 0xBD47FFFF, 0xBD480000, 0xBD480001, 0xBD57FFFF, 0xBD580000, 0xBD580001, 0xBD67FFFF, 0xBD680000, 0xBD680001, 0xBD77FFFF, 0xBD780000, 0xBD780001, 0xBD87FFFF, 0xBD880000, 0xBD880001, 0xBD97FFFF, 0xBD980000, 0xBD980001, 0xBDA7FFFF, 0xBDA80000, 0xBDA80001, 0xBDB7FFFF, 0xBDB80000, 0xBDB80001, 0xBDC7FFFF, 0xBDC80000, 0xBDC80001, 0xBDD7FFFF, 0xBDD80000, 0xBDD80001, 0xBDE7FFFF, 0xBDE80000, 0xBDE80001, 0xBDF7FFFF, 0xBDF80000, 0xBDF80001, 0xBE07FFFF, 0xBE080000, 0xBE080001, 0xBE17FFFF, 0xBE180000, 0xBE180001, 0xBE27FFFF, 0xBE280000, 0xBE280001, 0xBE37FFFF, 0xBE380000, 0xBE380001, 0xBE47FFFF, 0xBE480000, 0xBE480001, 0xBE57FFFF, 0xBE580000, 0xBE580001, 0xBE67FFFF, 0xBE680000, 0xBE680001, 0xBE77FFFF, 0xBE780000, 0xBE780001, 0xBE87FFFF, 0xBE880000, 0xBE880001, 0xBE97FFFF, 0xBE980000, 0xBE980001, 0xBEA7FFFF, 0xBEA80000, 0xBEA80001, 0xBEB7FFFF, 0xBEB80000, 0xBEB80001, 0xBEC7FFFF, 0xBEC80000, 0xBEC80001, 0xBED7FFFF, 0xBED80000, 0xBED80001, 0xBEE7FFFF, 0xBEE80000, 0xBEE80001, 0xBEF7FFFF, 0xBEF80000, 0xBEF80001, 0xBF07FFFF, 0xBF080000, 0xBF080001, 0xBF17FFFF, 0xBF180000, 0xBF180001, 0xBF27FFFF, 0xBF280000, 0xBF280001, 0xBF37FFFF, 0xBF380000, 0xBF380001, 0xBF47FFFF, 0xBF480000, 0xBF480001, 0xBF57FFFF, 0xBF580000, 0xBF580001, 0xBF67FFFF, 0xBF680000, 0xBF680001, 0xBF77FFFF, 0xBF780000, 0xBF780001, 0xBF87FFFF, 0xBF880000, 0xBF880001, 0xBF97FFFF, 0xBF980000, 0xBF980001, 0xBFA7FFFF, 0xBFA80000, 0xBFA80001, 0xBFB7FFFF, 0xBFB80000, 0xBFB80001, 0xBFC7FFFF, 0xBFC80000, 0xBFC80001, 0xBFD7FFFF, 0xBFD80000, 0xBFD80001, 0xBFE7FFFF, 0xBFE80000, 0xBFE80001, 0xBFF7FFFF, 0xBFF80000, 0xBFF80001, 0xC007FFFF, 0xC0080000, 0xC0080001, 0xC017FFFF, 0xC0180000, 0xC0180001, 0xC027FFFF, 0xC0280000, 0xC0280001, 0xC037FFFF, 0xC0380000, 0xC0380001, 0xC047FFFF, 0xC0480000, 0xC0480001, 0xC057FFFF, 0xC0580000, 0xC0580001, 0xC067FFFF, 0xC0680000, 0xC0680001, 0xC077FFFF, 0xC0780000, 0xC0780001, 0xC087FFFF, 0xC0880000, 0xC0880001, 0xC097FFFF, 0xC0980000, 0xC0980001, 0xC0A7FFFF, 0xC0A80000, 0xC0A80001, 0xC0B7FFFF, 0xC0B80000, 0xC0B80001, 0xC0C7FFFF, 0xC0C80000, 0xC0C80001, 0xC0D7FFFF, 0xC0D80000, 0xC0D80001, 0xC0E7FFFF, 0xC0E80000, 0xC0E80001, 0xC0F7FFFF, 0xC0F80000, 0xC0F80001, 0xC107FFFF, 0xC1080000, 0xC1080001, 0xC117FFFF, 0xC1180000, 0xC1180001, 0xC127FFFF, 0xC1280000, 0xC1280001, 0xC137FFFF, 0xC1380000, 0xC1380001, 0xC147FFFF, 0xC1480000, 0xC1480001, 0xC157FFFF, 0xC1580000, 0xC1580001, 0xC167FFFF, 0xC1680000, 0xC1680001, 0xC177FFFF, 0xC1780000, 0xC1780001, 0xC187FFFF, 0xC1880000, 0xC1880001, 0xC197FFFF, 0xC1980000, 0xC1980001, 0xC1A7FFFF, 0xC1A80000, 0xC1A80001, 0xC1B7FFFF, 0xC1B80000, 0xC1B80001, 0xC1C7FFFF, 0xC1C80000, 0xC1C80001, 0xC1D7FFFF, 0xC1D80000, 0xC1D80001, 0xC1E7FFFF, 0xC1E80000, 0xC1E80001, 0xC1F7FFFF, 0xC1F80000, 0xC1F80001, 0xC207FFFF, 0xC2080000, 0xC2080001, 0xC217FFFF, 0xC2180000, 0xC2180001, 0xC227FFFF, 0xC2280000, 0xC2280001, 0xC237FFFF, 0xC2380000, 0xC2380001, 0xC247FFFF, 0xC2480000, 0xC2480001, 0xC257FFFF, 0xC2580000, 0xC2580001, 0xC267FFFF, 0xC2680000, 0xC2680001, 0xC277FFFF, 0xC2780000, 0xC2780001, 0xC287FFFF, 0xC2880000, 0xC2880001, 0xC297FFFF, 0xC2980000, 0xC2980001, 0xC2A7FFFF, 0xC2A80000, 0xC2A80001, 0xC2B7FFFF, 0xC2B80000, 0xC2B80001, 0xC2C7FFFF, 0xC2C80000, 0xC2C80001, 0xC2D7FFFF, 0xC2D80000, 0xC2D80001, 0xC2E7FFFF, 0xC2E80000, 0xC2E80001, 0xC2F7FFFF, 0xC2F80000, 0xC2F80001, 0xC307FFFF, 0xC3080000, 0xC3080001, 0xC317FFFF, 0xC3180000, 0xC3180001, 0xC327FFFF, 0xC3280000, 0xC3280001, 0xC337FFFF, 0xC3380000, 0xC3380001, 0xC347FFFF, 0xC3480000, 0xC3480001, 0xC357FFFF, 0xC3580000, 0xC3580001, 0xC367FFFF, 0xC3680000, 0xC3680001, 0xC377FFFF, 0xC3780000, 0xC3780001, 0xC387FFFF, 0xC3880000, 0xC3880001, 0xC397FFFF, 0xC3980000, 0xC3980001, 0xC3A7FFFF, 0xC3A80000, 0xC3A80001, 0xC3B7FFFF, 0xC3B80000, 0xC3B80001, 0xC3C7FFFF, 0xC3C80000, 0xC3C80001, 0xC3D7FFFF, 0xC3D80000, 0xC3D80001]> : tensor<378xf32> : tensor<378xf32, #inductor.layout<fixed, [1]>>
  %y = inductor.pointwise "op0" as "buf0" [378] {
  ^bb0(%i: index):
    %v = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : tensor<378xf32, #inductor.layout<fixed, [1]>> -> f32
    inductor.store %v at affine_map<(d0) -> (d0)>(%i) : f32
  } : tensor<378xf8E4M3FN, #inductor.layout<fixed, [1]>>
  inductor.return %y : tensor<378xf8E4M3FN, #inductor.layout<fixed, [1]>>
}
inductor.graph @write_e4m3_expected {
  %e0 = inductor.constant "e0" value dense<[-128, -128, -127, -127, -126, -126, -126, -126, -125, -125, -124, -124, -124, -124, -123, -123, -122, -122, -122, -122, -121, -121, -120, -120, -120, -120, -119, -119, -118, -118, -118, -118, -117, -117, -116, -116, -116, -116, -115, -115, -114, -114, -114, -114, -113, -113, -112, -112, -112, -112, -111, -111, -110, -110, -110, -110, -109, -109, -108, -108, -108, -108, -107, -107, -106, -106, -106, -106, -105, -105, -104, -104, -104, -104, -103, -103, -102, -102, -102, -102, -101, -101, -100, -100, -100, -100, -99, -99, -98, -98, -98, -98, -97, -97, -96, -96, -96, -96, -95, -95, -94, -94, -94, -94, -93, -93, -92, -92, -92, -92, -91, -91, -90, -90, -90, -90, -89, -89, -88, -88, -88, -88, -87, -87, -86, -86, -86, -86, -85, -85, -84, -84, -84, -84, -83, -83, -82, -82, -82, -82, -81, -81, -80, -80, -80, -80, -79, -79, -78, -78, -78, -78, -77, -77, -76, -76, -76, -76, -75, -75, -74, -74, -74, -74, -73, -73, -72, -72, -72, -72, -71, -71, -70, -70, -70, -70, -69, -69, -68, -68, -68, -68, -67, -67, -66, -66, -66, -66, -65, -65, -64, -64, -64, -64, -63, -63, -62, -62, -62, -62, -61, -61, -60, -60, -60, -60, -59, -59, -58, -58, -58, -58, -57, -57, -56, -56, -56, -56, -55, -55, -54, -54, -54, -54, -53, -53, -52, -52, -52, -52, -51, -51, -50, -50, -50, -50, -49, -49, -48, -48, -48, -48, -47, -47, -46, -46, -46, -46, -45, -45, -44, -44, -44, -44, -43, -43, -42, -42, -42, -42, -41, -41, -40, -40, -40, -40, -39, -39, -38, -38, -38, -38, -37, -37, -36, -36, -36, -36, -35, -35, -34, -34, -34, -34, -33, -33, -32, -32, -32, -32, -31, -31, -30, -30, -30, -30, -29, -29, -28, -28, -28, -28, -27, -27, -26, -26, -26, -26, -25, -25, -24, -24, -24, -24, -23, -23, -22, -22, -22, -22, -21, -21, -20, -20, -20, -20, -19, -19, -18, -18, -18, -18, -17, -17, -16, -16, -16, -16, -15, -15, -14, -14, -14, -14, -13, -13, -12, -12, -12, -12, -11, -11, -10, -10, -10, -10, -9, -9, -8, -8, -8, -8, -7, -7, -6, -6, -6, -6, -5, -5, -4, -4, -4, -4, -3, -3, -2, -2]> : tensor<378xi8> : tensor<378xi8, #inductor.layout<fixed, [1]>>
  inductor.return %e0 : tensor<378xi8, #inductor.layout<fixed, [1]>>
}

// The numbers of all bytes, in multiples of the smallest one.
inductor.graph @read_e5m2 {
  %y = inductor.pointwise "op0" as "buf0" [256] {
  ^bb0(%i: index):
    %n = inductor.index_expr affine_map<(d0) -> (d0)>(%i) : i64
    %b = inductor.to_dtype %n from i64 to i8 : i64 -> i8
    %v = inductor.apply "to_dtype_bitcast"(%b) {source = i8, dtype = f8E5M2} : (i8) -> f32
    %s = arith.constant 65536.0 : f32
    %w = arith.mulf %v, %s : f32
    inductor.store %w at affine_map<(d0) -> (d0)>(%i) : f32
  } : tensor<256xf32, #inductor.layout<fixed, [1]>>
  inductor.return %y : tensor<256xf32, #inductor.layout<fixed, [1]>>
}
inductor.graph @read_e5m2_expected {
  %e0 = inductor.constant "e0" value dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 12.0, 14.0, 16.0, 20.0, 24.0, 28.0, 32.0, 40.0, 48.0, 56.0, 64.0, 80.0, 96.0, 112.0, 128.0, 160.0, 192.0, 224.0, 256.0, 320.0, 384.0, 448.0, 512.0, 640.0, 768.0, 896.0, 1024.0, 1280.0, 1536.0, 1792.0, 2048.0, 2560.0, 3072.0, 3584.0, 4096.0, 5120.0, 6144.0, 7168.0, 8192.0, 10240.0, 12288.0, 14336.0, 16384.0, 20480.0, 24576.0, 28672.0, 32768.0, 40960.0, 49152.0, 57344.0, 65536.0, 81920.0, 98304.0, 114688.0, 131072.0, 163840.0, 196608.0, 229376.0, 262144.0, 327680.0, 393216.0, 458752.0, 524288.0, 655360.0, 786432.0, 917504.0, 1048576.0, 1310720.0, 1572864.0, 1835008.0, 2097152.0, 2621440.0, 3145728.0, 3670016.0, 4194304.0, 5242880.0, 6291456.0, 7340032.0, 8388608.0, 10485760.0, 12582912.0, 14680064.0, 16777216.0, 20971520.0, 25165824.0, 29360128.0, 33554432.0, 41943040.0, 50331648.0, 58720256.0, 67108864.0, 83886080.0, 100663296.0, 117440512.0, 134217728.0, 167772160.0, 201326592.0, 234881024.0, 268435456.0, 335544320.0, 402653184.0, 469762048.0, 536870912.0, 671088640.0, 805306368.0, 939524096.0, 1073741824.0, 1342177280.0, 1610612736.0, 1879048192.0, 2147483648.0, 2684354560.0, 3221225472.0, 3758096384.0, 0x7F800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, -0.0, -1.0, -2.0, -3.0, -4.0, -5.0, -6.0, -7.0, -8.0, -10.0, -12.0, -14.0, -16.0, -20.0, -24.0, -28.0, -32.0, -40.0, -48.0, -56.0, -64.0, -80.0, -96.0, -112.0, -128.0, -160.0, -192.0, -224.0, -256.0, -320.0, -384.0, -448.0, -512.0, -640.0, -768.0, -896.0, -1024.0, -1280.0, -1536.0, -1792.0, -2048.0, -2560.0, -3072.0, -3584.0, -4096.0, -5120.0, -6144.0, -7168.0, -8192.0, -10240.0, -12288.0, -14336.0, -16384.0, -20480.0, -24576.0, -28672.0, -32768.0, -40960.0, -49152.0, -57344.0, -65536.0, -81920.0, -98304.0, -114688.0, -131072.0, -163840.0, -196608.0, -229376.0, -262144.0, -327680.0, -393216.0, -458752.0, -524288.0, -655360.0, -786432.0, -917504.0, -1048576.0, -1310720.0, -1572864.0, -1835008.0, -2097152.0, -2621440.0, -3145728.0, -3670016.0, -4194304.0, -5242880.0, -6291456.0, -7340032.0, -8388608.0, -10485760.0, -12582912.0, -14680064.0, -16777216.0, -20971520.0, -25165824.0, -29360128.0, -33554432.0, -41943040.0, -50331648.0, -58720256.0, -67108864.0, -83886080.0, -100663296.0, -117440512.0, -134217728.0, -167772160.0, -201326592.0, -234881024.0, -268435456.0, -335544320.0, -402653184.0, -469762048.0, -536870912.0, -671088640.0, -805306368.0, -939524096.0, -1073741824.0, -1342177280.0, -1610612736.0, -1879048192.0, -2147483648.0, -2684354560.0, -3221225472.0, -3758096384.0, 0xFF800000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<256xf32> : tensor<256xf32, #inductor.layout<fixed, [1]>>
  inductor.return %e0 : tensor<256xf32, #inductor.layout<fixed, [1]>>
}

// Numbers below, at and above the middle of each two, negative.
inductor.graph @write_e5m2 {
  %x = inductor.constant "x" value dense<[0xB6FFFFFF, 0xB7000000, 0xB7000001, 0xB7BFFFFF, 0xB7C00000, 0xB7C00001, 0xB81FFFFF, 0xB8200000, 0xB8200001, 0xB85FFFFF, 0xB8600000, 0xB8600001, 0xB88FFFFF, 0xB8900000, 0xB8900001, 0xB8AFFFFF, 0xB8B00000, 0xB8B00001, 0xB8CFFFFF, 0xB8D00000, 0xB8D00001, 0xB8EFFFFF, 0xB8F00000, 0xB8F00001, 0xB90FFFFF, 0xB9100000, 0xB9100001, 0xB92FFFFF, 0xB9300000, 0xB9300001, 0xB94FFFFF, 0xB9500000, 0xB9500001, 0xB96FFFFF, 0xB9700000, 0xB9700001, 0xB98FFFFF, 0xB9900000, 0xB9900001, 0xB9AFFFFF, 0xB9B00000, 0xB9B00001, 0xB9CFFFFF, 0xB9D00000, 0xB9D00001, 0xB9EFFFFF, 0xB9F00000, 0xB9F00001, 0xBA0FFFFF, 0xBA100000, 0xBA100001, 0xBA2FFFFF, 0xBA300000, 0xBA300001, 0xBA4FFFFF, 0xBA500000, 0xBA500001, 0xBA6FFFFF, 0xBA700000, 0xBA700001, 0xBA8FFFFF, 0xBA900000, 0xBA900001, 0xBAAFFFFF, 0xBAB00000, 0xBAB00001, 0xBACFFFFF, 0xBAD00000, 0xBAD00001, 0xBAEFFFFF, 0xBAF00000, 0xBAF00001, 0xBB0FFFFF, 0xBB100000, 0xBB100001, 0xBB2FFFFF, 0xBB300000, 0xBB300001, 0xBB4FFFFF, 0xBB500000, 0xBB500001, 0xBB6FFFFF, 0xBB700000, 0xBB700001, 0xBB8FFFFF, 0xBB900000, 0xBB900001, 0xBBAFFFFF, 0xBBB00000, 0xBBB00001, 0xBBCFFFFF, 0xBBD00000, 0xBBD00001, 0xBBEFFFFF, 0xBBF00000, 0xBBF00001, 0xBC0FFFFF, 0xBC100000, 0xBC100001, 0xBC2FFFFF, 0xBC300000, 0xBC300001, 0xBC4FFFFF, 0xBC500000, 0xBC500001, 0xBC6FFFFF, 0xBC700000, 0xBC700001, 0xBC8FFFFF, 0xBC900000, 0xBC900001, 0xBCAFFFFF, 0xBCB00000, 0xBCB00001, 0xBCCFFFFF, 0xBCD00000, 0xBCD00001, 0xBCEFFFFF, 0xBCF00000, 0xBCF00001, 0xBD0FFFFF, 0xBD100000, 0xBD100001, 0xBD2FFFFF, 0xBD300000, 0xBD300001, 0xBD4FFFFF, 0xBD500000, 0xBD500001, 0xBD6FFFFF, 0xBD700000, 0xBD700001, 0xBD8FFFFF, 0xBD900000, 0xBD900001, 0xBDAFFFFF, 0xBDB00000, 0xBDB00001, 0xBDCFFFFF, 0xBDD00000, 0xBDD00001, 0xBDEFFFFF, 0xBDF00000, 0xBDF00001, 0xBE0FFFFF, 0xBE100000, 0xBE100001, 0xBE2FFFFF, 0xBE300000, 0xBE300001, 0xBE4FFFFF, 0xBE500000, 0xBE500001, 0xBE6FFFFF, 0xBE700000, 0xBE700001, 0xBE8FFFFF, 0xBE900000, 0xBE900001, 0xBEAFFFFF, 0xBEB00000, 0xBEB00001, 0xBECFFFFF, 0xBED00000, 0xBED00001, 0xBEEFFFFF, 0xBEF00000, 0xBEF00001, 0xBF0FFFFF, 0xBF100000, 0xBF100001, 0xBF2FFFFF, 0xBF300000, 0xBF300001, 0xBF4FFFFF, 0xBF500000, 0xBF500001, 0xBF6FFFFF, 0xBF700000, 0xBF700001, 0xBF8FFFFF, 0xBF900000, 0xBF900001, 0xBFAFFFFF, 0xBFB00000, 0xBFB00001, 0xBFCFFFFF, 0xBFD00000, 0xBFD00001, 0xBFEFFFFF, 0xBFF00000, 0xBFF00001, 0xC00FFFFF, 0xC0100000, 0xC0100001, 0xC02FFFFF, 0xC0300000, 0xC0300001, 0xC04FFFFF, 0xC0500000, 0xC0500001, 0xC06FFFFF, 0xC0700000, 0xC0700001, 0xC08FFFFF, 0xC0900000, 0xC0900001, 0xC0AFFFFF, 0xC0B00000, 0xC0B00001, 0xC0CFFFFF, 0xC0D00000, 0xC0D00001, 0xC0EFFFFF, 0xC0F00000, 0xC0F00001, 0xC10FFFFF, 0xC1100000, 0xC1100001, 0xC12FFFFF, 0xC1300000, 0xC1300001, 0xC14FFFFF, 0xC1500000, 0xC1500001, 0xC16FFFFF, 0xC1700000, 0xC1700001, 0xC18FFFFF, 0xC1900000, 0xC1900001, 0xC1AFFFFF, 0xC1B00000, 0xC1B00001, 0xC1CFFFFF, 0xC1D00000, 0xC1D00001, 0xC1EFFFFF, 0xC1F00000, 0xC1F00001, 0xC20FFFFF, 0xC2100000, 0xC2100001, 0xC22FFFFF, 0xC2300000, 0xC2300001, 0xC24FFFFF, 0xC2500000, 0xC2500001, 0xC26FFFFF, 0xC2700000, 0xC2700001, 0xC28FFFFF, 0xC2900000, 0xC2900001, 0xC2AFFFFF, 0xC2B00000, 0xC2B00001, 0xC2CFFFFF, 0xC2D00000, 0xC2D00001, 0xC2EFFFFF, 0xC2F00000, 0xC2F00001, 0xC30FFFFF, 0xC3100000, 0xC3100001, 0xC32FFFFF, 0xC3300000, 0xC3300001, 0xC34FFFFF, 0xC3500000, 0xC3500001, 0xC36FFFFF, 0xC3700000, 0xC3700001, 0xC38FFFFF, 0xC3900000, 0xC3900001, 0xC3AFFFFF, 0xC3B00000, 0xC3B00001, 0xC3CFFFFF, 0xC3D00000, 0xC3D00001, 0xC3EFFFFF, 0xC3F00000, 0xC3F00001, 0xC40FFFFF, 0xC4100000, 0xC4100001, 0xC42FFFFF, 0xC4300000, 0xC4300001, 0xC44FFFFF, 0xC4500000, 0xC4500001, 0xC46FFFFF, 0xC4700000, 0xC4700001, 0xC48FFFFF, 0xC4900000, 0xC4900001, 0xC4AFFFFF, 0xC4B00000, 0xC4B00001, 0xC4CFFFFF, 0xC4D00000, 0xC4D00001, 0xC4EFFFFF, 0xC4F00000, 0xC4F00001, 0xC50FFFFF, 0xC5100000, 0xC5100001, 0xC52FFFFF, 0xC5300000, 0xC5300001, 0xC54FFFFF, 0xC5500000, 0xC5500001, 0xC56FFFFF, 0xC5700000, 0xC5700001, 0xC58FFFFF, 0xC5900000, 0xC5900001, 0xC5AFFFFF, 0xC5B00000, 0xC5B00001, 0xC5CFFFFF, 0xC5D00000, 0xC5D00001, 0xC5EFFFFF, 0xC5F00000, 0xC5F00001, 0xC60FFFFF, 0xC6100000, 0xC6100001, 0xC62FFFFF, 0xC6300000, 0xC6300001, 0xC64FFFFF, 0xC6500000, 0xC6500001, 0xC66FFFFF, 0xC6700000, 0xC6700001, 0xC68FFFFF, 0xC6900000, 0xC6900001, 0xC6AFFFFF, 0xC6B00000, 0xC6B00001, 0xC6CFFFFF, 0xC6D00000, 0xC6D00001, 0xC6EFFFFF, 0xC6F00000, 0xC6F00001, 0xC70FFFFF, 0xC7100000, 0xC7100001, 0xC72FFFFF, 0xC7300000, 0xC7300001, 0xC74FFFFF, 0xC7500000, 0xC7500001]> : tensor<369xf32> : tensor<369xf32, #inductor.layout<fixed, [1]>>
  %y = inductor.pointwise "op0" as "buf0" [369] {
  ^bb0(%i: index):
    %v = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : tensor<369xf32, #inductor.layout<fixed, [1]>> -> f32
    inductor.store %v at affine_map<(d0) -> (d0)>(%i) : f32
  } : tensor<369xf8E5M2, #inductor.layout<fixed, [1]>>
  inductor.return %y : tensor<369xf8E5M2, #inductor.layout<fixed, [1]>>
}
inductor.graph @write_e5m2_expected {
  %e0 = inductor.constant "e0" value dense<[-128, -128, -127, -127, -126, -126, -126, -126, -125, -125, -124, -124, -124, -124, -123, -123, -122, -122, -122, -122, -121, -121, -120, -120, -120, -120, -119, -119, -118, -118, -118, -118, -117, -117, -116, -116, -116, -116, -115, -115, -114, -114, -114, -114, -113, -113, -112, -112, -112, -112, -111, -111, -110, -110, -110, -110, -109, -109, -108, -108, -108, -108, -107, -107, -106, -106, -106, -106, -105, -105, -104, -104, -104, -104, -103, -103, -102, -102, -102, -102, -101, -101, -100, -100, -100, -100, -99, -99, -98, -98, -98, -98, -97, -97, -96, -96, -96, -96, -95, -95, -94, -94, -94, -94, -93, -93, -92, -92, -92, -92, -91, -91, -90, -90, -90, -90, -89, -89, -88, -88, -88, -88, -87, -87, -86, -86, -86, -86, -85, -85, -84, -84, -84, -84, -83, -83, -82, -82, -82, -82, -81, -81, -80, -80, -80, -80, -79, -79, -78, -78, -78, -78, -77, -77, -76, -76, -76, -76, -75, -75, -74, -74, -74, -74, -73, -73, -72, -72, -72, -72, -71, -71, -70, -70, -70, -70, -69, -69, -68, -68, -68, -68, -67, -67, -66, -66, -66, -66, -65, -65, -64, -64, -64, -64, -63, -63, -62, -62, -62, -62, -61, -61, -60, -60, -60, -60, -59, -59, -58, -58, -58, -58, -57, -57, -56, -56, -56, -56, -55, -55, -54, -54, -54, -54, -53, -53, -52, -52, -52, -52, -51, -51, -50, -50, -50, -50, -49, -49, -48, -48, -48, -48, -47, -47, -46, -46, -46, -46, -45, -45, -44, -44, -44, -44, -43, -43, -42, -42, -42, -42, -41, -41, -40, -40, -40, -40, -39, -39, -38, -38, -38, -38, -37, -37, -36, -36, -36, -36, -35, -35, -34, -34, -34, -34, -33, -33, -32, -32, -32, -32, -31, -31, -30, -30, -30, -30, -29, -29, -28, -28, -28, -28, -27, -27, -26, -26, -26, -26, -25, -25, -24, -24, -24, -24, -23, -23, -22, -22, -22, -22, -21, -21, -20, -20, -20, -20, -19, -19, -18, -18, -18, -18, -17, -17, -16, -16, -16, -16, -15, -15, -14, -14, -14, -14, -13, -13, -12, -12, -12, -12, -11, -11, -10, -10, -10, -10, -9, -9, -8, -8, -8, -8, -7, -7, -6, -6, -6, -6, -5]> : tensor<369xi8> : tensor<369xi8, #inductor.layout<fixed, [1]>>
  inductor.return %e0 : tensor<369xi8, #inductor.layout<fixed, [1]>>
}

// From PyTorch 2.13 on, larger numbers are the largest one.
// SATURATED{LITERAL}: result 0: tensor<9xi8> [126, 126, 126, 126, 126, 126, -2, 127, -2]
inductor.graph @saturated attributes {torch = "2.15.0+cu132"} {
  %x = inductor.constant "x" value dense<[448.0, 464.0, 465.0, 480.0, 1.0e+30, 0x7F800000, 0xFF800000, 0x7FC00000, -465.0]> : tensor<9xf32> : tensor<9xf32, #inductor.layout<fixed, [1]>>
  %y = inductor.pointwise "op0" as "buf0" [9] {
  ^bb0(%i: index):
    %v = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : tensor<9xf32, #inductor.layout<fixed, [1]>> -> f32
    inductor.store %v at affine_map<(d0) -> (d0)>(%i) : f32
  } : tensor<9xf8E4M3FN, #inductor.layout<fixed, [1]>>
  inductor.return %y : tensor<9xf8E4M3FN, #inductor.layout<fixed, [1]>>
}

// The newest PyTorch is meant where a graph does not say its own.
inductor.graph @unknown {
  %x = inductor.constant "x" value dense<[448.0, 464.0, 465.0, 480.0, 1.0e+30, 0x7F800000, 0xFF800000, 0x7FC00000, -465.0]> : tensor<9xf32> : tensor<9xf32, #inductor.layout<fixed, [1]>>
  %y = inductor.pointwise "op0" as "buf0" [9] {
  ^bb0(%i: index):
    %v = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : tensor<9xf32, #inductor.layout<fixed, [1]>> -> f32
    inductor.store %v at affine_map<(d0) -> (d0)>(%i) : f32
  } : tensor<9xf8E4M3FN, #inductor.layout<fixed, [1]>>
  inductor.return %y : tensor<9xf8E4M3FN, #inductor.layout<fixed, [1]>>
}

// Before, they were NaN.
// BEFORE{LITERAL}: result 0: tensor<9xi8> [126, 126, 127, 127, 127, 127, -1, 127, -1]
inductor.graph @before attributes {torch = "2.12.1"} {
  %x = inductor.constant "x" value dense<[448.0, 464.0, 465.0, 480.0, 1.0e+30, 0x7F800000, 0xFF800000, 0x7FC00000, -465.0]> : tensor<9xf32> : tensor<9xf32, #inductor.layout<fixed, [1]>>
  %y = inductor.pointwise "op0" as "buf0" [9] {
  ^bb0(%i: index):
    %v = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : tensor<9xf32, #inductor.layout<fixed, [1]>> -> f32
    inductor.store %v at affine_map<(d0) -> (d0)>(%i) : f32
  } : tensor<9xf8E4M3FN, #inductor.layout<fixed, [1]>>
  inductor.return %y : tensor<9xf8E4M3FN, #inductor.layout<fixed, [1]>>
}

// The other format has infinities.
// INFINITE{LITERAL}: result 0: tensor<8xi8> [123, 123, 124, 124, 124, 124, -4, 127]
inductor.graph @infinite {
  %x = inductor.constant "x" value dense<[57344.0, 61439.0, 61440.0, 65536.0, 1.0e+30, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<8xf32> : tensor<8xf32, #inductor.layout<fixed, [1]>>
  %y = inductor.pointwise "op0" as "buf0" [8] {
  ^bb0(%i: index):
    %v = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : tensor<8xf32, #inductor.layout<fixed, [1]>> -> f32
    inductor.store %v at affine_map<(d0) -> (d0)>(%i) : f32
  } : tensor<8xf8E5M2, #inductor.layout<fixed, [1]>>
  inductor.return %y : tensor<8xf8E5M2, #inductor.layout<fixed, [1]>>
}

// A conversion rounds, also where PyTorch computes with wider numbers.
// ROUNDED{LITERAL}: result 0: tensor<4xf32> [0.3125, -16.0, 0.001953125, 20.0]
inductor.graph @rounded {
  %x = inductor.constant "x" value dense<[0.3, -17.0, 0.001, 19.0]> : tensor<4xf16> : tensor<4xf16, #inductor.layout<fixed, [1]>>
  %y = inductor.pointwise "op0" as "buf0" [4] {
  ^bb0(%i: index):
    %v = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : tensor<4xf16, #inductor.layout<fixed, [1]>> -> f32
    %w = inductor.to_dtype %v from f16 to f8E4M3FN compute : f32 -> f32
    inductor.store %w at affine_map<(d0) -> (d0)>(%i) : f32
  } : tensor<4xf32, #inductor.layout<fixed, [1]>>
  inductor.return %y : tensor<4xf32, #inductor.layout<fixed, [1]>>
}

// Bytes are put together as they are. What is summed is a number.
// MOVED{LITERAL}: result 0: tensor<4xi8> [56, -64, 56, -64]
// MOVED-NEXT{LITERAL}: result 1: tensor<i8> [-72]
inductor.graph @moved {
  %x = inductor.constant "x" value dense<[1.0, -2.0]> : tensor<2xf8E4M3FN> : tensor<2xf8E4M3FN, #inductor.layout<fixed, [1]>>
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.cat.default"(%x, %x) {call = {args = [[#inductor.operand<0>, #inductor.operand<1>], 0], kwargs = {}}} : (tensor<2xf8E4M3FN, #inductor.layout<fixed, [1]>>, tensor<2xf8E4M3FN, #inductor.layout<fixed, [1]>>) -> tensor<4xf8E4M3FN, #inductor.layout<fixed, [1]>>
  %z = inductor.reduction "op1" as "buf1" sum [] over [2] from f32 {
  ^bb0(%i: index):
    %v = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : tensor<2xf8E4M3FN, #inductor.layout<fixed, [1]>> -> f32
    inductor.store %v at affine_map<() -> ()>() : f32
  } : tensor<f8E4M3FN, #inductor.layout<fixed, []>>
  inductor.return %y, %z : tensor<4xf8E4M3FN, #inductor.layout<fixed, [1]>>, tensor<f8E4M3FN, #inductor.layout<fixed, []>>
}

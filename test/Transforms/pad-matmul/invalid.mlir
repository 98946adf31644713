// RUN: spyre-opt %s --spyre-pad-matmul --split-input-file --verify-diagnostics

// A layout that counts the rows and has no room for more.
#digits = #spyre.layout<(d0, d1) -> (d1 floordiv 64, (d0 floordiv 100) mod 3, d0 mod 100, d1 mod 64)>
// expected-note @+1 {{operand #1 is defined here}}
func.func @no_room(%a: tensor<100x300xf16>, %b: tensor<300x200xf16, #digits>) {
  // expected-error @+1 {{spyre-pad-matmul: operand #1 cannot be padded to 320 rows of K: the digits of d0 count to 300, but its extent is 320}}
  %0 = spyre.batchmatmul %a, %b : (tensor<100x300xf16>, tensor<300x200xf16, #digits>) -> tensor<100x200xf16>
  return
}

// -----

func.func @foreign_encoding(%a: tensor<100x300xf16>, %b: tensor<300x200xf16, "foreign">) {
  // expected-error @+1 {{spyre-pad-matmul: tensor<300x200xf16, "foreign"> has an encoding that is not a #spyre.layout}}
  %0 = spyre.batchmatmul %a, %b : (tensor<100x300xf16>, tensor<300x200xf16, "foreign">) -> tensor<100x200xf16>
  return
}

// -----

func.func @too_large(%a: tensor<1x9223372036854775807xf16>, %b: tensor<9223372036854775807x1xf16>) {
  // expected-error @+1 {{spyre-pad-matmul: tensor<1x9223372036854775807xf16>: device size [144115188075855872, 1, 64] is more than 2^64 - 1 bytes}}
  %0 = spyre.batchmatmul %a, %b : (tensor<1x9223372036854775807xf16>, tensor<9223372036854775807x1xf16>) -> tensor<1x1xf16>
  return
}

// -----

func.func @no_elements(%a: tensor<100x300xf16>, %b: tensor<300x0xf16>) {
  // expected-error @+1 {{spyre-pad-matmul: tensor<300x0xf16>: d1 has extent 0: an empty tensor has no place in device memory}}
  %0 = spyre.batchmatmul %a, %b : (tensor<100x300xf16>, tensor<300x0xf16>) -> tensor<100x0xf16>
  return
}

// -----

func.func @branches(%a: tensor<100x300xf16>, %b: tensor<300x200xf16>, %c: i1) {
  // expected-note @+1 {{the region is here}}
  scf.if %c {
    // expected-error @+1 {{spyre-pad-matmul: operation is in a region that is not the body of a loop, but a bundle has no branches}}
    %0 = spyre.batchmatmul %a, %b : (tensor<100x300xf16>, tensor<300x200xf16>) -> tensor<100x200xf16>
  }
  return
}

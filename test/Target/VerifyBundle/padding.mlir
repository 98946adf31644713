// K is 100 and padded to 128 in the file, because the left operand has its stick along it. The right operand has 128 rows
// in memory, so its cores are 128 sticks apart. Any number of rows that is less than a stick below 128 may be right.
// In front of the product a selection clears the tail of the left operand (K18).

// RUN: spyre-translate --spyre-to-bundle %s -o %t
// RUN: grep -q 'arith.constant 16384 : index' %t/bundle.mlir && grep -q '"in_": 128' %t/sdsc_1.json && grep -q '"where3"' %t/sdsc_0.json
// RUN: spyre-translate --verify-bundle %t 2>&1 | FileCheck %s --check-prefix=CLEAN
// CLEAN: 2 files, 2 operations, 0 loops, 5 parameters, 0 warnings

// But it is the same number for all cores.
// RUN: sed -i 's/constant 16384/constant 16512/' %t/bundle.mlir
// RUN: not spyre-translate --verify-bundle %t 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: error: tensor 1 of 'sdsc_1.json': core 1 is 16512 bytes from core 0, but its slices are 16384 bytes apart [VB30]
// ROWS: 1 error, 0 warnings

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<1x256xf16, #stick>

module attributes {spyre.target = #spyre.target<cores = 4>} {
  func.func @f(%a: tensor<1x100xf16, #stick>, %b: tensor<128x256xf16, #stick>) -> !t {
    %c = spyre.batchmatmul %a, %b : (tensor<1x100xf16, #stick>, tensor<128x256xf16, #stick>) -> !t
    return %c : !t
  }
}

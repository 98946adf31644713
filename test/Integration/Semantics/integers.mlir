// Integers wrap, are signed, and fill what nobody wrote with bytes 0xA5.

// RUN: spyre-opt %s --convert-spyre-to-linalg=poison --spyre-lower-to-llvm \
// RUN:   | mlir-runner -e main --entry-point-result=void --shared-libs=%{runner-libs} | FileCheck %s

!t = tensor<4xi32>
func.func private @printMemrefI32(tensor<*xi32>)

func.func @main() {
  %a = arith.constant dense<[2147483647, -5, 65536, -2147483648]> : !t
  %b = arith.constant dense<[1, 7, 65536, 1]> : !t
  %add = spyre.add %a, %b : !t
  call @print(%add) : (!t) -> ()
  // CHECK: {{^\[}}-2147483648, 2, 131072, -2147483647]
  %sub = spyre.sub %a, %b : !t
  call @print(%sub) : (!t) -> ()
  // CHECK: {{^\[}}2147483646, -12, 0, 2147483647]
  %mul = spyre.mul %a, %b : !t
  call @print(%mul) : (!t) -> ()
  // CHECK: {{^\[}}2147483647, -35, 0, -2147483648]
  %max = spyre.maximum %a, %b : !t
  call @print(%max) : (!t) -> ()
  // CHECK: {{^\[}}2147483647, 7, 65536, 1]
  %min = spyre.minimum %a, %b : !t
  call @print(%min) : (!t) -> ()
  // CHECK: {{^\[}}1, -5, 65536, -2147483648]
  %less = spyre.lesserthan %a, %b : (!t, !t) -> tensor<4xi1>
  %chosen = spyre.where3 %less, %a, %b : (tensor<4xi1>, !t, !t) -> !t
  call @print(%chosen) : (!t) -> ()
  // CHECK: {{^\[}}1, -5, 65536, -2147483648]

  // Eight bits: 100 + 100 and 127 + 1.
  %c = arith.constant dense<[100, 127, -128, 1]> : tensor<4xi8>
  %d = arith.constant dense<[100, 1, -1, 2]> : tensor<4xi8>
  %narrow = spyre.add %c, %d : tensor<4xi8>
  %wide = arith.extsi %narrow : tensor<4xi8> to !t
  call @print(%wide) : (!t) -> ()
  // CHECK: {{^\[}}-56, -128, 127, 3]

  %nothing = spyre.empty : !t
  call @print(%nothing) : (!t) -> ()
  // CHECK: {{^\[}}-1515870811, -1515870811, -1515870811, -1515870811]
  return
}

func.func private @print(%t: !t) {
  %any = tensor.cast %t : !t to tensor<*xi32>
  call @printMemrefI32(%any) : (tensor<*xi32>) -> ()
  return
}

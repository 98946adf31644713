// RUN: spyre-opt %s --convert-spyre-to-ktir -o /dev/null 2>&1 | FileCheck %s

// The smallest pieces, a row of 100 elements in two sticks, take more than this scratchpad has.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<4x100xf16, #stick>
module attributes {spyre.target = #spyre.target<cores = 1, lx_bytes = 256, lx_reserved_bytes = 0>} {
  func.func @rows(%a: !t {spyre.place = #spyre.place<arg 0>}, %b: !t {spyre.place = #spyre.place<arg 1>}) -> !t {
    // CHECK: :[[@LINE+1]]:10: warning: convert-spyre-to-ktir: the tensors of a core take {{[0-9]+}} bytes of a scratchpad of 256, 0 of them before the operation; plan with lx=false, which keeps no values in scratchpads, or tile the dimension that its pieces cannot cut
    %y = spyre.add %a, %b split [1, 1] place arg 2 : !t
    return %y : !t
  }
}

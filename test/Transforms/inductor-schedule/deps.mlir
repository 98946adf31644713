// What operations read and write, in PyTorch's normal form, and who uses them.

// RUN: spyre-opt %s --inductor-deps --remarks-filter=inductor-deps --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0, 0)>
!t = tensor<10x3840xf32, #inductor.layout<fixed, [3840, 1]>>
!m = tensor<10x1xf32, #inductor.layout<fixed, [1, 10]>>
!n = tensor<10xi64, #inductor.layout<fixed, [1]>>

inductor.graph @deps {
  %x = inductor.input "x" : !t
  %n = inductor.input "n" : !n
  // All of x is one loop; a row of the result is one element.
  // CHECK: Operation=op0, Reads="MemoryDep('x', c0, {c0: 38400})"{{.*}}Users="op1, op3"{{.*}}Writes="MemoryDep('buf0', c0, {c0: 10})"
  %max = inductor.reduction "op0" as "buf0" max [10, 1] over [3840] from f32 {
  ^bb0(%i: index, %r: index):
    %v = inductor.load %x at #id(%i, %r) : !t -> f32
    inductor.store %v at #row(%i, %r) : f32
  } : !m
  // The rows of buf0 are read in the loops of x, of which the inner one does not matter. A shifted row is another place.
  // CHECK: Operation=op1, Reads="MemoryDep('x', c0, {c0: 38400}), MemoryDep('buf0', c0, {c0: 10}), MemoryDep('n', c0, {c0: 10}), MemoryDep('x', c1 + 3840*tmp0, {c0: 10, c1: 3840})"
  // CHECK-SAME: Users="op3 weak, OUTPUT"
  %y = inductor.pointwise "op1" as "buf1" [10, 3840] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !t -> f32
    %1 = inductor.load %max at #row(%i, %j) : !m -> f32
    %k = inductor.load %n at affine_map<(d0, d1) -> (d0)>(%i, %j) : !n -> i64
    %at = inductor.indirect %k below [10] : i64
    %2 = inductor.load %x at #id(%at, %j) : !t -> f32
    %3 = arith.subf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    inductor.store %4 at #id(%i, %j) : f32
  } : !t
  // CHECK: Operation=op2, Reads=StarDep('x'), Users="op3 weak, OUTPUT", Writes=StarDep('buf2')
  %z = inductor.extern "op2" as "buf2" "FallbackKernel" "aten.fft.default"(%x) : (!t) -> !t
  // It overwrites x, behind all that read it.
  // CHECK: Operation=op3, Reads="MemoryDep('buf0', c0, {c0: 10}), StarDep('x'), WeakDep('buf0', before 'buf3'), WeakDep('buf1', before 'buf3'), WeakDep('buf2', before 'buf3')"
  // CHECK-SAME: Users=OUTPUT
  %new = inductor.pointwise "op3" as "buf3" [10, 3840] into %x : !t {
  ^bb0(%i: index, %j: index):
    %1 = inductor.load %max at #row(%i, %j) : !m -> f32
    inductor.store %1 at #id(%i, %j) : f32
  } : !t
  inductor.return %y, %z, %new outputs [#inductor.operand<0>, #inductor.operand<1>] mutated ["x"] : !t, !t, !t
}

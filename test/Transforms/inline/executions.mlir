// Executions go where they are called. An allocation goes into the entry block of a function (SB9), and into no loop.

// RUN: spyre-opt %s --inline | FileCheck %s

func.func private @run(%a: index) {
  sdscbundle.sdsc_execute (%a) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1]}
  return
}

func.func private @pool() -> index {
  %pool = sdscbundle.device_mem_allocate 1024 bytes : index
  return %pool : index
}

// CHECK-LABEL: func.func @loop
// CHECK: scf.for
// CHECK-NEXT: sdscbundle.sdsc_execute
func.func @loop(%a: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    func.call @run(%a) : (index) -> ()
  }
  return
}

// CHECK-LABEL: func.func @allocation
// CHECK-NEXT: sdscbundle.device_mem_allocate
func.func @allocation() -> index {
  %0 = call @pool() : () -> index
  return %0 : index
}

// CHECK-LABEL: func.func @in_loop
// CHECK: scf.for
// CHECK-NEXT: func.call @pool
func.func @in_loop() -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%so_far = %c0) -> (index) {
    %0 = func.call @pool() : () -> index
    scf.yield %0 : index
  }
  return %last : index
}

// One tensor for two results, and an operation after it that writes in the place of the first. The second result stays as it is:
// each function returns it minus what it has to be.

// RUN: for f in loop view call while branch; do spyre-run %s --entry $f --integers 9 --random-seed 1; done | FileCheck %s
// CHECK-COUNT-5: result 1: tensor<3xi32> [0, 0, 0]

func.func private @double(%x: tensor<3xi32>) -> tensor<3xi32> {
  %e = tensor.empty() : tensor<3xi32>
  %v = linalg.map ins(%x : tensor<3xi32>) outs(%e : tensor<3xi32>) (%p: i32, %o: i32) {
    %s = arith.addi %p, %p : i32
    linalg.yield %s : i32
  }
  return %v : tensor<3xi32>
}

func.func private @twice(%x: tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
  %e = tensor.empty() : tensor<3xi32>
  %v = linalg.map ins(%x : tensor<3xi32>) outs(%e : tensor<3xi32>) (%p: i32, %o: i32) {
    %s = arith.addi %p, %p : i32
    linalg.yield %s : i32
  }
  return %v, %v : tensor<3xi32>, tensor<3xi32>
}

// Adds 1 in the place of the first result, and returns it, and the second one minus `times` times the input.
func.func private @check(%a: tensor<3xi32>, %first: tensor<3xi32>, %second: tensor<3xi32>, %times: i32) -> (tensor<3xi32>, tensor<3xi32>) {
  %e = tensor.empty() : tensor<3xi32>
  %d = linalg.map ins(%a, %second : tensor<3xi32>, tensor<3xi32>) outs(%e : tensor<3xi32>) (%p: i32, %q: i32, %o: i32) {
    %m = arith.muli %p, %times : i32
    %s = arith.subi %q, %m : i32
    linalg.yield %s : i32
  }
  return %first, %d : tensor<3xi32>, tensor<3xi32>
}

func.func @loop(%a: tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %four = arith.constant 4 : i32
  %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %a, %y = %a) -> (tensor<3xi32>, tensor<3xi32>) {
    %e = tensor.empty() : tensor<3xi32>
    %v = linalg.map ins(%x : tensor<3xi32>) outs(%e : tensor<3xi32>) (%p: i32, %o: i32) {
      %s = arith.addi %p, %p : i32
      linalg.yield %s : i32
    }
    scf.yield %v, %v : tensor<3xi32>, tensor<3xi32>
  }
  %w = linalg.map ins(%a : tensor<3xi32>) outs(%r#0 : tensor<3xi32>) (%p: i32, %o: i32) {
    %one = arith.constant 1 : i32
    %s = arith.addi %one, %o : i32
    linalg.yield %s : i32
  }
  %c:2 = func.call @check(%a, %w, %r#1, %four) : (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, i32) -> (tensor<3xi32>, tensor<3xi32>)
  return %c#0, %c#1 : tensor<3xi32>, tensor<3xi32>
}

func.func @view(%a: tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %four = arith.constant 4 : i32
  %row = tensor.expand_shape %a [[0, 1]] output_shape [1, 3] : tensor<3xi32> into tensor<1x3xi32>
  %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %a, %y = %row) -> (tensor<3xi32>, tensor<1x3xi32>) {
    %e = tensor.empty() : tensor<3xi32>
    %v = linalg.map ins(%x : tensor<3xi32>) outs(%e : tensor<3xi32>) (%p: i32, %o: i32) {
      %s = arith.addi %p, %p : i32
      linalg.yield %s : i32
    }
    %u = tensor.expand_shape %v [[0, 1]] output_shape [1, 3] : tensor<3xi32> into tensor<1x3xi32>
    scf.yield %v, %u : tensor<3xi32>, tensor<1x3xi32>
  }
  %w = linalg.map ins(%a : tensor<3xi32>) outs(%r#0 : tensor<3xi32>) (%p: i32, %o: i32) {
    %one = arith.constant 1 : i32
    %s = arith.addi %one, %o : i32
    linalg.yield %s : i32
  }
  %second = tensor.collapse_shape %r#1 [[0, 1]] : tensor<1x3xi32> into tensor<3xi32>
  %c:2 = func.call @check(%a, %w, %second, %four) : (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, i32) -> (tensor<3xi32>, tensor<3xi32>)
  return %c#0, %c#1 : tensor<3xi32>, tensor<3xi32>
}

func.func @call(%a: tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
  %two = arith.constant 2 : i32
  %r:2 = func.call @twice(%a) : (tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>)
  %w = linalg.map ins(%a : tensor<3xi32>) outs(%r#0 : tensor<3xi32>) (%p: i32, %o: i32) {
    %one = arith.constant 1 : i32
    %s = arith.addi %one, %o : i32
    linalg.yield %s : i32
  }
  %c:2 = func.call @check(%a, %w, %r#1, %two) : (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, i32) -> (tensor<3xi32>, tensor<3xi32>)
  return %c#0, %c#1 : tensor<3xi32>, tensor<3xi32>
}

func.func @while(%a: tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %four = arith.constant 4 : i32
  %r:3 = scf.while (%i = %c0, %x = %a, %y = %a) : (index, tensor<3xi32>, tensor<3xi32>) -> (index, tensor<3xi32>, tensor<3xi32>) {
    %go = arith.cmpi ult, %i, %c2 : index
    scf.condition(%go) %i, %x, %x : index, tensor<3xi32>, tensor<3xi32>
  } do {
  ^bb0(%i: index, %x: tensor<3xi32>, %y: tensor<3xi32>):
    %j = arith.addi %i, %c1 : index
    %v = func.call @double(%y) : (tensor<3xi32>) -> tensor<3xi32>
    scf.yield %j, %v, %v : index, tensor<3xi32>, tensor<3xi32>
  }
  %w = linalg.map ins(%a : tensor<3xi32>) outs(%r#1 : tensor<3xi32>) (%p: i32, %o: i32) {
    %one = arith.constant 1 : i32
    %s = arith.addi %one, %o : i32
    linalg.yield %s : i32
  }
  %c:2 = func.call @check(%a, %w, %r#2, %four) : (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, i32) -> (tensor<3xi32>, tensor<3xi32>)
  return %c#0, %c#1 : tensor<3xi32>, tensor<3xi32>
}

func.func @branch(%a: tensor<3xi32>, %bit: tensor<1xi1>) -> (tensor<3xi32>, tensor<3xi32>) {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2 : i32
  %go = tensor.extract %bit[%c0] : tensor<1xi1>
  %r:2 = scf.if %go -> (tensor<3xi32>, tensor<3xi32>) {
    %v = func.call @double(%a) : (tensor<3xi32>) -> tensor<3xi32>
    scf.yield %v, %v : tensor<3xi32>, tensor<3xi32>
  } else {
    %v:2 = func.call @twice(%a) : (tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>)
    scf.yield %v#0, %v#0 : tensor<3xi32>, tensor<3xi32>
  }
  %w = linalg.map ins(%a : tensor<3xi32>) outs(%r#0 : tensor<3xi32>) (%p: i32, %o: i32) {
    %one = arith.constant 1 : i32
    %s = arith.addi %one, %o : i32
    linalg.yield %s : i32
  }
  %c:2 = func.call @check(%a, %w, %r#1, %two) : (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, i32) -> (tensor<3xi32>, tensor<3xi32>)
  return %c#0, %c#1 : tensor<3xi32>, tensor<3xi32>
}

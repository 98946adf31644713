// Shared by the tests that run a program in two forms and compare. They append this file to themselves.

// Small integers between -6 and 6, so that a few additions and products are exact in f16 as well.
func.func private @value(%position: index, %seed: index) -> f32 {
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %c13 = arith.constant 13 : index
  %scaled = arith.muli %position, %c7 : index
  %start = arith.muli %seed, %c5 : index
  %sum = arith.addi %scaled, %start : index
  %rest = arith.remui %sum, %c13 : index
  %integer = arith.index_cast %rest : index to i64
  %c6 = arith.constant 6 : i64
  %centered = arith.subi %integer, %c6 : i64
  %float = arith.sitofp %centered : i64 to f32
  return %float : f32
}

func.func private @input_f32(%rows: index, %columns: index, %seed: index) -> tensor<?x?xf32> {
  %t = tensor.generate %rows, %columns {
  ^bb0(%i: index, %j: index):
    %row = arith.muli %i, %columns : index
    %position = arith.addi %row, %j : index
    %v = func.call @value(%position, %seed) : (index, index) -> f32
    tensor.yield %v : f32
  } : tensor<?x?xf32>
  return %t : tensor<?x?xf32>
}

func.func private @input_f16(%rows: index, %columns: index, %seed: index) -> tensor<?x?xf16> {
  %t = tensor.generate %rows, %columns {
  ^bb0(%i: index, %j: index):
    %row = arith.muli %i, %columns : index
    %position = arith.addi %row, %j : index
    %v = func.call @value(%position, %seed) : (index, index) -> f32
    %h = arith.truncf %v : f32 to f16
    tensor.yield %h : f16
  } : tensor<?x?xf16>
  return %t : tensor<?x?xf16>
}

// Prints how many elements differ in any bit, and the sum of the elements of the first tensor, each cut
// to an integer and weighted by its position, from 1. NaN has no integer and counts as 0 there.
func.func private @report_f32(%got: tensor<?x?xf32>, %want: tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %none = arith.constant 0.0 : f32
  %rows = tensor.dim %got, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %got, %c1 : tensor<?x?xf32>
  %all = arith.muli %rows, %columns : index
  %count, %sum = scf.for %k = %c0 to %all step %c1 iter_args(%n = %zero, %s = %zero) -> (i64, i64) {
    %i = arith.divui %k, %columns : index
    %j = arith.remui %k, %columns : index
    %x = tensor.extract %got[%i, %j] : tensor<?x?xf32>
    %y = tensor.extract %want[%i, %j] : tensor<?x?xf32>
    %xb = arith.bitcast %x : f32 to i32
    %yb = arith.bitcast %y : f32 to i32
    %differ = arith.cmpi ne, %xb, %yb : i32
    %one = arith.extui %differ : i1 to i64
    %next = arith.addi %n, %one : i64
    %nan = arith.cmpf uno, %x, %x : f32
    %number = arith.select %nan, %none, %x : f32
    %whole = arith.fptosi %number : f32 to i64
    %after = arith.addi %k, %c1 : index
    %weight = arith.index_cast %after : index to i64
    %term = arith.muli %whole, %weight : i64
    %total = arith.addi %s, %term : i64
    scf.yield %next, %total : i64, i64
  }
  vector.print str "mismatches: "
  vector.print %count : i64
  vector.print str "checksum: "
  vector.print %sum : i64
  return
}

func.func private @report_f16(%got: tensor<?x?xf16>, %want: tensor<?x?xf16>) {
  // Widening keeps apart what differs.
  %wide_got = arith.extf %got : tensor<?x?xf16> to tensor<?x?xf32>
  %wide_want = arith.extf %want : tensor<?x?xf16> to tensor<?x?xf32>
  call @report_f32(%wide_got, %wide_want) : (tensor<?x?xf32>, tensor<?x?xf32>) -> ()
  return
}

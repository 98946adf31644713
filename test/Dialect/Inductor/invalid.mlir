// RUN: spyre-opt %s --split-input-file --verify-diagnostics

// One function for each constraint and each way to violate it; docs/Dialects/InductorConstraints.md has the list.

inductor.graph @in1_strides {
  // expected-error @+1 {{has a buffer of rank 2, whose layout has 1 strides}}
  %x = inductor.constant "x" : tensor<8x20xf32, #inductor.layout<fixed, [1]>>
  inductor.return
}

// -----

inductor.graph @in1_sizes {
  // expected-error @+1 {{a layout with 2 strides has 1 extents}}
  %x = inductor.constant "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1], size = [8]>>
  inductor.return
}

// -----

inductor.graph @in1_dynamic {
  // expected-error @+1 {{has a buffer whose dimension 0 is dynamic, and whose layout has no sizes}}
  %x = inductor.constant "x" : tensor<?x20xf32, #inductor.layout<fixed, [20, 1]>>
  inductor.return
}

// -----

inductor.graph @in1_extent {
  // expected-error @+1 {{has a buffer whose dimension 0 has another size in its layout: }}
  %x = inductor.constant "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1], size = [9, 20]>>
  inductor.return
}

// -----

inductor.graph @in1_input {
  // expected-error @+1 {{has a buffer of rank 2, whose layout has 1 strides}}
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [1]>>
  inductor.return
}

// -----

inductor.graph @in2_base {
  // expected-error @+1 {{'base_offset' is of a layout that is 'non_owning'}}
  %x = inductor.input "x" : tensor<8xf32, #inductor.layout<fixed, [1], base_offset = 4>>
  inductor.return
}

// -----

inductor.graph @in2_word {
  // expected-error @+1 {{expected 'size', 'offset' or 'base_offset'}}
  %x = inductor.input "x" : tensor<8xf32, #inductor.layout<fixed, [1], strides = [4]>>
  inductor.return
}

// -----

// expected-error @+1 {{the hint 1 of symbol "s1" is outside of its range}}
inductor.graph @in3_hint symbols [#inductor.sym<"s1", hint = 1, min = 2>] {
  inductor.return
}

// -----

// expected-error @+1 {{symbol "s1" is at least 3 and at most 2}}
inductor.graph @in3_range symbols [#inductor.sym<"s1", min = 3, max = 2>] {
  inductor.return
}

// -----

// expected-error @+1 {{has two symbols "s1"}}
inductor.graph @in4_twice symbols [#inductor.sym<"s1">, #inductor.sym<"s1">] {
  inductor.return
}

// -----

// expected-error @+1 {{has symbols that are #inductor.sym, got 3 : i64}}
inductor.graph @in4_other symbols [3] {
  inductor.return
}

// -----

// expected-error @+1 {{ends with an inductor.return}}
inductor.graph @in5_end {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
}

// -----

// expected-note @+1 {{the graph}}
inductor.graph @in6_symbol symbols [#inductor.sym<"s1">] {
  // expected-error @+1 {{uses symbol s1, and the graph has 1}}
  %x = inductor.constant "x" : tensor<?xf32, #inductor.layout<fixed, [1], size = [s1]>>
  inductor.return
}

// -----

// expected-note @+1 {{the graph}}
inductor.graph @in6_map {
  // expected-error @+1 {{uses symbol s0, and the graph has 0}}
  %x = inductor.input "x" size [s0] : index
  inductor.return
}

// -----

inductor.graph @in7_none {
  // expected-error @+1 {{has a size if its type is index, and no other has}}
  %x = inductor.input "x" : index
  inductor.return
}

// -----

inductor.graph @in7_two {
  // expected-error @+1 {{has a size that is one expression of the symbols}}
  %x = inductor.input "x" size [1, 2] : index
  inductor.return
}

// -----

inductor.graph @in8_value {
  // expected-error @+1 {{has a value of type 'tensor<3xf32>', and the buffer is}}
  %x = inductor.constant "x" value dense<1.0> : tensor<3xf32> : tensor<2xf32, #inductor.layout<fixed, [1]>>
  inductor.return
}

// -----

inductor.graph @in9_loops {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  // expected-error @+1 {{has 2 loops, and a body with 1 arguments; each is an index}}
  %b = inductor.pointwise "op0" as "b" [8, 20] {
  ^bb0(%i: index):
    %v = inductor.load %x at affine_map<(d0) -> (d0, 0)>(%i) : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>> -> f32
    inductor.store %v at affine_map<(d0) -> (d0, 0)>(%i) : f32
  } : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  inductor.return
}

// -----

inductor.graph @in9_end {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  // expected-error @+1 {{has a body that ends with an inductor.store}}
  %b = inductor.pointwise "op0" as "b" [8, 20] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>> -> f32
    inductor.yield %v : f32
  } : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  inductor.return
}

// -----

inductor.graph @in10_shape {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  %y = inductor.input "y" : tensor<8x1xf32, #inductor.layout<fixed, [1, 8]>>
  // expected-error @+1 {{stores 'tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>' into a buffer of type}}
  %b = inductor.pointwise "op0" as "b" [8, 20] into %y : tensor<8x1xf32, #inductor.layout<fixed, [1, 8]>> {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>> -> f32
    inductor.store %v at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32
  } : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  inductor.return
}

// -----

inductor.graph @in11_kind {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  // expected-error @+1 {{has an unknown kind 'median'}}
  %b = inductor.reduction "op0" as "b" median [8, 1] over [20] from f32 {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>> -> f32
    inductor.store %v at affine_map<(d0, d1) -> (d0, 0)>(%i, %j) : f32
  } : tensor<8x1xf32, #inductor.layout<fixed, [1, 8]>>
  inductor.return
}

// -----

inductor.graph @in11_output {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  // expected-error @+1 {{of kind 'welford_reduce' has 3 results; 'output' says which one the buffer is}}
  %b = inductor.reduction "op0" as "b" welford_reduce [8, 1] over [20] from f32 {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>> -> f32
    inductor.store %v at affine_map<(d0, d1) -> (d0, 0)>(%i, %j) : f32
  } : tensor<8x1xf32, #inductor.layout<fixed, [1, 8]>>
  inductor.return
}

// -----

inductor.graph @in11_many {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  // expected-error @+1 {{of kind 'max' has 1 results; 'output' says which one the buffer is}}
  %b = inductor.reduction "op0" as "b" max [8, 1] over [20] from f32 output 1 {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>> -> f32
    inductor.store %v at affine_map<(d0, d1) -> (d0, 0)>(%i, %j) : f32
  } : tensor<8x1xf32, #inductor.layout<fixed, [1, 8]>>
  inductor.return
}

// -----

inductor.graph @in12_store {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  %b = inductor.reduction "op0" as "b" max [8, 1] over [20] from f32 {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>> -> f32
    // expected-error @+1 {{stores at loop 1, which is reduced}}
    inductor.store %v at affine_map<(d0, d1) -> (d1, 0)>(%i, %j) : f32
  } : tensor<8x1xf32, #inductor.layout<fixed, [1, 8]>>
  inductor.return
}

// -----

inductor.graph @in13_combine {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  // expected-error @+1 {{combines 1 values with 1 others, and gives 1}}
  %b = inductor.scan "op0" as "b" [8, 20] over [20] output 0 {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>> -> f32
    inductor.store %v at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32
  } combine {
  ^bb0(%a: f32):
    inductor.yield %a : f32
  } : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  inductor.return
}

// -----

inductor.graph @in14_output {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  // expected-error @+1 {{has no value 1}}
  %b = inductor.sort "op0" as "b" [8, 20] over [20] output 1 {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>> -> f32
    inductor.store %v at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32
  } : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  inductor.return
}

// -----

inductor.graph @in15_type {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  // expected-error @+1 {{has a result of type 'tensor<8x1xf32, #inductor.layout<fixed, [1, 8]>>', and goes into}}
  %b = inductor.scatter "op0" as "b" [8, 20] into %x {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>> -> f32
    inductor.store %v at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32
  } : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>> -> tensor<8x1xf32, #inductor.layout<fixed, [1, 8]>>
  inductor.return
}

// -----

inductor.graph @in16_dims {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  %b = inductor.pointwise "op0" as "b" [8, 20] {
  ^bb0(%i: index, %j: index):
    // expected-error @+1 {{has a map of 2 dimensions, and 1 indices}}
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i) : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>> -> f32
    inductor.store %v at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32
  } : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  inductor.return
}

// -----

inductor.graph @in16_rank {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  %b = inductor.pointwise "op0" as "b" [8, 20] {
  ^bb0(%i: index, %j: index):
    // expected-error @+1 {{has a map with 1 results, and a buffer of rank 2}}
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0)>(%i, %j) : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>> -> f32
    inductor.store %v at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32
  } : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  inductor.return
}

// -----

inductor.graph @in16_view {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  %b = inductor.pointwise "op0" as "b" [8, 20] {
  ^bb0(%i: index, %j: index):
    // expected-error @+1 {{has a view without sizes}}
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) view <fixed, [20, 1]> : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>> -> f32
    inductor.store %v at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32
  } : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  inductor.return
}

// -----

inductor.graph @in17_type {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  %b = inductor.pointwise "op0" as "b" [8, 20] {
  ^bb0(%i: index, %j: index):
    // expected-error @+1 {{reads 'f16' from}}
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>> -> f16
    inductor.store %v at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f16
  } : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  inductor.return
}

// -----

inductor.graph @in18_rank {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  %b = inductor.pointwise "op0" as "b" [8, 20] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>> -> f32
    // expected-error @+1 {{has a map with 1 results, and a buffer of rank 2}}
    inductor.store %v at affine_map<(d0, d1) -> (d0)>(%i, %j) : f32
  } : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  inductor.return
}

// -----

inductor.graph @in19_type {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  %b = inductor.pointwise "op0" as "b" [8, 20] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>> -> f32
    // expected-error @+1 {{stores 'f32' to}}
    inductor.store %v at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32
  } : tensor<8x20xi64, #inductor.layout<fixed, [20, 1]>>
  inductor.return
}

// -----

inductor.graph @in29_dimensions {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  %b = inductor.pointwise "op0" as "b" [8, 20] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>> -> f32
    // expected-error @+1 {{has a map of 1 dimensions, and 2 indices}}
    %n = inductor.index_apply "max" affine_map<(d0) -> (0, d0)>(%i, %j)
    inductor.store %v at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32
  } : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  inductor.return
}

// -----

inductor.graph @in29_function {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  %b = inductor.pointwise "op0" as "b" [8, 20] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>> -> f32
    // expected-error @+1 {{has no function 'sqrt' of 1 operands}}
    %n = inductor.index_apply "sqrt" affine_map<(d0) -> (d0)>(%i)
    inductor.store %v at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32
  } : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  inductor.return
}

// -----

inductor.graph @in29_operands {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  %b = inductor.pointwise "op0" as "b" [8, 20] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>> -> f32
    // expected-error @+1 {{has no function 'min' of 1 operands}}
    %n = inductor.index_apply "min" affine_map<(d0) -> (d0)>(%i)
    inductor.store %v at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32
  } : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  inductor.return
}

// -----

inductor.graph @in30_results {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  %b = inductor.pointwise "op0" as "b" [8, 20] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>> -> f32
    // expected-error @+1 {{has a map of 1 dimensions with 2 results, and 1 indices}}
    inductor.check_bounds affine_map<(d0) -> (d0, 3)>(%i) below [8]
    inductor.store %v at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32
  } : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  inductor.return
}

// -----

inductor.graph @in30_size {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  %b = inductor.pointwise "op0" as "b" [8, 20] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>> -> f32
    // expected-error @+1 {{is below one expression of the symbols}}
    inductor.check_bounds affine_map<(d0) -> (d0)>(%i) below [8, 20]
    inductor.store %v at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32
  } : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  inductor.return
}

// -----

inductor.graph @in20_results {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  %b = inductor.pointwise "op0" as "b" [8, 20] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>> -> f32
    // expected-error @+1 {{has a map of 2 dimensions with 2 results, and 2 indices}}
    %n = inductor.index_expr affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : i64
    inductor.store %v at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32
  } : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  inductor.return
}

// -----

inductor.graph @in21_size {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  %b = inductor.pointwise "op0" as "b" [8, 20] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>> -> f32
    %n = arith.constant 1 : i64
    // expected-error @+1 {{is below one expression of the symbols}}
    %at = inductor.indirect %n below [8, 8] : i64
    inductor.store %v at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32
  } : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  inductor.return
}

// -----

inductor.graph @in22_other {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  %b = inductor.pointwise "op0" as "b" [8, 20] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>> -> f32
    %c = arith.constant true
    // expected-error @+1 {{is 'f32', and elsewhere 'i64'}}
    %w = inductor.masked %c else 1 : i64 {
      inductor.yield %v : f32
    } : f32
    inductor.store %v at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32
  } : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  inductor.return
}

// -----

inductor.graph @in22_yield {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  %b = inductor.pointwise "op0" as "b" [8, 20] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>> -> f32
    %c = arith.constant true
    // expected-error @+1 {{has a block that yields one 'f32'}}
    %w = inductor.masked %c else 1.0 : f32 {
      inductor.yield %v, %v : f32, f32
    } : f32
    inductor.store %v at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32
  } : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  inductor.return
}

// -----

inductor.graph @in22_argument {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  %b = inductor.pointwise "op0" as "b" [8, 20] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>> -> f32
    %c = arith.constant true
    // expected-error @+1 {{region should have no arguments}}
    %w = inductor.masked %c else 1.0 : f32 {
    ^bb0(%k: index):
      inductor.yield %v : f32
    } : f32
    inductor.store %v at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32
  } : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  inductor.return
}

// -----

inductor.graph @in23_operand {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  // expected-error @+1 {{has no operand 1}}
  %b = inductor.extern "op0" as "b" "ScatterFallback"(%x) mutates [1] : (tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>) -> tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  inductor.return
}

// -----

inductor.graph @in23_type {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  // expected-error @+1 {{writes operand 0 of type}}
  %b = inductor.extern "op0" as "b" "ScatterFallback"(%x) mutates [0] : (tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>) -> tensor<8x1xf32, #inductor.layout<fixed, [1, 8]>>
  inductor.return
}

// -----

inductor.graph @in23_results {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  // expected-error @+1 {{has 2 results: what it computes, and 0 that it writes}}
  %b:2 = inductor.extern "op0" as "b" "FallbackKernel"(%x) : (tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>) -> (tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>, tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>)
  inductor.return
}

// -----

inductor.graph @in24_operand {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  // expected-error @+1 {{has no operand 4}}
  %b = inductor.extern "op0" as "b" "FallbackKernel"(%x) {call = {args = [[#inductor.operand<4>]]}} : (tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>) -> tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  inductor.return
}

// -----

inductor.graph @in25_sum {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  // expected-error @+1 {{has parts of 40 in dimension 1, and a result of 30}}
  %b = inductor.concat "op0" as "b" %x, %x : (tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>, tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>) -> tensor<8x30xf32, #inductor.layout<fixed, [30, 1]>>
  inductor.return
}

// -----

inductor.graph @in25_two {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  // expected-error @+1 {{has parts that are shorter in dimensions 0 and 1}}
  %b = inductor.concat "op0" as "b" %x, %x : (tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>, tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>) -> tensor<9x40xf32, #inductor.layout<fixed, [40, 1]>>
  inductor.return
}

// -----

inductor.graph @in26_outside {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  // expected-error @+1 {{reads 161 elements of a buffer that has 160}}
  %b = inductor.view %x : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>> -> tensor<160xf32, #inductor.layout<fixed, [1], offset = 1>>
  inductor.return
}

// -----

!t = tensor<4xf32, #inductor.layout<fixed, [1]>>
inductor.graph @in27_nests {
  %x = inductor.input "x" : !t
  // expected-error @+1 {{'inductor.kernel' op has loop nests alone}}
  %y = inductor.kernel "op0" outer 1 of [1] {
    // expected-note @+1 {{this is none}}
    %0 = inductor.view %x : !t -> !t
    inductor.yield %0 : !t
  } : !t
  inductor.return %y : !t
}

// -----

!t = tensor<4xf32, #inductor.layout<fixed, [1]>>
inductor.graph @in27_yield {
  %x = inductor.input "x" : !t
  // expected-error @+1 {{'inductor.kernel' op ends with an inductor.yield of its results}}
  %y = inductor.kernel "op0" {
    inductor.yield
  } : !t
  inductor.return %y : !t
}

// -----

!t = tensor<4xf32, #inductor.layout<fixed, [1]>>
inductor.graph @in28_parts {
  %x = inductor.input "x" : !t
  // expected-error @+1 {{'inductor.kernel' op has 1 nests in parts of 2}}
  %y = inductor.kernel "op0" outer 1 of [1, 1] {
    %0 = inductor.pointwise "op0" as "buf0" [4] {
    ^bb0(%i: index):
      %v = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : !t -> f32
      inductor.store %v at affine_map<(d0) -> (d0)>(%i) : f32
    } : !t
    inductor.yield %0 : !t
  } : !t
  inductor.return %y : !t
}

// -----

!t = tensor<4xf32, #inductor.layout<fixed, [1]>>
inductor.graph @in28_outer {
  %x = inductor.input "x" : !t
  // expected-error @+1 {{'inductor.kernel' op shares 0 loops}}
  %y = inductor.kernel "op0" outer 0 of [1] {
    inductor.yield %x : !t
  } : !t
  inductor.return %y : !t
}

// -----

!t = tensor<4xf32, #inductor.layout<fixed, [1]>>
inductor.graph @in28_both {
  %x = inductor.input "x" : !t
  // expected-error @+1 {{'inductor.kernel' op has 'outer' and 'of', or none of them}}
  %y = "inductor.kernel"() <{name = "op0", outer = 1 : i64}> ({
    inductor.yield %x : !t
  }) : () -> !t
  inductor.return %y : !t
}

// RUN: spyre-opt %s --split-input-file --verify-diagnostics

// One function for each constraint and each way to violate it; docs/Dialects/InductorConstraints.md has the list.

inductor.graph @in1_strides {
  // expected-error @+1 {{'inductor.constant' op result #0 has rank 2, but its layout has 1 strides}}
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
  // expected-error @+1 {{'inductor.constant' op dimension 0 of result #0 is dynamic, but its layout has no sizes}}
  %x = inductor.constant "x" : tensor<?x20xf32, #inductor.layout<fixed, [20, 1]>>
  inductor.return
}

// -----

inductor.graph @in1_extent {
  // expected-error @+1 {{'inductor.constant' op dimension 0 of result #0 has extent 8, but 9 in its layout}}
  %x = inductor.constant "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1], size = [9, 20]>>
  inductor.return
}

// -----

inductor.graph @in1_symbol symbols [#inductor.sym<"s1">] {
  // expected-error @+1 {{'inductor.constant' op dimension 0 of result #0 has extent 8, but ? in its layout}}
  %x = inductor.constant "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1], size = [s0, 20]>>
  inductor.return
}

// -----

inductor.graph @in1_input {
  // expected-error @+1 {{'inductor.input' op result #0 has rank 2, but its layout has 1 strides}}
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

// expected-error @+1 {{hint 1 of symbol "s1" is below min 2}}
inductor.graph @in3_hint symbols [#inductor.sym<"s1", hint = 1, min = 2>] {
  inductor.return
}

// -----

// expected-error @+1 {{hint 101 of symbol "s1" is above max 100}}
inductor.graph @in3_hint_max symbols [#inductor.sym<"s1", hint = 101, min = 2, max = 100>] {
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

// expected-error @+1 {{must end with an inductor.return, got inductor.input}}
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
  // expected-error @+1 {{must have a size if and only if its type is 'index', got type 'index' and no size}}
  %x = inductor.input "x" : index
  inductor.return
}

// -----

inductor.graph @in7_buffer {
  // expected-error @+1 {{must have a size if and only if its type is 'index', got type 'tensor<8xf32, #inductor.layout<fixed, [1]>>' and a size}}
  %x = inductor.input "x" size [8] : tensor<8xf32, #inductor.layout<fixed, [1]>>
  inductor.return
}

// -----

inductor.graph @in7_two {
  // expected-error @+1 {{size must be one expression of symbols, got affine_map<() -> (1, 2)>}}
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
  // expected-error @+1 {{has 2 loops, so its body must take 2 arguments of type 'index', got ('index')}}
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
  // expected-error @+1 {{must have a body that ends with an inductor.store, got inductor.yield}}
  %b = inductor.pointwise "op0" as "b" [8, 20] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>> -> f32
    inductor.yield %v : f32
  } : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  inductor.return
}

// -----

func.func @in9_store(%v: f32) {
  // expected-error @+1 {{must end the body of a loop nest, got the parent func.func}}
  inductor.store %v at affine_map<() -> (0)>() : f32
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
  // expected-error @+1 {{of kind 'welford_reduce' has 3 results, so 'output' must select one}}
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
  // expected-error @+1 {{of kind 'max' has 1 results, and output 1 is none of them}}
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
  // expected-error @+1 {{combines 1 values, so its block must take 2 and yield 1, got 1 and 1}}
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

inductor.graph @in13_output {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  // expected-error @+1 {{output 2 is none of the 1 values that the body stores}}
  %b = inductor.scan "op0" as "b" [8, 20] over [20] output 2 {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>> -> f32
    inductor.store %v at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32
  } combine {
  ^bb0(%a: f32, %c: f32):
    inductor.yield %a : f32
  } : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  inductor.return
}

// -----

inductor.graph @in14_output {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  // expected-error @+1 {{output 1 is none of the 1 values that the body stores}}
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
    // expected-error @+1 {{size must be one expression of symbols, got affine_map<() -> (8, 20)>}}
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
    // expected-error @+1 {{size must be one expression of symbols, got affine_map<() -> (8, 8)>}}
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
    // expected-error @+1 {{must have a block that yields one 'f32', got ('f32', 'f32')}}
    %w = inductor.masked %c else 1.0 : f32 {
      inductor.yield %v, %v : f32, f32
    } : f32
    inductor.store %v at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32
  } : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  inductor.return
}

// -----

inductor.graph @in22_end {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  %b = inductor.pointwise "op0" as "b" [8, 20] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>> -> f32
    %c = arith.constant true
    // expected-error @+1 {{must have a block that ends with an inductor.yield, got inductor.store}}
    %w = inductor.masked %c else 1.0 : f32 {
      inductor.store %v at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32
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
  // expected-error @+1 {{'mutates' names operand 1, but the operation has 1 operands}}
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
  // expected-error @+1 {{has 2 results; expected at most one that it computes, and 0 that it writes}}
  %b:2 = inductor.extern "op0" as "b" "FallbackKernel"(%x) : (tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>) -> (tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>, tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>)
  inductor.return
}

// -----

inductor.graph @in24_operand {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  // expected-error @+1 {{'call' names operand 4, but the operation has 1 operands}}
  %b = inductor.extern "op0" as "b" "FallbackKernel"(%x) {call = {args = [[#inductor.operand<4>]]}} : (tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>) -> tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  inductor.return
}

// -----

inductor.graph @in24_output {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  // expected-error @+1 {{'outputs' names operand 1, but the operation has 1 operands}}
  inductor.return %x outputs [#inductor.operand<1>] : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
}

// -----

inductor.graph @in25_sum {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  // expected-error @+1 {{has a result of extent 30 in dimension 1, but its parts have extent 40 together}}
  %b = inductor.concat "op0" as "b" %x, %x : (tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>, tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>) -> tensor<8x30xf32, #inductor.layout<fixed, [30, 1]>>
  inductor.return
}

// -----

inductor.graph @in25_two {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  // expected-error @+1 {{part #0 has extent 20 in dimension 1, but the result has 40; parts already differ from the result in dimension 0}}
  %b = inductor.concat "op0" as "b" %x, %x : (tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>, tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>) -> tensor<9x40xf32, #inductor.layout<fixed, [40, 1]>>
  inductor.return
}

// -----

inductor.graph @in25_rank {
  %x = inductor.input "x" : tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
  %y = inductor.input "y" : tensor<20xf32, #inductor.layout<fixed, [1]>>
  // expected-error @+1 {{part #1 has type 'tensor<20xf32, #inductor.layout<fixed, [1]>>', but the result has rank 2 and element type 'f32'}}
  %b = inductor.concat "op0" as "b" %x, %y : (tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>, tensor<20xf32, #inductor.layout<fixed, [1]>>) -> tensor<8x40xf32, #inductor.layout<fixed, [40, 1]>>
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
  // expected-error @+1 {{'inductor.kernel' op must have loop nests only, since it has 'outer', got inductor.view}}
  %y = inductor.kernel "op0" outer 1 of [1] {
    // expected-note @+1 {{the operation}}
    %0 = inductor.view %x : !t -> !t
    inductor.yield %0 : !t
  } : !t
  inductor.return %y : !t
}

// -----

!t = tensor<4xf32, #inductor.layout<fixed, [1]>>
inductor.graph @in27_other {
  %x = inductor.input "x" : !t
  // expected-error @+1 {{'inductor.kernel' op must have loop nests, kernels from outside, concatenations and views only, got arith.constant}}
  %y = inductor.kernel "op0" {
    // expected-note @+1 {{the operation}}
    %0 = arith.constant 1.0 : f32
    inductor.yield %x : !t
  } : !t
  inductor.return %y : !t
}

// -----

!t = tensor<4xf32, #inductor.layout<fixed, [1]>>
inductor.graph @in27_yield {
  %x = inductor.input "x" : !t
  // expected-error @+1 {{'inductor.kernel' op must yield values of the types of its results, ('tensor<4xf32, #inductor.layout<fixed, [1]>>'), got ()}}
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
  // expected-error @+1 {{'inductor.kernel' op must have both 'outer' and 'of' or neither, got 'outer' alone}}
  %y = "inductor.kernel"() <{name = "op0", outer = 1 : i64}> ({
    inductor.yield %x : !t
  }) : () -> !t
  inductor.return %y : !t
}

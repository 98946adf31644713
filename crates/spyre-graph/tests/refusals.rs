//! Inputs, operations and hints that a graph refuses, with their messages.

use melior::Context;
use spyre_graph::{
    DeclarationError, Element, Graph, GraphError, Layout, Quantized, ReducedDims, Tiles,
};
use spyre_layout::DimOrder;

const F16: Element = Element::F16;

/// Returns the default layout.
fn layout(rank: usize, elements_per_stick: u64) -> Layout {
    let elements = spyre_layout::Elements(elements_per_stick);
    Layout::default_for(&DimOrder::host(rank), elements).expect("a layout")
}

/// Returns the message of an error.
fn message<T>(result: Result<T, GraphError>) -> String {
    result.err().expect("it is refused").to_string()
}

#[test]
fn messages_name_the_operands_with_their_shapes() {
    let context = spyre_exec::context();
    let mut graph = Graph::new(&context, "f");
    let x = graph.input("x", &[("A", 4), ("B", 64)], F16);
    let y = graph.input("y", &[4, 32], F16);
    let i = graph.input("i", &[4, 64], Element::I32);
    let z = graph.abs(x).expect("a tensor");
    assert_eq!(
        message(graph.add(z, y)),
        "spyre.add: spyre.abs #3 (tensor<4x64xf16>) and \"y\" (tensor<4x32xf16>) do not broadcast: \
         along dimension 1 of the result they have 64 and 32 elements"
    );
    assert_eq!(
        message(graph.mul(x, i)),
        "spyre.mul: \"x\" (tensor<4x64xf16>) and \"i\" (tensor<4x64xi32>) have elements of different \
         types; `Graph::cast` converts them"
    );
    assert_eq!(
        message(graph.sin(i)),
        "spyre.sin takes elements of type f16, bf16, f32, and no \"i\" (tensor<4x64xi32>)"
    );
    assert_eq!(
        message(graph.sum(x, &["C"], ReducedDims::Kept)),
        "spyre.sum: \"x\" (tensor<4x64xf16>) has no dimension \"C\"; the names are A, B"
    );
    assert_eq!(
        message(graph.sum(x, &[2], ReducedDims::Kept)),
        "spyre.sum: \"x\" (tensor<4x64xf16>) has no dimension 2; the names are A, B"
    );
    assert_eq!(
        message(graph.mean(x, &[1, 1], ReducedDims::Kept)),
        "spyre.mean: \"x\" (tensor<4x64xf16>): expected at least one dimension, each once, got [1, 1]"
    );
    assert_eq!(
        message(graph.matmul(x, y)),
        "spyre.batchmatmul: \"x\" (tensor<4x64xf16>) has 64 columns, and \"y\" (tensor<4x32xf16>) has 4 rows"
    );
    // The refused operations are not in the graph.
    let module = graph.finish(&[z]).expect("a module");
    let text = module.as_operation().to_string();
    // The names of the dimensions, and the operation.
    assert_eq!(text.matches("spyre.").count(), 2, "{text}");
}

#[test]
fn messages_name_a_tensor_with_its_shape() {
    let context = spyre_exec::context();
    let mut graph = Graph::new(&context, "f");
    let x = graph.input("x", &[("A", 4), ("B", 64)], F16);
    let row = graph.input("row", &[64], F16);
    assert_eq!(
        message(graph.layer_norm(row, x, row, 1e-5)),
        "spyre.layernormnorm: \"row\" (tensor<64xf16>) has the shape of the result, and does not repeat: \
         along dimension 0 it has 1 element, and \"x\" (tensor<4x64xf16>) has 4"
    );
    assert_eq!(
        message(graph.cast(x, Element::Bool)),
        "`Graph::cast` does not convert \"x\" (tensor<4x64xf16>) to elements of type i1; it converts that to bf16, \
         f32, i32"
    );
    assert_eq!(
        message(graph.fill(&[4], Element::I8, 200.0)),
        "200 is no element of type i8"
    );
    assert_eq!(
        message(graph.tile("C", Tiles::Count(2), |graph| graph.abs(x))),
        "a hint tiles dimension \"C\", which no input has; the names are A, B"
    );
    assert_eq!(
        message(graph.tile("A", Tiles::Count(0), |graph| graph.abs(x))),
        "a hint tiles dimension \"A\" in 0; the number is from 1 to 9223372036854775807"
    );
    assert!(
        message(graph.tile("A", Tiles::Count(u64::MAX), |graph| graph.abs(x))).contains("from 1")
    );
}

#[test]
fn a_tensor_of_another_graph_is_refused() {
    let context = spyre_exec::context();
    let mut graph = Graph::new(&context, "f");
    let mut other = Graph::new(&context, "g");
    let x = graph.input("x", &[4], F16);
    let y = other.input("y", &[4], F16);
    assert_eq!(
        graph.add(x, y),
        Err(GraphError::Foreign {
            operation: "spyre.add",
            number: 1
        })
    );
    assert!(matches!(
        graph.finish(&[y]).err(),
        Some(GraphError::Foreign { .. })
    ));
}

#[test]
fn declarations_are_refused_at_the_end() {
    let context = spyre_exec::context();
    let refused = |declare: &dyn Fn(&mut Graph<'_>)| {
        let mut graph = Graph::new(&context, "f");
        let x = graph.input("x", &[("A", 4), ("B", 64)], F16);
        declare(&mut graph);
        match graph.finish(&[x]) {
            Err(GraphError::Declaration { source, .. }) => source,
            other => panic!("{:?}", other.err()),
        }
    };
    let empty = refused(&|graph| _ = graph.input("y", &[4, 0], F16));
    assert_eq!(empty, DeclarationError::Empty(1));
    let element = refused(&|graph| _ = graph.input("y", &[4], Element::F64));
    assert_eq!(element, DeclarationError::Element(Element::F64));
    let input = refused(&|graph| _ = graph.input("x", &[4], F16));
    assert_eq!(input, DeclarationError::Input);
    let repeated = refused(&|graph| _ = graph.input("y", &[("C", 4), ("C", 4)], F16));
    let name = "C".to_owned();
    assert_eq!(repeated, DeclarationError::Repeated { name, dims: [0, 1] });
    let unnamed = refused(&|graph| _ = graph.input("y", &[("C", 4), ("", 4)], F16));
    assert_eq!(unnamed, DeclarationError::Unnamed(1));
    let long = refused(&|graph| _ = graph.input("y", &[4, 1_u64 << 63], Element::I8));
    assert_eq!(long, DeclarationError::Long(1));
    let extent = refused(&|graph| _ = graph.input("y", &[("A", 8)], F16));
    let expected = DeclarationError::Extent {
        name: "A".to_owned(),
        input: "x".to_owned(),
        extents: [8, 4],
    };
    assert_eq!(
        expected.to_string(),
        "dimension \"A\" has 8 elements here, and 4 in input \"x\""
    );
    assert_eq!(extent, expected);
    let order = refused(&|graph| _ = graph.input("y", &[1; 7], F16));
    assert!(matches!(order, DeclarationError::Order(_)));
    let place = refused(&|graph| {
        _ = graph.input_with_layout("y", &[4, 64], F16, layout(3, 64));
    });
    assert!(matches!(place, DeclarationError::Place(_)));
}

#[test]
fn operations_on_a_refused_input_do_not_panic() {
    let context = spyre_exec::context();
    let mut graph = Graph::new(&context, "f");
    let other_rank = graph.input_with_layout("x", &[4, 64], F16, layout(3, 64));
    let f64s = graph.input("y", &[4, 64], Element::F64);
    let long = graph.input("z", &[1_u64 << 63, 4], Element::I8);
    for x in [other_rank, f64s, long] {
        assert_eq!(graph.device_layout(x), None);
        let view = graph.permute(x, &[1, 0]).expect("a tensor");
        assert_eq!(graph.device_layout(view), None);
    }
    assert!(graph.number(0.0, f64s).is_err());
    assert!(matches!(
        graph.finish(&[other_rank]).err(),
        Some(GraphError::Declaration { .. })
    ));
}

#[test]
fn an_ambiguous_name_is_refused() {
    let context = spyre_exec::context();
    let mut graph = Graph::new(&context, "f");
    let x = graph.input("x", &[("S", 64), ("E", 32)], F16);
    let transposed = graph.permute(x, &["E", "S"]).expect("a tensor");
    let scores = graph.matmul(x, transposed).expect("a tensor");
    let expected = "spyre.max: dimensions 0 and 1 of spyre.batchmatmul #2 (tensor<64x64xf16>) have the name \"S\"; \
                    refer to one by its number";
    assert_eq!(message(graph.softmax(scores, "S")), expected);
    graph.softmax(scores, 1).expect("a tensor");
    let indices = graph.input("i", &[3], Element::I32);
    assert!(matches!(
        graph.gather(indices, scores, "S"),
        Err(GraphError::Ambiguous { dims: [0, 1], .. })
    ));
    assert_eq!(
        message(graph.fill(&[("A", 4), ("A", 8)], F16, 0.0)),
        "spyre.fill: dimensions 0 and 1 have the name \"A\""
    );
    assert_eq!(
        message(graph.fill(&[("S", 8)], F16, 0.0)),
        "spyre.fill: dimension \"S\" has 8 elements here, and 64 in input \"x\""
    );
}

#[test]
fn numbers_beyond_the_largest_of_a_type_are_refused() {
    let context = spyre_exec::context();
    let mut graph = Graph::new(&context, "f");
    let x = graph.input("x", &[4], F16);
    assert_eq!(
        message(graph.number(-1e9, x)),
        "-1000000000 is no element of type f16"
    );
    assert!(graph.fill(&[4], Element::F8E4M3, 1000.0).is_err());
    graph
        .number(f64::NEG_INFINITY, x)
        .expect("f16 has infinities");
    let least = -(2.0_f64.powi(63));
    graph.fill(&[4], Element::I64, least).expect("a tensor");
}

#[test]
fn messages_name_the_types_of_results() {
    let context = spyre_exec::context();
    let mut graph = Graph::new(&context, "f");
    let x = graph.input("x", &[4, 64], F16);
    let words = graph.input("w", &[4, 64], Element::F32);
    let bytes = graph.input("b", &[64, 64], Element::I8);
    let truth = graph.input("t", &[4, 64], Element::Bool);
    assert_eq!(
        message(graph.topkindex(x, 1, 2, Element::F32)),
        "spyre.topkindex of \"x\" (tensor<4x64xf16>) has a result with elements of type i32, i64, f16, and not f32"
    );
    let quantized = graph.quantize(x, Element::F32, Quantized::Weights);
    assert!(message(quantized).starts_with("spyre.qfp8wt of \"x\""));
    assert!(message(graph.bitcast(words, F16)).ends_with("type f32, i32, i64, and not f16"));
    let product = graph.matmul_8_bits(bytes, bytes, Element::F32);
    assert!(message(product).ends_with("type f16, bf16, and not f32"));
    let product = graph.matmul_8_bits(x, bytes, F16);
    assert!(message(product).contains("i8, and no \"x\""));
    // There is no cast of truth values.
    assert_eq!(
        message(graph.add(x, truth)),
        "spyre.add: \"x\" (tensor<4x64xf16>) and \"t\" (tensor<4x64xi1>) have elements of different types"
    );
    assert_eq!(
        message(graph.clip(x, 2.0, 1.0)),
        "spyre.clip: min is 2; expected a number that is not above max, 1"
    );
    assert_eq!(
        message(graph.topkvalue(x, 0, 5)),
        "spyre.topkvalue: k is 5; expected a number from 1 to 4, the extent of dimension 0"
    );
}

#[test]
fn an_operation_that_would_have_other_hints_is_refused() {
    let context = spyre_exec::context();
    // Nothing gives it hints.
    let mut graph = Graph::new(&context, "f");
    let x = graph.input("x", &[("A", 4), ("B", 64)], F16);
    let y = graph.tile("A", Tiles::Count(2), |graph| graph.sin(x));
    let error = graph.finish(&[y.expect("a tensor")]).err();
    let operation = "spyre.sin #1".to_owned();
    assert_eq!(error, Some(GraphError::Hint { operation }));
    // Its user is in another loop.
    let mut graph = Graph::new(&context, "f");
    let x = graph.input("x", &[("A", 4), ("B", 64)], F16);
    let y = graph.tile("A", Tiles::Count(2), |graph| {
        let sum = graph.add(x, x)?;
        graph.pow(sum, x)
    });
    let y = y.expect("a tensor");
    let z = graph.tile("A", Tiles::Count(4), |graph| graph.neg(y));
    let error = graph.finish(&[z.expect("a tensor")]).err();
    let operation = "spyre.pow #2".to_owned();
    assert_eq!(error, Some(GraphError::Hint { operation }));
}

#[test]
fn a_function_needs_results_and_dialects() {
    let context = spyre_exec::context();
    let graph = Graph::new(&context, "f");
    assert!(matches!(
        graph.finish(&[]).err(),
        Some(GraphError::NoResult)
    ));
    let empty = Context::new();
    let mut graph = Graph::new(&empty, "f");
    let x = graph.input("x", &[4], F16);
    assert!(matches!(
        graph.finish(&[x]).err(),
        Some(GraphError::Context)
    ));
}

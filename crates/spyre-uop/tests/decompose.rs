//! Graphs that have been rewritten compute the same.

mod golden;
mod lines;

use spyre_uop::decompose::{self, is_decomposable};
use spyre_uop::dtype::DType;
use spyre_uop::file;
use spyre_uop::graph::Graph;
use spyre_uop::interpret::{self, Inputs, Limits};
use spyre_uop::op::{Elementwise, Op};
use spyre_uop::record::{self, RecordError};
use spyre_uop::schema;

/// Returns the operations of a graph that can be decomposed.
fn decomposable(graph: &Graph) -> Vec<(Elementwise, DType)> {
    let nodes = graph.nodes().iter();
    let all = nodes.filter_map(|(_, node)| match node.op {
        Op::Elementwise(op) => {
            let last = graph
                .tensor(*node.sources.last().expect("an operand"))
                .dtype;
            is_decomposable(op, last).then_some((op, last))
        }
        _ => None,
    });
    all.collect()
}

#[test]
fn rewritten_graphs_are_of_primitives() {
    let lines = r#"
        Buffer f32 [2,3] [] {"slot":0}
        Exp2 f32 [2,3] [0] {}
        Sub f32 [2,3] [1,0] {}
        CmpGe bool [2,3] [2,0] {}
        Not bool [2,3] [3] {}
        Pow f32 [2,3] [0,1] {}
        Where f32 [2,3] [4,2,5] {}
        Sin f32 [2,3] [6] {}
    "#;
    let graph = file::import(&lines::nodes(lines)).expect("a graph").graph;
    assert_eq!(decomposable(&graph).len(), 6);
    let all = decompose::rewrite(&graph, &decompose::nothing);
    assert_eq!(decomposable(&all.graph), []);
    let last = |list: &Graph| list.nodes().ids().last().expect("a node");
    assert_eq!(all.nodes[last(&graph)], last(&all.graph));
    // Operations that a target has are kept, also where a decomposition emits them.
    let keep = |op, _| matches!(op, Elementwise::Exp2 | Elementwise::Log2);
    let some = decompose::rewrite(&graph, &keep).graph;
    let kept: Vec<Elementwise> = decomposable(&some)
        .into_iter()
        .map(|rewritten| rewritten.0)
        .collect();
    assert_eq!(
        kept,
        [Elementwise::Exp2, Elementwise::Log2, Elementwise::Exp2]
    );
    // A graph of primitives does not change.
    assert_eq!(
        decompose::rewrite(&all.graph, &decompose::nothing).graph,
        all.graph
    );
}

#[test]
fn powers_of_known_exponents_are_products_and_roots() {
    for (exponent, count) in [(2.0, 0), (3.0, 0), (-1.0, 0), (0.5, 1), (2.5, 2)] {
        let lines = format!(
            r#"Buffer f32 [2] [] {{"slot":0}}
            Const f32 [] [] {{"value":{exponent:?}}}
            Reshape f32 [1] [1] {{"shape":[1]}}
            Expand f32 [2] [2] {{"shape":[2]}}
            Pow f32 [2] [0,3] {{}}"#
        );
        let graph = file::import(&lines::nodes(&lines)).expect("a graph").graph;
        let keep = |op, _| {
            matches!(
                op,
                Elementwise::Sqrt | Elementwise::Exp2 | Elementwise::Log2
            )
        };
        let rewritten = decompose::rewrite(&graph, &keep).graph;
        assert_eq!(decomposable(&rewritten).len(), count, "{exponent}");
    }
}

#[test]
fn an_exponent_that_is_known_gives_what_pow_gives() {
    let values = r#"[0.0,-0.0,1.5,-1.5,"inf","-inf","nan",3e38,1e-40]"#;
    for exponent in [2.0, 3.0, -1.0, 0.5] {
        for dtype in ["f32", "f64"] {
            let lines = format!(
                r#"Buffer {dtype} [9] [] {{"slot":0}}
                Const {dtype} [] [] {{"value":{exponent:?}}}
                Reshape {dtype} [1] [1] {{"shape":[1]}}
                Expand {dtype} [9] [2] {{"shape":[9]}}
                Pow {dtype} [9] [0,3] {{}}"#
            );
            let graph = file::import(&lines::nodes(&lines)).expect("a graph").graph;
            let data: Vec<schema::Datum> = serde_json::from_str(values).expect("values");
            let ids: Vec<_> = graph.nodes().ids().collect();
            let ty = graph.tensor(ids[0]).clone();
            let round = |datum: &schema::Datum| match datum {
                schema::Datum::Float(datum) if dtype == "f32" => {
                    schema::Datum::Float(f64::from(*datum as f32))
                }
                other => *other,
            };
            let data: Vec<_> = data.iter().map(round).collect();
            let mut inputs = Inputs::default();
            let tensor = spyre_uop::tensor::Tensor::of_data(ty, &data).expect("floats");
            inputs.buffers.insert(0, tensor);
            let run = |graph: &Graph, id| {
                interpret::run(graph, &inputs, &[id], Limits::default()).expect("values")
            };
            let keep = |op, _| op == Elementwise::Sqrt;
            let rewritten = decompose::rewrite(&graph, &keep);
            let (one, two) = (
                run(&graph, ids[4]),
                run(&rewritten.graph, rewritten.nodes[ids[4]]),
            );
            for (a, b) in one[0].data().into_iter().zip(two[0].data()) {
                let close = schema::Compare::Close {
                    rtol: 3e-7,
                    atol: 0.0,
                };
                assert!(
                    record::is_equal(close, a, b),
                    "{exponent} {dtype}: {a:?} {b:?}"
                );
            }
        }
    }
}

#[test]
fn recorded_programs_have_their_results_in_primitives() {
    let mut count = 0;
    let mut rewritten = 0;
    for (name, text) in golden::files() {
        let file = schema::read(text.as_bytes()).expect("a program");
        let record_of_file = record::record(&file).expect("a program");
        let graph = decompose::rewrite(&record_of_file.imported.graph, &decompose::nothing);
        assert_eq!(decomposable(&graph.graph), [], "{name}");
        rewritten += usize::from(!decomposable(&record_of_file.imported.graph).is_empty());
        let results: Vec<_> = record_of_file
            .results
            .iter()
            .map(|id| graph.nodes[*id])
            .collect();
        let values = interpret::run(
            &graph.graph,
            &record_of_file.inputs,
            &results,
            Limits::default(),
        );
        let values = values.unwrap_or_else(|error| panic!("{name}: {error}"));
        let compared: Result<(), RecordError> =
            record::compare(&file, &graph.graph, &results, &values);
        compared.unwrap_or_else(|error| panic!("{name}: {error}"));
        count += 1;
    }
    golden::report(count);
    assert_eq!(count == 0, rewritten == 0, "there are programs to rewrite");
}

#[test]
fn constants_behind_long_ways_take_time_in_proportion() {
    let time = |count: usize| {
        let mut lines = vec![r#"Const f32 [] [] {"value":2.0}"#.to_owned()];
        for _ in 0..count {
            lines.push(format!(
                r#"Reshape f32 [] [{}] {{"shape":[]}}"#,
                lines.len() - 1
            ));
        }
        let last = lines.len() - 1;
        for _ in 0..count {
            lines.push(format!("Pow f32 [] [{last},{last}] {{}}"));
        }
        let graph = file::import(&lines::nodes(&lines.join("\n")))
            .expect("a graph")
            .graph;
        let start = std::time::Instant::now();
        assert!(
            decompose::rewrite(&graph, &decompose::nothing)
                .graph
                .nodes()
                .len()
                > lines.len()
        );
        start.elapsed()
    };
    let time = |count| (0..3).map(|_| time(count)).min().expect("three times");
    let (few, many) = (time(250), time(4_000));
    assert!(
        many < few * 80 + std::time::Duration::from_millis(200),
        "{few:?} {many:?}"
    );
}

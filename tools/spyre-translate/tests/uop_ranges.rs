//! Checks that the integer ranges that upstream's analysis gets from operations are true: random graphs have the same
//! values after `--int-range-optimizations`, which replaces values with one possible number by constants.

use melior::ir::{Location, Module};
use spyre_mlir_rt::source::run_pipeline;
use spyre_uop::ids::NodeId;
use spyre_uop::interpret::{self, Limits};
use spyre_uop::op::Op;
use spyre_uop::record;
use spyre_uop::schema::{self, Arg, File, Node};
use spyre_uop::tensor::Tensor;
use spyre_uop_mlir::{export, import};

const SEED: u64 = 20_261_125;
const GRAPHS: u64 = 400;

/// The graph with all that may be results as its result.
fn whole(number: u64) -> File {
    let drawn = spyre_generate::uop::graph(SEED, number);
    let mut file = schema::read(drawn.text.as_bytes()).expect("what is drawn is a graph");
    let results = file.nodes.iter().zip(&drawn.nodes);
    let src = results.filter(|(_, node)| node.is_result);
    let src: Vec<u64> = src.map(|(node, _)| node.id).collect();
    let id = file.nodes.len() as u64;
    file.nodes
        .push(Node::new(id, "Tuple", "void", None, src, Arg::default()));
    file.result = Some(id);
    file
}

/// Executes a graph. Returns the values of its results, and the number of its constants.
fn values(file: &File) -> (Vec<Tensor>, usize) {
    let record = record::record(file).unwrap_or_else(|err| panic!("{err}"));
    let graph = &record.imported.graph;
    let result = file.result.and_then(|id| record.imported.node(id));
    let result = graph.node(result.expect("the graph has its result"));
    let ids: Vec<NodeId> = result.sources.to_vec();
    let constants = graph.nodes().iter();
    let constants = constants.filter(|(_, node)| matches!(node.op, Op::Const { .. }));
    let run = interpret::run(graph, &record.inputs, &ids, Limits::default());
    (run.expect("the graph runs"), constants.count())
}

#[test]
fn values_are_within_the_ranges_that_upstream_infers() {
    spyre_all::register_all_passes();
    let mut more = 0;
    for number in 0..GRAPHS {
        let context = spyre_all::context();
        context.load_all_available_dialects();
        let file = whole(number);
        let location = Location::unknown(&context);
        let optimized = |pipeline: &str| {
            let module = Module::new(location);
            import::import(&context, module.body(), location, &file)
                .unwrap_or_else(|err| panic!("{number}: {err}"));
            run_pipeline(&context, module.as_operation(), pipeline).expect("the passes run");
            let exported = export::export(module.as_operation());
            let mut exported = exported.unwrap_or_else(|err| panic!("{number}: {}", err.message()));
            exported.inputs.clone_from(&file.inputs);
            values(&exported)
        };
        let (before, constants) = optimized("builtin.module(cse)");
        let (after, constants_after) = optimized("builtin.module(cse,int-range-optimizations)");
        assert_eq!(before, after, "{number}");
        more += constants_after.saturating_sub(constants);
    }
    // More than 20 values must have become constants.
    assert!(more > 20, "{more}");
}

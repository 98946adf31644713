//! Random graphs compute the same in primitives, have values within their ranges, and are written as they were read.

use std::collections::BTreeMap;

use spyre_generate::uop;
use spyre_uop::decompose;
use spyre_uop::dtype::DType;
use spyre_uop::element;
use spyre_uop::file;
use spyre_uop::graph::Graph;
use spyre_uop::ids::NodeId;
use spyre_uop::interpret::{self, Limits};
use spyre_uop::range;
use spyre_uop::record::{self, Record};
use spyre_uop::schema;
use spyre_uop::tensor::Tensor;

const SEED: u64 = 20_261_125;
const GRAPHS: u64 = 1500;

fn graph(number: u64) -> (uop::Graph, Record) {
    let graph = uop::graph(SEED, number);
    let file = schema::read(graph.text.as_bytes())
        .unwrap_or_else(|error| panic!("{number}: {error}\n{}", graph.text));
    let record =
        record::record(&file).unwrap_or_else(|error| panic!("{number}: {error}\n{}", graph.text));
    assert_eq!(file::export(&record.imported.graph), file.nodes, "{number}");
    (graph, record)
}

/// Returns by how much a function may differ, as a part of the result.
fn tolerance(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => 1e-11,
        DType::F32 => 4e-5,
        // One unit of the last place: a result may be next to the middle of two.
        DType::F16 => 1.0 / 1024.0,
        _ => 1.0 / 128.0,
    }
}

fn is_near(dtype: DType, a: u64, b: u64) -> bool {
    let (a, b) = (element::float(dtype, a), element::float(dtype, b));
    // A sine near a multiple of pi has few digits that matter.
    a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= tolerance(dtype) * b.abs().max(1e-3)
}

fn same(is_approximated: bool, a: &Tensor, b: &Tensor) -> bool {
    let dtype = a.ty().dtype;
    let mut pairs = a.elements().iter().zip(b.elements());
    a.ty() == b.ty() && pairs.all(|(a, b)| a == b || (is_approximated && is_near(dtype, *a, *b)))
}

/// Returns the nodes that may be results, with their positions.
fn results(drawn: &uop::Graph, graph: &Graph) -> (Vec<usize>, Vec<NodeId>) {
    let nodes = graph.nodes().ids().zip(&drawn.nodes).enumerate();
    nodes
        .filter(|(_, (_, node))| node.is_result)
        .map(|(at, (id, _))| (at, id))
        .unzip()
}

#[test]
fn twins_have_the_same_values() {
    let mut count = 0;
    for number in 0..GRAPHS {
        let (drawn, record) = graph(number);
        let graph = &record.imported.graph;
        let ids: Vec<NodeId> = graph.nodes().ids().collect();
        let twin_ids: Vec<NodeId> = drawn.twins.iter().map(|twin| ids[twin.0]).collect();
        let twins: Vec<NodeId> = drawn.twins.iter().map(|twin| ids[twin.1]).collect();
        let run = |ids: &[NodeId]| interpret::run(graph, &record.inputs, ids, Limits::default());
        let run =
            |ids| run(ids).unwrap_or_else(|error| panic!("{number}: {error}\n{}", drawn.text));
        for ((one, two), twin) in run(&twin_ids).iter().zip(&run(&twins)).zip(&drawn.twins) {
            assert_eq!(one, two, "{number}: {twin:?}\n{}", drawn.text);
            count += 1;
        }
    }
    assert!(count > 1000, "{count}");
}

/// A loop computes with constants, stores them, and reduces them.
#[test]
fn constants_are_inside_of_ranges() {
    let (mut stored, mut computed, mut reduced) = (0, 0, 0);
    for number in 0..GRAPHS {
        let drawn = uop::graph(SEED, number);
        let of = |op: &str, with: &str| {
            let is = |id: &usize| drawn.nodes[*id].op == with;
            let mut nodes = drawn.nodes.iter();
            nodes.any(|node| node.op == op && !node.is_result && node.sources().iter().any(is))
        };
        stored += usize::from(of("Store", "Const"));
        // A position, times a constant.
        computed += usize::from(of("Mul", "Range"));
        reduced += usize::from(of("Reduce", "Const") && of("Reduce", "Range"));
    }
    for count in [stored, computed, reduced] {
        assert!(
            count * 40 >= GRAPHS as usize,
            "{stored}, {computed}, {reduced}"
        );
    }
}

#[test]
fn graphs_compute_the_same_in_primitives() {
    for number in 0..GRAPHS {
        let (drawn, record) = graph(number);
        let graph = &record.imported.graph;
        let (positions, ids) = results(&drawn, graph);
        let values = interpret::run(graph, &record.inputs, &ids, Limits::default());
        let values = values.unwrap_or_else(|error| panic!("{number}: {error}\n{}", drawn.text));
        let unchanged = decompose::rewrite(graph, &decompose::nothing);
        let rewritten: Vec<_> = ids.iter().map(|id| unchanged.nodes[*id]).collect();
        let again = interpret::run(
            &unchanged.graph,
            &record.inputs,
            &rewritten,
            Limits::default(),
        );
        let again = again.unwrap_or_else(|error| panic!("{number}: {error}\n{}", drawn.text));
        for (result, at) in positions.into_iter().enumerate() {
            let (node, a, b) = (&drawn.nodes[at], &again[result], &values[result]);
            assert!(
                same(node.is_near, a, b),
                "{number}: node {at} {}: {a:?}\n{b:?}\n{}",
                node.op,
                drawn.text
            );
        }
    }
}

#[test]
fn values_are_within_their_ranges() {
    let mut narrow = 0;
    for number in 0..GRAPHS {
        let (drawn, record) = graph(number);
        let graph = &record.imported.graph;
        let (_, ids) = results(&drawn, graph);
        let values =
            interpret::run(graph, &record.inputs, &ids, Limits::default()).expect("values");
        let ranges = range::ranges(graph);
        for (id, value) in ids.into_iter().zip(&values) {
            let Some(range) = ranges[id] else {
                continue; // Floats may be anything.
            };
            let dtype = value.ty().dtype;
            narrow += usize::from(dtype.integer_range() != Some((range.low, range.high)));
            for element in value.elements() {
                let holds = if dtype.is_float() {
                    let value = element::float(dtype, *element);
                    range.low as f64 <= value && value <= range.high as f64
                } else {
                    range.contains(element::integer(dtype, *element))
                };
                assert!(
                    holds,
                    "{number}: node {id}: {range:?} {element:x}\n{}",
                    drawn.text
                );
            }
        }
    }
    assert!(narrow > 1000, "{narrow} ranges say something");
}

#[test]
fn every_operation_and_every_type_is_drawn() {
    let mut ops = BTreeMap::<&str, usize>::new();
    let mut dtypes = BTreeMap::<&str, usize>::new();
    let mut near = BTreeMap::<(&str, &str), usize>::new();
    for number in 0..GRAPHS {
        for node in uop::graph(SEED, number).nodes {
            *ops.entry(node.op).or_default() += 1;
            *dtypes.entry(node.dtype).or_default() += 1;
            if node.is_near {
                *near.entry((node.op, node.dtype)).or_default() += 1;
            }
        }
    }
    println!("{ops:?}\n{dtypes:?}");
    for op in spyre_uop::op::Elementwise::all() {
        assert!(ops.get(op.name()).is_some_and(|count| *count > 5), "{op:?}");
    }
    for op in [
        "Binary",
        "Permute",
        "Flip",
        "Reshape",
        "Expand",
        "Pad",
        "Shrink",
        "Index",
        "Stack",
        "Bitcast",
        "Cast",
        "Reduce",
        "Store",
        "After",
        "Range",
        "End",
        "Group",
        "Sink",
        "Linear",
        "Load",
        "Call",
        "Function",
        "GetTuple",
        "Tuple",
        "Param",
        "Copy",
        "Replicated",
    ] {
        assert!(ops[op] > 50, "{op}");
    }
    for dtype in DType::ALL {
        assert!(dtypes[dtype.name()] > 50, "{dtype}");
    }
    for op in ["Exp2", "Log2", "Sin", "Sqrt", "Div", "Pow"] {
        for dtype in ["f16", "bf16", "f32", "f64"] {
            assert!(near.contains_key(&(op, dtype)), "{op} {dtype}");
        }
    }
}

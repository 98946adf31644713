//! Randomly damaged programs are refused, or executed within their limits.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use spyre_generate::numbers::Numbers;
use spyre_generate::uop;
use spyre_uop::decompose;
use spyre_uop::interpret::{self, Limits};
use spyre_uop::place;
use spyre_uop::range;
use spyre_uop::record;
use spyre_uop::schema::{self, Datum, File, Node};

/// Returns seed programs: the programs of the repository, and random ones.
fn programs() -> Vec<File> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test/uop-programs");
    let mut programs = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder is in the repository") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|end| end == "json") {
            programs.push(schema::read(&fs::read(path).expect("a file")).expect("a program"));
        }
    }
    programs.extend((0..60).map(|number| {
        let drawn = uop::graph(7, number);
        schema::read(drawn.text.as_bytes()).expect("a program")
    }));
    programs
}

/// Numbers that are near the ends of something.
const ODD: [u64; 12] = [
    0,
    1,
    2,
    3,
    7,
    63,
    64,
    255,
    u32::MAX as u64,
    1 << 40,
    i64::MAX as u64,
    u64::MAX,
];

fn number(numbers: &mut Numbers, number: &mut u64) {
    *number = match numbers.below(4) {
        0 => number.wrapping_add(1),
        1 => number.wrapping_sub(1),
        2 => numbers.below(8),
        _ => numbers.pick(&ODD),
    };
}

fn list(numbers: &mut Numbers, values: &mut Vec<u64>) {
    if values.is_empty() || numbers.one_in(4) {
        values.push(numbers.pick(&ODD));
    } else if numbers.one_in(4) {
        let at = numbers.index(values.len());
        values.remove(at);
    } else {
        let at = numbers.index(values.len());
        number(numbers, &mut values[at]);
    }
}

/// Changes something of a node.
fn change(numbers: &mut Numbers, nodes: &mut [Node]) {
    let other = nodes[numbers.index(nodes.len())].clone();
    let at = numbers.index(nodes.len());
    let node = &mut nodes[at];
    match numbers.below(12) {
        0 => node.op = other.op,
        1 => node.dtype = other.dtype,
        2 => node.shape = other.shape,
        3 => list(numbers, &mut node.src),
        4 => node.src = other.src,
        5 => node.arg = other.arg,
        6 => {
            let shape = node.shape.get_or_insert_default();
            list(numbers, shape);
            if node.arg.shape.is_some() {
                node.arg.shape.clone_from(&node.shape);
            }
        }
        7 => {
            if let Some(offset) = node.arg.offset.as_mut().or(node.arg.perm.as_mut()) {
                list(numbers, offset);
            }
        }
        8 => {
            if let Some(bound) = node
                .arg
                .bound
                .as_mut()
                .or(node.arg.index.as_mut())
                .or(node.arg.axis.as_mut())
            {
                number(numbers, bound);
            }
        }
        9 => {
            if let Some(value) = node.arg.value.as_mut() {
                *value = Datum::Natural(numbers.pick(&ODD));
            }
        }
        10 => {
            if let Some(axes) = node.arg.axes.as_mut() {
                axes.push(Datum::Natural(numbers.pick(&ODD)));
            }
        }
        _ => {
            node.op = numbers
                .pick(&[
                    "Store", "After", "End", "Call", "Function", "Index", "Load", "Reduce",
                    "Bitcast", "Stack",
                ])
                .into();
        }
    }
}

/// Infers the types of a file where it has others, so that a change is not always refused because of them.
fn mended(mut file: File) -> File {
    for _ in 0..file.nodes.len() {
        let Err(error) = record::record(&file) else {
            break;
        };
        let text = error.to_string();
        let Some((node, rest)) = text
            .strip_prefix("at nodes[")
            .and_then(|text| text.split_once(']'))
        else {
            break;
        };
        let node: usize = node.parse().expect("the position of a node");
        if let Some(dtype) = rest.strip_prefix(".dtype: [U34] the result is ") {
            file.nodes[node].dtype = dtype.split(',').next().expect("a type").into();
        } else if let Some(shape) = rest.strip_prefix(".shape: [U34] the shape is ") {
            let extents = shape.split(", and not").next().expect("a shape");
            file.nodes[node].shape = serde_json::from_str(extents).expect("a shape");
        } else {
            break;
        }
    }
    file
}

#[test]
fn changed_programs_are_refused_or_executed() {
    let programs = programs();
    let mut numbers = Numbers::new(3, 11);
    let limits = Limits {
        elements: 1 << 16,
        steps: 1 << 16,
    };
    let (mut refused, mut executed, mut failed) = (0, 0, 0);
    let start = Instant::now();
    for round in 0..30_000 {
        let mut file = programs[numbers.index(programs.len())].clone();
        for _ in 0..1 + numbers.below(3) {
            change(&mut numbers, &mut file.nodes);
        }
        let file = mended(file);
        let Ok(record) = record::record(&file) else {
            refused += 1;
            continue;
        };
        let graph = &record.imported.graph;
        assert_eq!(range::ranges(graph).len(), graph.nodes().len());
        let places = place::places(graph);
        let tensors = graph
            .nodes()
            .iter()
            .filter(|(_, node)| matches!(node.ty, spyre_uop::graph::Type::Tensor(_)));
        let tensors: Vec<_> = tensors.map(|(id, _)| id).collect();
        let values = interpret::run(graph, &record.inputs, &record.results, limits);
        let all = interpret::run(graph, &record.inputs, &tensors, limits);
        let rewritten = decompose::rewrite(graph, &decompose::nothing);
        if let (Ok(values), Ok(_)) = (&values, &places) {
            assert_eq!(values.len(), record.results.len(), "{round}");
            let results: Vec<_> = record
                .results
                .iter()
                .map(|id| rewritten.nodes[*id])
                .collect();
            // Primitives take more steps.
            let _ = interpret::run(&rewritten.graph, &record.inputs, &results, limits);
            let _ = record::compare(&file, graph, &record.results, values);
        }
        match all {
            Ok(_) => executed += 1,
            Err(_) => failed += 1,
        }
    }
    println!(
        "{refused} refused, {executed} executed, {failed} stopped, in {:?}",
        start.elapsed()
    );
    assert!(
        refused > 3000 && executed > 1000 && failed > 1000,
        "{refused} {executed} {failed}"
    );
    assert!(start.elapsed() < Duration::from_secs(300));
}

//! Each device of a tuple computes its part from its parts alone.
//!
//! Random graphs get inputs on two devices. Every node is then executed once for each device, on the parts that the
//! device holds, with the extents of its part; the result has to be the device's part of the value that the interpreter
//! computes of the whole graph. `Copy` and operations that end the sharding need the other device, and are not executed
//! on parts.

use spyre_generate::uop;
use spyre_uop::file;
use spyre_uop::graph::{Graph, Node};
use spyre_uop::ids::{Id, IndexVec, NodeId};
use spyre_uop::interpret::{self, Inputs, Limits};
use spyre_uop::op::{Op, TensorType};
use spyre_uop::place::{self, Place};
use spyre_uop::record;
use spyre_uop::schema::{self, Device, File};
use spyre_uop::shape::Shape;
use spyre_uop::tensor::Tensor;

const DEVICES: [&str; 2] = ["d0", "d1"];

/// Returns a random graph with inputs on a tuple of devices, if their first axis has equal parts.
fn sharded(number: u64) -> Option<File> {
    let drawn = uop::graph(99, number);
    let mut file = schema::read(drawn.text.as_bytes()).expect("a program");
    let is_other = |op: &str| matches!(op, "Store" | "Range" | "Tuple" | "Copy");
    if file.nodes.iter().any(|node| is_other(&node.op)) {
        return None; // It has effects, loops, functions, or other devices.
    }
    let devices = Device::Many(DEVICES.map(Into::into).to_vec());
    let mut count = 0;
    for node in file.nodes.iter_mut().filter(|node| node.op == "Buffer") {
        let first = node.shape.as_ref().and_then(|shape| shape.first());
        if first.is_some_and(|extent| extent % 2 == 0) {
            node.arg.device = Some(devices.clone());
            count += 1;
        }
    }
    (count > 0).then_some(file)
}

/// Returns the part of a value that a device holds.
fn part(value: &Tensor, axis: Option<usize>, device: usize) -> Tensor {
    match axis {
        Some(axis) => value.parts(axis, DEVICES.len())[device].clone(),
        None => value.clone(),
    }
}

/// Returns a shape with the extent of a part.
fn half(shape: &Shape, axis: usize) -> Shape {
    let extents = shape.iter().enumerate();
    extents
        .map(|(dim, extent)| {
            if dim == axis {
                extent / DEVICES.len() as u64
            } else {
                *extent
            }
        })
        .collect()
}

/// Returns the operation on parts along an axis of the result.
fn local(op: &Op, axis: usize) -> Op {
    match op {
        Op::Reshape(shape) => Op::Reshape(half(shape, axis)),
        Op::Expand(shape) => Op::Expand(half(shape, axis)),
        Op::Pad { offset, shape } => Op::Pad {
            offset: offset.clone(),
            shape: half(shape, axis),
        },
        Op::Shrink { offset, shape } => Op::Shrink {
            offset: offset.clone(),
            shape: half(shape, axis),
        },
        other => other.clone(),
    }
}

/// Executes one operation on tensors.
fn execute(op: Op, operands: &[Tensor]) -> Tensor {
    let mut graph = Graph::new();
    let mut inputs = Inputs::default();
    let mut sources = Vec::new();
    for (slot, operand) in (0..).zip(operands) {
        inputs.buffers.insert(slot, operand.clone());
        let buffer = Op::Buffer {
            slot,
            ty: TensorType::clone(operand.ty()),
            device: None,
            space: Default::default(),
        };
        sources.push(graph.add(buffer, []).expect("a buffer"));
    }
    let result = graph
        .add(op, sources)
        .expect("the parts have the types of the operation");
    let values = interpret::run(&graph, &inputs, &[result], Limits::default());
    values.expect("a value").remove(0)
}

/// Returns the operands of a node that a device has, or none where it needs another device.
fn operands(
    node: &Node,
    places: &IndexVec<NodeId, Place>,
    values: &[Tensor],
    device: usize,
    axis: usize,
) -> Option<Vec<Tensor>> {
    let combines = matches!(node.op, Op::Elementwise(_) | Op::Stack);
    let operand = |(at, source): (usize, &NodeId)| {
        let value = &values[source.position()];
        let source_axis = match (&node.op, places[*source].axis) {
            // The value is whole, and the device takes its part.
            (Op::Elementwise(_), None) => Some(axis),
            (Op::Stack, None) => Some(axis - 1),
            (_, source_axis) => source_axis,
        };
        let is_there = combines || at == 0 || source_axis.is_none();
        is_there.then(|| part(value, source_axis, device))
    };
    node.sources.iter().enumerate().map(operand).collect()
}

#[test]
fn devices_compute_their_parts() {
    let (mut graphs, mut refused, mut nodes, mut left) = (0, 0, 0, 0);
    for number in 0..6000 {
        let Some(file) = sharded(number) else {
            continue; // No input can be sharded.
        };
        let record = record::record(&file).expect("a program");
        let graph = &record.imported.graph;
        assert_eq!(file::export(graph).len(), file.nodes.len());
        let Ok(places) = place::places(graph) else {
            refused += 1;
            continue; // A rule refuses a value without equal parts.
        };
        graphs += 1;
        let ids: Vec<NodeId> = graph.nodes().ids().collect();
        let values =
            interpret::run(graph, &record.inputs, &ids, Limits::default()).expect("values");
        for id in ids {
            let (node, place) = (graph.node(id), &places[id]);
            let Some(axis) = place.axis.filter(|_| !node.sources.is_empty()) else {
                left += usize::from(
                    node.sources
                        .iter()
                        .any(|source| places[*source].axis.is_some()),
                );
                continue; // Each device has all of it, or it is an input.
            };
            for device in 0..DEVICES.len() {
                let Some(operands) = operands(node, &places, &values, device, axis) else {
                    left += 1;
                    continue; // A position is shared.
                };
                let result = execute(local(&node.op, axis), &operands);
                let expected = part(&values[id.position()], Some(axis), device);
                assert_eq!(
                    result,
                    expected,
                    "{number}: node {id} {}\n{}",
                    node.op.name(),
                    schema::write(&file)
                );
                nodes += 1;
            }
        }
    }
    println!("{graphs} graphs, {nodes} nodes on parts, {left} that need others; {refused} refused");
    assert!(
        graphs > 500 && nodes > 2000 && refused > 50,
        "{graphs} {nodes} {refused}"
    );
}

//! Where values are: the axis of a tuple of devices, and places that are recorded.

mod golden;

use std::sync::Arc;

use spyre_uop::dtype::DType;
use spyre_uop::file;
use spyre_uop::graph::Graph;
use spyre_uop::op::{AddressSpace, CallKind, Elementwise, Op, TensorType};
use spyre_uop::place::{self, Place};
use spyre_uop::schema::{self, Device, Slot};
use spyre_uop::shape::Shape;

fn place(device: &[&str], axis: Option<usize>) -> Place {
    Place {
        device: Some(Arc::new(Device::Many(
            device.iter().map(|name| (*name).into()).collect(),
        ))),
        space: None,
        axis,
    }
}

/// Returns the shape and the place after operations on a buffer of some extents on two devices.
fn shape_and_place(shape: &[u64], ops: &[Op]) -> Result<(Shape, Place), String> {
    let mut graph = Graph::new();
    let ty = TensorType {
        dtype: DType::F32,
        shape: shape.into(),
    };
    let device = Some(Device::Many(vec!["a".into(), "b".into()]));
    let buffer = Op::Buffer {
        slot: 0,
        ty,
        device,
        space: Default::default(),
    };
    let mut last = graph.add(buffer, []).expect("a buffer");
    for op in ops {
        let arity = if let Op::Elementwise(op) = op {
            op.arity()
        } else {
            1
        };
        last = graph.add(op.clone(), vec![last; arity]).expect("a graph");
    }
    let places = place::places(&graph).map_err(|error| error.to_string())?;
    let place = Place {
        space: None,
        ..places[last].clone()
    };
    Ok((graph.tensor(last).shape.clone(), place))
}

fn shape(extents: &[u64]) -> Shape {
    extents.into()
}

#[test]
fn the_axis_of_a_tuple_follows_the_axes() {
    use spyre_uop::op::Combine;
    let reshape = |extents: &[u64]| Op::Reshape(shape(extents));
    let reduce = |axis| Op::Reduce {
        combine: Combine::Add,
        axes: [axis].into_iter().collect(),
    };
    let cases: Vec<(Vec<Op>, Option<usize>)> = vec![
        (vec![], Some(0)),
        (vec![reshape(&[1, 4, 6])], Some(1)),
        (vec![reshape(&[2, 2, 6])], Some(0)),
        (vec![reshape(&[24])], Some(0)),
        (vec![reshape(&[1, 24]), reshape(&[1, 4, 6])], Some(1)),
        (vec![Op::Permute([1, 0].into_iter().collect())], Some(1)),
        (vec![reduce(0)], None),
        (vec![reduce(1)], Some(0)),
        (
            vec![Op::Shrink {
                offset: shape(&[0, 0]),
                shape: shape(&[2, 6]),
            }],
            None,
        ),
        (
            vec![Op::Shrink {
                offset: shape(&[0, 1]),
                shape: shape(&[4, 2]),
            }],
            Some(0),
        ),
        (vec![Op::Flip([false, true].into_iter().collect())], Some(0)),
        (vec![Op::Elementwise(Elementwise::Add), Op::Stack], Some(1)),
        (vec![Op::Replicated(1)], Some(0)),
        (
            vec![Op::Permute([1, 0].into_iter().collect()), Op::Replicated(0)],
            Some(0),
        ),
        (vec![Op::Replicated(0)], None),
        (vec![Op::Bitcast(DType::F64)], Some(0)),
    ];
    for (ops, axis) in cases {
        let (_, actual) = shape_and_place(&[4, 6], &ops).expect("places");
        assert_eq!(actual, place(&["a", "b"], axis), "{ops:?}");
    }
    let (_, actual) =
        shape_and_place(&[4, 6], &[Op::Copy(Device::One("c".into()))]).expect("places");
    assert_eq!(
        (actual.device.as_deref(), actual.axis),
        (Some(&Device::One("c".into())), None)
    );
}

#[test]
fn u36_an_axis_is_lost() {
    let flip = Op::Flip([true, false].into_iter().collect());
    let pad = Op::Pad {
        offset: shape(&[0, 0]),
        shape: shape(&[6, 6]),
    };
    let permute = Op::Permute([1, 0].into_iter().collect());
    let cases: [(&[u64], Vec<Op>, &str); 5] = [
        (
            &[4, 6],
            vec![flip],
            "node #1: [U36] Flip reverses axis 0, along which 2 devices share it",
        ),
        (
            &[4, 6],
            vec![pad],
            "node #1: [U36] Pad adds to axis 0, along which 2 devices share it",
        ),
        (
            &[2, 3],
            vec![permute, Op::Reshape(shape(&[6]))],
            "node #2: [U36] Reshape cuts axis 1, along which 2 devices share it",
        ),
        (
            &[6, 1],
            vec![Op::Reshape(shape(&[3, 2]))],
            "node #1: [U36] Reshape cuts axis 0, along which 2 devices share it",
        ),
        (
            &[3, 2],
            vec![],
            "node #0: [U36] axis 0 of [3, 2] has no equal parts for 2 devices",
        ),
    ];
    for (extents, ops, expected) in cases {
        assert_eq!(
            shape_and_place(extents, &ops).expect_err("it is refused"),
            expected
        );
    }
}

#[test]
fn u35_operands_are_together() {
    let mut graph = Graph::new();
    let buffer = |slot, device: Device| Op::Buffer {
        slot,
        ty: TensorType {
            dtype: DType::F32,
            shape: shape(&[2, 2]),
        },
        device: Some(device),
        space: Default::default(),
    };
    let many = Device::Many(vec!["a".into(), "b".into()]);
    let one = graph
        .add(buffer(0, Device::One("a".into())), [])
        .expect("a buffer");
    let two = graph.add(buffer(1, many), []).expect("a buffer");
    let add = Op::Elementwise(Elementwise::Add);
    let mut apart = graph.clone();
    apart.add(add.clone(), [one, two]).expect("a sum");
    let error = place::places(&apart).expect_err("two devices").to_string();
    assert_eq!(
        error,
        "node #2: [U35] the operands of Add are on \"a\" and on [\"a\",\"b\"]"
    );
    let turned = graph
        .add(Op::Permute([1, 0].into_iter().collect()), [two])
        .expect("an order");
    graph.add(add, [two, turned]).expect("a sum");
    let error = place::places(&graph).expect_err("two axes").to_string();
    assert_eq!(
        error,
        "node #3: [U35] the operands of Add are shared along axes 0 and 1"
    );
}

#[test]
fn recorded_places_are_derived() {
    let (mut count, mut place_count) = (0, 0);
    for (name, text) in golden::files() {
        let file = schema::read(text.as_bytes()).expect("a program");
        let imported = file::import(&file.nodes).expect("a graph");
        let places =
            place::places(&imported.graph).unwrap_or_else(|error| panic!("{name}: {error}"));
        for node in &file.nodes {
            let place = &places[imported.node(node.id).expect("a node of the file")];
            if let Some(axis) = node.axis {
                assert_eq!(
                    place.axis.map(|axis| axis as u64),
                    axis,
                    "{name}: node {}",
                    node.id
                );
                assert_eq!(
                    place.device.as_deref(),
                    node.device.as_ref(),
                    "{name}: node {}",
                    node.id
                );
                place_count += 1;
            }
        }
        count += 1;
    }
    golden::report(count);
    assert_eq!(count == 0, place_count == 0, "there are recorded places");
}

/// Checks that the result of a call has its place in the body: along the axis to which a
/// permutation moves the argument's.
#[test]
fn calls_keep_the_axis_of_their_arguments() {
    let mut graph = Graph::new();
    let ty = || TensorType {
        dtype: DType::F32,
        shape: [4, 6].as_slice().into(),
    };
    let param = Op::Param {
        slot: Slot::Number(0),
        ty: ty(),
        bounds: None,
    };
    let param = graph.add(param, []).expect("a parameter");
    let turn = Op::Permute([1, 0].into_iter().collect());
    let turned = graph.add(turn, [param]).expect("an order");
    let flipped = Op::Flip([false, true].into_iter().collect());
    let flipped = graph.add(flipped, [turned]).expect("another order");
    let bodies = [turned, flipped].map(|id| graph.add(Op::Tuple, [id]).expect("a tuple"));
    let buffer = Op::Buffer {
        slot: 0,
        ty: ty(),
        device: Some(Device::Many(vec!["a".into(), "b".into()])),
        space: AddressSpace::default(),
    };
    let buffer = graph.add(buffer, []).expect("a buffer");
    let called = |graph: &mut Graph, body| {
        let call = Op::Call(CallKind::Function);
        let call = graph.add(call, [body, buffer]).expect("a call");
        graph.add(Op::GetTuple(0), [call]).expect("a result")
    };
    let result = called(&mut graph, bodies[0]);
    let places = place::places(&graph).expect("places");
    assert_eq!(places[buffer].axis, Some(0));
    assert_eq!(places[result].axis, Some(1));
    assert_eq!(places[turned].axis, None, "a parameter alone is nowhere");
    called(&mut graph, bodies[1]);
    let error = place::places(&graph).expect_err("other parts").to_string();
    assert!(error.contains("[U36] Flip reverses axis 1"), "{error}");
}

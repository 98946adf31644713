//! Ranges hold every value, and no more than is recorded.

mod golden;

use spyre_uop::dtype::DType;
use spyre_uop::element;
use spyre_uop::file;
use spyre_uop::graph::Graph;
use spyre_uop::ids::NodeId;
use spyre_uop::interpret::{self, Inputs, Limits};
use spyre_uop::op::{CallKind, Combine, Elementwise, Op, TensorType};
use spyre_uop::range::{self, Interval};
use spyre_uop::schema::{self, Datum, Slot};
use spyre_uop::shape::Shape;

fn symbol(graph: &mut Graph, name: &str, dtype: DType, bounds: [i64; 2]) -> NodeId {
    let ty = TensorType {
        dtype,
        shape: Shape::scalar(),
    };
    let op = Op::Param {
        slot: Slot::Name(name.into()),
        ty,
        bounds: Some(bounds),
    };
    graph.add(op, []).expect("a symbolic integer")
}

/// Intervals of an element type: ends and middles, narrow and wide.
fn intervals(dtype: DType) -> Vec<[i64; 2]> {
    let (low, high) = dtype.integer_range().expect("an integer");
    let low = i64::try_from(low).expect("8 bits");
    let high = i64::try_from(high).expect("8 bits");
    let ends = [
        low,
        low + 1,
        -9,
        -8,
        -3,
        -1,
        0,
        1,
        2,
        5,
        8,
        9,
        100,
        high - 1,
        high,
    ];
    let ends: Vec<i64> = ends
        .into_iter()
        .filter(|end| (low..=high).contains(end))
        .collect();
    let pairs = ends.iter().flat_map(|a| ends.iter().map(|b| [*a, *b]));
    pairs.filter(|[a, b]| a <= b).collect()
}

/// Returns the range of an operation on symbolic integers.
fn range_of(op: Op, dtype: DType, bounds: &[[i64; 2]]) -> Option<Interval> {
    let mut graph = Graph::new();
    let names = ["a", "b", "c"];
    let operands: Vec<NodeId> = (bounds.iter().zip(names))
        .map(|(bounds, name)| symbol(&mut graph, name, dtype, *bounds))
        .collect();
    let id = graph
        .add(op, operands)
        .expect("the operation takes the type");
    range::ranges(&graph)[id]
}

#[test]
fn ranges_hold_every_value_of_two_operands() {
    for dtype in [DType::I8, DType::U8] {
        let intervals = intervals(dtype);
        for op in Elementwise::all() {
            if op.arity() != 2 || !op.domain().contains(dtype) {
                continue; // It does not take the type.
            }
            let result = if op.is_comparison() {
                DType::Bool
            } else {
                dtype
            };
            for a in &intervals {
                for b in &intervals {
                    let range =
                        range_of(Op::Elementwise(op), dtype, &[*a, *b]).expect("an integer");
                    // All values of narrow intervals, else the values at and near the ends.
                    for x in sample(*a) {
                        for y in sample(*b) {
                            let operands =
                                [x, y].map(|value| element::wrapped(dtype, value.into()));
                            let value =
                                element::integer(result, element::apply(op, dtype, &operands));
                            assert!(
                                range.contains(value),
                                "{op:?} {dtype} {a:?} {b:?}: {x} {y} {range:?}"
                            );
                        }
                    }
                }
            }
        }
    }
}

fn sample([low, high]: [i64; 2]) -> impl Iterator<Item = i64> + Clone {
    (low..=high).filter(move |value| value - low < 10 || high - value < 10 || value % 16 == 0)
}

#[test]
fn ranges_hold_every_value_that_is_converted() {
    for from in [DType::I8, DType::U8] {
        for to in DType::ALL {
            for bounds in intervals(from) {
                let range =
                    range_of(Op::Cast(to), from, &[bounds]).expect("it comes from an integer");
                for value in bounds[0]..=bounds[1] {
                    let element = element::cast(from, to, element::wrapped(from, value.into()));
                    let holds = if to.is_float() {
                        let value = element::float(to, element);
                        range.low as f64 <= value && value <= range.high as f64
                    } else {
                        range.contains(element::integer(to, element))
                    };
                    assert!(holds, "{from} {to} {bounds:?}: {value} {range:?}");
                }
            }
        }
    }
}

#[test]
fn ranges_of_the_three_mistakes() {
    // A conversion that wraps is not clamped: 200 is -56.
    let range = range_of(Op::Cast(DType::I8), DType::Index, &[[0, 300]]);
    assert_eq!(range, Some(Interval::new(-128, 127)));
    // Sums wrap.
    let most = i64::from(i32::MAX);
    let range = range_of(
        Op::Elementwise(Elementwise::Add),
        DType::I32,
        &[[most, most], [0, 1]],
    );
    assert_eq!(range, Some(Interval::new(i32::MIN.into(), i32::MAX.into())));
    // A conversion to a float rounds up.
    let range = range_of(Op::Cast(DType::F32), DType::I32, &[[0, most]]);
    assert_eq!(range, Some(Interval::new(0, 1 << 31)));
    // Padding adds 0.
    let mut graph = Graph::new();
    let five = symbol(&mut graph, "n", DType::I32, [5, 6]);
    let shape: Shape = [1].into_iter().collect();
    let one = graph
        .add(Op::Reshape(shape.clone()), [five])
        .expect("one element");
    let (offset, shape) = (Shape::from(&[1][..]), Shape::from(&[2][..]));
    let padded = graph
        .add(Op::Pad { offset, shape }, [one])
        .expect("it is inside");
    assert_eq!(range::ranges(&graph)[padded], Some(Interval::new(0, 6)));
}

#[test]
fn a_range_without_iterations_is_empty() {
    let mut graph = Graph::new();
    let op = Op::Range {
        bound: 0,
        axis_id: 0,
        axis_type: spyre_uop::op::AxisType::Loop,
    };
    let none = graph.add(op, []).expect("a range");
    let sum = graph
        .add(Op::Elementwise(Elementwise::Add), [none, none])
        .expect("a sum");
    let ranges = range::ranges(&graph);
    assert_eq!(ranges[none], Some(Interval::new(0, -1)));
    assert_eq!(
        ranges[sum],
        Some(Interval::new(i64::MIN.into(), i64::MAX.into()))
    );
}

/// Returns a recorded bound as a float; truth values are 0 and 1.
fn bound(datum: Datum) -> f64 {
    match datum {
        Datum::Bool(value) => f64::from(u8::from(value)),
        Datum::Negative(value) => value as f64,
        Datum::Natural(value) => value as f64,
        Datum::Float(value) => value,
    }
}

#[test]
fn recorded_ranges_are_held_and_are_no_narrower() {
    let mut count = 0;
    for (name, text) in golden::files() {
        let file = schema::read(text.as_bytes()).expect("a program");
        let imported = file::import(&file.nodes).expect("a graph");
        let ranges = range::ranges(&imported.graph);
        for node in &file.nodes {
            let id = imported.node(node.id).expect("a node of the file");
            let place = format!("{name}: node {} {}", node.id, node.op);
            let range = ranges[id].map(|interval| [interval.low as f64, interval.high as f64]);
            for recorded in [node.obs, node.r#true].into_iter().flatten() {
                let [low, high] = recorded.map(bound);
                let holds =
                    range.is_none_or(|[own_low, own_high]| own_low <= low && high <= own_high);
                assert!(holds, "{place}: {range:?} does not hold {recorded:?}");
            }
            if let (Some(recorded), None) = (node.mm, node.mm_unsound) {
                // A cast that tinygrad does not round: an integer that becomes a float.
                let is_rounded =
                    node.op == "Cast" && node.dtype == "f32" && file.category != "min_max";
                let [low, high] = recorded.map(bound);
                let [own_low, own_high] = range.expect("a range is recorded");
                let slack = f64::from(u8::from(is_rounded));
                assert!(
                    low <= own_low && own_high <= high + slack,
                    "{place}: {range:?} {recorded:?}"
                );
            }
        }
        count += 1;
    }
    golden::report(count);
}

/// Returns all values that symbolic integers may have together.
fn assignments(symbols: &[(schema::Text, i64, i64)]) -> Vec<Inputs> {
    let mut all = vec![Inputs::default()];
    for (name, low, high) in symbols {
        let with = |value: i64, inputs: &Inputs| {
            let mut inputs = inputs.clone();
            inputs.symbols.insert(name.clone(), value);
            inputs
        };
        all = all
            .iter()
            .flat_map(|inputs| (*low..=*high).map(move |value| with(value, inputs)))
            .collect();
    }
    all
}

#[test]
fn recorded_bounds_are_those_of_all_values() {
    let (mut count, mut bound_count) = (0, 0);
    for (name, text) in golden::files() {
        let file = schema::read(text.as_bytes()).expect("a program");
        count += 1;
        if file.category != "min_max" {
            continue; // It has inputs and results.
        }
        // The number of an iteration becomes a symbolic integer, so that the test can set it.
        let mut nodes = file.nodes.clone();
        let mut symbols = Vec::new();
        for node in &mut nodes {
            if node.op == "Range" {
                let bound = i64::try_from(node.arg.bound.expect("a range has a bound"))
                    .expect("a small one");
                node.op = "Param".into();
                node.arg = schema::Arg {
                    slot: Some(Slot::Name(format!("r{}", node.id).into())),
                    min: Some(0),
                    max: Some(bound - 1),
                    ..schema::Arg::default()
                };
            }
            if let (Some(Slot::Name(slot)), Some(min), Some(max)) =
                (&node.arg.slot, node.arg.min, node.arg.max)
            {
                symbols.push((slot.clone(), min, max));
            }
        }
        let imported = file::import(&nodes).expect("a graph");
        let ids: Vec<NodeId> = imported.graph.nodes().ids().collect();
        let mut bounds = vec![(f64::INFINITY, f64::NEG_INFINITY); ids.len()];
        for inputs in assignments(&symbols) {
            let values =
                interpret::run(&imported.graph, &inputs, &ids, Limits::default()).expect("values");
            for (bounds_of_node, value) in bounds.iter_mut().zip(&values) {
                let value = bound(value.data()[0]);
                *bounds_of_node = (bounds_of_node.0.min(value), bounds_of_node.1.max(value));
            }
        }
        for (node, bounds_of_node) in file.nodes.iter().zip(bounds) {
            if let Some([low, high]) = node.r#true {
                assert_eq!(
                    bounds_of_node,
                    (bound(low), bound(high)),
                    "{name}: node {}",
                    node.id
                );
                bound_count += 1;
            }
        }
    }
    golden::report(count);
    assert_eq!(count == 0, bound_count == 0, "there are recorded bounds");
}

/// Returns every list of some values from an interval.
fn lists([low, high]: [i64; 2], count: usize) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for _ in 0..count {
        let longer =
            |prefix: &Vec<i64>, value: i64| prefix.iter().copied().chain([value]).collect();
        all = all
            .iter()
            .flat_map(|prefix| (low..=high).map(move |value| longer(prefix, value)))
            .collect();
    }
    all
}

#[test]
fn ranges_hold_every_reduction() {
    for (dtype, bounds) in [
        (DType::I8, [-2, 2]),
        (DType::I8, [-1, 1]),
        (DType::I8, [0, 1]),
        (DType::I8, [1, 5]),
        (DType::I8, [-128, -125]),
        (DType::U8, [254, 255]),
        (DType::U8, [0, 3]),
    ] {
        for combine in Combine::ALL {
            for count in 0..4_usize {
                let mut graph = Graph::new();
                let id = symbol(&mut graph, "n", dtype, bounds);
                let op = Op::Reshape([1].into_iter().collect());
                let one = graph.add(op, [id]).expect("one element");
                let op = Op::Expand([count as u64].into_iter().collect());
                let many = graph.add(op, [one]).expect("elements");
                let op = Op::Reduce {
                    combine,
                    axes: [0].into_iter().collect(),
                };
                let sum = graph.add(op, [many]).expect("a reduction");
                let range = range::ranges(&graph)[sum].expect("an integer");
                for list in lists(bounds, count) {
                    let total =
                        list.iter()
                            .fold(element::identity(combine, dtype), |total, value| {
                                let value = element::wrapped(dtype, (*value).into());
                                element::apply(combine.elementwise(), dtype, &[total, value])
                            });
                    let total = element::integer(dtype, total);
                    assert!(
                        range.contains(total),
                        "{combine:?} {dtype} {bounds:?} {list:?}: {range:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn what_is_stored_is_not_bounded_by_what_was_passed() {
    let mut graph = Graph::new();
    let ty = TensorType {
        dtype: DType::I32,
        shape: Shape::scalar(),
    };
    let op = Op::Param {
        slot: Slot::Number(0),
        ty,
        bounds: Some([1, 2]),
    };
    let param = graph.add(op, []).expect("a parameter");
    let value = Datum::Natural(9);
    let dtype = DType::I32;
    let nine = graph
        .add(Op::Const { value, dtype }, [])
        .expect("a constant");
    let store = graph.add(Op::Store, [param, nine]).expect("a store");
    let after = graph.add(Op::After, [param, store]).expect("a buffer");
    let ranges = range::ranges(&graph);
    assert_eq!(ranges[param], Some(Interval::new(1, 2)));
    assert!(ranges[after].is_some_and(|range| range.contains(9)));
}

#[test]
fn a_load_may_be_its_alternative() {
    let mut graph = Graph::new();
    let id = symbol(&mut graph, "n", DType::I32, [5, 6]);
    let other = symbol(&mut graph, "m", DType::I32, [-1, 2]);
    let gate = graph
        .add(Op::Elementwise(Elementwise::CmpLt), [id, other])
        .expect("a truth value");
    let load = Op::Load {
        device: None,
        space: None,
    };
    let alone = graph.add(load.clone(), [id]).expect("a load");
    let gated = graph.add(load, [id, other, gate]).expect("a load");
    let ranges = range::ranges(&graph);
    assert_eq!(ranges[alone], Some(Interval::new(5, 6)));
    assert_eq!(ranges[gated], Some(Interval::new(-1, 6)));
}

/// Each call has the interval of its body with the arguments of that call.
#[test]
fn calls_have_the_ranges_of_their_arguments() {
    let mut graph = Graph::new();
    let ty = TensorType {
        dtype: DType::I32,
        shape: Shape::scalar(),
    };
    let param = Op::Param {
        slot: Slot::Number(0),
        ty,
        bounds: None,
    };
    let param = graph.add(param, []).expect("a parameter");
    let add = Op::Elementwise(Elementwise::Add);
    let twice = graph.add(add, [param, param]).expect("a sum");
    let body = graph.add(Op::Tuple, [twice]).expect("a tuple");
    let id = symbol(&mut graph, "n", DType::I32, [5, 6]);
    let call = Op::Call(CallKind::Function);
    let call = graph.add(call, [body, id]).expect("a call");
    let once = graph.add(Op::GetTuple(0), [call]).expect("a result");
    // A call with the result of another call as its argument.
    let call = Op::Call(CallKind::Function);
    let call = graph.add(call, [body, once]).expect("a call");
    let again = graph.add(Op::GetTuple(0), [call]).expect("a result");
    let ranges = range::ranges(&graph);
    assert_eq!(
        ranges[twice],
        Some(Interval::new(i32::MIN.into(), i32::MAX.into()))
    );
    assert_eq!(ranges[once], Some(Interval::new(10, 12)));
    assert_eq!(ranges[again], Some(Interval::new(20, 24)));
}

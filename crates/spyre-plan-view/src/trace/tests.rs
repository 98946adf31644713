use serde_json::Value as Json;
use spyre_layout::Bytes;

use super::{is_shortened, shortened, trace};
use crate::facts::{
    Function, Loop, Operation, Plan, Role, Space, Target, TensorTraffic, Totals, Value, ValueId,
};

fn tensor(role: Role, value: Option<usize>, bytes: u64) -> TensorTraffic {
    TensorTraffic {
        ty: String::new(),
        role,
        space: value.map_or(Space::Argument, |_| Space::Lx),
        value: value.map(ValueId),
        bytes: Bytes(bytes),
        fan_out: 1,
    }
}

fn operation(
    name: &str,
    (executions, nanoseconds): (u64, u64),
    cores: u32,
    tensors: Vec<TensorTraffic>,
) -> Operation {
    Operation {
        name: name.to_owned(),
        location: "f.mlir:1:1".to_owned(),
        executions,
        iteration_space: vec![64],
        split: vec![cores],
        tensors,
        picoseconds: executions * nanoseconds * 1000,
        distinct_bytes: 0,
        all_bytes: 0,
    }
}

fn value(
    (from, to): (usize, usize),
    cores: u32,
    address: u64,
    in_place_of: Option<ValueId>,
) -> Value {
    Value {
        made_by: "exp".to_owned(),
        location: String::new(),
        space: Space::Lx,
        address: Bytes(address),
        bytes: Bytes(10),
        cores,
        from,
        to,
        in_place_of,
        reason: None,
        distinct_bytes: 0,
    }
}

/// Returns a plan of `iterations` of `exp` on four cores and `neg`, over it, on two, and of `copy` after them.
fn plan(iterations: u64) -> Plan {
    let nest = Loop {
        from: 0,
        to: 2,
        depth: 0,
        iterations,
        location: "f.mlir:2:2".to_owned(),
    };
    let exp = vec![
        tensor(Role::Read, None, 3),
        tensor(Role::Write, Some(0), 10),
    ];
    let neg = vec![
        tensor(Role::Read, Some(0), 10),
        tensor(Role::Write, None, 1),
    ];
    let copy = vec![tensor(Role::Read, None, 6), tensor(Role::Write, None, 6)];
    Plan::new(vec![Function {
        name: "f".to_owned(),
        target: Target {
            cores: 8,
            lx_bytes: Bytes(100),
        },
        totals: Totals {
            // A byte takes a nanosecond.
            compulsory_bytes: 16,
            memory_picoseconds: 16_000,
            ..Totals::default()
        },
        loops: vec![nest],
        operations: vec![
            operation("exp", (iterations, 5), 4, exp),
            operation("neg", (iterations, 2), 2, neg),
            operation("copy", (1, 4), 4, copy),
        ],
        values: vec![
            value((0, 2), 4, 0, None),
            value((1, 2), 4, 0, Some(ValueId(0))),
            value((1, 2), 2, 20, None),
        ],
    }])
}

/// Returns the events of a phase in a group, each as its row, name, start and duration in nanoseconds.
fn events(text: &str, phase: &str, group: u64) -> Vec<(u64, String, u64, u64)> {
    let all: Vec<Json> = serde_json::from_str(text).unwrap();
    let nanoseconds = |event: &Json, name: &str| {
        let time = event.get(name).map_or(0.0, |time| time.as_f64().unwrap());
        // Whole nanoseconds, up to the rounding of a double.
        format!("{:.0}", time * 1000.0).parse().unwrap()
    };
    all.iter()
        .filter(|event| event["ph"] == phase && event["pid"] == group)
        .map(|event| {
            let name = event["name"].as_str().unwrap().to_owned();
            let row = event["tid"].as_u64().unwrap();
            (
                row,
                name,
                nanoseconds(event, "ts"),
                nanoseconds(event, "dur"),
            )
        })
        .collect()
}

fn row(number: u64, name: &str, start: u64, duration: u64) -> (u64, String, u64, u64) {
    (number, name.to_owned(), start, duration)
}

#[test]
fn executions_follow_one_another_on_the_classes_of_cores() {
    let expected = [
        row(0, "exp", 0, 5),
        row(2, "exp", 0, 5),
        row(0, "neg", 5, 2),
        row(0, "exp", 7, 5),
        row(2, "exp", 7, 5),
        row(0, "neg", 12, 2),
        row(0, "copy", 14, 4),
        row(2, "copy", 14, 4),
    ];
    assert_eq!(events(&trace(&plan(2)), "X", 0), expected);
}

#[test]
fn iterations_are_in_their_loop() {
    let expected = [
        row(0, "loop of 2 (f.mlir:2:2)", 0, 14),
        row(0, "0 (f.mlir:2:2)", 0, 7),
        row(0, "1 (f.mlir:2:2)", 7, 7),
    ];
    assert_eq!(events(&trace(&plan(2)), "X", 1), expected);
}

#[test]
fn iterations_begin_with_the_time_of_the_loop() {
    let mut plan = plan(1000);
    plan.functions[0].totals.picoseconds = 1000 * (7000 + 2000) + 4000;
    let text = shortened(&plan, 3);
    let expected = [
        row(0, "loop of 1000 (f.mlir:2:2)", 0, 9000),
        row(0, "0 (f.mlir:2:2)", 0, 9),
        row(0, "1 to 999 (f.mlir:2:2)", 9, 8991),
    ];
    assert_eq!(events(&text, "X", 1), expected);
    assert_eq!(events(&text, "X", 0)[0], row(0, "exp", 2, 5));
    // The function ends with the modelled time.
    assert_eq!(events(&text, "X", 0).last(), Some(&row(2, "copy", 9000, 4)));
}

#[test]
fn transfers_are_in_their_executions() {
    // The copy has four nanoseconds for twelve bytes.
    let expected = [
        row(0, "from HBM", 0, 3),
        row(0, "to HBM", 6, 1),
        row(0, "from HBM", 7, 2),
        row(0, "to HBM", 9, 2),
    ];
    assert_eq!(events(&trace(&plan(1)), "X", 2), expected);
}

#[test]
fn counters_have_the_bytes_of_each_class() {
    let text = trace(&plan(1));
    let counted: Vec<Json> = serde_json::from_str(&text).unwrap();
    let counted = counted.iter().filter(|event| event["ph"] == "C");
    let counted: Vec<(&str, f64, u64)> = counted
        .map(|event| {
            let bytes = event["args"]["bytes"].as_u64().unwrap();
            (
                event["name"].as_str().unwrap(),
                event["ts"].as_f64().unwrap(),
                bytes,
            )
        })
        .collect();
    let expected = [
        ("LX of cores 0 to 1", 0.0, 10),
        ("LX of cores 2 to 3", 0.0, 10),
        // The second value is over the first one, and only two cores have the third.
        ("LX of cores 0 to 1", 0.005, 20),
        ("LX of cores 0 to 1", 0.007, 0),
        ("LX of cores 2 to 3", 0.007, 0),
    ];
    assert_eq!(counted, expected);
}

#[test]
fn many_iterations_are_one_slice() {
    let plan = plan(1000);
    let text = shortened(&plan, 9);
    let expected = [
        row(0, "loop of 1000 (f.mlir:2:2)", 0, 7000),
        row(0, "0 (f.mlir:2:2)", 0, 7),
        row(0, "1 (f.mlir:2:2)", 7, 7),
        row(0, "2 (f.mlir:2:2)", 14, 7),
        row(0, "3 to 999 (f.mlir:2:2)", 21, 6979),
    ];
    assert_eq!(events(&text, "X", 1), expected);
    assert_eq!(events(&text, "X", 0).last(), Some(&row(2, "copy", 7000, 4)));
    assert!(is_shortened(&plan, 2000));
    assert!(!is_shortened(&plan, 2001));
    // Operations without loops are not left out, however many there are.
    assert!(!is_shortened(&self::plan(1), 1));
}

#[test]
fn rows_have_names() {
    let text = trace(&plan(1));
    let all: Vec<Json> = serde_json::from_str(&text).unwrap();
    let names = all.iter().filter(|event| event["ph"] == "M");
    let names: Vec<&str> = names
        .map(|event| event["args"]["name"].as_str().unwrap())
        .collect();
    let groups = ["@f: cores", "@f: loops", "@f: device memory"];
    let rows = [
        "HBM",
        "cores 0 to 1",
        "cores 2 to 3",
        "cores 4 to 7",
        "depth 1",
    ];
    assert_eq!(names, [&groups[..], &rows[..]].concat());
}

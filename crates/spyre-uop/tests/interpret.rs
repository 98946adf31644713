//! Tests of the results of graphs, and of refused programs.

mod golden;
mod lines;

use std::time::{Duration, Instant};

use spyre_uop::file;
use spyre_uop::ids::Id;
use spyre_uop::interpret::{self, Inputs, Limits};
use spyre_uop::op::TensorType;
use spyre_uop::record;
use spyre_uop::schema::{self, Datum};
use spyre_uop::tensor::Tensor;

/// Returns the values of the last node, or the error.
fn last(lines: &str, inputs: &Inputs, limits: Limits) -> Result<Vec<Datum>, String> {
    let imported = file::import(&lines::nodes(lines)).expect("a graph");
    let last = imported.graph.nodes().ids().last().expect("a node");
    let values = interpret::run(&imported.graph, inputs, &[last], limits);
    Ok(values.map_err(|error| error.to_string())?[0].data())
}

fn run(lines: &str) -> Result<Vec<Datum>, String> {
    last(lines, &Inputs::default(), Limits::default())
}

fn integers(values: &[i64]) -> Vec<Datum> {
    values.iter().map(|value| Datum::integer(*value)).collect()
}

#[test]
fn recorded_programs_have_their_results() {
    let (mut count, mut outputs) = (0, 0);
    let mut failures = Vec::new();
    for (name, text) in golden::files() {
        let file = schema::read(text.as_bytes()).expect("a program");
        if let Err(error) = record::check(&file) {
            failures.push(format!("{name}: {error}"));
        }
        count += 1;
        outputs += usize::from(file.outputs.is_some());
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    golden::report(count);
    println!("{outputs} programs have results");
}

#[test]
fn a_result_that_differs_is_found() {
    for (name, text) in golden::files() {
        let mut file = schema::read(text.as_bytes()).expect("a program");
        for output in file.outputs.iter_mut().flatten() {
            let values = output.reference.as_mut().unwrap_or(&mut output.data);
            let Some(value) = values.last_mut() else {
                continue; // A tensor without elements has no other values.
            };
            *value = match *value {
                Datum::Bool(value) => Datum::Bool(!value),
                Datum::Float(0.0) => Datum::Float(1.0),
                Datum::Float(value) if value.is_finite() => Datum::Float(-value),
                Datum::Float(_) => Datum::Float(2.5),
                Datum::Natural(value) => Datum::Natural(value ^ 1),
                Datum::Negative(value) => Datum::Negative(value ^ 1),
            };
            // A float of 32 bits may not have the value of its record; it is not compared with it.
        }
        if file
            .outputs
            .iter()
            .flatten()
            .any(|output| !output.data.is_empty())
        {
            let error = record::check(&file).expect_err(&name).to_string();
            assert!(error.starts_with("output 0: element "), "{name}: {error}");
        }
    }
}

#[test]
fn unwritten_memory_is_poisoned() {
    let values = run(r#"Buffer i16 [2] [] {"slot":0}"#);
    assert_eq!(values, Ok(integers(&[0x5A5A, 0x5A5A])));
    let values = run(r#"Buffer bf16 [1] [] {"slot":0,"addrspace":"REG"}"#);
    assert_eq!(values, Ok(vec![Datum::Float(f64::NAN)]));
}

#[test]
fn inputs_are_in_the_memory_of_the_device() {
    let lines = r#"Buffer i16 [2] [] {"slot":0}"#;
    let ty = |dtype| TensorType {
        dtype,
        shape: [2].into_iter().collect(),
    };
    let mut inputs = Inputs::default();
    let input = Tensor::of_data(ty(spyre_uop::dtype::DType::I16), &integers(&[3, -4]));
    inputs.buffers.insert(0, input.expect("values of the type"));
    assert_eq!(
        last(lines, &inputs, Limits::default()),
        Ok(integers(&[3, -4]))
    );
    let local = r#"Buffer i16 [2] [] {"slot":0,"addrspace":"LOCAL"}"#;
    assert_eq!(
        last(local, &inputs, Limits::default()),
        Ok(integers(&[0x5A5A, 0x5A5A]))
    );
    let input = Tensor::of_data(ty(spyre_uop::dtype::DType::I8), &integers(&[3, -4]));
    inputs.buffers.insert(0, input.expect("values of the type"));
    let error = last(lines, &inputs, Limits::default());
    assert_eq!(
        error,
        Err("node #0: the input of buffer 0 is i8[2], and the buffer i16[2]".to_owned())
    );
}

#[test]
fn a_maximum_begins_at_the_smallest_value_and_skips_nan() {
    let lines = |values: &str, axis: &str| {
        format!(
            r#"Const f32 [] [] {{"value":"nan"}}
            Const f32 [] [] {{"value":-2}}
            Stack f32 {values} {{}}
            Reduce f32 {axis}"#
        )
    };
    let max = |values: &str, axis: &str| run(&lines(values, axis));
    let of_two = max("[2] [0,1]", r#"[1] [2] {"op":"Max","axes":[0]}"#);
    assert_eq!(of_two, Ok(vec![Datum::Float(-2.0)]));
    let of_two = max("[2] [1,0]", r#"[1] [2] {"op":"Max","axes":[0]}"#);
    assert_eq!(of_two, Ok(vec![Datum::Float(-2.0)]));
    for dtype in ["f16", "bf16", "f32", "f64"] {
        let lines = lines("[1] [0]", r#"[1] [2] {"op":"Max","axes":[0]}"#);
        let of_nan = run(&lines.replace("f32", dtype));
        assert_eq!(of_nan, Ok(vec![Datum::Float(f64::NEG_INFINITY)]));
    }
}

#[test]
fn a_reduction_of_nothing_is_the_identity() {
    for (op, expected) in [("Add", 0), ("Mul", 1), ("Max", -128)] {
        let lines = format!(
            r#"Buffer i8 [0,2] [] {{"slot":0}}
            Reduce i8 [1,2] [0] {{"op":"{op}","axes":[0]}}"#
        );
        assert_eq!(run(&lines), Ok(integers(&[expected, expected])));
    }
}

#[test]
fn bytes_are_little_endian_and_rows_apart() {
    let lines = r#"
        Binary u8 [8] [] {"data":"01000000ff80ffff"}
        Reshape u8 [2,4] [0] {"shape":[2,4]}
        Bitcast i16 [2,2] [1] {"dtype":"i16"}
    "#;
    assert_eq!(run(lines), Ok(integers(&[1, 0, -32513, -1])));
    let back = format!("{lines}Bitcast u8 [2,4] [2] {{\"dtype\":\"u8\"}}");
    assert_eq!(run(&back), Ok(integers(&[1, 0, 0, 0, 255, 128, 255, 255])));
    let nan = r#"
        Binary u8 [4] [] {"data":"0100a07f"}
        Bitcast f32 [1] [0] {"dtype":"f32"}
        Flip f32 [1] [1] {"axes":[true]}
        Bitcast u32 [1] [2] {"dtype":"u32"}
    "#;
    assert_eq!(
        run(nan),
        Ok(integers(&[0x7FA0_0001])),
        "the bits of a NaN are kept"
    );
}

#[test]
fn vectors_of_positions_are_an_outer_product() {
    let lines = r#"
        Range index [] [] {"bound":3,"axis_id":0,"axis_type":"LOOP"}
        Binary u8 [12] [] {"data":"000102030405060708090a0b"}
        Reshape u8 [2,3,2] [1] {"shape":[2,3,2]}
        Const i8 [] [] {"value":1}
        Const i8 [] [] {"value":0}
        Stack i8 [2] [3,4] {}
        Const u64 [] [] {"value":2}
        Stack u64 [1] [6] {}
        Index u8 [2,1,2] [2,5,7] {}
    "#;
    assert_eq!(run(lines), Ok(integers(&[10, 11, 4, 5])));
}

#[test]
fn what_cannot_be_executed_says_why() {
    let cases = [
        (
            r#"Binary u8 [2] [] {"data":"0102"}
            Const i32 [] [] {"value":2}
            Index u8 [] [0,1] {}"#,
            "node #2: position 2 is outside of axis 0 with 2 elements",
        ),
        (
            r#"Binary u8 [2] [] {"data":"0102"}
            Const i32 [] [] {"value":-1}
            Index u8 [] [0,1] {}"#,
            "node #2: position -1 is outside of axis 0 with 2 elements",
        ),
        (
            r#"Binary u8 [2] [] {"data":"0102"}
            Replicated u8 [] [0] {"axis":0}"#,
            "node #1: the slices along axis 0 differ",
        ),
        (
            r#"Range index [] [] {"bound":3,"axis_id":0,"axis_type":"LOOP"}
            Neg index [] [0] {}"#,
            "node #1: it depends on the iteration of #0, and no End and no Reduce closes it here",
        ),
        (
            r#"Param f32 [2] [] {"slot":1}"#,
            "node #0: the parameter 1 has no value",
        ),
        (
            r#"Param index [] [] {"slot":"n"}"#,
            "node #0: the parameter n has no value",
        ),
        ("Sink void - [] {}", "node #0: Sink is no tensor"),
        (
            r#"Param u8 [] [] {"slot":0}
            Const u8 [] [] {"value":1}
            Store void - [0,1] {}
            After u8 [] [0,2] {}
            Tuple void - [3] {}
            Function void - [4,1] {}
            GetTuple u8 [] [5] {"index":0}"#,
            "node #2: parameter 0 is written to, and its argument is no part of a buffer",
        ),
    ];
    for (lines, expected) in cases {
        assert_eq!(run(lines), Err(expected.to_owned()), "{lines}");
    }
}

#[test]
fn a_loop_is_not_inside_of_itself() {
    // The inner loop is in the outer one by its value, and in it is a sum over the range of the outer one.
    let lines = r#"
        Range index [] [] {"bound":3,"axis_id":0,"axis_type":"LOOP"}
        Range index [] [] {"bound":2,"axis_id":1,"axis_type":"LOOP"}
        Buffer index [3,2] [] {"slot":0}
        Mul index [] [0,1] {}
        Reduce index [] [3,0] {"op":"Add","axes":[]}
        Add index [] [4,0] {}
        Index index [] [2,0,1] {}
        Store void - [6,5] {}
        End void - [7,1] {}
        End void - [8,0] {}
        After index [3,2] [2,9] {}
    "#;
    assert_eq!(
        run(lines),
        Err("node #4: the loop over #0 is inside of itself".to_owned())
    );
}

#[test]
fn symbolic_integers_are_within_their_bounds() {
    let lines = r#"Param i32 [] [] {"slot":"n","min":1,"max":9}"#;
    let with = |value| {
        let mut inputs = Inputs::default();
        inputs.symbols.insert("n".into(), value);
        last(lines, &inputs, Limits::default())
    };
    assert_eq!(with(9), Ok(integers(&[9])));
    assert_eq!(
        with(10),
        Err("node #0: the symbolic integer n is 10, and is from 1 to 9".to_owned())
    );
}

#[test]
fn what_is_held_and_computed_is_bounded() {
    let start = Instant::now();
    let large = r#"Buffer i8 [4611686018427387904] [] {"slot":0}"#;
    assert_eq!(
        run(large),
        Err(
            "node #0: the program needs memory for more than 134217728 elements at once".to_owned()
        )
    );
    let store = r#"
        Buffer i8 [4611686018427387904] [] {"slot":0}
        Const i8 [] [] {"value":1}
        Reshape i8 [1] [1] {"shape":[1]}
        Shrink i8 [1] [0] {"offset":[0],"shape":[1]}
        Store void - [3,2] {}
        After i8 [1] [3,4] {}
    "#;
    assert_eq!(
        run(store),
        Err(
            "node #4: the program needs memory for more than 134217728 elements at once".to_owned()
        )
    );
    let limits = Limits {
        elements: 10_000,
        steps: 1000,
    };
    let endless = r#"
        Range index [] [] {"bound":4611686018427387904,"axis_id":0,"axis_type":"LOOP"}
        Reduce index [] [0,0] {"op":"Add","axes":[]}
    "#;
    let error = last(endless, &Inputs::default(), limits);
    assert!(
        error
            .expect_err("it does not end")
            .ends_with("the program computes more than 1000 elements")
    );
    // Every function calls the one before it twice.
    let mut lines = vec![
        r#"Param i8 [] [] {"slot":0}"#.to_owned(),
        r#"Const i8 [] [] {"value":1}"#.to_owned(),
        "Tuple void - [0] {}".to_owned(),
    ];
    for _ in 0..60 {
        let body = lines.len() - 1;
        lines.push(format!("Function void - [{body},0] {{}}"));
        lines.push(format!("GetTuple i8 [] [{}] {{\"index\":0}}", body + 1));
        lines.push(format!("Function void - [{body},{}] {{}}", body + 2));
        lines.push(format!("GetTuple i8 [] [{}] {{\"index\":0}}", body + 3));
        lines.push(format!("Tuple void - [{}] {{}}", body + 4));
    }
    let body = lines.len() - 1;
    lines.push(format!("Function void - [{body},1] {{}}"));
    lines.push(format!("GetTuple i8 [] [{}] {{\"index\":0}}", body + 1));
    let error = last(&lines.join("\n"), &Inputs::default(), limits);
    assert!(
        error
            .expect_err("it does not end")
            .ends_with("the program computes more than 1000 elements")
    );
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn loops_and_calls_in_calls_are_bounded() {
    let mut lines = vec![
        r#"Param i8 [] [] {"slot":0}"#.to_owned(),
        r#"Const i8 [] [] {"value":1}"#.to_owned(),
        "Tuple void - [0] {}".to_owned(),
    ];
    for _ in 0..5000 {
        let body = lines.len() - 1;
        lines.push(format!("Function void - [{body},0] {{}}"));
        lines.push(format!("GetTuple i8 [] [{}] {{\"index\":0}}", body + 1));
        lines.push(format!("Tuple void - [{}] {{}}", body + 2));
    }
    let body = lines.len() - 1;
    lines.push(format!("Function void - [{body},1] {{}}"));
    lines.push(format!("GetTuple i8 [] [{}] {{\"index\":0}}", body + 1));
    let error = run(&lines.join("\n")).expect_err("too many calls");
    assert!(
        error.ends_with("more than 192 loops and calls are inside of each other"),
        "{error}"
    );
}

#[test]
fn a_gate_that_is_true_outside_is_refused() {
    let lines = |position: i64, gate: bool| {
        format!(
            r#"Binary u8 [2] [] {{"data":"0102"}}
            Const i32 [] [] {{"value":{position}}}
            Const bool [] [] {{"value":{gate}}}
            Const u8 [] [] {{"value":7}}
            Index u8 [] [0,1] {{}}
            Load u8 [] [4,3,2] {{}}"#
        )
    };
    assert_eq!(run(&lines(1, true)), Ok(integers(&[2])));
    assert_eq!(run(&lines(-1, false)), Ok(integers(&[7])));
    let error = run(&lines(-1, true));
    assert_eq!(
        error,
        Err("node #5: position -1 is outside of axis 0 with 2 elements".to_owned())
    );
}

#[test]
fn what_an_iteration_and_a_call_have_held_is_free() {
    // Forty elements in each of a thousand iterations, and in the call of each.
    let lines = r#"
        Param f32 [40] [] {"slot":0}
        Neg f32 [40] [0] {}
        Tuple void - [1] {}
        Range index [] [] {"bound":1000,"axis_id":0,"axis_type":"REDUCE"}
        Cast f32 [] [3] {"dtype":"f32"}
        Reshape f32 [1] [4] {"shape":[1]}
        Expand f32 [40] [5] {"shape":[40]}
        Function void - [2,6] {}
        GetTuple f32 [40] [7] {"index":0}
        Reduce f32 [40] [8,3] {"op":"Add","axes":[]}
    "#;
    let limits = Limits {
        elements: 400,
        steps: 1 << 20,
    };
    let values = last(lines, &Inputs::default(), limits);
    assert_eq!(values, Ok(vec![Datum::Float(-499_500.0); 40]));
}

#[test]
fn bodies_that_loops_share_are_bounded() {
    // Every reduction is over the same range, and has the same long body.
    let mut lines =
        vec![r#"Range index [] [] {"bound":1,"axis_id":0,"axis_type":"REDUCE"}"#.to_owned()];
    for _ in 0..2_000 {
        lines.push(format!("Neg index [] [{}] {{}}", lines.len() - 1));
    }
    let body = lines.len() - 1;
    for _ in 0..2_000 {
        lines.push(format!(
            r#"Reduce index [] [{body},0] {{"op":"Add","axes":[]}}"#
        ));
    }
    let all: Vec<String> = (body + 1..lines.len()).map(|id| id.to_string()).collect();
    lines.push(format!(
        "Stack index [{}] [{}] {{}}",
        all.len(),
        all.join(",")
    ));
    let limits = Limits {
        elements: 100_000,
        steps: 1 << 32,
    };
    let error = last(&lines.join("\n"), &Inputs::default(), limits).expect_err("plans are held");
    assert!(
        error.ends_with("the program needs memory for more than 100000 elements at once"),
        "{error}"
    );
}

#[test]
fn long_graphs_take_time_in_proportion() {
    // A chain of assignments: each reads the result of the previous one.
    let time = |count: usize| {
        let mut lines = vec![
            r#"Buffer i32 [4] [] {"slot":0}"#.to_owned(),
            r#"Const i32 [] [] {"value":1}"#.to_owned(),
            r#"Reshape i32 [1] [1] {"shape":[1]}"#.to_owned(),
            r#"Expand i32 [4] [2] {"shape":[4]}"#.to_owned(),
            "Store void - [0,3] {}".to_owned(),
            "After i32 [4] [0,4] {}".to_owned(),
        ];
        for _ in 0..count {
            let last = lines.len() - 1;
            lines.push(format!("Add i32 [4] [{last},3] {{}}"));
            lines.push(format!("Store void - [{last},{}] {{}}", last + 1));
            lines.push(format!("After i32 [4] [{last},{}] {{}}", last + 2));
        }
        let imported = file::import(&lines::nodes(&lines.join("\n"))).expect("a graph");
        let last = imported.graph.nodes().ids().last().expect("a node");
        let start = Instant::now();
        let values = interpret::run(
            &imported.graph,
            &Inputs::default(),
            &[last],
            Limits::default(),
        );
        let expected = 1 + i64::try_from(count).expect("small");
        assert_eq!(values.expect("values")[0].data(), integers(&[expected; 4]));
        assert_eq!(last.position(), lines.len() - 1);
        start.elapsed()
    };
    let time = |count| (0..3).map(|_| time(count)).min().expect("three times");
    let (few, many) = (time(500), time(8_000));
    assert!(
        many < few * 80 + Duration::from_millis(300),
        "{few:?} {many:?}"
    );
}

#[test]
fn values_of_files_are_those_of_their_types() {
    let file = |input: &str, output: &str| {
        format!(
            r#"{{"format":"uop-graph-1","name":"","category":"","description":"","nodes":[
            {{"id":0,"op":"Buffer","dtype":"f16","shape":[2],"src":[],"arg":{{"slot":0}}}}],
            "inputs":[{{"slot":0,"dtype":"f16","shape":[2],"data":{input}}}],
            "outputs":[{{"node":0,"dtype":"f16","shape":[2],"data":{output},
            "compare":{{"kind":"close","rtol":1e-3,"atol":0.0}}}}]}}"#
        )
    };
    let check = |input, output| {
        let file = schema::read(file(input, output).as_bytes()).expect("a file");
        record::check(&file).map_err(|error| error.to_string())
    };
    // A result may be written with more digits than its type has.
    assert_eq!(check("[1.5,2]", "[1.5001,2.0]"), Ok(()));
    let cases = [
        (
            "[1.5,0.1]",
            "[1.5,2]",
            "at inputs[0].data[1]: value 1 is no f16",
        ),
        (
            "[1.5,65536]",
            "[1.5,2]",
            "at inputs[0].data[1]: value 1 is no f16",
        ),
        (
            "[1.5]",
            "[1.5,2]",
            "at inputs[0].data: there are 1 values, but f16[2] has another number of elements",
        ),
        (
            "[1.5,2]",
            "[1.5]",
            "at outputs[0].data: there are 1 values, but f16[2] has another number of elements",
        ),
        (
            "[1.5,2]",
            "[1.5,2.01]",
            "output 0: element 1 is 2.0, and not 2.01",
        ),
        (
            "[1.5,2]",
            "[true,2]",
            "output 0: element 0 is 1.5, and not true",
        ),
    ];
    for (input, output, expected) in cases {
        assert_eq!(check(input, output), Err(expected.to_owned()));
    }
}

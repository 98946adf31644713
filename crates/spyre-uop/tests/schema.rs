//! Files of programs: read, written, and refused.

mod golden;

use std::time::{Duration, Instant};

use spyre_uop::schema::{self, Datum, File};

/// A small program with every kind of number.
const PROGRAM: &str = r#"{
 "format": "uop-graph-1",
 "name": "p",
 "category": "test",
 "description": "a",
 "nodes": [
  {"id":0,"op":"Buffer","dtype":"f32","shape":[2],"src":[],"arg":{"slot":0},"obs":["-inf",-0.0],"axis":null},
  {"id":1,"op":"Flip","dtype":"f32","shape":[2],"src":[0],"arg":{"axes":[true]}},
  {"id":2,"op":"Reduce","dtype":"f32","shape":[1],"src":[1],"arg":{"op":"Add","axes":[0]},"device":["a","b"]}
 ],
 "inputs": [
  {"slot":0,"dtype":"f32","shape":[2],"data":["nan",18446744073709551615]}
 ],
 "outputs": [
  {"node":2,"dtype":"f32","shape":[1],"data":["nan"],"compare":{"kind":"close","rtol":4e-6,"atol":0.0}}
 ]
}
"#;

fn program() -> File {
    schema::read(PROGRAM.as_bytes()).expect("a program")
}

#[test]
fn a_program_is_written_as_it_was_read() {
    let file = program();
    assert_eq!(schema::write(&file), PROGRAM);
    let again = schema::read(schema::write(&file).as_bytes()).expect("what was written");
    assert_eq!(again, file);
    let inputs = file.inputs.expect("inputs");
    assert_eq!(inputs[0].data[0], Datum::Float(f64::NAN));
    assert_eq!(inputs[0].data[1], Datum::Natural(u64::MAX));
}

#[test]
fn errors_are_at_their_place() {
    let cases = [
        ("\"id\":1,", "\"id\":-1,", "at nodes[1].id: "),
        ("\"id\":1,", "", "at nodes[1]: missing field `id`"),
        (
            "\"slot\":0}",
            "\"slot\":\"\",\"sloth\":0}",
            "at nodes[0].arg.sloth: unknown field `sloth`",
        ),
        ("[true]", "[null]", "at nodes[1].arg.axes[0]: "),
        ("\"nan\",1844", "\"nam\",1844", "at inputs[0].data[0]: "),
        (
            "\"close\"",
            "\"far\"",
            "at outputs[0].compare.kind: unknown variant",
        ),
        (
            "uop-graph-1",
            "uop-graph-2",
            "at format: expected \"uop-graph-1\", got \"uop-graph-2\"",
        ),
        (
            "\"shape\":[1],\"src\"",
            "\"shape\":[1],\"shape\":[1],\"src\"",
            "at nodes[2]: duplicate field `shape`",
        ),
    ];
    for (from, to, expected) in cases {
        let damaged = PROGRAM.replacen(from, to, 1);
        assert_ne!(damaged, PROGRAM, "{from}");
        let error = schema::read(damaged.as_bytes()).expect_err(to).to_string();
        assert!(error.starts_with(expected), "{to}: {error}");
    }
}

#[test]
fn damaged_files_are_refused_or_read_and_nothing_else() {
    let text = PROGRAM.as_bytes();
    for length in 0..text.len() - 2 {
        schema::read(&text[..length]).expect_err("the end is missing");
    }
    for at in 0..text.len() {
        for byte in [b'"', b'[', b'}', b'9', b'-', 0xFF] {
            let mut damaged = text.to_vec();
            damaged[at] = byte;
            if let Ok(file) = schema::read(&damaged) {
                let again = schema::read(schema::write(&file).as_bytes());
                assert_eq!(again.expect("what was written"), file);
            }
        }
    }
}

#[test]
fn deep_files_are_refused() {
    for deep in ["[", "{\"a\":", "{\"nodes\":["] {
        schema::read(deep.repeat(1 << 20).as_bytes()).expect_err("too deep");
    }
}

#[test]
fn large_files_take_time_in_proportion() {
    let time = |count: usize| {
        let mut file = program();
        let node = file.nodes[0].clone();
        file.nodes = (0..count as u64)
            .map(|id| schema::Node { id, ..node.clone() })
            .collect();
        let text = schema::write(&file);
        let start = Instant::now();
        schema::read(text.as_bytes()).expect("a program");
        // The error is after all of the nodes, and a second reading finds its place.
        let damaged = text.replace("\"close\"", "\"far\"");
        schema::read(damaged.as_bytes()).expect_err("damaged");
        start.elapsed()
    };
    let time = |count| (0..3).map(|_| time(count)).min().expect("three times");
    let (few, many) = (time(3_000), time(48_000));
    // In proportion it is 16 times as much, quadratic 256 times.
    assert!(
        many < few * 80 + Duration::from_millis(200),
        "{few:?} {many:?}"
    );
}

#[test]
fn recorded_files_are_written_as_they_were_read() {
    let mut count = 0;
    for (name, text) in golden::files() {
        let file = schema::read(text.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let written = schema::write(&file);
        let again = schema::read(written.as_bytes()).expect("what was written");
        assert_eq!(again, file, "{name}");
        let written_json: serde_json::Value = serde_json::from_str(&written).expect("JSON");
        let recorded: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(written_json, recorded, "{name}");
        count += 1;
    }
    golden::report(count);
}

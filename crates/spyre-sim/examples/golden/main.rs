//! Runs the recorded bundles of a directory and compares the results with their specification trees.
//!
//! ```text
//! cargo run --release -p spyre-sim --example golden -- DIR [NAME]
//! ```
//!
//! `DIR` has one folder per case, with `case.json` and `expected/`. A case counts if its files were written and its tree
//! can be [evaluated](direct); it passes if the run reports nothing and every element is the same.

mod direct;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use direct::{Addresses, Direct, Home};
use serde_json::Value;
use spyre_bundle_files::Role;
use spyre_layout::Bytes;
use spyre_plan::Target;
use spyre_sim::{ArgumentId, Bundle, Machine, SegmentId};

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let Some(directory) = args.next() else {
        eprintln!("usage: conformance DIR [NAME]");
        return ExitCode::from(2);
    };
    let only = args.next();
    let Ok(entries) = fs::read_dir(&directory) else {
        eprintln!("{directory}: not a directory");
        return ExitCode::from(2);
    };
    let mut cases: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    cases.sort();
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for case in cases {
        let name = case
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if !case.join("case.json").exists()
            || only.as_ref().is_some_and(|only| !name.contains(only))
        {
            continue;
        }
        match run(&case) {
            Ok(Outcome::Same) => passed += 1,
            Ok(Outcome::Found(defect)) => {
                passed += 1;
                println!("found {name}: {defect}");
            }
            Ok(Outcome::Skipped(reason)) => {
                skipped += 1;
                println!("skipped {name}: {reason}");
            }
            Ok(Outcome::Different(how)) => {
                failed += 1;
                println!("FAILED {name}: {how}");
            }
            Err(err) => {
                failed += 1;
                println!("FAILED {name}: {err}");
            }
        }
    }
    println!("{passed} passed, {failed} failed, {skipped} skipped");
    ExitCode::from(u8::from(failed > 0))
}

enum Outcome {
    Same,
    /// The known defect of the files was reported.
    Found(&'static str),
    Different(String),
    Skipped(String),
}

/// Returns the known defect of the files of a case, which the run must report (SDSC bundle specification, sections 2.4,
/// 4.2 and 8).
fn known_defect(description: &Value, specs: &Value) -> Option<&'static str> {
    for op in specs
        .as_array()?
        .iter()
        .flat_map(|node| match node["kind"].as_str() {
            Some("loop") => node["body"].as_array().cloned().unwrap_or_default(),
            _ => vec![node.clone()],
        })
    {
        let symbolic = |dim: &Value| {
            dim["range"]
                .as_str()
                .is_some_and(|range| range.parse::<i64>().is_err())
        };
        let mut dims = op["iteration_space"].as_array()?.iter();
        if dims.any(|dim| symbolic(dim) && dim["work_division"] != 1) {
            return Some("a runtime size is split over cores, with placeholders for addresses");
        }
        let reduced = op["iteration_space"]
            .as_array()?
            .last()
            .and_then(|dim| dim["range"].as_str()?.parse::<u64>().ok());
        let sizes = || {
            op["args"][1]["device_size"]
                .as_array()
                .into_iter()
                .flatten()
        };
        let unpadded = |k: &u64| {
            let padded = k.next_multiple_of(64);
            *k != padded && sizes().all(|size| size.as_u64() != Some(padded))
        };
        if op["op"] == "batchmatmul" && reduced.as_ref().is_some_and(unpadded) {
            return Some("the right operand of a product is not padded to whole sticks of K");
        }
        let offset =
            |coordinate: &Value| coordinate.as_str().is_some_and(|text| text.contains(" + "));
        let mut coordinates = op["args"]
            .as_array()?
            .iter()
            .filter_map(|arg| arg["device_coordinates"].as_array())
            .flatten();
        if description["revision"] == "r1"
            && description["options"]["symbolic_args"] == true
            && coordinates.any(offset)
        {
            return Some("the parameters of the first revision lose the offset of a slice");
        }
    }
    None
}

fn run(case: &Path) -> Result<Outcome, Box<dyn std::error::Error>> {
    let description: Value = serde_json::from_str(&fs::read_to_string(case.join("case.json"))?)?;
    let skip = |reason: &str| Ok(Outcome::Skipped(reason.to_owned()));
    if description["outcome"]["status"] != "ok" || description["stage"] != "bundle" {
        return skip("no bundle was written");
    }
    let expected = case.join("expected");
    let unrolled = expected.join("unrolled.json");
    let r1 = description["revision"] == "r1";
    let mut specs = description["specs"].clone();
    let text = description.to_string();
    let pool = text.contains("\"pool\":");
    if unrolled.exists() {
        let tree: Value = serde_json::from_str(&fs::read_to_string(unrolled)?)?;
        specs = tree["specs"].clone();
    } else if r1 && text.contains("\"kind\":\"loop\"") {
        return skip("kept loops of the first revision have wrong strides");
    }
    let addresses = if r1 {
        Addresses::Segments { pool }
    } else {
        Addresses::Offsets
    };
    let mut direct = Direct::default();
    if let Err(reason) = direct.run(&specs, addresses) {
        return skip(&reason);
    }
    let bundle = match Bundle::read(&expected) {
        Ok(bundle) => bundle,
        // The first revisions masked with infinities, for which the card has no code (contract, K8).
        Err(err)
            if err
                .to_string()
                .contains("NaN is the value of masked elements") =>
        {
            return Ok(Outcome::Found("NaN is the value of masked elements"));
        }
        Err(err) => return Ok(Outcome::Different(err.to_string())),
    };
    let mut machine = Machine::new(Target::CARD);
    let bound = bind(&mut machine, &bundle, &direct, pool)?;
    machine.run(&bundle)?;
    let defect = known_defect(&description, &specs);
    match (machine.report().is_clean(), defect) {
        (true, None) => compare(&machine, bound, &direct),
        (false, Some(defect)) => Ok(Outcome::Found(defect)),
        (true, Some(defect)) => Ok(Outcome::Different(format!("not reported: {defect}"))),
        (false, None) => Ok(Outcome::Different(machine.report().to_string())),
    }
}

/// Returns the bytes of a buffer, the last or the initial ones, and which of them are written.
fn bytes_of(direct: &Direct, home: Home, last: bool) -> Option<(Vec<u8>, Vec<bool>)> {
    let buffer = direct.buffers.get(&home)?;
    let codes = if last { &buffer.last } else { &buffer.initial };
    let element =
        |code: &Option<u32>| code.unwrap_or(u32::MAX).to_le_bytes()[..buffer.bytes].to_vec();
    let bytes: Vec<u8> = codes.iter().flat_map(element).collect();
    let written: Vec<bool> = codes
        .iter()
        .flat_map(|code| vec![code.is_some(); buffer.bytes])
        .collect();
    Some((bytes, written))
}

/// The buffers of a run.
#[derive(Default)]
struct Bound {
    segments: Vec<(Home, SegmentId)>,
    arguments: Vec<(Home, ArgumentId)>,
}

/// Binds the arguments of a bundle, or the segments of one without parameters.
fn bind(
    machine: &mut Machine,
    bundle: &Bundle,
    direct: &Direct,
    pool: bool,
) -> Result<Bound, Box<dyn std::error::Error>> {
    let mut bound = Bound::default();
    let function = bundle.function();
    if function.params.is_empty() {
        for home in direct.buffers.keys() {
            let base = match home {
                Home::Argument(index) => (index + i64::from(pool)) << 34,
                Home::Pool => 0,
                Home::Lx(_) => continue,
            };
            let (bytes, written) = bytes_of(direct, *home, false).unwrap_or_default();
            let segment =
                machine.add_segment(&format!("{home:?}"), base, Bytes(bytes.len() as u64))?;
            machine.fill_segment(segment, &bytes, &written);
            bound.segments.push((*home, segment));
        }
    }
    for param in &function.params {
        if let Some(max) = param.bounds.max_value {
            machine.add_size(max);
        } else if let Some(Role::Argument(index)) = function.role(param) {
            let home = Home::Argument(index.into());
            let (bytes, written) = bytes_of(direct, home, false).unwrap_or_default();
            let argument = machine.add_written(&bytes, &written);
            bound.arguments.push((home, argument));
        } else {
            let size = direct
                .buffers
                .get(&Home::Pool)
                .map_or(0, |pool| pool.elements * pool.bytes);
            machine.add_output(Bytes(size as u64));
        }
    }
    Ok(bound)
}

/// Compares the elements outside of temporaries.
fn compare(
    machine: &Machine,
    bound: Bound,
    direct: &Direct,
) -> Result<Outcome, Box<dyn std::error::Error>> {
    let mut results = Vec::new();
    for (home, argument) in bound.arguments {
        results.push((home, machine.bytes(argument)?));
    }
    for (home, segment) in bound.segments {
        results.push((home, machine.segment(segment).unwrap_or_default()));
    }
    let mut compared = 0;
    for (home, (bytes, written)) in results {
        if home == Home::Pool {
            continue;
        }
        let (expected, wanted) = bytes_of(direct, home, true).unwrap_or_default();
        for at in (0..expected.len()).filter(|at| wanted[*at]) {
            compared += 1;
            if !written[at] || bytes[at] != expected[at] {
                let how = format!(
                    "{home:?}, byte {at}: {} (written: {}), not {}",
                    bytes[at], written[at], expected[at]
                );
                return Ok(Outcome::Different(how));
            }
        }
    }
    Ok(if compared == 0 {
        Outcome::Skipped("no result outside of temporaries".to_owned())
    } else {
        Outcome::Same
    })
}

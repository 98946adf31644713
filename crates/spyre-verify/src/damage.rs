//! Tests with damaged JSON files: reading any of them ends without a panic.

use spyre_bundle_files::json;
use spyre_plan::Target;
use spyre_sdsc::{BundleOptions, Node, compile_bundle};

use super::options::{Options, Revision};
use super::reader::Reader;
use super::sdsc;

/// Two cores, a window of a larger tensor, a tensor in the scratchpad and one in the pool.
const SPECS: &str = r#"[{
    "kind": "op", "op": "add", "is_reduction": false, "op_info": {"constants": {"eps": 0.5}}, "tiled_levels": [],
    "iteration_space": [
        {"symbol": "d0", "range": "32", "work_division": 2}, {"symbol": "d1", "range": "128", "work_division": 1}],
    "args": [
        {"is_input": true, "arg_index": 0, "device_dtype": "SEN169_FP16", "device_size": [4, 64, 64],
         "device_coordinates": ["floor(d1/64)", "d0", "Mod(d1, 64)"], "allocation": {"hbm": 0}},
        {"is_input": true, "arg_index": -1, "device_dtype": "SEN169_FP16", "device_size": [2, 32, 64],
         "device_coordinates": ["floor(d1/64)", "d0", "Mod(d1, 64)"], "allocation": {"lx": 1024}},
        {"is_input": false, "arg_index": -1, "device_dtype": "SEN169_FP16", "device_size": [2, 32, 64],
         "device_coordinates": ["floor(d1/64)", "d0", "Mod(d1, 64)"], "allocation": {"hbm_pool": 0}}]
}]"#;

/// Returns the text of a file that the generator writes.
fn written() -> String {
    let nodes: Vec<Node> = serde_json::from_str(SPECS).expect("OpSpecs");
    let options = BundleOptions {
        pool_size: spyre_layout::Bytes(8192),
        ..BundleOptions::of_revision(spyre_sdsc::Revision::R3)
    };
    let bundle = compile_bundle(&nodes, &options).expect("a bundle");
    let directory = tempfile::tempdir().expect("a directory");
    bundle.write_to_dir(directory.path()).expect("written");
    std::fs::read_to_string(directory.path().join("sdsc_0.json")).expect("a file")
}

/// Returns the number of problems in a text, as one of a recording.
fn problems(text: &str) -> usize {
    problems_of(text, Revision::R3)
}

/// Returns the number of problems in a text of a revision.
fn problems_of(text: &str, revision: Revision) -> usize {
    match json::parse(text) {
        Err(_) => 1,
        Ok(root) => {
            let mut reader = Reader::new(&Options::of_revision(revision));
            sdsc::read(&mut reader, &root, 0, &Target::default());
            for problem in &reader.problems {
                drop(json::pointer(&root, problem.offset));
            }
            reader.problems.len()
        }
    }
}

/// A source of numbers that are the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % limit
    }
}

#[test]
fn damaged_files_never_panic() {
    let text = written();
    assert_eq!(problems(&text), 0);
    let mut random = Random(1);
    let mut count = 0;
    const ROUNDS: usize = 3000;
    for round in 0..ROUNDS {
        let mut bytes = text.clone().into_bytes();
        let at = random.below(bytes.len());
        let symbol = b"0123456789-e.\"[]{}:, \\"[random.below(22)];
        match round % 4 {
            0 => bytes[at] = symbol,
            1 => drop(bytes.drain(at..(at + random.below(200)).min(text.len()))),
            2 => bytes.insert(at, symbol),
            _ => {
                let from = random.below(text.len());
                let piece = &text.as_bytes()[from..(from + random.below(400)).min(text.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
        }
        let damaged = String::from_utf8_lossy(&bytes);
        count += usize::from(problems(&damaged) > 0);
        problems_of(&damaged, Revision::V1);
    }
    assert!(
        count > ROUNDS / 2,
        "only {count} of {ROUNDS} damaged files have a problem"
    );
}

#[test]
fn every_number_is_checked() {
    let text = written();
    let mut unseen = Vec::new();
    for (at, _) in text.match_indices(|c: char| c.is_ascii_digit()) {
        if text[at + 1..].starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        // Another digit after the last one; in a key, this changes the key.
        let changed = format!("{}7{}", &text[..=at], &text[at + 1..]);
        if problems(&changed) == 0 {
            let root = json::parse(&changed).expect("JSON");
            unseen.push(json::pointer(&root, at));
        }
    }
    // Symbols and gaps are checked against bundle.mlir.
    let tree = "/0_add/dscs_/0/add/scheduleTree_";
    let expected = [
        "0/startAddressCoreCorelet_/data_/[0, 0, 0]",
        "0/startAddressCoreCorelet_/data_/[1, 0, 0]",
        "0/backGapCore_/mb/-1",
        "0/backGapCore_/out/-1",
        "2/startAddressCoreCorelet_/data_/[0, 0, 0]",
        "2/startAddressCoreCorelet_/data_/[1, 0, 0]",
    ];
    assert_eq!(unseen, expected.map(|path| format!("{tree}/{path}")));
}

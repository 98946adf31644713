//! The programs of `test/uop-programs` have the results that NumPy has computed.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use spyre_uop::decompose;
use spyre_uop::file;
use spyre_uop::interpret::{self, Limits};
use spyre_uop::record;
use spyre_uop::schema::{self, File};

/// Returns the programs with their names.
fn programs() -> Vec<(String, File)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test/uop-programs");
    let entries = fs::read_dir(&folder).expect("the folder is in the repository");
    let mut programs = Vec::new();
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|end| end == "json") {
            let text = fs::read(&path).expect("the file can be read");
            let file =
                schema::read(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            programs.push((file.name.to_string(), file));
        }
    }
    assert!(!programs.is_empty(), "{} has no programs", folder.display());
    programs
}

#[test]
fn programs_have_their_results() {
    let mut failures = Vec::new();
    for (name, file) in programs() {
        if let Err(error) = record::check(&file) {
            failures.push(format!("{name}: {error}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn programs_have_their_results_in_primitives() {
    for (name, file) in programs() {
        let rerun = record::record(&file).expect("a program");
        let graph = decompose::rewrite(&rerun.imported.graph, &decompose::nothing);
        let results: Vec<_> = rerun.results.iter().map(|id| graph.nodes[*id]).collect();
        let values = interpret::run(&graph.graph, &rerun.inputs, &results, Limits::default());
        let values = values.unwrap_or_else(|error| panic!("{name}: {error}"));
        record::compare(&file, &graph.graph, &results, &values)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn programs_have_every_operation_that_is_not_recorded() {
    let mut op_names = BTreeSet::new();
    for (name, file) in programs() {
        let imported = file::import(&file.nodes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(file::export(&imported.graph), file.nodes, "{name}");
        op_names.extend(file.nodes.iter().map(|node| node.op.to_string()));
    }
    let expected = [
        "Load",
        "Store",
        "After",
        "Range",
        "End",
        "Group",
        "Sink",
        "Linear",
        "Call",
        "Binary",
        "Mulacc",
        "Copy",
        "Replicated",
    ];
    for op in expected {
        assert!(op_names.contains(op), "{op}");
    }
}

#[test]
fn a_device_with_another_shard_is_found() {
    let mut count = 0;
    for (name, mut file) in programs() {
        for output in file.outputs.iter_mut().flatten() {
            for shard in output
                .shards
                .iter_mut()
                .flat_map(|shards| shards.values_mut())
            {
                // The elements are moved by one, and some of them differ.
                shard.rotate_left(1);
                count += 1;
            }
        }
        if file
            .outputs
            .iter()
            .flatten()
            .any(|output| output.shards.is_some())
        {
            let error = record::check(&file).expect_err(&name).to_string();
            assert_eq!(
                error, "output 0: device \"d0\" holds another shard",
                "{name}"
            );
        }
    }
    assert!(count > 0, "there are shards");
}

//! The conformance runner itself, on cases made here: it must see both agreement and difference.

mod common;

use std::error::Error;
use std::fs;
use std::path::Path;

use common::{add, compile_r3};
use serde_json::json;
use spyre_sdsc::Node;
use spyre_sdsc::conformance::{Outcome, run_case};

/// Writes a case with the files of this generator as the expected ones.
fn write_case(
    folder: &Path,
    revision: &str,
    stage: &str,
    nodes: &[Node],
    status: &str,
) -> Result<(), Box<dyn Error>> {
    let expected = folder.join("expected");
    fs::create_dir(&expected)?;
    let mut names = Vec::new();
    if status == "ok" {
        let bundle = compile_r3(nodes);
        bundle.write_to_dir(&expected)?;
        names = bundle.files().map(|(name, _)| name).collect();
    }
    let case = json!({
        "schema": "spyre-bundle-case/1", "revision": revision, "stage": stage, "options": {},
        "specs": serde_json::to_value(nodes)?, "outcome": {"status": status}, "expected_files": names,
    });
    fs::write(folder.join("case.json"), case.to_string())?;
    Ok(())
}

#[test]
fn agreement_and_difference() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let nodes = [add(64, 128, 4).into()];
    write_case(folder.path(), "r2", "bundle", &nodes, "ok")?;
    assert_eq!(run_case(folder.path())?, Outcome::Matched);

    let json = folder.path().join("expected/sdsc_0.json");
    let good = fs::read_to_string(&json)?;
    fs::write(
        &json,
        good.replacen("\"numCoresUsed_\": 4", "\"numCoresUsed_\": 5", 1),
    )?;
    match run_case(folder.path())? {
        Outcome::Mismatch { difference } => assert_eq!(
            difference,
            "sdsc_0.json, line 37: expected `\"numCoresUsed_\": 5,`, got `\"numCoresUsed_\": 4,`"
        ),
        other => panic!("{other:?}"),
    }
    // Whitespace at the end counts.
    fs::write(&json, format!("{good}\n"))?;
    assert!(matches!(run_case(folder.path())?, Outcome::Mismatch { .. }));
    fs::write(&json, good)?;
    let mlir = folder.path().join("expected/bundle.mlir");
    fs::write(
        &mlir,
        fs::read_to_string(&mlir)?.replace("%arg_2", "%arg_3"),
    )?;
    assert!(matches!(run_case(folder.path())?, Outcome::Mismatch { .. }));
    Ok(())
}

#[test]
fn errors_must_be_expected_and_of_the_same_kind() -> Result<(), Box<dyn Error>> {
    let outcome = |slices, error_type: &str| -> Result<Outcome, Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let nodes = [add(64, 128, slices).into()];
        write_case(folder.path(), "r3", "bundle", &nodes, "error")?;
        let path = folder.path().join("case.json");
        let typed = format!("{{\"error_type\":\"{error_type}\",\"status\"");
        fs::write(
            &path,
            fs::read_to_string(&path)?.replace("{\"status\"", &typed),
        )?;
        Ok(run_case(folder.path())?)
    };
    // A division by 0 breaks a rule, 3 slices of 64 rows only show when planned, 4 slices are fine.
    assert_eq!(outcome(0, "OpSpecValidationError")?, Outcome::Matched);
    assert_eq!(outcome(3, "ValueError")?, Outcome::Matched);
    for (slices, error_type) in [
        (0, "ValueError"),
        (3, "OpSpecValidationError"),
        (4, "ValueError"),
    ] {
        assert!(
            matches!(outcome(slices, error_type)?, Outcome::Mismatch { .. }),
            "{slices} {error_type}"
        );
    }
    Ok(())
}

#[test]
fn stages_that_a_revision_does_not_have_are_excluded() -> Result<(), Box<dyn Error>> {
    for (revision, stage) in [("r1", "sdsc"), ("r2", "unroll")] {
        let folder = tempfile::tempdir()?;
        write_case(
            folder.path(),
            revision,
            stage,
            &[add(64, 128, 4).into()],
            "ok",
        )?;
        assert!(matches!(run_case(folder.path())?, Outcome::Excluded { .. }));
    }
    Ok(())
}

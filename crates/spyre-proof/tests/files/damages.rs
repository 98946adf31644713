//! One number of a bundle is changed: what reads another byte is refuted, at the key that has the number.

use serde_json::{Value, json};
use spyre_bundle_files::{Files, InMemory};
use spyre_isl::Context;
use spyre_proof::claim::{Claim, Report, Witness};
use spyre_proof::files::{FilesError, prove_files};
use spyre_proof::program::{Extent, Program, Site};

use super::{bundles, programs};

const ADD: &str = "sdsc_0.json";
const MUL: &str = "sdsc_1.json";

fn proved(program: &Program, files: &InMemory) -> Report {
    prove_files(&Context::new(200_000), program, files).unwrap_or_else(|error| panic!("{error}"))
}

/// Tiles of 64 rows and 128 columns, of which each of 4 cores has 16 rows.
fn add_mul() -> (Program, InMemory) {
    (
        programs::add_mul(128, 512, 2, 4, 4),
        bundles::add_mul(128, 512, 2, 4, 4),
    )
}

/// Returns the subject of the first claim that does not hold, its message and its witness.
fn refuted(files: &InMemory) -> (String, String, Witness) {
    let report = proved(&add_mul().0, files);
    let first = report.refuted().next();
    let first = first.map(|(finding, witness)| {
        (
            finding.subject.clone(),
            witness.message.clone(),
            witness.clone(),
        )
    });
    first.unwrap_or_else(|| panic!("nothing is refuted: {:?}", report.findings))
}

#[test]
fn a_bundle_of_its_program_is_proved() {
    let (program, files) = add_mul();
    let report = proved(&program, &files);
    assert!(
        report.is_proved(),
        "{:?}",
        report.refuted().collect::<Vec<_>>()
    );
    assert_eq!(report.operations, 2);
    // Two loops, then for each operation its file, and addresses and starts of three tensors.
    assert_eq!(report.findings.len(), 2 + 2 * (1 + 3 * 2));
    assert_eq!(
        report
            .findings
            .iter()
            .filter(|finding| finding.claim == Claim::Place)
            .count(),
        6
    );
}

/// The whole of a key, or a part of the message, that a change of one file is reported at.
fn check(files: &InMemory, subject: &str, expected: &str) -> Witness {
    let (at, message, witness) = refuted(files);
    assert!(at.starts_with(subject), "{at}: {message}");
    assert!(message.contains(expected), "{message} has no '{expected}'");
    witness
}

#[test]
fn other_numbers_of_the_function_are_refuted() {
    let (_, files) = add_mul();
    let edit = |from: &str, to: &str| bundles::with_function(&files, from, to);
    // 64 rows of 128 bytes are 8192 bytes, 128 columns of 128 rows are 2 sticks of 16384 bytes.
    let map = "(s0 + 8192*d0 + 32768*d1)";
    let witness = check(
        &edit(map, "(s0 + 8192*d0 + 16384*d1)"),
        ADD,
        "which moves with loops, gives byte 16384 of argument 0, and the program has byte 32768",
    );
    assert_eq!(witness.values(), "iteration (0, 1), core 0, point [0, 0]");
    let witness = check(
        &edit(map, "(s0 + 32768*d0 + 8192*d1)"),
        ADD,
        "which moves with loops",
    );
    assert_eq!(witness.values(), "iteration (0, 1), core 0, point [0, 0]");
    // 16 rows of a core.
    let offset = "%arg_0_core_offset_2048 = arith.constant 2048";
    let witness = check(
        &edit(offset, "%arg_0_core_offset_2048 = arith.constant 2176"),
        ADD,
        "scheduleTree_/0/startAddressCoreCorelet_/data_/[1, 0, 0] gives byte 2176",
    );
    assert_eq!(witness.core, Some(1));
    assert_eq!(witness.point, [16, 0]);
    check(
        &edit(offset, "%arg_0_core_offset_2048 = arith.constant 2112"),
        ADD,
        "data_/[1, 0, 0] gives byte 2112",
    );
    check(
        &edit(
            "%loop_bound_1 = arith.constant 4",
            "%loop_bound_1 = arith.constant 3",
        ),
        "bundle.mlir:",
        "has 3 iterations, that of the program 4",
    );
    check(
        &edit(
            "affine.apply #map_0(%i_0, %i_1)[%arg_1]",
            "affine.apply #map_0(%i_0, %i_1)[%arg_2]",
        ),
        ADD,
        "is in argument 2, and the tensor in argument 1",
    );
    check(
        &edit(
            "sdsc_filename=\"sdsc_0.json\"",
            "sdsc_filename=\"sdsc_1.json\"",
        ),
        MUL,
        "computes 'mul', and the operation is 'add'",
    );
}

/// Changes a value in the descriptor of an operation.
fn edited(file: &str, path: &str, value: impl Into<Value>) -> InMemory {
    let (_, files) = add_mul();
    let value = value.into();
    bundles::with_json(&files, file, |sdsc| {
        let slot = match path.strip_prefix("/dsc") {
            Some(path) => bundles::descriptor(sdsc).pointer_mut(path),
            None => sdsc.pointer_mut(path),
        };
        *slot.unwrap_or_else(|| panic!("no {path}")) = value;
    })
}

#[test]
fn other_numbers_of_the_operations_are_refuted() {
    // Dimensions are mb, rows of which cores divide, and out. Tensor 0 of the product is in scratchpads.
    let start = "/dsc/scheduleTree_/0/startAddressCoreCorelet_/data_/[2, 0, 0]";
    let witness = check(
        &edited(MUL, start, "384"),
        MUL,
        "[2, 0, 0] gives byte 384 of LX, and the program has byte 256",
    );
    assert_eq!(witness.core, Some(2));
    for (path, value, expected) in [
        (
            "/numWkSlicesPerDim_/mb",
            json!(2),
            "coreIdToWkSlice_/2/mb: slice 2 of 2",
        ),
        (
            "/coreIdToWkSlice_/3/mb",
            json!(2),
            "coreIdToWkSlice_/3/mb is 2, and the core has part 3",
        ),
        ("/numCoresUsed_", json!(3), "numCoresUsed_"),
        ("/coreFoldProp_/factor_", json!(8), "coreFoldProp_"),
        (
            "/dsc/N_/mb_",
            json!(128),
            "dataStageParam_/0/ss_/mb_: it is 16, and 32 follows",
        ),
        ("/dsc/coreIdsUsed_/1", json!(2), "coreIdsUsed_/1"),
        (
            "/dsc/dataStageParam_/0/ss_/mb_",
            json!(8),
            "dataStageParam_/0/ss_/mb_",
        ),
        (
            "/dsc/dataStageParam_/0/el_/out_",
            json!(64),
            "dataStageParam_/0/el_/out_",
        ),
    ] {
        check(&edited(MUL, path, value), MUL, expected);
    }
}

#[test]
fn other_tensors_of_the_operations_are_refuted() {
    for (path, value, expected) in [
        (
            "/dsc/scheduleTree_/1/layoutDimOrder_",
            json!(["out", "mb"]),
            "scheduleTree_/1/layoutDimOrder_ with 'out' gives byte 128",
        ),
        (
            "/dsc/scheduleTree_/1/backGapCore_/mb/-1",
            json!("32"),
            "scheduleTree_/1/layoutDimOrder_ with 'out' gives byte 12288",
        ),
        (
            "/dsc/scheduleTree_/1/component_",
            json!("lx"),
            "scheduleTree_/1/",
        ),
        (
            "/dsc/scheduleTree_/1/isStartAddrSymbolic_",
            json!(0),
            "isStartAddrSymbolic_",
        ),
        (
            "/dsc/scheduleTree_/2/coordinates_/coordInfo/mb/folds/dim_prop_attr/3/factor_",
            json!(64),
            "coordInfo/mb/folds/dim_prop_attr",
        ),
        (
            "/dsc/scheduleTree_/2/coordinates_/coordInfo/out/folds/dim_prop_func/3/Affine/alpha_",
            json!(32),
            "coordInfo/out/folds/dim_prop_func",
        ),
        ("/dsc/labeledDs_/1/scale_/0", json!(-1), "coordInfo/"),
        (
            "/dsc/labeledDs_/1/dataFormat_",
            json!("SENINT16"),
            "labeledDs_/1/dataFormat_: SENINT16, and SEN169_FP16 in the program, which has elements of f16",
        ),
        (
            "/dsc/constantInfo_",
            json!({"0": {"dataFormat_": "SEN169_FP16", "name_": "eps", "data_": {"data_": {"[0, 0, 0]": [7327]}}}}),
            "constantInfo_/0/name_: 'mul' has no constant 'eps' in the program",
        ),
        (
            "/dsc/coordinateMasking_",
            json!({"out": [[64, 64]]}),
            "coordinateMasking_/out: [[64, 64]] is masked, and the positions that are none of the operation are [128, 0]",
        ),
        (
            "/dsc/labeledDs_/1/wordLength",
            json!(4),
            "primaryDsInfo_/OUTPUT/stickSize_",
        ),
        (
            "/dsc/primaryDsInfo_/OUTPUT/stickSize_/0",
            json!(32),
            "primaryDsInfo_/OUTPUT/stickSize_",
        ),
        (
            "/dsc/computeOp_/0/inputLabeledDs",
            json!(["Tensor1-idx1", "Tensor0-idx0"]),
            "computeOp_/0/inputLabeledDs",
        ),
        (
            "/dsc/computeOp_/0/inputLabeledDs",
            json!(["Tensor0-idx0"]),
            "1 tensors for 2 operands",
        ),
    ] {
        check(&edited(MUL, path, value), MUL, expected);
    }
}

#[test]
fn a_start_within_a_stick_and_bytes_after_the_buffer_are_refuted() {
    let (program, files) = add_mul();
    let offset = "%arg_0_core_offset_6144 = arith.constant 6144";
    let place = |to: &str| {
        let report = proved(&program, &bundles::with_function(&files, offset, to));
        let finding = report
            .refuted()
            .find(|(finding, _)| finding.claim == Claim::Place);
        finding
            .map(|(_, witness)| witness.message.clone())
            .expect("a start is refuted")
    };
    let key = "scheduleTree_/0/startAddressCoreCorelet_/data_/[3, 0, 0]";
    assert!(
        place("%arg_0_core_offset_6144 = arith.constant 6160")
            .contains("which is not a whole stick")
    );
    assert_eq!(
        place("%arg_0_core_offset_6144 = arith.constant 65536"),
        format!(
            "{key} gives bytes 65536 to 190463 of argument 0, and the tensor has bytes 0 to 131071"
        )
    );
}

#[test]
fn a_symbol_without_a_value_is_refuted() {
    let start = "/dsc/scheduleTree_/1/startAddressCoreCorelet_/data_/[0, 0, 0]";
    check(
        &edited(MUL, start, "-999"),
        MUL,
        "[0, 0, 0]: symbol -999 is bound to nothing",
    );
}

#[test]
fn forms_that_are_not_modelled_are_undecided() {
    let (program, _) = add_mul();
    for (path, value, expected) in [
        (
            "/dsc/dataStageParam_/0/ss_/symbolicDimInfo_",
            json!({"mb": {"maxSize_": 8, "granularity_": 1}}),
            "symbolicDimInfo_",
        ),
        (
            "/dsc/primaryDsInfo_/OUTPUT/stickDimOrder_",
            json!(["mb", "out"]),
            "sticks along several dimensions",
        ),
        (
            "/dsc/computeOp_/0/opFuncName",
            json!("shuffle"),
            "a change of the cores of a tensor",
        ),
        (
            "/dsc/computeOp_/0/opFuncName",
            json!("product"),
            "'product' for 'mul'",
        ),
        // It may be this product, with a dimension of one position that is a sum.
        (
            "/dsc/computeOp_/0/opFuncName",
            json!("batchmatmul"),
            "'batchmatmul' for 'mul'",
        ),
    ] {
        let report = proved(&program, &edited(MUL, path, value));
        let (finding, reason) = report.unknown().next().expect("an undecided claim");
        assert_eq!(finding.subject, MUL);
        assert!(reason.to_string().contains(expected), "{reason}");
        assert_eq!(report.refuted().count(), 0);
    }
}

#[test]
fn another_function_is_refuted_by_numbers() {
    let function = "/dsc/computeOp_/0/opFuncName";
    // y = a + b; z = y * c, where a, b and c are 1, 2 and -1, or the numbers after these.
    for (name, numbers) in [
        ("sub", "of 1 and 3, it is -2 in place of 3"),
        ("realdiv", "of 2 and 4, it is 0.5 in place of 8"),
        ("maximum", "of 3 and -1, it is 3 in place of -3"),
        ("lesserthan", "of 3 and -1, it is 0 in place of -3"),
        ("add", "of 3 and -1, it is 2 in place of -3"),
    ] {
        let message = format!("the file computes '{name}', and the operation is 'mul': {numbers}");
        check(&edited(MUL, function, name), MUL, &message);
    }
}

/// Returns the claims about a file that computes another function of two equal operands.
fn of_equal_operands(function: &str) -> Report {
    let (mut program, files) = add_mul();
    // z = f(y, y), by numbers: the addresses are those of other tensors.
    let statement = &mut program.statements[1];
    statement.key.name = "maximum".to_owned();
    statement.operands[1] = statement.operands[0].clone();
    let files = bundles::with_json(&files, MUL, |sdsc| {
        bundles::descriptor(sdsc)["computeOp_"][0]["opFuncName"] = function.into();
    });
    proved(&program, &files)
}

#[test]
fn functions_that_agree_on_the_operands_are_undecided() {
    // The larger of a number and itself is the smaller one, and no quotient of it.
    let report = of_equal_operands("minimum");
    let mut reasons = report.unknown().map(|(_, reason)| reason.to_string());
    assert!(reasons.any(|reason| reason.contains("'minimum' for 'maximum'")));
    assert_eq!(report.refuted().count(), 0, "{:?}", report.findings);
    let report = of_equal_operands("realdiv");
    let mut messages = report.refuted().map(|(_, witness)| &witness.message);
    let expected = "of 3 and 3, it is 1 in place of 3";
    assert!(messages.any(|message| message.contains(expected)));
}

#[test]
fn runtime_sizes_are_compared_for_all_values() {
    let (program, files) = (
        programs::rows_of_runtime_size(),
        bundles::rows_of_runtime_size(),
    );
    let report = proved(&program, &files);
    assert!(report.is_proved(), "{:?}", report.findings);
    let check = |files: &InMemory, expected: &str| {
        let report = proved(&program, files);
        let (finding, witness) = report.refuted().next().expect("a refuted claim");
        assert!(
            witness.message.contains(expected),
            "{}: {}",
            finding.subject,
            witness.message
        );
        assert!(finding.site == Site::new(1) || finding.site == Site::new(100));
        witness.clone()
    };
    let edit = |from: &str, to: &str| bundles::with_function(&files, from, to);
    let step = check(
        &edit("%step_0 = arith.constant 64", "%step_0 = arith.constant 32"),
        "has 2 iterations, that of the program 1",
    );
    assert_eq!(step.params, [64]);
    check(
        &edit("%c0 to %dim_S step", "%c0 to %step_0 step"),
        "has 1 iterations, that of the program 2",
    );
    check(
        &edit("(s0 + 128*d0)", "(s0 + 256*d0)"),
        "which moves with loops",
    );
    let text = files.text("bundle.mlir").expect("a function");
    let bounds = text.replace("max_value=512", "max_value=1024");
    let mut wide = files.clone();
    wide.insert("bundle.mlir", bounds.into_bytes());
    check(&wide, "the program has 'S' in steps of 64 up to 512");
}

#[test]
fn loops_and_operations_that_differ_are_refuted() {
    let (mut program, files) = add_mul();
    program.loops[1].upper = Extent::Fixed(5);
    let report = proved(&program, &files);
    let (finding, witness) = report.refuted().next().expect("a refuted claim");
    assert_eq!(finding.site, program.loops[1].site);
    assert_eq!(
        witness.message,
        "the loop of the function has 4 iterations, that of the program 5"
    );
    let (mut program, files) = add_mul();
    program.loops[1].body.pop();
    let report = proved(&program, &files);
    let message = report
        .refuted()
        .map(|(_, witness)| witness.message.clone())
        .next();
    assert_eq!(
        message.as_deref(),
        Some("the function runs sdsc_1.json after the last operation of the body in the program")
    );
    let (mut program, files) = add_mul();
    program.loops[0].body = program.loops[1].body.clone();
    let report = proved(&program, &files);
    let message = report
        .refuted()
        .map(|(_, witness)| witness.message.clone())
        .next();
    assert_eq!(
        message.as_deref(),
        Some("the function has a loop where the program has 'add'")
    );
}

#[test]
fn files_that_cannot_be_read_are_errors() {
    let (program, files) = add_mul();
    let broken = |name: &str, text: &str| {
        let mut files = files.clone();
        files.insert(name, text.as_bytes().to_vec());
        prove_files(&Context::new(0), &program, &files)
            .expect_err("an error")
            .to_string()
    };
    assert!(broken("bundle.mlir", "module {").starts_with("bundle.mlir:1:"));
    assert_eq!(
        broken(MUL, "{\"a\": 1}"),
        "sdsc_1.json:1:7: invalid type: integer `1`, expected struct Sdsc"
    );
    let error =
        prove_files(&Context::new(0), &program, &InMemory::new("none")).expect_err("no files");
    assert!(matches!(error, FilesError::Unreadable { .. }), "{error}");
}

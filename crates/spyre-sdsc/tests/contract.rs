//! Rules of the published contract: each is broken by one operation, alone.

mod common;

use common::{matrix, tensor};
use serde_json::json;
use spyre_sdsc::bundle::compile_bundle;
use spyre_sdsc::validate::contract::{Rule, RuleSet};
use spyre_sdsc::{Allocation, BundleOptions, DeviceFormat, Error, Expr, Node, OpSpec, Revision};

/// Checks that a tree breaks one rule and no other, that the message has `part`, and that the rule can be waived and is
/// none of the revision before.
#[track_caller]
fn breaks(nodes: &[Node], rule: Rule, part: &str) {
    let mut options = BundleOptions::default();
    match compile_bundle(nodes, &options) {
        Err(Error::Contract(finding)) => {
            let message = finding.to_string();
            assert_eq!(finding.rule, rule, "{message}");
            assert!(message.contains(part), "{message}");
        }
        other => panic!("{:?}", other.map(|bundle| bundle.mlir_text())),
    }
    options.plan.waived = RuleSet::NONE.with(rule);
    let bundle = compile_bundle(nodes, &options).unwrap_or_else(|error| panic!("{error}"));
    assert!(bundle.findings().iter().all(|finding| finding.rule == rule));
    assert!(!bundle.findings().is_empty());

    let before = BundleOptions::of_revision(Revision::R3);
    let bundle = compile_bundle(nodes, &before).unwrap_or_else(|error| panic!("{error}"));
    assert!(bundle.findings().is_empty());
}

/// A reduction of 64 rows of `columns` elements over the stick.
fn reduction(op: &str, columns: i64, format: DeviceFormat) -> OpSpec {
    let per_stick = format.elements_per_stick().get() as i64;
    let mut input = tensor(
        0,
        &[
            (columns as u64).div_ceil(per_stick as u64),
            64,
            per_stick as u64,
        ],
        &["0", "c0", "0"],
    );
    input.device_coordinates[0] = Expr::symbol("c1").floor_div(per_stick);
    input.device_coordinates[2] = Expr::symbol("c1").modulo(per_stick);
    input.format = format;
    let mut output = tensor(1, &[1, 64, per_stick as u64], &["0", "c0", "0"]);
    output.format = format;
    OpSpec::reduction(op)
        .with_dim("c0", Expr::int(64), 4)
        .with_dim("c1", Expr::int(columns), 1)
        .with_input(input)
        .with_output(output)
}

const DL16: DeviceFormat = DeviceFormat::Sen169Fp16;
const FP32: DeviceFormat = DeviceFormat::IeeeFp32;

#[test]
fn a_product_over_padding_has_no_mask_value() {
    breaks(
        &[reduction("prod", 100, DL16).into()],
        Rule::MaskValue,
        "op 'prod' (number 0): 28 of 128 elements along out are padding, and there is no number that masked elements of \
         `prod` read as",
    );
    common::compile(&[reduction("prod", 128, DL16).into()]);
}

#[test]
fn wide_elements_are_not_masked() {
    breaks(
        &[reduction("sum", 40, FP32).into()],
        Rule::MaskWidth,
        "the last 24 of 64 elements along out are padding, and elements of 32 bits (IEEE_FP32) cannot be masked",
    );
    common::compile(&[reduction("sum", 64, FP32).into()]);
    common::compile(&[reduction("sum", 40, DL16).into()]);
}

#[test]
fn masks_of_other_operations_are_none() {
    // 100 of 128 columns: only the exponential of a padded element is masked.
    for (op, masks) in [("exp", 1), ("tanh", 0), ("neg", 0)] {
        let op = OpSpec::pointwise(op)
            .with_dim("c0", Expr::int(64), 4)
            .with_dim("c1", Expr::int(100), 1)
            .with_input(matrix(64, 100, Allocation::argument(0)))
            .with_output(matrix(64, 100, Allocation::argument(1)));
        assert_eq!(common::plan_op(&op).masks.len(), masks, "{}", op.op);
    }
}

/// The factors of the fold `label` of every operand along `dim`, by the rules of a revision.
fn factors(op: &OpSpec, revision: Revision, dim: &str, label: &str) -> Vec<u64> {
    let options = BundleOptions::of_revision(revision);
    let bundle = compile_bundle(&[op.clone().into()], &options);
    let bundle = bundle.unwrap_or_else(|error| panic!("{error}"));
    let sdsc = bundle.sdsc_files()[0].sdsc();
    let dscs = sdsc.root.iter().flat_map(|(_, body)| &body.dscs);
    let nodes = dscs.flat_map(|dsc| dsc.iter().flat_map(|(_, dsc)| &dsc.schedule_tree));
    let folds = nodes.filter_map(|node| node.coordinates.coord_info.get(dim));
    let attrs = folds.flat_map(|info| &info.folds.dim_prop_attr);
    attrs
        .filter(|attr| attr.label == label)
        .map(|attr| attr.factor)
        .collect()
}

#[test]
fn a_stick_that_is_begun_is_counted() {
    // One row of 128 elements is added to each row: along the stick of the column, one element of 64.
    let op = OpSpec::pointwise("add")
        .with_dim("c0", Expr::int(64), 1)
        .with_dim("c1", Expr::int(128), 1)
        .with_input(matrix(64, 128, Allocation::argument(0)))
        .with_input(tensor(1, &[1, 64, 64], &["0", "c0", "0"]))
        .with_output(matrix(64, 128, Allocation::argument(2)));
    assert_eq!(factors(&op, Revision::V1, "out", "elem_arr_1"), [2, 1, 2]);
    assert_eq!(factors(&op, Revision::R3, "out", "elem_arr_1"), [2, 1, 2]);
    // Of 40 indices in sticks of 32, the second stick is begun.
    let mut indices = tensor(0, &[2, 32], &["floor(c0/32)", "Mod(c0, 32)"]);
    indices.format = DeviceFormat::IeeeInt32;
    indices.name = Some("rows".into());
    let gather = OpSpec::pointwise("identity")
        .with_dim("c0", Expr::int(40), 1)
        .with_dim("c1", Expr::int(128), 1)
        .with_input(indices)
        .with_input(tensor(
            1,
            &[2, 1000, 64],
            &["floor(c1/64)", "IndirectAccess(rows)", "Mod(c1, 64)"],
        ))
        .with_output(matrix(40, 128, Allocation::argument(2)));
    assert_eq!(factors(&gather, Revision::V1, "mb", "elem_arr_1"), [2]);
    assert_eq!(factors(&gather, Revision::R3, "mb", "elem_arr_1"), [1]);
}

#[test]
fn an_operation_over_nothing_is_refused() {
    let empty = OpSpec::pointwise("neg")
        .with_dim("c0", Expr::int(0), 1)
        .with_dim("c1", Expr::int(128), 1)
        .with_input(matrix(64, 128, Allocation::argument(0)))
        .with_output(matrix(64, 128, Allocation::argument(1)));
    breaks(
        &[empty.into()],
        Rule::FoldFactor,
        "op 'neg' (number 0): runs over 0 elements along mb",
    );
}

/// The one file of an operation, as JSON under its name.
fn file(op: OpSpec, revision: Revision) -> serde_json::Value {
    let bundle = compile_bundle(&[op.into()], &BundleOptions::of_revision(revision));
    let bundle = bundle.unwrap_or_else(|error| panic!("{error}"));
    let json = serde_json::to_value(bundle.sdsc_files()[0].sdsc());
    let json = json.unwrap_or_else(|error| panic!("{error}"));
    let root = json.as_object().and_then(|root| root.values().next());
    root.cloned().unwrap_or_else(|| panic!("no root: {json}"))
}

#[test]
fn provenance_has_every_field() {
    let written =
        json!({"id": 27, "source": {"file": "model.py", "start_line": 4}, "ir_chain": ["add"]});
    let mut op = common::add(64, 128, 1);
    op.debug_handle = serde_json::from_value(written.clone()).ok();
    assert_eq!(file(op.clone(), Revision::R3)["debug_handle_"], written);
    assert_eq!(
        file(op.clone(), Revision::V1)["debug_handle_"],
        json!({
            "id": "27",
            "source": {"file": "model.py", "start_line": 4, "start_col": 0, "end_line": null, "end_col": null},
            "aten_op": null, "ir_chain": ["add"], "fused_from": [], "transform_history": []
        })
    );
    op.debug_handle = serde_json::from_value(json!({"id": 27, "line": 4})).ok();
    assert!(
        common::compile_error(&[op.into()], &BundleOptions::default())
            .starts_with("op 'add' (number 0): debug_handle: unknown field `line`")
    );
}

#[test]
fn the_constant_of_exx2_has_the_name_of_the_contract() {
    for given in ["exx2scale", "exx2Scale"] {
        let op = reduction("exx2", 128, DL16)
            .with_constant(given, 0.0078125)
            .with_constant("useZeroMean", 0.0);
        for (revision, name) in [(Revision::V1, "exx2scale"), (Revision::R3, "exx2Scale")] {
            let root = file(op.clone(), revision);
            let constants = &root["dscs_"][0]["exx2"]["constantInfo_"];
            assert_eq!(constants["0"]["name_"], name, "{given}");
            assert_eq!(constants["1"]["name_"], "useZeroMean");
        }
    }
}

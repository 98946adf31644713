//! Copies that move data between the scratchpads of cores (specification, sections 3.2, 4.9 and 5).

mod common;

use rustc_hash::FxHashSet;

use common::*;
use proptest::prelude::*;
use serde_json::json;
use spyre_sdsc::model::Ownership;
use spyre_sdsc::{Allocation, Expr, OpSpec};

/// A copy of 64 rows and 256 columns with rows divided over `cores`, from owners to owners.
fn copy(cores: u64, from: Option<Ownership>, to: Option<Ownership>) -> OpSpec {
    let place = |address, ownership| {
        let mut tensor = matrix(64, 256, Allocation::lx(address));
        tensor.ownership = ownership;
        tensor
    };
    OpSpec::pointwise("identity")
        .with_dim("c0", Expr::int(64), cores)
        .with_dim("c1", Expr::int(256), 1)
        .with_input(place(0, from))
        .with_output(place(65536, to))
}

fn owned(slices: &[(&str, u64)], of_core: &[(&str, &str)]) -> Option<Ownership> {
    Some(Ownership {
        work_slices: slices.iter().map(|(s, n)| ((*s).into(), *n)).collect(),
        core_id_to_work_slice: of_core
            .iter()
            .map(|(s, e)| ((*s).into(), parse(e)))
            .collect(),
        num_cores: None,
    })
}

/// Columns instead of rows.
fn by_columns() -> Option<Ownership> {
    owned(&[("c1", 4)], &[("c1", "core_id")])
}

#[test]
fn different_owners_make_a_shuffle() -> Result<(), serde_json::Error> {
    let bundle = compile(&[copy(4, by_columns(), None).into()]);
    let json = serde_json::to_value(bundle.sdsc_files()[0].sdsc())?;
    let dsc = &json["0_shuffle"]["dscs_"][0]["shuffle"];
    assert_eq!(dsc["computeOp_"][0]["opFuncName"], "shuffle");
    // The operation runs on rows, and so does its output.
    assert_eq!(
        json["0_shuffle"]["numWkSlicesPerDim_"],
        json!({"mb": 4, "out": 1})
    );
    let coordinates = |i: usize| &dsc["scheduleTree_"][i]["coordinates_"];
    assert_eq!(
        coordinates(0)["coreIdToWkSlice_"],
        json!({"0": {"mb": 0, "out": 0}, "1": {"mb": 0, "out": 1}, "2": {"mb": 0, "out": 2}, "3": {"mb": 0, "out": 3}})
    );
    assert_eq!(
        coordinates(1)["coreIdToWkSlice_"]["3"],
        json!({"mb": 3, "out": 0})
    );
    // (elements of one core, cores) by dimension.
    let folds = |i: usize, dim: &str| {
        let folds = &coordinates(i)["coordInfo"][dim]["folds"];
        (
            folds["dim_prop_func"][0]["Affine"]["alpha_"].as_u64(),
            folds["dim_prop_attr"][0]["factor_"].as_u64(),
        )
    };
    assert_eq!(
        (folds(0, "mb"), folds(0, "out")),
        ((Some(64), Some(1)), (Some(64), Some(4)))
    );
    assert_eq!(
        (folds(1, "mb"), folds(1, "out")),
        ((Some(16), Some(4)), (Some(256), Some(1)))
    );
    Ok(())
}

#[test]
fn equal_owners_make_a_copy() {
    let by_rows = owned(&[("c0", 4)], &[("c0", "Mod(core_id, 4)")]);
    for op in [
        copy(4, None, None),
        copy(4, by_rows.clone(), None),
        copy(4, by_rows.clone(), by_rows),
    ] {
        let planned = plan_op(&op);
        assert_eq!(planned.opfunc, "identity");
        assert!(
            planned
                .tensors
                .iter()
                .all(|tensor| tensor.ownership.is_none())
        );
    }
}

#[test]
fn owners_that_contradict_the_operation() {
    let message = |slices: &[(&str, u64)], of_core: &[(&str, &str)]| {
        plan_error(&copy(4, owned(slices, of_core), None))
    };
    for (slices, of_core, part) in [
        (
            &[("c1", 2)][..],
            &[("c1", "core_id")][..],
            "divides the tensor into 2 parts, but the operation runs on 4 cores",
        ),
        (
            &[("c1", 4)],
            &[("c1", "core_id + 1")],
            "gives core 3 slice 4 of 4 along out",
        ),
        (
            &[("c1", 4)],
            &[("c1", "core_id - 1")],
            "gives core 0 slice -1 of 4 along out",
        ),
        (
            &[("c1", 4)],
            &[("c1", "floor(core_id/2)")],
            "gives core 1 the part of another core",
        ),
        (&[("c1", 4)], &[], "has no slice of a core along out"),
        (&[("c1", 4)], &[("c1", "core")], "core has no value"),
        (
            &[("c1", 0)],
            &[],
            "divides 256 elements along out into 0 slices",
        ),
        (
            &[("c1", 3)],
            &[],
            "divides 256 elements along out into 3 slices",
        ),
        (&[("c9", 4)], &[], "names c9, which is no iteration symbol"),
        (
            &[("c1", 4)],
            &[("c9", "0")],
            "names c9, which is no iteration symbol",
        ),
    ] {
        let text = message(slices, of_core);
        assert!(text.contains(part), "{part} in {text}");
    }
    // Both operands elsewhere than where the operation runs.
    assert!(
        plan_error(&copy(4, by_columns(), by_columns()))
            .contains("which is not that of the operation")
    );
    // Not between scratchpads, and not a copy.
    let mut op = copy(4, by_columns(), None);
    op.args[0].allocation = Allocation::argument(0);
    let part = "args[0].work_division is only for identity from scratchpad to scratchpad";
    assert!(plan_error(&op).contains(part));
    let mut op = copy(4, by_columns(), None);
    op.op = "neg".into();
    assert!(plan_error(&op).contains(part));
    op.op = "shuffle".into();
    assert!(plan_error(&op).contains("shuffle is only generated from an identity"));
}

proptest! {
    /// Any way of numbering the parts gives every core one part, and the file records which.
    #[test]
    fn every_part_has_one_owner(row_log in 0_u32..3, column_log in 0_u32..3, columns_first in any::<bool>()) {
        let (rows, columns) = (1_u64 << row_log, 1_u64 << column_log);
        let (of_row, of_column) = if columns_first {
            (format!("floor(core_id/{columns})"), format!("Mod(core_id, {columns})"))
        } else {
            (format!("Mod(core_id, {rows})"), format!("floor(core_id/{rows})"))
        };
        let ownership_of_cores = owned(&[("c0", rows), ("c1", columns)], &[("c0", &of_row), ("c1", &of_column)]);
        let planned = plan_op(&copy(rows * columns, ownership_of_cores, None));
        let Some(ownership) = &planned.tensors[0].ownership else {
            // The numbering of the operation itself.
            prop_assert!(columns == 1);
            return Ok(());
        };
        prop_assert_eq!(planned.opfunc.as_str(), "shuffle");
        let parts: FxHashSet<&Vec<u64>> = ownership.of_cores.iter().map(|(_, part)| part).collect();
        prop_assert_eq!(parts.len() as u64, rows * columns);
        for (core, part) in &ownership.of_cores {
            let core = u64::from(*core);
            let expected = if columns_first {
                [core / columns, core % columns]
            } else {
                [core % rows, core / rows]
            };
            prop_assert_eq!(part.as_slice(), &expected[..]);
        }
    }
}

/// Owners among a number of cores.
fn among(cores: u32, slices: &[(&str, u64)], of_core: &[(&str, &str)]) -> Option<Ownership> {
    let ownership = owned(slices, of_core)?;
    let num_cores = Some(cores);
    Some(Ownership {
        num_cores,
        ..ownership
    })
}

/// The copy of a certified re-layout, with the slices of cores that a tree of today states.
fn certified(op: OpSpec, rows: &str) -> OpSpec {
    let mut op = op.with_core_slice("c0", parse(rows));
    let marker = serde_json::from_value(json!(true)).unwrap_or_else(|error| panic!("{error}"));
    op.op_info
        .other
        .insert("lx_relayout_certified".into(), marker);
    op
}

fn file(op: OpSpec) -> serde_json::Value {
    let bundle = compile(&[op.into()]);
    serde_json::to_value(bundle.sdsc_files()[0].sdsc()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_tensor_can_be_among_more_cores_than_it_has_parts() {
    // 8 cores have 8 rows each; afterwards, two cores have the same 16 rows.
    let from = among(8, &[("c0", 8)], &[("c0", "core_id")]);
    let to = among(8, &[("c0", 4)], &[("c0", "Mod(core_id, 4)")]);
    let op = certified(copy(4, from, to), "Mod(core_id, 4)");
    let json = file(op.clone());
    let root = &json["0_shuffle"];
    assert_eq!(root["numCoresUsed_"], 8);
    assert_eq!(root["numWkSlicesPerDim_"], json!({"mb": 4, "out": 1}));
    assert_eq!(root["coreIdToWkSlice_"]["5"], json!({"mb": 1, "out": 0}));
    let slices = |i: usize| {
        root["dscs_"][0]["shuffle"]["scheduleTree_"][i]["coordinates_"]["coreIdToWkSlice_"].clone()
    };
    assert_eq!(slices(0)["5"], json!({"mb": 5, "out": 0}));
    assert_eq!(slices(1)["5"], json!({"mb": 1, "out": 0}));
    assert_eq!(slices(1).as_object().map(serde_json::Map::len), Some(8));

    // Without the slices of all cores, four of them have no work.
    let mut silent = op.clone();
    silent.core_id_to_work_slice = None;
    assert!(plan_error(&silent).contains("distributed among 8 cores and the work among 4"));
    let mut shared = op.clone();
    shared.args[0].ownership = among(8, &[("c0", 4)], &[("c0", "Mod(core_id, 4)")]);
    assert!(
        plan_error(&shared).contains("args[0].work_division gives core 4 the part of another core")
    );
    let mut uneven = op.clone();
    uneven.args[1].ownership = among(8, &[("c0", 4)], &[("c0", "floor(core_id/3)")]);
    assert!(
        plan_error(&uneven)
            .contains("gives core 2 a part that 2 cores have, which is the share of each part")
    );
    let mut stray = op;
    stray.args[1].ownership = among(3, &[("c0", 1)], &[]);
    assert!(plan_error(&stray).contains("is among 3 cores, which do not divide the 8 cores"));
}

#[test]
fn only_the_cores_that_finished_are_scheduled() {
    // The last of every two cores has a sum: 4 parts of 16 rows; then 8 cores have 8 rows each.
    let from = owned(&[("c0", 4)], &[("c0", "floor(core_id/2)")]);
    let to = owned(&[("c0", 8)], &[("c0", "core_id")]);
    let mut op = certified(copy(8, from, to), "core_id");
    op.completed_producer_cores = vec![1, 3, 5, 7];
    let json = file(op.clone());
    let root = &json["0_shuffle"];
    let dsc = &root["dscs_"][0]["shuffle"];
    assert_eq!(root["numCoresUsed_"], 4);
    assert_eq!(root["coreFoldProp_"]["factor_"], 8);
    assert_eq!(
        root["coreIdToDsc_"],
        json!({"1": 0, "3": 0, "5": 0, "7": 0})
    );
    assert_eq!(root["coreIdToDscSchedule"]["3"], json!([[-1, 0, 0, 0]]));
    assert_eq!(
        root["coreIdToWkSlice_"]
            .as_object()
            .map(serde_json::Map::len),
        Some(8)
    );
    assert_eq!(dsc["coreIdsUsed_"], json!([1, 3, 5, 7]));
    let slices = |i: usize| &dsc["scheduleTree_"][i]["coordinates_"]["coreIdToWkSlice_"];
    assert_eq!(
        slices(0),
        &json!({"1": {"mb": 0, "out": 0}, "3": {"mb": 1, "out": 0}, "5": {"mb": 2, "out": 0}, "7": {"mb": 3, "out": 0}})
    );
    assert_eq!(slices(1).as_object().map(serde_json::Map::len), Some(8));

    op.completed_producer_cores = vec![1, 3, 5];
    assert!(
        plan_error(&op).contains(
            "divides the tensor into 4 parts, but completed_producer_cores names 3 cores"
        )
    );
    op.completed_producer_cores = vec![1, 3, 5, 8];
    assert!(plan_error(&op).contains("names core 8, and the tensor is among 8 cores"));
    op.completed_producer_cores = vec![0, 1, 3, 5];
    assert!(plan_error(&op).contains("gives core 1 the part of another core"));
    op.args[0].ownership = None;
    assert!(plan_error(&op).contains("completed_producer_cores needs args[0].work_division"));
    let mut other = add(64, 128, 4);
    other.completed_producer_cores = vec![1];
    assert!(plan_error(&other).contains("completed_producer_cores is only for identity"));
}

#[test]
fn a_certificate_is_of_a_shuffle_only() {
    // Certified, a copy between equal owners is a shuffle as well.
    let op = certified(copy(4, None, None), "core_id");
    assert_eq!(plan_op(&op).opfunc, "shuffle");
    let mut op = certified(add(64, 128, 4), "core_id");
    let part = "op_info.lx_relayout_certified is only for identity from scratchpad to scratchpad";
    assert!(plan_error(&op).contains(part));
    for value in [json!(false), json!(1)] {
        let marker =
            serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{error}"));
        op.op_info
            .other
            .insert("lx_relayout_certified".into(), marker);
        if value == json!(false) {
            compile(&[op.clone().into()]);
        } else {
            assert!(plan_error(&op).contains("must be a truth value, got 1"));
        }
    }
}

#[test]
fn a_batch_of_one_with_shared_weights_is_refused() {
    let mut op = add(64, 128, 4);
    let value =
        serde_json::from_value(json!({"batch_dim": 0})).unwrap_or_else(|error| panic!("{error}"));
    op.op_info
        .other
        .insert("shared_weight_unit_bmm".into(), value);
    assert!(
        plan_error(&op)
            .contains("op_info.shared_weight_unit_bmm: a product that keeps a batch of 1")
    );
}

#[test]
fn a_destination_core_reads_few_cores_and_as_many_as_the_others() {
    let rule = |op: OpSpec| match common::compile_bundle(&[op.into()], &Default::default()) {
        Err(spyre_sdsc::Error::Contract(finding)) => {
            assert_eq!(
                finding.rule,
                spyre_sdsc::validate::contract::Rule::RelayoutFan
            );
            finding.problem
        }
        other => panic!("{:?}", other.map(|bundle| bundle.mlir_text())),
    };
    // Rows of 16 cores to columns of 4 times 4: each reads 16.
    let by_rows = || owned(&[("c0", 16)], &[("c0", "core_id")]);
    let columns = among(16, &[("c1", 4)], &[("c1", "Mod(core_id, 4)")]);
    assert!(
        rule(copy(16, by_rows(), columns))
            .contains("destination core 0 reads 16 source cores, at most 8 are possible")
    );
    // 16 rows each to 32 cores, of which two have each part, or to 8.
    let two = among(4, &[("c0", 4)], &[("c0", "core_id")]);
    let op = certified(copy(16, by_rows(), two), "core_id");
    assert!(rule(op).contains("4 destination cores read 16 source cores"));
    // Three of four quarters of the rows to thirds: the outer ones read two quarters, and the middle one two as well.
    let thirds = OpSpec::pointwise("identity")
        .with_dim("c0", Expr::int(48), 6)
        .with_dim("c1", Expr::int(256), 1);
    let place = |address, ownership| {
        let mut tensor = matrix(48, 256, Allocation::lx(address));
        tensor.ownership = ownership;
        tensor
    };
    let halves = owned(&[("c0", 2), ("c1", 1)], &[("c0", "floor(core_id/3)")]);
    let halves = halves.map(|half| Ownership {
        num_cores: Some(2),
        ..half
    });
    let halves = halves.map(|half| Ownership {
        core_id_to_work_slice: [("c0".into(), parse("core_id"))].into_iter().collect(),
        ..half
    });
    let three = among(6, &[("c0", 3)], &[("c0", "Mod(core_id, 3)")]);
    let op = thirds
        .with_input(place(0, halves))
        .with_output(place(65536, three));
    let op = certified(op, "core_id");
    assert!(
        rule(op).contains("destination core 0 reads 1 source cores and destination core 1 2, which must be equally many")
    );
}

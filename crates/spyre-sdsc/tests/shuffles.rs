//! Copies that move data between the scratchpads of cores (specification, sections 3.2, 4.9 and 5).

mod common;

use rustc_hash::FxHashSet;

use common::*;
use proptest::prelude::*;
use serde_json::json;
use spyre_sdsc::model::Ownership;
use spyre_sdsc::{Allocation, Expr, OpSpec};

/// A copy of 64 rows and 256 columns whose rows are divided over `cores`, from owners to owners.
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
            "makes 2 parts, and the operation runs on 4 cores",
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
        let found = message(slices, of_core);
        assert!(found.contains(part), "{part} in {found}");
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
    assert!(plan_error(&op).contains("shuffle is what an identity becomes"));
}

proptest! {
    /// Any way of numbering the parts gives every core one part, and the file says which.
    #[test]
    fn every_part_has_one_owner(row_log in 0_u32..3, column_log in 0_u32..3, columns_first in any::<bool>()) {
        let (rows, columns) = (1_u64 << row_log, 1_u64 << column_log);
        let (of_row, of_column) = if columns_first {
            (format!("floor(core_id/{columns})"), format!("Mod(core_id, {columns})"))
        } else {
            (format!("Mod(core_id, {rows})"), format!("floor(core_id/{rows})"))
        };
        let own = owned(&[("c0", rows), ("c1", columns)], &[("c0", &of_row), ("c1", &of_column)]);
        let planned = plan_op(&copy(rows * columns, own, None));
        let Some(ownership) = &planned.tensors[0].ownership else {
            // The numbering of the operation itself.
            prop_assert!(columns == 1);
            return Ok(());
        };
        prop_assert_eq!(planned.opfunc.as_str(), "shuffle");
        let parts: FxHashSet<&Vec<u64>> = ownership.of_cores.iter().collect();
        prop_assert_eq!(parts.len() as u64, rows * columns);
        for (core, part) in ownership.of_cores.iter().enumerate() {
            let core = core as u64;
            let expected = if columns_first {
                [core / columns, core % columns]
            } else {
                [core % rows, core / rows]
            };
            prop_assert_eq!(part.as_slice(), &expected[..]);
        }
    }
}

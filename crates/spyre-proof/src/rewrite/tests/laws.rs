//! Laws of operations: each with programs that are equal by it, and with one that is damaged.

use spyre_isl::Context;

use super::build::{Build, iv};
use super::{BUDGET, proved, refuted};
use crate::claim::{Reason, Verdict};
use crate::expr::{Expr, Var};
use crate::program::{Extent, Region, ValueId};
use crate::rewrite::prove_rewrite;
use crate::sets::Constraint;

fn zero() -> Expr {
    Expr::zero()
}

/// Returns the exponentials of the product of a column of `[64, 2]` and a row, as a product or as a multiplication.
fn outer(column: i64, name: &str) -> Build {
    let mut build = Build::default();
    let (a, row) = (build.arg(&[64, 2]), build.arg(&[1, 128]));
    let column = build.slice(a, &[zero(), column.into()], &[64, 1]);
    let product = match name {
        "batchmatmul" => build.product(column, row),
        name => {
            let space = [64, 128].map(Extent::Fixed);
            let operands: [(ValueId, &[i32]); 2] = [(column, &[0, -1]), (row, &[-1, 1])];
            build.op(name, &operands, &space, 0, false)
        }
    };
    let exp = build.pointwise("exp", &[product]);
    build.give(&[exp])
}

#[test]
fn a_product_of_one_term_is_a_multiplication() {
    proved(outer(0, "batchmatmul"), outer(0, "mul"));
    proved(outer(0, "mul"), outer(0, "batchmatmul"));
}

#[test]
fn a_multiplication_with_another_column_is_not_proved() {
    // Which operation of the program before it is for is not known, so neither is it refuted.
    for (before, after) in [("batchmatmul", "mul"), ("mul", "batchmatmul")] {
        let (before, after) = (outer(0, before), outer(1, after));
        let report = prove_rewrite(&Context::new(BUDGET), &before.program, &after.program);
        assert!(!report.is_proved(), "{:#?}", report.findings);
    }
}

#[test]
fn a_product_of_two_terms_is_no_multiplication() {
    let mut before = Build::default();
    let (a, b) = (before.arg(&[64, 2]), before.arg(&[2, 128]));
    let product = before.product(a, b);
    let mut after = Build::default();
    let (a, b) = (after.arg(&[64, 2]), after.arg(&[2, 128]));
    let space = [64, 128].map(Extent::Fixed);
    let product_ = after.op("mul", &[(a, &[0, -1]), (b, &[-1, 1])], &space, 0, false);
    let (before, after) = (before.give(&[product]), after.give(&[product_]));
    let report = prove_rewrite(&Context::new(BUDGET), &before.program, &after.program);
    assert!(!report.is_proved(), "{:#?}", report.findings);
}

/// Returns a program of `exp`, and an operation of its result and a constant; without a name, `exp` alone.
fn with_constant(name: Option<&str>, bits: &str, first: i64) -> Build {
    let mut build = Build::default();
    let a = build.arg(&[65, 64]);
    let rows = build.slice(a, &[first.into(), zero()], &[64, 64]);
    let mut result = build.pointwise("exp", &[rows]);
    if let Some(name) = name {
        let constant = build.fill(bits, &[64, 64]);
        result = build.pointwise(name, &[constant, result]);
    }
    build.give(&[result])
}

#[test]
fn a_neutral_number_changes_nothing() {
    for (name, bits) in [("add", "0x0000"), ("mul", "0x3c00"), ("maximum", "0xfc00")] {
        proved(
            with_constant(None, "", 0),
            with_constant(Some(name), bits, 0),
        );
        proved(
            with_constant(Some(name), bits, 0),
            with_constant(None, "", 0),
        );
        refuted(
            with_constant(None, "", 0),
            with_constant(Some(name), bits, 1),
        );
    }
}

#[test]
fn another_number_changes_the_result() {
    for (name, bits) in [("add", "0x3c00"), ("mul", "0x0000"), ("maximum", "0x0000")] {
        let (before, after) = (
            with_constant(None, "", 0),
            with_constant(Some(name), bits, 0),
        );
        let report = prove_rewrite(&Context::new(BUDGET), &before.program, &after.program);
        assert!(!report.is_proved(), "{name}");
    }
}

#[test]
fn a_scale_of_rows_is_the_maximum_of_the_scales_of_their_tiles() {
    let tiles = |upper: i64| {
        let mut build = Build::default();
        let a = build.arg(&[64, 256]);
        let start = build.fill("0x0000", &[64]);
        let (id, carried) = build.enter(Extent::Fixed(upper), 64, &[start]);
        let tile = build.slice(a, &[zero(), iv(id, 64)], &[64, 64]);
        let part = build.reduce("quantscalepertokenfp8", tile);
        let next = build.pointwise("maximum", &[part, carried[0]]);
        let result = build.leave(&[next])[0];
        build.give(&[result])
    };
    let whole = || {
        let mut build = Build::default();
        let a = build.arg(&[64, 256]);
        let scale = build.reduce("quantscalepertokenfp8", a);
        build.give(&[scale])
    };
    let report = proved(whole(), tiles(256));
    assert_eq!(report.reassociated, 1);
    let witness = refuted(whole(), tiles(192));
    assert!(witness.message.contains("lacks the term"), "{witness:?}");
}

/// Adds a mask of `[1, 320]` that is true for the first columns.
fn mask(build: &mut Build, columns: i64) -> ValueId {
    let column = Expr::from(Var::Element(1));
    let below = Constraint::NonNegative(column.times(-1).plus(&(columns - 1).into()));
    let rest = Constraint::NonNegative(column.plus(&(-columns).into()));
    let region = |number: &str, condition| Region {
        number: number.to_owned(),
        conditions: vec![condition],
    };
    let regions = vec![region("0x1", below), region("0x0", rest)];
    // Equal names, equal elements.
    let name = format!("<1x320> 320 bytes {columns}");
    let mask = build.fill(&name, &[1, 320]);
    build.program.constants.insert(name, regions);
    build.program.values[mask.index()].element = "i1".to_owned();
    mask
}

/// Returns a product of `[64, 300]`; `columns` of its left operand are selected by a mask, and the others are zero.
fn selected(columns: Option<i64>, tile: Option<i64>) -> Build {
    let mut build = Build::default();
    let (a, b) = (build.arg(&[64, 300]), build.arg(&[300, 32]));
    let Some(columns) = columns else {
        let product = build.product(a, b);
        return build.give(&[product]);
    };
    let mask = mask(&mut build, columns);
    let number = build.fill("0x0000", &[1, 1]);
    let select = |build: &mut Build, first: Expr, width: i64| {
        let window = build.slice(mask, &[zero(), first.clone()], &[1, width]);
        let columns = build.slice(a, &[zero(), first], &[64, width]);
        let operands: [(ValueId, &[i32]); 3] =
            [(window, &[-1, 1]), (columns, &[0, 1]), (number, &[-1, -1])];
        build.op(
            "where3",
            &operands,
            &[64, width].map(Extent::Fixed),
            0,
            false,
        )
    };
    let left = match tile {
        None => select(&mut build, zero(), 300),
        Some(tile) => {
            let out = build.empty(&[64, 300]);
            let (id, carried) = build.enter(Extent::Fixed(300), tile, &[out]);
            let columns = select(&mut build, iv(id, tile), tile);
            let next = build.insert(columns, carried[0], &[zero(), iv(id, tile)]);
            build.leave(&[next])[0]
        }
    };
    let product = build.product(left, b);
    build.give(&[product])
}

#[test]
fn a_selection_by_a_constant_mask_is_a_move() {
    for tile in [None, Some(60), Some(100)] {
        proved(selected(None, None), selected(Some(300), tile));
        // Both programs may select, in other windows of the mask.
        proved(selected(Some(200), None), selected(Some(200), tile));
    }
}

#[test]
fn a_mask_that_ends_early_or_late_is_refuted() {
    for tile in [None, Some(60)] {
        let witness = refuted(selected(None, None), selected(Some(299), tile));
        assert!(!witness.message.is_empty());
        refuted(selected(Some(200), None), selected(Some(201), tile));
    }
}

#[test]
fn a_selection_by_a_mask_that_is_not_constant_is_an_operation() {
    let mut build = Build::default();
    let (mask, a, b) = (build.arg(&[8, 8]), build.arg(&[8, 8]), build.arg(&[8, 8]));
    let selection = build.pointwise("where3", &[mask, a, b]);
    let after = build.give(&[selection]);
    let mut build = Build::default();
    let (_, a, b) = (build.arg(&[8, 8]), build.arg(&[8, 8]), build.arg(&[8, 8]));
    let sum = build.pointwise("add", &[a, b]);
    let before = build.give(&[sum]);
    let report = prove_rewrite(&Context::new(BUDGET), &before.program, &after.program);
    let unknown = |verdict: &Verdict| matches!(verdict, Verdict::Unknown(Reason::NewOperation(_)));
    let mut findings = report.findings.iter();
    assert!(
        findings.any(|finding| unknown(&finding.verdict)),
        "{:#?}",
        report.findings
    );
}

/// Returns the largest elements of the rows of two arguments: those of the first one in tiles, by a selection, or of a
/// window that begins at a column.
fn searches(is_in_tiles: bool, column: i64) -> Build {
    let mut build = Build::default();
    let (a, b) = (build.arg(&[8, 130]), build.arg(&[8, 64]));
    let mut first = None;
    let widths: &[i64] = if is_in_tiles { &[64, 64] } else { &[128] };
    let mut at = column;
    for width in widths {
        let tile = build.slice(a, &[zero(), at.into()], &[8, *width]);
        let part = build.reduce("topkvalue", tile);
        at += width;
        first = Some(match first {
            None => part,
            Some(first) => {
                let is_larger = build.pointwise("greaterequal", &[first, part]);
                build.pointwise("where3", &[is_larger, first, part])
            }
        });
    }
    let second = build.reduce("topkvalue", b);
    build.give(&[first.expect("a tile"), second])
}

#[test]
fn a_search_in_tiles_is_not_refuted() {
    proved(searches(false, 0), searches(false, 0));
    let (before, after) = (searches(false, 0), searches(true, 0));
    let report = prove_rewrite(&Context::new(BUDGET), &before.program, &after.program);
    assert!(report.refuted().next().is_none(), "{:#?}", report.findings);
    let mut reasons = report.unknown().map(|(_, reason)| reason);
    assert!(reasons.any(|reason| *reason == Reason::Law("topkvalue".to_owned())));
}

#[test]
fn a_whole_search_of_other_elements_is_refuted() {
    let witness = refuted(searches(false, 0), searches(false, 2));
    assert!(witness.message.contains("argument 0"), "{witness:?}");
}

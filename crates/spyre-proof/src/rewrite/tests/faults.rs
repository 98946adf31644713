//! Programs with one fault, each with its witness.

use super::build::{Build, iv};
use super::loops::product_over_k;
use super::{BUDGET, refuted};
use crate::claim::{Claim, Reason, Verdict};
use crate::expr::Expr;
use crate::program::{Extent, Program};
use crate::rewrite::{prove_coverage, prove_rewrite};
use spyre_isl::Context;

fn zero() -> Expr {
    Expr::zero()
}

fn exp() -> Build {
    let mut build = Build::default();
    let a = build.arg(&[256, 64]);
    let exp = build.pointwise("exp", &[a]);
    build.give(&[exp])
}

/// Tiles of rows: read at `step * read`, written at `step * written`, until `upper`.
fn tiles(read: i64, written: i64, upper: i64) -> Build {
    let mut build = Build::default();
    let a = build.arg(&[256, 64]);
    let out = build.empty(&[256, 64]);
    let (id, carried) = build.enter(Extent::Fixed(upper), 64, &[out]);
    let tile = build.slice(a, &[iv(id, read), zero()], &[64, 64]);
    let tile = build.pointwise("exp", &[tile]);
    let next = build.insert(tile, carried[0], &[iv(id, written), zero()]);
    let out = build.leave(&[next]);
    build.give(&out)
}

#[test]
fn a_wrong_offset_is_refuted_at_the_result() {
    let witness = refuted(exp(), tiles(32, 64, 256));
    assert_eq!(witness.point, [64, 0], "{witness:?}");
    assert!(
        witness.message.contains(
            "is element [32, 0] of result of 'exp', before: element [64, 0] of result of 'exp'"
        ),
        "{}",
        witness.message
    );
    assert_eq!(witness.before.len(), 1, "a note at the operation before");
}

#[test]
fn a_wrong_operand_is_refuted_at_the_operation() {
    let program = |second: i64| {
        let mut build = Build::default();
        let (a, b) = (build.arg(&[256, 64]), build.arg(&[256, 64]));
        let out = build.in_tiles([256, 64], 64, |build, at| {
            let first = build.slice(a, &[at.clone(), zero()], &[64, 64]);
            let second = build.slice(b, &[at.times(second), zero()], &[64, 64]);
            build.pointwise("add", &[first, second])
        });
        build.give(&[out])
    };
    let mut before = Build::default();
    let (a, b) = (before.arg(&[256, 64]), before.arg(&[256, 64]));
    let sum = before.pointwise("add", &[a, b]);
    let witness = refuted(before.give(&[sum]), program(0));
    assert_eq!(witness.counters[0].1, 1, "{witness:?}");
    assert_eq!(witness.point, [0, 0]);
    assert_eq!(
        witness.message,
        "operand 1 reads element [0, 0] of argument 1, before: element [64, 0] of argument 1"
    );
    assert_eq!(witness.before.len(), 1);
}

#[test]
fn a_dropped_tile_is_refuted_by_coverage() {
    let program = tiles(64, 64, 192).program;
    let report = prove_coverage(&Context::new(BUDGET), &program);
    let (finding, witness) = report.refuted().next().expect("it is refuted");
    assert_eq!(finding.claim, Claim::Coverage);
    assert_eq!(witness.point, [192, 0]);
}

#[test]
fn a_dropped_term_is_refuted() {
    let whole = || product_over_k([64, 256, 128], 256, 256, "0x0000");
    let witness = refuted(whole(), product_over_k([64, 256, 128], 64, 192, "0x0000"));
    assert!(
        witness.message.contains("lacks the term"),
        "{}",
        witness.message
    );
}

#[test]
fn a_start_that_is_not_neutral_is_refuted() {
    let mut before = Build::default();
    let (a, b) = (before.arg(&[64, 256]), before.arg(&[256, 128]));
    let product = before.product(a, b);
    let exp = before.pointwise("exp", &[product]);
    let after = product_over_k([64, 256, 128], 64, 256, "0x3c00");
    let witness = refuted(before.give(&[exp]), after);
    assert!(
        witness.message.contains("not the neutral number of 'add'"),
        "{}",
        witness.message
    );
}

#[test]
fn a_term_that_is_added_twice_is_refuted() {
    let mut before = Build::default();
    let (a, b) = (before.arg(&[64, 256]), before.arg(&[256, 128]));
    let product = before.product(a, b);
    let mut build = Build::default();
    let (a, b) = (build.arg(&[64, 256]), build.arg(&[256, 128]));
    let zeros = build.fill("0x0000", &[64, 128]);
    let (k, carried) = build.enter(Extent::Fixed(256), 64, &[zeros]);
    // Tiles of 128 in steps of 32.
    let left = build.slice(a, &[zero(), iv(k, 32)], &[64, 128]);
    let right = build.slice(b, &[iv(k, 32), zero()], &[128, 128]);
    let part = build.product(left, right);
    let sum = build.pointwise("add", &[carried[0], part]);
    let out = build.leave(&[sum]);
    let witness = refuted(before.give(&[product]), build.give(&out));
    assert!(
        witness
            .message
            .contains("that an earlier iteration has added"),
        "{}",
        witness.message
    );
    assert_eq!(witness.counters[0].1, 1);
}

#[test]
fn windows_that_overwrite_each_other_are_refuted() {
    let program = tiles(64, 32, 256).program;
    let report = prove_coverage(&Context::new(BUDGET), &program);
    let finding = report
        .refuted()
        .find(|(_, witness)| witness.message.contains("overwrites"));
    let (_, witness) = finding.unwrap_or_else(|| panic!("{report:#?}"));
    assert_eq!(witness.counters[0].1, 1);
    assert_eq!(witness.point, [32, 0]);
}

#[test]
fn a_tensor_that_is_not_modelled_is_unknown_and_so_is_what_follows() {
    let program = || {
        let mut build = Build::default();
        let a = build.arg(&[64, 64]);
        build.program.values[a.index()].def = crate::program::Def::Opaque("shuffle".to_owned());
        let exp = build.pointwise("exp", &[a]);
        let log = build.pointwise("log", &[exp]);
        build.give(&[log])
    };
    let report = prove_rewrite(
        &Context::new(BUDGET),
        &program().program,
        &program().program,
    );
    let correspondence = report
        .findings
        .iter()
        .filter(|of| of.claim == Claim::Correspondence);
    let verdicts: Vec<_> = correspondence.map(|of| of.verdict.clone()).collect();
    assert_eq!(
        verdicts[0],
        Verdict::Unknown(Reason::Operation("shuffle".to_owned()))
    );
    assert!(
        matches!(verdicts[1], Verdict::Unknown(Reason::Follows(_))),
        "{verdicts:?}"
    );
    assert!(
        matches!(verdicts[2], Verdict::Unknown(Reason::Follows(_))),
        "{verdicts:?}"
    );
}

#[test]
fn operations_without_instances_are_counted() {
    let mut build = Build::default();
    let a = build.arg(&[64, 64]);
    let (_, carried) = build.enter(Extent::Fixed(0), 64, &[a]);
    let exp = build.pointwise("exp", &carried);
    let out = build.leave(&[exp]);
    let program: Program = build.give(&out).program;
    let report = prove_coverage(&Context::new(BUDGET), &program);
    assert_eq!((report.operations, report.empty), (1, 1));
}

#[test]
fn parts_of_cores_need_a_law() {
    let program = |name: &str| {
        let mut build = Build::default();
        let a = build.arg(&[64, 64]);
        let reduced = build.reduce(name, a);
        build.program.statements[0].split = Some(vec![1, 4]);
        build.program.statements[0].digits = vec![1];
        build.give(&[reduced]).program
    };
    let report = prove_coverage(&Context::new(BUDGET), &program("sum"));
    assert!(report.is_proved());
    let report = prove_coverage(&Context::new(BUDGET), &program("exx2"));
    let (_, reason) = report.unknown().next().expect("no law");
    assert_eq!(*reason, Reason::Law("exx2".to_owned()));
}

#[test]
fn the_budget_is_in_the_answer() {
    let program = tiles(64, 64, 256).program;
    let report = prove_rewrite(&Context::new(10), &exp().program, &program);
    assert!(report.refuted().next().is_none(), "{report:#?}");
    let mut reasons = report.unknown().map(|(_, reason)| reason);
    assert!(
        reasons.any(|reason| *reason == Reason::Budget(10)),
        "{report:#?}"
    );
}

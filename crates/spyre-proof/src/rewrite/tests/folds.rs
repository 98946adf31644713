//! Programs before and after operations are folded, and operations that a pass adds.

use spyre_isl::Context;

use super::build::Build;
use super::{BUDGET, proved, refuted};
use crate::claim::{Claim, Reason, Verdict};
use crate::expr::Expr;
use crate::program::ValueId;
use crate::rewrite::prove_rewrite;

/// The exponential of a function of an argument.
fn exp_of(of: impl Fn(&mut Build, ValueId) -> ValueId) -> Build {
    let mut build = Build::default();
    let a = build.arg(&[8, 64]);
    let value = of(&mut build, a);
    let exp = build.pointwise("exp", &[value]);
    build.give(&[exp])
}

#[test]
fn the_larger_of_a_number_and_itself_is_the_number() {
    for name in ["maximum", "minimum"] {
        let folded = || exp_of(|_, a| a);
        let unfolded = || exp_of(|build, a| build.pointwise(name, &[a, a]));
        proved(unfolded(), folded());
        proved(folded(), unfolded());
        proved(unfolded(), unfolded());
    }
}

#[test]
fn the_larger_of_two_numbers_is_none_of_them() {
    let program = |has_maximum: bool| {
        let mut build = Build::default();
        let (a, b) = (build.arg(&[8, 64]), build.arg(&[8, 64]));
        let value = match has_maximum {
            true => build.pointwise("maximum", &[a, b]),
            false => a,
        };
        let exp = build.pointwise("exp", &[value]);
        build.give(&[exp])
    };
    let witness = refuted(program(true), program(false));
    assert!(witness.message.contains("argument 0"), "{witness:?}");
}

#[test]
fn magnitudes_of_magnitudes_and_signs_of_signs_fold() {
    for (name, twice_is) in [("abs", 1), ("floor", 1), ("neg", 0)] {
        let times = |count: usize| {
            exp_of(|build, a| (0..count).fold(a, |value, _| build.pointwise(name, &[value])))
        };
        proved(times(2), times(twice_is));
        // A sign that only the program after has is an operation without a counterpart.
        if twice_is > 0 {
            proved(times(twice_is), times(2));
        }
        proved(times(3), times(1));
    }
    let negated = |count: usize| {
        exp_of(|build, a| (0..count).fold(a, |value, _| build.pointwise("neg", &[value])))
    };
    refuted(negated(2), negated(1));
}

#[test]
fn an_operation_that_a_pass_adds_is_not_refuted() {
    let program = |has_mask: bool, is_repeated: bool| {
        let mut build = Build::default();
        let (mut a, c) = (build.arg(&[8, 64]), build.arg(&[8, 64]));
        if is_repeated {
            // All rows are equal, so that the elements of the sum have the names of the first row.
            let row = build.slice(a, &[Expr::zero(), Expr::zero()], &[1, 64]);
            a = build.empty(&[8, 64]);
            for at in 0..8 {
                a = build.insert(row, a, &[Expr::from(at), Expr::zero()]);
            }
        }
        let mut sum = build.pointwise("add", &[a, a]);
        if has_mask {
            sum = build.pointwise("add", &[sum, c]);
        }
        let exp = build.pointwise("exp", &[sum]);
        build.give(&[exp])
    };
    for is_repeated in [false, true] {
        let (before, after) = (program(false, is_repeated), program(true, is_repeated));
        let report = prove_rewrite(&Context::new(BUDGET), &before.program, &after.program);
        assert_eq!(report.refuted().count(), 0, "{:#?}", report.findings);
        let additional = |reason: &Reason| *reason == Reason::Additional("add".to_owned());
        let mut verdicts = report.findings.iter().map(|finding| &finding.verdict);
        assert!(
            verdicts
                .any(|verdict| matches!(verdict, Verdict::Unknown(reason) if additional(reason))),
            "{:#?}",
            report.findings
        );
    }
}

#[test]
fn bits_that_are_read_back_fold_where_none_are_lost() {
    let program = |between: Option<&str>| {
        exp_of(|build, a| {
            let Some(between) = between else { return a };
            let types = ["f32", between];
            let cast = |build: &mut Build, value, [from, to]: [&str; 2]| {
                let result = build.pointwise("bitcast", &[value]);
                let key = &mut build.program.statements.last_mut().expect("a cast").key;
                key.elements = vec![from.to_owned(), to.to_owned()];
                result
            };
            let value = cast(build, a, types);
            cast(build, value, [types[1], types[0]])
        })
    };
    proved(program(Some("i32")), program(None));
    refuted(program(Some("i16")), program(None));
}

#[test]
fn no_witness_is_a_point_that_folds() {
    // The second negation of the written row is right, and nothing has written the other one, which is a matter of coverage.
    let twice = |rows: i64| {
        let mut build = Build::default();
        let a = build.arg(&[2, 64]);
        let once = build.empty(&[2, 64]);
        let first = build.slice(a, &[Expr::zero(), Expr::zero()], &[rows, 64]);
        let negated = build.pointwise("neg", &[first]);
        let once = build.insert(negated, once, &[Expr::zero(), Expr::zero()]);
        let twice = build.in_tiles([2, 64], 1, |build, row| {
            let row = build.slice(once, &[row, Expr::zero()], &[1, 64]);
            build.pointwise("neg", &[row])
        });
        build.give(&[twice])
    };
    proved(twice(2), twice(2));
    let (before, after) = (twice(2), twice(1));
    let report = prove_rewrite(&Context::new(BUDGET), &before.program, &after.program);
    let mut of_neg = 0;
    for (finding, witness) in report.refuted() {
        if finding.subject == "'neg'" && finding.claim == Claim::Correspondence {
            of_neg += 1;
            let counters: Vec<_> = witness
                .counters
                .iter()
                .map(|(_, counter)| *counter)
                .collect();
            assert_eq!(counters, [1], "{witness:#?}");
        }
    }
    assert_eq!(of_neg, 1, "{:#?}", report.findings);
}

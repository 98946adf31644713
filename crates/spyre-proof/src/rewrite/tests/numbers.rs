//! Witnesses of constants: the numbers that differ, where they differ.

use spyre_isl::Context;

use super::build::Build;
use super::{BUDGET, proved, refuted};
use crate::claim::Reason;
use crate::expr::Expr;
use crate::program::{Table, ValueId};
use crate::rewrite::prove_rewrite;

/// Adds a table of one row of f16.
fn table(build: &mut Build, numbers: &[f64]) -> ValueId {
    let bits = numbers.iter();
    let bits: Vec<u64> = bits
        .map(|number| half::f16::from_f64(*number).to_bits().into())
        .collect();
    let columns = i64::try_from(bits.len()).expect("few columns");
    // Equal names, equal elements.
    let name = format!("<1x{columns}> {numbers:?}");
    let extents = vec![1, columns];
    let value = build.fill(&name, &extents);
    build.program.tables.insert(name, Table { extents, bits });
    value
}

/// Returns the sums of an argument and a window of a table.
fn sums(numbers: &[f64], [first, columns]: [i64; 2]) -> Build {
    let mut build = Build::default();
    let a = build.arg(&[1, columns]);
    let table = table(&mut build, numbers);
    let window = build.slice(table, &[Expr::zero(), first.into()], &[1, columns]);
    let sum = build.pointwise("add", &[a, window]);
    build.give(&[sum])
}

fn is_undecided(before: &Build, after: &Build) {
    let report = prove_rewrite(&Context::new(BUDGET), &before.program, &after.program);
    assert!(report.refuted().next().is_none(), "{:#?}", report.findings);
    assert!(!report.is_proved());
}

#[test]
fn a_number_that_was_changed_is_named_with_its_element() {
    let before = || sums(&[1.0, 2.0, 3.0, 4.0], [0, 4]);
    let witness = refuted(before(), sums(&[1.0, 2.0, 3.5, 4.0], [0, 4]));
    assert_eq!(witness.point, [0, 2]);
    assert_eq!(
        witness.message,
        "operand 1 reads the number 3.5 of f16, element [0, 2] of a constant, before: the number 3 of f16, element [0, 2] of a \
         constant"
    );
}

#[test]
fn a_number_that_is_not_read_may_change() {
    let before = sums(&[1.0, 2.0, 3.0, 4.0], [0, 2]);
    is_undecided(&before, &sums(&[1.0, 2.0, 3.5, 4.0], [0, 2]));
    // A window as a table of its own has the same numbers.
    is_undecided(&before, &sums(&[1.0, 2.0], [0, 2]));
    proved(
        sums(&[1.0, 2.0, 3.0, 4.0], [0, 2]),
        sums(&[1.0, 2.0, 3.0, 4.0], [0, 2]),
    );
}

#[test]
fn another_window_is_refuted_at_its_first_other_number() {
    let numbers = [1.0, 1.0, 2.0, 2.0];
    let witness = refuted(sums(&numbers, [0, 2]), sums(&numbers, [1, 2]));
    assert_eq!(witness.point, [0, 1], "{}", witness.message);
    let report = prove_rewrite(
        &Context::new(BUDGET),
        &sums(&numbers, [0, 1]).program,
        &sums(&numbers, [1, 1]).program,
    );
    let mut unknown = report.unknown().map(|(_, reason)| reason);
    assert!(unknown.any(|reason| *reason == Reason::Undetermined));
    assert!(report.refuted().next().is_none(), "{:#?}", report.findings);
}

#[test]
fn one_number_in_the_place_of_a_table_is_refuted_where_it_is_another_one() {
    let before = sums(&[1.0, 1.0, 2.0, 1.0], [0, 4]);
    let mut build = Build::default();
    let a = build.arg(&[1, 4]);
    let ones = build.fill("0x3c00", &[1, 4]);
    let sum = build.pointwise("add", &[a, ones]);
    let witness = refuted(before, build.give(&[sum]));
    assert_eq!(witness.point, [0, 2]);
    assert_eq!(
        witness.message,
        "operand 1 reads the number 1 of f16, before: the number 2 of f16, element [0, 2] of a constant"
    );
}

#[test]
fn a_returned_number_is_named() {
    let program = |numbers: &[f64]| {
        let mut build = Build::default();
        let _ = build.arg(&[1, 4]);
        let table = table(&mut build, numbers);
        build.give(&[table])
    };
    let witness = refuted(program(&[1.0, 2.0, 3.0]), program(&[1.0, 2.0, -3.0]));
    assert_eq!(witness.point, [0, 2]);
    assert!(
        witness.message.starts_with(
            "result 0 is the number -3 of f16, element [0, 2] of a constant, before: the number 3"
        ),
        "{}",
        witness.message
    );
}

#[test]
fn the_operand_of_a_sum_that_differs_is_named_in_either_order() {
    let program = |order: [usize; 2]| {
        let mut build = Build::default();
        let arguments = [(); 3].map(|()| build.arg(&[8, 64]));
        let sum = build.pointwise("add", &order.map(|at| arguments[at]));
        build.give(&[sum])
    };
    for (order, operand) in [([0, 2], 1), ([2, 0], 0), ([1, 2], 1), ([2, 1], 0)] {
        let witness = refuted(program([0, 1]), program(order));
        let other = order[1 - operand];
        let expected = format!(
            "operand {operand} reads element [0, 0] of argument 2, before: element [0, 0] of argument {}",
            1 - other
        );
        assert_eq!(witness.message, expected, "{order:?}");
    }
}

//! Programs made by hand, right and wrong.

mod build;
mod orders;
mod sizes;
mod sticks;

use spyre_isl::Context;

use self::build::{Builder, ROWS};
use super::{Limits, prove_places};
use crate::claim::{By, Claim, Report, Verdict, Witness};
use crate::expr::{Expr, Var};
use crate::program::{Place, Program};

const LIMITS: Limits = Limits {
    scratchpad: 16384,
    pool: Some(1 << 20),
    span: Some(1 << 20),
    cores: 8,
};

fn prove(program: &Program) -> Report {
    prove_places(&Context::new(200_000), program, &LIMITS)
}

/// Returns the only claim that does not hold.
fn fault(program: &Program) -> (Claim, String, Witness) {
    let report = prove(program);
    let faults: Vec<_> = report.refuted().collect();
    let [(finding, witness)] = faults[..] else {
        panic!("one claim does not hold: {:#?}", report.findings);
    };
    let unknown: Vec<_> = report.unknown().collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    (finding.claim, finding.subject.clone(), witness.clone())
}

fn assert_proved(program: &Program, by: By) {
    let report = prove(program);
    assert!(report.is_proved(), "{:#?}", report.findings);
    let verdicts = report.findings.iter().map(|finding| &finding.verdict);
    let other: Vec<_> = verdicts
        .filter(|verdict| **verdict != Verdict::Proved(By::Form))
        .collect();
    assert_eq!(by == By::Form, other.is_empty(), "{other:?}");
}

/// Two operations through the scratchpad, with these divisions.
fn chain(place: Place, splits: [&[i64]; 2]) -> Program {
    let mut of = Builder::new();
    let a = of.argument(0, [ROWS, 64]);
    let b = of.split(splits[0]).unary("exp", a, place);
    of.split(splits[1]).unary("neg", b, Place::Argument(1));
    of.program()
}

#[test]
fn a_chain_through_the_scratchpad_is_right_by_its_form() {
    assert_proved(&chain(Place::Scratchpad(0), [&[4, 1], &[4, 1]]), By::Form);
}

#[test]
fn a_core_reads_what_another_has_written() {
    let (claim, subject, witness) = fault(&chain(Place::Scratchpad(0), [&[2, 1], &[4, 1]]));
    assert_eq!((claim, subject.as_str()), (Claim::Place, "operand 0"));
    assert_eq!((witness.core, &witness.point[..]), (Some(1), &[4, 0][..]));
    assert!(
        witness
            .message
            .contains("core 1 reads element [4, 0] of operand 0, and has [8..16, 0..64]"),
        "{}",
        witness.message
    );
    assert_eq!(witness.notes.len(), 1);
}

#[test]
fn a_buffer_is_inside_of_its_memory_and_starts_at_a_whole_stick() {
    let splits: [&[i64]; 2] = [&[2, 1], &[2, 1]];
    // A part of 8 rows has 1024 bytes.
    assert_proved(&chain(Place::Scratchpad(16384 - 1024), splits), By::Form);
    let after = prove(&chain(Place::Scratchpad(16384 - 896), splits));
    let (_, witness) = after.refuted().next().expect("the buffer ends too late");
    assert!(
        witness.message.contains("end after the 16384 bytes of LX"),
        "{}",
        witness.message
    );
    let between = prove(&chain(Place::Pool(64), splits));
    let (_, witness) = between.refuted().next().expect("the start is in a stick");
    assert!(
        witness.message.contains("whole stick"),
        "{}",
        witness.message
    );
    let no_argument = prove(&chain(Place::Argument(2), splits));
    let (_, witness) = no_argument
        .refuted()
        .next()
        .expect("there are two arguments");
    assert!(
        witness.message.contains("no such argument"),
        "{}",
        witness.message
    );
}

#[test]
fn an_argument_that_is_not_read_again_is_kept() {
    // The argument is dead after the first operation; the caller still has it.
    let (claim, subject, witness) = fault(&chain(Place::Argument(0), [&[2, 1], &[2, 1]]));
    assert_eq!((claim, subject.as_str()), (Claim::Place, "result 0"));
    assert_eq!(
        witness.message,
        "the operation writes bytes 0 to 2048 of argument 0, which the caller keeps: no result of the function has its place"
    );
    assert_proved(&chain(Place::Pool(0), [&[2, 1], &[2, 1]]), By::Form);
}

#[test]
fn cores_start_at_whole_sticks() {
    for place in [Place::Pool(0), Place::Scratchpad(0)] {
        let report = prove(&chain(place, [&[1, 2], &[1, 2]]));
        let (finding, witness) = report.refuted().next().expect("a stick is cut");
        assert_eq!(finding.claim, Claim::Place);
        assert_eq!(witness.core, Some(1), "{witness:?}");
        assert!(
            witness.message.contains("no whole stick"),
            "{}",
            witness.message
        );
    }
}

#[test]
fn a_division_has_equal_parts_and_not_too_many_cores() {
    let report = prove(&chain(Place::Pool(0), [&[3, 1], &[16, 1]]));
    let messages: Vec<_> = report
        .refuted()
        .map(|(_, witness)| witness.message.as_str())
        .collect();
    assert!(
        messages[0].contains("3 parts that are not equal"),
        "{messages:?}"
    );
    assert!(messages[1].contains("needs 16 cores of 8"), "{messages:?}");
}

#[test]
fn a_span_is_at_most_the_limit() {
    let program = chain(Place::Pool(0), [&[2, 1], &[2, 1]]);
    let limits = Limits {
        span: Some(1023),
        ..LIMITS
    };
    let report = prove_places(&Context::new(200_000), &program, &limits);
    let (_, witness) = report.refuted().next().expect("8 rows of 128 bytes");
    assert!(
        witness.message.contains("spans 1024 bytes"),
        "{}",
        witness.message
    );
}

/// Windows of 16 rows of a tensor of 64, at `16 * i + shift`.
fn windows(shift: i64) -> Program {
    let mut of = Builder::new();
    let x = of.argument(0, [64, 64]);
    let full = of.empty([64, 64], Place::Argument(1));
    let (id, carried) = of.begin(4, &[full]);
    let at = Expr::from(shift).plus_times(&Var::Counter(id).into(), 16);
    let w = of.slice(x, [at, 0.into()], [ROWS, 64]);
    let y = of.split(&[4, 1]).unary("exp", w, Place::Window);
    let at = Expr::from(Var::Counter(id)).times(16);
    let m = of.insert(y, carried[0], [at, 0.into()]);
    of.end(&[m]);
    of.program()
}

#[test]
fn a_window_is_inside_of_its_tensor() {
    assert_proved(&windows(0), By::Form);
    let (claim, subject, witness) = fault(&windows(8));
    assert_eq!((claim, subject.as_str()), (Claim::Place, "window"));
    assert_eq!(witness.counters[0].1, 3);
    assert!(
        witness.message.contains("elements 56 to 72 of dimension 0"),
        "{}",
        witness.message
    );
}

/// A view of 2 x 8 rows of a tensor of 16, from a row on.
fn view(first: i64, split: &[i64]) -> Program {
    let mut of = Builder::new();
    let a = of.argument(0, [ROWS, 64]);
    let b = of.split(&[4, 1]).unary("exp", a, Place::Scratchpad(0));
    let row = Expr::from(first).plus_times(&Var::Element(0).into(), 8);
    let row = row.plus(&Var::Element(1).into());
    let v = of.view(b, &[row, Var::Element(2).into()], [2, 8, 64]);
    of.split(split).unary("neg", v, Place::Argument(1));
    of.program()
}

#[test]
fn a_view_is_inside_of_its_source() {
    // Rows 0 to 3 are on core 0, and the outer dimension has the slower digit.
    let report = prove(&view(0, &[2, 1, 1]));
    let owners: Vec<_> = report.refuted().collect();
    assert_eq!(
        owners.len(),
        1,
        "core 0 reads 8 rows, and has 4: {owners:?}"
    );
    let report = prove(&view(1, &[1, 1, 1]));
    let (finding, witness) = report.refuted().next().expect("a row is outside");
    assert_eq!(
        (finding.claim, finding.subject.as_str()),
        (Claim::Place, "view")
    );
    assert_eq!(witness.point, [1, 7, 0]);
    assert!(
        witness
            .message
            .contains("position 16 of dimension 0 of its source, which has 16 elements"),
        "{}",
        witness.message
    );
}

#[test]
fn a_result_is_written_over_an_operand_point_by_point() {
    let elementwise = |place| {
        let mut of = Builder::new();
        let a = of.argument(0, [ROWS, 64]);
        let b = of.split(&[2, 1]).unary("exp", a, Place::Scratchpad(0));
        let c = of.split(&[2, 1]).unary("neg", b, place);
        of.split(&[2, 1]).unary("abs", c, Place::Argument(1));
        of.program()
    };
    assert_proved(&elementwise(Place::Scratchpad(0)), By::Form);
    let (claim, _, witness) = fault(&elementwise(Place::Scratchpad(128)));
    assert_eq!(claim, Claim::Order);
    // Row 1 is read at the bytes of row 0 of the result.
    assert_eq!((witness.core, &witness.point[..]), (Some(0), &[1, 0][..]));
    assert!(
        witness
            .message
            .contains("which the same execution writes for point [0, 0]"),
        "{}",
        witness.message
    );
}

#[test]
fn a_broadcast_operand_is_not_written_over() {
    let mut of = Builder::new();
    let a = of.argument(0, [ROWS, 64]);
    let row = of.argument(1, [1, 64]);
    let r = of.unary("exp", row, Place::Pool(0));
    let b = of.unary("neg", r, Place::Pool(4096));
    let index = vec![Expr::zero(), Var::Point(1).into()];
    let all = vec![Expr::from(Var::Point(0)), Var::Point(1).into()];
    let c = of.op(
        "add",
        &[(a, all), (b, index)],
        [ROWS, 64],
        0,
        Place::Pool(4096),
    );
    of.unary("abs", c, Place::Argument(2));
    let (claim, subject, witness) = fault(&of.program());
    assert_eq!((claim, subject.as_str()), (Claim::Order, "operand 1"));
    assert_eq!(
        witness.point,
        [1, 0],
        "point [1, 0] reads what point [0, 0] has written"
    );
}

#[test]
fn a_reduced_operand_is_not_written_over() {
    let mut of = Builder::new();
    let a = of.argument(0, [ROWS, 64]);
    let b = of.unary("exp", a, Place::Pool(0));
    let rows = vec![Expr::from(Var::Point(1)), Var::Point(0).into()];
    let c = of.op("sum", &[(b, rows)], [64], 1, Place::Pool(0));
    of.unary("abs", c, Place::Argument(1));
    let (claim, _, _) = fault(&of.program());
    assert_eq!(claim, Claim::Order);
}

#[test]
fn parts_of_a_sum_are_on_the_last_core_of_a_group() {
    let program = |split: &[i64]| {
        let mut of = Builder::new();
        let a = of.argument(0, [ROWS, 64]);
        let rows = vec![Expr::from(Var::Point(1)), Var::Point(0).into()];
        let b = of
            .split(split)
            .op("sum", &[(a, rows)], [64], 1, Place::Scratchpad(0));
        of.split(&[1]).unary("abs", b, Place::Argument(1));
        of.program()
    };
    assert_proved(&program(&[1, 1]), By::Form);
    let (claim, _, witness) = fault(&program(&[1, 4]));
    assert_eq!((claim, witness.core), (Claim::Place, Some(0)));
    assert!(
        witness.message.contains("only the last core"),
        "{}",
        witness.message
    );
}

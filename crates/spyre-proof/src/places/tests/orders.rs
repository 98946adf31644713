//! P3: what is read has not been overwritten.

use super::build::{Builder, ROWS};
use super::{assert_proved, fault, prove};
use crate::claim::{By, Claim};
use crate::expr::{Expr, Var};
use crate::program::{Extent, LoopId, Place, Program, ValueId};

fn at(id: LoopId, step: i64) -> [Expr; 2] {
    [Expr::from(Var::Counter(id)).times(step), 0.into()]
}

/// A body over windows of 16 of 64 rows: the loop has the window and the value from before the loop, and returns the
/// tile.
fn looped(before: Place, body: impl Fn(&mut Builder, ValueId, ValueId) -> ValueId) -> Program {
    let mut of = Builder::new();
    let a = of.argument(0, [ROWS, 64]);
    let x = of.argument(1, [64, 64]);
    let k = of.split(&[2, 1]).unary("exp", a, before);
    let full = of.empty([64, 64], Place::Argument(2));
    let (id, carried) = of.begin(4, &[full]);
    let w = of.slice(x, at(id, 16), [ROWS, 64]);
    let tile = body(&mut of, w, k);
    let m = of.insert(tile, carried[0], at(id, 16));
    of.end(&[m]);
    of.program()
}

fn chain_in_a_loop(second: Place) -> Program {
    looped(Place::Scratchpad(0), |of, w, k| {
        let s = of
            .split(&[2, 1])
            .elementwise("add", &[w, k], Place::Scratchpad(1024));
        let n = of.split(&[2, 1]).unary("neg", s, second);
        of.split(&[2, 1]).elementwise("mul", &[n, k], Place::Window)
    })
}

#[test]
fn a_chain_in_a_loop_may_overwrite_what_it_has_read() {
    assert_proved(&chain_in_a_loop(Place::Scratchpad(1024)), By::Form);
    assert_proved(&chain_in_a_loop(Place::Scratchpad(2048)), By::Form);
}

#[test]
fn a_value_from_before_a_loop_lives_to_its_end() {
    // It is read by the product of the same iteration, and by the sum of the next one.
    let program = chain_in_a_loop(Place::Scratchpad(0));
    let report = prove(&program);
    let faults: Vec<_> = report.refuted().collect();
    assert_eq!(faults.len(), 2, "{faults:#?}");
    let (sum, witness) = faults[0];
    assert_eq!(
        (sum.claim, sum.subject.as_str()),
        (Claim::Order, "operand 1")
    );
    assert_eq!(
        witness.counters[0].1, 1,
        "the first iteration that reads it too late"
    );
    assert!(
        witness
            .message
            .contains("overwritten: it has the result of 'neg', in iteration (0)"),
        "{}",
        witness.message
    );
    assert_eq!(witness.notes.len(), 2);
    assert_eq!(faults[1].1.counters[0].1, 0);
}

/// Three values at once, the second at a place.
fn lives(second: Place) -> Program {
    let mut of = Builder::new();
    let a = of.argument(0, [ROWS, 64]);
    let b = of.unary("exp", a, Place::Pool(0));
    let c = of.unary("neg", a, second);
    let d = of.elementwise("add", &[b, c], Place::Pool(8192));
    of.unary("abs", d, Place::Argument(1));
    of.program()
}

#[test]
fn live_buffers_are_disjoint() {
    assert_proved(&lives(Place::Pool(2048)), By::Form);
    let (claim, subject, witness) = fault(&lives(Place::Pool(1920)));
    assert_eq!((claim, subject.as_str()), (Claim::Order, "operand 0"));
    // The last row has the last stick, which the other value starts with.
    assert_eq!(witness.point, [15, 0]);
    assert!(
        witness.message.starts_with("byte 1920 of the pool"),
        "{}",
        witness.message
    );
}

#[test]
fn a_life_ends_at_the_last_read() {
    let program = |place| {
        let mut of = Builder::new();
        let a = of.argument(0, [ROWS, 64]);
        let b = of.unary("exp", a, Place::Pool(0));
        let c = of.unary("neg", b, Place::Pool(2048));
        let d = of.unary("abs", c, place);
        of.elementwise("add", &[c, d], Place::Argument(1));
        of.program()
    };
    assert_proved(&program(Place::Pool(0)), By::Form);
    let (claim, subject, _) = fault(&program(Place::Pool(2048)));
    assert_eq!((claim, subject.as_str()), (Claim::Order, "operand 0"));
}

/// A sum that a loop carries in the scratchpad. The old sum is read after the new one is written where `is_late`.
fn accumulator(is_late: bool, place: Place) -> Program {
    let mut of = Builder::new();
    let x = of.argument(0, [64, 64]);
    let zero = of.argument(1, [ROWS, 64]);
    let start = of.split(&[2, 1]).unary("copy", zero, Place::Scratchpad(0));
    let full = of.empty([64, 64], Place::Argument(2));
    let (id, carried) = of.begin(4, &[start, full]);
    let w = of.slice(x, at(id, 16), [ROWS, 64]);
    let [sum, out] = carried[..] else {
        panic!("two are carried")
    };
    let (old, new);
    if is_late {
        new = of.split(&[2, 1]).elementwise("add", &[sum, w], place);
        old = of.split(&[2, 1]).unary("neg", sum, Place::Window);
    } else {
        old = of.split(&[2, 1]).unary("neg", sum, Place::Window);
        new = of.split(&[2, 1]).elementwise("add", &[sum, w], place);
    }
    let m = of.insert(old, out, at(id, 16));
    let results = of.end(&[new, m]);
    let last = of
        .split(&[2, 1])
        .unary("abs", results[0], Place::Argument(3));
    of.returns(&[results[1], last])
}

#[test]
fn an_accumulator_is_overwritten_after_its_last_read() {
    assert_proved(&accumulator(false, Place::Scratchpad(0)), By::Form);
    let (claim, subject, witness) = fault(&accumulator(true, Place::Scratchpad(0)));
    assert_eq!((claim, subject.as_str()), (Claim::Order, "operand 0"));
    assert_eq!(witness.counters[0].1, 0);
    assert!(
        witness
            .message
            .contains("it has the result of 'add', in iteration (0), and not that of 'copy'"),
        "{}",
        witness.message
    );
}

#[test]
fn a_loop_yields_a_tensor_where_its_initial_value_is() {
    let program = accumulator(false, Place::Scratchpad(2048));
    let report = prove(&program);
    let places: Vec<_> = report
        .refuted()
        .filter(|(of, _)| of.claim == Claim::Place)
        .collect();
    let [(finding, witness)] = places[..] else {
        panic!("{places:#?}")
    };
    assert_eq!(finding.subject, "carried 0");
    assert!(
        witness
            .message
            .contains("yielded in bytes 2048 to 3072 of LX"),
        "{}",
        witness.message
    );
}

/// Two buffers in turns: an iteration reads what the iteration before has put into the other.
fn double_buffers(places: [Place; 2]) -> Program {
    let mut of = Builder::new();
    let x = of.argument(0, [64, 64]);
    let first = of.slice(x, [0.into(), 0.into()], [ROWS, 64]);
    let ahead = of.split(&[2, 1]).unary("copy", first, Place::Scratchpad(0));
    let full = of.empty([64, 64], Place::Argument(1));
    let (id, carried) = of.begin(4, &[ahead, full]);
    let next = of.slice(x, at(id, 16), [ROWS, 64]);
    let [ahead, out] = carried[..] else {
        panic!("two are carried")
    };
    let loaded = of.split(&[2, 1]).unary("load", next, places[0]);
    let tile = of.split(&[2, 1]).unary("exp", ahead, Place::Window);
    let moved = of.split(&[2, 1]).unary("move", loaded, places[1]);
    let m = of.insert(tile, out, at(id, 16));
    let results = of.end(&[moved, m]);
    of.returns(&[results[1]])
}

#[test]
fn two_buffers_in_turns_are_apart() {
    assert_proved(&double_buffers([1024, 0].map(Place::Scratchpad)), By::Form);
    let (claim, subject, witness) = fault(&double_buffers([0, 0].map(Place::Scratchpad)));
    assert_eq!((claim, subject.as_str()), (Claim::Order, "operand 0"));
    assert_eq!(witness.counters[0].1, 0);
    assert!(witness.message.contains("'load'"), "{}", witness.message);
}

/// A tensor of windows in the pool, and a value of one iteration at a byte of it.
fn windows_and(place: Place) -> Program {
    let mut of = Builder::new();
    let x = of.argument(0, [64, 64]);
    let full = of.empty([64, 64], Place::Pool(0));
    let (id, carried) = of.begin(4, &[full]);
    let w = of.slice(x, at(id, 16), [ROWS, 64]);
    let e = of.unary("exp", w, place);
    let n = of.unary("neg", e, Place::Window);
    let m = of.insert(n, carried[0], at(id, 16));
    let results = of.end(&[m]);
    of.unary("abs", results[0], Place::Argument(1));
    of.program()
}

#[test]
fn a_value_over_windows_of_earlier_iterations() {
    assert_proved(&windows_and(Place::Pool(8192)), By::Form);
    let (claim, subject, witness) = fault(&windows_and(Place::Pool(0)));
    assert_eq!((claim, subject.as_str()), (Claim::Order, "operand 0"));
    assert!(
        witness.message.contains(
            "it has the result of 'exp', in iteration (3), and not that of 'neg', in iteration (0)"
        ),
        "{}",
        witness.message
    );
    // The last window is written after the value that was there: the solver sees that nothing of it is read.
    assert_proved(&windows_and(Place::Pool(6144)), By::Solver);
}

/// Windows that are written before those that are inserted before them.
fn any_order(rows: [i64; 2]) -> Program {
    let mut of = Builder::new();
    let x = of.argument(0, [32, 64]);
    let y = of.argument(1, [32, 64]);
    let full = of.empty([64, 64], Place::Pool(0));
    let e = of.unary("exp", x, Place::Window);
    let n = of.unary("neg", y, Place::Window);
    let a = of.insert(n, full, [rows[0].into(), 0.into()]);
    let s = of.insert(e, a, [rows[1].into(), 0.into()]);
    of.unary("abs", s, Place::Argument(2));
    of.program()
}

#[test]
fn windows_that_do_not_meet_are_written_in_any_order() {
    assert_proved(&any_order([0, 32]), By::Solver);
    let (claim, _, witness) = fault(&any_order([0, 31]));
    assert_eq!(claim, Claim::Order);
    assert_eq!(witness.point, [31, 0]);
    assert!(
        witness
            .message
            .contains("it has the result of 'neg', and not that of 'exp'"),
        "{}",
        witness.message
    );
}

/// A tensor is read after the next window is written, and before it is inserted.
fn ahead(row: i64) -> Program {
    let mut of = Builder::new();
    let x = of.argument(0, [32, 64]);
    let full = of.empty([64, 64], Place::Pool(0));
    let n = of.unary("neg", x, Place::Window);
    let a = of.insert(n, full, [0.into(), 0.into()]);
    let e = of.unary("exp", x, Place::Window);
    let half = of.slice(a, [0.into(), 0.into()], [32, 64]);
    let r = of.unary("abs", half, Place::Argument(1));
    let s = of.insert(e, a, [row.into(), 0.into()]);
    let t = of.unary("abs", s, Place::Argument(2));
    of.returns(&[r, t])
}

#[test]
fn a_tensor_is_read_before_its_next_window_is_written() {
    assert_proved(&ahead(32), By::Solver);
    let (claim, _, witness) = fault(&ahead(16));
    assert_eq!((claim, &witness.point[..]), (Claim::Order, &[16, 0][..]));
}

#[test]
fn a_tile_is_in_the_window_that_it_is_inserted_into() {
    let mut of = Builder::new();
    let x = of.argument(0, [32, 64]);
    let full = of.empty([64, 64], Place::Argument(1));
    let e = of.unary("exp", x, Place::Pool(0));
    of.insert(e, full, [0.into(), 0.into()]);
    let (claim, subject, witness) = fault_of_place(&of.program());
    assert_eq!((claim, subject.as_str()), (Claim::Place, "window"));
    assert!(
        witness.contains("no operation writes it there"),
        "{witness}"
    );
}

fn fault_of_place(program: &Program) -> (Claim, String, String) {
    let report = prove(program);
    let (finding, witness) = report.refuted().next().expect("a claim does not hold");
    (
        finding.claim,
        finding.subject.clone(),
        witness.message.clone(),
    )
}

#[test]
fn a_result_is_in_its_argument() {
    let mut of = Builder::new();
    let x = of.argument(0, [32, 64]);
    of.unary("exp", x, Place::Pool(0));
    let (claim, subject, message) = fault_of_place(&of.program());
    assert_eq!((claim, subject.as_str()), (Claim::Place, "returned 0"));
    assert!(message.contains("not in its argument, 1"), "{message}");
}

#[test]
fn a_result_is_not_overwritten() {
    let mut of = Builder::new();
    let x = of.argument(0, [ROWS, 64]);
    let a = of.unary("exp", x, Place::Argument(1));
    let b = of.unary("neg", x, Place::Argument(1));
    of.unary("abs", b, Place::Argument(2));
    let last = ValueId::new(3);
    let (claim, subject, witness) = fault(&of.returns(&[a, last]));
    assert_eq!((claim, subject.as_str()), (Claim::Order, "returned 0"));
    assert_eq!(witness.point, [0, 0]);
}

/// Windows of a dynamic number of tiles, read after the loop.
fn dynamic(step: i64) -> Program {
    let mut of = Builder::new();
    let extent = of.param(ROWS, 64);
    let x = of.argument(0, [64, 64]);
    let full = of.empty([64, 64], Place::Pool(0));
    let (id, carried) = of.begin_to(extent, ROWS, &[full]);
    let w = of.slice(x, at(id, step), [ROWS, 64]);
    let e = of.unary("exp", w, Place::Window);
    let m = of.insert(e, carried[0], at(id, 16));
    let results = of.end(&[m]);
    of.unary("abs", results[0], Place::Argument(1));
    of.program()
}

#[test]
fn dynamic_extents_are_parameters() {
    assert_proved(&dynamic(16), By::Form);
    let (claim, subject, witness) = fault(&dynamic(32));
    assert_eq!((claim, subject.as_str()), (Claim::Place, "window"));
    assert_eq!(
        (witness.counters[0].1, &witness.params[..]),
        (2, &[48][..]),
        "the smallest extent"
    );
}

#[test]
fn a_loop_in_a_loop_is_right() {
    // The inner loop computes a tile in the pool from windows, and the outer loop inserts it.
    let program = |inner: Place, over: Place| {
        let mut of = Builder::new();
        let x = of.argument(0, [64, 64]);
        let full = of.empty([64, 64], Place::Argument(1));
        let (outer, carried) = of.begin(2, &[full]);
        let tile = of.empty([32, 64], inner);
        let (id, tiles) = of.begin(2, &[tile]);
        let row = Expr::from(Var::Counter(outer))
            .times(32)
            .plus_times(&Var::Counter(id).into(), 16);
        let w = of.slice(x, [row, 0.into()], [ROWS, 64]);
        let e = of.unary("exp", w, Place::Window);
        let m = of.insert(e, tiles[0], at(id, 16));
        let tiles = of.end(&[m]);
        let s = of.slice(x, at(outer, 32), [32, 64]);
        let other = of.unary("abs", s, over);
        let n = of.elementwise("add", &[tiles[0], other], Place::Window);
        let m = of.insert(n, carried[0], at(outer, 32));
        of.end(&[m]);
        of.program()
    };
    assert_proved(&program(Place::Pool(0), Place::Pool(4096)), By::Form);
    let (claim, subject, witness) = fault(&program(Place::Pool(0), Place::Pool(2048)));
    assert_eq!((claim, subject.as_str()), (Claim::Order, "operand 0"));
    assert_eq!(
        (&witness.point[..], witness.counters[0].1),
        (&[16, 0][..], 0)
    );
}

#[test]
fn an_operation_that_is_not_modelled_is_unknown() {
    let mut of = Builder::new();
    let x = of.opaque("spyre.other", [ROWS, 64]);
    of.unary("exp", x, Place::Argument(0));
    let report = prove(&of.program());
    assert_eq!(report.refuted().count(), 0);
    let (finding, reason) = report.unknown().next().expect("the operand is unknown");
    assert_eq!(
        (finding.subject.as_str(), reason.to_string()),
        ("operand 0", "'spyre.other' is not modelled".to_owned())
    );
    assert!(!report.is_proved());
}

#[test]
fn a_loop_without_iterations_is_not_executed() {
    let mut of = Builder::new();
    let x = of.argument(0, [ROWS, 64]);
    let y = of.unary("exp", x, Place::Argument(1));
    let (id, carried) = of.begin_to(Extent::Fixed(0), 1, &[y]);
    let w = of.slice(x, at(id, 16), [64, 64]);
    of.unary("neg", w, Place::Argument(1));
    let results = of.end(&[carried[0]]);
    assert_proved(&of.returns(&results), By::Form);
}

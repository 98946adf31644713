//! Rewrites that the generator does not draw, right ones and wrong ones: nests in another order, windows that overlap,
//! accumulators that are exchanged, gathers of gathers, and operations of which some results are not used.

mod extents;
mod names;

use spyre_isl::Context;
use spyre_proof::claim::Claim;
use spyre_proof::expr::{Expr, Var};
use spyre_proof::program::{LoopId, Program, ValueId};
use spyre_proof::rewrite::prove_rewrite;
use spyre_proof_oracle::build::{Builder, key, points};
use spyre_proof_oracle::compare::compare;
use spyre_proof_oracle::judge::{Answer, answer};

use super::BUDGET;
use super::tally::Tally;

const CLAIMS: [Claim; 2] = [Claim::Coverage, Claim::Correspondence];

/// Expects an answer to a rewrite, and that the execution agrees with each claim.
fn expect(expected: Answer, title: &str, before: &Program, after: &Program) {
    let context = Context::new(BUDGET);
    let mut tally = Tally::default();
    tally.rewrite(&context, title, before, after);
    assert!(
        tally.disagreements.is_empty(),
        "{title}: {:?}",
        tally.disagreements
    );
    let report = prove_rewrite(&context, before, after);
    assert_eq!(answer(&report, &CLAIMS), expected, "{title}: {report:?}");
    let is_equal = compare(before, after, &[]).is_equal();
    assert_eq!(is_equal, expected == Answer::Proved, "{title}");
}

fn counter(id: LoopId) -> Expr {
    Var::Counter(id).into()
}

fn all(rank: usize) -> Vec<Option<usize>> {
    (0..rank).map(Some).collect()
}

/// Adds a window of a tensor, with all dimensions.
fn window(builder: &mut Builder, of: ValueId, first: &[Expr], shape: &[i64]) -> ValueId {
    builder.slice(of, first.to_vec(), all(shape.len()), shape)
}

/// Adds a row of a matrix.
fn row(builder: &mut Builder, of: ValueId, at: Expr) -> ValueId {
    let extent = builder.shape(of)[1];
    builder.slice(of, vec![at, 0.into()], vec![None, Some(0)], &[extent])
}

/// Adds an operation element by element.
fn pointwise(builder: &mut Builder, name: &str, operands: &[ValueId]) -> ValueId {
    let shape = builder.shape(operands[0]);
    let index = |value: &ValueId| (*value, points(shape.len()));
    let operands: Vec<_> = operands.iter().map(index).collect();
    builder.statement(key(name, operands.len()), &shape, 0, operands)
}

/// Adds a reduction of all dimensions but the first.
fn reduced(builder: &mut Builder, name: &str, of: ValueId) -> ValueId {
    let shape = builder.shape(of);
    let operands = vec![(of, points(shape.len()))];
    builder.statement(key(name, 1), &shape, shape.len() - 1, operands)
}

fn whole(name: &str, shape: &[i64]) -> Program {
    let mut builder = Builder::new(64);
    let argument = builder.argument(shape);
    let result = reduced(&mut builder, name, argument);
    builder.finish(vec![result])
}

/// How a reduction of `[2, 4, 6]` is cut along both dimensions: steps, and extents of the tiles.
#[derive(Clone, Copy, Debug)]
struct Nest {
    steps: [i64; 2],
    tiles: [i64; 2],
    /// Whether the columns are the outer loop.
    is_exchanged: bool,
    /// Whether the inner loop starts anew in each iteration of the outer one.
    restarts: bool,
}

fn nest(name: &str, combiner: &str, init: &str, of: Nest) -> Program {
    let mut builder = Builder::new(64);
    let argument = builder.argument(&[2, 4, 6]);
    let init = builder.constant(init, &[2]);
    let bounds = [(0, 4, of.steps[0]), (0, 6, of.steps[1])];
    let order = if of.is_exchanged { [1, 0] } else { [0, 1] };
    let (outer, carried) = builder.open_loop(bounds[order[0]], &[init]);
    let start = if of.restarts { init } else { carried[0] };
    let (inner, carried) = builder.open_loop(bounds[order[1]], &[start]);
    let ids = if of.is_exchanged {
        [inner, outer]
    } else {
        [outer, inner]
    };
    let [row, column] = [0, 1].map(|at| counter(ids[at]).times(of.steps[at]));
    let tile = [2, of.tiles[0], of.tiles[1]];
    let tile = window(&mut builder, argument, &[0.into(), row, column], &tile);
    let part = reduced(&mut builder, name, tile);
    let sum = pointwise(&mut builder, combiner, &[carried[0], part]);
    let sum = builder.close_loop(&[sum])[0];
    let sum = builder.close_loop(&[sum])[0];
    builder.finish(vec![sum])
}

#[test]
fn nests_in_any_order_add_up_all_tiles_once() {
    let right = Nest {
        steps: [2, 3],
        tiles: [2, 3],
        is_exchanged: false,
        restarts: false,
    };
    for (name, combiner, init) in [
        ("sum", "add", "0x0000"),
        ("max", "maximum", "0xfc00"),
        ("prod", "mul", "0x3c00"),
    ] {
        let before = whole(name, &[2, 4, 6]);
        for is_exchanged in [false, true] {
            let right = Nest {
                is_exchanged,
                ..right
            };
            let of = |of| nest(name, combiner, init, of);
            expect(Answer::Proved, name, &before, &of(right));
            let restarts = Nest {
                restarts: true,
                ..right
            };
            let hole = Nest {
                tiles: [1, 3],
                ..right
            };
            let overlap = Nest {
                steps: [1, 3],
                tiles: [1, 3],
                ..right
            };
            expect(Answer::Refuted, "restarts", &before, &of(restarts));
            expect(Answer::Refuted, "hole", &before, &of(hole));
            expect(Answer::Proved, "rows", &before, &of(overlap));
        }
    }
    for (name, combiner, init) in [
        ("min", "minimum", "0xfc00"),
        ("max", "maximum", "0x0000"),
        ("sum", "maximum", "0x0000"),
        ("max", "add", "0x0000"),
    ] {
        let before = whole(name, &[2, 4, 6]);
        let after = nest(name, combiner, init, right);
        expect(Answer::Refuted, name, &before, &after);
    }
}

/// A loop that applies an operation to windows: where it reads, and where it inserts.
fn windows(
    (trips, step, extent): (i64, i64, i64),
    read: impl Fn(Expr) -> Expr,
    insert: impl Fn(Expr) -> Expr,
) -> Program {
    let mut builder = Builder::new(64);
    let argument = builder.argument(&[9]);
    let empty = builder.empty(&[9]);
    let (id, carried) = builder.open_loop((0, trips * step, step), &[empty]);
    let first = counter(id).times(step);
    let tile = window(&mut builder, argument, &[read(first.clone())], &[extent]);
    let tile = pointwise(&mut builder, "exp", &[tile]);
    let next = builder.insert(tile, carried[0], vec![insert(first)]);
    let result = builder.close_loop(&[next])[0];
    builder.finish(vec![result])
}

#[test]
fn windows_may_overlap_if_they_write_the_same() {
    let mut builder = Builder::new(64);
    let argument = builder.argument(&[9]);
    let result = pointwise(&mut builder, "exp", &[argument]);
    let before = builder.finish(vec![result]);
    let same = |first: Expr| first;
    let back = |first: Expr| Expr::from(6).minus(&first);
    let next = |first: Expr| first.plus(&1.into());
    for (expected, title, after) in [
        (Answer::Proved, "overlap", windows((4, 2, 3), same, same)),
        (Answer::Proved, "backwards", windows((4, 2, 3), back, back)),
        (
            Answer::Refuted,
            "reads backwards",
            windows((3, 3, 3), back, same),
        ),
        (Answer::Refuted, "hole", windows((3, 3, 2), same, same)),
        (
            Answer::Refuted,
            "reads the next",
            windows((3, 2, 3), next, same),
        ),
        (Answer::Refuted, "too short", windows((3, 2, 3), same, same)),
    ] {
        expect(expected, title, &before, &after);
    }
}

/// What is exchanged in a loop with two accumulators.
#[derive(Clone, Copy, Debug, Default)]
struct Exchanged {
    inits: bool,
    reads: bool,
    yields: bool,
    results: bool,
}

fn accumulators(trips: i64, exchanged: Exchanged) -> Program {
    let order = |is_exchanged: bool| if is_exchanged { [1, 0] } else { [0, 1] };
    let mut builder = Builder::new(64);
    let terms = [0, 1].map(|_| builder.argument(&[trips, 2]));
    let inits = [0, 1].map(|_| builder.argument(&[2]));
    let inits = order(exchanged.inits).map(|at| inits[at]);
    let (id, carried) = builder.open_loop((0, trips, 1), &inits);
    let carried = order(exchanged.reads).map(|at| carried[at]);
    let next = [0, 1].map(|at| {
        let term = row(&mut builder, terms[at], counter(id));
        pointwise(&mut builder, ["sub", "realdiv"][at], &[carried[at], term])
    });
    let results = builder.close_loop(&order(exchanged.yields).map(|at| next[at]));
    builder.finish(order(exchanged.results).map(|at| results[at]).to_vec())
}

#[test]
fn exchanged_accumulators_are_proved_only_where_all_ends_are_exchanged() {
    for trips in [1, 2, 3, 40] {
        let before = accumulators(trips, Exchanged::default());
        for bits in 0..16 {
            let has = |bit: i32| bits & (1 << bit) != 0;
            let exchanged = Exchanged {
                inits: has(0),
                reads: has(1),
                yields: has(2),
                results: has(3),
            };
            let after = accumulators(trips, exchanged);
            let title = format!("{trips} iterations, {exchanged:?}");
            let expected = match compare(&before, &after, &[]).is_equal() {
                true => Answer::Proved,
                false => Answer::Refuted,
            };
            expect(expected, &title, &before, &after);
        }
    }
}

/// A recurrence in a nest of loops, over the rows of an argument.
fn recurrence(trips: &[i64]) -> Program {
    let mut builder = Builder::new(64);
    let rows = builder.argument(&[6, 2]);
    let mut carried = builder.argument(&[2]);
    let mut at = Expr::zero();
    for trips in trips {
        let (id, inner) = builder.open_loop((0, *trips, 1), &[carried]);
        carried = inner[0];
        at = at.times(*trips).plus(&counter(id));
    }
    let row = row(&mut builder, rows, at);
    let mut next = pointwise(&mut builder, "sub", &[carried, row]);
    for _ in trips {
        next = builder.close_loop(&[next])[0];
    }
    builder.finish(vec![next])
}

#[test]
fn recurrences_are_equal_in_nests_of_as_many_iterations() {
    let before = recurrence(&[6]);
    for (expected, trips) in [
        (Answer::Proved, &[2, 3][..]),
        (Answer::Proved, &[3, 2]),
        (Answer::Proved, &[1, 6]),
        (Answer::Refuted, &[5]),
        (Answer::Refuted, &[2, 2]),
        (Answer::Refuted, &[]),
    ] {
        let after = recurrence(trips);
        expect(expected, &format!("{trips:?}"), &before, &after);
        expect(expected, &format!("from {trips:?}"), &after, &before);
    }
}

/// Differences of neighbours, each in the place of the second one: in the tensor that is read, or beside it.
fn differences(is_in_place: bool, is_backwards: bool) -> Program {
    let mut builder = Builder::new(64);
    let argument = builder.argument(&[6]);
    let (id, carried) = builder.open_loop((0, 5, 1), &[argument]);
    let first = match is_backwards {
        true => Expr::from(4).minus(&counter(id)),
        false => counter(id),
    };
    let second = first.plus(&1.into());
    let source = if is_in_place { carried[0] } else { argument };
    let operands =
        [&first, &second].map(|at| window(&mut builder, source, std::slice::from_ref(at), &[1]));
    let difference = pointwise(&mut builder, "sub", &operands);
    let next = builder.insert(difference, carried[0], vec![second]);
    let result = builder.close_loop(&[next])[0];
    builder.finish(vec![result])
}

#[test]
fn what_is_read_in_place_is_what_earlier_iterations_wrote() {
    let before = differences(false, false);
    expect(Answer::Proved, "beside", &before, &differences(false, true));
    expect(
        Answer::Proved,
        "backwards",
        &before,
        &differences(true, true),
    );
    expect(
        Answer::Refuted,
        "forwards",
        &before,
        &differences(true, false),
    );
}

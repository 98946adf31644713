//! Proofs agree with the execution on terms: what is proved is right, what is refuted is wrong, and not much is
//! undecided.

mod by_hand;
mod copies;
mod tally;

use std::ops::Range;

use spyre_isl::Context;
use spyre_layout::{Coord, Layout};
use spyre_proof::expr::{Expr, Var};
use spyre_proof::program::{Place, Program};
use spyre_proof_oracle::build::{Builder, key, points};
use spyre_proof_oracle::case::{Case, LIMITS};
use spyre_proof_oracle::memory::faults;
use tally::{OTHER_COUNT, Tally};

/// The operations of the solver for one decision.
const BUDGET: u64 = 2_000_000;

/// Faults of one program that are compared.
const FAULTS: usize = 20_000;

fn run(seed: u64, numbers: Range<u64>) -> Tally {
    let mut tally = Tally::default();
    for number in numbers {
        // A context for each case: what one case leaves does not change another.
        let context = Context::new(BUDGET);
        let mut case = Case::draw(seed, number);
        let title = format!("seed {seed} number {number}");
        let after = case.after.clone();
        tally.rewrite(&context, &title, &case.before, &after);
        tally.rewrite(&context, &format!("{title} of loops"), &after, &after);
        for (kind, mutant) in case.mutants(3) {
            let title = format!("{title} mutant {kind:?}");
            tally.rewrite(&context, &title, &case.before, &mutant);
            // A pass that keeps loops: the program before it has them as well.
            let title = format!("{title} of loops");
            tally.rewrite(&context, &title, &after, &mutant);
        }
        let title = format!("seed {seed} number {number}");
        let Some(planned) = case.planned.clone() else {
            continue;
        };
        tally.rewrite(&context, &title, &case.before, &planned);
        tally.places(&context, &title, &planned);
        for (kind, mutant) in case.planned_mutants(3) {
            tally.places(&context, &format!("{title} mutant {kind:?}"), &mutant);
        }
    }
    tally
}

/// Fails on disagreements, and where too much is undecided.
fn check(tally: &Tally) {
    tally.print();
    let kinds = tally.disagreements.iter();
    // Loops of both programs are paired by their counts. Where one has another count, the next loop may be taken for it:
    // what is refuted then is wrong, but under the hypothesis of that pair, so not always in the iteration of the witness.
    let exempt = format!("{OTHER_COUNT}P2 witness");
    let kinds = kinds.filter(|(kind, _)| !kind.starts_with(&exempt));
    let kinds: Vec<_> = kinds.map(|(kind, of)| (kind, of.count)).collect();
    assert!(kinds.is_empty(), "{kinds:?}");
    for (what, most) in [
        ("rewrite", 60),
        ("mutant", 150),
        ("plan", 60),
        ("mutant of plan", 100),
    ] {
        let unknown = tally.unknown(what);
        assert!(
            unknown <= most,
            "{unknown} of 1000 answers to each {what} are unknown"
        );
    }
}

#[test]
fn proofs_agree_with_execution() {
    check(&run(1, 0..100));
}

/// Returns a program that squares windows of a tensor in a loop; the copy of a window is at a byte of the pool. The
/// squares are at its start, a stick each.
fn squares(copy: i64) -> Program {
    let mut builder = Builder::new(64);
    let tensor = builder.argument(&[3]);
    let squares = builder.empty(&[3]);
    let (id, carried) = builder.open_loop((0, 3, 1), &[squares]);
    let first = vec![Expr::from(Var::Counter(id))];
    let window = builder.slice(tensor, first.clone(), vec![Some(0)], &[1]);
    let copied = builder.copy(window);
    let operands = vec![(window, points(1)), (copied, points(1))];
    let square = builder.statement(key("mul", 2), &[1], 0, operands);
    let next = builder.insert(square, carried[0], first);
    let all = builder.close_loop(&[next])[0];
    let result = builder.copy(all);
    let mut program = builder.finish(vec![result]);
    let sticks =
        Layout::new(1, vec![Coord::dim(0), Coord::Zero]).expect("a stick for each element");
    for value in &mut program.values {
        value.layout = Some(sticks.clone());
    }
    for (value, place) in [
        (tensor, Place::Argument(0)),
        (squares, Place::Pool(0)),
        (copied, Place::Pool(copy)),
        (square, Place::Window),
        (result, Place::Argument(1)),
    ] {
        program.values[value.index()].place = Some(place);
    }
    program
}

#[test]
fn a_tile_over_a_window_of_an_earlier_iteration_is_refuted() {
    let context = Context::new(BUDGET);
    // Over the last window nothing is lost, since that is written after the last copy.
    for (copy, is_lost) in [(0, true), (128, true), (256, false), (384, false)] {
        let program = squares(copy);
        let mut tally = Tally::default();
        tally.places(&context, "squares", &program);
        assert!(tally.disagreements.is_empty(), "{:?}", tally.disagreements);
        let found = faults(&program, &[], LIMITS, FAULTS);
        let lost = found.iter().any(|fault| !fault.wrong.is_harmless());
        assert_eq!(lost, is_lost, "{found:?}");
    }
}

fn number(variable: &str, default: u64) -> u64 {
    let value = std::env::var(variable).ok();
    value.map_or(default, |value| {
        value
            .parse()
            .unwrap_or_else(|_| panic!("{variable} is {value}, no number"))
    })
}

#[test]
#[ignore = "twenty minutes with --release; SPYRE_SEEDS programs of SPYRE_SEED, from SPYRE_FIRST on"]
fn all_proofs_agree_with_execution() {
    let first = number("SPYRE_FIRST", 0);
    let last = first + number("SPYRE_SEEDS", 20_000);
    check(&run(number("SPYRE_SEED", 1), first..last));
}

//! The oracle itself: right rewrites compute the same and find all elements in memory, and mutants mostly do not.

use std::collections::BTreeMap;

use spyre_layout::{Coord, Layout};
use spyre_proof::expr::Expr;
use spyre_proof::program::{Place, Program};
use spyre_proof_oracle::build::{Builder, key, point, points};
use spyre_proof_oracle::case::{Case, LIMITS};
use spyre_proof_oracle::compare::compare;
use spyre_proof_oracle::memory::{Wrong, faults};
use spyre_proof_oracle::mutate::Mutation;
use spyre_proof_oracle::text::Text;

const SEED: u64 = 1;
const CASES: u64 = 300;

#[test]
fn right_rewrites_compute_the_same_elements() {
    let mut same = 0;
    for number in 0..CASES {
        let case = Case::draw(SEED, number);
        let whole = compare(&case.before, &case.before, &[]);
        assert!(
            whole.is_same(),
            "{number}: {}\n{}",
            whole.text,
            Text(&case.before)
        );
        let tiled = compare(&case.before, &case.after, &[]);
        assert!(
            tiled.is_equal(),
            "{number}: {}\n{}",
            tiled.text,
            Text(&case.after)
        );
        same += u64::from(tiled.is_same());
    }
    assert!(
        same * 100 >= 97 * CASES,
        "only {same} are the same by their operations"
    );
}

#[test]
fn right_plans_find_all_elements_in_memory() {
    let mut planned = 0;
    for number in 0..CASES {
        let case = Case::draw(SEED, number);
        let Some(program) = case.planned else {
            continue;
        };
        planned += 1;
        let compared = compare(&case.before, &program, &[]);
        assert!(
            compared.is_equal(),
            "{number}: {}\n{}",
            compared.text,
            Text(&program)
        );
        let found = faults(&program, &[], LIMITS, 10);
        assert!(found.is_empty(), "{number}: {found:#?}\n{}", Text(&program));
    }
    assert!(planned * 100 >= 95 * CASES, "only {planned} have a plan");
}

#[test]
fn mutants_mostly_compute_something_else() {
    let mut counts: BTreeMap<Mutation, [u64; 3]> = BTreeMap::new();
    for number in 0..CASES {
        let mut case = Case::draw(SEED, number);
        for (kind, mutant) in case.mutants(3) {
            let compared = compare(&case.before, &mutant, &[]);
            let of_kind = counts.entry(kind).or_default();
            of_kind[0] += 1;
            of_kind[1] += u64::from(!compared.is_equal());
            of_kind[2] += u64::from(!compared.is_same());
        }
    }
    for kind in Mutation::OF_VALUES {
        let [all, values, terms] = counts[&kind];
        println!("{kind:?}: {all}, {values} with other values, {terms} with other operations");
        let least = match kind {
            // Where the copy was needed for its place alone, nothing changes.
            Mutation::DroppedCopy => 0,
            // Half of the operands may be exchanged, and most loops overwrite all of the tensor that they start with.
            Mutation::Operand => 2,
            Mutation::Init => 1,
            _ => 5,
        };
        assert!(values * 10 >= all * least, "{kind:?}: {values} of {all}");
        assert!(terms >= values);
    }
}

#[test]
fn mutants_of_plans_mostly_lose_elements() {
    let mut counts: BTreeMap<Mutation, [u64; 2]> = BTreeMap::new();
    let mut wrongs = BTreeMap::new();
    for number in 0..CASES {
        let mut case = Case::draw(SEED, number);
        for (kind, mutant) in case.planned_mutants(3) {
            let found = faults(&mutant, &[], LIMITS, 1000);
            let of_kind = counts.entry(kind).or_default();
            of_kind[0] += 1;
            of_kind[1] += u64::from(found.iter().any(|fault| !fault.wrong.is_harmless()));
            for fault in found {
                *wrongs.entry(fault.wrong).or_insert(0) += 1;
            }
        }
    }
    println!("{counts:?}\n{wrongs:?}");
    // Most other layouts, and other orders of cores, are right as well.
    for kind in [Mutation::Place, Mutation::ExchangedPlaces, Mutation::Split] {
        let [all, lost] = counts[&kind];
        assert!(lost * 5 >= all, "{kind:?}: {lost} of {all}");
    }
}

/// Returns a sum of two elements, written at a byte of the pool; the elements are at its start, a stick each.
fn sum_over_its_operand(byte: i64) -> Program {
    let mut builder = Builder::new(64);
    let argument = builder.argument(&[2]);
    let copy = builder.copy(argument);
    let sum = builder.statement(key("sum", 1), &[1, 2], 1, vec![(copy, vec![point(1)])]);
    let result = builder.copy(sum);
    let mut program = builder.finish(vec![result]);
    let sticks =
        Layout::new(1, vec![Coord::dim(0), Coord::Zero]).expect("a stick for each element");
    for (value, place) in [
        (argument, Place::Argument(0)),
        (copy, Place::Pool(0)),
        (sum, Place::Pool(byte)),
        (result, Place::Argument(1)),
    ] {
        let value = &mut program.values[value.index()];
        (value.layout, value.place) = (Some(sticks.clone()), Some(place));
    }
    program
}

#[test]
fn a_sum_over_one_of_its_terms_is_a_race() {
    for (byte, is_race) in [(0, true), (128, true), (256, false)] {
        let found = faults(&sum_over_its_operand(byte), &[], LIMITS, 10);
        let mut races = found.iter().filter(|fault| fault.wrong == Wrong::Race);
        assert_eq!(races.next().is_some(), is_race, "{byte}: {found:?}");
    }
}

#[test]
fn a_sum_of_sums_of_one_term_is_a_part() {
    // Sums of one element each are operations of the program before; the program after adds them up.
    let before = |builder: &mut Builder| {
        let argument = builder.argument(&[3]);
        let whole = builder.statement(key("sum", 1), &[1, 3], 1, vec![(argument, vec![point(1)])]);
        let single = builder.statement(key("sum", 1), &[3, 1], 1, vec![(argument, vec![point(0)])]);
        (whole, single)
    };
    let mut builder = Builder::new(64);
    let (whole, single) = before(&mut builder);
    let expected = builder.finish(vec![whole, single]);
    let mut builder = Builder::new(64);
    let argument = builder.argument(&[3]);
    let single = builder.statement(key("sum", 1), &[3, 1], 1, vec![(argument, vec![point(0)])]);
    let mut sum = None;
    for row in 0..3 {
        let window = builder.slice(single, vec![Expr::from(row)], vec![Some(0)], &[1]);
        sum = Some(match sum {
            None => window,
            Some(sum) => {
                let operands = vec![(sum, points(1)), (window, points(1))];
                builder.statement(key("add", 2), &[1], 0, operands)
            }
        });
    }
    let found = builder.finish(vec![sum.expect("three rows"), single]);
    let compared = compare(&expected, &found, &[]);
    assert!(compared.is_equal(), "{}", compared.text);
    assert!(compared.other_point_values.is_empty(), "{}", compared.text);
}

#[test]
fn a_tensor_in_the_place_of_a_smaller_result_does_not_fit() {
    let mut builder = Builder::new(64);
    let argument = builder.argument(&[2]);
    let large = builder.copy(argument);
    let window = builder.slice(large, vec![Expr::zero()], vec![Some(0)], &[1]);
    let small = builder.copy(window);
    let result = builder.copy(small);
    let mut program = builder.finish(vec![result]);
    let sticks =
        Layout::new(1, vec![Coord::dim(0), Coord::Zero]).expect("a stick for each element");
    for (value, place) in [
        (argument, Place::Argument(0)),
        (large, Place::Argument(1)),
        (small, Place::Pool(0)),
        (result, Place::Argument(1)),
    ] {
        let value = &mut program.values[value.index()];
        (value.layout, value.place) = (Some(sticks.clone()), Some(place));
    }
    let found = faults(&program, &[], LIMITS, 10);
    let wrongs: Vec<_> = found
        .iter()
        .map(|fault| (fault.wrong, fault.tensor))
        .collect();
    // The first copy writes it, and the second reads it.
    assert_eq!(
        wrongs,
        [(Wrong::Capacity, 1), (Wrong::Capacity, 0)],
        "{found:?}"
    );
}

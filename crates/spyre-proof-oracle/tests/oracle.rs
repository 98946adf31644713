//! The oracle itself: right rewrites compute the same and find all elements in memory, and mutants mostly do not.

use std::collections::BTreeMap;

use spyre_proof_oracle::case::{Case, LIMITS};
use spyre_proof_oracle::compare::compare;
use spyre_proof_oracle::memory::faults;
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

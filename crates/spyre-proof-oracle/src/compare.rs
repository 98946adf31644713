//! Compares what two programs compute, element by element.

use rustc_hash::{FxHashMap, FxHashSet};
use spyre_proof::program::{Program, StatementId};

use crate::machine::{Instance, Values, execute, execute_but};
use crate::term::{Node, Term, Terms};

/// How a program differs from the program before it: the smallest element or point of each kind.
#[derive(Debug, Default)]
pub struct Comparison {
    /// Reads of elements that nothing has written, with the operand, in the order of execution.
    pub undefined: Vec<(Instance, usize)>,
    /// Elements of results that nothing has written: number of the result, element.
    pub undefined_results: Vec<(usize, Vec<i64>)>,
    /// Elements of results that are other numbers, by all laws of combiners.
    pub other_values: Vec<(usize, Vec<i64>)>,
    /// Elements of results that other operations compute; all of [`Comparison::other_values`] are among them.
    pub other_terms: Vec<(usize, Vec<i64>)>,
    /// Points of operations that the program before does not compute, not even as a part of a reduction.
    pub other_points: Vec<Instance>,
    /// The same, where the number is not one of the program before, nor a sum of some of the terms of a reduction, by any
    /// law either. What is computed from elements that nothing has written is not among them: that is a matter of
    /// coverage.
    pub other_point_values: Vec<Instance>,
    /// Points of operations in loops, of which the program before has the same operation in as many loops, and another
    /// number in that iteration at that point.
    pub other_instances: FxHashSet<Instance>,
    /// Points of operations that the program before may lack, although it has their numbers: an operand, or a part of it,
    /// by a law, and the sum of some terms of a reduction.
    pub replaceable: Vec<Instance>,
    /// The first difference, as text.
    pub text: String,
}

impl Comparison {
    /// Returns whether the results are the same numbers, and all that is read has been written.
    #[must_use]
    pub fn is_equal(&self) -> bool {
        self.is_covered() && self.other_values.is_empty()
    }

    /// Returns whether all that is read or returned has been written.
    #[must_use]
    pub fn is_covered(&self) -> bool {
        self.undefined.is_empty() && self.undefined_results.is_empty()
    }

    /// Returns whether an operation that computes reads what nothing has written, or it is returned: copies of it are
    /// not read yet.
    #[must_use]
    pub fn is_read_undefined(&self, after: &Program) -> bool {
        let mut reads = self.undefined.iter();
        !self.undefined_results.is_empty()
            || reads.any(|(at, _)| !after.statement(at.statement).is_move)
    }

    /// Returns whether each operation is one of the program before, and each result the same.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.is_covered() && self.other_terms.is_empty() && self.other_points.is_empty()
    }
}

/// Compares a program with the program before it, for values of their parameters.
#[must_use]
pub fn compare(before: &Program, after: &Program, params: &[i64]) -> Comparison {
    let mut terms = Terms::default();
    let expected = execute(before, params, &mut terms, None, &mut ());
    let of_before = expected.computed.iter().map(|(_, term)| *term);
    let computed: FxHashSet<Term> = of_before.collect();
    let reductions = computed.iter().copied();
    let complete: FxHashSet<Term> = reductions
        .filter(|term| matches!(terms.node(*term), Node::Reduction(..)))
        .collect();
    let found = execute(after, params, &mut terms, Some(&complete), &mut ());
    let mut comparison = Comparison {
        undefined: found.undefined.clone(),
        replaceable: found.folded.clone(),
        ..Comparison::default()
    };
    results(&expected, &found, &mut terms, &mut comparison);
    points(&computed, &complete, &found, &mut terms, &mut comparison);
    comparison.other_instances = other_instances([before, after], [&expected, &found]);
    comparison
}

/// Returns whether an element of a result that is another number is computed from a point of an operation.
#[must_use]
pub fn is_cause(
    after: &Program,
    params: &[i64],
    comparison: &Comparison,
    instance: &Instance,
) -> bool {
    let mut terms = Terms::default();
    let mark = terms.opaque();
    let replaced = Some((instance, mark));
    let values = execute_but(after, params, &mut terms, None, (replaced, &mut ()));
    let mut wrong = comparison.other_values.iter();
    wrong.any(|(result, element)| {
        let cell = values.results[*result].at(element);
        cell.is_some_and(|cell| terms.depends_on(cell.term, mark))
    })
}

fn results(expected: &Values, found: &Values, terms: &mut Terms, into: &mut Comparison) {
    assert_eq!(
        expected.results.len(),
        found.results.len(),
        "programs with other numbers of results are not compared"
    );
    for (at, (a, b)) in expected.results.iter().zip(&found.results).enumerate() {
        let shape = a.shape.clone();
        if shape != b.shape {
            into.other_values.push((at, Vec::new()));
            continue;
        }
        crate::machine::for_each_point(&shape, |element| {
            let (a, b) = (a.at(element), b.at(element));
            let (a, b) = (a.expect("inside").term, b.expect("inside").term);
            let place = (at, element.to_vec());
            if terms.is_undefined(b) {
                into.undefined_results.push(place.clone());
            }
            if a == b {
                return;
            }
            if into.text.is_empty() {
                let (a, b) = (terms.text(a, 4), terms.text(b, 4));
                into.text = format!("result {at} {element:?}: {a} before, {b} after");
            }
            into.other_terms.push(place.clone());
            if terms.value(a) != terms.value(b) {
                into.other_values.push(place);
            }
        });
    }
}

fn other_instances(programs: [&Program; 2], values: [&Values; 2]) -> FxHashSet<Instance> {
    let [before, after] = programs;
    let is_in_both = |id: StatementId| {
        let of = before.statements.get(id.index());
        let after = after.statement(id);
        !after.loops.is_empty()
            && of.is_some_and(|of| of.key == after.key && of.loops.len() == after.loops.len())
    };
    let key = |at: &Instance| {
        let counters = at.counters.iter().map(|(_, counter)| *counter);
        (at.statement, counters.collect::<Vec<_>>(), at.point.clone())
    };
    let of_before = values[0].computed.iter();
    let of_before: FxHashMap<_, _> = of_before.map(|(at, term)| (key(at), *term)).collect();
    let of_after = values[1].computed.iter();
    let of_after = of_after.filter(|(at, _)| is_in_both(at.statement));
    let other = of_after.filter(|(at, term)| of_before.get(&key(at)) != Some(term));
    other.map(|(at, _)| at.clone()).collect()
}

fn points(
    computed: &FxHashSet<Term>,
    complete: &FxHashSet<Term>,
    found: &Values,
    terms: &mut Terms,
    into: &mut Comparison,
) {
    let mut is_of_before: FxHashMap<Term, bool> = FxHashMap::default();
    let mut is_value_of_before: FxHashMap<Term, bool> = FxHashMap::default();
    let values: FxHashSet<Term> = computed.iter().map(|term| terms.value(*term)).collect();
    for (instance, term) in &found.computed {
        let known = *is_of_before.entry(*term).or_insert_with(|| {
            computed.contains(term) || complete.iter().any(|whole| terms.is_part(*term, *whole))
        });
        if known {
            if !computed.contains(term) {
                into.replaceable.push(instance.clone());
            }
            continue;
        }
        if into.text.is_empty() {
            into.text = format!("{instance:?}: {} after", terms.text(*term, 4));
        }
        into.other_points.push(instance.clone());
        let known = *is_value_of_before.entry(*term).or_insert_with(|| {
            let value = terms.value(*term);
            // A number that no operation computes, such as the sum of no terms, is one of all programs.
            terms.has_undefined(*term)
                || matches!(terms.node(value), Node::Constant(_))
                || values.contains(&value)
                || complete
                    .iter()
                    .any(|whole| terms.is_sum_of_part(*term, *whole))
        });
        if !known {
            into.other_point_values.push(instance.clone());
        }
    }
}

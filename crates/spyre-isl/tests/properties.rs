//! The laws of relations, against the enumeration of their pairs.
//!
//! Relations are random unions of conjunctions over boxes with sides of up to 6 points, with a quotient, the
//! congruence of a remainder, and existentials. The expected results are computed from sets of pairs, by loops.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{TestCaseError, TestRunner};
use spyre_isl::{Basic, Context, Div, Failure, Point, Relation, Shape};

/// The range of existentials that are no quotients.
const LOCALS: RangeInclusive<i64> = 0..=2;

/// A relation as conjunctions, in a box from 0 to the sides.
#[derive(Debug, Clone)]
struct Sample {
    shape: Shape,
    /// The number of points of each parameter, input and output.
    sides: Vec<i64>,
    basics: Vec<Basic>,
}

/// Parameters, inputs and outputs.
type Pair = (Vec<i64>, Vec<i64>, Vec<i64>);

/// A relation as pairs.
type Pairs = BTreeSet<Pair>;

impl Sample {
    /// Returns the relation in isl.
    fn relation(&self, context: &Context) -> Result<Relation, Failure> {
        Relation::from_union(context, self.shape, &self.basics)
    }

    /// Returns the pairs that fulfil a conjunction, by their enumeration.
    fn pairs(&self) -> Pairs {
        pairs_of(self.shape, &self.sides, &self.basics)
    }
}

/// Returns the points of a box, whose coordinates begin at 0.
fn points(sides: &[i64]) -> Vec<Vec<i64>> {
    let mut points = vec![vec![]];
    for &side in sides {
        let longer = |point: &Vec<i64>| {
            let point = point.clone();
            (0..side).map(move |x| [&point[..], &[x]].concat())
        };
        points = points.iter().flat_map(longer).collect();
    }
    points
}

fn pairs_of(shape: Shape, sides: &[i64], basics: &[Basic]) -> Pairs {
    let (params, ins) = (shape.params, shape.params + shape.ins);
    let is_in = |point: &Vec<i64>| basics.iter().any(|basic| fulfils(basic, point));
    let split = |point: Vec<i64>| {
        let parts = (&point[..params], &point[params..ins], &point[ins..]);
        (parts.0.to_vec(), parts.1.to_vec(), parts.2.to_vec())
    };
    points(sides).into_iter().filter(is_in).map(split).collect()
}

/// Whether a point fulfils a conjunction, for some values of the existentials.
fn fulfils(basic: &Basic, point: &[i64]) -> bool {
    let mut columns = vec![1];
    columns.extend(point);
    for div in &basic.divs {
        columns.push(dot(&div.numerator, &columns).div_euclid(div.denominator));
    }
    let width = LOCALS.end() - LOCALS.start() + 1;
    points(&vec![width; basic.locals]).iter().any(|locals| {
        let locals = locals.iter().map(|local| local + LOCALS.start());
        let columns: Vec<i64> = columns.iter().copied().chain(locals).collect();
        basic.equalities.iter().all(|row| dot(row, &columns) == 0)
            && basic.inequalities.iter().all(|row| dot(row, &columns) >= 0)
    })
}

fn dot(row: &[i64], columns: &[i64]) -> i64 {
    row.iter().zip(columns).map(|(a, b)| a * b).sum()
}

/// Returns the pairs of a relation in isl, after a check that there are none outside of the box.
fn enumerated(relation: &Relation, sides: &[i64]) -> Result<Pairs, Failure> {
    let shape = relation.shape();
    let mut bounds = Basic::universe(shape);
    for (column, side) in sides.iter().enumerate() {
        bounds
            .inequalities
            .extend(interval(bounds.columns(), column + 1, 0, side - 1));
    }
    let bounds = Relation::from_basic(relation.context(), &bounds)?;
    assert!(
        relation.is_subset(&bounds)?,
        "{relation} is outside of {sides:?}"
    );
    let mut pairs = Pairs::new();
    extend(relation, sides, &mut vec![], &mut pairs)?;
    Ok(pairs)
}

/// Adds the pairs whose first coordinates are `start`, which are fixed in the relation.
fn extend(
    relation: &Relation,
    sides: &[i64],
    start: &mut Vec<i64>,
    pairs: &mut Pairs,
) -> Result<(), Failure> {
    if relation.is_empty()? {
        return Ok(());
    }
    let Shape { params, ins, .. } = relation.shape();
    let position = start.len();
    if position == sides.len() {
        let (param, rest) = start.split_at(params);
        let (input, output) = rest.split_at(ins);
        pairs.insert((param.to_vec(), input.to_vec(), output.to_vec()));
        return Ok(());
    }
    for value in 0..sides[position] {
        let fixed = if position < params {
            relation.fix_param(position, value)?
        } else if position < params + ins {
            relation.fix_in(position - params, value)?
        } else {
            relation.fix_out(position - params - ins, value)?
        };
        start.push(value);
        extend(&fixed, sides, start, pairs)?;
        start.pop();
    }
    Ok(())
}

/// Returns the inequalities of a column between two numbers.
fn interval(columns: usize, column: usize, first: i64, last: i64) -> [Vec<i64>; 2] {
    let mut rows = [vec![0; columns], vec![0; columns]];
    rows[0][0] = -first;
    rows[0][column] = 1;
    rows[1][0] = last;
    rows[1][column] = -1;
    rows
}

/// Returns a row with small coefficients.
fn row(columns: usize) -> impl Strategy<Value = Vec<i64>> {
    let coefficients = proptest::collection::vec(-2_i64..=2, columns - 1);
    (-6_i64..=8, coefficients).prop_map(|(constant, rest)| [&[constant], &rest[..]].concat())
}

/// Returns conjunctions in a box: a quotient, the remainder of another one, existentials, and rows of all columns.
fn basic(shape: Shape, sides: Vec<i64>) -> impl Strategy<Value = Basic> {
    let fixed = 1 + shape.dims();
    let quotient = (row(fixed), 2_i64..=4);
    let remainder = proptest::option::of((row(fixed + 1), 2_i64..=3, 0_i64..=1));
    (quotient, remainder, 0_usize..=1).prop_flat_map(move |(quotient, remainder, locals)| {
        let columns = fixed + 1 + usize::from(remainder.is_some()) + locals;
        let mut basic = Basic {
            divs: vec![Div {
                numerator: quotient.0,
                denominator: quotient.1,
            }],
            locals,
            ..Basic::universe(shape)
        };
        if let Some((numerator, denominator, remainder)) = remainder {
            // numerator - denominator * floor(numerator / denominator) = remainder.
            let mut congruence = numerator.clone();
            congruence.resize(columns, 0);
            congruence[0] -= remainder;
            congruence[fixed + 1] = -denominator;
            basic.equalities.push(congruence);
            basic.divs.push(Div {
                numerator,
                denominator,
            });
        }
        for (column, side) in sides.iter().enumerate() {
            basic
                .inequalities
                .extend(interval(columns, column + 1, 0, side - 1));
        }
        for local in columns - locals..columns {
            basic
                .inequalities
                .extend(interval(columns, local, *LOCALS.start(), *LOCALS.end()));
        }
        let inequalities = proptest::collection::vec(row(columns), 0..=2);
        let equality = proptest::option::weighted(0.3, row(columns));
        (Just(basic), inequalities, equality).prop_map(|(mut basic, inequalities, equality)| {
            basic.inequalities.extend(inequalities);
            basic.equalities.extend(equality);
            basic
        })
    })
}

/// Returns unions of one or two conjunctions in a box.
fn union(shape: Shape, sides: Vec<i64>) -> impl Strategy<Value = Sample> {
    let basics = proptest::collection::vec(basic(shape, sides.clone()), 1..=2);
    basics.prop_map(move |basics| Sample {
        shape,
        sides: sides.clone(),
        basics,
    })
}

/// Returns `count` relations with one parameter, between spaces of one or two coordinates. Where spaces have to be the
/// same, such as the outputs of a relation and the inputs of the next, `spaces` has the same number twice.
fn samples(spaces: Vec<[usize; 2]>) -> impl Strategy<Value = Vec<Sample>> {
    let sides = proptest::collection::vec(proptest::collection::vec(2_i64..=6, 1..=2), 3);
    sides.prop_flat_map(move |mut sides| {
        for space in &mut sides {
            // Two coordinates have sides of up to 4 points, as the number of pairs is their product.
            let most = if space.len() == 1 { 6 } else { 4 };
            space.iter_mut().for_each(|side| *side = most.min(*side));
        }
        let relation = |&[from, to]: &[usize; 2]| {
            let shape = Shape {
                params: 1,
                ins: sides[from].len(),
                outs: sides[to].len(),
            };
            union(shape, [&[2], &sides[from][..], &sides[to]].concat())
        };
        spaces.iter().map(relation).collect::<Vec<_>>()
    })
}

/// Returns the smallest or largest pair of each input.
fn optima(pairs: &Pairs, is_better: impl Fn(&[i64], &[i64]) -> bool) -> Pairs {
    let best = |(param, input, output): &&Pair| {
        let others = pairs
            .iter()
            .filter(|pair| pair.0 == *param && pair.1 == *input);
        !others.into_iter().any(|pair| is_better(&pair.2, output))
    };
    pairs.iter().filter(best).cloned().collect()
}

/// Returns the sides of a set of the first or second points of a relation.
fn side(sample: &Sample, outputs: bool) -> Vec<i64> {
    let (params, ins) = (sample.shape.params, sample.shape.ins);
    let all = &sample.sides;
    let points = if outputs {
        &all[params + ins..]
    } else {
        &all[params..params + ins]
    };
    [&all[..params], points].concat()
}

/// The operations of isl that a case may take. A few samples in thousands take minutes: emptiness is exponential.
const BUDGET: u64 = 1_000_000;

/// Turns a failure of isl into one of the case; a sample that is too difficult is drawn again.
fn checked<T>(result: Result<T, Failure>) -> Result<T, TestCaseError> {
    result.map_err(|failure| match failure {
        Failure::Budget => TestCaseError::reject("too difficult"),
        failure => TestCaseError::fail(failure.to_string()),
    })
}

#[test]
fn most_samples_have_pairs() {
    let mut runner = TestRunner::deterministic();
    let strategy = samples(vec![[0, 1]]);
    let mut sample = || strategy.new_tree(&mut runner).expect("a sample").current();
    let sizes: Vec<usize> = (0..200).map(|_| sample()[0].pairs().len()).collect();
    let filled = sizes.iter().filter(|&&size| size > 1).count();
    assert!(filled > 100, "{filled} of 200 samples: {sizes:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn rows_go_in_and_come_out(samples in samples(vec![[0, 1]])) {
        let context = Context::new(BUDGET);
        let sample = &samples[0];
        let relation = checked(sample.relation(&context))?;
        let expected = sample.pairs();
        prop_assert_eq!(&checked(enumerated(&relation, &sample.sides))?, &expected);
        let basics = checked(relation.basics())?;
        let again = checked(Relation::from_union(&context, sample.shape, &basics))?;
        prop_assert!(checked(again.is_equal(&relation))?);
        // Without isl: all existentials are quotients.
        prop_assert_eq!(pairs_of(sample.shape, &sample.sides, &basics), expected);
    }

    #[test]
    fn unions_intersections_and_differences(samples in samples(vec![[0, 1], [0, 1]])) {
        let context = Context::new(BUDGET);
        let (a, b) = (checked(samples[0].relation(&context))?, checked(samples[1].relation(&context))?);
        let (left, right) = (samples[0].pairs(), samples[1].pairs());
        let sides = &samples[0].sides;
        prop_assert_eq!(checked(a.union(&b).and_then(|c| enumerated(&c, sides)))?, &left | &right);
        prop_assert_eq!(checked(a.intersect(&b).and_then(|c| enumerated(&c, sides)))?, &left & &right);
        let difference = checked(a.subtract(&b))?;
        prop_assert_eq!(checked(enumerated(&difference, sides))?, &left - &right);
        let coalesced = checked(a.union(&b).and_then(|c| c.coalesce()))?;
        prop_assert_eq!(checked(enumerated(&coalesced, sides))?, &left | &right);
        prop_assert_eq!(checked(a.is_subset(&b))?, left.is_subset(&right));
        prop_assert!(checked(difference.is_subset(&a))?);
        prop_assert_eq!(checked(a.is_equal(&b))?, left == right);
        prop_assert!(checked(coalesced.is_equal(&difference.union(&b).unwrap()))?);
        prop_assert_eq!(checked(a.is_disjoint(&b))?, left.is_disjoint(&right));
        prop_assert!(checked(difference.is_disjoint(&b))?);
        prop_assert_eq!(checked(difference.is_empty())?, left.is_subset(&right));
    }

    #[test]
    fn compositions(samples in samples(vec![[0, 1], [1, 2]])) {
        let context = Context::new(BUDGET);
        let (a, b) = (checked(samples[0].relation(&context))?, checked(samples[1].relation(&context))?);
        let next = samples[1].pairs();
        let follow = |(param, input, middle): Pair| {
            let rest = next.iter().filter(move |pair| pair.0 == param && pair.1 == middle);
            rest.map(|pair| (pair.0.clone(), input.clone(), pair.2.clone())).collect::<Vec<_>>()
        };
        let expected: Pairs = samples[0].pairs().into_iter().flat_map(follow).collect();
        let sides = [side(&samples[0], false), side(&samples[1], true)[1..].to_vec()].concat();
        let composed = checked(a.then(&b))?;
        prop_assert_eq!(checked(enumerated(&composed, &sides))?, expected);
        let reversed = checked(b.reverse().and_then(|b| b.then(&a.reverse()?)?.reverse()))?;
        prop_assert!(checked(reversed.is_equal(&composed))?);
    }

    #[test]
    fn domains_ranges_and_restrictions(samples in samples(vec![[0, 1], [2, 0], [1, 2]])) {
        let context = Context::new(BUDGET);
        let relation = checked(samples[0].relation(&context))?;
        let pairs = samples[0].pairs();
        let firsts: Pairs = pairs.iter().map(|pair| (pair.0.clone(), vec![], pair.1.clone())).collect();
        let seconds: Pairs = pairs.iter().map(|pair| (pair.0.clone(), vec![], pair.2.clone())).collect();
        let sides = &samples[0].sides;
        prop_assert_eq!(checked(relation.domain().and_then(|a| enumerated(&a, &side(&samples[0], false))))?, firsts);
        prop_assert_eq!(checked(relation.range().and_then(|a| enumerated(&a, &side(&samples[0], true))))?, seconds);
        let inputs = checked(samples[1].relation(&context).and_then(|a| a.range()))?;
        let outputs = checked(samples[2].relation(&context).and_then(|a| a.domain()))?;
        let is_input: BTreeSet<_> = samples[1].pairs().into_iter().map(|pair| (pair.0, pair.2)).collect();
        let is_output: BTreeSet<_> = samples[2].pairs().into_iter().map(|pair| (pair.0, pair.1)).collect();
        let (with, without): (Pairs, Pairs) =
            pairs.iter().cloned().partition(|pair| is_input.contains(&(pair.0.clone(), pair.1.clone())));
        prop_assert_eq!(checked(relation.restrict_domain(&inputs).and_then(|a| enumerated(&a, sides)))?, with);
        prop_assert_eq!(checked(relation.subtract_domain(&inputs).and_then(|a| enumerated(&a, sides)))?, without);
        let (with, without): (Pairs, Pairs) =
            pairs.iter().cloned().partition(|pair| is_output.contains(&(pair.0.clone(), pair.2.clone())));
        prop_assert_eq!(checked(relation.restrict_range(&outputs).and_then(|a| enumerated(&a, sides)))?, with);
        prop_assert_eq!(checked(relation.subtract_range(&outputs).and_then(|a| enumerated(&a, sides)))?, without);
    }

    #[test]
    fn optima_and_functions(samples in samples(vec![[0, 1]])) {
        let context = Context::new(BUDGET);
        let relation = checked(samples[0].relation(&context))?;
        let pairs = samples[0].pairs();
        let sides = &samples[0].sides;
        let smallest = optima(&pairs, |a, b| a < b);
        let largest = optima(&pairs, |a, b| a > b);
        prop_assert_eq!(&checked(relation.lexmin().and_then(|a| enumerated(&a, sides)))?, &smallest);
        let last = checked(relation.lexmax())?;
        prop_assert_eq!(&checked(enumerated(&last, sides))?, &largest);
        prop_assert_eq!(checked(relation.is_single_valued())?, smallest == pairs);
        prop_assert!(checked(last.is_single_valued())?);
        let exchanged: Pairs = pairs.iter().map(|pair| (pair.0.clone(), pair.2.clone(), pair.1.clone())).collect();
        let is_injective = optima(&exchanged, |a, b| a < b) == exchanged;
        prop_assert_eq!(checked(relation.is_injective())?, is_injective);
        let first = pairs.first().map(|(params, ins, outs)| Point {
            params: params.clone(),
            ins: ins.clone(),
            outs: outs.clone(),
        });
        prop_assert_eq!(checked(relation.sample())?, first);
    }

    #[test]
    fn projections_and_moves(samples in samples(vec![[0, 1]])) {
        let context = Context::new(BUDGET);
        let relation = checked(samples[0].relation(&context))?;
        let sides = &samples[0].sides;
        let shape = samples[0].shape;
        let without = |position: usize| {
            let mut sides = sides.clone();
            sides.remove(position);
            sides
        };
        let pairs = samples[0].pairs();
        let mapped = |change: &dyn Fn(&mut Pair)| -> Pairs {
            pairs.iter().cloned().map(|mut pair| { change(&mut pair); pair }).collect()
        };
        let projected = checked(relation.project_out_ins(0, 1).and_then(|a| enumerated(&a, &without(1))))?;
        prop_assert_eq!(projected, mapped(&|pair| _ = pair.1.remove(0)));
        let last = sides.len() - 1;
        let projected = checked(relation.project_out_outs(shape.outs - 1, 1).and_then(|a| enumerated(&a, &without(last))))?;
        prop_assert_eq!(projected, mapped(&|pair| _ = pair.2.pop()));
        let projected = checked(relation.project_params_out(0, 1).and_then(|a| enumerated(&a, &without(0))))?;
        prop_assert_eq!(projected, mapped(&|pair| _ = pair.0.pop()));
        let moved = checked(relation.move_outs_to_ins(0, 1))?;
        // The first output comes after the inputs, where its side is already.
        let expected = mapped(&|pair| { let first = pair.2.remove(0); pair.1.push(first); });
        prop_assert_eq!(checked(enumerated(&moved, sides))?, expected);
        let back = checked(moved.move_ins_to_outs(shape.ins, 1))?;
        let mut rotated = sides.clone();
        rotated[1 + shape.ins..].rotate_left(1);
        let expected = mapped(&|pair| pair.2.rotate_left(1));
        prop_assert_eq!(checked(enumerated(&back, &rotated))?, expected);
    }
}

//! Questions of the solver, and their answers by enumeration.

use std::collections::{BTreeMap, BTreeSet};

use spyre_isl::{Answer, Operation, Point, Question, Shape};

use crate::points::{Points, Rows};

/// The points of a relation that are looked at.
const MOST: usize = 1_000;

/// A question, with the answer of the solver.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) operation: Operation,
    pub(crate) operands: Vec<Rows>,
    pub(crate) answer: Given,
}

/// An answer of the solver.
#[derive(Clone, Debug)]
pub(crate) enum Given {
    Relation(Rows),
    Truth(bool),
    Sample(Option<Point>),
}

/// What enumeration finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All points were looked at, and the answer is right.
    Right,
    /// The points that were looked at do not contradict the answer.
    Possible,
    /// The question is none that is enumerated.
    Skipped,
}

impl Asked {
    /// Returns a question as rows; `None` where isl does not export them.
    pub(crate) fn of(question: &Question<'_>) -> Option<Self> {
        let operands = question.operands.iter().map(|operand| Rows::of(operand));
        Some(Self {
            operation: question.operation,
            operands: operands.collect::<Option<_>>()?,
            answer: match question.answer {
                Answer::Relation(relation) => Given::Relation(Rows::of(relation)?),
                Answer::Truth(truth) => Given::Truth(truth),
                Answer::Sample(sample) => Given::Sample(sample.cloned()),
            },
        })
    }

    /// Decides the question again. Fails where a point contradicts the answer.
    pub(crate) fn again(&self) -> Result<Outcome, String> {
        match (&self.answer, &self.operands[..]) {
            (Given::Truth(truth), [a]) => self.truth(*truth, a, None),
            (Given::Truth(truth), [a, b]) => self.truth(*truth, a, Some(b)),
            (Given::Sample(sample), [a]) => sampled(sample.as_ref(), a),
            (Given::Relation(result), [a]) => self.unary(a, result),
            (Given::Relation(result), [a, b]) => self.binary(a, b, result),
            _ => Ok(Outcome::Skipped),
        }
    }

    fn truth(&self, answer: bool, a: &Rows, b: Option<&Rows>) -> Result<Outcome, String> {
        let points = a.points(MOST);
        let twice = |key: fn(Shape, &[i64]) -> Vec<i64>| {
            let mut seen = BTreeSet::new();
            let mut all = points.all.iter();
            all.find(|point| !seen.insert(key(a.shape, point))).cloned()
        };
        let outside = |points: &Points, b: &Rows| {
            let mut all = points.all.iter();
            all.find(|point| !b.has(point)).cloned()
        };
        // A point that contradicts the answer `true`.
        let (found, is_complete) = match (self.operation, b) {
            (Operation::IsEmpty, None) => (points.all.first().cloned(), points.is_complete),
            (Operation::IsSingleValued, None) => (twice(first), points.is_complete),
            (Operation::IsInjective, None) => (twice(second), points.is_complete),
            (Operation::IsSubset, Some(b)) => (outside(&points, b), points.is_complete),
            (Operation::IsEqual, Some(b)) => {
                let others = b.points(MOST);
                let found = outside(&points, b).or_else(|| outside(&others, a));
                (found, points.is_complete && others.is_complete)
            }
            (Operation::IsDisjoint, Some(b)) => {
                let mut all = points.all.iter();
                let found = all.find(|point| b.has(point)).cloned();
                (found, points.is_complete)
            }
            _ => return Ok(Outcome::Skipped),
        };
        match (answer, found) {
            (true, Some(point)) => Err(format!("{:?} is false: {point:?}", self.operation)),
            (false, None) if is_complete => Err(format!("{:?} is true", self.operation)),
            (false, Some(_)) => Ok(Outcome::Right),
            (true, None) if is_complete => Ok(Outcome::Right),
            (_, None) => Ok(Outcome::Possible),
        }
    }

    fn unary(&self, a: &Rows, result: &Rows) -> Result<Outcome, String> {
        let (points, results) = (a.points(MOST), result.points(MOST));
        let to = |point: &[i64]| match self.operation {
            Operation::Coalescence => Some(point.to_vec()),
            Operation::Reversal => Some(reversed(a.shape, point)),
            Operation::Domain => Some(first(a.shape, point)),
            Operation::Range => Some(second(a.shape, point)),
            _ => None,
        };
        if matches!(self.operation, Operation::Least | Operation::Greatest) {
            return self.extremum(a, &points, result, &results);
        }
        let images = points.all.iter().map(|point| to(point));
        let Some(images) = images.collect::<Option<BTreeSet<Vec<i64>>>>() else {
            return Ok(Outcome::Skipped);
        };
        let lost = images.iter().find(|image| !result.has(image));
        let added = results.all.iter().find(|point| !images.contains(*point));
        self.outcome(
            lost.or(added.filter(|_| points.is_complete)),
            points.is_complete && results.is_complete,
        )
    }

    fn extremum(
        &self,
        a: &Rows,
        points: &Points,
        result: &Rows,
        results: &Points,
    ) -> Result<Outcome, String> {
        let mut best: BTreeMap<Vec<i64>, Vec<i64>> = BTreeMap::new();
        for point in &points.all {
            let entry = best
                .entry(first(a.shape, point))
                .or_insert_with(|| point.clone());
            // Points are sorted, so the first one is the least.
            if self.operation == Operation::Greatest {
                entry.clone_from(point);
            }
        }
        let is_complete = points.is_complete && results.is_complete;
        let lost = best
            .values()
            .find(|point| is_complete && !result.has(point));
        let added = results.all.iter().find(|point| {
            !a.has(point) || (is_complete && best.get(&first(a.shape, point)) != Some(*point))
        });
        self.outcome(lost.or(added), is_complete)
    }

    fn binary(&self, a: &Rows, b: &Rows, result: &Rows) -> Result<Outcome, String> {
        if self.operation == Operation::Composition {
            return self.composition(a, b, result);
        }
        let is_in = |point: &Vec<i64>| {
            let (first, second) = (first(a.shape, point), second(a.shape, point));
            Some(match self.operation {
                Operation::Union => a.has(point) || b.has(point),
                Operation::Intersection => a.has(point) && b.has(point),
                Operation::Difference => a.has(point) && !b.has(point),
                Operation::RestrictedDomain => a.has(point) && b.has(&first),
                Operation::RestrictedRange => a.has(point) && b.has(&second),
                Operation::SubtractedDomain => a.has(point) && !b.has(&first),
                Operation::SubtractedRange => a.has(point) && !b.has(&second),
                _ => return None,
            })
        };
        let mut all = vec![a.points(MOST), result.points(MOST)];
        if self.operation == Operation::Union {
            all.push(b.points(MOST));
        }
        for point in all.iter().flat_map(|points| &points.all) {
            match is_in(point) {
                None => return Ok(Outcome::Skipped),
                Some(is_in) if is_in != result.has(point) => {
                    return self.outcome(Some(point), false);
                }
                Some(_) => {}
            }
        }
        self.outcome(None, all.iter().all(|points| points.is_complete))
    }

    fn composition(&self, a: &Rows, b: &Rows, result: &Rows) -> Result<Outcome, String> {
        let (firsts, seconds) = (a.points(MOST), b.points(MOST));
        let results = result.points(MOST);
        let mut after: BTreeMap<Vec<i64>, Vec<&Vec<i64>>> = BTreeMap::new();
        for point in &seconds.all {
            after.entry(first(b.shape, point)).or_default().push(point);
        }
        let mut pairs = BTreeSet::new();
        for point in &firsts.all {
            for next in after.get(&second(a.shape, point)).into_iter().flatten() {
                let mut pair = first(a.shape, point);
                pair.extend(&next[b.shape.params + b.shape.ins..]);
                pairs.insert(pair);
            }
        }
        let is_complete = firsts.is_complete && seconds.is_complete;
        let lost = pairs.iter().find(|pair| !result.has(pair));
        let added = results
            .all
            .iter()
            .find(|pair| is_complete && !pairs.contains(*pair));
        self.outcome(lost.or(added), is_complete && results.is_complete)
    }

    fn outcome(&self, wrong: Option<&Vec<i64>>, is_complete: bool) -> Result<Outcome, String> {
        match wrong {
            Some(point) => Err(format!(
                "the answer to {:?} is wrong at {point:?}",
                self.operation
            )),
            None if is_complete => Ok(Outcome::Right),
            None => Ok(Outcome::Possible),
        }
    }
}

/// Checks the smallest pair of a relation.
fn sampled(sample: Option<&Point>, a: &Rows) -> Result<Outcome, String> {
    let points = a.points(MOST);
    let point = sample.map(|sample| {
        let parts = [&sample.params[..], &sample.ins, &sample.outs];
        parts.concat()
    });
    match (point, points.all.first()) {
        (None, Some(other)) => Err(format!("there is {other:?}")),
        (Some(point), _) if !a.has(&point) => Err(format!("{point:?} is not in the relation")),
        (Some(point), Some(other)) if points.is_complete && point != *other => {
            Err(format!("{other:?} is smaller than {point:?}"))
        }
        (Some(_), None) if points.is_complete => Err("there is no pair".to_owned()),
        _ if points.is_complete => Ok(Outcome::Right),
        _ => Ok(Outcome::Possible),
    }
}

/// Returns the parameters and inputs.
fn first(shape: Shape, point: &[i64]) -> Vec<i64> {
    point[..shape.params + shape.ins].to_vec()
}

/// Returns the parameters and outputs.
fn second(shape: Shape, point: &[i64]) -> Vec<i64> {
    let (params, rest) = point.split_at(shape.params);
    [params, &rest[shape.ins..]].concat()
}

/// Returns the parameters, outputs and inputs.
fn reversed(shape: Shape, point: &[i64]) -> Vec<i64> {
    let (params, rest) = point.split_at(shape.params);
    let (ins, outs) = rest.split_at(shape.ins);
    [params, outs, ins].concat()
}

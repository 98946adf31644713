//! Equal terms of one reduction: a tensor is the same along a dimension, or an operation reads it so.
//!
//! The larger of a number and itself is the number, so a maximum has each of its terms once: of equal terms the first
//! one is taken, and a maximum of equal terms is the term. How many there are is no part of the result, so a loop may
//! take any number of copies in each iteration. A sum or a product depends on that number, and has no such law.

use spyre_isl::Relation;

use super::matching::has_one_term;
use super::{Simulation, equal_columns, laws, sum};
use crate::claim::Reason;
use crate::contents::{Pieces, Source};
use crate::program::{Statement, StatementId};

impl Simulation<'_> {
    /// Returns the points of a reduction, without those whose operand an earlier point of the same element has if their
    /// number does not matter.
    pub(super) fn distinct_terms(
        &self,
        statement: &Statement,
        points: Relation,
        operands: &[Pieces],
    ) -> Result<Relation, Reason> {
        let law = laws::reduction(&statement.key.name);
        let ([operand], true) = (operands, law.is_some_and(|law| law.is_idempotent)) else {
            return Ok(points);
        };
        if self.are_all_read(statement) {
            return Ok(points);
        }
        if let Some((_, relation)) = operand.single()
            && relation.is_injective()?
        {
            return Ok(points);
        }
        let equal = sum(operand.iter().map(|(_, relation)| {
            let relation = relation.restrict_domain(&points)?;
            Ok(relation.then(&relation.reverse()?)?)
        }))?;
        let Some(equal) = equal else {
            return Ok(points);
        };
        let kept = statement.loops.len() + statement.kept();
        let same: Vec<_> = (0..kept).map(|at| (at, at)).collect();
        let equal = equal.intersect(&equal_columns(&self.context, equal.shape(), &same)?)?;
        if equal.is_injective()? {
            return Ok(points);
        }
        let shape = equal.shape();
        let itself = Relation::identity(&self.context, shape.params, shape.outs)?;
        // Points of which nothing is known stay.
        let later = equal.lexmin()?.subtract(&itself)?.domain()?;
        Ok(points.subtract(&later)?.coalesce()?)
    }

    /// Returns the elements of a reduction that are one of their terms, because all terms of each are equal. `points`
    /// are the terms, and `elements` relates them to their elements.
    pub(super) fn equal_terms(
        &self,
        statement: &Statement,
        elements: &Relation,
        points: &Relation,
        reads: &[Pieces],
    ) -> Result<Pieces, Reason> {
        let mut pieces = Pieces::default();
        let ([read], true) = (reads, laws::is_term(&statement.key)) else {
            return Ok(pieces);
        };
        if !has_one_term(statement)
            && let Some((_, relation)) = read.single()
            && relation.is_injective()?
        {
            return Ok(pieces);
        }
        let elements = elements.restrict_domain(points)?;
        let to_points = elements.reverse()?;
        for (source, relation) in read.iter() {
            if *source == Source::Undefined {
                continue;
            }
            let relation = relation.restrict_domain(points)?;
            let others = points.subtract(&relation.domain()?)?;
            let mixed = elements.restrict_domain(&others)?.range()?;
            let terms = to_points.then(&relation)?.subtract_domain(&mixed)?;
            let several = terms.subtract(&terms.lexmin()?)?.domain()?;
            let equal = terms.subtract_domain(&several)?;
            if !equal.is_empty()? {
                pieces.add(source.clone(), equal.coalesce()?)?;
            }
        }
        Ok(pieces)
    }

    /// Returns the elements that elements of an operation of the program before are equal to, by the names that the
    /// program before has for them.
    pub(super) fn named(
        &self,
        (id, at): (StatementId, usize),
        elements: Relation,
    ) -> Result<Pieces, Reason> {
        match self.before.equalities.get(&(id, at)) {
            Some(equality) if equality.has_other_names => equality.mu.after(&elements),
            _ => Ok(Pieces::one(Source::Result(id, at), elements)),
        }
    }
}

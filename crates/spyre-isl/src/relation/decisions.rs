//! Decisions, witnesses, and the rows of relations.

use super::{Relation, Result};
use crate::failure::Failure;
use crate::handle::{Handle, IN, Map, OUT, PARAM, Point as RawPoint, RawContext};
use crate::operation::Operation;
use crate::rows::{self, Basic, Point, Shape, count, index};

/// The most operations of isl for a search for the smallest pair. The searches of all tests take fewer. Where coordinates
/// grow during a search, its time grows with the square of this number.
pub(crate) const SMALLEST: u64 = 3_000;

/// A function of isl that compares two relations.
type Comparison = fn(&RawContext, &Handle<Map>, &Handle<Map>) -> Result<bool>;

/// # Decisions
impl Relation {
    /// Whether there are no pairs, for any parameters.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn is_empty(&self) -> Result<bool> {
        let decide = |raw: &RawContext| raw.isl_map_is_empty(&self.map);
        self.context.truth(Operation::IsEmpty, &[self], decide)
    }

    /// Whether the relations have the same pairs.
    ///
    /// # Errors
    /// Also when the shapes differ.
    pub fn is_equal(&self, other: &Self) -> Result<bool> {
        self.comparison(Operation::IsEqual, other, RawContext::isl_map_is_equal)
    }

    /// Whether `other` has all pairs of this relation.
    ///
    /// # Errors
    /// Also when the shapes differ.
    pub fn is_subset(&self, other: &Self) -> Result<bool> {
        self.comparison(Operation::IsSubset, other, RawContext::isl_map_is_subset)
    }

    /// Whether no pair is in both relations.
    ///
    /// # Errors
    /// Also when the shapes differ.
    pub fn is_disjoint(&self, other: &Self) -> Result<bool> {
        self.comparison(
            Operation::IsDisjoint,
            other,
            RawContext::isl_map_is_disjoint,
        )
    }

    /// Whether each first point is in at most one pair, for each value of the parameters.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn is_single_valued(&self) -> Result<bool> {
        let decide = |raw: &RawContext| raw.isl_map_is_single_valued(&self.map);
        self.context
            .truth(Operation::IsSingleValued, &[self], decide)
    }

    /// Whether each second point is in at most one pair, for each value of the parameters.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn is_injective(&self) -> Result<bool> {
        let decide = |raw: &RawContext| raw.isl_map_is_injective(&self.map);
        self.context.truth(Operation::IsInjective, &[self], decide)
    }

    /// Returns the lexicographically smallest pair, in the order of parameters, inputs and outputs. Where there is no
    /// smallest one, since the coordinates have no lower bound, it is the smallest one without negative coordinates, or
    /// else any pair; `None` without pairs. It is any pair, too, where isl takes more than 3,000 operations for the
    /// smallest one. The count of operations starts again with the search.
    ///
    /// # Errors
    /// Also when a coordinate does not fit into 64 bits.
    pub fn sample(&self) -> Result<Option<Point>> {
        self.context.sample(self, |raw| self.smallest(raw))
    }

    fn smallest(&self, raw: &RawContext) -> Result<Option<Point>> {
        let Shape { params, ins, outs } = self.shape;
        // With parameters as coordinates, the smallest point is a number and no function of them.
        let map = raw.isl_map_move_dims(self.map()?, IN, 0, PARAM, 0, count(params)?)?;
        let pairs = raw.isl_map_wrap(map)?;
        let smallest = raw.within(SMALLEST, || raw.isl_set_lexmin(raw.isl_set_copy(&pairs)?));
        let point = match smallest {
            Ok(smallest) => raw.isl_set_sample_point(smallest)?,
            Err(Failure::Internal(_)) => match self.smallest_of_positive(raw) {
                Ok(Some(smallest)) => smallest,
                _ => raw.isl_set_sample_point(pairs)?,
            },
            // The numbers of a search by Gomory's cuts may grow to thousands of digits, where one point is soon there.
            Err(Failure::Budget) => raw.isl_set_sample_point(pairs)?,
            Err(failure) => return Err(failure),
        };
        if raw.isl_point_is_void(&point)? {
            return Ok(None);
        }
        let coordinates: Vec<i64> = (0..self.shape.dims())
            .map(|position| {
                let value = raw.isl_point_get_coordinate_val(&point, OUT, index(position)?)?;
                raw.number(&value)
            })
            .collect::<Result<_>>()?;
        Ok(Some(Point {
            params: coordinates[..params].to_vec(),
            ins: coordinates[params..params + ins].to_vec(),
            outs: coordinates[params + ins..params + ins + outs].to_vec(),
        }))
    }

    /// Returns the smallest pair without negative coordinates.
    fn smallest_of_positive(&self, raw: &RawContext) -> Result<Option<Handle<RawPoint>>> {
        let dims = self.shape.dims();
        let row = |at: usize| {
            let mut row = vec![0; 1 + dims];
            row[1 + at] = 1;
            row
        };
        let positive = Basic {
            inequalities: (0..dims).map(row).collect(),
            ..Basic::universe(self.shape)
        };
        let pairs = self.intersect(&Self::from_basic(&self.context, &positive)?)?;
        let map = pairs.map()?;
        let map = raw.isl_map_move_dims(map, IN, 0, PARAM, 0, count(self.shape.params)?)?;
        let pairs = raw.isl_map_wrap(map)?;
        let smallest = raw.within(SMALLEST, || raw.isl_set_lexmin(pairs))?;
        let point = raw.isl_set_sample_point(smallest)?;
        Ok((!raw.isl_point_is_void(&point)?).then_some(point))
    }

    /// Returns the conjunctions. Existentials are quotients: isl finds a definition for each, for which it may take
    /// more conjunctions than the relation has.
    ///
    /// # Errors
    /// Also when a coefficient does not fit into 64 bits.
    pub fn basics(&self) -> Result<Vec<Basic>> {
        rows::export(&self.context.raw, self.map()?, self.shape)
    }

    /// Returns the number of conjunctions.
    #[must_use]
    pub fn count_basics(&self) -> usize {
        let count = self.context.raw.isl_map_n_basic_map(&self.map);
        count.expect("a relation has a number of conjunctions")
    }

    fn comparison(&self, operation: Operation, other: &Self, decide: Comparison) -> Result<bool> {
        self.check(other, self.shape == other.shape)?;
        let decide = |raw: &RawContext| decide(raw, &self.map, &other.map);
        self.context.truth(operation, &[self, other], decide)
    }
}

//! Decisions, witnesses, and the rows of relations.

use super::{Relation, Result};
use crate::context::Failure;
use crate::handle::{Handle, IN, Map, OUT, PARAM, RawContext};
use crate::rows::{self, Basic, Point, Shape, count, index};

/// A function of isl that compares two relations.
type Comparison = fn(&RawContext, &Handle<Map>, &Handle<Map>) -> Result<bool>;

/// # Decisions
impl Relation {
    /// Whether there are no pairs, for any parameters.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn is_empty(&self) -> Result<bool> {
        self.context.raw.isl_map_is_empty(&self.map)
    }

    /// Whether the relations have the same pairs.
    ///
    /// # Errors
    /// Also when the shapes differ.
    pub fn is_equal(&self, other: &Self) -> Result<bool> {
        self.comparison(other, RawContext::isl_map_is_equal)
    }

    /// Whether `other` has all pairs of this relation.
    ///
    /// # Errors
    /// Also when the shapes differ.
    pub fn is_subset(&self, other: &Self) -> Result<bool> {
        self.comparison(other, RawContext::isl_map_is_subset)
    }

    /// Whether no pair is in both relations.
    ///
    /// # Errors
    /// Also when the shapes differ.
    pub fn is_disjoint(&self, other: &Self) -> Result<bool> {
        self.comparison(other, RawContext::isl_map_is_disjoint)
    }

    /// Whether each first point is in at most one pair, for each value of the parameters.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn is_single_valued(&self) -> Result<bool> {
        self.context.raw.isl_map_is_single_valued(&self.map)
    }

    /// Whether each second point is in at most one pair, for each value of the parameters.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn is_injective(&self) -> Result<bool> {
        self.context.raw.isl_map_is_injective(&self.map)
    }

    /// Returns the lexicographically smallest pair, in the order of parameters, inputs and outputs. Where there is no
    /// smallest one, since the coordinates have no lower bound, it is any pair; `None` without pairs.
    ///
    /// # Errors
    /// Also when a coordinate does not fit into 64 bits.
    pub fn sample(&self) -> Result<Option<Point>> {
        let raw = &self.context.raw;
        let Shape { params, ins, outs } = self.shape;
        // With parameters as coordinates, the smallest point is a number and no function of them.
        let map = raw.isl_map_move_dims(self.map()?, IN, 0, PARAM, 0, count(params)?)?;
        let pairs = raw.isl_map_wrap(map)?;
        let point = match raw.isl_set_lexmin(raw.isl_set_copy(&pairs)?) {
            Ok(smallest) => raw.isl_set_sample_point(smallest)?,
            Err(Failure::Internal(_)) => raw.isl_set_sample_point(pairs)?,
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

    /// Returns the conjunctions. Existentials are quotients: isl finds a definition for each, for which it may take
    /// more conjunctions than the relation has.
    ///
    /// # Errors
    /// Also when a coefficient does not fit into 64 bits.
    pub fn basics(&self) -> Result<Vec<Basic>> {
        rows::export(&self.context, self.map()?, self.shape)
    }

    /// Returns the number of conjunctions.
    #[must_use]
    pub fn count_basics(&self) -> usize {
        let count = self.context.raw.isl_map_n_basic_map(&self.map);
        count.expect("a relation has a number of conjunctions")
    }

    fn comparison(&self, other: &Self, comparison: Comparison) -> Result<bool> {
        self.check(other, self.shape == other.shape)?;
        comparison(&self.context.raw, &self.map, &other.map)
    }
}

//! Operations that return a relation.

use super::{Relation, Result, checked_range, dims, set};
use crate::handle::{Dim, Handle, IN, Map, OUT, PARAM, RawContext, Set};
use crate::rows::{Shape, count};

/// Functions of isl that take one relation, or two.
type Unary = fn(&RawContext, Handle<Map>) -> Result<Handle<Map>>;
type Binary = fn(&RawContext, Handle<Map>, Handle<Map>) -> Result<Handle<Map>>;
type Restriction = fn(&RawContext, Handle<Map>, Handle<Set>) -> Result<Handle<Map>>;

/// # Operations
impl Relation {
    /// Returns the pairs of one of the relations.
    ///
    /// # Errors
    /// Also when the shapes differ.
    pub fn union(&self, other: &Self) -> Result<Self> {
        self.binary(other, RawContext::isl_map_union)
    }

    /// Returns the pairs of both relations.
    ///
    /// # Errors
    /// Also when the shapes differ.
    pub fn intersect(&self, other: &Self) -> Result<Self> {
        self.binary(other, RawContext::isl_map_intersect)
    }

    /// Returns the pairs that `other` does not have.
    ///
    /// # Errors
    /// Also when the shapes differ.
    pub fn subtract(&self, other: &Self) -> Result<Self> {
        self.binary(other, RawContext::isl_map_subtract)
    }

    /// Returns the same pairs, of fewer conjunctions where two are together one.
    ///
    /// # Errors
    /// [`Failure`](crate::Failure).
    pub fn coalesce(&self) -> Result<Self> {
        self.unary(self.shape, RawContext::isl_map_coalesce)
    }

    /// Returns the composition: pairs of an input of `self` and an output of `next` with a common point between them.
    ///
    /// # Errors
    /// Also when the outputs of `self` are not as many as the inputs of `next`.
    pub fn then(&self, next: &Self) -> Result<Self> {
        let (first, second) = (self.shape, next.shape);
        self.check(
            next,
            first.params == second.params && first.outs == second.ins,
        )?;
        let shape = Shape {
            outs: second.outs,
            ..first
        };
        let map = self
            .context
            .raw
            .isl_map_apply_range(self.map()?, next.map()?)?;
        Ok(Self::new(&self.context, shape, map))
    }

    /// Returns the pairs of pairs, of concatenated points.
    ///
    /// # Errors
    /// Also when the parameters are not as many.
    pub fn flat_product(&self, other: &Self) -> Result<Self> {
        self.check(other, self.shape.params == other.shape.params)?;
        let shape = Shape {
            params: self.shape.params,
            ins: self.shape.ins + other.shape.ins,
            outs: self.shape.outs + other.shape.outs,
        };
        let map = self
            .context
            .raw
            .isl_map_flat_product(self.map()?, other.map()?)?;
        Ok(Self::new(&self.context, shape, map))
    }

    /// Returns the pairs with their points exchanged.
    ///
    /// # Errors
    /// [`Failure`](crate::Failure).
    pub fn reverse(&self) -> Result<Self> {
        let shape = Shape {
            ins: self.shape.outs,
            outs: self.shape.ins,
            ..self.shape
        };
        self.unary(shape, RawContext::isl_map_reverse)
    }

    /// Returns the set of first points.
    ///
    /// # Errors
    /// [`Failure`](crate::Failure).
    pub fn domain(&self) -> Result<Self> {
        let raw = &self.context.raw;
        let map = raw.isl_map_from_range(raw.isl_map_domain(self.map()?)?)?;
        Ok(Self::new(
            &self.context,
            set(self.shape.params, self.shape.ins),
            map,
        ))
    }

    /// Returns the set of second points.
    ///
    /// # Errors
    /// [`Failure`](crate::Failure).
    pub fn range(&self) -> Result<Self> {
        let raw = &self.context.raw;
        let map = raw.isl_map_from_range(raw.isl_map_range(self.map()?)?)?;
        Ok(Self::new(
            &self.context,
            set(self.shape.params, self.shape.outs),
            map,
        ))
    }

    /// Returns the pairs with a first point of `set`.
    ///
    /// # Errors
    /// Also when `set` has inputs, or its points have other coordinates than the inputs.
    pub fn restrict_domain(&self, set: &Self) -> Result<Self> {
        self.restriction(set, self.shape.ins, RawContext::isl_map_intersect_domain)
    }

    /// Returns the pairs with a second point of `set`.
    ///
    /// # Errors
    /// Also when `set` has inputs, or its points have other coordinates than the outputs.
    pub fn restrict_range(&self, set: &Self) -> Result<Self> {
        self.restriction(set, self.shape.outs, RawContext::isl_map_intersect_range)
    }

    /// Returns the pairs without a first point of `set`.
    ///
    /// # Errors
    /// Also when `set` has inputs, or its points have other coordinates than the inputs.
    pub fn subtract_domain(&self, set: &Self) -> Result<Self> {
        self.restriction(set, self.shape.ins, RawContext::isl_map_subtract_domain)
    }

    /// Returns the pairs without a second point of `set`.
    ///
    /// # Errors
    /// Also when `set` has inputs, or its points have other coordinates than the outputs.
    pub fn subtract_range(&self, set: &Self) -> Result<Self> {
        self.restriction(set, self.shape.outs, RawContext::isl_map_subtract_range)
    }

    /// Returns the pairs for parameters that `params` has, a relation without inputs and outputs.
    ///
    /// # Errors
    /// Also when `params` has inputs, outputs, or other parameters.
    pub fn restrict_params(&self, params: &Self) -> Result<Self> {
        self.check(params, params.shape == set(self.shape.params, 0))?;
        let raw = &self.context.raw;
        let map = raw.isl_map_intersect_params(self.map()?, raw.isl_map_params(params.map()?)?)?;
        Ok(Self::new(&self.context, self.shape, map))
    }

    /// Returns for each first point its pair with the lexicographically smallest second point.
    ///
    /// # Errors
    /// Also when there is no smallest one.
    pub fn lexmin(&self) -> Result<Self> {
        self.unary(self.shape, RawContext::isl_map_lexmin)
    }

    /// Returns for each first point its pair with the lexicographically largest second point.
    ///
    /// # Errors
    /// Also when there is no largest one.
    pub fn lexmax(&self) -> Result<Self> {
        self.unary(self.shape, RawContext::isl_map_lexmax)
    }

    /// Returns the pairs with `value` as the input `position`.
    ///
    /// # Errors
    /// Also when there is no such input.
    pub fn fix_in(&self, position: usize, value: i64) -> Result<Self> {
        self.fix(IN, position, value)
    }

    /// Returns the pairs with `value` as the output `position`.
    ///
    /// # Errors
    /// Also when there is no such output.
    pub fn fix_out(&self, position: usize, value: i64) -> Result<Self> {
        self.fix(OUT, position, value)
    }

    /// Returns the pairs for `value` as the parameter `position`.
    ///
    /// # Errors
    /// Also when there is no such parameter.
    pub fn fix_param(&self, position: usize, value: i64) -> Result<Self> {
        self.fix(PARAM, position, value)
    }

    fn fix(&self, kind: Dim, position: usize, value: i64) -> Result<Self> {
        let mut shape = self.shape;
        checked_range(position, 1, *dims(&mut shape, kind))?;
        let raw = &self.context.raw;
        let map = raw.isl_map_fix_val(self.map()?, kind, count(position)?, raw.val(value)?)?;
        Ok(Self::new(&self.context, shape, map))
    }

    fn unary(&self, shape: Shape, operation: Unary) -> Result<Self> {
        let map = operation(&self.context.raw, self.map()?)?;
        Ok(Self::new(&self.context, shape, map))
    }

    fn binary(&self, other: &Self, operation: Binary) -> Result<Self> {
        self.check(other, self.shape == other.shape)?;
        let map = operation(&self.context.raw, self.map()?, other.map()?)?;
        Ok(Self::new(&self.context, self.shape, map))
    }

    fn restriction(&self, points: &Self, dims: usize, operation: Restriction) -> Result<Self> {
        self.check(points, points.shape == set(self.shape.params, dims))?;
        let raw = &self.context.raw;
        let map = operation(raw, self.map()?, raw.isl_map_range(points.map()?)?)?;
        Ok(Self::new(&self.context, self.shape, map))
    }
}

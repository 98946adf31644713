//! Operations that return a relation.

use super::{Relation, Result, checked_range, dims, set};
use crate::handle::{Dim, Handle, IN, Map, OUT, PARAM, RawContext, Set};
use crate::operation::Operation;
use crate::rows::{Shape, count};

/// Functions of isl that take two relations, or a relation and a set.
type Binary = fn(&RawContext, Handle<Map>, Handle<Map>) -> Result<Handle<Map>>;
type Restriction = fn(&RawContext, Handle<Map>, Handle<Set>) -> Result<Handle<Map>>;

/// # Operations
impl Relation {
    /// Returns the pairs of one of the relations.
    ///
    /// # Errors
    /// Also when the shapes differ.
    pub fn union(&self, other: &Self) -> Result<Self> {
        self.binary(Operation::Union, other, RawContext::isl_map_union)
    }

    /// Returns the pairs of both relations.
    ///
    /// # Errors
    /// Also when the shapes differ.
    pub fn intersect(&self, other: &Self) -> Result<Self> {
        self.binary(
            Operation::Intersection,
            other,
            RawContext::isl_map_intersect,
        )
    }

    /// Returns the pairs that `other` does not have.
    ///
    /// # Errors
    /// Also when the shapes differ.
    pub fn subtract(&self, other: &Self) -> Result<Self> {
        self.binary(Operation::Difference, other, RawContext::isl_map_subtract)
    }

    /// Returns the same relation with fewer conjunctions: isl merges two conjunctions with a union that is one
    /// conjunction.
    ///
    /// # Errors
    /// [`Failure`](crate::Failure).
    pub fn coalesce(&self) -> Result<Self> {
        self.unary(
            Operation::Coalescence,
            self.shape,
            RawContext::isl_map_coalesce,
        )
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
        let operands = [self, next];
        let context = &self.context;
        context.relation(Operation::Composition, &operands, [0; 3], shape, |raw| {
            raw.isl_map_apply_range(self.map()?, next.map()?)
        })
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
        let operands = [self, other];
        let context = &self.context;
        context.relation(Operation::Product, &operands, [0; 3], shape, |raw| {
            raw.isl_map_flat_product(self.map()?, other.map()?)
        })
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
        self.unary(Operation::Reversal, shape, RawContext::isl_map_reverse)
    }

    /// Returns the set of first points.
    ///
    /// # Errors
    /// [`Failure`](crate::Failure).
    pub fn domain(&self) -> Result<Self> {
        let shape = set(self.shape.params, self.shape.ins);
        self.unary(Operation::Domain, shape, |raw, map| {
            raw.isl_map_from_range(raw.isl_map_domain(map)?)
        })
    }

    /// Returns the set of second points.
    ///
    /// # Errors
    /// [`Failure`](crate::Failure).
    pub fn range(&self) -> Result<Self> {
        let shape = set(self.shape.params, self.shape.outs);
        self.unary(Operation::Range, shape, |raw, map| {
            raw.isl_map_from_range(raw.isl_map_range(map)?)
        })
    }

    /// Returns the pairs with a first point of `set`.
    ///
    /// # Errors
    /// Also when `set` has inputs, or its points have other coordinates than the inputs.
    pub fn restrict_domain(&self, set: &Self) -> Result<Self> {
        self.restriction(
            Operation::RestrictedDomain,
            set,
            self.shape.ins,
            RawContext::isl_map_intersect_domain,
        )
    }

    /// Returns the pairs with a second point of `set`.
    ///
    /// # Errors
    /// Also when `set` has inputs, or its points have other coordinates than the outputs.
    pub fn restrict_range(&self, set: &Self) -> Result<Self> {
        self.restriction(
            Operation::RestrictedRange,
            set,
            self.shape.outs,
            RawContext::isl_map_intersect_range,
        )
    }

    /// Returns the pairs without a first point of `set`.
    ///
    /// # Errors
    /// Also when `set` has inputs, or its points have other coordinates than the inputs.
    pub fn subtract_domain(&self, set: &Self) -> Result<Self> {
        self.restriction(
            Operation::SubtractedDomain,
            set,
            self.shape.ins,
            RawContext::isl_map_subtract_domain,
        )
    }

    /// Returns the pairs without a second point of `set`.
    ///
    /// # Errors
    /// Also when `set` has inputs, or its points have other coordinates than the outputs.
    pub fn subtract_range(&self, set: &Self) -> Result<Self> {
        self.restriction(
            Operation::SubtractedRange,
            set,
            self.shape.outs,
            RawContext::isl_map_subtract_range,
        )
    }

    /// Returns the pairs for parameters that `params` has, a relation without inputs and outputs.
    ///
    /// # Errors
    /// Also when `params` has inputs, outputs, or other parameters.
    pub fn restrict_params(&self, params: &Self) -> Result<Self> {
        self.check(params, params.shape == set(self.shape.params, 0))?;
        let operands = [self, params];
        let operation = Operation::RestrictedParams;
        let context = &self.context;
        context.relation(operation, &operands, [0; 3], self.shape, |raw| {
            raw.isl_map_intersect_params(self.map()?, raw.isl_map_params(params.map()?)?)
        })
    }

    /// Returns for each first point its pair with the lexicographically smallest second point.
    ///
    /// # Errors
    /// Also when there is no smallest one.
    pub fn lexmin(&self) -> Result<Self> {
        self.unary(Operation::Least, self.shape, RawContext::isl_map_lexmin)
    }

    /// Returns for each first point its pair with the lexicographically largest second point.
    ///
    /// # Errors
    /// Also when there is no largest one.
    pub fn lexmax(&self) -> Result<Self> {
        self.unary(Operation::Greatest, self.shape, RawContext::isl_map_lexmax)
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
        let numbers = [i64::from(kind), i64::from(count(position)?), value];
        let context = &self.context;
        context.relation(Operation::Fixed, &[self], numbers, shape, |raw| {
            raw.isl_map_fix_val(self.map()?, kind, count(position)?, raw.val(value)?)
        })
    }

    fn unary(
        &self,
        operation: Operation,
        shape: Shape,
        compute: impl FnOnce(&RawContext, Handle<Map>) -> Result<Handle<Map>>,
    ) -> Result<Self> {
        let context = &self.context;
        context.relation(operation, &[self], [0; 3], shape, |raw| {
            compute(raw, self.map()?)
        })
    }

    fn binary(&self, operation: Operation, other: &Self, compute: Binary) -> Result<Self> {
        self.check(other, self.shape == other.shape)?;
        let context = &self.context;
        context.relation(operation, &[self, other], [0; 3], self.shape, |raw| {
            compute(raw, self.map()?, other.map()?)
        })
    }

    fn restriction(
        &self,
        operation: Operation,
        points: &Self,
        dims: usize,
        compute: Restriction,
    ) -> Result<Self> {
        self.check(points, points.shape == set(self.shape.params, dims))?;
        let context = &self.context;
        context.relation(operation, &[self, points], [0; 3], self.shape, |raw| {
            compute(raw, self.map()?, raw.isl_map_range(points.map()?)?)
        })
    }
}

//! Relations: construction, shapes and text.

mod decisions;
mod operations;
mod shapes;

use std::fmt;

use crate::context::Context;
use crate::failure::Failure;
use crate::handle::{Dim, Handle, IN, Map, PARAM, RawContext};
use crate::operation::Operation;
use crate::rows::{Basic, Shape, count};

type Result<T> = std::result::Result<T, Failure>;

/// A set of pairs of integer points, in dependence of parameters.
///
/// A set of points is a relation with no inputs, and the points are its outputs. Operations on relations of two
/// contexts, or of shapes that do not fit, are errors ([`Failure::Internal`]); each operation fails when the budget is
/// used up.
pub struct Relation {
    // Freed before its context.
    map: Handle<Map>,
    context: Context,
    shape: Shape,
    /// Equal numbers, equal relations.
    number: u64,
}

/// # Construction
impl Relation {
    /// Returns the pairs of points that fulfil a conjunction.
    ///
    /// # Errors
    /// Also when a row has another length than [`Basic::columns`], or a denominator is not positive.
    pub fn from_basic(context: &Context, basic: &Basic) -> Result<Self> {
        context.of_rows(basic)
    }

    /// Returns the pairs of points that fulfil one of the conjunctions, each of the shape `shape`.
    ///
    /// # Errors
    /// As [`Relation::from_basic`].
    pub fn from_union(context: &Context, shape: Shape, basics: &[Basic]) -> Result<Self> {
        let mut union = Self::empty(context, shape)?;
        for basic in basics {
            union = union.union(&Self::from_basic(context, basic)?)?;
        }
        Ok(union)
    }

    /// Returns the pairs of equal points of `dims` coordinates.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn identity(context: &Context, params: usize, dims: usize) -> Result<Self> {
        Self::constant(
            context,
            Operation::Identity,
            square(params, dims),
            |raw, shape| raw.isl_map_identity(raw.space(shape.counts()?)?),
        )
    }

    /// Returns all pairs of points.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn universe(context: &Context, shape: Shape) -> Result<Self> {
        Self::constant(context, Operation::Universe, shape, |raw, shape| {
            raw.isl_map_universe(raw.space(shape.counts()?)?)
        })
    }

    /// Returns the relation without pairs.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn empty(context: &Context, shape: Shape) -> Result<Self> {
        Self::constant(context, Operation::Empty, shape, |raw, shape| {
            raw.isl_map_empty(raw.space(shape.counts()?)?)
        })
    }

    /// Returns the pairs with the first point lexicographically before the second.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn lt(context: &Context, params: usize, dims: usize) -> Result<Self> {
        Self::constant(
            context,
            Operation::Before,
            square(params, dims),
            |raw, _| raw.isl_map_lex_lt(raw.set_space(count(params)?, count(dims)?)?),
        )
    }

    /// Returns the pairs with the first point lexicographically before the second, or equal to it.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn le(context: &Context, params: usize, dims: usize) -> Result<Self> {
        Self::constant(
            context,
            Operation::NotAfter,
            square(params, dims),
            |raw, _| raw.isl_map_lex_le(raw.set_space(count(params)?, count(dims)?)?),
        )
    }

    /// Returns the numbers of parameters, inputs and outputs.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the context of the relation.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.context
    }

    pub(crate) fn new(context: &Context, shape: Shape, map: Handle<Map>, number: u64) -> Self {
        Self {
            map,
            context: context.clone(),
            shape,
            number,
        }
    }

    /// Returns the number, by which questions about the relation are answered from memory.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Returns a relation that its shape determines.
    fn constant(
        context: &Context,
        operation: Operation,
        shape: Shape,
        compute: impl FnOnce(&RawContext, Shape) -> Result<Handle<Map>>,
    ) -> Result<Self> {
        let numbers = shape.counts()?.map(i64::from);
        context.relation(operation, &[], numbers, shape, |raw| compute(raw, shape))
    }

    /// Fails unless the relations are of one context, and their shapes fit.
    fn check(&self, other: &Self, is_fit: bool) -> Result<()> {
        self.context.check_same(&other.context)?;
        if is_fit {
            return Ok(());
        }
        Err(Failure::Internal(format!(
            "a relation with {} does not fit one with {}",
            self.shape, other.shape
        )))
    }

    /// Returns a further reference to the map, for functions that take it.
    pub(crate) fn map(&self) -> Result<Handle<Map>> {
        self.context.raw.isl_map_copy(&self.map)
    }
}

impl Clone for Relation {
    fn clone(&self) -> Self {
        // isl counts references, and can copy a valid relation without memory or operations.
        let map = self.map().expect("a reference to a relation");
        Self::new(&self.context, self.shape, map, self.number)
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.context.raw.text(&self.map) {
            Ok(text) => formatter.write_str(&text),
            Err(failure) => write!(formatter, "a relation with {}: {failure}", self.shape),
        }
    }
}

impl fmt::Debug for Relation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// The shape of relations between points of the same space.
fn square(params: usize, dims: usize) -> Shape {
    Shape {
        params,
        ins: dims,
        outs: dims,
    }
}

/// The shape of sets.
fn set(params: usize, dims: usize) -> Shape {
    Shape {
        params,
        ins: 0,
        outs: dims,
    }
}

/// Returns the number of dimensions of a kind.
fn dims(shape: &mut Shape, kind: Dim) -> &mut usize {
    match kind {
        PARAM => &mut shape.params,
        IN => &mut shape.ins,
        _ => &mut shape.outs,
    }
}

/// Returns `count`, if there are as many dimensions from `first` on.
fn checked_range(first: usize, count: usize, dims: usize) -> Result<usize> {
    match first.checked_add(count) {
        Some(end) if end <= dims => Ok(count),
        _ => Err(Failure::Internal(format!(
            "there are {dims} dimensions, and no {count} from {first} on"
        ))),
    }
}

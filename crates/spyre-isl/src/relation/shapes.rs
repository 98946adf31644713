//! Operations that add, remove and move dimensions.

use std::ffi::c_uint;

use super::{Relation, Result, checked_range, dims};
use crate::handle::{Dim, Handle, IN, Map, OUT, PARAM, RawContext};
use crate::operation::Operation;
use crate::rows::{Shape, count};

/// # Shapes
impl Relation {
    /// Removes inputs: the result has a pair if there are values of these inputs for it.
    ///
    /// # Errors
    /// Also when there are fewer inputs.
    pub fn project_out_ins(&self, first: usize, count: usize) -> Result<Self> {
        self.project_out(IN, first, count)
    }

    /// Removes outputs: the result has a pair if there are values of these outputs for it.
    ///
    /// # Errors
    /// Also when there are fewer outputs.
    pub fn project_out_outs(&self, first: usize, count: usize) -> Result<Self> {
        self.project_out(OUT, first, count)
    }

    /// Removes parameters: the result has a pair if there are values of these parameters for it.
    ///
    /// # Errors
    /// Also when there are fewer parameters.
    pub fn project_params_out(&self, first: usize, count: usize) -> Result<Self> {
        self.project_out(PARAM, first, count)
    }

    /// Inserts inputs of any value before the input `first`.
    ///
    /// # Errors
    /// Also when there are fewer inputs.
    pub fn insert_ins(&self, first: usize, count: usize) -> Result<Self> {
        self.insert(IN, first, count)
    }

    /// Inserts outputs of any value before the output `first`.
    ///
    /// # Errors
    /// Also when there are fewer outputs.
    pub fn insert_outs(&self, first: usize, count: usize) -> Result<Self> {
        self.insert(OUT, first, count)
    }

    /// Inserts parameters of any value before the parameter `first`.
    ///
    /// # Errors
    /// Also when there are fewer parameters.
    pub fn insert_params(&self, first: usize, count: usize) -> Result<Self> {
        self.insert(PARAM, first, count)
    }

    /// Moves outputs to the end of the inputs.
    ///
    /// # Errors
    /// Also when there are fewer outputs.
    pub fn move_outs_to_ins(&self, first: usize, count: usize) -> Result<Self> {
        self.move_dims(OUT, IN, first, count)
    }

    /// Moves inputs to the end of the outputs.
    ///
    /// # Errors
    /// Also when there are fewer inputs.
    pub fn move_ins_to_outs(&self, first: usize, count: usize) -> Result<Self> {
        self.move_dims(IN, OUT, first, count)
    }

    fn project_out(&self, kind: Dim, first: usize, number: usize) -> Result<Self> {
        let mut shape = self.shape;
        let dims = dims(&mut shape, kind);
        *dims -= checked_range(first, number, *dims)?;
        let range = (kind, count(first)?, count(number)?);
        self.reshaped(Operation::Projection, range, shape, |raw| {
            raw.isl_map_project_out(self.map()?, kind, range.1, range.2)
        })
    }

    fn insert(&self, kind: Dim, first: usize, number: usize) -> Result<Self> {
        let mut shape = self.shape;
        let dims = dims(&mut shape, kind);
        checked_range(first, 0, *dims)?;
        *dims += number;
        let range = (kind, count(first)?, count(number)?);
        self.reshaped(Operation::Insertion, range, shape, |raw| {
            raw.isl_map_insert_dims(self.map()?, kind, range.1, range.2)
        })
    }

    fn move_dims(&self, source: Dim, target: Dim, first: usize, number: usize) -> Result<Self> {
        let mut shape = self.shape;
        let sources = dims(&mut shape, source);
        *sources -= checked_range(first, number, *sources)?;
        let targets = dims(&mut shape, target);
        let end = *targets;
        *targets += number;
        let end = count(end)?;
        // The target is the other kind.
        let range = (source, count(first)?, count(number)?);
        self.reshaped(Operation::Moved, range, shape, |raw| {
            raw.isl_map_move_dims(self.map()?, target, end, source, range.1, range.2)
        })
    }

    fn reshaped(
        &self,
        operation: Operation,
        (kind, first, number): (Dim, c_uint, c_uint),
        shape: Shape,
        compute: impl FnOnce(&RawContext) -> Result<Handle<Map>>,
    ) -> Result<Self> {
        let numbers = [kind, first, number].map(i64::from);
        self.context
            .relation(operation, &[self], numbers, shape, compute)
    }
}

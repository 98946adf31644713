//! How operations index their tensors, worked out once for operations that are alike.

use std::rc::Rc;

use melior::ir::{Type, TypeLike};
use rustc_hash::FxHashMap;
use spyre_dialects::device_op::DeviceOp;

/// The iteration space of an operation and what indexes its tensors.
#[derive(Debug, PartialEq, Eq)]
pub struct Indexing<'p> {
    /// Types of the tensors, operands first, then the result.
    pub types: Vec<Type<'p>>,
    /// Extents of the iteration space in elements; a negative extent is dynamic.
    pub space: Vec<i64>,
    /// How many trailing iteration dimensions are reduced.
    pub reduction_dims: usize,
    /// For each tensor, the iteration dimension that indexes each of its dimensions; `None` where it is broadcast.
    pub tensors: Vec<Vec<Option<usize>>>,
    /// Whether every tensor is indexed by the whole space in order.
    pub is_elementwise: bool,
}

impl<'p> Indexing<'p> {
    fn of(op: DeviceOp<'p>, types: Vec<Type<'p>>) -> Self {
        let space = op.iteration_space();
        let tensors: Vec<_> = (0..types.len())
            .map(|tensor| op.tensor_dims(tensor))
            .collect();
        let in_order = |dims: &Vec<_>| {
            dims.len() == space.len() && dims.iter().enumerate().all(|(i, dim)| *dim == Some(i))
        };
        let is_elementwise = tensors.iter().all(in_order);
        Self {
            reduction_dims: op.reduction_dims(),
            is_elementwise,
            types,
            space,
            tensors,
        }
    }

    /// What indexes the result.
    #[must_use]
    pub fn result(&self) -> &[Option<usize>] {
        self.tensors.last().map_or(&[], Vec::as_slice)
    }
}

/// A table of indexings. Operations without a reduction and with the same types share one.
#[derive(Default)]
pub struct Indexings<'p> {
    last: Option<Rc<Indexing<'p>>>,
    known: FxHashMap<Vec<usize>, Rc<Indexing<'p>>>,
}

impl<'p> Indexings<'p> {
    /// The indexing of an operation.
    pub fn of(&mut self, op: DeviceOp<'p>) -> Rc<Indexing<'p>> {
        let types = op.tensor_types();
        // A reduction is indexed by its attributes too.
        if op.reduction_dims() > 0 {
            return Rc::new(Indexing::of(op, types.iter().collect()));
        }
        if let Some(last) = &self.last
            && types.are(&last.types)
        {
            return Rc::clone(last);
        }
        let key = types.iter().map(|ty| ty.to_raw().ptr as usize).collect();
        let indexing = self
            .known
            .entry(key)
            .or_insert_with(|| Rc::new(Indexing::of(op, types.iter().collect())));
        self.last = Some(Rc::clone(indexing));
        Rc::clone(indexing)
    }
}

//! The indexing of tensors by operations, computed once for operations that are alike.

use std::rc::Rc;

use melior::ir::Type;
use rustc_hash::FxHashMap;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::ir::{TypeKey, type_key};

use crate::dynamic::{DynamicDims, SymbolId};
use crate::walk::tensors;

/// The iteration space of an operation, and the iteration dimensions that index its tensors.
#[derive(Debug, PartialEq, Eq)]
pub struct Indexing<'p> {
    /// The types of the tensors, operands first, then the result. A dynamic dimension with a known largest extent has
    /// that extent.
    pub types: Vec<Type<'p>>,
    /// Extents of the iteration space in elements, as in the types; a negative extent is dynamic.
    pub space: Vec<i64>,
    /// The dynamic dimension that each iteration dimension is, `None` for others; empty if no dimension is dynamic.
    symbols: Vec<Option<SymbolId>>,
    /// The number of trailing iteration dimensions that are reduced.
    pub reduction_dims: usize,
    /// For each tensor, the iteration dimension that indexes each of its dimensions; `None` where it is broadcast,
    /// gathered, or walked along by windows.
    pub tensors: Vec<Vec<Option<usize>>>,
    /// The dimension of operand #1 that is indexed by the elements of operand #0; `None` if the operation has no such
    /// indices.
    pub gathered_dim: Option<usize>,
    /// Whether every tensor is indexed by the whole space in order.
    pub is_elementwise: bool,
    /// The number of positions of a tensor dimension for each position of its iteration dimension, for each dimension
    /// of each tensor; empty if all are 1.
    scales: Vec<Vec<u64>>,
    /// Whether no loop can cut each iteration dimension: a part along it is no view of parts of the tensors, windows overlap
    /// there, or it is normalised; empty if each can be cut.
    inner: Vec<bool>,
}

/// The indexing of a view's tensors.
#[derive(Debug)]
pub struct ViewIndexing {
    /// Extents of the iteration space in elements.
    pub space: Vec<u64>,
    /// For each tensor, the iteration dimension that moves along each of its dimensions.
    pub tensors: Vec<Vec<Option<usize>>>,
    /// The number of positions of a tensor dimension for each position of its iteration dimension, for each dimension
    /// of each tensor; empty if all are 1.
    pub scales: Vec<Vec<u64>>,
    /// For each iteration dimension, whether a part along it is not a view of parts of the tensors.
    pub inner: Vec<bool>,
}

impl<'p> Indexing<'p> {
    /// Returns how many leading iteration dimensions are not reduced.
    #[must_use]
    pub fn parallel_dims(&self) -> usize {
        self.space.len() - self.reduction_dims
    }

    fn of(op: DeviceOp<'p>, types: Vec<Type<'p>>) -> Self {
        let space = op.iteration_space();
        let tensors: Vec<_> = (0..types.len())
            .map(|tensor| op.tensor_dims(tensor))
            .collect();
        let in_order = |dims: &Vec<_>| {
            dims.len() == space.len() && dims.iter().enumerate().all(|(i, dim)| *dim == Some(i))
        };
        let is_elementwise = tensors.iter().all(in_order);
        // Windows overlap: neighbouring parts of their positions read some elements in common.
        let mut inner = Vec::new();
        for walk in op.walked_dims() {
            inner.resize(space.len(), false);
            inner[walk.position] = true;
            inner[walk.window] = true;
        }
        // A normalised dimension cannot be cut.
        if let Some(dim) = op.normalised_dim() {
            inner.resize(space.len(), false);
            inner[dim] = true;
        }
        Self {
            reduction_dims: op.reduction_dims(),
            gathered_dim: op.gathered_dim(),
            is_elementwise,
            types,
            space,
            symbols: Vec::new(),
            tensors,
            scales: Vec::new(),
            inner,
        }
    }

    /// Returns the indexing of a view.
    pub fn of_view(
        types: Vec<Type<'p>>,
        view: ViewIndexing,
        symbols: Vec<Option<SymbolId>>,
    ) -> Self {
        Self {
            types,
            space: view
                .space
                .iter()
                .map(|extent| extent.cast_signed())
                .collect(),
            symbols,
            reduction_dims: 0,
            tensors: view.tensors,
            gathered_dim: None,
            is_elementwise: false,
            scales: view.scales,
            inner: view.inner,
        }
    }

    /// Returns the indexing of an operation with dynamic dimensions, which have their largest extents.
    pub fn dynamic(op: DeviceOp<'p>, dynamic: &DynamicDims) -> Self {
        let values = tensors(op);
        let mut indexing = Self::of(op, op.tensor_types().iter().collect());
        let mut symbols = vec![None; indexing.space.len()];
        for (value, dims) in values.iter().zip(&indexing.tensors) {
            for (symbol, dim) in dynamic.of(*value).iter().zip(dims) {
                if let (Some(symbol), Some(dim)) = (*symbol, *dim)
                    && let Some(entry) = symbols.get_mut(dim)
                {
                    *entry = Some(symbol);
                }
            }
        }
        for (extent, symbol) in indexing.space.iter_mut().zip(&symbols) {
            if let Some(symbol) = *symbol {
                *extent = dynamic.symbol(symbol).extent.max().cast_signed();
            }
        }
        for (ty, value) in indexing.types.iter_mut().zip(&values) {
            *ty = dynamic.largest(*value);
        }
        indexing.symbols = symbols;
        indexing
    }

    /// Returns the iteration dimensions that index the result; `None` where it is broadcast.
    #[must_use]
    pub fn result(&self) -> &[Option<usize>] {
        self.tensors.last().map_or(&[], Vec::as_slice)
    }

    /// Returns how many positions along a dimension of a tensor one position of its iteration dimension is. It is more than one
    /// where the dimension merges others.
    #[must_use]
    pub fn scale(&self, tensor: usize, dim: usize) -> u64 {
        let scales = self.scales.get(tensor);
        scales.map_or(1, |scales| scales[dim])
    }

    /// Returns whether parts along an iteration dimension read and write parts of the tensors.
    #[must_use]
    pub fn can_be_cut(&self, dim: usize) -> bool {
        !self.inner.get(dim).is_some_and(|inner| *inner)
    }

    /// Returns the dynamic dimension of an iteration dimension; `None` if it is static, or has no known bounds.
    #[must_use]
    pub fn symbol(&self, dim: usize) -> Option<SymbolId> {
        self.symbols.get(dim).copied().flatten()
    }

    /// Returns the extent, in elements, that an iteration dimension has by the operation's types; `None` if it is dynamic.
    #[must_use]
    pub(crate) fn static_extent(&self, dim: usize) -> Option<u64> {
        let extent = u64::try_from(*self.space.get(dim)?).ok()?;
        self.symbol(dim).is_none().then_some(extent)
    }
}

/// A table of indexings. Operations with neither a reduction nor indices and with the same types share one.
#[derive(Default)]
pub struct Indexings<'p> {
    dynamic: Rc<DynamicDims>,
    last: Option<Rc<Indexing<'p>>>,
    indexings: FxHashMap<Vec<TypeKey>, Rc<Indexing<'p>>>,
}

impl<'p> Indexings<'p> {
    /// Returns an empty table for operations with known dynamic dimensions.
    #[must_use]
    pub fn with(dynamic: Rc<DynamicDims>) -> Self {
        Self {
            dynamic,
            ..Self::default()
        }
    }

    /// Returns the indexing of an operation.
    pub fn of(&mut self, op: DeviceOp<'p>) -> Rc<Indexing<'p>> {
        // Equal types may be of different dynamic dimensions.
        if !self.dynamic.is_empty() && self.dynamic.has_any(op.op()) {
            return Rc::new(Indexing::dynamic(op, &self.dynamic));
        }
        let types = op.tensor_types();
        // The attributes of a reduction or a gather are part of its indexing.
        if op.reduction_dims() > 0 || op.gathered_dim().is_some() {
            return Rc::new(Indexing::of(op, types.iter().collect()));
        }
        if let Some(last) = &self.last
            && types.are(&last.types)
        {
            return Rc::clone(last);
        }
        let key = types.iter().map(type_key).collect();
        let indexing = self
            .indexings
            .entry(key)
            .or_insert_with(|| Rc::new(Indexing::of(op, types.iter().collect())));
        self.last = Some(Rc::clone(indexing));
        Rc::clone(indexing)
    }
}

//! The operations of a group: device operations, and the views between them.
//!
//! A permutation, a reshape or a window of a value that a group computes is in the loops too, as a view of the value's
//! tile. A reshape iterates over the side with more dimensions: a split dimension is iterated by its parts. One
//! position of the outermost part is several positions of the merged dimension: the product of the extents of the other
//! parts. So a level that cuts the outermost part cuts the merged dimension as well, in tiles that are longer by this
//! factor. A level can cut neither an inner part nor a dimension in which a window is shorter than its tensor.

use std::rc::Rc;

use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};
use spyre_analysis::dynamic::slices::{self, Slice, SliceSize};
use spyre_analysis::dynamic::{DynamicDims, SymbolId};
use spyre_analysis::indexing::{Indexing, ViewIndexing};
use spyre_analysis::names::{DYNAMIC, shape};
use spyre_analysis::view::View;
use spyre_analysis::walk::tensors;
use spyre_dialects::attr::Place;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::ir::{self, Offset, Op, OpKind, Val, Window};

/// An operation of a group.
#[derive(Debug, Clone, Copy)]
pub(crate) enum GroupOp<'p> {
    /// A device operation.
    Device(DeviceOp<'p>),
    /// A permutation, a reshape, or a window that is taken or inserted.
    View(Op<'p>),
}

impl<'p> GroupOp<'p> {
    /// Returns the operation.
    pub(crate) fn op(self) -> Op<'p> {
        match self {
            Self::Device(op) => op.op(),
            Self::View(op) => op,
        }
    }

    /// Returns the device operation; `None` for a view.
    pub(crate) fn device(self) -> Option<DeviceOp<'p>> {
        match self {
            Self::Device(op) => Some(op),
            Self::View(_) => None,
        }
    }

    /// Returns whether it is a view.
    pub(crate) fn is_view(self) -> bool {
        matches!(self, Self::View(_))
    }

    /// Returns its tensors, operands first, then the result.
    pub(crate) fn tensors(self) -> Vec<Val<'p>> {
        match self {
            Self::Device(op) => tensors(op),
            Self::View(op) => op
                .operands()
                .filter(|value| ir::is_ranked_tensor(value.r#type()))
                .chain(op.results().map(Val::from))
                .collect(),
        }
    }

    /// Returns the place of its result; `None` if it has none.
    pub(crate) fn place(self) -> Option<Place> {
        self.device().and_then(DeviceOp::place)
    }

    /// Removes the hints.
    pub(crate) fn remove_hints(self) {
        if let Self::Device(op) = self {
            op.remove_hints();
        }
    }
}

impl<'p> From<DeviceOp<'p>> for GroupOp<'p> {
    fn from(op: DeviceOp<'p>) -> Self {
        Self::Device(op)
    }
}

/// Returns the indexing of a view's tensors.
///
/// # Errors
/// The reason why no level can cut any of its dimensions.
pub(crate) fn indexing_of<'p>(
    op: Op<'p>,
    dynamic: &DynamicDims,
) -> Result<Rc<Indexing<'p>>, String> {
    let tensors = GroupOp::View(op).tensors();
    let types: Vec<Type<'p>> = tensors
        .iter()
        .map(|value| dynamic.largest(*value))
        .collect();
    let shapes = types
        .iter()
        .map(|ty| shape(*ty).ok_or_else(|| format!("{ty} is not a ranked tensor")));
    let shapes = shapes.collect::<Result<Vec<_>, _>>()?;
    if shapes.iter().flatten().any(|extent| *extent == DYNAMIC) {
        return Err("it has an extent that is not fixed".to_owned());
    }
    let [source, .., result] = shapes.as_slice() else {
        return Err("it has no operand that is a tensor".to_owned());
    };
    let indexing = match ir::kind(op) {
        OpKind::ExtractSlice => {
            let (of_source, of_result, inner) = window_dims(op, source, result)?;
            ViewIndexing {
                // Along dimensions that are dropped or cut off, the source is read at the window's position.
                tensors: vec![of_source, of_result],
                scales: Vec::new(),
                space: result.clone(),
                inner,
            }
        }
        OpKind::InsertSlice => {
            let (of_result, of_source, inner) = window_dims(op, result, source)?;
            ViewIndexing {
                tensors: vec![of_source, of_result.clone(), of_result],
                scales: Vec::new(),
                space: result.clone(),
                inner,
            }
        }
        _ => view_indexing(&View::of(op)?, source, result)?,
    };
    let mut symbols: Vec<Option<SymbolId>> = vec![None; indexing.space.len()];
    for (value, dims) in tensors.iter().zip(&indexing.tensors) {
        for (symbol, dim) in dynamic.of(*value).iter().zip(dims) {
            if let (Some(symbol), Some(dim)) = (*symbol, *dim) {
                symbols[dim] = Some(symbol);
            }
        }
    }
    Ok(Rc::new(Indexing::of_view(types, indexing, symbols)))
}

/// Returns the indexing of a permutation or a reshape between tensors of two shapes.
fn view_indexing(view: &View, source: &[u64], result: &[u64]) -> Result<ViewIndexing, String> {
    match view {
        View::Permute(permutation) => {
            let mut of_source = vec![None; source.len()];
            for (dim, from) in permutation.iter().enumerate() {
                let entry = of_source.get_mut(*from);
                *entry.ok_or("the permutation is of another rank")? = Some(dim);
            }
            Ok(ViewIndexing {
                tensors: vec![of_source, (0..result.len()).map(Some).collect()],
                scales: Vec::new(),
                space: result.to_vec(),
                inner: vec![false; result.len()],
            })
        }
        View::Expand(groups) => {
            let (merged, scales, inner) = merged_dims(groups, result);
            Ok(ViewIndexing {
                tensors: vec![merged, (0..result.len()).map(Some).collect()],
                scales: vec![scales, vec![1; result.len()]],
                space: result.to_vec(),
                inner,
            })
        }
        View::Collapse(groups) => {
            let (merged, scales, inner) = merged_dims(groups, source);
            Ok(ViewIndexing {
                tensors: vec![(0..source.len()).map(Some).collect(), merged],
                scales: vec![vec![1; source.len()], scales],
                space: source.to_vec(),
                inner,
            })
        }
    }
}

/// The iteration dimension that moves along each dimension of a tensor.
type Dims = Vec<Option<usize>>;

/// Returns, for a window of a tensor of extents `whole`: the iteration dimensions of the tensor, the iteration dimensions of the
/// window, and for each iteration dimension whether no level can cut it. The iteration space is that of the window where it is
/// taken, and of the tensor where it is inserted.
fn window_dims(op: Op<'_>, whole: &[u64], part: &[u64]) -> Result<(Dims, Dims, Vec<bool>), String> {
    let window = window_of(op, part)?;
    let is_taken = ir::kind(op) == OpKind::ExtractSlice;
    let kept = kept_dims(&window, part)?;
    let mut inner = vec![true; if is_taken { part.len() } else { whole.len() }];
    let mut of_whole = vec![None; whole.len()];
    let mut of_part = vec![None; part.len()];
    for (dim, extent) in whole.iter().enumerate() {
        let at = kept.iter().position(|kept| *kept == dim);
        let is_all = u64::try_from(window.sizes[dim]) == Ok(*extent)
            && window.offsets[dim] == Offset::Static(0);
        let iter_dim = if is_taken { at } else { Some(dim) };
        if let Some(iter_dim) = iter_dim {
            inner[iter_dim] = !is_all || at.is_none();
        }
        if is_taken {
            of_whole[dim] = at.filter(|_| is_all);
        } else {
            of_whole[dim] = Some(dim);
        }
        if let Some(at) = at {
            of_part[at] = if is_taken {
                Some(at)
            } else {
                Some(dim).filter(|_| is_all)
            };
        }
    }
    Ok((of_whole, of_part, inner))
}

/// Returns the window of a slice. A dynamic size covers all of a dynamic dimension, with its largest extent in `part`,
/// the shape of the smaller tensor.
pub(crate) fn window_of<'p>(op: Op<'p>, part: &[u64]) -> Result<Window<'p>, String> {
    if let Some(window) = ir::window(op) {
        return Ok(window);
    }
    let slice = Slice::cast(op).expect("windows are slices");
    let (offsets, sizes) = (slice.offsets(), slice.all_sizes());
    if slice.strides().iter().any(|stride| *stride != 1) {
        return Err("it has a stride other than 1".to_owned());
    }
    let is_known = sizes.len() == part.len() && !offsets.contains(&slices::DYNAMIC);
    if !is_known {
        return Err("it has a size that is not fixed".to_owned());
    }
    let sizes = sizes
        .into_iter()
        .zip(part)
        .map(|(size, extent)| match size {
            SliceSize::Fixed(size) => size,
            SliceSize::Chosen(_) => extent.cast_signed(),
        });
    Ok(Window {
        sizes: sizes.collect(),
        offsets: offsets.into_iter().map(Offset::Static).collect(),
    })
}

/// Returns the dimension of the whole tensor that each dimension of a window is. Dimensions that are dropped have size 1.
pub(crate) fn kept_dims(window: &Window<'_>, part: &[u64]) -> Result<Vec<usize>, String> {
    let mut left = window.sizes.len().checked_sub(part.len());
    let mut kept = Vec::with_capacity(part.len());
    for (dim, size) in window.sizes.iter().enumerate() {
        let size = u64::try_from(*size).map_err(|_| "its size is not fixed")?;
        let next = part.get(kept.len()).copied();
        if next == Some(size) {
            kept.push(dim);
        } else if size == 1
            && let Some(more) = left.and_then(|left| left.checked_sub(1))
        {
            left = Some(more);
        } else {
            return Err("its dimensions are not those of the tile".to_owned());
        }
    }
    if kept.len() == part.len() {
        Ok(kept)
    } else {
        Err("its dimensions are not those of the tile".to_owned())
    }
}

/// Returns, for each merged dimension, the part that it moves with (`None` if every part has extent 1) and how many of its
/// positions one position of that part is; and for each part whether no level can cut it.
fn merged_dims(groups: &[Vec<usize>], parts: &[u64]) -> (Dims, Vec<u64>, Vec<bool>) {
    let mut inner = vec![false; parts.len()];
    let mut merged = Vec::with_capacity(groups.len());
    let mut scales = Vec::with_capacity(groups.len());
    for group in groups {
        let extent = |dim: &usize| parts[*dim];
        let outer = group.iter().position(|dim| extent(dim) != 1);
        let behind = outer.map_or(&[][..], |outer| &group[outer + 1..]);
        for dim in behind {
            inner[*dim] = true;
        }
        merged.push(outer.map(|outer| group[outer]));
        scales.push(behind.iter().map(extent).product());
    }
    (merged, scales, inner)
}

//! The change of coordinates that a view makes, and the layouts that follow from it.

use spyre_analysis::tensor::{TensorError, tile_layout};
use spyre_analysis::view::{View, WINDOW_NEEDS};
use spyre_layout::{DeviceTensor, Elements, Layout};
use spyre_mlir_rt::ir::{self, Offset, Op, OpKind, Window};

/// The change of coordinates that a view makes.
pub(super) enum Change<'p> {
    View(View),
    Slice(Window<'p>),
}

impl<'p> Change<'p> {
    /// Returns the change that a view makes.
    pub(super) fn of(op: Op<'p>) -> Result<Self, String> {
        if ir::kind(op) != OpKind::ExtractSlice {
            return Ok(Self::View(View::of(op)?));
        }
        ir::window(op)
            .map(Self::Slice)
            .ok_or_else(|| format!("the slice {WINDOW_NEEDS}"))
    }

    /// Returns the layout of the view of a tensor, for the shape of the view.
    pub(super) fn layout(
        &self,
        source: &DeviceTensor,
        shape: &[u64],
    ) -> Result<Layout, TensorError> {
        match self {
            Self::View(view) => Ok(view.layout(source, shape)?),
            Self::Slice(_) => tile_layout(source, shape),
        }
    }

    /// Returns the view of a part of a buffer.
    pub(super) fn view(
        &self,
        source: &spyre_layout::View,
        shape: &[u64],
    ) -> Result<spyre_layout::View, String> {
        let window = match self {
            Self::View(view) => {
                let viewed = view.of_view(source, shape);
                return viewed.map_err(|err| err.to_string());
            }
            Self::Slice(window) => window,
        };
        let mut starts = Vec::with_capacity(shape.len());
        for (dim, (offset, size)) in window.offsets.iter().zip(shape).enumerate() {
            starts.push(match *offset {
                Offset::Static(start) => u64::try_from(start)
                    .map_err(|_| format!("the window starts at {start} in dimension {dim}"))?,
                // The start depends on the loops. Windows of whole sticks start with whole sticks everywhere.
                Offset::Value(_) => {
                    let whole = source.tensor().check_whole_sticks(dim, Elements(*size));
                    whole.map_err(|err| err.to_string())?;
                    check_distances(source, dim, *size)?;
                    0
                }
            });
        }
        let steps = vec![1; shape.len()];
        source
            .slice(&starts, shape, &steps)
            .map_err(|err| err.to_string())
    }

    /// Returns the layout of a source of a shape from which the layout of a result follows.
    pub(super) fn source_layout(
        &self,
        result: &DeviceTensor,
        shape: &[u64],
    ) -> Result<Layout, TensorError> {
        match self {
            Self::View(view) => Ok(view.inverse().layout(result, shape)?),
            Self::Slice(_) => tile_layout(result, shape),
        }
    }

    /// Checks that a window does not start inside a stick, and ends inside one only where the tensor ends.
    pub(super) fn check_sticks(&self, source: &DeviceTensor) -> Result<(), String> {
        let Self::Slice(window) = self else {
            return Ok(());
        };
        let Some(dim) = source.layout().stick_dim() else {
            return Ok(());
        };
        let (Offset::Static(offset), size) = (window.offsets[dim], window.sizes[dim]) else {
            return Ok(());
        };
        let together = source.layout().arrangement().sticks_together();
        let per_stick = together * source.format().elements_per_stick().get();
        let per_stick = per_stick.cast_signed();
        let extent = source.shape()[dim].cast_signed();
        // The window is inside the tensor, which upstream's verifier checks.
        let end = offset + size;
        if offset % per_stick == 0 && (end % per_stick == 0 || end == extent) {
            return Ok(());
        }
        Err(format!(
            "elements {offset} to {end} of dimension {dim} are no whole sticks of {per_stick} elements"
        ))
    }

    /// Checks that a window drops no dimensions.
    pub(super) fn check_rank(&self, shape: &[u64]) -> Result<(), String> {
        match self {
            Self::Slice(window) if window.sizes.len() != shape.len() => Err(format!(
                "the window of rank {} is taken as a tensor of rank {}, which has no layout: keep the dimensions of \
                 extent 1, and change the rank with tensor.collapse_shape or tensor.expand_shape",
                window.sizes.len(),
                shape.len()
            )),
            _ => Ok(()),
        }
    }

    pub(super) fn help(&self) -> &'static str {
        match self {
            Self::View(View::Permute(_)) => "spyre.restickify the source before the permutation",
            Self::View(View::Expand(_) | View::Collapse(_)) => {
                "a reshape moves nothing, so it has to nest with the layout of its source: reshape dimensions that \
                 are whole sticks, or restickify the source so that another dimension is on the stick"
            }
            Self::Slice(_) => {
                "a window starts and ends with whole sticks: move it, or restickify the source so that another \
                 dimension is on the stick"
            }
        }
    }
}

/// Checks that windows of `size` elements, one after the other, are at equal distances in memory: a loop moves by one distance.
fn check_distances(source: &spyre_layout::View, dim: usize, size: u64) -> Result<(), String> {
    let extent = source.shape()[dim];
    let distance = source
        .tensor()
        .level_step_elements(dim, Elements(size), Elements(extent));
    distance.map(drop).map_err(|err| err.to_string())
}

//! The bytes over which a core reaches in the tensors of an operation, for a split that is being chosen.
//!
//! A window has the strides of the tensor that it is cut from, or inserted into. Larger buffers are not considered
//! before places are known: `--convert-spyre-to-sdscbundle` has the buffers, and refuses spans that are too wide.

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use rustc_hash::FxHashMap;
use spyre_dialects::device_op::DeviceOp;
use spyre_layout::Bytes;
use spyre_mlir_rt::ir::{self, Blk, OpKind, Val};
use spyre_plan::auto_tile::Span;

use crate::tensor::{TensorError, TensorTypes};
use crate::walk::tensors;

/// The tensors into which values are inserted, by the [`ir::value_key`] of the value. No value is erased while the
/// table lives.
#[derive(Default)]
pub struct Insertions<'p>(FxHashMap<ir::ValueKey, Val<'p>>);

impl<'p> Insertions<'p> {
    /// Finds the insertions of a function in one walk, since a value may have as many uses as there are operations.
    pub fn of(body: Blk<'p>) -> Self {
        let mut wholes = FxHashMap::default();
        let mut pending = vec![body];
        while let Some(block) = pending.pop() {
            for op in ir::operations(block) {
                match ir::kind(op) {
                    OpKind::For => pending.extend(ir::body(op)),
                    OpKind::InsertSlice => {
                        let operand = |number| op.operand(number);
                        if let (Ok(window), Ok(whole)) = (operand(0), operand(1)) {
                            wholes.insert(ir::value_key(window), whole);
                        }
                    }
                    _ => {}
                }
            }
        }
        Self(wholes)
    }

    /// Returns a table of one value, which is a window of `whole`.
    #[must_use]
    pub fn of_window(window: Val<'p>, whole: Val<'p>) -> Self {
        Self(FxHashMap::from_iter([(ir::value_key(window), whole)]))
    }

    /// Returns the tensor that a value is a window of, or is inserted into; the value itself if it is neither.
    fn whole(&self, value: Val<'p>) -> Val<'p> {
        let mut value = value;
        while let Some(op) = ir::defining_op(value)
            && ir::kind(op) == OpKind::ExtractSlice
            && let Ok(source) = op.operand(0)
        {
            value = source;
        }
        self.0.get(&ir::value_key(value)).copied().unwrap_or(value)
    }
}

/// The spans of the tensors of an operation.
pub struct Spans {
    tensors: Vec<(Span, Vec<u64>, Vec<Option<usize>>)>,
}

impl Spans {
    /// Reads the tensors of an operation.
    ///
    /// # Errors
    /// One is not a tensor that passes can handle.
    pub fn of<'p>(
        types: &TensorTypes<'p>,
        insertions: &Insertions<'p>,
        op: DeviceOp<'p>,
    ) -> Result<Self, TensorError> {
        let tensors = tensors(op).into_iter().enumerate();
        let tensors = tensors.map(|(tensor, value)| {
            let sizes = types.get(value.r#type())?.shape().to_vec();
            let whole = types.get(insertions.whole(value).r#type())?;
            let span = Span::new(&whole.device);
            Ok((span, sizes, op.tensor_dims(tensor)))
        });
        Ok(Self {
            tensors: tensors.collect::<Result<_, TensorError>>()?,
        })
    }

    /// Returns whether no core reaches further than `limit` bytes in any tensor.
    #[must_use]
    pub fn are_within(&self, split: &[u32], limit: Bytes) -> bool {
        self.tensors
            .iter()
            .all(|(span, sizes, dims)| of_core(span, sizes, dims, split) <= limit.get())
    }
}

/// Returns the bytes between the ends of the part that one core visits of a tensor, or of a window of these sizes in elements.
#[must_use]
pub fn of_core(span: &Span, sizes: &[u64], dims: &[Option<usize>], split: &[u32]) -> u64 {
    span.of_window(sizes.iter().enumerate().map(|(host, size)| {
        let cores = dims.get(host).copied().flatten();
        // Every core visits all of a dimension that no iteration dimension indexes.
        let cores = cores.map_or(1, |dim| split[dim]);
        size.div_ceil(u64::from(cores))
    }))
}

/// Returns the message that a core's span of a tensor exceeds the limit, with the ways out. `span` and `limit` are in
/// bytes.
pub fn too_wide(span: u64, tensor: usize, limit: Bytes) -> String {
    format!(
        "each core spans {span} bytes of tensor #{tensor}, and can address {}; tile a dimension that is outermost in its \
         layout (--spyre-choose-tiles=goal=span, or a 'tile' hint), 'split' it over cores, or choose a layout with another \
         dimension outermost",
        limit.get()
    )
}

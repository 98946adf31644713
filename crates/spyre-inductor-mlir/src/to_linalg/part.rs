//! Parts of a buffer that a loop nest writes in place.

use melior::ir::ValueLike;
use melior::ir::attribute::{DenseI32ArrayAttribute, DenseI64ArrayAttribute};
use spyre_construct::loops::Loops;
use spyre_inductor::expr::Expr;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::Val;

use super::nest::Nest;
use super::{Graph, result};

/// The part of a buffer that a nest stores.
pub(super) enum Part {
    /// Every element.
    Whole,
    /// Elements at equal distances along each dimension.
    Window(Strided),
    /// An element at a separate index for each iteration.
    Places,
}

/// Elements at equal distances along each dimension of a tensor.
#[derive(Default)]
pub(super) struct Strided {
    offsets: Vec<i64>,
    sizes: Vec<i64>,
    strides: Vec<i64>,
}

impl<'p> Graph<'p> {
    /// Builds a pointwise loop nest that writes a window of a buffer: the buffer after it.
    pub(super) fn window(
        &self,
        nest: &Nest<'p>,
        window: &Strided,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let op = nest.of;
        let tile = self.pointwise(nest)?;
        let tile = self.build(op).reshape_fixed(tile, &window.sizes);
        let into = self.whole(op, 0)?;
        let numbers = |numbers: &[i64]| DenseI64ArrayAttribute::new(self.context, numbers).into();
        let segments = DenseI32ArrayAttribute::new(self.context, &[1, 1, 0, 0, 0]).into();
        let attributes = [
            ("static_offsets", numbers(&window.offsets)),
            ("static_sizes", numbers(&window.sizes)),
            ("static_strides", numbers(&window.strides)),
            ("operandSegmentSizes", segments),
        ];
        let operands = [tile, into];
        let slice = self.insert(
            op,
            "tensor.insert_slice",
            &operands,
            &[into.r#type()],
            &attributes,
        );
        Ok(result(slice))
    }
}

/// Returns the window that is stored at some coordinates, and the digits along its dimensions, outermost first; `None` if it is none
/// that has each digit once.
pub(super) fn window(loops: &Loops, at: &[Expr]) -> Option<(Vec<usize>, Strided)> {
    let digits = loops.digits();
    let (mut order, mut window) = (Vec::new(), Strided::default());
    for at in at {
        let mut at = loops.linear(at)?;
        window.offsets.push(std::mem::take(&mut at.offset));
        let stride = at.terms.values().copied().min().unwrap_or(1);
        if stride < 1 || at.terms.values().any(|factor| factor % stride != 0) {
            return None;
        }
        at.terms.values_mut().for_each(|factor| *factor /= stride);
        let counts = at.terms.keys().map(|digit| digits[*digit].extent);
        let size = counts.product();
        order.extend(at.mixed(&digits, size)?);
        window.sizes.push(size);
        window.strides.push(stride);
    }
    let mut all = order.clone();
    all.sort_unstable();
    all.dedup();
    (all.len() == order.len() && all.len() == digits.len()).then_some((order, window))
}

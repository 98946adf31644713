//! Parts of a buffer that a loop nest writes in place.

use melior::ir::ValueLike;
use melior::ir::attribute::DenseI64ArrayAttribute;
use spyre_analysis::dynamic::slices::DYNAMIC;
use spyre_construct::loops::Loops;
use spyre_index_expr::Expr;
use spyre_index_expr::sizes::divided;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{Op, Val};
use spyre_ods::tensor;

use super::nest::Nest;
use super::{Graph, error};

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
    sizes: Vec<Expr>,
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
        let tile = self.reshape_as(op, tile, &window.sizes)?;
        let into = self.whole(op, 0)?;
        let numbers = |numbers: &[i64]| DenseI64ArrayAttribute::new(self.context, numbers).into();
        let sizes = self.window_sizes(op, window, into)?;
        let chosen = window
            .sizes
            .iter()
            .filter(|size| size.as_constant().is_none());
        let chosen: Vec<Val<'p>> = chosen.map(|size| self.index(op, size)).collect();
        let slice = tensor::insert_slice(
            tile,
            into,
            &[],
            &chosen,
            &[],
            numbers(&window.offsets),
            numbers(&sizes),
            numbers(&window.strides),
        );
        Ok(self.emit(op, slice, into.r#type()))
    }

    /// Returns the sizes of a window, as attributes have them. It has all of an open size, or elements that the smallest size has.
    fn window_sizes(
        &self,
        op: Op<'p>,
        window: &Strided,
        into: Val<'p>,
    ) -> Result<Vec<i64>, Diagnostic<'p>> {
        let extents = self.shape(into).into_iter().enumerate();
        let sizes = extents.map(|(dim, extent)| {
            let (size, offset) = (&window.sizes[dim], window.offsets[dim]);
            let stride = window.strides[dim];
            let is_all = *size == extent && (offset, stride) == (0, 1);
            let end = |size: i64| offset + (size - 1) * stride;
            match (size.as_constant(), extent.as_constant()) {
                (Some(size), Some(_)) => Ok(size),
                (Some(size), None) if self.bounds.is_less(&end(size).into(), &extent) => Ok(size),
                (None, None) if is_all => Ok(DYNAMIC),
                _ => {
                    let message = format!(
                        "it writes {size:?} elements of dimension {dim}, which has extent {extent:?}, from {offset} on, {stride} apart"
                    );
                    Err(error(op, message))
                }
            }
        });
        sizes.collect()
    }
}

/// Returns the window that is stored at some coordinates, and the digits along its dimensions, outermost first; `None` if no window
/// has each digit once.
pub(super) fn window(loops: &Loops, at: &[Expr]) -> Option<(Vec<usize>, Strided)> {
    let digits = loops.digits();
    let (mut order, mut window) = (Vec::new(), Strided::default());
    for at in at {
        let mut at = loops.linear(at)?;
        window
            .offsets
            .push(std::mem::take(&mut at.offset).as_constant()?);
        // The innermost digit has the stride of the window.
        let factors: Option<Vec<i64>> = at.terms.values().map(innermost).collect();
        let stride = factors?.into_iter().min().unwrap_or(1);
        for factor in at.terms.values_mut() {
            *factor = divided(factor, &stride.into()).filter(|_| stride > 0)?;
        }
        let size = Expr::product(at.terms.keys().map(|digit| &digits[*digit].extent)).ok()?;
        order.extend(at.mixed(&digits, &size)?);
        window.sizes.push(size);
        window.strides.push(stride);
    }
    let mut all = order.clone();
    all.sort_unstable();
    all.dedup();
    (all.len() == order.len() && all.len() == digits.len()).then_some((order, window))
}

/// Returns the constant of a factor of a digit: the factor itself, or the constant in a product with sizes.
fn innermost(factor: &Expr) -> Option<i64> {
    let mut terms = factor.terms();
    match (terms.next(), terms.next(), factor.offset()) {
        (None, ..) => factor.as_constant(),
        (Some((_, number)), None, 0) => Some(number),
        _ => None,
    }
}

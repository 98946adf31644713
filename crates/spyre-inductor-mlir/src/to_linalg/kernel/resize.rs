//! Images in another size, by filters that look at every element.
//!
//! Along each dimension, an element of the result is a weighted sum of a window of the image: the weights are of a
//! filter around its position, as wide as the elements are apart, and add up to 1. Sizes are static, so that the
//! windows and their weights are constants. The windows and weights are equal to
//! `_compute_indices_min_size_weights_aa` in PyTorch's `UpSampleKernel.cpp`.

use melior::ir::attribute::{DenseElementsAttribute, FloatAttribute, IntegerAttribute};
use melior::ir::{Attribute, Type, ValueLike};
use spyre_construct::build::element_of;
use spyre_construct::structured::map;
use spyre_dialects::attr;
use spyre_index_expr::Expr;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{Op, Val};
use spyre_ods::{arith, tensor};

use super::super::super::functions::Class;
use super::super::super::functions::class;
use super::super::emit::Is;
use super::super::{Graph, error, result};

/// The function of the distance to an element that is its weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Filter {
    /// The triangle.
    Linear,
    /// The cubic convolution with -0.5, as Pillow has it.
    Cubic,
}

impl Filter {
    /// Returns the distance from which on weights are 0.
    const fn support(self) -> f64 {
        match self {
            Self::Linear => 1.0,
            Self::Cubic => 2.0,
        }
    }

    /// Returns the weight at a distance.
    fn weight(self, distance: f64) -> f64 {
        const A: f64 = -0.5;
        let x = distance.abs();
        match self {
            Self::Linear if x < 1.0 => 1.0 - x,
            Self::Cubic if x < 1.0 => ((A + 2.0) * x - (A + 3.0)) * x * x + 1.0,
            Self::Cubic if x < 2.0 => ((A * x - 5.0 * A) * x + 8.0 * A) * x - 4.0 * A,
            Self::Linear | Self::Cubic => 0.0,
        }
    }
}

/// The part of a dimension of an image that is summed to an element of the result.
#[derive(Debug, PartialEq)]
struct Window {
    first: i64,
    weights: Vec<f64>,
}

/// Returns the windows of all elements of a dimension of the extent `to`, in one of the extent `from`, with
/// elements that are `scale` elements of `from` apart. `round` rounds to the type in which PyTorch computes.
fn windows(filter: Filter, [from, to]: [i64; 2], scale: f64, round: fn(f64) -> f64) -> Vec<Window> {
    let support = round(filter.support() * scale.max(1.0));
    let inverse = round(1.0 / scale.max(1.0));
    let window = |place: i64| {
        let center = round(scale * (real(place) + 0.5));
        // A factor that is not that of the sizes may lead beyond the image.
        let first = whole(round(center - support) + 0.5).clamp(0, from);
        let end = whole(round(center + support) + 0.5).min(from);
        let weight = |at: i64| {
            let distance = round(round(real(at) - center) + 0.5) * inverse;
            round(filter.weight(round(distance)))
        };
        let weights: Vec<f64> = (first..end).map(weight).collect();
        let sum = weights.iter().fold(0.0, |sum, value| round(sum + value));
        let scaled = weights.iter().map(|value| match sum == 0.0 {
            true => *value,
            false => round(value / sum),
        });
        Window {
            first,
            weights: scaled.collect(),
        }
    };
    (0..to).map(window).collect()
}

#[expect(
    clippy::cast_precision_loss,
    reason = "extents of images are below 2^53"
)]
fn real(number: i64) -> f64 {
    number as f64
}

/// Returns a number without its fraction.
#[expect(
    clippy::cast_possible_truncation,
    reason = "places of images are below 2^63"
)]
fn whole(number: f64) -> i64 {
    number as i64
}

#[expect(clippy::cast_possible_truncation, reason = "it rounds")]
fn round_single(number: f64) -> f64 {
    f64::from(number as f32)
}

impl<'p> Graph<'p> {
    /// Converts an image `[n, c, h, w]` in another size: along its rows first, as PyTorch does.
    pub(super) fn resize(&mut self, op: Op<'p>, filter: Filter) -> Result<(), Diagnostic<'p>> {
        let image = self.whole(op, 0)?;
        let ty = element_of(image);
        let (from, to) = (
            self.extents(image),
            self.memory(op, result(op).r#type())?.size,
        );
        if from.len() != 4
            || to.len() != 4
            || from[..2] != to[..2]
            || from[2..].iter().chain(&to[2..]).any(|extent| *extent == 0)
        {
            let message = format!("an image of extents {from:?} cannot be resized to {to:?}");
            return Err(error(op, message));
        }
        if class(ty) != Class::Float {
            return Err(error(
                op,
                format!("images of {ty} cannot be resized, only images of floats"),
            ));
        }
        let is_aligned = self.flag(op, "align_corners", 2).unwrap_or(false);
        let round = match self.computed(ty) == Type::float64(self.context) {
            true => |number| number,
            false => round_single,
        };
        let mut resized = image;
        for dim in [3, 2] {
            let both = [self.fixed(op, &from[dim])?, self.fixed(op, &to[dim])?];
            let [from, to] = both;
            let scale = match (is_aligned, self.factor(op, dim - 2)) {
                (true, _) if to == 1 => 0.0,
                (true, _) => real(from - 1) / real(to - 1),
                (false, Some(factor)) if factor > 0.0 => 1.0 / factor,
                (false, _) => real(from) / real(to),
            };
            let windows = windows(filter, both, round(scale), round);
            // The intermediate result is an image as well, of the same type.
            resized = self.cast(op, self.filtered(op, (resized, dim), (&windows, from)), ty);
        }
        self.finish(op, resized)
    }

    /// Returns the factor by which a dimension is larger in the result, if the kernel has it: the first one is that of columns.
    fn factor(&self, op: Op<'p>, number: usize) -> Option<f64> {
        if let Some(factors) = self.argument(op, "scale_factors", 3)
            && let Some(factor) = attr::elements(factors).get(number)
        {
            return attr::number(*factor);
        }
        let name = ["scales_h", "scales_w"][number];
        self.argument(op, name, 3 + number).and_then(attr::number)
    }

    /// Builds the weighted sums of windows along a dimension of an image, in the type in which these are computed.
    fn filtered(
        &self,
        op: Op<'p>,
        (image, dim): (Val<'p>, usize),
        (windows, extent): (&[Window], i64),
    ) -> Val<'p> {
        let context = self.context;
        let ty = self.computed(element_of(image));
        let (mut shape, last) = (self.extents(image), extent - 1);
        let rank = shape.len();
        shape[dim] = i64::try_from(windows.len())
            .expect("a vector's length")
            .into();
        let widest = windows.iter().map(|window| window.weights.len()).max();
        let widest = widest.unwrap_or(0);
        let weights = windows.iter().flat_map(|window| {
            let prefix = window.weights.iter().copied();
            prefix.chain(std::iter::repeat_n(0.0, widest - window.weights.len()))
        });
        let weights = weights.map(|weight| FloatAttribute::new(context, ty, weight).into());
        let wide = i64::try_from(widest).expect("windows are narrower than the image");
        let rows = [shape[dim].clone(), wide.into()];
        let weights = self.listed(op, &rows, ty, weights.collect());
        let index: Type<'p> = melior::ir::r#type::IntegerType::new(context, 64).into();
        let firsts = windows.iter();
        let firsts = firsts.map(|window| IntegerAttribute::new(index, window.first).into());
        let firsts = self.listed(op, &shape[dim..=dim], index, firsts.collect());
        let ins = [
            (weights, map(context, rank + 1, &[dim, rank])),
            (firsts, map(context, rank + 1, &[dim])),
        ];
        self.summed(op, &ins, (&shape, 1), ty, &|emit, values| {
            let first = emit.op(arith::index_cast(values[1]), Type::index(context));
            let at = emit.same(arith::addi(first, emit.loop_index(rank)));
            let indices = (0..rank).map(|axis| match axis == dim {
                true => emit.same(arith::minsi(at, emit.index(last))),
                false => emit.loop_index(axis),
            });
            let indices: Vec<Val<'p>> = indices.collect();
            let element = emit.op(tensor::extract(image, &indices), element_of(image));
            let element = emit.converted(element, ty, false);
            let product = emit.same(arith::mulf(element, values[0]));
            // Elements without a weight may be infinite, or after the window.
            let zero = emit.number(0.0, ty);
            emit.select(emit.is(Is::Equal, values[0], zero), zero, product)
        })
    }

    /// Builds a constant tensor of some elements.
    fn listed(
        &self,
        op: Op<'p>,
        shape: &[Expr],
        element: Type<'p>,
        elements: Vec<Attribute<'p>>,
    ) -> Val<'p> {
        let ty = self.shaped(shape, element);
        let value = DenseElementsAttribute::new(ty, &elements)
            .expect("there is an element for each place")
            .into();
        self.emit(op, arith::constant(value), ty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(filter: Filter, extents: [i64; 2]) -> Vec<(i64, Vec<f64>)> {
        let scale = real(extents[0]) / real(extents[1]);
        let windows = windows(filter, extents, scale, |number| number);
        windows
            .into_iter()
            .map(|window| (window.first, window.weights))
            .collect()
    }

    #[test]
    fn a_half_as_large_image_has_weights_of_the_triangle() {
        let rows = weights(Filter::Linear, [4, 2]);
        let [ref first, ref last] = rows[..] else {
            panic!("{rows:?}")
        };
        // Distances of 0.25, 0.25 and 0.75 of the support of 2.
        assert_eq!(*first, (0, vec![3.0 / 7.0, 3.0 / 7.0, 1.0 / 7.0]));
        assert_eq!(*last, (1, vec![1.0 / 7.0, 3.0 / 7.0, 3.0 / 7.0]));
    }

    #[test]
    fn the_same_size_is_the_image() {
        for filter in [Filter::Linear, Filter::Cubic] {
            for (place, (first, weights)) in weights(filter, [5, 5]).into_iter().enumerate() {
                for (at, weight) in (first..).zip(weights) {
                    let is_own = at == i64::try_from(place).expect("it is small");
                    assert_eq!(weight, f64::from(u8::from(is_own)), "{filter:?} {place}");
                }
            }
        }
    }
}

//! Reductions of 16-bit floats that a front end computes in `f32`, between two casts. The card's reductions add up in `f32`
//! anyway, and round once.

use melior::ir::{Attribute, TypeLike, ValueLike};
use spyre_analysis::dynamic::extents::Extent;
use spyre_construct::build::{Build, element_of, with_element};
use spyre_dialects::attr;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ods::{OpParts, spyre, tensor};

use super::pattern::{Product, argument, defined};
use super::products::viewed;

/// The reductions with a result in the format of the operand that are exact, or rounded once.
const REDUCTIONS: [(&str, Reduction); 6] = [
    (spyre::SUM, spyre::sum),
    (spyre::MEAN, spyre::mean),
    (spyre::PROD, spyre::prod),
    (spyre::MAX, spyre::max),
    (spyre::MIN, spyre::min),
    (spyre::ABSMAX, spyre::absmax),
];

/// The constructor of a reduction, from its operand and the dimensions.
type Reduction = for<'p> fn(Val<'p>, Attribute<'p>) -> OpParts<'p>;

/// Builds `absmax` for the maximum of the result of `abs`, of 16-bit floats; `None` for another maximum. The table has
/// `absmax` of `f32` too, but the reference compiler never writes it (contract, K4a).
pub(super) fn magnitude<'p>(build: &Build<'p>, op: Op<'p>, result: Val<'p>) -> Option<Val<'p>> {
    let reduced = ir::operand(op, 0)?;
    if element_of(result).is_f32() {
        return None;
    }
    let x = argument(reduced, spyre::ABS)?;
    // Other users of the absolute values keep the `abs`, and then the maximum of its result needs no further operation.
    if ir::uses(reduced).len() != 1 || x.r#type() != reduced.r#type() {
        return None;
    }
    let maximum = spyre::Max::cast(op)?;
    let parts = spyre::absmax(x, maximum.dims()).with_optional("keepdim", maximum.keepdim());
    Some(build.emit(parts, result.r#type()))
}

/// Replaces a reduction in `f32` with a cast of its result by a reduction in the narrower format, and a sum with a
/// division by the number of its terms by a mean. `op` is the last operation of the pattern and `result` its result.
/// `None` for other operations.
pub(super) fn reduction<'p>(build: &Build<'p>, op: Op<'p>, result: Val<'p>) -> Option<Val<'p>> {
    let narrow = element_of(result);
    let is_cast = ir::name(op) == spyre::FP32TODL16;
    let mut value = match is_cast {
        true => ir::operand(op, 0)?,
        false => result,
    };
    let mut factor = 1.0;
    let mut views = Vec::new();
    // Between the reduction and the cast: views, and the division of a mean.
    while let Some(source) = source_of_view(value) {
        views.push(ir::defining_op(value)?);
        value = source;
    }
    if defined(value, spyre::MUL)
        .or_else(|| defined(value, spyre::REALDIV))
        .is_some()
    {
        let product = Product::of(value);
        let [quotient] = *product.factors else {
            return None;
        };
        (value, factor) = (quotient, product.number);
    }
    while let Some(source) = source_of_view(value) {
        views.push(ir::defining_op(value)?);
        value = source;
    }
    let reduction = ir::defining_op(value)?;
    let mut reductions = REDUCTIONS.into_iter();
    let (name, parts) = reductions.find(|(name, _)| *name == ir::name(reduction))?;
    let reduced = ir::operand(reduction, 0)?;
    let x = match is_cast {
        true => argument(reduced, spyre::DL16TOFP32)?,
        false => reduced,
    };
    if element_of(x) != narrow {
        return None;
    }
    let dims = ir::attribute(reduction, "dims")?;
    let parts = match factor {
        1.0 if is_cast => parts,
        _ if name == spyre::SUM && factor == 1.0 / count(build, x, dims)? => spyre::mean,
        _ => return None,
    };
    let parts = parts(x, dims).with_optional("keepdim", ir::attribute(reduction, "keepdim"));
    let ty = with_element(value.r#type(), narrow);
    let mut output = build.emit(parts, ty);
    output = viewed(build, views, output, narrow)?;
    (output.r#type() == result.r#type()).then_some(output)
}

/// Returns the number of elements that are reduced to one; `None` if it is dynamic. It is exact: a mean divides by it
/// in `f32`.
fn count<'p>(build: &Build<'p>, x: Val<'p>, dims: Attribute<'p>) -> Option<f64> {
    let shape = build.shape_of(x).ok()?;
    let dims = attr::dense_integers(Some(dims))?;
    let extents = dims
        .into_iter()
        .map(|dim| shape.get(usize::try_from(dim).ok()?).copied());
    let count = Extent::product(extents.collect::<Option<Vec<_>>>()?)?.number()?;
    #[expect(clippy::cast_precision_loss, reason = "below 2^24, as f32 counts")]
    (count < 1 << 24).then_some(count as f64)
}

/// Returns the source of a view; `None` for a value that is no view of all elements.
pub(super) fn source_of_view(value: Val<'_>) -> Option<Val<'_>> {
    let op = ir::defining_op(value)?;
    let is_view = matches!(
        ir::name(op),
        tensor::EXPAND_SHAPE | tensor::COLLAPSE_SHAPE | spyre::PERMUTE
    );
    is_view.then(|| ir::operand(op, 0)).flatten()
}

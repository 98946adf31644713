//! Reductions of 16-bit floats that a front end computes in `f32`, between two casts. The card's reductions add up in `f32`
//! anyway, and round once.

use melior::ir::operation::OperationLike;
use melior::ir::{TypeLike, ValueLike};
use spyre_analysis::dynamic::extents::Extent;
use spyre_construct::build::{Build, element_of, with_element};
use spyre_dialects::attr;
use spyre_mlir_rt::ir::{self, Op, Val};

use super::pattern::{Product, argument, defined};
use super::products::viewed;

/// The reductions with a result in the format of the operand that are exact, or rounded once.
const REDUCTIONS: [&str; 6] = ["sum", "mean", "prod", "max", "min", "absmax"];

/// Builds `absmax` for the maximum of the result of `abs`, of 16-bit floats; `None` for other operations. The table has
/// `absmax` of `f32` too, but the reference compiler never writes it (contract, K4a).
pub(super) fn magnitude<'p>(
    build: &Build<'p>,
    op: Op<'p>,
    name: &str,
    result: Val<'p>,
) -> Option<Val<'p>> {
    let reduced = ir::operand(op, 0)?;
    if name != "max" || element_of(result).is_f32() {
        return None;
    }
    let x = argument(reduced, "abs")?;
    // Other users of the absolute values keep the `abs`, and then the maximum of its result needs no further operation.
    if ir::uses(reduced).len() != 1 || x.r#type() != reduced.r#type() {
        return None;
    }
    let mut attributes = vec![("dims", ir::attribute(op, "dims")?)];
    if let Ok(keepdim) = op.attribute("keepdim") {
        attributes.push(("keepdim", keepdim));
    }
    Some(build.op("spyre.absmax", &[x], result.r#type(), &attributes))
}

/// Builds the reduction in the format of its operand, for the cast of one in `f32`, or the mean for a sum that is
/// divided by the number of its terms; `None` for other operations.
pub(super) fn raise<'p>(
    build: &Build<'p>,
    op: Op<'p>,
    name: &str,
    result: Val<'p>,
) -> Option<Val<'p>> {
    let narrow = element_of(result);
    let is_cast = name == "fp32todl16";
    let mut value = match name {
        "fp32todl16" => ir::operand(op, 0)?,
        "mul" | "realdiv" => result,
        _ => return None,
    };
    let mut factor = 1.0;
    let mut views = Vec::new();
    // Between the reduction and the cast: views, and the division of a mean.
    while let Some(source) = source_of_view(value) {
        views.push(ir::defining_op(value)?);
        value = source;
    }
    if defined(value, "mul")
        .or_else(|| defined(value, "realdiv"))
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
    let mnemonic = ir::name(reduction).strip_prefix("spyre.")?.to_owned();
    let reduced = ir::operand(reduction, 0)?;
    let x = match is_cast {
        true => argument(reduced, "dl16tofp32")?,
        false => reduced,
    };
    if element_of(x) != narrow || !REDUCTIONS.contains(&mnemonic.as_str()) {
        return None;
    }
    let dims = ir::attribute(reduction, "dims")?;
    let mnemonic = match factor {
        1.0 if is_cast => mnemonic,
        _ if mnemonic == "sum" && factor == 1.0 / count(build, x, dims)? => "mean".to_owned(),
        _ => return None,
    };
    let mut attributes = vec![("dims", dims)];
    if let Ok(keepdim) = reduction.attribute("keepdim") {
        attributes.push(("keepdim", keepdim));
    }
    let ty = with_element(value.r#type(), narrow);
    let mut output = build.op(&format!("spyre.{mnemonic}"), &[x], ty, &attributes);
    output = viewed(build, views, output, narrow)?;
    (output.r#type() == result.r#type()).then_some(output)
}

/// Returns the number of elements that are reduced to one; `None` if it is dynamic. It is exact: a mean divides by it
/// in `f32`.
fn count<'p>(build: &Build<'p>, x: Val<'p>, dims: melior::ir::Attribute<'p>) -> Option<f64> {
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
        "tensor.expand_shape" | "tensor.collapse_shape" | "spyre.permute"
    );
    is_view.then(|| ir::operand(op, 0)).flatten()
}

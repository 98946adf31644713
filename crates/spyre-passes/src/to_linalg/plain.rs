//! Taking layouts off types.

use melior::Context;
use melior::ir::attribute::TypeAttribute;
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationLike, OperationMutLike};
use melior::ir::r#type::{DimSize, FunctionType, RankedTensorType};
use melior::ir::{Attribute, OperationRefMut, RegionLike, ShapedTypeLike, Type, ValueLike};
use spyre_dialects::attr;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{Op, Val};

use super::retyped;

/// Takes the layouts off an operation: off its results, off the arguments of its blocks, off its
/// signature if it is a function, off its value if it is a constant. Attributes of the `spyre` dialect
/// on modules, function arguments and function results go too. Says how many values changed.
pub fn strip<'p>(context: &'p Context, op: Op<'p>) -> Result<usize, Diagnostic<'p>> {
    let mut changed = 0;
    for result in op.results() {
        changed += usize::from(strip_value(result.into())?);
    }
    for region in op.regions() {
        let mut next = region.first_block();
        while let Some(block) = next {
            for index in 0..block.argument_count() {
                let argument = block.argument(index).map_err(|why| error(op, why))?;
                changed += usize::from(strip_value(argument.into())?);
            }
            next = block.next_in_region();
        }
    }
    strip_attributes(context, op)?;
    Ok(changed)
}

fn strip_value<'p>(value: Val<'p>) -> Result<bool, Diagnostic<'p>> {
    let plain = plain(value.r#type()).map_err(|why| Diagnostic::error(value.location(), why))?;
    if let Some(plain) = plain {
        value.set_type(plain);
    }
    Ok(plain.is_some())
}

/// A tensor type without its layout; `None` for a type that has none.
fn plain(ty: Type<'_>) -> Result<Option<Type<'_>>, String> {
    let Ok(tensor) = RankedTensorType::try_from(ty) else { return Ok(None) };
    if !tensor.encoding().is_some_and(attr::is_layout) {
        return Ok(None);
    }
    let shape = (0..tensor.rank())
        .map(|dim| match tensor.dim_size(dim) {
            Ok(DimSize::Static(extent)) => Ok(extent),
            Ok(DimSize::Dynamic) => Ok(RankedTensorType::dynamic_stride_or_offset().cast_unsigned()),
            Err(why) => Err(why.to_string()),
        })
        .collect::<Result<Vec<u64>, String>>()?;
    Ok(Some(RankedTensorType::new(&shape, tensor.element(), None).into()))
}

fn strip_attributes<'p>(context: &'p Context, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
    if let Some(signature) = attribute(op, "function_type")
        && let Some(signature) = plain_signature(context, signature).map_err(|why| error(op, why))?
    {
        editable(op)?.set_attribute("function_type", signature);
    }
    for name in ["arg_attrs", "res_attrs"] {
        if let Some(attributes) = attribute(op, name) {
            editable(op)?.set_attribute(name, without_spyre(context, attributes));
        }
    }
    if attribute(op, "spyre.target").is_some() {
        editable(op)?.remove_attribute("spyre.target").map_err(|why| error(op, why))?;
    }
    // A constant whose type has just lost its layout.
    if let Ok(result) = op.result(0)
        && op.name().as_string_ref().as_str() == Ok("arith.constant")
        && let Some(value) = attribute(op, "value")
        && RankedTensorType::try_from(result.r#type()).is_ok()
    {
        editable(op)?.set_attribute("value", retyped(value, result.r#type()).map_err(|why| error(op, why))?);
    }
    Ok(())
}

fn attribute<'p>(op: Op<'p>, name: &str) -> Option<Attribute<'p>> {
    op.attribute(name).ok()
}

/// A function type without layouts; `None` when the attribute holds something else.
fn plain_signature<'p>(context: &'p Context, signature: Attribute<'p>) -> Result<Option<Attribute<'p>>, String> {
    let Ok(signature) = TypeAttribute::try_from(signature) else { return Ok(None) };
    let Ok(signature) = FunctionType::try_from(signature.value()) else { return Ok(None) };
    let bare = |ty: Result<Type<'p>, melior::Error>| {
        let ty = ty.map_err(|why| why.to_string())?;
        Ok(plain(ty)?.unwrap_or(ty))
    };
    let inputs =
        (0..signature.input_count()).map(|index| bare(signature.input(index))).collect::<Result<Vec<_>, String>>()?;
    let results =
        (0..signature.result_count()).map(|index| bare(signature.result(index))).collect::<Result<Vec<_>, String>>()?;
    Ok(Some(TypeAttribute::new(FunctionType::new(context, &inputs, &results).into()).into()))
}

/// Dictionaries, one for each argument, without the attributes of our dialect.
fn without_spyre<'p>(context: &'p Context, dictionaries: Attribute<'p>) -> Attribute<'p> {
    let dictionaries: Vec<Attribute<'p>> = attr::elements(dictionaries)
        .into_iter()
        .map(|dictionary| {
            let entries = attr::entries(dictionary);
            let kept: Vec<(&str, Attribute<'p>)> = entries
                .iter()
                .filter(|(name, _)| !name.starts_with("spyre."))
                .map(|(name, value)| (name.as_str(), *value))
                .collect();
            attr::dictionary(context, &kept)
        })
        .collect();
    attr::array(context, &dictionaries)
}

/// The operation, to change its attributes: reached through a neighbour that hands it out for change.
fn editable<'p>(op: Op<'p>) -> Result<OperationRefMut<'p, 'p>, Diagnostic<'p>> {
    let found = match (op.previous_in_block(), op.block()) {
        (Some(previous), _) => previous.next_in_block_mut(),
        (None, Some(block)) => block.first_operation_mut(),
        // The outermost operation has no neighbours, but children.
        (None, None) => op
            .region(0)
            .ok()
            .and_then(|region| region.first_block()?.first_operation())
            .and_then(|mut child| child.parent_operation_mut()),
    };
    found.ok_or_else(|| error(op, "nothing refers to this operation"))
}

fn error<'p>(op: Op<'p>, why: impl std::fmt::Display) -> Diagnostic<'p> {
    Diagnostic::error(op.location(), format!("convert-spyre-to-linalg: {why}"))
}

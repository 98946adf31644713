//! Removes layouts from types.

use melior::Context;
use melior::ir::attribute::TypeAttribute;
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationLike, OperationMutLike};
use melior::ir::r#type::{DimSize, FunctionType, RankedTensorType};
use melior::ir::{Attribute, AttributeLike, Location, ShapedTypeLike, Type, ValueLike};
use spyre_dialects::attr;
use spyre_dialects::names::{DIMS, DIVIDE, TILE};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ods::arith;

use super::{Found, retyped};

/// A new value of an attribute; `None` removes it.
type Change<'p> = (&'static str, Option<Attribute<'p>>);

/// Removes the layouts from an operation: from its results, from the arguments of its blocks, from its signature if it is a
/// function, and from its value if it is a constant. Removes the attributes of the `spyre` dialect on modules, function arguments
/// and function results, names and hints as well. Returns how many values changed.
pub(super) fn strip<'p>(context: &'p Context, entry: &Found<'p>) -> Result<usize, Diagnostic<'p>> {
    let op = entry.op;
    let mut changed = 0;
    for result in op.results() {
        changed += usize::from(strip_value(result.into())?);
    }
    for block in ir::blocks(op) {
        for index in 0..block.argument_count() {
            let argument = block
                .argument(index)
                .map_err(|err| error(op.location(), err))?;
            changed += usize::from(strip_value(argument.into())?);
        }
    }
    for (name, attribute) in
        plain_attributes(context, op).map_err(|err| error(op.location(), err))?
    {
        // Only an empty module cannot be edited, and it has no operations.
        let Some(mut editable) = entry.editable else {
            break;
        };
        match attribute {
            Some(attribute) => editable.set_attribute(name, attribute),
            None => editable
                .remove_attribute(name)
                .map_err(|err| error(op.location(), err))?,
        }
    }
    Ok(changed)
}

fn strip_value<'p>(value: Val<'p>) -> Result<bool, Diagnostic<'p>> {
    let plain = plain(value.r#type()).map_err(|err| error(value.location(), err))?;
    if let Some(plain) = plain {
        value.set_type(plain);
    }
    Ok(plain.is_some())
}

/// Returns a tensor type without its layout; `None` for a type that has none.
fn plain(ty: Type<'_>) -> Result<Option<Type<'_>>, String> {
    let Ok(tensor) = RankedTensorType::try_from(ty) else {
        return Ok(None);
    };
    if !tensor.encoding().is_some_and(attr::is_layout) {
        return Ok(None);
    }
    let shape = (0..tensor.rank())
        .map(|dim| match tensor.dim_size(dim) {
            Ok(DimSize::Static(extent)) => Ok(extent),
            Ok(DimSize::Dynamic) => {
                Ok(RankedTensorType::dynamic_stride_or_offset().cast_unsigned())
            }
            Err(err) => Err(err.to_string()),
        })
        .collect::<Result<Vec<u64>, String>>()?;
    Ok(Some(
        RankedTensorType::new(&shape, tensor.element(), None).into(),
    ))
}

/// Returns the attributes of an operation that change, with their new values; `None` removes one.
fn plain_attributes<'p>(context: &'p Context, op: Op<'p>) -> Result<Vec<Change<'p>>, String> {
    let mut changes = Vec::new();
    if let Some(signature) = attribute(op, "function_type")
        && let Some(signature) = plain_signature(context, signature)?
    {
        changes.push(("function_type", Some(signature)));
    }
    for name in ["arg_attrs", "res_attrs"] {
        if let Some(dictionaries) = attribute(op, name) {
            changes.push((name, Some(without_spyre(context, dictionaries))));
        }
    }
    // Names and hints are about tensors; a structured operation on buffers has none.
    for name in ["spyre.target", DIMS, TILE, DIVIDE] {
        if attribute(op, name).is_some() {
            changes.push((name, None));
        }
    }
    // A constant with a type that has just lost its layout.
    if op.name().as_string_ref().as_str() == Ok(arith::CONSTANT)
        && let Some(value) = attribute(op, "value")
        && let Some(result) = ir::result(op, 0)
        && value.r#type() != result.r#type()
    {
        changes.push(("value", Some(retyped(value, result.r#type())?)));
    }
    Ok(changes)
}

fn attribute<'p>(op: Op<'p>, name: &str) -> Option<Attribute<'p>> {
    ir::attribute(op, name)
}

/// Returns a function type without layouts; `None` if the attribute is no function type.
fn plain_signature<'p>(
    context: &'p Context,
    signature: Attribute<'p>,
) -> Result<Option<Attribute<'p>>, String> {
    let Ok(signature) = TypeAttribute::try_from(signature) else {
        return Ok(None);
    };
    let Ok(signature) = FunctionType::try_from(signature.value()) else {
        return Ok(None);
    };
    let bare = |ty: Result<Type<'p>, melior::Error>| {
        let ty = ty.map_err(|err| err.to_string())?;
        Ok(plain(ty)?.unwrap_or(ty))
    };
    let inputs = (0..signature.input_count())
        .map(|index| bare(signature.input(index)))
        .collect::<Result<Vec<_>, String>>()?;
    let results = (0..signature.result_count())
        .map(|index| bare(signature.result(index)))
        .collect::<Result<Vec<_>, String>>()?;
    Ok(Some(
        TypeAttribute::new(FunctionType::new(context, &inputs, &results).into()).into(),
    ))
}

/// Returns the dictionaries, one for each argument, without the attributes of the `spyre` dialect.
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

fn error<'p>(location: Location<'p>, message: impl std::fmt::Display) -> Diagnostic<'p> {
    Diagnostic::error(location, format!("convert-spyre-to-linalg: {message}"))
}

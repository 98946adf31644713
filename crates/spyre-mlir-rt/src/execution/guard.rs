//! Checks that keep a compiled program inside its tensors.
//!
//! All tensors have static extents, so MLIR's verifiers check all constant accesses. Dynamic offsets of slices and
//! dynamic indices of elements each go through a function. It records an offset or index out of bounds and clamps it;
//! the call then fails.

use std::cell::Cell;

use melior::Context;
use melior::ir::attribute::{
    FlatSymbolRefAttribute, IntegerAttribute, StringAttribute, TypeAttribute,
};
use melior::ir::block::BlockLike;
use melior::ir::operation::{Operation, OperationBuilder, OperationLike};
use melior::ir::r#type::{DimSize, FunctionType, IntegerType, RankedTensorType};
use melior::ir::{
    Attribute, Identifier, Location, Module, Region, ShapedTypeLike, Type, TypeLike, ValueLike,
};

use super::CallError;
use crate::diagnostic::Diagnostic;
use crate::ir::{self, At, Offset, Op, Val};

/// The dialects of which a compiled module may have operations.
pub const DIALECTS: &[&str] = &[
    "affine", "arith", "builtin", "cf", "complex", "func", "linalg", "math", "scf", "tensor",
];

/// Operations of `DIALECTS` without checks of their accesses. Gathers and scatters of slices are expanded before.
const UNCHECKED: &[&str] = &[
    "tensor.gather",
    "tensor.parallel_insert_slice",
    "tensor.reshape",
    "tensor.scatter",
];

/// The name of [`clamp`] in compiled programs.
pub(super) const CLAMP: &str = "spyre_clamp_offset";

thread_local! {
    /// The first violation of the call that this thread is in: site, offset, limit.
    static VIOLATION: Cell<Option<(i64, i64, i64)>> = const { Cell::new(None) };
}

/// The place of an offset's computation, or of an assertion.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Site {
    pub(super) location: String,
    /// The message of an assertion.
    asserts: Option<String>,
}

impl Site {
    /// Returns the site of a location.
    pub(super) fn at(location: Location<'_>) -> Self {
        let text = location.to_string();
        let location = text
            .strip_prefix("loc(")
            .and_then(|rest| rest.strip_suffix(')'))
            .unwrap_or(&text)
            .replace('"', "");
        Self {
            location,
            asserts: None,
        }
    }
}

/// Returns `offset`, brought between 0 and `limit`. Compiled programs call it. It notes the site of the first offset that is not
/// in this range.
pub(super) extern "C" fn clamp(offset: i64, limit: i64, site: i64) -> i64 {
    if (0..=limit).contains(&offset) {
        return offset;
    }
    if VIOLATION.get().is_none() {
        VIOLATION.set(Some((site, offset, limit)));
    }
    offset.min(limit).max(0)
}

/// Forgets the violation of an earlier call.
pub(super) fn forget() {
    VIOLATION.set(None);
}

/// Takes the violation of the call that has just ended, if there was one.
pub(super) fn violation(sites: &[Site]) -> Option<CallError> {
    let (site, offset, limit) = VIOLATION.take()?;
    let site = usize::try_from(site).ok().and_then(|site| sites.get(site));
    let location = site.map_or_else(String::new, |site| site.location.clone());
    Some(match site.and_then(|site| site.asserts.clone()) {
        Some(message) => CallError::Assertion { location, message },
        None => CallError::OutOfBounds {
            location,
            offset,
            limit,
        },
    })
}

/// Checks that an operation is allowed in a compiled program.
pub(super) fn check<'p>(
    op: Op<'p>,
    is_external: &impl Fn(&str) -> bool,
) -> Result<(), Diagnostic<'p>> {
    let name = op.name();
    let name = name.as_string_ref();
    let name = name.as_str().unwrap_or_default();
    let error = |message: String| Err(Diagnostic::error(op.location(), message));
    let dialect = name.split('.').next().unwrap_or_default();
    if !DIALECTS.contains(&dialect) {
        return error(format!(
            "'{name}' is not compiled for the CPU; its dialect is none of {}",
            DIALECTS.join(", ")
        ));
    }
    if UNCHECKED.contains(&name) {
        return error(format!("'{name}' is not compiled for the CPU"));
    }
    if name == "func.func" && ir::function_body(op).is_none() {
        if super::symbol(op).is_some_and(|symbol| is_external(&symbol)) {
            return Ok(());
        }
        return error("a function without a body is not compiled for the CPU".to_owned());
    }
    for result in op.results() {
        check_type(op, result.r#type())?;
    }
    for block in ir::blocks(op) {
        for argument in 0..block.argument_count() {
            if let Ok(argument) = block.argument(argument) {
                check_type(op, argument.r#type())?;
            }
        }
        for inner in ir::operations(block) {
            check(inner, is_external)?;
        }
    }
    Ok(())
}

/// Refuses buffers, and tensors of unknown extents.
fn check_type<'p>(op: Op<'p>, ty: Type<'p>) -> Result<(), Diagnostic<'p>> {
    let is_static = match RankedTensorType::try_from(ty) {
        Ok(tensor) => {
            (0..tensor.rank()).all(|dim| matches!(tensor.dim_size(dim), Ok(DimSize::Static(_))))
        }
        Err(_) => !(ty.is_mem_ref() || ty.is_unranked_mem_ref() || ty.is_unranked_tensor()),
    };
    if !is_static {
        let message = format!("{ty} is not compiled for the CPU: its extents are not known");
        return Err(Diagnostic::error(op.location(), message));
    }
    match RankedTensorType::try_from(ty) {
        Ok(tensor) if !is_addressable(tensor) => {
            let message = format!(
                "{ty} is not compiled for the CPU: it has more than the {MAX_ELEMENTS} elements that have addresses"
            );
            Err(Diagnostic::error(op.location(), message))
        }
        _ => Ok(()),
    }
}

/// Largest number of elements of a tensor. Their bytes are counted in 64 bits, of which a machine uses fewer for addresses.
const MAX_ELEMENTS: u64 = 1 << 48;

/// Returns whether the bytes of a tensor of static extents can be counted in 64 bits.
fn is_addressable(ty: RankedTensorType<'_>) -> bool {
    let mut elements = Some(1_u64);
    let mut is_empty = false;
    for dim in 0..ty.rank() {
        if let Ok(DimSize::Static(extent)) = ty.dim_size(dim) {
            is_empty |= extent == 0;
            // A tensor with an extent of 0 is empty, but its strides are products of the other extents.
            elements = elements.and_then(|product| product.checked_mul(extent.max(1)));
        }
    }
    elements.is_some_and(|count| is_empty || count <= MAX_ELEMENTS)
}

/// An offset to check: an operand of an operation, and the largest value that it may have.
struct Access<'p> {
    op: Op<'p>,
    operand: usize,
    limit: i64,
}

/// Inserts a check before every access with a dynamic place. Returns the sites of the checks.
pub(super) fn insert<'p>(
    context: &'p Context,
    module: &'p Module<'_>,
) -> Result<Vec<Site>, Diagnostic<'p>> {
    let mut accesses = Vec::new();
    collect(module.as_operation(), &mut accesses)?;
    let mut assertions = Vec::new();
    collect_assertions(module.as_operation(), &mut assertions);
    if accesses.is_empty() && assertions.is_empty() {
        return Ok(Vec::new());
    }
    declare(context, module);
    let mut sites = Vec::with_capacity(accesses.len());
    for access in accesses {
        let site = i64::try_from(sites.len()).unwrap_or(i64::MAX);
        guard(context, &access, site)
            .map_err(|err| Diagnostic::error(access.op.location(), err.to_string()))?;
        sites.push(Site::at(access.op.location()));
    }
    for op in assertions {
        let site = i64::try_from(sites.len()).unwrap_or(i64::MAX);
        let message = op.attribute("msg").ok();
        let message = message.and_then(|message| StringAttribute::try_from(message).ok());
        sites.push(Site {
            asserts: Some(message.map_or_else(String::new, |message| message.value().to_owned())),
            ..Site::at(op.location())
        });
        assertion(context, op, site)
            .map_err(|err| Diagnostic::error(op.location(), err.to_string()))?;
    }
    Ok(sites)
}

/// Collects the assertions inside of an operation. Lowered, one that does not hold would end the process.
fn collect_assertions<'p>(op: Op<'p>, assertions: &mut Vec<Op<'p>>) {
    for inner in ir::blocks(op).flat_map(ir::operations) {
        if ir::name(inner) == "cf.assert" {
            assertions.push(inner);
        }
        collect_assertions(inner, assertions);
    }
}

/// Replaces an assertion by a call of [`clamp`], for which 1 is outside and 0 is inside.
fn assertion<'p>(context: &'p Context, op: Op<'p>, site: i64) -> Result<(), melior::Error> {
    let at = At::Before(op);
    let truth = IntegerType::new(context, 1).into();
    let build = |name: &str, operands: &[Val<'p>], ty, value: Option<Attribute<'p>>| {
        let value = value.map(|value| (Identifier::new(context, "value"), value));
        let built = OperationBuilder::new(name, op.location())
            .add_attributes(value.as_slice())
            .add_operands(operands)
            .add_results(&[ty])
            .build()?;
        let built = ir::insert(at, built).expect("the assertion is in a block");
        built.result(0).map(Val::from)
    };
    let one = IntegerAttribute::new(truth, 1).into();
    let one = build("arith.constant", &[], truth, Some(one))?;
    let fails = build("arith.xori", &[op.operand(0)?, one], truth, None)?;
    let fails = build("arith.index_castui", &[fails], Type::index(context), None)?;
    let arguments = [
        fails,
        ir::build_index_constant(at, op.location(), 0),
        ir::build_index_constant(at, op.location(), site),
    ];
    let call = call_clamp(context, op, &arguments)?;
    ir::insert(at, call).expect("the assertion is in a block");
    ir::erase(op);
    Ok(())
}

/// Builds a call of [`clamp`].
fn call_clamp<'p>(
    context: &'p Context,
    op: Op<'p>,
    arguments: &[Val<'p>; 3],
) -> Result<Operation<'p>, melior::Error> {
    OperationBuilder::new("func.call", op.location())
        .add_attributes(&[(
            Identifier::new(context, "callee"),
            FlatSymbolRefAttribute::new(context, CLAMP).into(),
        )])
        .add_operands(arguments)
        .add_results(&[Type::index(context)])
        .build()
}

fn collect<'p>(op: Op<'p>, accesses: &mut Vec<Access<'p>>) -> Result<(), Diagnostic<'p>> {
    collect_accesses(op, accesses).map_err(|reason| Diagnostic::error(op.location(), reason))?;
    for block in ir::blocks(op) {
        for inner in ir::operations(block) {
            collect(inner, accesses)?;
        }
    }
    Ok(())
}

/// Adds the accesses of one operation.
fn collect_accesses<'p>(op: Op<'p>, accesses: &mut Vec<Access<'p>>) -> Result<(), String> {
    let name = op.name();
    let name = name.as_string_ref();
    // The number of the tensor operand; the operands after it are offsets, and for slices sizes and strides.
    let (tensor, is_slice) = match name.as_str().unwrap_or_default() {
        "tensor.extract_slice" => (0, true),
        "tensor.insert_slice" => (1, true),
        "tensor.extract" => (0, false),
        "tensor.insert" => (1, false),
        _ => return Ok(()),
    };
    let first = tensor + 1;
    let count = op.operand_count();
    if count == first {
        // All offsets are constant, and verified.
        return Ok(());
    }
    let extents = extents(op.operand(tensor).map_err(|err| err.to_string())?)?;
    let mut add = |operand, extent: i64, size: i64| {
        let limit = extent.checked_sub(size).filter(|limit| *limit >= 0);
        let limit =
            limit.ok_or_else(|| format!("a part of {size} is larger than its tensor, {extent}"))?;
        accesses.push(Access { op, operand, limit });
        Ok(())
    };
    if !is_slice {
        return (first..count)
            .zip(extents)
            .try_for_each(|(operand, extent)| add(operand, extent, 1));
    }
    let window = ir::window(op)
        .ok_or("a slice with computed sizes, or with strides and computed offsets, is not compiled for the CPU")?;
    let parts = window.offsets.iter().zip(&window.sizes).zip(extents);
    let mut operand = first;
    for ((offset, size), extent) in parts {
        // The verifier has checked the others.
        if matches!(offset, Offset::Value(_)) {
            add(operand, extent, *size)?;
            operand += 1;
        }
    }
    Ok(())
}

fn extents(tensor: Val<'_>) -> Result<Vec<i64>, String> {
    let ty = RankedTensorType::try_from(tensor.r#type()).map_err(|err| err.to_string())?;
    (0..ty.rank())
        .map(|dim| match ty.dim_size(dim) {
            Ok(DimSize::Static(extent)) => i64::try_from(extent).map_err(|err| err.to_string()),
            Ok(DimSize::Dynamic) => Err(format!("{ty} has a dynamic extent")),
            Err(err) => Err(err.to_string()),
        })
        .collect()
}

/// Declares [`clamp`] in a module.
fn declare<'p>(context: &'p Context, module: &'p Module<'_>) {
    let index = Type::index(context);
    let ty = FunctionType::new(context, &[index, index, index], &[index]);
    let name = |name| Identifier::new(context, name);
    let declaration = OperationBuilder::new("func.func", module.as_operation().location())
        .add_attributes(&[
            (
                name("sym_name"),
                StringAttribute::new(context, CLAMP).into(),
            ),
            (name("function_type"), TypeAttribute::new(ty.into()).into()),
            (
                name("sym_visibility"),
                StringAttribute::new(context, "private").into(),
            ),
        ])
        .add_regions([Region::new()])
        .build();
    if let Ok(declaration) = declaration {
        module.body().append_operation(declaration);
    }
}

/// Adds a call of [`clamp`] between an offset and its use.
fn guard<'p>(context: &'p Context, access: &Access<'p>, site: i64) -> Result<(), melior::Error> {
    let Access { op, operand, limit } = *access;
    let at = At::Before(op);
    let arguments = [
        op.operand(operand)?,
        ir::build_index_constant(at, op.location(), limit),
        ir::build_index_constant(at, op.location(), site),
    ];
    let call = call_clamp(context, op, &arguments)?;
    if let Some(block) = op.block() {
        let call = block.insert_operation_before(op, call);
        ir::set_operand(op, operand, call.result(0)?.into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_violation_is_kept() {
        let sites: Vec<Site> = ["a", "b"]
            .map(|location| Site {
                location: location.to_owned(),
                asserts: None,
            })
            .into();
        forget();
        assert_eq!(clamp(0, 5, 0), 0);
        assert_eq!(clamp(5, 5, 0), 5);
        assert_eq!(violation(&sites), None);
        assert_eq!(clamp(6, 5, 1), 5);
        assert_eq!(clamp(-1, 5, 0), 0);
        assert_eq!(
            violation(&sites),
            Some(CallError::OutOfBounds {
                location: "b".to_owned(),
                offset: 6,
                limit: 5
            })
        );
        assert_eq!(violation(&sites), None);
    }
}

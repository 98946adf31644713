//! Gathers and scatters: an index tensor chooses rows of a value tensor that is read or written
//! (SDSC bundle specification, sections 4.2 to 4.5).

use super::context::Context;
use super::descriptor::Role;
use crate::error::Error;
use crate::expr::{ExprKind, Symbol};
use crate::model::{Direction, TensorArg};

/// The part of every operand in indirect access. The generator supports one index tensor for one
/// value tensor (SDSC bundle specification, sections 4.2 and 6).
pub(super) fn roles(context: &Context<'_>) -> Result<Vec<Role>, Error> {
    let args = &context.op.args;
    let mut roles = vec![Role::Plain; args.len()];
    let mut links = args.iter().enumerate().filter(|(_, arg)| {
        arg.device_coordinates
            .iter()
            .any(|c| c.has_indirect_access())
    });
    let Some((value, arg)) = links.next() else {
        return Ok(roles);
    };
    if links.next().is_some() {
        return Err(context.unsupported("more than one operand with indirect access"));
    }
    let name = accessed_name(context, value, arg)?;
    let index = args
        .iter()
        .position(|arg| arg.name.as_deref() == Some(name.as_str()))
        .ok_or_else(|| {
            context.inconsistent(format!(
                "operand {value} is indexed by {name}, which names no operand"
            ))
        })?;
    if index >= value {
        return Err(context.inconsistent(format!(
            "index operand {index} must come before value operand {value}"
        )));
    }
    let index_arg = &args[index];
    if index_arg.direction != Direction::Input || index_arg.allocation.is_lx() {
        return Err(context.unsupported(format!(
            "index operand {index} that is not read from device memory"
        )));
    }
    if index_arg
        .device_coordinates
        .iter()
        .all(|c| c.symbols().is_empty())
    {
        return Err(context.unspecified(
            format!("args[{index}].device_coordinates of a single index"),
            "section 4.2 (d) adds dimensions for constant coordinates, but not which ones",
        ));
    }
    roles[index] = Role::Index { value };
    roles[value] = Role::Value { index };
    Ok(roles)
}

/// The name in the one coordinate that is an indirect access.
fn accessed_name<'a>(
    context: &Context<'_>,
    position: usize,
    arg: &'a TensorArg,
) -> Result<&'a Symbol, Error> {
    let mut names = arg
        .device_coordinates
        .iter()
        .filter(|c| c.has_indirect_access())
        .map(|c| match c.kind() {
            ExprKind::IndirectAccess(name) => Ok(name),
            _ => Err(context.unsupported(format!(
                "operand {position} computes `{c}` from an indirect access"
            ))),
        });
    match (names.next(), names.next()) {
        (Some(name), None) => name,
        _ => Err(context.unsupported(format!(
            "operand {position} with more than one indirect access"
        ))),
    }
}

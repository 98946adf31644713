//! Replaces a load of an expression by its computation.

use melior::Context;
use melior::ir::attribute::TypeAttribute;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Type, ValueLike};
use spyre_construct::affine;
use spyre_construct::build::element_type;
use spyre_index_expr::{Expr, Var};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Op, Val};
use spyre_ods::{OpBuilder, inductor};

use super::super::copy::{Copy, arguments};
use super::super::errors::error;
use super::super::program::{self, result};
use super::super::{index, types};

/// Returns the dimension of a buffer along which each loop of its producer runs; dimensions without a loop have one
/// element. `None` if the producer stores at other coordinates.
///
/// # Errors
/// An index is too large.
pub(super) fn dimensions<'p>(op: Op<'p>) -> Result<Option<Vec<usize>>, Diagnostic<'p>> {
    let loops = program::loops(op)?;
    let at = program::stored_at(op)?;
    let mut dimensions = vec![None; loops.len()];
    for (dim, at) in at.iter().enumerate() {
        match at.as_var() {
            Some(Var::Loop(number)) if dimensions[number as usize].is_none() => {
                dimensions[number as usize] = Some(dim);
            }
            None if at.as_constant() == Some(0) => {}
            _ => return Ok(None),
        }
    }
    Ok(dimensions.into_iter().collect())
}

/// Replaces a load of an expression by its computation, in the body of a nest. `dimensions` are the dimensions of the
/// expression's loops.
///
/// # Errors
/// An index is too large.
pub(super) fn inline<'p>(
    context: &'p Context,
    (of, dimensions): (Op<'p>, &[usize]),
    (nest, load): (Op<'p>, Op<'p>),
) -> Result<(), Diagnostic<'p>> {
    let body = ir::body(nest).expect("a nest has a block");
    let mut copy = Copy::new(context, arguments(body), Vec::new());
    let map = program::map(load);
    let vars: Vec<Var> = load
        .operands()
        .skip(1)
        .map(|index| copy.var(index))
        .collect();
    let at = affine::exprs(map, &|dim| Expr::var(vars[dim])).map_err(|err| error(load, err))?;
    copy.set_loops(dimensions.iter().map(|dim| at[*dim].clone()).collect());

    let block = ir::body(of).expect("a nest has a block");
    copy.block(block, At::Before(load))?;
    let store = block.terminator().expect("a nest ends with a store");
    let stored = ir::operand(store, 0).expect("an expression stores a value");
    let value = copy.value(stored);
    let element = element_type(result(of, 0).r#type());
    let value = rounded(context, load, (value, element));
    ir::replace_all_uses(result(load, 0), value);
    let indices: Vec<Val<'p>> = load.operands().skip(1).collect();
    ir::erase(load);
    erase_unused(indices);
    Ok(())
}

/// Erases the functions of indices without uses, and the ones that become unused by that.
fn erase_unused(mut indices: Vec<Val<'_>>) {
    while let Some(index) = indices.pop() {
        let function = ir::defining_op(index).filter(|op| ir::name(*op) == index::APPLY);
        if let Some(op) = function
            && ir::uses(index).is_empty()
        {
            indices.retain(|other| ir::value_key(*other) != ir::value_key(index));
            indices.extend(op.operands());
            ir::erase(op);
        }
    }
}

/// Returns a value as it would be loaded from a buffer of an element type: a float of 16 bits or of 8 has been rounded.
fn rounded<'p>(
    context: &'p Context,
    load: Op<'p>,
    (value, element): (Val<'p>, Type<'p>),
) -> Val<'p> {
    if !types::is_narrow(element) {
        return value;
    }
    let dtype: Attribute<'p> = TypeAttribute::new(element).into();
    OpBuilder::before(context, load).same(inductor::to_dtype(value, dtype))
}

//! States the slices of the cores that a division implies (contract, K69).
//!
//! The current front end expects every specification to state the slices of each core. Where a tree leaves that to the
//! division, the number of a core has one digit per dimension, the fastest one first, and a digit is `Mod(floor(core_id
//! / weight), slices)`.

use spyre_ops::OpClass;

use super::context::Context;
use super::windowed;
use super::{EnclosingLoops, PlanOptions, dims, plan};
use crate::error::Error;
use crate::expr::{Expr, Symbol};
use crate::model::{CORE_ID, Node, OpSpec};
use crate::ordered::Object;

/// States the slice of each dimension that a core works on, in every specification of a tree that leaves it to the division. The
/// files of the tree stay the same. A gather stays as it is where its division is not that of its only core.
///
/// # Errors
/// The errors of [`plan`].
pub fn state_core_slices(nodes: &mut [Node], options: &PlanOptions) -> Result<(), Error> {
    let mut index = 0;
    state_in(nodes, options, &mut index)
}

fn state_in(nodes: &mut [Node], options: &PlanOptions, index: &mut usize) -> Result<(), Error> {
    for node in nodes {
        match node {
            Node::Loop(spec) => state_in(&mut spec.body, options, index)?,
            Node::Op(op) => {
                if op.core_id_to_work_slice.is_none() {
                    op.core_id_to_work_slice = core_slices(op, *index, options)?;
                }
                *index += 1;
            }
            Node::Unimplemented { .. } => {}
        }
    }
    Ok(())
}

/// Returns the slices that the division of an operation implies; `None` for a gather that is divided, but runs on one core.
fn core_slices(
    op: &OpSpec,
    index: usize,
    options: &PlanOptions,
) -> Result<Option<Object<Expr, Symbol>>, Error> {
    let mut slices = Object::new();
    if op.iteration_space.iter().all(|dim| dim.slices == 1) {
        return Ok(Some(slices));
    }
    let context = Context::new(op, index, options);
    let class = OpClass::of_spec(&op.op, op.is_reduction);
    let names = match class {
        OpClass::Pool | OpClass::Conv => windowed::names_of(&context)?,
        _ => dims::name_dims(&context, class)?,
    };
    let descriptor = plan(op, index, EnclosingLoops::Unknown, options)?;
    let cores = &descriptor.core_mapping;
    let divided: u64 = op.iteration_space.iter().map(|dim| dim.slices).product();
    if u64::from(cores.cores()) != divided {
        return Ok(None);
    }
    let mut weight = 1;
    for place in cores.order() {
        let planned = &descriptor.dims[*place];
        let count = i64::try_from(planned.slices).expect("slices are at most as many as cores");
        // A dimension that the format adds has no symbol, and is undivided.
        if let Some(symbol) = names.symbol_of(planned.dim) {
            slices.insert(symbol.clone(), digit(weight, count));
        }
        weight *= count;
    }
    Ok(Some(slices))
}

/// Returns the digit of `count` values and a weight, of the number of a core.
fn digit(weight: i64, count: i64) -> Expr {
    let core = Expr::symbol(CORE_ID);
    match (weight, count) {
        (_, 1) => Expr::int(0),
        (1, _) => core.modulo(count),
        _ => core.floor_div(weight).modulo(count),
    }
}

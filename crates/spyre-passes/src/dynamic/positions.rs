//! Positions along a dimension whose extent is chosen at run time, such as those that a mask compares.
//!
//! While extents have stand-ins, positions are an argument of the function: nothing is computed from a stand-in. Behind the
//! conversion that argument is a constant, with the positions of the largest extent, of which a slice has as many as are chosen.

use melior::Context;
use melior::dialect::arith;
use melior::ir::attribute::{DenseElementsAttribute, IntegerAttribute, StringAttribute};
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{Attribute, ShapedTypeLike, Type, ValueLike};
use rustc_hash::FxHashMap;
use spyre_dialects::attr;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Op, Val};

use super::slices::SliceSize;
use super::{DynamicDims, SymbolId, argument_attributes, erase_argument, error, slices};
use crate::constants::CONSTANT;
use crate::from_linalg::access::LoopId;
use crate::from_linalg::hoist;
use crate::names::DIMS;

/// The attribute of an argument that stands for the positions along a dimension.
const POSITIONS: &str = "spyre.positions";

/// A position that a body computes with, along a dimension that is chosen at run time.
pub(super) struct Position<'p> {
    /// The `linalg.index`.
    pub(super) index: Op<'p>,
    /// The structured operation around it.
    pub(super) structured: Op<'p>,
    /// The loop.
    pub(super) along: LoopId,
    /// The dimension.
    pub(super) symbol: SymbolId,
}

/// Gives a function an argument for the positions along each dimension, which bodies then read.
pub(super) fn to_arguments<'p>(
    context: &'p Context,
    function: Op<'p>,
    body: Blk<'p>,
    dims: &DynamicDims,
    positions: &[Position<'p>],
) -> Result<(), Diagnostic<'p>> {
    let mut arguments: FxHashMap<SymbolId, Val<'p>> = FxHashMap::default();
    for own in positions.chunk_by(|a, b| a.structured == b.structured) {
        let mut read = Vec::with_capacity(own.len());
        for position in own {
            let argument = match arguments.get(&position.symbol) {
                Some(argument) => *argument,
                None => {
                    let argument = add(context, function, body, dims, position)?;
                    arguments.insert(position.symbol, argument);
                    argument
                }
            };
            let value = ir::result(position.index, 0).expect("a position is a value");
            read.push((value, argument, std::slice::from_ref(&position.along)));
        }
        hoist::read_tensors(context, own[0].structured, &read);
        for position in own {
            ir::erase(position.index);
        }
    }
    Ok(())
}

fn add<'p>(
    context: &'p Context,
    function: Op<'p>,
    body: Blk<'p>,
    dims: &DynamicDims,
    position: &Position<'p>,
) -> Result<Val<'p>, Diagnostic<'p>> {
    let extents = [RankedTensorType::dynamic_stride_or_offset().cast_unsigned()];
    let name = &dims.symbol(position.symbol).name;
    let argument = ir::add_argument(
        function,
        RankedTensorType::new(&extents, IntegerType::new(context, 32).into(), None).into(),
        POSITIONS,
        StringAttribute::new(context, name).into(),
        position.index.location(),
    );
    let argument = argument.ok_or_else(|| {
        error(
            position.index,
            "the function takes no argument for these positions",
        )
    })?;
    let number = body.argument_count() - 1;
    ir::set_argument_attribute(function, number, DIMS, names(context, name));
    Ok(argument)
}

fn names<'p>(context: &'p Context, name: &str) -> Attribute<'p> {
    attr::array(context, &[StringAttribute::new(context, name).into()])
}

/// Returns the dimension along which an argument has the positions; `None` for other arguments.
pub(super) fn of_argument(function: Op<'_>, number: usize) -> Option<String> {
    attr::string(ir::argument_attribute(function, number, POSITIONS)?)
}

/// Makes an argument that stands for positions a constant with those of the largest extent, in elements, of which its readers get as
/// many as are chosen. `chosen` is that extent, a value at `start`. The constant is an argument of a function of the device, and stands
/// at `start` in a function `on_host`, whose arguments are those that it had.
pub(super) fn to_constant<'p>(
    context: &'p Context,
    function: Op<'p>,
    (number, argument): (usize, Val<'p>),
    (name, largest): (&str, u64),
    (chosen, start): (Val<'p>, At<'p>),
    on_host: bool,
) {
    let element: Type<'p> = IntegerType::new(context, 32).into();
    let ty = RankedTensorType::new(&[largest], element, None);
    let largest = i64::try_from(largest).expect("extents fit into 64 bits");
    let all: Vec<Attribute<'p>> = (0..largest)
        .map(|position| IntegerAttribute::new(element, position).into())
        .collect();
    let all = DenseElementsAttribute::new(ty.into(), &all).expect("one number for each element");
    let uses = ir::uses(argument);
    let constant = match on_host {
        true => {
            let built = arith::constant(context, all.into(), function.location());
            let built = ir::insert(start, built).expect("the place is in a block");
            ir::result(built, 0).expect("a constant has a result")
        }
        false => {
            argument.set_type(ty.into());
            argument
        }
    };
    let slice = slices::prefix(context, start, constant, &[SliceSize::Chosen(chosen)]);
    ir::set_discardable_attribute(slice, DIMS, names(context, name));
    let slice = ir::result(slice, 0).expect("a slice has a result");
    for found in uses {
        ir::set_operand(found.owner, found.operand, slice);
    }
    if on_host {
        erase_argument(context, function, number);
        return;
    }
    let mut attributes = argument_attributes(function);
    attributes[number] = attr::dictionary(context, &[(CONSTANT, all.into())]);
    ir::set_attribute(function, "arg_attrs", attr::array(context, &attributes));
}

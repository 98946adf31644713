//! Turns one operation into an OpSpec.

use melior::ir::Type;
use melior::ir::operation::OperationLike;
use spyre_analysis::relayout::Relayout;
use spyre_analysis::walk::tensors;
use spyre_dialects::attr::{self, Place};
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::op_spec::{Advances, allocation};
use spyre_layout::Bytes;
use spyre_layouts::admitted;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_ops::OpClass;
use spyre_sdsc::model::{Direction, OpInfo};
use spyre_sdsc::{Expr, IterationDim, Json, OpSpec, TensorArg};

use super::access::{Access, tensor_name};
use super::coordinates::{coordinates, position, symbol, walk_single_column};
use super::window::Resolver;
use super::{convolutions, error, gathers, ranks, relayouts, spans, sticks, units};

/// The limits of the target.
pub(super) struct Limits<'p> {
    /// The element types that it supports; all if there is no list.
    pub formats: Option<Vec<Type<'p>>>,
    /// The bytes of a tensor that one core can address.
    pub span: Bytes,
}

/// Describes an operation inside loops, under a name.
///
/// # Errors
/// The reason why it has no form in a bundle.
pub(super) fn describe<'p>(
    op: DeviceOp<'p>,
    resolver: &Resolver<'_, 'p>,
    limits: &Limits<'p>,
    name: &str,
) -> Result<OpSpec, Diagnostic<'p>> {
    let fail = |message: String| error(op.op(), message);
    if op.facts().class == OpClass::Matmul && op.iteration_space().last() == Some(&1) {
        // The rest of the stick of the left operand is uninitialised, and the card multiplies it (contract, K18).
        return Err(fail(
            "K has one element here, and a product reads a whole stick of it, and no operation writes the rest of the stick; tile K so \
             that more than one element is left, or write spyre.mul"
                .to_owned(),
        ));
    }
    if let Some(reason) = admitted::unpublished_order(op) {
        return Err(fail(reason));
    }
    let mut accesses = accesses(op, resolver, limits)?;
    let split = op.split_or_one_core();
    spans::check(op, &split, &accesses, limits.span)?;
    let leaves_units_out = units::drop_units(op, &mut accesses).map_err(fail)?;
    gathers::check(op, &accesses).map_err(fail)?;
    let mut space = space(op, &split, &accesses, leaves_units_out).map_err(fail)?;
    let mut args = Vec::with_capacity(accesses.len());
    let mut steps = Vec::with_capacity(accesses.len());
    for tensor in 0..accesses.len() {
        let (arg, of_arg) = argument(op, tensor, &accesses).map_err(|reason| {
            let name = tensor_name(tensor, accesses.len());
            fail(format!("{name}: {reason}"))
        })?;
        args.push(arg);
        steps.push(of_arg);
    }
    sticks::check(op, &accesses).map_err(fail)?;
    if let Some((dim, padded)) = sticks::whole_sticks_of_all(op, &accesses)
        && let Some(entry) = space
            .iter_mut()
            .find(|entry| entry.symbol.as_str() == symbol(dim))
    {
        entry.extent = extent(padded).map_err(fail)?;
    }
    sticks::check_beside_sticks(op, &space, &accesses).map_err(fail)?;
    gathers::link(op, &accesses, &mut args);
    ranks::align(op, &mut args, &mut space);
    let core_slices = Relayout::of(op)
        .map(|relayout| relayouts::set_owners(&relayout, &space, &mut args).map_err(fail))
        .transpose()?;
    let constants = attr::entries(op.constants()).into_iter();
    let constants = constants.map(|(name, value)| {
        let value = attr::number(value);
        (name, value.expect("a constant of an operation is a number"))
    });
    let mut spec = OpSpec {
        iteration_space: space,
        args,
        op_info: OpInfo {
            constants: constants.collect(),
            ..OpInfo::default()
        },
        ..OpSpec::new(op.op_func(), op.reduction_dims() > 0)
    };
    convolutions::add_windows(op, &accesses, &split, &mut spec);
    if core_slices.is_some() {
        let certified = relayouts::CERTIFIED.to_owned();
        spec.op_info.other.insert(certified, Json::Bool(true));
        spec.core_id_to_work_slice = core_slices;
    }
    let loops: Vec<u64> = resolver.loops.iter().map(|around| around.count).collect();
    let advances = Advances {
        levels: None,
        steps,
    };
    let set = advances.set(&mut spec, name, &loops);
    set.expect("every tensor has a step for each loop");
    Ok(spec)
}

/// Returns an extent in elements.
fn extent(elements: u64) -> Result<Expr, String> {
    let extent = i64::try_from(elements);
    Ok(Expr::int(extent.map_err(|_| "extent is out of range")?))
}
/// Finds the tensors of an operation: its operands, then its result.
fn accesses<'p>(
    op: DeviceOp<'p>,
    resolver: &Resolver<'_, 'p>,
    limits: &Limits<'p>,
) -> Result<Vec<Access<'p>>, Diagnostic<'p>> {
    let count = op.op().operand_count() + 1;
    let mut accesses = Vec::with_capacity(count);
    for (tensor, value) in tensors(op).into_iter().enumerate() {
        let operand = resolver.resolve(op.op(), value)?;
        if let Some(formats) = &limits.formats
            && !formats.contains(&operand.buffer.element)
        {
            let element = operand.buffer.element;
            let name = tensor_name(tensor, count);
            let message =
                format!("{name} has element type {element}, which the target does not support");
            return Err(error(op.op(), message));
        }
        let dims = op.tensor_dims(tensor);
        accesses.push(Access { dims, operand });
    }
    Ok(accesses)
}

/// Returns the iteration space, with the cores along each dimension.
fn space(
    op: DeviceOp<'_>,
    split: &[u32],
    accesses: &[Access<'_>],
    leaves_units_out: bool,
) -> Result<Vec<IterationDim>, String> {
    let has_coordinates = |dim: usize| {
        let mut dims = accesses.iter().map(|access| &access.dims);
        dims.any(|dims| dims.contains(&Some(dim)))
    };
    let extents = op.iteration_space();
    let mut space = Vec::with_capacity(extents.len());
    for (dim, (extent, slices)) in extents.iter().zip(split).enumerate() {
        if *extent == 1 && leaves_units_out && !has_coordinates(dim) {
            continue;
        }
        let elements = u64::try_from(*extent);
        let elements = elements.map_err(|_| format!("dimension {dim} has a dynamic extent"))?;
        if !elements.is_multiple_of(u64::from(*slices)) {
            return Err(format!(
                "{slices} cores do not divide dimension {dim} of extent {extent}"
            ));
        }
        space.push(IterationDim {
            symbol: symbol(dim).into(),
            extent: Expr::int(*extent),
            slices: u64::from(*slices),
        });
    }
    if space.is_empty() {
        // An operation on scalars has an iteration space of one iteration.
        space.push(IterationDim {
            symbol: symbol(0).into(),
            extent: Expr::int(1),
            slices: 1,
        });
    }
    Ok(space)
}

/// Returns a tensor of an operation as a bundle has it, and its steps along the loops, in elements of the device.
fn argument(
    op: DeviceOp<'_>,
    tensor: usize,
    accesses: &[Access<'_>],
) -> Result<(TensorArg, Vec<i64>), String> {
    let (access, is_output) = (&accesses[tensor], tensor + 1 == accesses.len());
    let (operand, view) = (&access.operand, &access.operand.view);
    if is_output {
        view.check_result().map_err(|err| err.to_string())?;
    }
    let mut positions: Vec<_> = access.dims.iter().map(|dim| dim.map(position)).collect();
    if tensor == 0 {
        convolutions::walk(op, &mut positions);
    }
    let (device_size, mut coordinates) = coordinates(view, &positions)?;
    if op.facts().class == OpClass::Matmul {
        walk_single_column(access, &mut coordinates)?;
    }
    let advance = operand.advance.iter().map(|moved| i64::try_from(*moved));
    let mut advance: Vec<i64> = advance
        .collect::<Result<_, _>>()
        .map_err(|_| "window moves out of range")?;
    if advance.iter().all(|step| *step == 0) {
        advance.clear();
    }
    if matches!(operand.place, Place::Lx(_)) && !advance.is_empty() {
        return Err("a value in lx cannot be visited in windows".to_owned());
    }
    let place = allocation(operand.place, Bytes(0));
    let place = place.expect("an operand is in a buffer that has a place");
    let tensor = TensorArg {
        direction: if is_output {
            Direction::Output
        } else {
            Direction::Input
        },
        ..TensorArg::new(view.format(), device_size, coordinates, place)
    };
    Ok((tensor, advance))
}

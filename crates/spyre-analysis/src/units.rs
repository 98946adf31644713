//! The smallest parts of iteration dimensions that one core can work on.

use melior::ir::{Type, ValueLike};
use spyre_dialects::device_op::DeviceOp;
use spyre_plan::lcm;

use crate::indexing::Indexing;
use crate::tensor::{TensorError, TensorTypes};
use crate::walk::tensors;

/// Returns the number of elements in the smallest part of each iteration dimension that one core can work on: the
/// elements of a stick for a dimension on the stick of a tensor, otherwise one.
///
/// # Errors
/// A tensor of the operation is not one that passes can handle.
pub fn units<'p>(types: &TensorTypes<'p>, op: DeviceOp<'p>) -> Result<Vec<u64>, TensorError> {
    let mut units = vec![1_u64; op.iteration_space().len()];
    for (tensor, value) in tensors(op).into_iter().enumerate() {
        add_units(
            types,
            value.r#type(),
            &op.tensor_dims(tensor),
            |_| 1,
            &mut units,
        )?;
    }
    Ok(units)
}

/// Returns the [`units`] of the operations that index their tensors in one way.
///
/// # Errors
/// A tensor of the operation is not one that passes can handle.
pub fn units_of<'p>(
    types: &TensorTypes<'p>,
    indexing: &Indexing<'p>,
) -> Result<Vec<u64>, TensorError> {
    units_among(types, indexing, |_| true)
}

/// As [`units_of`], by the tensors that have a layout: the others may get any.
///
/// # Errors
/// A tensor of the operation is not one that passes can handle.
pub fn units_of_laid_out<'p>(
    types: &TensorTypes<'p>,
    indexing: &Indexing<'p>,
) -> Result<Vec<u64>, TensorError> {
    units_among(types, indexing, |ty| {
        types.get(ty).is_ok_and(|ty| ty.has_layout)
    })
}

fn units_among<'p>(
    types: &TensorTypes<'p>,
    indexing: &Indexing<'p>,
    counts: impl Fn(Type<'p>) -> bool,
) -> Result<Vec<u64>, TensorError> {
    let mut units = vec![1_u64; indexing.space.len()];
    let tensors = indexing.types.iter().zip(&indexing.tensors).enumerate();
    for (tensor, (ty, dims)) in tensors.filter(|(_, (ty, _))| counts(**ty)) {
        let scale = |host| indexing.scale(tensor, host);
        add_units(types, *ty, dims, scale, &mut units)?;
    }
    Ok(units)
}

/// Raises units to the units that a tensor needs. `dims` are the iteration dimensions that index it. One position of an
/// iteration dimension is `scale` positions along the tensor's dimension.
fn add_units<'p>(
    types: &TensorTypes<'p>,
    ty: Type<'p>,
    dims: &[Option<usize>],
    scale: impl Fn(usize) -> u64,
    units: &mut [u64],
) -> Result<(), TensorError> {
    let device = &types.get(ty)?.device;
    for (host, dim) in dims.iter().enumerate() {
        let in_stick = device.stick_extent(host).get();
        // A dimension that shares the stick with another is cut in whole sticks as well.
        let unit = if in_stick > 1 {
            let scale = scale(host);
            let whole = device.format().elements_per_stick().get().max(in_stick);
            lcm(whole, scale) / scale
        } else {
            1
        };
        if let Some(entry) = dim.and_then(|dim| units.get_mut(dim)) {
            *entry = lcm(unit, *entry);
        }
    }
    Ok(())
}

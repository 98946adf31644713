//! Division of the work over cores (SDSC bundle specification, sections 4.7 and 4.8).

use rustc_hash::FxHashSet;
use spyre_ops::OpClass;
use spyre_plan::CoreMapping;

use super::PlanOptions;
use super::context::Context;
use super::descriptor::{
    FP8_BLOCK, Packing, PlannedDim, PlannedTensor, RuntimeDim, Scale, TensorDim,
};
use super::dims::{DimNames, Space};
use super::mapping::CoreSlices;
use super::ownership::cores_of;
use crate::error::Error;
use crate::expr::Expr;
use crate::model::{Allocation, CORE_ID};

/// Checks the division and computes the slices of the dimensions for each core (SDSC bundle specification, section
/// 4.7).
pub(super) fn divide(
    context: &Context<'_>,
    class: OpClass,
    names: &DimNames,
    space: &Space,
    tensors: &[PlannedTensor],
    options: &PlanOptions,
) -> Result<CoreSlices, Error> {
    let cores = context.product(
        space.dims.iter().map(|dim| dim.slices),
        "the number of cores",
    )?;
    let all = cores_of(context, cores);
    if all > u64::from(options.max_cores) || cores == 0 {
        return Err(context.inconsistent(format!(
            "work is divided over {all} cores, but at most {} are available",
            options.max_cores
        )));
    }
    for dim in &space.dims {
        if !dim.extent.is_multiple_of(dim.slices) {
            return Err(context.inconsistent(format!(
                "extent {} of {} is not divisible into {} slices",
                dim.extent, dim.dim, dim.slices
            )));
        }
    }
    for (position, tensor) in tensors.iter().enumerate() {
        check_addresses(context, space, position, tensor)?;
        check_packing(context, space, position, tensor)?;
        check_sticks(context, space, position, tensor)?;
    }
    for dim in &space.dims {
        if let Some(RuntimeDim { symbol, bounds }) = &dim.runtime
            && !bounds.granularity.is_multiple_of(dim.slices)
        {
            return Err(context.unsupported(format!(
                "runtime size {symbol} is a multiple of {}, which is not {} parts of whole elements along {}",
                bounds.granularity, dim.slices, dim.dim
            )));
        }
    }
    if let Some(stated) = stated(context, names, space, all)? {
        return Ok(stated);
    }
    if all > cores {
        return Err(context.inconsistent(format!(
            "tensors are distributed among {all} cores and the work among {cores}: core_id_to_work_slice must give the \
             slices of the others"
        )));
    }
    // No factor is larger than the product, the number of cores.
    let splits: Result<Vec<u32>, _> = space.dims.iter().map(|d| u32::try_from(d.slices)).collect();
    let splits = splits.map_err(|_| context.overflow("a number of slices"))?;
    let k_is_split = splits.last().is_some_and(|&slices| slices > 1);
    let k_fast = (class == OpClass::Matmul
        && k_is_split
        && options.k_fast
        && splits.len() >= options.revision.k_fast_rank())
    .then(|| splits.len() - 1);
    let mapping = CoreMapping::new(&splits, k_fast);
    let mapping = mapping.map_err(|error| context.inconsistent(error.to_string()))?;
    Ok(mapping.into())
}

/// Returns the slices of `cores` cores as the specification states them (contract, K69); `None` if it does not.
fn stated(
    context: &Context<'_>,
    names: &DimNames,
    space: &Space,
    cores: u64,
) -> Result<Option<CoreSlices>, Error> {
    let Some(mapping) = &context.op.core_id_to_work_slice else {
        return Ok(None);
    };
    let fail =
        |problem: String| Err(context.inconsistent(format!("core_id_to_work_slice {problem}")));
    // A file lists the dimensions that the mapping names first, in its order.
    let mut order = Vec::with_capacity(space.dims.len());
    let mut expressions: Vec<Option<&Expr>> = vec![None; space.dims.len()];
    for (symbol, expression) in mapping.iter() {
        let place = names.dim(symbol.as_str()).and_then(|dim| {
            let mut dims = space.dims.iter();
            dims.position(|planned| planned.dim == dim)
        });
        let Some(place) = place else {
            return fail(format!("names {symbol}, which is no iteration symbol"));
        };
        if order.contains(&place) {
            return fail(format!("names {symbol} twice"));
        }
        order.push(place);
        expressions[place] = Some(expression);
    }
    for (place, dim) in space.dims.iter().enumerate() {
        if expressions[place].is_some() {
            continue;
        }
        if dim.slices > 1 {
            return fail(format!(
                "has no slice of a core along {}, which is divided into {}; add one, or divide it into 1",
                names
                    .symbol_of(dim.dim)
                    .map_or(dim.dim.as_str(), |symbol| symbol.as_str()),
                dim.slices
            ));
        }
        order.push(place);
    }
    let parts: u64 = space.dims.iter().map(|dim| dim.slices).product();
    let mut rows = Vec::new();
    let mut taken = FxHashSet::default();
    for core in 0..cores {
        let mut row = Vec::with_capacity(space.dims.len());
        for (dim, expression) in space.dims.iter().zip(&expressions) {
            row.push(slice_of(context, core, dim, *expression)?);
        }
        // Every core must have a different combination; otherwise a part of the work is done twice, and another part is
        // not done. The owners of the tensors of a shuffle are checked separately.
        if !taken.insert(row.clone()) && cores == parts {
            return fail(format!(
                "gives core {core} the slices {row:?} of another core; the {cores} cores must have one part each"
            ));
        }
        rows.push(row);
    }
    let stated = CoreSlices::stated(order, rows);
    Ok(Some(stated.expect("the number of cores is one of 32 bits")))
}

/// Returns the slice of a dimension that a core works on: the value of an expression of the number of the core, 0 without
/// one.
fn slice_of(
    context: &Context<'_>,
    core: u64,
    dim: &PlannedDim,
    expression: Option<&Expr>,
) -> Result<u32, Error> {
    let Some(expression) = expression else {
        return Ok(0);
    };
    let number = i64::try_from(core).expect("the number of a core is one of 32 bits");
    let slice = expression
        .eval(|symbol| (symbol.as_str() == CORE_ID).then_some(number))
        .map_err(|error| context.expr(error))?;
    let inside = u32::try_from(slice).ok();
    let inside = inside.filter(|slice| u64::from(*slice) < dim.slices);
    inside.ok_or_else(|| {
        context.inconsistent(format!(
            "core_id_to_work_slice gives core {core} slice {slice} of {} along {}",
            dim.slices, dim.dim
        ))
    })
}

/// Returns the slices of every core that works, in the order of core numbers.
pub(crate) fn slices_of_cores(mapping: &CoreSlices) -> impl Iterator<Item = Vec<u32>> {
    (0..mapping.cores()).map(|core| {
        let slices = mapping.slices_of(core);
        slices.expect("a core that works has slices")
    })
}

/// Every core's address must be exact and fit; after this, [`Descriptor::core_offset`] cannot overflow (SDSC bundle
/// specification, section 4.8).
///
/// [`Descriptor::core_offset`]: super::Descriptor::core_offset
fn check_addresses(
    context: &Context<'_>,
    space: &Space,
    position: usize,
    tensor: &PlannedTensor,
) -> Result<(), Error> {
    let (Allocation::Hbm { offset: start, .. } | Allocation::HbmPool { offset: start }) =
        tensor.allocation
    else {
        return Ok(());
    };
    let mut furthest = tensor.slice_offset().get();
    for dim in tensor.dims.iter().filter(|d| d.scale == Scale::Full) {
        let planned = space.planned_dim(dim.dim);
        if planned.slices <= 1 {
            continue;
        }
        let stride = dim.stride.get();
        if !stride.is_multiple_of(planned.slices) {
            return Err(context.inconsistent(format!(
                "operand {position}: {stride} elements along {} are not divisible into {} slices",
                dim.dim, planned.slices
            )));
        }
        if let Some(runtime) = &planned.runtime {
            check_runtime_split(context, position, tensor, dim, planned, runtime)?;
        }
        context.product(
            [stride, planned.slices],
            format_args!("operand {position}: a core's address along {}", dim.dim),
        )?;
        furthest = furthest.checked_add(stride).ok_or_else(|| {
            context.overflow(format!(
                "operand {position}: a core's address along {}",
                dim.dim
            ))
        })?;
    }
    let bytes = furthest.checked_mul(tensor.element_bytes.get());
    match bytes.and_then(|bytes| bytes.checked_add(start.get())) {
        Some(bytes) if i64::try_from(bytes).is_ok() => Ok(()),
        _ => Err(context.overflow(format!("operand {position}: a core's address"))),
    }
}

/// Every core must have whole blocks of a packed stick dimension (SDSC bundle specification, section 5, coordinates of
/// fp8).
fn check_packing(
    context: &Context<'_>,
    space: &Space,
    position: usize,
    tensor: &PlannedTensor,
) -> Result<(), Error> {
    if tensor.packing == Packing::Linear {
        return Ok(());
    }
    for planned in tensor.packed_dims().map(|dim| space.planned_dim(dim)) {
        let size = planned.extent / planned.slices;
        if !size.is_multiple_of(FP8_BLOCK) {
            return Err(context.inconsistent(format!(
                "operand {position}: {size} elements per core along {} are not whole blocks of {FP8_BLOCK}",
                planned.dim
            )));
        }
    }
    Ok(())
}

/// Checks that every core has whole sticks of a stick dimension that cores divide, since a file counts them.
fn check_sticks(
    context: &Context<'_>,
    space: &Space,
    position: usize,
    tensor: &PlannedTensor,
) -> Result<(), Error> {
    let mut in_memory = tensor.dims.iter().filter(|d| d.scale == Scale::Full);
    let Some(dim) = in_memory.find(|d| tensor.stick == Some(d.dim)) else {
        return Ok(());
    };
    let planned = space.planned_dim(dim.dim);
    let (size, per_stick) = (planned.extent / planned.slices, tensor.per_stick.get());
    if planned.slices > 1 && planned.runtime.is_none() && !size.is_multiple_of(per_stick) {
        return Err(context.inconsistent(format!(
            "operand {position}: {size} elements per core along {} are not whole sticks of {per_stick}",
            planned.dim
        )));
    }
    Ok(())
}

/// The parts of a runtime size must be whole elements, whole sticks along the stick, and a whole number of bytes
/// per element of the size apart: the card has no division for dynamic values.
fn check_runtime_split(
    context: &Context<'_>,
    position: usize,
    tensor: &PlannedTensor,
    dim: &TensorDim,
    planned: &PlannedDim,
    runtime: &RuntimeDim,
) -> Result<(), Error> {
    let RuntimeDim { symbol, bounds } = runtime;
    let slices = planned.slices;
    // Whole sticks are exactly the case in which the extent of the dimension in sticks is the unit of strides.
    let unit = if tensor.stick == Some(dim.dim) {
        tensor.per_stick.get()
    } else {
        1
    };
    let parts = context.product(
        [slices, unit],
        format_args!(
            "operand {position}: a part of runtime size {symbol} along {}",
            dim.dim
        ),
    )?;
    if !bounds.granularity.is_multiple_of(parts) {
        return Err(context.unsupported(format!(
            "operand {position}: runtime size {symbol} is a multiple of {}, which is not {slices} parts of whole \
             {} along {}",
            bounds.granularity,
            if unit == 1 { "elements" } else { "sticks" },
            dim.dim
        )));
    }
    // An extent of 0 has no distances.
    let per_element = dim.stride.get() / planned.extent.max(1);
    let exact = dim.stride.get().is_multiple_of(planned.extent.max(1));
    let bytes = context.product(
        [per_element, tensor.element_bytes.get()],
        format_args!("operand {position}: a core's address along {}", dim.dim),
    )?;
    context.product(
        [bytes, slices],
        format_args!("operand {position}: a core's address along {}", dim.dim),
    )?;
    if !exact || !bytes.is_multiple_of(slices) {
        return Err(context.unsupported(format!(
            "operand {position}: {bytes} bytes per element of runtime size {symbol} are not divisible into {slices} \
             slices along {}",
            dim.dim
        )));
    }
    Ok(())
}

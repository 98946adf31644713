//! One operation of a bundle's files as an OpSpec.

use std::collections::BTreeMap;

use serde::Deserialize;
use spyre_bundle_files::Files;
use spyre_layout::Bytes;
use spyre_ops::OpClass;
use spyre_sdsc::model::{CORE_ID, Direction, IterationDim, OpInfo};
use spyre_sdsc::{Allocation, ArgIndex, Expr, Json, Object, OpSpec, Symbol, TensorArg};
use spyre_sim::Bundle;
use spyre_sim::read::{MemoryKind, Operation, Start, Tensor};

use super::{Base, Execution, OpSpecError};

/// The suffix of the function of a reduction over other dimensions than the stick.
const KEEPS_STICK: &str = "nonstick";

/// The part of a file that the simulator does not read.
#[derive(Deserialize)]
struct Head {
    #[serde(rename = "debug_handle_", default)]
    debug_handle: Option<Json>,
    /// The slices of each core, in the order of the file.
    #[serde(rename = "coreIdToWkSlice_", default)]
    core_slices: Object<Object<u64>>,
    /// The name of the OpSpec, from the key.
    #[serde(skip)]
    name: String,
}

/// Returns the OpSpec of an execution.
pub(super) fn op_spec(
    bundle: &Bundle,
    files: &dyn Files,
    execution: &Execution,
) -> Result<OpSpec, OpSpecError> {
    let file = &execution.file;
    let op = bundle.operation(file);
    let op = op.expect("a bundle has every file that it executes");
    let not_read = |form| OpSpecError::Form {
        file: file.clone(),
        form,
    };
    if let Some(form) = unread_form(op) {
        return Err(not_read(form));
    }
    let Head {
        debug_handle,
        core_slices: slices_in_file,
        name,
    } = head(files, file)?;
    let stated = stated_dims(op, &name);
    let extents: Vec<u64> = (0..op.dims.len()).map(|dim| extent(op, dim)).collect();
    let space = op.dims.iter().zip(&extents).enumerate();
    let space = space.take(stated);
    let iteration_space = space.map(|(dim, (planned, extent))| {
        let extent = i64::try_from(*extent).map_err(|_| not_read("an extent beyond 63 bits"))?;
        Ok(IterationDim {
            symbol: symbol(dim),
            extent: Expr::int(extent),
            slices: planned.slices,
        })
    });
    let iteration_space = iteration_space.collect::<Result<_, OpSpecError>>()?;
    // A reduction also reads its accumulator, which is the output.
    let inputs = op.inputs.iter();
    let inputs = inputs.filter(|tensor| tensor.index != op.output.index);
    let inputs = inputs.map(|tensor| (Direction::Input, tensor));
    let tensors = inputs.chain([(Direction::Output, &op.output)]);
    let args = tensors.map(|(direction, tensor)| {
        let arg = tensor_arg(op, stated, tensor, execution).map_err(not_read)?;
        Ok(TensorArg { direction, ..arg })
    });
    let args: Vec<TensorArg> = args.collect::<Result<_, OpSpecError>>()?;
    let is_reduction = is_reduction(op, &name);
    let mut spec = OpSpec::new(name, is_reduction);
    spec.tiled_levels = levels(execution, &args);
    spec.tiled_symbol_trip_counts = trip_counts(execution, &spec.tiled_levels);
    spec.iteration_space = iteration_space;
    spec.args = args;
    spec.op_info = OpInfo {
        constants: op
            .constants
            .iter()
            .map(|(name, value)| (name.clone(), f64::from(*value)))
            .collect(),
        ..OpInfo::default()
    };
    let order = names_in_order(op, stated, &slices_in_file);
    spec.core_id_to_work_slice = Some(core_slices(op, order).map_err(not_read)?);
    spec.debug_handle = debug_handle;
    Ok(spec)
}

/// Returns the part of a file that the simulator does not read.
fn head(files: &dyn Files, file: &str) -> Result<Head, OpSpecError> {
    let wrong = |reason: String| OpSpecError::Text {
        file: file.to_owned(),
        reason,
    };
    let text = files.text(file).map_err(|err| wrong(err.to_string()))?;
    let root: BTreeMap<String, Head> =
        serde_json::from_str(&text).map_err(|err| wrong(err.to_string()))?;
    let root = root.into_iter().next();
    let (key, head) = root.ok_or_else(|| wrong("the file has no operation".to_owned()))?;
    let (_, name) = key
        .split_once('_')
        .ok_or_else(|| wrong(format!("the key '{key}' has no number")))?;
    // The function of a reduction that keeps the stick has a suffix.
    let base = name.strip_suffix(KEEPS_STICK);
    let base = base.filter(|base| OpClass::by_name(base) == Some(OpClass::Reduction));
    let name = base.unwrap_or(name).to_owned();
    Ok(Head { name, ..head })
}

/// Returns a form of the operation that is not read back; `None` if it has none.
fn unread_form(op: &Operation) -> Option<&'static str> {
    let mut tensors = op.inputs.iter().chain([&op.output]);
    let has_walk = |tensor: &Tensor| tensor.order.iter().any(|dim| dim.walk.is_some());
    if op.gather.is_some() {
        Some("a gather")
    } else if op.relayout.is_some() {
        Some("a re-layout")
    } else if op.dims.iter().any(|dim| dim.symbol.is_some()) {
        Some("a runtime size")
    } else if tensors.clone().any(has_walk) {
        Some("an operation on windows")
    } else if tensors.any(|tensor| tensor.is_separate) {
        Some("a tensor in separate parts")
    } else {
        None
    }
}

/// Returns the extent of a dimension: files pad it to whole sticks, and have the end of the elements where it is masked
/// or not in memory.
fn extent(op: &Operation, dim: usize) -> u64 {
    let planned = op.dims[dim].extent;
    let masks = op.masks.iter().filter(|mask| mask.dim == dim);
    let unmasked = masks.map(|mask| mask.range.start).min();
    let tensors = op.inputs.iter().chain([&op.output]);
    let dims = tensors.flat_map(|tensor| &tensor.order);
    let missing = dims
        .filter(|tensor_dim| tensor_dim.dim == dim)
        .map(|tensor_dim| tensor_dim.missing);
    let in_memory = planned.saturating_sub(missing.max().unwrap_or(0));
    unmasked.unwrap_or(planned).min(in_memory)
}

/// Returns how many dimensions of a file the OpSpec has: `out` is the last one, except in products. After it is the
/// stick that files add to operations on single elements of sticks.
fn stated_dims(op: &Operation, name: &str) -> usize {
    let out = op.dims.iter().position(|dim| dim.name == "out");
    match (OpClass::by_name(name), out) {
        (Some(OpClass::Matmul), _) | (_, None) => op.dims.len(),
        (_, Some(out)) => out + 1,
    }
}

/// Returns whether the OpSpec is that of a reduction, a product or a search.
fn is_reduction(op: &Operation, name: &str) -> bool {
    match OpClass::by_name(name) {
        Some(class) => matches!(class, OpClass::Reduction | OpClass::Matmul | OpClass::TopK),
        None => (0..op.dims.len())
            .any(|dim| !op.output.has(dim) && op.inputs.iter().any(|input| input.moves_along(dim))),
    }
}

/// The symbol of a dimension of the iteration space.
fn symbol(dim: usize) -> Symbol {
    Symbol::new(format!("c{dim}"))
}

/// The symbol of a loop, by its depth.
fn level_symbol(depth: usize) -> Symbol {
    Symbol::new(format!("t{depth}"))
}

/// Returns a tensor of an operation, as an input.
fn tensor_arg(
    op: &Operation,
    stated: usize,
    tensor: &Tensor,
    execution: &Execution,
) -> Result<TensorArg, &'static str> {
    let (mut size, mut coordinates) = (Vec::new(), Vec::new());
    let per_stick = i64::try_from(tensor.per_stick).map_err(|_| "a stick beyond 63 bits")?;
    let dims = tensor.order.iter().rev();
    for tensor_dim in dims.filter(|tensor_dim| tensor_dim.dim < stated) {
        let dim = tensor_dim.dim;
        let gap = match tensor.is_in_parts() {
            true => 0,
            false => tensor_dim.gaps.first().copied().unwrap_or(0),
        };
        let held = op.dims[dim].extent.checked_add(gap);
        let held = held.and_then(|held| held.checked_sub(tensor_dim.missing));
        let held = held.ok_or("an extent beyond 64 bits")?;
        let coordinate = Expr::from(symbol(dim));
        let (extent, coordinate) = match dim == tensor.stick {
            true => (
                held.div_ceil(tensor.per_stick),
                coordinate.floor_div(per_stick),
            ),
            false => (held, coordinate),
        };
        size.push(extent);
        coordinates.push(coordinate);
    }
    size.push(tensor.per_stick);
    coordinates.push(match tensor.has(tensor.stick) && tensor.stick < stated {
        true => Expr::from(symbol(tensor.stick)).modulo(per_stick),
        false => Expr::int(0),
    });
    let (allocation, steps) = place(op, tensor, execution)?;
    let arg = TensorArg::new(tensor.format, size, coordinates, allocation);
    let width = i64::try_from(tensor.element_bytes()).map_err(|_| "an element beyond 63 bits")?;
    let mut advance: Option<Expr> = None;
    for (depth, step) in steps {
        if step % width != 0 {
            return Err("an advance of parts of elements");
        }
        let term = Expr::int(step / width) * Expr::from(level_symbol(depth));
        advance = Some(match advance {
            Some(sum) => sum + term,
            None => term,
        });
    }
    Ok(TensorArg { advance, ..arg })
}

/// Returns the place of a whole tensor, and the bytes that it moves by in each loop.
fn place(
    op: &Operation,
    tensor: &Tensor,
    execution: &Execution,
) -> Result<(Allocation, BTreeMap<usize, i64>), &'static str> {
    // A core with the first slice of each dimension of the tensor starts where the tensor does.
    let is_first = |slices: &[u64]| {
        let mut slices = slices.iter().enumerate();
        slices.all(|(dim, slice)| *slice == 0 || !tensor.moves_along(dim))
    };
    let first = op.cores.iter().position(|core| is_first(&core.slices));
    let start = first.and_then(|core| tensor.starts.get(core));
    let start = start.ok_or("an operation without the first slice of a tensor")?;
    match (tensor.memory, start) {
        (MemoryKind::Lx, Start::Address(address)) => {
            let address = u64::try_from(*address).map_err(|_| "a negative address")?;
            Ok((Allocation::lx(address), BTreeMap::new()))
        }
        (MemoryKind::Hbm, Start::Symbol(symbol)) => {
            let value = execution.symbols.get(symbol);
            let value = value.ok_or("a symbol without a value")?;
            let offset = u64::try_from(value.number).map_err(|_| "a negative address")?;
            let allocation = match value.base {
                Base::Argument(number) => Allocation::Hbm {
                    arg: ArgIndex::new(number),
                    offset: Bytes(offset),
                },
                Base::Pool => Allocation::pool(offset),
                Base::Number | Base::Size => return Err("an address without a base"),
            };
            Ok((allocation, value.steps.clone()))
        }
        _ => Err("an address as a number"),
    }
}

/// Returns the symbols of the loops around an operation, innermost first, of loops that move a tensor.
fn levels(execution: &Execution, args: &[TensorArg]) -> Vec<Vec<Symbol>> {
    let moves = |level: &Symbol| {
        let mut advances = args.iter().filter_map(|arg| arg.advance.as_ref());
        advances.any(|advance| advance.mentions(level.as_str()))
    };
    let depths = (0..execution.counts.len()).rev().map(level_symbol);
    depths
        .map(|level| {
            if moves(&level) {
                vec![level]
            } else {
                Vec::new()
            }
        })
        .collect()
}

fn trip_counts(execution: &Execution, levels: &[Vec<Symbol>]) -> Object<u64, Symbol> {
    let depths = (0..execution.counts.len()).map(level_symbol);
    let counts = depths.zip(&execution.counts);
    let moving = counts.filter(|(level, _)| levels.iter().flatten().any(|it| it == level));
    // A loop counts from 0, and so not to a negative number.
    moving
        .map(|(level, count)| (level, count.unsigned_abs()))
        .collect()
}

/// Returns the stated dimensions in the order in which a file has the slices of a core, which is that of the OpSpec.
fn names_in_order(op: &Operation, stated: usize, slices: &Object<Object<u64>>) -> Vec<usize> {
    let names = slices.iter().next().map(|(_, slices)| slices.keys());
    let position = |name: &String| op.dims.iter().position(|dim| dim.name == *name);
    let dims = names.into_iter().flatten().filter_map(position);
    dims.filter(|dim| *dim < stated).collect()
}

/// Returns the slice of each dimension as a digit of the number of the core.
fn core_slices(op: &Operation, dims: Vec<usize>) -> Result<Object<Expr, Symbol>, &'static str> {
    let mut slices = Vec::new();
    for dim in dims {
        let planned = &op.dims[dim];
        let digit = |divisor: u64| {
            let mut cores = op.cores.iter();
            cores.all(|core| core.slices[dim] == u64::from(core.number) / divisor % planned.slices)
        };
        let cores = op.cores.len() as u64;
        let divisor = (1..=cores.max(1)).find(|divisor| digit(*divisor));
        let divisor = divisor.ok_or("a division that is no digits of the core's number")?;
        let number = |number: u64| i64::try_from(number).map_err(|_| "a division beyond 63 bits");
        let core = Expr::symbol(Symbol::new(CORE_ID));
        let shifted = match divisor {
            1 => core,
            _ => core.floor_div(number(divisor)?),
        };
        let slice = match planned.slices {
            1 => Expr::int(0),
            count => shifted.modulo(number(count)?),
        };
        slices.push((symbol(dim), slice));
    }
    Ok(slices.into_iter().collect())
}

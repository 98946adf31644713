//! Where the tensors of an operation are, and whether that can be right.

use std::collections::HashMap;

use crate::memory::{Memory, Region, RegionId, STICK as STICK_BYTES};
use crate::read::{Dim, MemoryKind, Operation, Start, Tensor};
use crate::report::FaultKind;

use super::execute::Problem;
use super::view::View;

const STICK: i64 = 128;

/// The iteration space of one execution: extents with runtime sizes filled in.
pub(super) struct Space {
    pub extents: Vec<u64>,
    /// The part of one core.
    pub parts: Vec<u64>,
}

/// Calls a number of bytes by its sticks as well.
pub(super) fn in_sticks(bytes: i64) -> String {
    let bytes = bytes.unsigned_abs();
    match (bytes / STICK.unsigned_abs(), bytes % STICK.unsigned_abs()) {
        (0, _) | (_, 1..) => format!("{bytes} bytes"),
        (1, 0) => format!("{bytes} bytes = 1 stick"),
        (sticks, 0) => format!("{bytes} bytes = {sticks} sticks"),
    }
}

/// The name of a tensor in reports.
pub(super) fn tensor_name(op: &Operation, tensor: &Tensor) -> String {
    let inputs = op.inputs.iter();
    match inputs
        .enumerate()
        .find(|(_, input)| input.index == tensor.index)
    {
        Some((at, _)) => format!("Tensor{} (input {at})", tensor.index),
        None => format!("Tensor{} (output)", tensor.index),
    }
}

/// The iteration space, with the values of symbols.
pub(super) fn space(op: &Operation, symbols: &HashMap<i64, i64>) -> Result<Space, Box<Problem>> {
    let mut extents = Vec::new();
    let mut parts = Vec::new();
    for dim in &op.dims {
        let extent = match dim.symbol {
            None => dim.extent,
            Some(symbol) => {
                let size = symbols.get(&symbol).copied().ok_or_else(|| {
                    let name = &dim.name;
                    let message = format!("symbol {symbol}, the size of {name}, has no value");
                    Box::new(Problem::new(FaultKind::Unbound, message))
                })?;
                let allowed =
                    |size: &u64| (1..=dim.extent).contains(size) && size.is_multiple_of(dim.slices);
                u64::try_from(size).ok().filter(allowed).ok_or_else(|| {
                    let Dim {
                        name,
                        extent,
                        slices,
                        ..
                    } = dim;
                    let message = format!(
                        "{name} has {size} elements: not {slices} equal slices of at most {extent}"
                    );
                    Box::new(Problem::new(FaultKind::Slices, message))
                })?
            }
        };
        extents.push(extent);
        parts.push(extent / dim.slices.max(1));
    }
    Ok(Space { extents, parts })
}

/// Whether every slice of the work is done by one core.
pub(super) fn check_slices(op: &Operation) -> Option<Problem> {
    let total = op
        .dims
        .iter()
        .try_fold(1_u64, |total, dim| total.checked_mul(dim.slices));
    let mut slices: Vec<_> = op
        .cores
        .iter()
        .map(|core| (&core.slices, core.number))
        .collect();
    slices.sort();
    let twice = slices.array_windows().find(|[a, b]| a.0 == b.0);
    let message = match twice {
        Some([a, b]) => format!("cores {} and {} both work on slice {:?}", a.1, b.1, a.0),
        None if total == Some(slices.len() as u64) => return None,
        None => format!("{} cores for {total:?} slices of the work", slices.len()),
    };
    Some(Problem::new(FaultKind::Slices, message))
}

/// The start of a tensor on each core.
pub(super) fn starts(
    op: &Operation,
    tensor: &Tensor,
    symbols: &HashMap<i64, i64>,
) -> Result<Vec<i64>, Box<Problem>> {
    let pairs = tensor.starts.iter().zip(&op.cores);
    pairs
        .map(|(start, core)| match *start {
            Start::Address(address) => Ok(address),
            Start::Symbol(symbol) => symbols.get(&symbol).copied().ok_or_else(|| {
                let message = format!("symbol {symbol} has no value");
                let problem = Problem::new(FaultKind::Unbound, message);
                Box::new(problem.on(op, tensor).of_core(core.number))
            }),
        })
        .collect()
}

/// The views of a tensor, one per core; `None` where the core's elements are not in memory.
pub(super) fn views(
    op: &Operation,
    tensor: &Tensor,
    space: &Space,
    starts: &[i64],
    memory: &mut Memory,
    problems: &mut Vec<Problem>,
) -> Vec<Option<View>> {
    let mut views = Vec::new();
    for (position, (core, start)) in op.cores.iter().zip(starts).enumerate() {
        let problem = |kind, message| {
            Problem::new(kind, message)
                .on(op, tensor)
                .of_core(core.number)
        };
        let id = match tensor.memory {
            MemoryKind::Lx => {
                memory.scratchpad(core.number);
                Some(RegionId::Lx(core.number))
            }
            MemoryKind::Hbm => memory.find(*start),
        };
        let Some((id, region)) = id.and_then(|id| Some((id, memory.region(id)?))) else {
            let message = format!("address {start} is below all memory");
            problems.push(problem(FaultKind::OutOfRange, message));
            views.push(None);
            continue;
        };
        let rows = match rows(
            tensor,
            position,
            space,
            start.wrapping_sub(region.base),
            region,
            memory,
        ) {
            Ok(rows) => rows,
            Err((kind, message)) => {
                problems
                    .push(problem(kind, message).at(&region.name, start.wrapping_sub(region.base)));
                views.push(None);
                continue;
            }
        };
        let axes = View::axes(tensor, position, &space.extents, &space.parts, rows);
        let Some(axes) = axes else {
            let message = "the distances of the tensor do not fit 64 bits";
            problems.push(problem(FaultKind::OutOfRange, message.to_owned()));
            views.push(None);
            continue;
        };
        let view = View {
            region: id,
            start: start.wrapping_sub(region.base),
            element: usize::try_from(tensor.element_bytes()).unwrap_or(1),
            per_stick: tensor.per_stick,
            axes,
        };
        if start % STICK != 0 {
            let message = format!("starts {} bytes into a stick", start.rem_euclid(STICK));
            problems.push(problem(FaultKind::Unaligned, message).at(&region.name, view.start));
        }
        let span = view.span();
        if !span.is_some_and(|span| region.holds(view.start, span)) {
            let size = region.size;
            let end = span.and_then(|span| i64::try_from(span).ok()?.checked_add(view.start));
            let over = end.and_then(|end| end.checked_sub(i64::try_from(size).ok()?));
            let message = match (view.start, over) {
                (..0, _) => format!("starts {} before {}", in_sticks(view.start), region.name),
                (_, Some(over)) => format!(
                    "ends {} behind the {size} bytes of {}",
                    in_sticks(over),
                    region.name
                ),
                (_, None) => format!("its end does not fit 64 bits; {} has {size}", region.name),
            };
            problems.push(problem(FaultKind::OutOfRange, message).at(&region.name, view.start));
            views.push(None);
            continue;
        }
        views.push(Some(view));
    }
    let is_gathered = tensor.order.iter().any(|own| own.gathered);
    if tensor.memory == MemoryKind::Hbm && !is_gathered {
        check_starts(op, tensor, space, starts, &views, memory, problems);
    }
    views
}

/// The extent of what is gathered, 1 if nothing is. A file does not have it: it is what the other dimensions leave of the
/// value that an operation has written there, or else of the argument that the table is in.
fn rows(
    tensor: &Tensor,
    core: usize,
    space: &Space,
    start: i64,
    region: &Region,
    memory: &Memory,
) -> Result<u64, (FaultKind, String)> {
    if !tensor.order.iter().any(|own| own.gathered) {
        return Ok(1);
    }
    let number = usize::try_from(start).ok().map(|start| start / STICK_BYTES);
    let stick = number.and_then(|number| region.stick(number));
    let value = stick.and_then(|stick| memory.values.get(stick.value as usize));
    let whole = match (value, stick) {
        (Some(value), _) => value.whole,
        // What comes from outside fills an argument.
        (None, Some(stick)) if stick.defined != 0 => region.size,
        _ => {
            let message = "nobody has written what indices choose from".to_owned();
            return Err((FaultKind::NeverWritten, message));
        }
    };
    let row = View::volume(tensor, core, &space.extents, 1).filter(|row| *row > 0);
    let rows = row
        .filter(|row| whole.is_multiple_of(*row))
        .map(|row| whole / row);
    rows.filter(|rows| *rows > 0).ok_or_else(|| {
        let message = format!(
            "what indices choose from has {whole} bytes there, which is no whole number of {} bytes for each",
            row.unwrap_or_default()
        );
        (FaultKind::OutOfRange, message)
    })
}

/// Every core starts where its slice of the work is in the tensor.
fn check_starts(
    op: &Operation,
    tensor: &Tensor,
    space: &Space,
    starts: &[i64],
    views: &[Option<View>],
    memory: &Memory,
    problems: &mut Vec<Problem>,
) {
    // Where the tensor would start, told from each core.
    let mut origins: Vec<Option<i64>> = Vec::new();
    for (position, core) in op.cores.iter().enumerate() {
        let origin = || {
            let axes = View::axes(tensor, position, &space.extents, &space.extents, 1)?;
            let whole = View {
                region: RegionId::Hbm(0),
                start: 0,
                element: usize::try_from(tensor.element_bytes()).ok()?,
                per_stick: tensor.per_stick,
                axes,
            };
            let first: Vec<u64> = core
                .slices
                .iter()
                .zip(&space.parts)
                .map(|(slice, part)| slice.checked_mul(*part))
                .collect::<Option<_>>()?;
            let offset = whole.offset(&first, usize::MAX)?;
            starts.get(position)?.checked_sub(offset)
        };
        origins.push(origin());
    }
    // What most cores say is right.
    let mut counts: HashMap<i64, usize> = HashMap::new();
    for origin in origins.iter().flatten() {
        *counts.entry(*origin).or_default() += 1;
    }
    let first = origins.iter().flatten().next().copied();
    let common = counts
        .iter()
        .max_by_key(|(origin, count)| (**count, Some(**origin) == first))
        .map(|(origin, _)| *origin);
    let Some(common) = common else { return };
    for (position, (core, origin)) in op.cores.iter().zip(&origins).enumerate() {
        let Some(by) = origin
            .and_then(|origin| origin.checked_sub(common))
            .filter(|by| *by != 0)
        else {
            continue;
        };
        let start = starts.get(position).copied().unwrap_or_default();
        let here = memory.find(start);
        let there = start
            .checked_sub(by)
            .and_then(|expected| memory.find(expected));
        let name = |id: Option<RegionId>| {
            let region = id.and_then(|id| memory.region(id));
            region.map_or("no memory", |region| region.name.as_str())
        };
        let message = if here == there {
            let side = if by > 0 { "after" } else { "before" };
            let slices: Vec<String> = op
                .dims
                .iter()
                .zip(&core.slices)
                .filter(|(dim, _)| dim.slices > 1)
                .map(|(dim, slice)| format!("{} {slice} of {}", dim.name, dim.slices))
                .collect();
            format!(
                "starts {} {side} where its slice ({}) begins",
                in_sticks(by),
                slices.join(", ")
            )
        } else {
            format!(
                "starts in {}, and its slice is in {}: is the symbol of another tensor bound here?",
                name(here),
                name(there)
            )
        };
        let problem = Problem::new(FaultKind::CoreStart, message)
            .on(op, tensor)
            .of_core(core.number);
        let view = views.get(position).and_then(Option::as_ref);
        problems.push(match view {
            Some(view) => problem.at(name(here), view.start),
            None => problem,
        });
    }
}

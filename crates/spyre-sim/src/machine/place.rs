//! Finds where the tensors of an operation are, and whether that can be right.

use rustc_hash::FxHashMap;

use crate::memory::{Memory, Region, RegionId, STICK as STICK_BYTES};
use crate::read::{Core, Dim, MemoryKind, Operation, Start, Tensor};
use crate::report::FaultKind;

use super::problem::Problem;
use super::view::View;

const STICK: u64 = STICK_BYTES as u64;

/// The iteration space of one execution: extents with runtime sizes filled in.
pub(super) struct Space {
    pub extents: Vec<u64>,
    /// The part of one core.
    pub parts: Vec<u64>,
}

impl Space {
    /// Returns the extents that a tensor covers: all, or those of one core of a tensor in separate parts.
    pub(super) fn covered(&self, tensor: &Tensor) -> &[u64] {
        match tensor.is_in_parts() {
            false => &self.extents,
            true => &self.parts,
        }
    }
}

/// Calls a number of bytes by its sticks as well.
pub(super) fn in_sticks(bytes: u64) -> String {
    match (bytes / STICK, bytes % STICK) {
        (0, _) | (_, 1..) => format!("{bytes} bytes"),
        (1, 0) => format!("{bytes} bytes = 1 stick"),
        (sticks, 0) => format!("{bytes} bytes = {sticks} sticks"),
    }
}

/// Returns the iteration space, with the values of symbols.
pub(super) fn space(op: &Operation, symbols: &FxHashMap<i64, i64>) -> Result<Space, Box<Problem>> {
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
        parts.push(extent / dim.slices);
    }
    Ok(Space { extents, parts })
}

/// Checks that every slice of the work is done by one core.
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
        None => {
            let total = total.map_or("too many".to_owned(), |total| total.to_string());
            format!("{} cores for {total} slices of the work", slices.len())
        }
    };
    Some(Problem::new(FaultKind::Slices, message))
}

/// Returns the start of a tensor on each of some cores.
pub(super) fn starts(
    op: &Operation,
    cores: &[Core],
    tensor: &Tensor,
    symbols: &FxHashMap<i64, i64>,
) -> Result<Vec<i64>, Box<Problem>> {
    let pairs = tensor.starts.iter().zip(cores);
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

/// Returns the views of a tensor, one for each of some cores; `None` where the core's elements are not in memory, which is a problem. Views
/// are inside of their regions.
pub(super) fn views(
    op: &Operation,
    cores: &[Core],
    tensor: &Tensor,
    space: &Space,
    starts: &[i64],
    memory: &mut Memory,
    problems: &mut Vec<Problem>,
) -> Vec<Option<View>> {
    let mut views = Vec::new();
    for (position, (core, start)) in cores.iter().zip(starts).enumerate() {
        if tensor.memory == MemoryKind::Lx {
            memory.scratchpad(core.number);
        }
        let mut report = |problem: Problem| {
            problems.push(problem.on(op, tensor).of_core(core.number));
        };
        let id = match tensor.memory {
            MemoryKind::Lx => Some(RegionId::Lx(core.number)),
            MemoryKind::Hbm => memory.find(*start),
        };
        let view = view(tensor, position, space, (id, *start), memory).and_then(|view| {
            let region = memory.region(view.region);
            if let Some(unaligned) = unaligned(&view, region, *start) {
                report(unaligned);
            }
            outside(&view, region).map_or(Ok(view), |outside| Err(outside.into()))
        });
        views.push(view.map_err(|err| report(*err)).ok());
    }
    let is_gathered = tensor.order.iter().any(|tensor_dim| tensor_dim.gathered);
    if !tensor.is_in_parts() && !is_gathered {
        check_starts(op, tensor, space, starts, &views, memory, problems);
    }
    views
}

/// Returns the view of a tensor that a core has, from its start in a region.
fn view(
    tensor: &Tensor,
    position: usize,
    space: &Space,
    (id, start): (Option<RegionId>, i64),
    memory: &Memory,
) -> Result<View, Box<Problem>> {
    let Some(id) = id else {
        let message = format!("address {start} is below all memory");
        return Err(Problem::new(FaultKind::OutOfRange, message).into());
    };
    let region = memory.region(id);
    // Regions of device memory have a base of at least 0 and at most the address, scratchpads one of 0.
    let offset = start - region.base;
    let rows = rows(tensor, position, space, offset, region, memory)
        .map_err(|(kind, message)| Problem::new(kind, message).at(&region.name, offset))?;
    let axes = View::axes(tensor, position, &space.extents, &space.parts, rows);
    let axes = axes.ok_or_else(|| {
        let message = "the distances of the tensor do not fit 64 bits";
        Problem::new(FaultKind::OutOfRange, message)
    })?;
    Ok(View {
        region: id,
        start: offset,
        element: tensor.element_bytes() as usize,
        per_stick: tensor.per_stick,
        axes,
    })
}

/// Returns the problem of a view that does not start with a stick.
fn unaligned(view: &View, region: &Region, start: i64) -> Option<Problem> {
    let into = start.rem_euclid(STICK as i64);
    (into != 0).then(|| {
        let message = format!("starts {into} bytes into a stick");
        Problem::new(FaultKind::Unaligned, message).at(&region.name, view.start)
    })
}

/// Returns the problem of a view that is not inside of its region.
fn outside(view: &View, region: &Region) -> Option<Problem> {
    let span = view.span();
    if span.is_some_and(|span| region.holds(view.start, span)) {
        return None;
    }
    let (name, size) = (&region.name, region.size);
    let end = span.and_then(|span| i64::try_from(span).ok()?.checked_add(view.start));
    let over = end.and_then(|end| u64::try_from(end).ok()?.checked_sub(size));
    let message = match (view.start, over) {
        (start @ ..0, _) => {
            let before = in_sticks(start.unsigned_abs());
            format!("starts {before} before {name}")
        }
        (_, Some(over)) => {
            let over = in_sticks(over);
            format!("ends {over} after the {size} bytes of {name}")
        }
        (_, None) => format!("its end does not fit 64 bits; {name} has {size}"),
    };
    Some(Problem::new(FaultKind::OutOfRange, message).at(name, view.start))
}

/// Returns the extent of the gathered dimension, or 1 if there is none. A file does not have it: it is the size of the
/// value that an operation has written there, or else of the argument that the table is in, divided by the other
/// dimensions.
fn rows(
    tensor: &Tensor,
    core: usize,
    space: &Space,
    start: i64,
    region: &Region,
    memory: &Memory,
) -> Result<u64, (FaultKind, String)> {
    if !tensor.order.iter().any(|tensor_dim| tensor_dim.gathered) {
        return Ok(1);
    }
    // Tables are in device memory, where no region starts after its address.
    let stick = region.stick(start as usize / STICK_BYTES);
    let value = stick.and_then(|stick| memory.value(stick.value));
    let whole = match (value, stick) {
        (Some(value), _) => value.whole,
        // A table that comes from outside fills an argument.
        (None, Some(stick)) if stick.defined != 0 => region.size,
        _ => {
            let message = "no operation has written the table that indices select from".to_owned();
            return Err((FaultKind::NeverWritten, message));
        }
    };
    let Some(row) = View::volume(tensor, core, &space.extents, 1) else {
        let message = "a row of the table that indices select from does not fit 64 bits".to_owned();
        return Err((FaultKind::OutOfRange, message));
    };
    if whole > 0 && whole.is_multiple_of(row) {
        return Ok(whole / row);
    }
    let message = format!(
        "the table that indices select from has {whole} bytes there, which is no multiple of the {row} bytes of a row"
    );
    Err((FaultKind::OutOfRange, message))
}

/// Checks that every core starts where its slice of the work is in the tensor.
fn check_starts(
    op: &Operation,
    tensor: &Tensor,
    space: &Space,
    starts: &[i64],
    views: &[Option<View>],
    memory: &Memory,
    problems: &mut Vec<Problem>,
) {
    let origins: Vec<Option<i64>> = (0..op.cores.len())
        .map(|position| origin(op, tensor, space, position, starts[position]))
        .collect();
    let Some(common) = commonest(&origins) else {
        return;
    };
    for (position, (core, origin)) in op.cores.iter().zip(&origins).enumerate() {
        let Some(origin) = origin.filter(|origin| *origin != common) else {
            continue;
        };
        let here = memory.find(starts[position]);
        let expected = i128::from(starts[position]) - i128::from(origin) + i128::from(common);
        let there = i64::try_from(expected).ok();
        let there = there.and_then(|expected| memory.find(expected));
        let name =
            |id: Option<RegionId>| id.map_or("no memory", |id| memory.region(id).name.as_str());
        let message = if here == there {
            let side = if origin > common { "after" } else { "before" };
            let slices: Vec<String> = op
                .dims
                .iter()
                .zip(&core.slices)
                .filter(|(dim, _)| dim.slices > 1)
                .map(|(dim, slice)| format!("{} {slice} of {}", dim.name, dim.slices))
                .collect();
            format!(
                "starts {} {side} where its slice ({}) begins",
                in_sticks(origin.abs_diff(common)),
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
        problems.push(match &views[position] {
            Some(view) => problem.at(name(here), view.start),
            None => problem,
        });
    }
}

/// Returns the start of a whole tensor, computed from the start of one core. `None` if the view is out of range, or a
/// change of layout does not have the slice.
fn origin(
    op: &Operation,
    tensor: &Tensor,
    space: &Space,
    position: usize,
    start: i64,
) -> Option<i64> {
    let axes = View::axes(tensor, position, &space.extents, &space.extents, 1)?;
    let whole = View {
        region: RegionId::Hbm(0),
        start: 0,
        element: tensor.element_bytes() as usize,
        per_stick: tensor.per_stick,
        axes,
    };
    let slices = op.cores[position].slices.iter().zip(&space.parts);
    let first: Vec<u64> = slices.map(|(slice, part)| slice * part).collect();
    start.checked_sub(whole.offset(&first, usize::MAX)?)
}

/// Returns the start that most cores agree on, which is the right one; among equals that of the first core.
fn commonest(origins: &[Option<i64>]) -> Option<i64> {
    let said = origins.iter().flatten();
    let mut counts: FxHashMap<i64, usize> = FxHashMap::default();
    for origin in said.clone() {
        *counts.entry(*origin).or_default() += 1;
    }
    said.rev().max_by_key(|origin| counts[origin]).copied()
}

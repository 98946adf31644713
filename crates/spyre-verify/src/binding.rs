//! Checks each execution against its file: symbols, and the addresses that are bound to them.

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use spyre_bundle_files::ParamName;
use spyre_layout::{Bytes, STICK_BYTES};
use spyre_plan::Target;

use super::Findings;
use super::address::{Address, Base};
use super::function::{Bounds, Execute, Program};
use super::geometry::{Shape, Walk};
use super::rules::{
    ADVANCE, CORE_DISTANCE, INDEX_ADVANCE, NO_BASE, ONE_TENSOR, OUTSIDE, OUTSIDE_R1, POOL_END,
    SAME_OUTPUT, SEGMENT, SIZE_BOUNDS, SIZE_NAME, STICK, SYMBOL_KIND, SYMBOL_NUMBERS, SYMBOL_ORDER,
    UNBOUND, UNUSED_SYMBOL,
};
use super::sdsc::{Memory, RuntimeDim, Sdsc, Symbol, Tensor};

/// Bytes of a segment of device memory, and the number of segments (SDSC bundle specification, section 7.2).
const SEGMENT_BYTES: u64 = Target::CARD.segment_bytes.get();
const SEGMENTS: u32 = Target::CARD.segments;

/// The memory that a parameter for addresses points to, as far as its name shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Points {
    /// A tensor of the kernel.
    Tensor,
    /// The pool.
    Pool,
    /// Not known.
    Unknown,
}

/// The checker for executions of files.
pub(crate) struct Checker<'c> {
    program: &'c Program<'c>,
    points: Vec<Points>,
    findings: &'c mut Findings,
    /// The parameter of each name of a size. `sizes` is the reverse: the name of each parameter.
    names: FxHashMap<String, usize>,
    sizes: FxHashMap<usize, String>,
    /// The largest symbol of the files so far.
    last_symbol: u64,
}

impl<'c> Checker<'c> {
    /// Makes a checker for the executions of a program.
    pub(crate) fn new(program: &'c Program<'c>, findings: &'c mut Findings) -> Self {
        let points = program.params.iter().map(|param| match param.name {
            Some(ParamName::Tensor(_)) => Points::Tensor,
            Some(ParamName::Pool) => Points::Pool,
            _ => Points::Unknown,
        });
        Self {
            program,
            points: points.collect(),
            findings,
            names: FxHashMap::default(),
            sizes: FxHashMap::default(),
            last_symbol: 0,
        }
    }

    /// Checks that the symbols of a file come after the symbols of earlier files.
    pub(crate) fn numbers(&mut self, execute: &Execute, sdsc: &Sdsc) {
        let numbers = || {
            let symbols = sdsc.symbols.iter().flatten();
            symbols.map(|symbol| symbol.id.unsigned_abs())
        };
        if let Some(first) = numbers().min()
            && first <= self.last_symbol
        {
            let message = format!(
                "symbol -{first} of '{}' comes after symbol -{} of a file before it",
                execute.file, self.last_symbol
            );
            self.findings.at(SYMBOL_NUMBERS, execute.place, message);
        }
        self.last_symbol = numbers().max().unwrap_or(0).max(self.last_symbol);
    }

    /// Checks an execution.
    pub(crate) fn execute(&mut self, execute: &Execute, sdsc: &Sdsc) {
        let bound: FxHashMap<i64, Option<&Address>> = execute
            .bindings
            .iter()
            .map(|(id, address)| (*id, address.as_ref()))
            .collect();
        if let Some(symbols) = &sdsc.symbols {
            self.symbols(execute, symbols, &bound);
        }
        for dim in &sdsc.runtime {
            if let Some(Some(address)) = bound.get(&dim.id) {
                self.size(execute, dim, address);
            }
        }
        for tensor in &sdsc.tensors {
            match tensor.memory {
                Memory::Symbolic => self.tensor(execute, sdsc, tensor, &bound),
                Memory::Concrete => {
                    self.segment(execute, tensor);
                    let starts: Vec<(usize, i64)> =
                        tensor.starts.iter().copied().enumerate().collect();
                    self.distances(execute, sdsc, tensor, &starts);
                }
                Memory::Lx => {}
            }
        }
    }

    /// Checks that exactly the symbols of the file are bound.
    fn symbols(
        &mut self,
        execute: &Execute,
        symbols: &[Symbol],
        bound: &FxHashMap<i64, Option<&Address>>,
    ) {
        let file = &execute.file;
        let mut used = FxHashSet::with_capacity_and_hasher(symbols.len(), FxBuildHasher);
        let mut matches = true;
        for symbol in symbols {
            used.insert(symbol.id);
            if !bound.contains_key(&symbol.id) {
                let message = format!("symbol {} of '{file}' is not bound", symbol.id);
                self.findings.at(UNBOUND, execute.place, message);
                matches = false;
            }
        }
        for (id, _) in execute.bindings.iter().filter(|(id, _)| !used.contains(id)) {
            let message = format!("symbol {id} is bound, but '{file}' does not use it");
            self.findings.at(UNUSED_SYMBOL, execute.place, message);
            matches = false;
        }
        let mut seen = FxHashSet::with_capacity_and_hasher(symbols.len(), FxBuildHasher);
        let in_file = symbols
            .iter()
            .map(|symbol| symbol.id)
            .filter(|id| seen.insert(*id));
        if matches && !execute.bindings.iter().map(|(id, _)| *id).eq(in_file) {
            let message = format!("symbols are not in the order of their first use in '{file}'");
            self.findings.at(SYMBOL_ORDER, execute.place, message);
        }
        for symbol in symbols {
            let Some(Some(address)) = bound.get(&symbol.id) else {
                continue;
            };
            let is_size =
                matches!(address.base, Base::Param(index) if self.bounds(index).is_some());
            if is_size != symbol.is_size || matches!(address.base, Base::Bound(_)) {
                let kind = |is_size| if is_size { "a size" } else { "an address" };
                let message = format!(
                    "symbol {} of '{file}' is {}, but {address} is bound to it",
                    symbol.id,
                    kind(symbol.is_size)
                );
                self.findings.at(SYMBOL_KIND, execute.place, message);
            }
        }
    }

    fn bounds(&self, index: usize) -> Option<Bounds> {
        self.program.bounds(index)
    }

    /// Checks the name and the bounds of a size that is known at launch.
    fn size(&mut self, execute: &Execute, dim: &RuntimeDim, address: &Address) {
        let Base::Param(index) = address.base else {
            return;
        };
        let Some(bounds) = self.bounds(index) else {
            return;
        };
        if let Some(tag) = &dim.tag {
            let param = *self.names.entry(tag.clone()).or_insert(index);
            let name = self
                .sizes
                .entry(index)
                .or_insert_with(|| tag.clone())
                .clone();
            if param != index || name != *tag {
                let message = format!(
                    "size '{tag}' of '{}' is parameter {index}, but parameter {param} is '{name}'",
                    execute.file
                );
                self.findings.at(SIZE_NAME, execute.place, message);
            }
        }
        let Some((max, granularity)) = dim.bounds else {
            return;
        };
        let splits = i64::try_from(dim.splits).unwrap_or(i64::MAX).max(1);
        let expected = (bounds.max / splits, (bounds.granularity / splits).max(1));
        if (i64::try_from(max).ok(), i64::try_from(granularity).ok())
            != (Some(expected.0), Some(expected.1))
        {
            let message = format!(
                "'{}' of '{}' has at most {max} in steps of {granularity} on a core, but parameter {index} gives {} in steps \
                 of {}",
                dim.dim, execute.file, expected.0, expected.1
            );
            self.findings.at(SIZE_BOUNDS, execute.place, message);
        }
    }

    /// Checks the addresses of a tensor on all cores.
    fn tensor(
        &mut self,
        execute: &Execute,
        sdsc: &Sdsc,
        tensor: &Tensor,
        bound: &FxHashMap<i64, Option<&Address>>,
    ) {
        let starts: Option<Vec<&Address>> = tensor
            .starts
            .iter()
            .map(|id| bound.get(id).copied().flatten())
            .collect();
        let Some(starts) = starts else {
            return;
        };
        let place = format!("tensor {} of '{}'", tensor.number, execute.file);
        let mut reported = FxHashSet::default();
        for (core, address) in starts.iter().enumerate() {
            if address.base == Base::None {
                if reported.insert(address.constant.to_string()) {
                    let message =
                        format!("{place} is at {address} on core {core}, which has no base");
                    self.findings.at(NO_BASE, execute.place, message);
                }
            } else if let Some(what) = self.not_sticks(address)
                && reported.insert(what.clone())
            {
                let message = format!(
                    "{place} on core {core}: {what} is not a whole number of sticks of {STICK_BYTES}"
                );
                let rule = if tensor.is_index {
                    INDEX_ADVANCE
                } else {
                    STICK
                };
                self.findings.at(rule, execute.place, message);
            }
        }
        if !tensor.is_unified {
            // Each core has a separate tensor, anywhere (K62).
            return;
        }
        let first = starts.first().copied();
        // A start without a base has been reported.
        let based: Vec<(usize, &Address)> = (starts.iter().copied().enumerate())
            .filter(|(_, address)| address.base != Base::None)
            .collect();
        if let Some(first) = first
            && let Some((core, other)) = (based.iter())
                .find(|(_, other)| (other.base, &other.steps) != (first.base, &first.steps))
        {
            if first.base != Base::None {
                let message =
                    format!("{place} is at {first} on core 0, but at {other} on core {core}");
                self.findings.at(ONE_TENSOR, execute.place, message);
            }
            return;
        }
        let constants: Vec<(usize, i64)> = (based.iter())
            .map(|(core, address)| (*core, address.constant))
            .collect();
        self.distances(execute, sdsc, tensor, &constants);
        if let (Some(first), Some(shape)) = (
            first.filter(|first| first.base != Base::None),
            &tensor.shape,
        ) {
            self.range(execute, sdsc, &place, first, &constants, shape);
            if sdsc.is_r2 && shape.axes.iter().all(|axis| axis.padding == 0) {
                self.advances(execute, &place, first, &constants, shape);
            }
        }
    }

    /// Returns the part of an address that is not whole sticks, for messages; `None` if all of it is.
    fn not_sticks(&self, address: &Address) -> Option<String> {
        let stick = STICK_BYTES.get().cast_signed();
        if address.constant % stick != 0 {
            return Some(format!("constant {}", address.constant));
        }
        address.steps.iter().find_map(|(number, factor)| {
            let step = self.program.loops.get(*number)?.step;
            let advance = factor.checked_mul(step);
            match advance {
                Some(advance) if advance % stick == 0 => None,
                Some(advance) => Some(format!("advance {advance} of loop {number}")),
                None => Some(format!("advance {factor} * {step} of loop {number}")),
            }
        })
    }

    /// Checks that cores are as far apart as in the layout, and write to different places.
    fn distances(
        &mut self,
        execute: &Execute,
        sdsc: &Sdsc,
        tensor: &Tensor,
        starts: &[(usize, i64)],
    ) {
        let Some(shape) = &tensor.shape else {
            return;
        };
        let place = format!("tensor {} of '{}'", tensor.number, execute.file);
        // The first core at another place than in a shape, with its distance and the expected one.
        let misplaced = |shape: &Shape| {
            let (first_core, first) = *starts.first()?;
            let at = |core: usize| shape.distance(sdsc.slices.get(core)?);
            let origin = i128::from(at(first_core)?.get());
            starts.iter().find_map(|(core, start)| {
                let expected = i128::from(at(*core)?.get()) - origin;
                let actual = i128::from(*start) - i128::from(first);
                (actual != expected).then_some((*core, first_core, actual, expected))
            })
        };
        let mut wrong = None;
        for candidate in shape.candidates() {
            let misplaced = misplaced(&candidate);
            wrong = wrong.or(misplaced);
            if misplaced.is_none() {
                wrong = None;
                break;
            }
        }
        if let Some((core, first_core, actual, expected)) = wrong {
            let message = format!(
                "{place}: core {core} is {actual} bytes from core {first_core}, but its slices are {expected} bytes apart"
            );
            self.findings.at(CORE_DISTANCE, execute.place, message);
        }
        if !tensor.is_output {
            return;
        }
        let mut written: FxHashMap<i64, (usize, Vec<Option<&u64>>)> = FxHashMap::default();
        for (core, start) in starts {
            let Some(slices) = sdsc.slices.get(*core) else {
                break;
            };
            let part = shape.part(slices);
            let (other, same) = written.entry(*start).or_insert((*core, part.clone()));
            if *same != part {
                let message = format!(
                    "{place}: cores {other} and {core} write different slices to the same address"
                );
                self.findings.at(SAME_OUTPUT, execute.place, message);
                break;
            }
        }
    }

    /// Checks that the bytes that are visited, counted from the base, are inside the tensor or the pool.
    fn range(
        &mut self,
        execute: &Execute,
        sdsc: &Sdsc,
        place: &str,
        address: &Address,
        constants: &[(usize, i64)],
        shape: &Shape,
    ) {
        let starts = || constants.iter().map(|(_, constant)| i128::from(*constant));
        let (Some(mut first), Some(mut end), Some(span)) =
            (starts().min(), starts().max(), shape.least().span())
        else {
            return;
        };
        end += i128::from(span.get());
        for (number, factor) in &address.steps {
            let Some(level) = self
                .program
                .loops
                .get(*number)
                .filter(|level| level.trips > 0)
            else {
                return;
            };
            let last = i128::from(level.trips - 1) * i128::from(level.step);
            let Some(advance) = last.checked_mul(i128::from(*factor)) else {
                return;
            };
            // Each is below 2^127, and there are few: the nesting is limited.
            first = first.saturating_add(advance.min(0));
            end = end.saturating_add(advance.max(0));
        }
        let points = match address.base {
            Base::Pool => Points::Pool,
            Base::Param(index) => self.points.get(index).copied().unwrap_or(Points::Unknown),
            Base::None | Base::Bound(_) => return,
        };
        let (rule, size, what) = match points {
            Points::Tensor if is_r1(sdsc) => (OUTSIDE_R1, shape.stored(), "its tensor"),
            Points::Tensor => (OUTSIDE, shape.stored(), "its tensor"),
            Points::Pool => {
                let size = self.program.pool.and_then(|size| u64::try_from(size).ok());
                (POOL_END, size.map(Bytes), "the pool")
            }
            Points::Unknown => return,
        };
        let Some(size) = size else {
            return;
        };
        if first < 0 || end > i128::from(size.get()) {
            let message = format!(
                "{place} visits bytes {first} to {end}, but {what} has {}",
                size.get()
            );
            self.findings.at(rule, execute.place, message);
        }
    }

    /// Checks that each loop moves the window along a dimension.
    fn advances(
        &mut self,
        execute: &Execute,
        place: &str,
        address: &Address,
        constants: &[(usize, i64)],
        shape: &Shape,
    ) {
        // Loops are numbered from the outside. A loop without iterations has no effect.
        let mut steps: Vec<(usize, i64)> = address.steps.clone();
        steps.sort_unstable();
        let loops: Vec<_> = (steps.iter())
            .filter_map(|(number, factor)| {
                let level = self.program.loops.get(*number)?;
                (level.trips > 0).then_some((*number, *factor, level.step, level.trips))
            })
            .collect();
        let walks: Vec<Option<Walk>> = (loops.iter())
            .map(|(_, factor, step, trips)| {
                let advance = u64::try_from(factor.checked_mul(*step)?).ok()?;
                Some(Walk {
                    advance,
                    trips: trips.unsigned_abs(),
                })
            })
            .collect();
        // The core that has the first slices is the first in memory. The place of a tensor in the pool is
        // unknown.
        let start = match address.base {
            Base::Param(_) => (constants.iter().map(|(_, constant)| *constant).min())
                .and_then(|start| u64::try_from(start).ok()),
            _ => None,
        };
        for (at, (number, factor, step, trips)) in loops.iter().enumerate() {
            let inside: Vec<Walk> = walks.iter().skip(at + 1).copied().flatten().collect();
            let is_walk = walks.get(at).copied().flatten().is_some_and(|walk| {
                shape.is_walk(walk.advance, walk.trips)
                    || shape.is_ragged_walk(walk, &inside, start)
            });
            if !is_walk {
                let message = format!(
                    "{place} moves by {factor} * {step} bytes, {trips} times in loop {number}, which is no multiple of \
                     the window along any dimension; either the windows overlap, or the stride is wrong"
                );
                self.findings.at(ADVANCE, execute.place, message);
            }
        }
    }

    /// Checks that a concrete address, and the bytes of the tensor after it, are in one segment.
    fn segment(&mut self, execute: &Execute, tensor: &Tensor) {
        for (core, start) in tensor.starts.iter().enumerate() {
            let start = start.unsigned_abs();
            let span = tensor
                .shape
                .as_ref()
                .map_or(Some(Bytes(0)), |shape| shape.least().span());
            let end = span.and_then(|span| start.checked_add(span.get().max(1)));
            let segment = start / SEGMENT_BYTES;
            if segment < u64::from(SEGMENTS)
                && end.is_some_and(|end| (end - 1) / SEGMENT_BYTES == segment)
            {
                continue;
            }
            let message = format!(
                "tensor {} of '{}' at {start} on core {core} is not in one of the {SEGMENTS} segments of 16 GiB",
                tensor.number, execute.file
            );
            self.findings.at(SEGMENT, execute.place, message);
            return;
        }
    }
}

/// Returns whether revision r1 of the reference wrote the file. The strides of this revision are wrong.
const fn is_r1(sdsc: &Sdsc) -> bool {
    !sdsc.is_r2
}

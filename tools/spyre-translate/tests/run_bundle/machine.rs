//! Memory, and operations that read and write it.
//!
//! Values are kept as `f32` by address; what nobody has written is poison. Reading it is a fault, but in a stick of
//! which something is written, it is NaN: operations on tensors with one element in each stick run over whole sticks.
//! Cores run at the same time: an operation reads all its operands before it writes.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};

use super::operation::{Operation, Tensor};

/// Where arguments and the pool start: far apart, so that no address of one is in another.
const SEGMENT: i64 = 1 << 34;
/// Bytes of a core's scratchpad.
const LX_BYTES: i64 = 2 << 20;
const STICK_BYTES: i64 = 128;

/// What is wrong with a bundle that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An element is read that nobody has written.
    Poison,
    /// An address is in no tensor.
    OutOfRange,
    /// One operation writes an element twice.
    TwoWriters,
    /// A core starts inside a stick.
    Misaligned,
    /// A core does not start where its slice of the work is, or the slices are not the whole.
    Slices,
}

#[derive(Clone, Copy, Default)]
struct Element {
    value: f32,
    /// Bytes; 0 is poison.
    size: u8,
    /// The number of the operation that wrote it; 0 is the host.
    writer: u32,
}

#[derive(Default)]
struct Memory {
    bytes: i64,
    /// The element that starts at each address.
    elements: Vec<Element>,
}

impl Memory {
    fn new(bytes: i64) -> Self {
        Self {
            bytes,
            elements: Vec::new(),
        }
    }

    /// Writes an element, and returns whether `writer` has written this one before.
    fn write(&mut self, address: i64, size: i64, value: f32, writer: u32) -> bool {
        let (Ok(address), Ok(size)) = (usize::try_from(address), usize::try_from(size)) else {
            return false;
        };
        if address + size > self.bytes as usize {
            return false;
        }
        if self.elements.len() < address + size {
            self.elements.resize(address + size, Element::default());
        }
        // Half of another element is poison.
        for other in address.saturating_sub(3)..address {
            if other + usize::from(self.elements[other].size) > address {
                self.elements[other].size = 0;
            }
        }
        for inside in &mut self.elements[address + 1..address + size] {
            inside.size = 0;
        }
        let element = &mut self.elements[address];
        let again = element.size > 0 && element.writer == writer;
        *element = Element {
            value,
            size: size as u8,
            writer,
        };
        again
    }

    fn read(&self, address: i64, size: i64) -> Option<f32> {
        let element = self.elements.get(usize::try_from(address).ok()?)?;
        (i64::from(element.size) == size).then_some(element.value)
    }

    /// Whether nothing of the stick of an address is written.
    fn is_poison(&self, address: i64) -> bool {
        let stick = address.div_euclid(STICK_BYTES) * STICK_BYTES;
        let mut addresses = stick..stick + STICK_BYTES;
        addresses.all(|address| {
            let element = usize::try_from(address).ok();
            let element = element.and_then(|address| self.elements.get(address));
            element.is_none_or(|element| element.size == 0)
        })
    }
}

/// The memories of the card, and what went wrong in them.
#[derive(Default)]
pub struct Machine {
    arguments: Vec<Memory>,
    pool: Memory,
    scratchpads: Vec<Memory>,
    files: HashMap<PathBuf, Operation>,
    /// Operations that have run.
    runs: u32,
    /// The faults that were seen, with their places. Many of one kind are a few.
    pub reports: Vec<(Fault, String)>,
}

/// An element of a memory: 0 is the pool, then the arguments, then the scratchpads.
type Cell = (usize, i64);

impl Machine {
    /// Adds a kernel argument with elements of `size` bytes.
    pub fn add_argument(
        &mut self,
        bytes: i64,
        elements: impl Iterator<Item = (i64, f32)>,
        size: i64,
    ) {
        let mut memory = Memory::new(bytes);
        elements.for_each(|(address, value)| {
            memory.write(address, size, value, 0);
        });
        self.arguments.push(memory);
    }

    pub fn arguments(&self) -> usize {
        self.arguments.len()
    }

    pub fn argument_base(index: usize) -> i64 {
        SEGMENT * (index as i64 + 1)
    }

    /// An element of an argument; `None` is poison.
    pub fn argument(&self, index: usize, address: i64, size: i64) -> Option<f32> {
        self.arguments[index].read(address, size)
    }

    pub fn allocate_pool(&mut self, bytes: u64) -> i64 {
        self.pool = Memory::new(bytes as i64);
        0
    }

    fn report(&mut self, fault: Fault, place: impl FnOnce() -> String) {
        let same = self.reports.iter().filter(|(known, _)| *known == fault);
        if same.count() < 8 {
            self.reports.push((fault, place()));
        }
    }

    fn memory(&mut self, number: usize) -> Option<&mut Memory> {
        let arguments = self.arguments.len();
        match number {
            0 => Some(&mut self.pool),
            _ if number <= arguments => self.arguments.get_mut(number - 1),
            _ => self.scratchpads.get_mut(number - 1 - arguments),
        }
    }

    /// Runs the operation of a file, with a value for each symbol.
    pub fn execute(&mut self, file: &Path, symbols: &HashMap<i64, i64>) -> Result<(), String> {
        let operation = match self.files.remove(file) {
            Some(operation) => operation,
            None => Operation::read(file).map_err(|why| format!("{}: {why}", file.display()))?,
        };
        self.run(&operation, symbols)?;
        self.files.insert(file.to_owned(), operation);
        Ok(())
    }

    fn run(&mut self, operation: &Operation, symbols: &HashMap<i64, i64>) -> Result<(), String> {
        let cores = operation.slices.len();
        self.scratchpads
            .resize_with(cores.max(self.scratchpads.len()), || Memory::new(LX_BYTES));
        let starts = operation
            .tensors()
            .map(|tensor| tensor.starts(symbols))
            .collect::<Result<Vec<_>, _>>()?;
        self.check_slices(operation, &starts);
        self.runs += 1;
        let dims = 0..operation.extents.len();
        let lacking: Vec<usize> = dims.filter(|dim| !operation.output.has(*dim)).collect();
        let mut writes: Vec<(Cell, f32)> = Vec::new();
        // For a reduction, where each element is in `writes`, and which element of the result it is.
        let mut reduced: HashMap<Cell, (usize, Vec<i64>)> = HashMap::new();
        let mut values = Vec::new();
        for core in 0..cores {
            let views: Vec<View<'_>> = operation
                .tensors()
                .zip(&starts)
                .map(|(tensor, starts)| View::new(operation, tensor, core, starts[core]))
                .collect();
            let (output, inputs) = views.split_last().ok_or("no tensors")?;
            let mut point = vec![0; operation.extents.len()];
            // What the core adds to each element of its slice of the result.
            let mut partial: HashMap<i64, (Vec<i64>, f32)> = HashMap::new();
            loop {
                // Elementwise, a dimension that the output lacks is the rest of a stick with one element.
                let repeats = || lacking.iter().any(|dim| point[*dim] != 0);
                match operation.function.combine {
                    None if repeats() => {}
                    None => {
                        self.values(operation, inputs, core, &point, &mut values);
                        let value = (operation.function.compute)(&values);
                        let cell = self.cell(operation, output, core, &point);
                        writes.extend(cell.map(|cell| (cell, value)));
                    }
                    Some(combine) => {
                        self.values(operation, inputs, core, &point, &mut values);
                        let value = (operation.function.compute)(&values);
                        match partial.entry(operation.index(&lacking, &point)) {
                            Entry::Vacant(entry) => {
                                entry.insert((point.clone(), value));
                            }
                            Entry::Occupied(mut entry) => {
                                let known = entry.get_mut();
                                known.1 = combine(known.1, value);
                            }
                        }
                    }
                }
                if !operation.next(&mut point) {
                    break;
                }
            }
            for (point, value) in partial.into_values() {
                let Some(cell) = self.cell(operation, output, core, &point) else {
                    continue;
                };
                let mut element = operation.whole(core, &point);
                lacking.iter().for_each(|dim| element[*dim] = 0);
                match (reduced.entry(cell), operation.function.combine) {
                    (Entry::Occupied(known), Some(combine)) if known.get().1 == element => {
                        let sum = &mut writes[known.get().0].1;
                        *sum = combine(*sum, value);
                    }
                    (Entry::Occupied(known), _) => {
                        let place = format!("{}: {known:?}, {element:?}", operation.name);
                        self.report(Fault::TwoWriters, || place);
                    }
                    (Entry::Vacant(entry), _) => {
                        entry.insert((writes.len(), element));
                        writes.push((cell, value));
                    }
                }
            }
        }
        let (size, writer) = (operation.output.bytes, self.runs);
        for ((number, address), value) in writes {
            let memory = self.memory(number);
            if memory.is_some_and(|memory| memory.write(address, size, value, writer)) {
                let name = &operation.name;
                self.report(Fault::TwoWriters, || {
                    format!("{name}, memory {number}, address {address}")
                });
            }
        }
        Ok(())
    }

    /// The operands at a point of a core's slice. NaN is what no program can know.
    fn values(
        &mut self,
        operation: &Operation,
        inputs: &[View<'_>],
        core: usize,
        point: &[i64],
        values: &mut Vec<f32>,
    ) {
        values.clear();
        let mask = operation.mask(core, point);
        for input in inputs {
            let Some((number, address)) = self.cell(operation, input, core, point) else {
                values.push(f32::NAN);
                continue;
            };
            let memory = self.memory(number);
            let found = memory
                .as_ref()
                .and_then(|memory| memory.read(address, input.tensor.bytes));
            let poison = || memory.is_none_or(|memory| memory.is_poison(address));
            if found.is_none() && poison() {
                let name = &operation.name;
                self.report(Fault::Poison, || {
                    format!("{name}, core {core}, memory {number}, address {address}")
                });
            }
            values.push(mask.or(found).unwrap_or(f32::NAN));
        }
    }

    /// The element of a tensor at a point of a core's slice. `None` where the tensor ends before the extent.
    fn cell(
        &mut self,
        operation: &Operation,
        view: &View<'_>,
        core: usize,
        point: &[i64],
    ) -> Option<Cell> {
        let address = view.address(point)?;
        let arguments = self.arguments.len();
        let (number, address) = match view.tensor.lx {
            true => (1 + arguments + core, address),
            false => (
                (address.div_euclid(SEGMENT)).clamp(0, 1 << 20) as usize,
                address.rem_euclid(SEGMENT),
            ),
        };
        let known = view.tensor.lx || number <= arguments;
        let limit = self.memory(number).map_or(0, |memory| memory.bytes);
        if !known || address < 0 || address + view.tensor.bytes > limit {
            let name = &operation.name;
            self.report(Fault::OutOfRange, || {
                format!("{name}, core {core}, memory {number}, address {address} of {limit}")
            });
        }
        Some((number, address))
    }

    /// Every core starts at a stick and where its slice is, and the slices are all of the work.
    fn check_slices(&mut self, operation: &Operation, starts: &[Vec<i64>]) {
        let mut sorted = operation.slices.clone();
        sorted.sort();
        sorted.dedup();
        let outside = |slice: &Vec<i64>| {
            let mut pairs = slice.iter().zip(&operation.splits);
            pairs.any(|(slice, split)| slice >= split)
        };
        let wrong = operation
            .extents
            .iter()
            .zip(&operation.splits)
            .any(|(extent, split)| extent % split != 0);
        if wrong
            || sorted.len() as i64 != operation.splits.iter().product::<i64>()
            || sorted.iter().any(outside)
        {
            self.report(Fault::Slices, || {
                format!("{}: {:?}", operation.name, operation.slices)
            });
        }
        for (tensor, starts) in operation.tensors().zip(starts) {
            let begin = |core: usize| {
                let point = operation.whole(core, &vec![0; operation.extents.len()]);
                let mut steps = tensor.steps(operation, core).into_iter();
                match tensor.lx {
                    true => Some(0),
                    false => steps.try_fold(0, |sum, along| {
                        Some(sum + tensor.bytes * along.to(point[along.dim])?)
                    }),
                }
            };
            let first = begin(0);
            for (core, start) in starts.iter().enumerate() {
                if start % STICK_BYTES != 0 {
                    self.report(Fault::Misaligned, || {
                        format!("{}, core {core}, start {start}", operation.name)
                    });
                }
                let expected = begin(core).zip(first).map(|(begin, first)| begin - first);
                if Some(start - starts[0]) != expected {
                    self.report(Fault::Slices, || {
                        format!(
                            "{}, core {core}, start {start}, not {expected:?} after {}",
                            operation.name, starts[0]
                        )
                    });
                }
            }
        }
    }
}

/// A tensor as one core visits it.
struct View<'o> {
    tensor: &'o Tensor,
    start: i64,
    /// By dimension, and position in the core's slice, the bytes from the start. `None` behind the end.
    steps: Vec<(usize, Vec<Option<i64>>)>,
}

impl<'o> View<'o> {
    fn new(operation: &Operation, tensor: &'o Tensor, core: usize, start: i64) -> Self {
        let along = tensor.steps(operation, core).into_iter();
        let steps = along.map(|along| {
            let positions = 0..operation.part(along.dim);
            let bytes = positions.map(|at| Some(along.to(at)? * tensor.bytes));
            (along.dim, bytes.collect())
        });
        Self {
            tensor,
            start,
            steps: steps.collect(),
        }
    }

    fn address(&self, point: &[i64]) -> Option<i64> {
        let mut address = self.start;
        for (dim, bytes) in &self.steps {
            address += bytes[point[*dim] as usize]?;
        }
        Some(address)
    }
}

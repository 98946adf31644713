//! Memory, and operations that read and write it as their JSON files say (SDSC bundle specification, section 5).
//!
//! Values are kept as `f32` by address; what nobody has written is poison. Cores run at the same time: an operation
//! reads all its operands before it writes.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

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
    /// Two cores write one element in one operation.
    TwoWriters,
    /// A core starts inside a stick.
    Misaligned,
    /// A core does not start where its slice of the work is, or the slices are not the whole.
    Slices,
}

#[derive(Default)]
struct Memory {
    bytes: i64,
    /// Value and size in bytes.
    elements: HashMap<i64, (f32, i64)>,
}

impl Memory {
    fn new(bytes: i64) -> Self {
        Self {
            bytes,
            elements: HashMap::new(),
        }
    }

    fn write(&mut self, address: i64, size: i64, value: f32) {
        // Half of another element is poison.
        for other in (address - 3..address + size).filter(|other| *other != address) {
            if self
                .elements
                .get(&other)
                .is_some_and(|(_, size)| other + size > address)
            {
                self.elements.remove(&other);
            }
        }
        self.elements.insert(address, (value, size));
    }
}

/// The memories of the card, and what went wrong in them.
#[derive(Default)]
pub struct Machine {
    arguments: Vec<Memory>,
    pool: Memory,
    scratchpads: Vec<Memory>,
    files: HashMap<std::path::PathBuf, Operation>,
    /// Every fault that was seen, with its place.
    pub reports: Vec<(Fault, String)>,
}

/// An element of a memory: 0 is the pool, then the arguments, then the scratchpads.
type Cell = (usize, i64);

impl Machine {
    /// Adds a kernel argument.
    pub fn add_argument(
        &mut self,
        bytes: i64,
        elements: impl Iterator<Item = (i64, f32)>,
        size: i64,
    ) {
        let mut memory = Memory::new(bytes);
        elements.for_each(|(address, value)| memory.write(address, size, value));
        self.arguments.push(memory);
    }

    pub fn arguments(&self) -> usize {
        self.arguments.len()
    }

    pub fn argument_base(index: usize) -> i64 {
        SEGMENT * (index as i64 + 1)
    }

    /// An element of an argument; `None` is poison.
    pub fn argument(&self, index: usize, address: i64) -> Option<f32> {
        self.arguments[index]
            .elements
            .get(&address)
            .map(|(value, _)| *value)
    }

    pub fn allocate_pool(&mut self, bytes: u64) -> i64 {
        self.pool = Memory::new(bytes as i64);
        0
    }

    fn report(&mut self, fault: Fault, place: impl FnOnce() -> String) {
        if self.reports.len() < 100 {
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
            .tensors
            .iter()
            .map(|tensor| tensor.starts(symbols))
            .collect::<Result<Vec<_>, _>>()?;
        self.check_slices(operation, &starts);
        let mut writes: Vec<(Cell, f32)> = Vec::new();
        let (output, inputs) = operation.tensors.split_last().ok_or("no tensors")?;
        for core in 0..cores {
            let mut point = vec![0; operation.extents.len()];
            loop {
                let mut values = Vec::with_capacity(inputs.len());
                for (tensor, starts) in inputs.iter().zip(&starts) {
                    let (number, address) =
                        self.cell(operation, tensor, core, starts[core], &point);
                    let size = tensor.bytes;
                    let found = self
                        .memory(number)
                        .and_then(|memory| memory.elements.get(&address).copied());
                    values.push(found.filter(|found| found.1 == size).map(|found| found.0));
                    if values.last() == Some(&None) {
                        let place = || {
                            format!(
                                "{}, core {core}, memory {number}, address {address}",
                                operation.name
                            )
                        };
                        self.report(Fault::Poison, place);
                    }
                }
                let cell = self.cell(operation, output, core, starts[inputs.len()][core], &point);
                let values: Option<Vec<f32>> = values.into_iter().collect();
                writes.push((
                    cell,
                    values.map_or(Ok(f32::NAN), |values| compute(&operation.name, &values))?,
                ));
                if !operation.next(&mut point) {
                    break;
                }
            }
        }
        let mut written = HashMap::new();
        for (index, ((number, address), value)) in writes.iter().enumerate() {
            if written.insert((*number, *address), index).is_some() {
                let place = || format!("{}, memory {number}, address {address}", operation.name);
                self.report(Fault::TwoWriters, place);
            }
            if let Some(memory) = self.memory(*number) {
                memory.write(*address, output.bytes, *value);
            }
        }
        Ok(())
    }

    /// The element of a tensor at a point of a core's slice.
    fn cell(
        &mut self,
        operation: &Operation,
        tensor: &Tensor,
        core: usize,
        start: i64,
        point: &[i64],
    ) -> Cell {
        let address = start
            + tensor.bytes * tensor.offset(&operation.extents, &operation.splits, core, point);
        let arguments = self.arguments.len();
        let (number, address) = match tensor.lx {
            true => (1 + arguments + core, address),
            false => (
                (address.div_euclid(SEGMENT)).clamp(0, 1 << 20) as usize,
                address.rem_euclid(SEGMENT),
            ),
        };
        let known = tensor.lx || number <= arguments;
        let limit = self.memory(number).map_or(0, |memory| memory.bytes);
        if !known || address < 0 || address + tensor.bytes > limit {
            let place = || {
                format!(
                    "{}, core {core}, memory {number}, address {address} of {limit}",
                    operation.name
                )
            };
            self.report(Fault::OutOfRange, place);
        }
        (number, address)
    }

    /// Every core starts at a stick and where its slice is, and the slices are all of the work.
    fn check_slices(&mut self, operation: &Operation, starts: &[Vec<i64>]) {
        let mut sorted = operation.slices.clone();
        sorted.sort();
        sorted.dedup();
        let outside = |slice: &Vec<i64>| {
            slice
                .iter()
                .zip(&operation.splits)
                .any(|(slice, split)| slice >= split)
        };
        if sorted.len() as i64 != operation.splits.iter().product::<i64>()
            || sorted.iter().any(outside)
        {
            self.report(Fault::Slices, || {
                format!("{}: {:?}", operation.name, operation.slices)
            });
        }
        for (tensor, starts) in operation.tensors.iter().zip(starts) {
            let begin = |core: usize| {
                let point = operation.slices[core]
                    .iter()
                    .zip(&operation.extents)
                    .zip(&operation.splits);
                let point: Vec<i64> = point
                    .map(|((slice, extent), split)| slice * (extent / split))
                    .collect();
                if tensor.lx {
                    0
                } else {
                    tensor.bytes
                        * tensor.offset(&operation.extents, &operation.splits, core, &point)
                }
            };
            for (core, start) in starts.iter().enumerate() {
                if start % STICK_BYTES != 0 {
                    self.report(Fault::Misaligned, || {
                        format!("{}, core {core}, start {start}", operation.name)
                    });
                }
                if start - starts[0] != begin(core) - begin(0) {
                    let expected = starts[0] + begin(core) - begin(0);
                    let place = || {
                        format!(
                            "{}, core {core}, start {start}, slice {expected}",
                            operation.name
                        )
                    };
                    self.report(Fault::Slices, place);
                }
            }
        }
    }
}

fn compute(name: &str, values: &[f32]) -> Result<f32, String> {
    Ok(match (name, values) {
        ("add", [a, b]) => a + b,
        ("sub", [a, b]) => a - b,
        ("mul", [a, b]) => a * b,
        ("maximum", [a, b]) => a.max(*b),
        ("minimum", [a, b]) => a.min(*b),
        ("neg", [a]) => -a,
        ("abs", [a]) => a.abs(),
        ("relufwd", [a]) => a.max(0.0),
        ("identity", [a]) => *a,
        _ => {
            return Err(format!(
                "cannot compute {name} of {} operands",
                values.len()
            ));
        }
    })
}

/// One file.
struct Operation {
    name: String,
    /// Whole extents, and number of slices, of each dimension.
    extents: Vec<i64>,
    splits: Vec<i64>,
    /// The slice of each core.
    slices: Vec<Vec<i64>>,
    /// The output is last.
    tensors: Vec<Tensor>,
}

struct Tensor {
    lx: bool,
    /// Bytes of an element.
    bytes: i64,
    stick: (usize, i64),
    /// Dimensions, innermost first, with whether the tensor has them and the gap behind them on each core.
    order: Vec<(usize, bool, Vec<i64>)>,
    /// For each core, an address or, when negative, a symbol.
    starts: Vec<i64>,
}

impl Tensor {
    fn starts(&self, symbols: &HashMap<i64, i64>) -> Result<Vec<i64>, String> {
        let resolve = |start: &i64| match *start {
            symbol if symbol < 0 => symbols
                .get(&symbol)
                .copied()
                .ok_or(format!("symbol {symbol} has no value")),
            address => Ok(address),
        };
        self.starts.iter().map(resolve).collect()
    }

    /// Elements from a core's start to a point of its slice.
    fn offset(&self, extents: &[i64], splits: &[i64], core: usize, point: &[i64]) -> i64 {
        let (stick, per_stick) = self.stick;
        let (mut unit, mut offset) = (per_stick, 0);
        for (dim, has, gaps) in &self.order {
            if !has {
                continue;
            }
            // A scratchpad holds the core's slice only.
            let held = if self.lx {
                extents[*dim] / splits[*dim]
            } else {
                extents[*dim]
            } + gaps[core];
            if *dim == stick {
                offset += point[*dim] / per_stick * unit + point[*dim] % per_stick;
                unit *= held / per_stick;
            } else {
                offset += point[*dim] * unit;
                unit *= held;
            }
        }
        offset
    }
}

impl Operation {
    /// Steps to the next point of a slice.
    fn next(&self, point: &mut [i64]) -> bool {
        for (at, (extent, split)) in point.iter_mut().zip(self.extents.iter().zip(&self.splits)) {
            *at += 1;
            if *at < extent / split {
                return true;
            }
            *at = 0;
        }
        false
    }

    fn read(file: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(file).map_err(|why| why.to_string())?;
        let root: Value = serde_json::from_str(&text).map_err(|why| why.to_string())?;
        let only = |value: &Value| {
            value
                .as_object()
                .and_then(|object| object.values().next().cloned())
        };
        let sdsc = only(&root).ok_or("no operation")?;
        let dsc = only(&sdsc["dscs_"][0]).ok_or("no descriptor")?;
        let cores = sdsc["numCoresUsed_"].as_u64().ok_or("no cores")? as usize;
        let sizes = dsc["N_"]
            .as_object()
            .ok_or("no extents")?
            .iter()
            .filter(|(name, _)| *name != "name_");
        let (dims, extents): (Vec<&str>, Vec<i64>) = sizes
            .map(|(name, size)| (name.trim_end_matches('_'), integer(size)))
            .unzip();
        let place = |name: &Value| {
            dims.iter()
                .position(|dim| Some(*dim) == name.as_str())
                .ok_or("unknown dimension")
        };
        let of_dims = |object: &Value| {
            dims.iter()
                .map(|dim| integer(&object[*dim]))
                .collect::<Vec<_>>()
        };
        let mut tensors = Vec::new();
        let compute = &dsc["computeOp_"][0];
        let listed = |key: &str| compute[key].as_array().cloned().unwrap_or_default();
        for name in listed("inputLabeledDs")
            .into_iter()
            .chain(listed("outputLabeledDs"))
        {
            let number = name
                .as_str()
                .and_then(|name| name.rsplit_once("idx")?.1.parse::<usize>().ok())
                .ok_or("no tensor")?;
            let (node, described) = (&dsc["scheduleTree_"][number], &dsc["labeledDs_"][number]);
            let label = &dsc["primaryDsInfo_"][described["dsType_"].as_str().ok_or("no label")?];
            let labelled = list(&label["layoutDimOrder_"]);
            let lx = node["component_"] == "lx";
            let order = list(&node["layoutDimOrder_"]);
            let order = order.iter().map(|dim| {
                // Scales are in the order of the label, not of the tensor.
                let scale = labelled
                    .iter()
                    .position(|labelled| labelled == dim)
                    .map_or(&Value::Null, |at| &described["scale_"][at]);
                let gaps = &node["backGapCore_"][dim.as_str().unwrap_or_default()];
                let gap = |core: usize| {
                    integer(
                        &gaps[if lx {
                            core.to_string()
                        } else {
                            "-1".to_owned()
                        }],
                    )
                };
                Ok((
                    place(dim)?,
                    integer(scale) > 0,
                    (0..cores).map(gap).collect(),
                ))
            });
            let start =
                |core: usize| &node["startAddressCoreCorelet_"]["data_"][format!("[{core}, 0, 0]")];
            tensors.push(Tensor {
                lx,
                bytes: integer(&described["wordLength"]),
                stick: (
                    place(&label["stickDimOrder_"][0])?,
                    integer(&label["stickSize_"][0]),
                ),
                order: order.collect::<Result<_, &str>>()?,
                starts: (0..cores).map(|core| integer(start(core))).collect(),
            });
        }
        let slices = (0..cores)
            .map(|core| of_dims(&sdsc["coreIdToWkSlice_"][core.to_string()]))
            .collect();
        let splits = of_dims(&sdsc["numWkSlicesPerDim_"]);
        let name = compute["opFuncName"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        Ok(Self {
            name,
            splits,
            slices,
            tensors,
            extents,
        })
    }
}

/// A number or a decimal string; 0 for nothing.
fn integer(value: &Value) -> i64 {
    value
        .as_i64()
        .or_else(|| value.as_str()?.parse().ok())
        .unwrap_or(0)
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

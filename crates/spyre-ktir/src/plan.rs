//! A planned function as KTIR will execute it: the division and the buffers of each operation.
//!
//! The plan is read before anything is built, so that a refusal leaves the module as it is.

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::view;
use spyre_analysis::walk::trip_count;
use spyre_conversion::to_sdscbundle::window::{Loop, Resolver};
use spyre_dialects::attr::Place;
use spyre_dialects::device_op::{DeviceOp, EmptyOp};
use spyre_dialects::dynamic::dim_size;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKey, OpKind, Val};

use crate::division::Division;
use crate::extents::Extents;
use crate::phases::{self, Access, Live, Structures};
use crate::step::{Entry, Step, Tensor, Trips};
use crate::{PASS, error};

/// A planned function.
pub(crate) struct Plan<'p> {
    /// The cores that run the program.
    pub cores: u32,
    /// The number of tensors that are arguments: inputs, then results.
    pub arguments: usize,
    /// The bytes of each of them in device memory, with the largest extents.
    pub bytes: Vec<u64>,
    /// The dynamic dimensions: arguments of the kernel after those of tensors.
    pub extents: Extents,
    /// The element types of values in the pool.
    pub pools: Vec<Type<'p>>,
    /// The bytes of the pool.
    pub pool_bytes: u64,
    /// The operations at the top of the function where a new launch begins, the first one left out.
    pub launches: Vec<Op<'p>>,
    steps: FxHashMap<OpKey, Step<'p>>,
    trips: FxHashMap<OpKey, Trips>,
}

impl<'p> Plan<'p> {
    /// Reads the plan of a function.
    ///
    /// # Errors
    /// An operation that has no form in KTIR.
    pub(crate) fn of(
        types: &TensorTypes<'p>,
        kernel: Op<'p>,
        body: Blk<'p>,
    ) -> Result<Self, Diagnostic<'p>> {
        let mut reader = Reader {
            types,
            extents: Extents::of_function(kernel, body)?,
            loops: Vec::new(),
            around: Vec::new(),
            trips: FxHashMap::default(),
            steps: Vec::new(),
            top: 0,
        };
        reader.block(body)?;
        let returned = body.terminator().map_or(0, |end| end.operand_count());
        reader.extents.add_results(&reader.steps, returned)?;
        reader.places(body)?;
        let mut cores = 1;
        let mut pools: Vec<Type<'p>> = Vec::new();
        let mut pool_bytes = 0;
        for entry in &reader.steps {
            cores = cores.max(entry.step.division.cores);
            for tensor in &entry.step.tensors {
                if let Place::Pool(offset) = tensor.operand.place {
                    let buffer = &tensor.operand.buffer;
                    pool_bytes = pool_bytes.max(offset.get() + buffer.device.bytes().get());
                    if !pools.contains(&buffer.element) {
                        pools.push(buffer.element);
                    }
                }
            }
        }
        let accesses = accesses(&reader.steps, cores);
        let live = live(types, body)?;
        let launches = phases::launches(&accesses, &live, cores)?;
        let tops: Vec<_> = ir::operations(body).collect();
        let launches = launches.into_iter().map(|number| tops[number]).collect();
        Ok(Self {
            cores,
            arguments: body.argument_count() + returned,
            bytes: bytes(types, body),
            extents: reader.extents,
            pools,
            pool_bytes,
            launches,
            steps: reader
                .steps
                .into_iter()
                .map(|entry| (ir::op_key(entry.op), entry.step))
                .collect(),
            trips: reader.trips,
        })
    }

    /// Returns the number of device operations.
    pub(crate) fn operations(&self) -> usize {
        self.steps.len()
    }

    /// Returns the step of a device operation.
    pub(crate) fn step(&self, op: Op<'p>) -> &Step<'p> {
        let step = self.steps.get(&ir::op_key(op));
        step.expect("the plan has every device operation")
    }

    /// Returns the iterations of a loop.
    pub(crate) fn trips(&self, op: Op<'p>) -> Trips {
        let trips = self.trips.get(&ir::op_key(op)).copied();
        trips.expect("the plan has every loop")
    }
}

struct Reader<'r, 'p> {
    types: &'r TensorTypes<'p>,
    extents: Extents,
    loops: Vec<Loop<'p>>,
    /// The iterations of these loops.
    around: Vec<Trips>,
    /// The iterations of all loops.
    trips: FxHashMap<OpKey, Trips>,
    steps: Vec<Entry<'p>>,
    top: usize,
}

impl<'p> Reader<'_, 'p> {
    /// Checks that values in arguments are in arguments that there are, and that each result is the whole of its own: a launch
    /// stores nowhere else.
    fn places(&self, body: Blk<'p>) -> Result<(), Diagnostic<'p>> {
        let Some(end) = body.terminator() else {
            return Ok(());
        };
        let inputs = body.argument_count();
        let arguments = inputs + end.operand_count();
        for entry in &self.steps {
            for tensor in &entry.step.tensors {
                if let Place::Arg(number) = tensor.operand.place
                    && number as usize >= arguments
                {
                    let message = format!(
                        "a value is in arg {number}, and the function has {arguments} arguments and results"
                    );
                    return Err(error(entry.op, message));
                }
            }
        }
        let resolver = Resolver {
            types: self.types,
            loops: &[],
            pass: PASS,
        };
        for (index, value) in end.operands().enumerate() {
            let operand = resolver.resolve(end, value)?;
            let ty = self.types.get(value.r#type());
            let ty = ty.map_err(|err| error(end, err.to_string()))?;
            let number = inputs + index;
            let is_there = matches!(operand.place, Place::Arg(place) if place as usize == number);
            if !is_there || operand.is_window.contains(&true) || operand.view != ty.device.view() {
                let message = format!(
                    "result {index} must be the whole of arg {number}, but is in {}; --spyre-scratchpad-planning places it",
                    operand.place
                );
                return Err(error(end, message));
            }
        }
        Ok(())
    }

    fn block(&mut self, block: Blk<'p>) -> Result<(), Diagnostic<'p>> {
        for (number, op) in ir::operations(block).enumerate() {
            if self.loops.is_empty() {
                self.top = number;
            }
            if let Some(device) = DeviceOp::cast(op) {
                let step = self.step(device)?;
                self.steps.push(Entry {
                    op,
                    top: self.top,
                    trips: self.around.clone(),
                    step,
                });
                continue;
            }
            match ir::kind(op) {
                OpKind::For => self.counted(op)?,
                OpKind::Other
                    if EmptyOp::cast(op).is_none()
                        && !view::is_view(op)
                        && dim_size(op).is_none() =>
                {
                    let name = ir::name(op);
                    return Err(error(op, format!("'{name}' has no form in KTIR")));
                }
                OpKind::TensorDim => {
                    return Err(error(op, "a dynamic extent has no form in KTIR yet"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn counted(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let trips = self.trips_of(op)?;
        self.trips.insert(ir::op_key(op), trips);
        self.around.push(trips);
        self.loops.push(Loop {
            op,
            count: trips.most,
            step: trips.step,
        });
        let body = ir::body(op).expect("a loop has a body");
        self.block(body)?;
        self.loops.pop();
        self.around.pop();
        Ok(())
    }

    /// Returns the iterations of a loop that counts from 0 to a constant or a dynamic extent, in constant steps.
    fn trips_of(&self, op: Op<'p>) -> Result<Trips, Diagnostic<'p>> {
        let step = ir::constant_operand(op, 2).filter(|step| *step > 0);
        let first = ir::constant_operand(op, 0);
        if let (Some(0), Some(step)) = (first, step) {
            let step = step.unsigned_abs();
            if let Some(count) = trip_count(op) {
                return Ok(Trips {
                    most: count.unsigned_abs(),
                    step,
                    symbol: None,
                });
            }
            let bound = ir::operand(op, 1).expect("a loop has bounds");
            if let Some(trips) = self.extents.trips(op, bound, step)? {
                return Ok(trips);
            }
        }
        Err(error(
            op,
            "a loop has to count from 0 to a constant or to a spyre.dim_size, in constant steps",
        ))
    }

    fn step(&self, device: DeviceOp<'p>) -> Result<Step<'p>, Diagnostic<'p>> {
        let op = device.op();
        let resolver = Resolver {
            types: self.types,
            loops: &self.loops,
            pass: PASS,
        };
        let result: Val<'p> = ir::result(op, 0).expect("a device operation has a result");
        let values = op.operands().chain([result]);
        let operands = values.map(|value| resolver.resolve(op, value));
        let operands = operands.collect::<Result<Vec<_>, _>>()?;
        let division = Division::of(device, &operands).map_err(|reason| error(op, reason))?;
        let tensors = operands.into_iter().enumerate().map(|(number, operand)| {
            let parts = division.of_tensor(device, number, operand.view.shape());
            Tensor { operand, parts }
        });
        let tensors = tensors.collect();
        Ok(Step { division, tensors })
    }
}

/// Returns the bytes of the inputs and results of a function in device memory. What is no tensor there has none.
fn bytes<'p>(types: &TensorTypes<'p>, body: Blk<'p>) -> Vec<u64> {
    let end = body.terminator();
    let results = end
        .into_iter()
        .flat_map(|end| end.operands().collect::<Vec<_>>());
    let values = ir::arguments(body).chain(results);
    let bytes = values.map(|value| {
        let ty = types.get(value.r#type());
        ty.map_or(0, |ty| ty.device.bytes().get())
    });
    bytes.collect()
}

/// Returns the values at the top of a function that are in scratchpads, with their uses.
fn live<'p>(types: &TensorTypes<'p>, body: Blk<'p>) -> Result<Vec<Live>, Diagnostic<'p>> {
    let resolver = Resolver {
        types,
        loops: &[],
        pass: PASS,
    };
    let ops: Vec<_> = ir::operations(body).collect();
    let numbers = ops.iter().enumerate();
    let numbers: FxHashMap<OpKey, usize> = numbers
        .map(|(number, op)| (ir::op_key(*op), number))
        .collect();
    let mut live = Vec::new();
    for (first, &op) in ops.iter().enumerate() {
        // A value without contents is built again in each launch.
        if EmptyOp::cast(op).is_some() {
            continue;
        }
        for value in ir::results(op).filter(|value| ir::is_ranked_tensor(value.r#type())) {
            if !matches!(resolver.resolve(op, value)?.place, Place::Lx(_)) {
                continue;
            }
            let users = ir::uses(value).into_iter().filter_map(|usage| {
                let mut around =
                    std::iter::successors(Some(usage.owner), |op| op.parent_operation());
                around.find_map(|op| numbers.get(&ir::op_key(op)).copied())
            });
            let last = users.max().unwrap_or(first);
            live.push(Live { first, last });
        }
    }
    Ok(live)
}

/// Returns the accesses to device memory that some operation writes, in order.
fn accesses<'p>(entries: &[Entry<'p>], cores: u32) -> Vec<Access<'p>> {
    if cores == 1 {
        return Vec::new();
    }
    let results = entries.iter().filter_map(|entry| entry.step.tensors.last());
    let written = results.filter_map(|tensor| match tensor.operand.place {
        Place::Arg(number) => Some(number),
        _ => None,
    });
    let written: FxHashSet<u32> = written.collect();
    let is_written = |place: Place| match place {
        Place::Arg(number) => written.contains(&number),
        Place::Pool(_) => true,
        Place::Lx(_) | Place::Window => false,
    };
    let mut structures = Structures::default();
    let mut accesses = Vec::new();
    for entry in entries {
        let last = entry.step.tensors.len() - 1;
        for (number, tensor) in entry.step.tensors.iter().enumerate() {
            if !is_written(tensor.operand.place) {
                continue;
            }
            let is_write = number == last;
            accesses.push(Access {
                op: entry.op,
                top: entry.top,
                is_write,
                place: tensor.operand.place,
                owners: structures.owners(tensor, &entry.step.division, is_write, &entry.trips),
            });
        }
    }
    accesses
}

//! The splits of all operations of a function, chosen together by the modelled time.

use std::ops::RangeInclusive;

use melior::ir::ValueLike;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_analysis::kinds::is_copy;
use spyre_analysis::spans::{Insertions, Spans};
use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::walk::{carried_by, handed_on_from, started_from, tensors};
use spyre_analysis::{division, view};
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::function_plan::DivisionGoals;
use spyre_layout::Bytes;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind, Source, Val};
use spyre_plan::cost::{Arithmetic, Divisible, Work, divisions, time as time_of};
use spyre_plan::together::{
    Choice, Copied, CopyCost, Held, Operation, Origin, Program, Read, Slices, Traffic, Value,
    ValueId, Weights, choose as choose_together,
};
use spyre_plan::{CoreMapping, Target, splits_only};

use super::{SPLIT, error, split_dims, split_of};
use crate::accesses::{fan_out, needs_device_memory, read_dims, reads_elementwise};
use crate::executions::{repeats, work_of};

/// The number of states of the beam search that are kept after each operation.
const BEAM: usize = 16;

/// The width of the beam for a program of few operations, for which more states cost little.
const WIDE_BEAM: usize = 256;
const FEW_OPERATIONS: usize = 8;

/// The most divisions that are considered for an operation: the ones with the most cores, and of equal numbers the
/// first ones.
const DIVISIONS: usize = 32;

/// Up to this factor, moves of arguments are weighted like moves of results of operations.
const MOST_FOR_ARGUMENTS: u64 = 2;

/// Sets the objective of a program. A large factor on results of operations does not apply to arguments: it would also
/// favour reads of weights by few cores, at the cost of the results that it is meant for.
pub(crate) fn set_goals(program: &mut Program, goals: DivisionGoals) {
    program.weights = Weights {
        results: goals.memory_weight,
        memory: match goals.memory_weight > MOST_FOR_ARGUMENTS {
            true => 1,
            false => goals.memory_weight,
        },
    };
    program.most_bytes = goals.most_bytes.map(Bytes);
}

/// Returns a split for each operation. An existing one stays. Arguments may be copied where that is allowed (`cached`).
///
/// # Errors
/// A tensor of an operation is not one that passes can handle.
pub(super) fn choose<'p>(
    types: &TensorTypes<'p>,
    body: Blk<'p>,
    ops: &[DeviceOp<'p>],
    target: &Target,
    cached: bool,
    goals: DivisionGoals,
) -> Result<Vec<Vec<u32>>, Diagnostic<'p>> {
    let Divided {
        mut reader, splits, ..
    } = Divided::read(types, body, ops, target, cached)?;
    set_goals(&mut reader.program, goals);
    let beam = match reader.program.operations.len() <= FEW_OPERATIONS {
        true => WIDE_BEAM,
        false => BEAM,
    };
    let chosen = choose_together(&reader.program, beam).or_else(|| {
        // No choice is within the limit of bytes, so the limit is dropped.
        reader.program.most_bytes = None;
        choose_together(&reader.program, beam)
    });
    let chosen = chosen.expect("bytes are not limited").choices;
    let of = splits.into_iter().zip(&chosen);
    let of_divided: Vec<Vec<u32>> = of
        .map(|(mut splits, chosen)| splits.swap_remove(*chosen))
        .collect();
    let mut of_divided_ops = of_divided.iter();
    let of = |op: &DeviceOp<'p>| match is_copy_of_argument(*op) {
        true => reader.split_of_copy(*op, &chosen, &of_divided),
        false => Ok(of_divided_ops
            .next()
            .expect("every operation is in the program")
            .clone()),
    };
    ops.iter().map(of).collect()
}

/// Reads a function as a program for the choice of divisions. Returns it with the IR operations of its operations.
/// `ops` are the device operations of the function, in the order of the program; arguments may be copied where that is
/// allowed (`cached`).
///
/// # Errors
/// A tensor of an operation is not one that passes can handle.
pub(crate) fn read<'p>(
    types: &TensorTypes<'p>,
    body: Blk<'p>,
    ops: &[DeviceOp<'p>],
    target: &Target,
    cached: bool,
) -> Result<(Program, Vec<DeviceOp<'p>>), Diagnostic<'p>> {
    let read = Divided::read(types, body, ops, target, cached)?;
    Ok((read.reader.program, read.ops))
}

/// A function that is read as a program.
struct Divided<'a, 'p> {
    reader: Reader<'a, 'p>,
    /// The operations of the program.
    ops: Vec<DeviceOp<'p>>,
    /// The splits that each may have.
    splits: Vec<Vec<Vec<u32>>>,
}

impl<'a, 'p> Divided<'a, 'p> {
    fn read(
        types: &'a TensorTypes<'p>,
        body: Blk<'p>,
        ops: &[DeviceOp<'p>],
        target: &'a Target,
        cached: bool,
    ) -> Result<Self, Diagnostic<'p>> {
        let (copies, divided): (Vec<DeviceOp<'p>>, Vec<DeviceOp<'p>>) =
            ops.iter().partition(|op| is_copy_of_argument(**op));
        let mut reader = Reader {
            types,
            insertions: Insertions::of(body),
            target,
            cached,
            maps: FxHashMap::default(),
            values: FxHashMap::default(),
            in_loops: in_loops(&divided),
            first_reads: FxHashMap::default(),
            program: Program {
                lx: target.usable_lx(),
                ..Program::default()
            },
        };
        for copy in &copies {
            reader.add_copy(*copy)?;
        }
        let mut splits = Vec::with_capacity(divided.len());
        for op in &divided {
            let op_splits = reader.splits(*op)?;
            reader.add(*op, &op_splits)?;
            splits.push(op_splits);
        }
        Ok(Self {
            reader,
            ops: divided,
            splits,
        })
    }
}

/// Returns whether an operation copies an argument, or a window of one, and may be divided as its first reader needs it.
fn is_copy_of_argument(op: DeviceOp<'_>) -> bool {
    is_copy(op)
        && !op.op().has_attribute(SPLIT)
        && op
            .op()
            .operand(0)
            .is_ok_and(|source| is_of_argument(source))
}

/// Builds a program from a function.
struct Reader<'a, 'p> {
    types: &'a TensorTypes<'p>,
    insertions: Insertions<'p>,
    target: &'a Target,
    /// Whether arguments are copied into the scratchpad where they are read again.
    cached: bool,
    /// The numbers of the maps from cores to slices.
    maps: FxHashMap<Vec<(u32, u32)>, u32>,
    /// The numbers of the values, by their keys.
    values: FxHashMap<ir::ValueKey, ValueId>,
    /// The numbers of the first and the last operation in each loop, by its key.
    in_loops: FxHashMap<ir::OpKey, RangeInclusive<usize>>,
    /// For each copy that is read, its first reader.
    first_reads: FxHashMap<usize, FirstRead<'p>>,
    program: Program,
}

/// The first operation that reads a copy.
struct FirstRead<'p> {
    op: DeviceOp<'p>,
    /// The number in the program.
    number: usize,
    operand: usize,
    /// The views on the way from the copy.
    views: Vec<Op<'p>>,
}

/// Returns the numbers of the first and the last operation in each loop.
fn in_loops(ops: &[DeviceOp<'_>]) -> FxHashMap<ir::OpKey, RangeInclusive<usize>> {
    let mut in_loops = FxHashMap::default();
    for (number, op) in ops.iter().enumerate() {
        let mut around = op.op().parent_operation();
        while let Some(parent) = around {
            if ir::kind(parent) == OpKind::For {
                let range = in_loops
                    .entry(ir::op_key(parent))
                    .or_insert(number..=number);
                *range = *range.start()..=number;
            }
            around = parent.parent_operation();
        }
    }
    in_loops
}

/// Returns the loop with a value as an initial value, and the corresponding result of the loop.
fn loop_that_starts_from(value: Val<'_>) -> Option<(Op<'_>, Val<'_>)> {
    let mut around = None;
    ir::for_each_use(value, |usage| {
        if let Some(carried) = carried_by(usage) {
            around = Some((usage.owner, carried.result));
        }
    });
    around
}

/// Returns whether a value is inserted into another one.
fn is_inserted(value: Val<'_>) -> bool {
    let mut is_inserted = false;
    ir::for_each_use(value, |usage| {
        is_inserted |= ir::kind(usage.owner) == OpKind::InsertSlice && usage.operand == 0;
    });
    is_inserted
}

/// Returns whether a value, or the loop result that it initialises, is returned or inserted into a larger value.
fn ends_in_memory(value: Val<'_>) -> bool {
    let mut next = Some(value);
    let mut ends = false;
    while let Some(value) = next {
        next = loop_that_starts_from(value).map(|(_, end)| end);
        ir::for_each_use(value, |usage| match ir::kind(usage.owner) {
            OpKind::ExtractSlice | OpKind::InsertSlice | OpKind::Return => ends = true,
            OpKind::Yield => {
                let parent = usage.owner.parent_operation();
                next = parent.and_then(|parent| ir::result(parent, usage.operand));
            }
            _ => {}
        });
    }
    ends
}

impl<'p> Reader<'_, 'p> {
    /// Returns the splits that an operation may have. The first one is that of the pass without the model.
    fn splits(&self, op: DeviceOp<'p>) -> Result<Vec<Vec<u32>>, Diagnostic<'p>> {
        if op.op().has_attribute(SPLIT) {
            return Ok(vec![op.split().expect("the pass has checked it")]);
        }
        let usual = split_of(self.types, &self.insertions, op, self.target)?;
        let spans = Spans::of(self.types, &self.insertions, op).map_err(|err| error(op, err))?;
        let limit = self.target.span_limit_bytes;
        let dims = split_dims(self.types, op)?;
        let parallel = dims.len() - op.reduction_dims();
        let dims: Vec<Divisible> = dims
            .into_iter()
            .enumerate()
            .map(|(at, dim)| Divisible {
                dim,
                is_reduced: at >= parallel,
            })
            .collect();
        let mut all = divisions(&dims, self.target.cores, |split| {
            spans.are_within(split, limit)
        });
        let cores = |split: &Vec<u32>| split.iter().product::<u32>();
        let is_partial = |split: &Vec<u32>| split[parallel..].iter().any(|slices| *slices > 1);
        all.sort_by_key(|split| (std::cmp::Reverse(cores(split)), is_partial(split)));
        all.retain(|split| *split != usual);
        all.truncate(DIVISIONS - 1);
        all.insert(0, usual);
        Ok(all)
    }

    /// Adds the result of a copy of an argument. The copy is divided as the first user of its result needs it, so it is
    /// no operation of the program.
    fn add_copy(&mut self, op: DeviceOp<'p>) -> Result<(), Diagnostic<'p>> {
        let result = op.op().result(0).map_err(|err| error(op, err))?;
        let ty = self
            .types
            .get(result.r#type())
            .map_err(|err| error(op, err))?;
        let executions = u64::from(repeats(op.op(), None));
        let write = self.traffic((ty.device.bytes(), 1), executions);
        let around = loop_that_starts_from(result.into());
        let of_core = Bytes(ty.device.bytes().get().div_ceil(self.target.cores.into()));
        let copied = Copied {
            copy: self.copy_cost(of_core, ty.device.bytes(), executions),
            write,
            is_written_out: around.is_some_and(|(_, end)| ends_in_memory(end)),
            from: around
                .and_then(|(around, _)| self.in_loops.get(&ir::op_key(around)))
                .map(|ops| *ops.start()),
            bytes: of_core,
        };
        self.number(result.into(), Origin::Copied(copied));
        Ok(())
    }

    /// Returns the split of a copy: the slices that its first user reads, if a copy can have them; that of the pass
    /// without the model otherwise.
    fn split_of_copy(
        &self,
        copy: DeviceOp<'p>,
        chosen: &[usize],
        splits: &[Vec<u32>],
    ) -> Result<Vec<u32>, Diagnostic<'p>> {
        let value =
            ir::result(copy.op(), 0).and_then(|value| self.values.get(&ir::value_key(value)));
        let first = value.and_then(|value| self.first_reads.get(&value.0));
        let needed = first.and_then(|first| {
            let choice = &self.program.operations[first.number].choices[chosen[first.number]];
            choice.reads[first.operand].copy?;
            let split = &splits[first.number];
            let dims = read_dims(first.op, first.operand, &first.views, split)?;
            Some(slices_along(split, &dims))
        });
        let dims = split_dims(self.types, copy)?;
        // The tensor that the reader sees through a view may have other sticks.
        let fits = |needed: &Vec<u32>| {
            let mut dims = dims.iter().zip(needed);
            dims.all(|(dim, cores)| {
                *cores == 1 || dim.splittable && dim.units.is_multiple_of(u64::from(*cores))
            })
        };
        match needed.filter(fits) {
            Some(needed) => Ok(needed),
            None => split_of(self.types, &self.insertions, copy, self.target),
        }
    }

    /// Adds an operation that may have some splits.
    fn add(&mut self, op: DeviceOp<'p>, splits: &[Vec<u32>]) -> Result<(), Diagnostic<'p>> {
        let executions = u64::from(repeats(op.op(), None));
        let values = tensors(op);
        let sizes = values
            .iter()
            .map(|value| Ok(self.types.get(value.r#type())?.device.bytes()))
            .collect::<Result<Vec<Bytes>, String>>()
            .map_err(|err| error(op, err))?;
        let result = values.len() - 1;
        let rates = self.target.rates;
        let write = self.traffic((sizes[result], 1), executions);
        let origins: Vec<Seen<'p>> = values[..result]
            .iter()
            .map(|value| self.seen(op.op(), *value))
            .collect();
        for (operand, seen) in origins.iter().enumerate() {
            if matches!(self.program.values[seen.value.0].origin, Origin::Copied(_)) {
                self.first_reads
                    .entry(seen.value.0)
                    .or_insert_with(|| FirstRead {
                        op,
                        number: self.program.operations.len(),
                        operand,
                        views: seen.views.clone(),
                    });
            }
        }
        let mut choices = Vec::with_capacity(splits.len());
        for split in splits {
            let work = work_of(op, split)
                .ok_or_else(|| error(op, "operation has a dynamic extent, or too many points"))?;
            let reads = origins.iter().enumerate().map(|(operand, seen)| {
                let cores = fan_out(split, &op.tensor_dims(operand));
                let read = self.read(op, operand, &seen.views, split, sizes[operand]);
                Read {
                    held: read.as_ref().map(|(held, _)| *held),
                    memory: self.traffic((sizes[operand], cores), executions),
                    copy: seen.copies.zip(read).and_then(|(copies, (held, dims))| {
                        self.copy(copies, held, (split, &dims), sizes[operand])
                    }),
                    is_free_after: seen.views.is_empty()
                        && values[operand].r#type() == values[result].r#type()
                        && reads_elementwise(op, operand),
                }
            });
            choices.push(Choice {
                reads: reads.collect(),
                result: None,
                // The constants distinguish tilings.
                time: time_of(&rates, work, &[]).times(executions),
            });
        }
        for (choice, split) in choices.iter_mut().zip(splits) {
            choice.result = self.written(op, split, sizes[result]);
        }
        let result_value = values[result];
        let operation = Operation {
            choices,
            operands: origins.iter().map(|seen| seen.value).collect(),
            result: self.result(op.op(), result_value),
            write,
            is_written_out: is_inserted(result_value),
        };
        self.program.operations.push(operation);
        Ok(())
    }

    /// Returns the number of the result of an operation, or of the loop's initial value where the result is yielded for
    /// the next iteration.
    fn result(&mut self, op: Op<'p>, value: Val<'p>) -> ValueId {
        match handed_on_from(value) {
            Some(start) => self.seen(op, start).value,
            None => self.number(value, Origin::Made),
        }
    }

    fn number(&mut self, value: Val<'p>, origin: Origin) -> ValueId {
        let values = &mut self.program.values;
        *self.values.entry(ir::value_key(value)).or_insert_with(|| {
            values.push(Value { origin, until: 0 });
            ValueId(values.len() - 1)
        })
    }

    /// Finds the value of an operand, through views and loops.
    fn seen(&mut self, reader: Op<'p>, operand: Val<'p>) -> Seen<'p> {
        let mut views = Vec::new();
        let mut value = operand;
        loop {
            let next = match ir::source(value) {
                Source::Result(op, _) if view::is_view(op) => {
                    views.push(op);
                    ir::operand(op, 0)
                }
                _ => started_from(value),
            };
            match next {
                Some(next) => value = next,
                None => break,
            }
        }
        views.reverse();
        let home = match ir::source(value) {
            Source::Argument(block, _) => Some(block),
            Source::Result(op, _) => op.block(),
        };
        let may_copy = self.cached && views.is_empty() && is_of_argument(value);
        let copies = may_copy.then(|| match ir::source(value) {
            Source::Argument(..) => 1,
            Source::Result(op, _) => u64::from(repeats(op, None)),
        });
        // An operation has been added before its users.
        let value = self.number(value, Origin::Memory);
        // The copy is in the program already, and runs once for each execution of the loops around it.
        let is_copied = matches!(self.program.values[value.0].origin, Origin::Copied(_));
        let copies = copies.or(is_copied.then_some(1));
        // A value that a loop reads is live until the end of the loop.
        let mut at = reader;
        while at.block() != home
            && let Some(parent) = at.parent_operation()
        {
            if let Some(ops) = self.in_loops.get(&ir::op_key(parent)) {
                let until = &mut self.program.values[value.0].until;
                *until = (*until).max(*ops.end());
            }
            at = parent;
        }
        Seen {
            value,
            views,
            copies,
        }
    }

    /// Returns the cost of copying an argument into the scratchpads in the slices that a user reads; `None` if no copy
    /// has these slices. The copy is executed `executions` times.
    fn copy(
        &mut self,
        executions: u64,
        held: Held,
        (split, dims): (&[u32], &[Option<usize>]),
        bytes: Bytes,
    ) -> Option<CopyCost> {
        let slices = slices_along(split, dims);
        let all: Vec<Option<usize>> = (0..slices.len()).map(Some).collect();
        let result = self.slices(&slices, None, &all)?;
        if result.map != held.slices.map || result.cores < held.slices.cores {
            return None;
        }
        Some(self.copy_cost(held.bytes, bytes, executions))
    }

    /// Returns the cost of `executions` executions of a copy of `bytes`, of which a core holds `of_core`.
    fn copy_cost(&self, of_core: Bytes, bytes: Bytes, executions: u64) -> CopyCost {
        // A core copies its slice, of elements that are 2 bytes wide or wider.
        let work = Work {
            arithmetic: Arithmetic::Elements,
            points: of_core.get() / 2,
            partials: 0,
        };
        CopyCost {
            compute: time_of(&self.target.rates, work, &[]).times(executions),
            memory: self.traffic((bytes, 1), executions),
        }
    }

    /// Returns the cost of moving bytes, each to `cores` cores, `executions` times.
    fn traffic(&self, (bytes, cores): (Bytes, u32), executions: u64) -> Traffic {
        let time = self.target.rates.memory(bytes, cores);
        Traffic {
            time: time.times(executions),
            bytes: Bytes(bytes.get().saturating_mul(executions)),
        }
    }

    /// Returns the slices that the cores read of the value of an operand, and the iteration dimension that moves along
    /// each dimension of the value; `None` if that cannot be in the scratchpad.
    fn read(
        &mut self,
        op: DeviceOp<'p>,
        operand: usize,
        views: &[Op<'p>],
        split: &[u32],
        bytes: Bytes,
    ) -> Option<(Held, Vec<Option<usize>>)> {
        if needs_device_memory(op) || op.gathered_dim().is_some() {
            return None;
        }
        let dims = read_dims(op, operand, views, split)?;
        Some((self.held(op, split, &dims, bytes)?, dims))
    }

    /// Returns the slices of a result that the cores compute; `None` if it cannot be in the scratchpad.
    fn written(&mut self, op: DeviceOp<'p>, split: &[u32], bytes: Bytes) -> Option<Held> {
        let value = ir::result(op.op(), 0)?;
        // A value without uses is in the pool, and one that is only inserted is where the larger tensor is.
        let mut is_elsewhere = needs_device_memory(op);
        let mut is_read = false;
        ir::for_each_use(value, |usage| {
            let kind = ir::kind(usage.owner);
            is_elsewhere |= matches!(kind, OpKind::ExtractSlice | OpKind::Return);
            is_read |= kind != OpKind::InsertSlice;
        });
        is_elsewhere |= !is_read;
        let dims = op.tensor_dims(op.op().operand_count());
        if is_elsewhere || !splits_only(split, &dims) {
            return None;
        }
        self.held(op, split, &dims, bytes)
    }

    /// Returns the slices of a tensor that the cores of an operation hold, and their bytes. `dims` are the iteration
    /// dimensions that index the dimensions of the tensor.
    fn held(
        &mut self,
        op: DeviceOp<'p>,
        split: &[u32],
        dims: &[Option<usize>],
        bytes: Bytes,
    ) -> Option<Held> {
        let slices = self.slices(split, division::k_fast(op, split), dims)?;
        let parts = split.iter().enumerate();
        let parts = parts.filter(|(dim, _)| dims.contains(&Some(*dim)));
        let parts: u64 = parts.map(|(_, cores)| u64::from(*cores)).product();
        let bytes = Bytes(bytes.get().div_ceil(parts.max(1)));
        let bytes = bytes.round_up_to(self.target.stick_bytes)?;
        Some(Held { slices, bytes })
    }

    /// Returns the slices of a tensor. `dims` are the iteration dimensions that index its dimensions; `k_fast` is the
    /// fastest digit of the number of a core.
    fn slices(
        &mut self,
        split: &[u32],
        k_fast: Option<usize>,
        dims: &[Option<usize>],
    ) -> Option<Slices> {
        let mapping = CoreMapping::new(split, k_fast).ok()?;
        let mut strides = vec![0; split.len()];
        let mut cores = 1;
        for dim in mapping.order() {
            strides[*dim] = cores;
            cores *= split[*dim];
        }
        let digit = |dim: &Option<usize>| match dim {
            Some(dim) if split[*dim] > 1 => (split[*dim], strides[*dim]),
            _ => (1, 0),
        };
        let next = u32::try_from(self.maps.len()).expect("fewer than 2^32 maps");
        let map = *self
            .maps
            .entry(dims.iter().map(digit).collect())
            .or_insert(next);
        Some(Slices { map, cores })
    }
}

/// Returns the slices of a tensor along each of its dimensions, which some iteration dimensions index.
fn slices_along(split: &[u32], dims: &[Option<usize>]) -> Vec<u32> {
    let of_dim = |dim: &Option<usize>| dim.map_or(1, |dim| split[dim]);
    dims.iter().map(of_dim).collect()
}

/// The value that an operand is, and how it is read.
struct Seen<'p> {
    value: ValueId,
    /// The views on the way from the value, the first one of the value itself.
    views: Vec<Op<'p>>,
    /// How often a copy of it into the scratchpads would be executed; `None` where it is not copied.
    copies: Option<u64>,
}

/// Returns whether a value is an argument of the function, or a window of one.
fn is_of_argument(value: Val<'_>) -> bool {
    let mut value = value;
    let mut seen = FxHashSet::default();
    while seen.insert(ir::value_key(value)) {
        match ir::source(value) {
            Source::Argument(block, _) => {
                let parent = block.parent_operation();
                return parent.is_none_or(|parent| ir::kind(parent) != OpKind::For);
            }
            Source::Result(op, _) if ir::kind(op) == OpKind::ExtractSlice => {
                match ir::operand(op, 0) {
                    Some(source) => value = source,
                    None => return false,
                }
            }
            Source::Result(..) => return false,
        }
    }
    false
}

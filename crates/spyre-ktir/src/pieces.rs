//! Loops over pieces of the part of a core.
//!
//! A kernel loads what an operation reads as tensors, and the tensors of a large part do not fit into a scratchpad. Such
//! an operation is converted in loops: over pieces of dimensions of the result, and inside of them over pieces of reduced
//! dimensions, which carry the sums in 32 bits. Each iteration loads pieces of the operands, and stores a piece of the
//! result. A value in scratchpads is there as a whole: iterations take slices of operands, and the loops carry the result.
//! Where the plan has the result in the place of an operand, the loops carry the operand, and overwrite it piece by piece.

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use rustc_hash::FxHashMap;
use spyre_analysis::scratchpad;
use spyre_dialects::attr::Place;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, BlockKey, ForOp, Offset, Op, OpKey, Val};

use crate::computation::Computation;
use crate::division::{Division, Part, Pieces};
use crate::emit::{Tile, compact};
use crate::error;
use crate::step::{Step, Tensor};
use crate::sums::Sums;
use crate::walk::Walk;

/// The elements of a piece along each iteration dimension of an operation: those of the part where it is not cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cut(pub Vec<u64>);

/// The operations that are converted in pieces.
pub(crate) type Cuts = FxHashMap<OpKey, Cut>;

impl<'p> Step<'p> {
    /// Returns the step of one piece, and the number of pieces for each loop over them, outermost first.
    fn piece(&self, device: DeviceOp<'p>, cut: &Cut) -> (Self, Vec<u64>) {
        let mut counts = Vec::new();
        let parts = self.division.parts.iter().zip(&cut.0).map(|(part, &size)| {
            if size == part.size {
                return *part;
            }
            let pieces = Pieces {
                level: counts.len(),
                count: part.size / size,
            };
            counts.push(pieces.count);
            Part {
                size,
                pieces: Some(pieces),
                ..*part
            }
        });
        let division = Division {
            parts: parts.collect(),
            ..self.division.clone()
        };
        let tensors = self.tensors.iter().enumerate().map(|(number, tensor)| {
            let shape = tensor.operand.view.shape();
            Tensor {
                operand: tensor.operand.clone(),
                parts: division.of_tensor(device, number, shape),
            }
        });
        let tensors = tensors.collect();
        (Self { division, tensors }, counts)
    }

    /// Returns the number of the operand in whose place the plan has the result, where each of its elements is read at the
    /// position of the result alone.
    pub(crate) fn replaced(&self, device: DeviceOp<'p>) -> Option<usize> {
        let (result, operands) = self.tensors.split_last().expect("it has a result");
        let dims = device.tensor_dims(operands.len());
        if device.reduction_dims() != 0 || !matches!(result.operand.place, Place::Lx(_)) {
            return None;
        }
        let is_at_place = |number: usize| {
            let tensor = &operands[number];
            tensor.operand.place == result.operand.place
                && tensor.operand.buffer.element == result.operand.buffer.element
                && tensor.parts == result.parts
                && device.tensor_dims(number) == dims
        };
        let op = device.op();
        let number = (0..operands.len()).find(|number| is_at_place(*number))?;
        let value = ir::operand(op, number)?;
        let is_same = |other: Val<'p>| ir::value_key(other) == ir::value_key(value);
        let mut others = op.operands().enumerate().filter(|(_, it)| is_same(*it));
        others
            .all(|(number, _)| is_at_place(number))
            .then_some(number)
    }
}

/// Loops under construction, outermost first.
struct Nest<'p> {
    loops: Vec<ForOp<'p>>,
    around: Blk<'p>,
    /// The tensors that the innermost loop carries; those outside where there is no loop.
    carried: Vec<Val<'p>>,
}

impl<'p> Walk<'_, 'p> {
    /// Converts a device operation in pieces.
    pub(crate) fn in_pieces(
        &mut self,
        device: DeviceOp<'p>,
        step: &Step<'p>,
        cut: &Cut,
    ) -> Result<(), Diagnostic<'p>> {
        let op = device.op();
        let (piece, counts) = step.piece(device, cut);
        let parallel = step.division.parts.len() - device.reduction_dims();
        let is_outer = |part: &&Part| part.pieces.is_some();
        let outer = piece.division.parts[..parallel].iter().filter(is_outer);
        let (outer, summed) = counts.split_at(outer.count());
        let tensor = step.tensors.last().expect("an operation has a result");
        if !matches!(tensor.operand.place, Place::Lx(_)) {
            return self.guarded(step, |walk| {
                let nest = walk.open(outer, Vec::new());
                let value = walk.piece_of_result(device, &piece, summed)?;
                let tensor = piece.tensors.last().expect("an operation has a result");
                walk.store(op, tensor, value)?;
                walk.close(nest, &[]);
                Ok(())
            });
        }
        let mut inits = Vec::new();
        let mut replaced = None;
        if !outer.is_empty() {
            replaced = self.replaced(device, step);
            inits.push(match &replaced {
                Some((_, tile)) => tile.value,
                None => {
                    let shape = compact(&tensor.parts);
                    self.emit.empty(&shape, tensor.operand.buffer.element)
                }
            });
        }
        let nest = self.open(outer, inits);
        if let (Some((operand, tile)), Some(&value)) = (&replaced, nest.carried.first()) {
            // An iteration reads the operand only where it writes the result afterwards.
            let inside = Tile {
                value,
                ..tile.clone()
            };
            self.set(*operand, inside);
        }
        let value = self.piece_of_result(device, &piece, summed)?;
        let value = match nest.carried.first() {
            Some(into) => self.inserted(&piece, value, *into),
            None => value,
        };
        if let Some((operand, tile)) = replaced {
            self.set(operand, tile);
        }
        let results = self.close(nest, &[value]);
        self.set_result(op, step, results[0]);
        Ok(())
    }

    /// Returns the operand in whose place the plan has the result, with its tensor, if that is the part of the result.
    fn replaced(&self, device: DeviceOp<'p>, step: &Step<'p>) -> Option<(Val<'p>, Tile<'p>)> {
        let number = step.replaced(device)?;
        let operand = ir::operand(device.op(), number).expect("the step has the operand");
        let tile = self.tile(operand)?;
        (tile.parts == step.tensors[number].parts).then(|| (operand, tile.clone()))
    }

    /// Builds loops over pieces, each of which carries tensors.
    fn open(&mut self, counts: &[u64], inits: Vec<Val<'p>>) -> Nest<'p> {
        let mut nest = Nest {
            loops: Vec::with_capacity(counts.len()),
            around: self.emit.block,
            carried: inits,
        };
        for count in counts {
            let [first, end, step] = [0, count.cast_signed(), 1].map(|it| self.emit.index(it));
            let at = At::End(self.emit.block);
            let built = ir::build_for(at, self.emit.location, first, end, step, &nest.carried);
            let carried = (0..nest.carried.len()).map(|number| built.carried(number));
            nest.carried = carried.collect();
            nest.loops.push(built);
            self.emit.pieces.push(built.induction_variable());
            self.emit.block = built.body;
        }
        nest
    }

    /// Ends the loops of `nest`, of which the innermost yields `values`. Returns the results of the outermost loop, or
    /// `values` if the nest has no loop.
    fn close(&mut self, nest: Nest<'p>, values: &[Val<'p>]) -> Vec<Val<'p>> {
        let mut values = values.to_vec();
        for built in nest.loops.into_iter().rev() {
            ir::build_yield(built.body, self.emit.location, &values);
            values = (0..values.len())
                .map(|number| built.result(number))
                .collect();
            self.emit.pieces.pop();
        }
        self.emit.block = nest.around;
        values
    }

    /// Builds a piece of a result, in loops over pieces of the reduced dimensions where they are cut.
    fn piece_of_result(
        &mut self,
        device: DeviceOp<'p>,
        piece: &Step<'p>,
        summed: &[u64],
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        if summed.is_empty() {
            return self.value(device, piece);
        }
        let op = device.op();
        let refuse = |reason: String| error(op, reason);
        let mut computation = Computation {
            device,
            step: piece,
            inputs: Vec::new(),
        };
        let sums = Sums::of(self.emit.context, &computation).map_err(refuse)?;
        let inits = sums.init(&self.emit, &computation);
        let nest = self.open(summed, inits);
        computation.inputs = self.inputs(op, piece)?;
        let values = sums.add(&self.emit, &computation, &nest.carried);
        let values = self.close(nest, &values);
        sums.finish(&self.emit, &computation, &values)
            .map_err(refuse)
    }

    /// Builds the part of a result in scratchpads with a piece overwritten.
    fn inserted(&mut self, piece: &Step<'p>, value: Val<'p>, into: Val<'p>) -> Val<'p> {
        let tensor = piece.tensors.last().expect("an operation has a result");
        let long = tensor.parts.iter().filter(|part| part.elements() != 1);
        let mut offsets = Vec::new();
        let mut sizes = Vec::new();
        for part in long {
            sizes.push(part.size);
            offsets.push(match part.pieces {
                None => Offset::Static(0),
                Some(pieces) => {
                    let iteration = self.emit.piece(pieces.level);
                    Offset::Value(self.emit.sum(&[(iteration, part.size)], 0))
                }
            });
        }
        let value = self.emit.reshape(value, &sizes);
        self.emit.insert(value, into, offsets, &sizes)
    }
}

/// The operations that were built for each device operation.
#[derive(Default)]
pub(crate) struct Built<'p> {
    /// The device operation, and the first and the last operation that was built for it.
    runs: Vec<(Op<'p>, Op<'p>, Op<'p>)>,
    /// An operation of each block, from which on its last one is looked for.
    seen: FxHashMap<BlockKey, Op<'p>>,
}

impl<'p> Built<'p> {
    /// Returns the last operation of a block.
    pub(crate) fn last(&mut self, block: Blk<'p>) -> Option<Op<'p>> {
        let seen = self.seen.get(&ir::block_key(block)).copied();
        let mut last = seen.or_else(|| block.first_operation())?;
        while let Some(next) = last.next_in_block() {
            last = next;
        }
        self.seen.insert(ir::block_key(block), last);
        Some(last)
    }

    /// Adds the operations of a block after `before` as those of a device operation.
    pub(crate) fn add(&mut self, device: Op<'p>, block: Blk<'p>, before: Option<Op<'p>>) {
        let first = match before {
            Some(before) => before.next_in_block(),
            None => block.first_operation(),
        };
        if let (Some(first), Some(last)) = (first, self.last(block)) {
            self.runs.push((device, first, last));
        }
    }

    /// Returns the device operations during which more than `limit` bytes of a scratchpad are in use, each with the
    /// bytes in use before it and the maximum during it.
    pub(crate) fn above(&self, kernel: Op<'p>, limit: u64) -> Vec<(Op<'p>, Demand)> {
        if scratchpad::all_fit(kernel, limit) {
            return Vec::new();
        }
        let uses = scratchpad::uses(kernel);
        if uses.iter().all(|at| at.most <= limit) {
            return Vec::new();
        }
        let uses = uses.into_iter().map(|at| (ir::op_key(at.op), at));
        let uses: FxHashMap<OpKey, scratchpad::Use<'p>> = uses.collect();
        let demand = |first: Op<'p>, last: Op<'p>| {
            let mut most = 0;
            let ops = std::iter::successors(Some(first), |op| {
                (*op != last).then(|| op.next_in_block())?
            });
            for op in ops {
                collect(op, &mut |op| {
                    let at = uses.get(&ir::op_key(op));
                    most = most.max(at.map_or(0, |at| at.most));
                });
            }
            let before = uses[&ir::op_key(first)].before;
            Demand { before, most }
        };
        let demands = self
            .runs
            .iter()
            .map(|(op, first, last)| (*op, demand(*first, *last)));
        demands.filter(|(_, demand)| demand.most > limit).collect()
    }
}

/// The bytes of a scratchpad around an operation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Demand {
    /// The bytes of values that are there before it.
    pub before: u64,
    /// The most bytes at a time.
    pub most: u64,
}

/// Visits an operation and the operations inside.
fn collect<'p>(op: Op<'p>, visit: &mut impl FnMut(Op<'p>)) {
    visit(op);
    for inner in ir::blocks(op).flat_map(ir::operations) {
        collect(inner, visit);
    }
}

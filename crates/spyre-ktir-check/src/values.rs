//! The loops that a stored value depends on.
//!
//! A value that is computed from the same memory in each iteration is the same in each of them. Memory that the kernel
//! stores may be another one.

use melior::ir::BlockLike;
use melior::ir::operation::OperationLike;
use rustc_hash::FxHashSet;
use spyre_mlir_rt::ir::{self, Op, Source, Val, value_key};
use spyre_ods::{func, ktdp, scf};
use spyre_proof::program::LoopId;

use crate::kernel::{Access, Kernel, Kind};
use crate::memory::placed;

/// The operands of a loop before the tensors that it carries: bounds and step.
const BOUNDS: usize = 3;

/// Returns the loops whose iteration the value of a store depends on; `None` if that is not known.
pub(crate) fn loops_of<'p>(kernel: &Kernel<'p>, store: &Access<'p>) -> Option<Vec<LoopId>> {
    let mut walk = Walk {
        kernel,
        loops: Vec::new(),
        open: vec![ir::operand(store.op, 0)?],
        seen: FxHashSet::default(),
    };
    while let Some(value) = walk.open.pop() {
        if walk.seen.insert(value_key(value)) {
            walk.follow(value)?;
        }
    }
    Some(walk.loops)
}

struct Walk<'a, 'p> {
    kernel: &'a Kernel<'p>,
    loops: Vec<LoopId>,
    open: Vec<Val<'p>>,
    seen: FxHashSet<ir::ValueKey>,
}

impl<'p> Walk<'_, 'p> {
    /// Adds what a value is computed from.
    fn follow(&mut self, value: Val<'p>) -> Option<()> {
        match ir::source(value) {
            Source::Argument(block, number) => {
                let parent = block.parent_operation()?;
                match ir::name(parent) {
                    scf::FOR => {
                        let place = self.kernel.loops.iter().position(|it| *it == parent)?;
                        self.loops.push(LoopId::new(place));
                        match number.checked_sub(1) {
                            Some(number) => self.carried(parent, number),
                            None => self.bounds(parent),
                        }
                    }
                    func::FUNC => Some(()),
                    // The elements of the operands of a structured operation.
                    name if name.starts_with("linalg.") => Some(()),
                    _ => None,
                }
            }
            Source::Result(op, number) => match ir::name(op) {
                scf::FOR => {
                    self.bounds(op)?;
                    self.carried(op, number)
                }
                scf::IF => None,
                ktdp::LOAD => {
                    self.unchanged(op)?;
                    self.operands(op)
                }
                _ => self.operands(op),
            },
        }
    }

    fn bounds(&mut self, op: Op<'p>) -> Option<()> {
        for number in 0..BOUNDS {
            self.open.push(ir::operand(op, number)?);
        }
        Some(())
    }

    /// Adds the first and the next value that a loop carries.
    fn carried(&mut self, op: Op<'p>, number: usize) -> Option<()> {
        self.open.push(ir::operand(op, BOUNDS + number)?);
        let end = ir::operations(ir::body(op)?).last()?;
        self.open.push(ir::operand(end, number)?);
        Some(())
    }

    /// Adds the operands of an operation, and of the operations in it.
    fn operands(&mut self, op: Op<'p>) -> Option<()> {
        for number in 0..op.operand_count() {
            self.open.push(ir::operand(op, number)?);
        }
        for inner in ir::blocks(op).flat_map(ir::operations) {
            self.operands(inner)?;
        }
        Some(())
    }

    /// Returns whether the kernel does not store what a load is of.
    fn unchanged(&self, load: Op<'p>) -> Option<()> {
        for access in self.kernel.accesses.iter().filter(|it| it.op == load) {
            let buffer = placed(self.kernel, access).ok()?.layout.buffer;
            for other in &self.kernel.accesses {
                if other.kind == Kind::Store
                    && placed(self.kernel, other).ok()?.layout.buffer == buffer
                {
                    return None;
                }
            }
        }
        Some(())
    }
}

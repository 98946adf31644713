//! Refuses places that overlap while both values in them are needed.
//!
//! A buffer is the one place of a value, of the iteration arguments that carry it, and of all values inserted into it.
//! It is needed from its first write to its last read. If it is written outside of a loop and used inside, it is needed
//! for all of the loop. Two buffers with a common byte may not be needed at one time, except that an operation may
//! write exactly over an operand that has no later use.
//!
//! Planning finds places that keep this rule. Places that are written by hand may break it.

use std::collections::BTreeMap;
use std::ops::Range;

use melior::ir::operation::OperationLike;
use melior::ir::{Location, ValueLike};
use rustc_hash::FxHashMap;
use spyre_analysis::division::per_core;
use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::view;
use spyre_analysis::walk::{Carried, carried, started_from};
use spyre_dialects::attr::Place;
use spyre_dialects::device_op::{DeviceOp, EmptyOp};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind, Source, Val};
use spyre_plan::DisjointSets;

use super::error;
use super::window::inserted;

/// Checks the places of a function that has a form in a bundle.
pub(super) fn check<'p>(types: &TensorTypes<'p>, body: Blk<'p>) -> Result<(), Diagnostic<'p>> {
    let mut walk = Walk {
        types,
        next_step: 1,
        loops: Vec::new(),
        path: Vec::new(),
        ids: FxHashMap::default(),
        buffers: Vec::new(),
        same: DisjointSets::default(),
    };
    walk.block(body)?;
    let mut buffers = walk.buffers();
    buffers.sort_by_key(|buffer| buffer.needed.start);
    let mut live: BTreeMap<(u64, u64), &Buffer<'p>> = BTreeMap::new();
    for buffer in &buffers {
        let (space, bytes) = (buffer.space, &buffer.bytes);
        // Live ones are apart, so only the last ones that start before the end of this one can reach into it.
        let reached: Vec<(u64, u64)> = live
            .range((space, 0)..(space, bytes.end))
            .rev()
            .take_while(|(_, other)| other.bytes.end > bytes.start)
            .map(|(key, _)| *key)
            .collect();
        for key in reached {
            let other = live[&key];
            let is_over = other.needed.end <= buffer.needed.start;
            let takes_over = other.bytes == *bytes && other.needed.end == buffer.needed.start + 1;
            if !is_over && !takes_over {
                return Err(clash(buffer, other));
            }
            live.remove(&key);
        }
        live.insert((space, bytes.start), buffer);
    }
    Ok(())
}

fn clash<'p>(buffer: &Buffer<'p>, other: &Buffer<'p>) -> Diagnostic<'p> {
    let size = |buffer: &Buffer<'p>| buffer.bytes.end - buffer.bytes.start;
    let message = match buffer.place {
        Place::Arg(_) => format!(
            "is written to {}, over a value that is read later",
            buffer.place
        ),
        _ => format!(
            "is written to {}, {} bytes, over a value in {}, {} bytes, that is read later",
            buffer.place,
            size(buffer),
            other.place,
            size(other),
        ),
    };
    Diagnostic::error(
        buffer.location,
        format!(
            "convert-spyre-to-sdscbundle: {message}; --spyre-scratchpad-planning finds places apart"
        ),
    )
    .note(other.location, "the value is defined here")
}

/// The steps in which an untouched buffer is needed: none.
const NEVER: Range<u32> = Range {
    start: u32::MAX,
    end: 0,
};

/// A place, and the steps in which it is needed.
struct Buffer<'p> {
    place: Place,
    /// The memory: 0 for LX, 1 for the pool, and one number from 2 on for each argument.
    space: u64,
    bytes: Range<u64>,
    /// The steps from the first write to one past the last read.
    needed: Range<u32>,
    /// The location of the producer of the first value in it.
    location: Location<'p>,
}

/// The argument or operation that defines a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Maker {
    Argument(usize),
    Operation(ir::OpKey),
}

/// The state of a buffer during the walk.
struct Known<'p> {
    buffer: Buffer<'p>,
    /// The loops around its producer, outermost first.
    path: Vec<usize>,
    /// The outermost loops in which it is used, but not defined.
    used_in: Vec<usize>,
}

struct Walk<'r, 'p> {
    types: &'r TensorTypes<'p>,
    next_step: u32,
    /// The steps of each loop.
    loops: Vec<Range<u32>>,
    /// The loops around the current operation, outermost first.
    path: Vec<usize>,
    ids: FxHashMap<Maker, usize>,
    buffers: Vec<Known<'p>>,
    /// The numbers of the buffers, with equal buffers in one set.
    same: DisjointSets,
}

impl<'p> Walk<'_, 'p> {
    fn block(&mut self, block: Blk<'p>) -> Result<(), Diagnostic<'p>> {
        for op in ir::operations(block) {
            let step = self.next_step;
            self.next_step += 1;
            match ir::kind(op) {
                OpKind::For => self.carried(op, step)?,
                OpKind::Return => {
                    for value in op.operands() {
                        self.touch(op, value, step)?;
                    }
                }
                // The buffer is defined here, regardless of its first use.
                _ if EmptyOp::cast(op).is_some() => {
                    let result = op.result(0).map_err(|err| error(op, err))?;
                    self.buffer(op, result.into())?;
                }
                _ if DeviceOp::cast(op).is_some() => {
                    for value in op.operands() {
                        self.touch(op, value, step)?;
                    }
                    let result = op.result(0).map_err(|err| error(op, err))?;
                    self.touch(op, result.into(), step)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Walks a loop. Its iteration arguments share their buffers with the initial and the yielded values.
    fn carried(&mut self, op: Op<'p>, step: u32) -> Result<(), Diagnostic<'p>> {
        let body = ir::body(op).expect("a loop has a body");
        if ir::constant_operand(op, 1).is_some_and(|upper| upper <= 0) {
            // The loop has no iterations.
            return Ok(());
        }
        let carried: Vec<Carried<'p>> = carried(op).collect();
        for value in &carried {
            self.touch(op, value.init, step)?;
        }
        let index = self.loops.len();
        self.loops.push(step..step);
        self.path.push(index);
        for value in &carried {
            self.touch(op, value.init, step)?;
        }
        self.block(body)?;
        let end = self.next_step;
        for value in carried {
            let (from, to) = (
                self.buffer(op, value.init)?,
                self.buffer(op, value.yielded)?,
            );
            self.same.unite(from, to);
        }
        self.path.pop();
        self.loops[index].end = end;
        Ok(())
    }

    /// Notes that an operation reads or writes the buffer of a value.
    fn touch(&mut self, user: Op<'p>, value: Val<'p>, step: u32) -> Result<(), Diagnostic<'p>> {
        let id = self.buffer(user, value)?;
        let entry = &mut self.buffers[id];
        let needed = &mut entry.buffer.needed;
        *needed = needed.start.min(step)..needed.end.max(step + 1);
        let outside = entry.path.iter().zip(&self.path);
        let shared = outside
            .take_while(|(maker_loop, user_loop)| maker_loop == user_loop)
            .count();
        if let Some(used_in) = self.path.get(shared)
            && !entry.used_in.contains(used_in)
        {
            entry.used_in.push(*used_in);
        }
        Ok(())
    }

    /// Returns the number of the buffer that a value is in, which is added if it is new.
    fn buffer(&mut self, user: Op<'p>, value: Val<'p>) -> Result<usize, Diagnostic<'p>> {
        let mut value = value;
        let operand = |op: Op<'p>, index| op.operand(index).map_err(|err| error(op, err));
        let (maker, place, writer) = loop {
            if let Some(start) = started_from(value) {
                value = start;
                continue;
            }
            match ir::source(value) {
                Source::Argument(_, index) => {
                    let number = u32::try_from(index).map_err(|err| error(user, err))?;
                    break (Maker::Argument(index), Place::Arg(number), None);
                }
                Source::Result(op, _) => match ir::kind(op) {
                    OpKind::InsertSlice => value = operand(op, 1)?,
                    OpKind::ExtractSlice => value = operand(op, 0)?,
                    _ if view::is_view(op) => value = operand(op, 0)?,
                    _ => {
                        let device = DeviceOp::cast(op);
                        let place = match device {
                            Some(device) => device.place(),
                            None => EmptyOp::cast(op).and_then(EmptyOp::place),
                        };
                        match place {
                            Some(Place::Window) => {
                                value = operand(inserted(op, "convert-spyre-to-sdscbundle")?, 1)?
                            }
                            Some(place) => {
                                break (Maker::Operation(ir::op_key(op)), place, device);
                            }
                            None => return Err(error(user, "reads a value that has no place")),
                        }
                    }
                },
            }
        };
        if let Some(id) = self.ids.get(&maker) {
            return Ok(*id);
        }
        let ty = self.types.get(value.r#type());
        let bytes = ty.map_err(|err| error(user, err))?.device.bytes();
        let (space, start) = match place {
            Place::Lx(address) => (0, address.get()),
            Place::Pool(offset) => (1, offset.get()),
            Place::Arg(number) => (2 + u64::from(number), 0),
            Place::Window => unreachable!("a window is in what it is inserted into"),
        };
        let size = match (place, writer) {
            (Place::Lx(_), Some(writer)) => per_core(writer, bytes),
            _ => bytes,
        };
        let end = start
            .checked_add(size.get())
            .ok_or_else(|| error(user, format!("{size} from {place} are out of range")))?;
        let (path, needed) = match maker {
            // Arguments hold their values from the start.
            Maker::Argument(_) => (Vec::new(), 0..0),
            Maker::Operation(_) => (self.path.clone(), NEVER),
        };
        let id = self.same.push();
        self.ids.insert(maker, id);
        self.buffers.push(Known {
            buffer: Buffer {
                place,
                space,
                bytes: start..end,
                needed,
                location: value.location(),
            },
            path,
            used_in: Vec::new(),
        });
        Ok(id)
    }

    /// Returns the buffers that are needed in some step, with equal buffers merged.
    fn buffers(self) -> Vec<Buffer<'p>> {
        let first: Vec<usize> = (0..self.buffers.len())
            .map(|id| self.same.first(id))
            .collect();
        let mut merged: Vec<Option<Buffer<'p>>> = Vec::with_capacity(first.len());
        for (entry, first) in self.buffers.into_iter().zip(first) {
            let mut buffer = entry.buffer;
            for used_in in entry.used_in {
                let around = &self.loops[used_in];
                let needed = &buffer.needed;
                buffer.needed = needed.start.min(around.start)..needed.end.max(around.end);
            }
            match merged.get_mut(first) {
                Some(Some(whole)) => {
                    let (a, b) = (&whole.needed, &buffer.needed);
                    whole.needed = a.start.min(b.start)..a.end.max(b.end);
                    let (a, b) = (&whole.bytes, &buffer.bytes);
                    whole.bytes = a.start.min(b.start)..a.end.max(b.end);
                    merged.push(None);
                }
                _ => merged.push(Some(buffer)),
            }
        }
        let buffers = merged.into_iter().flatten();
        buffers
            .filter(|buffer| buffer.needed.start < buffer.needed.end)
            .collect()
    }
}

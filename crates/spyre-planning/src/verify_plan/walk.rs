//! Executes a planned function on a memory of writers.

mod sticks;

use melior::Context;
use melior::ir::ValueLike;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use rustc_hash::FxHashMap;
use spyre_analysis::spans::too_wide;
use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::view;
use spyre_analysis::walk::{self, Carried};
use spyre_dialects::attr::{self, Place};
use spyre_dialects::device_op::{DeviceOp, EmptyOp, WalkedDim};
use spyre_dialects::names::PLACE;
use spyre_layout::Bytes;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Offset, Op, OpKind, Source, Val};
use spyre_ods::spyre;
use spyre_plan::Target;

use super::memory::{Foreign, Memory, Region, Space};
use super::{Rule, broken, reach, slices};

/// The most cores that a core of a relayout reads from (contract, K67).
const MOST_SOURCES: u64 = 8;

/// A tensor that has a place.
#[derive(Clone)]
struct Buffer<'p> {
    /// The number of its writer in the memory.
    writer: usize,
    region: Region,
    /// The operation that defines it; `None` for an argument.
    maker: Option<Op<'p>>,
    /// The value that fills the buffer.
    whole: Val<'p>,
}

/// A value, or the part of one, that an operation reads.
struct Seen<'p> {
    buffer: Buffer<'p>,
    /// The value that the buffer must hold; `None` for a window that was written into it.
    version: Option<Val<'p>>,
    /// Views between the value and the operation, the last one first.
    views: Vec<Op<'p>>,
    /// The slice between the value and the operation, if there is one.
    slice: Option<Op<'p>>,
}

/// The contents of a buffer.
struct Contents<'p> {
    /// The value that fills the buffer.
    version: Val<'p>,
    /// Insertions that come after `version` and have been executed already. Their windows are disjoint from the windows of
    /// the insertions between.
    ahead: Vec<Op<'p>>,
}

/// The state of the execution.
pub(super) struct Walk<'p> {
    types: TensorTypes<'p>,
    target: Target,
    memory: Memory,
    /// The buffers of values that have one, by [`ir::value_key`].
    buffers: FxHashMap<ir::ValueKey, Buffer<'p>>,
    /// The contents of each buffer, by its writer.
    contents: FxHashMap<usize, Contents<'p>>,
    /// The operations of the writers; `None` for arguments.
    writers: Vec<Option<Op<'p>>>,
    /// The bytes of the function's arguments, and then of its results; 0 if it is no tensor.
    arguments: Vec<Bytes>,
    reads: usize,
}

impl<'p> Contents<'p> {
    /// Notes that an operation has written the window of an insertion.
    fn write(&mut self, op: Op<'p>, insert: Op<'p>) -> Checked<'p> {
        if into(insert) == self.version {
            self.version = after(insert);
            while let Some(next) = self.ahead.iter().position(|op| into(*op) == self.version) {
                self.version = after(self.ahead.swap_remove(next));
            }
            return Ok(());
        }
        // The insertions between are still to be written.
        let mut value = into(insert);
        while value != self.version {
            let Some(between) =
                ir::defining_op(value).filter(|op| ir::kind(*op) == OpKind::InsertSlice)
            else {
                // The insertion belongs to another tensor, and every later read of this one is reported.
                self.version = after(insert);
                self.ahead.clear();
                return Ok(());
            };
            if !self.ahead.contains(&between) && !are_apart(between, insert) {
                let message = "operation writes a window before one that is inserted first, and lies over it, is written";
                return Err(broken(Rule::Contents, op, message)
                    .note(between.location(), "that one is inserted here"));
            }
            value = into(between);
        }
        self.ahead.push(insert);
        Ok(())
    }
}

/// Returns the tensor that an insertion inserts into.
fn into<'p>(insert: Op<'p>) -> Val<'p> {
    ir::operand(insert, 1).expect("an insertion has a tensor")
}

/// Returns the tensor after an insertion.
fn after<'p>(insert: Op<'p>) -> Val<'p> {
    ir::result(insert, 0).expect("an insertion has a result")
}

/// Returns whether the windows of two insertions into a tensor, or slices of it, have no element in common, whatever the program
/// computes.
fn are_apart(one: Op<'_>, other: Op<'_>) -> bool {
    let (Some(one), Some(other)) = (ir::window(one), ir::window(other)) else {
        return false;
    };
    (0..one.sizes.len()).any(|dim| match (one.offsets[dim], other.offsets[dim]) {
        (Offset::Static(first), Offset::Static(second)) => {
            first + one.sizes[dim] <= second || second + other.sizes[dim] <= first
        }
        _ => false,
    })
}

type Checked<'p, T = ()> = Result<T, Diagnostic<'p>>;

impl<'p> Walk<'p> {
    pub(super) fn new(context: &'p Context, target: Target) -> Self {
        Self {
            types: TensorTypes::new(context),
            target,
            memory: Memory::default(),
            buffers: FxHashMap::default(),
            contents: FxHashMap::default(),
            writers: Vec::new(),
            arguments: Vec::new(),
            reads: 0,
        }
    }

    /// Checks a function. Returns the number of reads.
    pub(super) fn function(mut self, function: Op<'p>, body: Blk<'p>) -> Checked<'p, usize> {
        for index in 0..body.argument_count() {
            let argument = body.argument(index).expect("the index is below the count");
            let value: Val<'p> = argument.into();
            if !ir::is_ranked_tensor(value.r#type()) {
                continue; // A size or an index has no place.
            }
            let place = ir::argument_attribute(function, index, PLACE).and_then(attr::place);
            let Some(Place::Arg(number)) = place else {
                let message = format!("argument {index} has no place among the arguments");
                return Err(broken(Rule::Place, function, message));
            };
            let bytes = self.bytes(function, value)?;
            let region = Region {
                space: Space::Argument(number),
                bytes: 0..bytes.get(),
            };
            self.begin(value, region, None);
        }
        let end = body.terminator().expect("a function returns");
        for value in ir::arguments(body).chain(end.operands()) {
            let bytes = match ir::is_ranked_tensor(value.r#type()) {
                true => self.bytes(function, value)?,
                false => Bytes::ZERO,
            };
            self.arguments.push(bytes);
        }
        self.block(body)?;
        for (index, value) in end.operands().enumerate() {
            let seen = self.see(end, value)?;
            self.check_contents(end, &seen)?;
            let number = u32::try_from(body.argument_count() + index).ok();
            let space = seen.buffer.region.space;
            if number.map(Space::Argument) != Some(space) || seen.slice.is_some() {
                let message = format!(
                    "result {index} is in {}, and not in its argument, {}",
                    seen.buffer.region,
                    body.argument_count() + index
                );
                return Err(broken(Rule::Carried, end, message));
            }
        }
        Ok(self.reads)
    }

    fn block(&mut self, block: Blk<'p>) -> Checked<'p> {
        for op in ir::operations(block) {
            if let Some(device) = DeviceOp::cast(op) {
                self.device(device)?;
            } else if let Some(empty) = EmptyOp::cast(op) {
                self.empty(empty)?;
            } else {
                match ir::kind(op) {
                    OpKind::For => self.repeat(op)?,
                    OpKind::InsertSlice => self.insert(op)?,
                    // Other operations move no data; their results are resolved where they are read.
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Checks a loop: its body twice, the second time on the state after the first.
    fn repeat(&mut self, op: Op<'p>) -> Checked<'p> {
        let body = ir::body(op).expect("a loop has a body");
        let carried: Vec<(usize, Carried<'p>)> = walk::carried(op)
            .enumerate()
            .filter(|(_, carried)| ir::is_ranked_tensor(carried.result.r#type()))
            .collect();
        let mut buffers = Vec::new();
        for (_, carried) in &carried {
            let seen = self.see(op, carried.init)?;
            self.check_contents(op, &seen)?;
            self.hand_on(carried.inside, seen.buffer.clone());
            buffers.push(seen.buffer);
        }
        let end = body.terminator().expect("a body ends");
        for _ in 0..2 {
            self.block(body)?;
            for ((at, carried), before) in carried.iter().zip(&mut buffers) {
                let seen = self.see(end, carried.yielded)?;
                self.check_contents(end, &seen)?;
                if seen.buffer.region != before.region || seen.slice.is_some() {
                    let message = format!(
                        "value {at} of the loop is yielded in {}, but its initial value is in {}",
                        seen.buffer.region, before.region
                    );
                    return Err(
                        broken(Rule::Carried, end, message).note(op.location(), "the loop is here")
                    );
                }
                *before = seen.buffer;
            }
            // All iteration arguments change at the same time, as in the loop.
            for ((_, carried), buffer) in carried.iter().zip(&buffers) {
                self.hand_on(carried.inside, buffer.clone());
            }
        }
        for ((_, carried), buffer) in carried.into_iter().zip(buffers) {
            self.hand_on(carried.result, buffer);
        }
        Ok(())
    }

    /// Sets the value that a buffer holds to `value`.
    fn hand_on(&mut self, value: Val<'p>, buffer: Buffer<'p>) {
        let contents = Contents {
            version: value,
            ahead: Vec::new(),
        };
        self.contents.insert(buffer.writer, contents);
        self.buffers.insert(ir::value_key(value), buffer);
    }

    /// Writes a new value into a region.
    fn begin(&mut self, value: Val<'p>, region: Region, maker: Option<Op<'p>>) {
        let writer = self.writers.len();
        self.writers.push(maker);
        self.memory.write(&region, writer);
        let buffer = Buffer {
            writer,
            region,
            maker,
            whole: value,
        };
        self.hand_on(value, buffer);
    }

    fn empty(&mut self, empty: EmptyOp<'p>) -> Checked<'p> {
        let op = empty.op();
        let value = ir::result(op, 0).expect("the operation has a result");
        let region = match empty.place() {
            Some(Place::Lx(_)) => {
                let message = "tensor without contents is in LX; only its windows are written";
                return Err(broken(Rule::Moves, op, message));
            }
            Some(Place::Window) | None => {
                return Err(broken(Rule::Place, op, "tensor has no place of its own"));
            }
            Some(place) => self.region(op, place, self.bytes(op, value)?)?,
        };
        self.begin(value, region, Some(op));
        Ok(())
    }

    fn device(&mut self, device: DeviceOp<'p>) -> Checked<'p> {
        let op = device.op();
        self.check_split(device)?;
        let mut operands = Vec::new();
        for (index, value) in op.operands().enumerate() {
            let seen = self.see(op, value)?;
            self.check_read(device, index, value, &seen)?;
            operands.push(seen);
        }
        let value = ir::result(op, 0).expect("a device operation has a result");
        let place = device.place();
        let place = place.ok_or_else(|| broken(Rule::Place, op, "operation has no place"))?;
        if place == Place::Window {
            return self.window(device, &operands);
        }
        let bytes = self.bytes(op, value)?;
        let size = match place {
            Place::Lx(_) => Bytes(bytes.get().div_ceil(result_parts(device))),
            _ => bytes,
        };
        let region = self.region(op, place, size)?;
        self.check_relayout(device, &operands, &region)?;
        if region.space == Space::Lx {
            if is_restickify(op) {
                let message = "operation works in device memory, and its result is in LX";
                return Err(broken(Rule::Moves, op, message));
            }
        } else {
            self.check_span(device, op.operand_count(), value, value)?;
        }
        for (index, seen) in operands.iter().enumerate() {
            if seen.buffer.region.meets(&region) {
                let same = seen.buffer.region.bytes.start == region.bytes.start
                    && seen.slice.is_none()
                    && seen.views.is_empty();
                self.check_in_place(device, index, same, &region)?;
            }
        }
        self.begin(value, region, Some(op));
        Ok(())
    }

    /// Checks a relayout, which has written a region.
    fn check_relayout(
        &self,
        device: DeviceOp<'p>,
        operands: &[Seen<'p>],
        region: &Region,
    ) -> Checked<'p> {
        let op = device.op();
        let Some((from, to)) = slices::sides(device) else {
            return Ok(());
        };
        let source = operands.iter().map(|seen| &seen.buffer.region);
        if let Some(other) = source
            .chain([region])
            .find(|candidate| candidate.space != Space::Lx)
        {
            let message = format!("relayout is between scratchpads, and one side is in {other}");
            return Err(broken(Rule::Relayout, op, message));
        }
        let (senders, getters, cores) = (from.cores(), to.cores(), u64::from(self.target.cores));
        if senders > cores || getters > cores || !getters.is_multiple_of(senders) {
            let message = format!(
                "relayout is from {senders} cores to {getters} of {cores}; the latter must be a multiple of the former"
            );
            return Err(broken(Rule::Relayout, op, message));
        }
        let value = ir::result(op, 0).expect("a device operation has a result");
        let ty = self.types.get(value.r#type());
        let ty = ty.map_err(|err| broken(Rule::Place, op, err))?;
        let [(fewest, reads), (least, sends)] = slices::fan(&from, &to, ty.shape());
        if reads > MOST_SOURCES || fewest != reads || least != sends {
            let message = format!(
                "cores of the relayout read from {fewest} to {reads} cores and are read by {least} to {sends}; all must be equal, with reads \
                 from at most {MOST_SOURCES}"
            );
            return Err(broken(Rule::Relayout, op, message));
        }
        Ok(())
    }

    /// Writes the window of a tensor.
    fn window(&mut self, device: DeviceOp<'p>, operands: &[Seen<'p>]) -> Checked<'p> {
        let op = device.op();
        let value = ir::result(op, 0).expect("a device operation has a result");
        let insert = inserted(op)?;
        let buffer = self.see(op, into(insert))?.buffer;
        self.check_owned(op, &buffer)?;
        if buffer.region.space == Space::Lx {
            let message = "operation writes a window of a tensor in LX";
            return Err(broken(Rule::Moves, op, message));
        }
        self.check_span(device, op.operand_count(), value, buffer.whole)?;
        self.check_last_stick(op, insert)?;
        for (index, seen) in operands.iter().enumerate() {
            if seen.buffer.region == buffer.region {
                let same = seen.slice.is_some_and(|slice| {
                    let window = ir::window(slice);
                    window.is_some() && window == ir::window(insert)
                });
                let beside = seen.slice.is_some_and(|slice| are_apart(slice, insert));
                if beside && seen.views.is_empty() {
                    continue; // It reads elsewhere in the tensor.
                }
                let same = same && seen.views.is_empty();
                self.check_in_place(device, index, same, &buffer.region)?;
            }
        }
        let contents = self.contents.get_mut(&buffer.writer);
        contents
            .expect("every buffer holds a value")
            .write(op, insert)
    }

    /// Checks an insertion. Its value has been written.
    fn insert(&mut self, op: Op<'p>) -> Checked<'p> {
        let value = ir::operand(op, 0).expect("an insertion has a value");
        let maker = ir::defining_op(value).and_then(DeviceOp::cast);
        match maker.map(|maker| maker.place()) {
            Some(Some(Place::Window)) => Ok(()),
            _ => Err(broken(
                Rule::Place,
                op,
                "nothing writes the value into this window",
            )),
        }
    }

    /// Returns where a value is.
    fn see(&self, reader: Op<'p>, value: Val<'p>) -> Checked<'p, Seen<'p>> {
        let (mut views, mut slice) = (Vec::new(), None);
        let mut version = None;
        let mut at = value;
        loop {
            if let Some(buffer) = self.buffers.get(&ir::value_key(at)) {
                return Ok(Seen {
                    buffer: buffer.clone(),
                    version: Some(version.unwrap_or(at)),
                    views,
                    slice,
                });
            }
            let Source::Result(op, _) = ir::source(at) else {
                let message = "operation reads a value that has no place";
                return Err(broken(Rule::Place, reader, message));
            };
            at = match ir::kind(op) {
                OpKind::InsertSlice => {
                    version = version.or(Some(at));
                    ir::operand(op, 1)
                }
                OpKind::ExtractSlice => {
                    slice = Some(op);
                    ir::operand(op, 0)
                }
                _ if view::is_view(op) => {
                    views.push(op);
                    ir::operand(op, 0)
                }
                _ if DeviceOp::cast(op).is_some_and(|op| op.place() == Some(Place::Window)) => {
                    let insert = inserted(op)?;
                    slice = Some(insert);
                    // The tensor may have been updated; its window has not.
                    let seen = self.see(reader, into(insert))?;
                    return Ok(Seen {
                        buffer: seen.buffer,
                        version: None,
                        views,
                        slice,
                    });
                }
                _ => None,
            }
            .ok_or_else(|| {
                let message = "operation reads a value that has no place";
                broken(Rule::Place, reader, message)
                    .note(op.location(), "the value is defined here")
            })?;
        }
    }

    fn check_read(
        &mut self,
        device: DeviceOp<'p>,
        index: usize,
        value: Val<'p>,
        seen: &Seen<'p>,
    ) -> Checked<'p> {
        let op = device.op();
        self.reads += 1;
        self.check_contents(op, seen)?;
        if seen.buffer.region.space != Space::Lx {
            let whole = if seen.views.is_empty() {
                seen.buffer.whole
            } else {
                value
            };
            return self.check_span(device, index, value, whole);
        }
        let maker = seen.buffer.maker.and_then(DeviceOp::cast);
        let maker = maker.expect("only device operations write into LX");
        if is_restickify(op) || device.gathered_dim().is_some() {
            let message = format!("operation works in device memory, and operand {index} is in LX");
            return Err(
                broken(Rule::Moves, op, message).note(maker.op().location(), "it is defined here")
            );
        }
        // Without a split, all slices are on one core.
        let split = device.split();
        let overlaps =
            |walk: &WalkedDim| split.as_ref().is_some_and(|split| split[walk.position] > 1);
        if index == 0 && device.walked_dims().iter().any(overlaps) {
            let message =
                format!("the cores read overlapping windows of operand {index}, which is in LX");
            return Err(
                broken(Rule::Moves, op, message).note(maker.op().location(), "it is defined here")
            );
        }
        if let Some(slice) = seen.slice {
            let message = format!("operand {index} is a window of a tensor in LX");
            return Err(
                broken(Rule::Moves, op, message).note(slice.location(), "the window is here")
            );
        }
        if let Some((core, written, read)) = slices::difference(maker, device, index, &seen.views) {
            let read = read.map_or("no box".to_owned(), |read| format!("{read:?}"));
            let message = format!(
                "core {core} reads {read} of operand {index}, and has {written:?} of it in its LX"
            );
            return Err(
                broken(Rule::Slices, op, message).note(maker.op().location(), "it is defined here")
            );
        }
        Ok(())
    }

    /// Checks that a buffer has not been written over.
    fn check_owned(&self, reader: Op<'p>, buffer: &Buffer<'p>) -> Checked<'p> {
        let Some(foreign) = self.memory.other(&buffer.region, buffer.writer) else {
            return Ok(());
        };
        let message = format!("value in {} has been written over", buffer.region);
        let mut error = broken(Rule::Contents, reader, message);
        if let Some(maker) = buffer.maker {
            error = error.note(maker.location(), "the value is defined here");
        }
        if let Foreign::Writer(writer) = foreign
            && let Some(other) = self.writers[writer]
        {
            error = error.note(other.location(), "this is written over it");
        }
        Err(error)
    }

    fn check_contents(&self, reader: Op<'p>, seen: &Seen<'p>) -> Checked<'p> {
        self.check_owned(reader, &seen.buffer)?;
        let Some(version) = seen.version else {
            return Ok(());
        };
        let contents = self.contents.get(&seen.buffer.writer);
        let contents = contents.expect("every buffer holds a value");
        let now = match contents.ahead.first() {
            Some(ahead) => after(*ahead),
            None if contents.version == version => return Ok(()),
            None => contents.version,
        };
        let message = format!(
            "value in {} has a window that was written later",
            seen.buffer.region
        );
        let error = broken(Rule::Contents, reader, message);
        Err(match ir::defining_op(now) {
            Some(later) => error.note(later.location(), "the window is inserted here"),
            None => error,
        })
    }

    fn check_in_place(
        &self,
        device: DeviceOp<'p>,
        operand: usize,
        same: bool,
        region: &Region,
    ) -> Checked<'p> {
        let op = device.op();
        let result = op.operand_count();
        let read = device.tensor_dims(operand);
        let elementwise = device.reduction_dims() == 0
            && read.iter().all(Option::is_some)
            && read == device.tensor_dims(result);
        let device_of = |value: Option<Val<'p>>| {
            let value = value.expect("operands and results exist");
            self.types.get(value.r#type())
        };
        let alike = match (
            device_of(ir::operand(op, operand)),
            device_of(ir::result(op, 0)),
        ) {
            (Ok(read), Ok(written)) => {
                read.device.layout() == written.device.layout()
                    && read.device.bytes() == written.device.bytes()
            }
            _ => false,
        };
        // Cores of a relayout read the slices of others.
        if same && elementwise && alike && slices::sides(device).is_none() {
            return Ok(());
        }
        let message = format!(
            "operation writes {region} while it reads other elements of operand {operand} there"
        );
        Err(broken(Rule::InPlace, op, message))
    }

    fn check_split(&self, device: DeviceOp<'p>) -> Checked<'p> {
        let op = device.op();
        let Some(split) = device.split() else {
            return Ok(()); // All slices are on one core.
        };
        let core_count = match slices::sides(device) {
            Some((from, to)) => from.cores().max(to.cores()),
            None => slices::cores(&split),
        };
        if core_count > u64::from(self.target.cores) {
            let message = format!(
                "split {split:?} needs {core_count} cores of {}",
                self.target.cores
            );
            return Err(broken(Rule::Split, op, message));
        }
        let kept = split.len() - device.reduction_dims();
        let reduced: Vec<usize> = (kept..split.len()).filter(|dim| split[*dim] > 1).collect();
        match reduced[..] {
            [one, other, ..] => {
                let message = format!(
                    "split {split:?} cuts the reduced dimensions {one} and {other}, and the parts of one are combined"
                );
                return Err(broken(Rule::Split, op, message));
            }
            [one] if device.facts().combiner.is_none() || device.facts().is_whole => {
                let message = format!(
                    "split {split:?} cuts the reduced dimension {one}, and parts of the result are not combined"
                );
                return Err(broken(Rule::Split, op, message));
            }
            _ => {}
        }
        for tensor in 0..=op.operand_count() {
            let value = if tensor < op.operand_count() {
                ir::operand(op, tensor)
            } else {
                ir::result(op, 0)
            };
            let ty = value.expect("operands and results exist").r#type();
            let ty = self
                .types
                .get(ty)
                .map_err(|err| broken(Rule::Place, op, err))?;
            let dims = device.tensor_dims(tensor);
            for (dim, (extent, by)) in ty.shape().iter().zip(dims).enumerate() {
                let cores = by.map_or(1, |by| u64::from(split[by]));
                let each = extent / cores.max(1);
                let is_stick = ty.device.layout().stick_dim() == Some(dim);
                let per_stick = ty.device.format().elements_per_stick().get();
                if cores > 1 && (extent % cores != 0 || is_stick && each % per_stick != 0) {
                    let parts = if extent % cores != 0 {
                        format!("{cores} parts that are not equal")
                    } else {
                        format!("parts of {each}, which are not whole sticks of {per_stick}")
                    };
                    let message = format!(
                        "split {split:?} cuts dimension {dim} of tensor {tensor}, of {extent} elements, into {parts}"
                    );
                    return Err(broken(Rule::Split, op, message));
                }
            }
        }
        Ok(())
    }

    /// Checks the span of a tensor of an operation, which is a part of `whole` in device memory.
    fn check_span(
        &self,
        device: DeviceOp<'p>,
        tensor: usize,
        value: Val<'p>,
        whole: Val<'p>,
    ) -> Checked<'p> {
        let op = device.op();
        let read = |value: Val<'p>| {
            let ty = self.types.get(value.r#type());
            ty.map_err(|err| broken(Rule::Place, op, err))
        };
        let (part, whole) = (read(value)?, read(whole)?);
        let [of_part, of_whole] = [&part, &whole].map(|ty| ty.shape().len());
        if of_part != of_whole {
            let message = format!(
                "tensor {tensor} is a window of rank {of_part} of a tensor of rank {of_whole}, and no descriptor drops \
                 dimensions; --spyre-simplify-views makes it a window and a reshape"
            );
            return Err(broken(Rule::Spans, op, message));
        }
        let split = device.split();
        let dims = device.tensor_dims(tensor);
        let extents: Vec<u64> = part
            .shape()
            .iter()
            .zip(dims)
            .map(|(extent, dim)| match (dim, &split) {
                (Some(dim), Some(split)) => extent.div_ceil(u64::from(split[dim])),
                // No core shares it, or all slices are on one core.
                _ => *extent,
            })
            .collect();
        let span = reach::span(&whole.device, &extents);
        let limit = self.target.span_limit_bytes;
        if span > limit.get() {
            let message = too_wide(span, tensor, limit);
            return Err(broken(Rule::Spans, op, message));
        }
        Ok(())
    }

    /// Returns the region of a place that holds `bytes`.
    fn region(&self, op: Op<'p>, place: Place, bytes: Bytes) -> Checked<'p, Region> {
        let stick = self.target.stick_bytes;
        let (space, start, capacity) = match place {
            Place::Arg(number) => {
                let Some(room) = self.arguments.get(number as usize).copied() else {
                    let message = format!(
                        "value of {bytes} is in argument {number}, and the function has {} arguments and results",
                        self.arguments.len()
                    );
                    return Err(broken(Rule::Capacity, op, message));
                };
                if bytes > room {
                    let message =
                        format!("value of {bytes} is in argument {number}, which has {room}");
                    return Err(broken(Rule::Capacity, op, message));
                }
                let bytes = 0..bytes.get();
                let space = Space::Argument(number);
                return Ok(Region { space, bytes });
            }
            Place::Pool(offset) => (Space::Pool, offset, self.target.pool_bytes()),
            Place::Lx(address) => (Space::Lx, address, self.target.usable_lx()),
            Place::Window => {
                return Err(broken(Rule::Place, op, "tensor is in a window of nothing"));
            }
        };
        if !start.is_multiple_of(stick) {
            let message = format!("place {place} is no multiple of a stick of {stick}");
            return Err(broken(Rule::Alignment, op, message));
        }
        let rounded = bytes
            .round_up_to(stick)
            .and_then(|bytes| start.checked_add(bytes));
        match rounded {
            Some(end) if end <= capacity => Ok(Region {
                space,
                bytes: start.get()..end.get(),
            }),
            _ => {
                let message = format!("value of {bytes} at place {place} ends after {capacity}");
                Err(broken(Rule::Capacity, op, message))
            }
        }
    }

    /// Returns the bytes of a tensor in device memory.
    fn bytes(&self, op: Op<'p>, value: Val<'p>) -> Checked<'p, Bytes> {
        let ty = self.types.get(value.r#type());
        ty.map(|ty| ty.device.bytes())
            .map_err(|err| broken(Rule::Place, op, err))
    }
}

/// Returns the number of parts that the cores cut the result of an operation into.
fn result_parts(device: DeviceOp<'_>) -> u64 {
    let dims = device.tensor_dims(device.op().operand_count());
    let Some(split) = device.split() else {
        return 1; // All slices are on one core.
    };
    let cut = split.iter().enumerate();
    cut.filter(|(dim, _)| dims.contains(&Some(*dim)))
        .map(|(_, cores)| u64::from(*cores))
        .product()
}

/// Returns the insertion of the result of an operation that is placed in a window.
fn inserted(op: Op<'_>) -> Checked<'_, Op<'_>> {
    let value = ir::result(op, 0).expect("a device operation has a result");
    let inserts: Vec<_> = ir::uses(value)
        .into_iter()
        .filter(|usage| ir::kind(usage.owner) == OpKind::InsertSlice && usage.operand == 0)
        .collect();
    match inserts[..] {
        [insert] => Ok(insert.owner),
        _ => {
            let message = format!(
                "value is in a window, and is inserted into {} tensors",
                inserts.len()
            );
            Err(broken(Rule::Place, op, message))
        }
    }
}

fn is_restickify(op: Op<'_>) -> bool {
    op.name().as_string_ref().as_str() == Ok(spyre::RESTICKIFY)
}

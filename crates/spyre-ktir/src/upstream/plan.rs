//! A planned function as stages of the flavour. Everything is decided here, so that building cannot fail.

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{Location, Type, TypeLike};
use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::walk::trip_count;
use spyre_dialects::attr::Place;
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::spyreop_type::fused_of;
use spyre_layout::Arrangement;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind};
use spyre_ods::spyreop;

use super::axes::{self, Axis, Index, Key};
use super::limits::Label;
use super::nest::{self, Surface};
use super::recipes::{self, Recipe};
use super::refuse;
use crate::division::Digit;
use crate::plan as portable;
use crate::step;

/// A buffer in device memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Buffer {
    /// An input or a result, by its number.
    Argument(u32),
    /// A value in the pool, at an offset in bytes.
    Pool(u64),
}

/// The part of a buffer that a stage loads or stores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Access<'p> {
    pub buffer: Buffer,
    /// The type of an element of the view.
    pub element: Type<'p>,
    /// The extents of the view.
    pub sizes: Vec<u64>,
    /// The distances of neighbours in the view, in elements.
    pub strides: Vec<u64>,
    /// The extents of the tile.
    pub counts: Vec<u64>,
    /// The first position of the tile.
    pub indices: Vec<Index>,
}

impl<'p> Access<'p> {
    fn new(buffer: Buffer, element: Type<'p>, axes: &[Axis]) -> Self {
        Self {
            buffer,
            element,
            sizes: axes.iter().map(|axis| axis.size).collect(),
            strides: axes.iter().map(|axis| axis.stride).collect(),
            counts: axes.iter().map(|axis| axis.count).collect(),
            indices: axes.iter().map(|axis| axis.index.clone()).collect(),
        }
    }

    /// Returns whether two accesses have one view.
    pub(crate) fn has_view_of(&self, other: &Self) -> bool {
        (self.buffer, &self.sizes, &self.strides) == (other.buffer, &other.sizes, &other.strides)
            && self.element == other.element
    }
}

/// A device operation.
#[derive(Debug, Clone)]
pub(crate) struct Stage<'p> {
    pub device: Op<'p>,
    pub recipe: Recipe,
    pub surface: Surface,
    pub operands: Vec<Access<'p>>,
    pub result: Access<'p>,
}

/// A stage, or a loop around stages.
#[derive(Debug, Clone)]
pub(crate) enum Step<'p> {
    Stage(Box<Stage<'p>>),
    Loop {
        location: Location<'p>,
        trip: u64,
        body: Vec<Step<'p>>,
    },
}

/// A kernel.
#[derive(Debug)]
pub(crate) struct Plan<'p> {
    /// The cores that run the kernel.
    pub cores: u32,
    /// The digits of the number of a core.
    pub digits: Vec<Digit>,
    /// The number of inputs and results.
    pub arguments: usize,
    /// The bytes of the pool; 0 for none.
    pub pool_bytes: u64,
    pub steps: Vec<Step<'p>>,
    /// The number of device operations.
    pub operations: usize,
}

impl<'p> Plan<'p> {
    /// Reads a kernel.
    ///
    /// # Errors
    /// An operation or a construct has no form.
    pub(crate) fn of(
        context: &'p Context,
        types: &TensorTypes<'p>,
        kernel: Op<'p>,
        body: Blk<'p>,
    ) -> Result<Self, Diagnostic<'p>> {
        let shared = portable::Plan::of(types, kernel, body)?;
        if let Some(op) = shared.launches.first() {
            let message = "a core reads or writes device memory that another one writes";
            return Err(refuse(*op, Label::Exchange, message));
        }
        let mut reader = Reader {
            context,
            shared: &shared,
            trips: Vec::new(),
            digits: Vec::new(),
        };
        let steps = reader.block(body)?;
        Ok(Self {
            cores: shared.cores,
            digits: reader.digits,
            arguments: shared.arguments,
            pool_bytes: shared.pool_bytes,
            steps,
            operations: shared.operations(),
        })
    }
}

struct Reader<'r, 'p> {
    context: &'p Context,
    shared: &'r portable::Plan<'p>,
    trips: Vec<u64>,
    digits: Vec<Digit>,
}

impl<'p> Reader<'_, 'p> {
    fn block(&mut self, block: Blk<'p>) -> Result<Vec<Step<'p>>, Diagnostic<'p>> {
        let mut steps = Vec::new();
        for op in ir::operations(block) {
            if let Some(device) = DeviceOp::cast(op) {
                steps.push(Step::Stage(Box::new(self.stage(device)?)));
            } else if ir::kind(op) == OpKind::For {
                let trip = trip_count(op).expect("the loop was checked").unsigned_abs();
                self.trips.push(trip);
                let body = self.block(ir::body(op).expect("a loop has a body"))?;
                self.trips.pop();
                steps.push(Step::Loop {
                    location: op.location(),
                    trip,
                    body,
                });
            }
        }
        Ok(steps)
    }

    fn stage(&mut self, device: DeviceOp<'p>) -> Result<Stage<'p>, Diagnostic<'p>> {
        let op = device.op();
        let recipe = recipes::recipe(device)?;
        let step = self.shared.step(op);
        let element = step.tensors[0].operand.buffer.element;
        recipes::check_element(self.context, op, recipe, element)?;
        let refused = |(label, message): axes::Reason| refuse(op, label, message);
        let mut all = Vec::with_capacity(step.tensors.len());
        for (number, tensor) in step.tensors.iter().enumerate() {
            let dims = device.tensor_dims(number);
            all.push(axes::axes(tensor, &dims, &self.trips).map_err(refused)?);
        }
        for axis in all.iter().flatten() {
            if let Some((digit, _)) = axis.index.digit
                && !self.digits.contains(&digit)
            {
                self.digits.push(digit);
            }
        }
        let mut result = all.pop().expect("an operation has a result");
        let mut operands = all;
        let surface = if recipe.reduces() {
            check_full(device, step).map_err(refused)?;
            operands.iter_mut().for_each(drop_ones);
            drop_ones(&mut result);
            let parallel = device.iteration_space().len() - device.reduction_dims();
            nest::reduction(&operands[0], &result, parallel).map_err(refused)?
        } else {
            operands.iter_mut().for_each(|axes| nest::read_head(axes));
            nest::pointwise(&operands, &result).map_err(refused)?
        };
        if let (Recipe::Arithmetic(kind), Surface::Generic(_)) = (recipe, &surface)
            && element.is_integer()
            && kind.intrinsic.is_none()
        {
            let message = "an operand is smaller than the result, and the scheduler has no difference of integers";
            return Err(refuse(op, Label::Broadcast, message));
        }
        let access = |number: usize, axes: &[Axis]| {
            let operand = &step.tensors[number].operand;
            let buffer = match operand.place {
                Place::Arg(number) => Buffer::Argument(number),
                Place::Pool(offset) => Buffer::Pool(offset.get()),
                Place::Lx(_) | Place::Window => unreachable!("places were checked"),
            };
            let is_pair = operand.view.layout().arrangement() == Arrangement::Exx2;
            let element = match is_pair && recipe != Recipe::Intrinsic(spyreop::LAYERNORMNORM) {
                true => fused_of(element).expect("element types were checked"),
                false => element,
            };
            Access::new(buffer, element, axes)
        };
        let last = operands.len();
        let operands = operands.iter().enumerate();
        let operands: Vec<_> = operands
            .map(|(number, axes)| access(number, axes))
            .collect();
        let result = access(last, &result);
        check_views(&operands).map_err(refused)?;
        Ok(Stage {
            device: op,
            recipe,
            surface,
            operands,
            result,
        })
    }
}

/// Drops the device dimensions of one position, which a reduction neither reduces nor keeps.
fn drop_ones(axes: &mut Vec<Axis>) {
    if axes.iter().any(|axis| axis.size > 1) {
        axes.retain(|axis| axis.size > 1 || axis.key == Key::Head);
    }
}

/// Checks that a reduction along sticks has no elements after the last one of a row.
fn check_full(device: DeviceOp<'_>, step: &step::Step<'_>) -> Result<(), axes::Reason> {
    let view = &step.tensors[0].operand.view;
    let dims = device.tensor_dims(0);
    let parallel = device.iteration_space().len() - device.reduction_dims();
    let Some(on_stick) = view.layout().stick_dim() else {
        return Ok(());
    };
    let is_reduced = dims[on_stick].is_some_and(|dim| dim >= parallel);
    let stick = view.format().elements_per_stick().get();
    let extent = view.shape()[on_stick];
    if !is_reduced || extent.is_multiple_of(stick) {
        return Ok(());
    }
    let message = format!("rows of {extent} elements end inside of a stick of {stick}");
    Err((Label::PartialStick, message))
}

/// Checks that the operands that are one buffer have one view.
fn check_views(operands: &[Access<'_>]) -> Result<(), axes::Reason> {
    for (number, operand) in operands.iter().enumerate() {
        let mut others = operands[..number].iter();
        let is_other =
            |other: &&Access<'_>| other.buffer == operand.buffer && !other.has_view_of(operand);
        if others.any(|other| is_other(&other)) {
            let message =
                format!("operand #{number} has another view of a buffer than an operand before");
            return Err((Label::Layout, message));
        }
    }
    Ok(())
}

//! Finds the buffer of a value, and the position of its window in each iteration.

use std::rc::Rc;

use melior::ir::ValueLike;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use spyre_analysis::tensor::{TensorType, TensorTypes};
use spyre_analysis::view::{self, WINDOW_NEEDS};
use spyre_analysis::walk::started_from;
use spyre_dialects::attr::Place;
use spyre_dialects::device_op::{DeviceOp, EmptyOp};
use spyre_layout::{Elements, View};
use spyre_mlir_rt::affine::{self, LinearForm};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Offset, Op, OpKind, Source, Val, Window};

/// A loop around an operation.
#[derive(Debug, Clone, Copy)]
pub struct Loop<'p> {
    /// The loop.
    pub op: Op<'p>,
    /// The largest number of its iterations.
    pub count: u64,
    /// The growth of its induction variable in one iteration.
    pub step: u64,
}

/// A number that is affine in the induction variables of the enclosing loops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linear {
    /// The value in the first iteration.
    pub constant: i64,
    /// The growth that each enclosing loop adds in one iteration, outermost first.
    pub steps: Vec<i64>,
}

impl Linear {
    fn constant(constant: i64, depth: usize) -> Self {
        Self {
            constant,
            steps: vec![0; depth],
        }
    }

    fn combine(&self, other: &Self, op: impl Fn(i64, i64) -> Option<i64>) -> Option<Self> {
        let constant = op(self.constant, other.constant)?;
        let steps = self
            .steps
            .iter()
            .zip(&other.steps)
            .map(|(a, b)| op(*a, *b))
            .collect::<Option<_>>()?;
        Some(Self { constant, steps })
    }
}

impl LinearForm for Linear {
    fn add(&self, other: &Self) -> Option<Self> {
        self.combine(other, i64::checked_add)
    }

    fn scale(&self, factor: i64) -> Option<Self> {
        self.combine(self, |value, _| value.checked_mul(factor))
    }

    fn as_constant(&self) -> Option<i64> {
        self.steps
            .iter()
            .all(|step| *step == 0)
            .then_some(self.constant)
    }
}

/// A window of a buffer.
#[derive(Debug, Clone)]
pub struct Operand<'p> {
    /// The place of the buffer; never [`Place::Window`].
    pub place: Place,
    /// The type of the whole buffer.
    pub buffer: Rc<TensorType<'p>>,
    /// The view of the buffer that the operand is in the first iteration of the enclosing loops.
    pub view: View,
    /// The number of device elements by which each enclosing loop moves the operand, outermost first.
    pub advance: Vec<u64>,
    /// For each dimension of the operand, whether the buffer continues after it or begins before it.
    pub is_window: Vec<bool>,
}

impl Operand<'_> {
    /// Returns the extent of a dimension of the operand, in elements.
    pub(super) fn extent(&self, dim: usize) -> u64 {
        self.view.shape().get(dim).copied().unwrap_or(1)
    }

    /// Returns whether a dimension has several positions, in the operand or in the buffer.
    pub(super) fn is_long(&self, dim: usize) -> bool {
        self.extent(dim) != 1 || self.is_window.get(dim).copied().unwrap_or(false)
    }

    /// Returns the number of elements that the buffer has room for along a dimension of the operand.
    pub(super) fn held(&self, dim: usize) -> u64 {
        let places = self.view.layout().device_dims_of(dim);
        let sizes = places.filter_map(|place| self.view.device_size().get(place));
        sizes.product()
    }
}

/// A step on the way from a buffer to an operand.
enum Step<'p> {
    /// A window.
    Slice(Op<'p>, Window<'p>),
    /// Other dimensions for the same bytes, with the shape that it gives.
    Reshape(Op<'p>, view::View, Vec<u64>),
}

/// A search for buffers and windows inside a nest of loops.
pub struct Resolver<'r, 'p> {
    /// The tensor types.
    pub types: &'r TensorTypes<'p>,
    /// The enclosing loops, outermost first.
    pub loops: &'r [Loop<'p>],
    /// The name of the pass, which messages begin with.
    pub pass: &'static str,
}

impl<'p> Resolver<'_, 'p> {
    /// Returns an error of the pass at an operation.
    fn error(&self, op: Op<'p>, message: impl std::fmt::Display) -> Diagnostic<'p> {
        Diagnostic::error(op.location(), format!("{}: {message}", self.pass))
    }

    fn operand(&self, op: Op<'p>, index: usize) -> Result<Val<'p>, Diagnostic<'p>> {
        op.operand(index).map_err(|err| self.error(op, err))
    }

    /// Finds the buffer of a tensor that `user` reads or writes, and its window.
    ///
    /// # Errors
    /// The value has no place, or a window or a view on the way has no form as one.
    pub fn resolve(&self, user: Op<'p>, value: Val<'p>) -> Result<Operand<'p>, Diagnostic<'p>> {
        let (seen, mut value) = (value, value);
        // Windows and views on the way to the buffer, the innermost first.
        let mut steps: Vec<Step<'p>> = Vec::new();
        let place = loop {
            if let Some(start) = started_from(value) {
                value = start;
                continue;
            }
            match ir::source(value) {
                Source::Argument(_, index) => {
                    break Place::Arg(u32::try_from(index).map_err(|err| self.error(user, err))?);
                }
                Source::Result(op, _) => match ir::kind(op) {
                    OpKind::InsertSlice => value = self.operand(op, 1)?,
                    OpKind::ExtractSlice => {
                        steps.push(Step::Slice(op, self.window(op)?));
                        value = self.operand(op, 0)?;
                    }
                    _ if view::is_view(op) => {
                        let shape = self.types.get(value.r#type());
                        let shape = shape.map_err(|err| self.error(op, err))?.shape().to_vec();
                        let view = view::View::of(op).map_err(|err| self.error(op, err))?;
                        steps.push(Step::Reshape(op, view, shape));
                        value = self.operand(op, 0)?;
                    }
                    _ => match self.place(user, op)? {
                        Place::Window => {
                            let insert = inserted(op, self.pass)?;
                            steps.push(Step::Slice(insert, self.window(insert)?));
                            value = self.operand(insert, 1)?;
                        }
                        place => break place,
                    },
                },
            }
        };
        let buffer = self
            .types
            .get(value.r#type())
            .map_err(|err| self.error(user, err))?;
        let mut target = Operand {
            place,
            view: buffer.device.view(),
            advance: vec![0; self.loops.len()],
            is_window: vec![false; buffer.shape().len()],
            buffer,
        };
        for step in steps.iter().rev() {
            match step {
                Step::Slice(op, window) => self.slice(user, *op, window, &mut target)?,
                Step::Reshape(op, view, shape) => {
                    reshape(view, shape, &mut target).map_err(|err| self.error(*op, err))?;
                }
            }
        }
        let seen = self.types.get(seen.r#type());
        let seen = seen.map_err(|err| self.error(user, err))?;
        if target.view.shape() != seen.shape() {
            let message = format!(
                "this is a bug of ours: a tensor of shape {:?} is seen as one of {:?}",
                seen.shape(),
                target.view.shape()
            );
            return Err(self.error(user, message));
        }
        Ok(target)
    }

    /// Returns the offsets of a `tensor.extract_slice` or `tensor.insert_slice`, one for each dimension.
    ///
    /// # Errors
    /// The operation is no window, or an offset is not affine in the enclosing loops.
    pub fn offsets(&self, op: Op<'p>) -> Result<Vec<Linear>, Diagnostic<'p>> {
        let window = self.window(op)?;
        let offsets = window.offsets.iter().enumerate();
        offsets
            .map(|(dim, start)| self.offset(op, dim, *start))
            .collect()
    }

    /// Takes a window of an operand.
    fn slice(
        &self,
        user: Op<'p>,
        op: Op<'p>,
        window: &Window<'p>,
        target: &mut Operand<'p>,
    ) -> Result<(), Diagnostic<'p>> {
        let refused = |message: String| {
            self.error(user, message)
                .note(op.location(), "the window is here")
        };
        let offsets = window.offsets.iter().enumerate();
        let offsets = offsets.map(|(dim, start)| self.offset(op, dim, *start));
        let offsets = offsets.collect::<Result<Vec<_>, _>>()?;
        self.check_inside(op, &window.sizes, &offsets, target.view.shape())?;
        for (level, around) in self.loops.iter().enumerate() {
            for (dim, offset) in offsets.iter().enumerate() {
                let moved = target.advance.get_mut(level).zip(offset.steps.get(level));
                let (advance, &step) = moved.expect("an operand advances with each loop");
                if step != 0 {
                    let elements = distance(&target.view, dim, step, around.count);
                    let moved = elements.map_err(refused)?;
                    let sum = advance.checked_add(moved);
                    let too_far = || format!("window moves out of range along dimension {dim}");
                    *advance = sum.ok_or_else(|| self.error(op, too_far()))?;
                }
            }
        }
        // The window is inside the tensor, so neither starts nor sizes are negative.
        let starts: Vec<u64> = offsets
            .iter()
            .map(|offset| offset.constant.unsigned_abs())
            .collect();
        let sizes: Vec<u64> = window
            .sizes
            .iter()
            .map(|size| size.unsigned_abs())
            .collect();
        for ((is_window, size), extent) in target
            .is_window
            .iter_mut()
            .zip(&sizes)
            .zip(target.view.shape())
        {
            *is_window |= size != extent;
        }
        let steps = vec![1; sizes.len()];
        target.view = target
            .view
            .slice(&starts, &sizes, &steps)
            .map_err(|err| refused(err.to_string()))?;
        Ok(())
    }

    fn place(&self, user: Op<'p>, op: Op<'p>) -> Result<Place, Diagnostic<'p>> {
        let place = match (DeviceOp::cast(op), EmptyOp::cast(op)) {
            (Some(device), _) => device.place(),
            (_, Some(empty)) => empty.place(),
            (None, None) => {
                return Err(self
                    .error(user, "reads a value that has no form in a bundle")
                    .note(op.location(), "the value is defined here"));
            }
        };
        place.ok_or_else(|| {
            self.error(
                op,
                "value has no place; --spyre-scratchpad-planning gives it one",
            )
        })
    }

    fn window(&self, op: Op<'p>) -> Result<Window<'p>, Diagnostic<'p>> {
        let window =
            ir::window(op).ok_or_else(|| self.error(op, format!("window {WINDOW_NEEDS}")))?;
        let small = self.operand(op, 0)?;
        let tile = if ir::kind(op) == OpKind::InsertSlice {
            small.r#type()
        } else {
            op.result(0).map_err(|err| self.error(op, err))?.r#type()
        };
        let tile = self.types.get(tile).map_err(|err| self.error(op, err))?;
        if tile.shape().len() != window.sizes.len() {
            return Err(self.error(
                op,
                format!(
                    "window of rank {} as a tile of rank {} is not supported",
                    window.sizes.len(),
                    tile.shape().len()
                ),
            ));
        }
        Ok(window)
    }

    fn offset(&self, op: Op<'p>, dim: usize, offset: Offset<'p>) -> Result<Linear, Diagnostic<'p>> {
        match offset {
            Offset::Static(value) => Ok(Linear::constant(value, self.loops.len())),
            Offset::Value(value) => self.linear(value).ok_or_else(|| {
                let message =
                    format!("offset along dimension {dim} is not affine in the enclosing loops");
                self.error(op, message)
                    .note(value.location(), "the offset is defined here")
            }),
        }
    }

    /// Returns an index value as a linear function of the loops; `None` if it is not linear.
    fn linear(&self, value: Val<'p>) -> Option<Linear> {
        match ir::source(value) {
            Source::Argument(block, 0) => {
                let parent = block.parent_operation()?;
                let level = self.loops.iter().position(|level| level.op == parent)?;
                let mut linear = Linear::constant(0, self.loops.len());
                linear.steps[level] = i64::try_from(self.loops[level].step).ok()?;
                Some(linear)
            }
            Source::Argument(..) => None,
            Source::Result(op, _) => match ir::kind(op) {
                OpKind::ConstantIndex => {
                    Some(Linear::constant(ir::constant_index(op), self.loops.len()))
                }
                OpKind::AddIndex => self
                    .linear(ir::operand(op, 0)?)?
                    .add(&self.linear(ir::operand(op, 1)?)?),
                OpKind::AffineApply => {
                    let map = ir::affine_map(op)?;
                    let operands = op
                        .operands()
                        .map(|operand| self.linear(operand))
                        .collect::<Option<Vec<_>>>()?;
                    affine::evaluate(map.result(0).ok()?, &operands, map.dim_count(), &|value| {
                        Linear::constant(value, self.loops.len())
                    })
                }
                _ => None,
            },
        }
    }

    /// Checks that the window of every iteration is inside the buffer.
    fn check_inside(
        &self,
        op: Op<'p>,
        sizes: &[i64],
        offsets: &[Linear],
        shape: &[u64],
    ) -> Result<(), Diagnostic<'p>> {
        for (dim, ((size, offset), extent)) in sizes.iter().zip(offsets).zip(shape).enumerate() {
            let (mut low, mut high) = (i128::from(offset.constant), i128::from(offset.constant));
            for (step, level) in offset.steps.iter().zip(self.loops) {
                let travel = i128::from(*step) * i128::from(level.count.saturating_sub(1));
                low += travel.min(0);
                high += travel.max(0);
            }
            high += i128::from(*size);
            if low < 0 || high > i128::from(*extent) {
                return Err(self.error(
                    op,
                    format!(
                        "window covers [{low}, {high}) of dimension {dim}, which has extent {extent}"
                    ),
                ));
            }
        }
        Ok(())
    }
}

/// Returns the number of device elements by which a loop of `count` iterations moves a window along a dimension, if it moves the
/// window by `step` elements.
fn distance(view: &View, dim: usize, step: i64, count: u64) -> Result<u64, String> {
    let step = u64::try_from(step).map_err(|_| {
        format!(
            "window moves by {step} elements along dimension {dim}, but the windows of a bundle move forwards; \
             --spyre-unroll-loops unrolls the loop before"
        )
    })?;
    let span = step.checked_mul(count);
    let span = span.ok_or_else(|| format!("window moves out of range along dimension {dim}"))?;
    // A window may be shorter than a step, and the last one may end where the tensor does.
    let extent = view.tensor().shape().get(dim).copied();
    let span = extent.map_or(span, |extent| span.min(extent));
    let moved = view
        .tensor()
        .level_step_elements(dim, Elements(step), Elements(span));
    moved.map(Elements::get).map_err(|err| err.to_string())
}

/// Takes a permutation or a reshape of an operand.
fn reshape(view: &view::View, shape: &[u64], target: &mut Operand<'_>) -> Result<(), String> {
    let sides: Vec<(bool, u64)> = target
        .is_window
        .iter()
        .copied()
        .zip(target.view.shape().iter().copied())
        .collect();
    // A part of one position does not matter next to longer ones: the merged dimension is a window if one of the longer
    // ones is.
    let join = |parts: &[(bool, u64)]| {
        let mut long = parts.iter().filter(|part| part.1 > 1).peekable();
        match long.peek() {
            Some(_) => (long.any(|part| part.0), 2),
            None => (parts.iter().any(|part| part.0), 1),
        }
    };
    let joined = view.follow(&sides, join);
    target.is_window = joined.into_iter().map(|(is_window, _)| is_window).collect();
    let viewed = view.of_view(&target.view, shape);
    target.view = viewed.map_err(|err| err.to_string())?;
    Ok(())
}

/// Returns the insertion of a value that is computed in place. It is an error if there is none, or more than one.
///
/// # Errors
/// There is no insertion, or more than one.
pub fn inserted<'p>(op: Op<'p>, pass: &str) -> Result<Op<'p>, Diagnostic<'p>> {
    let error = |message: &str| Diagnostic::error(op.location(), format!("{pass}: {message}"));
    let result: Val<'p> = op.result(0).map_err(|err| error(&err.to_string()))?.into();
    let mut inserts = ir::uses(result)
        .into_iter()
        .filter(|usage| ir::kind(usage.owner) == OpKind::InsertSlice && usage.operand == 0)
        .map(|usage| usage.owner);
    match (inserts.next(), inserts.next()) {
        (Some(insert), None) => Ok(insert),
        (None, _) => Err(error(
            "has place window, but it is not inserted into a tensor",
        )),
        (Some(_), Some(second)) => Err(error("has place window, but is inserted twice")
            .note(second.location(), "one of the insertions is here")),
    }
}

//! The buffer behind a value, and where its window is in each iteration.

use std::rc::Rc;

use melior::ir::ValueLike;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use spyre_dialects::attr::Place;
use spyre_dialects::device_op::{DeviceOp, EmptyOp};
use spyre_layout::DeviceTensor;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Offset, Op, OpKind, Source, Val, Window};

use crate::affine::{self, LinearForm};
use crate::tensor::{TensorType, TensorTypes};
use crate::view::{self, View, WINDOW_NEEDS};
use crate::walk::FIRST_INIT;

/// A loop around an operation.
#[derive(Debug, Clone, Copy)]
pub struct Loop<'p> {
    /// The loop.
    pub op: Op<'p>,
    /// The most often that it runs.
    pub count: u64,
    /// By how much its induction variable grows in one iteration.
    pub step: u64,
}

/// A number that is affine in the induction variables of the enclosing loops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linear {
    /// The value in the first iteration.
    pub constant: i64,
    /// What each enclosing loop adds in one iteration, outermost first.
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
    /// Where the buffer is; never [`Place::Window`].
    pub place: Place,
    /// The type of the whole buffer.
    pub buffer: Rc<TensorType<'p>>,
    /// The whole buffer under the dimensions of the operand: the same bytes, perhaps permuted or reshaped.
    pub device: DeviceTensor,
    /// Start of the window along each dimension of `device`, in elements.
    pub offsets: Vec<Linear>,
    /// Extents of the window along each dimension of `device`, in elements.
    pub sizes: Vec<u64>,
}

/// A step on the way from a buffer to an operand.
enum Step<'p> {
    /// A window.
    Slice(Op<'p>, Window<'p>),
    /// Other dimensions for the same bytes, with the shape that it gives.
    View(Op<'p>, View, Vec<u64>),
}

/// Finds buffers and windows inside a nest of loops.
pub struct Resolver<'r, 'p> {
    /// The tensor types.
    pub types: &'r TensorTypes<'p>,
    /// The enclosing loops, outermost first.
    pub loops: &'r [Loop<'p>],
}

fn error<'p>(op: Op<'p>, message: impl std::fmt::Display) -> Diagnostic<'p> {
    Diagnostic::error(
        op.location(),
        format!("convert-spyre-to-sdscbundle: {message}"),
    )
}

impl<'p> Resolver<'_, 'p> {
    /// The buffer of a tensor that `user` reads or writes.
    pub fn resolve(&self, user: Op<'p>, value: Val<'p>) -> Result<Operand<'p>, Diagnostic<'p>> {
        let mut value = value;
        // Windows and views on the way to the buffer, the innermost first.
        let mut steps: Vec<Step<'p>> = Vec::new();
        let place = loop {
            match ir::source(value) {
                Source::Argument(block, index) => {
                    let parent = block
                        .parent_operation()
                        .ok_or_else(|| error(user, "operand has no source"))?;
                    if ir::kind(parent) != OpKind::For {
                        break Place::Arg(u32::try_from(index).map_err(|why| error(user, why))?);
                    }
                    let init = (index + FIRST_INIT)
                        .checked_sub(1)
                        .and_then(|init| parent.operand(init).ok());
                    value = init.ok_or_else(|| error(user, "operand has no source"))?;
                }
                Source::Result(op, index) => match ir::kind(op) {
                    OpKind::For => value = operand(op, FIRST_INIT + index)?,
                    OpKind::InsertSlice => value = operand(op, 1)?,
                    OpKind::ExtractSlice => {
                        steps.push(Step::Slice(op, self.window(op)?));
                        value = operand(op, 0)?;
                    }
                    _ if view::is_view(op) => {
                        let shape = self.types.get(value.r#type());
                        let shape = shape.map_err(|why| error(op, why))?.shape().to_vec();
                        let view = View::of(op).map_err(|why| error(op, why))?;
                        steps.push(Step::View(op, view, shape));
                        value = operand(op, 0)?;
                    }
                    _ => match self.place(user, op)? {
                        Place::Window => {
                            let insert = inserted(op)?;
                            steps.push(Step::Slice(insert, self.window(insert)?));
                            value = operand(insert, 1)?;
                        }
                        place => break place,
                    },
                },
            }
        };
        let buffer = self
            .types
            .get(value.r#type())
            .map_err(|why| error(user, why))?;
        let mut region = Region {
            sizes: buffer.shape().to_vec(),
            offsets: vec![Linear::constant(0, self.loops.len()); buffer.shape().len()],
            device: buffer.device.clone(),
            depth: self.loops.len(),
        };
        for step in steps.iter().rev() {
            match step {
                Step::Slice(op, window) => self.slice(*op, window, &mut region)?,
                Step::View(op, view, shape) => {
                    region.view(view, shape).map_err(|why| error(*op, why))?
                }
            }
        }
        Ok(Operand {
            place,
            buffer,
            device: region.device,
            offsets: region.offsets,
            sizes: region.sizes,
        })
    }

    /// Takes a window of a region.
    fn slice(
        &self,
        op: Op<'p>,
        window: &Window<'p>,
        region: &mut Region,
    ) -> Result<(), Diagnostic<'p>> {
        for (offset, start) in region.offsets.iter_mut().zip(&window.offsets) {
            let moved = self.offset(op, *start)?;
            *offset = offset
                .add(&moved)
                .ok_or_else(|| error(op, "offset is out of range"))?;
        }
        let sizes = window.sizes.iter().map(|size| u64::try_from(*size));
        region.sizes = sizes
            .collect::<Result<_, _>>()
            .map_err(|why| error(op, why))?;
        check_pairs(op, region)?;
        self.check_inside(op, &window.sizes, &region.offsets, region.device.shape())
    }

    fn place(&self, user: Op<'p>, op: Op<'p>) -> Result<Place, Diagnostic<'p>> {
        let place = match (DeviceOp::cast(op), EmptyOp::cast(op)) {
            (Some(device), _) => device.place(),
            (_, Some(empty)) => empty.place(),
            (None, None) => {
                return Err(error(user, "reads a value that has no form in a bundle")
                    .note(op.location(), "the value is made here"));
            }
        };
        place.ok_or_else(|| {
            error(
                op,
                "value has no place; --spyre-scratchpad-planning gives it one",
            )
        })
    }

    fn window(&self, op: Op<'p>) -> Result<Window<'p>, Diagnostic<'p>> {
        let window = ir::window(op).ok_or_else(|| error(op, format!("window {WINDOW_NEEDS}")))?;
        let small = operand(op, 0)?;
        let tile = if ir::kind(op) == OpKind::InsertSlice {
            small.r#type()
        } else {
            op.result(0).map_err(|why| error(op, why))?.r#type()
        };
        let tile = self.types.get(tile).map_err(|why| error(op, why))?;
        if tile.shape().len() != window.sizes.len() {
            return Err(error(
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

    fn offset(&self, op: Op<'p>, offset: Offset<'p>) -> Result<Linear, Diagnostic<'p>> {
        match offset {
            Offset::Static(value) => Ok(Linear::constant(value, self.loops.len())),
            Offset::Value(value) => self.linear(value).ok_or_else(|| {
                error(op, "offset is not affine in the enclosing loops")
                    .note(value.location(), "the offset is made here")
            }),
        }
    }

    /// An index value as a linear function of the loops, or `None` when it is not.
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
                    .linear(op.operand(0).ok()?)?
                    .add(&self.linear(op.operand(1).ok()?)?),
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

    /// Every iteration's window is inside the buffer.
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
                return Err(error(
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

/// A window of a tensor in staggered order has both sticks of each pair: an element is in either.
fn check_pairs<'p>(op: Op<'p>, region: &Region) -> Result<(), Diagnostic<'p>> {
    let device = &region.device;
    let per_stick = device.format().elements_per_stick();
    for (dim, (offset, size)) in region.offsets.iter().zip(&region.sizes).enumerate() {
        let unit = device.stick_extent(dim);
        if unit <= per_stick {
            continue;
        }
        let is_whole = |at: i64| at.unsigned_abs().is_multiple_of(unit.get());
        let end = offset.constant.unsigned_abs().saturating_add(*size);
        let reaches_end = device.shape().get(dim) == Some(&end);
        let starts = is_whole(offset.constant) && offset.steps.iter().all(|step| is_whole(*step));
        if !starts || !(end.is_multiple_of(unit.get()) || reaches_end) {
            let message = format!(
                "window covers [{}, {end}) of dimension {dim}, which is in the staggered order that a cast leaves, {unit} at a \
                 time over two sticks; take the window before the cast, or whole pairs of sticks",
                offset.constant
            );
            return Err(error(op, message));
        }
    }
    Ok(())
}

/// A part of a buffer, under the dimensions that a view gives it.
struct Region {
    /// Extents of the part, in elements.
    sizes: Vec<u64>,
    /// Where it starts in the whole.
    offsets: Vec<Linear>,
    /// The whole.
    device: DeviceTensor,
    /// Number of loops around the operation.
    depth: usize,
}

impl Region {
    /// Takes a view of the region, as a region of the view of the whole.
    fn view(&mut self, view: &View, shape: &[u64]) -> Result<(), String> {
        if let View::Permute(permutation) = view {
            let whole = view.apply_to_shape(self.device.shape())?;
            self.device = view.apply(&self.device, &whole)?;
            let pick = |offsets: &[Linear]| {
                let picked = permutation.iter().map(|from| offsets.get(*from).cloned());
                picked.collect::<Option<Vec<_>>>()
            };
            self.offsets = pick(&self.offsets).ok_or("the permutation is of another rank")?;
            self.sizes = shape.to_vec();
            return Ok(());
        }
        let is_whole = self.sizes == self.device.shape()
            && self
                .offsets
                .iter()
                .all(|offset| offset.as_constant() == Some(0));
        if !is_whole {
            return Err(
                "reshapes a window of a tensor; reshape the whole tensor and take the window of that".to_owned(),
            );
        }
        self.device = view.apply(&self.device, shape)?;
        self.offsets = vec![Linear::constant(0, self.depth); shape.len()];
        self.sizes = shape.to_vec();
        Ok(())
    }
}

fn operand<'p>(op: Op<'p>, index: usize) -> Result<Val<'p>, Diagnostic<'p>> {
    op.operand(index).map_err(|why| error(op, why))
}

/// The insertion of a value that is made in place.
pub fn inserted<'p>(op: Op<'p>) -> Result<Op<'p>, Diagnostic<'p>> {
    let result: Val<'p> = op.result(0).map_err(|why| error(op, why))?.into();
    let mut inserts = ir::uses(result)
        .into_iter()
        .filter(|found| ir::kind(found.owner) == OpKind::InsertSlice && found.operand == 0)
        .map(|found| found.owner);
    match (inserts.next(), inserts.next()) {
        (Some(insert), None) => Ok(insert),
        (None, _) => Err(error(
            op,
            "has place window, but nothing inserts it into a tensor",
        )),
        (Some(_), Some(second)) => Err(error(op, "has place window, but is inserted twice")
            .note(second.location(), "one of the insertions is here")),
    }
}

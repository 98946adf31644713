//! Evaluates a function: loops, indices, windows and other views.

use rustc_hash::FxHashMap;

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{TypeLike, ValueLike};
use spyre_mlir_rt::ir::{self, Blk, Offset, Op, OpKind, Source, Val, Window};

use crate::tensor::{Tensor, strides};
use crate::{InterpretError, TensorType, elementwise, index, read, rules, tensor};

/// Number of operands of a loop before its loop-carried values.
const BOUNDS: usize = 3;

/// The values of a function while it is evaluated.
#[derive(Default)]
pub(crate) struct Frame {
    tensors: FxHashMap<ir::ValueKey, Tensor>,
    indices: FxHashMap<ir::ValueKey, i64>,
    /// Whether floats are intervals.
    in_ranges: bool,
}

impl Frame {
    /// Returns a frame in which floats are intervals.
    pub(crate) fn in_ranges() -> Self {
        Self {
            in_ranges: true,
            ..Self::default()
        }
    }

    /// Sets a value, in intervals where the frame has them.
    pub(crate) fn set(&mut self, value: Val<'_>, tensor: Tensor) {
        let tensor = match self.in_ranges {
            true => tensor.in_ranges(),
            false => tensor,
        };
        self.tensors.insert(ir::value_key(value), tensor);
    }

    fn set_index(&mut self, value: Val<'_>, index: i64) {
        self.indices.insert(ir::value_key(value), index);
    }

    fn tensor(&self, op: Op<'_>, operand: usize) -> Result<Tensor, String> {
        let value = op.operand(operand).map_err(|err| err.to_string())?;
        let tensor = self.tensors.get(&ir::value_key(value));
        tensor
            .cloned()
            .ok_or_else(|| format!("operand {operand} is no tensor"))
    }

    fn index(&self, value: Val<'_>) -> Result<i64, String> {
        let index = self.indices.get(&ir::value_key(value)).copied();
        index.ok_or_else(|| "an index of unknown value".to_owned())
    }

    fn operand_index(&self, op: Op<'_>, operand: usize) -> Result<i64, String> {
        self.index(op.operand(operand).map_err(|err| err.to_string())?)
    }

    /// Returns a tensor that the operation updates. It is moved out of the frame where it has no other uses, so that it
    /// is not copied.
    fn destination(&mut self, op: Op<'_>, operand: usize) -> Result<Tensor, String> {
        let value = op.operand(operand).map_err(|err| err.to_string())?;
        let mut uses = 0;
        ir::for_each_use(value, |_| uses += 1);
        // A value from around a loop is needed again in its next iteration.
        let is_owned = match ir::source(value) {
            Source::Argument(block, _) => Some(block) == op.block(),
            Source::Result(maker, _) => maker.block() == op.block(),
        };
        if uses == 1
            && is_owned
            && let Some(tensor) = self.tensors.remove(&ir::value_key(value))
        {
            return Ok(tensor);
        }
        self.tensor(op, operand)
    }

    /// Runs the operations of a block, and returns the operands of its last one, a return or a yield.
    pub(crate) fn block(&mut self, block: Blk<'_>) -> Result<Vec<Tensor>, InterpretError> {
        for op in ir::operations(block) {
            let kind = ir::kind(op);
            match kind {
                OpKind::Return | OpKind::Yield => {
                    let passed = (0..op.operand_count()).map(|operand| self.tensor(op, operand));
                    return passed
                        .collect::<Result<_, _>>()
                        .map_err(|reason| error(op, reason));
                }
                OpKind::For => self.run_loop(op)?,
                _ => self
                    .operation(op, kind)
                    .map_err(|reason| error(op, reason))?,
            }
        }
        Ok(Vec::new())
    }

    /// Runs an operation without a body.
    fn operation(&mut self, op: Op<'_>, kind: OpKind) -> Result<(), String> {
        let result = op.result(0).map_err(|err| err.to_string())?;
        let value: Val<'_> = result.into();
        let name = ir::name(op);
        let index = match (kind, name) {
            (OpKind::ConstantIndex, _) => Some(ir::constant_index(op)),
            (OpKind::AffineApply, _) => {
                let map = ir::affine_map(op).ok_or("no map")?;
                let operands = op.operands().map(|value| self.index(value));
                Some(index::apply(
                    map,
                    &operands.collect::<Result<Vec<_>, _>>()?,
                )?)
            }
            (OpKind::TensorDim, _) => {
                let (tensor, dim) = (self.tensor(op, 0)?, self.operand_index(op, 1)?);
                let extent = usize::try_from(dim)
                    .ok()
                    .and_then(|dim| tensor.ty.shape.get(dim));
                let extent = extent.ok_or_else(|| format!("no dimension {dim}"))?;
                Some(i64::try_from(*extent).map_err(|err| err.to_string())?)
            }
            (_, "arith.addi" | "arith.subi" | "arith.muli") if value.r#type().is_index() => {
                let (a, b) = (self.operand_index(op, 0)?, self.operand_index(op, 1)?);
                let computed = match name {
                    "arith.addi" => a.checked_add(b),
                    "arith.subi" => a.checked_sub(b),
                    _ => a.checked_mul(b),
                };
                Some(computed.ok_or("an index out of range")?)
            }
            _ => None,
        };
        if let Some(index) = index {
            self.set_index(value, index);
            return Ok(());
        }
        let ty = TensorType::of(value.r#type()).map_err(|err| err.to_string())?;
        tensor::check(ty.element)?;
        let tensor = match kind {
            OpKind::ExtractSlice => {
                let source = self.tensor(op, 0)?;
                let (start, extents) = self.window(op, &source.ty.shape)?;
                source.gathered(ty, start, &extents, &strides(&source.ty.shape))
            }
            OpKind::InsertSlice => {
                let tile = self.tensor(op, 0)?;
                let mut whole = self.destination(op, 1)?;
                let (start, extents) = self.window(op, &whole.ty.shape)?;
                let steps = strides(&whole.ty.shape);
                whole.scatter(&tile, start, &extents, &steps)?;
                whole
            }
            // Both keep the order of all elements.
            OpKind::ExpandShape | OpKind::CollapseShape => self.tensor(op, 0)?.reshaped(ty),
            _ => self.spyre(op, name, ty)?,
        };
        self.set(value, tensor);
        Ok(())
    }

    /// Runs an operation of the dialect, or a constant.
    fn spyre(&self, op: Op<'_>, name: &str, ty: TensorType) -> Result<Tensor, String> {
        let mnemonic = match name.strip_prefix("spyre.") {
            Some("fill") => return read::constant(op, ty),
            None if name == "arith.constant" => return read::constant(op, ty),
            Some("empty") => return Tensor::poison(ty),
            Some(mnemonic) => mnemonic,
            None => return Err("it has no meaning here".to_owned()),
        };
        let operands = (0..op.operand_count()).map(|operand| self.tensor(op, operand));
        let operands = operands.collect::<Result<Vec<_>, _>>()?;
        if let ("permute", [source]) = (mnemonic, operands.as_slice()) {
            // Dimension `i` of the result is dimension `permutation[i]` of the input.
            let from = strides(&source.ty.shape);
            let order = read::dims(op, "permutation")?;
            let moved = order.iter().map(|dim| from.get(*dim).copied());
            let moved: Option<Vec<usize>> = moved.collect();
            let moved = moved.ok_or_else(|| format!("no permutation: {order:?}"))?;
            let extents = ty.shape.clone();
            return Ok(source.gathered(ty, 0, &extents, &moved));
        }
        let rule = rules::rule(mnemonic).ok_or_else(|| "it has no meaning here".to_owned())?;
        let data = elementwise::compute(op, rule, &operands, &ty)?;
        Ok(Tensor::new(ty, data))
    }

    /// Returns the first position of a window of a tensor of this shape, and the window's extents, in elements.
    fn window(&self, op: Op<'_>, shape: &[usize]) -> Result<(usize, Vec<usize>), String> {
        let Window { offsets, sizes } =
            ir::window(op).ok_or("steps in a slice, or a dynamic size")?;
        let mut start = 0;
        let mut extents = Vec::new();
        for (dim, step) in strides(shape).into_iter().enumerate() {
            let (size, extent) = (sizes[dim], shape[dim]);
            let offset = match offsets[dim] {
                Offset::Static(offset) => offset,
                Offset::Value(value) => self.index(value)?,
            };
            let outside = || format!("{size} elements from {offset} leave an extent of {extent}");
            let from = usize::try_from(offset).map_err(|_| outside())?;
            let count = usize::try_from(size).map_err(|_| outside())?;
            if from.checked_add(count).is_none_or(|end| end > extent) {
                return Err(outside());
            }
            start += from * step;
            extents.push(count);
        }
        Ok((start, extents))
    }

    fn run_loop(&mut self, op: Op<'_>) -> Result<(), InterpretError> {
        let wrong = |reason: String| error(op, reason);
        let mut bounds = [0; BOUNDS];
        for (operand, bound) in bounds.iter_mut().enumerate() {
            *bound = self.operand_index(op, operand).map_err(wrong)?;
        }
        let [mut at, end, step] = bounds;
        if step <= 0 {
            return Err(wrong(format!("the step is {step}")));
        }
        let body = ir::body(op).ok_or_else(|| wrong("it has no body".to_owned()))?;
        let mut carried = (0..op.result_count())
            .map(|carried| self.tensor(op, BOUNDS + carried).map_err(wrong))
            .collect::<Result<Vec<_>, _>>()?;
        while at < end {
            let induction = body.argument(0).map_err(|err| wrong(err.to_string()))?;
            self.set_index(induction.into(), at);
            for (position, tensor) in std::mem::take(&mut carried).into_iter().enumerate() {
                let argument = body.argument(1 + position);
                let argument = argument.map_err(|err| wrong(err.to_string()))?;
                self.set(argument.into(), tensor);
            }
            carried = self.block(body)?;
            match at.checked_add(step) {
                Some(next) => at = next,
                None => break,
            }
        }
        for (position, tensor) in carried.into_iter().enumerate() {
            let result = op.result(position).map_err(|err| wrong(err.to_string()))?;
            self.set(result.into(), tensor);
        }
        Ok(())
    }
}

fn error(op: Op<'_>, reason: String) -> InterpretError {
    InterpretError::Operation {
        op: ir::name(op).to_owned(),
        reason,
    }
}

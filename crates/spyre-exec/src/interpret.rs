//! Running a function of device operations without compiling it.
//!
//! The interpreter walks over the operations of a function, tiled or not, and computes each from the definitions that
//! `spyre-sim` has. It shares nothing with the lowering that [`Program::compile`](crate::Program::compile) uses, so
//! each is a check of the other; and for small tensors it is done long before a compiler would be.
//!
//! ```
//! use melior::ir::Module;
//! use spyre_exec::{Array, DType, interpret};
//!
//! let context = spyre_exec::context();
//! let module = Module::parse(&context, "func.func @twice(%a: tensor<2xi32>) -> tensor<2xi32> {
//!   %0 = spyre.add %a, %a : tensor<2xi32>
//!   return %0 : tensor<2xi32>
//! }").expect("a module");
//! let function = interpret::function(module.as_operation(), "twice").expect("a function");
//! let input = Array::from_i64s(DType::I32, &[2], &[20, 21])?;
//! let results = interpret::run(function, &[input])?;
//! assert_eq!(results, [Array::from_i64s(DType::I32, &[2], &[40, 42])?]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compute;
mod tensor;

use std::collections::HashMap;

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{AffineMap, ValueLike};
use spyre_dialects::device_op::{DeviceOp, EmptyOp};
use spyre_mlir_rt::ir::{self, Blk, Offset, Op, OpKind, Source, Val, Window};
use spyre_passes::affine::{self, LinearForm};
use spyre_passes::view::{View, is_permute};
use spyre_passes::walk::FIRST_INIT;
use thiserror::Error;

use crate::array::{Array, ArrayError};
use crate::bundle::constant;
use crate::program::function_named;
use crate::{Signature, TensorType};

use tensor::{Tensor, positions, strides};

/// Why a function cannot be interpreted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum InterpretError {
    /// The function takes or returns something else than tensors of known extents, or other inputs.
    #[error("{0}")]
    Signature(String),
    /// An operation has no meaning here.
    #[error("{op}: {why}")]
    Operation {
        /// Its name.
        op: String,
        /// Why.
        why: String,
    },
    /// A result is no array.
    #[error(transparent)]
    Result(#[from] ArrayError),
}

/// The function of a module with this name.
#[must_use]
pub fn function<'p>(module: Op<'p>, name: &str) -> Option<Op<'p>> {
    function_named(module, name)
}

/// Runs a function on tensors. What `spyre.empty` makes is NaN, and for integers bytes 0xA5.
///
/// # Errors
/// [`InterpretError`].
pub fn run(function: Op<'_>, inputs: &[Array]) -> Result<Vec<Array>, InterpretError> {
    let wrong = |why: String| InterpretError::Signature(why);
    let signature = Signature::of(function).map_err(|why| wrong(why.message().to_owned()))?;
    let found: Vec<&TensorType> = inputs.iter().map(Array::ty).collect();
    if !signature.inputs.iter().eq(found) {
        return Err(wrong(format!("the inputs are not those of {signature}")));
    }
    let body = ir::function_body(function).ok_or_else(|| wrong("it has no body".to_owned()))?;
    let mut frame = Frame::default();
    for (position, input) in inputs.iter().enumerate() {
        let argument = body
            .argument(position)
            .map_err(|why| wrong(why.to_string()))?;
        frame.set(argument.into(), Tensor::of_array(input));
    }
    let returned = frame.block(body)?;
    returned
        .iter()
        .map(|tensor| Ok(tensor.to_array()?))
        .collect()
}

/// The values of a function on its way.
#[derive(Default)]
struct Frame {
    tensors: HashMap<usize, Tensor>,
    indices: HashMap<usize, i64>,
}

/// A number, where the arithmetic of addresses asks for something linear.
#[derive(Clone, Copy)]
struct Number(i64);

impl LinearForm for Number {
    fn add(&self, other: &Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    fn scale(&self, factor: i64) -> Option<Self> {
        self.0.checked_mul(factor).map(Self)
    }

    fn as_constant(&self) -> Option<i64> {
        Some(self.0)
    }
}

impl Frame {
    fn set(&mut self, value: Val<'_>, tensor: Tensor) {
        self.tensors.insert(ir::value_key(value), tensor);
    }

    fn tensor(&self, op: Op<'_>, operand: usize) -> Result<Tensor, String> {
        let value = op.operand(operand).map_err(|why| why.to_string())?;
        let found = self.tensors.get(&ir::value_key(value));
        found
            .cloned()
            .ok_or_else(|| format!("operand {operand} is no tensor"))
    }

    /// A tensor that the operation updates: taken out where nobody else uses it, so that it is not copied.
    fn destination(&mut self, op: Op<'_>, operand: usize) -> Result<Tensor, String> {
        let value = op.operand(operand).map_err(|why| why.to_string())?;
        let mut uses = 0;
        ir::for_each_use(value, |_| uses += 1);
        // What comes from around a loop is needed again in its next iteration.
        let is_own = match ir::source(value) {
            Source::Argument(block, _) => Some(block) == op.block(),
            Source::Result(maker, _) => maker.block() == op.block(),
        };
        if uses == 1
            && is_own
            && let Some(own) = self.tensors.remove(&ir::value_key(value))
        {
            return Ok(own);
        }
        self.tensor(op, operand)
    }

    fn index(&self, value: Val<'_>) -> Result<i64, String> {
        let found = self.indices.get(&ir::value_key(value)).copied();
        found.ok_or_else(|| "an index of unknown value".to_owned())
    }

    /// Runs the operations of a block, and returns what its last one passes on.
    fn block(&mut self, block: Blk<'_>) -> Result<Vec<Tensor>, InterpretError> {
        for op in ir::operations(block) {
            let kind = ir::kind(op);
            if matches!(kind, OpKind::Return | OpKind::Yield) {
                return (0..op.operand_count())
                    .map(|operand| self.tensor(op, operand).map_err(|why| error(op, why)))
                    .collect();
            }
            if kind == OpKind::For {
                self.run_loop(op)?;
                continue;
            }
            self.operation(op, kind).map_err(|why| error(op, why))?;
        }
        Ok(Vec::new())
    }

    /// Runs an operation without a body.
    fn operation(&mut self, op: Op<'_>, kind: OpKind) -> Result<(), String> {
        let result = op.result(0).map_err(|why| why.to_string())?;
        let value: Val<'_> = result.into();
        match kind {
            OpKind::ConstantIndex => {
                self.set_index(value, ir::constant_index(op));
                return Ok(());
            }
            OpKind::AddIndex => {
                let operand = |at| self.index(op.operand(at).map_err(|why| why.to_string())?);
                let sum = operand(0)?.checked_add(operand(1)?);
                self.set_index(value, sum.ok_or("an index out of range")?);
                return Ok(());
            }
            OpKind::AffineApply => {
                let map = ir::affine_map(op).ok_or("no map")?;
                let applied = self.apply(op, map)?;
                self.set_index(value, applied);
                return Ok(());
            }
            _ => {}
        }
        let ty = TensorType::of(value.r#type())?;
        let tensor = match kind {
            OpKind::ExtractSlice => {
                let source = self.tensor(op, 0)?;
                let (start, extents) = self.window(op, &source.ty.shape)?;
                let strides = strides(&source.ty.shape);
                source.gather(ty, positions(start, &extents, &strides))
            }
            OpKind::InsertSlice => {
                let tile = self.tensor(op, 0)?;
                let mut whole = self.destination(op, 1)?;
                let (start, extents) = self.window(op, &whole.ty.shape)?;
                let strides = strides(&whole.ty.shape);
                whole.scatter(&tile, positions(start, &extents, &strides));
                whole
            }
            OpKind::ExpandShape | OpKind::CollapseShape => self.tensor(op, 0)?.reshaped(ty),
            _ => self.spyre(op, ty)?,
        };
        self.set(value, tensor);
        Ok(())
    }

    /// Runs an operation of the dialect.
    fn spyre(&self, op: Op<'_>, ty: TensorType) -> Result<Tensor, String> {
        if let Some(device) = DeviceOp::cast(op) {
            let operands = (0..op.operand_count())
                .map(|operand| self.tensor(op, operand))
                .collect::<Result<Vec<_>, _>>()?;
            return compute::compute(device, &operands, ty);
        }
        if EmptyOp::cast(op).is_some() {
            return Tensor::poison(ty);
        }
        if is_permute(op) {
            let View::Permute(permutation) = View::of(op)? else {
                return Err("no permutation".to_owned());
            };
            let source = self.tensor(op, 0)?;
            let from = strides(&source.ty.shape);
            let moved = permutation.iter().map(|dim| from.get(*dim).copied());
            let moved: Option<Vec<usize>> = moved.collect();
            let extents = ty.shape.clone();
            let at = positions(0, &extents, &moved.ok_or("no permutation")?);
            return Ok(source.gather(ty, at));
        }
        // `spyre.fill`, and `arith.constant` of one value.
        let value = op.attribute("value").ok();
        let value = value.and_then(|value| constant(&ty, value));
        let value = value.ok_or("it has no meaning here")?;
        Ok(Tensor::of_array(&value))
    }

    fn set_index(&mut self, value: Val<'_>, index: i64) {
        self.indices.insert(ir::value_key(value), index);
    }

    /// The one result of a map on an operation's operands.
    fn apply(&self, op: Op<'_>, map: AffineMap<'_>) -> Result<i64, String> {
        let operands = op.operands().map(|value| self.index(value).map(Number));
        let operands = operands.collect::<Result<Vec<_>, _>>()?;
        let value = affine::evaluate(
            map.result(0).map_err(|why| why.to_string())?,
            &operands,
            map.dim_count(),
            &Number,
        );
        let value = value.ok_or("a map that is not linear, or a value out of range")?;
        Ok(value.0)
    }

    /// The first position of a window of a tensor of this shape, and its extents.
    fn window(&self, op: Op<'_>, shape: &[usize]) -> Result<(usize, Vec<usize>), String> {
        let Window { offsets, sizes } = ir::window(op).ok_or("steps in a slice")?;
        let mut start = 0;
        let mut extents = Vec::new();
        let dims = offsets.iter().zip(&sizes).zip(shape).zip(strides(shape));
        for (((offset, size), extent), stride) in dims {
            let offset = match offset {
                Offset::Static(offset) => *offset,
                Offset::Value(value) => self.index(*value)?,
            };
            let outside = || format!("{size} elements from {offset} leave an extent of {extent}");
            let from = usize::try_from(offset).map_err(|_| outside())?;
            let count = usize::try_from(*size).map_err(|_| outside())?;
            if from.checked_add(count).is_none_or(|end| end > *extent) {
                return Err(outside());
            }
            start += from * stride;
            extents.push(count);
        }
        Ok((start, extents))
    }

    fn run_loop(&mut self, op: Op<'_>) -> Result<(), InterpretError> {
        let wrong = |why: String| error(op, why);
        let bound = |frame: &Self, at| {
            let operand = op
                .operand(at)
                .map_err(|why: melior::Error| wrong(why.to_string()))?;
            frame.index(operand).map_err(wrong)
        };
        let (mut at, end, step) = (bound(self, 0)?, bound(self, 1)?, bound(self, 2)?);
        if step <= 0 {
            return Err(wrong(format!("the step is {step}")));
        }
        let body = ir::body(op).ok_or_else(|| wrong("it has no body".to_owned()))?;
        let mut carried = (0..op.result_count())
            .map(|carried| self.tensor(op, FIRST_INIT + carried).map_err(wrong))
            .collect::<Result<Vec<_>, _>>()?;
        while at < end {
            let induction = body.argument(0).map_err(|why| wrong(why.to_string()))?;
            self.set_index(induction.into(), at);
            for (position, tensor) in std::mem::take(&mut carried).into_iter().enumerate() {
                let argument = body.argument(1 + position);
                let argument = argument.map_err(|why| wrong(why.to_string()))?;
                self.set(argument.into(), tensor);
            }
            carried = self.block(body)?;
            match at.checked_add(step) {
                Some(next) => at = next,
                None => break,
            }
        }
        for (position, tensor) in carried.into_iter().enumerate() {
            let result = op.result(position).map_err(|why| wrong(why.to_string()))?;
            self.set(result.into(), tensor);
        }
        Ok(())
    }
}

fn error(op: Op<'_>, why: String) -> InterpretError {
    InterpretError::Operation {
        op: ir::name(op),
        why,
    }
}

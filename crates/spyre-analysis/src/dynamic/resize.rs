//! Gives the values of a function static extents.

use melior::Context;
use melior::ir::attribute::DenseI64ArrayAttribute;
use melior::ir::block::BlockLike;
use melior::ir::operation::{Operation, OperationBuilder, OperationLike};
use melior::ir::r#type::DimSize;
use melior::ir::{Identifier, Type, ValueLike};
use spyre_dialects::device_op::EmptyOp;
use spyre_dialects::dynamic::dim_size;
use spyre_dialects::names::DIMS;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Op, OpKind, Val};
use spyre_ods::tensor;

use super::slices::{Slice, SliceSize};
use super::{DynamicDims, SymbolId, error};

/// Gives every dynamic dimension of a function the extent `size`, in elements. The uses of operations that read an extent get the
/// value that `index` builds at the start of the function.
///
/// # Errors
/// The IR breaks a rule that the verifier of its dialect checks.
pub fn resize<'p>(
    context: &'p Context,
    function: Op<'p>,
    body: Blk<'p>,
    dims: &DynamicDims,
    size: impl Fn(SymbolId) -> u64,
    index: impl FnMut(At<'p>, SymbolId) -> Result<Val<'p>, Diagnostic<'p>>,
) -> Result<(), Diagnostic<'p>> {
    let mut resize = Resize {
        dims,
        size,
        index,
        start: body
            .first_operation()
            .ok_or_else(|| error(function, "function has no operations"))?,
        index_values: vec![None; dims.symbols().len()],
        sized: Vec::new(),
        extents: Vec::new(),
        empties: Vec::new(),
        reshapes: Vec::new(),
        slices: Vec::new(),
    };
    resize.arguments(function, body, 0)?;
    resize.block(body)?;
    resize.change(context)?;
    ir::update_function_type(function);
    Ok(())
}

struct Resize<'d, 'p, S, I> {
    dims: &'d DynamicDims,
    size: S,
    index: I,
    /// The operation before which extents are built.
    start: Op<'p>,
    /// The extent of each dimension as an index value; `None` until it is built.
    index_values: Vec<Option<Val<'p>>>,
    /// Values that get another type.
    sized: Vec<(Val<'p>, Type<'p>)>,
    /// Operations that read an extent.
    extents: Vec<(Op<'p>, SymbolId)>,
    /// Allocations of a dynamic extent.
    empties: Vec<Op<'p>>,
    /// Reshapes to a dynamic extent.
    reshapes: Vec<Op<'p>>,
    /// Slices of a whole dynamic dimension, with the dynamic dimension of each size.
    slices: Vec<(Slice<'p>, Op<'p>, Vec<Option<SymbolId>>)>,
}

impl<'p, S, I> Resize<'_, 'p, S, I>
where
    S: Fn(SymbolId) -> u64,
    I: FnMut(At<'p>, SymbolId) -> Result<Val<'p>, Diagnostic<'p>>,
{
    fn value(&mut self, value: Val<'p>) {
        if !self.dims.of(value).is_empty() {
            self.sized.push((value, self.dims.sized(value, &self.size)));
        }
    }

    fn arguments(&mut self, op: Op<'p>, block: Blk<'p>, from: usize) -> Result<(), Diagnostic<'p>> {
        for index in from..block.argument_count() {
            let argument = block.argument(index).map_err(|err| error(op, err))?;
            self.value(argument.into());
        }
        Ok(())
    }

    fn block(&mut self, block: Blk<'p>) -> Result<(), Diagnostic<'p>> {
        for op in ir::operations(block) {
            let is_empty = EmptyOp::cast(op).is_some() || ir::name(op) == tensor::EMPTY;
            if is_empty && op.operand_count() > 0 {
                self.empties.push(op);
            }
            for result in op.results() {
                self.value(result.into());
            }
            if let Some(slice) = Slice::cast(op) {
                let symbols = self.dims.slice(slice)?;
                if symbols.iter().any(Option::is_some) {
                    self.slices.push((slice, op, symbols));
                }
            }
            match ir::kind(op) {
                OpKind::For => {
                    if let Some(body) = ir::body(op) {
                        self.arguments(op, body, 1)?;
                        self.block(body)?;
                    }
                }
                OpKind::ExpandShape if op.operand_count() > 1 => self.reshapes.push(op),
                OpKind::TensorDim => {
                    let result = op.result(0).map_err(|err| error(op, err))?;
                    if let Some(symbol) = self.dims.of_index(result.into()) {
                        self.extents.push((op, symbol));
                    }
                }
                _ => {
                    let symbol = dim_size(op).and_then(|name| self.dims.named(&name));
                    self.extents.extend(symbol.map(|symbol| (op, symbol)));
                }
            }
        }
        Ok(())
    }

    fn change(mut self, context: &'p Context) -> Result<(), Diagnostic<'p>> {
        for (value, ty) in &self.sized {
            value.set_type(*ty);
        }
        for op in std::mem::take(&mut self.empties) {
            let name = ir::name(op);
            let fixed = OperationBuilder::new(name, op.location())
                .add_results(&[result(op)?.r#type()])
                .build()
                .map_err(|err| error(op, err))?;
            replace(op, fixed)?;
        }
        for (slice, op, symbols) in std::mem::take(&mut self.slices) {
            let sizes = slice.all_sizes().into_iter().zip(symbols);
            let sizes: Vec<SliceSize<'p>> = sizes
                .map(|(size, symbol)| match symbol {
                    Some(symbol) => SliceSize::Fixed((self.size)(symbol).cast_signed()),
                    None => size,
                })
                .collect();
            replace(op, slice.resized(context, &sizes)?)?;
        }
        for op in std::mem::take(&mut self.reshapes) {
            let ty = result(op)?.r#type();
            let shape = super::shape(ty).expect("a reshape makes a ranked tensor");
            let shape = shape.into_iter().map(|extent| match extent {
                DimSize::Static(extent) => extent.cast_signed(),
                DimSize::Dynamic => i64::MIN,
            });
            let shape: Vec<i64> = shape.collect();
            let groups = op
                .attribute("reassociation")
                .map_err(|err| error(op, err))?;
            let fixed = OperationBuilder::new(tensor::EXPAND_SHAPE, op.location())
                .add_operands(&[op.operand(0).map_err(|err| error(op, err))?])
                .add_attributes(&[
                    (Identifier::new(context, "reassociation"), groups),
                    (
                        Identifier::new(context, "static_output_shape"),
                        DenseI64ArrayAttribute::new(context, &shape).into(),
                    ),
                ])
                .add_results(&[ty])
                .build()
                .map_err(|err| error(op, err))?;
            replace(op, fixed)?;
        }
        for (op, symbol) in std::mem::take(&mut self.extents) {
            let extent = self.extent(symbol)?;
            ir::replace_all_uses(result(op)?, extent);
            if self.start == op {
                self.start = op
                    .next_in_block()
                    .ok_or_else(|| error(op, "function has no terminator"))?;
            }
            ir::erase(op);
        }
        Ok(())
    }

    /// Returns the extent of a dimension as an index value, made once at the start of the function.
    fn extent(&mut self, symbol: SymbolId) -> Result<Val<'p>, Diagnostic<'p>> {
        let at = symbol.0 as usize;
        if let Some(index_value) = self.index_values[at] {
            return Ok(index_value);
        }
        let value = (self.index)(At::Before(self.start), symbol)?;
        self.index_values[at] = Some(value);
        Ok(value)
    }
}

fn result<'p>(op: Op<'p>) -> Result<Val<'p>, Diagnostic<'p>> {
    Ok(op.result(0).map_err(|err| error(op, err))?.into())
}

/// Replaces an operation by another one, which keeps the names of its dimensions.
pub fn replace<'p>(op: Op<'p>, by: Operation<'p>) -> Result<(), Diagnostic<'p>> {
    let block = op
        .block()
        .ok_or_else(|| error(op, "operation is in no block"))?;
    let by = block.insert_operation_before(op, by);
    if let Ok(names) = op.attribute(DIMS) {
        ir::set_discardable_attribute(by, DIMS, names);
    }
    ir::replace_all_uses(result(op)?, result(by)?);
    ir::erase(op);
    Ok(())
}

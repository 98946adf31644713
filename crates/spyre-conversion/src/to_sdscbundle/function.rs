//! Describes a planned function: its loops, and the OpSpecs of its operations.

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Location, ValueLike};
use spyre_analysis::dynamic::tiled::check_tiled;
use spyre_analysis::dynamic::{DynamicDims, Source, Symbol, SymbolId};
use spyre_analysis::kinds::is_fill;
use spyre_analysis::target::target_of;
use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::view;
use spyre_dialects::attr::Place;
use spyre_dialects::device_op::{DeviceOp, EmptyOp};
use spyre_dialects::dynamic::dim_size;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind, Val};
use spyre_ops::contract::Contract;
use spyre_sdsc::model::{DimBounds, DimSource};
use spyre_sdsc::{ArgIndex, LoopSpec, Node};

use super::operation::{self, Limits};
use super::window::{Loop, Resolver};
use super::{error, formats, overlaps};

/// A described function.
pub(super) struct Program<'p> {
    /// The function's body as loops and OpSpecs.
    pub tree: Vec<Node>,
    /// The location of each operation, in file order.
    pub locations: Vec<Location<'p>>,
}

/// Describes a planned function.
pub(super) fn describe<'p>(
    types: &TensorTypes<'p>,
    kernel: Op<'p>,
    body: Blk<'p>,
) -> Result<Program<'p>, Diagnostic<'p>> {
    let target = target_of(kernel)?;
    let dims = DynamicDims::of_function(kernel, body)?;
    check_tiled(kernel, body, &dims, "convert-spyre-to-sdscbundle")?;
    let mut describer = Describer {
        types,
        dims,
        limits: Limits {
            formats: target.element_types,
            span: target.target.span_limit_bytes,
        },
        contract: target.contract,
        loops: Vec::new(),
        locations: Vec::new(),
    };
    let tree = describer.block(body)?;
    overlaps::check(types, body)?;
    Ok(Program {
        tree,
        locations: describer.locations,
    })
}

struct Describer<'r, 'p> {
    types: &'r TensorTypes<'p>,
    dims: DynamicDims,
    limits: Limits<'p>,
    contract: Contract,
    loops: Vec<Loop<'p>>,
    locations: Vec<Location<'p>>,
}

impl<'p> Describer<'_, 'p> {
    fn block(&mut self, block: Blk<'p>) -> Result<Vec<Node>, Diagnostic<'p>> {
        let mut tree = Vec::new();
        for op in ir::operations(block) {
            if let Some(device) = DeviceOp::cast(op) {
                let name = format!("sdsc_{}", self.locations.len());
                let spec = operation::describe(device, &self.resolver(), &self.limits, &name)?;
                formats::check(&self.contract, device, &spec)?;
                self.locations.push(op.location());
                tree.push(Node::from(spec));
                continue;
            }
            match ir::kind(op) {
                OpKind::For => {
                    let (mut spec, step) = self.trips(op)?;
                    let count = spec.most_iterations().map_err(|err| error(op, err))?;
                    if count == 0 {
                        // The loop has no iterations, so its operations are not numbered.
                        continue;
                    }
                    let inner = ir::body(op).ok_or_else(|| error(op, "loop has no body"))?;
                    self.loops.push(Loop { op, count, step });
                    spec.body = self.block(inner)?;
                    self.loops.pop();
                    // The format has no loop without operations.
                    if !spec.body.is_empty() {
                        tree.push(Node::from(spec));
                    }
                }
                OpKind::Yield => self.check_yield(op, block)?,
                OpKind::ExtractSlice
                | OpKind::InsertSlice
                | OpKind::ExpandShape
                | OpKind::CollapseShape => {}
                OpKind::AffineApply | OpKind::ConstantIndex | OpKind::AddIndex => {}
                OpKind::Return => self.check_return(op, block.argument_count())?,
                OpKind::Other
                    if EmptyOp::cast(op).is_some()
                        || view::is_view(op)
                        || dim_size(op).is_some() => {}
                OpKind::Other | OpKind::TensorDim => {
                    let name = op.name();
                    let name = name.as_string_ref();
                    let help = if is_fill(op) {
                        "; --spyre-constants-to-arguments makes it an argument, before planning"
                    } else {
                        ""
                    };
                    return Err(error(
                        op,
                        format!(
                            "{} has no form in a bundle{help}",
                            name.as_str().unwrap_or("operation")
                        ),
                    ));
                }
            }
        }
        Ok(tree)
    }

    /// Returns the search for buffers from here.
    fn resolver(&self) -> Resolver<'_, 'p> {
        Resolver {
            types: self.types,
            loops: &self.loops,
            pass: "convert-spyre-to-sdscbundle",
        }
    }

    /// Returns a loop without its body, and its step. The loop has to count from 0 to a constant, or to a dynamic
    /// extent, in constant steps.
    fn trips(&self, op: Op<'p>) -> Result<(LoopSpec, u64), Diagnostic<'p>> {
        let constant = |operand: usize| ir::constant_operand(op, operand);
        let upper = op.operand(1).map_err(|err| error(op, err))?;
        let dynamic = self.dims.of_index(upper);
        match (constant(0), constant(1), constant(2)) {
            (Some(0), Some(upper), Some(step @ 1..)) => {
                let (upper, step) = (upper.max(0).cast_unsigned(), step.cast_unsigned());
                let count = upper.div_ceil(step).cast_signed();
                Ok((LoopSpec::new(count, Vec::new()), step))
            }
            (Some(0), None, Some(step @ 1..)) if let Some(symbol) = dynamic => {
                let spec = self.runtime_trips(op, symbol, step)?;
                Ok((spec, step.cast_unsigned()))
            }
            (lower, upper, step) => {
                let show =
                    |bound: Option<i64>| bound.map_or("?".to_owned(), |bound| bound.to_string());
                Err(error(
                    op,
                    format!(
                        "loop must count from 0 to a constant or to a spyre.dim_size in constant steps, got {} to {} by {}",
                        show(lower),
                        show(upper),
                        show(step)
                    ),
                ))
            }
        }
    }

    fn runtime_trips(
        &self,
        op: Op<'p>,
        symbol: SymbolId,
        step: i64,
    ) -> Result<LoopSpec, Diagnostic<'p>> {
        let Symbol {
            name,
            extent,
            source,
        } = self.dims.symbol(symbol);
        let (max, granularity) = (extent.max(), extent.granularity());
        if !granularity.is_multiple_of(step.cast_unsigned()) {
            let message = format!(
                "loop visits \"{name}\" in steps of {step}, but its extent is any multiple of {granularity} up to {max}"
            );
            return Err(error(op, message));
        }
        let Some(Source { argument, dim, .. }) = *source else {
            let message = format!(
                "loop runs up to the extent of \"{name}\", but 'spyre.dims' of no argument has that name, so the launcher \
                 does not know it"
            );
            return Err(error(op, message));
        };
        let number = |number: usize| u32::try_from(number).map_err(|err| error(op, err));
        Ok(LoopSpec::over_runtime_size(
            name.as_str(),
            step,
            DimBounds { max, granularity },
            DimSource {
                arg: ArgIndex::new(number(argument)?),
                dim: number(dim)?,
            },
            Vec::new(),
        ))
    }

    /// Checks that the yielded tensors of a loop have the places of its iteration arguments.
    fn check_yield(&self, op: Op<'p>, body: Blk<'p>) -> Result<(), Diagnostic<'p>> {
        let resolver = self.resolver();
        for (index, yielded) in op.operands().enumerate() {
            let carried: Val<'p> = body
                .argument(index + 1)
                .map_err(|err| error(op, err))?
                .into();
            let (from, to) = (
                resolver.resolve(op, yielded)?,
                resolver.resolve(op, carried)?,
            );
            let (start, yielded_start) = (to.view.offset().get(), from.view.offset().get());
            let difference = if from.place != to.place {
                format!(
                    "is in {}, but another tensor in {} is yielded",
                    to.place, from.place
                )
            } else if yielded_start != start {
                format!(
                    "starts at byte {start} of {}, but the yielded tensor at byte {yielded_start}",
                    to.place
                )
            } else if from.advance != to.advance {
                format!(
                    "moves by {:?} elements along the loops, outermost first, but the yielded tensor by {:?}",
                    to.advance, from.advance
                )
            } else {
                continue;
            };
            let message = format!(
                "loop-carried tensor {index} {difference}; --spyre-scratchpad-planning gives them one place"
            );
            return Err(error(op, message).note(yielded.location(), "the value is defined here"));
        }
        Ok(())
    }

    /// Checks that the results of the function are in the kernel arguments after its inputs.
    fn check_return(&self, op: Op<'p>, inputs: usize) -> Result<(), Diagnostic<'p>> {
        let resolver = self.resolver();
        for (index, value) in op.operands().enumerate() {
            let operand = resolver.resolve(op, value)?;
            let number = u32::try_from(inputs + index).map_err(|err| error(op, err))?;
            let ty = self
                .types
                .get(value.r#type())
                .map_err(|err| error(op, err))?;
            // Reshapes may add dimensions of one element, which leave every element in its place.
            let is_whole = operand.view == ty.device.view();
            let difference = if operand.place != Place::Arg(number) {
                format!("in {}", operand.place)
            } else if operand.is_window.contains(&true) {
                format!(
                    "a window of it: {:?} of {:?}, from byte {}",
                    operand.view.shape(),
                    operand.buffer.shape(),
                    operand.view.offset().get()
                )
            } else if !is_whole {
                format!(
                    "a view of it with layout {} and device size {:?}, expected layout {} and device size {:?}",
                    operand.view.layout(),
                    operand.view.device_size(),
                    ty.device.layout(),
                    ty.device.device_size()
                )
            } else {
                continue;
            };
            let message = format!(
                "result {index} must be the whole of arg {number}, but is {difference}; --spyre-scratchpad-planning \
                 places it"
            );
            return Err(error(op, message).note(value.location(), "the value is defined here"));
        }
        Ok(())
    }
}

//! `--spyre-thaw-dynamic-dims`: makes the stand-in extents of [`freeze`](super::freeze) dynamic again.

use melior::Context;
use melior::dialect::DialectHandle;
use melior::ir::attribute::{DenseElementsAttribute, DenseI64ArrayAttribute};
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::r#type::{DimSize, RankedTensorType};
use melior::ir::{Identifier, ShapedTypeLike, Type, ValueLike};
use rustc_hash::FxHashMap;
use spyre_dialects::attr;
use spyre_dialects::device_op::EmptyOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Op, OpKind, Val};
use spyre_mlir_rt::pass::{Failed, OptionKind, PassOption, PassRun, RustPass};

use super::freeze::{STAND_INS, argument, stand_ins_of};
use super::reshape;
use super::resize::replace;
use super::slices::{DYNAMIC, Slice, SliceSize};
use super::{DynamicDims, boundary, computed, declared, erase_argument, error, positions, shape};
use crate::constants::CONSTANT;
use crate::names::DIM_SIZES;
use crate::outline::DEVICE;

const NAME: &str = "spyre-thaw-dynamic-dims";

/// `--spyre-thaw-dynamic-dims`
pub(crate) static THAW_DYNAMIC_DIMS: RustPass = RustPass {
    argument: NAME,
    summary: "Make stand-in extents dynamic again",
    description: r#"
What `--spyre-freeze-dynamic-dims` has given a stand-in extent is dynamic again, in device
operations and views.

```mlir
// before
func.func @twice(%a: tensor<101x256xf16> {spyre.dims = ["S", "D"]}) -> tensor<101x256xf16>
    attributes {spyre.dim_sizes = {...}, spyre.stand_ins = {S = 101}} {
  %z = spyre.add %a, %a : tensor<101x256xf16>
// after
func.func @twice(%a: tensor<?x256xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x256xf16>
    attributes {spyre.dim_sizes = {...}} {
  %z = spyre.add %a, %a : tensor<?x256xf16>
```

The positions along such a dimension become a constant of the largest extent, of which a
slice has as many as are chosen. Tensors that are put one behind the other beside such a
dimension are copied first, and what is put together is copied where no operation reads it:
the copies are in the loops over its tiles.

Refused: a merge of such a dimension, a constant along it, and a cut, but for one that its
smallest extent has. A slice along other dimensions has all of it.
"#,
    anchor: "func.func",
    options: &[PassOption {
        name: "host",
        description: "functions that are not of the device are the host's: their arguments stay, and nothing is copied in them",
        kind: OptionKind::Bool(false),
    }],
    statistics: &[],
    dialects: || vec![DialectHandle::arith(), DialectHandle::tensor()],
    run: thaw,
};

fn thaw<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let function = run.operation();
    let (Some(body), Some(stand_ins)) = (ir::function_body(function), stand_ins_of(function))
    else {
        run.preserve_analyses();
        return Ok(());
    };
    let mut dims = Vec::with_capacity(stand_ins.len());
    for (extent, name) in stand_ins {
        let own = declared(function).find(|(own, _)| *own == name);
        let (_, declared) = own.ok_or_else(|| undeclared(function, &name))?;
        let smallest = i64::try_from(declared.granularity()).map_err(|why| error(function, why))?;
        dims.push(StandIn {
            extent,
            name,
            smallest,
            largest: declared.max(),
        });
    }
    let mut thaw = Thaw {
        context: run.context(),
        is_host: run.flag("host") && function.attribute(DEVICE).is_err(),
        dims,
        sources: FxHashMap::default(),
    };
    thaw.find_sources(function, body);
    for number in 0..body.argument_count() {
        let constant = ir::argument_attribute(function, number, CONSTANT);
        if let (Some(_), Some(name)) = (constant, thaw.name_in(argument(body, number))) {
            let message =
                format!("{NAME}: a constant along \"{name}\", whose extent is chosen at run time");
            return Err(error(function, message).into());
        }
    }
    thaw.check_block(body)?;
    thaw.block(body)?;
    thaw.arguments(function, body)?;
    if !thaw.is_host {
        boundary::fill_parts(run.context(), body)?;
        boundary::copy_sources(body)?;
        boundary::copy_parts(body)?;
        boundary::copy_returned(body)?;
    }
    ir::update_function_type(function);
    ir::remove_discardable_attribute(function, STAND_INS);
    DynamicDims::of_function(function, body)?;
    Ok(())
}

/// Returns the error of a dimension that has a stand-in and is not declared.
fn undeclared<'p>(function: Op<'p>, name: &str) -> Diagnostic<'p> {
    let message = format!("{NAME}: '{DIM_SIZES}' does not declare \"{name}\" to be #spyre.dynamic");
    error(function, message)
}

/// A dimension whose extent is chosen at run time. Extents are in elements.
struct StandIn {
    /// The extent that stands in for it.
    extent: i64,
    name: String,
    smallest: i64,
    largest: u64,
}

/// The dimensions of a function that have stand-in extents.
struct Thaw<'p> {
    context: &'p Context,
    /// Whether the function is one of the host.
    is_host: bool,
    dims: Vec<StandIn>,
    /// By stand-ins, an argument that has the dimension, and where.
    sources: FxHashMap<i64, (Val<'p>, usize)>,
}

impl<'p> Thaw<'p> {
    /// Returns the dimension of which an extent is the stand-in.
    fn dim(&self, extent: i64) -> Option<&StandIn> {
        self.dims.iter().find(|dim| dim.extent == extent)
    }

    /// Returns the name of the dimension of which an extent is the stand-in.
    fn name(&self, extent: i64) -> Option<&str> {
        Some(self.dim(extent)?.name.as_str())
    }

    /// Finds the arguments from which extents are read.
    fn find_sources(&mut self, function: Op<'p>, body: Blk<'p>) {
        for number in 0..body.argument_count() {
            if positions::of_argument(function, number).is_some() {
                continue;
            }
            let argument = argument(body, number);
            for (dim, extent) in static_extents(argument).into_iter().enumerate() {
                if self.name(extent).is_some() {
                    self.sources.entry(extent).or_insert((argument, dim));
                }
            }
        }
    }

    /// Returns the name of a dimension of a value that has a stand-in extent.
    fn name_in(&self, value: Val<'p>) -> Option<&str> {
        static_extents(value)
            .into_iter()
            .find_map(|extent| self.name(extent))
    }

    /// Checks the operations of a block, and of those inside of them, before any value has another type.
    fn check_block(&self, block: Blk<'p>) -> Result<(), Diagnostic<'p>> {
        for op in ir::operations(block) {
            self.check(op)?;
            ir::blocks(op).try_for_each(|inner| self.check_block(inner))?;
        }
        Ok(())
    }

    fn block(&self, block: Blk<'p>) -> Result<(), Diagnostic<'p>> {
        for number in 0..block.argument_count() {
            self.value(argument(block, number));
        }
        for op in ir::operations(block) {
            for inner in ir::blocks(op) {
                self.block(inner)?;
            }
            self.op(op)?;
        }
        Ok(())
    }

    /// Checks that an operation does with stand-in extents what it does with every extent.
    fn check(&self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let refused = |name: &str, what: &str| {
            let message = format!(
                "{NAME}: '{}' {what} \"{name}\", whose extent is chosen at run time",
                ir::name(op)
            );
            Err(error(op, message))
        };
        match ir::kind(op) {
            OpKind::ExtractSlice | OpKind::InsertSlice => {
                let slice = Slice::cast(op).expect("the kind is one of a slice");
                let extents = static_extents(slice.whole()).into_iter();
                let places = slice.offsets().into_iter().zip(slice.strides());
                for ((extent, size), place) in extents.zip(slice.sizes()).zip(places) {
                    let is_whole = size == extent && place == (0, 1);
                    // An offset that the host computes is no number of a stand-in.
                    let is_part = self.is_host && place.0 == DYNAMIC
                        || self.is_in_smallest(extent, size, place);
                    if let Some(name) = self.name(extent).filter(|_| !is_whole && !is_part) {
                        return refused(name, "cuts");
                    }
                    if let Some(name) = self.name(size).filter(|_| !is_whole) {
                        return refused(name, "adds to");
                    }
                }
                Ok(())
            }
            OpKind::CollapseShape | OpKind::ExpandShape => {
                let merged = self.merged(op);
                merged.map_or(Ok(()), |name| {
                    refused(name, "merges with others, or splits,")
                })
            }
            _ if ir::name(op) == "arith.constant" => {
                let value = ir::result(op, 0).expect("a constant has a result");
                match self.name_in(value) {
                    Some(name) => refused(name, "is along"),
                    None => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    /// Returns whether a slice of a dimension is one of its smallest extent as well. Its stand-in is more than twice that, so that what was
    /// computed from it is none.
    fn is_in_smallest(&self, extent: i64, size: i64, (offset, stride): (i64, i64)) -> bool {
        let numbers = [size, offset, stride];
        let is_known = numbers.iter().all(|number| *number != DYNAMIC);
        let dim = self.dim(extent).filter(|_| is_known);
        dim.is_some_and(|dim| offset + (size - 1) * stride < dim.smallest)
    }

    /// Returns the name of a dimension that a reshape merges with others, or splits.
    fn merged(&self, op: Op<'p>) -> Option<&str> {
        let source = static_extents(ir::operand(op, 0).expect("a reshape is one of a tensor"));
        let result = static_extents(ir::result(op, 0).expect("a reshape has a result"));
        let (whole, parts) = match ir::kind(op) {
            OpKind::CollapseShape => (result, source),
            _ => (source, result),
        };
        let groups = op.attribute("reassociation").map(attr::elements);
        let groups = groups.expect("a reshape has groups").into_iter();
        groups.zip(whole).find_map(|(group, whole)| {
            let dims = attr::elements(group).into_iter().filter_map(attr::integer);
            let extents = dims.map(|dim| parts[usize::try_from(dim).expect("checked by MLIR")]);
            let long: Vec<i64> = extents.filter(|extent| *extent != 1).collect();
            let mut all = long.iter().copied().chain([whole]);
            let name = all.find_map(|extent| self.name(extent))?;
            (long != [whole]).then_some(name)
        })
    }

    /// Gives the results of an operation dynamic extents.
    fn op(&self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        if ir::name(op) == "spyre.fill" {
            return self.broadcast(op);
        }
        let is_empty = EmptyOp::cast(op).is_some() || ir::name(op) == "tensor.empty";
        if is_empty && ir::results(op).any(|result| self.name_in(result).is_some()) {
            return self.empty(op);
        }
        let is_reshaped = ir::kind(op) == OpKind::ExpandShape
            && ir::results(op).any(|result| self.name_in(result).is_some());
        if is_reshaped {
            return self.expand(op);
        }
        let is_named = ir::results(op).any(|result| self.name_in(result).is_some());
        if ir::name(op) == reshape::RESHAPE && is_named {
            return self.reshape(op);
        }
        ir::results(op).for_each(|result| self.value(result));
        match Slice::cast(op) {
            Some(slice) => self.slice(op, slice),
            None => Ok(()),
        }
    }
}

impl<'p> Thaw<'p> {
    /// Makes constants of the arguments that stand for positions, and reads the extents that arguments stand for.
    fn arguments(&self, function: Op<'p>, body: Blk<'p>) -> Result<(), Diagnostic<'p>> {
        let start = body
            .first_operation()
            .ok_or_else(|| error(function, "function has no operations"))?;
        let mut next = 0;
        while next < body.argument_count() {
            let number = next;
            let extent = computed::of_argument(function, number);
            let is_extent = extent.is_some();
            let Some(name) = extent.or_else(|| positions::of_argument(function, number)) else {
                next += 1;
                continue;
            };
            let stand_in = self.dims.iter().find(|dim| dim.name == name);
            let stand_in = stand_in.ok_or_else(|| {
                error(function, format!("{NAME}: '{STAND_INS}' has no \"{name}\""))
            })?;
            let chosen = self.chosen(start, stand_in.extent)?;
            if is_extent {
                ir::replace_all_uses(argument(body, number), chosen);
                erase_argument(self.context, function, number);
                continue;
            }
            // On the host it is no argument any more.
            next += usize::from(!self.is_host);
            positions::to_constant(
                self.context,
                function,
                (number, argument(body, number)),
                (&name, stand_in.largest),
                (chosen, At::Before(start)),
                self.is_host,
            );
        }
        Ok(())
    }

    /// Gives an allocation the extents of arguments.
    fn empty(&self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let result = ir::result(op, 0).expect("an allocation has a result");
        let own = static_extents(result);
        let mut operands = Vec::new();
        for extent in own.iter().filter(|extent| self.name(**extent).is_some()) {
            operands.push(self.chosen(op, *extent)?);
        }
        let extents = own.into_iter();
        let extents: Vec<i64> = extents
            .map(|extent| self.name(extent).map_or(extent, |_| DYNAMIC))
            .collect();
        let dynamic = OperationBuilder::new(ir::name(op), op.location())
            .add_operands(&operands)
            .add_results(&[with_extents(result, &extents)])
            .build()
            .map_err(|why| error(op, why))?;
        replace(op, dynamic)
    }

    /// Returns an argument with the dimension that a stand-in is of, and where.
    fn source(&self, op: Op<'p>, extent: i64) -> Result<(Val<'p>, usize), Diagnostic<'p>> {
        self.sources.get(&extent).copied().ok_or_else(|| {
            let name = self.name(extent).unwrap_or("a dimension");
            let message = format!(
                "{NAME}: no argument has \"{name}\", whose extent is chosen at run time and needed here"
            );
            error(op, message)
        })
    }

    /// Gives a slice the extents of the dimensions that it has all of. What it is a part of is dynamic already.
    fn slice(&self, op: Op<'p>, slice: Slice<'p>) -> Result<(), Diagnostic<'p>> {
        if slice.sizes().iter().all(|size| self.name(*size).is_none()) {
            return Ok(());
        }
        let sizes = slice.all_sizes().into_iter();
        let sizes: Vec<SliceSize<'p>> = sizes
            .map(|size| match size {
                SliceSize::Fixed(extent) => self.size(op, extent),
                size => Ok(size),
            })
            .collect::<Result<_, _>>()?;
        replace(op, slice.resized(self.context, &sizes)?)
    }

    /// Builds the extent that a stand-in is of in front of an operation, from an argument: what an operation makes is there behind the
    /// loops only.
    fn chosen(&self, op: Op<'p>, extent: i64) -> Result<Val<'p>, Diagnostic<'p>> {
        let (argument, dim) = self.source(op, extent)?;
        self::extent(self.context, op, argument, dim)
    }

    /// Returns an extent in front of an operation: a number, or what is chosen where it is a stand-in.
    fn size(&self, op: Op<'p>, extent: i64) -> Result<SliceSize<'p>, Diagnostic<'p>> {
        match self.name(extent) {
            Some(_) => self.chosen(op, extent).map(SliceSize::Chosen),
            None => Ok(SliceSize::Fixed(extent)),
        }
    }

    /// Gives a value dynamic extents.
    fn value(&self, value: Val<'p>) {
        if self.name_in(value).is_none() {
            return;
        }
        let extents = static_extents(value).into_iter();
        let extents: Vec<i64> = extents
            .map(|extent| self.name(extent).map_or(extent, |_| DYNAMIC))
            .collect();
        value.set_type(with_extents(value, &extents));
    }

    /// Gives a tensor with one value everywhere extent 1 in place of a stand-in: it repeats where it is read element by element. Where
    /// it is put together with others, [`boundary::fill_parts`] makes it of those.
    fn broadcast(&self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let result = ir::result(op, 0).expect("a fill has a result");
        let Some(name) = self.name_in(result) else {
            return Ok(());
        };
        let mut readers = ir::uses(result).into_iter().map(|found| found.owner);
        let is_spread =
            |reader: &Op<'p>| is_elementwise(*reader) || ir::kind(*reader) == OpKind::InsertSlice;
        if let Some(reader) = readers.find(|reader| !is_spread(reader)) {
            let message = format!(
                "{NAME}: a tensor with one value everywhere is along \"{name}\", whose extent is chosen at run time"
            );
            return Err(error(op, message).note(reader.location(), "it is read here"));
        }
        let extents = static_extents(result).into_iter();
        let extents: Vec<i64> = extents
            .map(|extent| self.name(extent).map_or(extent, |_| 1))
            .collect();
        let ty = with_extents(result, &extents);
        let value = op.attribute("value").map_err(|why| error(op, why))?;
        let number = attr::splat(value).expect("the verifier wants one value");
        let value = DenseElementsAttribute::new(ty, &[number]).map_err(|why| error(op, why))?;
        ir::set_attribute(op, "value", value.into());
        result.set_type(ty);
        Ok(())
    }

    /// Rebuilds a reshape to extents, some of which are dynamic.
    fn reshape(&self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let source = ir::operand(op, 0).expect("a reshape is one of a tensor");
        let result = ir::result(op, 0).expect("a reshape has a result");
        let shape: Vec<SliceSize<'p>> = static_extents(result)
            .into_iter()
            .map(|extent| self.size(op, extent))
            .collect::<Result<_, _>>()?;
        let made = reshape::build(self.context, op, source, &shape);
        ir::replace_all_uses(result, made);
        reshape::erase(op);
        Ok(())
    }

    /// Rebuilds a reshape to a dynamic extent, which is that of a dimension of what is reshaped.
    fn expand(&self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let source = ir::operand(op, 0).expect("a reshape is one of a tensor");
        let result = ir::result(op, 0).expect("a reshape has a result");
        let groups = op
            .attribute("reassociation")
            .map_err(|why| error(op, why))?;
        let mut extents = static_extents(result);
        let mut operands = vec![source];
        for group in attr::elements(groups) {
            for to in attr::elements(group) {
                let to = attr::integer(to).and_then(|to| usize::try_from(to).ok());
                let extent = &mut extents[to.expect("checked by MLIR")];
                if self.name(*extent).is_none() {
                    continue;
                }
                operands.push(self.chosen(op, *extent)?);
                *extent = DYNAMIC;
            }
        }
        let dynamic = OperationBuilder::new("tensor.expand_shape", op.location())
            .add_operands(&operands)
            .add_attributes(&[
                (Identifier::new(self.context, "reassociation"), groups),
                (
                    Identifier::new(self.context, "static_output_shape"),
                    DenseI64ArrayAttribute::new(self.context, &extents).into(),
                ),
            ])
            .add_results(&[with_extents(result, &extents)])
            .build()
            .map_err(|why| error(op, why))?;
        replace(op, dynamic)
    }
}

/// Builds the extent of a dimension of a tensor in front of an operation.
pub(super) fn extent<'p>(
    context: &'p Context,
    op: Op<'p>,
    of: Val<'p>,
    dim: usize,
) -> Result<Val<'p>, Diagnostic<'p>> {
    let at = At::Before(op);
    let dim = i64::try_from(dim).expect("ranks are small");
    let dim = ir::build_index_constant(at, op.location(), dim);
    let index = OperationBuilder::new("tensor.dim", op.location())
        .add_operands(&[of, dim])
        .add_results(&[Type::index(context)])
        .build()
        .map_err(|why| error(op, why))?;
    let index = ir::insert(at, index).expect("the operation is in a block");
    Ok(ir::result(index, 0).expect("tensor.dim has a result"))
}

/// Returns the static extents of a value, with [`DYNAMIC`] for others; empty for what is no tensor.
pub(super) fn static_extents(value: Val<'_>) -> Vec<i64> {
    let shape = shape(value.r#type()).unwrap_or_default().into_iter();
    let extents = shape.map(|extent| match extent {
        DimSize::Static(extent) => extent.cast_signed(),
        DimSize::Dynamic => DYNAMIC,
    });
    extents.collect()
}

/// Returns the type of a tensor with other extents.
fn with_extents<'p>(value: Val<'p>, extents: &[i64]) -> Type<'p> {
    let tensor = RankedTensorType::try_from(value.r#type()).expect("only tensors have extents");
    let extents: Vec<u64> = extents
        .iter()
        .map(|extent| extent.cast_unsigned())
        .collect();
    RankedTensorType::new(&extents, tensor.element(), tensor.encoding()).into()
}

/// Returns whether an operation computes element by element, and repeats operands of extent 1.
fn is_elementwise(op: Op<'_>) -> bool {
    let name = ir::name(op);
    let mnemonic = name.strip_prefix("spyre.");
    mnemonic.is_some_and(spyre_ops::is_elementwise)
}

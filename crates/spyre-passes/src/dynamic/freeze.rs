//! `--spyre-freeze-dynamic-dims` and `--spyre-thaw-dynamic-dims`: stand-in extents for dimensions that are chosen at run time.
//!
//! The conversion from linalg makes views and device operations, and asks for extents everywhere. It need not know which of them
//! are chosen at run time: they have a number that nothing else in the function has. What the conversion computes with such a
//! number would be wrong for another extent, so both passes look for that. The first refuses what reads an extent or a position,
//! and the second one what has cut the dimension, merged it with others, or made a constant along it.

use melior::Context;
use melior::dialect::DialectHandle;
use melior::ir::attribute::{DenseElementsAttribute, DenseI64ArrayAttribute, IntegerAttribute};
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::r#type::{DimSize, IntegerType, RankedTensorType};
use melior::ir::{Identifier, ShapedTypeLike, Type, ValueLike};
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_dialects::attr;
use spyre_dialects::device_op::EmptyOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Op, OpKind, Val};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};

use super::resize::{replace, resize};
use super::slices::{Slice, SliceSize};
use super::{DynamicDims, Symbol, SymbolId, error, is_structured, shape};
use crate::constants::CONSTANT;
use crate::from_linalg::access::{self, LoopId};

const FREEZE: &str = "spyre-freeze-dynamic-dims";
const THAW: &str = "spyre-thaw-dynamic-dims";

/// The attribute of a function with the stand-in extent of each dimension that is chosen at run time.
const STAND_INS: &str = "spyre.stand_ins";

/// The smallest stand-in: small, because constants have as many elements, but more than most dimensions that are unrolled.
const FIRST: u64 = 101;

/// `--spyre-freeze-dynamic-dims`
pub static FREEZE_DYNAMIC_DIMS: RustPass = RustPass {
    argument: FREEZE,
    summary: "Give dimensions that are chosen at run time a stand-in extent",
    description: r#"
Before a program of linalg is converted: each dimension that `spyre.dim_sizes` declares to
be `#spyre.dynamic` gets an extent that no other dimension of the function has.
`spyre.stand_ins` says which. `--spyre-thaw-dynamic-dims` takes it back behind the
conversion. Functions of device operations stay as they are.

```mlir
// before
func.func @twice(%a: tensor<?x256xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x256xf16>
    attributes {spyre.dim_sizes = {D = 256, S = #spyre.dynamic<granularity = 64, max = 512>}} {
  %s = tensor.dim %a, %c0 : tensor<?x256xf16>
  %e = tensor.empty(%s) : tensor<?x256xf16>
  %z = linalg.add ins(%a, %a : ...) outs(%e : tensor<?x256xf16>) -> tensor<?x256xf16>
// after
func.func @twice(%a: tensor<101x256xf16> {spyre.dims = ["S", "D"]}) -> tensor<101x256xf16>
    attributes {spyre.dim_sizes = {...}, spyre.stand_ins = {S = 101}} {
  %e = tensor.empty() : tensor<101x256xf16>
  %z = linalg.add ins(%a, %a : ...) outs(%e : tensor<101x256xf16>) -> tensor<101x256xf16>
```

Operations are generic ones by then (`--spyre-generalize-named-ops`).

Refused: an extent or a position that the program computes with, such as that of a mean;
a reduction along such a dimension of what depends on no input, such as a number of
elements; dynamic extents that are none of the declared dimensions, or two of them.
"#,
    anchor: "func.func",
    options: &[],
    statistics: &[PassStatistic {
        name: "dims",
        description: "Dimensions that got a stand-in extent",
    }],
    dialects: || vec![DialectHandle::arith(), DialectHandle::tensor()],
    run: freeze,
};

/// `--spyre-thaw-dynamic-dims`
pub static THAW_DYNAMIC_DIMS: RustPass = RustPass {
    argument: THAW,
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

Refused: a cut or a merge of such a dimension, and a constant along it. A slice along
other dimensions has all of it.
"#,
    anchor: "func.func",
    options: &[],
    statistics: &[],
    dialects: || vec![DialectHandle::arith(), DialectHandle::tensor()],
    run: thaw,
};

fn freeze<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let function = run.operation();
    let body = ir::function_body(function).filter(|body| has_structured(*body));
    let dims = match body {
        Some(body) => DynamicDims::of_function(function, body)?,
        None => DynamicDims::default(),
    };
    let Some(body) = body.filter(|_| !dims.is_empty()) else {
        run.preserve_analyses();
        return Ok(());
    };
    let mut known = Known::default();
    for number in 0..body.argument_count() {
        known.insert(argument(body, number));
    }
    check_block(body, &dims, &mut known)?;
    let stand_ins = stand_ins(body, dims.symbols().len());
    let size = |SymbolId(symbol): SymbolId| stand_ins[symbol as usize];
    resize(run.context(), function, body, &dims, size, |at, symbol| {
        let value = size(symbol).cast_signed();
        Ok(ir::build_index_constant(at, function.location(), value))
    })?;
    let i64 = IntegerType::new(run.context(), 64).into();
    let entries = dims.symbols().iter().zip(&stand_ins);
    let entries = entries.map(|(Symbol { name, .. }, stand_in)| {
        let value = IntegerAttribute::new(i64, stand_in.cast_signed());
        (name.as_str(), value.into())
    });
    let entries: Vec<_> = entries.collect();
    let stand_ins = attr::dictionary(run.context(), &entries);
    ir::set_discardable_attribute(function, STAND_INS, stand_ins);
    run.count("dims", entries.len());
    Ok(())
}

/// Returns whether a block, or a loop in it, has operations of linalg.
fn has_structured(block: Blk<'_>) -> bool {
    ir::operations(block).any(|op| is_structured(op) || ir::blocks(op).any(has_structured))
}

/// Returns primes that are no extent in a block.
fn stand_ins(body: Blk<'_>, count: usize) -> Vec<u64> {
    let mut taken = FxHashSet::default();
    extents(body, &mut taken);
    let is_prime =
        |number: &u64| (2..=number.isqrt()).all(|divisor| !number.is_multiple_of(divisor));
    let free = (FIRST..).filter(|number| !taken.contains(number));
    free.filter(is_prime).take(count).collect()
}

/// Collects the static extents of all values in a block.
fn extents(block: Blk<'_>, into: &mut FxHashSet<u64>) {
    let mut value = |value: Val<'_>| {
        for extent in shape(value.r#type()).into_iter().flatten() {
            if let DimSize::Static(extent) = extent {
                into.insert(extent);
            }
        }
    };
    for number in 0..block.argument_count() {
        value(argument(block, number));
    }
    for op in ir::operations(block) {
        ir::results(op).for_each(&mut value);
    }
    for op in ir::operations(block) {
        ir::blocks(op).for_each(|inner| extents(inner, into));
    }
}

fn argument<'p>(block: Blk<'p>, number: usize) -> Val<'p> {
    let argument = block.argument(number);
    argument.expect("the number is below the count").into()
}

/// The values that depend on what the function is given.
#[derive(Default)]
struct Known {
    values: FxHashSet<usize>,
}

impl Known {
    fn insert(&mut self, value: Val<'_>) {
        self.values.insert(ir::value_key(value));
    }

    fn has(&self, value: Val<'_>) -> bool {
        self.values.contains(&ir::value_key(value))
    }

    /// Adds the results of an operation that depend on an argument of the function.
    fn add(&mut self, op: Op<'_>) {
        // An extent, and a tensor of that extent, are nothing that the function is given.
        if ir::kind(op) == OpKind::TensorDim || ir::name(op) == "tensor.empty" {
            return;
        }
        let mut is_known = op.operands().any(|value| self.has(value));
        if is_structured(op) {
            // A body that does not read an operand does not depend on it.
            for (result, number) in ir::results(op).zip(0..) {
                let out = out(op, number);
                if combined(op, number).any(|value| self.has(value))
                    || out.is_some_and(|out| self.has(out))
                {
                    self.insert(result);
                }
            }
            return;
        }
        is_known |= ir::blocks(op).next().is_some();
        if is_known {
            ir::results(op).for_each(|result| self.insert(result));
        }
    }
}

/// Returns the operand that a result of a structured operation starts from.
fn out<'p>(op: Op<'p>, number: usize) -> Option<Val<'p>> {
    let results = ir::results(op).count();
    ir::operand(op, op.operand_count().checked_sub(results)? + number)
}

/// Returns the operands whose elements a result of a structured operation is made of, without what it starts from.
fn combined<'p>(op: Op<'p>, number: usize) -> impl Iterator<Item = Val<'p>> {
    let inputs = op.operand_count() - ir::results(op).count();
    let mut found: Vec<Val<'p>> = Vec::new();
    let body = ir::body(op);
    let end = body.and_then(|body| body.terminator());
    let mut open: Vec<Val<'p>> = end
        .and_then(|end| ir::operand(end, number))
        .into_iter()
        .collect();
    let mut seen = FxHashSet::default();
    while let Some(value) = open.pop() {
        if !seen.insert(ir::value_key(value)) {
            continue;
        }
        match ir::source(value) {
            ir::Source::Argument(block, at) if Some(block) == body => {
                if at < inputs {
                    found.extend(ir::operand(op, at));
                }
            }
            // A value from outside of the body.
            ir::Source::Argument(..) => found.push(value),
            ir::Source::Result(of, _) if of.block() != body => found.push(value),
            ir::Source::Result(of, _) => open.extend(of.operands()),
        }
    }
    found.into_iter()
}

/// Checks that nothing in a block computes with an extent or a position that is chosen at run time.
fn check_block<'p>(
    block: Blk<'p>,
    dims: &DynamicDims<'p>,
    known: &mut Known,
) -> Result<(), Diagnostic<'p>> {
    for op in ir::operations(block) {
        if ir::kind(op) == OpKind::TensorDim {
            check_extent(op, dims)?;
        } else if is_structured(op) {
            check_loops(op, dims, known)?;
        } else {
            for inner in ir::blocks(op) {
                for number in 0..inner.argument_count() {
                    known.insert(argument(inner, number));
                }
                check_block(inner, dims, known)?;
            }
        }
        known.add(op);
    }
    Ok(())
}

/// Checks that an extent is read for shapes alone.
fn check_extent<'p>(op: Op<'p>, dims: &DynamicDims<'p>) -> Result<(), Diagnostic<'p>> {
    let extent = ir::result(op, 0).expect("tensor.dim has a result");
    let Some(symbol) = dims.of_index(extent) else {
        return Ok(());
    };
    let uses = ir::uses(extent).into_iter();
    let mut others = uses.filter(|found| {
        let name = ir::name(found.owner);
        Slice::cast(found.owner).is_none()
            && !matches!(name.as_str(), "tensor.empty" | "tensor.expand_shape")
    });
    match others.next() {
        None => Ok(()),
        Some(reader) => {
            let message = format!(
                "{FREEZE}: '{}' computes with the extent of \"{}\", which is chosen at run time",
                ir::name(reader.owner),
                dims.symbol(symbol).name
            );
            Err(error(reader.owner, message).note(op.location(), "the extent is read here"))
        }
    }
}

/// Checks that each loop of a structured operation is along one dimension, and that the operation does not compute with positions
/// along one that is chosen at run time.
fn check_loops<'p>(
    op: Op<'p>,
    dims: &DynamicDims<'p>,
    known: &Known,
) -> Result<(), Diagnostic<'p>> {
    let (Some(body), Ok(maps)) = (ir::body(op), op.attribute("indexing_maps")) else {
        return Ok(());
    };
    let mut loops: FxHashMap<LoopId, (SymbolId, Val<'p>)> = FxHashMap::default();
    let mut fixed: FxHashMap<LoopId, u64> = FxHashMap::default();
    for (value, map) in op.operands().zip(attr::elements(maps)) {
        let symbols = dims.of(value);
        let extents = shape(value.r#type()).unwrap_or_default().into_iter();
        let coordinates = access::read(map).unwrap_or_default();
        for (dim, (at, extent)) in coordinates.iter().zip(extents).enumerate() {
            let Some(id) = at.as_index() else { continue };
            if let DimSize::Static(extent) = extent {
                fixed.insert(id, extent);
            }
            let Some(symbol) = symbols.get(dim).copied().flatten() else {
                continue;
            };
            let (other, first) = *loops.entry(id).or_insert((symbol, value));
            if other != symbol {
                let [a, b] = [other, symbol].map(|symbol| &dims.symbol(symbol).name);
                let message = format!(
                    "{FREEZE}: loop d{} is along both \"{a}\" and \"{b}\", whose extents are chosen apart",
                    id.0
                );
                return Err(error(op, message)
                    .note(first.location(), format!("\"{a}\" comes from here"))
                    .note(value.location(), format!("\"{b}\" comes from here")));
            }
        }
    }
    for (id, extent) in fixed {
        if let Some((symbol, _)) = loops.get(&id) {
            let message = format!(
                "{FREEZE}: loop d{} is along \"{}\", whose extent is chosen at run time, but has {extent} iterations in an operand",
                id.0,
                dims.symbol(*symbol).name
            );
            return Err(error(op, message));
        }
    }
    let positions = ir::operations(body).filter(|inner| ir::name(*inner) == "linalg.index");
    for position in positions {
        let along = position.attribute("dim").ok().and_then(attr::integer);
        let along = along.and_then(|along| usize::try_from(along).ok());
        if let Some((symbol, _)) = loops.get(&LoopId(along.expect("checked by MLIR"))) {
            let message = format!(
                "{FREEZE}: the body computes with the position along \"{}\", whose extent is chosen at run time; give the \
                 function a tensor of positions",
                dims.symbol(*symbol).name
            );
            return Err(error(position, message));
        }
    }
    check_reduction(op, dims, (&loops, known))
}

/// Checks that a reduction along a dimension that is chosen at run time is one of what the function is given: what depends on no
/// input is computed by the compiler, for the stand-in extent.
fn check_reduction<'p>(
    op: Op<'p>,
    dims: &DynamicDims<'p>,
    (loops, known): (&FxHashMap<LoopId, (SymbolId, Val<'p>)>, &Known),
) -> Result<(), Diagnostic<'p>> {
    let iterators = op.attribute("iterator_types").map(attr::elements);
    let iterators = iterators.unwrap_or_default().into_iter().enumerate();
    let mut reduced = iterators
        .filter(|(_, iterator)| iterator.to_string().contains("reduction"))
        .filter_map(|(number, _)| loops.get(&LoopId(number)));
    let Some((symbol, _)) = reduced.next() else {
        return Ok(());
    };
    for number in 0..ir::results(op).count() {
        if !combined(op, number).any(|value| known.has(value)) {
            let name = &dims.symbol(*symbol).name;
            let message = format!(
                "{FREEZE}: what depends on no input is reduced along \"{name}\", whose extent is chosen at run time; give the \
                 function the result, or a tensor to reduce"
            );
            return Err(error(op, message));
        }
    }
    Ok(())
}

fn thaw<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let function = run.operation();
    let (Some(body), Ok(stand_ins)) = (ir::function_body(function), function.attribute(STAND_INS))
    else {
        run.preserve_analyses();
        return Ok(());
    };
    let entries = attr::entries(stand_ins).into_iter();
    let entries = entries.filter_map(|(name, value)| Some((attr::integer(value)?, name)));
    let mut thaw = Thaw {
        context: run.context(),
        names: entries.collect(),
        sources: FxHashMap::default(),
    };
    thaw.find_sources(body);
    for number in 0..body.argument_count() {
        let constant = ir::argument_attribute(function, number, CONSTANT);
        if let (Some(_), Some(name)) = (constant, thaw.name_in(argument(body, number))) {
            let message =
                format!("{THAW}: a constant along \"{name}\", whose extent is chosen at run time");
            return Err(error(function, message).into());
        }
    }
    thaw.block(body)?;
    ir::update_function_type(function);
    ir::remove_discardable_attribute(function, STAND_INS);
    DynamicDims::of_function(function, body)?;
    Ok(())
}

/// The dimensions of a function that have stand-in extents.
struct Thaw<'p> {
    context: &'p Context,
    /// The stand-in extent of each dimension, and its name.
    names: Vec<(i64, String)>,
    /// By stand-ins, an argument that has the dimension, and where.
    sources: FxHashMap<i64, (Val<'p>, usize)>,
}

impl<'p> Thaw<'p> {
    /// Returns the name of the dimension of which an extent is the stand-in.
    fn name(&self, extent: i64) -> Option<&str> {
        let mut names = self.names.iter();
        names.find_map(|(own, name)| (*own == extent).then_some(name.as_str()))
    }

    /// Finds the arguments from which extents are read.
    fn find_sources(&mut self, body: Blk<'p>) {
        for number in 0..body.argument_count() {
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

    fn block(&self, block: Blk<'p>) -> Result<(), Diagnostic<'p>> {
        for op in ir::operations(block) {
            self.check(op)?;
        }
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
                "{THAW}: '{}' {what} \"{name}\", whose extent is chosen at run time",
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
                    if let Some(name) = self.name(extent).filter(|_| !is_whole) {
                        return refused(name, "cuts");
                    }
                    if let Some(name) = self.name(size).filter(|_| !is_whole) {
                        return refused(name, "adds to");
                    }
                }
                Ok(())
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
        ir::results(op).for_each(|result| self.value(result));
        match Slice::cast(op) {
            Some(slice) => self.slice(op, slice),
            None => Ok(()),
        }
    }
}

impl<'p> Thaw<'p> {
    /// Gives an allocation the extents of arguments.
    fn empty(&self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let result = ir::result(op, 0).expect("an allocation has a result");
        let own = static_extents(result);
        let mut operands = Vec::new();
        for extent in own.iter().filter(|extent| self.name(**extent).is_some()) {
            let (argument, dim) = self.source(op, *extent)?;
            operands.push(self.extent(op, argument, dim)?);
        }
        let extents = own.into_iter();
        let extents: Vec<i64> = extents
            .map(|extent| self.name(extent).map_or(extent, |_| DYNAMIC))
            .collect();
        let dynamic = OperationBuilder::new(&ir::name(op), op.location())
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
                "{THAW}: no argument has \"{name}\", whose extent is chosen at run time and needed here"
            );
            error(op, message)
        })
    }

    /// Gives a slice the extents of the dimensions that it has all of. What it is a part of is dynamic already.
    fn slice(&self, op: Op<'p>, slice: Slice<'p>) -> Result<(), Diagnostic<'p>> {
        if slice.sizes().iter().all(|size| self.name(*size).is_none()) {
            return Ok(());
        }
        let sizes = slice.all_sizes().into_iter().enumerate();
        let sizes: Vec<SliceSize<'p>> = sizes
            .map(|(dim, size)| match size {
                SliceSize::Fixed(extent) if self.name(extent).is_some() => {
                    self.extent(op, slice.whole(), dim).map(SliceSize::Chosen)
                }
                size => Ok(size),
            })
            .collect::<Result<_, _>>()?;
        replace(op, slice.resized(self.context, &sizes)?)
    }

    /// Builds the extent of a dimension of a tensor in front of an operation.
    fn extent(&self, op: Op<'p>, of: Val<'p>, dim: usize) -> Result<Val<'p>, Diagnostic<'p>> {
        let at = At::Before(op);
        let dim = i64::try_from(dim).expect("ranks are small");
        let dim = ir::build_index_constant(at, op.location(), dim);
        let index = OperationBuilder::new("tensor.dim", op.location())
            .add_operands(&[of, dim])
            .add_results(&[Type::index(self.context)])
            .build()
            .map_err(|why| error(op, why))?;
        let index = ir::insert(at, index).expect("the operation is in a block");
        Ok(ir::result(index, 0).expect("tensor.dim has a result"))
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

    /// Gives a tensor with one value everywhere extent 1 in place of a stand-in: it repeats where it is read element by element.
    fn broadcast(&self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let result = ir::result(op, 0).expect("a fill has a result");
        let Some(name) = self.name_in(result) else {
            return Ok(());
        };
        let mut readers = ir::uses(result).into_iter().map(|found| found.owner);
        if let Some(reader) = readers.find(|reader| !is_elementwise(*reader)) {
            let message = format!(
                "{THAW}: a tensor with one value everywhere is along \"{name}\", whose extent is chosen at run time"
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

    /// Rebuilds a reshape to a dynamic extent, which is that of a dimension of what is reshaped.
    fn expand(&self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let source = ir::operand(op, 0).expect("a reshape is one of a tensor");
        let result = ir::result(op, 0).expect("a reshape has a result");
        let groups = op
            .attribute("reassociation")
            .map_err(|why| error(op, why))?;
        let mut extents = static_extents(result);
        let mut operands = vec![source];
        for (from, group) in attr::elements(groups).into_iter().enumerate() {
            for to in attr::elements(group) {
                let to = attr::integer(to).and_then(|to| usize::try_from(to).ok());
                let extent = &mut extents[to.expect("checked by MLIR")];
                if self.name(*extent).is_none() {
                    continue;
                }
                *extent = DYNAMIC;
                operands.push(self.extent(op, source, from)?);
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

/// What MLIR has for an extent that is not known.
const DYNAMIC: i64 = i64::MIN;

/// Returns the static extents of a value, with [`DYNAMIC`] for others; empty for what is no tensor.
fn static_extents(value: Val<'_>) -> Vec<i64> {
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

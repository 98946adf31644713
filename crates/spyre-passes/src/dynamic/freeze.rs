//! `--spyre-freeze-dynamic-dims`: stand-in extents for dimensions that are chosen at run time.
//!
//! The conversion from linalg makes views and device operations, and asks for extents everywhere. It need not know which of them
//! are chosen at run time: they have a number that nothing else in the function has. What the conversion computes with such a
//! number would be wrong for another extent, so both passes look for that. This one refuses what computes with an extent, and
//! [`thaw`](super::thaw) what has cut the dimension, merged it with others, or made a constant along it.

use melior::dialect::DialectHandle;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{DimSize, IntegerType};
use melior::ir::{Attribute, ValueLike};
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_dialects::attr;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind, Val};
use spyre_mlir_rt::pass::{Failed, OptionKind, PassOption, PassRun, PassStatistic, RustPass};

use super::computed::{self, Computed};
use super::positions::{self, Position};
use super::reshape;
use super::resize::resize;
use super::slices::Slice;
use super::{DynamicDims, Symbol, SymbolId, error, is_structured, shape};
use crate::from_linalg::access::{self, Coordinate, LoopId};
use crate::walk::{self, device_ops};

const NAME: &str = "spyre-freeze-dynamic-dims";

/// The attribute of a function with the stand-in extent of each dimension that is chosen at run time.
pub(crate) const STAND_INS: &str = "spyre.stand_ins";

/// The smallest stand-in: small, because constants have as many elements, but more than most dimensions that are unrolled. Those of larger
/// granularities are larger than twice these, so that a part of the smallest extent is none that was computed from the stand-in.
const FIRST: u64 = 101;

/// `--spyre-freeze-dynamic-dims`
pub(crate) static FREEZE_DYNAMIC_DIMS: RustPass = RustPass {
    argument: NAME,
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

A position along such a dimension, such as one that a mask compares, is read from a tensor:
an argument until `--spyre-thaw-dynamic-dims`, and a constant from there. An extent that the
program computes with, such as that of a mean, is an argument too, where the host may compute
with it (`host=true`).

Refused: an extent that the program computes with, without `host`; a position along
a dimension that is reduced; a reduction along such a dimension of what depends on no input,
such as a number of elements; dynamic extents that are none of the declared dimensions, or
two of them.
"#,
    anchor: "func.func",
    options: &[PassOption {
        name: "host",
        description: "the host may compute with extents",
        kind: OptionKind::Bool(false),
    }],
    statistics: &[PassStatistic {
        name: "dims",
        description: "Dimensions that got a stand-in extent",
    }],
    dialects: || vec![DialectHandle::arith(), DialectHandle::tensor()],
    run: freeze,
};

fn freeze<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let function = run.operation();
    let is_converted =
        |body: &Blk<'p>| has_structured(*body) || run.flag("host") && !device_ops(*body).is_empty();
    let body = ir::function_body(function).filter(is_converted);
    let mut dims = match body {
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
    let mut found = Found {
        on_host: run.flag("host"),
        ..Found::default()
    };
    check_block(body, &dims, &mut known, &mut found)?;
    let Found {
        positions,
        computed,
        ..
    } = found;
    computed::to_arguments(run.context(), function, &dims, &computed)?;
    if !positions.is_empty() {
        positions::to_arguments(run.context(), function, body, &dims, &positions)?;
        dims = DynamicDims::of_function(function, body)?;
    }
    let least: Vec<u64> = dims.symbols().iter().map(smallest).collect();
    let stand_ins = stand_ins(body, &least);
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

/// Returns the stand-in extents of a function, each with the name of its dimension; `None` for a function that has none.
pub(crate) fn stand_ins_of(function: Op<'_>) -> Option<Vec<(i64, String)>> {
    let entries = attr::entries(ir::attribute(function, STAND_INS)?).into_iter();
    let extents = entries.filter_map(|(name, extent)| Some((attr::integer(extent)?, name)));
    Some(extents.collect())
}

/// Returns the stand-in extents of the function around an operation; none, where it has no dimensions that are chosen at run time.
pub(crate) fn stand_ins_around(op: Op<'_>) -> Vec<i64> {
    let mut around = op.parent_operation();
    while let Some(function) = around {
        if let Some(stand_ins) = stand_ins_of(function) {
            return stand_ins.into_iter().map(|(extent, _)| extent).collect();
        }
        around = function.parent_operation();
    }
    Vec::new()
}

/// Returns whether a block, or a loop in it, has operations that the conversion from linalg replaces.
fn has_structured(block: Blk<'_>) -> bool {
    ir::operations(block).any(|op| {
        let is_joined = matches!(ir::name(op), "tensor.concat" | "tensor.pad");
        is_joined || is_structured(op) || ir::blocks(op).any(has_structured)
    })
}

/// Returns the smallest stand-in of a dimension.
fn smallest(symbol: &Symbol) -> u64 {
    FIRST.max(2 * symbol.extent.granularity() + 1)
}

/// Returns a prime that is no extent in a block for each of some smallest numbers.
fn stand_ins(body: Blk<'_>, least: &[u64]) -> Vec<u64> {
    let mut taken = FxHashSet::default();
    extents(body, &mut taken);
    let is_prime =
        |number: &u64| (2..=number.isqrt()).all(|divisor| !number.is_multiple_of(divisor));
    let mut stand_in = |least: &u64| {
        let mut free = (*least..).filter(|number| is_prime(number) && !taken.contains(number));
        let found = free.next().expect("there is a larger prime");
        taken.insert(found);
        found
    };
    least.iter().map(&mut stand_in).collect()
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

/// Returns an argument of a block.
pub(super) fn argument<'p>(block: Blk<'p>, number: usize) -> Val<'p> {
    let argument = block.argument(number);
    argument.expect("the number is below the count").into()
}

/// The values that depend on what the function is given.
#[derive(Default)]
struct Known {
    values: FxHashSet<ir::ValueKey>,
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
        // The result of `tensor.pad` depends on its operands, and not on its block.
        is_known |= ir::blocks(op).next().is_some() && ir::name(op) != "tensor.pad";
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

/// The operations that compute with extents and positions.
#[derive(Default)]
struct Found<'p> {
    /// Whether the host may compute with extents.
    on_host: bool,
    positions: Vec<Position<'p>>,
    computed: Vec<Computed<'p>>,
}

/// Checks that nothing in a block computes with an extent that is chosen at run time, unless the host does, and finds that and what
/// computes with a position.
fn check_block<'p>(
    block: Blk<'p>,
    dims: &DynamicDims,
    known: &mut Known,
    into: &mut Found<'p>,
) -> Result<(), Diagnostic<'p>> {
    for op in ir::operations(block) {
        if ir::kind(op) == OpKind::TensorDim {
            check_extent(op, dims, into)?;
        } else if is_structured(op) {
            let is_extent = |inner: Op<'p>| (ir::kind(inner) == OpKind::TensorDim).then_some(inner);
            for inner in ir::blocks(op).flat_map(|block| walk::find(block, is_extent)) {
                check_extent(inner, dims, into)?;
            }
            into.positions.extend(check_loops(op, dims, known)?);
        } else {
            for inner in ir::blocks(op) {
                for number in 0..inner.argument_count() {
                    known.insert(argument(inner, number));
                }
                check_block(inner, dims, known, into)?;
            }
        }
        known.add(op);
    }
    Ok(())
}

/// Checks that an extent is read for shapes alone, unless the host may compute with it, and finds what does.
fn check_extent<'p>(
    op: Op<'p>,
    dims: &DynamicDims,
    into: &mut Found<'p>,
) -> Result<(), Diagnostic<'p>> {
    let extent = ir::result(op, 0).expect("tensor.dim has a result");
    let Some(symbol) = dims.of_index(extent) else {
        return Ok(());
    };
    let uses = ir::uses(extent).into_iter();
    let mut others = uses.filter(|found| {
        let name = ir::name(found.owner);
        Slice::cast(found.owner).is_none()
            && !matches!(name, "tensor.empty" | "tensor.expand_shape")
            && !reshape::are_extents(found.owner)
    });
    if into.on_host {
        let computed = others.map(|found| Computed { found, symbol });
        into.computed.extend(computed);
        return Ok(());
    }
    match others.next() {
        None => Ok(()),
        Some(reader) => {
            let message = format!(
                "{NAME}: '{}' computes with the extent of \"{}\", which is chosen at run time",
                ir::name(reader.owner),
                dims.symbol(symbol).name
            );
            Err(error(reader.owner, message).note(op.location(), "the extent is read here"))
        }
    }
}

/// Checks that each loop of a structured operation is along one dimension, and returns what computes with positions along one that
/// is chosen at run time.
fn check_loops<'p>(
    op: Op<'p>,
    dims: &DynamicDims,
    known: &Known,
) -> Result<Vec<Position<'p>>, Diagnostic<'p>> {
    let (Some(body), Ok(maps)) = (ir::body(op), op.attribute("indexing_maps")) else {
        return Ok(Vec::new());
    };
    let mut loops: FxHashMap<LoopId, (SymbolId, Val<'p>)> = FxHashMap::default();
    let mut fixed: FxHashMap<LoopId, u64> = FxHashMap::default();
    for (value, map) in op.operands().zip(attr::elements(maps)) {
        let symbols = dims.of(value);
        // A number is read at no coordinates.
        let extents = shape(value.r#type()).unwrap_or_default().into_iter();
        let coordinates = access::read_each(map).expect("MLIR allows maps without symbols only");
        let mut own: FxHashSet<LoopId> = FxHashSet::default();
        for (dim, (at, extent)) in coordinates.iter().zip(extents).enumerate() {
            let Some(id) = at.as_ref().and_then(Coordinate::as_index) else {
                continue; // No loop is along it by itself.
            };
            if let DimSize::Static(extent) = extent {
                fixed.insert(id, extent);
            }
            let Some(symbol) = symbols.get(dim).copied().flatten() else {
                continue;
            };
            if !own.insert(id) {
                let message = format!(
                    "{NAME}: loop d{} is along two dimensions of one operand; the diagonal of \"{}\", whose extent is chosen at run \
                     time, is not supported",
                    id.0,
                    dims.symbol(symbol).name
                );
                return Err(
                    error(op, message).note(value.location(), "the operand comes from here")
                );
            }
            let (other, first) = *loops.entry(id).or_insert((symbol, value));
            if other != symbol {
                let [a, b] = [other, symbol].map(|symbol| &dims.symbol(symbol).name);
                let message = format!(
                    "{NAME}: loop d{} is along both \"{a}\" and \"{b}\", whose extents are chosen apart",
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
                "{NAME}: loop d{} is along \"{}\", whose extent is chosen at run time, but has {extent} iterations in an operand",
                id.0,
                dims.symbol(*symbol).name
            );
            return Err(error(op, message));
        }
    }
    let iterators = iterators(op);
    check_reduction(op, dims, &iterators, (&loops, known))?;
    let indices = ir::operations(body).filter(|inner| ir::name(*inner) == "linalg.index");
    let mut positions = Vec::new();
    for index in indices {
        let along = ir::attribute(index, "dim").and_then(attr::integer);
        let along = along.and_then(|along| usize::try_from(along).ok());
        let along = LoopId(along.expect("checked by MLIR"));
        let Some((symbol, _)) = loops.get(&along) else {
            continue;
        };
        let is_parallel = ir::name(op) == "linalg.generic"
            && iterators
                .get(along.0)
                .is_some_and(|own| own.to_string().contains("parallel"));
        if !is_parallel {
            let message = format!(
                "{NAME}: the body computes with the position along \"{}\", whose extent is chosen at run time and which is \
                 reduced; give the function a tensor of positions",
                dims.symbol(*symbol).name
            );
            return Err(error(index, message));
        }
        positions.push(Position {
            index,
            structured: op,
            along,
            symbol: *symbol,
        });
    }
    Ok(positions)
}

/// Returns the kinds of a structured operation's loops; none for a named one, which does not write them down.
fn iterators<'p>(op: Op<'p>) -> Vec<Attribute<'p>> {
    let iterators = op.attribute("iterator_types").map(attr::elements);
    iterators.unwrap_or_default()
}

/// Checks that a reduction along a dimension that is chosen at run time is one of what the function is given: what depends on no
/// input is computed by the compiler, for the stand-in extent.
fn check_reduction<'p>(
    op: Op<'p>,
    dims: &DynamicDims,
    iterators: &[Attribute<'p>],
    (loops, known): (&FxHashMap<LoopId, (SymbolId, Val<'p>)>, &Known),
) -> Result<(), Diagnostic<'p>> {
    let mut reduced = iterators
        .iter()
        .enumerate()
        .filter(|(_, iterator)| iterator.to_string().contains("reduction"))
        .filter_map(|(number, _)| loops.get(&LoopId(number)));
    let Some((symbol, _)) = reduced.next() else {
        return Ok(());
    };
    for number in 0..ir::results(op).count() {
        if !combined(op, number).any(|value| known.has(value)) {
            let name = &dims.symbol(*symbol).name;
            let message = format!(
                "{NAME}: what depends on no input is reduced along \"{name}\", whose extent is chosen at run time; give the \
                 function the result, or a tensor to reduce"
            );
            return Err(error(op, message));
        }
    }
    Ok(())
}

//! Parses programs of a document, and finds operations and the facts about their dimensions.

use melior::Context;
use melior::ir::operation::OperationLike;
use spyre_analysis::walk::find;
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::hint::TileHint;
use spyre_dialects::names::SCOPES;
use spyre_mlir_rt::diagnostic::{Reported, collect, place};
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::source::{parse, run_pipeline};
use spyre_ods::func;
use spyre_planning::coarse_tile::{HintTiles, NamedExtent, OpDim, hint_tiles, op_dims};

use crate::document::Lines;

/// The pass that turns scopes around operations into hints on them.
const ASSIGN: &str = "func.func(spyre-assign-dim-hints)";

/// A parsed program.
pub(crate) struct Program<'p> {
    /// The context of its module.
    pub(crate) context: &'p Context,
    /// Its functions, in order.
    pub(crate) functions: Vec<Op<'p>>,
    /// The name of the program's file in locations.
    name: &'p str,
    lines: Lines,
}

/// Parses a program of a file of this name, and returns the result of `work`; `None` if it is no program. Diagnostics
/// are dropped: MLIR's server reports them.
pub(crate) fn with_program<T>(
    context: &Context,
    name: &str,
    text: &str,
    work: impl FnOnce(&Program<'_>) -> T,
) -> Option<T> {
    let parse = || parse(context, name, text.as_bytes());
    let module = collect(context, parse).0?;
    let body = ir::body(module.as_operation())?;
    let functions = find(body, |op| (ir::name(op) == func::FUNC).then_some(op));
    Some(work(&Program {
        context,
        functions,
        name,
        lines: Lines::of(text),
    }))
}

impl<'p> Program<'p> {
    /// Returns the start of an operation's name in the text; `None` if the program gives the operation another
    /// location.
    pub(crate) fn offset(&self, op: Op<'p>) -> Option<usize> {
        let place = place(op.location());
        let place = place.strip_prefix(self.name)?.strip_prefix(':')?;
        let (line, column) = place.split_once(':')?;
        self.lines.offset(line.parse().ok()?, column.parse().ok()?)
    }

    /// Returns the place of a diagnostic in the text; `None` for a place elsewhere.
    pub(crate) fn place_of(&self, reported: &Reported) -> Option<usize> {
        let (file, line, column) = reported.file_line_column.as_ref()?;
        let is_here = file == self.name;
        is_here.then(|| self.lines.offset(*line, *column)).flatten()
    }

    /// Returns the operation with a name that starts at an offset of the text; `None` if there is none.
    pub(crate) fn op_at(&self, offset: usize) -> Option<Op<'p>> {
        let mut ops = self.ops();
        ops.find_map(|(start, op)| (start == offset).then_some(op))
    }

    /// Returns the last operation with a name that starts before an offset, with the start and the function; `None`
    /// if there is none.
    fn op_before(&self, offset: usize) -> Option<(usize, Op<'p>, Op<'p>)> {
        let functions = self.functions.iter().copied();
        let ops = functions.flat_map(|function| {
            let ops = self.ops_of(function).into_iter();
            ops.map(move |(start, op)| (start, op, function))
        });
        ops.filter(|(start, ..)| *start < offset)
            .max_by_key(|(start, ..)| *start)
    }

    /// Returns the operations of all functions with the starts of their names.
    pub(crate) fn ops(&self) -> impl Iterator<Item = (usize, Op<'p>)> {
        let functions = self.functions.iter();
        functions.flat_map(|function| self.ops_of(*function))
    }

    fn ops_of(&self, function: Op<'p>) -> Vec<(usize, Op<'p>)> {
        let body = ir::function_body(function);
        let ops = body.map(|body| find(body, |op| Some((self.offset(op)?, op))));
        ops.unwrap_or_default()
    }
}

/// Returns whether any operation of a function has hints, or a scope is around some.
pub(crate) fn has_hints(function: Op<'_>) -> bool {
    let in_body = ir::function_body(function)
        .is_some_and(|body| !find(body, |op| is_hinted(op).then_some(())).is_empty());
    in_body || is_hinted(function)
}

/// Returns whether an operation has hints, or is a function or a loop that has scopes.
fn is_hinted(op: Op<'_>) -> bool {
    let has_hints = |op: DeviceOp<'_>| op.hints_attribute().is_some();
    op.has_attribute(SCOPES) || DeviceOp::cast(op).is_some_and(has_hints)
}

/// An operation that has a list of hints, and the facts about it.
pub(crate) struct HintedOp {
    /// The name of the operation.
    pub(crate) name: String,
    /// Its dimensions.
    pub(crate) dims: Vec<OpDim>,
    /// The tiles that the loops of its hints make.
    pub(crate) tiles: Vec<HintTiles>,
    /// The names of dimensions of the other operations of the function, without those of its own.
    pub(crate) other_dims: Vec<NamedExtent>,
    /// The lists of hints of the other operations of the function, each once.
    pub(crate) other_hints: Vec<Vec<TileHint>>,
}

/// Returns the operation whose list of hints starts at an offset of a program; `None` if there is no such device
/// operation, or the text is no program.
pub(crate) fn hinted_op(
    context: &Context,
    name: &str,
    text: &str,
    list: usize,
) -> Option<HintedOp> {
    let work = |program: &Program<'_>| {
        let (start, op, function) = program.op_before(list)?;
        DeviceOp::cast(op)?;
        // Diagnostics about the function are those of `check`.
        collect(context, || facts(program, start, op, function)).0
    };
    with_program(context, name, text, work)?
}

fn facts<'p>(
    program: &Program<'p>,
    start: usize,
    op: Op<'p>,
    function: Op<'p>,
) -> Option<HintedOp> {
    let all_dims = op_dims(program.context, function).ok()?;
    let is_op = |other: &Op<'p>| ir::op_key(*other) == ir::op_key(op);
    let (dims, others): (Vec<_>, Vec<_>) = all_dims.into_iter().partition(|(op, _)| is_op(op));
    let dims = dims.into_iter().next()?.1;
    let named = |dim: &OpDim| dim.names.clone();
    let names: Vec<NamedExtent> = dims.iter().flat_map(named).collect();
    let mut other_dims: Vec<NamedExtent> = Vec::new();
    let mut other_hints: Vec<Vec<TileHint>> = Vec::new();
    for (other, dims) in &others {
        for dim in dims.iter().flat_map(named) {
            let is_same = |known: &NamedExtent| known.name == dim.name;
            if !names.iter().any(is_same) && !other_dims.iter().any(is_same) {
                other_dims.push(dim);
            }
        }
        let hints = DeviceOp::cast(*other)
            .map(DeviceOp::hints)
            .unwrap_or_default();
        if !hints.is_empty() && !other_hints.contains(&hints) {
            other_hints.push(hints);
        }
    }
    Some(HintedOp {
        name: ir::name(op).to_owned(),
        dims,
        tiles: tiles(program, start, function),
        other_dims,
        other_hints,
    })
}

/// Returns the tiles of the hints of the operation at an offset; none if the pass refuses them.
fn tiles<'p>(program: &Program<'p>, start: usize, function: Op<'p>) -> Vec<HintTiles> {
    // Hints of scopes around the operation are in the plan as well. A refusal is one of the diagnostics of `check`.
    let assigned = run_pipeline(program.context, function, ASSIGN);
    let tiles = assigned
        .ok()
        .and_then(|()| hint_tiles(program.context, function).ok());
    let mut tiles = tiles.into_iter().flatten();
    let of_op = tiles.find(|(op, _)| program.offset(*op) == Some(start));
    of_op.map(|(_, tiles)| tiles).unwrap_or_default()
}

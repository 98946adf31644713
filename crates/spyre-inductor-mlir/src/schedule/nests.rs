//! Loop nests with other loops and simpler subscripts.

use melior::Context;
use melior::ir::attribute::DenseI32ArrayAttribute;
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::{AffineMap, Attribute, Identifier, Type, ValueLike};
use rustc_hash::FxHashMap;
use spyre_construct::affine;
use spyre_dialects::inductor_attr::{Layout, LayoutKind};
use spyre_index_expr::ranges::Range;
use spyre_index_expr::{Expr, Overflow, Var, simplify as simple};
use spyre_inductor::schedule::graph::Graph;
use spyre_inductor::schedule::nest::{Access, Simpler};
use spyre_inductor::schedule::program::{Program, Symbol};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Op, Val};
use spyre_ods::inductor;

use super::super::import::own_layout;
use super::super::index::{self, Indices};
use super::super::program;
use super::{GraphProgram, error};

/// Simplifies the subscripts of a nest. Returns the number of changed ones.
pub(super) fn simplify<'p>(
    context: &'p Context,
    symbols: &[Symbol],
    op: Op<'p>,
) -> Result<usize, Diagnostic<'p>> {
    let body = ir::body(op).expect("a nest has a block");
    let loops = program::loops(op)?;
    let program = Program {
        symbols: symbols.to_vec(),
        ..Program::default()
    };
    let range = |var: Var| program.range(&loops, var);
    simplify_block(context, &range, body)
}

fn simplify_block<'p>(
    context: &'p Context,
    range: &dyn Fn(Var) -> Option<Range>,
    block: Blk<'p>,
) -> Result<usize, Diagnostic<'p>> {
    let mut count = 0;
    for op in ir::operations(block) {
        if ir::name(op) == inductor::MASKED {
            let inner = ir::body(op).expect("it has a block");
            count += simplify_block(context, range, inner)?;
        }
        let Some(map) = ir::attribute(op, "map").and_then(ir::affine_map_value) else {
            continue;
        };
        let first = op.operand_count() - map.dim_count();
        // A dimension of the map is a loop, or an index that was read.
        let number = |dim: usize| u32::try_from(dim).expect("dimensions are few");
        let vars: Vec<Var> = (0..map.dim_count())
            .map(|dim| match ir::operand(op, first + dim).map(ir::source) {
                Some(ir::Source::Argument(_, at)) => Var::Loop(number(at)),
                _ => Var::Indirect(number(dim)),
            })
            .collect();
        let exprs =
            affine::exprs(map, &|dim| Expr::var(vars[dim])).map_err(|err| error(op, err))?;
        let simpler: Vec<Expr> = exprs
            .iter()
            .map(|expr| simple(expr, &range))
            .collect::<Result<_, _>>()
            .map_err(|err| error(op, err))?;
        if simpler == exprs {
            continue;
        }
        let dim = |var: Var| vars.iter().position(|other| *other == var);
        let results: Vec<_> = simpler
            .iter()
            .map(|expr| affine::affine(context, expr, &dim))
            .collect::<Result<_, _>>()
            .map_err(|err| error(op, err))?;
        let map = AffineMap::new(context, map.dim_count(), map.symbol_count(), &results);
        ir::set_attribute(op, "map", ir::affine_map_attribute(map));
        count += 1;
    }
    Ok(count)
}

/// Gives every nest the decided loops. Returns the number of changed nests.
pub(super) fn set_all<'p>(
    context: &'p Context,
    read: &GraphProgram<'p>,
    graph: &Graph<'_>,
) -> Result<usize, Diagnostic<'p>> {
    let mut changed = 0;
    for (node, op) in graph.nodes.iter().zip(&read.ops) {
        if let Some(simpler) = &node.loops {
            changed += usize::from(set(context, *op, simpler)?);
        }
    }
    Ok(changed)
}

/// Gives a nest other loops. Returns whether they differ from the old ones.
fn set<'p>(context: &'p Context, op: Op<'p>, simpler: &Simpler) -> Result<bool, Diagnostic<'p>> {
    let number = |number: usize| u32::try_from(number).expect("loops are few");
    let before = program::loops(op)?;
    let is_same = |(at, expr): (usize, &Expr)| *expr == Expr::var(Var::Loop(number(at)));
    if simpler.loops.iter().enumerate().all(is_same) && simpler.nest.loops == before {
        return Ok(false);
    }
    let is_kept = |at: usize| match simpler.loops[at].as_var() {
        Some(Var::Loop(new)) => simpler.nest.loops[new as usize] == before[at],
        _ => false,
    };
    let kept: Vec<bool> = (0..before.len()).map(is_kept).collect();
    substitute(context, op, simpler, kept)?;
    let loops = affine::sizes(context, &simpler.nest.loops).map_err(|err| error(op, err))?;
    ir::set_attribute(op, "loops", ir::affine_map_attribute(loops));
    Ok(true)
}

/// Puts expressions of new loops in place of the loops of a nest. A subscript of loops that are `kept` stays one; one
/// with other loops becomes a place in memory.
pub(super) fn substitute<'p>(
    context: &'p Context,
    op: Op<'p>,
    simpler: &Simpler,
    kept: Vec<bool>,
) -> Result<(), Diagnostic<'p>> {
    let body = ir::body(op).expect("a nest has a block");
    let count = kept.len();
    let arguments: Vec<Val<'p>> = simpler
        .nest
        .loops
        .iter()
        .map(|_| body.add_argument(Type::index(context), op.location()))
        .collect();
    let mut change = Change {
        context,
        of: op,
        simpler,
        arguments,
        kept,
        indirect: FxHashMap::default(),
        indices: Vec::new(),
        applied: Vec::new(),
        loads: simpler.nest.loads.iter(),
        numbers: simpler.nest.numbers.iter(),
    };
    change.block(body)?;
    // The functions in the new indices are built with them, so the old ones go.
    for applied in std::mem::take(&mut change.applied).into_iter().rev() {
        ir::erase(applied);
    }
    for at in (0..count).rev() {
        ir::erase_argument(body, at);
    }
    Ok(())
}

/// A nest with loops that are being changed.
struct Change<'a, 'p> {
    context: &'p Context,
    of: Op<'p>,
    simpler: &'a Simpler,
    /// The new loops.
    arguments: Vec<Val<'p>>,
    /// For each old loop, whether it is still a loop with the same extent.
    kept: Vec<bool>,
    /// The numbers of indices that are read.
    indirect: FxHashMap<ir::ValueKey, u32>,
    indices: Vec<Val<'p>>,
    /// The functions of old loops, in order.
    applied: Vec<Op<'p>>,
    loads: std::slice::Iter<'a, Access>,
    numbers: std::slice::Iter<'a, Expr>,
}

impl<'p> Change<'_, 'p> {
    fn block(&mut self, block: Blk<'p>) -> Result<(), Diagnostic<'p>> {
        let ops: Vec<Op<'p>> = ir::operations(block).collect();
        for op in ops {
            match ir::name(op) {
                inductor::LOAD => {
                    let source = ir::operand(op, 0).expect("a load has a source");
                    let access = self.loads.next().expect("every load has a place");
                    self.access(op, 1, (source.r#type(), &access.index))?;
                }
                inductor::STORE => {
                    let values = program::accessed_from(op);
                    let access = self.simpler.nest.stores.first();
                    let access = access.expect("a nest stores");
                    let ty = program::result(self.of, 0).r#type();
                    self.access(op, values, (ty, &access.index))?;
                }
                inductor::INDEX_EXPR => {
                    let expr = self.numbers.next().expect("every number has an expression");
                    self.rebuild(op, 0, (std::slice::from_ref(expr), None))?;
                }
                index::APPLY => self.applied.push(op),
                inductor::CHECK_BOUNDS => {
                    let at = program::subscript(op, 0, &self.indirect)?;
                    let at = self.of_new_loops(op, &at)?;
                    self.rebuild(op, 0, (&at, None))?;
                }
                inductor::INDIRECT => {
                    let value = program::result(op, 0);
                    let number = u32::try_from(self.indices.len()).expect("indices are few");
                    self.indirect.insert(ir::value_key(value), number);
                    self.indices.push(value);
                }
                inductor::MASKED => {
                    let inner = ir::body(op).expect("it has a block");
                    self.block(inner)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Changes a load or a store: its subscripts stay if their loops do, and are a place in memory otherwise.
    fn access(
        &self,
        op: Op<'p>,
        first: usize,
        (ty, place): (Type<'p>, &Expr),
    ) -> Result<(), Diagnostic<'p>> {
        let at = program::subscript(op, first, &self.indirect)?;
        let mut is_kept = true;
        for expr in &at {
            expr.visit(&mut |var| {
                if let Var::Loop(number) = var {
                    is_kept &= self.kept[number as usize];
                }
            });
        }
        if is_kept {
            let at = self.of_new_loops(op, &at)?;
            let view = ir::attribute(op, "view");
            return self.rebuild(op, first, (&at, view));
        }
        let layout = own_layout(ty).expect("a buffer has a layout");
        let size = program::size_of(op, ty, &layout)?;
        let span = span(&size, &layout).map_err(|err| error(op, err))?;
        let sizes = |expr: Expr| {
            let map = affine::sizes(self.context, &[expr]);
            map.map_err(|err| error(op, err))
        };
        let line = Layout {
            kind: LayoutKind::Fixed,
            stride: sizes(Expr::constant(1))?,
            size: Some(sizes(span)?),
            offset: sizes(Expr::constant(0))?,
            base_offset: sizes(Expr::constant(0))?,
        };
        let view = line.attribute(self.context);
        let view = view.expect("a line is a layout");
        self.rebuild(op, first, (std::slice::from_ref(place), Some(view)))
    }

    /// Returns expressions of old loops as expressions of new ones.
    fn of_new_loops(&self, op: Op<'p>, exprs: &[Expr]) -> Result<Vec<Expr>, Diagnostic<'p>> {
        let new = |var| match var {
            Var::Loop(number) => Some(self.simpler.loops[number as usize].clone()),
            _ => None,
        };
        let exprs: Result<Vec<Expr>, Overflow> =
            exprs.iter().map(|expr| expr.substitute(&new)).collect();
        exprs.map_err(|err| error(op, err))
    }

    /// Builds an operation again, with other indices after its first operands.
    fn rebuild(
        &self,
        op: Op<'p>,
        first: usize,
        (at, view): (&[Expr], Option<Attribute<'p>>),
    ) -> Result<(), Diagnostic<'p>> {
        let context = self.context;
        let indices = Indices {
            context,
            at: At::Before(op),
            location: op.location(),
            loops: &self.arguments,
            read: &|number| self.indices.get(number as usize).copied(),
        };
        let (map, indices) = indices.build(at).map_err(|err| error(op, err))?;
        let mut operands: Vec<Val<'p>> = op.operands().take(first).collect();
        operands.extend(indices);
        let named = |name, value| (Identifier::new(context, name), value);
        let mut attributes = vec![named("map", ir::affine_map_attribute(map))];
        attributes.extend(view.map(|view| named("view", view)));
        if ir::name(op) == inductor::STORE {
            let length = |length: usize| i32::try_from(length).expect("operands are few");
            let segments = [length(first), length(operands.len() - first)];
            let segments = DenseI32ArrayAttribute::new(context, &segments);
            attributes.push(named("operandSegmentSizes", segments.into()));
        }
        for name in ["size", "lower", "upper"] {
            // The attributes of inductor.check_bounds.
            attributes.extend(ir::attribute(op, name).map(|value| named(name, value)));
        }
        let results: Vec<Type<'p>> = ir::results(op).map(|result| result.r#type()).collect();
        let built = OperationBuilder::new(ir::name(op), op.location())
            .add_operands(&operands)
            .add_results(&results)
            .add_attributes(&attributes)
            .build()
            .expect("every part of the operation is given");
        let built = ir::insert(At::Before(op), built).expect("the operation is in a block");
        for (old, new) in ir::results(op).zip(ir::results(built)) {
            ir::replace_all_uses(old, new);
        }
        ir::erase(op);
        Ok(())
    }
}

/// Returns the number of elements from the first one of memory to the last one of a buffer.
fn span(size: &[Expr], layout: &Layout<'_>) -> Result<Expr, Overflow> {
    let strides = affine::size_exprs(layout.stride)?;
    let mut span = affine::size_exprs(layout.offset)?.swap_remove(0);
    span = span.add(&Expr::constant(1))?;
    for (extent, stride) in size.iter().zip(&strides) {
        let last = extent.add(&Expr::constant(-1))?;
        span = span.add(&last.mul(stride)?)?;
    }
    Ok(span)
}

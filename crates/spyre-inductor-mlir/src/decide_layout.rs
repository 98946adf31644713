//! `--inductor-decide-layout`: decides the layouts of buffers with open layouts.

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::RankedTensorType;
use melior::ir::{Type, ValueLike};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use spyre_construct::affine;
use spyre_construct::build::element_type;
use spyre_dialects::inductor_attr::{Layout, LayoutKind};
use spyre_index_expr::{Expr, Var};
use spyre_inductor::schedule::layout;
use spyre_inductor::schedule::program::{BufferId, Program};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_ods::inductor;

use super::alike::{Alike, Sources};
use super::errors::error;
use super::import::own_layout;
use super::memo::Memo;
use super::program;

/// `--inductor-decide-layout`
pub static INDUCTOR_DECIDE_LAYOUT: RustPass = RustPass {
    argument: "inductor-decide-layout",
    summary: "Decide the layouts of buffers with open layouts",
    description: include_str!("decide_layout.md"),
    anchor: inductor::GRAPH,
    options: &[],
    statistics: &[PassStatistic {
        name: "decided",
        description: "Buffers with a decided layout",
    }],
    dialects: Vec::new,
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let graph = run.operation();
    program::check_unfused(graph)?;
    let decider = Decider {
        run,
        program: Program {
            symbols: program::symbols(graph),
            ..Program::default()
        },
        decided: Memo::default(),
    };
    let body = ir::body(graph).expect("a graph has a block");
    for op in ir::operations(body) {
        for value in ir::results(op) {
            // A result that is written in place has the memory of the buffer.
            if let Some(of) = program::overwritten(op, value) {
                value.set_type(of.r#type());
                continue;
            }
            let flexible = own_layout(value.r#type());
            let flexible = flexible.filter(|layout| layout.kind == LayoutKind::Flexible);
            if let Some(flexible) = flexible {
                decider.decide(op, (value, flexible))?;
                run.count("decided", 1);
            }
        }
    }
    Ok(())
}

/// The facts that a layout depends on: the type of the buffer, and its producer, if that is a nest: its work, and which
/// loads read the same buffer.
type Case<'p> = (Type<'p>, Option<(Alike<'p>, SmallVec<[BufferId; 4]>)>);

/// The type of a buffer with its decided layout, and whether an element has moved.
type Decided<'p> = (Type<'p>, bool);

/// The state of a graph while its layouts are decided.
struct Decider<'p> {
    run: &'p PassRun<'p>,
    program: Program,
    decided: Memo<Case<'p>, Decided<'p>>,
}

impl<'p> Decider<'p> {
    fn decide(
        &self,
        op: Op<'p>,
        (value, flexible): (Val<'p>, Layout<'p>),
    ) -> Result<(), Diagnostic<'p>> {
        // A nest that stores through a view does not determine the dimensions of the buffer, so its initial layout
        // stays.
        let is_nest = program::is_nest(op) && !stores_through_view(op);
        let ty = value.r#type();
        let new = || self.fixed(op, (ty, is_nest), flexible);
        let maker = is_nest.then(|| Alike::of(op));
        let (ty, has_moved) = match maker {
            // A nest that cannot be compared with other nests.
            Some(None) => new(),
            Some(Some((alike, sources))) => {
                let maker = Some((alike, numbered(&sources)));
                self.decided.try_of(&(ty, maker), new)
            }
            None => self.decided.try_of(&(ty, None), new),
        }?;
        if has_moved {
            check_views(op, value)?;
        }
        value.set_type(ty);
        Ok(())
    }

    /// Returns the type of a buffer with the layout that is decided, and whether an element is elsewhere.
    fn fixed(
        &self,
        op: Op<'p>,
        (ty, is_nest): (Type<'p>, bool),
        flexible: Layout<'p>,
    ) -> Result<Decided<'p>, Diagnostic<'p>> {
        let context = self.run.context();
        let mut fixed = Layout {
            kind: LayoutKind::Fixed,
            ..flexible
        };
        if is_nest {
            let (reads, loops) = reads(op)?;
            let size = program::size_of(op, ty, &flexible)?;
            let order = layout::decide(&self.program, &reads, &loops, &size);
            if let Some(order) = order.map_err(|err| error(op, err))? {
                let strides = layout::filled(&order, &size).map_err(|err| error(op, err))?;
                let strides = affine::sizes(context, &strides);
                fixed.stride = strides.map_err(|err| error(op, err))?;
            }
        }
        let has_moved = has_moved(op, ty, &flexible, &fixed)?;
        let encoding = fixed.attribute(context);
        let encoding = encoding.expect("a layout with other strides is one");
        let tensor = RankedTensorType::try_from(ty).expect("a buffer is a tensor");
        let extents = super::import::extents(tensor);
        let ty = RankedTensorType::new(&extents, element_type(ty), Some(encoding));
        Ok((ty.into(), has_moved))
    }
}

/// Returns whether a nest stores its result at coordinates of a view.
fn stores_through_view(op: Op<'_>) -> bool {
    let store = ir::body(op).and_then(|block| block.terminator());
    store.is_some_and(|store| store.has_attribute("view"))
}

/// Returns a number for each source, which is the same for the same value.
fn numbered(sources: &Sources<'_>) -> SmallVec<[BufferId; 4]> {
    let mut numbers = FxHashMap::default();
    let number = |source: &Val<'_>| {
        let next = u32::try_from(numbers.len()).expect("loads are counted");
        BufferId(*numbers.entry(ir::value_key(*source)).or_insert(next))
    };
    sources.iter().map(number).collect()
}

/// Places that are read, and the loop along each dimension of the result.
type Reads = (Vec<(BufferId, Expr)>, Vec<Option<Var>>);

/// Returns the places that a nest reads, and the loop along each dimension of its result.
fn reads<'p>(op: Op<'p>) -> Result<Reads, Diagnostic<'p>> {
    let (nest, sources) = program::nest(op)?;
    let loads = nest.loads.into_iter().map(|load| load.index);
    let reads = numbered(&sources).into_iter().zip(loads).collect();
    let at = program::stored_at(op)?;
    let is_loop = |var: &Var| matches!(var, Var::Loop(_));
    let loops = at.iter().map(|at| at.as_var().filter(is_loop));
    Ok((reads, loops.collect()))
}

/// Returns whether an element is at another place than before.
fn has_moved<'p>(
    op: Op<'p>,
    ty: Type<'p>,
    before: &Layout<'p>,
    after: &Layout<'p>,
) -> Result<bool, Diagnostic<'p>> {
    let size = program::size_of(op, ty, before)?;
    let strides = |layout: &Layout<'p>| affine::size_exprs(layout.stride);
    let (before, after) = (strides(before), strides(after));
    let before = before.map_err(|err| error(op, err))?;
    let after = after.map_err(|err| error(op, err))?;
    let one = Expr::constant(1);
    let mut dims = (0..size.len()).filter(|dim| size[*dim] != one);
    Ok(dims.any(|dim| before[dim] != after[dim]))
}

/// Checks that no operation reads or writes another view of the memory of a buffer.
fn check_views<'p>(op: Op<'p>, value: Val<'p>) -> Result<(), Diagnostic<'p>> {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        for user in ir::uses(value).into_iter().map(|user| user.owner) {
            let is_view = ir::name(user) == inductor::VIEW
                || user.has_attribute("view")
                || program::is_nest(user) && stores_through_view(user);
            if is_view {
                let message = "a view of its memory would no longer have its elements";
                return Err(error(op, message).note(user.location(), "the view is here"));
            }
            let results = ir::results(user);
            pending.extend(
                results.filter(|result| program::overwritten(user, *result) == Some(value)),
            );
        }
    }
    Ok(())
}

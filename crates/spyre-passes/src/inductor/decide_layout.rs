//! `--inductor-decide-layout`: decides where the elements of buffers are that nobody has placed.

use std::cell::RefCell;

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::RankedTensorType;
use melior::ir::{Type, ValueLike};
use rustc_hash::FxHashMap;
use spyre_dialects::inductor_attr::{Layout, LayoutKind};
use spyre_inductor::expr::{Expr, Var};
use spyre_inductor::schedule::layout;
use spyre_inductor::schedule::nest::Access;
use spyre_inductor::schedule::program::{BufferId, Program};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};

use super::affine;
use super::import::own_layout;
use super::memo::Memo;
use super::program::{self, Maps, error};
use crate::from_linalg::build::element_type;

/// `--inductor-decide-layout`
pub static INDUCTOR_DECIDE_LAYOUT: RustPass = RustPass {
    argument: "inductor-decide-layout",
    summary: "Decide where the elements of buffers are that nobody has placed",
    description: include_str!("decide_layout.md"),
    anchor: "inductor.graph",
    options: &[],
    statistics: &[PassStatistic {
        name: "decided",
        description: "Buffers whose layout was decided",
    }],
    dialects: Vec::new,
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let graph = run.operation();
    let decider = Decider {
        run,
        program: Program {
            symbols: program::symbols(graph),
            ..Program::default()
        },
        maps: Maps::default(),
        decided: Memo::default(),
    };
    let body = ir::body(graph).expect("a graph has a block");
    for op in ir::operations(body) {
        for value in ir::results(op) {
            // What is written in place is where it was.
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

/// What decides about a layout: the buffer as it is, and if its maker is a nest, what that reads and the loop along each dimension.
type Case<'p> = (Type<'p>, Option<(Vec<Access>, Vec<Option<Var>>)>);

/// What is known about a graph while its layouts are decided.
struct Decider<'p> {
    run: &'p PassRun<'p>,
    program: Program,
    maps: Maps<'p>,
    /// The types of buffers whose layout is decided, and whether an element is elsewhere than before.
    decided: Memo<Case<'p>, (Type<'p>, bool)>,
}

impl<'p> Decider<'p> {
    fn decide(
        &self,
        op: Op<'p>,
        (value, flexible): (Val<'p>, Layout<'p>),
    ) -> Result<(), Diagnostic<'p>> {
        // A nest that stores through a view says nothing about the dimensions of the buffer, whose guess stays.
        let nest = match program::is_nest(op) && !stores_through_view(op) {
            true => Some(reads(&self.maps, op)?),
            false => None,
        };
        let case = (value.r#type(), nest);
        let decided = self
            .decided
            .try_of(&case, || self.fixed(op, &case, flexible));
        let (ty, has_moved) = decided?;
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
        (ty, nest): &Case<'p>,
        flexible: Layout<'p>,
    ) -> Result<(Type<'p>, bool), Diagnostic<'p>> {
        let context = self.run.context();
        let mut fixed = Layout {
            kind: LayoutKind::Fixed,
            ..flexible
        };
        if let Some((reads, loops)) = nest {
            let size = program::size_of(op, *ty, &flexible)?;
            let order = layout::decide(&self.program, reads, loops, &size);
            if let Some(order) = order.map_err(|why| error(op, why))? {
                let strides = layout::filled(&order, &size).map_err(|why| error(op, why))?;
                let strides = affine::sizes(context, &strides);
                fixed.stride = strides.map_err(|why| error(op, why))?;
            }
        }
        let has_moved = has_moved(op, *ty, &flexible, &fixed)?;
        let encoding = fixed.attribute(context);
        let encoding = encoding.expect("a layout with other strides is one");
        let tensor = RankedTensorType::try_from(*ty).expect("a buffer is a tensor");
        let extents = super::import::extents(tensor);
        let ty = RankedTensorType::new(&extents, element_type(*ty), Some(encoding));
        Ok((ty.into(), has_moved))
    }
}

/// Returns whether a nest stores what it makes at coordinates of a view.
fn stores_through_view(op: Op<'_>) -> bool {
    let store = ir::body(op).and_then(|block| block.terminator());
    store.is_some_and(|store| store.has_attribute("view"))
}

/// Returns the places that a nest reads, and the loop along each dimension of what it makes.
fn reads<'p>(
    maps: &Maps<'p>,
    op: Op<'p>,
) -> Result<(Vec<Access>, Vec<Option<Var>>), Diagnostic<'p>> {
    let known = RefCell::new(FxHashMap::default());
    let buffer = |value: Val<'p>| {
        let mut known = known.borrow_mut();
        let next = BufferId(u32::try_from(known.len()).expect("buffers are counted"));
        *known.entry(ir::value_key(value)).or_insert(next)
    };
    let reads = maps.nest(op, BufferId(u32::MAX), &buffer)?.loads;
    let at = maps.stored_at(op)?;
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
    let before = before.map_err(|why| error(op, why))?;
    let after = after.map_err(|why| error(op, why))?;
    let one = Expr::constant(1);
    let mut dims = (0..size.len()).filter(|dim| size[*dim] != one);
    Ok(dims.any(|dim| before[dim] != after[dim]))
}

/// Checks that nobody reads or writes another view of the memory of a buffer.
fn check_views<'p>(op: Op<'p>, value: Val<'p>) -> Result<(), Diagnostic<'p>> {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        for user in ir::uses(value).into_iter().map(|own| own.owner) {
            let is_view = ir::name(user) == "inductor.view"
                || user.has_attribute("view")
                || program::is_nest(user) && stores_through_view(user);
            if is_view {
                let why = "its elements would be elsewhere than a view of its memory says";
                return Err(error(op, why).note(user.location(), "the view is here"));
            }
            let results = ir::results(user);
            pending.extend(
                results.filter(|result| program::overwritten(user, *result) == Some(value)),
            );
        }
    }
    Ok(())
}

//! `--spyre-uplift-loops`: turns counted loops of front ends into `scf.for` over windows with affine offsets.
//!
//! * Upstream's uplifting turns `scf.while` into `scf.for`, in terms of scalars (`ir::uplift_loops`).
//! * The loop then counts by an index, and other counters are computed from it.
//! * `offsets` computes the offsets of windows for every iteration, and writes the linear ones as an `affine.apply`.

mod offsets;

use melior::Context;
use melior::dialect::DialectHandle;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{AffineExpr, AffineMap, Type, TypeLike, ValueLike};
use spyre_analysis::walk::{self, Carried, iterations};
use spyre_dialects::attr;
use spyre_mlir_rt::ir::{self, At, Blk, Op, OpKind, Val};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_ods::{arith, func};

/// `--spyre-uplift-loops`
pub static UPLIFT_LOOPS: RustPass = RustPass {
    argument: "spyre-uplift-loops",
    summary: "Make counted loops of front ends scf.for, with affine offsets",
    description: include_str!("uplift.md"),
    anchor: func::FUNC,
    options: &[],
    statistics: &[
        PassStatistic {
            name: "loops",
            description: "Loops that count by an index",
        },
        PassStatistic {
            name: "offsets",
            description: "Offsets of windows that are affine",
        },
    ],
    dialects: || {
        vec![
            DialectHandle::affine(),
            DialectHandle::arith(),
            DialectHandle::scf(),
            DialectHandle::tensor(),
        ]
    },
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let Some(body) = ir::function_body(run.operation()) else {
        return Ok(());
    };
    ir::uplift_loops(run.operation());
    let mut loops = Vec::new();
    let mut windows = Vec::new();
    collect(run, body, &mut loops, &mut windows);
    for (window, around) in windows {
        run.count("offsets", offsets::write(run.context(), window, &around));
    }
    Ok(())
}

/// An `scf.for` that counts from 0, in steps of 1.
#[derive(Debug, Clone, Copy)]
struct Counted<'p> {
    variable: Val<'p>,
    /// The number of iterations.
    trips: i64,
}

/// Makes the loops of a block count by an index, and collects the windows in them with the loops around each, outermost first.
fn collect<'p>(
    run: &'p PassRun<'p>,
    block: Blk<'p>,
    around: &mut Vec<Counted<'p>>,
    windows: &mut Vec<(Op<'p>, Vec<Counted<'p>>)>,
) {
    for op in ir::operations(block) {
        if ir::window(op).is_some() && !around.is_empty() {
            windows.push((op, around.clone()));
        }
        let counted = (ir::kind(op) == OpKind::For)
            .then(|| count_by_index(run, op))
            .flatten();
        around.extend(counted);
        for inner in ir::blocks(op) {
            collect(run, inner, around, windows);
        }
        if counted.is_some() {
            around.pop();
        }
    }
}

/// Makes a loop of constant bounds count by an index, from 0 in steps of 1; `None` for other loops.
fn count_by_index<'p>(run: &'p PassRun<'p>, op: Op<'p>) -> Option<Counted<'p>> {
    let bounds = [0, 1, 2].map(|number| ir::operand(op, number).and_then(integer));
    let [Some(lower), Some(upper), Some(step)] = bounds else {
        return None;
    };
    let trips = iterations(lower, upper, step)?;
    let body = ir::body(op).expect("a loop has a body");
    let variable: Val<'p> = body.argument(0).ok()?.into();
    let ty = variable.r#type();
    if !ty.is_index() || (lower, step) != (0, 1) {
        for (number, bound) in [0, trips, 1].into_iter().enumerate() {
            let bound = ir::build_index_constant(At::Before(op), op.location(), bound);
            ir::set_operand(op, number, bound);
        }
        variable.set_type(Type::index(run.context()));
        let uses = ir::uses(variable);
        let value = linear(run.context(), op, body, variable, (lower, step), ty);
        for usage in uses {
            ir::set_operand(usage.owner, usage.operand, value);
        }
    }
    let counted = Counted { variable, trips };
    count_beside(run, op, body, counted);
    run.count("loops", 1);
    Some(counted)
}

/// Computes the integers that a loop carries, and to each of which every iteration adds the same, from the induction variable.
fn count_beside<'p>(run: &'p PassRun<'p>, op: Op<'p>, body: Blk<'p>, counted: Counted<'p>) {
    let end = body.terminator().expect("the body of a loop has an end");
    for (number, value) in walk::carried(op).enumerate() {
        let Carried {
            operand: _,
            init,
            inside: carried,
            yielded,
            result,
        } = value;
        let ty = carried.r#type();
        let Some((start, step)) = integer(init).zip(added(yielded, carried)) else {
            continue;
        };
        let sum = counted.trips.checked_mul(step);
        let Some(last) = sum.and_then(|sum| sum.checked_add(start)) else {
            continue;
        };
        let uses = ir::uses(carried);
        let value = linear(run.context(), op, body, counted.variable, (start, step), ty);
        for usage in uses {
            ir::set_operand(usage.owner, usage.operand, value);
        }
        // The loop yields it unchanged, which the canonicalizer folds.
        ir::set_operand(end, number, carried);
        let behind = At::Before(op.next_in_block().expect("a loop does not end a block"));
        let last = ir::build_index_constant(behind, op.location(), last);
        ir::replace_all_uses(
            result,
            ir::build_index_cast(behind, op.location(), last, ty),
        );
    }
}

/// Builds `start + step * variable` at the start of a loop's body.
fn linear<'p>(
    context: &'p Context,
    op: Op<'p>,
    body: Blk<'p>,
    variable: Val<'p>,
    (start, step): (i64, i64),
    ty: Type<'p>,
) -> Val<'p> {
    let first = body.first_operation();
    let at = At::Before(first.expect("the body of a loop has an end"));
    let term = AffineExpr::dim(context, 0) * AffineExpr::constant(context, step);
    let sum = term + AffineExpr::constant(context, start);
    let map = AffineMap::new(context, 1, 0, &[sum]);
    let value = ir::build_affine_apply(at, op.location(), map, &[variable]);
    // In the order in which they are built: the cast comes after.
    ir::build_index_cast(at, op.location(), value, ty)
}

/// Returns `c` if a value is `carried + c`; `None` for other values.
fn added(value: Val<'_>, carried: Val<'_>) -> Option<i64> {
    let op = ir::defining_op(value).filter(|op| ir::name(*op) == arith::ADDI)?;
    match [ir::operand(op, 0)?, ir::operand(op, 1)?] {
        [a, b] if a == carried => integer(b),
        [a, b] if b == carried => integer(a),
        _ => None,
    }
}

/// Returns the value of an integer constant.
fn integer(value: Val<'_>) -> Option<i64> {
    let op = ir::defining_op(value).filter(|op| ir::name(*op) == arith::CONSTANT)?;
    attr::integer(ir::attribute(op, "value")?)
}

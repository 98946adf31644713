//! `--spyre-outline-device`: moves the device operations of a program into separate functions.
//!
//! * `phases` assigns each operation of a block to a turn of the host or the device.
//! * `side` returns the side of an operation: a counted loop without operations of the host is the device's.
//! * `orders` selects the casts that stay on the host, since it reads or computes their tensors of 32 bits.
//! * `part` moves the operations of one turn of the device into a function, and calls it.

mod orders;
mod part;
mod phases;
pub mod side;

use melior::Context;
use melior::dialect::DialectHandle;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, ValueLike};
use phases::Phases;
use side::Side;
use spyre_analysis::dynamic::extents::Extents;
use spyre_analysis::target::target_of;
use spyre_analysis::walk;
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::names::{CHECKED, DEVICE, HOST, NOT_ADMITTED, SCOPES, TILE, WIDE};
use spyre_dialects::{attr, hint};
use spyre_layout::{MAX_RANK, OrderError};
use spyre_layouts::admitted;
use spyre_layouts::integers::Integers;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_mlir_rt::remark::{Remark, RemarkKind, Remarks};
use spyre_ods::builtin;

use crate::from_linalg::extents::known_extents;

const NAME: &str = "spyre-outline-device";

/// `--spyre-outline-device`
pub static OUTLINE_DEVICE: RustPass = RustPass {
    argument: NAME,
    summary: "Move device operations into functions that the host calls",
    description: include_str!("outline.md"),
    anchor: builtin::MODULE,
    options: &[],
    statistics: &[
        PassStatistic {
            name: "functions",
            description: "Functions of the device that were made",
        },
        PassStatistic {
            name: "operations",
            description: "Operations that were moved",
        },
    ],
    dialects: || vec![DialectHandle::func()],
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let module = ir::body(run.operation()).expect("a module has a body");
    let functions: Vec<Op<'p>> = ir::operations(module).collect();
    for function in functions {
        let is_device = function.attribute(DEVICE).is_ok();
        let Some(body) = ir::function_body(function).filter(|_| !is_device) else {
            continue;
        };
        let extents = Extents::of_function(function, body)?;
        extents.read_from_arguments(run.context(), body);
        let integers = Integers::of(function, NAME)?;
        let wide = integers.wide.into_iter();
        let wide = wide.map(|(op, reason)| (op, WIDE, reason)).collect();
        let mut marked = mark(run, function, wide);
        let refused = not_admitted(run.context(), function)?;
        marked.extend(mark(run, function, refused));
        let mut blocks = Vec::new();
        collect(body, &mut blocks);
        let mut part_count = 0;
        // Inner blocks come first. When the outer block is outlined, they are parts of operations of the host.
        for block in blocks.into_iter().rev() {
            part_count += outline(
                (run, &extents),
                module,
                function,
                block,
                part_count,
                integers.count > 0,
            )?;
        }
        for (op, name) in marked {
            ir::remove_discardable_attribute(op, name);
        }
        if part_count > 0 {
            let unit = Attribute::unit(run.context());
            ir::set_discardable_attribute(function, HOST, unit);
            leave_scopes(function);
        }
        run.count("functions", part_count);
    }
    Ok(())
}

/// Returns the operations of a function that the contract of its target does not have in their formats, with the name of their
/// mark and the reason.
fn not_admitted<'p>(
    context: &'p Context,
    function: Op<'p>,
) -> Result<Vec<(Op<'p>, &'static str, String)>, Diagnostic<'p>> {
    let contract = target_of(function)?.contract;
    let mut ops = Vec::new();
    each_op(function, &mut |op| {
        let refusal = admitted::refusal(context, &contract, op).map(|reason| reason.to_string());
        let reason = refusal.or_else(|| admitted::unpublished_order(DeviceOp::cast(op)?));
        let reason = reason.or_else(|| has_no_layout(op));
        if let Some(reason) = reason {
            ops.push((op, NOT_ADMITTED, reason));
        }
    });
    Ok(ops)
}

/// Returns why a tensor of an operation has no layout; `None` if all have one.
fn has_no_layout(op: Op<'_>) -> Option<String> {
    let tensors = op.operands().chain(ir::results(op));
    let ranks = tensors.filter_map(|value| Some(known_extents(value.r#type())?.len()));
    let rank = ranks.max()?;
    (rank > MAX_RANK).then(|| OrderError::RankTooLarge { rank }.to_string())
}

/// Visits the operations inside of another one, in order.
fn each_op<'p>(op: Op<'p>, visit: &mut impl FnMut(Op<'p>)) {
    for inner in ir::blocks(op).flat_map(ir::operations) {
        visit(inner);
        each_op(inner, visit);
    }
}

/// Marks operations that a reason keeps off the device with the attribute that is given for each, and returns
/// the operations that had no mark.
fn mark<'p>(
    run: &'p PassRun<'p>,
    function: Op<'p>,
    ops: Vec<(Op<'p>, &'static str, String)>,
) -> Vec<(Op<'p>, &'static str)> {
    let remarks = Remarks::about(run.context(), function, NAME);
    let mut marked = Vec::new();
    for (op, name, reason) in ops {
        // An operation that is marked already is the host's as well.
        if Side::of(op) == Side::Host {
            continue;
        }
        ir::set_discardable_attribute(op, name, Attribute::unit(run.context()));
        marked.push((op, name));
        remarks.emit(|| stays_on_host(op, reason));
    }
    marked
}

/// Returns the remark that an operation stays on the host, with the reason.
fn stays_on_host<'p>(op: Op<'p>, reason: String) -> Remark<'p> {
    let remark = Remark::new(RemarkKind::Missed, op.location(), "StaysOnHost");
    let text = format!("'{}' stays on the host", ir::name(op));
    remark.arg("Remark", text).reason(reason)
}

/// Removes the hint scopes of a function whose parts have them, and warns of scopes that are in no part.
fn leave_scopes(function: Op<'_>) {
    let Ok(scopes) = function.attribute(SCOPES) else {
        return;
    };
    let scopes = attr::elements(scopes)
        .into_iter()
        .filter_map(hint::tile_scope);
    let counted = scopes.filter(|scope| scope.ops.is_some()).count();
    if counted > 0 {
        Diagnostic::warning(
            function.location(),
            format!(
                "{NAME}: {counted} of the scopes in '{SCOPES}' are around operations by their number, which are others in \
                 functions of the device; write '{TILE}' on structured operations instead"
            ),
        )
        .emit();
    }
    ir::remove_discardable_attribute(function, SCOPES);
}

/// Collects a block and the blocks inside of its operations, outer ones first. Bodies of structured operations
/// are not included, and loops of the device are moved whole.
fn collect<'p>(block: Blk<'p>, blocks: &mut Vec<Blk<'p>>) {
    blocks.push(block);
    for op in ir::operations(block) {
        let name = ir::name(op);
        if name.starts_with("linalg.")
            || name.starts_with("tensor.")
            || side::loop_body(op).is_some()
        {
            continue;
        }
        for inner in ir::blocks(op) {
            collect(inner, blocks);
        }
    }
}

/// Moves the device operations of a block into functions after `function`, and returns their number. `part_count` is
/// the number of functions outlined before. `has_integers` is whether the function has integers of 64 bits,
/// which are marked.
fn outline<'p>(
    (run, extents): (&'p PassRun<'p>, &'p Extents),
    module: Blk<'p>,
    function: Op<'p>,
    block: Blk<'p>,
    part_count: usize,
    has_integers: bool,
) -> Result<usize, Failed> {
    let phases = Phases::of(block, extents);
    let remarks = Remarks::about(run.context(), function, NAME);
    for cast in phases.casts() {
        remarks.emit(|| {
            let reason = "the host copies tensors in the standard order, and a cast of the card has its tensor of 32 bits in the \
                       arrangement of groups of four";
            stays_on_host(*cast, reason.to_owned())
        });
    }
    if phases.device().next().is_none() {
        return Ok(0);
    }
    let error = |message: &str| {
        Diagnostic::error(function.location(), format!("{NAME}: {message}")).emit();
        Failed
    };
    let name = walk::symbol(function);
    let name = name.ok_or_else(|| error("the function has no name"))?;
    let mut count = 0;
    let mut wide = part::WideTruths::default();
    for number in 0..=phases.last() {
        let ops = phases.ops(number);
        if !phases::is_device(number) {
            for op in ops {
                ir::move_to_end(*op, block);
            }
            continue;
        }
        if ops.is_empty() {
            continue;
        }
        let name = format!("{name}_device_{}", part_count + count);
        let part = part::outline(
            (run.context(), extents),
            module,
            function,
            block,
            &name,
            ops,
            &mut wide,
        );
        if has_integers {
            // The integers were checked with the operations that compute them.
            ir::set_discardable_attribute(part, CHECKED, Attribute::unit(run.context()));
        }
        run.count("operations", ops.len());
        count += 1;
    }
    if let Some(terminator) = phases.terminator() {
        ir::move_to_end(terminator, block);
    }
    Ok(count)
}

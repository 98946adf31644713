//! The turns of host and device.
//!
//! Turns are counted from 0. The host has the even ones and the device the odd ones. An operation runs at the first
//! turn of its side at which all of its operands are available, so the number of turns is the least that the longest
//! chain of changes between the sides needs, and each turn of the device is as large as possible. A turn is convex: its
//! users outside of it run later.

use melior::ir::operation::OperationLike;
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_analysis::dynamic::extents::Extents;
use spyre_analysis::walk::{self, trip_count};
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::ir::{self, Blk, Op, Val};
use spyre_ods::{arith, spyre, tensor};

use super::orders;
use super::side::{self, Side};

/// The turns of the operations of a block.
pub(super) struct Phases<'p> {
    /// The operations of each turn, in order.
    turns: Vec<Vec<Op<'p>>>,
    terminator: Option<Op<'p>>,
    /// Operations that stay on the host for the order of their elements: casts, and loops around casts.
    casts: Vec<Op<'p>>,
}

/// Returns whether the device executes a turn.
pub(super) fn is_device(turn: usize) -> bool {
    turn % 2 == 1
}

/// Returns whether both sides have a copy of an operation: a constant, or a view of a value that is available before
/// the device runs.
///
/// A view that changes the sticks needs a copy on the card. The card has such a copy for elements of 16 bits only
/// (`ReStickifyOpHBM`; contract, K35), so the host computes other ones.
pub(super) fn is_copied(op: Op<'_>) -> bool {
    match Side::of(op) {
        Side::Constant => true,
        Side::View => !side::changes_wide_sticks(op),
        Side::Device | Side::Host => false,
    }
}

impl<'p> Phases<'p> {
    /// Returns the turns of a block.
    pub(super) fn of(block: Blk<'p>, extents: &Extents) -> Self {
        let mut kept = FxHashSet::default();
        let mut casts = Vec::new();
        loop {
            let phases = Self::with(block, &kept);
            let mut left: Vec<Op<'p>> = phases.idle(&kept, extents).collect();
            if left.is_empty() {
                left = phases.casts_in_standard_order(block);
                casts.extend_from_slice(&left);
            }
            if left.is_empty() {
                return Self { casts, ..phases };
            }
            kept.extend(left.into_iter().map(ir::op_key));
        }
    }

    /// Returns the turns of a block in which these operations stay on the host.
    fn with(block: Blk<'p>, kept: &FxHashSet<ir::OpKey>) -> Self {
        let mut of_op: FxHashMap<ir::OpKey, usize> = FxHashMap::default();
        let mut terminator = None;
        // Operations that do more than compute stay in order.
        let mut effect = 0;
        let mut ops: Vec<Op<'p>> = ir::operations(block).collect();
        if let Some(last) = ops.pop() {
            terminator = Some(last);
        }
        for op in &ops {
            let mut first = 0;
            visit_operands(*op, &mut |operand| {
                let owner = ir::defining_op(operand).map(ir::op_key);
                let turn = owner.and_then(|owner| of_op.get(&owner));
                first = first.max(turn.copied().unwrap_or(0));
            });
            let side = match Side::of(*op) {
                Side::Device if kept.contains(&ir::op_key(*op)) => Side::Host,
                Side::Device if !is_device(first) && is_bitcast_for_host(*op) => Side::Host,
                side => side,
            };
            let turn = match side {
                Side::Constant => 0,
                Side::View => first,
                Side::Device => first + usize::from(!is_device(first)),
                Side::Host => {
                    let is_pure = ir::is_pure(*op);
                    let first = if is_pure { first } else { first.max(effect) };
                    let turn = first + usize::from(is_device(first));
                    effect = if is_pure { effect } else { turn };
                    turn
                }
            };
            of_op.insert(ir::op_key(*op), turn);
        }
        // A tensor that insertions build is not transferred before it has all parts.
        for op in ops.iter().rev() {
            if let Some(next) = next_part(*op).and_then(|next| of_op.get(&ir::op_key(next))) {
                of_op.insert(ir::op_key(*op), *next);
            }
        }
        let last = of_op.values().copied().max().unwrap_or(0);
        let mut turns: Vec<Vec<Op<'p>>> = vec![Vec::new(); last + 1];
        for op in ops {
            turns[of_op[&ir::op_key(op)]].push(op);
        }
        Self {
            turns,
            terminator,
            casts: Vec::new(),
        }
    }

    /// Returns the last turn.
    pub(super) fn last(&self) -> usize {
        self.turns.len() - 1
    }

    /// Returns the operations of a turn, in order.
    pub(super) fn ops(&self, turn: usize) -> &[Op<'p>] {
        &self.turns[turn]
    }

    /// Returns the operations that stay on the host for the order of their elements.
    pub(super) fn casts(&self) -> &[Op<'p>] {
        &self.casts
    }

    /// Returns the last operation of the block.
    pub(super) fn terminator(&self) -> Option<Op<'p>> {
        self.terminator
    }

    /// Returns the operations of the device.
    pub(super) fn device(&self) -> impl Iterator<Item = Op<'p>> + '_ {
        let turns = self.turns.iter().skip(1).step_by(2);
        turns.flatten().copied()
    }

    /// Returns the operations of device turns with less work than the transfer of their operands from the host and of
    /// their results to the host. Arguments and results of the program are transferred either way.
    fn idle<'a>(
        &'a self,
        kept: &'a FxHashSet<ir::OpKey>,
        extents: &'a Extents,
    ) -> impl Iterator<Item = Op<'p>> + 'a {
        let turns = self.turns.iter().skip(1).step_by(2);
        let idle = turns.filter(move |ops| {
            let work: i64 = ops.iter().map(|op| work(*op, extents)).sum();
            let crossing = crossing(ops, kept, extents);
            crossing > 0 && work <= crossing
        });
        idle.flatten()
            .copied()
            .filter(|op| Side::of(*op) == Side::Device)
    }

    /// Returns the casts of turns of the device with a tensor of 32 bits that another turn computes or reads.
    fn casts_in_standard_order(&self, block: Blk<'p>) -> Vec<Op<'p>> {
        let turns = self.turns.iter().skip(1).step_by(2);
        let casts = turns.flat_map(|ops| orders::casts_in_standard_order(block, ops));
        // A cast in a loop takes the loop to the host.
        casts
            .map(|op| walk::ancestor_in(op, block).expect("an operation of a turn is in the block"))
            .collect()
    }
}

/// Returns whether an operation is a bitcast for operations of the host only. It is free on the host, and a turn of the
/// device would separate the operations around it.
fn is_bitcast_for_host(op: Op<'_>) -> bool {
    ir::name(op) == spyre::BITCAST
        && ir::results(op)
            .flat_map(ir::uses)
            .all(|usage| Side::of(usage.owner) == Side::Host)
}

/// Returns the insertion that is the only reader of another insertion, with that result as its destination.
fn next_part(op: Op<'_>) -> Option<Op<'_>> {
    let is_insertion = |op: Op<'_>| ir::name(op) == tensor::INSERT_SLICE;
    if !is_insertion(op) {
        return None;
    }
    let uses = ir::uses(ir::result(op, 0)?);
    match uses.as_slice() {
        [usage] if is_insertion(usage.owner) && usage.operand == 1 => Some(usage.owner),
        _ => None,
    }
}

/// Returns how many elements an operation computes or moves, at the largest extents; of a reduction and a product, how many terms; of a
/// loop, that of all iterations.
fn work(op: Op<'_>, extents: &Extents) -> i64 {
    if let Some(body) = side::loop_body(op) {
        let once: i64 = ir::operations(body).map(|op| work(op, extents)).sum();
        return once * trip_count(op).expect("a loop of the device has constant bounds");
    }
    match (Side::of(op), DeviceOp::cast(op)) {
        (Side::View | Side::Constant, _) => 0,
        (_, Some(device)) => extents.most_iterations(device),
        (_, None) => {
            let result = ir::result(op, 0);
            result.map_or(0, |result| extents.most_elements(result))
        }
    }
}

/// Returns how many elements operations of one turn exchange with operations of the host, including the operations in
/// `kept`.
fn crossing(ops: &[Op<'_>], kept: &FxHashSet<ir::OpKey>, extents: &Extents) -> i64 {
    let members: FxHashSet<ir::OpKey> = ops.iter().copied().map(ir::op_key).collect();
    let mut values = FxHashSet::default();
    let mut count = 0;
    let is_host = |op: Op<'_>| {
        let is_host = Side::of(op) == Side::Host || kept.contains(&ir::op_key(op));
        is_host && !ir::name(op).ends_with(".return") && !is_boundary(op)
    };
    for op in ops {
        visit_operands(*op, &mut |operand| {
            let maker = ir::defining_op(operand);
            if maker.is_some_and(is_host) && values.insert(ir::value_key(operand)) {
                count += extents.most_elements(operand);
            }
        });
        let block = op.block().expect("an operation of a turn is in a block");
        for result in ir::results(*op) {
            let uses = ir::uses(result).into_iter();
            let mut readers = uses.filter_map(|usage| walk::ancestor_in(usage.owner, block));
            if readers.any(|reader| !members.contains(&ir::op_key(reader)) && is_host(reader)) {
                count += extents.most_elements(result);
            }
        }
    }
    count
}

/// Returns whether an operation rounds an argument of the function, or widens a returned value, or reshapes either. The
/// narrow or reshaped tensor is transferred instead.
fn is_boundary(op: Op<'_>) -> bool {
    let reads_argument =
        || ir::operand(op, 0).is_some_and(|value| ir::defining_op(value).is_none());
    let is_returned = || {
        ir::result(op, 0).is_some_and(|value| {
            let mut uses = ir::uses(value).into_iter();
            uses.all(|usage| ir::name(usage.owner).ends_with(".return"))
        })
    };
    match ir::name(op) {
        arith::TRUNCF | spyre::FP32TODL16 => reads_argument(),
        arith::EXTF | spyre::DL16TOFP32 => is_returned(),
        tensor::COLLAPSE_SHAPE | tensor::EXPAND_SHAPE => reads_argument() || is_returned(),
        _ => false,
    }
}

/// Calls `visit` with the operands of an operation, and of the operations in its regions.
pub(super) fn visit_operands<'p>(op: Op<'p>, visit: &mut impl FnMut(Val<'p>)) {
    op.operands().for_each(&mut *visit);
    for block in ir::blocks(op) {
        for inner in ir::operations(block) {
            visit_operands(inner, visit);
        }
    }
}

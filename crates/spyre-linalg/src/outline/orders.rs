//! Casts with tensors that the host computes or reads.
//!
//! A cast from 16 to 32 bits leaves the elements in an order of groups of four, and a cast back expects it (contract, K33). The host
//! copies tensors in the standard order, and so do functions of the device, one to another. So a tensor of 32 bits between casts
//! has one order or the other, and all that is computed with it, element by element, has the same one.

use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, TypeLike, ValueLike};
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_analysis::walk;
use spyre_construct::build::{element_of, is_truth, splat};
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind, Val};
use spyre_ods::{arith, spyre};

use super::side::Side;
use crate::from_linalg::truth;

/// Returns the casts between 16 and 32 bits of one device function that conflict with the order of elements of their
/// 32-bit tensor. A cast leaves a staggered order. A tensor must be in the standard order if the host or another device
/// function computes or reads it, or reads another tensor that has the same order.
pub(super) fn casts_in_standard_order<'p>(block: Blk<'p>, ops: &[Op<'p>]) -> Vec<Op<'p>> {
    let mut orders = Orders {
        block,
        members: ops.iter().copied().map(ir::op_key).collect(),
        neighbors: FxHashMap::default(),
        standard: Vec::new(),
        casts: Vec::new(),
    };
    for op in ops {
        orders.visit(*op);
    }
    orders.conflicts()
}

/// The tensors of 32-bit floats of one turn, as a graph: neighbors have the same order of elements.
struct Orders<'p> {
    block: Blk<'p>,
    members: FxHashSet<ir::OpKey>,
    neighbors: FxHashMap<ir::ValueKey, Vec<ir::ValueKey>>,
    /// The tensors in the standard order.
    standard: Vec<ir::ValueKey>,
    /// Casts with their tensor of 32 bits.
    casts: Vec<(Op<'p>, ir::ValueKey)>,
}

impl<'p> Orders<'p> {
    /// Adds the tensors of an operation and of operations in its regions.
    fn visit(&mut self, op: Op<'p>) {
        for value in op.operands().filter(|value| has_order(*value)) {
            if self.is_of_others(value) {
                self.standard.push(ir::value_key(value));
            }
        }
        for value in ir::results(op).filter(|value| has_order(*value)) {
            if ir::uses(value)
                .into_iter()
                .any(|usage| !self.is_member(usage.owner))
            {
                self.standard.push(ir::value_key(value));
            }
        }
        if ir::kind(op) == OpKind::For {
            for carried in walk::carried(op) {
                self.join(&[
                    carried.init,
                    carried.inside,
                    carried.yielded,
                    carried.result,
                ]);
            }
        } else if is_order_cast(op) {
            let mut tensors = op.operands().chain(ir::results(op));
            let wide = tensors.find(|value| has_order(*value));
            let wide = wide.expect("one side of the cast has 32 bits");
            self.casts.push((op, ir::value_key(wide)));
        } else if let Some(device) = DeviceOp::cast(op) {
            self.join_device_op(device);
        } else {
            let tensors: Vec<Val<'p>> = op.operands().chain(ir::results(op)).collect();
            self.join(&tensors);
        }
        for inner in ir::blocks(op).flat_map(ir::operations) {
            self.visit(inner);
        }
    }

    /// Connects the tensors of an operation with the same last dimension. Operands that are reduced or broadcast along
    /// it have other sticks.
    fn join_device_op(&mut self, op: DeviceOp<'p>) {
        let mut with_last: FxHashMap<usize, Vec<Val<'p>>> = FxHashMap::default();
        for (number, tensor) in walk::tensors(op).into_iter().enumerate() {
            if let Some(Some(dim)) = op.tensor_dims(number).last() {
                with_last.entry(*dim).or_default().push(tensor);
            }
        }
        for tensors in with_last.values() {
            self.join(tensors);
        }
    }

    /// Records that the 32-bit tensors of a list have the same order of elements.
    fn join(&mut self, tensors: &[Val<'p>]) {
        let tensors = tensors.iter().filter(|value| has_order(**value));
        let keys: Vec<ir::ValueKey> = tensors.map(|value| ir::value_key(*value)).collect();
        for pair in keys.windows(2) {
            let &[one, other] = pair else {
                unreachable!("windows of two");
            };
            self.neighbors.entry(one).or_default().push(other);
            self.neighbors.entry(other).or_default().push(one);
        }
    }

    /// Returns whether another turn computes a tensor, or it is an argument of the function. A tensor
    /// that repeats one number has no order. A truth value arrives in 16 bits, and is cast in the
    /// function.
    fn is_of_others(&self, value: Val<'p>) -> bool {
        if is_truth(element_of(value)) {
            return false;
        }
        match ir::source(value) {
            ir::Source::Argument(block, _) => match block.parent_operation() {
                Some(parent) => !self.is_member(parent),
                None => true,
            },
            ir::Source::Result(op, _) => {
                let repeats = Side::of(op) == Side::Constant
                    && (splat(op).is_some() || ir::name(op) != arith::CONSTANT);
                !repeats && !self.is_member(op)
            }
        }
    }

    /// Returns whether an operation belongs to the turn, or is inside an operation of the turn.
    fn is_member(&self, op: Op<'p>) -> bool {
        let outer = walk::ancestor_in(op, self.block);
        outer.is_some_and(|outer| self.members.contains(&ir::op_key(outer)))
    }

    /// Returns the casts with a tensor that is joined to one in the standard order.
    fn conflicts(self) -> Vec<Op<'p>> {
        let mut standard: FxHashSet<ir::ValueKey> = FxHashSet::default();
        let mut pending = self.standard;
        while let Some(value) = pending.pop() {
            if standard.insert(value) {
                pending.extend(self.neighbors.get(&value).into_iter().flatten().copied());
            }
        }
        let casts = self.casts.into_iter();
        let conflicts = casts.filter(|(_, value)| standard.contains(value));
        conflicts.map(|(op, _)| op).collect()
    }
}

/// Returns whether an operation is a cast that changes the order of elements.
fn is_order_cast(op: Op<'_>) -> bool {
    matches!(ir::name(op), spyre::DL16TOFP32 | spyre::FP32TODL16)
}

/// Returns whether a value is a tensor that may be in either order: one of 32-bit floats, or of truth values that such floats gave.
fn has_order(value: Val<'_>) -> bool {
    let element = element_of(value);
    let is_wide = || element.is_f32() || (is_truth(element) && truth::of(value) == Some(32));
    ir::is_ranked_tensor(value.r#type()) && is_wide()
}

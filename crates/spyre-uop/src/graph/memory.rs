//! Rules of memory, and of loops.

use smallvec::SmallVec;

use super::{Broken, Graph, Type, check};
use crate::dtype::DType;
use crate::ids::NodeId;
use crate::op::{CallKind, Op, TensorType};

/// The most loops that a node is in.
pub(super) const MOST_OPEN: usize = 64;

impl Op {
    /// Returns whether it owns writable elements.
    pub(super) fn is_storage(&self) -> bool {
        matches!(self, Self::Buffer { .. } | Self::Param { .. })
    }
}

impl Graph {
    /// Returns the type of a load from a buffer.
    pub(super) fn load(&self, op: &Op, sources: &[NodeId]) -> Result<TensorType, Broken> {
        let ty = self.source(op, sources[0])?;
        check(24, sources.len() != 2, || {
            "a Load with an alternative has a gate".to_owned()
        })?;
        if let [_, alternative, gate] = sources {
            let alternative_type = self.source(op, *alternative)?;
            check(24, alternative_type == ty, || {
                format!("the alternative of a Load of {ty} is {alternative_type}")
            })?;
            self.gate(24, op, *gate, ty)?;
        }
        Ok(ty.clone())
    }

    /// Checks a write to a buffer.
    pub(super) fn store(&self, op: &Op, sources: &[NodeId]) -> Result<Type, Broken> {
        let ty = self.source(op, sources[0])?;
        check(23, self.nodes[sources[0]].storage.is_some(), || {
            let name = self.nodes[sources[0]].op.name();
            format!("node {} is {name}, and no part of a buffer", sources[0])
        })?;
        let value = self.source(op, sources[1])?;
        check(23, value == ty, || format!("{value} is stored to {ty}"))?;
        if let Some(gate) = sources.get(2) {
            self.gate(23, op, *gate, ty)?;
        }
        Ok(Type::Void)
    }

    fn gate(
        &self,
        rule: u32,
        op: &Op,
        gate: NodeId,
        source_type: &TensorType,
    ) -> Result<(), Broken> {
        let ty = self.source(op, gate)?;
        check(
            rule,
            ty.dtype == DType::Bool && ty.shape == source_type.shape,
            || format!("the gate of {source_type} is {ty}"),
        )
    }

    /// Returns the type of a buffer after effects.
    pub(super) fn after(&self, op: &Op, sources: &[NodeId]) -> Result<TensorType, Broken> {
        let ty = self.source(op, sources[0])?;
        check(25, self.nodes[sources[0]].storage.is_some(), || {
            let name = self.nodes[sources[0]].op.name();
            format!("node {} is {name}, and no part of a buffer", sources[0])
        })?;
        for source in &sources[1..] {
            if !matches!(self.nodes[*source].op, Op::Range { .. }) {
                self.effect(op, *source)?;
            }
        }
        Ok(ty.clone())
    }

    /// Returns the buffer or the parameter that a new view of it can be written to.
    pub(super) fn storage(&self, op: &Op, sources: &[NodeId]) -> Option<NodeId> {
        match op {
            // An operation that repeats or adds elements is no writable view: its elements have no distinct locations.
            Op::Permute(_)
            | Op::Flip(_)
            | Op::Reshape(_)
            | Op::Shrink { .. }
            | Op::Index
            // A store to it writes each slice.
            | Op::Replicated(_)
            | Op::After => self.nodes[sources[0]].storage,
            _ => None,
        }
    }

    /// Returns the ranges that a new node depends on.
    pub(super) fn open(
        &self,
        op: &Op,
        sources: &[NodeId],
    ) -> Result<SmallVec<[NodeId; 2]>, Broken> {
        let mut open: SmallVec<[NodeId; 2]> = SmallVec::new();
        for source in sources {
            let node = &self.nodes[*source];
            let own_range = matches!(node.op, Op::Range { .. }).then_some(*source);
            for range in node.open.iter().copied().chain(own_range) {
                // Both lists are short.
                if !open.contains(&range) {
                    open.push(range);
                }
            }
            check(30, open.len() <= MOST_OPEN, || {
                format!("{} is in more than {MOST_OPEN} loops", op.name())
            })?;
        }
        match op {
            Op::End | Op::Reduce { .. } => open.retain(|range| !sources[1..].contains(range)),
            Op::Call(kind) => {
                let body = &self.nodes[sources[0]].open;
                check(22, body.is_empty(), || {
                    let name = match kind {
                        CallKind::Function => "Function",
                        CallKind::Call => "Call",
                    };
                    format!(
                        "the body of a {name} depends on the iteration of {}",
                        body[0]
                    )
                })?;
            }
            _ => {}
        }
        open.sort_unstable();
        Ok(open)
    }
}

//! Rules of calls.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Broken, Graph, Type, check};
use crate::ids::NodeId;
use crate::op::{CallKind, Op};
use crate::schema::Slot;

/// The most bodies that share a node, on average over a graph. It bounds the cost of checking all
/// bodies.
const MOST_SHARED: u64 = 64;

/// Visits that are free: small graphs may share nodes without limit.
const FREE_VISITS: u64 = 1 << 20;

impl Graph {
    /// Returns the type of a call.
    pub(super) fn call(&mut self, kind: CallKind, sources: &[NodeId]) -> Result<Type, Broken> {
        let body = sources[0];
        let ty = self.nodes[body].ty.clone();
        let fits = match (kind, &ty) {
            (_, Type::Tuple(_)) => self.nodes[body].op == Op::Tuple,
            (CallKind::Call, Type::Void) => true,
            _ => false,
        };
        check(31, fits, || {
            let name = self.nodes[body].op.name();
            format!("the body of a call is {name}, and no Tuple")
        })?;
        let arguments = &sources[1..];
        for (slot, param) in self.params(body)?.iter() {
            let param_type = self.nodes[*param].tensor();
            let argument = arguments.get(*slot as usize).ok_or_else(|| {
                let count = arguments.len();
                Broken::new(
                    31,
                    format!("the body reads parameter {slot}, but gets {count} arguments"),
                )
            })?;
            let passed = &self.nodes[*argument].ty;
            check(
                31,
                matches!(passed, Type::Tensor(ty) if ty == param_type),
                || format!("parameter {slot} is {param_type}, and its argument {passed}"),
            )?;
        }
        for argument in arguments {
            let passed = &self.nodes[*argument].ty;
            check(31, matches!(passed, Type::Tensor(_)), || {
                format!("an argument is {passed}, and no tensor")
            })?;
        }
        Ok(ty)
    }

    /// Returns the parameters that a body reads, by their number, without the parameters of
    /// functions that it calls.
    pub(crate) fn params(&mut self, body: NodeId) -> Result<Arc<[(u32, NodeId)]>, Broken> {
        if let Some(params) = self.params.get(&body) {
            return Ok(Arc::clone(params));
        }
        let mut seen = FxHashSet::default();
        let mut param_nodes = FxHashMap::<u32, NodeId>::default();
        let mut stack = vec![body];
        let most = FREE_VISITS + MOST_SHARED * self.nodes.len() as u64;
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue; // The node has been visited.
            }
            self.visits += 1;
            check(31, self.visits <= most, || {
                format!("the bodies of functions share nodes more than {MOST_SHARED} times")
            })?;
            let node = &self.nodes[id];
            if let Op::Param {
                slot: Slot::Number(slot),
                ty,
                ..
            } = &node.op
            {
                let first = *param_nodes.entry(*slot).or_insert(id);
                check(31, self.nodes[first].tensor() == ty, || {
                    let other = self.nodes[first].tensor();
                    format!("parameter {slot} is {ty}, and {other} elsewhere in a body")
                })?;
            }
            let inner = usize::from(matches!(node.op, Op::Call(_)));
            stack.extend(&node.sources[inner..]);
        }
        let mut list: Vec<_> = param_nodes.into_iter().collect();
        list.sort_unstable();
        let list: Arc<[_]> = list.into();
        self.params.insert(body, Arc::clone(&list));
        Ok(list)
    }
}

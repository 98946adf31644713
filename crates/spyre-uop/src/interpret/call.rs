//! Calls.

use super::machine::{Argument, Frame, Machine, Value};
use super::{Reason, RunError};
use crate::graph::{Node, Type};
use crate::ids::NodeId;

impl Machine<'_> {
    /// Executes the body of a call with its arguments.
    pub(super) fn call(
        &mut self,
        frame: &Frame,
        id: NodeId,
        node: &Node,
    ) -> Result<Value, RunError> {
        let located = |reason: Reason| reason.at(id);
        let mut arguments = Vec::new();
        for argument in &node.sources[1..] {
            let argument_node = self.graph.node(*argument);
            let place = match argument_node.storage {
                Some(_) => self.argument_place(frame, *argument).map_err(located)?,
                None => None,
            };
            let value = frame.tensor(*argument).clone();
            arguments.push(Argument { value, place });
        }
        let body = node.sources[0];
        let (plan, cost) = self.plans.body(body)?;
        self.planned(cost).map_err(located)?;
        self.enter().map_err(located)?;
        let mut inner = Frame {
            arguments,
            ..Frame::default()
        };
        self.execute(&mut inner, &plan)?;
        let result = match self.graph.node(body).ty {
            Type::Tuple(_) => inner.values[&body].clone(),
            Type::Tensor(_) | Type::Void => Value::Done,
        };
        self.leave(inner);
        self.exit();
        Ok(result)
    }

    /// Returns where an argument is, if it is in a buffer. The argument of an outer call may be none.
    fn argument_place(
        &mut self,
        frame: &Frame,
        id: NodeId,
    ) -> Result<Option<super::memory::Place>, Reason> {
        match self.place(frame, id) {
            Ok(place) => Ok(Some(place)),
            Err(Reason::Argument(_) | Reason::Unbound(_)) => Ok(None),
            Err(other) => Err(other),
        }
    }
}

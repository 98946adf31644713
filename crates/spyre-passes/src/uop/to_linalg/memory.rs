//! Buffers: what they hold before the program, and after effects.

use rustc_hash::FxHashSet;
use spyre_uop::element;
use spyre_uop::graph::Node;
use spyre_uop::ids::NodeId;
use spyre_uop::op::{AddressSpace, Elementwise, Op};

use super::{Frame, Lowering, Made, Value};

impl<'p> Lowering<'_, 'p> {
    /// Returns a buffer as it is before the program: an argument is converted with the function, and nothing has written another.
    pub(super) fn buffer(&self, id: NodeId, node: &Node) -> Made<'p, Value<'p>> {
        if let Op::Buffer {
            space: AddressSpace::Global,
            slot,
            ..
        } = &node.op
        {
            let why = format!("buffer {slot} is in the memory of the device, and no argument");
            return Err(self.error(why));
        }
        // What nothing has written is the same everywhere: NaN, bytes of 0x5A, or true.
        let ty = self.program.graph.tensor(id);
        let poison = element::poison(ty.dtype);
        Ok(super::number(ty.dtype, poison, &super::extents(&ty.shape)))
    }

    /// Returns a buffer after effects: what was stored last, where the gate was true.
    pub(super) fn after(&mut self, frame: &Frame<'p>, node: &Node) -> Made<'p, Value<'p>> {
        let buffer = node.sources[0];
        let mut value = frame.values[&buffer][0].clone();
        for store in self.stores(&node.sources[1..]) {
            let store = self.program.graph.node(store);
            let target = store.sources[0];
            if self.storage(buffer) != self.storage(target) {
                continue; // It writes to another buffer.
            }
            if !self.is_whole(buffer) || !self.is_whole(target) {
                return Err(self.error("a write to a view of a buffer is not converted"));
            }
            let written = frame.values[&store.sources[1]][0].clone();
            value = match store.sources.get(2) {
                None => written,
                Some(gate) => {
                    let gate = frame.values[gate][0].clone();
                    self.elementwise(Elementwise::Where, &[gate, written, value])?
                }
            };
        }
        Ok(value)
    }

    /// Returns the buffer or the parameter that a node is a view of.
    fn storage(&self, id: NodeId) -> &Op {
        let graph = &self.program.graph;
        let own = graph.node(id).storage;
        &graph
            .node(own.expect("the rules of the graph have been checked"))
            .op
    }

    /// Tells whether a node is a whole buffer, perhaps after effects.
    fn is_whole(&self, mut id: NodeId) -> bool {
        let graph = &self.program.graph;
        while graph.node(id).op == Op::After {
            id = graph.node(id).sources[0];
        }
        graph.node(id).storage == Some(id)
    }

    /// Returns the writes among effects, in their order.
    fn stores(&self, effects: &[NodeId]) -> Vec<NodeId> {
        let mut seen = FxHashSet::default();
        let mut stack = effects.to_vec();
        let mut stores = Vec::new();
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue; // The effect has been visited.
            }
            let node = self.program.graph.node(id);
            match &node.op {
                Op::Store => stores.push(id),
                Op::Collect(_) => stack.extend(&node.sources),
                _ => {}
            }
        }
        stores.sort_unstable();
        stores
    }
}

//! Buffers: what they hold before the program, and after effects.

use rustc_hash::{FxHashMap, FxHashSet};
use spyre_uop::element;
use spyre_uop::graph::{Graph, Node};
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

    /// Returns the writes that decide what a buffer holds after effects: what was stored last before its turn, where the gate was
    /// true. Nodes are executed in their order, so that writes count that are among no effects of this one.
    fn deciding(&self, id: NodeId) -> &[NodeId] {
        let graph = &self.program.graph;
        let stores = self.writes.before(graph, storage(graph, id), id);
        // What an earlier write has left is gone behind one without a gate.
        let last = stores
            .iter()
            .rposition(|store| graph.node(*store).sources.len() == 2);
        &stores[last.unwrap_or(0)..]
    }

    /// Returns what a buffer after effects depends on beside its sources.
    pub(super) fn earlier(&self, id: NodeId) -> Vec<NodeId> {
        let graph = &self.program.graph;
        let stores = self.deciding(id).iter();
        let written = stores.flat_map(|store| graph.node(*store).sources[1..].iter().copied());
        written.chain([storage(graph, id)]).collect()
    }

    /// Returns a buffer after effects.
    pub(super) fn after(&mut self, frame: &Frame<'p>, id: NodeId) -> Made<'p, Value<'p>> {
        let graph = &self.program.graph;
        let buffer = graph.node(id).sources[0];
        let own = storage(graph, id);
        let stores = self.deciding(id).to_vec();
        let mut value = frame.values[&own][0].clone();
        for store in stores {
            let store = graph.node(store);
            if !self.is_whole(buffer) || !self.is_whole(store.sources[0]) {
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

    /// Checks that no write comes between a view of a buffer after effects and these effects: such a view reads what the buffer
    /// holds when its own turn comes.
    pub(super) fn check_view(&self, id: NodeId) -> Made<'p, ()> {
        let graph = &self.program.graph;
        let Some(own) = graph.node(id).storage else {
            return Ok(());
        };
        let Some(last) = self.writes.before(graph, own, id).last() else {
            return Ok(());
        };
        let mut at = id;
        while at != own && graph.node(at).op != Op::After {
            at = graph.node(at).sources[0];
        }
        if graph.node(at).op == Op::After && at < *last {
            let why = "a view of a buffer is read behind a later write to it, and is not converted";
            return Err(self.error(why));
        }
        Ok(())
    }

    /// Tells whether a node is a whole buffer, perhaps after effects.
    fn is_whole(&self, mut id: NodeId) -> bool {
        let graph = &self.program.graph;
        while graph.node(id).op == Op::After {
            id = graph.node(id).sources[0];
        }
        graph.node(id).storage == Some(id)
    }
}

/// The writes that results depend on, by what they write to, in their order.
pub(super) struct Writes(FxHashMap<Storage, Vec<NodeId>>);

impl Writes {
    pub(super) fn of(graph: &Graph, results: &[NodeId]) -> Self {
        let mut seen = FxHashSet::default();
        let mut stack = results.to_vec();
        let mut found = FxHashMap::<Storage, Vec<NodeId>>::default();
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue; // It is known.
            }
            let node = graph.node(id);
            if node.op == Op::Store {
                let own = Storage::of(graph, storage(graph, node.sources[0]));
                found.entry(own).or_default().push(id);
            }
            stack.extend(&node.sources);
        }
        for stores in found.values_mut() {
            stores.sort_unstable();
        }
        Self(found)
    }

    /// Returns the writes to a buffer or parameter that come before a node.
    pub(super) fn before(&self, graph: &Graph, own: NodeId, id: NodeId) -> &[NodeId] {
        let stores = self.0.get(&Storage::of(graph, own));
        let stores = stores.map_or(&[][..], Vec::as_slice);
        &stores[..stores.partition_point(|store| *store < id)]
    }
}

/// Returns the buffer or the parameter that a node is a view of.
fn storage(graph: &Graph, id: NodeId) -> NodeId {
    let own = graph.node(id).storage;
    own.expect("the rules of the graph have been checked")
}

/// What tells a buffer from others. Several nodes may be one buffer; a parameter belongs to one function.
#[derive(PartialEq, Eq, Hash)]
enum Storage {
    /// The kind of memory and the number.
    Buffer(AddressSpace, u32),
    Param(NodeId),
}

impl Storage {
    /// Returns the one that a node is.
    fn of(graph: &Graph, own: NodeId) -> Self {
        match graph.node(own).op {
            Op::Buffer { space, slot, .. } => Self::Buffer(space, slot),
            _ => Self::Param(own),
        }
    }
}

//! Builds the functions of a program in a file.
//!
//! Buffers in the memory of the device are arguments of `@main`, and its results are the results of the program. A
//! called body is a private function, with its parameters as arguments.

use std::collections::BTreeMap;

use melior::Context;
use melior::ir::attribute::{FlatSymbolRefAttribute, StringAttribute, TypeAttribute};
use melior::ir::r#type::FunctionType;
use melior::ir::{Attribute, Block, BlockLike, Location, Region, RegionLike, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_dialects::{attr, uop_attr};
use spyre_mlir_rt::ir::{self, Blk, Val};
use spyre_ods::{OpBuilder, OpParts, func};
use spyre_uop::file::{self, ImportError, Imported};
use spyre_uop::graph::{Graph, Node, Type as NodeType};
use spyre_uop::ids::{Id, NodeId};
use spyre_uop::op::{AddressSpace, CallKind, Op};
use spyre_uop::schema::{File, Slot};

use super::{attributes, function, types};

/// Builds the functions of a program. Operations are at the location, with the places of their nodes as names.
///
/// # Errors
/// The first node that breaks a rule, with its place in the JSON.
pub fn import<'p>(
    context: &'p Context,
    at: Blk<'p>,
    location: Location<'p>,
    from: &File,
) -> Result<(), ImportError> {
    let imported = file::import(&from.nodes)?;
    let results = results(from, &imported)?;
    let mut import = Import {
        context,
        graph: &imported.graph,
        location,
        at,
        bodies: FxHashMap::default(),
    };
    import.main(from, &results);
    Ok(())
}

/// Returns the nodes that a program computes: its outputs, else its result, else its last node. A tuple gives its
/// elements.
fn results(from: &File, imported: &Imported) -> Result<Vec<NodeId>, ImportError> {
    let node = |id: u64, path: String| {
        imported.node(id).ok_or_else(|| ImportError {
            path,
            reason: format!("there is no node {id}"),
        })
    };
    let graph = &imported.graph;
    let one = |id: NodeId| match &graph.node(id).op {
        Op::Tuple => graph.node(id).sources.to_vec(),
        _ => vec![id],
    };
    if let Some(outputs) = &from.outputs {
        let outputs = outputs.iter().enumerate();
        return outputs
            .map(|(number, output)| {
                let path = format!("outputs[{number}].node");
                let id = node(output.node, path.clone())?;
                match &graph.node(id).ty {
                    NodeType::Tensor(_) => Ok(id),
                    other => Err(ImportError {
                        path,
                        reason: format!(
                            "an output is a tensor, and node {} is {other}",
                            output.node
                        ),
                    }),
                }
            })
            .collect();
    }
    if let Some(result) = from.result {
        return Ok(one(node(result, "result".to_owned())?));
    }
    let last = graph.nodes().iter().last();
    Ok(last.map(|(id, _)| one(id)).unwrap_or_default())
}

/// A program that is being imported.
struct Import<'a, 'p> {
    context: &'p Context,
    graph: &'a Graph,
    /// The location of the file.
    location: Location<'p>,
    /// The block of the module.
    at: Blk<'p>,
    /// The names of the functions of bodies.
    bodies: FxHashMap<(NodeId, Vec<String>), String>,
}

/// A function that is being built.
struct Function<'p> {
    op: ir::Op<'p>,
    block: Blk<'p>,
    /// The values of nodes; several of a tuple and of a call.
    values: FxHashMap<NodeId, Vec<Val<'p>>>,
    /// The arguments that are buffers, by their slots.
    buffers: FxHashMap<u32, Val<'p>>,
    /// The arguments that are parameters, by their slots.
    params: FxHashMap<u32, Val<'p>>,
    /// The attributes of arguments, with their numbers.
    attributes: Vec<(usize, &'static str, Attribute<'p>)>,
    /// Whether it is a body that is called.
    is_body: bool,
}

impl<'p> Import<'_, 'p> {
    fn main(&mut self, from: &File, results: &[NodeId]) {
        let mut function = self.function("main", false);
        let text = |text: &str| StringAttribute::new(self.context, text).into();
        let named = [
            (function::NAME, text(&from.name)),
            (function::CATEGORY, text(&from.category)),
            (function::DESCRIPTION, text(&from.description)),
        ];
        for (name, value) in named {
            ir::set_discardable_attribute(function.op, name, value);
        }
        if let Some(devices) = &from.devices {
            let names: Vec<_> = devices.iter().map(|name| text(name)).collect();
            let names = attr::array(self.context, &names);
            ir::set_discardable_attribute(function.op, function::DEVICES, names);
        }
        let nodes = self.outside_of_bodies(results);
        self.arguments(&mut function, &nodes);
        self.fill(&mut function, &nodes);
        self.end(&function, results);
    }

    /// Returns the nodes that are not in bodies alone.
    fn outside_of_bodies(&self, results: &[NodeId]) -> Vec<NodeId> {
        let called = |node: &Node| matches!(node.op, Op::Call(_)).then(|| node.sources[0]);
        let nodes = self.graph.nodes().iter();
        let bodies = nodes.filter_map(|(_, node)| called(node));
        let inside: FxHashSet<NodeId> = self.reached(bodies, 0).into_iter().collect();
        let outside = self.graph.nodes().ids().filter(|id| !inside.contains(id));
        self.around_bodies(outside.chain(results.iter().copied()))
    }

    /// Returns the nodes that some nodes depend on, with these nodes and without the bodies that they call, in order.
    fn around_bodies(&self, of: impl Iterator<Item = NodeId>) -> Vec<NodeId> {
        self.reached(of, 1)
    }

    /// Returns the nodes that some nodes depend on, with these nodes, in order. The first `skipped` sources of calls are not followed.
    fn reached(&self, of: impl Iterator<Item = NodeId>, skipped: usize) -> Vec<NodeId> {
        let mut seen = FxHashSet::default();
        let mut stack: Vec<NodeId> = of.collect();
        while let Some(id) = stack.pop() {
            if seen.insert(id) {
                let node = self.graph.node(id);
                let is_call = matches!(node.op, Op::Call(_));
                stack.extend(&node.sources[if is_call { skipped } else { 0 }..]);
            }
        }
        let mut nodes: Vec<NodeId> = seen.into_iter().collect();
        nodes.sort_unstable();
        nodes
    }

    /// Builds an empty function at the end of the module.
    fn function(&self, name: &str, is_body: bool) -> Function<'p> {
        let region = Region::new();
        region.append_block(Block::new(&[]));
        let text = |text| StringAttribute::new(self.context, text).into();
        let ty = FunctionType::new(self.context, &[], &[]).into();
        let visibility = is_body.then(|| text("private"));
        let parts = func::func(text(name), TypeAttribute::new(ty).into())
            .with_optional("sym_visibility", visibility)
            .region(region);
        let build = OpBuilder::at_end(self.context, self.at, self.location);
        let op = build.insert(parts, &[]);
        Function {
            op,
            block: ir::body(op).expect("the function has a block"),
            values: FxHashMap::default(),
            buffers: FxHashMap::default(),
            params: FxHashMap::default(),
            attributes: Vec::new(),
            is_body,
        }
    }

    /// Builds nodes, in their order.
    fn fill(&mut self, into: &mut Function<'p>, nodes: &[NodeId]) {
        for id in nodes {
            let values = self.node(into, *id);
            into.values.insert(*id, values);
        }
    }

    /// Returns some values from a function.
    fn end(&self, function: &Function<'p>, results: &[NodeId]) {
        let values = results.iter().flat_map(|id| function.values[id].clone());
        let values: Vec<_> = values.collect();
        self.build(function, self.location, func::return_(&values), &[]);
        ir::update_function_type(function.op);
        for (number, name, value) in &function.attributes {
            ir::set_argument_attribute(function.op, *number, name, *value);
        }
    }

    /// Builds the function of a body, if it has not been built. Returns its name.
    fn body(&mut self, call: &Node) -> String {
        let body = call.sources[0];
        let types = call.sources[1..].iter();
        let types: Vec<Type<'p>> = types
            .map(|argument| types::tensor(self.context, self.graph.tensor(*argument)))
            .collect();
        // Calls may pass arguments that the body has no parameter for, and differ in these.
        let signature: Vec<String> = types.iter().map(ToString::to_string).collect();
        let key = (body, signature);
        if let Some(name) = self.bodies.get(&key) {
            return name.clone();
        }
        let name = format!("body{}", self.bodies.len());
        self.bodies.insert(key, name.clone());
        let mut function = self.function(&name, true);
        for (slot, ty) in types.into_iter().enumerate() {
            let argument = function.block.add_argument(ty, self.location);
            let slot = u32::try_from(slot).expect("a graph has fewer than 2^32 nodes");
            function.params.insert(slot, argument);
        }
        let nodes = self.around_bodies([body].into_iter());
        self.fill(&mut function, &nodes);
        self.end(&function, &[body]);
        name
    }

    /// Builds an operation at the end of a function.
    fn build(
        &self,
        function: &Function<'p>,
        location: Location<'p>,
        parts: OpParts<'p>,
        results: &[Type<'p>],
    ) -> Vec<Val<'p>> {
        let build = OpBuilder::at_end(self.context, function.block, location);
        ir::results(build.insert(parts, results)).collect()
    }

    /// Builds a node. Returns its values.
    fn node(&mut self, into: &Function<'p>, id: NodeId) -> Vec<Val<'p>> {
        let graph = self.graph;
        let node = graph.node(id);
        let place = format!("nodes[{}]", id.position());
        let location = Location::name(self.context, &place, self.location);
        let sources = |from: usize| -> Vec<Val<'p>> {
            let sources = node.sources[from..].iter();
            sources.map(|source| into.values[source][0]).collect()
        };
        match &node.op {
            Op::Buffer {
                slot,
                space: AddressSpace::Global,
                ..
            } if !into.is_body => vec![into.buffers[slot]],
            Op::Param {
                slot: Slot::Number(slot),
                bounds,
                ..
            } if into.is_body || bounds.is_none() => vec![into.params[slot]],
            Op::Tuple => sources(0),
            Op::GetTuple(index) => {
                let tuple = &into.values[&node.sources[0]];
                vec![tuple[*index]]
            }
            Op::Call(kind) => {
                let name = self.body(node);
                let callee = FlatSymbolRefAttribute::new(self.context, &name);
                let opaque = *kind == CallKind::Call;
                let opaque = opaque.then(|| Attribute::unit(self.context));
                let arguments = node.sources[1..].iter();
                let arguments: Vec<_> = arguments.map(|id| into.values[id][0]).collect();
                let results = match &node.ty {
                    NodeType::Tuple(types) => types.to_vec(),
                    NodeType::Tensor(_) | NodeType::Void => Vec::new(),
                };
                let results = results.iter().map(|ty| types::tensor(self.context, ty));
                let mut results: Vec<_> = results.collect();
                if node.ty == NodeType::Void {
                    results.push(uop_attr::effect_type(self.context));
                }
                let call =
                    func::call(&arguments, callee.into()).with_optional(function::OPAQUE, opaque);
                self.build(into, location, call, &results)
            }
            op => {
                let mut operands = sources(0);
                attributes::swap(op, &mut operands);
                let result = match &node.ty {
                    NodeType::Tensor(ty) => types::tensor(self.context, ty),
                    NodeType::Void => uop_attr::effect_type(self.context),
                    NodeType::Tuple(_) => unreachable!("tuples are handled above"),
                };
                let parts = attributes::parts(self.context, op, &operands);
                self.build(into, location, parts, &[result])
            }
        }
    }

    /// Adds the arguments of a program: its buffers in the memory of the device, then its parameters, by their numbers.
    fn arguments(&self, into: &mut Function<'p>, nodes: &[NodeId]) {
        let (mut buffers, mut params) = (BTreeMap::new(), BTreeMap::new());
        for id in nodes {
            match &self.graph.node(*id).op {
                Op::Buffer {
                    slot,
                    ty,
                    device,
                    space: AddressSpace::Global,
                } => drop(buffers.insert(*slot, (ty, device.as_ref()))),
                Op::Param {
                    slot: Slot::Number(slot),
                    ty,
                    bounds: None,
                } => drop(params.insert(*slot, ty)),
                _ => {}
            }
        }
        let add = |ty| {
            into.block
                .add_argument(types::tensor(self.context, ty), self.location)
        };
        for (slot, (ty, device)) in buffers {
            let number = into.buffers.len();
            into.buffers.insert(slot, add(ty));
            let slot = (
                number,
                function::SLOT,
                attributes::i64(self.context, slot.into()),
            );
            into.attributes.push(slot);
            let device = device.map(|device| attributes::device(self.context, device));
            let device = device.map(|device| (number, function::DEVICE, device));
            into.attributes.extend(device);
        }
        for (slot, ty) in params {
            let number = into.buffers.len() + into.params.len();
            into.params.insert(slot, add(ty));
            let slot = (
                number,
                function::PARAM,
                attributes::i64(self.context, slot.into()),
            );
            into.attributes.push(slot);
        }
    }
}

//! Placement in upstream's `shard`: the part of a tensor that each device has.
//!
//! A tuple of devices is a grid; a module has at most one. A value on the grid is split along the shared axis, or every
//! device has a copy of it. `shard` cannot represent a copy to one device of a grid.

use std::sync::Arc;

use melior::ir::attribute::{DenseI64ArrayAttribute, FlatSymbolRefAttribute, StringAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Type};
use rustc_hash::FxHashSet;
use spyre_mlir_rt::ir::{self, At};
use spyre_ods::{OpBuilder, shard};
use spyre_uop::graph::Graph;
use spyre_uop::ids::{IndexVec, NodeId};
use spyre_uop::op;
use spyre_uop::place::{Misplaced, Place, places};
use spyre_uop::schema::Device;

use super::view::View;
use super::{Lowering, Outcome, Root, Value};
use crate::program::Program;

/// The name of the grid.
const GRID: &str = "devices";

/// The grid of a module, if the option requests one.
#[derive(Default)]
pub(super) struct Grid {
    /// The devices of the grid, once there is one.
    devices: Option<Arc<Device>>,
}

/// The places of the values of a program, and the grid.
pub(super) struct Sharding<'a> {
    places: IndexVec<NodeId, Place>,
    /// Copies with uses of their first slice only: every device has the copied value.
    first_only: FxHashSet<NodeId>,
    grid: &'a mut Grid,
}

impl<'a> Sharding<'a> {
    /// # Errors
    /// A value would be on no device.
    pub(super) fn of(program: &Program<'_>, grid: &'a mut Grid) -> Result<Self, Misplaced> {
        let mut first_only = first_only(&program.graph);
        for result in &program.results {
            first_only.remove(result);
        }
        Ok(Self {
            places: places(&program.graph)?,
            first_only,
            grid,
        })
    }
}

/// Returns the nodes with `replicated` operations as their only users.
fn first_only(graph: &Graph) -> FxHashSet<NodeId> {
    let (mut nodes, mut others) = (FxHashSet::default(), FxHashSet::default());
    for (_, node) in graph.nodes().iter() {
        let readers = match node.op {
            op::Op::Replicated(_) => &mut nodes,
            _ => &mut others,
        };
        readers.extend(&node.sources);
    }
    nodes.retain(|id| !others.contains(id));
    nodes
}

impl<'p> Lowering<'_, 'p> {
    /// Annotates an argument of the function with its sharding.
    pub(super) fn shard_argument(
        &mut self,
        id: NodeId,
        value: Value<'p>,
    ) -> Outcome<'p, Value<'p>> {
        self.sharded(id, value, false)
    }

    /// Annotates the result of a node that moves data with the sharding for its users.
    pub(super) fn shard_moved(&mut self, id: NodeId, value: Value<'p>) -> Outcome<'p, Value<'p>> {
        let node = self.program.graph.node(id);
        if self.sharding.is_some()
            && let op::Op::Copy(Device::One(name))
            | op::Op::Load {
                device: Some(Device::One(name)),
                ..
            } = &node.op
        {
            return Err(self.error(format!(
                "'shard' can describe tensors that all devices of a grid hold or share, but no copy to '{name}' alone"
            )));
        }
        self.sharded(id, value, true)
    }

    /// Annotates a result of the function with its sharding.
    pub(super) fn shard_result(&mut self, id: NodeId, value: Value<'p>) -> Outcome<'p, Value<'p>> {
        self.sharded(id, value, false)
    }

    fn sharded(&mut self, id: NodeId, value: Value<'p>, for_users: bool) -> Outcome<'p, Value<'p>> {
        let Some(sharding) = &self.sharding else {
            return Ok(value);
        };
        if sharding.first_only.contains(&id) {
            return Ok(value);
        }
        let place = sharding.places[id].clone();
        let Some(device) = place.device else {
            return Ok(value); // It is wherever it is read.
        };
        let Device::Many(names) = &*device else {
            return Ok(value); // It is outside of the grid.
        };
        self.grid(&device, names.len())?;
        let rank = value.view.shape.len();
        if rank == 0 {
            // The dialect has no sharding without an axis. A scalar that is on all devices needs none.
            return Ok(value);
        }
        let tensor = self.realized(&value)?;
        let axes = (0..rank).map(|axis| match place.axis == Some(axis) {
            true => "[0]",
            false => "[]",
        });
        let axes: Vec<&str> = axes.collect();
        let axes = format!("#shard<axisarray[{}]>", axes.join(", "));
        let parse =
            |text: &str| Attribute::parse(self.context, text).expect("the dialect is loaded");
        let none = DenseI64ArrayAttribute::new(self.context, &[]);
        let grid = FlatSymbolRefAttribute::new(self.context, GRID).into();
        let sharding = shard::sharding(&[], &[], grid, parse(&axes))
            .with("static_sharded_dims_offsets", none)
            .with("static_halo_sizes", none);
        let ty = Type::parse(self.context, "!shard.sharding").expect("the dialect is loaded");
        let build = OpBuilder {
            context: self.context,
            at: At::Before(self.end),
            location: self.here,
        };
        let sharding = build.op(sharding, ty);
        let unit = for_users.then(|| Attribute::unit(self.context));
        let parts = shard::shard(tensor, sharding).with_optional("annotate_for_users", unit);
        let result = build.same(parts);
        Ok(Value {
            root: Root::Tensor(result),
            dtype: value.dtype,
            view: View::whole(&value.view.shape),
        })
    }

    /// Builds the grid of the module, or checks that it is this one.
    fn grid(&mut self, device: &Arc<Device>, count: usize) -> Outcome<'p, ()> {
        let sharding = self.sharding.as_mut().expect("places are asked for");
        match &sharding.grid.devices {
            Some(devices) if devices == device => return Ok(()),
            Some(_) => {
                return Err(self
                    .error("'shard' has one grid, but the program has a second tuple of devices"));
            }
            None => sharding.grid.devices = Some(Arc::clone(device)),
        }
        let module = self
            .function
            .parent_operation()
            .expect("the function is in a module");
        let block = ir::body(module).expect("a module has a block");
        let first = ir::operations(block).next().expect("the function is in it");
        let count = i64::try_from(count).expect("devices are few");
        let name = StringAttribute::new(self.context, GRID);
        let shape = DenseI64ArrayAttribute::new(self.context, &[count]);
        let build = OpBuilder {
            context: self.context,
            at: At::Before(first),
            location: self.function.location(),
        };
        build.insert(shard::grid(name.into(), shape.into()), &[]);
        Ok(())
    }
}

//! Builds the loops of a plan.
//!
//! All decisions and refusals are in the plan: it has the loops, the operations in them, the windows that they read and
//! the tensors that they carry. `loops` builds the bodies in order, `members` the operations in them, `windows` the
//! windows that they read and write, `parts` and `search` the combination of parts, `views` the views. In the end
//! `counts` compares the loops with the plan.

mod counts;
pub(crate) mod extents;
mod loops;
mod members;
mod parts;
mod search;
mod views;
mod windows;

use melior::Context;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Location, Type, ValueLike};
use rustc_hash::FxHashMap;
use spyre_analysis::dynamic::{DynamicDims, Source, SymbolId};
use spyre_analysis::tensor::TensorTypes;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Op, Val};
use spyre_ods::{OpBuilder, OpParts, tensor};

use self::counts::NestSpan;
use self::loops::NestBuilder;
use crate::coarse_tile::plan::TilePlan;
use crate::coarse_tile::plan::counts::NestCounts;
use crate::coarse_tile::plan::region::Regions;

/// The state of building the groups of one function.
pub(crate) struct Builder<'r, 'p> {
    context: &'p Context,
    types: &'r TensorTypes<'p>,
    regions: &'r Regions,
    dynamic: &'r DynamicDims,
    entry: Blk<'p>,
    constants: FxHashMap<i64, Val<'p>>,
    /// The extents of dynamic dimensions, as index values at the start of the function.
    sizes: FxHashMap<SymbolId, Val<'p>>,
}

impl<'r, 'p> Builder<'r, 'p> {
    /// Returns a builder for a function with this entry block.
    pub(crate) fn new(
        context: &'p Context,
        entry: Blk<'p>,
        types: &'r TensorTypes<'p>,
        dynamic: &'r DynamicDims,
        regions: &'r Regions,
    ) -> Self {
        Self {
            context,
            types,
            regions,
            dynamic,
            entry,
            constants: FxHashMap::default(),
            sizes: FxHashMap::default(),
        }
    }

    /// Builds the loops of a group after its last operation and moves its operations into them. The operations between
    /// them stay before the loops, except for the ones in `behind`, which move after the loops. Returns the loops.
    ///
    /// # Errors
    /// The loops differ from the plan, which is a bug of this pass.
    pub(crate) fn build(
        &mut self,
        plan: &TilePlan<'p>,
        behind: &[Op<'p>],
    ) -> Result<NestCounts, Diagnostic<'p>> {
        let members = plan.members.iter();
        members.for_each(|member| member.op.remove_hints());
        let in_loops = plan.members.pairs();
        let Some((_, first)) = in_loops.clone().find(|(id, _)| plan.nest.is_in_loops(*id)) else {
            return Ok(NestCounts::default());
        };
        let last = plan.members.last().expect("a group has members").op.op();
        let at = last.next_in_block().map_or_else(
            || At::End(last.block().expect("an operation is in a block")),
            At::Before,
        );
        let location = first.op.op().location();
        // The plan is counted before its operations change.
        let expected = plan.counts(self.regions);
        let span = NestSpan::new(at, location);
        let copies = views::copy_views(plan);
        let uses = views::outside_uses(plan);
        let mut nest = NestBuilder::new(self, plan, at, location);
        nest.body(plan.nest.root());
        let moved = [copies.as_slice(), behind].concat();
        for op in &moved {
            ir::move_to(*op, at);
        }
        let built = nest.finish(uses);
        span.check(plan, &built, &moved, expected)
    }

    /// Returns a constant of type `index` at the start of the function, built once for each value.
    fn constant(&mut self, value: i64) -> Val<'p> {
        let (context, entry) = (self.context, self.entry);
        *self.constants.entry(value).or_insert_with(|| {
            let first = entry.first_operation();
            let at = first.map_or(At::End(entry), At::Before);
            let function = entry.parent_operation();
            let location = function.map_or(Location::unknown(context), |op| op.location());
            ir::build_index_constant(at, location, value)
        })
    }

    /// Returns the extent of a dynamic dimension, read once at the start of the function.
    fn size(&mut self, id: SymbolId) -> Val<'p> {
        if let Some(value) = self.sizes.get(&id) {
            return *value;
        }
        let source = self.dynamic.symbol(id).source;
        let Source { argument, dim } = source.expect("dynamic extents come from arguments");
        let value = self.entry.argument(argument);
        let value: Val<'p> = value
            .expect("the argument was found in this function")
            .into();
        let position = self.constant(i64::try_from(dim).expect("a rank fits into 64 bits"));
        // The extent is read right after the constant, before all operations that could use it.
        let constant = ir::defining_op(position).expect("a constant is a result");
        let at = constant
            .next_in_block()
            .map_or(At::End(self.entry), At::Before);
        let build = OpBuilder {
            context: self.context,
            at,
            location: value.location(),
        };
        let size = build.op(tensor::dim(value, position), Type::index(self.context));
        self.sizes.insert(id, size);
        size
    }
}

/// Adds the attributes of an operation with these names, where it has them.
fn with_attributes_of<'p>(parts: OpParts<'p>, op: Op<'p>, names: &[&'static str]) -> OpParts<'p> {
    names.iter().fold(parts, |parts, name| {
        parts.with_optional(name, ir::attribute(op, name))
    })
}

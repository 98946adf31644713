//! Finds nests that differ only in their buffers.
//!
//! The layers of a model are alike, and so are most operations of a chain. Nests that are alike are read once. They are
//! compared by the attributes of their operations, without building expressions.

use melior::ir::operation::OperationLike;
use melior::ir::r#type::RankedTensorType;
use melior::ir::{Attribute, Type, ValueLike};
use smallvec::SmallVec;
use spyre_mlir_rt::ir::{self, Blk, Op, Val};
use spyre_ods::inductor;

use super::program::{accessed_from, reduced_ranges, result};

/// The computation of a nest without its buffers. Nests with equal computations are alike.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Alike<'p> {
    /// The name of the operation.
    name: &'p str,
    /// The extents of its loops.
    extents: [Option<Attribute<'p>>; 3],
    steps: SmallVec<[Step<'p>; 4]>,
}

/// An operation of a body with all loops in order as its indices.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Step<'p> {
    /// A load, with its map and the layout of its source.
    Load(Attribute<'p>, Attribute<'p>),
    /// A store, with its map and the layout of its target.
    Store(Attribute<'p>, Attribute<'p>),
    /// A number of an index expression, with its map.
    Number(Attribute<'p>),
}

/// The sources of the loads of a nest, in order.
pub(super) type Sources<'p> = SmallVec<[Val<'p>; 4]>;

impl<'p> Alike<'p> {
    /// Returns the key of a nest for the comparison, and the sources of its loads. `None` if attributes do not
    /// determine the nest: one that scatters, or with an index that the program computes.
    pub(super) fn of(op: Op<'p>) -> Option<(Self, Sources<'p>)> {
        let name = ir::name(op);
        if name == inductor::SCATTER {
            return None;
        }
        let extents = [Some("ranges"), reduced_ranges(op), Some("loops")];
        let extents = extents.map(|name| ir::attribute(op, name?));
        let mut alike = Self {
            name,
            extents,
            steps: SmallVec::new(),
        };
        let mut sources = Sources::new();
        let body = ir::body(op).expect("a nest has a block");
        alike.block(body, result(op, 0).r#type(), &mut sources)?;
        Some((alike, sources))
    }

    /// Adds the operations of a block of a nest. `result_type` is the type of the nest's result.
    fn block(
        &mut self,
        block: Blk<'p>,
        result_type: Type<'p>,
        sources: &mut Sources<'p>,
    ) -> Option<()> {
        for op in ir::operations(block) {
            match ir::name(op) {
                inductor::LOAD => {
                    let source = ir::operand(op, 0).expect("a load has a source");
                    let layout = layout(op, source.r#type());
                    self.steps.push(Step::Load(plain_map(op, 1)?, layout));
                    sources.push(source);
                }
                inductor::STORE => {
                    let map = plain_map(op, accessed_from(op))?;
                    self.steps.push(Step::Store(map, layout(op, result_type)));
                }
                inductor::INDEX_EXPR => self.steps.push(Step::Number(plain_map(op, 0)?)),
                inductor::INDIRECT => return None,
                inductor::MASKED => {
                    let inner = ir::body(op).expect("it has a block");
                    self.block(inner, result_type, sources)?;
                }
                _ => {}
            }
        }
        Some(())
    }
}

/// Returns the layout in which a load or a store sees a buffer of some type.
pub(super) fn layout<'p>(op: Op<'p>, ty: Type<'p>) -> Attribute<'p> {
    let view = ir::attribute(op, "view");
    let encoding = || RankedTensorType::try_from(ty).ok()?.encoding();
    view.or_else(encoding).expect("a buffer has a layout")
}

/// Returns the map of an operation if its indices, the operands from `first` on, are all loops in their order.
fn plain_map<'p>(op: Op<'p>, first: usize) -> Option<Attribute<'p>> {
    let indices = op.operand_count() - first;
    let mut indices = (0..indices).map(|number| (number, ir::operand(op, first + number)));
    let is_loop = |(number, value): (usize, Option<Val<'p>>)| {
        let value = value.expect("the number is below the count");
        matches!(ir::source(value), ir::Source::Argument(_, position) if position == number)
    };
    indices
        .all(is_loop)
        .then(|| op.attribute("map").expect("checked by the dialect"))
}

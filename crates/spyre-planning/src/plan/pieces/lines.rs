//! Finds the positions at which a function is cut into pieces.

use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Type, ValueLike};
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_analysis::names;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::ir::{self, Op};

/// The fewest device operations of a piece. In a shorter piece, no decision depends on another one.
const LEAST: usize = 4;

/// The distance in operations within which there is no better place to cut. Layers have some twenty to fifty operations.
const NEAR: usize = 16;

/// An operation without the values of its operands, to compare operations of different layers.
#[derive(PartialEq, Eq, Hash)]
struct Alone<'p> {
    name: &'p str,
    attributes: Vec<(String, Attribute<'p>)>,
    results: Vec<Type<'p>>,
    operands: Vec<Type<'p>>,
}

/// The values that are alive after an operation.
#[derive(Debug, Clone, Copy, Default)]
struct Live {
    /// Whether a piece may end there.
    may_cut: bool,
    /// The elements of all values that are alive.
    elements: u128,
}

/// The operations of a function, in order.
pub(super) struct Lines<'o, 'p> {
    pub(super) ops: &'o [Op<'p>],
    /// For each operation a number; equal ones have the same.
    pub(super) alone: Vec<usize>,
    /// The position of an operation by its key.
    pub(super) positions: FxHashMap<ir::OpKey, usize>,
}

impl<'o, 'p> Lines<'o, 'p> {
    pub(super) fn of(ops: &'o [Op<'p>]) -> Self {
        let mut numbers: FxHashMap<Alone<'p>, usize> = FxHashMap::default();
        let alone = ops.iter().map(|op| {
            let number = numbers.len();
            let attributes = op.attributes();
            let attributes = attributes.map(|(name, value)| {
                let name = name.as_string_ref().as_str().expect("names are UTF-8");
                (name.to_owned(), value)
            });
            let form = Alone {
                name: ir::name(*op),
                attributes: attributes.collect(),
                results: ir::results(*op).map(|value| value.r#type()).collect(),
                operands: op.operands().map(|value| value.r#type()).collect(),
            };
            *numbers.entry(form).or_insert(number)
        });
        let positions = ops.iter().enumerate();
        Self {
            ops,
            alone: alone.collect(),
            positions: positions
                .map(|(position, op)| (ir::op_key(*op), position))
                .collect(),
        }
    }

    /// Returns the positions of the users of an operation. The return of the function is not one of them.
    pub(super) fn readers(&self, position: usize) -> impl Iterator<Item = usize> {
        let uses = ir::results(self.ops[position]).flat_map(ir::uses);
        uses.filter_map(|usage| self.positions.get(&ir::op_key(usage.owner)).copied())
    }

    /// Returns whether an operation has no operands, such as a constant. It may be cloned anywhere.
    pub(super) fn is_free(&self, position: usize) -> bool {
        self.ops[position].operand_count() == 0
    }

    /// Returns positions after which at most one value is alive, ascending, and of these only the ones where the value
    /// is small: no larger than at any other such position near by. A value that is alive over more than half of the
    /// function, such as the tables of a rotation, counts as an argument.
    fn cuts(&self) -> Vec<usize> {
        let count = self.ops.len();
        let mut lives = vec![Live::default(); count];
        // The live values, by the last position at which each is alive.
        let mut ends: Vec<Vec<u128>> = vec![Vec::new(); count];
        let (mut alive, mut elements) = (0_usize, 0_u128);
        for position in 0..count {
            let last = self.readers(position).max().unwrap_or(position);
            let is_far = last - position > count / 2;
            if last > position && !self.is_free(position) && !is_far {
                let size = self.elements(position);
                ends[last].push(size);
                alive += 1;
                elements += size;
            }
            alive -= ends[position].len();
            elements -= ends[position].iter().sum::<u128>();
            lives[position] = Live {
                may_cut: alive <= 1 && !self.is_free(position) && position + 1 < count,
                elements,
            };
        }
        let is_least = |position: &usize| {
            let near = position.saturating_sub(NEAR)..count.min(position + NEAR + 1);
            let others = lives[near].iter().filter(|live| live.may_cut);
            let least = others.map(|live| live.elements).min();
            lives[*position].may_cut && Some(lives[*position].elements) == least
        };
        (0..count).filter(is_least).collect()
    }

    /// Returns the elements of the results of an operation.
    fn elements(&self, position: usize) -> u128 {
        let shapes =
            ir::results(self.ops[position]).filter_map(|value| names::shape(value.r#type()));
        shapes
            .map(|shape| shape.into_iter().map(u128::from).product::<u128>())
            .sum()
    }

    /// Returns the ends of pieces, ascending; empty if there would be one piece.
    ///
    /// A layer ends where a sequence of operations begins that the layer already contains. Inside a layer, pieces are
    /// as short as possible, so that equal parts of two layers are cut in the same way.
    pub(super) fn ends_of_pieces(&self) -> Vec<usize> {
        let mut ends: Vec<usize> = Vec::new();
        let mut seen: FxHashSet<&[usize]> = FxHashSet::default();
        let (mut from, mut layer, mut in_layer, mut in_piece) = (0, 0, 0, 0);
        let devices = |from: usize, end: usize| {
            let ops = self.ops[from..end].iter();
            ops.filter(|op| DeviceOp::cast(**op).is_some()).count()
        };
        let ends_of_runs = self.cuts().into_iter().map(|cut| cut + 1);
        for end in ends_of_runs.chain([self.ops.len()]) {
            let run = &self.alone[from..end];
            let is_next_layer = in_layer >= LEAST && seen.contains(run);
            if is_next_layer || in_piece >= LEAST {
                // The rest of a layer belongs to the piece before it.
                if in_piece < LEAST && ends.last().is_some_and(|last| *last > layer) {
                    ends.pop();
                }
                ends.push(from);
                in_piece = 0;
            }
            if is_next_layer {
                seen.clear();
                (layer, in_layer) = (from, 0);
            }
            seen.insert(run);
            let count = devices(from, end);
            in_layer += count;
            in_piece += count;
            from = end;
        }
        if in_piece < LEAST {
            ends.pop();
        }
        if !ends.is_empty() {
            ends.push(self.ops.len());
        }
        ends
    }
}

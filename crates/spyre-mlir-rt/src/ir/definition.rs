//! Definitions of operations: the names of their operands, attributes, regions and results.
//!
//! `spyre-ods` has one for each operation, from the ODS, with typed views that read an operation by it. An operand is
//! found by the number of its name, which the compiler computes. Only where an optional or variadic operand is before
//! it, the number depends on the operation: MLIR stores the sizes of all groups in an attribute, or the sizes follow
//! from the number of operands.

use std::ops::Range;

use melior::ir::attribute::DenseI32ArrayAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, RegionRef};

use super::read::{attribute, name, operand, result};
use super::{Op, Val};

/// An operand, an attribute, a region or a result in a definition, by its name in the ODS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// Exactly one.
    One(&'static str),
    /// None or one.
    Optional(&'static str),
    /// Any number.
    Variadic(&'static str),
}

impl Slot {
    /// Returns the name in the ODS.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::One(name) | Self::Optional(name) | Self::Variadic(name) => name,
        }
    }

    const fn is_one(self) -> bool {
        matches!(self, Self::One(_))
    }
}

/// The operands, regions or results in a definition, in order.
#[derive(Debug, Clone, Copy)]
pub struct Slots {
    /// Each with its name.
    pub slots: &'static [Slot],
    /// Whether an attribute of the operation has the number of values of each slot.
    pub is_sized: bool,
}

/// The definition of an operation.
#[derive(Debug, Clone, Copy)]
pub struct OpDefinition {
    /// The name, with the dialect.
    pub name: &'static str,
    /// The operands.
    pub operands: Slots,
    /// The inherent attributes. One with a default value is optional.
    pub attributes: &'static [Slot],
    /// The regions.
    pub regions: Slots,
    /// The results.
    pub results: Slots,
}

impl OpDefinition {
    /// Returns whether the operation defines an attribute, or MLIR defines it for the operation.
    #[must_use]
    pub fn has_attribute(&self, name: &str) -> bool {
        let is_size = |attribute, slots: Slots| slots.is_sized && name == attribute;
        is_size(OPERAND_SIZES, self.operands)
            || is_size(RESULT_SIZES, self.results)
            || self.attributes.iter().any(|slot| slot.name() == name)
    }
}

/// The attribute with the number of operands of each slot.
pub(super) const OPERAND_SIZES: &str = "operandSegmentSizes";
/// The attribute with the number of results of each slot.
const RESULT_SIZES: &str = "resultSegmentSizes";

/// A slot, and how the values of an operation that belong to it are found.
#[derive(Debug, Clone, Copy)]
pub struct SlotNumber {
    slots: Slots,
    number: usize,
    /// Whether each slot before this one has exactly one value, so that the values of this one begin at `number`.
    is_fixed: bool,
}

impl Slots {
    /// Returns the slot of a name.
    ///
    /// # Panics
    /// If there is none. The views call the function in constants, so that no program is built.
    #[must_use]
    pub const fn slot(self, name: &str) -> SlotNumber {
        let mut number = 0;
        let mut is_fixed = true;
        while !is_equal(self.slots[number].name(), name) {
            is_fixed = is_fixed && self.slots[number].is_one();
            number += 1;
        }
        SlotNumber {
            slots: self,
            number,
            is_fixed,
        }
    }

    /// Returns how many values each optional or variadic slot has, of an operation with `count` values and without an
    /// attribute of sizes: all have the same number.
    fn size(self, count: usize) -> usize {
        let others = self.slots.iter().filter(|slot| !slot.is_one()).count();
        let fixed = self.slots.len() - others;
        let left = count.checked_sub(fixed);
        left.expect("slots with exactly one have a value") / others
    }
}

/// Returns whether two texts are equal; `==` is not yet possible in constants.
const fn is_equal(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

impl SlotNumber {
    /// Returns the operand of a slot that takes exactly one operand.
    ///
    /// # Panics
    /// If the operation has no such operand: the verifier of MLIR refuses it.
    #[must_use]
    #[inline]
    pub fn operand<'p>(self, op: Op<'p>) -> Val<'p> {
        let number = match self.is_fixed {
            true => self.number,
            false => self.operand_range(op).start,
        };
        operand(op, number).unwrap_or_else(|| self.missing(op))
    }

    /// Returns the operand of an optional slot.
    #[must_use]
    #[inline]
    pub fn optional_operand<'p>(self, op: Op<'p>) -> Option<Val<'p>> {
        let number = self.operand_range(op).next()?;
        operand(op, number)
    }

    /// Returns the operands of a variadic slot, in order.
    #[inline]
    pub fn operands<'p>(
        self,
        op: Op<'p>,
    ) -> impl ExactSizeIterator<Item = Val<'p>> + DoubleEndedIterator {
        let range = self.operand_range(op);
        range.map(move |number| operand(op, number).expect("the number is below the count"))
    }

    /// Returns the result of a slot that has exactly one result.
    ///
    /// # Panics
    /// If the operation has no such result: the verifier of MLIR refuses it.
    #[must_use]
    #[inline]
    pub fn result<'p>(self, op: Op<'p>) -> Val<'p> {
        let number = match self.is_fixed {
            true => self.number,
            false => self.result_range(op).start,
        };
        result(op, number).unwrap_or_else(|| self.missing(op))
    }

    /// Returns the result of an optional slot.
    #[must_use]
    #[inline]
    pub fn optional_result<'p>(self, op: Op<'p>) -> Option<Val<'p>> {
        let number = self.result_range(op).next()?;
        result(op, number)
    }

    /// Returns the results of a variadic slot, in order.
    #[inline]
    pub fn results<'p>(
        self,
        op: Op<'p>,
    ) -> impl ExactSizeIterator<Item = Val<'p>> + DoubleEndedIterator {
        let range = self.result_range(op);
        range.map(move |number| result(op, number).expect("the number is below the count"))
    }

    /// Returns the region of a slot for exactly one region.
    ///
    /// # Panics
    /// If the operation has no such region: the verifier of MLIR refuses it.
    #[must_use]
    #[inline]
    pub fn region<'p>(self, op: Op<'p>) -> RegionRef<'p, 'p> {
        let region = op.region(self.number);
        region.unwrap_or_else(|_| self.missing(op))
    }

    /// Returns the regions of a variadic slot, which is the last one.
    #[inline]
    pub fn regions<'p>(self, op: Op<'p>) -> impl Iterator<Item = RegionRef<'p, 'p>> {
        (self.number..op.region_count()).filter_map(move |number| op.region(number).ok())
    }

    fn operand_range(self, op: Op<'_>) -> Range<usize> {
        self.range(op, OPERAND_SIZES, op.operand_count())
    }

    fn result_range(self, op: Op<'_>) -> Range<usize> {
        self.range(op, RESULT_SIZES, op.result_count())
    }

    fn range(self, op: Op<'_>, sizes: &str, count: usize) -> Range<usize> {
        let sizes = self.slots.is_sized.then(|| {
            let sizes = attribute(op, sizes).expect("the operation has the sizes of its groups");
            DenseI32ArrayAttribute::try_from(sizes).expect("sizes are an array of integers")
        });
        let size = |number| match (sizes, self.slots.slots[number]) {
            (None, Slot::One(_)) => 1,
            (None, _) => self.slots.size(count),
            (Some(sizes), _) => {
                let size = sizes.element(number).expect("each group has a size");
                usize::try_from(size).expect("sizes are not negative")
            }
        };
        let start = (0..self.number).map(size).sum();
        start..start + size(self.number)
    }

    #[cold]
    fn missing(self, op: Op<'_>) -> ! {
        let slot = self.slots.slots[self.number].name();
        panic!("'{}' has no '{slot}'", name(op))
    }
}

/// Returns an attribute that an operation has to have.
///
/// # Panics
/// If the operation does not have it: the verifier of MLIR refuses it.
#[must_use]
#[inline]
pub fn required_attribute<'p>(op: Op<'p>, attribute_name: &str) -> Attribute<'p> {
    attribute(op, attribute_name)
        .unwrap_or_else(|| panic!("'{}' has no '{attribute_name}'", name(op)))
}

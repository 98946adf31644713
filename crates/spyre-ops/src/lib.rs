//! The operations of the device: one table, one row per operation, with all facts about it.
//!
//! A bundle names an *OpFunc*, and the dialect has an operation for it. Nearly always there is one of each; only `identity` is
//! both a copy and a gather, and some OpFuncs have no operation yet. [`OP_FUNCS`] has a row for each pair.
//! [`DECOMPOSED`] has the operations without an OpFunc, which a pass writes with others.
//! The writer, the passes, the fuzzer and the generator read the rows. A pass tests the name of an operation only where
//! it looks for a certain one: a copy, a fill or a permutation, or a part of an expression that an OpFunc computes or
//! of which it bounds the elements.
//!
//! The verifier of bundles, the simulated card and the reference evaluator have separate tables, because they check the
//! others. A test of `spyre-fuzz`, `op_funcs`, walks over all rows and lists the missing parts of each operation.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod contract;
mod decomposed;
mod meaning;
pub mod sticks;
mod table;

use spyre_layout::Arrangement;

pub use decomposed::{DECOMPOSED, Decomposed};
pub use meaning::{Comparison, Formula, Meaning, Ranked, markdown};
pub use table::{OP_FUNCS, UNEXPLAINED};

/// A device operation: an OpFunc, and its operation of the dialect.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OpFunc {
    /// The name in files (SDSC bundle specification, section 4.10).
    pub name: &'static str,
    /// The name of the operation without `spyre.`; `None` if the dialect has no operation for it.
    pub mnemonic: Option<&'static str>,
    /// The family of operations that it is planned like.
    pub class: OpClass,
    /// The number of operands.
    pub operands: usize,
    /// The first operand that holds values. The one before it is a condition, or holds indices.
    pub first_value: usize,
    /// The constraint that it puts on the sticks of its tensors.
    pub stick: StickRule,
    /// The arrangements of the elements that a cast can read, each with the one that it leaves.
    pub arrangements: &'static [(Arrangement, Arrangement)],
    /// The role as a producer or a consumer of two values in each stick; `None` for nearly all operations, which
    /// cannot.
    pub pairs: Option<Pairs>,
    /// Whether the operands are quantized to 8 bits for it, each in a different arrangement.
    pub is_quantized: bool,
    /// The operation that combines the results of parts; `None` if there is none.
    pub combiner: Option<Combiner>,
    /// Whether the combined result is divided by the number of elements.
    pub is_average: bool,
    /// Whether one core computes an element of the result: the reduction does not read its result, so parts of several cores
    /// cannot be combined there.
    pub is_whole: bool,
    /// The numbers that take the place of elements that must not contribute.
    pub mask: MaskValues,
    /// The element of the result, in words.
    pub definition: &'static str,
    /// The element of the result, in the form that is built for the CPU; `None` if no document defines it. The card has
    /// a kernel, and the reference a meaning, exactly for the operations that have one here.
    pub meaning: Option<Meaning>,
    /// The rule by which generators of random programs draw it.
    pub draw: Draw,
}

impl OpFunc {
    /// Returns the row of an OpFunc; for `identity`, which has two rows, the row of the copy.
    #[must_use]
    pub fn of(name: &str) -> Option<&'static Self> {
        OP_FUNCS.iter().find(|row| row.name == name)
    }

    /// Returns the row of an operation of the dialect, by its name without `spyre.`.
    #[must_use]
    pub fn of_mnemonic(mnemonic: &str) -> Option<&'static Self> {
        OP_FUNCS.iter().find(|row| row.mnemonic == Some(mnemonic))
    }

    /// Returns whether it copies elements to a tensor of the same sticks.
    #[must_use]
    pub fn is_copy(&self) -> bool {
        self.class == OpClass::Data && self.stick == StickRule::Common
    }

    /// Returns the arrangement in which a cast leaves elements that it reads in the arrangement `input`; `None` for one that it
    /// cannot read. A cast back restores the order.
    #[must_use]
    pub fn cast_arrangement(&self, input: Arrangement) -> Option<Arrangement> {
        let mut casts = self.arrangements.iter();
        casts
            .find(|(from, _)| *from == input)
            .map(|(_, left)| *left)
    }

    /// Returns the operand that is a pair of moments; `None` for nearly all operations, which read none.
    #[must_use]
    pub const fn pair_operand(&self) -> Option<usize> {
        match self.pairs {
            Some(Pairs::Reads(operand)) => Some(operand),
            _ => None,
        }
    }

    /// Returns whether a search returns values or positions; `None` if it is no search.
    #[must_use]
    pub fn search(&self) -> Option<Ranked> {
        match self.meaning {
            Some(Meaning::TopK(ranked)) => Some(ranked),
            _ => None,
        }
    }
}

/// An OpFunc of the published table with a result that no document defines. No code here plans one or runs one; a tree
/// of OpSpecs may name it, and its files are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unexplained {
    /// The name in files.
    pub name: &'static str,
    /// The part that no document defines.
    pub missing: &'static str,
}

impl Unexplained {
    /// Returns the undefined part of an OpFunc, by its name in files; `None` for one that has a row, or that the table
    /// lacks.
    #[must_use]
    pub fn by_name(name: &str) -> Option<&'static Self> {
        UNEXPLAINED.iter().find(|row| row.name == name)
    }
}

/// The numbers that masked elements read as.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MaskValues {
    /// The number of SuperDSC-Bundle 1.0.0 (contract, K7); `None` if it has none. The number is finite, because a NaN would
    /// make the result of a reduction NaN, and the 16-bit float has one code for infinity and NaN (contract, K1 and K8).
    pub published: Option<f64>,
    /// The number of files that were recorded before, which is the identity (SDSC bundle specification, section 4.6).
    pub recorded: f64,
}

impl MaskValues {
    /// Zero, for every operation without another number.
    pub const ZERO: Self = Self {
        published: Some(0.0),
        recorded: 0.0,
    };

    /// Returns the numbers of a reduction: near the ends of the range for a maximum and a minimum, none for a product.
    #[must_use]
    pub const fn of_reduction(combiner: Combiner) -> Self {
        Self {
            published: match combiner {
                Combiner::Add | Combiner::Magnitude => Some(0.0),
                Combiner::Maximum => Some(-65504.0),
                Combiner::Minimum => Some(65504.0),
                Combiner::Mul => None,
            },
            recorded: combiner.identity(),
        }
    }
}

/// A family of operations that are planned alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OpClass {
    /// Elementwise, with broadcasting.
    Pointwise,
    /// Elementwise change of format.
    Cast,
    /// Data movement.
    Data,
    /// A reduction over some iteration dimensions.
    Reduction,
    /// The largest values of a dimension, or their positions.
    TopK,
    /// Matrix multiplication, possibly batched.
    Matmul,
    /// Pooling over windows.
    Pool,
    /// Convolution over windows.
    Conv,
}

impl OpClass {
    /// Returns the class of an OpFunc; `None` if it has no row.
    #[must_use]
    pub fn by_name(op: &str) -> Option<Self> {
        OpFunc::of(op).map(|row| row.class)
    }

    /// Returns the class of any OpFunc: unknown ones are reductions or elementwise, depending on their flag.
    #[must_use]
    pub fn of_spec(op: &str, is_reduction: bool) -> Self {
        Self::by_name(op).unwrap_or(if is_reduction {
            Self::Reduction
        } else {
            Self::Pointwise
        })
    }
}

/// The constraint that an operation puts on the sticks of its tensors (middle-end specification, section 2.5;
/// constraints S3, S4, S8, S9, S21, S22 and S26).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StickRule {
    /// One iteration dimension, on the stick of every tensor that it indexes. The sticks hold
    /// equally many elements in one arrangement.
    Common,
    /// The same as `Common`, but the sticks of the two sides differ in size and arrangement.
    Cast,
    /// As `Common`, with the last dimension of the input: the dimension that the operation normalises as a whole, or the channels
    /// of an image.
    LastDim,
    /// The last dimension of each tensor: K for the left operand, N for the right one and the result; the channels for an image,
    /// the filters for weights and the result.
    Matmul,
    /// The same dimension of the input and the result, the searched one included.
    TopK,
    /// One iteration dimension, on the sticks of the table and the result. The indices have a separate one.
    Gather,
    /// There is no rule.
    Restickify,
}

/// The part of an operation in handing over pairs of moments, two values in each stick (contract, K30). A pair is the last dimension
/// of its tensor, of which the iteration space has no coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairs {
    /// The operation makes pairs.
    Makes,
    /// The operation reads pairs, as the operand of this number.
    Reads(usize),
}

/// An operation that combines the results of two parts of a reduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Combiner {
    /// The sum.
    Add,
    /// The product.
    Mul,
    /// The larger one.
    Maximum,
    /// The smaller one.
    Minimum,
    /// The larger one, of absolute values: only elements can be negative, and partial results are magnitudes.
    Magnitude,
}

impl Combiner {
    /// Returns the neutral number, which a reduction starts from.
    #[must_use]
    pub const fn identity(self) -> f64 {
        match self {
            Self::Add | Self::Magnitude => 0.0,
            Self::Mul => 1.0,
            Self::Maximum => f64::NEG_INFINITY,
            Self::Minimum => f64::INFINITY,
        }
    }

    /// Returns whether parts combine to the same number in any order: the result is an element, or the magnitude of an element.
    /// Sums and products are rounded.
    #[must_use]
    pub const fn is_exact(self) -> bool {
        match self {
            Self::Add | Self::Mul => false,
            Self::Maximum | Self::Minimum | Self::Magnitude => true,
        }
    }

    /// Returns the operation of the dialect that combines tensors, and the upstream operation that combines floats.
    #[must_use]
    pub const fn operations(self) -> (&'static str, &'static str) {
        match self {
            Self::Add => ("spyre.add", "arith.addf"),
            Self::Mul => ("spyre.mul", "arith.mulf"),
            Self::Maximum | Self::Magnitude => ("spyre.maximum", "arith.maximumf"),
            Self::Minimum => ("spyre.minimum", "arith.minimumf"),
        }
    }

    /// Returns the upstream operation that is applied to an element before combining; `None` if it is the element
    /// itself.
    #[must_use]
    pub const fn of_element(self) -> Option<&'static str> {
        match self {
            Self::Magnitude => Some("math.absf"),
            Self::Add | Self::Mul | Self::Maximum | Self::Minimum => None,
        }
    }
}

/// The rule by which generators of random programs draw an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Draw {
    /// Generated as an elementwise operation that computes integers from integers, with this text after the operands.
    Exact(&'static str),
    /// Generated as an elementwise operation with results that may be fractions, with this text after the operands.
    Inexact(&'static str),
    /// In a special way of its class.
    OwnWay,
    /// Not generated: the operation has no meaning, or changes only layouts.
    Never,
}

/// Returns the elementwise operations that random programs draw among the operations with as many operands: the name
/// without `spyre.`, and the text after the operands. With `is_exact`, the ones that compute integers from integers,
/// otherwise the rest.
pub fn drawn(
    operands: usize,
    is_exact: bool,
) -> impl Iterator<Item = (&'static str, &'static str)> {
    let rows = OP_FUNCS.iter().filter(move |row| row.operands == operands);
    rows.filter_map(move |row| match (row.draw, is_exact) {
        (Draw::Exact(rest), true) | (Draw::Inexact(rest), false) => Some((row.mnemonic?, rest)),
        _ => None,
    })
}

/// Returns whether an operation computes element by element, and repeats operands of extent 1. `mnemonic` is without `spyre.`.
#[must_use]
pub fn is_elementwise(mnemonic: &str) -> bool {
    let meaning = OpFunc::of_mnemonic(mnemonic).and_then(|row| row.meaning);
    Decomposed::of_mnemonic(mnemonic).is_some()
        || matches!(
            meaning,
            Some(Meaning::Select | Meaning::Float(_) | Meaning::Number(..) | Meaning::Compare(_))
        )
}

/// Returns the comparisons of the dialect, without `spyre.`.
pub fn comparisons() -> impl Iterator<Item = &'static str> {
    let rows = OP_FUNCS.iter();
    let rows = rows.filter(|row| matches!(row.meaning, Some(Meaning::Compare(_))));
    rows.filter_map(|row| row.mnemonic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_there_once() {
        for (at, row) in OP_FUNCS.iter().enumerate() {
            let before = &OP_FUNCS[..at];
            let is_new = before.iter().all(|row_before| {
                row_before.name != row.name || row_before.mnemonic != row.mnemonic
            });
            assert!(is_new, "{}", row.name);
            let Some(mnemonic) = row.mnemonic else {
                continue;
            };
            assert!(
                before.iter().all(|row| row.mnemonic != Some(mnemonic)),
                "{mnemonic}"
            );
        }
        for Unexplained { name, .. } in UNEXPLAINED {
            assert_eq!(OpFunc::of(name), None, "{name}");
        }
        for row in DECOMPOSED {
            assert_eq!(OpFunc::of_mnemonic(row.mnemonic), None, "{}", row.mnemonic);
            assert_eq!(Decomposed::of_mnemonic(row.mnemonic), Some(row));
            assert_eq!(Decomposed::of_upstream(row.upstream), Some(row));
        }
    }

    #[test]
    fn a_cast_back_restores_the_order() {
        for (there, back) in [("dl16tofp32", "fp32todl16"), ("fp32todl16", "dl16tofp32")] {
            let [there, back] = [there, back].map(|name| OpFunc::of(name).unwrap());
            let staggered = there.cast_arrangement(Arrangement::Standard).unwrap();
            assert_ne!(staggered, Arrangement::Standard);
            assert_eq!(
                back.cast_arrangement(staggered),
                Some(Arrangement::Standard)
            );
            assert_eq!(there.cast_arrangement(staggered), None);
        }
    }

    #[test]
    fn a_mask_changes_no_result() {
        type Combine = fn(f64, f64) -> f64;
        let combine: [(&str, Combine); 6] = [
            ("sum", |a, b| a + b),
            ("mean", |a, b| a + b),
            ("prod", |a, b| a * b),
            ("max", f64::max),
            ("min", f64::min),
            ("absmax", |a, b| a.max(b.abs())),
        ];
        for (name, combine) in combine {
            let mask = OpFunc::of(name).map(|row| row.mask).expect("a row");
            // No magnitude is negative.
            let so_far = if name == "absmax" { 3.0 } else { -3.0 };
            assert_eq!(combine(so_far, mask.recorded), so_far, "{name}");
            let published = mask.published.map(|mask| combine(so_far, mask));
            let expected = (name != "prod").then_some(so_far);
            assert_eq!(published, expected, "{name}");
        }
    }

    #[test]
    fn published_masks_are_finite() {
        for row in OP_FUNCS {
            assert!(
                row.mask.published.is_none_or(f64::is_finite),
                "{}",
                row.name
            );
        }
    }
}

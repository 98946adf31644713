//! The rules, by the numbers under which `docs/KtirChecks.md` lists them.

use std::fmt;

/// The severity of breaking a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The kernel has no defined result, or not the one that its types state.
    Error,
    /// The kernel is unusual, or a consumer of KTIR does not take it.
    Warning,
    /// A claim that is not decided, or what a decision takes for granted.
    Remark,
}

/// A rule. Numbers are never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    number: u32,
    /// The severity of breaking the rule.
    pub severity: Severity,
}

impl Rule {
    const fn error(number: u32) -> Self {
        let severity = Severity::Error;
        Self { number, severity }
    }

    const fn warning(number: u32) -> Self {
        let severity = Severity::Warning;
        Self { number, severity }
    }

    const fn remark(number: u32) -> Self {
        let severity = Severity::Remark;
        Self { number, severity }
    }
}

/// The word that MLIR prints.
impl fmt::Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Remark => "remark",
        })
    }
}

/// Writes the number: `KC8`.
impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "KC{}", self.number)
    }
}

/// The number of cores is stated as `grid = [n]`.
pub(crate) const CORES: Rule = Rule::error(1);
/// No two coordinates of a view share an element.
pub(crate) const STRIDES: Rule = Rule::error(2);
/// The strides of a view of a whole tensor fall from dimension to dimension, without gaps.
pub(crate) const ORDER: Rule = Rule::warning(3);
/// A view is inside its argument.
pub(crate) const VIEW_INSIDE: Rule = Rule::error(4);
/// The views of an argument agree about its size.
pub(crate) const SIZES_AGREE: Rule = Rule::warning(5);
/// `coordinate_set` has the coordinates of the view.
pub(crate) const COORDINATES: Rule = Rule::error(6);
/// The set of a tile has the points of its type.
pub(crate) const TILE_SET: Rule = Rule::error(7);
/// A tile is inside its view, for each core and iteration.
pub(crate) const TILE_INSIDE: Rule = Rule::error(8);
/// Indices that are read from memory are inside of the view: taken for granted.
pub(crate) const INDICES: Rule = Rule::remark(9);
/// Cores store disjoint elements.
pub(crate) const CORES_DISJOINT: Rule = Rule::error(10);
/// A core stores each element of an argument once.
pub(crate) const STORED_ONCE: Rule = Rule::error(11);
/// No core loads what another core stores.
pub(crate) const RACE: Rule = Rule::error(12);
/// Each element of an output is stored.
pub(crate) const COVERED: Rule = Rule::error(13);
/// Each element of an input is loaded.
pub(crate) const LOADED: Rule = Rule::warning(14);
/// Each argument is loaded or stored, and not both.
pub(crate) const ARGUMENT: Rule = Rule::warning(15);
/// The memory space of a view is stated, and is that of a core of the grid.
pub(crate) const SPACE: Rule = Rule::error(16);
/// No two reductions and products share an init.
pub(crate) const FRESH_INIT: Rule = Rule::error(17);
/// An init is the identity of its reduction.
pub(crate) const IDENTITY: Rule = Rule::warning(18);
/// A loop reads the tensors that it carries.
pub(crate) const CARRIED: Rule = Rule::warning(19);
/// An interpreter of the flavour executes the operations and types.
pub(crate) const PORTABLE: Rule = Rule::warning(20);
/// A view is of one stage.
pub(crate) const STAGE: Rule = Rule::warning(21);
/// The compiler of the flavour takes the operations.
pub(crate) const UPSTREAM: Rule = Rule::warning(22);
/// A claim is not decided.
pub(crate) const UNDECIDED: Rule = Rule::remark(23);
/// An init of a reduction has elements.
pub(crate) const DEFINED_INIT: Rule = Rule::error(24);
/// An extent that is an argument is a multiple of the number that the kernel divides it by: taken for granted.
pub(crate) const MULTIPLE: Rule = Rule::remark(26);
/// A kernel loads memory of intermediates after a store of it.
pub(crate) const WRITTEN: Rule = Rule::error(27);
/// A memory space has the current spelling.
pub(crate) const OLD_SPACE: Rule = Rule::warning(25);
/// The attributes of a kernel have the forms that a run reads.
pub(crate) const ATTRIBUTES: Rule = Rule::error(28);

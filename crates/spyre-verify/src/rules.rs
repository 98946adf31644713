//! The rules, by the numbers under which `docs/Contract.md` lists them.
//!
//! A rule VB belongs to the format as recordings of the reference compiler show it. A rule K belongs to the published
//! contract. Where both have the same requirement, the check is written once, under a rule with two names. Where they
//! contradict each other, the revision that a bundle is checked against decides which of two checks runs.

mod contract;

use std::fmt;

pub(crate) use contract::*;

/// The severity of breaking a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The bundle contradicts itself or the format.
    Error,
    /// The bundle is unusual, or has a defect that the reference compiler is known for.
    Warning,
}

/// The name of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    /// A rule VB of `docs/Contract.md`.
    Vb(u32),
    /// A rule K of `docs/Contract.md`.
    K(u32),
    /// A rule K of `docs/Contract.md` with the suffix `a` after its number.
    Ka(u32),
}

/// A rule. Numbers are never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    name: Name,
    /// Another name, if the rule has two.
    other: Option<Name>,
    /// The severity of breaking the rule.
    pub severity: Severity,
    /// The severity in bundles that are recordings.
    recorded: Severity,
}

impl Rule {
    const fn new(name: Name, severity: Severity) -> Self {
        Self {
            name,
            other: None,
            severity,
            recorded: severity,
        }
    }

    const fn error(number: u32) -> Self {
        Self::new(Name::Vb(number), Severity::Error)
    }

    const fn warning(number: u32) -> Self {
        Self::new(Name::Vb(number), Severity::Warning)
    }

    /// Returns the rule with the number of the contract that it covers as well.
    const fn of_contract(self, number: u32) -> Self {
        Self {
            name: Name::K(number),
            other: Some(self.name),
            ..self
        }
    }

    /// Returns the rule as an error in the contract, and a warning in recordings.
    const fn strict(self) -> Self {
        Self {
            severity: Severity::Error,
            ..self
        }
    }

    /// Returns the rule as recordings have it, without the number of the contract.
    pub(crate) const fn in_recordings(self) -> Self {
        let name = match self.other {
            Some(other) => other,
            None => self.name,
        };
        Self::new(name, self.recorded)
    }
}

impl Rule {
    /// Returns the names, that of the contract first.
    pub(crate) fn names(self) -> Vec<String> {
        let names = [Some(self.name), self.other];
        names.iter().flatten().map(Name::to_string).collect()
    }
}

/// The word that MLIR prints.
impl fmt::Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vb(number) => write!(formatter, "VB{number}"),
            Self::K(number) => write!(formatter, "K{number}"),
            Self::Ka(number) => write!(formatter, "K{number}a"),
        }
    }
}

/// Writes the names, that of the contract first: `K39, VB47`.
impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.name)?;
        match self.other {
            Some(other) => write!(formatter, ", {other}"),
            None => Ok(()),
        }
    }
}

//===--- The directory ----------------------------------------------------===//

/// The directory can be read and has a file `bundle.mlir`.
pub(crate) const DIRECTORY: Rule = Rule::error(1);
/// Every file that is executed exists and is readable.
pub(crate) const FILE: Rule = Rule::error(2);
/// Every `sdsc_*.json` is executed.
pub(crate) const STRAY: Rule = Rule::error(3);
/// Only the backend adds other files.
pub(crate) const FOREIGN: Rule = Rule::warning(4);
/// Files are `sdsc_0.json`, `sdsc_1.json` ... in the order of their first execution.
pub(crate) const NUMBERING: Rule = Rule::error(5);

//===--- bundle.mlir ------------------------------------------------------===//

/// `bundle.mlir` is text that can be parsed and satisfies the dialects.
pub(crate) const MLIR: Rule = Rule::error(6).of_contract(47);
/// The module has only the function `@sdsc_bundle`.
pub(crate) const FUNCTION: Rule = Rule::error(7).of_contract(47);
/// Only the operations of the format occur.
pub(crate) const OPERATION: Rule = Rule::error(8).of_contract(47);
/// Every parameter is used.
pub(crate) const UNUSED_PARAM: Rule = Rule::error(9);
/// Addresses come before sizes among the parameters.
pub(crate) const PARAM_ORDER: Rule = Rule::error(10);
/// A size has a granularity and a largest value, an address neither.
pub(crate) const HALF_BOUNDS: Rule = Rule::error(11);
/// Parameters have the names that the launcher expects, in order.
pub(crate) const PARAM_NAMES: Rule = Rule::warning(12);
/// Every map is used, and no two are the same.
pub(crate) const MAPS: Rule = Rule::warning(13);
/// There is at most one pool, and it is used.
pub(crate) const POOL_USE: Rule = Rule::warning(14);
/// A loop counts from 0 in whole steps.
pub(crate) const LOOP: Rule = Rule::error(15).of_contract(50);
/// The bound of a loop that is known at launch is a size, and the step divides its granularity.
pub(crate) const RUNTIME_LOOP: Rule = Rule::error(16).of_contract(50);
/// A loop executes at least one operation.
pub(crate) const EMPTY_LOOP: Rule = Rule::error(17);
/// The value that is bound to a symbol is a base, plus a constant, plus a step for each loop; it fits in 64 bits.
pub(crate) const ADDRESS: Rule = Rule::error(18).of_contract(52);
/// A map is `s0 + K0*d0 + ...` with positive strides, of the base and of induction variables, outermost first.
pub(crate) const MAP: Rule = Rule::warning(19);
/// Constants and advances are whole sticks.
pub(crate) const STICK: Rule = Rule::error(20);
/// An address that is a symbol has a base that is known at launch.
pub(crate) const NO_BASE: Rule = Rule::warning(21);

//===--- Between bundle.mlir and the files --------------------------------===//

/// Every symbol of a file is bound by its execution.
pub(crate) const UNBOUND: Rule = Rule::error(22).of_contract(48);
/// Every bound symbol is a symbol of the file.
pub(crate) const UNUSED_SYMBOL: Rule = Rule::error(23).of_contract(48);
/// Symbols are bound in the order of their first use in the file.
pub(crate) const SYMBOL_ORDER: Rule = Rule::warning(24);
/// Symbols are numbered in the order of the files.
pub(crate) const SYMBOL_NUMBERS: Rule = Rule::warning(25);
/// Addresses are bound to symbols of addresses, and sizes to symbols of sizes.
pub(crate) const SYMBOL_KIND: Rule = Rule::error(26);
/// The bounds of a size equal the bounds of the dimension in the file.
pub(crate) const SIZE_BOUNDS: Rule = Rule::error(27).of_contract(54);
/// Sizes with the same name are the same parameter.
pub(crate) const SIZE_NAME: Rule = Rule::error(28);
/// The start addresses of a tensor have one base and one advance on all cores.
pub(crate) const ONE_TENSOR: Rule = Rule::error(29);
/// The distance between two cores is that of the layout.
pub(crate) const CORE_DISTANCE: Rule = Rule::error(30);
/// No two cores write different slices to one address.
pub(crate) const SAME_OUTPUT: Rule = Rule::error(31);
/// The windows that loops visit stay inside the tensor.
pub(crate) const OUTSIDE: Rule = Rule::error(32);
/// The windows that loops visit stay inside the tensor, in revision r1, where strides are known to be too large.
pub(crate) const OUTSIDE_R1: Rule = Rule::warning(33);
/// Each loop moves a window by whole windows along one dimension, and not beyond its end.
pub(crate) const ADVANCE: Rule = Rule::warning(75);
/// The part of a stick that one execution masks is not read as elements by another execution.
pub(crate) const PART_FILLED: Rule = Rule::warning(80);
/// A tensor in the pool ends inside the pool.
pub(crate) const POOL_END: Rule = Rule::error(34);
/// A concrete address is in a segment of the card.
pub(crate) const SEGMENT: Rule = Rule::error(35);

//===--- sdsc_N.json: the text --------------------------------------------===//

/// A file is JSON, and not nested without end.
pub(crate) const JSON: Rule = Rule::error(36);
/// The root has one key: the number of the file and the operation.
pub(crate) const ROOT: Rule = Rule::error(37);
/// No key is missing.
pub(crate) const MISSING: Rule = Rule::error(38);
/// No key is unknown.
pub(crate) const UNKNOWN: Rule = Rule::error(39).of_contract(55);
/// No key occurs twice.
pub(crate) const TWICE: Rule = Rule::error(40);
/// Keys are in the order of the format.
pub(crate) const KEY_ORDER: Rule = Rule::warning(41);
/// A value is of the kind, and in the range, that its key demands.
pub(crate) const KIND: Rule = Rule::error(42);
/// The parts that are the same in all files are so in this one.
pub(crate) const FIXED: Rule = Rule::error(43);

/// The origin of the operation is an object, or null.
pub(crate) const PROVENANCE: Rule = Rule::error(79);

//===--- sdsc_N.json: cores and dimensions --------------------------------===//

/// The counts of cores agree, and the card has as many cores.
pub(crate) const CORES: Rule = Rule::error(44);
/// A table for each core has the cores 0, 1, 2 ... and no other.
pub(crate) const CORE_TABLE: Rule = Rule::error(45);
/// The slices of all dimensions multiply to the cores.
pub(crate) const SLICES: Rule = Rule::error(46).of_contract(39);
/// Every combination of slices is on one core.
pub(crate) const SLICE_COVER: Rule = Rule::error(47).of_contract(39);
/// All tables have the same dimensions.
pub(crate) const DIMS: Rule = Rule::error(48);
/// Dimensions have the names of the format.
pub(crate) const DIM_NAMES: Rule = Rule::warning(49).of_contract(64).strict();
/// The sizes on a core are the extents divided by the slices.
pub(crate) const STAGE: Rule = Rule::error(50);
/// A mask is the end of a dimension, and its constant exists.
pub(crate) const MASK: Rule = Rule::error(51).of_contract(12);
/// The constant of a mask is the mask constant, `samv-maskvalue`.
pub(crate) const MASK_CONSTANT: Rule = Rule::warning(52).of_contract(12).strict();
/// Symbols of sizes, their names and their bounds are of the same dimensions.
pub(crate) const RUNTIME_DIM: Rule = Rule::error(53).of_contract(54);

/// The constant of a mask changes no result of the operation.
pub(crate) const MASK_VALUE: Rule = Rule::error(78);

//===--- sdsc_N.json: tensors ---------------------------------------------===//

/// A layout has known dimensions, each once, and a stick among them.
pub(crate) const LAYOUT: Rule = Rule::error(54);
/// The order of a layout is that of the first tensor that has it.
pub(crate) const LAYOUT_ORDER: Rule = Rule::error(77);
/// Layouts have the labels of the format.
pub(crate) const LABEL: Rule = Rule::warning(55).of_contract(59).strict();
/// Nodes and data structures are numbered alike, one of each for a tensor.
pub(crate) const TENSOR_NUMBER: Rule = Rule::error(56).of_contract(59);
/// A node follows a node before it, or none.
pub(crate) const PREVIOUS: Rule = Rule::error(57);
/// The lists with one entry for each dimension of a tensor fit to its layout.
pub(crate) const TENSOR_DIMS: Rule = Rule::error(58);
/// Index tensors and value tensors refer to each other.
pub(crate) const INDIRECT: Rule = Rule::error(59).of_contract(43);
/// There is one start address for each core: a symbol, or bytes from 0 in whole sticks.
pub(crate) const START: Rule = Rule::error(60);
/// A tensor in the scratchpad starts at the same place on all cores, except where tensors move between cores.
pub(crate) const LX_START: Rule = Rule::error(61);
/// A tensor ends inside the scratchpad.
pub(crate) const LX_END: Rule = Rule::error(62).of_contract(65);
/// A tensor leaves the backend its share of the scratchpad.
pub(crate) const LX_SHARE: Rule = Rule::warning(63).of_contract(65);
/// Tensors of one operation are apart in the scratchpad, or are at the same place.
pub(crate) const LX_OVERLAP: Rule = Rule::error(64);
/// Gaps are positive sizes of the tensor's dimensions.
pub(crate) const GAP: Rule = Rule::error(65).of_contract(21);
/// Coordinates fold the extent of each dimension over cores, sticks and elements.
pub(crate) const FOLDS: Rule = Rule::error(66).of_contract(58);
/// No fold of a dimension is 0.
pub(crate) const EMPTY_FOLD: Rule = Rule::warning(67).of_contract(57).strict();
/// Formats are known, and words as long as their elements.
pub(crate) const FORMAT: Rule = Rule::error(68).of_contract(6);
/// A stick has as many elements as the format defines.
pub(crate) const STICK_SIZE: Rule = Rule::error(69);
/// A tensor is present in the memory where it is allocated.
pub(crate) const PRESENT: Rule = Rule::error(70).of_contract(63);

//===--- sdsc_N.json: the operation ---------------------------------------===//

/// The operation is the one that the file is named after, on its unit and in its format.
pub(crate) const COMPUTE: Rule = Rule::error(71);
/// The operation has all tensors as operands, the last one as its result.
pub(crate) const OPERANDS: Rule = Rule::error(72);
/// Inputs are listed in the order of the tensors, and index tensors as well.
pub(crate) const INPUT_ORDER: Rule = Rule::error(76);
/// Windows match the extents, walk along the first tensor of a convolution, and are whole on each core.
pub(crate) const WINDOWS: Rule = Rule::error(81).of_contract(20);
/// The backend has the operation.
pub(crate) const OPFUNC: Rule = Rule::warning(73);
/// Constants are numbered from 0, named once, and encoded in their format.
pub(crate) const CONSTANTS: Rule = Rule::error(74).of_contract(5);

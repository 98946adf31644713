//! The published table of OpFuncs: SuperDSC-Bundle 1.0.0, pages `computeoperation` and `stick-layout-constraints`.
//!
//! The table has, for each OpFunc of the card's compiler, the formats in which it computes, its constants, the
//! dimensions that its tensors may have on their sticks, and its unit (contract, K4, K5, K22 to K35). [`PUBLISHED`] has
//! its rows. The reference compiler writes some OpFuncs that the table lacks: [`WRITTEN_BY_THE_REFERENCE`] has these,
//! each with its evidence (K70). The writer, the verifier and the simulator of bundles call [`admit`], so that one
//! function decides about formats. A statement of another source that contradicts the table is an [`Exception`] with a
//! name, which applies only to targets that list it.

mod admit;
mod exceptions;
mod rules;
mod table;

use spyre_layout::DeviceFormat;

pub use admit::{NotAdmitted, admit};
pub use exceptions::{EXCEPTIONS, Exception};
pub use rules::{Contract, UnknownVersion, Version};
pub use table::{PUBLISHED, WRITTEN_BY_THE_REFERENCE};

/// The version of the specification that the rows are from.
pub const VERSION: &str = "1.0.0";

/// The most sticks of a row over which a masked `exp` is right: over several, its results were wrong on cards (K14; torch-spyre
/// #3799).
pub const MASKED_EXP_STICKS: u64 = 1;

/// A format in which an OpFunc computes, as the table names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Precision {
    /// `SEN169_FP16`, the 16-bit float of the card.
    Float16,
    /// `IEEE_FP32`.
    Float32,
    /// `SEN143_FP8`.
    Float8,
    /// `SENINT8`.
    Int8,
    /// `SENINT4`, which no tensor here has.
    Int4,
    /// `IEEE_INT32`, of conversions that the table lacks.
    Int32,
}

impl Precision {
    /// Returns the name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Float16 => "SEN169_FP16",
            Self::Float32 => "IEEE_FP32",
            Self::Float8 => "SEN143_FP8",
            Self::Int8 => "SENINT8",
            Self::Int4 => "SENINT4",
            Self::Int32 => "IEEE_INT32",
        }
    }

    /// Returns whether tensors of a device format have this precision.
    #[must_use]
    pub fn is_of(self, format: DeviceFormat) -> bool {
        self.name() == format.name()
    }
}

/// A category of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Category {
    /// Matrix products.
    Product,
    /// Convolutions, which are products over windows.
    Convolution,
    /// Element by element, of several operands.
    Broadcast,
    /// Element by element, of one operand.
    Unary,
    /// Reductions.
    Reduction,
    /// Pools, and the convolution of each channel by itself.
    Pooling,
    /// Searches along a dimension.
    Scan,
    /// Changes of format.
    Quantization,
    /// Changes of the dimension on the stick.
    StickAltering,
}

/// The dimensions that tensors of an OpFunc may have on their sticks (K22 to K35).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sticks {
    /// The reduced dimension of input 1, the generated one of input 2 and of the output, 64 elements each (K22).
    Product,
    /// 128 elements of the reduced dimension in input 1; 2 of it by 64 of the generated one in input 2.
    ProductOfEightBits,
    /// 16, 2 and 8 elements of reduced, preserved and reduced in input 1; 4 by 64 in input 2.
    ProductOfFourBits,
    /// Any, the same in all tensors, sizes included (K25).
    Common,
    /// The reduced dimension alone (K24).
    ReducedAlone,
    /// No reduced dimension (K24).
    NotReduced,
    /// The normalised dimension alone (K29).
    Normalised,
    /// No dimension of a window is on the stick (K31).
    NoWindow,
    /// Neither the searched dimension nor the dimension of the results; the same stick on both sides (K26).
    NotSearched,
    /// One dimension, the same on both sides (K32).
    SameDimension,
    /// Elements of several sticks of another dimension, interleaved (K32).
    Interleaved,
    /// One dimension on each side (K35).
    OneEach,
}

/// The unit of a core that an OpFunc runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// The array of products: `pt` in files.
    Array,
    /// The vector unit: `sfp` in files.
    Vector,
}

impl Unit {
    /// Returns the name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Array => "pt",
            Self::Vector => "sfp",
        }
    }
}

/// The evidence that the card's compiler has an OpFunc.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// It is a row of the published table.
    Published,
    /// A draft of the specification has it.
    Draft,
    /// The reference compiler writes it, and a public thread reports that it runs.
    Reported,
    /// The reference compiler writes it; no source states whether the card's compiler takes it.
    Reference,
    /// The reference compiler has it, and states itself that the card's compiler does not.
    Doubtful,
}

/// A row of the published table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Published {
    /// The name in files. A reduction of a dimension off the stick has a separate row, with the suffix `nonstick`.
    pub name: &'static str,
    /// The category, which groups rows of one form.
    pub category: Category,
    /// The formats that inputs may have.
    pub inputs: &'static [Precision],
    /// The formats that outputs may have.
    pub outputs: &'static [Precision],
    /// Whether all tensors must have the same format.
    pub has_one_format: bool,
    /// The names of the constants; `samv-maskvalue` is not among them, since a mask adds it (K7).
    pub constants: &'static [&'static str],
    /// The dimensions that may be on sticks.
    pub sticks: Sticks,
    /// The unit that it runs on.
    pub unit: Unit,
    /// The evidence for it.
    pub status: Status,
    /// The place where it is published or shown.
    pub source: &'static str,
}

impl Published {
    /// Returns the columns as words, for a comparison with the published table: name, category, formats of inputs and of
    /// outputs, `one` or `own` format, constants, dimensions on sticks, unit.
    #[must_use]
    pub fn facts(&self) -> [String; 8] {
        let names = |formats: &[Precision]| {
            let names: Vec<&str> = formats.iter().map(|format| format.name()).collect();
            names.join(" ")
        };
        let constants = match self.constants {
            [] => "-".to_owned(),
            names => names.join(" "),
        };
        [
            self.name.to_owned(),
            format!("{:?}", self.category),
            names(self.inputs),
            names(self.outputs),
            if self.has_one_format { "one" } else { "own" }.to_owned(),
            constants,
            format!("{:?}", self.sticks),
            self.unit.name().to_owned(),
        ]
    }

    /// Returns the row of an OpFunc, in the table or in the list of the reference; `None` if neither has it.
    #[must_use]
    pub fn by_name(name: &str) -> Option<&'static Self> {
        let rows = PUBLISHED.iter().chain(WRITTEN_BY_THE_REFERENCE);
        rows.into_iter().find(|row| row.name == name)
    }
}

//! The faults that were found while a bundle ran.

use rustc_hash::FxHashMap;
use std::fmt;

use spyre_bundle_files::Place;

/// The kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FaultKind {
    /// Unwritten bytes are read that are not the padding at the end of a stick.
    NeverWritten,
    /// A reduction adds up elements that were never written, or a product multiplies them: padding is not masked.
    Unmasked,
    /// Bytes outside of every argument, the pool and the scratchpad.
    OutOfRange,
    /// An index for which its table has no element.
    Index,
    /// Two cores write one byte in one execution.
    TwoWriters,
    /// A core reads bytes that another core writes in the same execution.
    Race,
    /// A core starts inside a stick.
    Unaligned,
    /// A core does not start where its slice of the work begins.
    CoreStart,
    /// A slice of the work without a core, or with several.
    Slices,
    /// A value is read of which another operation has overwritten a part.
    Overlap,
    /// A value is overwritten by another operation before it was read.
    Lost,
    /// An iteration overwrites the value, or a part of it, that an earlier one of the same operation wrote in another
    /// window and that was not yet read.
    Overwritten,
    /// Elements are read with an element size other than the one with which they were written.
    OtherFormat,
    /// A symbol is used that the execution does not bind.
    Unbound,
    /// An output has elements that were never written.
    Incomplete,
}

impl FaultKind {
    /// Returns whether a bundle with such a fault may be right nevertheless. A program may compute a value without a
    /// use, or overwrite all of it, so a lost value is a warning; if it was needed, the results differ.
    #[must_use]
    pub fn is_warning(self) -> bool {
        matches!(self, Self::Lost)
    }
}

/// The operation that was at work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpSite {
    /// The operation function.
    pub function: String,
    /// The file.
    pub file: String,
    /// The place at which `bundle.mlir` executes it.
    pub place: Place,
}

impl fmt::Display for OpSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            function,
            file,
            place,
        } = self;
        write!(f, "{function} ({file}, bundle.mlir:{place})")
    }
}

/// A fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind.
    pub kind: FaultKind,
    /// The operation, except for faults that show at the end.
    pub op: Option<OpSite>,
    /// The induction variables of the loops around it, outermost first.
    pub iteration: Vec<i64>,
    /// The core.
    pub core: Option<u16>,
    /// The tensor, as the operation's file names it.
    pub tensor: Option<String>,
    /// The memory: an argument, the pool, or a scratchpad.
    pub memory: Option<String>,
    /// The first byte concerned, from the start of that memory.
    pub address: Option<i64>,
    /// The first element concerned: a coordinate for each dimension.
    pub element: Vec<(String, u64)>,
    /// The finding, and the cause where it is known.
    pub message: String,
    /// The number of times that the same was found at this operation and tensor.
    pub count: u64,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.kind)?;
        if let Some(op) = &self.op {
            write!(f, ": {op}")?;
        }
        if !self.iteration.is_empty() {
            write!(f, ", iteration {:?}", self.iteration)?;
        }
        if let Some(core) = self.core {
            write!(f, ", core {core}")?;
        }
        if let Some(tensor) = &self.tensor {
            write!(f, ", {tensor}")?;
        }
        if let Some(memory) = &self.memory {
            write!(f, ", {memory}")?;
        }
        if let Some(address) = self.address {
            write!(f, ", byte {address}")?;
        }
        if !self.element.is_empty() {
            write!(f, ", element {}", element(&self.element))?;
        }
        write!(f, ": {}", self.message)?;
        match self.count {
            0 | 1 => Ok(()),
            count => write!(f, " ({count} times)"),
        }
    }
}

/// Elements that depend on the range of the card's numbers: they are a number or an infinity, and NaN in its 16-bit format
/// (contract, K1), which never happens where memory holds the floats of a program ([`Rounding`](crate::Rounding)); or
/// they are the number that masked elements read as (K7), which all elements of the row are beyond.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeLoss {
    /// The operation with these results, or the argument.
    pub source: RangeSource,
    /// The induction variables of the loops around the first one, outermost first.
    pub iteration: Vec<i64>,
    /// The core of the first one. `None` for an argument, which no core computes.
    pub core: Option<u16>,
    /// The first one: a coordinate for each dimension.
    pub element: Vec<(String, u64)>,
    /// How many there are, in all executions.
    pub count: u64,
}

/// The source of elements that depend on the range of the card's numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RangeSource {
    /// The results of an operation.
    Operation(OpSite),
    /// The results of a reduction that equal the value of masked elements.
    Masked(OpSite),
    /// An argument that the host copies in, or a segment, by its name.
    Argument(String),
}

impl fmt::Display for RangeLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = match (&self.source, self.count) {
            (RangeSource::Operation(_) | RangeSource::Masked(_), 1) => "result",
            (RangeSource::Operation(_) | RangeSource::Masked(_), _) => "results",
            (RangeSource::Argument(_), 1) => "element",
            (RangeSource::Argument(_), _) => "elements",
        };
        match &self.source {
            RangeSource::Operation(op) | RangeSource::Masked(op) => write!(f, "{op}")?,
            RangeSource::Argument(name) => f.write_str(name)?,
        }
        let how = match self.source {
            RangeSource::Masked(_) => {
                "what masked elements read as, which no element of the row is within; give the rows whole sticks of data"
            }
            _ => "beyond the numbers of the card, NaN there",
        };
        write!(f, ": {} {noun} {how}", self.count)?;
        write!(f, "; the first one is")?;
        let mut comma = "";
        if !self.iteration.is_empty() {
            write!(f, " in iteration {:?}", self.iteration)?;
            comma = ",";
        }
        if let Some(core) = self.core {
            write!(f, "{comma} on core {core}")?;
            comma = ",";
        }
        write!(f, "{comma} element {}", element(&self.element))
    }
}

/// Returns the text of an element's coordinates.
fn element(coordinates: &[(String, u64)]) -> String {
    let pairs = coordinates.iter().map(|(dim, at)| format!("{dim}={at}"));
    format!("[{}]", pairs.collect::<Vec<_>>().join(", "))
}

/// The key that makes faults one entry: kind, operation, and tensor or memory.
pub(crate) type Key = (FaultKind, Option<Place>, Option<String>);

/// All faults, in the order in which it was found. Faults of one kind at one operation, tensor and memory have one
/// entry: the first fault, with a count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    faults: Vec<Fault>,
    positions: FxHashMap<Key, usize>,
    range_losses: Vec<RangeLoss>,
}

impl Report {
    /// The faults.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// Returns whether there are no faults and no warnings.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.faults.is_empty()
    }

    /// The faults that are more than [warnings](FaultKind::is_warning).
    pub fn errors(&self) -> impl Iterator<Item = &Fault> {
        self.faults.iter().filter(|fault| !fault.kind.is_warning())
    }

    /// Returns whether a fault of a kind was found.
    #[must_use]
    pub fn has(&self, kind: FaultKind) -> bool {
        self.faults.iter().any(|fault| fault.kind == kind)
    }

    /// The elements that depend on the range of the card's numbers: one entry for each operation and argument. They are not faults: a program may
    /// compute them on purpose, or use none of them. Results that depend on them differ from results in formats with a
    /// larger range.
    #[must_use]
    pub fn range_losses(&self) -> &[RangeLoss] {
        &self.range_losses
    }

    /// Adds elements that depend on the range of the card's numbers, or counts them where there are some from the same source.
    pub(crate) fn add_range_loss(&mut self, elements: RangeLoss) {
        let mut losses = self.range_losses.iter_mut();
        match losses.find(|loss| loss.source == elements.source) {
            Some(loss) => loss.count += elements.count,
            None => self.range_losses.push(elements),
        }
    }

    /// Adds a fault, or counts it. `fault` is called for the first with its key.
    pub(crate) fn add(&mut self, key: Key, count: u64, fault: impl FnOnce() -> Fault) {
        let next = self.faults.len();
        let at = *self.positions.entry(key).or_insert(next);
        if at == next {
            self.faults.push(fault());
        }
        self.faults[at].count += count;
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for fault in &self.faults {
            writeln!(f, "{fault}")?;
        }
        Ok(())
    }
}

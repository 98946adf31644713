//! The writers of values: one entry for all that one core wrote in one execution.

/// The bytes that one core writes in one execution.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    /// The execution.
    pub execution: u32,
    pub core: u16,
    /// The bytes in its region, from the first to the end of the last.
    pub range: (u64, u64),
    /// Bytes of the whole tensor around the window.
    pub whole: u64,
    /// Bytes of an element.
    pub element: u8,
}

/// One execution of an operation.
#[derive(Clone, Debug)]
pub(crate) struct Execution {
    /// The position of its statement among the statements that execute.
    pub site: usize,
    /// The induction variables, outermost first.
    pub iteration: Vec<i64>,
    /// Sticks that all cores write.
    pub sticks: u64,
    /// The number of bytes that were overwritten before they were read.
    pub lost: u64,
    /// Whether any of these bytes was overwritten with another value.
    pub changed: bool,
}

/// A region of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum RegionId {
    /// Device memory, by position.
    Hbm(usize),
    /// The scratchpad of a core.
    Lx(u16),
}

//! The rows that a change of layout brings onto the stick.

/// A dimension that a change of layout brings onto the stick, in the tensor that has it elsewhere.
#[derive(Debug, Clone, Copy)]
pub struct Rows {
    /// The number of elements that the operation runs over.
    pub extent: u64,
    /// The extent of the whole tensor, in elements.
    pub whole: u64,
    /// The number of elements that the whole tensor has room for.
    pub held: u64,
    /// The number of elements in a stick.
    pub per_stick: u64,
}

impl Rows {
    /// Returns whether a descriptor can describe the rows. The operation runs over whole sticks of them. The descriptor has one
    /// number for a dimension, the gap: how many elements of the last stick a whole tensor lacks, or how many elements
    /// follow a window. If both apply, there is no descriptor. A gap of less than a stick after a window would be read
    /// as the former (SDSC bundle specification, sections 4.2 and 4.6).
    #[must_use]
    pub fn have_descriptor(self) -> bool {
        let Some(padded) = self.extent.checked_next_multiple_of(self.per_stick) else {
            return false;
        };
        if padded == self.extent {
            match self.held.checked_sub(self.extent) {
                Some(behind) => behind == 0 || behind >= self.per_stick,
                // The tensor of a window that drops dimensions has others.
                None => false,
            }
        } else {
            self.whole == self.extent && self.held < padded
        }
    }
}

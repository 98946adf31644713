//! Positions of the parts of a program.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u32);

        impl $name {
            /// Returns the number of this position.
            ///
            /// # Panics
            /// There are 2^32 or more.
            #[must_use]
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("fewer than 2^32 of each kind"))
            }

            /// Returns the position in the list of its kind.
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A position in [`Program::loops`](crate::program::Program::loops).
    LoopId,
    /// A position in [`Program::values`](crate::program::Program::values).
    ValueId,
    /// A position in [`Program::statements`](crate::program::Program::statements).
    StatementId,
    /// A position in [`Program::params`](crate::program::Program::params).
    ParamId,
    /// An operation of the source, by which a report finds its location. Whoever makes the program numbers them.
    Site,
}

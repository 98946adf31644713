//! Finds what is to be tiled: the groups of operations and the levels that cut them.

pub mod explicit;
pub mod group_op;
pub mod groups;
pub mod hints;
pub mod open;
pub mod positions;
pub mod run;
pub mod splits;

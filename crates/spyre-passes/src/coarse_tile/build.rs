//! Builds the loops of a plan.

pub mod constant;
pub mod loops;
pub mod members;
pub mod search;
pub mod windows;

//! The front end of tinyspec: import of tensor programs from JSON, export, rewrites, and the lowering to linalg.
//!
//! The files, rules and decompositions are in `spyre-uop`, which is pure; this crate has them in the dialect `uop`.
//! Index expressions are those of `spyre-inductor`, which is pure too. The crate depends on no other front end, and not
//! on `spyre-planning`.
//!
//! * [`import`] builds a module from a file, and [`export`] a file from a module.
//! * `attributes` has the arguments of operations as attributes, both ways, by the table of `spyre-uop`.
//! * `program` builds a graph from a function, for the rules and the properties of its values.
//! * [`compose`] and [`decompose`] simplify programs, [`properties`] reports derived properties, and [`positions`] the
//!   positions that movements read.
//! * [`to_linalg`] lowers programs to functions of linalg, and [`apply_opts`] cuts the loops of their operations.
//! * `types` converts element types to MLIR types and back.
#![forbid(unsafe_code)]

// The tests link the C++ of the dialects and of the additions to MLIR.
#[cfg(test)]
use spyre_cpp as _;

pub mod apply_opts;
mod attributes;
pub mod compose;
pub mod decompose;
pub mod export;
pub mod import;
pub mod positions;
mod program;
pub mod properties;
pub mod to_linalg;
mod types;

/// The attributes of a function that are no parts of it.
mod function {
    /// The name of the program.
    pub(super) const NAME: &str = "uop.name";
    /// The category that the program is an example of.
    pub(super) const CATEGORY: &str = "uop.category";
    /// The description of the program, for people.
    pub(super) const DESCRIPTION: &str = "uop.description";
    /// The devices that hold sharded values, in their order.
    pub(super) const DEVICES: &str = "uop.devices";
    /// On an argument: the number of the buffer that it is.
    pub(super) const SLOT: &str = "uop.slot";
    /// On an argument: the number of the parameter that it is, of a program that has parameters outside of functions.
    pub(super) const PARAM: &str = "uop.param";
    /// On an argument that is a buffer: where it is.
    pub(super) const DEVICE: &str = "uop.device";
    /// On a call: the body is a kernel that is compiled separately.
    pub(super) const OPAQUE: &str = "uop.opaque";
}

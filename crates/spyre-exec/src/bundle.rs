//! Bundles on the simulated card, called with tensors as programs are.
//!
//! A bundle's files have no shapes: its parameters are addresses. An [`Interface`] adds the type and layout of each
//! kernel argument, read from a function with layouts. [`simulate`] binds tensors by it. [`of_module`] writes the files
//! of a module's bundle in memory. [`raw`] runs a bundle without its program, and
//! [`op_specs()`] finds its tree of OpSpecs.

mod files;
mod infinite;
mod interface;
mod op_specs;
pub mod raw;
mod simulate;

pub(crate) use files::files_of_module;
pub use files::{ModuleError, of_module, rules, verified, verified_files};
pub(crate) use infinite::without_infinities;
pub(crate) use interface::constant_argument;
pub use interface::{Argument, Interface, InterfaceError, Parameter, Planned, Role};
pub use op_specs::{OpSpecError, op_specs};
pub(crate) use simulate::refused_size;
pub use simulate::{SimulateError, Simulation, SimulationOptions, WideFloats, simulate};

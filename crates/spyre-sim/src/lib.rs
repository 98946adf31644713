//! Runs SDSC bundles on the CPU.
//!
//! A [`Bundle`] is read from its files alone, `bundle.mlir` and `sdsc_N.json`, by code that is independent of the
//! generator. A [`Machine`] has the memories of the card: arguments and the pool in device memory, and a scratchpad for
//! each core. It runs a bundle core by core: each core works on its slice of an operation's iteration space, and finds the
//! elements of each tensor from the start address, the order of dimensions, the sticks and the gaps that the file gives.
//!
//! Memory starts as poison, and every byte has a history, so that a run reports the cause of a wrong result: a
//! [`Report`] has a [`Fault`] for reads of unwritten bytes, addresses outside of their memory, cores that write the
//! same bytes, values that were overwritten, and so on, with operation, iteration, core and address.
//!
//! | module | what it does |
//! |---|---|
//! | [`read`] | the files, into resolved types |
//! | `memory` | bytes and their history |
//! | `kernels` | what each operation function computes |
//! | `machine` | where elements are, and one execution on all cores |
//! | `run` | loops, addresses and symbols |
//!
//! # Assumptions
//!
//! Padding at the end of a stick is undefined, and may be read: results computed from it are undefined too. It is a
//! fault where it would reach a result, which is in a reduction without a mask, in the left operand of a product, and
//! in an element of an output.
//!
//! These cannot run: scatters, sticks of two dimensions, windows with padding, and 8-bit floats. They are errors before anything
//! runs.
//!
//! # Example
//!
//! ```no_run
//! use spyre_layout::Bytes;
//! use spyre_plan::Target;
//! use spyre_sim::{Bundle, Machine};
//!
//! let bundle = Bundle::read("bundle".as_ref())?;
//! let mut machine = Machine::new(Target::CARD);
//! machine.add_bytes(&[0; 128]);
//! let result = machine.add_output(Bytes(128));
//! machine.run(&bundle)?;
//! println!("{}", machine.report());
//! let (bytes, written) = machine.bytes(result)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod kernels;
mod machine;
mod memory;
pub mod read;
mod report;
mod run;
mod stats;
mod trace;

pub use kernels::{
    Kernel, KernelError, Parametric, Ranked, Reduction, Rounding, descending, functions, kernel,
    missing,
};
pub use machine::{ArgumentId, ArgumentUse, BindError, Limits, Machine, SegmentId, UseError};
pub use read::{Bundle, ReadError};
pub use report::{Fault, FaultKind, OpSite, RangeLoss, RangeSource, Report};
pub use run::RunError;
pub use stats::{OperandId, OperandTraffic, Stats};
pub use trace::{IterationEvent, Trace, TraceEvent};

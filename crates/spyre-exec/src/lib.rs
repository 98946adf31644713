//! Runs programs of `spyre` operations on the CPU, in process.
//!
//! * [`mod@array`]: dense tensors with a dynamic type.
//! * [`interpret`]: an interpreter of functions.
//! * [`program`]: a function of a module, and the same compiled.
//! * [`mod@compare`]: the distance of two tensors.
//! * [`check`]: running a pipeline pass by pass, and the program after each pass.
//! * [`prove`]: the same, proved for all inputs.
//! * [`bundle`]: bundles on the simulated card, called as programs are.
//! * [`card`]: programs that run in part on the simulated card.
//! * [`ktir`]: kernels in KTIR.
//! * [`launch`]: the same programs as a directory of files.
//! * [`graphs`]: programs in the dialects of front ends, and graphs in JSON.
//! * [`sizes`]: extents of dynamic dimensions.
//! * [`npy`], [`random`]: tensors from files and from a seed.
//!
//! ```
//! use melior::ir::Module;
//! use spyre_exec::{Array, DType, Options, Program};
//!
//! let context = spyre_exec::context();
//! let module = Module::parse(&context, "func.func @twice(%a: tensor<2xi32>) -> tensor<2xi32> {
//!   %0 = spyre.add %a, %a : tensor<2xi32>
//!   return %0 : tensor<2xi32>
//! }").expect("a module");
//! let program = Program::select(&context, module.as_operation(), None)?;
//! let executable = program.compile(&context, Options::default())?;
//! let input = Array::from_i64s(DType::I32, &[2], &[20, 21])?;
//! let results = executable.run(&[input])?;
//! assert_eq!(results, [Array::from_i64s(DType::I32, &[2], &[40, 42])?]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

pub mod bundle;
pub mod card;
pub mod check;
pub mod compare;
pub mod graphs;
pub mod indices;
pub mod interpret;
pub mod ktir;
pub mod launch;
pub mod npy;
pub mod program;
pub mod prove;
pub mod random;
pub mod saved;
pub mod sizes;
mod work;

use melior::Context;

pub use compare::{Comparison, Difference, Tolerance, compare};
pub use program::{Executable, Options, Program};
pub use sizes::Sizes;
pub use spyre_mlir_rt::execution::{Element as DType, Optimization, Signature, TensorType};
pub use spyre_reference::array;
pub use spyre_reference::{Array, ArrayError, Scalar};

/// Returns a context with all dialects, in a process with all passes.
#[must_use]
pub fn context() -> Context {
    spyre_all::register_all_passes();
    spyre_all::context()
}

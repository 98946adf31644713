//! The native module `spyre_mlir._native` of the Python package: the compiler, the CPU and the simulated card, in process.
//!
//! Its interface is `python/spyre_mlir/_native.pyi`, which the package has and nobody else. A call creates a context of MLIR
//! and leaves none, so calls of several threads share nothing. Calls release the GIL. Diagnostics are collected and
//! returned, or raised as the arguments of `Failure`; nothing is printed. The language server alone has the standard
//! streams of the process.
//!
//! * `failure`: diagnostics and exceptions.
//! * `language_server`: the language server.
//! * `program`: compiled programs and their runs.
//! * `raw`: bundles without their programs.
//! * `translate`: passes, the files of bundles, plans, checks.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod failure;
mod language_server;
mod program;
mod raw;
mod translate;

/// The module.
#[pyo3::pymodule(name = "_native")]
mod native {
    use pyo3::prelude::*;
    use spyre_version::VERSION;

    #[pymodule_export]
    use super::failure::{Diagnostic, Failure};
    #[pymodule_export]
    use super::language_server::language_server;
    #[pymodule_export]
    use super::program::{DeviceFunction, Launch, Program, TensorType};
    #[pymodule_export]
    use super::raw::{compare_bundles, run_bundle};
    #[pymodule_export]
    use super::translate::{
        bundle_files, plan_json, plan_page, plan_trace, transform, verify_bundle,
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("VERSION", VERSION)
    }
}

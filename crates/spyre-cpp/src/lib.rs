//! Links the C++ of the project: the dialects of `dialects/`, and the additions to MLIR's C API in `cpp/`.
//!
//! The crates that declare its functions, `spyre-dialects` and `spyre-mlir-rt`, do not depend on this crate, so that an edit
//! of a verifier or of a `.td` file compiles no Rust but what links. What links names this crate once:
//!
//! ```
//! use spyre_cpp as _;
//! ```
//!
//! `spyre-all` does so for programs with all dialects and passes, and tests of a crate below it do so themselves. The C++ calls
//! functions of `spyre-dialects`, so the program has that crate as well.
#![forbid(unsafe_code)]

// Its linker script of MLIR's C API comes after the objects that use it.
use mlir_c_link as _;

#[cfg(test)]
use {melior as _, spyre_dialects as _};

//! Makes `-lMLIR-C` link against distribution packages.
//!
//! `mlir-sys` in shared mode links against `MLIR-C`. Debian and Ubuntu ship MLIR's C API only as
//! static archives next to `libMLIR.so`. The build script of this crate writes a GNU linker script of
//! that name: it groups the archives, and the archive of `mlir-reduce`'s main, with the shared libraries, so a
//! binary takes just the C API objects that it uses and shares one copy of MLIR with `mlir-opt` and with plugins.
#![forbid(unsafe_code)]

//! The mains of `mlir-opt`, `mlir-lsp-server` and `mlir-reduce`, for our registry.

use std::ffi::{CString, OsString, c_char, c_int};
use std::io::Write as _;
use std::os::unix::ffi::OsStringExt;

use melior::StringRef;
use melior::dialect::DialectRegistry;
use mlir_sys::MlirDialectRegistry;

use crate::{ffi, statistics};

/// Adds all dialects and extensions of the upstream project to a registry.
pub fn register_upstream_dialects(registry: &DialectRegistry) {
    // SAFETY: a live registry.
    unsafe { ffi::spyreRegisterUpstream(registry.to_raw()) }
}

/// Adds all upstream passes to the global registry. Call once.
pub fn register_upstream_passes() {
    // SAFETY: no arguments.
    unsafe { ffi::spyreRegisterUpstreamPasses() }
}

/// Returns whether a registry has a dialect of a name.
///
/// # Safety
/// The registry is live.
#[must_use]
pub unsafe fn registry_has_dialect(registry: MlirDialectRegistry, name: &str) -> bool {
    // SAFETY: the caller guarantees it; the text outlives the call.
    unsafe { ffi::spyreRegistryHasDialect(registry, StringRef::new(name).to_raw()) }
}

/// Returns whether MLIR's registry has a pass of this argument.
#[must_use]
pub fn is_pass_registered(argument: &str) -> bool {
    // SAFETY: the text outlives the call.
    unsafe { ffi::spyreIsPassRegistered(StringRef::new(argument).to_raw()) }
}

/// The texts that a program with `mlir-opt`'s main prints.
#[derive(Debug, Clone, Copy)]
pub struct OptTexts<'a> {
    /// The first line of `--help`.
    pub name: &'a str,
    /// The line of `--version`.
    pub version: &'a str,
    /// What `--help` prints after the options of MLIR.
    pub more_help: &'a str,
}

/// Runs `mlir-opt`'s main with a full command line, and returns its exit code. Call it once, from a program's main.
/// Like MLIR's main, it ends the process for `--help`, for `--version`, and for arguments that it cannot read. `--help` prints
/// the texts of a program in addition to MLIR's. A reader that closes standard output ends the process silently.
#[must_use]
pub fn opt_main(
    arguments: impl IntoIterator<Item = OsString>,
    texts: OptTexts<'_>,
    registry: &DialectRegistry,
) -> i32 {
    let mut misses_statistics = false;
    let code = with_argv(arguments, |argc, argv| {
        // SAFETY: `argv` has `argc` entries and a null, alive during the call.
        unsafe {
            ffi::spyreOptMain(
                argc,
                argv,
                StringRef::new(texts.name).to_raw(),
                StringRef::new(texts.version).to_raw(),
                StringRef::new(texts.more_help).to_raw(),
                registry.to_raw(),
                &raw mut misses_statistics,
            )
        }
    });
    if misses_statistics {
        // If standard error is closed, there is no way to report.
        let _ = std::io::stderr().write_all(statistics::report().as_bytes());
    }
    code
}

/// Runs `mlir-lsp-server`'s main, which speaks the protocol on standard input and output. `version` is the line of `--version`.
/// The same rules as for [`opt_main`] hold.
#[must_use]
pub fn lsp_main(
    arguments: impl IntoIterator<Item = OsString>,
    version: &str,
    registry: &DialectRegistry,
) -> i32 {
    with_argv(arguments, |argc, argv| {
        // SAFETY: `argv` has `argc` entries and a null, alive during the call.
        unsafe {
            let version = StringRef::new(version).to_raw();
            ffi::spyreLspMain(argc, argv, version, registry.to_raw())
        }
    })
}

/// Runs `mlir-reduce`'s main, with reduction patterns for device operations. `version` is the line of `--version`. The same
/// rules as for [`opt_main`] hold.
#[must_use]
pub fn reduce_main(
    arguments: impl IntoIterator<Item = OsString>,
    version: &str,
    registry: &DialectRegistry,
) -> i32 {
    with_argv(arguments, |argc, argv| {
        // SAFETY: `argv` has `argc` entries and a null, alive during the call.
        unsafe {
            let version = StringRef::new(version).to_raw();
            ffi::spyreReduceMain(argc, argv, version, registry.to_raw())
        }
    })
}

/// Calls `main` with a C argument vector. An argument with a zero byte cannot come from a shell; it is truncated there.
fn with_argv(
    arguments: impl IntoIterator<Item = OsString>,
    main: impl FnOnce(c_int, *mut *mut c_char) -> c_int,
) -> i32 {
    let owned: Vec<CString> = arguments
        .into_iter()
        .map(|argument| {
            let mut bytes = argument.into_vec();
            bytes.truncate(
                bytes
                    .iter()
                    .position(|byte| *byte == 0)
                    .unwrap_or(bytes.len()),
            );
            CString::new(bytes).unwrap_or_default()
        })
        .collect();
    let mut argv: Vec<*mut c_char> = owned
        .iter()
        .map(|argument| argument.as_ptr().cast_mut())
        .collect();
    argv.push(std::ptr::null_mut());
    main(
        c_int::try_from(owned.len()).unwrap_or(c_int::MAX),
        argv.as_mut_ptr(),
    )
}

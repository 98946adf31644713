//! The dialects and passes of spyre-mlir as a plugin for stock `mlir-opt`:
//!
//! ```sh
//! mlir-opt --load-dialect-plugin=libspyre_plugin.so --load-pass-plugin=libspyre_plugin.so \
//!   --pass-pipeline='builtin.module(func.func(coarse-tile))' input.mlir
//! ```
//!
//! `mlir-opt` builds its table of flags before it loads plugins, so a pass is reached through
//! `--pass-pipeline` and not through a separate flag. `spyre-opt` has everything of the plugin already: there the
//! plugin reports that and ends. It is for other tools.

use std::ffi::c_char;
use std::sync::Once;

use mlir_sys::MlirDialectRegistry;
use spyre_mlir_rt::tool;

/// `mlir::PassPluginLibraryInfo`
#[repr(C)]
pub struct PassPluginInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: extern "C" fn(),
}

/// `mlir::DialectPluginLibraryInfo`
#[repr(C)]
pub struct DialectPluginInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: extern "C" fn(*mut std::ffi::c_void),
}

const API_VERSION: u32 = 1;
const NAME: &std::ffi::CStr = c"spyre-mlir";
const VERSION: *const c_char = concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast();

extern "C" fn register_passes() {
    // The same library may be loaded for dialects and for passes.
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let mut passes = spyre_all::passes().iter().map(|pass| pass.argument);
        if let Some(name) = passes.find(|argument| tool::is_pass_registered(argument)) {
            refuse("passes", &format!("pass '{name}'"));
        }
        spyre_all::register_passes();
    });
}

/// Ends the process with a message. MLIR would end it without one when it is given dialects or passes that it has.
fn refuse(what: &str, name: &str) {
    eprintln!(
        "error: the plugin spyre-mlir cannot add its {what}: this tool has a {name} already; run it without the plugin"
    );
    std::process::exit(1);
}

extern "C" fn register_dialects(registry: *mut std::ffi::c_void) {
    let registry = MlirDialectRegistry { ptr: registry };
    // Again is without effect: the dialects are then this library's.
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: mlir-opt hands out its live registry; a wrapped MlirDialectRegistry is its address.
        let has = |name| unsafe { tool::registry_has_dialect(registry, name) };
        if let Some(dialect) = spyre_all::DIALECTS
            .into_iter()
            .map(|(name, _)| name)
            .find(|name| has(name))
        {
            refuse("dialects", &format!("dialect '{dialect}'"));
        }
    });
    for (_, handle) in spyre_all::DIALECTS {
        // SAFETY: mlir-opt hands out its live registry; a wrapped MlirDialectRegistry is its address.
        unsafe { mlir_sys::mlirDialectHandleInsertDialect(handle().to_raw(), registry) }
    }
}

/// Called by `mlir-opt --load-pass-plugin`.
#[unsafe(no_mangle)]
pub extern "C" fn mlirGetPassPluginInfo() -> PassPluginInfo {
    PassPluginInfo {
        api_version: API_VERSION,
        name: NAME.as_ptr(),
        version: VERSION,
        register: register_passes,
    }
}

/// Called by `mlir-opt --load-dialect-plugin`.
#[unsafe(no_mangle)]
pub extern "C" fn mlirGetDialectPluginInfo() -> DialectPluginInfo {
    DialectPluginInfo {
        api_version: API_VERSION,
        name: NAME.as_ptr(),
        version: VERSION,
        register: register_dialects,
    }
}

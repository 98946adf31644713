//! The `spyre`, `sdscbundle`, `inductor`, `ktdp`, `spyreop` and `uop` dialects, as Rust values.
//!
//! The C++ of the dialects is in `dialects/`, which `spyre-cpp` compiles: what links names that crate, or `spyre-all`, which does.
//! Names, constructors and views of the operations are in `spyre-ods`.
//!
//! * [`attr`]: the attributes of the `spyre` dialect as Rust values.
//! * [`dynamic`]: dynamic extents.
//! * [`function_plan`]: the plan of a function.
//! * [`device_op`]: the interface that all device operations share.
//! * [`op_spec`]: the operation `sdscbundle.op_spec`.
//! * [`bundle`]: the names of operations and attributes of a bundle in IR.
//! * [`inductor_attr`]: the attributes of the `inductor` dialect as Rust values.
//! * [`input_arg`]: the type `!sdscbundle.input_arg`.
//! * [`ktdp_attr`]: the types and attributes of the `ktdp` dialect.
//! * [`names`]: the names of discardable attributes.
//! * [`spyreop_type`]: the types of the `spyreop` dialect.
//! * [`uop_attr`]: the types and attributes of the `uop` dialect.

pub mod attr;
pub mod bundle;
pub mod device_op;
pub mod dynamic;
mod ffi;
pub mod function_plan;
pub mod hint;
pub mod inductor_attr;
pub mod input_arg;
pub mod ktdp_attr;
mod layout_rules;
pub mod names;
pub mod op_spec;
pub mod ranges;
pub mod spyreop_type;
pub mod uop_attr;
mod uop_ranges;

// The tests link the C++ of the dialects and of the additions to MLIR.
#[cfg(test)]
use spyre_cpp as _;

use melior::dialect::{DialectHandle, DialectRegistry};

/// Returns the handle of the `spyre` dialect.
#[must_use]
pub fn spyre_dialect() -> DialectHandle {
    // SAFETY: the C++ side is linked in.
    unsafe { DialectHandle::from_raw(ffi::mlirGetDialectHandle__spyre__()) }
}

/// Returns the handle of the `sdscbundle` dialect.
#[must_use]
pub fn sdscbundle_dialect() -> DialectHandle {
    // SAFETY: the C++ side is linked in.
    unsafe { DialectHandle::from_raw(ffi::mlirGetDialectHandle__sdscbundle__()) }
}

/// Returns the handle of the `inductor` dialect.
#[must_use]
pub fn inductor_dialect() -> DialectHandle {
    // SAFETY: the C++ side is linked in.
    unsafe { DialectHandle::from_raw(ffi::mlirGetDialectHandle__inductor__()) }
}

/// Returns the handle of the `ktdp` dialect.
#[must_use]
pub fn ktdp_dialect() -> DialectHandle {
    // SAFETY: the C++ side is linked in.
    unsafe { DialectHandle::from_raw(ffi::mlirGetDialectHandle__ktdp__()) }
}

/// Returns the handle of the `spyreop` dialect.
#[must_use]
pub fn spyreop_dialect() -> DialectHandle {
    // SAFETY: the C++ side is linked in.
    unsafe { DialectHandle::from_raw(ffi::mlirGetDialectHandle__spyreop__()) }
}

/// Returns the handle of the `uop` dialect.
#[must_use]
pub fn uop_dialect() -> DialectHandle {
    // SAFETY: the C++ side is linked in.
    unsafe { DialectHandle::from_raw(ffi::mlirGetDialectHandle__uop__()) }
}

/// Returns the handle of upstream's `shard` dialect, for which melior has no function.
#[must_use]
pub fn shard_dialect() -> DialectHandle {
    // SAFETY: the C API of upstream is linked in.
    unsafe { DialectHandle::from_raw(ffi::mlirGetDialectHandle__shard__()) }
}

/// A dialect of this crate: its name, and the function that returns its handle.
pub type Dialect = (&'static str, fn() -> DialectHandle);

/// The dialects of this crate.
pub static DIALECTS: [Dialect; 6] = [
    ("spyre", spyre_dialect),
    ("sdscbundle", sdscbundle_dialect),
    ("inductor", inductor_dialect),
    ("ktdp", ktdp_dialect),
    ("spyreop", spyreop_dialect),
    ("uop", uop_dialect),
];

/// Adds the dialects to a registry.
pub fn register_dialects(registry: &DialectRegistry) {
    for (_, handle) in DIALECTS {
        handle().insert_dialect(registry);
    }
}

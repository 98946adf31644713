//! A type for each operation of [`spyre`], [`sdscbundle`] and [`inductor`], with a builder and accessors, generated from the ODS.
//!
//! A builder has methods for the operands, results and attributes of its operation, and `build` exists only when all required
//! ones are set. Attributes and types of the dialects, and the dialects themselves, are in `spyre-dialects`, which does not depend
//! on this crate: an edit of a `.td` file compiles these types again, and no pass.

pub use generated::{inductor, sdscbundle, spyre};

mod generated {
    #![allow(missing_docs, clippy::all, reason = "generated code")]
    melior::dialect! { name: "spyre", files: ["spyre/Spyre.td"], include_directory_env_vars: ["SPYRE_ODS_DIR"] }
    melior::dialect! {
        name: "sdscbundle",
        files: ["sdscbundle/SdscBundle.td"],
        include_directory_env_vars: ["SPYRE_ODS_DIR"]
    }
    melior::dialect! {
        name: "inductor",
        files: ["inductor/Inductor.td"],
        include_directory_env_vars: ["SPYRE_ODS_DIR"]
    }
}

//! SDSC bundles: from operation specifications to the files that the Spyre backend compiler reads.
//!
//! A *bundle* is one `bundle.mlir` (loops, address arithmetic, one `sdsc_execute` per operation) and one `sdsc_N.json`
//! per operation. This crate has the whole path as plain Rust, without MLIR:
//!
//! | module | what it does |
//! |---|---|
//! | [`expr`] | integer expressions over loop and iteration symbols, with their text form |
//! | [`model`] | the input: [`OpSpec`], [`LoopSpec`], [`Node`] and their neutral JSON |
//! | [`source`] | reading trees: neutral JSON, and the Python source of kernels |
//! | [`validate`] | the rules a specification tree must satisfy before anything is generated |
//! | [`windows`] | the parameters of pools and convolutions |
//! | [`codegen`] | one operation to a planned [`codegen::Descriptor`]: dimensions, strides, layouts, cores |
//! | [`sdsc`] | the typed `sdsc_N.json`, in key order |
//! | [`bundle`] | the tree to a [`bundle::Function`] (an AST with a text printer) and its files |
//! | [`revision`] | what depends on the revision of the format, and specifications of the first one |
//! | [`conformance`] | runs one recorded case folder, of any stage, and compares byte for byte |
//!
//! Units and element formats come from [`spyre_layout`]; the division of work over cores is a
//! [`spyre_plan::CoreMapping`], or stated in the specification.
//!
//! Formulas cite their source as "SDSC bundle specification, section N", rules of SuperDSC-Bundle 1.0.0 as "contract, K7".
//!
//! # Forms of a bundle
//!
//! By default files follow the published contract, SuperDSC-Bundle 1.0.0: the function binds addresses to symbols and
//! keeps loops, and an operation that breaks a rule of [`validate::contract`] is rejected.
//! [`BundleOptions::of_revision`] selects an earlier revision, and reproduces its recorded files byte for byte.
//! [`BundleOptions::first_revision`] selects the first: addresses are numbers, and loops are unrolled. [`unroll`] also
//! stands alone. Kept loops, unrolled ones and numbers are the same addresses; the unroller of the first revision,
//! which computed addresses in the host tensor, is only in [`revision`].
//!
//! # Where this differs from the reference generator
//!
//! Files of the revisions before the contract equal the files of the reference byte for byte, except where it is known
//! to be wrong (SDSC bundle specification, section 8):
//!
//! * `maskingConstId_` is the position of the mask constant, not always 0;
//! * the parts of a tensor in device memory that cores divide along a runtime size start at a place that depends on the
//!   size: the reference prints their place at the largest size, as constants that are not addresses;
//! * two operands at one address that move differently get separate symbols: the reference binds both to the address of
//!   the first;
//! * the parts of a windowed input start at the place of its coordinates: the reference reads strides off positions in
//!   an order of dimensions that is not fixed where two symbols share a coordinate. Divisions of windows over cores are
//!   rejected, where the reference ignores them;
//! * operands whose strides cannot be read off their device extents, and slice offsets that would be lost, are
//!   rejected.
//!
//! Forms that the specification names without determining them are [`Error::Unspecified`]: padding of pools and of
//! `conv2d`, pools over a single channel or with an unread end, other pools and convolutions than those of
//! [`windows`], and weights in pairs with a stick that is not their last dimension.
//!
//! # Example
//!
//! ```
//! use spyre_sdsc::{bundle::{BundleOptions, compile_bundle}, model::*, DeviceFormat, Expr};
//!
//! let tensor = |place| {
//!     TensorArg::new(
//!         DeviceFormat::Sen169Fp16,
//!         vec![4, 256, 64],
//!         vec![Expr::symbol("c1").floor_div(64), Expr::symbol("c0"), Expr::symbol("c1").modulo(64)],
//!         place,
//!     )
//! };
//! let op = OpSpec::pointwise("exp")
//!     .with_dim("c0", Expr::int(256), 8)
//!     .with_dim("c1", Expr::int(256), 1)
//!     .with_input(tensor(Allocation::argument(0)))
//!     .with_output(tensor(Allocation::argument(1)));
//! let bundle = compile_bundle(&[op.into()], &BundleOptions::default())?;
//! assert!(bundle.mlir_text().contains("sdsc_filename=\"sdsc_0.json\""));
//! # Ok::<(), spyre_sdsc::Error>(())
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod addresses;
mod arg_index;
pub mod bundle;
mod by_name;
pub mod codegen;
pub mod conformance;
mod constant;
mod error;
pub mod expr;
pub mod model;
mod name;
mod ordered;
pub mod revision;
mod rule;
pub mod sdsc;
pub mod source;
mod unroll;
pub mod validate;
pub mod windows;

pub use arg_index::ArgIndex;
pub use bundle::{AddressMode, Bundle, BundleOptions, compile_bundle};
pub use constant::{encode_constant, encode_number};
pub use error::{Error, LoopError, OpRef, TilingError};
pub use expr::{Expr, ExprError, Symbol};
pub use model::{Allocation, IterationDim, LoopSpec, Node, OpSpec, TensorArg};
pub use name::ShortName;
pub use ordered::{Json, Object};
pub use revision::Revision;
pub use spyre_layout::{Arrangement, Bytes, DeviceFormat, Elements, STICK_BYTES};
pub use unroll::{MAX_UNROLLED, unroll};

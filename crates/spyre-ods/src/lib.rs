//! Names, constructors and typed views of operations, for passes and for programs outside.
//!
//! A wrong name, a missing operand or a missing required attribute does not compile. For each operation a dialect's
//! module has
//!
//! * a constant with the name, for patterns: `match ir::name(op) { arith::ADDI => .. }`;
//! * a constructor of its parts, from all operands and all required attributes, in the order of the ODS:
//!   `arith::cmpi(lhs, rhs, predicate)`. Optional attributes follow with [`with`](OpParts::with), regions with
//!   [`region`](OpParts::region), and [`OpBuilder`] inserts the operation;
//! * a view, with an accessor for each operand, attribute, region and result:
//!   `arith::CmpI::cast(op)?.predicate()`.
//!
//! The modules are tables, from the ODS by `cargo xtask ods`, and checked in: a build script would compile all passes
//! again after each edit of a description in a `.td` file. [`Arithmetic`] has what `ArithBuilder` of MLIR has, for
//! floats, integers and indices.

#[doc(hidden)]
pub use spyre_mlir_rt::ir as rt;

pub use spyre_mlir_rt::ir::{OpBuilder, OpDefinition, OpParts};

pub use arithmetic::{Arithmetic, CmpFPredicate, CmpIPredicate, Relation};

mod arithmetic;
mod table;

pub mod affine;
pub mod arith;
pub mod bufferization;
pub mod builtin;
pub mod cf;
pub mod complex;
pub mod func;
pub mod index;
pub mod inductor;
pub mod ktdp;
pub mod linalg;
pub mod llvm;
pub mod math;
pub mod memref;
pub mod scf;
pub mod sdscbundle;
pub mod shard;
pub mod spyre;
pub mod spyreop;
pub mod tensor;
pub mod uop;

/// The operations of all tables, by dialect.
pub static OPERATIONS: &[&[&OpDefinition]] = &[
    affine::OPERATIONS,
    arith::OPERATIONS,
    bufferization::OPERATIONS,
    builtin::OPERATIONS,
    cf::OPERATIONS,
    complex::OPERATIONS,
    func::OPERATIONS,
    index::OPERATIONS,
    inductor::OPERATIONS,
    ktdp::OPERATIONS,
    linalg::OPERATIONS,
    llvm::OPERATIONS,
    math::OPERATIONS,
    memref::OPERATIONS,
    scf::OPERATIONS,
    sdscbundle::OPERATIONS,
    shard::OPERATIONS,
    spyre::OPERATIONS,
    spyreop::OPERATIONS,
    tensor::OPERATIONS,
    uop::OPERATIONS,
];

/// Returns the definition of an operation by its name; `None` if no table has it.
#[must_use]
pub fn definition(name: &str) -> Option<&'static OpDefinition> {
    let mut all = OPERATIONS.iter().copied().flatten().copied();
    all.find(|definition| definition.name == name)
}

// The tests link the C++ of the dialects and of the additions to MLIR.
#[cfg(test)]
use {spyre_cpp as _, spyre_dialects as _};

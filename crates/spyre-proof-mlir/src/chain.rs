//! Proofs of a pipeline, pass by pass: each module is compared with a copy of the module before the pass.
//!
//! Passes keep the operations of a function, tile them and give them places, and P2 compares them one by one. A few
//! passes put other operations in the place of operations on purpose. P2 says nothing about these, so the chain begins
//! anew after each of them ([`replaces_operations`]).

use melior::Context;
use melior::ir::Module;
use spyre_mlir_rt::bytecode;
use spyre_mlir_rt::ir::Op;
use spyre_mlir_rt::pass::Failed;

use crate::prove::{Options, prove_module};
use crate::report::Counts;

/// The passes on device operations that put other operations in the place of operations, in the order of
/// `--spyre-pipeline`.
const REPLACE_OPERATIONS: [&str; 4] = [
    "spyre-fold-padding-casts",
    "spyre-pad-gathers",
    "spyre-pad-matmul",
    "spyre-clear-tails",
];

/// Returns whether a pass puts other operations in the place of operations, so that P2 cannot compare the programs
/// before and after it. `pass` is the text of a pipeline with this pass alone.
#[must_use]
pub fn replaces_operations(pass: &str) -> bool {
    REPLACE_OPERATIONS.iter().any(|name| pass.contains(name))
}

/// A copy of a module, with which the module after a pass is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleCopy(Vec<u8>);

impl ModuleCopy {
    /// Copies a module, with its locations.
    #[must_use]
    pub fn of(module: Op<'_>) -> Self {
        Self(bytecode::write(module))
    }

    /// Returns the module of the copy.
    ///
    /// # Errors
    /// The context does not have the dialects of the module; a diagnostic has been emitted.
    pub fn module<'c>(&self, context: &'c Context) -> Result<Module<'c>, Failed> {
        bytecode::read(context, &self.0).ok_or(Failed)
    }

    /// Proves the claims about a module, and that its functions compute what those of the copy compute.
    ///
    /// # Errors
    /// Like [`module`](Self::module).
    pub fn prove(
        &self,
        context: &Context,
        module: Op<'_>,
        options: &Options<'_>,
    ) -> Result<Counts, Failed> {
        let before = self.module(context)?;
        let before = Some(before.as_operation());
        Ok(prove_module(context, module, before, options))
    }
}

//! `--spyre-decompose`: writes operations that no OpFunc computes with operations that have one.
//!
//! Each operation has a rule of [`RULES`]: range reductions, polynomials and identities, in device operations before
//! the operation. The last operation is rewritten first, so that the users of an operation are device operations, whose
//! tiling hints its replacement takes. Operations that a rule builds are decomposed next, so a front end adds a rule for
//! an operation of its own with any operation of the dialect ([`decompose`]).
//!
//! * `table` has the rules; `formulas` and `integers` build their expressions, `remainder` the long division of floats.
//! * `make` builds device operations before an operation.

mod formulas;
mod integers;
mod make;
mod remainder;
mod table;

use std::sync::LazyLock;

use melior::Context;
use melior::dialect::DialectHandle;
use melior::ir::{Block, BlockLike};
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_mlir_rt::rules::{Order, Rewriter, Rule, RuleSet, apply_rules};
use spyre_ods::{func, spyre};

pub use table::{RULES, hints};

/// `--spyre-decompose`
pub static DECOMPOSE: RustPass = RustPass {
    argument: "spyre-decompose",
    summary: "Write operations that no OpFunc computes with operations that have one",
    description: include_str!("decompose.md"),
    anchor: func::FUNC,
    options: &[],
    statistics: &[
        PassStatistic {
            name: "decomposed",
            description: "Operations that were decomposed",
        },
        PassStatistic {
            name: "made",
            description: "Device operations that were made",
        },
    ],
    dialects: || vec![spyre_dialects::spyre_dialect(), DialectHandle::tensor()],
    run: |run| decompose(run, &[]),
};

/// Runs `--spyre-decompose` with further rules, which are tried before those of [`RULES`]. It is the `run` of a pass
/// with the statistics of [`DECOMPOSE`].
///
/// # Errors
/// As [`apply_rules`].
pub fn decompose<'p>(run: &'p PassRun<'p>, further: &'static [Rule]) -> Result<(), Failed> {
    let rules = RuleSet::new(&[further, RULES]);
    let is_constant = |op: &&Op<'p>| ir::name(**op) == spyre::FILL;
    apply_rules(run, &(), &rules, Order::LastToFirst, |_, replacement| {
        let constants = replacement.built.iter().filter(is_constant).count();
        run.count("decomposed", 1);
        run.count("made", replacement.built.len() - constants);
    })?;
    Ok(())
}

/// Returns the first result of `visit` for the operations in the decomposition of one without an OpFunc, in order;
/// `None` where there is no result, for an operation with an OpFunc, and for one that its rule refuses, which the pass
/// reports.
pub(crate) fn parts<T>(
    context: &Context,
    op: Op<'_>,
    visit: impl Fn(Op<'_>) -> Option<T>,
) -> Option<T> {
    static SET: LazyLock<RuleSet> = LazyLock::new(|| RuleSet::new(&[RULES]));
    if !SET.begins_at(op) {
        return None;
    }
    // A copy in a separate block reads the same values, and the operations built before it are erased with the block.
    let block = Block::new(&[]);
    let copy = block.append_operation((*op).clone());
    let replacement = SET.rewrite(&Rewriter::new(context, &()), copy).ok()??;
    replacement.built.into_iter().find_map(visit)
}

/// Returns whether an operation is a comparison of integers, which `--spyre-decompose` writes with their arithmetic.
pub(crate) fn compares_integers(op: Op<'_>) -> bool {
    integers::is_comparison(op)
}

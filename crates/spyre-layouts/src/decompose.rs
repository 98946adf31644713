//! `--spyre-decompose`: writes operations that no OpFunc computes with operations that have one.
//!
//! * `integers` has the rules of integers.
//! * `make` builds device operations before an operation.
//! * `remainder` has the long division of floats.
//! * `rules` has the rule of each operation: range reductions, polynomials and identities.
//!
//! Each rule declares the format in which it computes. A rule that loses precision by cancellation or by multiplying an
//! error computes 16-bit floats in `f32`, between two casts. The others compute in the format of the operand.

mod integers;
mod make;
mod remainder;
mod rules;

use make::Make;
use melior::Context;
use melior::dialect::DialectHandle;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Block, BlockLike};
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_ods::func;
use spyre_ops::Decomposed;

const NAME: &str = "spyre-decompose";

/// `--spyre-decompose`
pub static DECOMPOSE: RustPass = RustPass {
    argument: NAME,
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
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let mut ops = Vec::new();
    collect(run.operation(), &mut ops);
    if ops.is_empty() {
        run.preserve_analyses();
        return Ok(());
    }
    // The last one first: hints come from users, and these are device operations then.
    for (op, rule) in ops.into_iter().rev() {
        let make = Make::new(run.context(), op, hints(op));
        let wrong =
            |message: String| Diagnostic::error(op.location(), format!("{NAME}: {message}"));
        let value = rule.build(&make).map_err(wrong)?;
        let result: Val<'p> = op.result(0).map_err(|err| wrong(err.to_string()))?.into();
        ir::replace_all_uses(result, value);
        ir::erase(op);
        run.count("decomposed", 1);
        run.count("made", make.count());
    }
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
    let rule = Rule::of(op)?;
    // A copy in a separate block reads the same values, and the operations built around it are erased with the block.
    let block = Block::new(&[]);
    let copy = block.append_operation((*op).clone());
    rule.build(&Make::new(context, copy, None)).ok()?;
    let mut built = copy.block().into_iter().flat_map(ir::operations);
    built.find_map(visit)
}

/// Returns whether an operation is a comparison of integers, which `--spyre-decompose` writes with their arithmetic.
pub(crate) fn compares_integers(op: Op<'_>) -> bool {
    matches!(Rule::of(op), Some(Rule::Comparison))
}

/// How an operation is decomposed.
#[derive(Clone, Copy)]
enum Rule {
    /// By the rule in the operation's row of the table.
    Row(&'static Decomposed),
    /// A comparison of integers: OpFuncs compare floats only.
    Comparison,
}

impl Rule {
    /// Builds the replacement of an operation before it, and returns the value that replaces its result.
    ///
    /// # Errors
    /// The operation has other operands than its rule expects.
    fn build<'p>(self, make: &Make<'p>) -> Result<Val<'p>, String> {
        match self {
            Self::Row(row) => rules::decompose(make, row),
            Self::Comparison => rules::compare(make),
        }
    }

    /// Returns the rule of an operation; `None` for one with an OpFunc, and for operations of other dialects.
    fn of(op: Op<'_>) -> Option<Self> {
        let name = ir::name(op);
        let mnemonic = name.strip_prefix("spyre.")?;
        let row = Decomposed::of_mnemonic(mnemonic).map(Self::Row);
        row.or_else(|| integers::is_comparison(op, mnemonic).then_some(Self::Comparison))
    }
}

/// Collects the operations without an OpFunc inside of an operation, in order.
fn collect<'p>(op: Op<'p>, ops: &mut Vec<(Op<'p>, Rule)>) {
    for block in ir::blocks(op) {
        for op in ir::operations(block) {
            match Rule::of(op) {
                Some(rule) => ops.push((op, rule)),
                None => collect(op, ops),
            }
        }
    }
}

/// Returns the tiling hints for the operations that replace one: the hints of its first user in the block that is a
/// device operation, or else of the producer of an operand.
fn hints<'p>(op: Op<'p>) -> Option<Attribute<'p>> {
    let result: Val<'p> = ir::result(op, 0)?;
    let readers = ir::uses(result).into_iter().map(|user| user.owner);
    let makers = op.operands().filter_map(ir::defining_op);
    let near = readers
        .chain(makers)
        .filter(|near| near.block() == op.block());
    near.filter_map(DeviceOp::cast)
        .find_map(DeviceOp::hints_attribute)
}

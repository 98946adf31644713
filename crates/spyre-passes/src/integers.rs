//! `--spyre-check-integers`: checks 64-bit integers, which the card computes in 32 bits.
//!
//! Device memory has no 64-bit integer: the host's are narrowed when they are transferred (middle-end specification, section
//! 2.1). Moving, choosing and comparing narrowed numbers gives the results of the program. Arithmetic does not, where a result
//! needs more than 32 bits: a CPU has the number, the card wraps. So every 64-bit integer that an operation makes must fit into
//! 32 bits, by upstream's range analysis. Arguments are taken to fit.
//!
//! The check comes before tiling: in a loop, the analysis does not see that a sum is bounded.

use std::ops::RangeInclusive;

use melior::Context;
use melior::ir::Attribute;
use melior::ir::operation::OperationLike;
use spyre_dialects::attr;
use spyre_dialects::ranges::wide_integers;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};

const NAME: &str = "spyre-check-integers";

/// The attribute of a function whose 64-bit integers are known to fit into 32 bits.
pub const CHECKED: &str = "spyre.integers_fit";

/// The attribute of an operation whose 64-bit integers may not fit into 32 bits, while a pass runs.
pub const WIDE: &str = "spyre.wide_integers";

/// `--spyre-check-integers`
pub static CHECK_INTEGERS: RustPass = RustPass {
    argument: NAME,
    summary: "Refuse 64-bit integers that the card would compute differently",
    description: r#"
Device memory has no 64-bit integers: `i64` is `i32` there, and the host narrows what it
transfers (middle-end specification, section 2.1). Every tensor of `i64` that an operation
makes must have elements that fit into 32 bits. Upstream's integer range analysis finds
what they can be: an argument is what 32 bits hold, a `spyre.fill` its value, a
`topkindex` a position of its dimension; `maximum`, `minimum` and `where3` bound, and views
and copies keep. So data that is only moved, chosen or compared is never refused.

A function that passes is marked `spyre.integers_fit`: in the loops that tiling makes the
analysis does not see where a number stops to grow. `--convert-spyre-to-sdscbundle` checks
functions without the mark itself.

```mlir
// accepted: at most 2 * 100
%hundred = spyre.fill dense<100> : tensor<32xi64>
%zero = spyre.fill dense<0> : tensor<32xi64>
%low = spyre.minimum %a, %hundred : tensor<32xi64>
%b = spyre.maximum %low, %zero : tensor<32xi64>
%twice = spyre.add %b, %b : tensor<32xi64>
// refused: up to 2^62
%square = spyre.mul %a, %a : tensor<32xi64>
```

An index that counts from the end where it is negative, `x < 0 ? x + n : x`, fits: the sum
is read where `x` is negative only.

Refused, at the operation: an `i64` that may not fit into 32 bits. `i32` computes the same
everywhere: it wraps at 32 bits on the card and on the CPU.
"#,
    anchor: "func.func",
    options: &[],
    statistics: &[PassStatistic {
        name: "checked",
        description: "Operations that make 64-bit integers",
    }],
    dialects: Vec::new,
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let function = run.operation();
    let checked = check(function, NAME)?;
    run.count("checked", checked);
    if checked == 0 {
        run.preserve_analyses();
    } else {
        ir::set_discardable_attribute(function, CHECKED, Attribute::unit(run.context()));
    }
    Ok(())
}

/// Checks that the 64-bit integers of a function fit into 32 bits. Returns the number of operations that make 64-bit integers; 0
/// for a function that is marked as checked or has no body. `pass` is the name of the pass, for messages.
///
/// # Errors
/// An integer may not fit.
pub fn check<'p>(function: Op<'p>, pass: &str) -> Result<usize, Diagnostic<'p>> {
    if ir::function_body(function).is_none() || function.has_attribute(CHECKED) {
        return Ok(0);
    }
    let found = wide_integers(function).ok_or_else(|| {
        let message = format!("{pass}: the analysis of integer ranges failed");
        Diagnostic::error(function.location(), message)
    })?;
    for (op, range) in &found {
        if let Some(why) = why_wide(*op, range) {
            return Err(Diagnostic::error(op.location(), format!("{pass}: {why}")));
        }
    }
    Ok(found.len())
}

/// Marks the operations of a function whose 64-bit integers may not fit into 32 bits with the attribute [`WIDE`], and reports each
/// to `report`. Returns the number of operations that make 64-bit integers, and those that are marked.
///
/// # Errors
/// The analysis failed.
pub fn mark_wide<'p>(
    context: &'p Context,
    function: Op<'p>,
    pass: &str,
    mut report: impl FnMut(Op<'p>, String),
) -> Result<(usize, Vec<Op<'p>>), Diagnostic<'p>> {
    let found = wide_integers(function).ok_or_else(|| {
        let message = format!("{pass}: the analysis of integer ranges failed");
        Diagnostic::error(function.location(), message)
    })?;
    let count = found.len();
    let mut marked = Vec::new();
    for (op, range) in found {
        if let Some(why) = why_wide(op, &range) {
            ir::set_discardable_attribute(op, WIDE, Attribute::unit(context));
            report(op, why);
            marked.push(op);
        }
    }
    Ok((count, marked))
}

/// Says why the card would compute an integer differently that can be in a range; `None` if it does not.
fn why_wide(op: Op<'_>, range: &RangeInclusive<i64>) -> Option<String> {
    let (min, max) = (*range.start(), *range.end());
    let fits = i32::try_from(min).is_ok() && i32::try_from(max).is_ok();
    (!fits && !counts_from_the_end(op)).then(|| {
        format!(
            "an i64 is 32 bits wide on the card, and elements of the result may be in [{min}, {max}]; use i32, which wraps \
             at 32 bits everywhere, or bound the operands with spyre.minimum and spyre.maximum"
        )
    })
}

/// Returns whether an operation is the sum of an index and an extent, which is read for negative ones only: where the index counts
/// from the end. A negative number that fits and a positive one have a sum that fits.
fn counts_from_the_end(op: Op<'_>) -> bool {
    let sum = ir::result(op, 0);
    let uses = ir::results(op).flat_map(ir::uses);
    let mut owners = uses.map(|found| found.owner).peekable();
    ir::name(op) == "spyre.add"
        && owners.peek().is_some()
        && owners.all(|owner| {
            ir::name(owner) == "spyre.where3"
                && chooses_sum(owner)
                && ir::operand(owner, 1) == sum
                && ir::operand(owner, 2) != sum
        })
}

/// Returns whether a choice is `x < 0 ? x + n : x`, for an `n` of at least 0.
fn chooses_sum(op: Op<'_>) -> bool {
    let [Some(condition), Some(sum), Some(index)] = [0, 1, 2].map(|at| ir::operand(op, at)) else {
        return false;
    };
    let condition = made_by(condition, "spyre.lesserthan");
    let is_negative = condition.is_some_and(|condition| {
        ir::operand(condition, 0) == Some(index) && number(condition, 1) == Some(0)
    });
    let Some(sum) = made_by(sum, "spyre.add").filter(|_| is_negative) else {
        return false;
    };
    let extent = match [0, 1].map(|side| ir::operand(sum, side) == Some(index)) {
        [true, _] => number(sum, 1),
        [_, true] => number(sum, 0),
        _ => None,
    };
    extent.is_some_and(|extent| extent >= 0)
}

/// Returns the operation of a name that makes a value.
fn made_by<'p>(value: Val<'p>, name: &str) -> Option<Op<'p>> {
    ir::defining_op(value).filter(|op| ir::name(*op) == name)
}

/// Returns the integer that an operand has everywhere.
fn number(op: Op<'_>, operand: usize) -> Option<i64> {
    let fill = made_by(ir::operand(op, operand)?, "spyre.fill")?;
    attr::splat(fill.attribute("value").ok()?).and_then(attr::integer)
}

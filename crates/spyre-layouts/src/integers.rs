//! `--spyre-check-integers`: checks 64-bit integers, which the card computes in 32 bits.
//!
//! Device memory has no 64-bit integer: the host's are narrowed when they are transferred (middle-end specification, section
//! 2.1). Moving, choosing and comparing narrowed numbers gives the results of the program. Arithmetic does not, where a
//! result needs more than 32 bits: a CPU has the number, the card wraps. So every 64-bit integer in a result of an
//! operation must fit into 32 bits, by upstream's range analysis. Arguments are taken to fit.
//!
//! The check comes before tiling: in a loop, the analysis does not see that a sum is bounded. It comes before
//! `--spyre-decompose` as well, which writes comparisons of integers with arithmetic that the card lacks: so a refusal
//! is about an operation of the program.

use melior::Context;
use melior::ir::Attribute;
use melior::ir::operation::OperationLike;
use spyre_analysis::target::target_of;
use spyre_analysis::walk;
use spyre_dialects::names::CHECKED;
use spyre_dialects::ranges::{WideIntegers, wide_integers};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_ods::func;

use crate::{admitted, decompose};

const NAME: &str = "spyre-check-integers";

/// `--spyre-check-integers`
pub static CHECK_INTEGERS: RustPass = RustPass {
    argument: NAME,
    summary: "Refuse 64-bit integers that the card would compute differently, and comparisons of integers that it does not have",
    description: r#"
Device memory has no 64-bit integers: `i64` is `i32` there, and the host narrows the integers that it transfers
(middle-end specification, section 2.1). Every `i64` result of an operation must have elements that fit into 32 bits.
Upstream's integer range analysis computes their ranges: an argument has the range of 32 bits, a `spyre.fill` its value,
a `topkindex` a position of its dimension, a constant argument its numbers; `maximum`, `minimum` and `where3` bound, and
views and copies keep. So data that is only moved, chosen or compared is never refused.

A function that passes is marked `spyre.integers_fit`: in the loops that tiling builds the
analysis finds no bound of a growing number. `--convert-spyre-to-sdscbundle` checks
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

Also refused is a comparison of integers. `--spyre-decompose` writes it with integers'
sums, products and maxima, which no operation of the card computes (contract, K4). A target
of an older contract has them.
"#,
    anchor: func::FUNC,
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
    check_comparisons(run.context(), function)?;
    let checked = check(function, NAME)?;
    run.count("checked", checked);
    if checked == 0 {
        run.preserve_analyses();
    } else {
        ir::set_discardable_attribute(function, CHECKED, Attribute::unit(run.context()));
    }
    Ok(())
}

/// Checks that the card has the operations with which comparisons of integers are written.
///
/// # Errors
/// The contract of the target does not have them.
fn check_comparisons<'p>(context: &'p Context, function: Op<'p>) -> Result<(), Diagnostic<'p>> {
    let contract = target_of(function)?.contract;
    let refused = ir::blocks(function)
        .flat_map(|block| walk::find(block, Some))
        .filter(|op| decompose::compares_integers(*op))
        .find_map(|op| Some((op, admitted::refusal(context, &contract, op)?)));
    let Some((op, refusal)) = refused else {
        return Ok(());
    };
    let message = format!(
        "{NAME}: compares integers, and the card computes with floats only: {refusal}; compare floats, of which f32 holds integers up \
         to 16777216 exactly, or leave the comparison to the host (host=true of --spyre-import-linalg)"
    );
    Err(Diagnostic::error(op.location(), message))
}

/// Checks that the 64-bit integers of a function fit into 32 bits. Returns the number of operations with 64-bit
/// results; 0 for a function that is marked as checked or has no body. `pass` is the name of the pass, for messages.
///
/// # Errors
/// An integer may not fit.
pub fn check<'p>(function: Op<'p>, pass: &str) -> Result<usize, Diagnostic<'p>> {
    if ir::function_body(function).is_none() || function.has_attribute(CHECKED) {
        return Ok(0);
    }
    let entries = analyzed(function, pass)?;
    let wide = entries
        .iter()
        .find_map(|entry| Some((entry, reason(entry)?)));
    if let Some((entry, reason)) = wide {
        return Err(Diagnostic::error(
            entry.op.location(),
            format!("{pass}: {reason}"),
        ));
    }
    Ok(entries.iter().filter(|entry| entry.is_made).count())
}

/// The tensors of 64-bit integers of a function.
#[derive(Debug)]
pub struct Integers<'p> {
    /// The number of operations with such an integer as an operand or result, counted for each.
    pub count: usize,
    /// The operations with operands or results that may not fit into 32 bits, in the order of the text, each with the
    /// reason.
    pub wide: Vec<(Op<'p>, String)>,
}

impl<'p> Integers<'p> {
    /// Finds the integers of a function. `pass` is the name of the pass, for messages.
    ///
    /// # Errors
    /// The analysis failed.
    pub fn of(function: Op<'p>, pass: &str) -> Result<Self, Diagnostic<'p>> {
        let entries = analyzed(function, pass)?;
        let count = entries.len();
        let wide = entries
            .into_iter()
            .filter_map(|entry| Some((entry.op, reason(&entry)?)));
        let wide = wide.collect();
        Ok(Self { count, wide })
    }
}

fn analyzed<'p>(function: Op<'p>, pass: &str) -> Result<Vec<WideIntegers<'p>>, Diagnostic<'p>> {
    wide_integers(function).ok_or_else(|| {
        let message = format!("{pass}: the analysis of integer ranges failed");
        Diagnostic::error(function.location(), message)
    })
}

/// Returns the reason why the card would compute with other integers; `None` if it computes with the integers of the
/// program.
fn reason(entry: &WideIntegers<'_>) -> Option<String> {
    let (min, max) = (*entry.range.start(), *entry.range.end());
    if i32::try_from(min).is_ok() && i32::try_from(max).is_ok() {
        return None;
    }
    Some(if entry.is_made {
        format!(
            "an i64 is 32 bits wide on the card, and elements of the result may be in [{min}, {max}]; use i32, which wraps at \
             32 bits everywhere, or bound the operands with spyre.minimum and spyre.maximum"
        )
    } else {
        format!(
            "an i64 is 32 bits wide on the card, and elements that are read may be in [{min}, {max}]"
        )
    })
}

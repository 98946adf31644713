//! `--spyre-check-integers`: checks 64-bit integers, which the card computes in 32 bits.
//!
//! Device memory has no 64-bit integer: the host's are narrowed when they are transferred (middle-end specification, section
//! 2.1). Moving, choosing and comparing narrowed numbers gives the results of the program. Arithmetic does not, where a result
//! needs more than 32 bits: a CPU has the number, the card wraps. So every 64-bit integer that an operation makes must fit into
//! 32 bits, by upstream's range analysis. Arguments are taken to fit.
//!
//! The check comes before tiling: in a loop, the analysis does not see that a sum is bounded.

use melior::ir::Attribute;
use melior::ir::operation::OperationLike;
use spyre_dialects::ranges::wide_integers;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};

const NAME: &str = "spyre-check-integers";

/// The attribute of a function whose 64-bit integers are known to fit into 32 bits.
pub const CHECKED: &str = "spyre.integers_fit";

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
        let (min, max) = (*range.start(), *range.end());
        if i32::try_from(min).is_err() || i32::try_from(max).is_err() {
            let message = format!(
                "{pass}: an i64 is 32 bits wide on the card, and elements of the result may be in [{min}, {max}]; use i32, \
                 which wraps at 32 bits everywhere, or bound the operands with spyre.minimum and spyre.maximum"
            );
            return Err(Diagnostic::error(op.location(), message));
        }
    }
    Ok(found.len())
}

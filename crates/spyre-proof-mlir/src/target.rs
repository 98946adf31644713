//! The limits of the machine that a function is compiled for.

use melior::Context;
use melior::ir::Attribute;
use melior::ir::operation::OperationLike;
use spyre_dialects::attr;
use spyre_dialects::names::TARGET;
use spyre_mlir_rt::ir::{self, Op};
use spyre_proof::places::Limits;

/// The bytes of a stick, of which addresses are multiples.
const STICK: u64 = 128;

/// Returns the limits of the target that the nearest enclosing module states, or else of the production card.
///
/// A program has the share of the scratchpad that is not reserved and not left to the backend, rounded up to sticks,
/// and for the pool a segment of device memory but for its reserved part (middle-end specification, sections 4.1 and
/// 5.7).
///
/// # Panics
/// The context does not have the dialect, or the target has numbers that its verifier refuses.
#[must_use]
pub(crate) fn limits<'p>(context: &'p Context, op: Op<'p>) -> Limits {
    let mut ops = std::iter::successors(Some(op), |op| op.parent_operation());
    let stated = ops.find_map(|op| attr::target(ir::attribute(op, TARGET)?));
    let target = match stated {
        Some(description) => description.target,
        None => {
            // The attribute without fields has those of the card.
            let parsed = Attribute::parse(context, "#spyre.target");
            let description = parsed.and_then(attr::target);
            description
                .expect("the dialect of the operation is loaded")
                .target
        }
    };
    let number =
        |bytes: u64| i64::try_from(bytes).expect("the verifier of a target allows 63 bits");
    let left = target.lx_bytes.get() - target.lx_reserved_bytes.get();
    let percent = u64::from(100 - target.lx_backend_percent);
    let pool = target.segment_bytes.get() - target.segment_reserved_bytes.get();
    Limits {
        scratchpad: number((left * percent / 100).next_multiple_of(STICK)),
        pool: Some(number(pool)),
        span: Some(number(target.span_limit_bytes.get())),
        cores: i64::from(target.cores),
    }
}

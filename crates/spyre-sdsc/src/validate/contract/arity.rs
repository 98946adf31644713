//! Numbers of operands.

use spyre_ops::OpClass;

use super::Planned;
use crate::validate::Unlisted;

/// Checks that a search, and an operation outside of the table of which it is known, reads as many tensors as its function
/// (contract, K78).
pub(super) fn inputs(planned: &Planned<'_>) -> Option<String> {
    let op = planned.op;
    let wanted = match (planned.class(), op.op.as_str()) {
        (OpClass::TopK, _) | (_, "quantscalepertokenfp8") => 1,
        // Functions of the table have their numbers checked before planning.
        (_, name) if OpClass::by_name(name).is_none() => Unlisted::by_name(name)?.inputs?,
        _ => return None,
    };
    let actual = op.inputs().count();
    (actual != wanted).then(|| format!("reads {actual} tensors, and `{}` reads {wanted}", op.op))
}

//! The dimension on the stick of each of an operation's tensors: the rules of the operation classes (middle-end specification,
//! section 2.5; constraints S3, S4, S8, S9, S21, S22 and S26).

use spyre_analysis::indexing::Indexing;
use spyre_ops::StickRule;
use spyre_ops::sticks::Access;

/// Returns the access of every tensor of an operation, operands first.
pub(super) fn accesses(
    rule: StickRule,
    indexing: &Indexing<'_>,
    extents: &[Vec<u64>],
) -> Vec<Access> {
    let by_position = matches!(rule, StickRule::TopK | StickRule::Matmul);
    let gathered = indexing.space.len();
    let tensors = indexing.tensors.iter().zip(extents).enumerate();
    tensors
        .map(|(tensor, (dims, extents))| {
            let dims = dims.iter().zip(extents).enumerate();
            let vars = dims.map(|(position, (dim, extent))| {
                let var = match (rule, tensor) {
                    (StickRule::Gather, 0) => None,
                    (StickRule::Gather, 1) if dim.is_none() => Some(gathered),
                    // For topk the searched dimensions of operand and result count as the same. The operands of a
                    // matrix product have different dimensions on their sticks.
                    _ if by_position => Some(position),
                    _ => *dim,
                };
                // An index is the coordinate of the gathered dimension, which is on no stick, whatever its extent.
                var.filter(|var| *extent != 1 || *var == gathered)
            });
            Access {
                vars: vars.collect(),
            }
        })
        .collect()
}

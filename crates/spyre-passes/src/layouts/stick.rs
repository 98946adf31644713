//! The dimension on the stick of each of an operation's tensors: the rules of the operation classes (middle-end specification,
//! section 2.5; constraints S3, S4, S8, S9, S21, S22 and S26).

use spyre_layout::Layout;
use spyre_ops::StickRule;

use crate::indexing::Indexing;

/// The iteration dimension on the sticks of a tensor; `None` for one element in each stick.
pub type Stick = Option<usize>;

/// The iteration dimensions that can be on the stick of one tensor of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// The iteration dimension that each dimension of the tensor stands for. It is `None` where the tensor is broadcast or has
    /// extent 1, because a dimension of extent 1 is on no stick. A gathered dimension, of any extent, has the number behind those
    /// of the iteration space, which no other dimension has. All dimensions of indices have `None`, since the sticks of indices
    /// do not depend on others.
    pub vars: Vec<Option<usize>>,
}

impl Access {
    /// Returns the access of every tensor of an operation, operands first.
    #[must_use]
    pub fn of(rule: StickRule, indexing: &Indexing<'_>, extents: &[Vec<u64>]) -> Vec<Self> {
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
                        // For topk the searched dimension of both sides counts as one. The
                        // operands of a matrix product do not share a stick at all.
                        _ if by_position => Some(position),
                        _ => *dim,
                    };
                    // An index is the coordinate of the gathered dimension, which is on no stick, whatever its extent.
                    var.filter(|var| *extent != 1 || *var == gathered)
                });
                Self {
                    vars: vars.collect(),
                }
            })
            .collect()
    }

    /// Returns the iteration dimension that a layout has on the stick.
    #[must_use]
    pub fn on_stick(&self, layout: &Layout) -> Stick {
        let dim = layout.stick_dim()?;
        self.vars.get(dim).copied().flatten()
    }

    /// Returns the dimension of the tensor that stands for an iteration dimension; `None` if no dimension does.
    #[must_use]
    pub fn position(&self, var: usize) -> Option<usize> {
        self.vars.iter().position(|found| *found == Some(var))
    }

    /// Returns whether the tensor may have `found` on its stick in an operation that walks along `stick`.
    #[must_use]
    pub fn allows(&self, stick: Stick, found: Stick) -> bool {
        match stick {
            Some(var) if self.position(var).is_some() => found == stick,
            _ => found.is_none(),
        }
    }

    /// Returns the sticks of an operation that a tensor with `found` on its stick goes with, of the iteration dimensions `vars`
    /// and of sticks of one element.
    #[must_use]
    pub fn sticks_for(&self, found: Stick, vars: impl Iterator<Item = usize>) -> Vec<Stick> {
        vars.map(Some)
            .chain([None])
            .filter(|stick| self.allows(*stick, found))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tensor_without_the_dimension_has_none_on_its_stick() {
        let full = Access {
            vars: vec![Some(0), Some(1)],
        };
        let row = Access {
            vars: vec![None, Some(1)],
        };
        assert!(full.allows(Some(0), Some(0)));
        assert!(!full.allows(Some(0), Some(1)));
        assert!(!full.allows(Some(0), None));
        assert!(row.allows(Some(0), None));
        assert!(!row.allows(Some(0), Some(1)));
        assert_eq!(row.sticks_for(None, 0..2), [Some(0), None]);
        assert_eq!(row.sticks_for(Some(1), 0..2), [Some(1)]);
    }
}

//! The dimensions on the sticks of an operation's tensors (middle-end specification, section 2.5; constraints S3, S4 and S9).
//!
//! The verifier of the dialect, layout propagation and the conversion to bundles share this rule.

use spyre_layout::Layout;

/// The iteration dimension on the sticks of a tensor; `None` for one element in each stick.
pub type Stick = Option<usize>;

/// The iteration dimensions that can be on the stick of one tensor of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// The iteration dimension along each dimension of the tensor. It is `None` where the tensor is broadcast or has
    /// extent 1, because a dimension of extent 1 is on no stick. A gathered dimension, of any extent, has the number
    /// after the last iteration dimension, which no other dimension has. All dimensions of indices have `None`, since
    /// the sticks of indices do not depend on others.
    pub vars: Vec<Option<usize>>,
}

impl Access {
    /// Returns the iteration dimension that a layout has on the stick.
    #[must_use]
    pub fn on_stick(&self, layout: &Layout) -> Stick {
        let dim = layout.stick_dim()?;
        self.vars.get(dim).copied().flatten()
    }

    /// Returns the dimension of the tensor along an iteration dimension; `None` if no dimension does.
    #[must_use]
    pub fn position(&self, var: usize) -> Option<usize> {
        self.vars.iter().position(|stick| *stick == Some(var))
    }

    /// Returns whether the tensor may have `tensor_stick` on its stick in an operation that walks along `stick`.
    #[must_use]
    pub fn allows(&self, stick: Stick, tensor_stick: Stick) -> bool {
        match stick {
            Some(var) if self.position(var).is_some() => tensor_stick == stick,
            _ => tensor_stick.is_none(),
        }
    }

    /// Returns the sticks of an operation that are compatible with a tensor with `tensor_stick` on its stick, among the
    /// iteration dimensions `vars` and sticks of one element.
    #[must_use]
    pub fn sticks_for(&self, tensor_stick: Stick, vars: impl Iterator<Item = usize>) -> Vec<Stick> {
        vars.map(Some)
            .chain([None])
            .filter(|stick| self.allows(*stick, tensor_stick))
            .collect()
    }
}

/// Two tensors of an operation with incompatible sticks, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disagreement {
    /// The first tensor with several elements in each stick. The operation walks along its stick.
    pub owner: usize,
    /// The tensor that is incompatible with the owner: it has another dimension on its stick, or one element of the owner's
    /// dimension in each stick.
    pub other: usize,
}

/// Returns the first tensor with a stick that is incompatible with the others: among tensors with several elements in
/// each stick, then among tensors with one. `None` if there is an iteration dimension that all of them can walk along.
#[must_use]
pub fn disagreement(tensors: &[(Access, Stick)]) -> Option<Disagreement> {
    let (owner, (_, stick)) = tensors
        .iter()
        .enumerate()
        .find(|(_, (_, stick))| stick.is_some())?;
    let disagrees = |has_stick: bool| {
        tensors.iter().position(|(access, tensor_stick)| {
            tensor_stick.is_some() == has_stick && !access.allows(*stick, *tensor_stick)
        })
    };
    let other = disagrees(true).or_else(|| disagrees(false))?;
    Some(Disagreement { owner, other })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(vars: &[Option<usize>]) -> Access {
        Access {
            vars: vars.to_vec(),
        }
    }

    #[test]
    fn a_tensor_without_the_dimension_has_none_on_its_stick() {
        let full = access(&[Some(0), Some(1)]);
        let row = access(&[None, Some(1)]);
        assert!(full.allows(Some(0), Some(0)));
        assert!(!full.allows(Some(0), Some(1)));
        assert!(!full.allows(Some(0), None));
        assert!(row.allows(Some(0), None));
        assert!(!row.allows(Some(0), Some(1)));
        assert_eq!(row.sticks_for(None, 0..2), [Some(0), None]);
        assert_eq!(row.sticks_for(Some(1), 0..2), [Some(1)]);
    }

    #[test]
    fn the_first_stick_is_the_one_that_others_go_with() {
        let full = access(&[Some(0), Some(1)]);
        let column = access(&[Some(0), None]);
        let allowed_sticks = |sticks: [(&Access, Stick); 3]| {
            disagreement(&sticks.map(|(access, stick)| (access.clone(), stick)))
        };
        assert_eq!(
            allowed_sticks([(&full, None), (&column, None), (&full, None)]),
            None
        );
        assert_eq!(
            allowed_sticks([(&full, Some(1)), (&column, None), (&full, Some(1))]),
            None
        );
        let other = Some(Disagreement { owner: 0, other: 2 });
        assert_eq!(
            allowed_sticks([(&full, Some(1)), (&column, None), (&full, Some(0))]),
            other
        );
        // One element in each stick of a dimension that the others walk along.
        assert_eq!(
            allowed_sticks([(&full, Some(1)), (&column, None), (&full, None)]),
            other
        );
        // Another dimension on a stick is reported first.
        assert_eq!(
            allowed_sticks([(&full, None), (&full, Some(1)), (&column, Some(0))]),
            Some(Disagreement { owner: 1, other: 2 })
        );
    }

    #[test]
    fn a_reduction_over_the_stick_leaves_one_element_in_each() {
        let x = (access(&[Some(0), Some(1)]), Some(1));
        let over_stick = (access(&[Some(0)]), None);
        let over_rows = (access(&[Some(1)]), Some(1));
        let along_rows = (access(&[Some(0)]), Some(0));
        assert_eq!(disagreement(&[]), None);
        assert_eq!(disagreement(&[x.clone(), over_stick]), None);
        assert_eq!(disagreement(&[x.clone(), over_rows]), None);
        let other = Some(Disagreement { owner: 0, other: 1 });
        assert_eq!(disagreement(&[x, along_rows]), other);
    }

    #[test]
    fn a_diagonal_goes_with_what_does_not_move_along_it() {
        let diagonal = (access(&[Some(0), Some(0)]), Some(0));
        let broadcast = (access(&[Some(1), None]), None);
        let vector = (access(&[Some(0)]), Some(0));
        assert_eq!(disagreement(&[diagonal.clone(), broadcast]), None);
        assert_eq!(disagreement(&[diagonal, vector]), None);
    }
}

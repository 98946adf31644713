//! The index maps of views: the element of the source for each element of the view.

use spyre_dialects::attr;
use spyre_mlir_rt::ir::{self, Op, OpKind};
use spyre_ods::{spyre, tensor};
use spyre_proof::expr::{Expr, Var};
use spyre_proof::program::Extent;

/// The change of dimensions that a view makes.
#[derive(Debug)]
pub(crate) enum View {
    /// Dimension `i` of the view is dimension `permutation[i]` of the source.
    Permute(Vec<usize>),
    /// Dimension `i` of the source becomes the dimensions `groups[i]`, row-major.
    Expand(Vec<Vec<usize>>),
    /// The dimensions `groups[i]` of the source become dimension `i`, row-major.
    Collapse(Vec<Vec<usize>>),
}

impl View {
    /// Returns the view of an operation; `None` for another operation.
    ///
    /// # Panics
    /// An attribute is not valid: the verifier of the operation has checked it.
    pub(crate) fn of(op: Op<'_>) -> Option<Self> {
        match ir::kind(op) {
            OpKind::ExpandShape => {
                let op = tensor::ExpandShape::cast(op).expect("its kind was checked");
                Some(Self::Expand(groups(op.reassociation())))
            }
            OpKind::CollapseShape => {
                let op = tensor::CollapseShape::cast(op).expect("its kind was checked");
                Some(Self::Collapse(groups(op.reassociation())))
            }
            _ => {
                let permutation = spyre::Permute::cast(op)?.permutation();
                let dims = attr::dense_integers(Some(permutation));
                let dims = dims.expect("S20: a permutation").into_iter().map(dim);
                Some(Self::Permute(dims.collect()))
            }
        }
    }

    /// Returns the element of the source for each element of the view, over [`Var::Element`]; `None` if a dynamic
    /// extent is a factor of a position.
    pub(crate) fn index(&self, source: &[Extent], view: &[Extent]) -> Option<Vec<Expr>> {
        let element = |dim: usize| Expr::from(Var::Element(number(dim)));
        match self {
            Self::Permute(permutation) => {
                let mut index = vec![Expr::zero(); source.len()];
                for (dim, of_source) in permutation.iter().enumerate() {
                    index[*of_source] = element(dim);
                }
                Some(index)
            }
            Self::Expand(groups) => {
                // Dimensions of one element have no part in the position, so a dynamic one may be next to them.
                let is_unit = |dim: &&usize| view[**dim] == Extent::Fixed(1);
                let position = |group: &Vec<usize>| {
                    let mut dims = group.iter().filter(|dim| !is_unit(dim));
                    let Some(first) = dims.next() else {
                        return Some(Expr::zero());
                    };
                    let mut position = element(*first);
                    for dim in dims {
                        position = element(*dim).plus_times(&position, fixed(view[*dim])?);
                    }
                    Some(position)
                };
                groups.iter().map(position).collect()
            }
            Self::Collapse(groups) => {
                // Dimensions of one element that no group has are left where all dimensions are collapsed.
                let mut index = vec![Expr::zero(); source.len()];
                for (at, group) in groups.iter().enumerate() {
                    // Outer dimensions of one element have no digit, and the next one is below its extent by itself.
                    let is_unit = |dim: &&usize| source[**dim] == Extent::Fixed(1);
                    let units = group.iter().take_while(is_unit).count();
                    let mut divisor = 1;
                    for (level, dim) in group.iter().enumerate().skip(units).rev() {
                        let quotient = element(at).floor_div(divisor);
                        if level == units {
                            index[*dim] = quotient;
                            break;
                        }
                        let extent = fixed(source[*dim])?;
                        if extent == 0 {
                            return None;
                        }
                        index[*dim] = quotient.modulo(extent);
                        divisor *= extent;
                    }
                }
                Some(index)
            }
        }
    }

    /// Returns the extent of a dimension of the view that its type has as dynamic: that of the source, where the view
    /// merges or splits it with dimensions of one element alone. `None` if it is not known.
    pub(crate) fn extent(
        &self,
        dim: usize,
        source: &[Extent],
        view: &[Option<i64>],
    ) -> Option<Extent> {
        match self {
            Self::Permute(permutation) => source.get(*permutation.get(dim)?).copied(),
            Self::Expand(groups) => {
                let at = groups.iter().position(|group| group.contains(&dim))?;
                let mut others = groups[at].iter().filter(|other| **other != dim);
                others
                    .all(|other| view[*other] == Some(1))
                    .then(|| source[at])
            }
            Self::Collapse(groups) => {
                let extents = groups.get(dim)?.iter().map(|dim| source[*dim]);
                let mut several = extents.filter(|extent| *extent != Extent::Fixed(1));
                let extent = several.next()?;
                several.next().is_none().then_some(extent)
            }
        }
    }
}

fn fixed(extent: Extent) -> Option<i64> {
    match extent {
        Extent::Fixed(extent) => Some(extent),
        Extent::Dynamic(_) => None,
    }
}

fn dim(number: u64) -> usize {
    usize::try_from(number).expect("the number of a dimension")
}

fn number(dim: usize) -> u32 {
    u32::try_from(dim).expect("fewer than 2^32 dimensions")
}

fn groups(reassociation: melior::ir::Attribute<'_>) -> Vec<Vec<usize>> {
    let groups = attr::elements(reassociation).into_iter();
    let group = |group| {
        let dims = attr::elements(group).into_iter();
        let dims = dims.map(|dim| attr::integer(dim).expect("a reassociation has integers"));
        dims.map(|dim| usize::try_from(dim).expect("the number of a dimension"))
            .collect()
    };
    groups.map(group).collect()
}

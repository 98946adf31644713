//! Views: permutations and reshapes. They move no elements, so a layout propagates through them exactly.

use melior::ir::operation::OperationLike;
use spyre_dialects::attr;
use spyre_layout::{DeviceTensor, Layout, ViewError};
use spyre_mlir_rt::ir::{self, Op, OpKind};
use spyre_mlir_rt::rules::Refusal;
use spyre_ods::spyre;

/// The change of dimensions that a view makes. Slices are no views in this sense: they take a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum View {
    /// Dimension `i` of the result is dimension `permutation[i]` of the source.
    Permute(Vec<usize>),
    /// Dimension `i` of the source becomes the dimensions `groups[i]`.
    Expand(Vec<Vec<usize>>),
    /// The dimensions `groups[i]` of the source become dimension `i`.
    Collapse(Vec<Vec<usize>>),
}

/// The reason why an operation is no view: an attribute is not valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoView {
    /// The permutation of a `spyre.permute`.
    #[error("'permutation' must be an array of dimension numbers, each at least 0")]
    Permutation,
    /// The reassociation of a reshape.
    #[error("'reassociation' must be an array of arrays of dimension numbers, each at least 0")]
    Reassociation,
}

/// The text, for the reasons of a pass, which are of many kinds and end in its diagnostics.
impl From<NoView> for String {
    fn from(error: NoView) -> Self {
        error.to_string()
    }
}

impl From<NoView> for Refusal<'_> {
    fn from(error: NoView) -> Self {
        error.to_string().into()
    }
}

/// The requirements of passes that need layouts, for messages about a `tensor.extract_slice` or a `tensor.insert_slice`.
pub const WINDOW_NEEDS: &str = "needs static sizes and strides of 1; a step is a window too, of the tensor with the dimension in two, \
                                by tensor.expand_shape, of which the second has the extent of the step";

/// Returns whether an operation is a view.
#[must_use]
pub fn is_view(op: Op<'_>) -> bool {
    matches!(ir::kind(op), OpKind::ExpandShape | OpKind::CollapseShape) || is_permute(op)
}

/// Returns whether an operation is a `spyre.permute`.
#[must_use]
pub fn is_permute(op: Op<'_>) -> bool {
    op.name().as_string_ref().as_str() == Ok(spyre::PERMUTE)
}

impl View {
    /// Returns the view of an operation for which [`is_view`] holds.
    ///
    /// # Errors
    /// The attributes of the operation are not valid.
    pub fn of(op: Op<'_>) -> Result<Self, NoView> {
        match ir::kind(op) {
            OpKind::ExpandShape => Ok(Self::Expand(groups(op)?)),
            OpKind::CollapseShape => Ok(Self::Collapse(groups(op)?)),
            _ => {
                let permutation = attr::dense_integers(ir::attribute(op, "permutation"));
                let dims = permutation.ok_or(NoView::Permutation)?.into_iter();
                let dims = dims.map(|dim| usize::try_from(dim).map_err(|_| NoView::Permutation));
                Ok(Self::Permute(dims.collect::<Result<_, _>>()?))
            }
        }
    }

    /// Returns the layout of the view, of `shape`, of a tensor.
    ///
    /// # Errors
    /// No layout describes the view.
    pub fn layout(&self, source: &DeviceTensor, shape: &[u64]) -> Result<Layout, ViewError> {
        let layout = source.layout();
        let elements = source.format().elements_per_stick();
        match self {
            Self::Permute(permutation) => layout.permute(permutation),
            Self::Expand(groups) => layout.expand_shape(source.shape(), groups, shape, elements),
            Self::Collapse(groups) => {
                layout.collapse_shape(source.shape(), groups, shape, elements)
            }
        }
    }

    /// Returns the view, of `shape`, of a part of a tensor.
    ///
    /// # Errors
    /// No layout describes the view.
    pub fn of_view(
        &self,
        source: &spyre_layout::View,
        shape: &[u64],
    ) -> Result<spyre_layout::View, ViewError> {
        match self {
            Self::Permute(permutation) => source.permute(permutation),
            Self::Expand(groups) => source.expand_shape(groups, shape),
            Self::Collapse(groups) => source.collapse_shape(groups, shape),
        }
    }

    /// Returns the view that takes this one back to a tensor of the shape of its source.
    #[must_use]
    pub fn inverse(&self) -> Self {
        match self {
            Self::Permute(permutation) => {
                let mut inverse = vec![0; permutation.len()];
                for (to, &from) in permutation.iter().enumerate() {
                    inverse[from] = to;
                }
                Self::Permute(inverse)
            }
            Self::Expand(groups) => Self::Collapse(groups.clone()),
            Self::Collapse(groups) => Self::Expand(groups.clone()),
        }
    }

    /// Returns the pairs of dimensions of the source and the result with the same elements: the dimensions that
    /// a permutation moves, and dimensions that reshapes keep next to dimensions of one element.
    pub fn kept_dims(&self, source: &[u64], result: &[u64]) -> Vec<(usize, usize)> {
        let only = |group: &[usize], shape: &[u64]| {
            let mut long = group.iter().filter(|dim| shape[**dim] != 1);
            long.next().copied().filter(|_| long.next().is_none())
        };
        match self {
            Self::Permute(permutation) => permutation.iter().copied().zip(0..).collect(),
            Self::Expand(groups) => (0..)
                .zip(groups)
                .filter_map(|(from, group)| Some((from, only(group, result)?)))
                .collect(),
            Self::Collapse(groups) => groups
                .iter()
                .zip(0..)
                .filter_map(|(group, to)| Some((only(group, source)?, to)))
                .collect(),
        }
    }

    /// Returns a property of each dimension of the result, from the property of each dimension of the source.
    /// `join` gives the property of a dimension that merges several. The parts of a dimension have the property
    /// of the whole.
    ///
    /// # Panics
    /// The length of `source` is not the rank of the source.
    #[must_use]
    pub fn follow<T: Copy>(&self, source: &[T], join: impl Fn(&[T]) -> T) -> Vec<T> {
        match self {
            Self::Permute(permutation) => permutation.iter().map(|&from| source[from]).collect(),
            Self::Expand(groups) => {
                let parts = groups.iter().zip(source);
                parts
                    .flat_map(|(group, &value)| group.iter().map(move |_| value))
                    .collect()
            }
            Self::Collapse(groups) => {
                let values = |group: &Vec<usize>| -> Vec<T> {
                    group.iter().map(|&from| source[from]).collect()
                };
                groups.iter().map(|group| join(&values(group))).collect()
            }
        }
    }
}

fn groups(op: Op<'_>) -> Result<Vec<Vec<usize>>, NoView> {
    let attribute = ir::attribute(op, "reassociation").ok_or(NoView::Reassociation)?;
    let dims = |group| {
        let dims = attr::elements(group).into_iter();
        dims.map(|dim| usize::try_from(attr::integer(dim)?).ok())
            .collect::<Option<Vec<_>>>()
    };
    let groups = attr::elements(attribute).into_iter().map(dims);
    groups
        .collect::<Option<Vec<_>>>()
        .ok_or(NoView::Reassociation)
}

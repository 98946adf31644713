//! The default layout, for a chosen order of the host dimensions.

use crate::{coord::Coord, error::LayoutError, layout::Layout, units::Elements};

/// Most host dimensions that the default layout takes (middle-end specification, section 2.2).
pub const MAX_RANK: usize = 6;

/// The order in which the default layout takes the host dimensions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DimOrder {
    dims: Vec<usize>,
    sparse: bool,
}

/// An invalid order of dimensions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OrderError {
    /// Not every dimension exactly once.
    #[error("{order:?} is not a permutation of 0..{rank}, which may be followed by one -1")]
    NotAPermutation {
        /// The order given.
        order: Vec<i64>,
        /// The number of dimensions it should name.
        rank: usize,
    },
    /// A stick dimension that does not exist.
    #[error("d{dim} cannot be on the stick, the tensor has rank {rank}")]
    NoSuchDim {
        /// The dimension.
        dim: usize,
        /// Rank of the tensor.
        rank: usize,
    },
    /// More dimensions than the device takes.
    #[error("rank {rank} is more than the {MAX_RANK} dimensions that the default layout takes")]
    RankTooLarge {
        /// The rank.
        rank: usize,
    },
    /// A stick of 0 elements.
    #[error("a stick of {0} cannot hold a tensor")]
    Stick(Elements),
    /// The stick is so small that its coordinates make no layout.
    #[error(transparent)]
    Layout(#[from] LayoutError),
}

impl DimOrder {
    /// Dimensions as the host has them, the last one on the stick.
    #[must_use]
    pub fn host(rank: usize) -> Self {
        Self {
            dims: (0..rank).collect(),
            sparse: false,
        }
    }

    /// Dimensions as the host has them, with none on the stick: sticks hold one element each.
    #[must_use]
    pub fn sparse(rank: usize) -> Self {
        Self {
            dims: (0..rank).collect(),
            sparse: true,
        }
    }

    /// Dimension `stick` on the stick, after the others as the host has them.
    ///
    /// # Errors
    /// There is no such dimension.
    pub fn with_stick(rank: usize, stick: usize) -> Result<Self, OrderError> {
        if stick >= rank {
            return Err(OrderError::NoSuchDim { dim: stick, rank });
        }
        let others = (0..rank).filter(|&dim| dim != stick);
        Ok(Self {
            dims: others.chain([stick]).collect(),
            sparse: false,
        })
    }

    /// The order for the result of an operation on the given shape: dimensions in host order, then
    /// dimensions of extent 1, then the one on the stick, or none for sparse sticks.
    ///
    /// The first dimension of an order is blocked with the sticks. One of extent 1 makes no block,
    /// so it goes to the right of the others (middle-end specification, section 2.5, broadcast).
    ///
    /// # Errors
    /// There is no such dimension.
    pub fn for_shape(shape: &[u64], stick: Option<usize>) -> Result<Self, OrderError> {
        let rank = shape.len();
        if let Some(dim) = stick.filter(|&dim| dim >= rank) {
            return Err(OrderError::NoSuchDim { dim, rank });
        }
        let mut dims: Vec<usize> = (0..rank).collect();
        // The sort is stable, so the dimensions of each kind stay in the order of the host.
        dims.sort_by_key(|&dim| (stick == Some(dim), shape[dim] == 1));
        Ok(Self {
            dims,
            sparse: stick.is_none(),
        })
    }

    /// The given permutation of `0..n`, its last dimension on the stick. A trailing -1 means sparse
    /// sticks, which hold one element each.
    ///
    /// # Errors
    /// It is not a permutation.
    pub fn from_indices(order: &[i64]) -> Result<Self, OrderError> {
        let (indices, sparse) = match order.split_last() {
            Some((-1, rest)) => (rest, true),
            _ => (order, false),
        };
        let error = || OrderError::NotAPermutation {
            order: order.to_vec(),
            rank: indices.len(),
        };
        let mut dims = Vec::with_capacity(indices.len());
        let mut seen = vec![false; indices.len()];
        for &index in indices {
            let dim = usize::try_from(index).map_err(|_| error())?;
            let seen = seen.get_mut(dim).ok_or_else(error)?;
            if std::mem::replace(seen, true) {
                return Err(error());
            }
            dims.push(dim);
        }
        Ok(Self { dims, sparse })
    }

    /// Number of host dimensions.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// The host dimensions in order.
    #[must_use]
    pub fn dims(&self) -> &[usize] {
        &self.dims
    }

    /// Returns whether each stick holds one element only.
    #[must_use]
    pub fn is_sparse(&self) -> bool {
        self.sparse
    }
}

impl Layout {
    /// The default layout of a tensor with its dimensions in `order`, when a stick holds
    /// `elements_per_stick` (middle-end specification, section 2.2).
    ///
    /// The last dimension of the order is cut into sticks. The first one comes right before the
    /// stick, so that a block of first dimension times stick is contiguous:
    /// `[o1, ..., o(r-2), tile of o(r-1), o0, stick of o(r-1)]`.
    ///
    /// # Errors
    /// There are more than six dimensions, or a stick holds no element.
    pub fn default_for(order: &DimOrder, elements_per_stick: Elements) -> Result<Self, OrderError> {
        let rank = order.rank();
        if rank > MAX_RANK {
            return Err(OrderError::RankTooLarge { rank });
        }
        let per_stick = elements_per_stick.get();
        if per_stick == 0 {
            return Err(OrderError::Stick(elements_per_stick));
        }
        // The dimension on the stick, or none; then the other ones, with the first of them moved to the end.
        let (stick_dim, others) = match order.dims.split_last() {
            Some((&stick, rest)) if !order.sparse => (Some(stick), rest),
            _ => (None, order.dims.as_slice()),
        };
        let tile = stick_dim.map_or(Coord::Zero, |dim| Coord::floor_div(dim, per_stick));
        let stick = stick_dim.map_or(Coord::Zero, |dim| Coord::modulo(dim, per_stick));

        let mut coords: Vec<Coord> = others.iter().skip(1).copied().map(Coord::dim).collect();
        coords.push(tile);
        coords.extend(others.first().copied().map(Coord::dim));
        coords.push(stick);
        Ok(Self::new(rank, coords)?)
    }

    /// Rows one after the other, each cut into sticks:
    /// `(d0, ..., dn) -> (d0, ..., dn floordiv s, dn mod s)`. Rank 0 is a single stick.
    ///
    /// # Errors
    /// A stick holds fewer than two elements.
    pub fn row_major_sticks(
        rank: usize,
        elements_per_stick: Elements,
    ) -> Result<Self, LayoutError> {
        let per_stick = elements_per_stick.get();
        let Some(last) = rank.checked_sub(1) else {
            return Self::new(0, vec![Coord::Zero, Coord::Zero]);
        };
        let mut coords: Vec<Coord> = (0..last).map(Coord::dim).collect();
        coords.push(Coord::floor_div(last, per_stick));
        coords.push(Coord::modulo(last, per_stick));
        Self::new(rank, coords)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_permutations() {
        let sparse = DimOrder::from_indices(&[0, 1, -1]).unwrap();
        assert_eq!((sparse.dims(), sparse.is_sparse()), (&[0, 1][..], true));
        for bad in [
            &[0, 0][..],
            &[1],
            &[-1, 0],
            &[0, -1, -1],
            &[0, 2],
            &[i64::MIN],
        ] {
            let error = DimOrder::from_indices(bad).unwrap_err();
            assert!(
                matches!(error, OrderError::NotAPermutation { .. }),
                "{bad:?}"
            );
        }
    }

    #[test]
    fn coordinates_read_as_in_the_specification() {
        let map = |order: &[i64]| {
            let order = DimOrder::from_indices(order).unwrap();
            Layout::default_for(&order, Elements(64))
                .unwrap()
                .to_string()
        };
        assert_eq!(map(&[]), "() -> (0, 0)");
        assert_eq!(map(&[0]), "(d0) -> (d0 floordiv 64, d0 mod 64)");
        assert_eq!(map(&[0, 1]), "(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)");
        assert_eq!(map(&[1, 0]), "(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)");
        assert_eq!(
            map(&[0, 1, 2]),
            "(d0, d1, d2) -> (d1, d2 floordiv 64, d0, d2 mod 64)"
        );
        assert_eq!(map(&[0, 1, -1]), "(d0, d1) -> (d1, 0, d0, 0)");
        assert_eq!(map(&[-1]), "() -> (0, 0)");
        assert_eq!(
            Layout::row_major_sticks(2, Elements(64))
                .unwrap()
                .to_string(),
            "(d0, d1) -> (d0, d1 floordiv 64, d1 mod 64)"
        );
    }

    #[test]
    fn the_rank_is_limited() {
        let stick = Elements(64);
        assert!(Layout::default_for(&DimOrder::host(6), stick).is_ok());
        let error = Layout::default_for(&DimOrder::host(7), stick).unwrap_err();
        assert_eq!(error, OrderError::RankTooLarge { rank: 7 });
        let sparse = DimOrder::from_indices(&[0, 1, 2, 3, 4, 5, -1]).unwrap();
        assert!(Layout::default_for(&sparse, stick).is_ok());
        let error = Layout::default_for(&DimOrder::host(2), Elements(0)).unwrap_err();
        assert_eq!(error, OrderError::Stick(Elements(0)));
    }
}

//! The gain of fusing two kernels.

use smallvec::SmallVec;

use super::{Fusion, KernelId, distance};
use crate::schedule::program::BufferId;

/// The ratio of the shared bytes of two pairs above which only the bytes are compared.
const THRESHOLD: i64 = 16;

/// The gain of fusing a pair of kernels. More is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Score {
    /// 2, or 1 for kernels without shared accesses.
    pub template: i64,
    /// Whether both reduce, or none.
    pub is_alike: bool,
    /// The bytes that both access.
    pub bytes: i64,
    /// The negative of their distance in nodes.
    pub proximity: i64,
}

impl Score {
    /// Returns whether a score is less than another one, by PyTorch's comparison, which is no total order.
    #[must_use]
    pub fn is_below(&self, other: &Self) -> bool {
        if self.template != other.template {
            return self.template < other.template;
        }
        let (least, most) = (self.bytes.min(other.bytes), self.bytes.max(other.bytes));
        if most > least.saturating_mul(THRESHOLD) {
            return self.bytes < other.bytes;
        }
        let key = |score: &Self| (score.is_alike, score.bytes, score.proximity);
        key(self) < key(other)
    }
}

impl Fusion<'_, '_> {
    pub(super) fn score(&self, a: KernelId, b: KernelId) -> Score {
        let bytes = self.shared_bytes(a, b);
        let (one, two) = (&self.kernels[a], &self.kernels[b]);
        let far = i64::try_from(distance(one.order, two.order)).expect("nodes are counted");
        Score {
            template: 1 + i64::from(bytes > 0),
            is_alike: one.is_reduction == two.is_reduction && bytes > 0,
            bytes,
            proximity: -far,
        }
    }

    /// Returns the bytes of the accesses that two kernels have in common.
    pub(super) fn shared_bytes(&self, a: KernelId, b: KernelId) -> i64 {
        let (one, two) = (&self.kernels[a].accesses, &self.kernels[b].accesses);
        let (mut i, mut j, mut sum) = (0, 0, 0_i64);
        while let (Some(x), Some(y)) = (one.get(i), two.get(j)) {
            if x == y {
                sum = sum.saturating_add(self.bytes[*x as usize]);
            }
            i += usize::from(x <= y);
            j += usize::from(y <= x);
        }
        sum
    }

    /// Returns the number of elements that two kernels could reuse: elements of inputs of the same size, each read by one of the
    /// kernels alone.
    pub(super) fn reused_elements(&self, a: KernelId, b: KernelId) -> i64 {
        let sizes = |kernel: KernelId| {
            let reads = self.kernels[kernel].reads.iter();
            let buffers = reads.map(|dep| self.buffer(*dep));
            let mut sizes: SmallVec<[(i64, i64); 4]> = buffers
                .filter_map(|buffer_id| self.once(buffer_id))
                .collect();
            sizes.sort_unstable();
            sizes.dedup();
            sizes
        };
        let two = sizes(b);
        let common = sizes(a).into_iter().filter(|size| two.contains(size));
        common.fold(0, |sum, (_, elements)| sum.saturating_add(elements))
    }

    /// Returns the size of an element and the number of elements of a buffer that a node makes for one user.
    fn once(&self, buffer: BufferId) -> Option<(i64, i64)> {
        let buffer_data = &self.graph.program[buffer];
        let is_once = buffer_data.maker.is_some() && self.graph.users_of(buffer).len() == 1;
        let elements = self.graph.program.elements(buffer).filter(|_| is_once)?;
        Some((buffer_data.bytes, elements))
    }
}

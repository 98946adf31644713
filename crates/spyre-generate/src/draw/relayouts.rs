//! Chains of operations with different divisions over cores, so that slices of values move between
//! scratchpads.

use super::Builder;

/// Numbers of cores among which slices move faster than through device memory.
const CORES: [u64; 3] = [8, 16, 32];

impl Builder {
    /// Adds operations on whole sticks, each with another division over cores.
    pub(super) fn relayouts(&mut self) {
        let cores = self.numbers.pick(&CORES);
        self.program.cores = self.numbers.pick(&[cores, 32]);
        let rows = self.numbers.pick(&[8, 16, 32]);
        let sticks = self.numbers.pick(&[8, 16]);
        let columns = sticks * self.base.per_stick();
        let first = self.input(self.base, &[rows, columns], 1);
        let mut chain = vec![first];
        for _ in 0..self.numbers.between(2, 4) {
            let last = *chain.last().expect("it has the input");
            let at = match self.numbers.below(6) {
                0 => {
                    let other = self.numbers.pick(&chain);
                    self.binary_on("maximum", last, other)
                }
                1 => {
                    self.largest(last);
                    continue;
                }
                _ => self.pointwise_on(last),
            };
            self.share_by_powers(at, cores, sticks);
            chain.push(at);
        }
    }

    /// Adds the largest element of each row or column.
    fn largest(&mut self, at: usize) {
        let dim = self.numbers.index(2);
        let bound = self.node(at).bound;
        let largest = self.reduction_along(at, "max", dim, bound);
        let dims = self.iteration_space(largest);
        self.program.nodes[largest].split = self.cores_along(&dims);
    }

    /// Divides an operation on rows over `cores` cores, or over the number of its parts if that is smaller.
    fn share_by_powers(&mut self, at: usize, cores: u64, sticks: u64) {
        let rows = self.tensor(at).shape[0];
        let exponent = self.numbers.below(u64::from(cores.ilog2()) + 1);
        let along_rows = (1 << exponent).min(rows);
        let along_columns = (cores / along_rows).min(sticks);
        self.program.nodes[at].split = vec![along_rows, along_columns];
    }
}

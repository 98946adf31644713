//! The modelled time of an executed operation.
//!
//! The cost of an execution is the compute time of its slowest core, the traffic of device memory, the transfer of
//! partial sums between cores, and a constant. The terms are added, as the cost model of products does (middle-end
//! specification, section 4.3, newest formula); its terms that only rank divisions of one product are left out. Bytes
//! that several cores read at once move once, but a broadcast to more than [`Rates::broadcast_cores`] cores slows down.
//! Times are whole picoseconds, computed with additions, products and square roots only, so that they are the same on
//! every machine.

use std::ops::AddAssign;

use spyre_layout::Bytes;

/// A modelled time in picoseconds.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
)]
pub struct Picoseconds(pub u64);

impl Picoseconds {
    /// Returns the time in microseconds.
    #[must_use]
    pub fn microseconds(self) -> f64 {
        float(self.0) / 1e6
    }

    /// Returns the time multiplied by a count; it saturates at 2^64 - 1 picoseconds.
    #[must_use]
    pub fn times(self, count: u64) -> Self {
        Self(self.0.saturating_mul(count))
    }
}

impl AddAssign for Picoseconds {
    /// Sums saturate at 2^64 - 1 picoseconds, which are 213 days.
    fn add_assign(&mut self, other: Self) {
        self.0 = self.0.saturating_add(other.0);
    }
}

impl std::fmt::Display for Picoseconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let nanoseconds = self.0 / 1000;
        write!(f, "{}.{:03} us", nanoseconds / 1000, nanoseconds % 1000)
    }
}

/// How fast the card is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Rates {
    /// Multiplications with addition of one core in a microsecond: 98.304e12 / 2 / 32 in a second (section 4.3).
    pub products_per_us: u64,
    /// Elements that one core computes in a microsecond with any other function. Assumed: one stick of 64 elements in a cycle
    /// of 1.5 GHz, whatever the function.
    pub elements_per_us: u64,
    /// Bytes that device memory moves in a microsecond: 204.8 GB/s (section 4.3).
    pub bytes_per_us: u64,
    /// Cores that a broadcast reaches at full speed (section 4.3: `fan/8`).
    pub broadcast_cores: u32,
    /// Rows of a product that are one pass of a core (section 4.3: `(M/m)/8`).
    pub rows_per_pass: u64,
    /// Passes from which on a product runs at full speed (section 4.3).
    pub full_passes: u64,
    /// For each element of a partial sum that a core passes on (section 4.3, right operands that are not shared; for
    /// reductions of one operand, assumed to be the same).
    pub per_partial: Picoseconds,
    /// The same, where all batches have one right operand (section 4.3).
    pub per_shared_partial: Picoseconds,
    /// An execution of an operation. Assumed: the time of device memory for a stick of each of 32 cores, since no
    /// execution moves less.
    pub per_execution: Picoseconds,
    /// An iteration of a loop. Assumed: as long as an execution.
    pub per_iteration: Picoseconds,
    /// A stick that a core receives from the scratchpad of another core, or sends to one. The time is not published.
    /// Assumed: the time of 64 elements of partial sums ([`Self::per_partial`]), which is 20 GB/s for a core.
    pub per_relayed_stick: Picoseconds,
}

impl Rates {
    /// The card.
    pub const CARD: Self = Self {
        products_per_us: 1_536_000,
        elements_per_us: 96_000,
        bytes_per_us: 204_800,
        broadcast_cores: 8,
        rows_per_pass: 8,
        full_passes: 5,
        per_partial: Picoseconds(100),
        per_shared_partial: Picoseconds(1000),
        per_execution: Picoseconds(20_000),
        per_iteration: Picoseconds(20_000),
        per_relayed_stick: Picoseconds(6_400),
    };

    /// Returns the factor by which a broadcast to `cores` cores is slower than a read by one: `(cores / broadcast_cores)^0.75`,
    /// at least 1 (section 4.3).
    #[must_use]
    pub fn fan_out(&self, cores: u64) -> f64 {
        // Square roots are the same on every machine; powers need not be.
        let root = (float(cores) / f64::from(self.broadcast_cores))
            .max(1.0)
            .sqrt();
        root * root.sqrt()
    }

    /// Returns the cost of bytes that `cores` cores read at once, in bytes that one core reads.
    ///
    /// The factor is rounded to 1/1024, so that sums do not depend on their order; the result is rounded up.
    #[must_use]
    pub fn weighted(&self, bytes: i128, cores: u64) -> i128 {
        // At most (2^64)^0.75 * 2^10, which is below 2^63.
        #[expect(clippy::cast_possible_truncation)]
        let factor = (self.fan_out(cores) * 1024.0).round() as i128;
        (bytes * factor).div_euclid(1024) + i128::from((bytes * factor).rem_euclid(1024) > 0)
    }

    /// Returns the fraction of the full speed at which a product with `passes` passes of rows runs: `(passes /
    /// full_passes)^0.25`, at most 1 (section 4.3).
    #[must_use]
    pub fn efficiency(&self, passes: f64) -> f64 {
        (passes / float(self.full_passes)).min(1.0).sqrt().sqrt()
    }

    /// Returns the time in which device memory moves `distinct` bytes, each to or from `fan_out` cores at once
    /// ([`Rates::fan_out`]).
    #[must_use]
    pub fn memory(&self, distinct: Bytes, fan_out: u32) -> Picoseconds {
        let slower = self.fan_out(fan_out.into());
        microseconds(float(distinct.get()) / float(self.bytes_per_us) * slower)
    }

    /// Returns the time in which a core gets or sends `sticks` sticks of a relayout.
    #[must_use]
    pub fn relayout(&self, sticks: u64) -> Picoseconds {
        self.per_relayed_stick.times(sticks)
    }

    /// Returns the time in which a core computes `elements` points of any function but a product, and passes on `partials` elements
    /// of partial results.
    #[must_use]
    pub fn elements(&self, elements: u64, partials: u64) -> Picoseconds {
        let compute = float(elements) / float(self.elements_per_us);
        microseconds(compute + self.passing_on(partials))
    }

    /// Returns the microseconds in which a core passes on partial results.
    fn passing_on(&self, partials: u64) -> f64 {
        float(partials) * self.per_partial.microseconds()
    }

    /// Returns the time in which a core computes `points` products with `rows` rows each, and passes on `partials` elements of
    /// partial sums. Few rows fill the array badly ([`Rates::efficiency`]).
    #[must_use]
    pub fn product(&self, points: u64, rows: u64, partials: u64) -> Picoseconds {
        let passes = (float(rows) / float(self.rows_per_pass)).max(1.0);
        let compute = float(points) / (float(self.products_per_us) * self.efficiency(passes));
        microseconds(compute + self.passing_on(partials))
    }
}

#[expect(clippy::cast_precision_loss, reason = "a model")]
pub(crate) fn float(count: u64) -> f64 {
    count as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "not negative, and longer times become 2^64 - 1"
)]
fn microseconds(time: f64) -> Picoseconds {
    Picoseconds((time * 1e6).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CARD: Rates = Rates::CARD;

    #[test]
    fn device_memory_moves_204_8_gigabytes_in_a_second() {
        assert_eq!(CARD.memory(Bytes(204_800), 1), Picoseconds(1_000_000));
        assert_eq!(CARD.memory(Bytes(204_800), 8), Picoseconds(1_000_000));
    }

    #[test]
    fn a_broadcast_to_more_than_eight_cores_slows_down() {
        // (32 / 8)^0.75 = 2.828427.
        assert_eq!(CARD.memory(Bytes(204_800), 32), Picoseconds(2_828_427));
    }

    #[test]
    fn a_product_with_few_rows_is_slower() {
        assert_eq!(CARD.product(1_536_000, 40, 0), Picoseconds(1_000_000));
        // One pass of five: 5^0.25 = 1.495349.
        assert_eq!(CARD.product(1_536_000, 8, 0), Picoseconds(1_495_349));
        assert_eq!(CARD.product(1_536_000, 1, 0), Picoseconds(1_495_349));
    }

    #[test]
    fn partial_sums_cost_what_is_passed_on() {
        assert_eq!(CARD.product(1_536_000, 40, 10_000), Picoseconds(2_000_000));
    }

    #[test]
    fn other_functions_compute_a_stick_in_a_cycle() {
        assert_eq!(CARD.elements(96_000, 0), Picoseconds(1_000_000));
        assert_eq!(Picoseconds(1_495_349).to_string(), "1.495 us");
    }
}

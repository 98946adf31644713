//! Random numbers that are the same on every machine.

/// Numbers of a SplitMix64 sequence.
#[derive(Debug, Clone)]
pub struct Numbers(u64);

impl Numbers {
    /// Returns the sequence of a seed and a number. Neighbours start far apart.
    #[must_use]
    pub fn new(seed: u64, number: u64) -> Self {
        let first = Self(seed).next();
        let second = Self(number.wrapping_add(1)).next();
        Self(first ^ second.rotate_left(23))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below a bound, which is positive and far below 2^32.
    ///
    /// # Panics
    /// The bound is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "a number below 0 was asked for");
        ((self.next() >> 32) * bound) >> 32
    }

    /// Returns a number from a range, both ends included.
    ///
    /// # Panics
    /// The range is empty.
    pub fn between(&mut self, first: u64, last: u64) -> u64 {
        assert!(first <= last, "no number from {first} to {last}");
        first + self.below(last - first + 1)
    }

    /// Returns a position in a list of this length.
    ///
    /// # Panics
    /// The list is empty.
    pub fn index(&mut self, length: usize) -> usize {
        // A position is below a length.
        self.below(length as u64) as usize
    }

    /// Returns an element of a list.
    ///
    /// # Panics
    /// The list is empty.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.index(from.len())]
    }

    /// Returns `true` in one of `many` cases.
    pub fn one_in(&mut self, many: u64) -> bool {
        self.below(many) == 0
    }

    /// Shuffles a list.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            let other = self.index(last + 1);
            list.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_and_a_number_are_a_sequence() {
        // The first number of SplitMix64 for the seed 0, from its reference implementation.
        assert_eq!(Numbers(0).next(), 0xE220_A839_7B1D_CDAF);
        let mut numbers = Numbers::new(1, 2);
        let first: Vec<u64> = (0..8).map(|_| numbers.below(10)).collect();
        let mut again = Numbers::new(1, 2);
        assert_eq!(first, (0..8).map(|_| again.below(10)).collect::<Vec<_>>());
        let mut other = Numbers::new(1, 3);
        assert_ne!(first, (0..8).map(|_| other.below(10)).collect::<Vec<_>>());
    }

    #[test]
    fn every_number_of_a_range_is_drawn() {
        let mut numbers = Numbers::new(7, 7);
        let mut seen = [0; 4];
        for _ in 0..400 {
            seen[numbers.between(3, 6) as usize - 3] += 1;
        }
        assert!(seen.iter().all(|count| *count > 50), "{seen:?}");
    }
}

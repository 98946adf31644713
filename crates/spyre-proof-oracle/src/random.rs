//! Random numbers that depend on a seed and a number alone: the same programs on every machine.

/// A generator of random numbers: splitmix64.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Returns the generator of the program with this number, in the sequence of a seed.
    #[must_use]
    pub fn new(seed: u64, number: u64) -> Self {
        let mut random = Self(seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        // Two steps separate the sequences of neighbours.
        random.0 = random.next();
        random.0 ^= random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Returns a number below `end`.
    ///
    /// # Panics
    /// `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).expect("a number of 64 bits");
        usize::try_from(self.next() % end).expect("it is below a usize")
    }

    /// Returns a number from `least` to `most`.
    pub fn from_to(&mut self, least: i64, most: i64) -> i64 {
        let span = u64::try_from(most - least + 1).expect("least is at most most");
        least + i64::try_from(self.next() % span).expect("it is at most `most - least`")
    }

    /// Returns true once in `times` calls.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// Returns one of the values.
    ///
    /// # Panics
    /// There is none.
    pub fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }

    /// Brings the values into a random order.
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        for at in (1..values.len()).rev() {
            values.swap(at, self.below(at + 1));
        }
    }
}

//! Random numbers that repeat.

/// Xorshift64* (Vigna 2016): enough for choosing mutations, and the same on every machine.
#[derive(Debug, Clone)]
pub(crate) struct Rng(u64);

impl Rng {
    /// Returns the stream number `stream` of `seed`; different streams are unrelated.
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        // One step of SplitMix64 spreads neighbouring seeds; the state of an xorshift must not be 0.
        let mut z = seed.wrapping_add((stream + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self((z ^ (z >> 31)).max(1))
    }

    /// Returns the next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Returns a number below `bound`; 0 when `bound` is 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        if bound == 0 {
            0
        } else {
            (self.next() % bound as u64) as usize
        }
    }

    /// Returns one of `items`; `None` if there are none.
    pub(crate) fn choose<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_repeat_and_differ() {
        let stream = |seed, number| {
            let mut rng = Rng::new(seed, number);
            (0..8).map(|_| rng.next()).collect::<Vec<_>>()
        };
        assert_eq!(stream(1, 0), stream(1, 0));
        assert_ne!(stream(1, 0), stream(1, 1));
        assert_ne!(stream(1, 0), stream(2, 0));
        assert_eq!(Rng::new(0, 0).below(0), 0);
    }

    #[test]
    fn every_value_below_the_bound_comes_up() {
        let mut rng = Rng::new(7, 0);
        let mut seen = [false; 10];
        for _ in 0..1000 {
            seen[rng.below(10)] = true;
        }
        assert_eq!(seen, [true; 10]);
    }
}

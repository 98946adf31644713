//! Random bits.

/// Returns 64 random bits of a counter and a key: 20 rounds of Threefry 2x32, the low word first.
#[must_use]
pub fn threefry(counter: u64, key: u64) -> u64 {
    // The casts split a number into its words.
    let words = |number: u64| (number as u32, (number >> 32) as u32);
    let ((mut low, mut high), (first, second)) = (words(counter), words(key));
    let keys = [second, first ^ second ^ 0x1BD1_1BDA, first];
    low = low.wrapping_add(first);
    high = high.wrapping_add(second);
    for group in 0..5_u32 {
        let rotations = [[13, 15, 26, 6], [17, 29, 16, 24]][group as usize % 2];
        for rotation in rotations {
            low = low.wrapping_add(high);
            high = high.rotate_left(rotation) ^ low;
        }
        low = low.wrapping_add(keys[group as usize % 3]);
        high = high
            .wrapping_add(keys[(group as usize + 1) % 3])
            .wrapping_add(group + 1);
    }
    (u64::from(high) << 32) | u64::from(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_paper() {
        // Known answers of the reference implementation for 20 rounds.
        assert_eq!(threefry(0, 0), 0x99BA_4EFE_6B20_0159);
        assert_eq!(threefry(u64::MAX, u64::MAX), 0xBB00_2BE7_1CB9_96FC);
        let pi = threefry(0x85A3_08D3_243F_6A88, 0x0370_7344_1319_8A2E);
        assert_eq!(pi, 0x483D_F7A0_C492_3A9C);
    }
}

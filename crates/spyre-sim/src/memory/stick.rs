//! One stick of memory, with the facts that are known of each byte.

use spyre_layout::STICK_BYTES;

/// Bytes of a stick.
pub(crate) const STICK: usize = STICK_BYTES.0 as usize;

/// The byte of unwritten memory: not a number in every float format.
pub(crate) const POISON: u8 = 0xFF;

/// No execution, and no value.
pub(crate) const NOBODY: u32 = u32::MAX;

/// Returns bits for `len` bytes from byte `from` of a stick.
pub(crate) fn mask(from: usize, len: usize) -> u128 {
    let ones = match len {
        0 => 0,
        1..STICK => (1_u128 << len) - 1,
        _ => u128::MAX,
    };
    ones << from
}

/// The contents of a stick and their history.
#[derive(Clone, Debug)]
pub(crate) struct Stick {
    pub bytes: [u8; STICK],
    /// A bit per byte that was computed or passed in.
    pub defined: u128,
    /// A bit per byte that the execution `fresh_in` has written.
    pub fresh: u128,
    pub fresh_in: u32,
    /// The value that the last writer wrote, and the one before.
    pub value: u32,
    pub previous: u32,
    /// The execution that read last, and its core; [`Stick::SEVERAL`] if there were several.
    pub read_in: u32,
    pub reader: u16,
    /// Whether it was read since the last write.
    pub read: bool,
    /// Whether padding is between its elements, as a cast from 32 bits leaves it.
    pub is_scattered: bool,
}

impl Stick {
    /// Instead of a core's number.
    pub(crate) const SEVERAL: u16 = u16::MAX;

    pub(crate) const NEW: Self = Self {
        bytes: [POISON; STICK],
        defined: 0,
        fresh: 0,
        fresh_in: NOBODY,
        value: NOBODY,
        previous: NOBODY,
        read_in: NOBODY,
        reader: 0,
        read: false,
        is_scattered: false,
    };

    /// Returns the defined ones of these bits, and whether the others are padding.
    ///
    /// Undefined bytes are padding at the end of a stick that has begun, where a dimension does not fill its last
    /// stick. A cast of half a stick writes half of one, so it is enough that they are at the end of the range that is
    /// read. Remains of an earlier value may follow the value written last: these are padding, too.
    pub(crate) fn find(&self, bits: u128) -> (u128, bool) {
        // All ones and one more are zero.
        let is_start = |bits: u128| bits != 0 && bits & bits.wrapping_add(1) == 0;
        let last = self.defined & self.fresh;
        let is_padding_only = self.defined & bits == 0 && self.fresh & bits == bits;
        if is_padding_only && self.value != NOBODY {
            // The last writer had only padding for these bits: a cast of the end of a stick into separate sticks.
            (0, true)
        } else if is_start(self.defined) || is_start(self.defined & bits) {
            (self.defined & bits, true)
        } else if is_start(last) && self.defined & bits != bits {
            (last & bits, true)
        } else {
            (self.defined & bits, self.is_scattered)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks() {
        assert_eq!(mask(0, 0), 0);
        assert_eq!(mask(0, 128), u128::MAX);
        assert_eq!(mask(2, 2), 0b1100);
        assert_eq!(mask(127, 1), 1 << 127);
    }

    #[test]
    fn padding_is_a_tail() {
        let with = |defined| Stick {
            defined,
            ..Stick::NEW
        };
        let all = u128::MAX;
        let half = mask(64, 64);
        assert_eq!(with(mask(0, 72)).find(all), (mask(0, 72), true));
        assert_eq!(with(mask(0, 72)).find(half), (mask(64, 8), true));
        assert_eq!(with(all).find(all), (all, true));
        assert_eq!(with(0).find(all), (0, false));
        assert_eq!(with(mask(2, 2)).find(all), (mask(2, 2), false));
        // The value from before is still in the other half.
        let mixed = with(mask(0, 2) | half);
        assert_eq!(mixed.find(mask(0, 64)), (mask(0, 2), true));
        assert_eq!(mixed.find(all), (mask(0, 2) | half, false));
        let written = Stick {
            fresh: mask(0, 2),
            ..mixed
        };
        assert_eq!(written.find(all), (mask(0, 2), true));
        // Where no byte is missing, the earlier contents are a part of the tensor.
        let updated = Stick {
            fresh: mask(0, 2),
            ..with(all)
        };
        assert_eq!(updated.find(all), (all, true));
    }
}

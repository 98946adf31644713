//! Dynamic extents.

use thiserror::Error;

/// The bounds of a dynamic extent: it is a positive multiple of a granularity, and at most a maximum, which is a
/// multiple of the granularity as well. In elements (middle-end specification, section 4.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DynamicExtent {
    granularity: u64,
    max: u64,
}

/// Why an extent is not one that a [`DynamicExtent`] admits.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("must be a positive multiple of {granularity} and at most {max}, got {extent}")]
pub struct NotAdmitted {
    granularity: u64,
    max: u64,
    extent: u64,
}

impl DynamicExtent {
    /// `None` unless both are positive and the maximum is a multiple of the granularity.
    #[must_use]
    pub const fn new(granularity: u64, max: u64) -> Option<Self> {
        match max.checked_rem(granularity) {
            Some(0) if max > 0 => Some(Self { granularity, max }),
            _ => None,
        }
    }

    /// Returns the number that every admitted extent is a multiple of.
    #[must_use]
    pub const fn granularity(self) -> u64 {
        self.granularity
    }

    /// Returns whether there is one extent to choose: the largest one, which is the granularity.
    #[must_use]
    pub const fn is_single(self) -> bool {
        self.granularity == self.max
    }

    /// Returns the largest extent that is admitted.
    #[must_use]
    pub const fn max(self) -> u64 {
        self.max
    }

    /// Returns the bounds of the extent if it is also cut into tiles of `tile`: multiples of the least common multiple.
    /// `None` if the maximum is no longer one.
    #[must_use]
    pub fn in_tiles_of(self, tile: u64) -> Option<Self> {
        Self::new(lcm(self.granularity, tile), self.max)
    }

    /// Checks that an extent may be chosen.
    ///
    /// # Errors
    /// It is 0, too large, or no multiple of the granularity.
    pub fn admit(self, extent: u64) -> Result<(), NotAdmitted> {
        let Self { granularity, max } = self;
        if extent > 0 && extent <= max && extent.is_multiple_of(granularity) {
            return Ok(());
        }
        Err(NotAdmitted {
            granularity,
            max,
            extent,
        })
    }

    /// Returns all extents that may be chosen, in ascending order.
    pub fn admitted(self) -> impl DoubleEndedIterator<Item = u64> {
        (1..=self.max / self.granularity).map(move |steps| steps * self.granularity)
    }
}

/// Returns the least common multiple, at most the largest number there is; 0 if one of the numbers is.
#[must_use]
pub fn lcm(a: u64, b: u64) -> u64 {
    let (mut divisor, mut rest) = (a, b);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    // The divisor is 0 only if both are 0.
    a.checked_div(divisor).unwrap_or(0).saturating_mul(b)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;

    #[test]
    fn the_maximum_is_a_multiple() {
        assert_eq!(DynamicExtent::new(0, 64), None);
        assert_eq!(DynamicExtent::new(64, 0), None);
        assert_eq!(DynamicExtent::new(64, 500), None);
        let extent = DynamicExtent::new(64, 512);
        assert_eq!(
            extent.map(|it| (it.granularity(), it.max())),
            Some((64, 512))
        );
    }

    #[test]
    fn loops_of_different_steps_leave_common_multiples() {
        let extent = DynamicExtent::new(32, 768);
        let both = extent
            .and_then(|it| it.in_tiles_of(64))
            .and_then(|it| it.in_tiles_of(96));
        assert_eq!(both.map(DynamicExtent::granularity), Some(192));
        assert_eq!(
            both.and_then(|it| it.in_tiles_of(512)),
            None,
            "768 is no multiple of 1536"
        );
        assert_eq!(lcm(u64::MAX, u64::MAX - 1), u64::MAX);
        assert_eq!(lcm(0, 3), 0);
    }

    #[test]
    fn refusals_have_the_numbers() {
        let extent = DynamicExtent::new(64, 512);
        let refusal = extent.and_then(|it| it.admit(100).err());
        assert_eq!(
            refusal.map(|err| err.to_string()).as_deref(),
            Some("must be a positive multiple of 64 and at most 512, got 100")
        );
    }

    proptest! {
        #[test]
        fn tiles_divide_what_is_admitted(granularity in 1_u64..40, steps in 1_u64..40, tile in 1_u64..60) {
            let Some(all) = DynamicExtent::new(granularity, granularity * steps) else {
                return Ok(());
            };
            let in_tiles: Vec<u64> = all.in_tiles_of(tile).map(|it| it.admitted().collect()).unwrap_or_default();
            let expected: Vec<u64> = all.admitted().filter(|extent| extent.is_multiple_of(tile)).collect();
            if all.max().is_multiple_of(tile) {
                prop_assert_eq!(&in_tiles, &expected);
            } else {
                prop_assert_eq!(all.in_tiles_of(tile), None);
            }
            for extent in 0..=all.max() + 1 {
                prop_assert_eq!(all.admit(extent).is_ok(), all.admitted().any(|it| it == extent));
            }
        }
    }
}

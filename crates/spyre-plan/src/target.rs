//! The accelerator that plans are made for.

use spyre_layout::{Bytes, STICK_BYTES};

use crate::time::Rates;

/// Sizes and limits of a Spyre accelerator (SDSC bundle specification, sections 7.2 and 7.3;
/// middle-end specification, section 0, T8 and T11).
///
/// Every pass takes its numbers from here. The defaults describe the card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Target {
    /// Cores that share the work of an operation.
    pub cores: u32,
    /// Scratchpad (LX) of one core; 0 for a machine without.
    pub lx_bytes: Bytes,
    /// The part of the scratchpad that is never handed out.
    pub lx_reserved_bytes: Bytes,
    /// Percentage of the remaining scratchpad that the backend compiler keeps for itself.
    pub lx_backend_percent: u32,
    /// Bytes in a stick.
    pub stick_bytes: Bytes,
    /// Longest contiguous range of device memory that one core may address.
    pub span_limit_bytes: Bytes,
    /// Device memory reachable through one segment.
    pub segment_bytes: Bytes,
    /// The part of a segment that the pool of temporaries may not use.
    pub segment_reserved_bytes: Bytes,
    /// Segments, one for each tensor argument or pool.
    pub segments: u32,
    /// How fast it is.
    pub rates: Rates,
}

impl Default for Target {
    fn default() -> Self {
        Self::CARD
    }
}

/// A target description that contradicts itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TargetError {
    /// A count that must be positive is zero.
    #[error("the target has no {0}")]
    None(&'static str),
    /// Sticks of a size other than the layouts'.
    #[error("sticks of {actual}; layouts are made of sticks of {STICK_BYTES}")]
    Stick {
        /// The stick size given.
        actual: Bytes,
    },
    /// A size that is not whole sticks.
    #[error("{what} is {value}, which is not a whole number of sticks of {STICK_BYTES}")]
    BrokenSticks {
        /// The size that it is.
        what: &'static str,
        /// The value.
        value: Bytes,
    },
    /// A reserved part that leaves no bytes.
    #[error("{reserved} of {total} {what} are reserved, which leaves none")]
    NothingLeft {
        /// The memory or the share of it.
        what: &'static str,
        /// The reserved part.
        reserved: Bytes,
        /// The whole.
        total: Bytes,
    },
    /// A backend share that leaves no bytes.
    #[error("the backend keeps {0} percent of the scratchpad, which leaves none")]
    BackendShare(u32),
    /// Device memory that cannot be addressed.
    #[error("{segments} segments of {segment} are more than 2^64 - 1 bytes")]
    TooLarge {
        /// Number of segments.
        segments: u32,
        /// Size of each.
        segment: Bytes,
    },
}

impl Target {
    /// The card; also the default.
    pub const CARD: Self = Self {
        cores: 32,
        lx_bytes: Bytes(2 << 20),
        lx_reserved_bytes: Bytes(64 << 10),
        lx_backend_percent: 20,
        stick_bytes: STICK_BYTES,
        span_limit_bytes: Bytes(65535 * 4096),
        segment_bytes: Bytes(16 << 30),
        segment_reserved_bytes: Bytes(2 << 30),
        segments: 7,
        rates: Rates::CARD,
    };

    /// Checks that the numbers fit together.
    ///
    /// # Errors
    /// A count or size is zero, no whole number of sticks, or reserved as a whole.
    pub fn validate(&self) -> Result<(), TargetError> {
        if self.cores == 0 {
            return Err(TargetError::None("cores"));
        }
        if self.segments == 0 {
            return Err(TargetError::None("segments"));
        }
        if self.stick_bytes != STICK_BYTES {
            return Err(TargetError::Stick {
                actual: self.stick_bytes,
            });
        }
        let sizes = [
            ("the scratchpad", self.lx_bytes),
            (
                "the reserved part of the scratchpad",
                self.lx_reserved_bytes,
            ),
            ("the span limit", self.span_limit_bytes),
            ("a segment", self.segment_bytes),
            (
                "the reserved part of a segment",
                self.segment_reserved_bytes,
            ),
        ];
        for (what, size) in sizes {
            if !size.is_multiple_of(STICK_BYTES) {
                return Err(TargetError::BrokenSticks { what, value: size });
            }
        }
        if self.span_limit_bytes == Bytes::ZERO {
            return Err(TargetError::None("span"));
        }
        // A target without a scratchpad has no reserved part of the scratchpad to check.
        let scratchpad = (self.lx_bytes != Bytes::ZERO).then_some((
            "of scratchpad",
            self.lx_reserved_bytes,
            self.lx_bytes,
        ));
        let segment = (
            "of each segment",
            self.segment_reserved_bytes,
            self.segment_bytes,
        );
        for (what, reserved, total) in scratchpad.into_iter().chain([segment]) {
            if reserved >= total {
                return Err(TargetError::NothingLeft {
                    what,
                    reserved,
                    total,
                });
            }
        }
        if self.lx_backend_percent >= 100 {
            return Err(TargetError::BackendShare(self.lx_backend_percent));
        }
        if self
            .segment_bytes
            .checked_mul(self.segments.into())
            .is_none()
        {
            let (segments, segment) = (self.segments, self.segment_bytes);
            return Err(TargetError::TooLarge { segments, segment });
        }
        Ok(())
    }

    /// Scratchpad bytes of each core that a plan may hand out: the rest after the reserved part and
    /// the backend's share, rounded down to bytes, then up to sticks (middle-end specification,
    /// section 0, T11). Zero when the description is not [valid](Target::validate).
    #[must_use]
    pub fn usable_lx(&self) -> Bytes {
        let left = self
            .lx_bytes
            .get()
            .saturating_sub(self.lx_reserved_bytes.get());
        let percent = u128::from(100u32.saturating_sub(self.lx_backend_percent));
        let share = u64::try_from(u128::from(left) * percent / 100);
        let share = share.expect("a share of a 64-bit number is one as well");
        // The bytes left of a valid target are whole sticks, so there are as many for the share.
        Bytes(share).round_up_to(STICK_BYTES).unwrap_or(Bytes(left))
    }

    /// Bytes of device memory for temporaries: one segment less its reserved part (middle-end
    /// specification, section 5.7). Zero when the description is not [valid](Target::validate).
    #[must_use]
    pub const fn pool_bytes(&self) -> Bytes {
        Bytes(
            self.segment_bytes
                .get()
                .saturating_sub(self.segment_reserved_bytes.get()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_those_of_the_card() {
        let card = Target::default();
        assert_eq!(card.validate(), Ok(()));
        assert_eq!(card.usable_lx(), Bytes(1_625_344));
        assert_eq!(card.pool_bytes(), Bytes(15_032_385_536));
        assert_eq!(card.span_limit_bytes, Bytes(268_431_360));
    }

    #[test]
    fn without_a_backend_share_all_unreserved_scratchpad_is_usable() {
        let target = Target {
            lx_backend_percent: 0,
            ..Target::default()
        };
        assert_eq!(target.usable_lx(), Bytes((2 << 20) - (64 << 10)));
    }

    #[test]
    fn a_machine_without_scratchpad_has_none_to_hand_out() {
        let target = Target {
            lx_bytes: Bytes::ZERO,
            ..Target::default()
        };
        assert_eq!(target.validate(), Ok(()));
        assert_eq!(target.usable_lx(), Bytes::ZERO);
    }

    #[test]
    fn contradictions_are_named() {
        let card = Target::default();
        let cases = [
            (Target { cores: 0, ..card }, "the target has no cores"),
            (
                Target {
                    segments: 0,
                    ..card
                },
                "the target has no segments",
            ),
            (
                Target {
                    stick_bytes: Bytes(64),
                    ..card
                },
                "sticks of 64 bytes; layouts are made of sticks of 128 bytes",
            ),
            (
                Target {
                    lx_bytes: Bytes(1_000_001),
                    ..card
                },
                "the scratchpad is 1000001 bytes, which is not a whole number of sticks of 128 \
                 bytes",
            ),
            (
                Target {
                    span_limit_bytes: Bytes(0),
                    ..card
                },
                "the target has no span",
            ),
            (
                Target {
                    lx_reserved_bytes: Bytes(2 << 20),
                    ..card
                },
                "2097152 bytes of 2097152 bytes of scratchpad are reserved, which leaves none",
            ),
            (
                Target {
                    lx_backend_percent: 100,
                    ..card
                },
                "the backend keeps 100 percent of the scratchpad, which leaves none",
            ),
            (
                Target {
                    segment_bytes: Bytes(1 << 63),
                    ..card
                },
                "7 segments of 9223372036854775808 bytes are more than 2^64 - 1 bytes",
            ),
        ];
        for (target, message) in cases {
            assert_eq!(target.validate().unwrap_err().to_string(), message);
        }
    }
}

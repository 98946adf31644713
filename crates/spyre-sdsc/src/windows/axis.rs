//! The arithmetic of windows along one dimension.

/// The windows along one spatial dimension. Sizes are in elements of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Elements of one window.
    pub kernel: u64,
    /// Elements from one window to the next.
    pub stride: u64,
    /// Elements from one element of a window to the next.
    pub dilation: u64,
    /// Elements of padding before the input, and again after it.
    pub pad: u64,
    /// The input with its padding, if the operation states it.
    pub total: Option<u64>,
}

/// The origins of the elements that no window needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Absorbed {
    /// All elements that no window needs, including elements of the input itself.
    pub unneeded: u64,
    /// The ones that are padding before the input.
    pub from_front: u64,
    /// The ones that are padding after the input.
    pub from_back: u64,
}

impl Axis {
    /// Whether the window has more than one element; a window of one element needs no description.
    pub const fn is_window(&self) -> bool {
        self.kernel > 1
    }

    /// How far one window reaches: `dilation * (kernel - 1) + 1`.
    pub fn reach(&self) -> Option<u64> {
        self.dilation
            .checked_mul(self.kernel.checked_sub(1)?)?
            .checked_add(1)
    }

    /// The elements that `outputs` windows read: `(outputs - 1) * stride + reach`, which without dilation is the
    /// `totalSize_` of section 4.11.
    pub fn span(&self, outputs: u64) -> Option<u64> {
        let steps = outputs.checked_sub(1)?;
        steps.checked_mul(self.stride)?.checked_add(self.reach()?)
    }

    /// How many windows `total` elements have room for.
    pub fn outputs(&self, total: u64) -> Option<u64> {
        let room = total.checked_sub(self.reach()?)?;
        room.checked_div(self.stride)?.checked_add(1)
    }

    /// Charges the elements of `total` that `outputs` windows do not need to the padding after the input, then to
    /// the input, then to the padding before it (reference generator, August 2026).
    pub fn absorb(&self, total: u64, outputs: u64) -> Option<Absorbed> {
        let unneeded = total.checked_sub(self.span(outputs)?)?;
        let valid = total.checked_sub(self.pad.checked_mul(2)?)?;
        let from_back = unneeded.min(self.pad);
        // The padding before the input is charged only for elements that the input does not have.
        let from_front = (unneeded - from_back).saturating_sub(valid).min(self.pad);
        Some(Absorbed {
            unneeded,
            from_front,
            from_back,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn axis(kernel: u64, stride: u64, pad: u64) -> Axis {
        Axis {
            kernel,
            stride,
            dilation: 1,
            pad,
            total: None,
        }
    }

    /// The worked examples of the published description of `paddingSizes_`: valid, pad, k, s, then out, allocated,
    /// consumed, and the three counters.
    #[test]
    fn published_examples() {
        for (valid, pad, k, s, out, allocated, consumed, all, front, back) in [
            (128, 1, 3, 1, 128, 130, 130, 0, 0, 0),
            (128, 1, 3, 2, 64, 130, 129, 1, 0, 1),
            (8, 1, 3, 3, 3, 10, 9, 1, 0, 1),
            (7, 0, 2, 2, 3, 7, 6, 1, 0, 0),
            (8, 0, 4, 6, 1, 8, 4, 4, 0, 0),
        ] {
            let axis = axis(k, s, pad);
            assert_eq!(valid + 2 * pad, allocated);
            assert_eq!(axis.outputs(allocated), Some(out), "{axis:?}");
            assert_eq!(axis.span(out), Some(consumed), "{axis:?}");
            let expected = Absorbed {
                unneeded: all,
                from_front: front,
                from_back: back,
            };
            assert_eq!(axis.absorb(allocated, out), Some(expected), "{axis:?}");
        }
    }

    #[test]
    fn padding_before_the_input_goes_last() {
        // One element between paddings of 3 and one window of one element leave 6 elements without a window: 3 after
        // the input, the input, and 2 before it.
        let absorbed = axis(1, 1, 3).absorb(7, 1);
        let expected = Absorbed {
            unneeded: 6,
            from_front: 2,
            from_back: 3,
        };
        assert_eq!(absorbed, Some(expected));
    }

    #[test]
    fn dilated_windows_reach_further() {
        let dilated = Axis {
            dilation: 2,
            ..axis(3, 2, 0)
        };
        assert_eq!(dilated.reach(), Some(5));
        assert_eq!(dilated.span(4), Some(11));
        assert_eq!(dilated.outputs(12), Some(4));
    }

    proptest! {
        #[test]
        fn windows_fit_and_one_more_would_not(
            kernel in 1..9_u64, stride in 1..9_u64, dilation in 1..5_u64, pad in 0..4_u64, valid in 1..60_u64,
        ) {
            let axis = Axis { dilation, ..axis(kernel, stride, pad) };
            let total = valid + 2 * pad;
            let Some(outputs) = axis.outputs(total) else {
                prop_assert!(axis.reach().is_some_and(|reach| reach > total));
                return Ok(());
            };
            prop_assert!(axis.span(outputs).is_some_and(|span| span <= total));
            prop_assert!(axis.span(outputs + 1).is_some_and(|span| span > total));
            let absorbed = axis.absorb(total, outputs).unwrap_or_default();
            prop_assert_eq!(absorbed.unneeded, total - axis.span(outputs).unwrap_or(0));
            prop_assert!(absorbed.unneeded < stride);
            prop_assert!(absorbed.from_front <= pad && absorbed.from_back <= pad);
            prop_assert!(absorbed.unneeded >= absorbed.from_front + absorbed.from_back);
            // All unneeded elements are padding if, and only if, the padding after the input has as many elements.
            if absorbed.unneeded <= pad {
                prop_assert_eq!(absorbed.from_back, absorbed.unneeded);
            }
        }

        #[test]
        fn nothing_overflows(kernel: u64, stride: u64, dilation: u64, pad: u64, total: u64, outputs: u64) {
            let axis = Axis { kernel, stride, dilation, pad, total: None };
            let _ = (axis.reach(), axis.span(outputs), axis.outputs(total), axis.absorb(total, outputs));
        }
    }
}

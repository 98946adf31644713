//! Broadcasts: a dimension of extent 1 is repeated to a larger extent.

use crate::{
    layout::Layout,
    units::Elements,
    view::{
        ViewError,
        slice::check_dims,
        slots::{Slot, Slots},
    },
};

impl Layout {
    /// The layout of a tensor in which each of `dims`, of extent 1 in `shape`, repeats its only
    /// position, as `torch.expand` does.
    ///
    /// The device coordinates of these dimensions become constantly zero and *expanded*: their entries in the stride
    /// map are 0 (middle-end specification, section 2.1). Since all positions then share one address, [`Layout::place`]
    /// takes the result with extent 1 only; a [`View`](crate::View) takes any.
    ///
    /// # Errors
    /// The layout does not fit `shape`, or a dimension does not exist or has another extent.
    pub fn broadcast(
        &self,
        shape: &[u64],
        dims: &[usize],
        elements_per_stick: Elements,
    ) -> Result<Self, ViewError> {
        check_dims(dims, self.rank())?;
        let slots = Slots::new(self, shape, elements_per_stick)?;
        for &dim in dims {
            let extent = shape[dim];
            if extent != 1 {
                let action = "broadcast";
                return Err(ViewError::NotUnit {
                    dim,
                    extent,
                    action,
                });
            }
        }
        let repeats = |slot: Slot| slot.coord.host_dim().is_some_and(|dim| dims.contains(&dim));
        let slots = slots.rewrite(|_, slot| {
            Ok(vec![if repeats(slot) {
                Slot {
                    expanded: true,
                    ..slot.zero()
                }
            } else {
                slot
            }])
        })?;
        slots.into_layout(self, shape, elements_per_stick)
    }
}

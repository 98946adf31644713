//! Checks that loops can visit the windows of a tensor.
//!
//! A window is whole sticks, and the windows of a loop are a constant distance apart in device memory. Both follow from
//! the layout of the whole tensor. A tensor with an open layout is not checked.

use spyre_layout::{DeviceTensor, Elements, WindowError};

use crate::coarse_tile::plan::region::Axis;

/// A dimension of a tensor that loops cannot visit in these tiles.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadWindow {
    /// The dimension of the tensor.
    pub(crate) dim: usize,
    /// The extent of the tiles along it, in elements.
    pub(crate) tile: u64,
    /// The reason.
    pub(crate) reason: WindowError,
}

/// Checks that the windows of a tensor are whole sticks and a constant distance apart.
///
/// # Errors
/// The first dimension where they are not.
pub(crate) fn check_windows(tensor: &DeviceTensor, region: &[Axis]) -> Result<(), BadWindow> {
    for (dim, (axis, extent)) in region.iter().zip(tensor.shape()).enumerate() {
        let mut span = axis.whole;
        // Where steps do not divide the extent, tiles start at any multiple of the step, so the whole tensor must allow the step.
        let mut divides = true;
        for (_, tile) in &axis.movement {
            divides &= span.is_multiple_of(*tile);
            let within = if divides { span } else { *extent };
            tensor
                .level_step(dim, Elements(*tile), Elements(within))
                .map_err(|reason| BadWindow {
                    dim,
                    tile: *tile,
                    reason,
                })?;
            span = *tile;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use spyre_layout::{DeviceFormat, DimOrder, Layout};

    use super::*;
    use crate::coarse_tile::ids::{Id, LevelId};

    fn check(tiles: &[u64]) -> Result<(), (usize, u64)> {
        let format = DeviceFormat::Sen169Fp16;
        let layout = Layout::default_for(&DimOrder::host(2), format.elements_per_stick());
        let tensor = layout.unwrap().place(&[64, 512], format).unwrap();
        let axis = |whole, tiles: &[u64]| Axis {
            movement: tiles
                .iter()
                .enumerate()
                .map(|(level, tile)| (LevelId::new(level), *tile))
                .collect(),
            whole,
            dynamic: None,
        };
        let region = [axis(64, &[]), axis(512, tiles)];
        check_windows(&tensor, &region).map_err(|bad| (bad.dim, bad.tile))
    }

    #[test]
    fn windows_are_whole_sticks() {
        assert_eq!(check(&[128]), Ok(()));
        assert_eq!(check(&[128, 64]), Ok(()));
        assert_eq!(check(&[128, 32]), Err((1, 32)));
    }
}

//! Device coordinates with their sizes, while a view rewrites them.

use crate::{
    coord::Coord,
    error::PlaceError,
    layout::{Digit, Layout, digits_of},
    units::Elements,
    view::ViewError,
};

/// One device coordinate and the size it has in the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) coord: Coord,
    pub(super) size: u64,
    /// Whether it repeats the same values; only a coordinate that is zero does.
    pub(super) expanded: bool,
    /// The host dimension that it was a digit of before the view.
    pub(super) origin: Option<usize>,
}

impl Slot {
    /// A slot of the same size that no dimension runs along.
    pub(super) fn zero(self) -> Self {
        Self {
            coord: Coord::Zero,
            ..self
        }
    }
}

/// All device coordinates of a layout for one shape, outermost first.
///
/// The product of the sizes is the size of the buffer. Rewriting keeps it, and the device stride of
/// every digit: that is why addresses stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Slots {
    pub(super) list: Vec<Slot>,
    /// The number at the end that lie inside the stick.
    stick_coords: usize,
}

impl Slots {
    pub(super) fn new(
        layout: &Layout,
        shape: &[u64],
        elements_per_stick: Elements,
    ) -> Result<Self, PlaceError> {
        let sizes = layout.device_size(shape, elements_per_stick)?;
        let slot = |(at, (&coord, size)): (usize, (&Coord, u64))| Slot {
            coord,
            size,
            expanded: layout.expanded().contains(&at),
            origin: coord.host_dim(),
        };
        Ok(Self {
            list: layout
                .coords()
                .iter()
                .zip(sizes)
                .enumerate()
                .map(slot)
                .collect(),
            stick_coords: layout.arrangement().stick_coords(),
        })
    }

    /// Returns whether the coordinate at `at` lies inside the stick.
    pub(super) fn in_stick(&self, at: usize) -> bool {
        at + self.stick_coords >= self.list.len()
    }

    /// The digits of host dimension `dim`, lowest first.
    pub(super) fn digits_of(&self, dim: usize) -> Vec<Digit> {
        let coords = self.list.iter().map(|slot| slot.coord);
        digits_of(coords, dim)
    }

    /// Replaces each slot by the slots that `rewrite` returns, outermost first.
    pub(super) fn rewrite(
        &self,
        mut rewrite: impl FnMut(usize, Slot) -> Result<Vec<Slot>, ViewError>,
    ) -> Result<Self, ViewError> {
        let mut list = Vec::with_capacity(self.list.len());
        for (at, &slot) in self.list.iter().enumerate() {
            list.extend(rewrite(at, slot)?);
        }
        Ok(Self { list, ..*self })
    }

    /// The same places in as few coordinates as possible: padding joins the coordinate inside it,
    /// and digits that continue each other in memory become one.
    pub(super) fn simplified(&self, shape: &[u64]) -> Self {
        let mut list: Vec<Slot> = Vec::with_capacity(self.list.len());
        for (at, &slot) in self.list.iter().enumerate() {
            let mut slot = slot;
            if let Coord::Digit { dim, divisor, .. } = slot.coord
                && divisor >= shape[dim]
            {
                slot = slot.zero();
            }
            if !self.in_stick(at) {
                while let Some(&outer) = list.last()
                    && outer.coord == Coord::Zero
                    && !outer.expanded
                    && let Some(size) = outer.size.checked_mul(slot.size)
                {
                    slot.size = size;
                    list.pop();
                }
            }
            list.push(slot);
        }
        let mut slots = Self { list, ..*self };
        slots.join(|_, _| true);
        slots
    }

    /// Joins neighbours that are digits of one dimension and continue each other in memory, where
    /// `wanted` (outer, inner) is true. Sticks stay as they are.
    pub(super) fn join(&mut self, wanted: impl Fn(Slot, Slot) -> bool) {
        let body = self.list.len() - self.stick_coords;
        let stick = self.list.split_off(body);
        let mut joined: Vec<Slot> = Vec::with_capacity(body);
        for &inner in &self.list {
            match joined.last_mut() {
                Some(outer) if wanted(*outer, inner) => match join(*outer, inner) {
                    Some(both) => *outer = both,
                    None => joined.push(inner),
                },
                _ => joined.push(inner),
            }
        }
        joined.extend(stick);
        self.list = joined;
    }

    /// The layout with these coordinates, for a tensor of the given shape. It states its device
    /// size where that does not follow from the shape.
    pub(super) fn into_layout(
        self,
        source: &Layout,
        shape: &[u64],
        elements_per_stick: Elements,
    ) -> Result<Layout, ViewError> {
        let coords = self.list.iter().map(|slot| slot.coord).collect();
        let sizes: Vec<u64> = self.list.iter().map(|slot| slot.size).collect();
        let expanded = (0..)
            .zip(&self.list)
            .filter(|(_, slot)| slot.expanded)
            .map(|(at, _)| at)
            .collect();
        let layout = source
            .without_expanded()
            .with_coords(shape.len(), coords, None)?
            .with_expanded(expanded)?;
        if layout
            .device_size(shape, elements_per_stick)
            .is_ok_and(|derived| derived == sizes)
        {
            return Ok(layout);
        }
        let layout = layout.with_device_size(sizes)?;
        layout.check(shape, elements_per_stick)?;
        Ok(layout)
    }
}

/// `outer` and `inner` as one coordinate, if they are digits of one dimension and the inner one is
/// full, so that they continue each other in memory.
fn join(outer: Slot, inner: Slot) -> Option<Slot> {
    let (
        Coord::Digit {
            dim,
            divisor: high,
            modulus,
        },
        Coord::Digit {
            dim: inner_dim,
            divisor,
            modulus: Some(full),
        },
    ) = (outer.coord, inner.coord)
    else {
        return None;
    };
    if dim != inner_dim || divisor.checked_mul(full) != Some(high) || inner.size != full {
        return None;
    }
    let modulus = match modulus {
        Some(modulus) => Some(modulus.checked_mul(full)?),
        None => None,
    };
    Some(Slot {
        coord: Coord::Digit {
            dim,
            divisor,
            modulus,
        },
        size: outer.size.checked_mul(inner.size)?,
        ..outer
    })
}

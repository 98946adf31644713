//! Reshapes: dimensions are split into several, and several dimensions are merged.

use crate::{
    coord::Coord,
    layout::{Digit, Layout},
    units::Elements,
    view::{
        ViewError,
        slots::{Slot, Slots},
    },
};

impl Layout {
    /// The layout of a tensor with dimensions cut into several, as `tensor.expand_shape` does: `groups[i]` lists the
    /// dimensions of the result that dimension `i` becomes, outermost first.
    ///
    /// `shape` is the shape of this tensor and `elements_per_stick` belongs to its format, as for
    /// [`Layout::check`]. A device coordinate that the cut goes through becomes two, one right after
    /// the other, so that memory is unchanged. Where the device size does not follow from the new
    /// shape, the result states it.
    ///
    /// # Errors
    /// The groups or shapes do not match, the layout does not fit `shape`, or the cut goes through a
    /// stick, a block or the padding of a device dimension.
    pub fn expand_shape(
        &self,
        shape: &[u64],
        groups: &[Vec<usize>],
        result_shape: &[u64],
        elements_per_stick: Elements,
    ) -> Result<Self, ViewError> {
        check_groups(shape, groups, result_shape)?;
        let groups: Vec<Group> = (0..)
            .zip(groups)
            .map(|(dim, parts)| Group::new(&[dim], shape, parts, result_shape))
            .collect::<Result<_, _>>()?;
        let slots = Slots::new(self, shape, elements_per_stick)?;
        let finish = |slots: Slots| slots.into_layout(self, result_shape, elements_per_stick);
        regroup(&slots, shape, &groups, finish)
    }

    /// The layout of a tensor of which several dimensions are taken as one, as
    /// `tensor.collapse_shape` does: `groups[i]` lists the dimensions of this tensor that dimension
    /// `i` of the result consists of, outermost first.
    ///
    /// `shape` is the shape of this tensor and `elements_per_stick` belongs to its format, as for
    /// [`Layout::check`]. Digits of different dimensions stay apart unless they continue each other
    /// in memory. Where the device size does not follow from the new shape, the result states it.
    ///
    /// # Errors
    /// The groups or shapes do not match, the layout does not fit `shape`, or a dimension ends
    /// inside a block of the layout. `[4, 100]` with `d1` on sticks of 64 has none: `d1` breaks
    /// after 64 and after 100, and no single dimension breaks like that.
    pub fn collapse_shape(
        &self,
        shape: &[u64],
        groups: &[Vec<usize>],
        result_shape: &[u64],
        elements_per_stick: Elements,
    ) -> Result<Self, ViewError> {
        check_groups(result_shape, groups, shape)?;
        let groups: Vec<Group> = (0..)
            .zip(groups)
            .map(|(dim, parts)| Group::new(parts, shape, &[dim], result_shape))
            .collect::<Result<_, _>>()?;
        let slots = Slots::new(self, shape, elements_per_stick)?;
        let finish = |mut slots: Slots| {
            slots.join(|outer, inner| outer.origin != inner.origin);
            slots.into_layout(self, result_shape, elements_per_stick)
        };
        regroup(&slots, shape, &groups, finish)
    }
}

/// Checks that each dimension of `collapsed` is the product of the next few of `expanded`.
pub(super) fn check_groups(
    collapsed: &[u64],
    groups: &[Vec<usize>],
    expanded: &[u64],
) -> Result<(), ViewError> {
    let rank = expanded.len();
    let listed = groups.iter().flatten().copied();
    // Without groups all dimensions are of extent 1 and vanish, as for `tensor<1x1xf16>` to rank 0.
    let none = groups.is_empty() && expanded.iter().all(|&extent| extent == 1);
    if !none && !listed.eq(0..rank) {
        return Err(ViewError::Reassociation {
            groups: groups.to_vec(),
            rank,
        });
    }
    if groups.len() != collapsed.len() {
        return Err(ViewError::GroupCount {
            actual: groups.len(),
            expected: collapsed.len(),
        });
    }
    for (dim, (&extent, group)) in collapsed.iter().zip(groups).enumerate() {
        let parts: Vec<u64> = group.iter().map(|&part| expanded[part]).collect();
        if positions(&parts)? != extent {
            return Err(ViewError::GroupExtent { dim, extent, parts });
        }
    }
    Ok(())
}

fn positions(shape: &[u64]) -> Result<u64, ViewError> {
    shape
        .iter()
        .try_fold(1u64, |product, &extent| product.checked_mul(extent))
        .ok_or_else(|| ViewError::TooLarge {
            shape: shape.to_vec(),
        })
}

/// Rewrites every group. If that fails, rewrites the groups of the simplest form of the same coordinates; if that fails
/// too, the error is the first one.
fn regroup(
    slots: &Slots,
    shape: &[u64],
    groups: &[Group],
    finish: impl Fn(Slots) -> Result<Layout, ViewError>,
) -> Result<Layout, ViewError> {
    let attempt = |slots: &Slots| finish(regrouped(slots, groups)?);
    attempt(slots).or_else(|error| attempt(&slots.simplified(shape)).map_err(|_| error))
}

fn regrouped(slots: &Slots, groups: &[Group]) -> Result<Slots, ViewError> {
    let mut pieces: Vec<Vec<Slot>> = slots.list.iter().map(|slot| vec![slot.zero()]).collect();
    for group in groups {
        for (at, rewritten) in group.rewrite(slots)? {
            pieces[at] = rewritten;
        }
    }
    slots.rewrite(|at, _| Ok(pieces[at].clone()))
}

/// A dimension that moves, with its stride among the positions of its group.
#[derive(Clone, Copy, Debug)]
struct Factor {
    dim: usize,
    extent: u64,
    stride: u64,
}

impl Factor {
    /// Returns where the next higher dimension of the group starts.
    fn end(self) -> u64 {
        // Not above the number of positions of the group.
        self.extent * self.stride
    }
}

/// Source dimensions and the result dimensions that they are reshaped to: both number the same positions, in row-major
/// order.
///
/// The coordinates of the source and those of the result are digits of the position, in two mixed radix systems. The
/// device coordinates of a layout are digits of the source coordinates, so of the position as well. The reshaped layout
/// exists if each of them is also a digit of one result coordinate.
struct Group {
    source: Vec<usize>,
    result: Vec<usize>,
    /// The dimensions of extent above 1, innermost first.
    from: Vec<Factor>,
    to: Vec<Factor>,
    positions: u64,
}

/// A device coordinate as a digit of the positions of a group: it counts from `low` to `high`.
#[derive(Clone, Copy, Debug)]
struct Block {
    at: usize,
    slot: Slot,
    /// The source dimension, for errors.
    dim: usize,
    low: u64,
    high: u64,
    /// For the highest block only: the modulus that it has in the source, which may be more than it
    /// counts to.
    open: Option<Option<u64>>,
}

impl Group {
    fn new(
        source: &[usize],
        shape: &[u64],
        result: &[usize],
        result_shape: &[u64],
    ) -> Result<Self, ViewError> {
        let factors = |dims: &[usize], shape: &[u64]| -> Result<(Vec<Factor>, u64), ViewError> {
            let mut stride = 1u64;
            let mut factors = Vec::new();
            for &dim in dims.iter().rev() {
                let extent = shape[dim];
                if extent > 1 {
                    factors.push(Factor {
                        dim,
                        extent,
                        stride,
                    });
                }
                stride = stride
                    .checked_mul(extent)
                    .ok_or_else(|| ViewError::TooLarge {
                        shape: shape.to_vec(),
                    })?;
            }
            Ok((factors, stride))
        };
        let (from, positions) = factors(source, shape)?;
        let (to, _) = factors(result, result_shape)?;
        Ok(Self {
            source: source.to_vec(),
            result: result.to_vec(),
            from,
            to,
            positions,
        })
    }

    /// Returns the slots that replace each coordinate that is a digit of this group.
    fn rewrite(&self, slots: &Slots) -> Result<Vec<(usize, Vec<Slot>)>, ViewError> {
        if self.positions == 1 {
            return Ok(self.rewrite_unit(slots));
        }
        let (blocks, above) = self.blocks(slots)?;
        let mut rewritten = Vec::with_capacity(blocks.len());
        let mut reached = None;
        for block in blocks {
            let pieces = self.split(slots, block)?;
            if block.open.is_some() {
                // Where the highest digit would be followed by the next one, if it is bounded. No position is beyond 64
                // bits.
                reached = match pieces[0].coord {
                    Coord::Digit {
                        divisor,
                        modulus: Some(modulus),
                        ..
                    } => divisor.checked_mul(modulus),
                    _ => None,
                };
            }
            rewritten.push((block.at, pieces));
        }
        // Digits above the extent are always zero. They stay digits where the chain continues, as the count of sticks
        // of a dimension that fits in one stick does.
        let top = self.to.last();
        for Block {
            at,
            slot,
            low,
            open,
            ..
        } in above
        {
            let divisor = top
                .and_then(|top| Some(low / top.stride).filter(|_| low.is_multiple_of(top.stride)));
            let modulus = open.flatten();
            let coord = match (top, divisor) {
                (Some(top), Some(divisor)) if Some(divisor) == reached => {
                    reached = modulus.and_then(|modulus| divisor.checked_mul(modulus));
                    Coord::Digit {
                        dim: top.dim,
                        divisor,
                        modulus,
                    }
                }
                _ => {
                    reached = None;
                    Coord::Zero
                }
            };
            rewritten.push((at, vec![Slot { coord, ..slot }]));
        }
        Ok(rewritten)
    }

    /// With a single position all digits are zero. The digits of the last dimension that has any stay with the last
    /// dimension of the result, so that a stick keeps its dimension.
    fn rewrite_unit(&self, slots: &Slots) -> Vec<(usize, Vec<Slot>)> {
        let has_digits = |dim: &usize| {
            slots
                .list
                .iter()
                .any(|slot| slot.coord.host_dim() == Some(*dim))
        };
        let source = self.source.iter().rev().copied().find(has_digits);
        let (Some(source), Some(&result)) = (source, self.result.last()) else {
            return Vec::new();
        };
        let kept = |(at, slot): (usize, &Slot)| {
            (slot.coord.host_dim() == Some(source)).then(|| {
                let coord = slot.coord.with_dims(|_| Some(result));
                (at, vec![Slot { coord, ..*slot }])
            })
        };
        slots.list.iter().enumerate().filter_map(kept).collect()
    }

    /// Returns the digits of the group with several values, lowest first, and the digits above the extent of the
    /// highest dimension.
    fn blocks(&self, slots: &Slots) -> Result<(Vec<Block>, Vec<Block>), ViewError> {
        let mut blocks = Vec::new();
        let mut above = Vec::new();
        for (nth, factor) in self.from.iter().enumerate() {
            let is_top = nth + 1 == self.from.len();
            for digit in slots.digits_of(factor.dim) {
                let Digit {
                    coord: at,
                    divisor,
                    modulus,
                } = digit;
                let slot = slots.list[at];
                let counts = divisor < factor.extent;
                // Digits that count stay below the number of positions; the others are zero wherever they start.
                let low = divisor.saturating_mul(factor.stride);
                let end = modulus
                    .and_then(|modulus| divisor.checked_mul(modulus))
                    .filter(|&end| end < factor.extent);
                let high = end.unwrap_or(factor.extent) * factor.stride;
                let open = (is_top && end.is_none()).then_some(modulus);
                let dim = factor.dim;
                let block = Block {
                    at,
                    slot,
                    dim,
                    low,
                    high,
                    open,
                };
                if !counts {
                    // `above` has digits of the highest dimension only, where `open` is set.
                    above.extend(Some(block).filter(|_| is_top));
                } else if !is_top && end.is_none() && !factor.extent.is_multiple_of(divisor) {
                    return Err(ViewError::EndsInsideBlock {
                        dim,
                        block: Elements(divisor),
                        extent: Elements(factor.extent),
                    });
                } else {
                    blocks.push(block);
                }
            }
        }
        Ok((blocks, above))
    }

    /// Returns one block as digits of the dimensions of the result, outermost first.
    fn split(&self, slots: &Slots, block: Block) -> Result<Vec<Slot>, ViewError> {
        let Block {
            at,
            slot,
            dim,
            low,
            high,
            open,
        } = block;
        let cuts = self.to.iter().map(|factor| factor.stride);
        let cuts: Vec<u64> = cuts.filter(|&cut| low < cut && cut < high).collect();
        let inner = inner_positions(slots, &block, &cuts)?;

        let starts = std::iter::once(low).chain(cuts.iter().copied());
        let ends = cuts.iter().copied().chain(std::iter::once(high));
        let mut pieces = Vec::with_capacity(cuts.len() + 1);
        for (start, end) in starts.zip(ends) {
            let holds = |factor: &&Factor| factor.stride <= start && start < factor.end();
            let factor = self.to.iter().find(holds);
            let factor = factor.expect("the dimensions of the result have all positions");
            // The block below ends where this one starts, and ends at a multiple, which has been checked.
            if !start.is_multiple_of(factor.stride) {
                return Err(disagree(dim, start, factor.stride));
            }
            let values = end / start;
            let (is_highest, is_last) = (end == high, end >= factor.end());
            let size = if is_highest {
                slot.size / inner
            } else {
                values
            };
            let modulus = match open {
                Some(modulus) if is_highest => modulus
                    .filter(|modulus| modulus.is_multiple_of(inner))
                    .map(|modulus| modulus / inner)
                    .filter(|&modulus| modulus > 1),
                _ if !is_last => Some(values),
                // The stick keeps its length.
                _ if slots.in_stick(at) => Some(size).filter(|&size| size > 1),
                _ => None,
            };
            let coord = Coord::Digit {
                dim: factor.dim,
                divisor: start / factor.stride,
                modulus,
            };
            pieces.push(Slot {
                coord,
                size,
                expanded: false,
                origin: slot.origin,
            });
        }
        pieces.reverse();
        Ok(pieces)
    }
}

fn disagree(dim: usize, block: u64, unit: u64) -> ViewError {
    ViewError::BreaksDisagree {
        dim,
        block: Elements(block),
        unit: Elements(unit),
    }
}

/// Returns how many positions the pieces of a block but the outermost have together. `cuts` are the ends of these
/// pieces.
fn inner_positions(slots: &Slots, block: &Block, cuts: &[u64]) -> Result<u64, ViewError> {
    let Block {
        at,
        slot,
        dim,
        low,
        high,
        ..
    } = *block;
    if let Some(&cut) = cuts.first() {
        if slots.in_stick(at) {
            return Err(ViewError::SplitsStick {
                dim,
                unit: Elements(cut),
                elements_per_stick: Elements(slot.size),
            });
        }
        if !cut.is_multiple_of(low) {
            return Err(disagree(dim, low, cut));
        }
    }
    if let Some(&cut) = cuts.last()
        && !high.is_multiple_of(cut)
    {
        return Err(disagree(dim, high, cut));
    }
    // The number of positions that the inner pieces have together.
    let inner = cuts.last().map_or(1, |&cut| cut / low);
    if !slot.size.is_multiple_of(inner) {
        return Err(ViewError::SplitsPadding {
            coord: at,
            size: slot.size,
            part: inner,
        });
    }
    Ok(inner)
}

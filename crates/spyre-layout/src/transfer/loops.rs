//! Nests as they are executed: in bytes, with few loops, in an order that is kind to caches.

use crate::{transfer::nest::Nest, units::Bytes};

/// The side of a transfer that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    ToDevice,
    ToHost,
}

/// A place in each buffer, or a distance in each, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) host: usize,
    pub(super) device: usize,
}

impl Place {
    const ORIGIN: Self = Self { host: 0, device: 0 };

    /// The place `count` steps on. Inside the buffers, so it fits.
    pub(super) fn after(self, count: usize, step: Self) -> Self {
        Self {
            host: self.host + count * step.host,
            device: self.device + count * step.device,
        }
    }
}

/// One loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Loop {
    pub(super) extent: usize,
    pub(super) step: Place,
}

/// Perfectly nested loops over elements. All places are inside of the buffers, which has been checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Loops {
    /// Outermost first.
    pub(super) outer: Vec<Loop>,
    /// The innermost loop.
    pub(super) run: Loop,
    /// The place of the first element.
    pub(super) start: Place,
}

/// Bytes that an element takes on each side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Widths {
    pub(super) host: Bytes,
    pub(super) device: Bytes,
}

impl Widths {
    /// Returns element counts on each side as bytes. They are inside of buffers.
    fn place(self, host: u64, device: u64) -> Place {
        let bytes = |elements: u64, width: Bytes| {
            let bytes = width.checked_mul(elements).map(Bytes::get);
            let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok());
            bytes.expect("a loop that steps stays inside of buffers")
        };
        Place {
            host: bytes(host, self.host),
            device: bytes(device, self.device),
        }
    }
}

/// Iterations of a loop that are done together, so that cache lines which they share are still there.
const BLOCK: usize = 32;

impl Loops {
    /// Returns the loops of a nest. To the host, loops that repeat a host element are left out: the first copy
    /// is the one that has an address.
    pub(super) fn from_nest(nest: &Nest, widths: Widths, direction: Direction) -> Vec<Self> {
        let start = widths.place(nest.host_offset().get(), nest.device_offset().get());
        let mut loops = merged(nest, widths, direction);
        let Some((inner, outer)) = loops.split_last() else {
            let run = Loop {
                extent: 1,
                step: widths.place(1, 1),
            };
            let outer = Vec::new();
            return vec![Self { outer, run, start }];
        };
        // The loop that goes through host memory in order, or nearly so.
        let moving = outer.iter().enumerate().filter(|(_, it)| it.step.host > 0);
        let nearest = moving.min_by_key(|(_, it)| it.step.host);
        let Some((nearest, finest)) = nearest.map(|(at, it)| (at, *it)) else {
            return vec![Self::from_loops(loops, start)];
        };
        // Blocks of `cut` go around the loops from `nearest` on, and the inside of a block to `inside`.
        let (cut, inside) = if finest.step.host < inner.step.host {
            // Device memory runs across host memory: the run follows the host within a block.
            (nearest, loops.len())
        } else {
            // Both loops go in the same direction, and the next element on the host is not the next one on the device.
            (outer.len() - 1, outer.len())
        };
        let trivial = inside == outer.len() && cut == nearest;
        let whole = loops[cut].extent / BLOCK;
        if trivial || whole == 0 {
            return vec![Self::from_loops(loops, start)];
        }
        let Loop { extent, step } = loops.remove(cut);
        let blocks = Loop {
            extent: whole,
            step: Place::ORIGIN.after(BLOCK, step),
        };
        let parts = [
            (blocks.extent, BLOCK, start),
            (1, extent % BLOCK, start.after(whole, blocks.step)),
        ];
        let part = |(count, extent, start): (usize, usize, Place)| {
            if extent == 0 {
                return None;
            }
            let mut loops = loops.clone();
            loops.insert(inside - 1, Loop { extent, step });
            let step = blocks.step;
            loops.insert(
                nearest,
                Loop {
                    extent: count,
                    step,
                },
            );
            Some(Self::from_loops(loops, start))
        };
        parts.into_iter().filter_map(part).collect()
    }

    fn from_loops(mut loops: Vec<Loop>, start: Place) -> Self {
        let run = loops.pop().expect("there is an innermost loop");
        Self {
            outer: loops,
            run,
            start,
        }
    }
}

/// Returns the loops of a nest, outermost first, without loops of one iteration. A loop that continues where
/// the loop inside it ends is merged with it.
fn merged(nest: &Nest, widths: Widths, direction: Direction) -> Vec<Loop> {
    let strides = nest.host_strides().iter().zip(nest.device_strides());
    let mut loops: Vec<Loop> = Vec::new();
    for (&extent, (&host, &device)) in nest.extents().iter().zip(strides).rev() {
        let repeats = host == 0 && direction == Direction::ToHost;
        if extent <= 1 || repeats {
            continue;
        }
        let extent = usize::try_from(extent).expect("buffers have room for every iteration");
        let step = widths.place(host, device);
        match loops.last_mut() {
            Some(inner) if step == Place::ORIGIN.after(inner.extent, inner.step) => {
                inner.extent *= extent;
            }
            _ => loops.push(Loop { extent, step }),
        }
    }
    loops.reverse();
    loops
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DeviceFormat, DimOrder, Elements, HostTensor, HostType, Layout, Transfer};

    fn loops(shape: &[u64], order: &[i64]) -> Vec<Loops> {
        let format = DeviceFormat::IeeeInt32;
        let order = DimOrder::from_indices(order).unwrap();
        let layout = Layout::default_for(&order, Elements(32)).unwrap();
        let host = HostTensor::contiguous(HostType::I32, shape.to_vec()).unwrap();
        let transfer = Transfer::new(&host, &layout.place(shape, format).unwrap()).unwrap();
        let [nest] = transfer.nests() else {
            panic!("{shape:?} is ragged")
        };
        let width = Bytes(4);
        let widths = Widths {
            host: width,
            device: width,
        };
        Loops::from_nest(nest, widths, Direction::ToDevice)
    }

    /// Extent, host step and device step of each loop, and where the first element is.
    type Parts = (Vec<(usize, usize, usize)>, (usize, usize));

    fn parts(loops: &Loops) -> Parts {
        let all = loops.outer.iter().chain([&loops.run]);
        let all = all.map(|it| (it.extent, it.step.host, it.step.device));
        (all.collect(), (loops.start.host, loops.start.device))
    }

    #[test]
    fn loops_that_continue_each_other_are_merged() {
        let all = loops(&[1024], &[0]);
        assert_eq!(
            all.iter().map(parts).collect::<Vec<_>>(),
            [(vec![(1024, 4, 4)], (0, 0))]
        );
        // Columns of one stick: rows follow each other on both sides.
        let all = loops(&[100, 32], &[0, 1]);
        assert_eq!(
            all.iter().map(parts).collect::<Vec<_>>(),
            [(vec![(3200, 4, 4)], (0, 0))]
        );
    }

    #[test]
    fn rows_are_done_in_blocks() {
        // Device [4, 70, 32]: in each block of 32 rows, all four sticks of a row come soon after each
        // other; 6 rows are left.
        let all = loops(&[70, 128], &[0, 1]);
        let sticks = (4, 128, 70 * 128);
        let expected = [
            (
                vec![(2, 32 * 512, 32 * 128), sticks, (32, 512, 128), (32, 4, 4)],
                (0, 0),
            ),
            (
                vec![(1, 32 * 512, 32 * 128), sticks, (6, 512, 128), (32, 4, 4)],
                (64 * 512, 64 * 128),
            ),
        ];
        assert_eq!(all.iter().map(parts).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn transposed_tensors_follow_the_host_in_blocks() {
        // Device [2, 70, 32]: a stick is a column of the host, so a block is 32 columns.
        let all = loops(&[64, 70], &[1, 0]);
        let (tiles, stick) = ((2, 32 * 280, 70 * 128), (32, 280, 4));
        let expected = [
            (
                vec![tiles, (2, 32 * 4, 32 * 128), stick, (32, 4, 128)],
                (0, 0),
            ),
            (
                vec![tiles, (1, 32 * 4, 32 * 128), stick, (6, 4, 128)],
                (64 * 4, 64 * 128),
            ),
        ];
        assert_eq!(all.iter().map(parts).collect::<Vec<_>>(), expected);
    }
}

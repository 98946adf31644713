//! Executes nests on bytes.

use crate::{transfer::nest::Nest, units::Bytes};

/// One element of `D` bytes as it is written.
#[derive(Clone, Copy)]
pub(super) struct Cast<const D: usize> {
    bytes: [u8; D],
    fits: bool,
}

impl<const D: usize> Cast<D> {
    /// These bytes; `fits` says whether the target can hold the element.
    pub(super) const fn new(bytes: [u8; D], fits: bool) -> Self {
        Self { bytes, fits }
    }

    /// These bytes, from a conversion to something that holds every element.
    pub(super) const fn exact(bytes: [u8; D]) -> Self {
        Self { bytes, fits: true }
    }
}

/// Which side of a transfer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    ToDevice,
    ToHost,
}

/// A place in the buffer that is read and one in the buffer that is written, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offsets {
    pub(super) source: usize,
    pub(super) target: usize,
}

impl Offsets {
    /// Both offsets `count` steps on. Inside the buffers, so inside 64 bits.
    fn after(self, count: usize, step: Self) -> Self {
        Self {
            source: self.source + count * step.source,
            target: self.target + count * step.target,
        }
    }
}

/// Elements that the target cannot hold.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Misfits {
    /// How many.
    pub(super) count: u64,
    /// Where the first one is, in the order of host memory.
    pub(super) first: Option<Offsets>,
}

/// A nest in bytes, with as few loops as possible.
///
/// All offsets are inside buffers that have been found to be large enough.
#[derive(Clone, Debug)]
pub(super) struct StridedCopy {
    /// Outermost first.
    outer: Vec<Loop>,
    /// The innermost loop.
    run: Loop,
    start: Offsets,
    direction: Direction,
}

/// One loop, which moves by so many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Loop {
    extent: usize,
    step: Offsets,
}

impl StridedCopy {
    /// The copy that a nest describes for elements of the given widths. To the host, loops that
    /// repeat a host element are left out: the first copy is the one that has an address.
    pub(super) fn new(
        nest: &Nest,
        host_width: Bytes,
        device_width: Bytes,
        direction: Direction,
    ) -> Self {
        let offsets = |host: u64, device: u64| {
            // Whatever does not fit is outside every buffer.
            let bytes = |elements: u64, width: Bytes| {
                let bytes = width.checked_mul(elements).map(Bytes::get);
                bytes
                    .and_then(|it| usize::try_from(it).ok())
                    .unwrap_or(usize::MAX)
            };
            let (host, device) = (bytes(host, host_width), bytes(device, device_width));
            match direction {
                Direction::ToDevice => Offsets {
                    source: host,
                    target: device,
                },
                Direction::ToHost => Offsets {
                    source: device,
                    target: host,
                },
            }
        };
        let strides = nest.host_strides().iter().zip(nest.device_strides());
        let mut loops: Vec<Loop> = Vec::new();
        for (&extent, (&host, &device)) in nest.extents().iter().zip(strides).rev() {
            let repeats = host == 0 && direction == Direction::ToHost;
            if extent <= 1 || repeats {
                continue;
            }
            let extent = usize::try_from(extent).unwrap_or(usize::MAX);
            let step = offsets(host, device);
            match loops.last_mut() {
                // This loop goes on where the one inside it ends.
                Some(inner)
                    if step
                        == (Offsets {
                            source: 0,
                            target: 0,
                        })
                        .after(inner.extent, inner.step) =>
                {
                    inner.extent *= extent;
                }
                _ => loops.push(Loop { extent, step }),
            }
        }
        loops.reverse();
        let run = loops.pop().unwrap_or(Loop {
            extent: 1,
            step: offsets(1, 1),
        });
        Self {
            outer: loops,
            run,
            start: offsets(nest.host_offset().get(), nest.device_offset().get()),
            direction,
        }
    }

    /// Runs copies one after the other, converting each element.
    pub(super) fn run_all<const S: usize, const D: usize>(
        copies: &[Self],
        source: &[u8],
        target: &mut [u8],
        cast: impl Fn([u8; S]) -> Cast<D>,
    ) -> Misfits {
        let mut misfits = Misfits::default();
        for copy in copies {
            walk(&copy.outer, copy.start, &mut |at| {
                if copy.run.convert(at, source, target, &cast) {
                    return;
                }
                let (count, first) = copy.run.misfits(at, source, &cast);
                misfits.count += count;
                misfits.first = [misfits.first, first]
                    .into_iter()
                    .flatten()
                    .min_by_key(|at| copy.host_side(*at));
            });
        }
        misfits
    }

    fn host_side(&self, at: Offsets) -> usize {
        match self.direction {
            Direction::ToDevice => at.source,
            Direction::ToHost => at.target,
        }
    }
}

/// Visits every iteration of `loops`.
fn walk(loops: &[Loop], start: Offsets, visit: &mut impl FnMut(Offsets)) {
    let Some((outermost, inner)) = loops.split_first() else {
        return visit(start);
    };
    for iteration in 0..outermost.extent {
        walk(inner, start.after(iteration, outermost.step), visit);
    }
}

impl Loop {
    /// Converts one run of elements. Says whether the target can hold all of them.
    fn convert<const S: usize, const D: usize>(
        self,
        start: Offsets,
        source: &[u8],
        target: &mut [u8],
        cast: &impl Fn([u8; S]) -> Cast<D>,
    ) -> bool {
        let source = source.get(start.source..).unwrap_or_default();
        let target = target.get_mut(start.target..).unwrap_or_default();
        let neighbours = Offsets {
            source: S,
            target: D,
        };
        if self.step == neighbours {
            let (source, _) = source.as_chunks::<S>();
            let (target, _) = target.as_chunks_mut::<D>();
            let source = source.get(..self.extent).unwrap_or_default();
            let target = target.get_mut(..self.extent).unwrap_or_default();
            return convert_neighbours(source, target, cast);
        }
        let mut fits = true;
        for iteration in 0..self.extent {
            let source = source.get(iteration * self.step.source..);
            let target = target.get_mut(iteration * self.step.target..);
            let source = source.and_then(|rest| rest.first_chunk::<S>());
            let target = target.and_then(|rest| rest.first_chunk_mut::<D>());
            if let (Some(source), Some(target)) = (source, target) {
                let cast = cast(*source);
                *target = cast.bytes;
                fits &= cast.fits;
            }
        }
        fits
    }

    /// How many elements of a run the target cannot hold, and where the first one is.
    #[cold]
    fn misfits<const S: usize, const D: usize>(
        self,
        start: Offsets,
        source: &[u8],
        cast: &impl Fn([u8; S]) -> Cast<D>,
    ) -> (u64, Option<Offsets>) {
        let places = (0..self.extent).map(|iteration| start.after(iteration, self.step));
        let mut misfits = places.filter(|at| {
            let rest = source.get(at.source..);
            let element = rest.and_then(|rest| rest.first_chunk::<S>());
            element.is_some_and(|element| !cast(*element).fits)
        });
        let first = misfits.next();
        let others = misfits.fold(0, |count, _| count + 1);
        (others + u64::from(first.is_some()), first)
    }
}

/// Converts one element after the other. Says whether the target can hold all of them.
///
/// On its own, so that compilers see two slices that do not overlap and make vector code.
#[inline(never)]
fn convert_neighbours<const S: usize, const D: usize>(
    source: &[[u8; S]],
    target: &mut [[u8; D]],
    cast: &impl Fn([u8; S]) -> Cast<D>,
) -> bool {
    let mut fits = true;
    for (source, target) in source.iter().zip(target) {
        let cast = cast(*source);
        *target = cast.bytes;
        fits &= cast.fits;
    }
    fits
}

//! Runs loops on buffers, converting each element.

use crate::transfer::loops::{Direction, Loop, Loops, Place};

/// The message for an element out of bounds, which cannot happen: buffers are checked before the copy.
const IS_INSIDE: &str = "the elements of a transfer are inside of its buffers";

/// One element of `D` bytes as it is written.
#[derive(Clone, Copy)]
pub(super) struct Cast<const D: usize> {
    bytes: [u8; D],
    fits: bool,
}

impl<const D: usize> Cast<D> {
    /// The bytes of an element; `fits` is whether the target can hold it.
    #[inline(always)]
    pub(super) const fn new(bytes: [u8; D], fits: bool) -> Self {
        Self { bytes, fits }
    }

    /// The bytes of an element, from a conversion to a format that holds every element.
    #[inline(always)]
    pub(super) const fn exact(bytes: [u8; D]) -> Self {
        Self { bytes, fits: true }
    }
}

/// A conversion of elements of `S` bytes to elements of `D` bytes.
///
/// A type instead of a function value: the loops below are vector code only with `cast` inside them.
pub(super) trait Convert<const S: usize, const D: usize> {
    fn cast(bytes: [u8; S]) -> Cast<D>;
}

/// Elements that the target cannot hold.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Misfits {
    /// The number of such elements.
    pub(super) count: u64,
    /// The place of the first one, in the order of host memory.
    pub(super) first: Option<Place>,
}

/// The loops of a transfer in one direction.
#[derive(Clone, Debug)]
pub(super) struct Copy {
    pub(super) direction: Direction,
    pub(super) loops: Vec<Loops>,
}

impl Copy {
    /// Runs the loops, one nest after the other.
    pub(super) fn run<C: Convert<S, D>, const S: usize, const D: usize>(
        &self,
        source: &[u8],
        target: &mut [u8],
    ) -> Misfits {
        let mut misfits = Misfits::default();
        for Loops { outer, run, start } in &self.loops {
            let step = self.ends(run.step);
            walk(outer, *start, &mut |at| {
                if convert::<C, S, D>(run.extent, self.ends(at), step, source, target) {
                    return;
                }
                let (count, first) = self.misfits_of::<C, S, D>(*run, at, source);
                misfits.count += count;
                let firsts = [misfits.first, first].into_iter().flatten();
                misfits.first = firsts.min_by_key(|at| at.host);
            });
        }
        misfits
    }

    /// Returns a place, or a distance, in the buffer that is read and in the one that is written.
    fn ends(&self, place: Place) -> (usize, usize) {
        match self.direction {
            Direction::ToDevice => (place.host, place.device),
            Direction::ToHost => (place.device, place.host),
        }
    }

    /// Returns how many elements of a run the target cannot hold, and where the first one is.
    #[cold]
    fn misfits_of<C: Convert<S, D>, const S: usize, const D: usize>(
        &self,
        run: Loop,
        start: Place,
        source: &[u8],
    ) -> (u64, Option<Place>) {
        let places = (0..run.extent).map(|iteration| start.after(iteration, run.step));
        let mut misfits = places.filter(|&at| {
            let (at, _) = self.ends(at);
            let element = source[at..].first_chunk::<S>().expect(IS_INSIDE);
            !C::cast(*element).fits
        });
        let first = misfits.next();
        let others = misfits.fold(0, |count, _| count + 1);
        (others + u64::from(first.is_some()), first)
    }
}

/// Visits every iteration of `loops`.
fn walk(loops: &[Loop], start: Place, visit: &mut impl FnMut(Place)) {
    let Some((outermost, inner)) = loops.split_first() else {
        return visit(start);
    };
    for iteration in 0..outermost.extent {
        walk(inner, start.after(iteration, outermost.step), visit);
    }
}

/// Converts `count` elements. Returns whether the target can hold all of them.
///
/// `start` is the position of the first element, and `step` the distance to the next one, in bytes of source and
/// target. All elements are in bounds.
fn convert<C: Convert<S, D>, const S: usize, const D: usize>(
    count: usize,
    start: (usize, usize),
    step: (usize, usize),
    source: &[u8],
    target: &mut [u8],
) -> bool {
    let source = &source[start.0..];
    let target = &mut target[start.1..];
    if step == (S, D) {
        let (source, _) = source.as_chunks::<S>();
        let (target, _) = target.as_chunks_mut::<D>();
        return convert_neighbours::<C, S, D>(&source[..count], &mut target[..count]);
    }
    let mut fits = true;
    for iteration in 0..count {
        let source = source[iteration * step.0..].first_chunk::<S>();
        let target = target[iteration * step.1..].first_chunk_mut::<D>();
        let cast = C::cast(*source.expect(IS_INSIDE));
        *target.expect(IS_INSIDE) = cast.bytes;
        fits &= cast.fits;
    }
    fits
}

/// Converts one element after the other. Returns whether the target can hold all of them.
///
/// A separate function, so that compilers see two slices that do not overlap and make vector code.
#[inline(never)]
fn convert_neighbours<C: Convert<S, D>, const S: usize, const D: usize>(
    source: &[[u8; S]],
    target: &mut [[u8; D]],
) -> bool {
    let mut fits = true;
    for (source, target) in source.iter().zip(target) {
        let cast = C::cast(*source);
        *target = cast.bytes;
        fits &= cast.fits;
    }
    fits
}

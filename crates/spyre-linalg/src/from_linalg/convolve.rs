//! Sums of products of windows as convolutions: one operation of the device, in place of a product for each position of the window.

use melior::ir::attribute::DenseI64ArrayAttribute;
use melior::ir::{Attribute, ValueLike};
use spyre_analysis::dynamic::extents::Extent;
use spyre_construct::access::{Coordinate, LoopId};
use spyre_construct::build::{Build, element_of, shape_of};
use spyre_layout::STICK_BYTES;
use spyre_mlir_rt::ir::{self, Val};
use spyre_ods::spyre;

use super::contract::{factors, for_sums};
use super::nest::{Access, Nest};
use super::term::Term;
use super::truth;

/// A dimension of the image that windows walk along.
#[derive(Clone, Copy)]
struct Walk {
    /// The loop of the windows, and elements from one to the next.
    position: (LoopId, i64),
    /// The loop of the elements of a window, and elements from one to the next.
    window: (LoopId, i64),
}

/// The loops and dimensions of a convolution.
struct Convolution<'a, 'p> {
    image: &'a Access<'p>,
    weight: &'a Access<'p>,
    /// The dimensions that windows walk along, one or two.
    walks: Vec<Walk>,
    /// The loop of the batch; `None` for a single image.
    batch: Option<LoopId>,
    filters: LoopId,
    channels: LoopId,
}

/// Builds the sum of products of two operands over windows as one convolution; `None` if it is no convolution of the device: groups
/// of channels, windows in three dimensions, a single filter, or a window at a single position.
pub(super) fn direct<'p>(build: Build<'p>, nest: &Nest<'p>, term: &Term<'p>) -> Option<Val<'p>> {
    let [lhs, rhs] = factors(nest, term.value)?;
    // A convolution has no dynamic dimension, since its device operation cannot be tiled.
    Extent::numbers(&nest.extents)?;
    let convolution =
        Convolution::of(nest, lhs, rhs).or_else(|| Convolution::of(nest, rhs, lhs))?;
    convolution.build(build, nest, term)
}

/// Returns the part of an image that windows reach over.
fn read_part<'p>(
    build: Build<'p>,
    nest: &Nest<'p>,
    image: Val<'p>,
    walks: [Option<Walk>; 2],
) -> Option<Val<'p>> {
    let whole = Extent::numbers(&build.shape(image))?;
    let mut part = whole.clone();
    for (walk, extent) in walks.into_iter().zip(&mut part[1..3]) {
        let Some(Walk {
            position: (position, stride),
            window: (window, dilation),
        }) = walk
        else {
            continue;
        };
        let last = (iterations(nest, position) - 1) * stride;
        *extent = last + (iterations(nest, window) - 1) * dilation + 1;
    }
    if part == whole {
        return Some(image);
    }
    Some(build.slice_fixed(image, &vec![0; part.len()], &part))
}

/// Returns the number of iterations of a loop.
fn iterations(nest: &Nest<'_>, id: LoopId) -> i64 {
    let extent = nest.extent(id).number();
    extent.expect("a convolution has no loop along a dynamic dimension")
}

/// Returns a coordinate without the loops of one iteration, which have index 0.
fn moving(nest: &Nest<'_>, at: &Coordinate) -> Coordinate {
    at.moved_by(|id| iterations(nest, id) > 1)
}

impl<'a, 'p> Convolution<'a, 'p> {
    fn of(nest: &Nest<'p>, image: &'a Access<'p>, weight: &'a Access<'p>) -> Option<Self> {
        let is_parallel = |id: LoopId| id.0 < nest.parallel;
        let (mut walks, mut batch, mut channels) = (Vec::new(), None, None);
        for at in &image.coordinates {
            let at = moving(nest, at);
            if at.offset != 0 {
                return None;
            }
            match *at.terms {
                [] => {}
                [(id, 1)] if is_parallel(id) && batch.is_none() => batch = Some(id),
                [(id, 1)] if !is_parallel(id) && channels.is_none() => channels = Some(id),
                [one, other] if is_parallel(one.0) != is_parallel(other.0) => {
                    let (position, window) = match is_parallel(one.0) {
                        true => (one, other),
                        false => (other, one),
                    };
                    if position.1 < 1 || window.1 < 1 {
                        return None;
                    }
                    walks.push(Walk { position, window });
                }
                _ => return None,
            }
        }
        let channels = channels?;
        let mut filters = None;
        for at in &weight.coordinates {
            let at = moving(nest, at);
            let id = match *at.terms {
                [] if at.offset == 0 => continue,
                [(id, 1)] if at.offset == 0 => id,
                _ => return None,
            };
            let is_window = walks.iter().any(|walk| walk.window.0 == id);
            if is_parallel(id) && filters.is_none() && !image.reads(id) {
                filters = Some(id);
            } else if !is_window && id != channels {
                return None;
            }
        }
        let convolution = Self {
            image,
            weight,
            walks,
            batch,
            filters: filters?,
            channels,
        };
        convolution.is_whole(nest).then_some(convolution)
    }

    /// Returns whether each loop with several iterations has one role in the convolution, and the windows and channels
    /// index the weight.
    fn is_whole(&self, nest: &Nest<'_>) -> bool {
        let mut loops = vec![self.filters, self.channels];
        loops.extend(self.batch);
        for walk in &self.walks {
            loops.extend([walk.position.0, walk.window.0]);
        }
        let parts = loops.len();
        loops.sort_unstable();
        loops.dedup();
        let windows = self.walks.iter().map(|walk| walk.window.0);
        let weighed = windows
            .chain([self.channels])
            .all(|id| self.weight.reads(id));
        let all = (0..nest.extents.len()).map(LoopId);
        let mut all = all.filter(|id| iterations(nest, *id) > 1);
        loops.len() == parts
            && weighed
            && matches!(self.walks.len(), 1 | 2)
            && all.all(|id| loops.contains(&id))
    }

    /// Returns a tensor as its dimensions along some loops, in their order; `None` of them is a dimension of one element.
    fn arrange(
        build: Build<'p>,
        nest: &Nest<'p>,
        access: &Access<'p>,
        loops: &[Option<LoopId>],
    ) -> Option<Val<'p>> {
        let shape = shape_of(access.value).ok()?;
        let of_loop = |id: &LoopId| {
            let mut dims = access.coordinates.iter().enumerate();
            dims.find(|(_, at)| moving(nest, at).terms.iter().any(|(term, _)| term == id))
                .map(|(dim, _)| dim)
        };
        let order: Vec<usize> = loops.iter().flatten().map(of_loop).collect::<Option<_>>()?;
        let others: Vec<usize> = (0..shape.len())
            .filter(|dim| !order.contains(dim))
            .collect();
        // The image may be longer than the part that is read, but not along a dimension without a loop.
        if others.iter().any(|dim| shape[*dim] != 1) {
            return None;
        }
        let value = build.permute(access.value, &[others, order.clone()].concat());
        let mut dims = order.iter();
        let extents: Vec<i64> = loops
            .iter()
            .map(|id| match id {
                Some(_) => shape[*dims.next().expect("a dimension for each loop")],
                None => 1,
            })
            .collect();
        Some(build.reshape_fixed(value, &extents))
    }

    fn build(&self, build: Build<'p>, nest: &Nest<'p>, term: &Term<'p>) -> Option<Val<'p>> {
        let tensors = [self.image.value, self.weight.value];
        let is_tensor = |value: &Val<'p>| ir::is_ranked_tensor(value.r#type());
        let filters = iterations(nest, self.filters);
        let are_alike = element_of(tensors[0]) == element_of(tensors[1]);
        if !tensors.iter().all(is_tensor) || !are_alike || filters < 2 {
            return None;
        }
        // A convolution in one dimension has a height of one element.
        let mut walks: Vec<Option<Walk>> = self.walks.iter().copied().map(Some).collect();
        if walks.len() == 1 {
            walks.insert(0, None);
        }
        let [height, row] = *walks else {
            return None;
        };
        let position = |walk: Option<Walk>| walk.map(|walk| walk.position.0);
        let window = |walk: Option<Walk>| walk.map(|walk| walk.window.0);
        let channels = Some(self.channels);
        let image = [self.batch, position(height), position(row), channels];
        let weight = [window(height), window(row), channels, Some(self.filters)];
        let image = Self::arrange(build, nest, self.image, &image)?;
        let image = read_part(build, nest, image, [height, row])?;
        let weight = Self::arrange(build, nest, self.weight, &weight)?;
        let filters = Extent::Static(filters);
        let [image, weight] = for_sums(build, term, [image, weight], filters);
        let bits = truth::width(element_of(image)).map(i64::from)?;
        let per_stick = STICK_BYTES.get().cast_signed() * 8 / bits;
        let whole = |value: Val<'p>, dim: usize| {
            let mut shape = build.shape(value);
            let extent = shape[dim].number()?;
            shape[dim] = Extent::Static((extent + per_stick - 1) / per_stick * per_stick);
            build.pad(value, &vec![0; shape.len()], &shape, 0.0).ok()
        };
        let (image, weight) = (whole(image, 3)?, whole(weight, 2)?);
        let count = |id: Option<LoopId>| id.map_or(1, |id| iterations(nest, id));
        let loops = [
            self.batch,
            position(height),
            position(row),
            Some(self.filters),
        ];
        let shape = loops.map(count);
        let both = |of: fn(Walk) -> i64| -> Attribute<'p> {
            let numbers = [height, row].map(|walk| walk.map_or(1, of));
            DenseI64ArrayAttribute::new(build.context, &numbers).into()
        };
        let sum = spyre::conv2d(image, weight)
            .with("strides", both(|walk| walk.position.1))
            .with("dilations", both(|walk| walk.window.1));
        let sum = build.emit(sum, build.tensor(&shape, term.element));
        // Back to a dimension for each parallel loop. Loops of one iteration get dimensions of extent 1.
        let mut units = (0..nest.parallel)
            .map(LoopId)
            .filter(|id| !loops.contains(&Some(*id)));
        let loops = loops.map(|id| id.or_else(|| units.next()));
        let ids: Vec<LoopId> = loops.into_iter().flatten().collect();
        let extents: Vec<i64> = ids.iter().map(|id| iterations(nest, *id)).collect();
        let sum = build.reshape_fixed(sum, &extents);
        let order: Vec<usize> = (0..nest.parallel)
            .filter_map(|id| ids.iter().position(|other| other.0 == id))
            .collect();
        let sum = build.permute(sum, &order);
        build.reshape(sum, &nest.extents[..nest.parallel]).ok()
    }
}

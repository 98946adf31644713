//! Spans: the distance in memory that a core reaches over, and tiles that keep it within the addressing limit of the
//! hardware.

use spyre_layout::{Coord, DeviceTensor};

use super::Shape;
use super::counts::{Combination, combinations, divisors};

/// The most tiles of one dimension, of one operation, dimensions and combinations (middle-end specification,
/// section 3.10).
const MAX_OF_DIM: u64 = 16;
const MAX_TILES: u64 = 64;
const MAX_DIMS: usize = 3;
const MAX_COMBINATIONS: usize = 512;

/// One coordinate of a tensor outside the stick: `(d<dim> floordiv divisor) mod modulus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Digit {
    dim: usize,
    divisor: u64,
    modulus: Option<u64>,
    /// Bytes between neighbours.
    stride: u64,
}

impl Digit {
    /// Returns how many values it takes in a window of `extent` that starts at a whole one.
    fn extent(self, extent: u64) -> u64 {
        let values = extent.div_ceil(self.divisor);
        self.modulus.map_or(values, |modulus| values.min(modulus))
    }
}

/// The distances of the elements of a tensor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Outermost first.
    digits: Vec<Digit>,
    /// Bytes of an element.
    element: u64,
}

impl Span {
    /// Returns that of a tensor in device memory.
    #[must_use]
    pub fn new(tensor: &DeviceTensor) -> Self {
        let layout = tensor.layout();
        let element = tensor.format().bytes_per_element().get();
        let outside = layout.coords().len() - layout.arrangement().stick_coords();
        let coords = layout.coords().iter().zip(tensor.device_strides());
        let digits = coords.take(outside).filter_map(|(coord, stride)| {
            let Coord::Digit {
                dim,
                divisor,
                modulus,
            } = *coord
            else {
                return None;
            };
            Some(Digit {
                dim,
                divisor,
                modulus,
                stride: stride * element,
            })
        });
        Self {
            digits: digits.collect(),
            element,
        }
    }

    /// Returns the span of a window of these extents, in bytes (middle-end specification, section 4.1): the extent of the
    /// outermost device dimension that has more than one position there, times the distance between two of them. The
    /// window is part of the whole tensor, so that distance is the tensor's. A single stick is one element.
    #[must_use]
    pub fn of_window(&self, window: impl IntoIterator<Item = u64>) -> u64 {
        let window: Vec<u64> = window.into_iter().collect();
        let outermost = self.digits.iter().find_map(|digit| {
            // A window of lower rank than its tensor is refused when it is addressed. Here it is only compared with a
            // limit, with one position along the missing dimension.
            let extent = digit.extent(window.get(digit.dim).copied().unwrap_or(1));
            (extent > 1).then(|| extent.saturating_mul(digit.stride))
        });
        outermost.unwrap_or(self.element)
    }

    /// Returns the dimensions outside the stick, outermost first.
    fn dims(&self) -> impl Iterator<Item = usize> + '_ {
        self.digits.iter().map(|digit| digit.dim)
    }
}

/// The fate of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Every span is within the limit.
    Fits,
    /// With these tiles, every span is within the limit.
    Tiles {
        /// `(iteration dimension, number of tiles)`, outermost loop first.
        tiles: Vec<(usize, u64)>,
        /// The tensor with the widest span, and that span in bytes.
        before: (usize, u64),
        /// The widest span of a tile.
        after: u64,
        /// Number of combinations that were considered.
        looked_at: usize,
    },
    /// No tiles keep the span within the limit.
    Impossible {
        /// The tensor with the widest span, and that span in bytes.
        before: (usize, u64),
        /// The smallest width of the widest span, and the tiles that achieve it.
        smallest: (u64, Vec<(usize, u64)>),
        /// Number of combinations that were considered.
        looked_at: usize,
    },
}

/// Chooses tiles for an operation that keep the span of every tensor within `limit` bytes, on the assumption that work
/// division does not shorten it (middle-end specification, section 3.10).
///
/// Dimensions of the result are cut that an overflowing tensor has outside its stick. Counts divide the extent,
/// in whole sticks; there are at most 16 tiles of a dimension, 64 in all, in 3 dimensions, and 512 combinations
/// are considered. A tile of a reduction has more than one position of each dimension. The cost is the number of tiles;
/// among equals fewer dimensions win, then outer ones.
#[must_use]
pub fn choose(shape: &Shape, limit: u64) -> Choice {
    let mut counts = vec![1; shape.space.len()];
    let Some(before) = shape.widest(&counts).filter(|(_, span)| *span > limit) else {
        return Choice::Fits;
    };
    let dims = drivers(shape, limit);
    let options: Vec<Vec<u64>> = dims
        .iter()
        .map(|dim| {
            let Some(units) = shape.space[*dim].units() else {
                return Vec::new();
            };
            let mut counts = divisors(units, MAX_OF_DIM);
            if shape.reduced > 0 {
                counts.retain(|count| shape.space[*dim].extent / count > 1);
            }
            counts
        })
        .collect();
    let mut smallest = (before.1, Vec::new());
    let mut looked_at = 0;
    for combination in combinations(&options, MAX_DIMS, MAX_TILES, MAX_COMBINATIONS) {
        let tiles: Combination = combination
            .into_iter()
            .map(|(at, count)| (dims[at], count))
            .collect();
        looked_at += 1;
        counts.fill(1);
        for (dim, count) in &tiles {
            counts[*dim] = *count;
        }
        let (_, after) = shape.widest(&counts).expect("a tensor is over the limit");
        if after <= limit {
            return Choice::Tiles {
                tiles,
                before,
                after,
                looked_at,
            };
        }
        if after < smallest.0 {
            smallest = (after, tiles);
        }
    }
    Choice::Impossible {
        before,
        smallest,
        looked_at,
    }
}

/// Returns the dimensions of the result that are outside of the sticks of tensors with a span over the limit, outermost
/// in memory first.
fn drivers(shape: &Shape, limit: u64) -> Vec<usize> {
    let whole = vec![1; shape.space.len()];
    let parallel = shape.parallel();
    let mut dims: Vec<usize> = Vec::new();
    for tensor in &shape.tensors {
        if tensor.span.of_window(tensor.window(&whole)) <= limit {
            continue;
        }
        for host in tensor.span.dims() {
            let dim = tensor.dims[host];
            dims.extend(dim.filter(|dim| *dim < parallel && !dims.contains(dim)));
        }
    }
    dims
}

#[cfg(test)]
mod tests {
    use spyre_layout::{DeviceFormat, DimOrder, Layout};

    use super::super::{Dim, Tensor};
    use super::*;
    use crate::Target;

    /// Returns a tensor of 16-bit elements in the default layout.
    fn tensor(extents: &[u64], dims: &[usize]) -> Tensor {
        let format = DeviceFormat::Sen169Fp16;
        let order = DimOrder::host(extents.len());
        let layout = Layout::default_for(&order, format.elements_per_stick()).unwrap();
        let placed = layout.place(extents, format).unwrap();
        Tensor {
            dims: dims.iter().copied().map(Some).collect(),
            extents: extents.to_vec(),
            bytes: placed.bytes().get(),
            span: Span::new(&placed),
        }
    }

    fn pointwise(extents: &[u64]) -> Shape {
        let dims: Vec<usize> = (0..extents.len()).collect();
        let last = extents.len() - 1;
        let unit = |dim: usize| if dim == last { 64 } else { 1 };
        let space = extents.iter().zip(0..).map(|(extent, dim)| Dim {
            extent: *extent,
            unit: unit(dim),
        });
        Shape {
            space: space.collect(),
            reduced: 0,
            tensors: vec![tensor(extents, &dims); 3],
            in_memory: false,
        }
    }

    fn limit() -> u64 {
        Target::default().span_limit_bytes.get()
    }

    #[test]
    fn the_example_of_the_specification() {
        let shape = pointwise(&[1, 8195, 256, 64]);
        assert_eq!(
            choose(&shape, limit()),
            Choice::Tiles {
                tiles: vec![(1, 5)],
                before: (0, 268_533_760),
                after: 268_533_760 / 5,
                looked_at: 3,
            }
        );
        // One row less is just within the limit.
        let shape = pointwise(&[1, 8191, 256, 64]);
        assert_eq!(shape.widest(&[1; 4]), Some((0, 8191 * 256 * 128)));
        assert_eq!(choose(&shape, limit()), Choice::Fits);
    }

    #[test]
    fn a_window_spans_what_lies_between_in_the_whole_tensor() {
        let tensor = tensor(&[512, 4096], &[0, 1]);
        // Device size 64 x 512 x 64.
        assert_eq!(tensor.span.of_window([512, 4096]), 64 * 512 * 128);
        assert_eq!(tensor.span.of_window([256, 4096]), 64 * 512 * 128);
        assert_eq!(tensor.span.of_window([256, 128]), 2 * 512 * 128);
        // One column of sticks: from here on rows count.
        assert_eq!(tensor.span.of_window([256, 64]), 256 * 128);
        assert_eq!(tensor.span.of_window([1, 64]), 2);
    }

    #[test]
    fn without_a_divisor_nothing_is_chosen() {
        // 16381 and 8191 are primes, and there is one stick.
        let shape = pointwise(&[16381, 8191, 64]);
        let Choice::Impossible {
            before,
            smallest,
            looked_at,
        } = choose(&shape, 1 << 20)
        else {
            panic!("{:?}", choose(&shape, 1 << 20));
        };
        assert_eq!(before.1, 16381 * 8191 * 128);
        assert_eq!((smallest, looked_at), ((before.1, Vec::new()), 0));
    }

    #[test]
    fn tiles_of_a_stick_dimension_are_whole_sticks() {
        let shape = pointwise(&[2, 640]);
        // Device size 10 x 2 x 64. Two sticks of columns and two rows are 512 bytes.
        let Choice::Tiles { tiles, after, .. } = choose(&shape, 512) else {
            panic!();
        };
        assert_eq!((tiles, after), (vec![(1, 5)], 512));
    }

    #[test]
    fn reductions_keep_more_than_one_position() {
        let mut shape = pointwise(&[4, 128]);
        shape.space[1].unit = 64;
        shape.reduced = 1;
        shape.tensors[1] = tensor(&[4], &[0]);
        shape.tensors.truncate(2);
        // Rows of four sticks each; only tiles of one row would do.
        let layout = Layout::new(
            2,
            vec![Coord::dim(0), Coord::floor_div(1, 64), Coord::modulo(1, 64)],
        );
        let placed = layout
            .unwrap()
            .place(&[4, 128], DeviceFormat::Sen169Fp16)
            .unwrap();
        shape.tensors[0].span = Span::new(&placed);
        let Choice::Impossible { smallest, .. } = choose(&shape, 256) else {
            panic!();
        };
        assert_eq!(smallest, (512, vec![(0, 2)]));
        shape.reduced = 0;
        assert!(matches!(choose(&shape, 256), Choice::Tiles { tiles, .. } if tiles == [(0, 4)]));
    }
}

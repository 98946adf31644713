//! Random layouts, formats and host views.

use proptest::prelude::*;
use spyre_layout::{
    Arrangement, Coord, DeviceFormat, DeviceTensor, DimOrder, Elements, HostTensor, HostType,
    Layout, STICK_BYTES,
};

use crate::check::{PAIRS, check};

/// The number of cases, which the environment overrides.
fn config(cases: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|it| it.parse().ok());
    ProptestConfig {
        cases: asked.unwrap_or(cases),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Most elements of a random tensor, about.
const BUDGET: u64 = 160;

/// Most bytes that padding enlarges a random tensor to.
const PADDED: u64 = 1 << 13;

/// Extents cut so that their product stays within the budget, longest first.
fn within_budget(mut budget: u64, extents: &[u64]) -> Vec<u64> {
    let mut shape = extents.to_vec();
    let mut longest: Vec<&mut u64> = shape.iter_mut().collect();
    longest.sort_by_key(|extent| std::cmp::Reverse(**extent));
    for extent in longest {
        *extent = (*extent).min(budget).max(1);
        budget /= *extent;
    }
    shape
}

/// How the host tensor of some shape lies in its buffer.
#[derive(Clone, Debug)]
struct View {
    order: Vec<usize>,
    steps: Vec<u64>,
    gaps: Vec<u64>,
    expanded: Vec<bool>,
    offset: u64,
}

impl View {
    /// The host tensor: dimensions in another order in memory, every second element of some, gaps
    /// between rows, some dimensions repeated.
    fn tensor(&self, host_type: HostType, shape: &[u64]) -> HostTensor {
        let mut strides = vec![0; shape.len()];
        let mut next = 1;
        for &dim in self.order.iter().filter(|&&dim| dim < shape.len()) {
            if self.expanded[dim] {
                continue;
            }
            strides[dim] = next * self.steps[dim];
            next = strides[dim] * shape[dim] + self.gaps[dim];
        }
        HostTensor::strided(host_type, shape.to_vec(), strides, Elements(self.offset)).unwrap()
    }
}

fn views() -> impl Strategy<Value = View> {
    (
        Just(vec![0, 1, 2, 3, 4, 5]).prop_shuffle(),
        prop::collection::vec(1u64..=2, 6),
        prop::collection::vec(0u64..=2, 6),
        prop::collection::vec(prop::bool::weighted(0.05), 6),
        0u64..=5,
    )
        .prop_map(|(order, steps, gaps, expanded, offset)| View {
            order,
            steps,
            gaps,
            expanded,
            offset,
        })
}

/// Enlarges device dimensions outside the stick, as long as the tensor stays small.
fn padded(layout: Layout, shape: &[u64], eps: Elements, padding: &[u64]) -> Layout {
    let mut size = layout.device_size(shape, eps).unwrap();
    let outside = size.len() - layout.arrangement().stick_coords();
    for (at, more) in (0..outside).zip(padding) {
        size[at] += more;
        if size[..outside].iter().product::<u64>() * STICK_BYTES.get() > PADDED {
            size[at] -= more;
        }
    }
    layout.with_device_size(size).unwrap()
}

/// Extents of dimensions that are not on the stick: mostly up to `most`, some that are copied in
/// blocks.
fn short(most: u64) -> impl Strategy<Value = u64> {
    prop_oneof![4 => 1..=most, 1 => 30u64..=70]
}

/// A default layout of rank up to 6.
fn default_tensors() -> impl Strategy<Value = (HostType, DeviceTensor)> {
    let order = (0i64..=6).prop_flat_map(|rank| Just((0..rank).collect::<Vec<_>>()).prop_shuffle());
    let extents = prop::collection::vec((short(4), 1u64..=150), 6);
    let padding = prop::option::of(prop::collection::vec(0u64..=2, 8));
    (
        prop::sample::select(PAIRS.to_vec()),
        order,
        any::<bool>(),
        extents,
        padding,
    )
        .prop_map(
            |((host_type, format), mut order, sparse, extents, padding)| {
                let eps = format.elements_per_stick();
                let stick = order.last().copied().filter(|_| !sparse);
                let extents: Vec<u64> = (0..)
                    .zip(&extents)
                    .take(order.len())
                    .map(|(dim, &(small, large))| if stick == Some(dim) { large } else { small })
                    .collect();
                let shape = within_budget(BUDGET, &extents);
                if sparse {
                    order.push(-1);
                }
                let order = DimOrder::from_indices(&order).unwrap();
                let mut layout = Layout::default_for(&order, eps).unwrap();
                if let Some(padding) = padding {
                    layout = padded(layout, &shape, eps, &padding);
                }
                (host_type, layout.place(&shape, format).unwrap())
            },
        )
}

/// The kind of stick of a random layout.
#[derive(Clone, Copy, Debug)]
enum Stick {
    Dense {
        dim: usize,
    },
    Sparse,
    Repeated,
    /// A stick of two coordinates, the last of which holds `2^inner` elements.
    Two {
        outer: usize,
        dim: usize,
        inner: u32,
    },
}

fn sticks(rank: usize) -> impl Strategy<Value = Stick> {
    prop_oneof![
        4 => (0..rank).prop_map(|dim| Stick::Dense { dim }),
        1 => Just(Stick::Sparse),
        1 => Just(Stick::Repeated),
        2 => (0..rank, 0..rank, 1u32..=4)
            .prop_map(|(outer, dim, inner)| Stick::Two { outer, dim, inner }),
    ]
}

/// Any layout: dimensions of up to three digits in addition to the digits on the stick, in any
/// order, dimensions without counterpart, repeated dimensions, and padding.
fn digit_tensors() -> impl Strategy<Value = (HostType, DeviceTensor)> {
    (1usize..=4)
        .prop_flat_map(|rank| {
            let radices = prop::collection::vec(2u64..=4, 0..=2);
            (
                prop::collection::vec(radices, rank),
                prop::collection::vec((short(12), 1u64..=150, any::<bool>()), rank),
                sticks(rank),
                prop::collection::vec((1u64..=3, any::<bool>()), 0..=2),
                prop::collection::vec(0u64..=1, 16),
                prop::collection::vec(any::<u16>(), 16),
                prop::sample::select(PAIRS.to_vec()),
            )
        })
        .prop_map(
            |(radices, extents, stick, extra, padding, keys, (host_type, format))| {
                let drawn = DrawnLayout {
                    radices,
                    extents,
                    stick,
                    extra,
                    padding,
                    keys,
                };
                (host_type, drawn.place(format))
            },
        )
}

/// A coordinate outside of the stick: the coordinate, its extent without a counterpart, and whether it repeats.
type OuterCoord = (Coord, u64, bool);

/// The parts of a random layout.
struct DrawnLayout {
    /// The moduli of the lower digits of each dimension.
    radices: Vec<Vec<u64>>,
    /// For each dimension, a small and a large extent, and whether its highest digit has a modulus.
    extents: Vec<(u64, u64, bool)>,
    stick: Stick,
    /// The extents of coordinates without a counterpart, and whether they repeat.
    extra: Vec<(u64, bool)>,
    padding: Vec<u64>,
    /// The order of the coordinates outside of the stick.
    keys: Vec<u16>,
}

impl DrawnLayout {
    fn place(&self, format: DeviceFormat) -> DeviceTensor {
        let eps = format.elements_per_stick();
        let (in_stick, lowest) = self.in_stick(eps.get());
        let shape = self.shape(&lowest);
        let outer = self.outer(&shape, &lowest);
        let mut shuffled: Vec<_> = self.keys.iter().zip(outer).collect();
        shuffled.sort_by_key(|(key, _)| **key);

        let mut expanded: Vec<usize> = (0..)
            .zip(&shuffled)
            .filter(|(_, (_, it))| it.2)
            .map(|(at, _)| at)
            .collect();
        if matches!(self.stick, Stick::Repeated) {
            expanded.push(shuffled.len());
        }
        let all = shuffled
            .iter()
            .map(|(_, it)| it.0)
            .chain(in_stick.iter().copied())
            .collect();
        let mut layout = Layout::new(self.radices.len(), all)
            .unwrap()
            .with_expanded(expanded)
            .unwrap();
        if in_stick.len() == 2 {
            layout = layout.with_arrangement(Arrangement::Qfp8Wt).unwrap();
        }
        let more: Vec<u64> = shuffled
            .iter()
            .zip(&self.padding)
            .map(|((_, it), padding)| it.1 - 1 + padding)
            .collect();
        if more.iter().any(|&more| more > 0) {
            layout = padded(layout, &shape, eps, &more);
        }
        layout.place(&shape, format).unwrap()
    }

    /// Returns the coordinates on the stick, and how far they count in each dimension.
    fn in_stick(&self, per_stick: u64) -> (Vec<Coord>, Vec<u64>) {
        let mut lowest = vec![1; self.radices.len()];
        let mut digit = |dim: usize, modulus: u64| {
            let divisor = lowest[dim];
            lowest[dim] *= modulus;
            Coord::Digit {
                dim,
                divisor,
                modulus: Some(modulus),
            }
        };
        let in_stick = match self.stick {
            Stick::Dense { dim } => vec![digit(dim, per_stick)],
            Stick::Sparse | Stick::Repeated => vec![Coord::Zero],
            Stick::Two { outer, dim, inner } => {
                let low = digit(dim, 1 << inner);
                vec![digit(outer, per_stick >> inner), low]
            }
        };
        (in_stick, lowest)
    }

    /// Returns the extents of the tensor.
    fn shape(&self, lowest: &[u64]) -> Vec<u64> {
        let sizes: Vec<u64> = lowest
            .iter()
            .zip(&self.extents)
            .map(|(&lowest, &(small, large, _))| if lowest > 1 { large } else { small })
            .collect();
        // All copies of an element are visited.
        let repeats = self
            .extra
            .iter()
            .filter(|it| it.1)
            .map(|it| it.0)
            .product::<u64>();
        let repeats = if matches!(self.stick, Stick::Repeated) {
            16 * repeats
        } else {
            repeats
        };
        within_budget(BUDGET / repeats, &sizes)
    }

    /// Returns the coordinates outside of the stick, with the ones that have no counterpart last.
    fn outer(&self, shape: &[u64], lowest: &[u64]) -> Vec<OuterCoord> {
        let mut coords = Vec::new();
        let mut radix_budget = 16;
        for (dim, radices) in self.radices.iter().enumerate() {
            let mut divisor = lowest[dim];
            let mut push = |divisor, modulus| {
                let digit = Coord::Digit {
                    dim,
                    divisor,
                    modulus,
                };
                coords.push((digit, 1, false));
            };
            for &radix in radices {
                if radix > radix_budget {
                    continue;
                }
                radix_budget /= radix;
                push(divisor, Some(radix));
                divisor *= radix;
            }
            // The highest digit counts as far as it must, or has a modulus, or is not there.
            let needed = shape[dim].div_ceil(divisor);
            let modulus = self.extents[dim].2.then_some(needed.max(2));
            if needed > 1 || divisor == 1 || modulus.is_none() {
                push(divisor, modulus);
            }
        }
        // Coordinates without counterpart have the sizes of `extra`, and some of them repeat.
        let extra = self.extra.iter();
        coords.extend(extra.map(|&(size, repeats)| (Coord::Zero, size, repeats)));
        coords
    }
}

/// A cheap sequence of bytes.
fn bytes(mut seed: u64) -> impl FnMut() -> u8 {
    move || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 56) as u8
    }
}

proptest! {
    #![proptest_config(config(43_000))]

    #[test]
    fn default_layouts((host_type, tensor) in default_tensors(), view in views(), seed in any::<u64>()) {
        check(&view.tensor(host_type, tensor.shape()), &tensor, bytes(seed));
    }

    #[test]
    fn any_layout((host_type, tensor) in digit_tensors(), view in views(), seed in any::<u64>()) {
        check(&view.tensor(host_type, tensor.shape()), &tensor, bytes(seed));
    }
}

//! Random tensors and a brute-force criterion, for tests that visit every element.

#![allow(dead_code)] // each test uses a part

use proptest::prelude::*;
use spyre_layout::{Coord, DeviceFormat, DeviceTensor, DimOrder, Elements, Layout};

pub(crate) const FORMATS: [DeviceFormat; 4] = [
    DeviceFormat::Sen169Fp16,
    DeviceFormat::IeeeFp32,
    DeviceFormat::SenInt8,
    DeviceFormat::IeeeInt32,
];

pub(crate) fn formats() -> impl Strategy<Value = DeviceFormat> {
    prop::sample::select(FORMATS.to_vec())
}

/// Every point of a shape, row-major.
pub(crate) fn points(shape: &[u64]) -> Vec<Vec<u64>> {
    let mut points = vec![vec![]];
    for &extent in shape {
        points = points
            .into_iter()
            .flat_map(|point| (0..extent).map(move |at| [&point[..], &[at]].concat()))
            .collect();
    }
    points
}

/// Strides of a contiguous host tensor.
pub(crate) fn contiguous(shape: &[u64]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for dim in (1..shape.len()).rev() {
        strides[dim - 1] = strides[dim] * i64::try_from(shape[dim]).unwrap();
    }
    strides
}

/// A tensor of at most a few thousand elements: each dimension in up to three digits, coordinates in
/// any order, sparse or not, perhaps padded.
pub(crate) fn small_tensor() -> impl Strategy<Value = DeviceTensor> {
    let small = || prop::sample::select(vec![1u64, 1, 2, 2, 3, 4, 6, 8, 12]);
    let stick = prop::sample::select(vec![1u64, 2, 31, 32, 60, 64, 65, 96, 100, 128, 192, 256]);
    let radices = prop::collection::vec(prop::sample::select(vec![2u64, 2, 3, 4]), 0..=2);
    (1usize..=4, formats())
        .prop_flat_map(move |(rank, format)| {
            (
                prop::collection::vec((small(), prop_oneof![Just(vec![]), radices.clone()]), rank),
                prop::option::weighted(0.85, (0..rank, stick.clone())),
                prop::option::weighted(0.3, prop::collection::vec(0u64..=3, 16)),
                Just(format),
            )
        })
        .prop_filter("too many elements", |(dims, stick, _, _)| {
            let others: u64 = dims.iter().map(|dim| dim.0).product();
            others * stick.map_or(1, |(_, extent)| extent) <= 6000
        })
        .prop_flat_map(|(dims, stick, padding, format)| {
            let eps = format.elements_per_stick().get();
            let mut coords = Vec::new();
            let mut shape = Vec::new();
            for (dim, (extent, radices)) in dims.into_iter().enumerate() {
                let on_stick = stick.filter(|&(stick, _)| stick == dim);
                shape.push(on_stick.map_or(extent, |(_, extent)| extent));
                let mut divisor = if on_stick.is_some() { eps } else { 1 };
                for radix in radices {
                    coords.push(Coord::Digit {
                        dim,
                        divisor,
                        modulus: Some(radix),
                    });
                    divisor *= radix;
                }
                coords.push(Coord::floor_div(dim, divisor));
            }
            let last = stick.map_or(Coord::Zero, |(dim, _)| Coord::modulo(dim, eps));
            (
                Just(coords).prop_shuffle(),
                any::<bool>(),
                Just(last),
                Just(shape),
                Just(padding),
                Just(format),
            )
        })
        .prop_map(|(mut coords, by_dim, last, shape, padding, format)| {
            if by_dim {
                // Digits of one dimension side by side, as views leave them.
                coords.sort_by_key(|coord| match *coord {
                    Coord::Zero => (usize::MAX, 0),
                    Coord::Digit { dim, divisor, .. } => (dim, u64::MAX - divisor),
                });
            }
            coords.push(last);
            let eps = format.elements_per_stick();
            let mut layout = Layout::new(shape.len(), coords).unwrap();
            if let Some(padding) = padding {
                let mut size = layout.device_size(&shape, eps).unwrap();
                let last = size.len() - 1;
                for (size, more) in size.iter_mut().take(last).zip(padding) {
                    *size += more;
                }
                layout = layout.with_device_size(size).unwrap();
            }
            layout.place(&shape, format).unwrap()
        })
}

/// A tensor of rank 0 to 4 in its default layout, in any order of dimensions.
pub(crate) fn default_tensor() -> impl Strategy<Value = DeviceTensor> {
    let order = (0usize..=4)
        .prop_flat_map(|rank| Just((0..rank).map(|dim| dim as i64).collect::<Vec<_>>()))
        .prop_shuffle();
    (formats(), order, any::<bool>())
        .prop_flat_map(|(format, mut order, sparse)| {
            let rank = order.len();
            let stick = order.last().copied().filter(|_| !sparse);
            if sparse {
                order.push(-1);
            }
            let shape: Vec<_> = (0..rank)
                .map(|dim| 1..=if stick == Some(dim as i64) { 200 } else { 5u64 })
                .collect();
            (Just(format), Just(order), shape)
        })
        .prop_map(|(format, order, shape)| {
            let order = DimOrder::from_indices(&order).unwrap();
            let layout = Layout::default_for(&order, format.elements_per_stick()).unwrap();
            layout.place(&shape, format).unwrap()
        })
}

/// A digit of a dimension as addresses show it.
#[derive(Clone, Copy, Debug)]
struct Atom {
    divisor: u64,
    count: u64,
    stride: u64,
    top: bool,
}

/// Whether some layout with sticks of `eps` in a buffer of `total` elements gives the elements of
/// `shape`, row-major, these positions in the buffer, in elements.
///
/// It uses the positions alone. A layout is a sum of one term per dimension, each term a sum of
/// digits times strides, with the strides of a row-major array. Maximal digits are unique: one ends
/// where the positions stop being even.
pub(crate) fn is_a_layout(shape: &[u64], positions: &[u64], total: u64, eps: Elements) -> bool {
    let eps = eps.get();
    if positions.first() != Some(&0) {
        return false;
    }
    let host = contiguous(shape);
    let along = |dim: usize, at: u64| positions[usize::try_from(host[dim] as u64 * at).unwrap()];
    let is_sum = points(shape)
        .iter()
        .zip(positions)
        .all(|(point, &position)| {
            (0..shape.len())
                .map(|dim| along(dim, point[dim]))
                .sum::<u64>()
                == position
        });
    if !is_sum {
        return false;
    }
    let mut body = Vec::new();
    let mut sticks = 0;
    for (dim, &extent) in shape.iter().enumerate() {
        let line: Vec<u64> = (0..extent).map(|at| along(dim, at)).collect();
        let Some(atoms) = atoms(line) else {
            return false;
        };
        for atom in atoms {
            if atom.stride != 1 {
                body.push(atom);
                continue;
            }
            sticks += 1;
            if atom.divisor != 1 {
                return false;
            }
            if atom.count > eps {
                if !atom.top && atom.count % eps != 0 {
                    return false;
                }
                body.push(Atom {
                    divisor: eps,
                    count: atom.count.div_ceil(eps),
                    stride: eps,
                    top: atom.top,
                });
            }
        }
    }
    body.sort_by_key(|atom| std::cmp::Reverse(atom.stride));
    let outer = std::iter::once(total).chain(body.iter().map(|atom| atom.stride));
    sticks <= 1
        && body.iter().zip(outer).all(|(atom, outer)| {
            atom.stride % eps == 0 && outer % atom.stride == 0 && outer / atom.stride >= atom.count
        })
}

/// The maximal digits of one dimension, if its positions are a sum of digits.
fn atoms(mut line: Vec<u64>) -> Option<Vec<Atom>> {
    let mut atoms = Vec::new();
    let mut divisor = 1;
    while line.len() > 1 {
        let stride = line[1];
        if stride == 0 {
            return None;
        }
        let even = (0..line.len())
            .take_while(|&at| line[at] == stride * at as u64)
            .count();
        let top = even == line.len();
        atoms.push(Atom {
            divisor,
            count: even as u64,
            stride,
            top,
        });
        let fits = |at: usize| line[at] == line[at - at % even] + stride * (at % even) as u64;
        if !(0..line.len()).all(fits) {
            return None;
        }
        line = line.into_iter().step_by(even).collect();
        divisor *= even as u64;
    }
    Some(atoms)
}

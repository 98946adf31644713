//! Random tensors for the tests.

use proptest::prelude::*;
use spyre_layout::{Coord, Layout};

use super::element::ElementType;
use super::subject::{Request, Subject};

/// Returns a tensor with the default layout.
pub(crate) fn default(shape: &[u64], dtype: &str) -> Subject {
    Subject::new(shape, dtype.parse().expect("a type"), &Request::default()).expect("a tensor")
}

/// Returns a tensor with the default layout for an order of dimensions.
pub(crate) fn ordered(shape: &[u64], dtype: &str, order: &[i64]) -> Subject {
    let request = Request {
        order: Some(order.to_vec()),
        ..Request::default()
    };
    Subject::new(shape, dtype.parse().expect("a type"), &request).expect("a tensor")
}

/// Returns small tensors of up to four dimensions: default layouts in every order, sparse or not, padded or not, and layouts with
/// two levels of tiles and repeated dimensions.
pub(crate) fn small() -> impl Strategy<Value = Subject> {
    let types = prop::sample::select(vec!["f16", "f32", "i64", "i8", "i1", "ui8", "f8E5M2"]);
    let order = Just(vec![0i64, 1, 2, 3]).prop_shuffle();
    let shape = prop::collection::vec(1u64..5, 0..=4);
    // One dimension is long, most often the one on the stick.
    let long = (1u64..300, prop::option::weighted(0.3, 0usize..4));
    let pad = prop::collection::vec(0u64..2, 5);
    let sparse = prop::bool::weighted(0.25);
    ((shape, long), types, order, sparse, pad, 0u8..4).prop_map(
        |((mut shape, (long, at)), dtype, order, sparse, pad, kind)| {
            let dtype: ElementType = dtype.parse().expect("a type");
            let rank = i64::try_from(shape.len()).expect("small");
            let mut order: Vec<i64> = order.into_iter().filter(|&dim| dim < rank).collect();
            let stick = order.last().and_then(|&dim| usize::try_from(dim).ok());
            if let Some(extent) = at.or(stick).and_then(|dim| shape.get_mut(dim)) {
                *extent = long;
            }
            if sparse {
                order.push(-1);
            }
            let request = Request {
                order: Some(order),
                ..Request::default()
            };
            let plain = Subject::new(&shape, dtype, &request).expect("a tensor");
            let with = |layout| {
                let request = Request {
                    layout: Some(layout),
                    ..Request::default()
                };
                Subject::new(&shape, dtype, &request).expect("a tensor")
            };
            match kind {
                0 => plain,
                1 => with(padded(&plain, &pad)),
                2 => with(padded(&with(two_levels(&plain)), &pad)),
                _ => with(repeated(&plain)),
            }
        },
    )
}

/// Returns the layout with every device dimension but the stick padded by some more elements.
fn padded(subject: &Subject, pad: &[u64]) -> Layout {
    let mut sizes = subject.tensor.device_size().to_vec();
    let last = sizes.len() - 1;
    for (size, pad) in sizes[..last].iter_mut().zip(pad) {
        *size += pad;
    }
    subject
        .tensor
        .layout()
        .clone()
        .with_device_size(sizes)
        .expect("larger")
}

/// Returns the layout with the tiles of the dimension on the stick taken two by two.
fn two_levels(subject: &Subject) -> Layout {
    let layout = subject.tensor.layout();
    let mut coords = Vec::new();
    for &coord in layout.coords() {
        if let Coord::Digit {
            dim,
            divisor,
            modulus: None,
        } = coord
            && Some(dim) == layout.stick_dim()
        {
            coords.insert(
                0,
                Coord::Digit {
                    dim,
                    divisor,
                    modulus: Some(2),
                },
            );
            coords.push(Coord::floor_div(dim, divisor * 2));
        } else {
            coords.push(coord);
        }
    }
    Layout::new(layout.rank(), coords).expect("a layout")
}

/// Returns the layout with another device dimension, of extent 3, along which all elements repeat.
fn repeated(subject: &Subject) -> Layout {
    let layout = subject.tensor.layout();
    let mut coords = layout.coords().to_vec();
    coords.insert(1, Coord::Zero);
    let mut sizes = subject.tensor.device_size().to_vec();
    sizes.insert(1, 3);
    let layout =
        Layout::new(layout.rank(), coords).and_then(|layout| layout.with_device_size(sizes));
    layout
        .and_then(|layout| layout.with_expanded(vec![1]))
        .expect("a layout")
}

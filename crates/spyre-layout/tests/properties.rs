//! Properties of random layouts, checked element by element.

use proptest::prelude::*;
use spyre_layout::{
    Bytes, Coord, DeviceFormat, DeviceTensor, DimOrder, Elements, Layout, StrideMapError,
    WindowError,
};

/// Calls `visit` with every point of a shape.
fn for_each_point(shape: &[u64], mut visit: impl FnMut(&[u64])) {
    let mut point = vec![0; shape.len()];
    loop {
        visit(&point);
        let Some(dim) = (0..shape.len())
            .rev()
            .find(|&dim| point[dim] + 1 < shape[dim])
        else {
            return;
        };
        point[dim] += 1;
        point[dim + 1..].fill(0);
    }
}

fn contiguous(shape: &[u64], order: &[usize]) -> Vec<i64> {
    let mut strides = vec![0; shape.len()];
    let mut next = 1;
    for &dim in order.iter().rev() {
        strides[dim] = next;
        next *= i64::try_from(shape[dim]).unwrap();
    }
    strides
}

fn formats() -> impl Strategy<Value = DeviceFormat> {
    prop::sample::select(vec![
        DeviceFormat::Sen169Fp16,
        DeviceFormat::IeeeFp32,
        DeviceFormat::SenInt8,
    ])
}

/// A tensor in its default layout, in a random order of dimensions.
fn default_tensor() -> impl Strategy<Value = DeviceTensor> {
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
                .map(|dim| 1..=if stick == Some(dim as i64) { 300 } else { 7u64 })
                .collect();
            (Just(format), Just(order), shape)
        })
        .prop_map(|(format, order, shape)| {
            let order = DimOrder::from_indices(&order).unwrap();
            let layout = Layout::default_for(&order, format.elements_per_stick()).unwrap();
            layout.place(&shape, format).unwrap()
        })
}

/// A tensor with dimensions of up to three digits each, in random order, perhaps padded.
fn digit_tensor() -> impl Strategy<Value = DeviceTensor> {
    let radices = prop::collection::vec(2u64..=4, 0..=2);
    (1usize..=3, formats())
        .prop_flat_map(move |(rank, format)| {
            let radices = prop::collection::vec(radices.clone(), rank);
            let extents = prop::collection::vec((1u64..=12, 1u64..=300), rank);
            let padding = prop::option::of(prop::collection::vec(0u64..=2, 10));
            (radices, extents, 0..rank, padding, Just(format))
        })
        .prop_flat_map(|(radices, extents, stick_dim, padding, format)| {
            let eps = format.elements_per_stick().get();
            let mut coords = Vec::new();
            let mut shape = Vec::new();
            for (dim, (radices, (small, large))) in radices.iter().zip(extents).enumerate() {
                let mut divisor = 1;
                if dim == stick_dim {
                    divisor = eps;
                    shape.push(large);
                } else {
                    shape.push(small);
                }
                for &radix in radices {
                    coords.push(Coord::Digit {
                        dim,
                        divisor,
                        modulus: Some(radix),
                    });
                    divisor *= radix;
                }
                coords.push(Coord::floor_div(dim, divisor));
            }
            coords.push(Coord::Zero);
            let stick = Coord::modulo(stick_dim, eps);
            (
                Just(coords).prop_shuffle(),
                Just(stick),
                Just(shape),
                Just(padding),
                Just(format),
            )
        })
        .prop_map(|(mut coords, stick, shape, padding, format)| {
            coords.push(stick);
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

fn tensors() -> impl Strategy<Value = DeviceTensor> {
    prop_oneof![default_tensor(), digit_tensor()]
}

/// Returns the distance between windows of `step` in every enclosing window of `span`, if it is the
/// same for all, by visiting every element.
fn distance_by_definition(tensor: &DeviceTensor, dim: usize, step: u64, span: u64) -> Option<u64> {
    let shape = tensor.shape();
    let mut first = vec![0; shape.len()];
    first[dim] = step;
    let distance = tensor.address(&first).unwrap().get();
    let mut even = true;
    for_each_point(shape, |point| {
        let inside = point[dim] % span;
        let mut origin = point.to_vec();
        origin[dim] = point[dim] - inside + inside % step;
        let expected = tensor.address(&origin).unwrap().get() + inside / step * distance;
        even &= tensor.address(point).unwrap().get() == expected;
    });
    even.then_some(distance)
}

/// Whether each dimension uses all values of all its digits but the highest, except for a dimension
/// that is shorter than its stick.
fn has_full_digits(tensor: &DeviceTensor) -> bool {
    tensor.shape().iter().enumerate().all(|(dim, &extent)| {
        let divisors = tensor
            .layout()
            .coords()
            .iter()
            .filter_map(|coord| match *coord {
                Coord::Digit {
                    dim: d, divisor, ..
                } if d == dim => Some(divisor),
                _ => None,
            });
        let highest = divisors.max().unwrap_or(0);
        highest < extent || tensor.layout().device_dims_of(dim).count() <= 2
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_element_has_an_address_of_its_own(tensor in tensors()) {
        let each = tensor.format().bytes_per_element().get();
        let elements = tensor.bytes().get() / each;
        prop_assert_eq!(tensor.device_size().iter().product::<u64>(), elements);
        prop_assert!(tensor.bytes().to_sticks().is_some());
        let mut taken = vec![false; usize::try_from(elements).unwrap()];
        let mut doubles = 0;
        for_each_point(tensor.shape(), |point| {
            let offset = tensor.device_offset(point).unwrap();
            let address = tensor.address(point).unwrap();
            assert_eq!(offset.to_bytes(Bytes(each)), Some(address));
            let place = &mut taken[usize::try_from(offset.get()).unwrap()];
            doubles += usize::from(std::mem::replace(place, true));
        });
        prop_assert_eq!(doubles, 0);
    }

    #[test]
    fn device_coordinates_stay_inside_the_device_size(tensor in tensors()) {
        for_each_point(tensor.shape(), |point| {
            let coords = tensor.device_coords(point).unwrap();
            assert!(coords.iter().zip(tensor.device_size()).all(|(at, size)| at < size));
        });
    }

    #[test]
    fn window_steps_are_distances(tensor in tensors(), dim in 0usize..4, step in 1u64..=130) {
        prop_assume!(dim < tensor.shape().len());
        let extent = tensor.shape()[dim];
        let result = tensor.window_step(dim, Elements(step));
        if step >= extent {
            prop_assert_eq!(result, Ok(Bytes(0)));
            return Ok(());
        }
        let whole_sticks = step.is_multiple_of(tensor.stick_extent(dim).get());
        let distance = distance_by_definition(&tensor, dim, step, extent);
        match result {
            Ok(bytes) => {
                prop_assert!(whole_sticks && bytes.to_sticks().is_some());
                prop_assert_eq!(Some(bytes.get()), distance);
            }
            Err(WindowError::CutsSticks { .. }) => prop_assert!(!whole_sticks),
            // A last window cut short may happen not to reach the break.
            Err(WindowError::NotAffine { .. }) => {
                prop_assert!(distance.is_none() || !extent.is_multiple_of(step));
            }
            Err(error) => prop_assert!(false, "{}", error),
        }
    }

    #[test]
    fn level_steps_are_distances(
        tensor in tensors(), dim in 0usize..4, step in 1u64..=4, sticks in any::<bool>(),
        count in 1u64..=4,
    ) {
        prop_assume!(dim < tensor.shape().len());
        let step = if sticks { step * tensor.stick_extent(dim).get() } else { step };
        let span = step * count;
        prop_assume!(span <= tensor.shape()[dim]);
        match tensor.level_step(dim, Elements(step), Elements(span)) {
            Ok(bytes) if count == 1 => prop_assert_eq!(bytes, Bytes(0)),
            Ok(bytes) => {
                let distance = distance_by_definition(&tensor, dim, step, span);
                prop_assert_eq!(Some(bytes.get()), distance);
                let elements = tensor.level_step_elements(dim, Elements(step), Elements(span));
                let each = tensor.format().bytes_per_element();
                prop_assert_eq!(elements.unwrap().to_bytes(each), Some(bytes));
            }
            Err(WindowError::CutsSticks { .. }) => {
                let per_stick = tensor.stick_extent(dim);
                let whole = Elements(step).is_multiple_of(per_stick)
                    && Elements(span).is_multiple_of(per_stick);
                prop_assert!(!whole);
            }
            Err(WindowError::NotAffine { .. }) => {
                let distance = distance_by_definition(&tensor, dim, step, span);
                let extent = tensor.shape()[dim];
                prop_assert!(distance.is_none() || !extent.is_multiple_of(span));
            }
            Err(error) => prop_assert!(false, "{}", error),
        }
    }

    #[test]
    fn windows_lie_in_memory_like_the_first_one(
        tensor in tensors(), corners in prop::collection::vec((0u64..=300, 0u64..=300), 4),
    ) {
        let shape = tensor.shape();
        let mut offsets = Vec::new();
        let mut sizes = Vec::new();
        for (dim, (&extent, (a, b))) in shape.iter().zip(corners).enumerate() {
            let unit = tensor.stick_extent(dim).get();
            let (a, b) = (a % extent / unit * unit, b % extent / unit * unit);
            offsets.push(a.min(b));
            sizes.push((a.max(b) + unit).min(extent) - a.min(b));
        }
        let mut even = true;
        let base = tensor.address(&offsets).unwrap();
        for_each_point(&sizes, |point| {
            let there: Vec<u64> = point.iter().zip(&offsets).map(|(at, offset)| at + offset).collect();
            let expected = base.checked_add(tensor.address(point).unwrap());
            even &= tensor.address(&there).ok() == expected;
        });
        match tensor.window_offset(&offsets, &sizes) {
            Ok(address) => {
                prop_assert_eq!(address, base);
                prop_assert!(even);
            }
            Err(WindowError::NotAffine { .. }) => prop_assert!(!even),
            Err(error) => prop_assert!(false, "{}", error),
        }
    }

    #[test]
    fn stride_maps_convert_back(tensor in tensors(), order in Just([0, 1, 2, 3]).prop_shuffle()) {
        let (shape, layout) = (tensor.shape(), tensor.layout());
        let order: Vec<usize> = order.into_iter().filter(|&dim| dim < shape.len()).collect();
        let strides = contiguous(shape, &order);
        let map = layout.stride_map(shape, &strides).unwrap();
        let size = tensor.device_size();
        // Stride map entries give the source of an element: the sum over device coordinates is its
        // host offset.
        for_each_point(shape, |point| {
            let coords = tensor.device_coords(point).unwrap();
            let host: i64 = point.iter().zip(&strides).map(|(&at, stride)| at as i64 * stride).sum();
            let sum: i64 =
                coords.iter().zip(&map).filter(|(_, entry)| **entry > 0).map(|(&at, entry)| at as i64 * entry).sum();
            assert_eq!(sum, host);
        });
        if size.len() > 8 {
            return Ok(());
        }
        let back = match Layout::from_device_size_and_stride_map(shape, &strides, size, &map) {
            Err(StrideMapError::Ambiguous { first, second, layout, other, .. }) => {
                // Not guessed, and both readings are indeed there.
                prop_assert_eq!(map[first], map[second]);
                for reading in [&layout, &other] {
                    prop_assert_eq!(reading.stride_map(shape, &strides).unwrap(), map.clone());
                }
                prop_assert_ne!(layout, other);
                return Ok(());
            }
            back => back.unwrap(),
        };
        prop_assert_eq!(back.stride_map(shape, &strides).unwrap(), map);
        let back = back.place(shape, tensor.format()).unwrap();
        prop_assert_eq!(back.device_size(), size);
        if layout.explicit_device_size().is_none() && has_full_digits(&tensor) {
            for_each_point(shape, |point| {
                assert_eq!(back.address(point), tensor.address(point), "{} {:?}", back.layout(), point);
            });
        }
    }

    #[test]
    fn any_stride_map_is_answered(
        host in prop::collection::vec((0u64..=5, -1i64..=40), 0..=4),
        device in prop::collection::vec((0u64..=9, -2i64..=40), 0..=8),
    ) {
        let (host_size, host_strides): (Vec<_>, Vec<_>) = host.into_iter().unzip();
        let (size, map): (Vec<_>, Vec<_>) = device.into_iter().unzip();
        if let Ok(layout) =
            Layout::from_device_size_and_stride_map(&host_size, &host_strides, &size, &map)
        {
            prop_assert_eq!(layout.stride_map(&host_size, &host_strides).unwrap(), map);
            let eps = Elements(*size.last().unwrap());
            prop_assert_eq!(layout.device_size(&host_size, eps).unwrap(), size);
        }
    }

    #[test]
    fn ambiguous_stride_maps_are_answered(
        host in prop::collection::vec((2u64..=5, 0i64..=2), 0..=12),
        device in prop::collection::vec((1u64..=6, 0i64..=4), 0..=8),
    ) {
        let (host_size, host_strides): (Vec<_>, Vec<_>) = host.into_iter().unzip();
        let (size, map): (Vec<_>, Vec<_>) = device.into_iter().unzip();
        let layout =
            Layout::from_device_size_and_stride_map(&host_size, &host_strides, &size, &map);
        if let Ok(layout) = layout {
            prop_assert_eq!(layout.stride_map(&host_size, &host_strides).unwrap(), map);
        }
    }
}

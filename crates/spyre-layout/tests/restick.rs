//! Layouts of copies: another stick, another format, and equality of placements.

mod common;

use common::{FORMATS, contiguous, default_tensor, points, small_tensor};
use proptest::prelude::*;
use spyre_layout::{
    Arrangement, Bytes, Coord, DeviceFormat, DimOrder, Elements, Layout, OrderError, RestickError,
};

const F16: DeviceFormat = DeviceFormat::Sen169Fp16;

fn default(order: &[i64]) -> Layout {
    Layout::default_for(&DimOrder::from_indices(order).unwrap(), Elements(64)).unwrap()
}

#[test]
fn a_restickify_leaves_the_default_layout() {
    let eps = Elements(64);
    let layout = default(&[2, 0, 1]);
    for (stick, printed) in [
        (
            Some(2),
            "(d0, d1, d2) -> (d1, d2 floordiv 64, d0, d2 mod 64)",
        ),
        (
            Some(1),
            "(d0, d1, d2) -> (d2, d1 floordiv 64, d0, d1 mod 64)",
        ),
        (
            Some(0),
            "(d0, d1, d2) -> (d2, d0 floordiv 64, d1, d0 mod 64)",
        ),
        (None, "(d0, d1, d2) -> (d1, d2, 0, d0, 0)"),
    ] {
        assert_eq!(layout.restick(stick, eps).unwrap().to_string(), printed);
    }
    let sparse = layout.restick(None, eps).unwrap();
    assert_eq!(sparse, default(&[0, 1, 2, -1]));
    assert_eq!(default(&[]).restick(None, eps).unwrap(), default(&[]));
    // A format that is fixed stays.
    let fixed = layout.clone().with_format(F16);
    assert_eq!(
        fixed.restick(Some(0), eps).unwrap().format_override(),
        Some(F16)
    );
}

#[test]
fn impossible_sticks_are_refused() {
    let eps = Elements(64);
    let layout = default(&[0, 1]);
    let error = layout.restick(Some(2), eps).unwrap_err();
    assert_eq!(
        error.to_string(),
        "d2 cannot be on the stick, the tensor has rank 2"
    );
    let staggered = layout
        .clone()
        .with_arrangement(Arrangement::Dl16ToFp32)
        .unwrap();
    let error = staggered.restick(Some(0), eps).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a tensor in arrangement DL16_TO_FP32 has no layout with another stick"
    );
    let rank_seven = Layout::row_major_sticks(7, eps).unwrap();
    for stick in [Some(0), None] {
        let error = rank_seven.restick(stick, eps).unwrap_err();
        assert_eq!(
            error,
            RestickError::Order(OrderError::RankTooLarge { rank: 7 })
        );
        assert_eq!(
            error.to_string(),
            "rank 7 is more than the 6 dimensions that the default layout takes"
        );
    }
    assert!(layout.restick(Some(0), Elements(0)).is_err());
}

#[test]
fn orders_with_a_stick() {
    let order = |order: DimOrder| (order.dims().to_vec(), order.is_sparse());
    assert_eq!(
        order(DimOrder::with_stick(4, 1).unwrap()),
        (vec![0, 2, 3, 1], false)
    );
    assert_eq!(order(DimOrder::sparse(3)), (vec![0, 1, 2], true));
    let shape = [1, 32, 1, 128, 4];
    // Dimensions of extent 1 go to the right, before the stick, whatever its extent.
    for (stick, dims) in [
        (Some(3), [1, 4, 0, 2, 3]),
        (Some(0), [1, 3, 4, 2, 0]),
        (None, [1, 3, 4, 0, 2]),
    ] {
        let default_order = DimOrder::for_shape(&shape, stick).unwrap();
        assert_eq!(order(default_order), (dims.to_vec(), stick.is_none()));
    }
    assert_eq!(
        order(DimOrder::for_shape(&[], None).unwrap()),
        (vec![], true)
    );
    for result in [
        DimOrder::for_shape(&shape, Some(5)),
        DimOrder::with_stick(5, 5),
    ] {
        assert_eq!(
            result.unwrap_err(),
            OrderError::NoSuchDim { dim: 5, rank: 5 }
        );
    }
    assert!(DimOrder::with_stick(0, 0).is_err());
}

#[test]
fn sticks_of_another_format_are_counted_anew() {
    let layout = default(&[0, 1]);
    let f32 = layout.with_elements_per_stick(Elements(32)).unwrap();
    assert_eq!(
        f32.to_string(),
        "(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32)"
    );
    assert_eq!(
        f32.device_size(&[512, 200], Elements(32)).unwrap(),
        [7, 512, 32]
    );
    assert_eq!(f32.with_elements_per_stick(Elements(64)).unwrap(), layout);
    // Order and sparse sticks stay.
    let i8 = default(&[1, 2, 0])
        .with_elements_per_stick(Elements(128))
        .unwrap();
    assert_eq!(
        i8.to_string(),
        "(d0, d1, d2) -> (d2, d0 floordiv 128, d1, d0 mod 128)"
    );
    let sparse = default(&[0, 1, -1]);
    assert_eq!(
        sparse.with_elements_per_stick(Elements(32)).unwrap(),
        sparse
    );
    // Padding covers as many elements as before: 5 sticks of 64 are 10 of 32 and 3 of 128.
    let padded = default(&[0, 1]).with_device_size(vec![5, 600, 64]).unwrap();
    for (eps, size) in [(32, [10, 600, 32]), (128, [3, 600, 128])] {
        let other = padded.with_elements_per_stick(Elements(eps)).unwrap();
        assert_eq!(other.explicit_device_size(), Some(&size[..]));
    }
    assert_eq!(
        layout
            .clone()
            .with_format(F16)
            .with_elements_per_stick(Elements(32))
            .unwrap()
            .format_override(),
        None
    );
}

#[test]
fn breaks_of_the_stick_dimension_stay() {
    let digit = |divisor, modulus| Coord::Digit {
        dim: 1,
        divisor,
        modulus: Some(modulus),
    };
    let stick = Coord::modulo(1, 64);
    let build = |coords: Vec<Coord>| Layout::new(2, coords).unwrap();
    let eps = |layout: &Layout, eps| {
        layout
            .with_elements_per_stick(Elements(eps))
            .map(|layout| layout.to_string())
    };
    // Blocks of four sticks.
    let blocks = build(vec![
        Coord::floor_div(1, 256),
        Coord::dim(0),
        digit(64, 4),
        stick,
    ]);
    assert_eq!(
        eps(&blocks, 32).unwrap(),
        "(d0, d1) -> (d1 floordiv 256, d0, (d1 floordiv 32) mod 8, d1 mod 32)"
    );
    assert_eq!(
        eps(&blocks, 128).unwrap(),
        "(d0, d1) -> (d1 floordiv 256, d0, (d1 floordiv 128) mod 2, d1 mod 128)"
    );
    // Blocks of two and of three.
    let two = build(vec![
        Coord::floor_div(1, 128),
        Coord::dim(0),
        digit(64, 2),
        stick,
    ]);
    assert_eq!(
        eps(&two, 128).unwrap(),
        "(d0, d1) -> (d1 floordiv 128, d0, 0, d1 mod 128)"
    );
    let three = build(vec![
        Coord::floor_div(1, 192),
        Coord::dim(0),
        digit(64, 3),
        stick,
    ]);
    assert_eq!(
        eps(&three, 128).unwrap_err().to_string(),
        "the layout breaks d1 every 192 elements, which are no whole sticks of 128 elements \
         (remainder 64)"
    );
    // No coordinate counts the sticks: one is added when there are several.
    let single = build(vec![Coord::dim(0), stick]);
    assert_eq!(
        eps(&single, 32).unwrap(),
        "(d0, d1) -> (d0, d1 floordiv 32, d1 mod 32)"
    );
    assert_eq!(eps(&single, 128).unwrap(), "(d0, d1) -> (d0, d1 mod 128)");
}

#[test]
fn a_half_full_stick_keeps_its_coordinates() {
    // A stick that a view left half full.
    let half = default(&[0, 1])
        .collapse_shape(&[4, 32], &[vec![0, 1]], &[128], Elements(64))
        .unwrap();
    let other = half.with_elements_per_stick(Elements(32)).unwrap();
    assert_eq!(other.to_string(), half.to_string());
    assert_eq!(other.device_size(&[128], Elements(32)).unwrap(), [1, 4, 32]);
    let other = half.with_elements_per_stick(Elements(128)).unwrap();
    assert_eq!(
        other.device_size(&[128], Elements(128)).unwrap(),
        [1, 4, 128]
    );
}

#[test]
fn sticks_that_no_layout_has() {
    for bad in [0, 1] {
        assert!(
            default(&[0, 1])
                .with_elements_per_stick(Elements(bad))
                .is_err()
        );
    }
    let huge = default(&[0, 1])
        .with_device_size(vec![u64::MAX, 1, 64])
        .unwrap();
    assert!(matches!(
        huge.with_elements_per_stick(Elements(32)),
        Err(RestickError::TooLarge { coord: 0, .. })
    ));
}

#[test]
fn a_layout_for_another_shape_drops_the_size() {
    let padded = default(&[0, 1]).with_device_size(vec![5, 600, 64]).unwrap();
    assert_eq!(padded.without_device_size(), default(&[0, 1]));
}

#[test]
fn what_a_stride_map_loses_does_not_move_elements() {
    // The stick dimension has extent 1.
    let layout = default(&[0, 1]);
    let (shape, strides) = ([8, 1], [1, 1]);
    let size = layout.device_size(&shape, Elements(64)).unwrap();
    let map = layout.stride_map(&shape, &strides).unwrap();
    assert_eq!((&size[..], &map[..]), (&[1, 8, 64][..], &[-1, 1, -1][..]));
    let back = Layout::from_device_size_and_stride_map(&shape, &strides, &size, &map).unwrap();
    assert_eq!((back.stick_dim(), layout.stick_dim()), (None, Some(1)));
    assert_eq!(back.same_placement(&layout, &shape, F16), Ok(true));
    // For another shape it does.
    assert!(back.same_placement(&layout, &[8, 2], F16).is_err());
    let rows = default(&[1, 0]);
    assert_eq!(rows.same_placement(&layout, &[8, 1], F16), Ok(false));
    assert_eq!(rows.same_placement(&layout, &[1, 1], F16), Ok(true));
    // A larger buffer with the same addresses is another placement.
    let padded = layout.clone().with_device_size(vec![2, 8, 64]).unwrap();
    assert_eq!(padded.same_placement(&layout, &shape, F16), Ok(false));
    let exact = layout.clone().with_device_size(vec![1, 8, 64]).unwrap();
    assert_eq!(exact.same_placement(&layout, &shape, F16), Ok(true));
    let staggered = layout
        .clone()
        .with_arrangement(Arrangement::Dl16ToFp32)
        .unwrap();
    assert_eq!(staggered.same_placement(&layout, &shape, F16), Ok(false));
}

/// Every order of `rank` dimensions.
fn orders(rank: usize) -> Vec<Vec<i64>> {
    let mut orders = vec![vec![]];
    for dim in 0..rank as i64 {
        orders = orders
            .iter()
            .flat_map(|order: &Vec<i64>| {
                (0..=order.len()).map(move |at| {
                    let mut order = order.clone();
                    order.insert(at, dim);
                    order
                })
            })
            .collect();
    }
    orders
}

/// The shapes that have `sticks` for the stick dimension and `others` for the rest.
fn shapes(rank: usize, stick: Option<usize>, sticks: &[u64], others: &[u64]) -> Vec<Vec<u64>> {
    let mut shapes = vec![vec![]];
    for dim in 0..rank {
        let extents = if stick == Some(dim) { sticks } else { others };
        shapes = shapes
            .iter()
            .flat_map(|shape: &Vec<u64>| {
                extents
                    .iter()
                    .map(move |&extent| [&shape[..], &[extent]].concat())
            })
            .collect();
    }
    shapes
}

/// Checks the conversion to device size and stride map and back; returns how many it was.
fn round_trips(rank: usize, orders: &[Vec<i64>], format: DeviceFormat, others: &[u64]) -> usize {
    let eps = format.elements_per_stick();
    let mut count = 0;
    for order in orders {
        let order = DimOrder::from_indices(order).unwrap();
        let layout = Layout::default_for(&order, eps).unwrap();
        let stick = order.dims().last().copied().filter(|_| !order.is_sparse());
        let n = eps.get();
        for shape in shapes(rank, stick, &[1, n - 1, n, n + 1, 3 * n + 1], others) {
            let strides = contiguous(&shape);
            let size = layout.device_size(&shape, eps).unwrap();
            let map = layout.stride_map(&shape, &strides).unwrap();
            let back =
                Layout::from_device_size_and_stride_map(&shape, &strides, &size, &map).unwrap();
            assert_eq!(back.device_size(&shape, eps).unwrap(), size);
            assert_eq!(back.stride_map(&shape, &strides).unwrap(), map);
            assert_eq!(
                back.same_placement(&layout, &shape, format),
                Ok(true),
                "{layout} {shape:?}"
            );
            if shape.iter().all(|&extent| extent > 1) {
                assert_eq!(back, layout);
            }
            count += 1;
        }
    }
    count
}

/// The orders of `rank` dimensions, dense and sparse.
fn dense_and_sparse(dense: Vec<Vec<i64>>) -> Vec<Vec<i64>> {
    let sparse = dense.iter().map(|order| [&order[..], &[-1]].concat());
    sparse.chain(dense.iter().cloned()).collect()
}

#[test]
fn every_order_of_small_ranks_converts_back() {
    let mut count = 0;
    for format in FORMATS {
        for rank in 0..=3 {
            count += round_trips(rank, &dense_and_sparse(orders(rank)), format, &[1, 2, 5]);
        }
        count += round_trips(4, &dense_and_sparse(orders(4)), format, &[1, 3]);
    }
    assert!(count > 5_000, "{count}");
}

#[test]
fn large_ranks_convert_back() {
    for format in DeviceFormat::ALL {
        for rank in 5..=6i64 {
            // Each dimension once first and once last, dense and sparse: seven entries for rank 6.
            let turned = (0..rank).map(|by| (0..rank).map(|dim| (dim + by) % rank).collect());
            let orders = dense_and_sparse(turned.collect());
            round_trips(rank as usize, &orders, format, &[1, 2]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn random_default_layouts_convert_back(tensor in default_tensor()) {
        let (shape, layout) = (tensor.shape(), tensor.layout());
        let strides = contiguous(shape);
        let map = layout.stride_map(shape, &strides).unwrap();
        let back =
            Layout::from_device_size_and_stride_map(shape, &strides, tensor.device_size(), &map)
                .unwrap();
        prop_assert_eq!(back.same_placement(layout, shape, tensor.format()), Ok(true));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_same_placement_is_the_same_addresses(
        one in small_tensor(), other in prop::collection::vec(0usize..=8, 6), swap in any::<bool>(),
    ) {
        // Another layout: two coordinates exchanged, or the same in other words.
        let (shape, format) = (one.shape(), one.format());
        let mut coords = one.layout().coords().to_vec();
        let mut size = one.device_size().to_vec();
        let body = coords.len() - 1;
        if swap {
            let (a, b) = (other[0] % body, other[1] % body);
            coords.swap(a, b);
            size.swap(a, b);
        }
        for coord in &mut coords[..body] {
            if let Coord::Digit { dim, divisor, .. } = *coord && divisor >= shape[dim] && divisor > 1 {
                *coord = Coord::Zero;
            }
        }
        // A digit may now be the highest one of its dimension with a modulus, which is enough.
        let layout = Layout::new(shape.len(), coords).unwrap().with_device_size(size).unwrap();
        let two = layout.place(shape, format).unwrap();
        let same = one.device_size() == two.device_size()
            && points(shape).iter().all(|point| one.address(point) == two.address(point));
        prop_assert_eq!(one.layout().same_placement(&layout, shape, format), Ok(same));
        prop_assert!(same || swap);
    }

    #[test]
    fn another_format_keeps_every_element(
        tensor in small_tensor(), format in prop::sample::select(FORMATS.to_vec()),
    ) {
        let shape = tensor.shape();
        let layout = tensor.layout().with_elements_per_stick(format.elements_per_stick());
        match layout {
            Ok(layout) => {
                let other = layout.place(shape, format).unwrap();
                prop_assert_eq!(layout.stick_dim(), tensor.layout().stick_dim());
                // The other dimensions lie in the same order, in the same digits.
                let others = |layout: &Layout| -> Vec<Coord> {
                    let coords = layout.coords().iter().copied();
                    let stick_dim = layout.stick_dim();
                    coords
                        .filter(|coord| coord.host_dim().is_some() && coord.host_dim() != stick_dim)
                        .collect()
                };
                prop_assert_eq!(others(&layout), others(tensor.layout()));
                if tensor.format().elements_per_stick() == format.elements_per_stick() {
                    prop_assert_eq!(&layout, tensor.layout());
                }
                let mut addresses: Vec<Bytes> =
                    points(shape).iter().map(|point| other.address(point).unwrap()).collect();
                addresses.sort();
                addresses.dedup();
                prop_assert_eq!(addresses.len() as u64, shape.iter().product::<u64>());
            }
            Err(RestickError::BlockIsNoSticks { block, elements_per_stick, .. }) => {
                prop_assert!(!block.is_multiple_of(elements_per_stick));
            }
            Err(error) => prop_assert!(false, "{error}"),
        }
    }
}

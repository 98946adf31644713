//! Everything that is refused, with the numbers in the message.

use spyre_layout::{
    Arrangement, Coord, DeviceFormat, DimOrder, Elements, Layout, LayoutError, PlaceError,
    StrideMapError,
};

const F16: DeviceFormat = DeviceFormat::Sen169Fp16;

fn digit(dim: usize, divisor: u64, modulus: u64) -> Coord {
    Coord::Digit {
        dim,
        divisor,
        modulus: Some(modulus),
    }
}

fn sticks(rank: usize) -> Layout {
    Layout::default_for(&DimOrder::host(rank), Elements(64)).unwrap()
}

#[test]
fn inconsistent_coordinates() {
    let cases = [
        (1, vec![], "0 device coordinates cannot hold a stick of 1"),
        (
            1,
            vec![Coord::dim(1)],
            "device coordinate 0 uses d1, but the tensor has rank 1",
        ),
        (
            1,
            vec![Coord::floor_div(0, 0)],
            "device coordinate 0 divides d0 by 0",
        ),
        (
            1,
            vec![Coord::modulo(0, 1)],
            "device coordinate 0 takes d0 mod 1; a modulus is at least 2 (write 0 for a \
             coordinate that is always zero)",
        ),
        (
            1,
            vec![Coord::floor_div(0, 2), Coord::Zero],
            "the lowest digit of d0 is d0 floordiv 2: 2 neighbouring positions would share one \
             address",
        ),
        (
            1,
            vec![Coord::floor_div(0, 128), Coord::modulo(0, 64)],
            "the digit of d0 with divisor 1 and modulus 64 must be followed by divisor 1 * 64, \
             found 128",
        ),
        (
            1,
            vec![digit(0, 1 << 63, 2), digit(0, 1, 1 << 63), digit(0, 1, 4)],
            "the digit of d0 with divisor 1 and modulus 9223372036854775808 must be followed by \
             divisor 1 * 9223372036854775808, found 1",
        ),
        (
            1,
            vec![Coord::floor_div(0, 64), Coord::dim(0)],
            "the digit of d0 with divisor 1 has no modulus, but d0 has another digit with divisor \
             64: only the most significant digit may be unbounded",
        ),
        (
            1,
            vec![Coord::modulo(0, 4), Coord::floor_div(0, 4)],
            "device coordinate 1 lies inside the stick but is a digit of d0 with divisor 4; a \
             stick holds consecutive positions",
        ),
    ];
    for (rank, coords, message) in cases {
        assert_eq!(Layout::new(rank, coords).unwrap_err().to_string(), message);
    }
}

#[test]
fn inconsistent_extras() {
    let layout = sticks(2);
    assert_eq!(
        layout.clone().with_device_size(vec![4, 64]),
        Err(LayoutError::DeviceSizeRank {
            actual: 2,
            coords: 3
        })
    );
    assert_eq!(
        layout.clone().with_device_size(vec![4, 8, 32]),
        Err(LayoutError::DeviceSizeTooSmall {
            coord: 2,
            size: 32,
            least: 64
        })
    );
    assert_eq!(
        layout.clone().with_device_size(vec![4, 0, 64]),
        Err(LayoutError::DeviceSizeTooSmall {
            coord: 1,
            size: 0,
            least: 1
        })
    );
    for coord in [1, 3] {
        let error = layout.clone().with_expanded(vec![coord]);
        assert_eq!(error, Err(LayoutError::ExpandedNotZero { coord }));
    }
    let short = Layout::new(0, vec![Coord::Zero]).unwrap();
    assert_eq!(
        short.with_arrangement(Arrangement::Qfp8Wt),
        Err(LayoutError::TooFewCoords {
            actual: 1,
            needed: 2
        })
    );
}

#[test]
fn layouts_that_do_not_fit_the_tensor() {
    let layout = sticks(2);
    let place = |layout: &Layout, shape: &[u64]| layout.place(shape, F16).unwrap_err().to_string();
    assert_eq!(
        place(&layout, &[4]),
        "the layout is for rank 2, the shape has 1 entries"
    );
    assert_eq!(
        place(&layout, &[4, 0]),
        "d1 has extent 0: an empty tensor has no place in device memory"
    );
    let no_rows = Layout::new(2, vec![Coord::floor_div(1, 64), Coord::modulo(1, 64)]).unwrap();
    assert!(no_rows.place(&[1, 100], F16).is_ok());
    assert_eq!(
        place(&no_rows, &[2, 100]),
        "d0 has extent 2 but no device coordinate depends on it: its elements would share one \
         address"
    );
    let two_sticks = Layout::new(1, vec![digit(0, 64, 2), Coord::modulo(0, 64)]).unwrap();
    assert!(two_sticks.place(&[128], F16).is_ok());
    assert_eq!(
        place(&two_sticks, &[129]),
        "the digits of d0 count to 128, but its extent is 129"
    );
    assert_eq!(
        layout
            .check(&[4, 64], Elements(32))
            .unwrap_err()
            .to_string(),
        "the stick of the layout holds 64 elements, a stick of this format holds 32 elements"
    );
    let padded = layout.clone().with_device_size(vec![4, 8, 64]).unwrap();
    assert!(padded.place(&[8, 256], F16).is_ok());
    assert_eq!(
        place(&padded, &[9, 64]),
        "entry 1 of the device size is 8; this tensor needs at least 9"
    );
    let wrong_stick = layout.clone().with_device_size(vec![4, 8, 128]).unwrap();
    assert_eq!(
        wrong_stick.place(&[8, 256], F16),
        Err(PlaceError::StickSize {
            actual: Elements(128),
            expected: Elements(64)
        })
    );
    assert_eq!(
        place(&layout, &[1 << 40, 1 << 30]),
        format!(
            "device size [{}, {}, 64] is more than 2^64 - 1 bytes",
            1 << 24,
            1u64 << 40
        )
    );
    let tensor = layout.place(&[8, 256], F16).unwrap();
    assert_eq!(
        tensor.address(&[8, 0]),
        Err(PlaceError::PointOutside {
            dim: 0,
            position: 8,
            extent: 8
        })
    );
    assert_eq!(
        tensor.device_coords(&[0]),
        Err(PlaceError::Rank {
            what: "point",
            rank: 2,
            actual: 1
        })
    );
}

#[test]
fn a_stick_without_modulus_fits_one_size_only() {
    let layout = Layout::new(1, vec![Coord::dim(0)]).unwrap();
    assert!(layout.place(&[64], F16).is_ok());
    assert!(layout.place(&[40], F16).is_err());
    let padded = layout.with_device_size(vec![64]).unwrap();
    assert!(padded.place(&[40], F16).is_ok());
    assert_eq!(
        padded.place(&[100], F16),
        Err(PlaceError::DeviceSizeTooSmall {
            coord: 0,
            size: 64,
            needed: 100
        })
    );
}

#[test]
fn the_stick_of_quantized_weights_has_two_dimensions() {
    let coords = vec![
        Coord::floor_div(1, 64),
        Coord::floor_div(0, 2),
        Coord::modulo(0, 2),
        { Coord::modulo(1, 64) },
    ];
    let layout = Layout::new(2, coords).unwrap();
    let weights = layout
        .clone()
        .with_arrangement(Arrangement::Qfp8Wt)
        .unwrap();
    let tensor = weights.place(&[8, 256], DeviceFormat::Sen143Fp8).unwrap();
    assert_eq!(tensor.device_size(), [4, 4, 2, 64]);
    assert_eq!(
        (tensor.stick_extent(0), tensor.stick_extent(1)),
        (Elements(2), Elements(64))
    );
    assert!(tensor.window_step(0, Elements(1)).is_err());
    assert_eq!(tensor.window_step(0, Elements(2)).unwrap().get(), 128);
    // In the standard arrangement 64 elements of one byte are half a stick.
    let error = layout
        .place(&[8, 256], DeviceFormat::Sen143Fp8)
        .unwrap_err();
    assert_eq!(
        error,
        PlaceError::StickSize {
            actual: Elements(64),
            expected: Elements(128)
        }
    );
}

#[test]
fn the_format_of_the_layout_goes_first() {
    let layout = Layout::default_for(&DimOrder::host(1), Elements(32)).unwrap();
    assert!(layout.place(&[100], F16).is_err());
    let layout = layout.with_format(DeviceFormat::IeeeFp32);
    let tensor = layout.place(&[100], F16).unwrap();
    assert_eq!(
        (tensor.format(), tensor.device_size()),
        (DeviceFormat::IeeeFp32, &[4, 32][..])
    );
}

#[test]
fn stride_maps_of_no_layout() {
    let message_for = |size: &[u64], map: &[i64]| {
        Layout::from_device_size_and_stride_map(&[8, 128], &[128, 1], size, map)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        message_for(&[2, 8, 64], &[64, 1]),
        "the stride map has 2 entries, expected 3"
    );
    assert_eq!(
        message_for(&[2, 8, 64], &[64, -2, 1]),
        "entry 1 of the stride map is -2; entries are -1, 0 or positive"
    );
    // Four rows instead of eight, and a missing dimension.
    assert_eq!(
        message_for(&[2, 4, 64], &[64, 128, 1]),
        "device size [2, 4, 64] with stride map [64, 128, 1] does not hold a tensor of size \
         [8, 128] and strides [128, 1]"
    );
    assert!(message_for(&[2, 64], &[64, 1]).ends_with("of size [8, 128] and strides [128, 1]"));
    assert!(message_for(&[], &[]).contains("does not hold"));
    assert_eq!(
        message_for(&[1; 9], &[-1; 9]),
        "9 device dimensions are more than the 8 that are supported"
    );
    let error =
        Layout::from_device_size_and_stride_map(&[8, 128], &[256, 2], &[2, 8, 64], &[128, 256, 1]);
    assert_eq!(
        error.unwrap_err().to_string(),
        "entry 2 of the stride map is 1, which is no multiple of any of the host strides [256, 2]"
    );
    let error = Layout::from_device_size_and_stride_map(&[8], &[-1], &[1, 64], &[64, 1]);
    assert_eq!(
        error,
        Err(StrideMapError::NegativeHostStride { dim: 0, stride: -1 })
    );
    let error = Layout::from_device_size_and_stride_map(&[8, 1], &[1], &[1, 64], &[64, 1]);
    assert!(matches!(
        error,
        Err(StrideMapError::Length {
            actual: 1,
            expected: 2,
            ..
        })
    ));
}

#[test]
fn stride_maps_do_not_overflow() {
    let layout = sticks(1);
    let error = layout.stride_map(&[128], &[i64::MAX]);
    let expected = StrideMapError::TooLarge {
        dim: 0,
        stride: i64::MAX,
        divisor: 64,
    };
    assert_eq!(error, Err(expected));
    assert_eq!(
        layout.stride_map(&[128], &[-1]),
        Err(StrideMapError::NegativeHostStride { dim: 0, stride: -1 })
    );
    assert!(layout.stride_map(&[128], &[1, 1]).is_err());
}

#[test]
fn hopeless_stride_maps_are_refused() {
    // Eight device dimensions that each of many host dimensions could claim: without a bound on the
    // search this would not end in a lifetime.
    for (hosts, extent, stride) in [
        (7, 1 << 40, 0),
        (5, 3, 0),
        (8, 3, 1),
        (1000, 2, 0),
        (1000, 2, 1),
    ] {
        let (size, strides) = (vec![extent; hosts], vec![stride; hosts]);
        let map = [stride; 8];
        let layout = Layout::from_device_size_and_stride_map(&size, &strides, &[2; 8], &map);
        assert!(
            matches!(layout, Err(StrideMapError::NoLayout { .. })),
            "{hosts} of {extent}"
        );
    }
}

//! Coordinates from flat indices: the examples of the middle-end specification, section 2.4, what is
//! refused, and every point of random indices.

mod common;

use common::{contiguous, points, small_tensor};
use proptest::prelude::*;
use spyre_layout::{
    CoordExpr, CoordTerm, DeviceFormat, DimOrder, Elements, FlatIndex, IndexError, IndexTerm,
    Layout, Storage,
};

#[track_caller]
fn coordinates(
    (sizes, strides): (&[u64], &[i64]),
    coefficients: &[i64],
    offset: i64,
    ranges: &[u64],
) -> Result<Vec<String>, IndexError> {
    let index = FlatIndex::affine(coefficients, offset);
    let coords = Storage::new(sizes, strides)?.coordinates(&index, ranges)?;
    Ok(coords.iter().map(ToString::to_string).collect())
}

#[test]
fn host_coordinates() {
    let host = (&[2, 256, 4096][..], &[1_048_576, 4096, 1][..]);
    assert_eq!(
        coordinates(host, &[4096, 1], 0, &[512, 4096]).unwrap(),
        ["p0 floordiv 256", "p0 mod 256", "p1"]
    );
}

#[test]
fn device_coordinates() {
    let map = [4096, 64, 1_048_576, 1];
    let device = (&[256, 64, 2, 64][..], &map[..]);
    assert_eq!(
        coordinates(device, &[4096, 1], 0, &[512, 4096]).unwrap(),
        [
            "p0 mod 256",
            "p1 floordiv 64",
            "p0 floordiv 256",
            "p1 mod 64"
        ]
    );
}

#[test]
fn offsets_go_to_the_largest_stride_first() {
    let storage = (&[4, 20, 30][..], &[600, 30, 1][..]);
    assert_eq!(
        coordinates(storage, &[], 1855, &[]).unwrap(),
        ["3", "1", "25"]
    );
    let storage = (&[9, 15, 384][..], &[5760, 384, 1][..]);
    assert_eq!(
        coordinates(storage, &[5760, 384, 1], 17280, &[6, 15, 384]).unwrap(),
        ["p0 + 3", "p1", "p2"]
    );
}

#[test]
fn what_does_not_move_is_zero() {
    // Sparse, synthetic and repeated device dimensions; variables of range 1.
    let device = (&[256, 1, 512, 8, 64][..], &[1, -1, 256, 0, -1][..]);
    assert_eq!(
        coordinates(device, &[256, 7, 1], 0, &[512, 1, 256]).unwrap(),
        ["p2", "0", "p0", "0", "0"]
    );
}

#[test]
fn several_terms_and_factors() {
    // Every third column, two at a time.
    let storage = (&[10, 64][..], &[64, 1][..]);
    assert_eq!(
        coordinates(storage, &[64, 6, 3], 1, &[10, 10, 2]).unwrap(),
        ["p0", "p1 * 6 + p2 * 3 + 1"]
    );
    // Pairs in rows of four: the first of a pair is at most 2.
    assert_eq!(
        coordinates((&[8, 4], &[4, 1]), &[2, 1], 0, &[16, 2]).unwrap(),
        ["p0 floordiv 2", "((p0 * 2) mod 4) + p1"]
    );
    // Three at a time across rows of four.
    let storage = (&[9, 4][..], &[4, 1][..]);
    assert_eq!(
        coordinates(storage, &[3], 0, &[12]).unwrap(),
        ["(p0 * 3) floordiv 4", "(p0 * 3) mod 4"]
    );
    assert_eq!(
        coordinates((&[4, 3, 8], &[24, 8, 1]), &[2], 0, &[48]).unwrap(),
        ["p0 floordiv 12", "(p0 floordiv 4) mod 3", "(p0 * 2) mod 8"]
    );
}

#[test]
fn variables_that_start_over() {
    let term = |var, coefficient, modulus| IndexTerm {
        var,
        coefficient,
        modulus,
    };
    let storage = Storage::new(&[4, 64, 64], &[4096, 64, 1]).unwrap();
    let of = |terms: Vec<IndexTerm>, ranges: &[u64]| {
        let index = FlatIndex { terms, offset: 0 };
        let coords = storage.coordinates(&index, ranges)?;
        Ok::<_, IndexError>(coords.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    // A row of 64 repeated for each p0, and one of 128 over two rows.
    assert_eq!(
        of(vec![term(0, 1, Some(64))], &[640]).unwrap(),
        ["0", "0", "p0 mod 64"]
    );
    assert_eq!(
        of(vec![term(0, 1, Some(128))], &[640]).unwrap(),
        ["0", "(p0 floordiv 64) mod 2", "p0 mod 64"]
    );
    // A modulus that is not reached, and terms of one variable.
    assert_eq!(
        of(vec![term(0, 60, Some(8)), term(0, 4, None)], &[8]).unwrap(),
        ["0", "p0", "0"]
    );
    // Two ways to start over.
    assert_eq!(
        of(vec![term(0, 1, Some(64)), term(0, 64, Some(32))], &[640]).unwrap_err(),
        IndexError::TwoModuli {
            var: 0,
            first: 64,
            second: 32
        }
    );
    assert_eq!(
        of(vec![term(0, 64, None), term(0, 1, Some(64))], &[100])
            .unwrap_err()
            .to_string(),
        "p0 is taken both mod 64 and as it is: it can start over in one way only"
    );
    assert_eq!(
        of(vec![term(0, 1, Some(96))], &[640]).unwrap_err(),
        IndexError::TwoModuli {
            var: 0,
            first: 96,
            second: 64
        }
    );
    assert_eq!(
        of(vec![term(0, 1, Some(0))], &[640])
            .unwrap_err()
            .to_string(),
        "p0 is taken mod 0"
    );
    let large = vec![term(0, i64::MAX, None), term(0, 1, None)];
    assert_eq!(
        of(large, &[2]).unwrap_err(),
        IndexError::TooLarge { var: 0 }
    );
}

#[test]
fn what_has_no_coordinates() {
    let storage = (&[4, 100][..], &[100, 1][..]);
    let message = |result: Result<Vec<String>, IndexError>| result.unwrap_err().to_string();
    for (result, expected) in [
        (
            coordinates(storage, &[100, -1], 99, &[4, 100]),
            "the index moves by -1 along p1: reversed dimensions have no coordinates",
        ),
        (
            coordinates(storage, &[100, 1], -3, &[4, 10]),
            "the index starts at -3, before the storage",
        ),
        (
            coordinates(storage, &[150], 0, &[2]),
            "the index moves by 150 along p0, which is no multiple of the stride 100 of dimension 0",
        ),
        (
            // A slice that starts at column 60 and is 50 long.
            coordinates(storage, &[100, 1], 60, &[4, 50]),
            "coordinate p1 + 60 of dimension 1 reaches 109, its size is 100",
        ),
        (
            coordinates(storage, &[100, 1], 0, &[5, 100]),
            "coordinate p0 of dimension 0 reaches 4, its size is 4",
        ),
        (
            // All positions, over rows of 100 in sticks of 64.
            coordinates((&[2, 4, 64], &[64, 100, 1]), &[1], 0, &[400]),
            "p0 crosses from dimension 0 of stride 64 into one of stride 100, which is no multiple \
             of it (remainder 36)",
        ),
        (
            coordinates((&[4, 8], &[16, 2]), &[16, 1], 0, &[4, 8]),
            "nothing in the storage moves by 1: its smallest stride is 2",
        ),
        (
            coordinates((&[4, 8], &[16, 2]), &[16], 7, &[4]),
            "nothing in the storage moves by 1: its smallest stride is 2",
        ),
        (
            coordinates((&[40, 40, 64], &[64, 64, 1]), &[1], 0, &[64]),
            "dimensions 0 and 1 both have stride 64: the index does not tell them apart",
        ),
        (
            coordinates((&[4, 8], &[-8, 1]), &[1], 0, &[8]),
            "dimension 0 of the storage has stride -8: reversed dimensions have no coordinates",
        ),
        (
            coordinates((&[40], &[64, 1]), &[1], 0, &[64]),
            "the storage has 1 sizes and 2 strides",
        ),
        (
            coordinates((&[40, 0], &[64, 1]), &[1], 0, &[64]),
            "dimension 1 has extent 0",
        ),
        (coordinates(storage, &[1], 0, &[0]), "p0 has extent 0"),
        (
            coordinates(storage, &[1, 1], 0, &[4]),
            "the index uses p1, there are 1 loop variables",
        ),
    ] {
        assert_eq!(message(result), expected);
    }
}

#[test]
fn sticks_hold_one_variable() {
    let eps = Elements(64);
    let stick = |sizes: &[u64], map: &[i64], index: &[i64], offset, ranges: &[u64]| {
        let index = FlatIndex::affine(index, offset);
        let coords = Storage::new(sizes, map)
            .unwrap()
            .coordinates(&index, ranges)
            .unwrap();
        coords.last().unwrap().stick_var(eps)
    };
    let (size, map) = ([4, 1024, 64], [64, 256, 1]);
    assert_eq!(stick(&size, &map, &[256, 1], 0, &[1024, 256]), Ok(Some(1)));
    assert_eq!(stick(&size, &map, &[256, 1], 0, &[1024, 40]), Ok(Some(1)));
    assert_eq!(stick(&size, &map, &[256, 1], 20, &[1024, 40]), Ok(Some(1)));
    assert_eq!(stick(&size, &map, &[256], 5, &[1024]), Ok(None));
    // Two variables, every second position, and a slower variable.
    for (index, ranges, printed) in [
        (&[256, 8, 1][..], &[1024, 8, 8][..], "p1 * 8 + p2"),
        (&[256, 2], &[1024, 32], "p1 * 2"),
        (&[256, 2], &[1024, 128], "(p1 * 2) mod 64"),
    ] {
        let error = stick(&size, &map, index, 0, ranges).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "the coordinate inside the stick is {printed}: it must be a variable, a variable mod \
                 64 elements or 0, plus a constant"
            )
        );
    }
    let slow = CoordExpr {
        terms: vec![CoordTerm {
            var: 0,
            factor: 1,
            divisor: 128,
            modulus: None,
        }],
        constant: 0,
    };
    assert!(matches!(slow.stick_var(eps), Err(IndexError::Stick { .. })));
    // Sticks of another format.
    let (size, map) = ([8, 1024, 32], [32, 256, 1]);
    assert!(stick(&size, &map, &[256, 1], 0, &[1024, 256]).is_err());
}

/// The value of an index by definition.
fn flat(index: &FlatIndex, values: &[u64]) -> i64 {
    let term = |term: &IndexTerm| {
        let value = values[term.var];
        let value = term.modulus.map_or(value, |modulus| value % modulus);
        term.coefficient * i64::try_from(value).unwrap()
    };
    index.offset + index.terms.iter().map(term).sum::<i64>()
}

/// Checks coordinates against the index at every point.
#[track_caller]
fn check(sizes: &[u64], strides: &[i64], index: &FlatIndex, ranges: &[u64], coords: &[CoordExpr]) {
    for values in points(ranges) {
        let at: Vec<u64> = coords
            .iter()
            .map(|coord| coord.eval(&values).unwrap())
            .collect();
        assert!(
            at.iter().zip(sizes).all(|(at, size)| at < size),
            "{at:?} in {sizes:?}"
        );
        let sum: i64 = at
            .iter()
            .zip(strides)
            .map(|(&at, stride)| at as i64 * stride.max(&0))
            .sum();
        assert_eq!(sum, flat(index, &values), "{values:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 3000, ..ProptestConfig::default() })]

    /// A slice of a host tensor, its dimensions taken together or cut up: always representable over
    /// the host strides, and over the device wherever the layout is not in the way.
    #[test]
    fn views_of_tensors_have_coordinates(
        tensor in small_tensor(), window in prop::collection::vec((0u64..=300, 0u64..=300), 4),
        cut in prop::collection::vec(1u64..=4, 4),
    ) {
        let shape = tensor.shape();
        let strides = contiguous(shape);
        let mut index = FlatIndex::default();
        let mut ranges = Vec::new();
        for (dim, (&extent, &stride)) in shape.iter().zip(&strides).enumerate() {
            let (offset, size) = (window[dim].0 % extent, window[dim].1);
            let size = 1 + size % (extent - offset);
            index.offset += i64::try_from(offset).unwrap() * stride;
            // One variable, or two that count the same positions.
            let inner = if size % cut[dim] == 0 { cut[dim] } else { 1 };
            for (range, step) in [(size / inner, inner), (inner, 1)] {
                let coefficient = stride * i64::try_from(step).unwrap();
                index.terms.push(IndexTerm { var: ranges.len(), coefficient, modulus: None });
                ranges.push(range);
            }
        }
        let host = Storage::new(shape, &strides).unwrap().coordinates(&index, &ranges);
        check(shape, &strides, &index, &ranges, &host.unwrap());

        let map = tensor.layout().stride_map(shape, &strides).unwrap();
        let size = tensor.device_size();
        let device = Storage::new(size, &map).and_then(|it| it.coordinates(&index, &ranges));
        if let Ok(coords) = device {
            check(size, &map, &index, &ranges, &coords);
        }
    }

    /// Over a contiguous storage any variable is representable that counts consecutive elements.
    #[test]
    fn collapsed_tensors_have_coordinates(
        sizes in prop::collection::vec(1u64..=6, 1..=4), modulus in prop::option::of(1u64..=40),
    ) {
        let strides = contiguous(&sizes);
        let elements = sizes.iter().product();
        let ranges = [elements];
        let index = FlatIndex {
            terms: vec![IndexTerm { var: 0, coefficient: 1, modulus }],
            offset: 0,
        };
        match Storage::new(&sizes, &strides).unwrap().coordinates(&index, &ranges) {
            Ok(coords) => check(&sizes, &strides, &index, &ranges, &coords),
            // A modulus that ends inside a dimension.
            Err(IndexError::TwoModuli { .. }) => {
                let first = modulus.unwrap();
                prop_assert!(strides.iter().any(|&stride| first % stride as u64 != 0 && (stride as u64) < first));
            }
            Err(error) => prop_assert!(false, "{error}"),
        }
    }

    #[test]
    fn any_index_is_answered_exactly(
        storage in prop::collection::vec((1u64..=6, -1i64..=24), 0..=4),
        terms in prop::collection::vec((0usize..3, -1i64..=24, prop::option::of(0u64..=8)), 0..=4),
        ranges in prop::collection::vec(0u64..=8, 3), offset in -1i64..=40,
    ) {
        let (sizes, strides): (Vec<_>, Vec<_>) = storage.into_iter().unzip();
        let terms = terms
            .into_iter()
            .map(|(var, coefficient, modulus)| IndexTerm { var, coefficient, modulus })
            .collect();
        let index = FlatIndex { terms, offset };
        let coords = Storage::new(&sizes, &strides).and_then(|it| it.coordinates(&index, &ranges));
        if let Ok(coords) = coords {
            check(&sizes, &strides, &index, &ranges, &coords);
        }
    }
}

#[test]
fn default_layouts_agree_with_their_coordinates() {
    // The coordinates of the identity index over device memory are those of the layout.
    let f16 = DeviceFormat::Sen169Fp16;
    for (shape, order) in [
        (&[1024, 4096][..], &[0, 1][..]),
        (&[512, 8, 256], &[1, 2, 0]),
        (&[5, 128, 192], &[1, 0, 2]),
        (&[512, 256], &[0, 1, -1]),
    ] {
        let order = DimOrder::from_indices(order).unwrap();
        let layout = Layout::default_for(&order, f16.elements_per_stick()).unwrap();
        let strides = contiguous(shape);
        let map = layout.stride_map(shape, &strides).unwrap();
        let size = layout.device_size(shape, f16.elements_per_stick()).unwrap();
        let index = FlatIndex::affine(&strides, 0);
        let coords = Storage::new(&size, &map)
            .unwrap()
            .coordinates(&index, shape)
            .unwrap();
        let coords: Vec<String> = coords.iter().map(ToString::to_string).collect();
        let of_layout: Vec<String> = layout
            .coords()
            .iter()
            .map(|coord| {
                let printed = coord.to_string();
                let dim = coord.host_dim().map_or(0, |dim| dim);
                printed.replace(&format!("d{dim}"), &format!("p{dim}"))
            })
            .collect();
        assert_eq!(coords, of_layout);
    }
}

//! The three tuples of "Tensors with Device-Specific Layouts", and their way back.

mod common;

use common::{contiguous, small_tensor};
use proptest::prelude::*;
use spyre_layout::{DeviceFormat, DimOrder, Layout, LoopTuples, LoopTuplesError, StrideMapError};

const F16: DeviceFormat = DeviceFormat::Sen169Fp16;

fn tuples(ranges: &[u64], device_strides: &[u64], host_strides: &[i64]) -> LoopTuples {
    LoopTuples {
        ranges: ranges.to_vec(),
        device_strides: device_strides.to_vec(),
        host_strides: host_strides.to_vec(),
    }
}

#[test]
fn the_example() {
    let layout = Layout::default_for(&DimOrder::host(2), F16.elements_per_stick()).unwrap();
    let tensor = layout.place(&[1024, 256], F16).unwrap();
    let found = tensor.loop_tuples(&[256, 1]).unwrap();
    assert_eq!(
        found,
        tuples(&[4, 1024, 64], &[65536, 64, 1], &[64, 256, 1])
    );
    assert_eq!(
        found.to_string(),
        "((4, 1024, 64), (65536, 64, 1), (64, 256, 1))"
    );
    assert_eq!(found.to_layout(&[1024, 256], &[256, 1]).unwrap(), layout);
}

#[test]
fn a_padded_tensor() {
    let layout = Layout::default_for(&DimOrder::host(2), F16.elements_per_stick()).unwrap();
    let tensor = layout.place(&[1000, 200], F16).unwrap();
    let found = tensor.loop_tuples(&[200, 1]).unwrap();
    assert_eq!(
        found,
        tuples(&[4, 1000, 64], &[64000, 64, 1], &[64, 200, 1])
    );
    assert_eq!(found.to_layout(&[1000, 200], &[200, 1]).unwrap(), layout);
    // A transposed host tensor lies elsewhere on the host only.
    let found = tensor.loop_tuples(&[1, 1000]).unwrap();
    assert_eq!(
        found,
        tuples(&[4, 1000, 64], &[64000, 64, 1], &[64000, 1, 1000])
    );
}

#[test]
fn the_loops_copy_the_tensor() {
    // The nest of the example, run on a smaller tensor.
    let order = DimOrder::from_indices(&[1, 0, 2]).unwrap();
    let layout = Layout::default_for(&order, F16.elements_per_stick()).unwrap();
    let shape = [3, 2, 128];
    let tensor = layout.place(&shape, F16).unwrap();
    let found = tensor.loop_tuples(&contiguous(&shape)).unwrap();
    let mut visited = 0;
    for iteration in common::points(&found.ranges) {
        let at = |strides: &[i64]| -> i64 {
            iteration
                .iter()
                .zip(strides)
                .map(|(&at, stride)| at as i64 * stride)
                .sum()
        };
        let device: Vec<i64> = found.device_strides.iter().map(|&it| it as i64).collect();
        let host = at(&found.host_strides);
        let point = [host / 256, host / 128 % 2, host % 128].map(|it| it as u64);
        assert_eq!(
            tensor.device_offset(&point).unwrap().get(),
            at(&device) as u64
        );
        visited += 1;
    }
    assert_eq!(visited, 3 * 2 * 128);
}

#[test]
fn tuples_that_are_no_layout() {
    for (tuples, message) in [
        (
            tuples(&[4, 1024, 64], &[65536, 64], &[64, 256, 1]),
            "there are 3 loop ranges, 2 device strides and 3 host strides",
        ),
        (
            tuples(&[4, 1024, 64], &[65600, 64, 1], &[64, 256, 1]),
            "loop 0 has device stride 65600; the loops inside it visit 65536 elements, so that it \
             must be 65536",
        ),
        (
            // Host and device strides exchanged.
            tuples(&[4, 1024, 64], &[64, 256, 1], &[65536, 64, 1]),
            "loop 1 has device stride 256; the loops inside it visit 64 elements, so that it must be \
             64",
        ),
        (
            tuples(&[4, 1024, 64], &[65536, 64, 2], &[64, 256, 1]),
            "loop 2 has device stride 2; the loops inside it visit 1 elements, so that it must be 1",
        ),
        (
            tuples(&[4, 0, 64], &[0, 64, 1], &[64, 256, 1]),
            "loop 1 has range 0",
        ),
        (
            tuples(&[u64::MAX, 64], &[64, 1], &[64, 1]),
            "the loops [18446744073709551615, 64] visit more than 2^64 - 1 elements",
        ),
    ] {
        let error = tuples.to_layout(&[1024, 256], &[256, 1]).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    let small = tuples(&[3, 1024, 64], &[65536, 64, 1], &[64, 256, 1]);
    assert!(matches!(
        small.to_layout(&[1024, 256], &[256, 1]),
        Err(LoopTuplesError::StrideMap(_))
    ));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn tuples_convert_back(tensor in small_tensor()) {
        let shape = tensor.shape();
        let strides = contiguous(shape);
        let tuples = tensor.loop_tuples(&strides).unwrap();
        prop_assume!(tuples.ranges.len() <= 8);
        let back = match tuples.to_layout(shape, &strides) {
            // Dimensions that repeat one stride may stand for each other.
            Err(LoopTuplesError::StrideMap(StrideMapError::Ambiguous { .. })) => return Ok(()),
            found => found.unwrap(),
        };
        let back = back.place(shape, tensor.format()).unwrap();
        prop_assert_eq!(back.device_size(), tensor.device_size());
        prop_assert_eq!(back.loop_tuples(&strides).unwrap(), tuples);
    }

    #[test]
    fn any_tuples_are_answered(
        loops in prop::collection::vec((0u64..=6, 0u64..=300, -2i64..=40), 0..=5),
        nested in any::<bool>(),
    ) {
        let (ranges, mut strides, host): (Vec<u64>, Vec<u64>, Vec<i64>) =
            loops.into_iter().fold(Default::default(), |mut lists, (range, stride, host)| {
                lists.0.push(range);
                lists.1.push(stride);
                lists.2.push(host);
                lists
            });
        if nested {
            for at in 0..strides.len() {
                strides[at] = ranges[at + 1..].iter().product();
            }
        }
        let tuples = LoopTuples { ranges, device_strides: strides, host_strides: host };
        if let Ok(layout) = tuples.to_layout(&[4, 6], &[6, 1]) {
            let eps = *tuples.ranges.last().unwrap();
            let size = layout.device_size(&[4, 6], spyre_layout::Elements(eps)).unwrap();
            prop_assert_eq!(&size, &tuples.ranges);
            prop_assert_eq!(layout.stride_map(&[4, 6], &[6, 1]).unwrap(), tuples.host_strides);
        }
    }
}

//! The tables and examples of the middle-end specification, sections 2.2 to 2.4.

use spyre_layout::{Bytes, Coord, DeviceFormat, DimOrder, Elements, Layout};

const F16: DeviceFormat = DeviceFormat::Sen169Fp16;
const F32: DeviceFormat = DeviceFormat::IeeeFp32;
const I8: DeviceFormat = DeviceFormat::SenInt8;
const I64: DeviceFormat = DeviceFormat::IeeeInt32;

/// Strides of a contiguous host tensor.
fn contiguous(shape: &[u64]) -> Vec<i64> {
    let mut strides: Vec<i64> = shape
        .iter()
        .rev()
        .scan(1, |next, &extent| {
            let stride = *next;
            *next *= i64::try_from(extent).unwrap();
            Some(stride)
        })
        .collect();
    strides.reverse();
    strides
}

/// One row: the default layout has this size and stride map, and comes back from them.
#[track_caller]
fn row(shape: &[u64], format: DeviceFormat, order: &[i64], size: &[u64], map: &[i64], bytes: u64) {
    let order = DimOrder::from_indices(order).unwrap();
    let layout = Layout::default_for(&order, format.elements_per_stick()).unwrap();
    let strides = contiguous(shape);
    assert_eq!(
        layout
            .device_size(shape, format.elements_per_stick())
            .unwrap(),
        size
    );
    assert_eq!(layout.stride_map(shape, &strides).unwrap(), map);
    assert_eq!(layout.bytes(shape, format).unwrap(), Bytes(bytes));

    let back = Layout::from_device_size_and_stride_map(shape, &strides, size, map).unwrap();
    assert_eq!(
        back.device_size(shape, format.elements_per_stick())
            .unwrap(),
        size
    );
    assert_eq!(back.stride_map(shape, &strides).unwrap(), map);
    // Dimensions of size 1 leave no trace in a stride map.
    if shape.iter().all(|&extent| extent > 1) {
        assert_eq!(back, layout);
    }
}

#[test]
fn default_layouts_of_16_bit_tensors() {
    row(&[], F16, &[], &[1, 64], &[-1, -1], 128);
    row(&[60], F16, &[0], &[1, 64], &[64, 1], 128);
    row(&[120], F16, &[0], &[2, 64], &[64, 1], 256);
    row(&[128], F16, &[0], &[2, 64], &[64, 1], 256);
    row(
        &[512, 240],
        F16,
        &[0, 1],
        &[4, 512, 64],
        &[64, 240, 1],
        262_144,
    );
    row(
        &[1000, 200],
        F16,
        &[0, 1],
        &[4, 1000, 64],
        &[64, 200, 1],
        512_000,
    );
    row(
        &[1024, 256],
        F16,
        &[0, 1],
        &[4, 1024, 64],
        &[64, 256, 1],
        524_288,
    );
    row(
        &[1024, 4096],
        F16,
        &[0, 1],
        &[64, 1024, 64],
        &[64, 4096, 1],
        8_388_608,
    );
    row(
        &[512, 1024],
        F16,
        &[0, 1],
        &[16, 512, 64],
        &[64, 1024, 1],
        1_048_576,
    );
}

#[test]
fn default_layouts_of_16_bit_tensors_of_rank_3() {
    row(
        &[512, 8, 256],
        F16,
        &[0, 1, 2],
        &[8, 4, 512, 64],
        &[256, 64, 2048, 1],
        2_097_152,
    );
    row(
        &[5, 100, 150],
        F16,
        &[0, 1, 2],
        &[100, 3, 5, 64],
        &[150, 64, 15000, 1],
        192_000,
    );
    row(
        &[50, 10, 200],
        F16,
        &[0, 1, 2],
        &[10, 4, 50, 64],
        &[200, 64, 2000, 1],
        256_000,
    );
    row(
        &[3, 1, 128],
        F16,
        &[0, 1, 2],
        &[1, 2, 3, 64],
        &[-1, 64, 128, 1],
        768,
    );
}

#[test]
fn default_layouts_of_higher_rank() {
    row(
        &[2, 3, 4, 130],
        F16,
        &[0, 1, 2, 3],
        &[3, 4, 3, 2, 64],
        &[520, 130, 64, 1560, 1],
        9216,
    );
    row(
        &[1, 32, 512, 128],
        F16,
        &[0, 1, 2, 3],
        &[32, 512, 2, 1, 64],
        &[65536, 128, 64, -1, 1],
        4_194_304,
    );
    row(
        &[2, 3, 4, 5, 70],
        F16,
        &[0, 1, 2, 3, 4],
        &[3, 4, 5, 2, 2, 64],
        &[1400, 350, 70, 64, 4200, 1],
        30720,
    );
    row(
        &[2, 2, 2, 2, 2, 70],
        F16,
        &[0, 1, 2, 3, 4, 5],
        &[2, 2, 2, 2, 2, 2, 64],
        &[560, 280, 140, 70, 64, 1120, 1],
        8192,
    );
}

#[test]
fn default_layouts_of_other_formats() {
    row(
        &[512, 256],
        F32,
        &[0, 1],
        &[8, 512, 32],
        &[32, 256, 1],
        524_288,
    );
    row(
        &[512, 256],
        I8,
        &[0, 1],
        &[2, 512, 128],
        &[128, 256, 1],
        131_072,
    );
    row(&[7, 33], I64, &[0, 1], &[2, 7, 32], &[32, 33, 1], 1792);
}

#[test]
fn default_layouts_in_other_orders() {
    row(
        &[512, 256],
        F16,
        &[1, 0],
        &[8, 256, 64],
        &[16384, 1, 256],
        262_144,
    );
    // 128 bytes for each stick: the product of all but the last entry of the device size.
    row(
        &[512, 8, 256],
        F16,
        &[0, 2, 1],
        &[256, 1, 512, 64],
        &[1, 16384, 2048, 256],
        256 * 512 * 128,
    );
    row(
        &[512, 8, 256],
        F16,
        &[1, 2, 0],
        &[256, 8, 8, 64],
        &[1, 131_072, 256, 2048],
        256 * 8 * 8 * 128,
    );
    row(
        &[5, 100, 150],
        F16,
        &[1, 0, 2],
        &[5, 3, 100, 64],
        &[15000, 64, 150, 1],
        5 * 3 * 100 * 128,
    );
    row(
        &[512, 256],
        F16,
        &[0, 1, -1],
        &[256, 1, 512, 64],
        &[1, -1, 256, -1],
        256 * 512 * 128,
    );
}

#[test]
fn padding_of_any_dimension() {
    // Host [40, 60] with 512 rows on the device.
    let (shape, strides) = ([40, 60], [60, 1]);
    let (size, map) = ([1, 512, 64], [64, 60, 1]);
    let layout = Layout::from_device_size_and_stride_map(&shape, &strides, &size, &map).unwrap();
    assert_eq!(
        layout.to_string(),
        "(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)"
    );
    assert_eq!(layout.explicit_device_size(), Some(&size[..]));
    let tensor = layout.place(&shape, F16).unwrap();
    assert_eq!(tensor.device_size(), size);
    assert_eq!(tensor.bytes(), Bytes(512 * 128));
    assert_eq!(layout.stride_map(&shape, &strides).unwrap(), map);
    assert_eq!(tensor.address(&[39, 59]).unwrap(), Bytes(39 * 128 + 59 * 2));
}

#[test]
fn device_strides_of_the_copy_nests() {
    // [1000, 200]: the remainder nest starts after three whole tiles, at device element 192000.
    let layout = Layout::default_for(&DimOrder::host(2), Elements(64)).unwrap();
    let tensor = layout.place(&[1000, 200], F16).unwrap();
    assert_eq!(tensor.device_strides(), [64000, 64, 1]);
    assert_eq!(tensor.device_offset(&[0, 192]).unwrap(), Elements(192_000));
    assert_eq!(
        tensor.device_offset(&[999, 199]).unwrap(),
        Elements(192_000 + 999 * 64 + 7)
    );
    // [1024, 256]: one nest of extents (4, 1024, 64).
    let tensor = layout.place(&[1024, 256], F16).unwrap();
    assert_eq!(tensor.device_strides(), [65536, 64, 1]);
}

#[test]
fn coordinates_of_a_rank_three_tensor() {
    let strides = [1_048_576, 4096, 1];
    let layout = Layout::from_device_size_and_stride_map(
        &[2, 256, 4096],
        &strides,
        &[256, 64, 2, 64],
        &[4096, 64, 1_048_576, 1],
    )
    .unwrap();
    assert_eq!(
        layout.to_string(),
        "(d0, d1, d2) -> (d1, d2 floordiv 64, d0, d2 mod 64)"
    );
    assert_eq!(layout.stick_dim(), Some(2));
    assert_eq!(layout.device_dims_of(2).collect::<Vec<_>>(), [1, 3]);
    let tensor = layout.place(&[2, 256, 4096], F16).unwrap();
    // Flat index 4096 * p0 + p1 at p0 = 300, p1 = 130.
    assert_eq!(
        tensor.device_coords(&[1, 300 - 256, 130]).unwrap(),
        [44, 2, 1, 2]
    );
}

#[test]
fn views_keep_their_host_strides() {
    // The transposed view of a [256, 512] tensor, sticks along its second dimension.
    let layout = Layout::default_for(&DimOrder::host(2), Elements(64)).unwrap();
    let map = layout.stride_map(&[512, 256], &[1, 512]).unwrap();
    assert_eq!(map, [64 * 512, 1, 512]);
    let back = Layout::from_device_size_and_stride_map(&[512, 256], &[1, 512], &[4, 512, 64], &map);
    assert_eq!(back.unwrap(), layout);
}

#[test]
fn expanded_dimensions_have_stride_zero() {
    // A row repeated 8 times by a host stride of 0 ...
    let layout = Layout::default_for(&DimOrder::host(2), Elements(64)).unwrap();
    let map = layout.stride_map(&[8, 128], &[0, 1]).unwrap();
    assert_eq!(map, [64, 0, 1]);
    let back = Layout::from_device_size_and_stride_map(&[8, 128], &[0, 1], &[2, 8, 64], &map);
    assert_eq!(back.unwrap(), layout);
    // ... and one repeated on the device only.
    let back = Layout::from_device_size_and_stride_map(&[128], &[1], &[2, 8, 64], &map).unwrap();
    assert_eq!(
        back.coords(),
        [Coord::floor_div(0, 64), Coord::Zero, Coord::modulo(0, 64)]
    );
    assert_eq!(
        (back.expanded(), back.explicit_device_size()),
        (&[1][..], Some(&[2, 8, 64][..]))
    );
    assert_eq!(back.stride_map(&[128], &[1]).unwrap(), map);
    assert_eq!(back.bytes(&[128], F16).unwrap(), Bytes(2 * 8 * 128));
}

#[test]
fn entries_of_equal_stride_are_told_apart_by_size() {
    // Row and tile both move by 64 host elements.
    for (size, map) in [
        ([1, 40, 64], "(d1 floordiv 64, d0, d1 mod 64)"),
        ([40, 1, 64], { "(d0, d1 floordiv 64, d1 mod 64)" }),
    ] {
        let layout =
            Layout::from_device_size_and_stride_map(&[40, 64], &[64, 1], &size, &[64, 64, 1]);
        assert_eq!(layout.unwrap().to_string(), format!("(d0, d1) -> {map}"));
    }
    // Where padding leaves it open, the result is an error.
    let layout =
        Layout::from_device_size_and_stride_map(&[40, 64], &[64, 1], &[40, 40, 64], &[64, 64, 1]);
    assert_eq!(
        layout.unwrap_err().to_string(),
        "entries 0 and 1 of the stride map [64, 64, 1] are equal, and the device size [40, 40, 64] does not tell them \
         apart: (d0, d1) -> (d1 floordiv 64, d0, d1 mod 64) and (d0, d1) -> (d0, d1 floordiv 64, d1 mod 64) both hold \
         the tensor"
    );
    // Rows shorter than a stick: the tile could pass for a digit of the row.
    let layout =
        Layout::from_device_size_and_stride_map(&[2, 32], &[32, 1], &[1, 2, 64], &[64, 32, 1]);
    assert_eq!(
        layout.unwrap().to_string(),
        "(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)"
    );
}

//! The table of the middle-end specification, section 2.2, through transfers, and the worked examples
//! of section 2.3.

use spyre_layout::{
    Arrangement, Coord, DeviceFormat, DeviceTensor, DimOrder, Elements, HostTensor, HostType,
    Layout, Nest, Transfer, TransferError,
};

use crate::check::{check, size};

const F16: DeviceFormat = DeviceFormat::Sen169Fp16;

fn place(shape: &[u64], order: &[i64], format: DeviceFormat) -> DeviceTensor {
    let order = DimOrder::from_indices(order).unwrap();
    let layout = Layout::default_for(&order, format.elements_per_stick()).unwrap();
    layout.place(shape, format).unwrap()
}

fn transfer(shape: &[u64], order: &[i64], host_type: HostType) -> Transfer {
    let host = HostTensor::contiguous(host_type, shape.to_vec()).unwrap();
    Transfer::new(
        &host,
        &place(shape, order, host_type.device_format().unwrap()),
    )
    .unwrap()
}

/// One row of the table: the main nest has the stride map and fills the device size as far as the
/// tensor does, and all elements go there and back.
#[track_caller]
fn row(shape: &[u64], host_type: HostType, order: &[i64], device_size: &[u64], map: &[i64]) {
    let transfer = transfer(shape, order, host_type);
    assert_eq!(transfer.device().device_size(), device_size);
    let stick_dim = order.last().filter(|&&dim| dim >= 0);
    let stick = stick_dim.map_or(1, |&dim| shape[usize::try_from(dim).unwrap()]);
    let eps = *device_size.last().unwrap();

    let full = if stick < eps || stick.is_multiple_of(eps) {
        0
    } else {
        1
    };
    assert_eq!(transfer.nests().len(), 1 + full);
    for nest in transfer.nests() {
        let strides: Vec<u64> = map
            .iter()
            .map(|&it| u64::try_from(it).unwrap_or(0))
            .collect();
        assert_eq!(nest.host_strides(), strides);
    }
    let main = &transfer.nests()[0];
    assert_eq!(
        (main.host_offset(), main.device_offset()),
        (Elements(0), Elements(0))
    );
    let (tiles, in_stick) = if stick < eps {
        (1, stick)
    } else {
        (stick / eps, eps)
    };
    let mut extents = device_size.to_vec();
    let last = extents.len() - 1;
    extents[last] = in_stick;
    let tile = if last == 1 { 0 } else { last - 2 };
    extents[tile] = tiles;
    assert_eq!(main.extents(), extents);

    // Elements in a pattern that no shift by a stick maps to itself.
    let host = transfer.host();
    let memory: Vec<u8> = (0..host.bytes().get()).map(|at| (at % 251) as u8).collect();
    let mut device = vec![0; size(transfer.device().bytes().get())];
    transfer.to_device(&memory, &mut device).unwrap();
    let mut once = vec![0; memory.len()];
    transfer.to_host(&device, &mut once).unwrap();
    if matches!(host_type, HostType::F32 | HostType::I8) {
        assert_eq!(once, memory);
    }
    let mut again = vec![0; device.len()];
    transfer.to_device(&once, &mut again).unwrap();
    assert_eq!(again, device);
}

#[test]
fn rows_of_the_table_with_default_orders() {
    use HostType::F16;
    row(&[], F16, &[], &[1, 64], &[-1, -1]);
    row(&[60], F16, &[0], &[1, 64], &[64, 1]);
    row(&[120], F16, &[0], &[2, 64], &[64, 1]);
    row(&[128], F16, &[0], &[2, 64], &[64, 1]);
    row(&[512, 240], F16, &[0, 1], &[4, 512, 64], &[64, 240, 1]);
    row(&[1000, 200], F16, &[0, 1], &[4, 1000, 64], &[64, 200, 1]);
    row(&[1024, 256], F16, &[0, 1], &[4, 1024, 64], &[64, 256, 1]);
    row(&[1024, 4096], F16, &[0, 1], &[64, 1024, 64], &[64, 4096, 1]);
    row(&[512, 1024], F16, &[0, 1], &[16, 512, 64], &[64, 1024, 1]);
    row(
        &[512, 8, 256],
        F16,
        &[0, 1, 2],
        &[8, 4, 512, 64],
        &[256, 64, 2048, 1],
    );
    row(
        &[5, 100, 150],
        F16,
        &[0, 1, 2],
        &[100, 3, 5, 64],
        &[150, 64, 15000, 1],
    );
    row(
        &[50, 10, 200],
        F16,
        &[0, 1, 2],
        &[10, 4, 50, 64],
        &[200, 64, 2000, 1],
    );
    row(
        &[2, 3, 4, 130],
        F16,
        &[0, 1, 2, 3],
        &[3, 4, 3, 2, 64],
        &[520, 130, 64, 1560, 1],
    );
    row(
        &[1, 32, 512, 128],
        F16,
        &[0, 1, 2, 3],
        &[32, 512, 2, 1, 64],
        &[65536, 128, 64, -1, 1],
    );
    row(
        &[2, 3, 4, 5, 70],
        F16,
        &[0, 1, 2, 3, 4],
        &[3, 4, 5, 2, 2, 64],
        &[1400, 350, 70, 64, 4200, 1],
    );
    row(
        &[2, 2, 2, 2, 2, 70],
        F16,
        &[0, 1, 2, 3, 4, 5],
        &[2, 2, 2, 2, 2, 2, 64],
        &[560, 280, 140, 70, 64, 1120, 1],
    );
    row(
        &[3, 1, 128],
        F16,
        &[0, 1, 2],
        &[1, 2, 3, 64],
        &[-1, 64, 128, 1],
    );
}

#[test]
fn rows_of_the_table_with_other_types() {
    use HostType::{F32, I8, I64};
    row(&[512, 256], F32, &[0, 1], &[8, 512, 32], &[32, 256, 1]);
    row(&[512, 256], I8, &[0, 1], &[2, 512, 128], &[128, 256, 1]);
    row(&[7, 33], I64, &[0, 1], &[2, 7, 32], &[32, 33, 1]);
}

#[test]
fn rows_of_the_table_with_other_orders() {
    use HostType::F16;
    row(&[512, 256], F16, &[1, 0], &[8, 256, 64], &[16384, 1, 256]);
    row(
        &[512, 8, 256],
        F16,
        &[0, 2, 1],
        &[256, 1, 512, 64],
        &[1, 16384, 2048, 256],
    );
    row(
        &[512, 8, 256],
        F16,
        &[1, 2, 0],
        &[256, 8, 8, 64],
        &[1, 131_072, 256, 2048],
    );
    row(
        &[5, 100, 150],
        F16,
        &[1, 0, 2],
        &[5, 3, 100, 64],
        &[15000, 64, 150, 1],
    );
    row(
        &[512, 256],
        F16,
        &[0, 1, -1],
        &[256, 1, 512, 64],
        &[1, -1, 256, -1],
    );
}

/// Extents, host strides, device strides, host offset, device offset.
type Parts<'a> = (&'a [u64], &'a [u64], &'a [u64], u64, u64);

fn parts(nest: &Nest) -> Parts<'_> {
    (
        nest.extents(),
        nest.host_strides(),
        nest.device_strides(),
        nest.host_offset().get(),
        nest.device_offset().get(),
    )
}

#[test]
fn a_tensor_of_whole_tiles_is_one_nest() {
    let transfer = transfer(&[1024, 256], &[0, 1], HostType::F16);
    let [nest] = transfer.nests() else {
        panic!("{:?}", transfer.nests())
    };
    let expected: Parts = (&[4, 1024, 64], &[64, 256, 1], &[65536, 64, 1], 0, 0);
    assert_eq!(parts(nest), expected);
    assert_eq!(
        nest.to_string(),
        "((4, 1024, 64), (65536, 64, 1), (64, 256, 1))"
    );
}

#[test]
fn a_ragged_dimension_adds_a_remainder_nest() {
    let transfer = transfer(&[1000, 200], &[0, 1], HostType::F16);
    let [main, remainder] = transfer.nests() else {
        panic!("{:?}", transfer.nests())
    };
    let expected: Parts = (&[3, 1000, 64], &[64, 200, 1], &[64000, 64, 1], 0, 0);
    assert_eq!(parts(main), expected);
    let expected: Parts = (&[1, 1000, 8], &[64, 200, 1], &[64000, 64, 1], 192, 192_000);
    assert_eq!(parts(remainder), expected);
    assert_eq!(
        remainder.to_string(),
        "((1, 1000, 8), (64000, 64, 1), (64, 200, 1)) from host 192 to device 192000"
    );
    assert_eq!(
        format!("{remainder:#}"),
        "for i1 in range(1000):\n  for i2 in range(8):\n    \
         device[192000 + i1*64 + i2] = host[192 + i1*200 + i2]"
    );
}

#[test]
fn a_scalar_is_one_element() {
    let transfer = transfer(&[], &[], HostType::F16);
    let [nest] = transfer.nests() else {
        panic!("{:?}", transfer.nests())
    };
    assert_eq!(parts(nest), (&[1, 1][..], &[0, 0][..], &[64, 1][..], 0, 0));
    assert_eq!(format!("{nest:#}"), "device[0] = host[0]");
}

/// Three tiled dimensions, of which `k` are ragged.
#[test]
fn ragged_dimensions_double_the_nests() {
    let tiles = |dim| [Coord::floor_div(dim, 4), Coord::modulo(dim, 4)];
    let stick = [Coord::floor_div(2, 64), Coord::modulo(2, 64)];
    let coords = [tiles(0), tiles(1), stick].concat();
    let layout = Layout::new(3, coords).unwrap();
    for (shape, nests) in [
        ([8, 12, 128], 1),
        ([9, 12, 128], 2),
        ([8, 13, 130], 4),
        ([9, 13, 130], 8),
        // Less than a tile is not ragged: there is no full one.
        ([3, 13, 130], 4),
        ([3, 3, 60], 1),
    ] {
        let host = HostTensor::contiguous(HostType::F16, shape.to_vec()).unwrap();
        let tensor = layout.place(&shape, F16).unwrap();
        assert_eq!(
            Transfer::new(&host, &tensor).unwrap().nests().len(),
            nests,
            "{shape:?}"
        );
        check(&host, &tensor, || 1);
    }
}

#[test]
fn every_level_of_a_dimension_may_be_ragged() {
    // 1000 = 3 * 256 + 3 * 64 + 40: tiles of 4 sticks, sticks of 64.
    let middle = Coord::Digit {
        dim: 0,
        divisor: 64,
        modulus: Some(4),
    };
    let coords = vec![middle, Coord::floor_div(0, 256), Coord::modulo(0, 64)];
    let layout = Layout::new(1, coords).unwrap();
    let host = HostTensor::contiguous(HostType::F16, vec![1000]).unwrap();
    let tensor = layout.place(&[1000], F16).unwrap();
    let transfer = Transfer::new(&host, &tensor).unwrap();
    let nests: Vec<Parts> = transfer.nests().iter().map(parts).collect();
    let (host_strides, device_strides): (&[u64], &[u64]) = (&[64, 256, 1], &[256, 64, 1]);
    let expected: [Parts; 3] = [
        (&[4, 3, 64], host_strides, device_strides, 0, 0),
        (&[3, 1, 64], host_strides, device_strides, 768, 192),
        (&[1, 1, 40], host_strides, device_strides, 960, 960),
    ];
    assert_eq!(nests, expected);
    check(&host, &tensor, || 1);
}

#[test]
fn padding_is_not_written() {
    // Host [40, 60] with 512 rows on the device.
    let layout =
        Layout::from_device_size_and_stride_map(&[40, 60], &[60, 1], &[1, 512, 64], &[64, 60, 1])
            .unwrap();
    let host = HostTensor::contiguous(HostType::F16, vec![40, 60]).unwrap();
    let tensor = layout.place(&[40, 60], F16).unwrap();
    let transfer = Transfer::new(&host, &tensor).unwrap();
    let expected: Parts = (&[1, 40, 60], &[64, 60, 1], &[32768, 64, 1], 0, 0);
    assert_eq!(
        transfer.nests().iter().map(parts).collect::<Vec<_>>(),
        [expected]
    );
    check(&host, &tensor, || 1);
}

#[test]
fn repeated_device_dimensions_are_filled_by_reading_again() {
    // A host vector of 3, repeated 5 times along a device dimension and over the whole stick.
    let layout = Layout::new(1, vec![Coord::Zero, Coord::dim(0), Coord::Zero]).unwrap();
    let layout = layout
        .with_device_size(vec![5, 4, 32])
        .unwrap()
        .with_expanded(vec![0, 2])
        .unwrap();
    let host = HostTensor::contiguous(HostType::I32, vec![3]).unwrap();
    let tensor = layout.place(&[3], DeviceFormat::IeeeInt32).unwrap();
    let transfer = Transfer::new(&host, &tensor).unwrap();
    let expected: Parts = (&[5, 3, 32], &[0, 1, 0], &[128, 32, 1], 0, 0);
    assert_eq!(
        transfer.nests().iter().map(parts).collect::<Vec<_>>(),
        [expected]
    );

    let memory: Vec<u8> = [10i32, 20, 30]
        .into_iter()
        .flat_map(i32::to_le_bytes)
        .collect();
    let mut device = vec![0xEE; 5 * 4 * 128];
    transfer.to_device(&memory, &mut device).unwrap();
    for (at, element) in device.as_chunks::<4>().0.iter().enumerate() {
        let expected = [10, 20, 30]
            .get(at / 32 % 4)
            .map_or([0xEE; 4], |it: &i32| it.to_le_bytes());
        assert_eq!(*element, expected, "{at}");
    }
    // The transfer back reads the first copy only: the others are overwritten here.
    device[512..].fill(0);
    let mut back = vec![0; 12];
    transfer.to_host(&device, &mut back).unwrap();
    assert_eq!(back, memory);
}

#[test]
fn expanded_host_tensors_go_one_way() {
    // One row of 40 elements as 6 equal rows.
    let host = HostTensor::strided(HostType::I32, vec![6, 40], vec![0, 1], Elements(3)).unwrap();
    assert_eq!(host.span(), Elements(43));
    let tensor = place(&[6, 40], &[0, 1], DeviceFormat::IeeeInt32);
    let transfer = Transfer::new(&host, &tensor).unwrap();
    assert_eq!(transfer.nests()[0].host_strides(), [32, 0, 1]);
    let mut device = vec![0; size(tensor.bytes().get())];
    let memory: Vec<u8> = (0..43i32).flat_map(i32::to_le_bytes).collect();
    transfer.to_device(&memory, &mut device).unwrap();
    for row in 0..6 {
        for column in 0..40 {
            let at = size(tensor.address(&[row, column]).unwrap().get());
            let value = i32::try_from(3 + column).unwrap();
            assert_eq!(device[at..at + 4], value.to_le_bytes());
        }
    }
    let error = transfer.to_host(&device, &mut memory.clone()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot write to a host tensor of extents [6, 40] and strides [0, 1]: elements may share \
         places"
    );
}

#[test]
fn views_with_an_offset_leave_the_rest_of_the_buffer_alone() {
    // Rows 2 to 4 and columns 10 to 79 of a 6 x 100 matrix, transposed.
    let host =
        HostTensor::strided(HostType::I32, vec![70, 3], vec![1, 100], Elements(210)).unwrap();
    let tensor = place(&[70, 3], &[1, 0], DeviceFormat::IeeeInt32);
    let transfer = Transfer::new(&host, &tensor).unwrap();
    let memory: Vec<u8> = (0..600i32).flat_map(i32::to_le_bytes).collect();
    let mut device = vec![0; size(tensor.bytes().get())];
    transfer.to_device(&memory, &mut device).unwrap();
    let mut back = vec![0xEE; memory.len()];
    transfer.to_host(&device, &mut back).unwrap();
    for (at, element) in (0u64..600).zip(back.as_chunks::<4>().0) {
        let inside = (2..5).contains(&(at / 100)) && (10..80).contains(&(at % 100));
        let value = i32::try_from(at).unwrap().to_le_bytes();
        assert_eq!(*element, if inside { value } else { [0xEE; 4] }, "{at}");
    }
}

#[test]
fn two_coordinates_on_a_stick() {
    // 8-bit weights: 4 rows by 32 columns in each stick.
    let coords = vec![
        Coord::floor_div(0, 4),
        Coord::floor_div(1, 32),
        Coord::modulo(0, 4),
        Coord::modulo(1, 32),
    ];
    let layout = Layout::new(2, coords)
        .unwrap()
        .with_arrangement(Arrangement::Qfp8Wt)
        .unwrap();
    let host = HostTensor::contiguous(HostType::I8, vec![10, 70]).unwrap();
    let tensor = layout.place(&[10, 70], DeviceFormat::SenInt8).unwrap();
    assert_eq!(Transfer::new(&host, &tensor).unwrap().nests().len(), 4);
    let mut next = 0;
    check(&host, &tensor, || {
        next = (next + 1) % 251;
        next
    });
}

#[test]
fn orders_of_elements_that_are_not_documented_are_refused() {
    let layout = Layout::default_for(&DimOrder::host(1), Elements(64)).unwrap();
    let host = HostTensor::contiguous(HostType::F16, vec![64]).unwrap();
    for arrangement in Arrangement::ALL {
        if matches!(arrangement, Arrangement::Standard | Arrangement::Qfp8Wt) {
            continue;
        }
        let layout = layout.clone().with_arrangement(arrangement).unwrap();
        let error = Transfer::new(&host, &layout.place(&[64], F16).unwrap()).unwrap_err();
        assert_eq!(error, TransferError::Arrangement(arrangement));
        assert!(error.to_string().contains(arrangement.name()), "{error}");
    }
}

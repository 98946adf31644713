//! Conversion of elements, its reports, and errors.

use half::{bf16, f16};
use spyre_layout::{
    Arrangement, Bytes, Conversion, Coord, DeviceFormat, DimOrder, Dl16, Elements, HostTensor,
    HostTensorError, HostType, Layout, Transfer, TransferError, TransferReport,
};

use crate::check::{PAIRS, load, size, store};

const HOST_TYPES: [HostType; 14] = [
    HostType::F16,
    HostType::Bf16,
    HostType::F32,
    HostType::F64,
    HostType::F8E4M3,
    HostType::F8E5M2,
    HostType::Bool,
    HostType::I8,
    HostType::I16,
    HostType::I32,
    HostType::I64,
    HostType::U8,
    HostType::Complex64,
    HostType::Complex128,
];

/// The transfer of a vector.
fn vector(host_type: HostType, format: DeviceFormat, extent: u64) -> Transfer {
    let layout = Layout::default_for(&DimOrder::host(1), format.elements_per_stick()).unwrap();
    let host = HostTensor::contiguous(host_type, vec![extent]).unwrap();
    Transfer::new(&host, &layout.place(&[extent], format).unwrap()).unwrap()
}

/// The vector in device memory. A vector lies there in order.
fn to_device(transfer: &Transfer, host: &[u8]) -> (Vec<u8>, TransferReport) {
    let mut device = vec![0; size(transfer.device().bytes().get())];
    let report = transfer.to_device(host, &mut device).unwrap();
    let width = size(transfer.device().format().bytes_per_element().get());
    device.truncate(width * size(report.elements.get()));
    (device, report)
}

fn to_host(transfer: &Transfer, elements: &[u8]) -> (Vec<u8>, TransferReport) {
    let mut device = elements.to_vec();
    device.resize(size(transfer.device().bytes().get()), 0);
    let mut host = vec![0; size(transfer.host().bytes().get())];
    let report = transfer.to_host(&device, &mut host).unwrap();
    (host, report)
}

fn warning(report: &TransferReport) -> String {
    report
        .warning
        .as_ref()
        .map_or_else(String::new, ToString::to_string)
}

fn bytes<const N: usize, T>(numbers: &[T], to_bytes: impl Fn(&T) -> [u8; N]) -> Vec<u8> {
    numbers.iter().flat_map(to_bytes).collect()
}

#[test]
fn the_supported_pairs_are_those_listed() {
    for host in HOST_TYPES {
        for format in DeviceFormat::ALL {
            let supported = PAIRS.contains(&(host, format));
            match Conversion::between(host, format) {
                Ok(conversion) => {
                    assert!(supported, "{host} {format}");
                    assert_eq!(
                        (conversion.host_type(), conversion.format()),
                        (host, format)
                    );
                }
                Err(error) => {
                    assert!(!supported, "{error}");
                    let expected = format!(
                        "elements of type {host} cannot be stored in device format {format}"
                    );
                    assert_eq!(error.to_string(), expected);
                }
            }
        }
        // The format that the device has for a type is one of them.
        if let Ok(format) = host.device_format() {
            assert!(PAIRS.contains(&(host, format)), "{host}");
        }
    }
}

/// All values of 8 and 16 bits, and values of 32 and 64 bits with the same high bits, both ways, at
/// all positions of the vector code.
#[test]
fn every_pair_converts_like_single_elements() {
    for (host_type, format) in PAIRS {
        let transfer = vector(host_type, format, 1 << 16);
        let host_width = size(host_type.host_bytes().get());
        let width = size(format.bytes_per_element().get());
        // The high bytes count.
        let pattern = |width: usize| -> Vec<u8> {
            let element = |number: u16| {
                let mut element = vec![(number % 7) as u8; width.saturating_sub(2)];
                element.extend(&number.to_le_bytes()[..width.min(2)]);
                element
            };
            (0..=u16::MAX).flat_map(element).collect()
        };
        let memory = pattern(host_width);
        let (device, _) = to_device(&transfer, &memory);
        for (element, stored) in memory.chunks(host_width).zip(device.chunks(width)) {
            assert_eq!(
                stored,
                store(host_type, format, element),
                "{host_type} {format} {element:?}"
            );
        }
        let codes = pattern(width);
        let (host, _) = to_host(&transfer, &codes);
        for (code, loaded) in codes.chunks(width).zip(host.chunks(host_width)) {
            assert_eq!(
                loaded,
                load(host_type, format, code),
                "{host_type} {format} {code:?}"
            );
        }
    }
}

#[test]
fn truth_values_are_zero_and_one() {
    let transfer = vector(HostType::Bool, DeviceFormat::Sen169Fp16, 4);
    let (device, report) = to_device(&transfer, &[0, 1, 2, 255]);
    let one = Dl16::ONE.to_bits();
    assert_eq!(device, bytes(&[0, one, one, one], |it| it.to_le_bytes()));
    assert_eq!(report.warning, None);
    let codes = [0x8000, one, 1, 0x7FFF];
    let (host, _) = to_host(&transfer, &bytes(&codes, |it| it.to_le_bytes()));
    assert_eq!(host, [0, 1, 1, 1]);
}

#[test]
fn narrowing_is_reported_once() {
    let transfer = vector(HostType::I64, DeviceFormat::IeeeInt32, 5);
    let fitting = [0, -1, 7, i64::from(i32::MIN), i64::from(i32::MAX)];
    let (device, report) = to_device(&transfer, &bytes(&fitting, |it| it.to_le_bytes()));
    assert_eq!(report.elements, Elements(5));
    assert_eq!(
        warning(&report),
        "i64 narrowed to IEEE_INT32: all elements are in range"
    );
    assert_eq!(device, bytes(&fitting, |&it| (it as i32).to_le_bytes()));
    let (back, report) = to_host(&transfer, &device);
    assert_eq!(back, bytes(&fitting, |it| it.to_le_bytes()));
    assert_eq!(report.warning, None);

    let large = [0, 1 << 31, 5, (7 << 32) + 9, i64::MIN];
    let (device, report) = to_device(&transfer, &bytes(&large, |it| it.to_le_bytes()));
    assert_eq!(
        warning(&report),
        "i64 narrowed to IEEE_INT32: 3 elements out of range cut to the low 32 bits, first at [1]"
    );
    let out_of_range = report.warning.unwrap().out_of_range().unwrap().clone();
    assert_eq!(
        (out_of_range.count, out_of_range.first),
        (Elements(3), vec![1])
    );
    assert_eq!(
        device,
        bytes(&[0, i32::MIN, 5, 9, 0], |it| it.to_le_bytes())
    );
}

/// The first element is the first in host memory, in whatever order the nests visit it.
#[test]
fn out_of_range_elements_are_found_by_their_host_coordinates() {
    let shape = [5, 70];
    let format = DeviceFormat::IeeeInt32;
    let order = DimOrder::from_indices(&[1, 0]).unwrap();
    for (layout, copies) in [
        (Layout::default_for(&order, Elements(32)).unwrap(), 1),
        (
            Layout::default_for(&DimOrder::host(2), Elements(32)).unwrap(),
            1,
        ),
        (
            Layout::new(
                2,
                vec![Coord::Zero, Coord::dim(1), Coord::dim(0), Coord::Zero],
            )
            .unwrap()
            .with_device_size(vec![3, 70, 6, 32])
            .unwrap()
            .with_expanded(vec![0, 3])
            .unwrap(),
            96,
        ),
    ] {
        let host = HostTensor::contiguous(HostType::I64, shape.to_vec()).unwrap();
        let tensor = layout.place(&shape, format).unwrap();
        let transfer = Transfer::new(&host, &tensor).unwrap();
        let iterations: u64 = transfer
            .nests()
            .iter()
            .map(|nest| nest.elements().get())
            .sum();
        assert_eq!(iterations, 350 * copies);
        let mut numbers = vec![0i64; 350];
        for at in [2 * 70 + 69, 3 * 70, 4 * 70 + 1] {
            numbers[at] = i64::MAX;
        }
        let memory = bytes(&numbers, |it| it.to_le_bytes());
        let mut device = vec![0; size(tensor.bytes().get())];
        let report = transfer.to_device(&memory, &mut device).unwrap();
        let warning = report.warning.unwrap();
        let loss = warning.out_of_range().unwrap();
        assert_eq!(
            (loss.count, &loss.first),
            (Elements(3), &vec![2, 69]),
            "{layout}"
        );
    }
}

#[test]
fn floats_out_of_range_are_reported() {
    // On the device.
    let transfer = vector(HostType::Bf16, DeviceFormat::Sen169Fp16, 4);
    let numbers = [1.5, f32::INFINITY, 1e20, -1e10].map(bf16::from_f32);
    let (device, report) = to_device(&transfer, &bytes(&numbers, |it| it.to_le_bytes()));
    let codes = [Dl16::from_f32(1.5).to_bits(), 0x7FFF, 0x7FFF, 0xFFFF];
    assert_eq!(device, bytes(&codes, |it| it.to_le_bytes()));
    assert_eq!(
        warning(&report),
        "bf16 converted to SEN169_FP16: 3 elements out of range made NaN, first at [1]"
    );
    let transfer = vector(HostType::F16, DeviceFormat::Sen169Fp16, 3);
    let numbers = [f16::NAN, f16::NEG_INFINITY, f16::MAX];
    let (device, report) = to_device(&transfer, &bytes(&numbers, |it| it.to_le_bytes()));
    let codes = [0x7FFF, 0xFFFF, Dl16::from_f32(65536.0).to_bits()];
    assert_eq!(device, bytes(&codes, |it| it.to_le_bytes()));
    assert_eq!(
        warning(&report),
        "f16 converted to SEN169_FP16: 1 element out of range made NaN, first at [1]"
    );
    // On the host.
    let codes = [Dl16::ONE, Dl16::NAN, Dl16::from_f32(65536.0)].map(Dl16::to_bits);
    let (host, report) = to_host(&transfer, &bytes(&codes, |it| it.to_le_bytes()));
    let numbers = [f16::ONE, f16::NAN, f16::INFINITY];
    assert_eq!(host, bytes(&numbers, |it| it.to_le_bytes()));
    assert_eq!(
        warning(&report),
        "SEN169_FP16 converted to f16: 1 element out of range made infinite, first at [2]"
    );
    // Rounding and NaN are no reason for a warning.
    let numbers = [f16::NAN, f16::MAX, f16::from_f32(0.1)];
    let (_, report) = to_device(&transfer, &bytes(&numbers, |it| it.to_le_bytes()));
    assert_eq!(report.warning, None);
}

#[test]
fn small_unsigned_numbers_are_checked_on_the_way_back() {
    let transfer = vector(HostType::U8, DeviceFormat::SenUint32, 3);
    let (device, report) = to_device(&transfer, &[0, 200, 255]);
    assert_eq!(device, bytes(&[0u32, 200, 255], |it| it.to_le_bytes()));
    assert_eq!(report.warning, None);
    let (host, report) = to_host(
        &transfer,
        &bytes(&[7u32, 255, 256 + 3], |it| it.to_le_bytes()),
    );
    assert_eq!(host, [7, 255, 3]);
    assert_eq!(
        warning(&report),
        "SENUINT32 narrowed to ui8: 1 element out of range cut to the low 8 bits, first at [2]"
    );
}

#[test]
fn buffers_must_fit() {
    let transfer = vector(HostType::F16, DeviceFormat::Sen169Fp16, 70);
    let (host, mut device) = (vec![0; 140], vec![0; 256]);
    assert!(transfer.to_device(&host, &mut device).is_ok());
    let error = transfer.to_device(&host[1..], &mut device).unwrap_err();
    let (actual, needed) = (Bytes(139), Bytes(140));
    assert_eq!(error, TransferError::HostBuffer { actual, needed });
    assert_eq!(
        error.to_string(),
        "the host buffer has 139 bytes, the host tensor reaches to 140 bytes"
    );
    for actual_bytes in [128, 255, 257, 384] {
        let error = transfer
            .to_device(&host, &mut vec![0; actual_bytes])
            .unwrap_err();
        let (actual, expected) = (Bytes(actual_bytes as u64), Bytes(256));
        assert_eq!(error, TransferError::DeviceBuffer { actual, expected });
    }
    let error = transfer.to_host(&device, &mut [0; 139]).unwrap_err();
    assert_eq!(
        error,
        TransferError::HostBuffer {
            actual: Bytes(139),
            needed: Bytes(140)
        }
    );
    let error = transfer.to_host(&device[..255], &mut [0; 140]).unwrap_err();
    assert_eq!(
        error,
        TransferError::DeviceBuffer {
            actual: Bytes(255),
            expected: Bytes(256)
        }
    );
    // A host buffer may be longer than the tensor.
    assert!(transfer.to_device(&[0; 200], &mut device).is_ok());
}

#[test]
fn tensors_must_fit_each_other() {
    let format = DeviceFormat::Sen169Fp16;
    let layout = Layout::default_for(&DimOrder::host(2), format.elements_per_stick()).unwrap();
    let tensor = layout.place(&[3, 64], format).unwrap();
    let host = HostTensor::contiguous(HostType::F16, vec![64, 3]).unwrap();
    let error = Transfer::new(&host, &tensor).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the host tensor has extents [64, 3], the device tensor [3, 64]"
    );
    let host = HostTensor::contiguous(HostType::F64, vec![3, 64]).unwrap();
    let error = Transfer::new(&host, &tensor).unwrap_err();
    assert_eq!(
        error.to_string(),
        "elements of type f64 cannot be stored in device format SEN169_FP16"
    );
}

#[test]
fn host_tensors_are_checked() {
    let strided = |shape: &[u64], strides: &[u64], offset| {
        HostTensor::strided(
            HostType::F32,
            shape.to_vec(),
            strides.to_vec(),
            Elements(offset),
        )
    };
    let error = strided(&[1, 2], &[1], 0).unwrap_err();
    assert_eq!(
        error,
        HostTensorError::Rank {
            extents: 2,
            strides: 1
        }
    );
    for (shape, strides, offset) in [
        ([2, 2], [u64::MAX, 1], 0),
        ([3, 1], [u64::MAX / 2 + 1, 1], 0),
        ([1, 1], [1, 1], u64::MAX),
        ([1, 1], [1, 1], u64::MAX / 4),
        ([u64::MAX, 1], [1, 1], 0),
    ] {
        let error = strided(&shape, &strides, offset).unwrap_err();
        assert!(matches!(error, HostTensorError::TooLarge { .. }), "{error}");
    }
    // Strides that are never used may be anything.
    let tensor = strided(&[1, 5], &[u64::MAX, 2], 7).unwrap();
    assert_eq!((tensor.span(), tensor.bytes()), (Elements(16), Bytes(64)));
    let huge = vec![1 << 40, 1 << 40];
    let error = HostTensor::contiguous(HostType::I8, huge.clone()).unwrap_err();
    assert!(matches!(error, HostTensorError::TooLarge { .. }), "{error}");
    let error = HostTensor::contiguous(HostType::I8, [huge, vec![1 << 40]].concat()).unwrap_err();
    assert!(matches!(error, HostTensorError::TooLarge { .. }), "{error}");
    assert_eq!(
        HostTensor::contiguous(HostType::I8, vec![2, 3, 4])
            .unwrap()
            .strides(),
        [12, 4, 1]
    );
    assert_eq!(
        HostTensor::contiguous(HostType::I8, vec![0, 3])
            .unwrap()
            .bytes(),
        Bytes(0)
    );
}

#[test]
fn overlap_is_found_and_views_are_not_accused() {
    let overlaps = |shape: &[u64], strides: &[u64]| {
        let offset = Elements::ZERO;
        HostTensor::strided(HostType::I8, shape.to_vec(), strides.to_vec(), offset)
            .unwrap()
            .may_overlap()
    };
    for (shape, strides) in [
        ([2, 2], [1, 1]),
        ([3, 2], [1, 2]),
        ([2, 5], [0, 1]),
        ([4, 4], [2, 3]),
    ] {
        assert!(overlaps(&shape, &strides), "{shape:?} {strides:?}");
    }
    for (shape, strides) in [
        ([2, 2], [1, 2]),
        ([1, 5], [0, 1]),
        ([3, 4], [1, 3]),
        ([10, 16], [100, 1]),
        ([5, 3], [6, 40]),
        ([4, 3], [13, 3]), // a diagonal of 4 x 4 x 3
    ] {
        assert!(!overlaps(&shape, &strides), "{shape:?} {strides:?}");
    }
}

#[test]
fn the_number_of_nests_is_limited() {
    // 20 dimensions in tiles of 2, each of 3: 2^20 nests.
    let tiles = |dim| [Coord::floor_div(dim, 2), Coord::modulo(dim, 2)];
    let mut coords: Vec<Coord> = (0..20).flat_map(tiles).collect();
    coords.push(Coord::Zero);
    let layout = Layout::new(20, coords).unwrap();
    let shape = vec![3; 20];
    let tensor = layout.place(&shape, DeviceFormat::SenInt8).unwrap();
    let host = HostTensor::contiguous(HostType::I8, shape).unwrap();
    let error = Transfer::new(&host, &tensor).unwrap_err();
    let (count, limit) = (1 << 20, 1 << 16);
    assert_eq!(error, TransferError::TooManyNests { count, limit });
    assert_eq!(
        error.to_string(),
        "the transfer needs 1048576 loop nests, more than 65536"
    );
}

#[test]
fn layouts_may_override_the_format() {
    let layout = Layout::default_for(&DimOrder::host(1), Elements(32)).unwrap();
    let layout = layout.with_format(DeviceFormat::IeeeFp32);
    let layout = layout.with_arrangement(Arrangement::Standard).unwrap();
    let tensor = layout.place(&[2], DeviceFormat::Sen169Fp16).unwrap();
    let host = HostTensor::contiguous(HostType::F16, vec![2]).unwrap();
    let transfer = Transfer::new(&host, &tensor).unwrap();
    let memory = bytes(&[f16::from_f32(0.1), f16::MIN_POSITIVE_SUBNORMAL], |it| {
        it.to_le_bytes()
    });
    let (device, report) = to_device(&transfer, &memory);
    let expected = [f16::from_f32(0.1).to_f32(), 2f32.powi(-24)];
    assert_eq!(device, bytes(&expected, |it| it.to_le_bytes()));
    assert_eq!(report.warning, None);
    assert_eq!(to_host(&transfer, &device).0, memory);
}

//! Checks the effect of a transfer, which is worked out one element at a time from the definition of the layout.

use half::{bf16, f16};
use spyre_layout::{
    Coord, DeviceFormat, DeviceTensor, Dl16, Elements, HostTensor, HostType, Transfer,
    TransferError,
};

/// Every pair of host type and device format that can be converted.
pub(crate) const PAIRS: [(HostType, DeviceFormat); 22] = [
    (HostType::F16, DeviceFormat::Sen169Fp16),
    (HostType::F16, DeviceFormat::IeeeFp32),
    (HostType::F16, DeviceFormat::IeeeFp16),
    (HostType::F16, DeviceFormat::Bfloat16),
    (HostType::Bf16, DeviceFormat::Sen169Fp16),
    (HostType::Bf16, DeviceFormat::IeeeFp32),
    (HostType::Bf16, DeviceFormat::IeeeFp16),
    (HostType::Bf16, DeviceFormat::Bfloat16),
    (HostType::F32, DeviceFormat::Sen169Fp16),
    (HostType::F32, DeviceFormat::IeeeFp32),
    (HostType::F32, DeviceFormat::IeeeFp16),
    (HostType::F32, DeviceFormat::Bfloat16),
    (HostType::Bool, DeviceFormat::Sen169Fp16),
    (HostType::Bool, DeviceFormat::IeeeFp32),
    (HostType::Bool, DeviceFormat::IeeeFp16),
    (HostType::Bool, DeviceFormat::Bfloat16),
    (HostType::I32, DeviceFormat::IeeeInt32),
    (HostType::I64, DeviceFormat::IeeeInt32),
    (HostType::I8, DeviceFormat::SenInt8),
    (HostType::U8, DeviceFormat::SenUint32),
    (HostType::F8E4M3, DeviceFormat::Sen143Fp8),
    (HostType::F8E5M2, DeviceFormat::Sen152Fp8),
];

/// The value of untouched bytes.
pub(crate) const POISON: u8 = 0xA5;

/// Calls `visit` with every point of a shape.
pub(crate) fn for_each_point(shape: &[u64], mut visit: impl FnMut(&[u64])) {
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

pub(crate) fn size(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap()
}

fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().unwrap()
}

/// The bytes of a host element on the device.
pub(crate) fn store(host: HostType, format: DeviceFormat, bytes: &[u8]) -> Vec<u8> {
    let real = match host {
        HostType::F16 => f16::from_le_bytes(array(bytes)).to_f32(),
        HostType::Bf16 => bf16::from_le_bytes(array(bytes)).to_f32(),
        HostType::F32 => f32::from_le_bytes(array(bytes)),
        HostType::Bool => f32::from(u8::from(bytes != [0])),
        HostType::I64 => return bytes[..4].to_vec(),
        HostType::U8 => return vec![bytes[0], 0, 0, 0],
        _ => return bytes.to_vec(),
    };
    match (host, format) {
        (HostType::F16, DeviceFormat::IeeeFp16)
        | (HostType::Bf16, DeviceFormat::Bfloat16)
        | (HostType::F32, DeviceFormat::IeeeFp32) => bytes.to_vec(),
        (_, DeviceFormat::Sen169Fp16) => Dl16::from_f32(real).to_bits().to_le_bytes().to_vec(),
        (_, DeviceFormat::IeeeFp16) => f16::from_f32(real).to_le_bytes().to_vec(),
        (_, DeviceFormat::Bfloat16) => bf16::from_f32(real).to_le_bytes().to_vec(),
        _ => real.to_le_bytes().to_vec(),
    }
}

/// The bytes of a device element on the host.
pub(crate) fn load(host: HostType, format: DeviceFormat, bytes: &[u8]) -> Vec<u8> {
    let real = match format {
        DeviceFormat::Sen169Fp16 => Dl16::from_bits(u16::from_le_bytes(array(bytes))).to_f32(),
        DeviceFormat::IeeeFp16 => f16::from_le_bytes(array(bytes)).to_f32(),
        DeviceFormat::Bfloat16 => bf16::from_le_bytes(array(bytes)).to_f32(),
        DeviceFormat::IeeeFp32 => f32::from_le_bytes(array(bytes)),
        DeviceFormat::SenUint32 => return vec![bytes[0]],
        DeviceFormat::IeeeInt32 if host == HostType::I64 => {
            return i64::from(i32::from_le_bytes(array(bytes)))
                .to_le_bytes()
                .to_vec();
        }
        _ => return bytes.to_vec(),
    };
    match (host, format) {
        (HostType::F16, DeviceFormat::IeeeFp16)
        | (HostType::Bf16, DeviceFormat::Bfloat16)
        | (HostType::F32, DeviceFormat::IeeeFp32) => bytes.to_vec(),
        (HostType::F16, _) => f16::from_f32(real).to_le_bytes().to_vec(),
        (HostType::Bf16, _) => bf16::from_f32(real).to_le_bytes().to_vec(),
        (HostType::Bool, _) => vec![u8::from(real != 0.0)],
        _ => real.to_le_bytes().to_vec(),
    }
}

/// Elements that a point is away from the origin.
fn distance(point: &[u64], strides: &[u64]) -> u64 {
    point
        .iter()
        .zip(strides)
        .map(|(at, stride)| at * stride)
        .sum()
}

/// Device elements between the copies of one element: `[0]` without repetitions.
fn copies(tensor: &DeviceTensor) -> Vec<u64> {
    let mut copies = vec![0];
    for &coord in tensor.layout().expanded() {
        let (size, stride) = (tensor.device_size()[coord], tensor.device_strides()[coord]);
        copies = copies
            .iter()
            .flat_map(|at| (0..size).map(move |copy| at + copy * stride))
            .collect();
    }
    copies
}

/// Nonzero digits of all extents, in the radices that the layout cuts each dimension by.
fn nests_by_definition(tensor: &DeviceTensor) -> usize {
    let digits = |dim: usize| {
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
        let mut divisors: Vec<u64> = divisors.collect();
        divisors.sort_unstable();
        let mut rest = tensor.shape()[dim];
        let mut nonzero = 0;
        for divisor in divisors.into_iter().rev() {
            nonzero += usize::from(rest >= divisor);
            rest %= divisor;
        }
        nonzero.max(1)
    };
    (0..tensor.shape().len()).map(digits).product()
}

/// Checks everything about the transfer between two tensors. `values` gives the bytes of the host
/// buffer.
pub(crate) fn check(host: &HostTensor, tensor: &DeviceTensor, mut values: impl FnMut() -> u8) {
    let transfer = Transfer::new(host, tensor).unwrap();
    let (host_type, format) = (host.host_type(), tensor.format());
    let host_width = size(host_type.host_bytes().get());
    let width = size(format.bytes_per_element().get());
    let elements = size(tensor.bytes().get()) / width;

    let expected = pairs(host, tensor, elements);
    check_nests(&transfer, &expected);

    // Running them writes these elements and no others.
    let memory: Vec<u8> = (0..host.bytes().get()).map(|_| values()).collect();
    let mut device = vec![POISON; elements * width];
    let mut wanted = device.clone();
    for &(target, source) in &expected {
        let element = &memory[source * host_width..][..host_width];
        let stored = store(host_type, format, element);
        wanted[target * width..][..width].copy_from_slice(&stored);
    }
    let report = transfer.to_device(&memory, &mut device).unwrap();
    assert_eq!(report.elements, Elements(tensor.shape().iter().product()));
    assert_eq!(device, wanted);

    // The transfer back gives each element the device's value, and does not write the rest.
    let mut back = vec![POISON; memory.len()];
    if host.may_overlap() {
        let error = transfer.to_host(&device, &mut back).unwrap_err();
        assert!(matches!(error, TransferError::HostOverlap(_)), "{error}");
        assert!(back.iter().all(|&byte| byte == POISON));
        return;
    }
    let mut wanted = back.clone();
    for &(place, source) in &expected {
        let loaded = load(host_type, format, &device[place * width..][..width]);
        wanted[source * host_width..][..host_width].copy_from_slice(&loaded);
    }
    transfer.to_host(&device, &mut back).unwrap();
    assert_eq!(back, wanted);

    check_again(&transfer, back);
}

/// Returns the device element and the host element of each element; each has a different address on the device.
fn pairs(host: &HostTensor, tensor: &DeviceTensor, elements: usize) -> Vec<(usize, usize)> {
    let width = size(tensor.format().bytes_per_element().get());
    let copies = copies(tensor);
    let mut expected = Vec::new();
    for_each_point(tensor.shape(), |point| {
        let source = size(host.offset().get() + distance(point, host.strides()));
        let first = tensor.address(point).unwrap().get() / width as u64;
        expected.extend(copies.iter().map(|copy| (size(first + copy), source)));
    });
    expected.sort_unstable();
    assert!(
        expected.is_sorted_by(|a, b| a.0 < b.0),
        "two elements share an address"
    );
    assert!(expected.last().is_some_and(|last| last.0 < elements));
    let furthest = expected.iter().map(|pair| pair.1).max();
    assert_eq!(furthest, size(host.span().get()).checked_sub(1));
    expected
}

/// Checks that the nests visit exactly these pairs, each once.
fn check_nests(transfer: &Transfer, expected: &[(usize, usize)]) {
    let (host, tensor) = (transfer.host(), transfer.device());
    let host_strides: Vec<i64> = host.strides().iter().map(|&it| it as i64).collect();
    let map = tensor
        .layout()
        .stride_map(tensor.shape(), &host_strides)
        .unwrap();
    let map: Vec<u64> = map.into_iter().map(|entry| entry.max(0) as u64).collect();
    let mut visited = Vec::new();
    for nest in transfer.nests() {
        assert_eq!(nest.host_strides(), map);
        assert_eq!(nest.device_strides(), tensor.device_strides());
        let before = visited.len();
        for_each_point(nest.extents(), |at| {
            let source = nest.host_offset().get() + distance(at, nest.host_strides());
            let target = nest.device_offset().get() + distance(at, nest.device_strides());
            visited.push((size(target), size(source)));
        });
        assert_eq!(size(nest.elements().get()), visited.len() - before);
    }
    visited.sort_unstable();
    assert_eq!(visited, expected);
    assert_eq!(
        transfer.nests().len(),
        nests_by_definition(tensor),
        "{}",
        tensor.layout()
    );
}

/// Checks that values that went through the device once come back as they are. Only infinities of the host, which are
/// numbers above the range of f16 on the device, are NaN there the next time.
fn check_again(transfer: &Transfer, mut back: Vec<u8>) {
    let (host, tensor) = (transfer.host(), transfer.device());
    let (host_type, format) = (host.host_type(), tensor.format());
    let mut again = vec![POISON; size(tensor.bytes().get())];
    transfer.to_device(&back, &mut again).unwrap();
    let mut twice = vec![POISON; back.len()];
    transfer.to_host(&again, &mut twice).unwrap();
    if (host_type, format) == (HostType::F16, DeviceFormat::Sen169Fp16) {
        for element in back.as_chunks_mut::<2>().0 {
            if f16::from_le_bytes(*element).is_infinite() {
                element[1] |= 0x02;
            }
        }
    }
    assert_eq!(twice, back);
}

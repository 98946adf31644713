//! How fast transfers are, in release builds:
//!
//! ```sh
//! cargo test --release -p spyre-layout --test transfer speed -- --ignored --nocapture
//! ```

use std::{hint::black_box, time::Instant};

use spyre_layout::{DeviceFormat, DimOrder, Elements, HostTensor, HostType, Layout, Transfer};

/// Best of several runs, in bytes of host memory per nanosecond, which is GB/s.
fn speed(bytes: usize, mut run: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..7 {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed().as_secs_f64());
    }
    bytes as f64 / best / 1e9
}

#[test]
#[ignore = "measures; run it in a release build"]
fn gigabytes_per_second() {
    let shape = [4096, 4096];
    let rows: [(HostType, DeviceFormat, &[i64]); 11] = [
        (HostType::F16, DeviceFormat::Sen169Fp16, &[0, 1]),
        (HostType::F16, DeviceFormat::IeeeFp16, &[0, 1]),
        (HostType::F32, DeviceFormat::IeeeFp32, &[0, 1]),
        (HostType::Bf16, DeviceFormat::Sen169Fp16, &[0, 1]),
        (HostType::F32, DeviceFormat::Sen169Fp16, &[0, 1]),
        (HostType::I64, DeviceFormat::IeeeInt32, &[0, 1]),
        (HostType::Bool, DeviceFormat::Sen169Fp16, &[0, 1]),
        (HostType::U8, DeviceFormat::SenUint32, &[0, 1]),
        (HostType::F16, DeviceFormat::IeeeFp32, &[0, 1]),
        (HostType::F16, DeviceFormat::Sen169Fp16, &[1, 0]),
        (HostType::F32, DeviceFormat::IeeeFp32, &[1, 0]),
    ];
    let source = vec![1u8; 4096 * 4096 * 2];
    let mut target = vec![0u8; source.len()];
    let memcpy = speed(source.len(), || {
        black_box(&mut target).copy_from_slice(&source)
    });
    println!("memcpy: {memcpy:.1} GB/s");
    for (host_type, format, order) in rows {
        let host = HostTensor::contiguous(host_type, shape.to_vec()).unwrap();
        let order = DimOrder::from_indices(order).unwrap();
        let layout = Layout::default_for(&order, format.elements_per_stick()).unwrap();
        let tensor = layout.place(&shape, format).unwrap();
        let transfer = Transfer::new(&host, &tensor).unwrap();
        // Zeros fit everything.
        let mut memory = vec![0; usize::try_from(host.bytes().get()).unwrap()];
        let mut device = vec![1; usize::try_from(tensor.bytes().get()).unwrap()];
        let elements = Elements(4096 * 4096);
        let there = speed(memory.len(), || {
            let report = transfer.to_device(&memory, black_box(&mut device)).unwrap();
            assert_eq!(report.elements, elements);
        });
        let back = speed(memory.len(), || {
            let report = transfer.to_host(&device, black_box(&mut memory)).unwrap();
            assert_eq!(report.elements, elements);
        });
        println!(
            "{host_type} <-> {format}, order {order:?}: {there:.1} GB/s there, {back:.1} GB/s back"
        );
    }
}

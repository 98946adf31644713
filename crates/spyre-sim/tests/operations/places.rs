//! Layouts, slices and pools: where tensors are.

use spyre_layout::{DimOrder, HostType};
use spyre_sdsc::bundle::BundleOptions;
use spyre_sdsc::{Allocation, Bytes, Expr, OpSpec};

use crate::common::{F16, Files, Placed, Setup, integers, matrix, space, tensor};

#[test]
fn changes_of_layout() {
    // From columns on the stick to rows on the stick. With ragged extents, both layouts have padding.
    for (rows, columns) in [(128_u64, 64_u64), (64, 192), (100, 200), (33, 70)] {
        let op = OpSpec::pointwise("ReStickifyOpHBM")
            .with_dim("c0", Expr::int(rows as i64), 1)
            .with_dim("c1", Expr::int(columns as i64), 1)
            .with_input(matrix(rows, columns, Allocation::argument(0)))
            .with_output(tensor(
                F16,
                &[rows.div_ceil(64), columns, 64],
                &["floor(c0/64)", "c1", "Mod(c0, 64)"],
                Allocation::argument(1),
            ));
        let values = integers((rows * columns) as usize, 5);
        let inputs = [(Placed::f16(&[rows, columns]), values.clone())];
        let order = DimOrder::with_stick(2, 0).unwrap();
        let result = Placed::ordered(HostType::F16, &[rows, columns], &order);
        assert_eq!(
            result.device.device_size(),
            [rows.div_ceil(64), columns, 64]
        );
        let mut setup = Setup::new(&inputs, result);
        let actual = setup.run_clean(&Files::from_nodes(&[op.into()]));
        // Padding of the result is unwritten.
        let (_, written) = setup.machine.bytes(setup.output).unwrap();
        let written = written.iter().filter(|byte| **byte).count();
        assert_eq!(written, values.len() * 2);
        assert_eq!(actual, values, "{rows} by {columns}");
    }
}

#[test]
fn slices() {
    // Rows 3 to 6 of 16 and columns 64 to 127 of 256.
    let op = space(OpSpec::pointwise("identity"), 4, 64, 1)
        .with_input(tensor(
            F16,
            &[4, 16, 64],
            &["floor(c1/64) + 1", "c0 + 3", "Mod(c1, 64)"],
            Allocation::argument(0),
        ))
        .with_output(matrix(4, 64, Allocation::argument(1)));
    let values = integers(16 * 256, 6);
    let inputs = [(Placed::f16(&[16, 256]), values.clone())];
    let actual =
        Setup::new(&inputs, Placed::f16(&[4, 64])).run_clean(&Files::from_nodes(&[op.into()]));
    let expected: Vec<f32> = (0..4 * 64)
        .map(|at| values[(3 + at / 64) * 256 + 64 + at % 64])
        .collect();
    assert_eq!(actual, expected);
}

#[test]
fn pools() {
    // y = exp(a) in the pool, z = -y.
    let options = BundleOptions {
        pool_size: Bytes(8192),
        ..BundleOptions::default()
    };
    let exp = space(OpSpec::pointwise("abs"), 16, 128, 4)
        .with_input(matrix(16, 128, Allocation::argument(0)))
        .with_output(matrix(16, 128, Allocation::pool(4096)));
    let neg = space(OpSpec::pointwise("neg"), 16, 128, 4)
        .with_input(matrix(16, 128, Allocation::pool(4096)))
        .with_output(matrix(16, 128, Allocation::argument(1)));
    let files = Files::with(&[exp.into(), neg.into()], &options);
    let values = integers(2048, 7);
    let inputs = [(Placed::f16(&[16, 128]), values.clone())];
    let actual = Setup::new(&inputs, Placed::f16(&[16, 128])).run_clean(&files);
    let expected: Vec<f32> = values.iter().map(|x| -x.abs()).collect();
    assert_eq!(actual, expected);
    // A pool that no segment has room for.
    let large = files.clone().edit(
        "bundle.mlir",
        "device_mem_allocate 8192",
        "device_mem_allocate 9223372036854775807",
    );
    let mut setup = Setup::new(&inputs, Placed::f16(&[16, 128]));
    let err = setup.machine.run(&large.read().unwrap()).unwrap_err();
    let expected = "a pool of 9223372036854775807 bytes; a segment has 17179869184 bytes";
    assert!(err.to_string().contains(expected), "{err}");
    // A pool that ends too early.
    let small = files.edit(
        "bundle.mlir",
        "device_mem_allocate 8192",
        "device_mem_allocate 8064",
    );
    let mut setup = Setup::new(&inputs, Placed::f16(&[16, 128]));
    setup.run(&small.read().unwrap());
    let report = setup.machine.report().to_string();
    assert!(
        report.contains("ends 128 bytes = 1 stick after the 8064 bytes of the pool"),
        "{report}"
    );
}

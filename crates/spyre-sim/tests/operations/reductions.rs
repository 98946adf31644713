//! Sums and the like, along the stick and across it.

use half::f16;
use spyre_layout::{DimOrder, HostType};
use spyre_sdsc::{Allocation, Expr, OpSpec};

use crate::common::{F16, Files, Placed, Setup, integers, matrix, tensor};

/// Reduces [8, columns] over the columns, which are split over `split` cores, into one element per stick.
fn reduce_columns(name: &str, columns: u64, split: u64) -> (Vec<f32>, Vec<f32>) {
    let op = OpSpec::reduction(name)
        .with_dim("c0", Expr::int(8), 2)
        .with_dim("c1", Expr::int(columns as i64), split);
    let op = if name == "mean" {
        op.with_constant("scaling_factor", 1.0 / columns as f64)
    } else {
        op
    };
    let op = op
        .with_input(matrix(8, columns, Allocation::argument(0)))
        .with_output(tensor(
            F16,
            &[1, 8, 64],
            &["0", "c0", "0"],
            Allocation::argument(1),
        ));
    let values: Vec<f32> = match name {
        // Products of ones and twos stay in range.
        "prod" => (0..8 * columns as usize)
            .map(|at| if at % 13 == 0 { 2.0 } else { 1.0 })
            .collect(),
        _ => integers(8 * columns as usize, 3),
    };
    let inputs = [(Placed::f16(&[8, columns]), values.clone())];
    let result = Placed::ordered(HostType::F16, &[8], &DimOrder::sparse(1));
    (
        Setup::new(&inputs, result).run_clean(&Files::from_nodes(&[op.into()])),
        values,
    )
}

#[test]
fn reductions_along_the_stick() {
    type Of = fn(&[f32]) -> f32;
    let table: [(&str, Of); 6] = [
        ("sum", |row| row.iter().sum()),
        ("prod", |row| row.iter().product()),
        ("max", |row| row.iter().copied().fold(f32::MIN, f32::max)),
        ("min", |row| row.iter().copied().fold(f32::MAX, f32::min)),
        ("absmax", |row| {
            row.iter().copied().fold(0.0, |a: f32, b| a.max(b.abs()))
        }),
        ("mean", |row| row.iter().sum::<f32>() / row.len() as f32),
    ];
    for (name, function) in table {
        // The padding of 100 columns is masked, with a zero for products: the format has no other value for them.
        for columns in [128, 100]
            .into_iter()
            .filter(|columns| name != "prod" || *columns == 128)
        {
            let (actual, values) = reduce_columns(name, columns, 1);
            let rows = values.chunks(columns as usize);
            let expected: Vec<f32> = rows
                .map(|row| f16::from_f32(function(row)).to_f32())
                .collect();
            assert_eq!(actual, expected, "{name} of {columns}");
        }
    }
}

#[test]
fn reductions_that_cores_share() {
    let (actual, values) = reduce_columns("sum", 256, 4);
    let expected: Vec<f32> = values.chunks(256).map(|row| row.iter().sum()).collect();
    assert_eq!(actual, expected);
}

#[test]
fn reductions_across_sticks() {
    // Over the rows: each element of a stick by itself; 100 columns leave padding alone.
    for columns in [128_u64, 100] {
        let op = OpSpec::reduction("sum")
            .with_dim("c1", Expr::int(columns as i64), 1)
            .with_dim("c0", Expr::int(8), 2)
            .with_input(matrix(8, columns, Allocation::argument(0)))
            .with_output(tensor(
                F16,
                &[1, 2, 64],
                &["0", "floor(c1/64)", "Mod(c1, 64)"],
                Allocation::argument(1),
            ));
        let files = Files::from_nodes(&[op.into()]);
        assert!(files.0["sdsc_0.json"].contains("\"sumnonstick\""));
        let values = integers(8 * columns as usize, 4);
        let inputs = [(Placed::f16(&[8, columns]), values.clone())];
        let actual = Setup::new(&inputs, Placed::f16(&[columns])).run_clean(&files);
        let column = |at: usize| values.iter().skip(at).step_by(columns as usize).sum();
        let expected: Vec<f32> = (0..columns as usize).map(column).collect();
        assert_eq!(actual, expected);
    }
}

#[test]
fn scales_for_eight_bits() {
    // The largest absolute value of a row, at least 4 and at most 20, times 1/8.
    let op = OpSpec::reduction("quantscalepertokenfp8")
        .with_dim("c0", Expr::int(4), 2)
        .with_dim("c1", Expr::int(128), 1)
        .with_constant("clipMin", 4.0)
        .with_constant("clipMax", 20.0)
        .with_constant("mulConst", 0.125)
        .with_input(matrix(4, 128, Allocation::argument(0)))
        .with_output(tensor(
            F16,
            &[1, 4, 64],
            &["0", "c0", "0"],
            Allocation::argument(1),
        ));
    let mut values = vec![0.0; 4 * 128];
    for (row, value) in [1.0, -16.0, 10.0, -300.0].into_iter().enumerate() {
        values[row * 128 + 7 * row] = value;
    }
    let inputs = [(Placed::f16(&[4, 128]), values)];
    let result = Placed::ordered(HostType::F16, &[4], &DimOrder::sparse(1));
    let actual = Setup::new(&inputs, result).run_clean(&Files::from_nodes(&[op.into()]));
    assert_eq!(actual, [0.5, 2.0, 1.25, 2.5]);
}

//! Products of matrices, and batches of them.

use spyre_layout::DeviceFormat;
use spyre_plan::{Rates, Target};
use spyre_sdsc::{Allocation, Bytes, Expr, OpSpec};
use spyre_sim::{Machine, OperandTraffic, Stats};

use crate::common::{F16, Files, Placed, Setup, f16_values, integers, tensor};

/// Runs a product of [m, k] and [k, n], with slices of each, and returns its traffic.
fn product(m: u64, n: u64, k: u64, slices: [u64; 3]) -> Stats {
    let dims = [("c0", m), ("c1", n), ("c2", k)];
    let mut op = OpSpec::reduction("batchmatmul");
    for ((symbol, extent), slices) in dims.into_iter().zip(slices) {
        op = op.with_dim(symbol, Expr::int(extent as i64), slices);
    }
    let padded = k.next_multiple_of(64);
    let sticks = |extent: u64| extent.div_ceil(64);
    let op = op
        .with_input(tensor(
            F16,
            &[sticks(k), m, 64],
            &["floor(c2/64)", "c0", "Mod(c2, 64)"],
            Allocation::argument(0),
        ))
        .with_input(tensor(
            F16,
            &[sticks(n), padded, 64],
            &["floor(c1/64)", "c2", "Mod(c1, 64)"],
            Allocation::argument(1),
        ))
        .with_output(tensor(
            F16,
            &[sticks(n), m, 64],
            &["floor(c1/64)", "c0", "Mod(c1, 64)"],
            Allocation::argument(2),
        ));
    let small = |count: u64, seed| -> Vec<f32> {
        integers(count as usize, seed)
            .iter()
            .map(|x| (x / 10.0).round())
            .collect()
    };
    let (a, b) = (small(m * k, 1), small(k * n, 2));
    // Both have zeros after the end of K: the card does not mask.
    let mut zeros = b.clone();
    zeros.resize((padded * n) as usize, 0.0);
    let rows = a.chunks(k as usize);
    let rows = rows.flat_map(|row| {
        let tail = std::iter::repeat_n(0.0, (padded - k) as usize);
        row.iter().copied().chain(tail)
    });
    let inputs = [
        (Placed::f16(&[m, padded]), rows.collect()),
        (Placed::f16(&[padded, n]), zeros),
    ];
    let mut setup = Setup::new(&inputs, Placed::f16(&[m, n]));
    let actual = setup.run_clean(&Files::from_nodes(&[op.into()]));
    let mut expected = Vec::new();
    for row in 0..m as usize {
        for column in 0..n as usize {
            let term = |at: usize| a[row * k as usize + at] * b[at * n as usize + column];
            expected.push((0..k as usize).map(term).sum::<f32>());
        }
    }
    assert_eq!(actual, expected, "{m} {n} {k} {slices:?}");
    setup.machine.stats().clone()
}

#[test]
fn a_split_of_the_sum_writes_its_output_once() {
    // Two slices of 8 rows and two of K = 256, on 4 cores.
    let stats = product(8, 64, 256, [2, 1, 2]);
    let moved: Vec<_> = stats.operands.values().copied().collect();
    let operand = |all, distinct, fan_out| OperandTraffic {
        all: Bytes(all),
        distinct: Bytes(distinct),
        fan_out,
    };
    let left = operand(8 * 256 * 2, 8 * 256 * 2, 1);
    // Both slices of rows read the same half of the right operand.
    let right = operand(2 * 256 * 64 * 2, 256 * 64 * 2, 2);
    // Both halves of K have partial sums of the same elements, and one of two cores writes them.
    let output = operand(8 * 64 * 2, 8 * 64 * 2, 1);
    assert_eq!(moved, [left, right, output]);
    let read = Bytes(left.distinct.get() + right.distinct.get());
    assert_eq!(stats.hbm_read_distinct, read);
    assert_eq!(stats.hbm_written, output.distinct);
    // A core has 4 rows, 64 columns and 128 of K; one of two passes on its 4 x 64 partial sums.
    let mut time = Rates::CARD.product(4 * 64 * 128, 4, 4 * 64);
    for moved in moved {
        time += Rates::CARD.memory(moved.distinct, moved.fan_out);
    }
    time += Rates::CARD.per_execution;
    assert_eq!(stats.modelled_time, time);
}

#[test]
fn a_broadcast_to_many_cores_costs_more_than_its_bytes() {
    // 16 slices of rows read the whole right operand.
    let stats = product(16, 64, 64, [16, 1, 1]);
    let right = *stats.operands.values().nth(1).unwrap();
    let once = Bytes(64 * 64 * 2);
    let expected = OperandTraffic {
        all: Bytes(16 * once.get()),
        distinct: once,
        fan_out: 16,
    };
    assert_eq!(right, expected);
    let slow = Rates::CARD.memory(once, 16);
    assert!(slow > Rates::CARD.memory(once, 8));
}

#[test]
fn products_of_matrices() {
    product(8, 128, 64, [1, 1, 1]);
    product(8, 128, 64, [4, 2, 1]);
    // K split over cores.
    product(8, 64, 256, [2, 1, 2]);
    // Ragged K, with zeros after the end, and ragged N.
    product(8, 100, 100, [2, 1, 1]);
}

#[test]
fn batches_of_products() {
    let (b, m, n, k) = (4, 4, 64, 64);
    let op = OpSpec::reduction("batchmatmul")
        .with_dim("b", Expr::int(b), 2)
        .with_dim("c0", Expr::int(m), 2)
        .with_dim("c1", Expr::int(n), 1)
        .with_dim("c2", Expr::int(k), 1)
        .with_input(tensor(
            F16,
            &[4, 1, 4, 64],
            &["c0", "floor(c2/64)", "b", "Mod(c2, 64)"],
            Allocation::argument(0),
        ))
        .with_input(tensor(
            F16,
            &[64, 1, 4, 64],
            &["c2", "floor(c1/64)", "b", "Mod(c1, 64)"],
            Allocation::argument(1),
        ))
        .with_output(tensor(
            F16,
            &[4, 1, 4, 64],
            &["c0", "floor(c1/64)", "b", "Mod(c1, 64)"],
            Allocation::argument(2),
        ));
    let shape = |rows: u64| [4, rows, 64];
    let small = |count: i64, seed| -> Vec<f32> {
        integers(count as usize, seed)
            .iter()
            .map(|x| (x / 10.0).round())
            .collect()
    };
    let (x, y) = (small(b * m * k, 1), small(b * k * n, 2));
    let inputs = [
        (Placed::f16(&shape(4)), x.clone()),
        (Placed::f16(&shape(64)), y.clone()),
    ];
    let actual =
        Setup::new(&inputs, Placed::f16(&shape(4))).run_clean(&Files::from_nodes(&[op.into()]));
    let mut expected = Vec::new();
    for batch in 0..b {
        for row in 0..m {
            for column in 0..n {
                let term = |at: i64| {
                    x[((batch * m + row) * k + at) as usize]
                        * y[((batch * k + at) * n + column) as usize]
                };
                expected.push((0..k).map(term).sum::<f32>());
            }
        }
    }
    assert_eq!(actual, expected);
}

/// Two rows of 128 bytes by 128 columns of them. The sticks of both have one dimension: no document defines the order
/// of sticks of two dimensions, which the contract requires.
#[test]
fn bytes_are_multiplied_exactly() {
    let bytes = |size: &[u64], coordinates: &[&str], index| {
        let place = Allocation::argument(index);
        tensor(DeviceFormat::SenInt8, size, coordinates, place)
    };
    let op = OpSpec::reduction("batchmatmulint8")
        .with_dim("c0", Expr::int(2), 1)
        .with_dim("c1", Expr::int(128), 1)
        .with_dim("c2", Expr::int(128), 1)
        .with_input(bytes(
            &[1, 2, 128],
            &["floor(c2/128)", "c0", "Mod(c2, 128)"],
            0,
        ))
        .with_input(bytes(
            &[1, 128, 128],
            &["floor(c1/128)", "c2", "Mod(c1, 128)"],
            1,
        ))
        .with_output(tensor(
            F16,
            &[2, 2, 64],
            &["floor(c1/64)", "c0", "Mod(c1, 64)"],
            Allocation::argument(2),
        ));
    let codes = |count: usize, factor: usize| -> Vec<u8> {
        (0..count).map(|at| (at * factor % 251) as u8).collect()
    };
    let (a, b) = (codes(2 * 128, 3), codes(128 * 128, 7));
    let mut machine = Machine::new(Target::CARD);
    machine.add_bytes(&a);
    machine.add_bytes(&b);
    let output = machine.add_output(Bytes(2 * 128 * 2));
    machine
        .run(&Files::from_nodes(&[op.into()]).read().unwrap())
        .unwrap();
    let actual = f16_values(&machine.bytes(output).unwrap().0);
    for (row, column) in (0..2).flat_map(|row| (0..128).map(move |column| (row, column))) {
        let term =
            |k: usize| i32::from(a[row * 128 + k] as i8) * i32::from(b[k * 128 + column] as i8);
        let total: i32 = (0..128).map(term).sum();
        let place = (column / 64 * 2 + row) * 64 + column % 64;
        let expected = half::f16::from_f32(total as f32).to_f32();
        assert_eq!(actual[place], expected, "{row} {column}");
    }
}

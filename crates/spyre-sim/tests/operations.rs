//! Every class of operations, from what the generator writes, against values that are computed here.

mod common;

use common::{
    F16, Files, Placed, Setup, dsc, expr, f16_bytes, f16_values, integers, matrix, space, tensor,
};
use half::{bf16, f16};
use spyre_layout::{DeviceFormat, DimOrder, Dl16, HostType};
use spyre_plan::{Rates, Target};
use spyre_sdsc::bundle::BundleOptions;
use spyre_sdsc::model::{DimBounds, DimSource};
use spyre_sdsc::{Allocation, ArgIndex, Bytes, Expr, LoopSpec, OpSpec, Symbol};
use spyre_sim::{Machine, OperandTraffic, Rounding, Stats, functions};

const ROWS: u64 = 16;
const COLUMNS: u64 = 128;

/// Zeros, ones, limits, subnormals, infinities, and what is not a number, among numbers of all sizes.
fn special(count: usize, seed: usize) -> Vec<f32> {
    const VALUES: [f32; 16] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        65504.0,
        -65504.0,
        5.960_464_5e-8,
        -6.103_515_6e-5,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        0.333_251_95,
        -2.5,
        11.0,
        1e-3,
        3.140_625,
    ];
    let value = |at: usize| match at % 3 {
        0 => VALUES[(at / 3 + seed * 5 + at / 48) % VALUES.len()],
        _ => ((at * 7919 + seed * 131) % 4001) as f32 / 64.0 - 31.0,
    };
    (0..count)
        .map(|at| f16::from_f32(value(at)).to_f32())
        .collect()
}

fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

#[track_caller]
fn assert_same(found: &[f32], expected: &[f32], what: &str) {
    assert_eq!(found.len(), expected.len());
    let wrong = found.iter().zip(expected).position(|(a, b)| !same(*a, *b));
    if let Some(at) = wrong {
        panic!(
            "{what}: element {at} is {} and not {}",
            found[at], expected[at]
        );
    }
}

/// Runs an elementwise operation on matrices, and compares with a function of the elements.
fn check_elementwise(op: OpSpec, operands: usize, of: &dyn Fn(&[f32]) -> f32) {
    let name = op.op.clone();
    let count = (ROWS * COLUMNS) as usize;
    let shape = [ROWS, COLUMNS];
    let mut op = space(op, ROWS as i64, COLUMNS as i64, 4);
    let mut inputs = Vec::new();
    for index in 0..operands {
        op = op.with_input(matrix(ROWS, COLUMNS, Allocation::argument(index as u32)));
        inputs.push((Placed::f16(&shape), special(count, index)));
    }
    let op = op.with_output(matrix(ROWS, COLUMNS, Allocation::argument(operands as u32)));
    let files = Files::of(&[op.into()]);
    let found = Setup::new(&inputs, Placed::f16(&shape)).run_clean(&files);
    let expected: Vec<f32> = (0..count)
        .map(|at| {
            let own: Vec<f32> = inputs.iter().map(|(_, values)| values[at]).collect();
            f16::from_f32(of(&own)).to_f32()
        })
        .collect();
    assert_same(&found, &expected, &name);
}

fn truth(value: bool) -> f32 {
    f32::from(u8::from(value))
}

#[test]
fn of_one_element() {
    type Of = fn(f32) -> f32;
    let table: &[(&str, Of)] = &[
        ("abs", |x| if x.is_sign_negative() { -x } else { x }),
        ("neg", |x| 0.0 - x * 1.0),
        ("floor", f32::floor),
        ("reciprocal", |x| 1.0 / x),
        ("sqrt", |x| x.sqrt()),
        ("rsqrt", |x| 1.0 / x.sqrt()),
        ("relufwd", |x| if x.is_nan() || x > 0.0 { x } else { 0.0 }),
        ("exp", f32::exp),
        ("log", f32::ln),
        ("tanh", f32::tanh),
        ("sigmoid", |x| 1.0 / (1.0 + (-x).exp())),
        ("silu", |x| x / (1.0 + (-x).exp())),
        ("identity", |x| x),
    ];
    for (name, of) in table {
        // 0 - x has another zero than -x.
        let of = |x: &[f32]| {
            if *name == "neg" {
                f32::from_bits(x[0].to_bits() ^ 1 << 31)
            } else {
                of(x[0])
            }
        };
        check_elementwise(OpSpec::pointwise(*name), 1, &of);
    }
}

#[test]
fn gelu_is_the_exact_form() {
    // Values of the normal distribution function from tables: gelu(x) = x * P(x).
    let op = space(OpSpec::pointwise("gelufwd"), 1, 64, 1)
        .with_input(matrix(1, 64, Allocation::argument(0)))
        .with_output(matrix(1, 64, Allocation::argument(1)));
    let mut values = vec![0.0; 64];
    values[..4].copy_from_slice(&[1.0, -1.0, 2.0, 0.5]);
    let inputs = [(Placed::f16(&[1, 64]), values)];
    let found = Setup::new(&inputs, Placed::f16(&[1, 64])).run_clean(&Files::of(&[op.into()]));
    for (found, expected) in
        found
            .iter()
            .zip([0.841_344_7, -0.158_655_25, 1.954_499_7, 0.345_731_23])
    {
        assert!(
            (found - expected).abs() < 0.001,
            "{found} and not {expected}"
        );
    }
}

#[test]
fn of_two_elements() {
    let nan = |a: f32, b: f32, of: f32| {
        if a.is_nan() || b.is_nan() {
            f32::NAN
        } else {
            of
        }
    };
    check_elementwise(OpSpec::pointwise("add"), 2, &|x| x[0] + x[1]);
    check_elementwise(OpSpec::pointwise("sub"), 2, &|x| x[0] - x[1]);
    check_elementwise(OpSpec::pointwise("mul"), 2, &|x| x[0] * x[1]);
    check_elementwise(OpSpec::pointwise("realdiv"), 2, &|x| x[0] / x[1]);
    for (name, larger) in [("maximum", true), ("minimum", false)] {
        let of = |x: &[f32]| {
            let of = if larger == (x[0] > x[1]) { x[0] } else { x[1] };
            let zeros = x[0] == 0.0 && x[1] == 0.0;
            nan(
                x[0],
                x[1],
                if zeros { zero(x[0], x[1], larger) } else { of },
            )
        };
        check_elementwise(OpSpec::pointwise(name), 2, &of);
    }
    check_elementwise(OpSpec::pointwise("equal"), 2, &|x| truth(x[0] == x[1]));
    check_elementwise(OpSpec::pointwise("notequal"), 2, &|x| truth(x[0] != x[1]));
    check_elementwise(OpSpec::pointwise("greaterthan"), 2, &|x| truth(x[0] > x[1]));
    check_elementwise(OpSpec::pointwise("greaterequal"), 2, &|x| {
        truth(x[0] >= x[1])
    });
    check_elementwise(OpSpec::pointwise("lesserthan"), 2, &|x| truth(x[0] < x[1]));
    check_elementwise(OpSpec::pointwise("lesserequal"), 2, &|x| {
        truth(x[0] <= x[1])
    });
}

/// The larger of two zeros is the positive one.
fn zero(a: f32, b: f32, larger: bool) -> f32 {
    let positive = [a, b].iter().filter(|zero| zero.is_sign_positive()).count();
    let negative = if larger { positive == 0 } else { positive < 2 };
    if negative { -0.0 } else { 0.0 }
}

#[test]
fn of_more_elements_and_constants() {
    check_elementwise(OpSpec::pointwise("where3"), 3, &|x| {
        if x[0] == 0.0 { x[2] } else { x[1] }
    });
    check_elementwise(OpSpec::pointwise("layernormnorm"), 5, &|x| {
        (x[0] - x[1]) * x[2] * x[3] + x[4]
    });
    let clip = OpSpec::pointwise("clip")
        .with_constant("clipMin", -1.5)
        .with_constant("clipMax", 2.0);
    check_elementwise(clip, 1, &|x| {
        if x[0].is_nan() {
            x[0]
        } else {
            x[0].clamp(-1.5, 2.0)
        }
    });
    let softplus = OpSpec::pointwise("softplus")
        .with_constant("softplusBeta", 2.0)
        .with_constant("softplusThresh", 16.0);
    check_elementwise(softplus, 1, &|x| {
        if 2.0 * x[0] > 16.0 {
            x[0]
        } else {
            (2.0 * x[0]).exp().ln_1p() / 2.0
        }
    });
}

#[test]
fn integers_wrap() {
    let coordinates = ["floor(c1/32)", "c0", "Mod(c1, 32)"];
    let argument = |index| {
        tensor(
            DeviceFormat::IeeeInt32,
            &[2, 4, 32],
            &coordinates,
            Allocation::argument(index),
        )
    };
    type Of = fn(i32, i32) -> i32;
    let table: [(&str, Of); 5] = [
        ("add", i32::wrapping_add),
        ("sub", i32::wrapping_sub),
        ("mul", i32::wrapping_mul),
        ("maximum", Ord::max),
        ("minimum", Ord::min),
    ];
    let of_seed = |seed: i32| {
        (0..256).map(move |at: i32| {
            at.wrapping_mul(0x1234_5671).wrapping_add(seed) ^ i32::MAX >> (at % 3)
        })
    };
    let (a, b): (Vec<i32>, Vec<i32>) = (of_seed(3).collect(), of_seed(i32::MIN).collect());
    for (name, of) in table {
        let op = space(OpSpec::pointwise(name), 4, 64, 2)
            .with_input(argument(0))
            .with_input(argument(1))
            .with_output(argument(2));
        let bundle = Files::of(&[op.into()]).read().unwrap();
        let placed = Placed::new(HostType::I32, &[4, 64]);
        let mut machine = Machine::new(Target::CARD);
        for values in [&a, &b] {
            let bytes: Vec<u8> = values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect();
            machine
                .add_input(&placed.host, &placed.device, &bytes)
                .unwrap();
        }
        let output = machine.add_output(placed.bytes());
        machine.run(&bundle).unwrap();
        let mut bytes = vec![0; 1024];
        machine
            .fetch(output, &placed.host, &placed.device, &mut bytes)
            .unwrap();
        assert!(machine.report().is_clean(), "{}", machine.report());
        let found: Vec<i32> = bytes
            .as_chunks::<4>()
            .0
            .iter()
            .map(|bytes| i32::from_le_bytes(*bytes))
            .collect();
        let expected: Vec<i32> = a.iter().zip(&b).map(|(a, b)| of(*a, *b)).collect();
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn ragged_sticks() {
    // 100 columns: 28 elements of the last stick of a row are padding that nobody has written.
    let op = space(OpSpec::pointwise("exp"), 8, 100, 2)
        .with_input(matrix(8, 100, Allocation::argument(0)))
        .with_output(matrix(8, 100, Allocation::lx(256)));
    let add = space(OpSpec::pointwise("add"), 8, 100, 2)
        .with_input(matrix(8, 100, Allocation::lx(256)))
        .with_input(matrix(8, 100, Allocation::argument(0)))
        .with_output(matrix(8, 100, Allocation::argument(1)));
    let values: Vec<f32> = integers(800, 0)
        .into_iter()
        .map(|value| value / 8.0)
        .collect();
    let inputs = [(Placed::f16(&[8, 100]), values.clone())];
    let mut setup = Setup::new(&inputs, Placed::f16(&[8, 100]));
    let found = setup.run_clean(&Files::of(&[op.into(), add.into()]));
    let round = |value: f32| f16::from_f32(value).to_f32();
    let expected: Vec<f32> = values.iter().map(|x| round(round(x.exp()) + x)).collect();
    assert_same(&found, &expected, "exp + x");
    // Whole sticks of 4 rows by 2, behind the address.
    assert_eq!(setup.machine.stats().lx_peak[&0], Bytes(256 + 4 * 2 * 128));
}

#[test]
fn broadcasts() {
    // A row, a column with one element per stick, and a scalar.
    let row = || {
        tensor(
            F16,
            &[1, 2, 64],
            &["0", "floor(c1/64)", "Mod(c1, 64)"],
            Allocation::argument(1),
        )
    };
    let column = || {
        tensor(
            F16,
            &[1, ROWS, 64],
            &["0", "c0", "0"],
            Allocation::argument(1),
        )
    };
    let scalar = || tensor(F16, &[1, 1, 64], &["0", "0", "0"], Allocation::argument(1));
    let x = integers((ROWS * COLUMNS) as usize, 0);
    let sparse = Placed::ordered(HostType::F16, &[ROWS], &DimOrder::sparse(1));
    let one = Placed::ordered(HostType::F16, &[1], &DimOrder::sparse(1));
    for (operand, placed, count, at) in [
        (row(), Placed::f16(&[COLUMNS]), COLUMNS, (0, 1)),
        (column(), sparse, ROWS, (1, 0)),
        (scalar(), one, 1, (0, 0)),
    ] {
        let op = space(OpSpec::pointwise("sub"), ROWS as i64, COLUMNS as i64, 4)
            .with_input(matrix(ROWS, COLUMNS, Allocation::argument(0)))
            .with_input(operand)
            .with_output(matrix(ROWS, COLUMNS, Allocation::argument(2)));
        let y = integers(count as usize, 9);
        let shape = [ROWS, COLUMNS];
        let inputs = [(Placed::f16(&shape), x.clone()), (placed, y.clone())];
        let found = Setup::new(&inputs, Placed::f16(&shape)).run_clean(&Files::of(&[op.into()]));
        let expected: Vec<f32> = (0..x.len())
            .map(|i| {
                let (row, column) = (i / COLUMNS as usize, i % COLUMNS as usize);
                x[i] - y[row * at.0 + column * at.1]
            })
            .collect();
        assert_eq!(found, expected, "{count} elements");
    }
}

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
        Setup::new(&inputs, result).run_clean(&Files::of(&[op.into()])),
        values,
    )
}

#[test]
fn reductions_along_the_stick() {
    type Of = fn(&[f32]) -> f32;
    let table: [(&str, Of); 5] = [
        ("sum", |row| row.iter().sum()),
        ("prod", |row| row.iter().product()),
        ("max", |row| row.iter().copied().fold(f32::MIN, f32::max)),
        ("min", |row| row.iter().copied().fold(f32::MAX, f32::min)),
        ("mean", |row| row.iter().sum::<f32>() / row.len() as f32),
    ];
    for (name, of) in table {
        // The padding of 100 columns is masked, with a zero for products: the format has no other value for them.
        for columns in [128, 100]
            .into_iter()
            .filter(|columns| name != "prod" || *columns == 128)
        {
            let (found, values) = reduce_columns(name, columns, 1);
            let rows = values.chunks(columns as usize);
            let expected: Vec<f32> = rows.map(|row| f16::from_f32(of(row)).to_f32()).collect();
            assert_eq!(found, expected, "{name} of {columns}");
        }
    }
}

#[test]
fn reductions_that_cores_share() {
    let (found, values) = reduce_columns("sum", 256, 4);
    let expected: Vec<f32> = values.chunks(256).map(|row| row.iter().sum()).collect();
    assert_eq!(found, expected);
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
        let files = Files::of(&[op.into()]);
        assert!(files.0["sdsc_0.json"].contains("\"sumnonstick\""));
        let values = integers(8 * columns as usize, 4);
        let inputs = [(Placed::f16(&[8, columns]), values.clone())];
        let found = Setup::new(&inputs, Placed::f16(&[columns])).run_clean(&files);
        let column = |at: usize| values.iter().skip(at).step_by(columns as usize).sum();
        let expected: Vec<f32> = (0..columns as usize).map(column).collect();
        assert_eq!(found, expected);
    }
}

/// Runs a product of [m, k] and [k, n], with slices of each, and returns what it moved.
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
    let mut zeros = b.clone();
    zeros.resize((padded * n) as usize, 0.0);
    let inputs = [
        (Placed::f16(&[m, k]), a.clone()),
        (Placed::f16(&[padded, n]), zeros),
    ];
    let mut setup = Setup::new(&inputs, Placed::f16(&[m, n]));
    let found = setup.run_clean(&Files::of(&[op.into()]));
    let mut expected = Vec::new();
    for row in 0..m as usize {
        for column in 0..n as usize {
            let term = |at: usize| a[row * k as usize + at] * b[at * n as usize + column];
            expected.push((0..k as usize).map(term).sum::<f32>());
        }
    }
    assert_eq!(found, expected, "{m} {n} {k} {slices:?}");
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
    // Ragged K, masked on the left and padded with zeros on the right, and ragged N.
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
    let found = Setup::new(&inputs, Placed::f16(&shape(4))).run_clean(&Files::of(&[op.into()]));
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
    assert_eq!(found, expected);
}

#[test]
fn changes_of_layout() {
    // From columns on the stick to rows on the stick; with ragged extents, both layouts lack something.
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
        let found = setup.run_clean(&Files::of(&[op.into()]));
        // Padding of the result is nobody's.
        let (_, written) = setup.machine.bytes(setup.output).unwrap();
        let written = written.iter().filter(|byte| **byte).count();
        assert_eq!(written, values.len() * 2);
        assert_eq!(found, values, "{rows} by {columns}");
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
    let found = Setup::new(&inputs, Placed::f16(&[4, 64])).run_clean(&Files::of(&[op.into()]));
    let expected: Vec<f32> = (0..4 * 64)
        .map(|at| values[(3 + at / 64) * 256 + 64 + at % 64])
        .collect();
    assert_eq!(found, expected);
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
    let found = Setup::new(&inputs, Placed::f16(&[16, 128])).run_clean(&files);
    let expected: Vec<f32> = values.iter().map(|x| -x.abs()).collect();
    assert_eq!(found, expected);
    // A pool that no segment has room for.
    let large = files.clone().edit(
        "bundle.mlir",
        "device_mem_allocate 8192",
        "device_mem_allocate 9223372036854775807",
    );
    let mut setup = Setup::new(&inputs, Placed::f16(&[16, 128]));
    let why = setup.machine.run(&large.read().unwrap()).unwrap_err();
    let expected = "a pool of 9223372036854775807 bytes; a segment has 17179869184 bytes";
    assert!(why.to_string().contains(expected), "{why}");
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
        report.contains("ends 128 bytes = 1 stick behind the 8064 bytes of the pool"),
        "{report}"
    );
}

#[test]
fn loops_over_a_runtime_size() {
    let advance = || expr("4096*t");
    let argument = |index| matrix(512, 128, Allocation::argument(index)).advancing(advance());
    let op = space(OpSpec::pointwise("neg"), 64, 128, 4)
        .with_input(argument(0))
        .with_output(argument(1))
        .with_tiled_level([Symbol::from("t")])
        .with_trip_count("t", 8);
    let bounds = DimBounds {
        max: 512,
        granularity: 64,
    };
    let source = DimSource {
        arg: ArgIndex::new(0),
        dim: 0,
    };
    let files =
        Files::of(&[LoopSpec::over_runtime_size("s0", 64, bounds, source, vec![op.into()]).into()]);
    let bundle = files.read().unwrap();
    let placed = Placed::f16(&[512, 128]);
    let values = integers(512 * 128, 8);
    for size in [64, 320, 512] {
        let mut machine = Machine::new(Target::CARD);
        machine
            .add_input(&placed.host, &placed.device, &f16_bytes(&values))
            .unwrap();
        let output = machine.add_output(placed.bytes());
        machine.add_size(size);
        machine.run(&bundle).unwrap();
        assert!(machine.report().is_clean(), "{}", machine.report());
        let mut bytes = vec![0; 512 * 128 * 2];
        machine
            .fetch(output, &placed.host, &placed.device, &mut bytes)
            .unwrap();
        let found = f16_values(&bytes);
        let done = size as usize * 128;
        assert!(found[..done].iter().zip(&values).all(|(a, b)| *a == -b));
        assert_eq!(machine.report().is_clean(), size == 512);
        assert_eq!(machine.stats().iterations, size as u64 / 64);
    }
    // Not a multiple of the granularity, and too large.
    for size in [32, 576, 0] {
        let mut machine = Machine::new(Target::CARD);
        machine.add_output(placed.bytes());
        machine.add_output(placed.bytes());
        machine.add_size(size);
        let error = machine.run(&bundle).unwrap_err().to_string();
        assert!(
            error.contains("positive multiple of 64 up to 512"),
            "{error}"
        );
    }
}

#[test]
fn runtime_sizes() {
    // Rows known when the bundle runs: memory is as large as they are.
    let bounds = DimBounds {
        max: 512,
        granularity: 64,
    };
    let argument = |index| matrix(512, 128, Allocation::argument(index));
    let op = OpSpec::pointwise("neg")
        .with_dim("c0", Expr::symbol("s"), 1)
        .with_dim("c1", Expr::int(128), 1)
        .with_runtime_size("s", bounds)
        .with_input(argument(0))
        .with_output(argument(1));
    let bundle = Files::of(&[op.into()]).read().unwrap();
    for rows in [64, 192, 512] {
        let values = integers(rows as usize * 128, 2);
        let placed = Placed::f16(&[rows, 128]);
        let mut machine = Machine::new(Target::CARD);
        machine
            .add_input(&placed.host, &placed.device, &f16_bytes(&values))
            .unwrap();
        let output = machine.add_output(placed.bytes());
        machine.add_size(rows as i64);
        machine.run(&bundle).unwrap();
        let mut bytes = vec![0; values.len() * 2];
        machine
            .fetch(output, &placed.host, &placed.device, &mut bytes)
            .unwrap();
        assert!(machine.report().is_clean(), "{}", machine.report());
        let expected: Vec<f32> = values.iter().map(|value| -value).collect();
        assert_eq!(f16_values(&bytes), expected, "{rows} rows");
    }
}

#[test]
fn formats_of_two_sizes() {
    // From 16 to 32 bits: another number of elements per stick, in an order of the card's own: those with even positions in a
    // stick of 16 bits come to the first of the two.
    let op = space(OpSpec::pointwise("dl16tofp32"), 8, 128, 2)
        .with_input(matrix(8, 128, Allocation::argument(0)))
        .with_output(tensor(
            DeviceFormat::IeeeFp32,
            &[4, 8, 32],
            &["floor(c1/32)", "c0", "Mod(c1, 32)"],
            Allocation::argument(1),
        ));
    let bundle = Files::of(&[op.into()]).read().unwrap();
    let (from, to) = (
        Placed::f16(&[8, 128]),
        Placed::new(HostType::F32, &[8, 128]),
    );
    let values: Vec<f32> = special(1024, 0);
    let mut machine = Machine::new(Target::CARD);
    machine
        .add_input(&from.host, &from.device, &f16_bytes(&values))
        .unwrap();
    let output = machine.add_output(to.bytes());
    machine.run(&bundle).unwrap();
    let mut bytes = vec![0; 4096];
    machine
        .fetch(output, &to.host, &to.device, &mut bytes)
        .unwrap();
    assert!(machine.report().is_clean(), "{}", machine.report());
    let found: Vec<f32> = bytes
        .as_chunks::<4>()
        .0
        .iter()
        .map(|bytes| f32::from_le_bytes(*bytes))
        .collect();
    let in_order: Vec<f32> = values
        .chunks(64)
        .flat_map(|stick| {
            let even = stick.iter().step_by(2);
            even.chain(stick.iter().skip(1).step_by(2))
        })
        .copied()
        .collect();
    assert_same(&found, &in_order, "dl16tofp32");
}

#[test]
fn rounding_rules() {
    let op = || {
        let argument = |index| matrix(1, 64, Allocation::argument(index));
        space(OpSpec::pointwise("add"), 1, 64, 1)
            .with_input(argument(0))
            .with_input(argument(1))
            .with_output(argument(2))
    };
    let bundle = Files::of(&[op().into()]).read().unwrap();
    // 1 and 2^-9, 2^-10 and 2^-11: f16 has 10 bits of fraction, DL16 9 and bf16 7.
    let sum = |rounding: Rounding, host: HostType, b: f32| {
        let placed = Placed::new(host, &[1, 64]);
        let encode = |value: f32| match host {
            HostType::Bf16 => bf16::from_f32(value).to_le_bytes(),
            _ => f16::from_f32(value).to_le_bytes(),
        };
        let mut machine = Machine::new(Target::CARD).with_rounding(rounding);
        for value in [1.0, b] {
            machine
                .add_input(&placed.host, &placed.device, &encode(value).repeat(64))
                .unwrap();
        }
        let output = machine.add_output(placed.bytes());
        machine.run(&bundle).unwrap();
        let mut bytes = vec![0; 128];
        machine
            .fetch(output, &placed.host, &placed.device, &mut bytes)
            .unwrap();
        let first = [bytes[0], bytes[1]];
        match host {
            HostType::Bf16 => bf16::from_le_bytes(first).to_f32(),
            _ => f16::from_le_bytes(first).to_f32(),
        }
    };
    let powers = [9, 10, 11].map(|power| 2_f32.powi(-power));
    assert_eq!(
        powers.map(|b| sum(Rounding::F16, HostType::F16, b)),
        [1.0 + powers[0], 1.0 + powers[1], 1.0]
    );
    assert_eq!(
        powers.map(|b| sum(Rounding::Dl16, HostType::F16, b)),
        [1.0 + powers[0], 1.0, 1.0]
    );
    assert_eq!(
        powers.map(|b| sum(Rounding::Bf16, HostType::Bf16, b)),
        [1.0, 1.0, 1.0]
    );
    // Memory holds codes of the rule: 1 is exponent 31 in DL16.
    let placed = Placed::f16(&[1, 64]);
    let mut machine = Machine::new(Target::CARD).with_rounding(Rounding::Dl16);
    let one = machine
        .add_input(&placed.host, &placed.device, &f16_bytes(&[1.0; 64]))
        .unwrap();
    assert_eq!(
        machine.bytes(one).unwrap().0[..2],
        Dl16::ONE.to_bits().to_le_bytes()
    );
}

#[test]
fn what_is_defined_on_tensors_is_defined_here() {
    let page = include_str!("../../../docs/Execution.md");
    let rows = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `spyre."));
    let names = rows.filter_map(|row| row.split('`').next());
    // The operations from the sine on have no OpFunc: others are written for them.
    let names: Vec<&str> = names.take_while(|name| *name != "sin").collect();
    assert!(names.len() > 30, "{names:?}");
    for name in names {
        let function = match name {
            "bitcast" | "copy" | "gather" => "identity",
            "restickify" => "ReStickifyOpHBM",
            other => other,
        };
        assert!(functions().any(|known| known == function), "{name}");
    }
}

#[test]
fn a_number_that_masks_no_integers() {
    let argument = |index| {
        let coordinates = ["floor(c1/32)", "c0", "Mod(c1, 32)"];
        let place = Allocation::argument(index);
        tensor(DeviceFormat::IeeeInt32, &[2, 4, 32], &coordinates, place)
    };
    let op = space(OpSpec::pointwise("add"), 4, 64, 1)
        .with_input(argument(0))
        .with_input(argument(1))
        .with_output(argument(2));
    let masked = |code: u32| {
        let files = Files::of(&[op.clone().into()]).change("sdsc_0.json", |sdsc| {
            let own = dsc(sdsc);
            own["coordinateMasking_"] = serde_json::json!({"out": [[60, 4]]});
            own["constantInfo_"] = serde_json::json!({"0": {
                "dataFormat_": "IEEE_FP32", "name_": "samv-maskvalue", "data_": {"data_": {"[0, 0, 0]": [code]}},
            }});
        });
        let mut machine = Machine::new(Target::CARD);
        for _ in 0..2 {
            machine.add_bytes(&[1; 4 * 64 * 4]);
        }
        let output = machine.add_output(Bytes(4 * 64 * 4));
        machine
            .run(&files.read().unwrap())
            .map_err(|why| why.to_string())?;
        Ok::<_, String>(machine.bytes(output).unwrap().0)
    };
    // Zero is zero; what one is in 32 bits, no file says.
    let bytes = masked(0).unwrap();
    assert_eq!((bytes[0], bytes[128 * 4 + 31 * 4]), (2, 0));
    let why = masked(1_f32.to_bits()).unwrap_err();
    assert!(why.contains("'add' is not defined on IEEE_INT32"), "{why}");
}

#[test]
fn what_has_no_definition() {
    let names: Vec<&str> = functions().collect();
    assert!(names.contains(&"add") && !names.contains(&"exx2"));
    let argument = |index| matrix(8, 64, Allocation::argument(index));
    let op = space(OpSpec::pointwise("qfp8ch"), 8, 64, 1)
        .with_input(argument(0))
        .with_output(argument(1));
    let bundle = Files::of(&[op.into()]).read().unwrap();
    let mut machine = Machine::new(Target::CARD);
    machine.add_output(Bytes(1024));
    machine.add_output(Bytes(1024));
    let error = machine.run(&bundle).unwrap_err().to_string();
    assert!(
        error.contains("qfp8ch (sdsc_0.json, bundle.mlir:5:3): 'qfp8ch' has no definition"),
        "{error}"
    );
    let mut machine = Machine::new(Target::CARD);
    let error = machine.run(&bundle).unwrap_err().to_string();
    assert_eq!(
        error,
        "the bundle has 2 parameters, and 0 arguments are bound"
    );
}

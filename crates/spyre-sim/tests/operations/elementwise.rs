//! Operations element by element: of one element, of several, of integers, on ragged sticks.

use half::f16;
use spyre_layout::{DeviceFormat, DimOrder, HostType};
use spyre_plan::Target;
use spyre_sdsc::{Allocation, Bytes, OpSpec};
use spyre_sim::Machine;

use crate::common::{F16, Files, Placed, Setup, integers, matrix, space, tensor};
use crate::values::{COLUMNS, ROWS, assert_same, special};

/// Runs an elementwise operation on matrices, and compares with a function of the elements.
fn check_elementwise(op: OpSpec, operands: usize, function: &dyn Fn(&[f32]) -> f32) {
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
    let files = Files::from_nodes(&[op.into()]);
    let actual = Setup::new(&inputs, Placed::f16(&shape)).run_clean(&files);
    let expected: Vec<f32> = (0..count)
        .map(|at| {
            let operands_at: Vec<f32> = inputs.iter().map(|(_, values)| values[at]).collect();
            f16::from_f32(function(&operands_at)).to_f32()
        })
        .collect();
    assert_same(&actual, &expected, &name);
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
        ("relu6fwd", |x| {
            if x.is_nan() {
                x
            } else {
                x.clamp(0.0, 6.0) + 0.0
            }
        }),
        ("fastexp", f32::exp),
        ("fastsigmoid", |x| 1.0 / (1.0 + (-x).exp())),
        ("exp", f32::exp),
        ("log", f32::ln),
        ("tanh", f32::tanh),
        ("sigmoid", |x| 1.0 / (1.0 + (-x).exp())),
        ("silu", |x| x / (1.0 + (-x).exp())),
        ("identity", |x| x),
    ];
    for (name, function) in table {
        // 0 - x has another zero than -x.
        let function = |x: &[f32]| {
            if *name == "neg" {
                f32::from_bits(x[0].to_bits() ^ 1 << 31)
            } else {
                function(x[0])
            }
        };
        check_elementwise(OpSpec::pointwise(*name), 1, &function);
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
    let actual =
        Setup::new(&inputs, Placed::f16(&[1, 64])).run_clean(&Files::from_nodes(&[op.into()]));
    for (actual, expected) in
        actual
            .iter()
            .zip([0.841_344_7, -0.158_655_25, 1.954_499_7, 0.345_731_23])
    {
        assert!(
            (actual - expected).abs() < 0.001,
            "{actual} and not {expected}"
        );
    }
}

#[test]
fn mish_of_some_numbers() {
    let op = space(OpSpec::pointwise("mish"), 1, 64, 1)
        .with_input(matrix(1, 64, Allocation::argument(0)))
        .with_output(matrix(1, 64, Allocation::argument(1)));
    let mut values = vec![0.0; 64];
    values[..4].copy_from_slice(&[1.0, -1.0, 30.0, -100.0]);
    let inputs = [(Placed::f16(&[1, 64]), values)];
    let actual =
        Setup::new(&inputs, Placed::f16(&[1, 64])).run_clean(&Files::from_nodes(&[op.into()]));
    for (actual, expected) in actual.iter().zip([0.8651, -0.3034, 30.0, 0.0, 0.0]) {
        assert!(
            (actual - expected).abs() < 0.0005,
            "{actual} and not {expected}"
        );
    }
}

#[test]
fn of_two_elements() {
    let nan = |a: f32, b: f32, expected: f32| {
        if a.is_nan() || b.is_nan() {
            f32::NAN
        } else {
            expected
        }
    };
    check_elementwise(OpSpec::pointwise("add"), 2, &|x| x[0] + x[1]);
    check_elementwise(OpSpec::pointwise("sub"), 2, &|x| x[0] - x[1]);
    check_elementwise(OpSpec::pointwise("revsub"), 2, &|x| x[1] - x[0]);
    check_elementwise(OpSpec::pointwise("biasadd"), 2, &|x| x[0] + x[1]);
    check_elementwise(OpSpec::pointwise("mul"), 2, &|x| x[0] * x[1]);
    check_elementwise(OpSpec::pointwise("realdiv"), 2, &|x| x[0] / x[1]);
    for (name, larger) in [("maximum", true), ("minimum", false)] {
        let function = |x: &[f32]| {
            let chosen = if larger == (x[0] > x[1]) { x[0] } else { x[1] };
            let zeros = x[0] == 0.0 && x[1] == 0.0;
            nan(
                x[0],
                x[1],
                if zeros {
                    zero(x[0], x[1], larger)
                } else {
                    chosen
                },
            )
        };
        check_elementwise(OpSpec::pointwise(name), 2, &function);
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
    for (name, function) in table {
        let op = space(OpSpec::pointwise(name), 4, 64, 2)
            .with_input(argument(0))
            .with_input(argument(1))
            .with_output(argument(2));
        let bundle = Files::from_nodes(&[op.into()]).read().unwrap();
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
        let actual: Vec<i32> = bytes
            .as_chunks::<4>()
            .0
            .iter()
            .map(|bytes| i32::from_le_bytes(*bytes))
            .collect();
        let expected: Vec<i32> = a.iter().zip(&b).map(|(a, b)| function(*a, *b)).collect();
        assert_eq!(actual, expected, "{name}");
    }
}

#[test]
fn ragged_sticks() {
    // 100 columns: 28 elements of the last stick of a row are unwritten padding.
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
    let actual = setup.run_clean(&Files::from_nodes(&[op.into(), add.into()]));
    let round = |value: f32| f16::from_f32(value).to_f32();
    let expected: Vec<f32> = values.iter().map(|x| round(round(x.exp()) + x)).collect();
    assert_same(&actual, &expected, "exp + x");
    // Whole sticks of 4 rows by 2, after the address.
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
        let actual =
            Setup::new(&inputs, Placed::f16(&shape)).run_clean(&Files::from_nodes(&[op.into()]));
        let expected: Vec<f32> = (0..x.len())
            .map(|i| {
                let (row, column) = (i / COLUMNS as usize, i % COLUMNS as usize);
                x[i] - y[row * at.0 + column * at.1]
            })
            .collect();
        assert_eq!(actual, expected, "{count} elements");
    }
}

//! The errors of `--spyre-decompose` are within the bounds on its page.

use melior::Context;
use melior::ir::Module;
use spyre_exec::{Array, DType, interpret};
use spyre_mlir_rt::source::run_pipeline;
use spyre_ops::DECOMPOSED;

/// A row of the page: an operation, its formula, and the largest error.
struct Row {
    mnemonic: &'static str,
    /// The second operand.
    second: Option<f32>,
    exact: fn(f64) -> f64,
    /// The least and the largest magnitude of operands in `f32`.
    range: [f32; 2],
    /// Whether operands below 0 are among them.
    is_signed: bool,
    /// Errors of results below this are in units of this.
    least: f64,
    /// The largest error in `f32`, `f16` and `bf16`, in units in the last place.
    errors: [f64; 3],
}

const fn row(mnemonic: &'static str, exact: fn(f64) -> f64, errors: [f64; 3]) -> Row {
    Row {
        mnemonic,
        second: None,
        exact,
        range: [1e-30, 1e30],
        is_signed: true,
        least: 0.0,
        errors,
    }
}

const fn power(exponent: f32, exact: fn(f64) -> f64, errors: [f64; 3]) -> Row {
    Row {
        second: Some(exponent),
        range: [1e-6, 1e6],
        is_signed: false,
        ..row("pow", exact, errors)
    }
}

const ROWS: &[Row] = &[
    Row {
        range: [1e-30, 3000.0],
        least: 0.5,
        ..row("sin", f64::sin, [1.7, 0.6, 0.6])
    },
    Row {
        range: [1e-30, 3000.0],
        least: 0.5,
        ..row("cos", f64::cos, [1.8, 0.6, 0.6])
    },
    Row {
        range: [1e-30, 1.5],
        ..row("tan", f64::tan, [2.5, 0.6, 0.6])
    },
    Row {
        range: [1e-30, 1.0],
        ..row("asin", f64::asin, [2.2, 0.6, 0.6])
    },
    Row {
        range: [1e-30, 1.0],
        ..row("acos", f64::acos, [2.6, 0.6, 0.6])
    },
    row("atan", f64::atan, [1.8, 2.2, 1.2]),
    Row {
        range: [1e-30, 89.0],
        ..row("sinh", f64::sinh, [3.4, 0.6, 0.6])
    },
    Row {
        range: [1e-30, 89.0],
        ..row("cosh", f64::cosh, [2.1, 0.6, 0.6])
    },
    row("asinh", f64::asinh, [2.3, 0.6, 0.6]),
    Row {
        range: [1.0, 1e30],
        is_signed: false,
        ..row("acosh", f64::acosh, [2.1, 0.6, 0.6])
    },
    Row {
        range: [1e-30, 1.0],
        ..row("atanh", f64::atanh, [2.8, 0.6, 0.6])
    },
    row("trunc", f64::trunc, [0.0; 3]),
    row("erf", libm::erf, [4.5, 2.8, 2.2]),
    row("exp2", f64::exp2, [64.0, 0.6, 0.6]),
    row("expm1", f64::exp_m1, [3.6, 2.2, 2.1]),
    row("log2", f64::log2, [1.6, 1.8, 1.7]),
    row("log1p", f64::ln_1p, [2.8, 2.5, 2.2]),
    row("cbrt", f64::cbrt, [0.8, 0.6, 0.6]),
    Row {
        second: Some(2.0),
        ..row("atan2", |y| y.atan2(2.0), [1.9, 0.6, 0.6])
    },
    Row {
        second: Some(-3.0),
        ..row("atan2", |y| y.atan2(-3.0), [1.1, 0.6, 0.6])
    },
    Row {
        second: Some(-1.0),
        ..row("copysign", |x| -x.abs(), [0.0; 3])
    },
    Row {
        second: Some(3.0),
        range: [1e-30, 1e10],
        ..row("fmod", |x| x % 3.0, [0.0; 3])
    },
    Row {
        second: Some(-0.75),
        range: [1e-30, 1e9],
        ..row("fmod", |x| x % 0.75, [0.0; 3])
    },
    row("roundaway", f64::round, [0.0; 3]),
    row("ceil", f64::ceil, [0.0; 3]),
    row("round", f64::round_ties_even, [0.0; 3]),
    power(3.0, |x| x.powi(3), [1.4, 1.2, 1.1]),
    power(-2.0, |x| x.powi(-2), [1.6, 0.6, 0.6]),
    power(0.5, f64::sqrt, [0.6, 0.6, 0.6]),
    power(2.5, |x| x.powf(2.5), [55.0, 0.6, 0.6]),
    power(40.0, |x| x.powf(40.0), [140.0, 0.6, 0.6]),
];

/// Operands: every number of a format of 16 bits, and in `f32` numbers of a range, of all magnitudes.
fn numbers(row: &Row, dtype: DType) -> Vec<f32> {
    match dtype {
        DType::F16 => (0..=u16::MAX).map(f16_number).collect(),
        DType::Bf16 => (0..=u16::MAX)
            .map(|bits| f32::from_bits(u32::from(bits) << 16))
            .collect(),
        _ => {
            let [least, most] = row.range.map(f32::to_bits);
            let step = ((most - least) / 60_000).max(1);
            let magnitudes = (least..=most).step_by(step as usize).map(f32::from_bits);
            let signs: &[f32] = if row.is_signed { &[1.0, -1.0] } else { &[1.0] };
            let all = magnitudes.flat_map(|number| signs.iter().map(move |sign| sign * number));
            all.collect()
        }
    }
}

/// The number of a pattern of bits of `f16`.
fn f16_number(bits: u16) -> f32 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023));
    sign * match exponent {
        0 => fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1024.0 + fraction) * 2f32.powi(exponent - 25),
    }
}

/// The distance of two numbers next to one another in a format, around a number.
fn unit(dtype: DType, number: f64) -> f64 {
    let (digits, least) = match dtype {
        DType::F16 => (10, -14),
        DType::Bf16 => (7, -126),
        _ => (23, -126),
    };
    let exponent = number.abs().max(f64::MIN_POSITIVE).log2().floor();
    2f64.powi((exponent as i32).max(least) - digits)
}

/// Runs the decomposed operation and returns its largest error, in units in the last place, with the operand.
fn largest_error(context: &Context, row: &Row, dtype: DType) -> (f64, f64) {
    let inputs = numbers(row, dtype);
    let count = inputs.len();
    let input = Array::from_f32s(dtype, &[count], &inputs).expect("an array");
    let ty = format!("tensor<{count}x{dtype}>");
    let op = match row.second {
        Some(second) => format!(
            "%e = spyre.fill dense<{second:?}> : tensor<1x{dtype}>
             %y = spyre.{} %x, %e : ({ty}, tensor<1x{dtype}>) -> {ty}",
            row.mnemonic
        ),
        None => format!("%y = spyre.{} %x : {ty}", row.mnemonic),
    };
    let text = format!("func.func @f(%x: {ty}) -> {ty} {{\n{op}\nreturn %y : {ty}\n}}");
    let module = Module::parse(context, &text).unwrap_or_else(|| panic!("{text}"));
    let pipeline = "builtin.module(func.func(spyre-decompose))";
    run_pipeline(context, module.as_operation(), pipeline).expect("it is decomposed");
    assert!(
        !module
            .as_operation()
            .to_string()
            .contains(&format!("spyre.{} ", row.mnemonic))
    );
    let function = interpret::function(module.as_operation(), "f").expect("a function");
    let results = interpret::run(function, std::slice::from_ref(&input)).expect("it runs");
    let mut worst = (0.0, 0.0);
    for (x, y) in input.elements().zip(results[0].elements()) {
        let (x, y) = (x.to_f64(), y.to_f64());
        let exact = (row.exact)(x);
        let is_in_range = x.abs() >= f64::from(row.range[0]) && x.abs() <= f64::from(row.range[1]);
        let largest = match dtype {
            DType::F16 => 65504.0,
            _ => f64::from(f32::MAX),
        };
        if !is_in_range || !exact.is_finite() || exact.abs() > largest || x.abs() > largest {
            continue;
        }
        let error = (y - exact).abs() / unit(dtype, exact.abs().max(row.least));
        assert!(
            error.is_finite(),
            "{} of {x} is {y}, not {exact}",
            row.mnemonic
        );
        if error > worst.0 {
            worst = (error, x);
        }
    }
    worst
}

#[test]
fn errors_are_those_of_the_page() {
    spyre_all::register_passes();
    let context = spyre_all::context();
    let page = include_str!("../../spyre-layouts/src/decompose.md");
    let (mut wrong, mut missing) = (Vec::new(), Vec::new());
    for row in ROWS {
        let formats = [DType::F32, DType::F16, DType::Bf16];
        for (dtype, allowed) in formats.into_iter().zip(row.errors) {
            let (error, x) = largest_error(&context, row, dtype);
            println!(
                "{} {:?} {dtype}: {error:.2} at {x}",
                row.mnemonic, row.second
            );
            if error > allowed {
                let name = row.mnemonic;
                wrong.push(format!(
                    "{name} of {x} in {dtype}: {error}, above {allowed}"
                ));
            }
        }
        let name = match row.second {
            Some(exponent) if row.mnemonic == "pow" => format!("`pow` by {exponent}"),
            Some(second) => format!("`{}` with {second}", row.mnemonic),
            None => format!("`{}`", row.mnemonic),
        };
        let [wide, half, brain] = row.errors;
        let cells = format!("| {name} | {wide} | {half} | {brain} |");
        if !page.contains(&cells) {
            missing.push(cells);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(missing.is_empty(), "the page lacks\n{}", missing.join("\n"));
    for row in DECOMPOSED.iter().filter(|row| !row.is_cast()) {
        let is_there = ROWS.iter().any(|other| other.mnemonic == row.mnemonic);
        assert!(is_there, "no errors of '{}'", row.mnemonic);
    }
}

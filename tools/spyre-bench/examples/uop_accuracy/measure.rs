//! Rows of the table of errors, and the measurement of each.
//!
//! A function is `uop.exp2` or another, written with `--uop-decompose`, compiled for this machine, and called. The
//! exact result is the 64-bit function of the C library, which has an error below 2^-29 units of the last place of
//! `f32`. A unit is the distance of the neighbours of the exact result: 2^(e - 23) for `f32` where it has the exponent
//! e, and no less than the distance of subnormal numbers.

use std::error::Error;

use melior::Context;
use melior::ir::Module;
use spyre_mlir_rt::execution::{Function, Optimization};
use spyre_mlir_rt::source::run_pipeline;
use spyre_uop::dtype::DType;
use spyre_uop::element;

/// The number of elements of a call: small enough that all intermediate values stay in the first-level cache.
pub(crate) const CHUNK: usize = 4096;

/// The pipeline to linalg. A division is a single operation on every target.
const DECOMPOSE: &str =
    "builtin.module(uop-decompose{keep=div},convert-uop-to-linalg,func.func(canonicalize,cse))";

/// A function of one operand, or of two.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Exact {
    /// `f(x)`
    One(fn(f64) -> f64),
    /// `f(a, b)`
    Two(fn(f64, f64) -> f64),
}

/// A group of measurements: the errors of an operation on some inputs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    /// The operation, by its name in the dialect.
    pub(crate) op: &'static str,
    /// The element type.
    pub(crate) dtype: DType,
    /// The inputs, for people.
    pub(crate) domain: &'static str,
    /// The exact function.
    pub(crate) exact: Exact,
    /// Whether an input is of the row, by it and its exact result.
    pub(crate) holds: fn(f64, f64) -> bool,
    /// The largest error that there may be, in units of the last place.
    pub(crate) limit: f64,
    /// The ends of both operands, which are drawn; all inputs of one operand are counted through.
    pub(crate) drawn: [[f64; 2]; 2],
}

const NORMAL: f64 = f32::MIN_POSITIVE as f64;

const fn row(op: &'static str, domain: &'static str, exact: fn(f64) -> f64, limit: f64) -> Row {
    Row {
        op,
        dtype: DType::F32,
        domain,
        exact: Exact::One(exact),
        holds: |_, _| true,
        limit,
        drawn: [[0.0; 2]; 2],
    }
}

const fn power(domain: &'static str, drawn: [[f64; 2]; 2], limit: f64) -> Row {
    Row {
        exact: Exact::Two(f64::powf),
        holds: |_, exact| exact >= NORMAL && exact <= f32::MAX as f64,
        drawn,
        ..row("pow", domain, f64::sqrt, limit)
    }
}

/// The rows of the specification's table for separate products and sums. Its numbers are rounded, so a limit is half a
/// unit of the last digit above them. Of powers it has the largest error of 13 million pairs; other pairs near 1 are up
/// to 11.94.
pub(crate) fn rows() -> Vec<Row> {
    let near = |x: f64, _: f64| 0.5 < x && x < 2.0;
    let mut rows = vec![
        Row {
            holds: |_, exact| exact >= NORMAL || exact.is_nan(),
            ..row("exp2", "normal results", f64::exp2, 1.085)
        },
        Row {
            holds: |_, exact| exact < NORMAL,
            ..row("exp2", "subnormal results", f64::exp2, 0.885)
        },
        Row {
            holds: |x, _| !(0.5 < x && x < 2.0),
            ..row("log2", "outside of (0.5, 2)", f64::log2, 1.735)
        },
        Row {
            holds: near,
            ..row("log2", "in (0.5, 2)", f64::log2, 3.885)
        },
        Row {
            holds: |x, _| 0.0 < x && x < NORMAL,
            ..row("log2", "subnormal numbers", f64::log2, 1.005)
        },
        Row {
            holds: |x, _| x.abs() < 30.0 || x.is_nan(),
            ..row("sin", "below 30", f64::sin, 2.895)
        },
        Row {
            holds: |x, _| x.abs() >= 30.0,
            ..row("sin", "from 30", f64::sin, 2.745)
        },
        Row {
            holds: |x, _| !(0.0 < x && x < NORMAL),
            ..row("sqrt", "normal numbers", f64::sqrt, 43.95)
        },
        Row {
            holds: |x, _| 0.0 < x && x < NORMAL,
            ..row("sqrt", "subnormal numbers", f64::sqrt, 87.5)
        },
        power("[1/2, 2], [-8, 8]", [[0.5, 2.0], [-8.0, 8.0]], 12.0),
        power(
            "[1e-3, 1e3], [-10, 10]",
            [[1e-3, 1e3], [-10.0, 10.0]],
            153.5,
        ),
    ];
    for dtype in [DType::F16, DType::Bf16] {
        for (op, exact, limit) in [
            ("exp2", f64::exp2 as fn(f64) -> f64, 0.5005),
            ("log2", f64::log2, 0.5005),
            ("sin", f64::sin, 0.9535),
            ("sqrt", f64::sqrt, 0.5005),
        ] {
            rows.push(Row {
                dtype,
                ..row(op, "all", exact, limit)
            });
        }
    }
    rows
}

/// The errors of a row.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Errors {
    /// The inputs.
    pub(crate) count: u64,
    /// The largest error, in units of the last place.
    pub(crate) worst: f64,
    /// The bits of the first operand where it is.
    pub(crate) at: u64,
    /// The sum of all errors.
    pub(crate) sum: f64,
    /// The results that are the exact ones, rounded.
    pub(crate) rounded: u64,
}

/// An operation, compiled.
pub(crate) struct Compiled {
    function: Function,
    dtype: DType,
    operands: usize,
}

impl Compiled {
    /// Decomposes and compiles the operation of a row.
    pub(crate) fn new(context: &Context, row: &Row) -> Result<Self, Box<dyn Error>> {
        let element = row.dtype.to_string();
        let ty = format!("tensor<{CHUNK}x{element}>");
        let operands = match row.exact {
            Exact::One(_) => 1,
            Exact::Two(_) => 2,
        };
        let (arguments, names) = match operands {
            1 => (format!("%a: {ty}"), "%a"),
            _ => (format!("%a: {ty}, %b: {ty}"), "%a, %b"),
        };
        let text = format!(
            "func.func @f({arguments}) -> {ty} {{\n  %r = uop.{} {names} : {ty}\n  return %r : {ty}\n}}\n",
            row.op
        );
        let module = Module::parse(context, &text).ok_or("the program is not read")?;
        run_pipeline(context, module.as_operation(), DECOMPOSE)?;
        let lowered = module.as_operation().to_string();
        if lowered.contains("math.exp2") || lowered.contains("math.log2") {
            return Err(format!("uop.{} is not decomposed", row.op).into());
        }
        let lowering = "builtin.module(spyre-lower-to-llvm)";
        let function = Function::compile(context, module, "f", lowering, Optimization::Speed)?;
        Ok(Self {
            function,
            dtype: row.dtype,
            operands,
        })
    }

    /// Computes elements, given as their bits; so many that a call takes, of each operand.
    fn call(&self, operands: &[Vec<u64>]) -> Result<Vec<u64>, Box<dyn Error>> {
        let bytes: Vec<Vec<u8>> = operands.iter().map(|operand| self.bytes(operand)).collect();
        let bytes: Vec<&[u8]> = bytes.iter().map(Vec::as_slice).collect();
        let results = self.function.call(&bytes)?;
        let result = results.first().ok_or("there is no result")?;
        Ok(match self.dtype.bits() {
            16 => {
                let (words, _) = result.as_chunks::<2>();
                words
                    .iter()
                    .map(|raw| u16::from_ne_bytes(*raw).into())
                    .collect()
            }
            _ => {
                let (words, _) = result.as_chunks::<4>();
                words
                    .iter()
                    .map(|raw| u32::from_ne_bytes(*raw).into())
                    .collect()
            }
        })
    }

    fn bytes(&self, bits: &[u64]) -> Vec<u8> {
        let width = self.dtype.bits() as usize / 8;
        let mut bytes = Vec::with_capacity(bits.len() * width);
        for value in bits {
            bytes.extend_from_slice(&value.to_le_bytes()[..width]);
        }
        bytes
    }

    /// Measures the inputs of a chunk, by its number: every `stride`-th one of all, or pairs that are drawn. Adds to
    /// the errors of each of the rows, which are of this operation.
    pub(crate) fn measure(
        &self,
        rows: &[Row],
        chunk: u64,
        stride: u64,
        errors: &mut [Errors],
    ) -> Result<(), Box<dyn Error>> {
        let first = chunk * CHUNK as u64;
        let numbers = first..first + CHUNK as u64;
        if self.operands == 2 {
            for (row, errors) in rows.iter().zip(errors) {
                let pairs: Vec<[u64; 2]> = numbers.clone().map(|index| drawn(row, index)).collect();
                let operands = [0, 1].map(|side| pairs.iter().map(|pair| pair[side]).collect());
                let results = self.call(&operands)?;
                for (pair, result) in pairs.iter().zip(results) {
                    let [a, b] = pair.map(|bits| element::float(row.dtype, bits));
                    if let Exact::Two(function) = row.exact {
                        errors.take(row, (pair[0], a), result, function(a, b));
                    }
                }
            }
            return Ok(());
        }
        let all = 1_u64 << self.dtype.bits();
        // The last chunk begins anew, so that it is whole; inputs of the previous one are not counted again.
        let inputs: Vec<u64> = numbers.map(|index| index * stride % all).collect();
        let results = self.call(std::slice::from_ref(&inputs))?;
        let inputs_at_stride = inputs_of(self.dtype, stride);
        for (number, (bits, result)) in inputs.into_iter().zip(results).enumerate() {
            if first + number as u64 >= inputs_at_stride {
                break;
            }
            let x = element::float(self.dtype, bits);
            let Exact::One(function) = rows[0].exact else {
                unreachable!("rows of an operation have as many operands");
            };
            let exact = function(x);
            for (row, errors) in rows.iter().zip(errors.iter_mut()) {
                errors.take(row, (bits, x), result, exact);
            }
        }
        Ok(())
    }
}

/// Returns the number of inputs of a type, every `stride`-th one.
pub(crate) fn inputs_of(dtype: DType, stride: u64) -> u64 {
    (1_u64 << dtype.bits()).div_ceil(stride)
}

/// Returns the operands of a number: both of their ranges, spread evenly.
fn drawn(row: &Row, number: u64) -> [u64; 2] {
    let part = |by: u64| (number.wrapping_mul(by) >> 40) as f64 / f64::from(1 << 24);
    let parts = [part(0x9E37_79B9_7F4A_7C15), part(0xD1B5_4A32_D192_ED03)];
    [0, 1].map(|side| {
        let [low, high] = row.drawn[side];
        element::rounded(row.dtype, low + (high - low) * parts[side])
    })
}

impl Errors {
    /// Counts one result.
    fn take(&mut self, row: &Row, (bits, x): (u64, f64), result: u64, exact: f64) {
        if !(row.holds)(x, exact) {
            return; // It is of another row.
        }
        let (error, is_rounded) = error(row.dtype, result, exact);
        self.count += 1;
        self.rounded += u64::from(is_rounded);
        self.sum += error;
        if error > self.worst {
            (self.worst, self.at) = (error, bits);
        }
    }
}

/// Returns the distance of a result from an exact one, in units of its last place, and whether it is the exact one,
/// rounded. Results that are not finite have to be equal.
fn error(dtype: DType, result: u64, exact: f64) -> (f64, bool) {
    let value = element::float(dtype, result);
    let expected = element::float(dtype, element::rounded(dtype, exact));
    let is_rounded = value == expected || (value.is_nan() && expected.is_nan());
    if !value.is_finite() || !expected.is_finite() {
        return (if is_rounded { 0.0 } else { f64::INFINITY }, is_rounded);
    }
    let (fraction, least) = match dtype {
        DType::F16 => (10, -14),
        DType::Bf16 => (7, -126),
        _ => (23, -126),
    };
    // The exponent of the exact result; that of 0 is the least.
    let exponent = ((exact.to_bits() >> 52) & 0x7FF) as i64 - 1023;
    let unit = exponent.max(least) - fraction;
    let unit = f64::from_bits(((unit + 1023) as u64) << 52);
    ((value - exact).abs() / unit, is_rounded)
}

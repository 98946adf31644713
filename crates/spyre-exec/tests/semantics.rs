//! Compares every operation with another implementation: operations of one 16-bit operand on all of its values,
//! the others on special values. The rules are in docs/Execution.md.

use std::fmt::Write as _;

use half::{bf16, f16};
use melior::ir::Module;
use spyre_exec::program::RunError;
use spyre_exec::random::{self, Distribution};
use spyre_exec::{
    Array, DType, Executable, Options, Program, Scalar, TensorType, compare, interpret,
};
use spyre_ops::OP_FUNCS;

/// A program in its two executions: compiled, and interpreted from other definitions.
struct Both {
    executable: Executable,
    source: String,
    /// Units in the last place by which results may differ, by position; 0 for positions after the list.
    allowed: Vec<u64>,
}

impl Both {
    /// Returns the results of the compiled program, after a comparison with the interpreted one.
    fn run(&self, inputs: &[Array]) -> Result<Vec<Array>, RunError> {
        let compiled = self.executable.run(inputs)?;
        let context = spyre_exec::context();
        let module = Module::parse(&context, &self.source).expect("the program parses");
        let function = interpret::function(module.as_operation(), self.executable.entry());
        let interpreted = interpret::run(function.expect("a function"), inputs).expect("it runs");
        assert_eq!(compiled.len(), interpreted.len());
        let allowed = self.allowed.iter().chain(std::iter::repeat(&0));
        for ((compiled, interpreted), allowed) in compiled.iter().zip(&interpreted).zip(allowed) {
            // All NaNs are equal.
            let comparison = compare(compiled, interpreted, *allowed).expect("of one type");
            assert!(comparison.agrees(), "{}\n{comparison}", self.source);
        }
        Ok(compiled)
    }
}

fn compile(source: &str) -> Both {
    let context = spyre_exec::context();
    let module = Module::parse(&context, source).expect("the program parses");
    let program = Program::select(&context, module.as_operation(), None).expect("a program");
    let options = Options {
        poison: true,
        ..Options::default()
    };
    Both {
        executable: program.compile(&context, options).expect("compiles"),
        source: source.to_owned(),
        allowed: Vec::new(),
    }
}

/// An operation and its rule.
type Named<Rule> = (&'static str, Rule);
type Binary = fn(f32, f32) -> f32;
type Comparison = fn(f32, f32) -> bool;
type Reduction = fn(&[f32]) -> f32;
type Integers = fn(i32, i32) -> i32;

/// The allowed error of a result.
#[derive(Clone, Copy)]
enum Within {
    /// The value that the rule gives, in `f32`.
    Exact(fn(f32) -> f32),
    /// One unit in the last place of the value in double precision: the C library's functions are that good in `f32`.
    OneUlp(fn(f64) -> f64),
    /// The same, or a rounding error of `f32` at 1, times the operand: where the formula cancels.
    Cancelling(fn(f64) -> f64),
}

/// `max` that prefers NaN and takes -0 for less than +0.
fn maximum(a: f32, b: f32) -> f32 {
    if a.is_nan() || b.is_nan() {
        f32::NAN
    } else if a.total_cmp(&b).is_ge() {
        a
    } else {
        b
    }
}

fn minimum(a: f32, b: f32) -> f32 {
    -maximum(-a, -b)
}

/// Operations of one operand: mnemonic, text after the operand, rule.
const UNARY: &[(&str, &str, Within)] = &[
    ("abs", "", Within::Exact(f32::abs)),
    ("floor", "", Within::Exact(f32::floor)),
    ("neg", "", Within::Exact(|x| -x)),
    ("reciprocal", "", Within::Exact(|x| 1.0 / x)),
    ("relufwd", "", Within::Exact(|x| maximum(x, 0.0))),
    (
        "relu6fwd",
        "",
        Within::Exact(|x| minimum(maximum(x, 0.0), 6.0)),
    ),
    ("rsqrt", "", Within::Exact(|x| 1.0 / x.sqrt())),
    ("sqrt", "", Within::Exact(f32::sqrt)),
    (
        "clip",
        "min -1.5 max 0.75",
        Within::Exact(|x| minimum(maximum(x, -1.5), 0.75)),
    ),
    ("copy", "", Within::Exact(|x| x)),
    ("exp", "", Within::OneUlp(f64::exp)),
    ("log", "", Within::OneUlp(f64::ln)),
    ("fastexp", "", Within::OneUlp(f64::exp)),
    (
        "fastsigmoid",
        "",
        Within::OneUlp(|x| 1.0 / (1.0 + (-x).exp())),
    ),
    ("mish", "", Within::OneUlp(|x| x * x.exp().ln_1p().tanh())),
    ("tanh", "", Within::OneUlp(f64::tanh)),
    ("sigmoid", "", Within::OneUlp(|x| 1.0 / (1.0 + (-x).exp()))),
    ("silu", "", Within::OneUlp(|x| x / (1.0 + (-x).exp()))),
    (
        "softplus",
        "beta 0.5 threshold 2.0",
        Within::OneUlp(|x| {
            if 0.5 * x > 2.0 {
                x
            } else {
                (0.5 * x).exp().ln_1p() / 0.5
            }
        }),
    ),
    (
        "gelufwd",
        "",
        Within::Cancelling(|x| x * (0.5 * (1.0 + libm::erf(x * std::f64::consts::FRAC_1_SQRT_2)))),
    ),
];

/// Operations of two operands that return elements of their type.
const BINARY: &[Named<Binary>] = &[
    ("add", |a, b| a + b),
    ("sub", |a, b| a - b),
    ("mul", |a, b| a * b),
    ("realdiv", |a, b| a / b),
    ("revsub", |a, b| b - a),
    ("biasadd", |a, b| a + b),
    ("maximum", maximum),
    ("minimum", minimum),
];

const COMPARISONS: &[Named<Comparison>] = &[
    ("equal", |a, b| a == b),
    ("notequal", |a, b| a != b),
    ("greaterthan", |a, b| a > b),
    ("greaterequal", |a, b| a >= b),
    ("lesserthan", |a, b| a < b),
    ("lesserequal", |a, b| a <= b),
];

/// Reductions of a row.
const REDUCTIONS: &[Named<Reduction>] = &[
    ("sum", |row| row.iter().fold(0.0, |sum, x| sum + x)),
    ("prod", |row| row.iter().fold(1.0, |product, x| product * x)),
    ("max", |row| {
        row.iter().fold(f32::NEG_INFINITY, |m, x| maximum(m, *x))
    }),
    ("min", |row| {
        row.iter().fold(f32::INFINITY, |m, x| minimum(m, *x))
    }),
    ("mean", |row| {
        row.iter().fold(0.0, |sum, x| sum + x) / row.len() as f32
    }),
    ("absmax", |row| {
        row.iter().fold(0.0, |m, x| maximum(m, x.abs()))
    }),
];

/// Operations with a separate test below.
const OTHERS: &[&str] = &[
    "where3",
    "exx2",
    "layernormscale",
    "layernormnorm",
    "quantscalepertokenfp8",
    "bitcast",
    "dl16tofp32",
    "fp32todl16",
    "restickify",
    "batchmatmul",
    "batchmatmulint8",
    "conv2d",
    "depthwiseconv2dnative",
    "maxpoolfwd",
    "avgpoolfwd",
    "topkvalue",
    "topkindex",
    "gather",
];

#[test]
fn every_operation_is_tested() {
    let mut tested: Vec<&str> = OTHERS.to_vec();
    tested.extend(UNARY.iter().map(|(name, ..)| *name));
    tested.extend(BINARY.iter().map(|(name, _)| *name));
    tested.extend(COMPARISONS.iter().map(|(name, _)| *name));
    tested.extend(REDUCTIONS.iter().map(|(name, _)| *name));
    tested.sort_unstable();
    let defined = OP_FUNCS.iter().filter(|row| row.meaning.is_some());
    let mut defined: Vec<&str> = defined.filter_map(|row| row.mnemonic).collect();
    defined.sort_unstable();
    assert_eq!(tested, defined);
}

/// A float of 16 bits that is widened and rounded as one.
#[derive(Clone, Copy, PartialEq)]
enum Sixteen {
    F16,
    Bf16,
}

impl Sixteen {
    fn dtype(self) -> DType {
        match self {
            Self::F16 => DType::F16,
            Self::Bf16 => DType::Bf16,
        }
    }

    fn scalar(self, bits: u16) -> Scalar {
        match self {
            Self::F16 => Scalar::F16(f16::from_bits(bits)),
            Self::Bf16 => Scalar::Bf16(bf16::from_bits(bits)),
        }
    }

    fn round(self, x: f32) -> Scalar {
        match self {
            Self::F16 => Scalar::F16(f16::from_f32(x)),
            Self::Bf16 => Scalar::Bf16(bf16::from_f32(x)),
        }
    }

    fn round_double(self, x: f64) -> Scalar {
        match self {
            Self::F16 => Scalar::F16(f16::from_f64(x)),
            Self::Bf16 => Scalar::Bf16(bf16::from_f64(x)),
        }
    }
}

fn ulps(a: Scalar, b: Scalar) -> u64 {
    match (a.is_nan(), b.is_nan()) {
        (true, true) => 0,
        (false, false) => a.rank().abs_diff(b.rank()),
        _ => u64::MAX,
    }
}

fn unary_on_all_values(kind: Sixteen) {
    let element = kind.dtype();
    let ty = format!("tensor<65536x{element}>");
    let results = vec![ty.as_str(); UNARY.len()].join(", ");
    let mut source = format!("func.func @f(%x: {ty}) -> ({results}) {{\n");
    for (index, (name, rest, _)) in UNARY.iter().enumerate() {
        writeln!(source, "%{index} = spyre.{name} %x {rest} : {ty}").unwrap();
    }
    let values: Vec<String> = (0..UNARY.len()).map(|index| format!("%{index}")).collect();
    writeln!(source, "return {} : {results}\n}}", values.join(", ")).unwrap();
    let bits = (0..=u16::MAX).flat_map(u16::to_ne_bytes).collect();
    let input = Array::new(element, &[65536], bits).unwrap();
    let mut both = compile(&source);
    // Two implementations of a function that is not exact.
    both.allowed = UNARY
        .iter()
        .map(|(_, _, within)| u64::from(!matches!(within, Within::Exact(_))))
        .collect();
    let results = both.run(&[input]).unwrap();
    for ((name, _, within), result) in UNARY.iter().zip(&results) {
        assert_eq!(result.len(), 65536);
        for (bits, actual) in (0..=u16::MAX).zip(result.elements()) {
            let x = kind.scalar(bits);
            let wide = x.to_f64();
            let (expected, good) = match within {
                Within::Exact(rule) => {
                    let expected = kind.round(rule(wide as f32));
                    (expected, ulps(expected, actual) == 0)
                }
                Within::OneUlp(rule) => {
                    let expected = kind.round_double(rule(wide));
                    // e^-x is infinite in f32 where in double precision 1 / e^-x is still a subnormal f32.
                    let error = (expected.to_f64() - actual.to_f64()).abs();
                    let allowed = wide.abs() * f64::from(f32::MIN_POSITIVE);
                    (expected, ulps(expected, actual) <= 1 || error <= allowed)
                }
                Within::Cancelling(rule) => {
                    let expected = kind.round_double(rule(wide));
                    let error = (expected.to_f64() - actual.to_f64()).abs();
                    let allowed = wide.abs() * f64::from(f32::EPSILON);
                    (expected, ulps(expected, actual) <= 1 || error <= allowed)
                }
            };
            assert!(
                good,
                "spyre.{name} of {x} ({bits:#06x}): {actual}, expected {expected}"
            );
        }
    }
}

#[test]
fn one_operand_of_f16_on_all_values() {
    unary_on_all_values(Sixteen::F16);
}

#[test]
fn one_operand_of_bf16_on_all_values() {
    unary_on_all_values(Sixteen::Bf16);
}

#[test]
fn casts_on_all_values() {
    let source = "func.func @f(%x: tensor<65536xf16>, %y: tensor<65536xbf16>, %z: tensor<131072xf32>)
        -> (tensor<65536xf32>, tensor<65536xf32>, tensor<131072xf16>, tensor<131072xbf16>) {
      %0 = spyre.dl16tofp32 %x : (tensor<65536xf16>) -> tensor<65536xf32>
      %1 = spyre.dl16tofp32 %y : (tensor<65536xbf16>) -> tensor<65536xf32>
      %2 = spyre.fp32todl16 %z : (tensor<131072xf32>) -> tensor<131072xf16>
      %3 = spyre.fp32todl16 %z : (tensor<131072xf32>) -> tensor<131072xbf16>
      return %0, %1, %2, %3 : tensor<65536xf32>, tensor<65536xf32>, tensor<131072xf16>, tensor<131072xbf16>
    }";
    let all: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_ne_bytes).collect();
    // Every f16 and a little more: at, above and below each tie of two neighbours; and every bf16 and its tie.
    let wide = (0..=u16::MAX).flat_map(|bits| {
        let nudge = u32::from(bits % 3);
        let near = f16::from_bits(bits).to_f32().to_bits();
        [
            near.wrapping_add(0x0FFF).wrapping_add(nudge),
            u32::from(bits) << 16 | 0x8000,
        ]
    });
    let wide: Vec<u32> = wide.collect();
    let inputs = [
        Array::new(DType::F16, &[65536], all.clone()).unwrap(),
        Array::new(DType::Bf16, &[65536], all).unwrap(),
        Array::new(
            DType::F32,
            &[131_072],
            wide.iter().flat_map(|bits| bits.to_ne_bytes()).collect(),
        )
        .unwrap(),
    ];
    let results = compile(source).run(&inputs).unwrap();
    for (kind, result) in [Sixteen::F16, Sixteen::Bf16].into_iter().zip(&results) {
        for (bits, actual) in (0..=u16::MAX).zip(result.elements()) {
            let expected = Scalar::F32(kind.scalar(bits).to_f64() as f32);
            assert_eq!(ulps(expected, actual), 0, "{bits:#06x}: {actual}");
        }
    }
    for (kind, result) in [Sixteen::F16, Sixteen::Bf16].into_iter().zip(&results[2..]) {
        for (bits, actual) in wide.iter().zip(result.elements()) {
            let expected = kind.round(f32::from_bits(*bits));
            assert_eq!(
                ulps(expected, actual),
                0,
                "{bits:#010x}: {actual}, not {expected}"
            );
        }
    }
}

/// Zeros, subnormal numbers, extremes, infinities, NaN, ties and some others, of both signs.
fn special() -> Vec<f16> {
    let positive: [u16; 16] = [
        0x0000, 0x0001, 0x0002, 0x03FF, 0x0400, 0x1400, 0x3555, 0x3800, 0x3C00, 0x3C01, 0x4000,
        0x4248, 0x6800, 0x7BFF, 0x7C00, 0x7E00,
    ];
    positive
        .into_iter()
        .flat_map(|bits| [bits, bits | 0x8000])
        .map(f16::from_bits)
        .collect()
}

/// All pairs of special values, as two tensors of 32x32.
fn pairs() -> (Vec<f16>, Vec<f16>) {
    let special = special();
    let pairs = special
        .iter()
        .flat_map(|a| special.iter().map(move |b| (*a, *b)));
    pairs.unzip()
}

fn square(values: &[f16]) -> Array {
    let bytes = values.iter().flat_map(|x| x.to_ne_bytes()).collect();
    Array::new(DType::F16, &[32, 32], bytes).unwrap()
}

#[test]
fn two_operands_on_special_values() {
    let ty = "tensor<32x32xf16>";
    let truth = "tensor<32x32xi1>";
    let mut body = String::new();
    let mut values = Vec::new();
    let mut types = Vec::new();
    for (name, _) in BINARY {
        writeln!(body, "%{name} = spyre.{name} %a, %b : {ty}").unwrap();
        values.push(format!("%{name}"));
        types.push(ty);
    }
    for (name, _) in COMPARISONS {
        writeln!(
            body,
            "%{name} = spyre.{name} %a, %b : ({ty}, {ty}) -> {truth}"
        )
        .unwrap();
        values.push(format!("%{name}"));
        types.push(truth);
    }
    let types = types.join(", ");
    let source = format!(
        "func.func @f(%a: {ty}, %b: {ty}) -> ({types}) {{\n{body}return {} : {types}\n}}",
        values.join(", ")
    );
    let (a, b) = pairs();
    let results = compile(&source).run(&[square(&a), square(&b)]).unwrap();
    let (numbers, truths) = results.split_at(BINARY.len());
    for ((name, rule), result) in BINARY.iter().zip(numbers) {
        for ((a, b), actual) in a.iter().zip(&b).zip(result.elements()) {
            let expected = Scalar::F16(f16::from_f32(rule(a.to_f32(), b.to_f32())));
            assert_eq!(
                ulps(expected, actual),
                0,
                "{name} {a} {b}: {actual}, not {expected}"
            );
        }
    }
    for ((name, rule), result) in COMPARISONS.iter().zip(truths) {
        for ((a, b), actual) in a.iter().zip(&b).zip(result.elements()) {
            let expected = Scalar::Bool(rule(a.to_f32(), b.to_f32()));
            assert_eq!(actual, expected, "{name} {a} {b}");
        }
    }
}

#[test]
fn selection_keeps_every_bit() {
    let ty = "tensor<32x32xf16>";
    let source = format!(
        "func.func @f(%c: tensor<32x32xi1>, %a: {ty}, %b: {ty}) -> {ty} {{
          %0 = spyre.where3 %c, %a, %b : (tensor<32x32xi1>, {ty}, {ty}) -> {ty}
          return %0 : {ty}
        }}"
    );
    let (a, b) = pairs();
    let conditions: Vec<i64> = (0..1024).map(|index| i64::from(index % 3 == 0)).collect();
    let condition = Array::from_i64s(DType::Bool, &[32, 32], &conditions).unwrap();
    let results = compile(&source)
        .run(&[condition, square(&a), square(&b)])
        .unwrap();
    let chosen = conditions.iter().zip(a.iter().zip(&b));
    let chosen: Vec<f16> = chosen
        .map(|(c, (a, b))| if *c == 1 { *a } else { *b })
        .collect();
    assert_eq!(results[0].bytes(), square(&chosen).bytes());
}

#[test]
fn layer_normalisation_from_left_to_right() {
    let source = "func.func @f(%x: tensor<32x32xf16>, %p: tensor<32x2xf16>, %s: tensor<32x1xf16>, %w: tensor<32xf16>,
            %b: tensor<32xf16>) -> tensor<32x32xf16> {
          %0 = spyre.layernormnorm %x, %p, %s, %w, %b
            : (tensor<32x32xf16>, tensor<32x2xf16>, tensor<32x1xf16>, tensor<32xf16>, tensor<32xf16>) -> tensor<32x32xf16>
          return %0 : tensor<32x32xf16>
        }";
    let shapes = [vec![32, 32], vec![32, 2], vec![32, 1], vec![32], vec![32]];
    let inputs: Vec<Array> = (0..)
        .zip(shapes)
        .map(|(stream, shape)| {
            let element = DType::F16;
            let ty = TensorType { element, shape };
            random::tensor(&ty, Distribution::WithSpecialValues, 11, stream).unwrap()
        })
        .collect();
    let result = compile(source).run(&inputs).unwrap().remove(0);
    let data: Vec<Vec<f32>> = inputs
        .iter()
        .map(|input| input.elements().map(|x| x.to_f64() as f32).collect())
        .collect();
    for (position, actual) in result.elements().enumerate() {
        let (row, column) = (position / 32, position % 32);
        let (x, mean, scale) = (data[0][position], data[1][2 * row], data[2][row]);
        let (weight, bias) = (data[3][column], data[4][column]);
        let expected = Scalar::F16(f16::from_f32((x - mean) * scale * weight + bias));
        assert_eq!(
            ulps(expected, actual),
            0,
            "at {position}: {actual}, not {expected}"
        );
    }
}

#[test]
fn moments_and_their_scale() {
    let (input, rows) = rows();
    let source = "func.func @f(%x: tensor<40x24xf16>) -> (tensor<40x2xf16>, tensor<40x1xf16>) {
          %0 = spyre.exx2 %x : (tensor<40x24xf16>) -> tensor<40x2xf16>
          %1 = spyre.layernormscale %0 eps 0.5 : (tensor<40x2xf16>) -> tensor<40x1xf16>
          return %0, %1 : tensor<40x2xf16>, tensor<40x1xf16>
        }";
    let results = compile(source).run(&[input]).unwrap();
    let [pairs, scales] = [0, 1].map(|at: usize| {
        let elements = results[at].elements();
        elements.collect::<Vec<Scalar>>()
    });
    for (at, row) in rows.iter().enumerate() {
        let mean = |function: fn(f32) -> f32| {
            let sum = row.iter().fold(0.0, |sum, x| sum + function(*x));
            Scalar::F16(f16::from_f32(sum / row.len() as f32))
        };
        let pair = [mean(|x| x), mean(|x| x * x)];
        for (expected, actual) in pair.into_iter().zip(&pairs[2 * at..]) {
            assert_eq!(
                ulps(expected, *actual),
                0,
                "of {row:?}: {actual}, not {expected}"
            );
        }
        let [first, second] = pair.map(|moment| moment.to_f64() as f32);
        let scale = Scalar::F16(f16::from_f32(1.0 / (second - first * first + 0.5).sqrt()));
        assert_eq!(
            ulps(scale, scales[at]),
            0,
            "of {row:?}: {}, not {scale}",
            scales[at]
        );
    }
}

/// Tensors of 40 rows of 24: plain values first, then special ones too.
fn rows() -> (Array, Vec<Vec<f32>>) {
    let part = |distribution, seed| {
        let ty = TensorType {
            element: DType::F16,
            shape: vec![20, 24],
        };
        random::tensor(&ty, distribution, seed, 0)
            .unwrap()
            .bytes()
            .to_vec()
    };
    let mut bytes = part(Distribution::Plain, 3);
    bytes.extend(part(Distribution::WithSpecialValues, 4));
    let array = Array::new(DType::F16, &[40, 24], bytes).unwrap();
    let values: Vec<f32> = array.elements().map(|x| x.to_f64() as f32).collect();
    (array, values.chunks(24).map(<[f32]>::to_vec).collect())
}

#[test]
fn reductions_in_ascending_order() {
    let mut body = String::new();
    let mut values = Vec::new();
    for (name, _) in REDUCTIONS {
        writeln!(
            body,
            "%{name} = spyre.{name} %x dims [1] : (tensor<40x24xf16>) -> tensor<40xf16>"
        )
        .unwrap();
        values.push(format!("%{name}"));
    }
    let types = vec!["tensor<40xf16>"; REDUCTIONS.len()].join(", ");
    let source = format!(
        "func.func @f(%x: tensor<40x24xf16>) -> ({types}) {{\n{body}return {} : {types}\n}}",
        values.join(", ")
    );
    let (input, rows) = rows();
    let results = compile(&source).run(&[input]).unwrap();
    for ((name, rule), result) in REDUCTIONS.iter().zip(&results) {
        for (row, actual) in rows.iter().zip(result.elements()) {
            let expected = Scalar::F16(f16::from_f32(rule(row)));
            assert_eq!(
                ulps(expected, actual),
                0,
                "{name} of {row:?}: {actual}, not {expected}"
            );
        }
    }
}

#[test]
fn scales_of_rows_are_clipped_magnitudes() {
    let scale = "spyre.quantscalepertokenfp8 %x dims [1]";
    let ty = "(tensor<40x24xf16>) -> tensor<40xf16>";
    let source = format!(
        "func.func @f(%x: tensor<40x24xf16>) -> (tensor<40xf16>, tensor<40xf16>) {{
          %0 = {scale} min 0.75 max 2.5 factor 0.3 : {ty}
          %1 = {scale} min 0.0 max 65504.0 factor 0.00223 : {ty}
          return %0, %1 : tensor<40xf16>, tensor<40xf16>
        }}"
    );
    let (input, rows) = rows();
    let results = compile(&source).run(&[input]).unwrap();
    let constants = [[0.75, 2.5, 0.3], [0.0, 65504.0, 0.00223_f32]];
    for ([min, max, factor], result) in constants.into_iter().zip(&results) {
        for (row, actual) in rows.iter().zip(result.elements()) {
            let largest = row.iter().fold(0.0, |m, x| maximum(m, x.abs()));
            let expected = minimum(maximum(largest, min), max) * factor;
            let expected = Scalar::F16(f16::from_f32(expected));
            assert_eq!(
                ulps(expected, actual),
                0,
                "{row:?}: {actual}, not {expected}"
            );
        }
    }
}

/// The positions of the elements in descending order: larger first, NaN before all, equal ones by position.
fn descending(elements: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..elements.len()).collect();
    // Stable, by a key in which the zeros and the NaNs are equal.
    order.sort_by(|a, b| {
        let key = |at: usize| match elements[at] {
            x if x.is_nan() => f64::INFINITY,
            x => x.clamp(f64::MIN, f64::MAX) + 0.0,
        };
        key(*b).total_cmp(&key(*a))
    });
    order
}

/// Searches rows and columns of a tensor for their first elements, and compares with a sort.
fn searches(input: &Array, rows: usize, columns: usize, k: [usize; 2]) {
    let element = input.dtype();
    let ty = format!("tensor<{rows}x{columns}x{element}>");
    let (mut body, mut values, mut types) = (String::new(), Vec::new(), Vec::new());
    let shapes = [format!("{}x{columns}", k[0]), format!("{rows}x{}", k[1])];
    for (dim, (shape, k)) in shapes.iter().zip(k).enumerate() {
        for (name, element) in [
            ("topkvalue", element.to_string()),
            ("topkindex", "i32".to_owned()),
        ] {
            let result = format!("tensor<{shape}x{element}>");
            writeln!(
                body,
                "%{name}{dim} = spyre.{name} %x dim {dim} k {k} : ({ty}) -> {result}"
            )
            .unwrap();
            values.push(format!("%{name}{dim}"));
            types.push(result);
        }
    }
    let types = types.join(", ");
    let values = values.join(", ");
    let source =
        format!("func.func @f(%x: {ty}) -> ({types}) {{\n{body}return {values} : {types}\n}}");
    let results = compile(&source).run(std::slice::from_ref(input)).unwrap();
    let elements: Vec<Scalar> = input.elements().collect();
    let actual: Vec<Vec<Scalar>> = results
        .iter()
        .map(|result| result.elements().collect())
        .collect();
    // By dimension: the length of a searched line, the number of lines, and the strides of an element.
    let strides: [(usize, usize, [usize; 2]); 2] =
        [(rows, columns, [columns, 1]), (columns, rows, [1, columns])];
    for (dim, ((length, others, [step, next]), k)) in strides.into_iter().zip(k).enumerate() {
        for other in 0..others {
            let line: Vec<Scalar> = (0..length)
                .map(|at| elements[other * next + at * step])
                .collect();
            let numbers: Vec<f64> = line.iter().map(|x| x.to_f64()).collect();
            for (rank, position) in descending(&numbers).into_iter().take(k).enumerate() {
                let at = if dim == 0 {
                    rank * others + other
                } else {
                    other * k + rank
                };
                let index = actual[2 * dim + 1][at];
                assert_eq!(
                    index,
                    Scalar::Int(position as i64),
                    "rank {rank} along {dim}, line {other}"
                );
                let value = actual[2 * dim][at];
                assert_eq!(
                    ulps(value, line[position]),
                    0,
                    "rank {rank} along {dim}, line {other}: {value}"
                );
            }
        }
    }
}

#[test]
fn searches_on_all_values() {
    for kind in [Sixteen::F16, Sixteen::Bf16] {
        let bits: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_ne_bytes).collect();
        let input = Array::new(kind.dtype(), &[256, 256], bits).unwrap();
        searches(&input, 256, 256, [256, 256]);
        // All values by their low byte: neighbours are far from each other.
        let bits = (0..=u16::MAX).flat_map(|bits| bits.rotate_left(8).to_ne_bytes());
        let input = Array::new(kind.dtype(), &[256, 256], bits.collect()).unwrap();
        searches(&input, 256, 256, [1, 7]);
    }
}

#[test]
fn searches_among_equal_values() {
    let (a, b) = pairs();
    let both: Vec<f32> = a.iter().chain(&b).map(|x| x.to_f32()).collect();
    for element in [DType::F16, DType::F32] {
        let input = Array::from_f32s(element, &[32, 64], &both).unwrap();
        searches(&input, 32, 64, [32, 64]);
        searches(&input, 32, 64, [1, 1]);
    }
}

#[test]
fn matrix_products_in_ascending_order() {
    let source = "func.func @f(%a: tensor<40x24xf16>, %b: tensor<24x5xf16>) -> (tensor<40x5xf16>, tensor<40x5xf32>) {
      %0 = spyre.batchmatmul %a, %b : (tensor<40x24xf16>, tensor<24x5xf16>) -> tensor<40x5xf16>
      %1 = spyre.batchmatmul %a, %b : (tensor<40x24xf16>, tensor<24x5xf16>) -> tensor<40x5xf32>
      return %0, %1 : tensor<40x5xf16>, tensor<40x5xf32>
    }";
    let (a, rows) = rows();
    let ty = TensorType {
        element: DType::F16,
        shape: vec![24, 5],
    };
    let b = random::tensor(&ty, Distribution::Plain, 5, 0).unwrap();
    let columns: Vec<f32> = b.elements().map(|x| x.to_f64() as f32).collect();
    let results = compile(source).run(&[a, b]).unwrap();
    let actual = results[0].elements().zip(results[1].elements());
    for (position, (half, single)) in actual.enumerate() {
        let row = &rows[position / 5];
        let products = row
            .iter()
            .enumerate()
            .map(|(k, x)| x * columns[k * 5 + position % 5]);
        let expected = products.fold(0.0_f32, |sum, product| sum + product);
        assert_eq!(
            ulps(Scalar::F32(expected), single),
            0,
            "at {position}: {single}"
        );
        let rounded = Scalar::F16(f16::from_f32(expected));
        assert_eq!(ulps(rounded, half), 0, "at {position}: {half}");
    }
}

#[test]
fn convolutions_with_the_window_fastest() {
    let source = "func.func @f(%x: tensor<1x6x5x64xf16>, %w: tensor<2x3x64x3xf16>) -> (tensor<1x3x3x3xf16>, tensor<1x3x3x3xf32>) {
      %0 = spyre.conv2d %x, %w strides [2, 1] : (tensor<1x6x5x64xf16>, tensor<2x3x64x3xf16>) -> tensor<1x3x3x3xf16>
      %1 = spyre.conv2d %x, %w strides [2, 1] : (tensor<1x6x5x64xf16>, tensor<2x3x64x3xf16>) -> tensor<1x3x3x3xf32>
      return %0, %1 : tensor<1x3x3x3xf16>, tensor<1x3x3x3xf32>
    }";
    let random = |shape: &[usize], seed| {
        let ty = TensorType {
            element: DType::F16,
            shape: shape.to_vec(),
        };
        random::tensor(&ty, Distribution::Plain, seed, 0).unwrap()
    };
    let (image, weight) = (random(&[1, 6, 5, 64], 6), random(&[2, 3, 64, 3], 7));
    let floats =
        |array: &Array| -> Vec<f32> { array.elements().map(|x| x.to_f64() as f32).collect() };
    let (x, w) = (floats(&image), floats(&weight));
    let results = compile(source).run(&[image, weight]).unwrap();
    let actual = results[0].elements().zip(results[1].elements());
    for (position, (half, single)) in actual.enumerate() {
        let (row, column, filter) = (position / 9, position / 3 % 3, position % 3);
        let mut expected = 0.0_f32;
        for c in 0..64 {
            for i in 0..2 {
                for j in 0..3 {
                    let of_image = ((2 * row + i) * 5 + column + j) * 64 + c;
                    let of_weight = ((i * 3 + j) * 64 + c) * 3 + filter;
                    expected += x[of_image] * w[of_weight];
                }
            }
        }
        assert_eq!(
            ulps(Scalar::F32(expected), single),
            0,
            "at {position}: {single}"
        );
        let rounded = Scalar::F16(f16::from_f32(expected));
        assert_eq!(ulps(rounded, half), 0, "at {position}: {half}");
    }
}

#[test]
fn products_of_bytes_are_exact_until_they_are_rounded() {
    let source = "func.func @f(%a: tensor<7x3000xi8>, %b: tensor<3000x5xi8>) -> (tensor<7x5xf16>, tensor<7x5xbf16>) {
      %0 = spyre.batchmatmulint8 %a, %b : (tensor<7x3000xi8>, tensor<3000x5xi8>) -> tensor<7x5xf16>
      %1 = spyre.batchmatmulint8 %a, %b : (tensor<7x3000xi8>, tensor<3000x5xi8>) -> tensor<7x5xbf16>
      return %0, %1 : tensor<7x5xf16>, tensor<7x5xbf16>
    }";
    let bytes = |count: i64, factor: i64| -> Vec<i64> {
        (0..count)
            .map(|at| (at * factor).rem_euclid(256) - 128)
            .collect()
    };
    let (a, b) = (bytes(21000, 37), bytes(15000, 91));
    let inputs = [
        Array::from_i64s(DType::I8, &[7, 3000], &a).unwrap(),
        Array::from_i64s(DType::I8, &[3000, 5], &b).unwrap(),
    ];
    let results = compile(source).run(&inputs).unwrap();
    let actual = results[0].elements().zip(results[1].elements());
    for (position, (half, brain)) in actual.enumerate() {
        let (row, column) = (position / 5, position % 5);
        let total: i64 = (0..3000)
            .map(|k| a[row * 3000 + k] * b[k * 5 + column])
            .sum();
        let total = total as f32;
        assert_eq!(ulps(Scalar::F16(f16::from_f32(total)), half), 0, "{half}");
        assert_eq!(
            ulps(Scalar::Bf16(bf16::from_f32(total)), brain),
            0,
            "{brain}"
        );
    }
}

#[test]
fn windows_of_each_channel() {
    let source = "func.func @f(%x: tensor<2x6x7x3xf16>, %w: tensor<2x3x3xf16>)
        -> (tensor<2x3x3x3xf16>, tensor<2x3x3x3xf16>, tensor<2x2x3x3xf16>) {
      %0 = spyre.maxpoolfwd %x window [2, 3] strides [2, 2] : (tensor<2x6x7x3xf16>) -> tensor<2x3x3x3xf16>
      %1 = spyre.avgpoolfwd %x window [2, 3] strides [2, 2] : (tensor<2x6x7x3xf16>) -> tensor<2x3x3x3xf16>
      %2 = spyre.depthwiseconv2dnative %x, %w strides [3, 1] dilations [2, 2] : (tensor<2x6x7x3xf16>, tensor<2x3x3xf16>) -> tensor<2x2x3x3xf16>
      return %0, %1, %2 : tensor<2x3x3x3xf16>, tensor<2x3x3x3xf16>, tensor<2x2x3x3xf16>
    }";
    let random = |shape: &[usize], distribution, seed| {
        let ty = TensorType {
            element: DType::F16,
            shape: shape.to_vec(),
        };
        random::tensor(&ty, distribution, seed, 0).unwrap()
    };
    let weight = random(&[2, 3, 3], Distribution::Plain, 7);
    let floats =
        |array: &Array| -> Vec<f32> { array.elements().map(|x| x.to_f64() as f32).collect() };
    for distribution in [Distribution::Plain, Distribution::WithSpecialValues] {
        let image = random(&[2, 6, 7, 3], distribution, 6);
        let (x, w) = (floats(&image), floats(&weight));
        let results = compile(source).run(&[image, weight.clone()]).unwrap();
        // The result, its rows, the strides, the dilation along both dimensions, and the rule of a window.
        type Of<'a> = &'a dyn Fn(&[f32], usize) -> f32;
        let check =
            |result: usize, rows: usize, [down, right]: [usize; 2], step: usize, reduce: Of<'_>| {
                for (position, actual) in results[result].elements().enumerate() {
                    let (c, column, row) = (position % 3, position / 3 % 3, position / 9 % rows);
                    let mut window = Vec::new();
                    for (i, j) in (0..2).flat_map(|i| (0..3).map(move |j| (i, j))) {
                        let (y, z) = (row * down + i * step, column * right + j * step);
                        window.push(x[((position / 9 / rows * 6 + y) * 7 + z) * 3 + c]);
                    }
                    let expected = Scalar::F16(f16::from_f32(reduce(&window, c)));
                    assert_eq!(
                        ulps(expected, actual),
                        0,
                        "{result} at {position}: {actual}"
                    );
                }
            };
        check(0, 3, [2, 2], 1, &|window, _| {
            window.iter().copied().fold(f32::NEG_INFINITY, maximum)
        });
        check(1, 3, [2, 2], 1, &|window, _| {
            window.iter().fold(0.0, |sum, x| sum + x) / 6.0
        });
        check(2, 2, [3, 1], 2, &|window, c| {
            let pairs = window.iter().zip(0..);
            pairs.fold(0.0, |sum, (x, at): (&f32, usize)| sum + x * w[at * 3 + c])
        });
    }
}

#[test]
fn indices_choose_or_give_nan() {
    let source = "
    func.func @f(%i: tensor<2x4xi32>, %t: tensor<3x5x2xf16>) -> (tensor<2x4x5x2xf16>, tensor<3x2x4x2xf16>, tensor<3x5x2x4xf16>) {
      %0 = spyre.gather %i, %t dim 0 : (tensor<2x4xi32>, tensor<3x5x2xf16>) -> tensor<2x4x5x2xf16>
      %1 = spyre.gather %i, %t dim 1 : (tensor<2x4xi32>, tensor<3x5x2xf16>) -> tensor<3x2x4x2xf16>
      %2 = spyre.gather %i, %t dim 2 : (tensor<2x4xi32>, tensor<3x5x2xf16>) -> tensor<3x5x2x4xf16>
      return %0, %1, %2 : tensor<2x4x5x2xf16>, tensor<3x2x4x2xf16>, tensor<3x5x2x4xf16>
    }";
    let indices = [0, 1, 2, 4, 5, -1, i64::from(i32::MIN), i64::from(i32::MAX)];
    let table: Vec<f32> = (0..30_u8).map(f32::from).collect();
    let inputs = [
        Array::from_i64s(DType::I32, &[2, 4], &indices).unwrap(),
        Array::from_f32s(DType::F16, &[3, 5, 2], &table).unwrap(),
    ];
    let results = compile(source).run(&inputs).unwrap();
    let extents = [3, 5, 2];
    for (dim, result) in results.iter().enumerate() {
        let inner: usize = extents[dim + 1..].iter().product();
        let outer: usize = extents[..dim].iter().product();
        let mut expected = Vec::new();
        for before in 0..outer {
            for index in indices {
                for inner_position in 0..inner {
                    let inside = usize::try_from(index)
                        .ok()
                        .filter(|index| *index < extents[dim]);
                    let at = inside
                        .map(|index| (before * extents[dim] + index) * inner + inner_position);
                    expected.push(at.map_or(f32::NAN, |at| table[at]));
                }
            }
        }
        let expected = Array::from_f32s(DType::F16, &result.ty().shape, &expected).unwrap();
        let comparison = compare(&expected, result, 0).unwrap();
        assert!(comparison.agrees(), "dimension {dim}: {comparison}");
    }
}

#[test]
fn a_change_of_layout_changes_no_bit() {
    let source = "
    #rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
    #columns = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
    func.func @f(%x: tensor<256x256xf16, #rows>) -> tensor<256x256xf16, #columns> {
      %0 = spyre.restickify %x : (tensor<256x256xf16, #rows>) -> tensor<256x256xf16, #columns>
      return %0 : tensor<256x256xf16, #columns>
    }";
    let bits = (0..=u16::MAX).flat_map(u16::to_ne_bytes).collect();
    let input = Array::new(DType::F16, &[256, 256], bits).unwrap();
    let results = compile(source).run(std::slice::from_ref(&input)).unwrap();
    assert_eq!(results, [input]);
}

#[test]
fn a_bitcast_changes_no_bit() {
    let source = "func.func @f(%x: tensor<65536xf32>, %w: tensor<4xi64>) -> (tensor<65536xi32>, tensor<65536xf32>, tensor<4xi32>, tensor<4xi64>) {
      %0 = spyre.bitcast %x : (tensor<65536xf32>) -> tensor<65536xi32>
      %1 = spyre.bitcast %0 : (tensor<65536xi32>) -> tensor<65536xf32>
      %2 = spyre.bitcast %w : (tensor<4xi64>) -> tensor<4xi32>
      %3 = spyre.bitcast %2 : (tensor<4xi32>) -> tensor<4xi64>
      return %0, %1, %2, %3 : tensor<65536xi32>, tensor<65536xf32>, tensor<4xi32>, tensor<4xi64>
    }";
    let bits: Vec<u8> = (0..=u16::MAX)
        .flat_map(|bits| (u32::from(bits) << 16 | u32::from(bits)).to_ne_bytes())
        .collect();
    let float = Array::new(DType::F32, &[65536], bits.clone()).unwrap();
    let wide = [i64::from(i32::MIN), -1, 0, i64::from(i32::MAX)];
    let wide = Array::from_i64s(DType::I64, &[4], &wide).unwrap();
    let results = compile(source).run(&[float.clone(), wide.clone()]).unwrap();
    let words = Array::new(DType::I32, &[65536], bits).unwrap();
    let narrow = [i32::MIN.into(), -1, 0, i32::MAX.into()];
    let narrow = Array::from_i64s(DType::I32, &[4], &narrow).unwrap();
    assert_eq!(results, [words, float, narrow, wide]);
}

#[test]
fn integers_wrap_and_compare_signed() {
    let ty = "tensor<7x7xi32>";
    let rules: [Named<Integers>; 5] = [
        ("add", i32::wrapping_add),
        ("sub", i32::wrapping_sub),
        ("mul", i32::wrapping_mul),
        ("maximum", |a, b| a.max(b)),
        ("minimum", |a, b| a.min(b)),
    ];
    let mut body = String::new();
    for (name, _) in rules {
        writeln!(body, "%{name} = spyre.{name} %a, %b : {ty}").unwrap();
    }
    let source = format!(
        "func.func @f(%a: {ty}, %b: {ty}) -> ({ty}, {ty}, {ty}, {ty}, {ty}, tensor<7x7xi1>) {{
          {body}%less = spyre.lesserthan %a, %b : ({ty}, {ty}) -> tensor<7x7xi1>
          return %add, %sub, %mul, %maximum, %minimum, %less : {ty}, {ty}, {ty}, {ty}, {ty}, tensor<7x7xi1>
        }}"
    );
    let values = [i32::MIN, i32::MIN + 1, -65_537, -1, 0, 65_536, i32::MAX];
    let pairs: Vec<(i32, i32)> = values
        .iter()
        .flat_map(|a| values.iter().map(move |b| (*a, *b)))
        .collect();
    let array = |part: fn(&(i32, i32)) -> i32| {
        let values: Vec<i64> = pairs.iter().map(|pair| part(pair).into()).collect();
        Array::from_i64s(DType::I32, &[7, 7], &values).unwrap()
    };
    let results = compile(&source)
        .run(&[array(|p| p.0), array(|p| p.1)])
        .unwrap();
    for ((name, rule), result) in rules.iter().zip(&results) {
        for ((a, b), actual) in pairs.iter().zip(result.elements()) {
            assert_eq!(actual, Scalar::Int(rule(*a, *b).into()), "{name} {a} {b}");
        }
    }
    for ((a, b), actual) in pairs.iter().zip(results[5].elements()) {
        assert_eq!(actual, Scalar::Bool(a < b), "{a} < {b}");
    }
}

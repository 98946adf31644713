//! The rows. A row has the special facts of an operation, and takes the rest from a function for its kind.
//!
//! Generators of random programs draw from the rows in their order, so a new row comes after the rows of its kind: a
//! seed then changes its programs, but no row changes its place.

use spyre_layout::Arrangement;

use crate::meaning::Formula::{self, Apply, Number, Operand, Parameter, Where};
use crate::meaning::{Comparison, Meaning, Ranked};
use crate::{Combiner, Draw, MaskValues, OpClass, OpFunc, Pairs, StickRule, Unexplained};

const STANDARD: Arrangement = Arrangement::Standard;
const WIDENED: Arrangement = Arrangement::Dl16ToFp32;
const NARROWED: Arrangement = Arrangement::Fp32ToDl16;
const CHANNELS: Arrangement = Arrangement::Qfp8Ch;

const X: Formula = Operand(0);
const ADD: &str = "arith.addf";
const SUB: &str = "arith.subf";
const MUL: &str = "arith.mulf";
const DIV: &str = "arith.divf";
const NEG: &str = "arith.negf";
const MAX: &str = "arith.maximumf";
const MIN: &str = "arith.minimumf";
const EXP: &str = "math.exp";
const SQRT: &str = "math.sqrt";
const TANH: &str = "math.tanh";
const LOG1P: &str = "math.log1p";

/// 1 + e^-x
const ONE_PLUS_EXP_OF_MINUS: Formula = Apply(ADD, &[Number(1.0), Apply(EXP, &[Apply(NEG, &[X])])]);

/// `beta` * x
const SCALED: Formula = Apply(MUL, &[Parameter("beta"), X]);

/// A row with the usual facts: the 16-bit float, one stick for all tensors, and an operation of the same name.
const fn row(name: &'static str, class: OpClass, operands: usize) -> OpFunc {
    OpFunc {
        name,
        mnemonic: Some(name),
        class,
        operands,
        first_value: 0,
        stick: StickRule::Common,
        arrangements: &[],
        pairs: None,
        is_quantized: false,
        combiner: None,
        is_average: false,
        is_whole: false,
        mask: MaskValues::ZERO,
        definition: "",
        meaning: None,
        draw: Draw::Never,
    }
}

const fn pointwise(
    name: &'static str,
    operands: usize,
    draw: Draw,
    definition: &'static str,
    meaning: Meaning,
) -> OpFunc {
    OpFunc {
        draw,
        definition,
        meaning: Some(meaning),
        ..row(name, OpClass::Pointwise, operands)
    }
}

/// Of one float.
const fn unary(
    name: &'static str,
    draw: Draw,
    definition: &'static str,
    formula: Formula,
) -> OpFunc {
    pointwise(name, 1, draw, definition, Meaning::Float(formula))
}

/// Of two floats by one upstream operation, or of two integers by another one.
const fn binary(
    name: &'static str,
    definition: &'static str,
    formula: Formula,
    integers: &'static str,
) -> OpFunc {
    let meaning = Meaning::Number(formula, integers);
    pointwise(name, 2, Draw::Exact(""), definition, meaning)
}

const fn compare(name: &'static str, definition: &'static str, how: Comparison) -> OpFunc {
    pointwise(name, 2, Draw::OwnWay, definition, Meaning::Compare(how))
}

const fn cast(name: &'static str, arrangements: &'static [(Arrangement, Arrangement)]) -> OpFunc {
    OpFunc {
        arrangements,
        stick: StickRule::Cast,
        ..row(name, OpClass::Cast, 1)
    }
}

const fn reduction(name: &'static str, combiner: Combiner, definition: &'static str) -> OpFunc {
    OpFunc {
        combiner: Some(combiner),
        mask: MaskValues::of_reduction(combiner),
        definition,
        meaning: Some(Meaning::Reduce),
        draw: Draw::OwnWay,
        ..row(name, OpClass::Reduction, 1)
    }
}

const fn matmul(name: &'static str) -> OpFunc {
    OpFunc {
        stick: StickRule::Matmul,
        combiner: Some(Combiner::Add),
        definition: "the sum of a * b over K, from 0, in ascending order",
        meaning: Some(Meaning::Contract),
        draw: Draw::OwnWay,
        ..row(name, OpClass::Matmul, 2)
    }
}

/// Over windows.
const fn convolution(name: &'static str) -> OpFunc {
    OpFunc {
        stick: StickRule::Matmul,
        combiner: Some(Combiner::Add),
        definition: "the sum of a * b over the channels and the window, from 0, the elements of the window fastest",
        meaning: Some(Meaning::Contract),
        draw: Draw::OwnWay,
        ..row(name, OpClass::Conv, 2)
    }
}

/// Over the windows of each channel of an image, which is on the stick of every tensor.
const fn pool(name: &'static str, combiner: Combiner, definition: &'static str) -> OpFunc {
    OpFunc {
        stick: StickRule::LastDim,
        combiner: Some(combiner),
        definition,
        meaning: Some(Meaning::Reduce),
        draw: Draw::OwnWay,
        ..row(name, OpClass::Pool, 1)
    }
}

const fn search(name: &'static str, ranked: Ranked, definition: &'static str) -> OpFunc {
    OpFunc {
        stick: StickRule::TopK,
        definition,
        meaning: Some(Meaning::TopK(ranked)),
        draw: Draw::OwnWay,
        ..row(name, OpClass::TopK, 1)
    }
}

/// An OpFunc that the dialect has no operation for.
const fn unseen(row: OpFunc) -> OpFunc {
    OpFunc {
        mnemonic: None,
        draw: Draw::Never,
        ..row
    }
}

/// Every operation (SDSC bundle specification, section 4.10).
pub static OP_FUNCS: &[OpFunc] = &[
    // Elementwise, of one operand. Operations that compute integers from integers come first.
    unary("neg", Draw::Exact(""), "-x", Apply(NEG, &[X])),
    unary(
        "abs",
        Draw::Exact(""),
        "the absolute value of x",
        Apply("math.absf", &[X]),
    ),
    unary(
        "relufwd",
        Draw::Exact(""),
        "max(x, 0), NaN if x is",
        Apply(MAX, &[X, Number(0.0)]),
    ),
    OpFunc {
        name: "identity",
        // Files of an `identity` on INT32 have FP32 (section 4.9), so one row covers both formats.
        definition: "x",
        meaning: Some(Meaning::Identity),
        draw: Draw::Exact(""),
        ..row("copy", OpClass::Data, 1)
    },
    OpFunc {
        name: "identity",
        // In files this is the copy of an INT32 (section 4.9).
        definition: "the integer or the float of the same 32 bits",
        meaning: Some(Meaning::Bits),
        draw: Draw::OwnWay,
        ..row("bitcast", OpClass::Data, 1)
    },
    unary(
        "clip",
        Draw::Exact(" min -2.0 max 2.0"),
        "min(max(x, `min`), `max`), NaN if x is",
        Apply(MIN, &[Apply(MAX, &[X, Parameter("min")]), Parameter("max")]),
    ),
    unary(
        "relu6fwd",
        Draw::Exact(""),
        "min(max(x, 0), 6), NaN if x is",
        Apply(MIN, &[Apply(MAX, &[X, Number(0.0)]), Number(6.0)]),
    ),
    OpFunc {
        // Without a mask, padding of `exp` would become 1 (section 4.6). The card's result for -10000 is tiny and not 0
        // (contract, K13).
        mask: MaskValues {
            published: Some(-10000.0),
            recorded: f64::NEG_INFINITY,
        },
        ..unary("exp", Draw::Inexact(""), "e^x", Apply(EXP, &[X]))
    },
    unary("tanh", Draw::Inexact(""), "tanh(x)", Apply(TANH, &[X])),
    unary(
        "sigmoid",
        Draw::Inexact(""),
        "1 / (1 + e^-x)",
        Apply(DIV, &[Number(1.0), ONE_PLUS_EXP_OF_MINUS]),
    ),
    unary(
        "silu",
        Draw::Inexact(""),
        "x / (1 + e^-x)",
        Apply(DIV, &[X, ONE_PLUS_EXP_OF_MINUS]),
    ),
    unary("sqrt", Draw::Inexact(""), "sqrt(x)", Apply(SQRT, &[X])),
    unary(
        "reciprocal",
        Draw::Inexact(""),
        "1 / x",
        Apply(DIV, &[Number(1.0), X]),
    ),
    unary("log", Draw::Inexact(""), "ln(x)", Apply("math.log", &[X])),
    unary(
        "floor",
        Draw::Inexact(""),
        "the largest integer not above x",
        Apply("math.floor", &[X]),
    ),
    unary(
        "rsqrt",
        Draw::Inexact(""),
        "1 / sqrt(x)",
        Apply(DIV, &[Number(1.0), Apply(SQRT, &[X])]),
    ),
    unary(
        "softplus",
        Draw::Inexact(" beta 0.5 threshold 2.0"),
        "x where `beta` * x > `threshold`, else ln(1 + e^(`beta` * x)) / `beta`",
        Where(
            Comparison::Greater,
            &[
                SCALED,
                Parameter("threshold"),
                X,
                Apply(
                    DIV,
                    &[Apply(LOG1P, &[Apply(EXP, &[SCALED])]), Parameter("beta")],
                ),
            ],
        ),
    ),
    unary(
        "gelufwd",
        Draw::Inexact(""),
        "x * (0.5 * (1 + erf(x * sqrt(1/2)))), the exact form",
        Apply(
            MUL,
            &[
                X,
                Apply(
                    MUL,
                    &[
                        Number(0.5),
                        Apply(
                            ADD,
                            &[
                                Number(1.0),
                                Apply(
                                    "math.erf",
                                    &[Apply(MUL, &[X, Number(std::f64::consts::FRAC_1_SQRT_2)])],
                                ),
                            ],
                        ),
                    ],
                ),
            ],
        ),
    ),
    unary(
        "mish",
        Draw::Inexact(""),
        "x * tanh(ln(1 + e^x))",
        Apply(MUL, &[X, Apply(TANH, &[Apply(LOG1P, &[Apply(EXP, &[X])])])]),
    ),
    // The card approximates these two, and no document states how: here they are the exact functions.
    unary("fastexp", Draw::Inexact(""), "e^x", Apply(EXP, &[X])),
    unary(
        "fastsigmoid",
        Draw::Inexact(""),
        "1 / (1 + e^-x)",
        Apply(DIV, &[Number(1.0), ONE_PLUS_EXP_OF_MINUS]),
    ),
    OpFunc {
        pairs: Some(Pairs::Reads(0)),
        ..pointwise(
            "layernormscale",
            1,
            Draw::OwnWay,
            "1 / sqrt(mean of squares - mean * mean + `eps`) of a pair",
            Meaning::Float(Apply(
                DIV,
                &[
                    Number(1.0),
                    Apply(
                        SQRT,
                        &[Apply(
                            ADD,
                            &[
                                Apply(SUB, &[Operand(1), Apply(MUL, &[X, X])]),
                                Parameter("eps"),
                            ],
                        )],
                    ),
                ],
            )),
        )
    },
    // Element by element, of more operands.
    binary(
        "add",
        "a + b; integers wrap",
        Apply(ADD, &[X, Operand(1)]),
        "arith.addi",
    ),
    binary(
        "sub",
        "a - b; integers wrap",
        Apply(SUB, &[X, Operand(1)]),
        "arith.subi",
    ),
    binary(
        "mul",
        "a * b; integers wrap",
        Apply(MUL, &[X, Operand(1)]),
        "arith.muli",
    ),
    binary(
        "maximum",
        "max(a, b), NaN if either is",
        Apply(MAX, &[X, Operand(1)]),
        "arith.maxsi",
    ),
    binary(
        "minimum",
        "min(a, b), NaN if either is",
        Apply(MIN, &[X, Operand(1)]),
        "arith.minsi",
    ),
    pointwise(
        "realdiv",
        2,
        Draw::Inexact(""),
        "a / b, IEEE division",
        Meaning::Float(Apply(DIV, &[X, Operand(1)])),
    ),
    // SuperDSC-Bundle 1.0.0, ComputeOperation: "reverse subtraction (b - a)".
    pointwise(
        "revsub",
        2,
        Draw::Inexact(""),
        "b - a",
        Meaning::Float(Apply(SUB, &[Operand(1), X])),
    ),
    pointwise(
        "biasadd",
        2,
        Draw::Inexact(""),
        "a + b",
        Meaning::Float(Apply(ADD, &[X, Operand(1)])),
    ),
    compare("greaterthan", "a > b, false for NaN", Comparison::Greater),
    compare("equal", "a == b, false for NaN", Comparison::Equal),
    compare("lesserthan", "a < b, false for NaN", Comparison::Less),
    compare(
        "greaterequal",
        "a >= b, false for NaN",
        Comparison::GreaterEqual,
    ),
    compare(
        "lesserequal",
        "a <= b, false for NaN",
        Comparison::LessEqual,
    ),
    compare("notequal", "a != b, true for NaN", Comparison::NotEqual),
    OpFunc {
        first_value: 1,
        ..pointwise(
            "where3",
            3,
            Draw::OwnWay,
            "condition ? a : b, bit by bit",
            Meaning::Select,
        )
    },
    OpFunc {
        stick: StickRule::LastDim,
        pairs: Some(Pairs::Reads(1)),
        ..pointwise(
            "layernormnorm",
            5,
            Draw::OwnWay,
            "(x - mean of the pair) * scale * weight + bias, from left to right",
            Meaning::Float(Apply(
                ADD,
                &[
                    Apply(
                        MUL,
                        &[
                            Apply(MUL, &[Apply(SUB, &[X, Operand(1)]), Operand(2)]),
                            Operand(3),
                        ],
                    ),
                    Operand(4),
                ],
            )),
        )
    },
    // Casts. Their names give the formats, and the arrangements of their results (section 7.4).
    OpFunc {
        definition: "x, exactly",
        meaning: Some(Meaning::Float(X)),
        draw: Draw::OwnWay,
        ..cast("dl16tofp32", &[(STANDARD, WIDENED), (NARROWED, STANDARD)])
    },
    OpFunc {
        definition: "x, rounded to the element type of the result",
        meaning: Some(Meaning::Float(X)),
        draw: Draw::OwnWay,
        ..cast("fp32todl16", &[(STANDARD, NARROWED), (WIDENED, STANDARD)])
    },
    cast("fp8todl16", &[(STANDARD, STANDARD), (CHANNELS, STANDARD)]),
    // `fp32toint32` and `int32tofp32` are planned as if they kept the format.
    OpFunc {
        class: OpClass::Pointwise,
        ..cast("qfp8ch", &[(STANDARD, CHANNELS)])
    },
    OpFunc {
        class: OpClass::Pointwise,
        ..cast("qfp8wt", &[])
    },
    // Data movement.
    OpFunc {
        mnemonic: Some("restickify"),
        stick: StickRule::Restickify,
        definition: "x",
        meaning: Some(Meaning::Identity),
        ..row("ReStickifyOpHBM", OpClass::Data, 1)
    },
    OpFunc {
        name: "identity",
        first_value: 1,
        stick: StickRule::Gather,
        definition: "the element of the table where the index stands in `dim`, NaN if there is none",
        meaning: Some(Meaning::Gather),
        draw: Draw::OwnWay,
        ..row("gather", OpClass::Data, 2)
    },
    unseen(row("shuffle", OpClass::Data, 1)),
    // Reductions.
    reduction("sum", Combiner::Add, "the sum, from 0, in ascending order"),
    OpFunc {
        is_average: true,
        ..reduction(
            "mean",
            Combiner::Add,
            "the sum as above, divided by the number of elements",
        )
    },
    reduction(
        "min",
        Combiner::Minimum,
        "the minimum, NaN if any element is",
    ),
    reduction(
        "max",
        Combiner::Maximum,
        "the maximum, NaN if any element is",
    ),
    reduction(
        "prod",
        Combiner::Mul,
        "the product, from 1, in ascending order",
    ),
    reduction(
        "absmax",
        Combiner::Magnitude,
        "the maximum of the absolute values, NaN if any element is",
    ),
    OpFunc {
        stick: StickRule::LastDim,
        // The reference compiler gives it one input (contract, K78).
        is_whole: true,
        meaning: Some(Meaning::OfMagnitude(Apply(
            MUL,
            &[
                Apply(MIN, &[Apply(MAX, &[X, Parameter("min")]), Parameter("max")]),
                Parameter("factor"),
            ],
        ))),
        ..reduction(
            "quantscalepertokenfp8",
            Combiner::Magnitude,
            "min(max(m, `min`), `max`) * `factor` of the maximum m of the absolute values, NaN if any element is",
        )
    },
    OpFunc {
        stick: StickRule::LastDim,
        pairs: Some(Pairs::Makes),
        definition: "the pair of the sums of x and of x * x, each as above, divided by the number of elements",
        meaning: Some(Meaning::Moments),
        draw: Draw::OwnWay,
        ..row("exx2", OpClass::Reduction, 1)
    },
    // Matrix products. `matmul` is a name of the first revision only.
    matmul("batchmatmul"),
    unseen(matmul("matmul")),
    OpFunc {
        is_quantized: true,
        meaning: None,
        draw: Draw::Never,
        ..matmul("batchmatmulfp8")
    },
    OpFunc {
        is_quantized: true,
        definition: "the exact sum of a * b over K, rounded to the element type of the result",
        ..matmul("batchmatmulint8")
    },
    // Searches.
    search(
        "topkvalue",
        Ranked::Value,
        "the first `k` elements along `dim` in descending order",
    ),
    search(
        "topkindex",
        Ranked::Position,
        "where those are along `dim`, counted from 0",
    ),
    // Operations on windows. The writer decides which of them can be generated.
    OpFunc {
        is_average: true,
        ..pool(
            "avgpoolfwd",
            Combiner::Add,
            "the sum of a window of x, from 0, divided by the number of its elements",
        )
    },
    unseen(row("avgpoolnmapfwd", OpClass::Pool, 1)),
    pool(
        "maxpoolfwd",
        Combiner::Maximum,
        "the maximum of a window of x, NaN if any element is",
    ),
    convolution("conv2d"),
    unseen(row("conv2dfp8", OpClass::Conv, 2)),
    unseen(row("conv2dint4", OpClass::Conv, 2)),
    unseen(row("conv2dint8", OpClass::Conv, 2)),
    OpFunc {
        stick: StickRule::LastDim,
        definition: "the sum of a * b over the window of a channel, from 0, in ascending order",
        ..convolution("depthwiseconv2dnative")
    },
];

const fn unexplained(name: &'static str, missing: &'static str) -> Unexplained {
    Unexplained { name, missing }
}

/// The OpFuncs of the published table that have no row above: no document defines their results fully. A verifier must
/// know the names.
pub static UNEXPLAINED: &[Unexplained] = &[
    unexplained("batchmatmulint4", "the factor of its result"),
    unexplained(
        "batchnormfwd",
        "which of its operands are means, scales and biases",
    ),
    unexplained("csqint4", "how a number is rounded to 4 bits"),
    unexplained(
        "exx2_zeromean",
        "the position of the mean in its pair of numbers",
    ),
    unexplained(
        "fnms",
        "which operands are multiplied, and which one is subtracted",
    ),
    unexplained(
        "leakyrelufwd",
        "the slope below 0, for which it has no constant",
    ),
    unexplained("maskbyindex", "the value of a masked element"),
    unexplained(
        "quantscalepertoken",
        "the bounds and the factor, for which it has no constants",
    ),
];

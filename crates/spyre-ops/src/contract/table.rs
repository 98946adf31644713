//! The rows. A test compares them with the published facts in `opfuncs.tsv`.

use super::{Category, Precision, Published, Status, Sticks, Unit};

const FLOATS: &[Precision] = &[Precision::Float16, Precision::Float32];
const SIXTEEN: &[Precision] = &[Precision::Float16];
const SINGLE: &[Precision] = &[Precision::Float32];
const FLOAT8: &[Precision] = &[Precision::Float8];
const INT8: &[Precision] = &[Precision::Int8];
const INT4: &[Precision] = &[Precision::Int4];
const INT32: &[Precision] = &[Precision::Int32];

/// A row of operations of one format on the vector unit.
const fn row(
    name: &'static str,
    category: Category,
    formats: &'static [Precision],
    sticks: Sticks,
) -> Published {
    Published {
        name,
        category,
        inputs: formats,
        outputs: formats,
        has_one_format: true,
        constants: &[],
        sticks,
        unit: Unit::Vector,
        status: Status::Published,
        source: "SuperDSC-Bundle 1.0.0, OpFunc table",
    }
}

/// A row of the array, with results of 16 bits always (K22).
const fn product(
    name: &'static str,
    category: Category,
    inputs: &'static [Precision],
    sticks: Sticks,
) -> Published {
    Published {
        outputs: SIXTEEN,
        has_one_format: matches!(sticks, Sticks::Product),
        unit: Unit::Array,
        ..row(name, category, inputs, sticks)
    }
}

/// A row of a change of format.
const fn conversion(
    name: &'static str,
    inputs: &'static [Precision],
    outputs: &'static [Precision],
    sticks: Sticks,
) -> Published {
    Published {
        outputs,
        has_one_format: false,
        ..row(name, Category::Quantization, inputs, sticks)
    }
}

const fn with_constants(row: Published, constants: &'static [&'static str]) -> Published {
    Published { constants, ..row }
}

/// A row that only the reference has.
const fn written(row: Published, status: Status, source: &'static str) -> Published {
    Published {
        status,
        source,
        ..row
    }
}

/// The rows of the published table, in its order.
pub static PUBLISHED: &[Published] = &[
    // Matmul.
    product(
        "batchmatmulfp8",
        Category::Product,
        FLOAT8,
        Sticks::ProductOfEightBits,
    ),
    product("batchmatmul", Category::Product, SIXTEEN, Sticks::Product),
    product(
        "batchmatmulint4",
        Category::Product,
        INT4,
        Sticks::ProductOfFourBits,
    ),
    product(
        "batchmatmulint8",
        Category::Product,
        INT8,
        Sticks::ProductOfEightBits,
    ),
    // Convolution.
    product(
        "conv2dfp8",
        Category::Convolution,
        FLOAT8,
        Sticks::ProductOfEightBits,
    ),
    product("conv2d", Category::Convolution, SIXTEEN, Sticks::Product),
    product(
        "conv2dint4",
        Category::Convolution,
        INT4,
        Sticks::ProductOfFourBits,
    ),
    product(
        "conv2dint8",
        Category::Convolution,
        INT8,
        Sticks::ProductOfEightBits,
    ),
    // Broadcast.
    row("add", Category::Broadcast, FLOATS, Sticks::Common),
    row("batchnormfwd", Category::Broadcast, FLOATS, Sticks::Common),
    row("biasadd", Category::Broadcast, FLOATS, Sticks::Common),
    row("equal", Category::Broadcast, FLOATS, Sticks::Common),
    row("fnms", Category::Broadcast, FLOATS, Sticks::Common),
    row("greaterequal", Category::Broadcast, FLOATS, Sticks::Common),
    row(
        "layernormnorm",
        Category::Broadcast,
        FLOATS,
        Sticks::Normalised,
    ),
    row("lesserequal", Category::Broadcast, FLOATS, Sticks::Common),
    row("maximum", Category::Broadcast, FLOATS, Sticks::Common),
    row("minimum", Category::Broadcast, FLOATS, Sticks::Common),
    row("mul", Category::Broadcast, FLOATS, Sticks::Common),
    row("notequal", Category::Broadcast, FLOATS, Sticks::Common),
    row("realdiv", Category::Broadcast, FLOATS, Sticks::Common),
    row("revsub", Category::Broadcast, FLOATS, Sticks::Common),
    row("sub", Category::Broadcast, FLOATS, Sticks::Common),
    row("where3", Category::Broadcast, FLOATS, Sticks::Common),
    // Unary.
    row("abs", Category::Unary, FLOATS, Sticks::Common),
    with_constants(
        row("clip", Category::Unary, FLOATS, Sticks::Common),
        &["clipMin", "clipMax"],
    ),
    row("exp", Category::Unary, FLOATS, Sticks::Common),
    row("fastexp", Category::Unary, SIXTEEN, Sticks::Common),
    row("fastsigmoid", Category::Unary, SIXTEEN, Sticks::Common),
    row("floor", Category::Unary, FLOATS, Sticks::Common),
    row("gelufwd", Category::Unary, SIXTEEN, Sticks::Common),
    row("identity", Category::Unary, FLOATS, Sticks::Common),
    with_constants(
        row(
            "layernormscale",
            Category::Unary,
            FLOATS,
            Sticks::Normalised,
        ),
        &["eps"],
    ),
    row("leakyrelufwd", Category::Unary, SIXTEEN, Sticks::Common),
    row("log", Category::Unary, SIXTEEN, Sticks::Common),
    row("mish", Category::Unary, SIXTEEN, Sticks::Common),
    row("neg", Category::Unary, FLOATS, Sticks::Common),
    row("reciprocal", Category::Unary, FLOATS, Sticks::Common),
    row("relufwd", Category::Unary, FLOATS, Sticks::Common),
    row("relu6fwd", Category::Unary, SIXTEEN, Sticks::Common),
    row("rsqrt", Category::Unary, SIXTEEN, Sticks::Common),
    row("sigmoid", Category::Unary, FLOATS, Sticks::Common),
    with_constants(
        row("softplus", Category::Unary, SIXTEEN, Sticks::Common),
        &["softplusBeta", "softplusThresh"],
    ),
    row("silu", Category::Unary, FLOATS, Sticks::Common),
    row("sqrt", Category::Unary, SIXTEEN, Sticks::Common),
    row("tanh", Category::Unary, SIXTEEN, Sticks::Common),
    // Reduction.
    row(
        "absmaxnonstick",
        Category::Reduction,
        FLOATS,
        Sticks::NotReduced,
    ),
    row("absmax", Category::Reduction, FLOATS, Sticks::ReducedAlone),
    row(
        "exx2_zeromean",
        Category::Reduction,
        FLOATS,
        Sticks::ReducedAlone,
    ),
    with_constants(
        row("exx2", Category::Reduction, FLOATS, Sticks::Normalised),
        &["exx2scale"],
    ),
    row(
        "maxnonstick",
        Category::Reduction,
        FLOATS,
        Sticks::NotReduced,
    ),
    row("max", Category::Reduction, FLOATS, Sticks::ReducedAlone),
    with_constants(
        row(
            "meannonstick",
            Category::Reduction,
            FLOATS,
            Sticks::NotReduced,
        ),
        &["scaling_factor"],
    ),
    with_constants(
        row("mean", Category::Reduction, FLOATS, Sticks::ReducedAlone),
        &["scaling_factor"],
    ),
    row(
        "minnonstick",
        Category::Reduction,
        FLOATS,
        Sticks::NotReduced,
    ),
    row("min", Category::Reduction, FLOATS, Sticks::ReducedAlone),
    row(
        "sumnonstick",
        Category::Reduction,
        FLOATS,
        Sticks::NotReduced,
    ),
    row("sum", Category::Reduction, FLOATS, Sticks::ReducedAlone),
    with_constants(
        row(
            "quantscalepertokenfp8",
            Category::Reduction,
            SIXTEEN,
            Sticks::ReducedAlone,
        ),
        &["clipMin", "clipMax", "mulConst"],
    ),
    row(
        "quantscalepertoken",
        Category::Reduction,
        SIXTEEN,
        Sticks::ReducedAlone,
    ),
    // Pooling.
    with_constants(
        row("avgpoolfwd", Category::Pooling, SIXTEEN, Sticks::NoWindow),
        &["nmap"],
    ),
    row(
        "avgpoolnmapfwd",
        Category::Pooling,
        SIXTEEN,
        Sticks::NoWindow,
    ),
    row(
        "depthwiseconv2dnative",
        Category::Pooling,
        SIXTEEN,
        Sticks::NoWindow,
    ),
    row("maxpoolfwd", Category::Pooling, SIXTEEN, Sticks::NoWindow),
    // Scan.
    row("maskbyindex", Category::Scan, FLOATS, Sticks::NotSearched),
    row("topkindex", Category::Scan, FLOATS, Sticks::NotSearched),
    row("topkvalue", Category::Scan, FLOATS, Sticks::NotSearched),
    // Quantization.
    with_constants(
        conversion("csqint4wt", SIXTEEN, INT4, Sticks::Interleaved),
        &["scaleact", "shiftact"],
    ),
    with_constants(
        conversion("csqint4", SIXTEEN, INT4, Sticks::Interleaved),
        &["scaleact", "shiftact"],
    ),
    with_constants(
        conversion("csqint8ch", SIXTEEN, INT8, Sticks::SameDimension),
        &["scaleact", "shiftact"],
    ),
    with_constants(
        conversion("csqint8mb", SIXTEEN, INT8, Sticks::Interleaved),
        &["scaleact", "shiftact"],
    ),
    with_constants(
        conversion("csqint8wt", SIXTEEN, INT8, Sticks::Interleaved),
        &["scaleact", "shiftact"],
    ),
    conversion("dl16tofp32", SIXTEEN, SINGLE, Sticks::SameDimension),
    conversion("fp32todl16", SINGLE, SIXTEEN, Sticks::SameDimension),
    conversion("fp8todl16", FLOAT8, SIXTEEN, Sticks::SameDimension),
    conversion("qfp8ch", SIXTEEN, FLOAT8, Sticks::SameDimension),
    conversion("qfp8mb", SIXTEEN, FLOAT8, Sticks::Interleaved),
    conversion("qfp8wt", SIXTEEN, FLOAT8, Sticks::Interleaved),
    // Stick Altering Data Shuffle.
    row(
        "ReStickifyOpHBM",
        Category::StickAltering,
        SIXTEEN,
        Sticks::OneEach,
    ),
];

/// The OpFuncs that the reference compiler writes and the table lacks (K70).
pub static WRITTEN_BY_THE_REFERENCE: &[Published] = &[
    written(
        row("greaterthan", Category::Broadcast, FLOATS, Sticks::Common),
        Status::Reference,
        "torch-spyre constants.py, September 2026; #2723",
    ),
    written(
        row("lesserthan", Category::Broadcast, FLOATS, Sticks::Common),
        Status::Reference,
        "torch-spyre constants.py, September 2026; #2723",
    ),
    written(
        row("prod", Category::Reduction, FLOATS, Sticks::ReducedAlone),
        Status::Doubtful,
        "torch-spyre constants.py: no product reduction in the backend",
    ),
    written(
        row(
            "prodnonstick",
            Category::Reduction,
            FLOATS,
            Sticks::NotReduced,
        ),
        Status::Doubtful,
        "torch-spyre superdsc.py writes it; its constants.py: no product reduction in the backend",
    ),
    written(
        row("keepbyindex", Category::Scan, FLOATS, Sticks::NotSearched),
        Status::Reported,
        "torch-spyre #3938, merged August 2026",
    ),
    written(
        conversion("fp32toint32", SINGLE, INT32, Sticks::SameDimension),
        Status::Reported,
        "torch-spyre #3876, merged August 2026",
    ),
    written(
        conversion("int32tofp32", INT32, SINGLE, Sticks::SameDimension),
        Status::Reported,
        "torch-spyre #3876, merged August 2026; #3802",
    ),
    written(
        row("shuffle", Category::StickAltering, &[], Sticks::Common),
        Status::Draft,
        "LX-Relayout-SHUFFLE, a draft of the specification; torch-spyre #3439 and #3955",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The facts of the published table, one row a line: name, category, formats of inputs and of outputs, whether the
    /// formats are all the same, constants, rule of sticks, unit.
    #[test]
    fn the_rows_are_the_published_ones() {
        let facts = include_str!("opfuncs.tsv");
        let lines: Vec<&str> = facts
            .lines()
            .filter(|line| !line.starts_with('#'))
            .collect();
        assert_eq!(lines.len(), PUBLISHED.len());
        for (line, row) in lines.iter().zip(PUBLISHED) {
            assert_eq!(*line, row.facts().join("\t"));
        }
    }
}

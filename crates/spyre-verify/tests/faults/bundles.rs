//! Operations with bundles that the faults of the contract are put into. The ones that are named after a fault break
//! one rule as they are, since changing one value of another bundle cannot produce their files.

use serde::Deserialize;
use spyre_sdsc::model::Ownership;
use spyre_sdsc::{Allocation, Arrangement, DeviceFormat, Expr, Node, OpSpec, TensorArg};

/// The operation of a bundle, or the operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Built {
    /// A product of 128 x 128 with 128 x 128, rows on two cores.
    Product,
    /// A product of 8-bit floats.
    Fp8Product,
    /// The 12 largest of 128, on three cores.
    Search,
    /// The positions of the 4 largest of 128.
    SearchIndex,
    /// 64 x 128 elements of 16 bits to 32.
    Cast,
    /// A change of the stick.
    Restickify,
    /// The exponential of 40 of 64 columns.
    Exponential,
    /// A layer norm: `exx2`, `layernormscale` and `layernormnorm`.
    Normalisation,
    /// The mean of windows of 2 x 2 elements, rows on two cores.
    Pool,
    /// Bounds, two constants.
    Clip,
    /// A sum off the stick, over two dimensions.
    SumOfRows,
    /// An elementwise operation of a matrix and a column, on two cores.
    Broadcast,
    /// A relayout of parts that only every second core has finished.
    FinishedRelayout,
    /// A relayout after which two cores have each part.
    SharedRelayout,
    /// A tensor with a separate tensor for the part of each core.
    SeparateParts,
    /// A mask on 32-bit elements.
    WideMask,
    /// A sum of integers.
    Integers,
    /// A square root in 32 bits.
    WideRoot,
    /// A comparison that the table lacks.
    Unpublished,
    /// A product over a row, which the card's compiler lacks.
    Doubtful,
    /// A mask that two cores divide.
    DividedMask,
    /// Three dimensions without reuse.
    ManyBatches,
    /// A search that finds 12 on a core.
    LargeSearch,
    /// A search along its stick.
    SearchAlongStick,
    /// A cast of one element in each stick, of which there are half as many as in a stick of the other format.
    HalfSticks,
    /// A core that has two times 256 MiB.
    LargeSpan,
    /// Two reduced dimensions on two cores each.
    TwoReductions,
    /// 40 indices on a core.
    OddIndices,
}

const DL16: DeviceFormat = DeviceFormat::Sen169Fp16;
const FP32: DeviceFormat = DeviceFormat::IeeeFp32;
const FP8: DeviceFormat = DeviceFormat::Sen143Fp8;

/// A tensor in a kernel argument.
fn tensor(index: u32, format: DeviceFormat, size: &[u64], coordinates: &[&str]) -> TensorArg {
    let coordinates = coordinates
        .iter()
        .map(|text| text.parse().expect("an expression"));
    TensorArg::new(
        format,
        size.to_vec(),
        coordinates.collect(),
        Allocation::argument(index),
    )
}

/// A tensor of rows `row` and columns `column`, which are along the stick.
fn matrix(
    index: u32,
    format: DeviceFormat,
    [row, column]: [&str; 2],
    [rows, columns]: [u64; 2],
) -> TensorArg {
    let per_stick = format.elements_per_stick().get();
    let sticks = format!("floor({column}/{per_stick})");
    let element = format!("Mod({column}, {per_stick})");
    tensor(
        index,
        format,
        &[columns.div_ceil(per_stick), rows, per_stick],
        &[&sticks, row, &element],
    )
}

/// One element in each stick.
fn column(index: u32, format: DeviceFormat, row: &str, rows: u64) -> TensorArg {
    tensor(
        index,
        format,
        &[1, rows, format.elements_per_stick().get()],
        &["0", row, "0"],
    )
}

/// An operation over dimensions `c0`, `c1` ... with these extents and slices, the output last.
fn op(mut spec: OpSpec, dims: &[(i64, u64)], mut tensors: Vec<TensorArg>) -> OpSpec {
    for (number, (extent, slices)) in dims.iter().enumerate() {
        spec = spec.with_dim(format!("c{number}"), Expr::int(*extent), *slices);
    }
    let output = tensors.pop().expect("an output");
    for input in tensors {
        spec = spec.with_input(input);
    }
    spec.with_output(output)
}

fn pointwise(name: &str, dims: &[(i64, u64)], tensors: Vec<TensorArg>) -> OpSpec {
    op(OpSpec::pointwise(name), dims, tensors)
}

fn reduction(name: &str, dims: &[(i64, u64)], tensors: Vec<TensorArg>) -> OpSpec {
    op(OpSpec::reduction(name), dims, tensors)
}

/// A reduction of 64 rows over the stick.
fn over_rows(name: &str, format: DeviceFormat, columns: u64, slices: [u64; 2]) -> OpSpec {
    let dims = [(64, slices[0]), (columns.cast_signed(), slices[1])];
    let input = matrix(0, format, ["c0", "c1"], [64, columns]);
    reduction(name, &dims, vec![input, column(1, format, "c0", 64)])
}

/// The largest elements of 128 rows of 64 columns.
fn search(name: &str, count: u64, slices: u64) -> OpSpec {
    reduction(
        name,
        &[(count.cast_signed(), slices), (128, 1), (64, 1)],
        vec![
            matrix(0, DL16, ["c1", "c2"], [128, 64]),
            matrix(1, DL16, ["c0", "c2"], [count, 64]),
        ],
    )
}

/// A product of 128 x 128 with 128 x 128.
fn product(slices: [u64; 3]) -> OpSpec {
    reduction(
        "batchmatmul",
        &slices.map(|slices| (128, slices)),
        vec![
            matrix(0, DL16, ["c0", "c2"], [128, 128]),
            matrix(1, DL16, ["c2", "c1"], [128, 128]),
            matrix(2, DL16, ["c0", "c1"], [128, 128]),
        ],
    )
}

/// A product for each of 2 x 3 x 2 pairs of matrices.
fn many_batches() -> OpSpec {
    let operand = |index, row: &str, column: &str| {
        let (outer, inner) = (format!("floor({column}/64)"), format!("Mod({column}, 64)"));
        tensor(
            index,
            DL16,
            &[2, 3, 2, 1, 64, 64],
            &["c0", "c1", "c2", &outer, row, &inner],
        )
    };
    let dims = [(2, 1), (3, 1), (2, 1), (64, 1), (64, 1), (64, 1)];
    let tensors = vec![
        operand(0, "c3", "c5"),
        operand(1, "c5", "c4"),
        operand(2, "c3", "c4"),
    ];
    reduction("batchmatmul", &dims, tensors)
}

fn fp8_product() -> OpSpec {
    let mut weights = matrix(1, FP8, ["c2", "c1"], [256, 128]);
    weights.arrangement = Arrangement::Qfp8Wt;
    reduction(
        "batchmatmulfp8",
        &[(64, 1), (128, 1), (256, 1)],
        vec![
            matrix(0, FP8, ["c0", "c2"], [64, 256]),
            weights,
            matrix(2, DL16, ["c0", "c1"], [64, 128]),
        ],
    )
}

/// A normalisation of 64 rows of 256 columns.
fn normalisation() -> Vec<Node> {
    let rows = |index| matrix(index, DL16, ["c0", "c1"], [64, 256]);
    let per_row = |index| column(index, DL16, "c0", 64);
    let per_column = |index| tensor(index, DL16, &[4, 64], &["floor(c1/64)", "Mod(c1, 64)"]);
    let pair = over_rows("exx2", DL16, 256, [1, 1]).with_constant("exx2scale", 0.00390625);
    let scale = pointwise("layernormscale", &[(64, 1)], vec![per_row(1), per_row(2)]);
    let norm = vec![
        rows(0),
        per_row(1),
        per_row(2),
        per_column(3),
        per_column(4),
        rows(5),
    ];
    let norm = pointwise("layernormnorm", &[(64, 1), (256, 1)], norm);
    vec![
        pair.into(),
        scale.with_constant("eps", 1e-5).into(),
        norm.into(),
    ]
}

/// The mean of windows of 2 x 2 elements of an image with 64 channels.
fn pool() -> OpSpec {
    let dims = [(2, 2), (3, 1), (64, 1), (2, 1), (2, 1)];
    let input = tensor(
        0,
        DL16,
        &[4, 6, 1, 64],
        &["2*c0 + c3", "2*c1 + c4", "floor(c2/64)", "Mod(c2, 64)"],
    );
    let output = tensor(
        1,
        DL16,
        &[2, 3, 1, 64],
        &["c0", "c1", "floor(c2/64)", "Mod(c2, 64)"],
    );
    let mut pool = reduction("avgpoolfwd", &dims, vec![input, output]);
    pool.node_output_ranges = [1, 64, 2, 3].map(Expr::int).to_vec();
    for (name, value) in [
        ("kernel_h", 2.0),
        ("kernel_w", 2.0),
        ("stride_h", 2.0),
        ("stride_w", 2.0),
        ("pad_h", 0.0),
        ("pad_w", 0.0),
        ("scaling_factor", 0.25),
    ] {
        pool = pool.with_constant(name, value);
    }
    pool
}

/// A gather of `rows` of 1000 rows.
fn gather(rows: u64) -> OpSpec {
    let mut index = tensor(
        0,
        DeviceFormat::IeeeInt32,
        &[rows.div_ceil(32), 32],
        &["floor(c0/32)", "Mod(c0, 32)"],
    );
    index.name = Some("index".into());
    let mut value = matrix(1, DL16, ["IndirectAccess(index)", "c1"], [1000, 128]);
    value.name = Some("value".into());
    let output = matrix(2, DL16, ["c0", "c1"], [rows, 128]);
    pointwise(
        "identity",
        &[(rows.cast_signed(), 1), (128, 1)],
        vec![index, value, output],
    )
}

/// An elementwise operation of 16-bit rows with as many operands.
fn elementwise(name: &str, format: DeviceFormat, rows: u64, inputs: u32) -> OpSpec {
    let tensors = (0..=inputs).map(|index| matrix(index, format, ["c0", "c1"], [rows, 128]));
    pointwise(
        name,
        &[(rows.cast_signed(), 1), (128, 1)],
        tensors.collect(),
    )
}

/// The cores that have the rows of a tensor: as many slices, and the slice of each core.
fn rows_on(slices: u64, of_core: &str, cores: Option<u32>) -> Option<Ownership> {
    let of_core = of_core.parse().expect("an expression");
    Some(Ownership {
        work_slices: std::iter::once(("c0".into(), slices)).collect(),
        core_id_to_work_slice: std::iter::once(("c0".into(), of_core)).collect(),
        num_cores: cores,
    })
}

/// A copy of 64 rows of 256 columns between scratchpads.
fn relayout(slices: u64, rows: &str, owners: [Option<Ownership>; 2]) -> OpSpec {
    let tensors = [0u64, 65536]
        .into_iter()
        .zip(owners)
        .map(|(address, owner)| {
            let mut tensor = matrix(0, DL16, ["c0", "c1"], [64, 256]);
            tensor.allocation = Allocation::lx(address);
            tensor.ownership = owner;
            tensor
        });
    let copy = pointwise("identity", &[(64, slices), (256, 1)], tensors.collect());
    let mut copy = copy.with_core_slice("c0", rows.parse().expect("an expression"));
    let marker = serde_json::from_str("true").expect("JSON");
    copy.op_info
        .other
        .insert("lx_relayout_certified".into(), marker);
    copy
}

impl Built {
    /// Returns the operations.
    pub(crate) fn nodes(self) -> Vec<Node> {
        let one = match self {
            Self::Product => product([2, 1, 1]),
            Self::Fp8Product => fp8_product(),
            Self::Search => search("topkvalue", 12, 3),
            Self::SearchIndex => search("topkindex", 4, 1),
            Self::LargeSearch => search("topkvalue", 12, 1),
            Self::Cast => {
                let tensors = vec![
                    matrix(0, DL16, ["c0", "c1"], [64, 128]),
                    matrix(1, FP32, ["c0", "c1"], [64, 128]),
                ];
                pointwise("dl16tofp32", &[(64, 1), (128, 1)], tensors)
            }
            Self::Restickify => {
                let tensors = vec![
                    matrix(0, DL16, ["c0", "c1"], [64, 128]),
                    matrix(1, DL16, ["c1", "c0"], [128, 64]),
                ];
                pointwise("ReStickifyOpHBM", &[(64, 1), (128, 1)], tensors)
            }
            Self::Exponential => {
                let tensors = (0..2).map(|index| matrix(index, DL16, ["c0", "c1"], [64, 40]));
                pointwise("exp", &[(64, 4), (40, 1)], tensors.collect())
            }
            Self::Normalisation => return normalisation(),
            Self::Pool => pool(),
            Self::Clip => elementwise("clip", DL16, 64, 1)
                .with_constant("clipMin", 0.0)
                .with_constant("clipMax", 6.0),
            Self::SumOfRows => sum_of_rows(1),
            Self::TwoReductions => sum_of_rows(2),
            Self::Broadcast => {
                let tensors = vec![
                    matrix(0, DL16, ["c0", "c1"], [64, 128]),
                    column(1, DL16, "c0", 64),
                    matrix(2, DL16, ["c0", "c1"], [64, 128]),
                ];
                pointwise("mul", &[(64, 2), (128, 1)], tensors)
            }
            Self::FinishedRelayout => finished_relayout(),
            Self::SharedRelayout => shared_relayout(),
            Self::SeparateParts => {
                let mut op = elementwise("neg", DL16, 64, 1);
                op.args[0].separate_parts = true;
                op
            }
            Self::WideMask => over_rows("sum", FP32, 40, [1, 1]),
            Self::DividedMask => over_rows("sum", DL16, 120, [1, 2]),
            Self::Integers => elementwise("add", DeviceFormat::IeeeInt32, 64, 2),
            Self::WideRoot => elementwise("sqrt", FP32, 64, 1),
            Self::Unpublished => elementwise("greaterthan", DL16, 64, 2),
            Self::Doubtful => over_rows("prod", DL16, 128, [1, 1]),
            Self::ManyBatches => many_batches(),
            Self::SearchAlongStick => {
                let tensors = vec![
                    matrix(0, DL16, ["c0", "c1"], [64, 128]),
                    tensor(1, DL16, &[1, 64, 64], &["0", "c0", "0"]),
                ];
                reduction("topkvalue", &[(64, 1), (128, 1)], tensors)
            }
            Self::HalfSticks => half_sticks(),
            Self::LargeSpan => elementwise("neg", DL16, 1 << 21, 1),
            Self::OddIndices => gather(40),
        };
        vec![one.into()]
    }

    /// The bundles that keep the contract.
    pub(crate) const CLEAN: &[Self] = &[
        Self::Product,
        Self::Fp8Product,
        Self::Search,
        Self::SearchIndex,
        Self::Cast,
        Self::Restickify,
        Self::Exponential,
        Self::Normalisation,
        Self::Pool,
        Self::Clip,
        Self::SumOfRows,
        Self::Broadcast,
        Self::FinishedRelayout,
        Self::SharedRelayout,
        Self::SeparateParts,
    ];
}

fn sum_of_rows(slices: u64) -> OpSpec {
    let input = tensor(
        0,
        DL16,
        &[4, 2, 64, 64],
        &["c0", "floor(c2/64)", "c1", "Mod(c2, 64)"],
    );
    let output = tensor(1, DL16, &[2, 64], &["floor(c2/64)", "Mod(c2, 64)"]);
    reduction(
        "sum",
        &[(4, slices), (64, 2), (128, 1)],
        vec![input, output],
    )
}

fn finished_relayout() -> OpSpec {
    let owners = [
        rows_on(4, "floor(core_id/2)", None),
        rows_on(8, "core_id", None),
    ];
    let mut copy = relayout(8, "core_id", owners);
    copy.completed_producer_cores = vec![1, 3, 5, 7];
    copy
}

fn shared_relayout() -> OpSpec {
    let rows = "Mod(core_id, 4)";
    relayout(
        4,
        rows,
        [rows_on(8, "core_id", Some(8)), rows_on(4, rows, Some(8))],
    )
}

fn half_sticks() -> OpSpec {
    let column = |index, format: DeviceFormat| {
        let per_stick = format.elements_per_stick().get();
        tensor(index, format, &[64, per_stick], &["c0", "0"])
    };
    let tensors = vec![column(0, DL16), column(1, FP32)];
    pointwise("dl16tofp32", &[(64, 1)], tensors)
}

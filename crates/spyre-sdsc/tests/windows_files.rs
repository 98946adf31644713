//! Whole files of pools and convolutions, worked out by hand (specification, sections 4.11 and 5), in the form of the
//! reference generator of August 2026; and where the contract differs.
//!
//! Repeated parts are written by functions of the numbers that differ; the numbers are derived in the comments.

mod common;

use common::windows::*;
use common::*;
use spyre_sdsc::{Json, OpSpec};

const FULL_SPAN: &str = "padded_fullspan_wunneeded";

fn read(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in\n{text}"))
}

/// The first place at which two values differ; key order counts.
fn difference(actual: &Json, expected: &Json, path: &str) -> Option<String> {
    match (actual, expected) {
        (Json::Object(actual), Json::Object(expected)) => {
            let keys =
                |object: &spyre_sdsc::Object<Json>| object.keys().cloned().collect::<Vec<_>>();
            if keys(actual) != keys(expected) {
                return Some(format!(
                    "{path}: {:?} for {:?}",
                    keys(actual),
                    keys(expected)
                ));
            }
            let pairs = actual.iter().zip(expected.iter());
            pairs
                .map(|((key, actual), (_, expected))| (format!("{path}/{key}"), actual, expected))
                .find_map(|(path, actual, expected)| difference(actual, expected, &path))
        }
        (Json::Array(actual), Json::Array(expected)) if actual.len() == expected.len() => {
            let pairs = actual.iter().zip(expected).enumerate();
            pairs
                .map(|(i, (actual, expected))| (format!("{path}/{i}"), actual, expected))
                .find_map(|(path, actual, expected)| difference(actual, expected, &path))
        }
        _ => (actual != expected).then(|| format!("{path}: {actual:?} for {expected:?}")),
    }
}

fn check(op: OpSpec, expected: &str) {
    let bundle = compile_r3(&[op.into()]);
    let mut bytes = Vec::new();
    bundle.sdsc_files()[0]
        .write_to(&mut bytes)
        .unwrap_or_else(|error| panic!("{error}"));
    let actual = read(&String::from_utf8_lossy(&bytes));
    assert_eq!(difference(&actual, &read(expected), ""), None);
}

/// The coordinates of a dimension that is not the stick: parts of `size` elements on `slices` cores, `step` apart.
fn line(dim: &str, padding: &str, step: u64, slices: u64, size: u64) -> String {
    format!(
        r#""{dim}": {{"spatial": 3, "temporal": 0, "elemArr": 1, "padding": "{padding}", "folds": {{
            "dim_prop_func": [{{"Affine": {{"alpha_": {step}, "beta_": 0}}}}, {{"Affine": {{"alpha_": 0, "beta_": 0}}}},
                {{"Affine": {{"alpha_": 0, "beta_": 0}}}}, {{"Affine": {{"alpha_": 1, "beta_": 0}}}}],
            "dim_prop_attr": [{{"factor_": {slices}, "label_": "core_fold"}}, {{"factor_": 1, "label_": "corelet_fold"}},
                {{"factor_": 1, "label_": "row_fold"}}, {{"factor_": {size}, "label_": "elem_arr_0"}}]}}}}"#
    )
}

/// The coordinates of the stick dimension on one core: sticks of 64.
fn stick(dim: &str, size: u64) -> String {
    let sticks = size / 64;
    format!(
        r#""{dim}": {{"spatial": 3, "temporal": 0, "elemArr": 2, "padding": "nopad", "folds": {{
            "dim_prop_func": [{{"Affine": {{"alpha_": {size}, "beta_": 0}}}}, {{"Affine": {{"alpha_": 0, "beta_": 0}}}},
                {{"Affine": {{"alpha_": 0, "beta_": 0}}}}, {{"Affine": {{"alpha_": 64, "beta_": 0}}}},
                {{"Affine": {{"alpha_": 1, "beta_": 0}}}}],
            "dim_prop_attr": [{{"factor_": 1, "label_": "core_fold"}}, {{"factor_": 1, "label_": "corelet_fold"}},
                {{"factor_": 1, "label_": "row_fold"}}, {{"factor_": {sticks}, "label_": "elem_arr_1"}},
                {{"factor_": 64, "label_": "elem_arr_0"}}]}}}}"#
    )
}

/// An allocation on two cores: the text before and after the addresses, its dimensions, the symbols of the cores.
fn node(
    index: u64,
    [leading, trailing]: [&str; 2],
    dims: &str,
    [first, second]: [i64; 2],
    coordinates: &[String],
) -> String {
    let unknown = vec!["-1"; dims.split(',').count()].join(", ");
    let coordinates = coordinates.join(", ");
    format!(
        r#"{{"nodeType_": "allocate", "name_": "allocate-Tensor{index}_hbm", "prev_": "", "ldsIdx_": {index},
            "component_": "hbm", {leading} "isStartAddrSymbolic_": 1, "layoutDimOrder_": [{dims}],
            "maxDimSizes_": [{unknown}], "indirectAllocType_": "no_indirection",
            "startAddressCoreCorelet_": {{"dim_prop_func": [{{"Map": {{}}}}, {{"Const": {{}}}}, {{"Const": {{}}}}],
                "dim_prop_attr": [{{"factor_": 2, "label_": "core"}}, {{"factor_": 1, "label_": "corelet"}},
                    {{"factor_": 1, "label_": "time"}}],
                "data_": {{"[0, 0, 0]": "{first}", "[1, 0, 0]": "{second}"}}}}, {trailing}
            "coordinates_": {{"coordInfo": {{{coordinates}}}, "coreIdToWkSlice_": {{}}}}}}"#
    )
}

/// A tensor as an operand, with the fields of its memories other than their presence.
fn operand(index: u64, label: &str, scale: &str, hbm: &str, lx: &str) -> String {
    format!(
        r#"{{"ldsIdx_": {index}, "dsName_": "Tensor{index}", "dsType_": "{label}", "scale_": [{scale}],
            "wordLength": 2, "dataFormat_": "SEN169_FP16",
            "memOrg_": {{"hbm": {{"isPresent": 1{hbm}}}, "lx": {{"isPresent": 1{lx}}}}}}}"#
    )
}

/// The same with the keys of pools and `conv2d`.
fn placed(index: u64, label: &str, scale: &str, padded: u64) -> String {
    let keys = |place: &str| {
        format!(
            r#", "isPadded": {padded}, "isZeroPadded": 0, "dsOffset": 0, "allocateNode_": "{place}""#
        )
    };
    let hbm = keys(&format!("allocate-Tensor{index}_hbm"));
    operand(index, label, scale, &hbm, &keys(""))
}

/// The numbers of a file that differ between operations.
struct File<'a> {
    op: &'a str,
    unit: &'a str,
    /// Slices per dimension, and the slices of each core.
    slices: &'a str,
    cores: [&'a str; 2],
    extents: &'a str,
    part: &'a str,
    padding: &'a str,
    part_padding: &'a str,
    layouts: &'a str,
    /// The text after the layouts.
    relation: &'a str,
    nodes: &'a [String],
    operands: &'a [String],
    constants: &'a str,
    inputs: &'a str,
    output: &'a str,
}

impl File<'_> {
    fn text(&self) -> String {
        let Self {
            op,
            unit,
            slices,
            cores: [first, second],
            extents,
            part,
            padding,
            part_padding,
            layouts,
            relation,
            constants,
            inputs,
            output,
            ..
        } = self;
        let (nodes, operands) = (self.nodes.join(", "), self.operands.join(", "));
        let stage = format!(
            r#"{{"name_": "core", {part}, "symbolicDimInfo_": {{}}, "maxSymbolicVolume_": {{}}, "coreletSplit_": {{}},
                "rowSplit_": {{}}, "peSfpSplit_": {{}}, "paddingSizes_": {part_padding}}}"#
        );
        format!(
            r#"{{"0_{op}": {{"debug_handle_": null, "sdscFoldProps_": [{{"factor_": 1, "label_": "time"}}],
            "sdscFolds_": {{"dim_prop_func": [{{"Affine": {{"alpha_": 1, "beta_": 0}}}}],
                "dim_prop_attr": [{{"factor_": 1, "label_": "time"}}], "data_": {{"[0]": "0"}}}},
            "coreFoldProp_": {{"factor_": 2, "label_": "core"}}, "coreletFoldProp_": {{"factor_": 1, "label_": "corelet"}},
            "numCoresUsed_": 2, "coreIdToDsc_": {{"0": 0, "1": 0}}, "numWkSlicesPerDim_": {slices},
            "coreIdToWkSlice_": {{"0": {first}, "1": {second}}},
            "coreIdToDscSchedule": {{"0": [[-1, 0, 0, 0]], "1": [[-1, 0, 0, 0]]}},
            "dscs_": [{{"{op}": {{"numCoresUsed_": 2, "numCoreletsUsed_": 1, "coreIdsUsed_": [0, 1],
                "N_": {{"name_": "n", {extents}, "paddingSizes_": {padding}}},
                "coordinateMasking_": {{}}, "maskingConstId_": -1,
                "dataStageParam_": {{"0": {{"ss_": {stage}, "el_": {stage}}}}},
                "primaryDsInfo_": {layouts}, {relation}
                "scheduleTree_": [{nodes}], "labeledDs_": [{operands}], "constantInfo_": {constants},
                "computeOp_": [{{"exUnit": "{unit}", "opFuncName": "{op}",
                    "attributes_": {{"dataFormat_": "SEN169_FP16", "fidelity_": "regular"}}, "location": "Inner",
                    "inputLabeledDs": [{inputs}], "outputLabeledDs": [{output}]}}]}}}}]}}}}"#
        )
    }
}

/// Means of 2 x 2 windows, 2 apart, of an image [4, 6] with 64 channels: an image [2, 3].
///
/// Roles in the order of pools are mb, i, j, out, ki, kj. There is one image, so mb is left out. Both tensors are
/// [height, width, 1, 64]: innermost first, out, j, i, and the input has kj and ki besides, as offsets in j and i. The
/// output gets them as reduced dimensions, so both have one layout, the first of the list: OUTPUT. It is printed
/// without windows.
///
/// Two cores share the height. totalSize_ is (2 - 1) * 2 + 2 = 4 and (3 - 1) * 2 + 2 = 6. A core reads 4 / 2 = 2 rows of
/// the input, 2 after the rows of the core before it, and writes one.
#[test]
fn pool_file() {
    let padding = r#"{
        "i": {"padFront_": 0, "padBack_": 0, "totalSize_": 4, "stride_": 2, "dilation_": 1, "windowDim_": "ki"},
        "j": {"padFront_": 0, "padBack_": 0, "totalSize_": 6, "stride_": 2, "dilation_": 1, "windowDim_": "kj"}}"#;
    let walked = format!(r#""padding_": {{"i": "{FULL_SPAN}", "j": "{FULL_SPAN}"}},"#);
    let dims = r#""out", "j", "i""#;
    let file = File {
        op: "avgpoolfwd",
        unit: "sfp",
        slices: r#"{"i": 2, "j": 1, "out": 1, "ki": 1, "kj": 1}"#,
        cores: [
            r#"{"i": 0, "j": 0, "out": 0, "ki": 0, "kj": 0}"#,
            r#"{"i": 1, "j": 0, "out": 0, "ki": 0, "kj": 0}"#,
        ],
        extents: r#""i_": 2, "j_": 3, "out_": 64, "ki_": 2, "kj_": 2"#,
        part: r#""i_": 1, "j_": 3, "out_": 64, "ki_": 2, "kj_": 2"#,
        padding,
        part_padding: padding,
        layouts: r#"{"OUTPUT": {"layoutDimOrder_": ["out", "j", "i"], "stickDimOrder_": ["out"], "stickSize_": [64],
            "stickRepl_": [1]}}"#,
        relation: r#""pdsRelation_": {"isPdsReuse": 1},"#,
        nodes: &[
            node(
                0,
                ["", &walked],
                dims,
                // The second core starts 2 rows of 6 * 64 elements further: another symbol.
                [-1, -2],
                &[
                    stick("out", 64),
                    line("j", FULL_SPAN, 6, 1, 6),
                    line("i", FULL_SPAN, 2, 2, 2),
                ],
            ),
            node(
                1,
                ["", ""],
                dims,
                [-3, -4],
                &[
                    stick("out", 64),
                    line("j", "nopad", 3, 1, 3),
                    line("i", "nopad", 1, 2, 1),
                ],
            ),
        ],
        operands: &[
            placed(0, "OUTPUT", "1, 1, 1", 1),
            placed(1, "OUTPUT", "1, 1, 1", 0),
        ],
        // 0.25 = 2^-2: exponent 31 - 2 = 29 above 9 bits of mantissa, 29 * 512.
        constants: r#"{"0": {"dataFormat_": "SEN169_FP16", "name_": "nmap", "data_": {
            "dim_prop_func": [{"Const": {}}, {"Const": {}}, {"Map": {}}],
            "dim_prop_attr": [{"factor_": 2, "label_": "core"}, {"factor_": 1, "label_": "corelet"},
                {"factor_": 1, "label_": "time"}],
            "data_": {"[0, 0, 0]": [14848]}}}}"#,
        // A pool has one input: it does not list its output as an accumulator.
        inputs: r#""Tensor0-idx0""#,
        output: r#""Tensor1-idx1""#,
    };
    check(pool(2), &file.text());
}

/// 3 x 3 windows of two images [6, 4] with 64 channels, to 128 channels: two images [4, 2].
///
/// The symbols come as batch, output channels, height, width, input channels, window; their parts are found by where
/// they occur. The input is [height, width, 1, batch, 64]: innermost first mb, in, j, i, and without its windows. The
/// weight is [3, 3, 2, 64, 64]: in, out, kj, ki; it keeps the windows. The labels are the ones of matrix
/// multiplications.
///
/// Two cores share the height: each computes 2 rows from (2 - 1) * 1 + 3 = 4 rows of the input, which are 2 * 1 after
/// the rows of the core before it. All of the width is (2 - 1) * 1 + 3 = 4, and the next part would be 2 * 1 further.
#[test]
fn conv_file() {
    let padding = r#"{
        "i": {"padFront_": 0, "padBack_": 0, "totalSize_": 6, "stride_": 1, "dilation_": 1, "windowDim_": "ki"},
        "j": {"padFront_": 0, "padBack_": 0, "totalSize_": 4, "stride_": 1, "dilation_": 1, "windowDim_": "kj"}}"#;
    let walked = format!(r#""padding_": {{"i": "{FULL_SPAN}", "j": "{FULL_SPAN}"}},"#);
    let four = "1, 1, 1, 1";
    let file = File {
        op: "conv2d",
        unit: "pt",
        slices: r#"{"mb": 1, "out": 1, "i": 2, "j": 1, "in": 1, "ki": 1, "kj": 1}"#,
        cores: [
            r#"{"mb": 0, "out": 0, "i": 0, "j": 0, "in": 0, "ki": 0, "kj": 0}"#,
            r#"{"mb": 0, "out": 0, "i": 1, "j": 0, "in": 0, "ki": 0, "kj": 0}"#,
        ],
        extents: r#""mb_": 2, "out_": 128, "i_": 4, "j_": 2, "in_": 64, "ki_": 3, "kj_": 3"#,
        part: r#""mb_": 2, "out_": 128, "i_": 2, "j_": 2, "in_": 64, "ki_": 3, "kj_": 3"#,
        padding,
        part_padding: padding,
        layouts: r#"{
            "INPUT": {"layoutDimOrder_": ["mb", "in", "j", "i"], "stickDimOrder_": ["in"], "stickSize_": [64],
                "stickRepl_": [1]},
            "KERNEL": {"layoutDimOrder_": ["in", "out", "kj", "ki"], "stickDimOrder_": ["out"], "stickSize_": [64],
                "stickRepl_": [1]},
            "OUTPUT": {"layoutDimOrder_": ["mb", "out", "j", "i"], "stickDimOrder_": ["out"], "stickSize_": [64],
                "stickRepl_": [1]}}"#,
        relation: r#""pdsRelation_": {"isPdsReuse": 1},"#,
        nodes: &[
            node(
                0,
                ["", &walked],
                r#""mb", "in", "j", "i""#,
                [-1, -2],
                &[
                    line("mb", "nopad", 2, 1, 2),
                    stick("in", 64),
                    line("j", FULL_SPAN, 2, 1, 4),
                    line("i", FULL_SPAN, 2, 2, 4),
                ],
            ),
            node(
                1,
                ["", ""],
                r#""in", "out", "kj", "ki""#,
                // Both cores read the whole weight.
                [-3, -3],
                &[
                    line("in", "nopad", 64, 1, 64),
                    stick("out", 128),
                    line("kj", "nopad", 3, 1, 3),
                    line("ki", "nopad", 3, 1, 3),
                ],
            ),
            node(
                2,
                ["", ""],
                r#""mb", "out", "j", "i""#,
                [-4, -5],
                &[
                    line("mb", "nopad", 2, 1, 2),
                    stick("out", 128),
                    line("j", "nopad", 2, 1, 2),
                    line("i", "nopad", 2, 2, 2),
                ],
            ),
        ],
        operands: &[
            placed(0, "INPUT", four, 1),
            placed(1, "KERNEL", four, 1),
            placed(2, "OUTPUT", four, 0),
        ],
        constants: r#""{}""#,
        inputs: r#""Tensor0-idx0", "Tensor1-idx1""#,
        output: r#""Tensor2-idx2""#,
    };
    check(conv(1, 2), &file.text());
}

/// 3 x 3 windows of an image [6, 5] with 64 channels, 1 apart in the height and 2 in the width, channel by channel: an
/// image [4, 2].
///
/// Roles in the order of depthwise convolutions are mb, out, i, j, ki, kj; there is one image, so mb is left out. The
/// input and the output are [height, width, 1, 64]: out, j, i, one layout, with the first label, OUTPUT. The weight is
/// [3, 3, 1, 64]: out, kj, ki, with the second, INPUT. Windows are in no other layout, so no dimension is hidden.
///
/// All of the input is needed: (4 - 1) * 1 + 3 = 6 and (2 - 1) * 2 + 3 = 5. Two cores share the height: each computes 2
/// rows from (2 - 1) * 1 + 3 = 4. In coordinates a part of the input has rows * stride + kernel - 1 elements, that is
/// 2 * 1 + 2 = 4 and 2 * 2 + 2 = 6, and parts are 2 * 1 and 2 * 2 apart.
#[test]
fn depthwise_file() {
    let sizes = |i: u64| {
        let none = r#""padFront_": 0, "padBack_": 0, "unneededPad_": 0, "unneededPadFront_": 0, "unneededPadBack_": 0"#;
        format!(
            r#"{{"i": {{{none}, "totalSize_": {i}, "stride_": 1, "dilation_": 1, "windowDim_": "ki"}},
                "j": {{{none}, "totalSize_": 5, "stride_": 2, "dilation_": 1, "windowDim_": "kj"}}}}"#
        )
    };
    let walked = format!(r#""padding_": {{"i": "{FULL_SPAN}", "j": "{FULL_SPAN}"}},"#);
    let padded = r#", "isPadded": 1, "isZeroPadded": 0"#;
    let (image, three) = (r#""out", "j", "i""#, "1, 1, 1");
    let file = File {
        op: "depthwiseconv2dnative",
        unit: "sfp",
        slices: r#"{"out": 1, "i": 2, "j": 1, "ki": 1, "kj": 1}"#,
        cores: [
            r#"{"out": 0, "i": 0, "j": 0, "ki": 0, "kj": 0}"#,
            r#"{"out": 0, "i": 1, "j": 0, "ki": 0, "kj": 0}"#,
        ],
        extents: r#""out_": 64, "i_": 4, "j_": 2, "ki_": 3, "kj_": 3"#,
        part: r#""out_": 64, "i_": 2, "j_": 2, "ki_": 3, "kj_": 3"#,
        padding: &sizes(6),
        part_padding: &sizes(4),
        layouts: r#"{
            "OUTPUT": {"layoutDimOrder_": ["out", "j", "i"], "stickDimOrder_": ["out"], "stickSize_": [64]},
            "INPUT": {"layoutDimOrder_": ["out", "kj", "ki"], "stickDimOrder_": ["out"], "stickSize_": [64]}}"#,
        relation: "",
        nodes: &[
            node(
                0,
                [&walked, ""],
                image,
                [-1, -2],
                &[
                    stick("out", 64),
                    line("j", FULL_SPAN, 4, 1, 6),
                    line("i", FULL_SPAN, 2, 2, 4),
                ],
            ),
            node(
                1,
                ["", ""],
                r#""out", "kj", "ki""#,
                [-3, -3],
                &[
                    stick("out", 64),
                    line("kj", "nopad", 3, 1, 3),
                    line("ki", "nopad", 3, 1, 3),
                ],
            ),
            node(
                2,
                ["", ""],
                image,
                [-4, -5],
                &[
                    stick("out", 64),
                    line("j", "nopad", 2, 1, 2),
                    line("i", "nopad", 2, 2, 2),
                ],
            ),
        ],
        operands: &[
            operand(0, "OUTPUT", three, padded, padded),
            operand(1, "INPUT", three, "", ""),
            operand(2, "OUTPUT", three, "", ""),
        ],
        constants: r#""{}""#,
        // The convolution adds to its output, which is therefore an input too.
        inputs: r#""Tensor0-idx0", "Tensor1-idx1", "Tensor2-idx2""#,
        output: r#""Tensor2-idx2""#,
    };
    check(depthwise(2), &file.text());
}

/// The second core's parts, in bytes: rows of the input and of the output are `width * channels * 2` long.
#[test]
fn cores_start_at_their_rows() {
    let offsets = |op: &OpSpec, tensor| core_offsets(&plan_op(op), tensor);
    // The pool reads 2 rows of 6 * 64 per core, and writes 1 of 3 * 64.
    assert_eq!(offsets(&pool(2), 0), [0, 2 * 6 * 64 * 2]);
    assert_eq!(offsets(&pool(2), 1), [0, 3 * 64 * 2]);
    // Two images are side by side inside a column.
    assert_eq!(offsets(&conv(1, 2), 0), [0, 2 * 4 * 2 * 64 * 2]);
    assert_eq!(offsets(&conv(1, 2), 1), [0, 0]);
    assert_eq!(offsets(&conv(1, 2), 2), [0, 2 * 2 * 2 * 2 * 64 * 2]);
    assert_eq!(offsets(&conv(2, 1), 0), [0, 64 * 2]);
    assert_eq!(offsets(&depthwise(2), 0), [0, 2 * 5 * 64 * 2]);
    assert_eq!(offsets(&depthwise(2), 2), [0, 2 * 2 * 64 * 2]);
}

/// The entries of `paddingSizes_` of the whole operation and of a core, by the contract: totals by dimension.
fn totals(op: OpSpec) -> [Vec<(String, u64)>; 2] {
    let bundle = compile(&[op.into()]);
    let sdsc = bundle.sdsc_files()[0].sdsc();
    let bodies = sdsc.root.iter().flat_map(|(_, body)| &body.dscs);
    let mut dscs = bodies.flat_map(|dsc| dsc.iter().map(|(_, dsc)| dsc));
    let dsc = dscs.next().unwrap_or_else(|| panic!("no description"));
    let stages = dsc.data_stage_param.iter().map(|(_, stages)| &stages.ss);
    let core = stages.filter_map(|stage| Some(&stage.details.as_ref()?.padding_sizes));
    let read = |sizes: &spyre_sdsc::sdsc::Named<spyre_sdsc::sdsc::PaddingSizes>| {
        let sizes = sizes.iter();
        sizes
            .map(|(dim, size)| (dim.to_string(), size.total_size))
            .collect()
    };
    [
        dsc.extents.padding_sizes.as_ref().map_or(vec![], read),
        core.map(read).next().unwrap_or_default(),
    ]
}

#[test]
fn a_core_has_the_total_of_its_own_windows() {
    let sizes = |list: &[(&str, u64)]| -> Vec<(String, u64)> {
        list.iter()
            .map(|(dim, size)| ((*dim).to_owned(), *size))
            .collect()
    };
    // 4 windows of 3 rows over 2 cores: 6 rows, of which a core reads 4. Pools of 2 rows: 4, and 2.
    assert_eq!(
        totals(conv(1, 2)),
        [sizes(&[("i", 6), ("j", 4)]), sizes(&[("i", 4), ("j", 4)])]
    );
    assert_eq!(
        totals(pool(2)),
        [sizes(&[("i", 4), ("j", 6)]), sizes(&[("i", 2), ("j", 6)])]
    );
    assert_eq!(
        totals(depthwise(2)),
        [sizes(&[("i", 6), ("j", 5)]), sizes(&[("i", 4), ("j", 5)])]
    );
    // The backend stops at the entry of a window of one element.
    assert_eq!(totals(depthwise_of([4, 4], [1, 1, 0])), [vec![], vec![]]);
}

//! Small pools and convolutions.

use spyre_sdsc::codegen::{Descriptor, WindowPlan};
use spyre_sdsc::windows::PadType;
use spyre_sdsc::{Expr, Json, OpSpec, TensorArg};

use super::tensor;

/// An operation with dimensions `c0`, `c1` ... of these extents and slices.
pub(crate) fn over(op: &str, dims: &[(i64, u64)]) -> OpSpec {
    let spec = OpSpec::reduction(op);
    dims.iter()
        .enumerate()
        .fold(spec, |spec, (i, (extent, slices))| {
            spec.with_dim(format!("c{i}"), Expr::int(*extent), *slices)
        })
}

/// The operation with inputs and, last, the output.
pub(crate) fn with_tensors(op: OpSpec, tensors: Vec<TensorArg>) -> OpSpec {
    let last = tensors.len() - 1;
    let tensors = tensors.into_iter().enumerate();
    tensors.fold(op, |op, (i, tensor)| match i == last {
        true => op.with_output(tensor),
        false => op.with_input(tensor),
    })
}

/// The extents of the output, as `[N, C, H, W]`.
pub(crate) fn with_ranges(mut op: OpSpec, ranges: [i64; 4]) -> OpSpec {
    op.node_output_ranges = ranges.map(Expr::int).to_vec();
    op
}

/// `conv_params` from JSON.
pub(crate) fn with_params(mut op: OpSpec, params: &str) -> OpSpec {
    let params: Json = serde_json::from_str(params).unwrap_or_else(|error| panic!("{error}"));
    op.op_info.other.insert("conv_params".into(), params);
    op
}

/// Sets one of `conv_params`.
pub(crate) fn set_param(op: &mut OpSpec, key: &str, value: Json) {
    match op.op_info.other.get("conv_params").cloned() {
        Some(Json::Object(mut params)) => {
            params.insert(key.into(), value);
            let params = Json::Object(params);
            op.op_info.other.insert("conv_params".into(), params);
        }
        other => panic!("no parameters: {other:?}"),
    }
}

/// A number in JSON.
pub(crate) fn number(value: u64) -> Json {
    Json::Number(value.into())
}

/// The mean of 2 x 2 windows of an image of 4 x 6 with 64 channels; `slices` divide the height.
pub(crate) fn pool(slices: u64) -> OpSpec {
    let op = over(
        "avgpoolfwd",
        &[(2, slices), (3, 1), (64, 1), (2, 1), (2, 1)],
    );
    let input = ["2*c0 + c3", "2*c1 + c4", "floor(c2/64)", "Mod(c2, 64)"];
    let output = ["c0", "c1", "floor(c2/64)", "Mod(c2, 64)"];
    let tensors = vec![
        tensor(0, &[4, 6, 1, 64], &input),
        tensor(1, &[2, 3, 1, 64], &output),
    ];
    let constants = [
        ("kernel_h", 2.0),
        ("kernel_w", 2.0),
        ("stride_h", 2.0),
        ("stride_w", 2.0),
        ("pad_h", 0.0),
        ("pad_w", 0.0),
        ("scaling_factor", 0.25),
    ];
    let op = with_ranges(with_tensors(op, tensors), [1, 64, 2, 3]);
    constants
        .into_iter()
        .fold(op, |op, (name, value)| op.with_constant(name, value))
}

/// 3 x 3 windows of two images of 6 x 4 with 64 channels, to 128 channels. The slices of the batch and of the height.
pub(crate) fn conv(batch: u64, height: u64) -> OpSpec {
    let dims = [
        (2, batch),
        (128, 1),
        (4, height),
        (2, 1),
        (64, 1),
        (3, 1),
        (3, 1),
    ];
    let input = ["c2 + c5", "c3 + c6", "floor(c4/64)", "c0", "Mod(c4, 64)"];
    let weight = ["c5", "c6", "floor(c1/64)", "c4", "Mod(c1, 64)"];
    let output = ["c2", "c3", "floor(c1/64)", "c0", "Mod(c1, 64)"];
    let tensors = vec![
        tensor(0, &[6, 4, 1, 2, 64], &input),
        tensor(1, &[3, 3, 2, 64, 64], &weight),
        tensor(2, &[4, 2, 2, 2, 64], &output),
    ];
    let op = with_tensors(over("conv2d", &dims), tensors);
    with_params(
        with_ranges(op, [2, 128, 4, 2]),
        r#"{"kernel_h": 3, "kernel_w": 3, "stride_h": 1, "stride_w": 1, "pad_h": 0, "pad_w": 0, "dil_h": 1, "dil_w": 1}"#,
    )
}

/// 3 x 3 windows of an image of 6 x 5 with 64 channels, 2 apart in the width, channel by channel. The slices of the
/// height.
pub(crate) fn depthwise(height: u64) -> OpSpec {
    let dims = [(64, 1), (4, height), (2, 1), (3, 1), (3, 1)];
    let image = ["c1", "c2", "floor(c0/64)", "Mod(c0, 64)"];
    let weight = ["c3", "c4", "floor(c0/64)", "Mod(c0, 64)"];
    let tensors = vec![
        tensor(0, &[6, 5, 1, 64], &image),
        tensor(1, &[3, 3, 1, 64], &weight),
        tensor(2, &[4, 2, 1, 64], &image),
    ];
    let op = with_tensors(over("depthwiseconv2dnative", &dims), tensors);
    with_params(
        with_ranges(op, [1, 64, 4, 2]),
        r#"{"stride_i": 1, "stride_j": 2, "pad_i": 0, "pad_j": 0, "dilation_i": 1, "dilation_j": 1,
            "total_size_i": 6, "total_size_j": 5, "kernel_h": 3, "kernel_w": 3,
            "pad_type": "padded_fullspan_wunneeded"}"#,
    )
}

/// A depthwise convolution of one image [height, width] with 64 channels.
pub(crate) fn depthwise_of([height, width]: [u64; 2], [k, s, pad]: [u64; 3]) -> OpSpec {
    let outputs = |size: u64| ((size + 2 * pad - k) / s + 1) as i64;
    let (out_h, out_w) = (outputs(height), outputs(width));
    let mut op = over(
        "depthwiseconv2dnative",
        &[
            (64, 1),
            (out_h, 1),
            (out_w, 1),
            (k as i64, 1),
            (k as i64, 1),
        ],
    );
    let image = ["c1", "c2", "floor(c0/64)", "Mod(c0, 64)"];
    let weight = ["c3", "c4", "floor(c0/64)", "Mod(c0, 64)"];
    op = with_tensors(
        op,
        vec![
            tensor(0, &[height, width, 1, 64], &image),
            tensor(1, &[k, k, 1, 64], &weight),
            tensor(2, &[out_h as u64, out_w as u64, 1, 64], &image),
        ],
    );
    let pad_type = if pad > 0 {
        PadType::NoZeroPad
    } else {
        PadType::FullSpan
    };
    let (total_h, total_w) = (height + 2 * pad, width + 2 * pad);
    with_params(
        with_ranges(op, [1, 64, out_h, out_w]),
        &format!(
            r#"{{"stride_i": {s}, "stride_j": {s}, "pad_i": {pad}, "pad_j": {pad}, "total_size_i": {total_h},
                "total_size_j": {total_w}, "kernel_h": {k}, "kernel_w": {k}, "pad_type": "{}"}}"#,
            pad_type.as_str()
        ),
    )
}

/// Returns the part of a file about windows.
pub(crate) fn windows(descriptor: &Descriptor) -> &WindowPlan {
    let windows = descriptor.windows.as_ref();
    windows.unwrap_or_else(|| panic!("{descriptor:?} has no windows"))
}

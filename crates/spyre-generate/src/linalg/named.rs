//! Steps that are a named operation with windows.

use super::{Draw, INPUT, LARGEST, ty};

/// Draws a convolution or a pooling, over one or two dimensions, with steps and dilations.
pub(super) fn window(draw: &mut Draw) -> bool {
    let step = draw.numbers.between(1, 2);
    let dilation = if draw.numbers.one_in(4) { 2 } else { 1 };
    let kernel = draw.numbers.between(1, 3);
    let result_count = draw.numbers.pick(&[1, 2, 4, 7]);
    let extent = (result_count - 1) * step
        + (kernel - 1) * dilation
        + 1
        + draw.numbers.below(2) * (step - 1);
    let channels = draw.numbers.pick(&[1, 4, 16, 32, 64]);
    let filters = draw.numbers.pick(&[1, 8, 32, 64]);
    let batch = draw.numbers.between(1, 2);
    let element = draw.element;
    let pair = format!(
        "dilations = dense<{dilation}> : tensor<2xi64>, strides = dense<{step}> : tensor<2xi64>"
    );
    let single = format!(
        "dilations = dense<{dilation}> : tensor<1xi64>, strides = dense<{step}> : tensor<1xi64>"
    );
    let (name, attributes, input, weights, output, terms, start) = match draw.numbers.below(7) {
        0 => (
            "conv_1d_nwc_wcf",
            single,
            vec![batch, extent, channels],
            vec![kernel, channels, filters],
            vec![batch, result_count, filters],
            kernel * channels,
            "0.0",
        ),
        1 => (
            "conv_2d_nhwc_hwcf",
            pair,
            vec![batch, extent, extent, channels],
            vec![kernel, kernel, channels, filters],
            vec![batch, result_count, result_count, filters],
            kernel * kernel * channels,
            "0.0",
        ),
        2 => (
            "conv_2d_nchw_fchw",
            pair,
            vec![batch, channels, extent, extent],
            vec![filters, channels, kernel, kernel],
            vec![batch, filters, result_count, result_count],
            kernel * kernel * channels,
            "0.0",
        ),
        3 => (
            "depthwise_conv_2d_nhwc_hwc",
            pair,
            vec![batch, extent, extent, channels],
            vec![kernel, kernel, channels],
            vec![batch, result_count, result_count, channels],
            kernel * kernel,
            "0.0",
        ),
        4 => (
            "pooling_nhwc_sum",
            pair,
            vec![batch, extent, extent, channels],
            vec![kernel, kernel],
            vec![batch, result_count, result_count, channels],
            kernel * kernel,
            "0.0",
        ),
        5 => (
            "pooling_nchw_max",
            pair,
            vec![batch, channels, extent, extent],
            vec![kernel, kernel],
            vec![batch, channels, result_count, result_count],
            1,
            if element == super::Element::F32 {
                "0xFF800000"
            } else {
                "0xFC00"
            },
        ),
        _ => (
            "pooling_nhwc_min",
            pair,
            vec![batch, extent, extent, channels],
            vec![kernel, kernel],
            vec![batch, result_count, result_count, channels],
            1,
            if element == super::Element::F32 {
                "0x7F800000"
            } else {
                "0x7C00"
            },
        ),
    };
    let is_pooling = name.starts_with("pooling");
    let bound = if is_pooling {
        INPUT * terms
    } else {
        INPUT * INPUT * terms
    };
    if bound > LARGEST {
        return false;
    }
    let source = draw.argument(&input, element);
    let weights_value = if is_pooling {
        draw.empty(&weights, element)
    } else {
        draw.argument(&weights, element).name
    };
    let start = draw.filled(start, &output, element);
    let (a, b, c) = (
        ty(&input, element),
        ty(&weights, element),
        ty(&output, element),
    );
    let text = format!(
        "linalg.{name} {{{attributes}}} ins({}, {weights_value} : {a}, {b}) outs({start} : {c}) -> {c}",
        source.name
    );
    draw.make(&output, element, bound, &text);
    true
}

//! Steps that are a named operation with windows.

use super::{Draw, Element, INPUT, LARGEST, inside, ty};

/// A convolution or a pooling.
struct WindowOperation {
    name: &'static str,
    /// The number of dimensions of a window.
    rank: usize,
    /// The shapes of the operands and the result.
    input: Vec<u64>,
    weights: Vec<u64>,
    output: Vec<u64>,
    /// The number of terms of a sum.
    terms: u64,
    /// The value that each result starts with.
    start: &'static str,
}

impl WindowOperation {
    fn is_pooling(&self) -> bool {
        self.name.starts_with("pooling")
    }

    /// Returns the largest magnitude of the results.
    fn bound(&self) -> u64 {
        if self.is_pooling() {
            INPUT * self.terms
        } else {
            INPUT * INPUT * self.terms
        }
    }
}

/// The extents of an operation with windows.
struct Extents {
    batch: u64,
    channels: u64,
    filters: u64,
    /// The extent of a window.
    kernel: u64,
    /// The extents of the input and the result, along each dimension of a window.
    input: u64,
    output: u64,
}

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
    let extents = Extents {
        channels: draw.numbers.pick(&[1, 4, 16, 32, 64]),
        filters: draw.numbers.pick(&[1, 8, 32, 64]),
        batch: draw.numbers.between(1, 2),
        kernel,
        input: extent,
        output: result_count,
    };
    let element = draw.element;
    let operation = match draw.numbers.below(7) {
        number @ 0..4 => convolution(number, &extents),
        number => pooling(number, &extents, element),
    };
    let bound = operation.bound();
    if bound > LARGEST {
        return false;
    }
    let source = draw.argument(&operation.input, element);
    let weights = if operation.is_pooling() {
        draw.empty(&operation.weights, element)
    } else {
        draw.argument(&operation.weights, element).name
    };
    let is_sum = operation.start == "0.0" && bound + inside::MOST_NUMBER <= LARGEST;
    let (start, bound) = match is_sum && draw.numbers.one_in(4) {
        true => {
            let (start, most) = inside::start(draw, &operation.output, element);
            (start, bound + most)
        }
        false => (
            draw.filled(operation.start, &operation.output, element),
            bound,
        ),
    };
    let (a, b, c) = (
        ty(&operation.input, element),
        ty(&operation.weights, element),
        ty(&operation.output, element),
    );
    let (name, rank) = (operation.name, operation.rank);
    let text = format!(
        "linalg.{name} {{dilations = dense<{dilation}> : tensor<{rank}xi64>, strides = dense<{step}> : tensor<{rank}xi64>}} \
         ins({}, {weights} : {a}, {b}) outs({start} : {c}) -> {c}",
        source.name
    );
    draw.make(&operation.output, element, bound, &text);
    true
}

fn convolution(number: u64, extents: &Extents) -> WindowOperation {
    let Extents {
        batch,
        channels,
        filters,
        kernel,
        input: extent,
        output: result_count,
    } = *extents;
    let (name, input, weights, output, terms) = match number {
        0 => (
            "conv_1d_nwc_wcf",
            vec![batch, extent, channels],
            vec![kernel, channels, filters],
            vec![batch, result_count, filters],
            kernel * channels,
        ),
        1 => (
            "conv_2d_nhwc_hwcf",
            vec![batch, extent, extent, channels],
            vec![kernel, kernel, channels, filters],
            vec![batch, result_count, result_count, filters],
            kernel * kernel * channels,
        ),
        2 => (
            "conv_2d_nchw_fchw",
            vec![batch, channels, extent, extent],
            vec![filters, channels, kernel, kernel],
            vec![batch, filters, result_count, result_count],
            kernel * kernel * channels,
        ),
        _ => (
            "depthwise_conv_2d_nhwc_hwc",
            vec![batch, extent, extent, channels],
            vec![kernel, kernel, channels],
            vec![batch, result_count, result_count, channels],
            kernel * kernel,
        ),
    };
    WindowOperation {
        name,
        rank: if number == 0 { 1 } else { 2 },
        input,
        weights,
        output,
        terms,
        start: "0.0",
    }
}

fn pooling(number: u64, extents: &Extents, element: Element) -> WindowOperation {
    let Extents {
        batch,
        channels,
        kernel,
        input: extent,
        output: result_count,
        ..
    } = *extents;
    let channels_last = |extent: u64| vec![batch, extent, extent, channels];
    let channels_first = |extent: u64| vec![batch, channels, extent, extent];
    let is_wide = element == Element::F32;
    // A search for the largest starts with the negative infinity, one for the smallest with the positive one.
    let (name, input, output, terms, start) = match number {
        4 => (
            "pooling_nhwc_sum",
            channels_last(extent),
            channels_last(result_count),
            kernel * kernel,
            "0.0",
        ),
        5 => (
            "pooling_nchw_max",
            channels_first(extent),
            channels_first(result_count),
            1,
            if is_wide { "0xFF800000" } else { "0xFC00" },
        ),
        _ => (
            "pooling_nhwc_min",
            channels_last(extent),
            channels_last(result_count),
            1,
            if is_wide { "0x7F800000" } else { "0x7C00" },
        ),
    };
    WindowOperation {
        name,
        rank: 2,
        input,
        weights: vec![kernel, kernel],
        output,
        terms,
        start,
    }
}

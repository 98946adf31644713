//! The part of an OpSpec about windows over an image, of convolutions and pools (SDSC bundle specification, section
//! 4.11).

use spyre_dialects::device_op::{DeviceOp, WalkedDim};
use spyre_sdsc::model::CORE_ID;
use spyre_sdsc::windows::{Axis, PadType, WindowOp};
use spyre_sdsc::{Expr, Json, Object, OpSpec};

use super::access::Access;
use super::coordinates::{position, symbol};

/// The dimension of the channels of a convolution's result.
const CHANNELS: usize = 3;

/// Sets the positions of an image along which windows walk. Dimensions of one element have no coordinate.
pub(super) fn walk(op: DeviceOp<'_>, positions: &mut [Option<Expr>]) {
    let space = op.iteration_space();
    let is_depthwise = WindowOp::of(op.op_func()) == Some(WindowOp::Depthwise);
    for walk in op.walked_dims() {
        let parts = [(walk.position, walk.stride), (walk.window, walk.dilation)];
        let parts = match is_depthwise {
            // Only its parameters have the strides of windows and the dilations of their elements.
            true => vec![(walk.position, 1)],
            false => parts.to_vec(),
        };
        let parts = parts.into_iter().filter(|(dim, _)| space[*dim] != 1);
        let parts = parts.map(|(dim, step)| match step {
            1 => position(dim),
            step => Expr::int(step.cast_signed()) * position(dim),
        });
        positions[walk.dim] = parts.reduce(|sum, part| sum + part);
    }
}

/// Adds the attributes of windows to an OpSpec: their parameters, and the extents of the result as `[N, C, H, W]`.
/// `split` has the cores along each dimension.
pub(super) fn add_windows(
    op: DeviceOp<'_>,
    accesses: &[Access<'_>],
    split: &[u32],
    spec: &mut OpSpec,
) {
    let [first, second] = *op.walked_dims().as_slice() else {
        return;
    };
    let walks = [first, second];
    let window_op =
        WindowOp::of(op.op_func()).expect("an operation with windows has a form in files");
    let [height, width] = match window_op {
        // A convolution names its dimensions in their order in memory, the other operations in the order of the
        // iteration space.
        WindowOp::Conv => outermost_first(walks, accesses),
        WindowOp::Pool | WindowOp::Depthwise => walks,
    };
    let space = op.iteration_space();
    spec.node_output_ranges
        .extend([0, CHANNELS, height.position, width.position].map(|dim| Expr::int(space[dim])));
    let axes = [height, width].map(|walk| Axis {
        kernel: space[walk.window].unsigned_abs(),
        stride: walk.stride,
        dilation: walk.dilation,
        pad: 0,
        total: None,
    });
    match window_op {
        WindowOp::Pool => {
            for (key, value) in pool(axes) {
                // A verified window has less than 2^31 elements along a dimension.
                spec.op_info.constants.insert(key.into(), value as f64);
            }
        }
        WindowOp::Conv => set_params(spec, numbers(&conv2d(axes))),
        WindowOp::Depthwise => {
            let positions = [height, width].map(|walk| space[walk.position].unsigned_abs());
            let mut params = numbers(&depthwise(axes, positions));
            let pad_type = PadType::FullSpan.as_str();
            params.insert("pad_type".into(), Json::String(pad_type.into()));
            set_params(spec, params);
            order_channels(split, spec);
        }
    }
}

/// Returns the dimensions of an image along which windows walk, the outer one in the result first.
fn outermost_first(walks: [WalkedDim; 2], accesses: &[Access<'_>]) -> [WalkedDim; 2] {
    let [first, second] = walks;
    let place = |walk: WalkedDim| {
        let result = accesses.last()?;
        let host = result
            .dims
            .iter()
            .position(|dim| *dim == Some(walk.position))?;
        result.operand.view.layout().device_dims_of(host).next()
    };
    match (place(first), place(second)) {
        (Some(one), Some(other)) if other < one => [second, first],
        _ => walks,
    }
}

/// Returns the parameters of a pool, which are among its constants.
fn pool([height, width]: [Axis; 2]) -> [(&'static str, u64); 6] {
    [
        ("kernel_h", height.kernel),
        ("kernel_w", width.kernel),
        ("stride_h", height.stride),
        ("stride_w", width.stride),
        ("pad_h", 0),
        ("pad_w", 0),
    ]
}

fn conv2d(axes: [Axis; 2]) -> Vec<(&'static str, u64)> {
    let [height, width] = axes;
    let dilations = [("dil_h", height.dilation), ("dil_w", width.dilation)];
    pool(axes).into_iter().chain(dilations).collect()
}

/// Returns the parameters of a depthwise convolution with these extents of the result along height and width.
fn depthwise([height, width]: [Axis; 2], positions: [u64; 2]) -> [(&'static str, u64); 10] {
    let total = |axis: Axis, positions| {
        let span = axis.span(positions);
        span.expect("windows end with the image (S29)")
    };
    [
        ("kernel_h", height.kernel),
        ("kernel_w", width.kernel),
        ("stride_i", height.stride),
        ("stride_j", width.stride),
        ("pad_i", 0),
        ("pad_j", 0),
        ("dilation_i", height.dilation),
        ("dilation_j", width.dilation),
        ("total_size_i", total(height, positions[0])),
        ("total_size_j", total(width, positions[1])),
    ]
}

fn numbers(entries: &[(&'static str, u64)]) -> Object<Json> {
    let mut params = Object::new();
    for (key, value) in entries {
        params.insert((*key).into(), Json::Number((*value).into()));
    }
    params
}

fn set_params(spec: &mut OpSpec, params: Object<Json>) {
    let other = &mut spec.op_info.other;
    other.insert("conv_params".into(), Json::Object(params));
}

/// Moves the channels of a depthwise convolution before height and width, as in the format.
fn order_channels(split: &[u32], spec: &mut OpSpec) {
    let space = &mut spec.iteration_space;
    let place = |dim: usize, space: &[spyre_sdsc::IterationDim]| {
        let symbol = symbol(dim);
        space
            .iter()
            .position(|entry| entry.symbol.as_str() == symbol)
    };
    let from = place(CHANNELS, space).expect("the channels have more than one element (S30)");
    let to = place(0, space).map_or(0, |batch| batch + 1);
    space[to..=from].rotate_right(1);
    // The passes have numbered the cores by the order of the iteration space, in which the scratchpad of a core has its part.
    let is_shared = |dim: usize| split.get(dim).is_some_and(|cores| *cores > 1);
    if !is_shared(CHANNELS) || !(is_shared(1) || is_shared(2)) {
        return;
    }
    let slices = spec.core_id_to_work_slice.get_or_insert_with(Object::new);
    let mut cores_before = 1;
    for (dim, cores) in split.iter().enumerate().filter(|(_, cores)| **cores > 1) {
        let core = Expr::symbol(CORE_ID);
        let part = match cores_before {
            1 => core,
            _ => core.floor_div(cores_before),
        };
        slices.insert(symbol(dim).into(), part.modulo(i64::from(*cores)));
        // The product is the number of cores, which fits.
        cores_before *= i64::from(*cores);
    }
}

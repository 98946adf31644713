//! Convolutions and pools: windows over images of the dimensions batch, height, width and channels.

use melior::ir::operation::OperationLike;
use spyre_mlir_rt::ir::Op;

use crate::TensorType;
use crate::read;
use crate::reduce::{Contraction, counted};
use crate::tensor::{Data, Tensor, rounded, strides, walk};

/// The steps of an image, in elements.
struct Steps {
    /// From one window to the next: along the batch, the height and the width.
    positions: [usize; 3],
    /// From one element of a window to the next: along the height and the width.
    window: [usize; 2],
    channels: usize,
}

impl Steps {
    fn from_op(op: Op<'_>, image: &Tensor) -> Result<Self, String> {
        let pair = |name: &str| match op.attribute(name).is_ok() {
            true => read::dims(op, name),
            false => Ok(vec![1, 1]),
        };
        let (apart, dilations) = (pair("strides")?, pair("dilations")?);
        let [batch, height, width, channels] = *strides(&image.ty.shape).as_slice() else {
            return Err("an image must have four dimensions".to_owned());
        };
        Ok(Self {
            positions: [batch, height * apart[0], width * apart[1]],
            window: [height * dilations[0], width * dilations[1]],
            channels,
        })
    }
}

/// Returns the sums of products of a convolution.
pub(crate) fn products(op: Op<'_>, image: &Tensor, weight: &Tensor) -> Result<Contraction, String> {
    let steps = Steps::from_op(op, image)?;
    let [batch, height, width] = steps.positions;
    let [down, right] = steps.window;
    let of_weight = strides(&weight.ty.shape);
    let (channels, along_channels, of_channel) = match *weight.ty.shape.as_slice() {
        [_, _, channels, _] => (channels, [steps.channels, of_weight[2]], 0),
        // The channel of the result is that of the image.
        [_, _, _] => (1, [0, 0], steps.channels),
        _ => return Err("a weight without a window and channels".to_owned()),
    };
    Ok(Contraction {
        firsts: [vec![batch, height, width, of_channel], vec![0, 0, 0, 1]],
        summed: vec![channels, weight.ty.shape[0], weight.ty.shape[1]],
        along: [
            vec![along_channels[0], down, right],
            vec![along_channels[1], of_weight[0], of_weight[1]],
        ],
    })
}

/// Computes `result[n, y, x, f] = sum over c, i, j of image[n, sy * y + dy * i, sx * x + dx * j, c] * weight[i, j, c, f]`, the
/// elements of the window fastest; of a weight without filters, `result[n, y, x, c]` with the channel in place of `f`.
pub(crate) fn convolution(
    op: Op<'_>,
    image: &Tensor,
    weight: &Tensor,
    ty: &TensorType,
) -> Result<Data, String> {
    products(op, image, weight)?.floats((image, weight), ty)
}

/// Combines the elements of each window of a channel in ascending order, in `f32`.
pub(crate) fn pool(
    op: Op<'_>,
    start: f32,
    combine: fn(f32, f32) -> f32,
    is_average: bool,
    image: &Tensor,
    ty: &TensorType,
) -> Result<Data, String> {
    let from = image.floats()?;
    let mut result = Vec::new();
    each_window(op, image, ty, |positions| {
        let elements = positions.iter().map(|at| from[*at]);
        let total = elements.fold(start, combine);
        #[expect(clippy::cast_precision_loss, reason = "exact below 2^24")]
        let count = positions.len() as f32;
        let total = if is_average { total / count } else { total };
        result.push(rounded(ty.element, total));
    })?;
    counted(ty, Data::Floats(result))
}

/// Visits the positions of the elements of each window of a channel, in ascending order.
pub(crate) fn each_window(
    op: Op<'_>,
    image: &Tensor,
    ty: &TensorType,
    mut visit: impl FnMut(&[usize]),
) -> Result<(), String> {
    let steps = Steps::from_op(op, image)?;
    let window = read::dims(op, "window")?;
    let [batch, height, width] = steps.positions;
    let firsts: [usize; 4] = [batch, height, width, steps.channels];
    let mut positions = Vec::new();
    walk(&ty.shape, &[&firsts], &[0], |first| {
        positions.clear();
        walk(&window, &[&steps.window], first, |at| positions.push(at[0]));
        visit(&positions);
    });
    Ok(())
}

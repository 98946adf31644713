//! Convolutions, and their gradients.
//!
//! A gradient of a convolution is a contraction as well. The image's is the convolution of the result's gradient, with
//! `stride - 1` zeros after each of its elements, by the reversed kernel; the kernel's is the sum of products of the
//! result's gradient and of the image's elements in its windows; the bias's is the sum over all dimensions except the
//! channels.

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use spyre_construct::build::{element_of, element_type};
use spyre_construct::structured::map;
use spyre_dialects::attr;
use spyre_index_expr::{Expr, Overflow};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ods::arith;

use super::super::{Graph, error, result};
use super::var;

/// How the windows of a convolution lie on its image.
struct Windows {
    /// The extents of the image: `[n, c, ...]`.
    image: Vec<Expr>,
    /// The extents of the kernel: `[f, c / groups, ...]`.
    kernel: Vec<i64>,
    /// The elements of the image from a window to the next one, along each dimension.
    stride: Vec<i64>,
    /// The zeros before the image and after it.
    padding: Vec<i64>,
    /// The elements of the image from an element of a window to the next one.
    dilation: Vec<i64>,
    groups: i64,
}

impl Windows {
    /// Returns the number of dimensions of the image without the batch and the channels.
    fn spatial(&self) -> usize {
        self.image.len() - 2
    }

    /// Returns the number of windows along a dimension, if its extent is a number.
    fn count(&self, dim: usize) -> Option<i128> {
        let wide = i128::from;
        let padded = wide(self.image[dim + 2].as_constant()?) + 2 * wide(self.padding[dim]);
        let reach = wide(self.dilation[dim]) * (wide(self.kernel[dim + 2]) - 1);
        Some((padded - reach - 1).div_euclid(wide(self.stride[dim])) + 1)
    }

    /// Returns where in the image an element of a window is, along a dimension: the loops `window` and `step` number these.
    fn place(&self, dim: usize, (window, step): (usize, usize)) -> Result<Expr, Overflow> {
        let at = var(window).scale(self.stride[dim])?;
        let step = var(step).scale(self.dilation[dim])?;
        at.add(&step)?.add(&Expr::constant(-self.padding[dim]))
    }

    /// Returns the channel of the image with the index `inner` in the group of the result's channel `channel`; both are
    /// loops.
    fn channel(&self, (channel, inner): (usize, usize)) -> Result<Expr, Overflow> {
        if self.groups == 1 {
            return Ok(var(inner));
        }
        let group = var(channel).quotient(Expr::constant(self.kernel[0] / self.groups));
        group.scale(self.kernel[1])?.add(&var(inner))
    }
}

impl<'p> Graph<'p> {
    /// Returns the windows of a convolution of an image by a kernel. Its strides are the argument `first`, and the others are after.
    fn windows(
        &self,
        op: Op<'p>,
        (image, kernel): (Vec<Expr>, Vec<Expr>),
        first: usize,
    ) -> Result<Windows, Diagnostic<'p>> {
        let rank = image.len();
        if rank < 3 || kernel.len() != rank {
            return Err(error(
                op,
                format!(
                    "an image of extents {image:?} cannot be convolved with a kernel of {kernel:?}"
                ),
            ));
        }
        let kernel = self.all_fixed(op, &kernel)?;
        let list = |name: &str, place: usize| -> Option<Vec<i64>> {
            let list = attr::elements(self.argument(op, name, place)?);
            list.into_iter().map(attr::integer).collect()
        };
        let part = |name: &str, place: usize, least: i64| {
            let list = list(name, place).filter(|list| list.len() + 2 == rank);
            let list = list.ok_or_else(|| {
                error(
                    op,
                    format!("'{name}' has a number for each of {} dimensions", rank - 2),
                )
            })?;
            match list.iter().find(|number| **number < least) {
                Some(number) => Err(error(
                    op,
                    format!("'{name}' is {number}, less than {least}"),
                )),
                None => Ok(list),
            }
        };
        let (stride, padding) = (part("stride", first, 1)?, part("padding", first + 1, 0)?);
        let dilation = part("dilation", first + 2, 1)?;
        if self.flag(op, "transposed", first + 3) == Some(true) {
            return Err(error(
                op,
                "a transposed convolution, and its gradients, are not converted",
            ));
        }
        let groups = self.integer(op, "groups", first + 5).unwrap_or(1);
        let channels = kernel[1].checked_mul(groups);
        let is_grouped = channels.is_some_and(|channels| image[1] == channels);
        if groups < 1 || kernel[0] % groups != 0 || !is_grouped {
            return Err(error(
                op,
                format!(
                    "an image of extents {image:?} cannot be convolved with a kernel of {kernel:?} in {groups} groups"
                ),
            ));
        }
        Ok(Windows {
            image,
            kernel,
            stride,
            padding,
            dilation,
            groups,
        })
    }

    /// Converts a convolution: the image `[n, c, ...]`, the kernel `[f, c / groups, ...]`, and a bias of `f` elements.
    pub(super) fn convolution(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let windows = self.windows(op, (self.size(op, 0)?, self.size(op, 1)?), 3)?;
        let rank = windows.image.len();
        let out = self.memory(op, result(op).r#type())?.size;
        // Loops: over the result, the channels of a group, and the window.
        let mut loops = out.clone();
        loops.extend(windows.kernel[1..].iter().copied().map(Expr::from));
        let overflow = |err| error(op, err);
        let channel = windows.channel((1, rank)).map_err(overflow)?;
        let (mut in_image, mut in_kernel) = (vec![var(0), channel], vec![var(1), var(rank)]);
        for dim in 0..windows.spatial() {
            let at = windows.place(dim, (dim + 2, rank + 1 + dim));
            in_image.push(at.map_err(overflow)?);
            in_kernel.push(var(rank + 1 + dim));
        }
        let operand = |number: usize| ir::operand(op, number).expect("its extents are known");
        let factors = [(operand(0), in_image), (operand(1), in_kernel)];
        let loops: Vec<&Expr> = loops.iter().collect();
        let mut product = self.contraction(op, (&loops, rank), factors)?;
        if op.operand_count() > 2 {
            let bias = (operand(2), vec![var(1)]);
            product = self.with(op, product, bias, &|emit, sum, bias| {
                emit.same(arith::addf(sum, bias))
            })?;
        }
        debug_assert_eq!(self.extents(product), out);
        self.finish(op, product)
    }

    /// Converts the gradients of a convolution: the requested ones of its image, its kernel and its bias, from the
    /// gradient of its result, the image and the kernel.
    pub(super) fn convolution_backward(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let windows = self.windows(op, (self.size(op, 1)?, self.size(op, 2)?), 4)?;
        let gradient = self.size(op, 0)?;
        let fits = gradient.len() == windows.image.len()
            && gradient[0] == windows.image[0]
            && gradient[1] == windows.kernel[0]
            && (0..windows.spatial())
                .all(|dim| gradient[dim + 2].as_constant().map(i128::from) == windows.count(dim))
            && windows.kernel[2..].iter().all(|extent| *extent > 0);
        if !fits {
            let message = format!(
                "a gradient of extents {gradient:?} does not fit the convolution of an image of {:?} with a kernel of {:?}",
                windows.image, windows.kernel
            );
            return Err(error(op, message));
        }
        let mask = self
            .argument(op, "output_mask", 10)
            .map(attr::elements)
            .map(|mask| mask.iter().map(|flag| flag.to_string() == "true").collect());
        let mask: Vec<bool> = mask.unwrap_or_default();
        let [image, kernel, bias] = mask[..] else {
            return Err(error(
                op,
                "'output_mask' has a flag for each of 3 gradients",
            ));
        };
        let gradients = vec![
            image
                .then(|| self.image_gradient(op, &windows, &gradient))
                .transpose()?,
            kernel
                .then(|| self.kernel_gradient(op, &windows, &gradient))
                .transpose()?,
            bias.then(|| self.bias_gradient(op)).transpose()?,
        ];
        self.tuples.insert(ir::value_key(result(op)), gradients);
        Ok(())
    }

    /// Builds the gradient of the image of a convolution, from that of its result.
    fn image_gradient(
        &self,
        op: Op<'p>,
        windows: &Windows,
        gradient: &[Expr],
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let overflow = |err| error(op, err);
        let rank = windows.image.len();
        let [per_group, channels] = [windows.kernel[0] / windows.groups, windows.kernel[1]];
        // Loops: over the image, the channels of the result in a group, and the window.
        let mut loops = windows.image.clone();
        loops.push(per_group.into());
        loops.extend(windows.kernel[2..].iter().copied().map(Expr::from));
        let (channel, inner) = match windows.groups {
            1 => (var(rank), var(1)),
            _ => {
                let group = var(1).quotient(Expr::constant(channels));
                let first = group.scale(per_group).map_err(overflow)?;
                (
                    first.add(&var(rank)).map_err(overflow)?,
                    var(1).digit(Expr::constant(1), Expr::constant(channels)),
                )
            }
        };
        let (mut in_gradient, mut in_kernel) =
            (vec![var(0), channel.clone()], vec![channel, inner]);
        for dim in 0..windows.spatial() {
            let (step, dilation) = (var(rank + 1 + dim), windows.dilation[dim]);
            // The first element of a window backwards is the last one of the window.
            let reach = (windows.kernel[dim + 2] - 1).checked_mul(dilation);
            let offset = reach.and_then(|reach| windows.padding[dim].checked_sub(reach));
            let offset = offset.ok_or_else(|| error(op, "a window is too large"))?;
            let at = step
                .scale(dilation)
                .and_then(|step| var(dim + 2).add(&step)?.add(&Expr::constant(offset)));
            in_gradient.push(at.map_err(overflow)?);
            in_kernel.push(step);
        }
        let spread = self.spread(op, &windows.stride, gradient)?;
        let backwards = self.backwards(op, &windows.kernel)?;
        let factors = [(spread, in_gradient), (backwards, in_kernel)];
        let loops: Vec<&Expr> = loops.iter().collect();
        self.contraction(op, (&loops, rank), factors)
    }

    /// Builds the gradient of a convolution's result with zeros after each element: one zero less than the stride.
    fn spread(
        &self,
        op: Op<'p>,
        stride: &[i64],
        gradient: &[Expr],
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let whole = self.whole(op, 0)?;
        let is_empty = gradient.iter().any(|extent| *extent == 0);
        if stride.iter().all(|stride| *stride == 1) || is_empty {
            return Ok(whole);
        }
        let (mut apart, mut shape) = (gradient[..2].to_vec(), gradient[..2].to_vec());
        let mut high = vec![0; apart.len()];
        for (extent, stride) in gradient[2..].iter().zip(stride) {
            let all = extent.scale(*stride);
            apart.extend([extent.clone(), 1.into()]);
            high.extend([0, stride - 1]);
            shape.push(all.map_err(|_| {
                error(
                    op,
                    format!("a result with a stride of {stride} exceeds 64 bits"),
                )
            })?);
        }
        let apart = self.reshape(op, whole, &apart);
        let padded = self.padded(op, apart, (&vec![0; high.len()], &high));
        Ok(self.reshape(op, padded, &shape))
    }

    /// Builds the kernel of a convolution with the elements of its windows in the opposite order.
    fn backwards(&self, op: Op<'p>, kernel: &[i64]) -> Result<Val<'p>, Diagnostic<'p>> {
        if kernel[2..].iter().all(|extent| *extent == 1) || kernel.contains(&0) {
            return self.whole(op, 2);
        }
        let mut at = vec![var(0), var(1)];
        for (dim, extent) in kernel.iter().enumerate().skip(2) {
            let back = var(dim).scale(-1);
            let back = back.and_then(|back| back.add(&Expr::constant(extent - 1)));
            at.push(back.map_err(|err| error(op, err))?);
        }
        let operand = ir::operand(op, 2).expect("its extents are known");
        let ty = self.signless(element_type(operand.r#type()));
        let kernel: Vec<Expr> = kernel.iter().copied().map(Expr::from).collect();
        self.pointwise_of(op, &kernel, (&[], &[(operand, at)]), ty, &|_, values| {
            values[0]
        })
    }

    /// Builds the gradient of the kernel of a convolution, from that of its result.
    fn kernel_gradient(
        &self,
        op: Op<'p>,
        windows: &Windows,
        gradient: &[Expr],
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let overflow = |err| error(op, err);
        let rank = windows.kernel.len();
        // Loops: over the kernel, the images, and the windows.
        let loops = windows.kernel.iter().copied().map(Expr::from);
        let mut loops: Vec<Expr> = loops.collect();
        loops.push(gradient[0].clone());
        loops.extend_from_slice(&gradient[2..]);
        let channel = windows.channel((0, 1)).map_err(overflow)?;
        let (mut in_gradient, mut in_image) = (vec![var(rank), var(0)], vec![var(rank), channel]);
        for dim in 0..windows.spatial() {
            let window = rank + 1 + dim;
            let at = windows.place(dim, (window, dim + 2));
            in_image.push(at.map_err(overflow)?);
            in_gradient.push(var(window));
        }
        let operand = |number: usize| ir::operand(op, number).expect("its extents are known");
        let factors = [(operand(0), in_gradient), (operand(1), in_image)];
        let loops: Vec<&Expr> = loops.iter().collect();
        self.contraction(op, (&loops, rank), factors)
    }

    /// Builds the gradient of the bias of a convolution: the sums of the channels of the gradient of its result.
    fn bias_gradient(&self, op: Op<'p>) -> Result<Val<'p>, Diagnostic<'p>> {
        let gradient = self.whole(op, 0)?;
        let (shape, ty) = (self.extents(gradient), self.computed(element_of(gradient)));
        // The channels are the first loop, as reduced loops are the last ones.
        let mut places: Vec<usize> = (0..shape.len()).collect();
        places.swap(0, 1);
        let read = (gradient, map(self.context, shape.len(), &places));
        let loops = (&shape[1..2], shape.len() - 1);
        Ok(self.summed(op, &[read], loops, ty, &|emit, values| {
            emit.converted(values[0], ty, false)
        }))
    }
}

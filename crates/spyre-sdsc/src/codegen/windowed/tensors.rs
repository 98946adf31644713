//! Strides, gaps and layouts of the operands of pools and convolutions (SDSC bundle specification, sections 4.4, 4.5
//! and 4.11).

use super::{Windowed, window_of};
use crate::Elements;
use crate::codegen::descriptor::{
    Layout, LayoutLabel, Packing, PlannedTensor, Role, Scale, StickDim, TensorDim,
};
use crate::codegen::dims::{Dim, DimNames, Space};
use crate::codegen::operand::Operand;
use crate::error::Error;
use crate::model::TensorArg;
use crate::windows::{Axis, WindowOp};

/// The input, or the accumulator and output; the weight of convolutions is between them.
const INPUT: usize = 0;

impl Windowed<'_> {
    /// Every operand with its strides, offsets and gaps.
    pub(super) fn tensors(
        &self,
        names: &DimNames,
        space: &Space,
        operands: &[Operand],
    ) -> Result<Vec<PlannedTensor>, Error> {
        let args = self.context.op.args.iter().zip(operands).enumerate();
        args.map(|(position, (arg, operand))| {
            let plan = TensorPlan {
                windowed: self,
                names,
                space,
                position,
                arg,
                operand,
            };
            Ok(PlannedTensor {
                label: LayoutLabel::Output,
                dims: plan.dims()?,
                format: arg.format,
                stick: operand.stick,
                per_stick: operand.per_stick,
                element_bytes: operand.element_bytes,
                allocation: arg.allocation,
                role: Role::Plain,
                steps: Vec::new(),
                separate_parts: arg.separate_parts,
                ownership: None,
                packing: Packing::Linear,
            })
        })
        .collect()
    }

    /// Labels in order of use; operands with the same stick and the same dimensions share one (section 4.5). The
    /// order of labels of depthwise convolutions is that of the reference generator, August 2026.
    pub(super) fn layouts(
        &self,
        operands: &[Operand],
        tensors: &mut [PlannedTensor],
    ) -> Vec<Layout> {
        let labels = match self.params.op {
            WindowOp::Pool => [LayoutLabel::Output, LayoutLabel::Kernel, LayoutLabel::Input],
            WindowOp::Conv => [LayoutLabel::Input, LayoutLabel::Kernel, LayoutLabel::Output],
            WindowOp::Depthwise => [LayoutLabel::Output, LayoutLabel::Input, LayoutLabel::Kernel],
        };
        let mut labels = labels.into_iter();
        let mut layouts: Vec<Layout> = Vec::new();
        for (operand, tensor) in operands.iter().zip(tensors) {
            let dim_order: Vec<Dim> = tensor.dims.iter().map(|d| d.dim).collect();
            let sticks: Vec<StickDim> = operand
                .stick
                .map(|dim| StickDim {
                    dim,
                    size: tensor.per_stick,
                })
                .into_iter()
                .collect();
            let layout_entry = layouts.iter().find(|layout| {
                layout.sticks == sticks
                    && layout.dim_order.len() == dim_order.len()
                    && dim_order.iter().all(|dim| layout.dim_order.contains(dim))
            });
            if let Some(layout) = layout_entry {
                tensor.label = layout.label;
            } else {
                let label = labels.next();
                let label = label.expect("there are as many labels as operands");
                tensor.label = label;
                layouts.push(Layout {
                    label,
                    dim_order,
                    sticks,
                });
            }
        }
        layouts
    }
}

struct TensorPlan<'a> {
    windowed: &'a Windowed<'a>,
    names: &'a DimNames,
    space: &'a Space,
    position: usize,
    arg: &'a TensorArg,
    operand: &'a Operand,
}

/// How an operand moves along one of its dimensions.
struct Walk {
    /// Device elements per element of the dimension, without the stick.
    step: u64,
    /// Elements of the buffer that the operation reaches over.
    used: u64,
}

impl TensorPlan<'_> {
    fn dims(&self) -> Result<Vec<TensorDim>, Error> {
        self.check_coordinates()?;
        let dims = self.operand.dims.iter();
        dims.map(|dim| {
            if self.operand.reduced.contains(dim) {
                Ok(absent(*dim, Scale::Reduced))
            } else {
                self.dim(*dim)
            }
        })
        .collect()
    }

    fn field(&self) -> String {
        format!("args[{}].device_coordinates", self.position)
    }

    fn inconsistent(&self, problem: &str) -> Error {
        let context = self.windowed.context;
        context.inconsistent(format!("{} {problem}", self.field()))
    }

    /// The windows along `dim`, if it is a height or width.
    fn axis(&self, dim: Dim) -> Option<Axis> {
        let axes = self.windowed.axes();
        axes.into_iter()
            .find(|(window_dim, _)| *window_dim == dim)
            .map(|(_, axis)| axis)
    }

    /// The windows along `dim`; `None` for a dimension without windows.
    fn axis_of_window(&self, dim: Dim) -> Option<Axis> {
        let axes = self.windowed.axes();
        axes.into_iter()
            .find(|(window_dim, _)| window_of(*window_dim) == dim)
            .map(|(_, axis)| axis)
    }

    /// True if windows of this operand are offsets in its height and width.
    fn is_walked(&self) -> bool {
        self.position == INPUT && self.windowed.params.op != WindowOp::Depthwise
    }

    /// The dimensions that an operand may have.
    fn allowed(&self) -> &'static [Dim] {
        let last = self.windowed.params.op.inputs();
        match (self.windowed.params.op, self.position) {
            (WindowOp::Pool, INPUT) => &[Dim::Mb, Dim::I, Dim::J, Dim::Out, Dim::Ki, Dim::Kj],
            (WindowOp::Conv, INPUT) => &[Dim::Mb, Dim::I, Dim::J, Dim::In, Dim::Ki, Dim::Kj],
            (WindowOp::Conv, 1) => &[Dim::Out, Dim::In, Dim::Ki, Dim::Kj],
            (WindowOp::Depthwise, 1) => &[Dim::Out, Dim::Ki, Dim::Kj],
            (_, position) if position == last || position == INPUT => {
                &[Dim::Mb, Dim::I, Dim::J, Dim::Out]
            }
            _ => &[],
        }
    }

    /// Every coordinate has one dimension, but for the height and width of a walked input.
    fn check_coordinates(&self) -> Result<(), Error> {
        let allowed = self.allowed();
        let stray = self
            .operand
            .coordinate_dims
            .iter()
            .flatten()
            .find(|dim| !allowed.contains(dim));
        if let Some(dim) = stray {
            return Err(self.inconsistent(&format!("must not use dimension {dim}")));
        }
        // An operand must walk over every dimension that it has in memory.
        for dim in self.space.dims.iter().map(|planned| planned.dim) {
            let has = self.operand.dims.contains(&dim) && !self.operand.reduced.contains(&dim);
            if allowed.contains(&dim) && !has {
                return Err(self.inconsistent(&format!("must use dimension {dim}")));
            }
        }
        for (coordinate, dims) in self
            .arg
            .device_coordinates
            .iter()
            .zip(&self.operand.coordinate_dims)
        {
            let pair = |first, second| {
                self.is_walked() && window_of(first) == second && self.axis(first).is_some()
            };
            let is_place = match dims.as_slice() {
                [] => coordinate.as_int() == Some(0),
                [_] => true,
                [a, b] => pair(*a, *b) || pair(*b, *a),
                _ => false,
            };
            if !is_place {
                return Err(self.inconsistent(&format!(
                    "`{coordinate}` is no place of an element or a window"
                )));
            }
        }
        if let Some(inside) = self.arg.device_coordinates.last() {
            let start = inside.constant_term();
            if start.map_err(|error| self.windowed.context.expr(error))? != 0 {
                return Err(self.inconsistent(&format!("`{inside}` starts inside a stick")));
            }
        }
        let twice = self.operand.dims.iter().find(|dim| {
            let outer = self.outer();
            outer.iter().filter(|dims| dims.contains(dim)).count() > 1
        });
        match twice {
            Some(dim) => Err(self.inconsistent(&format!("use {dim} in two dimensions"))),
            None => Ok(()),
        }
    }

    /// The dimensions of each coordinate but the one inside the stick.
    fn outer(&self) -> &[Vec<Dim>] {
        let coordinates = self.operand.coordinate_dims.split_last();
        coordinates.expect("an operand has device dimensions").1
    }

    /// The product of the device extents inside device dimension `place`.
    fn below(&self, place: usize) -> Result<u64, Error> {
        let (position, sizes) = (self.position, &self.arg.device_size);
        self.windowed.context.product(
            sizes.iter().skip(place + 1).copied(),
            format_args!(
                "operand {position}: the product of the extents of {sizes:?} after number {place}"
            ),
        )
    }

    /// The product of numbers that describe the operand along a dimension.
    fn product(
        &self,
        factors: impl IntoIterator<Item = u64>,
        what: &str,
        dim: Dim,
    ) -> Result<u64, Error> {
        let position = self.position;
        self.windowed.context.product(
            factors,
            format_args!("operand {position}: {what} along {dim}"),
        )
    }

    /// Stride, offset and gap of a dimension in memory.
    fn dim(&self, dim: Dim) -> Result<TensorDim, Error> {
        let context = self.windowed.context;
        let place = self.outer().iter().position(|dims| dims.contains(&dim));
        let extent = self.space.planned_dim(dim).extent;
        let is_stick = self.operand.stick == Some(dim);
        let per_stick = if is_stick {
            self.operand.per_stick.get()
        } else {
            1
        };
        let Some(place) = place else {
            // One stick, or a window of one element.
            if extent > per_stick {
                let problem = format!("have no place for {extent} elements along {dim}");
                return Err(self.inconsistent(&problem));
            }
            return Ok(TensorDim {
                stride: Elements(per_stick),
                ..absent(dim, Scale::Full)
            });
        };
        let device = [self.arg.device_size[place], per_stick];
        let device = self.product(device, "a device extent", dim)?;
        let below = self.below(place)?;
        let walk = if is_stick {
            let position = self.position;
            let used = context.round_up(
                extent,
                per_stick,
                format_args!("operand {position}: a padded extent along {dim}"),
            )?;
            Walk { step: 1, used }
        } else {
            self.walk(dim, place, extent)?
        };
        if walk.used > device {
            return Err(context.inconsistent(format!(
                "args[{}].device_size has {device} elements along {dim}, of which {} are used",
                self.position, walk.used
            )));
        }
        let start = self.arg.device_coordinates[place].constant_term();
        let start = start.map_err(|error| context.expr(error))?;
        // The window's symbol shares its coordinate with the dimension that has the offset.
        let start = if self.is_walked() && self.axis_of_window(dim).is_some() && self.shares(place)
        {
            0
        } else {
            start
        };
        let start = u64::try_from(start)
            .map_err(|_| self.inconsistent(&format!("start at {start} along {dim}")))?;
        // Along the stick, coordinates and strides count whole sticks.
        let start_element = self.product([start, per_stick], "a slice offset", dim)?;
        if start_element > device - walk.used {
            return Err(self.inconsistent(&format!(
                "reach over {} elements along {dim} from {start_element}, of {device}",
                walk.used
            )));
        }
        let steps = if is_stick {
            walk.used / per_stick
        } else {
            extent
        };
        let stride = self.product([steps, walk.step, below], "a device stride", dim)?;
        let offset = self.product([start, below], "a slice offset", dim)?;
        Ok(TensorDim {
            dim,
            scale: Scale::Full,
            stride: Elements(stride),
            offset: Elements(offset),
            back_gap: Elements(self.back_gap(dim, place, device, walk.used)?),
            gathered: false,
        })
    }

    /// True if another dimension is in the coordinate at `place`.
    fn shares(&self, place: usize) -> bool {
        self.outer()[place].len() > 1
    }

    /// How the operand moves along `dim`, which is not its stick. The coordinate must have the same factor.
    fn walk(&self, dim: Dim, place: usize, extent: u64) -> Result<Walk, Error> {
        let context = self.windowed.context;
        let overflow =
            || context.overflow(format!("operand {}: the extent along {dim}", self.position));
        // The factor of the coordinate, how far parts of the work are apart, and the extent that is used.
        let (factor, walk) = match (self.axis(dim), self.axis_of_window(dim)) {
            (Some(axis), _)
                if self.position == INPUT && (axis.is_window() || !self.is_walked()) =>
            {
                let used = match axis.total {
                    Some(total) => total.checked_sub(2 * axis.pad),
                    None => axis.span(extent),
                };
                let used = used.ok_or_else(overflow)?;
                let factor = if self.is_walked() { axis.stride } else { 1 };
                (
                    factor,
                    Walk {
                        step: axis.stride,
                        used,
                    },
                )
            }
            // A dimension of the window. The height and width of the tensor are counted for the dimensions along which
            // windows begin.
            (_, Some(axis)) if self.is_walked() => {
                let used = axis.reach().ok_or_else(overflow)?;
                (
                    axis.dilation,
                    Walk {
                        step: axis.dilation,
                        used,
                    },
                )
            }
            _ => (
                1,
                Walk {
                    step: 1,
                    used: extent,
                },
            ),
        };
        let coordinate = &self.arg.device_coordinates[place];
        let symbol = self.names.symbol_of(dim);
        let symbol = symbol.expect("a dimension of a coordinate is named after a symbol");
        let coefficient = coordinate
            .coefficient_of(symbol.as_str())
            .map_err(|error| context.expr(error))?;
        if coefficient.to_integer().map(u64::try_from) != Some(Ok(factor)) {
            return Err(self.inconsistent(&format!(
                "`{coordinate}` moves by {coefficient} per step of {dim}, which must be {factor}"
            )));
        }
        Ok(walk)
    }

    /// The elements of a buffer that the operation does not use (section 4.4). Convolutions have none: their windows
    /// define the elements that are used.
    fn back_gap(&self, dim: Dim, place: usize, device: u64, used: u64) -> Result<u64, Error> {
        let gap = device - used;
        // After the outermost dimension, there is no gap.
        let is_outermost = self.arg.device_size[..place].iter().all(|size| *size == 1);
        let is_window = self.is_walked() && self.axis_of_window(dim).is_some();
        let has_gap = gap > 0 && !is_outermost && !is_window;
        if self.windowed.params.op == WindowOp::Conv && has_gap {
            return Err(self.windowed.context.unsupported(format!(
                "uses {used} of the {device} elements of args[{}] along {dim}, but an operand of a convolution must be \
                 a whole tensor: its file has no backGapCore_",
                self.position
            )));
        }
        if self.windowed.params.op != WindowOp::Pool || gap == 0 {
            return Ok(0);
        }
        if is_window {
            return Ok(0);
        }
        if self.is_walked() && self.axis(dim).is_some() {
            return Err(self.windowed.context.unspecified(
                format!("args[{}].device_size of {device} along {dim}", self.position),
                "section 4.4 does not define the backGapCore_ of an input with an end that no window reaches",
            ));
        }
        Ok(gap)
    }
}

/// A dimension that an operand does not have in memory.
const fn absent(dim: Dim, scale: Scale) -> TensorDim {
    TensorDim {
        dim,
        scale,
        stride: Elements::ZERO,
        offset: Elements::ZERO,
        back_gap: Elements::ZERO,
        gathered: false,
    }
}

//! The iteration space of pools and convolutions, padded, and the dimensions of their operands (SDSC bundle
//! specification, sections 4.3, 4.6 and 4.11).

use super::{Windowed, window_of};
use crate::codegen::descriptor::PlannedDim;
use crate::codegen::dims::{self, Dim, DimNames, Space};
use crate::codegen::operand::Operand;
use crate::error::Error;
use crate::windows::WindowOp;

impl Windowed<'_> {
    /// Builds the space, and completes the dimensions of the operands.
    pub(super) fn space(&self, names: &DimNames, operands: &mut [Operand]) -> Result<Space, Error> {
        let context = self.context;
        let reference = operands
            .first()
            .ok_or_else(|| context.inconsistent("no operands"))?;
        let mut space = Space {
            op_dims: reference.dims.clone(),
            op_stick: reference.stick,
            dims: Vec::new(),
            synthetic_stick: None,
            added_leading: None,
        };
        for dim in &context.op.iteration_space {
            let name = names.dim(dim.symbol.as_str());
            let name = name.ok_or_else(|| context.inconsistent("unnamed dimension"))?;
            let (extent, runtime) = dims::extent_of(context, dim)?;
            if runtime.is_some() && name != Dim::Mb {
                return Err(context.unsupported(format!(
                    "dimension {name} of windows with runtime size {}",
                    dim.extent
                )));
            }
            space.dims.push(PlannedDim {
                dim: name,
                extent,
                slices: dim.slices,
                runtime,
            });
        }
        self.complete(&mut space, operands)?;
        self.check_extents(&space)?;
        self.pad(&mut space, operands)?;
        Ok(space)
    }

    /// Adds dimensions that operands lack: to the output of a pool the window, and to the weight of a depthwise
    /// convolution a window of one element.
    fn complete(&self, space: &mut Space, operands: &mut [Operand]) -> Result<(), Error> {
        for (position, operand) in operands.iter().enumerate() {
            if operand.stick.is_none() {
                return Err(self.context.unspecified(
                    format!("args[{position}].device_coordinates of a single channel"),
                    "section 4.11 drops dimensions of extent 1, and does not define which stick remains",
                ));
            }
        }
        match self.params.op {
            WindowOp::Pool => {
                for operand in operands.iter_mut() {
                    let missing = space
                        .op_dims
                        .iter()
                        .filter(|dim| !operand.dims.contains(dim));
                    operand.reduced = missing.copied().collect();
                    operand.dims.extend(&operand.reduced);
                }
            }
            WindowOp::Conv => {}
            WindowOp::Depthwise => {
                for (dim, axis) in self.axes() {
                    let window = window_of(dim);
                    if space.get(window).is_none() {
                        space.dims.push(PlannedDim {
                            dim: window,
                            extent: axis.kernel,
                            slices: 1,
                            runtime: None,
                        });
                    }
                    let weight = &mut operands[1];
                    if !weight.dims.contains(&window) {
                        weight.dims.insert(0, window);
                    }
                }
            }
        }
        Ok(())
    }

    /// Checks that the windows have the extents of the kernel, and that the input has room for as many windows as
    /// the output has elements.
    fn check_extents(&self, space: &Space) -> Result<(), Error> {
        for (dim, axis) in self.axes() {
            let window = window_of(dim);
            if let Some(planned) = space.get(window).filter(|p| p.extent != axis.kernel) {
                return Err(self.context.inconsistent(format!(
                    "dimension {window} has extent {}, and the kernel has {} elements along it",
                    planned.extent, axis.kernel
                )));
            }
            if space.get(window).is_none() && axis.is_window() {
                return Err(self.context.inconsistent(format!(
                    "the kernel has {} elements along {window}, which is not iterated over",
                    axis.kernel
                )));
            }
            let outputs = space.get(dim).map_or(1, |planned| planned.extent);
            if outputs == 0 {
                return Err(self
                    .context
                    .inconsistent(format!("dimension {dim} has extent 0")));
            }
            let room = axis.total.and_then(|total| axis.outputs(total));
            if let (Some(total), Some(room)) = (axis.total, room)
                && room != outputs
            {
                return Err(self.context.inconsistent(format!(
                    "dimension {dim} has extent {outputs}, and {total} elements have room for {room} windows"
                )));
            }
        }
        Ok(())
    }

    /// Pads the channels to whole sticks: all operands of convolutions, the input of pools (section 4.6).
    fn pad(&self, space: &mut Space, operands: &[Operand]) -> Result<(), Error> {
        let considered = match self.params.op {
            WindowOp::Pool => 1,
            WindowOp::Conv | WindowOp::Depthwise => operands.len(),
        };
        for (position, operand) in operands.iter().take(considered).enumerate() {
            let stick = operand.stick;
            let planned = space.of_mut(stick.expect("operands without a stick are refused"));
            let per_stick = operand.per_stick.get();
            let dim = planned.dim;
            let extent = self.context.round_up(
                planned.extent,
                per_stick,
                format_args!("operand {position}: a padded extent along {dim}"),
            )?;
            if extent > planned.extent && planned.dim == Dim::In {
                return Err(self.context.unsupported(format!(
                    "{} input channels, which are not whole sticks of {per_stick}: the padding would contribute",
                    planned.extent
                )));
            }
            planned.extent = extent;
        }
        Ok(())
    }
}

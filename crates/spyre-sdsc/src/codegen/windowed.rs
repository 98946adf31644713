//! Pools and convolutions (SDSC bundle specification, section 4.11).
//!
//! They are planned like reductions and matrix multiplications, with these differences:
//!
//! * dimensions have names by role, without dimensions of extent 1 ([`names`]);
//! * an input's height and width are walked by two symbols, so strides are read off the coordinates and not off the
//!   position of a dimension ([`tensors`]);
//! * windows stay on one core ([`division`]);
//! * the file describes the windows ([`WindowPlan`]).
//!
//! Keys that section 4.11 names without their place are where the reference generator of August 2026 has them. That
//! refuses padding in pools and `conv2d` before this stage, so that its form is not known and is
//! [`Error::Unspecified`] here.

mod division;
mod names;
mod space;
mod tensors;

use spyre_ops::OpClass;

use super::context::Context;
use super::descriptor::{Constant, Descriptor, ExecutionUnit, LayoutLabel};
use super::dims::{Dim, DimNames, Space};
use super::{EnclosingLoops, PlanOptions, cores, operand, steps};
use crate::error::Error;
use crate::windows::{Axis, FieldError, NMAP, OutputRanges, PadType, WindowOp, WindowParams};

/// The windows of an operation, as its file describes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowPlan {
    /// The operation.
    pub op: WindowOp,
    /// How the padding of the input lies in memory.
    pub pad_type: PadType,
    /// The windowed dimensions of the whole operation.
    pub whole: Vec<PaddedDim>,
    /// The windowed dimensions of one core.
    pub per_core: Vec<PaddedDim>,
    /// The spans that one core reads of the input, along the dimensions that windows walk over.
    pub input: Vec<InputSpan>,
}

/// The windows along one dimension of the output. Sizes are in elements of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaddedDim {
    /// The dimension of the output: `i` or `j`.
    pub dim: Dim,
    /// The dimension of the window along it: `ki` or `kj`.
    pub window: Dim,
    /// Elements of padding in use before the input.
    pub pad_front: u64,
    /// Elements of padding in use after the input.
    pub pad_back: u64,
    /// Elements that no window needs, which only depthwise convolutions state: all of them, the part in the padding
    /// before the input, and the part in the padding after it.
    pub unneeded: Option<[u64; 3]>,
    /// The input with its padding.
    pub total: u64,
    /// Elements from one window to the next.
    pub stride: u64,
    /// Elements from one element of a window to the next.
    pub dilation: u64,
}

/// The span that one core reads of the input along a dimension. Parts of neighbouring cores overlap if windows do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputSpan {
    /// The dimension: `i` or `j`.
    pub dim: Dim,
    /// Elements from the part of one core to that of the next.
    pub step: u64,
    /// Elements of one part.
    pub size: u64,
}

impl WindowPlan {
    /// True if the layout `label` leaves `dim` out: the input has the dimensions of a window only as offsets, and the
    /// output not at all. Weights have them in memory.
    pub fn hides(&self, label: LayoutLabel, dim: Dim) -> bool {
        let listed = self.op != WindowOp::Depthwise && label != LayoutLabel::Kernel;
        listed && self.whole.iter().any(|padded| padded.window == dim)
    }

    /// Returns the span that one core reads of operand `position` along `dim`, if windows walk over it.
    pub fn span_of(&self, position: usize, dim: Dim) -> Option<&InputSpan> {
        let spans = self.input.iter().filter(|_| position == 0);
        spans.into_iter().find(|span| span.dim == dim)
    }
}

/// The operation, its parameters, and the results of earlier steps of planning.
struct Windowed<'a> {
    context: &'a Context<'a>,
    params: WindowParams,
    ranges: OutputRanges,
}

/// Returns the names of the dimensions of a pool or a convolution.
///
/// # Errors
/// The errors of [`plan`].
pub(super) fn names_of(context: &Context<'_>) -> Result<DimNames, Error> {
    Windowed::new(context)?.name_dims()
}

/// Plans a pool or a convolution (SDSC bundle specification, section 4.11).
pub(super) fn plan(
    context: &Context<'_>,
    class: OpClass,
    loops: EnclosingLoops,
    options: &PlanOptions,
) -> Result<Descriptor, Error> {
    let windowed = Windowed::new(context)?;
    let op = windowed.params.op;
    let names = windowed.name_dims()?;
    let roles = vec![super::Role::Plain; context.op.args.len()];
    let mut operands = operand::read_operands(context, &names, &roles)?;
    let space = windowed.space(&names, &mut operands)?;
    let mut tensors = windowed.tensors(&names, &space, &operands)?;
    let layouts = windowed.layouts(&operands, &mut tensors);
    windowed.check_division(&space)?;
    let core_mapping = cores::divide(context, class, &names, &space, &tensors, options)?;
    steps::plan_steps(context, &names, &space, loops, &mut tensors)?;
    let windows = windowed.window_plan(&space)?;

    let data_format = tensors.first().map(|tensor| tensor.format);
    let data_format = data_format.ok_or_else(|| context.inconsistent("no operands"))?;
    let constant = |name: &str, value| Constant {
        name: name.into(),
        code: context.numbers.code(value, data_format),
    };
    let constants = match op {
        // The other constants of a pool are the parameters of its windows.
        WindowOp::Pool => {
            let factor = windowed.params.scaling_factor.into_iter();
            factor.map(|factor| constant(NMAP, factor)).collect()
        }
        WindowOp::Conv | WindowOp::Depthwise => {
            let named_constants = context.op.op_info.constants.iter();
            named_constants
                .map(|(name, value)| constant(name, *value))
                .collect()
        }
    };
    Ok(Descriptor {
        opfunc: context.op.op.clone(),
        unit: match op {
            WindowOp::Conv => ExecutionUnit::Pt,
            WindowOp::Pool | WindowOp::Depthwise => ExecutionUnit::Sfp,
        },
        data_format,
        dims: space.dims,
        core_mapping,
        scheduled: Vec::new(),
        masks: Vec::new(),
        layouts,
        input_count: match op {
            // A depthwise convolution also reads its output, to add to it.
            WindowOp::Depthwise => tensors.len(),
            WindowOp::Pool | WindowOp::Conv => op.inputs(),
        },
        tensors,
        constants,
        debug_handle: context.provenance()?,
        windows: Some(windows),
    })
}

impl<'a> Windowed<'a> {
    fn new(context: &'a Context<'a>) -> Result<Self, Error> {
        let located =
            |error: FieldError| context.inconsistent(format!("{} {}", error.field, error.rule));
        let params = WindowParams::read(context.op).map_err(located)?;
        let params = params.ok_or_else(|| {
            context.unspecified(
                "op",
                "section 4.10 lists it as a function of the backend, and the reference generator does not write it",
            )
        })?;
        let ranges = OutputRanges::read(context.op).map_err(located)?;
        let windowed = Self {
            context,
            params,
            ranges,
        };
        windowed.refuse_unknown_forms()?;
        Ok(windowed)
    }

    /// Rejects operands and windows with an unknown form in the file.
    fn refuse_unknown_forms(&self) -> Result<(), Error> {
        let Self {
            context, params, ..
        } = self;
        if !context.revision.has_windows() {
            let revision = context.revision;
            return Err(context.unsupported(format!("windows in files of revision {revision}")));
        }
        let operands = context.op.args.len();
        let expected = params.op.inputs() + 1;
        if operands != expected || !context.op.is_reduction {
            return Err(context.inconsistent(format!(
                "must be a reduction of {expected} operands, got {operands} with is_reduction={}",
                context.op.is_reduction
            )));
        }
        let indirect = |arg: &crate::TensorArg| {
            arg.device_coordinates
                .iter()
                .any(crate::Expr::has_indirect_access)
        };
        if context.op.args.iter().any(indirect) {
            return Err(context.unsupported("windows of a gather"));
        }
        if context.op.args.iter().any(|arg| arg.ownership.is_some()) {
            return Err(
                context.inconsistent("args[].work_division is only for copies between scratchpads")
            );
        }
        if !context.op.completed_producer_cores.is_empty() {
            return Err(context
                .inconsistent("completed_producer_cores is only for copies between scratchpads"));
        }
        let [(_, height), (_, width)] = self.axes();
        let windows = [height, width].into_iter().filter(|axis| axis.is_window());
        let needed = match params.op {
            WindowOp::Pool => 2,
            WindowOp::Conv => 1,
            WindowOp::Depthwise => 0,
        };
        if windows.count() < needed {
            return Err(context.unsupported(format!(
                "a kernel of {} x {}: the backend's function needs {needed} dimensions with a window",
                height.kernel, width.kernel
            )));
        }
        if params.op == WindowOp::Depthwise {
            return Ok(());
        }
        if height.pad > 0 || width.pad > 0 {
            return Err(context.unspecified(
                format!("padding of {} x {}", height.pad, width.pad),
                "section 4.11 does not define where a padded input starts, nor the padding in its \
                 coordinates, and the reference generator refuses it",
            ));
        }
        let strided = |axis: &Axis| !axis.is_window() && axis.stride > 1;
        if [height, width].iter().any(strided) {
            return Err(context.unspecified(
                "a stride without a window",
                "section 4.11 has the stride in the entry of a window, and there is none",
            ));
        }
        Ok(())
    }

    /// The windows along height and width, with the dimension of the output.
    const fn axes(&self) -> [(Dim, Axis); 2] {
        [(Dim::I, self.params.height), (Dim::J, self.params.width)]
    }

    /// Plans the windows of the file.
    fn window_plan(&self, space: &Space) -> Result<WindowPlan, Error> {
        let mut plan = WindowPlan {
            op: self.params.op,
            pad_type: self.params.pad_type,
            whole: Vec::new(),
            per_core: Vec::new(),
            input: Vec::new(),
        };
        let by_core = self.context.revision.pads_by_core();
        for (dim, axis) in self.axes() {
            let planned = space.get(dim);
            let outputs = planned.map_or(1, |planned| planned.extent);
            let slices = planned.map_or(1, |planned| planned.slices);
            let (whole, part) = match self.params.op {
                WindowOp::Pool | WindowOp::Conv if !axis.is_window() => continue,
                WindowOp::Pool | WindowOp::Conv => {
                    let whole = self.padded(dim, &axis, axis.span(outputs), outputs)?;
                    let part = if by_core && slices > 1 {
                        let slice_outputs = outputs / slices;
                        self.padded(dim, &axis, axis.span(slice_outputs), slice_outputs)?
                    } else {
                        whole
                    };
                    (whole, Some(part))
                }
                WindowOp::Depthwise => {
                    let whole = self.padded(dim, &axis, axis.total, outputs)?;
                    let part = match (planned, slices) {
                        (None, _) => None,
                        (Some(_), 1) => Some(whole),
                        (Some(_), _) => {
                            let slice_outputs = outputs / slices;
                            Some(self.padded(
                                dim,
                                &axis,
                                axis.span(slice_outputs),
                                slice_outputs,
                            )?)
                        }
                    };
                    (whole, part)
                }
            };
            // The backend stops at an entry of a window of one element.
            if axis.is_window() || !by_core {
                plan.whole.push(whole);
                plan.per_core.extend(part);
            }
            // Windows of one element, one after the other, are the input itself, which has no padding.
            let walks = axis.is_window() || axis.stride > 1 || !by_core;
            if planned.is_some() && walks {
                plan.input
                    .push(self.input_span(dim, &axis, outputs, slices)?);
            }
        }
        Ok(plan)
    }

    /// The entry of one dimension, for `outputs` windows on `total` elements.
    fn padded(
        &self,
        dim: Dim,
        axis: &Axis,
        total: Option<u64>,
        outputs: u64,
    ) -> Result<PaddedDim, Error> {
        let total = total.ok_or_else(|| self.context.overflow(format!("the input along {dim}")))?;
        let mut padded = PaddedDim {
            dim,
            window: window_of(dim),
            pad_front: axis.pad,
            pad_back: axis.pad,
            unneeded: None,
            total,
            stride: axis.stride,
            dilation: axis.dilation,
        };
        if self.params.op == WindowOp::Depthwise {
            let absorbed = axis.absorb(total, outputs).ok_or_else(|| {
                self.context.inconsistent(format!(
                    "{outputs} windows along {dim} read more than the {total} elements of the input"
                ))
            })?;
            padded.pad_front -= absorbed.from_front;
            padded.pad_back -= absorbed.from_back;
            padded.unneeded = Some([absorbed.unneeded, absorbed.from_front, absorbed.from_back]);
        }
        Ok(padded)
    }

    /// Returns the span that one core reads of the input along `dim` (reference generator, August 2026).
    fn input_span(
        &self,
        dim: Dim,
        axis: &Axis,
        outputs: u64,
        slices: u64,
    ) -> Result<InputSpan, Error> {
        let overflow = || self.context.overflow(format!("the input along {dim}"));
        let slice_outputs = outputs / slices;
        let step = slice_outputs
            .checked_mul(axis.stride)
            .ok_or_else(overflow)?;
        let (step, size) = match self.params.op {
            // Pools divide the span of all windows, which is exact while windows follow each other.
            WindowOp::Pool => {
                let part = axis.span(outputs).ok_or_else(overflow)? / slices;
                (part, part)
            }
            WindowOp::Conv => (step, axis.span(slice_outputs).ok_or_else(overflow)?),
            WindowOp::Depthwise => {
                let reach = axis.reach().ok_or_else(overflow)?;
                let size = step.checked_add(reach - 1).ok_or_else(overflow)?;
                (step, size)
            }
        };
        Ok(InputSpan { dim, step, size })
    }
}

/// The dimension of the windows along `dim`.
const fn window_of(dim: Dim) -> Dim {
    match dim {
        Dim::I => Dim::Ki,
        _ => Dim::Kj,
    }
}

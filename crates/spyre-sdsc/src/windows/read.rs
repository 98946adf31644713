//! Reading the parameters of windows from an operation.

use spyre_ops::OpFunc;

use super::{Axis, PadType, WindowOp};
use crate::model::OpSpec;
use crate::ordered::{Json, Object};

/// The constant by which a pool multiplies the sum of a window (SDSC bundle specification, section 4.10).
pub const NMAP: &str = "nmap";
/// Where pools have it.
const SCALING_FACTOR: &str = "scaling_factor";

/// A parameter that is missing or impossible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// The field, such as `op_info.conv_params.kernel_h`.
    pub field: String,
    /// The rule, with the value found.
    pub rule: String,
}

impl FieldError {
    fn new(field: impl Into<String>, rule: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            rule: rule.into(),
        }
    }
}

/// The parameters of an operation over windows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowParams {
    /// The operation.
    pub op: WindowOp,
    /// Windows along the height, dimension `i`.
    pub height: Axis,
    /// Windows along the width, dimension `j`.
    pub width: Axis,
    /// How the padding of the input lies in memory.
    pub pad_type: PadType,
    /// The number by which a pool multiplies the sum of a window; `None` for a maximum and for convolutions.
    pub scaling_factor: Option<f64>,
}

impl WindowParams {
    /// The parameters of `spec`; `None` if it is no operation over windows with a known form.
    ///
    /// # Errors
    /// Parameters that are missing, not integers, or out of range.
    pub fn read(spec: &OpSpec) -> Result<Option<Self>, FieldError> {
        let Some(op) = WindowOp::of(&spec.op) else {
            return Ok(None);
        };
        let source = Source::from_spec(op, spec)?;
        let (height, width) = match op {
            WindowOp::Pool | WindowOp::Conv => (source.axis("h")?, source.axis("w")?),
            WindowOp::Depthwise => (source.sized_axis("h", "i")?, source.sized_axis("w", "j")?),
        };
        let pad_type = match op {
            WindowOp::Pool | WindowOp::Conv => PadType::FullSpan,
            WindowOp::Depthwise => source.pad_type(height.pad > 0 || width.pad > 0)?,
        };
        let is_average = OpFunc::of(&spec.op).is_some_and(|row| row.is_average);
        let scaling_factor = match spec.op_info.constants.get(SCALING_FACTOR) {
            None if is_average => {
                let rule = "must be what the sum of a window is multiplied by, got nothing";
                return Err(FieldError::new(source.field(SCALING_FACTOR), rule));
            }
            factor => factor.copied().filter(|_| is_average),
        };
        Ok(Some(Self {
            op,
            height,
            width,
            pad_type,
            scaling_factor,
        }))
    }
}

/// The part of an OpSpec that has the parameters of an operation.
enum Source<'a> {
    Constants(&'a Object<f64>),
    ConvParams(&'a Object<Json>),
}

impl<'a> Source<'a> {
    fn from_spec(op: WindowOp, spec: &'a OpSpec) -> Result<Self, FieldError> {
        if op == WindowOp::Pool {
            return Ok(Self::Constants(&spec.op_info.constants));
        }
        match spec.op_info.other.get("conv_params") {
            Some(Json::Object(params)) => Ok(Self::ConvParams(params)),
            Some(_) => Err(FieldError::new(
                "op_info.conv_params",
                "must be an object of parameters",
            )),
            None => Err(FieldError::new(
                "op_info.conv_params",
                "must hold the parameters of the windows",
            )),
        }
    }

    fn field(&self, key: &str) -> String {
        match self {
            Self::Constants(_) => format!("op_info.constants.{key}"),
            Self::ConvParams(_) => format!("op_info.conv_params.{key}"),
        }
    }

    /// The integer under `key`, at least `least`; `default` if there is none.
    fn integer(&self, key: &str, least: u64, default: Option<u64>) -> Result<u64, FieldError> {
        let fail = |actual: &str| {
            let rule = format!("must be an integer of at least {least}, got {actual}");
            FieldError::new(self.field(key), rule)
        };
        let (value, text) = match self {
            Self::Constants(constants) => match constants.get(key) {
                Some(value) => (whole(*value), value.to_string()),
                None => return default.ok_or_else(|| fail("nothing")),
            },
            Self::ConvParams(params) => match params.get(key) {
                Some(Json::Number(number)) => (number.as_u64(), number.to_string()),
                Some(_) => return Err(fail("no number")),
                None => return default.ok_or_else(|| fail("nothing")),
            },
        };
        // Below 2^31, so that products of two of them fit.
        match value.filter(|value| i32::try_from(*value).is_ok()) {
            Some(value) if value >= least => Ok(value),
            _ => Err(fail(&text)),
        }
    }

    /// The windows along height `h` or width `w`, of pools and `conv2d`.
    fn axis(&self, suffix: &str) -> Result<Axis, FieldError> {
        let dilation = match self {
            // Pools have no dilation.
            Self::Constants(_) => 1,
            Self::ConvParams(_) => self.integer(&format!("dil_{suffix}"), 1, Some(1))?,
        };
        Ok(Axis {
            kernel: self.integer(&format!("kernel_{suffix}"), 1, None)?,
            stride: self.integer(&format!("stride_{suffix}"), 1, Some(1))?,
            dilation,
            pad: self.integer(&format!("pad_{suffix}"), 0, Some(0))?,
            total: None,
        })
    }

    /// The windows along height `h`, dimension `i`, or width `w`, dimension `j`, of depthwise convolutions.
    fn sized_axis(&self, suffix: &str, dim: &str) -> Result<Axis, FieldError> {
        let total_key = format!("total_size_{dim}");
        let total = self.integer(&total_key, 1, None)?;
        let axis = Axis {
            kernel: self.integer(&format!("kernel_{suffix}"), 1, None)?,
            stride: self.integer(&format!("stride_{dim}"), 1, None)?,
            dilation: self.integer(&format!("dilation_{dim}"), 1, Some(1))?,
            pad: self.integer(&format!("pad_{dim}"), 0, Some(0))?,
            total: Some(total),
        };
        let needed = axis.reach().expect("parameters are below 2^31");
        if total < needed || total <= 2 * axis.pad {
            let rule = format!(
                "must hold a window of {needed} elements and more than twice the padding of {}, got {total}",
                axis.pad
            );
            return Err(FieldError::new(self.field(&total_key), rule));
        }
        Ok(axis)
    }

    /// How the padding lies in memory, which must agree with whether there is any.
    fn pad_type(&self, padded: bool) -> Result<PadType, FieldError> {
        let expected = if padded {
            PadType::NoZeroPad
        } else {
            PadType::FullSpan
        };
        let pad_type = match self {
            Self::ConvParams(params) => params.get("pad_type"),
            Self::Constants(_) => None,
        };
        match pad_type {
            Some(Json::String(name)) if name == expected.as_str() => Ok(expected),
            other => {
                let pad_type = match other {
                    Some(Json::String(name)) => format!("`{name}`"),
                    Some(_) => "no text".into(),
                    None => "nothing".into(),
                };
                let rule = format!(
                    "must be `{}` {} padding, got {pad_type}",
                    expected.as_str(),
                    if padded { "with" } else { "without" }
                );
                Err(FieldError::new(self.field("pad_type"), rule))
            }
        }
    }
}

/// The value of a float that is an integer of at most 32 bits; `None` for others.
fn whole(value: f64) -> Option<u64> {
    let fits = value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&value);
    // Exact: checked to be an integer in range.
    fits.then_some(value as u64)
}

/// The extents of the output, in the order in which [`OpSpec::node_output_ranges`] has them. `None` for a dynamic
/// extent, which is never dropped for being 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputRanges {
    /// The number of images.
    pub batch: Option<u64>,
    /// The number of channels.
    pub channels: Option<u64>,
    /// The height.
    pub height: Option<u64>,
    /// The width.
    pub width: Option<u64>,
}

impl OutputRanges {
    /// Reads the extents of `spec`.
    ///
    /// # Errors
    /// The number of extents is not four, or an extent is not positive.
    pub fn read(spec: &OpSpec) -> Result<Self, FieldError> {
        let fail = |rule| FieldError::new("node_output_ranges", rule);
        let [batch, channels, height, width] = spec.node_output_ranges.as_slice() else {
            return Err(fail(format!(
                "must be the 4 extents [N, C, H, W] of the output, got {}",
                spec.node_output_ranges.len()
            )));
        };
        let read = |extent: &crate::Expr| match extent.as_int() {
            None => Ok(None),
            Some(value @ 1..) => Ok(Some(value.unsigned_abs())),
            Some(value) => Err(fail(format!("must be positive, got {value}"))),
        };
        Ok(Self {
            batch: read(batch)?,
            channels: read(channels)?,
            height: read(height)?,
            width: read(width)?,
        })
    }
}

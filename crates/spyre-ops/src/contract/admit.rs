//! The check whether the card's compiler takes an OpFunc on tensors of some formats.

use std::fmt;

use spyre_layout::DeviceFormat;

use super::{EXCEPTIONS, Exception, Precision, Published, Status, VERSION};

/// The reason why the card's compiler does not take an OpFunc on tensors of some formats (K4, K70).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotAdmitted {
    /// Neither the table nor the reference has it.
    Unknown {
        /// The OpFunc.
        op_func: String,
    },
    /// The reference itself states that the card's compiler lacks it.
    Doubtful {
        /// The row.
        row: &'static Published,
        /// The exception that would allow it.
        exception: Option<&'static Exception>,
    },
    /// A tensor has a format in which it does not compute.
    Format {
        /// The row.
        row: &'static Published,
        /// The number of the tensor among the operands, the output last.
        tensor: usize,
        /// The format.
        format: DeviceFormat,
        /// The formats that the table has there.
        allowed: &'static [Precision],
        /// The exception that would allow it.
        exception: Option<&'static Exception>,
    },
    /// Tensors have two formats, and it computes in one.
    Mixed {
        /// The row.
        row: &'static Published,
        /// The number of the first tensor that differs from the one with number 0.
        tensor: usize,
        /// The formats of the two tensors.
        formats: [DeviceFormat; 2],
    },
}

impl NotAdmitted {
    /// Returns the exception that a target can list to allow it.
    #[must_use]
    pub fn exception(&self) -> Option<&'static Exception> {
        match self {
            Self::Doubtful { exception, .. } | Self::Format { exception, .. } => *exception,
            Self::Unknown { .. } | Self::Mixed { .. } => None,
        }
    }
}

impl fmt::Display for NotAdmitted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { op_func } => write!(
                formatter,
                "'{op_func}' is not in the table of OpFuncs of SuperDSC-Bundle {VERSION}, and the reference compiler does not write it"
            ),
            Self::Doubtful { row, .. } => write!(
                formatter,
                "'{}' is not in the table of OpFuncs of SuperDSC-Bundle {VERSION} ({})",
                row.name, row.source
            ),
            Self::Format {
                row,
                tensor,
                format,
                allowed,
                ..
            } => {
                let names: Vec<&str> = allowed.iter().map(|allowed| allowed.name()).collect();
                write!(
                    formatter,
                    "'{}' computes in {}, but tensor {tensor} is {}",
                    row.name,
                    names.join(" or "),
                    format.name()
                )
            }
            Self::Mixed {
                row,
                tensor,
                formats: [first, other],
            } => write!(
                formatter,
                "all tensors of '{}' have one format, but tensor 0 is {} and tensor {tensor} is {}",
                row.name,
                first.name(),
                other.name()
            ),
        }
    }
}

impl std::error::Error for NotAdmitted {}

/// Returns the evidence that the card's compiler takes an OpFunc on tensors of these formats: the formats of its data
/// tensors in order, the output last. Index tensors are left out: they are always `SENUINT32` (K45).
///
/// An `identity` only moves bytes, and a file names its 32-bit integers `IEEE_FP32` (K3), so both are taken alike here.
///
/// # Errors
/// [`NotAdmitted`], unless the names in `exceptions` have an [`Exception`] that covers it.
pub fn admit(
    op_func: &str,
    formats: &[DeviceFormat],
    exceptions: &[&str],
) -> Result<Status, NotAdmitted> {
    let Some(row) = Published::by_name(op_func) else {
        return Err(NotAdmitted::Unknown {
            op_func: op_func.to_owned(),
        });
    };
    let formats: Vec<DeviceFormat> = formats
        .iter()
        .map(|format| relabelled(row, *format))
        .collect();
    let exception = EXCEPTIONS
        .iter()
        .find(|exception| exception.covers(row, &formats));
    if exception.is_some_and(|exception| exceptions.contains(&exception.name)) {
        return Ok(Status::Reference);
    }
    if row.status == Status::Doubtful {
        return Err(NotAdmitted::Doubtful { row, exception });
    }
    match violation(row, &formats) {
        None => Ok(row.status),
        Some(NotAdmitted::Format {
            row,
            tensor,
            format,
            allowed,
            ..
        }) => Err(NotAdmitted::Format {
            row,
            tensor,
            format,
            allowed,
            exception,
        }),
        Some(other) => Err(other),
    }
}

/// Returns the format under which a file names the tensor of a copy (K3).
fn relabelled(row: &Published, format: DeviceFormat) -> DeviceFormat {
    if row.name == "identity" && format == DeviceFormat::IeeeInt32 {
        DeviceFormat::IeeeFp32
    } else {
        format
    }
}

/// Returns the first contradiction between a row and the formats of data tensors, the output last.
pub(super) fn violation(row: &'static Published, formats: &[DeviceFormat]) -> Option<NotAdmitted> {
    let last = formats.len().checked_sub(1)?;
    for (tensor, format) in formats.iter().enumerate() {
        let allowed = if tensor == last {
            row.outputs
        } else {
            row.inputs
        };
        // No row restricts the formats that a copy between scratchpads moves.
        if !allowed.is_empty() && !allowed.iter().any(|allowed| allowed.is_of(*format)) {
            return Some(NotAdmitted::Format {
                row,
                tensor,
                format: *format,
                allowed,
                exception: None,
            });
        }
    }
    let other = formats.iter().position(|format| *format != formats[0])?;
    row.has_one_format.then(|| NotAdmitted::Mixed {
        row,
        tensor: other,
        formats: [formats[0], formats[other]],
    })
}

#[cfg(test)]
mod tests;

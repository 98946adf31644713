//! The windows of pools and convolutions (SDSC bundle specification, section 4.11).
//!
//! | operation | where | names of a height and a width |
//! |---|---|---|
//! | `avgpoolfwd` | `op_info.constants` | `kernel_h`, `kernel_w`, `stride_h` ..., `pad_h` ..., and `scaling_factor` |
//! | `maxpoolfwd` | `op_info.constants` | as `avgpoolfwd`, without a `scaling_factor` |
//! | `conv2d` | `op_info.conv_params` | `kernel_h` ..., `stride_h` ..., `pad_h` ..., `dil_h` ... |
//! | `depthwiseconv2dnative` | `op_info.conv_params` | `kernel_h` ..., `stride_i` ..., `pad_i` ..., `dilation_i` ..., `total_size_i` ..., and `pad_type` |
//!
//! Section 4.11 names the keys of the files. The keys of `op_info`, and the places of all keys, follow the reference
//! generator, August 2026. It writes no `maxpoolfwd`; the table of SuperDSC-Bundle 1.0.0 has it next to `avgpoolfwd`,
//! with the same rules and without a constant.

mod axis;
mod read;

pub use axis::{Absorbed, Axis};
pub use read::{FieldError, NMAP, OutputRanges, WindowParams};

use serde::{Deserialize, Serialize};

/// An operation over windows that can be generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WindowOp {
    /// `avgpoolfwd` and `maxpoolfwd`: the mean or the maximum of each window, channel by channel.
    Pool,
    /// `conv2d`: contracts the channels and the window.
    Conv,
    /// `depthwiseconv2dnative`: contracts the window, channel by channel.
    Depthwise,
}

impl WindowOp {
    /// The operation called `op`; other pools and convolutions of the backend have no known form.
    pub fn of(op: &str) -> Option<Self> {
        match op {
            "avgpoolfwd" | "maxpoolfwd" => Some(Self::Pool),
            "conv2d" => Some(Self::Conv),
            "depthwiseconv2dnative" => Some(Self::Depthwise),
            _ => None,
        }
    }

    /// The number of operands that are read, without the accumulator.
    pub const fn inputs(self) -> usize {
        match self {
            Self::Pool => 1,
            Self::Conv | Self::Depthwise => 2,
        }
    }
}

/// How the padding of a windowed dimension lies in memory. The names come from the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PadType {
    /// The whole span that windows reach over is in memory, with elements that no window needs.
    #[serde(rename = "padded_fullspan_wunneeded")]
    FullSpan,
    /// There are no zeros in memory for the padding.
    #[serde(rename = "padded_nozeropad")]
    NoZeroPad,
}

impl PadType {
    /// Both kinds of padding.
    pub const ALL: [Self; 2] = [Self::FullSpan, Self::NoZeroPad];

    /// The name in the file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FullSpan => "padded_fullspan_wunneeded",
            Self::NoZeroPad => "padded_nozeropad",
        }
    }
}

//! The keys of pools and convolutions in a file (SDSC bundle specification, section 4.11). Their places and order are
//! those of the reference generator, August 2026.

use serde::{Deserialize, Serialize};

use super::build::{Builder, node_name, object};
use super::{Named, Presence};
use crate::codegen::{Dim, InputSpan, LayoutLabel, PaddedDim, PlannedTensor};
use crate::ordered::Object;
use crate::windows::{PadType, WindowOp};

/// One windowed dimension of `paddingSizes_`. Sizes are in elements of the input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)] // names of the file format; see the specification
pub struct PaddingSizes {
    #[serde(rename = "padFront_")]
    pub pad_front: u64,
    #[serde(rename = "padBack_")]
    pub pad_back: u64,
    /// Only depthwise convolutions have this.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub unneeded: Option<UnneededPad>,
    #[serde(rename = "totalSize_")]
    pub total_size: u64,
    #[serde(rename = "stride_")]
    pub stride: u64,
    #[serde(rename = "dilation_")]
    pub dilation: u64,
    #[serde(rename = "windowDim_")]
    pub window_dim: String,
}

/// The elements of the input that no window needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)] // names of the file format; see the specification
pub struct UnneededPad {
    #[serde(rename = "unneededPad_")]
    pub all: u64,
    #[serde(rename = "unneededPadFront_")]
    pub front: u64,
    #[serde(rename = "unneededPadBack_")]
    pub back: u64,
}

/// How the layouts of an operation relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)] // names of the file format; see the specification
pub struct PdsRelation {
    #[serde(rename = "isPdsReuse")]
    pub is_pds_reuse: u64,
}

/// The padding of a tensor in `memOrg_`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)] // names of the file format; see the specification
pub struct MemoryPadding {
    #[serde(rename = "isPadded")]
    pub is_padded: u64,
    /// Absent in the scratchpad.
    #[serde(
        rename = "isZeroPadded",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub is_zero_padded: Option<u64>,
    /// Depthwise convolutions do not have this.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub place: Option<MemoryPlace>,
}

/// Where a tensor is in a memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)] // names of the file format; see the specification
pub struct MemoryPlace {
    #[serde(rename = "dsOffset")]
    pub ds_offset: u64,
    /// The allocation node; empty for the memory that the backend chooses.
    #[serde(rename = "allocateNode_")]
    pub allocate_node: String,
}

impl From<&PaddedDim> for PaddingSizes {
    fn from(padded: &PaddedDim) -> Self {
        Self {
            pad_front: padded.pad_front,
            pad_back: padded.pad_back,
            unneeded: padded
                .unneeded
                .map(|[all, front, back]| UnneededPad { all, front, back }),
            total_size: padded.total,
            stride: padded.stride,
            dilation: padded.dilation,
            window_dim: padded.window.to_string(),
        }
    }
}

fn padding_sizes(dims: &[PaddedDim]) -> Named<PaddingSizes> {
    object(dims.iter().map(|padded| (padded.dim.name(), padded.into())))
}

impl Builder<'_> {
    fn window_op(&self) -> Option<WindowOp> {
        self.descriptor.windows.as_ref().map(|windows| windows.op)
    }

    /// True for pools and `conv2d`, which have more fields of layouts.
    fn replicates_sticks(&self) -> bool {
        matches!(self.window_op(), Some(WindowOp::Pool | WindowOp::Conv))
    }

    /// `paddingSizes_` of the whole operation.
    pub(super) fn whole_padding(&self) -> Option<Named<PaddingSizes>> {
        let windows = self.descriptor.windows.as_ref()?;
        Some(padding_sizes(&windows.whole))
    }

    /// `paddingSizes_` of one core.
    pub(super) fn core_padding(&self) -> Named<PaddingSizes> {
        let windows = self.descriptor.windows.as_ref();
        windows.map_or_else(Object::new, |windows| padding_sizes(&windows.per_core))
    }

    /// `stickRepl_` of a layout.
    pub(super) fn stick_replication(&self) -> Option<Vec<u64>> {
        self.replicates_sticks().then(|| vec![1])
    }

    /// `pdsRelation_`.
    pub(super) fn pds_relation(&self) -> Option<PdsRelation> {
        self.replicates_sticks()
            .then_some(PdsRelation { is_pds_reuse: 1 })
    }

    /// True if the layout `label` leaves `dim` out.
    pub(super) fn hides(&self, label: LayoutLabel, dim: Dim) -> bool {
        let windows = self.descriptor.windows.as_ref();
        windows.is_some_and(|windows| windows.hides(label, dim))
    }

    /// Returns the span that a core reads of operand `index` along `dim`, and its padding, where windows walk.
    pub(super) fn window_span(&self, index: usize, dim: Dim) -> Option<(InputSpan, PadType)> {
        let windows = self.descriptor.windows.as_ref()?;
        Some((*windows.span_of(index, dim)?, windows.pad_type))
    }

    /// `padding_` of the input of a depthwise convolution, which stands before its addresses and always names both
    /// dimensions.
    pub(super) fn leading_padding(&self, index: usize) -> Option<Named<PadType>> {
        let windows = self.descriptor.windows.as_ref()?;
        let named = windows.op == WindowOp::Depthwise && index == 0;
        named.then(|| object([Dim::I, Dim::J].map(|dim| (dim.name(), windows.pad_type))))
    }

    /// `padding_` of the input of a pool or a `conv2d`, which stands after its addresses.
    pub(super) fn trailing_padding(&self, index: usize) -> Option<Named<PadType>> {
        let windows = self.descriptor.windows.as_ref()?;
        if windows.op == WindowOp::Depthwise {
            return None;
        }
        let walked = windows
            .input
            .iter()
            .filter(|span| windows.span_of(index, span.dim).is_some());
        let padding: Named<PadType> =
            object(walked.map(|span| (span.dim.name(), windows.pad_type)));
        (!padding.is_empty()).then_some(padding)
    }

    /// An entry of `memOrg_`: that operand `index` is in `memory`.
    pub(super) fn presence(&self, index: usize, tensor: &PlannedTensor, memory: &str) -> Presence {
        let in_scratchpad = tensor.allocation.is_lx();
        let padding = match self.window_op() {
            Some(WindowOp::Depthwise) if index == 0 => Some(MemoryPadding {
                is_padded: 1,
                is_zero_padded: (!in_scratchpad).then_some(0),
                place: None,
            }),
            Some(WindowOp::Pool | WindowOp::Conv) if !in_scratchpad => Some(MemoryPadding {
                is_padded: u64::from(index < self.descriptor.input_count),
                is_zero_padded: Some(0),
                place: Some(MemoryPlace {
                    ds_offset: 0,
                    allocate_node: if memory == "hbm" {
                        node_name(index, tensor.allocation).into_owned()
                    } else {
                        String::new()
                    },
                }),
            }),
            _ => None,
        };
        Presence {
            is_present: 1,
            padding,
        }
    }
}

//! Allocation nodes of the schedule tree.

use serde::{Deserialize, Serialize};

use super::address::{FoldIndex, StartAddress};
use super::folds::{Fold, FoldMap};
use super::{Named, Text, WorkSlices};
use crate::ordered::Object;
use crate::windows::PadType;

/// The allocation of one tensor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // names of the file format; see the specification
pub struct Allocate {
    #[serde(rename = "nodeType_")]
    pub node_type: Text,
    #[serde(rename = "name_")]
    pub name: Text,
    #[serde(rename = "prev_")]
    pub prev: Text,
    #[serde(rename = "ldsIdx_")]
    pub lds_idx: usize,
    /// `hbm` or `lx`; the pool counts as `hbm`.
    #[serde(rename = "component_")]
    pub component: Text,
    /// `padding_` of depthwise convolutions. A file that is read has it in [`padding`](Self::padding), wherever it
    /// stands.
    #[serde(
        rename(serialize = "padding_"),
        skip_deserializing,
        skip_serializing_if = "Option::is_none"
    )]
    pub leading_padding: Option<Named<PadType>>,
    /// 1 if addresses are symbol identifiers; absent in the scratchpad.
    #[serde(
        rename = "isStartAddrSymbolic_",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub is_start_addr_symbolic: Option<u64>,
    /// True if each core's part is a separate tensor (contract, K62).
    #[serde(
        rename = "nonUnifiedAllocInHBM_",
        default,
        deserialize_with = "truth",
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub non_unified_alloc_in_hbm: bool,
    #[serde(rename = "layoutDimOrder_")]
    pub layout_dim_order: Vec<Text>,
    #[serde(rename = "maxDimSizes_")]
    pub max_dim_sizes: Vec<i64>,
    #[serde(rename = "indirectAllocType_")]
    pub indirect_alloc_type: Text,
    /// Name of the node at the other end of an indirect access.
    #[serde(
        rename = "relatedIndirectAccessAlloc_",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub related_indirect_access_alloc: Option<Text>,
    #[serde(
        rename = "indexTensorType_",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub index_tensor_type: Option<Text>,
    /// Address or symbol identifier per `[core, corelet, time]`, in decimal.
    #[serde(rename = "startAddressCoreCorelet_")]
    pub start_address: Fold<Object<StartAddress, FoldIndex>>,
    /// How the padding of an input lies in memory, per dimension; only pools and convolutions have this.
    #[serde(rename = "padding_", default, skip_serializing_if = "Option::is_none")]
    pub padding: Option<Named<PadType>>,
    /// Unused elements per dimension; absent if there are none.
    #[serde(
        rename = "backGapCore_",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub back_gap: Option<Named<Named<Text>>>,
    #[serde(rename = "coordinates_")]
    pub coordinates: Coordinates,
}

/// Reads a truth value, or 0 and 1 for it.
fn truth<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Truth {
        Value(bool),
        Number(u64),
    }
    match Truth::deserialize(deserializer)? {
        Truth::Value(value) => Ok(value),
        Truth::Number(number @ 0..=1) => Ok(number == 1),
        Truth::Number(number) => Err(serde::de::Error::custom(format!(
            "{number} is neither 0 nor 1"
        ))),
    }
}

/// The part of the iteration space that each core holds of a tensor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // names of the file format; see the specification
pub struct Coordinates {
    #[serde(rename = "coordInfo")]
    pub coord_info: Named<CoordInfo>,
    #[serde(rename = "coreIdToWkSlice_")]
    pub core_id_to_wk_slice: WorkSlices,
}

/// One dimension of [`Coordinates`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // names of the file format; see the specification
pub struct CoordInfo {
    pub spatial: u64,
    pub temporal: u64,
    #[serde(rename = "elemArr")]
    pub elem_arr: u64,
    pub padding: Text,
    pub folds: CoordinateFolds,
}

/// The folds of a coordinate: core, corelet, row, then element arrays.
pub type CoordinateFolds = FoldMap;

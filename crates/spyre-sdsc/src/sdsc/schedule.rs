//! Allocation nodes of the schedule tree.

use serde::{Deserialize, Serialize};

use super::folds::{Fold, FoldMap};
use crate::ordered::Object;

/// The allocation of one tensor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // the file format's own names; see the specification
pub struct Allocate {
    #[serde(rename = "nodeType_")]
    pub node_type: String,
    #[serde(rename = "name_")]
    pub name: String,
    #[serde(rename = "prev_")]
    pub prev: String,
    #[serde(rename = "ldsIdx_")]
    pub lds_idx: usize,
    /// `hbm` or `lx`; the pool counts as `hbm`.
    #[serde(rename = "component_")]
    pub component: String,
    /// 1 if addresses are symbol identifiers; absent in the scratchpad.
    #[serde(
        rename = "isStartAddrSymbolic_",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub is_start_addr_symbolic: Option<u64>,
    #[serde(rename = "layoutDimOrder_")]
    pub layout_dim_order: Vec<String>,
    #[serde(rename = "maxDimSizes_")]
    pub max_dim_sizes: Vec<i64>,
    #[serde(rename = "indirectAllocType_")]
    pub indirect_alloc_type: String,
    /// Name of the node at the other end of an indirect access.
    #[serde(
        rename = "relatedIndirectAccessAlloc_",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub related_indirect_access_alloc: Option<String>,
    #[serde(
        rename = "indexTensorType_",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub index_tensor_type: Option<String>,
    /// Address or symbol identifier per `[core, corelet, time]`, in decimal.
    #[serde(rename = "startAddressCoreCorelet_")]
    pub start_address: Fold<Object<String>>,
    /// Unused elements per dimension; absent if there are none.
    #[serde(
        rename = "backGapCore_",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub back_gap: Option<Object<Object<String>>>,
    #[serde(rename = "coordinates_")]
    pub coordinates: Coordinates,
}

/// The part of the iteration space that each core holds of a tensor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // the file format's own names; see the specification
pub struct Coordinates {
    #[serde(rename = "coordInfo")]
    pub coord_info: Object<CoordInfo>,
    #[serde(rename = "coreIdToWkSlice_")]
    pub core_id_to_wk_slice: Object<Object<u64>>,
}

/// One dimension of [`Coordinates`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // the file format's own names; see the specification
pub struct CoordInfo {
    pub spatial: u64,
    pub temporal: u64,
    #[serde(rename = "elemArr")]
    pub elem_arr: u64,
    pub padding: String,
    pub folds: CoordinateFolds,
}

/// The folds of a coordinate: core, corelet, row, then element arrays.
pub type CoordinateFolds = FoldMap;

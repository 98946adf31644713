//! The typed form of `sdsc_N.json` (SDSC bundle specification, section 5).
//!
//! Field order is key order: serialising with [`write_json`] gives the bytes the backend reads. The types also
//! read files back, for tools that execute or inspect a bundle.

mod address;
mod allocate;
mod build;
mod folds;
mod schedule;
mod windowed;
mod work_slices;

use std::borrow::Cow;
use std::io;

use serde::{Deserialize, Serialize};

pub use address::{FoldIndex, StartAddress};
pub(crate) use build::declared;
pub use build::{Addresses, build};
pub use folds::{Fold, FoldAttr, FoldFn, FoldMap};
pub use schedule::{Allocate, CoordInfo, CoordinateFolds, Coordinates};
pub use windowed::{MemoryPadding, MemoryPlace, PaddingSizes, PdsRelation, UnneededPad};
pub use work_slices::WorkSlices;

use crate::DeviceFormat;
use crate::ordered::{Json, Object};

/// A name. Names that the format fixes are not copied: a file has hundreds.
pub type Text = Cow<'static, str>;

/// An object with names as keys.
pub type Named<V> = Object<V, Text>;

/// An object with the numbers of cores as keys.
pub type PerCore<V> = Object<V, u32>;

/// A whole file: one key, `{number}_{opfunc}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sdsc {
    /// The one entry.
    pub root: Named<SdscBody>,
}

/// Writes a file's contents: two-space indentation, no newline at the end (SDSC bundle specification, section 1).
///
/// # Errors
/// The errors of the writer.
pub fn write_json(sdsc: &Sdsc, mut writer: impl io::Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut writer, sdsc).map_err(io::Error::from)
}

/// The contents of the one entry. Fields are named by their keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // names of the file format; see the specification
pub struct SdscBody {
    /// The inner value is `null` without provenance; the key is absent in the first revision.
    #[serde(
        rename = "debug_handle_",
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub debug_handle: Option<Option<Json>>,
    #[serde(rename = "sdscFoldProps_")]
    pub sdsc_fold_props: Vec<FoldAttr>,
    #[serde(rename = "sdscFolds_")]
    pub sdsc_folds: Fold<Named<Text>>,
    #[serde(rename = "coreFoldProp_")]
    pub core_fold_prop: FoldAttr,
    #[serde(rename = "coreletFoldProp_")]
    pub corelet_fold_prop: FoldAttr,
    #[serde(rename = "numCoresUsed_")]
    pub num_cores_used: u64,
    #[serde(rename = "coreIdToDsc_")]
    pub core_id_to_dsc: PerCore<u64>,
    #[serde(rename = "numWkSlicesPerDim_")]
    pub num_wk_slices_per_dim: Named<u64>,
    #[serde(rename = "coreIdToWkSlice_")]
    pub core_id_to_wk_slice: WorkSlices,
    #[serde(rename = "coreIdToDscSchedule")]
    pub core_id_to_dsc_schedule: PerCore<Cow<'static, [[i64; 4]]>>,
    #[serde(rename = "dscs_")]
    pub dscs: Vec<Named<Dsc>>,
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub runtime_symbols: Option<RuntimeSymbols>,
}

/// Reads a key that is present, with any value.
fn present<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<Json>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// Reads the entries that are numbers, among others.
fn numbers<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Named<u64>, D::Error> {
    let entries = Named::<Json>::deserialize(deserializer)?;
    let sizes = entries.iter().filter_map(|(key, value)| match value {
        Json::Number(number) => Some((key, number)),
        _ => None,
    });
    let size = |(key, number): (&Text, &serde_json::Number)| match number.as_u64() {
        Some(size) => Ok((key.clone(), size)),
        None => Err(serde::de::Error::custom(format!(
            "{key} is {number}, which is no size"
        ))),
    };
    sizes.map(size).collect()
}

/// Keys that only operations with runtime sizes have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // names of the file format; see the specification
pub struct RuntimeSymbols {
    #[serde(rename = "datadscs_")]
    pub data_dscs: Vec<Json>,
    #[serde(rename = "dimToSymbolMappingOpcodeCorrection_")]
    pub opcode_correction: Named<Json>,
    /// Name of the runtime size of each symbol identifier.
    #[serde(rename = "inputSymbolsAndTags_")]
    pub input_symbols: Named<Text>,
    #[serde(rename = "symbolDefinitions_")]
    pub symbol_definitions: Named<Json>,
}

/// The description of the computation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // names of the file format; see the specification
pub struct Dsc {
    #[serde(rename = "numCoresUsed_")]
    pub num_cores_used: u64,
    #[serde(rename = "numCoreletsUsed_")]
    pub num_corelets_used: u64,
    #[serde(rename = "coreIdsUsed_")]
    pub core_ids_used: Vec<u64>,
    #[serde(rename = "N_")]
    pub extents: Sizes,
    #[serde(rename = "coordinateMasking_")]
    pub coordinate_masking: Named<Vec<[u64; 2]>>,
    /// Position of the mask constant, or -1.
    #[serde(rename = "maskingConstId_")]
    pub masking_const_id: i64,
    #[serde(
        rename = "dimToSymbolMapping_",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub dim_to_symbol_mapping: Option<Named<Vec<SymbolRef>>>,
    #[serde(rename = "dataStageParam_")]
    pub data_stage_param: Named<DataStages>,
    #[serde(rename = "primaryDsInfo_")]
    pub primary_ds_info: Named<PrimaryDs>,
    /// Only pools and `conv2d` have this.
    #[serde(
        rename = "pdsRelation_",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub pds_relation: Option<PdsRelation>,
    #[serde(rename = "scheduleTree_")]
    pub schedule_tree: Vec<Allocate>,
    #[serde(rename = "labeledDs_")]
    pub labeled_ds: Vec<LabeledDs>,
    #[serde(rename = "constantInfo_")]
    pub constant_info: ConstantInfo,
    #[serde(rename = "computeOp_")]
    pub compute_op: Vec<ComputeOp>,
}

/// The identifier of the symbol of a runtime size: text in the contract (K54), a number in files before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SymbolRef {
    /// A number.
    Number(i64),
    /// A decimal number as text.
    Text(Text),
}

/// A size per dimension, keyed `mb_`, `out_` ...
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // names of the file format; see the specification
pub struct Sizes {
    #[serde(rename = "name_")]
    pub name: Text,
    #[serde(flatten, deserialize_with = "numbers")]
    pub sizes: Named<u64>,
    /// Only pools and convolutions have this.
    #[serde(
        rename = "paddingSizes_",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub padding_sizes: Option<Named<PaddingSizes>>,
}

/// The two stages of one data stage entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // names of the file format; see the specification
pub struct DataStages {
    #[serde(rename = "ss_")]
    pub ss: DataStage,
    #[serde(rename = "el_")]
    pub el: DataStage,
}

/// The part of the iteration space that one core works on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // names of the file format; see the specification
pub struct DataStage {
    #[serde(rename = "name_")]
    pub name: Text,
    /// Sizes keyed `mb_`, `out_` ...
    #[serde(flatten, deserialize_with = "numbers")]
    pub sizes: Named<u64>,
    /// Absent in the first revision.
    #[serde(flatten)]
    pub details: Option<StageDetails>,
}

/// The symbolic, split and padded dimensions of a [`DataStage`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // names of the file format; see the specification
pub struct StageDetails {
    #[serde(rename = "symbolicDimInfo_")]
    pub symbolic_dim_info: Named<SymbolicDimInfo>,
    #[serde(rename = "maxSymbolicVolume_")]
    pub max_symbolic_volume: Named<Json>,
    #[serde(rename = "coreletSplit_")]
    pub corelet_split: Named<Json>,
    #[serde(rename = "rowSplit_")]
    pub row_split: Named<Json>,
    #[serde(rename = "peSfpSplit_")]
    pub pe_sfp_split: Named<Json>,
    #[serde(rename = "paddingSizes_")]
    pub padding_sizes: Named<PaddingSizes>,
}

/// One core's part of a runtime size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)] // names of the file format; see the specification
pub struct SymbolicDimInfo {
    #[serde(rename = "maxSize_")]
    pub max_size: u64,
    #[serde(rename = "granularity_")]
    pub granularity: u64,
}

/// A layout.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // names of the file format; see the specification
pub struct PrimaryDs {
    #[serde(rename = "layoutDimOrder_")]
    pub layout_dim_order: Vec<Text>,
    #[serde(rename = "stickDimOrder_")]
    pub stick_dim_order: Vec<Text>,
    #[serde(rename = "stickSize_")]
    pub stick_size: Vec<u64>,
    /// Only pools and `conv2d` have this.
    #[serde(
        rename = "stickRepl_",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub stick_repl: Option<Vec<u64>>,
}

/// A tensor as a function operand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // names of the file format; see the specification
pub struct LabeledDs {
    #[serde(rename = "ldsIdx_")]
    pub lds_idx: usize,
    #[serde(rename = "dsName_")]
    pub ds_name: Text,
    #[serde(rename = "dsType_")]
    pub ds_type: Text,
    #[serde(rename = "scale_")]
    pub scale: Vec<i64>,
    #[serde(rename = "wordLength")]
    pub word_length: u64,
    #[serde(rename = "dataFormat_", with = "crate::by_name")]
    pub data_format: DeviceFormat,
    #[serde(rename = "memOrg_")]
    pub mem_org: Named<Presence>,
}

/// The presence of a tensor in a memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)] // names of the file format; see the specification
pub struct Presence {
    #[serde(rename = "isPresent")]
    pub is_present: u64,
    /// Only operands of pools and convolutions have this.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub padding: Option<MemoryPadding>,
}

/// The constants; without any, the file holds the *string* `"{}"`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ConstantInfo {
    /// No constants.
    None(Text),
    /// Constants by position.
    Some(Named<ConstantEntry>),
}

/// One constant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // names of the file format; see the specification
pub struct ConstantEntry {
    #[serde(rename = "dataFormat_", with = "crate::by_name")]
    pub data_format: DeviceFormat,
    #[serde(rename = "name_")]
    pub name: Text,
    #[serde(rename = "data_")]
    pub data: Fold<Named<Vec<u32>>>,
}

/// The function call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // names of the file format; see the specification
pub struct ComputeOp {
    #[serde(rename = "exUnit")]
    pub ex_unit: Text,
    #[serde(rename = "opFuncName")]
    pub op_func_name: Text,
    #[serde(rename = "attributes_")]
    pub attributes: ComputeAttributes,
    pub location: Text,
    #[serde(rename = "inputLabeledDs")]
    pub input_labeled_ds: Vec<Text>,
    #[serde(rename = "outputLabeledDs")]
    pub output_labeled_ds: Vec<Text>,
    /// The index tensors of indirect access.
    #[serde(
        rename = "indirectAccessIndexLabeledDs",
        default,
        skip_serializing_if = "Vec::is_empty"
    )]
    pub index_labeled_ds: Vec<Text>,
}

/// Attributes of the function call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // names of the file format; see the specification
pub struct ComputeAttributes {
    #[serde(rename = "dataFormat_", with = "crate::by_name")]
    pub data_format: DeviceFormat,
    #[serde(rename = "fidelity_")]
    pub fidelity: Text,
}

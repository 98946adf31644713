//! The keys of `sdsc_N.json` that define the computation and its places (SDSC bundle specification, section 5).
//!
//! Other keys are not read: folds and memory organizations repeat these.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, Unexpected, Visitor};

/// An object in the order of its keys, which are all different: the reader refuses others.
#[derive(Clone, Debug)]
pub(super) struct Object<V>(pub Vec<(String, V)>);

impl<V> Default for Object<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V> Object<V> {
    pub(super) fn get(&self, key: &str) -> Option<&V> {
        let mut entries = self.0.iter();
        entries.find_map(|(entry_key, value)| (entry_key == key).then_some(value))
    }

    /// Returns the entry of an object that has one.
    pub(super) fn only(&self) -> Option<(&str, &V)> {
        match self.0.as_slice() {
            [(key, value)] => Some((key, value)),
            _ => None,
        }
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Object<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<V>(PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for Entries<V> {
            type Value = Object<V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Object(entries))
            }
        }
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

/// A whole number, written as a number or as a decimal string.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number(pub i64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Digits;
        impl Visitor<'_> for Digits {
            type Value = Number;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number of 64 bits")
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<Number, E> {
                Ok(Number(value))
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<Number, E> {
                let number = i64::try_from(value).map(Number);
                number.map_err(|_| E::invalid_value(Unexpected::Unsigned(value), &self))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Number, E> {
                let number = text.parse().map(Number);
                number.map_err(|_| E::invalid_value(Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_any(Digits)
    }
}

/// A truth value, written as one or as 0 or 1.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flag(pub bool);

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Truth;
        impl Visitor<'_> for Truth {
            type Value = Flag;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, false, 1 or 0")
            }

            fn visit_bool<E: Error>(self, value: bool) -> Result<Flag, E> {
                Ok(Flag(value))
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<Flag, E> {
                match value {
                    0 | 1 => Ok(Flag(value == 1)),
                    _ => Err(E::invalid_value(Unexpected::Unsigned(value), &self)),
                }
            }
        }
        deserializer.deserialize_any(Truth)
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Sdsc {
    #[serde(rename = "numWkSlicesPerDim_")]
    pub slices: Object<u64>,
    #[serde(rename = "coreIdToWkSlice_")]
    pub core_slices: Object<Object<u64>>,
    #[serde(rename = "dscs_")]
    pub dscs: Vec<Object<Dsc>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Dsc {
    #[serde(rename = "coreIdsUsed_")]
    pub cores: Vec<u64>,
    /// `name_`, and an extent per dimension, keyed `mb_`, `out_` ...
    #[serde(rename = "N_")]
    pub extents: Object<Extent>,
    #[serde(rename = "coordinateMasking_", default)]
    pub masks: Object<Vec<[u64; 2]>>,
    #[serde(rename = "maskingConstId_")]
    pub mask_constant: i64,
    /// Symbols, as text in the published files and as numbers in recorded ones (SuperDSC-Bundle 1.0.0, K54, K55).
    #[serde(rename = "dimToSymbolMapping_", default)]
    pub runtime_dims: Object<Vec<Number>>,
    #[serde(rename = "primaryDsInfo_")]
    pub labels: Object<Label>,
    #[serde(rename = "scheduleTree_")]
    pub nodes: Vec<Node>,
    #[serde(rename = "labeledDs_")]
    pub tensors: Vec<Tensor>,
    #[serde(rename = "constantInfo_")]
    pub constants: Constants,
    #[serde(rename = "computeOp_")]
    pub compute: Vec<Compute>,
}

/// An extent, the windows under `paddingSizes_`, or something else.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Extent {
    Number(u64),
    Windows(Object<Windows>),
    Other(IgnoredAny),
}

/// The windows along a dimension (SDSC bundle specification, section 4.11). Sizes are in elements of the input.
#[derive(Debug, Deserialize)]
pub(super) struct Windows {
    #[serde(rename = "padFront_")]
    pub pad_front: u64,
    #[serde(rename = "padBack_")]
    pub pad_back: u64,
    #[serde(rename = "totalSize_")]
    pub total: u64,
    #[serde(rename = "stride_")]
    pub stride: u64,
    #[serde(rename = "dilation_")]
    pub dilation: u64,
    #[serde(rename = "windowDim_")]
    pub window: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Label {
    #[serde(rename = "layoutDimOrder_")]
    pub dims: Vec<String>,
    #[serde(rename = "stickDimOrder_")]
    pub stick: Vec<String>,
    #[serde(rename = "stickSize_")]
    pub stick_size: Vec<u64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Node {
    #[serde(rename = "ldsIdx_")]
    pub tensor: usize,
    #[serde(rename = "component_")]
    pub component: String,
    #[serde(rename = "isStartAddrSymbolic_", default)]
    pub symbolic: Flag,
    /// Whether each core's part is a separate tensor in device memory.
    #[serde(rename = "nonUnifiedAllocInHBM_", default)]
    pub separate: Flag,
    #[serde(rename = "layoutDimOrder_")]
    pub dims: Vec<String>,
    #[serde(rename = "name_", default)]
    pub name: Option<String>,
    #[serde(rename = "indirectAllocType_", default)]
    pub indirect: Option<String>,
    /// The name of the node at the other end of an indirect access.
    #[serde(rename = "relatedIndirectAccessAlloc_", default)]
    pub related: Option<String>,
    #[serde(rename = "startAddressCoreCorelet_")]
    pub starts: Fold<Object<Number>>,
    #[serde(rename = "coordinates_", default)]
    pub coordinates: Coordinates,
    /// The dimensions that windows walk along.
    #[serde(rename = "padding_", default)]
    pub walked: Object<IgnoredAny>,
    /// Elements after the end of a dimension, for all cores (`-1`) or for each.
    #[serde(rename = "backGapCore_", default)]
    pub gaps: Object<Object<Number>>,
}

/// The owners of a tensor's elements; only in a relayout does each tensor have separate ones.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Coordinates {
    #[serde(rename = "coordInfo", default)]
    pub dims: Object<Coordinate>,
    #[serde(rename = "coreIdToWkSlice_", default)]
    pub core_slices: Object<Object<u64>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Coordinate {
    pub folds: Folds,
}

/// The factors of a dimension, of which the first one is that of the cores.
#[derive(Debug, Deserialize)]
pub(super) struct Folds {
    #[serde(rename = "dim_prop_attr")]
    pub factors: Vec<Factor>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Factor {
    #[serde(rename = "factor_")]
    pub factor: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct Fold<D> {
    #[serde(rename = "data_")]
    pub data: D,
}

#[derive(Debug, Deserialize)]
pub(super) struct Tensor {
    #[serde(rename = "ldsIdx_")]
    pub tensor: usize,
    #[serde(rename = "dsType_")]
    pub label: String,
    #[serde(rename = "scale_")]
    pub scales: Vec<i64>,
    #[serde(rename = "wordLength")]
    pub bytes: u64,
    #[serde(rename = "dataFormat_")]
    pub format: String,
}

/// The constants, or the string `"{}"`.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Constants {
    None(String),
    Some(Object<Constant>),
}

#[derive(Debug, Deserialize)]
pub(super) struct Constant {
    #[serde(rename = "dataFormat_")]
    pub format: String,
    #[serde(rename = "name_")]
    pub name: String,
    #[serde(rename = "data_")]
    pub value: Fold<Object<Vec<u32>>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Compute {
    #[serde(rename = "opFuncName")]
    pub function: String,
    #[serde(rename = "inputLabeledDs")]
    pub inputs: Vec<String>,
    #[serde(rename = "outputLabeledDs")]
    pub outputs: Vec<String>,
    #[serde(rename = "indirectAccessIndexLabeledDs", default)]
    pub indices: Vec<String>,
}

//! The keys of `sdsc_N.json` that define addresses, and those that repeat them.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, de::IgnoredAny};

/// An object in the order of its text.
#[derive(Clone, Debug)]
pub(super) struct Object<T>(pub Vec<(String, T)>);

impl<T> Default for Object<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Object<T> {
    pub(super) fn get(&self, key: &str) -> Option<&T> {
        let mut entries = self.0.iter();
        entries
            .find(|(name, _)| name == key)
            .map(|(_, value)| value)
    }

    /// Returns the only entry.
    pub(super) fn only(&self) -> Option<(&str, &T)> {
        match &self.0[..] {
            [(name, value)] => Some((name, value)),
            _ => None,
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = Object<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<T>, A::Error> {
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

/// A whole number, as one or as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number(pub i64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Whole;
        impl Visitor<'_> for Whole {
            type Value = Number;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number that fits 64 bits")
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Number, E> {
                Ok(Number(number))
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Number, E> {
                let signed = i64::try_from(number);
                signed
                    .map(Number)
                    .map_err(|_| E::invalid_value(Unexpected::Unsigned(number), &self))
            }

            fn visit_bool<E: Error>(self, flag: bool) -> Result<Number, E> {
                Ok(Number(flag.into()))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Number, E> {
                let number = text.parse();
                number
                    .map(Number)
                    .map_err(|_| E::invalid_value(Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_any(Whole)
    }
}

/// A truth value, as one or as 0 or 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flag(pub bool);

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Number::deserialize(deserializer)? {
            Number(0) => Ok(Self(false)),
            Number(1) => Ok(Self(true)),
            Number(other) => Err(D::Error::invalid_value(
                Unexpected::Signed(other),
                &"0 or 1",
            )),
        }
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Sdsc {
    #[serde(rename = "coreFoldProp_")]
    pub core_fold: Factor,
    #[serde(rename = "numCoresUsed_")]
    pub cores: i64,
    #[serde(rename = "coreIdToDsc_")]
    pub descriptors: Object<i64>,
    #[serde(rename = "numWkSlicesPerDim_")]
    pub slices: Object<i64>,
    #[serde(rename = "coreIdToWkSlice_")]
    pub core_slices: Object<Object<i64>>,
    #[serde(rename = "dscs_")]
    pub dscs: Vec<Object<Dsc>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Dsc {
    #[serde(rename = "numCoresUsed_")]
    pub cores: i64,
    #[serde(rename = "coreIdsUsed_")]
    pub core_ids: Vec<i64>,
    /// `name_`, an extent for each dimension, and the windows.
    #[serde(rename = "N_")]
    pub extents: Object<Extent>,
    #[serde(rename = "dimToSymbolMapping_", default)]
    pub symbolic_dims: Object<Vec<Number>>,
    #[serde(rename = "dataStageParam_")]
    pub stages: Object<Stage>,
    #[serde(rename = "primaryDsInfo_")]
    pub labels: Object<Label>,
    #[serde(rename = "scheduleTree_")]
    pub nodes: Vec<Node>,
    #[serde(rename = "labeledDs_")]
    pub tensors: Vec<Described>,
    #[serde(rename = "constantInfo_", default)]
    pub constants: Constants,
    /// The first position and the number of those that are masked, for each dimension.
    #[serde(rename = "coordinateMasking_", default)]
    pub masks: Object<Vec<Vec<i64>>>,
    #[serde(rename = "computeOp_")]
    pub compute: Vec<Compute>,
}

/// The constants by their numbers; the text `{}` if there are none.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Constants {
    Text(String),
    Object(Object<Constant>),
}

impl Default for Constants {
    fn default() -> Self {
        Self::Object(Object::default())
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Constant {
    #[serde(rename = "dataFormat_")]
    pub format: String,
    #[serde(rename = "name_")]
    pub name: String,
    #[serde(rename = "data_")]
    pub data: Codes,
}

#[derive(Debug, Deserialize)]
pub(super) struct Codes {
    #[serde(rename = "data_")]
    pub data: Object<Vec<u64>>,
}

/// The extents of what one core computes, twice.
#[derive(Debug, Deserialize)]
pub(super) struct Stage {
    #[serde(rename = "ss_")]
    pub steady: Object<Extent>,
    #[serde(rename = "el_")]
    pub last: Object<Extent>,
}

/// An extent, the windows in `paddingSizes_`, the runtime sizes in `symbolicDimInfo_`, or something else.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Extent {
    Number(i64),
    Windows(Object<Windows>),
    Sizes(Object<Share>),
    Other(IgnoredAny),
}

/// The part of a core of a runtime size.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Share {
    #[serde(rename = "maxSize_")]
    pub most: i64,
    #[serde(rename = "granularity_")]
    pub granularity: i64,
}

/// The windows along a dimension.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub(super) struct Windows {
    #[serde(rename = "padFront_")]
    pub front: i64,
    #[serde(rename = "padBack_")]
    pub back: i64,
    #[serde(rename = "totalSize_")]
    pub total: i64,
    #[serde(rename = "stride_")]
    pub stride: i64,
    #[serde(rename = "dilation_")]
    pub dilation: i64,
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
    pub stick_size: Vec<i64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Node {
    #[serde(rename = "ldsIdx_")]
    pub tensor: i64,
    #[serde(rename = "name_")]
    pub name: String,
    #[serde(rename = "component_")]
    pub component: String,
    #[serde(rename = "isStartAddrSymbolic_", default)]
    pub symbolic: Flag,
    #[serde(rename = "nonUnifiedAllocInHBM_", default)]
    pub separate: Flag,
    #[serde(rename = "layoutDimOrder_")]
    pub dims: Vec<String>,
    #[serde(rename = "indirectAllocType_", default)]
    pub indirect: Option<String>,
    #[serde(rename = "relatedIndirectAccessAlloc_", default)]
    pub related: Option<String>,
    #[serde(rename = "startAddressCoreCorelet_")]
    pub starts: Starts,
    #[serde(rename = "backGapCore_", default)]
    pub gaps: Object<Object<Number>>,
    /// The dimensions that windows walk along.
    #[serde(rename = "padding_", default)]
    pub walked: Object<IgnoredAny>,
    #[serde(rename = "coordinates_", default)]
    pub coordinates: Coordinates,
}

#[derive(Debug, Deserialize)]
pub(super) struct Starts {
    #[serde(rename = "dim_prop_attr", default)]
    pub factors: Vec<Factor>,
    #[serde(rename = "data_")]
    pub data: Object<Number>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Coordinates {
    #[serde(rename = "coordInfo", default)]
    pub dims: Object<Coordinate>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Coordinate {
    pub folds: Folds,
}

#[derive(Debug, Deserialize)]
pub(super) struct Folds {
    #[serde(rename = "dim_prop_func")]
    pub functions: Vec<Object<Alpha>>,
    #[serde(rename = "dim_prop_attr")]
    pub factors: Vec<Factor>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Alpha {
    #[serde(rename = "alpha_", default)]
    pub alpha: i64,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Factor {
    #[serde(rename = "factor_")]
    pub factor: i64,
}

#[derive(Debug, Deserialize)]
pub(super) struct Described {
    #[serde(rename = "ldsIdx_")]
    pub tensor: i64,
    #[serde(rename = "dsType_")]
    pub label: String,
    #[serde(rename = "scale_")]
    pub scales: Vec<i64>,
    #[serde(rename = "wordLength")]
    pub width: i64,
    #[serde(rename = "dataFormat_")]
    pub format: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Compute {
    #[serde(rename = "opFuncName")]
    pub function: String,
    #[serde(rename = "attributes_")]
    pub attributes: Attributes,
    #[serde(rename = "inputLabeledDs")]
    pub inputs: Vec<String>,
    #[serde(rename = "outputLabeledDs")]
    pub outputs: Vec<String>,
    #[serde(rename = "indirectAccessIndexLabeledDs", default)]
    pub indices: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Attributes {
    #[serde(rename = "dataFormat_")]
    pub format: String,
}

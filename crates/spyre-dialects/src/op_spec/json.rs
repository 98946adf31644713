//! JSON values as attributes, and back. Front ends attach them to OpSpecs.

use melior::Context;
use melior::ir::attribute::{BoolAttribute, FloatAttribute, IntegerAttribute, StringAttribute};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, AttributeLike, Type};
use mlir_sys::{MlirAttribute, MlirStringRef};
use serde_json::Number;
use spyre_sdsc::{Json, Object};

use crate::{attr, ffi};

/// Builds a `#sdscbundle.record`. `None` when two names are the same.
pub(super) fn record_attribute<'c>(
    context: &'c Context,
    entries: &[(&str, Attribute<'c>)],
) -> Option<Attribute<'c>> {
    let names: Vec<MlirStringRef> = entries
        .iter()
        .map(|(name, _)| melior::StringRef::new(name).to_raw())
        .collect();
    let values: Vec<MlirAttribute> = entries.iter().map(|(_, value)| value.to_raw()).collect();
    // SAFETY: both arrays have the length given, and the texts are copied.
    unsafe {
        attr::optional(ffi::spyreSdscBundleRecordGet(
            context.to_raw(),
            names.as_ptr(),
            values.as_ptr(),
            names.len().cast_signed(),
        ))
    }
}

/// Returns the entries of a `#sdscbundle.record`, in order; `None` for any other attribute.
pub(super) fn record<'c>(attribute: Attribute<'c>) -> Option<Vec<(String, Attribute<'c>)>> {
    let raw = attribute.to_raw();
    // SAFETY: the kind is checked, and indices are below the count.
    unsafe {
        ffi::spyreSdscBundleAttributeIsARecord(raw).then(|| {
            (0..ffi::spyreSdscBundleRecordGetCount(raw))
                .map(|index| {
                    (
                        attr::text(ffi::spyreSdscBundleRecordGetName(raw, index)),
                        Attribute::from_raw(ffi::spyreSdscBundleRecordGetValue(raw, index)),
                    )
                })
                .collect()
        })
    }
}

/// Returns the attribute of a JSON value. `None` for an object with two equal names, and for a number that is neither a 64-bit
/// integer nor a float.
pub(super) fn json_attribute<'c>(context: &'c Context, value: &Json) -> Option<Attribute<'c>> {
    Some(match value {
        Json::Null => Attribute::unit(context),
        Json::Bool(value) => BoolAttribute::new(context, *value).into(),
        Json::Number(number) => {
            if let Some(value) = number.as_i64() {
                IntegerAttribute::new(IntegerType::new(context, 64).into(), value).into()
            } else if let Some(value) = number.as_u64() {
                let ty = IntegerType::unsigned(context, 64).into();
                IntegerAttribute::new(ty, value.cast_signed()).into()
            } else {
                FloatAttribute::new(context, Type::float64(context), number.as_f64()?).into()
            }
        }
        Json::String(text) => StringAttribute::new(context, text).into(),
        Json::Array(values) => {
            let values = values
                .iter()
                .map(|value| json_attribute(context, value))
                .collect::<Option<Vec<_>>>()?;
            attr::array(context, &values)
        }
        Json::Object(entries) => {
            let entries = entries
                .iter()
                .map(|(name, value)| Some((name.as_str(), json_attribute(context, value)?)))
                .collect::<Option<Vec<_>>>()?;
            record_attribute(context, &entries)?
        }
    })
}

/// Returns the JSON value of an attribute that `sdscbundle.op_spec` accepts as one; `None` for any other attribute.
pub(super) fn json(attribute: Attribute<'_>) -> Option<Json> {
    if let Some(entries) = record(attribute) {
        let entries = entries
            .into_iter()
            .map(|(name, value)| Some((name, json(value)?)));
        return Some(Json::Object(entries.collect::<Option<Object<_>>>()?));
    }
    let raw = attribute.to_raw();
    // SAFETY: each accessor matches the kind of the attribute.
    unsafe {
        if mlir_sys::mlirAttributeIsAUnit(raw) {
            Some(Json::Null)
        } else if mlir_sys::mlirAttributeIsABool(raw) {
            Some(Json::Bool(mlir_sys::mlirBoolAttrGetValue(raw)))
        } else if mlir_sys::mlirAttributeIsAInteger(raw) {
            let ty = mlir_sys::mlirAttributeGetType(raw);
            Some(Json::Number(if mlir_sys::mlirIntegerTypeIsUnsigned(ty) {
                mlir_sys::mlirIntegerAttrGetValueUInt(raw).into()
            } else {
                mlir_sys::mlirIntegerAttrGetValueInt(raw).into()
            }))
        } else if mlir_sys::mlirAttributeIsAFloat(raw) {
            Number::from_f64(mlir_sys::mlirFloatAttrGetValueDouble(raw)).map(Json::Number)
        } else if mlir_sys::mlirAttributeIsAString(raw) {
            attr::string(attribute).map(Json::String)
        } else if mlir_sys::mlirAttributeIsAArray(raw) {
            let values = attr::elements(attribute).into_iter().map(json);
            Some(Json::Array(values.collect::<Option<_>>()?))
        } else {
            None
        }
    }
}

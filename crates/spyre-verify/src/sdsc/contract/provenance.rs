//! `debug_handle_`: the origin of the operation (K56).

use spyre_bundle_files::json::{Json, Value};

use super::super::super::reader::{Fields, Reader};
use super::super::super::rules::ORIGIN;

/// Kinds of a transformation.
const KINDS: [&str; 5] = ["rewrite", "fusion", "decomposition", "clone", "remap"];

/// Checks the origin, which may be unknown.
pub(in super::super) fn check(reader: &mut Reader, json: Option<&Json<'_>>) {
    if let Some(json) = json.filter(|json| !is_null(json)) {
        handle(reader, json);
    }
}

fn is_null(json: &Json<'_>) -> bool {
    matches!(json.value, Value::Null)
}

/// Reads an object that has these keys and no other.
fn object<'j, 't>(
    reader: &mut Reader,
    json: &'j Json<'t>,
    what: &str,
    keys: &[&str],
) -> Option<Fields<'j, 't>> {
    let Value::Object(members) = &json.value else {
        let message = format!(
            "{what} is an object, or null where it may be unknown, not {}",
            json.value.kind()
        );
        reader.report(ORIGIN, json.offset, message);
        return None;
    };
    for key in keys
        .iter()
        .filter(|key| members.iter().all(|member| member.key != **key))
    {
        let message = format!("{what} has no '{key}'; it may be null or empty, but must be there");
        reader.report(ORIGIN, json.offset, message);
    }
    for member in members
        .iter()
        .filter(|member| !keys.contains(&&*member.key))
    {
        let message = format!(
            "{what} must not have the key '{}'",
            member.key.escape_default()
        );
        reader.report(ORIGIN, member.offset, message);
    }
    reader.fields(json)
}

/// Reports a value that is of no kind that its key may have.
fn demand(
    reader: &mut Reader,
    json: Option<&Json<'_>>,
    what: &str,
    is_kind: impl Fn(&Value<'_>) -> bool,
) {
    if let Some(json) = json.filter(|json| !is_kind(&json.value)) {
        let message = format!("{what}, not {}", json.value.kind());
        reader.report(ORIGIN, json.offset, message);
    }
}

fn is_text(value: &Value<'_>) -> bool {
    matches!(value, Value::String(_))
}

fn is_text_or_null(value: &Value<'_>) -> bool {
    matches!(value, Value::String(_) | Value::Null)
}

fn is_integer(value: &Value<'_>) -> bool {
    matches!(value, Value::Number(text) if text.parse::<i64>().is_ok())
}

/// Returns the entries of an array, and reports another value.
fn entries<'j, 't>(reader: &mut Reader, json: Option<&'j Json<'t>>, what: &str) -> &'j [Json<'t>] {
    match json.map(|json| (&json.value, json.offset)) {
        Some((Value::Array(items), _)) => items,
        Some((value, offset)) => {
            let message = format!("{what} is an array, not {}", value.kind());
            reader.report(ORIGIN, offset, message);
            &[]
        }
        None => &[],
    }
}

fn handle(reader: &mut Reader, json: &Json<'_>) {
    let keys = [
        "id",
        "source",
        "aten_op",
        "ir_chain",
        "fused_from",
        "transform_history",
    ];
    let Some(mut fields) = object(reader, json, "the origin", &keys) else {
        return;
    };
    let [id, source, operation, chain, fused, history] = keys.map(|key| fields.optional(key));
    demand(
        reader,
        id,
        "the id is a string of digits, which keeps 64 bits",
        is_text,
    );
    demand(
        reader,
        operation,
        "'aten_op' is a string or null",
        is_text_or_null,
    );
    for item in entries(reader, chain, "'ir_chain'") {
        demand(
            reader,
            Some(item),
            "an entry of 'ir_chain' is a string",
            is_text,
        );
    }
    if let Some(json) = source.filter(|json| !is_null(json)) {
        location(reader, json);
    }
    for item in entries(reader, fused, "'fused_from'") {
        handle(reader, item);
    }
    for item in entries(reader, history, "'transform_history'") {
        transformation(reader, item);
    }
}

fn location(reader: &mut Reader, json: &Json<'_>) {
    let keys = ["file", "start_line", "start_col", "end_line", "end_col"];
    let Some(mut fields) = object(reader, json, "a source", &keys) else {
        return;
    };
    let [file, start_line, start_column, end_line, end_column] =
        keys.map(|key| fields.optional(key));
    demand(reader, file, "'file' is a string", is_text);
    for json in [start_line, start_column] {
        demand(reader, json, "a start is an integer", is_integer);
    }
    for json in [end_line, end_column] {
        demand(reader, json, "an end is an integer or null", |value| {
            is_integer(value) || matches!(value, Value::Null)
        });
    }
}

fn transformation(reader: &mut Reader, json: &Json<'_>) {
    let keys = ["kind", "pass_name", "reason"];
    let Some(mut fields) = object(reader, json, "a transformation", &keys) else {
        return;
    };
    let [kind, pass, reason] = keys.map(|key| fields.optional(key));
    demand(
        reader,
        kind,
        "a kind is rewrite, fusion, decomposition, clone or remap",
        |value| matches!(value, Value::String(text) if KINDS.contains(&&**text)),
    );
    demand(reader, pass, "'pass_name' is a string", is_text);
    demand(
        reader,
        reason,
        "'reason' is a string or null",
        is_text_or_null,
    );
}

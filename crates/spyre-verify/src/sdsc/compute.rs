//! `computeOp_`: the computation and its tensors.

use spyre_bundle_files::json::Json;
use spyre_ops::contract::Published;

use super::super::reader::{Fixed, Reader};
use super::super::rules::{
    CAST_COMPUTES, COMPUTE, INPUT_ORDER, LOCATION, NO_LOCATION, NORMALISED_OPERANDS, OPERAND_COUNT,
    OPERAND_NAMES, OPERANDS, UNIT_AND_FORMAT,
};
use super::descriptors::Descriptor;
use super::names;

/// Checks the operation against the description and its tensors. Returns the numbers of the index tensors that it lists.
pub(super) fn check(
    reader: &mut Reader,
    json: &Json<'_>,
    op: &str,
    tensors: Option<&[Descriptor<'_>]>,
) -> Vec<usize> {
    let Some(items) = reader.array(json) else {
        return Vec::new();
    };
    let [item] = items else {
        let message = format!("there are {} operations, but must be one", items.len());
        reader.report(COMPUTE, json.offset, message);
        return Vec::new();
    };
    let Some(mut fields) = reader.fields(item) else {
        return Vec::new();
    };
    if let Some(value) = fields.required(reader, "exUnit")
        && let Some(unit) = reader.text(value)
    {
        let expected = match reader.is_contract() {
            true => Published::by_name(op).map(|row| row.unit.name()),
            false => names::unit(op),
        };
        if !matches!(unit, "pt" | "sfp") || expected.is_some_and(|expected| expected != unit) {
            let message = format!(
                "'{}' runs on '{}', not on '{}'",
                op.escape_default(),
                expected.unwrap_or("pt' or 'sfp"),
                unit.escape_default()
            );
            reader.report(UNIT_AND_FORMAT, value.offset, message);
        }
    }
    if let Some(value) = fields.required(reader, "opFuncName")
        && let Some(name) = reader.text(value).filter(|name| *name != op)
    {
        let (name, op) = (name.escape_default(), op.escape_default());
        let message = format!("computes '{name}', but the description is of '{op}'");
        reader.report(COMPUTE, value.offset, message);
    }
    let attributes = fields.required(reader, "attributes_");
    if let Some(value) = fields.required_by(NO_LOCATION, reader, "location") {
        reader.fixed_text(value, "Inner", LOCATION);
    }
    let inputs = fields.required(reader, "inputLabeledDs");
    let outputs = fields.required(reader, "outputLabeledDs");
    let indices = fields.optional("indirectAccessIndexLabeledDs");
    if reader.is_contract() {
        // The schema has it, and no page documents its use.
        fields.optional("interimLabeledDs");
    }
    fields.finish(reader);
    if let Some(value) = attributes {
        compute_attributes(reader, value, op, tensors, indices.is_some());
    }
    match tensors {
        Some(tensors) => {
            let lists = [inputs, outputs, indices];
            operands(reader, (op, item.offset), lists, tensors)
        }
        None => Vec::new(),
    }
}

fn compute_attributes(
    reader: &mut Reader,
    json: &Json<'_>,
    op: &str,
    tensors: Option<&[Descriptor<'_>]>,
    is_indirect: bool,
) {
    let Some(mut fields) = reader.fields(json) else {
        return;
    };
    let format = fields.required(reader, "dataFormat_");
    let format = format.and_then(|json| Some((json, reader.text(json)?)));
    // Both conversions of 32-bit integers compute in the float (K32).
    if reader.is_contract() && matches!(op, "fp32toint32" | "int32tofp32") {
        if let Some((value, format)) = format.filter(|(_, format)| *format != "IEEE_FP32") {
            let format = format.escape_default();
            let message = format!("is '{format}', but '{op}' computes in 'IEEE_FP32'");
            reader.report(CAST_COMPUTES, value.offset, message);
        }
    } else if let Some((value, format)) = format
        && let Some(tensor) = tensors.and_then(|tensors| tensors.get(usize::from(is_indirect)))
        && tensor.format != format
    {
        let message = format!(
            "is '{}', but tensor {} has '{}'",
            format.escape_default(),
            tensor.number,
            tensor.format
        );
        reader.report(UNIT_AND_FORMAT, value.offset, message);
    }
    if let Some(value) = fields.required(reader, "fidelity_") {
        reader.fixed(value, &Fixed::Text("regular"));
    }
    fields.finish(reader);
}

/// Checks the inputs, outputs and index tensors by their names `Tensor{i}-idx{i}`. Returns the index tensors.
fn operands(
    reader: &mut Reader,
    (op, offset): (&str, usize),
    [inputs, outputs, indices]: [Option<&Json<'_>>; 3],
    tensors: &[Descriptor<'_>],
) -> Vec<usize> {
    let mut used = vec![false; tensors.len()];
    let mut list = |reader: &mut Reader, json: &Json<'_>| -> Vec<usize> {
        let mut numbers = Vec::new();
        for (name, offset) in reader.texts(json).unwrap_or_default() {
            let number = name
                .strip_prefix("Tensor")
                .and_then(|rest| rest.split_once("-idx"))
                .and_then(|(number, _)| number.parse::<usize>().ok())
                .filter(|number| {
                    *number < tensors.len() && name == format!("Tensor{number}-idx{number}")
                });
            match number {
                Some(number) => {
                    if let Some(used) = used.get_mut(number) {
                        *used = true;
                    }
                    numbers.push(number);
                }
                None => {
                    let message = format!("'{}' is no tensor of the file", name.escape_default());
                    reader.report(OPERAND_NAMES, offset, message);
                }
            }
        }
        numbers
    };
    if let Some(json) = inputs {
        let numbers = list(reader, json);
        in_order(reader, json, "inputs", &numbers);
    }
    if let Some(json) = outputs {
        let numbers = list(reader, json);
        let last = tensors.len().checked_sub(1);
        if numbers.as_slice() != last.as_slice() {
            let last = last.map_or("none".to_owned(), |last| last.to_string());
            let message = format!("the result must be the last tensor, {last}");
            reader.report(OPERANDS, json.offset, message);
        }
    }
    let listed = indices.map(|json| {
        let numbers = list(reader, json);
        in_order(reader, json, "index tensors", &numbers);
        numbers
    });
    let rule = match op {
        "exx2" | "layernormscale" | "layernormnorm" => NORMALISED_OPERANDS,
        _ => OPERAND_COUNT,
    };
    for (number, _) in used.iter().enumerate().filter(|(_, used)| !**used) {
        let message = format!("tensor {number} is no operand of the operation");
        reader.report(rule, offset, message);
    }
    listed.unwrap_or_else(Vec::new)
}

/// Checks that tensors are numbered as the operation takes them. The order matters: a difference of tensors 1 and 0 is not one of
/// tensors 0 and 1.
fn in_order(reader: &mut Reader, json: &Json<'_>, what: &str, numbers: &[usize]) {
    if numbers.is_sorted_by(|a, b| a < b) {
        return;
    }
    let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
    let message = format!(
        "the {what} are tensors {}, but must be in their order",
        numbers.join(", ")
    );
    reader.report(INPUT_ORDER, json.offset, message);
}

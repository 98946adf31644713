//! `computeOp_`: the computation and its tensors.

use spyre_bundle_files::json::Json;

use super::super::reader::{Fixed, Reader};
use super::super::rules::{COMPUTE, INPUT_ORDER, OPERANDS};
use super::descriptors::Descriptor;
use super::names;

/// Checks the operation against the description and its tensors.
pub(super) fn check(
    reader: &mut Reader,
    json: &Json<'_>,
    op: &str,
    tensors: Option<&[Descriptor<'_>]>,
) {
    let Some(items) = reader.array(json) else {
        return;
    };
    let [item] = items else {
        let message = format!("there are {} operations, but must be one", items.len());
        reader.report(COMPUTE, json.offset, message);
        return;
    };
    let Some(mut fields) = reader.fields(item) else {
        return;
    };
    if let Some(value) = fields.required(reader, "exUnit")
        && let Some(unit) = reader.text(value)
    {
        let expected = names::unit(op);
        if !matches!(unit, "pt" | "sfp") || expected.is_some_and(|expected| expected != unit) {
            let message = format!(
                "'{}' runs on '{}', not on '{}'",
                op.escape_default(),
                expected.unwrap_or("pt' or 'sfp"),
                unit.escape_default()
            );
            reader.report(COMPUTE, value.offset, message);
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
    if let Some(value) = fields.required(reader, "location") {
        reader.fixed(value, &Fixed::Text("Inner"));
    }
    let inputs = fields.required(reader, "inputLabeledDs");
    let outputs = fields.required(reader, "outputLabeledDs");
    let indices = fields.optional("indirectAccessIndexLabeledDs");
    fields.finish(reader);
    if let Some(value) = attributes {
        compute_attributes(reader, value, tensors, indices.is_some());
    }
    if let Some(tensors) = tensors {
        operands(reader, item.offset, [inputs, outputs, indices], tensors);
    }
}

fn compute_attributes(
    reader: &mut Reader,
    json: &Json<'_>,
    tensors: Option<&[Descriptor<'_>]>,
    is_indirect: bool,
) {
    let Some(mut fields) = reader.fields(json) else {
        return;
    };
    if let Some(value) = fields.required(reader, "dataFormat_")
        && let Some(format) = reader.text(value)
        && let Some(tensor) = tensors.and_then(|tensors| tensors.get(usize::from(is_indirect)))
        && tensor.format != format
    {
        let message = format!(
            "is '{}', but tensor {} has '{}'",
            format.escape_default(),
            tensor.number,
            tensor.format
        );
        reader.report(COMPUTE, value.offset, message);
    }
    if let Some(value) = fields.required(reader, "fidelity_") {
        reader.fixed(value, &Fixed::Text("regular"));
    }
    fields.finish(reader);
}

/// Checks the inputs, outputs and index tensors by their names `Tensor{i}-idx{i}`.
fn operands(
    reader: &mut Reader,
    offset: usize,
    [inputs, outputs, indices]: [Option<&Json<'_>>; 3],
    tensors: &[Descriptor<'_>],
) {
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
                    reader.report(OPERANDS, offset, message);
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
    if let Some(json) = indices {
        let numbers = list(reader, json);
        in_order(reader, json, "index tensors", &numbers);
    }
    for (number, _) in used.iter().enumerate().filter(|(_, used)| !**used) {
        let message = format!("tensor {number} is no operand of the operation");
        reader.report(OPERANDS, offset, message);
    }
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

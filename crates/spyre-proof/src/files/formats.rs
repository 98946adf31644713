//! The formats of elements: those of the tensors of a file are those of the program (contract, K3).

use super::operation::{Fault, wrong};
use super::tensor::Tensor;
use crate::program::{Statement, Value};

/// The format of 32-bit integers, and the one whose name copies of them have: the bits are moved as they are.
const INT32: &str = "IEEE_INT32";
const FP32: &str = "IEEE_FP32";
/// The format of the indices of a gather.
const INDEX: &str = "SENUINT32";

/// Checks the format of a tensor of a file. `operand` is its number, `None` for the result.
///
/// # Errors
/// The format is another one, or the element type has none.
pub(super) fn check(
    statement: &Statement,
    operand: Option<usize>,
    value: &Value,
    tensor: &Tensor,
) -> Result<(), Fault> {
    let Some(expected) = expected(statement, operand, value) else {
        return Err(Fault::Unmodelled(format!(
            "the format of {}",
            value.element
        )));
    };
    if tensor.format == expected {
        return Ok(());
    }
    let message = format!(
        "{}, and {expected} in the program, which has elements of {}",
        tensor.format, value.element
    );
    wrong(format!("labeledDs_/{}/dataFormat_", tensor.index), message)
}

/// Returns the format of a tensor in the program.
fn expected(statement: &Statement, operand: Option<usize>, value: &Value) -> Option<&'static str> {
    let name = &statement.key.name[..];
    if (name, operand) == ("gather", Some(0)) {
        return Some(INDEX);
    }
    let format = match value
        .layout
        .as_ref()
        .and_then(|layout| layout.format_override())
    {
        Some(format) => format.name(),
        None => match &value.element[..] {
            "f16" | "bf16" | "i1" => "SEN169_FP16",
            "f32" => FP32,
            "i32" | "i64" => INT32,
            "i8" => "SENINT8",
            "f8E4M3FN" => "SEN143_FP8",
            "f8E5M2" => "SEN152_FP8",
            _ => return None,
        },
    };
    let is_moved = matches!(name, "bitcast" | "copy" | "gather" | "relayout");
    Some(if is_moved && format == INT32 {
        FP32
    } else {
        format
    })
}

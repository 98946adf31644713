//! The addition to MLIR's hover over the name of an operation: the documentation of the operation, and the place and
//! the layout of each of its tensors.

use std::fmt::Write as _;

use melior::Context;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};
use spyre_analysis::walk::started_from;
use spyre_bundle::plan::layout_words;
use spyre_dialects::attr::{self, Place};
use spyre_dialects::device_op::{DeviceOp, EmptyOp};
use spyre_dialects::names::PLACE;
use spyre_mlir_rt::ir::{self, Op, OpKind, Source, Val};

use crate::dialect_docs;
use crate::document::{Document, word_at};
use crate::program::with_program;

/// Returns the text about the operation whose name is at a cursor, as markdown; `None` if there is nothing to add.
pub(crate) fn words(context: &Context, document: &Document, cursor: usize) -> Option<String> {
    let text = &document.program_at(cursor)?;
    let word = word_at(text, cursor);
    // The names of operations have a dialect, except for a few that have no documentation here.
    let name = &text[word.clone()];
    if !name.contains('.') {
        return None;
    }
    let documentation = dialect_docs::of_op(name).map(str::to_owned);
    let is_quoted = text[..word.start].ends_with('"');
    let start = word.start - usize::from(is_quoted);
    let tensors = with_program(context, document.name(), text, |program| {
        program.op_at(start).and_then(tensors)
    });
    let texts: Vec<String> = documentation.into_iter().chain(tensors.flatten()).collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

/// Returns the tensors of a device operation, with their places and layouts; `None` for any other operation.
fn tensors(op: Op<'_>) -> Option<String> {
    DeviceOp::cast(op)?;
    let operands = op.operands().enumerate();
    let operands = operands.map(|(number, value)| (format!("Operand {number}"), value));
    let results = ir::results(op).map(|value| ("Result".to_owned(), value));
    let mut list = String::new();
    let mut layouts = String::new();
    let mut seen: Vec<Type<'_>> = Vec::new();
    for (label, value) in operands.chain(results) {
        let ty = value.r#type();
        if !ir::is_ranked_tensor(ty) {
            continue;
        }
        // Writing to a String cannot fail.
        let _ = writeln!(list, "* {label}: {}", place_words(value));
        if !seen.contains(&ty) {
            seen.push(ty);
            let _ = writeln!(layouts, "{}", layout_of(ty));
        }
    }
    Some(format!("**Tensors**\n\n{list}\n```text\n{layouts}```"))
}

/// Returns the words about the layout of a tensor, in lines.
fn layout_of(ty: Type<'_>) -> String {
    let Some(words) = layout_words(ty) else {
        return format!("{ty} has no layout yet, or a dynamic extent\n");
    };
    // After an empty line follow the copies between host and device.
    let lines = words.lines().take_while(|line| !line.is_empty());
    lines.map(|line| format!("{line}\n")).collect()
}

/// Returns the words about the place of a value.
fn place_words(value: Val<'_>) -> String {
    match ir::source(value) {
        Source::Result(op, _) => {
            let device = DeviceOp::cast(op).map(DeviceOp::place);
            if let Some(place) = device.or_else(|| EmptyOp::cast(op).map(EmptyOp::place)) {
                return place.map_or_else(no_place, words_of);
            }
            match (ir::kind(op), started_from(value)) {
                (_, Some(init)) => place_words(init),
                (OpKind::ExtractSlice, _) => {
                    format!("a window of a tensor: {}", operand_place(op, 0))
                }
                // The result is the destination with the window in it.
                (OpKind::InsertSlice, _) => operand_place(op, 1),
                _ => no_place(),
            }
        }
        Source::Argument(block, number) => {
            if let Some(init) = started_from(value) {
                return place_words(init);
            }
            let place = block
                .parent_operation()
                .and_then(|function| ir::argument_attribute(function, number, PLACE));
            place.and_then(attr::place).map_or_else(no_place, words_of)
        }
    }
}

/// Returns the words about the place of an operand.
fn operand_place(op: Op<'_>, number: usize) -> String {
    ir::operand(op, number).map_or_else(no_place, place_words)
}

fn no_place() -> String {
    "no place yet".to_owned()
}

fn words_of(place: Place) -> String {
    match place {
        Place::Arg(number) => format!("kernel argument {number}, in device memory (HBM)"),
        Place::Pool(offset) => format!("in the kernel's pool in device memory (HBM), at {offset}"),
        Place::Lx(address) => format!("in every core's scratchpad (LX), at {address}"),
        Place::Window => "in the window of the tensor that it is inserted into".to_owned(),
    }
}

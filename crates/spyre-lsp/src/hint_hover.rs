//! Hover inside of `tile [...]`: the extent of the dimension, its tiles, and the unit in which it is cut.

use melior::Context;
use serde_json::{Value, json};
use spyre_planning::coarse_tile::{HintTiles, NamedExtent, OpDim};

use crate::document::Document;
use crate::hints::{HintList, HintText};
use crate::program::{HintedOp, hinted_op};

/// Returns the hover of a hint at a cursor; `None` if there is no hint of a device operation, or the program does not
/// parse.
pub(crate) fn hover(context: &Context, document: &Document, cursor: usize) -> Option<Value> {
    let text = &document.program_at(cursor)?;
    let list = HintList::around(text, cursor)?;
    let mut hints = list.hints(text).into_iter();
    let hint = hints.find(|hint| hint.range.start <= cursor && cursor <= hint.range.end)?;
    let op = hinted_op(context, document.name(), text, list.start)?;
    Some(json!({
        "contents": {"kind": "markdown", "value": words(&hint, &op)?},
        "range": document.range(&hint.range),
    }))
}

/// Returns the words about a hint of an operation; `None` if the hint has no name yet.
fn words(hint: &HintText, op: &HintedOp) -> Option<String> {
    let name = hint.dim.as_deref()?;
    let tiles = op
        .tiles
        .iter()
        .find(|tiles| Some(tiles.scope) == hint.scope);
    let has_name = |dim: &OpDim| dim.names.iter().any(|named| named.name == name);
    // A dimension may have its name by the operations that read it: then only the plan has it. In a function with dynamic
    // extents a scope of the plan may be that of a loop over such an extent, which has no hint.
    let is_of_plan = |tiles: &&HintTiles| {
        let mut others = op.other_dims.iter();
        others.any(|named| named.name == name && named.extent == op.dims[tiles.dim].extent)
    };
    let of_plan = || Some(tiles.filter(is_of_plan)?.dim);
    let number = op.dims.iter().position(has_name).or_else(of_plan);
    let Some(number) = number else {
        return Some(missing(name, op));
    };
    let dim = &op.dims[number];
    let extent = dim.names.iter().find(|named| named.name == name);
    let extent = extent.map_or(dim.extent, |named| named.extent);
    let tiles = match tiles {
        Some(tiles) => tile_words(tiles),
        None => "No loop cuts it: there is one tile, or the pass refuses the hint.".to_owned(),
    };
    Some(format!(
        "`\"{name}\"`: dimension {number} of `{}`\n\n{}\n\n{tiles}",
        op.name,
        dim_words(dim, extent)
    ))
}

/// Returns the words about a hint with a name that no dimension of the operation has.
fn missing(name: &str, op: &HintedOp) -> String {
    let names = op.dims.iter().flat_map(|dim| &dim.names);
    let names = names.map(|named| format!("`\"{}\"` of {}", named.name, size_words(named)));
    let names: Vec<String> = names.collect();
    let dims = match names.is_empty() {
        true => {
            "None of its dimensions has a name; `spyre.dims` names those of an argument.".to_owned()
        }
        false => format!("Its dimensions: {}.", names.join(", ")),
    };
    format!("`{}` has no dimension `\"{name}\"`. {dims}", op.name)
}

/// Returns the extent of a name in words: `512 elements`, `at most 512 elements` for a dynamic one.
pub(crate) fn size_words(named: &NamedExtent) -> String {
    match named.extent {
        Some(extent) if named.is_dynamic => format!("at most {extent} elements"),
        Some(extent) => format!("{extent} elements"),
        None => "a dynamic extent without bounds".to_owned(),
    }
}

/// Returns the words about a dimension: the extent of the named part, whether it is on a stick, and the unit of its
/// tiles. `extent` is that of the named part, `None` for a dynamic one without bounds.
pub(crate) fn dim_words(dim: &OpDim, extent: Option<u64>) -> String {
    let size = match (dim.extent, extent, dim.granularity) {
        (None, ..) | (_, None, _) => "The extent is dynamic, without bounds.".to_owned(),
        (_, Some(extent), Some(granularity)) => {
            format!(
                "At most {extent} elements; the extent is dynamic, a multiple of {granularity}."
            )
        }
        (Some(whole), Some(extent), None) if whole != extent => {
            format!("{extent} elements, merged with others into a dimension of {whole}.")
        }
        (_, Some(extent), None) => format!("{extent} elements."),
    };
    let unit = match dim.unit {
        _ if !dim.is_divisible => {
            "No loop cuts it: it is normalised, or windows overlap along it.".to_owned()
        }
        Some(1) => "Not on a stick: granularity 1, a tile may have any extent.".to_owned(),
        Some(unit) => {
            format!("On a stick: granularity {unit}, a tile is whole sticks of {unit} elements.")
        }
        None => "The operation has a tensor that has no place in device memory yet.".to_owned(),
    };
    format!("{size} {unit}")
}

/// Returns the words about the tiles of a hint.
fn tile_words(tiles: &HintTiles) -> String {
    let HintTiles {
        count,
        tile,
        last,
        extent,
        ..
    } = tiles;
    match count {
        1 => format!("1 tile of all {extent} elements: no loop."),
        count if tile == last => format!("{count} tiles of {tile} elements."),
        count => format!("{count} tiles of {tile} elements, the last one of {last}."),
    }
}

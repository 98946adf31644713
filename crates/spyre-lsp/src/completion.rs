//! Completion inside of `tile [...]`: the dimensions of the function's operations, and the words that follow a name.

use std::ops::Range;

use melior::Context;
use serde_json::{Value, json};
use spyre_dialects::hint::TileHint;
use spyre_planning::coarse_tile::OpDim;

use crate::document::Document;
use crate::hint_hover::dim_words;
use crate::hints::{Expected, HintList};
use crate::program::{HintedOp, hinted_op};

/// The most numbers that are proposed for one dimension.
const MOST_NUMBERS: usize = 12;

/// The kinds of completion items, as the protocol numbers them.
mod kind {
    pub(super) const VALUE: u32 = 12;
    pub(super) const KEYWORD: u32 = 14;
    pub(super) const SNIPPET: u32 = 15;
    pub(super) const ENUM_MEMBER: u32 = 20;
}

/// An item of a list of proposals.
struct Item {
    label: String,
    kind: u32,
    detail: String,
    documentation: String,
    /// The text that takes the place of the range at the cursor.
    text: String,
}

/// Returns the proposals at a cursor in a list of hints; `None` if it is in no list, or the list is not that of a
/// device operation.
pub(crate) fn items(context: &Context, document: &Document, cursor: usize) -> Option<Value> {
    let text = &document.program_at(cursor)?;
    let list = HintList::around(text, cursor)?;
    let candidates = list.without(text, cursor);
    let mut candidates = candidates.iter();
    let op = candidates.find_map(|text| hinted_op(context, document.name(), text, list.start))?;
    let (range, items) = proposals(text, &list, cursor, &op);
    let range = document.range(&range);
    let numbered = items.iter().enumerate();
    let items: Vec<Value> = numbered
        .map(|(number, item)| item.value(number, &range))
        .collect();
    Some(json!({"isIncomplete": false, "items": items}))
}

/// Returns the proposals, and the range that they take the place of.
fn proposals(
    text: &str,
    list: &HintList,
    cursor: usize,
    op: &HintedOp,
) -> (Range<usize>, Vec<Item>) {
    let here = cursor..cursor;
    match list.expected(text, cursor) {
        Expected::Hint => (here, hints(text, list, op)),
        Expected::Dim => (here, dims(op, |name| format!("\"{name}\""))),
        Expected::DimInQuotes(range) => (range, dims(op, str::to_owned)),
        Expected::Keyword(range) => (range, keywords()),
        Expected::Count(dim) => (here, numbers(op, &dim, |count, _| count)),
        Expected::Size(dim) => (here, numbers(op, &dim, |_, tile| tile)),
        Expected::Other => (here, Vec::new()),
    }
}

/// Returns proposals of complete hints: those of the other operations of the function, then each dimension in the
/// next scope.
fn hints(text: &str, list: &HintList, op: &HintedOp) -> Vec<Item> {
    let written = list.hints(text);
    let last = written.iter().filter_map(|hint| hint.scope).max();
    let scope = last.map_or(0, |last| last.saturating_add(1));
    let others = op.other_hints.iter().filter(|_| written.is_empty());
    let mut items: Vec<Item> = others.map(|hints| same_hints(hints)).collect();
    items.extend(dims(op, |name| format!("{scope}: \"{name}\"")));
    items
}

/// Returns the proposal of the hints of another operation.
fn same_hints(hints: &[TileHint]) -> Item {
    let hint = |hint: &TileHint| format!("{}: \"{}\" {}", hint.scope, hint.dim, hint.tiles);
    let text = hints.iter().map(hint).collect::<Vec<_>>().join(", ");
    Item {
        label: text.clone(),
        kind: kind::SNIPPET,
        detail: "the hints of another operation".to_owned(),
        documentation:
            "Operations in a row with the same hints are tiled together, in one nest of loops."
                .to_owned(),
        text,
    }
}

/// Returns proposals of the names of dimensions: those of the operation, then those of the other operations of the
/// function.
fn dims(op: &HintedOp, text: impl Fn(&str) -> String) -> Vec<Item> {
    let item = |name: &str, detail: String, documentation: String| Item {
        label: text(name),
        kind: kind::ENUM_MEMBER,
        detail,
        documentation,
        text: text(name),
    };
    let numbered = op.dims.iter().enumerate();
    let of_op =
        numbered.flat_map(|(number, dim)| dim.names.iter().map(move |named| (number, dim, named)));
    let mut items: Vec<Item> = of_op
        .map(|(number, dim, named)| {
            let detail = format!("dimension {number} of {}", op.name);
            item(&named.name, detail, dim_words(dim, named.extent))
        })
        .collect();
    items.extend(op.other_dims.iter().map(|named| {
        let detail = "a dimension of another operation".to_owned();
        let documentation = format!(
            "{} elements. {} has no such dimension: in a group with operations that have it, the loops repeat the \
             operation, or it is outside of them.",
            named.extent, op.name
        );
        item(&named.name, detail, documentation)
    }));
    items
}

fn keywords() -> Vec<Item> {
    let keyword = |word: &str, detail: &str, documentation: &str| Item {
        label: word.to_owned(),
        kind: kind::KEYWORD,
        detail: detail.to_owned(),
        documentation: documentation.to_owned(),
        text: format!("{word} "),
    };
    vec![
        keyword(
            "in",
            "in N: a number of tiles",
            "`in 4`: 4 tiles of the dimension, all of one extent but perhaps the last. Along a stick, tiles are whole \
             sticks, so there may be fewer.",
        ),
        keyword(
            "by",
            "by N: the extent of a tile",
            "`by 64`: tiles of 64 elements. Their number follows from the extent, that of the outer tile where a dimension \
             is cut twice. A \
             dynamic dimension needs this form.",
        ),
    ]
}

/// Returns proposals of numbers: those of the numbers of equal tiles of a dimension, and the extents of the tiles,
/// that `pick` chooses.
fn numbers(op: &HintedOp, dim: &str, pick: impl Fn(u64, u64) -> u64) -> Vec<Item> {
    let has_name = |(_, name): &(&OpDim, &str)| *name == dim;
    let mut named = op.dims.iter().flat_map(|dim| {
        dim.names
            .iter()
            .map(move |named| (dim, named.name.as_str()))
    });
    let Some((
        OpDim {
            extent: Some(extent),
            unit,
            ..
        },
        _,
    )) = named.find(has_name)
    else {
        return Vec::new();
    };
    let unit = unit.unwrap_or(1);
    let counts = (2..=*extent / unit).filter(|count| extent.is_multiple_of(count * unit));
    let items = counts.take(MOST_NUMBERS).map(|count| {
        let tile = extent / count;
        let number = pick(count, tile).to_string();
        Item {
            label: number.clone(),
            kind: kind::VALUE,
            detail: format!("{count} tiles of {tile}"),
            documentation: format!(
                "{extent} elements of \"{dim}\" in {count} equal tiles of {tile}."
            ),
            text: number,
        }
    });
    items.collect()
}

impl Item {
    /// Returns the item in the terms of the protocol, at a position of the list.
    fn value(&self, number: usize, range: &Value) -> Value {
        json!({
            "label": self.label,
            "kind": self.kind,
            "detail": self.detail,
            "documentation": {"kind": "markdown", "value": self.documentation},
            // Editors sort by label otherwise.
            "sortText": format!("{number:04}"),
            "textEdit": {"range": range, "newText": self.text},
        })
    }
}

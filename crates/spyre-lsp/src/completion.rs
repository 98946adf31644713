//! Completion inside of `tile [...]`: the dimensions of the function's operations, and the words that follow a name.

use std::ops::Range;

use melior::Context;
use serde_json::{Value, json};
use spyre_dialects::hint::TileHint;
use spyre_plan::lcm;
use spyre_planning::coarse_tile::OpDim;

use crate::document::Document;
use crate::hint_hover::{dim_words, size_words};
use crate::hints::{Expected, HintList};
use crate::program::{HintedOp, hinted_op};

/// The most numbers that are proposed for one dimension.
const MOST_NUMBERS: usize = 12;

/// The largest number that is tried as a divisor. So all divisors of a number below 2^32 are found.
const LARGEST_TRIAL: u64 = 1 << 16;

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
        Expected::Count(dim) => (here, numbers(op, &dim, Wanted::Count)),
        Expected::Size(dim) => (here, numbers(op, &dim, Wanted::Size)),
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
            "A dimension of {}. {} has no such dimension: in a group with operations that have it, the loops repeat \
             the operation, or it is outside of them.",
            size_words(named),
            op.name
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
            "`by 64`: tiles of 64 elements. Their number follows from the extent, that of the outer tile where a \
             dimension is cut twice. A dynamic dimension needs this form.",
        ),
    ]
}

/// The number that follows a name: after `in`, or after `by`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// The number of tiles.
    Count,
    /// The extent of a tile, in elements.
    Size,
}

/// Returns proposals of numbers for a dimension.
fn numbers(op: &HintedOp, name: &str, wanted: Wanted) -> Vec<Item> {
    let has_name = |dim: &&OpDim| dim.names.iter().any(|named| named.name == name);
    let Some(dim) = op.dims.iter().find(has_name) else {
        return Vec::new();
    };
    let Some(extent) = dim.extent else {
        return Vec::new(); // nothing is a divisor of an extent without bounds
    };
    match (dim.granularity, wanted) {
        (None, wanted) => equal_tiles(name, extent, dim.unit.unwrap_or(1), wanted),
        (Some(granularity), Wanted::Size) => dynamic_tiles(name, dim, extent, granularity),
        // Tiles of a dynamic extent have no fixed number.
        (Some(_), Wanted::Count) => Vec::new(),
    }
}

/// Returns proposals of equal tiles of a static extent: those with the fewest tiles.
fn equal_tiles(name: &str, extent: u64, unit: u64, wanted: Wanted) -> Vec<Item> {
    let counts = units_in(extent, unit).map_or_else(Vec::new, divisors);
    let counts = counts.into_iter().filter(|count| *count > 1);
    let items = counts.take(MOST_NUMBERS).map(|count| {
        let tile = extent / count;
        let number = match wanted {
            Wanted::Count => count,
            Wanted::Size => tile,
        };
        number_item(
            number,
            format!("{count} tiles of {tile}"),
            format!("{extent} elements of \"{name}\" in {count} equal tiles of {tile}."),
        )
    });
    items.collect()
}

/// Returns proposals of tiles of a dynamic extent of at most `max`: those that allow all of its extents, largest
/// first, then those that allow some, smallest first.
fn dynamic_tiles(name: &str, dim: &OpDim, max: u64, granularity: u64) -> Vec<Item> {
    let unit = dim.unit.unwrap_or(1);
    let tiles = units_in(max, unit).map_or_else(Vec::new, divisors);
    let tiles = tiles.into_iter().map(|units| units * unit);
    let (mut all, some): (Vec<u64>, Vec<u64>) =
        tiles.partition(|tile| granularity.is_multiple_of(*tile));
    all.reverse();
    // A tile of the largest extent would leave no other extent.
    let some = some.into_iter().filter(|tile| *tile < max);
    let items = all.into_iter().chain(some).take(MOST_NUMBERS).map(|tile| {
        let left = match granularity.is_multiple_of(tile) {
            true => String::new(),
            false => {
                let multiple = lcm(granularity, tile);
                format!(" The extent is then a multiple of {multiple}.")
            }
        };
        number_item(
            tile,
            format!("at most {} tiles of {tile}", max / tile),
            format!(
                "At most {max} elements of \"{name}\", a multiple of {granularity}, in tiles of {tile}.{left}"
            ),
        )
    });
    items.collect()
}

fn number_item(number: u64, detail: String, documentation: String) -> Item {
    Item {
        label: number.to_string(),
        kind: kind::VALUE,
        detail,
        documentation,
        text: number.to_string(),
    }
}

/// Returns the number of units in an extent; `None` if the extent is none, or no whole number of units.
fn units_in(extent: u64, unit: u64) -> Option<u64> {
    (extent > 0 && extent.is_multiple_of(unit)).then(|| extent / unit)
}

/// Returns the divisors of a positive number in ascending order: all up to [`LARGEST_TRIAL`], and the quotients of the
/// number by these.
fn divisors(number: u64) -> Vec<u64> {
    let trials = 1..=number.isqrt().min(LARGEST_TRIAL);
    let small: Vec<u64> = trials.filter(|it| number.is_multiple_of(*it)).collect();
    let quotients = small.iter().rev().map(|divisor| number / divisor);
    let mut divisors: Vec<u64> = small.iter().copied().chain(quotients).collect();
    // The root of a square is its own quotient.
    divisors.dedup();
    divisors
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

#[cfg(test)]
mod tests {
    use spyre_planning::coarse_tile::NamedExtent;

    use super::*;

    /// Returns an operation of one dimension "S" in sticks of 64.
    fn op(extent: u64, granularity: Option<u64>) -> HintedOp {
        let named = NamedExtent {
            name: "S".to_owned(),
            extent: Some(extent),
            is_dynamic: granularity.is_some(),
        };
        HintedOp {
            name: "spyre.exp".to_owned(),
            dims: vec![OpDim {
                names: vec![named],
                extent: Some(extent),
                granularity,
                unit: Some(64),
                is_divisible: true,
            }],
            tiles: Vec::new(),
            other_dims: Vec::new(),
            other_hints: Vec::new(),
        }
    }

    fn labels(op: &HintedOp, wanted: Wanted) -> Vec<String> {
        let items = numbers(op, "S", wanted).into_iter();
        items.map(|item| item.label).collect()
    }

    #[test]
    fn divisors_are_in_order_and_the_search_ends() {
        assert_eq!(divisors(1), [1]);
        assert_eq!(divisors(36), [1, 2, 3, 4, 6, 9, 12, 18, 36]);
        assert_eq!(divisors(97), [1, 97]);
        // A prime near 10^12, and a product of two primes that are not tried.
        assert_eq!(divisors(999_999_999_989), [1, 999_999_999_989]);
        assert_eq!(divisors(1_000_003 * 1_000_033), [1, 1_000_003 * 1_000_033]);
        assert_eq!(divisors(1 << 63).len(), 17 + 17);
    }

    #[test]
    fn tiles_of_a_static_extent_are_equal_and_whole_sticks() {
        assert_eq!(
            labels(&op(768, None), Wanted::Count),
            ["2", "3", "4", "6", "12"]
        );
        assert_eq!(
            labels(&op(768, None), Wanted::Size),
            ["384", "256", "192", "128", "64"]
        );
        assert!(labels(&op(250, None), Wanted::Count).is_empty());
        assert!(labels(&op(64 * 999_999_999_989, None), Wanted::Size)[..] == ["64"]);
    }

    #[test]
    fn tiles_of_a_dynamic_extent_have_an_extent_and_no_number() {
        let dynamic = op(768, Some(256));
        assert!(labels(&dynamic, Wanted::Count).is_empty());
        assert_eq!(
            labels(&dynamic, Wanted::Size),
            ["256", "128", "64", "192", "384"]
        );
        let items = numbers(&dynamic, "S", Wanted::Size);
        assert_eq!(items[0].detail, "at most 3 tiles of 256");
        assert!(
            items[3]
                .documentation
                .ends_with("The extent is then a multiple of 768."),
            "{}",
            items[3].documentation
        );
        // The one extent of a dimension is a tile.
        assert_eq!(labels(&op(64, Some(64)), Wanted::Size), ["64"]);
    }
}

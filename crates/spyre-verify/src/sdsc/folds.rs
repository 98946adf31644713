//! The coordinates of a tensor: how each dimension is folded over cores, sticks and elements.

use rustc_hash::FxHashSet;

use spyre_bundle_files::json::Json;

use super::super::reader::{Fields, Fixed, Reader};
use super::super::rules::{
    BEGUN_STICKS, EMPTY_FOLD, FOLDS, NO_PADDING_FOLDS, RELAYOUT_PARTS, Rule, SLICE_COVER,
    WINDOW_PADDING,
};
use super::descriptors::Descriptor;
use super::nodes::Plan;
use super::root::{SliceLimit, Work, core_entries, core_slices, entries_of};
use super::windows::{self, Windows};

/// The division of a tensor that is divided differently from its operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Division {
    /// The number of slices of each dimension.
    pub splits: Vec<u64>,
    /// The slices of each core.
    pub slices: Vec<Vec<u64>>,
}

/// Checks `coordinates_` (SDSC bundle specification, section 5). Returns the division that they have for themselves.
pub(super) fn coordinates(
    reader: &mut Reader,
    json: &Json<'_>,
    tensor: &Descriptor<'_>,
    plan: &Plan<'_, '_>,
    walked: &[&Windows<'_>],
) -> Option<Division> {
    let mut fields = reader.fields(json)?;
    let info = fields.required(reader, "coordInfo");
    let division = fields.required(reader, "coreIdToWkSlice_");
    let division =
        division.and_then(|value| tensor_slices(reader, value, plan.work, tensor.number == 0));
    fields.finish(reader);
    let Some((json, entries)) = info.and_then(|json| Some((json, reader.entries(json)?))) else {
        return division;
    };
    let order = &tensor.layout.order;
    if entries.len() != order.len() || entries.iter().any(|entry| !order.contains(&&*entry.key)) {
        let message = format!(
            "has the dimensions {}, but '{}' has {}",
            entries
                .iter()
                .map(|entry| entry.key.escape_default().to_string())
                .collect::<Vec<_>>()
                .join(", "),
            tensor.layout.label,
            order.join(", ")
        );
        reader.report(FOLDS, json.offset, message);
        return division;
    }
    let form = match reader.is_contract() {
        true => Form::Contract,
        false => Form::Recorded,
    };
    let splits = division.as_ref().map(|division| division.splits.as_slice());
    for entry in entries {
        let windows = walked.iter().find(|windows| windows.dim == entry.key);
        let expected = match windows {
            Some(windows) => expected_windows(windows, plan),
            None => expected(&entry.key, tensor, plan, splits, form),
        };
        dimension(
            reader,
            &entry.value,
            expected,
            Padding::new(windows, plan, form),
        );
    }
    division
}

/// The way in which a fold counts the sticks of a dimension.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Whole sticks, so 0 of a part of a stick.
    Recorded,
    /// The sticks that are begun (K57).
    Contract,
}

/// The words for padding that coordinates may have, and the rule that allows them.
struct Padding {
    words: &'static [&'static str],
    rule: Rule,
}

impl Padding {
    /// Returns the words for a dimension with windows, or without.
    fn new(windows: Option<&&Windows<'_>>, plan: &Plan<'_, '_>, form: Form) -> Self {
        let words: &[&str] = match (windows, form) {
            (Some(_), Form::Recorded) => &windows::PADDINGS,
            (Some(windows), Form::Contract) if windows.is_padded => &windows::PADDINGS[1..],
            (Some(_), Form::Contract) => &windows::PADDINGS[..1],
            (None, _) => &["nopad"],
        };
        match windows {
            Some(_) => Self {
                words,
                rule: WINDOW_PADDING,
            },
            None => Self {
                words,
                rule: match plan.windows {
                    [] => NO_PADDING_FOLDS,
                    _ => WINDOW_PADDING,
                },
            },
        }
    }
}

/// Reads the table of slices in the coordinates of a tensor that moves between cores. The table is a separate division.
/// Returns the number of slices of each dimension.
fn tensor_slices(
    reader: &mut Reader,
    json: &Json<'_>,
    work: &Work<'_>,
    is_source: bool,
) -> Option<Division> {
    let listed = reader.entries(json)?.len();
    if listed == 0 {
        return None;
    }
    let limit = match work.is_shuffle {
        true => SliceLimit::OfTensor,
        false => SliceLimit::OfOperation,
    };
    let mut splits = vec![1; work.splits.len()];
    let mut slices = Vec::with_capacity(work.cores);
    let (mut seen, mut is_division) = (FxHashSet::default(), true);
    // Only cores that have finished have a part of the source; several may have one part of the destination (K68, K71).
    let is_among_fewer = work.is_shuffle
        && work.used.len() == work.cores
        && reader.is_contract()
        && work.cores.is_multiple_of(listed);
    let table = match is_source {
        // The first cores have it, a number that divides the number of the operation's cores (K71).
        true if is_among_fewer => core_entries(reader, json, listed),
        true => entries_of(reader, json, &work.used),
        false => core_entries(reader, json, work.cores),
    };
    let may_share = work.is_shuffle && !is_source && reader.is_contract();
    for (core, entry) in table {
        let slices_of_core = core_slices(reader, &entry.value, work, limit)?;
        for (splits, slice) in splits.iter_mut().zip(&slices_of_core) {
            *splits = slice.checked_add(1)?.max(*splits);
        }
        if !seen.insert(slices_of_core.clone()) && !may_share {
            let message = format!("core {core} has the same slices as a core before it");
            let rule = match work.is_shuffle {
                true => RELAYOUT_PARTS,
                false => SLICE_COVER,
            };
            reader.report(rule, entry.offset, message);
            is_division = false;
        }
        slices.push(slices_of_core);
    }
    is_division.then_some(Division { splits, slices })
}

/// The folds of a dimension: coefficient, factor and label of each.
struct Expected {
    /// The number of folds that are elements in the array.
    arrays: usize,
    folds: Vec<(u64, u64, &'static str)>,
}

/// Returns the folds that the extents imply. `None` where the layout alone does not determine them.
fn expected(
    dim: &str,
    tensor: &Descriptor<'_>,
    plan: &Plan<'_, '_>,
    slices_of_core: Option<&[u64]>,
    form: Form,
) -> Option<Expected> {
    let extent = plan.extent(dim)?;
    // Each side of a shuffle has a separate division.
    let splits = match plan.work.is_shuffle {
        true => *slices_of_core?.get(extent.index)?,
        false => extent.splits,
    };
    let scale = tensor.scale(dim);
    let (size, slices) = if scale == 1 {
        (extent.extent.checked_div(splits)?, splits)
    } else {
        (1, 1)
    };
    let outer = |size| {
        vec![
            (size, slices, "core_fold"),
            (0, 1, "corelet_fold"),
            (0, 1, "row_fold"),
        ]
    };
    match tensor.layout.stick.as_slice() {
        [stick] if *stick == dim => {
            let elements = tensor.sticks?.per_stick;
            let (size, sticks, step) = if scale == -2 {
                (elements, 1, 0)
            } else {
                let sticks = match form {
                    Form::Recorded => size.checked_div(elements)?,
                    Form::Contract => size.div_ceil(elements.max(1)).max(1),
                };
                (size, sticks, 1)
            };
            let mut folds = outer(size);
            folds.push((elements, sticks, "elem_arr_1"));
            folds.push((step, elements, "elem_arr_0"));
            Some(Expected { arrays: 2, folds })
        }
        [_] => {
            let mut folds = outer(size);
            folds.push((1, size, "elem_arr_0"));
            Some(Expected { arrays: 1, folds })
        }
        _ => None,
    }
}

/// Returns the folds of a dimension that windows walk along: parts of neighbouring cores overlap.
fn expected_windows(windows: &Windows<'_>, plan: &Plan<'_, '_>) -> Option<Expected> {
    let extent = plan.extent(windows.dim).filter(|_| windows.is_known)?;
    let part = extent.extent.checked_div(extent.splits)?;
    let folds = vec![
        (
            part.checked_mul(windows.stride)?,
            extent.splits,
            "core_fold",
        ),
        (0, 1, "corelet_fold"),
        (0, 1, "row_fold"),
        (1, windows.steps()?.span(part)?, "elem_arr_0"),
    ];
    Some(Expected { arrays: 1, folds })
}

fn dimension(reader: &mut Reader, json: &Json<'_>, expected: Option<Expected>, allowed: Padding) {
    let Some(mut fields) = reader.fields(json) else {
        return;
    };
    for (key, value) in [("spatial", 3), ("temporal", 0)] {
        if let Some(json) = fields.required(reader, key) {
            reader.fixed(json, &Fixed::Int(value));
        }
    }
    let arrays = fields.required(reader, "elemArr");
    check_padding(reader, &mut fields, allowed);
    let folds = fields.required(reader, "folds");
    fields.finish(reader);
    let Some((arrays_json, arrays)) =
        arrays.and_then(|json| Some((json, reader.at_least(json, 1)?)))
    else {
        return;
    };
    // Interleaved formats have up to four.
    let is_plain = arrays <= 2;
    if arrays > 4 || is_plain && expected.as_ref().is_some_and(|e| e.arrays as u64 != arrays) {
        let message = match &expected {
            Some(expected) if is_plain => {
                format!(
                    "has {arrays} folds of elements, expected {}",
                    expected.arrays
                )
            }
            _ => format!("has {arrays} folds of elements, expected at most 4"),
        };
        reader.report(FOLDS, arrays_json.offset, message);
        return;
    }
    let Some(mut fields) = folds.and_then(|json| reader.fields(json)) else {
        return;
    };
    let functions = fields.required(reader, "dim_prop_func");
    let attributes = fields.required(reader, "dim_prop_attr");
    fields.finish(reader);
    let (Some(functions), Some(attributes)) = (functions, attributes) else {
        return;
    };
    let expected = expected.filter(|_| is_plain);
    for json in [functions, attributes] {
        let Some(items) = reader.array(json) else {
            continue;
        };
        if items.len() as u64 != arrays + 3 {
            let message = format!("{} folds, but must be {}", items.len(), arrays + 3);
            reader.report(FOLDS, json.offset, message);
            continue;
        }
        for (at, item) in items.iter().enumerate() {
            let fold = expected
                .as_ref()
                .and_then(|expected| expected.folds.get(at));
            if std::ptr::eq(json, functions) {
                function(reader, item, fold.map(|(alpha, _, _)| *alpha));
            } else {
                attribute(
                    reader,
                    item,
                    fold.map(|(_, factor, label)| (*factor, *label)),
                );
            }
        }
    }
}

fn check_padding(reader: &mut Reader, fields: &mut Fields<'_, '_>, allowed: Padding) {
    if let Some(json) = fields.required(reader, "padding")
        && let Some(padding) = reader.text(json)
        && !allowed.words.contains(&padding)
    {
        let message = match reader.is_contract() {
            true => format!(
                "the padding is '{}', but must be '{}'",
                padding.escape_default(),
                allowed.words.join("' or '")
            ),
            false => format!("'{}' is no padding here", padding.escape_default()),
        };
        reader.report(allowed.rule, json.offset, message);
    }
}

/// Checks a function `{Affine: {alpha_: A, beta_: 0}}`.
fn function(reader: &mut Reader, json: &Json<'_>, alpha: Option<u64>) {
    let Some(mut fields) = reader.fields(json) else {
        return;
    };
    let affine = fields.required(reader, "Affine");
    fields.finish(reader);
    let Some(mut fields) = affine.and_then(|json| reader.fields(json)) else {
        return;
    };
    if let Some(json) = fields.required(reader, "alpha_") {
        number(reader, json, alpha, |_| FOLDS);
    }
    if let Some(json) = fields.required(reader, "beta_") {
        reader.fixed(json, &Fixed::Int(0));
    }
    fields.finish(reader);
}

/// Checks an attribute `{factor_: F, label_: L}`.
fn attribute(reader: &mut Reader, json: &Json<'_>, fold: Option<(u64, &str)>) {
    let Some(mut fields) = reader.fields(json) else {
        return;
    };
    if let Some(json) = fields.required(reader, "factor_") {
        let rule = |factor| match fold {
            // No factor is 0 (K57), for any label.
            _ if factor == 0 => BEGUN_STICKS,
            Some((_, "elem_arr_1")) => BEGUN_STICKS,
            _ => FOLDS,
        };
        let factor = number(reader, json, fold.map(|(factor, _)| factor), rule);
        // The format has 0 sticks for less than a stick: for one element, as of a scale of -1 (section 5).
        let is_of_format = fold.is_some_and(|(factor, _)| factor == 0);
        // A factor that the extents contradict has been reported.
        let is_reported = reader.is_contract() && fold.is_some_and(|(expected, _)| expected != 0);
        if factor == Some(0) && !is_of_format && !is_reported {
            reader.report(EMPTY_FOLD, json.offset, "a fold of 0 has no element");
        }
    }
    if let Some(json) = fields.required(reader, "label_") {
        match fold {
            Some((_, label)) => reader.fixed(json, &Fixed::Text(label)),
            None => {
                reader.text(json);
            }
        }
    }
    fields.finish(reader);
}

/// Checks a number that the extents imply, and returns it. `rule` is the one that a number breaks.
fn number(
    reader: &mut Reader,
    json: &Json<'_>,
    expected: Option<u64>,
    rule: impl Fn(u64) -> Rule,
) -> Option<u64> {
    let slice = reader.at_least(json, 0)?;
    if let Some(expected) = expected.filter(|expected| *expected != slice) {
        let message = format!("is {slice}, but by the extents of the file it must be {expected}");
        reader.report(rule(slice), json.offset, message);
    }
    Some(slice)
}

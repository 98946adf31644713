//! `paddingSizes_`, `padding_` and `pdsRelation_`: the windows of pools and convolutions (SDSC bundle specification, section 4.11).

use spyre_bundle_files::json::Json;
use spyre_ops::contract::{Category, Published};

use super::super::geometry::Steps;
use super::super::reader::{Fixed, Reader};
use super::super::rules::{KIND, NO_PADDING, STRIDED_DIVIDED, WINDOW_DIVIDED, WINDOWS};
use super::root::Work;
use super::sizes::Extent;

/// Kinds of padding of dimensions that windows walk along: with elements that no window needs, and without zeros in memory.
pub(super) const PADDINGS: [&str; 2] = ["padded_fullspan_wunneeded", "padded_nozeropad"];

/// The OpFunc with windows of a form that is checked in full.
const CONVOLUTION: &str = "conv2d";

/// The windows along a dimension. Sizes are in elements of the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Windows<'j> {
    /// The dimension.
    pub dim: &'j str,
    /// The elements of a window.
    pub kernel: u64,
    /// From one window to the next.
    pub stride: u64,
    /// From one element of a window to the next.
    pub dilation: u64,
    /// The input, with its padding.
    pub total: u64,
    /// Whether padding is in use.
    pub is_padded: bool,
    /// Whether the file lists unneeded elements.
    pub has_unneeded: bool,
    /// The dimension of a window.
    pub window: &'j str,
    /// The place of its entry, in bytes from the beginning of the text.
    pub offset: usize,
    /// Whether sections other than 4.11 follow from these numbers: the windows of a convolution.
    pub is_known: bool,
}

impl Windows<'_> {
    /// Returns the steps of the windows; `None` beyond 64 bits.
    pub(super) fn steps(&self) -> Option<Steps> {
        let more = self.kernel.checked_sub(1)?.checked_mul(self.dilation)?;
        let stride = self.stride;
        Some(Steps { stride, more })
    }
}

/// Reads the windows of the whole operation, which are among the extents.
pub(super) fn read<'j>(
    reader: &mut Reader,
    extents_json: &'j Json<'_>,
    extents: &[Extent<'j>],
    work: &Work<'_>,
    op: &str,
) -> Vec<Windows<'j>> {
    let entries = reader.entries(extents_json).unwrap_or_default();
    let Some(member) = entries.iter().find(|entry| entry.key == "paddingSizes_") else {
        return Vec::new();
    };
    if !may_have_windows(reader, op) {
        unpadded(reader, &member.value, op);
        return Vec::new();
    }
    let all = sizes(reader, &member.value, extents, op, 0);
    for windows in all.iter().filter(|windows| windows.is_known) {
        let along = extent_of(extents, windows.dim);
        let count = along.expect("windows are along a dimension").extent;
        let span = windows.steps().and_then(|steps| steps.span(count));
        if !windows.is_padded && span != Some(windows.total) {
            let message = format!(
                "{count} windows along '{}' of {} elements, {} apart, do not reach over {}",
                windows.dim, windows.kernel, windows.stride, windows.total
            );
            reader.report(WINDOWS, member.value.offset, message);
        }
        if windows.stride > 1 && work.splits_of(windows.dim).unwrap_or(1) > 1 {
            let message = format!(
                "'{}' is divided over cores, and its windows are {} elements apart",
                windows.dim, windows.stride
            );
            reader.report(STRIDED_DIVIDED, member.value.offset, message);
        }
    }
    all
}

/// Returns whether an operation may have windows. An OpFunc that the published table lacks may have them.
fn may_have_windows(reader: &Reader, op: &str) -> bool {
    let is_windowed = |category| matches!(category, Category::Convolution | Category::Pooling);
    !reader.is_contract() || Published::by_name(op).is_none_or(|row| is_windowed(row.category))
}

/// Reports the padding of an operation without windows (K16). Its contents do not matter then.
fn unpadded(reader: &mut Reader, json: &Json<'_>, op: &str) {
    for entry in reader.entries(json).unwrap_or_default() {
        let message = format!(
            "'{}' has no windows, and no padding along '{}'; its extents are those of whole sticks",
            op.escape_default(),
            entry.key.escape_default()
        );
        reader.report(NO_PADDING, entry.offset, message);
    }
}

fn extent_of<'j>(extents: &[Extent<'j>], dim: &str) -> Option<Extent<'j>> {
    extents.iter().find(|extent| extent.dim == dim).copied()
}

/// Reads an object of windows by dimensions.
fn sizes<'j>(
    reader: &mut Reader,
    json: &'j Json<'_>,
    extents: &[Extent<'j>],
    op: &str,
    least_padding: i64,
) -> Vec<Windows<'j>> {
    let mut all = Vec::new();
    for entry in reader.entries(json).unwrap_or_default() {
        let Some(mut fields) = reader.fields(&entry.value) else {
            continue;
        };
        let mut padding = |reader: &mut Reader, key| {
            let json = fields.required(reader, key)?;
            let padding = reader.int(json)?;
            if padding < least_padding {
                let message =
                    format!("the padding must be at least {least_padding}, got {padding}");
                reader.report(KIND, json.offset, message);
                return None;
            }
            Some(padding)
        };
        let front = padding(reader, "padFront_");
        let back = padding(reader, "padBack_");
        let unneeded = ["unneededPad_", "unneededPadFront_", "unneededPadBack_"];
        let unneeded = unneeded.map(|key| fields.optional(key).is_some());
        let mut number = |reader: &mut Reader, key, least| {
            let value = fields.required(reader, key)?;
            reader.at_least(value, least)
        };
        let total = number(reader, "totalSize_", 1);
        let stride = number(reader, "stride_", 1);
        let dilation = number(reader, "dilation_", 1);
        let window = fields.required(reader, "windowDim_");
        fields.finish(reader);
        let window = window.and_then(|json| Some((json, reader.text(json)?)));
        let Some((json, window)) = window else {
            continue;
        };
        let (Some(_), Some(of_window)) = (
            extent_of(extents, &entry.key),
            extent_of(extents, window).filter(|extent| extent.splits == 1),
        ) else {
            let message = format!(
                "'{}' has windows along '{}', and both must be dimensions, that of the window whole on each core",
                entry.key.escape_default(),
                window.escape_default()
            );
            reader.report(WINDOW_DIVIDED, json.offset, message);
            continue;
        };
        if let (Some(front), Some(back), Some(total), Some(stride), Some(dilation)) =
            (front, back, total, stride, dilation)
        {
            all.push(Windows {
                dim: &entry.key,
                kernel: of_window.extent,
                stride,
                dilation,
                total,
                is_padded: front != 0 || back != 0,
                has_unneeded: unneeded.contains(&true),
                window,
                offset: entry.offset,
                is_known: op == CONVOLUTION,
            });
        }
    }
    all
}

/// Checks the windows on a core: a convolution has the windows of the whole operation.
pub(super) fn stage(
    reader: &mut Reader,
    json: &Json<'_>,
    extents: &[Extent<'_>],
    windows: &[Windows<'_>],
    op: &str,
) {
    if !may_have_windows(reader, op) {
        unpadded(reader, json, op);
        return;
    }
    // The contract has -1 for the padding of a dimension that is divided (K20).
    let least_padding = if reader.is_contract() { -1 } else { 0 };
    let core_windows = sizes(reader, json, extents, op, least_padding);
    let is_contract = reader.is_contract();
    let is_same = |core_window: &Windows<'_>, whole: &Windows<'_>| {
        let part = extent_of(extents, whole.dim).and_then(|extent| extent.part());
        let span = part.and_then(|part| whole.steps()?.span(part));
        // Sources differ in the size of a divided dimension: the whole one, or that of the part (K20).
        let has_size =
            core_window.total == whole.total || is_contract && Some(core_window.total) == span;
        let has_padding = core_window.is_padded == whole.is_padded;
        let is_along = (core_window.dim, core_window.window, core_window.dilation)
            == (whole.dim, whole.window, whole.dilation);
        is_along && core_window.steps() == whole.steps() && has_size && has_padding
    };
    let is_whole = core_windows.len() == windows.len()
        && core_windows
            .iter()
            .zip(windows)
            .all(|(core_window, whole)| is_same(core_window, whole));
    if op == CONVOLUTION && !is_whole {
        reader.report(
            WINDOWS,
            json.offset,
            "has other windows than the whole operation",
        );
    }
}

/// Reads the dimensions of a tensor that windows walk along. Windows of a convolution walk along each dimension of its
/// first tensor.
pub(super) fn walked<'w, 'j>(
    reader: &mut Reader,
    json: Option<&Json<'_>>,
    (number, offset): (usize, usize),
    order: &[&str],
    windows: &'w [Windows<'j>],
) -> Vec<&'w Windows<'j>> {
    let mut walked = Vec::new();
    for entry in json
        .and_then(|json| reader.entries(json))
        .unwrap_or_default()
    {
        let Some(text) = reader.text(&entry.value) else {
            continue;
        };
        if !PADDINGS.contains(&text) {
            let message = format!("'{}' is no kind of padding", text.escape_default());
            reader.report(WINDOWS, entry.value.offset, message);
        }
        let window = windows.iter().find(|windows| windows.dim == entry.key);
        match window.filter(|_| order.contains(&&*entry.key)) {
            Some(windows) => walked.push(windows),
            // The input of a depthwise convolution names both dimensions, with windows or without.
            None if !windows.iter().any(|windows| windows.is_known) => {}
            None => {
                let message = format!(
                    "no windows walk along '{}' of the tensor",
                    entry.key.escape_default()
                );
                reader.report(WINDOWS, entry.offset, message);
            }
        }
    }
    let expected = windows
        .iter()
        .filter(|windows| windows.is_known && number == 0 && order.contains(&windows.dim));
    let expected: Vec<_> = expected.collect();
    if windows.iter().any(|windows| windows.is_known)
        && (walked.len() != expected.len() || expected.iter().any(|one| !walked.contains(one)))
    {
        let message = format!(
            "windows walk along {} dimensions of tensor {number}, and must along {}",
            walked.len(),
            expected.len()
        );
        reader.report(WINDOWS, offset, message);
    }
    walked
}

/// Checks `pdsRelation_`, which an operation with windows has.
pub(super) fn relation(reader: &mut Reader, json: Option<&Json<'_>>, windows: &[Windows<'_>]) {
    let Some(json) = json else {
        return;
    };
    reader.fixed(json, &Fixed::Object(&[("isPdsReuse", Fixed::Int(1))]));
    if windows.is_empty() {
        reader.report(
            WINDOWS,
            json.offset,
            "is for operations over windows, and there are none",
        );
    }
}

//! Indirect access: the tensors that hold indices, and those that are accessed by them.

use rustc_hash::FxHashMap;

use spyre_bundle_files::json::Json;

use super::super::reader::{Fixed, Reader};
use super::super::rules::INDIRECT;

/// The role of a node in indirect access.
pub(super) struct Link<'j> {
    pub kind: &'j str,
    pub related: Option<(&'j str, usize)>,
    pub offset: usize,
}

/// Checks that `indirectAllocType_` fits to the other keys of indirect access.
pub(super) fn indirection(reader: &mut Reader, link: &Link<'_>, index_type: Option<&Json<'_>>) {
    if !matches!(
        link.kind,
        "no_indirection" | "index_tensor" | "value_tensor"
    ) {
        let message = format!("'{}' is no kind of access", link.kind.escape_default());
        reader.report(INDIRECT, link.offset, message);
    }
    match (link.kind, index_type) {
        ("index_tensor", Some(json)) => reader.fixed(json, &Fixed::Text("index")),
        (_, Some(json)) => {
            let message = "is for index tensors, but this is none";
            reader.report(INDIRECT, json.offset, message);
        }
        _ => {}
    }
    if link.kind == "no_indirection"
        && let Some((_, offset)) = link.related
    {
        let message = "is for indirect access, but this node has none";
        reader.report(INDIRECT, offset, message);
    }
}

/// Checks that a node that is related to another one is its counterpart.
pub(super) fn related(
    reader: &mut Reader,
    links: &[(usize, Link<'_>)],
    names: &FxHashMap<&str, usize>,
) {
    let by_number: FxHashMap<usize, &Link<'_>> =
        links.iter().map(|(number, link)| (*number, link)).collect();
    for (_, link) in links {
        let Some((name, offset)) = link.related else {
            continue;
        };
        let counterpart = match link.kind {
            "index_tensor" => "value_tensor",
            "value_tensor" => "index_tensor",
            _ => continue,
        };
        let other = names.get(name).and_then(|number| by_number.get(number));
        if other.is_none_or(|other| other.kind != counterpart) {
            let message = format!("'{}' is no {counterpart}", name.escape_default());
            reader.report(INDIRECT, offset, message);
        }
    }
}

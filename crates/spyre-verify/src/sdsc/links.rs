//! Indirect access: the tensors that hold indices, and the tensors that are accessed by them.

use rustc_hash::FxHashMap;

use spyre_bundle_files::json::Json;

use super::super::reader::{Fixed, Reader};
use super::super::rules::INDIRECT;
use super::nodes::Node;

/// The role of a node in indirect access.
pub(super) struct Link<'j> {
    /// The kind of the node.
    pub kind: &'j str,
    /// The name of the counterpart, and its place in bytes from the beginning of the text.
    pub related: Option<(&'j str, usize)>,
    /// The place of the kind, in bytes from the beginning of the text.
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
        // The contract has addresses too (K43).
        ("index_tensor", Some(json))
            if reader.is_contract() && reader.text(json) == Some("address") => {}
        ("index_tensor", Some(json)) => reader.fixed(json, &Fixed::Text("index")),
        ("index_tensor", None) if reader.is_contract() => {
            let message = "an index tensor has 'indexTensorType_', which is missing: 'index' for positions, 'address' for bytes";
            reader.report(INDIRECT, link.offset, message);
        }
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
    nodes: &[Option<Node<'_>>],
    names: &FxHashMap<&str, usize>,
) {
    for link in nodes.iter().flatten().map(|node| &node.link) {
        let Some((name, offset)) = link.related else {
            continue;
        };
        let counterpart = match link.kind {
            "index_tensor" => "value_tensor",
            "value_tensor" => "index_tensor",
            _ => continue,
        };
        let other = names.get(name).and_then(|number| nodes.get(*number));
        if other.is_none_or(|other| {
            other
                .as_ref()
                .is_none_or(|node| node.link.kind != counterpart)
        }) {
            let message = format!("'{}' is no {counterpart}", name.escape_default());
            reader.report(INDIRECT, offset, message);
        }
    }
}

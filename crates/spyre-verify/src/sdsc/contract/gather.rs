//! Gather and scatter: index tensors, and the tensors that are accessed by them (K41 to K45).

use super::super::super::reader::Reader;
use super::super::super::rules::{INDEX_FORMAT, INDEX_STICKS, INDIRECT_LINKS, INDIRECT_PLACE};
use super::super::Memory;
use super::super::descriptors::Descriptor;
use super::super::nodes::Node;
use super::Facts;

/// Checks the tensors of an indirect access.
pub(super) fn check(reader: &mut Reader, facts: &Facts<'_, '_>) {
    for tensor in facts.tensors {
        let Some(node) = facts.node(tensor.number) else {
            continue;
        };
        match node.link.kind {
            "index_tensor" => index(reader, facts, tensor, node),
            "value_tensor" => {}
            _ => continue,
        }
        place(reader, tensor, node);
        links(reader, facts, tensor, node);
    }
    for number in facts.indices.unwrap_or(&[]) {
        if !facts.is_index(*number) {
            let message = format!(
                "the operation lists tensor {number} as an index, but its node is not an index node"
            );
            reader.report(INDIRECT_LINKS, facts.offset, message);
        }
    }
}

/// Returns the kind of a node in words.
fn kind_of(node: &Node<'_>) -> &'static str {
    match node.link.kind {
        "index_tensor" => "an index tensor",
        _ => "a value tensor",
    }
}

/// Checks that a tensor of an indirect access is in device memory.
fn place(reader: &mut Reader, tensor: &Descriptor<'_>, node: &Node<'_>) {
    if node.memory == Some(Memory::Lx) {
        let message = format!(
            "tensor {} is {}, which is in the scratchpad; copy it to device memory",
            tensor.number,
            kind_of(node)
        );
        reader.report(INDIRECT_PLACE, node.offset, message);
    }
}

/// Checks that an index tensor and a value tensor name each other, and that the operation lists the index tensor.
fn links(reader: &mut Reader, facts: &Facts<'_, '_>, tensor: &Descriptor<'_>, node: &Node<'_>) {
    let number = tensor.number;
    let kind = kind_of(node);
    let Some((related, offset)) = node.link.related else {
        let message = format!(
            "tensor {number} is {kind}, and relatedIndirectAccessAlloc_ names no counterpart"
        );
        reader.report(INDIRECT_LINKS, node.link.offset, message);
        return;
    };
    let other = facts
        .nodes
        .iter()
        .flatten()
        .find(|node| node.name == Some(related));
    let back = other
        .and_then(|other| other.link.related)
        .map(|(name, _)| name);
    if let (Some(_), Some(name)) = (other, node.name)
        && back != Some(name)
    {
        let message = format!(
            "tensor {number} names '{}', which names '{}', not '{}'",
            related.escape_default(),
            back.unwrap_or("nothing").escape_default(),
            name.escape_default()
        );
        reader.report(INDIRECT_LINKS, offset, message);
    }
    let is_listed = facts
        .indices
        .is_none_or(|indices| indices.contains(&number));
    if node.link.kind == "index_tensor" && !is_listed {
        let message =
            format!("tensor {number} is {kind}, and indirectAccessIndexLabeledDs does not list it");
        reader.report(INDIRECT_LINKS, node.link.offset, message);
    }
}

/// Checks the format of an index tensor, and the part along its stick on a core.
fn index(reader: &mut Reader, facts: &Facts<'_, '_>, tensor: &Descriptor<'_>, node: &Node<'_>) {
    let number = tensor.number;
    if tensor.format != "SENUINT32" {
        let message = format!(
            "index tensor {number} is {}, but must be SENUINT32",
            tensor.format
        );
        reader.report(INDEX_FORMAT, tensor.offset, message);
    }
    let sizes = tensor.layout.stick_sizes.iter();
    for (dim, size) in tensor.layout.stick.iter().zip(sizes) {
        let part = facts.plan.extent(dim).and_then(|extent| extent.part());
        let (Some(part), Ok(size)) = (part, u64::try_from(*size)) else {
            continue;
        };
        if size > 0 && part > size && !part.is_multiple_of(size) {
            let message = format!(
                "a core has {part} indices of tensor {number} along '{dim}', which are more than a stick of {size}, and no whole \
                 sticks; pad the indices, or divide them among more cores"
            );
            reader.report(INDEX_STICKS, node.offset, message);
        }
    }
}

//! Finds which tensor holds coordinates of which (SDSC bundle specification, sections 4.2, 4.9 and 5).

use spyre_layout::DeviceFormat;

use super::error::{Resolved, error};
use super::json::{Compute, Dsc, Node};
use super::operation::{Gather, MemoryKind, Tensor, TensorDim};

/// The values of `indirectAllocType_`.
const NONE: &str = "no_indirection";
const INDEX: &str = "index_tensor";
const VALUE: &str = "value_tensor";

/// Finds the indices, which are the first input, and the table that they choose from. In the file, the table has the
/// dimensions of the indices; in memory, it has the gathered dimension instead.
pub(super) fn resolve(
    dsc: &Dsc,
    compute: &Compute,
    cores: usize,
    inputs: &mut [Tensor],
) -> Resolved<Option<Gather>> {
    let kind = |node: &Node| node.indirect.clone().unwrap_or_else(|| NONE.to_owned());
    let indirect = || dsc.nodes.iter().filter(|node| kind(node) != NONE);
    let [_] = compute.indices.as_slice() else {
        if let Some(node) = indirect().next() {
            let message = format!("{}, but computeOp_ names no indices", kind(node));
            return error(at(node, "indirectAllocType_"), message);
        }
        return match compute.indices.len() {
            0 => Ok(None),
            several => error(
                "computeOp_/0/indirectAccessIndexLabeledDs",
                format!("there are {several} tensors of indices, expected one"),
            ),
        };
    };
    let one = |wanted: &str| {
        let mut nodes = indirect().filter(|node| kind(node) == wanted);
        match (nodes.next(), nodes.next()) {
            (Some(node), None) => Ok(node),
            _ => error(
                "scheduleTree_",
                format!("there must be exactly one {wanted}"),
            ),
        }
    };
    let (index_node, table_node) = (one(INDEX)?, one(VALUE)?);
    if let Some(other) = indirect().find(|node| ![INDEX, VALUE].contains(&kind(node).as_str())) {
        let message = format!("'{}' is no kind of access", kind(other));
        return error(at(other, "indirectAllocType_"), message);
    }
    check_related(index_node, table_node)?;
    let position = |node: &Node| inputs.iter().position(|input| input.index == node.tensor);
    if position(index_node) != Some(0) {
        let message = "the tensor that is named is no index_tensor";
        return error("computeOp_/0/indirectAccessIndexLabeledDs", message);
    }
    let Some(table) = position(table_node) else {
        let message = "scatters are not simulated";
        return error(at(table_node, "indirectAllocType_"), message);
    };
    if compute.function != "identity" || cores != 1 {
        let message = format!(
            "indirect access is simulated in an identity on 1 core only, not in {} on {cores} cores",
            compute.function
        );
        return error("computeOp_/0", message);
    }
    if !dsc.masks.0.is_empty() {
        return error("coordinateMasking_", "a mask on indirect access");
    }
    let (indices, rest) = inputs.split_first_mut().expect("the indices are first");
    let Some(index_table) = table.checked_sub(1).and_then(|at| rest.get_mut(at)) else {
        return error(at(table_node, "ldsIdx_"), "the table holds its own indices");
    };
    check_memory(indices, index_table)?;
    let dim = share(indices, index_table)?;
    Ok(Some(Gather {
        indices: 0,
        table,
        dim,
    }))
}

/// Returns the place of a key of a node in the file.
fn at(node: &Node, key: &str) -> String {
    format!("scheduleTree_/{}/{key}", node.tensor)
}

/// Checks that the nodes of indices and table name each other.
fn check_related(index_node: &Node, table_node: &Node) -> Resolved<()> {
    for (node, other) in [(index_node, table_node), (table_node, index_node)] {
        if node.related.is_none() || node.related != other.name {
            let message = format!(
                "'{}' is not the other end of the access, '{}'",
                node.related.as_deref().unwrap_or_default(),
                other.name.as_deref().unwrap_or_default()
            );
            return error(at(node, "relatedIndirectAccessAlloc_"), message);
        }
    }
    Ok(())
}

/// Checks that indices and table are whole tensors in device memory, and that the indices are positions.
fn check_memory(indices: &Tensor, table: &Tensor) -> Resolved<()> {
    for tensor in [indices, table] {
        if tensor.memory != MemoryKind::Hbm {
            let here = format!("scheduleTree_/{}/component_", tensor.index);
            return error(here, "indirect access from a scratchpad");
        }
        if tensor.is_separate {
            let here = format!("scheduleTree_/{}/nonUnifiedAllocInHBM_", tensor.index);
            return error(here, "indirect access to separate parts is not simulated");
        }
    }
    if indices.format != DeviceFormat::SenUint32 {
        let here = format!("labeledDs_/{}/dataFormat_", indices.index);
        return error(here, format!("indices of {}", indices.format));
    }
    Ok(())
}

/// Replaces the dimensions that a table shares with its indices by the gathered one, and returns it.
fn share(indices: &Tensor, table: &mut Tensor) -> Resolved<usize> {
    let here = || format!("scheduleTree_/{}/layoutDimOrder_", table.index);
    let is_index = |tensor_dim: &TensorDim| indices.has(tensor_dim.dim);
    let first = table.order.iter().position(is_index);
    let count = indices.order.len();
    let together = |from: usize| {
        let group = table.order.get(from..from + count);
        group.is_some_and(|group| group.iter().all(is_index))
    };
    let Some(first) = first.filter(|first| together(*first)) else {
        return error(
            here(),
            "the dimensions of the indices are not there side by side",
        );
    };
    if indices.has(table.stick) {
        return error(here(), "the table is gathered along its stick");
    }
    if table
        .order
        .iter()
        .filter(|tensor_dim| is_index(tensor_dim))
        .any(|tensor_dim| tensor_dim.gaps.iter().any(|gap| *gap > 0))
    {
        let here = format!("scheduleTree_/{}/backGapCore_", table.index);
        return error(here, "a gathered dimension must have no gap");
    }
    table.order.drain(first + 1..first + count);
    table.order[first].gathered = true;
    Ok(table.order[first].dim)
}

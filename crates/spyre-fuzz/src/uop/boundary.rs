//! Arguments and results of the element types that a compiled function takes.
//!
//! These are `bool`, `i8`, `i32`, `i64`, `f16`, `bf16` and `f32`, and unsigned integers of the same widths. Integers of 16 bits are
//! passed in 32, and floats of 64 bits as integers of the same bits.

use spyre_uop::dtype::DType;
use spyre_uop::element;
use spyre_uop::op::{AddressSpace, Op};
use spyre_uop::schema::{Arg, File, Node, Slot, Text};

/// Returns a node, with nothing that is recorded about it.
pub(super) fn node(
    id: u64,
    op: &str,
    dtype: &str,
    shape: Option<&[u64]>,
    src: &[u64],
    arg: Arg,
) -> Node {
    Node {
        id,
        op: op.into(),
        dtype: dtype.into(),
        shape: shape.map(<[u64]>::to_vec),
        src: src.to_vec(),
        arg,
        mm: None,
        obs: None,
        obs_nan: None,
        r#true: None,
        mm_unsound: None,
        device: None,
        axis: None,
    }
}

/// Returns the number of the buffer that a node of a file is.
pub(super) fn slot(node: &Node) -> Option<u32> {
    match (node.op == "Buffer", &node.arg.slot) {
        (true, Some(Slot::Number(slot))) => Some(*slot),
        _ => None,
    }
}

/// Returns the number of the argument that an operation is.
pub(super) fn argument(op: &Op) -> Option<u32> {
    match op {
        Op::Buffer {
            slot,
            space: AddressSpace::Global,
            ..
        } => Some(*slot),
        _ => None,
    }
}

/// The type that a value is passed as, and the operations into it and out of it.
fn passed(dtype: &str) -> Option<(DType, &'static str)> {
    match dtype {
        "i16" | "u16" => Some((DType::I32, "Cast")),
        "f64" => Some((DType::I64, "Bitcast")),
        _ => None,
    }
}

fn converted(id: u64, op: &str, dtype: &str, of: &Node) -> Node {
    let arg = Arg {
        dtype: Some(dtype.into()),
        ..Arg::default()
    };
    node(id, op, dtype, of.shape.as_deref(), &[of.id], arg)
}

/// Makes arguments of other types those that a function takes. Nodes keep their numbers.
pub(super) fn supported(mut file: File) -> File {
    let mut next = file
        .nodes
        .iter()
        .map(|node| node.id + 1)
        .max()
        .unwrap_or_default();
    let mut nodes = Vec::new();
    for mut own in std::mem::take(&mut file.nodes) {
        let (Some(slot), Some((to, way))) = (slot(&own), passed(&own.dtype)) else {
            nodes.push(own);
            continue; // It can be passed.
        };
        let input = file
            .inputs
            .iter_mut()
            .flatten()
            .find(|input| input.slot == slot);
        let Some(input) = input else {
            if own.arg.addrspace.is_none() {
                // A buffer without content is no argument elsewhere.
                own.arg.addrspace = Some(Text::from(AddressSpace::Local.name()));
            }
            nodes.push(own);
            continue; // The program writes it.
        };
        let from = DType::of_name(&own.dtype).expect("inputs have an element type");
        for value in &mut input.data {
            let bits = element::exact(from, *value).expect("inputs are of their type");
            let bits = match way {
                "Cast" => element::cast(from, to, bits),
                _ => bits,
            };
            *value = element::datum(to, bits);
        }
        input.dtype = to.name().into();
        let (id, dtype) = (own.id, own.dtype.clone());
        own.id = next;
        own.dtype = to.name().into();
        next += 1;
        let out = converted(id, way, &dtype, &own);
        nodes.extend([own, out]);
    }
    file.nodes = nodes;
    file
}

/// Adds, for each node that cannot be returned, one that can. Returns the nodes to return.
pub(super) fn returned(file: &mut File, results: &[u64]) -> Vec<u64> {
    let mut next = file
        .nodes
        .iter()
        .map(|node| node.id + 1)
        .max()
        .unwrap_or_default();
    let mut to_return = Vec::new();
    for id in results {
        let own = file.nodes.iter().find(|node| node.id == *id);
        let own = own.expect("a result is a node");
        let Some((to, way)) = passed(&own.dtype) else {
            to_return.push(*id);
            continue; // It can be returned.
        };
        let node = converted(next, way, to.name(), own);
        file.nodes.push(node);
        to_return.push(next);
        next += 1;
    }
    to_return
}

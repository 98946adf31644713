//! Nodes of a short form: a line has the operation, the element type, the shape or `-`, the sources, and the arguments.

use spyre_uop::schema::Node;

/// Builds nodes from lines. Their numbers are positions.
pub(crate) fn nodes(lines: &str) -> Vec<Node> {
    let lines = lines.lines().map(str::trim).filter(|line| !line.is_empty());
    lines
        .enumerate()
        .map(|(id, line)| {
            let (op, rest) = line.split_once(' ').expect("an operation");
            let (dtype, rest) = rest.split_once(' ').expect("an element type");
            let (shape, rest) = rest.split_once(' ').expect("a shape");
            let (src, arg) = rest.split_once(' ').expect("sources");
            let shape = if shape == "-" { "null" } else { shape };
            let json = format!(
                r#"{{"id":{id},"op":"{op}","dtype":"{dtype}","shape":{shape},"src":{src},"arg":{arg}}}"#
            );
            serde_json::from_str(&json).unwrap_or_else(|error| panic!("{json}: {error}"))
        })
        .collect()
}

//! A program of two operations.

use melior::Context;
use melior::ir::Module;
use spyre_graph::{Element, Graph, GraphError, Tiles};

/// Builds `(x + y) * x` on tensors of 4 x 64 16-bit floats, to be computed in 2 tiles of rows.
pub fn program(context: &Context) -> Result<Module<'_>, GraphError> {
    let mut graph = Graph::new(context, "add_mul");
    let x = graph.input("x", &[("rows", 4), ("columns", 64)], Element::F16);
    let y = graph.input("y", &[("rows", 4), ("columns", 64)], Element::F16);
    let product = graph.tile("rows", Tiles::Count(2), |graph| {
        let sum = graph.add(x, y)?;
        graph.mul(sum, x)
    })?;
    graph.finish(&[product])
}

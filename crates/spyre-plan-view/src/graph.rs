//! Draws the operations of a function as a graph.
//!
//! A node is one row below the lowest node whose result it reads, so every edge leads downwards. Arguments are in the row above
//! the first node that reads them, after the operations there. Nodes of a row are in the order of the text. An edge to a lower
//! row of its column runs next to the column, since the nodes between would hide it.

use spyre_layout_view::Svg;

use crate::facts::{Graph, Node};

/// The distance of nodes in a row and of rows, and the size of a node, in pixels.
const COLUMN: f64 = 132.0;
const ROW: f64 = 40.0;
const WIDTH: f64 = 120.0;
const HEIGHT: f64 = 20.0;
/// The most characters of a name in a node.
const NAME: usize = 17;
/// The most nodes of a drawing.
pub(crate) const NODES: usize = 2000;

/// The rows and columns of the nodes of a graph.
struct Places {
    of: Vec<(usize, usize)>,
    columns: usize,
    rows: usize,
}

impl Places {
    fn new(nodes: &[Node]) -> Self {
        let mut of: Vec<(usize, usize)> = Vec::new();
        for node in nodes {
            let inputs = node.inputs.iter();
            let row = inputs.map(|input| of[*input].0 + 1).max().unwrap_or(0);
            of.push((row, 0));
        }
        let mut uses: Vec<Option<usize>> = vec![None; nodes.len()];
        for (node, (row, _)) in nodes.iter().zip(&of) {
            for input in &node.inputs {
                uses[*input] = Some(uses[*input].map_or(*row, |first| first.min(*row)));
            }
        }
        for ((node, place), first) in nodes.iter().zip(&mut of).zip(uses) {
            if let (true, Some(first)) = (node.inputs.is_empty(), first) {
                place.0 = first - 1;
            }
        }
        let rows = of.iter().map(|(row, _)| row + 1).max().unwrap_or(0);
        let mut taken = vec![0; rows];
        for is_source in [false, true] {
            let places = nodes.iter().zip(&mut of);
            for (_, (row, column)) in places.filter(|(node, _)| node.inputs.is_empty() == is_source)
            {
                *column = taken[*row];
                taken[*row] += 1;
            }
        }
        Self {
            of,
            columns: taken.iter().copied().max().unwrap_or(0),
            rows: taken.len(),
        }
    }

    /// Returns the upper left corner of a node.
    #[expect(clippy::cast_precision_loss, reason = "pixels are coarse")]
    fn corner(&self, node: usize) -> (f64, f64) {
        let (row, column) = self.of[node];
        (4.0 + column as f64 * COLUMN, 4.0 + row as f64 * ROW)
    }
}

/// Draws a graph. Nodes of planned operations link to `anchor` of their steps. Returns the width and the height in pixels.
#[expect(clippy::cast_precision_loss, reason = "pixels are coarse")]
pub(crate) fn draw(svg: &mut Svg, graph: &Graph, anchor: impl Fn(usize) -> String) -> (f64, f64) {
    let nodes = &graph.nodes[..graph.nodes.len().min(NODES)];
    let places = Places::new(nodes);
    for (number, node) in nodes.iter().enumerate() {
        let (right, bottom) = places.corner(number);
        for input in &node.inputs {
            let path = edge(places.corner(*input), (right, bottom));
            svg.empty("path", &[("class", &"edge"), ("d", &path)]);
        }
    }
    for (number, node) in nodes.iter().enumerate() {
        let (x, y) = places.corner(number);
        match node.step {
            Some(step) => svg.open("a", &[("href", &format_args!("#{}", anchor(step)))]),
            None => svg.open("g", &[]),
        }
        let title = [node.name.as_str(), &node.ty, &node.location].join("\n");
        svg.text("title", &[], title.trim_end());
        let class = match (node.inputs.is_empty(), node.depth) {
            (true, 0) => "node source",
            (_, 0) => "node",
            (_, _) => "node inner",
        };
        svg.empty(
            "rect",
            &[
                ("class", &class),
                ("x", &x),
                ("y", &y),
                ("rx", &3),
                ("width", &WIDTH),
                ("height", &HEIGHT),
            ],
        );
        let (x, y) = (x + 5.0, y + 14.0);
        svg.text("text", &[("x", &x), ("y", &y)], &short(&node.name));
        svg.close();
    }
    (
        places.columns as f64 * COLUMN + 8.0,
        places.rows as f64 * ROW + 8.0,
    )
}

/// Returns the path of an edge between two nodes, by their upper left corners.
fn edge((left, top): (f64, f64), (right, bottom): (f64, f64)) -> String {
    let is_past_nodes = (left - right).abs() < 1.0 && bottom - top > ROW + 1.0;
    if is_past_nodes {
        let side = left + WIDTH;
        let (start, end) = (top + HEIGHT / 2.0, bottom + HEIGHT / 2.0);
        let bend = side + COLUMN - WIDTH - 1.0;
        return format!("M{side} {start}C{bend} {start} {bend} {end} {side} {end}");
    }
    let [source, target] = [left, right].map(|left| left + WIDTH / 2.0);
    let (start, middle) = (top + HEIGHT, f64::midpoint(top + HEIGHT, bottom));
    format!("M{source} {start}C{source} {middle} {target} {middle} {target} {bottom}")
}

/// Returns a name with at most [`NAME`] characters.
fn short(name: &str) -> String {
    match name.char_indices().nth(NAME) {
        None => name.to_owned(),
        Some((end, _)) => format!("{}\u{2026}", &name[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::{Places, edge, short};
    use crate::facts::Node;

    #[test]
    fn nodes_are_below_what_they_read() {
        let node = |inputs: &[usize]| Node {
            name: "spyre.add".to_owned(),
            ty: String::new(),
            location: String::new(),
            depth: 0,
            inputs: inputs.to_vec(),
            step: None,
        };
        let nodes = [node(&[]), node(&[]), node(&[0]), node(&[0, 2]), node(&[1])];
        let places = Places::new(&nodes);
        assert_eq!(places.of, [(0, 0), (0, 1), (1, 0), (2, 0), (1, 1)]);
        assert_eq!((places.columns, places.rows), (2, 3));
        // An argument is above its first use, and operations are before it.
        let nodes = [node(&[]), node(&[]), node(&[0]), node(&[2]), node(&[1, 3])];
        let places = Places::new(&nodes);
        assert_eq!(places.of, [(0, 0), (2, 1), (1, 0), (2, 0), (3, 0)]);
    }

    #[test]
    fn edges_pass_nodes_of_their_column() {
        assert_eq!(edge((4.0, 4.0), (4.0, 44.0)), "M64 24C64 34 64 34 64 44");
        assert_eq!(
            edge((4.0, 4.0), (4.0, 84.0)),
            "M124 14C135 14 135 94 124 94"
        );
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(short("spyre.batchmatmul"), "spyre.batchmatmul");
        assert_eq!(
            short("linalg.conv_2d_nchw_fchw"),
            "linalg.conv_2d_nc\u{2026}"
        );
    }
}

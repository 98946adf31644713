//! Draws the operations of a function as a graph.
//!
//! A node is one row below the lowest node whose result it reads, so every edge leads downwards. Nodes of a row are in the
//! order of the text.

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
        let mut taken: Vec<usize> = Vec::new();
        for node in nodes {
            let inputs = node.inputs.iter();
            let row = inputs.map(|input| of[*input].0 + 1).max().unwrap_or(0);
            if row == taken.len() {
                taken.push(0);
            }
            of.push((row, taken[row]));
            taken[row] += 1;
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
            let (left, top) = places.corner(*input);
            let (from, to) = (left + WIDTH / 2.0, right + WIDTH / 2.0);
            let (start, middle) = (top + HEIGHT, f64::midpoint(top + HEIGHT, bottom));
            let path = format!("M{from} {start}C{from} {middle} {to} {middle} {to} {bottom}");
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

/// Returns a name with at most [`NAME`] characters.
fn short(name: &str) -> String {
    match name.char_indices().nth(NAME) {
        None => name.to_owned(),
        Some((end, _)) => format!("{}\u{2026}", &name[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::{Places, short};
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

//! Boxes, lines and colours.

use std::fmt::Display;

use super::super::svg::Svg;

/// Fill and outline of each tile. They repeat after the last one.
const COLOURS: [(&str, &str); 8] = [
    ("#a6cee3", "#1f78b4"),
    ("#fdbf6f", "#b35900"),
    ("#b2df8a", "#33802c"),
    ("#cab2d6", "#6a3d9a"),
    ("#fb9a99", "#c01a1c"),
    ("#ffed8a", "#8a6d00"),
    ("#b3e2cd", "#1b7f67"),
    ("#f4cae4", "#b51b80"),
];

/// Writes the style of the classes, and the hatching.
pub(crate) fn definitions(svg: &mut Svg) {
    let font = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
    let mut style = format!(
        "text {{ font: 11px {font}; fill: #1f2328; }} .heading {{ font-weight: bold; font-size: 12px; }} \
         .quiet {{ fill: #57606a; }} .axis {{ text-anchor: middle; }} .address {{ text-anchor: end; }} \
         .paper {{ fill: #ffffff; stroke: #d0d7de; }} .padding, .hatched {{ fill: url(#hatch); stroke: #8c959f; }} \
         .grid {{ fill: none; stroke-width: 0.5; stroke: #57606a; }} .dot {{ fill: #57606a; }}"
    );
    for (number, (fill, stroke)) in COLOURS.iter().enumerate() {
        style.push_str(&format!(
            " .c{number} {{ fill: {fill}; stroke: {stroke}; }}"
        ));
    }
    // This style comes after the colours, which have an outline.
    style.push_str(" .plate { stroke: none; }");
    svg.text("style", &[], &style);
    svg.open("defs", &[]);
    svg.open(
        "pattern",
        &[
            ("id", &"hatch"),
            ("width", &6),
            ("height", &6),
            ("patternUnits", &"userSpaceOnUse"),
        ],
    );
    svg.empty(
        "rect",
        &[("width", &6), ("height", &6), ("fill", &"#f6f8fa")],
    );
    svg.empty(
        "path",
        &[("d", &"M-1 1L1 -1M0 6L6 0M5 7L7 5"), ("stroke", &"#afb8c1")],
    );
    svg.close();
    svg.close();
}

/// Writes a line of text. Its class determines which point of the text is at `x`.
pub(crate) fn label(svg: &mut Svg, class: &str, x: u64, y: u64, text: &str) {
    svg.text("text", &[("class", &class), ("x", &x), ("y", &y)], text);
}

/// Draws a box.
pub(crate) fn rect(svg: &mut Svg, class: &dyn Display, x: u64, y: u64, width: u64, height: u64) {
    svg.empty(
        "rect",
        &[
            ("class", class),
            ("x", &x),
            ("y", &y),
            ("width", &width),
            ("height", &height),
        ],
    );
}

/// Draws the lines that cut a box into cells: `width` pixels into `along` cells, and `height` pixels into `down` cells.
pub(crate) fn grid(
    svg: &mut Svg,
    x: u64,
    y: u64,
    (width, along): (u64, u64),
    (height, down): (u64, u64),
) {
    let mut path = String::new();
    for cell in 1..along {
        path.push_str(&format!("M{} {y}v{height}", x + width * cell / along));
    }
    for cell in 1..down {
        path.push_str(&format!("M{x} {}h{width}", y + height * cell / down));
    }
    if !path.is_empty() {
        svg.empty("path", &[("class", &"grid"), ("d", &path)]);
    }
}

/// Draws three dots in the direction of the parts that are left out.
pub(crate) fn dots(svg: &mut Svg, x: u64, y: u64, down: bool, along: bool) {
    for step in [0, 5, 10] {
        let dx = if along { step } else { 5 };
        let dy = if down { step } else { 5 };
        let (cx, cy) = (x + dx - 5, y + dy - 5);
        svg.empty(
            "circle",
            &[("class", &"dot"), ("cx", &cx), ("cy", &cy), ("r", &1)],
        );
    }
}

/// Returns the class that colours a tile.
pub(crate) fn colour(tile: u64) -> String {
    let count = u64::try_from(COLOURS.len()).unwrap_or(1);
    format!("c{}", tile % count)
}

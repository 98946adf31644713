//! Draws a picture in SVG: the host's matrices on the left, device memory on the right.

use std::fmt::Display;
use std::ops::Range;

use spyre_layout::{Elements, STICK_BYTES};
use thiserror::Error;

use super::picture::{Block, Matrix, Picture, PictureError, Shown, Stick};
use super::subject::Subject;
use super::svg::Svg;

/// Why there is no picture.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DrawError {
    /// There is no picture of this tensor.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// Coordinates and addresses are so long that a picture would be unreadable.
    #[error(
        "the picture would be {width} x {height} pixels, more than {MAX_SIDE} on a side: its numbers are too long"
    )]
    TooLarge {
        /// Its width.
        width: u64,
        /// Its height.
        height: u64,
    },
}

/// Longest side of a picture, in pixels.
const MAX_SIDE: u64 = 3000;
/// Distance between parts of the picture and from its edge.
const GAP: u64 = 24;
/// Height of a line of text, and the least height of a box.
const LINE: u64 = 18;
/// Width of a character of a label; the font has about 0.6 of its size of 11.
const CHARACTER: u64 = 7;
/// Extent of an element's cell along its stick, on the host and on the device.
const CELL: u64 = 6;
/// Extent of a whole stick where elements are not shown one by one.
const STICK: u64 = 96;
/// Least width of a box with a number in it.
const MIN_BOX: u64 = 34;
/// What stands for rows and columns that are left out.
const DOTS: u64 = 22;
/// Distance between the sticks of two tiles.
const TILE_GAP: u64 = 6;
/// Fill and outline of each tile, from the first one on, then again.
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

/// The picture of a tensor. `layout` is its layout in MLIR's syntax.
///
/// # Errors
/// The tensor cannot be drawn so that one can read it.
pub fn draw(subject: &Subject, layout: &str) -> Result<String, DrawError> {
    let picture = Picture::new(&subject.tensor)?;
    Drawing::new(subject, &picture).draw(layout)
}

/// A stretch of an axis, in pixels.
type Span = Range<u64>;

/// Where everything goes.
struct Drawing<'a> {
    subject: &'a Subject,
    picture: &'a Picture,
    /// Rows and columns of a matrix, from its corner.
    rows: Vec<Span>,
    columns: Vec<Span>,
    /// Left edges of the columns of text and boxes.
    host_x: u64,
    number_x: u64,
    bar_x: u64,
    label_x: u64,
    tile_x: u64,
    width: u64,
    bar_width: u64,
}

impl<'a> Drawing<'a> {
    fn new(subject: &'a Subject, picture: &'a Picture) -> Self {
        let per_stick = subject.tensor.format().elements_per_stick().get();
        let longest =
            |ranges: &[Shown<Range<u64>>]| ranges.iter().filter_map(Shown::item).map(length).max();
        let whole = |ranges| longest(ranges).unwrap_or(1).max(1);
        let (whole_row, whole_column) = (whole(&picture.rows), whole(&picture.columns));
        let extent = |range: &Range<u64>, whole: u64, least: u64| {
            let pixels = if picture.cells {
                length(range) * CELL
            } else {
                length(range) * STICK / whole
            };
            // An axis with no stick along it is as narrow as its labels allow.
            if whole == 1 { least } else { pixels.max(least) }
        };
        let number_width = characters(&picture.number_width());
        let least_width = MIN_BOX.max(number_width + 10);
        let column_labels = picture
            .columns
            .iter()
            .filter_map(Shown::item)
            .map(|range| characters(&slice(range)));
        let least_width = if whole_column == 1 {
            least_width.max(column_labels.max().unwrap_or(0) + 8)
        } else {
            least_width
        };
        let rows = spans(&picture.rows, |range| extent(range, whole_row, LINE));
        let columns = spans(&picture.columns, |range| {
            extent(range, whole_column, least_width)
        });

        let row_labels = picture
            .rows
            .iter()
            .filter_map(Shown::item)
            .map(|range| characters(&slice(range)));
        let host_x = GAP + row_labels.max().unwrap_or(0) + 8;
        let host_end = host_x + end(&columns).max(characters("Host memory: rows and columns"));
        let number_x = host_end + 2 * GAP;
        let address_x = number_x + number_width + GAP;
        let last_byte = subject
            .tensor
            .bytes()
            .get()
            .saturating_sub(STICK_BYTES.get());
        let bar_x = address_x + characters(&last_byte).max(characters("address")) + 12;
        let bar_width = if picture.cells {
            per_stick * CELL
        } else {
            2 * STICK
        };
        let label_x = bar_x + bar_width + 12;
        let sticks = || picture.sticks.iter().filter_map(Shown::item);
        let labels = sticks().map(|stick| characters(&holds(stick)));
        let tile_x = label_x + labels.max().unwrap_or(0).max(characters("x[...]")) + 16;
        let tiles = sticks().map(|stick| characters(&format!("tile {}", stick.tile)));
        let width = tile_x + 10 + tiles.max().unwrap_or(0) + GAP;
        Self {
            subject,
            picture,
            rows,
            columns,
            host_x,
            number_x,

            bar_x,
            label_x,
            tile_x,
            width,
            bar_width,
        }
    }

    fn draw(&self, layout: &str) -> Result<String, DrawError> {
        let header = self.header(layout);
        let width = header
            .iter()
            .map(|line| characters(line) + 2 * GAP)
            .fold(self.width, u64::max);
        let top = GAP + (u64::try_from(header.len()).unwrap_or(0) + 2) * LINE;
        let mut host = Svg::default();
        host.open("g", &[("class", &"host")]);
        let host_bottom = self.host(&mut host, top);
        let mut device = Svg::default();
        device.open("g", &[("class", &"device")]);
        let device_bottom = self.device(&mut device, top);
        let bottom = host_bottom.max(device_bottom) + GAP;
        let height = bottom + 3 * LINE + GAP;
        if width > MAX_SIDE || height > MAX_SIDE {
            return Err(DrawError::TooLarge { width, height });
        }

        let mut svg = Svg::default();
        svg.open(
            "svg",
            &[
                ("xmlns", &"http://www.w3.org/2000/svg"),
                ("viewBox", &format_args!("0 0 {width} {height}")),
                ("width", &width),
                ("height", &height),
                ("role", &"img"),
                ("aria-labelledby", &"title desc"),
            ],
        );
        let title = format!(
            "A {} tensor in host memory and in device memory",
            self.subject.type_name()
        );
        svg.text("title", &[("id", &"title")], &title);
        svg.text("desc", &[("id", &"desc")], &self.description());
        definitions(&mut svg);
        svg.empty(
            "rect",
            &[("class", &"paper"), ("width", &width), ("height", &height)],
        );
        for (line, text) in (0..).zip(&header) {
            let class = if line == 0 { "heading" } else { "label" };
            label(&mut svg, class, GAP, GAP + line * LINE, text);
        }
        svg.append(host);
        svg.append(device);
        self.legend(&mut svg, bottom);
        Ok(svg.finish())
    }

    fn header(&self, layout: &str) -> Vec<String> {
        let Subject { tensor, .. } = self.subject;
        vec![
            format!(
                "{}, device size {:?}",
                self.subject.type_name(),
                tensor.device_size()
            ),
            layout.to_owned(),
            format!(
                "{} of {} in {}, one stick = {STICK_BYTES} = {}",
                self.subject.census().data,
                tensor.format(),
                tensor.bytes(),
                tensor.format().elements_per_stick()
            ),
        ]
    }

    fn description(&self) -> String {
        let tensor = &self.subject.tensor;
        let each = if self.picture.cells {
            "Each cell is one element."
        } else {
            "Elements are grouped."
        };
        format!(
            "Left: the tensor as the host sees it, cut into the parts that share a stick, with the number of that stick. \
             Right: the {} sticks of device memory in the order of their addresses, with the part of the tensor that each \
             holds. {each} Device size {:?}, padding {}.",
            tensor.bytes().get() / STICK_BYTES.get(),
            tensor.device_size(),
            self.subject.census().padding,
        )
    }

    /// The host's matrices, from `top` on. Returns where they end.
    fn host(&self, svg: &mut Svg, top: u64) -> u64 {
        label(
            svg,
            "heading",
            self.host_x,
            top - LINE - 4,
            "Host memory: rows and columns",
        );
        let mut y = top;
        for matrix in &self.picture.matrices {
            match matrix {
                Shown::Item(matrix) => {
                    if self.subject.shape().len() > 2 {
                        label(svg, "label", self.host_x, y + 12, &self.matrix_name(matrix));
                        y += LINE;
                    }
                    y = self.matrix(svg, matrix, y) + GAP;
                }
                Shown::Gap { count, .. } => {
                    label(
                        svg,
                        "quiet",
                        self.host_x,
                        y + 4,
                        &format!("... {count} more matrices"),
                    );
                    y += GAP;
                }
            }
        }
        y
    }

    /// The matrix as one would index it, such as `x[0, :, :]`.
    fn matrix_name(&self, matrix: &Matrix) -> String {
        let index = |(dim, position): (usize, &u64)| {
            let runs = Some(dim) == self.picture.row_dim || Some(dim) == self.picture.column_dim;
            if runs {
                ":".to_owned()
            } else {
                position.to_string()
            }
        };
        let indices: Vec<String> = matrix.origin.iter().enumerate().map(index).collect();
        format!("x[{}]", indices.join(", "))
    }

    fn matrix(&self, svg: &mut Svg, matrix: &Matrix, top: u64) -> u64 {
        let y = top + LINE;
        let left = self.host_x;
        if self.picture.column_dim.is_some() {
            for (span, range) in self.columns.iter().zip(&self.picture.columns) {
                if let Shown::Item(range) = range {
                    label(svg, "axis", left + middle(span), y - 5, &slice(range));
                }
            }
        }
        for (span, range) in self.rows.iter().zip(&self.picture.rows) {
            match range {
                Shown::Item(range) if self.picture.row_dim.is_some() => {
                    label(
                        svg,
                        "address",
                        left - 6,
                        y + middle(span) + 4,
                        &slice(range),
                    );
                }
                _ => {}
            }
        }
        for block in &matrix.blocks {
            self.block(svg, block, y);
        }
        for (row, row_span) in self.picture.rows.iter().zip(&self.rows) {
            for (column, column_span) in self.picture.columns.iter().zip(&self.columns) {
                if row.item().is_none() || column.item().is_none() {
                    let down = row.item().is_none();
                    dots(
                        svg,
                        left + middle(column_span),
                        y + middle(row_span),
                        down,
                        column.item().is_none(),
                    );
                }
            }
        }
        y + end(&self.rows)
    }

    /// A block of elements that share a stick, with the number of the stick.
    fn block(&self, svg: &mut Svg, block: &Block, top: u64) {
        let (Some(columns), Some(rows)) =
            (self.columns.get(block.column), self.rows.get(block.row))
        else {
            return;
        };
        let (x, y) = (self.host_x + columns.start, top + rows.start);
        let (width, height) = (length(columns), length(rows));
        rect(
            svg,
            &format_args!("data {}", colour(block.tile)),
            x,
            y,
            width,
            height,
        );
        let along = |ranges: &[Shown<Range<u64>>], at| {
            ranges.get(at).and_then(Shown::item).map_or(1, length)
        };
        if self.picture.cells {
            grid(
                svg,
                x,
                y,
                (width, along(&self.picture.columns, block.column)),
                (height, along(&self.picture.rows, block.row)),
            );
        }
        let text = format!("#{}", block.stick);
        let (middle_x, middle_y) = (x + width / 2, y + height / 2);
        if self.picture.cells {
            // The number stands on the lines between the cells.
            let half = characters(&text) / 2 + 1;
            rect(
                svg,
                &format_args!("plate {}", colour(block.tile)),
                middle_x - half,
                middle_y - 8,
                2 * half,
                16,
            );
        }
        label(svg, "axis", middle_x, middle_y + 4, &text);
    }

    /// The sticks of device memory, from `top` on. Returns where they end.
    fn device(&self, svg: &mut Svg, top: u64) -> u64 {
        label(
            svg,
            "heading",
            self.number_x,
            top - LINE - 4,
            "Device memory: one stick in each row, in the order of addresses",
        );
        label(svg, "quiet", self.number_x, top + 12, "stick");
        label(svg, "address quiet", self.bar_x - 12, top + 12, "address");
        let mut y = top + LINE;
        let mut tile: Option<(u64, Span)> = None;
        for shown in &self.picture.sticks {
            match shown {
                Shown::Item(stick) => {
                    tile = match tile {
                        Some((number, lines)) if number == stick.tile => {
                            Some((number, lines.start..y + LINE))
                        }
                        other => {
                            if let Some((number, lines)) = other {
                                self.tile(svg, number, &lines);
                                y += TILE_GAP;
                            }
                            Some((stick.tile, y..y + LINE))
                        }
                    };
                    self.stick(svg, stick, y);
                    y += LINE;
                }
                Shown::Gap { count, padding } => {
                    dots(svg, self.number_x + 10, y + DOTS / 2, true, false);
                    let text = gap_text(*count, *padding);
                    label(svg, "quiet", self.bar_x, y + DOTS / 2 + 4, &text);
                    y += DOTS;
                }
            }
        }
        if let Some((number, lines)) = tile {
            self.tile(svg, number, &lines);
        }
        y
    }

    /// The line beside the sticks of a tile.
    fn tile(&self, svg: &mut Svg, number: u64, lines: &Span) {
        let class = format!("tile {}", colour(number));
        rect(
            svg,
            &class,
            self.tile_x,
            lines.start + 1,
            4,
            length(lines) - 2,
        );
        label(
            svg,
            "label",
            self.tile_x + 10,
            lines.start + 13,
            &format!("tile {number}"),
        );
    }

    fn stick(&self, svg: &mut Svg, stick: &Stick, y: u64) {
        label(
            svg,
            "label",
            self.number_x,
            y + 13,
            &format!("#{}", stick.number),
        );
        let address = stick.number.saturating_mul(STICK_BYTES.get());
        label(
            svg,
            "address",
            self.bar_x - 12,
            y + 13,
            &address.to_string(),
        );
        let elements: u64 = stick.pieces.iter().map(|piece| piece.elements).sum();
        let mut before = 0;
        for piece in &stick.pieces {
            let x = self.bar_x + before * self.bar_width / elements.max(1);
            before += piece.elements;
            let width = self.bar_x + before * self.bar_width / elements.max(1) - x;
            let class = if piece.data {
                format!("data {}", colour(stick.tile))
            } else {
                "padding".to_owned()
            };
            rect(svg, &class, x, y + 2, width, LINE - 4);
            if self.picture.cells && piece.data {
                grid(svg, x, y + 2, (width, piece.elements), (LINE - 4, 1));
            }
        }
        label(svg, "label", self.label_x, y + 13, &holds(stick));
    }

    /// What numbers, colours and hatching mean, from `y` on.
    fn legend(&self, svg: &mut Svg, y: u64) {
        let text_x = GAP + 56;
        label(svg, "label", GAP, y + 10, "#n");
        let text = format!(
            "these elements are in stick n, which begins at byte {} * n",
            STICK_BYTES.get()
        );
        label(svg, "label", text_x, y + 10, &text);
        let y = y + LINE;
        for (place, tile) in (0..).zip(self.tiles().into_iter().take(3)) {
            rect(
                svg,
                &format_args!("key {}", colour(tile)),
                GAP + place * 16,
                y,
                14,
                12,
            );
        }
        let text = "a colour for each tile: sticks that are contiguous in device memory";
        label(svg, "label", text_x, y + 10, text);
        let padding = self.subject.census().padding;
        if padding > Elements::ZERO {
            let y = y + LINE;
            rect(svg, &"key hatched", GAP, y, 46, 12);
            label(
                svg,
                "label",
                text_x,
                y + 10,
                &format!("padding: {padding} that hold nothing"),
            );
        }
    }

    /// The tiles of the sticks that are shown.
    fn tiles(&self) -> Vec<u64> {
        let sticks = self.picture.sticks.iter().filter_map(Shown::item);
        let mut tiles: Vec<u64> = sticks.map(|stick| stick.tile).collect();
        tiles.dedup();
        tiles
    }
}

impl Picture {
    /// The longest number of a stick that is shown.
    fn number_width(&self) -> String {
        let last = self.sticks.iter().rev().find_map(Shown::item);
        format!("#{}", last.map_or(0, |stick| stick.number))
    }
}

fn definitions(svg: &mut Svg) {
    let font = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
    let mut style = format!(
        "text {{ font: 11px {font}; fill: #1f2328; }} .heading {{ font-weight: bold; font-size: 12px; }} \
         .quiet {{ fill: #57606a; }} .axis {{ text-anchor: middle; }} .address {{ text-anchor: end; }} \
         .paper {{ fill: #ffffff; stroke: #d0d7de; }} .padding, .hatched {{ fill: url(#hatch); stroke: #8c959f; }} \
         .grid {{ fill: none; stroke-width: 0.5; stroke: #57606a; }} .dot {{ fill: #57606a; }} .plate {{ stroke: none; }}"
    );
    for (number, (fill, stroke)) in COLOURS.iter().enumerate() {
        style.push_str(&format!(
            " .c{number} {{ fill: {fill}; stroke: {stroke}; }}"
        ));
    }
    // After the colours, which have an outline.
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

fn label(svg: &mut Svg, class: &str, x: u64, y: u64, text: &str) {
    svg.text("text", &[("class", &class), ("x", &x), ("y", &y)], text);
}

fn rect(svg: &mut Svg, class: &dyn Display, x: u64, y: u64, width: u64, height: u64) {
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

/// Lines that cut a box into cells: so many pixels into so many cells, along and down.
fn grid(svg: &mut Svg, x: u64, y: u64, (width, along): (u64, u64), (height, down): (u64, u64)) {
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

/// Three dots in the direction of what is left out.
fn dots(svg: &mut Svg, x: u64, y: u64, down: bool, along: bool) {
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

/// The class that colours a tile.
fn colour(tile: u64) -> String {
    let count = u64::try_from(COLOURS.len()).unwrap_or(1);
    format!("c{}", tile % count)
}

/// Pixels that a label takes.
fn characters(text: &(impl Display + ?Sized)) -> u64 {
    u64::try_from(text.to_string().chars().count())
        .unwrap_or(u64::MAX / 1024)
        .saturating_mul(CHARACTER)
}

/// A range of positions in Python's notation; one position is a plain number.
fn slice(range: &Range<u64>) -> String {
    if length(range) == 1 {
        range.start.to_string()
    } else {
        format!("{}:{}", range.start, range.end)
    }
}

/// What a stick holds, in Python's notation, and how many elements of it are padding.
fn holds(stick: &Stick) -> String {
    let Some(ranges) = &stick.holds else {
        return "padding".to_owned();
    };
    let mut text = "x".to_owned();
    if !ranges.is_empty() {
        let indices: Vec<String> = ranges.iter().map(slice).collect();
        text.push_str(&format!("[{}]", indices.join(", ")));
    }
    let padding: u64 = stick
        .pieces
        .iter()
        .filter(|piece| !piece.data)
        .map(|piece| piece.elements)
        .sum();
    if padding > 0 {
        text.push_str(&format!(" + {padding} padding"));
    }
    if stick.repeats {
        text.push_str(" again");
    }
    text
}

fn gap_text(count: u64, padding: Option<u64>) -> String {
    match padding {
        Some(0) | None => format!("... {count} more"),
        Some(padding) if padding == count => format!("... {count} more, all padding"),
        Some(padding) => format!("... {count} more, {padding} of them padding"),
    }
}

fn length(range: &Range<u64>) -> u64 {
    range.end.saturating_sub(range.start)
}

fn middle(span: &Span) -> u64 {
    span.start + length(span) / 2
}

fn end(spans: &[Span]) -> u64 {
    spans.last().map_or(0, |span| span.end)
}

/// Stretches one after the other.
fn spans(ranges: &[Shown<Range<u64>>], extent: impl Fn(&Range<u64>) -> u64) -> Vec<Span> {
    let mut at = 0;
    let mut spans = Vec::new();
    for range in ranges {
        let extent = range.item().map_or(DOTS, &extent);
        spans.push(at..at + extent);
        at += extent;
    }
    spans
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use roxmltree::Document;

    use super::super::samples;
    use super::*;

    /// How many rectangles have a word in their class.
    fn count(document: &Document<'_>, parent: &str, word: &str) -> usize {
        let group = document
            .descendants()
            .find(|node| node.attribute("class") == Some(parent))
            .expect("the group");
        let has_word = |class: &str| class.split(' ').any(|found| found == word);
        group
            .children()
            .filter(|node| {
                node.has_tag_name("rect")
                    || node.has_tag_name(("http://www.w3.org/2000/svg", "rect"))
            })
            .filter(|node| node.attribute("class").is_some_and(has_word))
            .count()
    }

    /// Cells of all grids of a group: the lines of a grid cut a box into one cell more.
    fn grid_lines(document: &Document<'_>, parent: &str) -> usize {
        let group = document
            .descendants()
            .find(|node| node.attribute("class") == Some(parent))
            .expect("the group");
        let paths = group.children().filter_map(|node| node.attribute("d"));
        paths.map(|path| path.matches('M').count()).sum()
    }

    #[test]
    fn a_cell_for_each_element_and_hatching_for_each_rest() {
        let text = draw(&samples::default(&[4, 70], "f32"), "#layout").expect("a drawing");
        let document = Document::parse(&text).expect("XML");
        // 4 rows of 3 blocks; 31 + 31 + 5 lines in each row.
        assert_eq!(count(&document, "host", "data"), 12);
        assert_eq!(grid_lines(&document, "host"), 4 * (31 + 31 + 5));
        assert_eq!(count(&document, "device", "data"), 12);
        assert_eq!(count(&document, "device", "padding"), 4);
        assert_eq!(grid_lines(&document, "device"), 4 * (31 + 31 + 5));
        // Three tiles, each with its colour on both sides.
        assert_eq!(count(&document, "device", "tile"), 3);
        for colour in ["c0", "c1", "c2"] {
            assert_eq!(
                count(&document, "host", colour),
                4 + 4,
                "blocks and their plates"
            );
            assert_eq!(
                count(&document, "device", colour),
                4 + 1,
                "sticks and the line of the tile"
            );
        }
        let title = document
            .descendants()
            .find(|node| node.attribute("id") == Some("title"));
        assert_eq!(
            title.and_then(|node| node.text()),
            Some("A 4x70xf32 tensor in host memory and in device memory")
        );
    }

    #[test]
    fn drawings_are_the_same_each_time() {
        let subject = samples::default(&[1024, 256], "f16");
        let drawing = draw(&subject, "#layout").expect("a drawing");
        assert_eq!(drawing, draw(&subject, "#layout").expect("a drawing"));
        assert!(drawing.len() < 20_000, "{} bytes", drawing.len());
    }

    #[test]
    fn what_stands_in_a_label_is_no_markup() {
        let text = draw(&samples::default(&[4], "f32"), "<script>&").expect("a drawing");
        let document = Document::parse(&text).expect("XML");
        assert!(
            document
                .descendants()
                .any(|node| node.text() == Some("<script>&"))
        );
        assert!(
            !document
                .descendants()
                .any(|node| node.tag_name().name() == "script")
        );
    }

    #[test]
    fn pictures_that_nobody_could_read_are_refused() {
        let why = draw(&samples::default(&[4], "f32"), &"x".repeat(1000)).expect_err("too wide");
        assert!(
            matches!(why, DrawError::TooLarge { width: 7048, .. }),
            "{why}"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]
        #[test]
        fn every_drawing_is_xml_inside_its_frame(subject in samples::small()) {
            let text = draw(&subject, "#layout").expect("a drawing");
            let document = Document::parse(&text).expect("XML");
            let number = |node: roxmltree::Node<'_, '_>, name| node.attribute(name).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
            let root = document.root_element();
            let (width, height) = (number(root, "width"), number(root, "height"));
            for node in root.children().filter(|node| node.attribute("class").is_some()) {
                for part in node.descendants().filter(|part| part.tag_name().name() == "rect") {
                    prop_assert!(number(part, "x") + number(part, "width") <= width);
                    prop_assert!(number(part, "y") + number(part, "height") <= height);
                }
            }
            let shown = Picture::new(&subject.tensor).expect("a picture");
            let blocks = shown.matrices.iter().filter_map(Shown::item).map(|matrix| matrix.blocks.len()).sum::<usize>();
            prop_assert_eq!(count(&document, "host", "data"), blocks);
        }
    }
}

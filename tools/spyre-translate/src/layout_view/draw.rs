//! Draws a picture in SVG: the host's matrices on the left, device memory on the right.

use std::fmt::Display;
use std::ops::Range;

use spyre_layout::STICK_BYTES;
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
const CELL: u64 = 8;
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
        let height = bottom + 2 * LINE + GAP;
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
                middle_y - 6,
                2 * half,
                12,
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
        let mut tile: Option<(u64, u64)> = None;
        for shown in &self.picture.sticks {
            match shown {
                Shown::Item(stick) => {
                    match tile {
                        Some((number, start)) if number != stick.tile => {
                            self.tile(svg, number, start, y);
                            y += TILE_GAP;
                            tile = Some((stick.tile, y));
                        }
                        Some(_) => {}
                        None => tile = Some((stick.tile, y)),
                    }
                    self.stick(svg, stick, y);
                    y += LINE;
                }
                Shown::Gap { count, padding } => {
                    dots(svg, self.number_x + 10, y + DOTS / 2, true, false);
                    label(
                        svg,
                        "quiet",
                        self.bar_x,
                        y + DOTS / 2 + 4,
                        &gap_text(*count, *padding),
                    );
                    y += DOTS;
                }
            }
        }
        if let Some((number, start)) = tile {
            self.tile(svg, number, start, y);
        }
        y
    }

    /// The line beside the sticks of a tile.
    fn tile(&self, svg: &mut Svg, number: u64, start: u64, end: u64) {
        rect(
            svg,
            &format_args!("tile {}", colour(number)),
            self.tile_x,
            start + 1,
            4,
            end - start - 2,
        );
        label(
            svg,
            "label",
            self.tile_x + 10,
            start + 13,
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

    fn legend(&self, svg: &mut Svg, y: u64) {
        let mut x = GAP;
        for tile in 0..3 {
            rect(svg, &format_args!("key {}", colour(tile)), x, y, 14, 12);
            x += 16;
        }
        let text = "a colour for each tile: sticks that are contiguous in device memory";
        label(svg, "label", x + 6, y + 10, text);
        rect(svg, &"key hatched", GAP, y + LINE, 46, 12);
        label(
            svg,
            "label",
            x + 6,
            y + LINE + 10,
            &format!(
                "padding: {} that hold nothing",
                self.subject.census().padding
            ),
        );
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
    let indices: Vec<String> = ranges.iter().map(slice).collect();
    let element = if indices.is_empty() {
        "x".to_owned()
    } else {
        format!("x[{}]", indices.join(", "))
    };
    let padding: u64 = stick
        .pieces
        .iter()
        .filter(|piece| !piece.data)
        .map(|piece| piece.elements)
        .sum();
    let padding = if padding > 0 {
        format!(" + {padding} padding")
    } else {
        String::new()
    };
    element + &padding
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

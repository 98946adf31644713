//! The device's side of a drawing.

use spyre_layout::STICK_BYTES;

use super::super::picture::{Shown, Stick};
use super::super::svg::Svg;
use super::Drawing;
use super::labels::{gap_text, holds, length};
use super::page::{DEVICE_TITLE, DOTS, LINE, Span, TILE_GAP};
use super::shapes::{colour, dots, grid, label, rect};

impl Drawing<'_> {
    /// Draws the sticks of device memory, from `top` on. Returns where they end, in pixels.
    pub(super) fn device(&self, svg: &mut Svg, top: u64) -> u64 {
        label(
            svg,
            "heading",
            self.page.number_x,
            top - LINE - 4,
            DEVICE_TITLE,
        );
        label(svg, "quiet", self.page.number_x, top + 12, "stick");
        label(
            svg,
            "address quiet",
            self.page.bar_x - 12,
            top + 12,
            "address",
        );
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
                    dots(svg, self.page.number_x + 10, y + DOTS / 2, true, false);
                    let text = gap_text(*count, *padding);
                    label(svg, "quiet", self.page.bar_x, y + DOTS / 2 + 4, &text);
                    y += DOTS;
                }
            }
        }
        if let Some((number, lines)) = tile {
            self.tile(svg, number, &lines);
        }
        y
    }

    /// Draws the line next to the sticks of a tile.
    fn tile(&self, svg: &mut Svg, number: u64, lines: &Span) {
        let class = format!("tile {}", colour(number));
        rect(
            svg,
            &class,
            self.page.tile_x,
            lines.start + 1,
            4,
            length(lines) - 2,
        );
        label(
            svg,
            "label",
            self.page.tile_x + 10,
            lines.start + 13,
            &format!("tile {number}"),
        );
    }

    /// Draws a stick, with its number, its address and its elements.
    fn stick(&self, svg: &mut Svg, stick: &Stick, y: u64) {
        label(
            svg,
            "label",
            self.page.number_x,
            y + 13,
            &format!("#{}", stick.number),
        );
        let address = stick.number.saturating_mul(STICK_BYTES.get());
        label(
            svg,
            "address",
            self.page.bar_x - 12,
            y + 13,
            &address.to_string(),
        );
        let elements: u64 = stick.pieces.iter().map(|piece| piece.elements).sum();
        let mut before = 0;
        for piece in &stick.pieces {
            let x = self.page.bar_x + before * self.page.bar_width / elements.max(1);
            before += piece.elements;
            let width = self.page.bar_x + before * self.page.bar_width / elements.max(1) - x;
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
        label(svg, "label", self.page.label_x, y + 13, &holds(stick));
    }
}

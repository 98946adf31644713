//! The host's side of a drawing.

use std::ops::Range;

use super::super::picture::{Block, Matrix, Shown};
use super::super::svg::Svg;
use super::Drawing;
use super::labels::{characters, length, slice};
use super::page::{GAP, HOST_TITLE, LINE, end, middle};
use super::shapes::{colour, dots, grid, label, rect};

impl Drawing<'_> {
    /// Draws the host's matrices, from `top` on. Returns where they end, in pixels.
    pub(super) fn host(&self, svg: &mut Svg, top: u64) -> u64 {
        label(svg, "heading", self.page.host_x, top - LINE - 4, HOST_TITLE);
        let mut y = top;
        for matrix in &self.picture.matrices {
            match matrix {
                Shown::Item(matrix) => {
                    if self.subject.shape().len() > 2 {
                        label(
                            svg,
                            "label",
                            self.page.host_x,
                            y + 12,
                            &self.matrix_name(matrix),
                        );
                        y += LINE;
                    }
                    y = self.matrix(svg, matrix, y) + GAP;
                }
                Shown::Gap { count, .. } => {
                    label(
                        svg,
                        "quiet",
                        self.page.host_x,
                        y + 4,
                        &format!("... {count} more matrices"),
                    );
                    y += GAP;
                }
            }
        }
        y
    }

    /// Returns the matrix as one would index it, such as `x[0, :, :]`.
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

    /// Draws a matrix, from `top` on. Returns where it ends, in pixels.
    fn matrix(&self, svg: &mut Svg, matrix: &Matrix, top: u64) -> u64 {
        let y = top + LINE;
        let left = self.page.host_x;
        if self.picture.column_dim.is_some() {
            for (span, range) in self.page.columns.iter().zip(&self.picture.columns) {
                if let Shown::Item(range) = range {
                    label(svg, "axis", left + middle(span), y - 5, &slice(range));
                }
            }
        }
        for (span, range) in self.page.rows.iter().zip(&self.picture.rows) {
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
        for (row, row_span) in self.picture.rows.iter().zip(&self.page.rows) {
            for (column, column_span) in self.picture.columns.iter().zip(&self.page.columns) {
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
        y + end(&self.page.rows)
    }

    /// Draws a block of elements that share a stick, with the number of the stick.
    fn block(&self, svg: &mut Svg, block: &Block, top: u64) {
        let (Some(columns), Some(rows)) = (
            self.page.columns.get(block.column),
            self.page.rows.get(block.row),
        ) else {
            return;
        };
        let (x, y) = (self.page.host_x + columns.start, top + rows.start);
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
}

//! Draws a picture in SVG: the host's matrices on the left, device memory on the right.

mod device;
mod host;
mod labels;
mod page;
mod shapes;
#[cfg(test)]
mod tests;

use spyre_layout::{Elements, STICK_BYTES};
use thiserror::Error;

use super::picture::{Picture, PictureError, Shown};
use super::subject::Subject;
use super::svg::Svg;
use labels::characters;
use page::{GAP, LINE, Page};
use shapes::{colour, definitions, label, rect};

/// Longest side of a picture, in pixels.
const MAX_SIDE: u64 = 3000;

/// The reason why there is no picture.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DrawError {
    /// The tensor has no picture.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// Coordinates and addresses are so long that a picture would be unreadable.
    #[error(
        "the picture would be {width} x {height} pixels, more than {MAX_SIDE} on a side: its numbers are too long"
    )]
    TooLarge {
        /// The width of the picture, in pixels.
        width: u64,
        /// The height of the picture, in pixels.
        height: u64,
    },
}

/// Draws a tensor. `layout` is its layout in MLIR's syntax.
///
/// # Errors
/// The tensor cannot be drawn so that one can read it.
pub fn draw(subject: &Subject, layout: &str) -> Result<String, DrawError> {
    let picture = Picture::new(&subject.tensor)?;
    let page = Page::new(subject, &picture);
    let drawing = Drawing {
        subject,
        picture: &picture,
        page,
    };
    drawing.draw(layout)
}

/// A drawing of a tensor.
struct Drawing<'a> {
    subject: &'a Subject,
    picture: &'a Picture,
    page: Page,
}

impl Drawing<'_> {
    /// Returns the whole drawing as SVG.
    fn draw(&self, layout: &str) -> Result<String, DrawError> {
        let header = self.header(layout);
        let width = header
            .iter()
            .map(|line| characters(line) + 2 * GAP)
            .fold(self.page.width, u64::max);
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

    /// Returns the lines at the top.
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

    /// Returns a text that describes the picture to people who cannot see it.
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

    /// Draws the legend for numbers, colours and hatching, from `y` on.
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

    /// Returns the tiles of the sticks that are shown.
    fn tiles(&self) -> Vec<u64> {
        let sticks = self.picture.sticks.iter().filter_map(Shown::item);
        let mut tiles: Vec<u64> = sticks.map(|stick| stick.tile).collect();
        tiles.dedup();
        tiles
    }
}

//! Draws nests: their loops, their operation, and the place of their results.

use std::fmt::Write as _;

use super::body::{Body, Loops};
use super::constants::{INFINITY, NEGATIVE_INFINITY};
use super::{Buffer, Draw, LARGEST, MOST_OF_VARIANCE, OPEN, OPEN_SIZES};

/// A nest without its body.
struct Nest {
    /// The name of its buffer.
    buffer: String,
    /// The extents of its loops, the reduced one among them.
    drawn: Vec<u64>,
    /// The loop that is reduced.
    reduced: Option<usize>,
    /// The scan or sort along the last loop.
    along: Option<Along>,
    /// The extents of the results, one for each loop that is not reduced, and perhaps a last one of 1.
    ranges: Vec<u64>,
    /// The loops, as the body has them.
    loops: Loops,
    /// Where the results are stored.
    destination: Destination,
}

/// The place of the results of a nest.
struct Destination {
    /// The buffer that the nest overwrites.
    overwritten: Option<Buffer>,
    /// The loop of each dimension of the results.
    loop_of: Vec<usize>,
    /// The extents of the results, by the dimensions of the buffer.
    size: Vec<u64>,
    /// The type of the buffer.
    ty: String,
    /// The strides of the buffer, in elements.
    strides: Vec<u64>,
}

impl Destination {
    /// Returns the overwritten buffer, if the results are only a part of it.
    fn whole(&self) -> Option<&Buffer> {
        self.overwritten
            .as_ref()
            .filter(|whole| whole.size != self.size)
    }

    /// Returns whether the layout is fixed. The address of an overwritten element is open while the layout is.
    fn is_placed(&self) -> bool {
        self.overwritten.is_none() || self.ty.contains("<fixed")
    }
}

impl Draw {
    /// Draws a nest: its loops are over the shape of a buffer, or a new shape, and perhaps a dimension is reduced.
    pub(super) fn nest(&mut self) {
        let mut nest = self.nest_without_body();
        let mut head = self.head(&nest);
        let mut body = self.body(&nest.loops);
        if let Some(dim) = nest.reduced {
            let extent = nest.drawn[dim];
            self.reduce(extent, &mut head, &mut body);
        }
        let combiner = match nest.along {
            Some(Along::Scanned) => self.combiner(&nest, &mut body),
            Some(Along::Sorted(_)) | None => String::new(),
        };
        self.store(&nest, &mut body);
        if nest.destination.overwritten.is_none() && !body.is_masked {
            let ty = std::mem::take(&mut nest.destination.ty);
            nest.destination.ty = self.narrowed(ty, body.largest);
        }
        let hints = self.hints(&nest.ranges);
        let Nest {
            buffer,
            destination,
            ..
        } = nest;
        let _ = writeln!(
            self.text,
            "  %{buffer} = {head}{}  }}{combiner} {hints}: {}",
            body.text, destination.ty
        );
        if let Some(whole) = &destination.overwritten {
            self.overwrite(&whole.name, &buffer);
        }
        let was_masked = destination
            .overwritten
            .as_ref()
            .is_some_and(|whole| whole.is_masked);
        self.buffers.push(Buffer {
            name: buffer,
            size: match destination.overwritten {
                Some(whole) => whole.size,
                None => destination.size,
            },
            ty: destination.ty,
            strides: destination.strides,
            largest: body.largest,
            is_masked: body.is_masked || was_masked,
            is_viewed: false,
        });
        self.nests += 1;
    }

    fn nest_without_body(&mut self) -> Nest {
        let drawn = self.loops();
        let one_in = if self.is_unrealized { 8 } else { 3 };
        let reduced =
            (self.below(one_in) == 0 && !drawn.is_empty()).then(|| self.numbers.index(drawn.len()));
        let along = match reduced {
            None => self.along(&drawn),
            Some(_) => None,
        };
        let mut extents: Vec<u64> = (0..drawn.len())
            .filter(|dim| Some(*dim) != reduced)
            .map(|dim| drawn[dim])
            .collect();
        let mut ranges = extents.clone();
        if reduced.is_some() && self.below(2) == 0 {
            ranges.push(1);
        }
        let destination = self.destination(&ranges, reduced, along);
        let results = extents.len();
        extents.extend(reduced.map(|dim| drawn[dim]));
        Nest {
            buffer: format!("buf{}", self.nests),
            drawn,
            reduced,
            along,
            ranges,
            loops: Loops::new(extents, results),
            destination,
        }
    }

    /// Returns the extents of the loops of a nest.
    fn loops(&mut self) -> Vec<u64> {
        if self.below(3) == 0 {
            return self.extents();
        }
        let buffer_index = self.numbers.index(self.buffers.len());
        let mut size = self.buffers[buffer_index].size.clone();
        if self.below(4) == 0 {
            size.reverse();
        }
        size
    }

    fn destination(
        &mut self,
        ranges: &[u64],
        reduced: Option<usize>,
        along: Option<Along>,
    ) -> Destination {
        let kind = if self.below(2) == 0 {
            "fixed"
        } else {
            "flexible"
        };
        let overwritten = match (reduced, along) {
            (None, None) => self.overwritten(ranges),
            _ => None,
        };
        // The dimension that is scanned or sorted is the last loop, and any dimension of the buffer.
        let mut loop_of: Vec<usize> = (0..ranges.len()).collect();
        if along.is_some() {
            self.numbers.shuffle(&mut loop_of);
        }
        let size: Vec<u64> = loop_of.iter().map(|dim| ranges[*dim]).collect();
        let (ty, strides) = match &overwritten {
            Some(whole) => (whole.ty.clone(), whole.strides.clone()),
            None => self.ty(&size, kind),
        };
        Destination {
            overwritten,
            loop_of,
            size,
            ty,
            strides,
        }
    }

    /// Returns the text of a nest up to the arguments of its body.
    fn head(&mut self, nest: &Nest) -> String {
        let (op, buffer) = (self.nests, &nest.buffer);
        let ranges = self.list(&nest.ranges);
        let mut head = match (nest.reduced, nest.along) {
            (None, Some(along)) => {
                let (way, order) = along.text();
                format!(
                    "inductor.{way} \"op{op}\" as \"{buffer}\" {ranges} over [{}] output 0 {order}{{\n",
                    nest.drawn[nest.drawn.len() - 1]
                )
            }
            (None, None) => {
                let Destination {
                    overwritten, ty, ..
                } = &nest.destination;
                let into = overwritten
                    .as_ref()
                    .map(|whole| format!("into %{} : {ty} ", whole.name));
                format!(
                    "inductor.pointwise \"op{op}\" as \"{buffer}\" {ranges} {}{{\n",
                    into.unwrap_or_default()
                )
            }
            (Some(dim), _) => {
                let way = self.numbers.pick(&["sum", "max", "min"]);
                format!(
                    "inductor.reduction \"op{op}\" as \"{buffer}\" {way} {ranges} over [{}] from f32 {{\n",
                    self.number(nest.drawn[dim])
                )
            }
        };
        let arguments: Vec<String> = (0..nest.loops.arguments.len())
            .map(|at| format!("%i{at}: index"))
            .collect();
        let _ = writeln!(head, "  ^bb0({}):", arguments.join(", "));
        head
    }

    /// Replaces the reduction in `head` by one of another kind, or by one whose results are small enough.
    fn reduce(&mut self, extent: u64, head: &mut String, body: &mut Body) {
        let count = match self.is_open && extent == OPEN {
            true => OPEN_SIZES[1],
            false => extent,
        };
        let sum = body.largest * count;
        let is_exact = count.is_power_of_two() && count <= 8 && body.largest <= MOST_OF_VARIANCE;
        if is_exact && !self.is_open && head.contains(" sum ") && self.numbers.one_in(4) {
            let output = self.below(3);
            *head = head
                .replace(" sum ", " welford_reduce ")
                .replace("from f32 {", &format!("from f32 output {output} {{"));
            // A mean and squares have fractions, and are not added to other values.
            body.largest = LARGEST + 1;
        } else if sum > LARGEST {
            *head = head.replace(" sum ", " max ");
        } else {
            body.largest = sum;
        }
        // An extreme of masked elements: the other end of the range where all are masked.
        let far = match (head.contains(" max "), head.contains(" min ")) {
            (true, _) => NEGATIVE_INFINITY,
            (_, true) => INFINITY,
            _ => return,
        };
        if self.numbers.one_in(4) {
            let masked = self.mask(body, &body.last(), far);
            let zero = body.float("-0.0");
            body.next(&format!("arith.addf {masked}, {zero} : f32"), body.largest);
            body.is_masked = true;
        }
    }

    /// Returns the text of the function that a scan combines its elements with.
    fn combiner(&mut self, nest: &Nest, body: &mut Body) -> String {
        let sum = body.largest * nest.drawn[nest.drawn.len() - 1];
        let function = match sum <= LARGEST && self.numbers.one_in(2) {
            true => "arith.addf",
            false => "arith.maximumf",
        };
        body.largest = body.largest.max(sum.min(LARGEST));
        format!(
            " combine {{\n  ^bb0(%a: f32, %b: f32):\n    %c = {function} %a, %b : f32\n    inductor.yield %c : f32\n  }}"
        )
    }

    /// Adds the store of the last value.
    fn store(&mut self, nest: &Nest, body: &mut Body) {
        let destination = &nest.destination;
        let coordinates = destination.loop_of.iter().map(|dim| {
            let place = nest.loops.argument_of_result(*dim);
            place.map_or_else(|| "0".to_owned(), |place| format!("d{place}"))
        });
        let mut coordinates: Vec<String> = coordinates.collect();
        let whole = destination.whole();
        if let Some(whole) = whole {
            body.largest = body.largest.max(whole.largest);
            coordinates = self.within(&whole.size, &destination.size, coordinates);
        }
        let is_pointwise = nest.reduced.is_none() && nest.along.is_none();
        let (at, view) = match is_pointwise && destination.is_placed() && whole.is_none() {
            true => self.through_view(&nest.ranges, &destination.strides, &coordinates),
            false => None,
        }
        .unwrap_or_else(|| (coordinates.join(", "), String::new()));
        body.store(&at, &view);
    }

    /// Returns the hints of a nest, with a space after them, if it has some.
    fn hints(&mut self, ranges: &[u64]) -> String {
        if ranges.is_empty() || self.is_unrealized || !self.numbers.one_in(3) {
            return String::new();
        }
        let shape: Vec<String> = ranges
            .iter()
            .map(|extent| match self.is_open && *extent == OPEN {
                true => "\"s77\"".to_owned(),
                false => extent.to_string(),
            })
            .collect();
        let shape = shape.join(", ");
        format!(
            "{{hints = [{{dims = {{rows = 2}}, positions = {{rows = 0}}, shape = [{shape}]}}]}} "
        )
    }

    /// Returns the scan or sort along the last loop of a nest; `None` for other nests.
    fn along(&mut self, loops: &[u64]) -> Option<Along> {
        let is_loop = loops.last().is_some_and(|extent| *extent > 1);
        if self.is_open || self.is_unrealized || !is_loop || !self.numbers.one_in(6) {
            return None;
        }
        let orders = ["", "stable ", "descending ", "stable descending "];
        Some(match self.below(2) {
            0 => Along::Scanned,
            _ => Along::Sorted(self.numbers.pick(&orders)),
        })
    }

    /// Returns a buffer of some extents that a nest overwrites, if it does. It has no later reads.
    fn overwritten(&mut self, size: &[u64]) -> Option<Buffer> {
        if self.is_open || self.is_unrealized || !self.numbers.one_in(6) {
            return None;
        }
        // The nest reads another buffer.
        if self.buffers.len() < 2 {
            return None;
        }
        // A part of a larger buffer, or all of one.
        let is_part = self.numbers.one_in(2);
        let fits = |buffer: &Buffer| match is_part {
            true => {
                let mut extents = buffer.size.iter().zip(size);
                buffer.size.len() == size.len() && extents.all(|(whole, part)| whole >= part)
            }
            false => buffer.size == size,
        };
        let mut buffers = self.buffers.iter();
        let at = buffers.position(|buffer| buffer.may_be_overwritten() && fits(buffer))?;
        Some(self.buffers.remove(at))
    }

    /// Maps the coordinates `stored` of a part to coordinates of the buffer `whole`, with a step and an offset.
    fn within(&mut self, whole: &[u64], part: &[u64], stored: Vec<String>) -> Vec<String> {
        let dims = whole.iter().zip(part).zip(stored);
        dims.map(|((whole, part), at)| {
            let step = match (part - 1) * 2 < *whole && self.numbers.one_in(3) {
                true => 2,
                false => 1,
            };
            let offset = self.numbers.below(whole - (part - 1) * step);
            format!("{at} * {step} + {offset}")
        })
        .collect()
    }

    /// Returns the coordinates of a store in a view of the buffer, and the view, if it is stored so: with the dimensions backwards, or all
    /// in one line.
    fn through_view(
        &mut self,
        size: &[u64],
        strides: &[u64],
        stored: &[String],
    ) -> Option<(String, String)> {
        if self.is_open || self.is_unrealized || size.len() < 2 || !self.numbers.one_in(6) {
            return None;
        }
        let reversed = |numbers: &[u64]| -> Vec<u64> { numbers.iter().rev().copied().collect() };
        let (at, view_strides, view_size) = match self.below(2) {
            0 => {
                let at: Vec<&str> = stored.iter().rev().map(String::as_str).collect();
                (at.join(", "), reversed(strides), reversed(size))
            }
            _ => {
                let places = stored.iter().zip(strides);
                let places: Vec<String> = places
                    .map(|(at, stride)| format!("{at} * {stride}"))
                    .collect();
                (places.join(" + "), vec![1], vec![size.iter().product()])
            }
        };
        let (view_strides, view_size) = (self.list(&view_strides), self.list(&view_size));
        let view = format!(" view <fixed, {view_strides}, size = {view_size}>");
        Some((at, view))
    }
}

/// The operation of a nest along its last loop.
#[derive(Debug, Clone, Copy)]
enum Along {
    /// Each element of the result combines the elements up to its position.
    Scanned,
    /// Elements are sorted, with the keywords of the order.
    Sorted(&'static str),
}

impl Along {
    /// Returns the name of the operation, and its keywords of the order.
    fn text(self) -> (&'static str, &'static str) {
        match self {
            Self::Scanned => ("scan", ""),
            Self::Sorted(order) => ("sort", order),
        }
    }
}

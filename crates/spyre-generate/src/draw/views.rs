//! Draws views: first the kind and the head, then a value that admits them.

use super::{Builder, HEADS, MOST_DIMS, MOST_ELEMENTS, OTHER, SMALL};
use crate::program::{Element, NodeKind, Tensor};
use crate::view::{Head, View};

/// Elements of a stick of the narrowest elements.
const STICK: u64 = 64;

impl Builder {
    /// Draws a view.
    pub(super) fn view(&mut self) {
        let view = self.numbers.pick(&View::ALL);
        let head = self.numbers.pick(&Head::ALL);
        let extent = match head {
            Head::Of(extent) => extent,
            Head::Other => self.numbers.pick(&OTHER),
        };
        let source = match self.numbers.one_in(4) {
            true => None,
            false => self.value(|node| admits(view, &node.tensor.shape, extent)),
        };
        let operand = source.unwrap_or_else(|| {
            let shape = self.template(view, extent);
            assert!(
                admits(view, &shape, extent),
                "{view} of {extent} on {shape:?}"
            );
            self.fresh(self.base, &shape)
        });
        let result = match view {
            View::Split => self.split(operand, extent),
            View::SplitRows => self.split_rows(operand),
            View::ExpandUnit => self.expand_unit(operand),
            View::Merge => self.merge(operand, extent),
            View::MergeRows => self.merge_rows(operand),
            View::CollapseUnit => self.collapse_unit(operand),
            View::Flat => self.flat(operand, extent),
            View::Permute => self.permute(operand),
            View::SliceRows | View::SliceOneRow | View::SliceSticks | View::SliceInside => {
                self.slice(view, operand, extent)
            }
            View::InsertRows | View::InsertOneRow | View::InsertSticks | View::InsertInside => {
                self.insert(view, operand, extent)
            }
        };
        self.program.nodes[result].view = Some((view, head));
    }

    /// Returns a shape that admits a view of a head of this extent.
    fn template(&mut self, view: View, extent: u64) -> Vec<u64> {
        let budget = MOST_ELEMENTS / extent;
        match view {
            View::Split => {
                let count = self.numbers.between(2, 4);
                let mut shape = self.lead(3, budget / count);
                let at = self.anywhere(&shape);
                shape.insert(at, count * extent);
                shape
            }
            View::SplitRows => {
                let rows = self.numbers.pick(&[4, 6, 8, 12, 16]);
                let mut shape = self.lead(2, budget / rows);
                let at = self.numbers.index(shape.len() + 1);
                shape.insert(at, rows);
                shape.push(extent);
                shape
            }
            View::ExpandUnit => {
                let mut shape = self.lead(3, budget);
                let at = self.anywhere(&shape);
                shape.insert(at, extent);
                shape
            }
            View::Merge => {
                let count = self.numbers.between(2, 4);
                let mut shape = self.lead(3, budget / count);
                let at = self.anywhere(&shape);
                shape.splice(at..at, [count, extent]);
                shape
            }
            View::MergeRows => {
                let mut shape = self.lead(2, budget / 32);
                let at = self.numbers.index(shape.len() + 1);
                let rows = [self.numbers.between(1, 8), self.numbers.between(2, 4)];
                shape.splice(at..at, rows);
                shape.push(extent);
                shape
            }
            View::CollapseUnit => {
                let mut shape = self.lead(3, budget);
                let at = self.anywhere(&shape);
                shape.insert(at, extent);
                let at = self.numbers.index(shape.len() + 1);
                shape.insert(at, 1);
                shape
            }
            View::Flat => {
                if self.numbers.one_in(2) {
                    return vec![extent * self.numbers.between(2, 12)];
                }
                let mut shape = self.lead(3, budget / 4);
                shape.push(self.numbers.between(1, 4));
                let at = self.anywhere(&shape);
                shape.insert(at, extent);
                shape
            }
            View::Permute => {
                let mut shape = self.lead(3, budget / 16);
                shape.push(self.numbers.pick(&SMALL));
                let at = self.anywhere(&shape);
                shape.insert(at, extent);
                shape
            }
            View::SliceRows | View::SliceOneRow | View::InsertRows | View::InsertOneRow => {
                self.rows_template(extent)
            }
            View::SliceSticks | View::InsertSticks => self.sticks_template(extent, false),
            View::SliceInside | View::InsertInside => self.sticks_template(extent, true),
        }
    }

    /// Returns a shape that admits a window of rows.
    fn rows_template(&mut self, extent: u64) -> Vec<u64> {
        let rows = self.numbers.between(2, 16);
        let mut shape = self.lead(2, MOST_ELEMENTS / extent / rows);
        shape.push(rows);
        shape.push(extent);
        if extent > 1 && self.numbers.one_in(4) {
            let last = shape.len() - 1;
            shape.swap(last, last - 1);
        }
        shape
    }

    /// Returns a shape that admits a window of whole sticks, or one that begins or ends inside a stick.
    fn sticks_template(&mut self, extent: u64, is_inside: bool) -> Vec<u64> {
        // Several adjacent heads, or the head before any other extent.
        let several = extent * self.numbers.between(2, 4);
        if (several > STICK || is_inside) && several > 1 && self.numbers.one_in(2) {
            let mut shape = self.lead(3, MOST_ELEMENTS / several);
            shape.push(several);
            return shape;
        }
        let last = match is_inside {
            true => self.numbers.pick(&[2, 17, 32, 48, 64, 65, 80, 96, 128]),
            false => self.numbers.pick(&[65, 100, 128, 160, 192, 256]),
        };
        let mut shape = self.lead(2, MOST_ELEMENTS / extent / last);
        let at = self.numbers.index(shape.len() + 1);
        shape.insert(at, extent);
        shape.push(last);
        shape
    }

    /// Returns a position for the head: half of the time the last.
    fn anywhere(&mut self, shape: &[u64]) -> usize {
        match self.numbers.one_in(2) {
            true => shape.len(),
            false => self.numbers.index(shape.len() + 1),
        }
    }

    /// Returns one of the positions that satisfy a condition.
    fn position(&mut self, count: usize, fits: impl Fn(usize) -> bool) -> usize {
        let positions: Vec<usize> = (0..count).filter(|at| fits(*at)).collect();
        self.numbers.pick(&positions)
    }

    fn split(&mut self, operand: usize, extent: u64) -> usize {
        let shape = self.shape(operand);
        let at = self.position(shape.len(), |at| splits(shape[at], extent));
        let count = shape[at] / extent;
        self.expand(operand, at, &[count, extent])
    }

    fn split_rows(&mut self, operand: usize) -> usize {
        let shape = self.shape(operand);
        let at = self.position(shape.len() - 1, |at| factors(shape[at]).is_some());
        let extent = shape[at];
        let outer: Vec<u64> = (2..extent)
            .filter(|outer| extent.is_multiple_of(*outer))
            .collect();
        let outer = self.numbers.pick(&outer);
        let mut parts = vec![outer, extent / outer];
        if shape.len() + 2 <= MOST_DIMS && self.numbers.one_in(4) {
            let inner = extent / outer;
            if let Some(factor) = factors(inner) {
                parts = vec![outer, factor, inner / factor];
            }
        }
        self.expand(operand, at, &parts)
    }

    fn expand_unit(&mut self, operand: usize) -> usize {
        let shape = self.shape(operand);
        let at = self.numbers.index(shape.len());
        let parts = match self.numbers.below(3) {
            0 => vec![1, shape[at]],
            1 => vec![shape[at], 1],
            _ if shape.len() + 2 <= MOST_DIMS => vec![1, shape[at], 1],
            _ => vec![1, shape[at]],
        };
        self.expand(operand, at, &parts)
    }

    /// Splits one dimension.
    fn expand(&mut self, operand: usize, at: usize, parts: &[u64]) -> usize {
        let Tensor { element, mut shape } = self.tensor(operand).clone();
        let mut next = 0;
        let groups = (0..shape.len()).map(|dim| {
            let count = if dim == at { parts.len() } else { 1 };
            next += count;
            (next - count..next).collect()
        });
        let groups = groups.collect();
        shape.splice(at..=at, parts.iter().copied());
        let bound = self.node(operand).bound;
        self.add(
            NodeKind::Expand(groups),
            &[operand],
            Tensor { element, shape },
            bound,
        )
    }

    /// Merges the dimensions of a range.
    fn collapse(&mut self, operand: usize, first: usize, last: usize) -> usize {
        let Tensor { element, mut shape } = self.tensor(operand).clone();
        let groups = (0..first).map(|dim| vec![dim]);
        let groups = groups.chain([(first..=last).collect()]);
        let groups = groups.chain((last + 1..shape.len()).map(|dim| vec![dim]));
        let groups = groups.collect();
        let merged = shape[first..=last].iter().product();
        shape.splice(first..=last, [merged]);
        let bound = self.node(operand).bound;
        self.add(
            NodeKind::Collapse(groups),
            &[operand],
            Tensor { element, shape },
            bound,
        )
    }

    fn merge(&mut self, operand: usize, extent: u64) -> usize {
        let shape = self.shape(operand);
        let last = self.position(shape.len(), |at| {
            at > 0 && shape[at] == extent && shape[at - 1] > 1
        });
        let first = match self.numbers.one_in(4) {
            true => self.numbers.index(last),
            false => last - 1,
        };
        self.collapse(operand, first, last)
    }

    fn merge_rows(&mut self, operand: usize) -> usize {
        let rows = self.shape(operand).len() - 1;
        let first = self.numbers.index(rows - 1);
        let last = first + 1 + self.numbers.index(rows - 1 - first);
        self.collapse(operand, first, last)
    }

    fn collapse_unit(&mut self, operand: usize) -> usize {
        let shape = self.shape(operand);
        let at = self.position(shape.len(), |at| shape[at] == 1);
        match at {
            0 => self.collapse(operand, 0, 1),
            at if at + 1 < shape.len() && self.numbers.one_in(2) => {
                self.collapse(operand, at, at + 1)
            }
            at => self.collapse(operand, at - 1, at),
        }
    }

    fn flat(&mut self, operand: usize, extent: u64) -> usize {
        let shape = self.shape(operand);
        if shape.len() > 1 {
            return self.collapse(operand, 0, shape.len() - 1);
        }
        let count = shape[0] / extent;
        let mut parts = vec![count];
        if let Some(outer) = factors(count)
            && self.numbers.one_in(2)
        {
            parts = vec![outer, count / outer];
        }
        let at = self.anywhere(&parts);
        parts.insert(at, extent);
        self.expand(operand, 0, &parts)
    }

    pub(super) fn permute(&mut self, operand: usize) -> usize {
        let Tensor { element, shape } = self.tensor(operand).clone();
        let mut order: Vec<usize> = (0..shape.len()).collect();
        match self.numbers.one_in(3) {
            // As heads and rows change places.
            true => {
                let at = self.numbers.index(order.len() - 1);
                order.swap(at, at + 1);
            }
            false => self.numbers.shuffle(&mut order),
        }
        if order.is_sorted() {
            order.rotate_left(1);
        }
        let shape = order.iter().map(|dim| shape[*dim]).collect();
        let bound = self.node(operand).bound;
        self.add(
            NodeKind::Permute(order),
            &[operand],
            Tensor { element, shape },
            bound,
        )
    }

    /// Returns the offsets and sizes of a window.
    fn window(&mut self, view: View, shape: &[u64], extent: u64) -> (Vec<u64>, Vec<u64>) {
        let last = shape.len() - 1;
        let mut offsets = vec![0; shape.len()];
        let mut sizes = shape.to_vec();
        // Other dimensions are whole, half of the time.
        if self.numbers.one_in(2) {
            for dim in 0..last {
                if self.numbers.one_in(3) {
                    (offsets[dim], sizes[dim]) = self.part(shape[dim]);
                }
            }
        }
        match view {
            View::SliceRows | View::InsertRows => {
                let dim = self.position(last, |dim| shape[dim] > 1);
                (offsets[dim], sizes[dim]) = self.part(shape[dim]);
            }
            View::SliceOneRow | View::InsertOneRow => {
                offsets[last - 1] = self.numbers.below(shape[last - 1]);
                sizes[last - 1] = 1;
            }
            View::SliceSticks | View::InsertSticks => {
                let sticks = shape[last].div_ceil(STICK);
                let first = self.numbers.below(sticks);
                let end = self.numbers.between(first + 1, sticks);
                offsets[last] = first * STICK;
                sizes[last] = (end * STICK).min(shape[last]) - first * STICK;
                if sizes[last] == shape[last] {
                    sizes[last] = (sticks - 1) * STICK;
                }
            }
            _ => {
                // A head of several, or any part.
                if splits(shape[last], extent)
                    && !extent.is_multiple_of(STICK)
                    && self.numbers.below(3) > 0
                {
                    offsets[last] = extent * self.numbers.below(shape[last] / extent);
                    sizes[last] = extent;
                } else if shape[last].is_multiple_of(2) && self.numbers.one_in(2) {
                    // Halves, as of a rotary embedding.
                    sizes[last] = shape[last] / 2;
                    offsets[last] = sizes[last] * self.numbers.below(2);
                } else {
                    (offsets[last], sizes[last]) = self.part(shape[last]);
                }
            }
        }
        (offsets, sizes)
    }

    /// Returns the offset and size of a part of an extent: for an extent of at least 2 not all of it, for an extent of 1 all of
    /// it.
    fn part(&mut self, extent: u64) -> (u64, u64) {
        if extent == 1 {
            return (0, 1);
        }
        let size = self.numbers.between(1, extent - 1);
        (self.numbers.between(0, extent - size), size)
    }

    /// Returns a window's shape; sometimes dimensions of one element are left out.
    fn reduced(&mut self, shape: &[u64], sizes: &[u64]) -> Vec<u64> {
        let drops = self.numbers.one_in(4);
        let dims = sizes.iter().zip(shape);
        let kept: Vec<u64> = dims
            .filter(|(size, extent)| !drops || **size != 1 || **extent == 1)
            .map(|(size, _)| *size)
            .collect();
        if kept.is_empty() {
            sizes.to_vec()
        } else {
            kept
        }
    }

    fn slice(&mut self, view: View, operand: usize, extent: u64) -> usize {
        let Tensor { element, shape } = self.tensor(operand).clone();
        let (offsets, sizes) = self.window(view, &shape, extent);
        let kept = self.reduced(&shape, &sizes);
        let bound = self.node(operand).bound;
        let tensor = Tensor {
            element,
            shape: kept,
        };
        self.add(NodeKind::Extract(offsets, sizes), &[operand], tensor, bound)
    }

    fn insert(&mut self, view: View, into: usize, extent: u64) -> usize {
        let tensor = self.tensor(into).clone();
        let (offsets, sizes) = self.window(view, &tensor.shape, extent);
        let kept = self.reduced(&tensor.shape, &sizes);
        let element = tensor.element;
        let operand =
            self.value(|node| node.tensor.shape == kept && node.tensor.element == element);
        let tile = operand.filter(|tile| *tile != into);
        let tile = tile.unwrap_or_else(|| self.fresh(element, &kept));
        let bounds = self.node(tile).bound.zip(self.node(into).bound);
        let bound = bounds.map(|(a, b)| a.max(b));
        self.add(
            NodeKind::Insert(offsets, sizes),
            &[tile, into],
            tensor,
            bound,
        )
    }

    /// Returns any value with at least `rank` dimensions and an accepted element type, or a new one.
    pub(super) fn any(&mut self, rank: usize, element: impl Fn(Element) -> bool) -> usize {
        let new = match element(self.base) {
            true => self.base,
            false => Element::F16,
        };
        let operand =
            self.value(|node| node.tensor.shape.len() >= rank && element(node.tensor.element));
        operand.unwrap_or_else(|| {
            let last = match self.numbers.one_in(3) {
                true => self.numbers.pick(&OTHER),
                false => self.numbers.pick(&HEADS),
            };
            let mut shape = self.lead(3, MOST_ELEMENTS / last);
            while shape.len() + 1 < rank {
                shape.push(self.numbers.pick(&SMALL));
            }
            shape.push(last);
            self.fresh(new, &shape)
        })
    }
}

/// Returns whether a dimension is several heads.
fn splits(dim: u64, extent: u64) -> bool {
    dim > extent && dim.is_multiple_of(extent)
}

/// Returns the smallest factor greater than 1 of a number that is no prime; `None` for a prime.
fn factors(extent: u64) -> Option<u64> {
    (2..extent).find(|factor| extent.is_multiple_of(*factor))
}

/// Returns whether a shape admits a view of a head.
fn admits(view: View, shape: &[u64], extent: u64) -> bool {
    let [rows @ .., last] = shape else {
        return false;
    };
    let rank = shape.len();
    let has = shape.contains(&extent);
    match view {
        View::Split => rank < MOST_DIMS && shape.iter().any(|dim| splits(*dim, extent)),
        View::SplitRows => {
            rank < MOST_DIMS && *last == extent && rows.iter().any(|dim| factors(*dim).is_some())
        }
        View::ExpandUnit => rank < MOST_DIMS && has,
        View::Merge => {
            let mut pairs = shape.windows(2);
            pairs.any(|pair| pair[0] > 1 && pair[1] == extent)
        }
        View::MergeRows => rank > 2 && *last == extent,
        View::CollapseUnit => rank > 1 && has && shape.contains(&1),
        View::Flat => match shape {
            [only] => splits(*only, extent),
            _ => has,
        },
        View::Permute => rank > 1 && has,
        View::SliceRows | View::InsertRows => rank > 1 && has && rows.iter().any(|dim| *dim > 1),
        View::SliceOneRow | View::InsertOneRow => rank > 1 && has && rows[rank - 2] > 1,
        View::SliceSticks | View::InsertSticks => *last > STICK && (has || splits(*last, extent)),
        View::SliceInside | View::InsertInside => *last > 1 && (has || splits(*last, extent)),
    }
}

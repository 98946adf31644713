//! Draws sums of products as tinygrad has them: products of matrices and convolutions, whose factors are expanded, and
//! whose reduced axes are permuted to the front.

use super::{Draw, MOST_ELEMENTS, elements};

/// The extents of axes.
const EXTENTS: [u64; 4] = [1, 2, 3, 4];

impl Draw {
    /// Adds a product of a matrix and another one, or a convolution.
    pub(super) fn product(&mut self) {
        let dtype = self
            .numbers
            .pick(&["f16", "bf16", "f32", "i32", "u8", "i64"]);
        let [kept, other, reduced] = [(); 3].map(|()| self.numbers.pick(&EXTENTS));
        if self.numbers.one_in(2) {
            let a = self.flat(dtype, &[kept, 1, reduced]);
            let b = self.flat(dtype, &[reduced, other]);
            let b = self.permuted(b, &[1, 0]);
            let b = self.reshaped(b, &[1, other, reduced]);
            self.sum_of_product(a, b, &[kept, other, reduced], &[2]);
            return;
        }
        // Rows and columns of the picture, and of the window.
        let [rows, columns] = [(); 2].map(|()| self.numbers.between(2, 4));
        let picture = self.flat(dtype, &[rows, columns]);
        let picture = match self.numbers.one_in(2) {
            true => self.padded(picture),
            false => picture,
        };
        let windows = self
            .windows(picture, 1)
            .and_then(|rows| self.windows(rows, 0));
        let Some(windows) = windows else {
            return; // The repeated picture is too large.
        };
        // Positions in the window, then positions of it, of the rows and of the columns.
        let windows = self.permuted(windows, &[1, 3, 0, 2]);
        let [height, width, down, right] = self.nodes[windows].shape[..] else {
            unreachable!("a picture has rows and columns");
        };
        let whole = [kept, height, width, down, right];
        if elements(&whole) > MOST_ELEMENTS {
            return;
        }
        let windows = self.reshaped(windows, &[1, height, width, down, right]);
        let weights = self.flat(dtype, &[kept, 1, 1, down, right]);
        self.sum_of_product(windows, weights, &whole, &[3, 4]);
    }

    /// Adds a buffer with one axis, in some shape.
    fn flat(&mut self, dtype: &'static str, shape: &[u64]) -> usize {
        let buffer = self.buffer(dtype, &[elements(shape)]);
        self.reshaped(buffer, shape)
    }

    fn reshaped(&mut self, source: usize, shape: &[u64]) -> usize {
        self.moved("Reshape", shape, source, &format!("\"shape\":{shape:?}"))
    }

    pub(super) fn permuted(&mut self, source: usize, perm: &[usize]) -> usize {
        let shape: Vec<u64> = perm
            .iter()
            .map(|axis| self.nodes[source].shape[*axis])
            .collect();
        self.moved("Permute", &shape, source, &format!("\"perm\":{perm:?}"))
    }

    /// Adds zeros around a picture.
    fn padded(&mut self, source: usize) -> usize {
        let shape: Vec<u64> = self.nodes[source]
            .shape
            .iter()
            .map(|extent| extent + 2)
            .collect();
        let offset = vec![1; shape.len()];
        let arg = format!("\"offset\":{offset:?},\"shape\":{shape:?}");
        let id = self.moved("Pad", &shape, source, &arg);
        // Zeros are no values of the input.
        self.nodes[id].is_moderate = false;
        id
    }

    /// Adds the windows along an axis, which becomes two: the position in the window, and the position of the window. Rows
    /// that are repeated often enough have them as rows that are longer by one. `None` if there are too many elements.
    fn windows(&mut self, source: usize, axis: usize) -> Option<usize> {
        let shape = self.nodes[source].shape.clone();
        let (extent, size) = (shape[axis], self.numbers.between(1, 2));
        let count = extent - size + 1;
        let times = (size * (extent + 1)).div_ceil(extent);
        let with = |axes: &[u64]| [&shape[..axis], axes, &shape[axis + 1..]].concat();
        if elements(&with(&[times, extent])) > MOST_ELEMENTS {
            return None;
        }
        let one = self.reshaped(source, &with(&[1, extent]));
        let repeated = with(&[times, extent]);
        let arg = format!("\"shape\":{repeated:?}");
        let repeated = self.moved("Expand", &repeated, one, &arg);
        let line = self.reshaped(repeated, &with(&[times * extent]));
        let line = self.first(line, &with(&[size * (extent + 1)]));
        let rows = self.reshaped(line, &with(&[size, extent + 1]));
        Some(self.first(rows, &with(&[size, count])))
    }

    /// Adds the first elements along each axis.
    fn first(&mut self, source: usize, shape: &[u64]) -> usize {
        let offset = vec![0; shape.len()];
        let arg = format!("\"offset\":{offset:?},\"shape\":{shape:?}");
        self.moved("Shrink", shape, source, &arg)
    }

    /// Adds the sum of a product along some axes, which are permuted to the front.
    fn sum_of_product(&mut self, a: usize, b: usize, shape: &[u64], reduced: &[usize]) {
        let arg = format!("\"shape\":{shape:?}");
        let [a, b] = [a, b].map(|factor| self.moved("Expand", shape, factor, &arg));
        let dtype = self.nodes[a].dtype;
        let product = self.add("Mul", dtype, shape, &[a, b], "");
        self.reduced_in_front(product, "Add", reduced);
    }

    /// Adds a reduction along some axes, which are permuted to the front.
    pub(super) fn reduced_in_front(&mut self, source: usize, op: &str, reduced: &[usize]) {
        let rank = self.nodes[source].shape.len();
        let kept = (0..rank).filter(|axis| !reduced.contains(axis));
        let perm: Vec<usize> = reduced.iter().copied().chain(kept).collect();
        let permuted = self.permuted(source, &perm);
        let mut shape = self.nodes[permuted].shape.clone();
        shape[..reduced.len()].fill(1);
        let axes: Vec<usize> = (0..reduced.len()).collect();
        let dtype = self.nodes[permuted].dtype;
        // An axis of extent 0 has become one element.
        if elements(&shape) <= MOST_ELEMENTS {
            let arg = format!("\"op\":\"{op}\",\"axes\":{axes:?}");
            self.add("Reduce", dtype, &shape, &[permuted], &arg);
        }
    }
}

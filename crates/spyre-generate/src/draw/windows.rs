//! Convolutions and pools: operations over windows of images.

use super::Builder;
use super::compute::{COLUMNS, MOST_PRODUCTS};
use crate::program::{Element, NodeKind, Tensor, Windows};

/// The operations with windows: a convolution over all channels, twice as likely as the others, a convolution of each
/// channel, and pools.
const MNEMONICS: [&str; 5] = [
    "conv2d",
    "conv2d",
    "depthwiseconv2dnative",
    "maxpoolfwd",
    "avgpoolfwd",
];

/// Extents of windows along height and width.
const KERNELS: [[u64; 2]; 8] = [
    [1, 2],
    [2, 1],
    [2, 2],
    [1, 3],
    [3, 1],
    [2, 3],
    [3, 2],
    [3, 3],
];

impl Builder {
    /// Adds an operation over the windows of a value that is an image, or of a new one, with new weights.
    pub(super) fn windows(&mut self) {
        let mnemonic = self.numbers.pick(&MNEMONICS);
        let element = match self.base.is_float() {
            true => self.base,
            false => Element::F16,
        };
        let adds_channels = mnemonic == "conv2d";
        let image = self.image(element, adds_channels);
        let Some(windows) = self.windows_on(mnemonic, image) else {
            self.pointwise_on(image);
            return;
        };
        match mnemonic {
            "conv2d" | "depthwiseconv2dnative" => self.convolution(image, windows),
            _ => self.pool(image, windows),
        }
    }

    /// Returns a value that is an image. Its elements are small integers, or real numbers that were limited to a small
    /// range.
    fn image(&mut self, element: Element, has_whole_sticks: bool) -> usize {
        let per_stick = if element == Element::F32 { 32 } else { 64 };
        let is_image = |tensor: &Tensor| {
            let [_, height, width, channels] = *tensor.shape.as_slice() else {
                return false;
            };
            let has_channels = match has_whole_sticks {
                true => channels.is_multiple_of(per_stick),
                false => channels > 1,
            };
            tensor.element == element && height * width > 1 && has_channels
        };
        let image = self.value(|node| is_image(&node.tensor));
        let image = image.unwrap_or_else(|| {
            let [height, width] = [6, 6].map(|most| self.numbers.between(2, most));
            let channels = match has_whole_sticks {
                true => per_stick,
                false => self.numbers.pick(&[64, 64, 80, 5]),
            };
            let shape = [self.numbers.between(1, 3), height, width, channels];
            self.input(element, &shape, 1)
        });
        self.tamed(image, 1)
    }

    /// Draws windows for which every partial sum is exact: several along each dimension, the last of which ends with the image;
    /// `None` if the image has none.
    fn windows_on(&mut self, mnemonic: &'static str, image: usize) -> Option<Windows> {
        let element = self.tensor(image).element;
        let [_, height, width, channels] = *self.shape(image).as_slice() else {
            unreachable!("an image has four dimensions");
        };
        let is_pool = matches!(mnemonic, "maxpoolfwd" | "avgpoolfwd");
        let added = if mnemonic == "conv2d" { channels } else { 1 };
        let mut windows = Vec::new();
        for kernel in KERNELS {
            for dilations in [[1, 1], [2, 1], [1, 2]] {
                for strides in [[1, 1], [2, 1], [1, 2], [2, 2], [3, 3]] {
                    let fits = |extent: u64, at: usize| {
                        let rest = extent.checked_sub((kernel[at] - 1) * dilations[at] + 1);
                        let is_window = kernel[at] > 1;
                        rest.is_some_and(|rest| match is_window {
                            true => rest > 0 && rest.is_multiple_of(strides[at]),
                            false => strides[at] == 1,
                        })
                    };
                    let total = added * kernel[0] * kernel[1];
                    let has_form = !is_pool || dilations == [1, 1] && !kernel.contains(&1);
                    if fits(height, 0) && fits(width, 1) && total <= element.integers() && has_form
                    {
                        windows.push(Windows {
                            mnemonic,
                            kernel,
                            strides,
                            dilations,
                        });
                    }
                }
            }
        }
        (!windows.is_empty()).then(|| self.numbers.pick(&windows))
    }

    /// Returns the extents of the batch and of the positions of windows.
    fn rows(&self, image: usize, windows: Windows) -> [u64; 3] {
        let [batch, height, width, _] = *self.shape(image).as_slice() else {
            unreachable!("an image has four dimensions");
        };
        let count = |extent: u64, at: usize| {
            let reach = (windows.kernel[at] - 1) * windows.dilations[at] + 1;
            (extent - reach) / windows.strides[at] + 1
        };
        [batch, count(height, 0), count(width, 1)]
    }

    fn convolution(&mut self, image: usize, windows: Windows) {
        let element = self.tensor(image).element;
        let channels = self.shape(image)[3];
        let rows = self.rows(image, windows);
        let [height, width] = windows.kernel;
        let adds_channels = windows.mnemonic == "conv2d";
        let (of_result, weight, added) = if adds_channels {
            let products = rows.iter().product::<u64>() * channels * height * width;
            let filters = self.numbers.pick(&COLUMNS).max(2);
            let filters = filters.min((MOST_PRODUCTS / products).max(2));
            let weight = vec![height, width, channels, filters];
            (filters, weight, channels * height * width)
        } else {
            (channels, vec![height, width, channels], height * width)
        };
        let weight = self.input(element, &weight, 1);
        let weight = self.tamed(weight, 1);
        let bound = self.node(image).bound.zip(self.node(weight).bound);
        let bound = bound.map(|(a, b)| a * b * added);
        // Sums may have 32 bits where the filters are whole sticks of 16.
        let is_wider = adds_channels && element != Element::F32 && of_result.is_multiple_of(64);
        let tensor = Tensor {
            element: match is_wider && self.numbers.one_in(3) {
                true => Element::F32,
                false => element,
            },
            shape: [&rows[..], &[of_result]].concat(),
        };
        self.add(NodeKind::Windows(windows), &[image, weight], tensor, bound);
    }

    fn pool(&mut self, image: usize, windows: Windows) {
        let tensor = Tensor {
            element: self.tensor(image).element,
            shape: [&self.rows(image, windows)[..], &[self.shape(image)[3]]].concat(),
        };
        // A mean of integers is not an integer.
        let bound = self.node(image).bound;
        let bound = bound.filter(|_| windows.mnemonic == "maxpoolfwd");
        self.add(NodeKind::Windows(windows), &[image], tensor, bound);
    }
}

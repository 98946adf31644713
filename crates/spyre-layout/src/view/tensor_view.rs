//! Views of a tensor in device memory, with the address of their first element.

use crate::{
    error::PlaceError,
    format::{Arrangement, DeviceFormat},
    layout::Layout,
    tensor::DeviceTensor,
    units::{Bytes, Elements},
    view::{
        ViewError,
        reshape::check_groups,
        slice::{check_dims, without},
    },
};

/// A view of a [`DeviceTensor`]: a shape, a layout, and where in the buffer it starts.
///
/// The address of an element of the view is [`View::offset`] plus the address that the layout gives
/// it, and it is the address of the tensor's element at that place. Views compose: each function takes the coordinates
/// of the view that it is called on.
///
/// ```
/// use spyre_layout::{Bytes, DeviceFormat, DimOrder, Layout};
///
/// let f16 = DeviceFormat::Sen169Fp16;
/// let layout = Layout::default_for(&DimOrder::host(2), f16.elements_per_stick())?;
/// let view = layout
///     .place(&[1024, 4096], f16)?
///     .slice(&[512, 1024], &[512, 1024], &[1, 1])?
///     .permute(&[1, 0])?;
/// assert_eq!(view.shape(), [1024, 512]);
/// assert_eq!(view.offset(), Bytes(512 * 128 + 2_097_152));
/// assert_eq!(view.layout().to_string(), "(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)");
/// assert_eq!(view.layout().explicit_device_size(), Some(&[64, 1024, 64][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The layout placed for the shape of the view, with extent 1 where dimensions repeat.
    tensor: DeviceTensor,
    shape: Vec<u64>,
    offset: Bytes,
}

impl DeviceTensor {
    /// The view of the whole tensor as it is.
    #[must_use]
    pub fn view(&self) -> View {
        View {
            tensor: self.clone(),
            shape: self.shape().to_vec(),
            offset: Bytes::ZERO,
        }
    }

    /// The part of the tensor of extents `sizes` from `offsets` on, taking every `steps[i]`-th position of dimension
    /// `i`; see [`View::slice`].
    ///
    /// # Errors
    /// The errors of [`View::slice`].
    pub fn slice(&self, offsets: &[u64], sizes: &[u64], steps: &[u64]) -> Result<View, ViewError> {
        self.view().slice(offsets, sizes, steps)
    }
}

impl View {
    /// The layout of the view: coordinates of its elements from [`View::offset`] on, with the device
    /// size of the buffer. It states that size where the shape of the view does not give it.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        self.tensor.layout()
    }

    /// Extents of the host dimensions.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Distance of the first element from the start of the buffer: whole sticks.
    #[must_use]
    pub fn offset(&self) -> Bytes {
        self.offset
    }

    /// Extents of the device dimensions of the buffer, outermost first.
    #[must_use]
    pub fn device_size(&self) -> &[u64] {
        self.tensor.device_size()
    }

    /// Device elements between neighbours along each device dimension of the buffer, outermost first.
    #[must_use]
    pub fn device_strides(&self) -> &[u64] {
        self.tensor.device_strides()
    }

    /// The view as a tensor that starts where the view does: its layout with the device size of the
    /// buffer, for the shape of the view with extent 1 where dimensions repeat.
    #[must_use]
    pub fn tensor(&self) -> &DeviceTensor {
        &self.tensor
    }

    /// The format of the elements.
    #[must_use]
    pub fn format(&self) -> DeviceFormat {
        self.tensor.format()
    }

    /// Dimensions that repeat one position, ascending.
    pub fn repeated_dims(&self) -> impl Iterator<Item = usize> + '_ {
        let repeats = |(&seen, &held): (&u64, &u64)| seen != held;
        (0..)
            .zip(self.shape.iter().zip(self.tensor.shape()))
            .filter(move |&(_, extents)| repeats(extents))
            .map(|(dim, _)| dim)
    }

    /// Distance of the element at `point` from the start of the buffer, in bytes.
    ///
    /// # Errors
    /// The point has another rank or lies outside the view.
    pub fn address(&self, point: &[u64]) -> Result<Bytes, PlaceError> {
        let mut held = point.to_vec();
        for (dim, (position, (&seen, &extent))) in held
            .iter_mut()
            .zip(self.shape.iter().zip(self.tensor.shape()))
            .enumerate()
        {
            if *position >= seen {
                let (position, extent) = (*position, seen);
                return Err(PlaceError::PointOutside {
                    dim,
                    position,
                    extent,
                });
            }
            *position = (*position).min(extent - 1);
        }
        let address = self.tensor.address(&held)?;
        // Both addresses lie in the buffer, and so does their sum, which is an element of it.
        Ok(Bytes(self.offset.get() + address.get()))
    }

    /// The permuted view: dimension `i` of the result is dimension `permutation[i]` of this one.
    ///
    /// # Errors
    /// The errors of [`Layout::permute`].
    pub fn permute(&self, permutation: &[usize]) -> Result<Self, ViewError> {
        let layout = self.layout().permute(permutation)?;
        let pick = |list: &[u64]| permutation.iter().map(|&dim| list[dim]).collect();
        let held: Vec<u64> = pick(self.tensor.shape());
        self.with(&layout, &held, pick(&self.shape), self.offset)
    }

    /// The view with dimensions cut into several; see [`Layout::expand_shape`]. A dimension that
    /// repeats becomes several that do.
    ///
    /// # Errors
    /// The errors of [`Layout::expand_shape`].
    pub fn expand_shape(
        &self,
        groups: &[Vec<usize>],
        result_shape: &[u64],
    ) -> Result<Self, ViewError> {
        check_groups(&self.shape, groups, result_shape)?;
        let mut held = result_shape.to_vec();
        for dim in self.repeated_dims() {
            for &part in &groups[dim] {
                held[part] = 1;
            }
        }
        let shape = self.tensor.shape();
        let layout = self
            .layout()
            .expand_shape(shape, groups, &held, self.elements_per_stick())?;
        self.with(&layout, &held, result_shape.to_vec(), self.offset)
    }

    /// The view with several dimensions taken as one; see [`Layout::collapse_shape`]. A dimension
    /// that repeats can only be taken together with others of extent 1.
    ///
    /// # Errors
    /// The errors of [`Layout::collapse_shape`], and a repeated dimension that is merged with another one.
    pub fn collapse_shape(
        &self,
        groups: &[Vec<usize>],
        result_shape: &[u64],
    ) -> Result<Self, ViewError> {
        check_groups(result_shape, groups, &self.shape)?;
        let mut held = result_shape.to_vec();
        for dim in self.repeated_dims() {
            let to = groups.iter().position(|group| group.contains(&dim));
            let to = to.expect("the groups have every dimension of more than one position");
            let mut others = groups[to].iter().filter(|&&other| other != dim);
            let repeats_too = |other: usize| self.repeated_dims().any(|dim| dim == other);
            if others.any(|&other| self.shape[other] > 1 && !repeats_too(other)) {
                let extent = self.shape[dim];
                return Err(ViewError::Repeated { dim, extent });
            }
            held[to] = 1;
        }
        let shape = self.tensor.shape();
        let layout =
            self.layout()
                .collapse_shape(shape, groups, &held, self.elements_per_stick())?;
        self.with(&layout, &held, result_shape.to_vec(), self.offset)
    }

    /// The part of extents `sizes` from `offsets` on, taking every `steps[i]`-th position of dimension `i`, as
    /// `tensor.extract_slice` does.
    ///
    /// Along the dimension on the stick it starts at a whole stick. Where it ends inside a stick, the
    /// rest of that stick is padding to who reads the slice, and is overwritten by who writes it.
    /// Steps along it are whole sticks, which leaves one element in each.
    ///
    /// # Errors
    /// The slice leaves the view, starts inside a stick, does not lie in memory like a slice at the
    /// origin, or its steps are not representable.
    pub fn slice(&self, offsets: &[u64], sizes: &[u64], steps: &[u64]) -> Result<Self, ViewError> {
        let mut layout = self.layout().clone();
        layout.check_rank("list of offsets", offsets.len())?;
        layout.check_rank("list of sizes", sizes.len())?;
        layout.check_rank("list of steps", steps.len())?;
        let mut starts = Vec::with_capacity(offsets.len());
        let mut spans = Vec::with_capacity(offsets.len());
        let mut windows = Vec::with_capacity(offsets.len());
        let list = offsets.iter().zip(sizes).zip(steps).enumerate();
        for (dim, ((&offset, &size), &step)) in list {
            let (span, window) = self.span(dim, offset, size, step)?;
            // A dimension that repeats holds one position, wherever the slice is.
            let repeats = self.repeated_dims().any(|repeated| repeated == dim);
            starts.push(if repeats { 0 } else { offset });
            spans.push(if repeats { 1 } else { span });
            windows.push(if repeats { 1 } else { window });
        }
        let base = self.tensor.window_offset(&starts, &windows)?;
        let eps = self.elements_per_stick();
        layout = layout.window_layout(self.tensor.shape(), &spans, eps)?;
        let mut held = spans;
        for (dim, &step) in steps.iter().enumerate() {
            if held[dim] > 1 && step > 1 {
                layout = layout.every_nth(&held, dim, step, eps)?;
                held[dim] = held[dim].div_ceil(step);
            }
        }
        // Not above an address in the buffer.
        let offset = Bytes(self.offset.get() + base.get());
        self.with(&layout, &held, sizes.to_vec(), offset)
    }

    /// The part of the view at index `index` of dimension `dim`, which disappears.
    ///
    /// # Errors
    /// The index is outside the dimension or, on the stick, not the first position of a stick.
    pub fn select(&self, dim: usize, index: u64) -> Result<Self, ViewError> {
        check_dims(&[dim], self.shape.len())?;
        let mut offsets = vec![0; self.shape.len()];
        let mut sizes = self.shape.clone();
        (offsets[dim], sizes[dim]) = (index, 1);
        let steps = vec![1; self.shape.len()];
        self.slice(&offsets, &sizes, &steps)?.drop_dims(&[dim])
    }

    /// The view without the given dimensions, which have extent 1.
    ///
    /// # Errors
    /// A dimension does not exist or has another extent.
    pub fn drop_dims(&self, dims: &[usize]) -> Result<Self, ViewError> {
        check_dims(dims, self.shape.len())?;
        for &dim in dims {
            let extent = self.shape[dim];
            if extent != 1 {
                let action = "dropped";
                return Err(ViewError::NotUnit {
                    dim,
                    extent,
                    action,
                });
            }
        }
        let held = self.tensor.shape();
        let layout = self
            .layout()
            .drop_dims(held, dims, self.elements_per_stick())?;
        self.with(
            &layout,
            &without(held, dims),
            without(&self.shape, dims),
            self.offset,
        )
    }

    /// The view in which dimension `dim`, of extent 1, repeats its position `extent` times.
    ///
    /// # Errors
    /// The dimension does not exist or has another extent, or `extent` is 0.
    pub fn broadcast(&self, dim: usize, extent: u64) -> Result<Self, ViewError> {
        check_dims(&[dim], self.shape.len())?;
        if extent == 0 {
            return Err(PlaceError::EmptyDim { dim }.into());
        }
        if self.shape[dim] != 1 {
            return Err(ViewError::NotUnit {
                dim,
                extent: self.shape[dim],
                action: "broadcast",
            });
        }
        let held = self.tensor.shape();
        let layout = self
            .layout()
            .broadcast(held, &[dim], self.elements_per_stick())?;
        let mut shape = self.shape.clone();
        shape[dim] = extent;
        self.with(&layout, held, shape, self.offset)
    }

    /// Positions of dimension `dim` from the first to the last one of a slice, and positions of the window of whole
    /// sticks that holds them.
    fn span(&self, dim: usize, offset: u64, size: u64, step: u64) -> Result<(u64, u64), ViewError> {
        if step == 0 {
            return Err(ViewError::ZeroStep { dim });
        }
        let shape = self.shape[dim];
        let window = |extent| crate::WindowError::Outside {
            dim,
            offset,
            extent,
            shape,
        };
        let Some(last) = size.checked_sub(1) else {
            return Err(crate::WindowError::Empty { dim }.into());
        };
        let span = last.checked_mul(step).and_then(|span| span.checked_add(1));
        let span = span.ok_or_else(|| window(size))?;
        let room = shape.checked_sub(offset).ok_or_else(|| window(span))?;
        if span > room {
            return Err(window(span).into());
        }
        let elements_per_stick = self.tensor.stick_extent(dim);
        // In staggered order an element is in either stick of a pair, so neither has all elements up to an end inside.
        let is_staggered = self.layout().arrangement() != Arrangement::Standard;
        let is_cut = |at: u64| !Elements(at).is_multiple_of(elements_per_stick);
        if is_staggered && (is_cut(offset) || span != room && is_cut(span)) {
            return Err(ViewError::SplitsPair {
                dim,
                start: offset,
                end: offset + span,
                unit: elements_per_stick,
            });
        }
        if is_cut(offset) {
            let offset = Elements(offset);
            return Err(ViewError::StartsInsideStick {
                dim,
                offset,
                elements_per_stick,
            });
        }
        // The part of the last stick after the end belongs to the tensor and not to the slice. Sticks that end beyond
        // 64 bits end after the tensor.
        let whole = Elements(span).round_up_to(elements_per_stick);
        Ok((span, whole.map_or(room, |whole| whole.get().min(room))))
    }

    fn elements_per_stick(&self) -> Elements {
        self.format().elements_per_stick()
    }

    /// This view with another layout; `held` is its shape with 1 for dimensions that repeat.
    fn with(
        &self,
        layout: &Layout,
        held: &[u64],
        shape: Vec<u64>,
        offset: Bytes,
    ) -> Result<Self, ViewError> {
        let tensor = layout.place(held, self.format())?;
        Ok(Self {
            tensor,
            shape,
            offset,
        })
    }
}

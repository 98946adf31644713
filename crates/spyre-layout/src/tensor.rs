//! A layout together with the shape and format of one tensor: sizes and addresses.

use crate::{
    coord::Coord,
    error::PlaceError,
    format::DeviceFormat,
    layout::Layout,
    units::{Bytes, Elements},
};

/// A tensor in device memory: a layout that fits a shape and a format.
///
/// Every element of the shape has one address, no two share one, and all lie inside
/// [`DeviceTensor::bytes`]. Addresses count from the start of the tensor.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct DeviceTensor {
    layout: Layout,
    shape: Vec<u64>,
    format: DeviceFormat,
    device_size: Vec<u64>,
    device_strides: Vec<u64>,
    bytes: Bytes,
}

impl Layout {
    /// Places a tensor of the given shape: checks that the layout fits and works out its size.
    ///
    /// `format` is the format of the element type; the layout's format, if it has one, takes precedence.
    ///
    /// # Errors
    /// The layout is for another rank, does not distinguish all elements, has a stick that does not hold 128 bytes,
    /// pads to less than the tensor needs, or the tensor is too large to address.
    pub fn place(&self, shape: &[u64], format: DeviceFormat) -> Result<DeviceTensor, PlaceError> {
        let format = self.format_override().unwrap_or(format);
        let device_size = self.device_size(shape, format.elements_per_stick())?;
        let too_large = || PlaceError::TooLarge {
            device_size: device_size.clone(),
        };

        let mut device_strides = vec![1; device_size.len()];
        let mut elements: u64 = 1;
        for (stride, &size) in device_strides.iter_mut().zip(&device_size).rev() {
            *stride = elements;
            elements = elements.checked_mul(size).ok_or_else(too_large)?;
        }
        let bytes = Elements(elements)
            .to_bytes(format.bytes_per_element())
            .ok_or_else(too_large)?;
        Ok(DeviceTensor {
            layout: self.clone(),
            shape: shape.to_vec(),
            format,
            device_size,
            device_strides,
            bytes,
        })
    }

    /// Checks that the layout fits a shape, when a stick holds `elements_per_stick`.
    ///
    /// # Errors
    /// The errors of [`Layout::place`].
    pub fn check(&self, shape: &[u64], elements_per_stick: Elements) -> Result<(), PlaceError> {
        self.device_size(shape, elements_per_stick).map(drop)
    }

    /// Extents of the device coordinates, outermost first, of a tensor of the given shape
    /// (middle-end specification, sections 2.1 and 2.2).
    ///
    /// # Errors
    /// The errors of [`Layout::place`].
    pub fn device_size(
        &self,
        shape: &[u64],
        elements_per_stick: Elements,
    ) -> Result<Vec<u64>, PlaceError> {
        self.check_shape(shape)?;
        let last = self.coords().len() - 1;
        let mut sizes: Vec<u64> = Vec::with_capacity(self.coords().len());
        for (at, coord) in self.coords().iter().enumerate() {
            sizes.push(match *coord {
                Coord::Zero if at == last => elements_per_stick.get(),
                Coord::Zero => 1,
                Coord::Digit {
                    modulus: Some(modulus),
                    ..
                } => modulus,
                Coord::Digit {
                    dim,
                    divisor,
                    modulus: None,
                } => shape[dim].div_ceil(divisor),
            });
        }
        let actual = self.explicit_device_size().unwrap_or(&sizes);
        // A product that overflows saturates, which is larger than any stick.
        let stick = actual
            .iter()
            .rev()
            .take(self.arrangement().stick_coords())
            .fold(1u64, |product, &size| product.saturating_mul(size));
        if stick != elements_per_stick.get() {
            return Err(PlaceError::StickSize {
                actual: Elements(stick),
                expected: elements_per_stick,
            });
        }
        for (coord, (&size, &needed)) in actual.iter().zip(&sizes).enumerate() {
            if size < needed {
                return Err(PlaceError::DeviceSizeTooSmall {
                    coord,
                    size,
                    needed,
                });
            }
        }
        Ok(actual.to_vec())
    }

    /// Bytes that a tensor of the given shape takes in device memory.
    ///
    /// # Errors
    /// The errors of [`Layout::place`].
    pub fn bytes(&self, shape: &[u64], format: DeviceFormat) -> Result<Bytes, PlaceError> {
        Ok(self.place(shape, format)?.bytes())
    }

    /// Checks that every element has a place, and no two the same.
    fn check_shape(&self, shape: &[u64]) -> Result<(), PlaceError> {
        self.check_rank("shape", shape.len())?;
        for (dim, &extent) in shape.iter().enumerate() {
            if extent == 0 {
                return Err(PlaceError::EmptyDim { dim });
            }
            match self.digits_of(dim).last() {
                None if extent > 1 => return Err(PlaceError::DimNotLaidOut { dim, extent }),
                Some(top) => {
                    // Without a modulus the digit counts as far as needed. Counts beyond 64 bits cover every extent.
                    let covered = top
                        .modulus
                        .map(|modulus| top.divisor.saturating_mul(modulus));
                    if let Some(covered) = covered.filter(|&covered| covered < extent) {
                        return Err(PlaceError::DigitsTooFew {
                            dim,
                            extent,
                            covered,
                        });
                    }
                }
                None => {}
            }
        }
        Ok(())
    }

    pub(crate) fn check_rank(&self, what: &'static str, actual: usize) -> Result<(), PlaceError> {
        if actual == self.rank() {
            Ok(())
        } else {
            Err(PlaceError::Rank {
                what,
                rank: self.rank(),
                actual,
            })
        }
    }
}

impl DeviceTensor {
    /// The layout.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Extents of the host dimensions.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// The format of the elements.
    #[must_use]
    pub fn format(&self) -> DeviceFormat {
        self.format
    }

    /// Extents of the device dimensions, outermost first.
    #[must_use]
    pub fn device_size(&self) -> &[u64] {
        &self.device_size
    }

    /// Device elements between neighbours along each device dimension, outermost first.
    #[must_use]
    pub fn device_strides(&self) -> &[u64] {
        &self.device_strides
    }

    /// Bytes in device memory, padding included: whole sticks.
    #[must_use]
    pub fn bytes(&self) -> Bytes {
        self.bytes
    }

    /// Device coordinates of the element at host coordinates `point`.
    ///
    /// # Errors
    /// The point has another rank or lies outside the tensor.
    pub fn device_coords(&self, point: &[u64]) -> Result<Vec<u64>, PlaceError> {
        self.check_point(point)?;
        Ok(self
            .layout
            .coords()
            .iter()
            .map(|coord| coord.eval(point))
            .collect())
    }

    /// Distance of the element at `point` from the start of the tensor, in device elements.
    ///
    /// # Errors
    /// The point has another rank or lies outside the tensor.
    pub fn device_offset(&self, point: &[u64]) -> Result<Elements, PlaceError> {
        self.check_point(point)?;
        // No overflow: each coordinate is below its size, so the sum is below the tensor's size.
        let coords = self.layout.coords().iter().map(|coord| coord.eval(point));
        Ok(Elements(
            coords
                .zip(&self.device_strides)
                .map(|(at, stride)| at * stride)
                .sum(),
        ))
    }

    /// Distance of the element at `point` from the start of the tensor, in bytes.
    ///
    /// # Errors
    /// The point has another rank or lies outside the tensor.
    pub fn address(&self, point: &[u64]) -> Result<Bytes, PlaceError> {
        let offset = self.device_offset(point)?;
        Ok(Bytes(offset.get() * self.format.bytes_per_element().get()))
    }

    /// Checks that `point` is an element of the tensor.
    fn check_point(&self, point: &[u64]) -> Result<(), PlaceError> {
        self.layout.check_rank("point", point.len())?;
        for (dim, (&position, &extent)) in point.iter().zip(&self.shape).enumerate() {
            if position >= extent {
                return Err(PlaceError::PointOutside {
                    dim,
                    position,
                    extent,
                });
            }
        }
        Ok(())
    }
}

//! The layout itself: device coordinates as functions of host coordinates.

use std::fmt;

use crate::{
    coord::Coord,
    error::LayoutError,
    format::{Arrangement, DeviceFormat},
};

/// The places of the elements of a tensor in device memory.
///
/// A layout maps host coordinates to device coordinates. Device memory is row-major over the
/// *device size*, and its last coordinate is the position inside a stick of 128 bytes (the last two
/// for [`Arrangement::Qfp8Wt`]). The device size follows from the shape of the tensor, unless the
/// layout gives it explicitly to pad dimensions (middle-end specification, section 2.1).
///
/// A value of this type is consistent by itself: the digits of each host dimension form a mixed
/// radix number. [`Layout::check`] and [`Layout::place`] check whether it fits a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Layout {
    rank: usize,
    coords: Vec<Coord>,
    device_size: Option<Vec<u64>>,
    format: Option<DeviceFormat>,
    arrangement: Arrangement,
    expanded: Vec<usize>,
}

/// One digit of a host dimension, with the position of its device coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digit {
    pub(crate) coord: usize,
    pub(crate) divisor: u64,
    pub(crate) modulus: Option<u64>,
}

impl Layout {
    /// The layout of tensors of rank `rank` with the given device coordinates, outermost first,
    /// without padding, in standard arrangement.
    ///
    /// # Errors
    /// The coordinates name missing dimensions, or the digits of a dimension do not form a mixed
    /// radix number with the digits inside the stick as its lowest ones.
    pub fn new(rank: usize, coords: Vec<Coord>) -> Result<Self, LayoutError> {
        let layout = Self {
            rank,
            coords,
            device_size: None,
            format: None,
            arrangement: Arrangement::Standard,
            expanded: Vec::new(),
        };
        layout.check_each_coord()?;
        layout.check_digits()?;
        layout.check_stick()?;
        Ok(layout)
    }

    /// The same coordinates with an explicit device size, which may pad any dimension.
    ///
    /// # Errors
    /// The size has another length, or an entry is smaller than the digit it holds.
    pub fn with_device_size(mut self, device_size: Vec<u64>) -> Result<Self, LayoutError> {
        if device_size.len() != self.coords.len() {
            return Err(LayoutError::DeviceSizeRank {
                actual: device_size.len(),
                coords: self.coords.len(),
            });
        }
        for (coord, (&size, digit)) in device_size.iter().zip(&self.coords).enumerate() {
            let least = match digit {
                Coord::Digit {
                    modulus: Some(modulus),
                    ..
                } => *modulus,
                _ => 1,
            };
            if size < least {
                return Err(LayoutError::DeviceSizeTooSmall { coord, size, least });
            }
        }
        self.device_size = Some(device_size);
        Ok(self)
    }

    /// The same layout, stored in `format` whatever the element type of the tensor.
    #[must_use]
    pub fn with_format(mut self, format: DeviceFormat) -> Self {
        self.format = Some(format);
        self
    }

    /// The same layout with another element arrangement.
    ///
    /// # Errors
    /// The arrangement makes the stick of more coordinates than there are, or of high digits.
    pub fn with_arrangement(mut self, arrangement: Arrangement) -> Result<Self, LayoutError> {
        self.arrangement = arrangement;
        self.check_stick()?;
        Ok(self)
    }

    /// The same layout in which the given device coordinates repeat the same values: each of them
    /// is constantly zero, and its stride map entry is 0 instead of -1.
    ///
    /// # Errors
    /// A position is not that of a constantly zero coordinate.
    pub fn with_expanded(mut self, mut coords: Vec<usize>) -> Result<Self, LayoutError> {
        coords.sort_unstable();
        coords.dedup();
        for &coord in &coords {
            if self.coords.get(coord) != Some(&Coord::Zero) {
                return Err(LayoutError::ExpandedNotZero { coord });
            }
        }
        self.expanded = coords;
        Ok(self)
    }

    /// The layout with other coordinates and another device size, for tensors of rank `rank`; all
    /// else stays. Repeated coordinates keep their positions.
    pub(crate) fn with_coords(
        &self,
        rank: usize,
        coords: Vec<Coord>,
        device_size: Option<&[u64]>,
    ) -> Result<Self, LayoutError> {
        let mut layout = Self::new(rank, coords)?
            .with_arrangement(self.arrangement)?
            .with_expanded(self.expanded.clone())?;
        layout.format = self.format;
        match device_size {
            Some(size) => layout.with_device_size(size.to_vec()),
            None => Ok(layout),
        }
    }

    /// The same layout with the device size that follows from the shape of the tensor.
    pub(crate) fn with_size_of_shape(mut self) -> Self {
        self.device_size = None;
        self
    }

    /// The same layout with no coordinate marked as repeating.
    pub(crate) fn without_expanded(&self) -> Self {
        let mut layout = self.clone();
        layout.expanded.clear();
        layout
    }

    /// Number of host dimensions.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The device coordinates, outermost first.
    #[must_use]
    pub fn coords(&self) -> &[Coord] {
        &self.coords
    }

    /// The device size, where the layout fixes it.
    #[must_use]
    pub fn explicit_device_size(&self) -> Option<&[u64]> {
        self.device_size.as_deref()
    }

    /// The element format, where the layout overrides the one of the element type.
    #[must_use]
    pub fn format_override(&self) -> Option<DeviceFormat> {
        self.format
    }

    /// The element arrangement.
    #[must_use]
    pub fn arrangement(&self) -> Arrangement {
        self.arrangement
    }

    /// Positions of the device coordinates that repeat the same values, ascending.
    #[must_use]
    pub fn expanded(&self) -> &[usize] {
        &self.expanded
    }

    /// The host dimension that runs inside the stick; `None` for sparse sticks, which hold one
    /// element each.
    #[must_use]
    pub fn stick_dim(&self) -> Option<usize> {
        self.coords.last().copied().and_then(Coord::host_dim)
    }

    /// Positions of the device coordinates that depend on host dimension `dim`, outermost first.
    pub fn device_dims_of(&self, dim: usize) -> impl Iterator<Item = usize> + '_ {
        let is_of_dim = move |coord: &Coord| coord.host_dim() == Some(dim);
        (0..)
            .zip(&self.coords)
            .filter(move |(_, coord)| is_of_dim(coord))
            .map(|(at, _)| at)
    }

    /// Returns whether `coord` is a position inside the stick.
    pub(crate) fn is_in_stick(&self, coord: usize) -> bool {
        coord + self.arrangement.stick_coords() >= self.coords.len()
    }

    /// The digits of host dimension `dim`, lowest first.
    pub(crate) fn digits_of(&self, dim: usize) -> Vec<Digit> {
        digits_of(self.coords.iter().copied(), dim)
    }

    fn check_each_coord(&self) -> Result<(), LayoutError> {
        for (coord, &digit) in self.coords.iter().enumerate() {
            let Coord::Digit {
                dim,
                divisor,
                modulus,
            } = digit
            else {
                continue;
            };
            if dim >= self.rank {
                return Err(LayoutError::DimOutOfRank {
                    coord,
                    dim,
                    rank: self.rank,
                });
            }
            if divisor == 0 {
                return Err(LayoutError::ZeroDivisor { coord, dim });
            }
            if let Some(modulus @ 0..2) = modulus {
                return Err(LayoutError::SmallModulus {
                    coord,
                    dim,
                    modulus,
                });
            }
        }
        Ok(())
    }

    /// Each host dimension that occurs must be a mixed radix number.
    fn check_digits(&self) -> Result<(), LayoutError> {
        for dim in 0..self.rank {
            let digits = self.digits_of(dim);
            match digits.first() {
                Some(lowest) if lowest.divisor != 1 => {
                    return Err(LayoutError::NoUnitDigit {
                        dim,
                        divisor: lowest.divisor,
                    });
                }
                _ => {}
            }
            for (low, high) in digits.iter().zip(digits.iter().skip(1)) {
                let (divisor, next) = (low.divisor, high.divisor);
                match low.modulus {
                    None => return Err(LayoutError::UnboundedLowDigit { dim, divisor, next }),
                    Some(modulus) if divisor.checked_mul(modulus) != Some(next) => {
                        return Err(LayoutError::DigitsDoNotChain {
                            dim,
                            divisor,
                            modulus,
                            next,
                        });
                    }
                    Some(_) => {}
                }
            }
        }
        Ok(())
    }

    /// A stick must exist and hold consecutive positions: low digits only.
    fn check_stick(&self) -> Result<(), LayoutError> {
        let needed = self.arrangement.stick_coords();
        if self.coords.len() < needed {
            return Err(LayoutError::TooFewCoords {
                actual: self.coords.len(),
                needed,
            });
        }
        for dim in 0..self.rank {
            let digits = self.digits_of(dim);
            let high = digits
                .iter()
                .skip_while(|digit| self.is_in_stick(digit.coord));
            if let Some(digit) = high.into_iter().find(|digit| self.is_in_stick(digit.coord)) {
                let Digit { coord, divisor, .. } = *digit;
                return Err(LayoutError::HighDigitInStick {
                    coord,
                    dim,
                    divisor,
                });
            }
        }
        Ok(())
    }
}

/// The digits of host dimension `dim` among `coords`, lowest first.
pub(crate) fn digits_of(coords: impl IntoIterator<Item = Coord>, dim: usize) -> Vec<Digit> {
    let mut digits: Vec<Digit> = (0..)
        .zip(coords)
        .filter_map(|(at, coord)| match coord {
            Coord::Digit {
                dim: d,
                divisor,
                modulus,
            } if d == dim => Some(Digit {
                coord: at,
                divisor,
                modulus,
            }),
            _ => None,
        })
        .collect();
    digits.sort_by_key(|digit| digit.divisor);
    digits
}

impl fmt::Display for Layout {
    /// Prints the coordinates in the syntax of MLIR's affine maps.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for dim in 0..self.rank {
            write!(f, "{}d{dim}", if dim == 0 { "" } else { ", " })?;
        }
        f.write_str(") -> (")?;
        for (at, coord) in self.coords.iter().enumerate() {
            write!(f, "{}{coord}", if at == 0 { "" } else { ", " })?;
        }
        f.write_str(")")
    }
}

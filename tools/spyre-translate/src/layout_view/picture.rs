//! What a picture shows, before it has coordinates on a page.
//!
//! On the host side are *blocks*: neighbouring elements of one matrix that share a stick. On the device side are sticks,
//! in the order of their addresses. A number, the position of the stick in memory, says which block is in which stick.
//! Long rows of either are cut short in the middle.

use std::ops::Range;

use spyre_layout::{Arrangement, Coord, DeviceTensor, STICK_BYTES};
use thiserror::Error;

use super::inverse::element_at;

/// Device elements up to which a picture shows each one as a cell.
const MAX_CELLS: u64 = 1024;
/// Cells in a row of the host's matrix, likewise.
const MAX_CELLS_IN_ROW: u64 = 80;
/// Sticks up to which a picture shows each one.
pub const MAX_STICKS: u64 = 24;
/// Blocks shown along an axis when not all sticks are: the first ones and the last one.
const MAX_ALONG_AXIS: u64 = 4;
/// Blocks shown when not all sticks are.
const MAX_BLOCKS: u64 = 24;
/// Sticks that are looked at to tell how many in a gap are padding.
const MAX_COUNTED: u64 = 1 << 16;

/// A tensor that no picture of this kind can show.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PictureError {
    /// The order of the elements inside a stick is not published.
    #[error(
        "cannot draw the arrangement {0}: its order of elements within a stick is not published"
    )]
    Arrangement(Arrangement),
    /// A stick that runs along more dimensions than a matrix has.
    #[error(
        "cannot draw sticks along {dims}: a picture shows the last dimension and one other, and all dimensions of a \
         stick must be among them"
    )]
    StickDims {
        /// The dimensions, such as `d0, d1`.
        dims: String,
    },
}

/// One thing that is shown, or several that are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown<T> {
    /// This is shown.
    Item(T),
    /// So many are left out here, of which so many hold nothing but padding; `None` if they were too many to count.
    Gap {
        /// How many are left out.
        count: u64,
        /// How many of them are padding.
        padding: Option<u64>,
    },
}

impl<T> Shown<T> {
    /// What is shown.
    pub fn item(&self) -> Option<&T> {
        match self {
            Self::Item(item) => Some(item),
            Self::Gap { .. } => None,
        }
    }
}

/// A picture of a tensor in host memory and in device memory.
#[derive(Debug, Clone)]
pub struct Picture {
    /// Whether each element is a cell. Otherwise blocks and sticks are shown as a whole.
    pub cells: bool,
    /// The host dimension that runs down a matrix; `None` for rank 0 and 1.
    pub row_dim: Option<usize>,
    /// The host dimension that runs along the rows of a matrix; `None` for rank 0.
    pub column_dim: Option<usize>,
    /// Ranges of positions along `row_dim`, one per row of blocks.
    pub rows: Vec<Shown<Range<u64>>>,
    /// Ranges of positions along `column_dim`, one per column of blocks.
    pub columns: Vec<Shown<Range<u64>>>,
    /// The matrices: one for each position along the other dimensions.
    pub matrices: Vec<Shown<Matrix>>,
    /// The sticks, in the order of their addresses.
    pub sticks: Vec<Shown<Stick>>,
}

/// One matrix of the host tensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matrix {
    /// Its first element.
    pub origin: Vec<u64>,
    /// Its blocks, row by row.
    pub blocks: Vec<Block>,
}

/// Neighbouring elements of a matrix that share a stick.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Which of the rows of blocks.
    pub row: usize,
    /// Which of the columns of blocks.
    pub column: usize,
    /// The position of the stick in memory; the first one if the block is stored several times.
    pub stick: u64,
    /// Which tile the stick is in.
    pub tile: u64,
}

/// One stick of device memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stick {
    /// Its position in memory, counted in sticks.
    pub number: u64,
    /// Which tile it is in: sticks that differ only in the device coordinate right before the stick.
    pub tile: u64,
    /// What it holds, from its first byte to its last.
    pub pieces: Vec<Piece>,
    /// The host positions it holds, one range per host dimension; `None` for padding.
    pub holds: Option<Vec<Range<u64>>>,
    /// Whether a stick before this one holds the same (expanded dimensions).
    pub repeats: bool,
}

/// A part of a stick.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Its elements.
    pub elements: u64,
    /// Whether they are elements of the tensor; otherwise they are padding.
    pub data: bool,
}

impl Picture {
    /// The picture of a tensor.
    ///
    /// Each element is a cell in tensors of up to 1024 device elements with rows of up to 80. All sticks are shown if
    /// there are up to 24, and otherwise the first blocks and the last one along each axis.
    ///
    /// # Errors
    /// The sticks run along too many dimensions, or in an unknown order.
    pub fn new(tensor: &DeviceTensor) -> Result<Self, PictureError> {
        let layout = tensor.layout();
        if !matches!(
            layout.arrangement(),
            Arrangement::Standard | Arrangement::Qfp8Wt
        ) {
            return Err(PictureError::Arrangement(layout.arrangement()));
        }
        let axes = Axes::new(tensor)?;
        let per_stick = tensor.format().elements_per_stick().get().max(1);
        let sticks = tensor.bytes().get() / STICK_BYTES.get();
        let row_length = axes
            .column_dim
            .and_then(|dim| tensor.shape().get(dim))
            .copied()
            .unwrap_or(1);
        let limits = if sticks <= MAX_STICKS {
            Limits::NONE
        } else {
            Limits::for_counts(&axes)
        };
        let rows = selection(axes.row_units(), limits.rows);
        let columns = selection(axes.column_units(), limits.columns);
        let ranges = |units: &[Shown<u64>], dim| {
            units
                .iter()
                .map(|unit| axes.range(unit, dim))
                .collect::<Vec<_>>()
        };
        let (rows, columns) = (
            ranges(&rows, axes.row_dim),
            ranges(&columns, axes.column_dim),
        );
        let matrices = selection(axes.matrices(), limits.matrices);
        let matrix = |index: &Shown<u64>| match index {
            Shown::Item(index) => Shown::Item(axes.matrix(*index, &rows, &columns)),
            Shown::Gap { count, padding } => Shown::Gap {
                count: *count,
                padding: *padding,
            },
        };
        let matrices: Vec<Shown<Matrix>> = matrices.iter().map(matrix).collect();

        let mut numbers: Vec<u64> = if sticks <= MAX_STICKS {
            (0..sticks).collect()
        } else {
            let blocks = matrices
                .iter()
                .filter_map(Shown::item)
                .flat_map(|matrix| &matrix.blocks);
            blocks
                .map(|block| block.stick)
                .chain(sticks.checked_sub(1))
                .collect()
        };
        numbers.sort_unstable();
        numbers.dedup();
        Ok(Self {
            cells: sticks <= MAX_STICKS
                && sticks * per_stick <= MAX_CELLS
                && row_length <= MAX_CELLS_IN_ROW,
            row_dim: axes.row_dim,
            column_dim: axes.column_dim,
            rows,
            columns,
            matrices,
            sticks: with_gaps(tensor, &numbers),
        })
    }
}

/// How many blocks may be shown along each axis.
struct Limits {
    rows: u64,
    columns: u64,
    matrices: u64,
}

impl Limits {
    const NONE: Self = Self {
        rows: u64::MAX,
        columns: u64::MAX,
        matrices: u64::MAX,
    };

    /// Limits that keep the number of blocks small, taken from the longest axis first.
    fn for_counts(axes: &Axes<'_>) -> Self {
        let shown = |units: u64| units.min(MAX_ALONG_AXIS);
        let mut limits = Self {
            rows: shown(axes.row_units()),
            columns: shown(axes.column_units()),
            matrices: shown(axes.matrices()),
        };
        while limits.rows * limits.columns * limits.matrices > MAX_BLOCKS {
            let Self {
                rows,
                columns,
                matrices,
            } = &mut limits;
            let longest = [matrices, rows, columns]
                .into_iter()
                .rev()
                .max_by_key(|limit| **limit);
            let Some(longest) = longest.filter(|limit| **limit > 2) else {
                break;
            };
            *longest -= 1;
        }
        limits
    }
}

/// Which host dimension runs where in a picture.
struct Axes<'a> {
    tensor: &'a DeviceTensor,
    row_dim: Option<usize>,
    column_dim: Option<usize>,
}

impl<'a> Axes<'a> {
    fn new(tensor: &'a DeviceTensor) -> Result<Self, PictureError> {
        let rank = tensor.shape().len();
        let column_dim = rank.checked_sub(1);
        let on_stick: Vec<usize> = (0..rank)
            .filter(|&dim| block_extent(tensor, dim) > 1)
            .collect();
        let mut others = on_stick
            .iter()
            .copied()
            .filter(|&dim| Some(dim) != column_dim);
        let row_dim = others.next().or_else(|| rank.checked_sub(2));
        if others.next().is_some() {
            let dims: Vec<String> = on_stick.iter().map(|dim| format!("d{dim}")).collect();
            return Err(PictureError::StickDims {
                dims: dims.join(", "),
            });
        }
        Ok(Self {
            tensor,
            row_dim,
            column_dim,
        })
    }

    fn extent(&self, dim: Option<usize>) -> u64 {
        dim.and_then(|dim| self.tensor.shape().get(dim))
            .copied()
            .unwrap_or(1)
    }

    /// Neighbouring positions along a dimension that share a stick.
    fn block(&self, dim: Option<usize>) -> u64 {
        dim.map_or(1, |dim| block_extent(self.tensor, dim))
    }

    fn row_units(&self) -> u64 {
        self.extent(self.row_dim).div_ceil(self.block(self.row_dim))
    }

    fn column_units(&self) -> u64 {
        self.extent(self.column_dim)
            .div_ceil(self.block(self.column_dim))
    }

    /// Whether a dimension is neither that of the rows nor that of the columns.
    fn is_outside(&self, dim: usize) -> bool {
        Some(dim) != self.row_dim && Some(dim) != self.column_dim
    }

    /// How many matrices there are.
    fn matrices(&self) -> u64 {
        let extents = self.tensor.shape().iter().enumerate();
        extents
            .filter(|(dim, _)| self.is_outside(*dim))
            .map(|(_, extent)| *extent)
            .product()
    }

    /// Positions of block `unit` along a dimension.
    fn range(&self, unit: &Shown<u64>, dim: Option<usize>) -> Shown<Range<u64>> {
        match unit {
            Shown::Item(unit) => {
                let start = unit * self.block(dim);
                Shown::Item(start..start.saturating_add(self.block(dim)).min(self.extent(dim)))
            }
            Shown::Gap { count, padding } => Shown::Gap {
                count: *count,
                padding: *padding,
            },
        }
    }

    /// Matrix `index`, counted as the host counts them.
    fn matrix(
        &self,
        index: u64,
        rows: &[Shown<Range<u64>>],
        columns: &[Shown<Range<u64>>],
    ) -> Matrix {
        let mut origin = vec![0; self.tensor.shape().len()];
        let mut rest = index;
        let positions = origin.iter_mut().zip(self.tensor.shape()).enumerate().rev();
        for (_, (position, extent)) in positions.filter(|(dim, _)| self.is_outside(*dim)) {
            *position = rest.checked_rem(*extent).unwrap_or(0);
            rest = rest.checked_div(*extent).unwrap_or(0);
        }
        let items = |ranges: &[Shown<Range<u64>>]| -> Vec<(usize, u64)> {
            let starts = ranges.iter().enumerate();
            starts
                .filter_map(|(at, shown)| shown.item().map(|range| (at, range.start)))
                .collect()
        };
        let columns = items(columns);
        let mut blocks = Vec::new();
        for (row, row_start) in items(rows) {
            for &(column, column_start) in &columns {
                let mut point = origin.clone();
                for (dim, start) in [(self.row_dim, row_start), (self.column_dim, column_start)] {
                    if let Some(position) = dim.and_then(|dim| point.get_mut(dim)) {
                        *position = start;
                    }
                }
                // Every point of a shown range is inside the tensor.
                if let Ok(address) = self.tensor.address(&point) {
                    let stick = address.get() / STICK_BYTES.get();
                    blocks.push(Block {
                        row,
                        column,
                        stick,
                        tile: tile(self.tensor, stick),
                    });
                }
            }
        }
        Matrix { origin, blocks }
    }
}

/// Positions of a host dimension that share one stick: the product of its digits inside the stick.
fn block_extent(tensor: &DeviceTensor, dim: usize) -> u64 {
    let extent = tensor.shape().get(dim).copied().unwrap_or(1).max(1);
    let layout = tensor.layout();
    let in_stick = layout
        .coords()
        .iter()
        .rev()
        .take(layout.arrangement().stick_coords());
    in_stick
        .filter_map(|coord| match *coord {
            Coord::Digit {
                dim: of, modulus, ..
            } if of == dim => Some(modulus.unwrap_or(extent)),
            _ => None,
        })
        .fold(1, u64::saturating_mul)
}

/// The tile of a stick: sticks that differ only in the device coordinate right before the stick are one tile, and
/// contiguous.
fn tile(tensor: &DeviceTensor, stick: u64) -> u64 {
    let sizes = tensor.device_size().iter().rev();
    let before: u64 = sizes
        .skip(tensor.layout().arrangement().stick_coords())
        .take(1)
        .product();
    stick.checked_div(before).unwrap_or(0)
}

/// Which of `count` things are shown when at most `limit` are: the first ones and the last one.
fn selection(count: u64, limit: u64) -> Vec<Shown<u64>> {
    if count <= limit {
        return (0..count).map(Shown::Item).collect();
    }
    let first = limit.saturating_sub(1);
    let mut shown: Vec<Shown<u64>> = (0..first).map(Shown::Item).collect();
    shown.push(Shown::Gap {
        count: count - first - 1,
        padding: None,
    });
    shown.push(Shown::Item(count - 1));
    shown
}

/// The sticks of the given numbers, which ascend, and what is left out between them.
fn with_gaps(tensor: &DeviceTensor, numbers: &[u64]) -> Vec<Shown<Stick>> {
    let mut shown = Vec::new();
    let mut next = 0;
    for &number in numbers {
        match number.saturating_sub(next) {
            0 => {}
            // A line that says so would take as much room.
            1 => shown.push(Shown::Item(stick(tensor, next))),
            _ => shown.push(gap(tensor, next..number)),
        }
        shown.push(Shown::Item(stick(tensor, number)));
        next = number.saturating_add(1);
    }
    shown
}

fn gap(tensor: &DeviceTensor, sticks: Range<u64>) -> Shown<Stick> {
    let per_stick = tensor.format().elements_per_stick().get();
    let count = sticks.end - sticks.start;
    // The digits inside the stick are low ones, so the first element is there if any is.
    let is_padding = |stick: &u64| element_at(tensor, stick * per_stick).is_none();
    let padding = (count <= MAX_COUNTED).then(|| sticks.filter(is_padding).map(|_| 1).sum());
    Shown::Gap { count, padding }
}

fn stick(tensor: &DeviceTensor, number: u64) -> Stick {
    let per_stick = tensor.format().elements_per_stick().get();
    let first = number * per_stick;
    let mut pieces: Vec<Piece> = Vec::new();
    let mut holds: Option<Vec<Range<u64>>> = None;
    for offset in first..first + per_stick {
        let point = element_at(tensor, offset);
        let data = point.is_some();
        match pieces.last_mut() {
            Some(piece) if piece.data == data => piece.elements += 1,
            _ => pieces.push(Piece { elements: 1, data }),
        }
        let Some(point) = point else { continue };
        let ranges = holds.get_or_insert_with(|| point.iter().map(|&at| at..at).collect());
        for (range, at) in ranges.iter_mut().zip(point) {
            *range = range.start.min(at)..range.end.max(at + 1);
        }
    }
    let repeats = element_at(tensor, first)
        .and_then(|point| tensor.device_offset(&point).ok())
        .is_some_and(|offset| offset.get() < first);
    Stick {
        number,
        tile: tile(tensor, number),
        pieces,
        holds,
        repeats,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use spyre_layout::{Coord, DeviceFormat, Layout};

    use super::super::samples;
    use super::*;

    fn numbers(picture: &Picture) -> Vec<Option<u64>> {
        picture
            .sticks
            .iter()
            .map(|shown| shown.item().map(|stick| stick.number))
            .collect()
    }

    fn blocks(picture: &Picture) -> Vec<&Block> {
        picture
            .matrices
            .iter()
            .filter_map(Shown::item)
            .flat_map(|matrix| &matrix.blocks)
            .collect()
    }

    #[test]
    fn a_ragged_matrix_cell_by_cell() {
        let subject = samples::default(&[4, 70], "f32");
        let picture = Picture::new(&subject.tensor).expect("a picture");
        assert!(picture.cells);
        assert_eq!((picture.row_dim, picture.column_dim), (Some(0), Some(1)));
        assert_eq!(picture.columns, [0..32, 32..64, 64..70].map(Shown::Item));
        assert_eq!(picture.rows, [0..1, 1..2, 2..3, 3..4].map(Shown::Item));
        let sticks: Vec<u64> = blocks(&picture).iter().map(|block| block.stick).collect();
        assert_eq!(sticks, [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]);
        assert!(
            blocks(&picture)
                .iter()
                .all(|block| block.tile == block.stick / 4)
        );
        let last = picture
            .sticks
            .last()
            .and_then(Shown::item)
            .expect("a stick");
        assert_eq!(
            last.pieces,
            [
                Piece {
                    elements: 6,
                    data: true
                },
                Piece {
                    elements: 26,
                    data: false
                }
            ]
        );
        assert_eq!(last.holds, Some(vec![3..4, 64..70]));
    }

    #[test]
    fn large_tensors_are_cut_short() {
        let subject = samples::default(&[1024, 256], "f16");
        let picture = Picture::new(&subject.tensor).expect("a picture");
        assert!(!picture.cells);
        let row = |at: u64| Shown::Item(at..at + 1);
        let left_out = Shown::Gap {
            count: 1020,
            padding: None,
        };
        assert_eq!(picture.rows, [row(0), row(1), row(2), left_out, row(1023)]);
        assert_eq!(
            numbers(&picture)[..7],
            [
                Some(0),
                Some(1),
                Some(2),
                None,
                Some(1023),
                Some(1024),
                Some(1025)
            ]
        );
        assert_eq!(
            picture.sticks[3],
            Shown::Gap {
                count: 1020,
                padding: Some(0)
            }
        );
        assert_eq!(numbers(&picture).last(), Some(&Some(4095)));
    }

    #[test]
    fn padding_that_is_left_out_is_counted() {
        let layout = Layout::row_major_sticks(2, DeviceFormat::Sen169Fp16.elements_per_stick());
        let layout = layout
            .and_then(|layout| layout.with_device_size(vec![512, 1, 64]))
            .expect("a layout");
        let tensor = layout
            .place(&[40, 60], DeviceFormat::Sen169Fp16)
            .expect("a tensor");
        let picture = Picture::new(&tensor).expect("a picture");
        assert_eq!(
            numbers(&picture),
            [Some(0), Some(1), Some(2), None, Some(39), None, Some(511)]
        );
        assert_eq!(
            picture.sticks[5],
            Shown::Gap {
                count: 471,
                padding: Some(471)
            }
        );
        assert_eq!(
            picture.sticks[6]
                .item()
                .and_then(|stick| stick.holds.clone()),
            None
        );
    }

    #[test]
    fn sticks_run_down_where_the_layout_says_so() {
        let subject = samples::ordered(&[5, 100, 150], "f16", &[1, 2, 0]);
        let picture = Picture::new(&subject.tensor).expect("a picture");
        assert_eq!((picture.row_dim, picture.column_dim), (Some(0), Some(2)));
        assert_eq!(picture.rows, [Shown::Item(0..5)]);
        let second = picture
            .matrices
            .get(1)
            .and_then(Shown::item)
            .expect("a matrix");
        assert_eq!(second.origin, [0, 1, 0]);
    }

    #[test]
    fn what_cannot_be_drawn_is_refused() {
        let digits = vec![
            Coord::dim(2),
            Coord::floor_div(0, 8),
            Coord::floor_div(1, 16),
            Coord::modulo(0, 8),
            Coord::modulo(1, 16),
        ];
        let layout = Layout::new(3, digits)
            .and_then(|layout| layout.with_arrangement(Arrangement::Qfp8Wt))
            .expect("a layout");
        let tensor = layout
            .place(&[8, 16, 2], DeviceFormat::SenInt8)
            .expect("a tensor");
        let why = Picture::new(&tensor).expect_err("two dimensions beside the last");
        assert_eq!(
            why,
            PictureError::StickDims {
                dims: "d0, d1".into()
            }
        );

        let layout = Layout::new(1, vec![Coord::dim(0)])
            .and_then(|layout| layout.with_arrangement(Arrangement::Exx2));
        let tensor = layout
            .expect("a layout")
            .place(&[64], DeviceFormat::Sen169Fp16)
            .expect("a tensor");
        assert_eq!(
            Picture::new(&tensor).expect_err("EXX2"),
            PictureError::Arrangement(Arrangement::Exx2)
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn each_element_is_drawn_once_where_it_is(subject in samples::small()) {
            let picture = Picture::new(&subject.tensor).expect("a picture");
            let sticks: Vec<&Stick> = picture.sticks.iter().filter_map(Shown::item).collect();
            // Sticks and what is left out are all of the memory.
            let left_out: u64 = picture.sticks.iter().map(|shown| match shown {
                Shown::Item(_) => 1,
                Shown::Gap { count, .. } => *count,
            }).sum();
            prop_assert_eq!(left_out * STICK_BYTES.get(), subject.tensor.bytes().get());
            prop_assert!(sticks.len() < 64, "{} sticks", sticks.len());

            // A block is in the stick that says it holds it.
            let mut elements = 0;
            for matrix in picture.matrices.iter().filter_map(Shown::item) {
                for block in &matrix.blocks {
                    let range = |ranges: &[Shown<Range<u64>>], at: usize| ranges[at].item().expect("shown").clone();
                    let (rows, columns) = (range(&picture.rows, block.row), range(&picture.columns, block.column));
                    let stick = sticks.iter().find(|stick| stick.number == block.stick).expect("the stick");
                    let holds = stick.holds.clone().expect("data");
                    let mut expected: Vec<Range<u64>> = matrix.origin.iter().map(|&at| at..at + 1).collect();
                    for (dim, range) in [(picture.row_dim, rows.clone()), (picture.column_dim, columns.clone())] {
                        if let Some(dim) = dim {
                            expected[dim] = range;
                        }
                    }
                    prop_assert_eq!(holds, expected);
                    prop_assert!(!stick.repeats);
                    elements += (rows.end - rows.start) * (columns.end - columns.start);
                }
            }
            let everything = sticks.len() as u64 == left_out;
            if everything && sticks.len() as u64 <= MAX_STICKS {
                prop_assert_eq!(elements, subject.census().data.get());
                let pieces = |data| -> u64 {
                    let pieces = sticks.iter().flat_map(|stick| &stick.pieces);
                    pieces.filter(|piece| piece.data == data).map(|piece| piece.elements).sum()
                };
                prop_assert_eq!(pieces(false), subject.census().padding.get());
                prop_assert_eq!(pieces(true), subject.census().data.get() * subject.census().copies);
            }
        }
    }
}

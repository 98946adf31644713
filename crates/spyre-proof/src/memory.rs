//! Where the elements of a tensor are: its buffer, and the byte of each element.
//!
//! Slices, views, insertions and tensors that loops carry have no memory of their own: an element of such a value is
//! an element of another value, down to one with a place, the *root*. The layout of the root, at the shape that is
//! stored, gives the byte. In the scratchpad a core has its part of the root, so a byte there depends on
//! [`Var::Core`], and the layout is placed at the shape of the part (middle-end specification, sections 2.1 and 4.5).

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use spyre_layout::{Arrangement, Coord};

use crate::address::{Run, Step};
use crate::claim::Reason;
use crate::domain::Part;
use crate::expr::{Expr, Var};
use crate::program::{Def, Place, Program, StatementId, Value, ValueId};

/// The bytes of a stick, the unit of all addresses.
pub(crate) const STICK: i64 = 128;

/// A memory with addresses of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Space {
    /// The memory of an argument or result of the function, in device memory.
    Argument(u32),
    /// The pool of intermediates in device memory.
    Pool,
    /// The scratchpads: each core has one, with the same addresses.
    Scratchpad,
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Argument(number) => write!(f, "argument {number}"),
            Self::Pool => f.write_str("the pool"),
            Self::Scratchpad => f.write_str("LX"),
        }
    }
}

/// The bytes of a root.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    /// The value with the place.
    pub root: ValueId,
    /// The memory.
    pub space: Space,
    /// The first byte.
    pub start: i64,
    /// The number of bytes: of the whole tensor in device memory, of the part of one core in the scratchpad.
    pub bytes: i64,
    /// The extents that the layout is placed at, the largest ones if they are dynamic.
    pub shape: Vec<i64>,
    /// The first element of the part of [`Var::Core`], for each dimension; zeros in device memory.
    pub first: Vec<Expr>,
    /// The cores that have a part; `None` in device memory.
    pub cores: Option<i64>,
    /// The extents of the device coordinates, outermost first.
    pub device_size: Vec<i64>,
}

impl Buffer {
    /// Returns the byte after the last one.
    #[must_use]
    pub(crate) const fn end(&self) -> i64 {
        self.start.saturating_add(self.bytes)
    }

    /// Returns the position of an element of the tensor in the buffer.
    #[must_use]
    pub(crate) fn position(&self, element: &[Expr]) -> Vec<Expr> {
        let pairs = element.iter().zip(&self.first);
        pairs.map(|(element, first)| element.minus(first)).collect()
    }

    /// Returns whether two buffers have bytes in common.
    #[must_use]
    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.space == other.space && self.start < other.end() && other.start < self.end()
    }
}

impl fmt::Display for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { space, start, .. } = self;
        write!(f, "bytes {start} to {} of {space}", self.end())
    }
}

/// An element of a root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    /// The value with the place.
    pub root: ValueId,
    /// One expression for each dimension of the root.
    pub element: Vec<Expr>,
}

/// The reason why an element has no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Nowhere {
    /// The value has no place, and follows from no value that has one.
    NoPlace(ValueId),
    /// The value is in a window, and is inserted into this number of tensors instead of one.
    Inserted(ValueId, usize),
    /// The place is not decided.
    Unknown(Reason),
}

/// Buffers and bytes of the values of a program.
pub(crate) struct Memory<'p> {
    program: &'p Program,
    inserts: FxHashMap<ValueId, Vec<ValueId>>,
    buffers: RefCell<FxHashMap<ValueId, Result<Rc<Buffer>, Reason>>>,
}

impl<'p> Memory<'p> {
    /// Returns the memory of a program.
    #[must_use]
    pub(crate) fn new(program: &'p Program) -> Self {
        let mut inserts: FxHashMap<ValueId, Vec<ValueId>> = FxHashMap::default();
        for (at, value) in program.values.iter().enumerate() {
            let Def::Insert { tile, .. } = value.def else {
                continue; // Only insertions give windows a place.
            };
            for written in written(program, tile) {
                inserts.entry(written).or_default().push(ValueId::new(at));
            }
        }
        Self {
            program,
            inserts,
            buffers: RefCell::default(),
        }
    }

    /// Returns the root of a value, and the element of it that is an element of the value.
    ///
    /// # Errors
    /// The value has no place.
    pub(crate) fn resolve(&self, value: ValueId, element: Vec<Expr>) -> Result<Location, Nowhere> {
        let (mut value, mut element) = (value, element);
        loop {
            let of = self.program.value(value);
            (value, element) = match (&of.def, of.place) {
                (Def::Result(_), Some(Place::Window)) => {
                    let inserts = self.inserts.get(&value).map_or(&[][..], Vec::as_slice);
                    let [insert] = inserts else {
                        return Err(Nowhere::Inserted(value, inserts.len()));
                    };
                    self.inserted(*insert, &element)
                }
                (_, Some(Place::Window)) => return Err(Nowhere::NoPlace(value)),
                (_, Some(_)) => {
                    return Ok(Location {
                        root: value,
                        element,
                    });
                }
                (
                    Def::Slice {
                        source,
                        offsets,
                        dims,
                    },
                    None,
                ) => (*source, moved(offsets, dims, &element)),
                (Def::Insert { into, .. }, None) => (*into, element),
                (Def::View { source, index }, None) => {
                    let of = |var| match var {
                        Var::Element(at) => element.get(at as usize).cloned(),
                        _ => None,
                    };
                    let index = index.iter().map(|expr| expr.substituted(&of)).collect();
                    (*source, index)
                }
                (Def::Carried(id, at) | Def::LoopResult(id, at), None) => {
                    (self.program.of_loop(*id).carried[*at].init, element)
                }
                (Def::Opaque(name), None) => {
                    return Err(Nowhere::Unknown(Reason::Operation(name.clone())));
                }
                (Def::Argument(_) | Def::Constant(_) | Def::Empty | Def::Result(_), None) => {
                    return Err(Nowhere::NoPlace(value));
                }
            };
        }
    }

    /// Returns the tensor of an insertion, and the element of it that is an element of the window.
    ///
    /// # Panics
    /// The value is no insertion.
    #[must_use]
    pub(crate) fn inserted(&self, insert: ValueId, element: &[Expr]) -> (ValueId, Vec<Expr>) {
        match &self.program.value(insert).def {
            Def::Insert {
                into,
                offsets,
                dims,
                ..
            } => (*into, moved(offsets, dims, element)),
            other => panic!("{other:?} is no insertion"),
        }
    }

    /// Returns the buffer of a root.
    ///
    /// # Errors
    /// Its size is not known, or too large.
    ///
    /// # Panics
    /// The value has no place.
    pub(crate) fn buffer(&self, root: ValueId) -> Result<Rc<Buffer>, Reason> {
        if let Some(buffer) = self.buffers.borrow().get(&root) {
            return buffer.clone();
        }
        let buffer = self.new_buffer(root).map(Rc::new);
        self.buffers.borrow_mut().insert(root, buffer.clone());
        buffer
    }

    fn new_buffer(&self, root: ValueId) -> Result<Buffer, Reason> {
        let value = self.program.value(root);
        let (space, start) = match value.place.expect("a root has a place") {
            Place::Argument(number) => (Space::Argument(number), 0),
            Place::Pool(start) => (Space::Pool, start),
            Place::Scratchpad(start) => (Space::Scratchpad, start),
            Place::Window => unreachable!("a window is in another buffer"),
        };
        let whole = value
            .shape
            .iter()
            .map(|extent| self.program.largest(*extent));
        let mut shape: Vec<i64> = whole.collect();
        let mut first = vec![Expr::zero(); shape.len()];
        let mut is_divided = vec![false; shape.len()];
        let mut cores = None;
        if space == Space::Scratchpad {
            let (statement, parts) = self.parts_of(root)?;
            for (dim, part) in parts.into_iter().enumerate() {
                let Some(part) = part else { continue };
                first[dim] = part.first;
                is_divided[dim] = true;
                shape[dim] = part.size.as_constant().unwrap_or(shape[dim]);
            }
            cores = Some(self.program.statement(statement).cores());
        }
        let device_size = device_size(value, &shape, &is_divided)?;
        Ok(Buffer {
            root,
            space,
            start,
            bytes: bytes(&device_size, value.width)?,
            shape,
            first,
            cores,
            device_size,
        })
    }

    /// Returns the statement that computes a root in the scratchpad, and for each dimension of the root the part of a
    /// core; `None` where all cores have the dimension as a whole.
    fn parts_of(&self, root: ValueId) -> Result<(StatementId, Vec<Option<Part>>), Reason> {
        let Def::Result(id) = self.program.value(root).def else {
            let message = "a tensor in LX that no operation computes";
            return Err(Reason::Operation(message.to_owned()));
        };
        Ok((id, self.result_parts(id, root)?))
    }

    /// Returns the part of a core of each dimension of a result; `None` where all cores have the dimension as a whole.
    ///
    /// # Errors
    /// The parts are not affine.
    ///
    /// # Panics
    /// The value is no result of the statement.
    pub(crate) fn result_parts(
        &self,
        id: StatementId,
        result: ValueId,
    ) -> Result<Vec<Option<Part>>, Reason> {
        let statement = self.program.statement(id);
        let (parts, _) = self.program.parts(statement)?;
        let mut results = statement.results.iter();
        let access = results.find(|access| access.value == result);
        let access = access.expect("a result is one of its operation");
        let split = statement.split.as_deref().unwrap_or(&[]);
        let of_dim = |index: &Expr| match index.as_var() {
            Some(Var::Point(at)) if split.get(at as usize).is_some_and(|cores| *cores > 1) => {
                Some(parts[at as usize].clone())
            }
            _ => None,
        };
        Ok(access.index.iter().map(of_dim).collect())
    }

    /// Returns a buffer in the scratchpad as if one core had all of the tensor, of these extents.
    pub(crate) fn undivided(
        value: &Value,
        buffer: &Buffer,
        shape: Vec<i64>,
    ) -> Result<Buffer, Reason> {
        Ok(Buffer {
            first: vec![Expr::zero(); shape.len()],
            device_size: device_size(value, &shape, &vec![false; shape.len()])?,
            shape,
            ..buffer.clone()
        })
    }

    /// Returns the buffer that a tensor has in a space of its own, by its own layout.
    ///
    /// # Errors
    /// There is no layout, or the number of bytes is too large.
    pub(crate) fn whole(&self, value: ValueId, space: Space) -> Result<Buffer, Reason> {
        let of = self.program.value(value);
        let shape = of.shape.iter().map(|extent| self.program.largest(*extent));
        let shape: Vec<i64> = shape.collect();
        let device_size = device_size(of, &shape, &vec![false; shape.len()])?;
        Ok(Buffer {
            root: value,
            space,
            start: 0,
            bytes: bytes(&device_size, of.width)?,
            first: vec![Expr::zero(); shape.len()],
            shape,
            cores: None,
            device_size,
        })
    }

    /// Returns the byte of an element of a root, over the variables of the element and, in the scratchpad,
    /// [`Var::Core`].
    ///
    /// # Errors
    /// The arrangement of elements in sticks is not modelled, or a number is too large.
    pub(crate) fn byte(&self, buffer: &Buffer, element: &[Expr]) -> Result<Expr, Reason> {
        let value = self.program.value(buffer.root);
        has_elements_in_order(value)?;
        let run = run(value, buffer)?;
        let byte = run
            .byte(&buffer.position(element))
            .plus(&buffer.start.into());
        match byte.is_too_large() {
            true => Err(Reason::TooLarge),
            false => Ok(byte),
        }
    }
}

/// Returns the values that are the same memory as the value of an insertion: what loops start with and yield for it.
fn written(program: &Program, tile: ValueId) -> Vec<ValueId> {
    let (mut written, mut next) = (Vec::new(), vec![tile]);
    while let Some(value) = next.pop() {
        if written.contains(&value) {
            continue; // A loop yields what it carries.
        }
        written.push(value);
        if let Def::Carried(id, at) | Def::LoopResult(id, at) = program.value(value).def {
            let carried = program.of_loop(id).carried[at];
            next.extend([carried.init, carried.yielded]);
        }
    }
    written
}

/// Checks that bytes tell elements apart: that the order of elements in a stick is that of their positions.
///
/// # Errors
/// The layout is open, or its arrangement is not modelled.
pub(crate) fn has_elements_in_order(value: &Value) -> Result<(), Reason> {
    match layout(value)?.arrangement() {
        Arrangement::Standard | Arrangement::Exx2 => Ok(()),
        // A permutation inside of blocks of whole sticks, the same for all that access the tensor but the casts, which
        // access whole blocks: positions stand for the elements there (A9).
        Arrangement::Dl16ToFp32 | Arrangement::Fp32ToDl16 => Ok(()),
        other @ (Arrangement::Qfp8Ch | Arrangement::Qfp8Wt) => {
            Err(Reason::Arrangement(other.name().to_owned()))
        }
    }
}

/// Returns the steps of a tensor's device coordinates in its buffer, outermost first. Positions are relative to the
/// first element of the buffer.
///
/// # Errors
/// The layout is open, a stick has several coordinates, or a number is too large.
pub(crate) fn run(value: &Value, buffer: &Buffer) -> Result<Run, Reason> {
    let layout = layout(value)?;
    if layout.arrangement().stick_coords() != 1 {
        return Err(Reason::Arrangement(layout.arrangement().name().to_owned()));
    }
    // The two moments of a row are written and read together, in one place.
    let is_pair = layout.arrangement() == Arrangement::Exx2;
    let moments = is_pair.then(|| buffer.shape.len() - 1);
    let mut bytes = value.width;
    let mut steps = Vec::new();
    for (coord, size) in layout.coords().iter().zip(&buffer.device_size).rev() {
        let (dim, divisor, modulus) = match *coord {
            Coord::Digit {
                dim,
                divisor,
                modulus,
            } if moments != Some(dim) => (Some(dim), divisor, modulus),
            Coord::Digit { .. } | Coord::Zero => (None, 1, None),
        };
        steps.push(Step {
            dim,
            divisor: number(divisor)?,
            modulus: modulus.map(number).transpose()?,
            bytes,
        });
        bytes = bytes.checked_mul(*size).ok_or(Reason::TooLarge)?;
    }
    steps.reverse();
    Ok(Run { steps })
}

/// Returns the layout of a value.
pub(crate) fn layout(value: &Value) -> Result<&spyre_layout::Layout, Reason> {
    let layout = value.layout.as_ref();
    layout.ok_or_else(|| Reason::Arrangement("a tensor without a layout".to_owned()))
}

/// Returns the extents of the device coordinates of a tensor, or of the part of a core. A layout has extents for the
/// whole tensor: along a dimension that cores divide, a core has those of its part.
fn device_size(value: &Value, shape: &[i64], is_divided: &[bool]) -> Result<Vec<i64>, Reason> {
    let layout = layout(value)?;
    let last = layout.coords().len().saturating_sub(1);
    let of_layout = |at: usize, coord: &Coord| {
        let is_part = coord.host_dim().is_some_and(|dim| is_divided[dim]);
        let explicit = layout.explicit_device_size().filter(|_| !is_part)?;
        explicit.get(at).copied()
    };
    let size = |(at, coord): (usize, &Coord)| match *coord {
        _ if let Some(explicit) = of_layout(at, coord) => number(explicit),
        Coord::Zero if at == last && value.width > 0 => Ok(STICK / value.width),
        Coord::Zero => Ok(1),
        Coord::Digit {
            modulus: Some(modulus),
            ..
        } => number(modulus),
        Coord::Digit { dim, divisor, .. } => {
            let divisor = number(divisor)?;
            Ok(shape[dim].div_euclid(divisor) + i64::from(shape[dim] % divisor != 0))
        }
    };
    layout.coords().iter().enumerate().map(size).collect()
}

/// Returns the bytes of a tensor with elements of this number of bytes.
fn bytes(device_size: &[i64], width: i64) -> Result<i64, Reason> {
    let mut sizes = device_size.iter();
    let bytes = sizes.try_fold(width, |product, size| product.checked_mul(*size));
    bytes.ok_or(Reason::TooLarge)
}

pub(crate) fn number(number: u64) -> Result<i64, Reason> {
    i64::try_from(number).map_err(|_| Reason::TooLarge)
}

/// Returns the element of a tensor that is an element of its window.
fn moved(offsets: &[Expr], dims: &[Option<usize>], element: &[Expr]) -> Vec<Expr> {
    let dims = offsets.iter().zip(dims);
    let moved = dims.map(|(offset, dim)| match dim {
        Some(dim) => offset.plus(&element[*dim]),
        None => offset.clone(),
    });
    moved.collect()
}

//! Where the program has an element: the buffer of a tensor, and the byte in it.

use rustc_hash::FxHashMap;
use spyre_layout::Coord;

use crate::claim::Reason;
use crate::expr::{Expr, Var};
use crate::program::{Def, Place, Program, Value, ValueId};

use super::tensor::STICK;

/// A memory of the card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Space {
    /// An argument or result of the function.
    Argument(u32),
    /// The pool of intermediates in device memory.
    Pool,
    /// The scratchpad of the core.
    Scratchpad,
}

impl std::fmt::Display for Space {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Argument(number) => write!(f, "argument {number}"),
            Self::Pool => f.write_str("the pool"),
            Self::Scratchpad => f.write_str("the scratchpad"),
        }
    }
}

/// The place of an element.
#[derive(Clone, Debug)]
pub(super) struct Located {
    /// The memory.
    pub space: Space,
    /// The first byte of the buffer in it.
    pub first: i64,
    /// Bytes of the buffer; of the part of a core in a scratchpad.
    pub size: i64,
    /// The byte of the element in the memory, over counters, [`Var::Core`] and the variables of the element.
    pub byte: Expr,
    /// The element of the buffer, one expression for each dimension.
    pub index: Vec<Expr>,
    /// The extents of the buffer.
    pub extents: Vec<i64>,
    /// The bytes between the values of each device coordinate, outermost first.
    coords: Vec<(Coord, i64)>,
    /// Bytes of an element.
    pub width: i64,
    /// The extent of the tensor along the dimension whose position is [`Var::Gathered`].
    pub gathered: Option<i64>,
}

/// The windows of a program that results are placed in: for each result its insertion, if it is the only one.
pub(super) struct Insertions(FxHashMap<ValueId, Option<ValueId>>);

impl Insertions {
    pub(super) fn of(program: &Program) -> Self {
        let mut of: FxHashMap<ValueId, Option<ValueId>> = FxHashMap::default();
        for (at, value) in program.values.iter().enumerate() {
            if let Def::Insert { tile, .. } = &value.def {
                let entry = of.entry(*tile);
                // A second window would be a second place.
                entry
                    .and_modify(|only| *only = None)
                    .or_insert(Some(ValueId::new(at)));
            }
        }
        Self(of)
    }
}

/// Returns the place of an element of a tensor. `index` has one expression for each of its dimensions.
///
/// # Errors
/// The tensor has no place that is modelled.
pub(super) fn located(
    program: &Program,
    insertions: &Insertions,
    value: ValueId,
    index: &[Expr],
) -> Result<Located, Reason> {
    let gathered = index
        .iter()
        .zip(&program.value(value).shape)
        .find_map(|(expr, extent)| {
            let is_gathered = matches!(expr.as_var(), Some(Var::Gathered(_)));
            is_gathered.then(|| program.largest(*extent))
        });
    let (root, index) = root(program, insertions, value, index.to_vec())?;
    let value = program.value(root);
    let (space, first) = match value.place {
        Some(Place::Argument(number)) => (Space::Argument(number), 0),
        Some(Place::Pool(byte)) => (Space::Pool, byte),
        Some(Place::Scratchpad(byte)) => (Space::Scratchpad, byte),
        Some(Place::Window) | None => return Err(unplaced(&value.element)),
    };
    let (sizes, index) = match space {
        Space::Scratchpad => part(program, root, index)?,
        _ => (whole(program, value), index),
    };
    let device = device_size(value, &sizes)?;
    let layout = value
        .layout
        .as_ref()
        .ok_or_else(|| unplaced(&value.element))?;
    let mut stride = value.width;
    let mut coords = Vec::new();
    for (coord, size) in layout.coords().iter().zip(&device).rev() {
        coords.push((*coord, stride));
        stride = stride.checked_mul(*size).ok_or(Reason::TooLarge)?;
    }
    coords.reverse();
    Ok(Located {
        space,
        first,
        size: stride,
        byte: byte_at(first, &coords, &index),
        index,
        extents: sizes.iter().map(|size| size.extent).collect(),
        coords,
        width: value.width,
        gathered,
    })
}

fn byte_at(first: i64, coords: &[(Coord, i64)], index: &[Expr]) -> Expr {
    let terms = coords.iter();
    terms.fold(first.into(), |sum: Expr, (coord, stride)| {
        sum.plus_times(&coordinate(*coord, index), *stride)
    })
}

impl Located {
    /// Returns the byte of another element of the buffer.
    pub(super) fn byte_at(&self, index: &[Expr]) -> Expr {
        byte_at(self.first, &self.coords, index)
    }

    /// Returns the dimension that the elements of sticks run along; `None` for sticks of one element.
    pub(super) fn stick_dim(&self) -> Option<usize> {
        self.coords.last().and_then(|(coord, _)| coord.host_dim())
    }
}

fn unplaced(element: &str) -> Reason {
    Reason::File(format!(
        "a tensor of {element} without a place or a layout in the program"
    ))
}

/// Follows a tensor to the one whose place it shares.
fn root(
    program: &Program,
    insertions: &Insertions,
    value: ValueId,
    index: Vec<Expr>,
) -> Result<(ValueId, Vec<Expr>), Reason> {
    let (mut value, mut index) = (value, index);
    loop {
        let of = program.value(value);
        match &of.def {
            Def::Slice {
                source,
                offsets,
                dims,
            } => {
                index = shifted(&index, offsets, dims);
                value = *source;
            }
            Def::Insert { into, .. } => value = *into,
            Def::View {
                source,
                index: view,
            } => {
                let of = |var: Var| match var {
                    Var::Element(at) => index.get(at as usize).cloned(),
                    _ => None,
                };
                index = view.iter().map(|expr| expr.substituted(&of)).collect();
                value = *source;
            }
            Def::Carried(id, at) | Def::LoopResult(id, at) => {
                value = program.of_loop(*id).carried[*at].init
            }
            Def::Result(_) if of.place == Some(Place::Window) => {
                let insertion = insertions.0.get(&value).copied().flatten();
                let Some(insertion) = insertion else {
                    return Err(Reason::File(
                        "a result in a window that is not inserted once".to_owned(),
                    ));
                };
                let Def::Insert {
                    into,
                    offsets,
                    dims,
                    ..
                } = &program.value(insertion).def
                else {
                    unreachable!("the table has insertions");
                };
                index = shifted(&index, offsets, dims);
                value = *into;
            }
            Def::Opaque(name) => return Err(Reason::Operation(name.clone())),
            Def::Argument(_) | Def::Constant(_) | Def::Empty | Def::Result(_) => {
                return Ok((value, index));
            }
        }
    }
}

/// Returns the element of a tensor that an element of its window is.
fn shifted(index: &[Expr], offsets: &[Expr], dims: &[Option<usize>]) -> Vec<Expr> {
    let pairs = offsets.iter().zip(dims);
    let sums = pairs.map(|(offset, dim)| match dim {
        Some(dim) => offset.plus(&index[*dim]),
        None => offset.clone(),
    });
    sums.collect()
}

/// The extent of a dimension in memory, and whether cores divide it.
#[derive(Clone, Copy)]
struct Size {
    extent: i64,
    is_divided: bool,
}

fn whole(program: &Program, value: &Value) -> Vec<Size> {
    let extents = value.shape.iter();
    let sizes = extents.map(|extent| Size {
        extent: program.largest(*extent),
        is_divided: false,
    });
    sizes.collect()
}

/// Returns the part of a tensor that the core that computes it has, and the element relative to the first one of the
/// part.
fn part(
    program: &Program,
    root: ValueId,
    index: Vec<Expr>,
) -> Result<(Vec<Size>, Vec<Expr>), Reason> {
    let value = program.value(root);
    let mut sizes = whole(program, value);
    let Def::Result(id) = value.def else {
        return Ok((sizes, index));
    };
    let statement = program.statement(id);
    let access = statement.results.iter().find(|access| access.value == root);
    let access = access.expect("a result of the statement that defines it");
    let (parts, _) = program.parts(statement)?;
    let mut index = index;
    for (at, of) in access.index.iter().enumerate() {
        let Some(Var::Point(dim)) = of.as_var() else {
            continue;
        };
        let dim = dim as usize;
        if statement.split.as_ref().is_some_and(|split| split[dim] > 1) {
            let extent = parts[dim]
                .size
                .as_constant()
                .expect("a part of a number of positions");
            sizes[at] = Size {
                extent,
                is_divided: true,
            };
            index[at] = index[at].minus(&parts[dim].first);
        }
    }
    Ok((sizes, index))
}

/// Returns the extents of the device coordinates, outermost first: those of the layout, or as many as the extents ask
/// for.
fn device_size(value: &Value, sizes: &[Size]) -> Result<Vec<i64>, Reason> {
    let layout = value
        .layout
        .as_ref()
        .ok_or_else(|| unplaced(&value.element))?;
    if layout.arrangement().stick_coords() != 1 {
        return Err(Reason::Arrangement(layout.arrangement().name().to_owned()));
    }
    let fits = |number: u64| i64::try_from(number).map_err(|_| Reason::TooLarge);
    let last = layout.coords().len().saturating_sub(1);
    let mut device = Vec::new();
    for (at, coord) in layout.coords().iter().enumerate() {
        let explicit = layout.explicit_device_size().map(|explicit| explicit[at]);
        // A layout has the size for the whole tensor. Along a dimension that cores divide, each has less.
        let is_divided = coord.host_dim().is_some_and(|dim| sizes[dim].is_divided);
        device.push(match (*coord, explicit) {
            (_, Some(explicit)) if !is_divided => fits(explicit)?,
            (Coord::Zero, _) if at == last => STICK / value.width,
            (Coord::Zero, _) => 1,
            (
                Coord::Digit {
                    modulus: Some(modulus),
                    ..
                },
                _,
            ) => fits(modulus)?,
            (
                Coord::Digit {
                    dim,
                    divisor,
                    modulus: None,
                },
                _,
            ) => {
                let (extent, divisor) = (sizes[dim].extent, fits(divisor)?);
                extent / divisor + i64::from(extent % divisor != 0)
            }
        });
    }
    Ok(device)
}

fn coordinate(coord: Coord, index: &[Expr]) -> Expr {
    let Coord::Digit {
        dim,
        divisor,
        modulus,
    } = coord
    else {
        return Expr::zero();
    };
    let number = |number: u64| i64::try_from(number).ok();
    let (Some(divisor), Some(modulus)) = (number(divisor), modulus.map_or(Some(0), number)) else {
        return Expr::too_large();
    };
    let quotient = index[dim].floor_div(divisor);
    match modulus {
        0 => quotient,
        modulus => quotient.modulo(modulus),
    }
}

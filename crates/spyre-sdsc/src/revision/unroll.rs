//! Unrolling of trees of the first revision (SDSC bundle specification, section 7.1).

use thiserror::Error;

use super::model::{R1Arg, R1Iteration, R1Node, R1Op};
use crate::MAX_UNROLLED;
use crate::bundle::Segments;
use crate::error::LoopError;
use crate::expr::{ExprError, Symbol};

/// In which memory order tiles follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// The order of the device buffer: each iteration starts at the element that its coordinates name.
    #[default]
    Device,
    /// The order of the host tensor, as the first revision's unroller had it. Device buffers are ordered differently, so
    /// most addresses are those of other elements; and each tile gets a separate device size, so that strides inside it
    /// are wrong as well. Only for reproducing that revision's files.
    Host,
}

/// Why a tree of the first revision cannot be unrolled or brought into the present form.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum R1Error {
    /// A loop.
    #[error(transparent)]
    Loop(#[from] LoopError),
    /// A coordinate.
    #[error("op '{op}', operand {operand}: {source}")]
    Expr {
        /// The operation's name.
        op: String,
        /// Position of the operand.
        operand: usize,
        /// The reason.
        source: ExprError,
    },
    /// A loop with a count that is no number, in a form that has no bounds for others.
    #[error(
        "loop count `{count}` is not a fixed number: a tree of the first revision, with flat tiled_symbols, has no \
         field for its bounds; one of a later revision has count_symbol_bounds and count_symbol_sources"
    )]
    SymbolicCount {
        /// The count.
        count: String,
    },
    /// An operation that does not assign its symbols to loops.
    #[error(
        "op '{op}': tiled_symbols has {symbols} for {loops} loops without tiled_symbols; give each LoopSpec its \
         tiled_symbols, or the operation one symbol for each loop, outermost first"
    )]
    WhichLoop {
        /// The operation's name.
        op: String,
        /// The symbols.
        symbols: String,
        /// The loops.
        loops: usize,
    },
    /// An operand in device memory with the device size of a tile.
    #[error(
        "op '{op}', operand {operand} is in device memory, and the loops visit {} elements of its device dimension {dim}, \
         but device_size {size:?} has {} there, the size of one tile; write the device_size of the whole tensor, \
         {whole:?}, since the distances between tiles are those in the whole", .whole[*.dim], .size[*.dim]
    )]
    TileSize {
        /// The operation's name.
        op: String,
        /// Position of the operand.
        operand: usize,
        /// The device dimension.
        dim: usize,
        /// The device size.
        size: Vec<u64>,
        /// The smallest device size that has all tiles.
        whole: Vec<u64>,
    },
    /// An operand that moves without saying how the host tensor is laid out.
    #[error(
        "op '{op}', operand {operand} moves with {symbol} and has no stride_map for device dimension {dim}"
    )]
    NoStrideMap {
        /// The operation's name.
        op: String,
        /// Position of the operand.
        operand: usize,
        /// The symbol.
        symbol: Symbol,
        /// The device dimension.
        dim: usize,
    },
    /// Tiles that are not equally far apart, or not whole sticks.
    #[error(
        "op '{op}', operand {operand}: tiles of {tile} along {symbol} do not start equal numbers of whole sticks apart"
    )]
    UnequalSteps {
        /// The operation's name.
        op: String,
        /// Position of the operand.
        operand: usize,
        /// The symbol.
        symbol: Symbol,
        /// The extent of a tile.
        tile: i64,
    },
    /// An address or a step that does not fit.
    #[error("op '{op}', operand {operand}: an address does not fit 63 bits")]
    Overflow {
        /// The operation's name.
        op: String,
        /// Position of the operand.
        operand: usize,
    },
    /// An address outside the segment of its kernel argument.
    #[error("op '{op}', operand {operand}: {}", .segments.address_error(*.address, *.arg_index))]
    NotInSegment {
        /// The operation's name.
        op: String,
        /// Position of the operand.
        operand: usize,
        /// The address.
        address: u64,
        /// The kernel argument.
        arg_index: i64,
        /// The table of segments.
        segments: Segments,
    },
}

impl R1Error {
    /// The position of the operand with the error; `None` for errors of other parts.
    pub(super) const fn operand(&self) -> Option<usize> {
        match self {
            Self::Loop(_) | Self::SymbolicCount { .. } | Self::WhichLoop { .. } => None,
            Self::Expr { operand, .. }
            | Self::TileSize { operand, .. }
            | Self::NoStrideMap { operand, .. }
            | Self::UnequalSteps { operand, .. }
            | Self::Overflow { operand, .. }
            | Self::NotInSegment { operand, .. } => Some(*operand),
        }
    }
}

/// The operations of a tree in the order in which they run (SDSC bundle specification, section 7.1).
///
/// Nodes outside loops stay as they are. In loops, every operand that is not fixed moves with the symbols of the
/// loop, and the operations no longer name tiled symbols.
///
/// # Errors
/// Loops without a fixed count, more than [`MAX_UNROLLED`] operations, and steps that have no value.
pub fn unroll(nodes: &[R1Node], order: Order) -> Result<Vec<R1Node>, R1Error> {
    let mut flat = Vec::new();
    for node in nodes {
        let R1Node::Loop(spec) = node else {
            flat.push(node.clone());
            continue;
        };
        let body = unroll(&spec.body, order)?;
        let count = count(&spec.count)?;
        let total = count.checked_mul(body.len() as u64);
        if total.is_none_or(|total| total > MAX_UNROLLED) {
            return Err(LoopError::TooManyIterations {
                limit: MAX_UNROLLED,
            }
            .into());
        }
        let symbols = spec.level_symbols(&body);
        let moving = body
            .iter()
            .map(|node| Moving::new(node, symbols, count, order))
            .collect::<Result<Vec<_>, _>>()?;
        if !moving.is_empty() {
            for iteration in 0..count {
                for node in &moving {
                    flat.push(node.at(iteration)?);
                }
            }
        }
    }
    Ok(flat)
}

/// The value of a loop's count.
pub(super) fn count(count: &crate::expr::Expr) -> Result<u64, LoopError> {
    let value = count.eval(|_| None).ok().map(u64::try_from);
    match value {
        Some(Ok(count)) => Ok(count),
        _ => Err(LoopError::NotUnrollable {
            count: count.to_string(),
        }),
    }
}

/// A node of a loop's body, ready to be copied.
enum Moving<'a> {
    Fixed(&'a R1Node),
    /// An operation without tiled symbols, and the bytes by which each operand moves.
    Op(R1Op, Vec<i64>),
}

impl<'a> Moving<'a> {
    fn new(
        node: &'a R1Node,
        symbols: &[Symbol],
        count: u64,
        order: Order,
    ) -> Result<Self, R1Error> {
        let R1Node::Op(op) = node else {
            return Ok(Self::Fixed(node));
        };
        let mut copy = op.clone();
        copy.tiled_symbols.clear();
        let iterations = op.iterations(symbols);
        let mut steps = Vec::with_capacity(op.args.len());
        for (operand, arg) in copy.args.iter_mut().enumerate() {
            let place = Place {
                op: &op.op,
                operand,
            };
            steps.push(match order {
                _ if arg.per_tile_fixed => 0,
                Order::Device => place.device_step(arg, &iterations, count)?,
                Order::Host => place.host_step(arg, &iterations)?,
            });
        }
        Ok(Self::Op(copy, steps))
    }

    fn at(&self, iteration: u64) -> Result<R1Node, R1Error> {
        match self {
            Self::Fixed(node) => Ok((*node).clone()),
            Self::Op(op, steps) => {
                let mut copy = op.clone();
                for (operand, (arg, step)) in copy.args.iter_mut().zip(steps).enumerate() {
                    let moved = i64::try_from(iteration)
                        .ok()
                        .and_then(|iteration| iteration.checked_mul(*step))
                        .and_then(|bytes| arg.allocation.moved(bytes));
                    arg.allocation = moved.ok_or_else(|| R1Error::Overflow {
                        op: op.op.clone(),
                        operand,
                    })?;
                }
                Ok(R1Node::Op(copy))
            }
        }
    }
}

/// An operand, for messages.
pub(super) struct Place<'a> {
    pub(super) op: &'a str,
    pub(super) operand: usize,
}

impl Place<'_> {
    fn overflow(&self) -> R1Error {
        R1Error::Overflow {
            op: self.op.to_owned(),
            operand: self.operand,
        }
    }

    /// How far every device coordinate moves when `symbol` goes from 0 to `position` and all others are 0 (SDSC bundle
    /// specification, section 7.1).
    fn deltas(&self, arg: &R1Arg, symbol: &Symbol, position: i64) -> Result<Vec<i64>, R1Error> {
        let coordinates = arg.device_coordinates.iter();
        let moved = coordinates.map(|coordinate| {
            if coordinate.has_indirect_access() {
                return Ok(0);
            }
            let at =
                |position: i64| coordinate.eval(|s| Some(if s == symbol { position } else { 0 }));
            let difference = at(position).and_then(|end| Ok((end, at(0)?)));
            let (end, start) = difference.map_err(|source| R1Error::Expr {
                op: self.op.to_owned(),
                operand: self.operand,
                source,
            })?;
            end.checked_sub(start).ok_or_else(|| self.overflow())
        });
        moved.collect()
    }

    /// Returns the distance in bytes between the starts of consecutive tiles in the host tensor. Also sets the device
    /// size of the operand to the size of one tile: a device dimension along which a loop advances has the size of one
    /// step. Loops along the stick change no size (SDSC bundle specification, section 7.1).
    fn host_step(&self, arg: &mut R1Arg, iterations: &[R1Iteration]) -> Result<i64, R1Error> {
        let mut total = 0_i64;
        let mut tile_size = arg.device_size.clone();
        let mut moves = false;
        for R1Iteration { symbol, tile } in iterations {
            let deltas = self.deltas(arg, symbol, *tile)?;
            let mut elements = 0_i64;
            for (dim, delta) in deltas.iter().enumerate().filter(|(_, delta)| **delta != 0) {
                let stride = arg.stride_map.as_ref().and_then(|map| map.get(dim));
                let stride = stride.ok_or_else(|| R1Error::NoStrideMap {
                    op: self.op.to_owned(),
                    operand: self.operand,
                    symbol: symbol.clone(),
                    dim,
                })?;
                elements = delta
                    .checked_mul(*stride)
                    .and_then(|step| elements.checked_add(step))
                    .ok_or_else(|| self.overflow())?;
            }
            total = total.checked_add(elements).ok_or_else(|| self.overflow())?;
            moves |= elements != 0;
            let along_stick = arg
                .device_coordinates
                .last()
                .is_some_and(|last| last.mentions(symbol.as_str()));
            if !along_stick {
                for (size, delta) in tile_size.iter_mut().zip(&deltas) {
                    if let Ok(delta) = u64::try_from(*delta)
                        && delta > 0
                    {
                        *size = delta;
                    }
                }
            }
        }
        if moves {
            arg.device_size = tile_size;
        }
        self.bytes(arg, total)
    }

    /// Checks that the device size has all tiles that the loops visit: for each loop, the symbols that it moves and its
    /// trip count.
    ///
    /// With the device size of a tile, the distances between tiles would be the distances in a buffer of one tile: the
    /// next column of tiles would be inside the first one (middle-end specification, trap T4).
    pub(super) fn has_whole_size(
        &self,
        op: &R1Op,
        arg: &R1Arg,
        loops: &[(&[R1Iteration], u64)],
    ) -> Result<(), R1Error> {
        let mut whole = arg.device_size.clone();
        let moved = loops
            .iter()
            .flat_map(|(moved, count)| moved.iter().map(|iteration| (iteration, *count)));
        for (R1Iteration { symbol, tile }, count) in moved {
            let last = i64::try_from(count)
                .ok()
                .and_then(|count| tile.checked_mul(count))
                .and_then(|extent| extent.checked_sub(1))
                .ok_or_else(|| self.overflow())?;
            let deltas = self.deltas(arg, symbol, last.max(0))?;
            for (coordinate, (size, delta)) in whole.iter_mut().zip(deltas).enumerate() {
                // A position inside a stick is not a position of a tile.
                if coordinate + 1 < arg.device_size.len() {
                    // Planning refuses tensors that move backwards.
                    let reached = u64::try_from(delta).map_or(1, |delta| delta + 1);
                    *size = reached.max(*size);
                }
            }
        }
        let too_small = whole
            .iter()
            .zip(&arg.device_size)
            .position(|(whole, device_extent)| whole > device_extent);
        match too_small {
            None => Ok(()),
            Some(dim) => Err(R1Error::TileSize {
                op: op.op.clone(),
                operand: self.operand,
                dim,
                size: arg.device_size.clone(),
                whole,
            }),
        }
    }

    /// Bytes per iteration in the device buffer: `count` tiles must be equally far apart, and in whole sticks.
    pub(super) fn device_step(
        &self,
        arg: &R1Arg,
        iterations: &[R1Iteration],
        count: u64,
    ) -> Result<i64, R1Error> {
        let mut total = 0_i64;
        for R1Iteration { symbol, tile } in iterations {
            let step = self.device_elements(arg, symbol, *tile)?;
            for iteration in 0..count {
                let iteration = i64::try_from(iteration).map_err(|_| self.overflow())?;
                let position = tile.checked_mul(iteration).ok_or_else(|| self.overflow())?;
                let place = self.device_elements(arg, symbol, position)?;
                if Some(place) != step.checked_mul(iteration) {
                    return Err(self.unequal(symbol, *tile));
                }
            }
            let per_stick = arg.device_dtype.elements_per_stick().get();
            if count > 1 && !step.unsigned_abs().is_multiple_of(per_stick) {
                return Err(self.unequal(symbol, *tile));
            }
            total = total.checked_add(step).ok_or_else(|| self.overflow())?;
        }
        self.bytes(arg, total)
    }

    fn unequal(&self, symbol: &Symbol, tile: i64) -> R1Error {
        R1Error::UnequalSteps {
            op: self.op.to_owned(),
            operand: self.operand,
            symbol: symbol.clone(),
            tile,
        }
    }

    /// Device elements between the places where `symbol` is 0 and where it is `position`.
    fn device_elements(&self, arg: &R1Arg, symbol: &Symbol, position: i64) -> Result<i64, R1Error> {
        let deltas = self.deltas(arg, symbol, position)?;
        let mut below = 1_i64;
        let mut total = 0_i64;
        for (delta, size) in deltas.iter().zip(&arg.device_size).rev() {
            total = delta
                .checked_mul(below)
                .and_then(|distance| total.checked_add(distance))
                .ok_or_else(|| self.overflow())?;
            below = i64::try_from(*size)
                .ok()
                .and_then(|size| below.checked_mul(size))
                .ok_or_else(|| self.overflow())?;
        }
        Ok(total)
    }

    fn bytes(&self, arg: &R1Arg, elements: i64) -> Result<i64, R1Error> {
        i64::try_from(arg.device_dtype.bytes_per_element().get())
            .ok()
            .and_then(|width| elements.checked_mul(width))
            .ok_or_else(|| self.overflow())
    }
}

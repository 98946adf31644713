//! Trees of the first revision in the present form.

use super::levels::{Level, symbols_of};
use super::model::{R1Allocation, R1Arg, R1Iteration, R1Node, R1Op};
use super::unroll::{Order, Place, R1Error, count, unroll};
use crate::bundle::Segments;
use crate::error::LoopError;
use crate::expr::{Expr, Symbol};
use crate::model::{Allocation, Direction, LoopSpec, Node, OpSpec, TensorArg};
use crate::{ArgIndex, Arrangement, Bytes, MAX_UNROLLED};

/// Unrolls a tree and names every place by kernel argument and offset.
///
/// # Errors
/// The errors of [`unroll`], and addresses outside the segment of their kernel argument.
pub fn lower(nodes: &[R1Node], order: Order) -> Result<Vec<Node>, R1Error> {
    let nodes = unroll(nodes, order)?;
    let lowering = Lowering::new(&nodes, Numbers::Addresses);
    let lowered = lowering.nodes(&nodes, &mut Vec::new(), "specs");
    lowered.map_err(|located| *located.error)
}

/// Keeps the loops of a tree: operands in device memory move by their distance in the device buffer, and operands in
/// the scratchpad are used again by every tile, as the first revision's kept loops had it.
///
/// # Errors
/// The errors of [`lower`] with [`Order::Device`]; every tile is visited, so each loop may run [`MAX_UNROLLED`] times. Device
/// sizes in device memory that belong to a tile, and operations that do not assign their symbols to loops.
pub fn lower_loops(nodes: &[R1Node]) -> Result<Vec<Node>, R1Error> {
    lower_loops_at(nodes, "specs").map_err(|located| *located.error)
}

/// Like [`lower_loops`], with the path of the wrong part; the list of nodes is at `path`.
pub(crate) fn lower_loops_at(nodes: &[R1Node], path: &str) -> Result<Vec<Node>, Located> {
    let lowering = Lowering::new(nodes, Numbers::AddressesOrArguments);
    lowering.nodes(nodes, &mut Vec::new(), path)
}

/// An error with the path of its subject: `specs[0].body[1].args[2]`.
pub(crate) struct Located {
    pub(crate) path: String,
    pub(crate) error: Box<R1Error>,
}

/// The meaning of numbers in place of addresses in device memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbers {
    /// Addresses.
    Addresses,
    /// Addresses, or the number of the operand's kernel argument: its start, as later revisions write it. No address
    /// of the argument's segment is this number, except for argument 0 without a pool, of which both are the start.
    AddressesOrArguments,
}

struct Lowering {
    segments: Segments,
    numbers: Numbers,
}

impl Lowering {
    fn new(nodes: &[R1Node], numbers: Numbers) -> Self {
        Self {
            segments: Segments::new(has_pool(nodes)),
            numbers,
        }
    }

    fn nodes<'a>(
        &self,
        nodes: &'a [R1Node],
        levels: &mut Vec<Level<'a>>,
        path: &str,
    ) -> Result<Vec<Node>, Located> {
        let mut lowered = Vec::with_capacity(nodes.len());
        for (number, node) in nodes.iter().enumerate() {
            let path = format!("{path}[{number}]");
            let at = |error: R1Error| Located {
                path: match error.operand() {
                    Some(operand) => format!("{path}.args[{operand}]"),
                    None => path.clone(),
                },
                error: Box::new(error),
            };
            lowered.push(match node {
                R1Node::Unimplemented { op } => Node::Unimplemented { op: op.clone() },
                R1Node::Op(op) => self.op(op, levels).map_err(at)?.into(),
                R1Node::Loop(spec) => {
                    // Loops are not unrolled here: the count is a number because the form has no bounds for others.
                    let count = count(&spec.count).map_err(|_| {
                        at(R1Error::SymbolicCount {
                            count: spec.count.to_string(),
                        })
                    })?;
                    if count > MAX_UNROLLED {
                        let limit = MAX_UNROLLED;
                        return Err(at(LoopError::TooManyIterations { limit }.into()));
                    }
                    levels.push(Level {
                        name: Symbol::from(format!("_tile_level{}", levels.len())),
                        spec,
                        count,
                    });
                    let body = self.nodes(&spec.body, levels, &format!("{path}.body"))?;
                    levels.pop();
                    Node::Loop(LoopSpec {
                        count: spec.count.clone(),
                        body,
                        count_symbol_bounds: Default::default(),
                        count_symbol_sources: Default::default(),
                    })
                }
            });
        }
        Ok(lowered)
    }

    /// The operation, with one level per loop (SDSC bundle specification, section 3.1).
    fn op(&self, op: &R1Op, levels: &[Level<'_>]) -> Result<OpSpec, R1Error> {
        let mut lowered = OpSpec::new(op.op.clone(), op.is_reduction);
        lowered.iteration_space = op.iteration_space.clone();
        lowered.op_info = op.op_info.clone();
        // Innermost first, one entry per loop.
        for level in levels.iter().rev() {
            lowered = lowered
                .with_tiled_level([level.name.clone()])
                .with_trip_count(level.name.clone(), level.count);
        }
        let symbols = symbols_of(op, levels)?;
        let levels: Vec<(&Level<'_>, Vec<R1Iteration>)> = levels
            .iter()
            .zip(&symbols)
            .map(|(level, symbols)| (level, op.iterations(symbols)))
            .collect();
        let levels = tiles_of_tiles(op, levels)?;
        for (operand, arg) in op.args.iter().enumerate() {
            let place = Place {
                op: &op.op,
                operand,
            };
            let mut advance: Option<Expr> = None;
            // An operand in the scratchpad is used again by every tile.
            let stands = arg.per_tile_fixed || matches!(arg.allocation, R1Allocation::Lx(_));
            if !stands {
                let tiles = levels
                    .iter()
                    .map(|(level, level_iterations)| (level_iterations.as_slice(), level.count));
                place.has_whole_size(op, arg, &tiles.collect::<Vec<_>>())?;
            }
            for (level, iterations) in levels.iter().filter(|_| !stands) {
                let bytes = place.device_step(arg, iterations, level.count)?;
                let width = arg.device_dtype.bytes_per_element().get().cast_signed();
                if bytes != 0 {
                    let term = Expr::int(bytes / width) * Expr::from(level.name.clone());
                    advance = Some(match advance {
                        Some(sum) => sum + term,
                        None => term,
                    });
                }
            }
            lowered.args.push(self.arg(&place, arg, advance)?);
        }
        Ok(lowered)
    }

    /// The operand, with an address as kernel argument and offset (SDSC bundle specification, sections 3.2 and 7.2).
    fn arg(
        &self,
        place: &Place<'_>,
        arg: &R1Arg,
        advance: Option<Expr>,
    ) -> Result<TensorArg, R1Error> {
        let allocation = match arg.allocation {
            R1Allocation::Lx(address) => Allocation::lx(address),
            R1Allocation::Pool(offset) => Allocation::pool(offset),
            R1Allocation::Hbm(address) => {
                let inside = u32::try_from(arg.arg_index).ok().and_then(|index| {
                    let start = self.segments.argument(index)?.get();
                    if self.numbers == Numbers::AddressesOrArguments && address == u64::from(index)
                    {
                        return Some((index, 0));
                    }
                    let offset = address.checked_sub(start)?;
                    (offset < Segments::size().get()).then_some((index, offset))
                });
                let (index, offset) = inside.ok_or_else(|| R1Error::NotInSegment {
                    op: place.op.to_owned(),
                    operand: place.operand,
                    address,
                    arg_index: arg.arg_index,
                    segments: self.segments,
                })?;
                Allocation::Hbm {
                    arg: ArgIndex::new(index),
                    offset: Bytes(offset),
                }
            }
        };
        Ok(TensorArg {
            direction: if arg.is_input {
                Direction::Input
            } else {
                Direction::Output
            },
            format: arg.device_dtype,
            device_size: arg.device_size.clone(),
            device_coordinates: arg.device_coordinates.clone(),
            allocation,
            name: arg.name.clone(),
            advance,
            arrangement: Arrangement::Standard,
            ownership: None,
            separate_parts: false,
            kernel_local: false,
        })
    }
}

/// A symbol that several loops move is divided by each of them: the tile of an outer loop is all tiles of the inner one.
fn tiles_of_tiles<'l>(
    op: &R1Op,
    mut levels: Vec<(&'l Level<'l>, Vec<R1Iteration>)>,
) -> Result<Vec<(&'l Level<'l>, Vec<R1Iteration>)>, R1Error> {
    let mut inside: Vec<(Symbol, i64)> = Vec::new();
    for (level, iterations) in levels.iter_mut().rev() {
        for iteration in iterations {
            let count = i64::try_from(level.count).ok();
            let entry = inside
                .iter_mut()
                .find(|(symbol, _)| *symbol == iteration.symbol);
            let tile = entry.as_ref().map_or(iteration.tile, |(_, tile)| *tile);
            let all = count
                .and_then(|count| count.checked_mul(tile))
                .ok_or_else(|| R1Error::Overflow {
                    op: op.op.clone(),
                    operand: 0,
                })?;
            iteration.tile = tile;
            match entry {
                Some((_, next)) => *next = all,
                None => inside.push((iteration.symbol.clone(), all)),
            }
        }
    }
    Ok(levels)
}

fn has_pool(nodes: &[R1Node]) -> bool {
    nodes.iter().any(|node| match node {
        R1Node::Op(op) => op
            .args
            .iter()
            .any(|arg| matches!(arg.allocation, R1Allocation::Pool(_))),
        R1Node::Loop(spec) => has_pool(&spec.body),
        R1Node::Unimplemented { .. } => false,
    })
}

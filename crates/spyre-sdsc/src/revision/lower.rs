//! Trees of the first revision in the present form.

use super::model::{R1Allocation, R1Arg, R1Node, R1Op};
use super::unroll::{Order, Place, R1Error, count, unroll};
use crate::bundle::Segments;
use crate::error::LoopError;
use crate::expr::{Expr, Symbol};
use crate::model::{Allocation, Direction, LoopSpec, Node, OpSpec, TensorArg};
use crate::{ArgIndex, Arrangement, Bytes, MAX_UNROLLED};

/// Unrolls a tree and names every place by kernel argument and offset.
///
/// # Errors
/// Those of [`unroll`], and addresses outside the segment of their kernel argument.
pub fn lower(nodes: &[R1Node], order: Order) -> Result<Vec<Node>, R1Error> {
    let nodes = unroll(nodes, order)?;
    Lowering::new(&nodes).nodes(&nodes, &mut Vec::new())
}

/// Keeps the loops of a tree: operands move by their distance in the device buffer.
///
/// # Errors
/// As [`lower`] with [`Order::Device`]; every tile is looked at, so each loop may run [`MAX_UNROLLED`] times.
pub fn lower_loops(nodes: &[R1Node]) -> Result<Vec<Node>, R1Error> {
    Lowering::new(nodes).nodes(nodes, &mut Vec::new())
}

/// A loop around the node being lowered.
struct Level<'a> {
    /// The name of its level symbol.
    name: Symbol,
    symbols: &'a [Symbol],
    count: u64,
}

struct Lowering {
    segments: Segments,
}

impl Lowering {
    fn new(nodes: &[R1Node]) -> Self {
        Self {
            segments: Segments::new(has_pool(nodes)),
        }
    }

    fn nodes<'a>(
        &self,
        nodes: &'a [R1Node],
        levels: &mut Vec<Level<'a>>,
    ) -> Result<Vec<Node>, R1Error> {
        let mut lowered = Vec::with_capacity(nodes.len());
        for node in nodes {
            lowered.push(match node {
                R1Node::Unimplemented { op } => Node::Unimplemented { op: op.clone() },
                R1Node::Op(op) => self.op(op, levels)?.into(),
                R1Node::Loop(spec) => {
                    let count = count(&spec.count)?;
                    if count > MAX_UNROLLED {
                        return Err(LoopError::TooManyIterations {
                            limit: MAX_UNROLLED,
                        }
                        .into());
                    }
                    levels.push(Level {
                        name: Symbol::from(format!("_tile_level{}", levels.len())),
                        symbols: spec.level_symbols(&spec.body),
                        count,
                    });
                    let body = self.nodes(&spec.body, levels)?;
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
        for (operand, arg) in op.args.iter().enumerate() {
            let place = Place {
                op: &op.op,
                operand,
            };
            let mut advance: Option<Expr> = None;
            for level in levels.iter().filter(|_| !arg.per_tile_fixed) {
                let iterations = op.iterations(level.symbols);
                let bytes = place.device_step(arg, &iterations, level.count)?;
                let width = i64::try_from(arg.device_dtype.bytes_per_element().get()).unwrap_or(1);
                if bytes != 0 {
                    let term = Expr::int(bytes / width.max(1)) * Expr::from(level.name.clone());
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
                    let offset = address.checked_sub(self.segments.argument(index).get())?;
                    (offset < Segments::size().get()).then_some((index, offset))
                });
                let (index, offset) = inside.ok_or_else(|| R1Error::NotInSegment {
                    op: place.op.to_owned(),
                    operand: place.operand,
                    address,
                    arg_index: arg.arg_index,
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
        })
    }
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

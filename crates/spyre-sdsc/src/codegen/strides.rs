//! Scales, strides, offsets and gaps (SDSC bundle specification, section 4.4).

use spyre_ops::OpFunc;

use super::context::Context;
use super::descriptor::{LayoutLabel, Packing, PlannedTensor, Role, Scale, TensorDim};
use super::dims::{Dim, Space};
use super::operand::Operand;
use crate::error::Error;
use crate::expr::{Expr, ExprKind};
use crate::model::TensorArg;
use crate::{Arrangement, DeviceFormat, Elements};

/// Every operand with its scales, strides, offsets and gaps (SDSC bundle specification, section 4.4).
pub(super) fn plan_tensors(
    context: &Context<'_>,
    space: &Space,
    operands: &[Operand],
) -> Result<Vec<PlannedTensor>, Error> {
    let args = context.op.args.iter().zip(operands).enumerate();
    args.map(|(position, (arg, operand))| {
        let plan = TensorPlan {
            context,
            space,
            position,
            arg,
            operand,
        };
        plan.check_coordinates()?;
        let dims = plan.dims()?;
        plan.check_offsets(&dims)?;
        Ok(PlannedTensor {
            label: LayoutLabel::Output,
            dims,
            format: printed_format(&context.op.op, arg.format, operand.role),
            stick: operand.stick,
            per_stick: operand.per_stick,
            element_bytes: operand.element_bytes,
            allocation: arg.allocation,
            role: operand.role,
            steps: Vec::new(),
            ownership: None,
            packing: packing(context, position, arg, operand)?,
            separate_parts: arg.separate_parts,
        })
    })
    .collect()
}

/// How the elements of an operand follow each other along the stick (SDSC bundle specification, sections 4.5 and 5).
fn packing(
    context: &Context<'_>,
    position: usize,
    arg: &TensorArg,
    operand: &Operand,
) -> Result<Packing, Error> {
    if arg.arrangement == Arrangement::Qfp8Wt {
        let last_is_stick =
            matches!(operand.dims.as_slice(), [.., _, last] if operand.stick == Some(*last));
        if !last_is_stick {
            return Err(context.unspecified(
                format!("args[{position}].element_arrangement {}", arg.arrangement),
                "section 4.5 has the last two dimensions along the stick, of which the second must be that of the \
                 coordinates, and no other dimension may follow",
            ));
        }
        return Ok(Packing::Fp8Weights);
    }
    Ok(
        if position == 0 && OpFunc::of(&context.op.op).is_some_and(|row| row.is_quantized) {
            Packing::Fp8Rows
        } else {
            Packing::Linear
        },
    )
}

/// Copies of 32-bit integers are printed as copies of floats, since the bits move unchanged; indices as unsigned (SDSC
/// bundle specification, section 4.9).
fn printed_format(op: &str, format: DeviceFormat, role: Role) -> DeviceFormat {
    match (op, format, role) {
        (_, _, Role::Index { .. }) => DeviceFormat::SenUint32,
        ("identity", DeviceFormat::IeeeInt32, _) => DeviceFormat::IeeeFp32,
        _ => format,
    }
}

struct TensorPlan<'a> {
    context: &'a Context<'a>,
    space: &'a Space,
    position: usize,
    arg: &'a TensorArg,
    operand: &'a Operand,
}

impl TensorPlan<'_> {
    /// The dimensions of an operand, with an added leading one first (SDSC bundle specification, section 4.2, extra
    /// dimension a).
    fn dims(&self) -> Result<Vec<TensorDim>, Error> {
        let operand = self.operand;
        let mut dims = Vec::new();
        if let Some(leading) = self.space.added_leading {
            let size = &self.arg.device_size;
            let last_two = size.iter().rev().take(2).copied();
            dims.push(TensorDim {
                dim: leading,
                scale: Scale::Full,
                stride: Elements(self.product(last_two, "a device stride", leading)?),
                offset: Elements::ZERO,
                back_gap: Elements::ZERO,
                gathered: false,
            });
        }
        for &dim in &operand.dims {
            // Dimensions in memory come first in stride order, in the operand's order.
            let in_memory = !operand.reduced.contains(&dim);
            let order = || {
                operand
                    .dims
                    .iter()
                    .filter(|d| operand.reduced.contains(d) != in_memory)
            };
            let rank_in_group = order()
                .position(|d| *d == dim)
                .expect("a dimension is among those in memory or among the others");
            let before = if in_memory {
                0
            } else {
                operand.dims.len() - operand.reduced.len()
            };
            let order = before + rank_in_group - self.shared_before(dim);
            dims.push(self.dim(dim, order, in_memory)?);
        }
        Ok(dims)
    }

    /// The difference between the place of a dimension among the dimensions of the operand and its place in the stride
    /// order: the dimensions of an index share the one device dimension that it chooses from (SDSC bundle
    /// specification, section 4.2).
    fn shared_before(&self, dim: Dim) -> usize {
        let Role::Value { .. } = self.operand.role else {
            return 0;
        };
        let coordinates = self.arg.device_coordinates.iter();
        let gathered = coordinates
            .zip(&self.operand.coordinate_dims)
            .find_map(|(coordinate, dims)| coordinate.has_indirect_access().then_some(dims));
        let Some(gathered) = gathered else { return 0 };
        let before = self.operand.dims.iter().take_while(|outer| **outer != dim);
        let shared = before.filter(|outer| gathered.contains(outer)).count();
        // The device dimension itself is one more place after the gathered ones.
        shared.saturating_sub(usize::from(!gathered.contains(&dim)))
    }

    /// The device dimension at place `order` of the stride order, if the device has that many.
    fn device_dim(&self, order: usize) -> Option<usize> {
        self.arg.device_size.len().checked_sub(order + 2)
    }

    /// The product of the `count` innermost device extents.
    fn volume(&self, count: usize) -> Result<u64, Error> {
        let (position, sizes) = (self.position, &self.arg.device_size);
        self.context.product(
            sizes.iter().rev().take(count).copied(),
            format_args!(
                "operand {position}: the product of the last {count} extents of {sizes:?}"
            ),
        )
    }

    /// The product of numbers that describe the operand along a dimension.
    fn product(
        &self,
        factors: impl IntoIterator<Item = u64>,
        what: &str,
        dim: Dim,
    ) -> Result<u64, Error> {
        let position = self.position;
        self.context.product(
            factors,
            format_args!("operand {position}: {what} along {dim}"),
        )
    }

    /// Scale, stride, offset and gap of one dimension at place `order` of the stride order (SDSC bundle specification,
    /// section 4.4).
    fn dim(&self, dim: Dim, order: usize, in_memory: bool) -> Result<TensorDim, Error> {
        let Self {
            context,
            operand,
            arg,
            ..
        } = self;
        let planned = self.space.get(dim).ok_or_else(|| {
            context.inconsistent(format!(
                "operand {} has {dim}, which is not iterated over",
                self.position
            ))
        })?;
        let is_stick = operand.stick == Some(dim);
        let scale = match (in_memory, operand.stick) {
            (true, _) => Scale::Full,
            (false, None) if self.space.op_stick == Some(dim) => Scale::StickReduced,
            (false, _) if is_stick => Scale::StickReduced,
            (false, _) => Scale::Reduced,
        };
        if in_memory {
            self.check_order(dim, order)?;
        }
        let device_dim = self.device_dim(order);
        if device_dim.is_none() && context.revision.needs_aligned_ranks() {
            return Err(context.unsupported(format!(
                "operand {} has {} device dimensions, too few for {dim} at place {order}",
                self.position,
                arg.device_size.len()
            )));
        }
        let (device, used) = match is_stick {
            true => self.stick_extents(dim, planned.extent, device_dim)?,
            false => {
                let device = device_dim.map_or(planned.extent, |d| arg.device_size[d]);
                (device, planned.extent)
            }
        };
        let mut result = TensorDim {
            dim,
            scale,
            stride: Elements(self.volume(order + 2)?),
            offset: Elements::ZERO,
            back_gap: Elements::ZERO,
            gathered: false,
        };
        let coordinate = device_dim.map(|d| &arg.device_coordinates[d]);
        if coordinate.is_some_and(Expr::has_indirect_access) {
            result.gathered = planned.extent < device;
        } else if device > used {
            let constant = match coordinate {
                Some(coordinate) => coordinate
                    .constant_term()
                    .map_err(|error| context.expr(error))?,
                None => 0,
            };
            let constant = u64::try_from(constant).map_err(|_| {
                context.inconsistent(format!(
                    "operand {} starts at {constant} along {dim}",
                    self.position
                ))
            })?;
            let offset = [constant, self.volume(order + 1)?];
            let offset = self.product(offset, "a slice offset", dim)?;
            result.offset = Elements(offset);
            result.back_gap = Elements(device - used);
            let stride = [result.stride.get() / device, used];
            let stride = self.product(stride, "a device stride", dim)?;
            result.stride = Elements(stride);
        }
        Ok(result)
    }

    /// The device extent of the stick dimension, and the extent that is used: whole sticks, or the tile.
    fn stick_extents(
        &self,
        dim: Dim,
        extent: u64,
        device_dim: Option<usize>,
    ) -> Result<(u64, u64), Error> {
        let per_stick = self.operand.per_stick.get();
        let position = self.position;
        let used = self.context.round_up(
            extent,
            per_stick,
            format_args!("operand {position}: a padded extent along {dim}"),
        )?;
        let device = match device_dim {
            Some(device_dim) => {
                let sticks = self.arg.device_size[device_dim];
                self.product([sticks, per_stick], "a device extent", dim)?
            }
            None => extent,
        };
        Ok(match self.stick_tile(dim)? {
            Some((tile, trips)) => (self.product([tile, trips], "a device extent", dim)?, tile),
            None => (device, used),
        })
    }

    /// The tile of a stick dimension that the advance names, and its trip count. The tile is in bytes where elements
    /// are meant, as in the reference (SDSC bundle specification, section 4.4, last rule).
    fn stick_tile(&self, dim: Dim) -> Result<Option<(u64, u64)>, Error> {
        let Some(advance) = &self.arg.advance else {
            return Ok(None);
        };
        let coefficient = advance
            .coefficient_of(dim.as_str())
            .map_err(|error| self.context.expr(error))?;
        let elements = coefficient.to_integer().map(u64::try_from);
        let Some(Ok(elements @ 1..)) = elements else {
            return Ok(None);
        };
        let width = self.operand.element_bytes.get();
        let tile = self.product([elements, width], "a tile", dim)?;
        let trips = self.context.op.tiled_symbol_trip_counts.get(dim.as_str());
        // The reference has one tile where no count is given.
        Ok(Some((tile, trips.copied().unwrap_or(1))))
    }

    /// Strides are read off the device extents by position, which is only right while the dimensions in memory
    /// and the device dimensions run in step. Unit dimensions between them may break that.
    fn check_order(&self, dim: Dim, order: usize) -> Result<(), Error> {
        let coordinates = self.operand.coordinate_dims.split_last();
        let (_, outer) = coordinates.expect("an operand has device dimensions");
        let Some(actual) = outer.iter().rposition(|dims| dims.contains(&dim)) else {
            return Ok(());
        };
        if let Some(expected) = self.device_dim(order) {
            let rank = self.arg.device_size.len();
            let extent = |d: usize| self.arg.device_size[d];
            if extent(expected) == extent(actual)
                && self.volume(rank - expected)? == self.volume(rank - actual)?
            {
                return Ok(());
            }
        }
        Err(self.context.unsupported(format!(
            "operand {}: {dim} is device dimension {actual} of {:?}, out of step with its place {order} in the \
             dimension order; unit dimensions must be outermost",
            self.position, self.arg.device_size
        )))
    }

    /// Checks that every coordinate is a digit of one iteration symbol, from a start. Strides are read off the device
    /// extents, and would be wrong for any other coordinate.
    fn check_coordinates(&self) -> Result<(), Error> {
        fn is_digit(term: &Expr) -> bool {
            match term.kind() {
                ExprKind::Symbol(_) | ExprKind::IndirectAccess(_) => true,
                ExprKind::Floor(inner) => is_digit(inner),
                ExprKind::Quotient(inner, number) | ExprKind::Mod(inner, number) => {
                    is_digit(inner) && number.as_int().is_some()
                }
                ExprKind::Int(_) | ExprKind::Sum(_) | ExprKind::Product(_) => false,
            }
        }
        for coordinate in &self.arg.device_coordinates {
            let terms = match coordinate.kind() {
                ExprKind::Sum(terms) => terms,
                _ => std::slice::from_ref(coordinate),
            };
            let moving: Vec<&Expr> = terms.iter().filter(|t| t.as_int().is_none()).collect();
            if moving.len() > 1 || !moving.into_iter().all(is_digit) {
                return Err(self.context.unsupported(format!(
                    "operand {} has coordinate `{coordinate}`, which is not a digit of one iteration symbol from a start",
                    self.position
                )));
            }
        }
        Ok(())
    }

    /// Every constant in the coordinates must have become an offset.
    fn check_offsets(&self, dims: &[TensorDim]) -> Result<(), Error> {
        let context = self.context;
        let mut total = 0_i128;
        for (position, coordinate) in self.arg.device_coordinates.iter().enumerate() {
            let constant = coordinate
                .constant_term()
                .map_err(|error| context.expr(error))?;
            let below = self.volume(self.arg.device_size.len() - position - 1)?;
            total += i128::from(constant) * i128::from(below);
        }
        let planned: i128 = dims.iter().map(|d| i128::from(d.offset.get())).sum();
        if total == planned && i64::try_from(planned).is_ok() {
            return Ok(());
        }
        Err(context.unsupported(format!(
            "operand {} starts {total} elements into its buffer, of which only {planned} can be expressed",
            self.position
        )))
    }
}

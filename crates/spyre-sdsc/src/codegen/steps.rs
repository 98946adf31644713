//! How far each operand moves per loop iteration (SDSC bundle specification, section 3.4).

use super::EnclosingLoops;
use super::context::Context;
use super::descriptor::{LevelStep, PlannedTensor, Scale};
use super::dims::{Dim, DimNames, Space};
use crate::Bytes;
use crate::error::{Error, TilingError};
use crate::expr::{Expr, ExprError, Symbol};
use thiserror::Error;

/// Gives every tensor its steps, and checks that there is a loop for each (SDSC bundle specification, sections 3.4 and
/// 6).
pub(super) fn plan_steps(
    context: &Context<'_>,
    names: &DimNames,
    space: &Space,
    loops: EnclosingLoops,
    tensors: &mut [PlannedTensor],
) -> Result<(), Error> {
    let levels = context.op.tiled_levels.len();
    let loops = match loops {
        EnclosingLoops::Known(loops) if levels > loops => {
            return Err(context.tiling(TilingError::LevelCount { levels, loops }));
        }
        EnclosingLoops::Known(loops) => Some(loops),
        EnclosingLoops::Unknown => None,
    };
    let named: Vec<Vec<Symbol>> = context
        .op
        .tiled_levels
        .iter()
        .map(|level| level.iter().map(|s| level_name(names, s)).collect())
        .collect();
    for (operand, tensor) in tensors.iter_mut().enumerate() {
        let Some(advance) = &context.op.args[operand].advance else {
            continue;
        };
        if let Some(loops) = loops {
            check_symbols(context, names, loops, operand, advance)?;
        }
        tensor.steps =
            level_steps(&named, advance, tensor, operand).map_err(|error| match error {
                StepError::Expr(source) => context.expr(source),
                StepError::Tiling(source) => context.tiling(source),
            })?;
        if tensor.steps.is_empty() {
            continue;
        }
        if let Some(loops) = loops.filter(|loops| *loops != levels) {
            return Err(context.tiling(TilingError::LevelCount { levels, loops }));
        }
        if tensor.allocation.is_lx() {
            return Err(context.tiling(TilingError::AdvancingLx {
                operand,
                advance: advance.to_string(),
            }));
        }
        check_runtime_split(context, names, space, operand, tensor)?;
    }
    Ok(())
}

/// Refuses tensors that cores divide along a runtime size and loops move along it too: a tile would then be a part
/// of a size that the other tiles also have (SDSC bundle specification, section 6). That is certain when it is the
/// only dimension in which the tensor extends, or when a level is named after it.
fn check_runtime_split(
    context: &Context<'_>,
    names: &DimNames,
    space: &Space,
    operand: usize,
    tensor: &PlannedTensor,
) -> Result<(), Error> {
    let extends = |dim: Dim| {
        tensor.dim(dim).is_some_and(|d| d.scale == Scale::Full) && space.planned_dim(dim).extent > 1
    };
    for split in space.dims.iter().filter(|p| p.is_split_at_run_time()) {
        let alone = space
            .dims
            .iter()
            .all(|planned| planned.dim == split.dim || !extends(planned.dim));
        let named = context
            .op
            .tiled_levels
            .iter()
            .flatten()
            .any(|level| level_name(names, level).as_str() == split.dim.as_str());
        if extends(split.dim) && (alone || named) {
            return Err(context.tiling(TilingError::RuntimeSplit {
                operand,
                dim: split.dim.to_string(),
            }));
        }
    }
    Ok(())
}

/// Checks that each symbol of an advance inside of loops is that of a level.
///
/// Symbols of levels are renamed as those of the iteration space are, and advances are not: with another symbol, the
/// operand would have the same address in each iteration.
fn check_symbols(
    context: &Context<'_>,
    names: &DimNames,
    loops: usize,
    operand: usize,
    advance: &Expr,
) -> Result<(), Error> {
    for symbol in advance.symbols() {
        let is_level = context
            .op
            .tiled_levels
            .iter()
            .flatten()
            .any(|level| level_name(names, level) == *symbol);
        let make = match (names.dim(symbol.as_str()), is_level) {
            (Some(_), false) => |operand, advance, symbol| TilingError::IterationSymbol {
                operand,
                advance,
                symbol,
            },
            (None, false) if loops > 0 => |operand, advance, symbol| TilingError::UnknownLevel {
                operand,
                advance,
                symbol,
            },
            _ => continue,
        };
        return Err(context.tiling(make(operand, advance.to_string(), symbol.clone())));
    }
    Ok(())
}

/// The name of a level symbol in advances: that of its dimension, if it is an iteration symbol (SDSC bundle
/// specification, section 3.4).
fn level_name(names: &DimNames, level: &Symbol) -> Symbol {
    names
        .dim(level.as_str())
        .map_or_else(|| level.clone(), |dim| dim.as_str().into())
}

/// Why an advance has no steps.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum StepError {
    /// The expression.
    #[error(transparent)]
    Expr(#[from] ExprError),
    /// The step.
    #[error(transparent)]
    Tiling(#[from] TilingError),
}

/// The steps of operand number `operand`, outermost loop first (SDSC bundle specification, section 3.4).
///
/// `levels` has the level symbols of each loop, innermost first, under the names that `advance` uses.
///
/// # Errors
/// Advances that are not linear in a level symbol, or by no whole number of elements.
pub fn level_steps(
    levels: &[Vec<Symbol>],
    advance: &Expr,
    tensor: &PlannedTensor,
    operand: usize,
) -> Result<Vec<LevelStep>, StepError> {
    let mut steps = Vec::new();
    for (level, symbols) in levels.iter().rev().enumerate() {
        for symbol in symbols {
            let coefficient = advance.coefficient_of(symbol.as_str())?;
            let missing = tensor
                .dims
                .iter()
                .any(|d| d.dim.as_str() == symbol.as_str() && d.scale != Scale::Full);
            if coefficient.is_zero() || missing {
                continue;
            }
            let bytes = step_bytes(tensor, &coefficient, operand, symbol)?;
            steps.push(LevelStep { level, bytes });
        }
    }
    Ok(steps)
}

/// Bytes per step of a level symbol; the coefficient must be an integer (SDSC bundle specification, section 3.4).
fn step_bytes(
    tensor: &PlannedTensor,
    coefficient: &crate::expr::Rational,
    operand: usize,
    symbol: &Symbol,
) -> Result<Bytes, TilingError> {
    let (symbol, coefficient_text) = (symbol.clone(), coefficient.to_string());
    let Some(elements) = coefficient.to_integer() else {
        return Err(TilingError::FractionalStep {
            operand,
            symbol,
            coefficient: coefficient_text,
        });
    };
    let bytes = u64::try_from(elements)
        .ok()
        .and_then(|elements| elements.checked_mul(tensor.element_bytes.get()))
        .filter(|bytes| i64::try_from(*bytes).is_ok());
    match bytes {
        Some(bytes) => Ok(Bytes(bytes)),
        None => Err(TilingError::StepRange {
            operand,
            symbol,
            coefficient: coefficient_text,
        }),
    }
}

//! The least and the greatest value of an index, over all cores and iterations.

use melior::ir::block::BlockLike as _;
use melior::ir::operation::OperationLike;
use melior::ir::{AffineExpr, TypeLike as _, ValueLike};
use spyre_dialects::ktdp_attr::runtime_arg_bounds;
use spyre_mlir_rt::ir::{self, Source, Val};
use spyre_ods::{affine, arith, ktdp, scf};

use crate::number::Number;

/// The least and the greatest value.
pub(crate) type Range = (i64, i64);

/// The values of the arguments of a kernel, and its cores.
#[derive(Debug, Clone)]
pub(crate) struct Ranges {
    /// The number of cores along each dimension of the grid.
    pub grid: Vec<i64>,
    /// The value of each argument: 0 for addresses; `None` for unknown ones.
    pub arguments: Vec<Option<i64>>,
}

impl Ranges {
    /// Returns the number of cores.
    pub(crate) fn cores(&self) -> i64 {
        self.grid.iter().product()
    }

    /// Returns the range of a number.
    pub(crate) fn number(&self, number: Number<'_>) -> Option<Range> {
        match number {
            Number::Constant(value) => Some((value, value)),
            Number::Value(value) => self.of(value),
        }
    }

    /// Returns the range of a value; `None` if it is not bounded by constants.
    pub(crate) fn of(&self, value: Val<'_>) -> Option<Range> {
        match ir::source(value) {
            Source::Argument(block, number) => {
                let parent = block.parent_operation()?;
                match scf::For::cast(parent) {
                    Some(for_) if number == 0 => self.counter(for_),
                    Some(_) => None,
                    None => {
                        let value = (*self.arguments.get(number)?)?;
                        Some((value, value))
                    }
                }
            }
            Source::Result(op, number) => self.result(op, number),
        }
    }

    /// Returns the field of a runtime argument that an operation reads.
    pub(crate) fn runtime_argument(&self, extract: ktdp::RuntimeArgExtract<'_>) -> Option<i64> {
        let bounds = runtime_arg_bounds(extract.input().r#type()).unwrap_or_default();
        let field = extract.kind().to_string();
        if field.contains("granularity") {
            return Some(bounds.granularity.unwrap_or(1));
        }
        if field.contains("upperbound") {
            return Some(bounds.upperbound.unwrap_or(i64::MAX));
        }
        match ir::source(extract.input()) {
            Source::Argument(_, number) => *self.arguments.get(number)?,
            Source::Result(..) => None,
        }
    }

    /// Returns the range of the counter of a loop. Without iterations it is that of the first value.
    fn counter(&self, for_: scf::For<'_>) -> Option<Range> {
        let (least, most) = self.of(for_.lower_bound())?;
        let (_, end) = self.of(for_.upper_bound())?;
        let (step, largest_step) = self.of(for_.step())?;
        if step <= 0 || step != largest_step {
            return None;
        }
        let last = end.checked_sub(1)?.max(least);
        Some(match least == most {
            true => (least, least + (last - least) / step * step),
            false => (least, last),
        })
    }

    fn result(&self, op: ir::Op<'_>, number: usize) -> Option<Range> {
        let name = ir::name(op);
        if name == ktdp::GET_COMPUTE_TILE_ID {
            let cores = match op.result_count() {
                1 => self.cores(),
                _ => *self.grid.get(number)?,
            };
            return Some((0, cores - 1));
        }
        if let Some(extract) = ktdp::RuntimeArgExtract::cast(op) {
            let value = self.runtime_argument(extract)?;
            return Some((value, value));
        }
        if name == arith::CONSTANT {
            let is_index = ir::result(op, 0)?.r#type().is_index();
            return is_index
                .then(|| ir::constant_index(op))
                .map(|value| (value, value));
        }
        if name == affine::APPLY {
            let map = ir::affine_map(op)?;
            let operands = op.operands().map(|operand| self.of(operand));
            let operands: Option<Vec<_>> = operands.collect();
            return affine_range(map.result(0).ok()?, &operands?, map.dim_count());
        }
        let operands: Option<Vec<Range>> = match name {
            arith::SELECT => op.operands().skip(1).map(|it| self.of(it)).collect(),
            _ => op.operands().map(|it| self.of(it)).collect(),
        };
        match operands?[..] {
            [a, b] => binary(name, a, b),
            [a] if [arith::INDEX_CAST, arith::INDEX_CASTUI].contains(&name) && a.0 >= 0 => Some(a),
            _ => None,
        }
    }
}

fn binary(name: &str, a: Range, b: Range) -> Option<Range> {
    let positive = a.0 >= 0 && b.0 > 0;
    match name {
        arith::ADDI => Some((a.0.checked_add(b.0)?, a.1.checked_add(b.1)?)),
        arith::SUBI => Some((a.0.checked_sub(b.1)?, a.1.checked_sub(b.0)?)),
        arith::MULI => product(a, b),
        arith::DIVUI | arith::DIVSI | arith::FLOORDIVSI if positive => Some((a.0 / b.1, a.1 / b.0)),
        arith::CEILDIVUI | arith::CEILDIVSI if positive => {
            Some((ceil_div(a.0, b.1), ceil_div(a.1, b.0)))
        }
        arith::REMUI | arith::REMSI if positive => match b.0 == b.1 && a.0 / b.0 == a.1 / b.0 {
            true => Some((a.0 % b.0, a.1 % b.0)),
            false => Some((0, a.1.min(b.1 - 1))),
        },
        arith::MINSI => Some((a.0.min(b.0), a.1.min(b.1))),
        arith::MAXSI => Some((a.0.max(b.0), a.1.max(b.1))),
        arith::MINUI if a.0 >= 0 && b.0 >= 0 => Some((a.0.min(b.0), a.1.min(b.1))),
        arith::MAXUI if a.0 >= 0 && b.0 >= 0 => Some((a.0.max(b.0), a.1.max(b.1))),
        arith::SELECT => Some((a.0.min(b.0), a.1.max(b.1))),
        _ => None,
    }
}

/// Returns the range of a product.
pub(crate) fn product(a: Range, b: Range) -> Option<Range> {
    let ends = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)];
    let ends = ends.map(|(x, y)| x.checked_mul(y));
    let ends: Vec<i64> = ends.into_iter().collect::<Option<_>>()?;
    Some((*ends.iter().min()?, *ends.iter().max()?))
}

fn ceil_div(a: i64, b: i64) -> i64 {
    a / b + i64::from(a % b != 0)
}

fn affine_range(expr: AffineExpr<'_>, operands: &[Range], dims: usize) -> Option<Range> {
    if expr.is_constant() {
        return Some((expr.constant_value(), expr.constant_value()));
    }
    if expr.is_dim() {
        return operands.get(expr.dim_position()).copied();
    }
    if expr.is_symbol() {
        return operands.get(dims + expr.symbol_position()).copied();
    }
    let a = affine_range(expr.lhs(), operands, dims)?;
    let b = affine_range(expr.rhs(), operands, dims)?;
    if expr.is_add() {
        binary(arith::ADDI, a, b)
    } else if expr.is_mul() {
        product(a, b)
    } else if b.0 != b.1 || b.0 <= 0 {
        None
    } else if expr.is_mod() {
        match a.0.div_euclid(b.0) == a.1.div_euclid(b.0) {
            true => Some((a.0.rem_euclid(b.0), a.1.rem_euclid(b.0))),
            false => Some((0, b.0 - 1)),
        }
    } else if expr.is_floor_div() {
        Some((a.0.div_euclid(b.0), a.1.div_euclid(b.0)))
    } else {
        Some((-(-a.0).div_euclid(b.0), -(-a.1).div_euclid(b.0)))
    }
}

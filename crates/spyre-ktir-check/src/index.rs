//! Values of type `index` as expressions of cores, counters and extents.
//!
//! A minimum or a selection has several expressions, each under conditions: a value is a list of [`Piece`]s, of which
//! exactly one has conditions that hold. The number of a core is [`Var::Core`], the complete iterations of a loop are
//! [`Var::Counter`], an argument that is an extent is [`Var::Param`], and the address that an argument has is
//! [`Var::Gathered`], for which claims about kernels have no other use.

use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{AffineExpr, Type, ValueLike};
use rustc_hash::FxHashMap;
use spyre_dialects::attr;
use spyre_mlir_rt::ir::{self, Op, Source, Val, ValueKey, value_key};
use spyre_ods::{affine, arith, ktdp};
use spyre_proof::claim::Reason;
use spyre_proof::expr::{Expr, Ranges, Var};
use spyre_proof::sets::Constraint;

/// The largest number of pieces of a value, and of alternatives of a condition.
pub(crate) const MOST_PIECES: usize = 64;

/// Conditions of which all hold.
pub(crate) type Conditions = Vec<Constraint>;

/// An expression, and the conditions under which a value has it.
#[derive(Debug, Clone)]
pub(crate) struct Piece<T = Expr> {
    pub when: Conditions,
    pub value: T,
}

/// The expressions of a value.
pub(crate) type Pieces<T = Expr> = Vec<Piece<T>>;

/// Returns the value that has an expression under all conditions.
pub(crate) fn always<T>(value: T) -> Pieces<T> {
    let when = Vec::new();
    vec![Piece { when, value }]
}

/// Returns the reason of a value with too many pieces.
fn too_many() -> Reason {
    Reason::Operation(format!("a value with more than {MOST_PIECES} cases"))
}

/// Returns the lists of one piece of each value.
pub(crate) fn product(values: &[Pieces]) -> Result<Pieces<Vec<Expr>>, Reason> {
    let mut all = always(Vec::with_capacity(values.len()));
    for pieces in values {
        let mut next = Vec::with_capacity(all.len() * pieces.len());
        for (before, piece) in all
            .iter()
            .flat_map(|it| pieces.iter().map(move |p| (it, p)))
        {
            let mut value = before.value.clone();
            value.push(piece.value.clone());
            let when = [&before.when[..], &piece.when].concat();
            next.push(Piece { when, value });
        }
        if next.len() > MOST_PIECES {
            return Err(too_many());
        }
        all = next;
    }
    Ok(all)
}

/// Returns the conjunctions of one alternative of each condition.
pub(crate) fn both(a: &[Conditions], b: &[Conditions]) -> Result<Vec<Conditions>, Reason> {
    if a.len() * b.len() > MOST_PIECES {
        return Err(too_many());
    }
    let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (a, b)));
    Ok(pairs.map(|(a, b)| [&a[..], b].concat()).collect())
}

/// Returns the value of an affine expression of values of dimensions and symbols.
///
/// # Errors
/// A product of two variables, or a division by one.
pub(crate) fn affine_value(
    expr: AffineExpr<'_>,
    dims: &[Expr],
    symbols: &[Expr],
) -> Result<Expr, Reason> {
    let operand = |list: &[Expr], at: usize| list.get(at).cloned().ok_or(Reason::Offset);
    if expr.is_constant() {
        return Ok(expr.constant_value().into());
    }
    if expr.is_dim() {
        return operand(dims, expr.dim_position());
    }
    if expr.is_symbol() {
        return operand(symbols, expr.symbol_position());
    }
    let lhs = affine_value(expr.lhs(), dims, symbols)?;
    let rhs = affine_value(expr.rhs(), dims, symbols)?;
    if expr.is_add() {
        return Ok(lhs.plus(&rhs));
    }
    if expr.is_mul() {
        return times(&lhs, &rhs);
    }
    let divisor = rhs.as_constant().filter(|divisor| *divisor > 0);
    let divisor = divisor.ok_or(Reason::Offset)?;
    Ok(if expr.is_mod() {
        lhs.modulo(divisor)
    } else if expr.is_ceil_div() {
        lhs.plus(&(divisor - 1).into()).floor_div(divisor)
    } else {
        lhs.floor_div(divisor)
    })
}

fn times(lhs: &Expr, rhs: &Expr) -> Result<Expr, Reason> {
    match (lhs.as_constant(), rhs.as_constant()) {
        (_, Some(factor)) => Ok(lhs.times(factor)),
        (Some(factor), None) => Ok(rhs.times(factor)),
        (None, None) => Err(Reason::Offset),
    }
}

/// Returns the negation of a condition.
pub(crate) fn negated(constraint: &Constraint) -> Vec<Constraint> {
    let less = |expr: &Expr| Constraint::NonNegative(expr.times(-1).plus(&(-1).into()));
    match constraint {
        Constraint::NonNegative(expr) => vec![less(expr)],
        Constraint::Zero(expr) => {
            vec![less(expr), Constraint::NonNegative(expr.plus(&(-1).into()))]
        }
    }
}

/// The values of a kernel, each evaluated once.
#[derive(Debug)]
pub(crate) struct Indices {
    values: FxHashMap<ValueKey, Result<Pieces, Reason>>,
    /// The least and greatest values of the variables.
    pub ranges: Ranges,
    /// The number of cores along each dimension of the grid; the first varies fastest.
    pub grid: Vec<i64>,
    /// The extents that are rounded down to a multiple: numbers of tiles without a last one that is not whole.
    pub rounded: Vec<(Var, i64)>,
}

impl Indices {
    /// Returns the values of a kernel with these numbers of cores, none of which is known yet.
    pub(crate) fn new(grid: Vec<i64>) -> Self {
        Self {
            values: FxHashMap::default(),
            ranges: Ranges::default(),
            grid,
            rounded: Vec::new(),
        }
    }

    /// Sets the expressions of an argument of a block.
    pub(crate) fn set(&mut self, value: Val<'_>, pieces: Result<Pieces, Reason>) {
        self.values.insert(value_key(value), pieces);
    }

    /// Returns the expressions of a value.
    ///
    /// # Errors
    /// An operation that is not modelled, or a value that is not affine.
    pub(crate) fn of(&mut self, value: Val<'_>) -> Result<Pieces, Reason> {
        if let Some(pieces) = self.values.get(&value_key(value)) {
            return pieces.clone();
        }
        let pieces = self.evaluate(value).map(|pieces| self.simplified(pieces));
        self.set(value, pieces.clone());
        pieces
    }

    /// Returns the expressions of several values.
    pub(crate) fn all<'p>(
        &mut self,
        values: impl Iterator<Item = Val<'p>>,
    ) -> Result<Pieces<Vec<Expr>>, Reason> {
        let values: Vec<_> = values.map(|it| self.of(it)).collect::<Result<_, _>>()?;
        product(&values)
    }

    fn simplified(&self, pieces: Pieces) -> Pieces {
        let simple = pieces.into_iter().map(|piece| Piece {
            value: piece.value.simplified(&self.ranges),
            ..piece
        });
        simple.collect()
    }

    fn evaluate(&mut self, value: Val<'_>) -> Result<Pieces, Reason> {
        let Source::Result(op, number) = ir::source(value) else {
            return Err(Reason::Operation("a tensor element as an index".to_owned()));
        };
        let name = ir::name(op);
        match name {
            arith::CONSTANT => {
                let number = ir::attribute(op, "value").and_then(attr::integer);
                Ok(always(number.ok_or(Reason::Offset)?.into()))
            }
            arith::INDEX_CAST | arith::INDEX_CASTUI => {
                // A narrow integer has lost bits, or has a sign that the cast ignores.
                let types = [operand(op, 0).r#type(), value.r#type()];
                if types.iter().any(|ty| is_narrow(*ty)) {
                    return Err(Reason::Operation(format!("{name} of a narrow integer")));
                }
                self.of(operand(op, 0))
            }
            arith::SELECT => self.select(op),
            ktdp::GET_COMPUTE_TILE_ID => self.tile_id(op, number),
            affine::APPLY => {
                let map = ir::affine_map(op).expect("the operation has a map");
                let operands = self.all((0..op.operand_count()).map(|at| operand(op, at)))?;
                let expr = map.result(0).expect("the map has a result");
                let apply = |piece: Piece<Vec<Expr>>| {
                    let (dims, symbols) = piece.value.split_at(map.dim_count());
                    let value = affine_value(expr, dims, symbols)?;
                    Ok(Piece {
                        when: piece.when,
                        value,
                    })
                };
                operands.into_iter().map(apply).collect()
            }
            _ if op.operand_count() == 2 => {
                let operands = self.all([operand(op, 0), operand(op, 1)].into_iter())?;
                let mut pieces = Vec::new();
                for Piece { when, value } in operands {
                    for case in self.binary(name, &value[0], &value[1])? {
                        let when = [&when[..], &case.when].concat();
                        pieces.push(Piece {
                            when,
                            value: case.value,
                        });
                    }
                }
                (pieces.len() <= MOST_PIECES)
                    .then_some(pieces)
                    .ok_or_else(too_many)
            }
            _ => Err(Reason::Operation(name.to_owned())),
        }
    }

    /// Returns the number of a core, or its number along a dimension of the grid.
    fn tile_id(&self, op: Op<'_>, number: usize) -> Result<Pieces, Reason> {
        let core = Expr::from(Var::Core);
        if op.result_count() == 1 {
            return Ok(always(core));
        }
        let Some(size) = self.grid.get(number) else {
            return Err(Reason::Operation(format!("dimension {number} of the grid")));
        };
        let before: i64 = self.grid[..number].iter().product();
        Ok(always(core.floor_div(before).modulo(*size)))
    }

    fn select(&mut self, op: Op<'_>) -> Result<Pieces, Reason> {
        let mut pieces = Vec::new();
        for (is_true, at) in [(true, 1), (false, 2)] {
            let conditions = self.condition(operand(op, 0), is_true)?;
            let values = self.of(operand(op, at))?;
            for (when, piece) in conditions
                .iter()
                .flat_map(|when| values.iter().map(move |piece| (when, piece)))
            {
                pieces.push(Piece {
                    when: [&when[..], &piece.when].concat(),
                    value: piece.value.clone(),
                });
            }
        }
        (pieces.len() <= MOST_PIECES)
            .then_some(pieces)
            .ok_or_else(too_many)
    }

    /// Returns the result of an operation on two expressions.
    fn binary(&mut self, name: &str, lhs: &Expr, rhs: &Expr) -> Result<Pieces, Reason> {
        let divisor = || {
            let divisor = rhs.as_constant().filter(|divisor| *divisor > 0);
            divisor.ok_or(Reason::Offset)
        };
        if let (arith::DIVUI | arith::DIVSI | arith::FLOORDIVSI, Some(var @ Var::Param(_))) =
            (name, lhs.as_var())
        {
            self.rounded
                .extend(rhs.as_constant().map(|divisor| (var, divisor)));
        }
        // Quotients of MLIR round to zero or are unsigned, and those of expressions round down.
        let negative = || Reason::Operation(format!("{name} of a number that may be negative"));
        let natural = || self.is_natural(lhs).then_some(lhs).ok_or_else(negative);
        let is_unsigned = [arith::MINUI, arith::MAXUI].contains(&name);
        if is_unsigned && !(self.is_natural(lhs) && self.is_natural(rhs)) {
            return Err(negative());
        }
        Ok(match name {
            arith::ADDI => always(lhs.plus(rhs)),
            arith::SUBI => always(lhs.minus(rhs)),
            arith::MULI => always(times(lhs, rhs)?),
            arith::FLOORDIVSI => always(lhs.floor_div(divisor()?)),
            arith::DIVUI | arith::DIVSI => always(natural()?.floor_div(divisor()?)),
            arith::REMUI | arith::REMSI => always(natural()?.modulo(divisor()?)),
            arith::CEILDIVSI => {
                let divisor = divisor()?;
                always(lhs.plus(&(divisor - 1).into()).floor_div(divisor))
            }
            arith::CEILDIVUI => {
                let divisor = divisor()?;
                always(natural()?.plus(&(divisor - 1).into()).floor_div(divisor))
            }
            arith::MINSI | arith::MINUI => self.extreme(lhs, rhs),
            arith::MAXSI | arith::MAXUI => {
                let least = self.extreme(&lhs.times(-1), &rhs.times(-1)).into_iter();
                least
                    .map(|piece| Piece {
                        when: piece.when,
                        value: piece.value.times(-1),
                    })
                    .collect()
            }
            _ => return Err(Reason::Operation(name.to_owned())),
        })
    }

    /// Returns whether an expression is not negative, by the ranges of its variables.
    fn is_natural(&self, expr: &Expr) -> bool {
        let range = expr.simplified(&self.ranges).range(&self.ranges);
        range.is_some_and(|(least, _)| least >= 0)
    }

    /// Returns the smaller one of two numbers.
    fn extreme(&self, lhs: &Expr, rhs: &Expr) -> Pieces {
        let (first, second) = (rhs.minus(lhs), lhs.minus(rhs).plus(&(-1).into()));
        let is_never = |expr: &Expr| {
            let range = expr.simplified(&self.ranges).range(&self.ranges);
            range.is_some_and(|(_, greatest)| greatest < 0)
        };
        let cases = [(first, lhs), (second, rhs)];
        let cases = cases.into_iter().filter(|(when, _)| !is_never(when));
        cases
            .map(|(when, value)| Piece {
                when: vec![Constraint::NonNegative(when)],
                value: value.clone(),
            })
            .collect()
    }

    /// Returns the alternatives under which a truth value is `is_true`.
    ///
    /// # Errors
    /// An operation that is not modelled, or a value that is not affine.
    pub(crate) fn condition(
        &mut self,
        value: Val<'_>,
        is_true: bool,
    ) -> Result<Vec<Conditions>, Reason> {
        let Some(op) = ir::defining_op(value) else {
            return Err(Reason::Condition);
        };
        match ir::name(op) {
            arith::CONSTANT => {
                let constant = ir::attribute(op, "value").and_then(attr::integer);
                let constant = constant.ok_or(Reason::Condition)? != 0;
                Ok(if constant == is_true {
                    vec![Vec::new()]
                } else {
                    Vec::new()
                })
            }
            arith::CMPI => self.comparison(op, is_true),
            name @ (arith::ANDI | arith::ORI) => {
                let a = self.condition(operand(op, 0), is_true)?;
                let b = self.condition(operand(op, 1), is_true)?;
                match (name == arith::ANDI) == is_true {
                    true => both(&a, &b),
                    // The alternatives may overlap, which is no harm: a conflict in one of them is one.
                    false => Ok([a, b].concat()),
                }
            }
            _ => Err(Reason::Condition),
        }
    }

    fn comparison(&mut self, op: Op<'_>, is_true: bool) -> Result<Vec<Conditions>, Reason> {
        let predicate = ir::attribute(op, "predicate").and_then(attr::integer);
        let operands = self.all([operand(op, 0), operand(op, 1)].into_iter())?;
        let mut all = Vec::new();
        for Piece { when, value } in operands {
            let (lhs, rhs) = (&value[0], &value[1]);
            let code = predicate.ok_or(Reason::Condition)?;
            // Orders without signs are those with signs of numbers that are not negative.
            if code >= 6 && !(self.is_natural(lhs) && self.is_natural(rhs)) {
                return Err(Reason::Condition);
            }
            let at_most = |a: &Expr, b: &Expr| Constraint::NonNegative(b.minus(a));
            let below = |a: &Expr, b: &Expr| at_most(&a.plus(&1.into()), b);
            // The numbers of `arith::CmpIPredicate`.
            let (holds, is_negated) = match code {
                0 => (Constraint::equal(lhs, rhs), false),
                1 => (Constraint::equal(lhs, rhs), true),
                2 | 6 => (below(lhs, rhs), false),
                3 | 7 => (at_most(lhs, rhs), false),
                4 | 8 => (below(rhs, lhs), false),
                5 | 9 => (at_most(rhs, lhs), false),
                _ => return Err(Reason::Condition),
            };
            let alternatives = match is_negated != is_true {
                true => vec![holds],
                false => negated(&holds),
            };
            let conditions = alternatives
                .into_iter()
                .map(|it| [&when[..], &[it]].concat());
            all.extend(conditions);
        }
        Ok(all)
    }
}

/// Returns whether a type is an integer of fewer than 32 bits.
fn is_narrow(ty: Type<'_>) -> bool {
    IntegerType::try_from(ty).is_ok_and(|ty| ty.width() < 32)
}

fn operand<'p>(op: Op<'p>, number: usize) -> Val<'p> {
    ir::operand(op, number).expect("the verifier of the operation has counted its operands")
}

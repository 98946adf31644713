//! Relations of the solver from index expressions: variables become columns, quotients and remainders existentials.

use rustc_hash::FxHashMap;
use spyre_isl::{Basic, Context, Div, Failure, Relation, Shape};

use crate::claim::Reason;
use crate::expr::{Atom, Expr, Var};
use crate::ids::ParamId;

/// A condition on index expressions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Constraint {
    /// The expression is zero.
    Zero(Expr),
    /// The expression is zero or positive.
    NonNegative(Expr),
}

impl Constraint {
    /// Returns the condition that two expressions are equal.
    #[must_use]
    pub fn equal(a: &Expr, b: &Expr) -> Self {
        Self::Zero(a.minus(b))
    }

    /// Returns the conditions `0 <= expr < extent`.
    #[must_use]
    pub fn inside(expr: &Expr, extent: &Expr) -> [Self; 2] {
        [
            Self::NonNegative(expr.clone()),
            Self::NonNegative(extent.minus(expr).plus(&(-1).into())),
        ]
    }

    /// Returns the expression that is compared with zero.
    #[must_use]
    pub fn expr(&self) -> &Expr {
        match self {
            Self::Zero(expr) | Self::NonNegative(expr) => expr,
        }
    }

    /// Returns the condition with another expression.
    #[must_use]
    pub fn map(&self, function: impl FnOnce(&Expr) -> Expr) -> Self {
        match self {
            Self::Zero(expr) => Self::Zero(function(expr)),
            Self::NonNegative(expr) => Self::NonNegative(function(expr)),
        }
    }

    /// Returns whether the condition holds; `None` if a variable has no value.
    #[must_use]
    pub fn holds(&self, of: &impl Fn(Var) -> Option<i64>) -> Option<bool> {
        Some(match self {
            Self::Zero(expr) => expr.eval(of)? == 0,
            Self::NonNegative(expr) => expr.eval(of)? >= 0,
        })
    }
}

/// Returns the answer of the solver, or the reason that there is none.
///
/// # Errors
/// [`Reason::Budget`], with its number, and [`Reason::TooLarge`] for a number beyond 64 bits.
///
/// # Panics
/// The solver failed for another reason: rows that do not fit their shape, which [`Columns`] excludes, or no memory.
pub fn decided<T>(answer: Result<T, Failure>, budget: u64) -> Result<T, Reason> {
    answer.map_err(|failure| match failure {
        Failure::Budget => Reason::Budget(budget),
        other => other.into(),
    })
}

impl From<Failure> for Reason {
    /// Returns the reason that the solver has no answer. The failure does not know the budget, so its number is that of
    /// [`decided`].
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Budget => Self::Budget(0),
            Failure::TooLarge(_) => Self::TooLarge,
            Failure::Internal(message) => panic!("internal error: isl: {message}"),
        }
    }
}

/// The variables of a relation: its columns without the constant and the existentials.
#[derive(Clone, Debug)]
pub struct Columns {
    shape: Shape,
    of: FxHashMap<Var, Column>,
    locals: usize,
}

/// A column of a row, but for the constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Column {
    /// A parameter, input or output.
    Dim(usize),
    /// A quotient.
    Div(usize),
    /// An existential that is no quotient.
    Local(usize),
}

impl Columns {
    /// Columns of a relation from `ins` to `outs` in a program with `params` dynamic extents. `locals` exist: the
    /// relation holds where they have some value.
    ///
    /// # Panics
    /// A variable has two columns.
    #[must_use]
    pub fn new(params: usize, ins: &[Var], outs: &[Var], locals: &[Var]) -> Self {
        let mut of = FxHashMap::default();
        let params_vars = (0..params).map(|at| Var::Param(ParamId::new(at)));
        let dims = params_vars.chain(ins.iter().chain(outs).copied());
        let dims = dims.enumerate().map(|(at, var)| (var, Column::Dim(at)));
        let locals_columns = locals.iter().enumerate();
        let locals_columns = locals_columns.map(|(at, var)| (*var, Column::Local(at)));
        for (var, column) in dims.chain(locals_columns) {
            let earlier = of.insert(var, column);
            assert!(earlier.is_none(), "{var} has two columns");
        }
        Self {
            shape: Shape {
                params,
                ins: ins.len(),
                outs: outs.len(),
            },
            of,
            locals: locals.len(),
        }
    }

    /// Returns the relation of the points for which all conditions hold.
    ///
    /// # Errors
    /// A number is too large, or the solver has no answer within `budget`.
    ///
    /// # Panics
    /// A condition has a variable without a column.
    pub fn relation(
        &self,
        context: &Context,
        constraints: &[Constraint],
        budget: u64,
    ) -> Result<Relation, Reason> {
        decided(
            Relation::from_basic(context, &self.basic(constraints)?),
            budget,
        )
    }

    /// Returns the conditions as rows.
    ///
    /// # Errors
    /// A number is too large.
    ///
    /// # Panics
    /// A condition has a variable without a column.
    pub fn basic(&self, constraints: &[Constraint]) -> Result<Basic, Reason> {
        let mut quotients = Quotients {
            columns: self,
            sums: Vec::new(),
            places: FxHashMap::default(),
        };
        let sums: Vec<_> = constraints
            .iter()
            .map(|constraint| quotients.sum(constraint.expr()))
            .collect::<Result<_, _>>()?;
        let divs = quotients.sums;
        let (mut equalities, mut inequalities) = (Vec::new(), Vec::new());
        for (constraint, sum) in constraints.iter().zip(&sums) {
            let row = self.row(sum, divs.len());
            match constraint {
                Constraint::Zero(_) => equalities.push(row),
                Constraint::NonNegative(_) => inequalities.push(row),
            }
        }
        let rows = divs.iter().map(|(sum, denominator)| Div {
            numerator: self.row(sum, divs.len()),
            denominator: *denominator,
        });
        Ok(Basic {
            shape: self.shape,
            divs: rows.collect(),
            locals: self.locals,
            equalities,
            inequalities,
        })
    }

    /// Returns a sum as a row: the constant, parameters, inputs, outputs, quotients, other existentials.
    fn row(&self, sum: &Sum, divs: usize) -> Vec<i64> {
        let dims = self.shape.params + self.shape.ins + self.shape.outs;
        let mut row = vec![0; 1 + dims + divs + self.locals];
        row[0] = sum.constant;
        for (column, factor) in &sum.terms {
            let at = match column {
                Column::Dim(at) => 1 + at,
                Column::Div(at) => 1 + dims + at,
                Column::Local(at) => 1 + dims + divs + at,
            };
            row[at] = *factor;
        }
        row
    }
}

/// A linear form over columns, each at most once.
#[derive(Clone, Debug, Default)]
struct Sum {
    constant: i64,
    terms: Vec<(Column, i64)>,
}

impl Sum {
    fn add(&mut self, column: Column, factor: i64) -> Result<(), Reason> {
        match self.terms.iter_mut().find(|(at, _)| *at == column) {
            Some((_, sum)) => *sum = sum.checked_add(factor).ok_or(Reason::TooLarge)?,
            None => self.terms.push((column, factor)),
        }
        Ok(())
    }
}

/// The quotients of some conditions, each once, in an order in which one depends on those before it.
struct Quotients<'c> {
    columns: &'c Columns,
    sums: Vec<(Sum, i64)>,
    places: FxHashMap<(Expr, i64), usize>,
}

impl Quotients<'_> {
    fn sum(&mut self, expr: &Expr) -> Result<Sum, Reason> {
        let mut sum = Sum {
            constant: expr.constant(),
            terms: Vec::new(),
        };
        for (atom, factor) in expr.terms() {
            match atom {
                Atom::Var(var) => {
                    let column = self.columns.of.get(var);
                    let column = column.unwrap_or_else(|| panic!("{var} has no column"));
                    sum.add(*column, *factor)?;
                }
                Atom::Floor(inner, divisor) => {
                    let quotient = self.quotient(inner, *divisor)?;
                    sum.add(Column::Div(quotient), *factor)?;
                }
                Atom::Mod(inner, divisor) => {
                    self.add_remainder(&mut sum, inner, *divisor, *factor)?
                }
                Atom::TooLarge => return Err(Reason::TooLarge),
            }
        }
        Ok(sum)
    }

    /// Adds `factor * (inner mod divisor)`, which is `factor * (inner - divisor * floor(inner / divisor))`.
    fn add_remainder(
        &mut self,
        sum: &mut Sum,
        inner: &Expr,
        divisor: i64,
        factor: i64,
    ) -> Result<(), Reason> {
        let times = |a: i64, b: i64| a.checked_mul(b).ok_or(Reason::TooLarge);
        let quotient = self.quotient(inner, divisor)?;
        let inner = self.sum(inner)?;
        let constant = times(inner.constant, factor)?;
        sum.constant = sum.constant.checked_add(constant).ok_or(Reason::TooLarge)?;
        for (column, by) in inner.terms {
            sum.add(column, times(by, factor)?)?;
        }
        sum.add(
            Column::Div(quotient),
            times(divisor, factor)?.saturating_neg(),
        )
    }

    fn quotient(&mut self, inner: &Expr, divisor: i64) -> Result<usize, Reason> {
        if let Some(at) = self.places.get(&(inner.clone(), divisor)) {
            return Ok(*at);
        }
        let sum = self.sum(inner)?;
        let at = self.sums.len();
        self.sums.push((sum, divisor));
        self.places.insert((inner.clone(), divisor), at);
        Ok(at)
    }
}

//! Decides that an index expression is zero for all instances of an operation.

use rustc_hash::FxHashMap;
use spyre_isl::Context;

use crate::claim::{By, Reason};
use crate::expr::{Expr, Ranges, Var};
use crate::program::{LoopId, ParamId, Program, Statement};
use crate::sets::{Columns, Constraint, decided};

/// The instances of an operation: iterations, cores, points of the iteration space, positions that indices select.
pub(super) struct Domain {
    pub vars: Vec<Var>,
    pub conditions: Vec<Constraint>,
    pub ranges: Ranges,
    params: usize,
}

/// The answer for one expression.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    /// It is zero.
    Zero(By),
    /// It is not, for these values.
    NotZero(Values),
    /// There is no answer.
    Unknown(Reason),
}

/// Values of variables.
pub(super) type Values = FxHashMap<Var, i64>;

impl Domain {
    /// Returns the instances of an operation. `gathered` has the extent of the dimension that indices select from.
    pub(super) fn of(
        program: &Program,
        statement: &Statement,
        gathered: Option<(Var, i64)>,
    ) -> Result<Self, Reason> {
        let (_, parts) = program.parts(statement)?;
        let mut vars = Program::counters(&statement.loops);
        vars.push(Var::Core);
        vars.extend(
            (0..statement.space.len())
                .map(|at| Var::Point(u32::try_from(at).expect("few dimensions"))),
        );
        let mut conditions = program.param_conditions();
        conditions.extend(
            statement
                .loops
                .iter()
                .flat_map(|id| program.counter_conditions(*id)),
        );
        conditions.extend(program.point_conditions(statement));
        conditions.extend(parts);
        let mut ranges = program.ranges(&statement.loops, Some(statement));
        if let Some((var, extent)) = gathered {
            vars.push(var);
            conditions.extend(Constraint::inside(&var.into(), &extent.into()));
            ranges.set(var, 0, (extent - 1).max(0));
        }
        Ok(Self {
            vars,
            conditions,
            ranges,
            params: program.params.len(),
        })
    }

    /// Returns instances with other positions along one variable, of whose values the conditions of these are not
    /// asked.
    pub(super) fn with(&self, var: Var, least: i64, greatest: i64) -> Self {
        let conditions = self.conditions.iter();
        let others = conditions.filter(|condition| !condition.expr().vars().contains(&var));
        let mut conditions: Vec<Constraint> = others.cloned().collect();
        let position = Expr::from(var).plus_times(&least.into(), -1);
        conditions.extend(Constraint::inside(
            &position,
            &(greatest - least + 1).into(),
        ));
        let mut ranges = self.ranges.clone();
        ranges.set(var, least, greatest);
        let mut vars = self.vars.clone();
        if !vars.contains(&var) {
            vars.push(var);
        }
        Self {
            vars,
            conditions,
            ranges,
            params: self.params,
        }
    }

    fn on_all(&self) -> Self {
        Self {
            vars: self.vars.clone(),
            conditions: self.conditions.clone(),
            ranges: self.ranges.clone(),
            params: self.params,
        }
    }

    /// Returns the instances on one core.
    pub(super) fn on_core(&self, core: i64) -> Self {
        let mut conditions = self.conditions.clone();
        conditions.push(Constraint::equal(&Var::Core.into(), &core.into()));
        let mut ranges = self.ranges.clone();
        ranges.set(Var::Core, core, core);
        Self {
            vars: self.vars.clone(),
            conditions,
            ranges,
            params: self.params,
        }
    }

    /// Returns the instance with the first values of all variables, if it is one.
    fn first(&self) -> Option<Values> {
        let least = |var: Var| Some((var, self.ranges.of(var)?.0));
        let mut values: Values = self.vars.iter().filter_map(|var| least(*var)).collect();
        values.extend((0..self.params).map(|at| (Var::Param(ParamId::new(at)), 1)));
        let of = |var: Var| values.get(&var).copied();
        let holds = self
            .conditions
            .iter()
            .all(|condition| condition.holds(&of) == Some(true));
        holds.then_some(values)
    }
}

/// Decides, and keeps the answers.
pub(super) struct Decider<'c> {
    context: &'c Context,
    /// Expressions that are zero under conditions, with counters numbered from the outermost loop.
    zeros: FxHashMap<(Vec<Constraint>, Expr), Outcome>,
}

impl<'c> Decider<'c> {
    pub(super) fn new(context: &'c Context) -> Self {
        Self {
            context,
            zeros: FxHashMap::default(),
        }
    }

    /// Decides that an expression is not negative on any instance: the smallest of it and zero is zero.
    pub(super) fn is_not_negative(&mut self, domain: &Domain, expr: &Expr) -> Outcome {
        let expr = expr.simplified(&domain.ranges);
        match expr.range(&domain.ranges) {
            Some((0.., _)) => Outcome::Zero(By::Form),
            _ if expr.is_too_large() => Outcome::Unknown(Reason::TooLarge),
            _ => {
                // A second condition, that it is negative, leaves the instances where the claim fails.
                let mut negative = domain.on_all();
                negative
                    .conditions
                    .push(Constraint::NonNegative(expr.times(-1).plus(&(-1).into())));
                self.solved(&negative, &expr)
            }
        }
    }

    /// Decides that an expression is zero on all instances.
    pub(super) fn is_zero(&mut self, domain: &Domain, expr: &Expr) -> Outcome {
        let expr = expr.simplified(&domain.ranges);
        if expr.as_constant() == Some(0) {
            return Outcome::Zero(By::Form);
        }
        if expr.is_too_large() {
            return Outcome::Unknown(Reason::TooLarge);
        }
        if let Some(first) = domain.first()
            && expr
                .eval(&|var| first.get(&var).copied())
                .is_some_and(|value| value != 0)
        {
            return Outcome::NotZero(first);
        }
        self.solved(domain, &expr)
    }

    fn solved(&mut self, domain: &Domain, expr: &Expr) -> Outcome {
        // Equal layers differ in the numbers of their loops alone.
        let vars: Vec<Var> = domain
            .vars
            .iter()
            .enumerate()
            .map(|(at, var)| renumbered(*var, at))
            .collect();
        let names: FxHashMap<Var, Var> = domain
            .vars
            .iter()
            .copied()
            .zip(vars.iter().copied())
            .collect();
        let of = |var: Var| names.get(&var).copied().map(Expr::from);
        let conditions = domain.conditions.iter();
        let conditions: Vec<Constraint> = conditions
            .map(|condition| condition.map(|expr| expr.substituted(&of)))
            .collect();
        let key = (conditions, expr.substituted(&of));
        let outcome = match self.zeros.get(&key) {
            Some(Outcome::Zero(_)) => Outcome::Zero(By::Cache),
            Some(outcome) => outcome.clone(),
            None => {
                let outcome = self.sampled(domain.params, &vars, &key.0, &key.1);
                let outcome = outcome.unwrap_or_else(Outcome::Unknown);
                self.zeros.insert(key, outcome.clone());
                outcome
            }
        };
        let Outcome::NotZero(values) = outcome else {
            return outcome;
        };
        let old: FxHashMap<Var, Var> = names.into_iter().map(|(old, new)| (new, old)).collect();
        let values = values
            .into_iter()
            .map(|(var, value)| (old.get(&var).copied().unwrap_or(var), value));
        let values: Values = values.collect();
        let value = expr.eval(&|var| values.get(&var).copied());
        assert!(
            value.is_some_and(|value| value != 0),
            "a witness for {expr} has the value {value:?}"
        );
        Outcome::NotZero(values)
    }

    fn sampled(
        &self,
        params: usize,
        vars: &[Var],
        conditions: &[Constraint],
        expr: &Expr,
    ) -> Result<Outcome, Reason> {
        self.context.reset();
        let budget = self.context.budget();
        let columns = Columns::new(params, &[], vars, &[]);
        let mut points = Vec::new();
        for sign in [1, -1] {
            let mut conditions = conditions.to_vec();
            conditions.push(Constraint::NonNegative(expr.times(sign).plus(&(-1).into())));
            let set = columns.relation(self.context, &conditions, budget)?;
            points.extend(decided(set.sample(), budget)?);
        }
        let smallest = points
            .into_iter()
            .min_by_key(|point| (point.params.clone(), point.outs.clone()));
        let Some(point) = smallest else {
            return Ok(Outcome::Zero(By::Solver));
        };
        let params = point
            .params
            .into_iter()
            .enumerate()
            .map(|(at, value)| (Var::Param(ParamId::new(at)), value));
        let values = vars.iter().copied().zip(point.outs).chain(params);
        Ok(Outcome::NotZero(values.collect()))
    }
}

fn renumbered(var: Var, at: usize) -> Var {
    match var {
        Var::Counter(_) => Var::Counter(LoopId::new(at)),
        other => other,
    }
}

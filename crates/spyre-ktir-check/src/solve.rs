//! Questions to the solver: is there a core, an iteration and an element for which all conditions hold?
//!
//! Ranges answer first: a condition that no values within the ranges of variables fulfil needs no solver. Otherwise the
//! solver returns the smallest values, which are the witness of a claim that does not hold.

use rustc_hash::FxHashMap;
use spyre_isl::{Context, Relation};
use spyre_proof::claim::{By, Reason, Verdict, Witness};
use spyre_proof::expr::{Expr, Ranges, SecondVar, Var};
use spyre_proof::program::LoopId;
use spyre_proof::sets::{Columns, Constraint, decided};

/// The operations of the solver that one decision may take.
const BUDGET: u64 = 2_000_000;

/// The values of variables.
pub(crate) type Values = FxHashMap<Var, i64>;

/// Returns the state of a solver, for kernels that are compared with each other.
pub(crate) fn context() -> Context {
    Context::new(BUDGET)
}

/// Returns the range of a variable, of which a second copy has that of the first.
fn range(ranges: &Ranges, var: Var) -> Option<(i64, i64)> {
    ranges.of(match var {
        Var::Second(SecondVar::Core) => Var::Core,
        Var::Second(SecondVar::Counter(at)) => Var::Counter(at),
        var => var,
    })
}

/// A set of elements, with the ranges of its variables.
#[derive(Clone)]
pub(crate) struct Cover<'a> {
    pub conditions: Vec<Constraint>,
    pub ranges: &'a Ranges,
}

/// The solver, and the ranges of variables.
pub(crate) struct Solver {
    context: Context,
    pub ranges: Ranges,
}

impl Solver {
    pub(crate) fn new(context: &Context, ranges: Ranges) -> Self {
        Self {
            context: context.clone(),
            ranges,
        }
    }

    /// Returns the range of a variable.
    fn range(&self, var: Var) -> Option<(i64, i64)> {
        range(&self.ranges, var)
    }

    /// Returns the solver with ranges of further variables.
    fn ranges_of(&self, constraints: &[Constraint]) -> Ranges {
        let mut ranges = Ranges::default();
        for var in vars(constraints) {
            if let Some((least, greatest)) = self.range(var) {
                ranges.set(var, least, greatest);
            }
        }
        for (var, least, greatest) in crate::tiles::bounds(constraints) {
            let (low, high) = ranges.of(var).unwrap_or((i64::MIN, i64::MAX));
            ranges.set(var, low.max(least), high.min(greatest));
        }
        ranges
    }

    /// Returns values for which all conditions hold, and whether the solver was asked. The first of `order` are the
    /// smallest ones.
    ///
    /// # Errors
    /// The budget of the solver, and numbers above 2^62.
    pub(crate) fn values(
        &self,
        constraints: &[Constraint],
        order: &[Var],
    ) -> Result<(Option<Values>, By), Reason> {
        let ranges = self.ranges_of(constraints);
        let simple: Vec<Constraint> = constraints
            .iter()
            .map(|constraint| constraint.map(|expr| expr.simplified(&ranges)))
            .collect();
        if simple
            .iter()
            .any(|constraint| is_false(constraint, &ranges))
        {
            return Ok((None, By::Form));
        }
        let mut outs = vars(constraints);
        // The smallest extents first, then the order of the caller.
        outs.sort_by_key(|var| {
            let place = order.iter().position(|it| it == var);
            (
                !matches!(var, Var::Param(_)),
                place.unwrap_or(usize::MAX),
                *var,
            )
        });
        // Variables with one value are numbers in the simple conditions.
        let fixed: Vec<Var> = vars(constraints);
        let mut all = simple;
        for var in &fixed {
            if let Some((least, greatest)) = ranges.of(*var) {
                all.extend(between(*var, least, greatest));
            }
        }
        let relation = self.relation(&outs, &[], &all)?;
        let sample = decided(relation.sample(), BUDGET)?;
        let values = sample.map(|point| outs.iter().copied().zip(point.outs).collect());
        Ok((values, By::Solver))
    }

    /// Returns the set of the values of `outs` for which there are values of `locals` so that all conditions hold.
    ///
    /// # Errors
    /// The budget of the solver, and numbers above 2^62.
    pub(crate) fn relation(
        &self,
        outs: &[Var],
        locals: &[Var],
        constraints: &[Constraint],
    ) -> Result<Relation, Reason> {
        self.context.reset();
        // Quotients have columns before those of existentials, and may be of any variable: all are outputs at first.
        let columns = Columns::new(0, &[], &[outs, locals].concat(), &[]);
        let relation = columns.relation(&self.context, constraints, BUDGET)?;
        decided(relation.project_out_outs(outs.len(), locals.len()), BUDGET)
    }

    /// Returns the conditions that the ranges of variables are.
    pub(crate) fn range_conditions(&self, variables: &[Var]) -> Vec<Constraint> {
        let ranges = variables
            .iter()
            .filter_map(|var| self.range(*var).map(|range| (*var, range)));
        ranges
            .flat_map(|(var, (least, greatest))| between(var, least, greatest))
            .collect()
    }

    /// Returns values of `outs` that `set` has and no one of `covers`, each of which has other variables as well.
    ///
    /// # Errors
    /// The budget of the solver, and numbers above 2^62.
    pub(crate) fn uncovered(
        &self,
        outs: &[Var],
        set: &[Constraint],
        covers: &[Vec<Constraint>],
    ) -> Result<Option<Values>, Reason> {
        let covers = covers.iter().map(|conditions| Cover {
            conditions: conditions.clone(),
            ranges: &self.ranges,
        });
        self.uncovered_by(outs, set, covers)
    }

    /// Returns values of `outs` that `set` has and no one of `covers`, which may be of other kernels.
    ///
    /// # Errors
    /// The budget of the solver, and numbers above 2^62.
    pub(crate) fn uncovered_by<'c>(
        &self,
        outs: &[Var],
        set: &[Constraint],
        covers: impl Iterator<Item = Cover<'c>>,
    ) -> Result<Option<Values>, Reason> {
        let mut set = set.to_vec();
        let mut others = vars(&set);
        others.retain(|var| !outs.contains(var));
        set.extend(self.range_conditions(&others));
        let mut rest = self.relation(outs, &others, &set)?;
        let mut sample = decided(rest.sample(), BUDGET)?;
        for Cover { conditions, ranges } in covers {
            if sample.is_none() {
                return Ok(None);
            }
            let mut locals = vars(&conditions);
            locals.retain(|var| !outs.contains(var));
            let within = locals
                .iter()
                .filter_map(|var| Some((*var, range(ranges, *var)?)));
            let within = within.flat_map(|(var, (least, greatest))| between(var, least, greatest));
            let conditions: Vec<Constraint> = conditions.iter().cloned().chain(within).collect();
            let cover = self.relation(outs, &locals, &conditions)?;
            rest = decided(rest.subtract(&cover), BUDGET)?;
            sample = decided(rest.sample(), BUDGET)?;
        }
        Ok(sample.map(|point| outs.iter().copied().zip(point.outs).collect()))
    }

    /// Returns the answer to the claim that there are no values for which all conditions hold.
    pub(crate) fn never(
        &self,
        constraints: &[Constraint],
        order: &[Var],
        witness: impl FnOnce(&Values) -> Witness,
    ) -> Verdict {
        match self.values(constraints, order) {
            Ok((None, by)) => Verdict::Proved(by),
            Ok((Some(values), _)) => Verdict::Refuted(Box::new(witness(&values))),
            Err(reason) => Verdict::Unknown(reason),
        }
    }
}

fn between(var: Var, least: i64, greatest: i64) -> [Constraint; 2] {
    [
        Constraint::NonNegative(Expr::from(var).plus(&Expr::from(least).times(-1))),
        Constraint::NonNegative(Expr::from(greatest).minus(&var.into())),
    ]
}

/// Returns whether a condition holds for no values within ranges.
fn is_false(constraint: &Constraint, ranges: &Ranges) -> bool {
    let range = constraint.expr().range(ranges);
    range.is_some_and(|(least, greatest)| match constraint {
        Constraint::Zero(_) => least > 0 || greatest < 0,
        Constraint::NonNegative(_) => greatest < 0,
    })
}

/// Returns the variables of conditions, sorted.
pub(crate) fn vars(constraints: &[Constraint]) -> Vec<Var> {
    let mut all: Vec<_> = constraints
        .iter()
        .flat_map(|constraint| constraint.expr().vars())
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns the values of extents, loops, a core and a point as a witness.
pub(crate) fn witness(
    values: &Values,
    loops: &[LoopId],
    point: &[Var],
    message: String,
) -> Witness {
    let of = |var: Var| values.get(&var).copied();
    let mut params: Vec<_> = values
        .iter()
        .filter(|(var, _)| matches!(var, Var::Param(_)))
        .collect();
    params.sort_unstable();
    let counters = loops
        .iter()
        .map(|id| (*id, of(Var::Counter(*id)).unwrap_or(0)));
    Witness {
        counters: counters.collect(),
        params: params.into_iter().map(|(_, value)| *value).collect(),
        core: Some(of(Var::Core).unwrap_or(0)),
        point: point.iter().map(|var| of(*var).unwrap_or(0)).collect(),
        message,
        notes: Vec::new(),
        before: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solver(cores: i64, trips: i64) -> Solver {
        let mut ranges = Ranges::default();
        ranges.set(Var::Core, 0, cores - 1);
        ranges.set(counter(), 0, trips - 1);
        Solver::new(&context(), ranges)
    }

    fn counter() -> Var {
        Var::Counter(LoopId::new(0))
    }

    #[test]
    fn a_witness_is_the_first_core_and_iteration() {
        // Rows 16 * core + 4 * iteration and below, of 60.
        let row = Expr::from(Var::Core).times(16);
        let row = row.plus_times(&counter().into(), 4).plus(&3.into());
        let outside = [Constraint::NonNegative(row.plus(&(-60).into()))];
        let order = [Var::Core, counter()];
        let (values, by) = solver(4, 4)
            .values(&outside, &order)
            .expect("within the budget");
        let values = values.expect("the last rows are outside");
        assert_eq!((values[&Var::Core], values[&counter()]), (3, 3));
        assert_eq!(by, By::Solver);
        let (values, by) = solver(4, 3)
            .values(&outside, &order)
            .expect("within the budget");
        assert_eq!((values, by), (None, By::Form), "ranges decide");
    }

    #[test]
    fn elements_that_no_core_has_are_found_below_quotients_of_cores() {
        // Cores 2 * i and 2 * i + 1 have element i.
        let element = Var::Element(0);
        let half = Expr::from(Var::Core).floor_div(2);
        let cover = [vec![Constraint::equal(&half, &element.into())]];
        let all = |size: i64| Constraint::inside(&element.into(), &size.into());
        let solver = solver(4, 1);
        let missing = solver
            .uncovered(&[element], &all(2), &cover)
            .expect("within the budget");
        assert_eq!(missing, None);
        let missing = solver
            .uncovered(&[element], &all(3), &cover)
            .expect("within the budget");
        assert_eq!(missing.map(|values| values[&element]), Some(2));
    }
}

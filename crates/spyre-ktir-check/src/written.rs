//! Loads of memory that the program stores.
//!
//! Memory of intermediates has no values before a launch, so each element that a core loads has been stored: by any core
//! in an earlier launch, or by the same core, in an earlier iteration or before in the text. An output that a program
//! loads in this way is memory of an intermediate, too, until its last store.

use spyre_proof::claim::{By, Reason, Verdict};
use spyre_proof::expr::{Expr, Var};
use spyre_proof::program::{LoopId, ParamId};
use spyre_proof::sets::Constraint;

use crate::check::{Check, at, buffer_name, instance, list};
use crate::index::Conditions;
use crate::kernel::{Buffer, Case, Kernel, Kind};
use crate::memory::{Placed, coordinates, elements, inside, placed};
use crate::report::Finding;
use crate::rules::WRITTEN;
use crate::solve::{Cover, Values};

impl<'a, 'p> Check<'a, 'p> {
    /// Checks that loads of pools are after stores.
    pub(crate) fn pools_written(&mut self, all: &[Placed<'a, 'p>]) {
        let is_complete = all.len() == self.kernel.accesses.len();
        for (number, load) in all.iter().enumerate() {
            let Buffer::Argument(argument) = load.layout.buffer else {
                continue;
            };
            if load.access.kind == Kind::Store || !self.is_pool(argument) {
                continue;
            }
            let finding = Finding::new(WRITTEN, at(load.access.op), "");
            let verdict = match self.unwritten(all, number) {
                Ok(None) => Verdict::Proved(By::Solver),
                Ok(Some(_)) if !is_complete => {
                    let reason = "a store at a place that is not known";
                    Verdict::Unknown(Reason::Elsewhere(reason.to_owned()))
                }
                Ok(Some(values)) => {
                    let vars = elements(load.layout.sizes.len());
                    let message = format!(
                        "{} loads element {} of the view of {}, and nothing has stored it",
                        instance(&values, &load.access.loops, false),
                        list(&values, &vars),
                        buffer_name(load.layout.buffer)
                    );
                    let loops = &load.access.loops;
                    Verdict::Refuted(Box::new(self.witness(&values, loops, &vars, message)))
                }
                Err(reason) => Verdict::Unknown(reason),
            };
            self.report.decide(finding, verdict);
        }
    }

    /// Returns a core, an iteration and an element of a load that no earlier store has.
    ///
    /// # Errors
    /// What is not affine, and the budget of the solver.
    pub(crate) fn unwritten(
        &self,
        all: &[Placed<'a, 'p>],
        number: usize,
    ) -> Result<Option<Values>, Reason> {
        let load = all[number];
        let used = self.used_cases(load);
        let cases = used.as_deref().unwrap_or(load.cases);
        let rank = load.layout.sizes.len();
        let vars = elements(rank);
        let params = (0..self.kernel.params.len()).map(|at| Var::Param(ParamId::new(at)));
        let counters = load.access.loops.iter().map(|id| Var::Counter(*id));
        let mut outs: Vec<Var> = params.chain([Var::Core]).chain(counters).collect();
        outs.extend(&vars);
        for case in cases {
            if case.coords.contains(&None) {
                return Err(Reason::Arrangement("indices in memory".to_owned()));
            }
            for start in &load.layout.offset {
                let ranges = self.solver.range_conditions(&outs);
                let set = [
                    &ranges[..],
                    &coordinates(case, &vars),
                    &inside(&vars, &load.layout.sizes),
                    &start.when,
                ]
                .concat();
                let address = start.value.plus(&distance(load, &vars)?);
                let covers = self.earlier_stores(all, number, &address)?;
                let missing = self.solver.uncovered_by(&outs, &set, covers.into_iter())?;
                if missing.is_some() {
                    return Ok(missing);
                }
            }
        }
        Ok(None)
    }

    /// Returns the stores before a load, as sets of the cores, iterations and elements of the load at `address`, the
    /// nearest ones first.
    fn earlier_stores(
        &self,
        all: &[Placed<'a, 'p>],
        number: usize,
        address: &Expr,
    ) -> Result<Vec<Cover<'a>>, Reason> {
        let load = all[number];
        let mut covers = Vec::new();
        let kernel: &'a Kernel<'p> = self.kernel;
        for (at, store) in all.iter().enumerate().rev() {
            if !is_store_of(*store, load) || self.is_apart(*store, kernel, load) {
                continue;
            }
            for (same, order) in orders((*store, at), (load, number)) {
                let rename = |expr: &Expr| renamed(expr, &store.access.loops[..same], true);
                for conditions in sets(*store, address, &rename)? {
                    covers.push(Cover {
                        conditions: [conditions, order.clone()].concat(),
                        ranges: &kernel.indices.ranges,
                    });
                }
            }
        }
        for kernel in self.program[..self.number].iter().rev() {
            let stores = kernel
                .accesses
                .iter()
                .filter_map(|access| placed(kernel, access).ok());
            for store in stores {
                if !is_store_of(store, load) || self.is_apart(store, kernel, load) {
                    continue;
                }
                let rename = |expr: &Expr| renamed(expr, &[], false);
                for conditions in sets(store, address, &rename)? {
                    covers.push(Cover {
                        conditions,
                        ranges: &kernel.indices.ranges,
                    });
                }
            }
        }
        Ok(covers)
    }

    /// Returns whether the ranges of addresses are apart.
    fn is_apart(&self, store: Placed<'_, 'p>, kernel: &Kernel<'p>, load: Placed<'_, 'p>) -> bool {
        match (interval(store, kernel), interval(load, self.kernel)) {
            (Some((first, last)), Some((low, high))) => last < low || high < first,
            _ => false,
        }
    }
}

/// Returns the first and the last address of a view in all iterations.
fn interval(placed: Placed<'_, '_>, kernel: &Kernel<'_>) -> Option<(i64, i64)> {
    let ranges = &kernel.indices.ranges;
    let range = |expr: &Expr| expr.simplified(ranges).range(ranges);
    let span = placed.layout.span().ok()?;
    let mut all: Option<(i64, i64)> = None;
    for start in &placed.layout.offset {
        let (first, _) = range(&start.value)?;
        let (_, last) = range(&start.value.plus(&span))?;
        all = Some(all.map_or((first, last), |(low, high)| {
            (low.min(first), high.max(last))
        }));
    }
    all
}

fn is_store_of(store: Placed<'_, '_>, load: Placed<'_, '_>) -> bool {
    store.access.kind == Kind::Store
        && store.layout.buffer == load.layout.buffer
        && store.layout.bytes == load.layout.bytes
}

/// Returns the distance of an element from the start of its view, in bytes.
fn distance(placed: Placed<'_, '_>, vars: &[Var]) -> Result<Expr, Reason> {
    let coords: Vec<_> = vars.iter().map(|var| Some((*var).into())).collect();
    placed.layout.distance(&coords)
}

/// Returns the ways in which an instance of a store is before one of a load on the same core: the number of loops in
/// which both are in one iteration, and conditions on the next one.
fn orders(
    (store, at): (Placed<'_, '_>, usize),
    (load, number): (Placed<'_, '_>, usize),
) -> Vec<(usize, Conditions)> {
    let loops = &store.access.loops;
    let pairs = loops.iter().zip(&load.access.loops);
    let common = pairs.take_while(|(a, b)| a == b).count();
    let mut orders = Vec::new();
    if at < number {
        orders.push((common, Vec::new()));
    }
    for level in (0..common).rev() {
        let counter = Var::Counter(loops[level]);
        let less = Expr::from(counter)
            .minus(&counter.second().into())
            .plus(&(-1).into());
        orders.push((level, vec![Constraint::NonNegative(less)]));
    }
    orders
}

/// Returns an expression of a store with the counters of `same` loops and, if so, the core of the load.
fn renamed(expr: &Expr, same: &[LoopId], is_same_core: bool) -> Expr {
    expr.substituted(&|var| match var {
        Var::Core if !is_same_core => Some(var.second().into()),
        Var::Counter(id) if !same.contains(&id) => Some(var.second().into()),
        Var::Element(at) => Some(Var::Out(at).into()),
        _ => None,
    })
}

/// Returns the conditions under which a store has the element at an address.
fn sets(
    store: Placed<'_, '_>,
    address: &Expr,
    rename: &dyn Fn(&Expr) -> Expr,
) -> Result<Vec<Conditions>, Reason> {
    let vars = elements(store.layout.sizes.len());
    let distance = distance(store, &vars)?;
    let mut sets = Vec::new();
    let exact = |case: &&Case| !case.coords.contains(&None);
    for case in store.cases.iter().filter(exact) {
        for start in &store.layout.offset {
            let conditions = [
                coordinates(case, &vars),
                inside(&vars, &store.layout.sizes),
                start.when.clone(),
            ]
            .concat();
            let mut set: Conditions = conditions.iter().map(|it| it.map(rename)).collect();
            let at = rename(&start.value.plus(&distance));
            set.push(Constraint::equal(&at, address));
            sets.push(set);
        }
    }
    Ok(sets)
}

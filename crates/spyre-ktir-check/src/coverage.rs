//! Claims about arguments: each is used, all elements of an output are stored, and all of an input loaded.
//!
//! The elements of all accesses through views with the same address, sizes and strides are united before they are
//! compared with the view. For a view with an address that depends on the core or on loops, the union is over all
//! values of these.

use spyre_mlir_rt::ir;
use spyre_proof::claim::{By, Reason, Verdict};
use spyre_proof::expr::{Expr, Var};
use spyre_proof::program::ParamId;
use spyre_proof::sets::Constraint;

use crate::Flavour;
use crate::check::{Check, at, list};
use crate::index::Conditions;
use crate::kernel::{Buffer, Kernel, Kind};
use crate::memory::{Placed, coordinates, elements, inside, is_same_place, placed};
use crate::report::Finding;
use crate::rules::{ARGUMENT, COVERED, LOADED, MULTIPLE, Rule};
use crate::solve::{Cover, Values};
use crate::upstream::is_of_heads;

impl<'a, 'p> Check<'a, 'p> {
    /// Checks that the elements of each argument are loaded or stored.
    pub(crate) fn arguments(&mut self, all: &[Placed<'a, 'p>], is_complete: bool) {
        let kernel: &'a Kernel<'p> = self.kernel;
        for number in
            0..ir::function_body(kernel.function).map_or(0, |body| ir::arguments(body).count())
        {
            let is_base = kernel.bases.contains(&number);
            let is_extent = kernel.params.iter().any(|(at, _)| *at == number);
            if !is_base && is_extent && self.is_used(number) || self.is_pool(number) {
                continue; // an extent, or memory of intermediates
            }
            let buffer = Buffer::Argument(number);
            let of = |kind: fn(Kind) -> bool| {
                let it = all
                    .iter()
                    .filter(|it| it.layout.buffer == buffer && kind(it.access.kind));
                it.copied().collect::<Vec<_>>()
            };
            let stores = of(|kind| kind == Kind::Store);
            let loads = of(|kind| kind != Kind::Store);
            match (&loads[..], &stores[..]) {
                ([], []) if is_complete && !self.is_launch() => {
                    let message = format!("argument {number} is neither loaded nor stored");
                    self.find(ARGUMENT, kernel.function, message);
                }
                ([], []) => {}
                // Statistics are at the heads of sticks, which are stored as a whole.
                (loads, [])
                    if self.flavour == Flavour::Upstream
                        && loads.iter().all(|it| is_of_heads(it.access.tile)) => {}
                (loads, []) => {
                    if !self.is_stored_in_a_launch(buffer) {
                        self.covered(LOADED, number, loads, is_complete);
                    }
                }
                ([], stores) => self.covered(COVERED, number, stores, is_complete),
                ([_, ..], stores @ [store, ..]) => {
                    if let Some(load) = self.overwritten(all, buffer) {
                        let message =
                            format!("argument {number} is stored here and loaded as well");
                        let finding = Finding::new(ARGUMENT, at(store.access.op), message);
                        self.report
                            .add(finding.note(at(load.access.op), "a load is here"));
                    }
                    self.covered(COVERED, number, stores, is_complete);
                }
            }
        }
    }

    /// Returns a load of an argument that may have what the argument has before the launch; `None` if each load is of what
    /// the kernel has stored, such as an accumulator.
    fn overwritten(&self, all: &[Placed<'a, 'p>], buffer: Buffer) -> Option<Placed<'a, 'p>> {
        let mut loads = all
            .iter()
            .enumerate()
            .filter(|(_, it)| it.layout.buffer == buffer && it.access.kind != Kind::Store);
        let load = loads.find(|(number, _)| !matches!(self.unwritten(all, *number), Ok(None)));
        load.map(|(_, load)| *load)
    }

    /// Returns whether a launch of the program stores to a buffer.
    fn is_stored_in_a_launch(&self, buffer: Buffer) -> bool {
        let mut stores = self.program.iter().flat_map(|kernel| {
            let accesses = kernel.accesses.iter().filter(|it| it.kind == Kind::Store);
            accesses.filter_map(move |access| placed(kernel, access).ok())
        });
        stores.any(|store| store.layout.buffer == buffer)
    }

    /// Returns the accesses of an argument by the other launches of the program, with their kernels.
    fn of_other_launches(
        &self,
        rule: Rule,
        number: usize,
    ) -> Vec<(&'a Kernel<'p>, Placed<'a, 'p>)> {
        let mut accesses = Vec::new();
        for (at, kernel) in self.program.iter().enumerate() {
            for access in kernel.accesses.iter().filter(|_| at != self.number) {
                let is_store = access.kind == Kind::Store;
                let Ok(placed) = placed(kernel, access) else {
                    continue; // a claim about the place of the access is not decided
                };
                if is_store == (rule == COVERED) && placed.layout.buffer == Buffer::Argument(number)
                {
                    accesses.push((kernel, placed));
                }
            }
        }
        accesses
    }

    fn is_used(&self, number: usize) -> bool {
        let body = ir::function_body(self.kernel.function).expect("a kernel has a body");
        let argument = ir::arguments(body)
            .nth(number)
            .expect("the number is below the count");
        !ir::uses(argument).is_empty()
    }

    /// Decides whether accesses have all elements of their views.
    fn covered(
        &mut self,
        rule: Rule,
        number: usize,
        accesses: &[Placed<'a, 'p>],
        is_complete: bool,
    ) {
        let mut cases = accesses.iter().flat_map(|it| it.cases);
        if rule == LOADED && cases.any(|case| case.coords.contains(&None)) {
            return; // a table, of which a kernel loads the rows that it needs
        }
        let others = self.of_other_launches(rule, number);
        // The first launch that has accesses is asked for all of them.
        let is_earlier = |kernel: &Kernel<'p>| {
            let mut earlier = self.program[..self.number].iter();
            earlier.any(|it| std::ptr::eq(it, kernel))
        };
        if others.iter().any(|(kernel, _)| is_earlier(kernel)) {
            return;
        }
        let groups = groups(accesses);
        // Views of several shapes may have the elements together.
        let layout = accesses[0].layout;
        let is_same = |it: &(_, Placed<'a, 'p>)| is_same_place(it.1.layout, layout);
        let is_alone = is_complete && groups.len() == 1 && others.iter().all(is_same);
        for group in &groups {
            let last = group.last().expect("a group has an access");
            let vars = elements(last.layout.sizes.len());
            let moves = last.layout.fixed_offset().is_none();
            let verdict = match self.missing_multiple(group, &others, number) {
                Ok(None) => Verdict::Proved(By::Solver),
                Ok(Some(_)) if !is_alone || moves => {
                    let reason = "other views or kernels";
                    Verdict::Unknown(Reason::Elsewhere(reason.to_owned()))
                }
                Ok(Some(values)) => {
                    let verb = if rule == LOADED { "loads" } else { "stores" };
                    let message = format!(
                        "no core {verb} element {} of the view of argument {number}",
                        list(&values, &vars)
                    );
                    let mut witness = self.witness(&values, &[], &vars, message);
                    witness.core = None;
                    Verdict::Refuted(Box::new(witness))
                }
                Err(reason) => Verdict::Unknown(reason),
            };
            let finding = Finding::new(rule, at(last.access.op), "");
            let finding = finding.note(at(self.view_op(*last)), "the view is here");
            self.report.decide(finding, verdict);
        }
    }

    /// Returns an element that no access has, also where extents are multiples of the numbers that the kernel divides
    /// them by. Reports that as an assumption if it matters.
    fn missing_multiple(
        &mut self,
        accesses: &[Placed<'a, 'p>],
        others: &[(&'a Kernel<'p>, Placed<'a, 'p>)],
        number: usize,
    ) -> Result<Option<Values>, Reason> {
        let missing = self.missing(accesses, others, &[])?;
        let rounded = &self.kernel.indices.rounded;
        let multiples = rounded
            .iter()
            .map(|(var, divisor)| Constraint::Zero(Expr::from(*var).modulo(*divisor)));
        let multiples: Vec<_> = multiples.collect();
        if missing.is_none() || multiples.is_empty() {
            return Ok(missing);
        }
        let missing = self.missing(accesses, others, &multiples)?;
        if missing.is_none() {
            let last = accesses.last().expect("there is an access");
            for (var, divisor) in rounded {
                let Var::Param(id) = var else {
                    unreachable!("extents are parameters");
                };
                let extent = self.kernel.params[id.index()].0;
                let message = format!(
                    "assumes that argument {extent} is a multiple of {divisor}: the elements of argument {number} after \
                     the last whole tile are in no tile"
                );
                self.find(MULTIPLE, last.access.op, message);
            }
        }
        Ok(missing)
    }

    /// Returns an element of a view that no access has, under conditions on extents.
    fn missing(
        &self,
        accesses: &[Placed<'a, 'p>],
        others: &[(&'a Kernel<'p>, Placed<'a, 'p>)],
        extents: &[Constraint],
    ) -> Result<Option<Values>, Reason> {
        let last = accesses.last().expect("there is an access");
        let layout = last.layout;
        let vars = elements(layout.sizes.len());
        let mut covers = Vec::new();
        for case in accesses.iter().flat_map(|it| it.cases) {
            // Indices in memory may have any element of their dimension, or one for all.
            if case.coords.contains(&None) {
                return Err(Reason::Arrangement("indices in memory".to_owned()));
            }
            covers.push(Cover {
                conditions: coordinates(case, &vars),
                ranges: &self.solver.ranges,
            });
        }
        for (kernel, other) in others {
            if !is_same_place(other.layout, layout) {
                continue; // a view of another shape
            }
            for case in other
                .cases
                .iter()
                .filter(|case| !case.coords.contains(&None))
            {
                covers.push(Cover {
                    conditions: coordinates(case, &vars),
                    ranges: &kernel.indices.ranges,
                });
            }
        }
        let params = (0..self.kernel.params.len()).map(|at| Var::Param(ParamId::new(at)));
        let params: Vec<Var> = params.collect();
        let offsets = layout.offset.iter().flat_map(|piece| piece.value.vars());
        let mut moving: Vec<Var> = offsets
            .filter(|var| matches!(var, Var::Core | Var::Counter(_)))
            .collect();
        moving.sort_unstable();
        moving.dedup();
        let view = last.access.view.expect("a placed access has a view");
        let whole: Vec<Conditions> = match &self.kernel.views[view].when {
            _ if moving.is_empty() => vec![Vec::new()],
            Ok(when) => when.clone(),
            Err(reason) => return Err(reason.clone()),
        };
        let outs = [&params[..], &moving, &vars].concat();
        for when in whole {
            let ranges = self.solver.range_conditions(&outs);
            let inside = inside(&vars, &layout.sizes);
            let all = [&ranges[..], &inside, &when, extents].concat();
            let covers = covers.iter().cloned();
            let missing = self.solver.uncovered_by(&outs, &all, covers)?;
            if missing.is_some() {
                return Ok(missing);
            }
        }
        Ok(None)
    }
}

/// Returns accesses by the views that they have together.
fn groups<'a, 'p>(accesses: &[Placed<'a, 'p>]) -> Vec<Vec<Placed<'a, 'p>>> {
    let mut groups: Vec<Vec<Placed<'a, 'p>>> = Vec::new();
    for access in accesses {
        let group = groups
            .iter_mut()
            .find(|group| is_same_place(group[0].layout, access.layout));
        match group {
            Some(group) => group.push(*access),
            None => groups.push(vec![*access]),
        }
    }
    groups
}

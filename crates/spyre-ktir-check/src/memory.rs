//! Claims about accesses: inside their views, and disjoint.
//!
//! All cores run a kernel at once, and no core waits for another one, so a kernel is one stage: its stores have to be
//! disjoint, and no core may load what another core stores. Two accesses of views with the same address, sizes and
//! strides are compared by coordinates, others by addresses.

use rustc_hash::FxHashSet;
use spyre_mlir_rt::ir::{Op, op_key};
use spyre_proof::claim::{By, Reason, Verdict, Witness};
use spyre_proof::expr::{Expr, Var};
use spyre_proof::sets::Constraint;

use crate::check::{Check, at, buffer_name, instance, list};
use crate::index::Conditions;
use crate::kernel::{Access, Buffer, Case, Kernel, Kind, Layout};
use crate::report::Finding;
use crate::rules::{CORES_DISJOINT, INDICES, RACE, Rule, STORED_ONCE, TILE_INSIDE};
use crate::solve::Values;
use crate::views::element;

/// Returns the values of a second instance of an access: its core, counters, points and coordinates.
pub(crate) fn second(expr: &Expr) -> Expr {
    expr.substituted(&|var| {
        Some(Expr::from(match var {
            Var::Element(at) => Var::Out(at),
            var => var.second(),
        }))
    })
}

fn second_conditions(conditions: &[Constraint]) -> Conditions {
    conditions.iter().map(|it| it.map(second)).collect()
}

/// Returns the conditions under which `vars` are the coordinates of an access.
pub(crate) fn coordinates(case: &Case, vars: &[Var]) -> Conditions {
    let coords = case.coords.iter().zip(vars);
    let equal = coords.filter_map(|(coord, var)| {
        let coord = coord.as_ref()?;
        Some(Constraint::equal(coord, &(*var).into()))
    });
    let equal: Vec<_> = equal.collect();
    [&case.when[..], &case.set, &equal].concat()
}

pub(crate) fn elements(rank: usize) -> Vec<Var> {
    (0..rank).map(element).collect()
}

/// Returns the conditions that coordinates are inside of a view.
pub(crate) fn inside(vars: &[Var], sizes: &[Expr]) -> Conditions {
    let pairs = vars.iter().zip(sizes);
    let conditions = pairs.flat_map(|(var, size)| Constraint::inside(&(*var).into(), size));
    conditions.collect()
}

/// An access whose view and coordinates are known.
#[derive(Clone, Copy)]
pub(crate) struct Placed<'a, 'p> {
    pub access: &'a Access<'p>,
    pub layout: &'a Layout,
    pub cases: &'a [Case],
}

impl<'a, 'p> Check<'a, 'p> {
    /// Checks all accesses.
    pub(crate) fn accesses(&mut self) {
        let kernel: &'a Kernel<'p> = self.kernel;
        let mut tiles = FxHashSet::default();
        let mut all = Vec::new();
        for access in &kernel.accesses {
            match placed(kernel, access) {
                Ok(placed) => {
                    self.tile_inside(placed);
                    if access.kind != Kind::Indices && tiles.insert(op_key(access.tile)) {
                        self.indices_inside(placed);
                    }
                    all.push(placed);
                }
                Err(reason) => {
                    let finding = Finding::new(TILE_INSIDE, at(access.op), "");
                    self.report.unknown(&finding, &reason);
                }
            }
        }
        self.pairs(&all);
        self.pools_written(&all);
        let is_complete = all.len() == kernel.accesses.len();
        self.arguments(&all, is_complete);
    }

    /// Decides whether each coordinate of an access is inside of the view.
    fn tile_inside(&mut self, placed: Placed<'a, 'p>) {
        let Placed {
            access,
            layout,
            cases,
        } = placed;
        let vars = elements(layout.sizes.len());
        let finding = Finding::new(TILE_INSIDE, at(access.tile), "");
        let finding = finding.note(at(self.view_op(placed)), "the view is here");
        for case in cases {
            for (dim, size) in layout.sizes.iter().enumerate() {
                let Some(coord) = &case.coords[dim] else {
                    continue; // read from memory: taken for granted
                };
                let sides = [coord.times(-1).plus(&(-1).into()), coord.minus(size)];
                let mut verdict = Verdict::Proved(By::Form);
                for side in sides {
                    if !matches!(verdict, Verdict::Proved(_)) {
                        break;
                    }
                    let outside = [Constraint::NonNegative(side)];
                    let conditions = [&case.when[..], &case.set, &outside].concat();
                    verdict = self.solver.never(&conditions, &order(access), |values| {
                        self.outside(placed, case, dim, (values, &vars))
                    });
                }
                self.report.decide(finding.clone(), verdict);
            }
        }
    }

    /// Returns the witness of a coordinate outside of a view.
    fn outside(
        &self,
        placed: Placed<'a, 'p>,
        case: &Case,
        dim: usize,
        (values, vars): (&Values, &[Var]),
    ) -> Witness {
        let mut values = values.clone();
        let of = |expr: &Expr| expr.eval(&|var| Some(values.get(&var).copied().unwrap_or(0)));
        let coords: Vec<_> = case
            .coords
            .iter()
            .map(|coord| coord.as_ref().and_then(of))
            .collect();
        let (coord, size) = (
            coords[dim].unwrap_or(0),
            of(&placed.layout.sizes[dim]).unwrap_or(0),
        );
        for (var, coord) in vars.iter().zip(coords) {
            values.insert(*var, coord.unwrap_or(0));
        }
        let what = match placed.access.kind {
            Kind::Load => "loads",
            Kind::Store => "stores",
            Kind::Indices => "reads indices at",
        };
        let message = format!(
            "the kernel {what} coordinate {coord} of dimension {dim}, and the view of {} has 0 to {}",
            buffer_name(placed.layout.buffer),
            size - 1
        );
        self.witness(&values, &placed.access.loops, vars, message)
    }

    pub(crate) fn view_op(&self, placed: Placed<'a, 'p>) -> Op<'p> {
        let view = placed.access.view.expect("a placed access has a view");
        self.kernel.views[view].op.op()
    }

    /// Reports that coordinates that are read from memory are taken for granted.
    fn indices_inside(&mut self, placed: Placed<'a, 'p>) {
        let Some(case) = placed.cases.first() else {
            return; // the access is in no core and iteration
        };
        for (dim, coord) in case.coords.iter().enumerate() {
            if coord.is_none() {
                let size = &placed.layout.sizes[dim];
                let message = format!(
                    "assumes that the indices of dimension {dim} are at least 0 and below {size}, the extent of the view of {}",
                    buffer_name(placed.layout.buffer)
                );
                self.find(INDICES, placed.access.tile, message);
            }
        }
    }

    /// Checks the pairs of a store and another access of the same buffer.
    fn pairs(&mut self, all: &[Placed<'a, 'p>]) {
        for (number, store) in all.iter().enumerate() {
            if store.access.kind != Kind::Store {
                continue; // loads do not disturb each other
            }
            for (other_number, other) in all.iter().enumerate() {
                if shared_memory(store.layout.buffer, other.layout.buffer).is_none() {
                    continue; // arguments do not overlap: taken for granted
                }
                match other.access.kind {
                    Kind::Store if other_number >= number => {
                        self.stores(all, number, other_number);
                    }
                    Kind::Store => {}
                    Kind::Load | Kind::Indices => self.race(*store, *other),
                }
            }
        }
    }

    /// Decides whether two stores, or two instances of one, write different elements. A core may store an element again
    /// after it has loaded what it stored: an accumulator in device memory.
    fn stores(&mut self, all: &[Placed<'a, 'p>], number: usize, other_number: usize) {
        let (first, other) = (all[number], all[other_number]);
        let is_same = number == other_number;
        let cores = match is_same {
            // Instances of one store are symmetric.
            true => vec![below(Var::Core)],
            false => vec![below(Var::Core), above(Var::Core)],
        };
        if !is_private(first, other) {
            let cores = with(&cores, first, other);
            self.disjoint((CORES_DISJOINT, first, other), &cores);
        }
        if self.is_reused(first.layout.buffer) {
            return; // memory of intermediates has several tensors, one after the other
        }
        let core = Constraint::equal(&Var::Core.into(), &Var::Core.second().into());
        let orders = match is_same {
            true => earlier(first.access, &core),
            false => vec![vec![core]],
        };
        let claim = (STORED_ONCE, first, other);
        let mut verdict = self.verdict(claim, &orders);
        if !matches!(verdict, Verdict::Proved(_)) {
            verdict = self.stored_unread(all, (number, other_number));
        }
        self.report.decide(pair_finding(claim), verdict);
    }

    /// Decides whether a core loads what another core stores. A core that does not use a value may load anything.
    fn race(&mut self, store: Placed<'a, 'p>, load: Placed<'a, 'p>) {
        if is_private(store, load) {
            return; // the scratchpad of the core itself
        }
        let orders = with(&[below(Var::Core), above(Var::Core)], store, load);
        let claim = (RACE, store, load);
        let mut verdict = self.verdict(claim, &orders);
        if !matches!(verdict, Verdict::Proved(_))
            && let Some(cases) = self.used_cases(load)
        {
            let used = Placed {
                cases: &cases,
                ..load
            };
            verdict = self.verdict((RACE, store, used), &orders);
        }
        self.report.decide(pair_finding(claim), verdict);
    }

    /// Returns whether the kernel may store several tensors at one address.
    fn is_reused(&self, buffer: Buffer) -> bool {
        match buffer {
            Buffer::Argument(number) => self.is_pool(number),
            Buffer::Memory | Buffer::Local(_) => true,
        }
    }

    /// Decides whether two accesses have no element in common, for pairs of instances in one of `orders`.
    fn disjoint(&mut self, claim: Pair<'a, 'p>, orders: &[Conditions]) {
        let verdict = self.verdict(claim, orders);
        self.report.decide(pair_finding(claim), verdict);
    }

    /// Returns the answer to the claim that two accesses have no element in common.
    fn verdict(&self, (rule, first, other): Pair<'_, 'p>, orders: &[Conditions]) -> Verdict {
        let mut verdict = Verdict::Proved(By::Form);
        for (a, b) in first
            .cases
            .iter()
            .flat_map(|a| other.cases.iter().map(move |b| (a, b)))
        {
            let questions = match overlap(first.layout, a, other.layout, b) {
                Ok(questions) => questions,
                Err(reason) => return Verdict::Unknown(reason),
            };
            let is_exact = [a, b]
                .iter()
                .all(|case| case.coords.iter().all(Option::is_some));
            for (question, order_) in questions
                .iter()
                .flat_map(|it| orders.iter().map(move |o| (it, o)))
            {
                let conditions = [&question[..], order_].concat();
                let answer = self
                    .solver
                    .never(&conditions, &order(first.access), |values| {
                        self.conflict(rule, first, other, values)
                    });
                verdict = match answer {
                    Verdict::Proved(by) if matches!(verdict, Verdict::Proved(By::Form)) => {
                        Verdict::Proved(by)
                    }
                    Verdict::Proved(_) => continue,
                    // An element that is somewhere in a dimension may be another one.
                    Verdict::Refuted(_) if !is_exact => {
                        Verdict::Unknown(Reason::Arrangement("indices in memory".to_owned()))
                    }
                    other => other,
                };
                if !matches!(verdict, Verdict::Proved(_)) {
                    return verdict;
                }
            }
        }
        verdict
    }

    /// Returns the witness of an element that two accesses have in common.
    pub(crate) fn conflict(
        &self,
        rule: Rule,
        first: Placed<'_, 'p>,
        other: Placed<'_, 'p>,
        values: &Values,
    ) -> Witness {
        let vars = elements(first.layout.sizes.len());
        let one = instance(values, &first.access.loops, false);
        let two = instance(values, &other.access.loops, true);
        let name = buffer_name(first.layout.buffer);
        let element = list(values, &vars);
        let message = match rule {
            RACE => format!(
                "{one} stores element {element} of the view of {name}, and {two} loads it, and cores do not wait for each other"
            ),
            STORED_ONCE => format!(
                "{one} stores element {element} of the view of {name}, and {two} stores it again, and no load is in between"
            ),
            _ => format!(
                "{one} stores element {element} of the view of {name}, and {two} stores it as well"
            ),
        };
        self.witness(values, &first.access.loops, &vars, message)
    }
}

/// Returns the conditions under which two buffers are the same memory; `None` if they never are. The scratchpad of the
/// core that runs an operation is also that of a core by its number.
fn shared_memory(first: Buffer, other: Buffer) -> Option<Conditions> {
    let is = |core: Var, number: u32| Constraint::equal(&core.into(), &i64::from(number).into());
    match (first, other) {
        (Buffer::Local(None), Buffer::Local(Some(number))) => Some(vec![is(Var::Core, number)]),
        (Buffer::Local(Some(number)), Buffer::Local(None)) => {
            Some(vec![is(Var::Core.second(), number)])
        }
        _ => (first == other).then(Vec::new),
    }
}

/// Returns whether both accesses are of the scratchpad of the core itself.
fn is_private(first: Placed<'_, '_>, other: Placed<'_, '_>) -> bool {
    let buffers = [first.layout.buffer, other.layout.buffer];
    buffers.iter().all(|it| matches!(it, Buffer::Local(None)))
}

/// Returns orders of two instances with the conditions under which they access the same memory.
fn with(orders: &[Conditions], first: Placed<'_, '_>, other: Placed<'_, '_>) -> Vec<Conditions> {
    let shared = shared_memory(first.layout.buffer, other.layout.buffer);
    let shared = shared.expect("pairs are of one memory");
    let orders = orders.iter().map(|order| [&order[..], &shared].concat());
    orders.collect()
}

/// A claim about two accesses, the first of which is a store.
type Pair<'a, 'p> = (Rule, Placed<'a, 'p>, Placed<'a, 'p>);

/// Returns the finding of two accesses that have an element in common, without its message.
fn pair_finding<'p>((rule, first, other): Pair<'_, 'p>) -> Finding<'p> {
    let note = match other.access.kind {
        Kind::Store => "the other store is here",
        Kind::Load => "the load is here",
        Kind::Indices => "the indices are read here",
    };
    let finding = Finding::new(rule, at(first.access.op), "");
    match first.access.op == other.access.op {
        true => finding,
        false => finding.note(at(other.access.op), note),
    }
}

/// Returns an access whose view and coordinates are known.
pub(crate) fn placed<'a, 'p>(
    kernel: &'a Kernel<'p>,
    access: &'a Access<'p>,
) -> Result<Placed<'a, 'p>, Reason> {
    let Some(view) = access.view else {
        return Err(Reason::Arrangement("what is no view of memory".to_owned()));
    };
    Ok(Placed {
        access,
        layout: kernel.views[view].layout.as_ref().map_err(Clone::clone)?,
        cases: access.cases.as_ref().map_err(Clone::clone)?,
    })
}

/// Returns the order of variables in which a witness is the smallest: the core, then the loops.
fn order(access: &Access<'_>) -> Vec<Var> {
    let counters = access.loops.iter().map(|id| Var::Counter(*id));
    [Var::Core].into_iter().chain(counters).collect()
}

fn below(var: Var) -> Conditions {
    let less = Expr::from(var.second())
        .minus(&var.into())
        .plus(&(-1).into());
    vec![Constraint::NonNegative(less)]
}

fn above(var: Var) -> Conditions {
    let more = Expr::from(var)
        .minus(&var.second().into())
        .plus(&(-1).into());
    vec![Constraint::NonNegative(more)]
}

/// Returns the alternatives under which one instance of an access is before another one of the same core.
fn earlier(access: &Access<'_>, core: &Constraint) -> Vec<Conditions> {
    let counters: Vec<Var> = access.loops.iter().map(|id| Var::Counter(*id)).collect();
    let orders = counters.iter().enumerate().map(|(at, counter)| {
        let equal = counters[..at]
            .iter()
            .map(|var| Constraint::equal(&(*var).into(), &var.second().into()));
        let mut conditions: Conditions = equal.collect();
        conditions.push(core.clone());
        conditions.extend(below(*counter));
        conditions
    });
    orders.collect()
}

/// Returns whether two views have the same element at the same coordinates, for all cores and iterations.
pub(crate) fn is_same_place(a: &Layout, b: &Layout) -> bool {
    a.fixed_offset().is_some()
        && a.fixed_offset() == b.fixed_offset()
        && (&a.sizes, &a.strides, a.bytes) == (&b.sizes, &b.strides, b.bytes)
}

/// Returns the alternatives under which two accesses have an element in common. The coordinates of the first are
/// [`Var::Element`], those of the second as well, or [`Var::Out`] where views differ.
pub(crate) fn overlap(
    a: &Layout,
    case_a: &Case,
    b: &Layout,
    case_b: &Case,
) -> Result<Vec<Conditions>, Reason> {
    let (rank_a, rank_b) = (a.sizes.len(), b.sizes.len());
    let vars_a = elements(rank_a);
    let first = [coordinates(case_a, &vars_a), inside(&vars_a, &a.sizes)].concat();
    if is_same_place(a, b) {
        // Both have the coordinates of the first.
        let case = Case {
            when: second_conditions(&case_b.when),
            set: second_conditions(&case_b.set),
            coords: case_b
                .coords
                .iter()
                .map(|it| it.as_ref().map(second))
                .collect(),
        };
        return Ok(vec![[first, coordinates(&case, &vars_a)].concat()]);
    }
    let vars_b = elements(rank_b);
    let other = [coordinates(case_b, &vars_b), inside(&vars_b, &b.sizes)].concat();
    let other = second_conditions(&other);
    let distance = |layout: &Layout, vars: &[Var]| {
        let coords: Vec<_> = vars.iter().map(|var| Some((*var).into())).collect();
        layout.distance(&coords)
    };
    let (from_a, from_b) = (distance(a, &vars_a)?, second(&distance(b, &vars_b)?));
    let mut all = Vec::new();
    for (start_a, start_b) in a
        .offset
        .iter()
        .flat_map(|a| b.offset.iter().map(move |b| (a, b)))
    {
        let address_a = start_a.value.plus(&from_a);
        let address_b = second(&start_b.value).plus(&from_b);
        let mut conditions = [
            &first[..],
            &other,
            &start_a.when,
            &second_conditions(&start_b.when),
        ]
        .concat();
        // An element is before the end of the other one.
        conditions.push(Constraint::NonNegative(
            address_b.minus(&address_a).plus(&(b.bytes - 1).into()),
        ));
        conditions.push(Constraint::NonNegative(
            address_a.minus(&address_b).plus(&(a.bytes - 1).into()),
        ));
        if a.bytes == b.bytes && start_a.value == start_b.value {
            conditions.push(Constraint::equal(&address_a, &address_b));
        }
        all.push(conditions);
    }
    Ok(all)
}

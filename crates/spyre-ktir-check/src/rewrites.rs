//! Stores of elements that the same core has stored before.
//!
//! An accumulator in device memory is stored in each iteration, and loaded before the next store. A value that is
//! overwritten without a load is lost, which is a fault of the kernel: two tensors in one place, or a tile that does not
//! move. So two stores of an element need a load of it in between. A load is in between if it is in the iteration of the
//! later store and before it, or in that of the earlier store and after it. Two stores of one value are no fault, and
//! neither is a part of a tensor that another value takes, while the rest of the tensor stays.

use spyre_proof::claim::{By, Reason, Verdict};
use spyre_proof::expr::{Expr, Var};
use spyre_proof::program::{LoopId, ParamId};
use spyre_proof::sets::Constraint;

use crate::check::Check;
use crate::index::Conditions;
use crate::kernel::{Case, Kind};
use crate::memory::{Placed, coordinates, elements, inside, is_same_place, overlap};
use crate::rules::STORED_ONCE;
use crate::solve::Values;
use crate::values;

/// The first column of counters of a load that are those of neither store.
const FREE: u32 = 64;

/// One of two instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Instance {
    First,
    Second,
}

/// An order of the two instances in time.
struct Order {
    /// The conditions on the counters of both.
    when: Conditions,
    /// The one that is earlier.
    earlier: Instance,
    /// The number of loops around both in which they are in one iteration.
    level: usize,
    /// Whether they are in one iteration of all loops around both.
    is_textual: bool,
}

/// A store in the list of all accesses.
#[derive(Clone, Copy)]
struct Numbered<'a, 'p> {
    number: usize,
    store: Placed<'a, 'p>,
}

impl<'a, 'p> Check<'a, 'p> {
    /// Decides whether a core loads each element between two stores of it. `numbers` are those of the stores among all
    /// accesses, in the order of the text.
    pub(crate) fn stored_unread(&self, all: &[Placed<'a, 'p>], numbers: (usize, usize)) -> Verdict {
        let of = |number: usize| Numbered {
            number,
            store: all[number],
        };
        let (first, second) = (of(numbers.0), of(numbers.1));
        let mut loads = Vec::new();
        for (number, access) in all.iter().enumerate() {
            let is_load = access.access.kind == Kind::Load;
            if is_load && access.layout.buffer == first.store.layout.buffer {
                loads.push(Numbered {
                    number,
                    store: *access,
                });
            }
        }
        let is_same = first.number == second.number;
        let same_value = is_same.then(|| self.same_value(first.store)).flatten();
        for order in orders(first, second) {
            let mut covers: Vec<Conditions> = loads
                .iter()
                .flat_map(|load| between(*load, first, second, &order))
                .collect();
            covers.extend(same_value.clone());
            for a in first.store.cases {
                for b in second.store.cases {
                    let verdict = self.unread((first, a), (second, b), &order, &covers);
                    if !matches!(verdict, Verdict::Proved(_)) {
                        return match verdict {
                            Verdict::Refuted(_) if all.len() < self.kernel.accesses.len() => {
                                let reason = "a load at a place that is not known";
                                Verdict::Unknown(Reason::Elsewhere(reason.to_owned()))
                            }
                            verdict => verdict,
                        };
                    }
                }
            }
        }
        Verdict::Proved(By::Solver)
    }

    /// Decides whether `covers` have each element that two instances store.
    fn unread(
        &self,
        (first, a): (Numbered<'_, 'p>, &Case),
        (second, b): (Numbered<'_, 'p>, &Case),
        order: &Order,
        covers: &[Conditions],
    ) -> Verdict {
        let (one, two) = (first.store, second.store);
        let questions = match overlap(one.layout, a, two.layout, b) {
            Ok(questions) => questions,
            Err(reason) => return Verdict::Unknown(reason),
        };
        let params = (0..self.kernel.params.len()).map(|at| Var::Param(ParamId::new(at)));
        let counters =
            |loops: &[LoopId]| loops.iter().map(|id| Var::Counter(*id)).collect::<Vec<_>>();
        let seconds = counters(&two.access.loops).into_iter().map(Var::second);
        let mut outs: Vec<Var> = params.chain([Var::Core, Var::Core.second()]).collect();
        outs.extend(counters(&one.access.loops));
        outs.extend(seconds);
        outs.extend(elements(one.layout.sizes.len()));
        let same_core = Constraint::equal(&Var::Core.into(), &Var::Core.second().into());
        for question in questions {
            let ranges = self.solver.range_conditions(&outs);
            let same_core = std::slice::from_ref(&same_core);
            let set = [&ranges[..], &question, &order.when, same_core].concat();
            match self.solver.uncovered(&outs, &set, covers) {
                Ok(None) => {}
                Ok(Some(values)) if self.leaves_a_part((one, a), (two, b), order, &values) => {}
                Ok(Some(values)) => {
                    let witness = self.conflict(STORED_ONCE, one, two, &values);
                    return Verdict::Refuted(Box::new(witness));
                }
                Err(reason) => return Verdict::Unknown(reason),
            }
        }
        Verdict::Proved(By::Solver)
    }
}

impl<'p> Check<'_, 'p> {
    /// Returns the conditions under which two instances of a store have one value: the loops that the value depends on are
    /// in one iteration. `None` if that is not known.
    fn same_value(&self, store: Placed<'_, 'p>) -> Option<Conditions> {
        let depends = values::loops_of(self.kernel, store.access)?;
        let loops = store.access.loops.iter().filter(|id| depends.contains(id));
        let equal = loops.map(|id| {
            let counter = Var::Counter(*id);
            Constraint::equal(&counter.into(), &counter.second().into())
        });
        Some(equal.collect())
    }

    /// Returns whether the earlier one of two stores has an element that the later one has not, in the iterations of
    /// `values`: it is no lost value. A store through another view has other coordinates, and is compared with no other.
    fn leaves_a_part(
        &self,
        (one, a): (Placed<'_, 'p>, &Case),
        (two, b): (Placed<'_, 'p>, &Case),
        order: &Order,
        values: &Values,
    ) -> bool {
        if one.access.op == two.access.op {
            return false;
        }
        let addresses = |placed: Placed<'_, 'p>, case: &Case, is_second: bool| {
            let vars = elements(placed.layout.sizes.len());
            let coords: Vec<_> = vars.iter().map(|var| Some((*var).into())).collect();
            let distance = placed.layout.distance(&coords).ok()?;
            let [start] = &placed.layout.offset[..] else {
                return None;
            };
            let address = Constraint::equal(&start.value.plus(&distance), &ADDRESS.into());
            let set = [
                coordinates(case, &vars),
                inside(&vars, &placed.layout.sizes),
                start.when.clone(),
                vec![address],
            ]
            .concat();
            let fixed = |expr: &Expr| {
                expr.substituted(&|var| {
                    let of = if is_second { var.second() } else { var };
                    match var {
                        Var::Core | Var::Counter(_) | Var::Param(_) => {
                            values.get(&of).map(|value| (*value).into())
                        }
                        _ => None,
                    }
                })
            };
            Some(set.iter().map(|it| it.map(fixed)).collect::<Conditions>())
        };
        let (Some(first), Some(second)) = (addresses(one, a, false), addresses(two, b, true))
        else {
            return false;
        };
        let (earlier, later) = match order.earlier {
            Instance::First => (first, second),
            Instance::Second => (second, first),
        };
        let rest = self.solver.uncovered(&[ADDRESS], &earlier, &[later]);
        matches!(rest, Ok(Some(_)))
    }
}

/// The variable of an address.
const ADDRESS: Var = Var::Out(2 * FREE);

/// Returns the number of loops around both of two accesses.
fn common(a: &[LoopId], b: &[LoopId]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Returns the orders in which two instances of stores may be, `first` before `second` in the text.
fn orders(first: Numbered<'_, '_>, second: Numbered<'_, '_>) -> Vec<Order> {
    let loops = &first.store.access.loops;
    let levels = common(loops, &second.store.access.loops);
    let counters: Vec<Var> = loops[..levels].iter().map(|id| Var::Counter(*id)).collect();
    let equal = |count: usize| -> Conditions {
        let equal = counters[..count].iter();
        equal
            .map(|var| Constraint::equal(&(*var).into(), &var.second().into()))
            .collect()
    };
    let less = |small: Var, large: Var| {
        let less = Expr::from(large).minus(&small.into()).plus(&(-1).into());
        Constraint::NonNegative(less)
    };
    let is_same = first.number == second.number;
    let mut orders = Vec::new();
    for (level, &counter) in counters.iter().enumerate() {
        for earlier in [Instance::First, Instance::Second] {
            let when = match earlier {
                Instance::First => less(counter, counter.second()),
                // Instances of one store are symmetric.
                Instance::Second if is_same => continue,
                Instance::Second => less(counter.second(), counter),
            };
            orders.push(Order {
                when: [equal(level), vec![when]].concat(),
                earlier,
                level,
                is_textual: false,
            });
        }
    }
    if !is_same {
        orders.push(Order {
            when: equal(levels),
            earlier: Instance::First,
            level: levels,
            is_textual: true,
        });
    }
    orders
}

/// Returns the conditions under which a load between two stores in an order has an element of both.
fn between(
    load: Numbered<'_, '_>,
    first: Numbered<'_, '_>,
    second: Numbered<'_, '_>,
    order: &Order,
) -> Vec<Conditions> {
    let of = |instance: Instance| match instance {
        Instance::First => first,
        Instance::Second => second,
    };
    let later = match order.earlier {
        Instance::First => Instance::Second,
        Instance::Second => Instance::First,
    };
    let loops = &load.store.access.loops;
    let shared = |instance: Instance| common(loops, &of(instance).store.access.loops);
    let mut covers = Vec::new();
    for instance in [order.earlier, later] {
        let other = match instance == later {
            true => order.earlier,
            false => later,
        };
        // In the iteration of `instance`, on its side of the other one.
        let (at, to) = (of(instance).number, of(other).number);
        let is_beside = match instance == later {
            true => load.number < at,
            false => load.number > at,
        };
        let is_between = match order.is_textual {
            true => {
                let is_on_side = match instance == later {
                    true => load.number > to,
                    false => load.number < to,
                };
                is_on_side && shared(instance) >= order.level && shared(other) <= shared(instance)
            }
            false => shared(instance) > order.level,
        };
        if is_beside && is_between {
            covers.extend(loaded(load.store, first.store, instance, shared(instance)));
        }
    }
    covers
}

/// Returns the conditions under which a load has the element of `store` at [`Var::Element`], in the iterations of an
/// instance of the outer `shared` loops, and in any iteration of the others.
fn loaded(
    load: Placed<'_, '_>,
    store: Placed<'_, '_>,
    instance: Instance,
    shared: usize,
) -> Vec<Conditions> {
    let rename = |expr: &Expr| {
        expr.substituted(&|var| {
            let Var::Counter(id) = var else {
                return None;
            };
            let level = load.access.loops.iter().position(|it| *it == id)?;
            let free = || Var::Out(FREE + u32::try_from(level).expect("loops are few"));
            Some(Expr::from(match (level < shared, instance) {
                (true, Instance::First) => return None,
                (true, Instance::Second) => var.second(),
                (false, _) => free(),
            }))
        })
    };
    let mut covers = Vec::new();
    for case in load.cases {
        if case.coords.contains(&None) {
            continue; // an element that is read from memory is somewhere
        }
        let rank = load.layout.sizes.len();
        if is_same_place(load.layout, store.layout) {
            let conditions = coordinates(case, &elements(rank));
            covers.push(conditions.iter().map(|it| it.map(rename)).collect());
        } else {
            covers.extend(by_address(load, case, store, &rename));
        }
    }
    covers
}

/// Returns the conditions under which a load through another view has the address of an element of a store. `rename`
/// sets the counters of the load.
fn by_address(
    load: Placed<'_, '_>,
    case: &Case,
    store: Placed<'_, '_>,
    rename: &dyn Fn(&Expr) -> Expr,
) -> Vec<Conditions> {
    if load.layout.bytes != store.layout.bytes {
        return Vec::new();
    }
    let distance = |placed: Placed<'_, '_>, vars: &[Var]| {
        let coords: Vec<_> = vars.iter().map(|var| Some((*var).into())).collect();
        placed.layout.distance(&coords).ok()
    };
    let outs: Vec<Var> = elements(load.layout.sizes.len())
        .into_iter()
        .map(|var| match var {
            Var::Element(at) => Var::Out(at),
            var => var,
        })
        .collect();
    let of_store = elements(store.layout.sizes.len());
    let (Some(from), Some(to)) = (distance(load, &outs), distance(store, &of_store)) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for start in &load.layout.offset {
        let conditions = [
            coordinates(case, &outs),
            inside(&outs, &load.layout.sizes),
            start.when.clone(),
        ]
        .concat();
        let conditions: Conditions = conditions.iter().map(|it| it.map(rename)).collect();
        let address = rename(&start.value.plus(&from));
        for start in &store.layout.offset {
            // The address of the store moves with its own loops.
            let equal = Constraint::equal(&address, &start.value.plus(&to));
            all.push([&conditions[..], &start.when, &[equal]].concat());
        }
    }
    all
}

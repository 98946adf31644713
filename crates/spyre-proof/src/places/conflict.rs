//! Compares the last writers of bytes, as they were executed, with those of the tensor that is read.
//!
//! Every execution that writes has a *time*: the positions in bodies and the counters of loops, outermost first. The
//! solver computes, for each byte that is read, the latest time at which it was written, and the time of the
//! execution that has written the element of the tensor. A read is right where they are equal.

use std::ops::Range;

use rustc_hash::FxHashMap;
use spyre_isl::Relation;

use super::chains::{Chains, Item as Writer, ItemId, Kind};
use super::{Answer, Prover, Values, refuted};
use crate::claim::{By, Reason, Verdict, Witness};
use crate::expr::{Expr, Ranges, Var};
use crate::memory::Space;
use crate::program::{Extent, Item, LoopId, ParamId, Place, Program, Site, StatementId};
use crate::sets::{Columns, Constraint, decided};

/// A byte of an element.
const BYTE: Var = Var::Out(0);
/// The position of a byte in its element.
const WITHIN: Var = Var::Out(u32::MAX);

/// A read, with the conditions of its iterations.
pub(super) struct Read {
    /// The loops around it.
    pub(super) loops: Vec<LoopId>,
    /// Positions, or elements of the tensor.
    pub(super) vars: Vec<Var>,
    /// The positions that a report names.
    pub(super) points: Vec<Var>,
    /// The conditions on counters, core and positions.
    pub(super) conditions: Vec<Constraint>,
    /// The first byte of the element.
    pub(super) byte: Expr,
    /// The bytes of the element.
    pub(super) width: i64,
    /// The memory.
    pub(super) space: Space,
    /// The subject, for messages.
    pub(super) name: String,
}

/// Bytes with another history than the tensor that is read.
pub(super) struct Conflict {
    pub(super) bytes: Range<i64>,
    /// The executions that have written the tensor, the last one first.
    pub(super) expected: Vec<ItemId>,
    /// The executions that have written the bytes, the last one first, down to those that the tensor has as well.
    pub(super) actual: Vec<ItemId>,
    /// The number of the first of them that are later than executions of which the history has been cut; `None` if it
    /// is whole.
    pub(super) certain: Option<usize>,
}

/// One writer, with the counters of the loops around it.
struct Instance {
    kind: Kind,
    counters: Vec<(LoopId, Expr)>,
    locals: Vec<Var>,
    conditions: Vec<Constraint>,
}

/// The times of executions of a program.
pub(super) struct Times<'p> {
    program: &'p Program,
    of_loops: Vec<i64>,
    of_statements: Vec<i64>,
    /// The length of a time: a position and a counter for each loop, a position, and the number of a result.
    length: usize,
}

impl<'p> Times<'p> {
    pub(super) fn new(program: &'p Program) -> Self {
        let mut of_loops = vec![0; program.loops.len()];
        let mut of_statements = vec![0; program.statements.len()];
        let bodies = program.loops.iter().map(|of| &of.body);
        for body in bodies.chain([&program.body]) {
            for (item, at) in body.iter().zip(0..) {
                match item {
                    Item::Loop(id) => of_loops[id.index()] = at,
                    Item::Statement(id) => of_statements[id.index()] = at,
                }
            }
        }
        let depth = program.statements.iter().map(|of| of.loops.len()).max();
        Self {
            program,
            of_loops,
            of_statements,
            length: 2 * depth.unwrap_or(0) + 2,
        }
    }

    /// Returns the time of a writer. The contents of arguments are before all executions.
    fn of(&self, kind: &Kind, counters: &[(LoopId, Expr)]) -> Vec<Expr> {
        let Kind::Execution(id, result) = kind else {
            let mut time = vec![Expr::zero(); self.length];
            time[0] = (-1).into();
            return time;
        };
        let mut time = self.of_statement(*id, counters);
        let result = i64::try_from(*result).expect("an operation has few results");
        time.push(result.into());
        time.resize(self.length, Expr::zero());
        time
    }

    /// Returns the time of a statement: the positions in bodies and the counters, outermost first. Of two statements,
    /// the first position that differs has the order.
    pub(super) fn of_statement(&self, id: StatementId, counters: &[(LoopId, Expr)]) -> Vec<Expr> {
        let mut time: Vec<Expr> = Vec::new();
        for (of, counter) in counters {
            time.extend([self.of_loops[of.index()].into(), counter.clone()]);
        }
        time.push(self.of_statements[id.index()].into());
        time
    }

    /// Returns the statement of a time, and the counters; `None` before all executions.
    fn statement(&self, time: &[i64]) -> Option<(StatementId, Vec<(LoopId, i64)>)> {
        let (mut body, mut counters) = (&self.program.body, Vec::new());
        let mut rest = time.iter().copied();
        loop {
            let at = usize::try_from(rest.next()?).ok()?;
            match *body.get(at)? {
                Item::Loop(id) => {
                    counters.push((id, rest.next()?));
                    body = &self.program.of_loop(id).body;
                }
                Item::Statement(id) => return Some((id, counters)),
            }
        }
    }
}

impl Prover<'_> {
    /// Decides whether all bytes that are read have the elements of the tensor.
    pub(super) fn decide(
        &self,
        chains: &Chains<'_>,
        read: &Read,
        conflicts: &[Conflict],
    ) -> Verdict {
        let mut verdict = Verdict::Proved(By::Solver);
        for conflict in conflicts {
            self.context.reset();
            let answer = match self.difference(chains, read, conflict) {
                Ok(Some(witness)) => refuted(witness),
                Ok(None) => continue,
                Err(reason) => Verdict::Unknown(reason),
            };
            verdict = super::both(verdict, answer);
        }
        verdict
    }

    fn difference(
        &self,
        chains: &Chains<'_>,
        read: &Read,
        conflict: &Conflict,
    ) -> Result<Option<Witness>, Reason> {
        let times = Times::new(self.program);
        let budget = self.context.budget();
        let check = |answer| decided(answer, budget);
        let bytes = self.bytes_read(read, &conflict.bytes)?;
        let written = |item: &ItemId| -> Result<Relation, Reason> {
            let relation = self.written(chains, &times, read, *item)?;
            decided(relation.restrict_domain(&bytes), budget)
        };
        let union = |items: &[ItemId]| -> Result<Option<Relation>, Reason> {
            let mut all: Option<Relation> = None;
            for item in items {
                let relation = written(item)?;
                all = Some(match all {
                    None => relation,
                    Some(all) => decided(all.union(&relation), budget)?,
                });
            }
            Ok(all)
        };
        let Some(last) = union(&conflict.actual)? else {
            return Ok(None);
        };
        let last = check(last.lexmax())?;
        let mut tensor: Option<Relation> = None;
        for item in &conflict.expected {
            let relation = check(written(item)?.lexmax())?;
            tensor = Some(match tensor {
                None => relation,
                Some(later) => {
                    let covered = decided(later.domain(), budget)?;
                    let relation = check(relation.subtract_domain(&covered))?;
                    check(later.union(&relation))?
                }
            });
        }
        let Some(tensor) = tensor else {
            return Ok(None);
        };
        let defined = decided(tensor.domain(), budget)?;
        let wrong = check(check(last.subtract(&tensor))?.restrict_domain(&defined))?;
        let Some(point) = decided(wrong.sample(), budget)? else {
            let Some(certain) = conflict.certain else {
                return Ok(None);
            };
            // What has been cut is earlier than the certain executions: it does not matter if these write all.
            let rest = match union(&conflict.actual[..certain])? {
                Some(certain) => {
                    let covered = decided(certain.domain(), budget)?;
                    decided(defined.subtract(&covered), budget)?
                }
                None => defined,
            };
            if decided(rest.is_empty(), budget)? {
                return Ok(None);
            }
            let name = "a tensor with windows over another tensor in a loop";
            return Err(Reason::Operation(name.to_owned()));
        };
        let mut right = tensor;
        for (at, value) in point.params.iter().enumerate() {
            right = check(right.fix_param(at, *value))?;
        }
        for (at, value) in point.ins.iter().enumerate() {
            right = check(right.fix_in(at, *value))?;
        }
        let right = decided(right.sample(), budget)?.expect("the element has a writer");
        let witness = self.overwritten(read, &times, &point, &right.outs)?;
        Ok(Some(witness))
    }

    /// Returns the bytes that are read: a set of counters, core and byte.
    fn bytes_read(&self, read: &Read, bytes: &Range<i64>) -> Result<Relation, Reason> {
        let mut conditions = read.conditions.clone();
        conditions.push(Constraint::equal(
            &BYTE.into(),
            &read.byte.plus(&WITHIN.into()),
        ));
        conditions.extend(Constraint::inside(&WITHIN.into(), &read.width.into()));
        let from_start = Expr::from(BYTE).minus(&bytes.start.into());
        let count = bytes.end - bytes.start;
        conditions.extend(Constraint::inside(&from_start, &count.into()));
        let mut locals = read.vars.clone();
        locals.push(WITHIN);
        self.relation(&[], &inputs(read), &locals, &conditions)
    }

    /// Returns a relation from `ins` to `outs`: conditions hold for some values of `locals`.
    fn relation(
        &self,
        ins: &[Var],
        outs: &[Var],
        locals: &[Var],
        conditions: &[Constraint],
    ) -> Result<Relation, Reason> {
        // Quotients may depend on the locals, so these are outputs until all conditions are there.
        let all: Vec<Var> = outs.iter().chain(locals).copied().collect();
        let columns = Columns::new(self.program.params.len(), ins, &all, &[]);
        let budget = self.context.budget();
        let relation = columns.relation(self.context, conditions, budget)?;
        decided(relation.project_out_outs(outs.len(), locals.len()), budget)
    }

    /// Returns the times at which executions have written a byte: a relation from counters and core of the read, and
    /// the byte.
    fn written(
        &self,
        chains: &Chains<'_>,
        times: &Times<'_>,
        read: &Read,
        item: ItemId,
    ) -> Result<Relation, Reason> {
        let open = read
            .loops
            .iter()
            .map(|id| (*id, Expr::from(Var::Counter(*id))));
        let open: FxHashMap<LoopId, Expr> = open.collect();
        let mut instances = Vec::new();
        self.expand(chains, item, &open, &[], &[], &mut instances);
        let budget = self.context.budget();
        let mut all: Option<Relation> = None;
        for instance in &instances {
            let relation = self.written_by(times, read, instance)?;
            all = Some(match all {
                None => relation,
                Some(all) => decided(all.union(&relation), budget)?,
            });
        }
        Ok(all.expect("an item has an execution"))
    }

    /// Adds the writers of an item. `open` has the counters of the loops that are being executed.
    fn expand(
        &self,
        chains: &Chains<'_>,
        item: ItemId,
        open: &FxHashMap<LoopId, Expr>,
        locals: &[Var],
        conditions: &[Constraint],
        instances: &mut Vec<Instance>,
    ) {
        let Writer { kind, ages } = chains.item(item);
        let mut is_current = true;
        let mut conditions = conditions.to_vec();
        let mut counters = Vec::new();
        for (id, age) in chains.loops_of(kind).iter().zip(ages) {
            let now = open.get(id).filter(|_| is_current).cloned();
            let now = now.unwrap_or_else(|| self.trips_of(*id));
            let counter = now.minus(&i64::from(*age).into());
            is_current &= *age == 0;
            conditions.push(Constraint::NonNegative(counter.clone()));
            counters.push((*id, counter));
        }
        let Kind::Family(id, items, lag) = kind else {
            instances.push(Instance {
                kind: kind.clone(),
                counters,
                locals: locals.to_vec(),
                conditions,
            });
            return;
        };
        let complete = open.get(id).filter(|_| is_current).cloned();
        let complete = complete.unwrap_or_else(|| self.trips_of(*id));
        let counter = Var::Counter(*id).second();
        let end = complete.minus(&i64::from(*lag).into());
        conditions.extend(Constraint::inside(&counter.into(), &end));
        let mut locals = locals.to_vec();
        locals.push(counter);
        let mut inner: FxHashMap<LoopId, Expr> = counters.into_iter().collect();
        inner.insert(*id, counter.into());
        for item in items.iter() {
            self.expand(chains, *item, &inner, &locals, &conditions, instances);
        }
    }

    /// Returns the number of iterations of a loop.
    fn trips_of(&self, id: LoopId) -> Expr {
        let of = self.program.of_loop(id);
        match (self.program.trips(id), of.upper) {
            (Some(trips), _) => trips.into(),
            (None, upper @ (Extent::Dynamic(_) | Extent::Fixed(_))) => {
                let span = self
                    .program
                    .extent(upper)
                    .plus(&(of.step - 1 - of.lower).into());
                span.floor_div(of.step)
            }
        }
    }

    fn written_by(
        &self,
        times: &Times<'_>,
        read: &Read,
        instance: &Instance,
    ) -> Result<Relation, Reason> {
        let mut conditions = instance.conditions.clone();
        let mut locals = instance.locals.clone();
        conditions.extend(self.program.param_conditions());
        for (id, counter) in &instance.counters {
            let of = |var| (var == Var::Counter(*id)).then(|| counter.clone());
            let of_loop = self.program.counter_conditions(*id);
            conditions.extend(of_loop.map(|condition| condition.map(|expr| expr.substituted(&of))));
        }
        self.add_bytes(instance, &mut conditions, &mut locals)?;
        let time = times.of(&instance.kind, &instance.counters);
        let mut outs = Vec::new();
        for (expr, at) in time.iter().zip(1..) {
            outs.push(Var::Out(at));
            conditions.push(Constraint::equal(&Var::Out(at).into(), expr));
        }
        self.relation(&inputs(read), &outs, &locals, &conditions)
    }

    /// Adds the conditions on the bytes that a writer has written: all of its buffer, with the ends of sticks, or the
    /// elements of a window.
    fn add_bytes(
        &self,
        instance: &Instance,
        conditions: &mut Vec<Constraint>,
        locals: &mut Vec<Var>,
    ) -> Result<(), Reason> {
        let value = match instance.kind {
            Kind::Argument(value) => value,
            Kind::Execution(id, result) => self.program.statement(id).results[result].value,
            _ => unreachable!("tensors without contents are no writers"),
        };
        if self.program.value(value).place != Some(Place::Window) {
            let buffer = self.memory.buffer(value)?;
            let from_start = Expr::from(BYTE).minus(&buffer.start.into());
            conditions.extend(Constraint::inside(&from_start, &buffer.bytes.into()));
            if let Some(cores) = buffer.cores {
                conditions.extend(Constraint::inside(&Var::Core.into(), &cores.into()));
            }
            return Ok(());
        }
        let Kind::Execution(id, result) = instance.kind else {
            unreachable!("only operations write windows");
        };
        let (byte, space, width) = self.window_byte(id, result)?;
        let of = |var: Var| match var {
            Var::Counter(id) => {
                let entry = instance.counters.iter().find(|(of, _)| *of == id);
                entry.map(|(_, counter)| counter.clone())
            }
            Var::Core if space == Space::Scratchpad => None,
            Var::Element(_) | Var::Param(_) | Var::Out(_) | Var::Second(_) => None,
            _ => Some(var.second().into()),
        };
        let statement = self.program.statement(id);
        let mut of_points = self.program.point_conditions(statement);
        if space == Space::Scratchpad {
            of_points.extend(self.program.parts(statement)?.1);
        }
        conditions.extend(
            of_points
                .iter()
                .map(|condition| condition.map(|expr| expr.substituted(&of))),
        );
        locals.extend((0..statement.space.len()).map(|dim| super::point(dim).second()));
        conditions.push(Constraint::equal(
            &BYTE.into(),
            &byte.substituted(&of).plus(&WITHIN.into()),
        ));
        conditions.extend(Constraint::inside(&WITHIN.into(), &width.into()));
        locals.push(WITHIN);
        Ok(())
    }

    /// Returns the byte of a point of a result in a window, its memory, and the bytes of an element.
    fn window_byte(&self, id: StatementId, result: usize) -> Result<(Expr, Space, i64), Reason> {
        let access = &self.program.statement(id).results[result];
        let location = self
            .locate(access)
            .map_err(|_| Reason::Operation("a window without a tensor".to_owned()))?;
        let buffer = self.memory.buffer(location.root)?;
        let byte = self.memory.byte(&buffer, &location.element)?;
        Ok((byte, buffer.space, self.program.value(location.root).width))
    }

    /// Returns the witness of a byte that another execution has written.
    fn overwritten(
        &self,
        read: &Read,
        times: &Times<'_>,
        point: &spyre_isl::Point,
        right: &[i64],
    ) -> Result<Witness, Reason> {
        assert!(
            point.outs.as_slice() != right,
            "internal error: the writers are the same"
        );
        let mut conditions = read.conditions.clone();
        let of_inputs = inputs(read);
        let params = (0..point.params.len()).map(|at| Var::Param(ParamId::new(at)));
        let bindings: Vec<(Var, i64)> = params
            .zip(point.params.iter().copied())
            .chain(of_inputs.iter().copied().zip(point.ins.iter().copied()))
            .collect();
        conditions.push(Constraint::equal(
            &BYTE.into(),
            &read.byte.plus(&WITHIN.into()),
        ));
        conditions.extend(Constraint::inside(&WITHIN.into(), &read.width.into()));
        conditions.extend(
            bindings
                .iter()
                .map(|(var, value)| Constraint::equal(&(*var).into(), &(*value).into())),
        );
        let mut vars = of_inputs;
        vars.extend(read.vars.iter().copied());
        vars.push(WITHIN);
        let answer = self.example(&vars, &Ranges::default(), &conditions)?;
        let Answer::For(values) = answer else {
            panic!("internal error: no point reads the byte of the witness");
        };
        Ok(self.overwriting(read, times, &values, &point.outs, right))
    }

    fn overwriting(
        &self,
        read: &Read,
        times: &Times<'_>,
        values: &Values,
        wrong: &[i64],
        right: &[i64],
    ) -> Witness {
        let byte = values.get(&BYTE).copied().expect("the byte is a variable");
        let described = |time: &[i64]| -> (String, Option<Site>, String) {
            let Some((id, counters)) = times.statement(time) else {
                return ("the argument".to_owned(), None, String::new());
            };
            let site = self.program.statement(id).site;
            let counters: Vec<_> = counters.iter().map(|(_, at)| at.to_string()).collect();
            let iteration = match counters.is_empty() {
                true => String::new(),
                false => format!(", in iteration ({})", counters.join(", ")),
            };
            (self.name(id), Some(site), iteration)
        };
        let (wrong_name, wrong_site, wrong_iteration) = described(wrong);
        let (right_name, right_site, right_iteration) = described(right);
        let order = match wrong > right {
            true => "overwritten",
            false => "not written yet",
        };
        let message = format!(
            "byte {byte} of {} that {} is read from is {order}: it has the result of {wrong_name}{wrong_iteration}, and \
             not that of \
             {right_name}{right_iteration}",
            read.space, read.name
        );
        let mut witness = self.witness(&read.loops, values, read.points.len(), message);
        if read.points.is_empty() {
            let elements = read.vars.iter().filter_map(|var| values.get(var).copied());
            witness.point = elements.collect();
            witness.core = None;
        }
        if let Some(site) = right_site {
            let note = format!("the value is computed here{right_iteration}");
            witness.notes.push((site, note));
        }
        if let Some(site) = wrong_site {
            let note = format!("this is written over it{wrong_iteration}");
            witness.notes.push((site, note));
        }
        witness
    }
}

/// Returns the columns that a byte of a read is determined by.
fn inputs(read: &Read) -> Vec<Var> {
    let mut inputs = Program::counters(&read.loops);
    inputs.extend([Var::Core, BYTE]);
    inputs
}

//! P3: no element is overwritten by the end of another write.
//!
//! The card writes whole sticks. A result in a window that ends inside of a stick changes the elements after it as
//! well, which is harmless where they are behind the end of the tensor, or have no contents yet. Starts are whole
//! sticks (P4), so only the last stick of a write has such elements: those of the division over cores end where the
//! next part starts.

use super::conflict::Times;
use super::{Answer, Instances, Prover, Values, refuted};
use crate::claim::{By, Reason, Verdict, Witness};
use crate::expr::{Atom, Expr, Var};
use crate::memory::{Location, run};
use crate::program::{Access, Def, Extent, LoopId, Place, StatementId, ValueId};
use crate::sets::Constraint;

/// A write that ends inside of a stick, before the end of its tensor.
struct Ragged {
    /// The tensor, and the element of each point.
    location: Location,
    /// The dimension that the elements of sticks run along.
    dim: usize,
    /// The first position after the write.
    end: Expr,
    /// The elements of its last stick that the write has.
    rest: Expr,
    /// The elements of a stick.
    per_stick: i64,
    /// The conditions on the instances of the write that end there.
    conditions: Vec<Constraint>,
}

impl Prover<'_> {
    /// Checks that the last stick of a result in a window has no elements of the tensor that have contents, but for
    /// those of the result; `None` for a result that is no window, or has no place.
    pub(super) fn last_stick(
        &self,
        id: StatementId,
        instances: &Instances<'_>,
        access: &Access,
    ) -> Option<Verdict> {
        if self.program.value(access.value).place != Some(Place::Window) {
            return None; // Sticks of a tensor of its own have no other tensor.
        }
        let location = self.locate(access).ok()?;
        if let Some(witness) = self.written_later(id, instances, location.root) {
            return Some(refuted(witness));
        }
        let verdict = self
            .window_end(instances, location)
            .and_then(|end| match end {
                Ok(by) => Ok(Verdict::Proved(by)),
                Err(ragged) => self.lost(id, instances, &ragged),
            });
        Some(verdict.unwrap_or_else(Verdict::Unknown))
    }

    /// Returns a witness if the tensor of a window is computed after the window was written: the computation writes all
    /// of it.
    fn written_later(
        &self,
        id: StatementId,
        instances: &Instances<'_>,
        root: ValueId,
    ) -> Option<Witness> {
        let tensor = self.program.value(root);
        let Def::Result(writer) = tensor.def else {
            return None;
        };
        // Statements are in the order of the text, and a tensor of an earlier iteration is carried.
        (writer.index() > id.index()).then(|| {
            let message = format!(
                "{} writes the whole tensor after the window of {} in it, which is lost",
                self.name(writer),
                self.name(id)
            );
            let mut witness = self.witness_of(instances, &Values::default(), message);
            let note = "the tensor is computed here".to_owned();
            witness.notes.push((tensor.site, note));
            witness
        })
    }

    /// Returns how it is known that a write ends with a stick or with its tensor, or the write that does not.
    fn window_end(
        &self,
        instances: &Instances<'_>,
        location: Location,
    ) -> Result<Result<By, Ragged>, Reason> {
        let root = self.program.value(location.root);
        let buffer = self.memory.buffer(location.root)?;
        let steps = run(root, &buffer)?.steps;
        let Some((step, per_stick)) = steps.last().zip(buffer.device_size.last()) else {
            return Ok(Ok(By::Form)); // A tensor without dimensions has one element.
        };
        let Some(dim) = step.dim else {
            return Ok(Ok(By::Form)); // Each stick has one element.
        };
        if step.divisor != 1 {
            return Err(Reason::Arrangement(
                "sticks of elements at a distance".to_owned(),
            ));
        }
        let end = self.end(instances, &location.element[dim])?;
        let rest = end.modulo(*per_stick).simplified(&instances.ranges);
        let after = self.program.extent(root.shape[dim]).minus(&end);
        let mut conditions = instances.conditions.clone();
        conditions.push(Constraint::NonNegative(rest.plus(&(-1).into())));
        conditions.push(Constraint::NonNegative(after.plus(&(-1).into())));
        Ok(
            match self.example(&instances.vars, &instances.ranges, &conditions)? {
                Answer::Never(by) => Ok(by),
                Answer::For(_) => Err(Ragged {
                    location,
                    dim,
                    end,
                    rest,
                    per_stick: *per_stick,
                    conditions,
                }),
            },
        )
    }

    /// Returns the first position after those of a write along a dimension, for one iteration.
    ///
    /// # Errors
    /// The positions are not all those of a range.
    fn end(&self, instances: &Instances<'_>, position: &Expr) -> Result<Expr, Reason> {
        let unmodelled = || Reason::Operation("a write through a view".to_owned());
        let mut rest = position.clone();
        let mut digits = Vec::new();
        for (atom, factor) in position.terms() {
            match atom {
                Atom::Var(Var::Point(at)) => {
                    let extent = instances.statement.space[*at as usize];
                    rest = rest.plus_times(&Var::Point(*at).into(), -factor);
                    if extent != Extent::Fixed(1) {
                        digits.push((*factor, extent));
                    }
                }
                Atom::Var(Var::Gathered(_)) => return Err(unmodelled()),
                Atom::Floor(inner, _) | Atom::Mod(inner, _)
                    if inner.vars().iter().any(|var| matches!(var, Var::Point(_))) =>
                {
                    return Err(unmodelled());
                }
                _ => {}
            }
        }
        // The digits of a position in mixed radix: each counts what the one before has positions.
        digits.sort_unstable_by_key(|(factor, _)| *factor);
        let mut count = Expr::from(1);
        for (factor, extent) in digits {
            if count.as_constant() != Some(factor) {
                return Err(unmodelled());
            }
            count = self.program.extent(extent).times(factor);
        }
        Ok(rest.plus(&count))
    }

    /// Returns an element that a write before has written, and the last stick of this one overwrites.
    fn lost(
        &self,
        id: StatementId,
        instances: &Instances<'_>,
        ragged: &Ragged,
    ) -> Result<Verdict, Reason> {
        let root = self.program.value(ragged.location.root);
        if !matches!(root.def, Def::Empty) {
            let answer = self.example(&instances.vars, &instances.ranges, &ragged.conditions)?;
            let Answer::For(values) = answer else {
                unreachable!("the write ends inside of a stick for some values");
            };
            let of = |expr: &Expr| expr.eval(&|var| values.get(&var).copied()).unwrap_or(0);
            let end = of(&ragged.end);
            return Ok(refuted(self.overwrites(instances, ragged, &values, end)));
        }
        let times = Times::new(self.program);
        for (at, other) in self.program.statements.iter().enumerate() {
            for result in &other.results {
                let writer = self.locate(result).ok();
                let Some(writer) = writer.filter(|writer| writer.root == ragged.location.root)
                else {
                    continue; // It writes another tensor.
                };
                let writer = (StatementId::new(at), &writer);
                if let Some(witness) = self.lost_to(id, instances, ragged, &times, writer)? {
                    return Ok(refuted(witness));
                }
            }
        }
        Ok(Verdict::Proved(By::Solver))
    }

    /// Returns an element that one operation has written before, in the last stick of a write.
    fn lost_to(
        &self,
        id: StatementId,
        instances: &Instances<'_>,
        ragged: &Ragged,
        times: &Times<'_>,
        (writer, written): (StatementId, &Location),
    ) -> Result<Option<Witness>, Reason> {
        let second = |expr: &Expr| expr.substituted(&|var| Some(var.second().into()));
        let of_writer = self.instances(writer)?;
        let mut conditions = ragged.conditions.clone();
        conditions.extend(of_writer.conditions.iter().map(|of| of.map(second)));
        let (mut vars, mut ranges) = (instances.vars.clone(), instances.ranges.clone());
        for var in &of_writer.vars {
            vars.push(var.second());
            if let Some((least, greatest)) = of_writer.ranges.of(*var) {
                ranges.set(var.second(), least, greatest);
            }
        }
        let pairs = ragged.location.element.iter().zip(&written.element);
        for (dim, (end, element)) in pairs.enumerate() {
            let element = second(element);
            if dim != ragged.dim {
                conditions.push(Constraint::equal(end, &element));
                continue;
            }
            let after = element.minus(&ragged.end);
            let left = Expr::from(ragged.per_stick).minus(&ragged.rest);
            conditions.extend(Constraint::inside(&after, &left));
        }
        // Another iteration of a loop around the tensor has another tensor.
        for around in &self.program.value(ragged.location.root).loops {
            let counter = Expr::from(Var::Counter(*around));
            conditions.push(Constraint::equal(&counter, &second(&counter)));
        }
        let counters = |of: &[LoopId]| -> Vec<(LoopId, Expr)> {
            of.iter()
                .map(|id| (*id, Var::Counter(*id).into()))
                .collect()
        };
        let now = times.of_statement(id, &counters(&instances.statement.loops));
        let before = times.of_statement(writer, &counters(&of_writer.statement.loops));
        for (now, before) in now.iter().zip(&before) {
            let before = second(before);
            let mut earlier = conditions.clone();
            let distance = now.minus(&before).plus(&(-1).into());
            earlier.push(Constraint::NonNegative(distance));
            if let Answer::For(values) = self.example(&vars, &ranges, &earlier)? {
                let of = |expr: &Expr| expr.eval(&|var| values.get(&var).copied()).unwrap_or(0);
                let position = of(&second(&written.element[ragged.dim]));
                let mut witness = self.overwrites(instances, ragged, &values, position);
                let loops = of_writer.statement.loops.iter();
                let iteration: Vec<_> = loops
                    .map(|id| of(&second(&Var::Counter(*id).into())).to_string())
                    .collect();
                let iteration = match iteration.is_empty() {
                    true => String::new(),
                    false => format!(", in iteration ({})", iteration.join(", ")),
                };
                let note = format!("the element is written here{iteration}");
                witness.notes.push((of_writer.statement.site, note));
                return Ok(Some(witness));
            }
            conditions.push(Constraint::equal(now, &before));
        }
        Ok(None)
    }

    /// Returns the witness of an element that the last stick of a write overwrites.
    fn overwrites(
        &self,
        instances: &Instances<'_>,
        ragged: &Ragged,
        values: &Values,
        position: i64,
    ) -> Witness {
        let of = |expr: &Expr| expr.eval(&|var| values.get(&var).copied()).unwrap_or(0);
        let mut element: Vec<i64> = ragged.location.element.iter().map(of).collect();
        element[ragged.dim] = position;
        let message = format!(
            "the write ends at position {} along dimension {} of the tensor, inside of a stick of {}, and overwrites element \
             {element:?} with the rest of the stick",
            of(&ragged.end),
            ragged.dim,
            ragged.per_stick
        );
        let mut witness = self.witness_of(instances, values, message);
        let root: ValueId = ragged.location.root;
        let note = "the tensor with the element is here".to_owned();
        witness.notes.push((self.program.value(root).site, note));
        witness
    }
}

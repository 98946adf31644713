//! P4 (b): a core reads from its scratchpad what it has written there; and values that are one tensor have the same
//! bytes.

use super::{Instances, Order, Prover, element, point, refuted};
use crate::claim::{By, Claim, Reason, Report, Verdict, Witness};
use crate::expr::{Expr, Ranges, Var};
use crate::memory::{Buffer, Location, Nowhere, Space};
use crate::program::{Extent, LoopId, Program, StatementId, ValueId};
use crate::sets::Constraint;

/// The name of the copy between scratchpads whose cores are not those of its split.
pub(super) const RELAYOUT: &str = "relayout";

impl Prover<'_> {
    /// Checks that each core that reads an operand in the scratchpad has written the elements that it reads: the
    /// writer is the statement that computes the tensor.
    pub(super) fn owner(
        &self,
        reader: &Instances<'_>,
        operand: usize,
        writer: StatementId,
        result: usize,
    ) -> Verdict {
        let written = self.program.statement(writer);
        if [&reader.statement.key.name, &written.key.name]
            .iter()
            .any(|name| *name == RELAYOUT)
        {
            return Verdict::Unknown(Reason::Operation(RELAYOUT.to_owned()));
        }
        let location = match self.locate(&reader.statement.operands[operand]) {
            Ok(location) => location,
            Err(nowhere) => return self.nowhere(nowhere),
        };
        let value = written.results[result].value;
        let parts = self.memory.result_parts(writer, value);
        let (parts, all) = match (parts, self.program.parts(written)) {
            (Ok(parts), Ok((all, _))) => (parts, all),
            (Err(reason), _) | (_, Err(reason)) => return Verdict::Unknown(reason),
        };
        let mut faults = vec![Expr::from(Var::Core).minus(&written.cores().into())];
        for (position, part) in location.element.iter().zip(&parts) {
            let Some(part) = part else { continue };
            let relative = position.minus(&part.first);
            faults.push(relative.minus(&part.size));
            faults.push(relative.times(-1).plus(&(-1).into()));
        }
        for (dim, part) in all.iter().enumerate().skip(written.kept()) {
            // Only the last core of a group has the sum of its parts (contract, K68a).
            let split = written.split.as_ref().map_or(1, |split| split[dim]);
            if let (true, Some(size)) = (split > 1, part.size.as_constant()) {
                let last = Expr::from((split - 1) * size);
                faults.push(last.minus(&part.first).plus(&(-1).into()));
            }
        }
        self.never_in(reader, &faults, |values| {
            let of = |expr: &Expr| expr.eval(&|var| values.get(&var).copied()).unwrap_or(0);
            let read: Vec<i64> = location.element.iter().map(of).collect();
            let core = of(&Var::Core.into());
            let has = if core < written.cores() {
                let shape = &self.program.value(value).shape;
                let parts = parts.iter().zip(shape).map(|(part, extent)| match part {
                    Some(part) => {
                        let first = of(&part.first);
                        format!("{first}..{}", first + of(&part.size))
                    }
                    None => format!("0..{}", self.program.largest(*extent)),
                });
                format!("[{}]", parts.collect::<Vec<_>>().join(", "))
            } else {
                "nothing".to_owned()
            };
            let mut message = format!(
                "core {core} reads element {read:?} of operand {operand}, and has {has} of it in its LX"
            );
            if written.reduced > 0 && written.split.iter().flatten().skip(written.kept()).any(|cores| *cores > 1) {
                message.push_str(", a sum that only the last core of each group has");
            }
            let mut witness = self.witness_of(reader, values, message);
            witness.notes.push((written.site, "it is computed here".to_owned()));
            witness
        })
    }

    /// Checks that none of several expressions is zero or positive for an instance of a statement.
    pub(super) fn never_in(
        &self,
        instances: &Instances<'_>,
        faults: &[Expr],
        witness: impl Fn(&super::Values) -> Witness,
    ) -> Verdict {
        let Instances {
            vars,
            conditions,
            ranges,
            parts,
            ..
        } = instances;
        // Relative to the part of the core, a point has a range that does not depend on the core.
        let mut relative = ranges.clone();
        for (dim, part) in parts.iter().enumerate() {
            let size = part.size.range(ranges).map_or(i64::MAX, |(_, most)| most);
            relative.set(element(dim), 0, (size - 1).max(0));
        }
        let moved = |var: Var| match var {
            Var::Point(at) => {
                let part = &parts[at as usize];
                Some(part.first.plus(&Var::Element(at).into()))
            }
            _ => None,
        };
        let open: Vec<Expr> = faults
            .iter()
            .filter(|fault| {
                let range = fault
                    .substituted(&moved)
                    .simplified(&relative)
                    .range(&relative);
                range.is_none_or(|(_, most)| most >= 0)
            })
            .cloned()
            .collect();
        self.never(vars, ranges, conditions, &open, witness)
    }

    /// Checks that the value of an insertion is in the window of the tensor.
    pub(super) fn insertion(&self, insert: ValueId) -> Verdict {
        let crate::program::Def::Insert { tile, .. } = self.program.value(insert).def else {
            unreachable!("only insertions are checked");
        };
        let shape = &self.program.value(tile).shape;
        let elements: Vec<Expr> = (0..shape.len()).map(|dim| element(dim).into()).collect();
        let (into, moved) = self.memory.inserted(insert, &elements);
        let loops = &self.program.value(insert).loops;
        let places = self.memory.resolve(tile, elements).and_then(|tile| {
            let window = self.memory.resolve(into, moved)?;
            Ok((tile, window))
        });
        let message = |tile: &Buffer, window: &Buffer| {
            format!(
                "the value is in {tile}, and the window in {window}: no operation writes it there"
            )
        };
        self.same(loops, shape, places, message)
    }

    /// Checks that two locations of the elements of a tensor of `shape` are the same bytes.
    fn same(
        &self,
        loops: &[LoopId],
        shape: &[Extent],
        places: Result<(Location, Location), Nowhere>,
        message: impl Fn(&Buffer, &Buffer) -> String,
    ) -> Verdict {
        let (a, b) = match places {
            Ok((a, b)) if a == b => return Verdict::Proved(By::Form),
            Ok(places) => places,
            Err(nowhere) => return self.nowhere(nowhere),
        };
        let buffers = self
            .memory
            .buffer(a.root)
            .and_then(|a| Ok((a, self.memory.buffer(b.root)?)));
        match buffers {
            Ok((of_a, of_b)) => self.same_bytes(loops, shape, (&a, &of_a), (&b, &of_b), message),
            Err(reason) => Verdict::Unknown(reason),
        }
    }

    /// Checks that elements of two buffers are the same bytes.
    fn same_bytes(
        &self,
        loops: &[LoopId],
        shape: &[Extent],
        (a, of_a): (&Location, &Buffer),
        (b, of_b): (&Location, &Buffer),
        message: impl Fn(&Buffer, &Buffer) -> String,
    ) -> Verdict {
        let fault = || {
            let note = |root: ValueId| {
                let site = self.program.value(root).site;
                (site, "one of the tensors is computed here".to_owned())
            };
            Witness {
                message: message(of_a, of_b),
                notes: vec![note(a.root), note(b.root)],
                ..Witness::default()
            }
        };
        let mut ranges = self.program.ranges(loops, None);
        let cores = of_a.cores.unwrap_or(1).max(of_b.cores.unwrap_or(1));
        ranges.set(Var::Core, 0, (cores - 1).max(0));
        let mut conditions = self.context_of(loops);
        conditions.extend(Constraint::inside(&Var::Core.into(), &cores.into()));
        let mut vars = Program::counters(loops);
        vars.push(Var::Core);
        for (dim, extent) in shape.iter().enumerate() {
            ranges.set(element(dim), 0, (self.program.largest(*extent) - 1).max(0));
            conditions.extend(Constraint::inside(
                &element(dim).into(),
                &self.program.extent(*extent),
            ));
            vars.push(element(dim));
        }
        let firsts = |buffer: &Buffer, ranges: &Ranges| -> Vec<Expr> {
            buffer
                .first
                .iter()
                .map(|first| first.simplified(ranges))
                .collect()
        };
        let is_alike = of_a.space == of_b.space
            && of_a.cores == of_b.cores
            && (of_a.space != Space::Scratchpad
                || of_a.shape == of_b.shape && firsts(of_a, &ranges) == firsts(of_b, &ranges));
        if !is_alike {
            return refuted(fault());
        }
        let bytes = self.memory.byte(of_a, &a.element);
        let bytes = bytes.and_then(|of_a| Ok((of_a, self.memory.byte(of_b, &b.element)?)));
        let (a, b) = match bytes {
            Ok((a, b)) => (a.simplified(&ranges), b.simplified(&ranges)),
            Err(reason) => return Verdict::Unknown(reason),
        };
        if a == b {
            return Verdict::Proved(By::Form);
        }
        self.never(&vars, &ranges, &conditions, &apart(&a, &b), |values| {
            let of = |expr: &Expr| expr.eval(&|var| values.get(&var).copied()).unwrap_or(0);
            let witness = self.witness(loops, values, 0, String::new());
            let point = (0..shape.len()).filter_map(|dim| values.get(&element(dim)).copied());
            Witness {
                counters: witness.counters,
                params: witness.params,
                point: point.collect(),
                message: format!(
                    "{}; the element is at byte {} of one and at byte {} of the other",
                    fault().message,
                    of(&a),
                    of(&b)
                ),
                ..fault()
            }
        })
    }

    /// Checks that loops yield each tensor where its initial value is.
    pub(super) fn carried(&self, order: &Order, report: &mut Report) {
        for (at, of) in self.program.loops.iter().enumerate() {
            let id = LoopId::new(at);
            let mut loops: Vec<LoopId> = Vec::new();
            let mut next = Some(id);
            while let Some(of) = next {
                loops.insert(0, of);
                next = self.program.of_loop(of).parent;
            }
            if !self.is_executed(&loops) {
                continue; // The initial values are the results.
            }
            if let Some(reason) = order.loops.get(&id) {
                report.add(
                    Claim::Order,
                    of.site,
                    "loop",
                    Verdict::Unknown(reason.clone()),
                );
            }
            for (number, carried) in of.carried.iter().enumerate() {
                let shape = &self.program.value(carried.init).shape;
                let elements: Vec<Expr> = (0..shape.len()).map(|dim| element(dim).into()).collect();
                let places = self.memory.resolve(carried.init, elements.clone());
                let places = places.and_then(|init| {
                    let yielded = self.memory.resolve(carried.yielded, elements)?;
                    Ok((yielded, init))
                });
                let verdict = self.same(&loops, shape, places, |yielded, init| {
                    format!(
                        "value {number} of the loop is yielded in {yielded}, but its initial value is in {init}"
                    )
                });
                report.add(Claim::Place, of.site, format!("carried {number}"), verdict);
            }
        }
    }

    /// Checks that the results of the function are in their arguments, and have not been overwritten.
    pub(super) fn results(&self, order: &Order, report: &mut Report) {
        for (number, value) in self.program.results.iter().enumerate() {
            let site = self.program.value(*value).site;
            let place = self.result(number, *value);
            report.add(Claim::Place, site, format!("returned {number}"), place);
            let verdict = order.results.get(&number).cloned();
            let verdict = verdict.unwrap_or(Verdict::Proved(By::Form));
            report.add(Claim::Order, site, format!("returned {number}"), verdict);
        }
    }

    fn result(&self, number: usize, value: ValueId) -> Verdict {
        let of = self.program.value(value);
        let elements: Vec<Expr> = (0..of.shape.len()).map(|dim| element(dim).into()).collect();
        let location = match self.memory.resolve(value, elements.clone()) {
            Ok(location) => location,
            Err(nowhere) => return self.nowhere(nowhere),
        };
        let buffer = match self.memory.buffer(location.root) {
            Ok(buffer) => buffer,
            Err(reason) => return Verdict::Unknown(reason),
        };
        let first = self.first_result().expect("the function has a result");
        let argument = u32::try_from(number).expect("fewer than 2^32 results") + first;
        if buffer.space != Space::Argument(argument) {
            let note = self.program.value(location.root).site;
            return refuted(Witness {
                message: format!(
                    "result {number} is in {buffer}, and not in its argument, {argument}"
                ),
                notes: vec![(note, "the tensor is computed here".to_owned())],
                ..Witness::default()
            });
        }
        if location.element == elements && of.shape == self.program.value(location.root).shape {
            return Verdict::Proved(By::Form);
        }
        let whole = match self.memory.whole(value, buffer.space) {
            Ok(whole) => whole,
            Err(reason) => return Verdict::Unknown(reason),
        };
        let all = Location {
            root: value,
            element: elements,
        };
        let message = |buffer: &Buffer, _: &Buffer| {
            format!(
                "result {number} is a part of the tensor in {buffer}, and not all of its argument"
            )
        };
        self.same_bytes(
            &[],
            &of.shape,
            (&location, &buffer),
            (&all, &whole),
            message,
        )
    }
}

/// Returns the faults of two ends, of which none may be zero or positive.
pub(super) fn apart(a: &Expr, b: &Expr) -> [Expr; 2] {
    [a.minus(b).plus(&(-1).into()), b.minus(a).plus(&(-1).into())]
}

/// Returns the positions of a point for a message.
pub(super) fn at_point(values: &super::Values, count: usize, of: impl Fn(Var) -> Var) -> Vec<i64> {
    let positions = (0..count).filter_map(|dim| values.get(&of(point(dim))).copied());
    positions.collect()
}

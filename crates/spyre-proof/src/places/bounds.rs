//! P4 without order: windows inside of tensors, buffers inside of memories, whole sticks, cores and spans.

use rustc_hash::{FxHashMap, FxHashSet};
use spyre_layout::Coord;

use super::{Answer, Instances, Order, Prover, Rooms, Values, both, element, point, refuted};
use crate::claim::{Assumption, By, Claim, Reason, Report, Verdict, Witness};
use crate::domain::Part;
use crate::expr::{Expr, Ranges, Var};
use crate::memory::{
    Buffer, Location, Memory, STICK, Space, has_elements_in_order, layout, number, run,
};
use crate::program::{Access, Def, Extent, Place, Program, StatementId, ValueId};
use crate::sets::Constraint;

impl Prover<'_> {
    /// Checks that all windows and views are inside of their tensors.
    pub(super) fn windows(&self, report: &mut Report) {
        for (at, value) in self.program.values.iter().enumerate() {
            let (outer, offsets, dims, tile) = match &value.def {
                Def::Slice {
                    source,
                    offsets,
                    dims,
                } => (*source, offsets, dims, ValueId::new(at)),
                Def::Insert {
                    tile,
                    into,
                    offsets,
                    dims,
                } => (*into, offsets, dims, *tile),
                Def::View { source, index } => {
                    if self.is_executed(&value.loops) {
                        let verdict = self.view(ValueId::new(at), *source, index);
                        report.add(Claim::Place, value.site, "view", verdict);
                    }
                    continue;
                }
                _ => continue, // Other definitions have no window.
            };
            if !self.is_executed(&value.loops) {
                continue; // No iteration reads or writes it.
            }
            let mut verdict = Verdict::Proved(By::Form);
            for (dim, (offset, of)) in offsets.iter().zip(dims).enumerate() {
                let size = of.map_or(Extent::Fixed(1), |of| self.program.value(tile).shape[of]);
                let extent = self.program.value(outer).shape[dim];
                let answer = self.window(ValueId::new(at), dim, offset, size, extent);
                verdict = both(verdict, answer);
            }
            if let Def::Insert { .. } = value.def {
                verdict = both(verdict, self.insertion(ValueId::new(at)));
            }
            report.add(Claim::Place, value.site, "window", verdict);
        }
    }

    /// Checks that the elements of a view are elements of its source.
    fn view(&self, view: ValueId, source: ValueId, index: &[Expr]) -> Verdict {
        let value = self.program.value(view);
        let mut ranges = self.program.ranges(&value.loops, None);
        let mut conditions = self.context_of(&value.loops);
        let mut vars = Program::counters(&value.loops);
        for (dim, extent) in value.shape.iter().enumerate() {
            let last = (self.program.largest(*extent) - 1).max(0);
            ranges.set(element(dim), 0, last);
            let extent = self.program.extent(*extent);
            conditions.extend(Constraint::inside(&element(dim).into(), &extent));
            vars.push(element(dim));
        }
        let mut verdict = Verdict::Proved(By::Form);
        let shape = &self.program.value(source).shape;
        for (dim, (index, extent)) in index.iter().zip(shape).enumerate() {
            let extent = self.program.extent(*extent);
            let faults = [index.minus(&extent), index.times(-1).plus(&(-1).into())];
            let answer = self.never(&vars, &ranges, &conditions, &faults, |values| {
                let of = |expr: &Expr| expr.eval(&|var| values.get(&var).copied()).unwrap_or(0);
                let message = format!(
                    "the view has position {} of dimension {dim} of its source, which has {} elements there",
                    of(index),
                    of(&extent)
                );
                let point = (0..value.shape.len()).filter_map(|dim| values.get(&element(dim)));
                Witness {
                    point: point.copied().collect(),
                    ..self.witness(&value.loops, values, 0, message)
                }
            });
            verdict = both(verdict, answer);
        }
        verdict
    }

    /// Checks that a window is inside of its tensor along one dimension.
    fn window(
        &self,
        value: ValueId,
        dim: usize,
        offset: &Expr,
        size: Extent,
        extent: Extent,
    ) -> Verdict {
        let loops = &self.program.value(value).loops;
        let ranges = self.program.ranges(loops, None);
        let conditions = self.context_of(loops);
        let end = offset.plus(&self.program.extent(size));
        let over = end.minus(&self.program.extent(extent)).plus(&(-1).into());
        let under = offset.times(-1).plus(&(-1).into());
        let vars = Program::counters(loops);
        self.never(&vars, &ranges, &conditions, &[over, under], |values| {
            let of = |expr: &Expr| expr.eval(&|var| values.get(&var).copied()).unwrap_or(0);
            let message = format!(
                "the window has elements {} to {} of dimension {dim}, and the tensor has {} elements there",
                of(offset),
                of(&end),
                of(&self.program.extent(extent))
            );
            self.witness(loops, values, 0, message)
        })
    }

    /// Checks that none of several expressions is zero or positive.
    pub(super) fn never(
        &self,
        vars: &[Var],
        ranges: &Ranges,
        conditions: &[Constraint],
        faults: &[Expr],
        witness: impl Fn(&Values) -> Witness,
    ) -> Verdict {
        let mut verdict = Verdict::Proved(By::Form);
        let mut least: Option<(Vec<i64>, Values)> = None;
        for fault in faults {
            // The range of the expression decides most claims.
            let simplified = fault.simplified(ranges);
            if simplified.range(ranges).is_some_and(|(_, most)| most < 0) {
                continue;
            }
            let mut all = conditions.to_vec();
            all.push(Constraint::NonNegative(simplified));
            match self.example(vars, ranges, &all) {
                Ok(Answer::Never(by)) => verdict = both(verdict, Verdict::Proved(by)),
                Ok(Answer::For(values)) => {
                    let order: Vec<i64> = vars.iter().map(|var| values[var]).collect();
                    if least.as_ref().is_none_or(|(other, _)| order < *other) {
                        least = Some((order, values));
                    }
                }
                Err(reason) => verdict = both(verdict, Verdict::Unknown(reason)),
            }
        }
        match least {
            Some((_, values)) => refuted(witness(&values)),
            None => verdict,
        }
    }

    /// Adds the answers about one statement.
    pub(super) fn statement(&self, id: StatementId, order: &Order, report: &mut Report) {
        let statement = self.program.statement(id);
        if !self.is_executed(&statement.loops) {
            return;
        }
        let site = statement.site;
        let split = self.split(id, report);
        if !matches!(split, Verdict::Proved(_)) {
            // Without parts of cores no claim about accesses has a meaning.
            report.add(Claim::Place, site, "split", split);
            return;
        }
        let instances = match self.instances(id) {
            Ok(instances) => instances,
            Err(reason) => {
                report.add(Claim::Place, site, "split", Verdict::Unknown(reason));
                return;
            }
        };
        if instances
            .vars
            .iter()
            .any(|var| matches!(var, Var::Gathered(_)))
        {
            report.assumptions.insert(Assumption::IndicesInside);
        }
        for (at, access) in statement.operands.iter().enumerate() {
            let mut place = self.access(&instances, access, false);
            if let Some(owners) = order.owners.get(&(id, at)) {
                place = both(place, owners.clone());
            }
            let subject = format!("operand {at}");
            report.add(Claim::Place, site, &subject, place);
            let verdict = order.operands.get(&(id, at)).cloned();
            let order = verdict.unwrap_or(Verdict::Proved(By::Form));
            let order = both(order, self.in_place(&instances, at));
            report.add(Claim::Order, site, &subject, order);
        }
        for (at, access) in statement.results.iter().enumerate() {
            let place = self.access(&instances, access, true);
            let subject = format!("result {at}");
            report.add(Claim::Place, site, &subject, place);
            if let Some(order) = self.last_stick(id, &instances, access) {
                report.add(Claim::Order, site, subject, order);
            }
        }
    }

    /// Checks that the cores have equal parts, and that there are so many.
    fn split(&self, id: StatementId, report: &mut Report) -> Verdict {
        let statement = self.program.statement(id);
        let Some(split) = &statement.split else {
            return Verdict::Proved(By::Form); // One core executes all.
        };
        let fault = |message: String| {
            refuted(Witness {
                message,
                ..Witness::default()
            })
        };
        if statement.cores() > self.limits.cores {
            let cores = statement.cores();
            let message = format!(
                "split {split:?} needs {cores} cores of {}",
                self.limits.cores
            );
            return fault(message);
        }
        for (dim, (cores, extent)) in split.iter().zip(&statement.space).enumerate() {
            if let Extent::Fixed(extent) = *extent
                && extent % cores != 0
            {
                return fault(format!(
                    "split {split:?} cuts dimension {dim}, of {extent} elements, into {cores} parts that are not equal"
                ));
            }
        }
        let reduced: Vec<usize> = (statement.kept()..split.len())
            .filter(|at| split[*at] > 1)
            .collect();
        if let [one, other, ..] = reduced[..] {
            return fault(format!(
                "split {split:?} cuts the reduced dimensions {one} and {other}, and the parts of one are combined"
            ));
        }
        if !reduced.is_empty() {
            report.assumptions.insert(Assumption::PartsOfCores);
        }
        Verdict::Proved(By::Form)
    }

    /// Checks one access of all instances of a statement.
    fn access(&self, instances: &Instances<'_>, access: &Access, is_result: bool) -> Verdict {
        let mut verdict = self.inside(instances, access);
        let location = match self.locate(access) {
            Ok(location) => location,
            Err(nowhere) => return both(verdict, self.nowhere(nowhere)),
        };
        let buffer = match self.memory.buffer(location.root) {
            Ok(buffer) => buffer,
            Err(reason) => return both(verdict, Verdict::Unknown(reason)),
        };
        verdict = both(verdict, self.room(&buffer));
        if is_result {
            verdict = both(verdict, self.kept_argument(&buffer));
        }
        // The start of a part in the scratchpad is that of the buffer, but a part must not cut a stick.
        let mut whole = (*buffer).clone();
        if is_result && buffer.space == Space::Scratchpad {
            whole = self.undivided(&buffer).unwrap_or(whole);
        }
        verdict = both(verdict, self.starts(instances, &whole, &location));
        if buffer.space != Space::Scratchpad {
            verdict = both(verdict, self.span(instances, &buffer, &location));
        }
        verdict
    }

    /// Checks that the elements of an access are elements of the tensor.
    fn inside(&self, instances: &Instances<'_>, access: &Access) -> Verdict {
        let mut verdict = Verdict::Proved(By::Form);
        let shape = &self.program.value(access.value).shape;
        for (dim, (index, extent)) in access.index.iter().zip(shape).enumerate() {
            // A position in a dimension of the same extent is inside.
            if let Some(Var::Point(at)) = index.as_var()
                && instances.statement.space[at as usize] == *extent
            {
                continue;
            }
            let over = index.minus(&self.program.extent(*extent));
            let under = index.times(-1).plus(&(-1).into());
            let faults = [over, under];
            let answer = self.never_in(instances, &faults, |values| {
                let of = |expr: &Expr| expr.eval(&|var| values.get(&var).copied()).unwrap_or(0);
                let message = format!(
                    "position {} of dimension {dim} is outside of the tensor, which has {} elements there",
                    of(index),
                    of(&self.program.extent(*extent))
                );
                self.witness_of(instances, values, message)
            });
            verdict = both(verdict, answer);
        }
        verdict
    }

    /// Returns a witness for an instance of a statement.
    pub(super) fn witness_of(
        &self,
        instances: &Instances<'_>,
        values: &Values,
        message: String,
    ) -> Witness {
        let statement = instances.statement;
        self.witness(&statement.loops, values, statement.space.len(), message)
    }

    /// Checks that a buffer is inside of its memory, and that its layout has room for all elements.
    fn room(&self, buffer: &Buffer) -> Verdict {
        let value = self.program.value(buffer.root);
        let fault = |message: String| {
            let note = (value.site, "the tensor is computed here".to_owned());
            refuted(Witness {
                message,
                notes: vec![note],
                ..Witness::default()
            })
        };
        if buffer.start < 0 || buffer.start % STICK != 0 {
            return fault(format!("{buffer} do not start at a whole stick of {STICK}"));
        }
        let (room, of) = match buffer.space {
            Space::Scratchpad => (Some(self.limits.scratchpad), "LX".to_owned()),
            Space::Pool => (self.limits.pool, "the pool".to_owned()),
            Space::Argument(number) => {
                let Some(bytes) = self.rooms().0.get(&number) else {
                    return fault(format!(
                        "tensor of {} bytes is in argument {number}, and the function has no such argument or result",
                        buffer.bytes
                    ));
                };
                (*bytes, format!("argument {number}"))
            }
        };
        if let Some(room) = room
            && buffer.end() > room
        {
            return fault(format!("{buffer} end after the {room} bytes of {of}"));
        }
        match self.layout_room(buffer) {
            Ok(None) => Verdict::Proved(By::Form),
            Ok(Some(message)) => fault(message),
            Err(reason) => Verdict::Unknown(reason),
        }
    }

    /// Returns the fault of a layout that gives an element no place, or two elements the same.
    fn layout_room(&self, buffer: &Buffer) -> Result<Option<String>, Reason> {
        let layout = layout(self.program.value(buffer.root))?;
        for (dim, extent) in buffer.shape.iter().enumerate() {
            let mut covered = 1_i64;
            for (at, coord) in layout.coords().iter().enumerate() {
                let Coord::Digit {
                    dim: of,
                    divisor,
                    modulus,
                } = *coord
                else {
                    continue; // No position along the dimension.
                };
                if of != dim {
                    continue; // A digit of another dimension.
                }
                let divisor = number(divisor)?;
                let digits = extent.div_euclid(divisor) + i64::from(extent % divisor != 0);
                let (needed, covers) = match modulus {
                    Some(modulus) => {
                        let modulus = number(modulus)?;
                        (digits.min(modulus), divisor.saturating_mul(modulus))
                    }
                    None => (digits, i64::MAX),
                };
                covered = covered.max(covers);
                let size = buffer.device_size[at];
                if size < needed {
                    return Ok(Some(format!(
                        "device coordinate {at} has {size} positions, and {needed} are needed"
                    )));
                }
            }
            if covered < *extent {
                return Ok(Some(format!(
                    "the layout has room for {covered} of {extent} elements of dimension {dim}"
                )));
            }
        }
        Ok(None)
    }

    /// Checks that an operation does not write into an argument. The caller keeps what the function has been given, also
    /// after the last time that it is read; an argument that has the place of a result is one of the results.
    fn kept_argument(&self, buffer: &Buffer) -> Verdict {
        let kept = self.kept.get_or_init(|| {
            let values = self.program.values.iter();
            let arguments = values.filter_map(|value| match (&value.def, value.place) {
                (Def::Argument(_) | Def::Constant(_), Some(Place::Argument(number))) => {
                    Some(number)
                }
                _ => None,
            });
            let mut kept: FxHashSet<u32> = arguments.collect();
            for result in &self.program.results {
                let root = self.root_of(*result);
                if let Some(Place::Argument(number)) =
                    root.and_then(|root| self.program.value(root).place)
                {
                    kept.remove(&number);
                }
            }
            kept
        });
        let Space::Argument(number) = buffer.space else {
            return Verdict::Proved(By::Form);
        };
        if !kept.contains(&number) {
            return Verdict::Proved(By::Form);
        }
        let mut values = self.program.values.iter();
        let argument = values.find(|value| {
            let is_argument = matches!(value.def, Def::Argument(_) | Def::Constant(_));
            is_argument && value.place == Some(Place::Argument(number))
        });
        let argument = argument.expect("an argument has the number");
        refuted(Witness {
            message: format!(
                "the operation writes {buffer}, which the caller keeps: no result of the function has its place"
            ),
            notes: vec![(argument.site, "the argument is here".to_owned())],
            ..Witness::default()
        })
    }

    /// Returns the number of the first result among arguments and results: the results follow the arguments.
    pub(super) fn first_result(&self) -> Option<u32> {
        self.rooms().1
    }

    /// Returns the bytes of the arguments and results of the function, and the number of the first result.
    fn rooms(&self) -> &Rooms {
        self.rooms.get_or_init(|| {
            let mut rooms = FxHashMap::default();
            let mut arguments = 0;
            for (at, value) in self.program.values.iter().enumerate() {
                if let (Def::Argument(_) | Def::Constant(_), Some(Place::Argument(number))) =
                    (&value.def, value.place)
                {
                    arguments = arguments.max(number.saturating_add(1)); // The largest number has no place after it.
                    let whole = self.memory.whole(ValueId::new(at), Space::Argument(number));
                    rooms.insert(number, whole.map(|whole| whole.bytes).ok());
                }
            }
            let Some(first) = self.program.results.first() else {
                return (rooms, None);
            };
            // Arguments that are no tensors have a number as well.
            let place = self
                .root_of(*first)
                .and_then(|root| self.program.value(root).place);
            let start = match place {
                Some(Place::Argument(number)) if number >= arguments => number,
                _ => arguments,
            };
            for (value, number) in self.program.results.iter().zip(start..) {
                let whole = self.memory.whole(*value, Space::Argument(number));
                rooms.insert(number, whole.map(|whole| whole.bytes).ok());
            }
            (rooms, Some(start))
        })
    }

    fn root_of(&self, value: ValueId) -> Option<ValueId> {
        let rank = self.program.value(value).shape.len();
        let all = (0..rank).map(|dim| Expr::from(element(dim))).collect();
        self.memory
            .resolve(value, all)
            .ok()
            .map(|location| location.root)
    }

    /// Returns a buffer in the scratchpad as if one core had all of it.
    fn undivided(&self, buffer: &Buffer) -> Option<Buffer> {
        let value = self.program.value(buffer.root);
        let shape = value
            .shape
            .iter()
            .map(|extent| self.program.largest(*extent));
        let shape: Vec<i64> = shape.collect();
        Memory::undivided(value, buffer, shape).ok()
    }

    /// Checks that the first byte of each core in each iteration is that of a whole stick.
    fn starts(&self, instances: &Instances<'_>, buffer: &Buffer, location: &Location) -> Verdict {
        let byte = match self.memory.byte(buffer, &location.element) {
            Ok(byte) => byte,
            Err(reason) => return Verdict::Unknown(reason),
        };
        let first = first_point(&byte, &instances.parts);
        let rest = first.modulo(STICK).simplified(&instances.ranges);
        let fault = rest.plus(&(-1).into());
        let Instances {
            vars,
            ranges,
            conditions,
            statement,
            ..
        } = instances;
        // A point in the part of the core is in the conditions only to say which cores there are.
        self.never(vars, ranges, conditions, &[fault], |values| {
            let start = first.eval(&|var| values.get(&var).copied()).unwrap_or(0);
            let message = format!(
                "the core starts at byte {start} of {}, which is no whole stick of {STICK}",
                buffer.space
            );
            self.witness(&statement.loops, values, 0, message)
        })
    }

    /// Checks the distance of the positions that a core addresses: in the outermost device dimension outside of the
    /// stick with more than one position, the positions times the bytes from one to the next (middle-end
    /// specification, section 4.1).
    fn span(&self, instances: &Instances<'_>, buffer: &Buffer, location: &Location) -> Verdict {
        let Some(limit) = self.limits.span else {
            return Verdict::Proved(By::Form);
        };
        let value = self.program.value(buffer.root);
        let steps = match has_elements_in_order(value).and_then(|()| run(value, buffer)) {
            Ok(run) => run.steps,
            Err(reason) => return Verdict::Unknown(reason),
        };
        let position = buffer.position(&location.element);
        let mut ranges = instances.ranges.clone();
        for (dim, part) in instances.parts.iter().enumerate() {
            if let Some(size) = part.size.as_constant() {
                ranges.set(point(dim), 0, (size - 1).max(0));
            }
        }
        ranges.set(Var::Core, 0, 0);
        for id in &instances.statement.loops {
            ranges.set(Var::Counter(*id), 0, 0);
        }
        let outside = steps.len().saturating_sub(1);
        for step in steps.iter().take(outside) {
            let digit = step.digit(&position);
            let Some((least, most)) = digit.simplified(&ranges).range(&ranges) else {
                return Verdict::Unknown(Reason::TooLarge);
            };
            let positions = most - least + 1;
            if positions > 1 {
                let span = positions.saturating_mul(step.bytes);
                if span > limit {
                    return refuted(Witness {
                        message: format!(
                            "each core spans {span} bytes of {}, and can address {limit}",
                            buffer.space
                        ),
                        ..Witness::default()
                    });
                }
                break;
            }
        }
        Verdict::Proved(By::Form)
    }
}

/// Returns an expression at the first point of the part of a core.
fn first_point(expr: &Expr, parts: &[Part]) -> Expr {
    expr.substituted(&|var| match var {
        Var::Point(at) => Some(parts[at as usize].first.clone()),
        Var::Gathered(_) => Some(Expr::zero()),
        _ => None,
    })
}

//! Witnesses: what is read at one point, and what the program before reads.

use spyre_isl::{Basic, Context, Point, Relation, Shape};

use super::{Canonical, Fault, Simulation, laws, numbers};
use crate::claim::{Reason, Witness};
use crate::contents::{Pieces, Source};
use crate::program::{LoopId, Program, Site, StatementId};

/// Returns the set of one point.
pub(super) fn singleton(
    context: &Context,
    params: &[i64],
    point: &[i64],
) -> Result<Relation, Reason> {
    let shape = Shape {
        params: params.len(),
        ins: 0,
        outs: point.len(),
    };
    let numbers = params.iter().chain(point);
    let rows = numbers.enumerate().map(|(at, number)| {
        let mut row = vec![0; 1 + shape.dims()];
        row[0] = -number;
        row[1 + at] = 1;
        row
    });
    let basic = Basic {
        equalities: rows.collect(),
        ..Basic::universe(shape)
    };
    Ok(Relation::from_basic(context, &basic)?)
}

/// Returns a witness at a point: the counters of loops, and what remains of the coordinates.
pub(crate) fn witness_of(program: &Program, point: &Point, loops: &[LoopId]) -> Witness {
    let (counters, rest) = point.outs.split_at(loops.len());
    let params = program.params.iter().zip(&point.params);
    Witness {
        counters: loops
            .iter()
            .copied()
            .zip(counters.iter().copied())
            .collect(),
        params: params
            .map(|(param, number)| param.granularity * number)
            .collect(),
        point: rest.to_vec(),
        ..Witness::default()
    }
}

/// Returns the source of a point, and its coordinates.
fn source_at(
    context: &Context,
    pieces: &Pieces,
    point: &Point,
) -> Result<Option<(Source, Vec<i64>)>, Reason> {
    let set = singleton(context, &point.params, &point.outs)?;
    for (source, relation) in pieces.iter() {
        if let Some(pair) = relation.restrict_domain(&set)?.sample()? {
            return Ok(Some((source.clone(), pair.outs)));
        }
    }
    Ok(None)
}

/// Returns the text of a source: `element [3, 64] of argument 0`, `the number 2 of f16`.
fn described(program: &Program, source: &Source, at: &[i64]) -> String {
    let list = |numbers: &[i64]| {
        let numbers: Vec<_> = numbers.iter().map(ToString::to_string).collect();
        numbers.join(", ")
    };
    let in_loops = |loops: usize, what: String| {
        let (counters, element) = at.split_at(loops.min(at.len()));
        let element = format!("element [{}] of {what}", list(element));
        match counters {
            [] => element,
            _ => format!("{element} in iteration ({})", list(counters)),
        }
    };
    let number = numbers::text(program, source, at);
    match source {
        Source::Argument(number) => in_loops(0, format!("argument {number}")),
        Source::Number(bits) => number.unwrap_or_else(|| format!("the number {bits}")),
        Source::Constant(name) => {
            let element = in_loops(0, "a constant".to_owned());
            number.map_or_else(
                || in_loops(0, format!("the constant {name}")),
                |number| format!("{number}, {element}"),
            )
        }
        Source::Undefined => "an element that nothing has written".to_owned(),
        Source::Result(id, number) => {
            let statement = program.statement(*id);
            let which = match number {
                0 => String::new(),
                _ => format!("{number} "),
            };
            let what = format!("result {which}of '{}'", statement.key.name);
            in_loops(statement.loops.len(), what)
        }
        Source::Carried(id, number) => {
            let loops = program
                .value(program.of_loop(*id).carried[*number].argument)
                .loops
                .len();
            in_loops(loops, format!("the tensor {number} that a loop carries"))
        }
        Source::Opaque(_) => "an operation that is not modelled".to_owned(),
    }
}

/// The points that are looked at for one whose operands are other numbers.
pub(super) const TRIES: usize = 64;

/// The operation of the program before that has most operands of a point.
struct Closest {
    statement: StatementId,
    matched: usize,
    /// The first other operand, and what the program before reads.
    other: Option<(usize, Source, Vec<i64>)>,
}

impl Simulation<'_> {
    pub(super) fn describe(&self, source: &Source, at: &[i64]) -> String {
        let number = numbers::text(self.after.program(), source, at);
        let is_before = numbers::number(self.before.program(), source, at).is_some();
        match (number, source) {
            // The program before does not have the tensor.
            (Some(_), Source::Constant(_)) if !is_before => {
                described(self.after.program(), source, at)
            }
            _ => described(self.before.program(), source, at),
        }
    }

    pub(super) fn describe_after(&self, source: &Source) -> String {
        let text = described(self.after.program(), source, &[]);
        text.replace("element [] of ", "")
    }

    pub(super) fn witness_at(&self, point: &Point, loops: &[LoopId]) -> Witness {
        witness_of(self.after.program(), point, loops)
    }

    pub(super) fn source_at(
        &self,
        pieces: &Pieces,
        point: &Point,
    ) -> Result<Option<(Source, Vec<i64>)>, Reason> {
        source_at(&self.context, pieces, point)
    }

    /// Returns the operation of a source of the program before.
    pub(super) fn site_of(&self, source: &Source) -> Option<Site> {
        match source {
            Source::Result(id, _) => Some(self.before.program().statement(*id).site),
            Source::Carried(id, _) => Some(self.before.program().of_loop(*id).site),
            _ => None,
        }
    }

    /// Returns the witness of a fault at one of `points`. Points at which an operation of the program before has equal
    /// operands, because some are equal numbers, are no witnesses. `None` if the first [`TRIES`] points are such.
    pub(super) fn witness(
        &self,
        fault: &Fault,
        points: &Relation,
    ) -> Result<Option<Witness>, Reason> {
        let raw = self.after_reads(fault.statement)?;
        let resolved = raw.iter().map(|read| self.resolved(read));
        let resolved = resolved.collect::<Result<Vec<_>, _>>()?;
        let points = self.of_later_iterations(fault.statement, &raw, points)?;
        let mut points = self.reading_other_numbers(fault, &resolved, &points)?;
        for _ in 0..TRIES {
            let Some(point) = points.sample()? else {
                return Ok(None);
            };
            let reads = resolved.iter().map(|read| self.source_at(read, &point));
            let reads = reads.collect::<Result<Vec<_>, _>>()?;
            if fault.message.is_some() {
                return self.witness_of_parts(fault, &raw, &reads, &point).map(Some);
            }
            let closest = self.closest(fault.statement, &reads, &point)?;
            let mut numbers = reads.iter().flatten();
            let has_number = numbers.any(|(source, at)| self.number(source, at).is_some());
            let is_equal = |closest: &Closest| has_number && closest.matched == reads.len();
            if !closest.as_ref().is_some_and(is_equal) {
                let witness = self.witness_of_operand(fault.statement, closest, &reads, &point);
                return Ok(Some(witness));
            }
            points = points.subtract(&singleton(&self.context, &point.params, &point.outs)?)?;
        }
        Ok(None)
    }

    /// Returns the points that read no tensor that a loop carries by hypothesis in its first iteration; all points if
    /// there are no others. In the first iteration that is the tensor before the loop, and its elements may be equal.
    fn of_later_iterations(
        &self,
        id: StatementId,
        raw: &[Pieces],
        points: &Relation,
    ) -> Result<Relation, Reason> {
        let loops = &self.after.program().statement(id).loops;
        let mut later = points.clone();
        for source in raw.iter().flat_map(Pieces::sources) {
            let Source::Carried(of, _) = source else {
                continue; // It is no hypothesis.
            };
            if let Some(at) = loops.iter().position(|id| id == of) {
                let mut row = vec![0; 1 + points.shape().dims()];
                (row[0], row[1 + points.shape().params + at]) = (-1, 1);
                let counted = Basic {
                    inequalities: vec![row],
                    ..Basic::universe(points.shape())
                };
                later = later.intersect(&Relation::from_basic(&self.context, &counted)?)?;
            }
        }
        Ok(match later.is_empty()? {
            true => points.clone(),
            false => later,
        })
    }

    /// Returns the witness of an operation of parts of a reduction.
    fn witness_of_parts(
        &self,
        fault: &Fault,
        raw: &[Pieces],
        reads: &[Option<(Source, Vec<i64>)>],
        point: &Point,
    ) -> Result<Witness, Reason> {
        let statement = self.after.program().statement(fault.statement);
        let mut witness = self.witness_at(point, &statement.loops);
        let message = fault.message.clone().unwrap_or_default();
        witness.message.clone_from(&message);
        for (operand, read) in raw.iter().enumerate() {
            let partial = self.partial(read)?;
            let set = singleton(&self.context, &point.params, &point.outs)?;
            if reads[operand].is_none()
                && let Some(partial) = partial
                && !partial.intersect(&set)?.is_empty()?
            {
                let (text, site) = self.missing_term(read, point)?;
                witness.message = format!("{message}: operand {operand} {text}");
                witness
                    .before
                    .extend(site.map(|site| (site, "the sum before".to_owned())));
                break;
            }
        }
        Ok(witness)
    }

    /// Returns the witness of an operation of which one operand is another one than that of the closest operation of
    /// the program before.
    fn witness_of_operand(
        &self,
        id: StatementId,
        closest: Option<Closest>,
        reads: &[Option<(Source, Vec<i64>)>],
        point: &Point,
    ) -> Witness {
        let statement = self.after.program().statement(id);
        let mut witness = self.witness_at(point, &statement.loops);
        let read = |operand: usize| {
            reads[operand].as_ref().map_or_else(
                || "what is unknown".to_owned(),
                |(source, at)| self.describe(source, at),
            )
        };
        match closest {
            Some(Closest {
                statement,
                other: Some((operand, source, at)),
                ..
            }) => {
                let was = self.describe(&source, &at);
                witness.message =
                    format!("operand {operand} reads {}, before: {was}", read(operand));
                let site = self.before.program().statement(statement).site;
                witness
                    .before
                    .push((site, "the operation before".to_owned()));
            }
            other => {
                let all: Vec<_> = (0..reads.len()).map(read).collect();
                witness.message = format!(
                    "nothing before the pass is '{}' of {}",
                    statement.key.name,
                    all.join(" and ")
                );
                let site = other.map(|other| self.before.program().statement(other.statement).site);
                let note = "the operation before that reads the same";
                witness
                    .before
                    .extend(site.map(|site| (site, note.to_owned())));
            }
        }
        witness
    }

    pub(super) fn after_reads(&self, id: StatementId) -> Result<Vec<Pieces>, Reason> {
        let contents = &self.after.contents;
        let operands = &contents.space.program.statement(id).operands;
        let reads = operands.iter().map(|access| {
            let pieces = contents
                .cached(access.value)
                .expect("computed for the claim");
            pieces.after(&contents.space.access(id, access)?)
        });
        reads.collect()
    }

    /// Returns the operation of the program before of the same key that has most of the operands.
    fn closest(
        &self,
        id: StatementId,
        reads: &[Option<(Source, Vec<i64>)>],
        point: &Point,
    ) -> Result<Option<Closest>, Reason> {
        let key = &self.after.program().statement(id).key;
        let same = self.table.iter().filter(|of| {
            self.before.program().statement(of.statement).key == *key
                && of.readers.len() == reads.len()
        });
        // More candidates than these give no clearer message, unless one of them has equal numbers.
        let mut numbers = reads.iter().flatten();
        let has_numbers = numbers.any(|(source, at)| self.number(source, at).is_some());
        let most = if has_numbers { usize::MAX } else { 64 };
        let mut best: Option<Closest> = None;
        for of in same.take(most) {
            let mut orders = vec![[0, 1]];
            if reads.len() == 2 && laws::commutes(&key.name) {
                orders.push([1, 0]);
            }
            for order in orders {
                let readers = of.readers.iter().enumerate();
                let readers = readers.map(|(at, _)| {
                    let at = order.get(at).copied().unwrap_or(at);
                    &of.readers[at][..]
                });
                let closeness = self.closeness(of, reads, &readers.collect::<Vec<_>>(), point)?;
                if best
                    .as_ref()
                    .is_none_or(|best| best.matched < closeness.matched)
                {
                    best = Some(closeness);
                }
            }
        }
        Ok(best)
    }

    fn closeness(
        &self,
        of: &Canonical,
        reads: &[Option<(Source, Vec<i64>)>],
        readers: &[&[(Source, Relation)]],
        point: &Point,
    ) -> Result<Closest, Reason> {
        let mut points = of.points.clone();
        let (mut matched, mut first) = (0, None);
        for (operand, (read, readers)) in reads.iter().zip(readers).enumerate() {
            let with = match read {
                Some(read) => self.reading_number(readers, read, point)?,
                None => None,
            };
            let with = with.map(|with| with.intersect(&points)).transpose()?;
            match with {
                Some(with) if !with.is_empty()? => {
                    points = with;
                    matched += 1;
                }
                _ => first = first.or(Some(operand)),
            }
        }
        let mut closest = Closest {
            statement: of.statement,
            matched,
            other: None,
        };
        if matched > 0
            && let Some(operand) = first
            && let Some(at) = points.sample()?
        {
            let set = singleton(&self.context, &at.params, &at.outs)?;
            for (source, back) in readers[operand] {
                if let Some(pair) = back.restrict_range(&set)?.sample()? {
                    closest.other = Some((operand, source.clone(), pair.ins));
                    break;
                }
            }
        }
        Ok(closest)
    }

    /// Returns what the element of a point lacks, and the operation of the program before whose term it is.
    pub(super) fn missing_term(
        &self,
        raw: &Pieces,
        point: &Point,
    ) -> Result<(String, Option<Site>), Reason> {
        let set = singleton(&self.context, &point.params, &point.outs)?;
        for (source, relation) in raw.iter() {
            let Source::Result(id, at) = source else {
                continue;
            };
            let element = relation.restrict_domain(&set)?.range()?;
            let equality = self.after.equalities.get(&(*id, *at));
            for part in equality.into_iter().flat_map(|equality| &equality.parts) {
                let of = &self.table[part.of];
                let terms = part.terms.restrict_domain(&element)?.range()?;
                let whole = of.elements[0].restrict_domain(&terms)?.range()?;
                let all = of.elements[0].restrict_range(&whole)?.domain()?;
                if let Some(term) = all.subtract(&terms)?.sample()? {
                    let statement = self.before.program().statement(of.statement);
                    let text = format!(
                        "is a sum that lacks the term {:?} of '{}'",
                        &term.outs[statement.loops.len()..],
                        statement.key.name
                    );
                    return Ok((text, Some(statement.site)));
                }
            }
        }
        Ok(("lacks terms".to_owned(), None))
    }

    /// Returns why the sources of some points are not known.
    pub(super) fn reason(&self, raw: &Pieces, points: &Relation) -> Result<Reason, Reason> {
        let program = self.after.program();
        for (source, relation) in raw.iter() {
            let relation = relation.restrict_domain(points)?;
            if relation.is_empty()? {
                continue;
            }
            match source {
                Source::Opaque(value) => return Ok(unmodelled(program, *value)),
                Source::Carried(..) => return Ok(Reason::LoopsDiffer),
                Source::Result(id, at) => {
                    let equality = self.after.equalities.get(&(*id, *at));
                    let domain = equality.map_or(Ok(None), |equality| equality.mu.domain())?;
                    let is_known = match domain {
                        Some(domain) => relation.range()?.is_subset(&domain)?,
                        None => false,
                    };
                    if !is_known {
                        return Ok(Reason::Follows(program.statement(*id).site));
                    }
                }
                _ => {}
            }
        }
        Ok(Reason::Undetermined)
    }

    pub(super) fn reason_of_operands(
        &self,
        raw: &[Pieces],
        points: &Relation,
    ) -> Result<Reason, Reason> {
        for read in raw {
            let reason = self.reason(read, points)?;
            if reason != Reason::Undetermined {
                return Ok(reason);
            }
        }
        Ok(Reason::Undetermined)
    }
}

/// Returns the reason that elements of an operation are not known.
pub(crate) fn unmodelled(program: &Program, value: crate::program::ValueId) -> Reason {
    match &program.value(value).def {
        crate::program::Def::Opaque(name) => Reason::Operation(name.clone()),
        _ => Reason::Undetermined,
    }
}

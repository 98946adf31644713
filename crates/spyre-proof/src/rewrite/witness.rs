//! Witnesses: what is read at one point, and what the program before reads.

use spyre_isl::{Basic, Context, Point, Relation, Shape};

use super::{Canonical, Fault, Simulation};
use crate::claim::{Reason, Witness};
use crate::contents::{Pieces, Source};
use crate::program::{LoopId, Program, Site, StatementId};

/// Returns the set of one point.
fn singleton(context: &Context, params: &[i64], point: &[i64]) -> Result<Relation, Reason> {
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

/// Returns the text of a source: `element [3, 64] of argument 0`.
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
    match source {
        Source::Argument(number) => in_loops(0, format!("argument {number}")),
        Source::Number(number) => format!("the number {number}"),
        Source::Constant(name) => in_loops(0, format!("the constant {name}")),
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

/// The operation of the program before that has most operands of a point.
struct Closest {
    statement: StatementId,
    matched: usize,
    /// The first other operand, and what the program before reads.
    other: Option<(usize, Source, Vec<i64>)>,
}

impl Simulation<'_> {
    pub(super) fn describe(&self, source: &Source, at: &[i64]) -> String {
        described(self.before.program(), source, at)
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

    /// Returns the witness of a fault, at the first of some points.
    pub(super) fn witness(&self, fault: &Fault, points: &Relation) -> Result<Witness, Reason> {
        let program = self.after.program();
        let statement = program.statement(fault.statement);
        let point = points.sample()?.expect("the points are not empty");
        let mut witness = self.witness_at(&point, &statement.loops);
        let mut reads = Vec::new();
        let mut contents = self.after_reads(fault.statement)?;
        let raw = std::mem::take(&mut contents);
        for read in &raw {
            reads.push(self.source_at(&self.resolved(read)?, &point)?);
        }
        if let Some(message) = &fault.message {
            witness.message.clone_from(message);
            for (operand, read) in raw.iter().enumerate() {
                let partial = self.partial(read)?;
                let set = singleton(&self.context, &point.params, &point.outs)?;
                if reads[operand].is_none()
                    && let Some(partial) = partial
                    && !partial.intersect(&set)?.is_empty()?
                {
                    let (text, site) = self.missing_term(read, &point)?;
                    witness.message = format!("{message}: operand {operand} {text}");
                    witness
                        .before
                        .extend(site.map(|site| (site, "the sum before".to_owned())));
                    break;
                }
            }
            return Ok(witness);
        }
        let read = |operand: usize| {
            reads[operand].as_ref().map_or_else(
                || "what is unknown".to_owned(),
                |(source, at)| self.describe(source, at),
            )
        };
        match self.closest(fault.statement, &reads, &point)? {
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
        Ok(witness)
    }

    pub(super) fn after_reads(&self, id: StatementId) -> Result<Vec<Pieces>, Reason> {
        let contents = &self.after.contents;
        let operands = &contents.space.program.statement(id).operands;
        let reads = operands.iter().map(|access| {
            let found = contents
                .found(access.value)
                .expect("computed for the claim");
            found.after(&contents.space.access(id, access)?)
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
        let mut best: Option<Closest> = None;
        // More candidates than these give no clearer message.
        for of in same.take(64) {
            let found = self.closeness(of, reads, point)?;
            if best
                .as_ref()
                .is_none_or(|best| best.matched < found.matched)
            {
                best = Some(found);
            }
        }
        Ok(best)
    }

    fn closeness(
        &self,
        of: &Canonical,
        reads: &[Option<(Source, Vec<i64>)>],
        point: &Point,
    ) -> Result<Closest, Reason> {
        let mut points = of.points.clone();
        let (mut matched, mut first) = (0, None);
        for (operand, (read, readers)) in reads.iter().zip(&of.readers).enumerate() {
            let mut with = None;
            if let Some((source, at)) = read
                && let Some((_, back)) = readers.iter().find(|(other, _)| other == source)
            {
                let set = singleton(&self.context, &point.params, at)?;
                with = Some(back.restrict_domain(&set)?.range()?.intersect(&points)?);
            }
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
            for (source, back) in &of.readers[operand] {
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
            let known = self.after.known.get(&(*id, *at));
            for part in known.into_iter().flat_map(|known| &known.parts) {
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
                    let known = self.after.known.get(&(*id, *at));
                    let known = known.map_or(Ok(None), |known| known.mu.domain())?;
                    let is_known = match known {
                        Some(known) => relation.range()?.is_subset(&known)?,
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

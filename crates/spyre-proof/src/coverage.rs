//! P1: what is read or returned has been written.
//!
//! A tile that is filled in part is no fault until the rest is read, so the claim is about reads and results, and moves
//! are read through. Most tensors are written as a whole, which is decided once for each tensor; the others are
//! compared with what each operation reads.

use rustc_hash::{FxHashMap, FxHashSet};
use spyre_isl::{Context, Point, Relation};

use crate::claim::{Assumption, By, Claim, Reason, Report, Verdict, Witness};
use crate::contents::{Contents, Pieces, Source, Space, is_once};
use crate::program::{Access, Carried, Def, LoopId, Program, Statement, StatementId, ValueId};
use crate::repeats::is_repeated;
use crate::rewrite::{law_of_parts, numbers, sum, unmodelled, witness_of};

/// Proves that a program reads and returns nothing that was not written. Returns the contents of its tensors as well.
///
/// A program `alone` has no lost results either: with a program before it, the results of both are compared instead.
pub(crate) fn prove_coverage<'p>(
    context: &Context,
    program: &'p Program,
    alone: bool,
) -> (Report, Contents<'p>) {
    let space = Space::new(program, context);
    let mut coverage = Coverage {
        contents: Contents::new(space, FxHashSet::default()),
        whole: FxHashMap::default(),
        numbers: None,
        report: Report::default(),
    };
    coverage.check_reads();
    coverage.check_results();
    coverage.check_carried();
    if alone {
        coverage.check_windows();
    }
    coverage.report.set_budget(context.budget());
    (coverage.report, coverage.contents)
}

/// Returns whether an operation has no instance for any extent.
pub(crate) fn is_empty(program: &Program, id: StatementId) -> bool {
    let statement = program.statement(id);
    statement
        .loops
        .iter()
        .any(|id| program.largest_trips(*id) == 0)
        || statement
            .space
            .iter()
            .any(|extent| program.largest(*extent) == 0)
}

struct Coverage<'p> {
    contents: Contents<'p>,
    /// Tensors of which every element has been written.
    whole: FxHashMap<ValueId, bool>,
    /// For each result of a statement, the first equal elements; computed where it is needed.
    numbers: Option<FxHashMap<(StatementId, usize), Pieces>>,
    report: Report,
}

impl Coverage<'_> {
    fn check_reads(&mut self) {
        let program = self.contents.space.program;
        for (at, statement) in program.statements.iter().enumerate() {
            let id = StatementId::new(at);
            if statement.is_move {
                continue;
            }
            self.report.operations += 1;
            if is_empty(program, id) {
                self.report.empty += 1;
            }
            if !Space::gathered(statement).is_empty() {
                self.report.assumptions.insert(Assumption::IndicesInside);
            }
            self.check_parts(statement);
            for (number, access) in statement.operands.iter().enumerate() {
                self.contents.space.context.reset();
                let verdict = self
                    .read(id, number, access)
                    .unwrap_or_else(Verdict::Unknown);
                let subject = format!("operand {number} of '{}'", statement.key.name);
                self.report
                    .add(Claim::Coverage, statement.site, subject, verdict);
            }
        }
    }

    /// Checks that cores compute parts of an element only where parts can be combined.
    fn check_parts(&mut self, statement: &Statement) {
        let split = statement.split.iter().flatten();
        let mut reduced = split.skip(statement.kept());
        if reduced.all(|cores| *cores == 1) {
            return;
        }
        self.report.assumptions.insert(Assumption::PartsOfCores);
        let name = &statement.key.name;
        if !law_of_parts(name) {
            let verdict = Verdict::Unknown(Reason::Law(name.clone()));
            let subject = format!("parts of '{name}'");
            self.report
                .add(Claim::Coverage, statement.site, subject, verdict);
        }
    }

    fn read(&mut self, id: StatementId, number: usize, access: &Access) -> Result<Verdict, Reason> {
        let program = self.contents.space.program;
        let statement = program.statement(id);
        if self.is_whole(access.value)? && self.contents.space.is_inside(statement, access) {
            return Ok(Verdict::Proved(By::Form));
        }
        let raw = self.contents.read(id, access)?;
        let instances = self.contents.space.instances(id)?;
        let Some(point) = first_without(&raw, &instances)?.sample()? else {
            return Ok(self.modelled(&raw));
        };
        let mut witness = witness_of(program, &point, &statement.loops);
        let value = |var| {
            let vars = self.contents.space.instance_vars(statement);
            let at = vars.iter().position(|other| *other == var)?;
            point.outs.get(at).copied()
        };
        let element = access.index.iter().map(|index| index.eval(&value));
        let element = element.collect::<Option<Vec<_>>>().unwrap_or_default();
        witness.message =
            format!("operand {number} reads element {element:?}, which nothing has written");
        let site = program.value(access.value).site;
        witness
            .notes
            .push((site, "the tensor that is read".to_owned()));
        Ok(Verdict::Refuted(Box::new(witness)))
    }

    fn check_results(&mut self) {
        let program = self.contents.space.program;
        for (at, value) in program.results.iter().enumerate() {
            self.contents.space.context.reset();
            let verdict = self.result(*value).unwrap_or_else(Verdict::Unknown);
            let site = program.value(*value).site;
            self.report
                .add(Claim::Coverage, site, format!("result {at}"), verdict);
        }
    }

    fn result(&mut self, value: ValueId) -> Result<Verdict, Reason> {
        let program = self.contents.space.program;
        let raw = self.contents.of(value)?;
        if self.is_whole(value)? {
            return Ok(self.modelled(&raw));
        }
        let all = self.contents.space.all_elements(value)?;
        let Some(point) = first_without(&raw, &all)?.sample()? else {
            return Ok(self.modelled(&raw));
        };
        let mut witness = witness_of(program, &point, &program.value(value).loops);
        witness.message = format!("nothing has written element {:?}", point.outs);
        Ok(Verdict::Refuted(Box::new(witness)))
    }

    /// Returns that elements are written, unless an operation among their sources is not modelled.
    fn modelled(&self, raw: &Pieces) -> Verdict {
        let opaque = raw.sources().find_map(|source| match source {
            Source::Opaque(value) => Some(unmodelled(self.contents.space.program, *value)),
            _ => None,
        });
        opaque.map_or(Verdict::Proved(By::Solver), Verdict::Unknown)
    }

    /// Returns whether every element of a tensor has been written, by an operation that is modelled.
    fn is_whole(&mut self, value: ValueId) -> Result<bool, Reason> {
        if let Some(is_whole) = self.whole.get(&value) {
            return Ok(*is_whole);
        }
        let program = self.contents.space.program;
        let is_whole = match &program.value(value).def {
            Def::Argument(_) | Def::Constant(_) => true,
            Def::Result(id) if !program.statement(*id).is_move => true,
            Def::Empty | Def::Opaque(_) => false,
            _ => {
                let raw = self.contents.of(value)?;
                let all = self.contents.space.all_elements(value)?;
                !raw.sources()
                    .any(|source| matches!(source, Source::Opaque(_)))
                    && first_without(&raw, &all)?.is_empty()?
            }
        };
        self.whole.insert(value, is_whole);
        Ok(is_whole)
    }

    /// Checks that tensors that are moved from themselves start whole, and stay so.
    fn check_carried(&mut self) {
        let program = self.contents.space.program;
        for (at, of) in program.loops.iter().enumerate() {
            for (number, carried) in of.carried.iter().enumerate() {
                let id = LoopId::new(at);
                self.contents.space.context.reset();
                let checked = self.carried(id, number, [carried.init, carried.yielded]);
                let verdict = match checked {
                    Ok(true) => continue,
                    Ok(false) => Verdict::Unknown(Reason::Recurrence),
                    Err(reason) => Verdict::Unknown(reason),
                };
                let subject = format!("tensor {number} of the loop");
                self.report.add(Claim::Coverage, of.site, subject, verdict);
            }
        }
    }

    fn carried(&mut self, id: LoopId, number: usize, ends: [ValueId; 2]) -> Result<bool, Reason> {
        let carried = self.contents.space.program.of_loop(id).carried[number];
        let itself = Source::Carried(id, number);
        // Of a tensor that nothing reads, contents have not been computed.
        let contents = self.contents.cached(carried.argument);
        if contents.is_none_or(|contents| contents.get(&itself).is_none()) {
            return Ok(true);
        }
        Ok(self.is_whole(ends[0])? && self.is_whole(ends[1])?)
    }
}

/// # Elements that are written twice
impl Coverage<'_> {
    /// Checks that iterations of a loop do not insert different results of an operation in one place, of which nothing
    /// reads the first.
    fn check_windows(&mut self) {
        let program = self.contents.space.program;
        for (at, of) in program.loops.iter().enumerate() {
            for number in 0..of.carried.len() {
                self.contents.space.context.reset();
                let verdict = match self.twice(LoopId::new(at), number) {
                    Ok(None) => continue,
                    Ok(Some(witness)) => Verdict::Refuted(Box::new(witness)),
                    Err(reason) => Verdict::Unknown(reason),
                };
                let subject = format!("windows of tensor {number} of the loop");
                self.report.add(Claim::Coverage, of.site, subject, verdict);
            }
        }
    }

    fn twice(&mut self, id: LoopId, number: usize) -> Result<Option<Witness>, Reason> {
        let program = self.contents.space.program;
        let carried = program.of_loop(id).carried[number];
        let argument = carried.argument;
        if is_once(program, carried.yielded, argument, id) || is_read(program, carried) {
            return Ok(None);
        }
        let Some(windows) = self.contents.windows(id, number)? else {
            return Ok(None);
        };
        let loops = program.value(argument).loops.clone();
        let depth = loops.len() - 1;
        for (source, relation) in windows.iter() {
            let Source::Result(statement, result) = source else {
                continue;
            };
            let domain = relation.domain()?;
            let (params, dims) = (domain.shape().params, domain.shape().outs);
            // From the element in an iteration to the element.
            let context = self.contents.space.context.clone();
            let all = Relation::identity(&context, params, dims)?;
            let elements = all.project_out_outs(depth, 1)?.restrict_domain(&domain)?;
            if elements.is_injective()? {
                continue;
            }
            let later = Relation::lt(&context, params, dims)?;
            let pairs = elements.then(&elements.reverse()?)?.intersect(&later)?;
            let terms = self.numbered(*statement, *result)?.after(relation)?;
            let loops_of_source = &program.statement(*statement).loops;
            let counter = loops_of_source.iter().position(|around| *around == id);
            let counter = counter.filter(|_| is_repeated(program, *statement, id));
            let equal = terms.iter().map(|(of, term)| {
                let term = match counter {
                    // The element is the same in each iteration.
                    Some(at) if of == source => term.project_out_outs(at, 1)?,
                    _ => term.clone(),
                };
                Ok(term.then(&term.reverse()?)?)
            });
            let pairs = match sum(equal)? {
                Some(equal) => pairs.subtract(&equal)?,
                None => pairs,
            };
            let Some(pair) = pairs.sample()? else {
                continue;
            };
            return Ok(Some(overwritten(program, *statement, &loops, &pair)));
        }
        Ok(None)
    }

    /// Returns the first equal element for each element of a result.
    fn numbered(&mut self, id: StatementId, result: usize) -> Result<&Pieces, Reason> {
        let space = &self.contents.space;
        let numbers = self
            .numbers
            .get_or_insert_with(|| numbers(&space.context, space.program));
        numbers.get(&(id, result)).ok_or(Reason::Undetermined)
    }
}

fn overwritten(program: &Program, id: StatementId, loops: &[LoopId], pair: &Point) -> Witness {
    let point = Point {
        params: pair.params.clone(),
        ins: Vec::new(),
        outs: pair.outs.clone(),
    };
    let mut witness = witness_of(program, &point, loops);
    let statement = program.statement(id);
    witness.message = format!(
        "overwrites an element that iteration {:?} has written with another result of '{}'",
        &pair.ins[..loops.len()],
        statement.key.name
    );
    let note = "the operation that writes it".to_owned();
    witness.notes.push((statement.site, note));
    witness
}

/// Returns whether the body of a loop reads a tensor that the loop inserts into.
fn is_read(program: &Program, carried: Carried) -> bool {
    let mut chain = FxHashSet::default();
    let mut next = vec![carried.yielded, carried.argument];
    while let Some(value) = next.pop() {
        if !chain.insert(value) || value == carried.argument {
            continue;
        }
        match &program.value(value).def {
            Def::Insert { into, .. } => next.push(*into),
            Def::LoopResult(id, at) => {
                let inner = program.of_loop(*id).carried[*at];
                next.extend([inner.init, inner.yielded, inner.argument]);
            }
            _ => {}
        }
    }
    let mut operands = program.statements.iter().flat_map(|of| &of.operands);
    let in_statements = operands.any(|access| chain.contains(&access.value));
    in_statements
        || program.values.iter().any(|value| match &value.def {
            Def::Slice { source, .. } | Def::View { source, .. } => chain.contains(source),
            Def::Insert { tile, .. } => chain.contains(tile),
            _ => false,
        })
}

/// Returns the points without a source, or whose source is undefined.
fn first_without(raw: &Pieces, points: &Relation) -> Result<Relation, Reason> {
    let written = raw.filtered(|source| *source != Source::Undefined);
    Ok(match written.domain()? {
        Some(written) => points.subtract(&written)?,
        None => points.clone(),
    })
}

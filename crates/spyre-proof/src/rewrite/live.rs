//! Faults: operations without a counterpart, and whether a result depends on them.
//!
//! A program may compute what the program before does not, as long as no result has it: elements of tiles that stick
//! out are such. So a fault is refuted for instances that a result depends on, backwards through all reads.

use rustc_hash::FxHashMap;
use spyre_isl::{Relation, Shape};

use super::matching::has_one_term;
use super::sums::Wrong;
use super::{Fault, Simulation, laws, sum};
use crate::claim::{By, Reason, Verdict, Witness};
use crate::contents::{Pieces, Source, Space};
use crate::program::{Def, StatementId, ValueId};

/// The steps back in time that are followed exactly, to find what results depend on.
const EXACT_PASSES: usize = 4;

/// The most steps back in time after which elements are told apart.
const MOST_PASSES: usize = 8;

/// The points of an operation that are not matched, by what is known of their operands.
struct Unmatched {
    /// All operands are known, or one is a part of a sum.
    certain: Relation,
    /// An operand is equal to nothing of the program before.
    tainted: Option<Relation>,
    /// Parts of sums are read.
    partial: Option<Relation>,
}

/// What a fault amounts to.
enum Judgement {
    /// A result depends on it.
    Wrong(Box<Witness>),
    /// A result depends on it, and it may be none.
    Open,
    /// A result depends on it, and it may be right for this reason.
    Excused(Reason),
    /// No result depends on it.
    Unused,
}

impl Simulation<'_> {
    /// Returns the verdict about an operation of which points have no counterpart, among those that are `open`.
    pub(super) fn refute_or_leave(
        &mut self,
        id: StatementId,
        raw: &[Pieces],
        reads: &[Pieces],
        open: Option<&Relation>,
        wrong: Option<Wrong>,
    ) -> Result<Verdict, Reason> {
        let space = self.after.contents.space.clone();
        let Some(mut rest) = self.matched(id, reads)? else {
            return Ok(Verdict::Proved(By::Solver));
        };
        if let Some(points) = self.folded_points(&space, id, reads)? {
            // These instances are right, and no witness is among them.
            rest = rest.subtract(&points)?;
        }
        if let Some(open) = open {
            rest = rest.intersect(open)?;
            if rest.is_empty()? {
                return Ok(Verdict::Proved(By::Solver));
            }
        }
        let is_sum = wrong.is_some() || open.is_some() && !self.reads_others(id, raw);
        let is_part = open.is_some() || wrong.is_some();
        if let Some(reason) = self.excuse(&space, id, [raw, reads], [is_sum, is_part])? {
            return self.leave(id, rest, reason);
        }
        let unmatched = self.unmatched(&space, id, raw, reads, &rest)?;
        let mut message = None;
        let mut certain = unmatched.certain;
        if let Some(partial) = &unmatched.partial
            && !partial.is_empty()?
        {
            certain = certain.union(partial)?;
            message = Some("reads a part of a sum".to_owned());
        }
        if let Some(wrong) = wrong {
            certain = wrong.points.intersect(&rest)?;
            message = Some(wrong.message);
        }
        let is_certain = !certain.is_empty()?;
        if is_certain
            && message.is_none()
            && let Some(law) = self.law_in_the_way(id, &inside(reads, &certain)?)
        {
            return Ok(Verdict::Unknown(Reason::Law(law)));
        }
        let mut bad = certain.clone();
        if let Some(tainted) = &unmatched.tainted {
            bad = bad.union(tainted)?;
        }
        if !self.is_incomplete {
            self.mark_different(&space, id, &bad)?;
        }
        let is_recurrent = raw.iter().any(|read| super::reads(read, id));
        let verdict = match is_recurrent {
            _ if is_certain => Verdict::Unknown(Reason::Undetermined),
            true if unmatched.tainted.is_none() => Verdict::Unknown(Reason::Recurrence),
            _ => Verdict::Unknown(self.reason_of_operands(raw, &rest)?),
        };
        self.faults.push(Fault {
            statement: id,
            finding: self.report.findings.len(),
            points: if is_certain { certain } else { rest },
            message,
            is_certain: is_certain && !self.is_incomplete,
        });
        Ok(verdict)
    }

    /// Returns why an operation may be right although points of it have no counterpart. `is_sum` is whether it combines
    /// parts of reductions, and nothing else, and `is_part` whether it combines parts.
    fn excuse(
        &mut self,
        space: &Space<'_>,
        id: StatementId,
        [raw, reads]: [&[Pieces]; 2],
        [is_sum, is_part]: [bool; 2],
    ) -> Result<Option<Reason>, Reason> {
        let name = &self.after.program().statement(id).key.name;
        if laws::combines(name) && self.reads_copies(raw) {
            return Ok(Some(Reason::Undetermined));
        }
        if laws::is_search(name) && self.has_search_in_parts() {
            return Ok(Some(Reason::Law(name.clone())));
        }
        if !is_sum && !self.has_operation(id) {
            // Another operation may compute the same numbers, so nothing is refuted: passes that replace operations add
            // such ones.
            return Ok(Some(Reason::NewOperation(name.clone())));
        }
        if !is_part && self.has_terms_before(space, id, reads)? {
            return Ok(Some(Reason::Law(name.clone())));
        }
        Ok(None)
    }

    /// Returns the answer to an operation that nothing of the program before is found for, where nothing shows that it
    /// is wrong. There is no claim if no result depends on it.
    pub(super) fn leave(
        &mut self,
        id: StatementId,
        points: Relation,
        reason: Reason,
    ) -> Result<Verdict, Reason> {
        self.faults.push(Fault {
            statement: id,
            finding: self.report.findings.len(),
            points,
            message: None,
            is_certain: false,
        });
        Ok(Verdict::Unknown(reason))
    }

    /// Returns whether an operation that combines parts reads something else as well: no part, no neutral number, and
    /// not itself.
    fn reads_others(&self, id: StatementId, raw: &[Pieces]) -> bool {
        let name = &self.after.program().statement(id).key.name;
        let is_other = |source: &Source| match source {
            Source::Result(other, at) => {
                let equality = self.after.equalities.get(&(*other, *at));
                *other != id && equality.is_none_or(|equality| equality.parts.is_empty())
            }
            Source::Number(number) => !laws::is_neutral(number, name) && !laws::is_zero(number),
            Source::Undefined => false,
            _ => true,
        };
        raw.iter().flat_map(Pieces::sources).any(is_other)
    }

    /// Returns whether the program before has an operation that computes the same function, of any operands.
    fn has_operation(&self, id: StatementId) -> bool {
        let statement = self.after.program().statement(id);
        let may_be_product = statement.reduced == 0 || has_one_term(statement);
        let names = laws::of_one_term(&statement.key);
        let mut table = self
            .table
            .iter()
            .map(|of| self.before.program().statement(of.statement));
        self.keys.contains_key(&statement.key)
            || table.any(|of| {
                let is_same = names.contains(&&of.key.name[..])
                    && of.key.elements == statement.key.elements
                    && of.key.attributes.is_empty();
                may_be_product && is_same && (of.reduced == 0 || has_one_term(of))
            })
    }

    /// Returns whether each term of a reduction is a term of the same reduction in the program before: other terms
    /// together, which some law may combine.
    fn has_terms_before(
        &mut self,
        space: &Space<'_>,
        id: StatementId,
        reads: &[Pieces],
    ) -> Result<bool, Reason> {
        let statement = space.program.statement(id);
        let Some(key) = self.keys.get(&statement.key).copied() else {
            return Ok(false);
        };
        if statement.reduced == 0 {
            return Ok(false);
        }
        let mut terms = Vec::new();
        for candidate in self.candidates(key, reads) {
            let of = &self.table[candidate];
            if let Some(pairs) = self.pairs_of_points(space, id, reads, of)? {
                terms.push(pairs.domain()?);
            }
        }
        match super::sum(terms.into_iter().map(Ok))? {
            Some(terms) => Ok(space.instances(id)?.is_subset(&terms)?),
            None => Ok(false),
        }
    }

    fn unmatched(
        &self,
        space: &Space<'_>,
        id: StatementId,
        raw: &[Pieces],
        reads: &[Pieces],
        rest: &Relation,
    ) -> Result<Unmatched, Reason> {
        let none = Relation::empty(&self.context, rest.shape())?;
        // Points with an operand that is not known, and those with one of which nothing at all is known.
        let (mut unknown, mut open) = (none.clone(), none.clone());
        let (mut tainted, mut partial) = (none.clone(), none.clone());
        for (raw, read) in raw.iter().zip(reads) {
            let mut lacking = match read.domain()? {
                Some(domain) => rest.subtract(&domain)?,
                None => rest.clone(),
            };
            unknown = unknown.union(&lacking)?;
            if let Some(points) = self.tainted(raw)? {
                tainted = tainted.union(&points.intersect(&lacking)?)?;
                lacking = lacking.subtract(&points)?;
            }
            if let Some(points) = self.partial(raw)? {
                partial = partial.union(&points.intersect(&lacking)?)?;
                lacking = lacking.subtract(&points)?;
            }
            open = open.union(&lacking)?;
        }
        let mut certain = rest.subtract(&unknown)?;
        let statement = space.program.statement(id);
        if statement.reduced > 0 && !unknown.is_empty()? {
            // An element with a term that is not known is not known.
            let elements = space.access(id, &statement.results[0])?;
            let unknown = elements.restrict_domain(&unknown)?.range()?;
            certain = certain.subtract(&elements.restrict_range(&unknown)?.domain()?)?;
        }
        // A part may still be completed by the operand that is not known.
        let partial = partial.subtract(&open)?;
        Ok(Unmatched {
            certain,
            tainted: (!tainted.is_empty()?).then_some(tainted),
            partial: (!partial.is_empty()?).then_some(partial),
        })
    }

    /// Remembers that elements are equal to nothing of the program before.
    fn mark_different(
        &mut self,
        space: &Space<'_>,
        id: StatementId,
        points: &Relation,
    ) -> Result<(), Reason> {
        if points.is_empty()? {
            return Ok(());
        }
        for (at, access) in space.program.statement(id).results.iter().enumerate() {
            let elements = space.access(id, access)?.restrict_domain(points)?.range()?;
            let equality = self.after.equalities.entry((id, at)).or_default();
            equality.differs = Some(elements);
        }
        Ok(())
    }

    /// Returns the points that read what is equal to nothing of the program before.
    fn tainted(&self, raw: &Pieces) -> Result<Option<Relation>, Reason> {
        self.reading(raw, |equality| Ok(equality.differs.clone()))
    }

    /// Returns the points that read an element that lacks terms.
    pub(super) fn partial(&self, raw: &Pieces) -> Result<Option<Relation>, Reason> {
        self.reading(raw, |equality| {
            // Sums that are not divided yet lack no terms.
            let parts = equality.parts.iter().filter(|part| part.scale == 1);
            let parts = sum(parts.map(|part| Ok(part.terms.domain()?)))?;
            Ok(match (parts, equality.mu.domain()?) {
                (Some(parts), Some(whole)) => Some(parts.subtract(&whole)?),
                (parts, _) => parts,
            })
        })
    }

    fn reading(
        &self,
        raw: &Pieces,
        of: impl Fn(&super::Equality) -> Result<Option<Relation>, Reason>,
    ) -> Result<Option<Relation>, Reason> {
        let mut points = Vec::new();
        for (source, relation) in raw.iter() {
            if let Source::Result(id, at) = source
                && let Some(equality) = self.after.equalities.get(&(*id, *at))
                && let Some(elements) = of(equality)?
            {
                points.push(relation.restrict_range(&elements)?.domain()?);
            }
        }
        sum(points.into_iter().map(Ok))
    }

    /// Returns a reduction of the program before of the same operands that may be equal by a law: a sum of two terms is
    /// an addition, and a product of one term a multiplication.
    fn law_in_the_way(&self, id: StatementId, reads: &[Pieces]) -> Option<String> {
        let name = &self.after.program().statement(id).key.name;
        let numbers = reads.iter().flat_map(Pieces::sources);
        let mut numbers = numbers.filter_map(|source| match source {
            Source::Number(number) => Some(number),
            _ => None,
        });
        if numbers.any(|number| laws::is_neutral(number, name)) {
            return Some(name.clone());
        }
        self.table.iter().find_map(|of| {
            let statement = self.before.program().statement(of.statement);
            let before = &statement.key.name;
            let law = laws::reduction(before)?;
            let may_multiply = law.is_product && name == "mul" && !has_one_term(statement);
            let related = law.combiner == name || may_multiply;
            let mut sources = of.readers.iter().flatten().map(|(source, _)| source);
            let shared = sources.any(|source| reads.iter().any(|read| read.get(source).is_some()));
            (related && shared).then(|| before.clone())
        })
    }

    /// Decides faults: refuted where a result depends on them. Where none does, there is no claim.
    pub(super) fn judge_faults(&mut self) {
        let faults = std::mem::take(&mut self.faults);
        if faults.is_empty() {
            return;
        }
        self.context.reset();
        let live = self.live();
        let mut unused = Vec::new();
        for fault in faults {
            self.context.reset();
            let judgement = match &live {
                Ok(live) => self.judged(&fault, live),
                Err(reason) => Err(reason.clone()),
            };
            let finding = &mut self.report.findings[fault.finding].verdict;
            match judgement {
                Ok(Judgement::Wrong(witness)) => *finding = Verdict::Refuted(witness),
                Ok(Judgement::Open) => {}
                Ok(Judgement::Excused(reason)) => *finding = Verdict::Unknown(reason),
                Ok(Judgement::Unused) => unused.push(fault.finding),
                Err(reason) => *finding = Verdict::Unknown(reason),
            }
        }
        self.report.unused += unused.len();
        let mut at = 0;
        self.report.findings.retain(|_| {
            at += 1;
            unused.binary_search(&(at - 1)).is_err()
        });
    }

    /// Returns the name of a table of constants that an operation of the program after the passes reads and the program
    /// before them lacks. A pass that folds a view or a window of a table builds such a table. Its elements are not
    /// compared, since a table is identified by its name.
    fn new_table(&self, id: StatementId) -> Result<Option<String>, Reason> {
        let values = &self.before.program().values;
        let is_before = |name: &str| {
            let name = name.rsplit_once(' ').map_or(name, |(name, _element)| name);
            let mut values = values.iter();
            values.any(|value| matches!(&value.def, Def::Constant(of) if of == name))
        };
        let reads = self.after_reads(id)?;
        let mut sources = reads.iter().flat_map(Pieces::sources);
        Ok(sources.find_map(|source| match source {
            Source::Constant(name) if !is_before(name) => Some(format!("the table {name}")),
            _ => None,
        }))
    }

    fn judged(
        &self,
        fault: &Fault,
        live: &FxHashMap<Source, Relation>,
    ) -> Result<Judgement, Reason> {
        // A new table with elements of another may differ from it in some elements.
        let table = self.new_table(fault.statement)?;
        if let Some(table) = &table
            && !self.has_changed(fault.statement)?
        {
            return Ok(Judgement::Excused(Reason::Operation(table.clone())));
        }
        let Some(points) = self.live_points(fault.statement, live)? else {
            return Ok(Judgement::Unused);
        };
        let points = points.intersect(&fault.points)?;
        if points.is_empty()? {
            return Ok(Judgement::Unused);
        }
        if !fault.is_certain {
            return Ok(Judgement::Open);
        }
        if self.reads_unequal(fault.statement)? {
            return Ok(Judgement::Excused(Reason::LoopsDiffer));
        }
        if fault.message.is_none() && self.is_additional(fault.statement)? {
            let name = self
                .after
                .program()
                .statement(fault.statement)
                .key
                .name
                .clone();
            return Ok(Judgement::Excused(Reason::Additional(name)));
        }
        Ok(match self.witness(fault, &points)? {
            Some(witness) => Judgement::Wrong(Box::new(witness)),
            None => Judgement::Excused(table.map_or(Reason::Undetermined, Reason::Operation)),
        })
    }

    /// Returns whether an operation reads a tensor that is equal by a hypothesis that does not hold: a loop may carry
    /// the tensors of the loop before in another order, and what it computes of them may be right.
    fn reads_unequal(&self, id: StatementId) -> Result<bool, Reason> {
        let reads = self.after_reads(id)?;
        let mut sources = reads.iter().flat_map(Pieces::sources);
        Ok(sources.any(|source| match source {
            Source::Carried(id, at) => self.unequal.contains(&(*id, *at)),
            _ => false,
        }))
    }

    /// Returns whether all operations of the program before with the key of an operation are wholly the counterparts of
    /// others.
    ///
    /// Passes that replace operations add masks, whose key the program may have already. An operation of a pass that keeps
    /// operations has a counterpart that no other operation computes, so nothing is lost for these.
    fn is_additional(&self, id: StatementId) -> Result<bool, Reason> {
        let key = &self.after.program().statement(id).key;
        let space = &self.before.contents.space;
        for of in &self.table {
            let statement = space.program.statement(of.statement);
            if statement.key != *key {
                continue;
            }
            // Equal elements of an operation have one name, that of the first.
            for (at, elements) in of.elements.iter().enumerate() {
                let source = Source::Result(of.statement, at);
                let others = self
                    .after
                    .equalities
                    .iter()
                    .filter(|((other, _), _)| *other != id);
                let names = others.filter_map(|(_, equality)| equality.mu.get(&source));
                let Some(names) = sum(names.map(|mu| Ok(mu.range()?)))? else {
                    return Ok(false);
                };
                if !elements.range()?.is_subset(&names)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Returns the points of an operation that results depend on; `None` for none.
    fn live_points(
        &self,
        id: StatementId,
        live: &FxHashMap<Source, Relation>,
    ) -> Result<Option<Relation>, Reason> {
        let space = &self.after.contents.space;
        let results = space.program.statement(id).results.iter().enumerate();
        sum(results.filter_map(|(at, access)| {
            let elements = live.get(&Source::Result(id, at))?;
            let points = || {
                let points = space.access(id, access)?.restrict_range(elements)?;
                Ok(points.domain()?)
            };
            Some(points())
        }))
    }

    /// Returns the elements that results depend on, and more where that takes many passes ([`Self::widened`]).
    fn live(&mut self) -> Result<FxHashMap<Source, Relation>, Reason> {
        let program = self.after.program();
        let mut live = FxHashMap::default();
        for result in &program.results {
            let contents = self.after.contents.of(*result)?;
            for (source, relation) in contents.iter() {
                grow(&mut live, source, &relation.range()?)?;
            }
        }
        for pass in 0.. {
            let mut has_grown = self.live_of_carried(&mut live, pass)?;
            for at in (0..program.statements.len()).rev() {
                let id = StatementId::new(at);
                let Some(points) = self.live_points(id, &live)? else {
                    continue;
                };
                for access in &program.statement(id).operands {
                    let raw = self.after.contents.read(id, access)?.inside(&points)?;
                    for (source, relation) in raw.iter() {
                        let later = matches!(source, Source::Result(other, _) if *other >= id);
                        let mut set = relation.range()?;
                        if later && let Source::Result(other, number) = source {
                            let result = &program.statement(*other).results[*number];
                            set = self.widened(result.value, set, pass)?;
                        }
                        let grown = grow(&mut live, source, &set)?;
                        has_grown |= grown && (later || matches!(source, Source::Carried(..)));
                    }
                }
            }
            if !has_grown {
                break;
            }
        }
        Ok(live)
    }

    /// Adds what tensors of loops depend on: what they start from, and what iterations yield.
    fn live_of_carried(
        &mut self,
        live: &mut FxHashMap<Source, Relation>,
        pass: usize,
    ) -> Result<bool, Reason> {
        let carried = live.iter().filter_map(|(source, elements)| match source {
            Source::Carried(id, at) => Some((*id, *at, elements.clone())),
            _ => None,
        });
        let carried: Vec<_> = carried.collect();
        let mut has_grown = false;
        for (id, at, elements) in carried {
            let of = self.after.program().of_loop(id).carried[at];
            let steps = self.after.contents.steps(id, at)?;
            for (value, step) in [of.init, of.yielded].into_iter().zip(steps) {
                let elements = step.restrict_domain(&elements)?.range()?;
                let elements = self.widened(value, elements, pass)?;
                let contents = self.after.contents.of(value)?.inside(&elements)?;
                for (source, relation) in contents.iter() {
                    has_grown |= grow(live, source, &relation.range()?)?;
                }
            }
        }
        Ok(has_grown)
    }

    /// Returns elements of a tensor that an earlier iteration has: after some passes those of all iterations, and then
    /// all elements. A step back in time for each pass would take as many passes as there are iterations.
    fn widened(&self, value: ValueId, elements: Relation, pass: usize) -> Result<Relation, Reason> {
        let space = &self.after.contents.space;
        if pass < EXACT_PASSES {
            return Ok(elements);
        }
        let all = space.all_elements(value)?;
        if pass >= MOST_PASSES {
            return Ok(all);
        }
        let (shape, loops) = (elements.shape(), space.program.value(value).loops.len());
        let counters = Shape {
            outs: loops,
            ..shape
        };
        let any = Relation::universe(&self.context, counters)?;
        let elements = elements.project_out_outs(0, loops)?;
        Ok(any.flat_product(&elements)?.intersect(&all)?)
    }
}

fn inside(reads: &[Pieces], points: &Relation) -> Result<Vec<Pieces>, Reason> {
    reads.iter().map(|read| read.inside(points)).collect()
}

/// Adds elements of a source, and returns whether there are new ones.
fn grow(
    live: &mut FxHashMap<Source, Relation>,
    source: &Source,
    elements: &Relation,
) -> Result<bool, Reason> {
    if !matches!(source, Source::Result(..) | Source::Carried(..)) {
        return Ok(false);
    }
    let Some(before) = live.get_mut(source) else {
        live.insert(source.clone(), elements.clone());
        return Ok(true);
    };
    if elements.is_subset(before)? {
        return Ok(false);
    }
    *before = before.union(elements)?.coalesce()?;
    Ok(true)
}

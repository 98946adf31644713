//! P2: a program computes what the program before a pass computes.
//!
//! The program after is simulated by the program before, operation by operation from the arguments on. `mu` relates
//! each element of the program after to an element of the program before that is equal, the identity on arguments and
//! constants. An operation is matched with operations of the same key: `rho`, the intersection over the operands of
//! `read; mu; read before^-1`, relates points with the same operands, and every point has to have one. Nothing is
//! iterated, so loops of any count cost the same.
//!
//! A reduction may be cut: then an element is a *part*, with the set of its terms, and an operation that combines parts
//! (`sums`) adds the sets up. Loops that both programs have are related by hypothesis: the tensors that they carry
//! are equal. It is checked at the end for the tensors before the loops and for those that an iteration yields, which
//! is induction over iterations.
//!
//! Most passes change the definition of no element: then the programs are equal by form (`form`), and nothing is
//! simulated.
//!
//! Operations of the program before with equal operands are one: otherwise the element that `mu` names and the element
//! that a later operation reads could be two names of one number.

mod before;
mod copies;
mod ends;
mod folds;
mod form;
pub(crate) mod laws;
mod live;
mod matching;
mod neutral;
mod numbers;
mod reduction;
mod sums;
#[cfg(test)]
mod tests;
mod unroll;
mod witness;

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use spyre_isl::{Basic, Context, Relation, Shape};

use crate::claim::{Assumption, By, Claim, Reason, Report, Verdict};
use crate::contents::{Contents, Pieces, Source, Space};
use crate::coverage;
use crate::program::{LoopId, OpKey, Program, StatementId};

use sums::Itself;
pub(crate) use witness::{unmodelled, witness_of};

/// Proves that a program computes what the program before a pass computes (P2), and that it reads nothing that was not
/// written (P1).
///
/// Both programs have the same arguments, results and dynamic extents.
#[must_use]
pub fn prove_rewrite(context: &Context, before: &Program, after: &Program) -> Report {
    let (mut report, contents) = coverage::prove_coverage(context, after, false);
    let same = before.params == after.params && before.results.len() == after.results.len();
    if !same {
        let site = crate::program::Site::new(0);
        let reason = Reason::Dynamic("or a result that only one program has".to_owned());
        report.add(
            Claim::Correspondence,
            site,
            "function",
            Verdict::Unknown(reason),
        );
        return report;
    }
    if let Some(equal) = form::equal_programs(before, after) {
        report.extend(equal);
        return report;
    }
    let pairs = ends::loop_pairs(before, after);
    if pairs.is_empty() {
        report.extend(Simulation::new(context, before, contents, &pairs).report());
        return report;
    }
    let opaque = pairs.iter().map(|(_, after)| *after).collect();
    let with = Contents::new(Space::new(after, context), opaque);
    let mut correspondence = Simulation::new(context, before, with, &pairs).report();
    if !correspondence.is_proved() {
        // Loops that only look alike: their carried tensors may still be sums, which need no hypothesis. And what is
        // refuted without it is so in the iteration of the witness: a tensor that a loop starts with may have equal
        // elements.
        let without = Simulation::new(context, before, contents, &[]).report();
        if without.is_proved() || without.refuted().next().is_some() {
            correspondence = without;
        }
    }
    report.extend(correspondence);
    report
}

/// Proves that a program reads and returns nothing that was not written (P1).
#[must_use]
pub fn prove_coverage(context: &Context, program: &Program) -> Report {
    coverage::prove_coverage(context, program, true).0
}

/// Returns for each result of the statements of a program the first elements that are equal to its elements.
pub(crate) fn numbers(
    context: &Context,
    program: &Program,
) -> FxHashMap<(StatementId, usize), Pieces> {
    let contents = Contents::new(Space::new(program, context), FxHashSet::default());
    let mut simulation = Simulation::new(context, program, contents, &[]);
    simulation.enter_all(program);
    let equalities = simulation.before.equalities.into_iter();
    equalities
        .map(|(result, equality)| (result, equality.mu))
        .collect()
}

/// Returns whether parts of a reduction that cores have computed can be combined.
pub(crate) fn law_of_parts(name: &str) -> bool {
    laws::combines_cores(name)
}

/// Tensors that loops of both programs carry, equal by hypothesis: the loop and number of the program before, and
/// after.
type LoopPair = ((LoopId, usize), (LoopId, usize));

/// One of the two programs.
#[derive(Clone, Copy, Debug)]
enum Side {
    Before,
    After,
}

/// A program, and the elements of the program before that its results are equal to.
struct Flow<'p> {
    contents: Contents<'p>,
    equalities: FxHashMap<(StatementId, usize), Equality>,
}

/// The elements that the elements of a result are equal to, or sums of. Relations start from the counters of the
/// statement and the element.
#[derive(Clone, Default)]
struct Equality {
    /// The element of the program before that is equal.
    mu: Pieces,
    /// Reductions of the program before, and those of their terms that the element is the sum of.
    parts: Vec<Part>,
    /// Whether elements lack terms.
    is_part: bool,
    /// Whether `mu` is the identity: an operation of the program before, and the first that is equal.
    is_itself: bool,
    /// Whether some elements of an operation of the program before are those of others.
    has_other_names: bool,
    /// Elements that are equal to no element of the program before.
    differs: Option<Relation>,
}

/// Terms of a reduction.
#[derive(Clone)]
struct Part {
    /// The reduction, in [`Simulation::table`].
    of: usize,
    /// The number that the sum of the terms is multiplied with: a mean of a tile is too large by the number of tiles.
    scale: i64,
    /// From the element to the points of the reduction.
    terms: Relation,
    /// Whether other points of the reduction have the same operands, so that the terms may as well be these.
    is_chosen: bool,
}

impl Part {
    fn new(of: usize, scale: i64, terms: Relation) -> Self {
        Self {
            of,
            scale,
            terms,
            is_chosen: false,
        }
    }
}

/// An operation of the program before that is equal to none before it.
struct Canonical {
    statement: StatementId,
    /// For each operand, the points that read an element.
    readers: Vec<Vec<(Source, Relation)>>,
    /// For each result, the element that a point belongs to.
    elements: Vec<Relation>,
    /// Positions of an instance on which no operand depends.
    free: Vec<usize>,
    /// The instances.
    points: Relation,
}

/// An operation for which no operation of the program before is found, and the reason.
struct Fault {
    statement: StatementId,
    /// The finding of the report.
    finding: usize,
    /// The points without a counterpart.
    points: Relation,
    /// What is wrong, if it is more than that nothing is equal.
    message: Option<String>,
    /// Whether all that is read is known, so that the result is equal to nothing of the program before.
    is_certain: bool,
}

struct Simulation<'p> {
    context: Context,
    before: Flow<'p>,
    after: Flow<'p>,
    pairs: FxHashMap<(LoopId, usize), (LoopId, usize)>,
    /// Tensors of loops of the program after that are equal by hypothesis, and do not start from equal ones.
    unequal: FxHashSet<(LoopId, usize)>,
    table: Vec<Canonical>,
    index: FxHashMap<(usize, usize, Source), Vec<usize>>,
    keys: FxHashMap<&'p OpKey, usize>,
    /// Whether an operation of the program before is not in the table: then nothing is certainly different.
    is_incomplete: bool,
    /// The operations of the program before that are too difficult, and those that read them: their elements may be equal
    /// to others under other names.
    unnamed: FxHashSet<StatementId>,
    faults: Vec<Fault>,
    reassociated: BTreeSet<usize>,
    report: Report,
}

impl<'p> Simulation<'p> {
    fn new(
        context: &Context,
        before: &'p Program,
        after: Contents<'p>,
        pairs: &[LoopPair],
    ) -> Self {
        let opaque: FxHashSet<_> = pairs.iter().map(|(before, _)| *before).collect();
        let before = Contents::new(Space::new(before, context), opaque);
        let flow = |contents| Flow {
            contents,
            equalities: FxHashMap::default(),
        };
        Self {
            context: context.clone(),
            before: flow(before),
            after: flow(after),
            pairs: pairs
                .iter()
                .map(|(before, after)| (*after, *before))
                .collect(),
            unequal: FxHashSet::default(),
            table: Vec::new(),
            index: FxHashMap::default(),
            keys: FxHashMap::default(),
            is_incomplete: false,
            unnamed: FxHashSet::default(),
            faults: Vec::new(),
            reassociated: BTreeSet::new(),
            report: Report::default(),
        }
    }

    fn report(mut self) -> Report {
        let (before, after) = (self.before.program(), self.after.program());
        self.enter_all(before);
        for (at, statement) in after.statements.iter().enumerate() {
            self.context.reset();
            if statement.is_move {
                continue;
            }
            self.report.operations += 1;
            let id = StatementId::new(at);
            if coverage::is_empty(after, id) {
                self.report.empty += 1;
            }
            let verdict = self.follow(id).unwrap_or_else(Verdict::Unknown);
            let name = format!("'{}'", statement.key.name);
            self.report
                .add(Claim::Correspondence, statement.site, name, verdict);
        }
        self.check_arguments();
        self.check_loops();
        self.check_results();
        self.judge_faults();
        if !self.reassociated.is_empty() {
            self.report.reassociated = self.reassociated.len();
            self.report.assumptions.insert(Assumption::Reassociation);
        }
        self.report.assumptions.insert(Assumption::IndexingMaps);
        self.report.set_budget(self.context.budget());
        self.report
    }

    fn enter_all(&mut self, before: &Program) {
        for at in 0..before.statements.len() {
            self.context.reset();
            // An operation of the program before that is too difficult has no counterparts; those are then unknown.
            let id = StatementId::new(at);
            if self.enter(id).is_err() {
                self.is_incomplete = true;
                self.unnamed.insert(id);
            }
        }
    }

    /// Finds the counterparts of an operation of the program after.
    fn follow(&mut self, id: StatementId) -> Result<Verdict, Reason> {
        let statement = self.after.program().statement(id);
        let name = &statement.key.name;
        let mut raw = Vec::new();
        for access in &statement.operands {
            raw.push(self.after.contents.read(id, access)?);
        }
        if self.after.contents.is_selected(id)? {
            // What it selects is compared where it is read, as for a move.
            return Ok(Verdict::Proved(By::Solver));
        }
        let itself = raw.iter().any(|read| reads(read, id));
        let reads = raw.iter().map(|read| self.resolved(read));
        let reads = reads.collect::<Result<Vec<_>, _>>()?;
        if let Some(verdict) = self.rescaled(id, &raw)? {
            return Ok(verdict);
        }
        if !itself {
            let space = self.after.contents.space.clone();
            if let Some(mu) = self.folded(&space, id, &reads)? {
                self.after.equalities.entry((id, 0)).or_default().mu = mu;
                return Ok(Verdict::Proved(By::Solver));
            }
        }
        let mut why = None;
        let may_combine = laws::combines(name) && raw.len() == 2;
        if may_combine && (itself || raw.iter().any(|read| self.is_open(read))) {
            match self.combined(id, &raw, Itself::Closed)? {
                sums::Combined::Parts(parts, open) => {
                    self.close(id, parts)?;
                    if itself {
                        self.name(id, &raw);
                    }
                    return match open.is_empty()? {
                        true => {
                            // Whole sums may be added by the program before as well: then both names are right.
                            self.matched(id, &reads)?;
                            Ok(Verdict::Proved(By::Solver))
                        }
                        false => self.refute_or_leave(id, &raw, &reads, Some(&open), None),
                    };
                }
                sums::Combined::No(reason) => why = reason,
            }
        }
        if itself {
            return match self.recurrence(Side::After, id, &raw)? {
                true => Ok(Verdict::Proved(By::Solver)),
                false => self.unrolled(id, &raw, why),
            };
        }
        if self.matched(id, &reads)?.is_none() {
            return Ok(Verdict::Proved(By::Solver));
        }
        if may_combine
            && why.is_none()
            && let sums::Combined::Parts(parts, open) = self.combined(id, &raw, Itself::Closed)?
            && open.is_empty()?
        {
            self.close(id, parts)?;
            return Ok(Verdict::Proved(By::Solver));
        }
        self.refute_or_leave(id, &raw, &reads, None, why)
    }

    fn flow(&self, of: Side) -> &Flow<'p> {
        match of {
            Side::Before => &self.before,
            Side::After => &self.after,
        }
    }

    fn flow_mut(&mut self, of: Side) -> &mut Flow<'p> {
        match of {
            Side::Before => &mut self.before,
            Side::After => &mut self.after,
        }
    }

    /// Returns the elements of the program before that are read; points without a known one are left out.
    fn resolved(&self, raw: &Pieces) -> Result<Pieces, Reason> {
        self.after.resolved(raw, |loop_tensor| {
            let before = self.pairs.get(&loop_tensor);
            before.map(|(id, at)| Source::Carried(*id, *at))
        })
    }

    /// Returns whether parts of reductions are read.
    fn is_open(&self, raw: &Pieces) -> bool {
        raw.sources().any(|source| match source {
            Source::Result(id, at) => {
                let equality = self.after.equalities.get(&(*id, *at));
                equality.is_some_and(|equality| equality.is_part)
            }
            _ => false,
        })
    }

    /// Returns the number of a key.
    fn key(&mut self, key: &'p OpKey) -> usize {
        let next = self.keys.len();
        *self.keys.entry(key).or_insert(next)
    }
}

impl<'p> Flow<'p> {
    fn program(&self) -> &'p Program {
        self.contents.space.program
    }

    /// Returns the elements of the program before that are read. `carried` returns the source of a carried tensor.
    fn resolved(
        &self,
        raw: &Pieces,
        carried: impl Fn((LoopId, usize)) -> Option<Source>,
    ) -> Result<Pieces, Reason> {
        let mut pieces = Pieces::default();
        for (source, relation) in raw.iter() {
            match source {
                Source::Argument(_)
                | Source::Number(_)
                | Source::Constant(_)
                | Source::Undefined => pieces.add(source.clone(), relation.clone())?,
                Source::Result(id, at) => {
                    if let Some(equality) = self.equalities.get(&(*id, *at)) {
                        pieces.merge(equality.mu.after(relation)?)?;
                    }
                }
                Source::Carried(id, at) => {
                    if let Some(source) = carried((*id, *at)) {
                        pieces.add(source, relation.clone())?;
                    }
                }
                Source::Opaque(_) => {}
            }
        }
        Ok(pieces)
    }
}

/// Returns whether results of a statement are read.
fn reads(raw: &Pieces, id: StatementId) -> bool {
    raw.sources()
        .any(|source| matches!(source, Source::Result(other, _) if *other == id))
}

/// Returns the pairs in which an input has the value of an output.
fn equal_columns(
    context: &Context,
    shape: Shape,
    pairs: &[(usize, usize)],
) -> Result<Relation, Reason> {
    let rows = pairs.iter().map(|(input, output)| {
        let mut row = vec![0; 1 + shape.dims()];
        row[1 + shape.params + input] = 1;
        row[1 + shape.params + shape.ins + output] = -1;
        row
    });
    let basic = Basic {
        equalities: rows.collect(),
        ..Basic::universe(shape)
    };
    Ok(Relation::from_basic(context, &basic)?)
}

/// Returns the union of relations; `None` for none.
pub(crate) fn sum(
    relations: impl IntoIterator<Item = Result<Relation, Reason>>,
) -> Result<Option<Relation>, Reason> {
    let mut sum: Option<Relation> = None;
    for relation in relations {
        let relation = relation?;
        sum = Some(match sum {
            Some(sum) => sum.union(&relation)?,
            None => relation,
        });
    }
    Ok(sum)
}

//! Operations with the same operands: the relation from points to points of the program before.

use spyre_isl::Relation;

use super::{Canonical, Part, Simulation, equal_columns, laws, neutral};
use crate::claim::Reason;
use crate::contents::{Pieces, Source, Space};
use crate::program::{Extent, OpKey, Statement, StatementId};

/// The counterparts of an operation.
#[derive(Default)]
pub(super) struct Match {
    /// For each result, the equal elements of the program before.
    pub mu: Vec<Pieces>,
    /// Reductions of which elements are parts.
    pub parts: Vec<Part>,
    /// Whether some elements lack terms.
    pub is_part: bool,
    /// Whether some elements are one of their terms, because all terms of each are equal.
    pub has_equal_terms: bool,
    /// Points without a counterpart; `None` where all have one.
    pub rest: Option<Relation>,
}

/// Returns whether an element that is read may be that of several operations of the program before.
pub(super) fn has_names(reads: &[Pieces]) -> bool {
    let computed = |source: &&Source| matches!(source, Source::Result(..));
    let mut counts = reads
        .iter()
        .map(|read| read.sources().filter(computed).count());
    counts.any(|count| count > 1)
}

impl Simulation<'_> {
    /// Finds the counterparts of an operation of the program after. Returns the points that have none.
    pub(super) fn matched(
        &mut self,
        id: StatementId,
        reads: &[Pieces],
    ) -> Result<Option<Relation>, Reason> {
        let space = self.after.contents.space.clone();
        let counterparts = self.counterparts(&space, id, reads)?;
        let mut parts = Some(counterparts.parts);
        for (at, mu) in counterparts.mu.into_iter().enumerate() {
            // Sums of parts may be known already.
            let equality = self.after.equalities.entry((id, at)).or_default();
            equality.mu.merge(mu)?;
            equality.parts.extend(parts.take().unwrap_or_default());
            equality.is_part |= counterparts.is_part;
        }
        Ok(counterparts.rest)
    }

    /// Returns the counterparts of an operation of one of the programs in the table.
    pub(super) fn counterparts(
        &mut self,
        space: &Space<'_>,
        id: StatementId,
        reads: &[Pieces],
    ) -> Result<Match, Reason> {
        let statement = space.program.statement(id);
        let keys = self.equal_keys(statement);
        let is_folded =
            neutral::has_neutral(&statement.key.name, reads) || laws::is_term(&statement.key);
        if keys.is_empty() && !is_folded {
            return self.without_candidates(space, id);
        }
        if statement.reduced > 0 || !Space::gathered(statement).is_empty() {
            let candidates = self.candidates_of(statement, &keys, reads);
            return self.reduction(space, id, reads, &candidates);
        }
        let mut counterparts = Match {
            mu: vec![Pieces::default(); statement.results.len()],
            rest: Some(space.instances(id)?),
            ..Match::default()
        };
        let candidates = self.candidates_of(statement, &keys, reads);
        self.pointwise(space, id, reads, &candidates, &mut counterparts)?;
        if counterparts.rest.is_some() && reads.len() == 2 && laws::commutes(&statement.key.name) {
            let exchanged = [reads[1].clone(), reads[0].clone()];
            let candidates = self.candidates_of(statement, &keys, &exchanged);
            self.pointwise(space, id, &exchanged, &candidates, &mut counterparts)?;
        }
        self.neutral(space, id, reads, &mut counterparts)?;
        Ok(counterparts)
    }

    /// Returns the keys of operations that compute the same function, by laws: the own one first.
    fn equal_keys(&self, statement: &Statement) -> Vec<usize> {
        let key = &statement.key;
        let renamed = |name: &str| {
            let other = OpKey {
                name: name.to_owned(),
                ..key.clone()
            };
            self.keys.get(&other).copied()
        };
        let mut keys: Vec<usize> = self.keys.get(key).copied().into_iter().collect();
        if key.name == "sum" && statement.reduced > 0 {
            // The terms of a mean, before they are divided.
            keys.extend(renamed("mean"));
        }
        if statement.reduced == 0 || has_one_term(statement) {
            keys.extend(
                laws::of_one_term(key)
                    .iter()
                    .filter_map(|name| renamed(name)),
            );
        }
        keys
    }

    /// Returns operations of the program before with one of the keys that read a source of one operand.
    fn candidates_of(&self, statement: &Statement, keys: &[usize], reads: &[Pieces]) -> Vec<usize> {
        let mut candidates = Vec::new();
        for key in keys {
            candidates.extend(self.candidates(*key, reads));
        }
        let before = self.before.program();
        candidates.retain(|at| {
            let other = before.statement(self.table[*at].statement);
            // A product of several terms is no multiplication.
            other.key == statement.key
                || !laws::of_one_term(&statement.key).contains(&&other.key.name[..])
                || other.reduced == 0
                || has_one_term(other)
        });
        candidates
    }

    fn without_candidates(&self, space: &Space<'_>, id: StatementId) -> Result<Match, Reason> {
        let results = space.program.statement(id).results.len();
        let points = space.instances(id)?;
        Ok(Match {
            mu: vec![Pieces::default(); results],
            rest: (!points.is_empty()?).then_some(points),
            ..Match::default()
        })
    }

    /// Adds the counterparts of points that have none yet, and of all points where operands have several names. Any pair of
    /// points is right: the same operation on the same operands.
    fn pointwise(
        &self,
        space: &Space<'_>,
        id: StatementId,
        reads: &[Pieces],
        candidates: &[usize],
        counterparts: &mut Match,
    ) -> Result<(), Reason> {
        let statement = space.program.statement(id);
        // An operand with two names may be read by two operations of the program before, which are then equal.
        let all = has_names(reads).then(|| space.instances(id)).transpose()?;
        for candidate in candidates {
            let of = &self.table[*candidate];
            let rest = match (&counterparts.rest, &all) {
                (Some(rest), _) => rest.clone(),
                (None, Some(all)) => Relation::empty(&self.context, all.shape())?,
                (None, None) => return Ok(()),
            };
            let Some(rho) = self.pairs_of_points(space, id, reads, of)? else {
                continue;
            };
            let rho = rho.restrict_domain(all.as_ref().unwrap_or(&rest))?;
            let paired = rho.domain()?;
            if paired.is_empty()? {
                continue;
            }
            let is_whole = rest.is_subset(&paired)?;
            for (at, access) in statement.results.iter().enumerate() {
                let mut mu = rho.clone();
                if !Space::is_plain(statement, access) {
                    mu = space.access(id, access)?.reverse()?.then(&mu)?;
                }
                let before = self.before.program().statement(of.statement);
                if !Space::is_plain(before, &before.results[at]) {
                    mu = mu.then(&of.elements[at])?;
                }
                counterparts.mu[at].merge(self.named((of.statement, at), mu)?)?;
            }
            counterparts.rest = match is_whole {
                true => None,
                false => Some(rest.subtract(&paired)?),
            };
        }
        if counterparts
            .rest
            .as_ref()
            .map(Relation::is_empty)
            .transpose()?
            == Some(true)
        {
            counterparts.rest = None;
        }
        Ok(())
    }

    /// Returns the pairs of points that have the same operands; `None` where an operand has none in common.
    pub(super) fn pairs_of_points(
        &self,
        space: &Space<'_>,
        id: StatementId,
        reads: &[Pieces],
        of: &Canonical,
    ) -> Result<Option<Relation>, Reason> {
        if of.readers.len() != reads.len() {
            return Ok(None);
        }
        let mut rho: Option<Relation> = None;
        for (read, readers) in reads.iter().zip(&of.readers) {
            let pairs = readers.iter().filter_map(|(source, back)| {
                let relation = read.get(source)?;
                Some(relation.then(back).map_err(Reason::from))
            });
            let Some(pairs) = super::sum(pairs)? else {
                return Ok(None);
            };
            rho = Some(match rho {
                Some(rho) => rho.intersect(&pairs)?,
                None => pairs,
            });
        }
        let statement = space.program.statement(id);
        let before = self.before.program().statement(of.statement);
        let gathered = [statement, before].map(|of| Space::gathered(of).len());
        if gathered[0] != gathered[1] {
            return Ok(None);
        }
        match rho {
            Some(rho) if gathered[0] == 0 => Ok(Some(rho)),
            Some(rho) => {
                // The row that an index names is the same row of the same table.
                let first = [statement, before].map(|of| of.loops.len() + of.space.len());
                let same = (0..gathered[0]).map(|at| (first[0] + at, first[1] + at));
                let same: Vec<_> = same.collect();
                let same = equal_columns(&self.context, rho.shape(), &same)?;
                Ok(Some(rho.intersect(&same)?))
            }
            None => self.same_positions(space, id, of).map(Some),
        }
    }

    /// Returns the pairs of points at the same position of an operation without operands.
    fn same_positions(
        &self,
        space: &Space<'_>,
        id: StatementId,
        of: &Canonical,
    ) -> Result<Relation, Reason> {
        let statement = space.program.statement(id);
        let before = self.before.program().statement(of.statement);
        let instances = space.instances(id)?;
        let shape = spyre_isl::Shape {
            params: space.params(),
            ins: instances.shape().outs,
            outs: of.points.shape().outs,
        };
        let dims = statement.space.len().min(before.space.len());
        let same = (0..dims).map(|at| (statement.loops.len() + at, before.loops.len() + at));
        let same: Vec<_> = same.collect();
        let pairs = equal_columns(&self.context, shape, &same)?;
        Ok(pairs
            .restrict_domain(&instances)?
            .restrict_range(&of.points)?)
    }

    /// Returns whether a search is among other elements than each one of the program before: then a pass searches in
    /// tiles, and combines what it finds by operations of its own. Those may be searches as well.
    pub(super) fn has_search_in_parts(&self) -> bool {
        let before = self.before.program();
        let is_before = |search: &Statement| {
            let mut statements = before.statements.iter();
            statements.any(|other| {
                let reduced = |of: &Statement| of.space[of.kept()..].to_vec();
                other.key == search.key && reduced(other) == reduced(search)
            })
        };
        let mut statements = self.after.program().statements.iter();
        statements.any(|of| laws::is_search(&of.key.name) && !is_before(of))
    }

    /// Returns operations of the program before with a key that read a source of one operand: of the operand with the
    /// fewest of them.
    pub(super) fn candidates(&self, key: usize, reads: &[Pieces]) -> Vec<usize> {
        let of = |operand: usize, source: &Source| {
            let place = (key, operand, source.clone());
            self.index.get(&place).map_or(&[][..], |list| &list[..])
        };
        if reads.is_empty() {
            return of(usize::MAX, &Source::Undefined).to_vec();
        }
        let lists = reads.iter().enumerate().map(|(operand, read)| {
            let lists = read.sources().map(|source| of(operand, source));
            lists.collect::<Vec<_>>()
        });
        let length = |lists: &Vec<&[usize]>| lists.iter().map(|list| list.len()).sum::<usize>();
        let shortest = lists.min_by_key(length).unwrap_or_default();
        let mut list: Vec<_> = shortest.concat();
        list.sort_unstable();
        list.dedup();
        list
    }
}

/// Returns whether a reduction has one term for each element.
pub(super) fn has_one_term(statement: &Statement) -> bool {
    let reduced = &statement.space[statement.kept()..];
    !reduced.is_empty() && reduced.iter().all(|extent| *extent == Extent::Fixed(1))
}

//! Reductions: an element is the set of its terms, and a part has some of them.

use spyre_isl::Relation;

use super::before::free_positions;
use super::matching::{Match, has_names};
use super::{Canonical, Part, Simulation, equal_columns, laws, sum};
use crate::claim::{Assumption, Reason};
use crate::contents::{Pieces, Source, Space};
use crate::program::{Extent, Statement, StatementId};

/// Terms of a reduction that were found for elements, and what they amount to.
pub(super) struct Terms {
    /// From elements to all points of the reduction that belong to them.
    pub terms: Relation,
    /// From elements to the element of the reduction that has the terms.
    pub element: Relation,
    /// Elements that lack terms.
    pub incomplete: Relation,
    /// Whether an element lacks terms.
    pub is_part: bool,
}

impl Terms {
    /// Returns the terms of the elements that have all of theirs, in the scale of the reduction.
    fn complete(&self, scale: i64) -> Result<Relation, Reason> {
        Ok(match self.is_part {
            _ if scale != 1 => Relation::empty(self.terms.context(), self.terms.shape())?,
            true => self.terms.subtract_domain(&self.incomplete)?,
            false => self.terms.clone(),
        })
    }
}

impl Simulation<'_> {
    /// Returns the counterparts of a reduction: complete elements, and parts of elements.
    pub(super) fn reduction(
        &mut self,
        space: &Space<'_>,
        id: StatementId,
        reads: &[Pieces],
        candidates: &[usize],
    ) -> Result<Match, Reason> {
        let statement = space.program.statement(id);
        let elements = space.access(id, &statement.results[0])?;
        let mut points = space.instances(id)?;
        let mut counterparts = Match {
            mu: vec![Pieces::default(); statement.results.len()],
            ..Match::default()
        };
        if let Some(absorbed) = self.absorbed(&statement.key.name, reads)? {
            points = points.subtract(&absorbed)?;
            for (at, number) in self.vanished(space, id, &points, reads)? {
                counterparts.mu[at].merge(number)?;
            }
        }
        let (mut open, mut undetermined) = (Some(points.clone()), false);
        let law = laws::reduction(&statement.key.name);
        for candidate in candidates {
            let rest = match &open {
                Some(rest) => rest.clone(),
                // A whole may be a part of another reduction, and a term with two names a term of two.
                None if law.is_some() || has_names(reads) => {
                    Relation::empty(&self.context, points.shape())?
                }
                None => break,
            };
            let of = &self.table[*candidate];
            let Some((rho, is_chosen)) = self.pairs_of_terms(space, id, reads, of)? else {
                continue;
            };
            let rho = rho.restrict_domain(&points)?;
            if rho.is_empty()? {
                continue;
            }
            if !rho.is_single_valued()? {
                undetermined = true;
                continue;
            }
            let Some(terms) = self.terms(&elements, &points, &rho, of)? else {
                continue;
            };
            let before = self.before.program().statement(of.statement);
            let Some(scale) = scale(statement, before) else {
                continue;
            };
            let complete = terms.complete(scale)?;
            let mut done = complete.domain()?;
            for (at, to) in of.elements.iter().enumerate() {
                let mu = complete.then(to)?;
                if !mu.is_empty()? {
                    let mu = self.named((of.statement, at), mu.coalesce()?)?;
                    counterparts.mu[at].merge(mu)?;
                }
            }
            if law.is_some() {
                done = terms.terms.domain()?;
                counterparts.parts.push(Part {
                    of: *candidate,
                    scale,
                    terms: terms.terms.clone(),
                    is_chosen,
                });
            }
            let left = rest.subtract(&elements.restrict_range(&done)?.domain()?)?;
            counterparts.is_part |= open.is_some() && (terms.is_part || scale != 1);
            // A part may be a whole of another operation, so the search goes on.
            open = (terms.is_part || scale != 1 || !left.is_empty()?).then_some(left);
        }
        if let Some(done) =
            self.folded_terms(statement, [&elements, &points], reads, &mut counterparts)?
        {
            let rest = open.as_ref().map(|open| open.subtract(&done));
            open = rest.transpose()?;
        }
        counterparts.rest = match open {
            Some(open) if !open.is_empty()? => Some(open),
            _ => None,
        };
        if counterparts.rest.is_some() && undetermined {
            return Err(Reason::Undetermined);
        }
        Ok(counterparts)
    }

    /// Adds the elements that are one of their terms, and returns the points that belong to them.
    fn folded_terms(
        &self,
        statement: &Statement,
        [elements, points]: [&Relation; 2],
        reads: &[Pieces],
        counterparts: &mut Match,
    ) -> Result<Option<Relation>, Reason> {
        let equal = self.equal_terms(statement, elements, points, reads)?;
        let Some(done) = equal.domain()? else {
            return Ok(None);
        };
        counterparts.has_equal_terms = true;
        counterparts.mu[0].merge(equal)?;
        Ok(Some(elements.restrict_range(&done)?.domain()?))
    }

    /// Returns the pairs of points that have the same operands, for terms: each point has at most one where possible;
    /// and whether it is one of several copies.
    fn pairs_of_terms(
        &self,
        space: &Space<'_>,
        id: StatementId,
        reads: &[Pieces],
        of: &Canonical,
    ) -> Result<Option<(Relation, bool)>, Reason> {
        let Some(mut rho) = self.pairs_of_points(space, id, reads, of)? else {
            return Ok(None);
        };
        let mut is_chosen = false;
        let statement = space.program.statement(id);
        let before = self.before.program().statement(of.statement);
        let mut same = Vec::new();
        if laws::reduction(&statement.key.name).is_none() {
            // Without a law, the position of a term may matter.
            if statement.reduced != before.reduced {
                return Ok(None);
            }
            let first = [statement, before].map(|of| of.loops.len() + of.kept());
            same.extend((0..statement.reduced).map(|at| (first[0] + at, first[1] + at)));
            rho = rho.intersect(&equal_columns(&self.context, rho.shape(), &same)?)?;
        }
        if !rho.is_single_valued()? {
            let place = |statement: &Statement, at: usize| at - statement.loops.len();
            let is_idempotent =
                laws::reduction(&statement.key.name).is_some_and(|law| law.is_idempotent);
            let free = free_positions(statement);
            let pairs = free.iter().filter_map(|at| {
                let dim = place(statement, *at);
                if is_idempotent && dim >= statement.kept() {
                    return None; // The table has one of the copies of a term.
                }
                let other = of.free.iter().find(|other| place(before, **other) == dim)?;
                Some((*at, *other))
            });
            let pairs: Vec<_> = pairs.collect();
            is_chosen = pairs
                .iter()
                .any(|(at, _)| place(statement, *at) >= statement.kept());
            rho = rho.intersect(&equal_columns(&self.context, rho.shape(), &pairs)?)?;
        }
        Ok(Some((rho, is_chosen)))
    }

    /// Returns the terms of the elements for which each point has a term; `None` for none. Elements that have a term
    /// twice, or terms of several elements, are not among them.
    fn terms(
        &self,
        elements: &Relation,
        points: &Relation,
        rho: &Relation,
        of: &Canonical,
    ) -> Result<Option<Terms>, Reason> {
        let without = points.subtract(&rho.domain()?)?;
        let mut rho = rho.clone();
        if !without.is_empty()? {
            let lacking = elements.restrict_domain(&without)?.range()?;
            rho = rho.subtract_domain(&elements.restrict_range(&lacking)?.domain()?)?;
        }
        let name = &self.before.program().statement(of.statement).key.name;
        let may_repeat = laws::reduction(name).is_some_and(|law| law.is_idempotent);
        if !may_repeat && let Some(repeated) = self.repeated(elements, &rho)? {
            rho = rho.subtract_domain(&elements.restrict_range(&repeated)?.domain()?)?;
        }
        if rho.is_empty()? {
            return Ok(None);
        }
        let mut terms = elements.reverse()?.then(&rho)?;
        let element = terms.then(&of.elements[0])?.coalesce()?;
        if !element.is_single_valued()? {
            let several = element.subtract(&element.lexmin()?)?.domain()?;
            terms = terms.subtract_domain(&several)?;
            if terms.is_empty()? {
                return Ok(None);
            }
        }
        self.amount(terms, of)
    }

    /// Returns the elements that have a term at two points; `None` for none.
    fn repeated(&self, elements: &Relation, rho: &Relation) -> Result<Option<Relation>, Reason> {
        if rho.is_injective()? {
            return Ok(None);
        }
        let shape = rho.shape();
        let pairs = rho.move_ins_to_outs(0, shape.ins)?;
        let same = Relation::identity(&self.context, shape.params, shape.outs)?;
        let to_elements = same.flat_product(elements)?;
        let of_terms = to_elements.restrict_domain(&pairs)?;
        if of_terms.is_injective()? {
            return Ok(None);
        }
        let equal = of_terms.then(&of_terms.reverse()?)?;
        let dims = equal.shape().outs;
        let other = equal.subtract(&Relation::identity(&self.context, shape.params, dims)?)?;
        let points = of_terms.restrict_domain(&other.domain()?)?.range()?;
        Ok(Some(points.project_out_outs(0, shape.outs)?))
    }

    /// Returns the elements of the reduction `of` to which sets of terms belong, and the sets that lack terms of their
    /// element. `None` if a set has terms of several elements.
    pub(super) fn amount(&self, terms: Relation, of: &Canonical) -> Result<Option<Terms>, Reason> {
        let element = terms.then(&of.elements[0])?.coalesce()?;
        if !element.is_single_valued()? {
            return Ok(None);
        }
        let all = element.then(&of.elements[0].reverse()?)?;
        let is_part = !all.is_subset(&terms)?;
        let incomplete = match is_part {
            true => all.subtract(&terms)?.domain()?.coalesce()?,
            false => Relation::empty(&self.context, terms.domain()?.shape())?,
        };
        Ok(Some(Terms {
            terms,
            element,
            incomplete,
            is_part,
        }))
    }

    /// Returns the points whose term is the neutral number of the reduction, or has a factor zero; `None` for none.
    pub(super) fn absorbed(
        &mut self,
        name: &str,
        reads: &[Pieces],
    ) -> Result<Option<Relation>, Reason> {
        let Some(law) = laws::reduction(name) else {
            return Ok(None);
        };
        let domains = reads
            .iter()
            .flat_map(Pieces::iter)
            .filter_map(|(source, relation)| {
                let Source::Number(number) = source else {
                    return None;
                };
                let vanishes = match law.is_product {
                    true => laws::is_zero(number),
                    false => laws::is_neutral_term(number, name, law),
                };
                vanishes.then(|| relation.domain().map_err(Reason::from))
            });
        let points = sum(domains)?;
        if points.is_some() && law.is_product {
            self.report.assumptions.insert(Assumption::FiniteTerms);
        }
        Ok(points)
    }

    /// Returns the elements of results that have none of the terms, as the neutral number, by result.
    pub(super) fn vanished(
        &self,
        space: &Space<'_>,
        id: StatementId,
        terms: &Relation,
        reads: &[Pieces],
    ) -> Result<Vec<(usize, Pieces)>, Reason> {
        let statement = space.program.statement(id);
        let mut numbers = Vec::new();
        for (at, access) in statement.results.iter().enumerate() {
            let value = space.program.value(access.value);
            let suffix = format!(" {}", value.element);
            let law = laws::reduction(&statement.key.name).expect("terms vanish by a law");
            let mut sources = reads.iter().flat_map(Pieces::sources);
            let neutral = sources.find_map(|source| match source {
                Source::Number(number)
                    if number.ends_with(&suffix)
                        && laws::is_of_no_term(number, &statement.key.name, law) =>
                {
                    Some(source.clone())
                }
                _ => None,
            });
            let Some(number) = neutral else {
                continue;
            };
            let elements = space.access(id, access)?;
            let left = elements.restrict_domain(terms)?.range()?;
            let lost = elements.range()?.subtract(&left)?;
            if lost.is_empty()? {
                continue;
            }
            let dims = lost.shape().outs;
            let lost = lost.move_outs_to_ins(0, dims)?;
            numbers.push((at, Pieces::one(number, lost)));
        }
        Ok(numbers)
    }
}

/// Returns the number that an operation multiplies the terms of a reduction with, other than the reduction: a sum of
/// terms of a mean is larger by the number of elements, and a mean of a tile by the number of tiles. `None` if it is no
/// number.
fn scale(statement: &Statement, before: &Statement) -> Option<i64> {
    let elements = |of: &Statement| {
        let reduced = &of.space[of.kept()..];
        let extents = reduced.iter().map(|extent| match extent {
            Extent::Fixed(extent) => Some(*extent),
            Extent::Dynamic(_) => None,
        });
        extents.product::<Option<i64>>()
    };
    if before.key.name != "mean" {
        return Some(1);
    }
    let whole = elements(before);
    match statement.key.name.as_str() {
        "mean" if statement.space[statement.kept()..] == before.space[before.kept()..] => Some(1),
        "mean" => {
            let (whole, tile) = (whole?, elements(statement)?);
            (tile > 0 && whole % tile == 0).then(|| whole / tile)
        }
        _ => whole,
    }
}

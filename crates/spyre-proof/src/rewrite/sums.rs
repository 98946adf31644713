//! Combinations: operations that add up parts of reductions, in loops or not.
//!
//! An operand is in pieces a part, the neutral number, or the operation itself in an earlier iteration. The reads of
//! itself are a relation `R` from an instance to one before it in time. All instances that are reached by it, `Q`, are
//! guessed: those at the same position that are earlier in the loops in which `R` steps. The guess is right if
//! `Q = R + R; Q`, and since `R` goes back in time, that equation has one solution.

use spyre_isl::{Relation, Shape};

use super::reduction::Terms;
use super::{Equality, Part, Side, Simulation, equal_columns, laws, reads, sum};
use crate::claim::{By, Reason, Verdict};
use crate::contents::{Pieces, Source, Space};
use crate::program::StatementId;

/// What an operation combines.
pub(super) enum Combined {
    /// For each reduction that it has parts of, the terms, from points of the operation; and the points for which the
    /// operands are not all parts.
    Parts(Vec<Part>, Relation),
    /// Nothing, and the reason if the operation combines parts wrongly: the points, and a sentence.
    No(Option<Wrong>),
}

/// Points at which parts are combined wrongly.
pub(super) struct Wrong {
    /// The points. What is computed from them is wrong as well.
    pub points: Relation,
    /// What is wrong, without a period.
    pub message: String,
}

/// The operands of a combination, as relations from its points.
struct Operands {
    /// The points whose operands are all parts, neutral numbers, or the operation itself.
    covered: Relation,
    /// The terms of each operand.
    terms: [Option<Relation>; 2],
    /// The points whose operand is the operation itself, and its point.
    itself: [Option<Relation>; 2],
}

/// How an operation that reads itself is combined.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Itself {
    /// By its closed form, for all iterations.
    Closed,
    /// As any other operation, from its values in the iterations so far.
    Iterations,
}

impl Simulation<'_> {
    /// Returns the terms that an operation of two operands adds up.
    pub(super) fn combined(
        &mut self,
        id: StatementId,
        raw: &[Pieces],
        itself: Itself,
    ) -> Result<Combined, Reason> {
        let mut reductions = Vec::new();
        for source in raw.iter().flat_map(Pieces::sources) {
            if let Source::Result(other, at) = source
                && let Some(equality) = self.after.equalities.get(&(*other, *at))
            {
                reductions.extend(equality.parts.iter().map(|part| (part.of, part.scale)));
            }
        }
        reductions.sort_unstable();
        reductions.dedup();
        let (mut parts, mut open, mut wrong) = (Vec::new(), None, None);
        for of in reductions {
            match self.combined_of(id, raw, of, itself)? {
                Combined::Parts(terms, rest) => {
                    parts.extend(terms);
                    open = Some(match open {
                        Some(open) => rest.intersect(&open)?,
                        None => rest,
                    });
                }
                Combined::No(why) => wrong = wrong.or(why),
            }
        }
        let is_chosen = self.reads_copies(raw);
        parts.iter_mut().for_each(|part| part.is_chosen = is_chosen);
        Ok(match open {
            Some(open) => Combined::Parts(parts, open),
            None => Combined::No(wrong),
        })
    }

    /// Returns whether parts of reductions are read whose terms are some of several copies. Which of them is not
    /// determined, so that an operation adds the same ones twice is no fault.
    pub(super) fn reads_copies(&self, raw: &[Pieces]) -> bool {
        let sources = raw.iter().flat_map(Pieces::sources);
        let equalities = sources.filter_map(|source| match source {
            Source::Result(id, at) => self.after.equalities.get(&(*id, *at)),
            _ => None,
        });
        equalities
            .flat_map(|equality| &equality.parts)
            .any(|part| part.is_chosen)
    }

    fn combined_of(
        &self,
        id: StatementId,
        raw: &[Pieces],
        (of, scale): (usize, i64),
        itself: Itself,
    ) -> Result<Combined, Reason> {
        let name = &self.after.program().statement(id).key.name;
        let before = self.before.program();
        let reduction = &before.statement(self.table[of].statement).key.name;
        let law = laws::reduction(reduction).filter(|law| law.combiner == *name);
        let Some(law) = law else {
            return Ok(Combined::No(None));
        };
        let points = self.after.contents.space.instances(id)?;
        let operands = match self.operands(id, raw, (of, scale), itself)? {
            Ok(operands) => operands,
            Err(wrong) => return Ok(Combined::No(wrong)),
        };
        if itself == Itself::Iterations {
            return self.of_single_elements((of, scale), &operands, &points, law.is_idempotent);
        }
        let open = points.subtract(&operands.covered)?;
        let [first, second] = &operands.terms;
        let own = match (first, second) {
            (Some(first), Some(second)) => {
                let both = first.intersect(second)?;
                if !law.is_idempotent && !both.is_empty()? {
                    let points = both.domain()?;
                    let message = format!("adds terms of '{reduction}' of both operands");
                    return Ok(Combined::No(Some(Wrong { points, message })));
                }
                first.union(second)?
            }
            (Some(terms), None) | (None, Some(terms)) => terms.clone(),
            (None, None) => return Ok(Combined::No(None)),
        };
        let steps = match &operands.itself {
            [None, None] => {
                let is_idempotent = law.is_idempotent;
                return self.of_single_elements((of, scale), &operands, &points, is_idempotent);
            }
            [Some(steps), None] | [None, Some(steps)] => steps,
            [Some(first), Some(second)] => {
                if !first.domain()?.is_disjoint(&second.domain()?)? {
                    return Ok(Combined::No(None));
                }
                &first.union(second)?
            }
        };
        let Some(reached) = self.reached(id, steps, &points)? else {
            return Ok(Combined::No(None));
        };
        // What is added to a sum that is not known is not known.
        let open = open.union(&reached.restrict_range(&open)?.domain()?)?;
        let own = own.subtract_domain(&open)?;
        let earlier = reached.then(&own)?;
        let twice = earlier.intersect(&own)?;
        if !law.is_idempotent && !twice.is_empty()? {
            let later = reached.restrict_range(&twice.domain()?)?.domain()?;
            let points = twice.domain()?.union(&later)?;
            let message =
                format!("adds a term of '{reduction}' that an earlier iteration has added");
            return Ok(Combined::No(Some(Wrong { points, message })));
        }
        let terms = own.union(&earlier)?.subtract_domain(&open)?;
        self.of_one_element((of, scale), terms.coalesce()?, open)
    }

    /// Returns the terms as parts of the reduction `of` if the terms of each point belong to one of its elements. If
    /// the program before has divided the reduction already, its elements are partial sums, and terms of several of
    /// them are no part of one.
    fn of_one_element(
        &self,
        (of, scale): (usize, i64),
        terms: Relation,
        open: Relation,
    ) -> Result<Combined, Reason> {
        let element = terms.then(&self.table[of].elements[0])?;
        Ok(match element.is_single_valued()? && !terms.is_empty()? {
            true => Combined::Parts(vec![Part::new(of, scale, terms)], open),
            false => Combined::No(None),
        })
    }

    /// Returns the terms of the points that add up different terms of one element.
    fn of_single_elements(
        &self,
        (of, scale): (usize, i64),
        operands: &Operands,
        points: &Relation,
        is_idempotent: bool,
    ) -> Result<Combined, Reason> {
        let [first, second] = &operands.terms;
        let Some(mut terms) = sum([first, second].into_iter().flatten().cloned().map(Ok))? else {
            return Ok(Combined::No(None));
        };
        terms = terms.restrict_domain(&operands.covered)?;
        if let (Some(first), Some(second), false) = (first, second, is_idempotent) {
            terms = terms.subtract_domain(&first.intersect(second)?.domain()?)?;
        }
        let element = terms.then(&self.table[of].elements[0])?;
        let several = element.subtract(&element.lexmin()?)?.domain()?;
        terms = terms.subtract_domain(&several)?.coalesce()?;
        if terms.is_empty()? {
            return Ok(Combined::No(None));
        }
        let open = points.subtract(&terms.domain()?)?;
        Ok(Combined::Parts(vec![Part::new(of, scale, terms)], open))
    }

    /// Returns the operands in pieces, or what is wrong with them.
    fn operands(
        &self,
        id: StatementId,
        raw: &[Pieces],
        (of, scale): (usize, i64),
        by: Itself,
    ) -> Result<Result<Operands, Option<Wrong>>, Reason> {
        let space = &self.after.contents.space;
        let statement = space.program.statement(id);
        let name = &statement.key.name;
        let result = &statement.results[0];
        let to_points = match Space::is_plain(statement, result) {
            true => None,
            false => Some(space.access(id, result)?.reverse()?),
        };
        let is_recurrent = raw.iter().any(|read| reads(read, id));
        let (mut terms, mut itself) = ([None, None], [None, None]);
        let mut covered_by_all: Option<Relation> = None;
        for (at, read) in raw.iter().enumerate() {
            let mut covered = Vec::new();
            for (source, relation) in read.iter() {
                match source {
                    Source::Result(other, 0) if *other == id && by == Itself::Closed => {
                        let steps = match &to_points {
                            Some(to_points) => relation.then(to_points)?,
                            None => relation.clone(),
                        };
                        covered.push(steps.domain()?);
                        itself[at] = Some(steps);
                    }
                    Source::Result(other, number) => {
                        let equality = self.after.equalities.get(&(*other, *number));
                        let parts = equality.into_iter().flat_map(|equality| &equality.parts);
                        for part in parts.filter(|part| part.of == of && part.scale == scale) {
                            let more = relation.then(&part.terms)?;
                            covered.push(more.domain()?);
                            terms[at] = sum(terms[at].take().into_iter().chain([more]).map(Ok))?;
                        }
                    }
                    Source::Number(number) if self.is_neutral(number, name, of) => {
                        covered.push(relation.domain()?);
                    }
                    _ if by == Itself::Closed && is_recurrent => {
                        let what = self.describe_after(source);
                        let message = format!(
                            "starts the sum of parts from {what}, which is not the neutral number of '{name}'"
                        );
                        let points = relation.domain()?;
                        return Ok(Err(Some(Wrong { points, message })));
                    }
                    _ => {} // These points are not covered.
                }
            }
            let Some(of_operand) = sum(covered.into_iter().map(Ok))? else {
                return Ok(Err(None));
            };
            covered_by_all = match covered_by_all {
                Some(all) => Some(all.intersect(&of_operand)?),
                None => Some(of_operand),
            };
        }
        Ok(Ok(Operands {
            covered: covered_by_all.expect("two operands"),
            terms,
            itself,
        }))
    }

    fn is_neutral(&self, number: &str, combiner: &str, of: usize) -> bool {
        let before = self.before.program();
        let reduction = &before.statement(self.table[of].statement).key.name;
        // Parts of magnitudes are not negative.
        laws::is_neutral(number, combiner)
            || (laws::is_magnitude(reduction) && laws::is_zero(number))
    }

    /// Returns all instances that reads of itself lead to, if the guess satisfies its equation.
    fn reached(
        &self,
        id: StatementId,
        steps: &Relation,
        points: &Relation,
    ) -> Result<Option<Relation>, Reason> {
        let statement = self.after.program().statement(id);
        let (loops, dims) = (statement.loops.len(), steps.shape().outs);
        let shape = steps.shape();
        let positions: Vec<_> = (loops..dims).map(|at| (at, at)).collect();
        let mut guess = equal_columns(&self.context, shape, &positions)?;
        for at in 0..loops {
            let same = equal_columns(&self.context, shape, &[(at, at)])?;
            if steps.is_subset(&same)? {
                guess = guess.intersect(&same)?;
            }
        }
        let earlier = Relation::lt(&self.context, shape.params, loops)?.reverse()?;
        let anywhere = Relation::universe(
            &self.context,
            Shape {
                params: shape.params,
                ins: dims - loops,
                outs: dims - loops,
            },
        )?;
        let guess = guess.intersect(&earlier.flat_product(&anywhere)?)?;
        let guess = guess.restrict_domain(points)?.restrict_range(points)?;
        // Instances that restart have nothing before them.
        let guess = guess.restrict_domain(&steps.domain()?)?;
        let equation = steps.union(&steps.then(&guess)?)?;
        Ok(equation.is_equal(&guess)?.then_some(guess))
    }

    /// Keeps what an operation has added up: complete elements, and parts.
    pub(super) fn close(&mut self, id: StatementId, parts: Vec<Part>) -> Result<(), Reason> {
        let space = self.after.contents.space.clone();
        let statement = space.program.statement(id);
        let result = &statement.results[0];
        let mut equality = Equality::default();
        for part in parts {
            let terms = match Space::is_plain(statement, result) {
                true => part.terms,
                false => space.access(id, result)?.reverse()?.then(&part.terms)?,
            };
            let of = &self.table[part.of];
            let Some(Terms {
                terms,
                element,
                incomplete,
                is_part,
            }) = self.amount(terms, of)?
            else {
                return Err(Reason::Undetermined);
            };
            let is_part = is_part || part.scale != 1;
            let complete = match is_part {
                _ if part.scale != 1 => Relation::empty(&self.context, element.shape())?,
                true => element.subtract_domain(&incomplete)?,
                false => element,
            };
            if !complete.is_empty()? {
                equality
                    .mu
                    .merge(self.named((of.statement, 0), complete)?)?;
            }
            self.reassociated.insert(part.of);
            equality.is_part |= is_part;
            equality.parts.push(Part {
                of: part.of,
                scale: part.scale,
                terms,
                is_chosen: part.is_chosen,
            });
        }
        self.after.equalities.insert((id, 0), equality);
        Ok(())
    }

    /// Keeps parts that an operation multiplies with a constant, so that they have the scale of the reduction: means of
    /// tiles times one over the number of tiles, and sums over the number of elements. The factor has to be exact.
    pub(super) fn rescaled(
        &mut self,
        id: StatementId,
        raw: &[Pieces],
    ) -> Result<Option<Verdict>, Reason> {
        let name = &self.after.program().statement(id).key.name;
        let [a, b] = raw else {
            return Ok(None);
        };
        for (sums, constant, may_divide) in [(a, b, true), (b, a, false)] {
            let Some((Source::Number(number), _)) = constant.single() else {
                continue;
            };
            let Some((factor, divides)) = laws::factor(name, number) else {
                continue;
            };
            let Some((Source::Result(other, at), relation)) = sums.single() else {
                continue;
            };
            let Some(equality) = self.after.equalities.get(&(*other, *at)) else {
                continue;
            };
            #[expect(
                clippy::cast_precision_loss,
                reason = "numbers of elements are below 2^53"
            )]
            let is_inverse = |part: &&Part| match divides {
                true => may_divide && factor == part.scale as f64,
                false => (factor * part.scale as f64 - 1.0).abs() < f64::EPSILON,
            };
            let mut parts = Vec::new();
            for part in equality
                .parts
                .iter()
                .filter(|part| part.scale != 1)
                .filter(is_inverse)
            {
                parts.push(Part {
                    of: part.of,
                    scale: 1,
                    terms: relation.then(&part.terms)?,
                    is_chosen: part.is_chosen,
                });
            }
            if !parts.is_empty() {
                self.close(id, parts)?;
                return Ok(Some(Verdict::Proved(By::Solver)));
            }
        }
        Ok(None)
    }

    /// Matches an operation of a program that reads itself in an earlier iteration with those of the program before
    /// that do: induction over time. The counterparts are guessed from the operands that are not the operation itself,
    /// and the guess is checked with all. What is known of the operation already stays. Returns whether there is one.
    pub(super) fn recurrence(
        &mut self,
        of: Side,
        id: StatementId,
        raw: &[Pieces],
    ) -> Result<bool, Reason> {
        let statement = self.flow(of).program().statement(id);
        if statement.reduced > 0 || statement.results.len() != 1 {
            return Ok(false);
        }
        let Some(key) = self.keys.get(&statement.key).copied() else {
            return Ok(false);
        };
        let mut is_matched = false;
        for exchanged in [false, true] {
            let raw = match (exchanged, raw) {
                (false, raw) => raw.to_vec(),
                (true, [a, b]) if laws::commutes(&statement.key.name) => vec![b.clone(), a.clone()],
                (true, _) => continue,
            };
            let operands = self.operands_in(of, id, &raw)?;
            for candidate in self.candidates(key, &operands) {
                match self.is_recurrence(of, id, [&raw, &operands], candidate) {
                    Ok(is_equal) => is_matched |= is_equal,
                    // Another name is found already.
                    Err(_) if is_matched => {}
                    Err(reason) => return Err(reason),
                }
            }
        }
        Ok(is_matched)
    }

    /// Returns whether an operation that reads itself is equal to a candidate, which is then one of its names: equal
    /// recurrences of the program before may have a name each. `operands` are the elements of the
    /// program before that the operands `raw` are equal to.
    fn is_recurrence(
        &mut self,
        of: Side,
        id: StatementId,
        [raw, operands]: [&[Pieces]; 2],
        candidate: usize,
    ) -> Result<bool, Reason> {
        if self.table[candidate].readers.len() != raw.len() {
            return Ok(false);
        }
        let space = self.flow(of).contents.space.clone();
        let Some(guess) = self.guess(&space, id, [raw, operands], candidate)? else {
            return Ok(false);
        };
        if !space.instances(id)?.is_subset(&guess.domain()?)? {
            return Ok(false);
        }
        let statement = space.program.statement(id);
        let mu = match Space::is_plain(statement, &statement.results[0]) {
            true => guess.clone(),
            false => space
                .access(id, &statement.results[0])?
                .reverse()?
                .then(&guess)?,
        };
        let mu = mu.then(&self.table[candidate].elements[0])?;
        let source = Source::Result(self.table[candidate].statement, 0);
        let others = self.flow(of).equalities.get(&(id, 0)).cloned();
        let equality = self.flow_mut(of).equalities.entry((id, 0)).or_default();
        equality.mu.add(source, mu)?;
        let is_right = self.has_pairs(of, id, raw, (candidate, &guess));
        if is_right != Ok(true) {
            let equalities = &mut self.flow_mut(of).equalities;
            match others {
                Some(others) => equalities.insert((id, 0), others),
                None => equalities.remove(&(id, 0)),
            };
        }
        is_right
    }

    /// Returns whether a guess of counterparts has the same operands, by what is known of them.
    fn has_pairs(
        &self,
        of: Side,
        id: StatementId,
        raw: &[Pieces],
        (candidate, guess): (usize, &Relation),
    ) -> Result<bool, Reason> {
        let reads = self.operands_in(of, id, raw)?;
        let space = &self.flow(of).contents.space;
        let pairs = self.pairs_of_points(space, id, &reads, &self.table[candidate])?;
        match pairs {
            Some(pairs) => Ok(guess.is_subset(&pairs)?),
            None => Ok(false),
        }
    }

    /// Returns the elements of the program before that the operands of an operation are.
    fn operands_in(
        &self,
        of: Side,
        id: StatementId,
        raw: &[Pieces],
    ) -> Result<Vec<Pieces>, Reason> {
        let operands = raw.iter().map(|read| match of {
            Side::Before => self.before_resolved(read, id),
            Side::After => self.resolved(read),
        });
        operands.collect()
    }

    /// Returns the pairs of points that have the same operands, without those that are the operation itself.
    fn guess(
        &self,
        space: &Space<'_>,
        id: StatementId,
        [raw, operands]: [&[Pieces]; 2],
        candidate: usize,
    ) -> Result<Option<Relation>, Reason> {
        let of = &self.table[candidate];
        let mut rho: Option<Relation> = None;
        for ((raw, read), readers) in raw.iter().zip(operands).zip(&of.readers) {
            if reads(raw, id) {
                continue;
            }
            let pairs = readers.iter().filter_map(|(source, back)| {
                let relation = read.get(source)?;
                Some(relation.then(back).map_err(Reason::from))
            });
            let Some(pairs) = sum(pairs)? else {
                return Ok(None);
            };
            rho = Some(match rho {
                Some(rho) => rho.intersect(&pairs)?,
                None => pairs,
            });
        }
        let Some(mut rho) = rho else {
            return Ok(None);
        };
        let loops = space.program.statement(id).loops.len();
        let other = self.before.program().statement(of.statement).loops.len();
        if !rho.is_single_valued()? && loops == other {
            let same: Vec<_> = (0..loops).map(|at| (at, at)).collect();
            rho = rho.intersect(&equal_columns(&self.context, rho.shape(), &same)?)?;
        }
        Ok(rho.is_single_valued()?.then_some(rho))
    }
}

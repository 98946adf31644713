//! The program before: its operations in a table, equal ones once.

use spyre_isl::Relation;

use super::{Canonical, Equality, Side, Simulation, laws, reads, sum};
use crate::claim::Reason;
use crate::contents::{Pieces, Source, Space};
use crate::expr::{Expr, Var};
use crate::program::{Def, Statement, StatementId, ValueId};

impl Simulation<'_> {
    /// Enters an operation of the program before into the table, or finds the earlier operation that it is equal to.
    pub(super) fn enter(&mut self, id: StatementId) -> Result<(), Reason> {
        let statement = self.before.program().statement(id);
        if statement.is_move {
            return Ok(());
        }
        let (mut operands, mut all) = (Vec::new(), Vec::new());
        let mut itself = false;
        for access in &statement.operands {
            let raw = self.before.contents.read(id, access)?;
            itself |= reads(&raw, id);
            // It reads a result that is not in the table yet, or what is not modelled, so what it is equal to is not
            // known.
            self.is_incomplete |= raw.sources().any(|source| match source {
                Source::Result(other, _) => *other > id,
                Source::Opaque(_) => true,
                _ => false,
            });
            if raw.sources().any(|source| self.is_unnamed(source)) {
                self.unnamed.insert(id);
            }
            let read = self.before_resolved(&raw, id)?;
            // What a loop without a counterpart carries may have another name in the program after.
            self.is_incomplete |= read.sources().any(
                |source| matches!(source, Source::Carried(id, at) if !self.is_paired(*id, *at)),
            );
            operands.push(read);
            all.push(raw);
        }
        if itself && self.recurrence(Side::Before, id, &all)? {
            return Ok(());
        }
        let mut earlier = Vec::new();
        if !itself {
            let space = self.before.contents.space.clone();
            if let Some(mu) = self.folded(&space, id, &operands)? {
                let equality = Equality {
                    mu,
                    ..Equality::default()
                };
                self.before.equalities.insert((id, 0), equality);
                return Ok(());
            }
            let counterparts = self.counterparts(&space, id, &operands)?;
            // Parts of a reduction of equal terms are found in the table, although its elements are those terms.
            let is_listed = !counterparts.has_equal_terms || !counterparts.parts.is_empty();
            if counterparts.rest.is_none() && !counterparts.is_part && is_listed {
                for (at, mu) in counterparts.mu.into_iter().enumerate() {
                    let equality = Equality {
                        mu,
                        ..Equality::default()
                    };
                    self.before.equalities.insert((id, at), equality);
                }
                return Ok(());
            }
            earlier = counterparts.mu;
        }
        self.insert(id, &operands, itself)?;
        for (at, mu) in earlier.into_iter().enumerate() {
            if let Some(equal) = mu.domain()? {
                let equality = self.before.equalities.entry((id, at)).or_default();
                let rest = equality.mu.outside(&equal)?;
                equality.mu = mu;
                equality.mu.merge(rest)?;
                equality.is_itself = false;
                equality.has_other_names = true;
            }
        }
        Ok(())
    }

    /// Returns whether elements of a source may be equal to others although their names differ. A tensor that a loop
    /// carries has those of all operations of the loop, which are not looked at here.
    pub(super) fn is_unnamed(&self, source: &Source) -> bool {
        match source {
            Source::Result(id, _) => self.unnamed.contains(id),
            Source::Carried(..) => !self.unnamed.is_empty(),
            Source::Opaque(_) => true,
            _ => false,
        }
    }

    /// Returns the canonical elements that are read. Those of the statement itself are canonical.
    pub(super) fn before_resolved(&self, raw: &Pieces, id: StatementId) -> Result<Pieces, Reason> {
        let carried = |(id, at)| Some(Source::Carried(id, at));
        let mut pieces = self.before.resolved(raw, carried)?;
        for (source, relation) in raw.iter() {
            // A statement reads itself, or one that comes later, in an iteration before.
            if let Source::Result(other, at) = source
                && *other >= id
                && !self.before.equalities.contains_key(&(*other, *at))
            {
                pieces.add(source.clone(), relation.clone())?;
            }
        }
        Ok(pieces)
    }

    fn insert(&mut self, id: StatementId, operands: &[Pieces], itself: bool) -> Result<(), Reason> {
        let space = self.before.contents.space.clone();
        let statement = space.program.statement(id);
        let mut points = space.instances(id)?;
        let absorbed = self.absorbed(&statement.key.name, operands)?;
        if let Some(absorbed) = &absorbed {
            points = points.subtract(absorbed)?;
        }
        let terms = points.clone();
        if !itself && let Some(first) = self.first_of_equals(statement, &points, operands)? {
            let equality = self.representatives(id, &first)?;
            for (at, mu) in equality.into_iter().enumerate() {
                let equality = Equality {
                    mu,
                    ..Equality::default()
                };
                self.before.equalities.insert((id, at), equality);
            }
            points = first.range()?;
        } else {
            for (at, access) in statement.results.iter().enumerate() {
                let identity = self.identity(access.value)?;
                let equality = Equality {
                    mu: Pieces::one(Source::Result(id, at), identity),
                    is_itself: true,
                    ..Equality::default()
                };
                self.before.equalities.insert((id, at), equality);
            }
        }
        if absorbed.is_some() {
            for (at, number) in self.vanished(&space, id, &terms, operands)? {
                let equality = self.before.equalities.entry((id, at)).or_default();
                let rest = equality
                    .mu
                    .outside(&number.domain()?.expect("it has a number"))?;
                equality.mu = number;
                equality.is_itself = false;
                equality.has_other_names = true;
                equality.mu.merge(rest)?;
            }
        }
        let points = self.distinct_terms(statement, points, operands)?;
        let mut elements = Vec::new();
        for access in &statement.results {
            elements.push(space.access(id, access)?.restrict_domain(&points)?);
        }
        let mut readers = Vec::new();
        for operand in operands {
            let mut of = Vec::new();
            for (source, relation) in operand.iter() {
                let back = relation.restrict_domain(&points)?.reverse()?;
                of.push((source.clone(), back));
            }
            readers.push(of);
        }
        let at = self.table.len();
        let key = self.key(&statement.key);
        for (operand, of) in readers.iter().enumerate() {
            for (source, _) in of {
                let place = self.index.entry((key, operand, source.clone()));
                place.or_default().push(at);
            }
        }
        if readers.is_empty() {
            let place = self.index.entry((key, usize::MAX, Source::Undefined));
            place.or_default().push(at);
        }
        self.table.push(Canonical {
            statement: id,
            readers,
            elements,
            free: free_positions(statement),
            points,
        });
        Ok(())
    }

    /// Returns the identity of the elements of a result.
    fn identity(&self, value: ValueId) -> Result<Relation, Reason> {
        let space = &self.before.contents.space;
        let of = space.program.value(value);
        let vars = space.element_vars(&of.loops, &of.shape);
        space.of_value(value, Vec::new(), vars.into_iter().map(Into::into))
    }

    /// Returns for each point the first one with the same operands; `None` if each is the first.
    ///
    /// Terms of a reduction are not compared: two terms of one element that are equal count twice. Elements of a
    /// reduction that have the same terms in the same order are compared by [`Self::representatives`].
    fn first_of_equals(
        &self,
        statement: &Statement,
        points: &Relation,
        operands: &[Pieces],
    ) -> Result<Option<Relation>, Reason> {
        let mut equal: Option<Relation> = None;
        let may_exchange = may_exchange(statement, operands);
        if !may_exchange && self.are_all_read(statement) {
            return Ok(None);
        }
        for operand in operands {
            if !may_exchange
                && let Some((_, relation)) = operand.single()
                && relation.is_injective()?
            {
                return Ok(None);
            }
        }
        for operand in operands {
            let pairs = operand.iter().map(|(_, relation)| {
                let relation = relation.restrict_domain(points)?;
                Ok(relation.then(&relation.reverse()?)?)
            });
            let Some(pairs) = sum(pairs)? else {
                return Ok(None);
            };
            equal = Some(match equal {
                Some(equal) => equal.intersect(&pairs)?,
                None => pairs,
            });
        }
        let Some(mut equal) = equal else {
            return Ok(None);
        };
        let kept = statement.loops.len() + statement.kept();
        let rest = Space::instance_vars(&self.before.contents.space, statement).len() - kept;
        if rest > 0 {
            let same: Vec<_> = (kept..kept + rest).map(|at| (at, at)).collect();
            equal = equal.intersect(&super::equal_columns(&self.context, equal.shape(), &same)?)?;
        } else if may_exchange && let [a, b] = operands {
            equal = self.exchanged(equal, points, a, b)?;
        }
        if equal.is_injective()? {
            return Ok(None);
        }
        if rest == 0 {
            return Ok(Some(equal.lexmin()?));
        }
        // An element is equal to another if every term has its equal: those with a term that lacks it are taken away.
        let vars = self.before.contents.space.instance_vars(statement);
        let params = equal.shape().params;
        let all = Relation::universe(&self.context, equal.shape())?;
        let same: Vec<_> = (kept..kept + rest).map(|at| (at, at)).collect();
        let all = all.restrict_domain(points)?.restrict_range(points)?;
        let all = all.intersect(&super::equal_columns(&self.context, equal.shape(), &same)?)?;
        let lacking = all.subtract(&equal)?;
        let to_kept = |relation: &Relation| {
            relation
                .project_out_ins(kept, rest)?
                .project_out_outs(kept, rest)
        };
        let classes = to_kept(&equal)?.subtract(&to_kept(&lacking)?)?;
        if classes.is_empty()? || classes.is_injective()? {
            return Ok(None);
        }
        let first = classes.lexmin()?;
        let first = first.flat_product(&Relation::identity(
            &self.context,
            params,
            vars.len() - kept,
        )?)?;
        Ok(Some(first.restrict_domain(points)?.restrict_range(points)?))
    }

    /// Returns whether each dimension of an operation is a dimension of a tensor whose elements differ, and so are the
    /// loops: then no two points have the same operands. That is so for nearly all operations, and needs no solver.
    pub(super) fn are_all_read(&self, statement: &Statement) -> bool {
        let program = self.before.program();
        let mut lacking: Vec<_> = (0..statement.space.len()).collect();
        let mut has_loops = statement.loops.is_empty();
        for access in &statement.operands {
            let value = program.value(access.value);
            let (differ, counts) = match &value.def {
                Def::Argument(_) => (true, false),
                Def::Result(id) => {
                    let equality = self.before.equalities.get(&(*id, 0));
                    let is_itself = equality.is_some_and(|equality| equality.is_itself);
                    let statement = program.statement(*id);
                    (is_itself && statement.results.len() == 1, true)
                }
                _ => (false, false),
            };
            if !differ {
                continue;
            }
            has_loops |= counts && value.loops == statement.loops;
            let vars: Vec<_> = access.index.iter().filter_map(Expr::as_var).collect();
            lacking.retain(|dim| !vars.iter().any(|var| is_point(*var, *dim)));
        }
        has_loops && lacking.is_empty()
    }

    /// Adds the pairs of points that have the operands exchanged.
    fn exchanged(
        &self,
        equal: Relation,
        points: &Relation,
        a: &Pieces,
        b: &Pieces,
    ) -> Result<Relation, Reason> {
        let across = |from: &Pieces, to: &Pieces| {
            sum(from.iter().filter_map(|(source, relation)| {
                let other = to.get(source)?;
                let pairs = || {
                    let relation = relation.restrict_domain(points)?;
                    let other = other.restrict_domain(points)?;
                    Ok(relation.then(&other.reverse()?)?)
                };
                Some(pairs())
            }))
        };
        match (across(a, b)?, across(b, a)?) {
            (Some(first), Some(second)) => Ok(equal.union(&first.intersect(&second)?)?),
            _ => Ok(equal),
        }
    }

    /// Returns the relation from the elements of each result to the first equal one.
    fn representatives(&self, id: StatementId, first: &Relation) -> Result<Vec<Pieces>, Reason> {
        let space = &self.before.contents.space;
        let results = &space.program.statement(id).results;
        let mut pieces = Vec::new();
        for (at, access) in results.iter().enumerate() {
            let elements = space.access(id, access)?;
            let mu = elements.reverse()?.then(first)?.then(&elements)?;
            pieces.push(Pieces::one(Source::Result(id, at), mu.coalesce()?));
        }
        Ok(pieces)
    }
}

/// Returns whether two points may have the same operands, exchanged.
fn may_exchange(statement: &Statement, operands: &[Pieces]) -> bool {
    let ([first, second], [a, b]) = (&statement.operands[..], operands) else {
        return false;
    };
    let is_same = first.value == second.value && first.index == second.index;
    laws::commutes(&statement.key.name)
        && !is_same
        && a.sources().any(|source| b.get(source).is_some())
}

fn is_point(var: Var, dim: usize) -> bool {
    matches!(var, Var::Point(at) if at as usize == dim)
}

/// Returns the positions of an instance on which no operand depends: counters are not among them.
pub(super) fn free_positions(statement: &Statement) -> Vec<usize> {
    let dims = 0..u32::try_from(statement.space.len()).expect("fewer than 2^32 dimensions");
    let free = dims.filter(|dim| {
        let operands = statement.operands.iter();
        !operands
            .flat_map(|access| &access.index)
            .any(|index| index.vars().contains(&Var::Point(*dim)))
    });
    free.map(|dim| statement.loops.len() + dim as usize)
        .collect()
}

//! Functions from points to where their elements come from, in pieces: one relation for each source.

use std::fmt;
use std::sync::Arc;

use spyre_isl::Relation;

use crate::claim::Reason;
use crate::program::{LoopId, StatementId, ValueId};

/// Where an element comes from. The relation to a source gives the coordinates named here.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Source {
    /// An argument of the function; its element.
    Argument(u32),
    /// One number, by its bits and element type; no coordinates.
    Number(Arc<str>),
    /// A constant tensor that is no single number, by name and element type; its element.
    Constant(Arc<str>),
    /// Nothing has written it; no coordinates.
    Undefined,
    /// A result of a statement, by number; the counters of the loops around the statement, and the element.
    Result(StatementId, usize),
    /// A tensor that a loop carries, by number; the counters of the loops around, of the loop, and the element.
    Carried(LoopId, usize),
    /// A tensor of an operation that is not modelled; no coordinates.
    Opaque(ValueId),
}

/// A relation from points to sources: a union over sources.
#[derive(Clone, Default)]
pub(crate) struct Pieces {
    list: Vec<(Source, Relation)>,
}

impl fmt::Debug for Pieces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pieces = self
            .list
            .iter()
            .map(|(source, relation)| (source, relation));
        f.debug_map().entries(pieces).finish()
    }
}

impl Pieces {
    /// Returns a relation to one source.
    #[must_use]
    pub(crate) fn one(source: Source, relation: Relation) -> Self {
        Self {
            list: vec![(source, relation)],
        }
    }

    /// Returns the sources, and the relation to each.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(Source, Relation)> {
        self.list.iter()
    }

    /// Returns the sources.
    pub(crate) fn sources(&self) -> impl Iterator<Item = &Source> {
        self.list.iter().map(|(source, _)| source)
    }

    /// Returns the relation to a source.
    #[must_use]
    pub(crate) fn get(&self, source: &Source) -> Option<&Relation> {
        let entry = self.list.iter().find(|(at, _)| at == source);
        entry.map(|(_, relation)| relation)
    }

    /// Returns the only source and its relation, if there is one source.
    #[must_use]
    pub(crate) fn single(&self) -> Option<&(Source, Relation)> {
        match &self.list[..] {
            [piece] => Some(piece),
            _ => None,
        }
    }

    /// Adds pairs to the relation to a source.
    ///
    /// # Errors
    /// The budget of the solver.
    pub(crate) fn add(&mut self, source: Source, relation: Relation) -> Result<(), Reason> {
        match self.list.iter_mut().find(|(at, _)| *at == source) {
            Some((_, sum)) => *sum = sum.union(&relation)?,
            None => self.list.push((source, relation)),
        }
        Ok(())
    }

    /// Adds the pairs of other pieces.
    ///
    /// # Errors
    /// The budget of the solver.
    pub(crate) fn merge(&mut self, other: Self) -> Result<(), Reason> {
        for (source, relation) in other.list {
            self.add(source, relation)?;
        }
        Ok(())
    }

    /// Returns `before`, then these pieces.
    ///
    /// # Errors
    /// The budget of the solver.
    pub(crate) fn after(&self, before: &Relation) -> Result<Self, Reason> {
        if let [(source, relation)] = &self.list[..] {
            // Nearly all: to ask whether it is empty would cost more than the composition.
            return Ok(Self::one(source.clone(), before.then(relation)?));
        }
        self.mapped(|relation| Ok(before.then(relation)?))
    }

    /// Returns the pieces for the points in a set.
    ///
    /// # Errors
    /// The budget of the solver.
    pub(crate) fn inside(&self, set: &Relation) -> Result<Self, Reason> {
        self.mapped(|relation| Ok(relation.restrict_domain(set)?))
    }

    /// Returns the pieces for the points outside of a set.
    ///
    /// # Errors
    /// The budget of the solver.
    pub(crate) fn outside(&self, set: &Relation) -> Result<Self, Reason> {
        self.mapped(|relation| Ok(relation.subtract_domain(set)?))
    }

    /// Returns the pieces with each relation replaced, without those that become empty.
    ///
    /// # Errors
    /// The errors of `function`, and the budget of the solver.
    pub(crate) fn mapped(
        &self,
        function: impl Fn(&Relation) -> Result<Relation, Reason>,
    ) -> Result<Self, Reason> {
        let mut list = Vec::with_capacity(self.list.len());
        for (source, relation) in &self.list {
            let relation = function(relation)?;
            if !relation.is_empty()? {
                list.push((source.clone(), relation));
            }
        }
        Ok(Self { list })
    }

    /// Returns the pieces of some sources.
    #[must_use]
    pub(crate) fn filtered(&self, keep: impl Fn(&Source) -> bool) -> Self {
        let pieces = self.list.iter().filter(|(source, _)| keep(source));
        Self {
            list: pieces.cloned().collect(),
        }
    }

    /// Returns the points that have a source; `None` for none.
    ///
    /// # Errors
    /// The budget of the solver.
    pub(crate) fn domain(&self) -> Result<Option<Relation>, Reason> {
        let mut sum: Option<Relation> = None;
        for (_, relation) in &self.list {
            let domain = relation.domain()?;
            sum = Some(match sum {
                Some(sum) => sum.union(&domain)?,
                None => domain,
            });
        }
        Ok(sum)
    }

    /// Returns the same pieces with each relation simplified to fewer conjunctions where isl can merge some.
    ///
    /// # Errors
    /// The budget of the solver.
    pub(crate) fn coalesced(&self) -> Result<Self, Reason> {
        self.mapped(|relation| {
            if relation.count_basics() < 2 {
                return Ok(relation.clone());
            }
            Ok(relation.coalesce()?)
        })
    }
}

//! Operations that read themselves, without a closed form: one iteration after the other.
//!
//! What a loop adds up wrongly is right up to some iteration, and a witness is of the first one that is not. So each
//! round matches the points whose operands are known by then, and knows the operation for the next. A loop that is
//! right, but in an order that no guess has, is proved if it is short.

use super::sums::{Combined, Itself, Wrong};
use super::{Side, Simulation, laws};
use crate::claim::{By, Reason, Verdict};
use crate::contents::Pieces;
use crate::program::StatementId;

/// The most rounds. A longer loop that is right in all of them is not decided.
const MOST_ROUNDS: usize = 32;

impl Simulation<'_> {
    /// Returns the verdict about an operation that reads itself and is no sum of parts in closed form; `wrong` has
    /// points at which it adds up parts wrongly, if that is known.
    pub(super) fn unrolled(
        &mut self,
        id: StatementId,
        raw: &[Pieces],
        wrong: Option<Wrong>,
    ) -> Result<Verdict, Reason> {
        let name = &self.after.program().statement(id).key.name;
        let may_combine = laws::combines(name) && raw.len() == 2;
        let mut open = self.after.contents.space.instances(id)?;
        for _ in 0..MOST_ROUNDS {
            let reads = raw.iter().map(|read| self.resolved(read));
            let reads = reads.collect::<Result<Vec<_>, _>>()?;
            let sums = match self.combined(id, raw, Itself::Iterations)? {
                Combined::Parts(parts, rest) if may_combine => Some((parts, rest)),
                _ => None,
            };
            self.after.equalities.remove(&(id, 0));
            let mut rest = self.matched(id, &reads)?;
            let is_sum = sums.is_some() || may_combine && raw.iter().any(|read| self.is_open(read));
            if let Some((parts, without)) = sums {
                let matched = self.after.equalities.remove(&(id, 0)).unwrap_or_default();
                self.close(id, parts)?;
                let equality = self.after.equalities.entry((id, 0)).or_default();
                equality.mu.merge(matched.mu)?;
                rest = rest.map(|rest| rest.intersect(&without)).transpose()?;
            }
            let Some(rest) = rest else {
                return Ok(Verdict::Proved(By::Solver));
            };
            if rest.is_empty()? {
                return Ok(Verdict::Proved(By::Solver));
            }
            if open.is_subset(&rest)? {
                return self.refute_or_leave(id, raw, &reads, is_sum.then_some(&rest), wrong);
            }
            open = rest.coalesce()?;
        }
        self.leave(id, open, Reason::Recurrence)
    }

    /// Gives the results of an operation that adds up parts of a reduction a second name, that of the operation of the
    /// program before which adds up the same parts. Both names are right, so a result may keep the first one alone where
    /// the budget ends.
    pub(super) fn name(&mut self, id: StatementId, raw: &[Pieces]) {
        if !self
            .keys
            .contains_key(&self.after.program().statement(id).key)
        {
            return;
        }
        let is_named = self.recurrence(Side::After, id, raw);
        if is_named == Ok(false) {
            // What is found up to an error is right.
            let _ = self.name_each(id, raw);
        }
    }

    fn name_each(&mut self, id: StatementId, raw: &[Pieces]) -> Result<(), Reason> {
        let mut open = self.after.contents.space.instances(id)?;
        for _ in 0..MOST_ROUNDS {
            let reads = raw.iter().map(|read| self.resolved(read));
            let reads = reads.collect::<Result<Vec<_>, _>>()?;
            match self.matched(id, &reads)? {
                Some(rest) if !open.is_subset(&rest)? => open = rest.coalesce()?,
                _ => break,
            }
        }
        Ok(())
    }
}

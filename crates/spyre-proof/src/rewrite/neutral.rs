//! Operations that change nothing: one operand is the neutral number of the operation, so the result is the other one.
//!
//! `x + 0`, `x * 1`, and the larger one of `x` and the least number are `x`, for all numbers of one format: the sum of the
//! zeros of both signs is a zero, and no claim is about its sign.

use super::matching::Match;
use super::{Simulation, laws};
use crate::claim::Reason;
use crate::contents::{Pieces, Source, Space};
use crate::program::StatementId;

/// Returns whether an operand of an operation of two operands is the neutral number in all elements.
///
/// A table that is neutral in some elements only has the same operation in both programs: half of its results would
/// have another name in the program before, and readers after loops and masks would not find them.
pub(super) fn has_neutral(name: &str, reads: &[Pieces]) -> bool {
    reads.len() == 2 && reads.iter().any(|number| is_all_neutral(number, name))
}

fn is_all_neutral(number: &Pieces, name: &str) -> bool {
    let mut sources = number.sources().peekable();
    sources.peek().is_some() && sources.all(|source| is_neutral(source, name))
}

fn is_neutral(source: &Source, name: &str) -> bool {
    matches!(source, Source::Number(number) if laws::is_neutral(number, name))
}

impl Simulation<'_> {
    /// Adds the counterparts of points that have none yet, and the neutral number as one operand: what the other operand
    /// is equal to.
    pub(super) fn neutral(
        &self,
        space: &Space<'_>,
        id: StatementId,
        reads: &[Pieces],
        counterparts: &mut Match,
    ) -> Result<(), Reason> {
        let statement = space.program.statement(id);
        let name = &statement.key.name;
        let elements = &statement.key.elements;
        let ([first, second], [result]) = (reads, &statement.results[..]) else {
            return Ok(());
        };
        // An operation of several formats converts as well.
        if !has_neutral(name, reads) || elements.windows(2).any(|at| at[0] != at[1]) {
            return Ok(());
        }
        let to_points = match Space::is_plain(statement, result) {
            true => None,
            false => Some(space.access(id, result)?.reverse()?),
        };
        for (number, other) in [(second, first), (first, second)] {
            let Some(rest) = counterparts.rest.clone() else {
                return Ok(());
            };
            if !is_all_neutral(number, name) {
                continue;
            }
            let Some(points) = number.domain()? else {
                continue;
            };
            let same = other.inside(&points.intersect(&rest)?)?;
            let Some(done) = same.domain()? else {
                continue;
            };
            counterparts.mu[0].merge(match &to_points {
                Some(to_points) => same.after(to_points)?,
                None => same,
            })?;
            let left = rest.subtract(&done)?;
            counterparts.rest = (!left.is_empty()?).then_some(left);
        }
        Ok(())
    }
}

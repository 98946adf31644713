//! Operations that change nothing: one operand is the neutral number of the operation, so the result is the other one.
//!
//! `x + 0`, `x * 1`, and the larger one of `x` and the least number are `x`, for all numbers of one format: the sum of the
//! zeros of both signs is a zero, and no claim is about its sign.

use super::matching::Match;
use super::{Simulation, laws};
use crate::claim::Reason;
use crate::contents::{Pieces, Source, Space};
use crate::program::StatementId;

/// Returns whether an operand may be the neutral number of an operation of two operands.
pub(super) fn has_neutral(name: &str, reads: &[Pieces]) -> bool {
    let mut sources = reads.iter().flat_map(Pieces::sources);
    reads.len() == 2 && sources.any(|source| is_neutral(source, name))
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
        found: &mut Match,
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
            let Some(rest) = found.rest.clone() else {
                return Ok(());
            };
            let neutral = number.filtered(|source| is_neutral(source, name));
            let Some(points) = neutral.domain()? else {
                continue;
            };
            let same = other.inside(&points.intersect(&rest)?)?;
            let Some(done) = same.domain()? else {
                continue;
            };
            found.mu[0].merge(match &to_points {
                Some(to_points) => same.after(to_points)?,
                None => same,
            })?;
            let left = rest.subtract(&done)?;
            found.rest = (!left.is_empty()?).then_some(left);
        }
        Ok(())
    }
}

//! Operations whose result is an element that they read: the larger of a number and itself, a magnitude of a magnitude,
//! what is negated twice, and bits that are read as another type and back. `--canonicalize` folds these, so programs before and after it differ by them.

use spyre_isl::Relation;

use super::Simulation;
use crate::claim::Reason;
use crate::contents::{Pieces, Source, Space};
use crate::program::{OpKey, StatementId};

/// Operations of two equal operands, and the positions of these.
const SAME_OPERANDS: [(&str, [usize; 2]); 3] =
    [("maximum", [0, 1]), ("minimum", [0, 1]), ("where3", [1, 2])];

/// Operations that change nothing the second time.
const IDEMPOTENT: [&str; 4] = ["abs", "floor", "relufwd", "relu6fwd"];

/// Operations that are undone the second time: `bitcast` where the type between has all bits.
const INVOLUTIONS: [&str; 2] = ["neg", "bitcast"];

impl Simulation<'_> {
    /// Returns the elements of the program before that the elements of a result are, from its elements, where the operation
    /// is one of its operands in every instance; `None` otherwise.
    pub(super) fn folded(
        &self,
        space: &Space<'_>,
        id: StatementId,
        reads: &[Pieces],
    ) -> Result<Option<Pieces>, Reason> {
        let Some(read) = self.fold(&space.program.statement(id).key, reads)? else {
            return Ok(None);
        };
        let Some(points) = read.domain()? else {
            return Ok(None);
        };
        if !space.instances(id)?.is_subset(&points)? {
            return Ok(None);
        }
        let statement = space.program.statement(id);
        let access = &statement.results[0];
        if Space::is_plain(statement, access) {
            return Ok(Some(read));
        }
        Ok(Some(read.after(&space.access(id, access)?.reverse()?)?))
    }

    /// Returns the instances in which an operation is one of its operands, or a part of it; `None` if there are none. In the
    /// others nothing has written an operand, or two operands are different elements.
    pub(super) fn folded_points(
        &self,
        space: &Space<'_>,
        id: StatementId,
        reads: &[Pieces],
    ) -> Result<Option<Relation>, Reason> {
        let is_written = |source: &Source| *source != Source::Undefined;
        let reads: Vec<_> = reads.iter().map(|read| read.filtered(is_written)).collect();
        let mut written: Option<Relation> = None;
        for read in &reads {
            let Some(points) = read.domain()? else {
                return Ok(None);
            };
            written = Some(match written {
                None => points,
                Some(of_others) => of_others.intersect(&points)?,
            });
        }
        let Some(written) = written else {
            return Ok(None);
        };
        let key = &space.program.statement(id).key;
        if let Some((first, second)) = same_operands(key, &reads) {
            return points_of_equal(first, second);
        }
        let reads = reads.iter().map(|read| read.inside(&written));
        let reads: Vec<_> = reads.collect::<Result<_, _>>()?;
        match self.fold(key, &reads)? {
            Some(read) => read.domain(),
            None => Ok(None),
        }
    }

    /// Returns the elements of the program before that an operation is in each instance, where it is one of its operands, or
    /// a part of it.
    fn fold(&self, key: &OpKey, reads: &[Pieces]) -> Result<Option<Pieces>, Reason> {
        let name = key.name.as_str();
        Ok(if let Some((first, second)) = same_operands(key, reads) {
            are_equal(first, second)?.then(|| first.clone())
        } else if IDEMPOTENT.contains(&name) && self.reads_results_of(key, reads) {
            Some(reads[0].clone())
        } else if INVOLUTIONS.contains(&name)
            && let Some(inverse) = inverse(key)
            && self.reads_results_of(&inverse, reads)
        {
            self.operands_of(&reads[0])?
        } else {
            None
        })
    }

    /// Returns whether the only operand is computed by operations of the program before with a key.
    fn reads_results_of(&self, key: &OpKey, reads: &[Pieces]) -> bool {
        let [read] = reads else {
            return false;
        };
        let before = self.before.program();
        read.sources().all(|source| match source {
            Source::Result(id, _) => before.statement(*id).key == *key,
            _ => false,
        })
    }

    /// Returns the elements that the operations read which compute the elements of a read; `None` if one of them is not in the
    /// table.
    fn operands_of(&self, read: &Pieces) -> Result<Option<Pieces>, Reason> {
        let mut pieces = Pieces::default();
        for (source, relation) in read.iter() {
            let of = self.table.iter().find(|of| match source {
                Source::Result(id, _) => of.statement == *id,
                _ => false,
            });
            let Some(of) = of else {
                return Ok(None);
            };
            let points = relation.then(&of.elements[0].reverse()?)?;
            for (source, back) in &of.readers[0] {
                pieces.add(source.clone(), points.then(&back.reverse()?)?)?;
            }
        }
        Ok(Some(pieces))
    }
}

/// Returns the two operands of which an operation is one where they are equal; `None` if it is no such operation.
fn same_operands<'r>(key: &OpKey, reads: &'r [Pieces]) -> Option<(&'r Pieces, &'r Pieces)> {
    let (_, [first, second]) = SAME_OPERANDS.iter().find(|(of, _)| *of == key.name)?;
    Some((reads.get(*first)?, reads.get(*second)?))
}

/// Returns the instances in which two operands read the same element; `None` if there are none.
fn points_of_equal(first: &Pieces, second: &Pieces) -> Result<Option<Relation>, Reason> {
    let mut equal = Pieces::default();
    for (source, relation) in first.iter() {
        if let Some(other) = second.get(source) {
            equal.add(source.clone(), relation.intersect(other)?)?;
        }
    }
    equal.domain()
}

/// Returns the operation that one of [`INVOLUTIONS`] undoes; `None` if bits are lost between the two.
fn inverse(key: &OpKey) -> Option<OpKey> {
    let mut inverse = key.clone();
    inverse.elements.reverse();
    let bits = |element: &String| -> Option<u32> {
        let digits = element.find(|letter: char| letter.is_ascii_digit())?;
        element[digits..].parse().ok()
    };
    match &key.elements[..] {
        [between, ends] if between != ends => (bits(between)? >= bits(ends)?).then_some(inverse),
        _ => Some(inverse),
    }
}

/// Returns whether two operands read the same elements in every instance.
fn are_equal(first: &Pieces, second: &Pieces) -> Result<bool, Reason> {
    if first.iter().count() != second.iter().count() {
        return Ok(false);
    }
    for (source, relation) in first.iter() {
        let Some(other) = second.get(source) else {
            return Ok(false);
        };
        if !relation.is_subset(other)? || !other.is_subset(relation)? {
            return Ok(false);
        }
    }
    Ok(true)
}

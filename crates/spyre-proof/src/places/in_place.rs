//! P3 within one execution: cores and points are in no order, so a result over an operand is written point by point.

use super::owners::{RELAYOUT, apart, at_point};
use super::{Instances, Prover, both, point, refuted};
use crate::claim::{By, Verdict, Witness};
use crate::expr::{Expr, Ranges, Var};
use crate::memory::{Buffer, Space};
use crate::program::{Extent, Statement};
use crate::sets::Constraint;

/// The bytes of an operand and of a result that share a memory.
struct Overlap<'b> {
    read: Expr,
    written: Expr,
    read_width: i64,
    written_width: i64,
    buffer: &'b Buffer,
}

impl Prover<'_> {
    /// Checks that no result overwrites an element of an operand that another point of the same execution reads.
    pub(super) fn in_place(&self, instances: &Instances<'_>, operand: usize) -> Verdict {
        let mut verdict = Verdict::Proved(By::Form);
        let statement = instances.statement;
        let Ok(read) = self.locate(&statement.operands[operand]) else {
            return verdict; // That it has no place is an answer about the access.
        };
        for result in &statement.results {
            let Ok(written) = self.locate(result) else {
                continue; // As above.
            };
            let buffers = self.memory.buffer(read.root);
            let buffers = buffers.and_then(|a| Ok((a, self.memory.buffer(written.root)?)));
            let Ok((of_read, of_written)) = buffers else {
                continue; // As above.
            };
            if !of_read.meets(&of_written) {
                continue; // The usual case.
            }
            let bytes = self.memory.byte(&of_read, &read.element);
            let bytes =
                bytes.and_then(|a| Ok((a, self.memory.byte(&of_written, &written.element)?)));
            let answer = match bytes {
                Ok((read_byte, written_byte)) => {
                    let overlap = Overlap {
                        read: read_byte.simplified(&instances.ranges),
                        written: written_byte.simplified(&instances.ranges),
                        read_width: self.program.value(read.root).width,
                        written_width: self.program.value(written.root).width,
                        buffer: &of_written,
                    };
                    let index = &result.index;
                    self.overlap(instances, operand, index, &overlap)
                }
                Err(reason) => Verdict::Unknown(reason),
            };
            verdict = both(verdict, answer);
        }
        verdict
    }

    fn overlap(
        &self,
        instances: &Instances<'_>,
        operand: usize,
        result: &[Expr],
        overlap: &Overlap<'_>,
    ) -> Verdict {
        let statement = instances.statement;
        if statement.key.name == RELAYOUT {
            return refuted(Witness {
                message: format!(
                    "the relayout writes {} while cores read other elements of operand {operand} there",
                    overlap.buffer
                ),
                ..Witness::default()
            });
        }
        let has_terms = self.has_terms(statement);
        // Elements of the result have different bytes, so equal bytes are of equal points.
        if !has_terms
            && overlap.read == overlap.written
            && overlap.read_width == overlap.written_width
            && has_all_points(statement, result)
        {
            return Verdict::Proved(By::Form);
        }
        self.overlap_of_points(instances, operand, has_terms, overlap)
    }

    /// Returns whether an element of the result has more than one term.
    fn has_terms(&self, statement: &Statement) -> bool {
        let reduced = &statement.space[statement.kept()..];
        reduced
            .iter()
            .any(|extent| self.program.largest(*extent) > 1)
    }

    fn overlap_of_points(
        &self,
        instances: &Instances<'_>,
        operand: usize,
        has_terms: bool,
        overlap: &Overlap<'_>,
    ) -> Verdict {
        let is_local = overlap.buffer.space == Space::Scratchpad;
        let second = |var: Var| match var {
            Var::Point(_) | Var::Gathered(_) => var.second(),
            Var::Core if !is_local => var.second(),
            _ => var, // One iteration, and in the scratchpad one core.
        };
        let moved = |expr: &Expr| expr.substituted(&|var| Some(second(var).into()));
        let mut vars = instances.vars.clone();
        let mut ranges: Ranges = instances.ranges.clone();
        for var in &instances.vars {
            if second(*var) != *var {
                vars.push(second(*var));
                if let Some((least, greatest)) = instances.ranges.of(*var) {
                    ranges.set(second(*var), least, greatest);
                }
            }
        }
        let mut conditions = instances.conditions.clone();
        let others = instances.conditions.iter();
        conditions.extend(others.map(|condition| condition.map(moved)));
        let written = moved(&overlap.written);
        let distance = written.minus(&overlap.read);
        conditions.push(Constraint::NonNegative(
            Expr::from(overlap.read_width - 1).minus(&distance),
        ));
        conditions.push(Constraint::NonNegative(
            distance.plus(&(overlap.written_width - 1).into()),
        ));
        let statement = instances.statement;
        let mut faults = Vec::new();
        if has_terms {
            faults.push(Expr::zero());
        } else {
            for dim in 0..statement.kept() {
                faults.extend(apart(&point(dim).into(), &point(dim).second().into()));
            }
        }
        self.never(&vars, &ranges, &conditions, &faults, |values| {
            let of = |expr: &Expr| expr.eval(&|var| values.get(&var).copied()).unwrap_or(0);
            let other = at_point(values, statement.kept(), second);
            let message = format!(
                "operand {operand} is read at byte {} of {}, which the same execution writes for point {other:?}",
                of(&overlap.read),
                overlap.buffer.space
            );
            self.witness_of(instances, values, message)
        })
    }
}

/// Returns whether each dimension of the iteration space is a dimension of the result.
fn has_all_points(statement: &Statement, result: &[Expr]) -> bool {
    let mut dims = statement.space.iter().enumerate();
    dims.all(|(dim, extent)| {
        *extent == Extent::Fixed(1)
            || result
                .iter()
                .any(|index| index.as_var() == Some(point(dim)))
    })
}

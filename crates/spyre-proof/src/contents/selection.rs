//! Constants of few numbers, and selections by them.
//!
//! A mask is true up to an end, or below a diagonal, so its elements are a few conditions on their coordinates. Where the
//! condition of a selection is a window of a mask, the selection is a move: each element is that of one operand.

use super::{Contents, Pieces, Source};
use crate::claim::Reason;
use crate::program::{Def, Program, Region, StatementId, ValueId};
use crate::rewrite::laws;

/// The operation that selects an element of its second or third operand, by its first one.
const SELECTION: &str = "where3";

/// Returns whether a tensor has elements of one tensor of constants.
fn is_constant(program: &Program, value: ValueId) -> bool {
    match &program.value(value).def {
        Def::Constant(_) => true,
        Def::Slice { source, .. } | Def::View { source, .. } => is_constant(program, *source),
        Def::Result(id) => {
            let of = program.statement(*id);
            of.is_move
                && matches!(&of.operands[..], [operand] if is_constant(program, operand.value))
        }
        _ => false,
    }
}

impl Contents<'_> {
    /// Returns whether each element that an operation selects is that of a certain operand.
    ///
    /// # Errors
    /// A number is too large, or the budget of the solver.
    pub(crate) fn is_selected(&mut self, statement: StatementId) -> Result<bool, Reason> {
        let of = self.space.program.statement(statement);
        if of.key.name != SELECTION {
            return Ok(false);
        }
        let contents = self.of(of.results[0].value)?;
        let is_itself =
            |source: &Source| matches!(source, Source::Result(id, _) if *id == statement);
        Ok(!contents.sources().any(is_itself))
    }

    /// Returns the numbers of a tensor of constants.
    pub(super) fn regions(&self, value: ValueId, regions: &[Region]) -> Result<Pieces, Reason> {
        let element = &self.space.program.value(value).element;
        let mut pieces = Pieces::default();
        for region in regions {
            let number = Source::Number(format!("{} {element}", region.number).into());
            let elements = self.space.of_value(value, region.conditions.clone(), [])?;
            pieces.add(number, elements)?;
        }
        Ok(pieces)
    }

    /// Returns the sources of the result of a selection by constants: where the condition is a number, an element is
    /// that of one operand, as it is of a move. `itself` is the result as a source of its own, for the other elements.
    ///
    /// The conditions that are looked at are windows, views and moves of constants, so no selection is a condition of
    /// itself.
    pub(super) fn selected(
        &mut self,
        statement: StatementId,
        value: ValueId,
        itself: Pieces,
    ) -> Result<Pieces, Reason> {
        let program = self.space.program;
        let of = program.statement(statement);
        let [condition, on_true, on_false] = &of.operands[..] else {
            return Ok(itself);
        };
        let is_selection = of.key.name == SELECTION && of.results.len() == 1;
        if !is_selection || !is_constant(program, condition.value) {
            return Ok(itself);
        }
        debug_assert_eq!(of.results[0].value, value, "a selection has one result");
        let conditions = self.of(condition.value)?;
        let conditions = conditions.after(&self.to_operand(statement, condition)?)?;
        let mut pieces = Pieces::default();
        let mut rest = itself;
        for (source, relation) in conditions.iter() {
            let Source::Number(number) = source else {
                continue;
            };
            let operand = match laws::is_zero(number) {
                true => on_false,
                false => on_true,
            };
            let elements = relation.domain()?;
            let chosen = self.of(operand.value)?;
            let chosen = chosen.after(&self.to_operand(statement, operand)?)?;
            pieces.merge(chosen.inside(&elements)?)?;
            rest = rest.outside(&elements)?;
        }
        pieces.merge(rest)?;
        pieces.coalesced()
    }
}

//! Builds nodes from the candidates of a result: the possible ones, and the changes that their operands need.

use std::rc::Rc;

use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, ValueLike};
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_plan::restickify::{Need, Needs, TargetId};

use super::super::analysis::{Candidate, Node, NodeKind, Read, Target};
use super::super::fit::{Choice, OperandFit, StatedLayouts};
use super::Builder;

/// The tiling hints of the copies that an operation needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hints<'p> {
    attribute: Attribute<'p>,
    /// Whether they are only for copies that leave the dimension on the stick.
    same_stick: bool,
}

impl<'p> Builder<'_, 'p> {
    /// Builds the node of an operation with one result.
    pub(super) fn finish(
        &mut self,
        op: Op<'p>,
        choices: Vec<Choice<'p>>,
        stated_layouts: &StatedLayouts<'p>,
    ) -> Result<(), Diagnostic<'p>> {
        let operands: Vec<Val<'p>> = op.operands().collect();
        let choices = self.possible(op, choices, &operands)?;
        // Views have no hints. A copy for a view is tiled with the producer of the view's source. It is not tiled where
        // another dimension comes onto the stick, which could be one that is cut.
        let source = operands.first().copied();
        let (tiled, reads_exactly) = match DeviceOp::cast(op) {
            Some(device) => (Some(device), false),
            None => (
                source.and_then(|source| DeviceOp::cast(ir::defining_op(source)?)),
                true,
            ),
        };
        let hints = tiled
            .and_then(DeviceOp::hints_attribute)
            .map(|hints| Hints {
                attribute: hints,
                same_stick: reads_exactly,
            });
        let read = choices.first().map_or(0, |choice| choice.fits.len());
        let mut reads = Vec::with_capacity(read);
        for (operand, value) in operands.iter().take(read).enumerate() {
            let producer = self.producer(op, *value)?;
            reads.push(Read {
                producer,
                user: op,
                operand,
                needs: self.needs(producer, &choices, operand, hints),
            });
        }
        let node = Node {
            what: NodeKind::Value(self.result(op)?),
            op,
            views: choices.iter().map(|choice| choice.view.clone()).collect(),
            candidates: choices.into_iter().map(|choice| choice.ty).collect(),
            reads,
            targets: Vec::new(),
            decided: matches!(stated_layouts, StatedLayouts::Layout(_)),
        };
        self.push(node);
        Ok(())
    }

    /// Returns the choices for which every operand has a layout that goes with them.
    pub(super) fn possible(
        &self,
        op: Op<'p>,
        choices: Vec<Choice<'p>>,
        operands: &[Val<'p>],
    ) -> Result<Vec<Choice<'p>>, Diagnostic<'p>> {
        let mut refused = None;
        let mut possible = Vec::with_capacity(choices.len());
        for choice in choices {
            let refusal = choice.fits.iter().enumerate().find_map(|(operand, fits)| {
                let mut reasons = fits.iter().map(|fit| match fit {
                    OperandFit::Never(reason) => Some(reason),
                    _ => None,
                });
                let first = reasons.next().flatten()?;
                reasons
                    .all(|reason| reason.is_some())
                    .then(|| (operand, first.clone()))
            });
            match refusal {
                None => possible.push(choice),
                Some(refusal) => {
                    refused.get_or_insert(refusal);
                }
            }
        }
        if possible.is_empty()
            && let Some((operand, reason)) = refused
        {
            let diagnostic = self.error(op, format!("operand #{operand} {reason}"));
            return Err(match operands.get(operand) {
                Some(value) => diagnostic.note(
                    value.location(),
                    format!("operand #{operand} is defined here"),
                ),
                None => diagnostic,
            });
        }
        if possible.is_empty() {
            return Err(self.error(op, "there is no layout for the result"));
        }
        Ok(possible)
    }

    /// Returns the table of an operand's needs. Copies are entered at the producer.
    pub(super) fn needs(
        &mut self,
        producer: usize,
        choices: &[Choice<'p>],
        operand: usize,
        hints: Option<Hints<'p>>,
    ) -> Needs {
        let columns = self.nodes[producer].candidates.len();
        Needs::from_fn(choices.len(), columns, |row, column| {
            match &choices[row].fits[operand][column] {
                OperandFit::Met => Need::Met,
                OperandFit::Restickify(ty) => {
                    let hints = hints.filter(|hints| {
                        let candidate = &self.nodes[producer].candidates[column];
                        let stick = |ty: &Candidate<'p>| ty.device.layout().stick_dim();
                        !hints.same_stick || stick(candidate) == stick(ty)
                    });
                    let hints = hints.map(|hints| hints.attribute);
                    Need::Copy(self.target(producer, ty, hints))
                }
                OperandFit::Never(_) => Need::Impossible,
            }
        })
    }

    /// Returns the number of a copy of a value, which is added if it is new.
    fn target(
        &mut self,
        producer: usize,
        ty: &Candidate<'p>,
        hints: Option<Attribute<'p>>,
    ) -> TargetId {
        let targets = &mut self.nodes[producer].targets;
        let position = targets
            .iter()
            .position(|target| target.ty.ty == ty.ty && target.hints == hints);
        let index = position.unwrap_or_else(|| {
            targets.push(Target {
                ty: Rc::clone(ty),
                hints,
            });
            targets.len() - 1
        });
        TargetId(u32::try_from(index).expect("copies are counted"))
    }
}

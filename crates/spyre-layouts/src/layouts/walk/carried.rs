//! Nodes of the iteration arguments and yielded values of loops.

use std::rc::Rc;

use melior::ir::ValueLike;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use spyre_analysis::walk;
use spyre_dialects::names::CANDIDATES;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_plan::restickify::{Need, Needs};

use super::super::analysis::{Node, NodeKind, Read};
use super::super::fit::{Choice, OperandFit, exactly};
use super::Builder;

impl<'p> Builder<'_, 'p> {
    /// Builds the nodes of a loop: of its iteration arguments, of its body, and of its results.
    pub(super) fn for_loop(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let body = ir::body(op).expect("a loop has a body");
        if op.has_attribute(CANDIDATES) {
            return Err(self.error(
                op,
                format!(
                    "a loop has the layouts of its initial values, so {CANDIDATES} belongs on that"
                ),
            ));
        }
        let carried = walk::carried(op).enumerate();
        let carried: Vec<(usize, walk::Carried<'p>)> = carried
            .filter(|(_, carried)| ir::is_ranked_tensor(carried.inside.r#type()))
            .collect();
        for (_, carried) in &carried {
            self.same_as(carried.inside, op, carried.operand, carried.init)?;
            self.leave_unwritten(carried.inside, self.unwritten(carried.init));
        }
        self.block(body)?;
        let end = body
            .terminator()
            .ok_or_else(|| self.error(op, "the loop has no end"))?;
        for (index, carried) in carried {
            self.yielded(end, index, carried.inside)?;
            self.same_as(carried.result, op, carried.operand, carried.inside)?;
        }
        Ok(())
    }

    /// Builds the node of a value of a loop that has the layout of another value.
    fn same_as(
        &mut self,
        value: Val<'p>,
        user: Op<'p>,
        operand: usize,
        source: Val<'p>,
    ) -> Result<(), Diagnostic<'p>> {
        let producer = self.producer(user, source)?;
        let candidates = self.candidates(user, source)?.to_vec();
        let views = self.views(user, source)?.to_vec();
        let count = candidates.len();
        let needs = Needs::from_fn(count, count, |row, column| {
            if row == column {
                Need::Met
            } else {
                Need::Impossible
            }
        });
        let decided = self.types.get(value.r#type()).is_ok_and(|ty| ty.has_layout);
        self.push(Node {
            what: NodeKind::Value(value),
            op: user,
            candidates,
            views,
            reads: vec![Read {
                producer,
                user,
                operand,
                needs,
            }],
            targets: Vec::new(),
            decided,
        });
        Ok(())
    }

    /// Builds the node of a value that a loop yields. It has the layout of the iteration argument.
    fn yielded(
        &mut self,
        end: Op<'p>,
        index: usize,
        inside: Val<'p>,
    ) -> Result<(), Diagnostic<'p>> {
        let yielded = end.operand(index).map_err(|err| self.error(end, err))?;
        let carried = self.candidates(end, inside)?.to_vec();
        let sources = self.candidates(end, yielded)?.to_vec();
        let seen = self.views(end, yielded)?.to_vec();
        let choices = carried.iter().enumerate().map(|(position, ty)| Choice {
            ty: Rc::clone(ty),
            view: ty.device.view(),
            fits: vec![
                sources
                    .iter()
                    .zip(&seen)
                    .map(|(source, view)| exactly(source, view, ty))
                    .collect(),
                (0..carried.len())
                    .map(|other| {
                        if position == other {
                            OperandFit::Met
                        } else {
                            OperandFit::Never(
                                "has another layout than the carried value".to_owned(),
                            )
                        }
                    })
                    .collect(),
            ],
        });
        let choices: Vec<_> = choices.collect();
        let choices = self.possible(end, choices, &[yielded, inside])?;
        let candidates = choices.iter().map(|choice| Rc::clone(&choice.ty)).collect();
        let reads = [(index, yielded, 0), (index, inside, 1)].map(|(operand, value, fit)| {
            let producer = self.producer(end, value)?;
            let needs = self.needs(producer, &choices, fit, None);
            Ok(Read {
                producer,
                user: end,
                operand,
                needs,
            })
        });
        let reads = reads.into_iter().collect::<Result<_, Diagnostic<'p>>>()?;
        self.push(Node {
            what: NodeKind::Yield,
            op: end,
            candidates,
            views: choices.into_iter().map(|choice| choice.view).collect(),
            reads,
            targets: Vec::new(),
            decided: true,
        });
        Ok(())
    }
}

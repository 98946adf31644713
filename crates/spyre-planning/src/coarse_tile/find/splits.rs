//! Reports scopes that continue in another nest of loops, with the reason.

use melior::ir::operation::OperationLike;
use rustc_hash::FxHashMap;
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::hint::TileHint;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::remark::{Remark, RemarkKind, Remarks};

use crate::assign_hints::FIRST_SCOPE;
use crate::coarse_tile::explain::place;
use crate::coarse_tile::find::hints::Hinted;
use crate::coarse_tile::find::run::Dependence;

/// The end of a run of operations.
#[derive(Debug, Clone, Copy)]
struct NestEnd<'p> {
    /// The last member.
    last: Op<'p>,
    end: GroupEnd<'p>,
}

/// The reason why a run of operations ended.
#[derive(Debug, Clone, Copy)]
pub(crate) enum GroupEnd<'p> {
    /// The block ended.
    Block,
    /// An operation of other scopes follows.
    Scopes(Op<'p>),
    /// An operation requests other tiles of the same scope, and reads a view of a value that the run computes.
    Tiles(Op<'p>),
    /// The next operation depends on an operation outside of the run that depends on the run.
    Needed(Dependence<'p>),
    /// An operation with effects needs a value of the run.
    Effects(Dependence<'p>),
}

/// The end of the last nest of each scope, for remarks.
pub(crate) struct ScopeSplits<'r, 'p> {
    remarks: &'r Remarks,
    ended: FxHashMap<i64, NestEnd<'p>>,
    /// The views that are in no loops, by operation key, with the reason.
    not_carried: FxHashMap<ir::OpKey, String>,
}

impl<'r, 'p> ScopeSplits<'r, 'p> {
    /// Returns the state in which no scope has been seen yet.
    pub(crate) fn new(remarks: &'r Remarks) -> Self {
        Self {
            remarks,
            ended: FxHashMap::default(),
            not_carried: FxHashMap::default(),
        }
    }

    /// Remembers why a view is not in the loops.
    pub(crate) fn not_carried(&mut self, view: Op<'p>, reason: String) {
        self.not_carried.insert(ir::op_key(view), reason);
    }

    /// Remembers the end of a run of operations of these scopes.
    pub(crate) fn closed(&mut self, last: Op<'p>, scopes: &[TileHint], end: GroupEnd<'p>) {
        for hint in scopes {
            self.ended.insert(hint.scope, NestEnd { last, end });
        }
    }

    /// Reports that a scope continues in another nest of loops, with the reason. Has no effect for the first nest of a
    /// scope.
    pub(crate) fn opened(&self, next: &Hinted<'p>) {
        let mut scopes = next.hints.iter().map(|hint| hint.scope);
        let ended = scopes.find_map(|scope| Some((scope, *self.ended.get(&scope)?)));
        let Some((scope, NestEnd { last, end })) = ended else {
            return;
        };
        let here = next.op.op();
        let at = |op: Op<'p>| format!("{} at {}", ir::name(op), place(op.location()));
        let (reason, suggestion) = match end {
            GroupEnd::Block => (
                "the operations are in different blocks".to_owned(),
                "operations of one loop body or of the function itself can be one group",
            ),
            GroupEnd::Scopes(other) => (
                format!("{} between them has other hint scopes", at(other)),
                "give both the same scopes, or move one out of the way",
            ),
            GroupEnd::Tiles(other) => (
                format!("{} asks for other tiles of it", at(other)),
                "use another scope id for other tiles, if two nests are intended",
            ),
            GroupEnd::Needed(Dependence { through, on }) => {
                let needs = format!(
                    "{} needs the value of {}, which needs the value of {} in the first nest",
                    at(here),
                    at(through),
                    at(on)
                );
                match self.not_carried.get(&ir::op_key(through)) {
                    Some(reason) => (
                        format!(
                            "{needs}; {} is not in the loops: {reason}",
                            ir::name(through)
                        ),
                        "cut another dimension, or use the view outside of the scope",
                    ),
                    None if DeviceOp::cast(through).is_some() => (
                        needs,
                        "give the operation between them the same hints, if it can have them",
                    ),
                    None => (
                        needs,
                        "move it after the last operation of the scope, or end the scope before it",
                    ),
                }
            }
            GroupEnd::Effects(Dependence { through, on }) => (
                format!(
                    "{} between them has effects and needs the value of {} in the first nest",
                    at(through),
                    at(on)
                ),
                "move the operation with effects after the last operation of the scope",
            ),
        };
        // Values between the nests go through device memory, so this is reported even if remarks are not enabled; for
        // the hints of chosen groups, the traffic has been counted.
        if !self.remarks.is_enabled() && scope < FIRST_SCOPE {
            let message = format!(
                "coarse-tile: scope {scope} goes on in a second nest of loops: {reason}; {suggestion}"
            );
            Diagnostic::remark(here.location(), message)
                .note(last.location(), "the first nest ends here")
                .emit();
        }
        self.remarks.emit(|| {
            Remark::new(RemarkKind::Missed, here.location(), "ScopeSplit")
                .arg("Operation", ir::name(here))
                .arg("Scope", scope)
                .arg("Before", at(last))
                .reason(reason)
                .suggestion(suggestion)
        });
    }
}

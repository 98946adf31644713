//! Scopes that continue in another nest of loops, and why.

use melior::ir::operation::OperationLike;
use rustc_hash::FxHashMap;
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::remark::{Kind, Remark, Remarks};

use super::explain::place;
use super::hints::{Hinted, same_scopes};
use super::run::{Dependence, Run};

/// Where a run ended.
#[derive(Debug, Clone, Copy)]
struct Ended<'p> {
    /// Its last member.
    last: Op<'p>,
    why: End<'p>,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy)]
pub enum End<'p> {
    /// With its block.
    Block,
    /// An operation of other scopes follows.
    Scopes(Op<'p>),
    /// The next operation needs something that needs a value of the run.
    Needed(Dependence<'p>),
    /// Something with effects needs a value of the run.
    Effects(Dependence<'p>),
}

/// Where the last nest of each scope ended, for remarks.
pub struct Nests<'r, 'p> {
    remarks: &'r Remarks,
    ended: FxHashMap<i64, Ended<'p>>,
}

impl<'r, 'p> Nests<'r, 'p> {
    /// No scope has been seen yet.
    pub fn new(remarks: &'r Remarks) -> Self {
        Self {
            remarks,
            ended: FxHashMap::default(),
        }
    }

    /// Remembers where a run of operations ended, if anybody listens.
    pub fn closed(&mut self, last: &Hinted<'p>, why: End<'p>) {
        if self.remarks.is_enabled() {
            let op = last.op.op();
            for hint in last.hints.iter() {
                self.ended.insert(hint.scope, Ended { last: op, why });
            }
        }
    }

    /// Says that a scope goes on in another nest of loops, and why.
    pub fn opened(&self, next: &Hinted<'p>) {
        let mut scopes = next.hints.iter().map(|hint| hint.scope);
        let ended = scopes.find_map(|scope| Some((scope, *self.ended.get(&scope)?)));
        let Some((scope, Ended { last, why })) = ended else {
            return;
        };
        let here = next.op.op();
        let at = |op: Op<'p>| format!("{} at {}", ir::name(op), place(op.location()));
        self.remarks.emit(|| {
            let (reason, suggestion) = match why {
                End::Block => (
                    "the operations are in different blocks".to_owned(),
                    "operations of one loop body or of the function itself can be one group",
                ),
                End::Scopes(other) => (
                    format!("{} between them has other hint scopes", at(other)),
                    "give both the same scopes, or move one out of the way",
                ),
                End::Needed(Dependence { through, on }) => (
                    format!(
                        "{} needs the value of {}, which needs the value of {} in the first nest",
                        at(here),
                        at(through),
                        at(on)
                    ),
                    "give the operation between them the same hints, if it can have them",
                ),
                End::Effects(Dependence { through, on }) => (
                    format!(
                        "{} between them has effects and needs the value of {} in the first nest",
                        at(through),
                        at(on)
                    ),
                    "move the operation with effects behind the last operation of the scope",
                ),
            };
            Remark::new(Kind::Missed, here.location(), "ScopeSplit")
                .arg("Operation", ir::name(here))
                .arg("Scope", scope)
                .arg("Before", at(last))
                .reason(reason)
                .suggestion(suggestion)
        });
    }
}

/// Why an operation does not join a run, if it does not.
pub fn ends<'p>(first: &Hinted<'p>, next: &Hinted<'p>, run: &Run<'p>) -> Option<End<'p>> {
    if !same_scopes(&next.hints, &first.hints) {
        return Some(End::Scopes(next.op.op()));
    }
    run.blocked(next.op.op()).map(End::Needed)
}

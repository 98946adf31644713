//! Operations in a row that may become a group, while the block is read.
//!
//! A group that ends because an operation depends on one after its loops is split: members that do not depend on the
//! first part go with that operation. When a group is closed, views that no member reads are left out, and each of the
//! others is in the scopes that its source and a reader share.

use std::rc::Rc;

use melior::ir::operation::OperationLike;
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_analysis::dynamic::DynamicDims;
use spyre_analysis::kinds::is_carried;
use spyre_analysis::names::{DimName, Name, Names, position};
use spyre_dialects::hint::TileHint;
use spyre_mlir_rt::ir::{self, Op, OpKind};

use crate::coarse_tile::find::group_op::{GroupOp, indexing_of};
use crate::coarse_tile::find::hints::{Hinted, hint_of, join};
use crate::coarse_tile::find::run::{Dependence, MemberRun};
use crate::coarse_tile::find::splits::GroupEnd;

/// Operations in a row that may become a group, with the views between them.
#[derive(Default)]
pub(crate) struct OpenGroup<'p> {
    hinted: Vec<Hinted<'p>>,
    run: MemberRun<'p>,
    /// The scopes of all operations, outermost first.
    pub(crate) scopes: Vec<TileHint>,
    /// The hints of the operation before. The next operation mostly has the same ones.
    last: Option<Rc<[TileHint]>>,
}

/// Operations that become a group.
pub(crate) struct ClosedGroup<'p> {
    /// The operations, and the views that some of them read.
    pub(crate) hinted: Vec<Hinted<'p>>,
    /// The operations between those of the group that have to be after the loops, in order.
    pub(crate) behind: Vec<Op<'p>>,
    /// The scopes of all operations, outermost first.
    pub(crate) scopes: Vec<TileHint>,
}

impl<'p> OpenGroup<'p> {
    /// Returns whether there is no operation.
    pub(crate) fn is_empty(&self) -> bool {
        self.hinted.is_empty()
    }

    /// Returns the first operation; `None` without operations.
    pub(crate) fn first(&self) -> Option<&Hinted<'p>> {
        self.hinted.first()
    }

    /// Adds an operation for which [`OpenGroup::ends`] returns `None`, or a view of a value of the operations.
    pub(crate) fn add(&mut self, next: Hinted<'p>) {
        self.run.add(next.op.op());
        if !next.op.is_view() {
            if !self.is_like_last(&next) {
                self.scopes = if self.scopes.is_empty() {
                    next.hints.to_vec()
                } else {
                    let joined = join(&self.scopes, &next.hints);
                    joined.expect("the operation was found to be of the same nest")
                };
            }
            self.last = Some(Rc::clone(&next.hints));
        }
        self.hinted.push(next);
    }

    /// Passes an operation that does not become a member.
    ///
    /// # Errors
    /// The operation needs a value of a member and has effects.
    pub(crate) fn pass(&mut self, op: Op<'p>) -> Result<(), Dependence<'p>> {
        if self.is_empty() {
            return Ok(());
        }
        self.run.pass(op)
    }

    /// Returns whether an operation has an operand that a member computes.
    pub(crate) fn reads(&self, op: Op<'p>) -> bool {
        !self.is_empty() && self.run.reads(op)
    }

    /// Returns the reason why an operation cannot join; `None` if it can.
    pub(crate) fn ends(&self, next: &Hinted<'p>) -> Option<GroupEnd<'p>> {
        if self.is_empty() {
            return None;
        }
        if !self.is_like_last(next) && join(&self.scopes, &next.hints).is_none() {
            return Some(GroupEnd::Scopes(next.op.op()));
        }
        // After a view, the hint of a scope may name another dimension.
        let other = |scope: &TileHint| hint_of(next, scope.scope).is_some_and(|hint| hint != scope);
        let reads_view = |value| {
            let maker = ir::defining_op(value);
            maker.is_some_and(|maker| is_carried(maker) && self.run.has(maker))
        };
        if !self.is_like_last(next)
            && self.scopes.iter().any(other)
            && next.op.op().operands().any(reads_view)
        {
            return Some(GroupEnd::Tiles(next.op.op()));
        }
        self.run.blocked(next.op.op()).map(GroupEnd::Needed)
    }

    fn is_like_last(&self, next: &Hinted<'p>) -> bool {
        let last = self.last.as_ref();
        last.is_some_and(|last| Rc::ptr_eq(last, &next.hints))
    }

    /// Splits off the operations that go into the next group, with an operation that depends on one after the loops:
    /// see [`MemberRun::split`].
    pub(crate) fn split(&mut self) -> Self {
        let members: Vec<_> = self.hinted.iter().map(|member| member.op.op()).collect();
        let (at, run) = self.run.split(&members);
        let hinted = self.hinted.split_off(at);
        let of = |members: &[Hinted<'p>]| -> Vec<TileHint> {
            let is_in = |scope: &&TileHint| {
                let mut members = members.iter();
                members.any(|member| hint_of(member, scope.scope).is_some())
            };
            self.scopes.iter().filter(is_in).cloned().collect()
        };
        let scopes = of(&hinted);
        self.scopes = of(&self.hinted);
        Self {
            scopes,
            hinted,
            run,
            last: None,
        }
    }

    /// Checks that a view of a tensor can also be taken of its tiles, where the loop of a scope cuts the tensor.
    ///
    /// # Errors
    /// The reason why it cannot.
    pub(crate) fn check_scope(
        &self,
        view: &Hinted<'p>,
        scope: &TileHint,
        name: Name,
    ) -> Result<(), String> {
        let op = view.op.op();
        let dim = &scope.dim;
        let dim_position = position(&view.names, &view.indexing.space, name).map_err(|_| {
            format!("\"{dim}\" names two of its dimensions; spyre.dims on it names them apart")
        })?;
        if let Some(dim_position) = dim_position {
            if view.indexing.can_be_cut(dim_position.dim) {
                return Ok(());
            }
            return Err(match ir::kind(op) {
                OpKind::ExtractSlice | OpKind::InsertSlice => {
                    format!("it takes a window along dimension \"{dim}\", which the loops cut")
                }
                _ => format!(
                    "the loops cut dimension \"{dim}\", which is not the outermost part of the reshaped dimension, so that its tiles \
                     are not contiguous"
                ),
            });
        }
        // If the loop cuts a dimension of the source, the view has to have that dimension too.
        let makers = op.operands().filter_map(ir::defining_op);
        for maker in makers {
            let member = self.hinted.iter().find(|member| member.op.op() == maker);
            let Some(member) = member
                .filter(|member| member.op.is_view() || hint_of(member, scope.scope).is_some())
            else {
                continue;
            };
            let cut = position(&member.names, &member.indexing.space, name);
            let cut = cut.map_err(|_| format!("\"{dim}\" names two dimensions of its source"))?;
            if cut.is_some_and(|cut| member.indexing.result().contains(&Some(cut.dim))) {
                return Err(format!(
                    "its source has dimension \"{dim}\", which the loops cut, but the result does not"
                ));
            }
        }
        Ok(())
    }

    /// Returns the operations as a group, without the views that none of them reads; `None` if there are none.
    pub(crate) fn close(self) -> Option<ClosedGroup<'p>> {
        let is_kept = self.kept();
        // After a split, the group may have fewer members than the recorded position of an operation; such an operation
        // is after all members.
        let kept_before = |position: usize| {
            let before = is_kept.iter().take(position);
            before.filter(|kept| **kept).count()
        };
        let mut of_views = scopes_of_views(&self.hinted, &self.scopes);
        let mut passed = self.run.into_behind().into_iter().peekable();
        // Operations that move after the loops, each with the number of members before it.
        let mut behind = Vec::new();
        let mut hinted = Vec::with_capacity(self.hinted.len());
        for (position, mut member) in self.hinted.into_iter().enumerate() {
            while let Some((op, _)) = passed.next_if(|(_, count)| *count <= position) {
                behind.push((op, kept_before(position)));
            }
            if !is_kept[position] {
                behind.push((member.op.op(), kept_before(position)));
                continue;
            }
            if member.op.is_view() {
                let hints = of_views.remove(&ir::op_key(member.op.op()));
                member.hints = hints.expect("every view has scopes");
            }
            hinted.push(member);
        }
        behind.extend(passed.map(|(op, count)| (op, kept_before(count))));
        // Operations after the last member are after the loops already.
        let between = behind
            .into_iter()
            .filter(|(_, before)| *before < hinted.len());
        let behind = between.map(|(op, _)| op).collect();
        (!hinted.is_empty()).then_some(ClosedGroup {
            hinted,
            behind,
            scopes: self.scopes,
        })
    }

    /// Returns, for each operation, whether it has hints or is a view that a member reads.
    fn kept(&self) -> Vec<bool> {
        let mut read = FxHashSet::default();
        let mut kept = vec![true; self.hinted.len()];
        for (member, kept) in self.hinted.iter().zip(&mut kept).rev() {
            let op = member.op.op();
            *kept = !member.op.is_view() || read.contains(&ir::op_key(op));
            if *kept {
                read.extend(op.operands().filter_map(ir::defining_op).map(ir::op_key));
            }
        }
        kept
    }
}

/// Returns the scopes that each view is in: the scopes that both its sources in the group and one of its users are in.
/// So a view of a tile that an inner loop reads is taken outside of that loop, which reads windows of it.
fn scopes_of_views(
    hinted: &[Hinted<'_>],
    scopes: &[TileHint],
) -> FxHashMap<ir::OpKey, Rc<[TileHint]>> {
    if !hinted.iter().any(|member| member.op.is_view()) {
        return FxHashMap::default();
    }
    // Sets of scopes have a truth value for each scope.
    let none = || vec![false; scopes.len()];
    let hinted_scopes = |member: &Hinted<'_>| -> Vec<bool> {
        let is_in = |scope: &TileHint| hint_of(member, scope.scope).is_some();
        scopes.iter().map(is_in).collect()
    };
    let and = |a: Vec<bool>, b: &Vec<bool>| a.iter().zip(b).map(|(a, b)| *a && *b).collect();
    let makers = |member: &Hinted<'_>| -> Vec<ir::OpKey> {
        let op = member.op.op();
        op.operands()
            .filter_map(ir::defining_op)
            .map(ir::op_key)
            .collect()
    };
    let mut read: FxHashMap<ir::OpKey, Vec<bool>> = FxHashMap::default();
    for member in hinted.iter().rev() {
        let is_in = if member.op.is_view() {
            // Without readers the view is no member.
            read.get(&ir::op_key(member.op.op()))
                .cloned()
                .unwrap_or_else(none)
        } else {
            hinted_scopes(member)
        };
        for maker in makers(member) {
            let entry = read.entry(maker).or_insert_with(none);
            entry
                .iter_mut()
                .zip(&is_in)
                .for_each(|(flag, is_in)| *flag |= is_in);
        }
    }
    let mut maker_scopes: FxHashMap<ir::OpKey, Vec<bool>> = FxHashMap::default();
    let mut view_scopes = FxHashMap::default();
    for member in hinted {
        let key = ir::op_key(member.op.op());
        if !member.op.is_view() {
            maker_scopes.insert(key, hinted_scopes(member));
            continue;
        }
        let sources = makers(member);
        let mut sources = sources.iter().filter_map(|maker| maker_scopes.get(maker));
        let first = sources
            .next()
            .expect("a view in a group reads a value of it");
        let is_in: Vec<bool> = sources.fold(first.clone(), and);
        let is_in: Vec<bool> = match read.get(&key) {
            Some(read) => and(is_in, read),
            None => none(),
        };
        let kept = scopes.iter().zip(&is_in).filter(|(_, is_in)| **is_in);
        view_scopes.insert(key, kept.map(|(scope, _)| scope.clone()).collect());
        maker_scopes.insert(key, is_in);
    }
    view_scopes
}

/// Builds a member for a view, with the names of its dimensions.
///
/// # Errors
/// The reason why the view has no tiles.
pub(crate) fn view<'p>(
    op: Op<'p>,
    dynamic: &DynamicDims,
    names: &Names<'p>,
) -> Result<Hinted<'p>, String> {
    let indexing = indexing_of(op, dynamic)?;
    let mut space: Vec<DimName> = vec![Vec::new(); indexing.space.len()];
    let op = GroupOp::View(op);
    for (tensor, (value, dims)) in op.tensors().into_iter().zip(&indexing.tensors).enumerate() {
        let Some(tensor_names) = names.of_value(value) else {
            continue;
        };
        for (host, (names, dim)) in tensor_names.iter().zip(dims).enumerate() {
            if let Some(dim) = *dim
                && space[dim].is_empty()
                && indexing.scale(tensor, host) == 1
            {
                space[dim].clone_from(names);
            }
        }
    }
    Ok(Hinted {
        op,
        indexing,
        hints: Rc::from([]),
        names: space.into(),
    })
}

//! Cores for dimensions by name, as splits of iteration dimensions (middle-end specification, sections 3.1 and 4.4).

use std::rc::Rc;

use melior::ir::operation::OperationLike;
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_analysis::division::check_reduced;
use spyre_analysis::indexing::Indexing;
use spyre_analysis::names::{
    Ambiguous, DimNames, Followed, Follower, Name, Visit, Wanted, position,
};
use spyre_analysis::target::target_of;
use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::units::units_of_laid_out;
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::hint::DivideHint;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir;
use spyre_mlir_rt::pass::{Failed, PassRun};

use super::{NAME, error};

/// The requested divisions of an operation, outermost request first, each name at most once.
pub(super) type Requests = Rc<[DivideHint]>;

/// An operation and the split that follows from its requests; `None` where it has none of the dimensions.
pub(super) type Split<'p> = (DeviceOp<'p>, Option<Vec<u32>>);

/// Returns the requests with one for each name: the innermost, which is the last.
pub(super) fn innermost(requests: impl IntoIterator<Item = DivideHint>) -> Requests {
    let mut kept: Vec<DivideHint> = Vec::new();
    for request in requests {
        kept.retain(|outer| outer.dim != request.dim);
        kept.push(request);
    }
    kept.into()
}

/// Returns the splits of the operations of a function. `divided` lists them in the order of the text.
pub(super) fn splits<'p>(
    run: &'p PassRun<'p>,
    divided: Vec<(DeviceOp<'p>, Requests)>,
) -> Result<Vec<Split<'p>>, Failed> {
    let function = run.operation();
    let Some(body) = ir::function_body(function).filter(|_| !divided.is_empty()) else {
        return Ok(Vec::new());
    };
    let mut divider = Divider {
        types: TensorTypes::new(run.context()),
        cores: u64::from(target_of(function)?.target.cores),
        followed: Followed::of_function(function),
        asked: divided
            .iter()
            .map(|(op, requests)| (ir::op_key(op.op()), Rc::clone(requests)))
            .collect(),
        checked: FxHashSet::default(),
        skipped: FxHashSet::default(),
        op_names: FxHashSet::default(),
        lost: FxHashSet::default(),
        splits: Vec::with_capacity(divided.len()),
    };
    let done = divider.follow(body);
    let lost = std::mem::take(&mut divider.lost);
    let named = divider.followed.names.report(&Wanted::Some(&lost));
    done?;
    named?;
    divider.warn_not_found(&divided);
    Ok(divider.splits)
}

struct Divider<'p> {
    types: TensorTypes<'p>,
    cores: u64,
    followed: Followed<'p>,
    /// The requests for each operation, by the operation's key.
    asked: FxHashMap<ir::OpKey, Requests>,
    /// Lists of requests with names that have been checked.
    checked: FxHashSet<*const DivideHint>,
    /// Requests that have been warned about.
    skipped: FxHashSet<*const DivideHint>,
    /// The names that an operation with requests has.
    op_names: FxHashSet<Name>,
    /// The names that operations lack because a reshape has split them.
    lost: FxHashSet<Name>,
    splits: Vec<Split<'p>>,
}

impl<'p> Follower<'p> for Divider<'p> {
    type Error = Diagnostic<'p>;

    fn followed(&mut self) -> &mut Followed<'p> {
        &mut self.followed
    }

    fn visit(&mut self, visit: Visit<'p>) -> Result<(), Diagnostic<'p>> {
        if let Visit::Device(op, indexing, names) = visit
            && let Some(requests) = self.asked.get(&ir::op_key(op.op())).map(Rc::clone)
        {
            let split = self.split(op, &indexing, &names, &requests)?;
            self.splits.push((op, split));
        }
        Ok(())
    }
}

impl<'p> Divider<'p> {
    /// Returns the number of cores along each dimension that follows from the requests. `None` if no request applies.
    fn split(
        &mut self,
        op: DeviceOp<'p>,
        indexing: &Indexing<'p>,
        names: &DimNames,
        requests: &Requests,
    ) -> Result<Option<Vec<u32>>, Diagnostic<'p>> {
        let is_new = self.checked.insert(requests.as_ptr());
        // Cores along each dimension, and the request for them.
        let mut split: Vec<(u32, Option<&DivideHint>)> = vec![(1, None); indexing.space.len()];
        let mut total = 1_u64;
        let mut any = false;
        for request in requests.iter() {
            let name = self.followed.names.intern(&request.dim);
            if is_new {
                self.followed.names.check_hint(name, op.op().location());
            }
            let place = position(names, &indexing.space, name).map_err(|Ambiguous(a, b)| {
                let message = format!(
                    "\"{}\" names both dimension {a} and dimension {b} of this operation",
                    request.dim
                );
                error(op.op(), message)
            })?;
            let Some(dim) = place.map(|place| place.dim) else {
                if self.followed.names.is_lost(op.op(), name) {
                    self.lost.insert(name);
                }
                continue;
            };
            self.op_names.insert(name);
            if request.cores > 1 && dim >= indexing.parallel_dims() {
                let mut reduced = indexing.parallel_dims()..split.len();
                let other = reduced.find(|other| *other != dim && split[*other].0 > 1);
                check_reduced(op, dim, other)
                    .map_err(|err| error(op.op(), format!("{request}: {err}")))?;
            }
            let Some((cores, by)) = split.get_mut(dim) else {
                continue;
            };
            if let Some(other) = by {
                let message = format!("{other} and {request} both divide dimension {dim}");
                return Err(error(op.op(), message));
            }
            *by = Some(request);
            check(&self.types, op, indexing, request, dim)?;
            match total.checked_mul(request.cores) {
                Some(all) if all <= self.cores => {
                    // At most the cores of the target.
                    *cores = u32::try_from(request.cores).unwrap_or(1);
                    total = all;
                    any = true;
                }
                _ => {
                    if self.skipped.insert(std::ptr::from_ref(request)) {
                        skipped(op, request, total, self.cores);
                    }
                }
            }
        }
        Ok(any.then(|| split.into_iter().map(|(cores, _)| cores).collect()))
    }

    /// Warns of requests for dimensions that no operation has.
    fn warn_not_found(&mut self, divided: &[(DeviceOp<'p>, Requests)]) {
        let mut looked_at = FxHashSet::default();
        let mut warned = FxHashSet::default();
        for (op, requests) in divided {
            if !looked_at.insert(requests.as_ptr()) {
                continue;
            }
            for request in requests.iter() {
                let name = self.followed.names.intern(&request.dim);
                if !self.op_names.contains(&name) && warned.insert(name) {
                    let message = format!(
                        "{NAME}: no operation to be divided has a dimension named \"{}\" of more than one element; \
                         {request} is ignored",
                        request.dim
                    );
                    Diagnostic::warning(op.op().location(), message).emit();
                }
            }
        }
    }
}

/// Checks that the requested cores divide a dimension into equal parts.
fn check<'p>(
    types: &TensorTypes<'p>,
    op: DeviceOp<'p>,
    indexing: &Indexing<'p>,
    request: &DivideHint,
    dim: usize,
) -> Result<(), Diagnostic<'p>> {
    if request.cores == 1 {
        return Ok(());
    }
    if indexing.gathered_dim.is_some() {
        let message = format!(
            "{request} divides a gather over {} cores, but an operation that takes coordinates from a tensor runs on one core",
            request.cores
        );
        return Err(error(op.op(), message));
    }
    // A dynamic extent is checked where its granularity is.
    let Some(extent) = indexing
        .space
        .get(dim)
        .and_then(|extent| u64::try_from(*extent).ok())
    else {
        return Ok(());
    };
    // Which dimension of a tensor is on the stick is open until it has a layout.
    let units = units_of_laid_out(types, indexing).map_err(|err| error(op.op(), err))?;
    let unit = units.get(dim).copied().unwrap_or(1);
    if !extent.is_multiple_of(unit) {
        let message = format!(
            "{request} gives cores unequal parts of dimension {dim}: its extent {extent} is no whole number of sticks \
             of {unit}"
        );
        return Err(error(op.op(), message));
    }
    if !(extent / unit).is_multiple_of(request.cores) {
        let what = if unit == 1 {
            format!("its extent {extent}")
        } else {
            format!("its {} sticks of {unit}", extent / unit)
        };
        let message = format!(
            "{request} gives cores unequal parts of dimension {dim}: {} does not divide {what}",
            request.cores
        );
        return Err(error(op.op(), message));
    }
    Ok(())
}

/// Warns that a request is skipped because the target has too few cores.
fn skipped(op: DeviceOp<'_>, request: &DivideHint, total: u64, cores: u64) {
    let taken = if total == 1 {
        String::new()
    } else {
        format!(" after the division into {total} parts by other requests")
    };
    let message = format!(
        "{NAME}: {request} is skipped: it needs {} cores{taken}, but the target has {cores}",
        total.saturating_mul(request.cores)
    );
    Diagnostic::warning(op.op().location(), message).emit();
}

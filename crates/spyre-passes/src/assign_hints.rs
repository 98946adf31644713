//! `--spyre-assign-dim-hints`: hint scopes around operations become hints on each of them.

use std::rc::Rc;

use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, AttributeLike};
use rustc_hash::FxHashMap;
use spyre_dialects::attr;
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::hint::{self, TileHint, TileScope};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};

use crate::walk::{check_reachable, device_ops};

const NAME: &str = "spyre-assign-dim-hints";

/// The attribute that holds the scopes around the operations of a function or a loop.
pub const SCOPES: &str = "spyre.tile_scopes";

/// `--spyre-assign-dim-hints`
pub static ASSIGN_DIM_HINTS: RustPass = RustPass {
    argument: NAME,
    summary: "Turn hint scopes around operations into hints on each of them",
    description: r#"
Gives every device operation a hint for each scope of `spyre.tile_scopes` that is
around it, on the function or on an `scf.for` (middle-end specification, section
3.1). Scopes nest in the order of the list, those of a loop inside those of what is
around the loop, and an operation's own hints inside all of them. A scope with
several dimensions stands for as many scopes, the first outermost.

```mlir
// before
func.func @f(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]}) -> !t
    attributes {spyre.tile_scopes = [#spyre.tile_scope<"A" in 2>,
                                     #spyre.tile_scope<"B" by 1024, ops 0 to 1>]} {
  %x = spyre.add %a, %b : !t
  %y = spyre.exp %x : !t
  %z = spyre.neg %y : !t
  return %z : !t
}
// after
%x = spyre.add %a, %b tile [0: "A" in 2, 1: "B" by 1024] : !t
%y = spyre.exp %x tile [0: "A" in 2, 1: "B" by 1024] : !t
%z = spyre.neg %y tile [0: "A" in 2] : !t
```

Operations are counted from 0 in the order of the text, within what has the
attribute, those in loops included. Scope ids ascend with nesting; those of hints
that are already there are raised by the number of scopes, which keeps their order.

Run it before passes that insert operations, as the pipeline does: positions then
mean what was written, and a `spyre.restickify` takes over the hints of its reader.

Refused: a scope around operations that are not there; an operation inside a scope,
but in a function of several blocks or in a region other than a loop's; scope ids
that do not fit into 63 bits.
"#,
    anchor: "func.func",
    options: &[],
    statistics: &[
        PassStatistic {
            name: "scopes",
            description: "Scopes, one for each dimension",
        },
        PassStatistic {
            name: "operations",
            description: "Operations that were given hints",
        },
    ],
    dialects: || vec![spyre_dialects::spyre_dialect()],
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let function = run.operation();
    let mut finder = Finder::default();
    if let Some(body) = ir::function_body(function) {
        finder.scopes_of(function, body)?;
        finder.block(body)?;
    } else if function.has_attribute(SCOPES) {
        check_reachable(function, NAME, |_| true)?;
    }
    if finder.anchors.is_empty() {
        run.preserve_analyses();
        return Ok(());
    }
    check_reachable(function, NAME, |_| true)?;
    // Everything is checked before the first hint is set.
    let mut known: FxHashMap<(Rc<[i64]>, usize), Attribute<'p>> = FxHashMap::default();
    let mut changes = Vec::new();
    for (op, scopes) in &finder.found {
        let own = op.hints_attribute();
        let key = (
            Rc::clone(scopes),
            own.map_or(0, |own| own.to_raw().ptr as usize),
        );
        let hints = match known.get(&key) {
            Some(known) => *known,
            None => {
                let hints = finder.hints(*op, scopes)?;
                let hints: Vec<_> = hints
                    .iter()
                    .map(|hint| hint::tile_hint_attribute(run.context(), hint))
                    .collect();
                let hints = attr::array(run.context(), &hints);
                known.insert(key, hints);
                hints
            }
        };
        changes.push((*op, hints));
    }
    run.count("scopes", finder.scopes.len());
    run.count("operations", changes.len());
    for (op, hints) in changes {
        op.set_hints(hints);
    }
    for anchor in finder.anchors {
        ir::remove_discardable_attribute(anchor, SCOPES);
    }
    Ok(())
}

/// One dimension of a scope, and the operations that it is around, by their position in the function.
struct Scope {
    hint: TileHint,
    first: usize,
    /// One past the last.
    end: usize,
}

#[derive(Default)]
struct Finder<'p> {
    /// The scopes of the function, outer before inner. Positions are the ids.
    scopes: Vec<Scope>,
    /// The scopes around the operation that is looked at.
    open: Vec<i64>,
    /// What has the attribute.
    anchors: Vec<Op<'p>>,
    /// The operations so far.
    position: usize,
    /// Operations that get hints, or other ids, with the scopes around them.
    found: Vec<(DeviceOp<'p>, Rc<[i64]>)>,
    last: Option<Rc<[i64]>>,
}

impl<'p> Finder<'p> {
    /// Opens the scopes that an operation has around its body; how many.
    fn scopes_of(&mut self, anchor: Op<'p>, body: Blk<'p>) -> Result<usize, Diagnostic<'p>> {
        if !ir::has_discardable_attributes(anchor) {
            return Ok(0);
        }
        let Ok(scopes) = anchor.attribute(SCOPES) else {
            return Ok(0);
        };
        let inside = device_ops(body).len();
        let before = self.scopes.len();
        for scope in attr::elements(scopes)
            .into_iter()
            .filter_map(hint::tile_scope)
        {
            let (first, end) = range(anchor, &scope, inside)?;
            for hint in scope.hints {
                self.open.push(id(anchor, self.scopes.len())?);
                self.scopes.push(Scope {
                    hint,
                    first: self.position.saturating_add(first),
                    end: self.position.saturating_add(end),
                });
            }
        }
        self.anchors.push(anchor);
        Ok(self.scopes.len() - before)
    }

    fn block(&mut self, block: Blk<'p>) -> Result<(), Diagnostic<'p>> {
        for op in ir::operations(block) {
            if let Some(device) = DeviceOp::cast(op) {
                self.device_op(device);
                continue;
            }
            if ir::kind(op) == OpKind::For
                && let Some(body) = ir::body(op)
            {
                let opened = self.scopes_of(op, body)?;
                self.block(body)?;
                self.open.truncate(self.open.len() - opened);
            }
        }
        Ok(())
    }

    fn device_op(&mut self, op: DeviceOp<'p>) {
        let position = self.position;
        self.position += 1;
        let around = |id: &&i64| {
            let scope = usize::try_from(**id)
                .ok()
                .and_then(|id| self.scopes.get(id));
            scope.is_some_and(|scope| (scope.first..scope.end).contains(&position))
        };
        let same = self
            .last
            .as_ref()
            .filter(|last| self.open.iter().filter(around).eq(last.iter()));
        let scopes: Rc<[i64]> = match same {
            Some(last) => Rc::clone(last),
            None => self.open.iter().filter(around).copied().collect(),
        };
        self.last = Some(Rc::clone(&scopes));
        if !scopes.is_empty() || op.hints_attribute().is_some() {
            self.found.push((op, scopes));
        }
    }

    /// The hints of an operation: those of the scopes around it, then its own.
    fn hints(&self, op: DeviceOp<'p>, scopes: &[i64]) -> Result<Vec<TileHint>, Diagnostic<'p>> {
        let around = scopes.iter().filter_map(|id| {
            let scope = self.scopes.get(usize::try_from(*id).ok()?)?;
            Some(TileHint {
                scope: *id,
                ..scope.hint.clone()
            })
        });
        let mut hints: Vec<TileHint> = around.collect();
        let raise = id(op.op(), self.scopes.len())?;
        for hint in op.hints() {
            let scope = hint.scope.checked_add(raise).ok_or_else(|| {
                let message = format!(
                    "scope {} cannot be raised by the {raise} scopes around",
                    hint.scope
                );
                error(op.op(), message)
            })?;
            hints.push(TileHint { scope, ..hint });
        }
        Ok(hints)
    }
}

/// The operations that a scope is around: the first and one past the last, among `inside`.
fn range<'p>(
    anchor: Op<'p>,
    scope: &TileScope,
    inside: usize,
) -> Result<(usize, usize), Diagnostic<'p>> {
    let Some((first, last)) = scope.ops else {
        return Ok((0, inside));
    };
    let refused = || {
        let message = format!(
            "scope is around operations {first} to {last}, but there are {inside} device operations"
        );
        error(anchor, message)
    };
    let first = usize::try_from(first).map_err(|_| refused())?;
    let last = usize::try_from(last).map_err(|_| refused())?;
    if last >= inside {
        return Err(refused());
    }
    Ok((first, last + 1))
}

fn id<'p>(op: Op<'p>, id: usize) -> Result<i64, Diagnostic<'p>> {
    i64::try_from(id).map_err(|_| error(op, "too many scopes"))
}

fn error<'p>(op: Op<'p>, message: impl std::fmt::Display) -> Diagnostic<'p> {
    Diagnostic::error(op.location(), format!("{NAME}: {message}"))
}

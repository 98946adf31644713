//! `--spyre-assign-dim-hints`: turns hint scopes around operations into hints on each of the operations.

mod apart;
mod divide;
mod open;

use std::rc::Rc;

use melior::Context;
use melior::ir::Attribute;
use melior::ir::operation::OperationLike;
use rustc_hash::FxHashMap;
use spyre_analysis::walk::{check_reachable, device_ops};
use spyre_dialects::attr;
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::hint::{self, DivideHint, TileHint, TileScope};
use spyre_dialects::names::SCOPES;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_ods::func;

const NAME: &str = "spyre-assign-dim-hints";

/// The first scope id of chosen groups, after the ids that users write (middle-end specification, section 3.10).
pub(crate) const FIRST_SCOPE: i64 = 10_000;

/// Returns whether a function has hint scopes that have not been converted to hints. An empty list declares that there
/// are no hints.
pub(crate) fn has_open_scopes(function: Op<'_>) -> bool {
    let scopes = function.attribute(SCOPES).map(attr::elements);
    scopes.is_ok_and(|scopes| !scopes.is_empty())
}

/// `--spyre-assign-dim-hints`
pub static ASSIGN_DIM_HINTS: RustPass = RustPass {
    argument: NAME,
    summary: "Turn hint scopes into hints on each operation, and cores by name into splits",
    description: r#"
Gives every device operation a hint for each scope of `spyre.tile_scopes` that is
around it, on the function or on an `scf.for` (middle-end specification, section
3.1). Scopes nest in the order of the list, the scopes of a loop inside the
enclosing scopes, and the `tile` hints of an operation inside all of them. A scope
with several dimensions is equivalent to as many scopes, the first outermost.

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

A scope, and `divide` of an operation, may also request cores along a dimension.
That becomes the `split` of the operation (middle-end specification, section 4.4),
and `--spyre-work-division` keeps it. Each of several loops of `--coarse-tile`
divides its tiles, so the cores divide the tile's extent.

```mlir
// before
func.func @g(%a: !t {spyre.dims = ["A", "B"]}, %b: !u {spyre.dims = ["B", "C"]}) -> !v
    attributes {spyre.tile_scopes = [#spyre.tile_scope<"A" over 8, "C" over 2>]} {
  %x = spyre.exp %a : !t
  %y = spyre.batchmatmul %x, %b divide ["C" over 4] : (!t, !u) -> !v
  return %y : !v
}
// after
%x = spyre.exp %a split [8, 1] : !t
%y = spyre.batchmatmul %x, %b split [8, 4, 1] : (!t, !u) -> !v
```

For each name the innermost request counts, that of the operation first. An
operation with requests is divided along the named dimensions only. A name is
skipped if the operation has no dimension of it, or one of extent 1; an operation
that lacks all names is left to `--spyre-work-division`. A request that would need
more cores than the target has, together with the requests before it, is skipped
with a warning, and so is a name that no operation has.

An operation along a dynamic dimension (`#spyre.dynamic`) has to be in a loop over its
tiles. One that has no hint for the dimension gets that of the first operation that has
one; where none has, all get tiles of the granularity, in loops outside of all others.

```mlir
// before
func.func @h(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x64xf16>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 32, max = 512>}} {
  %x = spyre.exp %a : tensor<?x64xf16>
// after
  %x = spyre.exp %a tile [0: "S" by 32] : tensor<?x64xf16>
```

An operation may have two dimensions of such an extent, as the products of all rows with
all rows do. The second gets a further name of it, which the function declares, and so does
that of an operation in a scope for a name that it has twice.

```mlir
// before
func.func @rows(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x?xf16>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 512>}} {
  %t = spyre.permute %a [1, 0] : tensor<?x64xf16> to tensor<64x?xf16>
  %x = spyre.batchmatmul %a, %t : (tensor<?x64xf16>, tensor<64x?xf16>) -> tensor<?x?xf16>
// after
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 512>, S_1 = "S"}} {
  %x = spyre.batchmatmul %a, %t tile [0: "S" by 64, 1: "S_1" by 64] {spyre.dims = ["S", "S_1"]} : ...
```

Operations are counted from 0 in the order of the text, within the function or loop
that has the attribute, operations in loops included. Scope ids ascend with
nesting; the ids of existing hints are raised by the number of scopes, which keeps
their order.

Run it before passes that insert operations, as the pipeline does: positions then
refer to the operations of the input, and a `spyre.restickify` takes over the hints
of its reader.

Refused: a scope around operations that are not there; an operation inside a scope,
but in a function of several blocks or in a region other than a loop's; scope ids
that do not fit into 63 bits; cores that do not divide the extent of a dimension, in sticks where a layout puts it on
the stick; a division of a dimension with a last stick that is filled in part, of two dimensions that are reduced, or of
one with partial results that are not combined; two names of one dimension, or one name of two, where `spyre.dim_sizes`
does not declare it; a division of an operation that has a `split`; a name that a reshape before has split, or that
`spyre.dim_sizes` does not declare.
"#,
    anchor: func::FUNC,
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
        PassStatistic {
            name: "open",
            description: "Operations that were given tiles along a dynamic dimension",
        },
        PassStatistic {
            name: "divided",
            description: "Operations that were given a split",
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
    }
    let has_scopes = !finder.anchors.is_empty() || function.has_attribute(SCOPES);
    check_reachable(function, NAME, |op| {
        has_scopes || op.divisions_attribute().is_some()
    })?;
    let named = match ir::function_body(function) {
        Some(body) => apart::name_apart(run.context(), function, body, || finder.asked())?,
        None => apart::Named::default(),
    };
    if finder.anchors.is_empty() && finder.divided.is_empty() {
        let is_changed = named.is_changed;
        if assign_open(run, named)? == 0 && !is_changed {
            run.preserve_analyses();
        }
        return Ok(());
    }
    // Everything is checked before the first hint is set.
    let changes = finder.all_hints(run.context())?;
    let splits = divide::splits(run, finder.divided)?;
    run.count(
        "scopes",
        finder.tiles.all.len() + finder.divisions.all.len(),
    );
    run.count("operations", finder.hinted.len());
    run.count(
        "divided",
        splits.iter().filter(|(_, split)| split.is_some()).count(),
    );
    for (op, hints) in changes {
        op.set_hints(hints);
    }
    for (op, split) in splits {
        op.remove_divisions();
        if let Some(split) = split {
            op.set_split(&split);
        }
    }
    for anchor in finder.anchors {
        ir::remove_discardable_attribute(anchor, SCOPES);
    }
    assign_open(run, named)?;
    Ok(())
}

/// Completes the hints along dynamic dimensions. Returns the number of operations that have got one; 0 if the function
/// is unchanged.
fn assign_open<'p>(run: &'p PassRun<'p>, named: apart::Named<'p>) -> Result<usize, Failed> {
    let opened = open::assign(run.context(), named)?;
    run.count("open", opened);
    Ok(opened)
}

/// One request of a scope, and the range of operations that it covers, as positions in the function.
struct Scope<H> {
    hint: H,
    first: usize,
    /// One past the position of the last operation.
    end: usize,
}

/// The requests of one kind in a function, outer before inner.
struct Scopes<H> {
    all: Vec<Scope<H>>,
    /// Indices in `all` of the scopes that are open at the current operation.
    open: Vec<usize>,
    /// Indices in `all` of the scopes around the last operation. The next operation mostly has the same ones.
    last: Rc<[usize]>,
}

impl<H> Default for Scopes<H> {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            open: Vec::new(),
            last: Rc::new([]),
        }
    }
}

impl<H> Scopes<H> {
    fn add(&mut self, hint: H, first: usize, end: usize) {
        self.open.push(self.all.len());
        self.all.push(Scope { hint, first, end });
    }

    fn get(&self, id: usize) -> Option<&H> {
        self.all.get(id).map(|scope| &scope.hint)
    }

    /// Returns the indices in `all` of the requests around the operation at a position, outermost first.
    fn around(&mut self, position: usize) -> Rc<[usize]> {
        let around = |id: &&usize| {
            let scope = self.all.get(**id);
            scope.is_some_and(|scope| (scope.first..scope.end).contains(&position))
        };
        if !self.open.iter().filter(around).eq(self.last.iter()) {
            self.last = self.open.iter().filter(around).copied().collect();
        }
        Rc::clone(&self.last)
    }
}

#[derive(Default)]
struct Finder<'p> {
    /// The tiles that scopes request. An index in this list is the scope id.
    tiles: Scopes<TileHint>,
    /// The divisions over cores that scopes request.
    divisions: Scopes<DivideHint>,
    /// The functions and loops that have the attribute.
    anchors: Vec<Op<'p>>,
    /// The number of device operations that were read so far.
    position: usize,
    /// Operations that get hints or other scope ids, with the scopes around them.
    hinted: Vec<(DeviceOp<'p>, Rc<[usize]>)>,
    /// Operations that are divided by name, with the requests that apply to them.
    divided: Vec<(DeviceOp<'p>, divide::Requests)>,
    /// The requests by the scopes around an operation and by the address of its `divide` attribute, 0 without one.
    requests: FxHashMap<(Rc<[usize]>, Option<ir::AttributeKey>), divide::Requests>,
}

impl<'p> Finder<'p> {
    /// Opens the scopes that an operation has around its body. Returns the numbers of tile and division scopes that were open
    /// before.
    fn scopes_of(
        &mut self,
        anchor: Op<'p>,
        body: Blk<'p>,
    ) -> Result<(usize, usize), Diagnostic<'p>> {
        let before = (self.tiles.open.len(), self.divisions.open.len());
        if !ir::has_discardable_attributes(anchor) {
            return Ok(before);
        }
        let Ok(scopes) = anchor.attribute(SCOPES) else {
            return Ok(before);
        };
        if attr::elements(scopes).is_empty() && ir::kind(anchor) != OpKind::For {
            return Ok(before); // It stays, as the mark that the function is not to be planned.
        }
        let inside = device_ops(body).len();
        for scope in attr::elements(scopes)
            .into_iter()
            .filter_map(hint::tile_scope)
        {
            let (first, end) = range(anchor, &scope, inside)?;
            let first = self.position.saturating_add(first);
            let end = self.position.saturating_add(end);
            for hint in scope.hints {
                self.tiles.add(hint, first, end);
            }
            for division in scope.divisions {
                self.divisions.add(division, first, end);
            }
        }
        self.anchors.push(anchor);
        Ok(before)
    }

    fn block(&mut self, block: Blk<'p>) -> Result<(), Diagnostic<'p>> {
        for op in ir::operations(block) {
            if let Some(device) = DeviceOp::cast(op) {
                self.device_op(device)?;
                continue;
            }
            if ir::kind(op) == OpKind::For
                && let Some(body) = ir::body(op)
            {
                let (tiles, divisions) = self.scopes_of(op, body)?;
                self.block(body)?;
                self.tiles.open.truncate(tiles);
                self.divisions.open.truncate(divisions);
            }
        }
        Ok(())
    }

    fn device_op(&mut self, op: DeviceOp<'p>) -> Result<(), Diagnostic<'p>> {
        let tiles = self.tiles.around(self.position);
        let divisions = self.divisions.around(self.position);
        self.position += 1;
        if !tiles.is_empty() || op.hints_attribute().is_some() {
            self.hinted.push((op, tiles));
        }
        let op_divisions = op.divisions_attribute();
        if divisions.is_empty() && op_divisions.is_none() {
            return Ok(());
        }
        if let Some(split) = op.split() {
            let around = divisions.iter().filter_map(|id| self.divisions.get(*id));
            let requests = divide::innermost(around.cloned().chain(op.divisions()));
            let requests: Vec<String> = requests.iter().map(ToString::to_string).collect();
            let message = format!(
                "operation has split {split:?}, but a scope around it divides dimensions by name, {}; remove one of \
                 them",
                requests.join(", ")
            );
            return Err(error(op.op(), message));
        }
        let key = (divisions, op_divisions.map(ir::attribute_key));
        let requests = match self.requests.get(&key) {
            Some(requests) => Rc::clone(requests),
            None => {
                let around = key.0.iter().filter_map(|id| self.divisions.get(*id));
                let requests = divide::innermost(around.cloned().chain(op.divisions()));
                self.requests.insert(key, Rc::clone(&requests));
                requests
            }
        };
        self.divided.push((op, requests));
        Ok(())
    }

    /// Returns the names in requests for each operation, by tiles and by cores, by its key.
    fn asked(&self) -> FxHashMap<ir::OpKey, Vec<String>> {
        let mut asked: FxHashMap<ir::OpKey, Vec<String>> = FxHashMap::default();
        for (op, scopes) in &self.hinted {
            let around = scopes.iter().filter_map(|scope| self.tiles.get(*scope));
            let dims = op.hints().into_iter().map(|hint| hint.dim);
            let names = asked.entry(ir::op_key(op.op())).or_default();
            names.extend(around.map(|hint| hint.dim.clone()).chain(dims));
        }
        for (op, requests) in &self.divided {
            let names = asked.entry(ir::op_key(op.op())).or_default();
            names.extend(requests.iter().map(|request| request.dim.clone()));
        }
        asked
    }

    /// Returns the new hints, as attributes, of the operations that get some.
    fn all_hints(
        &self,
        context: &'p Context,
    ) -> Result<Vec<(DeviceOp<'p>, Attribute<'p>)>, Diagnostic<'p>> {
        if self.tiles.all.is_empty() {
            return Ok(Vec::new());
        }
        let mut attributes: FxHashMap<(Rc<[usize]>, Option<ir::AttributeKey>), Attribute<'p>> =
            FxHashMap::default();
        let mut changes = Vec::with_capacity(self.hinted.len());
        for (op, scopes) in &self.hinted {
            let op_hints = op.hints_attribute();
            let key = (Rc::clone(scopes), op_hints.map(ir::attribute_key));
            let hints = match attributes.get(&key) {
                Some(hints) => *hints,
                None => {
                    let hints = self.hints(*op, scopes)?;
                    let hints: Vec<_> = hints
                        .iter()
                        .map(|hint| hint::tile_hint_attribute(context, hint))
                        .collect();
                    let hints = attr::array(context, &hints);
                    attributes.insert(key, hints);
                    hints
                }
            };
            changes.push((*op, hints));
        }
        Ok(changes)
    }

    /// Returns the hints of an operation: those of the enclosing scopes, then its `tile` attribute.
    fn hints(&self, op: DeviceOp<'p>, scopes: &[usize]) -> Result<Vec<TileHint>, Diagnostic<'p>> {
        let mut hints = Vec::with_capacity(scopes.len());
        for scope in scopes {
            if let Some(hint) = self.tiles.get(*scope) {
                let scope = id(op.op(), *scope)?;
                hints.push(TileHint {
                    scope,
                    ..hint.clone()
                });
            }
        }
        let raise = id(op.op(), self.tiles.all.len())?;
        for hint in op.hints() {
            let scope = hint.scope.checked_add(raise).ok_or_else(|| {
                let message = format!(
                    "the number of scope {} overflows when the {raise} scopes around it are added",
                    hint.scope
                );
                error(op.op(), message)
            })?;
            hints.push(TileHint { scope, ..hint });
        }
        Ok(hints)
    }
}

/// Returns the range of operations that a scope covers: the first and one past the last, of the `inside` operations.
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

//! `--coarse-tile`: turns runs of device operations that share dimensions into loops over tiles.
//!
//! The pass plans first and rewrites then: every refusal happens before the first change.
//!
//! * `run` says which operations can be moved out of the way of others.
//! * `hints` reads the hints of an operation, `nests` reports scopes that continue in another nest of loops.
//! * `group_op` describes the operations that a group can have, `open` a group while its block is read.
//! * `groups` finds the runs from hints, `positions` from the explicit groups that `explicit` reads.
//! * `plan` collects the information for the rewriting, and checks it:
//!   * `cuts` decides the extents of tiles, `trips` the number of iterations of loops and their last tiles;
//!   * `region` says which window of a tensor one iteration visits, `windows` whether loops can visit it;
//!   * `reduce` combines the parts of reductions, `search` the parts of searches;
//!   * `nest` says which loop each operation is in.
//! * `narrow` says which extents remain allowed for dimensions whose extents are chosen at run time.
//! * `explain` reports the plan and its reasons in remarks and tables.
//! * `flow` finds the tensors that loops carry, `once` the operations that a shorter last tile need not repeat.
//! * `rewrite` builds the loops, `member` the operations in them, `scope` the windows, `constant` tiles of constants.

mod constant;
mod cuts;
mod explain;
mod explicit;
mod flow;
mod group_op;
mod groups;
mod hints;
mod member;
mod narrow;
mod nest;
mod nests;
mod once;
mod open;
mod plan;
mod positions;
mod reduce;
mod region;
mod rewrite;
mod run;
mod scope;
mod search;
mod trips;
mod windows;

use std::rc::Rc;

use melior::dialect::DialectHandle;
use melior::ir::operation::OperationLike;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::pass::{Failed, OptionKind, PassOption, PassRun, PassStatistic, RustPass};
use spyre_mlir_rt::remark::{Kind, Remark, Remarks};

use crate::assign_hints::SCOPES;
use crate::dynamic::DynamicDims;
use crate::tensor::TensorTypes;
use crate::walk::check_reachable;

pub use self::groups::Member;
pub use self::hints::Levels;

/// `--coarse-tile`
pub static COARSE_TILE: RustPass = RustPass {
    argument: "coarse-tile",
    summary: "Tile runs of device operations into counted loops",
    description: DESCRIPTION,
    anchor: "func.func",
    options: &[
        PassOption {
            name: "groups",
            description: "explicit groups instead of hints: [@function:]FIRST[-LAST]:COUNT[@DIM[+DIM]][/COUNT@DIM...], \
                      operations by their position among the device operations of the function",
            kind: OptionKind::List,
        },
        PassOption {
            name: "only-dynamic",
            description: "tile the functions that have dimensions which are chosen at run time, and no others",
            kind: OptionKind::Bool(false),
        },
        PassOption {
            name: "dry-run",
            description: "say in a remark at the function what would be tiled, and change nothing",
            kind: OptionKind::Bool(false),
        },
    ],
    statistics: &[
        PassStatistic {
            name: "groups",
            description: "Groups of operations that were tiled",
        },
        PassStatistic {
            name: "loops",
            description: "Loops that were made",
        },
        PassStatistic {
            name: "operations",
            description: "Operations that were moved into loops",
        },
    ],
    dialects: || {
        vec![
            DialectHandle::affine(),
            DialectHandle::arith(),
            DialectHandle::scf(),
            DialectHandle::tensor(),
            spyre_dialects::spyre_dialect(),
        ]
    },
    run,
};

const DESCRIPTION: &str = r#"
Splits dimensions that a run of operations shares into tiles and visits the
tiles in a nest of counted `scf.for` loops, so that the values between the
operations are small enough for the scratchpad.

Operations in a row that share their outermost scope, with the same tiles, form a
group, each in the loops of its own scopes. A permutation, a reshape or a window
between them is in the loops as a view of the tile, where a tile of it is one. An operation
between them without hints stays in front of the loops, if it uses no value of
the group, or goes behind them, if it has no effects and the group does not need
it. Otherwise the scopes continue in a second group behind it, which a remark
says. Each scope is one loop, the smallest scope id outermost; its trip count is
the count of the hint, `"A" in 2`, or follows from the size of a tile, `"A" by
512`. The hint of an operation that has the dimension counts, and all that have
it agree. The dimension is found by its name: `spyre.dims` names the dimensions
of arguments, and every operation passes the names on
(`--spyre-propagate-named-dims` shows them). A name that is merged with others
into one dimension cuts that dimension, into as many tiles. Inside the loops,
operands from outside are windows of the full tensors (`tensor.extract_slice`),
values between the operations are tiles, constants are made in the tile, and values that are used outside are
inserted into full tensors that the loops carry (`tensor.insert_slice`). Hints
in the bodies of `scf.for` loops work in the same way.

Before:

```mlir
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<1024x4096xf16, #stick>

func.func @add_mul(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]},
                   %c: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 4] : !t
  %z = spyre.mul %y, %c tile [0: "A" in 2, 1: "B" in 4] : !t
  return %z : !t
}
```

After, shortened:

```mlir
%init = spyre.empty : !t
%z = scf.for %i = %c0 to %c2 step %c1 iter_args(%outer = %init) -> (!t) {
  %r = scf.for %j = %c0 to %c4 step %c1 iter_args(%inner = %outer) -> (!t) {
    %row = affine.apply affine_map<(d0) -> (d0 * 512)>(%i)
    %col = affine.apply affine_map<(d0) -> (d0 * 1024)>(%j)
    %ta = tensor.extract_slice %a[%row, %col] [512, 1024] [1, 1] : !t to !tile
    %tb = tensor.extract_slice %b[%row, %col] [512, 1024] [1, 1] : !t to !tile
    %ty = spyre.add %ta, %tb : !tile
    %tc = tensor.extract_slice %c[%row, %col] [512, 1024] [1, 1] : !t to !tile
    %tz = spyre.mul %ty, %tc : !tile
    %next = tensor.insert_slice %tz into %inner[%row, %col] [512, 1024] [1, 1] : !tile into !t
    scf.yield %next : !t
  }
  scf.yield %r : !t
}
```

An operation is in the loops of its own dimensions: one that lacks every dimension
of its group stays in front of the loops, one that lacks the inner ones is in
front of the inner loops, and one that lacks an outer one is computed again in
every iteration of it. A dimension of extent 1 counts as lacking: there is nothing
to cut. A level of one tile is no loop. A dimension that two scopes name is cut
twice, the outer scope first.

A level may cut a dimension that an operation reduces. The loops then carry an
accumulator (middle-end specification, section 3.6): a tensor of 0 for `sum`,
`mean` and matrix products, of 1 for `prod`, of -inf for `max` and of inf for
`min`, which is combined with the result of each tile. Levels around the outermost
of these cut the accumulator as well; levels inside it visit windows of it. A
`mean` is a sum of parts that is divided once, behind the loop.

A `topkvalue` or `topkindex` that searches for one element (`k 1`) may be cut along
the dimension that it searches. The loops carry the element so far, from -inf, and
its position, which counts from the start of the next tile: a tile with a better
element puts its own position there, and every tile subtracts its extent. A
`topkindex` carries its elements itself, unless a `topkvalue` of the same operand
in front of it does. Of equal elements the first one stays. The smallest element is
the largest of `spyre.neg`, which is computed in the same loops.

```mlir
// before
%v = spyre.topkvalue %x dim 1 k 1 tile [0: "B" in 4] : (!x) -> !v
%i = spyre.topkindex %x dim 1 k 1 tile [0: "B" in 4] : (!x) -> !i
// after, shortened
%r:2 = scf.for %j = %c0 to %c4 step %c1 iter_args(%best = %lowest, %at = %zero) -> (!v, !i) {
  // a window of %x
  %tv = spyre.topkvalue %tx dim 1 k 1 : (!tx) -> !v
  %keep = spyre.greaterequal %best, %tv : (!v, !v) -> !c
  %nan = spyre.notequal %best, %best : (!v, !v) -> !c
  %more = spyre.where3 %keep, %best, %tv : (!c, !v, !v) -> !v
  %next = spyre.where3 %nan, %best, %more : (!c, !v, !v) -> !v
  %ti = spyre.topkindex %tx dim 1 k 1 : (!tx) -> !i
  // selected by %keep and %nan as well, from %at and %ti
  %then = spyre.sub %chosen, %tile_extent : !i
  scf.yield %next, %then : !v, !i
}
%i = spyre.add %r#1, %whole_extent : !i
```

Truth values of 16-bit floats have 64 elements in a stick and positions 32. Where
elements share sticks, a `topkindex` of the two elements in a row says which is
first, and the position moves there by as much.

```mlir
// before
%y = spyre.batchmatmul %a, %b tile [0: "M" in 2, 1: "K" in 4] : (!a, !b) -> !c
%z = spyre.relufwd %y tile [0: "M" in 2, 1: "K" in 4] : !c
// after, shortened
%z = scf.for %i = %c0 to %c2 step %c1 iter_args(%outer = %init) -> (!c) {
  %zero = spyre.fill dense<0.0> : !tile
  %ty = scf.for %k = %c0 to %c4 step %c1 iter_args(%sum = %zero) -> (!tile) {
    // windows of %a and %b
    %part = spyre.batchmatmul %ta, %tb : (!ta, !tb) -> !tile
    %next = spyre.add %sum, %part : !tile
    scf.yield %next : !tile
  }
  %tz = spyre.relufwd %ty : !tile
  // ... inserted into %outer
}
```

What reads a value before it is complete (a reduction over the dimension of the
loop, a tensor that is read in other tiles than it is computed in) ends the loop.
It goes behind it, or, if it has that dimension itself, into a second loop over it,
inside the same iteration of the loops around; a remark says so.

A tile is the extent divided by the count, rounded up; for a dimension that is on
the stick of any tensor of the group, to whole sticks. What the whole tiles leave
is a last, shorter tile. It has a copy of the loop's body to itself, behind the
loop, with static extents; nested levels have copies of copies, at most two for
each level. So 250 in 4 tiles is 63, 63, 63 and 61, and 200 columns of `f16` in 3
are 128 and 72. There may be fewer tiles than asked for, which a remark says.

One element of a stick is no tile: the last of several whole tiles takes it in. So 257 columns in
tiles of 64 are 64, 64, 64 and 65.

A tile has the layout of its tensor without the padding that `size` gives. Windows of
tensors whose layouts are not chosen yet are not checked.

A dimension may have a dynamic extent that `spyre.dim_sizes` of the function declares,
`S = #spyre.dynamic<granularity = 64, max = 512>`. It is cut by size, `"S" by 64`; the loop
runs from 0 to the extent (`tensor.dim` of the first argument that has it) in steps of a
tile, and there is no shorter last tile: tiles divide the maximum, and the
granularity becomes a common multiple of theirs, in `spyre.dim_sizes` too. Operations
of a group have every dynamic dimension cut; with `only-dynamic` other functions are left
alone. `--spyre-bound-dynamic-dims` comes next.

```mlir
// before
%y = spyre.exp %a tile [0: "S" by 64] : tensor<?x256xf16>
// after
%s = tensor.dim %a, %c0 : tensor<?x256xf16>
%init = spyre.empty(%s) : tensor<?x256xf16>
%y = scf.for %i = %c0 to %s step %c64 iter_args(%acc = %init) -> (tensor<?x256xf16>) {
  %t = tensor.extract_slice %a[%i, 0] [64, 256] [1, 1] : tensor<?x256xf16> to tensor<64x256xf16>
  %ty = spyre.exp %t : tensor<64x256xf16>
  %next = tensor.insert_slice %ty into %acc[%i, 0] [64, 256] [1, 1] : tensor<64x256xf16> into tensor<?x256xf16>
  scf.yield %next : tensor<?x256xf16>
}
```

Refused, at the operation and with the numbers, before anything changes: windows
that are not at equal distances in memory; operations of one group with different
numbers of tiles or another last tile; a `split` that does not divide a tile;
operations of one group that disagree on a scope; a name that two dimensions of an
operation have; a reduced dimension of an operation whose parts cannot be combined
(`exx2`, `topkvalue` and `topkindex` of several elements), or of a `mean` of so many
elements that the element type lacks the number; a dynamic extent that is not declared,
not cut, or cut by count, a `mean` or a position (`topkindex`) over one, or one in an accumulator; an operation that
already has a place; hints in a
function of several blocks or in a region other than a loop's; a name that a
hint asks for and that a reshape before has split; names that are not the
declared or expected ones; `spyre.tile_scopes` that
`--spyre-assign-dim-hints` has not turned into hints. A hint that names a
dimension which no operation of its group has is a warning, and the hint is
ignored.

Explicit groups: `--coarse-tile="groups=0-1:2@0/4@1"` tiles operations 0 to 1 by
2 along their dimension 0 and, inside, by 4 along dimension 1. Operations are
counted from 0 in the order of the text, those in loops included; views are not
counted. Without `@` the dimension is 0; `4@0+1` cuts both dimensions by 4, in one
loop each. Dimensions are those of each operation's iteration space: the dimensions
of the result first, then those that are reduced, in the order of the operand. So
`sum` over dimension 0 of a 64x128 tensor has dimension 0 of extent 128 and, reduced,
dimension 1 of extent 64, and under `keepdim` dimension 2, behind the two of the
result; K of a matrix product is behind M and N. A group is meant for every function
that has device operations, or with `@f:` in front for the function `@f` alone. With
explicit groups, hints are not looked at, which a warning says.

`--coarse-tile=dry-run` prints the plan as a table and changes nothing. MLIR's
remarks say the same, and why, for people (`--remarks-filter=coarse-tile`) and
for machines (`--remark-format=yaml --remarks-output-file=FILE`):

| remark | kind | says |
|---|---|---|
| `Tiled` | passed | the operations of a group, its loops and why it is one |
| `ValueInside`, `ValueFull` | analysis | a result stays in the loops, or is inserted into a full tensor |
| `ValueAccumulated` | analysis | a result is put together with those of other tiles in what the loops carry |
| `OperandTile`, `OperandWindow`, `OperandWhole` | analysis | an operand is made in the same iteration, is a window, or the same in every iteration |
| `MovedBehind` | analysis | an operation between those of a group goes behind the loops |
| `MergedDimension` | analysis | a hint cuts the dimension that its name was merged into |
| `Repeated` | missed | an operation lacks the dimension of a loop, which repeats it |
| `StaysOutside` | missed | an operation lacks the dimensions of all loops |
| `ScopeSplit` | missed | a scope continues in another nest of loops, with what is in the way |
| `HintIgnored` | missed | no operation has the dimension of a hint |
| `Refused` | failed | the function cannot be tiled as asked |
"#;

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let function = run.operation();
    let explicit =
        explicit::parse(&run.list("groups")).map_err(|message| error(function, message))?;
    positions::warn_unknown_functions(function, &explicit);
    if explicit.is_empty() {
        check_reachable(function, "coarse-tile", |op| op.hints_attribute().is_some())?;
        if function.has_attribute(SCOPES) {
            let message = format!(
                "the function has '{SCOPES}', which --spyre-assign-dim-hints has to turn into hints first"
            );
            return Err(error(function, message).into());
        }
    }
    let Some(body) = ir::function_body(function) else {
        run.preserve_analyses();
        return Ok(());
    };
    let dynamic = Rc::new(DynamicDims::of_function(function, body)?);
    if run.flag("only-dynamic") && dynamic.is_empty() {
        run.preserve_analyses();
        return Ok(());
    }
    let types = TensorTypes::new(run.context());
    let remarks = Remarks::about(run.context(), function, explain::CATEGORY);
    let groups = if explicit.is_empty() {
        groups::from_hints(function, body, &dynamic, &remarks)?
    } else {
        positions::from_explicit(function, body, &explicit, &dynamic)
            .inspect_err(|why| refused(&remarks, why))?
    };
    let mut planner = plan::Planner::new(&types, &dynamic);
    let mut plans = Vec::with_capacity(groups.len());
    for group in &groups {
        if group.levels.is_empty() {
            continue;
        }
        let plan = planner
            .plan(group)
            .inspect_err(|why| refused(&remarks, why))?;
        explain::remarks(&remarks, group, &plan);
        plans.push((group, plan));
    }
    let narrowed = narrow::narrow(&dynamic, &planner.dynamic_tiles);
    if run.flag("dry-run") {
        let tables = groups.iter().enumerate().map(|(number, group)| {
            let mut plans = plans.iter();
            let plan = plans.find(|(planned, _)| std::ptr::eq(*planned, group));
            explain::table(number, group, plan.map(|(_, plan)| plan))
        });
        let tables: String = tables.collect();
        let message = match tables.as_str() {
            "" => "nothing to tile",
            tables => tables.trim_end(),
        };
        Diagnostic::remark(
            function.location(),
            format!("coarse-tile: the plan\n{message}"),
        )
        .emit();
        run.preserve_analyses();
        return Ok(());
    }
    if groups.is_empty() {
        run.preserve_analyses();
        return Ok(());
    }
    for group in groups.iter().filter(|group| group.levels.is_empty()) {
        group
            .members
            .iter()
            .for_each(|member| member.op.remove_hints());
    }
    narrow::declare(run.context(), function, &dynamic, &narrowed);
    let mut rewriter =
        rewrite::Rewriter::new(run.context(), body, &types, &dynamic, &planner.regions);
    for (group, mut plan) in plans {
        plan.remarks.drain(..).for_each(Diagnostic::emit);
        let done = rewriter.rewrite(&plan, group.behind())?;
        run.count("groups", usize::from(done.operations > 0));
        run.count("loops", done.loops);
        run.count("operations", done.operations);
    }
    Ok(())
}

/// Checks that operations of one block can be tiled together. `counts` has the number of tiles of each loop, outermost first;
/// each member says which of its iteration dimensions each loop cuts.
///
/// # Errors
/// The error that the pass would report for hints on these operations.
pub fn check_group<'p>(
    types: &TensorTypes<'p>,
    counts: &[u64],
    members: Vec<Member<'p>>,
) -> Result<(), Diagnostic<'p>> {
    let level = |count: &u64| groups::Level {
        count: *count,
        size: None,
        label: String::new(),
        dynamic: None,
    };
    let group = groups::Group {
        levels: counts.iter().map(level).collect(),
        members,
        behind: Vec::new(),
        origin: String::new(),
    };
    let dynamic = DynamicDims::default();
    plan::Planner::new(types, &dynamic).plan(&group).map(drop)
}

/// Reports in a remark that the function is not tiled, and why.
fn refused<'p>(remarks: &Remarks, why: &Diagnostic<'p>) {
    remarks.emit(|| {
        let remark = Remark::new(Kind::Failed, why.location(), "Refused").reason(why.message());
        match why.suggestion() {
            Some(suggestion) => remark.suggestion(suggestion),
            None => remark,
        }
    });
}

fn error<'p>(op: Op<'p>, message: impl std::fmt::Display) -> Diagnostic<'p> {
    Diagnostic::error(op.location(), format!("coarse-tile: {message}"))
}

//! `--spyre-choose-tiles`: tiling hints that nobody has to write.
//!
//! * `program` reads the function as `spyre_plan::auto_tile` sees it, which chooses.
//! * `hints` finds names for the dimensions that are cut, and writes the hints.

mod hints;
mod program;

use melior::ir::operation::OperationLike;
use spyre_dialects::hint::TileHint;
use spyre_mlir_rt::diagnostic::{Diagnostic, place};
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::pass::{Failed, OptionKind, PassOption, PassRun, PassStatistic, RustPass};
use spyre_mlir_rt::remark::{Kind, Remark, Remarks};
use spyre_plan::auto_tile::{span, traffic};

use self::hints::{Group, Writer};
use self::program::{Found, Program};
use crate::assign_hints::SCOPES;
use crate::coarse_tile;
use crate::names::Names;
use crate::target::target_of;
use crate::tensor::TensorTypes;
use crate::walk::{check_decided, check_reachable, device_ops};

const NAME: &str = "spyre-choose-tiles";

/// `--spyre-choose-tiles`
pub static CHOOSE_TILES: RustPass = RustPass {
    argument: NAME,
    summary: "Choose tiles for operations without hints: less traffic, and spans within the limit",
    description: DESCRIPTION,
    anchor: "func.func",
    options: &[PassOption {
        name: "goal",
        description: "what tiles are for: span, traffic or both, which is what happens without the option",
        kind: OptionKind::List,
    }],
    statistics: &[
        PassStatistic {
            name: "groups",
            description: "Groups that were given hints",
        },
        PassStatistic {
            name: "operations",
            description: "Operations that were given hints",
        },
        PassStatistic {
            name: "combinations",
            description: "Combinations of numbers of tiles that were looked at",
        },
    ],
    dialects: || vec![spyre_dialects::spyre_dialect()],
    run,
};

const DESCRIPTION: &str = r#"
Gives device operations without hints `tile` hints, which `--coarse-tile` turns into
loops. Nothing else changes: what can be tiled, and how, is decided there. Opt-in;
the pipeline does not run it. Two goals:

* `traffic`: for operations in a row that share dimensions, the tiles with which the
  fewest bytes go through device memory. Values between operations that are larger than
  the scratchpads become tiles that fit. The cost is what is read from and written to
  device memory, operands in every iteration that reads them, and a stick per core for
  each run of an operation. Operations stay as they are if no tiles make this less.
* `span`: for operations with an operand or a result of which a core would reach further
  than the target's span limit if work division did not help, the fewest tiles that keep
  all of them within (middle-end specification, section 3.10). Pointwise operations in a
  row with equal tiles are one group.

With both, tiles for traffic also have to keep spans within the limit, and what is left
over is tiled for its span.

```mlir
// before, with 4 cores that have 64 KiB of scratchpad each: x needs 128 KiB of each
func.func @f(%a: !t, %b: !t) -> !t {
  %x = spyre.add %a, %b : !t
  %y = spyre.exp %x : !t
  return %y : !t
}
// after: it goes through the scratchpads in two tiles
func.func @f(%a: !t, %b: !t) -> !t {
  %x = spyre.add %a, %b tile [10000: "auto0" in 2] {spyre.dims = ["auto0", "_untracked_512"]} : !t
  %y = spyre.exp %x tile [10000: "auto0" in 2] {spyre.dims = ["auto0", "_untracked_512"]} : !t
  return %y : !t
}
```

Hints speak of dimensions by name. A name that means the dimension in all operations of
a group is used. Otherwise the dimension gets a new name, beside those that it has.
Scopes are numbered from 10000, or from the largest that is there.

Left alone: operations with hints or a `split`, or whose result nobody uses; operations
in loops; dynamic extents. Tiles are equal, in whole sticks; no dimension is cut that an operation of the
group reduces. Run it after the passes that choose layouts, which say how large tensors
are in memory; without layouts, the default ones are assumed. A warning: an operation
that no tiles bring within the span limit. It stays as it is, and work division may help.

Remarks (`--remarks-filter=spyre-choose-tiles`):

| remark | kind | says |
|---|---|---|
| `ChosenForTraffic` | passed | the operations of a group, its tiles, what they save and how many combinations there were |
| `ChosenForSpan` | passed | the span, the limit and the span of a tile |
| `Traffic` | analysis | bytes through device memory without and with the chosen tiles, by the cost model |
| `NothingChosen` | missed | why no tiles were chosen for traffic |
| `Unsuitable` | missed | a group that `--coarse-tile` would refuse, and why |
| `SpanTooLarge` | failed | an operation that no tiles bring within the span limit |

Refused: hint scopes that `--spyre-assign-dim-hints` has not turned into hints; layouts
that are not chosen yet; operations that have a place already; operations in a function
of several blocks or in a region other than a loop's.
"#;

/// What tiles are for.
#[derive(Debug, Clone, Copy, Default)]
struct Goals {
    span: bool,
    traffic: bool,
}

impl Goals {
    fn parse(given: &[String]) -> Result<Self, String> {
        if given.is_empty() {
            return Ok(Self {
                span: true,
                traffic: true,
            });
        }
        let mut goals = Self::default();
        for goal in given {
            match goal.as_str() {
                "span" => goals.span = true,
                "traffic" => goals.traffic = true,
                other => {
                    return Err(format!(
                        "no goal is called '{other}'; there are span and traffic"
                    ));
                }
            }
        }
        Ok(goals)
    }
}

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let function = run.operation();
    let goals = Goals::parse(&run.list("goal")).map_err(|why| error(function, why))?;
    check_reachable(function, NAME, |_| true)?;
    let Some(body) = ir::function_body(function) else {
        run.preserve_analyses();
        return Ok(());
    };
    if function.has_attribute(SCOPES) {
        let message = format!(
            "the function has '{SCOPES}', which --spyre-assign-dim-hints has to turn into hints first"
        );
        return Err(error(function, message).into());
    }
    check_decided(body, NAME)?;
    if let Some(placed) = device_ops(body).into_iter().find(|op| op.place().is_some()) {
        let message =
            "operation already has a place; tiles come before --spyre-scratchpad-planning";
        return Err(error(placed.op(), message).into());
    }
    let target = target_of(function)?.target;
    let types = TensorTypes::new(run.context());
    let mut names = Names::of_function(function);
    let program = Program::new(body, &types, &mut names);
    let limit = target.span_limit_bytes.get();
    let mut chooser = Chooser {
        remarks: Remarks::about(run.context(), function, NAME),
        types: &types,
        program: &program,
        writer: Writer::new(run.context(), &program, &mut names),
        is_taken: vec![false; program.found.len()],
        groups: 0,
        operations: 0,
        combinations: 0,
    };
    if goals.traffic {
        let machine = traffic::Machine {
            span_limit: goals.span.then_some(limit),
            ..traffic::Machine::new(&target)
        };
        chooser.for_traffic(function, &machine);
    }
    if goals.span {
        chooser.for_span(limit);
    }
    run.count("groups", chooser.groups);
    run.count("operations", chooser.operations);
    run.count("combinations", chooser.combinations);
    if chooser.groups == 0 {
        run.preserve_analyses();
        return Ok(());
    }
    chooser.writer.write(function);
    Ok(())
}

struct Chooser<'c, 'p> {
    remarks: Remarks,
    types: &'c TensorTypes<'p>,
    program: &'c Program<'p>,
    writer: Writer<'c, 'p>,
    /// Operations that are in a group.
    is_taken: Vec<bool>,
    groups: usize,
    operations: usize,
    combinations: usize,
}

impl<'c, 'p> Chooser<'c, 'p> {
    fn for_traffic(&mut self, function: Op<'p>, machine: &traffic::Machine) {
        let choice = traffic::choose(&self.program.block, machine);
        self.combinations += choice.combinations;
        let mut tiled = choice.tiled;
        let mut chosen = 0;
        for found in &choice.groups {
            let members = found
                .members
                .iter()
                .map(|member| (member.step, member.dims.clone()));
            let group = Group {
                members: members.collect(),
                counts: found.counts.clone(),
            };
            let Some((first, hints)) = self.add(&group) else {
                tiled -= found.moved;
                continue;
            };
            chosen += 1;
            self.remarks.emit(|| {
                start(Kind::Passed, first, "ChosenForTraffic")
                    .arg("Operations", found.members.len())
                    .arg("Tiles", describe(&hints))
                    .arg("Saves", -found.moved)
                    .arg("MoreRuns", found.runs)
                    .arg("Combinations", found.combinations)
                    .reason(match found.brought_within {
                        0 => "fewer bytes go through device memory".to_owned(),
                        over => format!(
                            "{over} of the operations reach further than the span limit; of the tiles that keep them within, \
                             these move the fewest bytes"
                        ),
                    })
            });
        }
        self.remarks.emit(|| {
            Remark::new(Kind::Analysis, function.location(), "Traffic")
                .arg("Untiled", choice.untiled)
                .arg("Tiled", tiled)
                .arg("Groups", chosen)
                .arg("LookedAt", choice.looked_at)
                .arg("Combinations", choice.combinations)
                .arg("WorkedOut", choice.worked_out)
        });
        if choice.groups.is_empty() {
            self.remarks.emit(|| {
                let reason = if choice.looked_at == 0 {
                    "no operations can be tiled: they have hints, a split, or no dimension that could be cut".to_owned()
                } else if choice.combinations == 0 {
                    "no value between the operations would go through device memory that tiles could keep from it".to_owned()
                } else {
                    let within = match machine.span_limit {
                        Some(_) => "keeps spans within the limit and ",
                        None => "",
                    };
                    format!(
                        "none of {} combinations of tiles {within}moves fewer bytes than {} without tiles, a stick per \
                         core for each run of an operation included",
                        choice.combinations, choice.untiled
                    )
                };
                Remark::new(Kind::Missed, function.location(), "NothingChosen").reason(reason)
            });
        }
    }

    fn for_span(&mut self, limit: u64) {
        let mut open: Option<(Group, Spans)> = None;
        for (at, found) in self.program.found.iter().enumerate() {
            let block = &self.program.block;
            let (Some(step), Some(taken)) = (block.steps.get(at), self.is_taken.get(at)) else {
                continue;
            };
            let Some(shape) = block
                .shapes
                .get(step.shape)
                .filter(|_| step.is_free && !taken)
            else {
                self.close(open.take());
                continue;
            };
            let (tiles, spans) = match span::choose(shape, limit) {
                span::Choice::Fits => {
                    self.close(open.take());
                    continue;
                }
                span::Choice::Impossible {
                    before,
                    smallest,
                    looked_at,
                } => {
                    self.close(open.take());
                    self.combinations += looked_at;
                    self.too_large(found, before, &smallest, limit);
                    continue;
                }
                span::Choice::Tiles {
                    tiles,
                    before,
                    after,
                    looked_at,
                } => {
                    self.combinations += looked_at;
                    let (tensor, span) = before;
                    (
                        tiles,
                        Spans {
                            tensor,
                            span,
                            after,
                            limit,
                        },
                    )
                }
            };
            // Equal tiles of equal operations in a row are one group.
            if let Some((group, _)) = &mut open
                && let Some((first, _)) = group.members.first()
                && let Some(before) = block
                    .steps
                    .get(*first)
                    .and_then(|step| block.shapes.get(step.shape))
                && step.not_before <= *first
                && before.is_elementwise()
                && shape.is_elementwise()
                && before.space == shape.space
                && group.counts.iter().eq(tiles.iter().map(|(_, count)| count))
            {
                group
                    .members
                    .push((at, tiles.iter().map(|(dim, _)| Some(*dim)).collect()));
                continue;
            }
            self.close(open.take());
            let group = Group {
                members: vec![(at, tiles.iter().map(|(dim, _)| Some(*dim)).collect())],
                counts: tiles.iter().map(|(_, count)| *count).collect(),
            };
            open = Some((group, spans));
        }
        self.close(open);
    }

    /// Adds a group that is chosen for its span.
    fn close(&mut self, group: Option<(Group, Spans)>) {
        let Some((group, spans)) = group else { return };
        let Some((first, hints)) = self.add(&group) else {
            return;
        };
        self.remarks.emit(|| {
            start(Kind::Passed, first, "ChosenForSpan")
                .arg("Operations", group.members.len())
                .arg("Tiles", describe(&hints))
                .arg("Tensor", tensor(first, spans.tensor))
                .arg("Span", spans.span)
                .arg("Limit", spans.limit)
                .arg("TileSpan", spans.after)
                .reason("a core would reach further than the target's span limit")
        });
    }

    /// Gives the operations of a group hints, unless `--coarse-tile` would refuse them. The first operation.
    fn add(&mut self, group: &Group) -> Option<(&'c Found<'p>, Vec<TileHint>)> {
        let program = self.program;
        let members = group.members.iter().filter_map(|(step, dims)| {
            let found = program.found.get(*step)?;
            Some((found.op, found.indexing.clone(), dims.clone().into()))
        });
        let members: Vec<_> = members.collect();
        let (first, ..) = group.members.first()?;
        let first = program.found.get(*first)?;
        if let Err(why) = coarse_tile::check_group(self.types, &group.counts, members) {
            self.remarks.emit(|| {
                start(Kind::Missed, first, "Unsuitable")
                    .arg("Operations", group.members.len())
                    .arg("At", place(why.location()))
                    .reason(why.message())
            });
            return None;
        }
        for (step, _) in &group.members {
            if let Some(taken) = self.is_taken.get_mut(*step) {
                *taken = true;
            }
        }
        self.groups += 1;
        self.operations += group.members.len();
        Some((first, self.writer.add(group)))
    }

    fn too_large(
        &self,
        found: &Found<'p>,
        (widest, span): (usize, u64),
        (smallest, tiles): &(u64, Vec<(usize, u64)>),
        limit: u64,
    ) {
        let tiles: Vec<_> = tiles
            .iter()
            .map(|(dim, count)| format!("dimension {dim} in {count}"))
            .collect();
        let best = if tiles.is_empty() {
            "no tiles make it less".to_owned()
        } else {
            format!(
                "the least that tiles make of it is {smallest}, with {}",
                tiles.join(", ")
            )
        };
        let what = tensor(found, widest);
        let message =
            format!("{what} spans {span} bytes in memory, but a core reaches {limit}; {best}");
        self.remarks
            .emit(|| start(Kind::Failed, found, "SpanTooLarge").reason(&message));
        Diagnostic::warning(found.op.op().location(), format!("{NAME}: {message}"))
            .suggest("it is left as it is; a layout with other dimensions outside, or a split of those that are there, may help")
            .emit();
    }
}

/// Why a group is chosen for its span.
struct Spans {
    tensor: usize,
    span: u64,
    after: u64,
    limit: u64,
}

/// A remark about an operation.
fn start<'p>(kind: Kind, found: &Found<'p>, title: &'static str) -> Remark<'p> {
    let op = found.op.op();
    Remark::new(kind, op.location(), title).arg("Operation", ir::name(op))
}

/// A tensor of an operation, for people.
fn tensor(found: &Found<'_>, tensor: usize) -> String {
    if tensor < found.op.op().operand_count() {
        format!("operand #{tensor}")
    } else {
        "the result".to_owned()
    }
}

/// Hints as they are written.
fn describe(hints: &[TileHint]) -> String {
    let hints = hints
        .iter()
        .map(|hint| format!("{}: \"{}\" {}", hint.scope, hint.dim, hint.tiles));
    hints.collect::<Vec<_>>().join(", ")
}

fn error<'p>(op: Op<'p>, message: impl std::fmt::Display) -> Diagnostic<'p> {
    Diagnostic::error(op.location(), format!("{NAME}: {message}"))
}

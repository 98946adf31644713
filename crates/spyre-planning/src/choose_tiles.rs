//! `--spyre-choose-tiles`: chooses tiles for operations without hints, and writes the hints.
//!
//! * `program` reads the function into the form in which `spyre_plan::auto_tile` chooses tiles.
//! * `chooser` takes the chosen groups and reports them in remarks.
//! * `hints` finds names for the dimensions that are cut, and writes the hints.

mod chooser;
mod hints;
mod program;

use melior::Context;
use melior::ir::operation::OperationLike;
use spyre_analysis::names::Followed;
use spyre_analysis::target::target_of;
use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::walk::{check_decided, check_reachable, device_ops};
use spyre_dialects::names::SCOPES;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op};
use spyre_mlir_rt::pass::{Failed, OptionKind, PassOption, PassRun, PassStatistic, RustPass};
use spyre_mlir_rt::remark::Remarks;
use spyre_ods::func;
use spyre_plan::auto_tile::traffic;

use self::chooser::Chooser;
use self::hints::Writer;
use self::program::Program;
use crate::assign_hints::has_open_scopes;

const NAME: &str = "spyre-choose-tiles";

/// `--spyre-choose-tiles`
pub static CHOOSE_TILES: RustPass = RustPass {
    argument: NAME,
    summary: "Choose tiles for operations without hints: less traffic, and spans within the limit",
    description: DESCRIPTION,
    anchor: func::FUNC,
    options: &[
        PassOption {
            name: "goal",
            description: "the goals of tiles: span, traffic or both; both without the option",
            kind: OptionKind::List,
        },
        PassOption {
            name: "broadcasts",
            description: "bytes that several cores read at once count once, more where they are over eight; without, each core counts",
            kind: OptionKind::Bool(false),
        },
    ],
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
loops. It changes hints only: the tiling is decided there. Opt-in; the pipeline does
not run it. Two goals:

* `traffic`: for operations in a row that share dimensions, the tiles with which the
  fewest bytes go through device memory. Values between operations that are larger than
  the scratchpads become tiles that fit. The cost is the traffic from and to device
  memory, operands in every iteration that reads them, and a stick per core for each
  run of an operation. Operations stay as they are if no tiles reduce this.
* `span`: for operations with an operand or a result of which a core would reach further
  than the target's span limit if work division did not help, the fewest tiles that keep
  all of them within (middle-end specification, section 3.10). Pointwise operations in a
  row with equal tiles are one group.

With both, tiles for traffic also have to keep spans within the limit, and the
remaining operations are tiled for their spans.

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

Hints speak of dimensions by name. A name that denotes the dimension in all operations
of a group is used. Otherwise the dimension gets a new name, in addition to its names.
Scopes are numbered from 10000, or from the largest existing one.

Left alone: gathers; operations with hints, a `split` or a `divide`, or without uses; operations in loops;
dynamic extents. Tiles are equal, in whole sticks; no dimension is cut that an operation of the group
reduces. Run it after the passes that choose layouts, which determine the sizes of tensors in memory;
without layouts, the default ones are assumed. A warning: an operation that no tiles bring within the span
limit. It stays as it is, and work division may help.

Remarks (`--remarks-filter=spyre-choose-tiles`):

| remark | kind | content |
|---|---|---|
| `ChosenForTraffic` | passed | the operations of a group, its tiles, the bytes that they save and the number of combinations |
| `ChosenForSpan` | passed | the span, the limit and the span of a tile |
| `Traffic` | analysis | bytes through device memory without and with the chosen tiles, by the cost model |
| `NothingChosen` | missed | why no tiles were chosen for traffic |
| `Unsuitable` | missed | a group that `--coarse-tile` would refuse, and why |
| `SpanTooLarge` | failed | an operation that no tiles bring within the span limit |

Refused: hint scopes that `--spyre-assign-dim-hints` has not turned into hints; layouts
that are not chosen yet; operations that have a place already; operations in a function
of several blocks or in a region other than a loop's.
"#;

/// The goals for which tiles are chosen.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Goals {
    /// Spans within the limit.
    pub(crate) span: bool,
    /// Less traffic with device memory.
    pub(crate) traffic: bool,
}

impl Goals {
    fn parse(names: &[String]) -> Result<Self, String> {
        if names.is_empty() {
            return Ok(Self {
                span: true,
                traffic: true,
            });
        }
        let mut goals = Self::default();
        for goal in names {
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
    let goals = Goals::parse(&run.list("goal")).map_err(|err| error(function, err))?;
    check_reachable(function, NAME, |_| true)?;
    let Some(body) = ir::function_body(function) else {
        run.preserve_analyses();
        return Ok(());
    };
    let remarks = run.remarks(function, NAME);
    let search = Search {
        broadcasts: run.flag("broadcasts"),
        most_atoms: traffic::MAX_ATOMS,
    };
    let chosen = choose(run.context(), function, body, goals, search, &remarks)?;
    run.count("groups", chosen.groups);
    run.count("operations", chosen.operations);
    run.count("combinations", chosen.combinations);
    if chosen.groups == 0 {
        run.preserve_analyses();
    }
    Ok(())
}

/// How tiles for traffic are searched for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Search {
    /// Whether bytes that several cores read in the same execution are counted once.
    pub(crate) broadcasts: bool,
    /// The most atoms of a group.
    pub(crate) most_atoms: usize,
}

/// The numbers of the choices for a function.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Chosen {
    /// Groups that were given hints.
    pub(crate) groups: usize,
    /// Operations that were given hints.
    pub(crate) operations: usize,
    /// Combinations of numbers of tiles that were looked at.
    pub(crate) combinations: usize,
}

/// Chooses tiles for a function and writes the hints.
///
/// # Errors
/// The tiles of the function cannot be chosen; it is unchanged.
pub(crate) fn choose<'p>(
    context: &'p Context,
    function: Op<'p>,
    body: Blk<'p>,
    goals: Goals,
    search: Search,
    remarks: &Remarks,
) -> Result<Chosen, Diagnostic<'p>> {
    if has_open_scopes(function) {
        let message = format!(
            "the function has '{SCOPES}', which --spyre-assign-dim-hints has to turn into hints first"
        );
        return Err(error(function, message));
    }
    check_decided(body, NAME)?;
    if let Some(placed) = device_ops(body).into_iter().find(|op| op.place().is_some()) {
        let message =
            "operation already has a place; tiles come before --spyre-scratchpad-planning";
        return Err(error(placed.op(), message));
    }
    let target = target_of(function)?.target;
    let types = TensorTypes::new(context);
    let mut followed = Followed::of_function(function);
    let program = Program::new(body, &types, &mut followed);
    let limit = target.span_limit_bytes.get();
    let writer = Writer::new(context, &program, &mut followed.names);
    let mut chooser = Chooser::new(remarks.clone(), &types, &program, writer);
    if goals.traffic {
        let machine = traffic::Machine {
            span_limit: goals.span.then_some(limit),
            broadcasts: search.broadcasts,
            most_atoms: search.most_atoms,
            ..traffic::Machine::new(&target)
        };
        chooser.for_traffic(function, &machine);
    }
    if goals.span {
        chooser.for_span(limit);
    }
    let chosen = Chosen {
        groups: chooser.groups,
        operations: chooser.operations,
        combinations: chooser.combinations,
    };
    if chosen.groups > 0 {
        chooser.writer.write(function);
    }
    Ok(chosen)
}

fn error<'p>(op: Op<'p>, message: impl std::fmt::Display) -> Diagnostic<'p> {
    Diagnostic::error(op.location(), format!("{NAME}: {message}"))
}

//! Reports a plan and its reasons, as remarks and as a table.

use std::fmt::Write as _;

use melior::ir::block::BlockArgument;
use melior::ir::operation::{OperationLike, OperationResult};
use melior::ir::r#type::{DimSize, RankedTensorType};
use melior::ir::{Location, ShapedTypeLike, Type, ValueLike};
use spyre_mlir_rt::diagnostic::{self, Diagnostic};
use spyre_mlir_rt::ir::{self, Op, Val, name};
use spyre_mlir_rt::remark::{Remark, RemarkKind, Remarks};
use spyre_ops::Ranked;

use crate::coarse_tile::find::{Group, Level};
use crate::coarse_tile::ids::MemberId;
use crate::coarse_tile::plan::reduce::Reduction;
use crate::coarse_tile::plan::trips::Variant;
use crate::coarse_tile::plan::{TensorWindow, TilePlan};

/// The category of the remarks.
pub(crate) const CATEGORY: &str = "coarse-tile";

/// One tensor of an operation in a group.
struct Tensor<'p> {
    /// The name of the tensor in messages: `operand 0`, `result`.
    label: String,
    value: Val<'p>,
    /// The shape of the tile that an iteration visits.
    tile: String,
    /// The shape of the whole tensor.
    whole: String,
    role: Role<'p>,
}

/// The role of a tensor of a group: where an iteration reads or writes it.
enum Role<'p> {
    /// Operand: another operation of the group computes it in the same iteration.
    Made(Op<'p>),
    /// Operand: a window of a full tensor moves with the loops.
    Window,
    /// Operand: the same in every iteration.
    Whole,
    /// Result: a part of a reduction, which is added to an accumulator that the loops carry.
    Part,
    /// Result: the element or position that a search has found in a tile; the loops carry the best one so far.
    Found(Ranked),
    /// Result: it has no uses outside.
    Inside,
    /// Result: the tiles are inserted into a full tensor.
    Full {
        /// Whether the group uses the tile as well.
        inside: bool,
        /// The number of uses outside the group, of which `first` is the first one.
        uses: usize,
        first: Op<'p>,
    },
}

impl Role<'_> {
    /// Returns the name of the remark about the tensor.
    fn name(&self) -> &'static str {
        match self {
            Self::Made(_) => "OperandTile",
            Self::Window => "OperandWindow",
            Self::Whole => "OperandWhole",
            Self::Part | Self::Found(_) => "ValueAccumulated",
            Self::Inside => "ValueInside",
            Self::Full { .. } => "ValueFull",
        }
    }

    fn place(&self) -> String {
        match self {
            Self::Made(maker) => format!("tile, from {}", name(*maker)),
            Self::Window => "window of the full tensor".to_owned(),
            Self::Whole => "the whole tensor, in every iteration".to_owned(),
            Self::Part => "part, combined with an accumulator".to_owned(),
            Self::Found(Ranked::Value) => {
                "found in a tile, put together with the element so far".to_owned()
            }
            Self::Found(Ranked::Position) => {
                "found in a tile, put together with the position so far".to_owned()
            }
            Self::Inside => "tile, inside the loops only".to_owned(),
            Self::Full { inside: false, .. } => "inserted into the full tensor".to_owned(),
            Self::Full { inside: true, .. } => "tile, and inserted into the full tensor".to_owned(),
        }
    }

    fn reason(&self) -> String {
        match self {
            Self::Made(maker) => format!(
                "{} at {} computes it in the same iteration",
                name(*maker),
                place(maker.location())
            ),
            Self::Window => {
                "it is made outside of the loops, and they cut its dimensions".to_owned()
            }
            Self::Whole => "no loop cuts a dimension of it".to_owned(),
            Self::Part => "a loop cuts a dimension that it reduces".to_owned(),
            Self::Found(_) => "a loop cuts the dimension that it searches".to_owned(),
            Self::Inside => "all its uses are in the group".to_owned(),
            Self::Full { uses, first, .. } => {
                let (uses, more) = match uses {
                    1 => ("a use".to_owned(), ""),
                    uses => (format!("{uses} uses"), ", first"),
                };
                format!(
                    "it has {uses} outside of the loops{more} by {} at {}",
                    name(*first),
                    place(first.location())
                )
            }
        }
    }
}

/// Reports the plan of a group in remarks.
pub(crate) fn remarks<'p>(remarks: &Remarks, group: &Group<'p>, plan: &TilePlan<'p>) {
    if !remarks.is_enabled() {
        return;
    }
    let in_loops = || {
        let members = plan.members.ids();
        members.filter(|member| plan.nest.is_in_loops(*member))
    };
    let ends = in_loops().next().zip(in_loops().next_back());
    if let Some((first, last)) = ends {
        remarks.emit(|| {
            let location = |member: MemberId| plan.members[member].op.op().location();
            Remark::new(RemarkKind::Passed, location(first), "Tiled")
                .arg("Operations", in_loops().count())
                .arg("Loops", loops(plan).count())
                .arg("Iterations", iterations(plan))
                .arg("Tiles", levels(plan).join(", "))
                .arg("Last", place(location(last)))
                .reason(group.origin.as_str())
        });
    }
    for (index, member) in plan.members.pairs() {
        let here = member.op.op().location();
        if !plan.nest.is_in_loops(index) {
            stays_outside(remarks, member.op.op(), has_dimensions(group, index));
            continue;
        }
        let again = repeated(plan, index);
        if !again.is_empty() {
            remarks.emit(|| {
                Remark::new(RemarkKind::Missed, here, "Repeated")
                    .arg("Operation", name(member.op.op()))
                    .reason(format!(
                        "it lacks {}, so every iteration of that loop computes the same again",
                        again.join(", ")
                    ))
                    .suggestion(
                        "give it hints of the scopes whose dimensions it has; then it is a group of its own",
                    )
            });
        }
        let reduction = member.reduction.as_ref();
        if reduction.is_some_and(Reduction::rounds_parts) {
            remarks.emit(|| {
                Remark::new(RemarkKind::Analysis, here, "Reassociated")
                    .arg("Operation", name(member.op.op()))
                    .reason("the part of each tile is rounded to the element type before the parts are combined; untiled, the card adds up in 32 bits")
            });
        }
        for tensor in tensors(plan, index) {
            remarks.emit(|| {
                Remark::new(RemarkKind::Analysis, here, tensor.role.name())
                    .arg("Operation", name(member.op.op()))
                    .arg("Tensor", &tensor.label)
                    .arg("From", origin(tensor.value))
                    .arg("Tile", &tensor.tile)
                    .arg("Whole", &tensor.whole)
                    .arg("Place", tensor.role.place())
                    .reason(tensor.role.reason())
            });
        }
    }
    for op in group.behind.iter().copied() {
        remarks.emit(|| {
            Remark::new(RemarkKind::Analysis, op.location(), "MovedBehind")
                .arg("Operation", name(op))
                .reason("it is between operations of a group, needs a value of it, and nothing of the group needs it")
        });
    }
}

/// Reports that an operation of a group is outside of its loops.
fn stays_outside(remarks: &Remarks, op: Op<'_>, has_dimensions: bool) {
    let here = op.location();
    let (reason, way_out) = if has_dimensions {
        (
            "the tiles of its dimensions are all of them, and one tile is no loop",
            "smaller tiles make loops, in whole sticks along a stick",
        )
    } else {
        (
            "it has none of the dimensions that the loops of its group cut",
            "name its dimensions with spyre.dims if it has them; otherwise its hints can go",
        )
    };
    remarks.emit(|| {
        Remark::new(RemarkKind::Missed, here, "StaysOutside")
            .arg("Operation", name(op))
            .reason(reason)
            .suggestion(way_out)
    });
}

/// Reports the plan of a function in a remark, with a table for each group. A group without a plan has no loops.
pub(crate) fn plan<'p>(function: Op<'p>, groups: &[Group<'p>], plans: &[Option<TilePlan<'p>>]) {
    let tables = groups.iter().zip(plans).enumerate();
    let tables: String = tables
        .map(|(number, (group, plan))| table(number, group, plan.as_ref()))
        .collect();
    let tables = match tables.as_str() {
        "" => "nothing to tile",
        tables => tables.trim_end(),
    };
    let message = format!("coarse-tile: the plan\n{tables}");
    Diagnostic::remark(function.location(), message).emit();
}

/// Returns the plan of a group as a table. Without a plan (`None`), every level is one tile.
fn table(number: usize, group: &Group<'_>, plan: Option<&TilePlan<'_>>) -> String {
    let mut text = format!("group {number}: {}\n", group.origin);
    for (depth, level) in plan.map(levels).into_iter().flatten().enumerate() {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  loop {depth}: {level}");
    }
    let mut rows =
        vec![["operation", "tensor", "from", "tile", "whole", "place"].map(str::to_owned)];
    let mut whole_row = |op: Op<'_>, place: &str| {
        let mut row = [const { String::new() }; COLUMNS];
        row[0] = name(op).to_owned();
        row[COLUMNS - 1] = place.to_owned();
        rows.push(row);
    };
    let Some(plan) = plan else {
        for member in group.members.iter() {
            whole_row(member.op.op(), ONE_TILE);
        }
        return text + &aligned(&rows);
    };
    for (index, member) in plan.members.pairs() {
        if !plan.nest.is_in_loops(index) {
            let place = if has_dimensions(group, index) {
                ONE_TILE
            } else {
                "outside of the loops: lacks their dimensions"
            };
            whole_row(member.op.op(), place);
        }
    }
    for (index, member) in plan.members.pairs() {
        if !plan.nest.is_in_loops(index) {
            continue;
        }
        let mut operation = name(member.op.op()).to_owned();
        for tensor in tensors(plan, index) {
            let from = match tensor.role {
                Role::Part | Role::Found(_) | Role::Inside | Role::Full { .. } => String::new(),
                _ => origin(tensor.value),
            };
            rows.push([
                std::mem::take(&mut operation),
                tensor.label,
                from,
                tensor.tile,
                tensor.whole,
                tensor.role.place(),
            ]);
        }
    }
    for op in group.behind.iter().copied() {
        let mut row = [const { String::new() }; COLUMNS];
        row[0] = name(op).to_owned();
        row[COLUMNS - 1] = "after the loops: needs a value of the group".to_owned();
        rows.push(row);
    }
    text + &aligned(&rows)
}

/// Returns rows as text, with their cells aligned in columns.
fn aligned(rows: &[[String; COLUMNS]]) -> String {
    let mut widths = [0; COLUMNS];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.len().max(*width);
        }
    }
    let mut text = String::new();
    for row in rows {
        let mut line = String::from(" ");
        for (cell, width) in row.iter().zip(&widths) {
            // Writing to a String cannot fail.
            let _ = write!(line, " {cell:width$} ");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// The number of columns of the table.
const COLUMNS: usize = 6;

/// The table's text for operations with one tile along each dimension.
const ONE_TILE: &str = "as it is: one tile is no loop";

/// Returns whether levels were to cut a dimension of an operation.
fn has_dimensions(group: &Group<'_>, member: MemberId) -> bool {
    group.members[member].dims.cuts().next().is_some()
}

/// Returns the levels that are loops, each with the number of its tiles, whole and shorter ones.
fn loops<'l>(plan: &'l TilePlan<'_>) -> impl Iterator<Item = (&'l Level, u64)> {
    let tiles = |id| plan.trips.get(id, Variant::default()).count();
    let levels = plan.levels.pairs();
    let levels = levels.map(move |(id, level)| (level, tiles(id)));
    levels.filter(|(level, tiles)| *tiles > 1 || level.dynamic.is_some())
}

/// Returns the number of iterations of the innermost body, with the tiles of levels in the whole tiles of outer levels.
fn iterations(plan: &TilePlan<'_>) -> u128 {
    let tiles = loops(plan).map(|(_, tiles)| u128::from(tiles));
    tiles.fold(1, u128::saturating_mul)
}

fn levels(plan: &TilePlan<'_>) -> Vec<String> {
    loops(plan)
        .map(|(level, tiles)| match (level.dynamic, level.size) {
            (Some(_), Some(size)) => {
                format!("{} in tiles of {size}, at most {tiles}", level.label)
            }
            _ => format!("{} in {tiles} tiles", level.label),
        })
        .collect()
}

/// Returns the labels of the loops around an operation that repeat it, because it lacks the dimension that they cut.
fn repeated<'l>(plan: &'l TilePlan<'_>, member: MemberId) -> Vec<&'l str> {
    let around = plan.nest.depth(plan.nest.home(member));
    let levels = plan.levels.pairs().take(around);
    levels
        .filter(|(level, _)| plan.members[member].dims.cut(*level).is_none())
        .map(|(_, level)| level.label.as_str())
        .collect()
}

/// Returns the tensors of an operation, operands first, then the result.
fn tensors<'p>(plan: &TilePlan<'p>, index: MemberId) -> Vec<Tensor<'p>> {
    let member = &plan.members[index];
    let tensor = |label, value: Val<'p>, window: &TensorWindow<'p>, role| Tensor {
        label,
        value,
        tile: shape(window.tile),
        whole: shape(value.r#type()),
        role,
    };
    let mut values = member.op.tensors();
    let value = values.pop().expect("an operation has a result");
    let operands = values.into_iter().zip(member.windows.operands.pairs());
    let operands = operands.map(|(value, (operand, window))| {
        let role = match plan.maker(index, operand) {
            Some(maker) => Role::Made(plan.members[maker].op.op()),
            None if shape(window.tile) == shape(value.r#type()) => Role::Whole,
            None => Role::Window,
        };
        tensor(format!("operand {operand}"), value, window, role)
    });
    let mut tensors: Vec<_> = operands.collect();
    let role = match &member.reduction {
        Some(reduction) => match reduction.search() {
            Some(search) => Role::Found(search.result),
            None => Role::Part,
        },
        // Operations outside the loops read a separate view.
        None if member.op.is_view() => Role::Inside,
        None => result(plan, value),
    };
    tensors.push(tensor(
        "result".to_owned(),
        value,
        &member.windows.result,
        role,
    ));
    tensors
}

/// Returns the role of a result that is no part.
fn result<'p>(plan: &TilePlan<'p>, value: Val<'p>) -> Role<'p> {
    let mut inside = false;
    let mut uses = 0;
    let mut first: Option<Op<'p>> = None;
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        ir::for_each_use(value, |user| {
            let Some(member) = plan.positions.get(&ir::op_key(user.owner)) else {
                uses += 1;
                // Uses are listed last to first.
                first = Some(user.owner);
                return;
            };
            inside = true;
            // A view that is used outside is taken there again, of the full tensor.
            if plan.members[*member].op.is_view() {
                pending.extend(user.owner.results().map(Val::from));
            }
        });
    }
    match first {
        Some(first) => Role::Full {
            inside,
            uses,
            first,
        },
        None => Role::Inside,
    }
}

/// Returns the name of the operation or argument that defines a value.
fn origin(value: Val<'_>) -> String {
    if let Ok(result) = OperationResult::try_from(value) {
        return name(result.owner()).to_owned();
    }
    match BlockArgument::try_from(value) {
        Ok(argument) => format!("argument {}", argument.argument_number()),
        Err(_) => String::new(),
    }
}

/// Returns a tensor's extents as text, such as `512x1024`; "scalar" without dimensions.
fn shape(ty: Type<'_>) -> String {
    let Ok(ty) = RankedTensorType::try_from(ty) else {
        return ty.to_string();
    };
    let extents = (0..ty.rank()).map(|dim| match ty.dim_size(dim) {
        Ok(DimSize::Static(extent)) => extent.to_string(),
        _ => "?".to_owned(),
    });
    let extents: Vec<_> = extents.collect();
    if extents.is_empty() {
        "scalar".to_owned()
    } else {
        extents.join("x")
    }
}

/// Returns a location for the text of a remark.
pub(crate) fn place(location: Location<'_>) -> String {
    diagnostic::place(location)
}

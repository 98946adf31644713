//! Takes the chosen groups, except groups that `--coarse-tile` would refuse, and reports them in remarks.

use std::rc::Rc;

use melior::ir::operation::OperationLike;
use spyre_analysis::tensor::TensorTypes;
use spyre_dialects::hint::TileHint;
use spyre_mlir_rt::diagnostic::{Diagnostic, place};
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::remark::{Remark, RemarkKind, Remarks};
use spyre_plan::auto_tile::{span, traffic};

use super::NAME;
use super::hints::{Group, Writer};
use super::program::{Found, Program};
use crate::coarse_tile;

/// The choices that have been taken, and their numbers.
pub(super) struct Chooser<'c, 'p> {
    remarks: Remarks,
    types: &'c TensorTypes<'p>,
    program: &'c Program<'p>,
    /// The hints that are to be written.
    pub writer: Writer<'c, 'p>,
    /// Whether each operation is in a group, by position.
    is_taken: Vec<bool>,
    /// The number of groups that were chosen.
    pub groups: usize,
    /// The number of operations in the chosen groups.
    pub operations: usize,
    /// The number of combinations of numbers of tiles that were looked at.
    pub combinations: usize,
}

impl<'c, 'p> Chooser<'c, 'p> {
    /// Returns a chooser without groups.
    pub(super) fn new(
        remarks: Remarks,
        types: &'c TensorTypes<'p>,
        program: &'c Program<'p>,
        writer: Writer<'c, 'p>,
    ) -> Self {
        Self {
            remarks,
            types,
            program,
            writer,
            is_taken: vec![false; program.ops.len()],
            groups: 0,
            operations: 0,
            combinations: 0,
        }
    }

    /// Chooses groups with which the fewest bytes go through device memory.
    pub(super) fn for_traffic(&mut self, function: Op<'p>, machine: &traffic::Machine) {
        let choice = traffic::choose(&self.program.block, machine);
        self.combinations += choice.combinations;
        let mut tiled = choice.tiled;
        let mut chosen = 0;
        for candidate in &choice.groups {
            let members = candidate
                .members
                .iter()
                .map(|member| (member.step, member.dims.clone()));
            let group = Group {
                members: members.collect(),
                counts: candidate.counts.clone(),
            };
            let Some((first, hints)) = self.add(&group) else {
                tiled -= candidate.moved;
                continue;
            };
            chosen += 1;
            self.remarks.emit(|| {
                start(RemarkKind::Passed, first, "ChosenForTraffic")
                    .arg("Operations", candidate.members.len())
                    .arg("Tiles", describe(&hints))
                    .arg("Saves", -candidate.moved)
                    .arg("MoreRuns", candidate.runs)
                    .arg("Combinations", candidate.combinations)
                    .reason(match candidate.brought_within {
                        0 => "fewer bytes go through device memory".to_owned(),
                        over => format!(
                            "{over} of the operations reach further than the span limit; of the tiles that keep them within, \
                             these move the fewest bytes"
                        ),
                    })
            });
        }
        self.remarks.emit(|| {
            Remark::new(RemarkKind::Analysis, function.location(), "Traffic")
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
                Remark::new(RemarkKind::Missed, function.location(), "NothingChosen").reason(reason)
            });
        }
    }

    /// Chooses tiles for operations that are in no group yet and span more than `limit` bytes.
    pub(super) fn for_span(&mut self, limit: u64) {
        let mut open: Option<(Group, Spans)> = None;
        for (at, entry) in self.program.ops.iter().enumerate() {
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
                    self.too_large(entry, before, &smallest, limit);
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
            let dims: Vec<Option<usize>> = tiles.iter().map(|(dim, _)| Some(*dim)).collect();
            // Consecutive operations with the same tiles form one group.
            if let Some((group, _)) = &mut open
                && let Some((first, cut)) = group.members.first()
                && let Some(before) = block
                    .steps
                    .get(*first)
                    .and_then(|step| block.shapes.get(step.shape))
                && step.not_before <= *first
                && before.is_elementwise()
                && shape.is_elementwise()
                && before.space == shape.space
                && *cut == dims
                && group.counts.iter().eq(tiles.iter().map(|(_, count)| count))
            {
                group.members.push((at, dims));
                continue;
            }
            self.close(open.take());
            let group = Group {
                members: vec![(at, dims)],
                counts: tiles.iter().map(|(_, count)| *count).collect(),
            };
            open = Some((group, spans));
        }
        self.close(open);
    }

    /// Adds a group that is chosen for its span. `None` has no effect.
    fn close(&mut self, group: Option<(Group, Spans)>) {
        let Some((group, spans)) = group else { return };
        let Some((first, hints)) = self.add(&group) else {
            return;
        };
        self.remarks.emit(|| {
            start(RemarkKind::Passed, first, "ChosenForSpan")
                .arg("Operations", group.members.len())
                .arg("Tiles", describe(&hints))
                .arg("Tensor", tensor(first, spans.tensor))
                .arg("Span", spans.span)
                .arg("Limit", spans.limit)
                .arg("TileSpan", spans.after)
                .reason("a core would reach further than the target's span limit")
        });
    }

    /// Gives the operations of a group hints. Returns the first operation and the hints; `None` if `--coarse-tile` would refuse
    /// the group.
    fn add(&mut self, group: &Group) -> Option<(&'c Found<'p>, Vec<TileHint>)> {
        let program = self.program;
        let members = group.members.iter().filter_map(|(step, dims)| {
            let entry = program.ops.get(*step)?;
            Some((entry.op, Rc::clone(&entry.indexing), dims.clone()))
        });
        let members: Vec<_> = members.collect();
        let (first, ..) = group.members.first()?;
        let first = program.ops.get(*first)?;
        if let Err(err) = coarse_tile::check_group(self.types, &group.counts, members) {
            self.remarks.emit(|| {
                start(RemarkKind::Missed, first, "Unsuitable")
                    .arg("Operations", group.members.len())
                    .arg("At", place(err.location()))
                    .reason(err.message())
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
        entry: &Found<'p>,
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
                "the smallest span of a tile is {smallest}, with {}",
                tiles.join(", ")
            )
        };
        let what = tensor(entry, widest);
        let message =
            format!("{what} spans {span} bytes in memory, but a core reaches {limit}; {best}");
        self.remarks
            .emit(|| start(RemarkKind::Failed, entry, "SpanTooLarge").reason(&message));
        Diagnostic::warning(entry.op.op().location(), format!("{NAME}: {message}"))
            .suggest("it is left as it is; a layout with other dimensions outside, or a split of those that are there, may help")
            .emit();
    }
}

/// The reason why a group is chosen for its span: the widest tensor, its span, the span of a tile and the limit, in bytes.
struct Spans {
    tensor: usize,
    span: u64,
    after: u64,
    limit: u64,
}

/// Starts a remark about an operation.
fn start<'p>(kind: RemarkKind, entry: &Found<'p>, title: &'static str) -> Remark<'p> {
    let op = entry.op.op();
    Remark::new(kind, op.location(), title).arg("Operation", ir::name(op))
}

/// Returns the description of a tensor of an operation for messages: an operand's number, or "the result".
fn tensor(entry: &Found<'_>, tensor: usize) -> String {
    if tensor < entry.op.op().operand_count() {
        format!("operand #{tensor}")
    } else {
        "the result".to_owned()
    }
}

/// Returns hints as the user would write them.
fn describe(hints: &[TileHint]) -> String {
    let hints = hints
        .iter()
        .map(|hint| format!("{}: \"{}\" {}", hint.scope, hint.dim, hint.tiles));
    hints.collect::<Vec<_>>().join(", ")
}

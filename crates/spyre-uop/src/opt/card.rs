//! The meaning of optimisations on the card.
//!
//! A split to `LOOP` or `REDUCE` at the top is a loop of tiles around the operation, and `Swap` exchanges two of these.
//! A split to `GLOBAL` or `THREAD` divides the remaining positions over cores. A split to `UPCAST` by the elements of a
//! stick, inside of the loop along the last dimension of the result, is the stick. `Padto` adds positions to a whole
//! loop. All other optimisations concern threads and their memory, which the card does not have.

use crate::graph::{Broken, check};
use crate::ids::{Id, IndexVec};
use crate::op::AxisType;
use crate::opt::{AxisId, Fill, Kernel, LoopId, Opt};

/// The facts about the card along the dimensions of an operation's result.
#[derive(Debug, Clone, Copy)]
pub struct Card {
    /// The elements of a stick; none for a type that is not in the memory of the card.
    pub stick: Option<u64>,
    /// The loop along the last dimension of the result; none if there is no such loop.
    pub last: Option<LoopId>,
}

/// Positions that are added to a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Padding {
    /// The loop.
    pub loop_id: LoopId,
    /// The extent with the padding.
    pub extent: u64,
    /// The element that is read there.
    pub fill: Fill,
}

/// The paddings, tiles and divisions of an operation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// Positions to add, before all tiles and divisions.
    pub paddings: Vec<Padding>,
    /// Loops of tiles, outermost first: the tiled loop, and the number of tiles.
    pub tiles: Vec<(LoopId, u64)>,
    /// Loops that are divided over cores, and the number of cores.
    pub divisions: Vec<(LoopId, u64)>,
}

/// An optimisation cannot be applied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("optimisation {opt}: {broken}")]
pub struct Refused {
    /// The number in the list.
    pub opt: usize,
    /// The rule.
    pub broken: Broken,
}

/// Applies optimisations to an operation, and returns their meaning on the card.
///
/// # Errors
/// One is not legal, or has no meaning on the card: U38 to U44.
pub fn plan(kernel: &mut Kernel, opts: &[Opt], card: Card) -> Result<Plan, Refused> {
    let mut planner = Planner {
        loops: kernel.positions().len(),
        paddings: Vec::new(),
        makers: IndexVec::repeat(0, kernel.axes().len()),
        kernel,
        card,
    };
    for (number, opt) in opts.iter().enumerate() {
        let applied = planner.apply(*opt);
        applied.map_err(|broken| Refused {
            opt: number,
            broken,
        })?;
        while planner.makers.len() < planner.kernel.axes().len() {
            planner.makers.push(number);
        }
    }
    planner.finish()
}

struct Planner<'k> {
    kernel: &'k mut Kernel,
    card: Card,
    /// The number of loops. Their axes come first.
    loops: usize,
    paddings: Vec<Padding>,
    /// The optimisation that has added each axis.
    makers: IndexVec<AxisId, usize>,
}

impl Planner<'_> {
    fn apply(&mut self, opt: Opt) -> Result<(), Broken> {
        let before = self.kernel.clone();
        self.kernel.apply(opt)?;
        match opt {
            Opt::Split { axis, by, to, .. } => match refusal(to) {
                Some(reason) => Err(Broken::new(44, reason)),
                None if to == AxisType::Upcast => self.stick(&before, axis, by),
                None => Ok(()),
            },
            Opt::Padto { axis, .. } => self.pad(&before, axis),
            Opt::Swap { axis, with } => {
                // Legal axes exist.
                let point = [axis, with].into_iter().find(|axis| !self.is_tiles(*axis));
                check(44, point.is_none(), || {
                    let axis = point.expect("there is one");
                    format!(
                        "axis r{axis} is no loop of tiles, and the order of the elements of a tile and of cores is fixed on the card"
                    )
                })
            }
            Opt::Nolocals => Err(Broken::new(
                44,
                "the card has no memory of groups of threads, with or without Nolocals",
            )),
            Opt::TensorCore { .. } => Err(Broken::new(
                44,
                "the card has no tensor cores of warps; a matrix product is one operation already",
            )),
        }
    }

    fn stick(&self, before: &Kernel, axis: u64, by: u64) -> Result<(), Broken> {
        let id = number(axis);
        let axis_entry = before.axes()[id];
        check(
            44,
            self.card.last == Some(axis_entry.loop_id) && axis_entry.step == 1,
            || {
                let last = self
                    .card
                    .last
                    .map_or("none".to_owned(), |loop_id| loop_id.to_string());
                format!(
                    "axis {id} is no innermost part of the loop along the last dimension of the result, {last}, which has the sticks"
                )
            },
        )?;
        check(44, self.card.stick == Some(by), || match self.card.stick {
            Some(stick) => format!("a stick has {stick} elements of the result, not {by}"),
            None => "the result has elements that are not on sticks".to_owned(),
        })
    }

    fn pad(&mut self, before: &Kernel, axis: u64) -> Result<(), Broken> {
        let id = number(axis);
        let loop_id = before.axes()[id].loop_id;
        check(44, before.positions()[loop_id].len() == 1, || {
            format!("axis {id} is a part of loop {loop_id}; pad the whole loop, before it is split")
        })?;
        let masks = self.kernel.masks().iter().rev();
        let mut masks = masks.filter(|mask| mask.position == [(id, 1)]);
        if let Some(mask) = masks.next() {
            let extent = self.kernel.axes()[id].extent;
            self.paddings.retain(|padding| padding.loop_id != loop_id);
            self.paddings.push(Padding {
                loop_id,
                extent,
                fill: mask.fill,
            });
        }
        Ok(())
    }

    /// Returns whether an axis is a loop of tiles.
    fn is_tiles(&self, axis: u64) -> bool {
        let id = number(axis);
        let kind = self.kernel.axes()[id].kind;
        id.position() >= self.loops && matches!(kind, AxisType::Loop | AxisType::Reduce)
    }

    fn finish(self) -> Result<Plan, Refused> {
        let mut plan = Plan {
            paddings: self.paddings,
            ..Plan::default()
        };
        // The axes of tiles and of cores that have been met, of each loop.
        let mut outside: IndexVec<LoopId, Option<AxisId>> = IndexVec::repeat(None, self.loops);
        let mut cores: IndexVec<LoopId, Option<AxisId>> = IndexVec::repeat(None, self.loops);
        let axes = self.kernel.axes();
        for id in self.kernel.nest() {
            if id.position() < self.loops {
                continue; // The axis is the rest of a loop.
            }
            let axis = axes[*id];
            let refused = |reason| Refused {
                opt: self.makers[*id],
                broken: Broken::new(44, reason),
            };
            let loop_id = axis.loop_id;
            match axis.kind {
                AxisType::Loop | AxisType::Reduce => {
                    if let Some(other) =
                        outside[loop_id].filter(|other| axes[*other].step < axis.step)
                    {
                        return Err(refused(format!(
                            "axis {other} is outside of axis {id} and visits parts of its tiles of loop {loop_id}"
                        )));
                    }
                    outside[loop_id] = Some(*id);
                    plan.tiles.push((loop_id, axis.extent));
                }
                AxisType::Global | AxisType::Thread => {
                    if let Some(other) = cores[loop_id] {
                        return Err(refused(format!(
                            "axis {other} divides loop {loop_id} over cores already"
                        )));
                    }
                    cores[loop_id] = Some(*id);
                    plan.divisions.push((loop_id, axis.extent));
                }
                _ => {} // The stick.
            }
        }
        for (loop_id, divided) in cores.iter() {
            let Some(divided) = divided else {
                continue; // All cores have all of the loop.
            };
            let within = axes.iter().skip(self.loops).find(|(_, axis)| {
                let is_tiles = matches!(axis.kind, AxisType::Loop | AxisType::Reduce);
                is_tiles && axis.loop_id == loop_id && axis.step < axes[*divided].step
            });
            if let Some((tiles, _)) = within {
                let reason = format!(
                    "axis {tiles} tiles the part of loop {loop_id} that a core has; on the card, cores divide tiles, so split axis {divided} off after it"
                );
                return Err(Refused {
                    opt: self.makers[*divided],
                    broken: Broken::new(44, reason),
                });
            }
        }
        Ok(plan)
    }
}

/// Returns the axis of a number that has been checked.
fn number(axis: u64) -> AxisId {
    AxisId::of(usize::try_from(axis).expect("it is below the number of axes"))
}

/// Returns why the card has no axes of a kind; none if it has.
fn refusal(kind: AxisType) -> Option<&'static str> {
    match kind {
        AxisType::Local => Some(
            "LOCAL is a dimension of threads that share memory; a core of the card has no threads",
        ),
        AxisType::GroupReduce => Some(
            "GROUP_REDUCE is a reduction that threads share; a core of the card has no threads, and cores do not share one",
        ),
        AxisType::Unroll => {
            Some("UNROLL writes a reduction out; an operation of the card reduces a whole tile")
        }
        AxisType::Warp => Some("WARP is the lanes of a tensor core, which the card does not have"),
        AxisType::Global
        | AxisType::Thread
        | AxisType::Loop
        | AxisType::Reduce
        | AxisType::Upcast => None,
    }
}

//! Optimisations of the loops of one operation: the OptOps and axis types of tinyspec.
//!
//! An operation has one list of axes. It begins as the loops of the operation, numbered from 0. [`Opt::Split`] splits
//! an axis of extent n by k: the axis keeps its type and n / k positions, and a new axis of k positions gets the next
//! number. The position i of the old axis is then i' * k + j where the new axis j is inside, and j * (n / k) + i' where
//! it is outside, at the *top*. So the position of a loop is always a sum of axes times steps ([`Kernel::positions`]),
//! each position is visited once, and every axis has a step.
//!
//! The nest has the axes outermost first. An axis at the top goes inside of the axes already at the top, so that the
//! first split makes the outermost loop, and an axis of a split inside goes right inside of the axis that was split.
//! [`Opt::Swap`] exchanges places in the nest, not numbers.
//!
//! tinyspec has no splits into `LOOP`, `GLOBAL` or `REDUCE`. Here they are targets at the top: a loop around tiles,
//! groups or parts of a reduction. [`card`] has the meaning of optimisations on the card.

pub mod card;

use std::fmt;

use crate::graph::{Broken, check};
use crate::ids::{Id, IndexVec};
use crate::op::{AxisType, Combine};

/// An axis of an operation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AxisId(u32);

impl Id for AxisId {
    fn of(position: usize) -> Self {
        Self(u32::try_from(position).expect("every optimisation makes one axis at most"))
    }

    fn position(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for AxisId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{}", self.0)
    }
}

/// A loop of the operation as it was before all optimisations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LoopId(u32);

impl Id for LoopId {
    fn of(position: usize) -> Self {
        Self(u32::try_from(position).expect("an operation has few loops"))
    }

    fn position(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for LoopId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "d{}", self.0)
    }
}

/// An axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Axis {
    /// The number of its positions.
    pub extent: u64,
    /// The purpose.
    pub kind: AxisType,
    /// The loop that it is a part of.
    pub loop_id: LoopId,
    /// The step along it in the loop, in positions.
    pub step: u64,
}

/// The place of the new axis of a split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Inside of the axis that is split.
    Inner,
    /// Outside of it.
    Top,
}

impl Place {
    /// Returns the name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Inner => "inner",
            Self::Top => "top",
        }
    }
}

/// An optimisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opt {
    /// Splits an axis in two.
    Split {
        /// The axis.
        axis: u64,
        /// The extent of the new axis.
        by: u64,
        /// The purpose of the new axis.
        to: AxisType,
        /// Where the new axis is.
        place: Place,
    },
    /// Adds positions to an axis, with results that are discarded.
    Padto {
        /// The axis.
        axis: u64,
        /// The number of which the padded extent is a multiple.
        multiple: u64,
    },
    /// Exchanges two axes of the nest.
    Swap {
        /// One axis.
        axis: u64,
        /// The other axis.
        with: u64,
    },
    /// Uses no memory of a group of threads.
    Nolocals,
    /// Uses a tensor core.
    TensorCore {
        /// The number of the reduction, among the reductions of the operation.
        reduce: u64,
    },
}

/// The properties of a reduction's terms that decide whether padding changes the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Term {
    /// Elements of tensors, as they are.
    Element,
    /// Terms that are 0 where all elements are 0.
    KeepsZero,
    /// Other terms.
    Other,
}

/// The reduction of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reduction {
    /// The combination of terms; none if tinyspec does not have it.
    pub combine: Option<Combine>,
    /// The kind of its terms.
    pub term: Term,
}

/// The element that is read at the positions that [`Opt::Padto`] adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    /// 0.
    Zero,
    /// The least value: below every number.
    Least,
}

/// The positions that an axis or a loop had before [`Opt::Padto`]: the positions with a sum below a bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mask {
    /// The sum: axes times steps.
    pub position: Vec<(AxisId, u64)>,
    /// The bound.
    pub below: u64,
    /// The element that is read at other positions.
    pub fill: Fill,
}

/// The axes of an operation.
#[derive(Debug, Clone)]
pub struct Kernel {
    axes: IndexVec<AxisId, Axis>,
    /// The axes, outermost first.
    nest: Vec<AxisId>,
    /// The number of axes at the top.
    top: usize,
    /// The position of each loop.
    positions: IndexVec<LoopId, Vec<(AxisId, u64)>>,
    masks: Vec<Mask>,
    reduction: Option<Reduction>,
    has_locals: bool,
    is_first: bool,
}

impl Kernel {
    /// Returns the axes of an operation before any optimisation: an extent and a kind, `LOOP` or `REDUCE`, for each loop.
    #[must_use]
    pub fn new(loops: &[(u64, AxisType)], reduction: Option<Reduction>) -> Self {
        let mut kernel = Self {
            axes: IndexVec::new(),
            nest: Vec::new(),
            top: 0,
            positions: IndexVec::new(),
            masks: Vec::new(),
            reduction,
            has_locals: true,
            is_first: true,
        };
        for (extent, kind) in loops {
            let loop_id = LoopId::of(kernel.positions.len());
            let axis = kernel.axes.push(Axis {
                extent: *extent,
                kind: *kind,
                loop_id,
                step: 1,
            });
            kernel.nest.push(axis);
            kernel.positions.push(vec![(axis, 1)]);
        }
        kernel
    }

    /// Returns the axes.
    #[must_use]
    pub fn axes(&self) -> &IndexVec<AxisId, Axis> {
        &self.axes
    }

    /// Returns the axes of the nest, outermost first.
    #[must_use]
    pub fn nest(&self) -> &[AxisId] {
        &self.nest
    }

    /// Returns the position of each loop: axes times steps, the largest step first.
    #[must_use]
    pub fn positions(&self) -> &IndexVec<LoopId, Vec<(AxisId, u64)>> {
        &self.positions
    }

    /// Returns the masks of the original positions of padded axes.
    #[must_use]
    pub fn masks(&self) -> &[Mask] {
        &self.masks
    }

    /// Returns the sum that is the row-major position of all loops in a tensor of these extents, as text.
    #[must_use]
    pub fn index(&self, extents: &[u64]) -> String {
        let mut terms = Vec::new();
        for (loop_id, position) in self.positions.iter() {
            let inner_extent: u64 = extents[loop_id.position() + 1..].iter().product();
            let sum = sum(position);
            terms.push(match (inner_extent, position.len()) {
                (1, _) => sum,
                (_, 1) => format!("{sum}*{inner_extent}"),
                _ => format!("({sum})*{inner_extent}"),
            });
        }
        terms.join(" + ")
    }

    /// Applies an optimisation after the ones that have been applied.
    ///
    /// # Errors
    /// It is not legal: U38 to U43.
    pub fn apply(&mut self, opt: Opt) -> Result<(), Broken> {
        let is_first = std::mem::replace(&mut self.is_first, false);
        match opt {
            Opt::Split {
                axis,
                by,
                to,
                place,
            } => self.split(self.axis(axis)?, by, to, place),
            Opt::Padto { axis, multiple } => self.pad(self.axis(axis)?, multiple),
            Opt::Swap { axis, with } => self.swap(self.axis(axis)?, self.axis(with)?),
            Opt::Nolocals => {
                let local = self.axes.iter().find(|(_, axis)| is_local(axis.kind));
                check(43, local.is_none(), || {
                    let (id, axis) = local.expect("there is one");
                    let kind = axis.kind.name();
                    format!("Nolocals comes after the split that made axis {id} {kind}")
                })?;
                self.has_locals = false;
                Ok(())
            }
            Opt::TensorCore { reduce } => {
                check(43, is_first, || {
                    "a tensor core comes first, before every other optimisation".to_owned()
                })?;
                let reductions = self.axes.iter();
                let count = reductions.filter(|(_, axis)| axis.kind == AxisType::Reduce);
                let count = count.count();
                check(38, reduce < count as u64, || {
                    format!("there is no reduction {reduce} of {count}")
                })
            }
        }
    }

    fn axis(&self, number: u64) -> Result<AxisId, Broken> {
        let count = self.axes.len();
        check(38, number < count as u64, || {
            format!("there is no axis {number} of {count}")
        })?;
        Ok(AxisId::of(
            usize::try_from(number).expect("it is below a length"),
        ))
    }

    fn split(&mut self, id: AxisId, by: u64, to: AxisType, place: Place) -> Result<(), Broken> {
        let axis = self.axes[id];
        check(39, by != 0 && axis.extent.is_multiple_of(by), || match by {
            0 => format!("axis {id} of {} positions is split by 0", axis.extent),
            _ => format!(
                "{by} does not divide the {} positions of axis {id}; pad it to a multiple first",
                axis.extent
            ),
        })?;
        allowed(axis.kind, to, place)?;
        check(43, self.has_locals || !is_local(to), || {
            format!("a split to {} comes after Nolocals", to.name())
        })?;
        let rest = axis.extent / by;
        // The step of the axis, and of the new one, in steps that the axis had.
        let (stride, other) = match place {
            Place::Inner => (by, 1),
            Place::Top => (1, rest),
        };
        self.axes[id] = Axis {
            extent: rest,
            step: axis.step * stride,
            ..axis
        };
        let new = self.axes.push(Axis {
            extent: by,
            kind: to,
            loop_id: axis.loop_id,
            step: axis.step * other,
        });
        let sums = (0..self.positions.len()).map(LoopId::of);
        for loop_id in sums {
            substitute(&mut self.positions[loop_id], id, stride, (new, other));
        }
        for mask in &mut self.masks {
            substitute(&mut mask.position, id, stride, (new, other));
        }
        let at = self.place(id);
        if place == Place::Top || at < self.top {
            self.top += 1;
        }
        self.nest.insert(
            match place {
                Place::Inner => at + 1,
                // Around the split loop, or inside of all outer loops.
                Place::Top => at.min(self.top - 1),
            },
            new,
        );
        Ok(())
    }

    fn pad(&mut self, id: AxisId, multiple: u64) -> Result<(), Broken> {
        let axis = self.axes[id];
        check(41, multiple != 0, || {
            format!(
                "axis {id} of {} positions is padded to a multiple of 0",
                axis.extent
            )
        })?;
        let fill = self.fill(id)?;
        let extent = axis.extent.checked_next_multiple_of(multiple);
        let is_below = extent.filter(|extent| {
            let most = axis.extent.saturating_mul(4);
            *extent == axis.extent || *extent < most
        });
        let extent = is_below.ok_or_else(|| {
            let reason = format!(
                "axis {id} of {} positions would be padded to at least 4 times its size for a multiple of {multiple}",
                axis.extent
            );
            Broken::new(41, reason)
        })?;
        if extent == axis.extent {
            return Ok(());
        }
        self.masks.push(Mask {
            position: vec![(id, 1)],
            below: axis.extent,
            fill,
        });
        self.axes[id].extent = extent;
        Ok(())
    }

    /// Returns the element that an axis may be padded with.
    fn fill(&self, id: AxisId) -> Result<Fill, Broken> {
        let kind = self.axes[id].kind;
        if !self.is_reduced(id) {
            return Ok(Fill::Zero);
        }
        let reduction = self.reduction.expect("an axis is reduced");
        let combine = reduction.combine.map_or("another one", |combine| {
            let op = combine.elementwise();
            op.name()
        });
        let refused = |reason: &str| {
            let kind = kind.name();
            let reason =
                format!("{kind} axis {id} is not padded: its reduction is {combine}, {reason}");
            Err(Broken::new(41, reason))
        };
        match (reduction.combine, reduction.term) {
            (Some(Combine::Add), Term::Element | Term::KeepsZero) => Ok(Fill::Zero),
            (Some(Combine::Add), Term::Other) => {
                refused("of terms that are not 0 where elements are 0")
            }
            (Some(Combine::Max), Term::Element) => Ok(Fill::Least),
            (Some(Combine::Max), _) => {
                refused("of terms that are not the least where elements are the least")
            }
            (Some(Combine::Mul) | None, _) => refused("and nothing is known that it skips"),
        }
    }

    /// Returns whether an axis is a part of a reduction.
    fn is_reduced(&self, id: AxisId) -> bool {
        // The first axes are the loops, each with its number.
        let axis_id = AxisId::of(self.axes[id].loop_id.position());
        self.axes[axis_id].kind == AxisType::Reduce
    }

    fn swap(&mut self, axis: AxisId, with: AxisId) -> Result<(), Broken> {
        check(38, axis != with, || {
            format!("axis {axis} is swapped with itself")
        })?;
        let kinds = [self.axes[axis].kind, self.axes[with].kind];
        let have_order = matches!(
            kinds,
            [AxisType::Loop, AxisType::Loop] | [AxisType::Global, AxisType::Global]
        );
        check(42, have_order, || {
            let [one, other] = kinds.map(AxisType::name);
            format!(
                "{one} axis {axis} and {other} axis {with} cannot be swapped; only two LOOP axes or two GLOBAL axes can"
            )
        })?;
        let (one, other) = (self.place(axis), self.place(with));
        self.nest.swap(one, other);
        Ok(())
    }

    /// Returns the place of an axis in the nest.
    fn place(&self, axis: AxisId) -> usize {
        let place = self.nest.iter().position(|axis_id| *axis_id == axis);
        place.expect("every axis is in the nest")
    }
}

/// Replaces an axis of a sum by its parts.
fn substitute(
    sum: &mut Vec<(AxisId, u64)>,
    id: AxisId,
    old_step: u64,
    (new, other): (AxisId, u64),
) {
    let Some(at) = sum.iter().position(|(axis, _)| *axis == id) else {
        return;
    };
    let step = sum[at].1;
    sum[at].1 = step * old_step;
    let place = if other > old_step { at } else { at + 1 };
    sum.insert(place, (new, step * other));
}

/// Returns whether an axis is over threads that share memory.
fn is_local(kind: AxisType) -> bool {
    matches!(kind, AxisType::Local | AxisType::GroupReduce)
}

/// Checks that a split of an axis of kind `from` may have a new axis of kind `to` at the given place.
fn allowed(from: AxisType, to: AxisType, place: Place) -> Result<(), Broken> {
    use AxisType as A;
    let (sources, places): (&[A], &[Place]) = match to {
        A::Local => (&[A::Global, A::Loop], &[Place::Inner]),
        A::Thread => (&[A::Global, A::Loop], &[Place::Top]),
        A::GroupReduce => (&[A::Reduce], &[Place::Inner, Place::Top]),
        A::Upcast => (&[A::Global, A::Local, A::Loop], &[Place::Inner]),
        A::Unroll => (&[A::Reduce, A::GroupReduce], &[Place::Inner]),
        // The table of tinyspec does not have these splits.
        A::Loop | A::Global => (&[A::Loop], &[Place::Top]),
        A::Reduce => (&[A::Reduce], &[Place::Top]),
        A::Warp => (&[], &[]),
    };
    check(40, to != A::Warp, || {
        "a split does not make WARP; a tensor core does".to_owned()
    })?;
    check(40, sources.contains(&from), || {
        let names: Vec<&str> = sources.iter().map(|source| source.name()).collect();
        let (from, to) = (from.name(), to.name());
        format!(
            "{to} is not split from {from}, but from {}",
            names.join(" or ")
        )
    })?;
    check(40, places.contains(&place), || {
        let (to, place) = (to.name(), place.name());
        let other = match places[0] {
            Place::Inner => "inner",
            Place::Top => "top",
        };
        format!("a split to {to} must be {other}, got {place}")
    })
}

/// Returns a sum of axes times steps as text.
fn sum(position: &[(AxisId, u64)]) -> String {
    let terms: Vec<String> = position
        .iter()
        .map(|(axis, step)| match step {
            1 => axis.to_string(),
            _ => format!("{axis}*{step}"),
        })
        .collect();
    terms.join(" + ")
}

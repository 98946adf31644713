//! Contents of tensors: which instance has written each element, or which argument or constant it is.
//!
//! A value of the program is a tensor at one time, so what its elements are is a function of its definition: windows,
//! views and moves are compositions of relations, an insertion is a union, and a tensor that a loop carries is what the
//! last iteration before has inserted, `lexmax { [t, i, e] -> [t, i', e] : i' < i }` on what one iteration writes. That
//! is a closed form, so nothing is iterated to a fixed point. A carried tensor that is computed from itself reads the
//! instances of the iteration before; only where these are moves again, it stays a source of its own.

mod pieces;
mod selection;
mod space;

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use spyre_isl::Relation;

pub(crate) use pieces::{Pieces, Source};
pub(crate) use space::Space;
use space::{counters, elements};

use crate::claim::Reason;
use crate::expr::{Atom, Expr, Ranges, Var};
use crate::program::{Access, Def, LoopId, Program, StatementId, ValueId};
use crate::sets::Constraint;

/// The contents of the tensors of a program, each computed once.
#[derive(Debug)]
pub(crate) struct Contents<'p> {
    /// The program, and where its sets live.
    pub space: Space<'p>,
    of: Vec<Option<Rc<Pieces>>>,
    windows: Vec<Vec<Option<Windows>>>,
    /// Carried tensors whose contents are being computed, to find those that are moved from themselves.
    active: FxHashSet<(LoopId, usize)>,
    opaque: FxHashSet<(LoopId, usize)>,
}

/// What one iteration of a loop inserts into a tensor that the loop carries; `None` if it does more than insert.
type Windows = Option<Rc<Pieces>>;

impl<'p> Contents<'p> {
    /// Returns the contents of a program. Tensors of `opaque` that loops carry are sources of their own.
    #[must_use]
    pub(crate) fn new(space: Space<'p>, opaque: FxHashSet<(LoopId, usize)>) -> Self {
        let carried = space.program.loops.iter();
        Self {
            of: vec![None; space.program.values.len()],
            windows: carried.map(|of| vec![None; of.carried.len()]).collect(),
            space,
            active: FxHashSet::default(),
            opaque,
        }
    }

    /// Returns the sources of the elements of a tensor: pieces from the counters of its loops, and the element.
    ///
    /// # Errors
    /// A number is too large, or the budget of the solver.
    pub(crate) fn of(&mut self, value: ValueId) -> Result<Rc<Pieces>, Reason> {
        if let Some(pieces) = &self.of[value.index()] {
            return Ok(Rc::clone(pieces));
        }
        let pieces = Rc::new(self.computed(value)?);
        self.of[value.index()] = Some(Rc::clone(&pieces));
        Ok(pieces)
    }

    /// Returns the sources of the elements of a tensor if [`Self::of`] has computed them.
    #[must_use]
    pub(crate) fn cached(&self, value: ValueId) -> Option<&Pieces> {
        self.of[value.index()].as_deref()
    }

    /// Returns the sources of what an operation reads or writes at each instance.
    ///
    /// # Errors
    /// A number is too large, or the budget of the solver.
    pub(crate) fn read(
        &mut self,
        statement: StatementId,
        access: &Access,
    ) -> Result<Pieces, Reason> {
        let contents = self.of(access.value)?;
        contents.after(&self.space.access(statement, access)?)
    }

    fn computed(&mut self, value: ValueId) -> Result<Pieces, Reason> {
        let program = self.space.program;
        let of = program.value(value);
        let rank = of.shape.len();
        let coordinates = || elements(rank).into_iter().map(Expr::from);
        let own = |this: &Self, source, with: &[LoopId]| {
            let outs: Vec<_> = counters(with).chain(coordinates()).collect();
            Ok(Pieces::one(
                source,
                this.space.of_value(value, Vec::new(), outs)?,
            ))
        };
        let bare = |this: &Self, source| {
            Ok(Pieces::one(
                source,
                this.space.of_value(value, Vec::new(), [])?,
            ))
        };
        match &of.def {
            Def::Argument(number) => own(self, Source::Argument(*number), &[]),
            Def::Constant(name) => {
                if let Some(regions) = program.constants.get(name) {
                    return self.regions(value, regions);
                }
                let name: Arc<str> = format!("{name} {}", of.element).into();
                if is_number(&name) {
                    bare(self, Source::Number(name))
                } else {
                    own(self, Source::Constant(name), &[])
                }
            }
            Def::Empty => bare(self, Source::Undefined),
            Def::Opaque(_) => bare(self, Source::Opaque(value)),
            Def::Result(statement) => match self.moved(*statement, value)? {
                Some((relation, source)) => self.of(source)?.after(&relation),
                None => {
                    let results = &program.statement(*statement).results;
                    let at = results.iter().position(|result| result.value == value);
                    let at = at.expect("a statement lists its results");
                    let itself = own(self, Source::Result(*statement, at), &of.loops)?;
                    self.selected(*statement, value, itself)
                }
            },
            Def::Slice {
                source,
                offsets,
                dims,
            } => {
                let index = dims.iter().zip(offsets).map(|(dim, offset)| match dim {
                    Some(dim) => offset.plus(&element(*dim)),
                    None => offset.clone(),
                });
                let outs: Vec<_> = counters(&program.value(*source).loops)
                    .chain(index)
                    .collect();
                let relation = self.space.of_value(value, Vec::new(), outs)?;
                self.of(*source)?.after(&relation)
            }
            Def::View { source, index } => {
                let ranges = self.element_ranges(value);
                let index = index.iter().map(|index| index.simplified(&ranges));
                let outs: Vec<_> = counters(&program.value(*source).loops)
                    .chain(index)
                    .collect();
                let relation = self.space.of_value(value, Vec::new(), outs)?;
                self.of(*source)?.after(&relation)
            }
            Def::Insert { tile, into, .. } => {
                let window = self.window(value)?;
                let mut pieces = self.of(*tile)?.after(&window)?;
                let rest = self.lifted(*into, value)?.outside(&window.domain()?)?;
                pieces.merge(rest)?;
                pieces.coalesced()
            }
            Def::Carried(id, at) => self.carried(value, *id, *at),
            Def::LoopResult(id, at) => self.loop_result(value, *id, *at),
        }
    }

    /// Returns the sources of a tensor as elements of `like`, which has its shape and may be inside of more loops.
    ///
    /// # Errors
    /// A number is too large, or the budget of the solver.
    pub(crate) fn lifted(&mut self, value: ValueId, like: ValueId) -> Result<Pieces, Reason> {
        let program = self.space.program;
        let contents = self.of(value)?;
        let (from, to) = (program.value(value), program.value(like));
        if from.loops == to.loops {
            return Ok((*contents).clone());
        }
        let coordinates = elements(from.shape.len()).into_iter().map(Expr::from);
        let outs: Vec<_> = counters(&from.loops).chain(coordinates).collect();
        contents.after(&self.space.of_value(like, Vec::new(), outs)?)
    }

    /// Returns the operand of an operation that moves elements, and the relation from the elements of the result.
    fn moved(
        &self,
        statement: StatementId,
        value: ValueId,
    ) -> Result<Option<(Relation, ValueId)>, Reason> {
        let of = self.space.program.statement(statement);
        let (true, [operand], [result]) = (of.is_move, &of.operands[..], &of.results[..]) else {
            return Ok(None);
        };
        debug_assert_eq!(result.value, value, "a move has one result");
        let relation = self.to_operand(statement, operand)?;
        Ok(Some((relation, operand.value)))
    }

    /// Returns the relation from the elements of the first result of an operation to those of an operand at the same
    /// points.
    fn to_operand(&self, statement: StatementId, operand: &Access) -> Result<Relation, Reason> {
        let program = self.space.program;
        let of = program.statement(statement);
        let result = &of.results[0];
        if Space::is_plain(of, result) {
            let index = operand.index.iter().map(|index| {
                index.substituted(&|var| match var {
                    Var::Point(at) => Some(Var::Element(at).into()),
                    _ => None,
                })
            });
            let outs = counters(&program.value(operand.value).loops).chain(index);
            let outs: Vec<_> = outs.collect();
            return self.space.of_value(result.value, Vec::new(), outs);
        }
        let back = self.space.access(statement, result)?.reverse()?;
        Ok(back.then(&self.space.access(statement, operand)?)?)
    }

    /// Returns the relation from the elements of an insertion that are in the window to those of the window.
    fn window(&self, value: ValueId) -> Result<Relation, Reason> {
        let program = self.space.program;
        let Def::Insert {
            tile,
            offsets,
            dims,
            ..
        } = &program.value(value).def
        else {
            unreachable!("called for insertions");
        };
        let tile = program.value(*tile);
        let mut index = vec![Expr::zero(); tile.shape.len()];
        let mut conditions = Vec::new();
        for (at, (offset, dim)) in offsets.iter().zip(dims).enumerate() {
            let position = element(at).minus(offset);
            match dim {
                Some(dim) => {
                    let extent = program.extent(tile.shape[*dim]);
                    conditions.extend(Constraint::inside(&position, &extent));
                    index[*dim] = position;
                }
                None => conditions.push(Constraint::Zero(position)),
            }
        }
        let outs: Vec<_> = counters(&tile.loops).chain(index).collect();
        self.space.of_value(value, conditions, outs)
    }

    fn element_ranges(&self, value: ValueId) -> Ranges {
        let value = self.space.program.value(value);
        let mut ranges = self.space.program.ranges(&value.loops, None);
        for (var, extent) in elements(value.shape.len()).into_iter().zip(&value.shape) {
            ranges.set(var, 0, (self.space.program.largest(*extent) - 1).max(0));
        }
        ranges
    }
}

/// # Tensors that loops carry
impl Contents<'_> {
    /// Returns the sources of a carried tensor in an iteration.
    fn carried(&mut self, value: ValueId, id: LoopId, at: usize) -> Result<Pieces, Reason> {
        let carried = self.space.program.of_loop(id).carried[at];
        if let Some(windows) = self.windows(id, at)? {
            let earlier = |counter: &Expr, other: &Expr| {
                Constraint::NonNegative(counter.minus(other).plus(&(-1).into()))
            };
            return self.last_written(value, (id, at), &windows, |other| {
                vec![
                    Constraint::NonNegative(other.clone()),
                    earlier(&Var::Counter(id).into(), other),
                ]
            });
        }
        let stays = self.opaque.contains(&(id, at)) || !self.active.insert((id, at));
        if !stays {
            let [first, later] = self.steps(id, at)?;
            let yielded = self.of(carried.yielded)?;
            self.active.remove(&(id, at));
            let itself = Source::Carried(id, at);
            if !yielded.sources().any(|source| *source == itself) {
                let mut pieces = self.of(carried.init)?.after(&first)?;
                pieces.merge(yielded.after(&later)?)?;
                return Ok(pieces);
            }
        }
        let of = self.space.program.value(value);
        let coordinates = elements(of.shape.len()).into_iter().map(Expr::from);
        let outs: Vec<_> = counters(&of.loops).chain(coordinates).collect();
        let relation = self.space.of_value(value, Vec::new(), outs)?;
        Ok(Pieces::one(Source::Carried(id, at), relation))
    }

    /// Returns the relations from the elements of a carried tensor to what they are: those of the tensor before the loop
    /// in the first iteration, and of what the iteration before yields in the others.
    ///
    /// # Errors
    /// A number is too large, or the budget of the solver.
    pub(crate) fn steps(&self, id: LoopId, at: usize) -> Result<[Relation; 2], Reason> {
        let program = self.space.program;
        let carried = program.of_loop(id).carried[at];
        let rank = program.value(carried.argument).shape.len();
        let coordinates = || elements(rank).into_iter().map(Expr::from);
        let counter = Expr::from(Var::Counter(id));
        let previous = counter.plus(&(-1).into());
        let outs = counters(&program.value(carried.init).loops).chain(coordinates());
        let first = vec![Constraint::Zero(counter)];
        let first = self.space.of_value(carried.argument, first, outs)?;
        let loops = program.value(carried.yielded).loops.iter();
        let outs = loops.map(|other| match *other == id {
            true => previous.clone(),
            false => Var::Counter(*other).into(),
        });
        let outs: Vec<_> = outs.chain(coordinates()).collect();
        let later = vec![Constraint::NonNegative(previous.clone())];
        let later = self.space.of_value(carried.argument, later, outs)?;
        Ok([first, later])
    }

    /// Returns the sources of a carried tensor after the loop.
    fn loop_result(&mut self, value: ValueId, id: LoopId, at: usize) -> Result<Pieces, Reason> {
        let program = self.space.program;
        let carried = program.of_loop(id).carried[at];
        if let Some(windows) = self.windows(id, at)? {
            let all = program.counter_conditions(id);
            return self.last_written(value, (id, at), &windows, move |other| {
                let at_other = |var| (var == Var::Counter(id)).then(|| other.clone());
                let all = all.iter();
                all.map(|condition| condition.map(|expr| expr.substituted(&at_other)))
                    .collect()
            });
        }
        let last = self.last(value, id, &program.value(carried.yielded).loops)?;
        let mut pieces = self.of(carried.yielded)?.after(&last)?;
        // The tensor before the loop, where a dynamic extent has no iteration.
        if program.trips(id).is_none_or(|trips| trips == 0) {
            let rest = self.lifted(carried.init, value)?.outside(&last.domain()?)?;
            pieces.merge(rest)?;
        }
        Ok(pieces)
    }

    /// Returns the relation from the elements of a tensor after a loop to those of the last iteration, in `loops`,
    /// which has at most the loops around and the loop.
    fn last(&self, value: ValueId, id: LoopId, loops: &[LoopId]) -> Result<Relation, Reason> {
        let program = self.space.program;
        let of = program.value(value);
        let counter = Expr::from(Var::Counter(id));
        let step = program.of_loop(id).step;
        let mut conditions = self.space.element_conditions(&of.loops, &of.shape);
        conditions.extend(program.counter_conditions(id));
        let next = program.induction(id).plus(&step.into());
        let upper = program.extent(program.of_loop(id).upper);
        conditions.push(Constraint::NonNegative(next.minus(&upper)));
        // The counter is a column of the domain first, and is projected out: isl finds the quotient.
        let mut vars = self.space.element_vars(&of.loops, &of.shape);
        vars.push(Var::Counter(id));
        let coordinates = elements(of.shape.len()).into_iter().map(Expr::from);
        let outs = loops.iter().map(|other| match *other == id {
            true => counter.clone(),
            false => Var::Counter(*other).into(),
        });
        let outs: Vec<_> = outs.chain(coordinates).collect();
        let relation = self.space.relation(&vars, conditions, outs)?;
        Ok(relation.project_out_ins(vars.len() - 1, 1)?)
    }

    /// Returns the sources of a tensor that iterations insert into: of each element the last iteration that wrote it,
    /// among those that satisfy the conditions, and the tensor before the loop where there is none.
    fn last_written(
        &mut self,
        value: ValueId,
        (id, at): (LoopId, usize),
        windows: &Pieces,
        conditions: impl FnOnce(&Expr) -> Vec<Constraint>,
    ) -> Result<Pieces, Reason> {
        let program = self.space.program;
        let init = program.of_loop(id).carried[at].init;
        let Some(written) = windows.domain()? else {
            return self.lifted(init, value);
        };
        let of = program.value(value);
        let iteration = Var::Out(u32::MAX);
        let mut vars = self.space.element_vars(&of.loops, &of.shape);
        vars.push(iteration);
        let mut all = self.space.element_conditions(&of.loops, &of.shape);
        all.extend(conditions(&iteration.into()));
        let parents = of.loops.iter().filter(|other| **other != id);
        let outs = parents.map(|other| Expr::from(Var::Counter(*other)));
        let coordinates = elements(of.shape.len()).into_iter().map(Expr::from);
        let outs: Vec<_> = outs.chain([iteration.into()]).chain(coordinates).collect();
        let relation = self.space.relation(&vars, all, outs)?;
        let relation = relation.project_out_ins(vars.len() - 1, 1)?;
        let relation = relation.restrict_range(&written.coalesce()?)?;
        let carried = program.of_loop(id).carried[at];
        let last = match is_once(program, carried.yielded, carried.argument, id) {
            true => relation,
            false => relation.lexmax()?,
        };
        let mut pieces = windows.after(&last)?;
        let rest = self.lifted(init, value)?.outside(&last.domain()?)?;
        pieces.merge(rest)?;
        pieces.coalesced()
    }

    /// Returns what one iteration inserts into a carried tensor: pieces from counters and element.
    ///
    /// # Errors
    /// A number is too large, or the budget of the solver.
    pub(crate) fn windows(&mut self, id: LoopId, at: usize) -> Result<Windows, Reason> {
        if let Some(windows) = &self.windows[id.index()][at] {
            return Ok(windows.clone());
        }
        let carried = self.space.program.of_loop(id).carried[at];
        // Contents of the windows may read the carried tensor itself, through moves.
        self.windows[id.index()][at] = Some(None);
        let windows = match is_inserted_into(self.space.program, carried.yielded, carried.argument)
        {
            true => Some(Rc::new(self.inserted(carried.yielded, carried.argument)?)),
            false => None,
        };
        self.windows[id.index()][at] = Some(windows.clone());
        Ok(windows)
    }

    /// Returns the windows of a tensor that [`is_inserted_into`] holds for.
    fn inserted(&mut self, value: ValueId, argument: ValueId) -> Result<Pieces, Reason> {
        let program = self.space.program;
        match &program.value(value).def {
            _ if value == argument => Ok(Pieces::default()),
            Def::Insert { tile, into, .. } => {
                let window = self.window(value)?;
                let mut pieces = self.of(*tile)?.after(&window)?;
                let before = self.inserted(*into, argument)?;
                pieces.merge(before.outside(&window.domain()?)?)?;
                pieces.coalesced()
            }
            Def::LoopResult(id, at) => {
                let inner = program.of_loop(*id).carried[*at];
                let before = self.inserted(inner.init, argument)?;
                let windows = self.windows(*id, *at)?.expect("the inner loop inserts");
                self.last_of_loop(value, (*id, *at), &windows, before)
            }
            _ => unreachable!("checked before"),
        }
    }

    /// Returns the windows of an inner loop as those of an iteration of the outer one.
    fn last_of_loop(
        &self,
        value: ValueId,
        (id, at): (LoopId, usize),
        windows: &Pieces,
        before: Pieces,
    ) -> Result<Pieces, Reason> {
        let Some(written) = windows.domain()? else {
            return Ok(before);
        };
        let of = self.space.program.value(value);
        let mut vars = self.space.element_vars(&of.loops, &of.shape);
        vars.push(Var::Counter(id));
        let mut all = self.space.element_conditions(&of.loops, &of.shape);
        all.extend(self.space.program.counter_conditions(id));
        let outs = counters(&of.loops).chain([Var::Counter(id).into()]);
        let coordinates = elements(of.shape.len()).into_iter().map(Expr::from);
        let outs: Vec<_> = outs.chain(coordinates).collect();
        let relation = self.space.relation(&vars, all, outs)?;
        let relation = relation.project_out_ins(vars.len() - 1, 1)?;
        let relation = relation.restrict_range(&written)?;
        let carried = self.space.program.of_loop(id).carried[at];
        let last = match is_once(self.space.program, carried.yielded, carried.argument, id) {
            true => relation,
            false => relation.lexmax()?,
        };
        let mut pieces = windows.after(&last)?;
        pieces.merge(before.outside(&last.domain()?)?)?;
        pieces.coalesced()
    }
}

fn element(at: usize) -> Expr {
    Var::Element(u32::try_from(at).expect("fewer than 2^32 dimensions")).into()
}

/// Returns whether the name of a constant is that of a number: its bits.
fn is_number(name: &str) -> bool {
    let mut words = name.split(' ');
    let first = words.next().unwrap_or_default();
    first.starts_with("0x") || words.next().is_some_and(|word| word.starts_with("0x"))
}

/// Returns whether a tensor is `argument` with windows inserted, in loops or not.
pub(crate) fn is_inserted_into(program: &Program, value: ValueId, argument: ValueId) -> bool {
    match &program.value(value).def {
        _ if value == argument => true,
        Def::Insert { into, .. } => is_inserted_into(program, *into, argument),
        Def::LoopResult(id, at) => {
            let inner = program.of_loop(*id).carried[*at];
            is_inserted_into(program, inner.yielded, inner.argument)
                && is_inserted_into(program, inner.init, argument)
        }
        _ => false,
    }
}

/// Returns whether no two iterations of a loop insert in one place, by offsets and extents alone: along one dimension
/// the step of the loop is at least what one iteration covers. That is so for nearly all loops, and saves a `lexmax`.
pub(crate) fn is_once(program: &Program, value: ValueId, argument: ValueId, id: LoopId) -> bool {
    match &program.value(value).def {
        Def::LoopResult(inner, at) => {
            let carried = program.of_loop(*inner).carried[*at];
            carried.init == argument && is_once(program, carried.yielded, carried.argument, id)
        }
        Def::Insert {
            tile,
            into,
            offsets,
            dims,
        } if *into == argument => {
            let ranges = program.ranges(&program.value(value).loops, None);
            let shape = &program.value(*tile).shape;
            let mut sides = offsets.iter().zip(dims);
            sides.any(|(offset, dim)| {
                let extent = dim.map_or(1, |dim| program.largest(shape[dim]));
                let counter = Atom::Var(Var::Counter(id));
                let step = offset.terms().iter().find(|(atom, _)| *atom == counter);
                let step = step.map_or(0, |(_, step)| step.abs());
                let zero = |var| (var == Var::Counter(id)).then(Expr::zero);
                let rest = offset.substituted(&zero);
                let has_counter = |atom: &Atom| {
                    *atom != counter
                        && Expr::of_atom(atom.clone())
                            .vars()
                            .contains(&Var::Counter(id))
                };
                let is_linear = !offset.terms().iter().any(|(atom, _)| has_counter(atom));
                let covered = rest
                    .range(&ranges)
                    .and_then(|(least, greatest)| (greatest - least).checked_add(extent));
                // The other counters are those of inner loops, and of outer ones, which only make the range larger.
                is_linear && step > 0 && covered.is_some_and(|covered| covered <= step)
            })
        }
        _ => false,
    }
}

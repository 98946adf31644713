//! Gives the tensors of a rewritten program layouts and places, and divides its operations over cores.
//!
//! First all tensors are apart from each other, in random layouts, with random divisions. What the execution in memory
//! refuses there (starts that are no sticks, parts that another core needs) goes to a layout with a stick for each
//! element, to one core, or to the pool. Then a linear scan over the lives of the tensors gives them bytes again.

use std::collections::BTreeMap;

use spyre_layout::{Coord, Elements, Layout};
use spyre_proof::expr::Var;
use spyre_proof::program::{
    Def, Extent, Item, LoopId, Place, Program, Statement, StatementId, ValueId,
};

use crate::memory::{Limits, STICK, Wrong, faults};
use crate::random::Random;

/// Returns the planned program; `None` if it has no such plan, which is rare.
#[must_use]
pub fn plan(program: &Program, random: &mut Random, limits: Limits) -> Option<Program> {
    let mut planner = Planner {
        program: program.clone(),
        groups: Vec::new(),
        group_of: BTreeMap::new(),
        random,
    };
    planner.group()?;
    planner.choose();
    planner.repair()?;
    planner.scan(limits);
    Some(planner.program)
}

/// Tensors that have one place: an accumulator, and the sums that are stored to it.
#[derive(Debug)]
struct Group {
    members: Vec<ValueId>,
    is_fixed: bool,
    is_scratchpad: bool,
    /// The first and the last position in the text at which it is alive.
    life: (usize, usize),
}

struct Planner<'a> {
    program: Program,
    groups: Vec<Group>,
    group_of: BTreeMap<ValueId, usize>,
    random: &'a mut Random,
}

/// Returns the tensor in which the elements of a value are.
fn buffer(program: &Program, value: ValueId) -> ValueId {
    match program.value(value).def {
        Def::Slice { source, .. } | Def::View { source, .. } => buffer(program, source),
        Def::Insert { into, .. } => buffer(program, into),
        Def::Carried(id, at) | Def::LoopResult(id, at) => {
            buffer(program, program.of_loop(id).carried[at].init)
        }
        _ => value,
    }
}

impl Planner<'_> {
    /// Finds the tensors that have places, and those that share one.
    fn group(&mut self) -> Option<()> {
        let program = &mut self.program;
        for at in 0..program.values.len() {
            let Def::Insert { tile, .. } = program.values[at].def else {
                continue;
            };
            let root = buffer(program, tile);
            if program.values[root.index()].place == Some(Place::Window) {
                return None;
            }
            program.values[root.index()].place = Some(Place::Window);
        }
        for at in 0..program.values.len() {
            let value = &program.values[at];
            if value.place.is_none() && matches!(value.def, Def::Empty | Def::Result(_)) {
                self.group_of.insert(ValueId::new(at), self.groups.len());
                self.groups.push(Group {
                    members: vec![ValueId::new(at)],
                    is_fixed: false,
                    is_scratchpad: false,
                    life: (usize::MAX, 0),
                });
            }
        }
        for of_loop in &program.loops {
            for carried in &of_loop.carried {
                let (init, sum) = (
                    buffer(program, carried.init),
                    buffer(program, carried.yielded),
                );
                if init == sum {
                    continue;
                }
                let (into, from) = (*self.group_of.get(&init)?, *self.group_of.get(&sum)?);
                let members = std::mem::take(&mut self.groups[from].members);
                for member in &members {
                    self.group_of.insert(*member, into);
                }
                self.groups[into].members.extend(members);
            }
        }
        let arguments = program.values.iter();
        let arguments = arguments.filter(|value| matches!(value.def, Def::Argument(_)));
        let mut count = arguments.count();
        for value in &mut program.values {
            match value.def {
                Def::Argument(at) => value.place = Some(Place::Argument(at)),
                // Constants are arguments after those of the caller.
                Def::Constant(_) => {
                    let number = u32::try_from(count).expect("few arguments");
                    value.place = Some(Place::Argument(number));
                    count += 1;
                }
                _ => {}
            }
        }
        for (at, result) in program.results.clone().into_iter().enumerate() {
            let root = buffer(program, result);
            let group = &mut self.groups[*self.group_of.get(&root)?];
            if group.is_fixed {
                return None;
            }
            group.is_fixed = true;
            let number = u32::try_from(count + at).expect("few results");
            for member in &group.members {
                program.values[member.index()].place = Some(Place::Argument(number));
            }
        }
        Some(())
    }

    /// Chooses layouts, divisions and memories, with all tensors apart from each other.
    fn choose(&mut self) {
        let cores = self.random.pick(&[1, 2, 4, 4]);
        for at in 0..self.program.statements.len() {
            let statement = &self.program.statements[at];
            let split = divided(statement, cores, self.random);
            let statement = &mut self.program.statements[at];
            if self.random.once_in(3) {
                self.random.shuffle(&mut statement.digits);
            }
            statement.split = Some(split);
        }
        for at in 0..self.program.values.len() {
            let id = ValueId::new(at);
            let of_group = self.group_of.get(&id).map(|group| &self.groups[*group]);
            if of_group.is_some_and(|group| group.members[0] != id) {
                continue;
            }
            let value = &self.program.values[at];
            let layout = dense(value.shape.len(), value.width, self.random);
            for member in of_group.map_or(vec![id], |group| group.members.clone()) {
                self.program.values[member.index()].layout = Some(layout.clone());
            }
        }
        self.share_layouts();
        let mut start = 0;
        for at in 0..self.groups.len() {
            if self.groups[at].is_fixed || self.groups[at].members.is_empty() {
                continue;
            }
            // Sums in the scratchpad belong to one core: the tensor that they start with has no division.
            let is_single = self.groups[at].members.len() == 1;
            let of_group = self.program.value(self.groups[at].members[0]);
            let is_result = matches!(of_group.def, Def::Result(_));
            self.groups[at].is_scratchpad = is_single && !self.random.once_in(3);
            // Windows in the scratchpad are not modelled by the proof.
            if !is_result && !self.random.once_in(8) {
                self.groups[at].is_scratchpad = false;
            }
            self.place(at, start);
            start += self.bytes(at);
        }
    }

    /// Gives windows and carried tensors the layout of the tensor that they are made of, where it has the same rank.
    fn share_layouts(&mut self) {
        for at in 0..self.program.values.len() {
            let value = &self.program.values[at];
            let is_window = value.place == Some(Place::Window);
            if !matches!(
                value.def,
                Def::Slice { .. } | Def::Insert { .. } | Def::Carried(..) | Def::LoopResult(..)
            ) && !is_window
            {
                continue;
            }
            let source = match value.def {
                Def::Slice { source, .. } => source,
                Def::Insert { into, .. } => into,
                _ => ValueId::new(at),
            };
            let source = &self.program.values[buffer(&self.program, source).index()];
            if source.shape.len() == value.shape.len() {
                let layout = source.layout.clone();
                self.program.values[at].layout = layout;
            }
        }
    }

    fn place(&mut self, group: usize, start: i64) {
        let group = &self.groups[group];
        for member in &group.members {
            self.program.values[member.index()].place = Some(if group.is_scratchpad {
                Place::Scratchpad(start)
            } else {
                Place::Pool(start)
            });
        }
    }

    /// Returns the bytes of a group, for the largest part of a core.
    fn bytes(&self, group: usize) -> i64 {
        let id = self.groups[group].members[0];
        let value = self.program.value(id);
        let shape = value.shape.iter().map(|extent| fixed(*extent));
        let mut shape: Vec<_> = shape.collect();
        if let (true, Def::Result(writer)) = (self.groups[group].is_scratchpad, &value.def) {
            let writer = self.program.statement(*writer);
            let split = writer.split.iter().flatten();
            for (extent, cores) in shape.iter_mut().zip(split) {
                *extent /= cores;
            }
        }
        let shape: Vec<_> = shape.iter().map(|extent| extent.unsigned_abs()).collect();
        let layout = value.layout.as_ref().expect("layouts were chosen");
        let per_stick = Elements((STICK / value.width).unsigned_abs());
        let size = layout.device_size(&shape, per_stick).expect("it fits");
        size.into_iter().product::<u64>().cast_signed() * value.width
    }

    /// Removes what the execution refuses; `None` if faults are left.
    fn repair(&mut self) -> Option<()> {
        let all = Limits {
            scratchpad: i64::MAX,
            pool: i64::MAX,
        };
        for round in 0..6 {
            let found = faults(&self.program, &[], all, 4096);
            let mut found: Vec<_> = found
                .into_iter()
                .filter(|fault| !fault.wrong.is_harmless() || fault.wrong == Wrong::DividedStick)
                .collect();
            if found.is_empty() {
                return Some(());
            }
            if found.iter().any(|fault| fault.wrong == Wrong::OtherCore) {
                found.retain(|fault| fault.wrong == Wrong::OtherCore);
            }
            for fault in found {
                let statement = fault.instance.as_ref().map(|at| at.statement);
                match (fault.wrong, statement) {
                    (Wrong::OtherCore, _) => self.leave_scratchpad(fault.buffer),
                    (Wrong::DividedStick, Some(statement)) => self.undivide(statement),
                    (Wrong::Unaligned, Some(statement))
                        if round < 2 && fault.core > 0 && self.random.once_in(2) =>
                    {
                        self.undivide(statement);
                    }
                    (Wrong::Unaligned, _) => self.spread(fault.buffer),
                    // The rest of a stick that a window ends in.
                    (Wrong::Overwritten, None) => self.spread(fault.buffer),
                    (_, Some(statement)) => {
                        self.leave_scratchpad(fault.buffer);
                        self.undivide(statement);
                    }
                    _ => return None,
                }
            }
            self.share_layouts();
            let mut start = 0;
            for at in 0..self.groups.len() {
                if !self.groups[at].is_fixed && !self.groups[at].members.is_empty() {
                    self.place(at, start);
                    start += self.bytes(at);
                }
            }
        }
        None
    }

    fn leave_scratchpad(&mut self, buffer: ValueId) {
        if let Some(group) = self.group_of.get(&buffer) {
            self.groups[*group].is_scratchpad = false;
        }
    }

    fn undivide(&mut self, statement: StatementId) {
        let statement = &mut self.program.statements[statement.index()];
        statement.split = Some(vec![1; statement.space.len()]);
    }

    /// Gives each element of a tensor a stick.
    fn spread(&mut self, buffer: ValueId) {
        let group = self.group_of.get(&buffer);
        let members = group.map_or(vec![buffer], |at| self.groups[*at].members.clone());
        for member in members {
            let value = &mut self.program.values[member.index()];
            value.layout = Some(sparse(value.shape.len()));
        }
    }

    /// Gives tensors the first bytes that no other live one has.
    fn scan(&mut self, limits: Limits) {
        let mut positions = Positions::default();
        positions.number(&self.program, &self.program.body);
        let mut windows = BTreeMap::new();
        for (at, value) in self.program.values.iter().enumerate() {
            if let Def::Insert { tile, .. } = value.def {
                windows.insert(buffer(&self.program, tile), ValueId::new(at));
            }
        }
        for (at, statement) in self.program.statements.iter().enumerate() {
            for access in statement.operands.iter().chain(&statement.results) {
                let mut root = buffer(&self.program, access.value);
                while let Some(insert) = windows.get(&root) {
                    root = buffer(&self.program, *insert);
                }
                let Some(group) = self.group_of.get(&root) else {
                    continue;
                };
                let of_root = &self.program.value(root).loops;
                let outer = statement.loops.iter().find(|id| !of_root.contains(id));
                let at = positions.statements[&StatementId::new(at)];
                let (first, last) = outer.map_or((at, at), |id| positions.loops[id]);
                let life = &mut self.groups[*group].life;
                *life = (life.0.min(first), life.1.max(last));
            }
        }
        let mut order: Vec<_> = (0..self.groups.len())
            .filter(|at| !self.groups[*at].members.is_empty() && !self.groups[*at].is_fixed)
            .collect();
        order.sort_by_key(|at| self.groups[*at].life);
        let mut placed: Vec<(usize, i64, i64)> = Vec::new();
        for at in order {
            let bytes = self.bytes(at);
            let limit = if self.groups[at].is_scratchpad {
                limits.scratchpad
            } else {
                limits.pool
            };
            let preferred = self.in_place(at, &placed, &positions);
            let mut start = 0;
            if let Some((_, of_operand)) = preferred {
                start = of_operand;
            } else if self.random.once_in(4) {
                start = STICK * self.random.from_to(0, 3);
            }
            loop {
                let meets = placed.iter().find(|(other, first, end)| {
                    let (a, b) = (&self.groups[at], &self.groups[*other]);
                    a.is_scratchpad == b.is_scratchpad
                        && a.life.0 <= b.life.1
                        && b.life.0 <= a.life.1
                        && *first < start + bytes
                        && start < *end
                        && preferred.is_none_or(|(operand, _)| operand != *other)
                });
                match meets {
                    Some((.., end)) => start = *end,
                    None => break,
                }
            }
            assert!(start + bytes <= limit, "small programs fit the memories");
            self.place(at, start);
            placed.push((at, start, start + bytes));
        }
    }

    /// Returns the operand whose place a result can have, with that place: it is read for the last time, at the same
    /// points.
    fn in_place(
        &mut self,
        group: usize,
        placed: &[(usize, i64, i64)],
        positions: &Positions,
    ) -> Option<(usize, i64)> {
        let [result] = self.groups[group].members[..] else {
            return None;
        };
        let value = self.program.value(result);
        let Def::Result(id) = value.def else {
            return None;
        };
        let statement = self.program.statement(id);
        let at = positions.statements[&id];
        if statement.reduced > 0 || self.groups[group].life.0 != at {
            return None;
        }
        for access in &statement.operands {
            let operand = self.program.value(access.value);
            let Some(of_operand) = self.group_of.get(&access.value) else {
                continue;
            };
            let owner = &self.groups[*of_operand];
            let Def::Result(writer) = operand.def else {
                continue;
            };
            let is_identity = access.index == statement.results[0].index;
            let others = statement.operands.iter().filter(|other| {
                buffer(&self.program, other.value) == access.value && other.index != access.index
            });
            let is_same = operand.shape == value.shape
                && operand.layout == value.layout
                && operand.loops == value.loops
                && owner.is_scratchpad == self.groups[group].is_scratchpad
                && self.program.statement(writer).split == statement.split
                && self.program.statement(writer).digits == statement.digits;
            if is_identity && is_same && owner.life.1 == at && others.count() == 0 {
                let place = placed.iter().find(|(other, ..)| other == of_operand);
                if let Some((other, start, _)) = place {
                    return Some((*other, *start));
                }
            }
        }
        None
    }
}

/// The positions of statements and loops in the text.
#[derive(Default)]
struct Positions {
    next: usize,
    statements: BTreeMap<StatementId, usize>,
    loops: BTreeMap<LoopId, (usize, usize)>,
}

impl Positions {
    fn number(&mut self, program: &Program, body: &[Item]) {
        for item in body {
            self.next += 1;
            match *item {
                Item::Statement(id) => {
                    self.statements.insert(id, self.next);
                }
                Item::Loop(id) => {
                    let first = self.next;
                    self.number(program, &program.of_loop(id).body);
                    self.next += 1;
                    self.loops.insert(id, (first, self.next));
                }
            }
        }
    }
}

pub(crate) fn fixed(extent: Extent) -> i64 {
    match extent {
        Extent::Fixed(extent) => extent,
        Extent::Dynamic(_) => unreachable!("planned programs have no dynamic extents"),
    }
}

/// Returns a division of the space of a statement over at most `cores` cores.
fn divided(statement: &Statement, cores: i64, random: &mut Random) -> Vec<i64> {
    let mut split = vec![1; statement.space.len()];
    let mut left = cores;
    let mut dims: Vec<_> = (0..statement.kept()).collect();
    if random.once_in(3) {
        random.shuffle(&mut dims);
    }
    if random.once_in(8) {
        dims = (0..split.len()).collect();
    }
    for dim in dims {
        let extent = fixed(statement.space[dim]);
        let divisors = (1..=left.min(extent)).filter(|by| extent % by == 0 && left % by == 0);
        let most = divisors.max().unwrap_or(1);
        split[dim] = match random.below(6) {
            0 => 1,
            1..3 if most == 4 => 2,
            _ => most,
        };
        let reduced = &split[statement.kept()..];
        if reduced.iter().filter(|cores| **cores > 1).count() > 1 {
            // The card combines parts along one dimension.
            split[dim] = 1;
        }
        left /= split[dim];
    }
    split
}

/// Returns a layout with one dimension on the stick.
fn dense(rank: usize, width: i64, random: &mut Random) -> Layout {
    if rank == 0 {
        return sparse(rank);
    }
    let stick = if random.once_in(3) {
        random.below(rank)
    } else {
        rank - 1
    };
    let per_stick = (STICK / width).unsigned_abs();
    let mut coords: Vec<_> = (0..rank)
        .filter(|dim| *dim != stick)
        .map(Coord::dim)
        .collect();
    if random.once_in(3) {
        random.shuffle(&mut coords);
    }
    let at = random.below(coords.len() + 1);
    coords.insert(at, Coord::floor_div(stick, per_stick));
    coords.push(Coord::modulo(stick, per_stick));
    Layout::new(rank, coords).expect("each dimension is a number of two digits, or one")
}

/// Returns a layout with a stick for each element.
fn sparse(rank: usize) -> Layout {
    let dims = (0..rank).map(Coord::dim);
    let coords = dims.chain([Coord::Zero]).collect();
    Layout::new(rank, coords).expect("each dimension is one digit")
}

/// Returns the variable of an index, if it is one.
pub(crate) fn dim_of(expr: &spyre_proof::expr::Expr) -> Option<usize> {
    match expr.as_var() {
        Some(Var::Point(at)) => Some(at as usize),
        _ => None,
    }
}

//! Executes a program in memory: arrays of terms for each space and core.
//!
//! Tensors that are made of others (windows, views, insertions, carried tensors) have no place of their own: an element is
//! located in the buffer of the tensor that has one. In the scratchpad each core has the part of a tensor that it wrote,
//! with the layout at the shape of the part. A statement reads all points of all cores, then writes: a point whose result
//! is in the place of what another point reads is a race. A read that does not find its term is a fault of order, or of
//! place where another core has it.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use spyre_layout::{Coord, Elements, Layout};
use spyre_proof::expr::{Expr, Var};
use spyre_proof::program::{Access, Def, Place, Program, Statement, ValueId};

use crate::machine::{
    Array, Cell, Execution, Instance, Moment, Observer, execute, for_each_point, tile_element,
    view_element, window_element,
};
use crate::term::Terms;

/// The bytes of a stick.
pub const STICK: i64 = 128;

/// The sizes of the memories, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// What programs may use of the scratchpad of a core.
    pub scratchpad: i64,
    /// The pool of intermediates.
    pub pool: i64,
}

/// A memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// The tensor of an argument or a result.
    Argument(u32),
    /// The pool of intermediates.
    Pool,
    /// The scratchpad of a core.
    Scratchpad(i64),
}

/// What is wrong with an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Wrong {
    /// The memory does not hold the element: it is not written yet, or something else is there.
    Overwritten,
    /// Another point of the same execution writes what the point reads.
    Race,
    /// The element is outside of its buffer.
    Outside,
    /// The buffer does not fit its memory, or starts before it.
    Capacity,
    /// The first element of a core, or a buffer, does not start a stick.
    Unaligned,
    /// The element is in the scratchpad of another core.
    OtherCore,
    /// A result is not in its place of the list of arguments and results.
    ResultElsewhere,
    /// No element is lost, but the memory of a live tensor, padding included, overlaps that of a tensor that is written.
    Overlap,
    /// The term is there, but another write than that of the program by values stored it.
    OtherWriter,
}

impl Wrong {
    /// Returns whether the program may still compute what it should: a proof may tell such programs, but need not.
    #[must_use]
    pub const fn is_harmless(self) -> bool {
        matches!(self, Self::Overlap | Self::OtherWriter)
    }
}

/// A fault of an access.
#[derive(Clone, Debug)]
pub struct Fault {
    /// What is wrong.
    pub wrong: Wrong,
    /// The execution and the point; `None` for results at the end.
    pub instance: Option<Instance>,
    /// The core.
    pub core: i64,
    /// The number of the tensor: operands, then results.
    pub tensor: usize,
    /// The buffer.
    pub buffer: ValueId,
    /// Numbers that explain it.
    pub text: String,
}

/// Executes a program in memory, and returns the faults in the order of execution. There are at most `most`.
#[must_use]
pub fn faults(program: &Program, params: &[i64], limits: Limits, most: usize) -> Vec<Fault> {
    let mut terms = Terms::default();
    let mut memory = Memory::new(program, limits, most);
    memory.store_arguments(&mut terms, params);
    let values = execute(program, params, &mut terms, None, &mut memory);
    memory.check_results(&terms, &values.results, params);
    memory.find_overlaps();
    memory.faults
}

/// An element of a buffer: its tensor, and the position in it.
struct Located {
    buffer: ValueId,
    element: Vec<i64>,
}

/// One access to a buffer as a whole, for the lives of buffers.
struct Touch {
    time: usize,
    buffer: ValueId,
    counters: Vec<i64>,
    is_write: bool,
    is_scratchpad: bool,
    start: i64,
    end: i64,
}

struct Memory<'a> {
    program: &'a Program,
    limits: Limits,
    most: usize,
    windows: FxHashMap<ValueId, ValueId>,
    cells: FxHashMap<(Space, i64), (Cell, i64)>,
    faults: Vec<Fault>,
    touches: Vec<Touch>,
    time: usize,
}

impl<'a> Memory<'a> {
    fn new(program: &'a Program, limits: Limits, most: usize) -> Self {
        let mut windows = FxHashMap::default();
        for (at, value) in program.values.iter().enumerate() {
            if let Def::Insert { tile, .. } = value.def {
                windows.insert(root(program, tile), ValueId::new(at));
            }
        }
        Self {
            program,
            limits,
            most,
            windows,
            cells: FxHashMap::default(),
            faults: Vec::new(),
            touches: Vec::new(),
            time: 0,
        }
    }

    fn add(&mut self, fault: Fault) {
        if self.faults.len() < self.most {
            self.faults.push(fault);
        }
    }

    /// Returns the buffer of an element; the element may be outside of it. `None` where no place is known.
    fn locate(&self, moment: &Moment, value: ValueId, element: &[i64]) -> Option<Located> {
        let of = self.program.value(value);
        let offsets = |offsets: &[Expr]| -> Vec<i64> {
            let offsets = offsets.iter();
            offsets.map(|expr| moment.eval(expr, |_| None)).collect()
        };
        match &of.def {
            Def::Slice {
                source,
                offsets: first,
                dims,
            } => {
                let element = window_element(&offsets(first), dims, element);
                self.locate(moment, *source, &element)
            }
            Def::View { source, index } => {
                let element = view_element(moment, index, element);
                self.locate(moment, *source, &element)
            }
            Def::Insert { into, .. } => self.locate(moment, *into, element),
            Def::Carried(id, at) | Def::LoopResult(id, at) => {
                let init = self.program.of_loop(*id).carried[*at].init;
                self.locate(moment, init, element)
            }
            Def::Argument(_) | Def::Constant(_) | Def::Empty | Def::Result(_) => match of.place {
                Some(Place::Window) => {
                    let insert = self.windows.get(&value)?;
                    let Def::Insert {
                        into,
                        offsets: first,
                        dims,
                        ..
                    } = &self.program.value(*insert).def
                    else {
                        unreachable!("windows lists insertions");
                    };
                    let element = window_element(&offsets(first), dims, element);
                    self.locate(moment, *into, &element)
                }
                Some(_) if of.layout.is_some() => Some(Located {
                    buffer: value,
                    element: element.to_vec(),
                }),
                _ => None,
            },
            Def::Opaque(_) => None,
        }
    }

    /// Returns the byte of an element of a buffer for a core, in the memory of the buffer.
    fn byte(
        &self,
        moment: &Moment,
        located: &Located,
        core: i64,
    ) -> Result<(Space, i64), (Wrong, String)> {
        let value = self.program.value(located.buffer);
        let mut shape = moment.shape(self.program, &value.shape);
        let mut element = located.element.clone();
        let is_inside =
            |shape: &[i64], element: &[i64]| crate::machine::linear(shape, element).is_some();
        if !is_inside(&shape, &element) {
            return Err((
                Wrong::Outside,
                format!("element {element:?} of a tensor of extents {shape:?}"),
            ));
        }
        let layout = value.layout.as_ref().expect("a located buffer has one");
        let (space, start) = match value.place.expect("a located buffer has one") {
            Place::Argument(at) => (Space::Argument(at), 0),
            Place::Pool(start) => (Space::Pool, start),
            Place::Scratchpad(start) => (Space::Scratchpad(core), start),
            Place::Window => unreachable!("windows are located in their tensors"),
        };
        if let (Space::Scratchpad(_), Def::Result(writer)) = (space, &value.def) {
            let writer = self.program.statement(*writer);
            let first = part_of_writer(writer, located.buffer, core, &mut shape);
            for (position, first) in element.iter_mut().zip(&first) {
                *position -= first;
            }
            if core >= writer.cores() || !is_inside(&shape, &element) {
                return Err((
                    Wrong::OtherCore,
                    format!("core {core} has {shape:?} from {first:?} on"),
                ));
            }
        }
        let position = byte_of_element(layout, &shape, &element, value.width);
        Ok((space, start + position))
    }

    /// Returns the bytes of a buffer: those of the part of a core in the scratchpad.
    fn size(&self, moment: &Moment, buffer: ValueId) -> i64 {
        let value = self.program.value(buffer);
        let mut shape = moment.shape(self.program, &value.shape);
        if let (Some(Place::Scratchpad(_)), Def::Result(writer)) = (value.place, &value.def) {
            part_of_writer(self.program.statement(*writer), buffer, 0, &mut shape);
        }
        let layout = value.layout.as_ref().expect("a located buffer has one");
        device_size(layout, &shape, value.width)
            .iter()
            .product::<i64>()
            * value.width
    }

    fn store_arguments(&mut self, terms: &mut Terms, params: &[i64]) {
        let moment = self.moment(params);
        for (at, value) in self.program.values.iter().enumerate() {
            let id = ValueId::new(at);
            let is_stored = matches!(value.def, Def::Argument(_) | Def::Constant(_));
            if !is_stored || value.place.is_none() || value.layout.is_none() {
                continue;
            }
            let shape = moment.shape(self.program, &value.shape);
            for_each_point(&shape, |element| {
                let term = terms.of(match &value.def {
                    Def::Argument(at) => crate::term::Node::Argument(*at, element.to_vec()),
                    Def::Constant(name) => crate::term::Node::Constant(name.clone()),
                    _ => unreachable!("only arguments and constants are stored"),
                });
                let located = Located {
                    buffer: id,
                    element: element.to_vec(),
                };
                if let Ok(address) = self.byte(&moment, &located, 0) {
                    self.store(address, value.width, Cell { term, source: 0 });
                }
            });
        }
    }

    fn moment(&self, params: &[i64]) -> Moment {
        Moment {
            counters: vec![0; self.program.loops.len()],
            params: params.to_vec(),
        }
    }

    /// Stores an element: each unit of four bytes knows the element, and its distance from the first.
    fn store(&mut self, (space, byte): (Space, i64), width: i64, cell: Cell) {
        for unit in 0..units(width) {
            self.cells
                .insert((space, byte + unit * UNIT), (cell, unit));
        }
    }

    /// Returns what is wrong with the element that a memory should hold.
    fn load(
        &self,
        terms: &Terms,
        (space, byte): (Space, i64),
        width: i64,
        expected: Cell,
    ) -> Option<(Wrong, String)> {
        let mut wrong = None;
        for unit in 0..units(width) {
            match self.cells.get(&(space, byte + unit * UNIT)) {
                Some((cell, at)) if *at == unit && cell.term == expected.term => {
                    if cell.source != expected.source {
                        wrong = Some((
                            Wrong::OtherWriter,
                            format!("{space:?} byte {byte} holds an equal element"),
                        ));
                    }
                }
                found => {
                    let found = found.map_or("nothing".to_owned(), |(cell, _)| {
                        terms.text(cell.term, 3)
                    });
                    let expected = terms.text(expected.term, 3);
                    return Some((
                        Wrong::Overwritten,
                        format!("{space:?} byte {byte} holds {found}, not {expected}"),
                    ));
                }
            }
        }
        wrong
    }

    fn check_results(&mut self, terms: &Terms, results: &[Rc<Array>], params: &[i64]) {
        let moment = self.moment(params);
        let defs = self.program.values.iter();
        let arguments = defs
            .filter(|value| matches!(value.def, Def::Argument(_)))
            .count();
        for (at, (value, array)) in self.program.results.iter().zip(results).enumerate() {
            for_each_point(&array.shape, |element| {
                let expected = array.at(element).expect("inside of its shape");
                let Some(located) = self.locate(&moment, *value, element) else {
                    return;
                };
                let buffer = self.program.value(located.buffer);
                let number = u32::try_from(arguments + at).expect("few results");
                let wrong = if buffer.place != Some(Place::Argument(number)) {
                    Some((
                        Wrong::ResultElsewhere,
                        format!("{:?}, not {number}", buffer.place),
                    ))
                } else if terms.is_undefined(expected.term) {
                    None
                } else {
                    match self.byte(&moment, &located, 0) {
                        Ok(address) => self.load(terms, address, buffer.width, expected),
                        Err(wrong) => Some(wrong),
                    }
                };
                if let Some((wrong, text)) = wrong {
                    self.add(Fault {
                        wrong,
                        instance: None,
                        core: 0,
                        tensor: at,
                        buffer: located.buffer,
                        text: format!("result element {element:?}: {text}"),
                    });
                }
            });
        }
    }

    /// Finds buffers that are written during the life of another one with some of the same bytes.
    fn find_overlaps(&mut self) {
        let mut lives: FxHashMap<(ValueId, &[i64]), (usize, usize)> = FxHashMap::default();
        for touch in &self.touches {
            let life = lives
                .entry((touch.buffer, &touch.counters))
                .or_insert((touch.time, touch.time));
            life.1 = touch.time;
        }
        let mut found = Vec::new();
        let mut pairs = FxHashSet::default();
        for write in self.touches.iter().filter(|touch| touch.is_write) {
            for live in &self.touches {
                let other = (live.buffer, &live.counters) != (write.buffer, &write.counters);
                let (first, last) = lives[&(live.buffer, &live.counters[..])];
                let meets = live.start < write.end && write.start < live.end;
                let during = first <= write.time && write.time < last
                    || first == write.time && first == last && write.buffer != live.buffer;
                let same_space = live.is_scratchpad == write.is_scratchpad;
                if other && meets && during && same_space && pairs.insert((live.buffer, write.buffer))
                {
                    found.push((write.buffer, live.buffer));
                }
            }
        }
        for (written, live) in found {
            self.add(Fault {
                wrong: Wrong::Overlap,
                instance: None,
                core: 0,
                tensor: 0,
                buffer: written,
                text: format!("written in the life of {live:?}"),
            });
        }
    }
}

/// What one execution reads and writes, for races: the points that read each unit of memory.
type Reads = FxHashMap<(Space, i64), (Vec<i64>, bool)>;

impl Memory<'_> {
    fn check_buffer(
        &mut self,
        execution: &Execution<'_>,
        access: &Access,
        tensor: usize,
        point: &[i64],
    ) {
        let element = execution.moment.element(access, point, 0);
        let Some(located) = self.locate(execution.moment, access.value, &element) else {
            return;
        };
        let value = self.program.value(located.buffer);
        let size = self.size(execution.moment, located.buffer);
        let (start, limit, is_scratchpad) = match value.place {
            Some(Place::Pool(start)) => (start, self.limits.pool, false),
            Some(Place::Scratchpad(start)) => (start, self.limits.scratchpad, true),
            _ => return,
        };
        let loops = value.loops.iter();
        self.touches.push(Touch {
            time: self.time,
            buffer: located.buffer,
            counters: loops
                .map(|id| execution.moment.counters[id.index()])
                .collect(),
            is_write: tensor >= execution.operands.len(),
            is_scratchpad,
            start,
            end: start + size,
        });
        let wrong = if start < 0 || start + size > limit {
            Wrong::Capacity
        } else if start % STICK != 0 {
            Wrong::Unaligned
        } else {
            return;
        };
        self.add(Fault {
            wrong,
            instance: Some(execution.instance(point)),
            core: 0,
            tensor,
            buffer: located.buffer,
            text: format!("{size} bytes from {start} on, of {limit}"),
        });
    }

    /// Returns the byte of one access, and reports one that has none.
    fn address(
        &mut self,
        execution: &Execution<'_>,
        access: (&Access, usize),
        point: &[i64],
        core: i64,
        gathered: i64,
    ) -> Option<((Space, i64), i64, ValueId)> {
        let element = execution.moment.element(access.0, point, gathered);
        let located = self.locate(execution.moment, access.0.value, &element)?;
        match self.byte(execution.moment, &located, core) {
            Ok(address) => {
                let width = self.program.value(located.buffer).width;
                Some((address, width, located.buffer))
            }
            Err((wrong, text)) => {
                self.add(Fault {
                    wrong,
                    instance: Some(execution.instance(point)),
                    core,
                    tensor: access.1,
                    buffer: located.buffer,
                    text,
                });
                None
            }
        }
    }

    fn read_points(
        &mut self,
        terms: &Terms,
        execution: &Execution<'_>,
        core: i64,
        reads: &mut Reads,
    ) {
        let statement = execution.statement();
        let (first, size) = part_of_core(execution, core);
        for_each_point(&size, |relative| {
            let point = sum(&first, relative);
            for (tensor, (access, array)) in
                statement.operands.iter().zip(execution.operands).enumerate()
            {
                let gathered = gathered_dim(access);
                for coordinate in 0..gathered.map_or(1, |dim| array.shape[dim]) {
                    let at = (access, tensor);
                    let Some((address, width, buffer)) =
                        self.address(execution, at, &point, core, coordinate)
                    else {
                        continue;
                    };
                    for unit in 0..units(width) {
                        let place = (address.0, address.1 + unit * UNIT);
                        let of_unit = reads.entry(place).or_insert((point.clone(), false));
                        of_unit.1 |= of_unit.0 != point || gathered.is_some();
                    }
                    let element = execution.moment.element(access, &point, coordinate);
                    let expected = array.at(&element);
                    let Some(expected) = expected.filter(|cell| !terms.is_undefined(cell.term))
                    else {
                        // A fault of coverage, and not of order.
                        continue;
                    };
                    if let Some((wrong, text)) = self.load(terms, address, width, expected) {
                        self.add(Fault {
                            wrong,
                            instance: Some(execution.instance(&point)),
                            core,
                            tensor,
                            buffer,
                            text,
                        });
                    }
                }
            }
        });
        let tensors = statement.operands.iter().chain(&statement.results);
        for (tensor, access) in tensors.enumerate() {
            if gathered_dim(access).is_some() || size.contains(&0) {
                continue;
            }
            let found = self.address(execution, (access, tensor), &first, core, 0);
            if let Some(((_, byte), _, buffer)) = found
                && byte % STICK != 0
            {
                self.add(Fault {
                    wrong: Wrong::Unaligned,
                    instance: Some(execution.instance(&first)),
                    core,
                    tensor,
                    buffer,
                    text: format!("core {core} starts at byte {byte}"),
                });
            }
        }
    }

    fn write_points(&mut self, execution: &Execution<'_>, core: i64, reads: &Reads) {
        let statement = execution.statement();
        let (first, size) = part_of_core(execution, core);
        let kept = statement.kept();
        let is_last = is_last_of_group(statement, core);
        for_each_point(&size[..kept], |relative| {
            let mut point = sum(&first[..kept], relative);
            point.extend(&first[kept..]);
            for (at, (access, array)) in statement.results.iter().zip(execution.results).enumerate()
            {
                let tensor = statement.operands.len() + at;
                let Some((address, width, buffer)) =
                    self.address(execution, (access, tensor), &point, core, 0)
                else {
                    continue;
                };
                // Parts of a sum are added up in device memory; in the scratchpad the last core of a group has it.
                if matches!(address.0, Space::Scratchpad(_)) && !is_last {
                    continue;
                }
                let element = execution.moment.element(access, &point, 0);
                let Some(cell) = array.at(&element) else {
                    continue;
                };
                let is_race = (0..units(width)).any(|unit| {
                    let of_unit = reads.get(&(address.0, address.1 + unit * UNIT));
                    of_unit.is_some_and(|(reader, several)| {
                        *several || *reader != point || statement.reduced > 0
                    })
                });
                if is_race {
                    self.add(Fault {
                        wrong: Wrong::Race,
                        instance: Some(execution.instance(&point)),
                        core,
                        tensor,
                        buffer,
                        text: format!("{address:?} is read by another point"),
                    });
                }
                self.store(address, width, cell);
            }
        });
    }
}

impl Observer for Memory<'_> {
    fn execute(&mut self, terms: &Terms, execution: &Execution<'_>) {
        self.time += 1;
        let statement = execution.statement();
        let cores = statement.cores();
        let origin = vec![0; statement.space.len()];
        let tensors = statement.operands.iter().chain(&statement.results);
        for (tensor, access) in tensors.enumerate() {
            self.check_buffer(execution, access, tensor, &origin);
        }
        let mut reads = Reads::default();
        for core in 0..cores {
            self.read_points(terms, execution, core, &mut reads);
        }
        for core in 0..cores {
            self.write_points(execution, core, &reads);
        }
    }
}

/// The bytes that one entry of the memory stands for: widths are multiples.
const UNIT: i64 = 4;

fn units(width: i64) -> i64 {
    width.div_ceil(UNIT)
}

fn sum(a: &[i64], b: &[i64]) -> Vec<i64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn gathered_dim(access: &Access) -> Option<usize> {
    let mut index = access.index.iter();
    index.position(|expr| {
        expr.vars()
            .iter()
            .any(|var| matches!(var, Var::Gathered(_)))
    })
}

/// Returns the tensor that has the place: windows of insertions have that of the tensor that a loop starts with.
fn root(program: &Program, value: ValueId) -> ValueId {
    match program.value(value).def {
        Def::Carried(id, at) | Def::LoopResult(id, at) => {
            root(program, program.of_loop(id).carried[at].init)
        }
        Def::Insert { into, .. } => root(program, into),
        Def::Slice { source, .. } | Def::View { source, .. } => root(program, source),
        _ => value,
    }
}

/// Returns the digit of a core for each dimension of the space.
fn digits(statement: &Statement, core: i64) -> Vec<i64> {
    let mut digits = vec![0; statement.space.len()];
    if let Some(split) = &statement.split {
        let mut rest = core;
        for dim in &statement.digits {
            digits[*dim] = rest % split[*dim];
            rest /= split[*dim];
        }
    }
    digits
}

/// Returns the first point of a core, and the extents of its part.
fn part_of_core(execution: &Execution<'_>, core: i64) -> (Vec<i64>, Vec<i64>) {
    let statement = execution.statement();
    let mut size = execution
        .moment
        .shape(execution.program, &statement.space);
    let mut first = digits(statement, core);
    for (dim, (first, size)) in first.iter_mut().zip(&mut size).enumerate() {
        *size /= statement.split.as_ref().map_or(1, |split| split[dim]);
        *first *= *size;
    }
    (first, size)
}

/// Returns whether a core adds up the parts of its group: the last digit of every reduced dimension.
fn is_last_of_group(statement: &Statement, core: i64) -> bool {
    let Some(split) = &statement.split else {
        return true;
    };
    let digits = digits(statement, core);
    (statement.kept()..split.len()).all(|dim| digits[dim] == split[dim] - 1)
}

/// Returns the first element that a core has of a tensor that a statement writes, and makes the shape that of the part.
fn part_of_writer(writer: &Statement, buffer: ValueId, core: i64, shape: &mut [i64]) -> Vec<i64> {
    let mut first = vec![0; shape.len()];
    let (Some(split), Some(access)) = (
        &writer.split,
        writer.results.iter().find(|access| access.value == buffer),
    ) else {
        return first;
    };
    let digits = digits(writer, core);
    for (dim, expr) in access.index.iter().enumerate() {
        if let Some(Var::Point(at)) = expr.as_var() {
            let at = at as usize;
            shape[dim] /= split[at];
            first[dim] = digits[at] * shape[dim];
        }
    }
    first
}

/// Returns the extents of the device coordinates.
fn device_size(layout: &Layout, shape: &[i64], width: i64) -> Vec<i64> {
    let shape: Vec<_> = shape.iter().map(|at| at.unsigned_abs()).collect();
    let per_stick = Elements((STICK / width).unsigned_abs());
    let size = layout.device_size(&shape, per_stick);
    let size = size.expect("the generator chooses layouts that fit");
    size.into_iter().map(u64::cast_signed).collect()
}

/// Returns the byte of an element, from the start of its buffer.
fn byte_of_element(layout: &Layout, shape: &[i64], element: &[i64], width: i64) -> i64 {
    let size = device_size(layout, shape, width);
    let mut stride = width;
    let mut byte = 0;
    for (coord, extent) in layout.coords().iter().zip(&size).rev() {
        byte += stride * coordinate(*coord, element);
        stride *= extent;
    }
    byte
}

fn coordinate(coord: Coord, element: &[i64]) -> i64 {
    match coord {
        Coord::Zero => 0,
        Coord::Digit {
            dim,
            divisor,
            modulus,
        } => {
            let quotient = element[dim] / divisor.cast_signed();
            modulus.map_or(quotient, |modulus| quotient % modulus.cast_signed())
        }
    }
}

//! Executes a program in memory: arrays of terms for each space and core.
//!
//! Tensors that are made of others (windows, views, insertions, carried tensors) have no place of their own: an element
//! is located in the buffer of the tensor that has one. In the scratchpad each core has the part of a tensor that it
//! wrote, with the layout at the shape of the part. A statement reads all points of all cores, then writes: a point
//! whose result is in the place of what another point reads is a race. A read that does not find its term is a fault of
//! order, or of place where another core has it.

mod access;
mod address;
mod kept;
mod lives;

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use spyre_proof::expr::Expr;
use spyre_proof::program::{Def, Place, Program, ValueId};

use crate::machine::{
    Array, Cell, Instance, Moment, constant, execute, for_each_point, view_element, window_element,
};
use crate::term::Terms;

use address::{byte_of_element, device_size, part_of_writer};
use lives::Touch;

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
    /// Another point of the same execution writes what the point reads. All points of a reduction write its element.
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
    /// No element is lost, but the memory of a live tensor, padding included, overlaps that of a tensor that is
    /// written.
    Overlap,
    /// Cores divide a stick of a tensor in the scratchpad: each part starts a stick, and the whole tensor would not.
    DividedStick,
    /// Cores divide two reduced dimensions: parts are combined along one.
    TwoReductions,
    /// A window or view that reaches outside of its tensor: a read of what is outside is [`Wrong::Outside`].
    WindowOutside,
    /// An argument is written, and no result has its place.
    ArgumentLost,
    /// A tile that is inserted into a tensor is in another place than its window, and nothing reads it there.
    WindowElsewhere,
    /// The term is there, but another write than that of the program by values stored it.
    OtherWriter,
}

impl Wrong {
    /// Returns whether the program may still compute what it should: a proof may tell such programs, but need not.
    #[must_use]
    pub const fn is_harmless(self) -> bool {
        matches!(
            self,
            Self::Overlap
                | Self::DividedStick
                | Self::WindowOutside
                | Self::WindowElsewhere
                | Self::OtherWriter
        )
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
    memory.find_windows(params);
    memory.faults
}

/// An element of a buffer: its tensor, and the position in it.
struct Located {
    buffer: ValueId,
    element: Vec<i64>,
}

struct Memory<'a> {
    program: &'a Program,
    limits: Limits,
    most: usize,
    windows: FxHashMap<ValueId, ValueId>,
    /// For the sums that a loop stores in the place of the tensor that it starts with, that tensor.
    sums: FxHashMap<ValueId, ValueId>,
    cells: FxHashMap<(Space, i64), (Cell, i64)>,
    /// The units that the current execution has stored.
    written: FxHashSet<(Space, i64)>,
    /// The first bytes of the sticks that it has stored a part of.
    sticks: FxHashSet<(Space, i64)>,
    /// The arguments that the caller keeps, and that have not been written yet.
    kept: FxHashMap<u32, ValueId>,
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
        let mut sums = FxHashMap::default();
        for carried in program.loops.iter().flat_map(|of| &of.carried) {
            let (init, sum) = (root(program, carried.init), root(program, carried.yielded));
            if init != sum && program.value(init).place == program.value(sum).place {
                sums.insert(sum, init);
            }
        }
        Self {
            program,
            limits,
            most,
            windows,
            sums,
            cells: FxHashMap::default(),
            written: FxHashSet::default(),
            sticks: FxHashSet::default(),
            kept: kept::kept_arguments(program),
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

    /// Returns whether an element of a buffer starts a stick, if one core had all of the tensor.
    fn starts_stick(&self, moment: &Moment, located: &Located) -> bool {
        let value = self.program.value(located.buffer);
        let shape = moment.shape(self.program, &value.shape);
        let layout = value.layout.as_ref().expect("a located buffer has one");
        crate::machine::linear(&shape, &located.element).is_none()
            || byte_of_element(layout, &shape, &located.element, value.width) % STICK == 0
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
                    Def::Constant(name) => constant(name, element),
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
            self.cells.insert((space, byte + unit * UNIT), (cell, unit));
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
                    let found =
                        found.map_or("nothing".to_owned(), |(cell, _)| terms.text(cell.term, 3));
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
        let arguments = self.first_result();
        for (at, (value, array)) in self.program.results.iter().zip(results).enumerate() {
            for_each_point(&array.shape, |element| {
                let expected = array.at(element).expect("inside of its shape");
                let Some(located) = self.locate(&moment, *value, element) else {
                    return;
                };
                let buffer = self.program.value(located.buffer);
                let number = arguments + u32::try_from(at).expect("few results");
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

    /// Returns the number of the first result in the list of arguments and results.
    fn first_result(&self) -> u32 {
        let values = self.program.values.iter();
        let numbers = values.filter_map(|value| match (&value.def, value.place) {
            (Def::Argument(_) | Def::Constant(_), Some(Place::Argument(at))) => Some(at + 1),
            _ => None,
        });
        numbers.max().unwrap_or(0)
    }

    /// Returns the bytes that the caller has allocated for an argument or result: none for a number that is neither.
    /// `None` where they are not known.
    fn room(&self, moment: &Moment, number: u32) -> Option<i64> {
        let mut values = self.program.values.iter();
        let argument = values.position(|value| {
            matches!(value.def, Def::Argument(_) | Def::Constant(_))
                && value.place == Some(Place::Argument(number))
        });
        let result = number.checked_sub(self.first_result());
        let result = result.and_then(|at| self.program.results.get(at as usize));
        let Some(value) = argument.map(ValueId::new).or(result.copied()) else {
            return Some(0);
        };
        let is_laid_out = self.program.value(value).layout.is_some();
        is_laid_out.then(|| self.size(moment, value))
    }
}

/// The bytes that one entry of the memory stands for: widths are multiples.
const UNIT: i64 = 4;

fn units(width: i64) -> i64 {
    (width + UNIT - 1) / UNIT
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

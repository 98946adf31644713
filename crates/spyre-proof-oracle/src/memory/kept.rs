//! What a write changes besides its elements: the rest of its sticks, and arguments of the caller.

use rustc_hash::{FxHashMap, FxHashSet};
use spyre_proof::program::{Def, Place, Program, ValueId};

use super::{Fault, Memory, STICK, Space, UNIT, Wrong, root, units};

impl Memory<'_> {
    /// Notes the bytes of an element that the current execution has stored, and that they are an argument's.
    pub(super) fn note_written(&mut self, (space, byte): (Space, i64), width: i64) {
        for unit in 0..units(width) {
            self.written.insert((space, byte + unit * UNIT));
        }
        if let Space::Argument(number) = space
            && let Some(buffer) = self.kept.remove(&number)
        {
            self.add(Fault {
                wrong: Wrong::ArgumentLost,
                instance: None,
                core: 0,
                tensor: 0,
                buffer,
                text: format!("argument {number} is written"),
            });
        }
    }

    /// Forgets the rest of the sticks that an execution has written: the card writes whole sticks.
    pub(super) fn spoil_sticks(&mut self) {
        let written = std::mem::take(&mut self.written);
        let stick = |(space, byte): &(Space, i64)| (*space, byte.div_euclid(STICK));
        let sticks: FxHashSet<(Space, i64)> = written.iter().map(stick).collect();
        for (space, number) in sticks {
            for unit in number * STICK / UNIT..(number + 1) * STICK / UNIT {
                let address = (space, unit * UNIT);
                if !written.contains(&address) {
                    self.cells.remove(&address);
                }
            }
        }
    }
}

/// Returns the numbers of the arguments that the caller keeps, with their values: no result has their place.
pub(super) fn kept_arguments(program: &Program) -> FxHashMap<u32, ValueId> {
    let place = |value| program.value(root(program, value)).place;
    let results: FxHashSet<_> = program.results.iter().map(|value| place(*value)).collect();
    let arguments = program.values.iter().enumerate().filter_map(|(at, value)| {
        let is_argument = matches!(value.def, Def::Argument(_) | Def::Constant(_));
        match value.place {
            Some(Place::Argument(number)) if is_argument && !results.contains(&value.place) => {
                Some((number, ValueId::new(at)))
            }
            _ => None,
        }
    });
    arguments.collect()
}

//! What a write changes besides its elements: the rest of its sticks, and arguments of the caller.

use rustc_hash::{FxHashMap, FxHashSet};
use spyre_proof::program::{Def, Place, Program, ValueId};

use super::{Fault, Memory, STICK, Space, UNIT, Wrong, root, units};

impl Memory<'_> {
    /// Notes the bytes of an element of a buffer that the current execution has stored, and that they are an
    /// argument's.
    pub(super) fn note_written(
        &mut self,
        (space, byte): (Space, i64),
        width: i64,
        buffer: ValueId,
    ) {
        // The sticks of a buffer start where it does, which is inside of a stick of the memory if it is unaligned.
        let first = match self.program.value(buffer).place {
            Some(Place::Pool(start) | Place::Scratchpad(start)) => start.rem_euclid(STICK),
            _ => 0,
        };
        for unit in 0..units(width) {
            let byte = byte + unit * UNIT;
            self.written.insert((space, byte));
            let stick = (byte - first).div_euclid(STICK) * STICK + first;
            self.sticks.insert((space, stick));
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
        for (space, first) in std::mem::take(&mut self.sticks) {
            for unit in 0..STICK / UNIT {
                let address = (space, first + unit * UNIT);
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

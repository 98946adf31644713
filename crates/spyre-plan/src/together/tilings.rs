//! The walk over the operations of a program in several tilings.
//!
//! A state has the open loops in addition to the values in the scratchpads. The next operation may stay in the loops,
//! or open the loops of another tiling. Then the open ones end, and values that they leave in the scratchpads for later
//! reads go through device memory: a loop reads windows of values from outside, and readers outside of it read the
//! whole value. The same holds where loops begin after an operation without tiles. Values that live across loops count
//! more here than they cost, if they fit.

use spyre_layout::Bytes;

use super::search::{Front, Open, State, Steps, Walk};
use super::{ChosenTilings, Tiling};
use crate::time::Picoseconds;

/// Returns the tiling of each operation with which the program is fastest, together with divisions, values in the scratchpads and
/// copies, with a beam of `beam` states of each tiling. The first tiling is the one without loops. `None` if the search finds
/// none within the limit of bytes of the first tiling. Among equal results they are the first ones, so that the result does not
/// depend on the machine.
///
/// # Panics
/// There is no tiling, tilings have other numbers of parts, or an operation has no division, or another number of reads than of
/// operands.
#[must_use]
pub fn choose_tilings(tilings: &[Tiling], beam: usize) -> Option<ChosenTilings> {
    let most_bytes = tilings[0].program.most_bytes;
    let all = beam == usize::MAX;
    let walks = tilings.iter().map(|tiling| Walk::new(&tiling.program, all));
    let walks: Vec<Walk<'_>> = walks.collect();
    let mut steps = Steps::default();
    let mut states = vec![State::START];
    for at in 0..tilings[0].parts.len() {
        let left = after_loops(tilings, &walks, &states, at).best(beam);
        let mut reached = Vec::new();
        for (number, tiling) in tilings.iter().enumerate() {
            let part = &tiling.parts[at];
            if part.operations.is_empty() {
                // The part has no further operation, and loops are still open.
                let matching = states.iter().filter(|state| state.open.tiling == number);
                reached.extend(matching.cloned().map(|mut state| {
                    state.step = steps.add(state.step, number);
                    state
                }));
                continue;
            }
            if number > 0 && part.nest.is_none() {
                continue; // It is as in the first tiling.
            }
            let open = Open {
                tiling: number,
                nest: part.nest,
            };
            let time = part.nest.map_or(Picoseconds::default(), |nest| nest.time);
            let mut front = Front::new(most_bytes);
            let mut enter = |state: &State, is_inside: bool| {
                let mut state = state.clone();
                if !is_inside {
                    state.cost += time.into();
                }
                state.open = open;
                let step = state.step;
                front.add(state, || step);
            };
            let matching = states.iter();
            for state in matching.filter(|state| state.open.tiling == number) {
                enter(state, state.open == open);
            }
            for state in &left {
                enter(state, false);
            }
            let mut beam_states = front.best(beam);
            for operation in part.operations.clone() {
                let mut next = Front::new(most_bytes);
                for state in &beam_states {
                    walks[number].step(operation, state, &mut next, |_| state.step);
                }
                beam_states = next.best(beam);
            }
            for state in &mut beam_states {
                state.step = steps.add(state.step, number);
            }
            reached.extend(beam_states);
        }
        states = reached;
    }
    let best = states
        .iter()
        .min_by_key(|state| (state.cost.picoseconds, state.step))?;
    Some(ChosenTilings {
        tilings: steps.choices(best.step),
        time: Picoseconds(best.cost.picoseconds),
        bytes: Bytes(best.cost.bytes),
    })
}

/// Returns the states after the loops that are open before a part.
fn after_loops(tilings: &[Tiling], walks: &[Walk<'_>], states: &[State], at: usize) -> Front {
    let mut left = Front::new(tilings[0].program.most_bytes);
    for state in states {
        let open = state.open.tiling;
        let mut state = state.clone();
        walks[open].leave(&mut state, first_operation(&tilings[open], at));
        state.open = State::START.open;
        let step = state.step;
        left.add(state, || step);
    }
    left
}

/// Returns the number of the first operation at or after a part.
fn first_operation(tiling: &Tiling, part: usize) -> usize {
    let before = tiling.parts[..part].iter().rev();
    let mut before = before.filter(|part| !part.operations.is_empty());
    before.next().map_or(0, |part| part.operations.end)
}

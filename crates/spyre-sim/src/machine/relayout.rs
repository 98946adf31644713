//! Copies between scratchpads that give a tensor other owners.
//!
//! Both tensors have the coordinates of the iteration space, each with separate slices and cores (contract, K66). A
//! core of the destination collects its slice from all cores that have parts of it. Several of them may have the same
//! slice: then all get it. Every element has one source: two cores that have the same slice of the source, or a slice
//! that none has, are faults. Results that a core has not finished are unwritten in its scratchpad, and a fault when
//! they are copied (contract, K68 and K68a).

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

use crate::memory::{Memory, NOBODY, STICK, Value};
use crate::read::{Core, Distribution, Operation, Relayout};
use crate::report::FaultKind;

use super::compute::{Runner, Seat, next};
use super::execute::{Job, Moved, Movement, range};
use super::gather::{Reader, Row, gather};
use super::pending::Pending;
use super::place::{self, Space};
use super::problem::Problem;
use super::view::View;

/// The cores of one side, with the extents of their elements in memory.
struct Side<'o> {
    space: Space,
    /// Cores with their views.
    owners: Vec<(&'o Core, View)>,
}

impl Job<'_> {
    /// Copies the elements of the input's owners to the output's.
    pub(super) fn relayout(
        &self,
        relayout: &Relayout,
        extents: Vec<u64>,
        memory: &mut Memory,
        problems: &mut Vec<Problem>,
    ) -> Result<Movement, Box<Problem>> {
        problems.extend(check_owners(self.op, relayout));
        let source = self.side(&relayout.source, &extents, true, memory, problems)?;
        let destination = self.side(&relayout.destination, &extents, false, memory, problems)?;
        problems.extend(self.aliases(&source, &destination));
        let mut moved: BTreeMap<u16, Moved> = BTreeMap::new();
        for (side, is_source) in [(&source, true), (&destination, false)] {
            for (core, view) in &side.owners {
                let of_core = moved.entry(core.number).or_default();
                let bytes = view.sticks() * STICK as u64;
                of_core.core = core.number;
                match is_source {
                    true => of_core.lx_read += bytes,
                    false => of_core.lx_written += bytes,
                }
                let end = range(view).1.next_multiple_of(STICK as u64);
                of_core.lx_end = of_core.lx_end.max(end);
            }
        }
        let mut values = Vec::new();
        for (core, view) in &destination.owners {
            let value = Value {
                execution: self.number,
                core: core.number,
                range: range(view),
                // A gather never reads from a scratchpad.
                whole: 0,
                element: view.element as u8,
            };
            values.push(memory.add_value(view.region, value));
            memory.executions[self.number as usize].sticks += view.sticks();
        }
        let mut runner = Runner {
            op: self.op,
            prepared: self.prepared,
            space: &destination.space,
            number: self.number,
            memory,
            pending: Pending::default(),
            problems,
            positions: FxHashMap::default(),
            beyond: None,
            of_mask: None,
        };
        runner.collect(&source, &destination, &values);
        runner.commit();
        // A core of the source sends a stick once for each core of the destination that needs it.
        let gets = destination.owners.iter().map(|(_, view)| view.sticks());
        let (most, all) = (gets.clone().max(), gets.sum::<u64>());
        let senders = u64::try_from(source.owners.len()).expect("cores are counted in memory");
        let sends = all.div_ceil(senders.max(1));
        Ok(Movement {
            cores: moved.into_values().collect(),
            relayed: most.map_or(0, |gets| gets.max(sends)),
            ..Movement::default()
        })
    }

    /// Returns the owners of a tensor: of the input, or of the output.
    fn side<'o>(
        &self,
        distribution: &'o Distribution,
        extents: &[u64],
        is_source: bool,
        memory: &mut Memory,
        problems: &mut Vec<Problem>,
    ) -> Result<Side<'o>, Box<Problem>> {
        let op = self.op;
        let tensor = if is_source { &op.inputs[0] } else { &op.output };
        let parts = extents.iter().zip(&distribution.slices);
        let space = Space {
            extents: extents.to_vec(),
            parts: parts.map(|(extent, slices)| extent / slices).collect(),
        };
        let cores = &distribution.cores;
        let starts = place::starts(op, cores, tensor, self.symbols)?;
        let views = place::views(op, cores, tensor, &space, &starts, memory, problems);
        let pairs = cores.iter().zip(views);
        let owners = pairs.filter_map(|(core, view)| Some((core, view?)));
        Ok(Side {
            owners: owners.collect(),
            space,
        })
    }

    /// Returns the problems of cores where the two tensors overlap in the scratchpad: both are live during the copy.
    fn aliases(&self, source: &Side<'_>, destination: &Side<'_>) -> Vec<Problem> {
        let mut problems = Vec::new();
        for (core, to) in &destination.owners {
            let mut owners = source.owners.iter();
            let Some((_, from)) = owners.find(|(owner, _)| owner.number == core.number) else {
                continue;
            };
            let (a, b) = (range(from), range(to));
            if a.0 < b.1 && b.0 < a.1 {
                let message = format!(
                    "the source has bytes {} to {} of the scratchpad, and the destination {} to {}",
                    a.0, a.1, b.0, b.1
                );
                let problem = Problem::new(FaultKind::Race, message).on(self.op, &self.op.output);
                let name = format!("LX of core {}", core.number);
                problems.push(problem.of_core(core.number).at_byte(&name, b.0));
            }
        }
        problems
    }
}

/// Checks that every slice of the source has one owner, and every slice of the destination one or several.
fn check_owners(op: &Operation, relayout: &Relayout) -> Vec<Problem> {
    let mut problems = Vec::new();
    let sides = [
        (&op.inputs[0], &relayout.source, false),
        (&op.output, &relayout.destination, true),
    ];
    for (tensor, distribution, may_repeat) in sides {
        let mut slices: FxHashMap<&[u64], u16> = FxHashMap::default();
        let mut findings = Vec::new();
        for core in &distribution.cores {
            let other = slices.insert(&core.slices, core.number);
            if let Some(other) = other.filter(|_| !may_repeat) {
                let (number, slice) = (core.number, &core.slices);
                findings.push(format!(
                    "cores {other} and {number} both have slice {slice:?}"
                ));
            }
        }
        let counts = distribution.slices.iter();
        let total = counts.fold(1_u64, |total, count| total.saturating_mul(*count));
        if slices.len() as u64 != total {
            let owned = slices.len();
            findings.push(format!("{owned} of the {total} slices have owners"));
        }
        if !findings.is_empty() {
            let problem = Problem::new(FaultKind::Slices, findings.join("; "));
            problems.push(problem.on(op, tensor));
        }
    }
    problems
}

/// The cores of the source, to be read from.
struct Sources<'v> {
    /// Elements of a slice.
    parts: &'v [u64],
    seats: Vec<Seat<'v>>,
    /// The last row that was read of each.
    rows: Vec<Row>,
    /// The position of the owner of a slice.
    owners: FxHashMap<&'v [u64], usize>,
}

impl<'v> Sources<'v> {
    fn new(side: &'v Side<'_>) -> Self {
        let owners = side.owners.iter();
        let seats: Vec<_> = owners
            .map(|(core, view)| seat(core, view, view, NOBODY))
            .collect();
        let mut rows = Vec::new();
        rows.resize_with(seats.len(), Row::default);
        let positions = side.owners.iter().enumerate();
        Self {
            parts: &side.space.parts,
            owners: positions
                .map(|(at, (core, _))| (core.slices.as_slice(), at))
                .collect(),
            seats,
            rows,
        }
    }
}

impl Runner<'_> {
    /// Collects the slice of each core of the destination, row by row along the stick.
    fn collect(&mut self, source: &Side<'_>, destination: &Side<'_>, values: &[u32]) {
        let op = self.op;
        let inner = op.output.stick;
        let lanes = self.lanes(inner, op.output.has(inner));
        let parts = destination.space.parts.clone();
        let mut sources = Sources::new(source);
        let (mut codes, mut undefined) = (vec![0; lanes], vec![false; lanes]);
        for ((core, view), value) in destination.owners.iter().zip(values) {
            let to = seat(core, view, view, *value);
            let mut point = vec![0; parts.len()];
            loop {
                let slices = core.slices.iter().zip(&parts).zip(&point);
                let first = slices.map(|((slice, part), local)| slice * part + local);
                let first: Vec<u64> = first.collect();
                self.collect_row(&mut sources, first, inner, &mut codes, &mut undefined);
                self.scatter(&to, &point, inner, &codes, &undefined);
                if !next(&mut point, &parts, inner, |dim| op.output.has(dim)) {
                    break;
                }
            }
        }
        for (seat, row) in sources.seats.iter().zip(sources.rows) {
            self.check_seen(seat, 0, row.seen);
        }
    }

    /// Collects a row that begins at a point of the whole tensor, piece by piece. A piece without an owner is undefined.
    fn collect_row(
        &mut self,
        sources: &mut Sources<'_>,
        mut at: Vec<u64>,
        inner: usize,
        codes: &mut [u32],
        undefined: &mut [bool],
    ) {
        self.pending.is_scattered = false;
        let mut lane = 0;
        while lane < codes.len() {
            let pairs = || at.iter().zip(sources.parts);
            let slice: Vec<u64> = pairs().map(|(at, part)| at / part).collect();
            let local: Vec<u64> = pairs().map(|(at, part)| at % part).collect();
            // To the end of the slice, or of the row.
            let rest = usize::try_from(sources.parts[inner] - local[inner]);
            let rest = rest.expect("a part of a core is counted in memory");
            let count = rest.min(codes.len() - lane);
            let piece = lane..lane + count;
            undefined[piece.clone()].fill(true);
            if let Some(owner) = sources.owners.get(slice.as_slice()) {
                let (seat, row) = (&sources.seats[*owner], &mut sources.rows[*owner]);
                self.read_piece(seat, &local, &at, inner, count, row);
                codes[piece.clone()].copy_from_slice(&row.codes);
                for (lane, mark) in undefined[piece].iter_mut().enumerate() {
                    *mark = row.is_undefined(lane);
                }
                self.pending.is_scattered |= row.is_scattered;
            }
            lane += count;
            at[inner] += count as u64;
        }
    }

    /// Reads `lanes` elements of an owner from a point of its slice, which is `at` in the whole tensor.
    fn read_piece(
        &mut self,
        seat: &Seat<'_>,
        local: &[u64],
        at: &[u64],
        inner: usize,
        lanes: usize,
        row: &mut Row,
    ) {
        row.clear(lanes);
        let view = seat.inputs[0];
        let Some(base) = view.offset(local, inner) else {
            row.poison(0..lanes);
            return;
        };
        let reader = Reader {
            execution: self.number,
            core: seat.core,
        };
        let first = usize::try_from(local[inner]).expect("a part of a core is counted in memory");
        let region = self.memory.region_mut(view.region);
        gather(region, view, base, inner, first, reader, row);
        if let Some((byte, lane)) = row.fault {
            self.problem(FaultKind::NeverWritten, seat, 0, |runner| {
                let dims = runner.op.dims.iter().zip(at).enumerate();
                let element = dims.map(|(dim, (group_dim, at))| {
                    let lane = if dim == inner { lane as u64 } else { 0 };
                    (group_dim.name.clone(), at + lane)
                });
                let message = "this core has not written what is copied from it".to_owned();
                (byte, element.collect(), message)
            });
        }
    }
}

/// Returns the seat of a core that reads one view and writes another one.
fn seat<'v>(core: &'v Core, input: &'v View, output: &'v View, value: u32) -> Seat<'v> {
    Seat {
        core: core.number,
        slices: &core.slices,
        inputs: vec![input],
        wholes: vec![range(input)],
        sizes: vec![None],
        output,
        value,
    }
}

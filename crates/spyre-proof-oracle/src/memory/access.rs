//! One execution of a statement: all points of all cores read, then write.

use rustc_hash::FxHashMap;
use spyre_proof::expr::Var;
use spyre_proof::program::{Access, Place, ValueId};

use super::address::{is_last_of_group, part_of_core};
use super::lives::Touch;
use super::{Fault, Memory, STICK, Space, UNIT, Wrong, units};
use crate::machine::{Execution, Observer, for_each_point};
use crate::term::Terms;

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
            Some(Place::Argument(number)) => {
                let room = self.room(execution.moment, number);
                if let Some(room) = room.filter(|room| size > *room) {
                    self.add(Fault {
                        wrong: Wrong::Capacity,
                        instance: Some(execution.instance(point)),
                        core: 0,
                        tensor,
                        buffer: located.buffer,
                        text: format!("{size} bytes in argument {number} of {room}"),
                    });
                }
                return;
            }
            _ => return,
        };
        let mut buffer = located.buffer;
        // A cycle of sums is none: each is in a loop outside of the last.
        for _ in 0..self.sums.len() {
            buffer = self.sums.get(&buffer).copied().unwrap_or(buffer);
        }
        let loops = self.program.value(buffer).loops.iter();
        self.touches.push(Touch {
            time: self.time,
            buffer,
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
            for (tensor, (access, array)) in statement
                .operands
                .iter()
                .zip(execution.operands)
                .enumerate()
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
                        // Each point of a gather reads all rows, so rows that two points may choose have two readers.
                        of_unit.1 |= of_unit.0 != point;
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
            if size.contains(&0) {
                continue;
            }
            // A gather starts at the first row, whichever it takes.
            let found = self.address(execution, (access, tensor), &first, core, 0);
            let Some(((_, byte), _, buffer)) = found else {
                continue;
            };
            let element = execution.moment.element(access, &first, 0);
            let located = self.locate(execution.moment, access.value, &element);
            let wrong = if byte % STICK != 0 {
                Wrong::Unaligned
            } else if located.is_some_and(|at| !self.starts_stick(execution.moment, &at)) {
                Wrong::DividedStick
            } else {
                continue;
            };
            self.add(Fault {
                wrong,
                instance: Some(execution.instance(&first)),
                core,
                tensor,
                buffer,
                text: format!("core {core} starts at byte {byte}"),
            });
        }
    }

    fn write_points(&mut self, execution: &Execution<'_>, core: i64, reads: &Reads) {
        let statement = execution.statement();
        let (first, size) = part_of_core(execution, core);
        let kept = statement.kept();
        let is_last = is_last_of_group(statement, core);
        // Points are in no order, and each of a reduction's points adds its term to the element.
        let space = execution
            .moment
            .shape(execution.program, &statement.space[kept..]);
        let has_terms = space.into_iter().any(|extent| extent > 1);
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
                    of_unit
                        .is_some_and(|(reader, several)| has_terms || *several || *reader != point)
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
                self.note_written(address, width, buffer);
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
        let split = statement.split.iter().flatten().skip(statement.kept());
        if split.filter(|cores| **cores > 1).count() > 1 {
            self.add(Fault {
                wrong: Wrong::TwoReductions,
                instance: Some(execution.instance(&origin)),
                core: 0,
                tensor: 0,
                buffer: statement.results[0].value,
                text: format!("split {:?}", statement.split),
            });
        }
        let mut reads = Reads::default();
        for core in 0..cores {
            self.read_points(terms, execution, core, &mut reads);
        }
        for core in 0..cores {
            self.write_points(execution, core, &reads);
        }
        self.spoil_sticks();
    }
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

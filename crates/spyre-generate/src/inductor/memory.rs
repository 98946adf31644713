//! Draws operations on memory: views of buffers, concatenations, and loads and stores at places that the program
//! computes.

use std::fmt::Write as _;

use super::kinds::Nest;
use super::{Buffer, Draw, LARGEST, MOST_ELEMENTS};

impl Draw {
    /// Draws an operation on memory; none if the graph has no buffers for it.
    pub(super) fn memory(&mut self) {
        let buffers: Vec<Buffer> = self
            .buffers
            .iter()
            .filter(|buffer| !buffer.is_masked)
            .cloned()
            .collect();
        if buffers.is_empty() {
            return;
        }
        let one = self.numbers.pick(&(0..buffers.len()).collect::<Vec<_>>());
        let other = self.numbers.index(buffers.len());
        let (one, other) = (buffers[one].clone(), buffers[other].clone());
        match self.below(4) {
            0 => self.view(&one),
            1 => self.concatenation(&one, &buffers),
            2 => self.gather(&one, &other),
            _ => self.scatter(&one, &buffers),
        }
    }

    /// Adds a view of the memory of a buffer: with its dimensions backwards, in one line, or of a part.
    fn view(&mut self, buffer: &Buffer) {
        if !buffer.ty.contains("<fixed") || !buffer.is_dense() {
            return; // The places of its elements are not decided, or have gaps.
        }
        let elements: u64 = buffer.size.iter().product();
        let reversed = |numbers: &[u64]| -> Vec<u64> { numbers.iter().rev().copied().collect() };
        let (size, strides) = match self.below(3) {
            0 => (reversed(&buffer.size), reversed(&buffer.strides)),
            1 => (vec![elements], vec![1]),
            _ => {
                let size = buffer
                    .size
                    .iter()
                    .map(|extent| self.numbers.between(1, *extent))
                    .collect();
                (size, buffer.strides.clone())
            }
        };
        let extents: String = size.iter().map(|extent| format!("{extent}x")).collect();
        let (head, _) = buffer.ty.split_once(", #").expect("a buffer has a layout");
        let element = head
            .rsplit(['x', '<'])
            .next()
            .expect("a buffer has elements");
        let ty = format!("tensor<{extents}{element}, #inductor.layout<fixed, {strides:?}>>");
        let name = format!("view{}", self.nests);
        let _ = writeln!(
            self.text,
            "  %{name} = inductor.view %{} : {} -> {ty}",
            buffer.name, buffer.ty
        );
        for other in &mut self.buffers {
            // An operation that overwrites it would change the view.
            other.is_viewed |= other.name == buffer.name;
        }
        self.buffers.push(Buffer {
            name,
            size,
            ty,
            strides,
            is_viewed: true,
            ..buffer.clone()
        });
        self.nests += 1;
    }

    /// Adds a concatenation of two buffers, or of a buffer and itself.
    fn concatenation(&mut self, one: &Buffer, buffers: &[Buffer]) {
        let rank = one.size.len();
        if rank == 0 || !one.is_wide() {
            return; // There is no dimension.
        }
        let dim = self.numbers.index(rank);
        let fits = |other: &&Buffer| {
            other.size.len() == rank
                && other.is_wide()
                && (0..rank).all(|at| at == dim || other.size[at] == one.size[at])
        };
        let others: Vec<&Buffer> = buffers.iter().filter(fits).collect();
        let other = others[self.numbers.index(others.len())].clone();
        let mut size = one.size.clone();
        size[dim] += other.size[dim];
        if size.iter().product::<u64>() > MOST_ELEMENTS {
            return;
        }
        let ty = self.ty(&size, "fixed");
        let op = self.nests;
        let name = format!("buf{op}");
        let _ = writeln!(
            self.text,
            "  %{name} = inductor.concat \"op{op}\" as \"{name}\" %{}, %{} : ({}, {}) -> {}",
            one.name, other.name, one.ty, other.ty, ty.0
        );
        self.add_buffer(name, &size, ty, one.largest.max(other.largest));
    }

    /// Returns the operations that compute a place below `extent` from the value `%x`, with the name `%at`: from the
    /// end where it is negative.
    fn place(&mut self, extent: u64) -> String {
        let number = "    %n = inductor.to_dtype %x from f32 to i64 : f32 -> i64\n";
        match self.numbers.one_in(2) {
            true => format!(
                "{number}    %by = arith.constant {extent} : i64\n    \
                 %r = inductor.apply \"remainder\"(%n, %by) : (i64, i64) -> i64\n    \
                 %at = inductor.indirect %r below [{extent}] : i64\n"
            ),
            false => format!(
                "{number}    %low = arith.constant -{extent} : i64\n    %high = arith.constant {} : i64\n    \
                 %m = arith.maxsi %n, %low : i64\n    %r = arith.minsi %m, %high : i64\n    \
                 %at = inductor.indirect %r below [{extent}] check wrap : i64\n",
                extent - 1
            ),
        }
    }

    /// Adds a nest that loads elements of a table at places that another buffer has.
    fn gather(&mut self, table: &Buffer, indices: &Buffer) {
        let Some((first, rest)) = table.size.split_first() else {
            return; // The table has no places.
        };
        let size = [indices.size.as_slice(), rest].concat();
        if size.iter().product::<u64>() > MOST_ELEMENTS || indices.largest > LARGEST {
            return;
        }
        let nest = Nest::new(&size);
        let (op, ty) = (self.nests, self.ty(&size, "fixed"));
        let name = format!("buf{op}");
        let place = self.place(*first);
        let (at, elsewhere) = nest.coordinates.split_at(indices.size.len());
        let load = nest.at_computed("%at", elsewhere);
        let _ = write!(
            self.text,
            "  %{name} = inductor.pointwise \"op{op}\" as \"{name}\" {size:?} {{\n  ^bb0({}):\n    \
             %x = inductor.load %{} at {} : {} -> f32\n{place}    %v = inductor.load %{} at {load} : {} -> f32\n    \
             inductor.store %v at {} : f32\n  }} : {}\n",
            nest.arguments,
            indices.name,
            nest.at(at),
            indices.ty,
            table.name,
            table.ty,
            nest.at(&nest.coordinates),
            ty.0
        );
        self.add_buffer(name, &size, ty, table.largest);
    }

    /// Adds elements to a buffer, or puts them, at places that another one has. The buffer has no later reads.
    fn scatter(&mut self, values: &Buffer, buffers: &[Buffer]) {
        let Some((count, rest)) = values.size.split_first() else {
            return; // There is no loop over places.
        };
        let is_place =
            |other: &&Buffer| other.size.as_slice() == [*count] && other.largest <= LARGEST;
        let indices: Vec<&Buffer> = buffers.iter().filter(is_place).collect();
        let fits = |other: &&Buffer| {
            other.may_be_overwritten()
                && other.name != values.name
                && other
                    .size
                    .split_first()
                    .is_some_and(|(_, others)| others == rest)
        };
        let into: Vec<&Buffer> = buffers.iter().filter(fits).collect();
        if indices.is_empty() || into.is_empty() {
            return;
        }
        let indices = indices[self.numbers.index(indices.len())].clone();
        let into = into[self.numbers.index(into.len())].clone();
        let is_sum = self.numbers.one_in(2);
        let largest = match is_sum {
            true => into.largest + values.largest * count,
            false => into.largest.max(values.largest),
        };
        if largest > LARGEST || indices.name == into.name {
            return;
        }
        let nest = Nest::new(&values.size);
        let op = self.nests;
        let name = format!("buf{op}");
        let place = self.place(into.size[0]);
        let mode = if is_sum { " mode \"atomic_add\"" } else { "" };
        let store = nest.at_computed("%at", &nest.coordinates[1..]);
        let _ = write!(
            self.text,
            "  %{name} = inductor.scatter \"op{op}\" as \"{name}\" {:?} into %{}{mode} {{\n  ^bb0({}):\n    \
             %x = inductor.load %{} at {} : {} -> f32\n{place}    %v = inductor.load %{} at {} : {} -> f32\n    \
             inductor.store %v at {store} : f32\n  }} : {} -> {}\n",
            values.size,
            into.name,
            nest.arguments,
            indices.name,
            nest.at(&nest.coordinates[..1]),
            indices.ty,
            values.name,
            nest.at(&nest.coordinates),
            values.ty,
            into.ty,
            into.ty
        );
        self.buffers.retain(|buffer| buffer.name != into.name);
        self.overwrite(&into.name, &name);
        self.add_buffer(name, &into.size, (into.ty, into.strides), largest);
    }
}

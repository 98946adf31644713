//! Loop nests that differ in nothing but their buffers, which are made simpler once.
//!
//! The layers of a model are alike, and so are most operations of a chain. Which loops are merged, and in which order they go,
//! depends on extents and index expressions alone: it is found for the first nest of its shape, and others get it with their own
//! buffers.

use rustc_hash::FxHashMap;

use super::deps::{Dep, Memory};
use super::graph::distinct;
use super::nest::{Access, Nest, Simpler};
use super::program::{BufferId, Program};
use crate::expr::Overflow;

/// The buffer of every access of a shape.
const ANY: BufferId = BufferId(u32::MAX);

/// A loop nest that was made simpler, and its dependences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Simplified {
    /// The loops.
    pub(super) loops: Simpler,
    /// What it reads, each once, in order.
    pub(super) reads: Vec<Dep>,
    /// What it makes.
    pub(super) writes: Vec<Dep>,
}

/// What is found for a shape. Accesses are to [`ANY`] buffer, in the order of the nest, with repetitions.
struct Found {
    loops: Simpler,
    loads: Vec<Memory>,
    stores: Vec<Memory>,
}

/// The shapes of the loop nests of one program.
#[derive(Default)]
pub(super) struct Shapes {
    known: FxHashMap<Nest, Found>,
}

impl Shapes {
    /// Makes a loop nest of the program simpler, and finds its dependences.
    ///
    /// # Errors
    /// A number is too large.
    pub(super) fn simplify(
        &mut self,
        program: &Program,
        nest: &Nest,
    ) -> Result<Simplified, Overflow> {
        let shape = shape(nest);
        if let Some(found) = self.known.get(&shape) {
            return Ok(found.of(nest));
        }
        let found = Found::new(shape.simpler(program, &[])?)?;
        let simplified = found.of(nest);
        self.known.insert(shape, found);
        Ok(simplified)
    }
}

/// Returns a nest without its buffers.
fn shape(nest: &Nest) -> Nest {
    let mut shape = nest.clone();
    for access in shape.loads.iter_mut().chain(&mut shape.stores) {
        access.buffer = ANY;
    }
    shape
}

impl Found {
    fn new(loops: Simpler) -> Result<Self, Overflow> {
        let memories = |list: &[Access]| -> Result<Vec<Memory>, Overflow> {
            let new = list
                .iter()
                .map(|access| Memory::of(access, &loops.nest.loops));
            new.collect()
        };
        Ok(Self {
            loads: memories(&loops.nest.loads)?,
            stores: memories(&loops.nest.stores)?,
            loops,
        })
    }

    /// Returns what is found, for a nest of the shape.
    fn of(&self, nest: &Nest) -> Simplified {
        let mut loops = self.loops.clone();
        name(&mut loops.nest.loads, &nest.loads);
        name(&mut loops.nest.stores, &nest.stores);
        Simplified {
            loops,
            reads: deps(&self.loads, &nest.loads),
            writes: deps(&self.stores, &nest.stores),
        }
    }
}

/// Gives accesses the buffers of others.
fn name(accesses: &mut [Access], of: &[Access]) {
    for (access, own) in accesses.iter_mut().zip(of) {
        access.buffer = own.buffer;
    }
}

/// Returns the dependences of accesses, each once.
fn deps(memories: &[Memory], of: &[Access]) -> Vec<Dep> {
    let own = memories.iter().zip(of).map(|(memory, access)| {
        Dep::Memory(Memory {
            buffer: access.buffer,
            ..memory.clone()
        })
    });
    distinct(own)
}

#[cfg(test)]
mod tests {
    use super::super::graph::accesses;
    use super::*;
    use crate::expr::{Expr, Var};

    /// Returns a place of two loops, with its steps along them.
    fn place(outer: i64, inner: i64) -> Expr {
        let [outer, inner] = [(0, outer), (1, inner)].map(|(number, step)| {
            let var = Expr::var(Var::Loop(number));
            var.scale(step).expect("small numbers")
        });
        outer.add(&inner).expect("small numbers")
    }

    /// Returns a nest of 30 by 40 iterations that reads some buffers at places, and writes one.
    fn nest(reads: &[(u32, Expr)], made: u32) -> Nest {
        let access = |buffer: u32, index: &Expr| Access {
            buffer: BufferId(buffer),
            index: index.clone(),
            mode: None,
        };
        Nest {
            loops: vec![Expr::constant(30), Expr::constant(40)],
            parallel: 2,
            loads: reads.iter().map(|(of, at)| access(*of, at)).collect(),
            stores: vec![access(made, &place(40, 1))],
            numbers: Vec::new(),
        }
    }

    /// Checks that a nest gets what it gets without its shape.
    fn check(shapes: &mut Shapes, nest: &Nest) -> Simplified {
        let program = Program::default();
        let found = shapes.simplify(&program, nest).expect("small numbers");
        let loops = nest.simpler(&program, &[]).expect("small numbers");
        let (reads, writes) = accesses(&loops).expect("small numbers");
        let alone = Simplified {
            loops,
            reads,
            writes,
        };
        assert_eq!(found, alone);
        found
    }

    #[test]
    fn nests_of_one_shape_are_made_simpler_once() {
        let mut shapes = Shapes::default();
        for number in 0..5 {
            let found = check(&mut shapes, &nest(&[(number, place(40, 1))], number + 1));
            assert_eq!(found.loops.nest.loops, [Expr::constant(1200)]);
        }
        assert_eq!(shapes.known.len(), 1);
    }

    #[test]
    fn nests_of_other_places_have_other_shapes() {
        let mut shapes = Shapes::default();
        check(&mut shapes, &nest(&[(0, place(40, 1))], 1));
        let transposed = check(&mut shapes, &nest(&[(1, place(1, 30))], 2));
        assert_eq!(transposed.loops.nest.loops.len(), 2);
        assert_eq!(shapes.known.len(), 2);
    }

    #[test]
    fn what_is_read_twice_is_one_dependence_of_that_nest_alone() {
        let mut shapes = Shapes::default();
        let reads = |a, b| [(a, place(40, 1)), (b, place(40, 1))];
        let twice = check(&mut shapes, &nest(&reads(0, 0), 1));
        assert_eq!(twice.reads.len(), 1);
        let apart = check(&mut shapes, &nest(&reads(0, 1), 2));
        assert_eq!(apart.reads.len(), 2);
        assert_eq!(shapes.known.len(), 1);
    }
}

//! The reads and writes of a node, in a form in which equal accesses compare equal.

use std::rc::Rc;

use spyre_index_expr::{Expr, Overflow, Var};

use super::merge::merge;
use super::nest::{Access, Nest, vars};
use super::program::{BufferId, Program};

/// A dependence of a node on a buffer, or a buffer that it writes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Dep {
    /// Elements of a buffer.
    Memory(BufferId, Rc<Elements>),
    /// All of a buffer.
    Star(BufferId, Option<String>),
    /// An order without data: the buffer has to be computed before another one is overwritten.
    Weak {
        /// The buffer that has to be there.
        buffer: BufferId,
        /// The buffer that overwrites.
        overwriting: BufferId,
        /// Whether the buffer may be freed before.
        is_fake: bool,
    },
}

/// Elements of some buffer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Elements {
    /// The place in its memory, in elements, as a function of loops.
    pub index: Expr,
    /// The extents of the loops, up to the last one that matters.
    pub loops: Vec<Expr>,
    /// How a store combines with the previous value.
    pub mode: Option<String>,
}

impl Elements {
    /// Returns the elements of an access, with loops merged as far as this access alone allows.
    ///
    /// # Errors
    /// A number is too large.
    pub fn from_access(access: &Access, loops: &[Expr]) -> Result<Self, Overflow> {
        let vars = vars(loops.len());
        let merged = merge(&vars, loops, std::slice::from_ref(&access.index))?;
        let is_same = merged.sizes.len() == loops.len();
        let index = if is_same {
            access.index.clone()
        } else {
            access.index.substitute(&|var| match var {
                Var::Loop(number) => Some(match merged.place[number as usize] {
                    None => Expr::constant(0),
                    Some(place) => {
                        let place = u32::try_from(place).expect("loops are few");
                        Expr::var(Var::Loop(place))
                    }
                }),
                _ => None,
            })?
        };
        let mut loops = merged.sizes;
        while loops
            .len()
            .checked_sub(1)
            .is_some_and(|last| !index.has_loop(last))
        {
            loops.pop();
        }
        Ok(Self {
            index,
            loops,
            mode: access.mode.clone(),
        })
    }

    /// Returns whether the index depends on loaded values.
    #[must_use]
    pub fn is_indirect(&self) -> bool {
        self.index.is_indirect()
    }
}

/// The reads and writes of loops, in their order, with repetitions.
#[derive(Debug)]
pub(super) struct Accesses {
    loads: Vec<Rc<Elements>>,
    stores: Vec<Rc<Elements>>,
}

impl Accesses {
    /// Collects the reads and writes of a nest.
    ///
    /// # Errors
    /// A number is too large.
    pub(super) fn from_nest(nest: &Nest) -> Result<Self, Overflow> {
        let elements = |list: &[Access]| {
            let accesses = list.iter();
            accesses
                .map(|access| Elements::from_access(access, &nest.loops).map(Rc::new))
                .collect::<Result<Vec<_>, _>>()
        };
        Ok(Self {
            loads: elements(&nest.loads)?,
            stores: elements(&nest.stores)?,
        })
    }

    /// Returns the dependences of a nest that reads some buffers, one for each load: each once, in order.
    pub(super) fn reads(&self, from: &[BufferId]) -> Vec<Dep> {
        let reads = from.iter().zip(&self.loads);
        distinct(reads.map(|(buffer, elements)| Dep::Memory(*buffer, Rc::clone(elements))))
    }

    /// Returns the writes of a nest to its buffer.
    pub(super) fn writes(&self, buffer: BufferId) -> Vec<Dep> {
        let writes = self.stores.iter();
        distinct(writes.map(|elements| Dep::Memory(buffer, Rc::clone(elements))))
    }
}

/// Returns dependences without duplicates, in order of first occurrence.
pub(super) fn distinct(deps: impl Iterator<Item = Dep>) -> Vec<Dep> {
    let mut list: Vec<Dep> = Vec::with_capacity(deps.size_hint().0);
    for dep in deps {
        if !list.contains(&dep) {
            list.push(dep);
        }
    }
    list
}

impl Dep {
    /// Returns the buffer.
    #[must_use]
    pub fn buffer(&self) -> BufferId {
        match self {
            Self::Memory(buffer, _) | Self::Star(buffer, _) | Self::Weak { buffer, .. } => *buffer,
        }
    }

    /// Returns the accessed bytes, at the sizes that the program was traced with; 0 if they are not
    /// known.
    #[must_use]
    pub fn bytes(&self, program: &Program) -> i64 {
        let elements = match self {
            Self::Weak { .. } => return 1,
            Self::Star(buffer, _) => program.elements(*buffer),
            Self::Memory(buffer, elements) if elements.is_indirect() => program.elements(*buffer),
            Self::Memory(_, elements) => {
                let sizes = elements.loops.iter().enumerate();
                let mut loop_sizes = sizes.filter(|(number, _)| elements.index.has_loop(*number));
                loop_sizes.try_fold(1_i64, |product, (_, size)| {
                    product.checked_mul(program.hint(size)?)
                })
            }
        };
        let bytes =
            elements.and_then(|elements| elements.checked_mul(program[self.buffer()].bytes));
        bytes.unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_twice_is_one_dependence_of_that_nest_alone() {
        let place = || Access {
            index: Expr::var(Var::Loop(0)),
            mode: None,
        };
        let nest = Nest {
            loops: vec![Expr::constant(30)],
            parallel: 1,
            loads: vec![place(), place()],
            stores: vec![place()],
            numbers: Vec::new(),
        };
        let accesses = Accesses::from_nest(&nest).expect("small numbers");
        let [a, b] = [0, 1].map(BufferId);
        let elements = Elements::from_access(&place(), &nest.loops).expect("small numbers");
        let dep = |buffer| Dep::Memory(buffer, Rc::new(elements.clone()));
        assert_eq!(accesses.reads(&[a, a]), [dep(a)]);
        assert_eq!(accesses.reads(&[a, b]), [dep(a), dep(b)]);
        assert_eq!(accesses.writes(b), [dep(b)]);
    }
}

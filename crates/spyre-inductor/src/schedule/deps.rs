//! What a node needs, and what it makes: accesses in a form in which equal ones are equal values.

use super::merge::merge;
use super::nest::{Access, vars};
use super::program::{BufferId, Program};
use crate::expr::{Expr, Overflow, Var};

/// A dependence of a node on a buffer, or a buffer that it makes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Dep {
    /// Elements of a buffer.
    Memory(Memory),
    /// All of a buffer.
    Star(BufferId, Option<String>),
    /// An order: the buffer has to be there before another one is overwritten.
    Weak {
        /// The buffer that has to be there.
        buffer: BufferId,
        /// The buffer that overwrites.
        overwriting: BufferId,
        /// Whether the buffer may be freed before.
        is_fake: bool,
    },
}

/// Elements of a buffer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Memory {
    /// The buffer.
    pub buffer: BufferId,
    /// The place in its memory, in elements, as a function of loops.
    pub index: Expr,
    /// The extents of the loops, up to the last one that matters.
    pub loops: Vec<Expr>,
    /// How a store combines with what there was.
    pub mode: Option<String>,
}

impl Memory {
    /// Returns the elements of an access, with loops merged as far as this access alone allows.
    ///
    /// # Errors
    /// A number is too large.
    pub fn of(access: &Access, loops: &[Expr]) -> Result<Self, Overflow> {
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
            buffer: access.buffer,
            index,
            loops,
            mode: access.mode.clone(),
        })
    }

    /// Returns whether the place depends on what the program reads.
    #[must_use]
    pub fn is_indirect(&self) -> bool {
        self.index.is_indirect()
    }
}

impl Dep {
    /// Returns the buffer.
    #[must_use]
    pub fn buffer(&self) -> BufferId {
        match self {
            Self::Memory(memory) => memory.buffer,
            Self::Star(buffer, _) | Self::Weak { buffer, .. } => *buffer,
        }
    }

    /// Returns how many bytes it stands for, at the sizes that the program was traced with; 0 if they are not known.
    #[must_use]
    pub fn bytes(&self, program: &Program) -> i64 {
        let elements = match self {
            Self::Weak { .. } => return 1,
            Self::Star(buffer, _) => program.elements(*buffer),
            Self::Memory(memory) if memory.is_indirect() => program.elements(memory.buffer),
            Self::Memory(memory) => {
                let sizes = memory.loops.iter().enumerate();
                let mut own = sizes.filter(|(number, _)| memory.index.has_loop(*number));
                own.try_fold(1_i64, |product, (_, size)| {
                    product.checked_mul(program.hint(size)?)
                })
            }
        };
        let bytes =
            elements.and_then(|elements| elements.checked_mul(program[self.buffer()].bytes));
        bytes.unwrap_or(0)
    }
}

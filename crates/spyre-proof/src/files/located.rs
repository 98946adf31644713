//! The place of an element in the program: its buffer, and the byte in it.

use std::rc::Rc;

use crate::address::Run;
use crate::claim::Reason;
use crate::expr::{Expr, Var};
use crate::memory::{Buffer, Memory, Nowhere, run};
use crate::program::{Access, Program};

/// The place of an element.
#[derive(Clone, Debug)]
pub(super) struct Located {
    /// The bytes that the element is one of; those of a core in the scratchpad.
    pub buffer: Rc<Buffer>,
    /// The byte of the element in the memory, over counters, [`Var::Core`] and the variables of the access.
    pub byte: Expr,
    /// The position in the buffer, one expression for each dimension.
    pub position: Vec<Expr>,
    /// Bytes of an element.
    pub width: i64,
    /// The extent of the tensor along the dimension whose position is [`Var::Gathered`].
    pub gathered: Option<i64>,
    /// The distances in the buffer. The order of elements in a stick, where it is not that of their positions, is the
    /// same function of the byte in the program and in files.
    run: Run,
}

impl Located {
    /// Returns the place of the elements of an access.
    ///
    /// # Errors
    /// The tensor has no place that is modelled.
    pub(super) fn of(
        program: &Program,
        memory: &Memory<'_>,
        access: &Access,
    ) -> Result<Self, Reason> {
        let value = program.value(access.value);
        let mut dims = access.index.iter().zip(&value.shape);
        let gathered = dims.find_map(|(expr, extent)| {
            let is_gathered = matches!(expr.as_var(), Some(Var::Gathered(_)));
            is_gathered.then(|| program.largest(*extent))
        });
        let location = memory.resolve(access.value, access.index.clone());
        let location = location.map_err(|nowhere| unplaced(program, nowhere))?;
        let buffer = memory.buffer(location.root)?;
        let root = program.value(location.root);
        let run = run(root, &buffer)?;
        let position = buffer.position(&location.element);
        Ok(Self {
            byte: run.byte(&position).plus(&buffer.start.into()),
            position,
            width: root.width,
            gathered,
            run,
            buffer,
        })
    }

    /// Returns the byte of another position in the buffer.
    pub(super) fn byte_at(&self, position: &[Expr]) -> Expr {
        self.run.byte(position).plus(&self.buffer.start.into())
    }

    /// Returns the dimension that the elements of sticks run along; `None` for sticks of one element.
    pub(super) fn stick_dim(&self) -> Option<usize> {
        self.run.steps.last().and_then(|step| step.dim)
    }
}

/// Returns why a tensor has no place.
fn unplaced(program: &Program, nowhere: Nowhere) -> Reason {
    match nowhere {
        Nowhere::Unknown(reason) => reason,
        Nowhere::NoPlace(value) => Reason::File(format!(
            "a tensor of {} without a place or a layout in the program",
            program.value(value).element
        )),
        Nowhere::Inserted(..) => {
            Reason::File("a result in a window that is not inserted once".to_owned())
        }
    }
}

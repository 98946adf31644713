//! P3: the last stick of a write overwrites no element that has been written.

use super::build::{Builder, ROWS};
use super::{assert_proved, fault};
use crate::claim::{By, Claim, Witness};
use crate::expr::{Expr, Var};
use crate::program::{Place, Program};

/// Writes windows of these first positions and extents along the columns, one after the other, into a tensor of 192
/// columns.
fn windows<const N: usize>(of_columns: [(i64, i64); N]) -> Program {
    let mut of = Builder::new();
    let x = of.argument(0, [ROWS, 192]);
    let mut y = of.empty([ROWS, 192], Place::Argument(1));
    for (first, count) in of_columns {
        let at = [Expr::zero(), first.into()];
        let w = of.slice(x, at.clone(), [ROWS, count]);
        let tile = of.split(&[2, 1]).unary("exp", w, Place::Window);
        y = of.insert(tile, y, at);
    }
    of.returns(&[y])
}

fn lost(program: &Program) -> Witness {
    let (claim, subject, witness) = fault(program);
    assert_eq!((claim, subject.as_str()), (Claim::Order, "result 0"));
    witness
}

#[test]
fn a_window_that_ends_inside_of_a_stick_overwrites_what_was_written() {
    let witness = lost(&windows([(0, 128), (0, 100)]));
    assert_eq!(
        witness.message,
        "the write ends at position 100 along dimension 1 of the tensor, inside of a stick of 64, and overwrites element \
         [0, 100] with the rest of the stick"
    );
    assert_eq!((witness.core, &witness.point[..]), (Some(0), &[0, 0][..]));
    let notes: Vec<_> = witness
        .notes
        .iter()
        .map(|(_, note)| note.as_str())
        .collect();
    assert_eq!(
        notes,
        [
            "the tensor with the element is here",
            "the element is written here"
        ]
    );
}

#[test]
fn elements_without_contents_and_ends_of_tensors_are_not_lost() {
    // What is overwritten is written later.
    assert_proved(&windows([(0, 100), (0, 128), (128, 64)]), By::Solver);
    // Sticks after the one with the end are not touched.
    assert_proved(&windows([(64, 128), (0, 50)]), By::Solver);
    // The second half of a stick of another column of sticks.
    assert_proved(&windows([(0, 64), (64, 64), (128, 64)]), By::Form);
    assert_proved(&windows([(0, 128), (128, 64)]), By::Form);
}

#[test]
fn a_tensor_may_end_inside_of_a_stick() {
    let mut of = Builder::new();
    let x = of.argument(0, [ROWS, 100]);
    let y = of.empty([ROWS, 100], Place::Argument(1));
    let at = [Expr::zero(), 64.into()];
    let w = of.slice(x, at.clone(), [ROWS, 36]);
    let tile = of.unary("exp", w, Place::Window);
    let y = of.insert(tile, y, at);
    assert_proved(&of.returns(&[y]), By::Form);
}

/// Windows of some columns at every stick of a tensor that has contents, or has none.
fn looped(columns: i64, has_contents: bool) -> Program {
    let mut of = Builder::new();
    let x = of.argument(0, [ROWS, 256]);
    let init = match has_contents {
        true => of.split(&[2, 1]).unary("neg", x, Place::Argument(1)),
        false => of.empty([ROWS, 256], Place::Argument(1)),
    };
    let (id, carried) = of.begin(4, &[init]);
    let at = [Expr::zero(), Expr::from(Var::Counter(id)).times(64)];
    let w = of.slice(x, at.clone(), [ROWS, columns]);
    let tile = of.split(&[2, 1]).unary("exp", w, Place::Window);
    let m = of.insert(tile, carried[0], at);
    of.end(&[m]);
    of.program()
}

#[test]
fn windows_in_loops_are_decided_for_all_iterations() {
    let witness = lost(&looped(32, true));
    assert_eq!(witness.counters[0].1, 0, "the first iteration");
    assert!(
        witness.message.contains("element [0, 32]"),
        "{}",
        witness.message
    );
    assert_proved(&looped(32, false), By::Solver);
    assert_proved(&looped(64, true), By::Form);
}

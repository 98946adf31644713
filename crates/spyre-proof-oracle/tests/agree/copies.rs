//! Reductions of copies: proofs agree with the numbers, for any number of copies before and after a rewrite.
//!
//! Random programs seldom reduce equal elements, so each of these has them: a row is copied by a move, by an operation
//! that reads it again for each copy, or by the reduction itself.

use spyre_isl::Context;
use spyre_proof::expr::Expr;
use spyre_proof::program::{Program, ValueId};
use spyre_proof::rewrite::prove_rewrite;
use spyre_proof_oracle::build::{Builder, key, point, points};
use spyre_proof_oracle::compare::compare;
use spyre_proof_oracle::judge::{Answer, answer};

use super::BUDGET;
use super::tally::Tally;
use spyre_proof::claim::Claim;

/// How the copies of a row are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Copies {
    Moved,
    Computed,
    Read,
}

const ALL: [Copies; 3] = [Copies::Moved, Copies::Computed, Copies::Read];

/// The reductions, each with the operation that combines two of them, and its identity.
const REDUCTIONS: [(&str, &str, &str); 5] = [
    ("max", "maximum", "0xfc00"),
    ("min", "minimum", "0x7c00"),
    ("absmax", "maximum", "0x0000"),
    ("sum", "add", "0x0000"),
    ("prod", "mul", "0x3c00"),
];

/// A reduction of all elements of one row of `[2, 3]`, or of the elements of a column of it, in copies.
#[derive(Clone, Copy, Debug)]
struct Case {
    copies: Copies,
    /// The copies of each element.
    count: i64,
    /// The tiles of copies, which are combined in a loop; 0 for none.
    tiles: i64,
    /// Whether the other dimension is reduced as well.
    is_row: bool,
    /// The row.
    row: i64,
}

impl Case {
    /// Returns a reduction of `count` copies of a row.
    fn tile(self, builder: &mut Builder, name: &str, argument: ValueId, count: i64) -> ValueId {
        let first = vec![Expr::from(self.row), Expr::zero()];
        let row = builder.slice(argument, first, vec![None, Some(0)], &[3]);
        let of_row = vec![point(0)];
        let copied = match self.copies {
            Copies::Moved => builder.statement(key("copy", 1), &[3, count], 0, vec![(row, of_row)]),
            Copies::Computed => {
                let operands = vec![(row, of_row.clone()), (row, of_row)];
                builder.statement(key("mul", 2), &[3, count], 0, operands)
            }
            Copies::Read => row,
        };
        // The copies are reduced, and the elements of the row are before them in the space, or after them.
        let (of_row, of_copies) = if self.is_row { (1, 2) } else { (0, 1) };
        let index = match self.copies {
            Copies::Read => vec![point(of_row)],
            _ => vec![point(of_row), point(of_copies)],
        };
        let (space, reduced) = match self.is_row {
            true => (vec![1, 3, count], 2),
            false => (vec![3, count], 1),
        };
        builder.statement(key(name, 1), &space, reduced, vec![(copied, index)])
    }

    fn program(self, (name, combiner, identity): (&str, &str, &str)) -> Program {
        let mut builder = Builder::new(64);
        let argument = builder.argument(&[2, 3]);
        let result = if self.tiles == 0 {
            self.tile(&mut builder, name, argument, self.count)
        } else {
            let rank = if self.is_row { 1 } else { 3 };
            let init = builder.constant(identity, &[rank]);
            let (_, carried) = builder.open_loop((0, self.tiles, 1), &[init]);
            let part = self.tile(&mut builder, name, argument, self.count / self.tiles);
            let operands = vec![(carried[0], points(1)), (part, points(1))];
            let next = builder.statement(key(combiner, 2), &[rank], 0, operands);
            builder.close_loop(&[next])[0]
        };
        let shape = builder.shape(result);
        let exp = builder.statement(key("exp", 1), &shape, 0, vec![(result, points(1))]);
        builder.finish(vec![exp])
    }
}

#[test]
fn reductions_of_copies_agree_with_their_numbers() {
    let mut cases = Vec::new();
    for copies in ALL {
        for is_row in [false, true] {
            for (count, tiles) in [(1, 0), (4, 0), (6, 0), (6, 2), (6, 3), (6, 6)] {
                for row in [0, 1] {
                    cases.push(Case {
                        copies,
                        count,
                        tiles,
                        is_row,
                        row,
                    });
                }
            }
        }
    }
    let mut tally = Tally::default();
    let mut proved = 0;
    for of in REDUCTIONS {
        let is_idempotent = !matches!(of.0, "sum" | "prod");
        for before in &cases {
            // One program before is whole, as before tiling.
            if before.tiles != 0 || before.row != 0 {
                continue;
            }
            let program = before.program(of);
            for after in cases.iter().filter(|after| after.is_row == before.is_row) {
                // What a copy computes is the number of another operation.
                let is_computed = |case: &Case| case.copies == Copies::Computed;
                if is_computed(before) != is_computed(after) {
                    continue;
                }
                let title = format!("{} {before:?} {after:?}", of.0);
                let rewritten = after.program(of);
                let context = Context::new(BUDGET);
                tally.rewrite(&context, &title, &program, &rewritten);
                let is_equal = compare(&program, &rewritten, &[]).is_equal();
                let expected =
                    before.row == after.row && (is_idempotent || before.count == after.count);
                assert_eq!(is_equal, expected, "{title}");
                let report = prove_rewrite(&context, &program, &rewritten);
                let found = answer(&report, &[Claim::Coverage, Claim::Correspondence]);
                let is_right = match (is_equal, found) {
                    (true, Answer::Proved) | (false, Answer::Refuted | Answer::Unknown) => true,
                    // Which copy of a term is which is not determined.
                    (true, Answer::Unknown) => !is_idempotent,
                    (true, Answer::Refuted) | (false, Answer::Proved) => false,
                };
                assert!(is_right, "{title}: {found:?} {:#?}", report.findings);
                proved += usize::from(found == Answer::Proved);
            }
        }
    }
    assert!(tally.disagreements.is_empty(), "{:?}", tally.disagreements);
    assert!(proved > 300, "{proved} are proved");
}

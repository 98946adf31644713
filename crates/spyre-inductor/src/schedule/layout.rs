//! The default layout of a buffer: the order in which its defining node reads.

use spyre_index_expr::{Expr, Overflow, Var};

use super::nest::stride_hints;
use super::order;
use super::program::{BufferId, Program};

/// Returns the strides of a dense buffer with dimension `order[0]` innermost, then `order[1]`, and so on.
///
/// # Errors
/// A number is too large.
pub fn filled(order: &[usize], size: &[Expr]) -> Result<Vec<Expr>, Overflow> {
    let mut strides = vec![Expr::constant(0); size.len()];
    let mut next = Expr::constant(1);
    for dim in order {
        strides[*dim] = next.clone();
        next = next.mul(&size[*dim])?;
    }
    Ok(strides)
}

/// Returns the order in which the dimensions of a buffer are filled; `None` if its node has no reads.
///
/// `reads` are the accesses of its node; equal ones count once. `loops` has the loop along each dimension, `None` for a
/// dimension of one element.
///
/// # Errors
/// A number is too large.
pub fn decide(
    program: &Program,
    reads: &[(BufferId, Expr)],
    loops: &[Option<Var>],
    size: &[Expr],
) -> Result<Option<Vec<usize>>, Overflow> {
    if reads.is_empty() {
        return Ok(None);
    }
    let mut all: Vec<Var> = loops.iter().flatten().copied().collect();
    for (_, index) in reads {
        index.visit(&mut |var| {
            if matches!(var, Var::Loop(_)) && !all.contains(&var) {
                all.push(var);
            }
        });
    }
    let loop_vars: Vec<Var> = loops.iter().flatten().copied().collect();
    let mut seen: Vec<&(BufferId, Expr)> = Vec::new();
    let mut strides: Vec<Vec<i64>> = Vec::new();
    for read in reads {
        if seen.contains(&read) {
            continue;
        }
        seen.push(read);
        let mut hints = stride_hints(program, &read.1, &loop_vars, &all)?.into_iter();
        let along = loops
            .iter()
            .map(|loop_var| loop_var.and_then(|_| hints.next()));
        strides.push(along.map(|stride| stride.unwrap_or(0)).collect());
    }
    let one = Expr::constant(1);
    let is_one: Vec<bool> = size.iter().map(|size| *size == one).collect();
    Ok(Some(order::pick(&strides, &is_one)))
}

#[cfg(test)]
mod tests {
    use super::*;
    fn sizes(sizes: &[i64]) -> Vec<Expr> {
        sizes.iter().copied().map(Expr::constant).collect()
    }

    #[test]
    fn channels_last_is_filled() {
        let strides = filled(&[1, 3, 2, 0], &sizes(&[2, 6, 5, 7])).expect("small numbers");
        assert_eq!(strides, sizes(&[210, 1, 42, 6]));
    }

    #[test]
    fn a_column_of_rows_is_filled_along_the_column() {
        // max of [10, 3840] along its rows: the buffer has the extents [10, 1].
        let row = Expr::var(Var::Loop(0)).scale(3840).expect("small numbers");
        let index = row.add(&Expr::var(Var::Loop(1))).expect("small numbers");
        let read = (BufferId(0), index);
        let loops = [Some(Var::Loop(0)), None];
        let order = decide(&Program::default(), &[read], &loops, &sizes(&[10, 1]));
        let order = order.expect("small numbers").expect("it reads");
        assert_eq!(order, [0, 1]);
        assert_eq!(filled(&order, &sizes(&[10, 1])), Ok(sizes(&[1, 10])));
    }
}

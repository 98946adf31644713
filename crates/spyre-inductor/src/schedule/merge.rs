//! Which loops are one: adjacent ones along which every index expression steps through memory without a gap.

use spyre_index_expr::{Atom, Expr, Overflow, Var};

/// Loops that became fewer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The extents of the loops that are left.
    pub sizes: Vec<Expr>,
    /// The new number of each old loop; `None` for a loop that is always 0.
    pub place: Vec<Option<usize>>,
}

/// The variables with which two loops are tested for a merge.
const TESTERS: [Var; 2] = [Var::Loop(u32::MAX - 1), Var::Loop(u32::MAX)];

/// Merges loops with the induction variables `vars`, the outermost first. Loops of one iteration are removed; an inner
/// loop absorbs an outer one if one loop over all of their iterations gives each expression the same values. The order
/// of loops is kept.
///
/// # Errors
/// A number is too large.
pub fn merge(vars: &[Var], sizes: &[Expr], formulas: &[Expr]) -> Result<Merged, Overflow> {
    let mut formulas: Vec<Formula<'_>> = formulas
        .iter()
        .map(|expr| Formula::new(expr, vars))
        .collect::<Result<_, _>>()?;
    // The position in an array with the loops' extents, in which no two iterations have the same position.
    let mut dense = vec![Expr::constant(1); sizes.len()];
    for dim in (1..sizes.len()).rev() {
        dense[dim - 1] = dense[dim].mul(&sizes[dim])?;
    }
    formulas.push(Formula {
        strides: dense,
        expr: None,
    });
    let one = Expr::constant(1);
    let mut sizes: Vec<Option<Expr>> = sizes
        .iter()
        .map(|size| (*size != one).then(|| size.clone()))
        .collect();
    let count = sizes.len();
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for a in (0..count).rev() {
            for b in (0..count).rev() {
                let (Some(inner), Some(outer)) = (&sizes[a], &sizes[b]) else {
                    continue;
                };
                if a != b && can_merge(&formulas, (vars[a], a), (vars[b], b), inner)? {
                    sizes[a] = Some(inner.mul(outer)?);
                    sizes[b] = None;
                    has_changed = true;
                }
            }
        }
    }
    let mut place = Vec::with_capacity(count);
    let mut left = Vec::new();
    for size in sizes {
        place.push(size.is_some().then_some(left.len()));
        left.extend(size);
    }
    Ok(Merged { sizes: left, place })
}

/// An index expression, with its stride along each loop.
struct Formula<'e> {
    strides: Vec<Expr>,
    /// The expression, if its strides do not determine it.
    expr: Option<&'e Expr>,
}

impl<'e> Formula<'e> {
    fn new(expr: &'e Expr, vars: &[Var]) -> Result<Self, Overflow> {
        let strides = strides(expr, vars, vars)?;
        Ok(Self {
            strides,
            expr: (!is_linear(expr)).then_some(expr),
        })
    }
}

fn can_merge(
    formulas: &[Formula<'_>],
    (a, inner): (Var, usize),
    (b, outer): (Var, usize),
    size: &Expr,
) -> Result<bool, Overflow> {
    for formula in formulas {
        if formula.strides[inner].mul(size)? != formula.strides[outer] {
            return Ok(false);
        }
        let Some(expr) = formula.expr else { continue };
        let [high, low] = TESTERS.map(Expr::var);
        let scaled = high.mul(size)?;
        let apart = expr.substitute(&|var| match var {
            _ if var == a => Some(scaled.clone()),
            _ if var == b => Some(low.clone()),
            _ => None,
        })?;
        let sum = high.add(&low)?;
        let together = expr.substitute(&|var| match var {
            _ if var == a => Some(Expr::constant(0)),
            _ if var == b => Some(sum.clone()),
            _ => None,
        })?;
        if apart != together {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns by how much an expression grows from index 0 to 1 of each loop, where all loops of `all` are 0 otherwise.
///
/// # Errors
/// A number is too large.
pub fn strides(expr: &Expr, vars: &[Var], all: &[Var]) -> Result<Vec<Expr>, Overflow> {
    if is_linear(expr) {
        return linear_strides(expr, vars);
    }
    let zero = Expr::constant(0);
    let at = |loop_var: Option<(Var, i64)>| {
        expr.substitute(&|var| match loop_var {
            Some((loop_var, value)) if loop_var == var => Some(Expr::constant(value)),
            _ => all.contains(&var).then(|| zero.clone()),
        })
    };
    let first = at(None)?.scale(-1)?;
    vars.iter()
        .map(|var| at(Some((*var, 1)))?.add(&first))
        .collect()
}

/// Returns whether an expression is a sum of loops with factors.
fn is_linear(expr: &Expr) -> bool {
    expr.terms().all(|(atoms, _)| {
        let loops = atoms
            .iter()
            .filter(|atom| !matches!(atom, Atom::Var(Var::Symbol(_))));
        let mut loops = loops.map(|atom| matches!(atom, Atom::Var(_)));
        loops.next().is_none_or(|is_loop| is_loop) && loops.next().is_none()
    })
}

fn linear_strides(expr: &Expr, vars: &[Var]) -> Result<Vec<Expr>, Overflow> {
    let mut strides = vec![Expr::constant(0); vars.len()];
    for (atoms, factor) in expr.terms() {
        let mut stride = Expr::constant(factor);
        let mut loop_var = None;
        for atom in atoms {
            match atom {
                Atom::Var(var) if vars.contains(var) => loop_var = Some(*var),
                atom => stride = stride.mul(&Expr::atom(atom.clone()))?,
            }
        }
        let dim = loop_var.and_then(|loop_var| vars.iter().position(|var| *var == loop_var));
        if let Some(dim) = dim {
            strides[dim] = strides[dim].add(&stride)?;
        }
    }
    Ok(strides)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vars(count: u32) -> Vec<Var> {
        (0..count).map(Var::Loop).collect()
    }

    fn sizes(sizes: &[i64]) -> Vec<Expr> {
        sizes.iter().copied().map(Expr::constant).collect()
    }

    fn linear(factors: &[i64]) -> Expr {
        let mut sum = Expr::constant(0);
        for (var, factor) in vars(4).into_iter().zip(factors) {
            let term = Expr::var(var).scale(*factor).expect("small numbers");
            sum = sum.add(&term).expect("small numbers");
        }
        sum
    }

    fn merged(extents: &[i64], formulas: &[Expr]) -> (Vec<Expr>, Vec<Option<usize>>) {
        let count = u32::try_from(extents.len()).expect("small numbers");
        let merged = merge(&vars(count), &sizes(extents), formulas).expect("small numbers");
        (merged.sizes, merged.place)
    }

    #[test]
    fn dense_loops_are_one() {
        let (left, place) = merged(&[30, 40], &[linear(&[40, 1])]);
        assert_eq!((left, place), (sizes(&[1200]), vec![None, Some(0)]));
    }

    #[test]
    fn a_broadcast_keeps_loops_apart() {
        let (left, place) = merged(&[10, 3840], &[linear(&[3840, 1]), linear(&[1, 0])]);
        assert_eq!((left, place), (sizes(&[10, 3840]), vec![Some(0), Some(1)]));
    }

    #[test]
    fn transposed_loops_stay_in_order() {
        let (left, _) = merged(&[4, 6], &[linear(&[1, 4])]);
        assert_eq!(left, sizes(&[4, 6]));
    }

    #[test]
    fn three_loops_are_two() {
        let (left, place) = merged(&[2, 3, 1, 5], &[linear(&[100, 5, 7, 1])]);
        assert_eq!(
            (left, place),
            (sizes(&[2, 15]), vec![Some(0), None, None, Some(1)])
        );
    }

    #[test]
    fn what_only_looks_dense_is_not_merged() {
        // d1 mod 4 + 4 * d0, where d1 has 8 iterations: between iterations 0 and 1 the strides equal a dense array's.
        let wraps = Expr::var(Var::Loop(1)).digit(Expr::constant(1), Expr::constant(4));
        let index = wraps.add(&linear(&[8])).expect("small numbers");
        let (left, _) = merged(&[3, 8], &[index]);
        assert_eq!(left, sizes(&[3, 8]));
    }
}

//! Simplification of index expressions by the ranges of their variables, as PyTorch Inductor does it.

use crate::access::{Range, range};
use crate::expr::{Atom, Expr, Overflow, Var};

/// Returns the expression in its simplest form.
///
/// * A digit and the next one of the same number are one: `k * (x / d mod m) + k * m * (x / (d * m) mod n)` is
///   `k * (x / d mod (m * n))`, and with a quotient in place of the second, `k * (x / d)`.
/// * Terms that are too small to change a quotient are dropped, and a quotient of less than its divisor is 0.
/// * A digit of a digit is one digit, and the last digit of a number is its quotient.
/// * A dividend and its divisor have no common divisor.
///
/// # Errors
/// A number is too large.
pub fn simplify(expr: &Expr, ranges: &impl Fn(Var) -> Option<Range>) -> Result<Expr, Overflow> {
    let mut expr = expr.clone();
    let is_var = |atom: &Atom| matches!(atom, Atom::Var(_));
    if expr.terms().all(|(atoms, _)| atoms.iter().all(is_var)) {
        return Ok(expr);
    }
    loop {
        let mut simple = atoms(&expr, ranges)?;
        while let Some(joined) = join(&simple)? {
            simple = joined;
        }
        if simple == expr {
            return Ok(simple);
        }
        expr = simple;
    }
}

/// Simplifies the atoms of an expression.
fn atoms(expr: &Expr, ranges: &impl Fn(Var) -> Option<Range>) -> Result<Expr, Overflow> {
    let mut sum = Expr::constant(expr.offset());
    for (factors, number) in expr.terms() {
        let mut term = Expr::constant(number);
        for factor in factors {
            term = term.mul(&atom(factor, ranges)?)?;
        }
        sum = sum.add(&term)?;
    }
    Ok(sum)
}

fn atom(atom: &Atom, ranges: &impl Fn(Var) -> Option<Range>) -> Result<Expr, Overflow> {
    let unchanged = || Expr::atom(atom.clone());
    match atom {
        Atom::Quotient(operands) => match operands[1].as_constant() {
            Some(divisor) if divisor > 0 => {
                let base = &operands[0];
                let base = without_small(&simplify(base, ranges)?, divisor, ranges)?;
                if let Some((inner, inner_divisor, modulus)) = as_digit(&base)
                    && modulus % divisor == 0
                {
                    let (inner_divisor, rest) = (
                        inner_divisor.checked_mul(divisor).ok_or(Overflow)?,
                        modulus / divisor,
                    );
                    return digit(inner, inner_divisor, rest, ranges);
                }
                divided(base, divisor, ranges)
            }
            _ => Ok(unchanged()),
        },
        Atom::Digit(operands) => match (operands[1].as_constant(), operands[2].as_constant()) {
            (Some(divisor), Some(modulus)) if divisor > 0 && modulus > 0 => {
                let base = &operands[0];
                let base = without_small(&simplify(base, ranges)?, divisor, ranges)?;
                digit(base, divisor, modulus, ranges)
            }
            _ => Ok(unchanged()),
        },
        _ => Ok(unchanged()),
    }
}

/// Returns `(base floordiv divisor) mod modulus`, or the quotient if it is below the modulus.
fn digit(
    base: Expr,
    divisor: i64,
    modulus: i64,
    ranges: &impl Fn(Var) -> Option<Range>,
) -> Result<Expr, Overflow> {
    if modulus == 1 {
        return Ok(Expr::constant(0));
    }
    // A digit of a quotient is a digit.
    if let Some((inner, inner_divisor)) = as_quotient(&base) {
        return digit(
            inner,
            inner_divisor.checked_mul(divisor).ok_or(Overflow)?,
            modulus,
            ranges,
        );
    }
    let limit = divisor.checked_mul(modulus).ok_or(Overflow)?;
    if below(&base, limit, ranges) {
        return divided(base, divisor, ranges);
    }
    // A multiple of the product of both does not change the digit.
    let mut rest = Expr::constant(base.offset().rem_euclid(limit));
    for (atoms, factor) in base.terms() {
        if factor % limit != 0 {
            rest = rest.add(&term(atoms, factor)?)?;
        }
    }
    let (rest, divisor) = lowest_terms(&rest, divisor)?;
    Ok(rest.digit(Expr::constant(divisor), Expr::constant(modulus)))
}

/// Returns the quotient by a number, both without their common divisor.
fn divided(
    base: Expr,
    divisor: i64,
    ranges: &impl Fn(Var) -> Option<Range>,
) -> Result<Expr, Overflow> {
    if below(&base, divisor, ranges) {
        return Ok(Expr::constant(0));
    }
    let (base, divisor) = lowest_terms(&base, divisor)?;
    Ok(base.quotient(Expr::constant(divisor)))
}

/// Returns the dividend and the divisor, both without their common divisor. The quotient is the same.
fn lowest_terms(base: &Expr, divisor: i64) -> Result<(Expr, i64), Overflow> {
    let mut common = gcd(base.offset(), divisor);
    for (_, factor) in base.terms() {
        common = gcd(common, factor);
    }
    let mut reduced = Expr::constant(base.offset() / common);
    for (atoms, factor) in base.terms() {
        reduced = reduced.add(&term(atoms, factor / common)?)?;
    }
    Ok((reduced, divisor / common))
}

/// Returns an expression without the term that is too small to change its quotient by a number.
fn without_small(
    expr: &Expr,
    divisor: i64,
    ranges: &impl Fn(Var) -> Option<Range>,
) -> Result<Expr, Overflow> {
    for (atoms, factor) in expr.terms() {
        let small = term(atoms, factor)?;
        let rest = expr.add(&small.scale(-1)?)?;
        let mut common = gcd(rest.offset(), divisor);
        for (_, factor) in rest.terms() {
            common = gcd(common, factor);
        }
        let is_positive = range(&rest, ranges).is_some_and(|(low, _)| low >= 0);
        if is_positive && below(&small, common, ranges) && rest.terms().next().is_some() {
            return without_small(&rest, divisor, ranges);
        }
    }
    Ok(expr.clone())
}

/// Returns whether an expression is from 0 to a limit, which it does not reach.
fn below(expr: &Expr, limit: i64, ranges: &impl Fn(Var) -> Option<Range>) -> bool {
    range(expr, ranges).is_some_and(|(low, high)| 0 <= low && high < limit)
}

fn term(atoms: &[Atom], factor: i64) -> Result<Expr, Overflow> {
    let mut term = Expr::constant(factor);
    for atom in atoms {
        term = term.mul(&Expr::atom(atom.clone()))?;
    }
    Ok(term)
}

/// Returns the base, the divisor and the modulus of an expression that is one digit.
fn as_digit(expr: &Expr) -> Option<(Expr, i64, i64)> {
    let mut terms = expr.terms();
    let (Some((atoms, 1)), None, 0) = (terms.next(), terms.next(), expr.offset()) else {
        return None;
    };
    let [Atom::Digit(operands)] = atoms else {
        return None;
    };
    let [base, by, modulus] = &**operands;
    Some((base.clone(), by.as_constant()?, modulus.as_constant()?))
}

/// Returns the base and the divisor of an expression that is one quotient.
fn as_quotient(expr: &Expr) -> Option<(Expr, i64)> {
    let mut terms = expr.terms();
    let (Some(([Atom::Quotient(operands)], 1)), None, 0) =
        (terms.next(), terms.next(), expr.offset())
    else {
        return None;
    };
    let [base, by] = &**operands;
    let divisor = by.as_constant().filter(|divisor| *divisor > 0)?;
    Some((base.clone(), divisor))
}

/// Joins two digits that are next to each other; `None` if there are none.
fn join(expr: &Expr) -> Result<Option<Expr>, Overflow> {
    for (low, factor) in expr.terms() {
        let [Atom::Digit(operands)] = low else {
            continue;
        };
        let [base, by, modulus] = &**operands;
        let (Some(divisor), Some(modulus)) = (by.as_constant(), modulus.as_constant()) else {
            continue;
        };
        let (Some(next_factor), Some(next_divisor)) =
            (factor.checked_mul(modulus), divisor.checked_mul(modulus))
        else {
            continue;
        };
        for (high, term_factor) in expr.terms() {
            if term_factor != next_factor {
                continue;
            }
            let joined = match high {
                [Atom::Digit(other)]
                    if other[0] == *base && other[1].as_constant() == Some(next_divisor) =>
                {
                    let last = other[2].as_constant();
                    let Some(all) = last.and_then(|it| it.checked_mul(modulus)) else {
                        continue;
                    };
                    base.clone()
                        .digit(Expr::constant(divisor), Expr::constant(all))
                }
                [Atom::Quotient(other)]
                    if other[0] == *base && other[1].as_constant() == Some(next_divisor) =>
                {
                    base.clone().quotient(Expr::constant(divisor))
                }
                _ => continue,
            };
            let parts = term(low, factor)?.add(&term(high, term_factor)?)?;
            let rest = expr.add(&parts.scale(-1)?)?;
            return Ok(Some(rest.add(&joined.scale(factor)?)?));
        }
    }
    Ok(None)
}

fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.saturating_abs(), b.saturating_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const EXTENTS: [i64; 3] = [12, 10, 16];

    fn ranges(var: Var) -> Option<Range> {
        match var {
            Var::Loop(number) => Some((0, EXTENTS[number as usize] - 1)),
            _ => None,
        }
    }

    fn var(number: u32) -> Expr {
        Expr::var(Var::Loop(number))
    }

    fn digit_of(base: Expr, divisor: i64, modulus: i64) -> Expr {
        base.digit(Expr::constant(divisor), Expr::constant(modulus))
    }

    fn sum(terms: &[(i64, Expr)]) -> Expr {
        let mut sum = Expr::constant(0);
        for (factor, term) in terms {
            let term = term.scale(*factor).expect("small numbers");
            sum = sum.add(&term).expect("small numbers");
        }
        sum
    }

    #[test]
    fn digits_next_to_each_other_are_one() {
        let image = sum(&[
            (960, digit_of(var(0), 6, 2)),
            (480, digit_of(var(0), 3, 2)),
            (40, digit_of(var(0), 1, 3)),
            (120, digit_of(var(2), 4, 4)),
            (10, digit_of(var(2), 1, 4)),
            (1, var(1)),
        ]);
        let expected = sum(&[
            (480, var(0).quotient(Expr::constant(3))),
            (40, digit_of(var(0), 1, 3)),
            (120, var(2).quotient(Expr::constant(4))),
            (10, digit_of(var(2), 1, 4)),
            (1, var(1)),
        ]);
        assert_eq!(simplify(&image, &ranges), Ok(expected));
        let whole = sum(&[
            (4, var(2).quotient(Expr::constant(4))),
            (1, digit_of(var(2), 1, 4)),
        ]);
        assert_eq!(simplify(&whole, &ranges), Ok(var(2)));
    }

    #[test]
    fn a_digit_of_a_quotient_is_a_digit() {
        let inner = sum(&[(32, var(0)), (1, var(1))]);
        let digit = digit_of(inner.quotient(Expr::constant(64)), 1, 3);
        let expected = digit_of(var(0), 2, 3);
        assert_eq!(simplify(&digit, &ranges), Ok(expected));
    }

    #[test]
    fn a_digit_has_no_common_divisor() {
        let base = sum(&[(24, var(0)), (60, var(1))]);
        let digit = digit_of(base, 12, 4);
        let simple = simplify(&digit, &ranges).expect("small numbers");
        let base = sum(&[(2, var(0)), (5, var(1))]);
        assert_eq!(simple, digit_of(base, 1, 4));
        // An offset counts as well.
        let base = sum(&[(6, var(0)), (1, Expr::constant(3))]);
        let simple = simplify(&digit_of(base, 6, 2), &ranges).expect("small numbers");
        let base = sum(&[(2, var(0)), (1, Expr::constant(1))]);
        assert_eq!(simple, digit_of(base, 2, 2));
    }

    fn value(expr: &Expr, at: [i64; 3]) -> i64 {
        let with = |var| match var {
            Var::Loop(number) => Some(Expr::constant(at[number as usize])),
            _ => None,
        };
        let value = expr.substitute(&with).expect("small numbers");
        value.as_constant().expect("all variables have values")
    }

    fn linear() -> impl Strategy<Value = Expr> {
        proptest::collection::vec((0_u32..3, 0_i64..40), 1..4).prop_map(|terms| {
            let terms: Vec<(i64, Expr)> = terms
                .into_iter()
                .map(|(number, factor)| (factor, var(number)))
                .collect();
            sum(&terms)
        })
    }

    fn expression() -> impl Strategy<Value = Expr> {
        let term = (linear(), 1_i64..30, 1_i64..30, 0..3, 1_i64..50).prop_map(
            |(base, divisor, modulus, kind, factor)| {
                let term = match kind {
                    0 => base,
                    1 => base.quotient(Expr::constant(divisor)),
                    _ => digit_of(base, divisor, modulus),
                };
                (factor, term)
            },
        );
        proptest::collection::vec(term, 1..4).prop_map(|terms| sum(&terms))
    }

    proptest! {
        #[test]
        fn values_stay(expr in expression(), nest in 1_i64..20) {
            let nested = digit_of(expr.clone(), nest, 7);
            for expr in [expr, nested] {
                let simple = simplify(&expr, &ranges).expect("small numbers");
                for a in 0..EXTENTS[0] {
                    for (b, c) in [(0, 0), (9, 15), (3, 8), (7, 1), (4, 11)] {
                        prop_assert_eq!(value(&simple, [a, b, c]), value(&expr, [a, b, c]));
                    }
                }
                prop_assert_eq!(simplify(&simple, &ranges).expect("small numbers"), simple);
            }
        }
    }
}

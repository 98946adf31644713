//! Simplification of index expressions by the ranges of their variables, as PyTorch Inductor does it.

use crate::expr::{Atom, Expr, Overflow};
use crate::ranges::Ranges;
use crate::sizes::{coefficient, common_divisor, divided, split, term};

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
pub fn simplify(expr: &Expr, ranges: &impl Ranges) -> Result<Expr, Overflow> {
    let mut expr = expr.clone();
    let is_var = |atom: &Atom| matches!(atom, Atom::Var(_));
    if expr.terms().all(|(atoms, _)| atoms.iter().all(is_var)) {
        return Ok(expr);
    }
    loop {
        let mut simple = atoms(&expr, ranges)?;
        while let Some(joined) = join(&simple, ranges)? {
            simple = joined;
        }
        if simple == expr {
            return Ok(simple);
        }
        expr = simple;
    }
}

/// Simplifies the atoms of an expression.
fn atoms(expr: &Expr, ranges: &impl Ranges) -> Result<Expr, Overflow> {
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

fn atom(atom: &Atom, ranges: &impl Ranges) -> Result<Expr, Overflow> {
    match atom {
        Atom::Quotient(operands) if ranges.is_divisor(&operands[1]) => {
            let [base, divisor] = &**operands;
            let base = without_small(&simplify(base, ranges)?, divisor, ranges)?;
            if let Some([inner, inner_divisor, modulus]) = as_digit(&base, ranges)
                && let Some(rest) = divided(modulus, divisor)
            {
                return digit(inner.clone(), &inner_divisor.mul(divisor)?, &rest, ranges);
            }
            quotient(base, divisor, ranges)
        }
        Atom::Digit(operands) if operands[1..].iter().all(|by| ranges.is_divisor(by)) => {
            let [base, divisor, modulus] = &**operands;
            let base = without_small(&simplify(base, ranges)?, divisor, ranges)?;
            digit(base, divisor, modulus, ranges)
        }
        _ => Ok(Expr::atom(atom.clone())),
    }
}

/// Returns `(base floordiv divisor) mod modulus`, or the quotient if it is below the modulus.
fn digit(
    base: Expr,
    divisor: &Expr,
    modulus: &Expr,
    ranges: &impl Ranges,
) -> Result<Expr, Overflow> {
    if *modulus == 1 {
        return Ok(Expr::constant(0));
    }
    // A digit of a quotient is a digit.
    if let Some([inner, inner_divisor]) = as_quotient(&base, ranges) {
        return digit(inner.clone(), &inner_divisor.mul(divisor)?, modulus, ranges);
    }
    let limit = divisor.mul(modulus)?;
    if ranges.is_below(&base, &limit) {
        return quotient(base, divisor, ranges);
    }
    // A multiple of the product of both does not change the digit.
    let (_, rest) = split(&base, &limit)?;
    let (rest, divisor) = lowest_terms(&rest, divisor)?;
    Ok(rest.digit(divisor, modulus.clone()))
}

/// Returns the quotient by a divisor, both without their common divisor.
fn quotient(base: Expr, divisor: &Expr, ranges: &impl Ranges) -> Result<Expr, Overflow> {
    if ranges.is_below(&base, divisor) {
        return Ok(Expr::constant(0));
    }
    let (base, divisor) = lowest_terms(&base, divisor)?;
    Ok(base.quotient(divisor))
}

/// Returns the dividend and the divisor, both without their common divisor. The quotient is the same.
fn lowest_terms(base: &Expr, divisor: &Expr) -> Result<(Expr, Expr), Overflow> {
    let common = common_divisor(base, divisor)?;
    let [base, divisor] = [base, divisor].map(|expr| divided(expr, &common));
    let both = base.zip(divisor);
    Ok(both.expect("a common divisor divides both"))
}

/// Returns an expression without the term that is too small to change its quotient by a divisor.
fn without_small(expr: &Expr, divisor: &Expr, ranges: &impl Ranges) -> Result<Expr, Overflow> {
    for (atoms, factor) in expr.terms() {
        let small = term(atoms, factor)?;
        let rest = expr.sub(&small)?;
        let common = common_divisor(&rest, divisor)?;
        if ranges.is_nonnegative(&rest)
            && ranges.is_below(&small, &common)
            && rest.terms().next().is_some()
        {
            return without_small(&rest, divisor, ranges);
        }
    }
    Ok(expr.clone())
}

/// Returns the atom that an expression is.
fn as_atom(expr: &Expr) -> Option<&Atom> {
    let mut terms = expr.terms();
    match (terms.next(), terms.next(), expr.offset()) {
        (Some(([atom], 1)), None, 0) => Some(atom),
        _ => None,
    }
}

/// Returns the base, the divisor and the modulus of an expression that is one digit.
fn as_digit<'e>(expr: &'e Expr, ranges: &impl Ranges) -> Option<&'e [Expr; 3]> {
    match as_atom(expr)? {
        Atom::Digit(of) => Some(&**of).filter(|of| of[1..].iter().all(|by| ranges.is_divisor(by))),
        _ => None,
    }
}

/// Returns the base and the divisor of an expression that is one quotient.
fn as_quotient<'e>(expr: &'e Expr, ranges: &impl Ranges) -> Option<&'e [Expr; 2]> {
    match as_atom(expr)? {
        Atom::Quotient(of) => Some(&**of).filter(|of| ranges.is_divisor(&of[1])),
        _ => None,
    }
}

/// Joins two digits that are next to each other; `None` if there are none.
fn join(expr: &Expr, ranges: &impl Ranges) -> Result<Option<Expr>, Overflow> {
    // A term with a size is joined where the size divides as well.
    let parts = |(atoms, factor): (&'_ [Atom], i64)| {
        let (coefficient, atom) = coefficient(atoms, factor)?;
        let is_known = coefficient.as_constant().is_some() || ranges.is_divisor(&coefficient);
        is_known.then(|| (coefficient, atom.clone()))
    };
    for low in expr.terms() {
        let Some((factor, Atom::Digit(operands))) = parts(low) else {
            continue;
        };
        let [base, divisor, modulus] = &*operands;
        if !ranges.is_divisor(divisor) || !ranges.is_divisor(modulus) {
            continue;
        }
        let (Ok(next_factor), Ok(next_divisor)) = (factor.mul(modulus), divisor.mul(modulus))
        else {
            continue;
        };
        for high in expr.terms() {
            let joined = match parts(high) {
                Some((term_factor, _)) if term_factor != next_factor => continue,
                Some((_, Atom::Digit(other)))
                    if other[0] == *base
                        && other[1] == next_divisor
                        && ranges.is_divisor(&other[2]) =>
                {
                    let Ok(all) = other[2].mul(modulus) else {
                        continue;
                    };
                    base.clone().digit(divisor.clone(), all)
                }
                Some((_, Atom::Quotient(other)))
                    if other[0] == *base && other[1] == next_divisor =>
                {
                    base.clone().quotient(divisor.clone())
                }
                _ => continue,
            };
            let parts = term(low.0, low.1)?.add(&term(high.0, high.1)?)?;
            let rest = expr.sub(&parts)?;
            return Ok(Some(rest.add(&factor.mul(&joined)?)?));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::expr::Var;
    use crate::ranges::Range;

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
        // The offset of an index is part of the digit.
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

//! Text form of expressions: printing and reading are inverse.

use proptest::prelude::*;
use spyre_sdsc::Expr;

fn expressions() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        any::<i64>().prop_map(Expr::int),
        (-3_i64..4).prop_map(Expr::int),
        "[a-z_][a-z0-9_]{0,3}".prop_map(|name| Expr::symbol(name.as_str())),
        "[a-z][a-z0-9_]{0,3}".prop_map(|name| Expr::indirect_access(name.as_str())),
    ];
    leaf.prop_recursive(5, 40, 2, |inner| {
        let two = (inner.clone(), inner.clone());
        prop_oneof![
            two.clone().prop_map(|(a, b)| a + b),
            two.clone().prop_map(|(a, b)| a - b),
            two.clone().prop_map(|(a, b)| a * b),
            two.clone().prop_map(|(a, b)| a.divided_by(b)),
            two.prop_map(|(a, b)| a.modulo(b)),
            inner.clone().prop_map(Expr::floor),
            inner.prop_map(|a| -a),
        ]
    })
}

proptest! {
    /// The value survives a round trip, and the text is a fixed point after one.
    #[test]
    fn print_then_parse(expr in expressions(), seed in -50_i64..50) {
        let text = expr.to_string();
        let back: Expr = text.parse().map_err(|e| TestCaseError::fail(format!("{e}")))?;
        prop_assert_eq!(back.to_string(), text);
        let value_of = |s: &spyre_sdsc::Symbol| Some(seed + s.as_str().len() as i64);
        // Errors carry the text, so only successful values are comparable as such.
        prop_assert_eq!(expr.eval(value_of).ok(), back.eval(value_of).ok());
        prop_assert_eq!(back.symbols(), expr.symbols());
    }

    #[test]
    fn parsing_never_panics(text in ".{0,40}") {
        let _ = text.parse::<Expr>();
    }
}

#[test]
fn spellings() {
    for text in [
        "0",
        "-3",
        "c0 + 3",
        "c0 - 3",
        "floor(c1/64)",
        "floor(c1/64) + 1",
        "Mod(c1, 64)",
        "32768*_tile_adv_op0_lvl0 + 1048576*_tile_adv_op0_lvl1",
        "floor(32768*a) - floor(3*b/2)",
        "-c0",
        "-3*c0/2",
        "IndirectAccess(buf_i)",
        "(a + b)*(c - d)/(e*f)",
        "1/2*c1",
    ] {
        let expr: Expr = text.parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(expr.to_string(), text);
    }
    let same = [
        ("FloorDiv(s0, 64)", "floor(s0/64)"),
        ("  c1*2 ", "c1*2"),
        ("a - (b + c)", "a - (b + c)"),
    ];
    for (text, canonical) in same {
        let expr: Expr = text.parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(expr.to_string(), canonical);
    }
}

#[test]
fn builders_print_like_the_text_form() {
    let c1 = || Expr::symbol("c1");
    assert_eq!(c1().floor_div(64).to_string(), "floor(c1/64)");
    assert_eq!(c1().modulo(64).to_string(), "Mod(c1, 64)");
    assert_eq!((Expr::int(7) * c1() - Expr::int(2)).to_string(), "7*c1 - 2");
}

#[test]
fn bad_text_is_refused_with_a_column() {
    for (text, part) in [
        ("", "unexpected end"),
        ("c0 +", "unexpected end"),
        ("c0 c1", "column 4: unexpected `c`"),
        ("ceil(c0)", "unknown function `ceil`"),
        ("Mod(c0)", "expected `,`"),
        ("99999999999999999999", "does not fit 64 bits"),
        ("(c0", "expected `)`"),
    ] {
        let message = text
            .parse::<Expr>()
            .map(|e| e.to_string())
            .unwrap_or_else(|error| error.to_string());
        assert!(message.contains(part), "{text}: {message}");
    }
    let deep = "(".repeat(100_000);
    assert!(deep.parse::<Expr>().is_err());
}

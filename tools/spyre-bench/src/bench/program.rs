//! The programs that are measured.

use std::fmt::Write;

/// Operations that are tiled together: one loop nest.
pub(crate) const GROUP: usize = 10;
/// Loop nests in one function.
const GROUPS: usize = 100;

/// Returns a module of `ops` pointwise operations with tiling hints, in functions of [`GROUPS`] groups of `group`.
///
/// All values of a function form one chain from its arguments to its result, so that no pass can drop any. Every group
/// has other scope numbers, since operations with the same number share a loop.
pub(crate) fn program(ops: usize, group: usize) -> String {
    let mut text = String::from(
        "#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>\n!t = tensor<1024x4096xf16, #stick>\n",
    );
    let mut left = ops;
    let mut function = 0;
    while left > 0 {
        let size = left.min(group * GROUPS);
        append_function(&mut text, function, size, group);
        left -= size;
        function += 1;
    }
    text
}

fn append_function(text: &mut String, number: usize, size: usize, group: usize) {
    let argument = |name| format!("%{name}: !t {{spyre.dims = [\"A\", \"B\"]}}");
    let (a, b, c) = (argument("a"), argument("b"), argument("c"));
    // Writing to a String cannot fail.
    let _ = writeln!(text, "func.func @f{number}({a}, {b}, {c}) -> !t {{");
    let mut last = "%a".to_owned();
    for op in 0..size {
        let expression = match op % 3 {
            0 => format!("spyre.add {last}, %b"),
            1 => format!("spyre.mul {last}, %c"),
            _ => format!("spyre.exp {last}"),
        };
        let (outer, inner) = (op / group * 2, op / group * 2 + 1);
        last = format!("%y{op}");
        let _ = writeln!(
            text,
            "  {last} = {expression} tile [{outer}: \"A\" in 2, {inner}: \"B\" in 4] : !t"
        );
    }
    let _ = writeln!(text, "  return {last} : !t\n}}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_operations_is_exact() {
        for ops in [1, 10, 999, 1_000, 1_001, 2_500] {
            assert_eq!(program(ops, GROUP).matches(" = spyre.").count(), ops);
        }
        assert_eq!(program(2_500, GROUP).matches("func.func").count(), 3);
    }

    #[test]
    fn groups_have_their_own_hints() {
        let text = program(25, GROUP);
        assert_eq!(
            text.matches("tile [0: \"A\" in 2, 1: \"B\" in 4]").count(),
            10
        );
        assert_eq!(
            text.matches("tile [2: \"A\" in 2, 3: \"B\" in 4]").count(),
            10
        );
        assert_eq!(
            text.matches("tile [4: \"A\" in 2, 5: \"B\" in 4]").count(),
            5
        );
    }

    #[test]
    fn groups_may_be_larger() {
        let text = program(25_000, 100);
        assert_eq!(text.matches("func.func").count(), 3);
        let first = "tile [0: \"A\" in 2, 1: \"B\" in 4]";
        assert_eq!(text.matches(first).count(), 300);
    }

    #[test]
    fn every_value_is_used() {
        let text = program(30, GROUP);
        for op in 0..30 {
            let uses = text.matches(&format!("%y{op},")).count()
                + text.matches(&format!("exp %y{op} ")).count()
                + text.matches(&format!("return %y{op} ")).count();
            assert_eq!(uses, 1, "%y{op}");
        }
    }
}

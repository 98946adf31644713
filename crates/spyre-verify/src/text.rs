//! Checks of the text of `bundle.mlir` for properties that its IR does not have: the names of parameters, the names of maps, and
//! nesting that a recursive parser would not survive.

use std::collections::HashMap;

use super::report::Problem;
use super::rules::{MAPS, MLIR, PARAM_NAMES, Rule};

/// Deepest nesting of brackets. Each loop of a bundle is one bracket.
const MAX_DEPTH: usize = 256;
/// Largest number of bytes of a map. MLIR parses and simplifies maps by recursion.
const MAX_MAP: usize = 4096;
/// Largest number of signs in a row.
const MAX_SIGNS: usize = 64;

/// A parameter of the bundle by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Param<'t> {
    /// The pool, if the front end allocates it.
    Pool,
    /// A tensor of the kernel.
    Tensor(u64),
    /// A size, by the operation that first needs it and its position there.
    Size(u64, u64),
    /// A size that bounds loops.
    LoopSize(&'t str),
}

impl<'t> Param<'t> {
    /// Returns the parameter that a name stands for; `None` if it stands for none.
    fn of(name: &'t str) -> Option<Self> {
        if name == "pool_base_addr" {
            return Some(Self::Pool);
        }
        if let Some(number) = name
            .strip_prefix("arg_")
            .and_then(|n| n.strip_suffix("_base_addr"))
        {
            return number.parse().ok().map(Self::Tensor);
        }
        let stem = name.strip_suffix("_base")?;
        if let Some(size) = stem.strip_prefix("dim_") {
            return (!size.is_empty()).then_some(Self::LoopSize(size));
        }
        let (op, ordinal) = stem.strip_prefix("sym_")?.split_once('_')?;
        Some(Self::Size(op.parse().ok()?, ordinal.parse().ok()?))
    }

    /// Returns the position of its kind among the parameters.
    const fn rank(self) -> u32 {
        match self {
            Self::Pool => 0,
            Self::Tensor(_) => 1,
            Self::Size(..) => 2,
            Self::LoopSize(_) => 3,
        }
    }
}

fn problem(rule: Rule, offset: usize, message: impl Into<String>) -> Problem {
    Problem {
        rule,
        offset,
        message: message.into(),
    }
}

/// Returns a problem if MLIR must not parse the text: its parser is recursive and has no limit of its own.
pub fn too_deep(text: &str) -> Option<Problem> {
    let (mut depth, mut signs) = (0usize, 0usize);
    let mut previous = b' ';
    for (offset, byte) in text.bytes().enumerate() {
        match byte {
            b'{' | b'(' | b'[' | b'<' => depth += 1,
            b'>' if previous == b'-' => {}
            b'}' | b')' | b']' | b'>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        signs = match byte {
            b'-' => signs + 1,
            byte if byte.is_ascii_whitespace() => signs,
            _ => 0,
        };
        previous = byte;
        if depth > MAX_DEPTH || signs > MAX_SIGNS {
            let message = format!(
                "brackets are nested deeper than {MAX_DEPTH}, or {MAX_SIGNS} signs in a row"
            );
            return Some(problem(MLIR, offset, message));
        }
    }
    let maps = text
        .match_indices("affine_map<")
        .chain(text.match_indices("affine_set<"));
    for (start, word) in maps {
        let body = text.get(start + word.len()..).unwrap_or_default();
        let mut previous = b' ';
        let end = body.bytes().take(MAX_MAP + 1).position(|byte| {
            let ends = byte == b'>' && previous != b'-';
            previous = byte;
            ends
        });
        if end.is_none() && body.len() > MAX_MAP {
            return Some(problem(
                MLIR,
                start,
                format!("a map has more than {MAX_MAP} bytes"),
            ));
        }
    }
    None
}

/// Returns the names of the parameters with their places, in bytes. `None` if the text is not in the usual form.
pub fn params(text: &str) -> Option<Vec<(&str, usize)>> {
    const HEAD: &str = "func.func @sdsc_bundle(";
    let mut at = text.find(HEAD)? + HEAD.len();
    let bytes = text.as_bytes();
    let mut names = Vec::new();
    loop {
        while bytes.get(at)?.is_ascii_whitespace() {
            at += 1;
        }
        match bytes.get(at)? {
            b')' if names.is_empty() => return Some(names),
            b'%' => {}
            _ => return None,
        }
        let start = at + 1;
        let name =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.' | b'-');
        let length = bytes
            .get(start..)?
            .iter()
            .take_while(|byte| name(byte))
            .count();
        names.push((text.get(start..start + length)?, at));
        at = start + length;
        let mut depth = 0usize;
        loop {
            match bytes.get(at)? {
                b'<' | b'(' | b'[' | b'{' => depth += 1,
                b')' if depth == 0 => return Some(names),
                b',' if depth == 0 => break,
                b'>' if bytes.get(at.checked_sub(1)?) == Some(&b'-') => {}
                b'>' | b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
                _ => {}
            }
            at += 1;
        }
        at += 1;
    }
}

/// Returns the parameters that the names stand for; `None` for a name that stands for no parameter.
pub fn known<'t>(names: &[(&'t str, usize)]) -> Vec<Option<Param<'t>>> {
    names.iter().map(|(name, _)| Param::of(name)).collect()
}

/// Checks the names and their order: pool, tensors, sizes, sizes of loops. Revision r1 has tensors in any order.
pub fn check_params(names: &[(&str, usize)], is_r2: bool) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut last: Option<Param<'_>> = None;
    for (name, offset) in names {
        let Some(param) = Param::of(name) else {
            let message = format!("'%{name}' is no name of a parameter");
            problems.push(problem(PARAM_NAMES, *offset, message));
            continue;
        };
        let is_after = last.is_none_or(|last| match (last, param) {
            (Param::Tensor(last), Param::Tensor(next)) => !is_r2 || last < next,
            (Param::Size(last, at), Param::Size(next, then)) => (last, at) < (next, then),
            (Param::LoopSize(last), Param::LoopSize(next)) => last != next,
            (last, next) => last.rank() < next.rank(),
        });
        if !is_after {
            let message = format!("'%{name}' is not in the order of parameters");
            problems.push(problem(PARAM_NAMES, *offset, message));
        }
        last = Some(param);
    }
    problems
}

/// Checks that maps which have names are used, and are different.
pub fn check_maps(text: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut names: HashMap<&str, (usize, usize)> = HashMap::new();
    let mut bodies: HashMap<&str, &str> = HashMap::new();
    for (offset, _) in text.match_indices('#') {
        let rest = text.get(offset..).unwrap_or_default();
        let end = rest
            .bytes()
            .skip(1)
            .position(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b'$' | b'.'))
            .map_or(rest.len(), |length| length + 1);
        let (name, after) = rest.split_at(end);
        let starts_line = offset == 0 || text.as_bytes().get(offset - 1) == Some(&b'\n');
        match after.strip_prefix(" = ").filter(|_| starts_line) {
            Some(body) => {
                names.entry(name).or_insert((offset, 0));
                let body = body.split('\n').next().unwrap_or_default().trim();
                if let Some(same) = bodies.get(body) {
                    let message = format!("'{name}' is the same map as '{same}'");
                    problems.push(problem(MAPS, offset, message));
                } else {
                    bodies.insert(body, name);
                }
            }
            None => {
                if let Some((_, uses)) = names.get_mut(name) {
                    *uses += 1;
                }
            }
        }
    }
    for (name, (offset, _)) in names.iter().filter(|(_, (_, uses))| *uses == 0) {
        problems.push(problem(MAPS, *offset, format!("'{name}' is not used")));
    }
    problems.sort_by_key(|problem| problem.offset);
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "#map_0 = affine_map<(d0)[s0] -> (s0 + 128*d0)>\nmodule {\n\tfunc.func @sdsc_bundle(%arg_0_base_addr: \
        !sdscbundle.input_arg<index>, %sym_0_1_base: !sdscbundle.input_arg<index, granularity=64, max_value=512>) {\n\
        \t\t%addr_0 = affine.apply #map_0(%i_0)[%arg_0]\n\t}\n}\n";

    #[test]
    fn parameters_by_name() {
        let names = params(TEXT).expect("parameters");
        assert_eq!(
            known(&names),
            [Some(Param::Tensor(0)), Some(Param::Size(0, 1))]
        );
        assert_eq!(params("func.func @sdsc_bundle() {"), Some(Vec::new()));
        assert_eq!(params("func.func @sdsc_bundle("), None);
        assert_eq!(params("func.func @sdsc_bundle(%a"), None);
        assert_eq!(params("func.func @sdsc_bundle(%a: t>, %b: u)"), None);
    }

    #[test]
    fn order_of_parameters() {
        let messages = |names: &[&str], is_r2| {
            let names: Vec<_> = names.iter().map(|name| (*name, 0)).collect();
            check_params(&names, is_r2).len()
        };
        let names = [
            "pool_base_addr",
            "arg_1_base_addr",
            "arg_3_base_addr",
            "sym_0_1_base",
            "dim_s0_base",
        ];
        assert_eq!(messages(&names, true), 0);
        assert_eq!(messages(&["arg_3_base_addr", "arg_1_base_addr"], true), 1);
        assert_eq!(messages(&["arg_3_base_addr", "arg_1_base_addr"], false), 0);
        assert_eq!(messages(&["dim_s0_base", "sym_0_1_base"], true), 1);
        assert_eq!(
            messages(&["arg_x_base_addr", "sym_0_base", "dim__base"], true),
            3
        );
    }

    #[test]
    fn nesting_has_a_limit() {
        assert_eq!(too_deep(TEXT), None);
        assert!(too_deep(&"(".repeat(257)).is_some());
        assert!(too_deep(&"- ".repeat(65)).is_some());
        let map = |terms| format!("affine_map<(d0) -> (d0{})>", " + d0".repeat(terms));
        assert_eq!(too_deep(&map(10)), None);
        assert!(too_deep(&map(1000)).is_some());
    }

    #[test]
    fn maps_are_used_and_differ() {
        assert_eq!(check_maps(TEXT), []);
        let text = TEXT.replace(
            "module",
            "#map_1 = affine_map<(d0)[s0] -> (s0 + 128*d0)>\nmodule",
        );
        let messages: Vec<_> = check_maps(&text).into_iter().map(|p| p.message).collect();
        assert_eq!(
            messages,
            [
                "'#map_1' is the same map as '#map_0'",
                "'#map_1' is not used"
            ]
        );
    }
}

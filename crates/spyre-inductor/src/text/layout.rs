//! Layouts and index expressions in a dump.

use spyre_index_expr::Var;
use spyre_index_expr::ranges::range;

use super::EXPORT;
use super::syntax::{Node, NodeKind};
use super::{Wrong, wrong};
use crate::names;
use crate::schema::{Expr, Layout, LayoutKind, Text};

/// Reads an element type.
pub(super) fn dtype(node: &Node<'_>) -> Result<Text, Wrong> {
    let name = node.name().and_then(|name| name.strip_prefix("torch."));
    Ok(Text::new_static(match name {
        Some("float64") => "f64",
        Some("float32" | "float") => "f32",
        Some("float16") => "f16",
        Some("bfloat16") => "bf16",
        Some("float8_e4m3fn") => "f8E4M3FN",
        Some("float8_e5m2") => "f8E5M2",
        Some("int64") => "i64",
        Some("int32") => "i32",
        Some("int16") => "i16",
        Some("int8") => "i8",
        Some("uint8") => "u8",
        Some("bool") => "i1",
        _ => return wrong(node.at, "this is no element type"),
    }))
}

/// Reads a layout; `None` for one without elements.
pub(super) fn layout(node: &Node<'_>, symbols: &mut Vec<Text>) -> Result<Option<Layout>, Wrong> {
    let NodeKind::Call(class, arguments) = &node.kind else {
        return wrong(node.at, "this is not the description of a layout");
    };
    let kind = match *class {
        "FixedLayout" => LayoutKind::Fixed,
        "FlexibleLayout" => LayoutKind::Flexible,
        "NoneLayout" | "MultiOutputLayout" => return Ok(None),
        other => {
            let reason =
                format!("the text does not have the buffer that a {other} replaces; {EXPORT}");
            return wrong(node.at, reason);
        }
    };
    let mut read = Layout {
        kind,
        dtype: None,
        device: None,
        size: None,
        stride: None,
        offset: Some(Expr::Number(0)),
        base: None,
        base_offset: None,
        target: None,
    };
    for (key, value) in arguments {
        let mut exprs = || -> Result<Vec<Expr>, Wrong> {
            let Some(list) = value.list() else {
                return wrong(value.at, "a list is expected here");
            };
            let exprs = list.iter().map(|one| expr(one, &[], symbols));
            exprs.collect()
        };
        match key {
            Some("size") => read.size = Some(exprs()?),
            Some("stride") => read.stride = Some(exprs()?),
            Some("offset") => read.offset = Some(expr(value, &[], symbols)?),
            Some("is_pinned") => {}
            Some(other) => return wrong(value.at, format!("a layout has no '{other}'")),
            None if value.text().is_some() => read.device = value.text().map(Text::from),
            None => read.dtype = Some(dtype(value)?),
        }
    }
    let lengths = (
        read.size.as_ref().map(Vec::len),
        read.stride.as_ref().map(Vec::len),
    );
    match lengths {
        (Some(sizes), Some(strides)) if sizes == strides && read.dtype.is_some() => Ok(Some(read)),
        _ => wrong(
            node.at,
            "a layout has an element type, and as many sizes as strides",
        ),
    }
}

/// Returns whether an output of the graph is among users.
pub(super) fn has_output(users: &Node<'_>) -> bool {
    let users = users.list().unwrap_or_default();
    users.iter().any(|user| match &user.kind {
        NodeKind::Call(_, arguments) => arguments
            .iter()
            .any(|(_, value)| value.name() == Some("OUTPUT")),
        _ => false,
    })
}

/// Reads an index expression. Names that are no loops are symbols.
pub(super) fn expr(
    node: &Node<'_>,
    loops: &[&str],
    symbols: &mut Vec<Text>,
) -> Result<Expr, Wrong> {
    let mut all = |nodes: &[&Node<'_>]| -> Result<Vec<Expr>, Wrong> {
        let read = nodes.iter().map(|node| expr(node, loops, symbols));
        read.collect()
    };
    let apply = |function: &str, operands: Vec<Expr>| Expr::Apply(function.into(), operands);
    Ok(match &node.kind {
        NodeKind::Integer(value) => Expr::Number(*value),
        NodeKind::Name(name) => {
            if !loops.contains(name) {
                let number = name.trim_start_matches(|c: char| c.is_ascii_lowercase());
                let is_symbol = number.len() < name.len()
                    && !number.is_empty()
                    && number.bytes().all(|byte| byte.is_ascii_digit());
                if name.starts_with("indirect") {
                    return wrong(
                        node.at,
                        format!("the text does not have the bound of '{name}'; {EXPORT}"),
                    );
                }
                if !is_symbol {
                    return wrong(node.at, format!("'{name}' is no loop and no symbol here"));
                }
                if !symbols.iter().any(|symbol| symbol == name) {
                    symbols.push((*name).into());
                }
            }
            Expr::Name((*name).into())
        }
        NodeKind::Operator(sign, operands) => {
            let operands = all(&[&operands[0], &operands[1]])?;
            match *sign {
                "+" => apply("add", operands),
                "*" => apply("mul", operands),
                "**" => apply("pow", operands),
                "//" => apply("floordiv", operands),
                "-" => {
                    let [a, b] = <[Expr; 2]>::try_from(operands).expect("there are two");
                    let b = apply("mul", vec![Expr::Number(-1), b]);
                    apply("add", vec![a, b])
                }
                _ => return wrong(node.at, format!("'{sign}' is no operator of indices")),
            }
        }
        NodeKind::Call(function, arguments) => {
            let arguments: Vec<&Node<'_>> = arguments.iter().map(|(_, node)| node).collect();
            let operands = all(&arguments)?;
            match (*function, operands.len()) {
                ("ModularIndexing", 3) => apply("modidx", operands),
                ("FloorDiv", 2) => apply("floordiv", operands),
                ("Mod" | "PythonMod", 2) => apply("mod", operands),
                ("Max", _) => apply("max", operands),
                ("Min", _) => apply("min", operands),
                ("Identity", 1) => operands.into_iter().next().expect("there is one"),
                _ => {
                    return wrong(node.at, format!("'{function}' is no function of indices"));
                }
            }
        }
        _ => return wrong(node.at, "this is no index expression"),
    })
}

/// Returns the number of elements from the first one in memory to the last one of a buffer.
pub(super) fn span(layout: &Layout) -> Expr {
    let apply = |function: &str, operands: Vec<Expr>| Expr::Apply(function.into(), operands);
    let sizes = layout.size.iter().flatten();
    let strides = layout.stride.iter().flatten();
    let mut terms = vec![Expr::Number(1)];
    terms.extend(layout.offset.clone());
    terms.extend(sizes.zip(strides).map(|(size, stride)| {
        let last = apply("add", vec![size.clone(), Expr::Number(-1)]);
        apply("mul", vec![last, stride.clone()])
    }));
    apply("add", terms)
}

/// Returns the number of elements up to the last one that an index reaches.
pub(super) fn reach(index: &Expr, loops: &[&str], extents: &[Option<i64>]) -> Option<i64> {
    let lookup = |name: &str| {
        let number = loops.iter().position(|loop_name| *loop_name == name)?;
        Some(Var::Loop(u32::try_from(number).ok()?))
    };
    let index = names::read(index, &lookup).ok()?;
    let ranges = |var| match var {
        Var::Loop(number) => {
            let extent = extents.get(number as usize).copied().flatten()?;
            Some((0, extent - 1))
        }
        _ => None,
    };
    range(&index, &ranges)?.1.checked_add(1)
}

//! The sizes of the symbols of a graph.
//!
//! A symbol has a fixed number, or is open: then the function has a dimension with a dynamic extent,
//! a multiple of a granularity up to a maximum. An option selects between them; PyTorch's range of a
//! symbol, from `mark_dynamic`, leaves it open as well, in multiples of its smallest size.

use melior::ir::ValueLike;
use spyre_dialects::attr;
use spyre_dialects::inductor_attr::Sym;
use spyre_index_expr::sizes::Sizes;
use spyre_index_expr::tree;
use spyre_index_expr::{Expr, Overflow, Var};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};
use spyre_ods::inductor;
use spyre_plan::DynamicExtent;

use super::{SIZES, affine, error, own_layout, result};

/// The value of the option that gives all symbols the sizes that their graph was traced with.
const HINT: &str = "hint";

/// The size of a symbol, in elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    /// A number.
    Fixed(i64),
    /// A dynamic size.
    Open(DynamicExtent),
}

/// A symbol of a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Symbol {
    /// The name in PyTorch.
    pub(super) name: String,
    /// The size of the symbol.
    pub(super) size: Size,
    /// The size that the graph was traced with.
    pub(super) hint: Option<i64>,
}

/// Checks that each value of the option is `hint`, or a size of a name that no other one has.
pub(super) fn check(choices: &[String]) -> Result<(), String> {
    let mut named: Vec<(&str, &str)> = Vec::new();
    for choice in choices {
        let Some((name, size)) = choice.split_once('=') else {
            if choice == HINT {
                continue;
            }
            return Err(format!(
                "'{choice}' is no choice of a size; {SIZES}=NAME=N gives a symbol a number, {SIZES}=NAME=G:MAX leaves it open, as a multiple of G up \
                 to MAX, and {SIZES}={HINT} gives all sizes the values that the graph was traced with"
            ));
        };
        if let Some((_, first)) = named.iter().find(|(other, _)| *other == name) {
            return Err(format!(
                "{SIZES} gives '{name}' two sizes, {first} and {size}"
            ));
        }
        named.push((name, size));
    }
    Ok(())
}

/// Returns the symbols of a graph; none where it has no such attribute.
fn symbols(op: Op<'_>) -> impl Iterator<Item = Sym> {
    let symbols = ir::attribute(op, "symbols").map(attr::elements);
    symbols.into_iter().flatten().filter_map(Sym::read)
}

/// Returns the names of the symbols of a graph, `inductor.graph`.
pub fn names(op: Op<'_>) -> impl Iterator<Item = String> {
    symbols(op).map(|symbol| symbol.name)
}

/// Returns the sizes of a graph's symbols for inputs of these shapes, in elements, for symbols that
/// are the extent of an input. The first of several inputs counts. Only tensors are inputs.
#[must_use]
pub fn symbol_sizes(graph: Op<'_>, shapes: &[Vec<u64>]) -> Vec<(String, u64)> {
    let names: Vec<String> = names(graph).collect();
    let body = ir::body(graph).expect("a graph has a block");
    let inputs = ir::operations(body).filter(|op| ir::name(*op) == inductor::INPUT);
    let types = inputs.map(|op| result(op).r#type());
    let layouts = types.filter(|ty| ir::is_ranked_tensor(*ty)).map(own_layout);
    let mut sizes: Vec<(String, u64)> = Vec::new();
    for (layout, shape) in layouts.zip(shapes) {
        let map = layout.and_then(|layout| layout.size);
        let extents = map.map(|map| affine::size_exprs(map).expect("checked by the dialect"));
        for (extent, size) in extents.into_iter().flatten().zip(shape) {
            if let Some(Var::Symbol(number)) = extent.as_var()
                && let Some(name) = names.get(number as usize)
                && sizes.iter().all(|(other, _)| other != name)
            {
                sizes.push((name.clone(), *size));
            }
        }
    }
    sizes
}

/// Returns a warning for each value of the option that is for no symbol of any graph.
pub(super) fn unknown(choices: &[String], symbol_names: &[String]) -> Vec<String> {
    let names = choices
        .iter()
        .filter_map(|choice| Some(choice.split_once('=')?.0));
    let symbols = match symbol_names {
        [] => "there are none".to_owned(),
        symbol_names => format!("there are '{}'", symbol_names.join("', '")),
    };
    names
        .filter(|name| !symbol_names.iter().any(|symbol| symbol == name))
        .map(|name| format!("{SIZES} has a size for '{name}', which is no symbol; {symbols}"))
        .collect()
}

/// Returns the symbols of a graph with their sizes, by the values of the option.
pub(super) fn read<'p>(op: Op<'p>, choices: &[String]) -> Result<Vec<Symbol>, Diagnostic<'p>> {
    symbols(op)
        .map(|symbol| {
            let size = size(&symbol, choices).map_err(|err| error(op, err))?;
            let Sym { name, hint, .. } = symbol;
            Ok(Symbol { name, size, hint })
        })
        .collect()
}

fn size(symbol: &Sym, choices: &[String]) -> Result<Size, String> {
    let name = &symbol.name;
    let text = choices.iter().find_map(|choice| {
        let (key, size) = choice.split_once('=')?;
        (key == name).then_some(size)
    });
    if let Some(text) = text {
        let size = parse(text).ok_or_else(|| {
            format!(
                "'{text}' is no size of '{name}'; {SIZES}={name}=N gives it a number, and {SIZES}={name}=G:MAX leaves it open, as \
                 a multiple of G up to MAX, which is one itself"
            )
        })?;
        return match least(size).zip(symbol.min) {
            Some((least, min)) if least < min => Err(format!(
                "'{text}' admits the size {least} of '{name}', but PyTorch compiled this graph for sizes of at least {min}"
            )),
            _ => Ok(size),
        };
    }
    let is_hinted = choices.iter().any(|choice| choice == HINT);
    if let Some(hint) = symbol.hint.filter(|_| is_hinted) {
        return Ok(Size::Fixed(hint));
    }
    let number = |size: Option<i64>| size.and_then(|size| u64::try_from(size).ok());
    let (min, max) = (number(symbol.min), number(symbol.max));
    if let Some(extent) = DynamicExtent::new(min.unwrap_or(1), max.unwrap_or(0)) {
        return Ok(Size::Open(extent));
    }
    let range = match (symbol.min, symbol.max) {
        (Some(min), Some(max)) => {
            format!(", and its range {min} to {max} does not end with a multiple of {min}")
        }
        _ => ", and it has no largest size".to_owned(),
    };
    Err(format!(
        "no size is given for '{name}'{range}; {SIZES}={name}=N gives it one, {SIZES}={name}=G:MAX leaves it open, as a multiple \
         of G up to MAX, and {SIZES}=hint gives all sizes the values that the graph was traced with"
    ))
}

/// Returns the smallest number that a size may be; `None` if it is too large for a number of PyTorch.
fn least(size: Size) -> Option<i64> {
    match size {
        Size::Fixed(size) => Some(size),
        Size::Open(extent) => i64::try_from(extent.granularity()).ok(),
    }
}

/// Reads `N`, or `G:MAX`.
fn parse(text: &str) -> Option<Size> {
    match text.split_once(':') {
        None => text.parse().ok().filter(|size| *size >= 0).map(Size::Fixed),
        Some((granularity, max)) => {
            let extent = DynamicExtent::new(granularity.parse().ok()?, max.parse().ok()?);
            extent.map(Size::Open)
        }
    }
}

impl Symbol {
    /// Returns the size that is left open.
    pub(super) fn open(&self) -> Option<DynamicExtent> {
        match self.size {
            Size::Open(extent) => Some(extent),
            Size::Fixed(_) => None,
        }
    }
}

/// Returns the ranges of the open sizes.
pub(super) fn ranges(symbols: &[Symbol]) -> Sizes {
    let in_elements = |size: u64| i64::try_from(size).expect("sizes are numbers of PyTorch");
    let ranges = symbols.iter().map(|symbol| {
        let extent = symbol.open()?;
        Some((in_elements(extent.granularity()), in_elements(extent.max())))
    });
    Sizes {
        ranges: ranges.collect(),
    }
}

/// Returns an expression with numbers for the sizes that have them.
pub(super) fn specialize(expr: &Expr, symbols: &[Symbol]) -> Result<Expr, Overflow> {
    expr.substitute(&|var| match var {
        Var::Symbol(number) => match symbols.get(number as usize)?.size {
            Size::Fixed(size) => Some(Expr::constant(size)),
            Size::Open(_) => None,
        },
        Var::Loop(_) | Var::Indirect(_) => None,
    })
}

/// Returns the reason why an extent that is computed from open sizes is not converted. `what` names the dimension.
pub(super) fn computed(what: &str, extent: &Expr, symbols: &[Symbol]) -> String {
    let name = |var| match var {
        Var::Symbol(number) => symbols[number as usize].name.as_str(),
        Var::Loop(_) | Var::Indirect(_) => unreachable!("an extent is an expression of sizes"),
    };
    let mut sizes = Vec::new();
    extent.visit(&mut |var| sizes.push(name(var)));
    let extent = tree::text(extent, &|var| name(var).into());
    let size = sizes.first().expect("what is computed has a size");
    format!(
        "{what} is {extent}, which is no open size but computed from one; {SIZES}={size}=N chooses it now"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(min: Option<i64>, max: Option<i64>) -> Sym {
        Sym {
            name: "s77".to_owned(),
            hint: Some(12),
            min,
            max,
        }
    }

    fn read(sym: &Sym, choices: &[&str]) -> Result<Size, String> {
        let choices: Vec<String> = choices.iter().map(|choice| (*choice).to_owned()).collect();
        size(sym, &choices)
    }

    #[test]
    fn an_option_comes_before_the_range_of_pytorch() {
        let open =
            |granularity, max| Size::Open(DynamicExtent::new(granularity, max).expect("it is one"));
        let bounded = symbol(Some(32), Some(256));
        assert_eq!(read(&bounded, &[]), Ok(open(32, 256)));
        assert_eq!(read(&bounded, &["s77=64:512"]), Ok(open(64, 512)));
        assert_eq!(read(&bounded, &["s77=40", "hint"]), Ok(Size::Fixed(40)));
        assert_eq!(read(&bounded, &["hint"]), Ok(Size::Fixed(12)));
    }

    #[test]
    fn a_size_below_the_range_of_pytorch_is_refused() {
        let bounded = symbol(Some(2), None);
        for (text, least) in [("s77=1", 1), ("s77=0", 0), ("s77=1:8", 1)] {
            let message = read(&bounded, &[text]).expect_err("it is below 2");
            let part = format!("the size {least} of 's77'");
            assert!(
                message.contains(&part) && message.contains("of at least 2"),
                "{message}"
            );
        }
        assert_eq!(read(&bounded, &["s77=2"]), Ok(Size::Fixed(2)));
    }

    #[test]
    fn what_has_no_largest_size_is_refused_with_the_way_out() {
        let message = read(&symbol(Some(2), None), &["s1=4"]).expect_err("it is unbounded");
        assert!(
            message.contains("no largest size") && message.contains("sizes=s77=G:MAX"),
            "{message}"
        );
        let message = read(&symbol(Some(3), Some(256)), &[]).expect_err("256 is no multiple of 3");
        assert!(message.contains("3 to 256"), "{message}");
        for text in ["s77=64:100", "s77=0:0", "s77=x", "s77=-1", "s77=4:"] {
            let message = read(&symbol(None, None), &[text]).expect_err("it is no size");
            assert!(message.contains("is no size of 's77'"), "{message}");
        }
    }
}

//! Programs as short text: a line for each loop, tensor and statement.

use std::fmt::{self, Display};

use spyre_proof::expr::Expr;
use spyre_proof::program::{Access, Def, Extent, Item, Program, Value, ValueId};

/// A program that is printed in lines.
pub struct Text<'a>(pub &'a Program);

fn list<T: Display>(values: impl IntoIterator<Item = T>) -> String {
    let values: Vec<_> = values.into_iter().map(|value| value.to_string()).collect();
    values.join(", ")
}

fn name(value: ValueId) -> String {
    format!("v{}", value.index())
}

fn extents(extents: &[Extent]) -> String {
    list(extents.iter().map(|extent| match extent {
        Extent::Fixed(extent) => extent.to_string(),
        Extent::Dynamic(at) => format!("S{}", at.index()),
    }))
}

fn access(access: &Access) -> String {
    format!("{}[{}]", name(access.value), list(&access.index))
}

fn dims(dims: &[Option<usize>]) -> String {
    let is_all = dims.iter().enumerate().all(|(at, dim)| *dim == Some(at));
    if is_all {
        return String::new();
    }
    let dims = dims.iter();
    let dims = dims.map(|dim| dim.map_or("-".to_owned(), |dim| dim.to_string()));
    format!(" dims [{}]", list(dims))
}

fn definition(def: &Def) -> String {
    let at = |offsets: &[Expr]| list(offsets);
    match def {
        Def::Argument(at) => format!("argument {at}"),
        Def::Constant(name) => format!("constant {name}"),
        Def::Empty => "empty".to_owned(),
        Def::Result(id) => format!("result of s{}", id.index()),
        Def::Slice {
            source,
            offsets,
            dims: of,
        } => format!("slice {}[{}]{}", name(*source), at(offsets), dims(of)),
        Def::Insert {
            tile,
            into,
            offsets,
            dims: of,
        } => {
            let (tile, into) = (name(*tile), name(*into));
            format!("insert {tile} into {into}[{}]{}", at(offsets), dims(of))
        }
        Def::View { source, index } => format!("view {}[{}]", name(*source), list(index)),
        Def::Carried(id, at) => format!("carried {at} in l{}", id.index()),
        Def::LoopResult(id, at) => format!("result {at} of l{}", id.index()),
        Def::Opaque(name) => format!("opaque {name}"),
    }
}

fn value(f: &mut fmt::Formatter<'_>, at: usize, value: &Value) -> fmt::Result {
    let loops = list(value.loops.iter().map(|id| format!("l{}", id.index())));
    write!(
        f,
        "v{at} = {} : [{}]",
        definition(&value.def),
        extents(&value.shape)
    )?;
    if !loops.is_empty() {
        write!(f, " in {loops}")?;
    }
    if let Some(place) = value.place {
        write!(f, ", {place:?}")?;
    }
    if let Some(layout) = value.layout.as_ref().filter(|_| value.place.is_some()) {
        write!(f, ", {layout} of {} bytes", value.width)?;
    }
    writeln!(f)
}

fn body(
    f: &mut fmt::Formatter<'_>,
    program: &Program,
    items: &[Item],
    depth: usize,
) -> fmt::Result {
    for item in items {
        let indent = "  ".repeat(depth);
        match *item {
            Item::Statement(id) => {
                let of = program.statement(id);
                let results = list(of.results.iter().map(access));
                let operands = list(of.operands.iter().map(access));
                let (name, space) = (&of.key.name, extents(&of.space));
                write!(f, "{indent}s{}: {results} = {name} {operands}", id.index())?;
                write!(f, " space [{space}]")?;
                if of.reduced > 0 {
                    write!(f, " reduced {}", of.reduced)?;
                }
                if let Some(split) = of.split.as_ref().filter(|_| of.cores() > 1) {
                    write!(f, " split {split:?} digits {:?}", of.digits)?;
                }
                writeln!(f)?;
            }
            Item::Loop(id) => {
                let of = program.of_loop(id);
                let upper = extents(&[of.upper]);
                write!(f, "{indent}l{}: for {} to {upper}", id.index(), of.lower)?;
                write!(f, " step {}", of.step)?;
                for carried in &of.carried {
                    write!(
                        f,
                        ", {} = {} then {}, result {}",
                        name(carried.argument),
                        name(carried.init),
                        name(carried.yielded),
                        name(carried.result)
                    )?;
                }
                writeln!(f)?;
                body(f, program, &of.body, depth + 1)?;
            }
        }
    }
    Ok(())
}

impl Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, of) in self.0.values.iter().enumerate() {
            value(f, at, of)?;
        }
        body(f, self.0, &self.0.body, 0)?;
        writeln!(
            f,
            "return {}",
            list(self.0.results.iter().map(|at| name(*at)))
        )
    }
}

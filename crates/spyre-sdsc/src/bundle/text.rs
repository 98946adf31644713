//! The text of `bundle.mlir` (SDSC bundle specification, sections 2.1 and 2.2).

use std::fmt::{self, Display, Formatter};

use super::AddressMode;
use super::ast::{AffineMap, Function, InputArgType, Stmt, ValueId};
use super::symbols::SymbolId;

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (number, map) in self.maps.iter().enumerate() {
            writeln!(f, "#map_{number} = {map}")?;
        }
        f.write_str("module {\n\tfunc.func @sdsc_bundle(")?;
        for (position, param) in self.params.iter().enumerate() {
            let separator = if position > 0 { ", " } else { "" };
            write!(f, "{separator}%{}: {}", self.name(param.value), param.ty)?;
        }
        f.write_str(") {\n")?;
        write_block(f, self, &self.body, 2)?;
        f.write_str("\t\treturn\n\t}\n}\n")
    }
}

impl Display for AffineMap {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("affine_map<(")?;
        for dim in 0..self.strides.len() {
            let separator = if dim > 0 { ", " } else { "" };
            write!(f, "{separator}d{dim}")?;
        }
        f.write_str(")[s0] -> (s0")?;
        for (dim, stride) in self.strides.iter().enumerate() {
            write!(f, " + {}*d{dim}", stride.get())?;
        }
        f.write_str(")>")
    }
}

impl Display for InputArgType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.bounds {
            None => f.write_str("!sdscbundle.input_arg<index>"),
            Some(bounds) => {
                write!(
                    f,
                    "!sdscbundle.input_arg<index, granularity={}, max_value={}>",
                    bounds.granularity, bounds.max
                )
            }
        }
    }
}

/// Values as a comma-separated list.
struct Values<'a>(&'a Function, &'a [ValueId]);

impl Display for Values<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (position, value) in self.1.iter().enumerate() {
            let separator = if position > 0 { ", " } else { "" };
            write!(f, "{separator}%{}", self.0.name(*value))?;
        }
        Ok(())
    }
}

/// Statements, one per line, indented by tabs (SDSC bundle specification, section 2.2).
fn write_block(
    f: &mut Formatter<'_>,
    function: &Function,
    block: &[Stmt],
    depth: usize,
) -> fmt::Result {
    for stmt in block {
        write_indent(f, depth)?;
        write_stmt(f, function, stmt, depth)?;
    }
    Ok(())
}

fn write_indent(f: &mut Formatter<'_>, depth: usize) -> fmt::Result {
    (0..depth).try_for_each(|_| f.write_str("\t"))
}

/// The symbols of the operands of an execution, unless addresses are numbers.
fn write_symbol_ids(
    f: &mut Formatter<'_>,
    function: &Function,
    symbol_ids: &[SymbolId],
) -> fmt::Result {
    if function.addresses != AddressMode::Symbolic {
        return Ok(());
    }
    f.write_str(", \"symbol_ids\"=[")?;
    for (position, id) in symbol_ids.iter().enumerate() {
        let separator = if position > 0 { ", " } else { "" };
        write!(f, "{separator}{id}")?;
    }
    f.write_str("]")
}

/// One operation of the printed form (SDSC bundle specification, section 2.1).
fn write_stmt(
    f: &mut Formatter<'_>,
    function: &Function,
    stmt: &Stmt,
    depth: usize,
) -> fmt::Result {
    let name = |value: &ValueId| function.name(*value);
    match stmt {
        Stmt::DeviceMemAllocate { result, size } => {
            writeln!(
                f,
                "%{} = sdscbundle.device_mem_allocate {size} : index",
                name(result)
            )
        }
        Stmt::InputArgExtract { result, param, ty } => {
            let (result, param) = (name(result), name(param));
            writeln!(
                f,
                "%{result} = sdscbundle.input_arg_extract value from %{param} : {ty} -> index"
            )
        }
        Stmt::Constant { result, value } => {
            writeln!(f, "%{} = arith.constant {value} : index", name(result))
        }
        Stmt::AddI { result, lhs, rhs } => {
            writeln!(
                f,
                "%{} = arith.addi %{}, %{} : index",
                name(result),
                name(lhs),
                name(rhs)
            )
        }
        Stmt::Apply {
            result,
            map,
            ivs,
            base,
        } => {
            let ivs = Values(function, ivs);
            writeln!(
                f,
                "%{} = affine.apply #map_{map}({ivs})[%{}]",
                name(result),
                name(base)
            )
        }
        Stmt::Execute {
            operands,
            filename,
            symbol_ids,
        } => {
            let operands = Values(function, operands);
            write!(
                f,
                "sdscbundle.sdsc_execute ({operands}) {{sdsc_filename=\"{filename}\""
            )?;
            write_symbol_ids(f, function, symbol_ids)?;
            f.write_str("}\n")
        }
        Stmt::For {
            iv,
            lower,
            upper,
            step,
            body,
        } => {
            let (iv, lower, upper, step) = (name(iv), name(lower), name(upper), name(step));
            writeln!(f, "scf.for %{iv} = %{lower} to %{upper} step %{step} {{")?;
            write_block(f, function, body, depth + 1)?;
            write_indent(f, depth)?;
            f.write_str("}\n")
        }
    }
}

//! `bundle.mlir`: its statements, and how they run.

use std::collections::HashMap;
use std::path::Path;

use super::machine::Machine;

/// What can be read from `bundle.mlir`.
pub struct BundleText {
    /// Bytes per unit of each induction variable.
    maps: HashMap<String, Vec<i64>>,
    params: Vec<String>,
    body: Vec<Statement>,
}

enum Statement {
    Constant {
        result: String,
        value: i64,
    },
    Add {
        result: String,
        lhs: String,
        rhs: String,
    },
    Apply {
        result: String,
        map: String,
        ivs: Vec<String>,
        base: String,
    },
    Extract {
        result: String,
        param: String,
    },
    Allocate {
        result: String,
        bytes: u64,
    },
    For {
        iv: String,
        bounds: [String; 3],
        body: Vec<Statement>,
    },
    Execute {
        file: String,
        operands: Vec<String>,
        ids: Vec<i64>,
    },
}

impl BundleText {
    /// Reads the text, line by line (SDSC bundle specification, section 2.2).
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().map(str::trim).peekable();
        let mut maps = HashMap::new();
        while let Some(line) = lines.next_if(|line| line.starts_with('#')) {
            let (name, map) = line.split_once(" = ").ok_or(line)?;
            maps.insert(name.to_owned(), strides(map).ok_or(line)?);
        }
        if lines.next() != Some("module {") {
            return Err("no module".to_owned());
        }
        let head = lines
            .next()
            .filter(|line| line.starts_with("func.func @sdsc_bundle("))
            .ok_or("no function")?;
        let params = names(head);
        let body = block(&mut lines)?;
        if lines.next() != Some("}") || lines.next().is_some() {
            return Err("text after the function".to_owned());
        }
        Ok(Self { maps, params, body })
    }

    /// Runs the bundle whose JSON files are in `directory`. A parameter is the machine's argument of the number in its name;
    /// arguments that nothing needs have none.
    pub fn run(&self, directory: &Path, machine: &mut Machine) -> Result<(), String> {
        let mut values = HashMap::new();
        for name in &self.params {
            let number = name
                .strip_prefix("arg_")
                .and_then(|rest| rest.split('_').next());
            let number = number.and_then(|number| number.parse::<usize>().ok());
            let number = number.filter(|number| *number < machine.arguments());
            let number = number.ok_or_else(|| format!("parameter {name} is no argument"))?;
            values.insert(name.as_str(), Machine::argument_base(number));
        }
        self.statements(&self.body, &mut values, directory, machine)
    }

    fn statements<'t>(
        &'t self,
        statements: &'t [Statement],
        values: &mut HashMap<&'t str, i64>,
        directory: &Path,
        machine: &mut Machine,
    ) -> Result<(), String> {
        let get = |values: &HashMap<&str, i64>, name: &str| {
            values
                .get(name)
                .copied()
                .ok_or_else(|| format!("{name} is used before it is defined"))
        };
        for statement in statements {
            match statement {
                Statement::Constant { result, value } => {
                    values.insert(result, *value);
                }
                Statement::Extract { result, param } => {
                    values.insert(result, get(values, param)?);
                }
                Statement::Allocate { result, bytes } => {
                    values.insert(result, machine.allocate_pool(*bytes));
                }
                Statement::Add { result, lhs, rhs } => {
                    values.insert(result, get(values, lhs)? + get(values, rhs)?);
                }
                Statement::Apply {
                    result,
                    map,
                    ivs,
                    base,
                } => {
                    let strides = self
                        .maps
                        .get(map)
                        .filter(|strides| strides.len() == ivs.len());
                    let mut address = get(values, base)?;
                    for (iv, stride) in ivs.iter().zip(strides.ok_or("wrong map")?) {
                        address += get(values, iv)? * stride;
                    }
                    values.insert(result, address);
                }
                Statement::For {
                    iv,
                    bounds: [lower, upper, step],
                    body,
                } => {
                    let (mut at, upper, step) =
                        (get(values, lower)?, get(values, upper)?, get(values, step)?);
                    if step <= 0 {
                        return Err("loop does not advance".to_owned());
                    }
                    while at < upper {
                        values.insert(iv, at);
                        self.statements(body, values, directory, machine)?;
                        at += step;
                    }
                }
                Statement::Execute {
                    file,
                    operands,
                    ids,
                } => {
                    let addresses = operands
                        .iter()
                        .map(|name| get(values, name))
                        .collect::<Result<Vec<_>, _>>()?;
                    machine.execute(
                        &directory.join(file),
                        &ids.iter().copied().zip(addresses).collect(),
                    )?;
                }
            }
        }
        Ok(())
    }
}

/// The statements up to the end of a block.
fn block<'t>(lines: &mut impl Iterator<Item = &'t str>) -> Result<Vec<Statement>, String> {
    let mut body = Vec::new();
    while let Some(line) = lines.next() {
        if line == "}" {
            return Ok(body);
        }
        if line != "return" {
            body.push(statement(line, lines)?);
        }
    }
    Err("block without an end".to_owned())
}

fn statement<'t>(
    line: &str,
    lines: &mut impl Iterator<Item = &'t str>,
) -> Result<Statement, String> {
    let mut named = names(line).into_iter();
    let mut next = || {
        named
            .next()
            .ok_or_else(|| format!("too few values: {line}"))
    };
    let number = |after: &str| {
        let digits = line
            .split_once(after)
            .and_then(|(_, rest)| rest.split_whitespace().next());
        digits
            .and_then(|digits| digits.parse::<i64>().ok())
            .ok_or_else(|| format!("no number: {line}"))
    };
    if line.starts_with("scf.for ") {
        return Ok(Statement::For {
            iv: next()?,
            bounds: [next()?, next()?, next()?],
            body: block(lines)?,
        });
    }
    if line.starts_with("sdscbundle.sdsc_execute ") {
        let file = line.split('"').nth(1).unwrap_or_default().to_owned();
        let ids = line
            .rsplit_once('[')
            .and_then(|(_, rest)| rest.split_once(']'))
            .map_or("", |(ids, _)| ids);
        let ids: Vec<i64> = ids.split(", ").filter_map(|id| id.parse().ok()).collect();
        let operands = names(line);
        if ids.len() != operands.len() {
            return Err(format!(
                "{} symbols for {} operands: {line}",
                ids.len(),
                operands.len()
            ));
        }
        return Ok(Statement::Execute {
            file,
            operands,
            ids,
        });
    }
    let operation = line
        .split_once(" = ")
        .and_then(|(_, rest)| rest.split(' ').next())
        .unwrap_or_default();
    let result = next()?;
    Ok(match operation {
        "arith.constant" => Statement::Constant {
            result,
            value: number("arith.constant ")?,
        },
        "arith.addi" => Statement::Add {
            result,
            lhs: next()?,
            rhs: next()?,
        },
        "affine.apply" => {
            let map = line
                .split_once('#')
                .and_then(|(_, rest)| rest.split_once('('))
                .map_or("", |(map, _)| map);
            let mut ivs: Vec<String> = named.collect();
            let base = ivs.pop().ok_or_else(|| format!("no base: {line}"))?;
            Statement::Apply {
                result,
                map: format!("#{map}"),
                ivs,
                base,
            }
        }
        "sdscbundle.input_arg_extract" => Statement::Extract {
            result,
            param: next()?,
        },
        "sdscbundle.device_mem_allocate" => Statement::Allocate {
            result,
            bytes: number("allocate ")?.unsigned_abs(),
        },
        _ => return Err(format!("unknown statement: {line}")),
    })
}

/// The `%names` of a line, in order.
fn names(line: &str) -> Vec<String> {
    let mut parts = line.split('%');
    parts.next();
    let end = |part: &str| {
        part.find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(part.len())
    };
    parts.map(|part| part[..end(part)].to_owned()).collect()
}

/// The strides of `affine_map<(d0, d1)[s0] -> (s0 + 2*d0 + 3*d1)>`, by induction variable.
fn strides(map: &str) -> Option<Vec<i64>> {
    let (dims, sum) = map
        .strip_prefix("affine_map<(")?
        .strip_suffix(")>")?
        .split_once(")[s0] -> (")?;
    let mut strides = vec![0; dims.split(", ").count()];
    for term in sum.strip_prefix("s0 + ")?.split(" + ") {
        let (stride, dim) = term.split_once("*d")?;
        *strides.get_mut(dim.parse::<usize>().ok()?)? += stride.parse::<i64>().ok()?;
    }
    Some(strides)
}

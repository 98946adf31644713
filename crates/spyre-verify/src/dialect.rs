//! The rules of the dialect `sdscbundle` that the grammar of the text does not have: SB4, SB8 to SB11, SB13, SB17, SB20 and SB21.
//!
//! A text that breaks one of them is no bundle, so the first fault ends the check. The messages match the verifiers of
//! the dialect.

use rustc_hash::{FxHashMap, FxHashSet};

use spyre_bundle_files::{Function, Place, Statement, StatementKind, TextError, ValueId};
use spyre_plan::Target;

use super::rules::{LOOP_BOUNDS, MLIR, PARAM_BOUNDS, POOL_SIZE, Rule, SYMBOLS};

/// Returns the rule that a text breaks which the parser refuses. Two of its errors are rules of the contract (K48, K49).
pub(crate) fn rule_of(err: &TextError) -> Rule {
    match err.message.as_str() {
        "a pool has at least one byte" => POOL_SIZE,
        text if text.starts_with("symbol ") && text.ends_with(" is bound twice") => SYMBOLS,
        _ => MLIR,
    }
}

/// The rule that a function breaks, and the way in which it does.
type Broken = (Rule, TextError);

/// Bytes of a segment of device memory, which has the pool (SDSC bundle specification, section 2.1).
const MAX_POOL: u64 = Target::CARD.pool_bytes().get();

/// Checks a function.
///
/// # Errors
/// The first operation that breaks a rule.
pub(crate) fn check(function: &Function) -> Result<(), Broken> {
    for param in &function.params {
        if let (Some(granularity), Some(max)) = (param.bounds.granularity, param.bounds.max_value)
            && max % granularity != 0
        {
            let place = function.values[param.value.index()].place;
            let message = format!("max_value {max} is not a multiple of granularity {granularity}");
            return Err((PARAM_BOUNDS, TextError::new(place, message)));
        }
    }
    let params = function.params.iter().filter(|param| param.is_index);
    let mut checker = Checker {
        bounds: params.map(|param| param.value).collect(),
        ..Checker::default()
    };
    checker.block(&function.body, &mut Vec::new())
}

/// A value of a symbol. Equal constants are one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Identity {
    Constant(i64),
    Value(ValueId),
}

/// The executions that bind a symbol. Two of them are in conflict if they differ in both file and value.
#[derive(Debug)]
struct Symbol<'f> {
    file: &'f str,
    value: Identity,
    /// Another file that binds the symbol to the same value.
    other_file: Option<&'f str>,
    /// Whether the file binds the symbol to another value too.
    has_other_value: bool,
}

#[derive(Debug, Default)]
struct Checker<'f> {
    /// Values that a loop may be bounded by.
    bounds: FxHashSet<ValueId>,
    constants: FxHashMap<ValueId, i64>,
    pool: u64,
    /// The symbols of the first execution of each file.
    files: FxHashMap<&'f str, FxHashSet<i64>>,
    symbols: FxHashMap<i64, Symbol<'f>>,
}

fn error(rule: Rule, place: Place, operation: &str, message: String) -> Result<(), Broken> {
    let message = format!("'sdscbundle.{operation}' op {message}");
    Err((rule, TextError::new(place, message)))
}

impl<'f> Checker<'f> {
    /// Checks statements. `loops` are the bounds of the loops around them: lower, upper, step.
    fn block(
        &mut self,
        block: &'f [Statement],
        loops: &mut Vec<[ValueId; 3]>,
    ) -> Result<(), Broken> {
        for statement in block {
            match &statement.kind {
                StatementKind::Constant { result, value } => {
                    self.bounds.insert(*result);
                    self.constants.insert(*result, *value);
                }
                StatementKind::Extract { result, .. } => {
                    self.bounds.insert(*result);
                }
                StatementKind::Allocate { bytes, .. } => {
                    self.allocate(statement.place, *bytes, loops.is_empty())?;
                }
                StatementKind::For {
                    lower,
                    upper,
                    step,
                    body,
                    ..
                } => {
                    loops.push([*lower, *upper, *step]);
                    self.block(body, loops)?;
                    loops.pop();
                }
                StatementKind::Execute { file, symbols } => {
                    self.execute(statement.place, file, symbols, loops)?;
                }
                StatementKind::Arithmetic { .. } | StatementKind::Apply { .. } => {}
            }
        }
        Ok(())
    }

    fn allocate(&mut self, place: Place, bytes: u64, is_outside: bool) -> Result<(), Broken> {
        let error = |message| error(POOL_SIZE, place, "device_mem_allocate", message);
        if bytes > MAX_POOL {
            return error(format!(
                "size must be at most {MAX_POOL} bytes, but is {bytes} bytes"
            ));
        }
        if !is_outside {
            return error("must be in the entry block of a 'func.func'".to_owned());
        }
        self.pool += bytes;
        if self.pool > MAX_POOL {
            return error(format!(
                "raises the total to {} bytes; at most {MAX_POOL} are available",
                self.pool
            ));
        }
        Ok(())
    }

    fn execute(
        &mut self,
        place: Place,
        file: &'f str,
        symbols: &[(i64, ValueId)],
        loops: &[[ValueId; 3]],
    ) -> Result<(), Broken> {
        let error = |rule, message| error(rule, place, "sdsc_execute", message);
        check_file_name(place, file)?;
        if let Some((at, (id, _))) = symbols.iter().enumerate().find(|(_, (id, _))| *id >= 0) {
            return error(
                SYMBOLS,
                format!("symbol_ids must be negative, but #{at} is {id}"),
            );
        }
        for (bound, name) in loops
            .iter()
            .rev()
            .flat_map(|level| level.iter().zip(["lower bound", "upper bound", "step"]))
        {
            if !self.bounds.contains(bound) {
                return error(
                    LOOP_BOUNDS,
                    format!(
                        "is in a loop whose {name} is neither a constant nor a parameter of the bundle"
                    ),
                );
            }
        }
        self.check_symbols_of_file(place, file, symbols)?;
        for (id, value) in symbols {
            self.bind(place, file, *id, *value)?;
        }
        Ok(())
    }

    /// Checks that all executions of a file bind the same symbols.
    fn check_symbols_of_file(
        &mut self,
        place: Place,
        file: &'f str,
        symbols: &[(i64, ValueId)],
    ) -> Result<(), Broken> {
        let ids: FxHashSet<i64> = symbols.iter().map(|(id, _)| *id).collect();
        let first = self.files.entry(file).or_insert_with(|| ids.clone());
        let other = |what: &str, id: &i64| {
            error(
                SYMBOLS,
                place,
                "sdsc_execute",
                format!("{what} symbol {id}, unlike another execution of {file:?}"),
            )
        };
        if let Some((id, _)) = symbols.iter().find(|(id, _)| !first.contains(id)) {
            return other("binds", id);
        }
        if let Some(id) = first.difference(&ids).min() {
            return other("does not bind", id);
        }
        Ok(())
    }

    /// Binds a symbol of a file. Two files bind a symbol to one value.
    fn bind(&mut self, place: Place, file: &'f str, id: i64, value: ValueId) -> Result<(), Broken> {
        let constant = self.constants.get(&value).copied();
        let value = constant.map_or(Identity::Value(value), Identity::Constant);
        let symbol = self.symbols.entry(id).or_insert(Symbol {
            file,
            value,
            other_file: None,
            has_other_value: false,
        });
        let (is_file, is_value) = (symbol.file == file, symbol.value == value);
        let conflict = match (is_file, is_value) {
            (true, true) => None,
            (false, false) => Some(symbol.file),
            (false, true) => symbol.has_other_value.then_some(symbol.file),
            (true, false) => symbol.other_file,
        };
        if let Some(conflict) = conflict {
            return error(
                SYMBOLS,
                place,
                "sdsc_execute",
                format!(
                    "binds symbol {id} of {file:?} to another value than an execution of {conflict:?}"
                ),
            );
        }
        if !is_file {
            symbol.other_file = Some(file);
        }
        symbol.has_other_value |= !is_value;
        Ok(())
    }
}

/// Checks the name of the file of an operation.
fn check_file_name(place: Place, file: &str) -> Result<(), Broken> {
    let error = |rule, message| error(rule, place, "sdsc_execute", message);
    let is_forbidden = |sign: char| matches!(sign, '/' | '\\') || sign.is_ascii_control();
    if file.contains(is_forbidden) {
        return error(
            MLIR,
            format!(
                "sdsc_filename must not have path separators or control characters, but is {file:?}"
            ),
        );
    }
    if file.strip_suffix(".json").is_none_or(str::is_empty) {
        return error(
            MLIR,
            format!("sdsc_filename must be the name of a '.json' file, but is {file:?}"),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use spyre_bundle_files::parse;

    use super::*;

    fn said(params: &str, body: &str) -> String {
        let text = format!(
            "module {{ func.func @sdsc_bundle({params}) {{\n%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n\
             {body}\nreturn }} }}"
        );
        let module = parse(&text).unwrap_or_else(|err| panic!("{err}: {text}"));
        match check(&module.function.expect("a function")) {
            Ok(()) => String::new(),
            Err((_, err)) => err.to_string(),
        }
    }

    fn execute(file: &str, values: &str, ids: &str) -> String {
        format!(
            "sdscbundle.sdsc_execute ({values}) {{sdsc_filename={file:?}, symbol_ids=[{ids}]}}\n"
        )
    }

    #[test]
    fn what_the_dialect_refuses() {
        let op = "'sdscbundle.sdsc_execute' op ";
        for (body, expected) in [
            (execute("a.json", "%c0, %c1", "-1, -2"), String::new()),
            (
                execute("a/b.json", "", ""),
                format!("4:1: {op}sdsc_filename must not have path separators or control characters, but is \"a/b.json\""),
            ),
            (
                execute(".json", "", ""),
                format!("4:1: {op}sdsc_filename must be the name of a '.json' file, but is \".json\""),
            ),
            (
                execute("a.json", "%c0, %c1", "-1, 6"),
                format!("4:1: {op}symbol_ids must be negative, but #1 is 6"),
            ),
            (
                execute("a.json", "%c0", "-1") + &execute("a.json", "%c0", "-2"),
                format!("5:1: {op}binds symbol -2, unlike another execution of \"a.json\""),
            ),
            (
                execute("a.json", "%c0", "-1") + &execute("a.json", "", ""),
                format!("5:1: {op}does not bind symbol -1, unlike another execution of \"a.json\""),
            ),
            // An execution of the same file may bind other values, and another file the same values; another file with
            // other values is an error.
            (
                execute("a.json", "%c0", "-1") + &execute("a.json", "%c1", "-1"),
                String::new(),
            ),
            (
                "%d0 = arith.constant 0 : index\n".to_owned()
                    + &execute("a.json", "%c0", "-1")
                    + &execute("b.json", "%d0", "-1"),
                String::new(),
            ),
            (
                execute("a.json", "%c0", "-1") + &execute("b.json", "%c1", "-1"),
                format!("5:1: {op}binds symbol -1 of \"b.json\" to another value than an execution of \"a.json\""),
            ),
            (
                execute("a.json", "%c0", "-1")
                    + &execute("b.json", "%c0", "-1")
                    + &execute("a.json", "%c1", "-1"),
                format!("6:1: {op}binds symbol -1 of \"a.json\" to another value than an execution of \"b.json\""),
            ),
            (
                "%s = arith.addi %c0, %c1 : index\nscf.for %i = %c0 to %s step %c1 {\n".to_owned()
                    + &execute("a.json", "", "")
                    + "}",
                format!("6:1: {op}is in a loop whose upper bound is neither a constant nor a parameter of the bundle"),
            ),
            (
                "scf.for %i = %c0 to %c1 step %c1 {\n%p = sdscbundle.device_mem_allocate 128 bytes : index\n}".to_owned(),
                "5:6: 'sdscbundle.device_mem_allocate' op must be in the entry block of a 'func.func'".to_owned(),
            ),
            (
                "%p = sdscbundle.device_mem_allocate 15032385537 bytes : index".to_owned(),
                "4:6: 'sdscbundle.device_mem_allocate' op size must be at most 15032385536 bytes, but is 15032385537 bytes".to_owned(),
            ),
            (
                "%p = sdscbundle.device_mem_allocate 15032385536 bytes : index\n\
                 %q = sdscbundle.device_mem_allocate 1 bytes : index".to_owned(),
                "5:6: 'sdscbundle.device_mem_allocate' op raises the total to 15032385537 bytes; at most 15032385536 are available".to_owned(),
            ),
        ] {
            assert_eq!(said("", &body), expected, "{body}");
        }
        assert_eq!(
            said(
                "%n: !sdscbundle.input_arg<index, granularity=64, max_value=500>",
                ""
            ),
            "1:33: max_value 500 is not a multiple of granularity 64"
        );
    }

    #[test]
    fn parameters_bound_loops() {
        let body =
            "scf.for %i = %c0 to %n step %c1 {\n".to_owned() + &execute("a.json", "", "") + "}";
        assert_eq!(said("%n: index", &body), "");
    }
}

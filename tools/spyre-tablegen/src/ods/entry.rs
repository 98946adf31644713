//! The entry of an operation in a table of `spyre-ods`, from its record.

use serde_json::Value;

/// Reserved words, which get a trailing underscore as names.
const KEYWORDS: [&str; 48] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "unsafe",
    "virtual", "where", "while", "yield",
];

/// Methods that every view has.
const METHODS: [&str; 2] = ["cast", "op"];

/// The longest line of a table.
const WIDTH: usize = 120;
/// The indentation of an entry. Further lines have two of them.
const INDENT: usize = 4;

/// How many values a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Count {
    One,
    Optional,
    Variadic,
}

/// Returns the entries of a dialect in a dump of TableGen's records, by the names of the operations.
///
/// # Errors
/// A record is not as MLIR's `OpBase.td` has it.
pub(super) fn entries(records: &Value, dialect: &str) -> Result<Vec<(String, String)>, String> {
    let operations = records.get("!instanceof").and_then(|all| all.get("Op"));
    let operations = operations.ok_or("the records have no class 'Op'")?;
    let mut entries = Vec::new();
    for definition in elements(operations) {
        let definition = definition.as_str().ok_or("a record has no name")?;
        let record = Record {
            records,
            definition,
            fields: member(records, definition)?,
        };
        if record.dialect()? == dialect {
            entries.push((record.name()?, record.entry(dialect)?));
        }
    }
    entries.sort_unstable();
    Ok(entries)
}

fn member<'a>(value: &'a Value, name: &str) -> Result<&'a Value, String> {
    value.get(name).ok_or_else(|| format!("no '{name}'"))
}

fn text<'a>(value: &'a Value, name: &str) -> Result<&'a str, String> {
    let text = member(value, name)?.as_str();
    text.ok_or_else(|| format!("'{name}' is no string"))
}

/// Returns the elements of a list; none of any other value.
fn elements(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The record of an operation.
struct Record<'a> {
    records: &'a Value,
    definition: &'a str,
    fields: &'a Value,
}

impl<'a> Record<'a> {
    fn dialect(&self) -> Result<&'a str, String> {
        let dialect = text(member(self.fields, "opDialect")?, "def")?;
        text(member(self.records, dialect)?, "name")
    }

    fn name(&self) -> Result<String, String> {
        text(self.fields, "opName").map(str::to_owned)
    }

    /// Returns the name of the class in C++ without `Op`: `AddI` for `Arith_AddIOp`.
    fn class(&self) -> &'a str {
        let name = match self.definition.split_once('_') {
            Some((dialect, name)) if !dialect.is_empty() => name,
            _ => self.definition,
        };
        name.strip_suffix("Op").unwrap_or(name)
    }

    fn entry(&self, dialect: &str) -> Result<String, String> {
        let name = self.name()?;
        let function = name.replace('.', "_");
        let constant = function.to_uppercase();
        let (operands, attributes) = self.arguments()?;
        let mut entry = format!(
            "\"{dialect}.{name}\" {constant} {} {}",
            identifier(&function),
            self.class()
        );
        let sized = |name| Ok::<_, String>(if self.has_trait(name)? { " sized" } else { "" });
        let mut parts = Vec::new();
        if !operands.is_empty() {
            let sized = sized("AttrSizedOperandSegments")?;
            parts.push(format!("({}){sized}", list(&operands)));
        }
        if !attributes.is_empty() {
            parts.push(format!("{{{}}}", list(&attributes)));
        }
        let regions = self.variables("regions")?;
        if !regions.is_empty() {
            parts.push(format!("[{}]", list(&regions)));
        }
        let results = self.variables("results")?;
        if !results.is_empty() {
            let sized = sized("AttrSizedResultSegments")?;
            parts.push(format!("-> ({}){sized}", list(&results)));
        }
        let mut column = INDENT + entry.len();
        for part in parts {
            let fits = |column, text: &str| column + 1 + text.len() < WIDTH;
            // A list is on one line, unless it is longer than any line.
            let is_long = !fits(2 * INDENT, &part);
            let elements = match is_long {
                true => part.split_inclusive(", ").map(str::trim_end).collect(),
                false => vec![part.as_str()],
            };
            for element in elements {
                if !fits(column, element) {
                    entry.push_str("\n       ");
                    column = 2 * INDENT - 1;
                }
                column += 1 + element.len();
                entry.push(' ');
                entry.push_str(element);
            }
        }
        entry.push(';');
        Ok(entry)
    }

    /// Returns the operands and the attributes.
    fn arguments(&self) -> Result<(Vec<Variable<'a>>, Vec<Variable<'a>>), String> {
        let (mut operands, mut attributes) = (Vec::new(), Vec::new());
        for (constraint, variable) in self.dag("arguments")? {
            let classes = elements(member(constraint, "!superclasses")?);
            let is = |class: &str| classes.iter().any(|it| it.as_str() == Some(class));
            match (is("TypeConstraint"), is("Attr") || is("Property")) {
                (true, _) => operands.push(variable),
                (_, true) if !is("DerivedAttr") => {
                    let has_default = constraint.get("defaultValue").and_then(Value::as_str);
                    let is_optional = is("UnitProp")
                        || constraint.get("isOptional") == Some(&Value::from(1))
                        || has_default.is_some_and(|value| !value.is_empty());
                    let count = match is_optional {
                        true => Count::Optional,
                        false => Count::One,
                    };
                    attributes.push(Variable { count, ..variable });
                }
                (_, true) => {}
                _ => return Err(format!("'{}' is of no class", variable.name)),
            }
        }
        Ok((operands, attributes))
    }

    fn variables(&self, field: &str) -> Result<Vec<Variable<'a>>, String> {
        let dag = self.dag(field)?.into_iter();
        Ok(dag.map(|(_, variable)| variable).collect())
    }

    /// Returns the arguments of a field such as `(ins AnyTensor:$source)`, with the records of their constraints.
    fn dag(&self, field: &str) -> Result<Vec<(&'a Value, Variable<'a>)>, String> {
        let arguments = elements(member(member(self.fields, field)?, "args")?);
        let variable = |argument: &'a Value| {
            let [constraint, name] = elements(argument) else {
                return Err(format!("an element of '{field}' is no pair"));
            };
            let mut constraint = member(self.records, text(constraint, "def")?)?;
            // `Arg` and `Res` add effects to a constraint.
            if let Some(inner) = constraint.get("constraint") {
                constraint = member(self.records, text(inner, "def")?)?;
            }
            let classes = elements(member(constraint, "!superclasses")?);
            let is = |class: &str| classes.iter().any(|it| it.as_str() == Some(class));
            let count = match is("Optional") {
                true => Count::Optional,
                false if is("Variadic") || is("VariadicRegion") => Count::Variadic,
                false => Count::One,
            };
            let name = name.as_str().filter(|name| !name.is_empty());
            let name = match (name, count) {
                (Some(name), _) => name,
                (None, Count::Variadic) => "results",
                (None, _) => "result",
            };
            Ok((constraint, Variable { name, count }))
        };
        arguments.iter().map(variable).collect()
    }

    fn has_trait(&self, name: &str) -> Result<bool, String> {
        let mut traits = elements(member(self.fields, "traits")?).iter();
        let is_it = |it: &Value| it.get("def").and_then(Value::as_str) == Some(name);
        Ok(traits.any(is_it))
    }
}

/// An operand, attribute, region or result.
#[derive(Debug, Clone, Copy)]
struct Variable<'a> {
    name: &'a str,
    count: Count,
}

/// Returns names as a table has them: with a mark for each that is optional or variadic, and in Rust's spelling, with
/// the spelling of the ODS where it differs.
fn list(variables: &[Variable<'_>]) -> String {
    let variables = variables.iter().map(|variable| {
        let mark = match variable.count {
            Count::One => "",
            Count::Optional => "?",
            Count::Variadic => "*",
        };
        let mut name = identifier(&snake_case(variable.name));
        if METHODS.contains(&name.as_str()) {
            name.push('_');
        }
        match name == variable.name {
            true => format!("{mark}{name}"),
            false => format!("{mark}{name} \"{}\"", variable.name),
        }
    });
    variables.collect::<Vec<_>>().join(", ")
}

fn identifier(name: &str) -> String {
    match KEYWORDS.contains(&name) {
        true => format!("{name}_"),
        false => name.to_owned(),
    }
}

/// Returns a name in Rust's spelling: `overflow_flags` for `overflowFlags`, and `a` for `A`.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    let mut previous = '_';
    for sign in name.chars() {
        if sign.is_uppercase() && previous != '_' && !previous.is_uppercase() {
            snake.push('_');
        }
        snake.extend(sign.to_lowercase());
        previous = sign;
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An operation with all kinds of arguments, in the form of `llvm-tblgen --dump-json`.
    const RECORDS: &str = r#"{
        "!instanceof": {"Op": ["Toy_LoopOp", "Other_Op"]},
        "Toy": {"name": "toy"},
        "Other": {"name": "other"},
        "Sized": {"!superclasses": ["Trait"]},
        "T": {"!superclasses": ["TypeConstraint"]},
        "Vs": {"!superclasses": ["TypeConstraint", "Variadic"]},
        "Effect": {"!superclasses": ["OpVariable"], "constraint": {"def": "Maybe"}},
        "Maybe": {"!superclasses": ["TypeConstraint", "Optional"]},
        "A": {"!superclasses": ["Attr"], "isOptional": 0, "defaultValue": ""},
        "D": {"!superclasses": ["Attr"], "isOptional": 0, "defaultValue": "4"},
        "Body": {"!superclasses": ["Region"]},
        "Toy_LoopOp": {
            "opDialect": {"def": "Toy"}, "opName": "deep.loop", "traits": [{"def": "AttrSizedOperandSegments"}],
            "arguments": {"args": [[{"def": "T"}, "type"], [{"def": "D"}, "maxTrips"], [{"def": "Vs"}, "inits"],
                                   [{"def": "Effect"}, "mask"], [{"def": "A"}, "step"]]},
            "results": {"args": [[{"def": "Vs"}, ""]]},
            "regions": {"args": [[{"def": "Body"}, "body"]]}
        },
        "Other_Op": {"opDialect": {"def": "Other"}}
    }"#;

    #[test]
    fn an_entry_has_the_names_of_a_record() {
        let records = serde_json::from_str(RECORDS).expect("it is JSON");
        let entries = entries(&records, "toy").expect("the records are complete");
        let entry = "\"toy.deep.loop\" DEEP_LOOP deep_loop Loop (type_ \"type\", *inits, ?mask) sized \
                     {?max_trips \"maxTrips\", step} [body]\n        -> (*results);";
        assert_eq!(entries, [("deep.loop".to_owned(), entry.to_owned())]);
    }

    #[test]
    fn names_are_in_the_spelling_of_rust() {
        assert_eq!(snake_case("overflowFlags"), "overflow_flags");
        assert_eq!(snake_case("static_offsets"), "static_offsets");
        assert_eq!(snake_case("A"), "a");
        assert_eq!(snake_case("TBAATags"), "tbaatags");
        assert_eq!(identifier("yield"), "yield_");
        assert_eq!(identifier("cast"), "cast");
    }
}

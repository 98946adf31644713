//! The values of a kernel as the neutral JSON form.

use rustc_hash::FxHashMap;

use super::PythonError;
use super::parser::{Data, Value};
use crate::ordered::{Json, Object};
use crate::source::Position;

/// A tree in neutral JSON, with the places of its parts.
pub(super) struct Tree {
    pub(super) json: Json,
    positions: FxHashMap<String, Position>,
}

impl Tree {
    /// The position of a part, or of the smallest part around it.
    pub(super) fn position(&self, path: &str) -> Option<Position> {
        let mut path = path;
        loop {
            if let Some(position) = self.positions.get(path) {
                return Some(*position);
            }
            path = path.get(..path.rfind(['.', '['])?)?;
        }
    }
}

/// The tree of a list of nodes.
pub(super) fn tree(specs: &Value) -> Result<Tree, PythonError> {
    let mut converter = Converter {
        positions: FxHashMap::default(),
    };
    let json = converter.nodes(specs, "specs")?;
    Ok(Tree {
        json,
        positions: converter.positions,
    })
}

fn expected(value: &Value, what: &str) -> PythonError {
    let actual = value.describe();
    PythonError::new(value.position, format!("expected {what}, got {actual}"))
}

fn text(text: impl Into<String>) -> Json {
    Json::String(text.into())
}

type Field = (String, Json);

/// The named arguments of a call.
type Named = [(String, Value)];

struct Converter {
    positions: FxHashMap<String, Position>,
}

impl Converter {
    fn nodes(&mut self, value: &Value, path: &str) -> Result<Json, PythonError> {
        self.positions.insert(path.to_owned(), value.position);
        let Data::List(values) = &value.data else {
            return Err(expected(
                value,
                "a list of OpSpec, LoopSpec and UnimplementedOp",
            ));
        };
        let nodes = values
            .iter()
            .enumerate()
            .map(|(number, value)| self.node(value, &format!("{path}[{number}]")));
        Ok(Json::Array(nodes.collect::<Result<_, _>>()?))
    }

    fn node(&mut self, value: &Value, path: &str) -> Result<Json, PythonError> {
        let what = "OpSpec(...), LoopSpec(...) or UnimplementedOp(...)";
        let (class, named) = call(value, what)?;
        self.positions.insert(path.to_owned(), value.position);
        type Convert = fn(&mut Converter, &str, &Value, &str) -> Result<Option<Field>, PythonError>;
        let (kind, convert): (&str, Convert) = match class {
            "OpSpec" => ("op", Self::op_field),
            "LoopSpec" => ("loop", Self::loop_field),
            "UnimplementedOp" => ("unimplemented", |_, name, value, _| {
                Ok(Some((name.to_owned(), plain(value)?)))
            }),
            _ => return Err(expected(value, what)),
        };
        let mut fields = vec![("kind".to_owned(), text(kind))];
        fields.extend(self.fields(named, path, convert)?);
        Ok(Json::Object(fields.into_iter().collect()))
    }

    /// The fields of a call, by their names in the JSON form.
    fn fields(
        &mut self,
        named: &Named,
        path: &str,
        convert: impl Fn(&mut Self, &str, &Value, &str) -> Result<Option<Field>, PythonError>,
    ) -> Result<Vec<Field>, PythonError> {
        let mut fields = Vec::new();
        for (name, value) in named {
            let Some((name, json)) = convert(self, name, value, &format!("{path}.{name}"))? else {
                continue;
            };
            self.positions
                .insert(format!("{path}.{name}"), value.position);
            fields.push((name, json));
        }
        Ok(fields)
    }

    fn op_field(
        &mut self,
        name: &str,
        value: &Value,
        path: &str,
    ) -> Result<Option<Field>, PythonError> {
        let json = match name {
            "iteration_space" => self.space(value, path)?,
            "args" => {
                let args = list(value, "a list of TensorArg")?
                    .iter()
                    .enumerate()
                    .map(|(number, arg)| self.tensor(arg, &format!("{path}[{number}]")));
                Json::Array(args.collect::<Result<_, _>>()?)
            }
            "tiled_symbols" => return tiled_symbols(value),
            "tiled_symbol_trip_counts" | "symbolic_dim_bounds" => by_symbol(value, plain)?,
            "core_id_to_work_slice" if value.data != Data::None => by_symbol(value, symbolic)?,
            "node_output_ranges" if value.data != Data::None => symbolic_list(value)?,
            // A field that is not there.
            "node_output_ranges"
            | "debug_handle"
            | "core_id_to_work_slice"
            | "completed_producer_cores"
                if value.data == Data::None =>
            {
                return Ok(None);
            }
            _ => plain(value)?,
        };
        Ok(Some((name.to_owned(), json)))
    }

    fn loop_field(
        &mut self,
        name: &str,
        value: &Value,
        path: &str,
    ) -> Result<Option<Field>, PythonError> {
        let json = match name {
            "count" => symbolic(value)?,
            "body" => self.nodes(value, path)?,
            "tiled_symbols" => symbolic_list(value)?,
            "count_symbol_bounds" | "count_symbol_sources" if value.data == Data::None => {
                return Ok(None);
            }
            "count_symbol_bounds" | "count_symbol_sources" => by_symbol(value, plain)?,
            _ => plain(value)?,
        };
        Ok(Some((name.to_owned(), json)))
    }

    fn space(&mut self, value: &Value, path: &str) -> Result<Json, PythonError> {
        let entries = dict(value, "a dictionary from symbols to (extent, slices)")?;
        let mut dims = Vec::with_capacity(entries.len());
        for (number, (symbol, entry)) in entries.iter().enumerate() {
            let path = format!("{path}[{number}]");
            self.positions.insert(path, symbol.position);
            let [extent, slices] = list(entry, "(extent, slices)")? else {
                return Err(expected(entry, "(extent, slices)"));
            };
            let fields = [
                ("symbol", symbolic(symbol)?),
                ("range", symbolic(extent)?),
                ("work_division", plain(slices)?),
            ];
            let fields = fields
                .into_iter()
                .map(|(name, json)| (name.to_owned(), json));
            dims.push(Json::Object(fields.collect()));
        }
        Ok(Json::Array(dims))
    }

    fn tensor(&mut self, value: &Value, path: &str) -> Result<Json, PythonError> {
        let (class, named) = call(value, "TensorArg(...)")?;
        if class != "TensorArg" {
            return Err(expected(value, "TensorArg(...)"));
        }
        self.positions.insert(path.to_owned(), value.position);
        let fields = self.fields(named, path, |converter, name, value, path| match name {
            "allocation" => Ok(Some((name.to_owned(), allocation(value, named)?))),
            _ => converter.tensor_field(name, value, path),
        })?;
        Ok(Json::Object(fields.into_iter().collect()))
    }

    fn tensor_field(
        &mut self,
        name: &str,
        value: &Value,
        _: &str,
    ) -> Result<Option<Field>, PythonError> {
        let json = match name {
            "device_dtype" => enumerator(value, "DataFormats")?,
            "element_arrangement" if value.data != Data::None => {
                enumerator(value, "ElementArrangement")?
            }
            "device_coordinates" => symbolic_list(value)?,
            "device_tile_advance_expr" if value.data != Data::None => symbolic(value)?,
            "work_division" if value.data != Data::None => {
                let (class, named) = call(value, "TensorWorkDivision(...)")?;
                if class != "TensorWorkDivision" {
                    return Err(expected(value, "TensorWorkDivision(...)"));
                }
                let fields = named.iter().map(|(name, value)| {
                    let json = match name.as_str() {
                        "work_slices" => by_symbol(value, plain)?,
                        "core_id_to_work_slice" => by_symbol(value, symbolic)?,
                        _ => plain(value)?,
                    };
                    Ok((name.clone(), json))
                });
                Json::Object(fields.collect::<Result<Object<Json>, _>>()?)
            }
            _ => plain(value)?,
        };
        Ok(Some((name.to_owned(), json)))
    }
}

/// The class that is called, and the named arguments.
fn call<'v>(value: &'v Value, what: &str) -> Result<(&'v str, &'v Named), PythonError> {
    match &value.data {
        Data::Call { path, args, named } => match args.first() {
            None => Ok((class_of(path), named)),
            Some(arg) => Err(expected(arg, "a named argument")),
        },
        _ => Err(expected(value, what)),
    }
}

/// The name of a called class, without its modules.
fn class_of(path: &[String]) -> &str {
    path.last().expect("what is called has a name")
}

fn list<'v>(value: &'v Value, what: &str) -> Result<&'v [Value], PythonError> {
    match &value.data {
        Data::List(values) => Ok(values),
        _ => Err(expected(value, what)),
    }
}

fn dict<'v>(value: &'v Value, what: &str) -> Result<&'v [(Value, Value)], PythonError> {
    match &value.data {
        Data::Dict(entries) => Ok(entries),
        _ => Err(expected(value, what)),
    }
}

/// Returns the place of a tensor, which has the arguments `tensor`. In device memory, a name or a placeholder that
/// represents an address, as documents of the front end print it, is the start of the tensor's kernel argument: the
/// argument's number, in all revisions.
fn allocation(value: &Value, tensor: &Named) -> Result<Json, PythonError> {
    let Data::Dict(entries) = &value.data else {
        return plain(value);
    };
    let mut object = Object::new();
    for (key, entry) in entries {
        let Data::Str(memory) = &key.data else {
            return plain(value);
        };
        let json = match &entry.data {
            Data::Name(_) | Data::Placeholder(_) if memory == "hbm" => argument(entry, tensor)?,
            Data::Name(_) | Data::Placeholder(_) => {
                let bytes = format!("the place in `{memory}`, a number of bytes");
                return Err(expected(entry, &bytes));
            }
            _ => plain(entry)?,
        };
        if object.insert(memory.clone(), json).is_some() {
            let problem = format!("`{memory}` is given twice");
            return Err(PythonError::new(key.position, problem));
        }
    }
    Ok(Json::Object(object))
}

/// Returns the number of a tensor's kernel argument, for a name in place of its address.
fn argument(name: &Value, tensor: &Named) -> Result<Json, PythonError> {
    let mut fields = tensor.iter();
    let index = fields.find(|(field, _)| field == "arg_index");
    match index.map(|(_, index)| &index.data) {
        Some(Data::Int(index)) => Ok(Json::Number((*index).into())),
        _ => {
            let problem = format!(
                "{} is the start of a kernel argument, of which the tensor has no number; write arg_index=N",
                name.describe()
            );
            Err(PythonError::new(name.position, problem))
        }
    }
}

/// The first revision has one list of symbols, later ones a list for each loop.
fn tiled_symbols(value: &Value) -> Result<Option<Field>, PythonError> {
    let entries = list(value, "a list of symbols, or of lists of symbols")?;
    let is_nested = matches!(
        entries.first(),
        Some(Value {
            data: Data::List(_),
            ..
        })
    );
    if entries.is_empty() {
        return Ok(None);
    }
    Ok(Some(if is_nested {
        let levels = entries.iter().map(symbolic_list);
        let levels = Json::Array(levels.collect::<Result<_, _>>()?);
        ("tiled_levels".to_owned(), levels)
    } else {
        ("tiled_symbols".to_owned(), symbolic_list(value)?)
    }))
}

/// A member of an enumeration, by its name.
fn enumerator(value: &Value, class: &str) -> Result<Json, PythonError> {
    match &value.data {
        Data::Name(path) => match path.as_slice() {
            [.., owner, name] if owner == class => Ok(text(name.as_str())),
            _ => Err(expected(value, &format!("a member of `{class}`"))),
        },
        _ => Err(expected(value, &format!("a member of `{class}`"))),
    }
}

/// The text of a symbolic expression: a call of `sympify` and the like, a bare name, or an integer.
fn symbolic_text(value: &Value) -> Result<String, PythonError> {
    let what = "a symbolic expression such as sympify('c0')";
    match &value.data {
        Data::Int(number) => Ok(number.to_string()),
        Data::Negative(number) => Ok(number.to_string()),
        Data::Name(path) => match path.as_slice() {
            [name] => Ok(name.clone()),
            _ => Err(expected(value, what)),
        },
        Data::Call { path, args, named } => {
            let class = class_of(path);
            let [arg] = args.as_slice() else {
                return Err(expected(value, what));
            };
            let inner = match &arg.data {
                Data::Str(text) => text.clone(),
                _ => symbolic_text(arg)?,
            };
            match class {
                // Assumptions, such as `integer=True`, are true of all symbols here.
                "Symbol" => Ok(inner),
                "sympify" | "S" | "Integer" if named.is_empty() => Ok(inner),
                "IndirectAccess" if named.is_empty() => Ok(format!("IndirectAccess({inner})")),
                _ => Err(expected(value, what)),
            }
        }
        _ => Err(expected(value, what)),
    }
}

fn symbolic(value: &Value) -> Result<Json, PythonError> {
    symbolic_text(value).map(Json::String)
}

fn symbolic_list(value: &Value) -> Result<Json, PythonError> {
    let values = list(value, "a list of symbolic expressions")?;
    let values = values.iter().map(symbolic);
    Ok(Json::Array(values.collect::<Result<_, _>>()?))
}

/// A dictionary by symbols, or by their names.
fn by_symbol(
    value: &Value,
    convert: fn(&Value) -> Result<Json, PythonError>,
) -> Result<Json, PythonError> {
    let entries = dict(value, "a dictionary by symbols")?;
    let mut object = Object::new();
    for (key, entry) in entries {
        let name = match &key.data {
            Data::Str(name) => name.clone(),
            _ => symbolic_text(key)?,
        };
        if object.insert(name.clone(), convert(entry)?).is_some() {
            let problem = format!("`{name}` is given twice");
            return Err(PythonError::new(key.position, problem));
        }
    }
    Ok(Json::Object(object))
}

/// A value as it is. Instances of classes are objects of their fields, and symbolic expressions their texts.
fn plain(value: &Value) -> Result<Json, PythonError> {
    Ok(match &value.data {
        Data::None => Json::Null,
        Data::Bool(value) => Json::Bool(*value),
        Data::Int(number) => Json::Number((*number).into()),
        Data::Negative(number) => Json::Number((*number).into()),
        Data::Float(number) => match serde_json::Number::from_f64(*number) {
            Some(number) => Json::Number(number),
            None => return Err(expected(value, "a finite number")),
        },
        Data::Str(value) => text(value.as_str()),
        Data::Placeholder(_) => return Err(expected(value, "a value")),
        Data::List(values) => Json::Array(values.iter().map(plain).collect::<Result<_, _>>()?),
        Data::Dict(_) => by_symbol(value, plain)?,
        Data::Call { args, named, .. } if args.is_empty() => {
            let fields = named
                .iter()
                .map(|(name, value)| Ok((name.clone(), plain(value)?)));
            Json::Object(fields.collect::<Result<Object<Json>, _>>()?)
        }
        Data::Name(_) | Data::Call { .. } => symbolic(value)?,
    })
}

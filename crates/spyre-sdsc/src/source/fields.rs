//! The neutral JSON tree, node by node, with the fields that each may have.

use rustc_hash::FxHashSet;

use serde::de::DeserializeOwned;

use super::{LeftOut, OpPlace};
use crate::DeviceFormat;
use crate::expr::{Expr, Symbol};
use crate::model::{IterationDim, LoopSpec, Node, OpSpec, Ownership};
use crate::ordered::{Json, Object};
use crate::revision::{Located, R1Node, lower_loops_at};

/// A mistake in a part of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    /// The path of the part: `specs[0].args[1]`.
    pub(super) path: String,
    /// The mistake.
    pub(super) message: String,
    /// The path of the place, which may be deeper.
    pub(super) at: String,
}

impl Problem {
    fn new(path: &str, message: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            message: message.into(),
            at: path.to_owned(),
        }
    }

    /// The same problem, at the operand that its message names: `args[1].allocation ...`.
    fn at_operand(mut self) -> Self {
        if let Some(start) = self.message.find("args[") {
            let operand = &self.message[start..];
            let end = operand.find(' ').unwrap_or(operand.len());
            self.at = format!("{}.{}", self.path, &operand[..end]);
        }
        self
    }

    /// The same problem, in a field of the part.
    fn in_field(mut self, name: &str) -> Self {
        self.at = format!("{}.{name}", self.path);
        self
    }
}

/// Fields of every revision.
const OP: &[&str] = &[
    "kind",
    "op",
    "is_reduction",
    "iteration_space",
    "op_info",
    "args",
];
/// Fields of the first revision.
const OP_R1: &[&str] = &["tiled_symbols"];
/// Fields of later revisions.
const OP_R2: &[&str] = &[
    "tiled_levels",
    "tiled_symbol_trip_counts",
    "symbolic_dim_bounds",
    "core_id_to_work_slice",
    "completed_producer_cores",
    "node_output_ranges",
    "debug_handle",
];
const DIM: &[&str] = &["symbol", "range", "work_division"];
const ARG: &[&str] = &[
    "is_input",
    "arg_index",
    "device_dtype",
    "device_size",
    "device_coordinates",
    "allocation",
    "name",
];
const ARG_R1: &[&str] = &["stride_map", "per_tile_fixed"];
const ARG_R2: &[&str] = &[
    "device_tile_advance_expr",
    "element_arrangement",
    "work_division",
    "non_unified_alloc_in_hbm",
    "kernel_local",
];
const OWNERS: &[&str] = &["work_slices", "core_id_to_work_slice", "num_cores"];
const LOOP: &[&str] = &["kind", "count", "body"];
const LOOP_R1: &[&str] = &["tiled_symbols"];
const LOOP_R2: &[&str] = &["count_symbol_bounds", "count_symbol_sources"];
const UNIMPLEMENTED: &[&str] = &["kind", "op"];

/// Which revisions a tree can be of, by the fields that have been met.
#[derive(Default)]
struct Revisions {
    /// A field that only the first revision has.
    first: Option<String>,
    /// A field that only later revisions have.
    later: Option<String>,
}

/// The nodes of a tree and the messages about them.
pub(super) struct Nodes {
    pub(super) nodes: Vec<Node>,
    pub(super) places: Vec<OpPlace>,
    pub(super) left_out: Vec<LeftOut>,
}

/// Reads the nodes of a tree.
///
/// # Errors
/// The first part that is not one of a tree.
pub(super) fn nodes(specs: &Json) -> Result<Nodes, Problem> {
    if let Some((way, key)) = repeated(specs) {
        let problem = format!("field `{key}` is given twice");
        return Err(Problem::new(&format!("specs{way}"), problem).in_field(key));
    }
    let mut walk = Walk::default();
    walk.list(specs, "specs")?;
    match (&walk.revisions.first, &walk.revisions.later) {
        (Some(first), Some(later)) => Err(Problem::new(
            first,
            format!("is a field of the first revision, but {later} is one of later revisions"),
        )),
        (Some(_), None) => {
            let nodes: Vec<R1Node> = each(specs, "specs")?;
            let nodes = lower_loops_at(&nodes, "specs")
                .map_err(|Located { path, error }| Problem::new(&path, error.to_string()))?;
            Ok(walk.read(nodes))
        }
        (None, _) => {
            let nodes = walk.nodes(specs, "specs")?;
            Ok(walk.read(nodes))
        }
    }
}

/// Returns a key that an object has twice.
pub(super) fn repeated_key(entries: &Object<Json>) -> Option<&str> {
    let mut seen = FxHashSet::default();
    let mut keys = entries.keys().map(String::as_str);
    keys.find(|key| !seen.insert(*key))
}

/// Returns the path of an object that has a key twice, and the key: readers would take one value or the
/// other.
fn repeated(value: &Json) -> Option<(String, &str)> {
    let inside = |step: String, value| {
        let (way, key) = repeated(value)?;
        Some((step + &way, key))
    };
    match value {
        Json::Object(entries) => {
            let repeated_name = repeated_key(entries).map(|key| (String::new(), key));
            let mut entries = entries.iter();
            repeated_name
                .or_else(|| entries.find_map(|(key, value)| inside(format!(".{key}"), value)))
        }
        Json::Array(values) => {
            let mut values = values.iter().enumerate();
            values.find_map(|(number, value)| inside(format!("[{number}]"), value))
        }
        _ => None,
    }
}

/// Every entry of a list as a value of a type.
fn each<T: DeserializeOwned>(list: &Json, path: &str) -> Result<Vec<T>, Problem> {
    elements(list, path)?
        .iter()
        .enumerate()
        .map(|(number, value)| typed(value, &format!("{path}[{number}]")))
        .collect()
}

/// The text of JSON keeps the order of keys, which counts.
fn typed<T: DeserializeOwned>(value: &Json, path: &str) -> Result<T, Problem> {
    let wrong = |err: serde_json::Error| {
        // The line and column are relative to the part.
        let message = err.to_string();
        let place = message.find(" at line ").unwrap_or(message.len());
        Problem::new(path, &message[..place])
    };
    let text = serde_json::to_string(value).map_err(wrong)?;
    serde_json::from_str(&text).map_err(wrong)
}

fn elements<'j>(value: &'j Json, path: &str) -> Result<&'j [Json], Problem> {
    match value {
        Json::Array(values) => Ok(values),
        other => Err(Problem::new(
            path,
            format!("must be a list, got {}", kind(other)),
        )),
    }
}

fn object<'j>(value: &'j Json, path: &str) -> Result<&'j Object<Json>, Problem> {
    match value {
        Json::Object(entries) => Ok(entries),
        other => Err(Problem::new(
            path,
            format!("must be an object, got {}", kind(other)),
        )),
    }
}

const fn kind(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "a boolean",
        Json::Number(_) => "a number",
        Json::String(_) => "a string",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    }
}

#[derive(Default)]
struct Walk {
    revisions: Revisions,
    places: Vec<OpPlace>,
    left_out: Vec<LeftOut>,
}

impl Walk {
    fn read(self, nodes: Vec<Node>) -> Nodes {
        Nodes {
            nodes,
            places: self.places,
            left_out: self.left_out,
        }
    }

    fn list(&mut self, value: &Json, path: &str) -> Result<(), Problem> {
        for (number, node) in elements(value, path)?.iter().enumerate() {
            self.node(node, &format!("{path}[{number}]"))?;
        }
        Ok(())
    }

    fn node(&mut self, value: &Json, path: &str) -> Result<(), Problem> {
        let node = object(value, path)?;
        match node.get("kind") {
            Some(Json::String(kind)) => match kind.as_str() {
                "op" => self.op(node, path),
                "loop" => {
                    self.fields(node, path, [LOOP, LOOP_R1, LOOP_R2])?;
                    match node.get("body") {
                        Some(body) => self.list(body, &format!("{path}.body")),
                        None => Err(Problem::new(path, "missing field `body`")),
                    }
                }
                "unimplemented" => {
                    self.left_out.push(LeftOut {
                        op: match node.get("op") {
                            Some(Json::String(op)) => op.clone(),
                            _ => String::new(),
                        },
                        place: OpPlace {
                            path: path.to_owned(),
                            position: None,
                        },
                    });
                    self.fields(node, path, [UNIMPLEMENTED, &[], &[]])
                }
                other => Err(Problem::new(
                    path,
                    format!("kind must be `op`, `loop` or `unimplemented`, got `{other}`"),
                )),
            },
            Some(other) => Err(Problem::new(
                path,
                format!("kind must be a string, got {}", kind(other)),
            )),
            None => Err(Problem::new(path, "missing field `kind`")),
        }
    }

    fn op(&mut self, op: &Object<Json>, path: &str) -> Result<(), Problem> {
        self.places.push(OpPlace {
            path: path.to_owned(),
            position: None,
        });
        self.fields(op, path, [OP, OP_R1, OP_R2])?;
        let parts = |name: &str| match op.get(name) {
            Some(list) => elements(list, &format!("{path}.{name}")),
            None => Err(Problem::new(path, format!("missing field `{name}`"))),
        };
        for (number, dim) in parts("iteration_space")?.iter().enumerate() {
            let path = format!("{path}.iteration_space[{number}]");
            self.fields(object(dim, &path)?, &path, [DIM, &[], &[]])?;
        }
        for (number, arg) in parts("args")?.iter().enumerate() {
            let path = format!("{path}.args[{number}]");
            let arg = object(arg, &path)?;
            self.fields(arg, &path, [ARG, ARG_R1, ARG_R2])?;
            if let Some(Json::Object(allocation)) = arg.get("allocation")
                && allocation.get("pool").is_some()
            {
                let path = format!("{path}.allocation.pool");
                self.revisions.first.get_or_insert(path);
            }
            if let Some(owners @ Json::Object(_)) = arg.get("work_division") {
                let path = format!("{path}.work_division");
                self.fields(object(owners, &path)?, &path, [OWNERS, &[], &[]])?;
            }
        }
        Ok(())
    }

    /// Checks that all fields are known: the fields of every revision, of the first, and of later ones.
    fn fields(
        &mut self,
        object: &Object<Json>,
        path: &str,
        [all, first, later]: [&[&str]; 3],
    ) -> Result<(), Problem> {
        for (name, value) in object.iter() {
            let name = name.as_str();
            // Front ends write fields of other revisions with a value that has no effect.
            let means_something = match value {
                Json::Null | Json::Bool(false) => false,
                Json::Array(values) => !values.is_empty(),
                Json::Object(entries) => !entries.is_empty(),
                _ => true,
            };
            let field_path = || format!("{path}.{name}");
            if all.contains(&name) {
            } else if first.contains(&name) {
                if means_something {
                    self.revisions.first.get_or_insert_with(field_path);
                }
            } else if later.contains(&name) {
                if means_something {
                    self.revisions.later.get_or_insert_with(field_path);
                }
            } else {
                let fields = [all, first, later].concat().join(", ");
                let problem = format!("unknown field `{name}`; the fields are {fields}");
                return Err(Problem::new(path, problem).in_field(name));
            }
        }
        Ok(())
    }

    /// The typed nodes of a checked list.
    fn nodes(&self, list: &Json, path: &str) -> Result<Vec<Node>, Problem> {
        elements(list, path)?
            .iter()
            .enumerate()
            .map(|(number, node)| self.typed_node(node, &format!("{path}[{number}]")))
            .collect()
    }

    fn typed_node(&self, value: &Json, path: &str) -> Result<Node, Problem> {
        let node = object(value, path)?;
        match node.get("kind") {
            Some(Json::String(kind)) if kind == "op" => {
                let op = typed::<OpSpec>(value, path);
                op.map(Node::from).map_err(|whole| {
                    blame(node, path)
                        .err()
                        .unwrap_or_else(|| whole.at_operand())
                })
            }
            Some(Json::String(kind)) if kind == "loop" => {
                let field = |name: &str| format!("{path}.{name}");
                let required = |name: &str| {
                    let missing = || Problem::new(path, format!("missing field `{name}`"));
                    node.get(name).ok_or_else(missing)
                };
                let (count, body) = (required("count")?, required("body")?);
                let optional = |name: &str| match node.get(name) {
                    None | Some(Json::Null) => Json::Object(Object::new()),
                    Some(value) => value.clone(),
                };
                Ok(Node::from(LoopSpec {
                    count: typed::<Expr>(count, &field("count"))?,
                    body: self.nodes(body, &field("body"))?,
                    count_symbol_bounds: typed(
                        &optional("count_symbol_bounds"),
                        &field("count_symbol_bounds"),
                    )?,
                    count_symbol_sources: typed(
                        &optional("count_symbol_sources"),
                        &field("count_symbol_sources"),
                    )?,
                }))
            }
            _ => typed(value, path),
        }
    }
}

/// Looks for the smallest part of an operation that is wrong by itself.
fn blame(op: &Object<Json>, path: &str) -> Result<(), Problem> {
    field::<String>(op, path, "op")?;
    field::<bool>(op, path, "is_reduction")?;
    field::<Option<Object<Expr, Symbol>>>(op, path, "core_id_to_work_slice")?;
    field::<Vec<u32>>(op, path, "completed_producer_cores")?;
    for (dim, path) in parts(op, path, "iteration_space") {
        typed::<IterationDim>(dim, &path)?;
    }
    for (arg, path) in parts(op, path, "args") {
        let arg = object(arg, &path)?;
        field::<bool>(arg, &path, "is_input")?;
        field::<i64>(arg, &path, "arg_index")?;
        if let Some(Json::String(name)) = arg.get("device_dtype")
            && let Err(problem) = name.parse::<DeviceFormat>()
        {
            return Err(Problem::new(
                &format!("{path}.device_dtype"),
                problem.to_string(),
            ));
        }
        if let Some(Json::Object(allocation)) = arg.get("allocation")
            && allocation.len() != 1
        {
            let keys: Vec<&str> = allocation.keys().map(String::as_str).collect();
            let problem = format!(
                "must be one of hbm, lx and hbm_pool with its bytes, got {{{}}}",
                keys.join(", ")
            );
            return Err(Problem::new(&format!("{path}.allocation"), problem));
        }
        field::<Vec<u64>>(arg, &path, "device_size")?;
        for (coordinate, path) in parts(arg, &path, "device_coordinates") {
            typed::<Expr>(coordinate, &path)?;
        }
        field::<Option<Expr>>(arg, &path, "device_tile_advance_expr")?;
        field::<Option<Ownership>>(arg, &path, "work_division")?;
        field::<bool>(arg, &path, "non_unified_alloc_in_hbm")?;
        field::<bool>(arg, &path, "kernel_local")?;
    }
    Ok(())
}

/// A field as a value of a type, if it is present.
fn field<T: DeserializeOwned>(
    object: &Object<Json>,
    path: &str,
    name: &str,
) -> Result<(), Problem> {
    match object.get(name) {
        Some(value) => typed::<T>(value, &format!("{path}.{name}")).map(drop),
        None => Ok(()),
    }
}

/// The entries of a list in a field, with their paths.
fn parts<'j>(
    object: &'j Object<Json>,
    path: &str,
    name: &str,
) -> impl Iterator<Item = (&'j Json, String)> {
    let values = match object.get(name) {
        Some(Json::Array(values)) => values.as_slice(),
        _ => &[],
    };
    let list = format!("{path}.{name}");
    values
        .iter()
        .enumerate()
        .map(move |(number, value)| (value, format!("{list}[{number}]")))
}

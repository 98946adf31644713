//! The neutral JSON form: a list of nodes, or an object with that list under `specs` and options of the generator under
//! `options`.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::fields::{self, Problem};
use super::{OpPlace, Position, Source, SourceOptions};
use crate::Bytes;
use crate::model::Node;
use crate::ordered::Json;
use crate::revision::{self, Order, R1Node};

/// A mistake in a JSON tree.
#[derive(Debug, Error)]
pub enum JsonError {
    /// It is not JSON.
    #[error("{problem} at line {} column {}", position.line, position.column)]
    Syntax {
        /// The place of the mistake.
        position: Position,
        /// The mistake.
        problem: String,
    },
    /// It is not a tree.
    #[error("{path}: {problem}")]
    Tree {
        /// The path of the part: `specs[0].args[1]`.
        path: String,
        /// The mistake.
        problem: String,
    },
}

impl JsonError {
    /// Returns the place of the mistake if the text is not JSON.
    pub fn position(&self) -> Option<Position> {
        match self {
            Self::Syntax { position, .. } => Some(*position),
            Self::Tree { .. } => None,
        }
    }

    fn syntax(text: &str, err: &serde_json::Error) -> Self {
        let (number, bytes) = (err.line(), err.column());
        let line = text.split('\n').nth(number - 1);
        let line = line.expect("the line of an error is in the text");
        // serde_json counts bytes, up to and with the wrong one, which may be inside of a character.
        let starts = line.char_indices().map(|(start, _)| start);
        let characters = starts.take_while(|start| *start < bytes).count();
        let message = err.to_string();
        let place = format!(" at line {number} column {bytes}");
        Self::Syntax {
            position: Position {
                line: number,
                // An error at the end of a line is in its column 0.
                column: characters.max(1),
            },
            problem: message.strip_suffix(&place).unwrap_or(&message).to_owned(),
        }
    }
}

impl From<Problem> for JsonError {
    fn from(problem: Problem) -> Self {
        Self::Tree {
            path: problem.path,
            problem: problem.message,
        }
    }
}

/// Options as recorded cases have them. Other options describe the run of a generator, and not its result.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Options {
    pool_size: Option<u64>,
    sdsc_cache: Option<bool>,
    frontend_pool_allocation: bool,
    core_id_k_fast_emission: Option<bool>,
}

/// Writes a tree and the options that it is compiled with. [`read`] gives both again.
#[must_use]
pub fn write(nodes: &[Node], options: &SourceOptions) -> String {
    #[derive(Serialize)]
    struct Document<'a> {
        specs: &'a [Node],
        options: Options,
    }
    let document = Document {
        specs: nodes,
        options: Options {
            pool_size: options.pool_size.map(Bytes::get),
            sdsc_cache: Some(options.share_files),
            frontend_pool_allocation: options.caller_allocates_pool,
            core_id_k_fast_emission: Some(!options.cores_in_order),
        },
    };
    let mut text = serde_json::to_string_pretty(&document).expect("a tree has a JSON form");
    text.push('\n');
    text
}

fn parse(text: &str) -> Result<Json, JsonError> {
    serde_json::from_str(text).map_err(|err| JsonError::syntax(text, &err))
}

/// Reads a tree of the first revision and unrolls it as that revision did: addresses are in the host tensor, not in its
/// layout. For comparison with data of that revision; [`read`] keeps the loops and is exact.
///
/// # Errors
/// The errors of [`read`], and loops that cannot be unrolled.
pub fn read_as_first_revision(text: &str) -> Result<Source, JsonError> {
    let wrong = |problem: String| JsonError::Tree {
        path: "specs".to_owned(),
        problem,
    };
    // A list is the tree; an object has the tree and options.
    let whole = parse(text)?;
    let mut specs = &whole;
    if let Json::Object(entries) = &whole {
        specs = entries
            .get("specs")
            .ok_or_else(|| wrong("missing, the list of nodes".to_owned()))?;
    }
    let specs: Vec<R1Node> = serde_json::to_string(specs)
        .and_then(|text| serde_json::from_str(&text))
        .map_err(|err| wrong(err.to_string()))?;
    let nodes = revision::lower(&specs, Order::Host).map_err(|err| wrong(err.to_string()))?;
    // The unrolled tree is a list of operations.
    let places = (0..nodes.len()).map(|number| OpPlace {
        path: format!("operation {number} of the unrolled tree"),
        position: None,
    });
    Ok(Source {
        places: places.collect(),
        nodes,
        left_out: Vec::new(),
        options: SourceOptions::default(),
    })
}

/// Reads a tree. A tree of the first revision is brought into the present form; its loops are kept.
///
/// # Errors
/// Text that is not JSON, unknown and missing fields, and values out of range.
pub fn read(text: &str) -> Result<Source, JsonError> {
    let whole = parse(text)?;
    let wrong = |path: &str, problem: String| JsonError::Tree {
        path: path.to_owned(),
        problem,
    };
    let entries = match &whole {
        Json::Array(_) => {
            let read = fields::nodes(&whole)?;
            return Ok(Source {
                nodes: read.nodes,
                places: read.places,
                left_out: read.left_out,
                options: SourceOptions::default(),
            });
        }
        Json::Object(entries) => entries,
        _ => {
            let problem = "must be a list of nodes, or an object with one under `specs`";
            return Err(wrong("the document", problem.to_owned()));
        }
    };
    if let Some(key) = fields::repeated_key(entries) {
        let problem = format!("field `{key}` is given twice");
        return Err(wrong("the document", problem));
    }
    let specs = entries.get("specs").ok_or_else(|| {
        let problem = match entries.get("format") {
            // The graphs of front ends name their format.
            Some(Json::String(format)) => {
                format!("the format `{format}` is no tree of OpSpecs; --import reads the programs of front ends")
            }
            _ => "missing field `specs`, the list of nodes".to_owned(),
        };
        wrong("the document", problem)
    })?;
    let read = fields::nodes(specs)?;
    let options: Options = match entries.get("options") {
        None => Options::default(),
        Some(options) => serde_json::to_string(options)
            .and_then(|text| serde_json::from_str(&text))
            .map_err(|err| wrong("options", err.to_string()))?,
    };
    // The third revision shares files by default.
    let is_third =
        matches!(entries.get("revision"), Some(Json::String(revision)) if revision == "r3");
    Ok(Source {
        nodes: read.nodes,
        places: read.places,
        left_out: read.left_out,
        options: SourceOptions {
            pool_size: options.pool_size.filter(|size| *size > 0).map(Bytes),
            caller_allocates_pool: options.frontend_pool_allocation,
            share_files: options.sdsc_cache.unwrap_or(is_third),
            cores_in_order: options.core_id_k_fast_emission == Some(false),
        },
    })
}

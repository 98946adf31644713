//! Reads graphs from JSON: whole, or one operation after the other.
//!
//! Operations are most of a file, and each takes many times the memory that its text takes. A graph that is read one operation after
//! the other has one of them in memory.

use std::{fmt, mem, str};

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::{FORMAT, Graph, Op, Ref, Text, VERSION};

/// A file is no program of this format.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is no JSON of this form.
    #[error("at {path}: {reason}")]
    Json {
        /// The place, from the root of the JSON.
        path: String,
        /// The reason.
        reason: serde_json::Error,
    },
    /// The file has another format.
    #[error("at format: expected \"{FORMAT}\", got {0:?}")]
    Format(String),
    /// The file has a version that this reader does not know.
    #[error("at version: expected {VERSION}, got {0}")]
    Version(u64),
}

/// Reading a graph stops early: it is not of this format, or the receiver of its parts returns an error.
#[derive(Debug, thiserror::Error)]
pub enum StreamError<E> {
    /// It is not of this format.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// An error of the function that takes the parts.
    #[error("{0}")]
    Taken(E),
}

/// A part of a graph, in the order in which they come: one head, the operations in their order, one tail.
#[derive(Debug)]
pub enum Part {
    /// The part before the operations. It has neither operations nor outputs.
    Head(Box<Graph>),
    /// The next operation.
    Op(Box<Op>),
    /// The part after the operations.
    Tail(Tail),
}

/// The part after the operations of a graph.
#[derive(Debug)]
pub struct Tail {
    /// The outputs.
    pub outputs: Vec<Ref>,
    /// `"forward"` or `"backward"`.
    pub phase: Option<Text>,
}

/// Reads a graph.
///
/// # Errors
/// [`ReadError`], with the path in the JSON.
pub fn read(bytes: &[u8]) -> Result<Graph, ReadError> {
    // Tracking paths costs as much as reading, so they are computed only for an error.
    let graph: Graph = serde_json::from_str(text(bytes)?).map_err(|err| located(bytes, err))?;
    check(&graph)?;
    Ok(graph)
}

/// Reads a graph, and passes each part to `take` as soon as it is read.
///
/// A file with parts of the head after its operations is read twice: the operations in the second pass.
///
/// # Errors
/// [`ReadError`], with the path in the JSON, or the first error of `take`.
pub fn stream<E>(
    bytes: &[u8],
    take: impl FnMut(Part) -> Result<(), E>,
) -> Result<(), StreamError<E>> {
    let text = text(bytes)?;
    let mut giver = Giver { take, failed: None };
    giver.graph(text).map_err(|err| match giver.failed {
        Some(failed) => failed,
        None => located(bytes, err).into(),
    })
}

fn text(bytes: &[u8]) -> Result<&str, ReadError> {
    str::from_utf8(bytes).map_err(|err| {
        let place = err.valid_up_to();
        let no_text = de::Error::custom(format_args!("no UTF-8 at byte {place}"));
        located(bytes, no_text)
    })
}

fn check(graph: &Graph) -> Result<(), ReadError> {
    if graph.format != FORMAT {
        return Err(ReadError::Format(graph.format.to_string()));
    }
    if graph.version != VERSION {
        return Err(ReadError::Version(graph.version));
    }
    Ok(())
}

/// Returns the place of an error in JSON.
fn located(text: &[u8], err: serde_json::Error) -> ReadError {
    let mut json = serde_json::Deserializer::from_slice(text);
    let read: Result<Graph, _> = serde_path_to_error::deserialize(&mut json);
    match read {
        Err(error) => ReadError::Json {
            path: error.path().to_string(),
            reason: error.into_inner(),
        },
        // The error is after the graph.
        Ok(_) => ReadError::Json {
            path: ".".to_owned(),
            reason: err,
        },
    }
}

/// Passes the parts of a graph to `take`. The JSON errors that it returns are placeholders: [`located`] finds the error
/// and its path.
struct Giver<F, E> {
    take: F,
    /// The error that is not of JSON.
    failed: Option<StreamError<E>>,
}

impl<F: FnMut(Part) -> Result<(), E>, E> Giver<F, E> {
    /// Passes a graph to `take`, part by part.
    fn graph(&mut self, text: &str) -> Result<(), serde_json::Error> {
        let mut json = serde_json::Deserializer::from_str(text);
        let late = GraphSeed(self).deserialize(&mut json)?;
        json.end()?;
        let Some((graph, tail)) = late else {
            return Ok(());
        };
        self.begin(graph)?;
        OpsOfGraph(self).deserialize(&mut serde_json::Deserializer::from_str(text))?;
        self.give(Part::Tail(tail))
    }

    /// Passes a part to `take`.
    fn give<J: de::Error>(&mut self, part: Part) -> Result<(), J> {
        (self.take)(part).map_err(|err| {
            self.failed = Some(StreamError::Taken(err));
            J::custom("not taken")
        })
    }

    /// Checks the head and passes it to `take`.
    fn begin<J: de::Error>(&mut self, graph: Graph) -> Result<(), J> {
        if let Err(err) = check(&graph) {
            self.failed = Some(err.into());
            return Err(J::custom("not of this format"));
        }
        self.give(Part::Head(Box::new(graph)))
    }
}

/// The fields that a graph must have before its operations can be passed on, in the order of [`Graph`]; fields after
/// the operations belong to the tail.
const HEAD: [&str; 9] = [
    "format",
    "version",
    "torch",
    "graph",
    "backend",
    "symbols",
    "inputs",
    "constants",
    "buffers",
];

/// The fields that every graph has.
const REQUIRED: [&str; 7] = [
    "format", "version", "torch", "inputs", "buffers", "ops", "outputs",
];

/// A graph that is passed on part by part. Its value is the head and the tail of a graph with operations that cannot be
/// passed on yet.
struct GraphSeed<'s, F, E>(&'s mut Giver<F, E>);

impl<'de, F: FnMut(Part) -> Result<(), E>, E> DeserializeSeed<'de> for GraphSeed<'_, F, E> {
    type Value = Option<(Graph, Tail)>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de, F: FnMut(Part) -> Result<(), E>, E> Visitor<'de> for GraphSeed<'_, F, E> {
    type Value = Option<(Graph, Tail)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("struct Graph")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut graph = Graph::default();
        let mut seen: Vec<Text> = Vec::new();
        let mut has_begun = false;
        while let Some(key) = map.next_key::<Text>()? {
            if seen.contains(&key) {
                return Err(de::Error::custom("a field occurs twice"));
            }
            match key.as_str() {
                "format" => graph.format = map.next_value()?,
                "version" => graph.version = map.next_value()?,
                "torch" => graph.torch = map.next_value()?,
                "graph" => graph.graph = map.next_value()?,
                "backend" => graph.backend = map.next_value()?,
                "symbols" => graph.symbols = map.next_value()?,
                "inputs" => graph.inputs = map.next_value()?,
                "constants" => graph.constants = map.next_value()?,
                "buffers" => graph.buffers = map.next_value()?,
                "outputs" => graph.outputs = map.next_value()?,
                "phase" => graph.phase = map.next_value()?,
                "ops"
                    if HEAD
                        .iter()
                        .all(|name| seen.iter().any(|seen_key| seen_key == name)) =>
                {
                    let tail = (mem::take(&mut graph.outputs), graph.phase.take());
                    self.0.begin(mem::take(&mut graph))?;
                    (graph.outputs, graph.phase) = tail;
                    has_begun = true;
                    map.next_value_seed(OpsSeed(self.0))?;
                }
                // Unused fields, and operations that the second pass reads.
                _ => {
                    map.next_value::<de::IgnoredAny>()?;
                    if key != "ops" {
                        continue;
                    }
                }
            }
            seen.push(key);
        }
        let mut required = REQUIRED.into_iter();
        if let Some(missing) = required.find(|name| !seen.iter().any(|seen_key| seen_key == name)) {
            return Err(de::Error::missing_field(missing));
        }
        let tail = Tail {
            outputs: mem::take(&mut graph.outputs),
            phase: graph.phase.take(),
        };
        if has_begun {
            self.0.give(Part::Tail(tail))?;
            return Ok(None);
        }
        Ok(Some((graph, tail)))
    }
}

/// The operations of a graph; the other fields are skipped.
struct OpsOfGraph<'s, F, E>(&'s mut Giver<F, E>);

impl<'de, F: FnMut(Part) -> Result<(), E>, E> DeserializeSeed<'de> for OpsOfGraph<'_, F, E> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de, F: FnMut(Part) -> Result<(), E>, E> Visitor<'de> for OpsOfGraph<'_, F, E> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("struct Graph")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Text>()? {
            if key == "ops" {
                map.next_value_seed(OpsSeed(self.0))?;
            } else {
                map.next_value::<de::IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// The list of operations of a graph, each of which is passed to the receiver of parts.
struct OpsSeed<'s, F, E>(&'s mut Giver<F, E>);

impl<'de, F: FnMut(Part) -> Result<(), E>, E> DeserializeSeed<'de> for OpsSeed<'_, F, E> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de, F: FnMut(Part) -> Result<(), E>, E> Visitor<'de> for OpsSeed<'_, F, E> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut ops: A) -> Result<(), A::Error> {
        while let Some(op) = ops.next_element()? {
            self.0.give(Part::Op(op))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD_FIRST: &str = r#"{"format": "inductor-loop-ir", "version": 1, "torch": "2.12.0", "graph": 3, "backend": {},
"symbols": [], "inputs": [], "constants": [], "buffers": [], "ops": [OPS], "outputs": [null], "phase": "forward"}"#;

    /// A graph as an older exporter of PyTorch wrote it: constants and schedulers are after the operations.
    const HEAD_LAST: &str = r#"{"format": "inductor-loop-ir", "version": 1, "torch": "2.12.0", "graph": 3, "symbols": [],
"inputs": [], "buffers": [], "ops": [OPS], "outputs": [null], "pre": [{"anything": 1}], "phase": "forward", "constants":
[{"name": "c", "dtype": "f32", "size": [], "stride": []}], "backend": {"cpu": "CppScheduling"}}"#;

    const OPS: &str = r#"{"name": "op0", "kind": "nop", "buffers": ["buf0"]}, {"name": "op1", "kind": "nop", "buffers": ["buf1"]}"#;

    /// Returns a text for each part that is passed on, and the result. An operation named `refused` is refused.
    fn parts(text: &str) -> (Vec<String>, Result<(), String>) {
        let mut parts = Vec::new();
        let read = stream(text.as_bytes(), |part| {
            match part {
                Part::Head(head) => {
                    assert!(head.ops.is_empty() && head.outputs.is_empty());
                    parts.push(format!("{} constants", head.constants.len()));
                }
                Part::Op(op) if op.name == "refused" => return Err("this one is refused"),
                Part::Op(op) => parts.push(op.name.to_string()),
                Part::Tail(tail) => {
                    let phase = tail.phase.unwrap_or_default();
                    parts.push(format!("{} outputs, {phase}", tail.outputs.len()));
                }
            }
            Ok(())
        });
        (parts, read.map_err(|err| err.to_string()))
    }

    #[test]
    fn parts_are_the_graph() {
        for (text, head) in [(HEAD_FIRST, "0 constants"), (HEAD_LAST, "1 constants")] {
            let text = text.replace("OPS", OPS);
            let (parts, read) = parts(&text);
            assert_eq!(read, Ok(()));
            assert_eq!(parts, [head, "op0", "op1", "1 outputs, forward"]);
            assert!(super::read(text.as_bytes()).is_ok());
        }
    }

    #[test]
    fn operations_are_given_away_before_the_next_one_is_read() {
        let damaged =
            r#"{"name": "op0", "kind": "nop", "buffers": []}, {"name": "op1", "kind": 3}"#;
        let (first, read) = parts(&HEAD_FIRST.replace("OPS", damaged));
        assert_eq!(first, ["0 constants", "op0"]);
        let message = read.expect_err("a kind is a text");
        assert!(message.starts_with("at ops[1].kind: "), "{message}");
        let (first, read) = parts(&HEAD_LAST.replace("OPS", damaged));
        assert_eq!(first, ["1 constants", "op0"]);
        let message = read.expect_err("a kind is a text");
        assert!(message.starts_with("at ops[1].kind: "), "{message}");
    }

    #[test]
    fn the_reader_ends_where_a_part_is_not_taken() {
        let refused = OPS.replace("op1", "refused");
        for text in [HEAD_FIRST, HEAD_LAST] {
            // The text after it is not read.
            let text = text
                .replace("OPS", &refused)
                .replace(r#""outputs": [null]"#, r#""outputs": 7"#);
            let (parts, read) = parts(&text);
            if text.contains("CppScheduling") {
                assert!(
                    read.expect_err("outputs are a list")
                        .starts_with("at outputs: ")
                );
            } else {
                assert_eq!(parts, ["0 constants", "op0"]);
                assert_eq!(read, Err("this one is refused".to_owned()));
            }
        }
    }

    #[test]
    fn what_is_no_text_is_an_error_at_its_place() {
        // In a name, and in an unused field.
        for (field, expected) in [
            ("name", "at ops[0].name: "),
            ("other", "at .: no UTF-8 at byte "),
        ] {
            let ops = format!(r#"{{"name": "op0", "kind": "nop", "buffers": [], "{field}": "?"}}"#);
            let ops = ops.replacen(r#""name": "op0", "#, "", usize::from(field == "name"));
            let mut text = HEAD_FIRST.replace("OPS", &ops).into_bytes();
            let place = text
                .iter()
                .position(|byte| *byte == b'?')
                .expect("it is there");
            text[place] = 0xff;
            let message = read(&text).expect_err("it is no text").to_string();
            assert!(message.starts_with(expected), "{message}");
        }
    }

    #[test]
    fn errors_say_where_they_are() {
        let text = HEAD_FIRST.replace("OPS", OPS);
        let cases = [
            (
                text.replace(r#""torch": "2.12.0", "#, ""),
                "at .: missing field `torch`",
            ),
            (
                text.replace(r#""torch""#, r#""version": 1, "torch""#),
                "at .: duplicate field `version`",
            ),
            (
                text.replace(r#""version": 1"#, r#""version": 2"#),
                "at version: expected 1, got 2",
            ),
            (
                text.replace(r#""outputs""#, r#""ops": 7, "outputs""#),
                "at .: duplicate field `ops`",
            ),
            (
                text.replace("inductor-loop-ir", "x"),
                r#"at format: expected "inductor-loop-ir", got "x""#,
            ),
            (format!("{text} 1"), "at .: trailing characters"),
            (text[..text.len() - 3].to_owned(), "at "),
            ("[1]".to_owned(), "at [0]: invalid type"),
        ];
        for (text, expected) in cases {
            let message = parts(&text).1.expect_err(expected);
            assert!(message.starts_with(expected), "{message}");
            let alone = read(text.as_bytes()).expect_err(expected).to_string();
            assert_eq!(alone, message);
        }
    }
}

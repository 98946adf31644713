//! The messages of a tool on standard error: text for people, or one JSON object a line for programs.
//!
//! A process has one standard error, so the form is that of the process, as with a logger. A tool chooses JSON before
//! it reads its input, and then diagnostics of MLIR, of passes and of the tool itself have one schema (docs/Tools.md).
//! Text is the form of compilers, `place: severity: message`; a message that a tool has only as such text is parsed.

use std::sync::atomic::{AtomicBool, Ordering};

use melior::Context;
use serde::Serialize;

use crate::diagnostic::{Reported, Severity, shortened};

/// Whether messages are JSON.
static IS_JSON: AtomicBool = AtomicBool::new(false);

/// Prints all messages of the process as JSON from now on, the diagnostics of a context among them.
pub fn print_as_json(context: &Context) {
    IS_JSON.store(true, Ordering::Relaxed);
    context.attach_diagnostic_handler(|diagnostic| {
        print_object(&Message::of_diagnostic(&Reported::new(&diagnostic)));
        true
    });
}

/// Returns whether messages are JSON.
#[must_use]
pub fn is_json() -> bool {
    IS_JSON.load(Ordering::Relaxed)
}

/// Prints a message of the form `place: severity: message`, or `severity: message` without a place. Long texts are
/// [`shortened`].
pub fn print(text: &str) {
    match is_json() {
        true => print_object(&Message::parse(text)),
        false => eprintln!("{}", shortened(text)),
    }
}

/// Prints a value as one line of JSON on standard error.
///
/// # Panics
/// The value has no form in JSON, such as a map with keys that are no texts.
pub fn print_object(value: &impl Serialize) {
    let line = serde_json::to_string(value).expect("a message has a form in JSON");
    eprintln!("{line}");
}

/// A message, with the fields of the JSON object.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Message {
    /// `error`, `warning`, `remark` or `note`.
    severity: &'static str,
    message: String,
    /// The place that the message is about; `None` for a message about no file.
    location: Option<Place>,
    notes: Vec<Note>,
}

/// A note of a message.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Note {
    message: String,
    location: Option<Place>,
}

/// A place in a file. Lines and columns are from 1.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Place {
    file: String,
    line: Option<usize>,
    column: Option<usize>,
    /// The name of a part of the file, such as `specs[0].body[1]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

/// The severities of messages; a note has none.
const SEVERITIES: [Option<Severity>; 4] = [
    Some(Severity::Error),
    Some(Severity::Warning),
    Some(Severity::Remark),
    None,
];

impl Message {
    fn of_diagnostic(reported: &Reported) -> Self {
        let notes = reported.notes.iter().map(|note| Note {
            message: note.message.clone(),
            location: Place::of_diagnostic(note),
        });
        Self {
            severity: Severity::word(reported.severity),
            message: reported.message.clone(),
            location: Place::of_diagnostic(reported),
            notes: notes.collect(),
        }
    }

    /// Reads a message in the form of compilers. A text without a severity is an error.
    fn parse(text: &str) -> Self {
        let found = SEVERITIES.iter().filter_map(|severity| {
            let severity = Severity::word(*severity);
            let word = format!("{severity}: ");
            if text.starts_with(&word) {
                return Some((0, word.len(), severity));
            }
            let at = text.find(&format!(": {word}"))?;
            Some((at, at + 2 + word.len(), severity))
        });
        // The first word is the severity; a later one is a part of the message.
        let (place, message, severity) = match found.min_by_key(|(at, ..)| *at) {
            Some((at, end, severity)) => (&text[..at], &text[end..], severity),
            None => ("", text, "error"),
        };
        Self {
            severity,
            message: shortened(message).into_owned(),
            location: (!place.is_empty()).then(|| Place::parse(place)),
            notes: Vec::new(),
        }
    }
}

impl Place {
    /// Returns the place of a diagnostic; `None` if it is unknown. A place in no file, such as that of an inlined call,
    /// has MLIR's text as its file.
    fn of_diagnostic(reported: &Reported) -> Option<Self> {
        if reported.place.is_empty() {
            return None;
        }
        let Some((file, line, column)) = reported.file_line_column.clone() else {
            return Some(Self {
                file: reported.place.clone(),
                line: None,
                column: None,
                name: None,
            });
        };
        let named = reported.place.strip_prefix(&file);
        let name = named.and_then(|rest| rest.strip_prefix(": "));
        Some(Self {
            name: name.map(str::to_owned),
            file,
            line: Some(line),
            column: Some(column),
        })
    }

    /// Reads `file:line:column`; another text is a file.
    fn parse(text: &str) -> Self {
        let number = |text: Option<&str>| text?.parse::<usize>().ok();
        let mut parts = text.rsplitn(3, ':');
        let (column, line) = (number(parts.next()), number(parts.next()));
        match (parts.next(), line, column) {
            (Some(file), Some(_), Some(_)) => Self {
                file: file.to_owned(),
                line,
                column,
                name: None,
            },
            _ => Self {
                file: text.to_owned(),
                line: None,
                column: None,
                name: None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> String {
        serde_json::to_string(&Message::parse(text)).expect("JSON")
    }

    #[test]
    fn texts_of_compilers_are_read() {
        assert_eq!(
            json("a:b.mlir:3:14: error: no room: error: 2 bytes"),
            r#"{"severity":"error","message":"no room: error: 2 bytes","location":{"file":"a:b.mlir","line":3,"column":14},"notes":[]}"#
        );
        assert_eq!(
            json("a.json: warning: an old format"),
            r#"{"severity":"warning","message":"an old format","location":{"file":"a.json","line":null,"column":null},"notes":[]}"#
        );
        assert_eq!(
            json("note: see there"),
            r#"{"severity":"note","message":"see there","location":null,"notes":[]}"#
        );
        assert_eq!(Message::parse("a word").severity, "error");
    }

    #[test]
    fn diagnostics_have_their_notes() {
        let at = |place: &str, severity, notes| Reported {
            severity,
            message: "m".to_owned(),
            place: place.to_owned(),
            file_line_column: Some(("t.json".to_owned(), 1, 2)),
            notes,
        };
        let note = at("t.json: specs[0]", None, Vec::new());
        let message = Message::of_diagnostic(&at("t.json:1:2", Some(Severity::Remark), vec![note]));
        assert_eq!(message.severity, "remark");
        let location = message.location.expect("a place");
        assert_eq!((location.line, location.name), (Some(1), None));
        let location = message.notes[0].location.as_ref().expect("a place");
        assert_eq!(location.name.as_deref(), Some("specs[0]"));
    }
}

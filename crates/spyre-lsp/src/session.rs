//! The documents of a session with an editor, the requests that this program answers, and the additions to other
//! answers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use melior::Context;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Value, json};

use crate::document::Document;
use crate::{check, completion, hint_hover, op_hover};

/// The letters after which editors ask for completion inside of `tile [...]`.
const TRIGGERS: [&str; 4] = ["[", "\"", " ", ","];

/// The consequence of a message of the editor.
pub(crate) enum Outcome {
    /// This answer; MLIR's server does not get the message.
    Answered(Value),
    /// MLIR's server gets the message.
    Passed,
    /// MLIR's server gets the message, and the session ends.
    Last,
}

/// The additions to the messages of MLIR's server.
#[derive(Debug, Default)]
pub(crate) struct Additions {
    /// The requests that are answered with the capabilities of the server, by id.
    initialize: FxHashSet<String>,
    /// The text to add to the answers of requests for hover, by id.
    hovers: FxHashMap<String, String>,
    /// The diagnostics to add to those of a document, with its version, by URI.
    diagnostics: FxHashMap<String, (Value, Vec<Value>)>,
}

impl Additions {
    /// Returns a message with additions; `None` if there is nothing to add.
    pub(crate) fn extend(&mut self, mut message: Value) -> Option<Value> {
        if message["method"] == "textDocument/publishDiagnostics" {
            let params = &mut message["params"];
            let (version, additional) = self.diagnostics.get(params["uri"].as_str()?)?;
            if params["version"] != *version || additional.is_empty() {
                return None;
            }
            let list = params["diagnostics"].as_array_mut()?;
            list.extend(additional.iter().cloned());
            return Some(message);
        }
        let id = message.get("id")?.to_string();
        if self.initialize.remove(&id) {
            let result = message.get_mut("result")?;
            result["serverInfo"] =
                json!({"name": "spyre-lsp-server", "version": env!("CARGO_PKG_VERSION")});
            add_triggers(&mut result["capabilities"]["completionProvider"]);
            return Some(message);
        }
        let text = self.hovers.remove(&id)?;
        add_hover(message.get_mut("result")?, &text);
        Some(message)
    }
}

/// Adds the letters of [`TRIGGERS`] to those of a server.
fn add_triggers(provider: &mut Value) {
    let letters = provider["triggerCharacters"].take();
    let mut letters: Vec<Value> = letters.as_array().cloned().unwrap_or_default();
    for trigger in TRIGGERS.map(Value::from) {
        if !letters.contains(&trigger) {
            letters.push(trigger);
        }
    }
    provider["triggerCharacters"] = letters.into();
}

/// Adds a text to a hover, which may be empty.
fn add_hover(hover: &mut Value, text: &str) {
    let before = hover["contents"]["value"].as_str();
    let value = match before {
        Some(before) => format!("{before}\n\n---\n\n{text}"),
        None => text.to_owned(),
    };
    if !hover.is_object() {
        *hover = json!({});
    }
    hover["contents"] = json!({"kind": "markdown", "value": value});
}

/// The documents of an editor.
pub(crate) struct Session<'s> {
    context: Context,
    documents: FxHashMap<String, Document>,
    additions: &'s Mutex<Additions>,
}

impl<'s> Session<'s> {
    /// Returns a session without documents.
    pub(crate) fn new(additions: &'s Mutex<Additions>) -> Self {
        spyre_all::register_passes();
        let context = spyre_all::context();
        // As MLIR's server does.
        context.set_allow_unregistered_dialects(true);
        Self {
            context,
            documents: FxHashMap::default(),
            additions,
        }
    }

    /// Handles a message of the editor. A bug in an analysis is not the end of the session: MLIR's server answers then.
    pub(crate) fn handle(&mut self, message: &Value) -> Outcome {
        let outcome = catch_unwind(AssertUnwindSafe(|| self.outcome(message)));
        outcome.unwrap_or(Outcome::Passed)
    }

    fn outcome(&mut self, message: &Value) -> Outcome {
        let params = &message["params"];
        match message["method"].as_str().unwrap_or_default() {
            "exit" => return Outcome::Last,
            "initialize" => {
                let id = message["id"].to_string();
                self.add(|additions| {
                    additions.initialize.insert(id);
                });
            }
            "textDocument/didOpen" => {
                let document = &params["textDocument"];
                self.update(document, &document["text"]);
            }
            "textDocument/didChange" => {
                // MLIR's server requests full texts, in one change.
                self.update(
                    &params["textDocument"],
                    &params["contentChanges"][0]["text"],
                );
            }
            "textDocument/didClose" => self.close(&params["textDocument"]),
            "textDocument/completion" => {
                let items = self.at_cursor(params, completion::items);
                return answer(message, items.flatten());
            }
            "textDocument/hover" => return self.hover(message, params),
            _ => {}
        }
        Outcome::Passed
    }

    fn add(&self, add: impl FnOnce(&mut Additions)) {
        add(&mut self
            .additions
            .lock()
            .unwrap_or_else(PoisonError::into_inner));
    }

    /// Takes over the text of a document. MLIR's server publishes diagnostics of each version, and ours are ready
    /// before.
    fn update(&mut self, identifier: &Value, text: &Value) {
        let (Some(uri), Some(text)) = (identifier["uri"].as_str(), text.as_str()) else {
            return;
        };
        let document = Document::new(uri, text.to_owned());
        let version = identifier["version"].clone();
        // Without the diagnostics of an earlier version, should the analysis fail.
        self.add(|additions| {
            additions.diagnostics.remove(uri);
        });
        self.documents.insert(uri.to_owned(), document);
        let diagnostics = check::diagnostics(&self.context, &self.documents[uri]);
        self.add(|additions| {
            additions
                .diagnostics
                .insert(uri.to_owned(), (version, diagnostics));
        });
    }

    fn close(&mut self, identifier: &Value) {
        let Some(uri) = identifier["uri"].as_str() else {
            return;
        };
        self.documents.remove(uri);
        self.add(|additions| {
            additions.diagnostics.remove(uri);
        });
    }

    /// Returns the result of an analysis at the position of a request; `None` if there is no such document or position.
    fn at_cursor<T>(
        &self,
        params: &Value,
        analysis: impl FnOnce(&Context, &Document, usize) -> T,
    ) -> Option<T> {
        let document = self
            .documents
            .get(params["textDocument"]["uri"].as_str()?)?;
        let cursor = document.offset(&params["position"])?;
        Some(analysis(&self.context, document, cursor))
    }

    fn hover(&self, message: &Value, params: &Value) -> Outcome {
        let hover = self.at_cursor(params, hint_hover::hover).flatten();
        if hover.is_some() {
            return answer(message, hover);
        }
        if let Some(text) = self.at_cursor(params, op_hover::words).flatten() {
            let id = message["id"].to_string();
            self.add(|additions| {
                additions.hovers.insert(id, text);
            });
        }
        Outcome::Passed
    }
}

/// Returns the answer of a request with a result; without one, MLIR's server answers.
fn answer(message: &Value, result: Option<Value>) -> Outcome {
    match result {
        Some(result) => Outcome::Answered(json!({
            "jsonrpc": "2.0", "id": message["id"], "result": result,
        })),
        None => Outcome::Passed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagnostics_are_added_to_those_of_their_version() {
        let mut additions = Additions::default();
        let ours = (json!(2), vec![json!("ours")]);
        additions.diagnostics.insert("file:a".to_owned(), ours);
        let published = |version: i64| {
            json!({"method": "textDocument/publishDiagnostics",
                "params": {"uri": "file:a", "version": version, "diagnostics": ["theirs"]}})
        };
        assert_eq!(additions.extend(published(1)), None);
        let both = additions.extend(published(2)).expect("an addition");
        assert_eq!(both["params"]["diagnostics"], json!(["theirs", "ours"]));
    }

    #[test]
    fn a_hover_is_extended_or_new() {
        for (hover, expected) in [
            (Value::Null, "ours"),
            (
                json!({"contents": {"value": "theirs"}}),
                "theirs\n\n---\n\nours",
            ),
        ] {
            let mut additions = Additions::default();
            additions.hovers.insert("7".to_owned(), "ours".to_owned());
            let reply = json!({"id": 7, "result": hover});
            let extended = additions.extend(reply.clone()).expect("an addition");
            assert_eq!(extended["result"]["contents"]["value"], json!(expected));
            assert_eq!(additions.extend(reply), None);
        }
    }
}

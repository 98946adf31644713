//! Drives the language server as an editor does, through standard input and output.
//!
//! Every wait has a limit and every server is killed at the end of its test, so no test hangs.

#![forbid(unsafe_code)]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(60);
const URI: &str = "file:///document.mlir";

const PROGRAM: &str = r#"#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<1024x4096xf16, #stick>
func.func @add_mul(%a: !t, %b: !t, %c: !t) -> !t {
  %y = spyre.add %a, %b : !t
  %z = spyre.mul %y, %c : !t
  return %z : !t
}
"#;

/// Hints of all kinds: along rows, along a stick, one that is no multiple of a stick, and names that are merged.
const HINTED: &str = r#"#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<250x512xf16, #stick>
func.func @block(%x: !t {spyre.dims = ["S", #spyre.merged<"H" of 8, "D" of 64>]}, %v: tensor<96xf16> {spyre.dims = ["K"]}) -> !t {
  %e = spyre.exp %v : tensor<96xf16>
  %g = spyre.gelufwd %x tile [0: "S" in 4, 1: "H" in 2] : !t
  %m = spyre.mul %g, %x tile [0: "S" in 4, 1: "H" in 2] : !t
  return %m : !t
}
"#;

/// A planned operation: a kernel argument, the pool, and the scratchpad.
const PLANNED: &str = r#"#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x64xf16, #stick>
func.func @planned(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %y = spyre.exp %a place lx 4096 : !t
  %z = spyre.add %y, %a place pool 128 : !t
  return %z : !t
}
"#;

/// An operation with a dynamic dimension, and one without.
const DYNAMIC: &str = r#"func.func @rows(%x: tensor<?x256xf16> {spyre.dims = ["S", "D"]}, %v: tensor<96xf16> {spyre.dims = ["K"]}) -> tensor<?x256xf16>
    attributes {spyre.dim_sizes = {D = 256, K = 96, S = #spyre.dynamic<granularity = 64, max = 512>}} {
  %y = spyre.exp %x tile [0: "S" by 64] : tensor<?x256xf16>
  %e = spyre.exp %v tile [0: "K" in 2] : tensor<96xf16>
  return %y : tensor<?x256xf16>
}
"#;

/// A running server and the thread that reads its messages.
struct Server {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    next_id: i64,
}

impl Server {
    fn start() -> Self {
        Self::with_options(&[])
    }

    fn with_options(options: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_spyre-lsp-server"))
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let input = child.stdin.take();
        let mut output = BufReader::new(child.stdout.take().expect("standard output is piped"));
        let (sender, messages) = channel();
        thread::spawn(move || {
            while let Some(message) = read_message(&mut output) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        Self {
            child,
            input,
            messages,
            next_id: 1,
        }
    }

    /// A server after the handshake.
    fn initialized() -> Self {
        let mut server = Self::start();
        server.initialize();
        server
    }

    fn initialize(&mut self) {
        let reply = self.request(
            "initialize",
            &json!({"processId": null, "rootUri": null, "capabilities": {}}),
        );
        let capabilities = &reply["result"]["capabilities"];
        for provider in ["hoverProvider", "definitionProvider", "referencesProvider"] {
            assert_eq!(capabilities[provider], json!(true), "{provider}: {reply}");
        }
        let info = json!({"name": "spyre-lsp-server", "version": env!("CARGO_PKG_VERSION")});
        assert_eq!(reply["result"]["serverInfo"], info);
        self.notify("initialized", &json!({}));
    }

    fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("standard input is open");
        // The next wait of the test reports a server that has ended already.
        let _ = input.write_all(bytes).and_then(|()| input.flush());
    }

    fn send_text(&mut self, text: &str) {
        self.send_bytes(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    fn notify(&mut self, method: &str, params: &Value) {
        self.send_text(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    /// Sends a request and waits for the reply to it.
    fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.next_id;
        self.next_id += 1;
        self.send_text(
            &json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string(),
        );
        self.wait_for(method, |message| message["id"] == json!(id))
    }

    fn wait_for(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + LIMIT;
        loop {
            match self
                .messages
                .recv_timeout(end.saturating_duration_since(Instant::now()))
            {
                Ok(message) if wanted(&message) => return message,
                Ok(_) => {}
                Err(error) => panic!("no answer to {what}: {error}"),
            }
        }
    }

    /// Opens a document and returns the server's diagnostics.
    fn open(&mut self, text: &str) -> Vec<Value> {
        let document = json!({"uri": URI, "languageId": "mlir", "version": 1, "text": text});
        self.notify("textDocument/didOpen", &json!({"textDocument": document}));
        self.diagnostics(1)
    }

    /// The diagnostics of a version of the document.
    fn diagnostics(&self, version: i64) -> Vec<Value> {
        let message = self.wait_for("diagnostics", |message| {
            message["method"] == json!("textDocument/publishDiagnostics")
                && message["params"]["version"] == json!(version)
        });
        assert_eq!(message["params"]["uri"], json!(URI));
        message["params"]["diagnostics"]
            .as_array()
            .expect("a list of diagnostics")
            .clone()
    }

    /// A request about the place of `text` on `line`, counted from 0.
    fn ask(&mut self, method: &str, document: &str, line: usize, text: &str) -> Value {
        let (start, _) = columns(document, line, text);
        self.request(
            &format!("textDocument/{method}"),
            &json!({"textDocument": {"uri": URI}, "position": {"line": line, "character": start},
                    "context": {"includeDeclaration": true}}),
        )
    }

    fn hover(&mut self, line: usize, text: &str) -> String {
        self.hover_in(PROGRAM, line, text)
    }

    /// The text of the hover at the place of `text` on `line` of a document.
    fn hover_in(&mut self, document: &str, line: usize, text: &str) -> String {
        let reply = self.ask("hover", document, line, text);
        reply["result"]["contents"]["value"]
            .as_str()
            .unwrap_or_else(|| panic!("hover has text: {reply}"))
            .to_owned()
    }

    /// Opens the document of a text with a cursor `|`, and returns the proposals there.
    fn completions(&mut self, marked: &str) -> Vec<Value> {
        let cursor = marked.find('|').expect("the text has a cursor");
        let document = marked.replacen('|', "", 1);
        let before = &marked[..cursor];
        let line = before.matches('\n').count();
        let character = before.len() - before.rfind('\n').map_or(0, |newline| newline + 1);
        self.open(&document);
        let reply = self.request(
            "textDocument/completion",
            &json!({"textDocument": {"uri": URI}, "position": {"line": line, "character": character}}),
        );
        let items = reply["result"]["items"].as_array();
        items
            .unwrap_or_else(|| panic!("a list of proposals: {reply}"))
            .clone()
    }

    fn wait(&mut self) -> ExitStatus {
        let end = Instant::now() + LIMIT;
        loop {
            if let Some(status) = self.child.try_wait().expect("the server can be waited for") {
                return status;
            }
            assert!(Instant::now() < end, "the server does not end");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// The orderly end of a session.
    fn finish(mut self) {
        let reply = self.request("shutdown", &Value::Null);
        assert_eq!(reply["result"], Value::Null);
        self.notify("exit", &Value::Null);
        assert_eq!(self.wait().code(), Some(0));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The next message, or `None` at the end of the stream.
fn read_message(output: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            header => {
                if let Some(value) = header.strip_prefix("Content-Length:") {
                    length = value.trim().parse::<u64>().ok();
                }
            }
        }
    }
    let mut body = Vec::new();
    output.take(length?).read_to_end(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

/// First column of `text` on `line`, and the column after it.
fn columns(document: &str, line: usize, text: &str) -> (usize, usize) {
    let content = document.lines().nth(line).unwrap_or_default();
    let start = content
        .find(text)
        .unwrap_or_else(|| panic!("no '{text}' in '{content}'"));
    (start, start + text.len())
}

/// The range of `text` on `line`, in the protocol's terms.
fn range(document: &str, line: usize, text: &str) -> Value {
    let (start, end) = columns(document, line, text);
    json!({"start": {"line": line, "character": start}, "end": {"line": line, "character": end}})
}

#[test]
fn hover_shows_operations_values_and_layouts() {
    let mut server = Server::initialized();
    assert_eq!(server.open(PROGRAM), Vec::<Value>::new());

    let operation = server.hover(3, "spyre.add");
    assert!(operation.contains("\"spyre.add\""), "{operation}");
    assert!(operation.contains("Generic Form"), "{operation}");

    let result = server.hover(3, "%y");
    assert!(
        result.contains("Operation: \"spyre.add\"") && result.contains("Result #0"),
        "{result}"
    );
    assert!(
        result.contains("tensor<1024x4096xf16, #spyre.layout<"),
        "{result}"
    );

    let argument = server.hover(3, "%a");
    assert!(argument.contains("Argument #0"), "{argument}");

    let alias = server.hover(0, "#stick");
    assert!(
        alias.contains("(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)"),
        "{alias}"
    );
    server.finish();
}

#[test]
fn hover_over_an_operation_has_its_documentation_and_its_tensors() {
    let mut server = Server::initialized();
    assert_eq!(server.open(PLANNED), Vec::<Value>::new());
    let hover = server.hover_in(PLANNED, 4, "spyre.add");
    for words in [
        // MLIR's text, then the description, the places and the layout.
        "Generic Form",
        "_Element by element: a + b_",
        "Operands broadcast as in PyTorch",
        "* Operand 0: in every core's scratchpad (LX), at 4096 bytes",
        "* Operand 1: kernel argument 0, in device memory (HBM)",
        "* Result: in the kernel's pool in device memory (HBM), at 128 bytes",
        "device size     [1, 64, 64]",
        "64 elements along d1",
    ] {
        assert!(hover.contains(words), "{words}: {hover}");
    }
    // The three tensors have one layout, which is explained once.
    assert_eq!(hover.matches("device size").count(), 1, "{hover}");
    let value = server.hover_in(PLANNED, 4, "%z");
    assert!(!value.contains("Element by element"), "{value}");
    server.finish();
}

#[test]
fn hover_over_a_hint_shows_the_dimension_and_its_tiles() {
    let mut server = Server::initialized();
    assert_eq!(server.open(HINTED), Vec::<Value>::new());
    let rows = server.hover_in(HINTED, 4, "\"S\" in 4");
    for words in [
        "`\"S\"`: dimension 0 of `spyre.gelufwd`",
        "250 elements.",
        "Not on a stick: granularity 1",
        "4 tiles of 63 elements, the last one of 61.",
    ] {
        assert!(rows.contains(words), "{words}: {rows}");
    }
    let columns = server.hover_in(HINTED, 5, "\"H\"");
    for words in [
        "8 elements, merged with others into a dimension of 512.",
        "On a stick: granularity 64",
        "2 tiles of 256 elements.",
    ] {
        assert!(columns.contains(words), "{words}: {columns}");
    }
    let reply = server.ask("hover", HINTED, 4, "1: \"H\"");
    assert_eq!(reply["result"]["range"], range(HINTED, 4, "1: \"H\" in 2"));
    server.finish();
}

#[test]
fn a_list_of_hints_is_completed() {
    let labels = |items: &[Value]| -> Vec<String> {
        let labels = items.iter().map(|item| item["label"].as_str());
        labels
            .map(|label| label.unwrap_or_default().to_owned())
            .collect()
    };
    let line = "tile [0: \"S\" in 4, 1: \"H\" in 2] : !t\n  %m";
    let with = |list: &str| HINTED.replacen(line, &format!("{list} : !t\n  %m"), 1);
    let complete = |list: &str| {
        let mut server = Server::initialized();
        let items = server.completions(&with(list));
        server.finish();
        items
    };

    let start = complete("tile [|");
    let all = [
        "0: \"S\" in 4, 1: \"H\" in 2",
        "0: \"S\"",
        "0: \"H\"",
        "0: \"D\"",
        "0: \"K\"",
    ];
    assert_eq!(labels(&start), all);
    let second = complete("tile [0: \"S\" in 4, |]");
    assert_eq!(
        labels(&second),
        ["1: \"S\"", "1: \"H\"", "1: \"D\"", "1: \"K\""]
    );

    let names = complete("tile [0: \"|\"]");
    assert_eq!(labels(&names), ["S", "H", "D", "K"]);
    assert_eq!(names[0]["detail"], json!("dimension 0 of spyre.gelufwd"));
    let words = names[0]["documentation"]["value"].as_str().expect("a text");
    assert!(words.starts_with("250 elements. Not on a stick"), "{words}");
    assert_eq!(
        names[3]["detail"],
        json!("a dimension of another operation")
    );

    let keywords = complete("tile [0: \"S\" b|]");
    assert_eq!(labels(&keywords), ["in", "by"]);
    let edit = &keywords[1]["textEdit"];
    assert_eq!(edit["newText"], json!("by "));
    let column = |end: &str| edit["range"][end]["character"].as_u64().expect("a column");
    assert_eq!(column("end") - column("start"), 1);

    // 250 rows have 2, 5, 10 and more equal tiles.
    assert_eq!(
        labels(&complete("tile [0: \"S\" in |]"))[..3],
        ["2", "5", "10"]
    );
    assert_eq!(
        labels(&complete("tile [0: \"S\" by |]"))[..3],
        ["125", "50", "25"]
    );
}

#[test]
fn a_dynamic_dimension_has_its_largest_extent_and_tiles_without_a_number() {
    let mut server = Server::initialized();
    server.open(DYNAMIC);
    let hover = server.hover_in(DYNAMIC, 2, "\"S\" by 64");
    let words = "At most 512 elements; the extent is dynamic, a multiple of 64.";
    assert!(hover.contains(words), "{hover}");
    server.finish();

    let mut server = Server::initialized();
    let missing = DYNAMIC.replacen("\"S\" by 64", "\"K\" in 2", 1);
    server.open(&missing);
    let hover = server.hover_in(&missing, 2, "\"K\" in 2");
    assert!(hover.contains("`\"S\"` of at most 512 elements"), "{hover}");
    server.finish();

    let complete = |from: &str, to: &str| {
        let mut server = Server::initialized();
        let items = server.completions(&DYNAMIC.replacen(from, to, 1));
        server.finish();
        items
    };
    let names = complete("\"S\" by 64", "\"|\"");
    let documentation = names[0]["documentation"]["value"].as_str();
    assert!(
        documentation.expect("a text").starts_with(words),
        "{names:?}"
    );
    let others = complete("\"K\" in 2", "\"|\"");
    let of_rows = others.iter().find(|item| item["label"] == json!("S"));
    let of_rows = of_rows.unwrap_or_else(|| panic!("a proposal of \"S\": {others:?}"));
    let documentation = of_rows["documentation"]["value"].as_str();
    assert!(
        documentation
            .expect("a text")
            .starts_with("A dimension of at most 512 elements."),
        "{of_rows}"
    );

    assert_eq!(complete("\"S\" by 64", "\"S\" in |"), Vec::<Value>::new());
    let sizes = complete("\"S\" by 64", "\"S\" by |");
    assert_eq!(sizes[0]["label"], json!("64"));
    assert_eq!(sizes[0]["detail"], json!("at most 8 tiles of 64"));
}

#[test]
fn options_of_the_log_leave_the_hints() {
    for options in [
        &["--log", "error"][..],
        &["-log=error"],
        &["--pretty=false", "--log=error"],
    ] {
        let mut server = Server::with_options(options);
        server.initialize();
        server.open(HINTED);
        let rows = server.hover_in(HINTED, 4, "\"S\" in 4");
        assert!(rows.contains("250 elements."), "{options:?}: {rows}");
        server.finish();
    }
}

#[test]
fn an_option_that_does_not_exist_ends_the_program() {
    let mut server = Server::with_options(&["--no-such-option"]);
    assert_eq!(server.wait().code(), Some(1));
}

#[test]
fn a_hint_of_a_missing_dimension_is_a_diagnostic_at_the_hint() {
    let mut server = Server::initialized();
    let document = HINTED.replace("\"S\" in 4", "\"Q\" in 4");
    let diagnostics = server.open(&document);
    assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
    let diagnostic = &diagnostics[0];
    assert_eq!(diagnostic["range"], range(&document, 4, "0: \"Q\" in 4"));
    assert_eq!(diagnostic["severity"], json!(2));
    assert_eq!(
        diagnostic["message"],
        json!(
            "coarse-tile: no operation of this group has a dimension named \"Q\" of more than one element; hint scope 0 is ignored"
        )
    );
    assert_eq!(
        diagnostic["relatedInformation"],
        json!([{
            "location": {"uri": URI, "range": range(&document, 4, "spyre.gelufwd")},
            "message": "dimensions of the group: \"S\" of 250, \"H\" of 8, \"D\" of 64",
        }])
    );
    // The next version has no such hint.
    let change =
        json!({"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"text": HINTED}]});
    server.notify("textDocument/didChange", &change);
    assert_eq!(server.diagnostics(2), Vec::<Value>::new());
    server.finish();
}

#[test]
fn diagnostics_of_the_pass_are_at_the_hint() {
    let mut server = Server::initialized();
    // Columns are whole sticks: 512 in 16 tiles would be half a stick each.
    let columns = HINTED.replace("\"H\" in 2", "\"H\" in 16");
    let diagnostics = server.open(&columns);
    let at = range(&columns, 4, "1: \"H\" in 16");
    let remark = diagnostics
        .iter()
        .find(|diagnostic| diagnostic["range"] == at);
    let remark = remark.unwrap_or_else(|| panic!("a remark at the hint: {diagnostics:?}"));
    let message = remark["message"].as_str().expect("a text");
    assert!(message.contains("in whole sticks of 64"), "{message}");
    assert_eq!(remark["severity"], json!(3));

    // The second operation asks for other tiles, in the second program of the document.
    let other = HINTED.replacen(
        "tile [0: \"S\" in 4, 1: \"H\" in 2] : !t\n  return",
        "tile [0: \"S\" in 5, 1: \"H\" in 2] : !t\n  return",
        1,
    );
    let document = format!("module {{}}\n// -----\n{other}");
    let diagnostics = server.open(&document);
    assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
    assert_eq!(
        diagnostics[0]["range"],
        range(&document, 7, "0: \"S\" in 5")
    );
    assert_eq!(diagnostics[0]["severity"], json!(1));
    let note = &diagnostics[0]["relatedInformation"][0];
    assert_eq!(note["message"], json!("the group starts here"));
    assert_eq!(
        note["location"]["range"],
        range(&document, 6, "spyre.gelufwd")
    );
    server.finish();
}

#[test]
fn definitions_and_references_of_values() {
    let mut server = Server::initialized();
    server.open(PROGRAM);
    let definition = server.ask("definition", PROGRAM, 4, "%y");
    assert_eq!(
        definition["result"],
        json!([{"uri": URI, "range": range(PROGRAM, 3, "%y")}])
    );

    let references = server.ask("references", PROGRAM, 3, "%y");
    let expected = json!([
        {"uri": URI, "range": range(PROGRAM, 3, "%y")},
        {"uri": URI, "range": range(PROGRAM, 4, "%y")},
    ]);
    assert_eq!(references["result"], expected);
    server.finish();
}

#[test]
fn parse_errors_come_and_go_with_the_text() {
    let mut server = Server::initialized();
    let broken = PROGRAM.replace("%y, %c", "%y, %nope");
    let diagnostics = server.open(&broken);
    assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
    assert_eq!(diagnostics[0]["range"], range(&broken, 4, "%nope"));
    assert_eq!(
        diagnostics[0]["message"],
        json!("use of undeclared SSA value name")
    );
    assert_eq!(diagnostics[0]["severity"], json!(1));

    let change =
        json!({"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"text": PROGRAM}]});
    server.notify("textDocument/didChange", &change);
    assert_eq!(server.diagnostics(2), Vec::<Value>::new());
    server.finish();
}

#[test]
fn our_verifiers_speak() {
    let mut server = Server::initialized();
    let document =
        "\nfunc.func private @f(!sdscbundle.input_arg<index, granularity=64, max_value=500>)\n";
    let diagnostics = server.open(document);
    assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
    assert_eq!(
        diagnostics[0]["message"],
        json!("max_value 500 is not a multiple of granularity 64")
    );
    assert_eq!(diagnostics[0]["range"]["start"]["line"], json!(1));
    server.finish();
}

#[test]
fn the_layout_attribute_is_verified() {
    let mut server = Server::initialized();
    let document = PROGRAM.replace("1024x4096", "4096");
    let diagnostics = server.open(&document);
    assert!(!diagnostics.is_empty());
    assert_eq!(
        diagnostics[0]["message"],
        json!("the layout is for rank 2, the shape has 1 entries")
    );
    assert_eq!(
        diagnostics[0]["range"]["start"]["line"],
        json!(1),
        "{diagnostics:?}"
    );
    server.finish();
}

#[test]
fn a_message_that_is_no_json_is_skipped() {
    let mut server = Server::initialized();
    server.send_text("{not json");
    let reply = server.request("no/such/method", &json!({}));
    assert_eq!(reply["error"]["code"], json!(-32601), "{reply}");
    assert_eq!(server.open(PROGRAM), Vec::<Value>::new());
    server.finish();
}

#[test]
fn a_broken_stream_ends_the_server() {
    let streams: [&[u8]; 5] = [
        b"",
        b"garbage\r\n\r\n",
        b"Content-Length: x\r\n\r\n{}",
        b"Content-Length: 10\r\n\r\n{}",
        b"Content-Length: 999999999999\r\n\r\n{}",
    ];
    for stream in streams {
        let mut server = Server::start();
        server.send_bytes(stream);
        server.input = None;
        let status = server.wait();
        assert_eq!(
            status.code(),
            Some(1),
            "{}: {status}",
            String::from_utf8_lossy(stream)
        );
    }
}

#[test]
fn exit_without_shutdown_is_a_failure() {
    let mut server = Server::initialized();
    server.notify("exit", &Value::Null);
    assert_eq!(server.wait().code(), Some(1));
}

//! Passes the messages of the editor to MLIR's server, and the answers to the editor.
//!
//! One thread reads the editor and has the session, with its context of MLIR. The main thread reads MLIR's server, and
//! ends the program with that server's exit code.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use serde_json::Value;

use crate::UPSTREAM;
use crate::protocol::{self, Frame};
use crate::session::{Additions, Outcome, Session};

/// The stack of the thread that parses programs, in bytes. Parsers of nested regions are recursive.
const STACK_BYTES: usize = 64 << 20;

/// Runs a session with an editor on standard input and output, with options for MLIR's server. Returns the exit code
/// of that server. `program` is the command line of this program.
pub(crate) fn run(program: &[OsString], options: &[OsString]) -> u8 {
    match serve(program, options) {
        Ok(code) => code,
        Err(err) => {
            eprintln!("spyre-lsp-server: {err}");
            1
        }
    }
}

fn serve(program: &[OsString], options: &[OsString]) -> io::Result<u8> {
    let (program, words) = program.split_first().expect("a command line has a program");
    let mut child = Command::new(program)
        .args(words)
        .arg(UPSTREAM)
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let to_upstream = child.stdin.take().expect("standard input is piped");
    let from_upstream = child.stdout.take().expect("standard output is piped");
    let additions = Arc::new(Mutex::new(Additions::default()));
    let of_editor = Arc::clone(&additions);
    // Not joined: after the end of MLIR's server, the editor may keep its end open.
    thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(move || {
            // A broken pipe is the end of MLIR's server, which the main thread sees.
            let _ = read_editor(&mut io::stdin().lock(), to_upstream, &of_editor);
        })?;
    // After an error on the way to the editor, the end of this process closes the pipes of MLIR's server, which ends
    // it.
    read_upstream(from_upstream, &additions)?;
    let code = child.wait()?.code();
    Ok(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

/// Passes the messages of the editor on, until its end or its last message. Returning closes the input of MLIR's
/// server.
fn read_editor(
    input: &mut impl BufRead,
    mut upstream: ChildStdin,
    additions: &Mutex<Additions>,
) -> io::Result<()> {
    let mut session = Session::new(additions);
    while let Some(frame) = protocol::read(input)? {
        let body = match frame {
            Frame::Message(body) => body,
            Frame::Broken(bytes) => {
                // MLIR's server reports it.
                upstream.write_all(&bytes)?;
                upstream.flush()?;
                io::copy(input, &mut upstream)?;
                return Ok(());
            }
        };
        let message: Option<Value> = serde_json::from_slice(&body).ok();
        match message.map(|message| session.handle(&message)) {
            Some(Outcome::Answered(answer)) => {
                protocol::write(&mut io::stdout().lock(), answer.to_string().as_bytes())?;
            }
            Some(Outcome::Last) => return protocol::write(&mut upstream, &body),
            Some(Outcome::Passed) | None => protocol::write(&mut upstream, &body)?,
        }
    }
    Ok(())
}

/// Passes the messages of MLIR's server on, with additions, until its end.
fn read_upstream(upstream: ChildStdout, additions: &Mutex<Additions>) -> io::Result<()> {
    let mut upstream = BufReader::new(upstream);
    while let Some(frame) = protocol::read(&mut upstream)? {
        let body = match frame {
            Frame::Message(body) => body,
            Frame::Broken(bytes) => {
                let mut output = io::stdout().lock();
                output.write_all(&bytes)?;
                io::copy(&mut upstream, &mut output)?;
                return output.flush();
            }
        };
        let message: Option<Value> = serde_json::from_slice(&body).ok();
        let extended = message.and_then(|message| {
            let mut additions = additions.lock().unwrap_or_else(PoisonError::into_inner);
            additions.extend(message)
        });
        let body = extended.map_or(body, |message| message.to_string().into_bytes());
        protocol::write(&mut io::stdout().lock(), &body)?;
    }
    Ok(())
}

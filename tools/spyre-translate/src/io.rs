//! The input, the output and the end of all translations.

use std::fmt::Display;
use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use melior::Context;
use melior::ir::Module;
use spyre_bundle::NoBundle;
use spyre_bundle::import::ImportError as TreeError;
use spyre_front_ends::{ExportError, ImportError};
use spyre_mlir_rt::bytecode;
use spyre_mlir_rt::diagnostic::{Diagnostic, SourceText, print_places};
use spyre_mlir_rt::ir::Op;
use spyre_mlir_rt::messages;
use spyre_mlir_rt::source::with_source_file;

/// The reason why a translation failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A failure with a message that has been printed.
    Printed,
    /// A failure with a message to print.
    Message(String),
}

/// The outcome of a translation.
pub(crate) type Done = Result<(), Failure>;

impl Failure {
    /// Makes the failure of a reason that is about no place in a file.
    pub(crate) fn error(message: impl Display) -> Self {
        Self::Message(format!("error: {message}"))
    }
}

/// Prints the diagnostic.
impl From<Diagnostic<'_>> for Failure {
    fn from(err: Diagnostic<'_>) -> Self {
        err.emit();
        Self::Printed
    }
}

/// Prints the diagnostic if it has not been printed.
impl From<NoBundle<'_>> for Failure {
    fn from(err: NoBundle<'_>) -> Self {
        err.emit();
        Self::Printed
    }
}

/// Keeps the message that has not been printed.
impl From<TreeError> for Failure {
    fn from(err: TreeError) -> Self {
        match err {
            TreeError::Refused => Self::Printed,
            // A program that reads messages has the place, and no use for a line with a caret.
            err => match err.excerpt().filter(|_| !messages::is_json()) {
                Some(lines) => Self::Message(format!("{err}\n{lines}")),
                None => Self::Message(err.to_string()),
            },
        }
    }
}

/// Keeps the message that has not been printed.
impl From<ImportError> for Failure {
    fn from(err: ImportError) -> Self {
        match err {
            ImportError::Refused => Self::Printed,
            err => Self::Message(err.to_string()),
        }
    }
}

/// Prints a diagnostic, and keeps a message.
impl From<ExportError<'_>> for Failure {
    fn from(err: ExportError<'_>) -> Self {
        match err {
            ExportError::At(err) => err.into(),
            ExportError::Message(reason) => Self::error(reason),
        }
    }
}

/// Prints the message of a translation that failed. Returns whether the translation succeeded.
pub(crate) fn succeeded(done: Done) -> bool {
    if let Err(Failure::Message(reason)) = &done {
        messages::print(reason);
    }
    done.is_ok()
}

/// Where a translation reads and writes.
#[derive(Clone, Copy)]
pub(crate) struct Io<'o> {
    /// The context of all modules.
    pub(crate) context: &'o Context,
    /// The file that is read; `-` is standard input.
    pub(crate) input: &'o str,
    /// The file or directory that is written instead of standard output.
    pub(crate) output: Option<&'o Path>,
    /// Whether modules are written as bytecode.
    pub(crate) emit_bytecode: bool,
}

impl<'o> Io<'o> {
    /// Returns the name of the input in diagnostics.
    pub(crate) fn name(&self) -> &str {
        match self.input {
            "-" => "<stdin>",
            file => file,
        }
    }

    /// Returns the directory of a bundle that is written.
    pub(crate) fn directory(&self) -> Result<&'o Path, Failure> {
        let reason = "a bundle is a directory, which standard output is not; --output names one";
        self.output.ok_or_else(|| Failure::error(reason))
    }

    /// Reads the input.
    fn read(&self) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        let read = match self.input {
            "-" => io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes),
            file => fs::read(file),
        };
        read.map_err(|err| Failure::error(format!("{}: {err}", self.name())))
    }

    /// Writes a text, or other bytes.
    pub(crate) fn write(&self, bytes: impl AsRef<[u8]>) -> Done {
        let failed = |name: &dyn Display, err: io::Error| Failure::error(format!("{name}: {err}"));
        match self.output {
            None => spyre_files::print(&bytes).map_err(|err| failed(&"standard output", err)),
            Some(path) => spyre_files::replace(path, bytes.as_ref())
                .map_err(|err| failed(&path.display(), err)),
        }
    }

    /// Translates the module in the input. Returns whether that succeeds; otherwise the reason has been printed.
    pub(crate) fn with_module(&self, work: impl FnOnce(Op<'_>) -> Done) -> bool {
        with_source_file(self.context, self.input, |module| succeeded(work(module))) == Some(true)
    }

    /// Writes the module that `read` builds from the name and the bytes of the input.
    pub(crate) fn import<E: Into<Failure>>(
        &self,
        read: impl FnOnce(&'o Context, &str, &[u8]) -> Result<Module<'o>, E>,
    ) -> bool {
        self.with_file(|name, file| {
            let module = read(self.context, name, file).map_err(Into::into)?;
            let root = module.as_operation();
            match self.emit_bytecode {
                true => self.write(bytecode::write(root)),
                false => self.write(root.to_string()),
            }
        })
    }

    /// Translates a file that is no module, from its name and its bytes. Returns whether that succeeds; otherwise the reason has been
    /// printed.
    pub(crate) fn with_file(&self, work: impl FnOnce(&str, &[u8]) -> Done) -> bool {
        self.context.load_all_available_dialects();
        succeeded(self.read().and_then(|file| {
            let text = str::from_utf8(&file).ok();
            let source = text.map(|text| SourceText {
                name: self.name().to_owned(),
                text: text.to_owned(),
            });
            print_places(self.context, source);
            work(self.name(), &file)
        }))
    }
}

//! What all translations share: where they read and write, and how they end.

use std::fmt::Display;
use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{Location, Module};
use spyre_bundle::NoBundle;
use spyre_mlir_rt::bytecode;
use spyre_mlir_rt::diagnostic::{Diagnostic, print_places, shortened};
use spyre_mlir_rt::ir::{Blk, Op};
use spyre_mlir_rt::source::with_source_file;

/// The reason why a translation failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// One that has been printed.
    Printed,
    /// One that is to be printed.
    Message(String),
}

/// The outcome of a translation.
pub(crate) type Done = Result<(), Failure>;

/// Where a module is built: in a block, at a location.
pub(crate) type Place<'c> = (&'c Context, Blk<'c>, Location<'c>);

impl Failure {
    /// Makes the failure of a reason that is about no place in a file.
    pub(crate) fn error(why: impl Display) -> Self {
        Self::Message(format!("error: {why}"))
    }

    /// Makes the failure of a reason that is about a file.
    pub(crate) fn of_file(name: &str, why: impl Display) -> Self {
        Self::Message(format!("{name}: error: {why}"))
    }
}

/// Prints the diagnostic.
impl From<Diagnostic<'_>> for Failure {
    fn from(why: Diagnostic<'_>) -> Self {
        why.emit();
        Self::Printed
    }
}

/// Prints what has not been printed.
impl From<NoBundle<'_>> for Failure {
    fn from(why: NoBundle<'_>) -> Self {
        why.emit();
        Self::Printed
    }
}

/// Prints why a translation failed. Returns whether it did not.
pub(crate) fn succeeded(done: Done) -> bool {
    if let Err(Failure::Message(why)) = &done {
        eprintln!("{}", shortened(why));
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
    /// What is written instead of standard output.
    pub(crate) output: Option<&'o Path>,
    /// Whether modules are written as bytecode.
    pub(crate) emit_bytecode: bool,
}

impl Io<'_> {
    /// Returns what diagnostics call the input.
    pub(crate) fn name(&self) -> &str {
        match self.input {
            "-" => "<stdin>",
            file => file,
        }
    }

    /// Reads the input.
    pub(crate) fn read(&self) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        let read = match self.input {
            "-" => io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes),
            file => fs::read(file),
        };
        read.map_err(|why| Failure::error(format!("{}: {why}", self.name())))
    }

    /// Writes a text, or other bytes.
    pub(crate) fn write(&self, bytes: impl AsRef<[u8]>) -> Done {
        let failed = |name: &dyn Display, why: io::Error| Failure::error(format!("{name}: {why}"));
        match self.output {
            None => spyre_files::print(&bytes).map_err(|why| failed(&"standard output", why)),
            Some(path) => spyre_files::replace(path, bytes.as_ref())
                .map_err(|why| failed(&path.display(), why)),
        }
    }

    /// Writes a module in the form that is asked for.
    pub(crate) fn write_module(&self, module: Op<'_>) -> Done {
        match self.emit_bytecode {
            true => self.write(bytecode::write(module)),
            false => self.write(module.to_string()),
        }
    }

    /// Translates the module in the input. Returns whether that succeeds; otherwise the reason has been printed.
    pub(crate) fn with_module(&self, work: impl FnOnce(Op<'_>) -> Done) -> bool {
        with_source_file(self.context, self.input, |module| succeeded(work(module))) == Some(true)
    }

    /// Builds a module from the bytes of the input and its name, and writes it if its verifiers have nothing to say.
    pub(crate) fn import(&self, build: fn(Place<'_>, &[u8], &str) -> Done) -> Done {
        self.context.load_all_available_dialects();
        print_places(self.context);
        let (name, file) = (self.name(), self.read()?);
        let location = Location::new(self.context, name, 1, 1);
        let module = Module::new(location);
        build((self.context, module.body(), location), &file, name)?;
        let root = module.as_operation();
        if !root.verify() {
            return Err(Failure::Printed);
        }
        self.write_module(root)
    }
}

//! A specification tree to a bundle: one function and one file per operation.
//!
//! [`compile_bundle`] plans every operation, gives its addresses symbols (SDSC bundle specification, section 2.4),
//! and builds the [`Function`], an AST that prints itself as `bundle.mlir` and that an MLIR builder can walk. The
//! form is that of the third revision: symbolic addresses only, loops kept, runtime bounds allowed.

mod ast;
mod cache;
mod emit;
mod params;
mod symbols;
mod text;
mod tree;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use spyre_plan::Target;

pub use ast::{AffineMap, Function, InputArgType, Param, ParamBinding, Stmt, ValueId};
pub use params::LaunchParam;
pub use symbols::{OpSymbols, SymbolBase, SymbolId, SymbolKind};

use crate::Bytes;
use crate::codegen::{Descriptor, PlanOptions};
use crate::error::Error;
use crate::model::Node;
use crate::sdsc::{self, Sdsc};
use crate::validate::{Warning, validate};

/// The largest pool that a bundle can allocate: one segment of the card less its reserved part.
pub const MAX_POOL_SIZE: Bytes = Target::CARD.pool_bytes();

/// The name of the file that holds the function.
pub const MLIR_FILE: &str = "bundle.mlir";

/// Who allocates the memory of pool tensors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PoolSource {
    /// The bundle, with `sdscbundle.device_mem_allocate`.
    #[default]
    Bundle,
    /// The caller, who passes its address as the first parameter.
    Caller,
}

/// Options of [`compile_bundle`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BundleOptions {
    /// Size of the pool, if there are pool tensors and the bundle allocates it.
    pub pool_size: Bytes,
    /// Who allocates the pool.
    pub pool: PoolSource,
    /// Planning of single operations.
    pub plan: PlanOptions,
    /// Share one file between operations that differ in symbol identifiers only
    /// (SDSC bundle specification, section 2.10).
    pub share_files: bool,
}

impl Default for BundleOptions {
    fn default() -> Self {
        Self {
            pool_size: Bytes::ZERO,
            pool: PoolSource::default(),
            plan: PlanOptions::default(),
            share_files: false,
        }
    }
}

/// A compiled bundle.
#[derive(Clone, Debug, PartialEq)]
pub struct Bundle {
    function: Function,
    files: Vec<SdscFile>,
    warnings: Vec<Warning>,
}

/// Compiles a specification tree. Time and memory are linear in the number of operations.
///
/// # Errors
/// The first node that breaks a rule, or that cannot be expressed. See [`Error`].
pub fn compile_bundle(nodes: &[Node], options: &BundleOptions) -> Result<Bundle, Error> {
    let warnings = validate(nodes)?;
    let plan = tree::plan(nodes, options)?;
    let function = emit::emit(&plan, options)?;
    Ok(Bundle {
        function,
        files: plan.files,
        warnings,
    })
}

impl Bundle {
    /// The function, for building MLIR.
    pub fn function(&self) -> &Function {
        &self.function
    }

    /// The files of the operations, by number.
    pub fn sdsc_files(&self) -> &[SdscFile] {
        &self.files
    }

    /// What was unusual.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// What the launcher passes for each parameter of the function, in order.
    pub fn launch_params(&self) -> Vec<LaunchParam> {
        self.function
            .params
            .iter()
            .map(|param| LaunchParam::of(&param.binding))
            .collect()
    }

    /// The contents of `bundle.mlir`.
    pub fn mlir_text(&self) -> String {
        self.function.to_string()
    }

    /// Every file as name and contents, `bundle.mlir` first. Contents are made one at a time.
    ///
    /// # Errors
    /// An item fails if its contents cannot be serialised.
    pub fn files(&self) -> impl Iterator<Item = (String, io::Result<Vec<u8>>)> {
        let mlir =
            std::iter::once_with(|| (MLIR_FILE.to_owned(), Ok(self.mlir_text().into_bytes())));
        mlir.chain(self.files.iter().map(|file| {
            let mut contents = Vec::new();
            let written = file.write_to(&mut contents);
            (file.name(), written.map(|()| contents))
        }))
    }

    /// Writes every file into an existing directory. The files of the operations are written first, so that a
    /// directory with a `bundle.mlir` is complete.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn write_to_dir(&self, directory: &Path) -> io::Result<()> {
        for file in &self.files {
            let mut writer = BufWriter::new(File::create(directory.join(file.name()))?);
            file.write_to(&mut writer)?;
            writer.flush()?;
        }
        let mut writer = BufWriter::new(File::create(directory.join(MLIR_FILE))?);
        write!(writer, "{}", self.function)?;
        writer.flush()
    }
}

/// One operation's file, kept in planned form: its JSON is made when it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct SdscFile {
    number: usize,
    descriptor: Descriptor,
    symbols: OpSymbols,
    base: SymbolBase,
}

impl SdscFile {
    /// The file's name, `sdsc_{number}.json`.
    pub fn name(&self) -> String {
        file_name(self.number)
    }

    /// The planned operation.
    pub fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    /// The symbols of the operation.
    pub fn symbols(&self) -> &OpSymbols {
        &self.symbols
    }

    /// Where the identifiers of [`symbols`](Self::symbols) start.
    pub fn symbol_base(&self) -> SymbolBase {
        self.base
    }

    /// The contents, typed.
    pub fn sdsc(&self) -> Sdsc {
        sdsc::build(&self.descriptor, self.number, &self.symbols, self.base)
    }

    /// Writes the contents.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_to(&self, writer: impl Write) -> io::Result<()> {
        sdsc::write_json(&self.sdsc(), writer)
    }
}

fn file_name(number: usize) -> String {
    format!("sdsc_{number}.json")
}

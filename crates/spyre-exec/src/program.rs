//! Functions of a module, selected and compiled.

use melior::Context;
use melior::ir::Module;
use melior::ir::attribute::StringAttribute;
use melior::ir::operation::OperationLike;
use spyre_dialects::attr;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::execution::{CallError, External, Function, LoadError, SavedFunction};
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::source::run_pipeline;
use spyre_ods::{builtin, func, inductor};
use thiserror::Error;

use crate::array::Array;
use crate::bundle::constant_argument;
use crate::random::{self, Distribution};
use crate::sizes::{Sizes, open_dims};
use crate::{Optimization, Signature, TensorType, indices, work};

/// The pipeline from operations on plain tensors to the LLVM dialect, which is compiled.
const LOWERING: &str = "builtin.module(spyre-lower-to-llvm)";

/// The options with which a program is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Whether memory that was never written holds NaN, and bytes 0xA5 for integers.
    pub poison: bool,
    /// The optimization level of LLVM. The default is chosen from the amount of work of the program, so that the sum of
    /// compile time and run time is small. Results are bitwise the same at all levels.
    pub optimization: Option<Optimization>,
}

/// The reason why a module cannot be run. Each has been reported as a diagnostic, at the operation that is at fault.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProgramError {
    /// The operation is no module.
    #[error("'{0}' is not a module")]
    NotAModule(String),
    /// No function has the name.
    #[error("the module has no function @{name} with a body; it has {}", list(.functions))]
    NoEntry {
        /// The name.
        name: String,
        /// The functions that there are.
        functions: Vec<String>,
    },
    /// Several functions can be meant.
    #[error("the module has several functions, {}; choose an entry", list(.0))]
    Ambiguous(Vec<String>),
    /// The module has no function.
    #[error("the module has no function with a body")]
    Empty,
    /// The module has graphs and no function.
    #[error(
        "the module has graphs of PyTorch Inductor and no function; spyre-opt --convert-inductor-to-linalg converts them to functions"
    )]
    Graphs,
    /// The function has branches.
    #[error(
        "@{0} has several blocks, and a program has one; spyre-opt --lift-cf-to-scf converts them to one block"
    )]
    Branches(String),
    /// The function has an argument or a result that is no tensor of static extents.
    #[error("{0}")]
    Signature(String),
    /// Dimensions of the function have no extents, or extents that it does not admit.
    #[error("no program for these extents: {0}")]
    Sizes(String),
    /// The function has an operation that does not run on the CPU.
    #[error("cannot compile @{entry} for the CPU: {reason}")]
    Lowering {
        /// The function.
        entry: String,
        /// The reason.
        reason: String,
    },
}

/// The reason why a program did not run.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RunError {
    /// The wrong number of inputs.
    #[error("@{entry} takes {expected} inputs, got {actual}")]
    Count {
        /// The function.
        entry: String,
        /// The number of the function's arguments.
        expected: usize,
        /// The number of inputs that it got.
        actual: usize,
    },
    /// An input of another type.
    #[error("input {input} of @{entry} is {expected}, got {actual}")]
    Type {
        /// The function.
        entry: String,
        /// Position of the input.
        input: usize,
        /// Type of the argument.
        expected: TensorType,
        /// Type of the input.
        actual: TensorType,
    },
    /// The call failed.
    #[error(transparent)]
    Call(#[from] CallError),
    /// A result that is no array.
    #[error("result {result}: {reason}")]
    Result {
        /// The position.
        result: usize,
        /// The reason.
        reason: crate::ArrayError,
    },
}

fn list(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    let names: Vec<String> = names.iter().map(|name| format!("@{name}")).collect();
    names.join(", ")
}

/// A function of a module and the functions that it calls, in a separate module.
pub struct Program<'c> {
    module: Module<'c>,
    /// The same module with dynamic extents; `None` if all extents are static.
    general: Option<Module<'c>>,
    sizes: Sizes,
    entry: String,
    signature: Signature,
}

impl<'c> Program<'c> {
    /// Copies the function `entry` out of a module, with the functions that it calls; the module does not change.
    /// Without a name, the module must have a single public function with a body.
    ///
    /// # Errors
    /// [`ProgramError`]; a diagnostic has been reported.
    pub fn select(
        context: &'c Context,
        module: Op<'_>,
        entry: Option<&str>,
    ) -> Result<Self, ProgramError> {
        Self::select_sized(context, module, entry, &Sizes::new())
    }

    /// Selects as [`select`](Self::select) does, and sets the extents of the dynamic dimensions of the function. Other
    /// names in `sizes` are ignored.
    ///
    /// # Errors
    /// [`ProgramError`]; a diagnostic has been reported.
    pub fn select_sized(
        context: &'c Context,
        module: Op<'_>,
        entry: Option<&str>,
        sizes: &Sizes,
    ) -> Result<Self, ProgramError> {
        let entry = find(module, entry)?.name;
        let module = Module::from_operation((*module).clone())
            .ok_or_else(|| ProgramError::NotAModule(entry.clone()))?;
        for op in functions(module.as_operation()) {
            let visibility = if op.name == entry {
                "public"
            } else {
                "private"
            };
            let visibility = StringAttribute::new(context, visibility).into();
            ir::set_attribute(op.op, "sym_visibility", visibility);
        }
        run_pipeline(context, module.as_operation(), "builtin.module(symbol-dce)").map_err(
            |err| ProgramError::Lowering {
                entry: entry.clone(),
                reason: err.to_string(),
            },
        )?;
        let missing = || ProgramError::NotAModule(entry.clone());
        let function = function_named(module.as_operation(), &entry).ok_or_else(missing)?;
        let open = open_dims(function);
        let mut general = None;
        let mut chosen = Sizes::new();
        if !open.is_empty() {
            let copy = Module::from_operation((*module.as_operation()).clone());
            general = Some(copy.ok_or_else(missing)?);
            let sizes = open.into_iter().filter_map(|(name, _)| {
                let extent = *sizes.get(&name)?;
                Some((name, extent))
            });
            chosen = sizes.collect();
            specialize(context, module.as_operation(), &chosen)?;
        }
        let function = function_named(module.as_operation(), &entry).ok_or_else(missing)?;
        let signature = Signature::from_function(function).map_err(|diagnostic| {
            let message = diagnostic.message().to_owned();
            diagnostic.emit();
            ProgramError::Signature(message)
        })?;
        Ok(Self {
            module,
            general,
            sizes: chosen,
            entry,
            signature,
        })
    }

    /// Returns random arguments for a seed. Arguments that gathers use as indices get valid indices, and constant
    /// arguments their constants; the others follow the distribution.
    ///
    /// # Errors
    /// The type of an argument that does not fit into memory.
    pub fn random_inputs(
        &self,
        distribution: Distribution,
        seed: u64,
    ) -> Result<Vec<Array>, TensorType> {
        let function = function_named(self.module(), &self.entry);
        let bounds = function.map(indices::bounds).unwrap_or_default();
        let bounds = bounds.into_iter().chain(std::iter::repeat(None));
        let types = self.signature.inputs.iter().zip(bounds);
        (0..)
            .zip(types.zip(self.constants()))
            .map(|(stream, ((ty, bound), held))| {
                if let Some(held) = held {
                    return Ok(held);
                }
                let distribution = bound.map_or(distribution, Distribution::Indices);
                random::tensor(ty, distribution, seed, stream).ok_or_else(|| ty.clone())
            })
            .collect()
    }

    /// Returns the constant value of each argument; `None` for inputs of the program.
    #[must_use]
    pub fn constants(&self) -> Vec<Option<Array>> {
        let function = function_named(self.module(), &self.entry);
        let types = self.signature.inputs.iter().enumerate();
        types
            .map(|(position, ty)| constant_argument(function?, position, ty))
            .collect()
    }

    /// Returns the name of the function.
    #[must_use]
    pub fn entry(&self) -> &str {
        &self.entry
    }

    /// Returns the types of the function's inputs and results.
    #[must_use]
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Returns the module that holds the function, for the given extents.
    #[must_use]
    pub fn module(&self) -> Op<'_> {
        self.module.as_operation()
    }

    /// Returns the module that holds the function, for any extents.
    #[must_use]
    pub fn general_module(&self) -> Op<'_> {
        self.general.as_ref().unwrap_or(&self.module).as_operation()
    }

    /// Returns the function, for any extents.
    ///
    /// # Panics
    /// A pass that was run on the module has removed it.
    #[must_use]
    pub fn general_function(&self) -> Op<'_> {
        let function = function_named(self.general_module(), &self.entry);
        function.expect("a program has its function")
    }

    /// Returns the given extents.
    #[must_use]
    pub fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    /// Compiles the function for this machine.
    ///
    /// # Errors
    /// [`ProgramError::Lowering`], with a diagnostic at the operation.
    pub fn compile(
        self,
        context: &'c Context,
        options: Options,
    ) -> Result<Executable, ProgramError> {
        self.compile_with(context, options, Vec::new())
    }

    /// Compiles as [`compile`](Self::compile) does. The module declares the functions of `externals`, which run where the
    /// function calls them.
    ///
    /// # Errors
    /// [`ProgramError::Lowering`], with a diagnostic at the operation.
    pub fn compile_with(
        self,
        context: &'c Context,
        options: Options,
        externals: Vec<External>,
    ) -> Result<Executable, ProgramError> {
        let Self {
            module,
            entry,
            signature,
            general: _,
            sizes: _,
        } = self;
        let lowering = |reason| ProgramError::Lowering {
            entry: entry.clone(),
            reason,
        };
        let optimization = options.optimization;
        let optimization =
            optimization.unwrap_or_else(|| work::optimization(module.as_operation()));
        let to_linalg = format!(
            "builtin.module(convert-spyre-to-linalg{{poison={}}},func.func(spyre-expand-gather-scatter,spyre-infer-extents))",
            options.poison
        );
        run_pipeline(context, module.as_operation(), &to_linalg)
            .map_err(|err| lowering(err.to_string()))?;
        let function =
            Function::compile_with(context, module, &entry, LOWERING, optimization, externals);
        let function = function.map_err(|err| lowering(err.to_string()))?;
        if *function.signature() != signature {
            let reason = format!("its signature became {}", function.signature());
            return Err(lowering(reason));
        }
        Ok(Executable { entry, function })
    }
}

/// A compiled function. It needs no context, and may be called from several threads at once.
#[derive(Debug)]
pub struct Executable {
    entry: String,
    function: Function,
}

/// A compiled function with its name, as data.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SavedExecutable {
    entry: String,
    function: SavedFunction,
}

impl Executable {
    /// Returns the function as data.
    ///
    /// # Errors
    /// See [`Function::save`].
    pub fn save(&self) -> Result<SavedExecutable, LoadError> {
        Ok(SavedExecutable {
            entry: self.entry.clone(),
            function: self.function.save()?,
        })
    }

    /// Links a saved function into this process, with its external functions. Its code is run as it is: a file is as trustworthy
    /// as whoever can write it.
    ///
    /// # Errors
    /// See [`Function::load`].
    pub fn load(saved: SavedExecutable, externals: Vec<External>) -> Result<Self, LoadError> {
        Ok(Self {
            function: Function::load(saved.function, externals)?,
            entry: saved.entry,
        })
    }

    /// Returns the name of the function.
    #[must_use]
    pub fn entry(&self) -> &str {
        &self.entry
    }

    /// Returns the types of the function's inputs and results.
    #[must_use]
    pub fn signature(&self) -> &Signature {
        self.function.signature()
    }

    /// Calls the function. The inputs are copied: a program that writes to an argument does not change them.
    ///
    /// # Errors
    /// [`RunError`]: the inputs do not match the signature.
    pub fn run(&self, inputs: &[Array]) -> Result<Vec<Array>, RunError> {
        let signature = self.signature();
        if inputs.len() != signature.inputs.len() {
            return Err(RunError::Count {
                entry: self.entry.clone(),
                expected: signature.inputs.len(),
                actual: inputs.len(),
            });
        }
        for (input, (array, expected)) in inputs.iter().zip(&signature.inputs).enumerate() {
            if array.ty() != expected {
                return Err(RunError::Type {
                    entry: self.entry.clone(),
                    input,
                    expected: expected.clone(),
                    actual: array.ty().clone(),
                });
            }
        }
        let bytes: Vec<&[u8]> = inputs.iter().map(Array::bytes).collect();
        let results = self.function.call(&bytes)?;
        results
            .into_iter()
            .zip(&signature.outputs)
            .enumerate()
            .map(|(result, (bytes, ty))| {
                Array::new(ty.element, &ty.shape, bytes).map_err(|err| RunError::Result {
                    result,
                    reason: err,
                })
            })
            .collect()
    }
}

/// A function and its name.
pub(crate) struct Named<'p> {
    pub op: Op<'p>,
    pub name: String,
}

/// Returns the functions of a module, in order.
pub(crate) fn functions<'p>(module: Op<'p>) -> impl Iterator<Item = Named<'p>> {
    ir::body(module)
        .into_iter()
        .flat_map(ir::operations)
        .filter(|op| op.name().as_string_ref().as_str() == Ok(func::FUNC))
        .filter_map(|op| {
            let name = attr::string(ir::attribute(op, "sym_name")?)?;
            Some(Named { op, name })
        })
}

/// Sets the extents of open dimensions, in all functions of a module.
fn specialize(context: &Context, module: Op<'_>, sizes: &Sizes) -> Result<(), ProgramError> {
    let sizes = sizes
        .iter()
        .map(|(name, extent)| format!("{name}={extent}"));
    let sizes: Vec<_> = sizes.collect();
    let pipeline = format!(
        "builtin.module(spyre-specialize-dynamic-dims{{sizes={}}})",
        sizes.join(",")
    );
    run_pipeline(context, module, &pipeline).map_err(|err| ProgramError::Sizes(err.to_string()))
}

/// Returns the function that is meant: that of the name, or without a name the only public one with a body.
pub(crate) fn entry_function<'p>(
    module: Op<'p>,
    entry: Option<&str>,
) -> Result<Op<'p>, ProgramError> {
    find(module, entry).map(|function| function.op)
}

/// Returns the name of [`entry_function`].
pub(crate) fn entry_name(module: Op<'_>, entry: Option<&str>) -> Result<String, ProgramError> {
    find(module, entry).map(|function| function.name)
}

/// Returns the function of a name; `None` if the module has none.
pub(crate) fn function_named<'p>(module: Op<'p>, name: &str) -> Option<Op<'p>> {
    let mut functions = functions(module);
    functions
        .find(|function| function.name == name)
        .map(|function| function.op)
}

/// Finds the function that is meant: that of the name, or without a name the only public one with a body. Otherwise reports an
/// error.
fn find<'p>(module: Op<'p>, entry: Option<&str>) -> Result<Named<'p>, ProgramError> {
    if module.name().as_string_ref().as_str() != Ok(builtin::MODULE) {
        let name = module.name();
        let name = name.as_string_ref().as_str().unwrap_or_default().to_owned();
        return Err(reported(module, ProgramError::NotAModule(name), &[]));
    }
    let with_body: Vec<Named<'p>> = functions(module)
        .filter(|function| ir::function_body(function.op).is_some())
        .collect();
    let is_meant = |function: &Named<'p>| entry.is_none_or(|name| function.name == name);
    let several = |function: &Named<'p>| ir::blocks(function.op).nth(1).is_some();
    if !with_body.iter().any(is_meant)
        && let Some(entry_function) = functions(module)
            .find(|entry_function| is_meant(entry_function) && several(entry_function))
    {
        let error = ProgramError::Branches(entry_function.name.clone());
        return Err(reported(module, error, &[entry_function]));
    }
    let names = |functions: &[Named<'p>]| -> Vec<String> {
        functions
            .iter()
            .map(|entry_function| entry_function.name.clone())
            .collect()
    };
    if let Some(name) = entry {
        let function_names = names(&with_body);
        let defined_function = with_body
            .into_iter()
            .find(|candidate| candidate.name == name);
        let name = name.to_owned();
        return defined_function.ok_or_else(|| {
            reported(
                module,
                ProgramError::NoEntry {
                    name,
                    functions: function_names,
                },
                &[],
            )
        });
    }
    let is_public = |function: &Named<'p>| {
        let visibility = ir::attribute(function.op, "sym_visibility").and_then(attr::string);
        visibility.is_none_or(|visibility| visibility == "public")
    };
    let mut public: Vec<Named<'p>> = with_body.into_iter().filter(is_public).collect();
    if public.len() > 1 {
        let error = ProgramError::Ambiguous(names(&public));
        return Err(reported(module, error, &public));
    }
    public.pop().ok_or_else(|| {
        let mut top = ir::body(module).into_iter().flat_map(ir::operations);
        let err = match top.any(|op| ir::name(op) == inductor::GRAPH) {
            true => ProgramError::Graphs,
            false => ProgramError::Empty,
        };
        reported(module, err, &[])
    })
}

/// Reports an error at a module, with a note at each function.
fn reported<'p>(module: Op<'p>, error: ProgramError, functions: &[Named<'p>]) -> ProgramError {
    let mut diagnostic = Diagnostic::error(module.location(), error.to_string());
    for function in functions {
        let message = format!("@{} is here", function.name);
        diagnostic = diagnostic.note(function.op.location(), message);
    }
    diagnostic.emit();
    error
}

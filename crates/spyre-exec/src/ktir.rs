//! Kernels in KTIR, run on the CPU.
//!
//! `--convert-ktdp-to-linalg` makes a function on flat tensors of a kernel, and this module compiles and calls it.
//! [`Kernel`] runs on the contents of device memory; [`Call`] on the tensors of the program that the kernel was
//! compiled from, by the layouts of its arguments. Results and pools start as NaN, and integers as bytes 0xA5.
//!
//! Cores run one after the other. [`CoreOrder`] has two orders: a kernel whose results differ between them has a race.

use melior::Context;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::OperationLike as _;
use melior::ir::r#type::IntegerType;
use melior::ir::{Location, Module, Type, ValueLike as _};
use spyre_dialects::attr;
use spyre_ktir_kernel::{BYTES, extents, launch_errors, pools, programs};
use spyre_ktir_linalg::{ARGUMENT, FAULT, Fault, INDICES, POOL, STORED, VIEW};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::execution::{CallError, External};
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::source::{PipelineError, run_pipeline};
use thiserror::Error;

use crate::array::{Array, ArrayError};
use crate::bundle::{Argument, Interface, Role};
use crate::program::{Executable, Program, ProgramError, RunError, function_named};
use crate::sizes::Sizes;
use crate::{Optimization, Signature, TensorType};

/// The order in which cores run, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CoreOrder {
    /// From core 0 on.
    #[default]
    Forward,
    /// From the last core on.
    Reverse,
}

/// The unit of the base addresses of views.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BaseUnit {
    /// Elements of the view.
    #[default]
    Element,
    /// Bytes.
    Byte,
}

/// How a kernel is compiled.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The order of cores.
    pub order: CoreOrder,
    /// The unit of base addresses.
    pub unit: BaseUnit,
    /// The values of arguments that are no addresses, by number, in elements.
    pub values: Vec<(usize, u64)>,
    /// The dynamic extents, by the names that the kernel has for them. Other names are ignored.
    pub sizes: Sizes,
    /// The optimization level, as for programs.
    pub optimization: Option<Optimization>,
}

/// The reason why a kernel is not compiled. Those of passes have been reported as diagnostics.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum KernelError {
    /// No kernel.
    #[error("the module has no kernel: a function with operations of `ktdp`")]
    None,
    /// Several kernels.
    #[error("the module has the kernels {}; choose one", list(.0))]
    Several(Vec<String>),
    /// No kernel of the name.
    #[error("the module has no kernel @{name}; it has {}", list(.kernels))]
    Entry {
        /// The name.
        name: String,
        /// The kernels of the module.
        kernels: Vec<String>,
    },
    /// Another number of tensors than the program has.
    #[error(
        "@{entry} has {kernel} arguments for tensors, and the program has {program}: its inputs, the constants of its plan, and \
         its results; the kernel is of another program or plan"
    )]
    Tensors {
        /// The kernel.
        entry: String,
        /// The number of arguments of the kernel that are neither extents nor pools.
        kernel: usize,
        /// The number of inputs, constants and results.
        program: usize,
    },
    /// Attributes of another form; a diagnostic has been reported.
    #[error("{0}")]
    Attributes(String),
    /// An operation that does not run on the CPU.
    #[error(transparent)]
    Lowering(#[from] PipelineError),
    /// A function that is not compiled.
    #[error(transparent)]
    Program(#[from] ProgramError),
}

/// The reason why a kernel did not run.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum KernelRunError {
    /// An access outside of memory, with the place, the core and the index.
    #[error("{0}")]
    Fault(String),
    /// A call that fails.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The wrong number of inputs.
    #[error("@{entry} takes {expected} inputs, got {actual}")]
    Count {
        /// The kernel.
        entry: String,
        /// The inputs that it takes.
        expected: usize,
        /// The inputs that it got.
        actual: usize,
    },
    /// An argument of another type or size than the program's.
    #[error("argument {number} of the kernel: {reason}")]
    Argument {
        /// The number of the argument.
        number: usize,
        /// The reason.
        reason: String,
    },
    /// Contents that are no array.
    #[error(transparent)]
    Array(#[from] ArrayError),
}

fn list(names: &[String]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("@{name}")).collect();
    names.join(", ")
}

/// An argument of a kernel that is the address of a buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Buffer {
    /// The number of the argument.
    pub number: usize,
    /// The number of arguments before it that are neither extents nor pools: its tensor in the program.
    pub tensor: usize,
    /// The type of its contents: the extents of the view that begins at it, or one dimension.
    pub ty: TensorType,
    /// Whether the kernel stores to it.
    pub is_stored: bool,
    /// Whether it is a pool of intermediate values.
    pub is_pool: bool,
    /// The smallest extent that its elements index, if they are indices of views.
    pub indices: Option<u32>,
}

/// A compiled kernel: one function, or the launches of one program.
#[derive(Debug)]
pub struct Kernel {
    executable: Executable,
    buffers: Vec<Buffer>,
    tensors: usize,
}

/// Returns whether a module has kernels.
#[must_use]
pub fn has_kernels(module: Op<'_>) -> bool {
    !programs(module).is_empty()
}

/// Returns the names of the kernels of a module: of programs, where several are launched one after the other.
#[must_use]
pub fn kernel_names(module: Op<'_>) -> Vec<String> {
    let programs = programs(module).into_iter();
    programs.map(|program| program.name).collect()
}

/// Returns the names of the dynamic extents of the kernels of a module, or of the one with the name. Attributes of other
/// forms have none, and are errors of [`Kernel::compile`].
#[must_use]
pub fn extent_names(module: Op<'_>, entry: Option<&str>) -> Vec<String> {
    let programs = programs(module).into_iter();
    let meant = programs.filter(|program| entry.is_none_or(|name| name == program.name));
    let launches = meant.flat_map(|program| program.launches);
    let extents = launches.flat_map(|op| extents(op).unwrap_or_default());
    let mut names: Vec<String> = extents.filter_map(|extent| extent.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

impl Kernel {
    /// Compiles a kernel of a module: that of the name, which is the program of its launches, or without a name the only
    /// one. `bytes` are the sizes of tensors, by number, where `ktdp.bytes` states none. The module does not change.
    ///
    /// # Errors
    /// [`KernelError`]; a diagnostic has been reported.
    pub fn compile<'c>(
        context: &'c Context,
        module: Op<'_>,
        entry: Option<&str>,
        bytes: &[u64],
        options: &Options,
    ) -> Result<Self, KernelError> {
        let copy: Module<'c> =
            Module::from_operation((*module).clone()).ok_or(KernelError::None)?;
        let module = copy.as_operation();
        let entry = keep(module, entry)?;
        let arguments = Arguments::of(context, module, options)?;
        arguments.state_bytes(context, module, bytes);
        run_pipeline(context, module, &pipeline(options, &arguments.values))?;
        let function =
            function_named(module, &entry).expect("the pass keeps the name of a program");
        let buffers = buffers(function, &arguments)?;
        // LLVM has no attributes of the dialect, and would warn of each.
        ir::remove_attribute(function, "arg_attrs");
        let sites = Fault::sites(module);
        let program = Program::select(context, module, Some(&entry))?;
        let how = crate::Options {
            poison: false,
            optimization: options.optimization,
        };
        let fault = External {
            name: FAULT.to_owned(),
            run: Box::new(move |numbers| {
                let fault = numbers.first().and_then(|bytes| Fault::read(bytes, &sites));
                let text = fault.map(|fault| fault.to_string());
                Err(text
                    .unwrap_or_else(|| "an access outside of memory".to_owned())
                    .into())
            }),
        };
        let executable = program.compile_with(context, how, vec![fault])?;
        Ok(Self {
            executable,
            buffers,
            tensors: arguments.tensors.len(),
        })
    }

    /// Returns the name.
    #[must_use]
    pub fn entry(&self) -> &str {
        self.executable.entry()
    }

    /// Returns the buffers, by the order of arguments.
    #[must_use]
    pub fn buffers(&self) -> &[Buffer] {
        &self.buffers
    }

    /// Returns the buffers that a caller fills: those that are neither stored nor pools.
    pub fn inputs(&self) -> impl Iterator<Item = &Buffer> {
        self.buffers
            .iter()
            .filter(|it| !it.is_stored && !it.is_pool)
    }

    /// Returns the number of arguments that are neither extents nor pools: the tensors of the program.
    #[must_use]
    pub fn tensors(&self) -> usize {
        self.tensors
    }

    /// Returns the buffers that the kernel stores, pools as well, in the order of arguments.
    pub fn stored(&self) -> impl Iterator<Item = &Buffer> {
        self.buffers.iter().filter(|it| it.is_stored)
    }

    /// Returns the types of inputs and results, without pools.
    #[must_use]
    pub fn signature(&self) -> Signature {
        let results = self.stored().filter(|it| !it.is_pool);
        Signature {
            inputs: self.inputs().map(|it| it.ty.clone()).collect(),
            outputs: results.map(|it| it.ty.clone()).collect(),
        }
    }

    /// Runs the kernel on the contents of its inputs. Returns the contents of all buffers that it stores.
    ///
    /// # Errors
    /// [`KernelRunError`]
    pub fn run(&self, inputs: &[Array]) -> Result<Vec<Array>, KernelRunError> {
        let expected = self.inputs().count();
        if expected != inputs.len() {
            return Err(KernelRunError::Count {
                entry: self.entry().to_owned(),
                expected,
                actual: inputs.len(),
            });
        }
        let mut inputs = inputs.iter();
        let mut contents = Vec::with_capacity(self.buffers.len());
        for buffer in &self.buffers {
            let flat = [buffer.ty.element_count().unwrap_or(0)];
            let bytes = if buffer.is_stored || buffer.is_pool {
                undefined(&buffer.ty)
            } else {
                let input = inputs.next().expect("the inputs are counted");
                if *input.ty() != buffer.ty {
                    return Err(KernelRunError::Argument {
                        number: buffer.number,
                        reason: format!("it is {}, got {}", buffer.ty, input.ty()),
                    });
                }
                input.bytes().to_vec()
            };
            contents.push(Array::new(buffer.ty.element, &flat, bytes)?);
        }
        let results = self.executable.run(&contents).map_err(|err| match err {
            RunError::Call(CallError::External { name, reason }) if name == FAULT => {
                KernelRunError::Fault(reason)
            }
            err => KernelRunError::Run(err),
        })?;
        let shaped = results
            .into_iter()
            .zip(self.stored())
            .map(|(result, buffer)| {
                Array::new(buffer.ty.element, &buffer.ty.shape, result.into_bytes())
            });
        Ok(shaped.collect::<Result<_, _>>()?)
    }
}

/// Returns the bytes of a buffer before the first store: NaN, or 0xA5 for integers.
fn undefined(ty: &TensorType) -> Vec<u8> {
    use crate::DType;
    let count = ty.element_count().unwrap_or(0);
    let nan = match ty.element {
        DType::F16 => half::f16::NAN.to_ne_bytes().to_vec(),
        DType::Bf16 => half::bf16::NAN.to_ne_bytes().to_vec(),
        DType::F32 => f32::NAN.to_ne_bytes().to_vec(),
        DType::F64 => f64::NAN.to_ne_bytes().to_vec(),
        DType::Bool => vec![0],
        element => vec![0xA5; element.bytes()],
    };
    nan.repeat(count)
}

fn pipeline(options: &Options, values: &[(usize, u64)]) -> String {
    let order = match options.order {
        CoreOrder::Forward => "forward",
        CoreOrder::Reverse => "reverse",
    };
    let unit = match options.unit {
        BaseUnit::Element => "element",
        BaseUnit::Byte => "byte",
    };
    let extents: Vec<_> = values
        .iter()
        .map(|(number, value)| format!("{number}={value}"))
        .collect();
    let extents = match extents.is_empty() {
        true => String::new(),
        false => format!(" extents={}", extents.join(",")),
    };
    format!(
        "builtin.module(convert-ktdp-to-linalg{{core-order={order} base-unit={unit}{extents}}})"
    )
}

/// Erases all kernels of a module but one, and returns its name.
fn keep(module: Op<'_>, entry: Option<&str>) -> Result<String, KernelError> {
    let programs = programs(module);
    if let Some((kernel, err)) = launch_errors(&programs).into_iter().next() {
        return Err(attributes(kernel.location(), err.to_string()));
    }
    let names = || {
        programs
            .iter()
            .map(|program| program.name.clone())
            .collect()
    };
    let kept = match (entry, &programs[..]) {
        (_, []) => return Err(KernelError::None),
        (None, [only]) => only,
        (None, _) => return Err(KernelError::Several(names())),
        (Some(name), all) => {
            let named = all.iter().find(|program| program.name == name);
            named.ok_or_else(|| KernelError::Entry {
                name: name.to_owned(),
                kernels: names(),
            })?
        }
    };
    let name = kept.name.clone();
    let others = programs.iter().filter(|program| program.name != name);
    let others = others.flat_map(|program| &program.launches);
    others.for_each(|op| ir::erase(*op));
    Ok(name)
}

/// Returns the error of an attribute of another form, which is reported.
fn attributes(location: Location<'_>, reason: String) -> KernelError {
    Diagnostic::error(location, reason.clone()).emit();
    KernelError::Attributes(reason)
}

/// The arguments of the kernel of a module.
struct Arguments {
    /// The values of arguments that are no addresses, by number.
    values: Vec<(usize, u64)>,
    /// The numbers of the arguments that are neither extents nor pools, in order.
    tensors: Vec<usize>,
}

impl Arguments {
    fn of(context: &Context, module: Op<'_>, options: &Options) -> Result<Self, KernelError> {
        let mut values = options.values.clone();
        let mut others: Vec<usize> = values.iter().map(|(number, _)| *number).collect();
        let mut count = 0;
        for op in launches(module) {
            let wrong = |reason: String| attributes(op.location(), reason);
            for extent in extents(op).map_err(|err| wrong(err.to_string()))? {
                let number = extent.argument;
                others.push(number);
                let size = extent.name.and_then(|name| options.sizes.get(&name));
                if let Some(size) = size
                    && !values.iter().any(|(other, _)| *other == number)
                {
                    values.push((number, *size));
                }
            }
            others.extend(pools(op).map_err(|err| wrong(err.to_string()))?);
            let body = ir::function_body(op).expect("a kernel has a body");
            let index = Type::index(context);
            count = ir::arguments(body).count();
            let numbers = ir::arguments(body).enumerate();
            let typed = numbers.filter(|(_, argument)| argument.r#type() != index);
            others.extend(typed.map(|(number, _)| number));
        }
        let tensors = (0..count).filter(|number| !others.contains(number));
        Ok(Self {
            values,
            tensors: tensors.collect(),
        })
    }

    /// States the sizes of tensors, where they are not stated.
    fn state_bytes(&self, context: &Context, module: Op<'_>, bytes: &[u64]) {
        let i64 = IntegerType::new(context, 64).into();
        for function in launches(module) {
            for (number, bytes) in self.tensors.iter().zip(bytes) {
                if ir::argument_attribute(function, *number, BYTES).is_none() {
                    let bytes = IntegerAttribute::new(i64, bytes.cast_signed()).into();
                    ir::set_argument_attribute(function, *number, BYTES, bytes);
                }
            }
        }
    }
}

/// Returns the launches of a module with one program.
fn launches(module: Op<'_>) -> Vec<Op<'_>> {
    let programs = programs(module).into_iter();
    programs.flat_map(|program| program.launches).collect()
}

/// Reads the buffers of a converted function.
fn buffers(function: Op<'_>, arguments: &Arguments) -> Result<Vec<Buffer>, KernelError> {
    let signature = Signature::from_function(function).map_err(|diagnostic| {
        let message = diagnostic.message().to_owned();
        diagnostic.emit();
        ProgramError::Signature(message)
    })?;
    let buffers = signature
        .inputs
        .into_iter()
        .enumerate()
        .map(|(place, flat)| {
            let attribute = |name| ir::argument_attribute(function, place, name);
            // The conversion describes each buffer, so a missing attribute is no input.
            let number = attribute(ARGUMENT).and_then(attr::integer);
            let number = number.and_then(|number| usize::try_from(number).ok());
            let shape = attr::dense_signed_integers(attribute(VIEW));
            let shape = shape.expect("the shape of a buffer").into_iter();
            let shape = shape.map(|extent| usize::try_from(extent).expect("an extent"));
            let number = number.expect("the number of an argument");
            let indices = attribute(INDICES).and_then(attr::integer);
            Buffer {
                number,
                tensor: arguments.tensors.iter().filter(|it| **it < number).count(),
                indices: indices.and_then(|extent| u32::try_from(extent).ok()),
                ty: TensorType {
                    element: flat.element,
                    shape: shape.collect(),
                },
                is_stored: attribute(STORED).is_some(),
                is_pool: attribute(POOL).is_some(),
            }
        });
    Ok(buffers.collect())
}

/// A kernel with the program that it was compiled from, whose tensors have layouts.
#[derive(Debug)]
pub struct Call {
    kernel: Kernel,
    interface: Interface,
}

impl Call {
    /// Compiles a kernel of a module, the only one or the one named `entry`, for the tensors of a program. Dynamic
    /// extents are those of the interface.
    ///
    /// # Errors
    /// As [`Kernel::compile`], and a kernel with other arguments than the program.
    pub fn compile(
        context: &Context,
        module: Op<'_>,
        (interface, entry): (Interface, Option<&str>),
        options: &Options,
    ) -> Result<Self, KernelError> {
        let arguments = interface.arguments().iter();
        let bytes: Vec<u64> = arguments.map(|it| it.device.bytes().get()).collect();
        let mut options = options.clone();
        options.sizes.extend(interface.sizes().clone());
        let kernel = Kernel::compile(context, module, entry, &bytes, &options)?;
        if kernel.tensors() != bytes.len() {
            return Err(KernelError::Tensors {
                entry: kernel.entry().to_owned(),
                kernel: kernel.tensors(),
                program: bytes.len(),
            });
        }
        Ok(Self { kernel, interface })
    }

    /// Returns the kernel.
    #[must_use]
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Returns the contents of the kernel's inputs for inputs of the program. The padding of sticks is 0.
    ///
    /// # Errors
    /// An argument of the kernel that is no tensor of the program, or of another type.
    pub fn contents(&self, inputs: &[Array]) -> Result<Vec<Array>, KernelRunError> {
        let contents = self.kernel.inputs().map(|buffer| {
            let argument = self.argument(buffer)?;
            let value = match &argument.role {
                Role::Input(position) => inputs.get(*position),
                Role::Constant(value) => Some(value),
                Role::Output(_) => None,
            };
            let wrong = |reason: String| KernelRunError::Argument {
                number: buffer.number,
                reason,
            };
            let value = value
                .ok_or_else(|| wrong("the kernel loads a result of the program".to_owned()))?;
            let places = places(argument).map_err(wrong)?;
            let width = buffer.ty.element.bytes();
            let mut bytes = vec![0; buffer.ty.byte_count().unwrap_or(0)];
            for (element, place) in value.bytes().chunks_exact(width).zip(places) {
                let place = place * width;
                let to = bytes.get_mut(place..place + width);
                let to = to.ok_or_else(|| {
                    wrong("it is smaller than the tensor of the program".to_owned())
                })?;
                to.copy_from_slice(element);
            }
            Ok(Array::new(buffer.ty.element, &buffer.ty.shape, bytes)?)
        });
        contents.collect()
    }

    /// Returns the results of the program in the contents of the buffers that the kernel stores.
    ///
    /// # Errors
    /// As [`contents`](Self::contents).
    pub fn results(&self, stored: &[Array]) -> Result<Vec<Array>, KernelRunError> {
        let outputs = &self.interface.signature().outputs;
        let mut results: Vec<Option<Array>> = vec![None; outputs.len()];
        for (buffer, contents) in self.kernel.stored().zip(stored).filter(|it| !it.0.is_pool) {
            let argument = self.argument(buffer)?;
            let Role::Output(position) = argument.role else {
                let reason = "the kernel stores to an input of the program".to_owned();
                let number = buffer.number;
                return Err(KernelRunError::Argument { number, reason });
            };
            let wrong = |reason: String| KernelRunError::Argument {
                number: buffer.number,
                reason,
            };
            let width = buffer.ty.element.bytes();
            let mut bytes = Vec::with_capacity(argument.ty.byte_count().unwrap_or(0));
            for place in places(argument).map_err(wrong)? {
                let element = contents.bytes().get(place * width..(place + 1) * width);
                let element = element.ok_or_else(|| {
                    wrong("it is smaller than the result of the program".to_owned())
                });
                bytes.extend_from_slice(element?);
            }
            results[position] = Some(Array::new(argument.ty.element, &argument.ty.shape, bytes)?);
        }
        let results = results.into_iter().zip(outputs);
        let results = results.map(|(result, ty)| match result {
            Some(result) => Ok(result),
            // A result that the kernel does not store is undefined.
            None => Array::new(ty.element, &ty.shape, undefined(ty)),
        });
        Ok(results.collect::<Result<_, _>>()?)
    }

    /// Runs the kernel on inputs of the program. Returns the results of the program.
    ///
    /// # Errors
    /// [`KernelRunError`]
    pub fn run(&self, inputs: &[Array]) -> Result<Vec<Array>, KernelRunError> {
        self.results(&self.kernel.run(&self.contents(inputs)?)?)
    }

    fn argument(&self, buffer: &Buffer) -> Result<&Argument, KernelRunError> {
        let wrong = |reason: String| KernelRunError::Argument {
            number: buffer.number,
            reason,
        };
        let argument = self.interface.arguments().get(buffer.tensor);
        let argument =
            argument.ok_or_else(|| wrong("the program has no such argument".to_owned()))?;
        let width = argument.device.format().bytes_per_element().get();
        let is_same = argument.ty.element == buffer.ty.element
            && u64::try_from(buffer.ty.element.bytes()) == Ok(width);
        match is_same {
            true => Ok(argument),
            false => Err(wrong(format!(
                "it has elements of {}, and the program has {} of {width} bytes each",
                buffer.ty.element, argument.ty
            ))),
        }
    }
}

/// Returns the place in device memory of each element of a tensor, in elements, in row-major order.
fn places(argument: &Argument) -> Result<Vec<usize>, String> {
    let shape: Vec<u64> = argument
        .ty
        .shape
        .iter()
        .map(|extent| *extent as u64)
        .collect();
    let count: u64 = shape.iter().product();
    let mut point = vec![0; shape.len()];
    let mut places = Vec::with_capacity(usize::try_from(count).unwrap_or(0));
    for _ in 0..count {
        let offset = argument.device.device_offset(&point);
        let offset = offset.map_err(|err| err.to_string())?.get();
        places.push(usize::try_from(offset).map_err(|err| err.to_string())?);
        for (at, extent) in point.iter_mut().zip(&shape).rev() {
            *at += 1;
            if *at < *extent {
                break;
            }
            *at = 0;
        }
    }
    Ok(places)
}

//! Kernels in KTIR, run on the CPU.
//!
//! `--convert-ktdp-to-linalg` makes a function on flat tensors of a kernel, and this module compiles and calls it.
//! [`Kernel`] runs on the contents of device memory; [`Call`] on the tensors of the program that the kernel was
//! compiled from, by the layouts of its arguments. Results and pools start as NaN, and integers as bytes 0xA5.
//!
//! Cores run one after the other. [`CoreOrder`] has two orders: a kernel whose results differ between them has a race.

use melior::Context;
use melior::ir::Module;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::r#type::IntegerType;
use spyre_dialects::attr;
use spyre_ktir_linalg::{
    ARGUMENT, ARGUMENT_BYTES, FAULT, Fault, POOL, STORED, VIEW, kernel_name, program_kernels,
};
use spyre_mlir_rt::execution::{CallError, External};
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::source::{PipelineError, run_pipeline};
use thiserror::Error;

use crate::array::{Array, ArrayError};
use crate::bundle::{Argument, Interface, Role};
use crate::program::{Executable, Program, ProgramError, RunError, function_named};
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
    pub extents: Vec<(usize, u64)>,
    /// The optimization level, as for programs.
    pub optimization: Option<Optimization>,
}

/// The reason why a kernel is not compiled. Those of passes have been reported as diagnostics.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum KernelError {
    /// No kernel, or several.
    #[error("the module has {}; choose an entry", several(.0))]
    Entry(Vec<String>),
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

fn several(names: &[String]) -> String {
    match names {
        [] => "no kernel".to_owned(),
        names => {
            let names: Vec<_> = names.iter().map(|name| format!("@{name}")).collect();
            format!("the kernels {}", names.join(", "))
        }
    }
}

/// An argument of a kernel that is the address of a buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Buffer {
    /// The number of the argument.
    pub number: usize,
    /// The type of its contents: the extents of the view that begins at it, or one dimension.
    pub ty: TensorType,
    /// Whether the kernel stores to it.
    pub is_stored: bool,
    /// Whether it is a pool of intermediate values.
    pub is_pool: bool,
}

/// A compiled kernel: one function, or the launches of one program.
#[derive(Debug)]
pub struct Kernel {
    executable: Executable,
    buffers: Vec<Buffer>,
}

/// Returns whether a module has kernels.
#[must_use]
pub fn has_kernels(module: Op<'_>) -> bool {
    !program_kernels(module).is_empty()
}

impl Kernel {
    /// Compiles a kernel of a module: that of the name, which is that of launches without their number, or without a
    /// name the only one. `bytes` are the sizes of arguments, by number, where neither `ktdp.bytes` states one nor the
    /// argument is a pool. The module does not change.
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
        let names = program_kernels(module);
        let entry = match entry {
            Some(name) => names.iter().find(|it| *it == name).cloned(),
            None => kernel_name(module),
        };
        let entry = entry.ok_or(KernelError::Entry(names))?;
        let copy: Module<'c> = Module::from_operation((*module).clone())
            .ok_or_else(|| KernelError::Entry(Vec::new()))?;
        let module = copy.as_operation();
        state_bytes(context, module, &entry, bytes);
        run_pipeline(context, module, &pipeline(options))?;
        let function =
            function_named(module, &entry).expect("the pass keeps the name of a program");
        let buffers = buffers(function)?;
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

    /// Returns the buffers that the kernel stores, in the order of results. Pools are the last ones.
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

fn pipeline(options: &Options) -> String {
    let order = match options.order {
        CoreOrder::Forward => "forward",
        CoreOrder::Reverse => "reverse",
    };
    let unit = match options.unit {
        BaseUnit::Element => "element",
        BaseUnit::Byte => "byte",
    };
    let extents = options.extents.iter();
    let extents: Vec<_> = extents
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

/// States the sizes of arguments of a kernel, or of its launches, where they are not stated.
fn state_bytes(context: &Context, module: Op<'_>, entry: &str, bytes: &[u64]) {
    let i64 = IntegerType::new(context, 64).into();
    let functions = ir::body(module).into_iter().flat_map(ir::operations);
    for function in functions {
        let name = ir::attribute(function, "sym_name").and_then(attr::string);
        let Some(name) = name else {
            continue; // no function
        };
        let launch = name
            .strip_prefix(entry)
            .and_then(|rest| rest.strip_prefix('_'));
        let is_launch = launch.is_some_and(|number| number.parse::<usize>().is_ok());
        if name != entry && !is_launch {
            continue;
        }
        for (number, bytes) in bytes.iter().enumerate() {
            if ir::argument_attribute(function, number, ARGUMENT_BYTES).is_none() {
                let bytes = IntegerAttribute::new(i64, bytes.cast_signed()).into();
                ir::set_argument_attribute(function, number, ARGUMENT_BYTES, bytes);
            }
        }
    }
}

/// Reads the buffers of a converted function.
fn buffers(function: Op<'_>) -> Result<Vec<Buffer>, KernelError> {
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
            Buffer {
                number: number.expect("the number of an argument"),
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
    /// Compiles a kernel of a module for the tensors of a program.
    ///
    /// # Errors
    /// As [`Kernel::compile`].
    pub fn compile(
        context: &Context,
        module: Op<'_>,
        interface: Interface,
        options: &Options,
    ) -> Result<Self, KernelError> {
        let arguments = interface.arguments().iter();
        let bytes: Vec<u64> = arguments.map(|it| it.device.bytes().get()).collect();
        Ok(Self {
            kernel: Kernel::compile(context, module, None, &bytes, options)?,
            interface,
        })
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
        let argument = self.interface.arguments().get(buffer.number);
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

//! The interface of a bundle: its kernel arguments, with their types and layouts.

use std::borrow::Cow;

use melior::Context;
use melior::ir::attribute::TypeAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::FunctionType;
use melior::ir::{Attribute, Module, Type, ValueLike};
use spyre_analysis::target::target_of;
use spyre_analysis::tensor::device_tensor;
use spyre_analysis::walk::device_ops;
use spyre_dialects::attr;
use spyre_dialects::names::{CONSTANT, NARROWED};
use spyre_layout::{Coord, DeviceTensor, DimOrder, HostTensor, HostType, Layout};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::source::{Anchor, PipelineError, run_pipeline, split_pipeline};
use spyre_plan::Target;
use spyre_sim::Rounding;
use thiserror::Error;

use crate::array::Array;
use crate::program::{Program, function_named};
use crate::sizes::Sizes;
use crate::{DType, Signature, TensorType};

/// The role of a kernel argument in the program, with the constants as `C`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Role<C = Array> {
    /// The input at this position.
    Input(usize),
    /// A constant that the launcher writes before the first run.
    Constant(C),
    /// The result at this position.
    Output(usize),
}

/// A kernel argument, from the view of the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter<'c> {
    /// The role of the argument in the program. The bytes of a constant are its elements in row-major order.
    pub role: Role<Cow<'c, [u8]>>,
    /// The type on the host.
    pub ty: TensorType,
}

/// A kernel argument.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Argument {
    /// The role of the argument in the program.
    pub role: Role,
    /// The type on the host.
    pub ty: TensorType,
    /// The tensor that the launcher writes or reads. For a constant it is its whole allocation in device memory,
    /// because no document defines the order of elements there.
    pub host: HostTensor,
    /// The places of the elements of `host` in device memory.
    pub device: DeviceTensor,
}

/// The kernel arguments of a bundle, by number: the inputs of the program, its constants, its results.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Interface {
    arguments: Vec<Argument>,
    signature: Signature,
    sizes: Sizes,
    rounding: Option<Rounding>,
    target: Target,
}

impl Argument {
    /// Sets other extents of the tensor, without room for larger ones in device memory.
    fn resize_without_room(&mut self, ty: &TensorType) -> Result<(), String> {
        let before = self.device.shape().to_vec();
        let shape: Vec<u64> = ty.shape.iter().map(|extent| *extent as u64).collect();
        let coords = self.device.layout().coords().iter();
        let sizes = coords.zip(self.device.device_size()).map(|(coord, &size)| {
            let (dim, divisor) = match *coord {
                Coord::Digit {
                    dim,
                    divisor,
                    modulus: None,
                } if before[dim] != shape[dim] => (dim, divisor),
                _ => return Ok(size),
            };
            let (room, needed) = (before[dim].div_ceil(divisor), shape[dim].div_ceil(divisor));
            match size == room {
                true => Ok(needed),
                false => Err(format!(
                    "dimension {dim} with {} elements takes {size} device elements, {} of them padding, and its extent is \
                     dynamic",
                    before[dim],
                    size - room
                )),
            }
        });
        let sizes = sizes.collect::<Result<Vec<u64>, String>>()?;
        let layout = self.device.layout().clone().with_device_size(sizes);
        let layout = layout.map_err(|err| err.to_string())?;
        self.device = layout
            .place(&shape, self.device.format())
            .map_err(|err| err.to_string())?;
        self.resize(ty)
    }

    /// Sets other extents of the tensor, in the same room in device memory.
    fn resize(&mut self, ty: &TensorType) -> Result<(), String> {
        if *ty == self.ty {
            return Ok(());
        }
        let shape: Vec<u64> = ty.shape.iter().map(|extent| *extent as u64).collect();
        let layout = self.device.layout().clone();
        let layout = layout
            .with_device_size(self.device.device_size().to_vec())
            .map_err(|err| err.to_string())?;
        self.device = layout
            .place(&shape, self.device.format())
            .map_err(|err| err.to_string())?;
        self.host =
            HostTensor::contiguous(host_type(ty.element), shape).map_err(|err| err.to_string())?;
        self.ty = ty.clone();
        Ok(())
    }
}

/// The reason why a function has no interface as a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum InterfaceError {
    /// A pass failed, or the function has an argument or a result that is no tensor; a diagnostic has been reported.
    #[error("the program cannot be planned: {0}")]
    Reported(String),
    /// A tensor that cannot be an argument.
    #[error("{what} {position}: {reason}")]
    Argument {
        /// `argument` or `result`.
        what: &'static str,
        /// The position.
        position: usize,
        /// The reason.
        reason: String,
    },
    /// The card stores 16-bit floats in one way at a time.
    #[error(
        "the function has both f16 and bf16, which a simulated card cannot tell apart; convert one of them before"
    )]
    TwoFloats,
}

impl Interface {
    /// Returns the interface of the bundle that `--spyre-pipeline` makes of a program. The program is not changed.
    ///
    /// # Errors
    /// [`InterfaceError`].
    pub fn of_program(context: &Context, program: &Program<'_>) -> Result<Self, InterfaceError> {
        Self::of_call(context, program, program.signature())
    }

    /// Returns the interface of that bundle for a call with tensors of the types of `signature`, as in [`called_as`](Self::called_as).
    ///
    /// # Errors
    /// [`InterfaceError`].
    pub fn of_call(
        context: &Context,
        program: &Program<'_>,
        signature: &Signature,
    ) -> Result<Self, InterfaceError> {
        Planned::new(context, program)?.interface(signature, program.sizes())
    }

    /// Returns the interface of a program as a kernel in KTIR. The allocations in device memory are for the extents of the
    /// program.
    ///
    /// # Errors
    /// [`InterfaceError`].
    pub fn of_kernel(context: &Context, program: &Program<'_>) -> Result<Self, InterfaceError> {
        let planned = Planned::new(context, program)?;
        let interface = Self::of_function(planned.function()?)?;
        let (signature, sizes) = (program.signature(), program.sizes());
        interface.resized(signature, sizes, Argument::resize_without_room)
    }

    /// Returns the interface for tensors with the extents `sizes` and the types of `signature`: the inputs, optionally
    /// followed by the constants. The allocations in device memory are for the largest extents.
    ///
    /// # Errors
    /// [`InterfaceError::Argument`]
    pub fn called_as(self, signature: &Signature, sizes: &Sizes) -> Result<Self, InterfaceError> {
        self.resized(signature, sizes, Argument::resize)
    }

    fn resized(
        mut self,
        signature: &Signature,
        sizes: &Sizes,
        resize: impl Fn(&mut Argument, &TensorType) -> Result<(), String>,
    ) -> Result<Self, InterfaceError> {
        if sizes.is_empty() {
            return Ok(self);
        }
        for argument in &mut self.arguments {
            let (what, position, ty) = match argument.role {
                Role::Input(position) => ("argument", position, signature.inputs.get(position)),
                Role::Output(position) => ("result", position, signature.outputs.get(position)),
                Role::Constant(_) => continue,
            };
            if let Some(ty) = ty {
                resize(argument, ty).map_err(|reason| InterfaceError::Argument {
                    what,
                    position,
                    reason,
                })?;
            }
        }
        self.signature = signature.clone();
        self.sizes = sizes.clone();
        Ok(self)
    }

    /// Returns the interface of a function with layouts, and with constants as arguments.
    ///
    /// # Errors
    /// [`InterfaceError`].
    pub fn of_function(function: Op<'_>) -> Result<Self, InterfaceError> {
        let ty = function
            .attribute("function_type")
            .ok()
            .and_then(|ty| TypeAttribute::try_from(ty).ok())
            .and_then(|ty| FunctionType::try_from(ty.value()).ok())
            .ok_or_else(|| InterfaceError::Reported("not a function".to_owned()))?;
        let mut signature = Signature {
            inputs: Vec::new(),
            outputs: Vec::new(),
        };
        let mut arguments = Vec::new();
        for (number, parameter) in parameters(function)?.into_iter().enumerate() {
            let Parameter { role, ty: tensor } = parameter;
            let (what, position) = match role {
                Role::Output(position) => ("result", position),
                Role::Input(_) | Role::Constant(_) => ("argument", number),
            };
            let wrong = |reason: String| InterfaceError::Argument {
                what,
                position,
                reason,
            };
            let (role, placed) = match role {
                Role::Input(input) => {
                    signature.inputs.push(tensor.clone());
                    (Role::Input(input), ty.input(position))
                }
                Role::Constant(bytes) => {
                    let value = Array::new(tensor.element, &tensor.shape, bytes.into_owned());
                    let value = value.map_err(|err| wrong(err.to_string()))?;
                    (Role::Constant(value), ty.input(position))
                }
                Role::Output(output) => {
                    signature.outputs.push(tensor.clone());
                    (Role::Output(output), ty.result(position))
                }
            };
            let placed = placed.map_err(|err| wrong(err.to_string()))?;
            arguments.push(argument(role, tensor, placed).map_err(wrong)?);
        }
        Ok(Self {
            arguments,
            signature,
            sizes: Sizes::new(),
            rounding: rounding(function),
            target: target_of(function).map_err(reported)?.target,
        })
    }

    /// Returns the kernel arguments, by number.
    #[must_use]
    pub fn arguments(&self) -> &[Argument] {
        &self.arguments
    }

    /// Returns the arguments for a call of a function with this interface: the inputs of the program, and its constants.
    #[must_use]
    pub fn with_constants(&self, inputs: &[Array]) -> Vec<Array> {
        let arguments = self.arguments.iter();
        arguments
            .filter_map(|argument| match &argument.role {
                Role::Input(position) => inputs.get(*position).cloned(),
                Role::Constant(value) => Some(value.clone()),
                Role::Output(_) => None,
            })
            .collect()
    }

    /// Returns the types of the program's inputs and results.
    #[must_use]
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Returns the given extents of dynamic dimensions.
    #[must_use]
    pub fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    /// Returns the card that the program is for.
    #[must_use]
    pub fn target(&self) -> Target {
        self.target
    }

    /// Returns how the program stores 16-bit floats; `None` if it has both `f16` and `bf16`.
    #[must_use]
    pub fn rounding(&self) -> Option<Rounding> {
        self.rounding
    }
}

/// A copy of a program that `--spyre-pipeline` has planned: layouts are decided, and constants are arguments.
#[derive(Debug)]
pub struct Planned<'c> {
    module: Module<'c>,
    entry: String,
}

impl<'c> Planned<'c> {
    /// Plans a copy of a program.
    ///
    /// # Errors
    /// [`InterfaceError::Reported`]
    pub fn new(context: &'c Context, program: &Program<'c>) -> Result<Self, InterfaceError> {
        let copy = (*program.general_module()).clone();
        let module = Module::from_operation(copy).ok_or_else(gone)?;
        run(context, module.as_operation(), Part::Plan)
            .map_err(|err| InterfaceError::Reported(err.to_string()))?;
        let entry = program.entry().to_owned();
        Ok(Self { module, entry })
    }

    /// Returns a module with the bundle of the program: a copy on which the rest of `--spyre-pipeline` has run.
    ///
    /// # Errors
    /// A pass failed; a diagnostic has been reported.
    pub fn bundle(&self, context: &'c Context) -> Result<Module<'c>, PipelineError> {
        let copy = (*self.module.as_operation()).clone();
        let module = Module::from_operation(copy).expect("a copy of a module is a module");
        run(context, module.as_operation(), Part::Bundle)?;
        Ok(module)
    }

    /// Returns the interface of the program's bundle, as [`Interface::of_call`] does.
    ///
    /// # Errors
    /// [`InterfaceError`]
    pub fn interface(
        &self,
        signature: &Signature,
        sizes: &Sizes,
    ) -> Result<Interface, InterfaceError> {
        Interface::of_function(self.function()?)?.called_as(signature, sizes)
    }

    fn function(&self) -> Result<Op<'_>, InterfaceError> {
        function_named(self.module.as_operation(), &self.entry).ok_or_else(gone)
    }

    /// Returns the kernel arguments of the program's bundle, by number. Constants of a resource are not copied.
    ///
    /// # Errors
    /// [`InterfaceError`]
    pub fn parameters(&self) -> Result<Vec<Parameter<'_>>, InterfaceError> {
        parameters(self.function()?)
    }
}

fn gone() -> InterfaceError {
    InterfaceError::Reported("the function is gone".to_owned())
}

/// Returns the kernel arguments of a function with constants as arguments, by number. Constants in a resource are not
/// copied.
///
/// # Errors
/// [`InterfaceError`].
fn parameters<'c>(function: Op<'c>) -> Result<Vec<Parameter<'c>>, InterfaceError> {
    let signature = Signature::from_function(function).map_err(reported)?;
    let mut arguments = Vec::new();
    let mut inputs = 0;
    for (position, tensor) in signature.inputs.into_iter().enumerate() {
        let role = match ir::argument_attribute(function, position, CONSTANT) {
            Some(value) => {
                let bytes = constant(&tensor, value);
                Role::Constant(bytes.ok_or_else(|| InterfaceError::Argument {
                    what: "argument",
                    position,
                    reason: "a constant of unknown value, or too large for memory".to_owned(),
                })?)
            }
            None => {
                inputs += 1;
                Role::Input(inputs - 1)
            }
        };
        arguments.push(Parameter { role, ty: tensor });
    }
    let outputs = signature.outputs.into_iter().enumerate();
    arguments.extend(outputs.map(|(position, ty)| Parameter {
        role: Role::Output(position),
        ty,
    }));
    Ok(arguments)
}

fn reported(diagnostic: Diagnostic<'_>) -> InterfaceError {
    let message = diagnostic.message().to_owned();
    diagnostic.emit();
    InterfaceError::Reported(message)
}

/// A part of `--spyre-pipeline`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The passes before the conversion to a bundle.
    Plan,
    /// That one.
    Bundle,
}

/// Runs a part of `--spyre-pipeline`.
fn run(context: &Context, module: Op<'_>, part: Part) -> Result<(), PipelineError> {
    let passes = split_pipeline("builtin.module(spyre-pipeline)", Anchor::Explicit)?;
    let makes_bundle = |pass: &String| pass.contains("convert-spyre-to-sdscbundle");
    let at = passes.iter().position(makes_bundle);
    let (planning, rest) = passes.split_at(at.expect("the pipeline makes a bundle"));
    let passes = match part {
        Part::Plan => planning,
        Part::Bundle => rest,
    };
    let mut passes = passes.iter();
    passes.try_for_each(|pass| run_pipeline(context, module, pass))
}

fn argument(role: Role, ty: TensorType, placed: Type<'_>) -> Result<Argument, String> {
    let mut device = device_tensor(placed)?;
    let mut shape = ty.shape.iter().map(|extent| *extent as u64).collect();
    if matches!(role, Role::Constant(_)) && device.layout().arrangement().is_staggered() {
        device = room(&device)?;
        shape = device.shape().to_vec();
    }
    let host =
        HostTensor::contiguous(host_type(ty.element), shape).map_err(|err| err.to_string())?;
    Ok(Argument {
        role,
        ty,
        host,
        device,
    })
}

/// Returns the whole allocation of a tensor in device memory, as a tensor. After a cast, the positions of elements in
/// the allocation are not known, which does not matter where all elements have one value.
fn room(device: &DeviceTensor) -> Result<DeviceTensor, String> {
    let (size, format) = (device.device_size(), device.format());
    let order = DimOrder::for_shape(size, size.len().checked_sub(1));
    let order = order.map_err(|err| err.to_string())?;
    let layout = Layout::default_for(&order, format.elements_per_stick());
    let layout = layout.map_err(|err| err.to_string())?;
    layout.place(size, format).map_err(|err| err.to_string())
}

/// Returns the element type as the layout library calls it.
fn host_type(element: DType) -> HostType {
    match element {
        DType::F16 => HostType::F16,
        DType::Bf16 => HostType::Bf16,
        DType::F32 => HostType::F32,
        DType::F64 => HostType::F64,
        DType::I8 => HostType::I8,
        DType::I16 => HostType::I16,
        DType::I32 => HostType::I32,
        DType::I64 => HostType::I64,
        DType::Bool => HostType::Bool,
    }
}

/// Returns the constant value of an argument of a function; `None` if it has none, or it does not fit into memory.
pub(crate) fn constant_argument(
    function: Op<'_>,
    position: usize,
    ty: &TensorType,
) -> Option<Array> {
    let value = ir::argument_attribute(function, position, CONSTANT)?;
    let bytes = constant(ty, value)?.into_owned();
    Array::new(ty.element, &ty.shape, bytes).ok()
}

/// Returns the elements of the tensor that a dense attribute holds; `None` if it holds none, or the tensor does not fit into memory.
fn constant<'c>(ty: &TensorType, value: Attribute<'c>) -> Option<Cow<'c, [u8]>> {
    if let Some(bytes) = attr::dense_bytes(value) {
        return Some(bytes);
    }
    let value = attr::splat(value)?;
    let count = ty.element_count()?;
    let array = match ty.element {
        DType::F64 => {
            let bytes = attr::number(value)?.to_ne_bytes();
            return Some(Cow::Owned(repeated(bytes, count)?.concat()));
        }
        DType::F16 | DType::Bf16 | DType::F32 => {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a value of the type, which f32 holds"
            )]
            let value = attr::number(value)? as f32;
            Array::from_f32s(ty.element, &ty.shape, &repeated(value, count)?)
        }
        DType::I8 | DType::I16 | DType::I32 | DType::I64 | DType::Bool => {
            let value = attr::integer(value)?;
            // A truth value is an integer of one bit, its sign bit.
            let value = if ty.element == DType::Bool {
                value & 1
            } else {
                value
            };
            Array::from_i64s(ty.element, &ty.shape, &repeated(value, count)?)
        }
    };
    Some(Cow::Owned(array.ok()?.into_bytes()))
}

/// Returns `count` copies of a value; `None` if they do not fit into memory.
pub(super) fn repeated<T: Clone>(value: T, count: usize) -> Option<Vec<T>> {
    let mut values = Vec::new();
    values.try_reserve_exact(count).ok()?;
    values.resize(count, value);
    Some(values)
}

/// Returns how the program stores 16-bit floats: as `bf16` if it has only these, otherwise as `f16`; `None` if it has
/// both. Where they replace `f32` of the program, it is the card's format, which has a wider range than `f16`.
fn rounding(function: Op<'_>) -> Option<Rounding> {
    let ops = ir::function_body(function)
        .map(device_ops)
        .unwrap_or_default();
    let (mut f16, mut bf16) = (false, false);
    for op in ops {
        let result = op.op().result(0).ok().map(Into::into);
        for value in op.op().operands().chain(result) {
            let ty = TensorType::of(value.r#type());
            f16 |= ty.as_ref().is_ok_and(|ty| ty.element == DType::F16);
            bf16 |= ty.is_ok_and(|ty| ty.element == DType::Bf16);
        }
    }
    match (f16, bf16) {
        (true, true) => None,
        _ if function.has_attribute(NARROWED) => Some(Rounding::Dl16),
        (false, true) => Some(Rounding::Bf16),
        _ => Some(Rounding::F16),
    }
}

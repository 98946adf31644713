//! The types of the inputs and results of a compiled function.

use std::fmt;

use melior::ir::attribute::TypeAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{DimSize, FunctionType, IntegerType, RankedTensorType};
use melior::ir::{ShapedTypeLike, Type, TypeLike};
use thiserror::Error;

use crate::diagnostic::Diagnostic;
use crate::ir::Op;

/// The element type of an argument or a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Element {
    /// `f16`: IEEE binary16.
    F16,
    /// `bf16`: the upper half of an `f32`.
    Bf16,
    /// `f32`: IEEE binary32.
    F32,
    /// `f64`: IEEE binary64. The host has it, and the card does not.
    F64,
    /// `i8`
    I8,
    /// `i16`. The host has it, and the card does not.
    I16,
    /// `i32`
    I32,
    /// `i64`
    I64,
    /// `i1`: a byte that is 0 or 1.
    Bool,
}

impl Element {
    /// Every element type.
    pub const ALL: [Self; 9] = [
        Self::F16,
        Self::Bf16,
        Self::F32,
        Self::F64,
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::Bool,
    ];

    /// Returns the number of bytes of one element in memory.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::Bool => 1,
            Self::F16 | Self::Bf16 | Self::I16 => 2,
            Self::F32 | Self::I32 => 4,
            Self::F64 | Self::I64 => 8,
        }
    }

    /// Returns the name of the type in MLIR.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::Bool => "i1",
        }
    }

    fn from_type(ty: Type<'_>) -> Option<Self> {
        if let Ok(integer) = IntegerType::try_from(ty) {
            if !integer.is_signless() {
                return None;
            }
            return match integer.width() {
                1 => Some(Self::Bool),
                8 => Some(Self::I8),
                16 => Some(Self::I16),
                32 => Some(Self::I32),
                64 => Some(Self::I64),
                _ => None,
            };
        }
        if ty.is_f16() {
            Some(Self::F16)
        } else if ty.is_bf16() {
            Some(Self::Bf16)
        } else if ty.is_f32() {
            Some(Self::F32)
        } else if ty.is_f64() {
            Some(Self::F64)
        } else {
            None
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// The reason why a type is not supported for arguments and results.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TensorTypeError {
    /// Another type than a ranked tensor.
    #[error("{ty} is not a ranked tensor")]
    NotRanked {
        /// The type.
        ty: String,
    },
    /// A dynamic extent.
    #[error("dimension {dim} of {ty} has a dynamic extent")]
    Dynamic {
        /// The dimension.
        dim: usize,
        /// The type.
        ty: String,
    },
    /// An element type that [`Element`] does not have.
    #[error(
        "{element} is not one of the element types {}{}",
        Element::ALL.map(Element::name).join(", "),
        if element.starts_with("complex") { "; the parts of complex numbers go in and out as a last dimension of extent 2" } else { "" }
    )]
    Element {
        /// The element type.
        element: String,
    },
    /// More bytes than an object in memory can have.
    #[error("{ty} does not fit into memory")]
    TooLarge {
        /// The type.
        ty: String,
    },
}

/// The type of an argument or a result: a dense tensor, in row-major order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct TensorType {
    /// Type of an element.
    pub element: Element,
    /// Extents in elements, outermost first; empty for a scalar.
    pub shape: Vec<usize>,
}

impl TensorType {
    /// Returns the type of a ranked tensor, without its layout.
    ///
    /// # Errors
    /// [`TensorTypeError`].
    pub fn of(ty: Type<'_>) -> Result<Self, TensorTypeError> {
        let text = || ty.to_string();
        let not_ranked = || TensorTypeError::NotRanked { ty: text() };
        let tensor = RankedTensorType::try_from(ty).map_err(|_| not_ranked())?;
        let shape = (0..tensor.rank())
            .map(|dim| match tensor.dim_size(dim) {
                Ok(DimSize::Static(extent)) => {
                    usize::try_from(extent).map_err(|_| TensorTypeError::TooLarge { ty: text() })
                }
                Ok(DimSize::Dynamic) => Err(TensorTypeError::Dynamic { dim, ty: text() }),
                Err(_) => Err(not_ranked()),
            })
            .collect::<Result<Vec<_>, _>>()?;
        let element =
            Element::from_type(tensor.element()).ok_or_else(|| TensorTypeError::Element {
                element: tensor.element().to_string(),
            })?;
        let tensor_type = Self { element, shape };
        match tensor_type.byte_count() {
            Some(_) => Ok(tensor_type),
            None => Err(TensorTypeError::TooLarge { ty: text() }),
        }
    }

    /// Returns the number of elements; `None` when it overflows.
    #[must_use]
    pub fn element_count(&self) -> Option<usize> {
        self.shape
            .iter()
            .try_fold(1_usize, |count, extent| count.checked_mul(*extent))
    }

    /// Returns the number of bytes; `None` when an object in memory cannot have as many.
    #[must_use]
    pub fn byte_count(&self) -> Option<usize> {
        let bytes = self.element_count()?.checked_mul(self.element.bytes())?;
        isize::try_from(bytes).ok().map(|_| bytes)
    }

    /// Returns the number of words of a memref descriptor: two pointers, an offset, and a size and a stride for each dimension.
    pub(super) fn descriptor_words(&self) -> usize {
        self.shape.len().saturating_mul(2).saturating_add(3)
    }

    /// Returns the distance in elements between neighbours along each dimension.
    pub(super) fn strides(&self) -> Vec<u64> {
        let mut strides = vec![0; self.shape.len()];
        let mut stride = 1_u64;
        for (slot, extent) in strides.iter_mut().zip(&self.shape).rev() {
            *slot = stride;
            stride = stride.saturating_mul(*extent as u64);
        }
        strides
    }
}

impl fmt::Display for TensorType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("tensor<")?;
        for extent in &self.shape {
            write!(formatter, "{extent}x")?;
        }
        write!(formatter, "{}>", self.element)
    }
}

/// The types of a function's inputs and results.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Signature {
    /// Types of the arguments.
    pub inputs: Vec<TensorType>,
    /// Types of the results.
    pub outputs: Vec<TensorType>,
}

impl Signature {
    /// Returns the signature of a `func.func` on tensors.
    ///
    /// # Errors
    /// An argument or a result that is no tensor which can go in or out, at the function.
    pub fn from_function<'p>(function: Op<'p>) -> Result<Self, Diagnostic<'p>> {
        let error = |message: String| Diagnostic::error(function.location(), message);
        let ty = function
            .attribute("function_type")
            .ok()
            .and_then(|ty| TypeAttribute::try_from(ty).ok())
            .and_then(|ty| FunctionType::try_from(ty.value()).ok())
            .ok_or_else(|| error("not a function".to_owned()))?;
        let tensor = |what: &str, index: usize, ty: Result<Type<'p>, melior::Error>| {
            ty.map_err(|err| err.to_string())
                .and_then(|ty| TensorType::of(ty).map_err(|err| err.to_string()))
                .map_err(|reason| error(format!("{what} {index} of the function: {reason}")))
        };
        Ok(Self {
            inputs: (0..ty.input_count())
                .map(|index| tensor("argument", index, ty.input(index)))
                .collect::<Result<_, _>>()?,
            outputs: (0..ty.result_count())
                .map(|index| tensor("result", index, ty.result(index)))
                .collect::<Result<_, _>>()?,
        })
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |types: &[TensorType]| {
            let types: Vec<String> = types.iter().map(ToString::to_string).collect();
            types.join(", ")
        };
        let (inputs, outputs) = (list(&self.inputs), list(&self.outputs));
        write!(formatter, "({inputs}) -> ({outputs})")
    }
}
